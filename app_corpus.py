"""The tab for a corpus: score, interval and charts, and the segments by score, to be opened one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr
import numpy as np
import pandas as pd
import pyarrow as pa

import app_html as html
from app_examples import CORPUS_PREDICTIONS, CORPUS_REFERENCES
from app_files import write_json, write_table
from app_limits import SECONDS_KEPT, SHOWN_SEGMENTS, check_corpus, check_options
from app_metric import TOKENIZERS, bleu, hearing
from app_options import RESAMPLED, SCORED, options_fold, options_of, preset_values
from app_sentence import Sentence
from app_sources import check_lengths, read, source

_BINS = 20
_POINTS = 100  # of the chart by segment: more than this is drawn as groups
_COLOURS = {"segment": "#3b82f6", "mean": "#3b82f6", "lowest": "#9ca3af", "highest": "#6b7280"}
_HEAD = ["segment", "BLEU", "length ratio", "prediction", "references"]
_ORDERS = {"lowest": 1, "highest": -1}


def corpus_tab(tabs: gr.Tabs, sentence: Sentence) -> None:
    """The tab's content, and what happens in it; a segment that is clicked opens in the tab of one sentence."""
    with gr.Row():
        predictions = source("predictions", "Predictions", CORPUS_PREDICTIONS)
        references = source("references", "References", CORPUS_REFERENCES, "references")
    options = options_fold("corpus", RESAMPLED, preset_values("default"))
    button = gr.Button("Score", variant="primary", elem_id="score")
    told = gr.HTML(elem_id="corpus-message", elem_classes="bleu-page")
    kept = gr.State({}, time_to_live=SECONDS_KEPT)
    with gr.Column(visible=False, elem_id="corpus") as results:
        summary = gr.HTML(elem_id="corpus-summary", elem_classes="bleu-page")
        signature = gr.Textbox(label="Signature", buttons=["copy"], interactive=False, elem_id="signature")
        with gr.Row():
            histogram = gr.BarPlot(
                x="segment BLEU",
                y="segments",
                title="Segments by BLEU, in steps of 5",
                sort=[f"{edge}" for edge in range(0, 100, 100 // _BINS)],
                x_label_angle=90,
                height=240,
                min_width=260,
            )
            ratios = gr.LinePlot(
                x="segment",
                y="length ratio",
                color="of a group",
                color_map=_COLOURS,
                title="Length ratio by segment",
                height=240,
                min_width=260,
            )
        order = gr.Radio(list(_ORDERS), value="lowest", label="Segments first by BLEU", elem_id="order")
        table = gr.Dataframe(
            headers=_HEAD,
            datatype=["number", "number", "number", "str", "str"],
            interactive=False,
            max_chars=120,
            column_widths=[90, 80, 120, 450, 450],
            elem_id="segments",
        )
        gr.Markdown("A click on a segment opens it in the first tab.")
        with gr.Row():
            downloads = [
                gr.DownloadButton(f"{what} ({kind})", elem_id=f"download-{kind.lower()}", min_width=140)
                for what, kind in (("Segments", "CSV"), ("Segments", "Parquet"), ("Result", "JSON"))
            ]
    shown = [told, results, kept, summary, signature, histogram, ratios, table, *downloads]
    private: dict[str, Any] = {"api_visibility": "private"}
    button.click(_scored, [*predictions, *references, *options, order], shown, **private)
    order.input(_listed, [kept, order], table, show_progress="hidden", **private)
    opened = [tabs, sentence.candidate, sentence.second, sentence.references, *sentence.options]
    table.select(_opened, kept, opened, show_progress="hidden", **private)


def scored(
    predictions: Sequence[Any], references: Sequence[Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], pa.Table]:
    """What `compute` says of a corpus with its segments, and their statistics, within the limits of the page."""
    check_options(options, TOKENIZERS)
    check_corpus(predictions, references)
    resampling = {name: options[name] for name in ("confidence", "n_resamples", "seed") if name in options}
    counting = {name: value for name, value in options.items() if name not in resampling}
    statistics = bleu.statistics(predictions=predictions, references=references, **counting)
    return bleu.score(statistics, **counting, segments=True, **resampling), statistics


def _scored(*values: Any, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008 where Gradio looks for it
    chosen, given, fields, order = values[:3], values[3:6], values[6:-1], values[-1]
    try:
        progress(0.1, desc="Reading")
        predictions, references = read(*chosen), read(*given, role="references")
        check_lengths("The file of predictions" if chosen[0] else "The field of predictions", predictions, references)
        progress(0.4, desc="Scoring")
        with hearing() as heard:
            options = options_of(fields)
            result, statistics = scored(predictions, references, options)
        progress(0.8, desc="Drawing")
        segments = _segments(predictions, references, result.pop("segment_bleu"), statistics)
        kept = {**_ends(segments), "options": fields}
        return [
            html.notes(heard),
            gr.Column(visible=True),
            kept,
            _summary(result, len(segments), options["confidence"]),
            result["signature"],
            _histogram(segments["bleu"].to_numpy()),
            _ratios(segments["length_ratio"].to_numpy()),
            kept[order],
            *write_table(segments, "segments"),
            write_json(result, "bleu"),
        ]
    except (TypeError, ValueError) as error:
        return [html.message(str(error)), gr.Column(visible=False), {}, *[gr.skip()] * 8]


def _segments(
    predictions: Sequence[str], references: Sequence[Any], scores: Sequence[float], statistics: pa.Table
) -> pa.Table:
    """All that is known of each segment, a row each."""
    lengths = [statistics[name].to_numpy().astype(float) for name in ("prediction_length", "reference_length")]
    ratio = np.divide(*lengths, out=np.full(len(scores), np.nan), where=lengths[1] > 0)
    return pa.table(
        {
            "segment": np.arange(1, len(scores) + 1),
            "bleu": scores,
            "length_ratio": pa.array(ratio, from_pandas=True),
            **dict(zip(statistics.column_names, statistics.columns)),
            "prediction": predictions,
            "references": references,
        }
    )


def _ends(segments: pa.Table) -> dict[str, Any]:
    """The rows of the table on the page, from both ends, and the texts of the segments in them."""
    order = np.argsort(segments["bleu"].to_numpy(), kind="stable")
    ends = {name: order[::step][:SHOWN_SEGMENTS] for name, step in _ORDERS.items()}
    seen = segments.take(np.unique(np.concatenate(list(ends.values())))).to_pylist()
    rows = {row["segment"]: row for row in seen}
    listed = {name: [_listed_row(rows[i + 1]) for i in indices] for name, indices in ends.items()}
    return {**listed, "texts": {number: (row["prediction"], row["references"]) for number, row in rows.items()}}


def _listed_row(row: Mapping[str, Any]) -> list[Any]:
    ratio = row["length_ratio"]
    return [
        row["segment"],
        round(100 * row["bleu"], 2),
        None if ratio is None else round(ratio, 2),
        row["prediction"],
        " | ".join(filter(None, row["references"])),
    ]


def _summary(result: Mapping[str, Any], count: int, confidence: float | None) -> str:
    told = html.counted(count, "segment")
    if confidence:
        low, high = result["confidence_interval"]
        told = f"{confidence:.0%} interval {100 * low:.2f} to {100 * high:.2f}, {told}"
    facts = [(f"BLEU-{n}", f"{100 * score:.2f}") for n, score in enumerate(result["bleu_by_order"], 1)]
    facts += [
        ("brevity penalty", f"{result['brevity_penalty']:.4f}"),
        ("length ratio", f"{result['length_ratio']:.4f}"),
        ("tokens", f"{result['translation_length']:,}"),
        ("reference tokens", f"{result['reference_length']:,}"),
    ]
    counts = list(zip(result["counts"], result["totals"]))
    bars = html.bars([("clipped matches", "clipped", counts)], "Precision by order, before smoothing")
    return html.number(result["score"], told) + html.facts(facts) + bars


def _histogram(scores: np.ndarray) -> pd.DataFrame:
    counts, edges = np.histogram(100 * scores, bins=_BINS, range=(0, 100))
    return pd.DataFrame({"segment BLEU": [f"{edge:.0f}" for edge in edges[:-1]], "segments": counts})


def _ratios(ratios: np.ndarray) -> pd.DataFrame:
    """Each segment's ratio; of many, the lowest, mean and highest of neighbours."""
    if len(ratios) <= _POINTS:
        return pd.DataFrame({"segment": np.arange(1, len(ratios) + 1), "length ratio": ratios, "of a group": "segment"})
    groups = [group[~np.isnan(group)] for group in np.array_split(ratios, _POINTS)]
    first = np.cumsum([0, *map(len, np.array_split(ratios, _POINTS))])[:-1] + 1
    lines = {"lowest": np.min, "mean": np.mean, "highest": np.max}
    return pd.concat(
        pd.DataFrame(
            {"segment": first, "length ratio": [of(g) if len(g) else np.nan for g in groups], "of a group": name}
        )
        for name, of in lines.items()
    )


def _listed(kept: Mapping[str, Any], order: str) -> list[list[Any]] | None:
    return kept.get(order)


def _opened(kept: Mapping[str, Any], event: gr.SelectData) -> list[Any]:
    """The clicked segment in the first tab, scored there with the options that it was scored with here."""
    prediction, references = kept["texts"][int(event.row_value[0])]
    options = dict(zip(RESAMPLED, kept["options"]))
    fields = [True if name == "effective_order" else options[name] for name in SCORED]
    given = "\n".join(text.replace("\n", " ") for text in references if text is not None)
    return [gr.Tabs(selected="sentence"), prediction, "", given, *fields]
