"""Statistics rows to scores: precisions, brevity penalty, weights; then smoothing; then resampling.

Functions take int64 rows [..., 2 N + 2] (matches, totals, prediction length, reference length) of a
segment, a corpus or a thousand resampled corpora, and never change them. A single row becomes
Python floats, which are ten times faster than arrays of one item. Several rows become one array per
statistic. Every formula is written once for floats and arrays. Scores are on the scale 0-1; a
perfect prediction scores exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from hashlib import sha256
from itertools import islice, pairwise
from operator import add, or_
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

import numpy as np
from datasets.utils import tqdm

from . import bleu_messages as messages
from .bleu_corpus import PROCESSORS, Bool, Float64, Int64, Layout
from .bleu_messages import count_things, warn

if TYPE_CHECKING:
    from .bleu_options import Options

Number = float | Float64  # of a single row, or float64 [...] with one value per row
Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]  # float32 or float64
Flag = bool | Bool  # of a single row, or bool [...] with one value per row
Counts = Sequence[Number]  # one per order

MIN_UNITS = 30  # segments or documents, for intervals and tests
NOISE = 1e-11  # scores that differ by less are equal; the order of additions alone causes it

_COCO_TINY = 1e-15  # pycocoevalcap adds it to matches and to the length of captions
_COCO_SMALL = 1e-9  # and this to totals and to the length of references
_NUMBERS_PER_BLOCK = 1 << 22  # draws in memory, 32 MB, however many resamples there are
_ROWS_PER_SCORE = 1 << 15  # of pairs and trials that are scored together
_MOST_NUMBERED_UNITS = 15  # (15 + 1)^15 fits int64
_RESAMPLES_PER_PRODUCT = 32  # rows of one matrix product
_MULTIPLICATIONS_PER_PRODUCT = 1 << 19  # OpenBLAS starts threads above this
_FEWEST_RESAMPLES_FOR_ERRORS = 100  # the relative error of a standard error is then 7%
_EXACT_IN_FLOAT32 = 1 << 24  # integers up to here are exact in float32


# --- Scores ---------------------------------------------------------------------------------------


class Scores(TypedDict):
    """The scores and counts of one statistics row, as `compute` returns them."""

    bleu: float
    score: float
    precisions: list[float]
    brevity_penalty: float
    length_ratio: float
    translation_length: int
    reference_length: int
    counts: list[int]
    totals: list[int]
    bleu_by_order: list[float]


class Precisions(NamedTuple):
    """The precision of each order after smoothing, and flags for the orders that have n-grams."""

    values: list[Number]
    present: list[Flag]


class _Columns(NamedTuple):
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
    return cast(Float64, _score(_split_rows(rows), options))


def _score(columns: _Columns, options: Options) -> Number:
    smoothed = _smooth(columns, options)
    weights = order_weights(smoothed.present, options)
    logarithms = [_log(value) for value in smoothed.values]
    lengths = _smooth_lengths(columns.length, columns.reference_length, options)
    return _combine(weights, logarithms, brevity_penalty(*lengths))


def score_row(row: Int64, options: Options, smoothed: Precisions | None = None) -> Scores:
    """Return the scores and counts of one corpus in plain Python types.

    Args:
        row: int64 [2 N + 2], the sum of the corpus's rows.
        options: as for `bleu`.
        smoothed: the result of `precisions`, if it is known.
    """
    layout = Layout.of_width(len(row))
    numbers = row.tolist()
    length = numbers[layout.length]
    reference_length = numbers[layout.reference_length]
    if smoothed is None:
        smoothed = precisions(row, options)
    penalty = float(brevity_penalty(*_smooth_lengths(length, reference_length, options)))
    logarithms = [_log(value) for value in smoothed.values]
    by_order = []
    for order in range(1, options.max_order + 1):
        weights = order_weights(smoothed.present, options, order)
        by_order.append(float(_combine(weights, logarithms, penalty)))
    score = by_order[-1]
    if options.weights is not None:
        weights = order_weights(smoothed.present, options)
        score = float(_combine(weights, logarithms, penalty))
    return {
        "bleu": score,
        "score": 100 * score,
        "precisions": [float(value) for value in smoothed.values],
        "brevity_penalty": penalty,
        "length_ratio": length / reference_length if reference_length else 0.0,
        "translation_length": length,
        "reference_length": reference_length,
        "counts": numbers[layout.matches][: options.max_order],
        "totals": numbers[layout.totals][: options.max_order],
        "bleu_by_order": by_order,
    }


def score_as_sacrebleu(scores: Scores, options: Options) -> dict[str, object]:
    """Return score, precisions (0-100) and brevity penalty, rounded to the last bit as sacreBLEU.

    sacreBLEU takes logarithms of percentages and divides their sum, where `score_row` multiplies by
    weights.
    """
    method = SMOOTH_METHODS[options.smooth_method]
    is_foreign = method.further_orders > 0 or method.smooths_lengths
    if options.weights is not None or is_foreign:  # sacreBLEU has none of these
        return {"precisions": [100 * value for value in scores["precisions"]]}
    length = scores["translation_length"]
    reference_length = scores["reference_length"]
    row = np.array([*scores["counts"], *scores["totals"], length, reference_length])
    smoothed = _smooth(_split_rows(row), options, scale=100.0)
    orders = options.max_order
    if options.effective_order:
        orders = sum(map(bool, smoothed.present)) or options.max_order
    penalty = scores["brevity_penalty"]
    if 0 < length < reference_length:
        penalty = math.exp(1 - reference_length / length)
    logarithms = [
        math.log(value) if value > 0 else -math.inf
        for value in map(float, smoothed.values[:orders])
    ]
    return {
        "score": penalty * math.exp(sum(logarithms) / orders),
        "precisions": smoothed.values,
        "brevity_penalty": penalty,
    }


def score_as_bleu(scores: Scores, options: Options) -> dict[str, object]:
    """Return score and brevity penalty, rounded as in evaluate's `bleu` to the last bit.

    >>> options = Options(max_order=2)
    >>> score_as_bleu(score_row(np.array([2, 1, 3, 2, 3, 4]), options), options)
    {'bleu': 0.41368954504257255, 'brevity_penalty': 0.7165313105737893}
    """
    ratio = scores["length_ratio"]
    if options.weights is not None or not ratio or min(scores["precisions"]) <= 0:
        return {}
    if SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        return {}
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
    logarithms = (1 / options.max_order * math.log(value) for value in scores["precisions"])
    return {"bleu": math.exp(sum(logarithms)) * penalty, "brevity_penalty": penalty}


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


def is_zero(score: float, counts: Sequence[int], options: Options) -> bool:
    """Return True if a score is 0, or if only the tiny numbers of `coco` keep it above 0."""
    if score == 0:
        return True
    if not SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        return False
    weights = options.weights or (1.0,) * options.max_order
    return any(weight and not count for weight, count in zip(weights, counts))


def warn_about_zero(
    row: Int64, segments: int | None, options: Options, name: str = "The score"
) -> None:
    """Warn that a score is 0, or would be 0 without tiny numbers, with the cause and the fix.

    Args:
        row: int64 [2 N + 2], the statistics row of the corpus.
        segments: the number of predictions; None if unknown.
        options: supplies `weights`, `max_order` and `effective_order`.
        name: the score, as the subject of the message.
    """
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
        predictions = "the predictions are empty"
        if segments:
            predictions = count_things(segments, "empty prediction")
        warn(messages.NO_TOKENS, name=name, predictions=predictions)
    elif SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        first = next((order for order in orders if not matches[order - 1]), longest)
        warn(messages.ALMOST_ZERO, name=name, order=first)
    elif not reference_length:
        warn(messages.NO_REFERENCE_TOKENS, name=name)
    elif not matches[0]:
        warn(messages.NO_MATCH, name=name)
    elif not totals[longest - 1] and not options.effective_order:
        tokens = count_things(longest, "token")
        warn(messages.TOO_SHORT, name=name, tokens=tokens, order=longest)
    elif not totals[shortest - 1] and options.effective_order:
        warn(messages.TOO_SHORT_FOR_WEIGHTS, name=name, tokens=count_things(shortest, "token"))
    elif unmatched:
        warn(messages.NO_LONG_MATCH, name=name, order=unmatched[0])
    else:
        tokens = count_things(reference_length, "token")
        warn(messages.FAR_TOO_SHORT, name=name, length=length, tokens=tokens)


class Wins(TypedDict):
    """The numbers of segments in which a system scores higher than another, equally, and lower."""

    wins: int
    ties: int
    losses: int


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
    any_set = flag.any()
    all_set = flag.all()
    if any_set == all_set:  # all or none: the usual case; to look takes a tenth of the time
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


def _split_rows(rows: Int64) -> _Columns:
    rows = np.asarray(rows)
    if rows.ndim == 1:
        return _split(rows.astype(float).tolist())
    return _split(list(np.moveaxis(rows, -1, 0).astype(float, order="C")))


def _split(columns: Counts) -> _Columns:
    """Name the columns of statistics rows, 2 N + 2 floats or arrays."""
    layout = Layout.of_width(len(columns))
    return _Columns(
        matches=columns[layout.matches],
        totals=columns[layout.totals],
        length=columns[layout.length],
        reference_length=columns[layout.reference_length],
    )


def _smooth(columns: _Columns, options: Options, scale: float = 1.0) -> Precisions:
    """Return precisions on the scale 0-1, or from 0 to `scale`."""
    method = SMOOTH_METHODS[options.smooth_method]
    # 1. Smooth the counts. The rows may have more orders than the score and the method need.
    orders = options.counted_orders
    value = options.smooth_value_in_effect or 0.0
    matches, totals = method.smooth(
        columns.matches[:orders], columns.totals[:orders], columns.length, value
    )
    # 2. Divide. A precision is at most 1, and 0 if there are no n-grams.
    present = has_ngrams(totals)
    if scale != 1:
        matches = [scale * match for match in matches]
    quotients = map(divide, matches, totals, present)
    values = [select(quotient > scale, scale, quotient) for quotient in quotients]
    # 3. Leave out orders without a match, if the method does: a factor of 1 changes no product.
    #    `present` then means "has a match", so that with effective order the order has no weight.
    if method.skips:
        present = [match > 0 for match in matches]
        values = [select(flag, value, scale) for flag, value in zip(present, values)]
    # 4. Smoothing applies to orders without a match, not to predictions without any match
    #    (mjpost/sacrebleu issue 141). A single row gives Python's True, which needs no work.
    has_match: Flag = reduce(or_, [match > 0 for match in columns.matches[: options.max_order]])
    if not method.scores_no_match and has_match is not True:
        values = [select(has_match, value, 0.0) for value in values]
    return Precisions(values, present)


def _smooth_lengths(
    length: Number, reference_length: Number, options: Options
) -> tuple[Number, Number]:
    """Return the lengths that set the brevity penalty."""
    if SMOOTH_METHODS[options.smooth_method].smooths_lengths:
        return length + _COCO_TINY, reference_length + _COCO_SMALL
    return length, reference_length


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
# A method maps matches, totals, the predictions' length and `smooth_value` to new matches and
# totals, and never changes its arguments. A method with further orders receives more than N orders
# and returns N.
#
# Methods are numbered as in Chen and Cherry (2014), "A Systematic Comparison of Smoothing
# Techniques for Sentence-Level BLEU". NLTK's `SmoothingFunction` computes three methods
#     differently; those have separate names: 4   the paper divides by K / ln(length) again at each
#         order without a match; NLTK divides by it once, and by 2 at each order without a match
#     5   the paper averages numbers of matches; NLTK averages precisions, and a result can exceed 1
#     7   is method 4 followed by method 5, in the paper and in NLTK

Smooth = Callable[[Counts, Counts, Number, float], tuple[Counts, Counts]]


def _none(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    return matches, totals


def _floor(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Replace 0 matches with a small number (method 1)."""
    return _replace_missing(matches, totals, first=value, factor=1), totals


def _add_k(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Add a constant to matches and totals of all orders but the first (method 2).

    The method is from Lin and Och (2004).
    """
    more_matches = [match + value for match in matches[1:]]
    more_totals = [total + value for total in totals[1:]]
    return [matches[0], *more_matches], [totals[0], *more_totals]


def _laplace(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    """Add 1 to matches and totals of every order, as evaluate's `bleu` does with `smooth=True`."""
    return [m + 1 for m in matches], [t + 1 for t in totals]


def _coco(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Add 1e-15 to matches and 1e-9 to totals of every order, as pycocoevalcap does."""
    return [m + _COCO_TINY for m in matches], [t + _COCO_SMALL for t in totals]


def _exp(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Count 1/2 match at the first order without a match, 1/4 at the second, and so on (method 3).

    NIST's mteval does the same.
    """
    return _replace_missing(matches, totals, first=0.5, factor=0.5), totals


def _by_length(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    """Replace 0 matches as method 3 does, with ln(length) / K in place of 1/2 (method 4)."""
    share = np.log(np.maximum(length, 1)) / value
    return _replace_missing(matches, totals, first=share, factor=share), totals


def _average(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    """Average the matches of an order, of the next order, and the average before (method 5)."""
    return _average_neighbors(matches), totals[:-1]


def _expect(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Add, from the third order on, the matches that the two orders before predict (method 6).

    The method is from Gao and He (2013).
    """
    new_matches = list(matches)
    new_totals = list(totals)
    ratios = _divide_all(matches, totals)
    for n in range(2, len(matches)):
        before = ratios[n - 1]
        before_that = ratios[n - 2]
        expected = divide(before**2, before_that, before_that > 0)
        new_matches[n] = matches[n] + value * expected
        new_totals[n] = totals[n] + value
        ratios[n] = divide(new_matches[n], new_totals[n], new_totals[n] > 0)
    return new_matches, new_totals


def _average_by_length(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    """Apply method 4, then method 5 (method 7)."""
    smoothed_matches, _ = _by_length(matches, totals, length, value)
    return _average(smoothed_matches, totals, length, value)


def _nltk_by_length(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    first = np.log(np.maximum(length, 1)) / value / 2
    return _replace_missing(matches, totals, first=first, factor=0.5), totals


def _nltk_average(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    precisions = _average_neighbors(_divide_all(matches, totals))
    *has_order, _ = has_ngrams(totals)
    return precisions, [select(flag, 1.0, 0.0) for flag in has_order]


def _nltk_average_by_length(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    smoothed, _ = _nltk_by_length(matches, totals, length, value)
    *orders, _ = smoothed
    beyond = matches[-1]  # NLTK does not smooth the order beyond N
    return _nltk_average([*orders, beyond], totals, length, value)


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

    smooth: Smooth
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


def _divide_all(matches: Counts, totals: Counts) -> list[Number]:
    return [
        divide(match, total, flag)
        for match, total, flag in zip(matches, totals, has_ngrams(totals))
    ]


def _replace_missing(
    matches: Counts, totals: Counts, first: Number, factor: Number
) -> list[Number]:
    """Replace 0 matches with `first`, and at each further order with `factor` times the last."""
    replaced = []
    share = first
    for present, match in zip(has_ngrams(totals), matches):
        is_missing = present & (match == 0)
        any_missing = is_missing.any() if isinstance(is_missing, np.ndarray) else is_missing
        if not any_missing:  # fast path
            replaced.append(match)
            continue
        replaced.append(select(is_missing, share, match))
        share = select(is_missing, share * factor, share)
    return replaced


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


# --- Resampling -----------------------------------------------------------------------------------
#
# For the same seed and count, the draws equal those of sacreBLEU 2.6; the global generator is not
# touched. A resample is stored as the number of times that each segment was drawn. Its statistics
# are then a matrix product with the rows, in constant memory. Sums of integers in float64 are exact
# up to 2^53.


def bootstrap_scores(
    rows: Int64, options: Options, n_resamples: int, present: Bool | None = None
) -> Float64:
    """Return BLEU of systems on corpora drawn with replacement from the segments (Koehn, 2004).

    The draws depend on `options.seed` and the number of segments, and are the same for all systems.

    Args:
        rows: int64 [systems, segments, 2 N + 2], of segments or documents.
        options: as for `bleu`, and `seed`.
        n_resamples: the number of drawn corpora.
        present: a flag per segment or document: whether it belongs to the group of the rows, which
            are 0 for all others; None if all belong to it. A corpus without any gets the observed
            score.

    Returns:
        float64 [n_resamples, systems].

    >>> rows = np.array([[[1, 1, 1, 1], [0, 1, 1, 1]]])
    >>> bootstrap_scores(rows, Options(max_order=1, seed=0), 5).tolist()
    [[0.0], [0.5], [1.0], [1.0], [0.5]]
    """
    systems, segments, width = rows.shape
    generator = np.random.default_rng(options.seed)
    weights = _to_floats(np.concatenate(list(rows), axis=1))
    sums = np.empty((n_resamples, systems * width))
    is_missing = np.zeros(n_resamples, bool)
    repeats = _repeats_draws(segments, n_resamples)
    keys = np.zeros(n_resamples, np.int64)
    # So few resamples at once mostly fit the processor's cache.
    size = max(1, min(_RESAMPLES_PER_PRODUCT, _NUMBERS_PER_BLOCK // segments))
    for block in _blocks("Bootstrap", n_resamples, size):
        drawn = generator.integers(segments, size=(block.stop - block.start, segments))
        times = np.array([np.bincount(indices, minlength=segments) for indices in drawn])
        sums[block] = _multiply(times, weights)
        if present is not None:
            is_missing[block] = times[:, present].sum(axis=1) == 0
        if repeats:
            keys[block] = times @ (segments + 1) ** np.arange(segments)
    if present is not None:
        sums[is_missing] = rows.sum(axis=1).ravel()
    samples = sums.reshape(n_resamples, systems, width).astype(np.int64)
    if not repeats:
        return bleu(samples, options)
    # Groups are often small: equal draws are scored once.
    _, positions, draw_of = np.unique(keys, return_index=True, return_inverse=True)
    return bleu(samples[positions], options)[draw_of]


def _repeats_draws(units: int, n_resamples: int) -> bool:
    """Return whether there are at most half as many different draws as resamples.

    An int64 can number the draws of up to 15 units. The binomial of a million units would take
    longer than all resamples.

    >>> [_repeats_draws(units, 10_000) for units in (1, 7, 8, 1_000_000)]
    [True, True, False, False]
    """
    return units <= _MOST_NUMBERED_UNITS and math.comb(2 * units - 1, units) <= n_resamples // 2


def randomization_differences(
    rows: Int64, options: Options, n_resamples: int, baselines: int = 1
) -> Iterator[Float64]:
    """Yield differences of BLEU between two systems whose outputs are exchanged at random.

    This is paired approximate randomization (Noreen, 1989; Riezler and Maxwell, 2005): per unit, a
    segment or a document, a coin decides whether two systems exchange their outputs.

    Args:
        rows: int64 [systems, units, 2 N + 2].
        options: as for `bleu`, and `seed`.
        n_resamples: the number of trials.
        baselines: the number of systems, from the first on, each of which is paired with all
            systems after it.

    Yields:
        float64 [trials, pairs], the score of the later system minus the score of the earlier, in
        blocks of trials.

    >>> rows = np.array([[[1, 1, 1, 1]], [[0, 1, 1, 1]]])
    >>> blocks = randomization_differences(rows, Options(max_order=1), 3)
    >>> [np.abs(block).tolist() for block in blocks]
    [[[1.0], [1.0], [1.0]]]
    """
    systems, n_units, width = rows.shape
    # 1. Take the rows of each system relative to the first system, whose own become 0. For the
    #    drawn units, let moved_s be the sum of these differences. If a and b exchange the drawn
    #    units, the sum of a becomes total_a - Σ row_a + Σ row_b = (total_a - moved_a) + moved_b,
    #    because the rows of the first system cancel.
    totals = rows.sum(axis=1).T[..., np.newaxis]  # [width, systems, 1]
    gains = np.concatenate(list(rows[1:] - rows[0]), axis=1)
    # 2. Many columns are equal: totals follow from lengths, and systems share references. Each
    #    different column is multiplied once.
    number_of: dict[bytes, int] = {}
    copies = []  # the number of each column among the different ones
    for column in gains.T:
        digest = sha256(column.tobytes()).digest()
        copies.append(number_of.setdefault(digest, len(number_of)))
    different = [copies.index(number) for number in range(len(number_of))]
    weights = _to_floats(gains[:, different])

    def score_trials(drawn: Bool) -> Float64:
        """Return the differences of all pairs; `drawn` has one flag per trial and unit."""
        trials = len(drawn)
        moved = np.zeros((width, systems, trials))  # 0 for the first system
        columns = _multiply(drawn, weights).T[copies]  # [(systems - 1) * width, trials]
        moved[:, 1:] = columns.reshape(systems - 1, width, trials).swapaxes(0, 1)
        kept = totals - moved
        differences = []
        # Several pairs at once: enough to hide the time of Python, and few enough for the cache of
        # the processor.
        pairs_at_once = max(1, _ROWS_PER_SCORE // trials)
        for number in range(baselines):
            baseline = slice(number, number + 1)
            for start in range(number + 1, systems, pairs_at_once):
                others = slice(start, start + pairs_at_once)
                later = _score(_split(list(kept[:, others] + moved[:, baseline])), options)
                earlier = _score(_split(list(kept[:, baseline] + moved[:, others])), options)
                differences.append(later - earlier)
        return np.concatenate(differences).T

    # 3. NumPy takes 32 draws from one random number and discards unused ones at the end of a call.
    #    A block has a multiple of 32 trials, so that the draws do not depend on the size of blocks.
    numbers_per_trial = max(n_units, len(copies), baselines * systems)
    size = 32 * max(1, _NUMBERS_PER_BLOCK // (32 * numbers_per_trial))
    generator = np.random.default_rng(options.seed)
    blocks = _blocks("Randomization", n_resamples, size)
    draws = (
        generator.integers(2, size=(block.stop - block.start, n_units), dtype=bool)
        for block in blocks
    )

    def score_each_once(drawn: Bool) -> Float64:
        """Score equal exchanges once."""
        keys = drawn @ (1 << np.arange(n_units))
        _, positions, exchange_of = np.unique(keys, return_index=True, return_inverse=True)
        return score_trials(drawn[positions])[exchange_of]

    # 4. Score. NumPy releases the GIL; each thread has a block in memory.
    repeats = n_units < 62 and 2**n_units <= n_resamples // 2
    score_block = score_each_once if repeats else score_trials
    threads = min(PROCESSORS, 4)
    with ThreadPoolExecutor(threads) as pool:
        while some_draws := list(islice(draws, threads)):
            yield from pool.map(score_block, some_draws)


class MacroAverage:
    """The mean over groups of scores or differences that were resampled in each group.

    Groups with segments or documents of their own are independent of each other. Under one seed,
    groups of equal size draw the same positions. So each group's resamples are shuffled, which
    leaves the distribution of each group as it is. Groups that share documents are not independent:
    their resamples are drawn from the documents of the whole corpus, under one seed, and stay in
    their order. Only the sum is kept, so that memory does not grow with the number of groups.

    Args:
        seed: the seed of the draws; None for a random one.
        share_draws: True if all groups have the same draws.

    >>> average = MacroAverage(seed=1)
    >>> average.add(np.array([0.25, 0.25]))
    >>> average.add(np.array([0.75, 0.75]))
    >>> average.mean().tolist()
    [0.5, 0.5]
    """

    def __init__(self, seed: int | None, share_draws: bool = False) -> None:
        self._share_draws = share_draws
        self._generator = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        self._sum: Float64 | float = 0.0
        self._groups = 0
        self._is_complete = True

    def add(self, resampled: Float64 | None) -> None:
        """Add the resamples of a group: float64 [n_resamples, ...]; None if it has none."""
        if resampled is None:
            self._is_complete = False
            return
        if not self._share_draws:
            resampled = self._generator.permutation(resampled)
        self._sum = self._sum + resampled
        self._groups += 1

    def mean(self) -> Float64 | None:
        """Return the means, float64 [n_resamples, ...]; None unless every group has resamples.

        A group with one unit has none: every resample would equal it.
        """
        if not self._is_complete or not isinstance(self._sum, np.ndarray):
            return None
        return self._sum / self._groups


def interval(scores: Float64, confidence: float) -> list[float]:
    """Return the percentile interval of resampled scores, by sacreBLEU's choice of both scores.

    >>> interval(np.arange(1000) / 1000, 0.95)
    [0.025, 0.974]
    """
    # 1000 * (1 - 0.95) / 2 is 25.000000000000021; round before truncating, because an error could
    # shift the index.
    outside = int(round(len(scores) * (1 - confidence) / 2, 9))
    ordered = np.sort(scores)
    return [float(ordered[outside]), float(ordered[len(scores) - outside - 1])]


class Uncertainty(TypedDict):
    """The interval, mean and standard error of resampled scores, as in results."""

    confidence_interval: list[float]
    bootstrap_mean: float
    standard_error: float


def describe_resamples(scores: Float64, confidence: float) -> Uncertainty:
    """Return the interval, mean and standard error of resampled scores: float64 [n_resamples]."""
    return {
        "confidence_interval": interval(scores, confidence),
        "bootstrap_mean": float(scores.mean()),
        "standard_error": float(scores.std()),
    }


def p_value(differences: Float64, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of the n differences are at least the observed one.

    Adding 1 to both keeps the rate of false alarms at the level for any number of trials (Noreen,
    1989). Ties count, so that identical systems get 1.

    >>> p_value(np.array([0.1, 0.2, 0.3, 0.4]), 0.3)
    0.6
    """
    return float((np.sum(differences >= observed - NOISE) + 1) / (len(differences) + 1))


def center(differences: Float64) -> Float64:
    """Return the absolute deviations of resampled differences from their mean.

    Under the null hypothesis, deviations and observed difference have the same distribution, so
    that `p_value` of absolute deviations is two-sided.
    """
    return np.abs(differences - differences.mean(axis=0))


def center_as_sacrebleu(differences: Float64) -> Float64:
    """Return absolute differences minus their mean, as sacreBLEU computes them.

    Riezler and Maxwell (2005) describe the test. If one system is better in most resamples, the
    test is one-sided in effect: at the 5% level, `p_value` rejects a true null hypothesis in 11% to
    13% of cases, with 30 segments or more.
    """
    return np.abs(differences) - np.abs(differences).mean(axis=0)


def adjust_holm(p_values: Float64) -> Float64:
    """Return p-values that control the family-wise error of all pairs, by Holm's procedure (1979).

    >>> adjust_holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    return np.minimum(np.maximum.accumulate(p_values[order] * factors), 1)[np.argsort(order)]


def warn_about_size(
    size: int,
    unit: str,
    groups: Sequence[int] = (),
    *,
    effective_size: float,
    share_draws: bool = False,
) -> None:
    """Warn that a test set, or one of its groups, is too small for intervals and tests.

    Args:
        size: the number of units that are resampled.
        unit: `"segment"` or `"document"`.
        groups: the size of each group.
        effective_size: the number of units of equal size that weigh as much.
        share_draws: True if groups share documents: the macro-average then draws from all of them.
    """
    few = sum(group < MIN_UNITS for group in groups)
    if 1 in groups:
        counted = count_things(groups.count(1), "group")
        without = "such a group and the macro-average have"
        if share_draws:
            without = "such a group has"
        warn(messages.GROUPS_OF_ONE, groups=counted, unit=unit, without=without)
    elif few and size >= MIN_UNITS:
        counted = count_things(len(groups), "group")
        warn(messages.SMALL_GROUPS, few=few, groups=counted, unit=unit, limit=MIN_UNITS)
    if size == 1:
        warn(messages.ONE_UNIT, unit=unit)
    elif size < MIN_UNITS:
        warn(messages.FEW_UNITS, units=f"{size} {unit}s", unit=unit, limit=MIN_UNITS)
    elif effective_size < MIN_UNITS:
        units = f"{size:,} {unit}s that weigh as much as {effective_size:.0f} of equal size"
        warn(messages.FEW_UNITS, units=units, unit=unit, limit=MIN_UNITS)


def fewest_trials(alpha: float, pairs: int) -> int:
    """Return the fewest trials that allow for a p-value below `alpha` after Holm's procedure.

    The procedure multiplies the smallest p-value by the number of pairs.

    >>> fewest_trials(0.05, pairs=3)  # 3 / 61 is below 0.05
    60
    """
    return int(round(pairs / alpha, 9))  # 21 / 0.07 is 299.99999999999994


def warn_about_trials(trials: int, alpha: float = 0.05, pairs: int = 1) -> None:
    """Warn that trials are too few for any p-value below `alpha`, after Holm's procedure."""
    enough = fewest_trials(alpha, pairs)
    if trials < enough:
        limit = _describe_level(alpha, pairs)
        warn(messages.FEW_RESAMPLES, n_resamples=trials, limit=limit, enough=enough)


def warn_about_exchanges(size: int, unit: str, alpha: float, pairs: int) -> None:
    """Warn that units are too few for any p-value below `alpha`, however many trials there are.

    Of the 2^n exchanges of n units, two make the largest difference: none, and all.

    Args:
        size: the number of segments or documents.
        unit: `"segment"` or `"document"`.
        alpha: the level of significance.
        pairs: the number of pairs, by which Holm's procedure multiplies the smallest p-value.
    """
    smallest = math.ldexp(2 * pairs, -size)
    if smallest >= alpha:
        enough = math.floor(math.log2(2 * pairs / alpha)) + 1
        warn(
            messages.FEW_EXCHANGES,
            units=count_things(size, unit),
            exchanges=f"{2**size:,}",
            limit=_describe_level(alpha, pairs),
            enough=count_things(enough, unit),
        )


def _describe_level(alpha: float, pairs: int) -> str:
    return f"{alpha}, with Holm's adjustment of {pairs:,} pairs" if pairs > 1 else str(alpha)


def warn_about_extremes(options: Options, place: str = "") -> None:
    """Warn that resamples are too few for an interval inside of their extremes."""
    if not options.confidence:
        return
    outside = (1 - options.confidence) / 2
    if round(options.n_resamples * outside, 9) < 1:
        warn(
            messages.EXTREMES,
            confidence=options.confidence,
            n_resamples=options.n_resamples,
            enough=math.ceil(round(1 / outside, 9)),
            place=place,
        )


def warn_about_errors(n_resamples: int) -> None:
    """Warn that resamples are too few for a standard error, which a t-test takes as known."""
    if n_resamples < _FEWEST_RESAMPLES_FOR_ERRORS:
        warn(
            messages.FEW_RESAMPLES_FOR_ERRORS,
            n_resamples=n_resamples,
            enough=_FEWEST_RESAMPLES_FOR_ERRORS,
        )


def detectable_difference(differences: Float64) -> float:
    """Return the smallest true difference that a test set detects with 80% power at the 5% level.

    This is z(0.975) + z(0.8) standard errors of the paired difference (Card et al., 2020, "With
    Little Power Comes Great Responsibility").

    Args:
        differences: float64 [resamples], the paired differences on resampled corpora.

    >>> round(detectable_difference(np.array([-0.01, 0.01])), 4)
    0.028
    """
    quantile = NormalDist().inv_cdf
    return float((quantile(0.975) + quantile(0.8)) * differences.std())


# --- Training runs --------------------------------------------------------------------------------
#
# The mean score over training runs has two sources of chance: other runs and other texts. For such
# a mean, or the difference of two means, with R_g runs of system g and U segments or documents:
#
#     V = SE² + Σ_g max(0, s²_g - e_g) / R_g
#     degrees of freedom = V² / (SE⁴ / (U - 1) + Σ_g (s²_g / R_g)² / (R_g - 1))
#
# SE² is the variance over resamples of the texts, which all runs share (Koehn, 2004). s²_g is the
# sample variance of the scores of the runs. Runs fail on different texts, so other texts would undo
# a part of s²_g. This part is e_g, and SE² contains it already. The sum of s²_g / R_g alone is
# Welch's t-test (1947). The degrees of freedom are those of Satterthwaite (1946), but at least
# those of the source with the fewest: where other texts undo most of s²_g, the formula falls
# below 1.
# A system with one run stands for itself: its s²_g and e_g are 0.


class Runs(NamedTuple):
    """The training runs of a system.

    scores: float64 [runs].
    resampled: float64 [n_resamples, runs]; all runs of all systems have the same draws.
    """

    scores: Float64
    resampled: Float64


class VariancePart(NamedTuple):
    """An independent part of a variance, and the degrees of freedom of its estimate."""

    variance: float
    degrees_of_freedom: float


class Estimate(NamedTuple):
    """A mean score over runs, or a difference of two, as an estimate for other runs and texts.

    `lowest` is the lower end of the scale: 0, or -1 for a difference.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float
    lowest: int = 0

    @property
    def varies(self) -> bool:
        """False if neither other runs nor other texts change the value, as far as these tell."""
        return self.standard_error > NOISE

    def p_value(self) -> float | None:
        """Return the two-sided p-value of Student's t-test of a difference; 1 for equal scores.

        It is None for a difference without variance.
        """
        if abs(self.value) <= NOISE:
            return 1.0
        if not self.varies:
            return None
        t = abs(self.value) / self.standard_error
        return float(2 * import_students_t().sf(t, self.degrees_of_freedom))

    def interval(self, confidence: float) -> list[float] | None:
        """Return the value ± t standard errors, cut off at the ends of the scale.

        The interval of equal scores has no width. It is None for another value without variance.

        >>> print(Estimate(0.9, standard_error=0.0, degrees_of_freedom=4).interval(0.95))
        None
        """
        if abs(self.value) <= NOISE:
            return [self.value, self.value]
        if not self.varies:
            return None
        quantile = import_students_t().ppf((1 + confidence) / 2, self.degrees_of_freedom)
        margin = float(quantile) * self.standard_error
        return [max(self.lowest, self.value - margin), min(1.0, self.value + margin)]

    def detectable_difference(self) -> float | None:
        """Return the smallest true difference that is detected with 80% power at the 5% level.

        It is that of the function `detectable_difference`, with quantiles of Student's t. It is
        None for a difference without variance.
        """
        if not self.varies:
            return None
        quantiles = import_students_t().ppf([0.975, 0.8], self.degrees_of_freedom)
        return float(quantiles.sum() * self.standard_error)


def estimate_over_runs(
    system: Runs, baseline: Runs | None, units: int, groups: Sequence[VariancePart] = ()
) -> Estimate:
    """Estimate the mean score of a system's runs, or its difference from the baseline's mean.

    Args:
        system: the runs of the system.
        baseline: the runs of the baseline, on the same draws; None for the score of the system.
        units: the number of segments or documents that resamples are drawn from.
        groups: for a macro-average of groups with units of their own, the part of SE² from each
            group, (SE_k / K)² with U_k - 1 degrees of freedom for group k of K.

    >>> scores = np.array([0.30, 0.31, 0.35])
    >>> resampled = scores + np.array([[-0.01], [0.01]])
    >>> estimate = estimate_over_runs(Runs(scores, resampled), None, units=50)
    >>> print(f"{estimate.value:.3f}, {estimate.standard_error:.4f}")
    0.320, 0.0183
    """
    # 1. The texts: SE² of the value.
    value = system.scores.mean()
    lowest = 0
    if baseline is not None:
        value -= baseline.scores.mean()
        lowest = -1
    variance_of_texts = sampling_variance(system, baseline)
    parts = list(groups) or [VariancePart(variance_of_texts, units - 1)]
    # 2. The runs: the variation between runs that other texts would not undo.
    variance = variance_of_texts
    fewest_degrees = combine_degrees_of_freedom(parts)
    for runs in (system, baseline):
        if runs is None or len(runs.scores) == 1:
            continue
        count = len(runs.scores)
        between_runs = float(runs.scores.var(ddof=1))
        means = runs.resampled.mean(axis=1, keepdims=True)
        undone_by_texts = float((runs.resampled - means).var(axis=0).sum()) / (count - 1)
        variance += max(0.0, between_runs - undone_by_texts) / count
        parts.append(VariancePart(between_runs / count, count - 1))
        fewest_degrees = min(fewest_degrees, count - 1)
    # 3. The degrees of freedom.
    degrees_of_freedom = max(combine_degrees_of_freedom(parts, variance), fewest_degrees)
    return Estimate(float(value), math.sqrt(variance), degrees_of_freedom, lowest)


def combine_degrees_of_freedom(
    parts: Sequence[VariancePart], variance: float | None = None
) -> float:
    """Return the degrees of freedom of a variance by Satterthwaite's formula (1946).

    Args:
        parts: the independent parts.
        variance: their sum unless another is passed.

    >>> combine_degrees_of_freedom([VariancePart(2.0, 5), VariancePart(2.0, 5)])
    10.0
    """
    if variance is None:
        variance = sum(part.variance for part in parts)
    squares = sum(part.variance**2 / part.degrees_of_freedom for part in parts)
    if not squares:
        return float(min(part.degrees_of_freedom for part in parts))
    return variance**2 / squares


def sampling_variance(system: Runs, baseline: Runs | None) -> float:
    """Return SE², the variance over resamples of the mean over runs or of its difference."""
    means = system.resampled.mean(axis=1)
    if baseline is not None:
        means = means - baseline.resampled.mean(axis=1)
    return float(means.var())


def import_students_t() -> Any:
    """Return Student's t distribution of scipy, which is imported for training runs only."""
    try:
        from scipy.stats import t
    except ImportError:
        message = "Several training runs need scipy. Install it: pip install scipy"
        raise ImportError(message) from None
    return t


# --- Exact sums -----------------------------------------------------------------------------------


def _to_floats(weights: Int64) -> Floats:
    """Return weights as floats in which `_multiply` is exact: float32 if sums are small enough."""
    is_small = len(weights) * np.abs(weights).max() < _EXACT_IN_FLOAT32
    kind = np.float32 if is_small else np.float64
    # In C order, because OpenBLAS starts threads for smaller products if a factor is transposed.
    return weights.astype(kind, order="C")


def _multiply(times: Int64 | Bool, weights: Floats) -> Floats:
    """Return the matrix product of draws and statistics, [resamples, columns], as floats.

    The parts are too small for OpenBLAS to start threads. Its threads wait for each other at every
    product, which on a busy machine takes many times as long as the product itself.
    """
    sums = np.zeros((len(times), weights.shape[1]), weights.dtype)
    multiplications_per_unit = _RESAMPLES_PER_PRODUCT * weights.shape[1]
    units_per_product = max(1, _MULTIPLICATIONS_PER_PRODUCT // multiplications_per_unit)
    parts = _slices(len(weights), units_per_product)
    for resamples in _slices(len(times), _RESAMPLES_PER_PRODUCT):
        for part in parts:
            sums[resamples] += times[resamples, part].astype(weights.dtype) @ weights[part]
    return sums


def _blocks(label: str, total: int, size: int) -> Iterator[slice]:
    """Yield slices, with a progress bar after two seconds unless `datasets` disables it."""
    with tqdm(total=total, desc=label, delay=2) as bar:
        for block in _slices(total, size):
            yield block
            bar.update(min(size, total - block.start))


def _slices(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
