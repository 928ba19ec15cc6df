"""The segments of a call, as Arrow: read, and added before by `add` and `add_batch`.

evaluate's own files and locks are used only if several processes share one result; that part stands
at the end. Rows of any kind are packed into bytes there, because the files have columns of a fixed
type.

The class derives from `BufferedMetric`.
"""

from __future__ import annotations

import copy
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

import datasets
import evaluate
import pyarrow as pa
from datasets.utils.py_utils import copyfunc

from ..check.look import Watch
from ..options.option_names import OTHER_METHODS
from ..options.options import Options
from ..rows.statistics import Call, make_call
from ..shared.arrays import InputType, list_items, make_lists
from ..shared.messages import NO_SEGMENTS, count_things, show_value, warn_once_per_kind
from ..shared.pickling import picklable
from ..text.columns import list_references
from ..text.corpus import Corpus, check_kind, join_corpora, make_corpus
from ..text.labels import check_labels, read_documents, read_labels
from ..text.read import read_corpus, warn_if_reordered

# Consecutive corpora that are combined, because Arrow arrays of one row take too much memory.
_SMALL_CORPORA = 1000
_ROWS_PER_CELL = 10_000  # rows that are packed into one value
_PACKED = pa.schema({"predictions": pa.binary(), "references": pa.binary()})

_lock = RLock()  # shared by all buffers, and held only briefly
if hasattr(os, "register_at_fork"):  # a child process must not inherit a locked lock
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def read(
    predictions: object,
    references: object,
    by: object,
    documents: object,
    options: Options,
    *,
    added: Sequence[Corpus] = (),
    allow_empty: bool = False,
) -> Call:
    """Read what a user passes to a call.

    Args:
        predictions, references, by, documents: the arguments of `compute`.
        options: the options of the call.
        added: the rows added before, all of one kind.
        allow_empty: False to raise an error for zero rows.

    >>> read(["a b"], ["a b"], ["news"], None, Options()).tokenizer.name
    '13a'
    """
    corpus = read_segments(predictions, references, added)
    if not allow_empty and not len(corpus):
        raise ValueError(NO_SEGMENTS)
    if by is None and documents is None:
        return make_call(corpus, options)
    warn_if_reordered(
        {"predictions": predictions, "references": references}, by=by, documents=documents
    )
    document_of = read_documents(documents, len(corpus))
    labels = read_labels(by, len(corpus))
    if labels is not None:
        check_labels(options.tokenize_by, labels)
    return make_call(corpus, options, labels, document_of)


def read_segments(predictions: object, references: object, added: Sequence[Corpus]) -> Corpus:
    """Return the rows added before, followed by those of a call, which may have none."""
    if predictions is None and references is None:
        return join_corpora(added)
    corpus = read_corpus(predictions, references, allow_empty=True)
    return join_corpora([*added, corpus] if len(corpus) else added)


@picklable
class Buffer:
    """Corpora of one kind, in the order in which they were added.

    A failed call does not change the buffer. `issued_warnings` are the kinds of warnings about its
    rows: batches of one corpus warn once.
    """

    def __init__(self) -> None:
        self.issued_warnings: set[str] = set()
        self._corpora: list[Corpus] = []
        self._small = 0  # the number of small corpora at the end
        self._kind: InputType | None = None

    def add(self, corpus: Corpus) -> None:
        """Add the rows of a corpus."""
        if not len(corpus):
            return
        with _lock:
            check_kind(corpus.kind, self._kind or corpus.kind)
            self._kind = corpus.kind
            self._corpora.append(corpus)
            self._small = self._small + 1 if len(corpus) < _SMALL_CORPORA else 0
            if self._small == _SMALL_CORPORA:
                self._corpora[-_SMALL_CORPORA:] = [
                    join_corpora(self._corpora[-_SMALL_CORPORA:]).combine()
                ]
                self._small = 0

    @contextmanager
    def hold(self) -> Iterator[list[Corpus]]:
        """Take the rows out of the buffer while a call scores them, and yield their list.

        They are discarded at the end. If the call fails, the rows in the list return to the buffer,
        before those that were added since. The kind stays meanwhile, so that rows which are added
        still fit.
        """
        with _lock:
            held = self._corpora
            self._corpora = []
            self._small = 0
        has_failed = True
        try:
            yield held
            has_failed = False
        finally:
            with _lock:
                if has_failed:
                    self._corpora = [*held, *self._corpora]
                if self._corpora:
                    self._kind = self._corpora[0].kind
                elif not has_failed:
                    self._kind = None
                    self.issued_warnings = set()

    def __len__(self) -> int:
        return sum(map(len, self._corpora))

    def __copy__(self) -> Buffer:
        buffer = Buffer()
        buffer.__dict__.update(self.__dict__, _corpora=list(self._corpora))
        return buffer


def _check_docstrings(class_: type) -> None:
    """Raise if a method has no docstring to which evaluate can append its own.

    evaluate copies the code of the method, so a docstring that is set on the function is missing.
    """
    if sys.flags.optimize >= 2:
        raise RuntimeError(
            "Python runs without docstrings (-OO, or PYTHONOPTIMIZE=2), to which evaluate appends."
            " Start it with -O, or without the option."
        )
    for name in ("compute", "add", "add_batch"):
        if copyfunc(getattr(class_, name)).__doc__ is None:
            raise TypeError(
                f"{class_.__name__}.{name}: its code has no docstring, to which evaluate appends."
                " Write one as the first statement of the function; if it is decorated, of the"
                " decorator's wrapper."
            )


if TYPE_CHECKING:

    class _Metric:
        """The part of `evaluate.Metric` that users and this file call.

        evaluate has no types. A base class of type `Any` would hide mistyped names of methods.
        """

        config_name: str
        process_id: int
        num_process: int
        seed: int
        keep_in_memory: bool
        timeout: float
        max_concurrent_cache_files: int
        writer: Any
        filelock: Any
        rendez_vous_lock: Any
        filelocks: Any
        file_paths: Any
        _data_dir_root: str | None
        _hash: str | None
        # These are read-only.
        info: Any
        name: str
        experiment_id: str | None
        description: str
        citation: str
        features: Any
        inputs_description: str
        homepage: str | None
        license: str
        codebase_urls: list[str] | None
        reference_urls: list[str] | None

        def __init__(self, **arguments: Any) -> None: ...
        def download_and_prepare(
            self, download_config: Any = None, dl_manager: Any = None
        ) -> None: ...
        def _init_writer(self, timeout: float = 1) -> None: ...

else:
    _Metric = evaluate.Metric


class _OtherMethod:
    """The name of a method in another tool: an AttributeError that names the call to write.

    Not `__getattr__`, because Tab in a notebook evaluates no attribute of a class that has it.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, metric: object, owner: type) -> object:
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {self._name!r}."
            f" Write {OTHER_METHODS[self._name]}."
        )


class BufferedMetric(_Metric, ABC):
    """A metric that collects Arrow rows.

    It is abstract, and has an abstract method, because evaluate's loader takes the first other
    class for the metric.
    """

    def __init__(self, **arguments: object) -> None:
        _check_docstrings(type(self))
        super().__init__(**arguments)
        self._buffer = Buffer()
        self._gathered: list[Corpus] | None = None  # the rows of all processes, after an error
        self._watch = Watch(_lock)

    _options: Options

    @abstractmethod
    def _compute(self, predictions: object = None, references: object = None) -> dict[str, Any]:
        """Score all rows."""

    @abstractmethod
    def _bind_methods(self) -> None:
        """Set the public methods on this object."""

    def add(
        self,
        *,
        prediction: object = None,
        reference: object = None,
        **columns: object,
    ) -> None:
        """Add one segment to the segments that the next `compute` scores."""
        # evaluate's own `add` takes the names of the columns, too.
        prediction = columns.pop("predictions", prediction)
        reference = columns.pop("references", reference)
        self._add([prediction], [list_references(reference)], columns)

    def add_batch(
        self,
        *,
        predictions: object = None,
        references: object = None,
        **columns: object,
    ) -> None:
        """Add segments to the segments that the next `compute` scores."""
        self._add(predictions, references, columns)

    def __len__(self) -> int:
        return len(self._buffer)

    def __dir__(self) -> list[str]:
        """List the attributes of the class; the others are evaluate's files, locks and settings."""
        return sorted(set(dir(type(self))) - set(OTHER_METHODS))

    def __repr__(self) -> str:
        values = dict(vars(self._options))
        if self._options.tokenize_by is not None:
            values["tokenize"] = self._options.tokenize_by
        shown = [repr(self._options.convention)]
        shown += [f"{name}={values[name]!r}" for name in values if name in self._options.given]
        if len(self):
            shown.append(f"{count_things(len(self), 'row')} added")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process needs: arguments and rows, no files or locks."""
        cache = self._data_dir_root
        if cache == os.path.expanduser(evaluate.config.HF_METRICS_CACHE):
            cache = None  # another machine has a default of its own
        return {
            "arguments": {
                "config_name": self.config_name,
                "keep_in_memory": self.keep_in_memory,
                "cache_dir": cache,
                "num_process": self.num_process,
                "process_id": self.process_id,
                "seed": self.seed,
                "experiment_id": self.experiment_id,
                "hash": self._hash,
                "max_concurrent_cache_files": self.max_concurrent_cache_files,
                "timeout": self.timeout,
            },
            "options": self._options,
            "buffer": self._buffer,
            "gathered": self._gathered,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self._options = state["options"]
        BufferedMetric.__init__(self, **state["arguments"])
        self._buffer = copy.copy(state["buffer"])
        self._gathered = state["gathered"]
        self._bind_methods()

    def _add(self, predictions: object, references: object, unknown: dict[str, object]) -> None:
        if unknown:
            raise TypeError(
                f"Unknown column {show_value(next(iter(unknown)))}."
                " Pass predictions and references only."
            )
        with warn_once_per_kind(self._buffer.issued_warnings):
            self._buffer.add(read_corpus(predictions, references, allow_empty=True))

    # --- Several processes, through evaluate's files ---

    def _compute_together(
        self, predictions: object, references: object, held: list[Corpus], options: Options
    ) -> dict[str, Any] | None:
        """Send the rows to the first process through evaluate's files, and score them there.

        Return None in every process but the first.
        """
        corpus = read_segments(predictions, references, held)
        self.selected_feature_format = datasets.Features.from_arrow_schema(_PACKED)
        try:
            self._init_writer()
            if len(corpus):
                for batch in corpus.split(_ROWS_PER_CELL):
                    self.writer.write_table(pack(batch.to_corpus(), self.process_id))
            return evaluate.Metric.compute(self, options=options)
        finally:
            if self._gathered is not None:
                held[:] = self._gathered
            self._remove_files()

    def _gather(self, predictions: Any, references: Any) -> list[Corpus]:
        """Return the rows of several processes that `_compute_together` packed into columns.

        They stay in the buffer after an error, because the other processes have returned, and this
        process has the only copy of their rows.
        """
        gathered: list[Corpus] = []
        problems = []
        for prediction_cell, reference_cell in zip(predictions, references):
            corpus, process = unpack(prediction_cell, reference_cell)
            try:
                check_kind(corpus.kind, (gathered or [corpus])[0].kind)
                gathered.append(corpus)
            except TypeError as error:
                problems.append(f"Process {process}: {error}")
        self._gathered = gathered or None
        if problems:
            raise TypeError(problems[0])
        return gathered

    def _remove_files(self) -> None:
        """Remove the files and locks that evaluate leaves: after an error, all of them."""
        if self.writer is not None:
            self.writer.close()
        for lock in (self.filelock, self.rendez_vous_lock, *(self.filelocks or [])):
            if lock is not None:
                lock.release()
        if self.process_id == 0:
            for path in self.file_paths or []:
                if os.path.exists(path):
                    os.remove(path)
        self.writer = self.data = self.cache_file_name = self.selected_feature_format = None
        self.filelock = self.filelocks = self.file_paths = self.rendez_vous_lock = None


def is_packed(predictions: object) -> bool:
    """Return True for a column of rows that `pack` has packed."""
    return isinstance(predictions, pa.ChunkedArray) and predictions.type == pa.binary()


def pack(corpus: Corpus, process: int) -> pa.Table:
    """Pack a corpus of one batch into one row of bytes, so that all rows have the same type."""
    (batch,) = corpus.batches
    cells = []
    for array in (batch.predictions, make_lists(batch.bounds, batch.references)):
        rows = pa.table({"rows": array}).replace_schema_metadata({"process": str(process)})
        with pa.BufferOutputStream() as sink, pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        cells.append([sink.getvalue().to_pybytes()])
    return pa.table(cells, _PACKED)


def unpack(predictions: pa.BinaryScalar, references: pa.BinaryScalar) -> tuple[Corpus, int]:
    """Return the rows in a packed row, and the number of the process that packed them.

    >>> predictions, references = pack(read_corpus(["a"], ["b"]), process=2).columns
    >>> corpus, process = unpack(predictions[0], references[0])
    >>> corpus.references.to_pylist(), process
    ([['b']], 2)
    """
    tables = [pa.ipc.open_stream(cell.as_buffer()).read_all() for cell in (predictions, references)]
    texts, lists = (table["rows"].combine_chunks() for table in tables)
    return make_corpus([(texts, *list_items(lists))]), int(tables[0].schema.metadata[b"process"])


for _method in OTHER_METHODS:
    setattr(BufferedMetric, _method, _OtherMethod(_method))
