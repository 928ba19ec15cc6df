"""The compiled twin of `bleu_lower_case`: UTF-8 bytes to UTF-8 bytes, eight at a time where they are ASCII.

What Python knows of characters is asked of `str.lower` itself, so that it is the same Unicode.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from .bleu_arrow import utf8
from .bleu_compiler import load_byte, load_word, njit, store_byte, store_word
from .bleu_tokenizers_compiled import decode

_CAPITAL_SIGMA, _FINAL_SIGMA, _CAPITAL_DOTTED_I = 0x3A3, 0x3C2, 0x130
# Nothing outside has a lower case of its own, or a say in how a sigma before or behind it is written.
_RANGES = ((0, 0xD800), (0xE000, 0x20000), (0xE0000, 0xE0200))
# Of a character's entry in the table: its lower case, and what it is beside a sigma. Capital letters and small ones are
# cased; an apostrophe or an accent is passed over.
_CHARACTER, _CASED, _IGNORED = 0x1FFFFF, 1 << 21, 1 << 22

# Eight bytes each. Without a sign, since LLVM takes for granted that sums with one don't overflow.
_TOP_BITS, _TO_A, _BEYOND_Z = (np.uint64(0x0101010101010101 * byte) for byte in (0x80, 0x3F, 0x25))


def lower_case(texts: pa.Array) -> pa.Array:
    """The lower case of each string, as `str.lower` has it.

    >>> lower_case(pa.array(["ΑΣ"])).to_pylist()
    ['ας']
    """
    text, offsets = utf8(texts)
    lowered = np.empty(len(text) * 3 // 2 + 16, np.uint8)  # at most half as long again: two bytes become three
    ends = np.empty(len(offsets), np.int64)
    _lower_case(text.ctypes.data + offsets, _table(), lowered.ctypes.data, ends)
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(lowered))


@cache
def _table() -> np.ndarray:
    table = np.arange(_RANGES[-1][1], dtype=np.int32)
    for first, last in _RANGES:
        characters = [chr(c) for c in range(first, last)]
        alone, behind_letter = (
            "\ud800".join(f"{before}{c}Σ" for c in characters).lower().split("\ud800") for before in ("", "A")
        )
        # The one capital with two characters for its lower case is _CAPITAL_DOTTED_I.
        table[first:last] = [ord(text[:-1]) if len(text) == 2 else _CAPITAL_DOTTED_I for text in alone]
        cased, cased_or_ignored = (np.array([text[-1] == "ς" for text in texts]) for texts in (alone, behind_letter))
        table[first:last] |= np.where(cased, _CASED, np.where(cased_or_ignored, _IGNORED, 0))
    return table


@njit(nogil=True, cache=True)
def _lower_case(texts, table, copy, ends):
    """Writes the lower case of all texts to an address, and where in it each begins and the last ends."""
    begin, last = copy, texts[len(texts) - 1]
    for index in range(len(texts) - 1):
        i, end = texts[index], texts[index + 1]
        ends[index] = copy - begin
        while i < end:
            size = min(end - i, 8)  # the bytes of the next text are overwritten when its turn comes
            if i + 8 <= last and not np.uint64(load_word(i)) & _TOP_BITS >> np.uint64(64 - 8 * size):
                store_word(copy, np.int64(_lower_ascii(np.uint64(load_word(i)))))
                i += size
                copy += size
                continue
            character, width = decode(i, end)
            lowered = table[character] & _CHARACTER if character < len(table) else character
            if character == _CAPITAL_SIGMA and _is_final(i, texts[index], end, table):
                lowered = _FINAL_SIGMA
            if character == _CAPITAL_DOTTED_I:
                copy = _encode(0x307, _encode(ord("i"), copy))  # and a combining dot
            elif lowered != character:
                copy = _encode(lowered, copy)
            else:
                for k in range(i, i + width):
                    store_byte(copy, load_byte(k))
                    copy += 1
            i += width
    ends[len(texts) - 1] = copy - begin


@njit(nogil=True)
def _lower_ascii(word):
    # The top bit of a byte that is "A" or beyond, and of one that is beyond "Z": a capital letter has just the first.
    capitals = ((word + _TO_A) ^ (word + _BEYOND_Z)) & _TOP_BITS
    return word | capitals >> np.uint64(2)


@njit(nogil=True)
def _is_final(i, start, end, table):
    """Whether a capital sigma ends a word: a cased letter is before it and none behind it, whatever is passed over."""
    kind, before, behind = _IGNORED, i, i + 2
    while kind == _IGNORED and before > start:
        before -= 1
        while before > start and load_byte(before) & 0xC0 == 0x80:
            before -= 1
        kind = _kind(decode(before, end)[0], table)
    if kind != _CASED:
        return False
    kind = _IGNORED
    while kind == _IGNORED and behind < end:
        character, width = decode(behind, end)
        kind = _kind(character, table)
        behind += width
    return kind != _CASED


@njit(nogil=True)
def _kind(character, table):
    return table[character] & (_CASED | _IGNORED) if character < len(table) else 0


@njit(nogil=True)
def _encode(character, copy):
    """Writes a character to an address; returns the address behind it."""
    width = 1 if character < 0x80 else 2 if character < 0x800 else 3 if character < 0x10000 else 4
    for k in range(width - 1, 0, -1):
        store_byte(copy + k, 0x80 | character & 0x3F)
        character >>= 6
    store_byte(copy, character if width == 1 else 0xF00 >> width & 0xFF | character)
    return copy + width
