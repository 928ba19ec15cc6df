"""Resampled statistics to intervals.

The draws are those of sacreBLEU 2.6 for the same seed and count, from a generator of its own: no global random state.
"""

from __future__ import annotations

import numpy as np

from .bleu_options import Options
from .bleu_scoring import bleu

_BLOCK = 1 << 22  # indices drawn at once, so that memory doesn't grow with the number of resamples


def bootstrap_scores(rows: np.ndarray, options: Options) -> np.ndarray:
    """BLEU of corpora drawn with replacement from the segments (Koehn, 2004).

    Args:
        rows: int64 [segments, 2 N + 2].
        options: `n_resamples`, `seed` (None: a different draw each time) and those that decide the number.

    Returns:
        float64 [n_resamples].
    """
    generator = np.random.default_rng(options.seed)
    sums = np.empty((options.n_resamples, rows.shape[1]), np.int64)
    at_once = max(1, _BLOCK // len(rows))
    for start in range(0, options.n_resamples, at_once):
        block = sums[start : start + at_once]
        drawn = generator.integers(len(rows), size=(len(block), len(rows)))
        for resample, indices in enumerate(drawn):
            block[resample] = np.bincount(indices, minlength=len(rows)) @ rows
    return bleu(sums, options)


def interval(scores: np.ndarray, confidence: float) -> list[float]:
    """The scores between which the middle `confidence` of them lies, as sacreBLEU counts them off at 0.95.

    >>> interval(np.arange(1000) / 1000, 0.95)
    [0.025, 0.974]
    """
    # 1000 * (1 - 0.95) / 2 is 25.000000000000021: without rounding first, 39 would be taken for 40 somewhere.
    outside = int(round(len(scores) * (1 - confidence) / 2, 9))
    ordered = np.sort(scores)
    return [float(ordered[outside]), float(ordered[len(scores) - outside - 1])]
