"""Statistics rows to the number: precisions, smoothing, brevity penalty, weights.

One definition for every use: the functions take int64 rows [..., 2 N + 2] (matches, totals, prediction length,
reference length) of a segment, a corpus or a thousand resampled corpora, and never change them. A single row becomes
Python's floats, many become an array for each statistic; what is written here holds for both, bit by bit. Everything
is on the scale from 0 to 1, where a perfect prediction comes out as exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add, or_
from typing import Any, NamedTuple

import numpy as np

from .bleu_arrow import Float64, Int64
from .bleu_options import Options
from .bleu_smoothing import SMOOTHING, Number, choose, divide, has_ngrams

NOISE = 1e-11  # scores that differ by less are equal, but for the order in which floats were added


class Precisions(NamedTuple):
    """The precision of each order after smoothing, and which orders have any n-grams."""

    values: list[Number]
    present: list[Number]


def bleu(rows: Int64, options: Options) -> Number:
    """BLEU of each row (Papineni et al., 2002, section 2.3), from 0 to 1.

    Args:
        rows: int64 [..., 2 N + 2].
        options: `max_order`, `smooth_method`, `smooth_value`, `effective_order`, `weights` are looked at.

    Returns:
        float64 [...]; a float for a single row.

    Three of four words are right and one bigram of three: BLEU-2 is the root of 3/4 · 1/3.

    >>> row = np.array([3, 1, 0, 0, 4, 3, 2, 1, 4, 4])
    >>> print(f"{bleu(row, Options(max_order=2)):.4f}")
    0.5000
    """
    statistics = _split_rows(rows)
    smoothed = _smooth(statistics, options)
    weights = order_weights(smoothed.present, options)
    logarithms = [_log(value) for value in smoothed.values]
    return _combine(weights, logarithms, brevity_penalty(statistics.length, statistics.reference_length))


def order_weights(present: Sequence[Number], options: Options, orders: int | None = None) -> list[Number]:
    """The weight w of each order in BP · exp(Σ w ln p).

    With effective order, an order that is left out leaves its weight to the others, so that equal weights give the mean
    over the orders that remain.

    Args:
        present: which of the N orders have any n-grams, as `precisions` returns it.
        options: `weights` and `effective_order` are looked at.
        orders: n-grams up to this order, all with the same weight. By default all N, with `options.weights`.

    Returns:
        N weights, or as many as `orders`; all 0 where no order that has a weight has n-grams.

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
    rest, whole = reduce(add, used), sum(weights)
    return [divide(weight * whole, rest, rest > 0) for weight in used]


def precisions(rows: Int64, options: Options) -> Precisions:
    """The precision of each order after smoothing, and which orders have any n-grams.

    Args:
        rows: int64 [..., 2 N + 2].
        options: `smooth_method` and `smooth_value` are looked at.

    Returns:
        N times float64 [...] from 0 to 1, and N times bool [...].
    """
    return _smooth(_split_rows(rows), options)


def brevity_penalty(length: Number, reference_length: Number) -> Number:
    """1 where the predictions are at least as long as the references, exp(1 - r/c) where shorter, 0 where empty.

    Args:
        length: c, the length of the predictions.
        reference_length: r, the effective length of their references.

    >>> print(f"{brevity_penalty(3.0, 4.0):.4f}")
    0.7165
    """
    is_short = length < reference_length
    ratio = divide(reference_length, length, is_short & (length > 0))
    return choose(is_short, choose(length > 0, np.exp(1 - ratio), 0.0), 1.0)


def count_wins(deltas: Float64) -> dict[str, int]:
    """In how many segments a system scores higher than another, as high, and lower; a float's last digits decide none.

    Args:
        deltas: float64 [segments], its score less the other's.

    >>> count_wins(np.array([0.5, 0.0, 1e-17, -0.25]))
    {'wins': 1, 'ties': 2, 'losses': 1}
    """
    wins, losses = int((deltas > NOISE).sum()), int((deltas < -NOISE).sum())
    return {"wins": wins, "ties": len(deltas) - wins - losses, "losses": losses}


def make_result(row: Int64, options: Options) -> dict[str, Any]:
    """What `compute` returns of a corpus, but for the signature: plain Python types, 0 to 1 except `score`.

    Args:
        row: int64 [2 N + 2], the sum of the corpus's rows.
        options: those that decide the number.
    """
    statistics, orders = _split_rows(row), range(1, options.max_order + 1)
    smoothed = _smooth(statistics, options)
    penalty = float(brevity_penalty(statistics.length, statistics.reference_length))
    logarithms = [_log(value) for value in smoothed.values]
    by_order = [_combine(order_weights(smoothed.present, options, n), logarithms, penalty) for n in orders]
    score = by_order[-1]
    if options.weights is not None:
        score = _combine(order_weights(smoothed.present, options), logarithms, penalty)
    *counts, length, reference_length = row.tolist()
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


class _Statistics(NamedTuple):
    """Statistics rows taken apart: a float each, or float64 [...]."""

    matches: Sequence[Number]
    totals: Sequence[Number]
    length: Number
    reference_length: Number


def _split_rows(rows: Int64) -> _Statistics:
    rows = np.asarray(rows)
    numbers: Any = rows.astype(float).tolist() if rows.ndim == 1 else np.moveaxis(rows, -1, 0).astype(float, order="C")
    orders = len(numbers) // 2 - 1
    return _Statistics(numbers[:orders], numbers[orders:-2], numbers[-2], numbers[-1])


def _smooth(statistics: _Statistics, options: Options) -> Precisions:
    orders = options.counted_orders  # the rows may have been counted with more
    matches, totals = statistics.matches[:orders], statistics.totals[:orders]
    # Smoothing is for orders without a match, not for predictions without one (mjpost/sacrebleu issue 141).
    has_match = reduce(or_, [match > 0 for match in matches[: options.max_order]])
    value = options.smooth_value_in_effect or 0.0
    matches, totals = SMOOTHING[options.smooth_method](matches, totals, statistics.length, value)
    present = has_ngrams(totals)
    values = [_divide_counts(*counts) for counts in zip(matches, totals, present)]
    if options.smooth_method != "laplace" and has_match is not True:
        values = [choose(has_match, value, 0.0) for value in values]
    return Precisions(values, present)


def _combine(weights: Sequence[Number], logarithms: Sequence[Number], penalty: Number) -> Number:
    """BP · exp(Σ w ln p), 0 where no order has a weight."""
    total, has_weight = 0.0, False
    for weight, logarithm in zip(weights, logarithms):
        flag = weight > 0
        has_weight = has_weight | flag
        if isinstance(flag, np.ndarray):  # without a weight, nothing even of minus infinity
            total = total + np.multiply(weight, logarithm, out=np.zeros(flag.shape), where=flag)
        elif flag:
            total = total + weight * logarithm
    score = choose(has_weight, penalty * np.exp(total), 0.0)
    return score if isinstance(score, np.ndarray) else float(score)


def _log(value: Number) -> Number:
    if isinstance(value, np.ndarray):
        with np.errstate(divide="ignore"):
            return np.log(value)
    return float(np.log(value)) if value > 0 else -math.inf


def _divide_counts(match: Number, total: Number, flag: Number) -> Number:
    """A precision: at most 1, and 0 where there is no n-gram."""
    if isinstance(flag, np.ndarray):
        return np.minimum(divide(match, total, flag), 1.0)
    return min(float(match / total), 1.0) if flag else 0.0
