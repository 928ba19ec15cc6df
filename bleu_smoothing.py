"""Smoothing: what an order with no match, or few, counts for. A named function each.

A method takes the counts of statistics rows and returns those that are scored in their place. Whatever it returns, a
precision is at most 1, and predictions without any match score 0 (except under `laplace`).

Numbers are those of Chen and Cherry (2014), "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU".
NLTK's `SmoothingFunction` reads methods 4, 5 and 7 differently; what NLTK computes has names of its own here:

    4   the paper divides by K / ln(length) once more at each order without a match; NLTK by 2 at each, and by
        K / ln(length) once
    5   the paper averages numbers of matches; NLTK averages precisions, which may come out above 1
    7   is 4 and then 5, in either reading
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

# One number of a statistic, or float64 [...] with that of many rows: each function below is written once for both. A
# single row in Python's floats takes a tenth of the time that NumPy needs for arrays of one item.
Number = Any
Counts = Sequence[Number]  # by order

# From matches and totals, the predictions' length and `smooth_value` to other matches and totals. A method that looks
# beyond order N gets these orders as well; what it returns ends with N.
Smooth = Callable[[Counts, Counts, Number, float], tuple[Counts, Counts]]


def choose(flag: Number, yes: Number, no: Number) -> Number:
    """`yes` where the flag is set, `no` elsewhere.

    >>> choose(True, 1.0, 2.0), choose(np.array([True, False]), 1.0, 2.0)
    (1.0, array([1., 2.]))
    """
    if isinstance(flag, np.ndarray):
        return np.where(flag, yes, no)
    return yes if flag else no


def divide(dividend: Number, divisor: Number, flag: Number) -> Number:
    """The quotient where the flag is set, 0 elsewhere.

    >>> divide(1.0, 0.0, False), divide(np.array([1.0, 1.0]), np.array([2.0, 0.0]), np.array([True, False]))
    (0.0, array([0.5, 0. ]))
    """
    if isinstance(flag, np.ndarray):
        return np.divide(dividend, divisor, out=np.zeros(flag.shape), where=flag)
    return dividend / divisor if flag else 0.0


def has_ngrams(totals: Counts) -> list[Number]:
    """Which orders have any n-grams; an order has some only if all shorter ones do.

    >>> has_ngrams([2.0, 1.0, 0.0])
    [True, True, False]
    """
    flags = [totals[0] > 0]
    for total in totals[1:]:
        flags.append(flags[-1] & (total > 0))
    return flags


def divide_counts(matches: Counts, totals: Counts) -> list[Number]:
    """Precisions, 0 where there is no n-gram.

    >>> divide_counts([1.0, 0.0], [2.0, 0.0])
    [0.5, 0.0]
    """
    return [divide(match, total, flag) for match, total, flag in zip(matches, totals, has_ngrams(totals))]


def _none(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    return matches, totals


def _floor(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Method 1: a small number in the place of no match."""
    return [choose(flag, value, match) for flag, match in zip(_is_missing(matches, totals), matches)], totals


def _add_k(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Method 2: so many more matches and n-grams, except of unigrams (Lin and Och, 2004)."""
    return [matches[0], *(m + value for m in matches[1:])], [totals[0], *(t + value for t in totals[1:])]


def _laplace(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """One more match and n-gram at every order, as evaluate's `bleu` has it: something for no match at all."""
    return [m + 1 for m in matches], [t + 1 for t in totals]


def _exp(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Method 3: half a match where there is none, half of that at the next order without one (NIST's mteval)."""
    return _replace_missing(matches, totals, first=0.5, factor=0.5), totals


def _by_length(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Method 4: as method 3, with ln(length) / K in the place of one half."""
    share = np.log(np.maximum(length, 1)) / value
    return _replace_missing(matches, totals, first=share, factor=share), totals


def _average(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Method 5: the mean of an order's matches, the next one's, and what came out for the one before."""
    return _average_neighbours(matches), totals[:-1]


def _expect(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Method 6: from the third order on, mixed with what the two orders before let expect (Gao and He, 2013)."""
    matches, totals = list(matches), list(totals)
    precisions = divide_counts(matches, totals)
    for n in range(2, len(matches)):
        one, two = precisions[n - 1], precisions[n - 2]
        matches[n] = matches[n] + value * divide(one**2, two, two > 0)
        totals[n] = totals[n] + value
        precisions[n] = divide(matches[n], totals[n], totals[n] > 0)
    return matches, totals


def _average_by_length(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Method 7: 4, then 5."""
    return _average(*_by_length(matches, totals, length, value), length, value)


def _nltk_by_length(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    first = np.log(np.maximum(length, 1)) / value / 2
    return _replace_missing(matches, totals, first=first, factor=0.5), totals


def _nltk_average(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    return _average_neighbours(divide_counts(matches, totals)), [flag * 1.0 for flag in has_ngrams(totals)[:-1]]


def _nltk_average_by_length(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    smoothed, _ = _nltk_by_length(matches, totals, length, value)
    # NLTK doesn't smooth the order beyond the last
    return _nltk_average([*smoothed[:-1], matches[-1]], totals, length, value)


SMOOTHING: dict[str, Smooth] = {
    "none": _none,
    "floor": _floor,
    "add-k": _add_k,
    "exp": _exp,
    "laplace": _laplace,
    "chen-cherry-4": _by_length,
    "chen-cherry-5": _average,
    "chen-cherry-6": _expect,
    "chen-cherry-7": _average_by_length,
    "nltk-4": _nltk_by_length,
    "nltk-5": _nltk_average,
    "nltk-7": _nltk_average_by_length,
}


def _is_missing(matches: Counts, totals: Counts) -> list[Number]:
    return [flag & (match == 0) for flag, match in zip(has_ngrams(totals), matches)]


def _replace_missing(matches: Counts, totals: Counts, first: Number, factor: Number) -> list[Number]:
    """The matches, with `first` at the first order that has none, and so many times what it was at each further one."""
    replaced, share = [], first
    for flag, match in zip(_is_missing(matches, totals), matches):
        if flag is False:  # of a single row, and most often so
            replaced.append(match)
            continue
        replaced.append(choose(flag, share, match))
        share = choose(flag, share * factor, share)
    return replaced


def _average_neighbours(counts: Counts) -> list[Number]:
    """Of each order but the last: the mean of its count, the next one's, and the mean before it, m_1 + 1 at first."""
    before, averages = counts[0] + 1, []
    for count, after in pairwise(counts):
        before = (before + count + after) / 3
        averages.append(before)
    return averages
