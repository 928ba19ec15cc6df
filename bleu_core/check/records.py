"""Texts with several fields: JSON, tables, lines; the only field that holds text is found.

Called by `measures.py`. To read another form, add a `Form` to `RECORDS`.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import NamedTuple

from .damages import Damage
from .inverses import evaluate_literal, is_text
from .pairs import MEANT_SHARE, OTHER_SIDE, SIDES, Found, Pairs, Side, spread, undo_all

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
