"""The tab for two systems: difference, intervals and p-value in a sentence to quote, and where they differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr
import numpy as np

from . import html
from .examples import CORPUS_PREDICTIONS, CORPUS_REFERENCES, SECOND_PREDICTIONS
from .limits import SENTENCE_CHARACTERS, SHOWN_PAIRS, RefusedError
from .metric import bleu, collect_warnings
from .options import ALL_OPTIONS, SCORING_OPTIONS, add_options, convention_values, read_options
from .requests import request_comparison
from .sources import add_predictions, add_references, check_lengths, read_predictions, read_references

_TESTS = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}

Systems = Mapping[str, Sequence[Any]]


def add_systems_tab() -> None:
    """Add the tab's content, and what happens in it."""
    inputs = _add_inputs()
    button = gr.Button("Compare", variant="primary", elem_id="compare")
    message = gr.HTML(elem_id="systems-message", elem_classes="bleu-page")
    with gr.Column(visible=False, elem_id="systems") as results:
        summary = gr.HTML(elem_id="systems-summary", elem_classes="bleu-page")
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, elem_id="systems-signature")
        pairs = gr.HTML(elem_id="pairs", elem_classes="bleu-page")
    outputs = [message, results, summary, signature, pairs]
    button.click(_show_comparison, inputs, outputs, api_visibility="private")


def quotable_sentence(comparison: Mapping[str, Any], confidence: float | None) -> str:
    """The result in a sentence that a reader can quote.

    >>> a, b = {"score": 20.0}, {"score": 21.5, "delta": 0.015, "p_value": 0.004}
    >>> quotable_sentence({"systems": {"A": a, "B": b}, "test": "bootstrap", "n_resamples": 1000}, None)
    'B scores 21.50 BLEU and A 20.00, a difference of +1.50 (p = 0.0040, paired bootstrap, 1,000 resamples).'
    """
    (baseline, baseline_result), (name, result) = comparison["systems"].items()
    score = _score_with_interval(result, " BLEU", confidence)
    baseline_score = _score_with_interval(baseline_result, "", confidence)
    test = f"{_TESTS[comparison['test']]}, {comparison['n_resamples']:,} resamples"
    return (
        f"{name} scores {score} and {baseline} {baseline_score}, a difference of {100 * result['delta']:+.2f}"
        f" (p = {result['p_value']:.4f}, {test})."
    )


def _add_inputs() -> list[gr.components.Component]:
    """All fields, in the order in which the handler takes their values."""
    with gr.Row():
        names = [_name_field("A"), _name_field("B")]
    with gr.Row():
        first = add_predictions("system-a", "System A, the baseline", CORPUS_PREDICTIONS)
        second = add_predictions("system-b", "System B", SECOND_PREDICTIONS)
        references = add_references("system-references", "References", CORPUS_REFERENCES)
    choices = [(label, name) for name, label in _TESTS.items()]
    test = gr.Radio(choices, value="bootstrap", label="Test", elem_id="test")
    options = add_options("systems", ALL_OPTIONS, convention_values("default"))
    return [*names, test, *first, *second, *references, *options]


def _name_field(letter: str) -> gr.Textbox:
    label = f"Name of system {letter}"
    return gr.Textbox(f"System {letter}", label=label, max_length=100, elem_id=f"name-{letter.lower()}")


def _show_comparison(*values: Any, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008 where Gradio looks for it
    (first, second, test), sources, fields = values[:3], values[3:12], values[12:]
    try:
        progress(0.1, desc="Reading")
        systems, references = _read_systems((first, second), sources)
        progress(0.3, desc="Resampling")
        with collect_warnings() as warnings:
            options = read_options(fields)
            comparison = request_comparison(systems, references, first, test, options)
            progress(0.8, desc="Looking for differences")
            pairs = _render_pairs(systems, references, {name: options[name] for name in SCORING_OPTIONS})
        summary = _render_summary(comparison, options["confidence"])
        return [html.notes(warnings), gr.Column(visible=True), summary, comparison["signature"], pairs]
    except (TypeError, ValueError) as error:
        return [html.message(str(error)), gr.Column(visible=False), *[gr.skip()] * 3]


def _read_systems(names: tuple[str, str], sources: Sequence[Any]) -> tuple[Systems, list[list[Any]]]:
    """The predictions of both systems, and the references."""
    if names[0] == names[1]:
        raise RefusedError("Give the two systems different names.")
    systems = {names[0]: read_predictions(*sources[:3]), names[1]: read_predictions(*sources[3:6])}
    references = read_references(*sources[6:])
    for name, predictions in systems.items():
        check_lengths(name, predictions, references)
    return systems, references


def _render_summary(comparison: Any, confidence: float | None) -> str:
    head, *rows = comparison.rows()
    return html.quote(quotable_sentence(comparison, confidence)) + html.table(head, rows)


def _score_with_interval(result: Mapping[str, Any], unit: str, confidence: float | None) -> str:
    score = f"{result['score']:.2f}{unit}"
    if confidence is None:
        return score
    low, high = result["confidence_interval"]
    return f"{score} ({confidence:.0%} interval {100 * low:.2f} to {100 * high:.2f})"


def _render_pairs(systems: Systems, references: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The segments whose scores differ most, side by side."""
    scores = [
        bleu.compute(predictions=predictions, references=references, segments=True, **options)["segment_bleu"]
        for predictions in systems.values()
    ]
    differences = np.subtract(scores[1], scores[0])
    largest = [row for row in np.argsort(-np.abs(differences), kind="stable")[:SHOWN_PAIRS] if differences[row]]
    if not largest:
        return html.message("No segment differs.", "note")
    pairs = "".join(_render_pair(row, differences[row], systems, references[row], options) for row in largest)
    return html.heading("Where they differ most") + pairs


def _render_pair(
    row: int, difference: float, systems: Systems, references: Sequence[Any], options: Mapping[str, Any]
) -> str:
    sections = "".join(
        f"<section>{_render_tokens(name, predictions[row], references, options)}</section>"
        for name, predictions in systems.items()
    )
    heading = html.heading(f"Segment {row + 1}: {100 * difference:+.2f}")
    texts = html.texts("References", [text[:SENTENCE_CHARACTERS] for text in references if text])
    return f'<div class="bleu-pair">{heading}<div class="bleu-sides">{sections}</div>{texts}</div>'


def _render_tokens(name: str, prediction: str, references: Sequence[Any], options: Mapping[str, Any]) -> str:
    if max(map(len, [prediction, *filter(None, references)])) > SENTENCE_CHARACTERS:
        return html.message(f"{name}: too long to be shown token by token.", "note")
    explanation = bleu.explain(prediction, references, **{**options, "effective_order": True})
    return html.tokens(explanation["prediction"], options["max_order"], f"{name}, {explanation['score']:.2f} BLEU,")
