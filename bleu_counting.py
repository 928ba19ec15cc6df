"""Tokens to one statistics row a segment: clipped counts as Papineni et al. (2002) define them.

The definition, to be read beside the paper; it runs where the kernel doesn't. `bleu_counting_compiled` is its compiled
twin. A row is int64: matches_1..N, totals_1..N, prediction_length, reference_length. Rows add up to a corpus's row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from .bleu_arrow import Int64
from .bleu_tokenizers import list_tokens

Tokens = Sequence[Hashable]
NGrams = Counter[tuple[Hashable, ...]]

# The effective reference length r of section 2.2.2: of c, the prediction's length, and the references' lengths.
REFERENCE_LENGTHS: dict[str, Callable[[int, Sequence[int]], int]] = {
    "closest": lambda length, references: min(references, key=lambda reference: (abs(reference - length), reference)),
    "shortest": lambda length, references: min(references),
    "longest": lambda length, references: length if length in references else max(references),
}


def count_rows(
    predictions: pa.Array,
    references: pa.Array,
    bounds: Int64,
    tokenizer: str,
    max_order: int,
    reference_length: str,
) -> Int64:
    """Statistics rows of a batch of segments.

    Args:
        predictions: strings for a native tokenizer to cut, or lists of tokens or ids.
        references: all references, one row's after the other's.
        bounds: int64 [rows + 1]: which references are a row's.
        tokenizer: a native tokenizer's name, for strings.
        max_order: N, the longest n-gram, 1 or more.
        reference_length: a name in `REFERENCE_LENGTHS`.

    Returns:
        int64 [rows, 2 N + 2].

    >>> count_rows(pa.array(["a b a"]), pa.array(["a b a"]), np.array([0, 1]), "none", 1, "closest")
    array([[3, 3, 3, 3]])
    """
    reference_tokens = list_tokens(references, tokenizer)
    rows = [
        count_segment(prediction, reference_tokens[first:last], max_order, reference_length)
        for prediction, first, last in zip(list_tokens(predictions, tokenizer), bounds, bounds[1:])
    ]
    return np.array(rows, np.int64).reshape(-1, 2 * max_order + 2)


def count_segment(
    prediction: Tokens, references: Sequence[Tokens], max_order: int = 4, reference_length: str = "closest"
) -> list[int]:
    """The statistics row of one segment.

    Args:
        prediction: the prediction's tokens; none is allowed.
        references: the tokens of each reference, one reference or more.
        max_order: N, the longest n-gram, 1 or more.
        reference_length: a name in `REFERENCE_LENGTHS`.

    Returns:
        2 N + 2 integers: the clipped counts by order, the numbers of n-grams by order, the length of the prediction
        and the effective reference length.

    The paper's example 2: seven times "the" matches twice, since no reference has more.

    >>> count_segment(["the"] * 7, ["the cat is on the mat".split(), "there is a cat on the mat".split()], max_order=2)
    [2, 0, 7, 6, 7, 7]
    """
    clipped = count_ngrams(prediction, max_order) & count_most_ngrams(references, max_order)
    lengths = [len(reference) for reference in references]
    return make_row(clipped, len(prediction), REFERENCE_LENGTHS[reference_length](len(prediction), lengths), max_order)


def count_ngrams(tokens: Tokens, max_order: int) -> NGrams:
    """How often each n-gram of 1 to `max_order` tokens occurs.

    >>> count_ngrams(["a", "b", "a"], 2)
    Counter({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1})
    """
    orders = range(1, max_order + 1)
    return Counter(tuple(tokens[i : i + n]) for n in orders for i in range(len(tokens) - n + 1))


def count_most_ngrams(references: Sequence[Tokens], max_order: int) -> NGrams:
    """How often each n-gram occurs in the reference that has the most of it: so many of it may match.

    >>> count_most_ngrams([["a", "a"], ["a", "b"]], 1)
    Counter({('a',): 2, ('b',): 1})
    """
    return reduce(Counter.__or__, (count_ngrams(reference, max_order) for reference in references))


def make_row(clipped: NGrams, prediction_length: int, reference_length: int, max_order: int) -> list[int]:
    """The statistics row of a segment whose clipped counts and lengths are known.

    >>> make_row(Counter({("a",): 2, ("a", "b"): 1}), prediction_length=3, reference_length=4, max_order=2)
    [2, 1, 3, 2, 3, 4]
    """
    matches = [0] * max_order
    for ngram, count in clipped.items():
        matches[len(ngram) - 1] += count
    totals = [max(prediction_length - order, 0) for order in range(max_order)]
    return [*matches, *totals, prediction_length, reference_length]
