"""Tokens and n-grams as numbers, which `pairwise` and `diff` share.

The counting kernel does not keep tokens. Here the tokens and n-grams of all texts are numbered. The
k-th occurrence of an n-gram in a text gets a separate number, which turns the multiset of a text's
n-grams into a set. The clipped count of two texts is then the size of the intersection of their
sets. Both methods count with these numbers, and score in their own files.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..rules.chosen_tokenizer import ChosenTokenizer, list_tokens, prepare_texts
from ..shared.arrays import TOKENS, Bool, Int64, is_list, list_items, slices
from ..text.corpus import Texts
from .compiling import compile_if_worthwhile, is_ready
from .kernels import split_texts_compiled

_NGRAMS_PER_SORT = 1 << 15  # fit the CPU cache


class NumberedTexts(NamedTuple):
    """The tokens of texts as numbers, which are equal for equal tokens.

    numbers: int64 [tokens], consecutive from 0.
    offsets: int64 [texts + 1], the offsets of each text's tokens.
    tokens: the token of each number.
    """

    numbers: Int64
    offsets: Int64
    tokens: pa.Array

    def lengths(self) -> Int64:
        """Return the number of tokens of each text: int64 [texts]."""
        return np.diff(self.offsets)

    def text_of(self) -> Int64:
        """Return the text of each token: int64 [tokens]."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths())

    def ngrams(self, max_order: int) -> list[NumberedNGrams]:
        """Assign a number to each n-gram of all texts, order by order.

        Numbers are consecutive from 0. The k-th occurrence of an n-gram in one text has the number
        of its k-th occurrence in another.

        In "a b a" and "a", the first "a" of each text has number 0, and the second "a" has number
        2:

        >>> tokens = pa.array(["a", "b"])
        >>> texts = NumberedTexts(np.array([0, 1, 0, 0]), np.array([0, 3, 4]), tokens)
        >>> texts.ngrams(max_order=1)
        [NumberedNGrams(texts=array([0, 0, 1, 0]), numbers=array([0, 2, 0, 1]))]
        """
        text_of = self.text_of()
        # 1. Sort the tokens, and split them into groups that fit the cache. N-grams that begin in
        #    different groups are never equal, because equal tokens are in one group.
        size = len(self.numbers)
        run_ends = np.cumsum(np.bincount(self.numbers))  # of the runs of equal tokens
        wanted_ends = np.arange(_NGRAMS_PER_SORT, size + _NGRAMS_PER_SORT, _NGRAMS_PER_SORT)
        nearest_runs = np.searchsorted(run_ends, wanted_ends.clip(max=size))
        group_ends = np.unique(run_ends[nearest_runs])
        # 2. Number the n-grams of each group, above those of the groups before.
        groups: list[list[NumberedNGrams]] = [[] for _ in range(max_order)]  # by order
        next_number = [0] * max_order
        for starts in np.split(sorted_order(self.numbers), group_ends[:-1]):
            occurrences = Occurrences(starts, np.zeros(len(starts), np.int64))
            for n in range(max_order):
                text_ends = self.offsets[text_of[occurrences.starts] + 1]
                occurrences = self.extend(occurrences, n, text_ends)
                texts = text_of[occurrences.starts]
                numbers = _number_occurrences(occurrences.numbers, texts)
                groups[n].append(NumberedNGrams(texts, next_number[n] + numbers))
                next_number[n] += int(numbers.max(initial=-1)) + 1
        # 3. Join the groups of each order.
        return [
            NumberedNGrams(
                np.concatenate([group.texts for group in groups_of_order]),
                np.concatenate([group.numbers for group in groups_of_order]),
            )
            for groups_of_order in groups
        ]

    def extend(self, occurrences: Occurrences, length: int, text_ends: Int64) -> Occurrences:
        """Extend n-grams of `length` tokens by the next token, and sort them by their new number.

        N-grams at the end of their text are left out; `text_ends` has, for each occurrence, the end
        of its text in `numbers`.

        The key of an n-gram packs two numbers into one integer: that of its first `length` tokens,
        and that of its last token. Sorting the keys groups equal n-grams, without hashing.

        Of "a b a", the n-grams "a", "b", "a" become "a b" and "b a":

        >>> texts = NumberedTexts(np.array([0, 1, 0]), np.array([0, 3]), pa.array(["a", "b"]))
        >>> unigrams = Occurrences(starts=np.array([0, 1, 2]), numbers=np.array([0, 1, 0]))
        >>> texts.extend(unigrams, length=1, text_ends=np.array([3, 3, 3]))
        Occurrences(starts=array([0, 1]), numbers=array([0, 1]))
        """
        has_next = np.flatnonzero(occurrences.starts + length < text_ends)
        starts = occurrences.starts[has_next]
        keys = occurrences.numbers[has_next] * len(self.tokens) + self.numbers[starts + length]
        order = sorted_order(keys)
        return Occurrences(starts[order], number_runs(keys[order]))


class NumberedNGrams(NamedTuple):
    """The n-grams of one order: the text and the number of each, as two int64 arrays."""

    texts: Int64
    numbers: Int64


class Occurrences(NamedTuple):
    """Occurrences of n-grams of one order in `NumberedTexts`.

    starts: int64, the index of the first token of each occurrence.
    numbers: int64, the number of its n-gram.
    """

    starts: Int64
    numbers: Int64

    def take(self, index: Bool) -> Occurrences:
        """Return the occurrences whose item in `index` is True."""
        return Occurrences(self.starts[index], self.numbers[index])


def number_texts(texts: Texts, tokenizer: ChosenTokenizer) -> NumberedTexts:
    """Assign a number to each token of all texts, column by column.

    >>> texts = read_texts(texts=["b a", "", "b"])
    >>> from bleu.bleu_core.rules.chosen_tokenizer import choose_tokenizer
    >>> numbered = number_texts(texts, choose_tokenizer(Options(), texts.kind))
    >>> numbered.numbers, numbered.offsets, numbered.tokens.to_pylist()
    (array([0, 1, 0]), array([0, 2, 2, 3]), ['b', 'a'])
    """
    compile_if_worthwhile(sum(column.nbytes for column in texts.columns.values()))
    tokens = []
    lengths = []
    for name, column in texts.columns.items():
        row = 0
        for piece in slices(column):
            row_of = range(row, row + len(piece)).__getitem__
            prepared = prepare_texts(piece, tokenizer, name, row_of)
            if is_list(prepared.type):
                split_texts = prepared
            elif is_ready():
                split_texts = split_texts_compiled(prepared, tokenizer.name)
            else:
                split_texts = pa.array(list_tokens(prepared, tokenizer), TOKENS)
            items, bounds = list_items(split_texts)
            tokens.append(items)
            lengths.append(np.diff(bounds))
            row += len(piece)
    encoded = pa.concat_arrays(tokens).dictionary_encode()
    return NumberedTexts(
        numbers=np.asarray(encoded.indices).astype(np.int64),
        offsets=np.cumsum(np.concatenate([[0], *lengths])),
        tokens=encoded.dictionary,
    )


def sorted_order(keys: Int64) -> Int64:
    """Return the indices that stably sort non-negative integers.

    This is a radix sort of 16 bits at a time, because NumPy's stable sort of 16-bit integers is
    one, and its sort of 64-bit integers is not.

    >>> sorted_order(np.array([1 << 40, 2, 0, 2]))
    array([2, 1, 3, 0])
    """
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, int(keys.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((keys[order] >> shift).astype(np.uint16), kind="stable")]
    return order


def number_runs(keys: Int64) -> Int64:
    """Replace sorted keys with consecutive numbers from 0.

    >>> number_runs(np.array([3, 3, 7]))
    array([0, 0, 1])
    """
    return np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)


def first_in_text(ngrams: Int64, texts: Int64) -> Bool:
    """Return True for the first occurrence of each n-gram in each text.

    Occurrences are sorted by n-gram, then by text.

    >>> first_in_text(np.array([0, 0, 0, 1]), np.array([2, 2, 5, 5]))
    array([ True, False,  True,  True])
    """
    return (np.diff(ngrams, prepend=-1) != 0) | (np.diff(texts, prepend=-1) != 0)


def _number_occurrences(ngrams: Int64, texts: Int64) -> Int64:
    """Assign a number to each occurrence of n-grams, which are sorted by n-gram, then by text.

    The first occurrence in a text keeps the number of the n-gram; further occurrences get numbers
    above all n-grams.

    >>> _number_occurrences(np.array([0, 0, 0, 1]), np.array([2, 2, 5, 5]))
    array([0, 2, 0, 1])
    """
    # before: how often the n-gram occurred earlier in this text, 0 for its first occurrence.
    indices = np.arange(len(ngrams))
    index_of_first = np.maximum.accumulate(np.where(first_in_text(ngrams, texts), indices, 0))
    before = indices - index_of_first
    # Equal n-grams with equal `before` are the same occurrence in different texts.
    repeated = np.flatnonzero(before)
    keys = ngrams[repeated] * (int(before.max(initial=0)) + 1) + before[repeated]
    order = sorted_order(keys)
    numbers = ngrams.copy()
    numbers[repeated[order]] = ngrams.max(initial=-1) + 1 + number_runs(keys[order])
    return numbers
