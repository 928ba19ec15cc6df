"""Anything a user passes to two Arrow columns, or an error that names the column and the row.

What is Arrow already is not copied. The columns come out in one of three kinds, by the type of `predictions`:

    text    predictions: string          references: list of string
    tokens  predictions: list of string  references: list of list of string
    ids     predictions: list of int64   references: list of list of int64

Each row has a prediction and one reference or more, and there is no null left anywhere. Strings and lists may be of
Arrow's large kinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import is_list, is_string, slices, unlisted
from .bleu_diagnostics import warn

_TEXT = "a str, a list of str tokens or a list of int token ids"
_REFERENCES = "a list of references or one str"


def columns(predictions: Any, references: Any) -> pa.Table:
    """The two columns of what is to be scored.

    Args:
        predictions: one a row: a str, a list of str tokens, or a list of int token ids.
        references: a list of references a row, or one str a row. `None` in a list is none, `""` is an empty one.

    Returns:
        A table of `predictions` and `references` in one of the kinds above.

    Raises:
        TypeError: something isn't a prediction or a reference.
        ValueError: the columns don't fit each other, a row lacks something, or there is no row.

    >>> columns(["a b"], [["a", None]])["references"].to_pylist()
    [['a']]
    """
    for name, data in (("predictions", predictions), ("references", references)):
        if data is None:
            raise ValueError(f"There are no {name}. Give predictions and references, one row each.")
    arrays = {
        "predictions": _arrow("predictions", predictions, _TEXT),
        "references": _arrow("references", references, _REFERENCES),
    }
    _check_lengths(arrays["predictions"], arrays["references"])
    arrays["predictions"] = _checked_texts("predictions", arrays["predictions"], arrays["references"].type)
    arrays["references"] = _checked_references(arrays["references"], arrays["predictions"].type)
    return pa.table(arrays)


def text_columns(**given: Any) -> dict[str, pa.ChunkedArray]:
    """Columns of any length with one text a row, all of one kind.

    Args:
        **given: by the name that errors call it, what is to be a column: a str a row, a list of str tokens, or a list
            of int token ids.

    Returns:
        Strings, lists of strings or lists of int64, in each column the same.

    Raises:
        TypeError: something isn't a text, or not of the kind that the first column's texts are.
        ValueError: there is no row, or a row is None.

    >>> text_columns(predictions=[["a"], []], references=[[]])["references"].type
    ListType(list<item: string>)
    """
    arrays = {name: _arrow(name, data, _TEXT) for name, data in given.items()}
    types = sorted((array.type for array in arrays.values()), key=_has_only_empty_lists)
    for name, array in arrays.items():
        if not len(array):
            raise ValueError(f"There is nothing to score: no {name}.")
        arrays[name] = _checked_texts(name, array, types[0])
    (first, like), *others = arrays.items()
    for name, array in others:
        if is_list(array.type) != is_list(like.type) or not _same_kind(_inner(array.type), _inner(like.type)):
            raise _wrong(name, _text_name(array.type), f"{_text_name(like.type)}, as the {first} are")
    return arrays


def is_plain_row(prediction: Any, reference: Any) -> bool:
    """Whether one row needs no further look, so that adding 100,000 of them one by one stays fast.

    >>> is_plain_row("a", ["a", "b"]), is_plain_row("a", None)
    (True, False)
    """
    if isinstance(reference, str):
        reference = (reference,)
    texts = (prediction, *reference) if type(reference) in (list, tuple) and reference else ()
    try:
        return bool(texts) and all(type(text) is str and (text.isascii() or text.encode()) for text in texts)
    except UnicodeEncodeError:
        return False


def _arrow(name: str, data: Any, meant: str) -> pa.ChunkedArray:
    if isinstance(data, (str, bytes, dict, set, frozenset)) or not isinstance(data, Iterable):
        raise TypeError(f"{name}: found {_called(data)}. Give a list (or another column) of rows, each {meant}.")
    try:
        array = data if isinstance(data, (pa.Array, pa.ChunkedArray)) else _from_datasets(data)
        if array is None and hasattr(data, "to_arrow"):  # polars: its strings as Arrow's, which any pyarrow can read
            array = data.to_arrow()
        elif array is None and hasattr(data, "__arrow_c_stream__"):
            array = pa.chunked_array(data)
        elif array is None and hasattr(data, "iloc"):
            array = pa.Array.from_pandas(data)
        elif array is None:
            if getattr(data, "ndim", 1) > 1:  # Arrow makes lists of one-dimensional arrays only
                data = data.tolist()
            elif not isinstance(data, (list, np.ndarray)) and not hasattr(data, "__arrow_c_array__"):
                data = list(data)
            array = pa.array(data)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        _raise_for_first_bad_row(name, data, meant)
        raise TypeError(f"{name}: Arrow can't make a column of it: {error}") from error
    if isinstance(array, pa.Table):
        raise TypeError(f"{name}: found a table. Give one of its columns: {', '.join(array.column_names)}.")
    array = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    plain = _plain_type(array.type)
    if plain is None:
        _raise_for_first_bad_row(name, data, meant)
        raise _wrong(name, str(array.type), meant)
    return array if plain == array.type else array.cast(plain)


def _from_datasets(data: Any) -> pa.ChunkedArray | None:
    """The Arrow data behind a column of a `datasets.Dataset`, unless it is the result of a transform."""
    source, name = getattr(data, "source", None), getattr(data, "column_name", None)
    if name is None or not hasattr(source, "with_format") or not hasattr(source, "data"):
        return None
    if source.format["type"] == "custom":
        return None
    array = source.with_format("arrow")[name][:]
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _plain_type(type_: pa.DataType) -> pa.DataType | None:
    """The type as the other rooms know it; None if there's something in it that is no text, token or id."""
    if is_string(type_) or pa.types.is_null(type_):
        return type_
    if pa.types.is_integer(type_):
        return pa.int64()
    if pa.types.is_dictionary(type_):
        return _plain_type(type_.value_type)
    if "string_view" in str(type_) and not hasattr(type_, "value_type"):
        return pa.large_string()
    if not hasattr(type_, "value_type"):
        return None
    value = _plain_type(type_.value_type)
    if value is None:
        return None
    return pa.large_list(value) if "large" in str(type_).split("<")[0] else pa.list_(value)


def _check_lengths(predictions: pa.ChunkedArray, references: pa.ChunkedArray) -> None:
    rows, reference_rows = len(predictions), len(references)
    if rows == reference_rows == 0:
        raise ValueError("There is nothing to score: no predictions and no references.")
    transposed = not is_list(predictions.type) and _all_lists_have(rows, references)
    if rows != reference_rows:
        message = f"There are {rows:,} predictions and {reference_rows:,} references; each row needs both."
        if transposed:
            message += (
                f" The references look like sacreBLEU's: {reference_rows} lists of {rows:,}."
                " Here it's one list a prediction: references=list(zip(*references))."
            )
        raise ValueError(message)
    if transposed and rows > 1:
        warn(
            f"There are {rows} predictions with {rows} references each, so the references may be one list a prediction,"
            " as they were taken, or sacreBLEU's one list a reference set: then give list(zip(*references))."
        )


def _all_lists_have(length: int, array: pa.ChunkedArray) -> bool:
    if not is_list(array.type):
        return False
    return len(array) > 0 and all(
        pc.all(pc.equal(pc.list_value_length(piece), length)).as_py() for piece in slices(array)
    )


def _checked_texts(name: str, array: pa.ChunkedArray, other: pa.DataType) -> pa.ChunkedArray:
    if array.null_count:
        raise ValueError(f"{name}, row {_first_null(array)}: found None. Give a str; an empty {name[:-1]} is ''.")
    if is_string(array.type):
        return array
    if not is_list(array.type):
        raise _wrong(name, _name(array.type), _TEXT)
    tokens = array.type.value_type
    if pa.types.is_null(tokens):  # only empty lists: the other column knows whether of tokens or of ids
        tokens = _inner(other) if pa.types.is_integer(_inner(other)) else pa.string()
        array = array.cast(pa.list_(tokens))
    if not is_string(tokens) and not pa.types.is_integer(tokens):
        raise _wrong(name, _text_name(array.type), _TEXT)
    _check_no_null_within(array, name)
    return array


def _checked_references(array: pa.ChunkedArray, prediction: pa.DataType) -> pa.ChunkedArray:
    reference = prediction if is_list(prediction) else None
    if not is_list(array.type) and not pa.types.is_null(array.type):
        if reference is not None or not is_string(array.type):
            raise _wrong("references", _name(array.type), _meant_references(prediction))
        return _one_each(array)
    if pa.types.is_null(array.type):
        raise ValueError("references, row 0: there is no reference. Each row needs one; an empty reference is ''.")
    value = array.type.value_type
    if pa.types.is_integer(value) and reference is not None and pa.types.is_integer(reference.value_type):
        return _one_each(array)
    fits = (
        is_string(value) if reference is None else is_list(value) and _same_kind(value.value_type, reference.value_type)
    )
    if not fits and not pa.types.is_null(value):
        raise _wrong("references", f"a list of {_items(value)}", _meant_references(prediction))
    array = _without_nulls(array)
    if reference is not None and not pa.types.is_null(value):
        if pa.types.is_null(value.value_type):
            array = array.cast(pa.list_(reference))
        _check_no_null_within(array, "references")
    return array


def _wrong(name: str, found: str, meant: str) -> TypeError:
    return TypeError(f"{name}, row 0: found {found}. Each row is {meant}.")  # a column has one type: so has every row


def _text_name(type_: pa.DataType) -> str:
    return f"a list of {_items(type_.value_type)}" if is_list(type_) else _name(type_)


def _items(type_: pa.DataType) -> str:
    return _name(type_) + (", nested too deep" if is_list(type_) else "")


def _inner(type_: pa.DataType) -> pa.DataType:
    """What lists, or lists of lists, are of."""
    return _inner(type_.value_type) if is_list(type_) else type_


def _has_only_empty_lists(type_: pa.DataType) -> bool:
    return pa.types.is_null(_inner(type_))


def _same_kind(one: pa.DataType, other: pa.DataType) -> bool:
    return pa.types.is_null(one) or is_string(one) == is_string(other)


def _meant_references(prediction: pa.DataType) -> str:
    if not is_list(prediction):
        return _REFERENCES
    token = "str tokens" if is_string(prediction.value_type) else "int token ids"
    return f"a list of references, each a list of {token} as the predictions are; one reference is [[...]]"


def _one_each(array: pa.ChunkedArray) -> pa.ChunkedArray:
    if array.null_count:
        raise ValueError(f"references, row {_first_null(array)}: there is no reference. An empty reference is ''.")
    return pa.chunked_array(
        [pa.LargeListArray.from_arrays(np.arange(len(piece) + 1), piece) for piece in slices(array)],
        pa.large_list(array.type),
    )


def _without_nulls(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """The lists without their nulls, the array itself if there are none; an error names a row that has nothing else."""
    pieces, first_row, changed, large = [], 0, False, pa.large_list(array.type.value_type)
    for piece in slices(array):
        (items, ends), is_list_there = unlisted(piece), np.asarray(piece.is_valid())
        if items.null_count:
            valid = np.asarray(items.is_valid())
            ends = np.concatenate([[0], np.cumsum(valid)])[ends]
            piece, changed = pa.LargeListArray.from_arrays(ends, items.filter(pa.array(valid))), True
        pieces.append(piece)
        empty = np.flatnonzero((np.diff(ends) == 0) | ~is_list_there)
        if len(empty):
            raise ValueError(
                f"references, row {first_row + empty[0]}: there is no reference. Give one; an empty reference is ''."
            )
        first_row += len(piece)
    return pa.chunked_array([piece.cast(large) for piece in pieces]) if changed else array


def _check_no_null_within(array: pa.ChunkedArray, name: str) -> None:
    row = 0
    for chunk in array.chunks:
        inner = chunk.flatten().flatten() if is_list(chunk.type.value_type) else chunk.flatten()
        if inner.null_count or chunk.flatten().null_count:
            for i, value in enumerate(chunk):
                if _has_none(value.as_py()):
                    raise TypeError(f"{name}, row {row + i}: found None among the tokens.")
        row += len(chunk)


def _has_none(value: Any) -> bool:
    return any(map(_has_none, value)) if isinstance(value, list) else value is None


def _first_null(array: pa.ChunkedArray) -> int:
    row = 0
    for chunk in array.chunks:
        if chunk.null_count:
            return row + int(np.asarray(chunk.is_valid()).argmin())
        row += len(chunk)
    raise AssertionError("no null")  # the caller has counted one


def _raise_for_first_bad_row(name: str, data: Any, meant: str) -> None:
    """Raises for the first row that isn't what a column may hold, or isn't like the rows before it."""
    if isinstance(data, (pa.Array, pa.ChunkedArray)):  # all of its rows have the same type
        return
    before = None
    for row, value in enumerate(data):
        shape = _shape(name, row, value, meant)
        if before and shape and shape != before:
            raise TypeError(f"{name}, row {row}: found {shape}, but the rows before are {before}. Each row is {meant}.")
        before = before or shape


def _shape(name: str, row: int, value: Any, meant: str, depth: int = 0) -> str | None:
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
        if depth == (2 if meant == _REFERENCES else 1):
            raise TypeError(f"{name}, row {row}: found lists nested too deep. Each row is {meant}.")
        shapes = [shape for shape in (_shape(name, row, item, meant, depth + 1) for item in value) if shape]
        if len(set(shapes)) > 1:
            raise TypeError(
                f"{name}, row {row}: found {' and '.join(sorted(set(shapes)))} in one list. Each row is {meant}."
            )
        return f"a list of {shapes[0]}" if shapes else None
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and depth:
        return "int"
    raise TypeError(f"{name}, row {row}: found {_called(value)}. Each row is {meant}.")


def _called(value: Any) -> str:
    return "NaN" if isinstance(value, float) and value != value else "None" if value is None else type(value).__name__


def _name(type_: pa.DataType) -> str:
    if is_list(type_):
        return f"lists of {_name(type_.value_type)}"
    return "str" if is_string(type_) else "int" if pa.types.is_integer(type_) else str(type_)
