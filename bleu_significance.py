"""Resampled statistics to intervals and p-values.

The draws are those of sacreBLEU 2.6 for the same seed and count, from a generator of its own: no global random state.
What sacreBLEU holds at once, resamples x segments x statistics, is never there: a resample is how often each segment
was drawn, and its statistics are one product with the rows. In float64 sums of integers are exact up to 2^53.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from datasets.utils import tqdm

from .bleu_arrow import Float64, Int64
from .bleu_options import Options
from .bleu_scoring import NOISE, bleu

_BLOCK = 1 << 22  # numbers held at once: how often each segment was drawn in some of the resamples
_ROWS = 8  # of a product of matrices, and
_MULTIPLICATIONS = 10**6  # in it
_EXACT_IN_FLOAT32 = 1 << 24


def bootstrap_scores(rows: Int64, options: Options, generator: np.random.Generator, resamples: int) -> Float64:
    """BLEU of systems on corpora drawn with replacement from the segments (Koehn, 2004).

    Args:
        rows: int64 [systems, segments, 2 N + 2]. All systems are scored on the same draws.
        options: those that decide the number.
        generator: where the draws come from; it is left where the last one was taken.
        resamples: how many corpora.

    Returns:
        float64 [resamples, systems], from 0 to 1.

    >>> rows = np.array([[[1, 1, 1, 1], [0, 1, 1, 1]]])
    >>> bootstrap_scores(rows, Options(max_order=1), np.random.default_rng(0), 5).tolist()
    [[0.0], [0.5], [1.0], [1.0], [0.5]]
    """
    segments = rows.shape[1]
    weights = _join_systems(rows)
    sums = np.empty((resamples, weights.shape[1]))
    for block in _blocks("Bootstrap", resamples, max(1, _BLOCK // segments)):
        drawn = generator.integers(segments, size=(len(sums[block]), segments))
        times = np.array([np.bincount(indices, minlength=segments) for indices in drawn])
        sums[block] = _multiply(times, weights)
    return bleu(_part_systems(sums, rows), options)


def randomization_differences(rows: Int64, options: Options, generator: np.random.Generator, trials: int) -> Float64:
    """Differences of BLEU between two systems whose outputs were exchanged at random, segment by segment.

    Approximate randomization (Noreen, 1989; Riezler and Maxwell, 2005), of each system with the first.

    Args:
        rows: int64 [systems, segments, 2 N + 2], the baseline first.
        options: those that decide the number.
        generator: where the draws come from; it is left where the last one was taken.
        trials: how many exchanges.

    Returns:
        float64 [trials, systems - 1], absolute values, from 0 to 1.

    >>> rows = np.array([[[1, 1, 1, 1]], [[0, 1, 1, 1]]])
    >>> randomization_differences(rows, Options(max_order=1), np.random.default_rng(0), 3).tolist()
    [[1.0], [1.0], [1.0]]
    """
    baseline, others = rows[0], rows[1:]
    segments = baseline.shape[0]
    gains = _join_systems(baseline - others)
    exchanged = np.empty((trials, gains.shape[1]))
    # The generator takes 32 draws from one number and starts a new one at each call: so many trials leave none over.
    for block in _blocks("Randomization", trials, 32 * max(1, _BLOCK // (32 * segments))):
        taken = generator.integers(2, size=(len(exchanged[block]), segments), dtype=bool)
        exchanged[block] = _multiply(taken, gains)
    moved = _part_systems(exchanged, others)
    return np.abs(bleu(others.sum(axis=1) + moved, options) - bleu(baseline.sum(axis=0) - moved, options))


def interval(scores: Float64, confidence: float) -> list[float]:
    """The scores between which the middle `confidence` of them lies, as sacreBLEU counts them off at 0.95.

    >>> interval(np.arange(1000) / 1000, 0.95)
    [0.025, 0.974]
    """
    # 1000 * (1 - 0.95) / 2 is 25.000000000000021: without rounding first, 39 would be taken for 40 somewhere.
    outside = int(round(len(scores) * (1 - confidence) / 2, 9))
    ordered = np.sort(scores)
    return [float(ordered[outside]), float(ordered[len(scores) - outside - 1])]


def p_value(differences: Float64, observed: float) -> float:
    """(c + 1) / (n + 1), where c of the n differences are at least as large as the observed one.

    The ones keep the probability of a false alarm at the level asked for, however few trials there are (Noreen, 1989).
    sacreBLEU counts only larger differences: the same number where nothing ties, but two identical systems have the
    smallest p there is, and so has a system that differs in one segment under randomization, where every trial ties.

    >>> p_value(np.array([0.1, 0.2, 0.3, 0.4]), 0.3)
    0.6
    """
    return float((np.sum(differences >= observed - NOISE) + 1) / (len(differences) + 1))


def detectable_difference(differences: Float64) -> float:
    """The smallest difference that a test set tells with 80 % power at the level of 5 %.

    So many standard errors of the paired differences that a true difference of this size is found in four of five
    test sets (Card et al., 2020, "With Little Power Comes Great Responsibility").

    Args:
        differences: float64 [resamples], the paired differences on resampled corpora.

    >>> round(detectable_difference(np.array([-0.01, 0.01])), 4)
    0.028
    """
    normal = NormalDist()
    return float((normal.inv_cdf(0.975) + normal.inv_cdf(0.8)) * differences.std())


def _multiply(times: np.ndarray[Any, Any], weights: Int64) -> Float64:
    """How often each segment was taken, times its statistics: float64 [resamples, statistics], exact.

    In pieces for which OpenBLAS starts no threads. These wait for each other at every product, which on a machine with
    other work to do takes many times as long as the product.
    """
    sums = np.zeros((len(times), weights.shape[1]))
    is_small = len(weights) * np.abs(weights).max() < _EXACT_IN_FLOAT32
    factors = weights.astype(np.float32 if is_small else np.float64)
    parts = _slices(len(weights), max(1, _MULTIPLICATIONS // (_ROWS * weights.shape[1])))
    for some in _slices(len(times), _ROWS):
        for part in parts:
            sums[some] += times[some, part].astype(factors.dtype) @ factors[part]
    return sums


def _join_systems(rows: Int64) -> Int64:
    return np.concatenate(list(rows), axis=1)


def _part_systems(sums: Float64, rows: Int64) -> Int64:
    return sums.reshape(len(sums), rows.shape[0], rows.shape[2]).astype(np.int64)


def _blocks(what: str, total: int, size: int) -> Iterator[slice]:
    """Slices, with a progress bar if they take longer than two seconds and `datasets` shows its own."""
    with tqdm(total=total, desc=what, delay=2) as bar:
        for block in _slices(total, size):
            yield block
            bar.update(min(size, total - block.start))


def _slices(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
