"""A corpus, or its statistics rows, to the result: the work of `compute` and `score`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from . import bleu_html as html
from .bleu_arrow import Int64
from .bleu_corpus import Corpus
from .bleu_options import Options, make_signature
from .bleu_plots import plot_precisions, plot_segments
from .bleu_report import Report
from .bleu_scoring import bleu, make_result
from .bleu_significance import bootstrap_scores, interval
from .bleu_statistics import count_corpus, sum_corpus
from .bleu_statistics_table import adopt_counting, read_statistics
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_warnings import warn_about_text, warn_about_zero


class Result(Report):
    """What `compute` and `score` return: a dict, which prints as one, and a table by order elsewhere."""

    prints_as_table = False

    def title(self) -> str:
        return f"BLEU {self['score']:.2f}"

    def rows(self) -> list[list[str]]:
        return [["n-grams", "matches", "total", "precision", "BLEU-n"], *map(_format_order, self.records())]

    def records(self) -> list[dict[str, Any]]:
        columns = zip(self["counts"], self["totals"], self["precisions"], self["bleu_by_order"])
        names = ("order", "matches", "total", "precision", "bleu")
        return [dict(zip(names, (order, *values))) for order, values in enumerate(columns, 1)]

    def note(self) -> str:
        return str(self["signature"])

    def to_html(self) -> str:
        head, *rows = self.rows()
        parts = [html.headline(self["score"]), html.paragraph(". ".join(_list_facts(self)))]
        return html.wrap(*parts, html.table(head, rows), html.paragraph(self.note(), "note"))

    def plot(self, ax: Any = None, kind: str | None = None) -> Any:
        """Plot the scores of the segments, or precision by order, by matplotlib.

        Args:
            ax: the Axes to draw into; those of a new figure unless given.
            kind: `"segments"` or `"precisions"`; the segments, if there are any, unless given.

        Returns:
            The Axes.
        """
        if (kind or ("segments" if "segment_bleu" in self else "precisions")) == "segments":
            return plot_segments(self["segment_bleu"], ax)
        return plot_precisions(self, ax)


def compute_corpus(corpus: Corpus, options: Options) -> Result:
    """The result of a corpus, with the warnings about it.

    Args:
        corpus: what `bleu_inputs.read_corpus` returns.
        options: all of them.

    >>> compute_corpus(read_corpus(["a b c d"], ["a b c d"]), Options())["score"]
    100.0
    """
    if options.segments or options.confidence:
        rows = count_corpus(corpus, options)
        return describe_corpus(corpus, options, rows.sum(axis=0), rows)
    total = sum_corpus(corpus, options)
    return describe_corpus(corpus, options, total.row, unspaced=total.unspaced)


def describe_corpus(
    corpus: Corpus, options: Options, total: Int64, rows: Int64 | None = None, unspaced: int | None = None
) -> Result:
    """The result of a corpus that has been counted, with the warnings about it.

    Args:
        corpus: for the warnings and the signature.
        options: all of them.
        total: int64 [2 N + 2], the sum of its rows.
        rows: int64 [segments, 2 N + 2], for `segments` and `confidence`.
        unspaced: for `warn_about_text`.
    """
    warn_about_text(corpus.predictions, options.tokenize, unspaced)
    result = _make_result(options, total, rows)
    if result["bleu"] == 0:
        _warn_about_zero(total, len(corpus), options)
    tokenizer = choose_tokenizer(options, corpus.kind).name
    return Result(result, signature=_sign(options, tokenizer, corpus.reference_count()))


def score_statistics(statistics: Any, options: Options) -> Result:
    """The result of a corpus whose statistics rows are given.

    Args:
        statistics: as `bleu_statistics_table.read_statistics` takes them.
        options: all of them.

    Raises:
        ValueError: these are no statistics, or they weren't counted under these options.

    >>> score_statistics([3, 3, 3, 4], Options(max_order=1))["counts"]
    [3]
    """
    known = read_statistics(statistics)
    wanted = [name for name in ("segments", "confidence") if getattr(options, name)]
    if wanted and not known.are_segments:
        raise ValueError(
            f"{wanted[0]} needs a row a segment, and these are sums of rows: give the tables of `statistics`, or leave"
            f" {wanted[0]} out ({wanted[0]}={Options.__dataclass_fields__[wanted[0]].default})."
        )
    options, tokenizer, unknown = adopt_counting(known, options)
    rows = known.stack() if wanted else None
    total = known.sum() if rows is None else rows.sum(axis=0)
    result = _make_result(options, total, rows)
    if result["bleu"] == 0:
        _warn_about_zero(total, None, options)
    return Result(result, signature=_sign(options, tokenizer, known.references, unknown))


def _make_result(options: Options, total: Int64, rows: Int64 | None) -> dict[str, Any]:
    result = make_result(total, options)
    if rows is not None and options.segments:
        result["segment_bleu"] = bleu(rows, replace(options, effective_order=True)).tolist()
    if rows is not None and options.confidence:
        generator = np.random.default_rng(options.seed)
        scores = bootstrap_scores(rows[np.newaxis], options, generator, options.n_resamples)[:, 0]
        result["confidence_interval"] = interval(scores, options.confidence)
        result["bootstrap_mean"] = float(scores.mean())
    return result


def _warn_about_zero(row: Int64, segments: int | None, options: Options) -> None:
    weights = options.weights or (1.0,) * options.max_order
    orders = [n for n, weight in enumerate(weights, 1) if weight]
    warn_about_zero(row, segments, orders, options.effective_order)


def _sign(options: Options, tokenizer: str, references: str, unknown: Collection[str] = ()) -> str:
    resampled = {"bs": options.n_resamples} if options.confidence else None
    return make_signature(options, tokenizer, references, resampled, unknown)


def _format_order(record: Mapping[str, Any]) -> list[str]:
    counts = [f"{record[name]:,}" for name in ("order", "matches", "total")]
    return [*counts, *(f"{100 * record[name]:.2f}" for name in ("precision", "bleu"))]


def _list_facts(result: Result) -> list[str]:
    """What there is to say of a result in words: interval and segments if they were asked for, and lengths."""
    facts = []
    if "confidence_interval" in result:
        low, high = result["confidence_interval"]
        facts.append(f"Interval {100 * low:.2f} to {100 * high:.2f}")
    if "segment_bleu" in result:
        low, median, high = 100 * np.quantile(result["segment_bleu"], [0, 0.5, 1])
        count = html.quantity(len(result["segment_bleu"]), "segment")
        facts.append(f"{count}: lowest {low:.2f}, median {median:.2f}, highest {high:.2f}")
    lengths = f"{html.quantity(result['translation_length'], 'token')} against {result['reference_length']:,}"
    return [*facts, f"Brevity penalty {result['brevity_penalty']:.4f}: {lengths} in the references"]
