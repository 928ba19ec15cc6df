"""Self-BLEU (Zhu et al., 2018): how much a set of texts repeats itself, each scored against all the others.

An occurrence of an n-gram matches if another text has it too, so that counting the texts that have it is enough: the
time is that of reading the texts, not of comparing each with each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from .bleu_counting import REFERENCE_LENGTHS
from .bleu_ngrams import ngram_occurrences
from .bleu_options import Options
from .bleu_scoring import bleu
from .bleu_tokens import numbered_tokens


def self_bleu(texts: pa.ChunkedArray, options: Options) -> np.ndarray:
    """The segment score of each text with all the others as its references.

    Args:
        texts: what `bleu_inputs.text_columns` returns, two or more.
        options: those that decide the number; effective order is on.

    Returns:
        float64 [texts].

    Raises:
        ValueError: there is only one text.

    The second "b" of the last text is in no other:

    >>> self_bleu(pa.chunked_array([["a b", "a b", "b b"]]), Options(max_order=1))
    array([1. , 1. , 0.5])
    """
    if len(texts) < 2:
        raise ValueError("There is one text, and no other to compare it with: give two or more.")
    rows = _rows(*numbered_tokens({"texts": texts}, options), options)
    return bleu(rows, replace(options, effective_order=True))


def _rows(numbers: np.ndarray, offsets: np.ndarray, options: Options) -> np.ndarray:
    """The statistics row of each text with all the others as its references, int64 [texts, 2 N + 2]."""
    lengths, orders = np.diff(offsets), np.arange(options.counted_orders)[:, np.newaxis]
    matches = [
        np.bincount(texts[np.bincount(ngrams)[ngrams] > 1], minlength=len(lengths))
        for texts, ngrams in ngram_occurrences(numbers, offsets, options.counted_orders)
    ]
    totals = np.maximum(lengths - orders, options.minimum_total)
    return np.vstack([matches, totals, lengths, _others_lengths(lengths, options.reference_length)]).T


def _others_lengths(lengths: np.ndarray, reference_length: str) -> np.ndarray:
    """The effective reference length of each text: texts as long as each other have the same."""
    different, which, texts = np.unique(lengths, return_inverse=True, return_counts=True)
    effective = []
    for i, length in enumerate(different.tolist()):
        # Of the others the longest and the shortest, and the nearest on either side: no definition looks further.
        around = {0, 1, i - 1, i, i + 1, len(different) - 2, len(different) - 1} & set(range(len(different)))
        others = [int(different[k]) for k in sorted(around) if k != i or texts[k] > 1]
        effective.append(REFERENCE_LENGTHS[reference_length](length, others))
    return np.array(effective)[which]
