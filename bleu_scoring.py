"""Statistics rows to the number: precisions, smoothing, brevity penalty, weights.

One definition for every use: the functions take int64 rows [..., 2 N + 2] (matches, totals, prediction length,
reference length) of a segment, a corpus or a thousand resampled corpora, and never change them. Everything is on the
scale from 0 to 1, where a perfect prediction comes out as exactly 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bleu_options import Options
from .bleu_smoothing import METHODS, present, ratio


def bleu(rows: np.ndarray, options: Options, orders: int | None = None) -> np.ndarray:
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
    smoothed, there = precisions(rows, options)
    weights = order_weights(there, options, orders)
    with np.errstate(divide="ignore"):
        logarithms = np.log(smoothed[: len(weights)])
    geometric_mean = np.exp(
        np.multiply(weights, logarithms, out=np.zeros_like(logarithms), where=weights > 0).sum(axis=0)
    )
    return np.where(weights.any(axis=0) & _scorable(rows, options), brevity_penalty(rows) * geometric_mean, 0.0)


def order_weights(there: np.ndarray, options: Options, orders: int | None = None) -> np.ndarray:
    """The weight w of each order in BP · exp(Σ w ln p).

    With effective order, one that's left out leaves its weight to the others, so that equal weights give the mean over
    what there is.

    Args:
        there: bool [N, ...], which orders there are n-grams of, as `precisions` returns it.
        options: `weights` and `effective_order` are looked at.
        orders: n-grams up to this order, all with the same weight. By default all N, with `options.weights`.

    Returns:
        float64 [N, ...], or as many as `orders`, with 1 in the place of other dimensions where all have the same; all
        0 where no order with a weight is there.

    >>> order_weights(np.array([True, True, False, False]), Options(effective_order=True))
    array([0.5, 0.5, 0. , 0. ])
    """
    if orders or options.weights is None:
        orders = orders or len(there)
        weights = np.full(orders, 1 / orders)
    else:
        weights = np.array(options.weights)
    weights = weights.reshape(-1, *(1 for _ in there.shape[1:]))
    if not options.effective_order:
        return weights
    used = weights * there[: len(weights)]
    left = used.sum(axis=0)
    return np.divide(used * weights.sum(), left, out=np.zeros_like(used), where=left > 0)


def precisions(rows: np.ndarray, options: Options) -> tuple[np.ndarray, np.ndarray]:
    """The precision of each order after smoothing, and which orders there are n-grams of.

    Args:
        rows: int64 [..., 2 N + 2].
        options: `smooth_method` and `smooth_value` are looked at.

    Returns:
        float64 [N, ...] from 0 to 1, and bool [N, ...].
    """
    method = METHODS[options.smooth_method]
    matches, totals = (counts.astype(float, order="C") for counts in _split(rows, options.counted_orders))
    value = method.value if options.smooth_value is None else options.smooth_value
    matches, totals = method.smooth(matches, totals, np.asarray(rows)[..., -2], value)
    smoothed = np.minimum(ratio(matches, totals), 1.0)
    return np.where(_scorable(rows, options), smoothed, 0.0), present(totals)


def brevity_penalty(rows: np.ndarray) -> np.ndarray:
    """1 where the predictions are longer than the references, exp(1 - r/c) where not, 0 where there are none.

    >>> brevity_penalty(np.array([[3, 3, 3, 4], [3, 3, 4, 3], [0, 0, 0, 3]])).round(4).tolist()
    [0.7165, 1.0, 0.0]
    """
    rows = np.asarray(rows)
    predicted, reference = rows[..., -2].astype(float), rows[..., -1].astype(float)
    ratio = np.divide(reference, predicted, out=np.full_like(predicted, np.inf), where=predicted > 0)
    return np.where(predicted >= reference, 1.0, np.exp(1 - np.maximum(ratio, 1)))


def result(row: np.ndarray, options: Options) -> dict[str, Any]:
    """What `compute` returns of a corpus, but for the signature: plain Python types, 0 to 1 except `score`.

    Args:
        row: int64 [2 N + 2], the sum of the corpus's rows.
        options: those that decide the number.
    """
    row = np.asarray(row)
    matches, totals = _split(row, options.max_order)
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


def _split(rows: np.ndarray, orders: int) -> tuple[np.ndarray, np.ndarray]:
    """Matches and totals of so many orders, [orders, ...]; the rows may have been counted with more."""
    counts = np.moveaxis(np.asarray(rows), -1, 0)
    counted = len(counts) // 2 - 1
    return counts[:orders], counts[counted : counted + orders]


def _scorable(rows: np.ndarray, options: Options) -> np.ndarray:
    # Smoothing is for orders without a match, not for predictions without one (mjpost/sacrebleu issue 141).
    matches, _ = _split(rows, options.max_order)
    return matches.any(axis=0) | (options.smooth_method == "laplace")
