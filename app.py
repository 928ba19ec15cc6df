"""The Space: a page where BLEU can be looked at. `python app.py` serves it; README.md's header makes a Space of it.

One file a tab; this one puts them together and gives each an endpoint for programs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr

from app_corpus import corpus_tab, scored
from app_difference import difference_tab, reconciled, side_by_side
from app_limits import AT_ONCE, FILE_MEGABYTES, SECONDS_KEPT, TOLD, WAITING
from app_metric import bleu, hearing, warm_up
from app_sentence import explained, sentence_tab
from app_systems import compared, systems_tab

_HEAD = """
<header class="bleu-page bleu-head"><h1>BLEU</h1>
<p>See what matched, score a corpus, compare two systems: sacreBLEU's numbers, by the metric in this Space.</p>
</header>
"""

_LOAD = """\
import evaluate

bleu = evaluate.load("{name}")
print(bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]]))
"""


def explain(prediction: str, references: list[str], options: dict[str, Any] | None = None) -> dict[str, Any]:
    """What matched in one sentence: its score, and its tokens with the longest n-gram that matched at each.

    Args:
        prediction: the candidate, as text.
        references: one reference or more.
        options: of the metric, such as {"tokenize": "zh", "lowercase": true}; none for sacreBLEU's defaults.

    Returns:
        What `bleu.explain` returns: scores, tokens, and what was clipped and missed at each order.
    """
    return _answered(lambda: explained(prediction, references, options or {}))


def score(predictions: list[str], references: list[Any], options: dict[str, Any] | None = None) -> dict[str, Any]:
    """BLEU of a corpus, with the score of each segment.

    Args:
        predictions: one text a segment.
        references: for each segment a list of references, or one text.
        options: of the metric, such as {"confidence": 0.95}; none for sacreBLEU's defaults.

    Returns:
        What `bleu.compute` returns with `segments=True`.
    """
    return _answered(lambda: scored(predictions, references, options or {})[0])


def compare(
    systems: dict[str, list[str]],
    references: list[Any],
    baseline: str | None = None,
    test: str = "bootstrap",
    options: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Whether one of two systems is better than the other by more than chance.

    Args:
        systems: the predictions of each system, by its name.
        references: for each segment a list of references, or one text.
        baseline: the name of a system; the first unless given.
        test: "bootstrap" or "randomization".
        options: of the metric, such as {"n_resamples": 2000}; none for sacreBLEU's defaults.

    Returns:
        What `bleu.compare` returns: scores, intervals, difference and p-value.
    """
    return _answered(lambda: dict(compared(systems, references, baseline, test, options or {})))


def conventions(predictions: list[str], references: list[Any]) -> dict[str, Any]:
    """The score of a corpus under each convention, and what each difference is due to.

    Args:
        predictions: one text a segment.
        references: for each segment a list of references, or one text.

    Returns:
        What `bleu.conventions` returns.
    """
    return _answered(lambda: dict(side_by_side(predictions, references)))


def reconcile(
    predictions: list[str],
    references: list[Any],
    reported: float | str,
    decimals: int | None = None,
    options: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Which settings give a published number.

    Args:
        predictions: one text a segment.
        references: for each segment a list of references, or one text.
        reported: the number, from 0 to 1 or from 0 to 100; as text, its last zeros count.
        decimals: how many of its decimals are known; as many as it's written with unless given.
        options: what is known, such as {"tokenize": "zh"}.

    Returns:
        What `bleu.reconcile` returns.
    """
    return _answered(lambda: dict(reconciled(predictions, references, reported, decimals, options or {})))


def page() -> gr.Blocks:
    """All tabs and endpoints."""
    every = (
        SECONDS_KEPT // 4
    )  # as often Gradio looks for files to delete: those as old as makes the promise of About true
    with gr.Blocks(title="BLEU", analytics_enabled=False, delete_cache=(every, SECONDS_KEPT - every)) as blocks:
        gr.HTML(_HEAD)
        with gr.Tabs(selected="sentence") as tabs:
            with gr.Tab("Sentence", id="sentence"):
                sentence = sentence_tab()
            with gr.Tab("Corpus", id="corpus"):
                corpus_tab(tabs, sentence)
            with gr.Tab("Systems", id="systems"):
                systems_tab()
            with gr.Tab("Why?", id="difference"):
                difference_tab()
            with gr.Tab("About", id="about"):
                about_tab()
        for endpoint in (explain, score, compare, conventions, reconcile):
            gr.api(endpoint)
    return blocks.queue(default_concurrency_limit=AT_ONCE, max_size=WAITING)


def about_tab() -> None:
    """What this is, how to load it and how to cite it; the metric card is README.md."""
    name = os.environ.get("SPACE_ID", "path/to/bleu_metric")
    gr.Markdown(f"{bleu.description}\n\n{TOLD}")
    gr.Code(_LOAD.format(name=name), language="python", label="How to load it", interactive=False)
    gr.Code(bleu.citation, language=None, label="How to cite it", interactive=False)
    with gr.Accordion("Metric card", open=False, elem_id="card"):
        _, _, card = Path(__file__).with_name("README.md").read_text(encoding="utf-8").split("---\n", 2)
        gr.Markdown(card)


def _answered(call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        with hearing() as heard:
            answer = call()
    except (TypeError, ValueError) as error:
        raise gr.Error(str(error), print_exception=False) from None
    return {**answer, "warnings": heard}


if __name__ == "__main__":
    warm_up()
    page().launch(
        max_file_size=f"{FILE_MEGABYTES}mb",
        theme=gr.themes.Base(
            primary_hue="blue",
            neutral_hue="gray",
            font=["system-ui", "sans-serif"],
            font_mono=["ui-monospace", "monospace"],
        ),
        css_paths=Path(__file__).with_name("app.css"),
        ssr_mode=False,
        footer_links=["api"],
    )
