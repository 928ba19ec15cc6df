"""The page: all tabs and endpoints, put together."""

from __future__ import annotations

from pathlib import Path

import gradio as gr
from gradio.events import api

from .about import add_about_tab
from .corpus import add_corpus_tab
from .endpoints import ENDPOINTS
from .limits import CONCURRENT_REQUESTS, QUEUE_SIZE, SECONDS_KEPT
from .sentence import add_sentence_tab
from .systems import add_systems_tab
from .why import add_why_tab

STYLE_SHEET = Path(__file__).with_name("page.css")
THEME = gr.themes.Base(
    primary_hue="blue", neutral_hue="gray", font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
)

_HEADER = """
<header class="bleu-page bleu-head"><h1>BLEU</h1>
<p>See what matched, score a corpus, compare two systems: sacreBLEU's numbers, by the metric in this Space.</p>
</header>
"""


def page() -> gr.Blocks:
    """The page, ready to be launched."""
    blocks = gr.Blocks(title="BLEU", analytics_enabled=False, delete_cache=_deletion())
    with blocks:
        gr.HTML(_HEADER)
        _add_tabs()
        for endpoint in ENDPOINTS:
            api(endpoint)
    blocks.queue(default_concurrency_limit=CONCURRENT_REQUESTS, max_size=QUEUE_SIZE)
    return blocks


def _add_tabs() -> None:
    with gr.Tabs(selected="sentence") as tabs:
        with gr.Tab("Sentence", id="sentence"):
            sentence = add_sentence_tab()
        with gr.Tab("Corpus", id="corpus"):
            add_corpus_tab(tabs, sentence)
        with gr.Tab("Systems", id="systems"):
            add_systems_tab()
        with gr.Tab("Why?", id="why"):
            add_why_tab()
        with gr.Tab("About", id="about"):
            add_about_tab()


def _deletion() -> tuple[int, int]:
    """How often Gradio looks for files to delete, and how old these are, in seconds.

    A file that just misses one look waits for the next: the two add up to what About promises.
    """
    interval = SECONDS_KEPT // 4
    return interval, SECONDS_KEPT - interval
