"""Arrow columns to the texts of a corpus: the general path, second part.

Called by `read.py`. Every item is checked; an error names the first row that is wrong. What is
valid but looks like a mistake, such as a file's name, is a warning at the end of this file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..shared.arrays import (
    IDS,
    STRINGS,
    TEXT_TYPES,
    TOKENS,
    evenly_spaced,
    innermost_type,
    is_list,
    list_items,
    make_lists,
    slices,
)
from ..shared.messages import (
    EXPECTED_TEXT,
    NO_SEGMENTS,
    Notice,
    count_things,
    describe_references,
    describe_type,
    name_value,
    warn,
    wrong_item,
)
from .corpus import Corpus

# A regular expression: a space between two words.
INNER_SPACE = r"\S\s+\S"
# A text of one word with a suffix that files with one segment per line have.
FILE_NAME = re.compile(r"\S+\.(txt|text|tsv|csv|jsonl?|hyp|ref|out|gz|bz2|xz|sgml?|xml)\s*")

_SAMPLE_ROWS = 100  # rows, evenly spread, inspected for a mistake that affects a whole column
_FEW_ROWS = 8  # with more rows, the caller has surely read the files
_FEWEST_BREAKS = 20  # line breaks of a text that may be a whole file
# From this many references per segment, they may be the tokens of a single reference.
_FEWEST_TOKENS = 4


SQUARE = Notice(
    "square",
    "There are {rows} predictions with {rows} references each,"
    " which were read as one list per prediction",
    ". If they are in sacreBLEU's layout, one list per reference set,"
    " pass references=list(zip(*references))",
)


def check_row_counts(predictions: pa.ChunkedArray, references: pa.ChunkedArray) -> None:
    rows = len(predictions)
    reference_rows = len(references)
    if rows == reference_rows == 0:
        raise ValueError(NO_SEGMENTS)
    has_other_orientation = not is_list(predictions.type) and _all_lists_have(rows, references)
    if rows == reference_rows:
        if has_other_orientation and rows > 1:
            warn(SQUARE, rows=rows)
        return
    if has_other_orientation:
        advice = (
            "The references are in sacreBLEU's layout,"
            f" {count_things(reference_rows, 'list')} of {rows:,}."
            " Pass one list per prediction: references=list(zip(*references))."
        )
    else:
        advice = "Pass one str or one list of references per prediction."
        if rows == 1 and reference_rows > 1:
            advice += (
                " If all of them belong to this prediction, pass a list of one list:"
                " references=[[...]]."
            )
    found = f"{count_things(rows, 'prediction')} and {count_things(reference_rows, 'reference')}"
    raise ValueError(f"Got {found}. {advice}")


def _all_lists_have(length: int, array: pa.ChunkedArray) -> bool:
    """Return True for a column of lists that all have this length."""
    if not is_list(array.type) or not len(array):
        return False
    return bool(pc.all(pc.equal(pc.list_value_length(array), length)).as_py())


def check_elements(
    name: str, array: pa.ChunkedArray, other_type: pa.DataType, data: object
) -> pa.ChunkedArray:
    """Check that all texts are strings, all token lists or all id lists, and return them.

    Empty lists alone take the kind of the other column. `data` is the container of the column.
    """
    if array.null_count:
        row = _first_null(array)
        if is_list(array.type):
            expected = describe_type(array.type)
            empty = "[]"
        else:
            expected = "a str"
            empty = '""'
        found = name_missing(data, row)
        error = ValueError if found == "None" else TypeError
        raise error(
            f"{name}[{row}]: expected {expected}, got {found}."
            f" Pass {empty} for an empty {name.removesuffix('s')}."
        )
    texts = array
    if is_list(array.type) and pa.types.is_null(array.type.value_type):
        texts = array.cast(IDS if pa.types.is_integer(innermost_type(other_type)) else TOKENS)
    if texts.type not in TEXT_TYPES.values():
        raise wrong_item(name, 0, describe_type(texts.type), EXPECTED_TEXT)
    if is_list(texts.type):
        _check_tokens(name, texts)
    return texts


def name_missing(data: object, row: int) -> str:
    """Name the missing value in a row of a column: Arrow reads all of them as null."""
    values: Any = data.iloc if hasattr(data, "iloc") else data
    if isinstance(data, (list, tuple, np.ndarray)) or hasattr(data, "iloc"):
        return name_value(values[row])
    return "None"


def check_references(array: pa.ChunkedArray, predictions: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of lists of references that are of the predictions' type, or raise."""
    text_type = predictions.type
    # 1. Texts in token lists by mistake.
    if text_type == TOKENS and array.type in (STRINGS, TOKENS) and _all_lists_have(1, predictions):
        raise TypeError(
            "predictions[0]: got a list with one str."
            " A list of str is read as tokens, but the references are plain text."
            " If each list holds a sentence, pass predictions=[text for [text] in predictions]."
        )
    if pa.types.is_null(array.type):
        raise _no_reference(0)
    # 2. One reference per segment: wrap it. A list of str is not wrapped: its items are references.
    lists = array
    if array.type == text_type and text_type in (STRINGS, IDS):
        if array.null_count:
            raise _no_reference(_first_null(array))
        wrapped = [make_lists(np.arange(len(piece) + 1), piece) for piece in slices(array)]
        lists = pa.chunked_array(wrapped, pa.large_list(text_type))
    # 3. Lists of references: their texts must be of the predictions' type, or empty.
    if not is_list(lists.type) or not _fits(lists.type.value_type, text_type):
        raise wrong_item("references", 0, describe_type(array.type), describe_references(text_type))
    references = _drop_nulls(lists).cast(pa.large_list(text_type))
    if is_list(text_type):
        _check_tokens("references", references)
    return references


def _fits(reference_type: pa.DataType, text_type: pa.DataType) -> bool:
    """Return True if references of a type fit predictions of a type.

    References that are all None fit; each segment is checked later. Empty lists fit tokens and ids.
    """
    if reference_type == text_type or pa.types.is_null(reference_type):
        return True
    are_empty_lists = is_list(reference_type) and pa.types.is_null(reference_type.value_type)
    return are_empty_lists and is_list(text_type)


def _no_reference(row: int) -> ValueError:
    """Build the error for a segment without references."""
    return ValueError(
        f"references[{row}]: expected at least one reference, got none."
        ' Pass "" for an empty reference.'
    )


def _check_tokens(name: str, array: pa.ChunkedArray) -> None:
    """Raise for None among tokens or ids, and for negative ids, such as -100 of padded labels."""
    first_row = 0
    for piece in slices(array):
        items, bounds = list_items(piece)
        while is_list(items.type):
            items, inner_bounds = list_items(items)
            bounds = inner_bounds[bounds]
        is_bad = np.asarray(items.is_null())
        if pa.types.is_integer(items.type):
            is_bad = is_bad | np.asarray(pc.less(items, 0).fill_null(True))
        if is_bad.any():
            index = int(is_bad.argmax())
            row = first_row + int(np.searchsorted(bounds, index, side="right")) - 1
            if not items[index].is_valid:
                raise TypeError(
                    f"{name}[{row}]: got None among the tokens."
                    " Remove it: [token for token in row if token is not None]."
                )
            raise ValueError(
                f"{name}[{row}]: got the token id {items[index]}. Ids are never negative."
                " Remove label padding such as -100: [id for id in row if id >= 0]."
            )
        first_row += len(piece)


def _drop_nulls(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Remove None from the lists of references; raise for the first row that has no other item."""
    lists = []
    first_row = 0
    for piece in slices(array):
        items, bounds = list_items(piece)
        if items.null_count:
            has_value = np.asarray(items.is_valid())
            values_before = np.concatenate([[0], np.cumsum(has_value)])
            bounds = values_before[bounds]
            items = items.filter(pa.array(has_value))
        rows_without = np.flatnonzero(np.asarray(piece.is_null()) | (np.diff(bounds) == 0))
        if len(rows_without):
            raise _no_reference(first_row + rows_without[0])
        lists.append(make_lists(bounds, items))
        first_row += len(piece)
    return pa.chunked_array(lists, array.type)


def _first_null(array: pa.ChunkedArray) -> int:
    return int(np.argmin(array.is_valid()))


# --- Warnings about rows --------------------------------------------------------------------------

SENTENCES_AS_TOKENS = Notice(
    "sentences",
    "Most tokens in the {name} contain a space, so they look like sentences,"
    " but each list is scored as one tokenized segment",
    ". Pass one str per segment, and use `add_batch` or `compute` for several segments",
)


def warn_about_rows(corpus: Corpus) -> None:
    """Warn if predictions look like lists of sentences, or references like tokens.

    The tokens would be those of one reference, each of which was read as a reference.
    """
    if corpus.kind == "tokens" and are_sentences(corpus.predictions):
        warn(SENTENCES_AS_TOKENS, name="predictions")
    if corpus.kind != "text":
        return
    size = len(corpus)
    if size <= _FEW_ROWS:
        _warn_about_files(corpus)
    if corpus.count_references() >= _FEWEST_TOKENS * size > 0:
        (batch,) = corpus.take(evenly_spaced(len(corpus), _SAMPLE_ROWS)).batches
        length = pc.sum(pc.utf8_length(batch.predictions)).as_py()
        references_length = pc.sum(pc.utf8_length(batch.references)).as_py()
        has_space = pc.any(pc.match_substring_regex(batch.references, INNER_SPACE)).as_py()
        # All tokens together are about as long as the text: half to twice the length.
        if length <= 2 * references_length <= 4 * length and not has_space:
            warn(
                Notice(
                    "token references",
                    "The references look like lists of tokens, but the predictions are text,"
                    " so each token was read as a reference of one word",
                    ". Pass text: references=[' '.join(tokens) for tokens in references],"
                    " or the text from before it was split",
                )
            )


def are_sentences(texts: pa.ChunkedArray) -> bool:
    """Return True if most tokens in a sample of lists contain a space.

    >>> are_sentences(pa.chunked_array([[["the cat sat", "a cat was"], ["it", "rains here"]]]))
    True
    """
    rows = pa.array(evenly_spaced(len(texts), _SAMPLE_ROWS))
    tokens = pc.list_flatten(texts.take(rows).combine_chunks())
    sentences = pc.sum(pc.match_substring_regex(tokens, INNER_SPACE)).as_py() or 0
    return bool(2 * sentences > len(tokens))


def _warn_about_files(corpus: Corpus) -> None:
    """Warn of a row that is the name of a file, by its form; and of one that is two whole files."""
    predictions, references = corpus.list_texts()
    if len(corpus) == 1:
        warn_about_names({"predictions": predictions[0], "references": references[0][0]})
    for row, prediction in enumerate(predictions):
        breaks = prediction.count("\n")
        if breaks < _FEWEST_BREAKS:
            continue
        reference_breaks = max(reference.count("\n") for reference in references[row])
        if reference_breaks >= _FEWEST_BREAKS:
            warn(
                Notice(
                    "whole files",
                    "predictions[{row}] has {breaks:,} line breaks and its reference"
                    " {references:,},"
                    " and all their lines were scored as one segment",
                    ". For files with one segment per line, pass open(path, encoding='utf-8') for"
                    " each column",
                ),
                row=row,
                breaks=breaks,
                references=reference_breaks,
            )
            return


def warn_about_names(texts: Mapping[str, str]) -> None:
    """Warn of the only text of a column if it has the form of a file's name, and no other has."""
    for name, text in texts.items():
        if FILE_NAME.fullmatch(text) and [*texts.values()].count(text) == 1:
            warn(
                Notice(
                    "file name",
                    "{name}[0] looks like the name of a file, and the name itself was scored",
                    ". For a file with one segment per line, pass open(path, encoding='utf-8')",
                ),
                name=name,
            )
            return
