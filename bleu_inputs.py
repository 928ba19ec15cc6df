"""Readers from any container to a `Corpus`, `Texts` or labels, with errors that name the column and the row.

Plain lists of strings, tokens or ids, which most calls pass, take a fast path. All other containers
are converted to Arrow columns and then checked; texts that are in Arrow already are not copied.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_messages as messages
from .bleu_corpus import (
    IDS,
    STRINGS,
    TOKENS,
    TYPES,
    Batch,
    Corpus,
    Int64,
    Kind,
    SystemName,
    Texts,
    innermost_type,
    is_list,
    is_string,
    kind_of,
    list_items,
    make_corpus,
    make_lists,
    pieces,
    plain_label,
)
from .bleu_messages import (
    LONE_SURROGATE,
    count_things,
    describe_references,
    describe_type,
    name_system,
    name_value,
    raise_for_first_bad_row,
    show_value,
    warn,
    wrong_item,
)

_SAMPLE_ROWS = 100  # rows inspected for a mistake that affects a whole column
_FEWEST_TOKENS = 4  # references per segment that may be the tokens of one reference
_INNER_SPACE = r"\S\s+\S"
# Columns of a table of systems that are not systems: "reference", "ref_A", "refs", "source_en",
# "docid"
_NOT_A_SYSTEM = re.compile(
    r"(ref|reference|src|source|tgt|target|gold|doc|document|domain|label|seg|segment|id|lang|lp)s?"
    r"([\W_]*(id|text|[a-z]|\d+)|[\W_]+[a-z]{2})?",
    re.IGNORECASE,
)
_NESTED = (
    dict,
    set,
    frozenset,
)  # containers that Arrow recurses into and that rows must not contain


def read_corpus(predictions: Any, references: Any, allow_empty: bool = False) -> Corpus:
    """Read predictions and references; zero rows are an error unless `allow_empty` is True.

    >>> read_corpus(["a b"], [["a", None]]).references.to_pylist()
    [['a']]
    """
    corpus = _read_plain(predictions, references)
    if corpus is not None:
        return corpus
    for name, data in (("predictions", predictions), ("references", references)):
        if data is None:
            raise ValueError(messages.MISSING_COLUMN.format(name))
    prediction_column = read_column("predictions", predictions, messages.TEXT)
    reference_column = read_column("references", references, messages.REFERENCES)
    if allow_empty and len(prediction_column) == len(reference_column) == 0:
        return make_empty_corpus("text")
    _check_row_counts(prediction_column, reference_column)
    prediction_column = _check_texts("predictions", prediction_column, reference_column.type)
    reference_column = _check_references(reference_column, prediction_column)
    # Columns may be chunked differently; a table has batches in which both are whole.
    table = pa.table({"predictions": prediction_column, "references": reference_column})
    parts = [
        (batch.column(0), *list_items(batch.column(1)))
        for batch in table.to_batches()
        if len(batch)
    ]
    corpus = make_corpus(parts)
    warn_about_rows(corpus)
    return corpus


def read_corpora(
    systems: Mapping[SystemName, object], references: object
) -> Iterator[tuple[SystemName, Corpus]]:
    """Yield a corpus for each system; the references are read once.

    >>> systems = {"A": ["a b"], "B": ["a c"]}
    >>> [corpus.predictions.to_pylist() for _, corpus in read_corpora(systems, ["a b"])]
    [['a b'], ['a c']]
    """
    shared: Corpus | None = None
    for name, predictions in systems.items():
        with name_system(name):
            if shared is None:
                corpus = shared = read_corpus(predictions, references)
            else:
                corpus = _replace_predictions(shared, predictions)
        yield name, corpus


def _replace_predictions(corpus: Corpus, predictions: object) -> Corpus:
    """Return a corpus with other predictions, whose references are not read again."""
    column = None
    if type(predictions) is list and predictions:
        texts = _read_plain_texts(list(predictions))
        column = None if texts is None else pa.chunked_array([texts])
    if column is None:
        if predictions is None:
            raise ValueError(messages.MISSING_COLUMN.format("predictions"))
        column = read_column("predictions", predictions, messages.TEXT)
        _check_row_counts(column, corpus.references)
        column = _check_texts("predictions", column, corpus.references.type)
    if len(column) != len(corpus) or column.type != TYPES[corpus.kind]:
        return read_corpus(column, corpus.references)  # which raises
    (references,) = corpus.combine().batches
    texts = column.combine_chunks()
    replaced = make_corpus([(texts, references.references, references.bounds)])
    warn_about_rows(replaced)
    return replaced


def make_empty_corpus(kind: Kind) -> Corpus:
    """Return a corpus without segments."""
    none = pa.array([], TYPES[kind])
    return Corpus((Batch(range(0), none, none, np.zeros(1, np.int64)),), kind)


def read_texts(**columns: Any) -> Texts:
    """Read columns of any length with one text per row, all of one kind; the keywords are their names in errors."""
    arrays = {name: read_column(name, data, messages.TEXT) for name, data in columns.items()}
    types = sorted(
        (array.type for array in arrays.values()),
        key=lambda type_: pa.types.is_null(innermost_type(type_)),
    )
    for name, array in arrays.items():
        if not len(array):
            raise ValueError(messages.EMPTY_COLUMN.format(name))
        arrays[name] = _check_texts(name, array, types[0])
    (first_name, first), *further = arrays.items()
    for name, array in further:
        if array.type != first.type:
            expected = f"{describe_type(first.type)} like the {first_name}"
            raise wrong_item(name, 0, describe_type(array.type), expected)
    return Texts(arrays, kind_of(first.type))


def fingerprint_references(references: Any) -> str:
    """Return a hash of references that is equal for equal references in any container.

    It is the SHA-256 of `text` or `lists`, followed by netstrings (a length in bytes, a colon, the
    bytes, a comma): a segment is the netstring of its references, and a reference that of its text,
    or of its tokens or ids.
    """
    column = read_column("references", references, messages.REFERENCES)
    if pa.types.is_integer(innermost_type(column.type)):
        text_type = IDS
    else:
        text_type = TOKENS if is_list(column.type) and is_list(column.type.value_type) else STRINGS
    has_lists = text_type != STRINGS
    digest = hashlib.sha256(b"lists" if has_lists else b"text")
    for piece in pieces(_check_references(column, pa.chunked_array([], text_type))):
        for row in piece.to_pylist():
            texts = (
                [b"".join(_frame(str(token)) for token in text) for text in row]
                if has_lists
                else row
            )
            digest.update(_frame(b"".join(map(_frame, texts))))
    return digest.hexdigest()


def _frame(item: str | bytes) -> bytes:
    data = item.encode() if isinstance(item, str) else item
    return b"%d:%b," % (len(data), data)


def read_labels(labels: Any, rows: int | None = None) -> list[Any]:
    """Read one label per row as plain Python values: str, numbers and None; anything else as its text.

    Equal labels have one form: integral floats become int, and NaN becomes None.

    Raises:
        TypeError, ValueError: this is not a column of labels, or not one of `rows` labels (None
            allows any number); or two labels would be one key in JSON.

    >>> read_labels(np.array([3.0, 4.5]), 2), read_labels(["news", None, float("nan")], 3)
    ([3, 4.5], ['news', None, None])
    """
    read, keys = list_labels("by", labels, rows), dict[str, Any]()
    for label in {(type(label), label): label for label in read}.values():
        if isinstance(label, str) and LONE_SURROGATE.search(label):
            raise ValueError(messages.SURROGATE.format(name="by", row=read.index(label)))
        names = [label if isinstance(label, str) else json.dumps(label)]
        names += (
            [str(int(label))] if isinstance(label, bool) else []
        )  # True and 1 are also one key in Python
        for name in names:
            known = keys.setdefault(name, label)
            if type(known) is not type(label):
                raise ValueError(messages.SAME_KEY.format(show_value(known), show_value(label)))
    return read


def read_documents(documents: Any, rows: int | None = None) -> list[Any]:
    """Read the document of each row, as `read_labels` does; 1 and "1" are two documents.

    Raises:
        TypeError, ValueError: as for `read_labels`; or a row has no document.
    """
    read = list_labels("documents", documents, rows)
    if None in read:
        raise ValueError(messages.NO_DOCUMENT.format(row=read.index(None)))
    return read


def list_labels(name: str, labels: Any, rows: int | None) -> list[Any]:
    """Read labels for the argument of this name, as `read_labels` does."""
    if isinstance(labels, (str, bytes, Mapping, Set)) or not isinstance(labels, Iterable):
        raise TypeError(messages.NOT_LABELS.format(name, name_value(labels)))
    if not isinstance(labels, (list, tuple)) and hasattr(labels, "__len__"):
        # Labels of several types, and integers beyond int64, are not converted; an error below
        # names lists.
        with suppress(pa.ArrowException, TypeError, OverflowError, RecursionError):
            column = to_arrow(labels, depth=0)
            _check_utf8(
                name, pa.chunked_array([column]) if isinstance(column, pa.Array) else column
            )
            labels = column.to_pylist()
    read = []
    for row, label in enumerate(labels):
        if type(label) is not str and isinstance(
            label, (bytes, list, tuple, dict, set, np.ndarray)
        ):
            raise wrong_item(name, row, name_value(label), "a str or a number")
        read.append(label if type(label) is str else plain_label(label))
    if rows is not None:
        check_label_count(name, read, rows)
    return read


def check_label_count(name: str, labels: Sequence[object], rows: int) -> None:
    """Raise unless there is one label per row; `name` is the argument."""
    if len(labels) != rows:
        raise ValueError(
            messages.LABEL_COUNT.format(
                name=name,
                labels=count_things(len(labels), "label"),
                predictions=count_things(rows, "prediction"),
            )
        )


def read_systems(systems: Any) -> dict[Any, Any]:
    """Return the data of each system, from a dict by name, or from a table of texts with one column per system.

    >>> read_systems(pa.table({"A": ["a b"], "B": ["a c"]}))["B"].to_pylist()
    ['a c']
    """
    if isinstance(systems, Mapping):
        for name, data in (
            ("systems", systems),
            *((f"System {show_value(key)}", systems[key]) for key in systems),
        ):
            if is_result(data):
                raise TypeError(messages.A_RESULT.format(name))
        return dict(systems)
    if hasattr(systems, "collect") or not hasattr(
        systems, "columns"
    ):  # a frame that is not in memory, or a Series
        raise TypeError(messages.SYSTEMS.format(type(systems).__name__))
    names = systems.column_names if isinstance(systems, pa.Table) else list(systems.columns)
    if len(set(names)) < len(names):
        raise ValueError(messages.SAME_NAMES)
    for name in names:
        texts = (
            value.as_py() if isinstance(value, pa.Scalar) else value for value in systems[name]
        )
        if _NOT_A_SYSTEM.fullmatch(str(name)) or (
            len(systems) and not any(isinstance(text, str) for text in texts)
        ):
            raise ValueError(messages.NOT_A_SYSTEM.format(show_value(name)))
    return {name: systems[name] for name in names}


def read_column(name: str, data: Any, expected: str) -> pa.ChunkedArray:
    """Read a container as an Arrow column of large_string, int64 or null, or of large lists of these at any depth.

    Errors name the column and the rows that are expected there.
    """
    if isinstance(data, str):
        raise TypeError(messages.ONE_TEXT.format(name))
    if is_result(data):
        raise TypeError(messages.A_RESULT.format(name))
    is_iterable = isinstance(data, Iterable) and not isinstance(data, (bytes, Mapping, Set))
    # Tables of datasets and Arrow; of pandas and polars, whose LazyFrame is not iterable.
    columns = getattr(data, "column_names", getattr(data, "columns", None) if is_iterable else None)
    if columns is not None:
        raise TypeError(
            messages.A_TABLE.format(name, name_value(data), ", ".join(map(str, columns)))
        )
    if not is_iterable:
        raise TypeError(messages.NOT_A_COLUMN.format(name, name_value(data), expected))
    data = data if hasattr(data, "__len__") or hasattr(data, "__arrow_c_stream__") else list(data)
    try:
        array, problem = to_arrow(data, depth=2 if expected == messages.REFERENCES else 1), None
    except (pa.ArrowException, TypeError, ValueError, OverflowError, RecursionError) as error:
        array, problem = None, type(error).__name__  # Arrow's message may contain a text
    if (
        problem is not None
    ):  # outside of the `except`, or the traceback would begin with Arrow's error
        raise_for_first_bad_row(name, data, expected)
        raise TypeError(messages.ARROW_FAILED.format(name, problem))
    array = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    type_ = _find_canonical_type(name, array.type)
    if type_ is None:
        raise_for_first_bad_row(name, data, expected)
        raise wrong_item(name, 0, str(array.type), expected)
    _check_utf8(name, array)
    try:
        return array if type_ == array.type else array.cast(type_)
    except pa.ArrowException:  # unsigned ids beyond int64
        raise_for_first_bad_row(name, array.to_pylist(), expected)
        raise wrong_item(name, 0, str(array.type), expected) from None


def _read_plain(predictions: Any, references: Any) -> Corpus | None:
    """Read plain lists on the fast path; return None for all other containers, which take the general path."""
    if not (type(predictions) is type(references) is list and predictions and references):
        return None
    prediction_array, rows = _read_plain_texts(list(predictions)), list(references)
    if prediction_array is None:
        return None
    if type(rows[0]) is str:
        rows = [(row,) for row in rows]
    flat = _flatten(rows)
    if flat is None:
        return None
    reference_array, counts = _read_plain_texts(flat[0]), flat[1]
    if reference_array is None or reference_array.type != prediction_array.type:
        return None
    if len(prediction_array) != len(rows) or 0 in counts:
        return None
    corpus = make_corpus([(prediction_array, reference_array, _find_bounds(counts))])
    if corpus.kind == "text" and len(rows) > 1 and set(counts) == {len(rows)}:
        warn(messages.SQUARE, rows=len(rows))
    warn_about_rows(corpus)
    return corpus


def _read_plain_texts(texts: list[Any]) -> pa.Array | None:
    """Convert strings, lists of str, or lists of non-negative ids; return None for items of any other type."""
    found = set(map(type, texts))
    try:
        if found == {str}:
            return pa.array(texts, STRINGS)
        flat = _flatten(texts)
        if flat is None:
            return None
        found = set(map(type, flat[0]))
        if found == {str}:
            return make_lists(_find_bounds(flat[1]), pa.array(flat[0], STRINGS))
        ids = (
            np.fromiter(flat[0], np.int64, len(flat[0])) if found == {int} else None
        )  # Arrow takes twice as long
        return (
            None
            if ids is None or ids.min() < 0
            else make_lists(_find_bounds(flat[1]), pa.array(ids))
        )
    except (
        UnicodeEncodeError,
        OverflowError,
    ):  # a lone surrogate, more than 64 bits: the general path names the row
        return None


def _flatten(lists: list[Any]) -> tuple[list[Any], list[int]] | None:
    """Return the items and lengths of lists; None if a row is not a list, or if another thread changes a list."""
    if not set(map(type, lists)) <= {list, tuple}:
        return None
    lengths = list(map(len, lists))
    items = list(chain.from_iterable(lists))
    if list(map(len, lists)) != lengths or sum(lengths) != len(items):
        return None
    return items, lengths


def _find_bounds(lengths: list[int]) -> Int64:
    return np.fromiter(accumulate(lengths, initial=0), np.int64, len(lengths) + 1)


def to_arrow(data: Any, depth: int) -> Any:
    """Convert a container to an Arrow array, column or table; Arrow data is not copied.

    Rows are lists of at most `depth` levels; deeper ones and dicts raise an error before Arrow
    recurses into them.
    """
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data
    data = to_numpy(data)
    source: Any = getattr(
        data, "source", None
    )  # of a column of a `datasets.Dataset`; a transform makes other values
    if (
        hasattr(source, "data")
        and hasattr(source, "with_format")
        and source.format["type"] != "custom"
    ):
        return source.with_format("arrow")[data.column_name][:]
    if hasattr(
        data, "to_arrow"
    ):  # polars: its own conversion avoids string views, which old pyarrow cannot read
        return data.to_arrow()
    if str(getattr(data, "dtype", "")) == "object":
        data = data.tolist()
    if hasattr(data, "__arrow_c_stream__"):
        return pa.chunked_array(data)
    if hasattr(data, "iloc"):
        return pa.Array.from_pandas(data)
    if hasattr(data, "__arrow_c_array__"):
        return pa.array(data)
    if isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype.kind != "U" and data.size:
        return pa.array(data)
    return pa.array(
        _unwrap_arrays(data.tolist() if isinstance(data, np.ndarray) else list(data), depth)
    )


def _unwrap_arrays(rows: Any, depth: int) -> Any:
    """Replace arrays and tensors with lists; raise for dicts and for more than `depth` levels of lists in a row.

    Arrow accepts only arrays of one dimension, ends their strings at a NUL, and types empty ones
    float64. It recurses into nested lists and dicts until the stack overflows.
    """
    items = rows
    for _ in range(
        depth + 1
    ):  # level by level, because a call per row would take as long as the conversion
        found = set(map(type, items))
        if found & {bytes, bytearray}:  # Arrow takes them for strings if the first item is a str
            raise TypeError
        if any(map(_is_array, found)):
            return _unwrap_arrays(_list_arrays(rows, depth), depth)
        if any(issubclass(type_, _NESTED) for type_ in found):
            raise TypeError("there are dicts or sets among the rows")
        if not any(issubclass(type_, (list, tuple)) for type_ in found):
            return rows
        items = list(chain.from_iterable(item for item in items if isinstance(item, (list, tuple))))
    if any(
        _is_array(type_) or issubclass(type_, (list, tuple, *_NESTED))
        for type_ in set(map(type, items))
    ):
        raise RecursionError("lists are nested too deeply")
    return rows


def _list_arrays(value: Any, depth: int) -> Any:
    value = to_numpy(value).tolist() if _is_array(type(value)) else value
    if depth < 0 or not isinstance(value, (list, tuple)):
        return value
    return [_list_arrays(item, depth - 1) for item in value]


def to_numpy(data: Any) -> Any:
    """Return a tensor of torch, JAX or TensorFlow, on any device, as a NumPy array; anything else as it is."""
    if not _is_array(type(data)) or isinstance(data, np.ndarray):
        return data
    return np.asarray(data.detach().cpu() if hasattr(data, "detach") else data)


def _is_array(type_: type) -> bool:
    """Return True for arrays and tensors of any library, without importing it; not for scalars and pandas' Series."""
    is_other = issubclass(type_, np.generic) or hasattr(type_, "iloc")
    return hasattr(type_, "__array__") and hasattr(type_, "ndim") and not is_other


def _find_canonical_type(name: str, type_: pa.DataType) -> pa.DataType | None:
    """Return the equivalent type of large_string, int64, null and large lists; None if the type has no equivalent."""
    if is_string(type_) or pa.types.is_null(type_):
        return STRINGS if is_string(type_) else type_
    if pa.types.is_integer(type_):
        return pa.int64()
    if pa.types.is_dictionary(type_):
        return _find_canonical_type(name, type_.value_type)
    if is_list(type_) or pa.types.is_fixed_size_list(type_):
        value = _find_canonical_type(name, type_.value_type)
        return None if value is None else pa.large_list(value)
    if "view" in str(type_) or "run_end" in str(type_):
        # Not a cast: pyarrow cannot cast runs, 16.1 cannot cast views of strings, and 26 loses
        # items of list views.
        raise TypeError(messages.ARROW_TYPE.format(name, type_))
    return None


def _check_utf8(name: str, array: pa.ChunkedArray) -> None:
    """Raise if Arrow strings have bytes that are not UTF-8; Arrow does not check bytes that it receives."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as invalid:
        if "UTF8" not in str(invalid):
            raise
        for row, value in enumerate(array):
            try:
                value.as_py()
            except UnicodeDecodeError as error:
                raise ValueError(
                    messages.NOT_UTF8.format(name=name, row=row, reason=error.reason)
                ) from None
        # The invalid bytes belong to an item outside of the slice, which is not read.


def _check_row_counts(predictions: pa.ChunkedArray, references: pa.ChunkedArray) -> None:
    rows, reference_rows = len(predictions), len(references)
    if rows == reference_rows == 0:
        raise ValueError(messages.NO_SEGMENTS)
    has_other_orientation = not is_list(predictions.type) and _all_lists_have(rows, references)
    if rows != reference_rows:
        message = messages.COUNTS_DIFFER.format(
            predictions=count_things(rows, "prediction"),
            references=count_things(reference_rows, "reference"),
        )
        if has_other_orientation:
            message += messages.SACREBLEU_LAYOUT.format(
                lists=count_things(reference_rows, "list"), rows=rows
            )
        else:
            message += messages.ONE_LIST_EACH
            message += messages.SINGLE_PREDICTION if rows == 1 and reference_rows > 1 else ""
        raise ValueError(message)
    if has_other_orientation and rows > 1:
        warn(messages.SQUARE, rows=rows)


def _all_lists_have(length: int, array: pa.ChunkedArray) -> bool:
    if not is_list(array.type) or not len(array):
        return False
    return all(
        pc.all(pc.equal(pc.list_value_length(piece), length)).as_py() for piece in pieces(array)
    )


def _check_texts(name: str, array: pa.ChunkedArray, other: pa.DataType) -> pa.ChunkedArray:
    """Return a column of texts of one kind, or raise; empty lists alone take the kind of the other column."""
    if array.null_count:
        expected, empty = (
            (describe_type(array.type), "[]") if is_list(array.type) else ("a str", '""')
        )
        place = {"name": name, "row": _first_null(array), "item": name[:-1]}
        raise ValueError(messages.NONE_ITEM.format(**place, expected=expected, empty=empty))
    if is_list(array.type) and pa.types.is_null(array.type.value_type):
        array = array.cast(TYPES["ids" if pa.types.is_integer(innermost_type(other)) else "tokens"])
    if array.type not in TYPES.values():
        raise wrong_item(name, 0, describe_type(array.type), messages.TEXT)
    if is_list(array.type):
        _check_tokens(name, array)
    return array


def _check_references(array: pa.ChunkedArray, predictions: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of lists of references that are of the predictions' type, or raise."""
    prediction = predictions.type
    if (
        prediction == TYPES["tokens"]
        and array.type in (STRINGS, TYPES["tokens"])
        and _all_lists_have(1, predictions)
    ):
        raise TypeError(messages.ONE_STR)
    if pa.types.is_null(array.type):
        raise ValueError(messages.NO_REFERENCE.format(0))
    if array.type == prediction and prediction in (
        STRINGS,
        TYPES["ids"],
    ):  # one reference per segment
        if array.null_count:
            raise ValueError(messages.NO_REFERENCE.format(_first_null(array)))
        arrays = [make_lists(np.arange(len(piece) + 1), piece) for piece in pieces(array)]
        array = pa.chunked_array(arrays, pa.large_list(prediction))
    elif not is_list(array.type):
        raise wrong_item(
            "references", 0, describe_type(array.type), describe_references(prediction)
        )
    value = array.type.value_type
    is_empty_lists = is_list(prediction) and is_list(value) and pa.types.is_null(value.value_type)
    if not (value == prediction or is_empty_lists or pa.types.is_null(value)):
        raise wrong_item(
            "references", 0, describe_type(array.type), describe_references(prediction)
        )
    array = _drop_nulls(array).cast(pa.large_list(prediction))
    if is_list(prediction):
        _check_tokens("references", array)
    return array


def _check_tokens(name: str, array: pa.ChunkedArray) -> None:
    """Raise for None among tokens or ids, and for negative ids, such as the -100 of padded labels."""
    first_row = 0
    for piece in pieces(array):
        items, bounds = list_items(piece)
        while is_list(items.type):
            items, inner_bounds = list_items(items)
            bounds = inner_bounds[bounds]
        is_bad = np.asarray(items.is_null())
        if pa.types.is_integer(items.type):
            is_bad = is_bad | np.asarray(pc.less(items, 0).fill_null(True))
        if is_bad.any():
            place = int(is_bad.argmax())
            row = first_row + int(np.searchsorted(bounds, place, side="right")) - 1
            if not items[place].is_valid:
                raise TypeError(messages.NONE_TOKEN.format(name=name, row=row))
            raise ValueError(messages.NEGATIVE_ID.format(name=name, row=row, id=items[place]))
        first_row += len(piece)


def _drop_nulls(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Remove None from the lists of references; raise for the first row without other references."""
    lists, first_row = [], 0
    for piece in pieces(array):
        (items, bounds), is_valid = list_items(piece), np.asarray(piece.is_valid())
        if items.null_count:
            has_value = np.asarray(items.is_valid())
            bounds = np.concatenate([[0], np.cumsum(has_value)])[bounds]
            piece = make_lists(bounds, items.filter(pa.array(has_value)))
        empty = np.flatnonzero((np.diff(bounds) == 0) | ~is_valid)
        if len(empty):
            raise ValueError(messages.NO_REFERENCE.format(first_row + empty[0]))
        lists.append(piece)
        first_row += len(piece)
    return pa.chunked_array(lists, array.type)


def warn_about_rows(corpus: Corpus) -> None:
    """Warn if predictions look like lists of sentences, or references like the tokens of one reference."""
    batch = corpus.batches[0]
    if corpus.kind == "tokens":
        tokens = pc.list_flatten(batch.predictions.slice(0, _SAMPLE_ROWS))
        has_space = pc.sum(pc.match_substring_regex(tokens, _INNER_SPACE)).as_py() or 0
        if 2 * has_space > len(tokens):
            warn(messages.SENTENCES_AS_TOKENS)
    elif corpus.kind == "text" and len(batch.references) >= max(
        1, _FEWEST_TOKENS * len(batch.predictions)
    ):
        _, texts, tokens, _ = batch.slice(0, _SAMPLE_ROWS)
        length, tokens_length = (
            pc.sum(pc.utf8_length(column)).as_py() for column in (texts, tokens)
        )
        has_space = pc.any(pc.match_substring_regex(tokens, _INNER_SPACE)).as_py()
        if not has_space and length <= 2 * tokens_length <= 4 * length:
            warn(messages.TOKEN_REFERENCES)


def is_result(data: Any) -> bool:
    """Return True for a result of `compute` or another method, which has scores and no rows."""
    if not isinstance(data, Mapping):
        return False
    return isinstance(data.get("signature"), str) or isinstance(
        data.get("score", data.get("bleu")), float
    )


def _first_null(array: pa.ChunkedArray) -> int:
    return int(np.argmin(np.concatenate([np.asarray(chunk.is_valid()) for chunk in array.chunks])))
