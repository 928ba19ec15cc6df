"""Where two systems differ: a chart whose points open the segment, lengths, n-grams, segments side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr
import numpy as np
import pyarrow as pa

from . import html
from .charts import Point, scatter
from .downloads import write_json
from .limits import (
    PRIVATE_WORK,
    QUIET,
    SENTENCE_CHARACTERS,
    SHOWN_NGRAMS,
    SHOWN_PAIRS,
    SHOWN_POINTS,
    RefusedError,
    explain_error,
)
from .options import SCORING_OPTIONS
from .requests import request_difference, request_explanation
from .scored import REFERENCES, Scored, Segment, read_column, read_segment, read_segments
from .segments import find_text
from .sentence import find_differing

_CHARACTERS = 200  # of a text in the list


class Differences(NamedTuple):
    """The components; `first` and `second` choose the systems."""

    column: gr.Column
    first: gr.Dropdown
    second: gr.Dropdown
    overview: gr.HTML
    download: gr.DownloadButton
    search: gr.Textbox
    listing: gr.HTML
    opened: gr.HTML


def add_differences(scored: gr.State) -> Differences:
    """Add the section to the page, and what happens in it; `scored` holds what was scored."""
    with gr.Column(elem_id="differences", visible=False) as column:
        gr.HTML("<h2>Where two differ</h2>", elem_classes="bleu-page")
        with gr.Row():
            first = gr.Dropdown([], label="One system", elem_id="first-system")
            second = gr.Dropdown([], label="Another", elem_id="second-system")
            download = gr.DownloadButton("Differences (JSON)", size="sm", elem_id="download-differences")
        overview = html.clickable("", "overview")
        opened = html.clickable("", "opened")
        search = gr.Textbox(label="Segments with the text", max_length=200, elem_id="search-differences")
        listing = html.clickable("", "difference-list")
    components = Differences(column, first, second, overview, download, search, listing, opened)
    pair = [scored, first, second]
    shown = [overview, download, listing, opened]
    gr.on([first.input, second.input], show_pair, [*pair, search], shown, **PRIVATE_WORK)
    search.input(list_pairs, [*pair, search], listing, trigger_mode="always_last", **QUIET)
    for component in (overview, listing):
        component.click(_open_pair, pair, opened, **QUIET).then(None, js="() => bleuPage.visit('#opened h3')")
    return components


def show_pair(scored: Scored | None, first: str, second: str, search: str = "") -> list[Any]:
    """The overview of two systems, its download, the list of segments with a text, and no segment opened."""
    if first == second:
        return [html.message("Choose two different systems."), gr.skip(), "", ""]
    try:
        table = read_segments(scored)
        assert scored is not None
        one, other = (read_column(scored, table, name, "prediction").to_pylist() for name in (first, second))
        options = {name: scored.options[name] for name in SCORING_OPTIONS}
        difference = request_difference(one, other, table[REFERENCES].to_pylist(), options)
    except RefusedError as error:
        return [html.message(explain_error(error)), gr.skip(), "", ""]
    overview = _render_overview(difference, (first, second))
    return [overview, write_json(dict(difference), "differences"), list_pairs(scored, first, second, search), ""]


def list_pairs(scored: Scored | None, first: str, second: str, search: str) -> str:
    """The segments in which two systems differ most, as HTML."""
    try:
        table = read_segments(scored)
    except RefusedError as error:
        return html.message(explain_error(error))
    assert scored is not None
    columns = {
        f"{name} {key}": read_column(scored, table, name, key)
        for name in (first, second)
        for key in ("bleu", "prediction")
    }
    found = find_text(pa.table({"segment": table["segment"], REFERENCES: table[REFERENCES], **columns}), search)
    scores = [100 * found[f"{name} bleu"].to_numpy() for name in (first, second)]
    order = np.argsort(-np.abs(scores[1] - scores[0]), kind="stable")[:SHOWN_PAIRS]
    rows = []
    for row in order.tolist():
        number = str(found["segment"][row].as_py())
        predictions = [found[f"{name} prediction"][row].as_py()[:_CHARACTERS] for name in (first, second)]
        values = [f"{scores[0][row]:.2f}", f"{scores[1][row]:.2f}", f"{scores[1][row] - scores[0][row]:+.2f}"]
        rows.append([html.Markup(html.button(number, "open", segment=number)), *values, *predictions])
    shown = f", the first {SHOWN_PAIRS:,} shown" if len(found) > SHOWN_PAIRS else ""
    count = f'<p class="bleu-label">{html.quantity(len(found), "segment")}{shown}</p>'
    return count + html.rows(["segment", first, second, "difference", f"text of {first}", f"text of {second}"], rows)


def _open_pair(event: gr.EventData, scored: Scored | None, first: str, second: str) -> str:
    """A segment of both systems side by side."""
    try:
        segment = read_segment(scored, str(event.segment), (first, second))
        assert scored is not None
        return _render_pair(str(event.segment), segment, (first, second), scored.options)
    except (TypeError, ValueError, OverflowError) as error:
        return html.message(explain_error(error))


def _render_pair(number: str, segment: Segment, names: tuple[str, str], options: Mapping[str, Any]) -> str:
    head = (
        f'<h3 tabindex="-1">Segment {number}</h3><p>{html.button("Open in Sentence", "sentence", segment=number)}'
        f" {html.button('Close', 'close')}</p>"
    )
    if max(map(len, [*segment.predictions, *segment.references])) > SENTENCE_CHARACTERS:
        sides = "".join(f"<section>{html.paragraph(text)}</section>" for text in segment.predictions)
        return f'{head}<div class="bleu-sides">{sides}</div>'
    counting = {name: options[name] for name in SCORING_OPTIONS} | {"effective_order": True}
    both = [request_explanation(text, segment.references, counting) for text in segment.predictions]
    differing = find_differing([one["prediction"]["tokens"] for one in both])
    order = len(both[0]["orders"])
    labels = [f"{name}, {one['score']:.2f} BLEU," for name, one in zip(names, both)]
    sides = "".join(
        f"<section>{html.tokens(one['prediction'], order, label, marked)}</section>"
        for label, one, marked in zip(labels, both, differing)
    )
    return f'{head}<div class="bleu-sides">{sides}</div>{_render_references(both, order)}{html.legend(order)}'


def _render_references(both: Sequence[Mapping[str, Any]], order: int) -> str:
    """The references, each token in the colour of the better match, those marked that one system alone has."""
    parts = []
    for i, (first, second) in enumerate(zip(*(one["references"] for one in both)), 1):
        matches = list(zip(first["longest_match"], second["longest_match"]))
        alone = {at for at, (a, b) in enumerate(matches) if bool(a) != bool(b)}
        text = {**first, "longest_match": [max(pair) for pair in matches]}
        parts.append(html.tokens(text, order, f"Reference {i}, underlined what only one of the two has,", alone))
    return "".join(parts)


def _render_overview(difference: Any, names: tuple[str, str]) -> str:
    first, second = names
    systems = difference["systems"]
    words = (
        f"{second} is better in {html.quantity(difference['wins'], 'segment')}, {first} in {difference['losses']:,};"
        f" {difference['ties']:,} are equal. Overall {systems['second']['score']:.2f} against"
        f" {systems['first']['score']:.2f} BLEU."
    )
    chart = scatter(_choose_points(difference["segment_bleu"]), names, words)
    lengths = [
        [
            f"{group['from']} to {group['to']}" if group["to"] is not None else f"{group['from']} and more",
            f"{group['segments']:,}",
            *(f"{100 * group[side]:.2f}" for side in ("first", "second")),
            f"{100 * group['delta']:+.2f}",
        ]
        for group in difference["by_length"]
    ]
    by_length = html.rows(["tokens of the reference", "segments", first, second, "difference"], lengths)
    ngrams = "".join(
        f"<section>{html.heading(f'Only {name} gets')}{_render_ngrams(difference.most_telling(side, SHOWN_NGRAMS))}"
        "</section>"
        for side, name in (("first", first), ("second", second))
    )
    return (
        f'<p data-announce="{html.show(words)}">{html.show(words)}</p>'
        f'<div class="bleu-sides"><section>{chart}</section>'
        f'<section>{html.heading("By length")}{by_length}</section></div><div class="bleu-sides">{ngrams}</div>'
    )


def _choose_points(scores: Mapping[str, Sequence[float]]) -> list[Point]:
    """The segments to draw: all, or those that differ most."""
    first, second = (100 * np.array(scores[side]) for side in ("first", "second"))
    order = np.argsort(-np.abs(second - first), kind="stable")[:SHOWN_POINTS]
    return [Point(row + 1, float(first[row]), float(second[row])) for row in sorted(order.tolist())]


def _render_ngrams(ngrams: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            " ".join(map(str, one["ngram"])),
            f"{one['only_first']:,} : {one['only_second']:,}",
            html.Markup(html.button(str(one["segment"] + 1), "open", segment=str(one["segment"] + 1))),
        ]
        for one in ngrams
    ]
    return html.rows(["n-gram", "matches", "segment"], rows) if rows else html.message("None.", "note")
