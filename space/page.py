"""The demo as a whole: its tabs and endpoints, and how it is launched."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.events import api
from PIL import Image, ImageDraw, ImageFont
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import html, limits
from .corpus import add_corpus_tab
from .endpoints import ENDPOINTS
from .metric import bleu
from .sentence import Sentence, add_sentence_tab
from .sources import EXAMPLES

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
    block_title_text_size="0.875rem",
    block_title_text_weight="600",
    button_primary_background_fill="*primary_700",
    button_primary_background_fill_dark="*primary_700",
    button_primary_background_fill_hover="*primary_800",
    layout_gap="0.75rem",
    form_gap_width="0px",
)

_INTRODUCTION = """\
BLEU counts the sequences of one to four words that a translation shares with human translations. 0 means none, 100
all."""
_HEADER = f"""
<header class="bleu-head"><h1>BLEU</h1>
<p>{_INTRODUCTION}</p></header>
"""
_PREVIEW = "/preview.png"
_TAGS = re.compile(rb'<meta\s+(?:property="og:|name="twitter:)[^>]*>')


class LinkPreview:
    """ASGI middleware that replaces Gradio's tags for link previews in the page, and draws the picture."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        start: dict[str, Any] = {}
        parts: list[bytes] = []

        async def replace(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            page = _TAGS.sub(b"", b"".join(parts)).replace(b"<head>", b"<head>" + _write_tags(Request(scope)), 1)
            MutableHeaders(raw=start["headers"])["content-length"] = str(len(page))
            await send(start)
            await send({**message, "body": page})

        if scope["type"] == "http" and scope["path"] == _PREVIEW:
            await Response(_draw_preview(), media_type="image/png")(scope, receive, send)
        else:
            is_page = scope["type"] == "http" and scope["path"] == "/"
            await self._app(scope, receive, replace if is_page else send)


def _write_tags(request: Request) -> bytes:
    """Return the tags for link previews; a picture needs an absolute address."""
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme).split(",")[0]
    picture = request.url.replace(scheme=scheme, path=_PREVIEW, query="")
    tags = {"title": "BLEU", "type": "website", "description": _INTRODUCTION, "image": str(picture)}
    lines = [f'<meta property="og:{name}" content="{html.show(text)}">' for name, text in tags.items()]
    return "".join([*lines, '<meta name="twitter:card" content="summary_large_image">']).encode()


@cache
def _draw_preview() -> bytes:
    """Return a picture of the first example: its score, and its tokens in their colors."""
    example = EXAMPLES[next(iter(EXAMPLES))]
    found = bleu.explain(example.candidate, example.references.split("\n"))
    image = Image.new("RGB", (1200, 630), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(54)
    draw.text((60, 40), f"{found['score']:.2f} BLEU", "#1d4ed8", ImageFont.load_default(150))
    x, y = 60.0, 290
    for token, order in zip(found["prediction"]["tokens"], found["prediction"]["longest_match"]):
        width = draw.textlength(token, font)
        if x + width > 1140:
            x, y = 60.0, y + 100
        shade = "#ffffff", "#dfeafe", "#bfd5fc", "#a0c1fb", "#80acf9"
        draw.rounded_rectangle((x - 10, y - 6, x + width + 10, y + 70), 10, shade[order])
        draw.text((x, y), token, "#1f2937", font)
        x += width + 36
    image.save(picture := BytesIO(), "PNG")
    return picture.getvalue()


_LOAD = """\
import evaluate

bleu = evaluate.load("{name}")
print(bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]]))
"""


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
    "app_kwargs": {
        "middleware": [Middleware(LinkPreview), Middleware(limits.Gate, [endpoint.__name__ for endpoint in ENDPOINTS])]
    },
}


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
            with gr.Tab("Corpus", id="corpus") as corpus:
                add_corpus_tab(tabs, corpus, sentence)
            with gr.Tab("About", id="about"):
                _add_about_tab()
        link = gr.JSON(visible=False)
        shown = [tabs, *sentence.outputs(), sentence.second_fold]
        restored = blocks.load(partial(_restore, tabs, sentence), link, shown, js="bleuPage.arrive", **limits.QUIET)
        restored.then(None, js="() => bleuPage.arrived()")
        for endpoint in ENDPOINTS:
            api(endpoint, **limits.WORK)
    blocks.queue(default_concurrency_limit=limits.CONCURRENT_SENTENCES, max_size=limits.QUEUE_SIZE)
    return blocks


def _restore(tabs: gr.Tabs, sentence: Sentence, link: dict[str, str]) -> dict[Any, Any]:
    """Return the update that shows the tab, texts and options of the address that the page was opened with."""
    tab = link.get("tab") in ("corpus", "about")
    return {tabs: gr.update(selected=link["tab"]) if tab else gr.skip(), **sentence.restore(link)}


def _add_about_tab() -> None:
    """Add what the metric is, the limits of the demo, how to load and cite the metric, and the metric card."""
    gr.Markdown(f"{bleu.description}\n\n{limits.SUMMARY}")
    name = os.environ.get("SPACE_ID", "path/to/bleu_metric")
    html.add_html(html.code("How to load it", _LOAD.format(name=name)))
    html.add_html(html.code("How to cite it", bleu.citation))
    with gr.Accordion("Metric card", open=False, elem_id="card"):
        gr.Markdown(_read_card())


def _read_card() -> str:
    """Return README.md without its header for the Hub, with links that work on the page.

    Pictures are embedded. Relative links lead to the files of the Space; outside of a Space only their text remains.
    """
    root, space = _FOLDER.parent, os.environ.get("SPACE_ID")

    def place(link: re.Match[str]) -> str:
        mark, text, path = link.groups()
        if mark:
            picture = b64encode((root / path).read_bytes()).decode()
            return f"![{text}](data:image/svg+xml;base64,{picture})"
        return f"[{text}](https://huggingface.co/spaces/{space}/blob/main/{path})" if space else text

    card = (root / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    return re.sub(r"(!?)\[([^]]*)\]\((?!https:)(.*?)\)", place, card)
