"""The segments of one system, and the differences between two systems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import gradio as gr
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from gradio.blocks import Block

from . import gate, html, limits
from .metric import (
    Options,
    name_counts,
    request_difference,
    request_explanation,
)
from .options import SCORING_OPTIONS, leave_segments_effective
from .scored import OpenedSegment, Scored, read_segment, read_segments
from .sentence import Update, find_differing
from .stretches import draw_candidate, draw_tokens, find_stretches, list_stretches

if TYPE_CHECKING:
    from bleu_metric.bleu_core import Difference, LengthDifference, NGramDifference, Token


# The column that segments are sorted by, and its sign: -1 for the largest value first.
_ORDERS = {
    "lowest BLEU first": ("bleu", 1),
    "highest BLEU first": ("bleu", -1),
    "shortest relative to the reference first": ("length_ratio", 1),
    "longest relative to the reference first": ("length_ratio", -1),
    "as in the file": ("segment", 1),
}
FIRST_ORDER = next(iter(_ORDERS))
_PAIR_ORDER = "by their contribution to the difference of the corpus scores"
_SEGMENT_CHARACTERS = 300  # per text in the list of segments
_PAIR_CHARACTERS = 200  # per text in the list of pairs
_SEARCHED_NGRAMS = 100  # distinctive n-grams per system, of which some are merged or left out


class Segments:
    """The list of one system's segments; `key` has the key of the result."""

    def __init__(self, key: gr.Textbox) -> None:
        """Add the components and their events to the demo."""
        with gr.Accordion("Lines", open=False, elem_id="segments-part") as self.column:
            with gr.Row():
                self.search = gr.Textbox(
                    label="Find lines containing", max_length=200, elem_id="search"
                )
                self.order = gr.Dropdown(
                    list(_ORDERS), value=FIRST_ORDER, label="Order", elem_id="order"
                )
            self.listing = html.add_clickable("", "segments")
        changed = [self.search.input, self.order.input]
        inputs = [key, self.search, self.order]
        gr.on(changed, list_segments, inputs, self.listing, **limits.QUIET)

    def outputs(self) -> list[Block]:
        """Return the components that a result updates."""
        return [self.column, self.search, self.order, self.listing]

    def show(self, scored: Scored) -> Update:
        """Return the update that lists all segments."""
        return {
            self.search: "",
            self.order: FIRST_ORDER,
            self.listing: list_segments(scored.key, "", FIRST_ORDER),
        }


class Differences:
    """The section on two systems, which two fields select; `key` has the key of the result."""

    def __init__(self, key: gr.Textbox) -> None:
        """Add the components and their events to the demo."""
        with gr.Accordion(
            "Where two systems differ", open=False, elem_id="differences", visible=False
        ) as self.column:
            with gr.Row():
                self.first_system = html.add_system_field("One system", "first-system")
                self.second_system = html.add_system_field("Another", "second-system")
            with gr.Row(elem_id="chart-and-segment"):
                self.overview = html.add_clickable("", "overview")
                self.opened = html.add_clickable("", "opened")
            self.tables = html.add_clickable("", "pair-tables")
            self.search = gr.Textbox(
                label="Find lines containing", max_length=200, elem_id="search-differences"
            )
            self.listing = html.add_clickable("", "difference-list")
        pair: list[Block] = [key, self.first_system, self.second_system]
        gr.on(
            [self.first_system.input, self.second_system.input],
            partial(gate.run, self.show_pair),
            [*pair, self.search],
            [self.overview, self.opened, self.tables, self.listing],
            **limits.PRIVATE_WORK,
        )
        self.search.input(list_pairs, [*pair, self.search], self.listing, **limits.QUIET)
        for component in (self.overview, self.tables, self.listing):
            click = component.click(_open_pair, pair, self.opened, **limits.QUIET)
            click.then(None, js="() => bleuPage.visit('#opened h2')")

    def outputs(self) -> list[Block]:
        """Return the components that a result updates."""
        results = [self.overview, self.opened, self.tables, self.search, self.listing]
        return [self.column, self.first_system, self.second_system, *results]

    def show(self, scored: Scored, first_system: str, second_system: str) -> Update:
        """Return the update that selects two systems and shows them."""
        return {
            self.first_system: gr.update(choices=scored.systems, value=first_system),
            self.second_system: gr.update(choices=scored.systems, value=second_system),
            self.search: "",
            **self.show_pair(scored.key, first_system, second_system, ""),
        }

    def show_pair(self, key: str, first_system: str, second_system: str, search: str) -> Update:
        """Return the update that shows two systems, and the segment in which they differ most.

        The segments that contain the text of `search` are listed.
        """
        update: Update = {self.tables: "", self.listing: "", self.opened: ""}
        if first_system == second_system:
            update[self.overview] = html.message("Choose two different systems.")
            return update
        try:
            scored, table = read_segments(key)
            systems = {
                name: table[scored.name_column(name, "prediction")].to_pylist()
                for name in (first_system, second_system)
            }
            references = table["references"].to_pylist()
            options = {name: scored.options[name] for name in SCORING_OPTIONS}
            difference = request_difference(systems, references, leave_segments_effective(options))
        except limits.RejectedError as error:
            update[self.overview] = html.message(limits.explain_error(error))
            return update
        shares = find_shares(scored, table, first_system, second_system)
        update[self.overview] = render_overview(difference)
        if shares.any():
            number = f"{np.argmax(np.abs(shares)) + 1}"
            largest = _render_line(key, number, (first_system, second_system))
            title = f"<h2>Contributes most to the difference: line {number}</h2>"
            update[self.opened] = f"{title}{largest}"
        update[self.tables] = render_tables(difference)
        update[self.listing] = list_pairs(key, first_system, second_system, search)
        return update


def list_segments(key: str, search: str, order: str) -> str:
    """Return the list of the segments that contain a text, as HTML."""
    try:
        scored, table = read_segments(key)
    except limits.RejectedError as error:
        return html.message(str(error))
    system = scored.systems[0]  # the page shows this list for a single system only
    columns = {name: table[name] for name in ("segment", "references")}
    for name in ("bleu", "length_ratio", "prediction"):
        columns[name] = table[scored.name_column(system, name)]
    matching = find_text(pa.table(columns), search)
    column, sign = _ORDERS[order]
    values = matching[column].to_numpy(zero_copy_only=False).astype(float)
    positions = np.argsort(sign * values, kind="stable")[: limits.SHOWN_SEGMENTS]
    rows = []
    for segment in matching.take(positions).to_pylist():
        ratio = segment["length_ratio"]
        references = " | ".join(text for text in segment["references"] if text)
        rows.append(
            [
                html.segment_button(segment["segment"]),
                f"{100 * segment['bleu']:.2f}",
                "" if ratio is None else f"{ratio:.2f}",
                segment["prediction"][:_SEGMENT_CHARACTERS],
                references[:_SEGMENT_CHARACTERS],
            ]
        )
    head = ["line", "BLEU", "length ratio", "prediction", "references"]
    return html.segment_rows(len(matching), limits.SHOWN_SEGMENTS, head, rows)


def list_pairs(key: str, first_system: str, second_system: str, search: str) -> str:
    """Return the list of the segments that contain a text, as HTML.

    Those that contribute most to the difference of the corpus scores come first.
    """
    try:
        scored, table = read_segments(key)
        first_bleu, second_bleu, first_text, second_text = (
            scored.name_column(system, name)
            for name in ("bleu", "prediction")
            for system in (first_system, second_system)
        )
    except limits.RejectedError as error:
        return html.message(str(error))
    names = ("segment", "references", first_bleu, second_bleu, first_text, second_text)
    shares = find_shares(scored, table, first_system, second_system)
    columns = {name: table[name] for name in names}
    matching = find_text(pa.table({**columns, "share": shares}), search)
    first_scores, second_scores = (
        100 * matching[name].to_numpy() for name in (first_bleu, second_bleu)
    )
    deltas = second_scores - first_scores
    matching_shares = np.abs(matching["share"].to_numpy())
    order = np.argsort(-matching_shares, kind="stable")[: limits.SHOWN_PAIRS]
    rows = [
        [
            html.segment_button(matching["segment"][position].as_py()),
            f"{first_scores[position]:.2f}",
            f"{second_scores[position]:.2f}",
            html.write_signed(deltas[position]),
            matching[first_text][position].as_py()[:_PAIR_CHARACTERS],
            matching[second_text][position].as_py()[:_PAIR_CHARACTERS],
        ]
        for position in order.tolist()
    ]
    texts = [f"text of {first_system}", f"text of {second_system}"]
    head = ["line", first_system, second_system, "difference", *texts]
    return html.segment_rows(len(matching), limits.SHOWN_PAIRS, head, rows, _PAIR_ORDER)


def find_shares(
    scored: Scored, table: pa.Table, first_system: str, second_system: str
) -> npt.NDArray[np.float64]:
    """Return for each line what changes in the difference of two systems without it, in points."""
    first, second = (_leave_out(scored, table, name) for name in (first_system, second_system))
    return second - first


def _leave_out(scored: Scored, table: pa.Table, system: str) -> npt.NDArray[np.float64]:
    """Return what the score of a system loses without each of the lines, in points."""
    max_order = scored.options["max_order"]
    names = [scored.name_column(system, name) for name in name_counts(max_order)]
    rows = np.array([table[name].to_numpy() for name in names])
    zeros = np.zeros((len(rows), 1), rows.dtype)
    left = rows.sum(axis=1, keepdims=True) - np.hstack([zeros, rows])
    matches, totals = left[:max_order], left[max_order:-2]
    # Without smoothing: counts of a corpus, but for one of very few lines.
    precisions = np.maximum(matches, 0.1) / np.maximum(totals, 1)
    too_short = np.minimum(0, 1 - left[-1] / np.maximum(left[-2], 1))
    score, *without = 100 * np.exp(np.log(precisions).mean(axis=0) + too_short)
    return score - np.array(without)


def find_text(table: pa.Table, search: str) -> pa.Table:
    """Return the rows that contain a text in a prediction or a reference; case is ignored.

    >>> table = pa.table({"prediction": ["A b", "c"], "references": [["d"], ["e"]]})
    >>> find_text(table, "B").num_rows
    1
    """
    if not search:
        return table
    contains = np.zeros(len(table), bool)
    for column in table.itercolumns():
        texts = column.combine_chunks()
        if pa.types.is_list(column.type):
            rows = pc.list_parent_indices(texts).to_numpy()
            texts = texts.flatten()
        elif pa.types.is_string(column.type):
            rows = np.arange(len(table))
        else:
            continue
        hits = pc.match_substring(texts, search, ignore_case=True).fill_null(False)
        contains[rows[hits.to_numpy(zero_copy_only=False)]] = True
    return table.filter(pa.array(contains))


def _open_pair(event: gr.EventData, key: str, first_system: str, second_system: str) -> str:
    """Return a segment of two systems side by side, as HTML."""
    number = str(event.segment)
    close_button = html.button("Close and go back", "close")
    shown = _render_line(key, number, (first_system, second_system), close_button)
    return f'<h2 tabindex="-1">Line {number}</h2>{shown}'


def _render_line(key: str, number: str, names: tuple[str, str], button: str = "") -> str:
    """Return a segment of two systems side by side, and buttons, or why it can't be shown."""
    try:
        scored, segment = read_segment(key, number, names)
        texts = _render_texts(segment, names, scored.options)
    except limits.ERRORS as error:  # too long for colors, or deleted
        return html.message(limits.explain_error(error))
    open_button = html.button("Open in Sentence", "sentence", segment=number)
    return f"{texts}<p>{open_button} {button}</p>"


def _render_texts(segment: OpenedSegment, names: tuple[str, str], options: Options) -> str:
    """Return the texts of a segment, in which matches are colored unless a text is too long."""
    longest = max(len(text) for text in [*segment.predictions, *segment.references])
    if longest > limits.MAX_SENTENCE_CHARACTERS:
        return html.side_by_side(*map(html.paragraph, segment.predictions))
    # 1. The predictions, in which tokens are marked that only one of them has.
    scoring = {name: options[name] for name in SCORING_OPTIONS} | {"effective_order": True}
    explanations = [
        request_explanation(text, segment.references, scoring) for text in segment.predictions
    ]
    candidates = [explanation["prediction"]["tokens"] for explanation in explanations]
    differing = find_differing(candidates)
    first, second = explanations
    sides = []
    for name, explanation, marked in zip(names, explanations, differing):
        label = f"{name}, {explanation['score']:.2f} BLEU,"
        sides.append(draw_candidate(explanation, list_stretches(explanation), label, marked))
    # 2. The references, in which a token is marked if only one prediction matches it.
    references = ""
    both = zip(first["references"], second["references"], strict=True)
    for number, (text, same_text) in enumerate(both, 1):
        matches = zip(text["longest_match"], same_text["longest_match"], strict=True)
        single = {token for token, lengths in enumerate(matches) if lengths.count(0) == 1}
        drawn = draw_tokens(text["tokens"], find_stretches(text["tokens"], candidates), single)
        label = f"Reference {number}, underlined: matched by one system only"
        references += f'<div class="bleu-tokens"><div class="bleu-label">{label}</div>{drawn}</div>'
    return html.side_by_side(*sides) + references


def render_overview(difference: Difference) -> str:
    """Return a sentence on the result of `diff`, and a chart, as HTML."""
    names = [str(name) for name in difference["systems"]]
    first, second = names
    scores = {name: system["score"] for name, system in difference["systems"].items()}
    words = (
        f"{second} scores higher in {html.count_things(difference['wins'], 'line')},"
        f" {first} in {difference['losses']:,}; {difference['ties']:,} are equal."
        f" Overall {scores[second]:.2f} against {scores[first]:.2f} BLEU."
    )
    segment_bleu = difference["segment_bleu"]
    points = _choose_points(segment_bleu[first], segment_bleu[second])
    chart = html.scatter(points, (first, second), words)
    return f'<p data-announce="{html.show(words)}">{html.show(words)}</p>{chart}'


def render_tables(difference: Difference) -> str:
    """Return the scores by length and the distinctive n-grams of a result of `diff`, as HTML."""
    names = [str(name) for name in difference["systems"]]
    lengths = _render_lengths(difference["by_length"], names)
    folds = [html.fold("By length of the reference", lengths)]
    for name in names:
        ngrams = merge_ngrams(difference.distinctive_ngrams(name, _SEARCHED_NGRAMS))
        listed = _render_ngrams(ngrams[: limits.SHOWN_NGRAMS])
        folds.append(html.fold(f"Matched more often by {name}", listed))
    return html.side_by_side(*folds)


def _choose_points(
    first_scores: Sequence[float], second_scores: Sequence[float]
) -> list[tuple[int, float, float]]:
    """Return the segments to draw, those that differ most first; of very many, only those."""
    x = 100 * np.array(first_scores)
    y = 100 * np.array(second_scores)
    chosen = np.argsort(-np.abs(y - x), kind="stable")[: limits.SHOWN_POINTS]
    return [(row + 1, float(x[row]), float(y[row])) for row in chosen.tolist()]


def _render_lengths(groups: Sequence[LengthDifference], names: Sequence[str]) -> str:
    rows = []
    for group in groups:
        if group["segments"] < 2:
            continue
        end = "and more" if group["to"] is None else f"to {group['to']}"
        scores = [f"{100 * score:.2f}" for score in group["bleu"].values()]
        delta = html.write_signed(100 * group["delta"])
        rows.append([f"{group['from']} {end}", f"{group['segments']:,}", *scores, delta])
    return html.rows(["tokens", "lines", *names, "difference"], rows)


def merge_ngrams(ngrams: Sequence[NGramDifference]) -> list[NGramDifference]:
    """Merge n-grams of a segment that overlap, without those that match only once more.

    An n-gram with one match more than in the other system is noise, and a long phrase would be
    listed as each of its parts.

    >>> two = {"matches": {"A": 2, "B": 0}, "segment": 0}
    >>> one = {"matches": {"A": 1, "B": 0}, "segment": 0}
    >>> ngrams = [{"ngram": ["a", "b", "c"], **two}, {"ngram": ["b", "c", "d"], **two}]
    >>> [ngram["ngram"] for ngram in merge_ngrams([*ngrams, {"ngram": ["e"], **one}])]
    [['a', 'b', 'c', 'd']]
    """
    merged: list[NGramDifference] = []
    for ngram in ngrams:
        first, second = ngram["matches"].values()
        if abs(first - second) < 2:
            continue
        whole = ngram
        for other in list(merged):
            is_from_same = (other["segment"], other["matches"]) == (
                ngram["segment"],
                ngram["matches"],
            )
            joined = _join_overlapping(other["ngram"], whole["ngram"])
            if is_from_same and joined:
                merged.remove(other)
                whole = {**whole, "ngram": joined}
        merged.append(whole)
    return merged


def _join_overlapping(first: Sequence[Token], second: Sequence[Token]) -> list[Token] | None:
    """Return two n-grams as one if all but one token of the shorter one overlap, at least two."""
    overlap = min(len(first), len(second)) - 1
    if overlap < 2:
        return None  # "of the" and "the cat" are two phrases as often as one
    if first[-overlap:] == second[:overlap]:
        return [*first, *second[overlap:]]
    if second[-overlap:] == first[:overlap]:
        return [*second, *first[overlap:]]
    return None


def _render_ngrams(ngrams: Sequence[NGramDifference]) -> str:
    if not ngrams:
        return html.message("None by more than one match.", "note")
    rows = [
        [
            " ".join(map(str, ngram["ngram"])),
            " : ".join(f"{count:,}" for count in ngram["matches"].values()),
            html.segment_button(ngram["segment"] + 1),
        ]
        for ngram in ngrams
    ]
    return html.rows(["n-gram", "matches", "line"], rows)
