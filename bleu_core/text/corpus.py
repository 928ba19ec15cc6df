"""The data structure for texts: a corpus in batches.

`read.py` makes one, and all that counts takes one. It has one of three kinds:

    kind    predictions                 references of a batch, in the order of the segments
    text    large_string                large_string
    tokens  large_list<large_string>    large_list<large_string>
    ids     large_list<int64>           large_list<int64>

Every segment has a prediction and at least one reference, and there are no nulls.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..shared.arrays import (
    STRINGS,
    TEXT_TYPES,
    InputType,
    Int64,
    find_offsets,
    is_list,
    is_string,
    list_items,
    make_lists,
)
from ..shared.pickling import picklable


@picklable
class Batch(NamedTuple):
    """Consecutive segments of a corpus.

    rows: the corpus row of each segment, for errors.
    predictions: one text per segment.
    references: all references, in the order of the segments.
    bounds: int64 [segments + 1], the offset of each segment's references in `references`, and the
        end of the last segment's.
    """

    rows: Sequence[int] | Int64
    predictions: pa.Array
    references: pa.Array
    bounds: Int64

    def row_of_prediction(self, index: int) -> int:
        """Return the corpus row of the prediction at an index of `predictions`."""
        return int(self.rows[index])

    def row_of_reference(self, index: int) -> int:
        """Return the corpus row of the reference at an index of `references`.

        >>> texts, references = pa.array(["a", "b"]), pa.array(["c", "d", "e"])
        >>> Batch(range(10, 12), texts, references, np.array([0, 2, 3])).row_of_reference(2)
        11
        """
        segment = int(np.searchsorted(self.bounds, index, side="right")) - 1
        return int(self.rows[segment])

    def slice(self, start: int, size: int) -> Batch:
        """Return at most `size` segments, without a copy of the texts."""
        bounds = self.bounds[start : start + size + 1]
        first_reference = bounds[0]
        return Batch(
            rows=self.rows[start : start + size],
            predictions=self.predictions.slice(start, size),
            references=self.references.slice(first_reference, bounds[-1] - first_reference),
            bounds=bounds - first_reference,
        )

    def to_corpus(self) -> Corpus:
        """Return the segments as a corpus, whose rows are counted from 0."""
        return make_corpus([(self.predictions, self.references, self.bounds)])


@picklable
@dataclass(frozen=True)
class Corpus:
    """Predictions and references, in one or more batches of any size.

    `read.read_corpus` makes one of a user's data, `make_corpus` of arrays.
    """

    batches: tuple[Batch, ...]
    kind: InputType

    def __len__(self) -> int:
        return sum(len(batch.predictions) for batch in self.batches)

    @property
    def predictions(self) -> pa.ChunkedArray:
        """All predictions as one column."""
        return pa.chunked_array(
            [batch.predictions for batch in self.batches], TEXT_TYPES[self.kind]
        )

    @property
    def references(self) -> pa.ChunkedArray:
        """All references as one column of lists."""
        return pa.chunked_array(
            [make_lists(batch.bounds, batch.references) for batch in self.batches],
            pa.large_list(TEXT_TYPES[self.kind]),
        )

    @property
    def nbytes(self) -> int:
        """The memory of the texts in bytes."""
        return sum(batch.predictions.nbytes + batch.references.nbytes for batch in self.batches)

    def split(self, rows: int) -> Iterator[Batch]:
        """Yield the segments in order, in batches of at most `rows`."""
        for batch in self.batches:
            if len(batch.predictions) <= rows:
                yield batch
                continue
            for start in range(0, len(batch.predictions), rows):
                yield batch.slice(start, rows)

    def list_texts(self) -> tuple[list[Any], list[list[Any]]]:
        """Return the predictions, and the references of each segment, as values of Python."""
        return self.predictions.to_pylist(), self.references.to_pylist()

    def hash_texts(self) -> int:
        """Return a number that equal calls have, and hardly any others."""
        return hash((checksum_texts(self.predictions), checksum_texts(self.references)))

    def reference_count(self) -> str:
        """Return the number of references per segment as a signature has it.

        It is `"var"` if segments differ, and `"?"` without segments.

        >>> predictions = pa.array(["a", "b"], STRINGS)
        >>> references = pa.array(["c", "d", "e"], STRINGS)
        >>> make_corpus([(predictions, references, np.array([0, 1, 3]))]).reference_count()
        'var'
        """
        counts = self.reference_counts()
        if not len(counts):
            return "?"
        return str(counts[0]) if counts.min() == counts.max() else "var"

    def count_references(self) -> int:
        """Return the number of all references."""
        return sum(len(batch.references) for batch in self.batches)

    def reference_counts(self) -> Int64:
        """Return the number of references of each segment: int64 [segments]."""
        return np.concatenate([batch.bounds[1:] - batch.bounds[:-1] for batch in self.batches])

    def take(self, segments: Int64) -> Corpus:
        """Return a copy of some segments, which keep their rows.

        >>> predictions = pa.array(["a", "b"], STRINGS)
        >>> references = pa.array(["c", "d", "e"], STRINGS)
        >>> corpus = make_corpus([(predictions, references, np.array([0, 1, 3]))])
        >>> corpus.take(np.array([1])).references.to_pylist()
        [['d', 'e']]
        """
        (batch,) = self.combine().batches
        indices = pa.array(segments)
        references, bounds = list_items(make_lists(batch.bounds, batch.references).take(indices))
        taken = Batch(segments, batch.predictions.take(indices), references, bounds)
        return Corpus((taken,), self.kind)

    def combine(self) -> Corpus:
        """Return the corpus as a single batch.

        The texts are copied only if the corpus has several batches.
        """
        if len(self.batches) == 1:
            return self
        predictions = pa.concat_arrays([batch.predictions for batch in self.batches])
        references = pa.concat_arrays([batch.references for batch in self.batches])
        bounds = np.concatenate([[0], np.cumsum(self.reference_counts())])
        return make_corpus([(predictions, references, bounds)])


@picklable
class SmallCorpus(Corpus):
    """Few segments of strs, as Python has them; arrays are made when they are first asked for.

    strings: all predictions, then all references, in the order of the segments.
    data: the strings, joined as UTF-8.
    bounds: as in `Batch`.

    >>> small = SmallCorpus(["a", "b", "c", "d"], b"abcd", np.array([0, 1, 2]))
    >>> small.references.to_pylist(), small.reference_count()
    ([['c'], ['d']], '1')
    """

    strings: list[str]
    data: bytes
    bounds: Int64

    def __init__(self, strings: list[str], data: bytes, bounds: Int64) -> None:
        vars(self).update(kind="text", strings=strings, data=data, bounds=bounds)

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """The segments as one batch."""
        texts = pa.array(self.strings, STRINGS)
        size = len(self)
        return (Batch(range(size), texts[:size], texts[size:], self.bounds),)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def nbytes(self) -> int:
        """The memory of the texts in bytes."""
        return len(self.data)

    def count_references(self) -> int:
        """Return the number of all references."""
        return len(self.strings) - len(self)

    def hash_texts(self) -> int:
        """Return a number that equal calls have, and hardly any others."""
        return hash((len(self), *self.strings))

    def list_texts(self) -> tuple[list[str], list[list[str]]]:
        """Return the predictions, and the references of each segment."""
        size = len(self)
        ends = pairwise((self.bounds + size).tolist())
        return self.strings[:size], [self.strings[start:end] for start, end in ends]

    def reference_count(self) -> str:
        """Return the number of references per segment as a signature has it."""
        counts = {end - start for start, end in pairwise(self.bounds.tolist())}
        return "var" if len(counts) > 1 else str(counts.pop())


@dataclass(frozen=True)
class Texts:
    """Columns of texts of the same type, by the names that error messages use."""

    columns: dict[str, pa.ChunkedArray]
    kind: InputType


def make_corpus(parts: Sequence[tuple[pa.Array, pa.Array, Int64]], first_row: int = 0) -> Corpus:
    """Build a corpus from validated arrays.

    Each part is the predictions, the references and the bounds of one batch; there is at least one
    part. The first segment is row `first_row`.
    """
    batches = []
    start = first_row
    for predictions, references, bounds in parts:
        end = start + len(predictions)
        # Kernels do not check bounds.
        assert len(bounds) == len(predictions) + 1
        assert bounds[-1] == len(references)
        batches.append(Batch(range(start, end), predictions, references, bounds))
        start = end
    return Corpus(tuple(batches), kind_of(batches[0].predictions.type))


def check_kind(kind: InputType, added: InputType) -> None:
    """Raise unless rows are of the kind of the rows added before."""
    if kind == added:
        return
    problem = (
        f"predictions: expected {added} as in the rows added before, got {kind}."
        " Call compute() first; it scores and clears those rows."
    )
    if "text" not in (kind, added):
        problem += (
            " Empty lists are read as tokens: pass empty lists of ids as"
            " pa.array(rows, pa.list_(pa.int64()))."
        )
    raise TypeError(problem)


def join_corpora(corpora: Sequence[Corpus]) -> Corpus:
    """Concatenate the rows of corpora, which must be of one kind; without any, it is text."""
    if not corpora:
        no_texts = pa.array([], STRINGS)
        return make_corpus([(no_texts, no_texts, np.zeros(1, np.int64))])
    if len(corpora) == 1:
        return corpora[0]
    for corpus in corpora[1:]:
        check_kind(corpus.kind, corpora[0].kind)
    return make_corpus(
        [
            (batch.predictions, batch.references, batch.bounds)
            for corpus in corpora
            for batch in corpus.batches
        ]
    )


def kind_of(type_: pa.DataType) -> InputType:
    """Return the kind of a text of a type."""
    if not is_list(type_):
        return "text"
    return "tokens" if is_string(type_.value_type) else "ids"


def checksum_texts(column: pa.ChunkedArray) -> tuple[int, int, int]:
    """Return the number of texts, and checksums of their lengths and of their content.

    They do not depend on the chunks of the column.

    >>> whole, parts = pa.chunked_array([["ab", "c"]], STRINGS), [["ab"], [], ["c"]]
    >>> checksum_texts(whole) == checksum_texts(pa.chunked_array(parts, STRINGS))
    True
    """
    of_lengths = 0
    of_content = 0
    for array in column.chunks:
        items = array
        while is_list(items.type):
            items, bounds = list_items(items)
            of_lengths = zlib.crc32(np.diff(bounds).data, of_lengths)
        if is_string(items.type):
            offsets = find_offsets(items)
            of_lengths = zlib.crc32(np.diff(offsets).data, of_lengths)
            content = np.frombuffer(items.buffers()[2] or b"", np.uint8)
            of_content = zlib.crc32(content[offsets[0] : offsets[-1]].data, of_content)
        else:
            of_content = zlib.crc32(np.asarray(items).data, of_content)
    return len(column), of_lengths, of_content
