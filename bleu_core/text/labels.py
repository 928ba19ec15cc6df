"""Labels and documents: one value per segment, from any container.

`by` and `documents` of all methods are read here, by `read_labels` and `read_documents`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

import numpy as np
import pyarrow as pa

from ..shared.arrays import Int64, Label, is_missing, to_plain
from ..shared.messages import (
    LABEL_COUNT,
    LONE_SURROGATE,
    NOT_COLLECTED,
    OPEN_FILE,
    SURROGATE,
    count_things,
    name_value,
    show_value,
    wrong_item,
)
from .columns import (
    check_utf8,
    contains_rows,
    convert_flat,
    is_file,
    is_lazy,
    open_stream,
    read_array,
    read_lines,
    to_arrow,
    to_chunks,
)
from .elements import FILE_NAME, name_missing

_AnyLabel = TypeVar("_AnyLabel", bound=Hashable)


def read_labels(labels: object, rows: int | None = None) -> list[Label] | None:
    """Read one label per row as plain Python values; None for no labels.

    They are str, numbers and None, and anything else as its text. Equal labels have one form:
    integral floats become int, and NaN becomes None.

    Raises:
        TypeError, ValueError: this is not a column of labels, or not one of `rows` labels (None
            allows any number); or two labels would be one key in JSON.

    >>> read_labels(np.array([3.0, 4.5]), 2), read_labels(["news", None, float("nan")], 3)
    ([3, 4.5], ['news', None, None])
    """
    if labels is None:
        return None
    labels_read = list_labels("by", labels, rows)
    # With their types, because True equals 1.
    keys = dict.fromkeys((type(label), label) for label in labels_read)
    same_key = find_same_key([label for _, label in keys])
    if same_key:
        raise ValueError(
            f"by: the labels {same_key} would be one key in JSON."
            " Rename one, or pass labels of one type."
        )
    return labels_read


def read_documents(documents: object, rows: int | None = None) -> list[Label] | None:
    """Read the document of each row, as `read_labels` does; 1 and "1" are two documents.

    Raises:
        TypeError, ValueError: as for `read_labels`; or a row has no document.
    """
    if documents is None:
        return None
    document_labels = list_labels("documents", documents, rows)
    if None in document_labels:
        row = document_labels.index(None)
        raise ValueError(
            f"documents[{row}]: got {name_missing(documents, row)}."
            " Pass a label of its own for a segment that belongs to no document."
        )
    return document_labels


def list_labels(name: str, labels: object, rows: int | None) -> list[Label]:
    """Read labels for the argument of this name, as `read_labels` does."""
    if is_lazy(labels):
        raise TypeError(NOT_COLLECTED.format(name=name))
    labels = open_stream(labels)
    if is_file(labels):
        labels = read_lines(name, labels)
    if not contains_rows(labels):
        fix = "Pass one label per segment."
        text = labels if isinstance(labels, str) else ""
        if isinstance(labels, (bytes, os.PathLike)) or "\n" in text or FILE_NAME.fullmatch(text):
            fix = f"{fix} For a file with one label per line, pass {OPEN_FILE}."
        raise TypeError(
            f"{name}: expected a list, array or Series, got {name_value(labels)}. {fix}"
        )
    values: Iterable[object] = read_array(name, labels)
    if not isinstance(labels, (list, tuple)) and hasattr(labels, "__len__"):
        # Labels of several types, and integers beyond int64, are not converted; an error below
        # names lists.
        with suppress(
            pa.ArrowException, TypeError, OverflowError, RecursionError, UnicodeEncodeError
        ):
            column = to_chunks(to_arrow(values, convert_flat))
            check_utf8(name, column)
            values = column.to_pylist()
    plain_labels: list[Label] = []
    for row, label in enumerate(values):
        if type(label) is str:  # the usual case
            plain_labels.append(label)
            continue
        # An array, a tensor or a Series has axes.
        if getattr(label, "ndim", 0) or isinstance(label, (bytes, list, tuple, dict, set)):
            raise wrong_item(name, row, name_value(label), "a str or a number")
        plain_labels.append(plain_label(label))
    for label in dict.fromkeys(plain_labels):
        if isinstance(label, str) and LONE_SURROGATE.search(label):
            raise ValueError(SURROGATE.format(name=name, row=plain_labels.index(label)))
    if rows is not None:
        check_label_count(name, plain_labels, rows)
    return plain_labels


def check_labels(tokenize_by: Iterable[Label] | None, labels: Iterable[Label]) -> None:
    """Raise if a tokenizer was chosen for a name that is not a label."""
    present = set(labels)
    for label in tokenize_by or ():
        if label not in present:
            raise ValueError(
                f"tokenize: {show_value(label)} is not among the labels of `by`. Remove it, or"
                " correct the label."
            )


def check_label_count(name: str, labels: Sequence[object], rows: int) -> None:
    """Raise unless there is one label per row; `name` is the argument."""
    if len(labels) != rows:
        raise ValueError(
            LABEL_COUNT.format(
                name=name,
                labels=count_things(len(labels), "label"),
                predictions=count_things(rows, "prediction"),
            )
        )


def plain_label(label: object) -> Label:
    """Return the form that equal labels share.

    It is a plain str, int, float or bool, and None for NaN; other values become their text.

    >>> plain_label(2.0), plain_label(np.str_("news")), plain_label(float("nan"))
    (2, 'news', None)
    """
    plain = to_plain(label)
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


def find_same_key(labels: Iterable[Label]) -> str | None:
    """Return the first two labels that would be one key in JSON or in Python, as text.

    Return None if there are no such labels.

    >>> find_same_key(["a", 1, "1"])
    "1 and '1'"
    """
    label_of_key: dict[str, Label] = {}
    for label in labels:
        keys = [label if isinstance(label, str) else json.dumps(label)]
        if isinstance(label, bool):
            keys.append(str(int(label)))  # True and 1 are also one key in Python
        for key in keys:
            if key in label_of_key:
                return f"{show_value(label_of_key[key])} and {show_value(label)}"
            label_of_key[key] = label
    return None


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
