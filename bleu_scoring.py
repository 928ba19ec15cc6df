"""Statistics rows to scores: precisions, brevity penalty, weights; then smoothing; then resampling.

Functions take int64 rows [..., 2 N + 2] (matches, totals, prediction length, reference length) of a
segment, a corpus or a thousand resampled corpora, and never change them. A single row becomes
Python floats, which are ten times faster than arrays of one item. Several rows become one array per
statistic. Every formula is written once for floats and arrays. Scores are on the scale 0-1; a
perfect prediction scores exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from hashlib import sha256
from itertools import islice, pairwise
from operator import add, or_
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from datasets.utils import tqdm

from . import bleu_messages as messages
from .bleu_corpus import PROCESSORS, Float64, Int64, Layout
from .bleu_messages import count_things, warn

if TYPE_CHECKING:
    from .bleu_options import Options

Number = Any  # a float, or float64 [...] with one value per row
Counts = Sequence[Number]  # one per order

MIN_UNITS = 30  # segments or documents, for intervals and tests
NOISE = 1e-11  # scores that differ by less are equal; the order of additions alone causes such differences

_NUMBERS_PER_BLOCK = (
    1 << 22
)  # draws in memory, 32 MB: memory does not grow with the number of resamples
_ROWS_PER_SCORE = 1 << 15  # of pairs and trials that are scored together
_RESAMPLES_PER_PRODUCT = 32  # rows of one matrix product
_MULTIPLICATIONS_PER_PRODUCT = 1 << 19  # OpenBLAS starts threads above this
_EXACT_IN_FLOAT32 = 1 << 24  # integers up to here are exact in float32


# --- Scores ---------------------------------------------------------------------------------------


class Precisions(NamedTuple):
    """The precision of each order after smoothing, and flags for the orders that have n-grams."""

    values: list[Number]
    present: list[Number]


class _Columns(NamedTuple):
    """The columns of statistics rows: floats, or float64 [...] each."""

    matches: Counts
    totals: Counts
    length: Number
    reference_length: Number


def bleu(rows: Int64, options: Options) -> Number:
    """Return BLEU of each row (Papineni et al., 2002, section 2.3), on the scale 0-1.

    Args:
        rows: int64 [..., 2 N + 2].
        options: supplies `max_order`, `smooth_method`, `smooth_value`, `effective_order` and
            `weights`.

    Returns:
        float64 [...]; a float for a single row.

    Three of four words match, and one of three bigrams: BLEU-2 is the root of 3/4 · 1/3.

    >>> row = np.array([3, 1, 0, 0, 4, 3, 2, 1, 4, 4])
    >>> print(f"{bleu(row, Options(max_order=2)):.4f}")
    0.5000
    """
    return _score(_split_rows(rows), options)


def _score(statistics: _Columns, options: Options) -> Number:
    smoothed = _smooth(statistics, options)
    weights = order_weights(smoothed.present, options)
    logarithms = [_log(value) for value in smoothed.values]
    return _combine(
        weights, logarithms, brevity_penalty(statistics.length, statistics.reference_length)
    )


def score_row(row: Int64, options: Options, smoothed: Precisions | None = None) -> dict[str, Any]:
    """Return the scores and counts of one corpus in plain Python types.

    Args:
        row: int64 [2 N + 2], the sum of the corpus's rows.
        options: as for `bleu`.
        smoothed: the result of `precisions`, if it is known.
    """
    smoothed, orders = smoothed or precisions(row, options), range(1, options.max_order + 1)
    *counts, length, reference_length = row.tolist()
    penalty = float(brevity_penalty(length, reference_length))
    logarithms = [_log(value) for value in smoothed.values]
    by_order = [
        _combine(order_weights(smoothed.present, options, n), logarithms, penalty) for n in orders
    ]
    score = by_order[-1]
    if options.weights is not None:
        score = _combine(order_weights(smoothed.present, options), logarithms, penalty)
    totals = counts[len(counts) // 2 :]
    return {
        "bleu": score,
        "score": 100 * score,
        "precisions": smoothed.values,
        "brevity_penalty": penalty,
        "length_ratio": length / reference_length if reference_length else 0.0,
        "translation_length": length,
        "reference_length": reference_length,
        "counts": counts[: options.max_order],
        "totals": totals[: options.max_order],
        "bleu_by_order": by_order,
    }


def score_as_sacrebleu(result: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Return score, precisions (0-100) and brevity penalty, rounded as in sacreBLEU to the last bit.

    sacreBLEU takes logarithms of percentages and divides their sum, where `score_row` multiplies by
    weights.
    """
    if (
        options.weights is not None or SMOOTH_METHODS[options.smooth_method].further_orders
    ):  # sacreBLEU has neither
        return {"precisions": [100 * value for value in result["precisions"]]}
    length, reference_length = result["translation_length"], result["reference_length"]
    row = np.array([*result["counts"], *result["totals"], length, reference_length])
    values, present = _smooth(_split_rows(row), options, scale=100.0)
    orders = sum(present) or options.max_order if options.effective_order else options.max_order
    penalty = (
        math.exp(1 - reference_length / length)
        if 0 < length < reference_length
        else result["brevity_penalty"]
    )
    logarithms = [math.log(value) if value > 0 else -math.inf for value in values[:orders]]
    return {
        "score": penalty * math.exp(sum(logarithms) / orders),
        "precisions": values,
        "brevity_penalty": penalty,
    }


def score_as_bleu(result: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Return score and brevity penalty, rounded as in evaluate's `bleu` to the last bit.

    >>> score_as_bleu(score_row(np.array([2, 1, 3, 2, 3, 4]), Options(max_order=2)), Options(max_order=2))
    {'bleu': 0.41368954504257255, 'brevity_penalty': 0.7165313105737893}
    """
    ratio, precisions = result["length_ratio"], result["precisions"]
    if options.weights is not None or not ratio or min(precisions) <= 0:
        return {}
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
    return {
        "bleu": math.exp(sum(1 / options.max_order * math.log(value) for value in precisions))
        * penalty,
        "brevity_penalty": penalty,
    }


def order_weights(
    present: Sequence[Number], options: Options, orders: int | None = None
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
    if orders or options.weights is None:
        orders = orders or len(present)
        weights: list[Number] = [1 / orders] * orders
    else:
        weights = list(options.weights)
    if not options.effective_order:
        return weights
    used = [weight * flag for weight, flag in zip(weights, present)]
    remaining, whole = reduce(add, used), sum(weights)
    return [divide(weight * whole, remaining, remaining > 0) for weight in used]


def precisions(rows: Int64, options: Options) -> Precisions:
    """Return the precision of each order after smoothing: N arrays float64 [...], on the scale 0-1."""
    return _smooth(_split_rows(rows), options)


def brevity_penalty(length: Number, reference_length: Number) -> Number:
    """Return 1 for predictions as long as their references, exp(1 - r/c) for shorter ones, 0 for empty ones.

    Args:
        length: c, the length of the predictions.
        reference_length: r, the effective reference length.

    >>> print(f"{brevity_penalty(3.0, 4.0):.4f}")
    0.7165
    """
    is_short = length < reference_length
    ratio = divide(reference_length, length, is_short & (length > 0))
    return select(is_short, select(length > 0, np.exp(1 - ratio), 0.0), 1.0)


def warn_about_zero(
    row: Int64, segments: int | None, options: Options, name: str = "The score"
) -> None:
    """Warn that a score is 0, with the cause and the fix.

    Args:
        row: int64 [2 N + 2], the statistics row of the corpus.
        segments: the number of predictions; None if unknown.
        options: supplies `weights`, `max_order` and `effective_order`.
        name: the score, as the subject of the message.
    """
    weights = options.weights or (1.0,) * options.max_order
    orders = [n for n, weight in enumerate(weights, 1) if weight]
    *counts, length, reference_length = row.tolist()
    matches, totals = counts[: len(counts) // 2], counts[len(counts) // 2 :]
    unmatched = [n for n in orders if totals[n - 1] and not matches[n - 1]]
    if not length:
        predictions = (
            count_things(segments, "empty prediction") if segments else "the predictions are empty"
        )
        warn(messages.NO_TOKENS, name=name, predictions=predictions)
    elif not reference_length:
        warn(messages.NO_REFERENCE_TOKENS, name=name)
    elif not matches[0]:
        warn(messages.NO_MATCH, name=name)
    elif not totals[orders[-1] - 1] and not options.effective_order:
        warn(
            messages.TOO_SHORT,
            name=name,
            tokens=count_things(orders[-1], "token"),
            order=orders[-1],
        )
    elif not totals[orders[0] - 1] and options.effective_order:
        warn(messages.TOO_SHORT_FOR_WEIGHTS, name=name, tokens=count_things(orders[0], "token"))
    elif unmatched:
        warn(messages.NO_LONG_MATCH, name=name, order=unmatched[0])
    else:
        warn(
            messages.FAR_TOO_SHORT,
            name=name,
            length=length,
            tokens=count_things(reference_length, "token"),
        )


def count_wins(deltas: Float64) -> dict[str, int]:
    """Count wins, ties and losses; differences below rounding error are ties.

    Args:
        deltas: float64 [segments], the score of a system minus the score of the other system.

    >>> count_wins(np.array([0.5, 0.0, 1e-17, -0.25]))
    {'wins': 1, 'ties': 2, 'losses': 1}
    """
    wins, losses = int((deltas > NOISE).sum()), int((deltas < -NOISE).sum())
    return {"wins": wins, "ties": len(deltas) - wins - losses, "losses": losses}


def select(flag: Number, yes: Number, no: Number) -> Number:
    """Return `yes` if the flag is set and `no` if not, for each row.

    >>> select(True, 1.0, 2.0), select(np.array([True, False]), 1.0, 2.0)
    (1.0, array([1., 2.]))
    """
    if not isinstance(flag, np.ndarray):
        return yes if flag else no
    if flag.any() == (is_set := flag.all()):  # the usual case; to look takes a tenth of the time
        value = yes if is_set else no
        return value if np.shape(value) == flag.shape else np.full(flag.shape, value)
    return np.where(flag, yes, no)


def divide(dividend: Number, divisor: Number, flag: Number) -> Number:
    """Return the quotient if the flag is set and 0 if not, for each row.

    >>> divide(1.0, 0.0, False), divide(np.array([1.0, 1.0]), np.array([2.0, 0.0]), np.array([True, False]))
    (0.0, array([0.5, 0. ]))
    """
    if not isinstance(flag, np.ndarray):
        return dividend / divisor if flag else 0.0
    all_set = flag.all()  # a masked division takes several times as long
    return (
        dividend / divisor
        if all_set
        else np.divide(dividend, divisor, out=np.zeros(flag.shape), where=flag)
    )


def has_ngrams(totals: Counts) -> list[Number]:
    """Flag the orders that have n-grams; an order has n-grams only if all shorter orders do.

    >>> has_ngrams([2.0, 1.0, 0.0])
    [True, True, False]
    """
    flags = [totals[0] > 0]
    for total in totals[1:]:
        flags.append(flags[-1] & (total > 0))
    return flags


def _split_rows(rows: Int64) -> _Columns:
    rows = np.asarray(rows)
    numbers: Any = (
        rows.astype(float).tolist()
        if rows.ndim == 1
        else np.moveaxis(rows, -1, 0).astype(float, order="C")
    )
    return _split(numbers)


def _split(numbers: Any) -> _Columns:
    layout = Layout.of_width(len(numbers))
    return _Columns(
        numbers[layout.matches],
        numbers[layout.totals],
        numbers[layout.length],
        numbers[layout.reference_length],
    )


def _smooth(statistics: _Columns, options: Options, scale: float = 1.0) -> Precisions:
    orders = options.counted_orders  # the rows may have further orders
    matches, totals = statistics.matches[:orders], statistics.totals[:orders]
    # Smoothing applies to orders without a match, not to predictions without any match
    # (mjpost/sacrebleu issue 141).
    has_match = reduce(or_, [match > 0 for match in matches[: options.max_order]])
    method = SMOOTH_METHODS[options.smooth_method]
    matches, totals = method.smooth(
        matches, totals, statistics.length, options.smooth_value_in_effect or 0.0
    )
    present = has_ngrams(totals)
    if scale != 1:
        matches = [scale * match for match in matches]
    # A precision is at most 1, and 0 if there are no n-grams.
    values = [
        select(quotient > scale, scale, quotient)
        for quotient in map(divide, matches, totals, present)
    ]
    if (
        method.skips
    ):  # a factor of 1 changes no product; with effective order, the order has no weight either
        present = [match > 0 for match in matches]
        values = [select(flag, value, scale) for flag, value in zip(present, values)]
    if not method.scores_no_match and has_match is not True:
        values = [select(has_match, value, 0.0) for value in values]
    return Precisions(values, present)


def _combine(weights: Sequence[Number], logarithms: Sequence[Number], penalty: Number) -> Number:
    """Return BP · exp(Σ w ln p), 0 if no order has a weight."""
    total, has_weight = 0.0, False
    for weight, logarithm in zip(weights, logarithms):
        flag = weight > 0
        has_weight = has_weight | flag
        if isinstance(flag, np.ndarray):  # skip zero weights, because 0 · -inf is nan
            total = total + np.multiply(weight, logarithm, out=np.zeros(flag.shape), where=flag)
        elif flag:
            total = total + weight * logarithm
    score = select(has_weight, penalty * np.exp(total), 0.0)
    return score if isinstance(score, np.ndarray) else float(score)


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
    """Add a constant to matches and totals of all orders but the first (method 2; Lin and Och, 2004)."""
    return [matches[0], *(m + value for m in matches[1:])], [
        totals[0],
        *(t + value for t in totals[1:]),
    ]


def _laplace(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    """Add 1 to matches and totals of every order, as evaluate's `bleu` does with `smooth=True`."""
    return [m + 1 for m in matches], [t + 1 for t in totals]


def _exp(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Count 1/2 match at the first order without a match, 1/4 at the second, and so on (method 3; NIST's mteval)."""
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
    """Average the matches of an order, those of the next order, and the average of the order before (method 5)."""
    return _average_neighbors(matches), totals[:-1]


def _expect(matches: Counts, totals: Counts, length: Number, value: float) -> tuple[Counts, Counts]:
    """Add, from the third order on, the matches that the two orders before predict (method 6; Gao and He, 2013)."""
    matches, totals = list(matches), list(totals)
    ratios = _divide_all(matches, totals)
    for n in range(2, len(matches)):
        before, before_that = ratios[n - 1], ratios[n - 2]
        matches[n] = matches[n] + value * divide(before**2, before_that, before_that > 0)
        totals[n] = totals[n] + value
        ratios[n] = divide(matches[n], totals[n], totals[n] > 0)
    return matches, totals


def _average_by_length(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    """Apply method 4, then method 5 (method 7)."""
    return _average(*_by_length(matches, totals, length, value), length, value)


def _nltk_by_length(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    first = np.log(np.maximum(length, 1)) / value / 2
    return _replace_missing(matches, totals, first=first, factor=0.5), totals


def _nltk_average(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    return _average_neighbors(_divide_all(matches, totals)), [
        flag * 1.0 for flag in has_ngrams(totals)[:-1]
    ]


def _nltk_average_by_length(
    matches: Counts, totals: Counts, length: Number, value: float
) -> tuple[Counts, Counts]:
    smoothed, _ = _nltk_by_length(matches, totals, length, value)
    # NLTK does not smooth the order beyond N.
    return _nltk_average([*smoothed[:-1], matches[-1]], totals, length, value)


class SmoothMethod(NamedTuple):
    """A smoothing method.

    smooth: the function.
    says: its description, as the end of a sentence.
    value: the default of `smooth_value`; None if the method takes no value.
    divides: True if it divides by the value, which then must not be 0.
    further_orders: the number of orders beyond N that it needs.
    scores_no_match: True if predictions without any match score above 0.
    skips: True if orders without a match are left out of the product.
    """

    smooth: Smooth
    says: str
    value: float | None = None
    divides: bool = False
    further_orders: int = 0
    scores_no_match: bool = False
    skips: bool = False


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
    """Replace 0 matches with `first`, and at each further order with `factor` times the last replacement."""
    replaced, share = [], first
    for present, match in zip(has_ngrams(totals), matches):
        flag = present & (match == 0)
        if flag is False or (isinstance(flag, np.ndarray) and not flag.any()):  # fast path
            replaced.append(match)
            continue
        replaced.append(select(flag, share, match))
        share = select(flag, share * factor, share)
    return replaced


def _average_neighbors(counts: Counts) -> list[Number]:
    """Return, per order but the last, the mean of its count, the next count, and the mean before (m_1 + 1 at first)."""
    before, averages = counts[0] + 1, []
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


def bootstrap_scores(rows: Int64, options: Options, n_resamples: int) -> Float64:
    """Return BLEU of systems on corpora drawn with replacement from the segments (Koehn, 2004).

    The draws depend on `options.seed`, and are the same for all systems.

    Args:
        rows: int64 [systems, segments, 2 N + 2].
        options: as for `bleu`, and `seed`.
        n_resamples: the number of drawn corpora.

    Returns:
        float64 [n_resamples, systems].

    >>> rows = np.array([[[1, 1, 1, 1], [0, 1, 1, 1]]])
    >>> bootstrap_scores(rows, Options(max_order=1, seed=0), 5).tolist()
    [[0.0], [0.5], [1.0], [1.0], [0.5]]
    """
    generator, segments = np.random.default_rng(options.seed), rows.shape[1]
    weights = _to_floats(np.concatenate(list(rows), axis=1))
    sums = np.empty((n_resamples, weights.shape[1]))
    size = max(
        1, min(_RESAMPLES_PER_PRODUCT, _NUMBERS_PER_BLOCK // segments)
    )  # mostly fits the processor's cache
    for block in _blocks("Bootstrap", n_resamples, size):
        drawn = generator.integers(segments, size=(len(sums[block]), segments))
        times = np.array([np.bincount(indices, minlength=segments) for indices in drawn])
        sums[block] = _multiply(times, weights)
    return bleu(sums.reshape(n_resamples, len(rows), -1).astype(np.int64), options)


def randomization_differences(
    rows: Int64, options: Options, n_resamples: int, baselines: int = 1
) -> Iterator[Float64]:
    """Yield differences of BLEU between two systems whose outputs are exchanged at random, per segment or document.

    This is paired approximate randomization (Noreen, 1989; Riezler and Maxwell, 2005).

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
    >>> [np.abs(block).tolist() for block in randomization_differences(rows, Options(max_order=1), 3)]
    [[[1.0], [1.0], [1.0]]]
    """
    generator, (systems, units, statistics) = np.random.default_rng(options.seed), rows.shape
    totals = rows.sum(axis=1).T[..., np.newaxis]
    # What an exchange moves is a difference of rows, so rows are taken relative to the first
    # system, whose sums are 0.
    gains = np.concatenate(list(rows[1:] - rows[0]), axis=1)
    # Many columns are equal: totals follow from lengths, and systems share references. Each is
    # multiplied once.
    places: dict[bytes, int] = {}
    copies = [
        places.setdefault(sha256(column.tobytes()).digest(), len(places)) for column in gains.T
    ]
    gains = _to_floats(gains[:, [copies.index(place) for place in range(len(places))]])
    # NumPy takes 32 draws from one random number and discards unused ones at the end of a call. A
    # block has a multiple of 32 trials, so that the draws do not depend on the size of blocks.
    size = 32 * max(1, _NUMBERS_PER_BLOCK // (32 * max(units, len(copies), baselines * systems)))

    def score_trials(drawn: np.ndarray[Any, Any]) -> Float64:
        trials = len(drawn)
        exchanged = np.zeros((statistics, systems, trials))
        exchanged[:, 1:] = (
            _multiply(drawn, gains)
            .T[copies]
            .reshape(systems - 1, statistics, trials)
            .swapaxes(0, 1)
        )
        kept, differences = totals - exchanged, []
        # Several pairs at once: enough to hide the time of Python, and few enough for the cache of
        # the processor.
        at_once = max(1, _ROWS_PER_SCORE // trials)
        for first in range(baselines):
            one = slice(first, first + 1)
            for start in range(first + 1, systems, at_once):
                others = slice(start, start + at_once)
                scores = _score(_split(kept[:, others] + exchanged[:, one]), options)
                differences.append(
                    scores - _score(_split(kept[:, one] + exchanged[:, others]), options)
                )
        return np.concatenate(differences).T

    blocks = _blocks("Randomization", n_resamples, size)
    draws = (
        generator.integers(2, size=(block.stop - block.start, units), dtype=bool)
        for block in blocks
    )
    threads = min(PROCESSORS, 4)  # NumPy releases the GIL; each thread has a block in memory
    with ThreadPoolExecutor(threads) as pool:
        while some_draws := list(islice(draws, threads)):
            yield from pool.map(score_trials, some_draws)


def average_groups(resampled: Sequence[Float64], seed: int | None) -> Float64:
    """Return the means over groups of scores or differences that were resampled within each group.

    Under one seed, groups of equal size draw the same positions. So each group's resamples are
    shuffled, which makes the groups independent and leaves the distribution of each group as it is.

    Args:
        resampled: float64 [n_resamples, ...] per group.
        seed: the seed of the draws; None for a random one.

    >>> average_groups([np.array([0.25, 0.25]), np.array([0.75, 0.75])], seed=1).tolist()
    [0.5, 0.5]
    """
    generator = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    return np.mean([generator.permutation(group) for group in resampled], axis=0)


def interval(scores: Float64, confidence: float) -> list[float]:
    """Return the percentile interval of resampled scores, with sacreBLEU's choice of the two scores.

    >>> interval(np.arange(1000) / 1000, 0.95)
    [0.025, 0.974]
    """
    # 1000 * (1 - 0.95) / 2 is 25.000000000000021; round before truncating, because an error could
    # shift the index.
    outside = int(round(len(scores) * (1 - confidence) / 2, 9))
    ordered = np.sort(scores)
    return [float(ordered[outside]), float(ordered[len(scores) - outside - 1])]


def describe_resamples(scores: Float64, confidence: float) -> dict[str, Any]:
    """Return the interval, mean and standard error of resampled scores: float64 [n_resamples]."""
    return {
        "confidence_interval": interval(scores, confidence),
        "bootstrap_mean": float(scores.mean()),
        "standard_error": float(scores.std()),
    }


def p_value(differences: Float64, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of the n differences are at least as large as the observed one.

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
    """Return absolute differences minus their mean, as sacreBLEU computes them (Riezler and Maxwell, 2005).

    If one system is better in most resamples, the test is one-sided in effect: at the 5% level,
    `p_value` rejects a true null hypothesis in 11% to 13% of cases, with 30 segments or more.
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


def warn_about_size(size: int, unit: str, groups: Sequence[int] = ()) -> None:
    """Warn that a test set, or one of its groups, is too small for intervals and tests.

    Args:
        size: the number of units that are resampled.
        unit: `"segment"` or `"document"`.
        groups: the size of each group.
    """
    few, details = sum(group < MIN_UNITS for group in groups), {"unit": unit, "limit": MIN_UNITS}
    if 1 in groups:
        warn(messages.GROUPS_OF_ONE, groups=count_things(groups.count(1), "group"), **details)
    elif few and size >= MIN_UNITS:
        warn(messages.SMALL_GROUPS, few=few, groups=count_things(len(groups), "group"), **details)
    if size == 1:
        warn(messages.ONE_UNIT, **details)
    elif size < MIN_UNITS:
        warn(messages.FEW_UNITS, size=size, **details)


def fewest_trials(alpha: float, pairs: int) -> int:
    """Return the fewest trials that allow for a p-value below `alpha`, after Holm's procedure has multiplied it.

    >>> fewest_trials(0.05, pairs=3)  # 3 / 61 is below 0.05
    60
    """
    return int(round(pairs / alpha, 9))  # 21 / 0.07 is 299.99999999999994


def warn_about_trials(trials: int, alpha: float = 0.05, pairs: int = 1) -> None:
    """Warn that trials are too few for any p-value below `alpha`, which Holm's procedure multiplies by `pairs`."""
    if trials < (enough := fewest_trials(alpha, pairs)):
        limit = _describe_level(alpha, pairs)
        warn(messages.FEW_RESAMPLES, n_resamples=trials, limit=limit, enough=enough)


def warn_about_exchanges(units: int, unit: str, alpha: float, pairs: int) -> None:
    """Warn that segments or documents are too few for any p-value below `alpha`, however many trials there are.

    Of the 2^n exchanges of n units, two make the largest difference: none, and all.
    """
    if math.ldexp(2 * pairs, -units) >= alpha:
        enough = count_things(math.floor(math.log2(2 * pairs / alpha)) + 1, unit)
        limit, exchanges = _describe_level(alpha, pairs), f"{2**units:,}"
        warn(
            messages.FEW_EXCHANGES,
            units=count_things(units, unit),
            exchanges=exchanges,
            limit=limit,
            enough=enough,
        )


def _describe_level(alpha: float, pairs: int) -> str:
    return f"{alpha}, with Holm's adjustment of {pairs:,} pairs" if pairs > 1 else str(alpha)


def warn_about_extremes(options: Options, place: str = "") -> None:
    """Warn that resamples are too few for an interval inside of their extremes."""
    outside = (1 - (options.confidence or 0)) / 2
    if options.confidence and round(options.n_resamples * outside, 9) < 1:
        enough, n_resamples = math.ceil(round(1 / outside, 9)), options.n_resamples
        warn(
            messages.EXTREMES,
            confidence=options.confidence,
            n_resamples=n_resamples,
            enough=enough,
            place=place,
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
    return float(sum(map(NormalDist().inv_cdf, (0.975, 0.8))) * differences.std())


def _to_floats(weights: Int64) -> np.ndarray[Any, Any]:
    """Return weights in a type in which `_multiply` is exact: float32, if their sums are small, or float64."""
    is_small = len(weights) * np.abs(weights).max() < _EXACT_IN_FLOAT32
    # In C order, because OpenBLAS starts threads for smaller products if a factor is transposed.
    return weights.astype(np.float32 if is_small else np.float64, order="C")


def _multiply(times: np.ndarray[Any, Any], weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the matrix product of draws and statistics: [resamples, statistics], in the type of the statistics.

    The parts are too small for OpenBLAS to start threads. Its threads wait for each other at every
    product, which on a busy machine takes many times as long as the product itself.
    """
    sums = np.zeros((len(times), weights.shape[1]), weights.dtype)
    parts = _slices(
        len(weights),
        max(1, _MULTIPLICATIONS_PER_PRODUCT // (_RESAMPLES_PER_PRODUCT * weights.shape[1])),
    )
    for resamples in _slices(len(times), _RESAMPLES_PER_PRODUCT):
        for part in parts:
            sums[resamples] += times[resamples, part].astype(weights.dtype) @ weights[part]
    return sums


def _blocks(label: str, total: int, size: int) -> Iterator[slice]:
    """Yield slices, with a progress bar after two seconds unless `datasets` has disabled progress bars."""
    with tqdm(total=total, desc=label, delay=2) as bar:
        for block in _slices(total, size):
            yield block
            bar.update(min(size, total - block.start))


def _slices(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
