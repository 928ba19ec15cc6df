"""Mistakes in texts that are scored: six families, each a way of finding with a table of records.

    family   way of finding                                               table
    ends     the same signs before or after most texts of one side        AFFIXES
    pieces   \\
    forms     > a form that one side has and its partner lacks            FORMS, LATER_FORMS
    signs    one character for another: both sides written alike fit      SIGNS
    amounts  a ratio of characters of the two sides                       RATIOS
    rows     rows that are wrong in themselves                            ROW_TESTS

A mistake is undone by an `Edit`, a short expression in `text`. It counts only if it brings the
texts nearer to their partners: JSON scored against JSON loses by the edit, and is left alone.
The expression that fits best is the advice that is printed, and the fix that is applied. Each
finding is undone before the next family looks, so one cause gives one finding.
"""

from __future__ import annotations

import ast
import html
import importlib.util
import json
import re
import unicodedata
import urllib.parse
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import eq, itemgetter
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .bleu_alignment import Alignment, find_alignment, find_repeated, find_unrelated
from .bleu_corpus import InputType, evenly_spaced
from .bleu_messages import count_things, describe_share
from .bleu_tokenizers import Tokenizer

Side = Literal["predictions", "references"]
Where = Literal["predictions", "references", "both"]

SIDES: tuple[Side, Side] = ("predictions", "references")
OTHER_SIDES: dict[Side, Side] = {"predictions": "references", "references": "predictions"}

_LEAST_GAIN = 0.003  # of the fit, on average over the texts tried, that an edit must bring
_LEAST_GAIN_OF_PART = 0.05  # if less than half of the text is left
_WINS = 4  # times as many texts must gain by an edit as lose
_TOLD_GAIN = (
    0.007  # gain per row of all rows, about half a point of BLEU, that is told without asking
)
_TRIED_ASKED, _TRIED_UNASKED = 60, 16  # texts on which edits are tried
_LONGEST_COMPARED = 4_000  # characters of a text whose fit is computed
_EXAMPLE_WIDTH = 20  # characters on each side of the place in an example
_LONGEST_PLACE = 40  # characters that a message shows of a place


# --- Edits ----------------------------------------------------------------------------------------


# What an expression may raise for a text that it does not fit.
_FAILURES = (
    ValueError,
    LookupError,
    TypeError,
    SyntaxError,
    AttributeError,
    RecursionError,
    MemoryError,
    Warning,
)


@dataclass(frozen=True)
class Edit:
    """A change of a text: an expression in `text`, and the function that does the same.

    >>> edit = TEXT.sub("^- ", "").call("strip")
    >>> edit.code, edit("- a cat ")
    ("re.sub('^- ', '', text).strip()", 'a cat')
    """

    code: str
    function: Callable[[str], Any]

    def __call__(self, text: str) -> str:
        """Return the changed text; the text itself where the expression fails or is not a str."""
        changed = self.list_texts(text)
        return changed[0] if len(changed) == 1 else text

    def list_texts(self, text: str) -> list[str]:
        """Return the texts that the expression makes of one: a list of str is several."""
        try:
            value = self.function(text)
        except _FAILURES:
            return [text]
        if isinstance(value, str):
            return [value]
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return value
        return [text]

    def call(self, method: str, *arguments: object) -> Edit:
        """Return the edit followed by a method of its value."""
        written = ", ".join(map(repr, arguments))
        inner = self.function
        return Edit(
            f"{self.code}.{method}({written})",
            lambda text: getattr(inner(text), method)(*arguments),
        )

    def item(self, key: object) -> Edit:
        """Return the edit followed by an item of its value."""
        inner = self.function
        return Edit(f"{self.code}[{key!r}]", lambda text: inner(text)[key])

    def sub(self, pattern: str, new: str) -> Edit:
        """Return the edit followed by `re.sub`."""
        compiled = re.compile(pattern)
        inner = self.function
        return Edit(
            f"re.sub({pattern!r}, {new!r}, {self.code})",
            lambda text: compiled.sub(new, inner(text)),
        )

    def split(self, pattern: str, most: int = 0) -> Edit:
        """Return the edit followed by `re.split`."""
        compiled = re.compile(pattern)
        inner = self.function
        limit = f", {most}" if most else ""
        return Edit(
            f"re.split({pattern!r}, {self.code}{limit})",
            lambda text: compiled.split(inner(text), most),
        )

    def list_parts(self, pattern: str) -> Edit:
        """Return the edit followed by a split, without the parts that are blank."""
        compiled = re.compile(pattern)
        inner = self.function
        return Edit(
            f"[part for part in re.split({pattern!r}, {self.code}) if part.strip()]",
            lambda text: [part for part in compiled.split(inner(text)) if part.strip()],
        )

    def through(self, name: str, function: Callable[..., Any], *arguments: object) -> Edit:
        """Return the edit followed by a function of its value, which comes last."""
        written = "".join(f"{argument!r}, " for argument in arguments)
        inner = self.function
        return Edit(f"{name}({written}{self.code})", lambda text: function(*arguments, inner(text)))


TEXT = Edit("text", lambda text: text)


# --- Records --------------------------------------------------------------------------------------


class Words(NamedTuple):
    """A mistake in the words of the demo.

    fine: the phrase if it was looked for and not found; several kinds may share one.
    found: the phrase for texts that have it.
    button: the fix of the texts, as a command; empty without one.
    fixed: the phrase for texts that were fixed.
    """

    fine: str
    found: str
    button: str = ""
    fixed: str = ""


class Mistake(NamedTuple):
    """A kind of mistake.

    kind: its name in results and warnings.
    words: the ticks and buttons of the demo.
    advice: what to do where the texts were made, as an imperative; the edit stands beside it.
    changes_meaning: True if the score after the fix means something else: `fixed` applies such a
        fix only by its name.
    fewest_rows: below which it is not looked for.
    types: the kinds of texts in which it is looked for.
    is_quiet: True if only `check` tells it, whatever it costs.
    """

    kind: str
    words: Words
    advice: str = ""
    changes_meaning: bool = False
    fewest_rows: int = 1
    types: Sequence[InputType] = ("text",)
    is_quiet: bool = False


class Step(NamedTuple):
    """An edit of texts in some rows of a side, which are counted in the corpus."""

    side: Side
    rows: Sequence[int]
    edit: Edit


@dataclass
class Fix:
    """How a mistake is undone: by one of these four.

    steps: edits of texts.
    pairing: the row of the prediction of each row of references; -1 for none.
    keeps: the function that returns False for a reference that is left out, given its number.
    options: options of the call.
    """

    steps: list[Step] = field(default_factory=list)
    pairing: Sequence[int] | None = None
    keeps: Callable[[int, str], bool] | None = None
    options: Mapping[str, object] | None = None


@dataclass
class Found:
    """A mistake that was found on a side of texts, or on both.

    rows: the rows with the mistake, ascending.
    looked_at, total: how many rows were looked at, and of how many.
    says: the sentence without its period.
    example: the first place between ⟦ and ⟧, with the text around it.
    code: what to write: the expression of the edit, or an option; empty without one.
    fix: None if the texts can't be fixed from here.
    gain: how much nearer the edit brings the rows, 0 to 1.
    is_question: True if the edit does not bring them nearer.
    is_told: True if it is worth an unasked warning.
    detail: what completes `words.found`.
    """

    mistake: Mistake
    where: Where
    rows: Sequence[int]
    says: str
    looked_at: int
    total: int
    example: str = ""
    code: str = ""
    fix: Fix | None = None
    gain: float = 0.0
    is_question: bool = False
    is_told: bool = True
    detail: str = ""

    @property
    def kind(self) -> str:
        """The name of the mistake in results and warnings."""
        return self.mistake.kind

    def write_advice(self) -> str:
        """Return what to do, as an imperative."""
        advice = self.mistake.advice
        if self.fix is None or not self.code:
            return advice
        if self.fix.options is not None:
            return advice or f"Pass {self.code}"
        return f"{advice}, or write {self.code}" if advice else f"Write {self.code}"


# --- The texts that are looked at -----------------------------------------------------------------

# The first character of each block of a script, and its name; empty for signs.
_SCRIPTS = (
    (0x41, "Latin"),
    (0x370, "Greek"),
    (0x400, "Cyrillic"),
    (0x530, "Armenian"),
    (0x590, "Hebrew"),
    (0x600, "Arabic"),
    (0x780, ""),
    (0x900, "Devanagari"),
    (0x980, "Bengali"),
    (0xA00, "Indic"),
    (0xE00, "Thai"),
    (0xE80, "Lao"),
    (0xF00, "Tibetan"),
    (0x1000, "Burmese"),
    (0x10A0, "Georgian"),
    (0x1100, "Korean"),
    (0x1200, "Ethiopic"),
    (0x13A0, "Cherokee"),
    (0x1400, "Syllabics"),
    (0x1780, "Khmer"),
    (0x1800, "Mongolian"),
    (0x18B0, ""),
    (0x1E00, "Latin"),
    (0x1F00, "Greek"),
    (0x2000, ""),
    (0x3041, "Kana"),
    (0x3100, ""),
    (0x3400, "Han"),
    (0xA000, ""),
    (0xAC00, "Korean"),
    (0xD7B0, ""),
    (0xF900, "Han"),
    (0xFB00, ""),
    (0x20000, "Han"),
)
_SCRIPT_STARTS = np.array([start for start, _ in _SCRIPTS])
_SCRIPT_NAMES = ["", *dict.fromkeys(name for _, name in _SCRIPTS if name)]
_HAN_SCRIPT, _KANA_SCRIPT = map(_SCRIPT_NAMES.index, ("Han", "Kana"))
# Scripts that are written without spaces between words.
UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan; Burmese and Shan; Khmer
    "\u1950-\u19ff\u1a20-\u1aad\uaa80-\uaadf"  # Tai Le and New Tai Lue; Tai Tham; Tai Viet
    "\u1b00-\u1b7f\u1b80-\u1bbf\ua980-\ua9df\ua9e0-\ua9fe\uaa60-\uaa7f"  # Balinese, Sundanese, …
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_LAST_ASCII = 0x7F
_LAST_CODE = 0xFFFF  # codes above count as one, for a table of 64k
_LINE_FEED = 0x0A


_GROUPS = ("other", "upper", "lower", "letter", "mark", "punctuation", "space")
_GROUP_OF = {"Lu": "upper", "Lt": "upper", "Ll": "lower", "Lo": "letter", "Lm": "letter"}
_GROUP_OF |= {"Mn": "mark", "Mc": "letter"}
# What is known of characters, by code; filled on demand, since most texts have few characters.
_SIGNS = np.zeros(
    _LAST_CODE + 1,
    [
        ("is_known", bool),
        ("group", np.uint8),  # an index of _GROUPS
        ("accents", np.uint8),
        ("script", np.uint8),  # an index of _SCRIPT_NAMES
        ("is_unspaced", bool),
    ],
)


def _describe_sign(code: int) -> tuple[bool, int, int, int, bool]:
    """Return the row of a character in `_SIGNS`."""
    character = chr(code)
    category = unicodedata.category(character)
    group = _GROUP_OF.get(category, "other")
    if category[0] == "P":
        group = "punctuation"
    elif character.isspace():
        group = "space"
    accents = 0
    if category[0] in "LM" and code < 0x2000:
        parts = unicodedata.normalize("NFD", character)
        accents = sum(unicodedata.category(part) == "Mn" for part in parts)
    script = ""
    if group in ("upper", "lower", "letter") and code >= _SCRIPTS[0][0]:
        _, script = _SCRIPTS[int(np.searchsorted(_SCRIPT_STARTS, code, "right")) - 1]
    is_unspaced = bool(_UNSPACED.match(character))
    return True, _GROUPS.index(group), accents, _SCRIPT_NAMES.index(script), is_unspaced


def _read_codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _describe_signs(codes: npt.NDArray[np.integer]) -> npt.NDArray[np.void]:
    """Return what is known of characters, given their codes up to `_LAST_CODE`."""
    signs = _SIGNS[codes]
    unknown = codes[~signs["is_known"]]
    if not len(unknown):
        return signs
    for code in set(unknown.tolist()):
        _SIGNS[code] = _describe_sign(code)
    return _SIGNS[codes]


_FIRST_TWO = itemgetter(slice(2))
_LAST_TWO = itemgetter(slice(None, -3, -1))  # the last one first


_DIGITS = re.compile(r"\d+")


def _count_ends(ends: Iterable[str]) -> Counter[str]:
    """Count the ends of texts; all digits count as 0."""
    counts = Counter(ends)
    for signs in list(counts):
        written = signs if signs.isalpha() else _DIGITS.sub("0", signs)
        if written != signs:
            counts[written] += counts.pop(signs)
    return counts


def _count_outermost(ends: Mapping[str, int]) -> dict[str, int]:
    numbers: defaultdict[str, int] = defaultdict(int)
    for signs, count in ends.items():
        numbers[signs[:1]] += count
    return numbers


class Census:
    """Counts of the characters of a side, from one histogram.

    heads, tails: how many texts begin or end with two characters, blanks aside; the outermost
        character first. All digits count as 0.
    first_signs, last_signs: how many begin or end with a character.
    signs, beyond_ascii: the characters, and those beyond ASCII.

    >>> census = Census(["Ça va ?"])
    >>> census.upper, census.lower, census.punctuation, census.accents
    (1, 3, 1, 1)
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.joined = "\n".join(texts)
        self.heads = _count_ends(map(_FIRST_TWO, map(str.lstrip, texts)))
        self.tails = _count_ends(map(_LAST_TWO, map(str.rstrip, texts)))
        self.first_signs = _count_outermost(self.heads)
        self.last_signs = _count_outermost(self.tails)
        breaks = max(0, len(texts) - 1)
        codes = _read_codes(self.joined)
        histogram = np.bincount(np.minimum(codes, _LAST_CODE), minlength=_LINE_FEED + 1)
        histogram[_LINE_FEED] -= breaks
        present = np.flatnonzero(histogram > 0)
        counts = histogram[present]
        signs = _describe_signs(present)
        self.number_of = dict(zip(map(chr, present.tolist()), counts.tolist()))
        self.signs = frozenset(self.number_of)
        self.beyond_ascii = frozenset(map(chr, present[present > _LAST_ASCII].tolist()))
        groups = np.bincount(signs["group"], counts, len(_GROUPS)).astype(int)
        _, self.upper, self.lower, letters, self.marks, self.punctuation, spaces = groups.tolist()
        self.letters = self.upper + self.lower + letters + self.marks
        self.characters = int(counts.sum()) - spaces
        self.words = spaces + breaks + 1
        self.words_per_sign = self.share_of(self.words)
        self.signs_per_text = self.characters / max(1, len(texts) - self.heads[""])  # not blank
        self.accents = int(signs["accents"] @ counts)
        beyond = 0  # ideographs beyond the table
        if len(present) and present[-1] == _LAST_CODE:
            beyond = int(np.count_nonzero((codes >= 0x20000) & (codes <= 0x3FFFF)))
        scripts = np.bincount(signs["script"], counts, len(_SCRIPT_NAMES)).astype(int).tolist()
        self.scripts = Counter(
            {name: number for name, number in zip(_SCRIPT_NAMES, scripts) if name and number}
        )
        self.scripts["Han"] += beyond
        unspaced = int(counts[signs["is_unspaced"]].sum()) + beyond
        self.unspaced_share = unspaced / max(1, int(counts.sum()))

    def list_ends(self, at_end: bool) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Return how many texts end, or begin, with two characters, and with one."""
        return (self.tails, self.last_signs) if at_end else (self.heads, self.first_signs)

    def share_of_tails(self, test: Callable[[str], bool]) -> float:
        """Return the share of the texts whose last two characters pass a test."""
        passing = sum(count for tail, count in self.tails.items() if test(tail))
        return passing / max(1, self.tails.total())

    def share_of_sign(self, sign: str) -> float:
        """Return the share of a character."""
        return self.share_of(self.number_of.get(sign, 0))

    def share_of(self, count: int) -> float:
        """Return a count per character that is not a blank."""
        return count / max(1, self.characters)


class Place(NamedTuple):
    """A text of a side: its row among those looked at, and its number in the row."""

    row: int
    number: int


class Pairs:
    """Predictions with their references, as the families see them: findings are undone in them.

    texts: the texts of each side by row; a prediction is a list of one.
    numbers: the row of the corpus of each text, by side.
    total: the rows of the corpus.
    is_asked: True in `check`, False where a method looks without being asked.
    is_open: False for each row that a finding without a fix explains.
    """

    def __init__(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        *,
        numbers: Sequence[int] | None = None,
        total: int | None = None,
        is_asked: bool = True,
        tokenizer: Tokenizer | None = None,
        tokenizer_name: str = "",
        ignores_case: bool = False,
        type_: InputType = "text",
        may_be_unrelated: bool = True,
    ) -> None:
        rows = list(range(len(predictions))) if numbers is None else list(numbers)
        self.texts: dict[Side, list[list[str]]] = {
            "predictions": [[text] for text in predictions],
            "references": [list(texts) for texts in references],
        }
        self.numbers: dict[Side, list[int]] = {"predictions": rows, "references": rows}
        self.total = len(rows) if total is None else total
        self.is_asked = is_asked
        self.tokenizer = tokenizer
        self.tokenizer_name = tokenizer_name
        self.ignores_case = ignores_case
        self.type_ = type_
        self.may_be_unrelated = may_be_unrelated
        self.is_open = [True] * len(rows)
        self._census: dict[Side, Census] = {}
        self._signs: frozenset[str] | None = None
        self._flat: dict[Side, list[str]] = {}
        self._places: dict[Side, list[Place]] = {}
        self._grams: dict[str, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self.is_open)

    @property
    def predictions(self) -> list[str]:
        """The predictions."""
        return self.list_texts("predictions")

    @property
    def references(self) -> list[list[str]]:
        """The references of each row."""
        return self.texts["references"]

    @property
    def most_tried(self) -> int:
        """The number of texts on which edits are tried."""
        return _TRIED_ASKED if self.is_asked else _TRIED_UNASKED

    def list_texts(self, side: Side) -> list[str]:
        """Return all texts of a side, row by row."""
        if side not in self._flat:
            self._flat[side] = list(chain.from_iterable(self.texts[side]))
        return self._flat[side]

    def list_places(self, side: Side) -> list[Place]:
        """Return the places of the texts of `list_texts`."""
        if side not in self._places:
            self._places[side] = [
                Place(row, number)
                for row, texts in enumerate(self.texts[side])
                for number in range(len(texts))
            ]
        return self._places[side]

    def count(self, side: Side) -> Census:
        """Return the counts of characters of a side."""
        if side not in self._census:
            self._census[side] = Census(self.list_texts(side))
        return self._census[side]

    @property
    def signs(self) -> frozenset[str]:
        """The characters of both sides."""
        if self._signs is None:
            self._signs = self.count("predictions").signs | self.count("references").signs
        return self._signs

    def list_present(self, side: Side, strings: Iterable[str]) -> list[str]:
        """Return those of some strings that are in the texts of a side."""
        census = self.count(side)
        present = census.number_of
        return [
            string
            for string in strings
            if string[0] in present and (len(string) == 1 or string in census.joined)
        ]

    def forget(self, side: Side) -> None:
        """Discard what was counted, because texts of a side have changed."""
        self._census.pop(side, None)
        self._signs = None
        self._flat.pop(side, None)
        self._places.pop(side, None)

    def pair_again(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Keep the given pairs of rows: of a prediction, and of its references."""
        for side, rows in zip(SIDES, ([pair[0] for pair in pairs], [pair[1] for pair in pairs])):
            self.texts[side] = [self.texts[side][row] for row in rows]
            self.numbers[side] = [self.numbers[side][row] for row in rows]
            self.forget(side)
        self.is_open = [self.is_open[row] for row, _ in pairs]

    def close(self, rows: Iterable[int]) -> None:
        """Take out rows that a finding without a fix explains."""
        for row in rows:
            self.is_open[row] = False

    def fit(self, text: str, others: Iterable[str]) -> float:
        """Return how well a text fits the most similar one of others, 0 to 1.

        It is Dice's coefficient of the multisets of their 3-grams of characters, so that a text
        that says something twice fits less.
        """
        own = self._list_grams(text)
        best = 0.0
        for other in others:
            grams = self._list_grams(other)
            if own and grams:
                best = max(best, 2 * len(own & grams) / (len(own) + len(grams)))
        return best

    def _list_grams(self, text: str) -> frozenset[str]:
        grams = self._grams.get(text)
        if grams is None:
            if len(self._grams) > 20_000:
                self._grams.clear()
            padded = f" {' '.join(text.split())} "[:_LONGEST_COMPARED]
            listed = [padded[start : start + 3] for start in range(len(padded) - 2)]
            grams = frozenset(listed)
            if len(grams) < len(listed):
                repeated = [(gram, count) for gram, count in Counter(listed).items() if count > 1]
                again = [f"{gram}{n}" for gram, count in repeated for n in range(1, count)]
                grams = grams.union(again)
            self._grams[text] = grams
        return grams

    def list_partners(self, side: Side, row: int) -> list[str]:
        """Return the texts of the other side in a row that are not blank."""
        return [text for text in self.texts[OTHER_SIDES[side]][row] if text.strip()]

    def describe_share(self, count: int, where: Where = "both") -> str:
        """Return how many rows have a mistake, of the rows looked at."""
        if len(self) == self.total:
            noun = "prediction" if where == "predictions" else "row"
            return describe_share(count, self.total, noun)
        return f"{count:,} of {len(self):,} rows looked at"

    def are_neighbors(self, rows: Iterable[int], distance: int) -> bool:
        """Return True if each row, and the one at a distance before it, are as far apart in all."""
        numbers = self.numbers["predictions"]
        return all(numbers[row] - numbers[row - distance] == distance for row in rows)

    def list_numbers(self, side: Side, rows: Iterable[int]) -> list[int]:
        """Return the rows in the corpus of some rows that are looked at."""
        numbers = self.numbers[side]
        return sorted(numbers[row] for row in rows)

    def make_found(
        self,
        mistake: Mistake,
        where: Where,
        rows: Sequence[int],
        says: str,
        **more: Any,
    ) -> Found:
        """Return a finding in some of the rows that are looked at.

        `says` is a template, which takes `text` (the first text, such as `predictions[3]`), `where`
        and `other` (its side and the other one), and `share`.
        """
        side: Side = "references" if where == "references" else "predictions"
        numbers = self.list_numbers(side, rows)
        sentence = says.format(
            text=f"{side}[{numbers[0]}]",
            where=where,
            other=OTHER_SIDES[side],
            share=self.describe_share(len(numbers), where),
        )
        return Found(mistake, where, numbers, sentence, len(self), self.total, **more)


def mark_place(text: str, start: int, end: int) -> str:
    """Return a place of a text between ⟦ and ⟧, with some of the text around it.

    >>> mark_place("A cat.</s>", 6, 10)
    'A cat.⟦</s>⟧'
    """
    end = min(end, start + _LONGEST_PLACE)
    before = text[max(0, start - _EXAMPLE_WIDTH) : start]
    return f"{before}⟦{text[start:end]}⟧{text[end : end + _EXAMPLE_WIDTH]}"


def _mark_change(before: str, after: str) -> str:
    """Return a text with the first place marked that an edit changes."""
    start = 0
    for old, new in zip(before, after):
        if old != new:
            break
        start += 1
    end = len(before)
    left = len(after)
    while end > start and left > start and before[end - 1] == after[left - 1]:
        end -= 1
        left -= 1
    return mark_place(before, start, max(end, start + 1))


# --- Evidence -------------------------------------------------------------------------------------


class _Verdict(NamedTuple):
    """The edit by which texts fit their partners best, and its gain on average."""

    edit: Edit
    gain: float
    is_nearer: bool


def _judge(
    pairs: Pairs,
    side: Side,
    touched: Sequence[Place],
    edits: Iterable[Edit],
    least_gain: float = _LEAST_GAIN,
) -> _Verdict | None:
    """Return the edit by which the touched texts fit their partners best; None if none changes one.

    A text that an edit leaves as it is counts neither for nor against it.
    """
    # 1. Choose texts that have a partner.
    tried: list[tuple[str, list[str], float]] = []
    chosen = [touched[index] for index in evenly_spaced(len(touched), pairs.most_tried).tolist()]
    for row, number in chosen:
        partners = pairs.list_partners(side, row)
        if partners:
            text = pairs.texts[side][row][number]
            tried.append((text, partners, pairs.fit(text, partners)))
    # 2. Try each edit on them.
    best: _Verdict | None = None
    for edit in edits:
        gains = []
        size = size_left = 0
        for text, partners, before in tried:
            changed = edit.list_texts(text)
            if changed != [text] and (len(changed) == 1 or side == "references"):
                gains.append(max(pairs.fit(new, partners) for new in changed) - before)
                size += len(text)
                size_left += sum(map(len, changed))
        if not gains:
            continue
        wins = sum(gain > 1e-9 for gain in gains)
        losses = sum(gain < -1e-9 for gain in gains)
        gain = sum(gains) / len(tried)
        least = least_gain if 2 * size_left >= size else max(least_gain, _LEAST_GAIN_OF_PART)
        is_nearer = gain >= least and wins >= max(1, _WINS * losses)
        verdict = _Verdict(edit, gain, is_nearer)
        if best is None or (is_nearer, gain - 1e-6) > (best.is_nearer, best.gain):
            best = verdict
    return best


def _fit_rewritten(
    pairs: Pairs, edit: Edit, rows: Iterable[int], sides: Sequence[Side]
) -> tuple[float, float]:
    """Return how well some rows fit, and how well if their texts of some sides are rewritten."""
    rows = [row for row in rows if pairs.is_open[row]]
    tried = evenly_spaced(len(rows), pairs.most_tried).tolist()
    if not tried:
        return 0.0, 0.0
    before = after = 0.0
    for index in tried:
        row = rows[index]
        (text,) = pairs.texts["predictions"][row]
        references = pairs.references[row]
        new = edit(text) if "predictions" in sides else text
        others = [edit(other) if "references" in sides else other for other in references]
        before += pairs.fit(text, references)
        after += pairs.fit(new, others)
    return before / len(tried), after / len(tried)


def _loses_words(pairs: Pairs, text: str, changed: Sequence[str], partners: Sequence[str]) -> bool:
    """Return True if an edit deletes words that a partner has, and the text fits it less."""
    kept: set[str] = set()
    for new in changed:
        kept.update(new.split())
    deleted = set(text.split()) - kept
    if not deleted or not any(deleted.intersection(partner.split()) for partner in partners):
        return False
    before = pairs.fit(text, partners)
    return all(pairs.fit(new, partners) < before for new in changed)


def _undo(
    pairs: Pairs, side: Side, touched: Iterable[Place], edit: Edit, *, is_guarded: bool = True
) -> Step:
    """Change texts by an edit, and return what was done.

    A text stays as it is if the edit would delete words that its partner has, and doesn't bring it
    nearer all the same.
    """
    texts = pairs.texts[side]
    numbers_of: defaultdict[int, list[int]] = defaultdict(list)
    for row, number in touched:
        numbers_of[row].append(number)
    rows = []
    for row, numbers in numbers_of.items():
        partners = pairs.list_partners(side, row)
        changed_row: list[str] = []
        has_changed = False
        for number, text in enumerate(texts[row]):
            changed = edit.list_texts(text) if number in numbers else [text]
            is_one = side == "references" or len(changed) == 1
            if (
                changed == [text]
                or not is_one
                or (is_guarded and _loses_words(pairs, text, changed, partners))
            ):
                changed_row.append(text)
            else:
                changed_row += changed
                has_changed = True
        if has_changed:
            texts[row] = changed_row
            rows.append(row)
    if rows:
        pairs.forget(side)
    return Step(side, pairs.list_numbers(side, rows), edit)


def _undo_all(pairs: Pairs, edit: Edit, sides: Sequence[Side] = SIDES) -> list[Step]:
    """Change all texts of some sides, and return what was done."""
    steps = []
    for side in sides:
        places = pairs.list_places(side)
        step = _undo(pairs, side, places, edit, is_guarded=False)
        if step.rows:
            steps.append(step)
    return steps


# --- Kinds ----------------------------------------------------------------------------------------

_LEFT = "no leftovers"
_SAME = "no broken characters"
_WHOLE_TEXTS = "no parts missing"
_ALIGNED = "lines correspond"
_FITS = "words can be told apart"

# What stands around a text.
AFFIXES = Mistake(
    "affixes",
    Words(
        _LEFT, "the same words around each text", "Remove these words", "words around texts removed"
    ),
    "Remove what is not part of the text",
    fewest_rows=3,
)
SPECIAL_TOKENS = Mistake(
    "special_tokens",
    Words(_LEFT, "marks of a model (</s>)", "Remove marks", "marks of a model removed"),
    "Decode with skip_special_tokens=True",
    types=("text", "tokens"),
)
LOST_WORDS = SPECIAL_TOKENS._replace(
    words=Words(_LEFT, "words that a model lost (<unk>)"),
    advice="The words are lost: check that the tokenizer is the model's and covers the language",
)
CHAT = Mistake(
    "chat",
    Words(
        _LEFT,
        "the model’s thinking, or turns of a chat",
        "Keep the answers",
        "thinking and turns of a chat removed",
    ),
    "Keep the answer alone",
    types=("text", "tokens"),
)
FENCES = Mistake(
    "fences",
    Words(_LEFT, "text between ```", "Remove ```", "``` removed"),
    "Keep the text alone",
)
PREAMBLES = Mistake(
    "preambles",
    Words(
        _LEFT, "“Sure, here is …” before the text", "Remove introductions", "introductions removed"
    ),
    "Ask the model for the text only",
)
NUMBERING = Mistake(
    "numbering",
    Words(_LEFT, "numbers before the texts", "Remove numbers", "numbers before the texts removed"),
    fewest_rows=3,
)
LINE_IDS = Mistake(
    "line_ids",
    Words(_LEFT, "ids of lines", "Remove ids", "ids of lines removed"),
    fewest_rows=3,
)
WRAPPED = Mistake(
    "wrapped",
    Words(
        _LEFT,
        "quotation marks around whole texts",
        "Remove outer quotes",
        "quotation marks around texts removed",
    ),
    fewest_rows=2,
)
# How words are divided.
SUBWORDS = Mistake(
    "subwords",
    Words(_LEFT, "words in pieces (@@)", "Join pieces", "pieces joined"),
    "Decode ids with the tokenizer: tokenizer.batch_decode(ids)",
    types=("text", "tokens"),
)
SPACES = Mistake(
    "spaces",
    Words(_SAME, "spaces lost or added", "Leave spaces out on both sides", "spaces left out"),
    "Write the spaces as they are written in the language",
    changes_meaning=True,
)
APART = SPACES._replace(
    words=Words(_SAME, "a space after each character", "Join characters", "characters joined"),
    changes_meaning=False,
)
TOKENIZED = Mistake(
    "tokenized",
    Words(_FITS, "blanks before commas and periods", "Detokenize", "detokenized"),
    "Detokenize the texts, or if both sides are tokenized pass tokenize='none'",
    changes_meaning=True,
    fewest_rows=3,
)
UNSPACED_TEXT = Mistake(
    "unspaced",
    Words(_FITS, "text without spaces"),
    "Pass tokenize='zh' (Chinese), 'ja-mecab' (Japanese) or 'char'",
    changes_meaning=True,
)
UNSPACED_SCRIPT = UNSPACED_TEXT._replace(advice="Pass tokenize='char' or 'flores200'")
# How a sign is written.
QUOTES = Mistake(
    "quotes",
    Words(
        "same quotes",
        "curly quotes (“ ’)",
        "Make quotes straight",
        "quotes made straight",
    ),
    "Use one form on both sides, and say so beside the score",
    changes_meaning=True,
    is_quiet=True,
)
DASHES = QUOTES._replace(
    kind="dashes",
    words=Words("same quotes", "dashes on one side", "Make dashes hyphens", "dashes made hyphens"),
)
ELLIPSES = QUOTES._replace(
    kind="ellipses",
    words=Words(
        "same quotes",
        "ellipses (…) on one side",
        "Write three periods",
        "ellipses written as periods",
    ),
)
FULLWIDTH = Mistake(
    "fullwidth",
    Words(
        _SAME,
        "full-width characters on one side",
        "Make them ASCII",
        "full-width characters made ASCII",
    ),
    "Use one form on both sides",
    changes_meaning=True,
)
NORMALIZATION = Mistake(
    "normalization",
    Words(
        _SAME,
        "letters and accents in two characters",
        "Compose letters",
        "letters and accents composed",
    ),
    "Compose both sides",
)
CEDILLAS = Mistake(
    "cedillas",
    Words(
        _SAME,
        "cedillas on one side",
        "Use commas below",
        "cedillas replaced by commas below",
    ),
    "Use the comma below, as Romanian does",
)
ARABIC_LETTERS = Mistake(
    "arabic_letters",
    Words(
        _SAME,
        "Arabic letters on one side",
        "Use Persian letters",
        "Arabic letters replaced by Persian ones",
    ),
    "Use one form on both sides",
    changes_meaning=True,
)
ENTITIES = Mistake(
    "entities",
    Words(_SAME, "HTML entities", "Replace entities", "HTML entities replaced"),
    "Replace entities where the text was written",
)
ESCAPES = Mistake(
    "escapes",
    Words(
        _SAME,
        "escape sequences written as text",
        "Decode escapes",
        "escape sequences decoded",
    ),
    "Decode the text where it was written",
)
INVISIBLE = Mistake(
    "invisible",
    Words(
        _SAME,
        "invisible characters",
        "Remove invisible characters",
        "invisible characters removed",
    ),
    "Remove them; a file that begins with U+FEFF has the encoding utf-8-sig",
)
MOJIBAKE = Mistake(
    "mojibake",
    Words(_SAME, "text in a wrong encoding", "Repair the encoding", "encoding repaired"),
    "Read the file in its own encoding: open(path, encoding='utf-8')",
)
REPLACEMENT = Mistake(
    "replacement",
    Words(_SAME, "lost characters (U+FFFD)"),
    "Read the file in its own encoding, and decode the ids of whole texts",
)
MARKS = Mistake(
    "marks",
    Words(_SAME, "punctuation on one side only", "Leave punctuation out", "without punctuation"),
    "Write punctuation on both sides",
    changes_meaning=True,
)
ACCENTS = Mistake(
    "accents",
    Words(_SAME, "accents on one side only", "Leave accents out", "without accents"),
    "Write accents and vowel signs on both sides",
    changes_meaning=True,
)
CASE = Mistake(
    "case",
    Words("same case", "texts in {detail} only", "Ignore case", "case ignored"),
    "Pass texts as they are written, or lowercase=True",
    changes_meaning=True,
)
# A text inside another form.
MARKUP = Mistake(
    "markup",
    Words(
        _LEFT,
        "lines of SGML or JSON",
        "Read the texts in them",
        "texts read from SGML or JSON",
    ),
    "Parse the file, and pass the texts in it",
)
REPRS = Mistake(
    "reprs",
    Words(_LEFT, "Python values written as text", "Read values", "Python values read"),
    "Pass the value itself",
)
FIELDS = Mistake(
    "fields",
    Words(_LEFT, "several fields per line", "Keep the text", "text taken from its field"),
    "Pass one field",
)
LINES = Mistake(
    "lines",
    Words(_LEFT, "several lines per text", "Keep one line", "one line kept per text"),
    "Pass the line that is meant",
)
# Which row belongs to which.
SHIFTED = Mistake(
    "shifted",
    Words(_ALIGNED, "lines that moved", "Move lines back", "moved lines put back"),
    "A row is missing, or there twice: look at the rows before it in both files",
    changes_meaning=True,
    fewest_rows=20,
)
REORDERED = Mistake(
    "reordered",
    Words(
        _ALIGNED,
        "lines in another order",
        "Put lines in order",
        "lines put in the order that fits",
    ),
    "Sort both by the same key, or join them by their ids",
    changes_meaning=True,
    fewest_rows=12,
)
REPEATED = Mistake(
    "repeated",
    Words(_ALIGNED, "lines that come again"),
    "Look for rows that a sampler doubled, or for a variable that keeps its last value",
    fewest_rows=12,
)
UNRELATED = Mistake(
    "unrelated",
    Words(_ALIGNED, "texts that fit no reference"),
    "Check which files were read, and the direction of the model",
    fewest_rows=30,
)
SCRIPT = Mistake(
    "script",
    Words(_WHOLE_TEXTS, "texts in another script"),
    "Check the direction of the model, and the files",
)
VARIANT = SCRIPT._replace(
    words=Words(
        _WHOLE_TEXTS,
        "traditional characters on one side",
        "Make them simplified",
        "characters made simplified",
    ),
    advice="Use one form on both sides",
    changes_meaning=True,
)
# How much there is.
EMPTY = Mistake(
    "empty",
    Words(_WHOLE_TEXTS, "empty texts"),
    "Look for blank lines in the file, or for a model that stops at once",
)
EMPTY_BESIDE = EMPTY._replace(
    words=Words(
        _WHOLE_TEXTS,
        "empty references beside others",
        "Leave them out",
        "empty references left out",
    ),
    advice="Pass None in the place of a missing reference",
)
SAME_TEXT = Mistake(
    "same_text",
    Words("no copied texts", "one text in many lines"),
    "Check the loop that collects the predictions",
    fewest_rows=8,
)
IDENTICAL = Mistake(
    "identical",
    Words(
        "no copied texts",
        "texts equal to a reference",
        "Use each reference once",
        "equal references used once",
    ),
    "Check which files were read, and pass each reference once",
    fewest_rows=8,
)
LENGTH = Mistake(
    "length",
    Words(_WHOLE_TEXTS, "texts of another length"),
    "Look for texts that are cut, doubled, or more than the text",
    fewest_rows=3,
)
LOOPS = Mistake(
    "loops",
    Words(_WHOLE_TEXTS, "phrases repeated", "Keep phrases once", "repetitions removed"),
    "Generate with no_repeat_ngram_size or repetition_penalty, or report these rows",
)
TRUNCATED = Mistake(
    "truncated",
    Words(_WHOLE_TEXTS, "texts that end early"),
    "Generate longer texts: max_new_tokens",
    fewest_rows=8,
)
REFUSALS = Mistake(
    "refusals",
    Words(_LEFT, "answers instead of a text"),
    "Ask the model again, or report the number of these rows",
)
WRAPPED_IDS = Mistake(
    "wrapped_ids",
    Words(_LEFT, "ids of -100 without a sign", "Remove them", "ids of -100 removed"),
    "Keep the ids signed",
    types=("ids",),
)
PADDING_IDS = Mistake(
    "padding_ids",
    Words(_LEFT, "padding", "Remove it", "padding removed"),
    "Remove padding before scoring",
    types=("ids",),
    fewest_rows=2,
)

# --- Forms: a form that one side has and its partner lacks ----------------------------------------

Marks = Collection[str]


def _find_marks(pattern: str, group: int = 0) -> Callable[[str], Marks]:
    """Return the function that lists what a pattern finds in a text."""
    compiled = re.compile(pattern, re.DOTALL)
    return lambda text: {match[group] for match in compiled.finditer(text)}


def _is_form(mark: str, test: Callable[[str], object]) -> Callable[[str], Marks]:
    """Return the function that lists one mark for a text that passes a test."""
    return lambda text: (mark,) if test(text) else ()


class Probed:
    """A record that some texts cannot have, by their characters.

    mistake, probes: as in `Form`.
    """

    mistake: Mistake
    probes: Sequence[str]

    @cached_property
    def probe_signs(self) -> frozenset[str]:
        """The characters with which probes begin."""
        return frozenset(probe[0] for probe in self.probes)

    def is_possible(self, pairs: Pairs) -> bool:
        """Return False if no text of this type and these characters can have it."""
        is_type = pairs.type_ in self.mistake.types
        return is_type and (not self.probes or not self.probe_signs.isdisjoint(pairs.signs))


@dataclass(frozen=True)
class Form(Probed):
    """A form that a text has and its partner lacks.

    find: the function that returns the marks of a text; none for a text without the form.
    list_edits: the function that returns what may undo the form, given the texts and their marks;
        None if no edit can.
    says: the sentence, a template of `Pairs.make_found`, which also takes `mark`.
    probes: strings of which each text with the form has one; if empty, all texts are searched.
    starts: the characters with which texts with the form begin, blanks aside; empty for any.
    may_have: the function that returns False if the counts of a side, and of the other one, show
        that too few texts have it to be worth an unasked look; None if no count does.
    least_share, least_rows: in which share of the rows, and in how many, it counts.
    least_gain: of the fit, that an edit must bring.
    told_share: the share of the rows from which on it is told without asking.
    is_minor: True if it is told without asking only from about a point of BLEU on.
    may_ask: True if texts that the edit brings no nearer are a question.
    skips: the function that returns True for a row of which a text shows that the form is meant.
    is_strange: True if it counts only in texts of which half the characters beyond ASCII are
        characters that the other side lacks.
    is_lost: True if marks stand for words that are lost, so that there is no fix.
    show: the function that writes a mark in a sentence.
    """

    mistake: Mistake
    find: Callable[[str], Marks]
    list_edits: Callable[[Sequence[str], Counter[str]], Sequence[Edit] | None]
    says: str
    probes: Sequence[str] = ()
    starts: Collection[str] = ()
    may_have: Callable[[Census, Census], bool] | None = None
    least_share: float = 0.0
    least_rows: int = 1
    least_gain: float = _LEAST_GAIN
    told_share: float = 0.0
    is_minor: bool = False
    may_ask: bool = False
    skips: Callable[[str], object] | None = None
    is_strange: bool = False
    is_lost: bool = False
    show: Callable[[str], str] = repr

    def list_unmatched(self, marks: set[str], theirs: set[str]) -> set[str]:
        """Return the marks of a text that its partners lack."""
        return marks if self.is_strange else marks - theirs

    def list_mistakes(self) -> Sequence[Mistake]:
        """Return the mistakes that the form may show."""
        return [self.mistake]

    def name_mistake(self, marks: Mapping[str, int], rows: int, size: int) -> Mistake | None:
        """Return the mistake that marks show; None if they show none.

        Args:
            marks: how often each mark was found.
            rows: the number of rows that have some, of `size` rows.
        """
        return self.mistake

    def is_told(self, mistake: Mistake, share: float, gain: float) -> bool:
        """Return True if the mistake is worth an unasked warning.

        Args:
            mistake: as `name_mistake` returns it.
            share: the share of the rows that have it.
            gain: of the fit of all rows.
        """
        return gain >= _TOLD_GAIN if self.is_minor else share >= self.told_share


# Names in the tags of models: of tokens that end, pad or divide texts, and of chats.
_TOKEN_NAMES = (
    r"s|pad|bos|eos|sos|eot|eod|eou|cls|sep|mask|start|end|go|stop|blank|oov|n|w|extra_id_\d+|image"
    r"|(?:start|end)_of_\w+|begin_of_text|eot_id|2[a-z]{2,3}(?:_\w+)?|lang:\w+|__\w+__|\w\w_[A-Z]{2}"
    r"|\w{3}_[A-Z]\w{3}"
)
_LOST_WORD = re.compile(r"<{1,2}unk(?:nown)?>{1,2}|\[unk\]|⁇", re.IGNORECASE)
_CHAT_NAMES = re.compile(
    r"think|reason|reflection|scratchpad|analysis|answer|response|output|assistant|user|system|im_"
    r"|channel|message|tool|turn|inst|sys|header|final|return|translation|chatbot|transcribe",
    re.IGNORECASE,
)
_TAG = (
    r"<\|[^<>|\n]{1,40}\|>|<｜[^｜\n]{1,40}｜>"
    r"|<{1,2}/?[A-Za-z_][\w-]{0,30}(?::\w{1,20})?(?: [^<>\n]{0,300})?/?>{1,2}|<[\w@#]{1,12}\|?>"
    r"|\[/?(?:CLS|SEP|MASK|PAD|UNK|[BES]OS|START|END|INST|THINK|start|end|[bes]os|pad|unk"
    r"|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|◁/?\w+▷|⁇|>>\w{2,4}(?:_\w+)?<<|<0x[0-9A-F]{2}>"
)
_CHAT_SHARE = 0.1  # of the tags, from which on they are of a chat
_TOKEN = re.compile(rf"\W*/?(?:{_TOKEN_NAMES})(?:_\w+)?\W*|<[|｜].*|>>.*", re.IGNORECASE)
_ANY_TAG = re.compile(_TAG, re.DOTALL)
_FEWEST_STRANGE = 2  # characters of a text that was read in a wrong encoding
_LOOKS_PER_SHARE = 6.0  # texts in which a form of all rows is looked for first
_MEANT_SHARE = 0.34  # of the texts with a mark, as many on the other side show that it is text
_SIGNS_OF_WRITING = frozenset("“”„‟‘’‚‛‹›«»「」『』″′–—‑−‐―…€£§°·•、。，！？：；（）")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_MOST_WRITTEN = 12  # marks that an expression lists; more are written by their pattern


def _find_tags(text: str) -> Marks:
    """Return the tags of a text, those aside that stand for words."""
    return [mark for mark in _ANY_TAG.findall(text) if not _LOST_WORD.fullmatch(mark)]


def _is_token(mark: str) -> bool:
    """Return True for a tag that a model's vocabulary has."""
    return bool(_TOKEN.fullmatch(mark)) or mark.startswith("<0x")


def _is_model_tag(mark: str) -> bool:
    """Return True for a tag of a vocabulary or of a chat, False for one of HTML or XML."""
    return bool(_CHAT_NAMES.search(mark)) or _is_token(mark)


def _is_markup(marks: Iterable[str]) -> bool:
    """Return True if one of some tags closes another, or has attributes."""
    return any(mark.startswith("</") or mark.endswith("/>") or "=" in mark for mark in marks)


def _name_tags(marks: Mapping[str, int]) -> Mistake:
    """Return the mistake that tags show, by the names in them."""
    total = sum(marks.values())
    chats = sum(
        count
        for mark, count in marks.items()
        if _CHAT_NAMES.search(mark) and not re.search("(?:start|end)_of_turn", mark)
    )
    if chats >= _CHAT_SHARE * total:
        return CHAT
    if all(mark.startswith("<0x") for mark in marks):
        return ESCAPES
    tokens = sum(count for mark, count in marks.items() if _is_token(mark))
    return SPECIAL_TOKENS if 2 * tokens >= total else MARKUP


@dataclass(frozen=True)
class TagForm(Form):
    """Tags of vocabularies, chats and markup, whose names tell which mistake they are."""

    def list_unmatched(self, marks: set[str], theirs: set[str]) -> set[str]:
        """Return the tags that the partners of a text lack; a tag beside a tag is meant."""
        lacking = marks - theirs
        if all(map(_is_model_tag, theirs)):
            return lacking
        return set(filter(_is_model_tag, lacking))

    def list_mistakes(self) -> Sequence[Mistake]:
        """Return the mistakes of models; those of files have forms of their own."""
        return [CHAT, SPECIAL_TOKENS]

    def name_mistake(self, marks: Mapping[str, int], rows: int, size: int) -> Mistake | None:
        """Return the mistake that tags show; None for tags of no model in a few rows."""
        mistake = _name_tags(marks)
        is_rare = rows < max(2, 0.05 * size)
        if mistake is MARKUP and (is_rare or not _is_markup(marks)):
            return None
        return mistake

    def is_told(self, mistake: Mistake, share: float, gain: float) -> bool:
        """Return True for tags of models, and for markup in many rows."""
        return mistake is not MARKUP or share >= 0.3


def _write_marks(marks: Iterable[str], general: str) -> str:
    """Return the pattern of some marks, digits aside; the general one for very many."""
    written = {re.sub(r"\d+", "0", mark) for mark in marks}
    if len(written) > _MOST_WRITTEN:
        return general
    escaped = [re.escape(mark).replace("0", r"\d+") for mark in sorted(written, key=len)[::-1]]
    return "|".join(escaped)


def _remove_marks(marks: Collection[str], general: str) -> list[Edit]:
    """Return the edits that remove marks, and the blanks around them."""
    pattern = _write_marks(marks, general)
    return [
        TEXT.sub(rf"[ \n]{{0,4}}(?:{pattern})[ \n]{{0,4}}", " ").call("strip"),
        TEXT.sub(pattern, "").call("strip"),
    ]


def _list_tag_edits(texts: Sequence[str], marks: Counter[str]) -> list[Edit]:
    """Return what may undo tags: their removal, or a part of the text between them."""
    edits = _remove_marks(marks, _TAG)
    if "<n>" in marks:
        edits.append(TEXT.sub(r"(?<=[.!?])<n>", " "))
    mistake = _name_tags(marks)
    if mistake is SPECIAL_TOKENS or mistake is ESCAPES:
        return edits  # a token ends or pads a text, it doesn't divide it
    # A scan for the end of a tag stops at its next beginning, or would take quadratic time.
    names = Counter(name for mark in marks for name in re.findall(r"^[<◁\[](\w+)[>▷\]]$", mark))
    for name, _ in names.most_common(4):
        for left, right in (("<", ">"), ("◁", "▷"), (r"\[", r"\]")):
            if re.search(f"{left}{name}{right}", " ".join(marks)):
                start = f"{left}{name}{right}"
                inner = f"(?s){start}(?:(?!{start}).)*?{left}/{name}{right}"
                edits += [
                    TEXT.sub(inner, "").call("strip"),
                    TEXT.sub(inner, " ").sub(_TAG, "").call("strip"),
                ]
    pattern = _write_marks(marks, _TAG)
    role = r"(?:\s{0,2}(?:assistant|user|system|model|final|analysis)\b:?)?"
    for split in (pattern, f"(?:{pattern}){role}"):
        parts = TEXT.list_parts(split)
        edits += [parts.item(-1).call("strip"), parts.item(0).call("strip")]
    return edits


def _read_json(text: str) -> object:
    text = text.strip()
    if text[:1] not in ("{", "[") or text[-1:] not in ("}", "]"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_json(text: str) -> bool:
    value = _read_json(text)
    return isinstance(value, dict) and bool(value)


def _list_paths(value: object, depth: int = 4) -> Iterator[list[object]]:
    """Yield the keys that lead to each text in a value of JSON."""
    if isinstance(value, str):
        yield []
    if not depth:
        return
    items: Iterable[tuple[object, object]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = [(0, value[0]), (-1, value[-1])] if value else []
    for key, item in items:
        for path in _list_paths(item, depth - 1):
            yield [key, *path]


def _list_json_edits(texts: Sequence[str], marks: Counter[str]) -> list[Edit]:
    edits = []
    for path in list(_list_paths(_read_json(texts[0])))[:12]:
        edit = TEXT.through("json.loads", json.loads)
        for key in path:
            edit = edit.item(key)
        edits.append(edit)
    return edits


_LONGEST_VALUE = 100_000  # characters
_FIRST_SIGNS = frozenset("[({'\"btan")  # of a value: bytes, tensors and arrays among them
_LAST_SIGNS = frozenset("])}'\"")
_VALUE = re.compile(r"\s*(?:\[.*\]|\(.*,.*\)|b?'.*'|b?\".*\"|\{.*\})\s*", re.DOTALL)
_TENSOR = re.compile(r"\s*(?:tensor|array|ndarray)\(.*\)\s*", re.DOTALL)


def _evaluate(text: str) -> Any:
    """Return the value that `ast.literal_eval` reads, without warnings of invalid escapes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def _find_reprs(text: str) -> Marks:
    """Return the name of the type whose Python value a text writes."""
    if text.rstrip()[-1:] not in _LAST_SIGNS:
        return ()
    if _TENSOR.fullmatch(text):
        return ("tensor",)
    if len(text) > _LONGEST_VALUE or not _VALUE.fullmatch(text):
        return ()
    try:
        value = _evaluate(text.strip())
    except _FAILURES:
        return ()
    is_plain = isinstance(value, str) and "\\" not in text
    return () if is_plain or not value else (type(value).__name__,)


_VALUE_EDIT = TEXT.through("ast.literal_eval", _evaluate)
_REPR_EDITS = (
    _VALUE_EDIT.through("' '.join", " ".join),
    _VALUE_EDIT.through("list", list),
    _VALUE_EDIT.item(0),
    _VALUE_EDIT.call("decode", "utf-8", "replace"),
    _VALUE_EDIT.call("values").through("' '.join", " ".join),
    _VALUE_EDIT.through("str", str),
)


def _list_fields(texts: Sequence[str], marks: Counter[str]) -> list[Edit]:
    for separator in (" ||| ", "|||", "\t"):
        count = texts[0].count(separator)
        if count:
            parts = TEXT.call("split", separator)
            return [parts.item(number).call("strip") for number in range(min(6, count + 1))]
    return []


def _list_all_fields(texts: Sequence[str], marks: Counter[str]) -> list[Edit]:
    """Return the edits that take a field, or all fields as several texts."""
    edits = _list_fields(texts, marks)
    for separator in (" ||| ", "|||", "\t"):
        if separator in texts[0]:
            return [TEXT.call("split", separator), *edits]
    return edits


def _list_lines(texts: Sequence[str], marks: Counter[str]) -> list[Edit]:
    lines = TEXT.call("strip").call("split", "\n")
    paragraphs = TEXT.call("strip").call("split", "\n\n")
    edits = [
        lines.item(0).call("strip"),
        lines.item(-1).call("strip"),
        paragraphs.item(0).call("strip"),
        paragraphs.item(-1).call("strip"),
        TEXT.call("strip").call("split", "\n", 1).item(-1).call("strip"),
    ]
    count = texts[0].strip().count("\n")
    return [*edits, *(lines.item(number).call("strip") for number in range(1, min(5, count)))]


_FENCE = r"```\w*\n?"
_FENCE_EDITS = (
    TEXT.split(_FENCE).item(0).call("strip"),
    TEXT.split(r"```(?:\w*\n)?").item(1).call("strip"),
    TEXT.split("```").item(2).call("strip"),
)


def _is_marked(sign: str) -> Callable[[str], bool]:
    """Return the function that tells if half of the words begin with a sign."""

    def is_marked(text: str) -> bool:
        count = text.count(sign)
        return count > 0 and 2 * count >= len(text.replace(sign, " ").split()) - 1

    return is_marked


def _spell(*steps: tuple[str, str]) -> Edit:
    """Return the edit that replaces strings, one after the other."""
    edit = TEXT
    for old, new in steps:
        edit = edit.call("replace", old, new)
    return edit


_PIECE_EDITS: dict[str, tuple[Edit, ...]] = {
    "@@": (TEXT.sub(r"(?<=[^\s@])@@(?: |$)", ""),),
    "▁": (
        _spell((" ", ""), ("▁", " ")).call("strip"),
        _spell(("▁", "")).call("strip"),
        _spell(("▁", " ")).call("split").through("' '.join", " ".join),
    ),
    "Ġ": (
        _spell((" ", ""), ("Ġ", " ")).call("strip"),
        _spell(("Ġ", " ")).call("strip"),
        _spell((" Ġ", " "), ("Ġ", " ")).call("strip"),
        _spell(("Ġ", "")),
    ),
    "##": (_spell((" ##", "")),),
    "￭": (_spell((" ￭", ""), ("￭ ", ""), ("￭", "")),),
    "</w>": (_spell((" ", ""), ("</w>", " ")).call("strip"), _spell(("</w>", ""))),
    "_": (_spell((" ", ""), ("_", " ")).call("strip"),),
    "+": (TEXT.sub(r"(?<=[^\W\d])\+ (?=[^\W\d])|(?<=[^\W\d]) \+(?=[^\W\d])", ""),),
}
_FIND_PIECES: dict[str, Callable[[str], Marks]] = {
    "@@": _find_marks(r"(?<=[^\s@])@@(?= |$)"),
    "▁": _find_marks(r"▁(?=[^\s▁_█▂-▇])"),
    "Ġ": _is_form("Ġ", _is_marked("Ġ")),
    "##": _find_marks(r"(?<=\S) ##(?=\w)"),
    "￭": _find_marks("￭"),
    "</w>": _find_marks("</w>"),
    "_": _is_form("_", lambda text: 2 * text.count(" _") >= text.count(" ") > 0),
    "+": _find_marks(r"(?<=[^\W\d])\+ (?=[^\W\d])|(?<=[^\W\d]) \+(?=[^\W\d])"),
}
# Signs of pieces that texts have as well, so that they count from a fifth of the rows on.
_COMMON_PIECES = ("_", "+")
_LEAST_COMMON = 0.2


def _make_piece_form(sign: str) -> Form:
    return Form(
        SUBWORDS,
        _FIND_PIECES[sign],
        lambda texts, marks: _PIECE_EDITS[sign],
        "{text} contains pieces of words such as {mark}, like {share}",
        probes=(sign,),
        least_share=_LEAST_COMMON if sign in _COMMON_PIECES else 0.0,
    )


# Bytes of UTF-8 as Latin-1 and cp1252 read them: what begins a character, and what continues it.
_CONTINUED = "\x80-\xbf" + bytes(
    byte for byte in range(0x80, 0xA0) if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
).decode("cp1252").replace("^", r"\^").replace("-", r"\-")
_WRONG_UTF8 = (
    f"[\xc2-\xdf][{_CONTINUED}]|[\xe0-\xef][{_CONTINUED}]{{2}}|[\xf0-\xf4][{_CONTINUED}]{{3}}"
)


def _decode_places(text: str) -> str:
    """Return a text with each place decoded that UTF-8 became in Latin-1 or cp1252."""

    def decode(match: re.Match[str]) -> str:
        codes = [ord(sign) if ord(sign) < 256 else sign.encode("cp1252")[0] for sign in match[0]]
        return bytes(codes).decode("utf-8", "replace")

    return re.sub(_WRONG_UTF8, decode, text)


_DECODED_PLACES = Edit(
    f"re.sub({_WRONG_UTF8!r}, lambda match: bytes(ord(sign) if ord(sign) < 256 else"
    " sign.encode('cp1252')[0] for sign in match[0]).decode('utf-8', 'replace'), text)",
    _decode_places,
)
_UTF8_READ_AS = (
    "latin-1",
    "cp1252",
    "mac-roman",
    "cp1251",
    "gbk",
    "cp1250",
    "koi8-r",
    "shift_jis",
)
_READ_AS_LATIN = ("cp1251", "koi8-r", "cp1253", "cp1250", "cp1255", "cp1256", "gbk", "shift_jis")


def _recode(wrong: str, right: str) -> Edit:
    return TEXT.call("encode", wrong).call("decode", right)


def _make_encoding_edits() -> list[Edit]:
    edits = [_recode(wrong, "utf-8") for wrong in _UTF8_READ_AS]
    edits.append(_DECODED_PLACES)
    edits += [_recode("latin-1", right) for right in _READ_AS_LATIN]
    edits += [_recode(wrong, "utf-8").call("encode", wrong).call("decode", "utf-8")
              for wrong in ("latin-1", "cp1252")]  # fmt: skip
    if importlib.util.find_spec("ftfy") is not None:
        edits.append(Edit("ftfy.fix_encoding(text)", _fix_encoding))
    return edits


def _fix_encoding(text: str) -> str:
    import ftfy

    return ftfy.fix_encoding(text)


_ENCODING_EDITS = _make_encoding_edits()


_ESCAPED = r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrt\"'/])|%[0-9A-F]{2}"
# A backslash before other letters is LaTeX or a regular expression; one after a colon is a path.
_MEANT_BACKSLASH = re.compile(
    r"\\(?![nrtux\"'\\/])[A-Za-z()\[\]{}]|\\[nrt][a-z]{2,}(?![a-z ])|[A-Za-z]:\\"
)
_ESCAPE_EDITS = (
    Edit("""json.loads('"' + text + '"')""", lambda text: json.loads(f'"{text}"')),
    TEXT.sub(r"\\([\"'/])", r"\1"),
    TEXT.sub(r" ?\\[nrt] ?", " ").call("strip"),
    TEXT.sub(r"\\[nrt]", "").call("strip"),
    TEXT.call("encode", "latin-1", "backslashreplace").call("decode", "unicode_escape"),
    TEXT.through("urllib.parse.unquote", urllib.parse.unquote),
    TEXT.call("encode", "latin-1", "backslashreplace")
    .call("decode", "unicode_escape")
    .call("encode", "latin-1")
    .call("decode", "utf-8"),
)
INVISIBLE_SIGNS = (
    "\ufeff\u200b\u2060\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
# A greeting, or words about a translation, before a colon.
_INTRODUCTIONS = re.compile(
    r"\W{0,3}(?:(?:sure|certainly|of course|absolutely|okay|here (?:is|are)|here['’]s|gerne"
    r"|natürlich|selbstverständlich|hier ist|bien sûr|voici|certainement|claro|por supuesto"
    r"|aquí (?:está|tiene)|ecco|certo|当然|好的|以下是|以下は|はい|конечно|вот)\b"
    r"|(?:[\w']+ ){0,3}(?:translat(?:ion|ed)|übersetzung|traduc|traduzione|vertaling"
    r"|tłumaczenie|перевод)\w*"
    r"|(?:中文)?(?:翻译|译文)|翻訳|訳文)[^\n:：]{0,100}[:：]",
    re.IGNORECASE,
)
_CLOSING_QUOTES = "\"'”“»`*」』’"
_OPENING_QUOTES = "\"'“„«`*「『‘"
_WRAPPED = re.compile(
    r"\s*([\"'“„«`*「『‘]{1,2})(?:(?!\1)[^”“»」』’])+[\"'”“»`*」』’]{1,2}\s*", re.DOTALL
)
_DETACHED_IN_FRENCH = "!?;:»"
_NEVER_DETACHED = r".,)\]।॥۔؟،؛։።…、。，！？：；’”"  # by the spelling of any language


def _match_detached(marks: str) -> str:
    """Return a pattern for a space that tokenizers write before marks and English clitics."""
    clitics = r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))\b"
    return rf" (?:(?=[{marks}](?: |$)|{clitics})|@-@ |&apos;)"


_DETACHED = _match_detached(_NEVER_DETACHED + _DETACHED_IN_FRENCH)
_ATTACH = (
    r" (?=[.,!?;:)\]}%।॥۔؟،؛։።…、。，！？：；”»]|n['’]t\b|['’](?:s|re|ve|ll|d|m|t)\b)"
    r"|(?<=[(\[{“«¿¡]) "
)


def _find_wrapping(text: str) -> Marks:
    """Return the quotation mark or asterisk between which a whole text stands."""
    if text.rstrip()[-1:] not in _CLOSING_QUOTES:
        return ()
    match = _WRAPPED.fullmatch(text)
    return (match[1],) if match else ()


def _has_sign_repeated(text: str) -> bool:
    end = text.rstrip()[-8:]
    return len(end) == 8 and end == end[-1] * 8 and not end[-1].isalnum()


def _is_twice(text: str) -> bool:
    half = (len(text) + 1) // 2
    return len(text) > 11 and text[: len(text) // 2].strip() == text[half:].strip()


def _is_apart(text: str) -> bool:
    return len(text) > 8 and not text[1::2].strip() and len(text[::2].split()) >= 1


def _has_detached_end(tail: str) -> bool:
    """Return True for a mark after a space, the mark first."""
    return tail[1:] == " " and not tail[0].isalnum()


def _has_one_sign(tail: str) -> bool:
    return len(tail) == 2 and tail[0] == tail[1] and not tail[0].isalnum()


_DETOKENIZED = (
    TEXT.sub(_ATTACH, ""),
    TEXT.through("html.unescape", html.unescape)
    .call("replace", " @-@ ", "-")
    .sub(r'" ([^"]*?) "', r'"\1"')
    .sub(_ATTACH, ""),
)


def detokenize(text: str) -> str:
    """Attach the punctuation marks of a tokenized text; most of a tokenizer's work, not all.

    >>> detokenize("He said : &quot; it &apos;s well @-@ known , is n't it ? &quot;")
    'He said: "it\\'s well-known, isn\\'t it?"'
    """
    _, thorough = _DETOKENIZED
    return thorough(text)


_LANGUAGE_CODE = r"__[a-z]{2,3}(?:_[A-Za-z]+)?__|[a-z]{2}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}"
_CODE_AT_END = (
    rf"^(?:\W*</?s>)?\s?(?:{_LANGUAGE_CODE})(?!\w)|(?<!\w)(?:{_LANGUAGE_CODE})(?:\s?</s>)?\s?$"
)

_CONTAINS_TAGS = (
    "{text} contains {mark}, and {share} contain such marks of language models; the {other} have"
    " none there"
)
FORMS: Sequence[Form] = (
    Form(
        FENCES,
        _find_marks("```"),
        lambda texts, marks: _FENCE_EDITS,
        "{text} contains a fence of code (```), like {share}",
        probes=("```",),
        may_ask=True,
    ),
    Form(
        MARKUP,
        _is_form("JSON", _is_json),
        _list_json_edits,
        "{text} is JSON, like {share}; the {other} are plain text",
        starts="{",
        may_ask=True,
    ),
    Form(
        REPRS,
        _find_reprs,
        lambda texts, marks: None if "tensor" in marks else _REPR_EDITS,
        "{text} is a Python value written as text, like {share}; the {other} are plain text",
        starts=_FIRST_SIGNS,
        may_have=lambda own, other: not _LAST_SIGNS.isdisjoint(own.last_signs),
    ),
    Form(
        FIELDS,
        _find_marks(r"(?<=\S) ?\|\|\| ?(?=\S)|(?<=\S)\t(?=\S)"),
        _list_all_fields,
        "{text} has several fields, like {share}; the {other} have one",
        probes=("|||", "\t"),
        least_share=0.2,
        least_rows=2,
        may_ask=True,
    ),
    _make_piece_form("</w>"),
    Form(
        SPECIAL_TOKENS,
        _find_marks(_CODE_AT_END),
        lambda texts, marks: [TEXT.sub(_CODE_AT_END, "").call("strip")],
        "{text} begins or ends with the code of a language ({mark}), like {share}",
        probes=("_",),
        least_share=0.5,
    ),
    TagForm(
        CHAT,
        _find_tags,
        _list_tag_edits,
        _CONTAINS_TAGS,
        probes=("<", "[", "◁", ">>"),
        may_ask=True,
    ),
    Form(
        LOST_WORDS,
        _LOST_WORD.findall,
        lambda texts, marks: _remove_marks(marks, _LOST_WORD.pattern),
        _CONTAINS_TAGS,
        probes=("<", "[", "⁇"),
        is_lost=True,
    ),
    *(_make_piece_form(sign) for sign in _PIECE_EDITS if sign != "</w>"),
    Form(
        MOJIBAKE,
        _is_form("other characters", lambda text: not text.isascii()),
        lambda texts, marks: [
            edit for edit in _ENCODING_EDITS if any(edit(text) != text for text in texts[:5])
        ],
        "{text} was read in another encoding than its own, like {share}",
        least_gain=0.004,
        is_strange=True,
    ),
    Form(
        ENTITIES,
        _find_marks(r"&(?:[A-Za-z]{2,8}|#\d{1,6}|#[xX][0-9A-Fa-f]{1,6});"),
        lambda texts, marks: [TEXT.through("html.unescape", html.unescape)],
        "{text} contains the entity {mark}, like {share}",
        probes=("&",),
        is_minor=True,
        may_ask=True,
    ),
    Form(
        ESCAPES,
        _find_marks(_ESCAPED),
        lambda texts, marks: _ESCAPE_EDITS,
        "{text} contains the escape sequence {mark} as text, like {share}",
        probes=("\\", "%"),
        is_minor=True,
        skips=_MEANT_BACKSLASH.search,
    ),
    Form(
        ESCAPES,
        _is_form('""', lambda text: text.count('"') == 2 * text.count('""')),
        lambda texts, marks: [_spell(('""', '"'))],
        "{text} has quotation marks doubled as in a CSV file, like {share}",
        probes=('""',),
        may_have=lambda own, other: own.share_of_sign('"') > 1.2 * other.share_of_sign('"'),
        least_share=0.01,
        least_rows=3,
        is_minor=True,
    ),
    Form(
        INVISIBLE,
        _find_marks(f"[{INVISIBLE_SIGNS}]"),
        lambda texts, marks: [TEXT.sub(f"[{INVISIBLE_SIGNS}]", "")],
        "{text} has an invisible character ({mark}), like {share}",
        probes=tuple(INVISIBLE_SIGNS),
        is_minor=True,
        may_ask=True,
        show=ascii,
    ),
)
# After affixes, which are in more rows: forms of a few rows.
LATER_FORMS: Sequence[Form] = (
    Form(
        PREAMBLES,
        _is_form("an introduction", _INTRODUCTIONS.match),
        lambda texts, marks: [
            TEXT.split(r"[:：]\W{0,3}\s+", 1).item(1).call("strip"),
            TEXT.split("[:：]", 1).item(1).call("strip"),
        ],
        "{text} begins with words of a model to its user, like {share}",
        probes=(":", "："),
        least_gain=0.02,
    ),
    Form(
        LINES,
        _is_form("lines", lambda text: "\n" in text.strip()),
        _list_lines,
        "{text} has several lines, like {share}; one of them fits the {other} better than all",
        probes=("\n",),
        least_gain=0.05,
        told_share=0.05,
        may_ask=True,
    ),
    Form(
        WRAPPED,
        _find_wrapping,
        lambda texts, marks: [
            TEXT.sub(r"^\s*(?:\*\*|[\"“„«`*「『‘'])|(?:\*\*|[\"”“»`*」』’'])\s*$", "")
        ],
        "{text} is between {mark} as a whole, like {share}; the {other} are not",
        starts=frozenset(_OPENING_QUOTES),
        least_share=0.1,
        least_rows=2,
        is_minor=True,
        may_ask=True,
    ),
    Form(
        APART,
        _is_form("spaces", _is_apart),
        lambda texts, marks: [Edit("text[::2]", lambda text: text[::2])],
        "{text} has a space after each character, like {share}",
        may_have=lambda own, other: own.words_per_sign > 1.1 * other.words_per_sign,
        least_share=0.1,
    ),
    Form(
        TOKENIZED,
        _find_marks(_DETACHED),
        lambda texts, marks: _DETOKENIZED,
        "{text} has punctuation marks apart from its words, like {share}; the {other} have none"
        " there",
        may_have=lambda own, other: own.share_of_tails(_has_detached_end) >= 0.1,
        least_share=0.3,
        least_rows=3,
    ),
    Form(
        LOOPS,
        _is_form("twice", _is_twice),
        lambda texts, marks: [
            TEXT.sub(r"(?s)^\s*(.{5,2000}?)\s*\1\s*$", r"\1"),
        ],
        "{text} is a text twice, like {share}",
        may_have=lambda own, other: own.signs_per_text > 1.1 * other.signs_per_text,
        least_share=0.3,
        least_rows=2,
    ),
    Form(
        LOOPS,
        _is_form("one sign", _has_sign_repeated),
        lambda texts, marks: [TEXT.sub(r"([^\w\s])\1{7,}\s*$", "").call("strip")],
        "{text} ends with one sign repeated, like {share}",
        may_have=lambda own, other: own.share_of_tails(_has_one_sign) > 0,
        least_share=0.02,
        least_rows=2,
    ),
)


class _Touched(NamedTuple):
    """The places of texts with a form, and how often each of its marks was found."""

    places: list[Place]
    marks: Counter[str]


def find_form(pairs: Pairs, form: Form) -> Iterator[Found]:
    """Find a form on each side, and undo it."""
    for side in SIDES:
        candidates = _list_candidates(pairs, form, side)
        if not candidates:
            continue
        touched = _touch(pairs, form, side, candidates)
        rows = {place.row for place in touched.places}
        if len(rows) < max(1, form.least_rows, form.least_share * len(pairs)):
            continue
        mistake = form.name_mistake(touched.marks, len(rows), len(pairs))
        if mistake is not None:
            yield from _undo_form(pairs, form, mistake, side, touched)


def _list_candidates(pairs: Pairs, form: Form, side: Side) -> Sequence[int]:
    """Return the texts of a side that may have a form; most forms have none after a few looks."""
    census = pairs.count(side)
    flat = pairs.list_texts(side)
    candidates: Sequence[int] = range(len(flat))
    # 1. Characters are known from the census; strings are looked for in all texts at once.
    gate = None if pairs.is_asked else form.may_have
    if gate is not None and not gate(census, pairs.count(OTHER_SIDES[side])):
        return ()
    if form.is_strange:
        strange = _list_strange(pairs, side)
        if sum(census.number_of[sign] for sign in strange) < _FEWEST_STRANGE:
            return ()
        with_strange = {index for sign in strange for index in candidates if sign in flat[index]}
        candidates = [index for index in sorted(with_strange) if _is_mostly(strange, flat[index])]
    if form.starts:
        first_signs = census.first_signs.items()
        having = sum(count for sign, count in first_signs if sign in form.starts)
        if having <= form.least_share * len(flat):
            return ()
        candidates = [index for index, text in enumerate(flat) if text.lstrip()[:1] in form.starts]
    if form.probes:
        probes = pairs.list_present(side, form.probes)
        if not probes:
            return ()
        candidates = sorted(
            {index for probe in probes for index in candidates if probe in flat[index]}
        )
    # 2. A form of many rows is in one of a few.
    if form.least_share >= 0.1:
        if len(candidates) < form.least_share * len(pairs):
            return ()
        few = evenly_spaced(len(candidates), round(_LOOKS_PER_SHARE / form.least_share)).tolist()
        if not any(form.find(flat[candidates[index]]) for index in few):
            return ()
    return candidates


def _list_strange(pairs: Pairs, side: Side) -> frozenset[str]:
    """Return the characters beyond ASCII that the other side lacks.

    Quotation marks, dashes and the like do not count, because they have kinds of their own.
    """
    theirs = pairs.count(OTHER_SIDES[side]).beyond_ascii
    return pairs.count(side).beyond_ascii - theirs - _SIGNS_OF_WRITING


def _touch(pairs: Pairs, form: Form, side: Side, candidates: Iterable[int]) -> _Touched:
    """Return the places of a side, among candidates, that have a form which their partners lack."""
    other = OTHER_SIDES[side]
    flat = pairs.list_texts(side)
    # 1. Find the form. The same form in the same row of the other side means that it is meant.
    marks_of: dict[Place, set[str]] = {}
    for index in candidates:
        text = flat[index]
        marks = set(form.find(text))
        if not marks:
            continue
        place = pairs.list_places(side)[index]
        if not pairs.is_open[place.row]:
            continue
        partners = pairs.texts[other][place.row]
        theirs_here = {mark for partner in partners for mark in form.find(partner)}
        marks = form.list_unmatched(marks, theirs_here)
        if form.skips is not None and any(map(form.skips, [text, *partners])):
            continue
        if marks:
            marks_of[place] = marks
    counts = Counter(mark for marks in marks_of.values() for mark in marks)
    if form.is_strange or not counts:
        return _Touched(list(marks_of), counts)
    # 2. What the other side has nearly as often, in other rows, is text.
    others = pairs.list_texts(other)
    theirs = Counter(
        mark
        for index in _list_candidates(pairs, form, other)
        for mark in set(form.find(others[index]))
    )
    meant = {mark for mark, count in counts.items() if theirs[mark] >= _MEANT_SHARE * count}
    kept = [place for place, marks in marks_of.items() if marks - meant]
    return _Touched(kept, Counter({m: n for m, n in counts.items() if m not in meant}))


def _is_mostly(strange: frozenset[str], text: str) -> bool:
    """Return True if half of the characters beyond ASCII are strange ones."""
    beyond = [sign for sign in _BEYOND_ASCII.findall(text) if sign not in _SIGNS_OF_WRITING]
    found = sum(sign in strange for sign in beyond)
    return found >= _FEWEST_STRANGE and 2 * found >= len(beyond)


def _undo_form(
    pairs: Pairs, form: Form, mistake: Mistake, side: Side, touched: _Touched
) -> Iterator[Found]:
    """Undo a form by the edit that fits best, and describe it."""
    texts = pairs.texts[side]
    places = touched.places
    first = places[0]
    first_text = texts[first.row][first.number]
    rows = sorted({place.row for place in places})
    # The most frequent mark; of equals, the one that comes first.
    own_marks = [each for each in touched.marks if each in first_text] or list(touched.marks)
    own_marks.sort(key=lambda each: (-touched.marks[each], first_text.find(each), each))
    mark = own_marks[0]
    shown = form.show(mark).replace("{", "{{").replace("}", "}}")
    says = form.says.replace("{mark}", shown)
    start = max(0, first_text.find(mark))
    example = mark_place(first_text, start, start + max(1, len(mark)))
    # 1. Which edit brings them nearer?
    texts_of = [texts[row][number] for row, number in places[:50]]
    edits = form.list_edits(texts_of, touched.marks)
    if edits is None:
        if len(rows) >= 0.3 * len(pairs):
            pairs.close(rows)
            yield pairs.make_found(mistake, side, rows, says, example=example)
        return
    verdict = _judge(pairs, side, places, edits, form.least_gain)
    if verdict is None:
        return
    if not verdict.is_nearer:
        is_neutral = abs(verdict.gain) < form.least_gain
        if (
            form.may_ask
            and pairs.is_asked
            and is_neutral
            and len(rows) >= max(2, 0.05 * len(pairs))
        ):
            numbers = pairs.list_numbers(side, rows)
            yield pairs.make_found(
                mistake,
                side,
                rows,
                says,
                example=example,
                code=verdict.edit.code,
                fix=Fix([Step(side, numbers, verdict.edit)]),
                is_question=True,
            )
        return
    # 2. Undo it, or tell of it.
    gain = verdict.gain * len(places) / len(pairs)
    is_told = form.is_told(mistake, len(rows) / len(pairs), gain)
    if form.is_lost:
        yield pairs.make_found(
            mistake,
            side,
            rows,
            says,
            example=example,
            gain=verdict.gain,
            is_told=is_told,
        )
        return
    step = _undo(pairs, side, places, verdict.edit, is_guarded=pairs.is_asked)
    if step.rows:
        found = pairs.make_found(
            mistake,
            side,
            rows,
            says,
            example=example,
            code=verdict.edit.code,
            fix=Fix([step]),
            gain=verdict.gain,
            is_told=is_told,
        )
        yield found


# --- Ends: the same signs before or after most texts of one side ----------------------------------

_AFFIX_SHARE = 0.5  # of the rows, more than on the other side; 0.18 at most in real outputs
_LEAST_AFFIX_GAIN = 0.005
_LONGEST_AFFIX = 140  # characters
_FINAL_SIGNS = ".!?。！？।…,，؟۔"
# Signs of a vocabulary that stand around texts, also where both sides have them.
_ENDS = (
    r"[<\[]\W?/?(?:s|bos|eos|sos|start|end|go|pad|cls|sep|eot|eod|eou|stop)(?:_\w+)?\W?[>\]]"
    r"|startseq|endseq|_?(?:EOS|SOS|BOS)\b|_eos\b"
)
_ENDS_PATTERN = re.compile(_ENDS, re.IGNORECASE)


class AffixKind(NamedTuple):
    """The mistake that signs around texts show, if they fit a test."""

    mistake: Mistake
    test: Callable[[Sequence[str]], object]


def _all_match(pattern: str) -> Callable[[Sequence[str]], bool]:
    compiled = re.compile(pattern)
    return lambda affixes: all(map(compiled.fullmatch, affixes))


AFFIX_KINDS: Sequence[AffixKind] = (
    AffixKind(WRAPPED, _all_match(r"[\s\"'“”„«»`*「」『』]+")),
    AffixKind(NUMBERING, _all_match(r"[\s.,;:)\](\[#-]*0[\s0.,;:)\](\[#-]*")),
    AffixKind(LINE_IDS, _all_match(r" ?\([^()]*0\)")),
    AffixKind(SPECIAL_TOKENS, lambda affixes: _ENDS_PATTERN.search("".join(affixes))),
    AffixKind(PREAMBLES, lambda affixes: affixes[0].rstrip().endswith((":", "："))),
    AffixKind(AFFIXES, bool),
)


class _End(NamedTuple):
    """An end of texts: read from that end on, digits aside, it begins with the affix."""

    at_end: bool

    def read(self, text: str) -> str:
        """Return an end of a text, the outermost character first."""
        if self.at_end:
            return _DIGITS.sub("0", text.rstrip(" \n")[-150:])[::-1]
        return _DIGITS.sub("0", text.lstrip(" \n")[:150])

    def write(self, affix: str) -> str:
        """Return an affix in the order of the text."""
        return affix[::-1] if self.at_end else affix

    def make_edit(self, affix: str) -> Edit:
        """Return the edit that removes an affix, which is in the order of the text."""
        pattern = re.escape(affix).replace("0", r"\d+").replace(r"\ ", " ").replace("\\\n", r"\n")
        if self.at_end:
            return TEXT.call("strip").sub(f" {{0,3}}{pattern}$", "")
        return TEXT.call("strip").sub(f"^{pattern} {{0,3}}", "")


class _Affix(NamedTuple):
    """An affix of texts, and the places that have it."""

    text: str
    places: list[Place]
    edit: Edit
    gain: float
    is_word: bool


def find_affixes(pairs: Pairs) -> Iterator[Found]:
    """Find signs around most texts of a side which the other side lacks, and remove them."""
    if sum(pairs.is_open) < AFFIXES.fewest_rows:
        return
    for side in SIDES:
        affixes = []
        steps = []
        first_text = ""
        for end in (_End(at_end=False), _End(at_end=True)):
            affix = _find_affix(pairs, side, end)
            if affix is None:
                continue
            first = affix.places[0]
            first_text = first_text or pairs.texts[side][first.row][first.number]
            affixes.append(affix)
            if affix.is_word:
                numbers = pairs.list_numbers(side, {place.row for place in affix.places})
                steps.append(Step(side, numbers, affix.edit))
            else:
                steps.append(_undo(pairs, side, affix.places, affix.edit, is_guarded=False))
        if affixes:
            yield _describe_affixes(pairs, side, affixes, steps, first_text)


def _describe_affixes(
    pairs: Pairs, side: Side, affixes: Sequence[_Affix], steps: list[Step], first_text: str
) -> Found:
    written = [affix.text for affix in affixes]
    mistake = next(kind.mistake for kind in AFFIX_KINDS if kind.test(written))
    rows = sorted({place.row for affix in affixes for place in affix.places})
    shown = " and ".join(map(repr, written)).replace("{", "{{").replace("}", "}}")
    start = max(0, first_text.find(written[0][:1]))
    first_edit, *more = [affix.edit for affix in affixes]
    code = first_edit.code
    for edit in more:
        code = edit.code.replace("text.strip()", f"{code}.strip()")
    is_question = all(affix.is_word for affix in affixes)
    if is_question:
        mistake = AFFIXES
    return pairs.make_found(
        mistake,
        side,
        rows,
        f"{{text}} begins or ends with {shown}, like {{share}}; the {{other}} do not",
        example=mark_place(first_text, start, start + len(written[0])),
        code=code,
        fix=Fix(steps),
        gain=sum(affix.gain for affix in affixes),
        is_question=is_question,
    )


def _find_affix(pairs: Pairs, side: Side, end: _End) -> _Affix | None:
    """Find the affix at an end of the texts of a side by which they fit best without it."""
    size = sum(pairs.is_open)
    least = max(3, _AFFIX_SHARE * size)
    # 1. Is a sign at this end, or are two, frequent enough? Most texts end here.
    if not _has_frequent_end(pairs, side, end, least):
        return None
    flat = pairs.list_texts(side)
    if 2 * len(set(flat)) < len(flat):
        return None  # one text in many rows
    # 2. List the longest affixes that many texts share, and shorter ones that end between words.
    ends = {each: [list(map(end.read, texts)) for texts in pairs.texts[each]] for each in SIDES}
    own = ends[side]
    open_ends = [key for row, keys in enumerate(own) if pairs.is_open[row] for key in keys]
    for affix in _list_common(open_ends, least):
        if re.fullmatch(r"[.!?。！？।…,，\w]|\w+['’]", affix):  # a mark, a letter or half a word
            continue
        options: dict[str, tuple[list[Place], Edit]] = {}
        for part in _cut_affix(end.write(affix), end):
            places = _list_affixed(pairs, side, end.write(part), ends, size)
            if places:
                options[part] = places, end.make_edit(part)
        if not options:
            continue
        # 3. Take the one by which the texts fit best.
        widest = max((places for places, _ in options.values()), key=len)
        edits = [edit for _, edit in options.values()]
        verdict = _judge(pairs, side, widest, edits, _LEAST_AFFIX_GAIN)
        if verdict is None or not verdict.is_nearer:
            continue
        chosen, places = next(
            (part, places) for part, (places, edit) in options.items() if edit is verdict.edit
        )
        if re.fullmatch(rf"\s*[{re.escape(_FINAL_SIGNS)}]", chosen):
            continue  # `marks`
        # Words alone may be style: a question, if nearly all rows have them.
        is_word = not re.search(r"[^\w\s]", chosen) and not _ENDS_PATTERN.search(chosen)
        if is_word:
            rows = {place.row for place in places}
            if not pairs.is_asked or len(rows) < max(10, 0.8 * size):
                continue
        return _Affix(chosen, places, verdict.edit, verdict.gain, is_word)
    return None


def _has_frequent_end(pairs: Pairs, side: Side, end: _End, least: float) -> bool:
    """Return True if texts of a side have an end that those of the other side have not."""
    own, theirs = pairs.count(side), pairs.count(OTHER_SIDES[side])
    scale = own.tails.total() / max(1, theirs.tails.total())
    for counts, other_counts in zip(own.list_ends(end.at_end), theirs.list_ends(end.at_end)):
        frequent = [signs for signs, count in counts.items() if count >= least]
        for signs in frequent:
            more = counts[signs] - scale * other_counts.get(signs, 0)
            if _may_be_affix(signs) and more >= 0.5 * least:
                return True
    return False


def _may_be_affix(signs: str) -> bool:
    """Return True for two characters, and for one but letters and ends of sentences."""
    return len(signs) > 1 or not (signs == "" or signs.isalpha() or signs in _FINAL_SIGNS)


def _list_common(ends: Sequence[str], least: float) -> Iterator[str]:
    """Yield the longest affixes that many texts share, at most two that begin otherwise."""
    starts = Counter(end[:1] for end in ends if end)
    for affix, count in starts.most_common(2):
        if count < least:
            return
        sharing = [end for end in ends if end.startswith(affix)]
        while len(affix) < _LONGEST_AFFIX:
            width = len(affix)
            following = Counter(end[width : width + 1] for end in sharing)
            sign, number = following.most_common(1)[0]
            if not sign or number < 0.9 * count:
                break
            affix += sign
            sharing = [end for end in sharing if end.startswith(affix)]
        yield affix


def _cut_affix(affix: str, end: _End) -> list[str]:
    """Return an affix, and shorter ones that end between words, the longest first."""
    cuts = [
        cut
        for cut in range(1, len(affix))
        if not (affix[cut - 1].isalnum() and affix[cut].isalnum())
    ]
    # An apostrophe divides no words.
    cuts = [cut for cut in cuts if not {affix[cut - 1], affix[cut]} & {"'", "’"}]
    parts = {affix} | {affix[cut:] if end.at_end else affix[:cut] for cut in cuts}
    parts |= {part.strip() for part in parts}
    return sorted(filter(str.strip, parts), key=lambda part: (-len(part), part))[:20]


def _list_affixed(
    pairs: Pairs,
    side: Side,
    start: str,
    ends: Mapping[Side, Sequence[Sequence[str]]],
    size: int,
) -> list[Place]:
    """Return the places with an affix whose partners lack it; none if these are too few.

    `start` is the affix as `_End.read` returns it.
    """
    partner_ends = ends[OTHER_SIDES[side]]
    having = [
        Place(row, number)
        for row, keys in enumerate(ends[side])
        if pairs.is_open[row]
        for number, key in enumerate(keys)
        if key.startswith(start)
    ]
    partners = {
        row for row, keys in enumerate(partner_ends) if any(key.startswith(start) for key in keys)
    }
    places = [place for place in having if place.row not in partners]
    rows = {place.row for place in places}
    having_rows = {place.row for place in having}
    if len(rows) - len(partners - having_rows) < max(3, _AFFIX_SHARE * size):
        return []
    # Another mark at the same place is a matter of writing.
    others = [key[:1] for row in rows for key in partner_ends[row] if key]
    alike = sum(unicodedata.normalize("NFKC", sign).startswith(start) for sign in others)
    if 2 * alike >= len(rows):
        return []
    if len(start) <= 2 and not start[0].isalnum():
        final = sum(sign in ".!?。！？।؟۔" for sign in others)
        if 2 * final >= len(rows) and unicodedata.normalize("NFKC", start) != start:
            return []
    if len(start) <= 8:
        signs = Counter(
            sign for sign in others if not sign.isalnum() and sign not in _FINAL_SIGNS + " "
        )
        if 2 * max(signs.values(), default=0) >= len(rows):
            return []
    # Where all texts have it, a text whose partner begins with it has it twice.
    if len(having_rows) >= 0.95 * size:
        places = having
    texts = {pairs.texts[side][row][number] for row, number in places}
    is_varied = len(texts) >= max(3, 0.5 * len(rows))  # else it is one text in many rows
    return places if is_varied else []


# --- What no text has, on both sides --------------------------------------------------------------


@dataclass(frozen=True)
class Residue(Probed):
    """What a tool left in the texts of both sides.

    find: the function that returns a true value for a text with it.
    least_share, least: in which share of the texts of each side, and in how many, it counts.
    may_have: the function that returns False if the counts of a side show that too few texts have
        it to be worth an unasked look.
    is_beyond_ascii: True if texts in ASCII do not count, because they cannot have it.
    """

    mistake: Mistake
    find: Callable[[str], object]
    edit: Edit
    says: str
    may_have: Callable[[Census], bool] | None = None
    probes: Sequence[str] = ()
    least_share: float = 0.25
    least: int = 2
    is_beyond_ascii: bool = False


_FIRST_END = re.compile(rf"\s*(?:{_ENDS})(?=\W|$)", re.IGNORECASE)
_LAST_END = re.compile(rf"(?:^|(?<=\W))(?:{_ENDS})\s*$", re.IGNORECASE)
_LONGEST_END = 30  # characters


def _has_token_at_end(text: str) -> bool:
    return bool(_FIRST_END.match(text) or _LAST_END.search(text[-_LONGEST_END:]))


_REMOVED_ENDS = TEXT.sub(rf"(?i)^\s*(?:(?:{_ENDS})\s*)+(?=\W|\w|$)|\s?(?:(?:{_ENDS})\s*)+$", "")


def _is_decodable(codec: str) -> Callable[[str], bool]:
    edit = _recode(codec, "utf-8")
    return lambda text: not text.isascii() and len(edit(text)) < len(text)


def _has_frequent_mark(census: Census) -> bool:
    """Return True if many texts begin or end with one character, if it ends no sentence."""
    least = 0.4 * census.heads.total()
    outermost = [*census.first_signs.items(), *census.last_signs.items()]
    return any(count >= least and sign not in _FINAL_SIGNS for sign, count in outermost)


def _has_continuations(codec: str) -> Callable[[Census], bool]:
    """Return the function that compares the characters of UTF-8's first and further bytes.

    In text that was read in the codec instead, each first byte has a further one.
    """
    firsts = frozenset(bytes(range(0xC2, 0xF5)).decode(codec))
    others = frozenset(bytes(range(0x80, 0xC0)).decode(codec, "ignore"))

    def has_continuations(census: Census) -> bool:
        numbers = census.number_of
        further = sum(numbers[sign] for sign in census.beyond_ascii & others)
        return further > 0.5 * sum(numbers[sign] for sign in census.beyond_ascii & firsts) > 0

    return has_continuations


RESIDUES: Sequence[Residue] = (
    Residue(
        SPECIAL_TOKENS,
        _has_token_at_end,
        _REMOVED_ENDS,
        "{text} begins or ends with a mark of a model, like {share}, and so do the references",
        may_have=_has_frequent_mark,
        least_share=0.5,
    ),
    *(
        Residue(
            SUBWORDS,
            _FIND_PIECES[sign],
            _PIECE_EDITS[sign][0],
            f"{{text}} contains pieces of words ({sign}), like {{share}}, and so do the references",
            probes=(sign,),
        )
        for sign in _PIECE_EDITS
        if sign not in _COMMON_PIECES
    ),
    *(
        Residue(
            MOJIBAKE,
            _is_decodable(codec),
            _recode(codec, "utf-8"),
            "{text} was read in another encoding than its own, like {share}, and so were the"
            " references",
            may_have=_has_continuations(codec),
            is_beyond_ascii=True,
        )
        for codec in ("latin-1", "cp1252")
    ),
)


def find_residue(pairs: Pairs, residue: Residue) -> Iterator[Found]:
    """Find what no text has on both sides, and undo it in all texts."""
    having: set[int] = set()
    gate = None if pairs.is_asked else residue.may_have
    for side in SIDES:
        flat = pairs.list_texts(side)
        if gate is not None and not gate(pairs.count(side)):
            return
        if residue.probes and not pairs.list_present(side, residue.probes):
            return
        few = evenly_spaced(len(flat), round(_LOOKS_PER_SHARE / residue.least_share)).tolist()
        if not any(residue.find(flat[index]) for index in few):
            return
    for side in SIDES:
        places = pairs.list_places(side)
        flat = pairs.list_texts(side)
        judged = [index for index, text in enumerate(flat) if text]
        if residue.is_beyond_ascii:
            judged = [index for index in judged if not flat[index].isascii()]
        found = [index for index in judged if residue.find(flat[index])]
        if len(found) < max(residue.least, residue.least_share * len(judged)):
            return
        having.update(places[index].row for index in found)
    rows = sorted(having)
    first_text = pairs.predictions[rows[0]]
    steps = _undo_all(pairs, residue.edit)
    if steps:
        yield pairs.make_found(
            residue.mistake,
            "both",
            rows,
            residue.says,
            example=_mark_change(first_text, residue.edit(first_text)),
            code=residue.edit.code,
            fix=Fix(steps),
        )


# --- Signs: one character for another -------------------------------------------------------------

_CURLY_DOUBLE, _CURLY_SINGLE = "“”„‟«»「」『』″", "‘’‚‛‹›′ʼ"
_DASHES = "–—‑−‐―"
_FULL_WIDTH = "".join(map(chr, range(0xFF01, 0xFF5F))) + "\u3000"
# Traditional characters, and the simplified ones of the same words, in this order.
_TRADITIONAL = (
    "們這國來說時為會對學過還開關發現點經問題話語電機車東長門馬魚鳥見風飛書買賣讀寫醫圖廣產業樂習"
    "專讓認識請誰謝錢鐵銀錯難頭兒幾氣漢軍農務動華單雙變聽員團場處備實將師帶應當總戰斷無顯術權樣沒"
    "靈熱愛環畫種節紀紅線練組細終結給統繼續維網羅聯職腦藥營雖補觀規覺計訂討訓議記講許論設訪證評詞"
    "試詩誠詳調談責敗貨質購費資賽趙趨躍軌轉輪軟輕載較輛輸達運進遠連遲選遞郵釋裡針鐘鋼鍵閃閉間聞陽"
    "陰隊階際陸險隨隱靜頂項順須預領頻顆顏額飯飲館駐驗魯雞麥黃齊"
)
_SIMPLIFIED = (
    "们这国来说时为会对学过还开关发现点经问题话语电机车东长门马鱼鸟见风飞书买卖读写医图广产业乐习"
    "专让认识请谁谢钱铁银错难头儿几气汉军农务动华单双变听员团场处备实将师带应当总战断无显术权样没"
    "灵热爱环画种节纪红线练组细终结给统继续维网罗联职脑药营虽补观规觉计订讨训议记讲许论设访证评词"
    "试诗诚详调谈责败货质购费资赛赵趋跃轨转轮软轻载较辆输达运进远连迟选递邮释里针钟钢键闪闭间闻阳"
    "阴队阶际陆险随隐静顶项顺须预领频颗颜额饭饮馆驻验鲁鸡麦黄齐"
)


def _translate(old: str, new: str) -> Edit:
    table = str.maketrans(old, new)
    return Edit(
        f"text.translate(str.maketrans({old!r}, {new!r}))", lambda text: text.translate(table)
    )


_STRAIGHT = TEXT.sub(f"[{_CURLY_DOUBLE}]", '"').sub(f"[{_CURLY_SINGLE}]", "'")
_ASCII_FORM = re.compile("[\uff01-\uff5e\u3000]")


def straighten_quotes(text: str) -> str:
    """Replace typographic quotation marks and apostrophes with those on a keyboard.

    >>> straighten_quotes("«It’s»")
    '"It\\'s"'
    """
    return _STRAIGHT(text)


@dataclass(frozen=True)
class Sign:
    """Characters that have an equivalent, and the edit that writes both sides alike."""

    mistake: Mistake
    signs: str
    edit: Edit
    says: str
    least_gain: float = _LEAST_GAIN
    is_minor: bool = True


SIGNS: Sequence[Sign] = (
    Sign(
        NORMALIZATION,
        "",
        Edit("unicodedata.normalize('NFC', text)", lambda text: unicodedata.normalize("NFC", text)),
        "{text} has letters and their marks in another form than Unicode's NFC, like {share}; the"
        " {other} are in NFC there",
    ),
    Sign(
        FULLWIDTH,
        _FULL_WIDTH,
        Edit(
            "re.sub('[\\uff01-\\uff5e\\u3000]',"
            " lambda sign: unicodedata.normalize('NFKC', sign[0]), text)",
            lambda text: _ASCII_FORM.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text),
        ),
        "{text} has full-width characters, like {share}; the {other} have others there",
    ),
    Sign(
        QUOTES,
        _CURLY_DOUBLE + _CURLY_SINGLE,
        _STRAIGHT,
        "{text} has typographic quotation marks or apostrophes, like {share}; the {other} have"
        " others there",
    ),
    Sign(
        DASHES,
        _DASHES,
        TEXT.sub(f"[{_DASHES}]", "-").call("replace", " -- ", " - "),
        "{text} has a dash where the {other} have a hyphen, like {share}",
    ),
    Sign(
        ELLIPSES,
        "…",
        _spell(("…", "...")),
        "{text} has … where the {other} have three periods, like {share}",
    ),
    Sign(
        CEDILLAS,
        "şţŞŢ",
        _translate("şţŞŢ", "șțȘȚ"),
        "{text} has a cedilla where the {other} have a comma below, like {share}",
    ),
    Sign(
        ARABIC_LETTERS,
        "يكى",
        _translate("يكى", "یکی"),
        "{text} has Arabic letters where the {other} have Persian ones, like {share}",
    ),
    Sign(
        VARIANT,
        _TRADITIONAL,
        _translate(_TRADITIONAL, _SIMPLIFIED),
        "{text} has traditional characters where the {other} have simplified ones, like {share}",
        least_gain=0.05,
        is_minor=False,
    ),
)


def find_sign(pairs: Pairs, sign: Sign) -> Iterator[Found]:
    """Find rows that fit better if both sides are written alike, where one side has the sign."""
    if not _may_have_sign(pairs, sign):
        return
    # 1. Rows in which one side changes, and the fit grows by it.
    written: dict[str, str] = {}

    def write(text: str) -> str:
        if text not in written:
            written[text] = sign.edit(text)
        return written[text]

    gained: list[int] = []
    sides: Counter[Side] = Counter()
    total_gain = 0.0
    having = 0
    signs = re.compile(f"[{sign.signs}]") if sign.signs else None
    for row, text in enumerate(pairs.predictions):
        references = pairs.references[row]
        if not pairs.is_open[row] or not text:
            continue
        if signs and not signs.search(text) and not any(map(signs.search, references)):
            continue
        others = list(map(write, references))
        is_changed = write(text) != text
        are_changed = others != references
        if not is_changed and not are_changed:
            continue
        having += 1
        if is_changed == are_changed and sign.signs:
            continue
        gain = pairs.fit(write(text), others) - pairs.fit(text, references)
        if gain > 1e-9:
            gained.append(row)
            total_gain += gain
            sides["predictions" if is_changed else "references"] += 1
    # 2. Are they enough, and nearly all on one side?
    if not gained:
        return
    side, most = sides.most_common(1)[0]
    gain = total_gain / having
    is_frequent = len(gained) >= max(1, 0.02 * len(pairs)) and most >= 0.3 * having
    if not is_frequent or most < 0.8 * len(gained) or gain < sign.least_gain:
        return
    # 3. Undo it, unless the score would then mean something else.
    example = ""
    for text in pairs.texts[side][gained[0]]:
        if write(text) != text:
            example = example or _mark_change(text, write(text))
    if sign.mistake.changes_meaning:
        steps = [_list_changed(pairs, each, write, sign.edit) for each in SIDES]
    else:
        steps = _undo_all(pairs, sign.edit)
    is_told = not sign.is_minor or total_gain >= _TOLD_GAIN * len(pairs)
    yield pairs.make_found(
        sign.mistake,
        side,
        gained,
        sign.says,
        example=example,
        code=sign.edit.code,
        fix=Fix([step for step in steps if step.rows]),
        gain=gain,
        is_told=is_told,
    )


def _may_be_decomposed(count: Census) -> bool:
    """Return True if texts may not be in NFC; the text is read only if its characters allow it."""
    signs = "".join(count.beyond_ascii)
    is_possible = bool(count.marks) or not unicodedata.is_normalized("NFC", signs)
    return is_possible and not unicodedata.is_normalized("NFC", count.joined)


def _may_have_sign(pairs: Pairs, sign: Sign) -> bool:
    counts = [pairs.count(side) for side in SIDES]
    if not sign.signs:
        return any(map(_may_be_decomposed, counts))
    numbers = [
        sum(count.number_of[each] for each in count.beyond_ascii if each in sign.signs)
        for count in counts
    ]
    if not any(numbers):
        return False
    shares = [count.share_of(number) for count, number in zip(counts, numbers)]
    # As many on both sides is not worth an unasked warning.
    return pairs.is_asked or not 0.67 <= _ratio(*shares) <= 1.5


def _list_changed(pairs: Pairs, side: Side, write: Callable[[str], str], edit: Edit) -> Step:
    """Return an edit of all texts of a side that it changes, without changing them here."""
    rows = [
        row
        for row, texts in enumerate(pairs.texts[side])
        if any(write(text) != text for text in texts)
    ]
    return Step(side, pairs.list_numbers(side, rows), edit)


# --- Amounts: ratios of the characters of both sides ----------------------------------------------


def _ratio(first: float, second: float) -> float:
    if second:
        return first / second
    return float("inf") if first else 1.0


_FEWEST_CHARACTERS = 30  # of a side, below which ratios are chance
_FEWEST_LETTERS = 60  # with case


class Off(NamedTuple):
    """A side whose amount is off, in some rows, and that of predictions to that of references."""

    side: Side
    rows: Sequence[int]
    ratio: float


@dataclass(frozen=True)
class Ratio:
    """An amount of both sides that real texts have in about the same measure.

    measure: the function that returns the amount by side; None if it can't be judged.
    is_off: the function that returns True for an amount that is off, given that of the other side.
    says: a template of `Pairs.make_found`, which also takes `ratio` and `words`.
    edit: what makes both sides alike, or one.
    least_gain, least_gain_of_rows: of the fit, that the edit must exceed in all rows, and in a part
        of them; a system that leaves half of the words out gains 0.019 in rows without marks.
    sides: the sides that the edit changes; empty for the side that is off.
    words: what completes the sentence, and the phrase of the demo.
    count: the function that counts in a text what a mistake leaves none of, by which it is found in
        a part of the rows; None if only all rows are judged.
    """

    mistake: Mistake
    measure: Callable[[Pairs], dict[Side, float] | None]
    is_off: Callable[[float, float], bool]
    says: str
    edit: Edit | None = None
    least_gain: float = 0.0
    least_gain_of_rows: float = 0.025
    sides: Sequence[Side] = SIDES
    words: str = ""
    count: Callable[[str], int] | None = None


def _measure_case(pairs: Pairs) -> dict[Side, float] | None:
    """Return the share of capitals; None if case can't be judged."""
    lower_cases = pairs.tokenizer is not None and pairs.tokenizer.lower_cases
    if pairs.ignores_case or lower_cases:
        return None
    shares: dict[Side, float] = {}
    for side in SIDES:
        census = pairs.count(side)
        cased = census.upper + census.lower
        if cased < _FEWEST_LETTERS or cased < 0.3 * census.letters:
            return None
        shares[side] = census.upper / cased
    return shares


_WORD = re.compile(r"[^\W\d_]{4,}")


def _share_of_capitalized(text: str) -> float:
    """Return the share of the words of four letters and more that begin with a capital."""
    words = _WORD.findall(text)
    return sum(word[0].isupper() for word in words) / max(1, len(words))


def _measure_title(pairs: Pairs) -> dict[Side, float] | None:
    capitals = _measure_case(pairs)
    if capitals is None or max(capitals.values()) < 0.1:
        return None
    return {side: _share_of_capitalized(pairs.count(side).joined[:20_000]) for side in SIDES}


def _measure_first_capitals(pairs: Pairs) -> dict[Side, float] | None:
    """Return the share of the texts that begin with a capital, of those that begin with case."""
    if _measure_case(pairs) is None:
        return None
    shares: dict[Side, float] = {}
    for side in SIDES:
        first_signs = pairs.count(side).first_signs.items()
        upper = sum(count for sign, count in first_signs if sign.isupper())
        lower = sum(count for sign, count in first_signs if sign.islower())
        shares[side] = upper / (upper + lower) if upper + lower else 0.5
    return shares


_MOST_WORDS = 1.35  # times those of the other side, per character; 1.09 in real outputs
_CODE_SHARE = 0.15  # of punctuation among characters; texts have 0.02 to 0.08


def _are_code(pairs: Pairs) -> bool:
    """Return True for texts such as JSON, where blanks and marks are a matter of layout."""
    counts = map(pairs.count, SIDES)
    return min(each.share_of(each.punctuation) for each in counts) > _CODE_SHARE


def _measure_words(pairs: Pairs) -> dict[Side, float] | None:
    """Return the words per character, several blanks as one; None if blanks divide no words."""
    counts = {side: pairs.count(side) for side in SIDES}
    if max(each.unspaced_share for each in counts.values()) >= 0.3 or _are_code(pairs):
        return None
    if sum(each.words for each in counts.values()) < 60:
        return None
    by_blanks = {side: each.words_per_sign for side, each in counts.items()}
    if not _differ(by_blanks["predictions"], by_blanks["references"], _MOST_WORDS):
        return by_blanks
    # Four spaces instead of a tab are no more words.
    return {side: each.share_of(len(each.joined.split())) for side, each in counts.items()}


def _differ(own: float, other: float, times: float) -> bool:
    """Return True if one amount is more than a number of times the other."""
    return max(own, other) > times * min(own, other)


def _measure_marks(pairs: Pairs) -> dict[Side, float] | None:
    counts = {side: pairs.count(side) for side in SIDES}
    shares = {side: each.share_of(each.punctuation) for side, each in counts.items()}
    most = max(each.punctuation for each in counts.values())
    if _are_code(pairs) or most < 5 or max(shares.values()) < 0.008:
        return None
    return shares


def _measure_accents(pairs: Pairs) -> dict[Side, float] | None:
    counts = {side: pairs.count(side) for side in SIDES}
    if max(each.accents for each in counts.values()) < 5:
        return None
    return {side: each.accents / max(1, each.letters) for side, each in counts.items()}


def _measure_length(pairs: Pairs) -> dict[Side, float] | None:
    """Return the characters, of references on average; None for lengths that are near."""
    if len(pairs) < LENGTH.fewest_rows:
        return None
    first, second = (pairs.count(side).signs_per_text for side in SIDES)
    if not _differ(first, second, 1.4):
        return None
    # Rows with both sides, since an empty text is a mistake of its own.
    predicted = reference = 0.0
    for (text,), references in zip(pairs.texts["predictions"], pairs.references):
        lengths = [len(other) for other in references if other]
        if text and lengths:
            predicted += len(text)
            reference += sum(lengths) / len(lengths)
    if reference < _FEWEST_CHARACTERS:
        return None
    return {"predictions": predicted, "references": reference}


_ANY_MARK = re.compile(r"[^\w\s]")
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]")
_ACCENTS_EDIT = Edit(
    "re.sub('[\\u0300-\\u036f\\u0591-\\u05c7\\u064b-\\u065f]', '',"
    " unicodedata.normalize('NFD', text))",
    lambda text: _ACCENTS.sub("", unicodedata.normalize("NFD", text)),
)
_LOWER = TEXT.call("lower")
_IN_CASE = "The {where} are in {words}, the {other} are not ({share})"

RATIOS: Sequence[Ratio] = (
    Ratio(
        CASE,
        _measure_case,
        lambda own, other: own > 0.9 and other < 0.6,
        _IN_CASE,
        _LOWER,
        words="capitals",
        count=lambda text: sum(map(str.islower, text)),
    ),
    Ratio(
        CASE,
        _measure_case,
        lambda own, other: own < 0.1 * other and other > 0.01,
        _IN_CASE,
        _LOWER,
        words="lower case",
        count=lambda text: sum(map(str.isupper, text)),
    ),
    Ratio(
        CASE,
        _measure_title,
        lambda own, other: own > 0.85 and other < 0.6,
        _IN_CASE,
        _LOWER,
        words="Title Case",
        count=lambda text: sum(word[0].islower() for word in _WORD.findall(text)),
    ),
    Ratio(
        CASE,
        _measure_first_capitals,
        lambda own, other: own < 0.1 and other > 0.7,
        _IN_CASE,
        Edit("text[:1].upper() + text[1:]", lambda text: text[:1].upper() + text[1:]),
        sides=(),
        words="lower case at the beginning",
    ),
    Ratio(
        SPACES,
        _measure_words,
        lambda own, other: _differ(own, other, _MOST_WORDS),
        "The predictions have {ratio} times the words of the references per character ({share})",
        _spell((" ", "")),
        least_gain=-1.0,
        count=lambda text: text.count(" "),
    ),
    Ratio(
        MARKS,
        _measure_marks,
        lambda own, other: own < 0.15 * other,
        "The {where} have hardly any punctuation, the {other} have ({share})",
        TEXT.sub(r"[^\w\s]", ""),
        least_gain=0.005,
        count=lambda text: len(_ANY_MARK.findall(text)),
    ),
    Ratio(
        ACCENTS,
        _measure_accents,
        lambda own, other: own < 0.15 * other and other > 0.003,
        "The {where} have hardly any accents or vowel signs, the {other} have ({share})",
        _ACCENTS_EDIT,
        least_gain=-0.005,  # none by it, if the letters are lost with their accents
        least_gain_of_rows=-0.005,
        count=lambda text: len(_ACCENTS.findall(unicodedata.normalize("NFD", text))),
    ),
    Ratio(
        LENGTH,
        _measure_length,
        lambda own, other: _differ(own, other, 1.75),
        "The predictions are {ratio} times as long as the references, in characters ({share})",
    ),
)
_LEAST_OF_ROWS, _FEWEST_OF_ROWS = 0.2, 8  # with a mistake that is in a part of the rows
_LEAST_RATIO_OF_PART = 1.25  # of the amounts of all rows
_LEAST_RATIO_FIT = 0.27  # without the mistake; common words at random have up to 0.26
_FEWEST_LACKED = 2  # characters or words of a row; one can be lost with the word beside it


def _find_off(pairs: Pairs, ratio: Ratio) -> Off | None:
    """Return the side whose amount is off in all rows, or in a part of them."""
    shares = ratio.measure(pairs)
    if shares is None:
        return None
    predicted = _ratio(shares["predictions"], shares["references"])
    for side in SIDES:
        if ratio.is_off(shares[side], shares[OTHER_SIDES[side]]):
            return Off(side, range(len(pairs)), predicted)
    is_near = not _differ(shares["predictions"], shares["references"], _LEAST_RATIO_OF_PART)
    if ratio.count is None or is_near:
        return None
    for side in SIDES:
        rows = _list_lacking(pairs, side, ratio.count)
        if len(rows) < max(_FEWEST_OF_ROWS, _LEAST_OF_ROWS * len(pairs)):
            continue
        others = _list_lacking(pairs, OTHER_SIDES[side], ratio.count)
        if _WINS * len(others) <= len(rows):
            return Off(side, rows, predicted)
    return None


def _list_lacking(pairs: Pairs, side: Side, count: Callable[[str], int]) -> list[int]:
    """Return the open rows in which a side has none of what all texts of the other side have."""
    return [
        row
        for row, texts in enumerate(pairs.texts[side])
        if pairs.is_open[row]
        and not any(map(count, texts))
        and min(map(count, pairs.texts[OTHER_SIDES[side]][row]), default=0) >= _FEWEST_LACKED
    ]


def find_ratio(pairs: Pairs, ratio: Ratio) -> Iterator[Found]:
    """Find an amount that differs between the sides."""
    if min(pairs.count(side).characters for side in SIDES) < _FEWEST_CHARACTERS:
        return
    off = _find_off(pairs, ratio)
    if off is None:
        return
    says = ratio.says.replace("{ratio}", f"{off.ratio:.1f}").replace("{words}", ratio.words)
    edit = ratio.edit
    if edit is None:
        yield pairs.make_found(ratio.mistake, off.side, off.rows, says)
        return
    sides = ratio.sides or (off.side,)
    before, after = _fit_rewritten(pairs, edit, off.rows, sides)
    gain = after - before
    # Texts that fit badly without the mistake as well have another one.
    is_part = len(off.rows) < len(pairs)
    least_gain = ratio.least_gain_of_rows if is_part else ratio.least_gain
    if gain <= least_gain or after < _LEAST_RATIO_FIT:
        return
    steps = [_list_changed(pairs, side, edit, edit) for side in sides]
    first_text = next(iter(pairs.texts[off.side][off.rows[0]]), "")
    yield pairs.make_found(
        ratio.mistake,
        off.side,
        off.rows,
        says,
        example=mark_place(first_text, 0, 0) if first_text else "",
        code=edit.code,
        fix=Fix([step for step in steps if step.rows]),
        gain=gain,
        detail=ratio.words,
    )


# --- Rows: rows that are wrong in themselves ------------------------------------------------------


@dataclass(frozen=True)
class RowTest:
    """A test of rows by themselves: `find` yields what it finds, and takes these rows out."""

    mistake: Mistake
    find: Callable[[Pairs], Iterator[Found]]


def _find_empty(pairs: Pairs) -> Iterator[Found]:
    rows = [
        row
        for row, text in enumerate(pairs.predictions)
        if not text.strip() and any(map(str.strip, pairs.references[row]))
    ]
    if len(rows) >= max(1, 0.005 * len(pairs)):
        says = "{text} is empty, like {share}; the {other} are not"
        yield pairs.make_found(EMPTY, "predictions", rows, says)
        pairs.close(rows)


def _find_empty_references(pairs: Pairs) -> Iterator[Found]:
    if all(map(str.strip, pairs.list_texts("references"))):
        return
    alone = []
    beside = []
    for row, references in enumerate(pairs.references):
        blank = [text for text in references if not text.strip()]
        if blank and len(blank) < len(references):
            beside.append(row)
        elif blank and pairs.predictions[row].strip():
            alone.append(row)
    if len(alone) >= max(1, 0.005 * len(pairs)):
        says = "{text} is empty, like {share}; the {other} are not"
        yield pairs.make_found(EMPTY, "references", alone, says)
        pairs.close(alone)
    if beside:
        yield pairs.make_found(
            EMPTY_BESIDE,
            "references",
            beside,
            "{text} has an empty reference beside others, like {share}: it is a reference of length"
            " 0, to which no prediction is too short",
            code="[reference for reference in references if reference.strip()]",
            fix=Fix(keeps=lambda number, text: bool(text.strip())),
        )
        for row in beside:
            pairs.texts["references"][row] = [
                text for text in pairs.references[row] if text.strip()
            ]
        pairs.forget("references")


_LEAST_SAME = 0.2  # of the rows, which are told from then on, and in which whole batches count
_NO_TEXTS = frozenset(("nan", "none", "null", "n/a", "<na>", "undefined", "[]", "{}"))


def _find_same_text(pairs: Pairs) -> Iterator[Found]:
    if len(pairs) < SAME_TEXT.fewest_rows:
        return
    stripped = list(map(str.strip, pairs.predictions))
    if len(set(stripped)) == len(stripped):
        return
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(stripped):
        if text:
            rows_of[text].append(row)
    common = Counter(text.strip() for texts in pairs.references for text in set(texts))
    copies: list[list[int]] = []
    for text, found in rows_of.items():
        if len(found) < 3 or len(found) <= 3 * common[text]:
            continue
        references = {tuple(pairs.references[row]) for row in found}
        is_answer = len(text) < 10 and text.lower() not in _NO_TEXTS
        if is_answer and len(found) < 0.5 * len(pairs):
            continue
        if len(references) > 0.5 * len(found):
            copies.append(found)
    # Few copies of a text are chance, as in captions; those of whole batches follow each other.
    batches = [found for found in copies if found[-1] - found[0] == len(found) - 1]
    frequent = [found for found in copies if len(found) >= 0.02 * len(pairs)]
    are_many = sum(map(len, batches)) >= _LEAST_SAME * len(pairs)
    counted = [*frequent, *batches] if are_many else frequent
    rows = sorted(set(chain.from_iterable(counted)))
    if rows:
        says = "{text} also appears in other rows, with other references ({share} affected)"
        example = mark_place(pairs.predictions[rows[0]], 0, _LONGEST_PLACE)
        is_told = len(rows) >= _LEAST_SAME * len(pairs)
        yield pairs.make_found(
            SAME_TEXT, "predictions", rows, says, example=example, is_told=is_told
        )
        pairs.close(rows)


def _find_repeated_rows(pairs: Pairs) -> Iterator[Found]:
    predictions = pairs.predictions
    if len(pairs) < REPEATED.fewest_rows or len(set(predictions)) == len(predictions):
        return
    repeated = find_repeated(predictions, pairs.references)
    if repeated is not None and pairs.are_neighbors(repeated.rows, repeated.distance):
        before = count_things(repeated.distance, "row")
        says = (
            f"{{text}} is the prediction of {before} before, like {{share}}, and"
            " the references differ"
        )
        yield pairs.make_found(REPEATED, "predictions", repeated.rows, says)
        pairs.close(repeated.rows)


_LOOP = re.compile(r"(.{2,60}?)\1{7,}", re.DOTALL)
_LOOP_CHARACTERS = 32
_SHORTEST_LOOP = 60  # characters of a text
_LOOP_WORDS = 5  # of eight; the first and the last one may be joined to marks
_LOOP_ROWS = 8  # that are searched without asking
_LONGEST_SEARCHED = 1_500  # characters of a text, from its end


def _may_loop(text: str) -> bool:
    """Return False for a text that hardly repeats a word; the pattern takes 50 times as long."""
    words = text.split()
    repeated = len(words) - len(set(words))
    return repeated >= _LOOP_WORDS or max(map(len, words), default=0) >= _LOOP_CHARACTERS


def _find_loops(pairs: Pairs) -> Iterator[Found]:
    # 1. Only texts that are too long are searched; unasked, a few of them.
    long_rows = [
        row
        for row, text in enumerate(pairs.predictions)
        if len(text) > _SHORTEST_LOOP
        and len(text) > 1.3 * max(map(len, pairs.references[row]), default=0)
        and pairs.is_open[row]
    ]
    if not pairs.is_asked:
        long_rows = [
            long_rows[index] for index in evenly_spaced(len(long_rows), _LOOP_ROWS).tolist()
        ]
    # 2. Is a phrase repeated?
    rows = []
    first: re.Match[str] | None = None
    for row in long_rows:
        text = pairs.predictions[row][-_LONGEST_SEARCHED:]
        match = _LOOP.search(text) if _may_loop(text) else None
        if match is None or len(match[0]) < _LOOP_CHARACTERS:
            continue
        phrase = match[1]
        is_phrase = any(map(str.isalnum, phrase)) and len(set(phrase)) > 1
        if is_phrase and not any(phrase * 4 in other for other in pairs.references[row]):
            rows.append(row)
            first = first or match
    if first is not None:
        says = "{text} repeats a phrase eight times or more, like {share}"
        start = first.start()
        example = mark_place(first.string, start, start + len(first[1]))
        is_told = len(rows) >= 0.02 * len(pairs)
        yield pairs.make_found(LOOPS, "predictions", rows, says, example=example, is_told=is_told)
        pairs.close(rows)


_REFUSAL = re.compile(
    r"\s*(?:(?:I(?:['’]m| am)(?: really| very)? sorry|I apologi[sz]e|My apologies|Sorry"
    r"|Unfortunately)[,.]? (?:but )?(?:as an AI|I(?:['’]m)? ?(?:can|am|do|won|not|unable))"
    r"|As an AI\b|I (?:can(?:['’]t|not)|am (?:unable|not able) to) (?:translate|assist|help|fulfill"
    r"|provide|process)|(?:Please|Could you(?: please)?) provide|It (?:seems|looks like|appears)"
    r"(?: that)? (?:you|the text|there)"
    r"|(?:Es tut mir leid|Tut mir leid|Leider)[,.]?(?: aber)? (?:ich )?kann"
    r"|(?:Je suis désolé|Désolé)e?[,.]? (?:mais )?je ne (?:peux|suis)"
    r"|Lo siento[,.]?(?: pero)? no puedo|Mi dispiace[,.]?(?: ma)? non posso"
    r"|(?:Извините|К сожалению)[,.]? (?:но )?я не (?:могу|в состоянии)"
    r"|(?:很抱歉|抱歉|对不起)[,，。]?(?:但)?(?:我)?(?:无法|不能)|作为(?:一个|一名)?(?:AI|人工智能)"
    r"|申し訳(?:ありません|ございません))",
    re.IGNORECASE,
)
_REFUSAL_FIT = 0.25  # below which an answer is not a translation of its source


def _find_refusals(pairs: Pairs) -> Iterator[Found]:
    rows = [
        row
        for row, text in enumerate(pairs.predictions)
        if _REFUSAL.match(text)
        and pairs.is_open[row]
        and len(text) > 15
        and not any(map(_REFUSAL.match, pairs.references[row]))
        and pairs.fit(text, pairs.references[row]) < _REFUSAL_FIT
    ]
    if rows:
        says = "{text} is an answer instead of a text, like {share}"
        example = mark_place(pairs.predictions[rows[0]], 0, _LONGEST_PLACE)
        yield pairs.make_found(REFUSALS, "predictions", rows, says, example=example)
        pairs.close(rows)


def _find_replacement(pairs: Pairs) -> Iterator[Found]:
    for side in SIDES:
        if "\ufffd" not in pairs.count(side).joined:
            continue
        other = OTHER_SIDES[side]
        rows = []
        example = ""
        for row, texts in enumerate(pairs.texts[side]):
            lost = [text for text in texts if "\ufffd" in text]
            if lost and not any("\ufffd" in text for text in pairs.texts[other][row]):
                rows.append(row)
                place = lost[0].index("\ufffd")
                example = example or mark_place(lost[0], place, place + 1)
        if rows:
            says = "{text} contains the replacement character U+FFFD, like {share}: bytes were lost"
            yield pairs.make_found(REPLACEMENT, side, rows, says, example=example)


_SCRIPT_GAP = 0.35  # difference of the shares of a script
_LEAST_GAP = 0.01  # below which no row is searched
_FEWEST_OF_SCRIPT = 6  # letters, by which the script of a text is judged


def _name_script(texts: Iterable[str]) -> str:
    """Return the script of most letters of some texts; empty if none has most."""
    codes = np.minimum(_read_codes("".join(text[:200] for text in texts)), _LAST_CODE)
    numbers = np.bincount(_describe_signs(codes)["script"], minlength=len(_SCRIPT_NAMES))
    numbers[_HAN_SCRIPT] += numbers[_KANA_SCRIPT]  # Japanese has both
    numbers[_KANA_SCRIPT] = numbers[0] = 0
    total = int(numbers.sum())
    most = int(numbers.argmax())
    is_clear = total >= _FEWEST_OF_SCRIPT and numbers[most] > 0.7 * total
    return _SCRIPT_NAMES[most] if is_clear else ""


def _find_script(pairs: Pairs) -> Iterator[Found]:
    # 1. Do the sides differ as a whole?
    predicted, reference = (pairs.count(side).scripts for side in SIDES)
    sums = [max(1, sum(each.values())) for each in (predicted, reference)]
    gaps = {
        script: (predicted[script] / sums[0], reference[script] / sums[1])
        for script in predicted | reference
    }
    widest = max(gaps, key=lambda each: abs(gaps[each][0] - gaps[each][1]), default="")
    share, other_share = gaps.get(widest, (0.0, 0.0))
    gap = abs(share - other_share)
    if gap > _SCRIPT_GAP and min(sums) >= _FEWEST_LETTERS:
        says = (
            f"The predictions have {share:.0%} of their letters in {widest} script, the"
            f" references {other_share:.0%} ({{share}})"
        )
        rows = _list_other_scripts(pairs) or list(range(len(pairs)))
        example = mark_place(pairs.predictions[rows[0]], 0, _LONGEST_PLACE)
        yield pairs.make_found(SCRIPT, "predictions", rows, says, example=example)
        return
    # 2. Do single rows? Names in another script are fewer letters than whole rows.
    if gap < _LEAST_GAP:
        return
    rows = _list_other_scripts(pairs)
    if len(rows) >= max(1, 0.05 * len(pairs)):
        first = rows[0]
        written = _name_script(pairs.texts["predictions"][first])
        expected = _name_script(pairs.references[first])
        says = (
            f"{{text}} is in another script than its reference ({written} instead of {expected}),"
            " like {share}"
        )
        example = mark_place(pairs.predictions[first], 0, _LONGEST_PLACE)
        is_told = len(rows) >= 0.1 * len(pairs)
        yield pairs.make_found(SCRIPT, "predictions", rows, says, example=example, is_told=is_told)
        pairs.close(rows)


def _list_other_scripts(pairs: Pairs) -> list[int]:
    rows = []
    for row in range(len(pairs)):
        if not pairs.is_open[row]:
            continue
        script = _name_script(pairs.texts["predictions"][row])
        other = _name_script(pairs.references[row]) if script else ""
        if script and other and script != other:
            rows.append(row)
    return rows


_SENTENCE_ENDS = frozenset(".!?…。！？،؛؟।॥۔:;\"'”’»」』】》）)]%")
_LEAST_SENTENCE = 25  # characters of a text that ends in a mark
_CUT_LENGTH = 0.8  # of the references', below which a missing end is told without asking
_LEAST_CEILING = 8  # words or characters, below which texts often have one length


def _count_blanks(text: str) -> int:
    """Return the number of words, as blanks divide them."""
    return text.count(" ") + 1


def _is_ended(text: str) -> bool:
    """Return True for a text with a mark at its end."""
    return text.rstrip()[-1:] in _SENTENCE_ENDS


def _find_truncated(pairs: Pairs) -> Iterator[Found]:
    if len(pairs) < TRUNCATED.fewest_rows:
        return
    # 1. Many texts of exactly the greatest length, whose references are longer.
    for unit, measure in (("words", _count_blanks), ("characters", len)):
        sizes = list(map(measure, pairs.predictions))
        most = max(sizes)
        fewest = max(4, 0.1 * len(pairs))
        if most < _LEAST_CEILING or sizes.count(most) < fewest:
            continue
        rows = [row for row, size in enumerate(sizes) if size == most and pairs.is_open[row]]
        longer = [
            row for row in rows if min(map(measure, pairs.references[row]), default=0) > 1.05 * most
        ]
        is_varied = 2 * len({pairs.predictions[row] for row in rows}) > len(rows)
        is_varied &= len(rows) >= 3 * sizes.count(most - 1)  # longer texts pile up there
        open_ends = [row for row in rows if not _is_ended(pairs.predictions[row])]
        is_varied &= 2 * len(open_ends) > len(rows)
        if len(rows) >= fewest and len(longer) >= 0.6 * len(rows) and is_varied:
            says = (
                f"{{text}} has {most} {unit}, like {{share}}; no prediction has more, and the"
                " references of these rows are longer"
            )
            yield pairs.make_found(
                TRUNCATED,
                "predictions",
                rows,
                says,
                example=f"…{pairs.predictions[rows[0]][-20:]}⟦⟧",
            )
            return
    # 2. Texts without an end whose references have one, and which are shorter.
    predicted, reference = (pairs.count(side) for side in SIDES)
    is_short = predicted.characters < 0.9 * reference.characters
    ratio = _ratio(
        predicted.share_of(predicted.punctuation), reference.share_of(reference.punctuation)
    )
    if ratio < 0.4 and not is_short:
        return  # `marks`
    last_signs = predicted.last_signs.items()
    unended_texts = sum(count for sign, count in last_signs if sign not in _SENTENCE_ENDS)
    if unended_texts < max(3, 0.2 * len(pairs)):
        return
    ended = [
        row
        for row, references in enumerate(pairs.references)
        if pairs.is_open[row]
        and any(len(each) >= _LEAST_SENTENCE and _is_ended(each) for each in references)
    ]
    unended = [
        row for row in ended if pairs.predictions[row] and not _is_ended(pairs.predictions[row])
    ]
    cut = [
        row
        for row in unended
        if len(pairs.predictions[row]) < 0.98 * max(map(len, pairs.references[row]))
    ]
    lengths = [len(pairs.predictions[row]) for row in cut]
    longest = [max(map(len, pairs.references[row])) for row in cut]
    is_told = sum(lengths) < _CUT_LENGTH * sum(longest)
    if len(cut) >= max(3, 0.2 * len(pairs)) and 2 * len(cut) >= len(ended):
        says = "{text} ends in the middle of a sentence, like {share}"
        example = f"…{pairs.predictions[cut[0]][-20:]}⟦⟧"
        yield pairs.make_found(
            TRUNCATED, "predictions", cut, says, example=example, is_told=is_told
        )


_NEXT_WORDS = re.compile(f"(?<=[{UNSPACED}]) (?=[{UNSPACED}])")
_UNSPACED_SHARE = 0.1  # of the characters
_LONGEST_WORDS = 4  # characters of a word of segmented text, on average
_KANA = re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def count_unspaced(text: str) -> int:
    """Count the characters that belong to scripts written without spaces between words.

    >>> count_unspaced("a b c 是是")
    2
    """
    return sum(map(len, _UNSPACED.findall(text)))


def is_segmented(text: str) -> bool:
    """Return True for a script written without spaces if its words are divided.

    >>> is_segmented("我们 用 的 是 中文"), is_segmented("我们用的是中文")
    (True, False)
    """
    runs = _UNSPACED.findall(text)
    characters = sum(map(len, runs))
    breaks = len(_NEXT_WORDS.findall(text))
    return characters < _LONGEST_WORDS * len(runs) and 2 * breaks >= len(runs)


def find_unspaced(pairs: Pairs) -> Iterator[Found]:
    if pairs.tokenizer is None or pairs.tokenizer.splits_unspaced:
        return
    census = pairs.count("predictions")
    share = census.unspaced_share
    if share <= _UNSPACED_SHARE or is_segmented(census.joined[:20_000]):
        return
    # Chinese and Japanese have tokenizers of their own; Thai and the others have none.
    han = len(_HAN.findall(census.joined))
    kana = len(_KANA.findall(census.joined))
    mistake = UNSPACED_TEXT
    tokenize = "char"
    if 2 * (han + kana) < count_unspaced(census.joined):
        mistake = UNSPACED_SCRIPT
    elif not kana:
        tokenize = "zh"
    elif importlib.util.find_spec("MeCab") is not None:
        tokenize = "ja-mecab"
    rows = [row for row, text in enumerate(pairs.predictions) if _UNSPACED.search(text)]
    says = (
        f"{share:.0%} of the characters in the predictions belong to scripts written without"
        f" spaces, which tokenize={pairs.tokenizer_name!r} does not segment"
    )
    yield pairs.make_found(
        mistake,
        "both",
        rows,
        says,
        example=mark_place(pairs.predictions[rows[0]], 0, _LONGEST_PLACE),
        code=f"tokenize={tokenize!r}",
        fix=Fix(options={"tokenize": tokenize}),
    )


def _find_tokenized_on_both(pairs: Pairs) -> Iterator[Found]:
    """Ask about texts that are tokenized on both sides, where the tokenizer expects plain text."""
    if not pairs.is_asked or pairs.tokenizer is None or not pairs.tokenizer.expects_raw_text:
        return
    detached = re.compile(_match_detached(_NEVER_DETACHED))
    fewest = max(TOKENIZED.fewest_rows, 0.3 * len(pairs))
    rows = [
        row
        for row, text in enumerate(pairs.predictions)
        if detached.search(text) and any(map(detached.search, pairs.references[row]))
    ]
    if len(rows) >= fewest:
        text = pairs.predictions[rows[0]]
        match = detached.search(text)
        assert match is not None
        yield pairs.make_found(
            TOKENIZED,
            "both",
            rows,
            "{text} has punctuation marks apart from its words, like {share}, and so do the"
            " references",
            example=mark_place(text, match.start(), match.start() + 2),
            code="tokenize='none'",
            fix=Fix(options={"tokenize": "none"}),
            is_question=True,
        )


_IDENTICAL_SHARE = 0.9
_LEAST_WORDS = 3.5  # of equal texts, on average; short answers are often equal
_MOST_COLUMNS = 8  # of references that are compared with each other


def _count_words(texts: Sequence[str]) -> float:
    """Return the words per text; characters, for scripts written without spaces."""
    words = [len(text) if _UNSPACED.search(text) else len(text.split()) for text in texts[:1000]]
    return sum(words) / max(1, len(words))


def _find_identical(pairs: Pairs) -> Iterator[Found]:
    size = len(pairs)
    if size < 3:
        return
    fewest = _IDENTICAL_SHARE * size
    references = pairs.references
    width = min(max(map(len, references), default=0), _MOST_COLUMNS)
    for number in range(width):
        column = [texts[number] if number < len(texts) else None for texts in references]
        if sum(map(eq, pairs.predictions, column)) < fewest:
            continue
        rows = [
            row
            for row, text in enumerate(pairs.predictions)
            if text.strip() and text == column[row]
        ]
        texts = [pairs.predictions[row] for row in rows]
        is_many = len(rows) >= max(IDENTICAL.fewest_rows, fewest) and len(set(texts)) >= 4
        if is_many and _count_words(texts) >= _LEAST_WORDS:
            says = f"The predictions equal reference {number} in {{share}}"
            yield pairs.make_found(IDENTICAL, "predictions", rows, says)
            break
    for later in range(1, width):
        for earlier in range(later):
            rows = [
                row
                for row, texts in enumerate(references)
                if later < len(texts) and texts[earlier] == texts[later] and texts[later].strip()
            ]
            texts = [references[row][later] for row in rows]
            if len(rows) >= max(3, fewest) and _count_words(texts) >= _LEAST_WORDS:
                says = f"References {earlier} and {later} are equal in {{share}}"
                yield pairs.make_found(
                    IDENTICAL,
                    "references",
                    rows,
                    says,
                    code=f"[references[:{later}] + references[{later + 1}:] for references in"
                    " all_references]",
                    fix=Fix(keeps=_skips_column(later)),
                )
                return


def _skips_column(column: int) -> Callable[[int, str], bool]:
    return lambda number, text: number != column


def _find_long_rows(pairs: Pairs) -> Iterator[Found]:
    """Find single rows that are far longer than their references."""
    if not pairs.is_asked or len(pairs) < 12:
        return
    rows = []
    for row, text in enumerate(pairs.predictions):
        longest = max(map(len, pairs.references[row]), default=0)
        if pairs.is_open[row] and len(text) > 300 and longest and len(text) > 6 * longest:
            rows.append(row)
    if rows and len(rows) <= 0.05 * len(pairs):
        says = "{text} is more than six times as long as its references, like {share}"
        yield pairs.make_found(LENGTH, "predictions", rows, says, is_told=False)
        pairs.close(rows)


ROW_TESTS: Sequence[RowTest] = (
    RowTest(EMPTY, _find_empty),
    RowTest(EMPTY_BESIDE, _find_empty_references),
    RowTest(SCRIPT, _find_script),
    RowTest(SAME_TEXT, _find_same_text),
    RowTest(REPEATED, _find_repeated_rows),
    RowTest(LOOPS, _find_loops),
    RowTest(REFUSALS, _find_refusals),
    RowTest(REPLACEMENT, _find_replacement),
    RowTest(TOKENIZED, _find_tokenized_on_both),
    RowTest(UNSPACED_TEXT, find_unspaced),
    RowTest(TRUNCATED, _find_truncated),
    RowTest(LENGTH, _find_long_rows),
)


# --- Ids ------------------------------------------------------------------------------------------

# -100 as an integer of 16, 32 and 64 bits without a sign.
_UNSIGNED = r"(?<!\d)(?:65436|4294967196|18446744073709551516)(?!\d)"


def _find_wrapped_ids(pairs: Pairs) -> Iterator[Found]:
    pattern = re.compile(_UNSIGNED)
    for side in SIDES:
        places = pairs.list_places(side)
        flat = pairs.list_texts(side)
        touched = [place for place, text in zip(places, flat) if pattern.search(text)]
        if not touched:
            continue
        first_text = pairs.texts[side][touched[0].row][touched[0].number]
        match = pattern.search(first_text)
        assert match is not None
        edit = TEXT.sub(_UNSIGNED, "").call("split").through("' '.join", " ".join)
        yield pairs.make_found(
            WRAPPED_IDS,
            side,
            sorted({place.row for place in touched}),
            f"{{text}} contains the id {match[0]}, which is -100 as an integer without a sign, like"
            " {share}",
            example=mark_place(first_text, match.start(), match.end()),
            code=f"[id for id in ids if id != {match[0]}]",
            fix=Fix([_undo(pairs, side, touched, edit, is_guarded=False)]),
        )


def _find_padding_ids(pairs: Pairs) -> Iterator[Found]:
    for side in SIDES:
        rows_of: defaultdict[str, set[int]] = defaultdict(set)
        places = pairs.list_places(side)
        flat = pairs.list_texts(side)
        for place, text in zip(places, flat):
            *_, before, last = ["", "", *text.rsplit(" ", 2)]
            if last and before == last:
                rows_of[last].add(place.row)
        if not rows_of:
            continue
        padding = max(rows_of, key=lambda last: len(rows_of[last]))
        rows = sorted(rows_of[padding])
        if len(rows) < max(PADDING_IDS.fewest_rows, 0.2 * len(pairs)):
            continue
        edit = Edit("", _strip_id(padding))
        yield pairs.make_found(
            PADDING_IDS,
            side,
            rows,
            f"{{text}} ends with the id {padding} several times, like {{share}}: padding",
            example=f"… ⟦{padding} {padding}⟧",
            code=f"[id for id in ids if id != {padding}]",
            fix=Fix([_undo(pairs, side, places, edit, is_guarded=False)]),
        )


def _strip_id(padding: str) -> Callable[[str], str]:
    def strip(text: str) -> str:
        ids = text.split(" ")
        while ids and ids[-1] == padding:
            ids.pop()
        return " ".join(ids)

    return strip


ID_TESTS = (RowTest(WRAPPED_IDS, _find_wrapped_ids), RowTest(PADDING_IDS, _find_padding_ids))


# --- Alignment: rows that belong to other rows ----------------------------------------------------


def align(pairs: Pairs, advance: Callable[[int], object] | None = None) -> Iterator[Found]:
    """Find rows whose predictions fit other references, and pair them as they fit."""
    if len(pairs) < REORDERED.fewest_rows:
        return
    alignment = find_alignment(pairs.predictions, pairs.references, advance=advance)
    if alignment is None:
        return
    yield describe_alignment(pairs, alignment)
    pairs.pair_again([(other, row) for row, other in enumerate(alignment.pairing) if other >= 0])


def describe_alignment(pairs: Pairs, alignment: Alignment) -> Found:
    """Return the finding of rows that moved."""
    rows = alignment.rows
    if alignment.kind == "shifted":
        return pairs.make_found(
            SHIFTED,
            "predictions",
            rows,
            "From {text} on, the predictions fit the references "
            + f"{_describe_distances(alignment.distances)} better, like {{share}}",
            code="result.fixed('shifted')",
            fix=Fix(pairing=alignment.pairing),
            detail=_describe_distances(alignment.distances[:1]),
        )
    # A row whose prediction is elsewhere, as an example.
    moved = next((row for row in rows if alignment.pairing[row] not in (row, -1)), rows[0])
    first = alignment.pairing[moved]
    says = (
        "The predictions are in another order than the references:"
        f" predictions[{first}] fits references[{moved}], like {{share}}"
    )
    return pairs.make_found(
        REORDERED,
        "predictions",
        rows,
        says,
        code="result.fixed('reordered')",
        fix=Fix(pairing=alignment.pairing),
    )


def _describe_distances(distances: Sequence[int]) -> str:
    """Return the offsets of rows in words.

    >>> _describe_distances([1, -2])
    '1 row further on (later also 2 rows before)'
    """
    described = []
    for distance in distances[:3]:
        place = "further on" if distance > 0 else "before"
        described.append(f"{count_things(abs(distance), 'row')} {place}")
    first, *more = described
    return f"{first} (later also {', '.join(more)})" if more else first


_UNRELATED_SAYS = {
    "rows": "The predictions fit their references no better than those of other rows ({share}):"
    " another file, order or language, or a model that has not learned yet",
    "language": "The predictions have hardly any word of the references ({share}): another language"
    " or file, or a model that has not learned yet",
}


def _find_unrelated_texts(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that fit their own references no better than those of other rows."""
    fewest = UNRELATED.fewest_rows if pairs.is_asked else _FEWEST_UNASKED
    rows = [row for row in range(len(pairs)) if pairs.is_open[row]]
    all_predictions = pairs.predictions
    predictions = [all_predictions[row] for row in rows]
    references = [pairs.references[row] for row in rows]
    unrelated = find_unrelated(predictions, references, fewest=fewest)
    if unrelated is None:
        return
    if unrelated.kind == "column":
        says = (
            f"Reference {unrelated.column} fits the predictions no better than those of other rows"
            " ({share}), and other references do: another file or order"
        )
        yield pairs.make_found(UNRELATED, "references", rows, says)
    else:
        yield pairs.make_found(UNRELATED, "both", rows, _UNRELATED_SAYS[unrelated.kind])


# --- All families ---------------------------------------------------------------------------------

# Kinds of the records above; some share a name.
MISTAKES: Sequence[Mistake] = (
    SHIFTED,
    REORDERED,
    UNRELATED,
    REPEATED,
    IDENTICAL,
    CHAT,
    SPECIAL_TOKENS,
    LOST_WORDS,
    AFFIXES,
    FENCES,
    PREAMBLES,
    NUMBERING,
    LINE_IDS,
    WRAPPED,
    SUBWORDS,
    SPACES,
    APART,
    TOKENIZED,
    UNSPACED_TEXT,
    UNSPACED_SCRIPT,
    MARKUP,
    REPRS,
    FIELDS,
    LINES,
    MOJIBAKE,
    REPLACEMENT,
    ENTITIES,
    ESCAPES,
    INVISIBLE,
    NORMALIZATION,
    FULLWIDTH,
    CEDILLAS,
    ARABIC_LETTERS,
    ACCENTS,
    MARKS,
    CASE,
    QUOTES,
    DASHES,
    ELLIPSES,
    SCRIPT,
    VARIANT,
    EMPTY,
    EMPTY_BESIDE,
    SAME_TEXT,
    LENGTH,
    LOOPS,
    TRUNCATED,
    REFUSALS,
    WRAPPED_IDS,
    PADDING_IDS,
)
KINDS: Sequence[str] = tuple(dict.fromkeys(mistake.kind for mistake in MISTAKES))
_FEWEST_UNASKED = 100  # rows, from which on unrelated texts are told without asking
_MOST_ROUNDS = 3  # in which a fix may uncover another mistake
# Kinds that explain why texts fit no reference, and those that unrelated texts have anyway.
_EXPLAIN_UNRELATED = {"accents", "spaces", "marks", "case", "same_text", "script", "identical"}
_EXPLAINED_BY_UNRELATED = {"accents", "case", "marks", "length", "truncated"}
_EXPLAINED_BY_SCRIPT = {"accents", "case", "marks"}


class _Rewriter(ast.NodeTransformer):
    """Puts an expression in the place of the name `text`."""

    def __init__(self, expression: ast.expr) -> None:
        self._expression = expression

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._expression if node.id == "text" else node


def compose(first: str, second: str) -> str:
    """Return the expression that applies a second one to what a first one makes.

    >>> compose("text.strip()", "text.replace('a', text[0])")
    "text.strip().replace('a', text.strip()[0])"
    """
    inner = ast.parse(first, mode="eval").body
    outer = ast.parse(second, mode="eval")
    return ast.unparse(_Rewriter(inner).visit(outer))


def find_mistakes(pairs: Pairs, advance: Callable[[], object] | None = None) -> list[Found]:
    """Find all mistakes in texts, each after those before it are undone.

    Args:
        pairs: the texts, which are changed.
        advance: called after each family.

    >>> pairs = Pairs(["lo@@ wer", "a new@@ er day"], [["lower"], ["a newer day"]])
    >>> [(found.kind, found.rows, found.code) for found in find_mistakes(pairs)]
    [('subwords', [0, 1], "re.sub('(?<=[^\\\\\\\\s@])@@(?: |$)', '', text)")]
    """
    report = advance or (lambda: None)
    findings: list[Found] = []
    if pairs.type_ == "ids":
        for test in ID_TESTS:
            findings += test.find(pairs)
        return findings
    if pairs.type_ == "tokens":
        for _ in range(_MOST_ROUNDS):
            if not _run_forms(pairs, findings):
                break
        return findings
    # 1. Which row belongs to which? Equal texts fit everything.
    _add(findings, _find_identical(pairs))
    are_equal = any(found.where == "predictions" for found in findings)
    if pairs.is_asked and not are_equal:
        _add(findings, align(pairs))
        report()
    # 2. Undo what stands around texts, in them, and how they are written; look again at what that
    #    uncovers.
    for _ in range(_MOST_ROUNDS):
        is_new = _run_forms(pairs, findings)
        report()
        for sign in SIGNS:
            if sign.mistake.kind not in {found.kind for found in findings} and (
                pairs.is_asked or not sign.mistake.is_quiet
            ):
                is_new |= _add(findings, find_sign(pairs, sign))
        report()
        if not is_new:
            break
    # 3. Rows by themselves.
    for test in ROW_TESTS:
        _add(findings, test.find(pairs))
    report()
    # 4. Ratios, and unrelated texts, without the rows that are explained.
    if not any(pairs.is_open):
        return findings
    for ratio in RATIOS:
        kinds = {found.kind for found in findings}
        if ratio.mistake is LENGTH and "truncated" in kinds:
            continue  # one sentence per cause
        if ratio.mistake.kind not in kinds:
            _add(findings, find_ratio(pairs, ratio))
    found_kinds = {found.kind for found in findings}
    if "script" in found_kinds:
        findings = [found for found in findings if found.kind not in _EXPLAINED_BY_SCRIPT]
    is_suspected = pairs.may_be_unrelated and not found_kinds & _EXPLAIN_UNRELATED
    if is_suspected and _add(findings, _find_unrelated_texts(pairs)):
        findings = [found for found in findings if found.kind not in _EXPLAINED_BY_UNRELATED]
    report()
    return findings


def find_kinds(pairs: Pairs, kinds: Collection[str]) -> list[Found]:
    """Find mistakes of some kinds, which need neither other rows nor an order of rows.

    Args:
        pairs: the texts, which are changed.
        kinds: the kinds of forms, signs, ratios and tests of rows that are looked for.

    >>> pairs = Pairs(["a cat</s>", "a dog"], [["a cat"], ["a dog"]])
    >>> [(found.kind, found.rows) for found in find_kinds(pairs, ["special_tokens", "quotes"])]
    [('special_tokens', [0])]
    """
    findings: list[Found] = []
    for form in (*FORMS, *LATER_FORMS):
        if any(mistake.kind in kinds for mistake in form.list_mistakes()):
            found = find_form(pairs, form)
            _add(findings, (each for each in found if each.kind in kinds))
    for sign in SIGNS:
        if sign.mistake.kind in kinds:
            _add(findings, find_sign(pairs, sign))
    for test in ROW_TESTS:
        if test.mistake.kind in kinds:
            _add(findings, test.find(pairs))
    for ratio in RATIOS:
        if ratio.mistake.kind in kinds:
            _add(findings, find_ratio(pairs, ratio))
    return findings


def find_residues(pairs: Pairs) -> list[Found]:
    """Find what no text has, in texts that are each other's references."""
    findings: list[Found] = []
    for residue in RESIDUES:
        if residue.is_possible(pairs):
            _add(findings, find_residue(pairs, residue))
    return findings


def _run_forms(pairs: Pairs, findings: list[Found]) -> bool:
    """Run the families of forms, ends and residues, and return True if anything was found."""
    is_new = _add(findings, find_residues(pairs))
    for form in FORMS:
        if form.is_possible(pairs):
            is_new |= _add(findings, find_form(pairs, form))
    if pairs.type_ not in AFFIXES.types:
        return is_new
    is_new |= _add(findings, find_affixes(pairs))
    for form in LATER_FORMS:
        if form.is_possible(pairs):
            is_new |= _add(findings, find_form(pairs, form))
    return is_new


def _add(findings: list[Found], found: Iterable[Found]) -> bool:
    """Add findings; one of the same kind on the same side becomes a further step of the first."""
    is_new = False
    for each in found:
        same = next(
            (
                earlier
                for earlier in findings
                if (earlier.kind, earlier.where, earlier.is_question)
                == (each.kind, each.where, each.is_question)
            ),
            None,
        )
        if same is None:
            findings.append(each)
            is_new |= not each.is_question
            continue
        if same.fix is None or each.fix is None or each.is_question:
            continue
        if same.fix.steps and each.fix.steps:
            if each.code != same.code:
                same.code = compose(same.code, each.code)
            same.fix.steps += each.fix.steps
            same.rows = sorted({*same.rows, *each.rows})
            same.is_told |= each.is_told
            same.gain += each.gain
            is_new = True
    return is_new
