"""The tab for two systems: difference, intervals and p-value in a sentence to quote, and where they differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr
import numpy as np

import app_html as html
from app_examples import CORPUS_PREDICTIONS, CORPUS_REFERENCES, OTHER_PREDICTIONS
from app_limits import SENTENCE_CHARACTERS, SHOWN_PAIRS, RefusedError, check_corpus, check_options
from app_metric import TOKENIZERS, bleu, hearing
from app_options import RESAMPLED, SCORED, options_fold, options_of, preset_values
from app_sources import check_lengths, read, source

_TESTS = {"bootstrap": "paired bootstrap", "randomization": "paired approximate randomization"}


def systems_tab() -> None:
    """The tab's content, and what happens in it."""
    with gr.Row():
        names = [
            gr.Textbox(
                f"System {letter}", label=f"Name of system {letter}", max_length=100, elem_id=f"name-{letter.lower()}"
            )
            for letter in "AB"
        ]
    with gr.Row():
        first = source("system-a", "System A, the baseline", CORPUS_PREDICTIONS)
        second = source("system-b", "System B", OTHER_PREDICTIONS)
        references = source("system-references", "References", CORPUS_REFERENCES, "references")
    test = gr.Radio([(told, name) for name, told in _TESTS.items()], value="bootstrap", label="Test", elem_id="test")
    options = options_fold("systems", RESAMPLED, preset_values("default"))
    button = gr.Button("Compare", variant="primary", elem_id="compare")
    told = gr.HTML(elem_id="systems-message", elem_classes="bleu-page")
    with gr.Column(visible=False, elem_id="systems") as results:
        summary = gr.HTML(elem_id="systems-summary", elem_classes="bleu-page")
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, elem_id="systems-signature")
        pairs = gr.HTML(elem_id="pairs", elem_classes="bleu-page")
    inputs = [*names, test, *first, *second, *references, *options]
    button.click(_compared, inputs, [told, results, summary, signature, pairs], api_visibility="private")


def compared(
    systems: Mapping[str, Sequence[Any]],
    references: Sequence[Any],
    baseline: str | None,
    test: str,
    options: Mapping[str, Any],
) -> Any:
    """What the metric says of systems side by side, within the limits of the page."""
    check_options(options, TOKENIZERS)
    if isinstance(systems, dict):  # what is none is for the metric to refuse
        if len(systems) > 2:
            raise RefusedError(f"There are {len(systems)} systems: this page compares two.")
        for predictions in systems.values():
            check_corpus(predictions, references)
    return bleu.compare(systems, references, baseline=baseline, test=test, **options)


def _compared(*values: Any, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008 where Gradio looks for it
    (first, second, test), sources, fields = values[:3], values[3:12], values[12:]
    try:
        if first == second:
            raise RefusedError("Give the two systems different names.")
        progress(0.1, desc="Reading")
        systems = {first: read(*sources[:3]), second: read(*sources[3:6])}
        references = read(*sources[6:], role="references")
        for name, predictions in systems.items():
            check_lengths(name, predictions, references)
        progress(0.3, desc="Resampling")
        with hearing() as heard:
            options = options_of(fields)
            comparison = compared(systems, references, first, test, options)
            progress(0.8, desc="Looking for differences")
            pairs = _pairs(systems, references, options)
        return [
            html.notes(heard),
            gr.Column(visible=True),
            _summary(comparison, options["confidence"]),
            comparison["signature"],
            pairs,
        ]
    except (TypeError, ValueError) as error:
        return [html.message(str(error)), gr.Column(visible=False), *[gr.skip()] * 3]


def _summary(comparison: Any, confidence: float | None) -> str:
    head, *rows = comparison.rows()
    return f'<p class="bleu-quote">{html.escape(sentence(comparison, confidence))}</p>{html.table(head, rows)}'


def sentence(comparison: Mapping[str, Any], confidence: float | None) -> str:
    """The result in a sentence that a reader can quote.

    >>> a, b = {"score": 20.0}, {"score": 21.5, "delta": 0.015, "p_value": 0.004}
    >>> sentence({"systems": {"A": a, "B": b}, "test": "bootstrap", "n_resamples": 1000}, None)
    'B scores 21.50 BLEU and A 20.00, a difference of +1.50 (p = 0.0040, paired bootstrap, 1,000 resamples).'
    """
    (base, one), (other, two) = comparison["systems"].items()
    scores = f"{other} scores {_score(two, ' BLEU', confidence)} and {base} {_score(one, '', confidence)}"
    how = f"{_TESTS[comparison['test']]}, {comparison['n_resamples']:,} resamples"
    return f"{scores}, a difference of {100 * two['delta']:+.2f} (p = {two['p_value']:.4f}, {how})."


def _score(system: Mapping[str, Any], unit: str, confidence: float | None) -> str:
    score = f"{system['score']:.2f}{unit}"
    if confidence is None:
        return score
    low, high = system["confidence_interval"]
    return f"{score} ({confidence:.0%} interval {100 * low:.2f} to {100 * high:.2f})"


def _pairs(systems: Mapping[str, Sequence[str]], references: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The segments whose scores differ most, side by side."""
    counting = {name: options[name] for name in SCORED}
    scores = [
        bleu.compute(predictions=predictions, references=references, segments=True, **counting)["segment_bleu"]
        for predictions in systems.values()
    ]
    differences = np.subtract(scores[1], scores[0])
    chosen = np.argsort(-np.abs(differences), kind="stable")[:SHOWN_PAIRS]
    shown = [_pair(i, differences[i], systems, references[i], counting) for i in chosen if differences[i]]
    return f"<h4>Where they differ most</h4>{''.join(shown)}" if shown else html.message("No segment differs.", "note")


def _pair(
    row: int,
    difference: float,
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Any],
    options: Mapping[str, Any],
) -> str:
    sides = "".join(
        f"<section>{_coloured(name, predictions[row], references, options)}</section>"
        for name, predictions in systems.items()
    )
    texts = "".join(f'<p dir="auto">{html.escape(text[:SENTENCE_CHARACTERS])}</p>' for text in references if text)
    return (
        f'<div class="bleu-pair"><h4>Segment {row + 1}: {100 * difference:+.2f}</h4>'
        f'<div class="bleu-sides">{sides}</div><div class="bleu-tokens"><h4>References</h4>{texts}</div></div>'
    )


def _coloured(name: str, prediction: str, references: Sequence[str], options: Mapping[str, Any]) -> str:
    if max(map(len, [prediction, *filter(None, references)])) > SENTENCE_CHARACTERS:
        return html.message(f"{name}: too long to be shown token by token.", "note")
    explanation = bleu.explain(prediction, references, **{**options, "effective_order": True})
    return html.tokens(explanation["prediction"], options["max_order"], f"{name}, {explanation['score']:.2f} BLEU,")
