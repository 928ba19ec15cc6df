"""Smoothing: what an order without a match, or with few, counts for. Named functions, and nothing else.

A method takes the counts of statistics rows and returns those that are scored in their place. Whatever it returns, no
precision is taken for more than 1, and predictions that match nowhere score nothing (but under `laplace`).

Numbers are those of Chen and Cherry (2014), "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU".
NLTK's `SmoothingFunction` reads methods 4, 5 and 7 differently; what NLTK computes has names of its own here:

    4   the paper divides by K / ln(length) once more at each order without a match; NLTK by 2 at each, and by
        K / ln(length) once
    5   the paper averages numbers of matches; NLTK averages precisions, which may come out above 1
    7   is 4 and then 5, in either reading
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

Counts = np.ndarray  # float64 [orders, ...]: what is done order by order is done to whole rows of memory
Smooth = Callable[[Counts, Counts, np.ndarray, float], tuple[Counts, Counts]]


class Method(NamedTuple):
    """How to smooth.

    smooth: from matches and totals, the predictions' lengths [...] and a value to other matches and totals.
    value: the default of `smooth_value`; None where a method takes none.
    further_orders: how many orders beyond N it looks at; what it returns ends with N.
    """

    smooth: Smooth
    value: float | None = None
    further_orders: int = 0


def present(totals: Counts) -> np.ndarray:
    """The orders that there are n-grams of, and of all shorter ones.

    >>> present(np.array([2.0, 1.0, 0.0]))
    array([ True,  True, False])
    """
    there = totals > 0
    for n in range(1, len(there)):  # twenty times as fast as `logical_and.accumulate`
        there[n] &= there[n - 1]
    return there


def ratio(matches: Counts, totals: Counts) -> Counts:
    """Precisions, 0 where there is no n-gram.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, 0. ])
    """
    return np.divide(matches, totals, out=np.zeros_like(totals), where=present(totals))


def _none(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    return matches, totals


def _floor(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """Method 1: a small number in the place of no match."""
    return np.where(_missed(matches, totals), value, matches), totals


def _add_k(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """Method 2: so many more matches and n-grams, except of unigrams (Lin and Och, 2004)."""
    matches, totals = matches.copy(), totals.copy()
    matches[1:] += value
    totals[1:] += value
    return matches, totals


def _laplace(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """One more match and n-gram at every order, as evaluate's `bleu` has it: something for no match at all."""
    return matches + 1, totals + 1


def _exp(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """Method 3: half a match where there is none, half of that at the next order without one (NIST's mteval)."""
    return _replaced(matches, totals, first=0.5, factor=0.5), totals


def _by_length(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """Method 4: as method 3, with ln(length) / K in the place of one half."""
    share = np.log(np.maximum(length, 1)) / value
    return _replaced(matches, totals, first=share, factor=share), totals


def _averaged(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """Method 5: the mean of an order's matches, the next one's, and what came out for the one before."""
    return _averages(matches), totals[:-1]


def _expected(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """Method 6: from the third order on, mixed with what the two orders before let expect (Gao and He, 2013)."""
    matches, totals = matches.copy(), totals.copy()
    precisions = ratio(matches, totals)
    for n in range(2, len(matches)):
        one, two = precisions[n - 1], precisions[n - 2]
        matches[n] += value * np.divide(one**2, two, out=np.zeros_like(one), where=two > 0)
        totals[n] += value
        precisions[n] = matches[n] / totals[n]
    return matches, totals


def _averaged_by_length(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    """Method 7: 4, then 5."""
    return _averaged(*_by_length(matches, totals, length, value), length, value)


def _nltk_by_length(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    first = np.log(np.maximum(length, 1)) / value / 2
    return _replaced(matches, totals, first=first, factor=0.5), totals


def _nltk_averaged(matches: Counts, totals: Counts, length: np.ndarray, value: float) -> tuple[Counts, Counts]:
    return _averages(ratio(matches, totals)), present(totals)[:-1].astype(float)


def _nltk_averaged_by_length(
    matches: Counts, totals: Counts, length: np.ndarray, value: float
) -> tuple[Counts, Counts]:
    smoothed, _ = _nltk_by_length(matches, totals, length, value)
    smoothed[-1] = matches[-1]  # NLTK doesn't smooth the order beyond the last
    return _nltk_averaged(smoothed, totals, length, value)


METHODS = {
    "none": Method(_none),
    "floor": Method(_floor, value=0.1),
    "add-k": Method(_add_k, value=1.0),
    "exp": Method(_exp),
    "laplace": Method(_laplace),
    "chen-cherry-4": Method(_by_length, value=5.0),
    "chen-cherry-5": Method(_averaged, further_orders=1),
    "chen-cherry-6": Method(_expected, value=5.0),
    "chen-cherry-7": Method(_averaged_by_length, value=5.0, further_orders=1),
    "nltk-4": Method(_nltk_by_length, value=5.0),
    "nltk-5": Method(_nltk_averaged, further_orders=1),
    "nltk-7": Method(_nltk_averaged_by_length, value=5.0, further_orders=1),
}


def _missed(matches: Counts, totals: Counts) -> np.ndarray:
    return present(totals) & (matches == 0)


def _replaced(matches: Counts, totals: Counts, first: np.ndarray | float, factor: np.ndarray | float) -> Counts:
    """The matches, with `first` at the first order that has none, and so many times what it was at each further one."""
    replaced, share = matches.copy(), first
    for n, missed in enumerate(_missed(matches, totals)):
        replaced[n] = np.where(missed, share, matches[n])
        share = np.where(missed, share * factor, share)
    return replaced


def _averages(counts: Counts) -> Counts:
    """Of each order but the last: the mean of its count, the next one's, and the mean before it, m_1 + 1 at first."""
    before, averages = counts[0] + 1, []
    for own, after in pairwise(counts):
        before = (before + own + after) / 3
        averages.append(before)
    return np.stack(averages)
