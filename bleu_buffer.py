"""What `add` and `add_batch` keep until `compute`.

Rows lie in `bleu_buffer_file`. evaluate's own files and locks come in only where several processes share one result.
"""

from __future__ import annotations

import copy
import os
import types
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

import datasets
import evaluate
import pyarrow as pa

from .bleu_buffer_file import BufferFile
from .bleu_buffer_meeting import PACKED, pack, unpack
from .bleu_compute import compute_corpus
from .bleu_corpus import SCHEMAS, Corpus, Kind, join_corpora, make_corpus
from .bleu_inputs import is_plain_row, read_corpus
from .bleu_options import Options

_BATCH = 10_000  # rows that are collected before they are written
_FEW = 100  # rows that are collected, and not written at once

Row = tuple[Any, list[Any]]  # a prediction and its references


class Buffer:
    """Rows of one kind, in the order in which they were added; a failed call leaves it as it was.

    Args:
        folder: where they are written; None to keep them in memory.
        prefix: what the file's name begins with.
    """

    _kind: Kind | Literal["lists"] | None  # lists where none has a token yet, so that nobody knows of what they are
    _tables: list[pa.Table]

    def __init__(self, folder: str | None, prefix: str = "") -> None:
        self._folder, self._prefix = folder, prefix
        self._forget()

    def add_corpus(self, corpus: Corpus) -> None:
        """Adds the rows of a corpus."""
        self._check_kind(corpus)
        if len(corpus) < _FEW or corpus.is_blank:
            self._add_few(corpus)
        else:
            self._write_pending(corpus.kind)
            self._write(corpus)
        if len(corpus):
            self._kind = (self._kind or "lists") if corpus.is_blank else corpus.kind

    def add_plain_row(self, prediction: str, references: list[str]) -> None:
        """Adds a row of text that has been checked."""
        if self._kind != "text":
            self._check_kind(make_corpus(pa.chunked_array([[prediction]]), pa.chunked_array([[references]])))
        if len(self._pending) >= _BATCH:
            self._write_pending("text")
        self._pending.append((prediction, references))
        self._kind = "text"

    def join(self, corpus: Corpus) -> Corpus:
        """All rows, and those of one corpus more."""
        self._check_kind(corpus)
        kind: Kind = corpus.kind if len(corpus) else "tokens"
        if self._kind is not None and self._kind != "lists":
            kind = self._kind
        tables = [self._file.read()] if self._file else self._tables
        corpora = [make_corpus(table["predictions"], table["references"]) for table in tables]
        corpora += [_build_corpus(self._pending, kind)] if self._pending else []
        corpora += [_build_corpus(_list_rows(corpus), kind) if corpus.is_blank else corpus] if len(corpus) else []
        return join_corpora(corpora) if corpora else corpus

    def clear(self) -> None:
        """Forgets all rows and removes the file."""
        if self._file:
            self._file.remove()
        self._forget()

    def __len__(self) -> int:
        return self._written + len(self._pending)

    def __getstate__(self) -> dict[str, Any]:
        """For a copy, in this process or another, that has the same rows and a file of its own."""
        tables = [self._file.read()] if self._file else list(self._tables)
        return {**self.__dict__, "_file": None, "_tables": tables, "_pending": list(self._pending)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._folder is not None:
            tables, self._tables = self._tables, []
            for table in tables:
                self._find_file(table.schema).append(table)

    def _forget(self) -> None:
        self._pending: list[Row] = []
        self._tables = []
        self._file: BufferFile | None = None
        self._written = 0
        self._kind = None

    def _check_kind(self, corpus: Corpus) -> None:
        fits = corpus.kind == self._kind or (corpus.kind != "text" and (corpus.is_blank or self._kind == "lists"))
        if len(corpus) and self._kind is not None and not fits:
            raise TypeError(
                f"These predictions are {corpus.kind}, those added before {self._kind}: compute them apart. `compute()`"
                " scores those added before, and forgets them."
            )

    def _add_few(self, corpus: Corpus) -> None:
        if len(self._pending) + len(corpus) > _BATCH and not corpus.is_blank:
            self._write_pending(corpus.kind)
        self._pending += _list_rows(corpus)

    def _write_pending(self, kind: Kind) -> None:
        if self._pending:
            self._write(_build_corpus(self._pending, kind))
            self._pending = []

    def _write(self, corpus: Corpus) -> None:
        schema = SCHEMAS[corpus.kind]
        # Batch by batch, since the schema's offsets have 32 bits, whatever the corpus is.
        batches = corpus.to_table().to_batches(max_chunksize=_BATCH)
        table = pa.concat_tables([pa.Table.from_batches([batch]).cast(schema) for batch in batches])
        if self._folder is None:
            self._tables.append(table)
        else:
            self._append(table)
        self._written += len(table)

    def _append(self, table: pa.Table) -> None:
        file = self._find_file(table.schema)
        try:
            file.append(table)
        except BaseException:
            if not self._written:  # a file without rows: the next ones may be of another kind, with another schema
                file.remove()
                self._file = None
            raise

    def _find_file(self, schema: pa.Schema) -> BufferFile:
        """The file to write to: this process's own."""
        if self._file is None or self._file.process != os.getpid():
            os.makedirs(str(self._folder), exist_ok=True)
            file = BufferFile(os.path.join(str(self._folder), f"{self._prefix}{uuid.uuid4()}.arrow"), schema)
            if self._file is not None:
                file.append(self._file.read())
            self._file = file
        return self._file


class BufferedMetric(evaluate.Metric, ABC):
    """A metric of text with a buffer of Arrow rows.

    Abstract, or evaluate's loader would take it for the metric.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        # Of evaluate's meeting of several processes, which begins and ends within `compute`.
        self.writer: Any = None
        self.filelock: Any = None
        self.filelocks: Any = None
        self.file_paths: Any = None
        self.rendez_vous_lock: Any = None
        self._buffer = Buffer(None if self.keep_in_memory else self.data_dir, f"{self.experiment_id}-")
        self._is_gathered = False

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """What evaluate shows of the metric."""

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Adds one row to what the next `compute` scores."""
        prediction, reference = others.pop("predictions", prediction), others.pop("references", reference)
        _refuse(others)
        if is_plain_row(prediction, reference):
            self._buffer.add_plain_row(prediction, [reference] if isinstance(reference, str) else list(reference))
        else:
            self._buffer.add_corpus(read_corpus([prediction], [reference]))

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Adds rows to what the next `compute` scores."""
        _refuse(others)
        self._buffer.add_corpus(read_corpus(predictions, references, may_be_empty=True))

    def __len__(self) -> int:
        return len(self._buffer)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._buffer = copy.copy(self._buffer)
        for name in ("compute", "add", "add_batch"):  # evaluate has bound them to the object that this is a copy of
            setattr(self, name, types.MethodType(getattr(self, name).__func__, self))

    def _compute_buffer(self, corpus: Corpus, options: Options) -> dict[str, Any] | None:
        """The result of what was added and of one corpus more; None in a process that isn't the first."""
        corpus = self._buffer.join(corpus) if len(self._buffer) else corpus
        if self.num_process > 1 and not self._is_gathered:
            return self._compute_together(corpus, options)
        return self._compute_here(corpus, options)

    def _compute_here(self, corpus: Corpus, options: Options) -> dict[str, Any]:
        if not len(corpus):
            raise ValueError("There is nothing to score: give predictions and references, or add some first.")
        result = compute_corpus(corpus, options)
        self._buffer.clear()
        self._is_gathered = False
        return result

    def _compute_together(self, corpus: Corpus, options: Options) -> dict[str, Any] | None:
        """The result of all processes' rows, which travel to the first one through evaluate's files and locks."""
        self.selected_feature_format = datasets.Features.from_arrow_schema(PACKED)
        try:
            self._init_writer()
            for batch in corpus.to_table().to_batches(max_chunksize=_BATCH):
                self.writer.write_table(pack(batch, self.process_id))
            result = evaluate.Metric.compute(self, options=options)
        finally:
            self._leave_meeting()
        self._buffer.clear()
        return result

    def _compute(
        self, *, predictions: pa.ChunkedArray, references: pa.ChunkedArray, options: Options
    ) -> dict[str, Any]:
        """Called by evaluate in the first process, with the packed rows of all."""
        gathered, refusal = Buffer(folder=None), None
        for cells in zip(predictions, references):
            batch, process = unpack(*cells)
            try:
                gathered.add_corpus(batch)
            except TypeError as error:
                refusal = refusal or f"Process {process}: {error}"
        corpus = gathered.join(read_corpus([], [], may_be_empty=True))
        try:
            if refusal:
                raise TypeError(refusal)
            return self._compute_here(corpus, options)
        except BaseException:  # the other processes have gone: their rows are here or nowhere
            self._buffer.clear()
            self._buffer.add_corpus(corpus)
            self._is_gathered = len(corpus) > 0
            raise

    def _leave_meeting(self) -> None:
        """Removes what evaluate leaves of its files and locks, and all of them after an error."""
        if self.writer is not None:
            self.writer.close()
        for lock in (self.filelock, self.rendez_vous_lock, *(self.filelocks or [])):
            if lock is not None:
                lock.release()
        for path in (self.file_paths or []) if self.process_id == 0 else []:
            if os.path.exists(path):
                os.remove(path)
        self.writer = self.data = self.filelock = self.filelocks = self.file_paths = None
        self.rendez_vous_lock = self.cache_file_name = self.selected_feature_format = None


def _list_rows(corpus: Corpus) -> list[Row]:
    return list(zip(corpus.predictions.to_pylist(), corpus.references.to_pylist()))


def _build_corpus(rows: list[Row], kind: Kind) -> Corpus:
    schema, (predictions, references) = SCHEMAS[kind], zip(*rows)
    columns = zip((predictions, references), schema.types)
    return make_corpus(*(pa.chunked_array([pa.array(column, type_)]) for column, type_ in columns))


def _refuse(others: Mapping[str, Any]) -> None:
    if others:
        raise TypeError(f"There is no column {next(iter(others))!r} to add to: give predictions and references.")
