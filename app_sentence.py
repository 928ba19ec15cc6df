"""The tab for one sentence: what matched, in colours, and how the score comes about, while one types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr

import app_html as html
from app_examples import EXAMPLES
from app_limits import REFERENCES, SENTENCE_CHARACTERS, check_options, check_sentence
from app_metric import TOKENIZERS, bleu, hearing
from app_options import SCORED, options_fold, options_of, preset_values


class Sentence(NamedTuple):
    """The fields that other tabs fill to show a segment here."""

    candidate: gr.Textbox
    second: gr.Textbox
    references: gr.Textbox
    options: list[gr.components.Component]


def sentence_tab() -> Sentence:
    """The tab's content, and what happens in it."""
    name = next(iter(EXAMPLES))
    shown = _example(name)
    example = gr.Dropdown(list(EXAMPLES), value=name, label="Example", elem_id="example")
    with gr.Row():
        candidate = _field(shown[0], "Candidate", "candidate")
        second = _field(shown[1], "Second candidate, to put beside it", "second")
    references = _field(shown[2], "References, one a line", "references", lines=4)
    options = options_fold("sentence", SCORED, shown[3:])
    page = gr.HTML(sentence_page(*shown), elem_id="sentence", elem_classes="bleu-page", min_height=720)
    fields = [candidate, second, references, *options]
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    gr.on([field.change for field in fields], sentence_page, fields, page, trigger_mode="always_last", **quiet)
    example.input(_example, example, fields, **quiet)
    return Sentence(candidate, second, references, options)


def explained(prediction: str, references: Sequence[str] | str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the metric explains of a sentence, within the limits of the page."""
    check_options(options, TOKENIZERS)
    check_sentence([prediction, *(references if isinstance(references, list) else [references])])
    return bleu.explain(prediction, references, **options)


def sentence_page(candidate: str, second: str, references: str, *fields: Any) -> str:
    """All that is shown of one or two candidates."""
    given = [text for text in references.split("\n") if text.strip()] or [""]
    candidates = {"Candidate": candidate, **({"Second candidate": second} if second.strip() else {})}
    shown, sides = {}, []
    try:
        for name, text in candidates.items():
            with hearing() as heard:
                shown[name] = explained(text, given, options_of(fields))
            sides.append(_side(name, shown[name], heard))
    except (TypeError, ValueError) as error:
        return html.message(str(error))
    legend = html.legend(len(shown["Candidate"]["orders"]))
    return f'{legend}<div class="bleu-sides">{"".join(sides)}</div>{html.bars(_series(shown), "Precision by order")}'


def _side(name: str, explanation: Mapping[str, Any], heard: Sequence[str]) -> str:
    max_order = len(explanation["orders"])
    effective = explanation["effective_reference"]
    covered = "".join(
        html.tokens(reference, max_order, f"Reference {i + 1}" + (", whose length counts" if i == effective else ""))
        for i, reference in enumerate(explanation["references"])
    )
    return (
        f"<section>{html.number(explanation['score'], name)}{html.formula(explanation)}"
        f"{html.tokens(explanation['prediction'], max_order, name)}{covered}{html.ngrams(explanation)}"
        f"{html.notes(heard)}</section>"
    )


def _series(shown: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, list[tuple[int, int]]]]:
    series = []
    for (name, explanation), kind in zip(shown.items(), ("", "second ")):
        for key, told in (("unclipped_matches", "unclipped"), ("matches", "clipped")):
            counts = [(order[key], order["total"]) for order in explanation["orders"]]
            series.append((f"{name}, {told}", kind + told, counts))
    return series


def _example(name: str) -> list[Any]:
    example = EXAMPLES[name]
    fields = preset_values(example.convention, SCORED, lowercase=example.lowercase, effective_order=True)
    return [example.candidate, example.second, example.references, *fields]


def _field(value: str, label: str, elem_id: str, lines: int = 3) -> gr.Textbox:
    return gr.Textbox(
        value,
        label=label,
        lines=lines,
        max_lines=lines,  # a field that grew would push the score down while one types
        max_length=REFERENCES * SENTENCE_CHARACTERS,
        min_width=280,
        elem_id=elem_id,
    )
