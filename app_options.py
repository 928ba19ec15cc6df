"""The fold with a tab's options, the conventions as presets."""

from __future__ import annotations

from typing import Any

import gradio as gr

from app_limits import MAX_ORDER, RESAMPLES
from app_metric import CONVENTIONS, OPTIONS, SMOOTH_METHODS, TOKENIZERS

# The fields in the order that handlers get them; `options_of` makes keywords of them.
COUNTED = ("tokenize", "lowercase", "max_order", "reference_length", "minimum_total")
SCORED = (*COUNTED, "smooth_method", "smooth_value", "effective_order")
RESAMPLED = (*SCORED, "confidence", "n_resamples", "seed")

CONFIDENCES = {"none": None, "90 %": 0.9, "95 %": 0.95, "99 %": 0.99}
_CONVENTION_HELP = "default: sacreBLEU and WMT · papineni: the 2002 paper · hf: evaluate's bleu · nltk · moses"


def options_fold(tab: str, names: tuple[str, ...], shown: list[Any]) -> list[gr.components.Component]:
    """A fold with fields for options; to be called where it is to stand.

    Args:
        tab: for the elements' ids.
        names: `SCORED` or `RESAMPLED`.
        shown: what the fields hold at first, as from `preset_values`.

    Returns:
        The fields in the order of `names`.
    """
    values, fields = dict(zip(names, shown)), {}

    def add(component: type, name: str, label: str, **more: Any) -> None:
        own = {"value": values[name], "elem_id": f"{tab}-{name.replace('_', '-')}", "min_width": 140}
        fields[name] = component(label=label, **own, **more)

    with gr.Accordion("Options", open=False, elem_id=f"{tab}-options"):
        preset = gr.Dropdown(
            list(CONVENTIONS), label="Convention", info=_CONVENTION_HELP, value=None, elem_id=f"{tab}-convention"
        )
        with gr.Row():
            add(gr.Dropdown, "tokenize", "Tokenizer", choices=list(TOKENIZERS))
            add(gr.Dropdown, "smooth_method", "Smoothing", choices=list(SMOOTH_METHODS))
            add(gr.Dropdown, "reference_length", "Reference length", choices=["closest", "shortest", "longest"])
            add(gr.Number, "max_order", "Longest n-gram", precision=0, minimum=1, maximum=MAX_ORDER)
        with gr.Row():
            add(gr.Checkbox, "lowercase", "Lowercase")
            add(gr.Checkbox, "effective_order", "Effective order: leave out orders that the text is too short for")
        with gr.Row():
            add(gr.Number, "smooth_value", "Smoothing value, where there is one")
            add(gr.Number, "minimum_total", "Least n-grams an order; NLTK: 1", precision=0, minimum=0)
        if "confidence" in names:
            with gr.Row():
                add(gr.Dropdown, "confidence", "Confidence", choices=list(CONFIDENCES))
                add(gr.Number, "n_resamples", "Resamples", precision=0, minimum=1, maximum=RESAMPLES)
                add(gr.Number, "seed", "Seed", precision=0, minimum=0)
    preset.input(
        lambda convention: preset_values(convention, names),
        preset,
        in_order := [fields[name] for name in names],
        api_visibility="private",
        show_progress="hidden",
    )
    return in_order


def preset_values(convention: str, names: tuple[str, ...] = RESAMPLED, **changed: Any) -> list[Any]:
    """What the fields hold under a named convention.

    >>> preset_values("hf", ("tokenize", "lowercase", "reference_length"), lowercase=True)
    ['13a', True, 'shortest']
    """
    asked = OPTIONS.updated(CONVENTIONS[convention])
    values = {name: getattr(asked, name) for name in names}
    return list({**values, **({"confidence": "95 %"} if "confidence" in names else {}), **changed}.values())


def options_of(fields: tuple[Any, ...]) -> dict[str, Any]:
    """Keywords for the metric, from what the fields hold.

    >>> options_of(("13a", False, 4, "closest", 0, "exp", 0.5, True))["smooth_value"]  # which "exp" doesn't take
    """
    options = dict(zip(RESAMPLED, fields))
    if SMOOTH_METHODS[options["smooth_method"]].value is None:
        options["smooth_value"] = None
    if "confidence" in options:
        options["confidence"] = CONFIDENCES[options["confidence"]]
    return options
