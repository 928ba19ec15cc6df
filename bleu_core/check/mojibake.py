"""Texts that were decoded with the wrong codec, and the codec that most of a column tells.

Called in the order of `order.py`. To undo another codec, add it to `_CODECS`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from .damages import Damage
from .inverses import decode_bytes
from .pairs import SIDES, Found, Pairs, Undo, spread

_CODECS = [
    "cp1252",
    "cp1251",
    "koi8-r",
    "cp437",
    "cp850",
    "mac-roman",
    "cp1250",
    "cp1254",
    "cp1253",
]
_BEYOND_ASCII = r"[^\x00-\x7f]+"


@cache
def make_decoder(codec: str) -> Undo:
    """Return the inverse of reading UTF-8 in an encoding of one byte per character.

    >>> make_decoder("cp1252")("Ã©tÃ©")
    'été'
    """
    # 1. The byte of each character. Bytes without a character are read as in Latin-1.
    byte_of = {chr(byte): byte for byte in range(128, 160)} if codec == "cp1252" else {}
    for byte in range(128, 256):
        letter = bytes([byte]).decode(codec, "replace")
        byte_of[chr(byte) if letter == "\ufffd" else letter] = byte

    # 2. A first byte, and as many continuation bytes as it asks for.
    def write_class(first: int, last: int) -> str:
        letters = "".join(letter for letter, byte in byte_of.items() if first <= byte <= last)
        return f"[{re.escape(letters)}]"

    continued = write_class(0x80, 0xBF)
    pattern = re.compile(
        f"{write_class(0xC2, 0xDF)}{continued}|{write_class(0xE0, 0xEF)}{continued}{{2}}"
        f"|{write_class(0xF0, 0xF4)}{continued}{{3}}"
    )

    def decode(match: re.Match[str]) -> str:
        return decode_bytes(bytes(map(byte_of.__getitem__, match[0])), match[0])

    return lambda text: pattern.sub(decode, text)


def find_mojibake(pairs: Pairs) -> Iterator[Found]:
    """Find UTF-8 that was read in the encoding by which most texts decode completely."""
    tried = Counter(
        tuple(re.findall(_BEYOND_ASCII, pairs.texts[side][place]))
        for side in SIDES
        for place in spread(pairs.search(side, "[^\x00-\x7f\u2600-\U0010ffff]{2}", ()), 400)
    )
    seen = " ".join(chain.from_iterable(tried))
    count_of = {
        codec: sum(number for runs, number in tried.items() if _decodes(runs, codec))
        for codec in _CODECS
        if make_decoder(codec)(seen) != seen
    }
    codec = max(count_of, key=count_of.__getitem__, default="")
    if codec and count_of[codec] >= max(2, 0.01 * tried.total()):
        yield from Damage(
            "mojibake",
            (),
            _BEYOND_ASCII,
            make_decoder(codec),
            f"was written in UTF-8 and read as {codec}",
            "open(path, encoding='utf-8')",
            on_both=True,
        ).find(pairs)


def _decodes(runs: Sequence[str], codec: str) -> bool:
    """Return True if all runs beyond ASCII decode; no-break spaces alone do not prove it."""
    decode = make_decoder(codec)
    return all(len(decode(run)) <= len(run) / 2 for run in runs) and any(
        decode(run).strip() for run in runs
    )
