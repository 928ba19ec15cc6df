"""Numbered tokens of many texts to numbered n-grams, the same number for equal ones.

A text has the first occurrence of an n-gram, perhaps a second, and so on. Each with a number of its own, they make a
text's n-grams a set, and what two sets have in common is the clipped count: of each n-gram the smaller of its counts.

An n-gram is the one that is a token shorter, and its last token: two numbers in one integer. Sorting brings equal ones
together, in time that grows with their number; there is no hash.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

_AT_ONCE = 1 << 15  # n-grams that are sorted together: few enough for a processor's cache


def ngram_occurrences(numbers: np.ndarray, offsets: np.ndarray, max_order: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The n-grams of all texts, order by order.

    Args:
        numbers: the tokens of all texts, numbered from 0 without a gap.
        offsets: int64 [texts + 1]: where among them each text begins and the last ends.
        max_order: N, the longest n-gram, 1 or more.

    Returns:
        For each order, two int64 arrays with an item for each n-gram: the text that it is in, and its number, from 0
        without a gap. The k-th occurrence of an n-gram in one text has the number of its k-th in another.

    In "a b a" and "a", the first "a" is the same, and the second is another one:

    >>> ngram_occurrences(np.array([0, 1, 0, 0]), np.array([0, 3, 4]), max_order=1)
    [(array([0, 0, 1, 0]), array([0, 2, 0, 1]))]
    """
    found = [[(np.empty(0, np.int64), np.empty(0, np.int64))] for _ in range(max_order)]
    known = [0] * max_order
    text_of, vocabulary = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), int(numbers.max(initial=0)) + 1
    for starts in _by_first_token(numbers):
        texts, ngrams = text_of[starts], np.zeros(len(starts), np.int64)
        for n in range(max_order):
            whole = np.flatnonzero(starts + n < offsets[texts + 1])
            keys = ngrams[whole] * vocabulary + numbers[starts[whole] + n]
            order = sorted_order(keys)
            starts, texts, ngrams = starts[whole[order]], texts[whole[order]], _runs(keys[order])
            occurrences = _occurrences(ngrams, texts)
            found[n].append((texts, known[n] + occurrences))
            known[n] += int(occurrences.max(initial=-1)) + 1
    return [tuple(map(np.concatenate, zip(*parts))) for parts in found]


def sorted_order(keys: np.ndarray) -> np.ndarray:
    """The indices that sort whole numbers from 0, equal ones in the order they had: radix sort, 16 bits at a time.

    >>> sorted_order(np.array([1 << 40, 2, 0, 2]))
    array([2, 1, 3, 0])
    """
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, int(keys.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((keys[order] >> shift).astype(np.uint16), kind="stable")]
    return order


def _by_first_token(numbers: np.ndarray) -> Iterator[np.ndarray]:
    """Where n-grams begin, some first tokens' at a time: those that begin with different tokens are never equal."""
    order, ends = sorted_order(numbers), np.cumsum(np.bincount(numbers))
    wanted = np.arange(_AT_ONCE, len(numbers) + _AT_ONCE, _AT_ONCE).clip(max=len(numbers))
    cuts = np.unique(ends[np.searchsorted(ends, wanted)])
    return iter(np.split(order, cuts[:-1]))


def _runs(keys: np.ndarray) -> np.ndarray:
    """Numbers of sorted keys, from 0 without a gap."""
    return np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)


def _occurrences(ngrams: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """The number of each occurrence of sorted n-grams, equal ones in the order of their texts.

    That of a text's first is the n-gram's; its second and so on come after those of all n-grams.
    """
    places = np.arange(len(ngrams))
    is_first = (np.diff(ngrams, prepend=-1) != 0) | (np.diff(texts, prepend=-1) != 0)
    before = places - np.maximum.accumulate(np.where(is_first, places, 0))
    again = np.flatnonzero(before)
    keys = ngrams[again] * (int(before.max(initial=0)) + 1) + before[again]
    order = sorted_order(keys)
    occurrences = ngrams.copy()
    occurrences[again[order]] = ngrams.max(initial=-1) + 1 + _runs(keys[order])
    return occurrences
