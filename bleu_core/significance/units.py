"""What resampling draws: segments, or sums of documents; in groups, if there are labels.

Methods divide rows with `divide_into_units`; all else in this folder takes `Units`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..options.options import Options
from ..options.signature import Origin
from ..rows.statistics import Counted, Group, sum_by_number
from ..rules.layout import Layout
from ..rules.scoring import bleu
from ..shared.arrays import Bool, Float64, Int64, Label
from ..text.labels import number_labels
from .resampling import ROWS_PER_SCORE, StatisticsRows, run_slices, sum_rows


class Units(NamedTuple):
    """What resampling draws: segments, or sums of documents.

    rows: of each system, int64 [units, 2 N + 2].
    noun: `"segment"` or `"document"`.
    present: bool [units], the units of the group of the rows, which are 0 for all others; None if
        all units belong to it.
    """

    rows: StatisticsRows
    noun: str
    present: Bool | None = None

    @property
    def size(self) -> int:
        """The number of units."""
        return len(self.rows[0])

    @property
    def totals(self) -> Int64:
        """The sum of the rows of each system: int64 [systems, 2 N + 2]."""
        return sum_rows(self.rows)

    @property
    def effective_size(self) -> float:
        """The number of units of equal size that weigh as much: (Σ sizes)² / Σ sizes².

        The size of a document is its reference tokens, for the first system. Segments all count.
        """
        if self.noun == "segment":
            return self.size
        rows = self.rows[0]
        layout = Layout.of_width(rows.shape[-1])
        sizes = rows[:, layout.reference_length].astype(float)
        squares = (sizes**2).sum()
        return float(sizes.sum() ** 2 / squares) if squares else float(self.size)

    @property
    def can_resample(self) -> bool:
        """True if resamples differ: there are several units."""
        return self.size > 1

    @property
    def documents(self) -> int | None:
        """The number of documents; None for segments."""
        return self.size if self.noun == "document" else None


class GroupRows(NamedTuple):
    """The rows of a group, of one system or several.

    label: the label of the group.
    origin: the tokenizer and the number of references.
    rows: of each system, int64 [segments, 2 N + 2].
    units: what resampling draws in this group.
    units_of_corpus: what resampling draws for the average of all groups if they share documents:
        those of the whole corpus; None if each group has documents of its own.
    """

    label: Label
    origin: Origin
    rows: StatisticsRows
    units: Units
    units_of_corpus: Units | None


def divide_into_units(
    counted: Counted, rows: StatisticsRows, segments: Int64 | None = None
) -> Units:
    """Return what resampling draws; documents are in the order of first appearance.

    Args:
        counted: the documents.
        rows: of each system, int64 [segments, 2 N + 2]; all systems have these documents.
        segments: the segments in `rows`; None for all.

    >>> rows = np.array([[1, 1, 1, 1], [0, 2, 2, 3], [0, 1, 1, 1]])
    >>> counted = Counted(rows, Origin("13a", "1"), documents=["b", "a", "b"])
    >>> [of_system.tolist() for of_system in divide_into_units(counted, [rows]).rows]
    [[[1, 2, 2, 2], [0, 2, 2, 3]]]
    """
    numbers = counted.document_numbers
    if numbers is None:
        return Units(rows, "segment")
    if segments is not None:
        numbers = number_labels(numbers[segments].tolist())
    return Units(sum_by_number(rows, numbers), "document")


def count_units_of_groups(counted: Counted) -> list[int]:
    """Return the number of units of each group."""
    numbers = counted.document_numbers
    if numbers is None:
        return [len(group.segments) for group in counted.groups.values()]
    return [len(np.unique(numbers[group.segments])) for group in counted.groups.values()]


def list_groups(counted: Counted, rows: StatisticsRows) -> Iterator[GroupRows]:
    """Yield the rows of each group; `rows` are as in `divide_into_units`.

    A group that the caller deletes is not kept here, so that one group at a time is in memory.
    """
    for label, group in counted.groups.items():
        yield _take_group(label, group, counted, rows)


def _take_group(label: Label, group: Group, counted: Counted, rows: StatisticsRows) -> GroupRows:
    """Return the rows of a group."""
    group_rows = _take_segments(rows, group.segments)
    units = divide_into_units(counted, group_rows, group.segments)
    units_of_corpus = None
    numbers = counted.document_numbers
    if numbers is not None and counted.shared_documents:
        present = np.zeros(int(numbers.max()) + 1, bool)
        present[numbers[group.segments]] = True
        rows_of_corpus = []
        for sums in sum_by_number(group_rows, numbers[group.segments]):
            of_corpus = np.zeros((len(present), sums.shape[-1]), np.int64)
            of_corpus[present] = sums
            rows_of_corpus.append(of_corpus)
        units_of_corpus = Units(rows_of_corpus, "document", present)
    return GroupRows(label, group.origin, group_rows, units, units_of_corpus)


def _take_segments(rows: StatisticsRows, segments: Int64) -> StatisticsRows:
    """Return the rows of segments, given in ascending order."""
    first = int(segments[0])
    end = int(segments[-1]) + 1
    if end - first == len(segments):  # adjacent, as in joined test sets: a view takes no memory
        return [of_system[first:end] for of_system in rows]
    return [of_system[segments] for of_system in rows]


def score_units(rows: StatisticsRows, options: Options, totals: Int64 | None = None) -> Float64:
    """Return BLEU of each unit, or of the corpus without it: float64 [systems, units].

    What it takes beside the scores does not grow with the number of units.

    Args:
        rows: of each system, int64 [units, 2 N + 2].
        options: as for `bleu`.
        totals: int64 [systems, 2 N + 2], to score the corpus without each unit; None for the units.

    >>> rows = np.array([[1, 1, 1, 1], [0, 1, 1, 1]])
    >>> options = Options(max_order=1)
    >>> score_units([rows], options).tolist(), score_units([rows], options, rows[:1] + rows[1:])
    ([[1.0, 0.0]], array([[0., 1.]]))
    """
    size = len(rows[0])
    scores = np.empty((len(rows), size))
    for systems in run_slices(len(rows), max(1, ROWS_PER_SCORE // size)):
        for units in run_slices(size, ROWS_PER_SCORE):
            block = np.stack([of_system[units] for of_system in rows[systems]])
            if totals is not None:
                block = totals[systems, np.newaxis] - block
            scores[systems, units] = bleu(block, options)
    return scores
