"""The fast path of `read.py`: plain lists, the form that most calls pass.

It returns None for everything else, and for every list in which an item is wrong: the general path
finds the row and raises the error.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..shared.arrays import STRINGS, Int64, make_lists
from ..shared.messages import warn
from .corpus import Corpus, SmallCorpus, make_corpus
from .elements import SQUARE, warn_about_rows

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
        if prediction_array is None or reference_array is None:
            return None
        if prediction_array.type != reference_array.type:
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
