"""The demo as a whole: its tabs and endpoints, and how it is launched."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.events import api
from starlette.middleware import Middleware

from . import html, limits
from .corpus import add_corpus_tab
from .endpoints import ENDPOINTS
from .metric import bleu
from .sentence import add_sentence_tab

_FOLDER = Path(__file__).parent
_THEME = gr.themes.Base(
    primary_hue="blue", neutral_hue="gray", font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
).set(
    block_border_width="0px",
    block_padding="0px",
    block_background_fill="transparent",
    block_background_fill_dark="transparent",
    block_label_background_fill="transparent",
    block_title_text_color="*neutral_600",
    block_title_text_color_dark="*neutral_300",
    block_title_text_size="0.8rem",
    block_title_text_weight="600",
    button_primary_background_fill="*primary_700",
    button_primary_background_fill_dark="*primary_700",
    button_primary_background_fill_hover="*primary_800",
    layout_gap="0.75rem",
    form_gap_width="0px",
)

# The arguments of `launch`.
LAUNCH: dict[str, Any] = {
    "max_file_size": f"{limits.MAX_FILE_MEGABYTES}mb",
    "theme": _THEME,
    "css": html.STYLE,
    "css_paths": _FOLDER / "page.css",
    "head": f"<script>{(_FOLDER / 'page.js').read_text(encoding='utf-8')}</script>",
    "ssr_mode": False,
    "footer_links": ["api"],
    "state_session_capacity": limits.SESSIONS,
    "max_threads": limits.THREADS,
    "enable_monitoring": False,
    "app_kwargs": {"middleware": [Middleware(limits.Gate, [endpoint.__name__ for endpoint in ENDPOINTS])]},
}

_HEADER = """
<header class="bleu-head"><h1>BLEU</h1>
<p>What matched, a score for a corpus, and whether a system is better: with sacreBLEU’s numbers.</p></header>
"""
_LOAD = """\
import evaluate

bleu = evaluate.load("{name}")
print(bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]]))
"""


def build_demo() -> gr.Blocks:
    """Return the demo, ready to be launched."""
    # A file that just misses one deletion waits for the next: frequency and age add up to limits.SECONDS_KEPT.
    frequency = limits.SECONDS_KEPT // 4
    with gr.Blocks(
        title="BLEU", analytics_enabled=False, delete_cache=(frequency, limits.SECONDS_KEPT - frequency)
    ) as blocks:
        html.add_html(_HEADER)
        with gr.Tabs(selected="sentence") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                sentence = add_sentence_tab()
            with gr.Tab("Corpus", id="corpus"):
                add_corpus_tab(tabs, sentence)
            with gr.Tab("About", id="about"):
                _add_about_tab()
        for endpoint in ENDPOINTS:
            api(endpoint, **limits.WORK)
    blocks.queue(default_concurrency_limit=limits.CONCURRENT_SENTENCES, max_size=limits.QUEUE_SIZE)
    return blocks


def _add_about_tab() -> None:
    """Add what the metric is, the limits of the demo, how to load and cite the metric, and the metric card."""
    gr.Markdown(f"{bleu.description}\n\n{limits.SUMMARY}")
    name = os.environ.get("SPACE_ID", "path/to/bleu_metric")
    html.add_html(html.code("How to load it", _LOAD.format(name=name)))
    html.add_html(html.code("How to cite it", bleu.citation))
    with gr.Accordion("Metric card", open=False, elem_id="card"):
        # README.md without the header for the Hub.
        readme = _FOLDER.with_name("README.md").read_text(encoding="utf-8")
        gr.Markdown(readme.split("---\n", 2)[2])
