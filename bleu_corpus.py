"""What is scored: columns of texts, of what kind they are, and how many references a row has.

There are three kinds, and nothing else gets past `bleu_inputs`:

    text    predictions: string          references: list of string
    tokens  predictions: list of string  references: list of list of string
    ids     predictions: list of int64   references: list of list of int64

Each row has a prediction and one reference or more, and there is no null anywhere. Strings and lists may be of Arrow's
large types.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from .bleu_arrow import Int64, find_offsets, is_list, is_string, list_items, make_lists, pieces

Kind = Literal["text", "tokens", "ids"]

SCHEMAS = {
    "text": pa.schema({"predictions": pa.string(), "references": pa.list_(pa.string())}),
    "tokens": pa.schema({"predictions": pa.list_(pa.string()), "references": pa.list_(pa.list_(pa.string()))}),
    "ids": pa.schema({"predictions": pa.list_(pa.int64()), "references": pa.list_(pa.list_(pa.int64()))}),
}


class Batch(NamedTuple):
    """Some rows of a corpus: the predictions, all their references in one array, and where each row's begin.

    first_row: which row of the corpus the first one is.
    bounds: int64 [rows + 1].
    may_lack_spaces: whether a character of a script without spaces between words may be in the predictions.
    """

    first_row: int
    predictions: pa.Array
    references: pa.Array
    bounds: Int64
    may_lack_spaces: bool = True

    def row_of_prediction(self, place: int) -> int:
        """Which row of the corpus the prediction at a place in `predictions` is from."""
        return self.first_row + place

    def row_of_reference(self, place: int) -> int:
        """Which row of the corpus the reference at a place in `references` is from.

        >>> Batch(10, pa.array(["a", "b"]), pa.array(["c", "d", "e"]), np.array([0, 2, 3])).row_of_reference(2)
        11
        """
        return self.first_row + int(np.searchsorted(self.bounds, place, side="right")) - 1


@dataclass(frozen=True)
class Corpus:
    """Predictions and references, a row a segment. Make one with `bleu_inputs.read_corpus`, or `make_corpus`.

    `is_blank` says that there is no token in any list, so that nobody can tell tokens from ids.
    """

    predictions: pa.ChunkedArray
    references: pa.ChunkedArray
    kind: Kind
    is_blank: bool = False

    def __len__(self) -> int:
        return len(self.predictions)

    def to_table(self) -> pa.Table:
        """The two columns as a table."""
        return pa.table({"predictions": self.predictions, "references": self.references})

    def batches(self, rows: int) -> Iterator[Batch]:
        """The corpus in batches of so many rows at most, in their order."""
        if len(self) <= rows and self.predictions.num_chunks == self.references.num_chunks == 1:
            yield Batch(0, self.predictions.chunk(0), *list_items(self.references.chunk(0)))
            return
        first_row = 0
        for batch in self.to_table().to_batches(max_chunksize=rows):
            yield Batch(first_row, batch.column(0), *list_items(batch.column(1)))
            first_row += len(batch)

    def reference_count(self) -> str:
        """How many references the rows have, `"var"` if not all the same number.

        >>> make_corpus(pa.chunked_array([["a", "b"]]), pa.chunked_array([[["a"], ["b", "c"]]])).reference_count()
        'var'
        """
        counts = set()
        for piece in pieces(self.references):
            lengths = np.diff(find_offsets(piece))
            counts |= {int(lengths.min()), int(lengths.max())}
        return _describe_counts(counts)

    @property
    def nbytes(self) -> int:
        """How much memory the texts take."""
        return int(self.predictions.nbytes + self.references.nbytes)


class FlatCorpus(Corpus):
    """A corpus that is a single batch, as lists become; its columns are made when somebody asks for them.

    Without them a sentence is scored in two thirds of the time.

    Args:
        batch: all rows.
        reference_counts: the numbers of references that rows have.
    """

    batch: Batch
    reference_counts: Collection[int]

    def __init__(self, batch: Batch, reference_counts: Collection[int]) -> None:
        # A corpus is frozen: nothing may be assigned to it.
        kind = kind_of(batch.predictions.type)
        vars(self).update(batch=batch, reference_counts=reference_counts, kind=kind, is_blank=False)

    @property
    def predictions(self) -> pa.ChunkedArray:
        return pa.chunked_array([self.batch.predictions])

    @property
    def references(self) -> pa.ChunkedArray:
        return pa.chunked_array([make_lists(self.batch.bounds, self.batch.references)])

    def __len__(self) -> int:
        return len(self.batch.predictions)

    def batches(self, rows: int) -> Iterator[Batch]:
        _, predictions, references, bounds, may_lack_spaces = self.batch
        if len(predictions) <= rows:
            yield self.batch
            return
        for start in range(0, len(predictions), rows):
            own = bounds[start : start + rows + 1]
            texts = references.slice(own[0], own[-1] - own[0])
            yield Batch(start, predictions.slice(start, rows), texts, own - own[0], may_lack_spaces)

    @property
    def nbytes(self) -> int:
        return int(self.batch.predictions.nbytes + self.batch.references.nbytes)

    def reference_count(self) -> str:
        return _describe_counts(self.reference_counts)


@dataclass(frozen=True)
class Texts:
    """Columns of any length with one text a row, all of one kind, by the names that errors call them."""

    columns: dict[str, pa.ChunkedArray]
    kind: Kind


def make_corpus(predictions: pa.ChunkedArray, references: pa.ChunkedArray, is_blank: bool = False) -> Corpus:
    """The corpus of two columns that are known to be in order."""
    return Corpus(predictions, references, kind_of(predictions.type), is_blank)


def join_corpora(corpora: Sequence[Corpus]) -> Corpus:
    """The rows of several corpora of one kind, one corpus's after the other's.

    >>> texts = pa.chunked_array([["a"]]), pa.chunked_array([[["b"]]])
    >>> len(join_corpora([make_corpus(*texts), make_corpus(*texts)]))
    2
    """
    if len(corpora) == 1:
        return corpora[0]
    tables = pa.concat_tables([corpus.to_table() for corpus in corpora], promote_options="permissive")
    return make_corpus(tables["predictions"], tables["references"])


def kind_of(type_: pa.DataType) -> Kind:
    """Of what kind a column of predictions is.

    >>> kind_of(pa.list_(pa.int64()))
    'ids'
    """
    if not is_list(type_):
        return "text"
    return "tokens" if is_string(type_.value_type) else "ids"


def _describe_counts(counts: Collection[int]) -> str:
    return str(*counts) if len(counts) == 1 else "var"
