"""The tab for a corpus: data given once, and what can be asked of it. One system is scored, several are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gradio as gr
import numpy as np

from . import html
from .differences import Differences, add_differences, show_pair
from .limits import PRIVATE_WORK, QUIET, REFERENCES, SECONDS_KEPT, RefusedError, explain_error
from .metric import collect_warnings
from .options import (
    ALL_OPTIONS,
    SCORING_OPTIONS,
    add_options,
    change_options,
    convention_values,
    fold_label,
    read_options,
)
from .remedies import find_remedies
from .requests import request_comparison
from .scored import Scored, prepare_corpus, read_column, read_segment, read_segments, score_corpus
from .segments import Segments, add_segments, list_segments
from .sentence import Sentence, Shown, show_values
from .sources import FROM_EXAMPLE, Corpus, Sources, add_sources, read_corpus
from .systems import TESTS, render_system, render_systems
from .why import Why, add_why

_MENDS = [("Make quotes straight", "quotes"), ("Detokenise predictions", "detokenise")]
_DOWNLOADS = [("Segments", "CSV"), ("Segments", "Parquet"), ("Result", "JSON")]
_BELOW = 1 + len(_DOWNLOADS) + len(Segments._fields) + len(Differences._fields) + len(Why._fields)  # the summary and on


class Results(NamedTuple):
    """The components that show a result."""

    message: gr.HTML
    column: gr.Column
    scored: gr.State
    summary: gr.HTML
    downloads: list[gr.DownloadButton]
    segments: Segments
    differences: Differences
    why: Why

    def components(self) -> list[Any]:
        """All that scoring changes, in the order of `_list_values`."""
        head = [self.message, self.column, self.scored, self.summary, *self.downloads]
        return [*head, *self.segments, *self.differences, *self.why]


class Choices(NamedTuple):
    """The fields besides the options of the metric."""

    which: gr.Dropdown
    mends: gr.CheckboxGroup
    test: gr.Radio


def add_corpus_tab(tabs: gr.Tabs, sentence: Sentence) -> None:
    """Add the tab's content, and what happens in it."""
    with gr.Column(elem_id="corpus-inputs"):
        options = add_options("corpus", ALL_OPTIONS)
        with options.fold:
            choices = _add_choices()
        sources = add_sources()
        button = gr.Button("Score", variant="primary", elem_id="score")
    results = _add_results()
    inputs = [*sources, *choices, *options.fields]
    fields = [*inputs, results.why.system]
    changed = [*choices, *options.fields]
    shown = [*results.components(), options.fold]
    work = {**PRIVATE_WORK, "js": "bleuPage.ask", "trigger_mode": "always_last"}
    button.click(_score, fields, shown, **work).then(None, js="() => bleuPage.answer()")
    gr.on([field.change for field in inputs], None, inputs, None, js="bleuPage.changed")
    # The example is scored as soon as it's chosen.
    press = f"(origin) => origin === {html.json_text(FROM_EXAMPLE)} && document.querySelector('#score').click()"
    sources.origin.input(None, sources.origin, None, js=press)
    options.convention.input(lambda name: convention_values(name), options.convention, options.fields, **QUIET)
    for component in (results.summary, results.why.answer):
        applied = component.click(_apply, changed, changed, **QUIET)
        again = applied.then(_score, fields, shown, **work)
        again.then(None, js="() => { bleuPage.answer(); bleuPage.keepFocus('#score'); }")
    _connect_sentence(tabs, sentence, results)


def _connect_sentence(tabs: gr.Tabs, sentence: Sentence, results: Results) -> None:
    """Segments open in the tab of one sentence, one's or both candidates, and from there the way leads back."""
    target = [tabs, sentence.shown, *sentence.fields, *sentence.results, sentence.fold, sentence.back]
    focus = "() => bleuPage.visit('#back')"
    results.segments.listing.click(_open_segment, results.scored, target, **QUIET).then(None, js=focus)
    _, first, second, *_, opened = results.differences

    def open_both(event: gr.EventData, *pair: Any) -> dict[Any, Any]:
        if event.action != "sentence":
            return {opened: ""}
        return dict(zip(target, _fill_sentence(pair[0], str(event.segment), pair[1:])))

    both = opened.click(open_both, [results.scored, first, second], [opened, *target], **QUIET)
    both.then(None, js="() => bleuPage.leave()")
    back = sentence.back.click(
        lambda: [gr.Tabs(selected="corpus"), gr.update(visible=False)], None, [tabs, sentence.back], **QUIET
    )
    back.then(None, js="() => bleuPage.comeBack()")


def _add_choices() -> Choices:
    with gr.Row():
        which = gr.Dropdown(
            [("all", "all"), *((f"only number {i}", i - 1) for i in range(1, REFERENCES + 1))],
            value="all",
            label="References used",
            elem_id="which-references",
        )
        mends = gr.CheckboxGroup(_MENDS, label="Before scoring", elem_id="mends")
        test = gr.Radio(
            [(label, name) for name, label in TESTS.items()], value="bootstrap", label="Test", elem_id="test"
        )
    return Choices(which, mends, test)


def _add_results() -> Results:
    message = gr.HTML(elem_id="corpus-message", elem_classes="bleu-page")
    scored = gr.State(None, time_to_live=SECONDS_KEPT)
    with gr.Column(visible=False, elem_id="corpus", elem_classes="bleu-results") as column:
        gr.HTML(
            '<p class="bleu-message bleu-old">Something has changed since: press Score.</p>', elem_classes="bleu-page"
        )
        summary = html.clickable("", "corpus-summary")
        with gr.Row(elem_classes="bleu-downloads"):
            downloads = [
                gr.DownloadButton(f"{content} ({kind})", size="sm", elem_id=f"download-{kind.lower()}", min_width=120)
                for content, kind in _DOWNLOADS
            ]
        segments = add_segments(scored)
        differences = add_differences(scored)
        why = add_why(scored)
    return Results(message, column, scored, summary, downloads, segments, differences, why)


def _score(*values: Any, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008 where Gradio looks for it
    """Everything below the button, for what the fields hold."""
    *inputs, asked_about = values
    given, rest = inputs[: len(Sources._fields)], inputs[len(Sources._fields) :]
    (which, mends, test), fold = rest[: len(Choices._fields)], gr.skip()
    try:
        options = read_options(rest[len(Choices._fields) :])
        fold = gr.update(label=fold_label(options))
        progress(0.1, desc="Reading")
        corpus, remark = prepare_corpus(read_corpus(*given), which, mends)
        progress(0.4, desc="Scoring")
        with collect_warnings() as warnings:
            scored, results = score_corpus(corpus, options, which, remark)
            comparison = None
            if len(results) > 1:
                progress(0.7, desc="Resampling")
                comparison = request_comparison(corpus.systems, corpus.references, None, test, options)
        progress(0.9, desc="Drawing")
        return [*_list_values(scored, corpus, results, comparison, warnings), *_list_why(scored, asked_about), fold]
    except (TypeError, ValueError, OverflowError) as error:
        return [html.message(explain_error(error)), gr.update(visible=False), None, *[gr.skip()] * _BELOW, fold]


def _list_values(scored: Scored, corpus: Corpus, results: Any, comparison: Any, warnings: Sequence[str]) -> list[Any]:
    """What the components of `Results` hold, but for those of `Why`."""
    first, *others = scored.systems
    predictions = corpus.systems[first]
    remedies = find_remedies(predictions, corpus.references, scored.options)
    notes = html.remedies(remedies) + html.notes([] if remedies else warnings)
    if comparison is None:
        table = read_segments(scored)
        scores, ratios = (read_column(scored, table, first, name).to_numpy() for name in ("bleu", "length_ratio"))
        summary = render_system(scored, results[first], scores, ratios[~np.isnan(ratios)])
        pair = [gr.update(visible=False), *[gr.skip()] * (len(Differences._fields) - 1)]
        order = "lowest BLEU first"
        listed = [gr.update(visible=True), "", order, list_segments(scored, "", order)]
    else:
        identical = [name for name in others if corpus.systems[name] == predictions]
        summary = render_systems(scored, comparison, identical, len(predictions))
        choices = [gr.update(choices=scored.systems, value=name) for name in (first, others[0])]
        overview, download, listing, opened = show_pair(scored, first, others[0])
        pair = [gr.update(visible=True), *choices, overview, download, "", listing, opened]
        listed = [gr.update(visible=False), *[gr.skip()] * (len(Segments._fields) - 1)]
    return [
        "",
        gr.update(visible=True),
        scored,
        summary + notes,
        scored.csv,
        scored.parquet,
        scored.json,
        *listed,
        *pair,
    ]


def _list_why(scored: Scored, asked_about: str | None) -> list[Any]:
    """What the components of `Why` hold: the system that was asked about stays, if there still is one of its name."""
    system = asked_about if asked_about in scored.systems else scored.systems[0]
    return [gr.update(choices=scored.systems, value=system), ""]


def _apply(event: gr.EventData, which: Any, mends: list[str], test: str, *values: Any) -> list[Any]:
    """The fields after a button has changed some of them."""
    data = event._data
    if "convention" in data:
        values = tuple(convention_values(data["convention"]))
    if data.get("references"):
        which = "all" if data["references"] == "all" else int(data["references"])
    if data.get("mend"):
        mends = [*dict.fromkeys([*mends, data["mend"]])]
    return [which, mends, test, *change_options(ALL_OPTIONS, values, data.get("options", "{}"))]


def _open_segment(event: gr.EventData, scored: Scored | None) -> list[Any]:
    """The clicked segment in the first tab, scored there with the options that it was scored with here."""
    return _fill_sentence(scored, str(event.segment), ())


def _fill_sentence(scored: Scored | None, number: str, systems: Sequence[str]) -> list[Any]:
    try:
        segment = read_segment(scored, number, systems)
    except RefusedError as error:
        raise gr.Error(str(error), print_exception=False) from None
    assert scored is not None
    first, *others = (text.replace("\n", " ") for text in segment.predictions)
    second = others[0] if others else ""
    lines = "\n".join(text.replace("\n", " ") for text in segment.references)
    options = {**scored.options, "effective_order": True}
    values = show_values(Shown((first, second, lines)), [options[name] for name in SCORING_OPTIONS])
    fold, back = gr.update(open=bool(second)), gr.update(value=f"Back to segment {number}", visible=True)
    return [gr.Tabs(selected="sentence"), *values, fold, back]
