"""Texts to tokens, whoever cuts them: a native tokenizer, compiled or readable, someone else's, or the user beforehand.

`bleu_kernel` cuts and counts a segment in one go and shows its tokens to nobody. This is for texts that it can't cut,
and for what has to see all tokens of all texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_arrow import is_list, slices, unlisted, utf8
from .bleu_automaton import LEFT, lower_case, njit, tables, tokenize
from .bleu_kernel import COMPILED, byte_words
from .bleu_options import Options
from .bleu_tokenizers import NATIVE, Tokenizer, borrowed_tokenizer


def numbered_tokens(columns: Mapping[str, pa.ChunkedArray], options: Options) -> tuple[np.ndarray, np.ndarray]:
    """The tokens of all texts as numbers: one column's texts after the other's.

    Args:
        columns: what `bleu_inputs.text_columns` returns.
        options: `tokenize` and `lowercase` are looked at.

    Returns:
        The number of each token, from 0 without a gap, equal for equal tokens; and int64 [texts + 1], where among them
        each text begins and the last ends.

    >>> numbered_tokens({"texts": pa.chunked_array([["b a", "", "b"]])}, Options())
    (array([0, 1, 0]), array([0, 2, 2, 3]))
    """
    given = all(is_list(column.type) for column in columns.values())
    lists = [piece for name, column in columns.items() for piece in _token_lists(column, name, options)]
    tokens, offsets = zip(*map(unlisted, lists))
    lengths = np.concatenate([np.diff(ends) for ends in offsets])
    return token_numbers(tokens, options.lowercase and given), np.concatenate([[0], np.cumsum(lengths)])


def token_numbers(tokens: Sequence[pa.Array], lowercase: bool) -> np.ndarray:
    """Numbers from 0 without a gap, equal for equal tokens.

    Args:
        tokens: strings or integers, in several parts.
        lowercase: whether strings are equal where `str.lower` makes them so.

    >>> token_numbers([pa.array(["a", "b"]), pa.array(["A"])], lowercase=True)
    array([0, 1, 0])
    """
    if pa.types.is_integer(tokens[0].type):
        return np.asarray(pa.concat_arrays(tokens).dictionary_encode().indices).astype(np.int64)
    encoded = pa.concat_arrays([part.cast(pa.large_string()) for part in tokens]).dictionary_encode()
    numbers = np.asarray(encoded.indices).astype(np.int64)
    if lowercase:
        lowered = pa.array([token.lower() for token in encoded.dictionary.to_pylist()], pa.string())
        numbers = token_numbers([lowered], lowercase=False)[numbers]
    return numbers


def other_tokenizer(options: Options) -> Tokenizer | None:
    """The tokenizer, if it is someone else's."""
    if callable(options.tokenize):
        return options.tokenize
    return None if options.tokenize in NATIVE else borrowed_tokenizer(options.tokenize)[0]


def cut_by(
    cut: Tokenizer, texts: pa.Array, name: str, lowercase: bool, first_row: int, rows: Sequence[int]
) -> pa.Array:
    """Each text's tokens by someone else's tokenizer, whose mistakes are told with the row."""
    lists = []
    for text, row in zip(texts.to_pylist(), rows):
        try:
            tokens = cut(text.lower() if lowercase else text)
        except Exception as error:
            raise ValueError(
                f"{name}, row {first_row + row}: the tokenizer failed: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
            raise TypeError(
                f"{name}, row {first_row + row}: the tokenizer must return a list of str, not {type(tokens).__name__}."
            )
        lists.append(tokens)
    return pa.array(lists, pa.list_(pa.string()))


def cut_readably(array: pa.Array, options: Options) -> list[list[Any]]:
    """Each text's tokens by the definition of a native tokenizer, or those that were given."""
    if not is_list(array.type):
        cut = NATIVE[options.tokenize]
        return [cut(text.lower() if options.lowercase else text) for text in array.to_pylist()]
    if options.lowercase and not pa.types.is_integer(array.type.value_type):
        return [[token.lower() for token in tokens] for tokens in array.to_pylist()]
    return array.to_pylist()


def _token_lists(column: pa.ChunkedArray, name: str, options: Options) -> Iterator[pa.Array]:
    cut, row = None if is_list(column.type) else other_tokenizer(options), 0
    for piece in slices(column):
        if is_list(column.type):
            yield piece
        elif cut:
            yield cut_by(cut, piece, name, options.lowercase, row, range(len(piece)))
        elif COMPILED:
            yield _cut_compiled(piece, options)
        else:
            yield pa.array(cut_readably(piece, options), pa.list_(pa.string()))
        row += len(piece)


def _cut_compiled(texts: pa.Array, options: Options) -> pa.Array:
    text, offsets = lower_case(*utf8(texts)) if options.lowercase else utf8(texts)
    token_text, token_ends = np.empty(len(text), np.uint8), np.zeros(len(text) + 1, np.int64)
    bounds = np.zeros(len(offsets), np.int64)
    left = _cut(*byte_words(text), offsets, *tables(options.tokenize), token_text, token_ends, bounds)
    buffers = pa.py_buffer(token_ends), pa.py_buffer(token_text)
    lists = pa.LargeListArray.from_arrays(bounds, pa.LargeStringArray.from_buffers(bounds[-1], *buffers))
    if not left:
        return lists
    cut = pa.array(cut_readably(texts.take(pa.array(left)), options), lists.type)
    order = np.arange(len(texts))
    order[left] = len(texts) + np.arange(len(left))
    return pa.concat_arrays([lists, cut]).take(pa.array(order))


@njit(nogil=True, cache=True)
def _cut(text, words, offsets, classes, first_bytes, edge, strips_start, token_text, token_ends, bounds):
    """Writes the bytes of all tokens, where each ends, and how many there are up to each text's end.

    Returns the indices of texts that are left to the readable definition.
    """
    left = [0][:0]
    longest = np.diff(offsets).max()
    events, tokens = np.empty(longest + 1, np.int64), np.empty((longest, 3), np.int64)
    size, known = 0, 0
    for index in range(len(offsets) - 1):
        count = tokenize(
            text, words, offsets[index], offsets[index + 1], classes, first_bytes, edge, strips_start, events, tokens
        )
        if count == LEFT:
            left.append(index)
        for token in range(max(count, 0)):
            key, start, length = tokens[token, 0], tokens[token, 1], tokens[token, 2]
            for k in range(length):  # what stands for an entity is in the key only
                token_text[size + k] = key if length == 1 else text[start + k]
            size += length
            known += 1
            token_ends[known] = size
        bounds[index + 1] = known
    return left
