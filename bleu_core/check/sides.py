"""What a column tells: labels at both ends, quotation marks, marks, scripts, the wrong codec.

Called by `measures.py`. To undo another codec, add it to `_CODECS`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from ..rules.chosen_tokenizer import choose_tokenizer
from .damages import Damage
from .inverses import decode_bytes, make_replacer, unwrap_quotes
from .pairs import (
    MEANT_SHARE,
    OTHER_SIDE,
    SHOW_ROWS,
    SIDES,
    Found,
    Pairs,
    Side,
    Undo,
    quote,
    spread,
    undo_all,
)
from .writing import count_signs

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


# --- Marks and scripts that one side has ----------------------------------------------------------

_ODD_MARK = r"<[^<>\s]{1,24}>|\[[^\[\]\s]{1,24}\]|\{[^{}\s]{1,24}\}|[♪♫⁇█�␣]|#NAME\?|\bunk\b"
_LOST = re.compile(r"�|⁇|<{1,2}unk(?:nown)?>{1,2}|\[unk\]|unk", re.IGNORECASE)


def find_marks(pairs: Pairs) -> Iterator[Found]:
    """Find marks in brackets and odd signs that texts of one side have, and none of the other."""
    marks_of: dict[Side, dict[int, set[str]]] = {}
    for side in SIDES:
        places = pairs.search(side, _ODD_MARK, (*"<[{♪♫⁇█�␣", "#NAME?", "unk"))
        marks_of[side] = {
            place: set(re.findall(_ODD_MARK, re.sub(r"\d+", "0", pairs.texts[side][place])))
            for place in places
        }
    for side in SIDES:
        # 1. Brackets of a form that the other side has as well are text, such as code.
        own = Counter(chain.from_iterable(marks_of[side].values()))
        others = set().union(*marks_of[OTHER_SIDE[side]].values())
        meant = []
        for sign in "<[{":
            having = [
                place
                for place, marks in marks_of[side].items()
                if any(mark[0] == sign for mark in marks)
            ]
            partners = pairs.search(OTHER_SIDE[side], re.escape(sign), (sign,))
            if pairs.share(OTHER_SIDE[side], partners) > MEANT_SHARE * pairs.share(side, having):
                meant.append(sign)
        new = {mark for mark in own.keys() - others if mark[0] not in meant}
        lost = {mark for mark in new | (own.keys() & {"�"}) if _LOST.fullmatch(mark)}
        # 2. They are frequent, or stand for what was lost.
        wanted = lost or new
        places = [place for place, marks in marks_of[side].items() if marks & wanted]
        if not lost and (len(places) < 2 or pairs.share(side, places) < 0.03):
            continue
        first = max(sorted(marks_of[side][places[0]] & wanted), key=own.__getitem__)
        pattern = re.escape(first).replace("0", r"\d+")
        fix = f"re.sub({pattern!r}, '', text)"
        if lost:
            fix = "open(path, encoding='utf-8')" if first == "�" else "tokenizer.unk_token"
        mark = re.search(pattern, pairs.texts[side][places[0]])
        yield pairs.describe(
            "marks",
            side,
            places,
            f"contains {quote(mark[0] if mark else first)}, unlike the {OTHER_SIDE[side]}",
            fix,
            pattern=pattern,
            is_told=bool(lost) or pairs.share(side, places) > 0.05,
        )


_SCRIPT_OF_NAME = {
    **dict.fromkeys(("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"), "CJK"),
    "FULLWIDTH": "LATIN",
}


@cache
def name_script(letter: str) -> str:
    """Return the script of a letter.

    >>> name_script("ж"), name_script("カ")
    ('CYRILLIC', 'CJK')
    """
    name = unicodedata.name(letter, "?").split()[0]
    return _SCRIPT_OF_NAME.get(name, name)


def find_main_script(text: str) -> str:
    """Return the script of nine tenths of the letters of a text; empty if no script has as many."""
    scripts: Counter[str] = Counter()
    for sign, number in Counter(text).items():
        if sign.isalpha():
            scripts[name_script(sign)] += number
    name, number = scripts.most_common(1)[0] if scripts else ("", 0)
    return name if number > max(5, 0.9 * scripts.total()) else ""


def find_script(pairs: Pairs) -> Iterator[Found]:
    """Find predictions in another script than their references."""
    signs = {sign for side in SIDES for sign in count_signs(pairs.sample(side))}
    if len({name_script(sign) for sign in signs if sign.isalpha()}) < 2:
        return
    places = []
    for place, text in enumerate(pairs.texts["predictions"]):
        scripts = {
            find_main_script(text),
            find_main_script("".join(pairs.list_partners("predictions", place))),
        }
        if len(scripts) == 2 and "" not in scripts:
            places.append(place)
    if len(places) > max(1, 0.01 * len(pairs)):
        yield pairs.describe(
            "script",
            "predictions",
            places,
            "is in another script than its references",
            SHOW_ROWS,
        )


def find_unspaced(pairs: Pairs) -> Iterator[Found]:
    """Find a script written without spaces, under a tokenizer that splits at them."""
    tokenizer = choose_tokenizer(pairs.options, "text")
    sample = pairs.sample("references")
    splits_unspaced = tokenizer.definition is None or tokenizer.definition.splits_unspaced
    if splits_unspaced or not pairs.is_unspaced or 6 * sample.count(" ") > len(sample):
        return
    han = "zh" if re.search("[\u3400-\u9fff]", sample) else "char"
    name = "ja-mecab" if re.search("[\u3040-\u30ff]", sample) else han
    yield pairs.describe(
        "spaces",
        "references",
        range(len(pairs.texts["references"])),
        f"is written without spaces, at which tokenize={tokenizer.name!r} splits",
        f"tokenize={name!r}",
    )


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
