"""The compiled twin of `bleu_counting`: statistics rows straight from Arrow's UTF-8 bytes.

The prediction's tokens get small numbers; a reference's token that the prediction doesn't have gets 0, for no n-gram
with it can match. N-grams of numbers are then counted, with bit sets where the prediction's positions fit one word, in
a trie where they don't. Tokens decide what is equal, byte by byte; hashes only find them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from . import bleu_counting as definition
from .bleu_arrow import Bytes, Int64, is_list, list_items, utf8
from .bleu_compiler import intrinsic, njit, types
from .bleu_tokenizers_compiled import ODD, UNSUPPORTED, byte_words, tables, tokenize
from .bleu_vocabulary import number_tokens

_SHORT = 64  # so many positions fit the bits of a word
_REFERENCE_LENGTHS = {"closest": 0, "shortest": 1, "longest": 2}


def count_rows(
    predictions: pa.Array,
    references: pa.Array,
    bounds: Int64,
    tokenizer: str,
    max_order: int,
    reference_length: str,
) -> Int64:
    """Statistics rows of a batch of segments: arguments and rows are those of `bleu_counting.count_rows`.

    The rows lie in memory statistic by statistic, as in Arrow.

    >>> count_rows(pa.array(["a b a"]), pa.array(["a b a"]), np.array([0, 1]), "none", 1, "closest")
    array([[3, 3, 3, 3]])
    """
    rows: Int64 = np.empty((2 * max_order + 2, len(bounds) - 1), np.int64).T
    if is_list(predictions.type):
        prediction_ids, reference_ids = _number_lists(predictions, references)
        _count(prediction_ids, reference_ids, bounds, "ids", reference_length, rows)
        return rows
    _count(utf8(predictions), utf8(references), bounds, tokenizer, reference_length, rows)
    for row in np.flatnonzero(rows[:, 0] == UNSUPPORTED):
        first, last = bounds[row : row + 2]
        texts = predictions.slice(row, 1), references.slice(first, last - first)
        bounds_of_row = np.array([0, last - first])
        rows[row] = definition.count_rows(*texts, bounds_of_row, tokenizer, max_order, reference_length)[0]
    return rows


def _number_lists(predictions: pa.Array, references: pa.Array) -> list[tuple[Bytes, Int64]]:
    """Token lists as bytes of int64, the same eight for equal tokens, and where each list begins and ends."""
    columns = [list_items(predictions), list_items(references)]
    tokens = [items for items, _ in columns]
    ids = pa.types.is_integer(tokens[0].type)
    numbers = np.concatenate([np.asarray(items) for items in tokens]) if ids else number_tokens(tokens)
    bytes_of_both = np.split(numbers.view(np.uint8), [8 * len(tokens[0])])
    return [(text, 8 * offsets) for text, (_, offsets) in zip(bytes_of_both, columns)]


def _count(
    predictions: tuple[Bytes, Int64],
    references: tuple[Bytes, Int64],
    bounds: Int64,
    tokenizer: str,
    reference_length: str,
    rows: Int64,
) -> None:
    """Fills the rows, from the bytes of all predictions and all references, and where each text begins and ends."""
    _count_rows(
        *byte_words(predictions[0]),
        predictions[1],
        *byte_words(references[0]),
        references[1],
        bounds,
        *tables(tokenizer),
        max(_longest(predictions[1]), _longest(references[1])),
        _longest(references[1][bounds]),
        _longest(bounds),
        _REFERENCE_LENGTHS[reference_length],
        rows.T,  # in C order, as a single row is in both: numba would compile a second time for the other
    )


def _longest(offsets: Int64) -> int:
    return int(np.diff(offsets).max(initial=0))


# Array by array, and no tuples of arrays: numba counts references to what it takes out of a tuple, and in a loop over
# tokens that was nine tenths of the time.
@njit(nogil=True, cache=True)
def _count_rows(
    text, words, offsets, other_text, other_words, other_offsets, bounds,
    classes, first_bytes, edge, strips_start, longest_text, longest_row, most_references, reference_length, columns,
):  # fmt: skip
    max_order = len(columns) // 2 - 1
    # A text has no more tokens than bytes. What a long text would need is only reserved: untouched pages cost nothing.
    events = np.empty(longest_text + 1, np.int64)
    numbers, reference_numbers = np.empty(longest_text, np.int64), np.empty(longest_row, np.int64)
    own = np.empty((longest_text, 3), np.int64)  # a prediction's tokens: key, start and length of each
    other = np.empty((longest_text, 3), np.int64)  # a reference's
    ends = np.empty(most_references, np.int64)
    slots = np.empty(8 * longest_text + 16, np.int64)
    positions, found = np.empty(_SHORT + 1, np.uint64), np.empty(max_order, np.uint64)
    matches = np.empty(max_order, np.int64)
    counts = np.zeros((3, max_order, _SHORT + 1), np.int64)
    for row in range(len(bounds) - 1):
        length = tokenize(
            text, words, offsets[row], offsets[row + 1], classes, first_bytes, edge, strips_start, events, own
        )
        bits = _number(own, length, words, slots, numbers)
        total, best, unsupported = 0, -1, length < 0
        for reference in range(bounds[row], bounds[row + 1]):
            size = tokenize(
                other_text, other_words, other_offsets[reference], other_offsets[reference + 1],
                classes, first_bytes, edge, strips_start, events, other,
            )  # fmt: skip
            unsupported |= size < 0
            for token in range(size):
                slot = _find(other, token, other_words, own, words, slots, bits)
                reference_numbers[total + token] = numbers[slots[slot]] if slots[slot] >= 0 else 0
            total += max(size, 0)
            ends[reference - bounds[row]] = total
            best = _effective_length(reference_length, length, size, best)
        if unsupported:
            columns[0, row] = UNSUPPORTED
            continue
        spans = ends[: bounds[row + 1] - bounds[row]]
        if length <= _SHORT:
            _count_short(numbers[:length], reference_numbers, spans, positions, found, counts, matches)
        else:
            _count_long(numbers[:length], reference_numbers, spans, matches)
        for order in range(max_order):
            columns[order, row] = matches[order]
            columns[max_order + order, row] = max(length - order, 0)
        columns[2 * max_order, row] = length
        columns[2 * max_order + 1, row] = best


@njit(nogil=True)
def _effective_length(reference_length, length, size, best):
    if best < 0:
        return size
    if reference_length == 0:
        nearer = abs(size - length) - abs(best - length)
        return size if nearer < 0 or (nearer == 0 and size < best) else best
    if reference_length == 1:
        return min(size, best)
    return length if size == length or best == length else max(size, best)


@njit(nogil=True)
def _number(tokens, count, words, slots, numbers):
    """Gives equal tokens equal numbers, from 1; returns the binary logarithm of the size that the table has."""
    bits = 2
    while 1 << bits < 4 * count:
        bits += 1
    slots[: 1 << bits] = -1
    highest = 0
    for token in range(count):
        slot = _find(tokens, token, words, tokens, words, slots, bits)
        if slots[slot] < 0:
            slots[slot] = token
            highest += 1
            numbers[token] = highest
        else:
            numbers[token] = numbers[slots[slot]]
    return bits


@njit(nogil=True)
def _find(tokens, token, words, own, own_words, slots, bits):
    """The slot that has the prediction's token equal to this one, or the empty one where it would be."""
    key, length = tokens[token, 0], tokens[token, 2]
    slot = _slot(key, bits)
    while True:
        candidate = slots[slot]
        if candidate < 0:
            break
        if own[candidate, 0] == key and own[candidate, 2] == length:
            if length <= 8 or _same(words, tokens[token, 1], own_words, own[candidate, 1], length):
                break
        slot = (slot + 1) & ((1 << bits) - 1)
    return slot


@njit(nogil=True)
def _slot(key, bits):
    return np.int64(np.uint64(key) * ODD >> np.uint64(64 - bits))


@njit(nogil=True)
def _same(words, start, other_words, other_start, length):
    for k in range(0, length - 8, 8):
        if words[start + k] != other_words[other_start + k]:
            return False
    return words[start + length - 8] == other_words[other_start + length - 8]


@njit(nogil=True, inline="always")
def _count_short(numbers, reference_numbers, ends, positions, found, counts, matches):
    """Clipped counts of a prediction whose positions fit a word: Shift-And (Baeza-Yates and Gonnet, 1992).

    In `found[n]`, bit i says that the n+1 tokens up to the current one are the n+1 tokens up to the prediction's i-th.
    The lowest bit is the same for equal n-grams, so it is their identity; without a bit it is 64, which nothing has.
    """
    length = len(numbers)
    in_prediction, in_references, in_reference = counts[0], counts[1], counts[2]
    for n in range(len(found)):
        in_prediction[n, :length] = 0
        in_references[n, :length] = 0
    positions[: length + 1] = 0
    for i in range(length):
        positions[numbers[i]] |= np.uint64(1) << np.uint64(i)
    found[:] = 0
    for i in range(length):
        _shift_and(found, positions[numbers[i]])
        for n in range(len(found)):
            in_prediction[n, _lowest_bit(found[n])] += 1
    in_prediction[:, _SHORT] = 0
    matches[:] = 0
    start = 0
    for end in ends:
        for n in range(len(found)):
            in_reference[n, :length] = 0
        found[:] = 0
        for i in range(start, end):
            _shift_and(found, positions[reference_numbers[i]])
            if not found[0]:
                continue
            for n in range(len(found)):
                ngram = _lowest_bit(found[n])
                count = in_reference[n, ngram] + 1
                in_reference[n, ngram] = count
                matches[n] += np.int64(in_references[n, ngram] < count) & np.int64(count <= in_prediction[n, ngram])
                in_references[n, ngram] = max(count, in_references[n, ngram])
        start = end


@njit(nogil=True)
def _shift_and(found, positions):
    for n in range(len(found) - 1, 0, -1):
        found[n] = found[n - 1] << np.uint64(1) & positions
    found[0] = positions


@intrinsic
def _lowest_bit(typing_context: Any, word: Any) -> Any:
    """The number of zeros below the lowest bit that is set, 64 if none is: one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


@njit(nogil=True)
def _count_long(numbers, reference_numbers, ends, matches):
    """Clipped counts of a prediction of any length, in linear time: n-grams are nodes of a trie.

    A node's key is its parent and the number of its last token, which is exact; the nodes of single tokens are the
    numbers themselves.
    """
    max_order = len(matches)
    capacity = len(numbers) * max_order + 1
    bits = 2
    while 1 << bits < 2 * capacity:
        bits += 1
    slots, keys = np.zeros(1 << bits, np.int64), np.zeros(capacity, np.uint64)
    counts = np.zeros((3, capacity), np.int64)
    in_prediction, in_references, in_reference = counts
    nodes = numbers.max() + 1
    for i in range(len(numbers)):
        node = numbers[i]
        in_prediction[node] += 1
        for token in numbers[i + 1 : i + max_order]:
            slot = _find_node(node, token, slots, keys, bits)
            if slots[slot] == 0:
                slots[slot], keys[nodes] = nodes, _node_key(node, token)
                nodes += 1
            node = slots[slot]
            in_prediction[node] += 1
    matches[:] = 0
    start = 0
    for end in ends:
        in_reference[:nodes] = 0
        for i in range(start, end):
            node = 0
            for n in range(min(max_order, end - i)):
                token = reference_numbers[i + n]
                node = token if n == 0 else slots[_find_node(node, token, slots, keys, bits)]
                if node == 0:
                    break
                in_reference[node] += 1
                if in_references[node] < in_reference[node]:
                    in_references[node] = in_reference[node]
                    matches[n] += in_reference[node] <= in_prediction[node]
        start = end


@njit(nogil=True)
def _find_node(parent, token, slots, keys, bits):
    key = _node_key(parent, token)
    slot = np.int64(key * ODD >> np.uint64(64 - bits))
    while slots[slot] and keys[slots[slot]] != key:
        slot = (slot + 1) & ((1 << bits) - 1)
    return slot


@njit(nogil=True)
def _node_key(parent, token):
    return np.uint64(parent) << np.uint64(32) | np.uint64(token)
