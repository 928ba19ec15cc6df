"""The segments that `add` and `add_batch` collect until `compute`, in memory as Arrow.

evaluate's own files and locks are used only if several processes share one result. Rows of any kind
are packed into bytes, because the files have columns of a fixed type. This module reports it if
processes contribute incompatible rows.
"""

from __future__ import annotations

import copy
import os
import types
from abc import ABC, abstractmethod
from collections.abc import Mapping
from threading import RLock
from typing import Any, Literal

import datasets
import evaluate
import pyarrow as pa

from . import bleu_messages as messages
from .bleu_corpus import Corpus, Kind, join_corpora, list_items, make_corpus, make_lists
from .bleu_inputs import make_empty_corpus, read_corpus
from .bleu_messages import show_value
from .bleu_options import Options

_SMALL_CORPORA = 1000  # consecutive corpora that are combined, because Arrow arrays of one row take too much memory
_ROWS_PER_CELL = 10_000  # rows that are packed into one value
_PACKED = pa.schema({"predictions": pa.binary(), "references": pa.binary()})

_lock = RLock()  # shared by all buffers, and held only briefly
if hasattr(os, "register_at_fork"):  # a child process must not inherit a locked lock
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


class Buffer:
    """Corpora of one kind, in the order in which they were added; a failed call does not change the buffer.

    Corpora whose lists are all empty fit tokens and ids, and become of the kind of the others.
    """

    def __init__(self) -> None:
        self._corpora: list[Corpus] = []
        self._small = 0  # the number of small corpora at the end
        # "lists": only empty lists so far, so tokens and ids cannot be told apart
        self._kind: Kind | Literal["lists"] | None = None

    def add(self, corpus: Corpus) -> None:
        """Add the rows of a corpus."""
        with _lock:
            self._kind = self._merge_kinds(corpus)
            if not len(corpus):
                return
            self._corpora.append(corpus)
            self._small = self._small + 1 if len(corpus) < _SMALL_CORPORA else 0
            if self._small == _SMALL_CORPORA:
                self._corpora[-_SMALL_CORPORA:] = [_join(self._corpora[-_SMALL_CORPORA:]).combine()]
                self._small = 0

    def join(self, corpus: Corpus) -> Corpus:
        """Return the buffered rows followed by the rows of a corpus."""
        if not self._corpora:
            return corpus
        self._merge_kinds(corpus)
        return _join([*self._corpora, corpus] if len(corpus) else self._corpora)

    def take(self) -> Buffer:
        """Move the rows to a new buffer, and return it.

        Rows that are added meanwhile must be of the same kind until `finish`, so that the rows can
        be put back.
        """
        with _lock:
            taken = copy.copy(self)
            self._corpora, self._small = [], 0
        return taken

    def finish(self, put_back: Buffer | None = None) -> None:
        """Discard the rows that were taken, or put rows back before the rows that were added since."""
        with _lock:
            if put_back is not None:
                self._corpora = [*put_back._corpora, *self._corpora]
                self._kind = put_back._kind if self._kind in (None, "lists") else self._kind
            elif not self._corpora:
                self._kind = None

    def __len__(self) -> int:
        return sum(map(len, self._corpora))

    def __copy__(self) -> Buffer:
        buffer = Buffer()
        buffer.__dict__.update(self.__dict__, _corpora=list(self._corpora))
        return buffer

    def _merge_kinds(self, corpus: Corpus) -> Kind | Literal["lists"] | None:
        """Return the kind of the buffer with a corpus added, or raise if they do not fit."""
        if not len(corpus):
            return self._kind
        kind: Kind | Literal["lists"] = "lists" if corpus.is_blank else corpus.kind
        if self._kind is None or (self._kind == "lists" and kind != "text"):
            return kind
        if kind == self._kind or (kind == "lists" and self._kind != "text"):
            return self._kind
        raise TypeError(messages.OTHER_KIND.format(expected=self._kind, found=corpus.kind))


def _join(corpora: list[Corpus]) -> Corpus:
    kind = next((corpus.kind for corpus in corpora if not corpus.is_blank), corpora[0].kind)
    return join_corpora(
        [corpus if corpus.kind == kind else corpus.cast(kind) for corpus in corpora]
    )


class BufferedMetric(evaluate.Metric, ABC):
    """A metric that collects Arrow rows.

    It is abstract because evaluate's loader would take it for the metric otherwise.
    """

    def __init__(self, **arguments: object) -> None:
        super().__init__(**arguments)
        self._buffer = Buffer()
        self._gathered: Buffer | None = None  # the rows of all processes, after an error

    @abstractmethod
    def _choose(self, options: Mapping[str, object]) -> Options:
        """Return the options of a call."""

    def add(
        self,
        *arguments: object,
        prediction: object = None,
        reference: object = None,
        **columns: object,
    ) -> None:
        """Add one segment to the segments that the next `compute` scores."""
        if arguments:
            raise TypeError(messages.BY_NAME.format("add", ""))
        prediction, reference = (
            columns.pop("predictions", prediction),
            columns.pop("references", reference),
        )
        self._add([prediction], [reference], columns)

    def add_batch(
        self,
        *arguments: object,
        predictions: object = None,
        references: object = None,
        **columns: object,
    ) -> None:
        """Add segments to the segments that the next `compute` scores."""
        if arguments:
            raise TypeError(messages.BY_NAME.format("add_batch", "s"))
        self._add(predictions, references, columns)

    def __len__(self) -> int:
        return len(self._buffer)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._buffer = copy.copy(self._buffer)
        for name in (
            "compute",
            "add",
            "add_batch",
        ):  # evaluate has bound them to the object that was copied
            setattr(self, name, types.MethodType(getattr(self, name).__func__, self))

    def _add(self, predictions: object, references: object, unknown: dict[str, Any]) -> None:
        if unknown:
            raise TypeError(messages.UNKNOWN_COLUMN.format(show_value(next(iter(unknown)))))
        self._buffer.add(read_corpus(predictions, references, allow_empty=True))

    def _compute_rows(
        self,
        predictions: object,
        references: object,
        by: object,
        documents: object,
        options: Mapping[str, object],
    ) -> dict[str, Any] | None:
        """Score the buffered rows and the rows passed; return None in every process but the first."""
        chosen = self._choose(options)
        for name, labels, column in (("by", by, "label"), ("documents", documents, "document")):
            if labels is not None and self.num_process > 1:
                raise ValueError(messages.LABELS_WITH_PROCESSES.format(name=name, column=column))
        if predictions is None and references is None:
            predictions, references = [], []
        passed = read_corpus(predictions, references, allow_empty=True)
        taken = self._buffer.take()
        try:
            corpus = taken.join(passed)
            if self.num_process > 1 and self._gathered is None:
                result = self._compute_together(corpus, chosen)
            else:
                result = self._compute(corpus, options=chosen, by=by, documents=documents)
        except BaseException:
            self._buffer.finish(put_back=self._gathered or taken)
            raise
        self._buffer.finish()
        self._gathered = None
        return result

    def _compute_together(self, corpus: Corpus, options: Options) -> dict[str, Any] | None:
        """Send the rows of this process to the first one through evaluate's files, and score them there."""
        self.selected_feature_format = datasets.Features.from_arrow_schema(_PACKED)
        try:
            self._init_writer()
            for batch in corpus.split(_ROWS_PER_CELL) if len(corpus) else ():
                self.writer.write_table(pack(make_corpus([batch[1:]]), self.process_id))
            return evaluate.Metric.compute(self, options=options)
        finally:
            self._remove_files()

    def _gather(self, predictions: Any, references: Any) -> Corpus:
        """Return the rows that `_compute` scores as a corpus.

        Rows of several processes, which `_compute_together` packed, stay in the buffer after an
        error.
        """
        if isinstance(predictions, Corpus):
            return predictions
        if getattr(predictions, "type", None) != pa.binary():
            return read_corpus(predictions, references)
        gathered, problem = Buffer(), None
        for cells in zip(predictions, references):
            corpus, process = unpack(*cells)
            try:
                gathered.add(corpus)
            except TypeError as error:
                problem = problem or f"Process {process}: {error}"
        # The other processes have returned, so this process has the only copy of their rows.
        self._gathered = gathered if len(gathered) else None
        if problem:
            raise TypeError(problem)
        return gathered.join(make_empty_corpus("text"))

    def _remove_files(self) -> None:
        """Remove the files and locks that evaluate leaves; after an error, it leaves all of them."""
        if self.writer is not None:
            self.writer.close()
        for lock in (self.filelock, self.rendez_vous_lock, *(self.filelocks or [])):
            if lock is not None:
                lock.release()
        for path in (self.file_paths or []) if self.process_id == 0 else []:
            if os.path.exists(path):
                os.remove(path)
        names = "writer data filelock filelocks file_paths rendez_vous_lock cache_file_name selected_feature_format"
        for name in names.split():
            setattr(self, name, None)


def pack(corpus: Corpus, process: int) -> pa.Table:
    """Pack a corpus of one batch into one row of bytes, so that rows of every kind have the same type."""
    (batch,) = corpus.batches
    cells = []
    for array in (batch.predictions, make_lists(batch.bounds, batch.references)):
        rows = pa.table({"rows": array}).replace_schema_metadata({"process": str(process)})
        with pa.BufferOutputStream() as sink, pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        cells.append([sink.getvalue().to_pybytes()])
    return pa.table(cells, _PACKED)


def unpack(predictions: pa.BinaryScalar, references: pa.BinaryScalar) -> tuple[Corpus, int]:
    """Return the corpus of a packed row, and the number of the process that packed it.

    >>> corpus, process = unpack(*(column[0] for column in pack(read_corpus(["a"], ["b"]), process=2).columns))
    >>> corpus.references.to_pylist(), process
    ([['b']], 2)
    """
    tables = [pa.ipc.open_stream(cell.as_buffer()).read_all() for cell in (predictions, references)]
    arrays = [table["rows"].combine_chunks() for table in tables]
    return make_corpus([(arrays[0], *list_items(arrays[1]))]), int(
        tables[0].schema.metadata[b"process"]
    )
