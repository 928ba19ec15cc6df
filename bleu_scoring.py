"""Statistics rows to scores: precisions, brevity penalty, weights; then smoothing.

Functions take int64 rows [..., 2 N + 2] (matches, totals, prediction length, reference length) of a
segment, a corpus or a thousand resampled corpora, and never change them. A single row becomes
Python floats, which are ten times faster than arrays of one item. Several rows become one array per
statistic. Every formula is written once for floats and arrays. Scores are on the scale 0-1; a
perfect prediction scores exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import add, or_
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from .bleu_corpus import Bool, Float64, Int64, Label, Layout
from .bleu_messages import Notice, count_things, show_value, warn
from .bleu_results import Scores, Wins

if TYPE_CHECKING:
    from .bleu_options import Options

Number = float | Float64  # of a single row, or float64 [...] with one value per row
Flag = bool | Bool  # of a single row, or bool [...] with one value per row
Counts = Sequence[Number]  # one per order
OrderWeights = tuple[float, ...] | None  # one per order; None for equal weights

NOISE = 1e-11  # scores that differ by less are equal; the order of additions alone causes it

_COCO_TINY = 1e-15  # pycocoevalcap adds it to matches and to the length of captions
_COCO_SMALL = 1e-9  # and this to totals and to the length of references


# --- Scores ---------------------------------------------------------------------------------------


class Precisions(NamedTuple):
    """The precision of each order and the brevity penalty, after smoothing.

    values: the precision of each order.
    present: a flag per order, set if the order has n-grams.
    brevity_penalty: the penalty of the predictions' length.
    """

    values: list[Number]
    present: list[Flag]
    brevity_penalty: Number


class Columns(NamedTuple):
    """The columns of statistics rows: floats, or float64 [...] each."""

    matches: Counts
    totals: Counts
    length: Number
    reference_length: Number


def bleu(rows: Int64, options: Options) -> Float64:
    """Return BLEU of each row (Papineni et al., 2002, section 2.3), on the scale 0-1.

    Args:
        rows: int64 [..., 2 N + 2].
        options: supplies `max_order`, `smooth_method`, `smooth_value`, `effective_order` and
            `weights`.

    Returns:
        float64 [...]; a float for a single row, of which `score_row` returns more.

    Three of four words match, and one of three bigrams: BLEU-2 is the root of 3/4 · 1/3.

    >>> row = np.array([3, 1, 0, 0, 4, 3, 2, 1, 4, 4])
    >>> print(f"{bleu(row, Options(max_order=2)):.4f}")
    0.5000
    """
    return cast(Float64, _score_columns(_split_rows(rows), options))


def bleu_by_weights(
    rows: Int64, options: Options, weights: Iterable[OrderWeights]
) -> dict[OrderWeights, Float64]:
    """Return BLEU of each row under several weights, which are smoothed only once.

    Args:
        rows: int64 [..., 2 N + 2].
        options: as for `bleu`.
        weights: one weight per order each; None for equal weights.

    >>> row = np.array([3, 1, 0, 0, 4, 3, 2, 1, 4, 4])
    >>> scores = bleu_by_weights(row, Options(max_order=2), [(1.0, 0.0), (0.0, 1.0)])
    >>> [round(float(score), 4) for score in scores.values()]
    [0.75, 0.3333]
    """
    smoothed = _smooth(_split_rows(rows), options)
    logarithms = [_log(value) for value in smoothed.values]
    scores: dict[OrderWeights, Float64] = {}
    for chosen in weights:
        weight_of = order_weights(smoothed.present, replace(options, weights=chosen))
        scores[chosen] = cast(Float64, _combine(weight_of, logarithms, smoothed.brevity_penalty))
    return scores


def bleu_of_columns(columns: Float64, options: Options) -> Float64:
    """Return BLEU of rows whose statistics are the first axis: float64 [2 N + 2, ...]."""
    return cast(Float64, _score_columns(_split_columns(list(columns)), options))


def _score_columns(columns: Columns, options: Options) -> Number:
    smoothed = _smooth(columns, options)
    logarithms = [_log(value) for value in smoothed.values]
    return _combine(order_weights(smoothed.present, options), logarithms, smoothed.brevity_penalty)


def score_row(row: Int64, options: Options, smoothed: Precisions | None = None) -> Scores:
    """Return the scores and counts of one corpus in plain Python types.

    Args:
        row: int64 [2 N + 2], the sum of the corpus's rows.
        options: as for `bleu`.
        smoothed: the result of `precisions`, if it is known.
    """
    numbers = row.tolist()
    *_, length, reference_length = numbers
    if smoothed is None:
        smoothed = _smooth(_split_columns(list(map(float, numbers))), options)
    penalty = float(smoothed.brevity_penalty)
    logarithms = [_log(value) for value in smoothed.values]
    by_order = [
        float(_combine(order_weights(smoothed.present, options, order), logarithms, penalty))
        for order in range(1, options.max_order + 1)
    ]
    score = by_order[-1]
    if options.weights is not None:
        score = float(_combine(order_weights(smoothed.present, options), logarithms, penalty))
    return {
        "bleu": score,
        "score": 100 * score,
        "precisions": [float(value) for value in smoothed.values],
        "brevity_penalty": penalty,
        "length_ratio": length / reference_length if reference_length else 0.0,
        "translation_length": length,
        "reference_length": reference_length,
        "counts": numbers[: options.max_order],
        "totals": numbers[len(numbers) // 2 - 1 :][: options.max_order],
        "bleu_by_order": by_order,
    }


def order_weights(
    present: Sequence[Flag], options: Options, orders: int | None = None
) -> list[Number]:
    """Return the weight w of each order in BP · exp(Σ w ln p).

    With effective order, the weight of orders without n-grams is distributed among the other
    orders, in proportion. All weights are 0 if no order with a weight has n-grams.

    Args:
        present: a flag per order, set if the order has n-grams.
        options: supplies `weights` and `effective_order`.
        orders: the number of orders that share equal weights; None for all N orders with
            `options.weights`.

    >>> order_weights([True, True, False, False], Options(effective_order=True))
    [0.5, 0.5, 0.0, 0.0]
    """
    if orders is None and options.weights is not None:
        weights: list[Number] = list(options.weights)
    else:
        equal_weights = orders or len(present)
        weights = [1 / equal_weights] * equal_weights
    if not options.effective_order:
        return weights
    used = [select(flag, weight, 0.0) for weight, flag in zip(weights, present)]
    remaining: Number = reduce(add, used)
    whole = sum(weights)
    return [divide(weight * whole, remaining, remaining > 0) for weight in used]


def precisions(rows: Int64, options: Options) -> Precisions:
    """Return the precision of each order after smoothing, on the scale 0-1."""
    return _smooth(_split_rows(rows), options)


def brevity_penalty(length: Number, reference_length: Number) -> Number:
    """Return 1 for predictions as long as their references, exp(1 - r/c) for shorter ones.

    Empty predictions get 0.

    Args:
        length: c, the length of the predictions.
        reference_length: r, the effective reference length.

    >>> print(f"{brevity_penalty(3.0, 4.0):.4f}")
    0.7165
    """
    is_short = length < reference_length
    has_tokens = length > 0
    ratio = divide(reference_length, length, is_short & has_tokens)
    return select(is_short, select(has_tokens, np.exp(1 - ratio), 0.0), 1.0)


_NO_TOKENS = Notice("zero", "{name} is 0: {predictions}")
_NO_REFERENCE_TOKENS = Notice("zero", "{name} is 0: the references are empty")
_NO_MATCH = Notice("zero", "{name} is 0: no token of the predictions occurs in the references")
_TOO_SHORT = Notice(
    "zero",
    "{name} is 0: every prediction is shorter than {tokens}, so there are no {order}-grams",
    " (effective_order=True scores only the n-grams that exist)",
    option="effective_order",
    value=True,
)
_TOO_SHORT_FOR_WEIGHTS = Notice(
    "zero",
    "{name} is 0: every prediction is shorter than {tokens}, the shortest n-gram with a weight",
    " (pass weights for shorter ones)",
)
_NO_LONG_MATCH = Notice(
    "zero",
    "{name} is 0: no {order}-gram of the predictions occurs in the references",
    " (smooth_method='exp' avoids this)",
    option="smooth_method",
    value="exp",
)
_ALMOST_ZERO = Notice(
    "zero",
    "{name} is close to 0: no {order}-gram of the predictions occurs in the references",
    " (`bleu_by_order` has the scores of shorter n-grams)",
)
_FAR_TOO_SHORT = Notice(
    "zero",
    "{name} is 0: the predictions are far too short ({length:,} against {tokens}),"
    " so the brevity penalty rounds to 0",
)


def warn_if_zero(
    score: float, row: Int64, segments: int | None, options: Options, name: str = "The score"
) -> None:
    """Warn if a score is 0, or would be 0 without tiny numbers, with the cause and the fix.

    Args:
        score: the score of the row.
        row: int64 [2 N + 2], the statistics row of the corpus.
        segments: the number of predictions; None if unknown.
        options: supplies `weights`, `max_order`, `smooth_method` and `effective_order`.
        name: the score, as the subject of the message.
    """
    if not _is_zero(score, row, options):
        return
    layout = Layout.of_width(len(row))
    matches = row[layout.matches]
    totals = row[layout.totals]
    length = int(row[layout.length])
    reference_length = int(row[layout.reference_length])
    weights = options.weights or (1.0,) * options.max_order
    orders = [order for order, weight in enumerate(weights, 1) if weight]
    shortest = orders[0]
    longest = orders[-1]
    unmatched = [order for order in orders if totals[order - 1] and not matches[order - 1]]
    if not length:
        empty = count_things(segments, "empty prediction") if segments else ""
        warn(_NO_TOKENS, name=name, predictions=empty or "the predictions are empty")
    elif SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        first = next((order for order in orders if not matches[order - 1]), longest)
        warn(_ALMOST_ZERO, name=name, order=first)
    elif not reference_length:
        warn(_NO_REFERENCE_TOKENS, name=name)
    elif not matches[0]:
        warn(_NO_MATCH, name=name)
    elif not totals[longest - 1] and not options.effective_order:
        warn(_TOO_SHORT, name=name, tokens=count_things(longest, "token"), order=longest)
    elif not totals[shortest - 1] and options.effective_order:
        warn(_TOO_SHORT_FOR_WEIGHTS, name=name, tokens=count_things(shortest, "token"))
    elif unmatched:
        warn(_NO_LONG_MATCH, name=name, order=unmatched[0])
    else:
        tokens = count_things(reference_length, "token")
        warn(_FAR_TOO_SHORT, name=name, length=length, tokens=tokens)


def _is_zero(score: float, row: Int64, options: Options) -> bool:
    """Return True if a score is 0, or if only the tiny numbers of `coco` keep it above 0."""
    if score == 0:
        return True
    if not SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        return False
    weights = options.weights or (1.0,) * options.max_order
    matches = row[Layout.of_width(len(row)).matches].tolist()
    return any(weight and not count for weight, count in zip(weights, matches))


def warn_about_zeros(
    rows: Int64,
    options: Options,
    name: str,
    groups: Mapping[Label, Int64],
    *,
    has_segments: bool = True,
) -> None:
    """Warn if the score of a system is 0, in all or in a group.

    Args:
        rows: int64 [segments, 2 N + 2].
        options: as for `warn_if_zero`.
        name: the score of the system, as the subject of the message.
        groups: the segments of each label.
        has_segments: True if each row is that of one segment.
    """
    segments_of: dict[str, Int64 | slice] = {name: slice(None)}
    segments_of |= {f"{name} in group {show_value(label)}": groups[label] for label in groups}
    for subject, of_subject in segments_of.items():
        part = rows[of_subject]
        total = part.sum(axis=0)
        score = float(bleu(total, options))
        warn_if_zero(score, total, len(part) if has_segments else None, options, subject)


def count_wins(deltas: Float64) -> Wins:
    """Count wins, ties and losses; differences below rounding error are ties.

    Args:
        deltas: float64 [segments], the score of a system minus the score of the other system.

    >>> count_wins(np.array([0.5, 0.0, 1e-17, -0.25]))
    {'wins': 1, 'ties': 2, 'losses': 1}
    """
    wins = int((deltas > NOISE).sum())
    losses = int((deltas < -NOISE).sum())
    return {"wins": wins, "ties": len(deltas) - wins - losses, "losses": losses}


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


def _split_rows(rows: Int64) -> Columns:
    rows = np.asarray(rows)
    if rows.ndim == 1:
        return _split_columns(rows.astype(float).tolist())
    return _split_columns(list(np.moveaxis(rows, -1, 0).astype(float, order="C")))


def _split_columns(columns: Counts) -> Columns:
    """Name the columns of statistics rows, 2 N + 2 floats or arrays."""
    orders = len(columns) // 2 - 1
    return Columns(columns[:orders], columns[orders:-2], columns[-2], columns[-1])


def _smooth(columns: Columns, options: Options) -> Precisions:
    method = SMOOTH_METHODS[options.smooth_method]
    # 1. Smooth. The rows may have more orders than the score and the method need.
    orders = options.counted_orders
    counted = Columns(
        columns.matches[:orders], columns.totals[:orders], columns.length, columns.reference_length
    )
    smoothed = method.smooth(counted, options.smooth_value_in_effect or 0.0)
    # 2. Divide. A precision is at most 1, and 0 if there are no n-grams.
    present = has_ngrams(smoothed.totals)
    quotients = map(divide, smoothed.matches, smoothed.totals, present)
    values = [select(quotient > 1, 1.0, quotient) for quotient in quotients]
    # 3. Leave out orders without a match, if the method does: a factor of 1 changes no product.
    #    `present` then means "has a match", so that with effective order the order has no weight.
    if method.skips:
        present = [match > 0 for match in smoothed.matches]
        values = [select(flag, value, 1.0) for flag, value in zip(present, values)]
    # 4. Smoothing applies to orders without a match, not to predictions without any match
    #    (mjpost/sacrebleu issue 141). A single row gives Python's True, which needs no work.
    has_match: Flag = reduce(or_, [match > 0 for match in columns.matches[: options.max_order]])
    if not method.scores_no_match and has_match is not True:
        values = [select(has_match, value, 0.0) for value in values]
    return Precisions(values, present, brevity_penalty(smoothed.length, smoothed.reference_length))


def _combine(weights: Sequence[Number], logarithms: Sequence[Number], penalty: Number) -> Number:
    """Return BP · exp(Σ w ln p), 0 if no order has a weight."""
    if isinstance(penalty, np.ndarray):
        return _combine_columns(weights, logarithms, penalty)
    total: Number = 0.0
    has_weight = False
    for weight, logarithm in zip(weights, logarithms):
        if weight > 0:  # skip zero weights, because 0 · -inf is nan
            total = total + weight * logarithm
            has_weight = True
    return float(penalty * np.exp(total)) if has_weight else 0.0


def _combine_columns(
    weights: Sequence[Number], logarithms: Sequence[Number], penalties: Float64
) -> Float64:
    """Do the work of `_combine` for many rows at once."""
    total: Number = 0.0
    has_weight: Flag = False
    for weight, logarithm in zip(weights, logarithms):
        flag = weight > 0
        has_weight = has_weight | flag
        if isinstance(flag, np.ndarray):
            total = total + np.multiply(weight, logarithm, out=np.zeros(flag.shape), where=flag)
        elif flag:
            total = total + weight * logarithm
    return cast(Float64, select(has_weight, penalties * np.exp(total), 0.0))


def _log(value: Number) -> Number:
    if isinstance(value, np.ndarray):
        with np.errstate(divide="ignore"):
            return np.log(value)
    return float(np.log(value)) if value > 0 else -math.inf


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
