"""Tokens to statistics rows: clipped counts as Papineni et al. (2002) define them.

This file is to be read beside the paper. A statistics row is int64: matches_1..N, totals_1..N,
prediction_length, reference_length. These are the sufficient statistics of BLEU, and the rows of
segments add up to the row of a corpus. All that counts or scores takes their order from `Layout`.
It is that of stored tables: do not change it. `rows/kernels.py` computes rows faster.

To add a rule for the reference length, write a function and a record in `REFERENCE_LENGTHS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..shared.arrays import Int64

Tokens = Sequence[Hashable]
NGrams = Counter[tuple[Hashable, ...]]

ORDERS_OF_ANY_TEXT = 4  # no text is too long for so few
MOST_MEMORY = 2_000_000_000  # bytes for the n-grams of one text


class Layout(NamedTuple):
    """The layout of a statistics row.

    A row is matches_1 to matches_N, totals_1 to totals_N, prediction_length and reference_length;
    `orders` is N. Rows are arrays whose last axis has this layout, and tables with one column per
    name.

    >>> row = np.array([2, 1, 3, 2, 3, 4])
    >>> layout = Layout.of_width(len(row))
    >>> row[layout.matches].tolist(), row[layout.totals].tolist(), int(row[layout.reference_length])
    ([2, 1], [3, 2], 4)
    """

    orders: int

    @classmethod
    def of_width(cls, width: int) -> Layout:
        """Return the layout of rows of `width` integers."""
        return cls(width // 2 - 1)

    @property
    def width(self) -> int:
        """The number of integers in a row."""
        return 2 * self.orders + 2

    @property
    def matches(self) -> slice:
        """The clipped counts, by order."""
        return slice(0, self.orders)

    @property
    def totals(self) -> slice:
        """The numbers of n-grams of the prediction, by order."""
        return slice(self.orders, 2 * self.orders)

    @property
    def length(self) -> int:
        """The index of the length of the prediction."""
        return 2 * self.orders

    @property
    def reference_length(self) -> int:
        """The index of the effective reference length."""
        return 2 * self.orders + 1

    @property
    def names(self) -> list[str]:
        """The columns of a table of rows.

        >>> Layout(1).names
        ['matches_1', 'totals_1', 'prediction_length', 'reference_length']
        """
        orders = range(1, self.orders + 1)
        return [
            *(f"matches_{order}" for order in orders),
            *(f"totals_{order}" for order in orders),
            "prediction_length",
            "reference_length",
        ]

    def allocate(self, segments: int) -> Int64:
        """Return uninitialized rows, int64 [segments, width].

        They are Fortran-ordered, so that Arrow takes the columns without a copy.
        """
        return np.empty((self.width, segments), np.int64).T


class ReferenceLength(NamedTuple):
    """A rule for the effective reference length r of section 2.2.2.

    effective_length: the function from c, the length of the prediction, and the lengths of the
        references to r.
    says: its description, as the end of a sentence.
    """

    effective_length: Callable[[int, Sequence[int]], int]
    says: str


def find_closest(length: int, reference_lengths: Sequence[int]) -> int:
    """Return the closest length of a reference; of two that are equally close, the shorter one.

    >>> find_closest(5, [7, 6, 4])
    4
    """
    return min(reference_lengths, key=lambda reference: (abs(reference - length), reference))


def find_shortest(length: int, reference_lengths: Sequence[int]) -> int:
    """Return the shortest length of a reference; `length` is unused."""
    return min(reference_lengths)


def find_longest(length: int, reference_lengths: Sequence[int]) -> int:
    """Return the length of the prediction if a reference has it, and the longest length otherwise.

    >>> find_longest(6, [7, 6, 4]), find_longest(5, [7, 6, 4])
    (6, 7)
    """
    return length if length in reference_lengths else max(reference_lengths)


REFERENCE_LENGTHS = {
    "closest": ReferenceLength(
        find_closest, "the reference of the closest length sets the brevity penalty"
    ),
    "shortest": ReferenceLength(find_shortest, "the shortest reference sets the brevity penalty"),
    "longest": ReferenceLength(find_longest, "the longest reference sets the brevity penalty"),
}


class CountingRule(NamedTuple):
    """The options that decide how the tokens of a segment become a statistics row.

    max_order: the number of orders in the row, 1 or more.
    reference_length: a name in `REFERENCE_LENGTHS`.
    minimum_total: the minimum number of n-grams per order and segment.
    """

    max_order: int = 4
    reference_length: str = "closest"
    minimum_total: int = 0


def count_rows(
    predictions: Sequence[Tokens], references: Sequence[Tokens], bounds: Int64, rule: CountingRule
) -> Int64:
    """Count a batch of segments.

    Args:
        predictions: the tokens of each prediction.
        references: the tokens of all references, in the order of the segments.
        bounds: int64 [segments + 1], the offsets of each segment's references.
        rule: how to count.

    Returns:
        int64 [segments, 2 N + 2].

    >>> count_rows([["a", "b"]], [["a"]], np.array([0, 1]), CountingRule(max_order=1))
    array([[1, 2, 2, 1]])
    """
    rows = [
        count_segment(prediction, references[start:end], rule)
        for prediction, (start, end) in zip(predictions, pairwise(bounds.tolist()))
    ]
    return np.array(rows, np.int64).reshape(-1, Layout(rule.max_order).width)


def count_segment(
    prediction: Tokens, references: Sequence[Tokens], rule: CountingRule
) -> list[int]:
    """Count one segment.

    Args:
        prediction: the tokens of the prediction; the list may be empty.
        references: the tokens of each reference; at least one reference.
        rule: how to count.

    Returns:
        2 N + 2 integers: the clipped counts by order, the numbers of n-grams by order, the length
        of the prediction and the effective reference length.

    In example 2 of the paper, "the" occurs seven times, but matches only twice, its highest count
    in a reference:

    >>> references = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
    >>> count_segment(["the"] * 7, references, CountingRule(max_order=2))
    [2, 0, 7, 6, 7, 7]
    """
    matches = [0] * rule.max_order
    for n in range(1, rule.max_order + 1):
        counts = Counter(list_ngrams(prediction, n))
        most = count_most_ngrams(counts, references, n)
        matches[n - 1] = sum(min(counts[ngram], count) for ngram, count in most.items())
        if not matches[n - 1]:  # then no longer n-gram matches
            break
    return make_row(matches, len(prediction), [len(reference) for reference in references], rule)


def make_row(
    matches: Sequence[int], length: int, reference_lengths: Sequence[int], rule: CountingRule
) -> list[int]:
    """Return the statistics row of a prediction of `length` tokens, from its matches by order."""
    totals = [max(length - n, rule.minimum_total) for n in range(rule.max_order)]
    find_effective_length = REFERENCE_LENGTHS[rule.reference_length].effective_length
    return [*matches, *totals, length, find_effective_length(length, reference_lengths)]


def list_ngrams(tokens: Tokens, n: int) -> Iterator[tuple[Hashable, ...]]:
    """Yield the n-grams of n tokens: the tokens, beside the tokens from the second one on, ...

    >>> list(list_ngrams(["a", "b", "a"], 2))
    [('a', 'b'), ('b', 'a')]
    """
    return zip(*[tokens[start:] for start in range(n)])


def count_most_ngrams(counts: NGrams, references: Sequence[Tokens], n: int) -> NGrams:
    """Return the highest count in any reference, to which matches are clipped.

    Only n-grams in `counts`, those of the prediction, are counted.

    >>> count_most_ngrams(Counter([("a",)]), [["a", "a"], ["a", "b"]], 1)
    Counter({('a',): 2})
    """
    found = (
        Counter(filter(counts.__contains__, list_ngrams(reference, n))) for reference in references
    )
    most = next(found)
    for other in found:
        for ngram, count in other.items():
            if count > most.get(ngram, 0):
                most[ngram] = count
    return most


def count_totals(lengths: int | Int64, max_order: int, minimum_total: int) -> Int64:
    """Count the n-grams of texts by order: int64 [N, ...] for lengths [...].

    >>> count_totals(np.array([3, 1]), max_order=2, minimum_total=0)
    array([[3, 1],
           [2, 0]])
    """
    totals = np.array([lengths - n for n in range(max_order)], np.int64)
    return np.maximum(totals, minimum_total)


def check_memory(
    place: str, needed: int, *, tokens: int, max_order: int, task: str = "count"
) -> None:
    """Raise if the n-grams of one text need more than `MOST_MEMORY`, before any is made.

    Args:
        place: the text, for the error.
        needed: bytes.
        tokens, max_order: what the bytes depend on, for the error.
        task: the verb for what is done with the n-grams.
    """
    if needed > MOST_MEMORY:
        raise ValueError(
            f"{place}: to {task} the n-grams of its {tokens:,} tokens with max_order={max_order:,}"
            " takes more than 2 GB of memory. Pass a lower max_order."
        )
