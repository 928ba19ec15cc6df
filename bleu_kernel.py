"""The compiled twin of `bleu_tokenizers` and `bleu_counting`: statistics rows straight from Arrow's UTF-8 bytes.

Three steps a segment, each exact. One automaton, shared by all tokenizers, cuts the bytes into tokens: a table gives
each character a class, and the classes say what stands alone. The prediction's tokens get small numbers; a reference's
token that the prediction doesn't have gets 0, for no n-gram with it can match. N-grams of numbers are then counted,
with bit sets where the prediction's positions fit one word, in a trie where they don't.

A row that the automaton doesn't want is marked `LEFT`, and the caller asks the readable definition: that is what 13a
takes out of the middle of a word (`<skipped>`, a hyphen at a line break). It is rare, and code for it would cost more
than it saves.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

try:
    from numba import njit, types
    from numba.extending import intrinsic
except ImportError:  # then nothing here is called; but evaluate only copies this file if it is imported all the same
    COMPILED, intrinsic = False, None

    def njit(**options: Any) -> Any:
        return lambda function: function
else:
    COMPILED = True

from .bleu_tokenizers import CHINESE, WESTERN_SYMBOLS
from .bleu_unicode import NUMBERS, PUNCTUATION, SYMBOLS

LEFT = -1  # in matches_1: the readable definition has to fill this row

# Classes of characters. For the first three that is all there is to say; the others depend on what stands beside them.
_LETTER, _SPACE, _ALONE, _NUMBER, _HYPHEN, _SEPARATOR, _MARKUP = range(7)
_EDGE = 7  # what stands before the first and after the last character, unless the tokenizer puts a space there
_LOOK_UP = 8  # of a first byte: the class depends on the bytes after it
_STARTS = 9  # of an occurrence: a token ends before it, and it starts the next

_SHORT = 64  # so many positions fit the bits of a word
_ODD = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: multiply, keep the top bits (Knuth, vol. 3, section 6.4)
_CAPITAL_SIGMA, _CAPITAL_DOTTED_I = 0x3A3, 0x130

_SKIPPED = np.frombuffer(b"<skipped>", np.uint8)
# In this order: `&amp;lt;` is undone twice, since `&lt;` comes after `&amp;` in mteval; `&amp;quot;` isn't.
_ENTITIES = (
    (b"&quot;", b'"'),
    (b"&amp;lt;", b"<"),
    (b"&amp;gt;", b">"),
    (b"&amp;", b"&"),
    (b"&lt;", b"<"),
    (b"&gt;", b">"),
)
_ENTITY_BYTES = np.array([list(entity.ljust(8, b"\0")) for entity, _ in _ENTITIES], np.uint8)
_ENTITY_LENGTHS = np.array([len(entity) for entity, _ in _ENTITIES], np.int64)
_ENTITY_MEANS = np.array([ord(character) for _, character in _ENTITIES], np.uint64)

_REFERENCE_LENGTHS = {"closest": 0, "shortest": 1, "longest": 2}


def count_rows(
    predictions: tuple[np.ndarray, np.ndarray],
    references: tuple[np.ndarray, np.ndarray],
    bounds: np.ndarray,
    tokenize: str,
    lowercase: bool,
    max_order: int,
    reference_length: str,
) -> np.ndarray:
    """Statistics rows of a batch of segments.

    Args:
        predictions: UTF-8 bytes of all predictions, and int64 [rows + 1]: where in them each begins and the last ends.
            With `tokenize="ids"` the bytes are those of int64 token ids.
        references: the same of all references, one row's after the other's.
        bounds: int64 [rows + 1]: which references are a row's.
        tokenize: a native tokenizer's name, or `"ids"`.
        lowercase: as `str.lower` a segment, before tokenising.
        max_order: N, the longest n-gram, 1 or more.
        reference_length: `"closest"`, `"shortest"` or `"longest"`.

    Returns:
        int64 [2 N + 2, rows]: a statistics row is a column here, so that each statistic is contiguous, as Arrow wants it.
        Where `matches_1` is `LEFT`, the readable definition has to count the row.
    """
    if lowercase:
        predictions, references = lower_case(*predictions), lower_case(*references)
    rows = np.empty((2 * max_order + 2, len(bounds) - 1), np.int64)
    longest_text = max(_longest(predictions[1]), _longest(references[1]))
    _count_rows(
        *_words(predictions[0]),
        predictions[1],
        *_words(references[0]),
        references[1],
        bounds,
        *_tables(tokenize),
        longest_text,
        _longest(references[1][bounds]),
        _longest(bounds),
        _REFERENCE_LENGTHS[reference_length],
        rows,
    )
    return rows


def lower_case(text: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lower case of each of many texts, as `str.lower` has it.

    Args:
        text: UTF-8 bytes of all texts.
        offsets: int64: where in them each text begins and the last ends.

    Returns:
        New bytes and new offsets.
    """
    lowered = np.empty(len(text) * 3 // 2 + 16, np.uint8)  # at most half as long again: two bytes become three
    lowered_offsets = np.empty(len(offsets), np.int64)
    for i in _lower(text, offsets, _lower_case(), lowered, lowered_offsets):
        exact = bytes(text[offsets[i] : offsets[i + 1]]).decode(errors="replace").lower().encode()
        lowered[lowered_offsets[i] : lowered_offsets[i + 1]] = np.frombuffer(exact, np.uint8)
    return lowered[: lowered_offsets[-1]], lowered_offsets


def _longest(offsets: np.ndarray) -> int:
    return int(np.diff(offsets).max(initial=0))


def _words(text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bytes, and the word of eight bytes that starts at each: a token of up to eight bytes is one load."""
    if len(text) < 16:  # so that a word can be read before or after any byte
        text = np.concatenate([text, np.zeros(16, np.uint8)])
    words = np.ndarray((len(text) - 7,), np.uint64, text, strides=(1,))
    text, words = text.view(), words.view()
    text.flags.writeable = words.flags.writeable = False  # read-only and writeable are two types to numba
    return text, words


@cache
def _tables(tokenize: str) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """What the automaton knows of a tokenizer: classes by character and by first byte, what stands at the edges, and
    whether white space at the start is taken off (it is at the end, always)."""
    classes = np.full(0x110000, _LETTER, np.uint8)
    western = {**dict.fromkeys(WESTERN_SYMBOLS, _ALONE), **dict.fromkeys(".,", _SEPARATOR), "-": _HYPHEN}
    if tokenize == "ids":
        return classes, np.empty(0, np.uint8), _EDGE, False
    if tokenize == "char":
        classes[:] = _ALONE
    if tokenize == "intl":
        for ranges, kind in ((PUNCTUATION, _SEPARATOR), (SYMBOLS, _ALONE), (NUMBERS, _NUMBER)):
            for first, last in ranges:
                classes[first : last + 1] = kind
    if tokenize == "zh":
        for first, last in CHINESE:
            classes[first : last + 1] = _ALONE
    if tokenize in ("13a", "zh"):
        for character, kind in {**dict.fromkeys("0123456789", _NUMBER), **western}.items():
            classes[ord(character)] = kind
    classes[[c for c in range(0x3001) if chr(c).isspace()]] = _SPACE
    if tokenize == "13a":
        classes[[ord(character) for character in "&<\n"]] = _MARKUP
    return classes, _first_bytes(classes), _SPACE if tokenize == "13a" else _EDGE, tokenize == "zh"


def _first_bytes(classes: np.ndarray) -> np.ndarray:
    table = np.full(256, _LETTER, np.uint8)
    table[:0x80] = classes[:0x80]
    for first in range(0xC2, 0xF5):
        bits = 6 if first < 0xE0 else 12 if first < 0xF0 else 18
        characters = (first & (0x1F, 0x0F, 0x07)[bits // 6 - 1]) << bits
        if classes[characters : characters + (1 << bits)].any():
            table[first] = _LOOK_UP
    return table


@cache
def _lower_case() -> np.ndarray:
    # Nothing beyond has a lower case of its own; the one capital with two characters for it is _CAPITAL_DOTTED_I.
    lowered = (chr(c).lower() for c in range(0x20000))
    return np.array([ord(text) if len(text) == 1 else _CAPITAL_DOTTED_I for text in lowered], np.int32)


# Array by array, and no tuples of arrays: numba counts references to what it takes out of a tuple, and in a loop over
# tokens that was nine tenths of the time.
@njit(nogil=True, cache=True)
def _count_rows(
    text, words, offsets, other_text, other_words, other_offsets, bounds,
    classes, first_bytes, edge, strips_start, longest_text, longest_row, most_references, reference_length, rows,
):  # fmt: skip
    max_order = len(rows) // 2 - 1
    # A text has no more tokens than bytes. What a long text would need is only reserved: untouched pages cost nothing.
    events = np.empty(longest_text + 1, np.int64)
    numbers, reference_numbers = np.empty(longest_text, np.int64), np.empty(longest_row, np.int64)
    own, other = (
        np.empty((longest_text, 3), np.int64),
        np.empty((longest_text, 3), np.int64),
    )  # tokens: key, start, length
    ends = np.empty(most_references, np.int64)
    slots = np.empty(8 * longest_text + 16, np.int64)
    positions, found, matches = (
        np.empty(_SHORT + 1, np.uint64),
        np.empty(max_order, np.uint64),
        np.empty(max_order, np.int64),
    )
    counts = np.zeros((3, max_order, _SHORT + 1), np.int64)
    for row in range(len(bounds) - 1):
        length = _tokenize(
            text, words, offsets[row], offsets[row + 1], classes, first_bytes, edge, strips_start, events, own
        )
        bits = _number(own, length, words, slots, numbers)
        total, best, left = 0, -1, length < 0
        for reference in range(bounds[row], bounds[row + 1]):
            size = _tokenize(
                other_text, other_words, other_offsets[reference], other_offsets[reference + 1],
                classes, first_bytes, edge, strips_start, events, other,
            )  # fmt: skip
            left |= size < 0
            for token in range(size):
                slot = _find(other, token, other_words, own, words, slots, bits)
                reference_numbers[total + token] = numbers[slots[slot]] if slots[slot] >= 0 else 0
            total += max(size, 0)
            ends[reference - bounds[row]] = total
            best = _effective_length(reference_length, length, size, best)
        if left:
            rows[0, row] = LEFT
            continue
        spans = ends[: bounds[row + 1] - bounds[row]]
        if length <= _SHORT:
            _count_short(numbers[:length], reference_numbers, spans, positions, found, counts, matches)
        else:
            _count_long(numbers[:length], reference_numbers, spans, matches)
        for order in range(max_order):
            rows[order, row] = matches[order]
            rows[max_order + order, row] = max(length - order, 0)
        rows[2 * max_order, row] = length
        rows[2 * max_order + 1, row] = best


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
def _tokenize(text, words, start, end, classes, first_bytes, edge, strips_start, events, tokens):
    """Fills `tokens` with rows of key, start and length; returns how many they are, or LEFT."""
    if len(first_bytes) == 0:
        return _split_ids(words, start, end, tokens)
    start, end = _strip(text, start, end, classes, first_bytes, strips_start)
    count, begin, last, previous, separated = 0, start, start, edge, False
    for event in range(_find_events(text, start, end, first_bytes, events)):
        i = events[event]
        if i < last:  # within an entity
            continue
        kind, width = _classify(text, i, end, classes, first_bytes)
        key = np.uint64(0)
        if kind == _MARKUP:
            kind, width, key = _undo_markup(text, i, start, end)
            if kind == LEFT:
                return LEFT
        if i > last:
            previous = _LETTER
        last = i + width
        action = kind
        if kind == _NUMBER:
            action = _LETTER
        elif kind == _HYPHEN:
            action = _ALONE if previous == _NUMBER else _LETTER
        elif kind == _SEPARATOR:
            # mteval first separates a mark from what stands before it, unless that's a number. A match takes two
            # characters, so a mark that was just separated isn't there any more for the next one to be separated from.
            separated = previous != _NUMBER and previous != _EDGE and not (separated and previous == _SEPARATOR)
            after = _classify(text, last, end, classes, first_bytes)[0] if last < end else edge
            if separated or (after != _NUMBER and after != _EDGE):
                action = _ALONE
            else:
                action = _LETTER if previous == _NUMBER else _STARTS
        previous = kind
        if action == _LETTER:
            continue
        if i > begin:
            count = _put(tokens, count, _key(words, begin, i - begin), begin, i - begin)
        if action == _ALONE and key:
            count = _put(tokens, count, key, i, 1)
        elif action == _ALONE:
            count = _put(tokens, count, _key(words, i, width), i, width)
        begin = i if action == _STARTS else last
    return _put(tokens, count, _key(words, begin, end - begin), begin, end - begin) if end > begin else count


@njit(nogil=True)
def _find_events(text, start, end, first_bytes, events):
    # Without a branch, which would be mispredicted at every word: a fifth of the time of the loop that has one.
    count = 0
    for i in range(start, end):
        events[count] = i
        count += np.int64(first_bytes[text[i]] != _LETTER)
    return count


@njit(nogil=True)
def _put(tokens, count, key, start, length):
    tokens[count, 0], tokens[count, 1], tokens[count, 2] = np.int64(key), start, length
    return count + 1


@njit(nogil=True)
def _split_ids(words, start, end, tokens):
    count = 0
    for i in range(start, end, 8):
        count = _put(tokens, count, words[i], i, 8)
    return count


@njit(nogil=True)
def _strip(text, start, end, classes, first_bytes, strips_start):
    while strips_start and start < end:
        kind, width = _classify(text, start, end, classes, first_bytes)
        if kind != _SPACE:
            break
        start += width
    while start < end:
        i = end - 1
        while i > start and text[i] & 0xC0 == 0x80:
            i -= 1
        if _classify(text, i, end, classes, first_bytes)[0] != _SPACE:
            break
        end = i
    return start, end


@njit(nogil=True, inline="always")
def _classify(text, i, end, classes, first_bytes):
    kind = np.int64(first_bytes[text[i]])
    if kind != _LOOK_UP:
        return kind, 1
    character, width = _decode(text, i, end)
    return np.int64(classes[character]), width


@njit(nogil=True, inline="always")
def _decode(text, i, end):
    """The character at byte i, and how many bytes it has. Never reads beyond `end`, whatever the bytes are."""
    first = np.int64(text[i])
    width = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if i + width > end:
        return first, end - i
    character = first if width == 1 else first & (0xFF >> (width + 1))
    for k in range(i + 1, i + width):
        character = character << 6 | np.int64(text[k]) & 0x3F
    return min(character, 0x10FFFF), width


@njit(nogil=True)
def _undo_markup(text, i, start, end):
    """Of a `&`, `<` or line feed under 13a: the class, the bytes it takes, and what an entity stands for (or 0)."""
    if text[i] == ord("\n"):
        return (LEFT if i > start and text[i - 1] == ord("-") else _SPACE), 1, np.uint64(0)
    if text[i] == ord("<"):
        return (LEFT if _starts_with(text, i, end, _SKIPPED) else _ALONE), 1, np.uint64(0)
    for entity in range(len(_ENTITY_BYTES)):
        if _starts_with(text, i, end, _ENTITY_BYTES[entity]):
            return _ALONE, _ENTITY_LENGTHS[entity], _ENTITY_MEANS[entity]
    return _ALONE, 1, np.uint64(0)


@njit(nogil=True)
def _starts_with(text, i, end, prefix):
    for k in range(len(prefix)):
        if prefix[k] and (i + k >= end or text[i + k] != prefix[k]):
            return False
    return True


@njit(nogil=True, cache=True)
def _lower(text, offsets, lower, lowered, lowered_offsets):
    """Writes the lower case of each text; returns the indices of those where a sigma may be a final one.

    That depends on what stands around it. Both sigmas have two bytes, so that the caller can put the right one there.
    """
    doubtful = [0][:0]
    size = 0
    for index in range(len(offsets) - 1):
        lowered_offsets[index] = size
        i, end, sure = offsets[index], offsets[index + 1], True
        while i < end:
            character, width = _decode(text, i, end)
            if character == _CAPITAL_SIGMA:
                after = _decode(text, i + width, end)[0] if i + width < end else 0
                sure &= 0x391 <= after <= 0x3CE and after != 0x3A2  # a cased letter follows: not a final sigma
            if character == _CAPITAL_DOTTED_I:
                size = _encode(0x307, lowered, _encode(0x69, lowered, size))  # "i" and a combining dot
            elif character < len(lower) and lower[character] != character:
                size = _encode(np.int64(lower[character]), lowered, size)
            else:
                for k in range(i, i + width):
                    lowered[size + k - i] = text[k]
                size += width
            i += width
        if not sure:
            doubtful.append(index)
    lowered_offsets[len(offsets) - 1] = size
    return doubtful


@njit(nogil=True)
def _encode(character, scratch, size):
    width = 1 if character < 0x80 else 2 if character < 0x800 else 3 if character < 0x10000 else 4
    for k in range(width - 1, 0, -1):
        scratch[size + k] = 0x80 | character & 0x3F
        character >>= 6
    scratch[size] = character if width == 1 else 0xF00 >> width & 0xFF | character
    return size + width


@njit(nogil=True)
def _key(words, start, length):
    """A token of up to eight bytes is its key; of a longer one the key only helps to find it."""
    if length > 8:
        return words[start] * _ODD ^ words[start + length - 8]
    unused = np.uint64(64 - 8 * length)
    if start < len(words):
        return (words[start] << unused) >> unused
    return words[start + length - 8] >> unused  # at the very end of the text the word before is the one to read


@njit(nogil=True)
def _slot(key, bits):
    return np.int64(np.uint64(key) * _ODD >> np.uint64(64 - bits))


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
def _same(words, start, other_words, other_start, length):
    for k in range(0, length - 8, 8):
        if words[start + k] != other_words[other_start + k]:
            return False
    return words[start + length - 8] == other_words[other_start + length - 8]


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
        node = 0
        for token in numbers[i : i + max_order]:
            slot = _find_node(node, token, slots, keys, bits)
            if node == 0:
                node = token
            elif slots[slot]:
                node = slots[slot]
            else:
                keys[nodes] = _node_key(node, token)
                slots[slot] = node = nodes
                nodes += 1
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
def _node_key(parent, token):
    return np.uint64(parent) << np.uint64(32) | np.uint64(token)


@njit(nogil=True)
def _find_node(parent, token, slots, keys, bits):
    key = _node_key(parent, token)
    slot = np.int64(key * _ODD >> np.uint64(64 - bits))
    while slots[slot] and keys[slots[slot]] != key:
        slot = (slot + 1) & ((1 << bits) - 1)
    return slot
