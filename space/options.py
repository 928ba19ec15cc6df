"""The options of the metric: a fold with their fields, and phrases for what they mean.

The label of the fold names the convention that is nearest to the options.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypedDict, cast

import gradio as gr

from .limits import MAX_ORDER, MAX_RESAMPLES, RejectedError
from .metric import (
    CONVENTIONS,
    OPTIONS,
    REFERENCE_LENGTHS,
    SMOOTH_METHODS,
    TOKENIZERS,
    Options,
)

OptionField = gr.Dropdown | gr.Checkbox | gr.Number | gr.Textbox
FieldValue = str | bool | int | float | None


class OptionFields(NamedTuple):
    """The fold, the choice of a convention, and the fields.

    The fields are in the order of the names passed to `add_options`.
    """

    fold: gr.Accordion
    convention: gr.Dropdown
    fields: list[OptionField]


class ChosenOptions(TypedDict, total=False):
    """Options for the metric; a sentence has none for resampling."""

    tokenize: str
    smooth_method: str
    reference_length: str
    max_order: int
    lowercase: bool
    effective_order: bool
    smooth_value: float | None
    minimum_total: int
    confidence: float | None
    n_resamples: int
    seed: int


CONVENTION_NAMES = {
    "default": "sacreBLEU",
    "papineni": "the 2002 paper",
    "hf": "evaluate’s bleu",
    "nltk": "NLTK",
    "moses": "multi-bleu.perl",
    "coco": "pycocoevalcap",
}

_CONFIDENCES = {"none": None, "90%": 0.9, "95%": 0.95, "99%": 0.99}
_VALUE_CHARACTERS = 20  # of a value that is typed or in a link

# The fields in the rows of the fold, each without value, id and visibility.
_FieldRow = dict[str, Callable[..., OptionField]]
_SCORING_FIELDS: list[_FieldRow] = [
    {
        "tokenize": partial(gr.Dropdown, list(TOKENIZERS), label="Tokenizer"),
        "smooth_method": partial(gr.Dropdown, list(SMOOTH_METHODS), label="Smoothing"),
        "reference_length": partial(gr.Dropdown, list(REFERENCE_LENGTHS), label="Reference length"),
        "max_order": partial(
            gr.Number, label="Longest n-gram", precision=0, minimum=1, maximum=MAX_ORDER
        ),
    },
    {
        "lowercase": partial(gr.Checkbox, label="Ignore case"),
        "effective_order": partial(
            gr.Checkbox, label="Leave out orders that the text is too short for"
        ),
    },
    {
        # A gr.Number would show and send 0 for a missing value (Gradio 6.31).
        "smooth_value": partial(
            gr.Textbox,
            label="Smoothing value, for methods that take one",
            max_length=_VALUE_CHARACTERS,
        ),
        "minimum_total": partial(
            gr.Number, label="Minimum n-grams per order (NLTK: 1)", precision=0, minimum=0
        ),
    },
]
_RESAMPLING_FIELDS: _FieldRow = {
    "confidence": partial(gr.Dropdown, list(_CONFIDENCES), label="Confidence"),
    "n_resamples": partial(
        gr.Number, label="Resamples", precision=0, minimum=1, maximum=MAX_RESAMPLES
    ),
    "seed": partial(gr.Number, label="Seed", precision=0, minimum=0),
}

# Hidden in Sentence, where only conventions set them.
_CORPUS_FIELDS = ("smooth_value", "minimum_total")

# Names of options, in the order of the fields.
SCORING_OPTIONS = tuple(chain.from_iterable(_SCORING_FIELDS))
ALL_OPTIONS = (*SCORING_OPTIONS, *_RESAMPLING_FIELDS)

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
# Phrases for values, as the end of a sentence: "... if case is ignored".
_PHRASES: dict[str, dict[object, str]] = {
    "mean_of_segments": {True: "the score is the mean of the lines’ scores"},
    "swapped": {True: "predictions and references are exchanged"},
    "last_pair": {True: "the smoothing looks at the last line only, as in NLTK"},
    "weights": {None: "all orders have equal weights"},
    "tokenize": {name: tokenizer.says for name, tokenizer in TOKENIZERS.items()},
    "smooth_method": {name: method.says for name, method in SMOOTH_METHODS.items()},
    "reference_length": {name: rule.says for name, rule in REFERENCE_LENGTHS.items()},
    "lowercase": {True: "case is ignored", False: "case counts"},
    "effective_order": {
        True: "orders that the text is too short for are left out",
        False: "all orders count, however short the text",
    },
    "max_order": {1: "only single tokens count"},
    "minimum_total": {
        0: "the n-grams of a line are counted as they are",
        1: "NLTK’s rule for short lines",
    },
}
_SINGLE_ORDERS = {0: "only single words count", 1: "only pairs of words count"}
_FALLBACKS = {
    "tokenize": "text is split by {}",
    "smooth_value": "the value of the smoothing is {:g}",
    "max_order": "n-grams go up to {}",
    "weights": "the weights of the orders are {}",
    "call": "it is another kind of score: {}",
    "minimum_total": "every line counts at least {} n-grams of each order",
}


def add_options(view: str, names: Sequence[str]) -> OptionFields:
    """Add the fold to a view, with fields for `SCORING_OPTIONS` or `ALL_OPTIONS`."""
    values = convention_values("default", names)
    initial = dict(zip(names, values))
    fields: list[OptionField] = []
    label = fold_label(read_options(values))
    with gr.Accordion(label, open=False, elem_id=f"{view}-options") as fold:
        choices = [(name, convention) for convention, name in CONVENTION_NAMES.items()]
        convention = gr.Dropdown(
            choices, label="Score as", value="default", elem_id=f"{view}-convention"
        )
        for row in [*_SCORING_FIELDS, _RESAMPLING_FIELDS]:
            if not row.keys() <= initial.keys():
                continue
            with gr.Row():
                for name, add_field in row.items():
                    field = add_field(
                        value=initial[name],
                        elem_id=f"{view}-{name.replace('_', '-')}",
                        min_width=140,
                        visible=view == "corpus" or name not in _CORPUS_FIELDS,
                    )
                    fields.append(field)
    return OptionFields(fold, convention, fields)


def convention_values(
    convention: str, names: Sequence[str] = ALL_OPTIONS, **changes: FieldValue
) -> list[FieldValue]:
    """Return the values of the fields under a convention with changes.

    >>> names = ("tokenize", "lowercase", "reference_length")
    >>> convention_values("hf", names, lowercase=True)
    ['13a', True, 'shortest']
    """
    options = {**OPTIONS, **CONVENTIONS[convention], "confidence": "95%", **changes}
    return [options[name] for name in names]


def read_options(values: Sequence[Any]) -> ChosenOptions:
    """Return the options for the metric from the values of the fields.

    >>> options = dict(zip(SCORING_OPTIONS, convention_values("default", SCORING_OPTIONS)))
    >>> options["smooth_value"] = 0.5
    >>> read_options(list(options.values()))["smooth_value"]  # "exp" takes no value
    """
    options = dict(zip(ALL_OPTIONS, values))
    # The field may have a value that was meant for another method.
    takes_value = SMOOTH_METHODS[options["smooth_method"]].value is not None
    smooth_value = options["smooth_value"]
    options["smooth_value"] = _read_number(smooth_value) if takes_value else None
    if "confidence" in options:
        options["confidence"] = _CONFIDENCES[options["confidence"]]
    return cast(ChosenOptions, options)


def leave_segments_effective(options: Options) -> Options:
    """Return the options without an effective order that is off.

    The scores of segments then have effective order, as the titles of the page say.

    >>> leave_segments_effective({"max_order": 4, "effective_order": False})
    {'max_order': 4}
    """
    return {name: value for name, value in options.items() if name != "effective_order" or value}


def read_link(link: Mapping[str, str]) -> list[FieldValue]:
    """Return the values of the fields for `SCORING_OPTIONS` from a link.

    A value that is not valid is ignored.

    >>> link = {"tokenize": "char", "lowercase": "true", "max_order": "2", "smooth_method": "magic"}
    >>> read_link(link)
    ['char', 'exp', 'closest', 2, True, False, None, 0]
    """
    choices: dict[str, Collection[str]] = {
        "tokenize": TOKENIZERS,
        "smooth_method": SMOOTH_METHODS,
        "reference_length": REFERENCE_LENGTHS,
    }
    values = dict(zip(SCORING_OPTIONS, convention_values("default", SCORING_OPTIONS)))
    for name in values.keys() & link.keys():
        text = link[name][:_VALUE_CHARACTERS]
        default = values[name]
        if isinstance(default, bool):
            values[name] = text == "true"
        elif isinstance(default, int):
            if text.isdecimal() and int(text) <= MAX_ORDER:
                values[name] = int(text)
        elif name not in choices or text in choices[name]:
            values[name] = text
    return list(values.values())


def change_options(
    names: Sequence[str], values: Sequence[FieldValue], changes: str
) -> list[FieldValue]:
    """Return the values of the fields for named options, after a button has changed some.

    The changes are JSON.

    >>> change_options(["tokenize", "lowercase"], ["13a", False], '{"lowercase": true}')
    ['13a', True]
    """
    changed = dict(zip(names, values)) | json.loads(changes)
    return [changed[name] for name in names]


def fold_label(options: Mapping[str, object], remark: str = "") -> str:
    """Return the label of the fold.

    >>> fold_label(OPTIONS)
    'Settings: sacreBLEU’s'
    >>> fold_label({**OPTIONS, "lowercase": True}, "this example’s")
    'Settings: sacreBLEU’s, but case is ignored (this example’s)'
    """
    name, _, changes = describe_options(options).partition(", ")
    owner = name if "’" in name else f"{name}’s"
    label = f"Settings: {', '.join(filter(None, [owner, changes]))}"
    return f"{label} ({remark})" if remark else label


def describe_setting(name: str, value: object) -> str:
    """Return the meaning of an option's value, as the end of a sentence.

    >>> describe_setting("lowercase", True), describe_setting("references", 0)
    ('case is ignored', 'only the first reference is used')
    >>> describe_setting("max_order", 2)
    'n-grams go up to 2'
    >>> describe_setting("weights", [0, 1, 0, 0])
    'only pairs of words count'
    """
    if name == "references":
        return describe_references_used(value)
    if isinstance(value, (list, tuple)):  # weights
        orders = [order for order, weight in enumerate(value) if weight]
        if len(orders) == 1:
            return _SINGLE_ORDERS.get(orders[0], f"only sequences of {orders[0] + 1} words count")
        return _FALLBACKS[name].format(", ".join(f"{weight:.3g}" for weight in value))
    return _PHRASES.get(name, {}).get(value) or _FALLBACKS[name].format(value)


def describe_references_used(which: object) -> str:
    """Describe which references count: "all", or the one with an index.

    >>> describe_references_used("all"), describe_references_used(12)
    ('all references are used', 'only reference 13 is used')
    """
    if not isinstance(which, int):
        return "all references are used"
    if which < len(_ORDINALS):
        return f"only the {_ORDINALS[which]} reference is used"
    return f"only reference {which + 1} is used"


def describe_options(options: Mapping[str, object]) -> str:
    """Return the convention that is nearest to the options, and what differs from it.

    >>> describe_options({**OPTIONS, "lowercase": True})
    'sacreBLEU, but case is ignored'
    """
    changes = {name: _list_changes(options, name) for name in CONVENTION_NAMES}
    nearest = min(CONVENTION_NAMES, key=lambda name: len(changes[name]))
    but = f", but {join_clauses(changes[nearest])}" if changes[nearest] else ""
    return f"{CONVENTION_NAMES[nearest]}{but}"


def join_clauses(clauses: Sequence[str]) -> str:
    """Join clauses.

    >>> join_clauses(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(clauses[:-1]), *clauses[-1:]]))


def _list_changes(options: Mapping[str, object], convention: str) -> list[str]:
    """Describe the options that differ from a convention."""
    expected = {**OPTIONS, **CONVENTIONS[convention]}
    told = {*_PHRASES, *_FALLBACKS}
    return [
        describe_setting(name, value)
        for name, value in options.items()
        if name in told and value is not None and value != expected[name]
    ]


def _read_number(value: object) -> float | None:
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
