"""Self-BLEU (Zhu et al., 2018): how much a set of texts repeats itself, each scored against all the others.

An occurrence of an n-gram matches if another text has it too, so that counting the texts that have it is enough: the
time is that of reading the texts, not of comparing each with each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .bleu_arrow import Int64
from .bleu_corpus import Texts
from .bleu_counting import REFERENCE_LENGTHS
from .bleu_options import Options, make_signature
from .bleu_scoring import bleu
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_vocabulary import number_ngrams, number_texts
from .bleu_warnings import warn_about_text


def score_against_others(texts: Texts, options: Options) -> dict[str, Any]:
    """The segment score of each text with all the others as its references, and their mean.

    Args:
        texts: one column of two texts or more.
        options: those that decide the number; effective order is on.

    Returns:
        What `BleuMetric.self_bleu` documents.

    Raises:
        ValueError: there is only one text.

    The second "b" of the last text is in no other:

    >>> score_against_others(read_texts(texts=["a b", "a b", "b b"]), Options(max_order=1))["segment_bleu"]
    [1.0, 1.0, 0.5]
    """
    (column,) = texts.columns.values()
    if len(column) < 2:
        raise ValueError("There is one text, and no other to compare it with: give two or more.")
    warn_about_text(column, options.tokenize)
    tokenizer, options = choose_tokenizer(options, texts.kind), replace(options, effective_order=True)
    scores = bleu(_count_rows(*number_texts(texts, tokenizer), options), options)
    signature = make_signature(options, tokenizer.name, str(len(column) - 1))
    return {"self_bleu": float(scores.mean()), "segment_bleu": scores.tolist(), "signature": signature}


def _count_rows(numbers: Int64, offsets: Int64, options: Options) -> Int64:
    """The statistics row of each text with all the others as its references, int64 [texts, 2 N + 2]."""
    lengths, orders = np.diff(offsets), np.arange(options.counted_orders)[:, np.newaxis]
    matches = [
        np.bincount(texts[np.bincount(ngrams)[ngrams] > 1], minlength=len(lengths))
        for texts, ngrams in number_ngrams(numbers, offsets, options.counted_orders)
    ]
    totals = np.maximum(lengths - orders, options.minimum_total)
    return np.vstack([matches, totals, lengths, _find_effective_lengths(lengths, options.reference_length)]).T


def _find_effective_lengths(lengths: Int64, reference_length: str) -> Int64:
    """The effective reference length of each text: texts as long as each other have the same."""
    different, which, texts = np.unique(lengths, return_inverse=True, return_counts=True)
    effective = []
    for i, length in enumerate(different.tolist()):
        # Of the others the longest and the shortest, and the nearest on either side: no definition looks further.
        around = {0, 1, i - 1, i, i + 1, len(different) - 2, len(different) - 1} & set(range(len(different)))
        others = [int(different[k]) for k in sorted(around) if k != i or texts[k] > 1]
        effective.append(REFERENCE_LENGTHS[reference_length](length, others))
    return np.array(effective)[which]
