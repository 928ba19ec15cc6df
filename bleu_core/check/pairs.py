"""The texts that `check` looks at, how well two texts fit, and which rows belong together.

The other files of this folder take `Pairs` and return `Found`. `Pairs` changes while mistakes are
undone; its `describe` makes the sentence of a finding.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..options.options import Options
from ..shared.arrays import STRINGS, Float64, InputType, Int64, SystemName
from ..shared.messages import show_value

Side = Literal["predictions", "references"]
Undo = Callable[[str], str]
SIDES: tuple[Side, Side] = ("predictions", "references")
OTHER_SIDE: dict[Side, Side] = {"predictions": "references", "references": "predictions"}
# This share of the rows, compared with the other side, shows that a mark is text.
MEANT_SHARE = 1 / 3
SHOW_ROWS = "[*zip(predictions, references)][:3]"  # the line to write if the cause is not certain
# Scripts whose words are not separated: Thai, Lao, Burmese, Khmer, kana and Han.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Found:
    """A kind of mistake on one side of the texts of a system.

    places: the texts that have it, by their indices on this side.
    rows: the segments of these texts.
    says: a sentence about them, without a period.
    fix: the line to write.
    example: the first place, between ⟦ and ⟧.
    undo: the inverse of the mistake, for each of the texts; None if `fixed` does not apply it.
    undone: these texts after it, while mistakes are looked for.
    leaves_out: True if `fixed` leaves these references out.
    alike: the function that writes all columns alike, for a way of writing.
    pairing: per segment, the segment of its prediction, or -1; None if no segment has moved.
    is_told: True if `compute` warns of it.
    system: the name of the system.
    """

    kind: str
    side: Side
    places: Sequence[int]
    rows: list[int]
    says: str
    fix: str
    example: str = ""
    undo: Undo | None = None
    undone: Mapping[int, str] | None = None
    leaves_out: bool = False
    alike: Undo | None = None
    pairing: Sequence[int] | None = None
    is_told: bool = True
    system: SystemName = ""

    @property
    def is_bare(self) -> bool:
        """True if `fixed` applies it without its name."""
        return self.undo is not None or self.leaves_out

    @property
    def can_be_fixed(self) -> bool:
        """True if `fixed` applies it, by its name at least."""
        return self.is_bare or self.alike is not None or self.pairing is not None


class Pairs:
    """The predictions and references of a system, as flat lists of text.

    Args:
        predictions: one text per segment.
        references: the texts of all segments.
        bounds: the offset of each segment's references, and their number.
        options: the options of the call.
        kind: the type of the texts.
        names: the name of each segment's texts in messages, such as `"{side}[3]{reference}"`; None
            for 0, 1, 2, …
        is_asked: False in the look, which compares fewer texts.

    >>> pairs = Pairs(["a cat", "a dog"], ["A cat", "one cat", "A dog"], [0, 2, 3])
    >>> pairs.list_partners("predictions", 0), pairs.list_partners("references", 2)
    (['A cat', 'one cat'], ['a dog'])
    >>> pairs.search("references", "^A ")
    [0, 2]
    """

    def __init__(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        bounds: Sequence[int] | Int64,
        options: Options | None = None,
        *,
        kind: InputType = "text",
        names: Sequence[str] | None = None,
        is_asked: bool = True,
    ) -> None:
        self.options = options or Options()
        self.kind = kind
        self.is_asked = is_asked
        self._names = names
        self.texts: dict[Side, list[str]] = {
            "predictions": list(predictions),
            "references": list(references),
        }
        self._bounds = np.asarray(bounds).tolist()
        self.rows_of: dict[Side, Sequence[int]] = {
            "predictions": range(len(predictions)),
            "references": np.repeat(np.arange(len(predictions)), np.diff(bounds)).tolist(),
        }
        self._known: dict[tuple[str, Side], Any] = {}  # columns and samples
        self._places: dict[tuple[str, Side], tuple[int, list[int]]] = {}  # as of a length of:
        self._changed: dict[Side, list[int]] = {side: [] for side in SIDES}

    def __len__(self) -> int:
        return len(self.texts["predictions"])

    def list_partners(self, side: Side, place: int) -> list[str]:
        """Return the texts that a text is scored with."""
        if side == "references":
            return [self.texts["predictions"][self.rows_of[side][place]]]
        return self.texts["references"][self._bounds[place] : self._bounds[place + 1]]

    def change(self, side: Side, changed: Mapping[int, str]) -> None:
        """Replace some texts."""
        for place, text in changed.items():
            self.texts[side][place] = text
        self._changed[side] += changed
        self._known = {key: value for key, value in self._known.items() if key[1] != side}

    def sample(self, side: Side) -> str:
        """Return the beginnings of evenly spaced texts, one per line."""
        return self._know(
            "sample",
            side,
            lambda: "\n".join(text[:500] for text in spread(self.texts[side], 400)),
        )

    def count_letters(self, side: Side) -> Int64:
        """Return the characters of each text but spaces: int64 [texts]."""
        column = self.column(side)
        letters = pc.subtract(pc.utf8_length(column), pc.count_substring(column, " "))
        return letters.to_numpy().astype(np.int64)

    def column(self, side: Side) -> pa.Array:
        """Return the texts of a side as an array."""
        return self._know("column", side, lambda: pa.array(self.texts[side], STRINGS))

    def _know(self, name: str, side: Side, make: Callable[[], Any]) -> Any:
        """Return what is made of a side, once until it changes."""
        if (name, side) not in self._known:
            self._known[name, side] = make()
        return self._known[name, side]

    def search(self, side: Side, pattern: str, signs: Sequence[str] = ("",)) -> list[int]:
        """Return the texts with a match of a pattern in RE2's syntax, by their indices.

        Each text with a match has one of the signs; without any, a character beyond ASCII.
        """
        texts = self.texts[side]
        is_large = self._know("size", side, lambda: sum(map(len, texts))) > 20_000  # characters
        time, places = self._places.get((pattern, side), (None, []))
        changed = self._changed[side][time:]
        if time is None or changed:
            if (
                time is None
                or not is_large
                or any(re.search(pattern, texts[place]) for place in spread(changed, 400))
            ):
                search = self._search_column if is_large else self._search_texts
                places = search(side, pattern, signs)
            elif places:  # none of the texts that were changed, or of many, has a match
                places = sorted({*places} - {*changed})
            self._places[pattern, side] = len(self._changed[side]), places
        return places

    def _search_texts(self, side: Side, pattern: str, signs: Sequence[str]) -> list[int]:
        joined = self._know("joined", side, lambda: "\n".join(self.texts[side]))
        if not any(map(joined.__contains__, signs)) and (signs or joined.isascii()):
            return []
        matches = re.compile(pattern).search
        return [
            place
            for place, text in enumerate(self.texts[side])
            if (any(map(text.__contains__, signs)) if signs else not text.isascii())
            and matches(text)
        ]

    def _search_column(self, side: Side, pattern: str, signs: Sequence[str]) -> list[int]:
        # Each sign has bytes, and pairs of neighbors, that are looked for at once.
        seen = self._know("bytes", side, lambda: list_bytes(self.column(side)))
        octets = [sign.encode() for sign in signs]
        is_seen = any(seen.issuperset((*sign, *pairwise(sign))) for sign in octets)
        if not is_seen and (signs or seen.isdisjoint(range(0x80, 0x100))):
            return []
        matching = pc.match_substring_regex(self.column(side), pattern)
        return pc.indices_nonzero(matching).to_numpy().tolist()

    def share(self, side: Side, places: Sized) -> float:
        """Return the share of the texts of a side, 0 to 1."""
        return len(places) / max(1, len(self.texts[side]))

    @property
    def is_unspaced(self) -> bool:
        """True if most references are in a script that is written without spaces."""
        return self._know("unspaced", "references", lambda: is_unspaced(self.sample("references")))

    def fits_less(self, side: Side, new: Mapping[int, str]) -> bool:
        """Return True if texts fit their partners less after a change to `new`, by indices."""
        before = after = 0.0
        for place in spread(sorted(new), 60 if self.is_asked else 12):
            partners = self.list_partners(side, place)
            before += fit(self.texts[side][place], partners)
            after += fit(new[place], partners)
        return after < 0.99 * before  # a few n-grams of a mark may be shared by chance

    # --- What is found ---

    def name_place(self, side: Side, place: int) -> str:
        """Return a text in Python's notation, such as `references[3][1]`."""
        row = self.rows_of[side][place]
        is_one_of_several = side == "references" and self._bounds[row + 1] - self._bounds[row] > 1
        which = f"[{place - self._bounds[row]}]" if is_one_of_several else ""
        name = self._names[row] if self._names else f"{{side}}[{row}]{{reference}}"
        return name.format(side=side, reference=which)

    def count(self, side: Side) -> str:
        """Return the number of texts of a side, with a noun."""
        return f"{len(self.texts[side]):,} {side if self.is_asked else 'rows looked at'}"

    def describe(
        self,
        kind: str,
        side: Side,
        places: Sequence[int],
        says: str,
        fix: str,
        *,
        pattern: str = "",
        **fields: Any,
    ) -> Found:
        """Return what was found in texts.

        Args:
            kind, side: as in `Found`.
            places: the indices of the texts, at least one, ascending.
            says: the predicate of a sentence about the first of them.
            fix: the line to write.
            pattern: the pattern of what is marked in the example.
            **fields: other fields of `Found`.
        """
        sentence = f"{self.name_place(side, places[0])} {says}"
        if len(places) > 1:
            sentence += f", like {len(places):,} of {self.count(side)}"
        example = mark_place(self.texts[side][places[0]], pattern)
        return self.describe_all(kind, side, places, sentence, fix, example=example, **fields)

    def describe_all(
        self, kind: str, side: Side, places: Sequence[int], says: str, fix: str, **fields: Any
    ) -> Found:
        """Return what was found in a side as a whole; `says` is a sentence."""
        rows = sorted({self.rows_of[side][place] for place in places})
        return Found(kind, side, places, rows, says, fix, **fields)


Finder = Callable[[Pairs], Iterator[Found]]


def list_bytes(column: pa.Array) -> set[int | tuple[int, int]]:
    """Return the bytes in texts, and their pairs of neighbors.

    >>> sorted(map(str, list_bytes(pa.array(["aba"], STRINGS))))
    ['(97, 98)', '(98, 97)', '97', '98']
    """
    data = np.frombuffer(column.buffers()[2] or b"", np.uint8)
    is_seen = np.zeros(2**16, np.bool_)
    for start in range(0, len(data), 2**20):  # bytes, so that indices take little memory
        part = data[start : start + 2**20 + 1]
        is_seen[256 * part[:-1].astype(np.int64) + part[1:]] = True
    neighbors = {divmod(number, 256) for number in np.flatnonzero(is_seen).tolist()}
    return {*neighbors, *chain.from_iterable(neighbors), *data[:1].tolist()}


# --- How well texts fit ---------------------------------------------------------------------------


@lru_cache(maxsize=256)  # a text is compared before and after a fix
def list_grams(text: str) -> frozenset[str]:
    """Return the character 3-grams of the beginning of a text, without spaces, case and full width.

    >>> sorted(list_grams("A cat"))
    ['aca', 'cat']
    """
    letters = "".join(unicodedata.normalize("NFKC", text[:1000]).casefold().split())
    return frozenset(letters[start : start + 3] for start in range(max(1, len(letters) - 2)))


def fit(text: str, partners: Iterable[str]) -> float:
    """Return the largest Dice coefficient of the n-grams of a text and of one of its partners.

    >>> fit("a cat", ["A cat", "dogs"]), fit("a cat", [])
    (1.0, 0.0)
    """
    grams = list_grams(text)
    ratios = (
        2 * len(grams & other) / (len(grams) + len(other)) for other in map(list_grams, partners)
    )
    return max(ratios, default=0.0)


def undo_all(texts: Sequence[str], places: Iterable[int], undo: Undo) -> dict[int, str]:
    """Return the texts that an inverse changes, and does not empty, by their indices."""
    undone = {place: undo(texts[place]) for place in places}
    return {place: text for place, text in undone.items() if text and text != texts[place]}


# --- Samples and words ----------------------------------------------------------------------------


def spread(values: Sequence[_Value], count: int) -> list[_Value]:
    """Return at most `count` of the values, evenly spaced.

    >>> spread(range(10), 3)
    [0, 3, 6]
    """
    if len(values) <= count:
        return list(values)
    return [values[number * len(values) // count] for number in range(count)]


def is_unspaced(text: str) -> bool:
    """Return True if most of a text is in a script that is written without spaces."""
    return len(_UNSPACED.findall(text)) > 0.3 * len(text)


def mark_place(text: str, pattern: str = "") -> str:
    """Return the text around the first match of a pattern, which is put between ⟦ and ⟧.

    >>> mark_place("a cat</s>", "</s>"), mark_place("a cat")
    ('a cat⟦</s>⟧', '⟦a cat⟧')
    """
    match = re.search(pattern, text) if pattern else None
    start, end = match.span() if match else (0, 40)
    end = min(end, start + 40)
    return f"{text[max(0, start - 20) : start]}⟦{text[start:end]}⟧{text[end : end + 20]}"


def quote(text: str) -> str:
    """Write a text in a message, shortened."""
    return show_value(text if len(text) <= 40 else f"{text[:39]}…")


# --- Which row belongs to which -------------------------------------------------------------------

_MOST_PAIRS = 1_000_000  # of rows that are compared; each takes 100 bytes


def find_pairing(predictions: Sequence[str], references: Sequence[str]) -> Int64 | None:
    """Return the row of the prediction of each row of references, which are joined; -1 for none.

    None, if hardly any prediction fits another row better than its own.

    >>> texts = [f"the cat {row} sat on mat {row * 7} in town {row * 13}" for row in range(20)]
    >>> find_pairing([*texts[:5], *texts[6:], ""], texts).tolist()[:8]
    [0, 1, 2, 3, 4, -1, 5, 6]
    """
    # 1. In a long file, rows only move where neighbors hardly fit their own references.
    size = len(predictions)
    rows = np.arange(size)
    if size > 4000:
        probed = spread(range(size), 400)
        fits = np.array([fit(predictions[row], [references[row]]) for row in probed])
        if np.convolve(fits < 0.5 * np.median(fits), np.full(12, 1 / 12)).max() < 0.5 < fits.max():
            return None
    # 2. The predictions that fit another row clearly better than their own.
    own, best = np.zeros((2, size))
    target, source = np.zeros((2, size), np.int64)
    left, right, fits = compare_rows(predictions, references)
    own[left[left == right]] = fits[left == right]
    order = np.argsort(-fits, kind="stable")[::-1]  # the best last: it is kept
    best[left[order]] = fits[order]
    target[left[order]] = right[order]
    source[right[order]] = left[order]
    copies = Counter(predictions)
    is_away = best > 1.3 * own + 0.08
    is_away &= np.array([copies[text] <= 2 and len(text) > 12 for text in predictions])
    # 3. They must be nearer by their characters, too, to different rows, and neighbors or many.
    away = np.flatnonzero(is_away)
    nearer = [
        [fit(predictions[row], [references[place]]) for place in (row, target[row])]
        for row in spread(away.tolist(), 60)
    ]
    before, after = np.sum(nearer, axis=0) if len(nearer) >= 3 else (1, 0)
    losses = sum(first > second for first, second in nearer)
    is_steady = (np.diff(target[away] - away) == 0) & (np.diff(away) < 8)
    is_many = is_steady.sum() >= 2 or len(away) >= max(8, 0.05 * size)
    are_different = len(set(target[away].tolist())) > 0.75 * len(away)
    if after < 1.5 * before or losses > len(nearer) / 5 or not (is_many and are_different):
        return None
    # 4. Rows that fit each other best belong together. Others keep their own, or follow neighbors.
    pairing = np.full(size, -1)
    is_mutual = is_away & (source[target] == rows) & (best > 0.1)
    pairing[target[is_mutual]] = rows[is_mutual]
    taken = set(pairing.tolist())

    def take(row: int, wanted: int) -> None:
        if pairing[row] < 0 and 0 <= wanted < size and wanted not in taken:
            pairing[row] = wanted
            taken.add(wanted)

    for row in rows[~is_away & (own > 0.05)].tolist():
        take(row, row)
    for step in (1, -1):
        for row in range(size)[::step]:
            if 0 <= row - step < size and pairing[row - step] >= 0:
                take(row, int(pairing[row - step]) + step)
    return pairing


def compare_rows(
    predictions: Sequence[str], references: Sequence[str]
) -> tuple[Int64, Int64, Float64]:
    """Return the rows of predictions and of references that share rare words, and their fits.

    A fit is the cosine of the rare words, in which a word weighs more the fewer rows have it.

    >>> rows, places, fits = compare_rows(["a cat", "a dog"], ["a dog", "a cat"])
    >>> rows.tolist(), places.tolist(), fits.round(2).tolist()
    ([0, 0, 1, 1], [0, 1, 0, 1], [0.28, 1.0, 1.0, 0.28])
    """
    # 1. Number the words of both sides.
    size = len(predictions)
    (rows, own_words), (places, their_words) = map(list_words, (predictions, references))
    joined = pa.chunked_array([own_words, their_words]).unify_dictionaries()
    words, others = (chunk.indices.to_numpy() for chunk in joined.chunks)
    # 2. A word is rare if few pairs of rows share it: all these pairs are compared.
    asked, found = (
        np.bincount(side, minlength=len(joined.chunk(0).dictionary)) for side in (words, others)
    )
    shared = np.cumsum(np.bincount(found, found * asked))
    limit = int(np.searchsorted(shared, min(40 * size, _MOST_PAIRS)))
    is_rare = found <= max(3, min(limit, 0.2 * size))
    # 3. Scale the weights of words by the norms of all words of a row.
    squares = np.log1p(size / np.maximum(1, found)) ** 2
    own, theirs = (
        np.sqrt(np.bincount(row, squares[word], size))
        for row, word in ((rows, words), (places, others))
    )
    # 4. Pair each rare word of a prediction with its places, which are sorted by word.
    rows, words = rows[is_rare[words]], words[is_rare[words]]
    counts = found[words]
    each = np.repeat(np.arange(len(words)), counts)
    first = (np.cumsum(found) - found)[words] - (np.cumsum(counts) - counts)
    places = places[np.argsort(others, kind="stable")][np.arange(len(each)) + first[each]]
    # 5. Sum over the words that two rows share.
    pairs, pair = np.unique(rows[each] * size + places, return_inverse=True)
    rows, places = np.divmod(pairs, size)
    return rows, places, np.bincount(pair, squares[words[each]]) / (own[rows] * theirs[places])


def list_words(texts: Sequence[str]) -> tuple[Int64, pa.DictionaryArray]:
    """Return the different words of all texts, behind the index of the text of each."""
    places: list[Int64] = []
    words: list[pa.DictionaryArray] = []
    for start in range(0, len(texts), 5_000):  # all words at once take 1 kB per text
        written = map(join_words, texts[start : start + 5_000])
        lists = pc.split_pattern(pa.array(written, STRINGS), " ")
        places.append(pc.list_parent_indices(lists).to_numpy() + start)
        words.append(pc.list_flatten(lists).dictionary_encode())
    joined = pa.chunked_array(words).unify_dictionaries().combine_chunks()
    is_word = joined.indices.to_numpy() != joined.dictionary.index("").as_py()
    return np.concatenate(places)[is_word], joined.filter(is_word)


def join_words(text: str) -> str:
    """Join the different words of a text, or its different pairs of characters, by spaces.

    >>> join_words("A cat, a dog")
    'a cat dog'
    """
    letters = text[:1000].lower()
    if is_unspaced(letters):
        return " ".join(dict.fromkeys(map("".join, pairwise("".join(letters.split())))))
    return " ".join(dict.fromkeys(re.findall(r"\w+", letters)))
