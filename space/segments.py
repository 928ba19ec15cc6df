"""The segments of one system, and the differences between two systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import gradio as gr
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from gradio.blocks import Block

from . import html, limits
from .metric import request_difference, request_explanation
from .options import SCORING_OPTIONS
from .scored import OpenedSegment, Scored, read_segment, read_segments
from .sentence import Update, find_differing

# The column that the segments are sorted by, and the direction.
_ORDERS = {
    "lowest BLEU first": ("bleu", 1),
    "highest BLEU first": ("bleu", -1),
    "shortest relative to the reference first": ("length_ratio", 1),
    "longest relative to the reference first": ("length_ratio", -1),
    "as in the file": ("segment", 1),
}
FIRST_ORDER = next(iter(_ORDERS))
_SEGMENT_CHARACTERS = 300  # per text in the list of segments
_PAIR_CHARACTERS = 200  # per text in the list of pairs


class Segments(NamedTuple):
    """The components of the list of one system's segments."""

    column: gr.Column
    search: gr.Textbox
    order: gr.Dropdown
    listing: gr.HTML

    def show(self, scored: Scored) -> Update:
        """Return the update that lists all segments."""
        return {
            self.search: "",
            self.order: FIRST_ORDER,
            self.listing: list_segments(scored.key, "", FIRST_ORDER),
        }


class Differences(NamedTuple):
    """The components of the section on two systems; `first` and `second` select them."""

    column: gr.Column
    first: gr.Dropdown
    second: gr.Dropdown
    overview: gr.HTML
    search: gr.Textbox
    listing: gr.HTML
    opened: gr.HTML

    def show(self, scored: Scored, first: str, second: str) -> Update:
        """Return the update that selects two systems and shows them."""
        choices: Update = {
            field: gr.update(choices=scored.systems, value=name)
            for field, name in ((self.first, first), (self.second, second))
        }
        return {self.search: "", **choices, **self.show_pair(scored.key, first, second, "")}

    def show_pair(self, key: str, first: str, second: str, search: str) -> Update:
        """Return the update that shows two systems, with the segments that contain a text, and closes the segment."""
        update: Update = {self.listing: "", self.opened: ""}
        if first == second:
            return update | {self.overview: html.message("Choose two different systems.")}
        try:
            scored, table = read_segments(key)
            systems = {
                name: table[scored.name_column(name, "prediction")].to_pylist()
                for name in (first, second)
            }
            options = {name: scored.options[name] for name in SCORING_OPTIONS}
            difference = request_difference(systems, table["references"].to_pylist(), options)
        except limits.RejectedError as error:
            return update | {self.overview: html.message(limits.explain_error(error))}
        return update | {
            self.overview: render_overview(difference),
            self.listing: list_pairs(key, first, second, search),
        }


def add_segments(key: gr.Textbox) -> Segments:
    """Add the list of segments, and its event handlers."""
    with gr.Column(elem_id="segments-part") as column:
        html.add_html("<h2>Segments</h2>")
        with gr.Row():
            search = gr.Textbox(label="Find segments containing", max_length=200, elem_id="search")
            order = gr.Dropdown(list(_ORDERS), value=FIRST_ORDER, label="Order", elem_id="order")
        listing = html.add_clickable("", "segments")
    gr.on([search.input, order.input], list_segments, [key, search, order], listing, **limits.QUIET)
    return Segments(column, search, order, listing)


def add_differences(key: gr.Textbox) -> Differences:
    """Add the section on two systems, and its event handlers."""
    with gr.Column(elem_id="differences", visible=False) as column:
        html.add_html("<h2>Where two systems differ</h2>")
        with gr.Row():
            first = html.add_system_field("One system", "first-system")
            second = html.add_system_field("Another", "second-system")
        overview = html.add_clickable("", "overview")
        opened = html.add_clickable("", "opened")
        search = gr.Textbox(
            label="Find segments containing", max_length=200, elem_id="search-differences"
        )
        listing = html.add_clickable("", "difference-list")
    differences = Differences(column, first, second, overview, search, listing, opened)
    pair: list[Block] = [key, first, second]
    shown = [overview, listing, opened]

    show_pair = partial(limits.run, differences.show_pair)
    gr.on([first.input, second.input], show_pair, [*pair, search], shown, **limits.PRIVATE_WORK)
    search.input(list_pairs, [*pair, search], listing, **limits.QUIET)
    for component in (overview, listing):
        component.click(_open_pair, pair, opened, **limits.QUIET).then(
            None, js="() => bleuPage.visit('#opened h3')"
        )
    return differences


def list_segments(key: str, search: str, order: str) -> str:
    """Return the list of the segments that contain a text, as HTML."""
    try:
        scored, table = read_segments(key)
    except limits.RejectedError as error:
        return html.message(str(error))
    names = {
        name: scored.name_column(scored.systems[0], name)
        for name in ("bleu", "length_ratio", "prediction")
    }
    columns = {"segment": "segment", "references": "references", **names}
    found = find_text(pa.table({name: table[source] for name, source in columns.items()}), search)
    column, direction = _ORDERS[order]
    values = direction * found[column].to_numpy(zero_copy_only=False).astype(float)
    chosen = found.take(np.argsort(values, kind="stable")[: limits.SHOWN_SEGMENTS]).to_pylist()
    rows = [
        [
            html.segment_button(row["segment"]),
            f"{100 * row['bleu']:.2f}",
            "" if row["length_ratio"] is None else f"{row['length_ratio']:.2f}",
            row["prediction"][:_SEGMENT_CHARACTERS],
            " | ".join(filter(None, row["references"]))[:_SEGMENT_CHARACTERS],
        ]
        for row in chosen
    ]
    head = ["segment", "BLEU", "length ratio", "prediction", "references"]
    return html.segment_rows(len(found), limits.SHOWN_SEGMENTS, head, rows)


def list_pairs(key: str, first: str, second: str, search: str) -> str:
    """Return the list of the segments that contain a text, those in which two systems differ most first, as HTML."""
    try:
        scored, table = read_segments(key)
        bleu_columns, text_columns = (
            [scored.name_column(name, kind) for name in (first, second)]
            for kind in ("bleu", "prediction")
        )
    except limits.RejectedError as error:
        return html.message(str(error))
    columns = {
        name: table[name] for name in ("segment", "references", *bleu_columns, *text_columns)
    }
    found = find_text(pa.table(columns), search)
    scores = [100 * found[name].to_numpy() for name in bleu_columns]
    order = np.argsort(-np.abs(scores[1] - scores[0]), kind="stable")[: limits.SHOWN_PAIRS]
    rows = []
    for row in order.tolist():
        number = str(found["segment"][row].as_py())
        texts = [found[name][row].as_py()[:_PAIR_CHARACTERS] for name in text_columns]
        values = [
            f"{scores[0][row]:.2f}",
            f"{scores[1][row]:.2f}",
            f"{scores[1][row] - scores[0][row]:+.2f}",
        ]
        rows.append([html.segment_button(number), *values, *texts])
    head = ["segment", first, second, "difference", f"text of {first}", f"text of {second}"]
    return html.segment_rows(len(found), limits.SHOWN_PAIRS, head, rows)


def find_text(table: pa.Table, search: str) -> pa.Table:
    """Return the rows that contain a text in a prediction or a reference; case is ignored.

    >>> find_text(pa.table({"prediction": ["A b", "c"], "references": [["d"], ["e"]]}), "B").num_rows
    1
    """
    if not search:
        return table
    found = np.zeros(len(table), bool)
    for column in table.itercolumns():
        is_list = pa.types.is_list(column.type)
        if not is_list and not pa.types.is_string(column.type):
            continue
        texts = column.combine_chunks()
        hits = pc.match_substring(
            texts.flatten() if is_list else texts, search, ignore_case=True
        ).fill_null(False)
        rows = pc.list_parent_indices(texts).to_numpy() if is_list else np.arange(len(table))
        found[rows[hits.to_numpy(zero_copy_only=False)]] = True
    return table.filter(pa.array(found))


def _open_pair(event: gr.EventData, key: str, first: str, second: str) -> str:
    """Return a segment of two systems side by side, as HTML."""
    number = str(event.segment)
    try:
        scored, segment = read_segment(key, number, (first, second))
        return _render_pair(number, segment, (first, second), scored.options)
    except limits.ERRORS as error:
        return html.message(limits.explain_error(error))


def _render_pair(
    number: str, segment: OpenedSegment, names: tuple[str, str], options: Mapping[str, Any]
) -> str:
    head = (
        f'<h3 tabindex="-1">Segment {number}</h3><p>{html.button("Open in Sentence", "sentence", segment=number)}'
        f" {html.button('Close', 'close')}</p>"
    )
    if max(map(len, [*segment.predictions, *segment.references])) > limits.MAX_SENTENCE_CHARACTERS:
        return head + html.side_by_side(*map(html.paragraph, segment.predictions))
    counting = {name: options[name] for name in SCORING_OPTIONS} | {"effective_order": True}
    both = [request_explanation(text, segment.references, counting) for text in segment.predictions]
    differing = find_differing([one["prediction"]["tokens"] for one in both])
    order = len(both[0]["orders"])
    sides = (
        html.tokens(one["prediction"], order, f"{name}, {one['score']:.2f} BLEU,", marked)
        for name, one, marked in zip(names, both, differing)
    )
    # In the references, a token has the color of its longer match, and is marked if only one system
    # matches it.
    references = ""
    for i, (first, second) in enumerate(zip(*(one["references"] for one in both)), 1):
        matches = list(zip(first["longest_match"], second["longest_match"]))
        single = {at for at, (a, b) in enumerate(matches) if bool(a) != bool(b)}
        text = {**first, "longest_match": [max(pair) for pair in matches]}
        references += html.tokens(
            text, order, f"Reference {i}, underlined: matched by one system only,", single
        )
    return head + html.legend(order) + html.side_by_side(*sides) + references


def render_overview(difference: Any) -> str:
    """Return the result of `diff` as HTML: a sentence, a chart, scores by length and distinctive n-grams."""
    systems, scores = difference["systems"], difference["segment_bleu"]
    first, second = systems
    words = (
        f"{second} scores higher in {html.count_things(difference['wins'], 'segment')},"
        f" {first} in {difference['losses']:,};"
        f" {difference['ties']:,} are equal. Overall {systems[second]['score']:.2f} against"
        f" {systems[first]['score']:.2f} BLEU."
    )
    chart = html.scatter(_choose_points(*scores.values()), (first, second), words)
    lengths = [
        [
            f"{group['from']} to {group['to']}"
            if group["to"] is not None
            else f"{group['from']} and more",
            f"{group['segments']:,}",
            *(f"{100 * score:.2f}" for score in group["bleu"].values()),
            f"{100 * group['delta']:+.2f}",
        ]
        for group in difference["by_length"]
        if group["segments"] > 1
    ]
    by_length = html.rows(
        ["tokens of the reference", "segments", first, second, "difference"], lengths
    )
    ngrams = {name: difference.distinctive_ngrams(name, limits.SHOWN_NGRAMS) for name in systems}
    folds = (
        html.fold(f"Matched more often by {name}", _render_ngrams(ngrams[name])) for name in systems
    )
    return (
        f'<p data-announce="{html.show(words)}">{html.show(words)}</p>'
        f"{html.side_by_side(chart, html.fold('By length', by_length))}{html.side_by_side(*folds)}"
    )


def _choose_points(*scores: Sequence[float]) -> list[html.Point]:
    """Return the segments to draw: all, or those that differ most."""
    first, second = (100 * np.array(one) for one in scores)
    order = np.argsort(-np.abs(second - first), kind="stable")[: limits.SHOWN_POINTS]
    return [
        html.Point(row + 1, float(first[row]), float(second[row])) for row in sorted(order.tolist())
    ]


def _render_ngrams(ngrams: Sequence[Mapping[str, Any]]) -> str:
    if not ngrams:
        return html.message("None.", "note")
    rows = []
    for one in ngrams:
        number = str(one["segment"] + 1)
        matches = " : ".join(f"{count:,}" for count in one["matches"].values())
        rows.append([" ".join(map(str, one["ngram"])), matches, html.segment_button(number)])
    return html.rows(["n-gram", "matches", "segment"], rows)
