"""Why two BLEU scores of the same text differ: a published number explained, and the conventions side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from .bleu_arrow import kind, reference_counts
from .bleu_options import CONVENTIONS, Options, signature
from .bleu_printing import markdown, plain
from .bleu_settings import ALL, FACTORS, Setting, convention_settings, groups, scores_of, searched, steps
from .bleu_statistics import tokenizer_name

NEAREST = 5  # settings that are told where none fits


class Sides(dict):
    """What `reconcile` and `conventions` return: a dict for programs, and a table where it is printed."""

    def __str__(self) -> str:
        head, rows = self._cells()
        return f"{head}\n\n{plain(rows)}"

    def _repr_markdown_(self) -> str:
        head, rows = self._cells()
        return f"{head}\n\n{markdown(rows)}"  # what a notebook shows

    def _cells(self) -> tuple[str, list[list[str]]]:
        raise NotImplementedError


class Reconciliation(Sides):
    """What `reconcile` returns."""

    def _cells(self) -> tuple[str, list[list[str]]]:
        found = self["matches"] or self["nearest"]
        told = f"{len(found)} that give{'s' if len(found) == 1 else ''}" if self["matches"] else "None gives"
        head = f"Settings: {told} {self['reported']}" + ("." if self["matches"] else "; the nearest are")
        rows = [[_words(one["steps"]), f"{one['score']:.4f}", f"{one['difference']:+.4f}"] for one in found]
        return head, [["settings", "BLEU", "off by"], *rows]


class Conventions(Sides):
    """What `conventions` returns, by the convention's name."""

    def _cells(self) -> tuple[str, list[list[str]]]:
        rows = [
            [name, f"{one['score']:.2f}", f"{100 * one['difference']:+.2f}", _words(one["steps"], told=True)]
            for name, one in self.items()
        ]
        return "The same text under each convention", [["convention", "BLEU", "difference", "due to"], *rows]


def reconciled(
    table: pa.Table, options: Options, fixed: Mapping[str, Any], reported: Any, decimals: int | None
) -> Reconciliation:
    """The settings that give a published number.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: where the search starts.
        fixed: options that stay as they are.
        reported: the number, from 0 to 1 or from 0 to 100.
        decimals: how many of its decimals are known; as many as it's written with unless given.

    Raises:
        ValueError: this is no BLEU score.

    >>> table = columns(["我 a b c d"], ["我 a b c d e"])
    >>> reconciled(table, Options(max_order=1), {}, 81.87, None)["matches"][0]["steps"]
    []
    """
    number, decimals = _read(reported, decimals)
    values = searched(table, options, fixed)
    scores, start = scores_of(table, options, values), tuple(few[0] for few in values.values())
    found = groups(scores, start)
    scales = (100,) if number > 1 else (1, 100)  # a number up to 1 is likeliest from 0 to 1
    fitting = {scale: _fitting(found, scores, number / scale, 10.0**-decimals / scale) for scale in scales}
    scale = next((scale for scale in scales if fitting[scale]), scales[0])
    around = sorted(found, key=lambda same: abs(scores[same[0]] - number / scale))[:NEAREST]
    told = [
        {
            "bleu": scores[same[0]],
            "score": 100 * scores[same[0]],
            "difference": 100 * (scores[same[0]] - number / scale),
            **_ready(table, options, fixed, same[0]),
            "steps": steps(scores, start, same[0]),
            "same_score": _indifferent(same[0], same[1:]),
        }
        for same in fitting[scale] or around
    ]
    matches, nearest = (told, []) if fitting[scale] else ([], told)
    return Reconciliation(reported=reported, decimals=decimals, scale=scale, matches=matches, nearest=nearest)


def side_by_side(table: pa.Table) -> Conventions:
    """The score under each named convention, and what makes it another than the default's.

    >>> side_by_side(columns(["a b c d."], [["a b c d .", "a"]]))["moses"]["steps"][0]["factor"]
    'tokenize'
    """
    settings, options = convention_settings(), Options()
    values = {name: tuple(dict.fromkeys(several)) for name, several in zip(FACTORS, zip(*settings.values()))}
    scores, start = scores_of(table, options, values), settings["default"]
    told = {}
    for name, setting in settings.items():
        made = options.updated(CONVENTIONS[name])
        told[name] = {
            "bleu": scores[setting],
            "score": 100 * scores[setting],
            "difference": scores[setting] - scores[start],
            "steps": steps(scores, start, setting),
            "signature": signature(made, tokenizer_name(made, kind(table)), reference_counts(table["references"])),
        }
    return Conventions(told)


def _fitting(
    found: Sequence[list[Setting]], scores: Mapping[Setting, float], number: float, unit: float
) -> list[list[Setting]]:
    # Half a unit, whether it was rounded up or down; 1e-11 is what two tools may differ in by floating point.
    return [same for same in found if abs(scores[same[0]] - number) <= unit / 2 + 1e-11]


def _ready(table: pa.Table, options: Options, fixed: Mapping[str, Any], setting: Setting) -> dict[str, Any]:
    """A setting as `compute` takes it."""
    factors = dict(zip(FACTORS, setting))
    which = factors.pop("references")
    made = replace(options, **factors)
    if made.smooth_method != options.smooth_method and options.smooth_value is not None:
        made, factors["smooth_value"] = replace(made, smooth_value=None), None
    if kind(table) != "text":  # in tokens already
        del factors["tokenize"]
    count = reference_counts(table["references"]) if which == ALL else "1"
    return {
        "references": which,
        "options": {**fixed, **factors},
        "signature": signature(made, tokenizer_name(made, kind(table)), count),
    }


def _indifferent(setting: Setting, others: Sequence[Setting]) -> dict[str, list[Any]]:
    """The other values that a factor may have, all else as it is, without another score."""
    found: dict[str, list[Any]] = {}
    for other in others:
        different = [(name, there) for name, here, there in zip(FACTORS, setting, other) if here != there]
        if len(different) == 1:
            found.setdefault(different[0][0], []).append(different[0][1])
    return found


def _words(taken: Sequence[Mapping[str, Any]], told: bool = False) -> str:
    """The steps that matter, with what each makes of the score if that is to be told."""
    words = [
        f"{step['factor']}={step['value']!r}" + (f" ({100 * step['difference']:+.2f})" if told else "")
        for step in taken
        if step["difference"]
    ]
    return ", ".join(words) or "as they are"


def _read(reported: Any, decimals: int | None) -> tuple[float, int]:
    try:
        number = Decimal(str(reported))
        possible = 0 <= number <= 100
    except InvalidOperation:
        raise ValueError(f"reported={reported!r}: give a number, or one as it's written, '27.30'.") from None
    if not possible:
        raise ValueError(f"reported={reported!r}: BLEU is from 0 to 1, or from 0 to 100.")
    if decimals is None:
        decimals = max(0, -int(number.as_tuple().exponent))
    elif isinstance(decimals, bool) or not hasattr(decimals, "__index__") or decimals < 0:
        raise ValueError(f"decimals={decimals!r}: give a whole number of 0 or more.")
    return float(number), int(decimals)
