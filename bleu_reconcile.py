"""Why two scores of the same text differ: the settings behind a published number, and the conventions side by side."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from .bleu_corpus import Corpus
from .bleu_inputs import read_corpus
from .bleu_inputs_columns import read_column
from .bleu_inputs_errors import REFERENCES
from .bleu_options import Options, make_signature, to_python
from .bleu_plots import Step, plot_steps
from .bleu_reconcile_grid import (
    ALL,
    FACTORS,
    Setting,
    convention_options,
    find_references,
    group_settings,
    list_steps,
    make_grid,
    make_setting,
    score_grid,
)
from .bleu_report import Report
from .bleu_tokenizer_choice import choose_tokenizer

NEAREST = 5  # settings that are returned where none gives the number


class Reconciliation(Report):
    """What `reconcile` returns: a dict for programs, and a table where it is printed."""

    def title(self) -> str:
        settings = self["matches"] or self["nearest"]
        if self["matches"]:
            return f"Settings: {len(settings)} that give{'s' if len(settings) == 1 else ''} {self['reported']}."
        return f"Settings: None gives {self['reported']}; the nearest are"

    def rows(self) -> list[list[str]]:
        settings = self["matches"] or self["nearest"]
        rows = [[describe_steps(one["steps"]), f"{one['score']:.4f}", f"{one['difference']:+.4f}"] for one in settings]
        return [["settings", "BLEU", "off by"], *rows]

    def records(self) -> list[dict[str, Any]]:
        names = ("bleu", "score", "difference", "signature")
        return [
            {"settings": describe_steps(one["steps"]), **{name: one[name] for name in names}}
            for one in self["matches"] or self["nearest"]
        ]

    def plot(self, ax: Any = None, setting: int = 0) -> Any:
        """Plot what each factor does to the score, from this object's options to a setting, by matplotlib.

        Args:
            ax: the Axes to draw into; those of a new figure unless given.
            setting: the index of a match; of the nearest, where there is none.

        Returns:
            The Axes.
        """
        one = (self["matches"] or self["nearest"])[setting]
        return plot_steps("your options", list_changes(one["steps"]), "this setting", one["score"], ax)


class Conventions(Report):
    """What `conventions` returns, by the convention's name: a dict for programs, and a table where it is printed."""

    wide_columns = ("due to",)

    def title(self) -> str:
        return "The same text under each convention"

    def rows(self) -> list[list[str]]:
        rows = [
            [
                name,
                f"{one['score']:.2f}",
                f"{100 * one['difference']:+.2f}",
                describe_steps(one["steps"], with_differences=True),
            ]
            for name, one in self.items()
        ]
        return [["convention", "BLEU", "difference", "due to"], *rows]

    def records(self) -> list[dict[str, Any]]:
        names = ("bleu", "score", "difference", "signature")
        return [{"convention": name, **{key: one[key] for key in names}} for name, one in self.items()]

    def plot(self, ax: Any = None, convention: str | None = None) -> Any:
        """Plot what each factor does to the score, from the default to a convention, by matplotlib.

        Args:
            ax: the Axes to draw into; those of a new figure unless given.
            convention: its name; the one whose score differs most unless given.

        Returns:
            The Axes.
        """
        name = convention or max(self, key=lambda name: abs(self[name]["difference"]))
        one = self[name]
        return plot_steps("default", list_changes(one["steps"]), name, one["score"], ax)


class ReportedScore(NamedTuple):
    """A number that someone has published, and how many of its decimals are known."""

    number: float
    decimals: int


def describe_steps(steps: Sequence[Mapping[str, Any]], with_differences: bool = False) -> str:
    """The steps that change the score, in a line.

    >>> describe_steps([{"factor": "max_order", "value": 2, "difference": 0.125}], with_differences=True)
    'max_order=2 (+12.50)'
    """
    words = [step.label + (f" ({step.difference:+.2f})" if with_differences else "") for step in list_changes(steps)]
    return ", ".join(words) or "as they are"


def list_changes(steps: Sequence[Mapping[str, Any]]) -> list[Step]:
    """The steps that change the score, and by how many points.

    >>> list_changes([{"factor": "max_order", "value": 2, "difference": 0.125}])
    [Step(label='max_order=2', difference=12.5)]
    """
    return [
        Step(f"{step['factor']}={step['value']!r}", 100 * step["difference"]) for step in steps if step["difference"]
    ]


def find_settings(
    predictions: Any, references: Any, options: Options, fixed: Collection[str], reported: Any, decimals: int | None
) -> Reconciliation:
    """The settings that give a published number.

    Args:
        predictions: as for `bleu_inputs.read_corpus`.
        references: likewise.
        options: where the search starts.
        fixed: names of options that stay as they are.
        reported: the number, from 0 to 1 or from 0 to 100.
        decimals: how many of its decimals are known; as many as it's written with unless given.

    Raises:
        TypeError, ValueError: as `bleu_inputs.read_corpus`; or this is no BLEU score.

    >>> find_settings(["a b c d"], ["a b c d e"], Options(max_order=1), (), 77.88, None)["matches"][0]["steps"]
    []
    """
    reported = _to_python(reported)
    read = _read_score(reported, decimals)
    references = read_column("references", references, REFERENCES)  # as they were given, for their indices
    corpus = read_corpus(predictions, references)
    places = find_references(corpus, references)
    grid = make_grid(corpus.kind, places, options, fixed)
    scores, start = score_grid(corpus, places, options, grid), tuple(values[0] for values in grid.values())
    known = [make_setting(convention) for convention in convention_options(options).values()]
    groups = group_settings(scores, start, known)
    scale, fitting = _choose_scale(groups, scores, read)
    chosen = fitting or _list_nearest(groups, scores, read.number / scale)
    settings = [
        _describe_group(group, scores, start, read.number / scale) | _describe_setting(corpus, options, fixed, group[0])
        for group in chosen
    ]
    found = {"matches": settings, "nearest": []} if fitting else {"matches": [], "nearest": settings}
    return Reconciliation(reported=reported, decimals=read.decimals, scale=scale, **found)


def compare_conventions(corpus: Corpus, options: Options) -> Conventions:
    """The score under each named convention, and what makes it another than the default's.

    Args:
        corpus: what `bleu_inputs.read_corpus` returns.
        options: those that a user chose win under each convention.

    >>> compare_conventions(read_corpus(["a b c d."], [["a b c d .", "a"]]), Options())["moses"]["steps"][0]["factor"]
    'tokenize'
    """
    conventions = convention_options(options)
    settings = {name: make_setting(convention) for name, convention in conventions.items()}
    grid = {name: tuple(dict.fromkeys(values)) for name, values in zip(FACTORS, zip(*settings.values()))}
    scores, start = score_grid(corpus, {}, conventions["default"], grid), settings["default"]
    return Conventions(
        {
            name: {
                "bleu": scores[setting],
                "score": 100 * scores[setting],
                "difference": scores[setting] - scores[start],
                "steps": list_steps(scores, start, setting),
                "signature": _sign(corpus, conventions[name], ALL),
            }
            for name, setting in settings.items()
        }
    )


def _sign(corpus: Corpus, options: Options, which: str | int) -> str:
    tokenizer = choose_tokenizer(options, corpus.kind).name
    return make_signature(options, tokenizer, corpus.reference_count() if which == ALL else "1")


def _choose_scale(
    groups: Sequence[list[Setting]], scores: Mapping[Setting, float], reported: ReportedScore
) -> tuple[int, list[list[Setting]]]:
    """The scale that a number is on, 1 or 100, and the groups whose score rounds to it there."""
    number, decimals = reported
    scales = (100,) if number > 1 else (1, 100)  # a number up to 1 is likeliest from 0 to 1
    for scale in scales:
        # A whole number is known to half a point of 100, on either scale: a 1 from 0 to 1 is a perfect score.
        unit = 10.0**-decimals / scale if decimals else 0.01
        fitting = _select_fitting(groups, scores, number / scale, unit)
        if fitting:
            return scale, fitting
    return scales[0] if decimals else 100, []


def _select_fitting(
    groups: Sequence[list[Setting]], scores: Mapping[Setting, float], number: float, unit: float
) -> list[list[Setting]]:
    # Half a unit, whether it was rounded up or down; 1e-11 is what two tools may differ in by floating point.
    return [group for group in groups if abs(scores[group[0]] - number) <= unit / 2 + 1e-11]


def _list_nearest(
    groups: Sequence[list[Setting]], scores: Mapping[Setting, float], number: float
) -> list[list[Setting]]:
    return sorted(groups, key=lambda group: abs(scores[group[0]] - number))[:NEAREST]


def _describe_group(
    group: list[Setting], scores: Mapping[Setting, float], start: Setting, number: float
) -> dict[str, Any]:
    """The score of a group's settings, how far it is from the number, and the way to the first one."""
    score = scores[group[0]]
    return {
        "bleu": score,
        "score": 100 * score,
        "difference": 100 * (score - number),
        "steps": list_steps(scores, start, group[0]),
        "same_score": _list_indifferent(group[0], group[1:]),
    }


def _describe_setting(corpus: Corpus, options: Options, fixed: Collection[str], setting: Setting) -> dict[str, Any]:
    """A setting as `compute` takes it, and its signature."""
    factors = dict(zip(FACTORS, setting))
    which = factors.pop("references")
    setting_options = replace(options, **factors)
    if setting_options.smooth_method != options.smooth_method and options.smooth_value is not None:
        setting_options, factors["smooth_value"] = replace(setting_options, smooth_value=None), None
    if corpus.kind != "text":  # in tokens already
        del factors["tokenize"]
    return {
        "references": which,
        "options": {**{name: getattr(options, name) for name in fixed}, **factors},
        "signature": _sign(corpus, setting_options, which),
    }


def _list_indifferent(setting: Setting, others: Sequence[Setting]) -> dict[str, list[Any]]:
    """The other values that a factor may have, all else as it is, without another score."""
    values: dict[str, list[Any]] = {}
    for other in others:
        changed = [(name, value) for name, own, value in zip(FACTORS, setting, other) if own != value]
        if len(changed) == 1:
            values.setdefault(changed[0][0], []).append(changed[0][1])
    return values


# As people write it: 37.6, "37,6", "BLEU: 37.6", "37.6 BLEU"; and as Python writes 1e-05.
_WRITTEN = re.compile(r"\s*(?:BLEU\s*[:=]?\s*)?(\d+(?:[.,]\d+)?(?:e[+-]?\d{1,3})?)\s*(?:BLEU)?\s*", re.IGNORECASE)


def _to_python(reported: Any) -> Any:
    """A float of NumPy's as the decimal number that it shows: of 66.87 in 32 bits, `tolist` makes 66.87000274658203."""
    return float(str(reported)) if isinstance(reported, np.floating) else to_python(reported)


def _read_score(reported: Any, decimals: int | None) -> ReportedScore:
    written = None if isinstance(reported, bool) else _WRITTEN.fullmatch(str(reported))
    if written is None:
        raise ValueError(f"reported={reported!r}: give a number, or one as it's written, '27.30'.")
    number = Decimal(written[1].replace(",", "."))
    if number > 100:
        raise ValueError(f"reported={reported!r}: BLEU is from 0 to 1, or from 0 to 100.")
    if decimals is None:
        decimals = max(0, -int(number.as_tuple().exponent))
    elif isinstance(decimals, bool) or not hasattr(decimals, "__index__") or decimals < 0:
        raise ValueError(f"decimals={decimals!r}: give a whole number of 0 or more.")
    return ReportedScore(float(number), int(decimals))
