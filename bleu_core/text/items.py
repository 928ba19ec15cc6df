"""Rows of Python objects, one after the other: where Arrow fails, or would convert too much.

Called by `columns.py`. Errors that name an item are raised here; `_read_item` decides what a row
may be.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..shared.arrays import is_array, is_missing, to_numpy
from ..shared.messages import (
    EXPECTED_REFERENCES,
    EXPECTED_TEXT,
    LONE_SURROGATE,
    NOT_UTF8,
    OPEN_FILE,
    SURROGATE,
    name_value,
    show_value,
    wrong_item,
)

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
            found = f"{item.type_} after {type_before}"
            raise wrong_item(name, row, found, f"items of one type, each {expected}")
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
