"""The compiled twin of `bleu_tokenizers`: one automaton cuts UTF-8 bytes into tokens, for all native tokenizers.

A table gives each character a class. Most classes say all there is to say (a letter, white space, a mark that stands
alone); the others depend on what stands beside the character. The automaton runs over the bytes that aren't letters,
and makes a token of what lies between.

Text is read by its address. What 13a takes out of the middle of a word (`<skipped>`, a hyphen at a line break) is
noticed on the way, and the text is then cut again from a copy without it.
"""

from __future__ import annotations

import secrets
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from .bleu_arrow import Bytes, make_lists, utf8
from .bleu_compiler import fold_product, load_byte, load_pair, load_word, njit, store_byte
from .bleu_tokenizers import CHINESE, WESTERN_SYMBOLS
from .bleu_unicode import NUMBERS, PUNCTUATION, SYMBOLS

# What a hash multiplies by. Not the same in any two processes: nobody can write texts whose tokens all collide.
FACTOR = np.int64(secrets.randbits(63) | 1)

# Classes of characters. For the first three that is all there is to say; the others depend on what stands beside them.
_LETTER, _SPACE, _ALONE, _NUMBER, _HYPHEN, _SEPARATOR, _MARKUP = range(7)
_EDGE = 7  # what stands before the first and after the last character, unless the tokenizer puts a space there
_LOOK_UP = 8  # of the first two bytes of a character: the class depends on the bytes after them
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
}

_PAIRS = 1 << 16  # where the classes of characters begin in a table
_TAKE_OUT = -1  # instead of a class: this isn't part of the text

_SKIPPED, _BREAK = np.frombuffer(b"<skipped>", np.uint8), np.frombuffer(b"-\n", np.uint8)
# In this order: `&amp;lt;` is undone twice, since `&lt;` comes after `&amp;` in mteval; `&amp;quot;` isn't.
_ENTITIES = (
    (b"&quot;", b'"'),
    (b"&amp;lt;", b"<"),
    (b"&amp;gt;", b">"),
    (b"&amp;", b"&"),
    (b"&lt;", b"<"),
    (b"&gt;", b">"),
)
_ENTITY_WORDS = np.array([int.from_bytes(entity, "little") for entity, _ in _ENTITIES])
_ENTITY_LENGTHS = np.array([len(entity) for entity, _ in _ENTITIES])
_ENTITY_MEANS = np.array([ord(character) for _, character in _ENTITIES])


def split_texts(texts: pa.Array, tokenizer: str) -> pa.LargeListArray:
    """The tokens of each text.

    >>> split_texts(pa.array(["Go on."]), "13a").to_pylist()
    [['Go', 'on', '.']]
    """
    text, offsets = utf8(texts)
    token_text, token_ends = np.empty(len(text), np.uint8), np.zeros(len(text) + 1, np.int64)
    bounds = np.zeros(len(offsets), np.int64)
    _, table, edge, strips_start = make_automaton(tokenizer)
    longest = int(np.diff(offsets).max(initial=0))
    events, copy, tokens = (
        np.empty(longest + 1, np.int64),
        np.empty(longest, np.uint8),
        np.empty((longest, 3), np.int64),
    )
    _split_texts(
        text.ctypes.data + offsets, table, edge, strips_start, FACTOR,
        events, copy.ctypes.data, tokens, token_text, token_ends, bounds,
    )  # fmt: skip
    ends = token_ends[: bounds[-1] + 1]
    strings = pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(token_text))
    return make_lists(bounds, strings)


class Automaton(NamedTuple):
    """What the automaton has to know of a native tokenizer.

    table: the class of each first two bytes of a character (the second is anything for ASCII), and from _PAIRS on of
        each character.
    address: the table's.
    edge: what stands at the edges of a text.
    strips_start: whether white space at its start is taken off. At its end it always is.
    """

    table: Bytes
    address: int
    edge: int
    strips_start: bool


@cache
def make_automaton(tokenizer: str) -> Automaton:
    """The automaton of a native tokenizer.

    >>> table = make_automaton("13a").table
    >>> [int(table[ord(character)]) for character in "a !"] == [_LETTER, _SPACE, _ALONE]
    True
    """
    classes = np.full(0x110000, _LETTER, np.uint8)
    for ranges, kind in _CLASSES[tokenizer]:
        for first, last in ranges:
            classes[first : last + 1] = kind
    table = np.concatenate([_classify_pairs(classes), classes])
    return Automaton(table, table.ctypes.data, _SPACE if tokenizer == "13a" else _EDGE, tokenizer == "zh")


def _classify_pairs(classes: Bytes) -> Bytes:
    pairs = np.full((256, 256), _LETTER, np.uint8)  # second byte, first byte
    pairs[:, :0x80] = classes[:0x80]
    for first in range(0xC2, 0xF5):
        size = 1 if first < 0xE0 else 1 << 6 if first < 0xF0 else 1 << 12  # characters with the same two bytes
        start = 64 * size * (first & (0x1F if size == 1 else 0x0F if size == 64 else 0x07))
        blocks = classes[start : start + 64 * size].reshape(-1, size)
        uniform = blocks.min(axis=1) == blocks.max(axis=1)
        pairs[0x80 : 0x80 + len(blocks), first] = np.where(uniform, blocks[:, 0], _LOOK_UP)
    return pairs.ravel()


@njit(nogil=True)
def tokenize(start, end, table, edge, strips_start, factor, events, copy, tokens, count):
    """Adds the tokens of the text between two addresses as rows of key, address and length.

    Returns how many there are then. What is left of a text that something is taken out of is written to `copy`, and
    stays there.
    """
    start, end = _strip(start, end, table, strips_start)
    is_clean = False
    while True:
        total = _cut(start, end, table, edge, factor, is_clean, events, tokens, count)
        if total >= 0:
            return total
        end = _copy_without(_SKIPPED, start, end, copy)
        end = _copy_without(_BREAK, copy, end, copy)
        start, is_clean = copy, True


@njit(nogil=True)
def make_key(start, length, factor):
    """A token of up to eight bytes is its key; of a longer one the key only helps to find it.

    All bytes of a token count, or many tokens could have the same key.
    """
    if length <= 8:
        return _load(start, length) if length else np.int64(0)
    key = length
    for i in range(start, start + length - 8, 8):
        key = fold_product(key ^ load_word(i), factor)
    return fold_product(key ^ load_word(start + length - 8), factor)


@njit(nogil=True, cache=True)
def _split_texts(
    texts, table, edge, strips_start, factor, events, copy, tokens, token_text, token_ends, bounds
):  # fmt: skip
    """Writes the bytes of all tokens, where each ends, and how many there are up to each text's end."""
    size, known, none = 0, 0, np.int64(0)
    for index in range(len(texts) - 1):
        start, end = texts[index], texts[index + 1]
        count = tokenize(start, end, table, edge, strips_start, factor, events, copy, tokens, none)
        for token in range(count):
            key, start, length = tokens[token, 0], tokens[token, 1], tokens[token, 2]
            for k in range(length):  # what stands for an entity is in the key only
                token_text[size + k] = key & 0xFF if length == 1 else load_byte(start + k)
            size += length
            known += 1
            token_ends[known] = size
        bounds[index + 1] = known


@njit(nogil=True)
def _cut(start, end, table, edge, factor, is_clean, events, tokens, count):
    """As `tokenize`, from the first byte to the last; _TAKE_OUT if something has to be taken out first."""
    begin, last, previous, separated = start, start, edge, False
    for event in range(_find_events(start, end, table, events)):
        i = events[event]
        if i < last:  # within an entity
            continue
        kind, width = _classify(i, end, table)
        meaning = 0
        if kind == _MARKUP:
            kind, width, meaning = _undo_markup(i, start, end, is_clean)
            if kind == _TAKE_OUT:
                return _TAKE_OUT
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
            after = _classify(last, end, table)[0] if last < end else edge
            if separated or (after != _NUMBER and after != _EDGE):
                action = _ALONE
            else:
                action = _LETTER if previous == _NUMBER else _STARTS
        previous = kind
        if action == _LETTER:
            continue
        if i > begin:
            count = _put(tokens, count, make_key(begin, i - begin, factor), begin, i - begin)
        if action == _ALONE and meaning:
            count = _put(tokens, count, meaning, i, 1)
        elif action == _ALONE:
            count = _put(tokens, count, _load(i, width), i, width)
        begin = i if action == _STARTS else last
    return _put(tokens, count, make_key(begin, end - begin, factor), begin, end - begin) if end > begin else count


@njit(nogil=True)
def _find_events(start, end, table, events):
    # Without a branch, which would be mispredicted at every word: a fifth of the time of the loop that has one.
    count = 0
    for i in range(start, end - 1):
        events[count] = i
        count += np.int64(load_byte(table + load_pair(i)) != _LETTER)
    if start < end and load_byte(table + load_byte(end - 1)) != _LETTER:
        events[count] = end - 1
        count += 1
    return count


@njit(nogil=True)
def _put(tokens, count, key, start, length):
    tokens[count, 0], tokens[count, 1], tokens[count, 2] = key, start, length
    return count + 1


@njit(nogil=True)
def _load(start, length):
    """One to eight bytes as a word."""
    unused = 64 - 8 * length
    # What lies beside them is shifted out. Memory can be read to the end of its page, whoever's it is.
    if start & 0xFFF <= 0xFF8:
        return load_word(start) << unused >> unused
    return load_word(start + length - 8) >> unused


@njit(nogil=True)
def _strip(start, end, table, strips_start):
    while strips_start and start < end:
        kind, width = _classify(start, end, table)
        if kind != _SPACE:
            break
        start += width
    while start < end:
        i = end - 1
        while i > start and load_byte(i) & 0xC0 == 0x80:
            i -= 1
        if _classify(i, end, table)[0] != _SPACE and load_byte(i) != ord("\n"):  # which 13a has as markup
            break
        end = i
    return start, end


@njit(nogil=True)
def _classify(i, end, table):
    """The class of the character at an address, and how many bytes it has."""
    first = load_byte(i)
    if first < 0x80:
        return load_byte(table + first), 1
    character, width = decode(i, end)
    return load_byte(table + _PAIRS + character), width


@njit(nogil=True)
def decode(i, end):
    """The character at an address, and how many bytes it has. Never reads beyond `end`, whatever the bytes are."""
    first = load_byte(i)
    width = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if i + width > end:
        return 0x10FFFF, end - i  # which is no character
    if width == 1:
        return first, width
    # Without a loop, in half the time.
    character = (first & (0xFF >> (width + 1))) << 6 | load_byte(i + 1) & 0x3F
    if width > 2:
        character = character << 6 | load_byte(i + 2) & 0x3F
    if width > 3:
        character = character << 6 | load_byte(i + 3) & 0x3F
    return min(character, 0x10FFFF), width


@njit(nogil=True)
def _undo_markup(i, start, end, is_clean):
    """Of a `&`, `<` or line feed under 13a: the class, the bytes it takes, and what an entity stands for (or 0)."""
    first = load_byte(i)
    if first == ord("\n"):
        return _TAKE_OUT if not is_clean and i > start and load_byte(i - 1) == ord("-") else _SPACE, 1, 0
    if first == ord("<"):
        return _TAKE_OUT if not is_clean and _starts_with(_SKIPPED, i, end) else _ALONE, 1, 0
    word = _load(i, min(8, end - i))
    for entity in range(len(_ENTITY_WORDS)):
        beyond = 64 - 8 * _ENTITY_LENGTHS[entity]
        if (word ^ _ENTITY_WORDS[entity]) << beyond == 0:
            return _ALONE, _ENTITY_LENGTHS[entity], _ENTITY_MEANS[entity]
    return _ALONE, 1, 0


@njit(nogil=True)
def _copy_without(pattern, start, end, copy):
    """Copies a text without the pattern, as `str.replace` would, perhaps onto itself. Returns where the copy ends."""
    i = start
    while i < end:
        if _starts_with(pattern, i, end):
            i += len(pattern)
            continue
        store_byte(copy, load_byte(i))
        i += 1
        copy += 1
    return copy


@njit(nogil=True)
def _starts_with(pattern, i, end):
    if i + len(pattern) > end:
        return False
    for k in range(len(pattern)):
        if load_byte(i + k) != pattern[k]:
            return False
    return True
