"""The compiled twin of `bleu_inputs_lists`: each object is read where it lies, in a third of the time that Arrow takes.

The kernel asks Python's own functions for an item, and stops at the first one that isn't what the first item is. It has
the interpreter to itself, since it isn't `nogil`, and none of these functions runs code that could change a list.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_arrow import make_lists
from .bleu_compiler import clear_error, copy_bytes, find_item, find_utf8, njit, prefetch, read_integer, size_of_list
from .bleu_inputs_lists import Lists

_AHEAD = 16  # items: an object that is asked for that early has come from memory when its turn comes


def read_lists(lists: list[list[Any]]) -> Lists | None:
    """Lists of texts, of lists of tokens, or of lists of token ids: argument and answer are those of the definition.

    >>> read_lists([["a", "b"], ["c"]]).bounds, read_lists([["a"], [None]])
    (array([0, 2, 3]), None)
    """
    item, leaf = _find_first(lists)
    is_nested, are_ids = type(item) is list, type(leaf) is int
    if type(leaf) is not str and not (is_nested and are_ids):
        return None
    bounds, inner_bounds, values, text, may_lack_spaces = _read_lists(
        id(lists), is_nested, are_ids, id(True), id(False)
    )
    if not len(values):
        return None
    if are_ids:
        leaves = pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])
    else:
        buffers = [None, pa.py_buffer(values), pa.py_buffer(text)]
        leaves = pa.Array.from_buffers(pa.large_string(), len(values) - 1, buffers)
    return Lists(make_lists(inner_bounds, leaves) if is_nested else leaves, bounds, may_lack_spaces)


def _find_first(lists: list[list[Any]]) -> tuple[Any, Any]:
    """The first item, and the first leaf: the item itself, or if items are lists, what they are of."""
    try:
        item = next(chain.from_iterable(lists), None)
        return item, next(chain.from_iterable(chain.from_iterable(lists)), None) if type(item) is list else item
    except TypeError:  # something that isn't to be gone through
        return None, None


@njit(cache=True)
def _read_lists(lists, is_nested, are_ids, true, false):
    """What the lists have, with no values if that isn't what was announced.

    Args:
        lists, true, false: addresses; to Python, the booleans are integers.
        is_nested, are_ids: what is announced.

    Returns:
        The bounds of the lists, and of the lists in them; ids, or where each string begins and the last ends; the
        strings' UTF-8; and whether it may have characters of a script without spaces.
    """
    outermost = np.empty(1, np.int64)
    outermost[0] = lists
    outer, _ = _find_items(outermost)
    items, bounds = _find_items(outer)
    inner_bounds, values, text = bounds, np.empty(0, np.int64), np.empty(0, np.uint8)
    if is_nested:
        items, inner_bounds = _find_items(items)
    if are_ids:
        values = _read_ids(items, true, false)
    elif len(items):
        values, text = _read_strings(items)
    return bounds, inner_bounds, values, text, _has_unspaced(text)


@njit()
def _find_items(lists):
    """The addresses of the items of lists, and the lists' bounds among them; nothing if something else is no list."""
    bounds = np.empty(len(lists) + 1, np.int64)
    bounds[0] = 0
    for i in range(len(lists)):
        size = size_of_list(lists[i])
        if size < 0:
            clear_error()
            return np.empty(0, np.int64), bounds
        bounds[i + 1] = bounds[i] + size
    items = np.empty(bounds[len(lists)], np.int64)
    for i in range(len(lists)):
        for item in range(bounds[i], bounds[i + 1]):
            items[item] = find_item(lists[i], item - bounds[i])
    return items, bounds


@njit()
def _read_strings(items):
    """Where each string begins and the last one ends, and the bytes; nothing if something is no string with UTF-8.

    Memory that is new to the process costs as much as reading does: the addresses of the strings' bytes take the place
    of their own, and the text gets its room at once instead of growing.
    """
    count = len(items)
    ends, size = np.empty(count + 1, np.int64), np.empty(1, np.int64)
    ends[0] = 0
    for i in range(count):
        prefetch(items[min(i + _AHEAD, count - 1)])
        items[i] = find_utf8(items[i], size.ctypes.data)
        if items[i] == 0:
            clear_error()
            return ends[:0], np.empty(0, np.uint8)
        ends[i + 1] = ends[i] + size[0]
    text = np.empty(ends[count], np.uint8)
    for i in range(count):
        prefetch(items[min(i + _AHEAD, count - 1)])
        copy_bytes(items[i], np.int64(text.ctypes.data) + ends[i], ends[i + 1] - ends[i])
    return ends, text


@njit()  # a loop that is alone in its function takes many bytes at a time
def _has_unspaced(text):
    """Whether any byte is one of those that `bleu_warnings` counts a script's characters by."""
    found = False
    for byte in text:
        found |= (byte >= 0xE0) & (byte <= 0xE9) & (byte != 0xE2)
    return found


@njit()
def _read_ids(items, true, false):
    """The integers; nothing if something is none, a bool, below 0 or too large for 64 bits."""
    ids = np.empty(len(items), np.int64)
    for i in range(len(items)):
        ids[i] = read_integer(items[i])
        if ids[i] < 0 or items[i] == true or items[i] == false:
            clear_error()
            return np.empty(0, np.int64)
    return ids
