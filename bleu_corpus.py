"""The data structures for texts: a corpus in batches, and zero-copy views of Arrow arrays.

A corpus has one of three kinds; `bleu_inputs` rejects everything else:

    kind    predictions                 references of a batch, in the order of the segments
    text    large_string                large_string
    tokens  large_list<large_string>    large_list<large_string>
    ids     large_list<int64>           large_list<int64>

Every segment has a prediction and at least one reference, and there are no nulls.

The last section is about objects of all modules: how they get to other processes.
"""

from __future__ import annotations

import functools
import inspect
import os
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

__version__ = "1.0.0"

Int64 = np.ndarray[Any, np.dtype[np.int64]]
Float64 = np.ndarray[Any, np.dtype[np.float64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Bool = np.ndarray[Any, np.dtype[np.bool_]]
InputType = Literal["text", "tokens", "ids"]
SystemName = Hashable  # a key of the dict of systems, as `plain_label` returns it
# A label or a document as `plain_label` returns it; the int may be a bool.
Label = str | int | float | None
_AnyLabel = TypeVar("_AnyLabel", bound=Hashable)
_AnyClass = TypeVar("_AnyClass", bound=type)

STRINGS = pa.large_string()
TOKENS = pa.large_list(STRINGS)
IDS = pa.large_list(pa.int64())
# The type of one text, by kind.
TYPES: dict[InputType, pa.DataType] = {"text": STRINGS, "tokens": TOKENS, "ids": IDS}

_STRING_IDS = {pa.string().id, pa.large_string().id}
_LIST_IDS = {pa.list_(pa.null()).id, pa.large_list(pa.null()).id}


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


@dataclass(frozen=True)
class Corpus:
    """Predictions and references, in one or more batches of any size.

    `bleu_inputs.read_corpus` makes one of a user's data, `make_corpus` of arrays.
    """

    batches: tuple[Batch, ...]
    kind: InputType

    def __len__(self) -> int:
        return sum(len(batch.predictions) for batch in self.batches)

    @property
    def predictions(self) -> pa.ChunkedArray:
        """All predictions as one column."""
        return pa.chunked_array([batch.predictions for batch in self.batches], TYPES[self.kind])

    @property
    def references(self) -> pa.ChunkedArray:
        """All references as one column of lists."""
        return pa.chunked_array(
            [make_lists(batch.bounds, batch.references) for batch in self.batches],
            pa.large_list(TYPES[self.kind]),
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
        counts: set[int] = set()
        for batch in self.batches:
            # Not np.diff and np.unique, which take long if each batch is one segment.
            batch_counts = batch.bounds[1:] - batch.bounds[:-1]
            if len(batch_counts):
                counts.update((int(batch_counts.min()), int(batch_counts.max())))
            if len(counts) > 1:
                return "var"
        return str(counts.pop()) if counts else "?"

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


def _to_plain(value: Any) -> Any:
    """Return a scalar of NumPy, or a tensor without axes, as a value of Python."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def is_array(type_: type) -> bool:
    """Return True for arrays and tensors of any library, without importing it."""
    if issubclass(type_, np.generic) or hasattr(type_, "iloc"):  # scalars, and pandas' Series
        return False
    return hasattr(type_, "__array__") and hasattr(type_, "ndim")


def to_numpy(data: Any) -> Any:
    """Return a tensor of torch, JAX or TensorFlow, on any device, as a NumPy array.

    Anything else is returned as it is.

    Raises:
        TypeError: NumPy has no form for the array: it is nested or sparse, for example.
    """
    if not is_array(type(data)) or isinstance(data, np.ndarray):
        return data
    try:
        if not hasattr(data, "detach"):
            return np.asarray(data)
        on_cpu = data.detach().cpu()  # of torch
        with suppress(TypeError):
            return np.asarray(on_cpu)
        return np.asarray(on_cpu.float())  # of a type that NumPy does not have, such as bfloat16
    except (RuntimeError, TypeError, ValueError):
        raise TypeError("NumPy cannot read this array") from None


def is_missing(value: object) -> bool:
    """Return True for None, and for NaN, NaT and NA of any library.

    >>> [is_missing(value) for value in (None, float("nan"), np.float32("nan"), "", 0.0)]
    [True, True, True, False, False]
    """
    plain = _to_plain(value)
    if plain is None or hasattr(plain, "__len__"):  # arrays compare by item
        return plain is None
    try:
        differs = plain != plain
    except TypeError:  # lazy frames can't be compared
        return False
    # NaN differs from itself, and a comparison of pandas.NA returns NA.
    return differs is True or (differs is plain and plain is not False)


def plain_label(label: object) -> Label:
    """Return the form that equal labels share.

    It is a plain str, int, float or bool, and None for NaN; other values become their text.

    >>> plain_label(2.0), plain_label(np.str_("news")), plain_label(float("nan"))
    (2, 'news', None)
    """
    plain = _to_plain(label)
    if is_missing(plain):
        return None
    if isinstance(plain, float):
        return int(plain) if plain.is_integer() and abs(plain) < 2**63 else float(plain)
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, int):
        return int(plain)
    if isinstance(plain, str):
        return str.__str__(plain)  # the value of a member of a str Enum, not its name
    return str(plain)


def group_labels(labels: Sequence[_AnyLabel]) -> dict[_AnyLabel, Int64]:
    """Return the segments of each label, ascending; labels are in the order of first appearance.

    >>> group_labels(["b", "a", "b"])
    {'b': array([0, 2]), 'a': array([1])}
    """
    numbers = number_labels(labels)
    ends = np.cumsum(np.bincount(numbers))
    segments = np.split(np.argsort(numbers, kind="stable"), ends[:-1])
    return dict(zip(dict.fromkeys(labels), segments))


def number_labels(labels: Sequence[Hashable]) -> Int64:
    """Return the number of each label, from 0 in the order of first appearance.

    True and 1 are two labels, although they are one key of a dict.

    >>> number_labels(["b", "a", "b"]), number_labels([1, True])
    (array([0, 1, 0]), array([0, 1]))
    """
    keys = labels
    if any(isinstance(label, bool) for label in labels):
        keys = [(type(label), label) for label in labels]
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


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


def is_string(type_: pa.DataType) -> bool:
    """Return True for strings with offsets of 32 or 64 bits."""
    return type_.id in _STRING_IDS


def is_list(type_: pa.DataType) -> bool:
    """Return True for lists with offsets of 32 or 64 bits."""
    return type_.id in _LIST_IDS


def innermost_type(type_: pa.DataType) -> pa.DataType:
    """Return the type of the items of a list, or of lists of lists; any other type as it is."""
    return innermost_type(type_.value_type) if is_list(type_) else type_


def find_offsets(array: pa.Array) -> Int64:
    """Return the offsets of a large_string or large_list array: int64 [items + 1].

    >>> find_offsets(pa.array(["ab", "", "c"], STRINGS).slice(1))
    array([2, 2, 3])
    """
    if not len(array):
        return np.zeros(1, np.int64)
    offsets = np.frombuffer(array.buffers()[1], np.int64)  # buffer 0 marks nulls
    return offsets[array.offset : array.offset + len(array) + 1]


def list_items(array: pa.Array) -> tuple[pa.Array, Int64]:
    """Return the items of a large_list array, and the bounds of each list: int64 [lists + 1].

    The items are not copied.

    >>> list_items(pa.array([["a"], ["b", "c"]], TOKENS).slice(1))[1]
    array([0, 2])
    """
    offsets = find_offsets(array)
    start = offsets[0]
    return array.values.slice(start, offsets[-1] - start), offsets - start


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


def make_lists(offsets: Int64, items: pa.Array) -> pa.LargeListArray:
    """Build the large_list array with these offsets and items."""
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), items)


def map_strings(array: pa.Array, change: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Apply a function to the strings of texts of any kind; ids remain unchanged.

    >>> tokens = pa.array([["a"], ["b", "c"]], TOKENS)
    >>> map_strings(tokens, lambda strings: pa.array(["x"] * len(strings))).to_pylist()
    [['x'], ['x', 'x']]
    """
    if array.type == STRINGS:
        return change(array)
    if array.type != TOKENS:
        return array
    items, offsets = list_items(array)
    return make_lists(offsets, change(items))


def evenly_spaced(size: int, rows: int) -> Int64:
    """Return at most `rows` indices below `size`, evenly spread, with the first and the last.

    >>> evenly_spaced(100, 3)
    array([ 0, 49, 99])
    """
    if size <= rows:
        return np.arange(size)
    return np.arange(rows) * (size - 1) // max(1, rows - 1)


def evenly_spaced_rows(array: pa.ChunkedArray, rows: int) -> pa.ChunkedArray:
    """Return at most `rows` items of a column, evenly spread."""
    return array if len(array) <= rows else array.take(pa.array(evenly_spaced(len(array), rows)))


def slices(array: pa.ChunkedArray, rows: int = 1 << 16) -> Iterator[pa.Array]:
    """Yield a column in arrays of at most `rows` items.

    Intermediate results of an array need little memory.

    >>> [len(piece) for piece in slices(pa.chunked_array([[1, 2, 3], [4]]), rows=2)]
    [2, 1, 1]
    """
    for chunk in array.chunks:
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows)


# The processors that this process may use, and so the number of threads. On Linux, a process may be
# limited to some of them.
PROCESSORS = (
    len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
)


# --- Objects in other processes -------------------------------------------------------------------


def picklable(class_: _AnyClass) -> _AnyClass:
    """Let objects of a class be pickled to a process that has another copy of this project.

    Pickle refers to a class by its module. evaluate puts its copy of the modules into a package
    with a hash in its name. A process that has not loaded the metric can't import it, and an
    installed package has another name.

    >>> import pickle
    >>> pickle.loads(pickle.dumps(make_corpus([(pa.array(["a"]), pa.array(["b"]), [0, 1])]))).kind
    'text'
    """
    class_.__reduce__ = _reduce  # type: ignore[assignment, method-assign]
    return class_


def _reduce(instance: object) -> tuple[object, ...]:
    """Return what pickle and `copy` make an object again from: a function, its values, a state."""
    maker = _make_maker(type(instance))  # type: ignore[arg-type] # classes are hashable
    if isinstance(instance, tuple):
        return maker, tuple(instance)
    if isinstance(instance, Exception):
        return maker, instance.args, vars(instance)
    if hasattr(instance, "__setstate__"):  # its __getstate__ is not Python's
        return maker, (), instance.__getstate__()
    return maker, (), vars(instance)


class _Maker:
    """A function that makes an object without a call of its constructor.

    Pickled, it carries the code of `find_maker`: a reference to that function would fail where the
    project is missing, before a message could say so.
    """

    def __init__(self, class_: type) -> None:
        self.class_ = class_

    def __call__(self, *values: object) -> object:
        return self.class_.__new__(self.class_, *values)

    def __reduce__(self) -> tuple[object, ...]:
        package, _, module = self.class_.__module__.rpartition(".")
        if package != __package__:  # a class that a user derived
            return functools.partial, (self.class_.__new__, self.class_)
        names = {
            "source": "from __future__ import annotations\n" + inspect.getsource(find_maker),
            "copy": package,
            "module": module,
            "name": self.class_.__name__,
            "version": __version__,
        }
        # `exec` defines `find_maker` among these names, and returns None. The price: scanners of
        # pickles flag `eval`. Without it, a spawned process could not find evaluate's copy, and an
        # error could not say what to install: pickle only calls what the process can import.
        return eval, ("exec(source) or find_maker(copy, module, name, version)", names)


def find_maker(copy: str, module: str, name: str, version: str) -> Callable[..., object]:
    """Return a function that makes objects of a class, in a process that unpickles one.

    Only the source of this function gets there, so it imports what it needs.

    Args:
        copy: the package that the class of the pickled object is from.
        module: the name of the module in that package.
        name: the name of the class.
        version: the version of the pickled object.

    Raises:
        ImportError: the project is missing, or another version is installed.
    """
    import functools
    import importlib
    import importlib.util
    import sys

    # Copies that evaluate has loaded here, of the same version.
    loaded = [
        path.rpartition(".")[0]
        for path, imported in list(sys.modules.items())
        if path.startswith("evaluate_modules.")
        and path.endswith(".bleu_corpus")
        and imported.__version__ == version
    ]
    # A file or folder named like the package, such as a clone, is not the package.
    spec = importlib.util.find_spec("bleu_metric")
    if copy in loaded:
        # 1. The copy itself: the class stays the same.
        package = copy
    elif spec is not None and spec.origin and spec.submodule_search_locations:
        # 2. The installed package.
        package = "bleu_metric"
        found = importlib.import_module(package).__version__
        if found != version:
            raise ImportError(
                f"This object is from bleu_metric {version}, but bleu_metric {found} is installed"
                " here. Install the same version."
            )
    elif loaded:
        # 3. Another copy: the object comes back from a process that has the package.
        package = loaded[0]
    else:
        # 4. The copy in evaluate's cache.
        package = copy
        try:
            from evaluate.loading import init_dynamic_modules

            init_dynamic_modules()
            importlib.import_module(package)
        except ImportError as error:
            raise ModuleNotFoundError(
                f"bleu_metric {version} is missing in this process. Install the package here, or"
                " load the same files before: evaluate.load('path/to/bleu_metric.py')."
            ) from error
    class_ = getattr(importlib.import_module(f"{package}.{module}"), name)
    return functools.partial(class_.__new__, class_)


_make_maker = functools.cache(_Maker)  # one per class, because pickle writes the same object once

# These classes are defined above `picklable`. A subclass is pickled as its base is.
picklable(Batch)
picklable(Corpus)
