"""What shows in texts: damages with their inverses, records, labels, wrong codecs, ways of writing.

A damage is what a decoder, tokenizer, encoder or serializer did to a text. Its inverse is a
function of this text alone, and makes no choice. How well texts fit can veto an inverse, and is
never a reason for it. To add one, write a `Damage` with its inverse, a `Form` of records, or
a `Writing` in a table.
"""

from __future__ import annotations

import ast
import csv
import html
import json
import quopri
import re
import unicodedata
import urllib.parse
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from itertools import chain, filterfalse
from typing import NamedTuple, TypeGuard

from ..shared.arrays import InputType
from ..shared.messages import LONE_SURROGATE
from .pairs import (
    MEANT_SHARE,
    OTHER_SIDE,
    SIDES,
    Finder,
    Found,
    Pairs,
    Side,
    Undo,
    quote,
    spread,
    undo_all,
)

# --- Inverses -------------------------------------------------------------------------------------


def make_replacer(pattern: str, replacement: str = "") -> Undo:
    """Return a function that replaces all matches, and strips the text.

    >>> make_replacer("@@(?: |$)")("lo@@ w er@@")
    'low er'
    """
    replace = re.compile(pattern).sub
    return lambda text: replace(replacement, text).strip()


# All begin with a bracket, which `re` looks for first.
_IN_BRACKETS = (
    r"<\|(?:im_start|start|start_header_id)\|>(?:\s*(?:assistant|user|system|model)\b\s*)?"
    r"|<start_of_turn>(?:\s*(?:assistant|user|system|model)\b\s*)?"
    r"|<[|｜][^|｜<>\s]{1,40}[|｜]>|<</?SYS>>"
    r"|<(?i:/?(?:s|bos|eos|pad|sos|go|stop|start|end|cls|sep|mask|eot|eod|eou|startoftext|endoftext"
    r"|blank|start_of_turn|end_of_turn|s_text|extra_id_\d+|unused_?\d+|special_\d+|2[a-z]{2,3}"
    r"|lang:[a-z]+)>)"
    r"|\[(?:/?INST|[BES]OS|PAD|CLS|SEP|MASK|START|END|[bes]os|pad|unused\d+)\]"
)
_CODES = (
    r"(?:^|\n)>>[a-z]{2,3}<<"
    r"|^(?:__[a-z]{2,3}(?:_[A-Za-z]+)?__|[a-z]{2}_[A-Z]{2}\b)|\b[a-z]{3}_[A-Z][a-z]{3}\b"
)
MODEL_TOKENS = f"{_IN_BRACKETS}|{_CODES}"
_TOKENS_IN_BRACKETS = re.compile(rf"(?:{_IN_BRACKETS})\s*")
_CODES_OF_LANGUAGES = re.compile(rf"(?:{_CODES})\s*")


def remove_tokens(text: str) -> str:
    """Remove the tokens of models; words on both sides of one stay apart.

    >>> remove_tokens("<s> a cat</s> eng_Latn"), remove_tokens("a<pad> cat")
    ('a cat', 'a cat')
    """
    text = _TOKENS_IN_BRACKETS.sub(_replace_token, text)
    if "_" in text or ">>" in text:
        text = _CODES_OF_LANGUAGES.sub(_replace_token, text)
    return text.strip()


def _replace_token(match: re.Match[str]) -> str:
    is_spaced = match.string[match.start() - 1 : match.start()] == " "
    return " " if match[0][-1] == " " and not is_spaced else ""


def remove_tags(text: str) -> str:
    """Remove tags; a line break becomes a space.

    >>> remove_tags("<p>a<br/>cat</p>")
    'a cat'
    """
    return re.sub(r"</?\w[^<>]*>", "", re.sub(r"(?i)<br\b[^<>]*>\s*", " ", text)).strip()


def decode_bytes(data: bytes, otherwise: str) -> str:
    """Decode UTF-8, or return another text if the bytes are not valid."""
    with suppress(UnicodeDecodeError):
        return data.decode()
    return otherwise


@cache
def _byte_of_letter() -> dict[str, int]:
    """Return the byte that each letter of byte-level BPE stands for, as in GPT-2."""
    letters = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in letters]
    return {
        **{chr(byte): byte for byte in letters},
        **{chr(256 + number): byte for number, byte in enumerate(others)},
    }


def join_byte_pieces(text: str) -> str:
    """Join pieces of byte-level BPE and decode them.

    >>> join_byte_pieces("Un Ġca f Ã© Ġnoir")
    'Un café noir'
    """
    pieces = text.replace(" ", "")
    byte_of = _byte_of_letter()
    is_text = 3 * text.count("Ġ") < len(text.split())  # Maltese has the letter as well
    if is_text or not all(letter in byte_of for letter in pieces):
        return text
    return decode_bytes(bytes(byte_of[letter] for letter in pieces), text).strip()


_ESCAPE = re.compile(
    r"(?:\\u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+|(?:\\[23][0-7]{2})+"
    r"|\\[ntr\\\"'/]|\\[.!()*_#%&$-]"
)


def unescape(text: str) -> str:
    r"""Replace escape sequences by their characters, twice if they were escaped twice.

    >>> unescape(r"caf\u00e9 caf\xc3\xa9 caf\303\251 \"x\" 3\.5")
    'café café café "x" 3.5'
    """
    once = _ESCAPE.sub(_read_escape, text)
    return _ESCAPE.sub(_read_escape, once) if re.search(r"\\[ux]", once) else once


def _read_escape(match: re.Match[str]) -> str:
    """Return the characters of an escape sequence, or of a run of escaped bytes."""
    escape = match[0]
    sign = escape[1]
    if sign == "u":
        codes = [int(code, 16).to_bytes(2, "big") for code in escape.split("\\u")[1:]]
        return b"".join(codes).decode("utf-16-be", "replace")
    if sign in "x23":
        base = 16 if sign == "x" else 8
        data = bytes(int(octet, base) for octet in re.findall(r"\\x?([0-9a-fA-F]+)", escape))
        return decode_bytes(data, data.decode("latin-1"))
    return {"n": "\n", "t": "\t", "r": "\r"}.get(sign, sign)


_NUMPY_CALL = re.compile(r"(?s)^\s*(?:np\.str_|array|tensor)\((.*?)(?:, dtype=[^)]*)?\)\s*$")


def unwrap_literal(text: str) -> str:
    """Return the one text of a Python literal: of a list, bytes, or a string of NumPy.

    >>> unwrap_literal("['a cat']"), unwrap_literal("np.str_('a cat')"), unwrap_literal("[1]")
    ('a cat', 'a cat', '[1]')
    """
    value = evaluate_literal(_NUMPY_CALL.sub(r"\1", text).strip())
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, bytes):
        value = decode_bytes(value, text)
    return value if is_text(value) else text


def evaluate_literal(text: str) -> object:
    """Return the value of a Python literal, or None; its escape sequences may be invalid."""
    with (
        warnings.catch_warnings(),
        suppress(ValueError, SyntaxError, MemoryError, RecursionError, TypeError),
    ):
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)
    return None


def is_text(value: object) -> TypeGuard[str]:
    """Return True for a str without half a character."""
    return isinstance(value, str) and not LONE_SURROGATE.search(value)


def unwrap_quotes(text: str) -> str:
    """Remove the quotation marks around a whole text, unless it contains others.

    >>> unwrap_quotes('"a cat"'), unwrap_quotes('"yes", or "no"')
    ('a cat', '"yes", or "no"')
    """
    inner = text.strip()[1:-1]
    return text if re.search('["“”„«»「」『』]', inner) else inner


# --- Damages of single texts ----------------------------------------------------------------------

_FORMS = "\ufb00-\ufb06\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefc\U0001d400-\U0001d7ff"
_INVISIBLE = "\u0000\u00ad\u200b\u200e\u200f\u2060\ufeff" + "".join(
    map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)

_PROMPT_LABEL = "translation|target|output|answer|response"
_END_OF_THOUGHT = (
    r"</(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis)>|◁/think▷"
    r"|<\|channel\|>final<\|message\|>|assistantfinal|\[/THINK\]"
)
_OPENING = (
    "sure|certainly|of course|absolutely|okay|ok|here(?:['’]s| is| are)|gerne|natürlich|hier ist"
    "|selbstverständlich|bien sûr|voici|claro|por supuesto|aquí (?:está|tiene)|ecco|certo|当然|好的"
    "|以下是|以下は|はい|конечно|вот"
)
_ANSWER = r"final (?:answer|translation)|translation is"


class Damage(NamedTuple):
    """A damage that shows in one text.

    kind: the kind of mistake.
    signs: strings of which each text with a match has one, by which most columns are passed over;
        none for characters beyond ASCII.
    pattern: the pattern of its marks, in RE2's syntax.
    undo: the inverse, or what replaces the marks; None if the text does not say what it was.
    says: the predicate of a sentence about a text.
    fix: the line to write; MARK stands for the mark that is seen.
    only_predictions: True if it is undone in predictions only; in references it is said.
    on_both: True if no text is meant to have it, even if both sides have it.
    least_share: the smallest share of the texts of a side.
    """

    kind: str
    signs: tuple[str, ...]
    pattern: str
    undo: Undo | str | None
    says: str
    fix: str
    only_predictions: bool = False
    on_both: bool = False
    least_share: float = 0.0

    def find(self, pairs: Pairs) -> Iterator[Found]:
        """Find the texts that have it, unless the other side has it, too, or fits less without."""
        # 1. Undo it on both sides. A text that stays the same, or becomes empty, does not have it.
        undo = make_replacer(self.pattern, self.undo) if isinstance(self.undo, str) else self.undo
        new: dict[Side, dict[int, str]] = {}
        for side in SIDES:
            places = pairs.search(side, self.pattern, self.signs)
            new[side] = undo_all(pairs.texts[side], places, undo or (lambda text: f"{text} "))
        share = {side: pairs.share(side, new[side]) for side in SIDES}
        # 2. A mark that the other side has as well is text; no text is in pieces in most rows.
        is_on_both = min(share.values()) > 0.5 and (
            self.on_both or (self.pattern is MODEL_TOKENS and _are_at_ends(pairs, new))
        )
        for side in SIDES:
            is_meant = share[OTHER_SIDE[side]] > MEANT_SHARE * share[side] and not is_on_both
            if is_meant or not new[side] or share[side] < self.least_share:
                continue
            # 3. Tokens that both sides have raise the fit, so that it can't be asked then.
            if not is_on_both and undo and pairs.fits_less(side, new[side]):
                continue
            is_undone = side == "predictions" or not self.only_predictions
            match = re.search(self.pattern, pairs.texts[side][min(new[side])])
            mark = match[0].strip() if match else ""
            yield pairs.describe(
                self.kind,
                side,
                sorted(new[side]),
                self.says.format(mark=quote(mark)),
                self.fix.replace("MARK", repr(mark) if "(MARK" in self.fix else re.escape(mark)),
                pattern=self.pattern,
                undo=undo if is_undone else None,
                undone=new[side],
            )


def _are_at_ends(pairs: Pairs, places_of: Mapping[Side, Iterable[int]]) -> bool:
    """Return True if most texts of both sides begin or end with a token of a model."""
    ends = re.compile(rf"^\s?(?:{MODEL_TOKENS})|(?:{MODEL_TOKENS})\s?$").search
    return all(
        pairs.share(side, [place for place in places if ends(pairs.texts[side][place])]) > 0.5
        for side, places in places_of.items()
    )


TOKENS_OF_MODELS = (
    Damage(
        "reasoning",
        ("</", "[/", "◁/", "<|channel|>", "assistantfinal"),
        rf"(?i){_END_OF_THOUGHT}",
        make_replacer(rf"(?is)^.*(?:{_END_OF_THOUGHT})"),
        "contains the reasoning of a model ({mark})",
        "re.sub(r'(?s)^.*MARK', '', text).strip()",
        only_predictions=True,
    ),
    Damage(
        "reasoning",
        ("[/INST]", "\n"),
        r"(?is)\[/INST\]|^(?:user|human):?\s.*\n(?:assistant|model)(?::|\n)",
        make_replacer(r"(?is)^.*(?:\[/INST\]|\n(?:assistant|model)(?::|\n))"),
        "contains the prompt",
        "tokenizer.decode(ids[prompt_length:], skip_special_tokens=True)",
        only_predictions=True,
    ),
    Damage(
        "reasoning",
        (":", "："),
        rf"(?i)(?:{_ANSWER})\**[:：]|\n(?:{_PROMPT_LABEL})[:：] ",
        make_replacer(rf"(?is)^.*(?:{_ANSWER}|\n(?:{_PROMPT_LABEL}))\**[:：]\**\s*"),
        "contains the steps of a model, or the prompt, before {mark}",
        "re.sub(r'(?s)^.*MARK', '', text).strip()",
        only_predictions=True,
    ),
    Damage(
        "special_tokens",
        ("<0x",),
        "<0x[0-9A-F]{2}>",
        lambda text: re.sub(
            "(?:<0x[0-9A-F]{2}>)+",
            lambda run: bytes.fromhex(re.sub("<0x|>", "", run[0])).decode("utf-8", "replace"),
            text,
        ),
        "contains bytes as tokens ({mark})",
        "tokenizer.decode(ids)",
        on_both=True,
    ),
    Damage(
        "special_tokens",
        ("<", "[", ">>", "_"),
        MODEL_TOKENS,
        remove_tokens,
        "contains tokens of a model ({mark})",
        "tokenizer.decode(ids, skip_special_tokens=True)",
    ),
)
FORMS_OF_TEXT = (
    Damage(
        "subwords",
        ("@@",),
        r"[^\s@]@@(?: |$)",
        make_replacer("@@(?: |$)"),
        "contains pieces of words (@@)",
        "re.sub('@@( |$)', '', text)",
        on_both=True,
    ),
    Damage(
        "subwords",
        ("▁",),
        "▁",
        lambda text: text.replace(" ", "").replace("▁", " ").strip(),
        "contains pieces of words (▁)",
        "text.replace(' ', '').replace('▁', ' ').strip()",
        on_both=True,
    ),
    Damage(
        "subwords",
        (" ##",),
        r"\w ##\w",
        lambda text: text.replace(" ##", "").strip(),
        "contains pieces of words (##)",
        "text.replace(' ##', '')",
        on_both=True,
    ),
    Damage(
        "subwords",
        ("Ġ",),
        "Ġ",
        join_byte_pieces,
        "contains pieces of byte-level BPE (Ġ)",
        "tokenizer.convert_tokens_to_string(text.split())",
        on_both=True,
    ),
    Damage(
        "subwords",
        ("￭",),
        "￭",
        make_replacer(" ?￭ ?"),
        "contains joiners (￭)",
        "re.sub(' ?￭ ?', '', text)",
        on_both=True,
    ),
    Damage(
        "subwords",
        ("</w>",),
        "</w>",
        lambda text: text.replace(" ", "").replace("</w>", " ").strip(),
        "contains ends of words (</w>)",
        "text.replace(' ', '').replace('</w>', ' ').strip()",
        on_both=True,
    ),
    Damage(
        "subwords",
        ("  ",),
        r"^[^ ] [^ ] (?:[^ ] )*  (?:. )+.$",
        lambda text: text[::2],
        "has a space between all characters",
        "text[::2]",
        on_both=True,
    ),
    Damage(
        "subwords",
        ("<space>", " | ", " _ "),
        r"^(?:\S )+(?:<space>|[|_]) (?:\S |<space> )*\S$",
        lambda text: (
            text.replace(" ", "")
            .replace("<space>", " ")
            .replace("|", " ")
            .replace("_", " ")
            .strip()
        ),
        "has spaces between characters, and a sign for spaces",
        "re.sub(r'<space>|[|_]', ' ', text.replace(' ', ''))",
    ),
    Damage(
        "subwords",
        ("_", "/"),
        r"^(?:\S+[_/][A-Z]{2,5}\b[$]? ){2,}",
        make_replacer(r"[_/][A-Z]{2,5}[$]?(?= |$)"),
        "has tags of words",
        "re.sub('_[A-Z]+', '', text)",
    ),
    Damage(
        "subwords",
        ("|",),
        r"^(?:[^\s|]+\|[^\s|]+\|[^\s|]+ ){2,}",
        make_replacer(r"\|\S+"),
        "has factors of words",
        r"re.sub(r'\|\S+', '', text)",
    ),
    Damage(
        "subwords",
        ("|",),
        r"\|\d+-\d+\|",
        make_replacer(r" ?\|\d+-\d+\|"),
        "has the phrases of Moses ({mark})",
        r"re.sub(r' ?\|\d+-\d+\|', '', text)",
    ),
    Damage(
        "wrapped",
        ("<",),
        r"</?(?i:translation|output|answer|response)>",
        "",
        "contains a tag of a prompt ({mark})",
        "re.sub('</?(?:translation|output|answer|response)>', '', text).strip()",
        only_predictions=True,
    ),
    Damage(
        "wrapped",
        ("```",),
        r"(?s)^\s*```\w*\n.*```\s*$",
        make_replacer(r"(?s)^\s*```\w*\n(.*?)\n?```\s*$", r"\1"),
        "is a block of code (```)",
        r"re.sub('(?s)^```\w*\n(.*)\n```$', r'\1', text)",
        only_predictions=True,
    ),
    Damage(
        "wrapped",
        ("['", '["', "('", '("', "b'", 'b"'),
        r"""(?s)^\s*(?:(?:np\.str_|array|tensor)\()?[\[(]*b?(?:'.*'|".*")[\],)].*$|^b(?:'.*'|".*")$""",
        unwrap_literal,
        "is a Python value as text",
        "[ast.literal_eval(text) for text in predictions]",
    ),
    Damage(
        "wrapped",
        ("msgstr",),
        r'(?s)^(?:#.*\n|msgid .*\n)*msgstr ".*"\s*$',
        make_replacer(r'(?s)^.*msgstr "(.*)"\s*$', r"\1"),
        "is an entry of gettext",
        "[entry.msgstr for entry in polib.pofile(path)]",
    ),
    Damage(
        "wrapped",
        ("</", "<![CDATA["),
        r"(?s)^\s*<!\[CDATA\[.*\]\]>\s*$|^\s*<(?:\w[^<>]*)>[^<>]*</\w+>\s*$",
        make_replacer(
            r"(?s)^\s*<!\[CDATA\[(.*)\]\]>\s*$|^\s*<\w[^<>]*>([^<>]*)</\w+>\s*$", r"\1\2"
        ),
        "is an element of XML",
        "xml.etree.ElementTree.fromstring(text).text",
    ),
    Damage(
        "wrapped",
        (" --> ",),
        r"^\d+\n[\d:,.]+ --> [\d:,.]+\n",
        "",
        "is a block of subtitles",
        r"re.sub(r'^\d+\n[\d:,.]+ --> [\d:,.]+\n', '', text)",
    ),
    Damage(
        "markup",
        ("](", "[["),
        r"\[([^\[\]\n]{1,200})\]\((?:https?:|/|#)[^)\s]{0,500}\)|\[\[(?:[^\[\]\n|]{0,200}\|)?([^\[\]\n]{1,200})\]\]",
        r"\1\2",
        "contains links",
        r"re.sub(r'\[(.+?)\]\(\S+?\)', r'\1', text)",
        only_predictions=True,
    ),
    Damage(
        "markup",
        ("<",),
        (
            r"(?i)</?(?:br|p|b|i|u|em|strong|span|div|font|sup|sub|a|li|ul|h\d|seg|g|x|bpt|ept|ph|hl)\b"
            "[^<>]*>"
        ),
        remove_tags,
        "contains tags ({mark})",
        "re.sub('<.*?>', '', text)",
    ),
    Damage(
        "escapes",
        ("\\",),
        r"""\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[23][0-7]{2}|[ntr"'/]|[.!()*_#%&$-])""",
        unescape,
        "contains escape sequences ({mark})",
        "json.loads(f'\"{text}\"')",
    ),
    Damage(
        "escapes",
        ("%",),
        "%[0-9A-F]{2}",
        lambda text: urllib.parse.unquote(text) if " " in text else urllib.parse.unquote_plus(text),
        "is encoded like a URL ({mark})",
        "urllib.parse.unquote(text)",
    ),
    Damage(
        "escapes",
        ("=",),
        "=[0-9A-F]{2}=[0-9A-F]{2}",
        lambda text: decode_bytes(quopri.decodestring(text.encode()), text),
        "is quoted-printable ({mark})",
        "quopri.decodestring(text).decode()",
    ),
    Damage(
        "escapes",
        ("+",),
        r"\+[A-C][A-Za-z0-9/]{2,}-",
        lambda text: text.encode().decode("utf-7", "ignore").encode("utf-8", "ignore").decode(),
        "is UTF-7 ({mark})",
        "text.encode().decode('utf-7')",
    ),
    Damage(
        "escapes",
        ("u0",),
        "u0[0-9a-f]{3}",
        lambda text: unescape(re.sub("(u[0-9a-f]{4})", r"\\\1", text)),
        "contains escape sequences without their backslash ({mark})",
        "[json.loads(line) for line in open(path)]",
    ),
    Damage(
        "entities",
        ("&",),
        (
            r"&(?:#\d{2,6}|#x[0-9a-fA-F]{2,5}|[a-zA-Z]{2,8});"
            r"|&(?:[a-zA-Z](?:acute|grave|uml|circ|tilde|ring|cedil)|szlig|nbsp|quot)"
        ),
        lambda text: html.unescape(html.unescape(text)),
        "contains entities ({mark})",
        "html.unescape(text)",
    ),
)
UNUSUAL_CHARACTERS = (
    Damage(
        "invisible",
        ("\x1b",),
        r"\x1b\[[0-9;]*m",
        "",
        "contains the colors of a terminal",
        r"re.sub(r'\x1b\[[0-9;]*m', '', text)",
    ),
    Damage(
        "invisible",
        tuple(_INVISIBLE),
        f"[{_INVISIBLE}]",
        "",
        "contains characters without a width ({mark})",
        "text.replace(MARK, '')",
    ),
    Damage(
        "normalization",
        (),
        f"[{_FORMS}]",
        lambda text: re.sub(
            f"[{_FORMS}]+", lambda run: unicodedata.normalize("NFKC", run[0]), text
        ),
        "contains presentation forms, ligatures or mathematical letters ({mark})",
        "unicodedata.normalize('NFKC', text)",
    ),
    Damage(
        "normalization",
        (),
        r"[^\x00-\x7f]",
        partial(unicodedata.normalize, "NFC"),
        "is not in Unicode's composed form",
        "unicodedata.normalize('NFC', text)",
    ),
    *(
        Damage(
            "spaces",
            (sign,),
            rf"^\s*\S+[{sign}]\S+[{sign}]\S+\s*$",
            partial(re.sub, re.escape(sign), " "),
            f"has {sign} instead of spaces",
            f"text.replace({sign!r}, ' ')",
            least_share=0.05,
        )
        for sign in "_|·+␣"
    ),
)
INTRODUCTIONS = (
    Damage(
        "labels",
        (":", "："),
        (
            rf"(?i)^[\"*]{{0,3}}(?:(?:{_OPENING})[^\n:：]{{0,90}}[:：][\"*]{{0,3}}\s*\n"
            rf"|(?:(?:{_OPENING})\b)?[^\n:：]{{0,50}}(?:translat(?:ion|ed)|übersetz|traduc|traduzion|vertal|tłumacz|перевод|翻译|译文|翻訳|訳文)[^\n:：]{{0,40}}[:：][\"*]{{0,3}}\s)\s*"
        ),
        "",
        "begins with an introduction ({mark})",
        r"re.sub(r'^.*?[:：]\s*', '', text)",
        only_predictions=True,
    ),
)

# --- Damages of token ids -------------------------------------------------------------------------

# Token ids: -100 as an integer of 16, 32 and 64 bits without a sign.
UNSIGNED_IDS = Damage(
    "wrapped",
    ("65436", "4294967196", "18446744073709551516"),
    r"(?:^| )(?:65436|4294967196|18446744073709551516)\b",
    "",
    "contains {mark}, which is -100 as an integer without a sign",
    "[id for id in ids if id < 2**16 - 100]",
)


def find_padding(pairs: Pairs) -> Iterator[Found]:
    """Find an id that stands several times at the ends of a fifth of the rows."""
    for side in SIDES:
        ends = (re.search(r"(?:^| )(\d+) \1$", text) for text in pairs.texts[side])
        counts = Counter(end[1] for end in ends if end)
        for padding, number in counts.most_common(1):
            if number >= max(2, 0.2 * len(pairs.texts[side])):
                pattern = rf"(?:(?:^| ){padding})+$"
                places = pairs.search(side, pattern)
                yield pairs.describe(
                    "special_tokens",
                    side,
                    places,
                    f"ends with the id {padding} several times: padding",
                    f"[id for id in ids if id != {padding}]",
                    pattern=pattern,
                    undo=make_replacer(pattern),
                    undone=undo_all(pairs.texts[side], places, make_replacer(pattern)),
                )


# --- Records: texts with several fields -----------------------------------------------------------

Fields = Mapping[str, object]  # by the expressions that read them


def list_leaves(value: object, path: str = "", depth: int = 5) -> Iterator[tuple[str, object]]:
    """Yield the values in a nested object, with the expressions that read them; 3 of a list.

    >>> dict(list_leaves({"id": 7, "out": ["a cat"]}))
    {"['id']": 7, "['out'][0]": 'a cat'}
    """
    if not depth or not isinstance(value, (dict, list, tuple)):
        yield path, value
        return
    for key, each in value.items() if isinstance(value, dict) else enumerate(value[:3]):
        yield from list_leaves(each, f"{path}[{key!r}]", depth - 1)


@lru_cache(maxsize=64)  # a record is read to know its fields, and to take one
def read_json(text: str) -> Fields:
    """Return the fields of JSON, or none."""
    with suppress(ValueError, RecursionError):
        return dict(list_leaves(json.loads(text.strip().removeprefix("data:"))))
    return {}


def read_literal(text: str) -> Fields:
    """Return the fields of a Python literal, or none."""
    return dict(list_leaves(evaluate_literal(text.strip())))


class Form(NamedTuple):
    """A form of records.

    signs, pattern: as in `Damage`.
    read: the function from a text to its fields.
    code: the expression for the record.
    is_weak: True for a separator that texts have as well: other fields than texts must be numbers.
    """

    signs: tuple[str, ...]
    pattern: str
    read: Callable[[str], Fields]
    code: str
    is_weak: bool = False


def _separated(separator: str, pattern: str = "", *, is_weak: bool = False) -> Form:
    """Return the form of fields between separators; those of CSV may be in quotes."""

    def read(text: str) -> Fields:
        fields = text.split(separator)
        if separator == ",":
            fields = next(csv.reader([text.replace("\n", " ")]), [])
        return {f"[{number}]": field for number, field in enumerate(fields)}

    code = "next(csv.reader([text]))" if separator == "," else f"text.split({separator!r})"
    return Form((separator,), pattern or re.escape(separator), read, code, is_weak)


_OBJECT = r"(?s)^\s*(?:data:\s*)?[\[{].*[\]}]\s*$"
RECORDS = (
    Form(("[", "{"), _OBJECT, read_json, "json.loads(text)"),
    Form(("[", "{"), _OBJECT, read_literal, "ast.literal_eval(text)"),
    _separated("\t"),
    _separated(" ||| "),
    _separated("|||"),
    _separated("|", is_weak=True),
    _separated(";", is_weak=True),
    _separated(",", r"^\d+,", is_weak=True),
    _separated(",", r'(?s)^".*",".*"$'),
)


def holds_text(values: Sequence[object]) -> bool:
    """Return True if a field has texts, not numbers, names or the same few words.

    >>> holds_text(["a cat sat", "a dog", "the owl flew"]), holds_text(["de-en"] * 3)
    (True, False)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < 0.8 * len(values) or (len(values) > 2 and len(set(texts)) < 3):
        return False
    written = [
        text
        for text in texts
        if (" " in text.strip() or not text.isascii())
        and sum(map(str.isalpha, text)) + text.count(" ") > 0.6 * len(text)
    ]
    return len(written) > 0.5 * len(texts)


def find_records(pairs: Pairs) -> Iterator[Found]:
    """Find texts that are a record: its only field with text is taken, of several none."""
    for side in SIDES:
        for form in RECORDS:
            hits, others = (
                pairs.search(each, form.pattern, form.signs) for each in (side, OTHER_SIDE[side])
            )
            share = pairs.share(side, hits)
            is_meant = pairs.share(OTHER_SIDE[side], others) > MEANT_SHARE * share
            if not hits or is_meant or (form.is_weak and share < 0.2):
                continue
            found = list(_find_form(pairs, form, side, hits))
            yield from found
            if any(each.undo for each in found):
                break  # JSON may be a Python literal as well


def _find_form(pairs: Pairs, form: Form, side: Side, places: Sequence[int]) -> Iterator[Found]:
    """Find the field with text in the records of a form."""
    # 1. Nearly all records have the same fields.
    texts = pairs.texts[side]
    records = [form.read(texts[place]) for place in spread(places, 200)]
    paths, count = Counter(map(tuple, records)).most_common(1)[0]
    if count < 0.9 * len(records) or len(paths) > 50 or paths in ((), ("",), ("[0]",)):
        return
    columns = {
        path: [fields[path] for fields in records if tuple(fields) == paths] for path in paths
    }
    holding = [path for path in paths if holds_text(columns[path])]
    others = [str(value) for path in paths if path not in holding for value in columns[path]]
    if not holding or (
        form.is_weak
        and not (others and all(re.fullmatch(r"[-.]?\d[-\d.]*", text.strip()) for text in others))
    ):
        return
    # 2. One field has text: it is the text. Of several, the user chooses.
    undo = partial(_read_field, form=form, path=holding[0]) if len(holding) == 1 else None
    new = undo_all(texts, places, undo) if undo else {}
    if undo and pairs.fits_less(side, new):
        return
    fix = " # or ".join([form.code + holding[0], *holding[1:]])
    says = f"is a record with {len(paths)} fields"
    if side == "references" and 1 < len(holding) == len(paths):
        fix = f"[{form.code} for text in references]"
        says = f"has {len(paths)} texts in one cell"
    yield pairs.describe("records", side, places, says, fix, undo=undo, undone=new)


def _read_field(text: str, form: Form, path: str) -> str:
    value = form.read(text).get(path)
    return value.strip() if is_text(value) else text


TOKEN_LISTS = Damage(
    "records",
    ("['", '["'),
    r"""(?s)^\s*\[(?:'[^' ]*'|"[^" ]*")(?:,\s*(?:'[^' ]*'|"[^" ]*"))+\]\s*$""",
    None,
    "is a list of tokens as text",
    "[ast.literal_eval(text) for text in predictions]",
)


def find_lines(pairs: Pairs) -> Iterator[Found]:
    """Find texts of several lines, longer than their partners, which have one line."""
    lines = {side: pairs.search(side, r"\S *\n\s*\S", ("\n",)) for side in SIDES}
    for side in SIDES:
        texts = pairs.texts[side]
        long = [
            place
            for place in lines[side]
            if len(texts[place]) > 1.25 * max(map(len, pairs.list_partners(side, place)))
        ]
        counts = Counter(texts[place].count("\n") for place in long)
        is_frequent = len(long) > max(1, 0.02 * len(texts), 0.5 * len(lines[side]))
        is_frequent &= max(counts.values(), default=0) > 0.8 * len(long)  # as many lines in most
        is_meant = pairs.share(
            OTHER_SIDE[side], lines[OTHER_SIDE[side]]
        ) >= MEANT_SHARE * pairs.share(side, long)
        if is_frequent and not is_meant:
            yield pairs.describe(
                "records",
                side,
                long,
                "has several lines, and its partners have one",
                "text.split('\\n')[0]  # or [-1]",
                pattern="\n",
            )


# --- Labels: the same beginning or end ------------------------------------------------------------

SPEECH = "-—–\"“„«»「『'‘"  # marks at the beginning of speech


def find_labels(pairs: Pairs) -> Iterator[Found]:
    """Find the beginning or end of most texts of one side that hardly any text of the other has."""
    for side in SIDES:
        different = list(dict.fromkeys(spread(pairs.texts[side], 2000)))
        for is_end in (False, True):
            label = _find_label(different, is_end)
            if label in ("- ", "• ", "– ") or not re.fullmatch(
                r"[\s.,!?…\"'“”„«»()\-–—¿¡:;。！？，、।؟》《」「]{0,2}", label
            ):
                yield from _describe_label(pairs, side, label, is_end)


def _describe_label(pairs: Pairs, side: Side, label: str, is_end: bool) -> Iterator[Found]:
    # 1. Hardly any text of the other side has the label, or its first characters.
    texts = pairs.texts[side]
    body = _write_pattern(label.strip(" "))
    pattern = rf"\s*{body}\s*$" if is_end else rf"^\s*{body} *"
    places = pairs.search(side, pattern)
    others = 20 * len(pairs.search(OTHER_SIDE[side], pattern))
    if len(label.strip()) > 2:
        others += 3 * len(pairs.search(OTHER_SIDE[side], _write_pattern(label.strip()[:12])))
    edge = label.strip()[-1 if is_end else 0 :][:1]
    if edge in SPEECH + "{}[]()<>":  # marks of speech or records, as in the other side's texts
        marks = re.escape(SPEECH if edge in SPEECH else edge)
        others += 3 * len(
            pairs.search(OTHER_SIDE[side], rf"[{marks}]\s*$" if is_end else rf"^\s*[{marks}]")
        )
    if len(places) < 3 or others > pairs.share(side, places) * len(pairs.texts[OTHER_SIDE[side]]):
        return
    # 2. It is cut if it ends in a sign of labels, or has no letters: words may be translated.
    edge = label.lstrip(" ")[:1] if is_end else label.rstrip(" ")[-1:]
    is_sign = (
        edge in ("([<{|\t\n=*~_-" if is_end else ":：>]){([}|\t\n=–—→*~-")
        or not re.search(r"[^\W\d]", label)
        or (not is_end and edge in "\"'" and re.search("[:=(]", label) is not None)
    )
    undo = make_replacer(pattern) if is_sign and side == "predictions" else None
    new = undo_all(texts, places, undo) if undo else {}
    if undo and (len(new) < 0.9 * len(places) or pairs.fits_less(side, new)):
        return
    # 3. The sentence shows the label as it stands in the first text.
    match = re.search(pattern, texts[places[0]])
    shown = match[0] if match else label
    fix = f"[text for text in {side} if text.{'endswith' if is_end else 'startswith'}({shown!r})]"
    yield pairs.describe(
        "labels",
        side,
        places,
        f"{'ends' if is_end else 'begins'} with {quote(shown)}",
        f"re.sub({pattern!r}, '', text)" if undo else fix,
        pattern=pattern,
        undo=undo,
        undone=new,
        is_told=is_sign and (side == "predictions" or len(label.strip()) > 2),
    )


def _write_pattern(label: str) -> str:
    # Numbers with optional spaces between them could be divided in too many ways.
    pattern = re.escape(label).replace(r"\ 0", r"\s+\d+").replace(r"\ ", r"\s*")
    return pattern.replace("0", r"\d+")


def _find_label(texts: Sequence[str], is_end: bool) -> str:
    """Return the longest beginning or end that most texts have; numbers are written as 0.

    >>> _find_label(["1: a", "22: b", "3: a"] * 2, is_end=False)
    '0: '
    """
    if len(texts) < 6:
        return ""
    ends = [re.sub(r"\d+", "0", text[-120:] if is_end else text[:120]) for text in texts]
    ends = sorted(end[::-1] for end in ends) if is_end else sorted(ends)
    # What more than half of the sorted texts begin with, the middle one begins with. A longer label
    # must not leave many texts behind that begin like it.
    middle = ends[len(ends) // 2]
    least = max(0.5 * len(ends), 0.9 * sum(end.startswith(middle[:2]) for end in ends))
    length = 0
    while length < len(middle) and (
        sum(end.startswith(middle[: length + 1]) for end in ends) >= least
    ):
        length += 1
    label = re.sub(r"[^\W\d]+\Z", "", middle[:length])  # without an incomplete word
    if is_end:
        label = label[::-1].lstrip(" .!?,\"'”’»)。！？…") or label[::-1]
    return label


# --- Quotation marks around texts -----------------------------------------------------------------

QUOTES = Damage(
    "wrapped",
    tuple("\"“„«「『'"),
    "(?s)^\\s*[\"“„«「『'].*[\"”“»」』']\\s*$",
    unwrap_quotes,
    "is between quotation marks",
    "text.strip()[1:-1]",
    least_share=0.5,
)


def find_quotes(pairs: Pairs) -> Iterator[Found]:
    """Find quotation marks around most texts of one side, unless the other one marks speech."""
    for found in QUOTES.find(pairs):
        if (
            pairs.share(
                OTHER_SIDE[found.side],
                pairs.search(OTHER_SIDE[found.side], rf"^\s*[{re.escape(SPEECH)}]"),
            )
            < 0.2
        ):
            yield found


# --- Texts that were decoded with the wrong codec ------------------------------------------------

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


# --- Ways of writing ------------------------------------------------------------------------------

_SIGNS_OF_QUOTES = '“”„‟«»「」『』″"'
_APOSTROPHES = "’‘‚‛‹›ʼ´`′'"
_TO_PLAIN = {
    **dict.fromkeys((*_SIGNS_OF_QUOTES, "``", "''"), '"'),
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys("–—‑−‐―", "-"),
    "…": "...",
    "\u3000": " ",
    "。": ".",
    "।": ".",
}

_UNPLAIN = re.compile(f"``|''|[{''.join(_TO_PLAIN)}\uff01-\uff5e\uff65-\uff9f०-९٠-٩]")


def write_plainly(text: str) -> str:
    """Write quotation marks, dashes, ellipses and full-width signs in their plain form.

    >>> write_plainly("“A” – b…　７")
    '"A" - b... 7'
    """
    if text.isascii() and "``" not in text and "''" not in text:
        return text
    return _UNPLAIN.sub(_write_sign, text)


def _write_sign(match: re.Match[str]) -> str:
    narrow = unicodedata.normalize("NFKC", match[0])
    return _TO_PLAIN.get(match[0]) or str(unicodedata.digit(match[0], narrow))


def strip_accents(text: str) -> str:
    """Remove accents and vowel signs.

    >>> strip_accents("déjà")
    'deja'
    """
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFD", text)))


def detokenize(text: str) -> str:
    """Attach detached marks to their words.

    >>> detokenize("He said , it 's well @-@ known .")
    "He said, it's well-known."
    """
    text = text.replace(" @-@ ", "-")
    text = re.sub(r" ([.,!?;:)\]»”%…।。])", r"\1", text)
    text = re.sub(r"([(\[«“¿¡]) ", r"\1", text)
    return re.sub(r" (n['’]t|['’] ?(?:s|t|re|ve|ll|d|m))\b", lambda m: m[1].replace(" ", ""), text)


_TRADITIONAL = (
    "燈橋張著們這國來說時為會對學過還開關發現點經問題話語電機車東長門馬魚鳥見風飛書買賣讀寫醫圖廣產業樂習"
    "專讓認識請誰謝錢鐵銀錯難頭兒幾氣漢軍農務動華單雙變聽員團場處備實將師帶應當總戰斷無顯術權樣沒"
    "靈熱愛環畫種節紀紅線練組細終結給統繼續維網羅聯職腦藥營雖補觀規覺計訂討訓議記講許論設訪證評詞"
    "試詩誠詳調談責敗貨質購費資賽趙趨躍軌轉輪軟輕載較輛輸達運進遠連遲選遞郵釋裡針鐘鋼鍵閃閉間聞陽"
    "陰隊階際陸險隨隱靜頂項順須預領頻顆顏額飯飲館駐驗魯雞麥黃齊"
)
_SIMPLIFIED = (
    "灯桥张着们这国来说时为会对学过还开关发现点经问题话语电机车东长门马鱼鸟见风飞书买卖读写医图广产业乐习"
    "专让认识请谁谢钱铁银错难头儿几气汉军农务动华单双变听员团场处备实将师带应当总战断无显术权样没"
    "灵热爱环画种节纪红线练组细终结给统继续维网罗联职脑药营虽补观规觉计订讨训议记讲许论设访证评词"
    "试诗诚详调谈责败货质购费资赛赵趋跃轨转轮软轻载较辆输达运进远连迟选递邮释里针钟钢键闪闭间闻阳"
    "阴队阶际陆险随隐静顶项顺须预领频颗颜额饭饮馆驻验鲁鸡麦黄齐"
)


@lru_cache(maxsize=4)  # several measurements ask for the same text
def count_signs(text: str) -> Counter[str]:
    """Count the characters of a text."""
    return Counter(text)


def _count_spaces(text: str) -> int:
    """Count the spaces between words; two in a row, or one without a break, are one."""
    return sum(max(0, len(line.split()) - 1) for line in text.split("\n"))


def _make_counter(pattern: str) -> Callable[[str], int]:
    find_all = re.compile(pattern).findall
    return lambda text: len(find_all(text))


def _count_if(test: Callable[[str], bool]) -> Callable[[str], int]:
    is_counted = cache(test)
    return lambda text: sum(
        number for sign, number in count_signs(text).items() if is_counted(sign)
    )


class Writing(NamedTuple):
    """A way of writing: the share of some characters, which differs between the sides.

    count: the function that counts them in a text.
    among: the function that counts those that could be them.
    least, most: the share of the side that has them, and of the side that lacks them.
    says: the predicate of a sentence about the side that lacks them, or has too many of them.
    is_said_of_more: True if the sentence is about the side that has them.
    fix: the line to write.
    alike: the function that writes all columns alike; None if only the texts before can do that.
    kind: the kind of mistake.
    """

    count: Callable[[str], int]
    among: Callable[[str], int]
    least: float
    most: float
    says: str
    fix: str
    alike: Undo | None
    is_said_of_more: bool = False
    kind: str = "writing"


_count_cased = _count_if(lambda sign: sign.lower() != sign.upper())
_count_capitals = _count_if(str.isupper)
_count_written = _count_if(lambda sign: not sign.isspace())
_count_arabic = _count_if(lambda sign: "\u05d0" <= sign <= "\u06ff")
_IGNORE_CASE = "lowercase=True"
_BEFORE = "Use the texts before {} were removed"
_VOWEL_SIGNS = "[\u0591-\u05c7\u064b-\u0652]"


def _translate(old: str, new: str, least: float, most: float, says: str, kind: str) -> Writing:
    """Return the record of letters that have two forms, one of which is written in all columns."""
    table = str.maketrans(old, new)
    fix = f"text.translate(str.maketrans({old[:4]!r}, {new[:4]!r}))"
    count, among = (_count_if(frozenset(signs).__contains__) for signs in (old, old + new))
    return Writing(
        count, among, least, most, says, fix, lambda text: text.translate(table), True, kind
    )


WRITINGS = (
    Writing(
        _count_capitals, _count_cased, 0.015, 0.003, "are in lower case", _IGNORE_CASE, str.lower
    ),
    Writing(
        _count_capitals, _count_cased, 0.8, 0.3, "are in capitals", _IGNORE_CASE, str.lower, True
    ),
    Writing(
        _make_counter(r"\b[A-ZА-Я][a-zа-я]"),
        _make_counter(r"\b[A-ZА-Яa-zа-я][a-zа-я]"),
        0.75,
        0.45,
        "have a capital in each word",
        _IGNORE_CASE,
        str.lower,
        True,
    ),
    Writing(
        _count_if(
            lambda sign: (
                len(unicodedata.normalize("NFD", sign)) > 1 or unicodedata.combining(sign) > 0
            )
        ),
        _count_if(str.isalpha),
        0.012,
        0.002,
        "have no accents",
        _BEFORE.format("accents"),
        strip_accents,
    ),
    Writing(
        _count_if(lambda sign: unicodedata.category(sign)[0] in "PS"),
        len,
        0.015,
        0.002,
        "have no punctuation",
        _BEFORE.format("punctuation marks"),
        make_replacer(r"[^\w\s]+"),
    ),
    Writing(
        _make_counter(r" [.,)।](?= |\n|$)"),
        _make_counter(r"[.,)।](?=[ \n]|$)"),
        0.6,
        0.1,
        "have detached punctuation",
        "sacremoses.MosesDetokenizer().detokenize(text.split())",
        detokenize,
        True,
    ),
    Writing(
        _make_counter(_VOWEL_SIGNS),
        _count_arabic,
        0.1,
        0.02,
        "have no vowel signs",
        _BEFORE.format("vowel signs"),
        make_replacer(_VOWEL_SIGNS),
    ),
    Writing(
        _count_if(lambda sign: "\uff01" <= sign <= "\uff5e"),
        _count_written,
        0.2,
        0.02,
        "are written in full width",
        "unicodedata.normalize('NFKC', text)",
        write_plainly,
        True,
        "typography",
    ),
    _translate(_TRADITIONAL, _SIMPLIFIED, 0.6, 0.3, "have traditional characters", "writing"),
    _translate("şţŞŢ", "șțȘȚ", 0.6, 0.1, "have letters with a cedilla", "normalization"),
    _translate("يك", "یک", 0.6, 0.1, "have Arabic forms of letters", "normalization"),
    Writing(
        _count_spaces,
        _count_written,
        0.08,
        0.03,
        "have no spaces between words",
        _BEFORE.format("spaces"),
        None,
        kind="spaces",
    ),
    Writing(
        _count_if("\u200c".__eq__),
        _count_arabic,
        0.004,
        0.0005,
        "have no half spaces (U+200C)",
        _BEFORE.format("half spaces"),
        None,
        kind="spaces",
    ),
)

_TYPOGRAPHY = {
    "quotation marks": f"[{_SIGNS_OF_QUOTES}]",
    "apostrophes": f"[{_APOSTROPHES}]",
    "dashes": "[–—−-]",
    "ellipses": r"…|\.\.\.",
    "commas": "[,，、]",
    "digits": "[०-९٠-٩]|[0-9]",
    "full stops": "[。।.．]",
}


def find_writing(pairs: Pairs) -> Iterator[Found]:
    """Find ways of writing that differ between the sides; none is a mistake of one text."""
    sample = {side: pairs.sample(side) for side in SIDES}
    measure = cache(lambda count, side: count(sample[side]))  # records share their functions
    are_words = not pairs.is_unspaced and len(sample["references"]) > 20 * (
        1 + sample["references"].count("\n")
    )
    said = {_IGNORE_CASE} if pairs.options.lowercase else set()
    for writing in WRITINGS:
        # 1. Enough characters on both sides, and no other record or option that has said it.
        among = {side: measure(writing.among, side) for side in SIDES}
        is_known = writing.fix in said or (writing.kind == "spaces" and not are_words)
        if is_known or min(among.values()) < 12:
            continue
        # 2. One side has the characters and the other lacks them, in all rows or in a part.
        share = {side: measure(writing.count, side) / among[side] for side in SIDES}
        if max(measure(writing.count, side) for side in SIDES) < 5:
            continue
        lacking = min(SIDES, key=share.__getitem__)
        side = OTHER_SIDE[lacking] if writing.is_said_of_more else lacking
        places = [place for place, text in enumerate(pairs.texts[side]) if text]
        sentence = f"The {side} {writing.says}, unlike the {OTHER_SIDE[side]}"
        if share[OTHER_SIDE[lacking]] < writing.least or share[lacking] > writing.most:
            is_part = share[lacking] < 0.85 * share[OTHER_SIDE[lacking]] > 0.3 * writing.least
            places = _list_unlike(pairs, writing, side) if is_part and writing.alike else []
            if len(places) <= max(3, 0.3 * len(pairs.texts[side])):
                continue
            sentence = f"{len(places):,} of {pairs.count(side)} {writing.says}, unlike the others"
        said.add(writing.fix)
        yield pairs.describe_all(
            writing.kind,
            side,
            places,
            sentence,
            writing.fix,
            alike=writing.alike,
            is_told=writing.kind != "typography",
        )


def _list_unlike(pairs: Pairs, writing: Writing, side: Side) -> list[int]:
    """Return the texts of a side that are written in a way their partners are not.

    None, if it is the other way round in other rows: then it is a way of no side.
    """
    unlike: tuple[list[int], list[int]] = ([], [])  # the text lacks the characters, or its partner
    for place, text in enumerate(pairs.texts[side]):
        texts = [text, *pairs.list_partners(side, place)[:1]]
        shares = [writing.count(each) / max(1, writing.among(each)) for each in texts]
        fewest = 1 if writing.among is len else 2  # a sentence may end in its only mark
        is_clear = max(map(writing.count, texts)) >= fewest and max(shares) >= writing.least
        is_whole = min(map(len, texts)) > 0.75 * max(map(len, texts))
        if is_clear and is_whole and min(shares) <= writing.most:
            unlike[shares.index(min(shares))].append(place)
    places, others = reversed(unlike) if writing.is_said_of_more else unlike
    return places if len(others) < 0.1 * len(places) else []


def find_typography(pairs: Pairs) -> Iterator[Found]:
    """Find the quotation mark, dash or other sign whose share differs most between the sides."""
    gaps = []
    for name, pattern in _TYPOGRAPHY.items() if pairs.is_asked else ():
        signs = {side: Counter(re.findall(pattern, pairs.sample(side))) for side in SIDES}
        if not all(signs.values()) or max(found.total() for found in signs.values()) < 3:
            continue
        for side in SIDES:
            for sign, number in signs[side].items():
                others = signs[OTHER_SIDE[side]]
                share, other = number / signs[side].total(), others[sign] / others.total()
                sentence = (
                    f"{sign} is {share:.0%} of the {name} in the {side}, and {other:.0%} in the"
                    f" {OTHER_SIDE[side]}"
                )
                gaps.append((share - other, side, sign, sentence))
    gap, side, sign, sentence = max(gaps, key=lambda each: each[0], default=(0, *SIDES, ""))
    if gap > 0.3:
        yield pairs.describe_all(
            "typography",
            side,
            pairs.search(side, re.escape(sign)),
            sentence,
            "result.fixed('typography')",
            alike=write_plainly,
            is_told=False,
        )


# --- All of them, in order ------------------------------------------------------------------------

# What is undone, in this order: tokens before records, records before escapes, labels last.
DAMAGES: dict[InputType, Sequence[Finder]] = {
    "text": (
        *(damage.find for damage in TOKENS_OF_MODELS),
        TOKEN_LISTS.find,
        find_records,
        *(damage.find for damage in FORMS_OF_TEXT),
        find_mojibake,  # before soft hyphens, which are bytes of UTF-8 read as Latin-1
        *(damage.find for damage in UNUSUAL_CHARACTERS),
        *(damage.find for damage in INTRODUCTIONS),
        find_labels,
        find_lines,
        find_quotes,
    ),
    # Lists of tokens have fewer forms: a token is not parsed.
    "tokens": tuple(damage.find for damage in TOKENS_OF_MODELS[3:]),
    "ids": (UNSIGNED_IDS.find, find_padding),
}
