"""The demo as a whole: its endpoints for programs, its views, and how it is launched."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.blocks import Block
from gradio.events import api
from gradio.state_holder import SessionState
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from starlette.middleware import Middleware

from . import gate, html, limits
from .corpus import Corpus
from .metric import (
    bleu,
    collect_warnings,
    request_comparison,
    request_conventions,
    request_explanation,
    request_score,
    request_settings,
)
from .sentence import Sentence, answer_sent

_FOLDER = Path(__file__).parent
_THEME = gr.themes.Base(
    primary_hue="blue",
    neutral_hue="gray",
    font=["system-ui", "sans-serif"],
    font_mono=["ui-monospace", "monospace"],
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

_HEADER = """
<header class="bleu-head"><a class="bleu-skip" href="#">Skip to the result</a>
<h1><button type="button" data-to-view="sentence">BLEU</button></h1>
<p>How many sequences of one to four words translations share with human ones; best: 100.</p>
<button type="button" data-to-view="corpus" hidden>Result</button>
<button type="button" data-to-view="about">About</button></header>
"""
_LOAD = """\
# pip install evaluate numba "numpy>=2" scipy
import evaluate

bleu = evaluate.load({name})
print(bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]]))
"""


# --- Endpoints ------------------------------------------------------------------------------------
#
# The metric's methods, with its warnings added to the result.


def explain(
    prediction: str, references: list[str], options: dict[str, object] | None = None
) -> dict[str, object]:
    """Explain the score of one sentence: its tokens, each with its longest matching n-gram.

    Args:
        prediction: the candidate, as text.
        references: one or more texts.
        options: the metric's options, such as {"tokenize": "zh", "lowercase": true}; by default
            sacreBLEU's.

    Returns:
        The result of `bleu.explain`: scores, tokens, and the clipped and missed n-grams of each
        order.
    """
    return _answer(lambda: request_explanation(prediction, references, options or {}))


def score(
    predictions: list[str], references: list[object], options: dict[str, object] | None = None
) -> dict[str, object]:
    """Score a corpus, and each of its segments.

    Args:
        predictions: one text per segment.
        references: one list of references per segment, or one text.
        options: the metric's options, such as {"confidence": 0.95}; by default sacreBLEU's.

    Returns:
        The result of `bleu.compute` with `segments=True`.
    """
    return _answer(lambda: request_score(predictions, references, options or {}).result)


def compare(
    systems: dict[str, list[str]],
    references: list[object],
    baseline: str | None = None,
    test: str = "randomization",
    options: dict[str, object] | None = None,
) -> dict[str, object]:
    """Test whether one of two systems scores higher than the other by more than chance.

    Args:
        systems: the predictions of each system by its name.
        references: one list of references per segment, or one text.
        baseline: the name of a system; by default the first.
        test: "bootstrap" or "randomization".
        options: the metric's options, such as {"n_resamples": 2000}; by default sacreBLEU's.

    Returns:
        The result of `bleu.compare`: scores, intervals, difference and p-value.
    """
    return _answer(
        lambda: request_comparison(systems, references, baseline, test, options=options or {})
    )


def reconcile(
    predictions: list[str],
    references: list[object],
    reported: float | str | None = None,
    decimals: int | None = None,
    options: dict[str, object] | None = None,
) -> dict[str, object]:
    """Find the settings that give a reported score, or score a corpus under each convention.

    Args:
        predictions: one text per segment.
        references: one list of references per segment, or one text.
        reported: the score, from 0 to 1 or from 0 to 100; in a string, trailing zeros count as
            decimals. Without it, each convention is scored, and each difference explained.
        decimals: the number of decimals that are known; by default all that are written.
        options: the known settings, such as {"tokenize": "zh"}.

    Returns:
        The result of `bleu.reconcile`.
    """
    if reported is None:
        return _answer(lambda: request_conventions(predictions, references, options or {}))
    return _answer(
        lambda: request_settings(predictions, references, reported, decimals, options=options or {})
    )


class Demo(gr.Blocks):
    """Blocks that fill in default arguments, and do not touch what an event leaves as it is."""

    async def preprocess_data(
        self, block_fn: Any, inputs: list[object], *others: Any, **named: Any
    ) -> Any:
        """Append the defaults of arguments that a program left out, and reject objects of files.

        Gradio appends them for its clients only.
        """
        arguments = list(inputs)
        for block, value in zip(block_fn.inputs, arguments, strict=False):
            traverse(value, partial(_check_file, block), is_file_obj_with_meta)
        if len(inputs) < len(block_fn.inputs):
            parameters = list(signature(block_fn.fn).parameters.values())
            left_out = parameters[len(inputs) :]
            missing = [
                parameter.name for parameter in left_out if parameter.default is Parameter.empty
            ]
            if missing:
                text = f"Missing: {', '.join(missing)}. List the arguments in `data`."
                raise gr.Error(text, print_exception=False)
            arguments += [parameter.default for parameter in left_out]
        return await super().preprocess_data(block_fn, arguments, *others, **named)

    async def postprocess_data(
        self,
        block_fn: Any,
        predictions: list[Any] | dict[Any, Any],
        state: SessionState | None,
    ) -> list[Any]:
        """Return the values of the components that an update names, and leave others as they are.

        Gradio would make a new object for each of the others: two fifths of a keystroke's work.
        """
        is_update = isinstance(predictions, dict) and all(
            isinstance(component, Block) for component in predictions
        )
        if not is_update:
            return await super().postprocess_data(block_fn, predictions, state)
        values: dict[Block, Any] = {}
        if predictions:
            event = copy(block_fn)
            event.outputs = [output for output in block_fn.outputs if output in predictions]
            answers = await super().postprocess_data(event, predictions, state)
            values = dict(zip(event.outputs, answers, strict=True))
        return [values.get(output, gr.skip()) for output in block_fn.outputs]


def _check_file(block: Block, file: Mapping[str, str]) -> Mapping[str, str]:
    """Raise for an object of a file that was not uploaded: Gradio would fetch its address."""
    if not isinstance(block, gr.File) or is_http_url_like(file["path"]):
        raise gr.Error("Expected text, got a file. Upload files.", print_exception=False)
    return file


ENDPOINTS = (explain, score, compare, reconcile)


def _answer(request: Callable[[], Mapping[str, object]]) -> dict[str, object]:
    """Return the result of a request with the metric's warnings.

    An error of the metric or of a limit is raised as one that Gradio passes on.
    """

    def work() -> dict[str, object]:
        with collect_warnings() as warnings:
            return {**request(), "warnings": [str(warning) for warning in warnings]}

    try:
        return gate.run(work)
    except limits.ERRORS as error:
        raise gr.Error(limits.explain_error(error), print_exception=False) from None


# --- The page -------------------------------------------------------------------------------------

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
    "enable_monitoring": False,
    "app_kwargs": {
        "middleware": [Middleware(gate.Gate, [endpoint.__name__ for endpoint in ENDPOINTS])]
    },
}


def build_demo() -> gr.Blocks:
    """Return the demo, ready to be launched."""
    # A file that just misses one deletion waits for the next: frequency and age add up to
    # limits.SECONDS_KEPT.
    frequency = limits.SECONDS_KEPT // 4
    with Demo(
        title="BLEU",
        analytics_enabled=False,
        delete_cache=(frequency, limits.SECONDS_KEPT - frequency),
    ) as blocks:
        html.add_html(_HEADER)
        files = gr.Column(elem_id="corpus-inputs")
        # The views of the page: page.js changes them, and the tabs themselves are not in sight.
        with gr.Tabs(selected="sentence") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                sentence = Sentence()
            with gr.Tab("Corpus", id="corpus"):
                corpus = Corpus(files, tabs, sentence)
            with gr.Tab("About", id="about"):
                _add_about()
        link = gr.JSON(visible=False)
        restored = blocks.load(
            answer_sent(lambda link: sentence.restore(link) | corpus.restore(link)),
            [link, sentence.dropped],
            [
                *sentence.outputs(),
                sentence.second_fold,
                corpus.message,
                corpus.sources.origin,
                *corpus.sources.pasted,
            ],
            js="bleuPage.arrive",
            **limits.QUIET,
        )
        restored.then(None, js="() => bleuPage.arrived()")
        restored.failure(None, js="() => bleuPage.arrived()")
        for endpoint in ENDPOINTS:
            # A sentence does not wait for corpora.
            settings = {} if endpoint is explain else limits.WORK
            api(endpoint, **settings)
    blocks.queue(default_concurrency_limit=limits.CONCURRENT_EVENTS, max_size=limits.QUEUE_SIZE)
    return blocks


def _add_about() -> None:
    """Add what the metric is, the demo's limits, how to load and cite it, and the metric card."""
    summary = bleu.description.partition(". ")[0]
    minutes = limits.SECONDS_KEPT // 60
    kept = f"No other visitor sees your files, which are deleted within {minutes} minutes."
    gr.Markdown(f"{summary}. {kept}")
    html.add_html(html.code("How to load it", _write_loading()))
    with gr.Accordion("How to cite it", open=False, elem_id="citation"):
        html.add_html(html.code("", bleu.citation))
    for title, elem_id in (("Files", "forms"), ("Limits", "limits")):
        with gr.Accordion(title, open=False, elem_id=elem_id):
            gr.Markdown(_read_section(title))
    with gr.Accordion("Metric card", open=False, elem_id="card"):
        gr.Markdown(_read_card())


def _write_loading() -> str:
    """Return code that loads the metric: by the Hub's name in a Space, else by a path from here.

    By its name, evaluate finds only the module of a Space that is called as the Space is.
    """
    path = os.path.relpath(_FOLDER.parent / "bleu_metric.py")
    space = os.environ.get("SPACE_ID", "")
    if not space:
        return _LOAD.format(name=f'"./{Path(path).as_posix()}"')
    if space.endswith("/bleu_metric"):
        return _LOAD.format(name=f'"{space}"')
    folder = f'snapshot_download("{space}", repo_type="space")'
    return "from huggingface_hub import snapshot_download\n" + _LOAD.format(
        name=f'{folder} + "/bleu_metric.py"'
    )


def _read_section(title: str) -> str:
    """Return a section of docs/space.md."""
    text = (_FOLDER.parent / "docs" / "space.md").read_text(encoding="utf-8")
    _before, _heading, section = text.partition(f"\n## {title}\n")
    return section.partition("\n## ")[0]


def _read_card() -> str:
    """Return README.md without its header for the Hub, with links that work on the page.

    Pictures are embedded. Relative links lead to the files of the Space; outside of a Space only
    their text remains.
    """
    root = _FOLDER.parent
    space = os.environ.get("SPACE_ID")

    def replace_link(link: re.Match[str]) -> str:
        mark, text, path = link.groups()
        if mark == "!":
            picture = b64encode((root / path).read_bytes()).decode()
            return f"![{text}](data:image/svg+xml;base64,{picture})"
        if not space:
            return text
        return f"[{text}](https://huggingface.co/spaces/{space}/blob/main/{path})"

    readme = (root / "README.md").read_text(encoding="utf-8")
    _empty, _header, card = readme.split("---\n", 2)
    return re.sub(r"(!?)\[([^]]*)\]\((?!https:)(.*?)\)", replace_link, card)
