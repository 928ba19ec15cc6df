"""N-grams that one of two systems gets right and the other misses.

They are found a block of segments at a time, and summed up over the blocks, so that memory grows with the number of
different n-grams that make a difference, up to a limit, and not with the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .bleu_arrow import Float64, Int64
from .bleu_vocabulary import number_runs, sorted_order

NGRAMS = 20  # of each order and system that are listed
LIMIT = 1 << 21  # rows of a table: some 60 MB for 4-grams

_NEVER = np.iinfo(np.int32).max  # in the place of a segment

Table = np.ndarray[Any, np.dtype[np.int32]]


class Block(NamedTuple):
    """Some segments' texts, all in one array: the predictions of the first system, of the second, and all references.

    first_segment: which of the corpus the first one is.
    tokens: an item a token; equal tokens have the same index.
    offsets: int64 [texts + 1]: where among the tokens each text begins and the last ends.
    bounds: int64 [segments + 1]: which references are a segment's.
    """

    first_segment: int
    tokens: pa.DictionaryArray
    offsets: Int64
    bounds: Int64


class NGramDifferences:
    """The n-grams that one system gets and the other misses, of all blocks that were added.

    A table has a row an n-gram: the numbers of its tokens; how many matches more the first system has, summed over the
    segments where it has more, and the same of the second; and for each of the two the first such segment. Beyond
    `LIMIT` rows those with the fewest matches so far are forgotten.

    >>> differences = NGramDifferences(max_order=1)
    >>> tokens = pa.array(["a", "b", "a", "c"]).dictionary_encode()
    >>> differences.add(Block(0, tokens, np.array([0, 1, 2, 4]), np.array([0, 1])))
    >>> differences.list_most_telling()[0]["first"]
    [{'ngram': ['a'], 'count': 1, 'only_first': 1, 'only_second': 0, 'segment': 0}]
    """

    def __init__(self, max_order: int) -> None:
        self._numbers: dict[Any, int] = {}
        self._tables = [[np.empty((0, order + 4), np.int32)] for order in range(1, max_order + 1)]

    def add(self, block: Block) -> None:
        """Adds the n-grams of some segments."""
        found = list(_find_differences(block, len(self._tables)))
        numbers = self._number_tokens(block.tokens.dictionary, np.concatenate([rows[:, :-4].ravel() for rows in found]))
        for tables, rows in zip(self._tables, found):
            tables.append(np.hstack([numbers[rows[:, :-4]], rows[:, -4:]]).astype(np.int32))
            if sum(map(len, tables)) > LIMIT:
                tables[:] = [_forget_least(_merge_rows(np.concatenate(tables)), LIMIT // 2)]

    def _number_tokens(self, tokens: pa.Array, used: Int64) -> Int64:
        """The number that each token of a block has in the tables; only of those that are used."""
        numbers, is_used = np.zeros(len(tokens), np.int64), np.zeros(len(tokens), bool)
        is_used[used] = True
        found = tokens.filter(pa.array(is_used)).to_pylist()
        numbers[is_used] = [self._numbers.setdefault(token, len(self._numbers)) for token in found]
        return numbers

    def list_most_telling(self) -> list[dict[str, Any]]:
        """For each order the n-grams that only the first system gets, and those that only the second gets.

        Those come first that chance explains least, if a match is as likely to be missed by one system as by the other:
        the statistic of McNemar (1947), (a - b)² / (a + b) of a and b matches that only one has. Equal ones are in the
        order of the segments where they are met first.

        Returns:
            For each order a dict of `order`, and `first` and `second`, lists of n-grams: the tokens `ngram`; `count`,
            how many matches more than the other this system has; `only_first` and `only_second`, the matches that only
            one of them has, segment by segment; and `segment`, the index of the first where this system has more.
        """
        tokens, answer = list(self._numbers), []
        for order, tables in enumerate(self._tables, 1):
            table = _merge_rows(np.concatenate(tables))
            first, second = (_describe_rows(table, side, tokens) for side in (0, 1))
            answer.append({"order": order, "first": first, "second": second})
        return answer


def measure_telling(only_one: Any, only_other: Any) -> Any:
    """How little chance explains that one system has so many matches alone, and the other so many.

    >>> measure_telling(12, 0), measure_telling(300, 300)
    (12.0, 0.0)
    """
    return (only_one - only_other) ** 2 / (only_one + only_other)


def _find_differences(block: Block, max_order: int) -> Iterator[Int64]:
    """Rows of a table for each order: an n-gram is in as many of them as there are segments where systems differ in it.

    The tokens' numbers are those of the block.
    """
    numbers, offsets = np.asarray(block.tokens.indices).astype(np.int64), block.offsets
    segments = np.arange(len(block.bounds) - 1)
    text_of = np.arange(len(offsets) - 1).repeat(np.diff(offsets))
    segment_of = np.concatenate([segments, segments, segments.repeat(np.diff(block.bounds))])[text_of]
    starts, ngrams = np.arange(len(numbers)), segment_of  # without any token, a segment's are equal
    for n in range(max_order):
        whole = np.flatnonzero(starts + n < offsets[text_of[starts] + 1])
        keys = ngrams[whole] * len(block.tokens.dictionary) + numbers[starts[whole] + n]
        order = sorted_order(keys)
        starts, ngrams = starts[whole[order]], number_runs(keys[order])
        counts = _count_ngrams(ngrams, text_of[starts], len(segments))
        matches = np.minimum(counts[:2], counts[2])
        different = np.flatnonzero(matches[0] != matches[1])
        places = starts[np.searchsorted(ngrams, different)]
        tokens = numbers[places[:, np.newaxis] + np.arange(n + 1)]
        yield np.hstack([tokens, _make_columns(matches[:, different], block.first_segment + segment_of[places])])
        could_match = matches.any(axis=0)[ngrams]  # a longer n-gram matches only if this one, where it begins, does
        starts, ngrams = starts[could_match], ngrams[could_match]


def _count_ngrams(ngrams: Int64, texts: Int64, segments: int) -> Int64:
    """How often each n-gram occurs in the first prediction, in the second, and in the reference that has most of it.

    Args:
        ngrams: sorted, numbered from 0 without a gap; those of different segments are different.
        texts: which text each is in, sorted where the n-gram is the same.
        segments: the predictions of each system are so many of the texts.

    Returns:
        int64 [3, n-grams].
    """
    begins = np.flatnonzero((np.diff(ngrams, prepend=-1) != 0) | (np.diff(texts, prepend=-1) != 0))
    occurrences, which = np.diff(begins, append=len(ngrams)), ngrams[begins]
    sides = np.minimum(texts[begins] // segments, 2)
    counts = np.zeros((3, ngrams.max(initial=-1) + 1), np.int64)
    for side in range(3):
        here = sides == side
        np.maximum.at(counts[side], which[here], occurrences[here])
    return counts


def _make_columns(matches: Int64, segments: Int64) -> Int64:
    """The last four columns of a table, from int64 [2, n-grams], and the segment of each."""
    more = np.maximum(matches - matches[::-1], 0)
    return np.vstack([more, np.where(more, segments, _NEVER)]).T


def _merge_rows(table: Table) -> Table:
    """The rows with those of the same n-gram summed up, sorted by the numbers of their tokens."""
    ngrams = np.zeros(len(table), np.int64)
    for column in range(table.shape[1] - 4):
        keys = ngrams * (int(table[:, column].max(initial=0)) + 1) + table[:, column]
        order = sorted_order(keys)
        table, ngrams = table[order], number_runs(keys[order])
    begins = np.flatnonzero(np.diff(ngrams, prepend=-1))
    merged = table[begins]
    if len(begins):
        merged[:, -4:-2] = np.add.reduceat(table[:, -4:-2], begins)
        merged[:, -2:] = np.minimum.reduceat(table[:, -2:], begins)
    return merged


def _forget_least(table: Table, rows: int) -> Table:
    """So many rows at most, those with the most matches."""
    if len(table) <= rows:
        return table
    matches = table[:, -4:-2].sum(axis=1)
    return table[np.sort(np.argsort(-matches, kind="stable")[:rows])]


def _choose_rows(table: Table, side: int) -> Table:
    """The most telling rows of one system, 0 or 1, and those that are as telling and met first in the same segment."""
    table = table[table[:, side - 4] > table[:, -3 - side]]
    scores: Float64 = measure_telling(table[:, -4].astype(float), table[:, -3].astype(float))
    if len(table) <= NGRAMS:
        return table
    enough = scores >= np.partition(scores, -NGRAMS)[-NGRAMS]
    table, scores = table[enough], scores[enough]
    order = np.lexsort((table[:, side - 2], -scores))
    last = order[NGRAMS - 1]
    like_last = (scores[order] == scores[last]) & (table[order, side - 2] == table[last, side - 2])
    return table[order[like_last | (np.arange(len(order)) < NGRAMS)]]


def _describe_rows(table: Table, side: int, tokens: list[Any]) -> list[dict[str, Any]]:
    described = []
    for row in _choose_rows(table, side).tolist():
        only_first, only_second, *segments = row[-4:]
        described.append(
            {
                "ngram": [tokens[number] for number in row[:-4]],
                "count": abs(only_first - only_second),
                "only_first": only_first,
                "only_second": only_second,
                "segment": segments[side],
            }
        )
    return sorted(described, key=_rank)[:NGRAMS]


def _rank(ngram: dict[str, Any]) -> tuple[float, int, list[Any]]:
    return -measure_telling(ngram["only_first"], ngram["only_second"]), ngram["segment"], ngram["ngram"]
