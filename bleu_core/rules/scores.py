"""Statistics rows to scores: precisions, brevity penalty, weights; and warnings of scores of 0.

All methods score with `bleu`, describe a corpus with `score_row`, and call `warn_if_zero` or
`warn_about_zeros` for each score that they print.

Functions take int64 rows [..., 2 N + 2] (matches, totals, prediction length, reference length) of a
segment, a corpus or a thousand resampled corpora, and never change them. A single row becomes
Python floats, which are ten times faster than arrays of one item. Several rows become one array per
statistic. Every formula is written once for floats and arrays. Scores are on the scale 0-1; a
perfect prediction scores exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add, or_
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from ..shared.arrays import Float64, Int64, Label
from ..shared.messages import Notice, count_things, show_value, warn
from ..shared.result_types import Scores, Wins
from .counting import Layout
from .smoothing import SMOOTH_METHODS, Columns, Counts, Flag, Number, divide, has_ngrams, select

if TYPE_CHECKING:
    from ..options.options import Options


OrderWeights = tuple[float, ...] | None  # one per order; None for equal weights

NOISE = 1e-11  # scores that differ by less are equal; the order of additions alone causes it


class Precisions(NamedTuple):
    """The precision of each order and the brevity penalty, after smoothing.

    values: the precision of each order.
    present: a flag per order, set if the order has n-grams.
    brevity_penalty: the penalty of the predictions' length.
    """

    values: list[Number]
    present: list[Flag]
    brevity_penalty: Number


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


def score_row(row: Int64, options: Options) -> Scores:
    """Return the scores and counts of one corpus in plain Python types.

    Args:
        row: int64 [2 N + 2], the sum of the corpus's rows.
        options: as for `bleu`.
    """
    numbers = row.tolist()
    *_, length, reference_length = numbers
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


# --- Scores that are 0 or almost 0, with the reason and the option that helps ---------------------


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
    adds_tiny_numbers = SMOOTH_METHODS[options.smooth_method].smooths_lengths
    if score and not adds_tiny_numbers:
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
    if score and all(matches[order - 1] for order in orders):
        return
    unmatched = [order for order in orders if totals[order - 1] and not matches[order - 1]]
    if not length:
        empty = count_things(segments, "empty prediction") if segments else ""
        warn(
            Notice("zero", "{name} is 0: {predictions}"),
            name=name,
            predictions=empty or "the predictions are empty",
        )
    elif adds_tiny_numbers:
        warn(
            Notice(
                "zero",
                "{name} is close to 0: no {order}-gram of the predictions occurs in the references",
                " (`bleu_by_order` has the scores of shorter n-grams)",
            ),
            name=name,
            order=next((order for order in orders if not matches[order - 1]), longest),
        )
    elif not reference_length:
        warn(Notice("zero", "{name} is 0: the references are empty"), name=name)
    elif not matches[0]:
        warn(
            Notice("zero", "{name} is 0: no token of the predictions occurs in the references"),
            name=name,
        )
    elif not totals[longest - 1] and not options.effective_order:
        warn(
            Notice(
                "zero",
                "{name} is 0: every prediction is shorter than {tokens}, so there are no"
                " {order}-grams",
                " (effective_order=True scores only the n-grams that exist)",
                option="effective_order",
                value=True,
            ),
            name=name,
            tokens=count_things(longest, "token"),
            order=longest,
        )
    elif not totals[shortest - 1] and options.effective_order:
        warn(
            Notice(
                "zero",
                "{name} is 0: every prediction is shorter than {tokens}, the shortest n-gram with"
                " a weight",
                " (pass weights for shorter ones)",
            ),
            name=name,
            tokens=count_things(shortest, "token"),
        )
    elif unmatched:
        warn(
            Notice(
                "zero",
                "{name} is 0: no {order}-gram of the predictions occurs in the references",
                " (smooth_method='exp' avoids this)",
                option="smooth_method",
                value="exp",
            ),
            name=name,
            order=unmatched[0],
        )
    else:
        warn(
            Notice(
                "zero",
                "{name} is 0: the predictions are far too short ({length:,} against {tokens}),"
                " so the brevity penalty rounds to 0",
            ),
            name=name,
            length=length,
            tokens=count_things(reference_length, "token"),
        )


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
        warn_if_zero(
            float(bleu(total, options)),
            total,
            len(part) if has_segments else None,
            options,
            subject,
        )
