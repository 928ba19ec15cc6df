"""The tab for one sentence: what matched, in colours, and how the score comes about, while one types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr

from . import html
from .examples import EXAMPLES
from .limits import REFERENCES, SENTENCE_CHARACTERS
from .metric import collect_warnings
from .options import SCORING_OPTIONS, OptionField, add_options, convention_values, read_options
from .requests import request_explanation


class Sentence(NamedTuple):
    """The fields that other tabs fill to show a segment here."""

    candidate: gr.Textbox
    second: gr.Textbox
    references: gr.Textbox
    options: list[OptionField]


def add_sentence_tab() -> Sentence:
    """Add the tab's content, and what happens in it."""
    name = next(iter(EXAMPLES))
    values = _example_values(name)
    example = gr.Dropdown(list(EXAMPLES), value=name, label="Example", elem_id="example")
    sentence = _add_fields(values)
    page = gr.HTML(render_candidates(*values), elem_id="sentence", elem_classes="bleu-page", min_height=720)
    fields = [sentence.candidate, sentence.second, sentence.references, *sentence.options]
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    gr.on([field.change for field in fields], render_candidates, fields, page, trigger_mode="always_last", **quiet)
    example.input(_example_values, example, fields, **quiet)
    return sentence


def render_candidates(candidate: str, second: str, references: str, *options: Any) -> str:
    """One or two candidates as HTML: scores, colours, and a chart."""
    lines = [text for text in references.split("\n") if text.strip()] or [""]
    candidates = {"Candidate": candidate, **({"Second candidate": second} if second.strip() else {})}
    explanations, sections = {}, []
    try:
        for name, text in candidates.items():
            with collect_warnings() as warnings:
                explanations[name] = request_explanation(text, lines, read_options(options))
            sections.append(_section(name, explanations[name], warnings))
    except (TypeError, ValueError) as error:
        return html.message(str(error))
    legend = html.legend(len(explanations["Candidate"]["orders"]))
    chart = html.bars(list(_series(explanations)), "Precision by order")
    return f'{legend}<div class="bleu-sides">{"".join(sections)}</div>{chart}'


def _add_fields(values: Sequence[Any]) -> Sentence:
    with gr.Row():
        candidate = _text_field(values[0], "Candidate", "candidate")
        second = _text_field(values[1], "Second candidate (optional)", "second")
    references = _text_field(values[2], "References, one a line", "references", lines=4)
    return Sentence(candidate, second, references, add_options("sentence", SCORING_OPTIONS, values[3:]))


def _text_field(value: str, label: str, elem_id: str, lines: int = 3) -> gr.Textbox:
    return gr.Textbox(
        value,
        label=label,
        lines=lines,
        max_lines=lines,  # a field that grew would push the score down while one types
        max_length=REFERENCES * SENTENCE_CHARACTERS,
        min_width=280,
        elem_id=elem_id,
    )


def _example_values(name: str) -> list[Any]:
    """What the fields hold for an example."""
    example = EXAMPLES[name]
    changes = {"lowercase": example.lowercase, "effective_order": True}
    options = convention_values(example.convention, SCORING_OPTIONS, **changes)
    return [example.candidate, example.second, example.references, *options]


def _section(name: str, explanation: html.Explanation, warnings: Sequence[str]) -> str:
    """A candidate with its references."""
    return f"<section>{html.explanation(explanation, name)}{html.notes(warnings)}</section>"


def _series(explanations: Mapping[str, html.Explanation]) -> Iterator[html.Series]:
    """Precision of each candidate, without clipping and with it."""
    for (name, explanation), candidate in zip(explanations.items(), ("", "second ")):
        for key, kind in (("unclipped_matches", "unclipped"), ("matches", "clipped")):
            counts = [(order[key], order["total"]) for order in explanation["orders"]]
            yield html.Series(f"{name}, {kind}", candidate + kind, counts)
