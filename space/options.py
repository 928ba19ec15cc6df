"""The options of the metric: a fold with fields, its label that names the convention, and a phrase per value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr

from .limits import MAX_ORDER, MAX_RESAMPLES, RejectedError
from .metric import CONVENTIONS, OPTIONS, REFERENCE_LENGTHS, SMOOTH_METHODS, TOKENIZERS

OptionField = gr.Dropdown | gr.Checkbox | gr.Number | gr.Textbox


class OptionFields(NamedTuple):
    """The fold, the choice of a convention, and the fields in the order of the names passed to `add_options`."""

    fold: gr.Accordion
    convention: gr.Dropdown
    fields: list[OptionField]


CONVENTION_NAMES = {
    "default": "sacreBLEU",
    "papineni": "the 2002 paper",
    "hf": "evaluate’s bleu",
    "nltk": "NLTK",
    "moses": "multi-bleu.perl",
}

_CONFIDENCES = {"none": None, "90%": 0.9, "95%": 0.95, "99%": 0.99}

# The component, label and details of each field, in the rows of the fold.
_SCORING_FIELDS: list[dict[str, tuple[type[OptionField], str, dict[str, Any]]]] = [
    {
        "tokenize": (gr.Dropdown, "Tokenizer", {"choices": list(TOKENIZERS)}),
        "smooth_method": (gr.Dropdown, "Smoothing", {"choices": list(SMOOTH_METHODS)}),
        "reference_length": (gr.Dropdown, "Reference length", {"choices": list(REFERENCE_LENGTHS)}),
        "max_order": (
            gr.Number,
            "Longest n-gram",
            {"precision": 0, "minimum": 1, "maximum": MAX_ORDER},
        ),
    },
    {
        "lowercase": (gr.Checkbox, "Ignore case", {}),
        "effective_order": (gr.Checkbox, "Leave out orders that the text is too short for", {}),
    },
    {
        # A gr.Number would show and send 0 for a missing value (Gradio 6.31).
        "smooth_value": (
            gr.Textbox,
            "Smoothing value, for methods that take one",
            {"max_length": 20},
        ),
        "minimum_total": (
            gr.Number,
            "Minimum n-grams per order (NLTK: 1)",
            {"precision": 0, "minimum": 0},
        ),
    },
]
_RESAMPLING_FIELDS: dict[str, tuple[type[OptionField], str, dict[str, Any]]] = {
    "confidence": (gr.Dropdown, "Confidence", {"choices": list(_CONFIDENCES)}),
    "n_resamples": (
        gr.Number,
        "Resamples",
        {"precision": 0, "minimum": 1, "maximum": MAX_RESAMPLES},
    ),
    "seed": (gr.Number, "Seed", {"precision": 0, "minimum": 0}),
}

_CORPUS_FIELDS = (
    "smooth_value",
    "minimum_total",
)  # hidden in Sentence, where only conventions set them

# Names of options, in the order of the fields.
SCORING_OPTIONS = tuple(name for row in _SCORING_FIELDS for name in row)
ALL_OPTIONS = (*SCORING_OPTIONS, *_RESAMPLING_FIELDS)

# Phrases for values, as the end of a sentence: "... if case is ignored".
_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_PHRASES: dict[str, dict[Any, str]] = {
    "mean_of_segments": {
        True: "the score is the mean of the segments’ scores, not that of the corpus"
    },
    "tokenize": {name: tokenizer.says for name, tokenizer in TOKENIZERS.items()},
    "smooth_method": {name: method.says for name, method in SMOOTH_METHODS.items()},
    "reference_length": {name: rule.says for name, rule in REFERENCE_LENGTHS.items()},
    "lowercase": {True: "case is ignored", False: "case counts"},
    "effective_order": {
        True: "orders that the text is too short for are left out",
        False: "all orders count, however short the text",
    },
    "max_order": {1: "only single tokens count"},
    "minimum_total": {0: "the n-grams of a segment are counted as they are"},
}
_FALLBACKS = {
    "tokenize": "text is split by {}",
    "smooth_value": "the value of the smoothing is {:g}",
    "max_order": "n-grams go up to {}",
    "minimum_total": "every segment counts at least {} n-gram of each order, as in NLTK",
}


def add_options(tab: str, names: Sequence[str]) -> OptionFields:
    """Add the fold to a tab, with fields for `SCORING_OPTIONS` or `ALL_OPTIONS`."""
    initial = dict(zip(names, convention_values("default", names)))
    fields: list[OptionField] = []
    with gr.Accordion(
        fold_label(read_options(list(initial.values()))), open=False, elem_id=f"{tab}-options"
    ) as fold:
        choices = [(name, convention) for convention, name in CONVENTION_NAMES.items()]
        convention = gr.Dropdown(
            choices, label="Score as", value="default", elem_id=f"{tab}-convention"
        )
        for row in [*_SCORING_FIELDS, _RESAMPLING_FIELDS]:
            if row.keys() <= initial.keys():
                with gr.Row():
                    fields += [
                        component(
                            label=label,
                            value=initial[name],
                            elem_id=f"{tab}-{name.replace('_', '-')}",
                            min_width=140,
                            visible=tab == "corpus" or name not in _CORPUS_FIELDS,
                            **details,
                        )
                        for name, (component, label, details) in row.items()
                    ]
    return OptionFields(fold, convention, fields)


def convention_values(
    convention: str, names: Sequence[str] = ALL_OPTIONS, **changes: Any
) -> list[Any]:
    """Return the values of the fields under a convention with changes.

    >>> convention_values("hf", ("tokenize", "lowercase", "reference_length"), lowercase=True)
    ['13a', True, 'shortest']
    """
    options = {**OPTIONS, **CONVENTIONS[convention], "confidence": "95%", **changes}
    return [options[name] for name in names]


def read_options(values: Sequence[Any]) -> dict[str, Any]:
    """Return the options for the metric from the values of the fields.

    >>> options = dict(zip(SCORING_OPTIONS, convention_values("default", SCORING_OPTIONS)))
    >>> read_options(list({**options, "smooth_value": 0.5}.values()))["smooth_value"]  # "exp" takes no value
    """
    options = dict(zip(ALL_OPTIONS, values))
    takes_value = SMOOTH_METHODS[options["smooth_method"]].value is not None
    options["smooth_value"] = _read_number(options["smooth_value"]) if takes_value else None
    if "confidence" in options:
        options["confidence"] = _CONFIDENCES[options["confidence"]]
    return options


def read_link(link: Mapping[str, str]) -> list[Any]:
    """Return the values of the fields for `SCORING_OPTIONS` from a link; a value that is not valid is ignored.

    >>> read_link({"tokenize": "char", "lowercase": "true", "max_order": "2", "smooth_method": "magic"})
    ['char', 'exp', 'closest', 2, True, False, None, 0]
    """
    choices = {
        "tokenize": TOKENIZERS,
        "smooth_method": SMOOTH_METHODS,
        "reference_length": REFERENCE_LENGTHS,
    }
    values = dict(zip(SCORING_OPTIONS, convention_values("default", SCORING_OPTIONS)))
    for name in values.keys() & link.keys():
        text = link[name][:20]
        if isinstance(values[name], bool):
            values[name] = text == "true"
        elif isinstance(values[name], int):
            values[name] = (
                int(text) if text.isdecimal() and int(text) <= MAX_ORDER else values[name]
            )
        elif text in choices.get(name, [text]):
            values[name] = text
    return list(values.values())


def change_options(names: Sequence[str], values: Sequence[Any], changes: str) -> list[Any]:
    """Return the values of the fields for named options, after a button has changed some; the changes are JSON.

    >>> change_options(["tokenize", "lowercase"], ["13a", False], '{"lowercase": true}')
    ['13a', True]
    """
    changed = dict(zip(names, values)) | json.loads(changes)
    return [changed[name] for name in names]


def fold_label(options: Mapping[str, Any], remark: str = "") -> str:
    """Return the label of the fold.

    >>> fold_label(OPTIONS)
    'Scored as sacreBLEU does'
    >>> fold_label({**OPTIONS, "lowercase": True}, "this example’s")
    'Scored as sacreBLEU does, but case is ignored (this example’s)'
    """
    name, _, changes = describe_options(options).partition(", ")
    return f"Scored as {name} does{f', {changes}' if changes else ''}{f' ({remark})' if remark else ''}"


def describe_setting(name: str, value: Any) -> str:
    """Return the meaning of an option's value, as the end of a sentence.

    >>> describe_setting("lowercase", True), describe_setting("references", 0), describe_setting("max_order", 2)
    ('case is ignored', 'only the first reference is used', 'n-grams go up to 2')
    """
    if name == "references":
        return describe_references_used(value)
    return _PHRASES.get(name, {}).get(value) or _FALLBACKS[name].format(value)


def describe_references_used(which: int | str) -> str:
    """Return which references count: all, or one by its index.

    >>> describe_references_used("all"), describe_references_used(12)
    ('all references are used', 'only reference 13 is used')
    """
    if not isinstance(which, int):
        return "all references are used"
    return f"only {f'the {_ORDINALS[which]} reference' if which < len(_ORDINALS) else f'reference {which + 1}'} is used"


def describe_options(options: Mapping[str, Any]) -> str:
    """Return the convention that is nearest to the options, and what differs from it.

    >>> describe_options({**OPTIONS, "lowercase": True})
    'sacreBLEU, but case is ignored'
    """
    changes = {name: _list_changes(options, CONVENTIONS[name]) for name in CONVENTION_NAMES}
    nearest = min(CONVENTION_NAMES, key=lambda name: len(changes[name]))
    return ", but ".join(filter(None, [CONVENTION_NAMES[nearest], join_clauses(changes[nearest])]))


def join_clauses(clauses: Sequence[str]) -> str:
    """Join clauses.

    >>> join_clauses(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = clauses or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _list_changes(options: Mapping[str, Any], convention: Mapping[str, Any]) -> list[str]:
    expected = {**OPTIONS, **convention}
    return [
        describe_setting(name, value)
        for name, value in options.items()
        if (name in _PHRASES or name in _FALLBACKS)
        and value is not None
        and value != expected[name]
    ]


def _read_number(value: Any) -> float | None:
    """Return the number in a text field, None if it is empty.

    >>> _read_number(""), _read_number("0,5")
    (None, 0.5)
    """
    if value is None or not str(value).strip():
        return None
    try:
        return float(str(value).replace(",", "."))
    except ValueError:
        raise RejectedError(
            "Smoothing value: write a number such as 0.1, or leave it empty for the default."
        ) from None
