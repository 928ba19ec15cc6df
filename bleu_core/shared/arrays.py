"""Types of values and arrays, values of other libraries, and zero-copy views of Arrow arrays.

All folders use them, and no function knows what its array means. A corpus is defined above them, in
`text/`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from typing import Any, Literal

import numpy as np
import pyarrow as pa

Int64 = np.ndarray[Any, np.dtype[np.int64]]
Float64 = np.ndarray[Any, np.dtype[np.float64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Bool = np.ndarray[Any, np.dtype[np.bool_]]
InputType = Literal["text", "tokens", "ids"]
SystemName = Hashable  # a key of the dict of systems, as `plain_label` returns it
# A label or a document as `plain_label` returns it; the int may be a bool.
Label = str | int | float | None

STRINGS = pa.large_string()
TOKENS = pa.large_list(STRINGS)
IDS = pa.large_list(pa.int64())
# The type of one text, by kind.
TEXT_TYPES: dict[InputType, pa.DataType] = {"text": STRINGS, "tokens": TOKENS, "ids": IDS}

_STRING_IDS = {pa.string().id, pa.large_string().id}
_LIST_IDS = {pa.list_(pa.null()).id, pa.large_list(pa.null()).id}


# The processors that this process may use, and so the number of threads. On Linux, a process may be
# limited to some of them.
PROCESSORS = (
    len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
)

# --- Values ---------------------------------------------------------------------------------------


def to_plain(value: Any) -> Any:
    """Return a scalar of NumPy, or a tensor without axes, as a value of Python."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def to_python(value: Any) -> Any:
    """Convert NumPy scalars and arrays to plain Python values, for JSON and signatures.

    >>> to_python([np.float32(0.5), np.str_("zh")])
    [0.5, 'zh']
    """
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [to_python(item) for item in value]
    return value


def is_missing(value: object) -> bool:
    """Return True for None, and for NaN, NaT and NA of any library.

    >>> [is_missing(value) for value in (None, float("nan"), np.float32("nan"), "", 0.0)]
    [True, True, True, False, False]
    """
    plain = to_plain(value)
    if plain is None or hasattr(plain, "__len__"):  # arrays compare by item
        return plain is None
    try:
        differs = plain != plain
    except TypeError:  # lazy frames can't be compared
        return False
    # NaN differs from itself, and a comparison of pandas.NA returns NA.
    return differs is True or (differs is plain and plain is not False)


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


# --- Arrow arrays ---------------------------------------------------------------------------------


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


def find_addresses(array: pa.Array) -> Int64:
    """Return the address of each string or int64 in memory, and the end of the last one.

    They are valid while the array lives.
    """
    if pa.types.is_integer(array.type):
        address = array.buffers()[1].address if len(array) else 0
        return address + 8 * np.arange(array.offset, array.offset + len(array) + 1)
    characters = array.buffers()[2]
    return find_offsets(array) + (characters.address if characters else 0)


def list_items(array: pa.Array) -> tuple[pa.Array, Int64]:
    """Return the items of a large_list array, and the bounds of each list: int64 [lists + 1].

    The items are not copied.

    >>> list_items(pa.array([["a"], ["b", "c"]], TOKENS).slice(1))[1]
    array([0, 2])
    """
    offsets = find_offsets(array)
    start = offsets[0]
    return array.values.slice(start, offsets[-1] - start), offsets - start


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


def slices(array: pa.ChunkedArray, rows: int = 1 << 16) -> Iterator[pa.Array]:
    """Yield a column in arrays of at most `rows` items.

    Intermediate results of an array need little memory.

    >>> [len(piece) for piece in slices(pa.chunked_array([[1, 2, 3], [4]]), rows=2)]
    [2, 1, 1]
    """
    for chunk in array.chunks:
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows)
