"""Why a number is another: the settings behind it as a story, each with a button that applies them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import gradio as gr

from . import html
from .charts import Change, waterfall
from .limits import PRIVATE_WORK, QUIET, SHOWN_SETTINGS, explain_error
from .metric import collect_warnings, load_with
from .options import SCORING_OPTIONS
from .requests import request_conventions, request_settings
from .scored import REFERENCES, Scored, read_column, read_segments
from .words import CONVENTIONS, describe_setting, join_clauses


class Why(NamedTuple):
    """The components: which system, the number to look for, and the answer."""

    system: gr.Dropdown
    answer: gr.HTML


def add_why(scored: gr.State) -> Why:
    """Add the section to the page, and what happens in it."""
    with gr.Column(elem_id="why-part"):
        gr.HTML("<h2>Another number?</h2>", elem_classes="bleu-page")
        with gr.Row():
            system = gr.Dropdown([], label="Of the system", elem_id="why-system")
            reported = gr.Textbox(
                label="The number as it is written, or nothing",
                max_length=30,
                elem_id="reported",
            )
            button = gr.Button("Find out why", elem_id="why")
        answer = html.clickable("", "why-answer")
    gr.on([button.click, reported.submit], _answer, [scored, system, reported], answer, **PRIVATE_WORK)
    system.input(lambda: "", None, answer, **QUIET)
    return Why(system, answer)


def _answer(scored: Scored | None, system: str, reported: str) -> str:
    try:
        table = read_segments(scored)
        assert scored is not None
        predictions = read_column(scored, table, system, "prediction").to_pylist()
        references = table[REFERENCES].to_pylist()
        with collect_warnings():
            if not reported.strip():
                return _tell_conventions(request_conventions(predictions, references))
            found = request_settings(predictions, references, reported.strip(), None, {}, load_with(scored.options))
        return _tell_settings(found, system, scored)
    except (TypeError, ValueError, OverflowError) as error:
        return html.message(explain_error(error).replace("reported=", ""))


def tell_story(score: float, setting: Mapping[str, Any], reported: str) -> str:
    """What makes one number of the other, in a sentence.

    >>> step = {"factor": "references", "value": 0, "difference": -0.19}
    >>> tell_story(53.34, {"score": 34.0, "steps": [step]}, "34.00")
    'Your 53.34 becomes 34.00 if only the first reference is used.'
    """
    clauses = _clauses(setting)
    if not clauses:
        return f"Your {score:.2f} is {reported} already, as it is scored here."
    return f"Your {score:.2f} becomes {setting['score']:.2f} if {join_clauses(clauses)}."


def _tell_settings(found: Mapping[str, Any], system: str, scored: Scored) -> str:
    settings = (found["matches"] or found["nearest"])[:SHOWN_SETTINGS]
    best, reported = settings[0], str(found["reported"])
    yours = best["score"] - 100 * sum(step["difference"] for step in best["steps"])
    story = tell_story(yours, best, reported)
    if not found["matches"]:
        story = f"No setting gives {html.show(reported)}. The nearest: {story[0].lower()}{story[1:]}"
    changes = [
        Change(describe_setting(step["factor"], step["value"]), 100 * step["difference"])
        for step in best["steps"]
        if step["difference"]
    ]
    chart = waterfall(Change(f"{system}, as scored", yours), changes, Change("this number", best["score"]))
    rows = [
        [
            join_clauses(_clauses(one)) or "as it is scored here",
            f"{one['score']:.2f}",
            html.Markup(_apply_button(one, scored)),
            one["signature"],
        ]
        for one in settings
    ]
    count = html.quantity(len(found["matches"]), "setting")
    verb = "gives" if len(found["matches"]) == 1 else "give"
    heading = f"{count} {verb} {reported}" if found["matches"] else "The nearest settings"
    listed = html.rows(["if", "BLEU", "", "signature"], rows)
    return f'<div data-announce="{html.show(story)}">{html.quote(story)}</div>{chart}{html.heading(heading)}{listed}'


def _tell_conventions(conventions: Mapping[str, Any]) -> str:
    rows = [
        [
            CONVENTIONS[name],
            f"{one['score']:.2f}",
            f"{100 * one['difference']:+.2f}",
            join_clauses(_clauses(one)) or "as it is",
            html.Markup(html.button("Apply", "apply", convention=name)),
            one["signature"],
        ]
        for name, one in conventions.items()
    ]
    spread = [one["score"] for one in conventions.values()]
    story = f"From {min(spread):.2f} to {max(spread):.2f}, by who counts."
    return html.quote(story) + html.rows(["as", "BLEU", "difference", "because", "", "signature"], rows)


def _clauses(setting: Mapping[str, Any]) -> list[str]:
    return [describe_setting(step["factor"], step["value"]) for step in setting["steps"] if step["difference"]]


def _apply_button(setting: Mapping[str, Any], scored: Scored) -> str:
    """A button that sets a setting's options, the others as they were scored; references that were chosen stay."""
    options = {name: scored.options[name] for name in SCORING_OPTIONS} | setting["options"]
    references = setting["references"] if scored.which == "all" else scored.which
    return html.button("Apply", "apply", options=html.json_text(options), references=str(references))
