"""What is wrong with a column, in words: the column, the row, what was found there, and what to give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_arrow import is_list, is_string

TEXT = "a str, a list of str tokens or a list of int token ids"
REFERENCES = "a list of references or one str"


def raise_for_first_bad_row(name: str, data: Any, expected: str) -> None:
    """Raises for the first row that isn't what a column may hold, or isn't like the rows before it.

    Args:
        name: what the column is called.
        data: the column as it was given; Arrow's have one type for all rows and pass.
        expected: `TEXT` or `REFERENCES`.

    >>> raise_for_first_bad_row("predictions", ["a", 1], TEXT)
    Traceback (most recent call last):
    TypeError: predictions, row 1: found int. Each row is a str, a list of str tokens or a list of int token ids.
    """
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return
    before = None
    for row, value in enumerate(data):
        shape = _describe_shape(name, row, value, expected)
        if before and shape and shape != before:
            raise TypeError(
                f"{name}, row {row}: found {shape}, but the rows before are {before}. Each row is {expected}."
            )
        before = before or shape


@contextmanager
def name_system(name: Any) -> Iterator[None]:
    """What is wrong with a system's texts begins with the system's name.

    >>> with name_system("A"):
    ...     raise ValueError("There are no predictions.")
    Traceback (most recent call last):
    ValueError: System 'A': There are no predictions.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"System {name!r}: {error}") from None


def wrong_type(name: str, found: str, expected: str) -> TypeError:
    """The error for a column that is of a wrong type: so is its first row, as every other.

    >>> wrong_type("predictions", "int", TEXT)
    TypeError('predictions, row 0: found int. Each row is a str, a list of str tokens or a list of int token ids.')
    """
    return TypeError(f"{name}, row 0: found {found}. Each row is {expected}.")


def describe_references(prediction: pa.DataType) -> str:
    """What references to predictions of a type are."""
    if not is_list(prediction):
        return REFERENCES
    token = "str tokens" if is_string(prediction.value_type) else "int token ids"
    return f"a list of references, each a list of {token} as the predictions are; one reference is [[...]]"


def describe_type(type_: pa.DataType) -> str:
    """What a row of a type is.

    >>> describe_type(pa.list_(pa.string()))
    'a list of str'
    """
    return f"a list of {describe_items(type_.value_type)}" if is_list(type_) else _name_type(type_)


def describe_items(type_: pa.DataType) -> str:
    """What the items of a list are.

    >>> describe_items(pa.list_(pa.string()))
    'lists of str, nested too deep'
    """
    return _name_type(type_) + (", nested too deep" if is_list(type_) else "")


def count_things(number: int, noun: str) -> str:
    """A number of things.

    >>> count_things(1, "reference"), count_things(2000, "reference")
    ('1 reference', '2,000 references')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def name_value(value: Any) -> str:
    """What a value is; the data itself is not shown.

    >>> name_value(float("nan")), name_value(b"a")
    ('NaN', 'bytes')
    """
    return "NaN" if isinstance(value, float) and value != value else "None" if value is None else type(value).__name__


def _describe_shape(name: str, row: int, value: Any, expected: str, depth: int = 0) -> str | None:
    """What a row is made of, in words; None if it's empty."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{name}, row {row}: found half of a surrogate pair, which is no character. Where text was cut or"
                " decoded wrongly: value.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')."
            ) from None
        return "str"
    if isinstance(value, (list, tuple, np.ndarray)):
        if depth == (2 if expected == REFERENCES else 1):
            raise TypeError(f"{name}, row {row}: found lists nested too deep. Each row is {expected}.")
        shapes = [shape for shape in (_describe_shape(name, row, item, expected, depth + 1) for item in value) if shape]
        if len(set(shapes)) > 1:
            raise TypeError(
                f"{name}, row {row}: found {' and '.join(sorted(set(shapes)))} in one list. Each row is {expected}."
            )
        return f"a list of {shapes[0]}" if shapes else None
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and depth:
        if abs(int(value)) >= 2**63:
            raise ValueError(f"{name}, row {row}: found the token id {value}. Ids are from 0 to 2**63 - 1.")
        return "int"
    raise TypeError(f"{name}, row {row}: found {name_value(value)}. Each row is {expected}.")


def _name_type(type_: pa.DataType) -> str:
    if is_list(type_):
        return f"lists of {_name_type(type_.value_type)}"
    return "str" if is_string(type_) else "int" if pa.types.is_integer(type_) else str(type_)
