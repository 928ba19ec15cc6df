"""The compiled twin of `bleu_counting`: statistics rows straight from Arrow's UTF-8 bytes.

The prediction's tokens get small numbers; a reference's token that the prediction doesn't have gets 0, for no n-gram
with it can match. N-grams of numbers are then counted, with bit sets where the prediction's positions fit one word,
in a trie where they don't. Tokens decide what is equal, byte by byte; hashes only find them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from .bleu_arrow import Int64, find_offsets, is_list, list_items
from .bleu_compiler import load_word, lowest_bit, njit
from .bleu_tokenizers_compiled import FACTOR, make_automaton, make_key, tokenize

_SHORT = 64  # so many positions fit the bits of a word
_NO_TOKENS: Int64 = np.empty(0, np.int64)
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
        texts, tokens = _find_tokens([predictions, references])
        tokenizer = "none"  # which nobody asks
    else:
        texts, tokens = [_find_strings(column) for column in (predictions, references)], _NO_TOKENS
    _, table, edge, strips_start = make_automaton(tokenizer)
    _count_rows(
        *texts,
        bounds,
        tokens,
        table,
        edge,
        strips_start,
        FACTOR,
        _REFERENCE_LENGTHS[reference_length],
        rows.T,  # in C order, as a single row is in both: numba would compile a second time for the other
    )
    return rows


def _find_strings(strings: pa.Array) -> Int64:
    """The address of each string, and where the last one ends. They are good as long as the array lives."""
    text = strings.buffers()[2]
    return find_offsets(strings) + (text.address if text else 0)


def _find_tokens(columns: Sequence[pa.Array]) -> tuple[list[Int64], Int64]:
    """Where among all tokens each list begins and the last of its column ends, and the address of each token.

    An id is a token of eight bytes.
    """
    lists, tokens, first = [], [], 0
    for items, offsets in map(list_items, columns):
        addresses = _find_ids(items) if pa.types.is_integer(items.type) else _find_strings(items)
        lists.append(first + offsets)
        tokens.append(addresses)
        first += len(addresses)
    return lists, np.concatenate(tokens)


def _find_ids(ids: pa.Array) -> Int64:
    address = ids.buffers()[1].address if len(ids) else 0
    return address + 8 * np.arange(ids.offset, ids.offset + len(ids) + 1)


# Compiling is what people wait for: one signature a function (a literal 0 would be a type of its own), and few ways to
# make an array.
@njit(nogil=True, cache=True)
def _count_rows(
    predictions, references, bounds, token_addresses, table, edge, strips_start, factor,
    reference_length, columns,
):  # fmt: skip
    max_order = len(columns) // 2 - 1
    longest_prediction, longest_reference = _longest(predictions), _longest(references)
    longest_text, longest_row = max(longest_prediction, longest_reference), 0
    for row in range(len(bounds) - 1):
        longest_row = max(longest_row, references[bounds[row + 1]] - references[bounds[row]])
    # A text has no more tokens than bytes. What a long text would need is only reserved: untouched pages cost nothing.
    events = np.empty(longest_text + 1, np.int64)
    tokens = np.empty((2 * longest_text, 3), np.int64)  # the prediction's and a reference's: key, address, length
    numbers, reference_numbers = np.empty(longest_text, np.int64), np.empty(longest_row, np.int64)
    slots, ends = np.empty(8 * longest_text + 16, np.int64), np.empty(_longest(bounds), np.int64)
    copies = np.empty((longest_prediction + longest_reference) // 8 + 1, np.int64)  # of texts without their markup
    positions, found = np.empty(_SHORT + 1, np.int64), np.empty(max_order, np.int64)
    counts, matches = np.empty((3 * max_order, _SHORT + 1), np.int64), np.empty(max_order, np.int64)
    for n in range(len(counts)):
        for i in range(_SHORT + 1):
            counts[n, i] = 0
    for row in range(len(bounds) - 1):
        first, last = bounds[row], bounds[row + 1]
        length, bits, total, best = np.int64(0), np.int64(0), 0, np.int64(-1)
        for text in range(first - 1, last):
            copy = np.int64(copies.ctypes.data)  # here, so that numba keeps the array
            if text < first:
                start, end = predictions[row], predictions[row + 1]
            else:
                start, end, copy = references[text], references[text + 1], copy + longest_prediction
            if len(token_addresses):
                count = _take_tokens(start, end, token_addresses, factor, tokens, length)
            else:
                count = tokenize(
                    start, end, table, edge, strips_start, factor, events, copy, tokens, length
                )  # fmt: skip
            if text < first:
                length = count
                bits = _number(tokens, length, slots, numbers, factor)
                continue
            for token in range(length, count):
                slot = _find(tokens, token, slots, bits, factor)
                reference_numbers[total] = numbers[slots[slot]] if slots[slot] >= 0 else 0
                total += 1
            ends[text - first] = total
            best = _effective_length(reference_length, length, count - length, best)
        if length <= _SHORT:
            _count_short(numbers, length, reference_numbers, ends, bounds, row, positions, found, counts, matches)
        else:
            _count_long(numbers, length, reference_numbers, ends, bounds, row, factor, matches)
        for order in range(max_order):
            columns[order, row] = matches[order]
            columns[max_order + order, row] = max(length - order, 0)
        columns[2 * max_order, row] = length
        columns[2 * max_order + 1, row] = best


@njit(nogil=True)
def _longest(ends):
    longest = 0
    for i in range(len(ends) - 1):
        longest = max(longest, ends[i + 1] - ends[i])
    return longest


@njit(nogil=True)
def _take_tokens(first, last, addresses, factor, tokens, count):
    """As `tokenize`, of a list of tokens."""
    for token in range(first, last):
        start, length = addresses[token], addresses[token + 1] - addresses[token]
        tokens[count, 0], tokens[count, 1], tokens[count, 2] = make_key(start, length, factor), start, length
        count += 1
    return count


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
def _number(tokens, count, slots, numbers, factor):
    """Gives equal tokens equal numbers, from 1; returns the binary logarithm of the size that the table has."""
    bits = _table_bits(4 * count)
    for slot in range(1 << bits):
        slots[slot] = -1
    highest = 0
    for token in range(count):
        slot = _find(tokens, token, slots, bits, factor)
        if slots[slot] < 0:
            slots[slot] = token
            highest += 1
            numbers[token] = highest
        else:
            numbers[token] = numbers[slots[slot]]
    return bits


@njit(nogil=True)
def _table_bits(size):
    bits = np.int64(2)
    while 1 << bits < size:
        bits += 1
    return bits


@njit(nogil=True)
def _find(tokens, token, slots, bits, factor):
    """The slot that has the prediction's token equal to this one, or the empty one where it would be."""
    key, length = tokens[token, 0], tokens[token, 2]
    slot = _first_slot(key, bits, factor)
    while True:
        candidate = slots[slot]
        if candidate < 0:
            break
        if tokens[candidate, 0] == key and tokens[candidate, 2] == length:
            if length <= 8 or _same(tokens[token, 1], tokens[candidate, 1], length):
                break
        slot = (slot + 1) & ((1 << bits) - 1)
    return slot


@njit(nogil=True)
def _first_slot(key, bits, factor):
    # Fibonacci hashing: multiply, keep the top bits (Knuth, vol. 3, section 6.4).
    return np.int64(np.uint64(key) * np.uint64(factor) >> np.uint64(64 - bits))


@njit(nogil=True)
def _same(start, other_start, length):
    for k in range(0, length - 8, 8):
        if load_word(start + k) != load_word(other_start + k):
            return False
    return load_word(start + length - 8) == load_word(other_start + length - 8)


@njit(nogil=True)
def _count_short(numbers, length, reference_numbers, ends, bounds, row, positions, found, counts, matches):
    """Clipped counts of a prediction whose positions fit a word: Shift-And (Baeza-Yates and Gonnet, 1992).

    In `found[n]`, bit i says that the n+1 tokens up to the current one are the n+1 tokens up to the prediction's i-th.
    The lowest bit is the same for equal n-grams, so it is their identity; without a bit it is 64, which nothing has.
    """
    orders = len(found)
    for n in range(orders):
        matches[n] = found[n] = 0
        for i in range(length):
            counts[n, i] = counts[orders + n, i] = 0  # in the prediction, and in the reference that has the most of it
    for i in range(length + 1):
        positions[i] = 0
    for i in range(length):
        positions[numbers[i]] |= 1 << i
    for i in range(length):
        _shift_and(found, positions[numbers[i]])
        for n in range(orders):
            counts[n, lowest_bit(found[n])] += 1
    for n in range(orders):
        counts[n, _SHORT] = 0
    start = 0
    for reference in range(bounds[row], bounds[row + 1]):
        for n in range(orders):
            found[n] = 0
            for i in range(length):
                counts[2 * orders + n, i] = 0
        for i in range(start, ends[reference - bounds[row]]):
            _shift_and(found, positions[reference_numbers[i]])
            if not found[0]:
                continue
            for n in range(orders):
                ngram = lowest_bit(found[n])
                count = counts[2 * orders + n, ngram] + 1
                counts[2 * orders + n, ngram] = count
                most = counts[orders + n, ngram]
                matches[n] += np.int64(most < count) & np.int64(count <= counts[n, ngram])
                counts[orders + n, ngram] = max(count, most)
        start = ends[reference - bounds[row]]


@njit(nogil=True)
def _shift_and(found, positions):
    for n in range(len(found) - 1, 0, -1):
        found[n] = found[n - 1] << 1 & positions
    found[0] = positions


@njit(nogil=True)
def _count_long(numbers, length, reference_numbers, ends, bounds, row, factor, matches):
    """Clipped counts of a prediction of any length, in linear time: n-grams are nodes of a trie.

    A node's key is its parent and the number of its last token, which is exact; the nodes of single tokens are the
    numbers themselves. What the prediction doesn't have is node 0.
    """
    max_order = len(matches)
    bits, nodes = _table_bits(2 * length * (max_order - 1)), np.int64(0)
    slots = np.empty(2 << bits, np.int64)  # pairs of key and node
    for slot in range(2 << bits):
        slots[slot] = 0
    counts = np.empty((length * max_order + 1, 3), np.int64)
    for node in range(length * max_order + 1):
        counts[node, 0] = counts[node, 1] = counts[node, 2] = 0
    for i in range(length):
        nodes = max(nodes, numbers[i])
    for i in range(length):
        node = numbers[i]
        counts[node, 0] += 1
        for n in range(1, min(max_order, length - i)):
            slot = _find_node(node, numbers[i + n], slots, bits, factor)
            if slots[slot] == 0:
                nodes += 1
                slots[slot], slots[slot + 1] = node << 32 | numbers[i + n], nodes
            node = slots[slot + 1]
            counts[node, 0] += 1
    start = 0
    for n in range(max_order):
        matches[n] = 0
    for reference in range(bounds[row + 1] - bounds[row]):
        none_yet = (reference + 1) << 32  # above all counts in references before: nothing has to be cleared
        for i in range(start, ends[reference]):
            node = reference_numbers[i]
            for n in range(min(max_order, ends[reference] - i)):
                if n:
                    node = slots[_find_node(node, reference_numbers[i + n], slots, bits, factor) + 1]
                if node == 0:
                    break
                count = max(counts[node, 2], none_yet) + 1
                counts[node, 2] = count
                if counts[node, 1] < count - none_yet:
                    counts[node, 1] = count - none_yet
                    matches[n] += count - none_yet <= counts[node, 0]
        start = ends[reference]


@njit(nogil=True)
def _find_node(parent, token, slots, bits, factor):
    """The place in `slots` of a node's key, or the empty one where it would be. The node comes after it."""
    key = parent << 32 | token
    slot = _first_slot(key, bits, factor)
    while slots[2 * slot] and slots[2 * slot] != key:
        slot = (slot + 1) & ((1 << bits) - 1)
    return 2 * slot
