"""The compiled twin of `bleu_tokenizers`: one automaton cuts UTF-8 bytes into tokens, for all native tokenizers.

A table gives each character a class. Most classes say all there is to say (a letter, white space, a mark that stands
alone); the others depend on what stands beside the character. The automaton runs over the bytes that aren't letters,
and makes a token of what lies between.

What 13a takes out of the middle of a word (`<skipped>`, a hyphen at a line break) isn't done here: the text is marked
`UNSUPPORTED`, for the definition. It is rare, and code for it would cost more than it saves.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from . import bleu_tokenizers as definition
from .bleu_arrow import Bytes, Int64, make_lists, utf8
from .bleu_compiler import njit
from .bleu_tokenizers import CHINESE, WESTERN_SYMBOLS
from .bleu_unicode import NUMBERS, PUNCTUATION, SYMBOLS

UNSUPPORTED = -1  # instead of a number of tokens: the definition has to cut this text

# Classes of characters. For the first three that is all there is to say; the others depend on what stands beside them.
_LETTER, _SPACE, _ALONE, _NUMBER, _HYPHEN, _SEPARATOR, _MARKUP = range(7)
_EDGE = 7  # what stands before the first and after the last character, unless the tokenizer puts a space there
_LOOK_UP = 8  # of a first byte: the class depends on the bytes after it
_STARTS = 9  # of an occurrence: a token ends before it, and it starts the next


def _these(characters: str) -> tuple[tuple[int, int], ...]:
    return tuple((ord(character), ord(character)) for character in characters)


_SPACES = (_these("".join(chr(c) for c in range(0x3001) if chr(c).isspace())), _SPACE)
_WESTERN = (
    (_these(WESTERN_SYMBOLS), _ALONE),
    (_these(".,"), _SEPARATOR),
    (_these("-"), _HYPHEN),
    (_these("0123456789"), _NUMBER),
)
# What a tokenizer makes of which characters; the last word counts, and nothing said is a letter.
_CLASSES = {
    "13a": (*_WESTERN, _SPACES, (_these("&<\n"), _MARKUP)),
    "none": (_SPACES,),
    "intl": ((PUNCTUATION, _SEPARATOR), (SYMBOLS, _ALONE), (NUMBERS, _NUMBER), _SPACES),
    "zh": ((CHINESE, _ALONE), *_WESTERN, _SPACES),
    "char": ((((0, 0x10FFFF),), _ALONE), _SPACES),
    "multi-bleu": ((_these(" \t\n\v\f\r"), _SPACE),),
    "ids": (),
}

ODD = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: multiply, keep the top bits (Knuth, vol. 3, section 6.4)

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


def lower_case(texts: pa.Array) -> pa.Array:
    """The lower case of each string, as `str.lower` has it.

    >>> lower_case(pa.array(["ΑΣ"])).to_pylist()
    ['ας']
    """
    text, offsets = utf8(texts)
    lowered = np.empty(len(text) * 3 // 2 + 16, np.uint8)  # at most half as long again: two bytes become three
    ends = np.empty(len(offsets), np.int64)
    for i in _lower_case(text, offsets, _lower_case_table(), lowered, ends):
        exact = bytes(text[offsets[i] : offsets[i + 1]]).decode(errors="surrogateescape").lower()
        lowered[ends[i] : ends[i + 1]] = np.frombuffer(exact.encode(errors="surrogateescape"), np.uint8)
    return _make_strings(ends, lowered)


def split_texts(texts: pa.Array, tokenizer: str) -> pa.LargeListArray:
    """The tokens of each text.

    >>> split_texts(pa.array(["Go on."]), "13a").to_pylist()
    [['Go', 'on', '.']]
    """
    text, offsets = utf8(texts)
    token_text, token_ends = np.empty(len(text), np.uint8), np.zeros(len(text) + 1, np.int64)
    bounds = np.zeros(len(offsets), np.int64)
    unsupported = _split_texts(*byte_words(text), offsets, *tables(tokenizer), token_text, token_ends, bounds)
    lists = make_lists(bounds, _make_strings(token_ends[: bounds[-1] + 1], token_text))
    if not unsupported:
        return lists
    split = pa.array(definition.split_texts(texts.take(pa.array(unsupported)), tokenizer), lists.type)
    order = np.arange(len(texts))
    order[unsupported] = len(texts) + np.arange(len(unsupported))
    return pa.concat_arrays([lists, split]).take(pa.array(order))


def byte_words(text: Bytes) -> tuple[Bytes, Any]:
    """The bytes, and the word of eight bytes that starts at each: a token of up to eight bytes is one load."""
    if len(text) < 16:  # so that a word can be read before or after any byte
        text = np.concatenate([text, np.zeros(16, np.uint8)])
    words = np.ndarray((len(text) - 7,), np.uint64, text, strides=(1,))
    text, words = text.view(), words.view()
    text.flags.writeable = words.flags.writeable = False  # read-only and writeable are two types to numba
    return text, words


@cache
def tables(tokenizer: str) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """What the automaton has to know of a tokenizer.

    Args:
        tokenizer: a native tokenizer's name, or `"ids"` for tokens of eight bytes each.

    Returns:
        The class of each character and of each first byte (none for `"ids"`), what stands at the edges of a text, and
        whether white space at its start is taken off. At its end it always is.

    >>> classes, first_bytes, edge, strips_start = tables("13a")
    >>> [int(classes[ord(character)]) for character in "a !"] == [_LETTER, _SPACE, _ALONE]
    True
    """
    classes = np.full(0x110000, _LETTER, np.uint8)
    for ranges, kind in _CLASSES[tokenizer]:
        for first, last in ranges:
            classes[first : last + 1] = kind
    first_bytes = np.empty(0, np.uint8) if tokenizer == "ids" else _first_bytes(classes)
    return classes, first_bytes, _SPACE if tokenizer == "13a" else _EDGE, tokenizer == "zh"


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
def _lower_case_table() -> Any:
    # Nothing beyond has a lower case of its own; the one capital with two characters for it is _CAPITAL_DOTTED_I.
    lowered = (chr(c).lower() for c in range(0x20000))
    return np.array([ord(text) if len(text) == 1 else _CAPITAL_DOTTED_I for text in lowered], np.int32)


def _make_strings(ends: Int64, text: Bytes) -> pa.LargeStringArray:
    return pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(text))


@njit(nogil=True)
def tokenize(text, words, start, end, classes, first_bytes, edge, strips_start, events, tokens):
    """Fills `tokens` with rows of key, start and length; returns how many they are, or UNSUPPORTED."""
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
            if kind == UNSUPPORTED:
                return UNSUPPORTED
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


@njit(nogil=True, cache=True)
def _split_texts(text, words, offsets, classes, first_bytes, edge, strips_start, token_text, token_ends, bounds):
    """Writes the bytes of all tokens, where each ends, and how many there are up to each text's end.

    Returns the indices of the texts that the definition has to cut.
    """
    unsupported = [0][:0]
    longest = np.diff(offsets).max()
    events, tokens = np.empty(longest + 1, np.int64), np.empty((longest, 3), np.int64)
    size, known = 0, 0
    for index in range(len(offsets) - 1):
        count = tokenize(
            text, words, offsets[index], offsets[index + 1], classes, first_bytes, edge, strips_start, events, tokens
        )
        if count == UNSUPPORTED:
            unsupported.append(index)
        for token in range(max(count, 0)):
            key, start, length = tokens[token, 0], tokens[token, 1], tokens[token, 2]
            for k in range(length):  # what stands for an entity is in the key only
                token_text[size + k] = key if length == 1 else text[start + k]
            size += length
            known += 1
            token_ends[known] = size
        bounds[index + 1] = known
    return unsupported


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
        return (UNSUPPORTED if i > start and text[i - 1] == ord("-") else _SPACE), 1, np.uint64(0)
    if text[i] == ord("<"):
        return (UNSUPPORTED if _starts_with(text, i, end, _SKIPPED) else _ALONE), 1, np.uint64(0)
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


@njit(nogil=True)
def _key(words, start, length):
    """A token of up to eight bytes is its key; of a longer one the key only helps to find it."""
    if length > 8:
        return words[start] * ODD ^ words[start + length - 8]
    unused = np.uint64(64 - 8 * length)
    if start < len(words):
        return (words[start] << unused) >> unused
    return words[start + length - 8] >> unused  # at the very end of the text the word before is the one to read


@njit(nogil=True, cache=True)
def _lower_case(text, offsets, lower, lowered, lowered_offsets):
    """Writes the lower case of each text; returns the indices of those where a sigma may be a final one.

    That depends on what stands around it. Both sigmas have two bytes, so that the caller can write the right one there.
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
