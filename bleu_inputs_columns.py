"""Any container that a user passes to an Arrow column, or an error that names the column and the row.

What is Arrow already is not copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from . import bleu_inputs_lists as definition
from . import bleu_inputs_lists_compiled as compiled
from .bleu_arrow import innermost_type, is_string
from .bleu_inputs_errors import name_value, raise_for_first_bad_row, wrong_type
from .bleu_twins import Twins

read_lists = Twins(
    definition.read_lists,
    compiled.read_lists,
    kernel=compiled._read_lists,
    example=([["a"]],),
    seconds_to_compile=0.9,
    seconds_a_megabyte=0.0,  # nobody knows how large a list is before it has been read
)


def read_column(name: str, data: Any, expected: str) -> pa.ChunkedArray:
    """The Arrow column of a container, of strings or int64, in lists of any depth.

    Args:
        name: what errors call it.
        data: the container.
        expected: what a row should be, in words.

    Raises:
        TypeError: it is no container, or a row is none of these.
        ValueError: a text is no text that can be encoded.

    >>> read_column("predictions", ("a", "b"), "a str").to_pylist()
    ['a', 'b']
    """
    if isinstance(data, (str, bytes, dict, set, frozenset)) or not isinstance(data, Iterable):
        raise TypeError(f"{name}: found {name_value(data)}. Give a list (or another column) of rows, each {expected}.")
    data = data if hasattr(data, "__len__") or hasattr(data, "__arrow_c_stream__") else list(data)
    refusal = None
    try:
        array = _to_arrow(data)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        refusal = str(error)
    if refusal is not None:  # out of the `except`, or a traceback would begin with Arrow's words
        raise_for_first_bad_row(name, data, expected)
        raise TypeError(f"{name}: Arrow can't make a column of it: {refusal}")
    if isinstance(array, pa.Table):
        raise TypeError(f"{name}: found a table. Give one of its columns: {', '.join(array.column_names)}.")
    array = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    simple_type = _simplify_type(array.type)
    if simple_type is None:
        raise_for_first_bad_row(name, data, expected)
        raise wrong_type(name, str(array.type), expected)
    return array if simple_type == array.type else _cast(name, array, simple_type, expected)


def read_labels(labels: Any, rows: int) -> list[Any]:
    """One label a row, as plain Python values: a str, a number, None, or the text of what is something else.

    Args:
        labels: a list or another column.
        rows: how many there must be.

    Raises:
        TypeError: this is no column of labels.
        ValueError: there aren't as many as rows.

    >>> read_labels(np.array([3, 4]), 2), read_labels(["news", None, float("nan")], 3)
    ([3, 4], ['news', None, None])
    """
    if isinstance(labels, (str, bytes, Mapping, Set)) or not isinstance(labels, Iterable):
        raise TypeError(f"by: found {name_value(labels)}. Give a list (or another column) with one label a row.")
    read = [_read_label(label, row) for row, label in enumerate(_list_labels(labels))]
    if len(read) != rows:
        raise ValueError(f"by: there are {len(read):,} labels and {rows:,} predictions; each row needs one.")
    return read


def _cast(name: str, array: pa.ChunkedArray, simple_type: pa.DataType, expected: str) -> pa.ChunkedArray:
    try:
        if "list_view" not in str(array.type):  # whose cast leaves offsets out (pyarrow 26)
            return array.cast(simple_type)
    except pa.ArrowException:
        pass
    try:  # by Python, what Arrow has no cast for: some releases know views and run ends by name only
        return pa.chunked_array([pa.array(array.to_pylist(), simple_type)])
    except OverflowError:
        pass
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError):
        raise wrong_type(name, str(array.type), expected) from None
    raise_for_first_bad_row(name, array.to_pylist(), expected)
    raise wrong_type(name, str(array.type), expected)


def _to_arrow(data: Any) -> Any:
    """A container as Arrow has it, without a copy where it is Arrow's already; a table if it was one."""
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data
    column = _read_datasets_column(data)
    if column is not None:
        return column
    if hasattr(data, "to_arrow"):  # polars: its strings as Arrow's, which any pyarrow can read
        return data.to_arrow()
    if hasattr(data, "__arrow_c_stream__"):
        return pa.chunked_array(data)
    if hasattr(data, "iloc"):
        return pa.Array.from_pandas(data)
    if getattr(data, "ndim", 1) > 1:  # Arrow makes lists of one-dimensional arrays only
        return pa.array(data.tolist())
    if hasattr(data, "__arrow_c_array__"):
        return pa.array(data)
    try:
        array = pa.array(data if isinstance(data, (list, np.ndarray)) else list(data))
    except (pa.ArrowException, TypeError, ValueError):
        array = None
    if array is None or pa.types.is_floating(innermost_type(array.type)):
        return pa.array(_list_empty_arrays(list(data)))
    return array


def _list_empty_arrays(values: Any) -> Any:
    """The values with a list for each empty array: NumPy makes floats of nothing, which fit to no token."""
    if isinstance(values, (list, tuple)):
        return [_list_empty_arrays(value) for value in values]
    return [] if isinstance(values, np.ndarray) and values.ndim == 1 and not values.size else values


def _read_datasets_column(data: Any) -> pa.ChunkedArray | None:
    """The Arrow data behind a column of a `datasets.Dataset`, unless it is the result of a transform."""
    source: Any = getattr(data, "source", None)
    name = getattr(data, "column_name", None)
    if name is None or not hasattr(source, "with_format") or not hasattr(source, "data"):
        return None
    if source.format["type"] == "custom":
        return None
    array = source.with_format("arrow")[name][:]
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _simplify_type(type_: pa.DataType) -> pa.DataType | None:
    """The type as the other rooms know it; None if there's something in it that is no text, token or id."""
    if is_string(type_) or pa.types.is_null(type_):
        return type_
    if pa.types.is_integer(type_):
        return pa.int64()
    if pa.types.is_dictionary(type_) or "run_end_encoded" in str(type_).split("<")[0]:
        return _simplify_type(type_.value_type)
    if "string_view" in str(type_) and not hasattr(type_, "value_type"):
        return pa.large_string()
    if not hasattr(type_, "value_type"):
        return None
    value = _simplify_type(type_.value_type)
    if value is None:
        return None
    return pa.large_list(value) if "large" in str(type_).split("<")[0] else pa.list_(value)


def _list_labels(labels: Iterable[Any]) -> Iterable[Any]:
    if not isinstance(labels, (list, tuple)) and hasattr(labels, "__len__"):
        with suppress(pa.ArrowException):  # labels of several types, which may come as an array of objects
            return list(_to_arrow(labels).to_pylist())
    return labels


def _read_label(label: Any, row: int) -> Any:
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, (list, tuple, dict, set, np.ndarray)):
        raise TypeError(f"by, row {row}: found {name_value(label)}. A label is a str or a number.")
    if label is None or (label != label) is not False:  # NaN is unequal to itself, and of pandas.NA nobody knows
        return None
    return label if isinstance(label, (str, int, float)) else str(label)
