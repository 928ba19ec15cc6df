"""Tokens to one statistics row a segment: clipped counts as Papineni et al. (2002) define them.

The definition, for reading; it also runs where numba can't be imported. `bleu_kernel` is the compiled twin.
A row is int64: matches_1..N, totals_1..N, prediction_length, reference_length. Rows add up to the row of a corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import reduce

Tokens = Sequence[Hashable]

# The effective reference length r of section 2.2.2: of c, the prediction's length, and the references' lengths.
REFERENCE_LENGTHS: dict[str, Callable[[int, list[int]], int]] = {
    "closest": lambda length, references: min(references, key=lambda reference: (abs(reference - length), reference)),
    "shortest": lambda length, references: min(references),
    "longest": lambda length, references: length if length in references else max(references),
}


def ngrams(tokens: Tokens, max_order: int) -> Counter:
    """How often each n-gram of 1 to `max_order` tokens occurs.

    >>> ngrams(["a", "b", "a"], 2)
    Counter({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1})
    """
    orders = range(1, max_order + 1)
    return Counter(tuple(tokens[i : i + n]) for n in orders for i in range(len(tokens) - n + 1))


def statistics_row(
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

    >>> statistics_row(["the"] * 7, ["the cat is on the mat".split(), "there is a cat on the mat".split()], max_order=2)
    [2, 0, 7, 6, 7, 7]
    """
    most_in_a_reference = reduce(Counter.__or__, (ngrams(reference, max_order) for reference in references))
    clipped = ngrams(prediction, max_order) & most_in_a_reference
    matches = [0] * max_order
    for ngram, count in clipped.items():
        matches[len(ngram) - 1] += count
    totals = [max(len(prediction) - order, 0) for order in range(max_order)]
    effective_length = REFERENCE_LENGTHS[reference_length](
        len(prediction), [len(reference) for reference in references]
    )
    return [*matches, *totals, len(prediction), effective_length]
