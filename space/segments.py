"""The segments of one system: sorted, filtered by text, each opens in the tab of one sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import html
from .limits import QUIET, SHOWN_SEGMENTS, RefusedError
from .scored import REFERENCES, Scored, read_column, read_segments

# By what the segments are sorted, and in which direction.
_ORDERS = {
    "lowest BLEU first": ("bleu", 1),
    "highest BLEU first": ("bleu", -1),
    "shortest first, compared with the reference": ("length_ratio", 1),
    "longest first, compared with the reference": ("length_ratio", -1),
    "as in the file": ("segment", 1),
}
_CHARACTERS = 300  # of a text in the list


class Segments(NamedTuple):
    """The components: what is searched for, the order, and the list."""

    column: gr.Column
    search: gr.Textbox
    order: gr.Dropdown
    listing: gr.HTML


def add_segments(scored: gr.State) -> Segments:
    """Add the list to the page, and what happens when the visitor sorts or filters it."""
    with gr.Column(elem_id="segments-part") as column:
        gr.HTML("<h2>Segments</h2>", elem_classes="bleu-page")
        with gr.Row():
            search = gr.Textbox(label="With the text", max_length=200, elem_id="search")
            order = gr.Dropdown(list(_ORDERS), value=next(iter(_ORDERS)), label="Order", elem_id="order")
        listing = html.clickable("", "segments")
    inputs = [scored, search, order]
    gr.on([search.input, order.input], list_segments, inputs, listing, trigger_mode="always_last", **QUIET)
    return Segments(column, search, order, listing)


def list_segments(scored: Scored | None, search: str, order: str) -> str:
    """The list as HTML."""
    try:
        table = read_segments(scored)
    except RefusedError as error:
        return html.message(str(error))
    assert scored is not None
    (system,) = scored.systems[:1]
    columns = {name: read_column(scored, table, system, name) for name in ("bleu", "length_ratio", "prediction")}
    found = find_text(pa.table({"segment": table["segment"], REFERENCES: table[REFERENCES], **columns}), search)
    key, direction = _ORDERS[order]
    values = direction * found[key].to_numpy(zero_copy_only=False).astype(float)
    chosen = found.take(np.argsort(values, kind="stable")[:SHOWN_SEGMENTS]).to_pylist()
    rows = [_render_row(row) for row in chosen]
    shown = f", the first {SHOWN_SEGMENTS:,} shown" if len(found) > SHOWN_SEGMENTS else ""
    count = f'<p class="bleu-label">{html.quantity(len(found), "segment")}{shown}</p>'
    return count + html.rows(["segment", "BLEU", "length ratio", "prediction", "references"], rows)


def find_text(table: pa.Table, search: str) -> pa.Table:
    """The rows that have a text in a prediction or a reference, whatever its case.

    >>> find_text(pa.table({"prediction": ["A b", "c"], "references": [["d"], ["e"]]}), "B").num_rows
    1
    """
    if not search:
        return table
    found = np.zeros(len(table), bool)
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_string(column.type):
            hits = pc.match_substring(column, search, ignore_case=True).fill_null(False)
            found |= hits.to_numpy(zero_copy_only=False)
        elif pa.types.is_list(column.type):
            hits = pc.match_substring(column.flatten(), search, ignore_case=True).fill_null(False)
            found[pc.list_parent_indices(column).to_numpy()[hits.to_numpy(zero_copy_only=False)]] = True
    return table.filter(pa.array(found))


def _render_row(row: dict[str, Any]) -> list[str]:
    ratio = row["length_ratio"]
    number = str(row["segment"])
    return [
        html.Markup(html.button(number, "open", segment=number)),
        f"{100 * row['bleu']:.2f}",
        "" if ratio is None else f"{ratio:.2f}",
        row["prediction"][:_CHARACTERS],
        " | ".join(filter(None, row[REFERENCES]))[:_CHARACTERS],
    ]
