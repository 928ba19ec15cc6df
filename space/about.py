"""The tab about the metric: what it is, the page's limits, how to load and cite it, and the metric card."""

from __future__ import annotations

import os
from pathlib import Path

import gradio as gr

from . import html
from .limits import SUMMARY
from .metric import bleu

_LOAD = """\
import evaluate

bleu = evaluate.load("{name}")
print(bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]]))
"""


def add_about_tab() -> None:
    """Add the tab's content."""
    name = os.environ.get("SPACE_ID", "path/to/bleu_metric")
    gr.Markdown(f"{bleu.description}\n\n{SUMMARY}")
    gr.HTML(html.code("How to load it", _LOAD.format(name=name)), elem_classes="bleu-page")
    gr.HTML(html.code("How to cite it", bleu.citation), elem_classes="bleu-page")
    with gr.Accordion("Metric card", open=False, elem_id="card"):
        gr.Markdown(_metric_card())


def _metric_card() -> str:
    """README.md without the header that the Hub reads."""
    readme = Path(__file__).parent.with_name("README.md").read_text(encoding="utf-8")
    _, _, card = readme.split("---\n", 2)
    return card
