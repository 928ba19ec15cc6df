"""The tab that tells why a score differs: the conventions side by side, and the settings that give a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from . import html
from .examples import CORPUS_PREDICTIONS, CORPUS_REFERENCES
from .limits import SHOWN_SETTINGS
from .metric import collect_warnings
from .requests import request_conventions, request_settings
from .sources import add_predictions, add_references, check_lengths, read_predictions, read_references


def add_why_tab() -> None:
    """Add the tab's content, and what happens in it."""
    with gr.Row():
        predictions = add_predictions("difference-predictions", "Predictions", CORPUS_PREDICTIONS)
        references = add_references("difference-references", "References", CORPUS_REFERENCES)
    reported = gr.Textbox(
        label="A score to look for, as it is written: 27.3 (optional)", max_length=30, elem_id="reported"
    )
    button = gr.Button("Why is my BLEU different?", variant="primary", elem_id="why")
    message = gr.HTML(elem_id="difference-message", elem_classes="bleu-page")
    with gr.Column(visible=False, elem_id="difference") as results:
        tables = gr.HTML(elem_id="difference-page", elem_classes="bleu-page")
    inputs = [*predictions, *references, reported]
    button.click(_show_differences, inputs, [message, results, tables], api_visibility="private")


def _show_differences(*values: Any, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008 where Gradio looks for it
    reported = values[-1].strip()
    try:
        progress(0.1, desc="Reading")
        predictions, references = read_predictions(*values[:3]), read_references(*values[3:6])
        check_lengths("The predictions", predictions, references)
        with collect_warnings() as warnings:
            progress(0.3, desc="Scoring")
            tables = _conventions_table(request_conventions(predictions, references))
            if reported:
                progress(0.5, desc="Searching")
                tables += _settings_table(request_settings(predictions, references, reported, None, {}))
        return [html.notes(warnings), gr.Column(visible=True), tables]
    except (TypeError, ValueError) as error:
        return [html.message(str(error)), gr.Column(visible=False), gr.skip()]


def _conventions_table(conventions: Any) -> str:
    table = _table_with_signatures(conventions.rows(), list(conventions.values()), words="due to")
    return html.heading("Under each convention") + table


def _settings_table(reconciliation: Any) -> str:
    settings = (reconciliation["matches"] or reconciliation["nearest"])[:SHOWN_SETTINGS]
    table = _table_with_signatures(reconciliation.rows()[: len(settings) + 1], settings, words="settings")
    return html.heading(_heading(reconciliation)) + table


def _heading(reconciliation: Mapping[str, Any]) -> str:
    """What was found, in a line.

    >>> _heading({"reported": "27.3", "matches": [{}]}), _heading({"reported": "27.3", "matches": []})
    ('1 setting gives 27.3', 'No setting gives 27.3; the nearest')
    """
    count, reported = len(reconciliation["matches"]), reconciliation["reported"]
    if not count:
        return f"No setting gives {reported}; the nearest"
    return f"{html.quantity(count, 'setting')} give{'s' if count == 1 else ''} {reported}"


def _table_with_signatures(rows: Sequence[Sequence[str]], results: Sequence[Mapping[str, Any]], words: str) -> str:
    head, *cells = rows
    signatures = [result["signature"] for result in results]
    body = [[*row, signature] for row, signature in zip(cells, signatures)]
    return html.table([*head, "signature"], body, words=[words, "signature"])
