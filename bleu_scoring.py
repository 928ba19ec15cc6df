"""Statistics rows to the number: precisions, smoothing, brevity penalty, weights.

One definition for every use: the functions take int64 rows [..., 2 N + 2] (matches, totals, prediction length,
reference length) of a segment, a corpus or a thousand resampled corpora, and never change them. Everything is on the
scale from 0 to 1, where a perfect prediction comes out as exactly 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bleu_arrow import Int64
from .bleu_options import Options
from .bleu_smoothing import SMOOTHING, Counts, Flags, divide_counts, has_ngrams

NOISE = 1e-11  # scores that differ by less are equal, but for the order in which floats were added


def bleu(rows: Int64, options: Options, orders: int | None = None) -> Counts:
    """BLEU of each row (Papineni et al., 2002, section 2.3), from 0 to 1.

    Args:
        rows: int64 [..., 2 N + 2].
        options: `smooth_method`, `smooth_value`, `effective_order`, `weights` are looked at.
        orders: BLEU-n: as for `order_weights`.

    Returns:
        float64 [...].

    Three of four words are right and one bigram of three: BLEU-2 is the root of 3/4 · 1/3.

    >>> row = np.array([3, 1, 0, 0, 4, 3, 2, 1, 4, 4])
    >>> print(f"{bleu(row, Options(), orders=2):.4f}")
    0.5000
    """
    smoothed, present = precisions(rows, options)
    weights = order_weights(present, options, orders)
    with np.errstate(divide="ignore"):
        logarithms = np.log(smoothed[: len(weights)])
    geometric_mean = np.exp(
        np.multiply(weights, logarithms, out=np.zeros_like(logarithms), where=weights > 0).sum(axis=0)
    )
    return np.where(weights.any(axis=0) & _is_scorable(rows, options), brevity_penalty(rows) * geometric_mean, 0.0)


def order_weights(present: Flags, options: Options, orders: int | None = None) -> Counts:
    """The weight w of each order in BP · exp(Σ w ln p).

    With effective order, an order that is left out leaves its weight to the others, so that equal weights give the mean
    over the orders that remain.

    Args:
        present: bool [N, ...], which orders have any n-grams, as `precisions` returns it.
        options: `weights` and `effective_order` are looked at.
        orders: n-grams up to this order, all with the same weight. By default all N, with `options.weights`.

    Returns:
        float64 [N, ...], or as many as `orders`, with 1 in the place of other dimensions where all have the same; all
        0 where no order that has a weight has n-grams.

    >>> order_weights(np.array([True, True, False, False]), Options(effective_order=True))
    array([0.5, 0.5, 0. , 0. ])
    """
    if orders or options.weights is None:
        orders = orders or len(present)
        weights = np.full(orders, 1 / orders)
    else:
        weights = np.array(options.weights)
    weights = weights.reshape(-1, *(1 for _ in present.shape[1:]))
    if not options.effective_order:
        return weights
    used = weights * present[: len(weights)]
    rest = used.sum(axis=0)
    return np.divide(used * weights.sum(), rest, out=np.zeros_like(used), where=rest > 0)


def precisions(rows: Int64, options: Options) -> tuple[Counts, Flags]:
    """The precision of each order after smoothing, and which orders have any n-grams.

    Args:
        rows: int64 [..., 2 N + 2].
        options: `smooth_method` and `smooth_value` are looked at.

    Returns:
        float64 [N, ...] from 0 to 1, and bool [N, ...].
    """
    matches, totals = (counts.astype(float, order="C") for counts in _split_row(rows, options.counted_orders))
    lengths, value = np.asarray(rows)[..., -2], options.smooth_value_in_effect or 0.0
    matches, totals = SMOOTHING[options.smooth_method](matches, totals, lengths, value)
    smoothed = np.minimum(divide_counts(matches, totals), 1.0)
    return np.where(_is_scorable(rows, options), smoothed, 0.0), has_ngrams(totals)


def brevity_penalty(rows: Int64) -> Counts:
    """1 where the predictions are at least as long as the references, exp(1 - r/c) where shorter, 0 where empty.

    >>> brevity_penalty(np.array([[3, 3, 3, 4], [3, 3, 4, 3], [0, 0, 0, 3]])).round(4).tolist()
    [0.7165, 1.0, 0.0]
    """
    rows = np.asarray(rows)
    predicted, reference = rows[..., -2].astype(float), rows[..., -1].astype(float)
    ratio = np.divide(reference, predicted, out=np.full_like(predicted, np.inf), where=predicted > 0)
    return np.where(predicted >= reference, 1.0, np.exp(1 - np.maximum(ratio, 1)))


def count_wins(deltas: Counts) -> dict[str, int]:
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
    row = np.asarray(row)
    matches, totals = _split_row(row, options.max_order)
    score = float(bleu(row, options))
    predicted, reference = int(row[-2]), int(row[-1])
    return {
        "bleu": score,
        "score": 100 * score,
        "precisions": precisions(row, options)[0].tolist(),
        "brevity_penalty": float(brevity_penalty(row)),
        "length_ratio": predicted / reference if reference else 0.0,
        "translation_length": predicted,
        "reference_length": reference,
        "counts": matches.tolist(),
        "totals": totals.tolist(),
        "bleu_by_order": [float(bleu(row, options, order)) for order in range(1, len(matches) + 1)],
    }


def _split_row(rows: Int64, orders: int) -> tuple[Int64, Int64]:
    """Matches and totals of so many orders, [orders, ...]; the rows may have been counted with more."""
    counts = np.moveaxis(np.asarray(rows), -1, 0)
    counted = len(counts) // 2 - 1
    return counts[:orders], counts[counted : counted + orders]


def _is_scorable(rows: Int64, options: Options) -> Flags:
    # Smoothing is for orders without a match, not for predictions without one (mjpost/sacrebleu issue 141).
    matches, _ = _split_row(rows, options.max_order)
    return np.asarray(matches.any(axis=0) | (options.smooth_method == "laplace"))
