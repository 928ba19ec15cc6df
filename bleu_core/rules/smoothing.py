"""The smoothing methods, each a function over the columns of statistics rows.

`scores.py` applies the record of the chosen method. To add one, write a function and a record in
`SMOOTH_METHODS`. A function takes floats, or arrays with one value per row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..shared.arrays import Bool, Float64

Number = float | Float64  # of a single row, or float64 [...] with one value per row
Flag = bool | Bool  # of a single row, or bool [...] with one value per row
Counts = Sequence[Number]  # one per order


class Columns(NamedTuple):
    """The columns of statistics rows: floats, or float64 [...] each."""

    matches: Counts
    totals: Counts
    length: Number
    reference_length: Number


def select(flag: Flag, yes: Number, no: Number) -> Number:
    """Return `yes` if the flag is set and `no` if not, for each row.

    >>> select(True, 1.0, 2.0), select(np.array([True, False]), 1.0, 2.0)
    (1.0, array([1., 2.]))
    """
    if not isinstance(flag, np.ndarray):
        return yes if flag else no
    all_set = flag.all()
    if flag.any() == all_set:  # all or none: the usual case; to look takes a tenth of the time
        value = yes if all_set else no
        return value if np.shape(value) == flag.shape else np.full(flag.shape, value)
    return np.where(flag, yes, no)


def divide(dividend: Number, divisor: Number, flag: Flag) -> Number:
    """Return the quotient if the flag is set and 0 if not, for each row.

    >>> divide(1.0, 0.0, False)
    0.0
    >>> divide(np.array([1.0, 1.0]), np.array([2.0, 0.0]), np.array([True, False]))
    array([0.5, 0. ])
    """
    if not isinstance(flag, np.ndarray):
        return dividend / divisor if flag else 0.0
    if flag.all():  # a masked division takes several times as long
        return dividend / divisor
    return np.divide(dividend, divisor, out=np.zeros(flag.shape), where=flag)


def has_ngrams(totals: Counts) -> list[Flag]:
    """Flag the orders that have n-grams; an order has n-grams only if all shorter orders do.

    >>> has_ngrams([2.0, 1.0, 0.0])
    [True, True, False]
    """
    flags: list[Flag] = [totals[0] > 0]
    for total in totals[1:]:
        flags.append(flags[-1] & (total > 0))
    return flags


# --- Smoothing ------------------------------------------------------------------------------------
#
# A method maps columns and `smooth_value` to smoothed columns, and never changes its arguments. A
# method with further orders receives more than N orders and returns N.
#
# Methods are numbered as in Chen and Cherry (2014), "A Systematic Comparison of Smoothing
# Techniques for Sentence-Level BLEU". NLTK's `SmoothingFunction` computes three methods
# differently; those have names of their own:
#     4   the paper divides by K / ln(length) again at each order without a match; NLTK divides by
#         it once, and by 2 at each order without a match
#     5   the paper averages numbers of matches; NLTK averages precisions, and a result can exceed 1
#     7   is method 4 followed by method 5, in the paper and in NLTK


def _none(columns: Columns, value: float) -> Columns:
    return columns


def _floor(columns: Columns, value: float) -> Columns:
    """Replace 0 matches with a small number (method 1)."""
    return _replace_missing(columns, first=value, factor=1)


def _add_k(columns: Columns, value: float) -> Columns:
    """Add a constant to matches and totals of all orders but the first (method 2).

    The method is from Lin and Och (2004).
    """
    first_match, *matches = columns.matches
    first_total, *totals = columns.totals
    return columns._replace(
        matches=[first_match, *(match + value for match in matches)],
        totals=[first_total, *(total + value for total in totals)],
    )


def _laplace(columns: Columns, value: float) -> Columns:
    """Add 1 to matches and totals of every order, as evaluate's `bleu` does with `smooth=True`."""
    return columns._replace(
        matches=[match + 1 for match in columns.matches],
        totals=[total + 1 for total in columns.totals],
    )


_COCO_TINY = 1e-15  # pycocoevalcap adds it to matches and to the length of captions
_COCO_SMALL = 1e-9  # and this to totals and to the length of references


def _coco(columns: Columns, value: float) -> Columns:
    """Add 1e-15 to matches and to the length, and 1e-9 to all others, as pycocoevalcap does."""
    return Columns(
        matches=[match + _COCO_TINY for match in columns.matches],
        totals=[total + _COCO_SMALL for total in columns.totals],
        length=columns.length + _COCO_TINY,
        reference_length=columns.reference_length + _COCO_SMALL,
    )


def _exp(columns: Columns, value: float) -> Columns:
    """Count 1/2 match at the first order without a match, 1/4 at the second, and so on (method 3).

    NIST's mteval does the same.
    """
    return _replace_missing(columns, first=0.5, factor=0.5)


def _by_length(columns: Columns, value: float) -> Columns:
    """Replace 0 matches as method 3 does, with ln(length) / K instead of 1/2 (method 4)."""
    share = np.log(np.maximum(columns.length, 1)) / value
    return _replace_missing(columns, first=share, factor=share)


def _average(columns: Columns, value: float) -> Columns:
    """Average the matches of an order, of the next order, and the average before (method 5)."""
    return columns._replace(matches=_average_neighbors(columns.matches), totals=columns.totals[:-1])


def _expect(columns: Columns, value: float) -> Columns:
    """Add, from the third order on, the matches that the two orders before predict (method 6).

    The method is from Gao and He (2013).
    """
    matches = list(columns.matches)
    totals = list(columns.totals)
    ratios = _divide_all(columns)
    for n in range(2, len(matches)):
        before = ratios[n - 1]
        before_that = ratios[n - 2]
        expected = divide(before**2, before_that, before_that > 0)
        matches[n] = matches[n] + value * expected
        totals[n] = totals[n] + value
        ratios[n] = divide(matches[n], totals[n], totals[n] > 0)
    return columns._replace(matches=matches, totals=totals)


def _average_by_length(columns: Columns, value: float) -> Columns:
    """Apply method 4, then method 5 (method 7)."""
    return _average(_by_length(columns, value), value)


def _nltk_by_length(columns: Columns, value: float) -> Columns:
    first = np.log(np.maximum(columns.length, 1)) / value / 2
    return _replace_missing(columns, first=first, factor=0.5)


def _nltk_average(columns: Columns, value: float) -> Columns:
    *has_order, _ = has_ngrams(columns.totals)
    return columns._replace(
        matches=_average_neighbors(_divide_all(columns)),
        totals=[select(flag, 1.0, 0.0) for flag in has_order],
    )


def _nltk_average_by_length(columns: Columns, value: float) -> Columns:
    smoothed = _nltk_by_length(columns, value)
    *matches, _ = smoothed.matches
    beyond = columns.matches[-1]  # NLTK does not smooth the order beyond N
    return _nltk_average(smoothed._replace(matches=[*matches, beyond]), value)


class SmoothMethod(NamedTuple):
    """A smoothing method.

    smooth: the function.
    says: its description, as the end of a sentence.
    value: the default of `smooth_value`; None if the method takes no value.
    divides: True if it divides by the value, which then must not be 0.
    further_orders: the number of orders beyond N that it needs.
    scores_no_match: True if predictions without any match score above 0.
    skips: True if orders without a match are left out of the product.
    smooths_lengths: True if the lengths are smoothed like matches and totals, by tiny numbers.
    """

    smooth: Callable[[Columns, float], Columns]
    says: str
    value: float | None = None
    divides: bool = False
    further_orders: int = 0
    scores_no_match: bool = False
    skips: bool = False
    smooths_lengths: bool = False


SMOOTH_METHODS: dict[str, SmoothMethod] = {
    "none": SmoothMethod(_none, "orders without a match are not smoothed"),
    "skip": SmoothMethod(_none, "orders without a match are left out", skips=True),
    "floor": SmoothMethod(_floor, "orders without a match count a small number (floor)", 0.1),
    "add-k": SmoothMethod(
        _add_k, "a constant is added to matches and totals of the longer n-grams (add-k)", 1.0
    ),
    "exp": SmoothMethod(_exp, "orders without a match are smoothed as in sacreBLEU"),
    "laplace": SmoothMethod(
        _laplace, "1 is added to matches and totals of all orders (laplace)", scores_no_match=True
    ),
    "coco": SmoothMethod(
        _coco,
        "tiny numbers are added to matches, totals and lengths, as in pycocoevalcap (coco)",
        scores_no_match=True,
        smooths_lengths=True,
    ),
    "chen-cherry-4": SmoothMethod(
        _by_length, "orders without a match are smoothed by length", 5.0, divides=True
    ),
    "chen-cherry-5": SmoothMethod(
        _average, "matches of neighboring orders are averaged", further_orders=1
    ),
    "chen-cherry-6": SmoothMethod(
        _expect, "shorter n-grams predict the matches of longer ones", 5.0
    ),
    "chen-cherry-7": SmoothMethod(
        _average_by_length,
        "orders are smoothed by length, then averaged",
        5.0,
        divides=True,
        further_orders=1,
    ),
    "nltk-4": SmoothMethod(
        _nltk_by_length, "orders are smoothed as by NLTK’s method4", 5.0, divides=True
    ),
    "nltk-5": SmoothMethod(
        _nltk_average, "orders are smoothed as by NLTK’s method5", further_orders=1
    ),
    "nltk-7": SmoothMethod(
        _nltk_average_by_length,
        "orders are smoothed as by NLTK’s method7",
        5.0,
        divides=True,
        further_orders=1,
    ),
}


def _divide_all(columns: Columns) -> list[Number]:
    """Return the precision of each order, without smoothing."""
    return list(map(divide, columns.matches, columns.totals, has_ngrams(columns.totals)))


def _replace_missing(columns: Columns, first: Number, factor: Number) -> Columns:
    """Replace 0 matches with `first`, and at each further order with `factor` times the last."""
    matches = []
    share = first
    for present, match in zip(has_ngrams(columns.totals), columns.matches):
        is_missing = present & (match == 0)
        any_missing = is_missing.any() if isinstance(is_missing, np.ndarray) else is_missing
        if not any_missing:  # fast path
            matches.append(match)
            continue
        matches.append(select(is_missing, share, match))
        share = select(is_missing, share * factor, share)
    return columns._replace(matches=matches)


def _average_neighbors(counts: Counts) -> list[Number]:
    """Return, per order but the last, the mean of its count, the next count, and the mean before.

    The mean before the first order is its count + 1.
    """
    averages = []
    before = counts[0] + 1
    for count, after in pairwise(counts):
        before = (before + count + after) / 3
        averages.append(before)
    return averages
