"""Every prediction with every reference: a matrix of segment scores.

The n-grams of a text are numbered once. For each of a prediction there is then a list of the references that have it,
so that a pair is counted in as many steps as it has n-grams in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .bleu_arrow import Float64, Int64
from .bleu_compiler import njit
from .bleu_corpus import Texts
from .bleu_options import Options
from .bleu_scoring import bleu
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_twins import Twins
from .bleu_vocabulary import number_ngrams, number_texts, sorted_order
from .bleu_warnings import warn_about_text

_AT_ONCE = 1 << 13  # pairs whose rows are held: few enough for a processor's cache


def score_pairs(texts: Texts, options: Options) -> Float64:
    """The segment score of each prediction with each text of the last column as its only reference.

    Args:
        texts: predictions and references, or one column that is both.
        options: those that decide the number; effective order is on.

    Returns:
        float64 [predictions, references].

    >>> texts = read_texts(predictions=["a b", "b"], references=["a b", "b c", ""])
    >>> score_pairs(texts, Options(max_order=1))
    array([[1.        , 0.5       , 0.        ],
           [0.36787944, 0.36787944, 0.        ]])
    """
    sizes = [len(column) for column in texts.columns.values()]
    warn_about_text(next(iter(texts.columns.values())), options.tokenize)
    tokens = number_texts(texts, choose_tokenizer(options, texts.kind))
    scores, options = np.empty((sizes[0], sizes[-1])), replace(options, effective_order=True)
    for start, rows in _pair_rows(*tokens, sizes[0], sizes[-1], options):
        scores[start : start + rows.shape[1]] = bleu(rows.reshape(len(rows), -1).T, options).reshape(rows.shape[1:])
    return scores


def _pair_rows(
    numbers: Int64, offsets: Int64, predictions: int, references: int, options: Options
) -> Iterator[tuple[int, Int64]]:
    """Statistics rows of some predictions at a time: which is the first, and int64 [2 N + 2, some, references].

    The predictions are the first texts, the references the last ones; all texts may be both.
    """
    lengths, orders = np.diff(offsets), np.arange(options.counted_orders)[:, np.newaxis]
    indices = [
        _index_ngrams(*ngrams, predictions, len(lengths) - references)
        for ngrams in number_ngrams(numbers, offsets, options.counted_orders)
    ]
    at_once = max(1, _AT_ONCE // references)
    for start in range(0, predictions, at_once):
        prediction_lengths = lengths[start : min(start + at_once, predictions)]
        rows = np.zeros((2 * len(orders) + 2, len(prediction_lengths), references), np.int64)
        for counts, (texts, ngrams, *lists) in zip(rows, indices):
            here = slice(*np.searchsorted(texts, [start, start + len(prediction_lengths)]))
            count_common(texts[here] - start, ngrams[here], *lists, counts)
        rows[len(orders) : -2] = np.maximum(prediction_lengths - orders, options.minimum_total)[..., np.newaxis]
        rows[-2], rows[-1] = prediction_lengths[:, np.newaxis], lengths[-references:]
        yield start, rows


def _index_ngrams(texts: Int64, ngrams: Int64, predictions: int, first_reference: int) -> tuple[Int64, ...]:
    """The predictions' n-grams, text and number, sorted by text; and for each number which references have it.

    Those are in one array, one number's after the other's; the third one says where each number's begin.
    """
    of_predictions, of_references = np.flatnonzero(texts < predictions), np.flatnonzero(texts >= first_reference)
    of_predictions = of_predictions[sorted_order(texts[of_predictions])]
    of_references = of_references[sorted_order(ngrams[of_references])]
    ends = np.cumsum(np.bincount(ngrams[of_references], minlength=ngrams.max(initial=-1) + 1))
    begins, references = np.concatenate([[0], ends]), texts[of_references] - first_reference
    return texts[of_predictions], ngrams[of_predictions], begins, references


def _count_common(texts: Int64, ngrams: Int64, begins: Int64, references: Int64, counts: Int64) -> None:
    """Adds 1 to `counts[text, reference]` for each n-gram of a text and each reference that has it."""
    for text, ngram in zip(texts, ngrams):
        for place in range(begins[ngram], begins[ngram + 1]):
            counts[text, references[place]] += 1


# NumPy alone would have to write down each pair of equal n-grams: five times the time, and memory without a bound.
_count_common_kernel: Any = njit(nogil=True, cache=True)(_count_common)
_EXAMPLE = [np.array(values) for values in ([0], [0], [0, 1], [0])]
count_common = Twins(
    _count_common,
    _count_common_kernel,
    kernel=_count_common_kernel,
    example=(*_EXAMPLE, np.zeros((1, 1), np.int64)),
    seconds_to_compile=0.2,
    seconds_a_megabyte=0.1,
)
