"""Text to tokens: the definition of every native tokenizer.

They are those of NIST's mteval scripts as sacreBLEU 2.6 runs them, quirks included, because published
scores were made with the quirks. Each is a function from one segment to its tokens.
Nothing here is fast: `bleu_tokenizers_compiled` is the compiled twin, and a segment must have the same tokens in both.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from .bleu_arrow import is_list
from .bleu_unicode import NUMBERS, PUNCTUATION, SYMBOLS, character_class

Split = Callable[[str], list[str]]

# mteval-v13a puts every ASCII punctuation mark on its own but the apostrophe, the hyphen, the full stop and the comma.
WESTERN_SYMBOLS = "".join(sorted(set(string.punctuation) - set("'-.,")))

# What mteval-v13a takes back before it tokenises, in its order: "&amp;lt;" becomes "<", "&amp;quot;" stays "&quot;".
MARKUP = (
    ("<skipped>", ""),
    ("-\n", ""),
    ("\n", " "),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)

# sacreBLEU's `zh` compares one character with the five-character literals "\u20000" and "\u2a6d6", which are meant as
# U+20000 and U+2A6D6. What comes out is U+2001 to U+2A6D (all of General Punctuation, among others), and no
# supplementary character at all. The other ranges are as its comments say.
CHINESE = (
    (0x2001, 0x2A6D),
    (0x2E80, 0x2EFF),
    (0x2F00, 0x2FDF),
    (0x2FF0, 0x2FFF),
    (0x3000, 0x303F),
    (0x3100, 0x312F),
    (0x31A0, 0x31BF),
    (0x31C0, 0x31EF),
    (0x3200, 0x4DB5),
    (0x4E00, 0x9FBB),
    (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
)

_WESTERN = (
    (re.compile(f"([{re.escape(WESTERN_SYMBOLS)}])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_INTERNATIONAL = (
    (re.compile(f"([^{character_class(NUMBERS)}])([{character_class(PUNCTUATION)}])"), r"\1 \2 "),
    (re.compile(f"([{character_class(PUNCTUATION)}])([^{character_class(NUMBERS)}])"), r" \1 \2"),
    (re.compile(f"([{character_class(SYMBOLS)}])"), r" \1 "),
)
_BETWEEN_ASCII_SPACES = re.compile(r"[^ \t\n\v\f\r]+")
_CHINESE = ((re.compile(f"([{character_class(CHINESE)}])"), r" \1 "), *_WESTERN)


def tokenize_13a(segment: str) -> list[str]:
    """Tokens of mteval-v13a, the tokenizer of the WMT tables.

    >>> tokenize_13a("It's 3.5&quot; wide, isn't it?")
    ["It's", '3.5', '"', 'wide', ',', "isn't", 'it', '?']
    """
    segment = segment.rstrip()
    for markup, text in MARKUP:
        segment = segment.replace(markup, text)
    # The spaces at both ends let the full stop of a last "1990." be a token, which `zh` and `intl` don't.
    return _split(f" {segment} ", _WESTERN)


def tokenize_none(segment: str) -> list[str]:
    """What stands between Unicode white space, as `str.split` sees it.

    >>> tokenize_none("already tokenised , isn't it ?")
    ['already', 'tokenised', ',', "isn't", 'it', '?']
    """
    return segment.split()


def tokenize_intl(segment: str) -> list[str]:
    """Tokens of mteval-v14 with international tokenisation: Unicode punctuation and symbols stand alone.

    A mark between two numbers stays, and so does one between a number and the end of the segment.

    >>> tokenize_intl("«Oui», 3,5 € en 1990.")
    ['«', 'Oui', '»', ',', '3,5', '€', 'en', '1990.']
    """
    return _split(segment.rstrip(), _INTERNATIONAL)


def tokenize_zh(segment: str) -> list[str]:
    """Each Chinese character is a token; what stands between is tokenised as the Western languages are.

    >>> tokenize_zh("我用 Python 3.12。")
    ['我', '用', 'Python', '3.12', '。']
    """
    return _split(segment.strip(), _CHINESE)


def tokenize_char(segment: str) -> list[str]:
    """Each character is a token, white space is none.

    >>> tokenize_char("ein Wort")
    ['e', 'i', 'n', 'W', 'o', 'r', 't']
    """
    return [character for character in segment if not character.isspace()]


def tokenize_multi_bleu(segment: str) -> list[str]:
    """What stands between ASCII white space, as Moses' `multi-bleu.perl` sees it: a no-break space is part of a token.

    >>> tokenize_multi_bleu("10\u00a0000 km")
    ['10\xa0000', 'km']
    """
    return _BETWEEN_ASCII_SPACES.findall(segment)


DEFINITIONS: dict[str, Split] = {
    "13a": tokenize_13a,
    "none": tokenize_none,
    "intl": tokenize_intl,
    "zh": tokenize_zh,
    "char": tokenize_char,
    "multi-bleu": tokenize_multi_bleu,
}

# Tokenizers of tools that lower-case bytes: only ASCII letters change.
ASCII_CASE = ("multi-bleu",)


def split_texts(texts: pa.Array, tokenizer: str) -> pa.Array:
    """The tokens of each text.

    >>> split_texts(pa.array(["Go on."]), "13a").to_pylist()
    [['Go', 'on', '.']]
    """
    return pa.array(list_tokens(texts, tokenizer), pa.list_(pa.string()))


def list_tokens(texts: pa.Array, tokenizer: str) -> list[list[Any]]:
    """The tokens of each text as Python lists; what is in tokens or ids already is left as it is.

    >>> list_tokens(pa.array([[1, 2]]), "ids")
    [[1, 2]]
    """
    if is_list(texts.type):
        return list(texts.to_pylist())
    tokenize = DEFINITIONS[tokenizer]
    return [tokenize(text) for text in texts.to_pylist()]


def _split(segment: str, substitutions: tuple[tuple[re.Pattern[str], str], ...]) -> list[str]:
    for pattern, replacement in substitutions:
        segment = pattern.sub(replacement, segment)
    return segment.split()
