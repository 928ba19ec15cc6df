"""The page: all tabs and endpoints, put together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr
from gradio.events import api
from starlette.middleware import Middleware

from .about import add_about_tab
from .corpus import add_corpus_tab
from .endpoints import ENDPOINTS
from .gate import Gate
from .html import STYLE
from .limits import CONCURRENT_SENTENCES, FILE_MEGABYTES, QUEUE_SIZE, SECONDS_KEPT, SESSIONS, WORK
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

# How `app.py` launches the page.
LAUNCH: dict[str, Any] = {
    "max_file_size": f"{FILE_MEGABYTES}mb",
    "theme": _THEME,
    "css": STYLE,
    "css_paths": _FOLDER / "page.css",
    "head": f"<script>{(_FOLDER / 'page.js').read_text(encoding='utf-8')}</script>",
    "ssr_mode": False,
    "footer_links": ["api"],
    "state_session_capacity": SESSIONS,
    "app_kwargs": {"middleware": [Middleware(Gate)]},
}

_HEADER = """
<header class="bleu-head"><h1>BLEU</h1>
<p>What matched, a score for a corpus, and whether a system is better: with sacreBLEU’s numbers.</p></header>
"""


def page() -> gr.Blocks:
    """The page, ready to be launched."""
    blocks = gr.Blocks(title="BLEU", analytics_enabled=False, delete_cache=_deletion())
    with blocks:
        gr.HTML(_HEADER, elem_classes="bleu-page")
        _add_tabs()
        for endpoint in ENDPOINTS:
            api(endpoint, **WORK)
    blocks.queue(default_concurrency_limit=CONCURRENT_SENTENCES, max_size=QUEUE_SIZE)
    return blocks


def _add_tabs() -> None:
    with gr.Tabs(selected="sentence") as tabs:
        with gr.Tab("Sentence", id="sentence"):
            sentence = add_sentence_tab()
        with gr.Tab("Corpus", id="corpus"):
            add_corpus_tab(tabs, sentence)
        with gr.Tab("About", id="about"):
            add_about_tab()


def _deletion() -> tuple[int, int]:
    """How often Gradio looks for files to delete, and how old these are, in seconds.

    A file that just misses one look waits for the next: the two add up to what About promises.
    """
    interval = SECONDS_KEPT // 4
    return interval, SECONDS_KEPT - interval
