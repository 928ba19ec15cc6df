"""Where two systems differ: segments, lengths, labels, and the n-grams that one gets and the other misses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from . import bleu_html as html
from .bleu_arrow import Float64, Int64, list_items, make_lists
from .bleu_corpus import Batch, Corpus, Texts
from .bleu_diff_ngrams import Block, NGramDifferences, measure_telling
from .bleu_inputs import read_corpus
from .bleu_inputs_columns import read_labels
from .bleu_inputs_errors import name_system
from .bleu_options import Options, make_signature
from .bleu_plots import plot_scatter
from .bleu_report import Report
from .bleu_scoring import NOISE, bleu, count_wins
from .bleu_statistics import count_batch
from .bleu_tokenizer_choice import Tokenizer, choose_tokenizer, prepare_texts
from .bleu_vocabulary import encode_texts
from .bleu_warnings import warn_about_text

LENGTHS = (10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500)  # where a group of reference lengths begins
SEGMENTS = 20  # that are listed for each system

_AT_ONCE = 2048  # segments: few enough that their n-grams are sorted quickly, and memory doesn't grow with the corpus
_PRINTED_LABELS, _PRINTED_NGRAMS, _PRINTED_CHARACTERS = 10, 5, 48


class Difference(Report):
    """What `diff` returns: a dict for programs, and a table where it is printed.

    >>> print(diff_systems(["a b c e"], ["a b c d"], ["a b c d"], None, Options(max_order=2)))
    The second system scores 100.00, the first 70.71: +29.29 BLEU; better in 1 segment, equal in 0, worse in 0
    <BLANKLINE>
                                segments  first  second  difference
    all                                1  70.71  100.00      +29.29
    reference of 0 to 9 tokens         1  70.71  100.00      +29.29
    matches that only one has             first  second  difference
    c d                                       0       1          +1
    <BLANKLINE>
    nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:2|version:bleu_metric-0.1.0
    """

    def records(self) -> list[dict[str, Any]]:
        groups = [{"group": "length", **group} for group in self["by_length"]]
        return groups + [{"group": "label", **group} for group in self.get("by_label", ())]

    def plot(self, ax: Any = None) -> Any:
        """Plot the segments of the second system against those of the first, by matplotlib.

        Args:
            ax: the Axes to draw into; those of a new figure unless given.

        Returns:
            The Axes.
        """
        scores = self["segment_bleu"]
        return plot_scatter(scores["first"], scores["second"], ("first", "second"), ax)

    def most_telling(self, system: str, count: int) -> list[dict[str, Any]]:
        """The most telling n-grams of all orders, the longer of equal ones first, without parts of those before.

        Args:
            system: `"first"` or `"second"`, whichever gets them more often.
            count: how many at most.

        Returns:
            Dicts as in `ngrams`.

        >>> difference = diff_systems(["a b c"], ["x"], ["a b c"], None, Options(max_order=2))
        >>> [ngram["ngram"] for ngram in difference.most_telling("first", 5)]
        [['a', 'b'], ['b', 'c']]
        """
        ngrams = [ngram for order in reversed(self["ngrams"]) for ngram in order[system]]
        ngrams.sort(key=lambda ngram: -measure_telling(ngram["only_first"], ngram["only_second"]))
        chosen: list[dict[str, Any]] = []
        for ngram in ngrams:
            if not any(_is_part(ngram["ngram"], other["ngram"]) for other in chosen):
                chosen.append(ngram)
        return chosen[:count]

    def rows(self) -> list[list[str]]:
        return [*self._group_rows(), *([name, "", *numbers] for name, *numbers in self._ngram_rows())]

    def title(self) -> str:
        first, second = (100 * self["systems"][name]["bleu"] for name in ("first", "second"))
        segments = "segment" if self["wins"] == 1 else "segments"
        return (
            f"The second system scores {second:.2f}, the first {first:.2f}: {second - first:+.2f} BLEU; better in"
            f" {self['wins']:,} {segments}, equal in {self['ties']:,}, worse in {self['losses']:,}"
        )

    def note(self) -> str:
        return str(self["signature"])

    def _html_table(self) -> str:
        """A table of groups and, where the systems differ in any, one of n-grams."""
        tables = filter(None, [list(self._group_rows()), self._ngram_rows()])
        return "".join(html.table(head, rows) for head, *rows in tables)

    def _group_rows(self) -> Iterator[list[str]]:
        yield ["", "segments", "first", "second", "difference"]
        systems = {name: system["bleu"] for name, system in self["systems"].items()}
        delta = self["systems"]["second"]["delta"]
        yield _print_group("all", {"segments": len(self["segment_bleu"]["first"]), **systems, "delta": delta})
        for group in self["by_length"]:
            bounds = f"{group['from']} to {group['to']}" if group["to"] else f"{group['from']} and more"
            yield _print_group(f"reference of {bounds} tokens", group)
        for group in self.get("by_label", ())[:_PRINTED_LABELS]:
            yield _print_group(_shorten(str(group["label"])), group)
        if len(self.get("by_label", ())) > _PRINTED_LABELS:
            yield [f"… {len(self['by_label']) - _PRINTED_LABELS:,} more labels", "", "", "", ""]

    def _ngram_rows(self) -> list[list[str]]:
        ngrams = [ngram for name in ("first", "second") for ngram in self.most_telling(name, _PRINTED_NGRAMS)]
        head = ["matches that only one has", "first", "second", "difference"]
        return [head, *map(_print_ngram, ngrams)] if ngrams else []


class CountedPair(NamedTuple):
    """What is left of two systems' texts when they have been counted.

    rows: int64 [2, segments, 2 N + 2], the statistics rows.
    ngrams: the n-grams in which they differ.
    """

    rows: Int64
    ngrams: NGramDifferences


def diff_systems(first: Any, second: Any, references: Any, by: Any, options: Options) -> Difference:
    """Where two systems differ.

    Args:
        first: predictions, as `bleu_inputs.read_corpus` takes them.
        second: predictions of another system.
        references: of both.
        by: a label a row, or None.
        options: those that decide the number.

    Returns:
        What `BleuMetric.diff` documents.

    Raises:
        TypeError, ValueError: as `BleuMetric.diff` documents.

    >>> difference = diff_systems(["a b", "c"], ["a b", "d"], ["a b", "d"], ["A", "B"], Options(max_order=1))
    >>> difference["by_label"][1]
    {'label': 'B', 'segments': 1, 'first': 0.0, 'second': 1.0, 'delta': 1.0}
    """
    corpora = _read_corpora(first, second, references)
    labels = None if by is None else read_labels(by, len(corpora["first"]))
    tokenizer = choose_tokenizer(options, corpora["first"].kind)
    warn_about_text(corpora["first"].predictions, options.tokenize)
    rows, ngrams = _count_pair(corpora, tokenizer, options)
    scores = bleu(rows, replace(options, effective_order=True))
    return Difference(
        **count_wins(scores[1] - scores[0]),
        systems=_describe_systems(rows, options),
        by_length=_score_lengths(rows, options),
        **({} if labels is None else {"by_label": _score_labels(rows, labels, options)}),
        ngrams=ngrams.list_most_telling(),
        segments=_list_segments(scores),
        segment_bleu={"first": scores[0].tolist(), "second": scores[1].tolist()},
        signature=make_signature(options, tokenizer.name, corpora["first"].reference_count()),
    )


def _read_corpora(first: Any, second: Any, references: Any) -> dict[str, Corpus]:
    corpora = {}
    for name, predictions in (("first", first), ("second", second)):
        with name_system(name):
            corpora[name] = read_corpus(predictions, references)
        references = corpora[name].references  # Arrow by now, for the second
    return corpora


def _count_pair(corpora: dict[str, Corpus], tokenizer: Tokenizer, options: Options) -> CountedPair:
    """Count each text once."""
    ids, ngrams = Tokenizer("ids", lowercase=False), NGramDifferences(options.max_order)
    rows: Int64 = np.empty((2, len(corpora["first"]), 2 * options.counted_orders + 2), np.int64)
    for block in _split_blocks(corpora, tokenizer):
        segments = len(block.bounds) - 1
        texts = make_lists(block.offsets, pa.array(np.asarray(block.tokens.indices).astype(np.int64)))
        here = slice(block.first_segment, block.first_segment + segments)
        for system in range(2):
            predictions = texts.slice(system * segments, segments)
            batch = Batch(block.first_segment, predictions, texts.slice(2 * segments), block.bounds)
            rows[system, here] = count_batch(batch, ids, options)
        ngrams.add(block)
    return CountedPair(rows, ngrams)


def _split_blocks(corpora: dict[str, Corpus], tokenizer: Tokenizer) -> Iterator[Block]:
    """The texts of both systems and the references, as tokens, some segments at a time."""
    columns = {name: corpus.predictions for name, corpus in corpora.items()}
    table = pa.table({**columns, "references": corpora["first"].references})
    native, first_segment = tokenizer._replace(lowercase=False, split=None), 0
    for batch in filter(len, table.to_batches(max_chunksize=_AT_ONCE)):
        first = Batch(first_segment, batch.column("first"), *list_items(batch.column("references")))
        texts = {
            name: prepare_texts(batch.column(name), tokenizer, f"System {name!r}: predictions", first.row_of_prediction)
            for name in corpora
        }
        texts["references"] = prepare_texts(first.references, tokenizer, "references", first.row_of_reference)
        prepared = Texts({name: pa.chunked_array([text]) for name, text in texts.items()}, corpora["first"].kind)
        yield Block(first_segment, *encode_texts(prepared, native), first.bounds)
        first_segment += len(batch)


def _describe_systems(rows: Int64, options: Options) -> dict[str, dict[str, float]]:
    first, second = bleu(rows.sum(axis=1), options).tolist()
    return {
        "first": {"bleu": first, "score": 100 * first},
        "second": {"bleu": second, "score": 100 * second, "delta": second - first},
    }


def _score_lengths(rows: Int64, options: Options) -> list[dict[str, Any]]:
    """BLEU of both by effective reference length: the shorter one where it isn't the same for both."""
    groups = np.searchsorted(LENGTHS, rows[..., -1].min(axis=0), side="right")
    found, scores = _score_groups(rows, groups, options)
    bounds = [0, *LENGTHS, None]
    return [
        {"from": bounds[group], "to": end - 1 if (end := bounds[group + 1]) else None, **score}
        for group, score in zip(found, scores)
    ]


def _score_labels(rows: Int64, labels: list[Any], options: Options) -> list[dict[str, Any]]:
    """BLEU of both by label, in the order in which the labels first appear."""
    numbers: dict[Any, int] = {}
    groups = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
    _, scores = _score_groups(rows, groups, options)
    return [{"label": label, **score} for label, score in zip(numbers, scores)]


def _score_groups(rows: Int64, groups: Int64, options: Options) -> tuple[list[int], list[dict[str, Any]]]:
    """The groups that have segments, and BLEU of both systems in each."""
    order = np.argsort(groups, kind="stable")
    found, begins, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    scores = bleu(np.add.reduceat(rows[:, order], begins, axis=1), options)
    return found.tolist(), [
        {"segments": size, "first": first, "second": second, "delta": second - first}
        for size, first, second in zip(sizes.tolist(), *scores.tolist())
    ]


def _list_segments(scores: Float64) -> dict[str, list[dict[str, Any]]]:
    """The segments in which one system is better, each system's best first."""
    deltas = scores[1] - scores[0]
    order = np.argsort(deltas, kind="stable")
    best = {"first": order[:SEGMENTS], "second": np.argsort(-deltas, kind="stable")[:SEGMENTS]}
    return {
        name: [
            {"segment": i, "first": float(scores[0, i]), "second": float(scores[1, i]), "delta": float(deltas[i])}
            for i in segments.tolist()
            if (deltas[i] > NOISE if name == "second" else deltas[i] < -NOISE)
        ]
        for name, segments in best.items()
    }


def _is_part(ngram: list[Any], other: list[Any]) -> bool:
    return any(other[i : i + len(ngram)] == ngram for i in range(len(other) - len(ngram) + 1))


def _print_group(name: str, group: dict[str, Any]) -> list[str]:
    scores = (f"{100 * group[system]:.2f}" for system in ("first", "second"))
    return [name, f"{group['segments']:,}", *scores, f"{100 * group['delta']:+.2f}"]


def _print_ngram(ngram: dict[str, Any]) -> list[str]:
    first, second = ngram["only_first"], ngram["only_second"]
    return [_shorten(" ".join(map(str, ngram["ngram"]))), f"{first:,}", f"{second:,}", f"{second - first:+,}"]


def _shorten(text: str) -> str:
    """The text on one line, and no longer than a column of a table should be."""
    text = " ".join(text.split())
    return text if len(text) <= _PRINTED_CHARACTERS else text[: _PRINTED_CHARACTERS - 1] + "…"
