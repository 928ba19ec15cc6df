"""Zero-copy views of Arrow columns: what they hold, their bytes, their offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

Int64 = np.ndarray[Any, np.dtype[np.int64]]
Float64 = np.ndarray[Any, np.dtype[np.float64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


# By the number of the type: is_string and its like in `pa.types` are three calls of Python for one answer.
_STRINGS = {pa.string().id: np.int32, pa.large_string().id: np.int64}
_LISTS = {pa.list_(pa.null()).id: np.int32, pa.large_list(pa.null()).id: np.int64}
_OFFSETS = {**_STRINGS, **_LISTS}


def is_string(type_: pa.DataType) -> bool:
    return type_.id in _STRINGS


def is_list(type_: pa.DataType) -> bool:
    return type_.id in _LISTS


def innermost_type(type_: pa.DataType) -> pa.DataType:
    """What lists, or lists of lists, are of; the type itself if it is no list.

    >>> innermost_type(pa.list_(pa.list_(pa.string())))
    DataType(string)
    """
    return innermost_type(type_.value_type) if is_list(type_) else type_


def utf8(array: pa.Array) -> tuple[Bytes, Int64]:
    """The bytes of a string array, and int64: where in them each string begins and the last ends.

    >>> utf8(pa.array(["ab", "", "c"]).slice(1))
    (array([99], dtype=uint8), array([0, 0, 1]))
    """
    text, offsets = array.buffers()[2], find_offsets(array)
    if text is None:
        return np.empty(0, np.uint8), offsets
    return np.frombuffer(text, np.uint8)[offsets[0] : offsets[-1]], offsets - offsets[0]


def find_offsets(array: pa.Array) -> Int64:
    """int64: where each string begins in the bytes, or each list among the values, and where the last one ends.

    >>> find_offsets(pa.array(["ab", "", "c"]).slice(1)), find_offsets(pa.array([["a"], ["b", "c"]]).slice(1))
    (array([2, 2, 3]), array([1, 3]))
    """
    size, first = len(array), array.offset
    if not size:
        return np.zeros(1, np.int64)
    offsets = np.frombuffer(array.buffers()[1], _OFFSETS[array.type.id])
    return offsets[first : first + size + 1].astype(np.int64, copy=False)


def list_items(array: pa.Array) -> tuple[pa.Array, Int64]:
    """The items of a list array, and int64: where among them each list begins and the last ends.

    >>> list_items(pa.array([["a"], ["b", "c"]]).slice(1))[1]
    array([0, 2])
    """
    offsets = find_offsets(array)
    return array.values.slice(offsets[0], offsets[-1] - offsets[0]), offsets - offsets[0]


def make_lists(offsets: Int64, items: pa.Array) -> pa.LargeListArray:
    """The list array whose items and offsets these are.

    >>> make_lists(np.array([0, 1, 3]), pa.array(["a", "b", "c"])).to_pylist()
    [['a'], ['b', 'c']]
    """
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), items)


def map_strings(array: pa.Array, change: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """The array with its strings changed, in lists and in lists of lists, too.

    >>> map_strings(pa.array([["a"], ["b", "c"]]), lambda strings: pa.array(["x"] * len(strings))).to_pylist()
    [['x'], ['x', 'x']]
    """
    if is_string(array.type):
        return change(array)
    if not is_list(array.type):
        return array
    items, offsets = list_items(array)
    return make_lists(offsets, map_strings(items, change))


def pieces(array: pa.ChunkedArray, rows: int = 1 << 16) -> Iterator[pa.Array]:
    """The array in pieces of so many rows at most, so that what is made of one needs little memory.

    >>> [len(piece) for piece in pieces(pa.chunked_array([[1, 2, 3], [4]]), rows=2)]
    [2, 1, 1]
    """
    for chunk in array.chunks:
        if 0 < len(chunk) <= rows:
            yield chunk
            continue
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows)
