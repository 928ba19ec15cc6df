"""Readers of any container to a `Corpus` or `Texts`; errors name the column and the row.

All methods read texts here; `compute` through `methods/buffer.py`.

Plain lists of strings, tokens or ids, which most calls pass, take a fast path, at the end of this
file. All other containers are converted to Arrow columns (`columns.py`) and then checked
(`elements.py`); texts that are in Arrow already are not copied.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Hashable, Iterator, Mapping, Sized, ValuesView
from itertools import accumulate, chain
from operator import length_hint
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..shared.arrays import (
    IDS,
    STRINGS,
    TEXT_TYPES,
    TOKENS,
    Int64,
    SystemName,
    innermost_type,
    is_list,
    list_items,
    make_lists,
    slices,
)
from ..shared.messages import (
    EXPECTED_REFERENCES,
    EXPECTED_TEXT,
    Notice,
    describe_type,
    list_systems,
    show_value,
    warn,
    within_system,
    wrong_item,
)
from .columns import first_item, is_result, read_column
from .corpus import Corpus, SmallCorpus, Texts, checksum_texts, join_corpora, kind_of, make_corpus
from .elements import (
    SENTENCES_AS_TOKENS,
    SQUARE,
    are_sentences,
    check_elements,
    check_references,
    check_row_counts,
    warn_about_names,
    warn_about_rows,
)
from .systems import explain_runs


def read_corpus(predictions: object, references: object, allow_empty: bool = False) -> Corpus:
    """Read predictions and references; zero rows are an error unless `allow_empty` is True.

    >>> read_corpus(["a b"], [["a", None]]).references.to_pylist()
    [['a']]
    """
    corpus = read_plain(predictions, references)
    if corpus is not None:
        return corpus
    for name, data in (("predictions", predictions), ("references", references)):
        if data is None:
            raise _missing_column(name)
    reject_dicts(predictions, references)
    warn_if_reordered({"references": references}, predictions=predictions)
    prediction_column = read_column("predictions", predictions, EXPECTED_TEXT)
    reference_column = read_column("references", references, EXPECTED_REFERENCES)
    if allow_empty and len(prediction_column) == len(reference_column) == 0:
        return join_corpora([])
    check_row_counts(prediction_column, reference_column)
    texts = check_elements("predictions", prediction_column, reference_column.type, predictions)
    lists = check_references(reference_column, texts)
    # The columns may have different chunks; the batches of a table cut both at the same rows.
    parts = []
    for batch in pa.table({"predictions": texts, "references": lists}).to_batches():
        if len(batch):
            batch_references, bounds = list_items(batch.column("references"))
            parts.append((batch.column("predictions"), batch_references, bounds))
    corpus = make_corpus(parts)
    warn_about_rows(corpus)
    return corpus


def warn_if_reordered(texts: Mapping[str, object], **columns: object) -> None:
    """Warn of columns whose pandas index is that of texts in another order.

    `texts` are columns by name; the first one with an index counts.
    """
    indices = ((name, _find_index(data)) for name, data in texts.items())
    other, index = next((found for found in indices if found[1] is not None), ("", None))
    for name, data in columns.items():
        labels = _find_index(data)
        if labels is None or index is None or len(labels) != len(index) or labels.equals(index):
            continue
        if labels.is_unique and index.is_unique and labels.isin(index).all():
            warn(
                Notice(
                    "order of rows",
                    "{name}: its pandas index has the labels of the index of {other} in another"
                    " order, but rows are"
                    " paired by position",
                    ". Pass {name}.loc[{other}.index], or {name}.tolist() if the rows correspond",
                ),
                name=name,
                other=other,
            )


def _find_index(data: object) -> Any:
    """Return the index of a Series or DataFrame of pandas; None for anything else."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None or not isinstance(data, (pandas.Series, pandas.DataFrame)):
        return None
    return data.index


def read_corpora(
    systems: Mapping[SystemName, object], references: object
) -> Iterator[tuple[SystemName, Corpus]]:
    """Yield a corpus for each system; the references are read once.

    >>> systems = {"A": ["a b"], "B": ["a c"]}
    >>> [corpus.predictions.to_pylist() for _, corpus in read_corpora(systems, ["a b"])]
    [['a b'], ['a c']]
    """
    shared: Corpus | None = None
    texts = {"references": references}
    names_of: dict[Hashable, list[SystemName]] = {}  # by the checksum of their texts
    for name, predictions in systems.items():
        with within_system(name):
            try:
                if shared is None:
                    corpus = read_corpus(predictions, references)
                    shared = corpus
                    texts[f"systems[{show_value(name)}]"] = predictions
                else:
                    warn_if_reordered(texts, predictions=predictions)
                    corpus = _replace_predictions(shared, predictions)
            except (TypeError, ValueError) as error:
                found = explain_runs(predictions, references, str(error))
                if found is None:
                    raise
                raise TypeError(found) from None
        names_of.setdefault(checksum_texts(corpus.predictions), []).append(name)
        yield name, corpus
    for names in names_of.values():
        if len(names) > 1:
            warn(
                Notice(
                    "same predictions",
                    "Systems {systems} have the same predictions",
                    ". Check which files were read",
                ),
                systems=list_systems(names),
            )


def _replace_predictions(corpus: Corpus, predictions: object) -> Corpus:
    """Return a corpus with other predictions, whose references are not read again."""
    # 1. Read the predictions, on the fast path if they are a plain list.
    plain_texts = None
    if type(predictions) is list and predictions:
        plain_texts = read_plain_texts(list(predictions))
    if plain_texts is not None:
        texts = pa.chunked_array([plain_texts])
    elif predictions is None:
        raise _missing_column("predictions")
    else:
        column = read_column("predictions", predictions, EXPECTED_TEXT)
        check_row_counts(column, corpus.references)
        texts = check_elements("predictions", column, corpus.references.type, predictions)
    # 2. Put them instead of the predictions that the references fit.
    if len(texts) != len(corpus) or texts.type != TEXT_TYPES[corpus.kind]:
        return read_corpus(texts, corpus.references)  # which raises
    (batch,) = corpus.combine().batches
    replaced = make_corpus([(texts.combine_chunks(), batch.references, batch.bounds)])
    warn_about_rows(replaced)
    return replaced


def reject_dicts(predictions: object, references: object) -> None:
    """Raise if predictions are a dict of columns; or both are dicts, such as captions by image.

    Rows of dicts, and of their values, are never paired by position, because the keys may be in
    different orders.
    """
    if is_result(predictions) or is_result(references):
        return
    kinds = (Mapping, ValuesView)
    if isinstance(predictions, kinds) and isinstance(references, kinds):
        found = "dicts" if isinstance(predictions, Mapping) else "the values of dicts"
        raise TypeError(
            f"predictions and references: got {found}, whose order is not known to be the same."
            " Pair them by key: ids = list(references), then"
            f" predictions=[predictions[id]{first_item(predictions)} for id in ids] and"
            " references=[references[id] for id in ids]."
        )
    if isinstance(predictions, Mapping) and _are_columns(predictions, references):
        raise TypeError(
            f"predictions: got a dict of {len(predictions)} columns. Pass one of them,"
            f" predictions[{show_value(next(iter(predictions)))}]; or compare systems:"
            " compare(predictions, references)."
        )


def _are_columns(data: Mapping[Any, Any], references: object) -> bool:
    """Return True for a dict of two or more columns that are as long as the references."""
    if len(data) < 2 or not isinstance(references, Sized):
        return False
    lengths = [length_hint(column, -1) for column in data.values() if not isinstance(column, str)]
    return lengths == [len(references)] * len(data)


def _missing_column(name: str) -> ValueError:
    """Build the error for a column that is None."""
    return ValueError(
        f"{name}: expected one item per segment, got None. Pass predictions and references."
    )


def read_texts(**columns: object) -> Texts:
    """Read columns of any length with one text per row, all of one kind.

    The keywords are the names of the columns in errors.
    """
    arrays = {name: read_column(name, data, EXPECTED_TEXT) for name, data in columns.items()}
    # A column of empty lists has no kind, and takes that of the first column that has one.
    has_kind = (
        array.type for array in arrays.values() if not pa.types.is_null(innermost_type(array.type))
    )
    other_type = next(has_kind, pa.null())
    texts: dict[str, pa.ChunkedArray] = {}
    for name, array in arrays.items():
        if not len(array):
            raise ValueError(f"{name}: expected one item or more, got 0. Pass at least one text.")
        texts[name] = check_elements(name, array, other_type, columns[name])
    (first_name, first), *others = texts.items()
    for name, column in others:
        if column.type != first.type:
            raise wrong_item(
                name,
                0,
                describe_type(column.type),
                f"{describe_type(first.type)} like the {first_name}",
            )
    kind = kind_of(first.type)
    if kind == "text":
        warn_about_names(
            {name: column[0].as_py() for name, column in texts.items() if len(column) == 1}
        )
    for name, column in texts.items():
        if kind == "tokens" and are_sentences(column):
            warn(SENTENCES_AS_TOKENS, name=name)
            break
    return Texts(texts, kind)


def fingerprint_references(references: object) -> str:
    """Return a hash of references that is equal for equal references in any container.

    It is the SHA-256 of `text` or `lists`, followed by netstrings (a length in bytes, a colon, the
    bytes, a comma): a segment is the netstring of its references, and a reference that of its text,
    or of its tokens or ids.
    """
    column = read_column("references", references, EXPECTED_REFERENCES)
    if pa.types.is_integer(innermost_type(column.type)):
        text_type = IDS
    elif is_list(column.type) and is_list(column.type.value_type):
        text_type = TOKENS
    else:
        text_type = STRINGS
    lists = check_references(column, pa.chunked_array([], text_type))
    digest = hashlib.sha256(b"text" if text_type == STRINGS else b"lists")
    for piece in slices(lists):
        for texts in piece.to_pylist():
            digest.update(_make_netstring(b"".join(_frame_text(text) for text in texts)))
    return digest.hexdigest()


def _frame_text(text: str | list[str] | list[int]) -> bytes:
    """Return the netstring of a text, or of the netstrings of its tokens or ids."""
    if isinstance(text, str):
        return _make_netstring(text.encode())
    return _make_netstring(b"".join(_make_netstring(str(token).encode()) for token in text))


def _make_netstring(data: bytes) -> bytes:
    return b"%d:%b," % (len(data), data)


# --- Plain lists, the form that most calls pass ---------------------------------------------------
#
# The fast path returns None for all other containers, and for every list in which an item is wrong:
# the general path finds the row and raises the error.

_MOST_SMALL = 256  # predictions and references; with more texts, Arrow is faster


def read_plain(predictions: object, references: object) -> Corpus | None:
    """Read plain lists on the fast path.

    Return None for all other containers and for invalid rows, which take the general path.
    """
    if type(predictions) is not list or type(references) is not list or not references:
        return None
    # 1. Copy the lists, because another thread may change them, and join the references.
    texts = list(predictions)
    rows = list(references)
    if type(rows[0]) is str:
        rows = [(row,) for row in rows]
    lists = _flatten(rows)
    if lists is None or len(texts) != len(rows) or 0 in lists.lengths:
        return None
    # 2. Keep few strings as they are, and convert all other texts.
    bounds = _find_bounds(lists.lengths)
    strings: list[Any] = texts + lists.items
    if len(strings) <= _MOST_SMALL and set(map(type, strings)) == {str}:
        try:
            corpus: Corpus = SmallCorpus(strings, "".join(strings).encode(), bounds)
        except UnicodeEncodeError:  # a lone surrogate: the general path names the row
            return None
    else:
        prediction_array = read_plain_texts(texts)
        reference_array = read_plain_texts(lists.items)
        if (
            prediction_array is None
            or reference_array is None
            or prediction_array.type != reference_array.type
        ):
            return None
        corpus = make_corpus([(prediction_array, reference_array, bounds)])
    # 3. Warn.
    if corpus.kind == "text" and len(rows) > 1 and set(lists.lengths) == {len(rows)}:
        warn(SQUARE, rows=len(rows))
    warn_about_rows(corpus)
    return corpus


def read_plain_texts(texts: list[object]) -> pa.Array | None:
    """Convert strings, lists of str, or lists of non-negative ids to an array.

    Return None for items of any other type.
    """
    try:
        if set(map(type, texts)) == {str}:
            return pa.array(texts, STRINGS)
        lists = _flatten(texts)
        if lists is None:
            return None
        item_types = set(map(type, lists.items))
        if item_types == {str}:
            items = pa.array(lists.items, STRINGS)
        elif item_types == {int}:
            # Through NumPy, because Arrow takes twice as long.
            ids = np.fromiter(lists.items, np.int64, len(lists.items))
            if ids.min() < 0:
                return None
            items = pa.array(ids)
        else:
            return None
        return make_lists(_find_bounds(lists.lengths), items)
    except (UnicodeEncodeError, OverflowError):
        # A lone surrogate, or an id of more than 64 bits: the general path names the row.
        return None


class FlatLists(NamedTuple):
    """The items of several lists as one list, and the length of each list."""

    items: list[object]
    lengths: list[int]


def _flatten(lists: list[Any]) -> FlatLists | None:
    """Join lists; return None if a row is not a list, or if another thread changes a list."""
    if not set(map(type, lists)) <= {list, tuple}:
        return None
    lengths = list(map(len, lists))
    items = list(chain.from_iterable(lists))
    if list(map(len, lists)) != lengths or sum(lengths) != len(items):
        return None
    return FlatLists(items, lengths)


def _find_bounds(lengths: list[int]) -> Int64:
    return np.fromiter(accumulate(lengths, initial=0), np.int64, len(lengths) + 1)
