"""Any container to an Arrow column: the general path, first part.

Called by `read.py` for texts; labels and statistics use the functions below. To read another kind
of container, start at `read_column`, which converts it in `to_arrow`. `_read_item` decides what a
row may be, and raises the errors that name an item.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..shared.arrays import (
    STRINGS,
    innermost_type,
    is_array,
    is_list,
    is_missing,
    is_string,
    to_numpy,
)
from ..shared.messages import (
    A_RESULT,
    EXPECTED_REFERENCES,
    EXPECTED_TEXT,
    LONE_SURROGATE,
    NOT_COLLECTED,
    NOT_UTF8,
    OPEN_FILE,
    SURROGATE,
    name_value,
    show_value,
    wrong_item,
)

# Columns of a table of systems that are not systems: "reference", "ref_A", "refs", "source_en",
# "docid".
COLUMN_NAMES = (
    "src|source|doc|document|domain|label|seg|segment|sent|sentence|line|row|index|idx|unnamed|id"
    "|lang|lp"
)
END_OF_NAME = r"s?([\W_]*(id|name|text|no|nr|num|number|[a-z]|\d+)|[\W_]+[a-z]{2})?"

_NOT_A_REFERENCE = re.compile(
    f"(mt|hyp|hypothesis|pred|prediction|output|{COLUMN_NAMES}){END_OF_NAME}", re.IGNORECASE
)
_NO_LABELS = (bytes, list, tuple, dict, set, frozenset)


def read_column(name: str, data: object, expected: str) -> pa.ChunkedArray:
    """Read a container as an Arrow column.

    Its items are large_string, int64 or null, or large lists of these at any depth. Errors name the
    column and the rows that are `expected` there: `EXPECTED_TEXT` or `EXPECTED_REFERENCES`.
    """
    # 1. Reject what is not a column.
    if isinstance(data, (str, bytes, os.PathLike)):
        raise TypeError(
            f"{name}: expected a list, array or Series with one item per segment,"
            f" got {name_value(data)}. For a file with one segment per line, pass"
            f" {OPEN_FILE}; for the lines of a str,"
            r" text.removesuffix('\n').split('\n'); for a single text, [text]."
        )
    if is_result(data):
        raise TypeError(A_RESULT.format(name=name))
    if is_lazy(data):
        raise TypeError(NOT_COLLECTED.format(name=name))
    rows: Any = open_stream(data)
    if expected == EXPECTED_REFERENCES and _is_frame(rows):
        rows = _list_rows(name, rows)
    columns = list_columns(rows)
    if columns is not None:
        raise TypeError(
            f"{name}: expected a column, got {name_value(data)}."
            f" Pass one of its columns: {', '.join(map(str, columns))}."
        )
    if not contains_rows(rows):
        fix = f"For each segment, pass {expected}."
        if is_array(type(rows)) and isinstance(read_array(name, rows).item(), str):
            fix = f"For a single text, pass [{name}.item()]."
        raise TypeError(
            f"{name}: expected a list, array or Series with one item per segment,"
            f" got {name_value(data)}. {fix}"
        )
    # 2. Convert it to Arrow.
    if is_file(rows):
        rows = read_lines(name, rows)
    if not hasattr(rows, "__len__") and not hasattr(rows, "__arrow_c_stream__"):
        rows = list(read_array(name, rows))  # an iterator can be read only once
    values = read_array(name, rows)

    def convert(items: list[Any]) -> pa.Array:
        is_plain = are_plain(items, DEPTHS[expected])
        return pa.array(items if is_plain else read_items(name, items, expected))

    problem = None
    try:
        column = to_chunks(to_arrow(values, convert))
    except (pa.ArrowException, TypeError, ValueError, OverflowError, RecursionError) as error:
        problem = type(error).__name__  # without its message, which may contain a text
    # Outside of the `except`, or the traceback would begin with Arrow's error.
    if problem is not None:
        read_items(name, rows, expected)
        raise TypeError(f"{name}: not convertible to an Arrow column ({problem}). Pass a list.")
    # 3. Cast it to one of the few types that the checks know.
    canonical_type = find_canonical_type(name, column.type)
    if canonical_type is None:
        if pa.types.is_struct(innermost_type(column.type)):
            check_utf8(name, column)
            # One row after the other, because the first that has fields raises.
            read_items(name, (row.as_py() for row in column), expected)
            rows = [_make_example(column.type)]  # no row has fields
        read_items(name, rows, expected)
        raise wrong_item(name, 0, str(column.type), expected)
    check_utf8(name, column)
    try:
        return column.cast(canonical_type)
    except pa.ArrowException:  # unsigned ids beyond int64
        read_items(name, column.to_pylist(), expected)
        raise wrong_item(name, 0, str(column.type), expected) from None


def _make_example(type_: pa.DataType) -> Any:
    """Return a row of structs or lists of them, with "" for texts and None for other values."""
    if pa.types.is_struct(type_):
        return {field.name: _make_example(field.type) for field in type_}
    if is_list(type_):
        return [_make_example(type_.value_type)]
    return "" if is_string(type_) else None


def find_canonical_type(name: str, type_: pa.DataType) -> pa.DataType | None:
    """Return the equivalent type of large_string, int64, null and large lists.

    Return None if the type has no equivalent.
    """
    if is_string(type_):
        return STRINGS
    if pa.types.is_null(type_):
        return type_
    if pa.types.is_integer(type_):
        return pa.int64()
    if pa.types.is_dictionary(type_):
        return find_canonical_type(name, type_.value_type)
    if is_list(type_) or pa.types.is_fixed_size_list(type_):
        value_type = find_canonical_type(name, type_.value_type)
        return None if value_type is None else pa.large_list(value_type)
    if "view" in str(type_) or "run_end" in str(type_):
        # Not a cast: pyarrow cannot cast runs, 16.1 cannot cast views of strings, and 26 loses
        # items of list views.
        raise TypeError(f"{name}: Arrow's type {type_} is not supported. Pass column.to_pylist().")
    return None


def check_utf8(name: str, array: pa.ChunkedArray) -> None:
    """Raise if Arrow strings have bytes that are not UTF-8.

    Arrow does not check bytes that it receives.
    """
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as invalid:
        if "UTF8" not in str(invalid):
            raise
        for row, value in enumerate(array):
            try:
                value.as_py()
            except UnicodeDecodeError as error:
                raise ValueError(NOT_UTF8.format(name=name, row=row, reason=error.reason)) from None


def to_chunks(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return an array as a column of one chunk; columns and tables as they are."""
    return pa.chunked_array([array]) if isinstance(array, pa.Array) else array


def to_arrow(data: object, convert: Callable[[list[Any]], pa.Array]) -> Any:
    """Convert a container to an Arrow array, column or table; Arrow data is not copied.

    `convert` converts a list of Python's and other libraries' values.
    """
    # The first branch that a container fits converts it. The order matters: several containers also
    # fit a later branch.
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data
    container = to_numpy(data)
    # Columns of a `datasets.Dataset`, unless a transform makes other values of the stored ones.
    source: Any = getattr(container, "source", None)
    is_of_dataset = hasattr(source, "data") and hasattr(source, "with_format")
    if is_of_dataset and source.format["type"] != "custom":
        return source.with_format("arrow")[container.column_name][:]
    # polars: its own conversion avoids string views, which old pyarrow cannot read.
    if hasattr(container, "to_arrow"):
        return container.to_arrow()
    # Columns of objects, such as lists.
    if str(getattr(container, "dtype", "")) == "object":
        return convert(container.tolist())
    # Other Arrow exporters.
    if hasattr(container, "__arrow_c_stream__"):
        return pa.chunked_array(container)
    # pandas.
    if hasattr(container, "iloc"):
        return pa.Array.from_pandas(container)
    # Other Arrow exporters, of one chunk.
    if hasattr(container, "__arrow_c_array__"):
        return pa.array(container)
    # Arrays of NumPy; Arrow misreads those of strings, and those without items.
    if isinstance(container, np.ndarray):
        if container.ndim == 1 and container.dtype.kind != "U" and container.size:
            return pa.array(container)
        return convert(container.tolist())
    # Lists, and anything else that has an iterator.
    return convert(list(container))


def read_array(name: str, data: Any) -> Any:
    """Return an array or tensor of any library as an array of NumPy; anything else as it is.

    Raise if NumPy has no form for it; errors name the column.
    """
    try:
        return to_numpy(data)
    except TypeError:
        is_nested = getattr(data, "is_nested", False)  # of torch
        fix = f"[row.tolist() for row in {name}]" if is_nested else "lists or a NumPy array"
    raise TypeError(f"{name}: got {name_value(data)}, which NumPy cannot read. Pass {fix}.")


def convert_flat(values: list[Any]) -> pa.Array:
    """Convert labels or numbers; NaN, NaT and NA become null.

    Lists and dicts raise an error before Arrow recurses into them.
    """
    if are_plain(values, depth=0):
        return pa.array(values)
    if any(is_array(type_) or issubclass(type_, _NO_LABELS) for type_ in set(map(type, values))):
        raise TypeError("expected str or numbers")
    return pa.array([None if is_missing(value) else value for value in values])


# --- What a container is --------------------------------------------------------------------------


def is_file(data: object) -> bool:
    """Return True for an open file, in text or in binary mode, of any library."""
    return isinstance(data, io.IOBase) or (hasattr(data, "readline") and hasattr(data, "close"))


def read_lines(name: str, file: Any) -> list[str]:
    """Return the lines that are left in a file opened as text, without their line breaks.

    >>> read_lines("predictions", io.StringIO("a dog\\n\\na cat"))
    ['a dog', '', 'a cat']
    """
    if getattr(file, "closed", False):
        raise ValueError(f"{name}: got a file that is closed. Open it again.")
    lines: list[str] = []
    is_binary = isinstance(file, (io.BufferedIOBase, io.RawIOBase))
    try:
        if isinstance(file, io.TextIOBase):
            lines = list(file)
        elif not is_binary:
            # A file of another library may iterate over lines that end at U+2028, too.
            text = file.read()
            is_binary = not isinstance(text, str)
            if text and not is_binary:
                lines = text.removesuffix("\n").split("\n")
    except io.UnsupportedOperation:
        raise ValueError(
            f"{name}: got a file that is open for writing only. Pass {OPEN_FILE}."
        ) from None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name}: the file is not text in {error.encoding} ({error.reason})."
            " Open it with its encoding, such as encoding='utf-16', or decompress it."
        ) from None
    if is_binary:
        as_text = OPEN_FILE
        module = type(file).__module__
        if module in ("gzip", "bz2", "lzma"):  # a compressed file
            as_text = f'{module}.open(path, "rt", encoding="utf-8")'
        raise TypeError(
            f"{name}: got a file opened in binary mode, whose lines are bytes. Pass {as_text}."
        )
    with suppress(OSError, AttributeError):  # a pipe has no position
        if not lines and file.tell():
            raise ValueError(
                f"{name}: got a file that was read to its end before, so it has no lines left."
                " Open it again for each use."
            )
    return [line.removesuffix("\n").removesuffix("\r") for line in lines]


def contains_rows(data: Any) -> bool:
    """Return True for a container of rows in an order.

    Python takes an array or tensor without axes for an iterable, too, but it has no rows.
    """
    if is_array(type(data)):
        return bool(data.ndim)
    return isinstance(data, Iterable) and not isinstance(data, (str, bytes, Mapping, Set))


def is_lazy(data: object) -> bool:
    """Return True for polars' LazyFrame, which is not in memory."""
    return type(data).__name__ == "LazyFrame"


def is_result(data: object) -> bool:
    """Return True for a result of `compute` or another method, which has scores and no rows."""
    if not isinstance(data, Mapping):
        return False
    score = data.get("score", data.get("bleu"))
    return isinstance(data.get("signature"), str) or isinstance(score, float)


def open_stream(data: object) -> object:
    """Import an object that only speaks Arrow's C interface as a column or table.

    Anything else is returned as it is.
    """
    if isinstance(data, (pa.Table, pa.RecordBatch, Iterable)) or is_lazy(data):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        column = pa.chunked_array(data)
    elif hasattr(data, "__arrow_c_array__"):
        column = pa.chunked_array([pa.array(data)])
    else:
        return data
    return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column


def list_references(references: object) -> object:
    """Return the references of one segment, in any container, as a list; one str as it is.

    >>> list_references(pa.array(["a", "b"])), list_references("a")
    (['a', 'b'], 'a')
    """
    rows = open_stream(references)
    has_items = isinstance(rows, Iterable) or is_array(type(rows))
    if isinstance(rows, (str, list, tuple, Mapping)) or not has_items:
        return references  # what is not a list is rejected later
    return read_column("references", rows, EXPECTED_TEXT).to_pylist()


def first_item(captions: object) -> str:
    """Return `"[0]"` if the values of a dict are lists, such as the only caption of an image."""
    values = captions.values() if isinstance(captions, Mapping) else captions
    first = next(iter(values), None) if isinstance(values, Iterable) else None
    return "[0]" if isinstance(first, (list, tuple)) else ""


def list_columns(data: object) -> list[object] | None:
    """Return the names of a table's columns; None for anything else."""
    columns: Any = getattr(data, "column_names", None)  # of a table of datasets or Arrow
    if columns is None and isinstance(data, Iterable):
        # Of a table of pandas or polars; polars' LazyFrame has columns, too, but is not iterable.
        columns = getattr(data, "columns", None)
    return None if columns is None else list(columns)


def _is_frame(data: object) -> bool:
    """Return True for a table in memory of Arrow, pandas or polars."""
    has_rows = hasattr(data, "iloc") or hasattr(data, "rows")
    return isinstance(data, (pa.Table, pa.RecordBatch)) or (
        has_rows and list_columns(data) is not None
    )


def _list_rows(name: str, frame: Any) -> list[list[object]]:
    """Return the references of each segment, given a table with one column per reference."""
    for column in list_columns(frame) or ():
        if _NOT_A_REFERENCE.fullmatch(str(column)):
            raise ValueError(
                f"{name}: the column {show_value(column)} does not look like references. Pass a"
                " table of their columns only, such as frame[['ref1', 'ref2']]."
            )
    if hasattr(frame, "iloc"):
        return list(frame.to_numpy(dtype=object).tolist())
    if hasattr(frame, "rows"):
        return [list(row) for row in frame.rows()]
    columns = []
    for column in frame.columns:
        check_utf8(name, to_chunks(column))
        columns.append(column.to_pylist())
    return [list(row) for row in zip(*columns)]


# --- Rows of Python objects, one after the other: where Arrow fails -------------------------------

_PLAIN = (str, int, list, tuple, type(None))  # Arrow converts them, and lists of them, correctly
DEPTHS = {EXPECTED_TEXT: 1, EXPECTED_REFERENCES: 2}  # the levels of lists in a row
_MOST_FIELDS = 5  # of a dict that a message lists


class _Item(NamedTuple):
    """A text, token or list as values of Python, and its type in words.

    An empty list and a missing value have no type, because they fit every type.
    """

    value: Any
    type_: str | None


def read_items(name: str, rows: Iterable[object], expected: str) -> list[object]:
    """Read the rows of a column as values of Python, or raise for the first that is not valid.

    It is not valid if it differs in type from the rows before it, too. Arrow columns have a single
    type and are not read.

    >>> read_items("references", [["a"], 0.5], EXPECTED_REFERENCES)
    Traceback (most recent call last):
    TypeError: references[1]: expected a list of references or one str, got float.
    """
    values: list[object] = []
    type_before = None
    for row, value in enumerate(() if isinstance(rows, (pa.Array, pa.ChunkedArray)) else rows):
        item = _read_item(name, row, value, expected)
        values.append(item.value)
        type_before = type_before or item.type_
        if item.type_ not in (None, type_before):
            raise wrong_item(
                name,
                row,
                f"{item.type_} after {type_before}",
                f"items of one type, each {expected}",
            )
    return values


def are_plain(rows: list[Any], depth: int) -> bool:
    """Return True for strs, ints, None, and at most `depth` levels of lists of these.

    Arrow accepts only arrays of one dimension, ends their strings at a NUL, and types empty ones
    float64. It takes bytes for strings, and recurses into nested lists and dicts until the stack
    overflows.
    """
    items = rows
    # Level by level, because a call per row would take as long as the conversion.
    for _ in range(depth + 2):  # one level more has its error from the type
        types = set(map(type, items))
        if not all(issubclass(type_, _PLAIN) for type_ in types):
            return False
        if not any(issubclass(type_, (list, tuple)) for type_ in types):
            return True
        lists = (item for item in items if isinstance(item, (list, tuple)))
        items = list(chain.from_iterable(lists))
    return False


def _read_item(name: str, row: int, value: Any, expected: str, depth: int = 0) -> _Item:
    """Read an item of a row, or raise if it is not valid.

    `depth` is the number of lists around the item.
    """
    if isinstance(value, str):
        if LONE_SURROGATE.search(value):
            raise ValueError(SURROGATE.format(name=name, row=row))
        return _Item(value, "str")
    # 1. Arrays and scalars of Arrow, and arrays of other libraries.
    is_scalar = isinstance(value, pa.Scalar)
    if is_scalar or isinstance(value, (pa.Array, pa.ChunkedArray)):
        try:
            plain = value.as_py() if is_scalar else value.to_pylist()
        except UnicodeDecodeError as error:
            raise ValueError(NOT_UTF8.format(name=name, row=row, reason=error.reason)) from None
        item = _read_item(name, row, plain, expected, depth)
        # Arrow converts its scalars in a list, but not its arrays.
        return item if is_scalar else _Item(value, item.type_)
    if is_array(type(value)):
        try:
            values = to_numpy(value)
        except TypeError:
            raise TypeError(
                f"{name}[{row}]: got {name_value(value)}, which NumPy cannot read. Pass {expected}."
            ) from None
        if values.size and values.dtype.kind not in "OUTSiu":
            raise wrong_item(name, row, name_value(value), expected)
        return _read_item(name, row, values.tolist(), expected, depth)
    # 2. Missing values and lists.
    if is_missing(value):
        return _Item(None, None)
    if isinstance(value, (list, tuple)):
        if depth == DEPTHS[expected]:
            raise wrong_item(name, row, "lists nested too deeply", expected)
        items = [_read_item(name, row, item, expected, depth + 1) for item in value]
        types = sorted({item.type_ for item in items if item.type_ is not None})
        if len(types) > 1:
            raise wrong_item(name, row, f"{' and '.join(types)} in one list", expected)
        return _Item([item.value for item in items], f"a list of {types[0]}" if types else None)
    # 3. Ids.
    if depth and isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if abs(int(value)) >= 2**63:
            raise ValueError(
                f"{name}[{row}]: got the token id {value}. Pass ids from 0 to 2**63 - 1."
            )
        return _Item(int(value), "int")
    # 4. Anything else is not valid.
    if isinstance(value, Mapping):
        raise _row_of_fields(name, row, value, depth)
    if isinstance(value, os.PathLike) or hasattr(value, "readline"):
        fix = f"{name}={OPEN_FILE}"
        if name == "references":  # of one or several files
            fix = f"references=list(zip(*[{OPEN_FILE} for path in paths], strict=True))"
        raise TypeError(
            f"{name}[{row}]: expected a text, got {name_value(value)}."
            f" For files with one segment per line, pass {fix}."
        )
    raise wrong_item(name, row, name_value(value), expected)


def _row_of_fields(name: str, row: int, value: Mapping[Any, Any], depth: int = 0) -> TypeError:
    """Build the error for a dict in a row, instead of a text.

    `depth` is the number of lists around it.

    >>> print(str(_row_of_fields("predictions", 0, {"id": 7, "de": "a"})).rpartition("Pass ")[2])
    predictions=[row['de'] for row in predictions].
    """
    # 1. List the fields that are names. A key with a space may be a text of the corpus.
    names = list(filter(_is_name, value))
    if not names:
        return TypeError(f"{name}[{row}]: got a dict, expected a text.")
    listed = ", ".join(map(show_value, names[:_MOST_FIELDS]))
    if len(names) > _MOST_FIELDS:
        listed += ", ..."
    # 2. Write the call for each field that has text. Several dicts are the messages of a chat, the
    #    last of which is the answer; the references of a segment; or the only candidate of a
    #    pipeline.
    template = "row{}"
    keys = list(_list_texts(value))
    if {"role", "content"} <= set(names):
        keys = ["['content']"]
        template = "row[-1]{}" if depth else "row{}"
    elif depth:
        template = "[reference{} for reference in row]" if name == "references" else "row[0]{}"
    calls = [f"[{template.format(key)} for row in {name}]" for key in keys[:_MOST_FIELDS]]
    fix = f"{name}={' or '.join(calls)}" if calls else "one text per segment"
    return TypeError(
        f"{name}[{row}]: got a dict with the {'field' if len(names) == 1 else 'fields'} {listed},"
        f" expected its text. Pass {fix}."
    )


def _is_name(field: object) -> bool:
    return isinstance(field, str) and re.fullmatch("[!-~]+", field) is not None


def _list_texts(fields: Mapping[Any, Any], depth: int = 1) -> Iterator[str]:
    """Yield the subscripts of each text, or list of texts, in a dict and the dicts in it.

    `depth` is the number of levels of these dicts.

    >>> list(_list_texts({"id": 7, "translation": {"de": "a", "en": "b"}}))
    ["['translation']['de']", "['translation']['en']"]
    """
    for field in filter(_is_name, fields):
        content = fields[field]
        if isinstance(content, (list, tuple)) and content:
            content = content[0]
        key = f"[{show_value(field)}]"
        if isinstance(content, str):
            yield key
        elif depth and content is fields[field] and isinstance(content, Mapping):
            yield from (f"{key}{inner}" for inner in _list_texts(content, depth - 1))
