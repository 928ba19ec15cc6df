"""The native tokenizers: one function from a segment to its tokens, and one record, for each.

Most are those of NIST's mteval scripts as sacreBLEU 2.6 runs them. All quirks are kept, because
published scores were made with them. A definition is written for readers, not for speed.
`chosen_tokenizer.py` takes the records by their names; the kernel takes their automata. To add a
tokenizer, write a function and a record in `TOKENIZERS`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pyarrow as pa

from .captions import LINE_BREAKS, tokenize_ptb
from .unicode import NUMBERS, PUNCTUATION, SYMBOLS, Ranges, read_ranges

Split = Callable[[str], list[str]]
Lower = Callable[[pa.Array], pa.Array]
# Patterns, and what replaces a match. Up to Python 3.11, a function takes a third of the time of a
# template with groups.
Substitutions = tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]
CharacterClass = tuple[str, str | Ranges]  # its name, and its members

# mteval-v13a separates every ASCII punctuation mark and symbol except these four. The apostrophe
# stays in its token; `_WESTERN` has rules for the hyphen, the period and the comma.
WESTERN_SYMBOLS = "".join(sorted(set(string.punctuation) - set("'-.,")))

# The SGML markup of NIST's test sets is replaced before tokenization, in this order: "&amp;lt;"
# becomes "<", but "&amp;quot;" becomes "&quot;" and stays so.
REPLACED_MARKUP = (
    ("<skipped>", ""),
    ("-\n", ""),
    ("\n", " "),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)

# The characters that sacreBLEU's `zh` separates, by Unicode block:
#     2E80-2FFF    CJK and Kangxi radicals, ideographic description
#     3000-312F    CJK punctuation, Hiragana, Katakana, Bopomofo
#     31A0-31EF    extended Bopomofo, CJK strokes
#     3200-4DB5    enclosed and squared CJK characters, ideographs of extension A
#     4E00-9FBB    the ideographs of Unicode 4.1
#     F900-FAD9    compatibility ideographs
#     FE10-FE4F    vertical and compatibility forms
#     FF00-FFEF    half-width and full-width forms
#     2001-2A6D    an error of sacreBLEU that is part of published scores. It compares one character
#                  with "\u20000" and "\u2a6d6", which have two characters each, instead of U+20000
#                  and U+2A6D6. The range therefore has the punctuation and symbols of these blocks,
#                  and no ideograph of extension B.
CHINESE: Ranges = read_ranges("""
    2001-2A6D 2E80-2EFF 2F00-2FDF 2FF0-2FFF 3000-303F 3100-312F 31A0-31BF 31C0-31EF 3200-4DB5
    4E00-9FBB F900-FA2D FA30-FA6A FA70-FAD9 FE10-FE1F FE30-FE4F FF00-FFEF
""")


def character_class(ranges: Ranges) -> str:
    """Write ranges for the brackets of a regular expression.

    >>> character_class(((0x61, 0x7a), (0x5d, 0x5d)))
    '\\\\U00000061-\\\\U0000007a\\\\U0000005d-\\\\U0000005d'
    """
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def _separate_first(match: re.Match[str]) -> str:
    pair = match[0]
    return f" {pair[0]} {pair[1]}"


def _separate_second(match: re.Match[str]) -> str:
    pair = match[0]
    return f"{pair[0]} {pair[1]} "


_WESTERN: Substitutions = (
    # Separate every symbol.
    (re.compile(f"[{re.escape(WESTERN_SYMBOLS)}]"), r" \g<0> "),
    # Separate a period or comma after a non-digit, then before a non-digit; 3.5 and 1,000 stay
    # whole.
    (re.compile(r"[^0-9][.,]"), _separate_second),
    (re.compile(r"[.,][^0-9]"), _separate_first),
    # Separate a hyphen after a digit.
    (re.compile(r"[0-9]-"), _separate_second),
)
_CHINESE: Substitutions = ((re.compile(f"[{character_class(CHINESE)}]"), r" \g<0> "), *_WESTERN)
_WITHOUT_ASCII_SPACES = re.compile(r"[^ \t\n\v\f\r]+")


@cache
def _international() -> Substitutions:
    """Compile the patterns of `intl` on first use: they are long, and most calls need none."""
    symbol = f"[{character_class(SYMBOLS)}]"
    punctuation = f"[{character_class(PUNCTUATION)}]"
    not_number = f"[^{character_class(NUMBERS)}]"
    return (
        (re.compile(not_number + punctuation), _separate_second),
        (re.compile(punctuation + not_number), _separate_first),
        (re.compile(symbol), r" \g<0> "),
    )


def tokenize_13a(segment: str) -> list[str]:
    """Split as mteval-v13a does, the tokenizer of the WMT tables.

    >>> tokenize_13a("It's 3.5&quot; wide, isn't it?")
    ["It's", '3.5', '"', 'wide', ',', "isn't", 'it', '?']
    """
    text = segment.rstrip()
    for markup, replacement in REPLACED_MARKUP:
        text = text.replace(markup, replacement)
    # The spaces at both ends make the period of a final "1990." a token; `zh` and `intl` have no
    # such spaces.
    return _split(f" {text} ", _WESTERN)


def tokenize_none(segment: str) -> list[str]:
    """Split at Unicode whitespace, as `str.split` does.

    >>> tokenize_none("already tokenized , isn't it ?")
    ['already', 'tokenized', ',', "isn't", 'it', '?']
    """
    return segment.split()


def tokenize_intl(segment: str) -> list[str]:
    """Split as mteval-v14 does with international tokenization.

    Unicode's punctuation and symbols are separated. Punctuation between two numbers is not
    separated, nor is punctuation between a number and the end of the segment.

    >>> tokenize_intl("«Oui», 3,5 € en 1990.")
    ['«', 'Oui', '»', ',', '3,5', '€', 'en', '1990.']
    """
    return _split(segment.rstrip(), _international())


def tokenize_zh(segment: str) -> list[str]:
    """Split Chinese into characters, and the text between them as `13a` splits Western languages.

    >>> tokenize_zh("我用 Python 3.12。")
    ['我', '用', 'Python', '3.12', '。']
    """
    return _split(segment.strip(), _CHINESE)


def tokenize_char(segment: str) -> list[str]:
    """Split into characters, without whitespace.

    >>> tokenize_char("ein Wort")
    ['e', 'i', 'n', 'W', 'o', 'r', 't']
    """
    return [character for character in segment if not character.isspace()]


def tokenize_list(segment: str) -> list[str]:
    """Split into characters, with whitespace, as Python's `list` does.

    NLTK splits a str in this way where it expects a list of words.

    >>> tokenize_list("ein Wort")
    ['e', 'i', 'n', ' ', 'W', 'o', 'r', 't']
    """
    return list(segment)


def tokenize_multi_bleu(segment: str) -> list[str]:
    """Split at ASCII whitespace, as Moses' `multi-bleu.perl` does.

    A no-break space is part of a token.

    >>> tokenize_multi_bleu("10\u00a0000 km")
    ['10\xa0000', 'km']
    """
    return _WITHOUT_ASCII_SPACES.findall(segment)


def _split(segment: str, substitutions: Substitutions) -> list[str]:
    text = segment
    for pattern, replacement in substitutions:
        text = pattern.sub(replacement, text)
    return text.split()


class Automaton(NamedTuple):
    """A tokenizer as classes of characters, for the kernel.

    classes: a later class overrides an earlier one, and characters without a class are letters.
            space      separates tokens
            alone      is a token by itself
            number     is a letter; a separator between two of them stays in the token
            hyphen     is a token if it follows a number
            separator  is a token unless numbers stand on both sides
            markup     is `&`, `<` or a line feed, which 13a may replace
    space_at_edges: True if the segment is padded with a space at both ends.
    strips_start: True if leading whitespace is removed; trailing whitespace always is.
    """

    classes: tuple[CharacterClass, ...]
    space_at_edges: bool = False
    strips_start: bool = False


class Tokenizer(NamedTuple):
    """The definition of a tokenizer; a record in `TOKENIZERS` makes it available everywhere.

    split: the function from a segment to its tokens.
    says: its description, as the end of a sentence.
    automaton: the equivalent for the kernel, with which `reconcile` tries the tokenizer, too; None
        if `split` runs at any size.
    splits_unspaced: True if it splits scripts written without spaces.
    ascii_case: True if `lowercase` changes ASCII letters only, as in tools that work on bytes.
    lower_cases: True if it lower-cases text itself, so that `lowercase` changes no token.
    rejected: a pattern for characters that a text must not have; empty if it takes every text.
    """

    split: Split
    says: str
    automaton: Automaton | None = None
    splits_unspaced: bool = False
    ascii_case: bool = False
    lower_cases: bool = False
    rejected: str = ""


_SPACES: CharacterClass = ("space", "".join(chr(c) for c in range(0x3001) if chr(c).isspace()))
_WESTERN_CLASSES = (
    ("alone", WESTERN_SYMBOLS),
    ("separator", ".,"),
    ("hyphen", "-"),
    ("number", string.digits),
)

TOKENIZERS: dict[str, Tokenizer] = {
    "13a": Tokenizer(
        tokenize_13a,
        "text is split by 13a, sacreBLEU’s tokenizer",
        Automaton(
            (*_WESTERN_CLASSES, _SPACES, ("markup", "&<\n")),
            space_at_edges=True,
        ),
    ),
    "none": Tokenizer(
        tokenize_none,
        "text is split at spaces only",
        Automaton((_SPACES,)),
    ),
    "intl": Tokenizer(
        tokenize_intl,
        "text is split by intl, at all of Unicode’s punctuation",
        Automaton(
            (
                ("separator", PUNCTUATION),
                ("alone", SYMBOLS),
                ("number", NUMBERS),
                _SPACES,
            ),
        ),
    ),
    "zh": Tokenizer(
        tokenize_zh,
        "Chinese is split into characters (zh)",
        Automaton(
            (("alone", CHINESE), *_WESTERN_CLASSES, _SPACES),
            strips_start=True,
        ),
        splits_unspaced=True,
    ),
    "char": Tokenizer(
        tokenize_char,
        "text is split into characters",
        Automaton((("alone", ((0, 0x10FFFF),)), _SPACES)),
        splits_unspaced=True,
    ),
    "list": Tokenizer(
        tokenize_list,
        "text is split into characters, blanks included, as by Python’s list",
        Automaton((("alone", ((0, 0x10FFFF),)),)),
        splits_unspaced=True,
    ),
    "multi-bleu": Tokenizer(
        tokenize_multi_bleu,
        "text is split at spaces only, as multi-bleu.perl does",
        Automaton((("space", " \t\n\v\f\r"),)),
        ascii_case=True,
    ),
    "ptb": Tokenizer(
        tokenize_ptb,
        "captions are split by ptb, as pycocoevalcap does",
        lower_cases=True,
        rejected=LINE_BREAKS,
    ),
}
