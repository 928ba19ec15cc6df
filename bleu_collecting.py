"""What is added between two calls of `compute`: the half of `evaluate.Metric` that keeps rows in a file.

evaluate's file and locks, since other processes may wait for them, but Arrow tables into it instead of Python objects,
a file of its own for each object, and nothing left behind whatever happens.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from typing import Any

import datasets
import pyarrow as pa
from filelock import FileLock

from .bleu_arrow import kind
from .bleu_inputs import columns, is_plain_row

_BATCH = 10_000  # rows that `add` collects before they are written

# As they are written: a batch is small enough for 32-bit offsets, whatever the corpus is.
_SCHEMAS = {
    "text": pa.schema({"predictions": pa.string(), "references": pa.list_(pa.string())}),
    "tokens": pa.schema({"predictions": pa.list_(pa.string()), "references": pa.list_(pa.list_(pa.string()))}),
    "ids": pa.schema({"predictions": pa.list_(pa.int64()), "references": pa.list_(pa.list_(pa.int64()))}),
}


class Collecting:
    """To be mixed into a metric before `evaluate.Metric`, whose methods of the same names it replaces."""

    def __init__(self, **given: Any) -> None:
        self._pending: list[tuple[Any, Any]] = []
        self._kind: str | None = None
        self._own_file: str | None = None
        super().__init__(**given)

    def add(self, *, prediction: Any = None, reference: Any = None, **other: Any) -> None:
        """Adds one row to what the next `compute` scores."""
        prediction, reference = other.pop("predictions", prediction), other.pop("references", reference)
        self._refuse(other)
        row_kind = "text"
        if not is_plain_row(prediction, reference):
            table = columns([prediction], [reference])
            row_kind, (row,) = kind(table), table.to_pylist()
            prediction, reference = row["predictions"], row["references"]
        self._admit(row_kind)
        self._pending.append((prediction, [reference] if isinstance(reference, str) else reference))
        if len(self._pending) == _BATCH:
            self._write_pending()

    def add_batch(self, *, predictions: Any = None, references: Any = None, **other: Any) -> None:
        """Adds rows to what the next `compute` scores."""
        self._refuse(other)
        self._collect(columns(predictions, references))

    def __len__(self) -> int:
        return super().__len__() + len(self._pending)

    def __del__(self) -> None:
        if getattr(self, "num_process", 0) == 1:
            self._discard()

    def _refuse(self, other: Mapping[str, Any]) -> None:
        if other:
            raise TypeError(f"There is no column {next(iter(other))!r} to add to: give predictions and references.")

    def _collect(self, table: pa.Table) -> None:
        self._admit(kind(table))
        self._write_pending()
        self._write(table)

    def _admit(self, rows_kind: str) -> None:
        if self._kind not in (None, rows_kind):
            raise TypeError(f"These predictions are {rows_kind}, those added before {self._kind}: compute them apart.")
        self._kind = rows_kind

    def _write_pending(self) -> None:
        pending, self._pending = self._pending, []
        if pending:
            self._write(columns(*map(list, zip(*pending))))

    def _write(self, table: pa.Table) -> None:
        schema = _SCHEMAS[kind(table)]
        if self.writer is None:
            self.selected_feature_format = datasets.Features.from_arrow_schema(schema)
            self._init_writer()
        for batch in table.to_batches(max_chunksize=_BATCH):
            # evaluate's own way, row by row through Python objects, takes ten times as long as all of the scoring.
            self.writer.write_table(pa.Table.from_batches([batch]).cast(schema), writer_batch_size=_BATCH)

    def _create_cache_file(self, timeout: float = 1) -> tuple[str, FileLock]:
        if self.num_process > 1:
            return super()._create_cache_file(timeout)
        # A name of its own: evaluate's is the same for all objects, and each waits a second to find it taken.
        path = os.path.join(self.data_dir, f"{self.experiment_id}-{uuid.uuid4()}.arrow")
        lock = FileLock(path + ".lock")
        lock.acquire()
        self._own_file = path
        return path, lock

    def _discard(self) -> None:
        """Forgets all that was added and removes what is left of it, whatever has become of it."""
        self._pending, self._kind, self.data, self.buf_writer = [], None, None, None
        if self.writer is not None:
            self.writer.close()
            self.writer = None
        for lock in (self.filelock, self.rendez_vous_lock, *(self.filelocks or [])):
            if lock is not None:
                lock.release()
        self.filelock = self.filelocks = self.cache_file_name = self.selected_feature_format = None
        if self._own_file is not None:
            for left in (self._own_file, self._own_file + ".lock"):
                if os.path.exists(left):
                    os.remove(left)
            self._own_file = None
