"""One system: the work of `compute`, `score` and `explain`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from . import bleu_report as html
from .bleu_corpus import Corpus, Int64
from .bleu_counting import NGrams, Tokens, count_most_ngrams, count_ngrams, count_segment
from .bleu_inputs import read_corpus
from .bleu_options import OPTIONS, Options, make_signature
from .bleu_report import Report, plain_formula, plot_precisions, plot_segments
from .bleu_scoring import bleu, bootstrap_scores, interval, order_weights, precisions, score_row
from .bleu_statistics import adopt_counting, count_corpus, prepare_batch, read_statistics, sum_corpus
from .bleu_tokenizers import choose_tokenizer, list_tokens
from .bleu_warnings import (
    ONLY_SUMS,
    count_things,
    invalid,
    one_of,
    warn_about_size,
    warn_about_text,
    warn_about_zero,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# --- compute and score ------------------------------------------------------------------------------------------------


class Result(Report):
    """The result of `compute` and `score`: a dict that prints as a dict and displays as a table by order."""

    prints_as_table = False
    optional_keys = MappingProxyType(
        {
            "segment_bleu": "segments=True",
            "confidence_interval": "confidence=0.95",
            "bootstrap_mean": "confidence=0.95",
        }
    )

    def title(self) -> str:
        return ". ".join([f"BLEU {self['score']:.2f}", *self._list_facts()])

    def rows(self) -> list[list[str]]:
        head = ["n-grams", "matches", "total", "precision", "BLEU-n"]
        return [head, *([*map("{:,}".format, record[:3]), *_percent(record[3:])] for record in self._orders())]

    def records(self) -> list[dict[str, Any]]:
        records = [dict(zip(("order", "matches", "total", "precision", "bleu"), record)) for record in self._orders()]
        if "confidence_interval" in self:
            names = ("confidence_interval", "bootstrap_mean")
            records.append({"order": "all", "bleu": self["bleu"], **{name: self[name] for name in names}})
        return records + [{"segment": i, "bleu": score} for i, score in enumerate(self.get("segment_bleu", ()))]

    def to_html(self) -> str:
        head, *rows = self.rows()
        parts = [html.headline(self["score"]), html.paragraph(". ".join(self._list_facts()))]
        return html.wrap(*parts, html.table(head, rows), html.paragraph(self.note(), "note"))

    def plot(self, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Plot the scores of the segments, or precision by order, with matplotlib, and return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            kind: `"segments"` or `"precisions"`; None for segments if the result has segment scores.
        """
        kind = kind or ("segments" if "segment_bleu" in self else "precisions")
        if kind not in ("segments", "precisions"):
            raise invalid("kind", kind, one_of(("segments", "precisions")))
        return plot_segments(self["segment_bleu"], ax) if kind == "segments" else plot_precisions(self, ax)

    def _orders(self) -> list[tuple[Any, ...]]:
        columns = zip(self["counts"], self["totals"], self["precisions"], self["bleu_by_order"])
        return [(order, *values) for order, values in enumerate(columns, 1)]

    def _list_facts(self) -> list[str]:
        """Describe the interval and the segment scores, if the result has them, and the lengths."""
        facts = []
        if "confidence_interval" in self:
            facts.append("Interval {} to {}".format(*_percent(self["confidence_interval"])))
        if "segment_bleu" in self:
            scores = self["segment_bleu"]
            quantiles = "lowest {}, median {}, highest {}".format(*_percent(np.quantile(scores, [0, 0.5, 1])))
            facts.append(f"{count_things(len(scores), 'segment')}: {quantiles}")
        lengths = f"{count_things(self['translation_length'], 'token')} against {self['reference_length']:,}"
        return [*facts, f"Brevity penalty {self['brevity_penalty']:.4f}: {lengths} in the references"]


def score_corpus(corpus: Corpus, options: Options) -> Result:
    """Score a corpus, and warn about suspicious texts.

    >>> score_corpus(read_corpus(["a b c d"], ["a b c d"]), Options())["score"]
    100.0
    """
    if options.segments or options.confidence:
        rows = count_corpus(corpus, options)
        return _describe_corpus(corpus, options, rows.sum(axis=0), rows)
    return _describe_corpus(corpus, options, sum_corpus(corpus, options))


def score_statistics(statistics: object, options: Options) -> Result:
    """Score statistics in any form that `read_statistics` takes.

    >>> score_statistics([3, 3, 3, 4], Options(max_order=1))["counts"]
    [3]
    """
    known = read_statistics(statistics)
    options, tokenizer, unknown = adopt_counting(known, options)
    wanted = [name for name in ("segments", "confidence") if getattr(options, name)]
    if wanted and not known.are_segments(options.minimum_total):
        raise ValueError(ONLY_SUMS.format(name=wanted[0], default=OPTIONS[wanted[0]]))
    rows = known.stack() if wanted else None
    total = known.sum() if rows is None else rows.sum(axis=0)
    return _describe_rows(options, total, rows, None, (tokenizer, known.references), unknown)


def _describe_corpus(corpus: Corpus, options: Options, total: Int64, rows: Int64 | None = None) -> Result:
    tokenizer = choose_tokenizer(options, corpus.kind)
    warn_about_text(corpus.predictions, tokenizer)
    return _describe_rows(options, total, rows, len(corpus), (tokenizer.name, corpus.reference_count()))


def _describe_rows(
    options: Options,
    total: Int64,
    rows: Int64 | None,
    segments: int | None,
    signed: tuple[str, str],
    unknown: Collection[str] = (),
) -> Result:
    """Build a result from statistics rows.

    Args:
        options: all options of the call.
        total: int64 [2 N + 2], the sum of the rows.
        rows: int64 [segments, 2 N + 2], for `segments` and `confidence`.
        segments: the number of segments, None if unknown.
        signed: the tokenizer and the number of references in the signature.
        unknown: the names of unknown options.
    """
    result = Result(score_row(total, options))
    if rows is not None and options.segments:
        result["segment_bleu"] = bleu(rows, replace(options, effective_order=True)).tolist()
    if rows is not None and options.confidence:
        warn_about_size(len(rows))
    if rows is not None and options.confidence and len(rows) > 1:
        scores = bootstrap_scores(rows[np.newaxis], options, options.n_resamples)[:, 0]
        result["confidence_interval"] = interval(scores, options.confidence)
        result["bootstrap_mean"] = float(scores.mean())
    if result["bleu"] == 0:
        warn_about_zero(total, segments, options)
    resampled = {"bs": options.n_resamples} if "confidence_interval" in result else None
    result["signature"] = make_signature(options, *signed, resampled, unknown)
    return result


def _percent(scores: Any) -> list[str]:
    return [f"{100 * score:.2f}" for score in scores]


# --- explain ----------------------------------------------------------------------------------------------------------


class CoveredText(TypedDict):
    """The tokens of a text, each with the order of the longest matching n-gram that contains it, 0 for none."""

    tokens: list[Any]
    longest_match: list[int]
    length: int


class NGramCount(TypedDict):
    """An n-gram, its count in the prediction, and the count that may match."""

    ngram: list[Any]
    count: int
    allowed: int


class OrderCounts(TypedDict):
    """The n-grams of one order: total and matches, and the n-grams that were clipped or missed."""

    order: int
    total: int
    unclipped_matches: int
    matches: int
    clipped: list[NGramCount]
    missed: list[NGramCount]


class Explanation(Report):
    """The result of `explain`: a dict for programs, a table in print, and colors in a notebook."""

    def title(self) -> str:
        return f"BLEU {self['score']:.2f} = 100 · {plain_formula(self)}"

    def rows(self) -> list[list[str]]:
        head = ["n-grams", "total", "unclipped matches", "matches", "precision"]
        rows = [list(record.values()) for record in self.records()]
        return [head, *([*map(str, counts), *_percent([precision])] for *counts, precision in rows)]

    def records(self) -> list[dict[str, Any]]:
        keys = ("order", "total", "unclipped_matches", "matches")
        return [
            {**{key: order[key] for key in keys}, "precision": precision}
            for order, precision in zip(self["orders"], self["precisions"])
        ]

    def to_html(self) -> str:
        legend = html.legend(len(self["orders"]))
        return html.wrap(html.explanation(self), legend, html.paragraph(self.note(), "note"))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot precision by order, before clipping and after, into `ax` or a new figure, and return the Axes."""
        return plot_precisions(self, ax)


def explain_segment(prediction: object, references: object, options: Options) -> Explanation:
    """Count one segment with `bleu_counting`, and keep the n-grams and tokens that matched.

    The first order of the paper's example 2:

    >>> explanation = explain_segment("the the the", ["the cat is on the mat"], Options(max_order=1))
    >>> explanation["orders"][0]["clipped"], explanation["prediction"]["longest_match"]
    ([{'ngram': ['the'], 'count': 3, 'allowed': 2}], [1, 1, 0])
    """
    corpus = read_corpus([prediction], [references])
    tokenizer, orders = choose_tokenizer(options, corpus.kind), options.counted_orders
    (prediction_tokens,), tokens = (
        list_tokens(part, tokenizer) for part in prepare_batch(corpus.batches[0], tokenizer)
    )
    row = np.array(count_segment(prediction_tokens, tokens, orders, options.reference_length, options.minimum_total))
    counts, allowed = count_ngrams(prediction_tokens, orders), count_most_ngrams(tokens, orders)
    lengths = [len(reference) for reference in tokens]
    explanation = Explanation(_describe_corpus(corpus, options, row))
    explanation["weights"] = order_weights(precisions(row, options).present, options)
    explanation["prediction"] = _cover_tokens(prediction_tokens, allowed, options.max_order)
    explanation["references"] = [_cover_tokens(text, counts, options.max_order) for text in tokens]
    explanation["effective_reference"] = _list_present(references)[lengths.index(row[-1])]
    explanation["orders"] = [
        _explain_order(order, int(row[orders + order - 1]), counts, allowed)
        for order in range(1, options.max_order + 1)
    ]
    return explanation


def _list_present(references: Any) -> list[int]:
    """Return the indices, as the caller counts, of the references that are not None."""
    if isinstance(references, str):
        return [0]
    return [i for i, reference in enumerate(references) if reference is not None]


def _cover_tokens(tokens: Tokens, allowed: Mapping[Any, int], max_order: int) -> CoveredText:
    """Return the tokens, each with the order of the longest clipped match that covers it."""
    longest = [0] * len(tokens)
    for order in range(max_order, 0, -1):
        remaining = {ngram: count for ngram, count in allowed.items() if len(ngram) == order}
        # Occurrences within a longer match come first, because they are known to match (the sort is stable).
        within = [min(longest[i : i + order]) for i in range(len(tokens) - order + 1)]
        for start in sorted(range(len(within)), key=lambda i: not within[i]):
            ngram = tuple(tokens[start : start + order])
            if remaining.get(ngram, 0):
                remaining[ngram] -= 1
                longest[start : start + order] = [max(order, match) for match in longest[start : start + order]]
    return {"tokens": list(tokens), "longest_match": longest, "length": len(tokens)}


def _explain_order(order: int, total: int, counts: NGrams, allowed: NGrams) -> OrderCounts:
    counts_of_order = {ngram: count for ngram, count in counts.items() if len(ngram) == order}
    unmatched: list[NGramCount] = [
        {"ngram": list(ngram), "count": count, "allowed": allowed[ngram]}
        for ngram, count in counts_of_order.items()
        if count > allowed[ngram]
    ]
    return {
        "order": order,
        "total": total,
        "unclipped_matches": sum(count for ngram, count in counts_of_order.items() if ngram in allowed),
        "matches": sum(min(count, allowed[ngram]) for ngram, count in counts_of_order.items()),
        "clipped": [ngram for ngram in unmatched if ngram["allowed"]],
        "missed": [ngram for ngram in unmatched if not ngram["allowed"]],
    }
