"""The tab for a corpus: score, interval and charts, and the segments by score, to be opened one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from . import html
from .examples import CORPUS_PREDICTIONS, CORPUS_REFERENCES
from .files import write_json, write_table
from .limits import SECONDS_KEPT, SHOWN_SEGMENTS
from .metric import collect_warnings
from .options import ALL_OPTIONS, SCORING_OPTIONS, add_options, convention_values, read_options
from .requests import request_score
from .sentence import Sentence
from .sources import add_predictions, add_references, check_lengths, read_predictions, read_references

_BINS = 20
_POINTS = 100  # of the chart by segment; more segments than this are drawn as groups
_COLOURS = {"segment": "#3b82f6", "mean": "#3b82f6", "lowest": "#9ca3af", "highest": "#6b7280"}
_HEAD = ["segment", "BLEU", "length ratio", "prediction", "references"]
_ORDERS = {"lowest": 1, "highest": -1}

_PRIVATE: dict[str, Any] = {"api_visibility": "private"}


class Results(NamedTuple):
    """The components that show a result, in the order in which the handler returns their values.

    listing: for each order of the table its rows, and under "texts" and "options" what opens a segment in the tab of
        one sentence.
    """

    message: gr.HTML
    column: gr.Column
    listing: gr.State
    summary: gr.HTML
    signature: gr.Textbox
    histogram: gr.BarPlot
    ratios: gr.LinePlot
    table: gr.Dataframe
    csv: gr.DownloadButton
    parquet: gr.DownloadButton
    json: gr.DownloadButton


def add_corpus_tab(tabs: gr.Tabs, sentence: Sentence) -> None:
    """Add the tab's content, and what happens in it; a segment that is clicked opens in the tab of one sentence."""
    with gr.Row():
        predictions = add_predictions("predictions", "Predictions", CORPUS_PREDICTIONS)
        references = add_references("references", "References", CORPUS_REFERENCES)
    options = add_options("corpus", ALL_OPTIONS, convention_values("default"))
    button = gr.Button("Score", variant="primary", elem_id="score")
    results, order = _add_results()
    button.click(_show_corpus, [*predictions, *references, *options, order], list(results), **_PRIVATE)
    order.input(_choose_rows, [results.listing, order], results.table, show_progress="hidden", **_PRIVATE)
    fields = [tabs, sentence.candidate, sentence.second, sentence.references, *sentence.options]
    results.table.select(_open_segment, results.listing, fields, show_progress="hidden", **_PRIVATE)


def _add_results() -> tuple[Results, gr.Radio]:
    """The components for a result, and the order of the segments."""
    message = gr.HTML(elem_id="corpus-message", elem_classes="bleu-page")
    listing = gr.State({}, time_to_live=SECONDS_KEPT)
    with gr.Column(visible=False, elem_id="corpus") as column:
        summary = gr.HTML(elem_id="corpus-summary", elem_classes="bleu-page")
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, elem_id="signature")
        with gr.Row():
            histogram, ratios = _histogram(), _ratio_chart()
        order = gr.Radio(list(_ORDERS), value="lowest", label="Segments first by BLEU", elem_id="order")
        table = _segment_table()
        gr.Markdown("Click a segment to open it in the first tab.")
        with gr.Row():
            downloads = [_download("Segments", "CSV"), _download("Segments", "Parquet"), _download("Result", "JSON")]
    return Results(message, column, listing, summary, signature, histogram, ratios, table, *downloads), order


def _histogram() -> gr.BarPlot:
    return gr.BarPlot(
        x="segment BLEU",
        y="segments",
        title="Segments by BLEU, in steps of 5",
        sort=[f"{edge}" for edge in range(0, 100, 100 // _BINS)],
        x_label_angle=90,
        height=240,
        min_width=260,
    )


def _ratio_chart() -> gr.LinePlot:
    return gr.LinePlot(
        x="segment",
        y="length ratio",
        color="of a group",
        color_map=_COLOURS,
        title="Length ratio by segment",
        height=240,
        min_width=260,
    )


def _segment_table() -> gr.Dataframe:
    return gr.Dataframe(
        headers=_HEAD,
        datatype=["number", "number", "number", "str", "str"],
        interactive=False,
        max_chars=120,
        column_widths=[90, 80, 120, 450, 450],
        elem_id="segments",
    )


def _download(content: str, kind: str) -> gr.DownloadButton:
    return gr.DownloadButton(f"{content} ({kind})", elem_id=f"download-{kind.lower()}", min_width=140)


def _show_corpus(*values: Any, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008 where Gradio looks for it
    sources, fields, order = values[:6], values[6:-1], values[-1]
    try:
        progress(0.1, desc="Reading")
        predictions, references = _read_corpus(sources)
        progress(0.4, desc="Scoring")
        options = read_options(fields)
        with collect_warnings() as warnings:
            result, statistics = request_score(predictions, references, options)
        progress(0.8, desc="Drawing")
        segments = _segments(predictions, references, result.pop("segment_bleu"), statistics)
        return [html.notes(warnings), *_result_values(result, segments, options, order)]
    except (TypeError, ValueError) as error:
        return [html.message(str(error)), gr.Column(visible=False), {}, *[gr.skip()] * 8]


def _read_corpus(sources: Sequence[Any]) -> tuple[list[Any], list[list[Any]]]:
    predictions, references = read_predictions(*sources[:3]), read_references(*sources[3:])
    check_lengths(f"The {'file' if sources[0] else 'field'} of predictions", predictions, references)
    return predictions, references


def _result_values(result: Mapping[str, Any], segments: pa.Table, options: Mapping[str, Any], order: str) -> list[Any]:
    """What the components of `Results` hold, all but the message."""
    listing = {**_list_segments(segments), "options": options}
    return [
        gr.Column(visible=True),
        listing,
        _summary(result, len(segments), options["confidence"]),
        result["signature"],
        _histogram_data(segments["bleu"].to_numpy()),
        _ratio_data(segments["length_ratio"].to_numpy()),
        listing[order],
        *write_table(segments, "segments"),
        write_json(dict(result), "bleu"),
    ]


def _segments(
    predictions: Sequence[str], references: Sequence[Any], scores: Sequence[float], statistics: pa.Table
) -> pa.Table:
    """Score, length ratio, statistics and texts of each segment, a row each."""
    length, reference_length = (statistics[name].to_numpy() for name in ("prediction_length", "reference_length"))
    ratios = np.divide(length, reference_length, out=np.full(len(scores), np.nan), where=reference_length > 0)
    return pa.table(
        {
            "segment": np.arange(1, len(scores) + 1),
            "bleu": scores,
            "length_ratio": pa.array(ratios, from_pandas=True),
            **dict(zip(statistics.column_names, statistics.columns)),
            "prediction": predictions,
            "references": references,
        }
    )


def _list_segments(segments: pa.Table) -> dict[str, Any]:
    """The rows of the table on the page in each order, and the texts of the segments in them."""
    by_score = np.argsort(segments["bleu"].to_numpy(), kind="stable")
    indices = {order: by_score[::step][:SHOWN_SEGMENTS] for order, step in _ORDERS.items()}
    listed = segments.take(np.unique(np.concatenate(list(indices.values())))).to_pylist()
    rows = {segment["segment"] - 1: _table_row(segment) for segment in listed}
    texts = {segment["segment"]: (segment["prediction"], segment["references"]) for segment in listed}
    return {**{order: [rows[i] for i in chosen] for order, chosen in indices.items()}, "texts": texts}


def _table_row(segment: Mapping[str, Any]) -> list[Any]:
    ratio = segment["length_ratio"]
    return [
        segment["segment"],
        round(100 * segment["bleu"], 2),
        None if ratio is None else round(ratio, 2),
        segment["prediction"],
        " | ".join(filter(None, segment["references"])),
    ]


def _summary(result: Mapping[str, Any], count: int, confidence: float | None) -> str:
    caption = html.quantity(count, "segment")
    if confidence:
        low, high = result["confidence_interval"]
        caption = f"{confidence:.0%} interval {100 * low:.2f} to {100 * high:.2f}, {caption}"
    facts = [(f"BLEU-{n}", f"{100 * score:.2f}") for n, score in enumerate(result["bleu_by_order"], 1)]
    facts += [
        ("brevity penalty", f"{result['brevity_penalty']:.4f}"),
        ("length ratio", f"{result['length_ratio']:.4f}"),
        ("tokens", f"{result['translation_length']:,}"),
        ("reference tokens", f"{result['reference_length']:,}"),
    ]
    matches = html.Series("clipped matches", "clipped", list(zip(result["counts"], result["totals"])))
    chart = html.bars([matches], "Precision by order, before smoothing")
    return html.headline(result["score"], caption) + html.facts(facts) + chart


def _histogram_data(scores: npt.NDArray[np.float64]) -> pd.DataFrame:
    counts, edges = np.histogram(100 * scores, bins=_BINS, range=(0, 100))
    return pd.DataFrame({"segment BLEU": [f"{edge:.0f}" for edge in edges[:-1]], "segments": counts})


def _ratio_data(ratios: npt.NDArray[np.float64]) -> pd.DataFrame:
    """The ratio of each segment; where there are many, the lowest, mean and highest of neighbours."""
    if len(ratios) <= _POINTS:
        return pd.DataFrame({"segment": np.arange(1, len(ratios) + 1), "length ratio": ratios, "of a group": "segment"})
    groups = np.array_split(ratios, _POINTS)
    first = np.cumsum([0, *map(len, groups)])[:-1] + 1
    known = [group[~np.isnan(group)] for group in groups]
    return pd.concat(
        pd.DataFrame(
            {
                "segment": first,
                "length ratio": [summarise(group) if len(group) else np.nan for group in known],
                "of a group": name,
            }
        )
        for name, summarise in (("lowest", np.min), ("mean", np.mean), ("highest", np.max))
    )


def _choose_rows(listing: Mapping[str, Any], order: str) -> list[list[Any]] | None:
    return listing.get(order)


def _open_segment(listing: Mapping[str, Any], event: gr.SelectData) -> list[Any]:
    """The clicked segment in the first tab, scored there with the options that it was scored with here."""
    prediction, references = listing["texts"][int(event.row_value[0])]
    options = {**listing["options"], "effective_order": True}
    lines = "\n".join(text.replace("\n", " ") for text in references if text is not None)
    return [gr.Tabs(selected="sentence"), prediction, "", lines, *(options[name] for name in SCORING_OPTIONS)]
