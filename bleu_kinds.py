"""Kinds of input that mislead, one record per kind: how it is found, what is said, what fixes it.

First the records; then what finders share; then the kinds in the order of the records at the end.

Finders see all texts as str: tokens and ids are joined by spaces. They return the rows in which
their kind is, and the record says how many of them mislead.
"""

from __future__ import annotations

import ast
import html
import importlib.util
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from operator import eq
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_corpus import STRINGS, Int64, Kind, find_offsets, spread
from .bleu_messages import Notice, count_things, show_value
from .bleu_options import Options
from .bleu_tokenizers import ChosenTokenizer, Tokenizer

Side = Literal["predictions", "references"]
Where = Literal["predictions", "references", "both"]
When = Literal["always", "suspected", "asked"]

_SIDES: tuple[Side, Side] = ("predictions", "references")
OTHER_SIDES: dict[Side, Side] = {"predictions": "references", "references": "predictions"}
_JUDGED_ROWS = 200  # by which the best part of a text is chosen
_EXAMPLE_WIDTH = 20  # characters on each side of the place in an example
_LONGEST_PLACE = 40  # characters that a message shows of a place
_QUICK_FROM = 10_000  # characters, for which RE2 is faster than `re`, its pattern included
_MOST_SIGNS = 6  # that are looked for in a text before a pattern
_BREAK = "\0"  # between texts in a joined str
_NO_ROWS: Int64 = np.empty(0, np.int64)
_SHORT_TEXT = 1_000  # characters, for which Python's set is the fastest list of them
_PIECE = 1 << 20  # characters of a text that are encoded together
_BEYOND_16_BITS = re.compile("[\U00010000-\U0010ffff]")


# --- Records --------------------------------------------------------------------------------------


class Grams(dict[str, set[str]]):
    """The n-grams of characters by text, made when they are needed."""

    def __missing__(self, text: str) -> set[str]:
        grams = self[text] = _list_grams(text)
        return grams


@dataclass
class Texts:
    """Predictions and their references, as the finders see them.

    predictions, references: one str per text; tokens and ids are joined by spaces.
    options: the options of the call.
    tokenizer: the record of the tokenizer; None for tokens and ids.
    is_asked: True in `check`, False where a method looks by itself.
    grams: the n-grams of characters that finders have made; other texts may share them.
    flat_references: all references, row by row.
    joined: the texts of each side as one str, in which a sign is found faster than text by text.
    characters: all characters of the texts.
    """

    predictions: list[str]
    references: list[list[str]]
    options: Options
    tokenizer: Tokenizer | None = None
    is_asked: bool = True
    grams: Grams = field(default_factory=Grams, repr=False)
    flat_references: list[str] = field(init=False, repr=False)
    joined: dict[Side, str] = field(init=False, repr=False)
    characters: set[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Not `cached_property`: until Python 3.11 it has a lock, which a process that is forked
        # while another thread computes would wait for without end.
        self.flat_references = list(chain.from_iterable(self.references))
        self.joined = {
            "predictions": _BREAK.join(self.predictions),
            "references": _BREAK.join(self.flat_references),
        }
        self.characters = list_characters(_BREAK.join(self.joined.values()))

    def __len__(self) -> int:
        return len(self.predictions)

    def of(self, side: Side, row: int) -> list[str]:
        """Return the texts of a side in a row."""
        return [self.predictions[row]] if side == "predictions" else self.references[row]

    def are_ascii(self) -> bool:
        """Return True if no text has a character beyond ASCII."""
        return all(joined.isascii() for joined in self.joined.values())

    def find_rows(
        self, side: Side, matches: Callable[[str], object], signs: Iterable[str] = ()
    ) -> list[int]:
        """Return the rows of a side with a text that matches.

        Args:
            side: the side.
            matches: the function of a text.
            signs: strings of which each such text has one; others are then not looked at.
        """
        if signs:
            rows = self.list_rows_with(side, signs)
            return [row for row in rows if any(map(matches, self.of(side, row)))]
        if side == "predictions":
            return [row for row, text in enumerate(self.predictions) if matches(text)]
        return [row for row, texts in enumerate(self.references) if any(map(matches, texts))]

    def list_rows_with(self, side: Side, signs: Iterable[str]) -> list[int]:
        """Return the rows of a side with one of some strings.

        One after the other: per text, Python would take ten times as long for all at once.
        """
        found: set[int] = set()
        for sign in signs:
            if sign not in self.joined[side]:
                continue
            if side == "predictions":
                found.update([row for row, text in enumerate(self.predictions) if sign in text])
            else:
                found.update(
                    [
                        row
                        for row, row_texts in enumerate(self.references)
                        for text in row_texts
                        if sign in text
                    ]
                )
        return sorted(found)


def list_characters(text: str) -> set[str]:
    """Return the characters of a text.

    A table of UTF-16's units takes a sixth of the time of Python's set, if the text is long.

    >>> list_characters("a café 😀") == set("a café 😀")
    True
    """
    if len(text) <= _SHORT_TEXT:
        return set(text)
    characters: set[str] = set()
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        encoded = np.frombuffer(piece.encode("utf-16-le", "surrogatepass"), "<u2")
        units = np.flatnonzero(np.bincount(encoded))
        is_half = (units >= 0xD800) & (units < 0xE000)  # of a character beyond 16 bits
        characters.update(units[~is_half].astype("<u2").tobytes().decode("utf-16-le"))
        if is_half.any():
            characters.update(_BEYOND_16_BITS.findall(piece))
    return characters


class Columns(NamedTuple):
    """The predictions and the references of each row, to be repaired."""

    predictions: list[str]
    references: list[list[str]]


Change = Callable[[str], str]


class Fix(NamedTuple):
    """How texts are repaired: by one of these four.

    change: a function of each text in the rows of the finding, on its side.
    columns: a function of all predictions and references.
    pairing: the row of the prediction of each row of references; -1 for none.
    options: options that the call takes in place of other texts.
    """

    change: Change | None = None
    columns: Callable[[Columns], Columns] | None = None
    pairing: list[int] | None = None
    options: Mapping[str, object] | None = None

    def apply(self, columns: Columns, where: Where, rows: Sequence[int]) -> Columns:
        """Return repaired columns; a fix by options leaves them as they are.

        >>> columns = Columns(["a ", "b "], [["a"], ["b"]])
        >>> Fix(change=str.strip).apply(columns, "predictions", [1]).predictions
        ['a ', 'b']
        """
        if self.columns is not None:
            return self.columns(columns)
        if self.pairing is not None:
            pairs = [(row, other) for row, other in enumerate(self.pairing) if other >= 0]
            predictions = [columns.predictions[other] for _, other in pairs]
            return Columns(predictions, [columns.references[row] for row, _ in pairs])
        if self.change is None:
            return columns
        # A side without the kind stays the same object: `check` sees that it did not change.
        predictions, references = columns
        if where != "references":
            predictions = list(predictions)
            for row in rows:
                predictions[row] = self.change(predictions[row])
        if where != "predictions":
            references = list(references)
            for row in rows:
                references[row] = list(map(self.change, references[row]))
        return Columns(predictions, references)


class Found(NamedTuple):
    """A kind that was found on a side of texts, or on both.

    rows: the rows with the kind, ascending.
    place: the first place, short enough for a message; empty if the kind is not at a place.
    example: the first place between ⟦ and ⟧, with the text around it.
    detail: what completes the sentence of the kind.
    amounts: how much of how much was found, if a kind is counted in characters, not in rows.
    fix: how the texts are repaired; None if that is not possible from here.
    """

    where: Where
    rows: Sequence[int]
    place: str = ""
    example: str = ""
    detail: str = ""
    amounts: tuple[int, int] | None = None
    fix: Fix | None = None


class Words(NamedTuple):
    """A kind in the words of the demo.

    fine: the phrase if it was looked for in vain; several kinds may share one.
    found: the phrase for texts that have it; it may take `detail`.
    button: the fix of the texts, as a command; empty without one.
    fixed: the phrase for texts that were fixed.
    """

    fine: str
    found: str
    button: str = ""
    fixed: str = ""


# Returns the rows of predictions that may have a kind, given the tokenizer.
Scan = Callable[[pa.ChunkedArray, ChosenTokenizer], Int64]


class Check(NamedTuple):
    """A kind of input that misleads.

    find: the function that returns where the kind is.
    notice: the sentence and what to write, in templates. They take `text` (the first text, such as
        `predictions[3]`), `where` and `other` (its side and the other one), `place`, `detail`,
        `count`, `share`, `percent` and `tokenizer`. Its name is that of the kind.
    words: the ticks and buttons of the demo.
    when: "always" if texts that are scored are looked at, "suspected" if only their counts are
        until these look like it, "asked" if only `check` looks.
    least, least_share: in how many rows, and in which share of them, the kind misleads.
    changes_meaning: True if the score after the fix has another meaning.
    explains: kinds that are not a finding of their own in the same rows.
    is_zero_if_all: True if the score is 0 where all texts are of the kind, and its warning says so.
    signs: characters of which texts with the kind have one; if empty, all are looked at.
    kinds: the kinds of texts that are looked at.
    scan: the function that returns the rows of all predictions that may have the kind, for a small
        part of the time of `compute`. Without it, a sample is looked at first.
    """

    find: Callable[[Texts], Iterable[Found]]
    notice: Notice
    words: Words
    when: When = "always"
    least: int = 1
    least_share: float = 0.0
    changes_meaning: bool = False
    explains: Sequence[str] = ()
    is_zero_if_all: bool = False
    signs: str = ""
    kinds: Sequence[Kind] = ("text",)
    scan: Scan | None = None

    @property
    def kind(self) -> str:
        """The name of the kind in results and in warnings."""
        return self.notice.kind

    def misleads(self, found: int, total: int) -> bool:
        """Return True if `found` of `total` rows mislead."""
        return found >= max(1, self.least) and found >= self.least_share * total


# --- Means of finding and repairing ---------------------------------------------------------------


def _mark(text: str, start: int, end: int) -> str:
    """Return a place of a text between ⟦ and ⟧, with some of the text around it."""
    end = min(end, start + _LONGEST_PLACE)
    before = text[max(0, start - _EXAMPLE_WIDTH) : start]
    return f"{before}⟦{text[start:end]}⟧{text[end : end + _EXAMPLE_WIDTH]}"


def _show(
    texts: Texts,
    where: Where,
    rows: Sequence[int],
    pattern: re.Pattern[str],
    fix: Fix | None = None,
) -> Found:
    """Return the finding of a pattern, with the place in its first row."""
    side: Side = "references" if where == "references" else "predictions"
    for text in texts.of(side, rows[0]):
        match = pattern.search(text)
        if match:
            example = _mark(text, match.start(), match.end())
            return Found(where, rows, match[0][:_LONGEST_PLACE], example, fix=fix)
    return Found(where, rows, fix=fix)


def _match_quickly(texts: Texts, side: Side, rows: list[int], quick: str) -> list[int]:
    """Return the rows that a pattern for RE2 finds; all of them if that would take longer.

    RE2, which Arrow has, takes a tenth of the time of `re`, and 0.4 ms to read the pattern.
    """
    texts_of_rows = [texts.of(side, row) for row in rows]
    strings = list(chain.from_iterable(texts_of_rows))
    if sum(map(len, strings)) < _QUICK_FROM:
        return rows
    # What is typed in the demo may have single surrogates, which UTF-8 has not.
    data = [string.encode("utf-8", "replace") for string in strings]
    matches = pc.match_substring_regex(pa.array(data, pa.large_binary()).cast(STRINGS), quick)
    row_of_text = np.repeat(rows, list(map(len, texts_of_rows)))
    return sorted(set(row_of_text[matches].tolist()))


def _find_places(
    texts: Texts,
    pattern: re.Pattern[str],
    signs: str,
    change: Change | None = None,
    *,
    accept: Callable[[re.Match[str]], object] = bool,
    on_both: bool = True,
    quick: str = "",
) -> list[Found]:
    """Find a pattern on one side of texts, or on both.

    A place counts if the same text isn't in the same row of the other side: code about `&amp;` and
    a person named Ġorġ are what was meant. But where both sides have the pattern in a twentieth of
    the rows, neither is.

    Args:
        texts: what is looked at.
        pattern: the pattern of a place.
        signs: characters of which each place has one, so that most texts aren't searched. With more
            than six, `pattern` is searched for in all texts at once first: it must have no anchors.
        change: the function that repairs a text; None if none does.
        accept: the function that returns False for a match that is not a place.
        on_both: False if the kind is on one side by its nature.
        quick: a pattern for RE2 that finds all that `pattern` finds.
    """
    # 1. Find the first place in each row of each side.
    places: dict[Side, dict[int, str]] = {"predictions": {}, "references": {}}
    for side in _SIDES:
        joined = texts.joined[side]
        signs_of_side = [sign for sign in signs if sign in joined]
        if not signs_of_side:
            continue
        rows: Iterable[int] = range(len(texts))
        if len(signs_of_side) <= _MOST_SIGNS:
            rows = texts.list_rows_with(side, signs_of_side)
            if quick:
                rows = _match_quickly(texts, side, rows, quick)
        # To look for many signs takes longer than to search all texts at once.
        elif not any(map(accept, pattern.finditer(joined))):
            continue
        for row in rows:
            for text in texts.of(side, row):
                match = next(filter(accept, pattern.finditer(text)), None)
                if match:
                    places[side].setdefault(row, match[0])
    fix = None if change is None else Fix(change)
    # 2. Is it on both sides?
    in_predictions = places["predictions"]
    in_references = places["references"]
    shared = in_predictions.keys() & in_references.keys()
    if on_both and len(shared) >= max(2, 0.05 * len(texts)):
        found = _show(texts, "both", sorted(shared), pattern, fix)
        return [found._replace(rows=sorted(in_predictions.keys() | in_references.keys()))]
    # 3. Or on one, where it's far more frequent than on the other?
    only_in_predictions = [
        row
        for row, place in in_predictions.items()
        if not any(place in text for text in texts.references[row])
    ]
    only_in_references = [
        row for row, place in in_references.items() if place not in texts.predictions[row]
    ]
    if len(only_in_predictions) > 3 * len(only_in_references):
        return [_show(texts, "predictions", only_in_predictions, pattern, fix)]
    if len(only_in_references) > 3 * len(only_in_predictions):
        return [_show(texts, "references", only_in_references, pattern, fix)]
    return []


def _count_places(texts: Texts, found: Found, pattern: re.Pattern[str]) -> int:
    """Count the places of a pattern in the rows of a finding, on its side."""
    side: Side = "references" if found.where == "references" else "predictions"
    rows = chain.from_iterable(texts.of(side, row) for row in found.rows)
    return sum(len(pattern.findall(text)) for text in rows)


def _find_form(
    texts: Texts,
    variant: re.Pattern[str],
    plain: re.Pattern[str],
    change: Change,
    *,
    least: int = 5,
    gap: float = 0.5,
) -> list[Found]:
    """Find a variant of a character on one side, where the other side has the plain one.

    Args:
        texts: what is looked at.
        variant: the pattern of the variant.
        plain: the pattern of the plain form.
        change: the function that puts the plain form in its place, on both sides.
        least: how many of both forms each side has.
        gap: how much the variant's share of both forms differs between the sides.
    """
    variants = {side: len(variant.findall(texts.joined[side])) for side in _SIDES}
    if not any(variants.values()):
        return []
    shares: dict[Side, float] = {}
    for side in _SIDES:
        forms = variants[side] + len(plain.findall(texts.joined[side]))
        if forms < least:
            return []
        shares[side] = variants[side] / forms
    difference = shares["predictions"] - shares["references"]
    if abs(difference) < gap:
        return []
    where: Side = "predictions" if difference > 0 else "references"
    rows = texts.find_rows(where, variant.search)
    return [_show(texts, where, rows, variant, Fix(columns=_change_all(change)))]


def _change_all(change: Change, sides: Sequence[Side] = _SIDES) -> Callable[[Columns], Columns]:
    """Return the function that changes all texts of some sides."""

    def change_columns(columns: Columns) -> Columns:
        predictions, references = columns
        if "predictions" in sides:
            predictions = list(map(change, predictions))
        if "references" in sides:
            references = [list(map(change, row)) for row in references]
        return Columns(predictions, references)

    return change_columns


# Scripts that are written without spaces between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan; Burmese and Shan; Khmer
    "\u1950-\u19ff\u1a20-\u1aad\uaa80-\uaadf"  # Tai Le and New Tai Lue; Tai Tham; Tai Viet
    "\u1b00-\u1b7f\u1b80-\u1bbf\ua980-\ua9df\ua9e0-\ua9fe\uaa60-\uaa7f"  # Balinese, Sundanese, …
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"  # Han
)
_BLANKS = re.compile(r"\s+")


def _list_grams(text: str) -> set[str]:
    """Return the 4-grams of the characters of a text, or the 2-grams if it has no spaces.

    >>> sorted(_list_grams("A cat"))
    [' a c', ' cat', 'a ca', 'cat ']
    """
    text = text.lower()
    size = 4
    if _UNSPACED.search(text):
        size = 2
        text = _BLANKS.sub("", text)
    else:
        text = _BLANKS.sub(" ", f" {text} ")
    return {text[start : start + size] for start in range(len(text) - size + 1)}


def _overlap(grams: set[str], others: Iterable[set[str]]) -> float:
    """Return the F1 of n-grams shared with the most similar text, 0 to 1."""
    best = 0.0
    for other in others:
        best = max(best, 2 * len(grams & other) / max(1, len(grams) + len(other)))
    return best


def _fit(text: str, others: Iterable[str]) -> float:
    """Return how well a text fits the most similar one of others, 0 to 1."""
    return _overlap(_list_grams(text), map(_list_grams, others))


_Key = TypeVar("_Key", bound=Hashable)


def _find_best(
    texts: Texts, side: Side, rows: Sequence[int], list_parts: Callable[[str], Mapping[_Key, str]]
) -> _Key | None:
    """Return the key of the part of a text that fits the other side best, over some rows."""
    other = OTHER_SIDES[side]
    fits: defaultdict[_Key, float] = defaultdict(float)
    for row in rows[:_JUDGED_ROWS]:
        for text in texts.of(side, row):
            for key, part in list_parts(text).items():
                fits[key] += _fit(part, texts.of(other, row))
    return max(fits, key=lambda key: fits[key]) if fits else None


_ENTITY = re.compile(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")


def unescape_entities(text: str) -> str:
    """Replace HTML entities by their characters.

    A pattern picks them, because `html.unescape` fails for a number of 5,000 digits.

    >>> unescape_entities("&lt;b&gt; &#39; &unknown;")
    "<b> ' &unknown;"
    """
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def _squeeze(text: str) -> str:
    """Return a text with single blanks, and none at its ends."""
    return " ".join(text.split())


# --- Kinds: what tokenizers and models leave in texts ---------------------------------------------

_BPE = re.compile(r"\S{1,20}@@(?=\s|$)")
_WORDPIECE = re.compile(r"(?<=\S) ##(?=\w)")
# U+2581, except in drawings of blocks.
_SENTENCEPIECE = re.compile(r"(?:^|(?<=[\s\w.,!?\"']))▁(?=[^\s▁_█▂-▇])")
_BYTE_LEVEL = re.compile(r"Ġ(?=\S)")


def _list_byte_letters() -> dict[str, int]:
    """Return the byte that each letter of a byte-level vocabulary stands for, as in GPT-2."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): byte for byte in printable}
    letters |= {chr(256 + number): byte for number, byte in enumerate(others)}
    return letters


_BYTE_OF = _list_byte_letters()
_SUBWORD_SIGNS = "@#▁Ġ"


def _is_byte_level(text: str) -> bool:
    """Return True if half of the words of a text begin with Ġ, which is a letter of Maltese."""
    marked = len(_BYTE_LEVEL.findall(text))
    return marked > 0 and 2 * marked >= len(text.replace("Ġ", " ").split()) - 1


def join_subwords(text: str) -> str:
    """Join the pieces of words that BPE, SentencePiece, WordPiece or a byte-level BPE made.

    >>> [join_subwords(text) for text in ("low@@ er", "▁low er ▁than", "low ##er", "low erĠthan")]
    ['lower', 'lower than', 'lower', 'lower than']
    """
    if "@@" in text:
        text = re.sub(r"@@(?: |$)", "", text)
    if _SENTENCEPIECE.search(text):
        pieces = re.search(r"(?:^| )▁", text)
        text = (text.replace(" ", "") if pieces else text).replace("▁", " ").strip()
    text = _WORDPIECE.sub("", text)
    if _is_byte_level(text):
        letters = text.replace(" ", "")
        try:
            text = bytes(_BYTE_OF[letter] for letter in letters).decode().strip()
        except (KeyError, UnicodeDecodeError):
            text = letters.replace("Ġ", " ").strip()
    return text


def _find_subwords(texts: Texts) -> Iterable[Found]:
    found_kinds = []
    for pattern, sign in (  # the characters of `_SUBWORD_SIGNS`
        (_BPE, "@"),
        (_WORDPIECE, "#"),
        (_SENTENCEPIECE, "▁"),
        (_BYTE_LEVEL, "Ġ"),
    ):
        accept: Callable[[re.Match[str]], object] = bool
        if pattern is _BYTE_LEVEL:
            accept = lambda match: _is_byte_level(match.string)  # noqa: E731
        for found in _find_places(texts, pattern, sign, join_subwords, accept=accept):
            # One place in many rows may be what was meant.
            places = _count_places(texts, found, pattern)
            fewest = 2 if len(texts) < 20 else 3
            if places >= fewest or len(found.rows) >= 0.25 * len(texts):
                found_kinds.append(found)
    return sorted(found_kinds, key=lambda found: -len(found.rows))[:1]


_SCRIPT_CODES = (
    "Latn|Cyrl|Arab|Hans|Hant|Deva|Beng|Jpan|Hang|Grek|Hebr|Thai|Tibt|Khmr|Laoo|Mymr|Ethi|Armn|Geor"
    "|Guru|Gujr|Knda|Mlym|Orya|Sinh|Taml|Telu|Olck|Tfng"
)
_SPECIAL_TAGS = (
    r"</?s>|<<unk>>|<(?:pad|unk|bos|eos|sep|cls|mask|extra_id_\d+|2[a-z]{2,3}|lang:[A-Za-z_]+)>|⁇"
    r"|\[(?:CLS|SEP|PAD|UNK|MASK|EOS|BOS)\]|<｜[^｜<>]{1,40}｜>|<(?:start|end)_of_turn>"
    r"|__[a-z]{2,3}(?:_[A-Za-z]{2,4})?__|>>[a-z]{2,3}(?:_[A-Z][a-z]{3})?<<"
)
_SPECIAL = re.compile(
    _SPECIAL_TAGS + rf"|\b[a-z]{{3}}_(?:{_SCRIPT_CODES})\b|\b[a-z]{{2}}_[A-Z]{{2}}(?=\s|$)"
)
_SPECIAL_SIGNS = "<[⁇_>"
_LANGUAGE_CODE = re.compile(r"[a-z]{2}_[A-Z]{2}")


def _is_special(match: re.Match[str]) -> bool:
    """Return False for a code such as en_XX within a text: it is one of mBART's at the ends."""
    if not _LANGUAGE_CODE.fullmatch(match[0]):
        return True
    return not match.string[: match.start()].strip() or not match.string[match.end() :].strip()


def remove_special_tokens(text: str) -> str:
    """Remove the special tokens of models; a word that a model wrote as `<unk>` stays lost.

    >>> remove_special_tokens("<s>en_XX A cat.</s> <pad>")
    'A cat.'
    """
    if not _SPECIAL.search(text):
        return text
    without = _SPECIAL.sub(lambda match: " " if _is_special(match) else match[0], text)
    # A code of a language stands at an end only after the token before it is removed.
    without = without.strip()
    without = re.sub(r"^[a-z]{2}_[A-Z]{2}(?=\s)|(?<=\s)[a-z]{2}_[A-Z]{2}$", "", without)
    return _squeeze(without)


def _find_special_tokens(texts: Texts) -> Iterable[Found]:
    for found in _find_places(
        texts, _SPECIAL, _SPECIAL_SIGNS, remove_special_tokens, accept=_is_special, quick=_ANY_TAG
    ):
        is_unknown = "unk" in found.place.lower() or found.place == "⁇"
        yield found._replace(fix=None) if is_unknown else found


_REASONING = "think(?:ing)?|reasoning|reflection|scratchpad|tool_call|tool_response"
_TAG = re.compile(
    rf"<(?P<closes>/?)(?P<reasoning>{_REASONING})>|[◁](?P<closes_wide>/?)think[▷]"
    r"|\[(?P<closes_square>/?)THINK\]|</?(?:answer|translation|output|response)>"
    r"|<\|(?P<token>[A-Za-z][0-9A-Za-z_-]+)\|>|(?P<instruction>\[/INST\])|\[INST\]|<<(?P<end>/?)SYS>>"
    r"|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<channel\|>",
    re.IGNORECASE,
)
# What either pattern finds, and more, in the syntax of RE2.
_ANY_TAG = f"(?i:{_TAG.pattern})|{_SPECIAL_TAGS}|[a-z]{{2,3}}_[A-Z]"
_ROLES = re.compile(r"\s*(?:system|user|assistant)\b", re.IGNORECASE)


def keep_answer(text: str) -> str:
    """Remove the reasoning and the turns of a chat, and keep the text outside of their tags.

    A tag that isn't closed leaves no answer. One pass over the tags takes linear time, which
    patterns from tag to tag don't.

    >>> keep_answer("<think>A cat? Yes.</think> A cat.<|im_end|>")
    'A cat.'
    """
    if not _TAG.search(text):
        return text
    kept: list[str] = []
    end = 0
    hides = False  # within reasoning, or a turn of another speaker
    for match in _TAG.finditer(text):
        if not hides:
            kept.append(text[end : match.start()])
        end = match.end()
        name = (match["token"] or "").lower()
        is_closed = any(match[group] for group in ("closes", "closes_wide", "closes_square", "end"))
        is_reasoning = bool(match["reasoning"]) or "think" in match[0].lower()
        if match["instruction"] or (is_closed and is_reasoning):
            kept.clear()  # what stands before is a prompt, or reasoning
            hides = False
        elif is_reasoning or match[0].upper() == "<<SYS>>":
            hides = True
        elif is_closed:
            hides = False
        elif name in ("im_start", "start_header_id", "system", "user", "assistant"):
            role = _ROLES.match(text, end)
            speaker = role[0].strip().lower() if role else name
            hides = speaker in ("system", "user")
            end = role.end() if role else end
        elif name in ("im_end", "eot_id", "end"):
            hides = False
    if not hides:
        kept.append(text[end:])
    return re.sub(r"[ \t]+", " ", " ".join(kept)).strip()


def _find_chat(texts: Texts) -> Iterable[Found]:
    return _find_places(texts, _TAG, "<[◁", keep_answer, quick=_ANY_TAG)


_FENCE = re.compile("```")
_LANGUAGE_OF_FENCE = re.compile(
    r"^(?:text|txt|plaintext|markdown|[a-z]{2})?[ \t]*\n", re.IGNORECASE
)


def open_fences(text: str) -> str:
    """Keep the text before the first fence of code, or in it if the fence comes first.

    >>> open_fences("```text\\nA cat.\\n``` or ```The cat.```")
    'A cat.'
    """
    before, fence, after = text.partition("```")
    if not fence:
        return text
    if before.strip():
        return before.strip()
    return _LANGUAGE_OF_FENCE.sub("", after.partition("```")[0]).strip()


def _find_fences(texts: Texts) -> Iterable[Found]:
    return _find_places(texts, _FENCE, "`", open_fences, on_both=False)


_LANGUAGES = (
    "English|German|French|Spanish|Chinese|Japanese|Russian|Czech|Ukrainian|Icelandic|Hindi|Italian"
    "|Portuguese|final|translated|best|correct|literal"
)
_PREAMBLE = re.compile(
    r"\s*(?:\*\*)?(?:"
    r"(?:Sure|Certainly|Of course|Okay|OK|Absolutely|Alright|Great)[!,.]?[^\n:]{0,80}?"
    r"\b(?:translat|version|text)[^\n:]{0,60}:"
    r"|Here(?:['’]s| is| are)\b[^\n:]{0,60}\btranslat[^\n:]{0,60}:"
    rf"|(?:The |This is the |My )?(?:(?:{_LANGUAGES}) ){{0,3}}"
    r"(?:translation|translated text|translated sentence)"
    r"(?: (?:is|of|to|into|in)\b[^\n:]{0,60})?\s{0,3}(?:\*\*)?:"
    r"|Translated (?:text|sentence|into)[^\n:]{0,40}:"
    r"|(?:Gerne|Natürlich|Klar|Selbstverständlich|Sicher)[!,.]?[^\n:]{0,60}\bÜbersetzung\b[^\n:]{0,60}:"
    r"|Hier ist (?:die|eine|meine)\b[^\n:]{0,40}\bÜbersetzung\b[^\n:]{0,60}:"
    r"|(?:Die |Deutsche )?Übersetzung(?: (?:ins|auf|des|lautet)\b[^\n:]{0,40})?\s{0,3}:"
    r"|(?:Bien sûr|Certainement|D['’]accord|Voici)[!,.]?[^\n:]{0,60}\btraduction\b[^\n:]{0,60}:"
    r"|(?:La )?traduction(?: (?:en|du|de)\b[^\n:]{0,40})?\s{0,3}:"
    r"|(?:¡?Claro(?: que sí)?|Por supuesto|Aquí (?:tienes|está))[!,.]?[^\n:]{0,60}"
    r"\btraducción\b[^\n:]{0,60}:"
    r"|(?:La )?traducción(?: (?:al|del|de)\b[^\n:]{0,40})?\s{0,3}:"
    r"|(?:当然|好的|以下是)[！,.!，。]?[^\n:：]{0,40}(?:翻译|译文)[^\n:：]{0,30}[:：]"
    r"|(?:中文)?(?:翻译|译文)(?:如下)?[:：]"
    r"|(?:以下は|はい、)?[^\n:：]{0,20}(?:翻訳|訳文)(?:です|は以下の通りです)?[:：]"
    r"|(?:Конечно|Вот)[!,.]?[^\n:]{0,40}перевод[^\n:]{0,40}:|Перевод(?: на [а-я]+)?\s{0,3}:"
    r")(?:\*\*)?\s*",
    re.IGNORECASE,
)
_HEAD = 200  # characters of a text in which a model would begin to talk


def cut_preamble(text: str) -> str:
    """Remove the words with which a model introduces its translation.

    >>> cut_preamble("Sure! Here is the translation:\\n\\nA cat.")
    'A cat.'
    """
    match = _PREAMBLE.match(text)
    return text[match.end() :].strip() if match else text


def _has_colon(text: str) -> bool:
    head = text[:_HEAD]
    return ":" in head or "：" in head


def _is_introduced(text: str) -> bool:
    return _has_colon(text) and bool(_PREAMBLE.match(text))


def _find_preambles(texts: Texts) -> Iterable[Found]:
    rows = [
        row
        for row in texts.find_rows("predictions", _is_introduced, ":：")
        if not any(map(_is_introduced, texts.references[row]))
    ]
    # A text about translation may begin so; then its reference has a colon, too.
    if any(not any(map(_has_colon, texts.references[row])) for row in rows):
        yield _show(texts, "predictions", rows, _PREAMBLE, Fix(cut_preamble))


_REFUSAL = re.compile(
    r"\s*(?:(?:I(?:['’]m| am)(?: really| very)? sorry|I apologi[sz]e"
    r"|Sorry|Unfortunately"
    r"|My apologies)[,.]? (?:but )?(?:as an AI|I(?:['’]m| am)? (?:can(?:no|['’])t|unable|not able"
    r"|don['’]t|do not|won['’]t|not comfortable))[^\n]{0,120}?\b(?:translat|assist|help|fulfil"
    r"|provid|request|reproduc|respond|content|comfortable|lyrics|process)"
    r"|I (?:apologi[sz]e|don['’]t (?:actually )?(?:see|have)), ?(?:but )?(?:there (?:appears|seems)"
    r"|it (?:appears|seems))[^\n]{0,120}\b(?:translat|text|messag|input)"
    r"|I (?:can(?:no|['’])t|am unable to|am not able to) (?:translate|assist|help with|fulfill"
    r"|provide|process)\b"
    r"|As an AI\b"
    r"|(?:Please provide|Could you (?:please )?provide|It (?:seems|looks like|appears)(?: that)?"
    r" (?:you|the text|there)[^\n]{0,80})[^\n]{0,60}\b(?:text|sentence|source)\b[^\n]{0,60}"
    r"\btranslat"
    r"|(?:Es tut mir leid|Tut mir leid|Entschuldigung|Leider)[,.]?(?: aber)? (?:ich )?(?:kann|bin)"
    r"(?: ich)?[^\n]{0,60}\b(?:nicht|keine|außerstande)\b[^\n]{0,80}\b(?:übersetz|helf|Anfrage"
    r"|Text)"
    r"|(?:Je suis désolé|Désolé)e?[,.]?(?: mais)? je ne (?:peux|suis)[^\n]{0,80}\b(?:tradui|aid"
    r"|demande|répondre)"
    r"|Lo siento[,.]?(?: pero)? no puedo[^\n]{0,80}\b(?:traduc|ayud|solicitud)"
    r"|(?:很抱歉|抱歉|对不起)[,，。]?(?:但)?(?:我)?(?:无法|不能)[^\n]{0,30}(?:翻译|协助|帮助|提供|回答)"
    r"|作为(?:一个|一名)?(?:AI|人工智能))",
    re.IGNORECASE,
)
_REFUSAL_STARTS = frozenset(  # the first two characters of each, since most texts begin otherwise
    ("I'", "I’", "I ", "So", "Un", "My", "As", "Pl", "Co", "It", "Es", "Tu", "En", "Le", "Je", "Dé")
)
_REFUSAL_STARTS |= {"Lo", "很抱", "抱歉", "对不", "作为"}
_AI = re.compile(r"\bas an AI (?:language )?(?:model|assistant)\b")
_REFUSED_OVERLAP = (
    0.3  # of characters with the reference, below which an answer is not a translation
)


def _refuses(text: str) -> bool:
    if text.lstrip()[:2] in _REFUSAL_STARTS and _REFUSAL.match(text):
        return True
    return "AI" in text and bool(_AI.search(text[:_HEAD]))


def _find_refusals(texts: Texts) -> Iterable[Found]:
    rows = []
    for row in texts.find_rows("predictions", _refuses):
        references = texts.references[row]
        is_text = any(map(_refuses, references))
        if not is_text and _fit(texts.predictions[row], references) < _REFUSED_OVERLAP:
            rows.append(row)
    if rows:
        yield _show(texts, "predictions", rows, _WHOLE)


# --- Kinds: texts in the form of something else ---------------------------------------------------

_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_ARRAY = re.compile(r"(?:tensor|array|ndarray)\(.*\)", re.DOTALL)
_FIRST_SIGNS = frozenset("[({btan")  # of a value: bytes, tensors and arrays among them
_LAST_SIGNS = frozenset("])}\"'")  # of a value
_LONGEST_VALUE = 100_000  # characters


def _read_value(text: str) -> object:
    """Return the value of Python that a whole text writes; None for other texts."""
    text = text.strip()
    is_bytes = text[:2] in ("b'", 'b"') and text[-1:] == text[1:2]
    is_container = text[:1] in _BRACKETS and text[-1:] == _BRACKETS[text[:1]]
    if not (is_bytes or is_container) or len(text) > _LONGEST_VALUE:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, (list, tuple)):
        are_texts = all(isinstance(item, str) for item in value)
        are_ids = len(value) > 1 and all(type(item) is int for item in value)
        return value if are_texts or are_ids else None
    if isinstance(value, dict):
        return value if value and all(isinstance(key, str) for key in value) else None
    return value if isinstance(value, bytes) else None


def read_repr(text: str) -> str:
    """Return the text in a list, dict or bytes of Python; as it is if that is not one text.

    >>> read_repr("['A cat.']"), read_repr("b'A cat.'"), read_repr("[5, 7]")
    ('A cat.', 'A cat.', '[5, 7]')
    """
    value = _read_value(text)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return text
    if isinstance(value, dict) and len(value) == 1:
        value = list(value.values())
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    return text


def _is_repr(text: str) -> bool:
    if text.rstrip()[-1:] not in _LAST_SIGNS:
        return False
    return _read_value(text) is not None or bool(_ARRAY.fullmatch(text.strip()))


_WHOLE = re.compile(".*", re.DOTALL)


def _find_reprs(texts: Texts) -> Iterable[Found]:
    if _FIRST_SIGNS.isdisjoint(
        [text.lstrip()[:1] for text in chain(texts.predictions, texts.flat_references)]
    ):
        return
    rows: dict[Side, list[int]] = {side: texts.find_rows(side, _is_repr) for side in _SIDES}
    found = [text for side in _SIDES for row in rows[side] for text in texts.of(side, row)]
    is_read = any(read_repr(text) != text for text in found)  # tensors are not
    yield from _find_sides(texts, rows, _WHOLE, Fix(read_repr) if is_read else None)


def _find_sides(
    texts: Texts, rows: Mapping[Side, Sequence[int]], pattern: re.Pattern[str], fix: Fix | None
) -> Iterable[Found]:
    """Find rows on one side only, or on both where both sides have most of them."""
    in_both = set(rows["predictions"]) & set(rows["references"])
    if len(in_both) >= max(2, 0.05 * len(texts)):
        yield _show(texts, "both", sorted(in_both), pattern, fix)
        return
    for side in _SIDES:
        alone = [row for row in rows[side] if row not in in_both]
        if alone:
            yield _show(texts, side, alone, pattern, fix)


_SEGMENT = re.compile(r"\s*<(seg|hyp|ref|src)\b[^>]{0,200}>(.*)</\1>\s*", re.DOTALL)
_HEAD_OF_FILE = re.compile(
    r"\s*<(?:/?(?:refset|srcset|tstset|doc|mteval|dataset|hl|p|poster)\b[^>]{0,300}|[?]xml[^>]{0,200}"
    r"|!DOCTYPE[^>]{0,200})>\s*",
    re.IGNORECASE,
)


def _read_segment(text: str) -> str:
    match = _SEGMENT.fullmatch(text)
    return unescape_entities(match[2].strip()) if match else text


def _read_json(text: str) -> dict[str, str]:
    """Return the texts in a line of JSON, by key; an empty dict for another text."""
    if text.lstrip()[:1] != "{":
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {key: text for key, text in value.items() if isinstance(text, str)}


def _find_markup(texts: Texts) -> Iterable[Found]:
    for side in _SIDES:
        joined = texts.joined[side]
        # One character is found far faster than several.
        if "<" in joined and any(sign in joined for sign in ("<seg", "<hyp", "<ref", "<src")):
            rows = texts.find_rows(side, _SEGMENT.fullmatch)
            if rows:
                fix = Fix(_read_segment)
                yield _show(texts, side, rows, _SEGMENT, fix)._replace(detail="lines of SGML")
                continue
        if "{" in joined and ('{"' in joined or '{ "' in joined):
            rows = texts.find_rows(side, _read_json)
            key = _find_best(texts, side, rows, _read_json)
            if rows and key is not None:
                fix = Fix(_read_key(key))
                yield _show(texts, side, rows, _WHOLE, fix)._replace(
                    detail=f"lines of JSON, of whose keys {show_value(key)} fits best"
                )
                continue
        if "<" in joined:
            rows = texts.find_rows(side, _HEAD_OF_FILE.fullmatch)
            if rows:
                yield _show(texts, side, rows, _HEAD_OF_FILE)._replace(detail="lines of SGML")


def _read_key(key: str) -> Change:
    return lambda text: _read_json(text).get(key, text)


_SEPARATOR = re.compile(r"\s\|\|\|\s")
_FAIRSEQ = re.compile(r"[STHDP]-\d+\t")


def _split_fields(text: str) -> list[str]:
    return _SEPARATOR.split(text) if _SEPARATOR.search(text) else text.split("\t")


def _find_fields(texts: Texts) -> Iterable[Found]:
    for side in _SIDES:
        other = OTHER_SIDES[side]
        for sign, pattern in (("|||", _SEPARATOR), ("\t", re.compile("\t"))):
            if sign not in texts.joined[side]:
                continue
            rows = texts.find_rows(side, pattern.search, [sign])
            others = texts.joined[other].count(sign)
            is_certain = others == 0 and (
                sign == "|||" or bool(rows and any(map(_FAIRSEQ.match, texts.of(side, rows[0]))))
            )
            fewest = 2 if is_certain else max(2, 0.5 * len(texts))
            if len(rows) < fewest or others >= 0.5 * len(texts):
                continue
            best = _find_best(texts, side, rows, lambda text: dict(enumerate(_split_fields(text))))
            if best is None:
                continue
            found = _show(texts, side, rows, pattern, Fix(_take_field(best)))
            yield found._replace(detail=f"field {best} from 0 fits best")
            break


def _take_field(number: int) -> Change:
    def take(text: str) -> str:
        fields = _split_fields(text)
        return fields[min(number, len(fields) - 1)].strip()

    return take


_NUMBER = re.compile(r" {0,20}(?:#\s{0,3})?\(?\[?(\d{1,7})[.):\]\t]+\s*")


def _find_numbered(texts: Texts, side: Side) -> list[int]:
    """Return the rows of a side whose numbers ascend with the rows, if these are half of them."""
    fewest = max(3, 0.5 * len(texts))
    if len(texts) < fewest:
        return []
    first_texts: Sequence[str] = texts.predictions
    if side == "references":
        first_texts = [row[0] if row else "" for row in texts.references]
    first_signs = "".join([text[:1] for text in first_texts])
    if sum(map(first_signs.count, "0123456789#([ ")) < fewest:
        return []
    matches = [_NUMBER.match(text) for text in first_texts]
    offsets = {row: int(match[1]) - row for row, match in enumerate(matches) if match}
    if len(offsets) < fewest:
        return []
    (offset, count), *_ = Counter(offsets.values()).most_common(1)
    if count < fewest:
        return []
    return [row for row, of_row in offsets.items() if of_row == offset]


def _find_numbering(texts: Texts) -> Iterable[Found]:
    rows = {side: _find_numbered(texts, side) for side in _SIDES}
    yield from _find_rows_of_one_side(texts, rows, _NUMBER, lambda text: _NUMBER.sub("", text, 1))


def _find_rows_of_one_side(
    texts: Texts, rows: Mapping[Side, Sequence[int]], pattern: re.Pattern[str], change: Change
) -> Iterable[Found]:
    """Find rows on one side, where the other has less than half as many; all its texts change."""
    for side in _SIDES:
        other = OTHER_SIDES[side]
        if rows[side] and len(rows[other]) < 0.5 * len(rows[side]):
            yield _show(texts, side, rows[side], pattern, Fix(columns=_change_all(change, [side])))


_LINE_ID = re.compile(r"\s{0,3}\([A-Za-z0-9_.]{1,60}-[A-Za-z0-9_.-]{1,60}\)\s{0,20}$")


def _has_line_id(text: str) -> bool:
    return text.rstrip().endswith(")") and _LINE_ID.search(text) is not None


def _find_line_ids(texts: Texts) -> Iterable[Found]:
    rows: dict[Side, list[int]] = {}
    for side in _SIDES:
        found = texts.find_rows(side, _has_line_id, [")"])
        rows[side] = found if len(found) >= max(3, 0.5 * len(texts)) else []
    yield from _find_rows_of_one_side(texts, rows, _LINE_ID, lambda text: _LINE_ID.sub("", text))


def _has_lines(text: str) -> bool:
    return "\n" in text and "\n" in text.strip()


_FIRST_LINE = re.compile(r"\n")


def _find_lines(texts: Texts) -> Iterable[Found]:
    rows = [
        row
        for row, text in enumerate(texts.predictions)
        if _has_lines(text)
        and texts.references[row]
        and not any(map(_has_lines, texts.references[row]))
    ]
    if not rows:
        return

    def take_lines(columns: Columns) -> Columns:
        predictions = list(columns.predictions)
        for row in rows:
            lines = [line.strip() for line in predictions[row].splitlines() if line.strip()]
            references = columns.references[row]
            predictions[row] = max(lines, key=lambda line: _fit(line, references), default="")
        return Columns(predictions, columns.references)

    yield _show(texts, "predictions", rows, _FIRST_LINE, Fix(columns=take_lines))


# --- Kinds: encodings -----------------------------------------------------------------------------

# Characters that the bytes 0x80 to 0xBF of UTF-8 become in Latin-1 and in cp1252.
_CONTINUATION = "\x80-\xbf" + bytes(
    byte for byte in range(0x80, 0xA0) if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
).decode("cp1252").replace("^", r"\^").replace("-", r"\-")
# A letter, and as many of these as it announces. The set of letters comes first: `re` finds
# characters of a set in a tenth of the time that it takes to try alternatives.
_CONTINUED = (
    f"(?:(?<=[\xc2-\xc5\xce-\xd1\xd7-\xd9])[{_CONTINUATION}]"
    f"|(?<=[\xe0-\xef])[{_CONTINUATION}]{{2}}|(?<=\xf0)[{_CONTINUATION}]{{3}})"
)
_UTF8_LETTER = f"[\xc2-\xf0]{_CONTINUED}"
_MOJIBAKE = re.compile(f"{_UTF8_LETTER}(?:{_UTF8_LETTER})*")
# The first letter of each place; of one that was Cyrillic in one byte per letter, any.
_MOJIBAKE_SIGNS = "".join(map(chr, (*range(0xC0, 0xD7), *range(0xD8, 0xF7), *range(0xF8, 0x100))))
# Cyrillic, one byte per letter, read as Latin-1: no language has five accented letters in a row.
_ONE_BYTE_LETTERS = "[\xc0-\xd6\xd8-\xf6\xf8-\xff]"
# Not {5,}: Python finds the first character of a pattern fast if it is not repeated.
_ONE_BYTE = re.compile(f"{_ONE_BYTE_LETTERS}{_ONE_BYTE_LETTERS}{{4,}}")
# The beginning of either in UTF-8, because most texts have neither: all these letters begin with
# one byte. To encode the text and to find it takes half of the time of a pattern of letters.
_CONTINUED_IN_UTF8 = (
    rb"(?:\xc2.|\xc5[\x92\x93\xa0\xa1\xb8\xbd\xbe]|\xc6\x92|\xcb[\x86\x9c]|\xe2[\x80\x82\x84].)"
)
_WRONG_ENCODING = re.compile(
    rb"\xc3(?:[\x82-\x85\x8e-\x91\x97-\x99]%(c)b|[\xa0-\xaf]%(c)b{2}|\xb0%(c)b{3}"
    rb"|[\x80-\xbf](?:\xc3[\x80-\xbf]){4})" % {b"c": _CONTINUED_IN_UTF8},
    re.DOTALL,
)
_HAS_FTFY = importlib.util.find_spec("ftfy") is not None


def _read_as_utf8(place: str) -> str:
    """Return what a place was in UTF-8 before it was read as Latin-1 or cp1252; else the place."""
    data = bytearray()
    for character in place:
        try:
            data += character.encode("cp1252")
        except UnicodeEncodeError:
            data += character.encode("latin-1")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return place


def decode_again(text: str) -> str:
    """Return a text that was UTF-8 before it was read in another encoding.

    ftfy knows more encodings, and is used where it is installed.

    >>> decode_again("CafÃ©")
    'Café'
    """
    if _ONE_BYTE.search(text):
        letters = re.compile("[\xc0-\xff\xa8\xb8]+")
        return letters.sub(lambda match: match[0].encode("latin-1").decode("cp1251"), text)
    if not _MOJIBAKE.search(text):
        return text
    if _HAS_FTFY:
        import ftfy

        return ftfy.fix_encoding(text)
    return _MOJIBAKE.sub(lambda match: _read_as_utf8(match[0]), text)


def _is_mojibake(match: re.Match[str]) -> bool:
    decoded = _read_as_utf8(match[0])
    if decoded == match[0]:
        return False
    are_printed = all(unicodedata.category(character)[0] in "LPSZM" for character in decoded)
    # A letter of three bytes alone may be French (`é »`); two are not, nor are punctuation marks.
    is_evident = (
        match[0][0] not in "\xe0\xe1\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0"
    )
    return are_printed and (is_evident or len(decoded) >= 2)


def _has_letters(match: re.Match[str]) -> bool:
    return len(set(match[0].lower())) >= 4


def _find_mojibake(texts: Texts) -> Iterable[Found]:
    data = [joined.encode("utf-8", "surrogatepass") for joined in texts.joined.values()]
    if not any(map(_WRONG_ENCODING.search, data)):
        return
    detail = "" if _HAS_FTFY else "; `pip install ftfy` repairs more encodings"
    for found in _find_places(
        texts, _MOJIBAKE, _MOJIBAKE_SIGNS, decode_again, accept=_is_mojibake, on_both=False
    ):
        # One place alone may be a letter before a quotation mark (`ESPAÑ…`).
        is_common = any(sign in found.example for sign in ("â€", "Ã©", "Ã¼"))
        if is_common or _count_places(texts, found, _MOJIBAKE) >= 2:
            yield found._replace(detail=detail)
            return
    for found in _find_places(
        texts, _ONE_BYTE, _MOJIBAKE_SIGNS, decode_again, accept=_has_letters, on_both=False
    ):
        yield found._replace(detail=detail)


_REPLACEMENT = re.compile("\ufffd+")


def _find_replacement(texts: Texts) -> Iterable[Found]:
    return _find_places(texts, _REPLACEMENT, "\ufffd")


def _find_entities(texts: Texts) -> Iterable[Found]:
    return _find_places(
        texts,
        _ENTITY,
        "&",
        unescape_entities,
        accept=lambda match: html.unescape(match[0]) != match[0],
    )


# Not the backslashes of a path such as C:\new.
_ESCAPE = re.compile(
    r"(?<![A-Za-z]:)\\(?:[nrt\"']|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|<0x[0-9A-F]{2}>"
)
_BYTE_TOKENS = re.compile(r"(?:<0x[0-9A-F]{2}>)+")
_UNICODE_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_BYTE_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2})+")


def _decode_bytes(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-8", "replace")


def _decode_unicode(match: re.Match[str]) -> str:
    decoded: str = json.loads(f'"{match[0]}"')
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def decode_escapes(text: str) -> str:
    r"""Return a text with what escape sequences stand for; breaks of lines become blanks.

    >>> decode_escapes(r'\"caf\u00e9\"\n<0xC3><0xA9>')
    '"café" é'
    """
    if not _ESCAPE.search(text):
        return text
    text = _BYTE_TOKENS.sub(lambda match: _decode_bytes(re.sub("<0x|>", "", match[0])), text)
    text = _UNICODE_ESCAPES.sub(_decode_unicode, text)
    text = _BYTE_ESCAPES.sub(lambda match: _decode_bytes(match[0].replace(r"\x", "")), text)
    text = re.sub(r"\\[nrt]", " ", text)
    return re.sub(r"\\([\"'])", r"\1", text)


def _find_escapes(texts: Texts) -> Iterable[Found]:
    return _find_places(texts, _ESCAPE, "\\<", decode_escapes)


_INVISIBLE_SIGNS = (
    "\ufeff\u200b\u2060\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_INVISIBLE = re.compile(f"[{_INVISIBLE_SIGNS}]")


def _find_invisible(texts: Texts) -> Iterable[Found]:
    return _find_places(texts, _INVISIBLE, _INVISIBLE_SIGNS, lambda text: _INVISIBLE.sub("", text))


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _is_decomposed(text: str) -> bool:
    return not unicodedata.is_normalized("NFC", text)


_DECOMPOSED = re.compile(
    "\\S[\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u093c\u3099\u309a]|[\u1100-\u11ff]"
)


def _find_normalization(texts: Texts) -> Iterable[Found]:
    if texts.are_ascii() or not any(map(_is_decomposed, texts.joined.values())):
        return
    rows = {side: set(texts.find_rows(side, _is_decomposed)) for side in _SIDES}
    for side in _SIDES:
        other = OTHER_SIDES[side]
        # The other side is composed, and not without accents.
        alone = [
            row
            for row in sorted(rows[side] - rows[other])
            if not all(text.isascii() for text in texts.of(other, row))
        ]
        fewest = max(1, 0.005 * len(texts))
        if len(alone) >= fewest and len(alone) > 3 * len(rows[other] - rows[side]):
            fix = Fix(columns=_change_all(_compose, [side]))
            yield _show(texts, side, alone, _DECOMPOSED, fix)


# --- Kinds: another form on one side --------------------------------------------------------------

_CURLY = "“”„‟«»‘’‚‛ʼ"
_STRAIGHT = str.maketrans({**dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‘’‚‛ʼ", "'")})
_HYPHENS = str.maketrans(dict.fromkeys("–—‑−‐", "-"))
_COMMAS_BELOW = str.maketrans("şţŞŢ", "șțȘȚ")
_PERSIAN = str.maketrans("يكى", "یکی")
_ASCII_FORMS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}


def straighten_quotes(text: str) -> str:
    """Replace typographic quotation marks and apostrophes with those on a keyboard.

    >>> straighten_quotes("«It’s»")
    '"It\\'s"'
    """
    return text.translate(_STRAIGHT)


def _find_quotes(texts: Texts) -> Iterable[Found]:
    variant = re.compile(f"[{_CURLY}]")
    return _find_form(texts, variant, re.compile("[\"']"), straighten_quotes)


def _find_dashes(texts: Texts) -> Iterable[Found]:
    # What stands before a dash is looked at after the dash, because the search for a character is
    # faster than for what may stand before it.
    variant = re.compile("[–—−](?<= .)(?= )|[‑‐]")
    plain = re.compile("-(?<= -)-?(?= )|-(?<=[a-z]-)(?=[a-z])")

    def shorten_dashes(text: str) -> str:
        return text.replace(" -- ", " - ").translate(_HYPHENS)

    return _find_form(texts, variant, plain, shorten_dashes, gap=0.7)


def _find_ellipses(texts: Texts) -> Iterable[Found]:
    return _find_form(
        texts, re.compile("…"), re.compile(r"\.\.\."), lambda text: text.replace("…", "...")
    )


def _find_cedillas(texts: Texts) -> Iterable[Found]:
    variant = re.compile("[şţŞŢ]")
    plain = re.compile("[șțȘȚ]")
    return _find_form(texts, variant, plain, lambda text: text.translate(_COMMAS_BELOW))


def _find_arabic_letters(texts: Texts) -> Iterable[Found]:
    variant = re.compile("[يك]")
    plain = re.compile("[یک]")
    return _find_form(texts, variant, plain, lambda text: text.translate(_PERSIAN))


_FULL_WIDTH_FORMS = (  # letters and digits; punctuation marks, of which ASCII's stand beside Han
    (re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"), re.compile("[0-9A-Za-z]")),
    (
        re.compile("[\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e]"),
        re.compile("(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[!(),:;?~]"),
    ),
)


def _find_fullwidth(texts: Texts) -> Iterable[Found]:
    if texts.are_ascii():
        return []
    found: list[Found] = []
    for variant, plain in _FULL_WIDTH_FORMS:
        found += _find_form(
            texts, variant, plain, lambda text: text.translate(_ASCII_FORMS), least=10
        )
    return sorted(found, key=lambda each: -len(each.rows))[:1]


_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "「": "」", "`": "`", "*": "*"}


def _is_wrapped(text: str) -> bool:
    text = text.strip()
    return len(text) > 2 and _QUOTES.get(text[0]) == text[-1]


def unwrap(text: str) -> str:
    """Remove the quotation marks or asterisks around a whole text.

    >>> unwrap("**A cat.**"), unwrap("'A cat.'"), unwrap("A cat.")
    ('A cat.', 'A cat.', 'A cat.')
    """
    if not _is_wrapped(text):
        return text
    text = text.strip()
    width = 2 if text[:2] == text[-2:] == "**" else 1
    return text[width:-width]


def _find_wrapped(texts: Texts) -> Iterable[Found]:
    rows = {side: set(texts.find_rows(side, _is_wrapped)) for side in _SIDES}
    for side in _SIDES:
        other = OTHER_SIDES[side]
        alone = sorted(rows[side] - rows[other])
        is_most = len(alone) >= 4 and len(alone) > 0.5 * len(texts)
        if is_most and len(alone) > 5 * len(rows[other] - rows[side]):
            yield _show(texts, side, alone, _WHOLE, Fix(unwrap))


_FEWEST_LETTERS = 100  # of a side, to judge its case


def _find_case(texts: Texts) -> Iterable[Found]:
    options = texts.options
    lower_cases = texts.tokenizer is not None and texts.tokenizer.lower_cases
    if options.lowercase or lower_cases:
        return
    if any(len(joined) < _FEWEST_LETTERS for joined in texts.joined.values()):
        return
    for case, is_case in (("lower case", str.islower), ("capitals", str.isupper)):
        # Both return at the first letter of the other case, which is often the first character.
        is_so = {side: is_case(texts.joined[side]) for side in _SIDES}
        for side in _SIDES:
            if is_so[side] and not is_so[OTHER_SIDES[side]]:
                rows = texts.find_rows(side, is_case)
                yield Found(side, rows, detail=case, fix=Fix(options={"lowercase": True}))


_DETACHED = re.compile(
    r"(?<=\w) [.,](?= |$)| n['’]t\b| ['’](?:s|re|ve|ll|d|m)\b| @-@ |&apos;"
    r"|(?<=[\u3400-\u9fff]) [。，]"
)
_DETACHED_SIGNS = (" .", " ,", " n't", " 's", " @-@ ", "&apos;", " 。", " ，")


def detokenize(text: str) -> str:
    """Attach the punctuation marks of a tokenized text; most of a tokenizer's work, not all.

    >>> detokenize("He said : &quot; it &apos;s well @-@ known , is n't it ? &quot;")
    'He said: "it\\'s well-known, isn\\'t it?"'
    """
    # A single space in each pattern, because `\\s+` takes quadratic time for a long run of spaces.
    text = unescape_entities(text).replace(" @-@ ", "-")
    text = re.sub(r'" ([^"]*?) "', r'"\1"', text)
    text = re.sub(r" ([.,;:!?)\]}%。，])", r"\1", text)
    text = re.sub(r"([(\[{]) ", r"\1", text)
    return re.sub(r" (['’](?:s|t|re|ve|ll|d|m)\b|n['’]t\b)", r"\1", text)


def _find_tokenized(texts: Texts) -> Iterable[Found]:
    if texts.tokenizer is None:
        return
    expects_raw_text = texts.tokenizer.expects_raw_text
    if expects_raw_text and not texts.is_asked:  # sacreBLEU's rule is applied
        return
    fewest = max(3, 0.3 * len(texts))
    signs = (sum(map(joined.count, _DETACHED_SIGNS)) for joined in texts.joined.values())
    if max(signs) < fewest:
        return
    rows = {side: texts.find_rows(side, _DETACHED.search) for side in _SIDES}
    counts = {side: len(rows[side]) for side in _SIDES}
    if max(counts.values()) < fewest:
        return
    if min(counts.values()) >= fewest:
        if expects_raw_text:
            fix = Fix(options={"tokenize": "none"})
            found = _show(texts, "both", rows["predictions"], _DETACHED, fix)
            yield found._replace(detail=", and so do the references")
        return
    if 3 * min(counts.values()) > max(counts.values()):
        return
    side: Side = "predictions" if counts["predictions"] > counts["references"] else "references"
    fix = Fix(columns=_change_all(detokenize, [side]))
    found = _show(texts, side, rows[side], _DETACHED, fix)
    yield found._replace(detail=f"; the {OTHER_SIDES[side]} do not")


def _find_detached_periods(texts: Texts) -> Iterable[Found]:
    if texts.tokenizer is None or not texts.tokenizer.expects_raw_text:
        return
    if " ." in texts.joined["predictions"]:
        rows = [row for row, text in enumerate(texts.predictions) if text.endswith(" .")]
        if rows:
            yield Found("predictions", rows, fix=Fix(options={"tokenize": "none"}))


_UNSPACED_SHARE = 0.1 + 1e-9  # more than a tenth of the characters
_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")
_NEXT_WORDS = re.compile(f"(?<={_UNSPACED.pattern[:-1]}) (?={_UNSPACED.pattern[:-1]})")
_LONGEST_WORDS = 4  # characters of a word of segmented text, on average


def _find_unspaced(texts: Texts) -> Iterable[Found]:
    joined = texts.joined["predictions"]
    if texts.tokenizer is None or texts.tokenizer.splits_unspaced:
        return
    runs = _UNSPACED.findall(joined) if _UNSPACED.search("".join(texts.characters)) else []
    unspaced = sum(map(len, runs))
    characters = len(joined) - max(0, len(texts) - 1)  # without the breaks between texts
    # Text that is segmented has a blank between most words, and words are short.
    is_segmented = unspaced < _LONGEST_WORDS * len(runs) and 2 * len(
        _NEXT_WORDS.findall(joined)
    ) >= len(runs)
    if not runs or is_segmented:
        yield Found("both", [], amounts=(0, characters))
        return
    tokenize = "char"
    if _HAN.search(joined) and not _KANA.search(joined):
        tokenize = "zh"
    elif _KANA.search(joined) and importlib.util.find_spec("MeCab") is not None:
        tokenize = "ja-mecab"
    rows = texts.find_rows("predictions", _UNSPACED.search)
    found = _show(texts, "both", rows, _UNSPACED, Fix(options={"tokenize": tokenize}))
    yield found._replace(amounts=(unspaced, characters))


def count_unspaced(text: str) -> int:
    """Count the characters that belong to scripts written without spaces between words.

    >>> count_unspaced("a b c 是是")
    2
    """
    return sum(map(len, _UNSPACED.findall(text)))


# --- Kinds: rows ----------------------------------------------------------------------------------


def _find_empty(texts: Texts) -> Iterable[Found]:
    if all(map(str.strip, texts.predictions)) and all(map(str.strip, texts.flat_references)):
        return
    rows = [
        row
        for row, text in enumerate(texts.predictions)
        if not text.strip() and any(map(str.strip, texts.references[row]))
    ]
    if rows:
        yield Found("predictions", rows)
    rows = [
        row
        for row, references in enumerate(texts.references)
        if references and not any(map(str.strip, references)) and texts.predictions[row].strip()
    ]
    if rows:
        yield Found("references", rows)


_IDENTICAL_SHARE = 0.9
_FEWEST_CHARACTERS = 30  # of identical texts, on average; short answers are often equal


def _find_identical(texts: Texts) -> Iterable[Found]:
    fewest = max(3, _IDENTICAL_SHARE * len(texts))
    if len(texts) < fewest:
        return
    width = min(map(len, texts.references), default=0)
    columns = list(zip(*(row[:width] for row in texts.references)))
    for number, column in enumerate(columns):
        if sum(map(eq, texts.predictions, column)) >= fewest:
            rows = [row for row, text in enumerate(texts.predictions) if text == column[row]]
            length = sum(len(column[row]) for row in rows)
            if length >= _FEWEST_CHARACTERS * len(rows):
                yield Found("predictions", rows, detail=f"Predictions and reference {number}")
                break  # rows that equal several references count once
    for (earlier, first), (later, second) in combinations(enumerate(columns), 2):
        if sum(map(eq, first, second)) >= fewest:
            rows = [row for row, text in enumerate(first) if text == second[row]]
            fix = Fix(columns=_drop_reference(later))
            yield Found("references", rows, detail=f"References {earlier} and {later}", fix=fix)
            return


def _drop_reference(number: int) -> Callable[[Columns], Columns]:
    def drop(columns: Columns) -> Columns:
        references = [row[:number] + row[number + 1 :] for row in columns.references]
        return Columns(columns.predictions, references)

    return drop


def _find_same_text(texts: Texts) -> Iterable[Found]:
    fewest = max(4, 0.02 * len(texts))
    frequent = [
        text
        for text, count in Counter(texts.predictions).most_common(20)
        if count >= fewest and len(text.strip()) >= 10
    ]
    rows: list[int] = []
    for text in frequent:
        rows_of_text = [row for row, other in enumerate(texts.predictions) if other == text]
        references = {tuple(texts.references[row]) for row in rows_of_text}
        if len(references) > 0.5 * len(rows_of_text):
            rows += rows_of_text
    if rows:
        yield _show(texts, "predictions", sorted(rows), _WHOLE)


_LOOP_TIMES = 8
_LOOP_CHARACTERS = 32
_LONGEST_PHRASE = 60
_LOOP_ROWS = 1000  # that are compared with themselves at once
_EIGHT_EQUAL = np.ones(8, np.bool_).view(np.uint64)[0]


def _find_loops(texts: Texts) -> Iterable[Found]:
    phrases: dict[int, str] = {}
    for start in range(0, len(texts), _LOOP_ROWS):
        for row, phrase in _list_loops(texts.predictions[start : start + _LOOP_ROWS]):
            if not any(phrase * 4 in text for text in texts.references[start + row]):
                phrases.setdefault(start + row, phrase)
    if phrases:
        rows = sorted(phrases)
        yield _show(texts, "predictions", rows, re.compile(re.escape(phrases[rows[0]])))


def _list_loops(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the texts in which a phrase is repeated, and the phrase.

    Such a text equals itself at a distance. NumPy compares all texts with themselves at each one.

    >>> list(_list_loops(["a cat", "a cat" + " and then" * 9]))
    [(1, ' and then')]
    """
    data = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le"), np.uint32)
    lengths = np.array([len(text) + 1 for text in texts])
    ends = np.cumsum(lengths)
    is_inside = data != ord("\n")
    for distance in range(1, _LONGEST_PHRASE + 1):
        needed = max(_LOOP_CHARACTERS, distance * _LOOP_TIMES) - distance
        if lengths.max(initial=0) <= needed + distance:
            return
        is_equal = (data[distance:] == data[:-distance]) & is_inside[distance:]
        # Any 28 characters have eight from a multiple of eight on. These are compared as a number,
        # because to list all characters that differ takes three times as long.
        eights = is_equal[: len(is_equal) // 8 * 8].view(np.uint64)
        if not (eights == _EIGHT_EQUAL).any():
            continue
        differs = ~is_equal
        starts = np.concatenate([[0], np.flatnonzero(differs) + 1])
        sizes = np.diff(starts, append=len(differs) + 1) - 1
        for start in starts[sizes >= needed].tolist():
            row = int(np.searchsorted(ends, start, side="right"))
            offset = start - int(ends[row] - lengths[row])
            phrase = texts[row][offset : offset + distance]
            if any(map(str.isalnum, phrase)):
                yield row, phrase


_LAST_MARK = re.compile(r"[.!?…。！？؟।॥\"”»“'’)\]:;,」』】）：；%]\s*\Z")


def _find_truncated(texts: Texts) -> Iterable[Found]:
    if len(texts) < 8:
        return
    lengths = np.array([max(map(len, references), default=0) for references in texts.references])
    is_long = lengths >= np.quantile(lengths, 0.75)
    is_ended = np.array(
        [bool(row) and all(map(_LAST_MARK.search, row)) for row in texts.references]
    )
    is_open = np.array(
        [
            bool(text) and not _LAST_MARK.search(text) and len(text) < 0.95 * length
            for text, length in zip(texts.predictions, lengths)
        ]
    )
    judged = int((is_long & is_ended).sum())
    is_cut = is_ended & is_open
    if judged < 4 or int((is_long & is_cut).sum()) < max(3, 0.5 * judged):
        return
    rows = np.flatnonzero(is_cut).tolist()
    end = texts.predictions[rows[0]][-_EXAMPLE_WIDTH:]
    yield Found("predictions", rows, example=f"…{end}⟦⟧")


_SCRIPTS = {
    "Latin": re.compile("[A-Za-z\u00c0-\u024f]"),
    "Cyrillic": re.compile("[\u0400-\u052f]"),
    "Greek": re.compile("[\u0370-\u03ff]"),
    "Arabic": re.compile("[\u0600-\u06ff]"),
    "Hebrew": re.compile("[\u0590-\u05ff]"),
    "Devanagari": re.compile("[\u0900-\u097f]"),
    "Bengali": re.compile("[\u0980-\u09ff]"),
    "Thai": re.compile("[\u0e00-\u0e7f]"),
    "Chinese or Japanese": re.compile("[\u3040-\u30ff\u3400-\u9fff]"),
    "Korean": re.compile("[\uac00-\ud7af]"),
}


def _find_script(texts: Texts) -> Iterable[Found]:
    if texts.are_ascii():
        return
    # 1. The script of the references, if they have one.
    sample = texts.joined["references"][:100_000]
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS.items()}
    name = max(counts, key=lambda each: counts[each])
    if counts[name] == 0 or counts[name] < 0.6 * sum(counts.values()):
        return
    pattern = _SCRIPTS[name]
    # 2. The rows with predictions in another one.
    rows = []
    for row, text in enumerate(texts.predictions):
        if pattern.search(text) or not texts.references[row]:
            continue
        others = sum(len(script.findall(text)) for script in _SCRIPTS.values())
        letters = sum(len(pattern.findall(reference)) for reference in texts.references[row])
        if others >= 12 and letters >= 8 * len(texts.references[row]):
            rows.append(row)
    if len(rows) >= 2:
        yield _show(texts, "predictions", rows, _WHOLE)._replace(detail=name)


# --- Kinds: rows of one side that belong to other rows --------------------------------------------

_SHIFT_SAMPLE = 600  # rows
_LARGEST_SHIFT = 3  # rows
FEWEST_SHIFTED = 20
FEWEST_REORDERED = 12
_ORDER_SAMPLE = 300  # rows
_MOST_PAIRED = 50_000  # rows; all pairs are compared that share a rare n-gram
_CANDIDATES = 10  # rows of references that a prediction is compared with
_MOST_WEIGHED = 10_000  # rows that share n-grams with a prediction, the rarest first
_HOME_RATIO = 1.5  # of the fit of a row that was moved to the next best fit
_RARE_SHARE = 0.05  # of the rows, in which an n-gram that tells rows apart occurs at most


def _compare(texts: Texts, row: int, other: int) -> float:
    """Return how well the prediction of a row fits the references of another one."""
    if not 0 <= other < len(texts):
        return 0.0
    references = [texts.grams[text] for text in texts.references[other]]
    return _overlap(texts.grams[texts.predictions[row]], references)


def _find_shifted(texts: Texts) -> Iterable[Found]:
    """Find the row from which on predictions fit the references some rows further on better."""
    size = len(texts)
    if size < FEWEST_SHIFTED:
        return
    # 1. Compare a sample of predictions with the references of rows nearby.
    rows = spread(size, _SHIFT_SAMPLE)
    shifts = [shift for shift in range(-_LARGEST_SHIFT, _LARGEST_SHIFT + 1) if shift]
    here = np.array([_compare(texts, row, row) for row in rows.tolist()])
    best_gain = 0.0
    best_shift = 0
    start = 0
    for shift in shifts:
        there = np.array([_compare(texts, row, row + shift) for row in rows.tolist()])
        is_inside = (rows + shift >= 0) & (rows + shift < size)
        gains = np.where(is_inside, there - here, 0)
        gains_to_end = np.cumsum(gains[::-1])[::-1]
        first = int(np.argmax(gains_to_end))
        if gains_to_end[first] > best_gain:
            best_gain = float(gains_to_end[first])
            best_shift = shift
            start = first
            tail = is_inside[start:]
            tail_there = there[start:][tail]
    if not best_shift:
        return
    # 2. Is the fit there far better in nearly all rows?
    tail_here = here[start:][(rows[start:] + best_shift >= 0) & (rows[start:] + best_shift < size)]
    if len(tail_there) < 4:
        return
    is_better = float((tail_there > tail_here).mean()) >= 0.8
    is_clear = float((tail_there - tail_here).mean()) >= 0.1
    if not (is_better and is_clear and tail_there.mean() >= 2 * tail_here.mean()):
        return
    # 3. Find the row itself between two rows of the sample.
    first_row = int(rows[start])
    if size > len(rows):
        lower = int(rows[start - 1]) if start else 0
        upper = int(rows[start + 1]) if start + 1 < len(rows) else size
        nearby = range(lower, upper)
        gains = np.array(
            [_compare(texts, row, row + best_shift) - _compare(texts, row, row) for row in nearby]
        )
        first_row = nearby[int(np.argmax(np.cumsum(gains[::-1])[::-1]))]
    yield Found(
        "predictions",
        range(first_row, size),
        detail=_describe_shift(best_shift),
        fix=Fix(pairing=_pair_shifted(size, first_row, best_shift)),
    )


def _describe_shift(shift: int) -> str:
    direction = "further on" if shift > 0 else "before"
    return f"{count_things(abs(shift), 'row')} {direction}"


def _pair_shifted(size: int, first_row: int, shift: int) -> list[int]:
    """Return the row of the prediction of each row of references; -1 for none.

    >>> _pair_shifted(5, 2, 1), _pair_shifted(5, 2, -1)
    ([0, 1, -1, 2, 3], [0, 1, 3, 4, -1])
    """
    pairing = list(range(first_row))
    for row in range(first_row, size):
        has_partner = row >= first_row + shift and row - shift < size
        pairing.append(row - shift if has_partner else -1)
    return pairing


def _find_reordered(texts: Texts) -> Iterable[Found]:
    """Find predictions that fit the references of other rows, which rare n-grams point to."""
    size = len(texts)
    if size < FEWEST_REORDERED:
        return
    # 1. Are the predictions of a sample at home?
    sample = spread(size, _ORDER_SAMPLE).tolist()
    here = np.array([_compare(texts, row, row) for row in sample])
    others = np.random.default_rng(1).integers(0, size, len(sample)).tolist()
    away = np.array([_compare(texts, row, other) for row, other in zip(sample, others)])
    if here.mean() > 2 * away.mean() + 0.1:
        return
    # 2. Find the home of each.
    index = _RareGrams(texts, sample)
    moved: dict[int, int] = {}
    for row, fit in zip(sample, here.tolist()):
        fits = {other: _compare(texts, row, other) for other in index.list_candidates(row)}
        if not fits:
            continue
        home = max(fits, key=lambda other: fits[other])
        fit_at_home = fits.pop(home)
        # Texts of few words fit many rows; a row that was moved fits one.
        next_fit = max(fits.values(), default=0.0)
        is_better = fit_at_home >= max(0.3, fit + 0.1, _HOME_RATIO * next_fit)
        if home != row and is_better:
            moved[row] = home
    if len(moved) < max(3, 0.3 * len(sample)) or len(set(moved.values())) < 0.7 * len(moved):
        return
    # 3. Pair all of them, if that was asked for.
    rows = sorted(moved)
    pairing = None
    if texts.is_asked and size <= _MOST_PAIRED:
        pairing = _pair_by_fit(texts)
        rows = sorted(row for other, row in enumerate(pairing) if row != other)
    yield Found(
        "predictions",
        rows,
        detail=f"predictions[{min(moved)}] fits references[{moved[min(moved)]}]",
        fix=None if pairing is None else Fix(pairing=pairing),
    )


class _RareGrams:
    """The rows of references in which rare n-grams of characters occur."""

    def __init__(self, texts: Texts, rows: Iterable[int]) -> None:
        self._predictions = {row: texts.grams[texts.predictions[row]] for row in rows}
        wanted = set().union(*self._predictions.values())
        self._rows: defaultdict[str, list[int]] = defaultdict(list)
        for row in range(len(texts)):
            own = (texts.grams[text] for text in texts.references[row])
            for gram in set().union(*own) & wanted:
                self._rows[gram].append(row)
        self._most = max(3, int(_RARE_SHARE * len(texts)))

    def list_candidates(self, row: int) -> list[int]:
        """Return the rows that share the rarest n-grams with a prediction, the best one first."""
        found = [self._rows[gram] for gram in self._predictions[row] if gram in self._rows]
        weights: defaultdict[int, float] = defaultdict(float)
        weighed = 0
        for rows in sorted(found, key=len):
            # Frequent n-grams weigh little, and would take most of the time in a large corpus.
            if len(rows) > self._most or weighed > _MOST_WEIGHED:
                break
            weighed += len(rows)
            for other in rows:
                weights[other] += 1 / len(rows)
        return sorted(weights, key=lambda other: -weights[other])[:_CANDIDATES]


def _pair_by_fit(texts: Texts) -> list[int]:
    """Return the row of the prediction of each row of references: the best fits first."""
    size = len(texts)
    index = _RareGrams(texts, range(size))
    fits = []
    for row in range(size):
        for other in index.list_candidates(row):
            fits.append((-_compare(texts, row, other), row, other))
    pairing = [-1] * size
    is_paired = [False] * size
    for _, row, other in sorted(fits):
        if not is_paired[row] and pairing[other] < 0:
            pairing[other] = row
            is_paired[row] = True
    rest = iter([row for row in range(size) if not is_paired[row]])
    return [next(rest) if row < 0 else row for row in pairing]


# --- Kinds: ids -----------------------------------------------------------------------------------

# -100 as an integer of 16, 32 and 64 bits without a sign.
_WRAPPED = re.compile(r"(?<!\d)(?:65436|4294967196|18446744073709551516)(?!\d)")


def _find_wrapped_ids(texts: Texts) -> Iterable[Found]:
    return _find_places(
        texts,
        _WRAPPED,
        "6",
        lambda text: " ".join(_WRAPPED.sub("", text).split()),
        on_both=False,
    )


def _find_padding_ids(texts: Texts) -> Iterable[Found]:
    for side in _SIDES:
        rows_of: defaultdict[str, set[int]] = defaultdict(set)
        for row in range(len(texts)):
            for text in texts.of(side, row):
                *_, before, last = ["", "", *text.rsplit(" ", 2)]
                if last and before == last and not _WRAPPED.fullmatch(last):
                    rows_of[last].add(row)
        if rows_of:
            padding = max(rows_of, key=lambda last: len(rows_of[last]))
            if len(rows_of[padding]) >= 2:
                fix = Fix(columns=_change_all(_strip_id(padding), [side]))
                yield Found(
                    side, sorted(rows_of[padding]), padding, f"… ⟦{padding} {padding}⟧", fix=fix
                )


def _strip_id(padding: str) -> Change:
    def strip(text: str) -> str:
        ids = text.split(" ")
        while ids and ids[-1] == padding:
            ids.pop()
        return " ".join(ids)

    return strip


# --- Kinds that are looked for in all predictions -------------------------------------------------

# The first bytes of tags and special tokens, and those that follow them.
_TAG_STARTS = {b"<": b"/|<tTsSpPbBeEuUrR\xef", b"[": b"/ITCSPUMEBA"}
_PIECE_ROWS = 10_000
_MOST_BRACKETS = 1000  # in a piece


def _scan_tags(predictions: pa.ChunkedArray, tokenizer: ChosenTokenizer) -> Int64:
    """Return the rows with a tag or a special token.

    To find the two bytes with which they begin takes a hundredth of the time of `compute`, and to
    search all texts by a pattern a sixth. So only texts with these bytes are searched, and pieces
    of the column in which brackets are frequent.
    """
    rows: list[Int64] = []
    first_row = 0
    for chunk in predictions.chunks:
        if chunk.type == STRINGS:
            for start in range(0, len(chunk), _PIECE_ROWS):
                piece = chunk.slice(start, _PIECE_ROWS)
                rows.append(first_row + start + _find_brackets(piece))
        first_row += len(chunk)
    return np.concatenate(rows) if rows else _NO_ROWS


def _find_brackets(texts: pa.Array) -> Int64:
    offsets = find_offsets(texts)
    start = int(offsets[0])
    size = int(offsets[-1]) - start
    if not size:
        return _NO_ROWS
    data = texts.buffers()[2].slice(start, size).to_pybytes()
    places: list[int] = []
    for bracket, following in _TAG_STARTS.items():
        brackets = 0
        place = data.find(bracket)
        while place >= 0 and brackets < _MOST_BRACKETS:
            brackets += 1
            if data[place + 1 : place + 2] in following:
                places.append(start + place)
            place = data.find(bracket, place + 1)
        if place >= 0:  # too many: search the texts themselves
            return np.flatnonzero(pc.match_substring_regex(texts, _ANY_TAG))
    rows = np.unique(np.searchsorted(offsets, places, side="right") - 1)
    if not len(rows):
        return rows
    is_found = pc.match_substring_regex(texts.take(pa.array(rows)), _ANY_TAG)
    return rows[np.asarray(is_found)]


def _scan_periods(predictions: pa.ChunkedArray, tokenizer: ChosenTokenizer) -> Int64:
    """Return the rows that end in a period of its own."""
    if tokenizer.definition is None or not tokenizer.definition.expects_raw_text:
        return _NO_ROWS
    return np.flatnonzero(pc.ends_with(predictions, " ."))


# --- The records ----------------------------------------------------------------------------------

CHECKS: dict[str, Check] = {
    # Alignment explains what follows from it, and comes first.
    "shifted": Check(
        _find_shifted,
        Notice(
            "shifted",
            "From {text} on, the {where} fit the {other} {detail} better",
            ". A row is missing, or there twice: look at the rows before it in both files",
        ),
        Words("lines correspond", "lines that moved", "Move them back", "moved lines put back"),
        when="suspected",
        changes_meaning=True,
        explains=("reordered", "empty", "same_text"),
    ),
    "reordered": Check(
        _find_reordered,
        Notice(
            "reordered",
            "The predictions are in another order than the references: {detail}",
            ". Sort both by the same key, or join them by their ids",
        ),
        Words(
            "lines correspond",
            "lines in another order",
            "Put them in order",
            "lines put in the order that fits",
        ),
        when="suspected",
        changes_meaning=True,
        explains=("same_text",),
    ),
    "identical": Check(
        _find_identical,
        Notice(
            "identical",
            "{detail} are equal in {percent:.0%} of the rows",
            ". Check which files were read, and pass each reference once",
        ),
        Words(
            "texts differ",
            "texts equal to a reference",
            "Use each reference once",
            "equal references used once",
        ),
    ),
    # What tokenizers and models leave in texts.
    "chat": Check(
        _find_chat,
        Notice(
            "chat",
            "{text} contains {place!r}, and {share} contain such text,"
            " which language models add for reasoning and for turns of a chat",
            ". Remove it before scoring, with the reasoning between its tags",
        ),
        Words(
            "no leftovers",
            "reasoning or turns of a chat",
            "Keep the answers",
            "reasoning and turns of a chat removed",
        ),
        explains=(
            "lines",
            "special_tokens",
            "preambles",
            "same_text",
            "script",
            "truncated",
        ),
        kinds=("text", "tokens"),
        scan=_scan_tags,
        signs="<[◁",
    ),
    "special_tokens": Check(
        _find_special_tokens,
        Notice(
            "special_tokens",
            "{text} contains {place!r}, and {share} contain such special tokens of a model",
            ". Decode with skip_special_tokens=True",
        ),
        Words("no leftovers", "special tokens of a model", "Remove them", "special tokens removed"),
        explains=("truncated", "case"),
        kinds=("text", "tokens"),
        scan=_scan_tags,
        signs=_SPECIAL_SIGNS,
    ),
    "subwords": Check(
        _find_subwords,
        Notice(
            "subwords",
            "{text} contains pieces of words such as {place!r}, like {share}",
            ". Join them: tokenizer.batch_decode(ids), or text.replace('@@ ', '')",
        ),
        Words("no leftovers", "pieces of words", "Join them", "pieces of words joined"),
        kinds=("text", "tokens"),
        signs=_SUBWORD_SIGNS,
    ),
    "fences": Check(
        _find_fences,
        Notice(
            "fences",
            "{text} contains a fence of code (```), like {share}",
            ". Keep the text in it: text.split('```')[1]",
        ),
        Words("no leftovers", "fences of code", "Keep the text in them", "fences of code removed"),
        explains=("lines", "wrapped"),
        signs="`",
    ),
    "preambles": Check(
        _find_preambles,
        Notice(
            "preambles",
            "{text} begins with words of a model to its user, like {share}",
            ". Remove them, and ask the model for the translation only",
        ),
        Words(
            "no leftovers",
            "introductions by a language model",
            "Remove them",
            "introductions removed",
        ),
        explains=("lines",),
        signs=":：",
    ),
    "refusals": Check(
        _find_refusals,
        Notice(
            "refusals",
            "{text} is an answer in place of a text, like {share}",
            ". Ask the model again, or report the number of these rows",
        ),
        Words("no leftovers", "answers in place of a text"),
        explains=("lines", "script", "same_text", "truncated"),
    ),
    # Texts in the form of something else.
    "reprs": Check(
        _find_reprs,
        Notice(
            "reprs",
            "{text} is a Python value written as text, like {share}",
            ". Pass the value itself: ast.literal_eval(text), or decode ids first",
        ),
        Words("no leftovers", "Python values written as text", "Read them", "Python values read"),
        explains=("wrapped", "escapes"),
        signs="[({'\"",
    ),
    "markup": Check(
        _find_markup,
        Notice(
            "markup",
            "{text} is a line of a file, not its text, like {share} ({detail})",
            ". Parse the file, and pass the texts in it",
        ),
        Words(
            "no leftovers",
            "lines of SGML or JSON",
            "Read the texts in them",
            "texts read from SGML or JSON",
        ),
        explains=("reprs", "entities", "escapes"),
        signs="<{",
    ),
    "fields": Check(
        _find_fields,
        Notice(
            "fields",
            "{text} has several fields, like {share} ({detail})",
            ". Pass one of them: [line.split(' ||| ')[1] for line in lines]",
        ),
        Words(
            "no leftovers",
            "several fields per line",
            "Keep the text",
            "text taken from its field",
        ),
        explains=("numbering",),
        signs="|\t",
    ),
    "numbering": Check(
        _find_numbering,
        Notice(
            "numbering",
            "{text} begins with its number, like {share}; the {other} have none",
            r". Remove it: re.sub(r'^\d+[.)] ', '', text)",
        ),
        Words(
            "no leftovers",
            "numbers before the texts",
            "Remove them",
            "numbers before the texts removed",
        ),
    ),
    "line_ids": Check(
        _find_line_ids,
        Notice(
            "line_ids",
            "{text} ends with the id of its line, like {share}; the {other} have none",
            r". Remove it: re.sub(r' *\([^ ()]+\)$', '', text)",
        ),
        Words("no leftovers", "ids of lines", "Remove them", "ids of lines removed"),
        signs=")",
    ),
    "lines": Check(
        _find_lines,
        Notice(
            "lines",
            "{text} has several lines, like {share}; the references have one",
            ". Pass the line that is meant: text.split('\\n')[0]",
        ),
        Words("no leftovers", "several lines per text", "Keep one line", "one line kept per text"),
        signs="\n",
    ),
    # Encodings.
    "mojibake": Check(
        _find_mojibake,
        Notice(
            "mojibake",
            "{text} was read in another encoding than its own ({place!r}), like {share}{detail}",
            ". Read the file with encoding='utf-8'",
        ),
        Words(
            "same characters",
            "text in a wrong encoding",
            "Decode it again",
            "encoding repaired",
        ),
        explains=("replacement",),
        signs=_MOJIBAKE_SIGNS,
    ),
    "replacement": Check(
        _find_replacement,
        Notice(
            "replacement",
            "{text} contains the replacement character U+FFFD, like {share}: bytes were lost",
            ". Read the file in its own encoding, and decode the ids of whole texts",
        ),
        Words("same characters", "lost characters (U+FFFD)"),
        signs="\ufffd",
    ),
    # Rows, case and tokens.
    "empty": Check(
        _find_empty,
        Notice(
            "empty",
            "{text} is empty, like {share}; the {other} are not",
            ". Look for blank lines in the file, or for a model that stops at once",
        ),
        Words("complete texts", "empty texts"),
        least_share=0.005,
        is_zero_if_all=True,
    ),
    "case": Check(
        _find_case,
        Notice(
            "case",
            "The {where} are in {detail}, the {other} are not",
            ". Pass texts as they are written, or lowercase=True",
            option="lowercase",
            value=True,
        ),
        Words("same case", "texts in {detail} only"),
        least_share=0.5,
        changes_meaning=True,
    ),
    "unspaced": Check(
        _find_unspaced,
        Notice(
            "unspaced",
            "{percent:.0%} of the characters in the predictions belong to scripts written"
            " without spaces, which tokenize={tokenizer!r} does not segment",
            ". Pass tokenize='zh' (Chinese), 'ja-mecab' (Japanese) or 'char'",
            option="tokenize",
            value="char",
        ),
        Words("fits the tokenizer", "text without spaces"),
        least_share=_UNSPACED_SHARE,
        changes_meaning=True,
        explains=("tokenized",),
    ),
    "tokenized": Check(
        _find_tokenized,
        Notice(
            "tokenized",
            "{text} looks tokenized ({place!r}), like {share}{detail}",
            ". Detokenize it, or if both sides are tokenized pass tokenize='none'",
        ),
        Words("fits the tokenizer", "detached punctuation marks", "Detokenize", "detokenized"),
        least=3,
        changes_meaning=True,
        explains=("detached_periods",),
    ),
    "detached_periods": Check(
        _find_detached_periods,
        Notice(
            "tokenized",
            "{count:,} predictions end with a detached period, so they look tokenized already,"
            " but tokenize={tokenizer!r} expects plain text",
            ". Detokenize them, or pass tokenize='none'",
            option="tokenize",
            value="none",
        ),
        Words("fits the tokenizer", "detached periods"),
        least=100,  # as in sacreBLEU
        changes_meaning=True,
        scan=_scan_periods,
    ),
    "wrapped_ids": Check(
        _find_wrapped_ids,
        Notice(
            "wrapped_ids",
            "{text} contains the id {place}, which is -100 as an integer without a sign, like"
            " {share}",
            ". Keep the ids signed, or remove it: [id for id in ids if id != {place}]",
        ),
        Words("no leftovers", "ids of -100 without a sign", "Remove them", "ids of -100 removed"),
        kinds=("ids",),
        explains=("padding_ids",),
        signs="6",
    ),
    "padding_ids": Check(
        _find_padding_ids,
        Notice(
            "padding_ids",
            "{text} ends with the id {place} several times, like {share}: padding",
            ". Remove it: [id for id in ids if id != {place}]",
        ),
        Words("no leftovers", "padding", "Remove it", "padding removed"),
        least_share=0.2,
        kinds=("ids",),
    ),
    # What only `check` looks at.
    "entities": Check(
        _find_entities,
        Notice(
            "entities",
            "{text} contains the HTML entity {place!r}, and {share} contain such text",
            ". Replace them: html.unescape(text)",
        ),
        Words("same characters", "HTML entities", "Replace them", "HTML entities replaced"),
        when="asked",
        explains=("tokenized",),
        signs="&",
    ),
    "escapes": Check(
        _find_escapes,
        Notice(
            "escapes",
            "{text} contains the escape sequence {place!r} as text, and {share} contain such text",
            ". Decode it where the text was written: json.loads(line), for example",
        ),
        Words(
            "same characters",
            "escape sequences written as text",
            "Decode them",
            "escape sequences decoded",
        ),
        when="asked",
        explains=("truncated",),
        signs="\\<",
    ),
    "normalization": Check(
        _find_normalization,
        Notice(
            "normalization",
            "{text} has letters and accents in two characters, like {share}; the {other} have one",
            ". Compose them on both sides: unicodedata.normalize('NFC', text)",
        ),
        Words(
            "same characters",
            "letters and accents in two characters",
            "Compose them",
            "letters and accents composed",
        ),
        when="asked",
    ),
    "quotes": Check(
        _find_quotes,
        Notice(
            "quotes",
            "{text} has typographic quotation marks or apostrophes ({place}), like {share}; the"
            " {other} have straight ones",
            ". Use one form on both sides, and say so beside the score",
        ),
        Words(
            "same quotes",
            "typographic quotes on one side",
            "Make quotes straight",
            "quotes made straight",
        ),
        when="asked",
        changes_meaning=True,
        signs=_CURLY,
    ),
    "dashes": Check(
        _find_dashes,
        Notice(
            "dashes",
            "{text} has a dash ({place}) where the {other} have hyphens, like {share}",
            ". Use one form on both sides, and say so beside the score",
        ),
        Words(
            "same quotes",
            "dashes on one side",
            "Make them hyphens",
            "dashes made hyphens",
        ),
        when="asked",
        changes_meaning=True,
        signs="–—‑−‐",
    ),
    "ellipses": Check(
        _find_ellipses,
        Notice(
            "ellipses",
            "{text} has … where the {other} have three periods, like {share}",
            ". Use one form on both sides: text.replace('…', '...')",
        ),
        Words(
            "same quotes",
            "ellipses (…) on one side",
            "Write three periods",
            "ellipses written as periods",
        ),
        when="asked",
        changes_meaning=True,
        signs="…",
    ),
    "fullwidth": Check(
        _find_fullwidth,
        Notice(
            "fullwidth",
            "{text} has full-width characters ({place}), like {share}; the {other} have ASCII",
            ". Use one form on both sides: unicodedata.normalize('NFKC', text)",
        ),
        Words(
            "same characters",
            "full-width characters on one side",
            "Make them ASCII",
            "full-width characters made ASCII",
        ),
        when="asked",
        changes_meaning=True,
    ),
    "cedillas": Check(
        _find_cedillas,
        Notice(
            "cedillas",
            "{text} has a cedilla ({place}), like {share}; the {other} have Romanian's comma below",
            ". Use one form: text.translate(str.maketrans('şţŞŢ', 'șțȘȚ'))",
        ),
        Words(
            "same characters",
            "cedillas on one side",
            "Use commas below",
            "cedillas replaced by commas below",
        ),
        when="asked",
        signs="şţŞŢ",
    ),
    "arabic_letters": Check(
        _find_arabic_letters,
        Notice(
            "arabic_letters",
            "{text} has the Arabic letter {place}, like {share}; the {other} have the Persian one",
            ". Use one form: text.translate(str.maketrans('يك', 'یک'))",
        ),
        Words(
            "same characters",
            "Arabic letters on one side",
            "Use Persian letters",
            "Arabic letters replaced by Persian ones",
        ),
        when="asked",
        signs="يك",
    ),
    "invisible": Check(
        _find_invisible,
        Notice(
            "invisible",
            "{text} has an invisible character ({place!a}), like {share}",
            ". Remove it on both sides; utf-8-sig is the encoding of a file that begins with"
            " U+FEFF",
        ),
        Words(
            "same characters",
            "invisible characters",
            "Remove them",
            "invisible characters removed",
        ),
        when="asked",
        signs=_INVISIBLE_SIGNS,
    ),
    "wrapped": Check(
        _find_wrapped,
        Notice(
            "wrapped",
            "{text} is between quotation marks as a whole, like {share}; the {other} are not",
            ". Remove them: text.strip('\"')",
        ),
        Words(
            "no leftovers",
            "quotation marks around whole texts",
            "Remove them",
            "quotation marks around texts removed",
        ),
        when="asked",
    ),
    "loops": Check(
        _find_loops,
        Notice(
            "loops",
            "{text} repeats a phrase eight times or more, like {share}",
            ". Generate with no_repeat_ngram_size or repetition_penalty, or report these rows",
        ),
        Words("complete texts", "phrases repeated eight times"),
        when="asked",
        explains=("lines",),
    ),
    "truncated": Check(
        _find_truncated,
        Notice(
            "truncated",
            "{text} ends in the middle of a sentence, like {share}",
            ". Generate longer texts: max_new_tokens",
        ),
        Words("complete texts", "texts that end early"),
        when="asked",
        least_share=0.2,
    ),
    "script": Check(
        _find_script,
        Notice(
            "script",
            "{text} is in another script than its reference ({detail}), like {share}",
            ". Check the direction of the model, and the files",
        ),
        Words("complete texts", "texts in another script"),
        when="asked",
        least_share=0.05,
        explains=("reordered",),
    ),
    "same_text": Check(
        _find_same_text,
        Notice(
            "same_text",
            "{text} stands in other rows as well, with other references: {share} are such texts",
            ". Check the loop that collects the predictions",
        ),
        Words("texts differ", "one text in many lines"),
        when="asked",
        explains=("reordered",),
    ),
}
