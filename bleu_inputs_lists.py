"""Python's own lists to Arrow's: what most calls bring, and what a user's tokenizer returns.

The definition. `bleu_inputs_lists_compiled` is its compiled twin.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import Int64, make_lists

# By how deep in lists they are, and what they are.
_LEAVES: dict[tuple[object, ...], pa.DataType] = {
    (1, str): pa.large_string(),
    (2, str): pa.large_string(),
    (2, int): pa.int64(),
}


class Lists(NamedTuple):
    """The items of some lists, one list's after the other's.

    items: strings, lists of strings, or lists of int64 from 0.
    bounds: int64 [lists + 1]: where among them each list's begin and the last one's end.
    may_lack_spaces: whether a character of a script without spaces between words may be in the strings.
    """

    items: pa.Array
    bounds: Int64
    may_lack_spaces: bool = True


def read_lists(lists: list[list[Any]]) -> Lists | None:
    """Lists of texts, of lists of tokens, or of lists of token ids, as Arrow has them.

    Args:
        lists: of str, of lists of str, or of lists of int.

    Returns:
        None if anything else is in them, or nothing at all, and whoever called has to look what it is.

    >>> read_lists([["a", "b"], ["c"]]).bounds, read_lists([["a"], [None]])
    (array([0, 2, 3]), None)
    """
    bounds: list[Int64] = []
    while len(bounds) < 2 and set(map(type, lists)) == {list}:
        bounds.append(np.fromiter(accumulate(map(len, lists), initial=0), np.int64, len(lists) + 1))
        lists = list(chain.from_iterable(lists))
    type_ = _LEAVES.get((len(bounds), *set(map(type, lists))))
    if type_ is None:
        return None
    try:
        leaves = pa.array(lists, type_)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):  # half a character; more than 64 bits
        return None
    if pa.types.is_integer(type_) and pc.min(leaves).as_py() < 0:
        return None
    return Lists(leaves if len(bounds) == 1 else make_lists(bounds[1], leaves), bounds[0])
