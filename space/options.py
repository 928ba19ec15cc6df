"""The convention in force, always in sight, and in its fold a table of fields for the options."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr

from .limits import MAX_ORDER, RESAMPLES, RefusedError
from .metric import bleu
from .words import CONVENTIONS, describe_options

OptionField = gr.Dropdown | gr.Checkbox | gr.Number | gr.Textbox


class Field(NamedTuple):
    """How an option of the metric is shown.

    component: the class of Gradio's that shows it.
    label: what stands above.
    details: further arguments of the component.
    """

    component: type[OptionField]
    label: str
    details: dict[str, Any]


class OptionFields(NamedTuple):
    """The fold, the choice of a convention, and the fields in the order of the names that `add_options` got."""

    fold: gr.Accordion
    convention: gr.Dropdown
    fields: list[OptionField]


_CONFIDENCES = {"none": None, "90 %": 0.9, "95 %": 0.95, "99 %": 0.99}

# Row by row as they stand in the fold.
_SCORING_FIELDS: list[dict[str, Field]] = [
    {
        "tokenize": Field(gr.Dropdown, "Tokenizer", {"choices": list(bleu.TOKENIZERS)}),
        "smooth_method": Field(gr.Dropdown, "Smoothing", {"choices": list(bleu.SMOOTH_METHODS)}),
        "reference_length": Field(gr.Dropdown, "Reference length", {"choices": list(bleu.REFERENCE_LENGTHS)}),
        "max_order": Field(gr.Number, "Longest n-gram", {"precision": 0, "minimum": 1, "maximum": MAX_ORDER}),
    },
    {
        "lowercase": Field(gr.Checkbox, "Ignore case", {}),
        "effective_order": Field(gr.Checkbox, "Leave out orders that the text is too short for", {}),
    },
    {
        # No gr.Number, which shows and sends 0 where there is no value (Gradio 6.31).
        "smooth_value": Field(gr.Textbox, "Smoothing value, for methods that take one", {"max_length": 20}),
        "minimum_total": Field(
            gr.Number, "Count at least so many n-grams an order (NLTK: 1)", {"precision": 0, "minimum": 0}
        ),
    },
]
_RESAMPLING_FIELDS = {
    "confidence": Field(gr.Dropdown, "Confidence", {"choices": list(_CONFIDENCES)}),
    "n_resamples": Field(gr.Number, "Resamples", {"precision": 0, "minimum": 1, "maximum": RESAMPLES}),
    "seed": Field(gr.Number, "Seed", {"precision": 0, "minimum": 0}),
}

# Names of options, in the order in which handlers get the fields' values.
SCORING_OPTIONS = tuple(name for row in _SCORING_FIELDS for name in row)
ALL_OPTIONS = (*SCORING_OPTIONS, *_RESAMPLING_FIELDS)


def add_options(tab: str, names: Sequence[str]) -> OptionFields:
    """Add the fold to the page, with sacreBLEU's options at first.

    Args:
        tab: begins the elements' ids.
        names: `SCORING_OPTIONS` or `ALL_OPTIONS`.
    """
    initial = dict(zip(names, convention_values("default", names)))
    with gr.Accordion(fold_label(read_options(list(initial.values()))), open=False, elem_id=f"{tab}-options") as fold:
        choices = [(name, convention) for convention, name in CONVENTIONS.items()]
        convention = gr.Dropdown(choices, label="Score as", value="default", elem_id=f"{tab}-convention")
        fields = [field for row in [*_SCORING_FIELDS, _RESAMPLING_FIELDS] for field in _add_row(tab, row, initial)]
    return OptionFields(fold, convention, fields)


def convention_values(convention: str, names: Sequence[str] = ALL_OPTIONS, **changes: Any) -> list[Any]:
    """What the fields hold under a convention, but for changes.

    >>> convention_values("hf", ("tokenize", "lowercase", "reference_length"), lowercase=True)
    ['13a', True, 'shortest']
    """
    options = {**bleu.OPTIONS, **bleu.CONVENTIONS[convention], "confidence": "95 %", **changes}
    return [options[name] for name in names]


def read_options(values: Sequence[Any]) -> dict[str, Any]:
    """The options for the metric, from the values of the fields.

    >>> options = dict(zip(SCORING_OPTIONS, convention_values("default", SCORING_OPTIONS)))
    >>> read_options(list({**options, "smooth_value": 0.5}.values()))["smooth_value"]  # which "exp" doesn't take
    """
    options = dict(zip(ALL_OPTIONS, values))
    takes_value = bleu.SMOOTH_METHODS[options["smooth_method"]] is not None
    options["smooth_value"] = _read_number(options["smooth_value"]) if takes_value else None
    if "confidence" in options:
        options["confidence"] = _CONFIDENCES[options["confidence"]]
    return options


def change_options(names: Sequence[str], values: Sequence[Any], changes: str) -> list[Any]:
    """What the fields hold after a button has changed some.

    Args:
        names: of the options, in the order of the fields.
        values: of the fields.
        changes: the options to change, by name, as JSON in the button.

    >>> change_options(["tokenize", "lowercase"], ["13a", False], '{"lowercase": true}')
    ['13a', True]
    """
    changed = dict(zip(names, values)) | json.loads(changes)
    return [changed[name] for name in names]


def fold_label(options: Mapping[str, Any], remark: str = "") -> str:
    """What the fold says while it's closed.

    >>> fold_label(bleu.OPTIONS)
    'Scored as sacreBLEU does'
    >>> fold_label({**bleu.OPTIONS, "lowercase": True}, "this example’s")
    'Scored as sacreBLEU does, but case is ignored (this example’s)'
    """
    name, _, changes = describe_options(options).partition(", ")
    return f"Scored as {name} does{f', {changes}' if changes else ''}{f' ({remark})' if remark else ''}"


def _read_number(value: Any) -> float | None:
    """The number that a text field holds, None if it's empty.

    >>> _read_number(""), _read_number("0,5")
    (None, 0.5)
    """
    if value is None or not str(value).strip():
        return None
    try:
        return float(str(value).replace(",", "."))
    except ValueError:
        raise RefusedError("Smoothing value: give a number such as 0.1, or nothing for the method’s own.") from None


def _add_row(tab: str, row: dict[str, Field], values: dict[str, Any]) -> list[OptionField]:
    """The fields of a row for the options in `values`, if any."""
    shown = {name: field for name, field in row.items() if name in values}
    if not shown:
        return []
    with gr.Row():
        return [
            field.component(
                label=field.label,
                value=values[name],
                elem_id=f"{tab}-{name.replace('_', '-')}",
                min_width=140,
                **field.details,
            )
            for name, field in shown.items()
        ]
