"""The tab for a score that is another than expected: the conventions side by side, and a published number explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

import app_html as html
from app_examples import CORPUS_PREDICTIONS, CORPUS_REFERENCES
from app_limits import check_corpus, check_options, check_search
from app_metric import TOKENIZERS, bleu, hearing
from app_sources import check_lengths, read, source

_SHOWN = 20  # settings that fit a number with few decimals


def difference_tab() -> None:
    """The tab's content, and what happens in it."""
    with gr.Row():
        predictions = source("difference-predictions", "Predictions", CORPUS_PREDICTIONS)
        references = source("difference-references", "References", CORPUS_REFERENCES, "references")
    reported = gr.Textbox(
        label="A score to explain, as it's written: 27.3 (may be left out)", max_length=30, elem_id="reported"
    )
    button = gr.Button("Why is my BLEU different?", variant="primary", elem_id="why")
    told = gr.HTML(elem_id="difference-message", elem_classes="bleu-page")
    with gr.Column(visible=False, elem_id="difference") as results:
        page = gr.HTML(elem_id="difference-page", elem_classes="bleu-page")
    inputs = [*predictions, *references, reported]
    button.click(_explained, inputs, [told, results, page], api_visibility="private")


def side_by_side(predictions: Sequence[Any], references: Sequence[Any]) -> dict[str, Any]:
    """What the metric says of a corpus under each convention, within the limits of the page."""
    check_corpus(predictions, references)
    return bleu.conventions(predictions, references)


def reconciled(
    predictions: Sequence[Any],
    references: Sequence[Any],
    reported: float | str,
    decimals: int | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Which settings give a number, within the limits of the page."""
    check_options(options, TOKENIZERS)
    check_corpus(predictions, references)
    check_search(predictions, references)
    return bleu.reconcile(predictions, references, reported, decimals=decimals, **options)


def _explained(*values: Any, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008 where Gradio looks for it
    try:
        progress(0.1, desc="Reading")
        predictions, references = read(*values[:3]), read(*values[3:6], role="references")
        check_lengths("The predictions", predictions, references)
        with hearing() as heard:
            progress(0.3, desc="Scoring")
            shown = _conventions(side_by_side(predictions, references))
            if values[-1].strip():
                progress(0.5, desc="Searching")
                shown += _settings(reconciled(predictions, references, values[-1].strip(), None, {}))
        return [html.notes(heard), gr.Column(visible=True), shown]
    except (TypeError, ValueError) as error:
        return [html.message(str(error)), gr.Column(visible=False), gr.skip()]


def _conventions(told: Mapping[str, Any]) -> str:
    rows = [
        [name, f"{one['score']:.2f}", f"{100 * one['difference']:+.2f}", _steps(one["steps"]), one["signature"]]
        for name, one in told.items()
    ]
    head = ["convention", "BLEU", "difference", "due to", "signature"]
    return f"<h4>Under each convention</h4>{html.table(head, rows, words=head[-2:])}"


def _settings(found: Mapping[str, Any]) -> str:
    several = found["matches"] or found["nearest"]
    heading = f"{len(several)} settings give {found['reported']}" if found["matches"] else "None gives it; the nearest"
    rows = [
        [f"{one['score']:.4f}", f"{one['difference']:+.4f}", _steps(one["steps"]), one["signature"]]
        for one in several[:_SHOWN]
    ]
    head = ["BLEU", "off by", "changed from the default", "signature"]
    return f"<h4>{html.escape(heading)}</h4>{html.table(head, rows, words=head[-2:])}"


def _steps(steps: Sequence[Mapping[str, Any]]) -> str:
    told = (
        f"{step['factor']}={step['value']!r} ({100 * step['difference']:+.2f})" for step in steps if step["difference"]
    )
    return ", ".join(told) or "nothing"
