"""One segment, for people who look: which n-grams matched, what was clipped and what was missed.

The same clipped counts as in `bleu_counting`, with the n-grams kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import bleu_html as html
from .bleu_arrow import Int64
from .bleu_compute import describe_corpus
from .bleu_counting import REFERENCE_LENGTHS, NGrams, Tokens, count_most_ngrams, count_ngrams, make_row
from .bleu_formula import plain_formula
from .bleu_inputs import read_corpus
from .bleu_options import Options
from .bleu_plots import plot_precisions
from .bleu_report import Report
from .bleu_scoring import order_weights, precisions
from .bleu_statistics import split_segment


class Explanation(Report):
    """What `explain` returns: a dict for programs, a table where it is printed, and colours in a notebook."""

    def title(self) -> str:
        return f"BLEU {self['score']:.2f} = 100 · {plain_formula(self)}"

    def rows(self) -> list[list[str]]:
        head = ["n-grams", "total", "unclipped matches", "matches", "precision"]
        rows = [list(record.values()) for record in self.records()]
        return [head, *([*map(str, counts), f"{100 * precision:.2f}"] for *counts, precision in rows)]

    def records(self) -> list[dict[str, Any]]:
        keys = ("order", "total", "unclipped_matches", "matches")
        return [
            {**{key: order[key] for key in keys}, "precision": precision}
            for order, precision in zip(self["orders"], self["precisions"])
        ]

    def note(self) -> str:
        return str(self["signature"])

    def to_html(self) -> str:
        legend = html.legend(len(self["orders"]))
        return html.wrap(html.explanation(self), legend, html.paragraph(self.note(), "note"))

    def plot(self, ax: Any = None) -> Any:
        """Plot precision by order, before clipping and after, by matplotlib.

        Args:
            ax: the Axes to draw into; those of a new figure unless given.

        Returns:
            The Axes.
        """
        return plot_precisions(self, ax)


def explain_segment(prediction: Any, references: Any, options: Options) -> Explanation:
    """What matched in one segment, and how its score comes about.

    Args:
        prediction: as a row of `bleu_inputs.read_corpus`.
        references: likewise.
        options: those that decide the number.

    Returns:
        What `BleuMetric.explain` documents.

    The paper's example 2, at its first order:

    >>> explanation = explain_segment("the the the", ["the cat is on the mat"], Options(max_order=1))
    >>> explanation["orders"][0]["clipped"], explanation["prediction"]["longest_match"]
    ([{'ngram': ['the'], 'count': 3, 'allowed': 2}], [1, 1, 0])
    """
    corpus = read_corpus([prediction], [references])
    tokens = split_segment(corpus, options)
    counts = count_ngrams(tokens.prediction, options.counted_orders)
    allowed = count_most_ngrams(tokens.references, options.counted_orders)
    lengths = [len(reference) for reference in tokens.references]
    reference_length = REFERENCE_LENGTHS[options.reference_length](len(tokens.prediction), lengths)
    row = _make_row(counts & allowed, len(tokens.prediction), reference_length, options)
    orders = range(1, options.max_order + 1)
    return Explanation(
        describe_corpus(corpus, options, row),
        weights=order_weights(precisions(row, options).present, options),
        prediction=_cover_tokens(tokens.prediction, allowed, options.max_order),
        references=[_cover_tokens(reference, counts, options.max_order) for reference in tokens.references],
        effective_reference=_list_present(references)[lengths.index(reference_length)],
        orders=[_explain_order(order, counts, allowed, options.minimum_total) for order in orders],
    )


def _make_row(clipped: NGrams, length: int, reference_length: int, options: Options) -> Int64:
    row = np.array(make_row(clipped, length, reference_length, options.counted_orders))
    totals = row[options.counted_orders : -2]
    np.maximum(totals, options.minimum_total, out=totals)
    return row


def _list_present(references: Any) -> list[int]:
    """The indices of references as the caller counts them, without those that are None."""
    if isinstance(references, str):
        return [0]
    return [i for i, reference in enumerate(references) if reference is not None]


def _cover_tokens(tokens: Tokens, allowed: Mapping[Any, int], max_order: int) -> dict[str, Any]:
    """The tokens, and how long a match each is part of when an n-gram matches as often as is allowed."""
    longest = [0] * len(tokens)
    for order in range(max_order, 0, -1):
        remaining = {ngram: count for ngram, count in allowed.items() if len(ngram) == order}
        # Where an n-gram occurs within a longer match it is the one meant: these come first (the sort is stable).
        within = [min(longest[i : i + order]) for i in range(len(tokens) - order + 1)]
        for start in sorted(range(len(within)), key=lambda i: not within[i]):
            ngram = tuple(tokens[start : start + order])
            if remaining.get(ngram, 0):
                remaining[ngram] -= 1
                longest[start : start + order] = [max(order, other) for other in longest[start : start + order]]
    return {"tokens": list(tokens), "longest_match": longest, "length": len(tokens)}


def _explain_order(order: int, counts: NGrams, allowed: NGrams, minimum_total: int) -> dict[str, Any]:
    counts_of_order = {ngram: count for ngram, count in counts.items() if len(ngram) == order}
    unmatched = [
        {"ngram": list(ngram), "count": count, "allowed": allowed[ngram]}
        for ngram, count in counts_of_order.items()
        if count > allowed[ngram]
    ]
    return {
        "order": order,
        "total": max(sum(counts_of_order.values()), minimum_total),
        "unclipped_matches": sum(count for ngram, count in counts_of_order.items() if ngram in allowed),
        "matches": sum(min(count, allowed[ngram]) for ngram, count in counts_of_order.items()),
        "clipped": [ngram for ngram in unmatched if ngram["allowed"]],
        "missed": [ngram for ngram in unmatched if not ngram["allowed"]],
    }
