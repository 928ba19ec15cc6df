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
from typing import Any

import datasets
import evaluate
import pyarrow as pa

from .bleu_buffer_file import BufferFile
from .bleu_corpus import SCHEMAS, Corpus, Kind, join_corpora, make_corpus
from .bleu_inputs import is_plain_row, read_corpus
from .bleu_options import Options

_BATCH = 10_000  # rows that `add` collects before they are written


class Buffer:
    """Rows of one kind, in the order in which they were added; a failed call leaves it as it was.

    Args:
        folder: where they are written; None to keep them in memory.
        prefix: what the file's name begins with.
    """

    _kind: Kind | None

    def __init__(self, folder: str | None, prefix: str = "") -> None:
        self._folder, self._prefix = folder, prefix
        self._forget()

    def add_row(self, prediction: Any, references: list[Any], kind: Kind) -> None:
        """Adds a row that has been checked."""
        self._check_kind(kind)
        if len(self._pending) == _BATCH:
            self._write_pending()
        self._pending.append((prediction, references))
        self._kind = kind

    def add_corpus(self, corpus: Corpus) -> None:
        """Adds the rows of a corpus."""
        self._check_kind(corpus.kind)
        self._write_pending()
        self._write(corpus)

    def join(self, corpus: Corpus | None = None) -> Corpus | None:
        """All rows, and those of one corpus more; None if there are none."""
        if corpus is not None:
            self._check_kind(corpus.kind)
        self._write_pending()
        tables = [self._file.read()] if self._file else self._tables
        corpora = [make_corpus(table["predictions"], table["references"]) for table in tables]
        corpora += [] if corpus is None else [corpus]
        return join_corpora(corpora) if corpora else None

    def clear(self) -> None:
        """Forgets all rows and removes the file."""
        if self._file:
            self._file.remove()
        self._forget()

    def __len__(self) -> int:
        return self._written + len(self._pending)

    def __getstate__(self) -> dict[str, Any]:
        """For a copy, in this process or another, that has the same rows and a file of its own."""
        return {"folder": self._folder, "prefix": self._prefix, "corpus": self.join()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._folder, self._prefix = state["folder"], state["prefix"]
        self._forget()
        if state["corpus"] is not None:
            self._write(state["corpus"])

    def _forget(self) -> None:
        self._pending: list[tuple[Any, list[Any]]] = []
        self._tables: list[pa.Table] = []
        self._file: BufferFile | None = None
        self._written = 0
        self._kind = None

    def _check_kind(self, kind: Kind) -> None:
        if len(self) and kind != self._kind:
            raise TypeError(
                f"These predictions are {kind}, those added before {self._kind}: compute them apart. `compute()` scores"
                " those added before, and forgets them."
            )

    def _write_pending(self) -> None:
        if self._pending:
            pending, self._pending = self._pending, []
            try:
                self._write(read_corpus(*map(list, zip(*pending))))
            except BaseException:
                self._pending = pending
                raise

    def _write(self, corpus: Corpus) -> None:
        schema = SCHEMAS[corpus.kind]
        # Batch by batch, since the schema's offsets have 32 bits, whatever the corpus is.
        batches = corpus.to_table().to_batches(max_chunksize=_BATCH)
        table = pa.concat_tables([pa.Table.from_batches([batch]).cast(schema) for batch in batches])
        if self._folder is None:
            self._tables.append(table)
        else:
            self._find_file(schema).append(table)
        self._written += len(table)
        self._kind = corpus.kind

    def _find_file(self, schema: pa.Schema) -> BufferFile:
        """The file to write to: this process's own."""
        if self._file is None or self._file.process != os.getpid():
            inherited = self._file
            os.makedirs(str(self._folder), exist_ok=True)
            self._file = BufferFile(os.path.join(str(self._folder), f"{self._prefix}{uuid.uuid4()}.arrow"), schema)
            if inherited is not None:
                self._file.append(inherited.read())
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
    def _compute_corpus(self, corpus: Corpus, options: Options) -> dict[str, Any]:
        """The result of a corpus."""

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Adds one row to what the next `compute` scores."""
        prediction, reference = others.pop("predictions", prediction), others.pop("references", reference)
        _refuse(others)
        kind: Kind = "text"
        if not is_plain_row(prediction, reference):
            corpus = read_corpus([prediction], [reference])
            kind, prediction, reference = corpus.kind, corpus.predictions[0].as_py(), corpus.references[0].as_py()
        self._buffer.add_row(prediction, [reference] if isinstance(reference, str) else list(reference), kind)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Adds rows to what the next `compute` scores."""
        _refuse(others)
        self._buffer.add_corpus(read_corpus(predictions, references))

    def __len__(self) -> int:
        return len(self._buffer)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._buffer = copy.copy(self._buffer)
        for name in ("compute", "add", "add_batch"):  # evaluate has bound them to the object that this is a copy of
            setattr(self, name, types.MethodType(getattr(self, name).__func__, self))

    def _compute_buffer(self, corpus: Corpus | None, options: Options) -> dict[str, Any] | None:
        """The result of what was added and of one corpus more; None in a process that isn't the first."""
        if self.num_process > 1 and not self._is_gathered:
            return self._compute_together(corpus, options)
        corpus = self._buffer.join(corpus) if len(self) else corpus
        if corpus is None:
            raise ValueError("There is nothing to score: give predictions and references, or add some first.")
        result = self._compute_corpus(corpus, options)
        self._buffer.clear()
        self._is_gathered = False
        return result

    def _compute_together(self, corpus: Corpus | None, options: Options) -> dict[str, Any] | None:
        """The result of all processes' rows, which travel to the first one through evaluate's files and locks."""
        rows = self._buffer.join(corpus)
        if rows is None:
            raise ValueError(f"Process {self.process_id} has nothing to score: give predictions and references.")
        schema = SCHEMAS[rows.kind]
        self.selected_feature_format = datasets.Features.from_arrow_schema(schema)
        try:
            self._init_writer()
            for batch in rows.to_table().to_batches(max_chunksize=_BATCH):
                self.writer.write_table(pa.Table.from_batches([batch]).cast(schema), writer_batch_size=_BATCH)
            result = evaluate.Metric.compute(self, options=options)
        finally:
            self._leave_meeting()
        self._buffer.clear()
        return result

    def _compute(
        self, *, predictions: pa.ChunkedArray, references: pa.ChunkedArray, options: Options
    ) -> dict[str, Any]:
        """Called by evaluate in the first process, with the rows of all."""
        corpus = make_corpus(predictions, references)
        try:
            return self._compute_corpus(corpus, options)
        except BaseException:  # the other processes have gone: their rows are here or nowhere
            self._buffer.clear()
            self._buffer.add_corpus(corpus)
            self._is_gathered = True
            raise

    def _leave_meeting(self) -> None:
        """Removes what evaluate has left of its files and locks after an error."""
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


def _refuse(others: Mapping[str, Any]) -> None:
    if others:
        raise TypeError(f"There is no column {next(iter(others))!r} to add to: give predictions and references.")
