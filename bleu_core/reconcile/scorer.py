"""The scores of settings: a corpus is counted once per combination of what affects counting.

The search asks a `Scorer` for many settings at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from datasets.utils import tqdm

from ..options.options import Options
from ..rows.statistics import count_corpus
from ..rules.chosen_tokenizer import choose_tokenizer
from ..rules.counting import Layout, count_totals
from ..rules.scoring import (
    OrderWeights,
    bleu,
    bleu_by_weights,
    brevity_penalty,
    order_weights,
    score_row,
)
from ..rules.smoothing import SMOOTH_METHODS, Columns
from ..shared.arrays import Int64
from ..shared.result_types import Scores
from ..text.corpus import Corpus, make_corpus
from .calls import ALL_REFERENCES, CALLS, ReferencePositions, Setting


class Scorer:
    """The scores of a corpus under settings; each is counted and scored once.

    Attributes:
        scores: the score of each setting that was added, on the scale 0-1.
        progress: the name of the progress bar that a long search shows.
    """

    def __init__(
        self,
        corpus: Corpus,
        reference_positions: ReferencePositions,
        options: Options,
        max_order: int,
        progress: str = "",
    ) -> None:
        """Prepare the corpus with all references, and with each reference alone.

        Args:
            corpus: the texts.
            reference_positions: the references to use alone.
            options: supplies everything that is not a factor.
            max_order: the highest of the settings.
            progress: the name of the progress bar that a long search shows.
        """
        self.progress = progress
        self.scores: dict[Setting, float] = {}
        self._options = options
        self._orders = max_order + 1  # NLTK's methods 5 and 7 look one order ahead
        self._corpora = _split_references(corpus, reference_positions)
        self._totals: dict[Setting, Int64] = {}  # the sum of all rows
        self._last_rows: dict[Setting, Int64] = {}

    def add(self, settings: Iterable[Setting]) -> None:
        """Score further settings.

        >>> scorer = Scorer(read_corpus(["a b c"], ["a c b"]), {}, Options(), max_order=2)
        >>> start = Setting.of_options(Options(max_order=2))
        >>> scorer.add([start, start._replace(max_order=1)])
        >>> list(scorer.scores.values())
        [0.5, 1.0]
        """
        # 1. Collect what is counted together, unless the sums are known, and what is scored
        #    together.
        countings: dict[tuple[object, ...], dict[Setting, list[Setting]]] = {}
        sums: dict[Setting, list[Setting]] = {}
        for setting in dict.fromkeys(settings):
            if setting in self.scores:
                continue
            counting = setting.counting()
            needs_rows = setting.mean_of_segments or setting.call != ""
            if not needs_rows:
                sums.setdefault(setting.scoring(), []).append(setting)
            if needs_rows or counting not in self._totals:
                text = (counting.references, counting.tokenize, counting.lowercase, counting.call)
                of_counting = countings.setdefault(text, {}).setdefault(counting, [])
                if needs_rows:
                    of_counting.append(setting)

        # 2. Count. Keep the sums, and score calls and means of segments while their rows are there.
        for of_text in tqdm(countings.values(), desc=self.progress, delay=2):
            for counting, rows in self._count(list(of_text)):
                self._totals[counting] = rows.sum(axis=0)
                self._last_rows[counting] = rows[-1:].copy()
                self._score_rows(of_text[counting], rows)

        # 3. Score the sums.
        for scoring, of_scoring in sums.items():
            options = of_scoring[0].options(self._options)
            totals = [self._totals[setting.counting()] for setting in of_scoring]
            if scoring.last_pair:
                for setting, total in zip(of_scoring, totals):
                    self.scores[setting] = score_by_last_pair(
                        total, self._last_rows[setting.counting()], options
                    )
            else:
                self.scores |= zip(of_scoring, bleu(np.stack(totals), options).tolist())

    def _score_rows(self, settings: Sequence[Setting], rows: Int64) -> None:
        """Score calls and means of segment scores from int64 [segments, 2 N + 2].

        Means that differ in their weights only are smoothed once.
        """
        means: dict[Setting, dict[OrderWeights, Setting]] = {}
        for setting in settings:
            if setting.call:
                self.scores[setting] = CALLS[setting.call].score_rows(
                    rows, setting.options(self._options), is_mean=setting.mean_of_segments
                )
            else:
                scoring = setting.scoring()._replace(weights=None)
                means.setdefault(scoring, {})[setting.weights] = setting
        for by_weights in means.values():
            options = next(iter(by_weights.values())).options(self._options)
            for weights, scores in bleu_by_weights(rows, options, by_weights).items():
                self.scores[by_weights[weights]] = float(scores.mean())

    def cumulative_rows(self, setting: Setting) -> Int64:
        """Return the sums of the first 0, 1, 2, … rows: int64 [segments + 1, 2 N + 2]."""
        ((_, rows),) = self._count([setting.counting()])
        return np.concatenate([np.zeros_like(rows[:1]), rows.cumsum(axis=0)])

    def lengths(self, setting: Setting) -> dict[str, int]:
        """Return the lengths of predictions and references under a setting that was added."""
        total = self._totals[setting.counting()]
        layout = Layout.of_width(len(total))
        return {
            "translation_length": int(total[layout.length]),
            "reference_length": int(total[layout.reference_length]),
        }

    def score_row(self, setting: Setting) -> Scores:
        """Return the result of a corpus score that was added."""
        return score_row(self._totals[setting.counting()], setting.options(self._options))

    def _count(self, countings: Sequence[Setting]) -> Iterator[tuple[Setting, Int64]]:
        """Yield the rows of the segments for each counting; all have the same texts and tokens.

        The rows are one array, which the next step overwrites: use them before asking for more.
        """
        # 1. Count under the first rule for the reference length.
        layout = Layout(self._orders)
        first = countings[0]
        corpus = self._corpora[first.references]
        tokenize = first.tokenize
        lowercase = first.lowercase
        if first.call:
            call = CALLS[first.call]
            corpus = call.change(corpus, lowercase=lowercase)
            if call.rewrite is not None:  # tokens with spaces between them, lower-cased
                tokenize = "none"
                lowercase = False
        counted = replace(
            self._options,
            tokenize=tokenize,
            lowercase=lowercase,
            reference_length=first.reference_length,
            minimum_total=0,
            weights=None,
            smooth_method="none",
            smooth_value=None,
            max_order=self._orders,
        )
        tokenizer = choose_tokenizer(counted, corpus.kind)
        rows = count_corpus(corpus, tokenizer, counted)

        # 2. Find the reference lengths under the other rules. Only this column depends on the rule,
        #    so a single order is counted. A single reference is the closest, the shortest and the
        #    longest.
        lengths = rows[:, layout.length].copy()
        reference_lengths = {first.reference_length: rows[:, layout.reference_length].copy()}
        for rule in dict.fromkeys(counting.reference_length for counting in countings):
            if rule in reference_lengths:
                continue
            if corpus.reference_count() == "1":
                reference_lengths[rule] = reference_lengths[first.reference_length]
            else:
                by_rule = replace(counted, reference_length=rule, max_order=1)
                unigram_rows = count_corpus(corpus, tokenizer, by_rule)
                reference_lengths[rule] = unigram_rows[:, by_rule.layout.reference_length]

        # 3. Write the factors that need no counting into the rows. A single reference and its
        #    prediction have the same matches in either role.
        for counting in countings:
            length = lengths
            reference_length = reference_lengths[counting.reference_length]
            if counting.swapped:
                length, reference_length = reference_length, length
            rows[:, layout.length] = length
            rows[:, layout.reference_length] = reference_length
            rows[:, layout.totals] = count_totals(length, self._orders, counting.minimum_total).T
            yield counting, rows


def _split_references(
    corpus: Corpus, reference_positions: ReferencePositions
) -> dict[str | int, Corpus]:
    """Return the corpus with all references, and with each reference alone."""
    (batch,) = corpus.combine().batches
    corpora: dict[str | int, Corpus] = {ALL_REFERENCES: corpus}
    for index, positions in reference_positions.items():
        references = batch.references.take(pa.array(positions))
        corpora[index] = make_corpus(
            [(batch.predictions, references, np.arange(len(positions) + 1))]
        )
    return corpora


def score_by_last_pair(total: Int64, last_row: Int64, options: Options) -> float:
    """Return what NLTK's `corpus_bleu` makes of sums under its methods 5 to 7.

    They get the last pair of the corpus instead of sums (nltk issue 3903): methods 5 and 7 for the
    order beyond the last, method 6 for the numbers of n-grams from the third order on. Precisions
    above 1 stay.

    Args:
        total: int64 [2 N + 2], the sum of all rows.
        last_row: int64 [1, 2 N + 2], the row of the last segment.
        options: supply the method and the orders.
    """
    layout = Layout.of_width(len(total))
    last = last_row[0]
    mixed = total.copy()
    if options.smooth_method == "chen-cherry-6":
        mixed[layout.totals][2:] = last[layout.totals][2:]
    else:
        beyond = options.max_order
        mixed[layout.matches][beyond] = last[layout.matches][beyond]
        mixed[layout.totals][beyond] = last[layout.totals][beyond]
    counts = mixed.astype(float).tolist()
    orders = options.counted_orders
    columns = Columns(
        matches=counts[layout.matches][:orders],
        totals=counts[layout.totals][:orders],
        length=counts[layout.length],
        reference_length=counts[layout.reference_length],
    )
    if not columns.matches[0]:
        return 0.0
    smooth = SMOOTH_METHODS[options.smooth_method].smooth
    smoothed = smooth(columns, options.smooth_value_in_effect or 0.0)
    logarithm = 0.0
    weights = order_weights([True] * options.max_order, options)
    for weight, match, count in zip(weights, smoothed.matches, smoothed.totals):
        if weight and match > 0 and count > 0:  # NLTK leaves out orders without a match
            logarithm += float(weight * math.log(match / count))
    return float(brevity_penalty(columns.length, columns.reference_length)) * math.exp(logarithm)
