"""Measurements of `check` beside the damages of single texts: marks, amounts, scripts.

`find_mistakes` undoes the damages of the table, measures what is left, and compares rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from .bleu_alignment import find_rows
from .bleu_mistakes import (
    DAMAGES,
    DAMAGES_OF_TOKENS,
    UNSIGNED_IDS,
    Finder,
    count_signs,
    find_labels,
    find_typography,
    find_writing,
    sub,
)
from .bleu_pairs import MEANT, OTHER, SIDES, Found, Pairs, Side, quote, spread, undo_all
from .bleu_tokenizers import choose_tokenizer

# Kinds of mistakes, in the order of the documents.
KINDS = (
    "special_tokens", "reasoning", "subwords", "spaces", "wrapped", "records", "labels", "markup",
    "escapes", "entities", "mojibake", "invisible", "normalization", "marks", "empty", "same_text",
    "identical", "loops", "length", "script", "writing", "typography", "moved", "repeated",
    "flattened", "unrelated",
)  # fmt: skip

_COMPARE = "[*zip(predictions, references)][:3]"  # the line to write if the cause is not certain


# --- Marks that one side has ----------------------------------------------------------------------

_ODD_MARK = r"<[^<>\s]{1,24}>|\[[^\[\]\s]{1,24}\]|\{[^{}\s]{1,24}\}|[♪♫⁇█�␣]|#NAME\?|\bunk\b"
_LOST = re.compile(r"�|⁇|<{1,2}unk(?:nown)?>{1,2}|\[unk\]|unk", re.IGNORECASE)


def find_marks(pairs: Pairs) -> Iterator[Found]:
    """Find marks in brackets and odd signs that texts of one side have, and none of the other."""
    marks_of: dict[Side, dict[int, set[str]]] = {}
    for side in SIDES:
        places = pairs.search(side, _ODD_MARK, (*"<[{♪♫⁇█�␣", "#NAME?", "unk"))
        texts = (re.sub(r"\d+", "0", pairs.texts[side][place]) for place in places)
        marks_of[side] = {
            place: set(re.findall(_ODD_MARK, text)) for place, text in zip(places, texts)
        }
    for side in SIDES:
        # 1. Brackets of a form that the other side has as well are text, such as code.
        own = Counter(chain.from_iterable(marks_of[side].values()))
        others = set().union(*marks_of[OTHER[side]].values())
        meant = [
            sign
            for sign in "<[{"
            if len(pairs.search(OTHER[side], re.escape(sign), (sign,)))
            > MEANT * sum(number for mark, number in own.items() if mark[0] == sign)
        ]
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
            f"contains {quote(mark[0] if mark else first)}, unlike the {OTHER[side]}",
            fix,
            pattern=pattern,
            is_told=bool(lost) or pairs.share(side, places) > 0.05,
        )


def find_strange_letters(pairs: Pairs) -> Iterator[Found]:
    """Find letters beyond ASCII, half of which the other side never has: another encoding."""
    letters = {
        side: Counter(
            {
                sign: number
                for sign, number in count_signs(pairs.sample(side)).items()
                if "\x7f" < sign < "\u3000" and sign.isalpha()
            }
        )
        for side in SIDES
    }
    for side in SIDES:
        strange = Counter({s: n for s, n in letters[side].items() if s not in letters[OTHER[side]]})
        is_most = strange.total() > max(20, 0.5 * letters[side].total())
        if is_most and letters[OTHER[side]].total() > 20:
            shown = " ".join(sign for sign, _ in strange.most_common(5))
            places = pairs.search(side, f"[{''.join(strange)}]")
            yield pairs.describe(
                "mojibake",
                side,
                places,
                f"has letters that no text of the {OTHER[side]} has ({shown})",
                "open(path, encoding='utf-8')",
                pattern=f"[{shown}]+",
                is_told=pairs.share(side, places) > 0.1,
            )


# --- Empty, equal and repeated texts --------------------------------------------------------------

_NO_TEXTS = frozenset(
    [
        "nan",
        "none",
        "null",
        "n/a",
        "#n/a",
        "<na>",
        "undefined",
        "[]",
        "{}",
        "todo",
        "[missing]",
        "???",
        "n.a.",
        "#name?",
        "-",
        "…",
        ".",
        "...",
        "error",
        "[empty]",
    ]
)


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
            and any(map(str.strip, pairs.list_partners("predictions", pairs.row_of(side, place))))
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
            says = f"is {quote(texts[words[0]])}, which stands for no text"
            yield pairs.describe("same_text", side, words, says, f"frame['{side}'].fillna('')")


def find_same_text(pairs: Pairs) -> Iterator[Found]:
    """Find one text in a fifth of the rows."""
    most = {side: Counter(pairs.texts[side]).most_common(1)[0] for side in SIDES}
    for side in SIDES:
        text, number = most[side]
        share = number / len(pairs.texts[side])
        rival = most[OTHER[side]][1] / len(pairs.texts[OTHER[side]])
        is_text = text.strip() and text.strip().lower() not in _NO_TEXTS
        if is_text and number > 2 and share > 0.2 and rival < MEANT * share:
            places = [place for place, each in enumerate(pairs.texts[side]) if each == text]
            yield pairs.describe(
                "same_text",
                side,
                places,
                "is the same text as others",
                f"collections.Counter({side}).most_common(3)",
            )


def find_identical(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that equal their references; short ones do so by chance."""
    texts = pairs.texts["predictions"]
    places = [
        place
        for place, text in enumerate(texts)
        if text in pairs.list_partners("predictions", place)
    ]
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
    words = text.split()
    last = words[-24:]
    is_sentence = len(last) >= 6 and len(set(last)) > 0.6 * len(last)
    if is_sentence or len(tail) < 40:
        return False
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
    lengths = []
    for place, text in enumerate(texts):
        own, *others = (
            len(each.replace(" ", ""))
            for each in (text, *pairs.list_partners("predictions", place))
        )
        nearest = min(others, key=lambda other: abs(other - own), default=0)
        lengths.append((own, nearest))
    written, total = (sum(column) for column in zip(*lengths))
    # 2. All together, below 0.6 or above 1.5; real outputs have 0.7 to 1.4.
    if len(texts) >= 5 and total > 50 and not 0.6 < written / total < 1.5:
        places = [p for p, (n, other) in enumerate(lengths) if (n < other) == (written < total)]
        says = f"The predictions have {written / total:.0%} of the characters of the references"
        yield pairs.describe_all("length", "predictions", places, says, _COMPARE)
        return
    # 3. Many rows that are much shorter, or longer, than their references; or some by three times.
    for factor, least in ((1.7, 0.2), (3, 0.01)):
        short = [p for p, (n, other) in enumerate(lengths) if other > 40 and 0 < n * factor < other]
        long = [p for p, (n, other) in enumerate(lengths) if n > 40 and 0 < other * factor < n]
        long = [p for p in long if not is_loop(texts[p])]
        few, many = sorted((short, long), key=len)
        if len(many) > max(1, least * len(texts), 4 * len(few) if factor < 3 else 0):
            says = "has {} characters, and its reference {}".format(*lengths[many[0]])
            yield pairs.describe(
                "length",
                "predictions",
                many,
                says,
                _COMPARE,
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


# --- Scripts --------------------------------------------------------------------------------------

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
    signs = "".join(map(pairs.sample, SIDES))
    if len({name_script(sign) for sign in count_signs(signs) if sign.isalpha()}) < 2:
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
            _COMPARE,
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


# --- Token ids ------------------------------------------------------------------------------------


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
                    undo=sub(pattern),
                    undone=undo_all(pairs.texts[side], places, sub(pattern)),
                )


# --- All of them ----------------------------------------------------------------------------------

_MEASURES: Sequence[Finder] = (find_empty, find_same_text, find_loops, find_length)
_MEASURES_OF_TEXT: Sequence[Finder] = (
    find_marks,
    find_strange_letters,
    find_script,
    find_writing,
    find_unspaced,
    find_cut,
)
# Kinds that explain why most rows do not fit, or follow from it.
_EXPLAIN_ROWS = ("script", "same_text", "identical", "spaces", "records")
_EXPLAINED_BY_ROWS = ("length", "writing", "marks", "loops", "typography")


def find_mistakes(
    pairs: Pairs, advance: Callable[[], object] = lambda: None, *, may_have_moved: bool = True
) -> list[Found]:
    """Find the mistakes in texts; each is undone before the next one is looked for.

    Args:
        pairs: the texts, which are changed.
        advance: called after each part of the search.
        may_have_moved: True to compare predictions with the references of other rows.
    """
    if not any(pairs.texts["predictions"]) or not any(pairs.texts["references"]):
        return list(find_empty(pairs))
    damages: Sequence[Finder] = DAMAGES
    measures = [*_MEASURES, *_MEASURES_OF_TEXT, *[find_typography] * pairs.is_asked]
    if pairs.kind != "text":
        damages = DAMAGES_OF_TOKENS if pairs.kind == "tokens" else (UNSIGNED_IDS.find, find_padding)
        measures = [*_MEASURES]
    # 1. Undo damages until none is left, at most four times.
    found = list(find_identical(pairs))
    for _ in range(4):
        known = len(found)
        for find in damages:
            if find is find_labels and any(each.undo for each in found[known:]):
                break  # a form may be within another one: look for it first
            for each in list(find(pairs)):
                found.append(replace(each, undone=None))
                if each.undo and each.undone:
                    pairs.change(each.side, each.undone)
                elif each.kind == "records" and pairs.share(each.side, each.places) > 0.5:
                    return found  # the contents of a record are unknown
        advance()
        undone = [each for each in found[known:] if each.undo]
        if not undone:
            break
        pairs.changed = {
            side: [place for each in undone if each.side == side for place in each.places]
            for side in SIDES
        }
    # 2. Measure what is left; a text that most rows share explains the rest.
    for measure in measures:
        found += measure(pairs)
        if any(each.kind == "same_text" and len(each.rows) > 0.5 * len(pairs) for each in found):
            return found
    advance()
    # 3. Compare rows, unless something more certain explains them.
    explained = any(
        each.kind in _EXPLAIN_ROWS and not each.undo and pairs.share(each.side, each.places) > 0.3
        for each in found
    )
    rows = [] if explained else find_rows(pairs, may_have_moved=may_have_moved)
    advance()
    if any(each.kind in ("moved", "unrelated") for each in rows):
        found = [each for each in found if each.undo or each.kind not in _EXPLAINED_BY_ROWS]
    return [*rows, *found]
