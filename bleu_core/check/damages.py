"""The damages that show in a single text, in tables by their kinds; `measures.py` orders them.

A damage is what a decoder, tokenizer, encoder or serializer did to a text. Its inverse is a
function of this text alone. How well texts fit can veto an inverse, and is never a reason for it.
To add a kind, write a `Damage` with its inverse in a table.
"""

from __future__ import annotations

import html
import quopri
import re
import unicodedata
import urllib.parse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from .inverses import (
    MODEL_TOKENS,
    decode_bytes,
    join_byte_pieces,
    make_replacer,
    remove_tags,
    remove_tokens,
    unescape,
    unwrap_literal,
)
from .pairs import MEANT_SHARE, OTHER_SIDE, SIDES, Found, Pairs, Side, Undo, quote, undo_all

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
