"""Texts to numbered tokens, and numbered tokens to numbered n-grams: equal ones have the same number.

The kernel cuts and counts a segment in one go and shows its tokens to nobody. This is for what has to see all tokens of
all texts at once.

A text has the first occurrence of an n-gram, perhaps a second, and so on. Each with a number of its own, they make a
text's n-grams a set, and what two sets have in common is the clipped count: of each n-gram the smaller of its counts.

An n-gram is the one that is a token shorter, and its last token: two numbers in one integer. Sorting brings equal ones
together, in time that grows with their number; there is no hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from . import bleu_tokenizers as definition
from . import bleu_tokenizers_compiled as compiled
from .bleu_arrow import Int64, is_list, list_items, pieces
from .bleu_corpus import Texts
from .bleu_tokenizer_choice import Tokenizer, prepare_texts
from .bleu_twins import Twins

_AT_ONCE = 1 << 15  # n-grams that are sorted together: few enough for a processor's cache

split_texts = Twins(
    definition.split_texts,
    compiled.split_texts,
    kernel=compiled._split_texts,
    example=(pa.array(["a b"]), "13a"),
    seconds_to_compile=0.5,
    seconds_a_megabyte=0.15,
)


def number_texts(texts: Texts, tokenizer: Tokenizer) -> tuple[Int64, Int64]:
    """The tokens of all texts as numbers: one column's texts after the other's.

    Args:
        texts: what `bleu_inputs.read_texts` returns.
        tokenizer: what `bleu_tokenizer_choice.choose_tokenizer` returns.

    Returns:
        The number of each token, from 0 without a gap, equal for equal tokens; and int64 [texts + 1]: where among them
        each text begins and the last ends.

    >>> texts = Texts({"texts": pa.chunked_array([["b a", "", "b"]])}, "text")
    >>> number_texts(texts, Tokenizer("13a", lowercase=False))
    (array([0, 1, 0]), array([0, 2, 2, 3]))
    """
    tokens, offsets = encode_texts(texts, tokenizer)
    return np.asarray(tokens.indices).astype(np.int64), offsets


def encode_texts(texts: Texts, tokenizer: Tokenizer) -> tuple[pa.DictionaryArray, Int64]:
    """As `number_texts`, with the numbers as the indices of an array whose dictionary has the tokens.

    >>> texts = Texts({"texts": pa.chunked_array([["b a", "", "b"]])}, "text")
    >>> encode_texts(texts, Tokenizer("13a", lowercase=False))[0].dictionary.to_pylist()
    ['b', 'a']
    """
    lists = [piece for name, column in texts.columns.items() for piece in _split_column(column, name, tokenizer)]
    tokens, offsets = zip(*map(list_items, lists))
    lengths = np.concatenate([np.diff(ends) for ends in offsets])
    return _encode_tokens(tokens), np.concatenate([[0], np.cumsum(lengths)])


def number_ngrams(numbers: Int64, offsets: Int64, max_order: int) -> list[tuple[Int64, Int64]]:
    """The n-grams of all texts, order by order.

    Args:
        numbers: the tokens of all texts, numbered from 0 without a gap.
        offsets: int64 [texts + 1]: where among them each text begins and the last ends.
        max_order: N, the longest n-gram, 1 or more.

    Returns:
        For each order, two int64 arrays with an item for each n-gram: the text that it is in, and its number, from 0
        without a gap. The k-th occurrence of an n-gram in one text has the number of its k-th in another.

    In "a b a" and "a", the first "a" is the same, and the second is another one:

    >>> number_ngrams(np.array([0, 1, 0, 0]), np.array([0, 3, 4]), max_order=1)
    [(array([0, 0, 1, 0]), array([0, 2, 0, 1]))]
    """
    parts = [[(np.empty(0, np.int64), np.empty(0, np.int64))] for _ in range(max_order)]
    numbered = [0] * max_order
    text_of, vocabulary = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), int(numbers.max(initial=0)) + 1
    for starts in _group_by_first_token(numbers):
        texts, ngrams = text_of[starts], np.zeros(len(starts), np.int64)
        for n in range(max_order):
            whole = np.flatnonzero(starts + n < offsets[texts + 1])
            keys = ngrams[whole] * vocabulary + numbers[starts[whole] + n]
            order = sorted_order(keys)
            starts, texts, ngrams = starts[whole[order]], texts[whole[order]], number_runs(keys[order])
            occurrences = _number_occurrences(ngrams, texts)
            parts[n].append((texts, numbered[n] + occurrences))
            numbered[n] += int(occurrences.max(initial=-1)) + 1
    return [(np.concatenate(texts), np.concatenate(ngrams)) for texts, ngrams in (zip(*part) for part in parts)]


def sorted_order(keys: Int64) -> Int64:
    """The indices that sort whole numbers from 0, equal ones in the order they had: radix sort, 16 bits at a time.

    >>> sorted_order(np.array([1 << 40, 2, 0, 2]))
    array([2, 1, 3, 0])
    """
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, int(keys.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((keys[order] >> shift).astype(np.uint16), kind="stable")]
    return order


def number_runs(keys: Int64) -> Int64:
    """Numbers of sorted keys, from 0 without a gap.

    >>> number_runs(np.array([3, 3, 7]))
    array([0, 0, 1])
    """
    return np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)


def _encode_tokens(tokens: Sequence[pa.Array]) -> pa.DictionaryArray:
    if not pa.types.is_integer(tokens[0].type):
        tokens = [part.cast(pa.large_string()) for part in tokens]
    return pa.concat_arrays(tokens).dictionary_encode()


def _split_column(column: pa.ChunkedArray, name: str, tokenizer: Tokenizer) -> Iterator[pa.Array]:
    row = 0
    for piece in pieces(column):
        texts = prepare_texts(piece, tokenizer, name, range(row, row + len(piece)).__getitem__)
        yield texts if is_list(texts.type) else split_texts(texts, tokenizer.name)
        row += len(piece)


def _group_by_first_token(numbers: Int64) -> Iterator[Int64]:
    """Where n-grams begin, some first tokens' at a time: those that begin with different tokens are never equal."""
    order, ends = sorted_order(numbers), np.cumsum(np.bincount(numbers))
    wanted = np.arange(_AT_ONCE, len(numbers) + _AT_ONCE, _AT_ONCE).clip(max=len(numbers))
    cuts = np.unique(ends[np.searchsorted(ends, wanted)])
    return iter(np.split(order, cuts[:-1]))


def _number_occurrences(ngrams: Int64, texts: Int64) -> Int64:
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
    occurrences[again[order]] = ngrams.max(initial=-1) + 1 + number_runs(keys[order])
    return occurrences
