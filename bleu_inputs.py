"""What a user passes to a `Corpus`, or to `Texts`; or an error that names the column and the row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import innermost_type, is_list, is_string, list_items, make_lists, pieces
from .bleu_corpus import Batch, Corpus, FlatCorpus, Texts, kind_of, make_corpus
from .bleu_inputs_columns import read_column, read_lists
from .bleu_inputs_errors import (
    REFERENCES,
    TEXT,
    count_things,
    describe_items,
    describe_references,
    describe_type,
    wrong_type,
)
from .bleu_warnings import warn

_LOOKED_AT = 100  # rows, for a sign of a mistake that all rows share


def read_corpus(predictions: Any, references: Any, may_be_empty: bool = False) -> Corpus:
    """The corpus that is to be scored.

    Args:
        predictions: one a row: a str, a list of str tokens, or a list of int token ids.
        references: a list of references a row, or one str a row. `None` in a list is none, `""` is an empty one.
        may_be_empty: whether no rows at all are a corpus, too.

    Raises:
        TypeError: something isn't a prediction or a reference.
        ValueError: the columns don't fit each other, a row lacks something, or there is no row.

    >>> read_corpus(["a b"], [["a", None]]).references.to_pylist()
    [['a']]
    """
    plain = _read_plain(predictions, references)
    if plain is not None:
        return plain
    for name, data in (("predictions", predictions), ("references", references)):
        if data is None:
            raise ValueError(f"There are no {name}. Give predictions and references, one row each.")
    prediction_column = read_column("predictions", predictions, TEXT)
    reference_column = read_column("references", references, REFERENCES)
    if may_be_empty and len(prediction_column) == len(reference_column) == 0:
        return make_corpus(pa.chunked_array([], pa.string()), pa.chunked_array([], pa.list_(pa.string())))
    _check_lengths(prediction_column, reference_column)
    is_blank = all(_has_only_empty_lists(column.type) for column in (prediction_column, reference_column))
    prediction_column = _check_texts("predictions", prediction_column, reference_column.type)
    reference_column = _check_references(reference_column, prediction_column.type)
    _warn_about_sentences(prediction_column)
    return make_corpus(prediction_column, reference_column, is_blank)


def read_texts(**columns: Any) -> Texts:
    """Columns of any length with one text a row, all of one kind.

    Args:
        **columns: a str a row, a list of str tokens, or a list of int token ids; by the name that errors call it.

    Raises:
        TypeError: something isn't a text, or not of the kind that the first column's texts are.
        ValueError: there is no row, or a row is None.

    >>> read_texts(predictions=[["a"], []], references=[[]]).columns["references"].type
    ListType(list<item: string>)
    """
    arrays = {name: read_column(name, data, TEXT) for name, data in columns.items()}
    types = sorted((array.type for array in arrays.values()), key=_has_only_empty_lists)
    for name, array in arrays.items():
        if not len(array):
            raise ValueError(f"There is nothing to score: no {name}.")
        arrays[name] = _check_texts(name, array, types[0])
    (first_name, first), *others = arrays.items()
    for name, array in others:
        if kind_of(array.type) != kind_of(first.type):
            expected = f"{describe_type(first.type)}, as the {first_name} are"
            raise wrong_type(name, describe_type(array.type), expected)
    return Texts(arrays, kind_of(first.type))


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


def _read_plain(predictions: Any, references: Any) -> Corpus | None:
    """The corpus of plain lists, which need no further look: what most calls bring."""
    if type(predictions) is not list or type(references) is not list or not 0 < len(predictions) == len(references):
        return None
    rows, is_wrapped = len(predictions), type(references[0]) in (list, tuple)
    if type(references[0]) is tuple:  # as from zip(*streams)
        references = [list(row) if type(row) is tuple else row for row in references]
    read = read_lists([predictions, *(references if is_wrapped else [references])])
    counts = set(map(len, references)) if read is not None and is_wrapped else {1}
    if read is None or 0 in counts:
        return None
    bounds = read.bounds[1:] - rows if is_wrapped else np.arange(rows + 1)
    columns = read.items.slice(0, rows), read.items.slice(rows)
    corpus = FlatCorpus(Batch(0, *columns, bounds, read.may_lack_spaces), counts)
    if corpus.kind != "text":
        _warn_about_sentences(corpus.predictions)
    elif counts == {rows} and rows > 1:
        _warn_about_square(rows)
    return corpus


def _check_lengths(predictions: pa.ChunkedArray, references: pa.ChunkedArray) -> None:
    rows, reference_rows = len(predictions), len(references)
    if rows == reference_rows == 0:
        raise ValueError("There is nothing to score: no predictions and no references.")
    transposed = not is_list(predictions.type) and _all_lists_have(rows, references)
    if rows != reference_rows:
        verb = "is" if rows == 1 else "are"
        counts = f"{count_things(rows, 'prediction')} and {count_things(reference_rows, 'reference')}"
        message = f"There {verb} {counts}; each row needs both."
        if transposed:
            message += (
                f" The references look like sacreBLEU's: {reference_rows} lists of {rows:,}."
                " Here it's one list a prediction: references=list(zip(*references))."
            )
        elif rows == 1 and reference_rows > 1:
            message += " If they all belong to this prediction, that is a list of them in a list: references=[[...]]."
        raise ValueError(message)
    if transposed and rows > 1:
        _warn_about_square(rows)


def _warn_about_square(rows: int) -> None:
    warn(
        f"There are {rows} predictions with {rows} references each, so the references may be one list a prediction,"
        " as they were taken, or sacreBLEU's one list a reference set: then give list(zip(*references))."
    )


def _all_lists_have(length: int, array: pa.ChunkedArray) -> bool:
    if not is_list(array.type):
        return False
    return len(array) > 0 and all(
        pc.all(pc.equal(pc.list_value_length(piece), length)).as_py() for piece in pieces(array)
    )


def _check_texts(name: str, array: pa.ChunkedArray, other: pa.DataType) -> pa.ChunkedArray:
    if array.null_count:
        raise ValueError(f"{name}, row {_first_null(array)}: found None. Give a str; an empty {name[:-1]} is ''.")
    if is_string(array.type):
        return array
    if not is_list(array.type):
        raise wrong_type(name, describe_type(array.type), TEXT)
    tokens = array.type.value_type
    if pa.types.is_null(tokens):  # only empty lists: the other column knows whether of tokens or of ids
        tokens = innermost_type(other) if pa.types.is_integer(innermost_type(other)) else pa.string()
        array = array.cast(pa.list_(tokens))
    if not is_string(tokens) and not pa.types.is_integer(tokens):
        raise wrong_type(name, describe_type(array.type), TEXT)
    _check_no_null_within(array, name)
    _check_ids(array, name)
    return array


def _check_references(array: pa.ChunkedArray, prediction: pa.DataType) -> pa.ChunkedArray:
    reference = prediction if is_list(prediction) else None
    if not is_list(array.type) and not pa.types.is_null(array.type):
        if reference is not None or not is_string(array.type):
            raise wrong_type("references", describe_type(array.type), describe_references(prediction))
        return _wrap_each(array)
    if pa.types.is_null(array.type):
        raise ValueError("references, row 0: there is no reference. Each row needs one; an empty reference is ''.")
    value = array.type.value_type
    if pa.types.is_integer(value) and reference is not None and pa.types.is_integer(reference.value_type):
        array = _wrap_each(array)
        _check_ids(array, "references")
        return array
    fits = (
        is_string(value) if reference is None else is_list(value) and _same_kind(value.value_type, reference.value_type)
    )
    if not fits and not pa.types.is_null(value):
        raise wrong_type("references", f"a list of {describe_items(value)}", describe_references(prediction))
    array = _drop_nulls(array)
    if reference is not None and not pa.types.is_null(value):
        if pa.types.is_null(value.value_type):
            array = array.cast(pa.list_(reference))
        _check_no_null_within(array, "references")
        _check_ids(array, "references")
    return array


def _check_ids(array: pa.ChunkedArray, name: str) -> None:
    """Raises for token ids below 0, such as the -100 that labels are padded with."""
    if not pa.types.is_integer(innermost_type(array.type)):
        return
    first_row = 0
    for piece in pieces(array):
        items, bounds = list_items(piece)
        while is_list(items.type):
            items, inner_bounds = list_items(items)
            bounds = inner_bounds[bounds]
        if len(items) and pc.min(items).as_py() < 0:
            place = int(np.argmax(np.asarray(items) < 0))
            row = first_row + int(np.searchsorted(bounds, place, side="right")) - 1
            raise ValueError(
                f"{name}, row {row}: found the token id {items[place]}. Ids below 0, as the -100 that labels are padded"
                " with, are no tokens: leave them out, [id for id in row if id >= 0]."
            )
        first_row += len(piece)


def _warn_about_sentences(predictions: pa.ChunkedArray) -> None:
    """Warns where most tokens have a space within: a row is then probably a list of sentences."""
    if not is_list(predictions.type) or not is_string(predictions.type.value_type):
        return
    tokens = pc.list_flatten(predictions.slice(0, _LOOKED_AT))
    has_space = pc.sum(pc.match_substring_regex(tokens, r"\S\s+\S")).as_py() or 0
    if 2 * has_space > len(tokens):
        warn(
            "Most tokens of the predictions have a space within: they look like sentences, and each list counts as one"
            " row. Give a str for each row; several rows at once go to `add_batch` or `compute`, not to `add`."
        )


def _has_only_empty_lists(type_: pa.DataType) -> bool:
    return pa.types.is_null(innermost_type(type_))


def _same_kind(one: pa.DataType, other: pa.DataType) -> bool:
    return pa.types.is_null(one) or is_string(one) == is_string(other)


def _wrap_each(array: pa.ChunkedArray) -> pa.ChunkedArray:
    if array.null_count:
        raise ValueError(f"references, row {_first_null(array)}: there is no reference. An empty reference is ''.")
    return pa.chunked_array(
        [make_lists(np.arange(len(piece) + 1), piece) for piece in pieces(array)], pa.large_list(array.type)
    )


def _drop_nulls(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """The lists without their nulls, the array itself if there are none; an error names a row that has nothing else."""
    lists, first_row, is_changed = [], 0, False
    for piece in pieces(array):
        (items, ends), is_valid = list_items(piece), np.asarray(piece.is_valid())
        if items.null_count:
            has_value = np.asarray(items.is_valid())
            ends = np.concatenate([[0], np.cumsum(has_value)])[ends]
            piece, is_changed = make_lists(ends, items.filter(pa.array(has_value))), True
        empty = np.flatnonzero((np.diff(ends) == 0) | ~is_valid)
        if len(empty):
            raise ValueError(
                f"references, row {first_row + empty[0]}: there is no reference. Give one; an empty reference is ''."
            )
        lists.append(piece)
        first_row += len(piece)
    large = pa.large_list(array.type.value_type)
    return pa.chunked_array([piece.cast(large) for piece in lists]) if is_changed else array


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
