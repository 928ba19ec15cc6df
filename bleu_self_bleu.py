"""Self-BLEU (Zhu et al., 2018): how much a set of texts repeats itself, each scored against all the others.

An occurrence of an n-gram matches if another text has it too, so that counting the texts that have it is enough: the
time is that of reading the texts, not of comparing each with each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .bleu_arrow import Int64
from .bleu_corpus import Texts
from .bleu_counting import REFERENCE_LENGTHS
from .bleu_options import Options, make_signature
from .bleu_plots import plot_segments
from .bleu_report import Report
from .bleu_scoring import bleu
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_vocabulary import number_ngrams, number_texts
from .bleu_warnings import warn_about_text


class SelfBleu(Report):
    """What `self_bleu` returns: a dict, which prints as one, and a small table elsewhere."""

    prints_as_table = False

    def rows(self) -> list[list[str]]:
        scores = [self["self_bleu"], *np.quantile(self["segment_bleu"], [0, 0.5, 1])]
        head = ["texts", "self-BLEU", "lowest", "median", "highest"]
        return [head, [f"{len(self['segment_bleu']):,}", *(f"{100 * score:.2f}" for score in scores)]]

    def records(self) -> list[dict[str, Any]]:
        return [{"text": i, "bleu": score} for i, score in enumerate(self["segment_bleu"])]

    def note(self) -> str:
        return str(self["signature"])

    def plot(self, ax: Any = None) -> Any:
        """Plot the scores of the texts, by matplotlib.

        Args:
            ax: the Axes to draw into; those of a new figure unless given.

        Returns:
            The Axes.
        """
        return plot_segments(self["segment_bleu"], ax)


def score_against_others(texts: Texts, options: Options) -> SelfBleu:
    """The segment score of each text with all the others as its references, and their mean.

    Args:
        texts: one column of two texts or more.
        options: those that decide the number; effective order is on.

    Returns:
        What `BleuMetric.self_bleu` documents.

    Raises:
        ValueError: there is only one text.

    The second "b" of the last text is in no other:

    >>> score_against_others(read_texts(texts=["a b", "a b", "b b"]), Options(max_order=1))["segment_bleu"]
    [1.0, 1.0, 0.5]
    """
    (column,) = texts.columns.values()
    if len(column) < 2:
        raise ValueError("There is one text, and no other to compare it with: give two or more.")
    warn_about_text(column, options.tokenize)
    tokenizer, options = choose_tokenizer(options, texts.kind), replace(options, effective_order=True)
    scores = bleu(_count_rows(*number_texts(texts, tokenizer), options), options)
    signature = make_signature(options, tokenizer.name, str(len(column) - 1))
    return SelfBleu(self_bleu=float(scores.mean()), segment_bleu=scores.tolist(), signature=signature)


def _count_rows(numbers: Int64, offsets: Int64, options: Options) -> Int64:
    """The statistics row of each text with all the others as its references, int64 [texts, 2 N + 2]."""
    lengths, orders = np.diff(offsets), np.arange(options.counted_orders)[:, np.newaxis]
    matches = [
        np.bincount(texts[np.bincount(ngrams)[ngrams] > 1], minlength=len(lengths))
        for texts, ngrams in number_ngrams(numbers, offsets, options.counted_orders)
    ]
    totals = np.maximum(lengths - orders, options.minimum_total)
    return np.vstack([matches, totals, lengths, _find_effective_lengths(lengths, options.reference_length)]).T


def _find_effective_lengths(lengths: Int64, reference_length: str) -> Int64:
    """The effective reference length of each text: texts as long as each other have the same."""
    different, which, texts = np.unique(lengths, return_inverse=True, return_counts=True)
    effective = []
    for i, length in enumerate(different.tolist()):
        # Of the others the longest and the shortest, and the nearest on either side: no definition looks further.
        around = {0, 1, i - 1, i, i + 1, len(different) - 2, len(different) - 1} & set(range(len(different)))
        others = [int(different[k]) for k in sorted(around) if k != i or texts[k] > 1]
        effective.append(REFERENCE_LENGTHS[reference_length](length, others))
    return np.array(effective)[which]
