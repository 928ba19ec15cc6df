"""What is measured beside the kinds of damages: amounts, lengths, marks, scripts, rows.

To add one, write a function, and list it in `MEASURES`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import chain

import numpy as np

from ..rules.chosen_tokenizer import choose_tokenizer
from ..shared.arrays import InputType
from .kinds import count_signs, find_typography, find_writing
from .pairs import (
    MEANT_SHARE,
    OTHER_SIDE,
    SHOW_ROWS,
    SIDES,
    Finder,
    Found,
    Pairs,
    Side,
    find_pairing,
    fit,
    is_unspaced,
    quote,
    spread,
)

# --- Empty, equal and repeated texts --------------------------------------------------------------

_NO_TEXTS = {
    "nan", "none", "null", "n/a", "#n/a", "<na>", "undefined", "[]", "{}", "todo", "[missing]",
    "???", "n.a.", "#name?", "-", "…", ".", "...", "error", "[empty]",
}  # fmt: skip


def find_empty(pairs: Pairs) -> Iterator[Found]:
    """Find texts without characters, and words that stand for no text."""
    for side in SIDES:
        texts = pairs.texts[side]
        # 1. Empty texts with a partner; empty references beside others are left out.
        blank = [
            place
            for place, text in enumerate(texts)
            if not text.strip() and any(map(str.strip, pairs.list_partners(side, place)))
        ]
        beside = [
            place
            for place in blank
            if side == "references"
            and any(map(str.strip, pairs.list_partners("predictions", pairs.rows_of[side][place])))
        ]
        alone = sorted({*blank} - {*beside})
        if beside:
            yield pairs.describe(
                "empty",
                side,
                beside,
                "is empty, and other references of its row are not",
                "[[text for text in row if text.strip()] for row in references]",
                leaves_out=True,
            )
        if alone:
            yield pairs.describe(
                "empty",
                side,
                alone,
                "is empty",
                f"[row for row, text in enumerate({side}) if not text.strip()]",
                is_told=len(alone) > 0.005 * len(texts),
            )
        # 2. Words for no text, if the partner is another one.
        words = [
            place
            for place, text in enumerate(texts)
            if len(text) < 12 and text.strip().lower() in _NO_TEXTS
            if not _NO_TEXTS & {other.strip().lower() for other in pairs.list_partners(side, place)}
        ]
        if len(words) > max(1, 0.005 * len(texts)):
            yield pairs.describe(
                "same_text",
                side,
                words,
                f"is {quote(texts[words[0]])}, which stands for no text",
                f"frame['{side}'].fillna('')",
            )


def find_same_text(pairs: Pairs) -> Iterator[Found]:
    """Find one text in a fifth of the rows."""
    most = {side: Counter(pairs.texts[side]).most_common(1)[0] for side in SIDES}
    for side in SIDES:
        text, number = most[side]
        share = number / len(pairs.texts[side])
        rival = most[OTHER_SIDE[side]][1] / len(pairs.texts[OTHER_SIDE[side]])
        is_text = text.strip() and text.strip().lower() not in _NO_TEXTS
        if is_text and number > 2 and share > 0.2 and rival < MEANT_SHARE * share:
            yield pairs.describe(
                "same_text",
                side,
                [place for place, each in enumerate(pairs.texts[side]) if each == text],
                "is the same text as others",
                f"collections.Counter({side}).most_common(3)",
            )


def find_identical(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that equal their references; short ones do so by chance."""
    texts = pairs.texts["predictions"]
    rows = pairs.rows_of["references"]
    places = sorted(
        {row for row, text in zip(rows, pairs.texts["references"]) if text == texts[row]}
    )
    least = (4 if pairs.is_unspaced else 18) * len(places)  # characters
    if (
        len(places) > max(3, 0.9 * len(texts))
        and sum(len(texts[place]) for place in places) > least
        and len(set(texts)) > 2
    ):
        yield pairs.describe(
            "identical",
            "predictions",
            places,
            "equals its reference",
            "predictions == references",
        )


def is_loop(text: str) -> bool:
    """Return True if a text, or its end, repeats few words or characters.

    >>> is_loop("and then " * 9), is_loop("A text that does not repeat its words at all.")
    (True, False)
    """
    tail = text[-400:]
    last = text.rsplit(maxsplit=24)[-24:]
    is_sentence = len(last) >= 6 and len(set(last)) > 0.6 * len(last)
    if is_sentence or len(tail) < 40:
        return False
    words = text.split()
    grams = {tail[start : start + 4] for start in range(len(tail) - 3)}
    are_few = len(last) >= 6 and 4 * len(set(last)) <= len(last)
    are_few |= len(words) >= 6 and 5 * len(set(words)) <= len(words)
    return are_few or len(set(tail[-30:])) <= 2 or len(grams) < 0.3 * len(tail) > 18


def find_loops(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that repeat themselves."""
    places = [
        place
        for place, text in enumerate(pairs.texts["predictions"])
        if len(text) > 20 and is_loop(text)
        if not any(map(is_loop, pairs.list_partners("predictions", place)))
    ]
    if places:
        yield pairs.describe(
            "loops",
            "predictions",
            places,
            "repeats itself",
            "model.generate(ids, repetition_penalty=1.1)",
            is_told=len(places) > 0.01 * len(pairs),
        )


# --- Lengths --------------------------------------------------------------------------------------


def find_length(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that are too short or too long, in all or in single rows."""
    # 1. The length of each prediction, and of the reference nearest to it.
    texts = pairs.texts["predictions"]
    own, theirs = (pairs.count_letters(side) for side in SIDES)
    rows = np.array(pairs.rows_of["references"])
    order = np.lexsort((np.abs(theirs - own[rows]), rows))
    _, firsts = np.unique(rows, return_index=True)
    nearest = theirs[order][firsts]
    written, total = own.sum(), nearest.sum()
    # 2. All together, below 0.6 or above 1.5; real outputs have 0.7 to 1.4.
    if len(texts) >= 5 and total > 50 and not 0.6 < written / total < 1.5:
        places = np.flatnonzero((own < nearest) == (written < total)).tolist()
        says = f"The predictions have {written / total:.0%} of the characters of the references"
        yield pairs.describe_all("length", "predictions", places, says, SHOW_ROWS)
        return
    # 3. Many rows that are much shorter, or longer, than their references; or some by three times.
    for factor, least in ((1.7, 0.2), (3, 0.01)):
        short = np.flatnonzero((nearest > 40) & (own > 0) & (own * factor < nearest)).tolist()
        long = np.flatnonzero((own > 40) & (nearest > 0) & (nearest * factor < own)).tolist()
        long = [place for place in long if not is_loop(texts[place])]
        few, many = sorted((short, long), key=len)
        if len(many) > max(1, least * len(texts), 4 * len(few) if factor < 3 else 0):
            says = f"has {own[many[0]]} characters, and its reference {nearest[many[0]]}"
            yield pairs.describe(
                "length",
                "predictions",
                many,
                says,
                SHOW_ROWS,
                is_told=len(many) > max(2, 0.05 * len(texts)),
            )
            return


_ENDED = re.compile("[.!?…。！？،؛؟।॥۔:;\"'”’»」』)\\]]\\s*$")


def find_cut(pairs: Pairs) -> Iterator[Found]:
    """Find many texts of exactly the greatest length that lack the end of a sentence."""
    for side in SIDES:
        texts = pairs.texts[side]
        for unit, least, measure in (
            ("characters", 20, len),
            ("words", 8, lambda text: len(text.split())),
        ):
            # A sample shows if many texts can have the greatest length.
            sizes = list(map(measure, spread(texts, 2000)))
            if sizes.count(max(sizes)) + sizes.count(max(sizes) - 1) < 0.1 * len(sizes):
                continue
            sizes = list(map(measure, texts))
            most = max(sizes)
            places = [place for place, size in enumerate(sizes) if size >= most - (least == 20)]
            longer = [
                place
                for place in places
                if any(measure(other) > 1.2 * most for other in pairs.list_partners(side, place))
            ]
            ended = sum(bool(_ENDED.search(texts[place])) for place in longer)
            others = [any(map(_ENDED.search, pairs.list_partners(side, p))) for p in longer]
            is_cut = len(longer) > max(3, 0.2 * len(texts)) and ended < 0.4 * sum(others)
            if most >= least and is_cut:
                yield pairs.describe(
                    "length",
                    side,
                    places,
                    f"is cut: no text has more than {most} {unit}",
                    "model.generate(ids, max_new_tokens=512)",
                )
                return


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
    scripts = Counter(map(name_script, filter(str.isalpha, text)))
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
    """Find texts in a script written without spaces, under a tokenizer that splits at them."""
    tokenizer = choose_tokenizer(pairs.options, "text")
    sample = pairs.sample("references")
    splits_unspaced = tokenizer.definition is None or tokenizer.definition.splits_unspaced
    if splits_unspaced or not any(map(is_unspaced, sample.split("\n"))):
        return
    places = [
        place
        for place, text in enumerate(pairs.texts["references"])
        if is_unspaced(text) and 6 * text.count(" ") <= len(text)
    ]
    share = pairs.share("references", places)
    if share < 0.1:
        return
    han = "zh" if re.search("[\u3400-\u9fff]", sample) else "char"
    name = "ja-mecab" if re.search("[\u3040-\u30ff]", sample) else han
    yield pairs.describe(
        "spaces",
        "references",
        places,
        f"is written without spaces, at which tokenize={tokenizer.name!r} splits",
        f"tokenize={name!r}" if share > 0.9 else f"by=languages, tokenize={{language: {name!r}}}",
    )


# --- Rows -----------------------------------------------------------------------------------------


def find_moved(pairs: Pairs) -> Iterator[Found]:
    """Find rows whose predictions fit other references."""
    joined = [" ".join(pairs.list_partners("predictions", row)[:4]) for row in range(len(pairs))]
    pairing = find_pairing(pairs.texts["predictions"], joined)
    if pairing is None:
        return
    rows = np.arange(len(pairing))
    moved = np.flatnonzero(pairing != rows).tolist()
    offsets = Counter((rows - pairing)[(pairing >= 0) & (pairing != rows)].tolist())
    further = " and ".join(
        f"{abs(offset):,} row{'s' * (abs(offset) > 1)} {'further on' if offset > 0 else 'before'}"
        for offset, _ in offsets.most_common(3)
    )
    says = (
        f"From {pairs.name_place('predictions', moved[0])} on,"
        f" the predictions fit the references {further}"
    )
    is_ascending = np.mean(np.diff(pairing[pairing >= 0]) > 0) > 0.97
    if not is_ascending:
        says = (
            "The predictions are in another order:"
            f" {len(moved):,} of {pairs.count('predictions')} fit another row"
        )
    usual = sum(number for _, number in offsets.most_common(3)) / max(1, offsets.total())
    if usual > 0.7 or (offsets and not is_ascending):
        yield pairs.describe_all(
            "moved",
            "predictions",
            moved,
            says,
            "frame.merge(references, on='id')",
            pairing=pairing,
        )


def find_copies(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that stand in several rows: one row per reference, or rows written twice."""
    texts = pairs.texts["predictions"]
    size = len(texts)
    first_row: dict[str, int] = {}
    first_of = [first_row.setdefault(text, row) for row, text in enumerate(texts)]
    partners = partial(pairs.list_partners, "predictions")
    again = [
        (row, first)
        for row, first in enumerate(first_of)
        if row > first and partners(row) != partners(first)
    ]
    if len(again) <= max(3, 0.01 * size) or len({first for _, first in again}) < 3:
        return
    # 1. How well copies fit their own references, the first one its own, and copies any others.
    sample = spread(again, 60)
    copies = sum(fit(texts[row], partners(row)) for row, _ in sample)
    firsts = sum(fit(texts[first], partners(first)) for _, first in sample)
    others = sum(fit(texts[row], partners((row + 7) % size)) for row, _ in sample)
    # 2. All fit, and copies are beside each other, or the whole list comes again: one input.
    rows = [row for row, _ in again]
    is_nearby = sum(row - first < 8 for row, first in again) > 0.8 * len(again)
    is_again = all(first == row % len(first_row) for row, first in enumerate(first_of))
    are_inputs = len(rows) > 0.3 * size and (is_nearby or is_again)
    if are_inputs and copies > max(0.5 * firsts, 1.3 * others):
        yield pairs.describe_all(
            "flattened",
            "predictions",
            rows,
            f"{size:,} rows have {len(first_row):,} different predictions, with other references"
            " each time. If these are references of one input, group them",
            "frame.groupby('prediction', sort=False)['reference'].agg(list)",
        )
    elif copies < max(0.7 * firsts, 1.2 * others) and sum(len(texts[row]) for row in rows) > (
        40 * len(rows)  # characters; a model of captions says the same of several pictures
    ):
        yield pairs.describe(
            "repeated",
            "predictions",
            rows,
            f"equals {pairs.name_place('predictions', again[0][1])}, and fits its references less",
            "predictions[:len(dataset)]",
            is_told=len(rows) > 0.03 * size,
        )


def find_unrelated(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that fit their references no better than those of other rows."""
    texts = pairs.texts["predictions"]
    least = 8 if pairs.is_unspaced else 20  # characters; short answers are often paraphrased
    rows = [row for row in spread(range(len(pairs)), 200) if len(texts[row].strip()) > least]
    if len(rows) < 12 or len({texts[row] for row in rows}) < 0.5 * len(rows):
        return
    # How much better each prediction fits its own references than those of two other rows.
    more = np.zeros(len(rows))
    for place, row in enumerate(rows):
        own, *others = (
            fit(texts[row], pairs.list_partners("predictions", (row + far) % len(pairs)))
            for far in (0, 1 + 6 % (len(pairs) - 1), 1 + 11 % (len(pairs) - 1))
        )
        more[place] = own - max(others)
    if more.mean() < max(0.02, 2 * more.std() / len(rows) ** 0.5):
        yield pairs.describe_all(
            "unrelated",
            "predictions",
            range(len(pairs)),
            "The predictions fit their references no better than those of other rows",
            "[*zip(sources, predictions, references)][:3]",
            is_told=len(rows) >= 50,
        )


# --- All of them, which follow the damages that are undone ----------------------------------------

MEASURES: dict[InputType, Sequence[Finder]] = {
    **dict.fromkeys(("tokens", "ids"), (find_empty, find_same_text, find_loops, find_length)),
    "text": (
        find_empty,
        find_same_text,
        find_loops,
        find_length,
        find_marks,
        find_script,
        find_writing,
        find_unspaced,
        find_cut,
        find_typography,
    ),
}
