"""Settings to try: how they differ from each other, grids of them, and their scores.

The search combines the values of `FACTORS`; to try another value, add it there. It asks a `Scorer`
for many settings at a time, which counts once per combination of what affects counting.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from datasets.utils import tqdm

from ..options.options import Options
from ..options.signature import Origin, make_signature
from ..rows.statistics import count_corpus
from ..rules.chosen_tokenizer import choose_tokenizer
from ..rules.counting import REFERENCE_LENGTHS, Layout, count_totals
from ..rules.scores import (
    NOISE,
    OrderWeights,
    bleu,
    bleu_by_weights,
    brevity_penalty,
    order_weights,
    score_row,
)
from ..rules.smoothing import SMOOTH_METHODS, Columns
from ..rules.tokenizers import TOKENIZERS
from ..shared.arrays import InputType, Int64, list_items
from ..shared.result_types import FactorStep, Scores
from ..text.corpus import Corpus, make_corpus
from .calls import (
    ALL_REFERENCES,
    CALLS,
    CHARACTER_LIST,
    OTHER_FACTORS,
    ReferencePositions,
    Setting,
    rewrite_corpus,
)

Grid = Mapping[str, Sequence[Any]]  # the values of each factor to combine

# The smoothing methods to try for corpus scores.
CORPUS_METHODS = ("exp", "none", "skip", "floor", "add-k", "laplace")

# The values that a search combines, in addition to the values of the starting point. The tokenizer
# and the smoothing of captions are tried only together, as a convention. Characters with blanks
# are tried only as NLTK splits a str.
FACTORS: Grid = {
    "references": (ALL_REFERENCES,),
    "tokenize": tuple(
        name
        for name, tokenizer in TOKENIZERS.items()
        if tokenizer.automaton and name != CHARACTER_LIST
    ),
    "lowercase": (False, True),
    "minimum_total": (0, 1),
    "reference_length": tuple(REFERENCE_LENGTHS),
    "smooth_method": CORPUS_METHODS,
    "max_order": (4, 3, 2, 1),
}

# The values for means of segment scores: fewer options, but more smoothing methods, because such
# means may be made with NLTK's `sentence_bleu`.
SEGMENT_FACTORS: Grid = {
    **FACTORS,
    "reference_length": (),
    "smooth_method": (*CORPUS_METHODS, "nltk-4", "nltk-5", "chen-cherry-6", "nltk-7"),
    "max_order": (),
    "effective_order": (True, False),
}


class EqualSettings(NamedTuple):
    """Settings that give the same score.

    setting: the most plausible one.
    others: the others, the most plausible first.
    score: their score, on the scale 0-1.
    level: the index of the kind of `setting` in `KIND_OF_LEVEL`.
    """

    setting: Setting
    others: list[Setting]
    score: float
    level: int


# --- Settings -------------------------------------------------------------------------------------


def sign_setting(corpus: Corpus, options: Options, references: str | int) -> str:
    """Write the signature of a setting; `references` is that of `Setting`."""
    nrefs = corpus.reference_count() if references == ALL_REFERENCES else "1"
    return make_signature(options, Origin(choose_tokenizer(options, corpus.kind).name, nrefs))


def simplify(setting: Setting) -> Setting:
    """Return the simplest setting that means the same: `max_order` instead of `weights`.

    Orders beyond the last weight don't matter, but for NLTK's method 7, which smooths all orders
    before it averages neighbors. Their weights (1/2, 1/2, 0, 0) are those of `max_order=2`:

    >>> setting = simplify(Setting.of_options(Options(weights=(0.5, 0.5, 0, 0))))
    >>> setting.weights, setting.max_order
    (None, 2)
    """
    if setting.weights is None or setting.smooth_method in ("chen-cherry-7", "nltk-7"):
        return setting
    for order in range(1, setting.max_order + 1):
        equal_weights = (1 / order,) * order + (0.0,) * (setting.max_order - order)
        if setting.weights == equal_weights:
            return setting._replace(weights=None, max_order=order)
    return setting


def changed_factors(before: Setting, after: Setting) -> list[str]:
    """Return the names of the factors that differ between two settings.

    >>> start = Setting.of_options(Options())
    >>> changed_factors(start, start._replace(tokenize="zh"))
    ['tokenize']
    """
    return [name for name, old, new in zip(Setting._fields, before, after) if old != new]


def list_path(start: Setting, end: Setting) -> list[Setting]:
    """List the settings from one setting to another, both included, one factor at a time.

    >>> start = Setting.of_options(Options())
    >>> end = start._replace(tokenize="zh", lowercase=True)
    >>> [(setting.tokenize, setting.lowercase) for setting in list_path(start, end)]
    [('13a', False), ('zh', False), ('zh', True)]
    """
    path = [start]
    for factor in changed_factors(start, end):
        path.append(path[-1]._replace(**{factor: getattr(end, factor)}))
    return path


def list_steps(scores: Mapping[Setting, float], start: Setting, end: Setting) -> list[FactorStep]:
    """List the steps from one setting to another, one factor at a time; their differences add up.

    >>> start = Setting.of_options(Options())
    >>> end = start._replace(tokenize="zh")
    >>> list_steps({start: 0.25, end: 0.5}, start, end)
    [{'factor': 'tokenize', 'value': 'zh', 'delta': 0.25}]
    """
    path = list_path(start, end)
    return [
        {
            "factor": factor,
            "value": to_json(getattr(end, factor)),
            "delta": scores[after] - scores[before],
        }
        for factor, before, after in zip(changed_factors(start, end), path, path[1:])
    ]


def to_json(value: object) -> object:
    """Return weights as a list, any other value as it is."""
    return list(value) if isinstance(value, tuple) else value


def group_settings(scores: Mapping[Setting, float]) -> list[list[Setting]]:
    """Group the settings that give the same score, the lowest score first.

    >>> start = Setting.of_options(Options())
    >>> scores = {start._replace(references=0): 0.5, start: 0.25, start._replace(references=1): 0.5}
    >>> [len(group) for group in group_settings(scores)]
    [1, 2]
    """
    groups: list[list[Setting]] = []
    previous = -math.inf
    for setting, score in sorted(scores.items(), key=itemgetter(1)):
        if score - previous > NOISE:
            groups.append([])
        groups[-1].append(setting)
        previous = score
    return groups


def list_same_score(group: EqualSettings) -> dict[str, list[object]]:
    """Return, by factor, the values that keep the score if all other factors stay the same.

    >>> start = Setting.of_options(Options())
    >>> others = [start._replace(lowercase=True), start._replace(max_order=3)]
    >>> list_same_score(EqualSettings(start, others, 0.5, None))
    {'lowercase': [True], 'max_order': [3]}
    """
    same_score: dict[str, list[object]] = {}
    for other in group.others:
        factor, *further = changed_factors(group.setting, other)
        if not further and factor not in OTHER_FACTORS:
            same_score.setdefault(factor, []).append(to_json(getattr(other, factor)))
    return same_score


def list_swapped(grid: Grid, start: Setting) -> list[Setting]:
    """List the starting point with exchanged texts, and with one more change.

    >>> start = Setting.of_options(Options())
    >>> len(list_swapped({"lowercase": (False, True)}, start))
    2
    """
    swapped = start._replace(swapped=True)
    settings = [swapped]
    for factor, values in grid.items():
        settings += [swapped._replace(**{factor: value}) for value in values]
    return list(dict.fromkeys(settings))


# --- Grids of settings ----------------------------------------------------------------------------


def find_reference_positions(corpus: Corpus, given: pa.ChunkedArray) -> ReferencePositions:
    """Find the references of each index that every segment has, among all of the corpus.

    The result is empty if every segment has a single reference. `given` has the references as the
    user passed them, including each None.

    >>> given = read_column("references", [["a", None, "b"], [None, "c", "d"]], EXPECTED_REFERENCES)
    >>> find_reference_positions(read_corpus(["a", "b"], given), given)
    {2: array([1, 3])}
    """
    if corpus.reference_count() == "1":
        return {}
    given_items, bounds = list_items(given.combine_chunks())
    is_present = np.asarray(given_items.is_valid())
    position_in_corpus = np.cumsum(is_present) - 1  # the corpus has no None
    reference_positions = {}
    for index in range(np.diff(bounds).min()):
        given_positions = bounds[:-1] + index
        if is_present[given_positions].all():
            reference_positions[index] = position_in_corpus[given_positions]
    return reference_positions


def make_grid(
    kind: InputType,
    reference_positions: ReferencePositions,
    options: Options,
    fixed: Collection[str],
    *,
    factors: Grid = FACTORS,
) -> Grid:
    """Return the values of each factor that a search combines, the value in `options` first.

    >>> make_grid("ids", {0: np.array([0, 2])}, Options(), {"max_order"})["references"]
    ('all', 0)
    """
    further = dict(factors)
    further["references"] = (ALL_REFERENCES, *reference_positions)
    constant = [*fixed]
    if options.weights is not None:  # they fix the order
        constant.append("max_order")
    if kind != "text":
        constant.append("tokenize")
    if kind == "ids":
        constant.append("lowercase")
    further |= dict.fromkeys(constant, ())
    return {
        name: tuple(dict.fromkeys([start_value, *further.get(name, ())]))
        for name, start_value in Setting.of_options(options)._asdict().items()
    }


def list_grid(grid: Grid) -> list[Setting]:
    """List all combinations of the values of a grid.

    >>> corpus_grid = make_grid("ids", {}, Options(), {"max_order", "smooth_method"})
    >>> len(list_grid(corpus_grid)), len(corpus_grid["reference_length"])
    (6, 3)
    """
    return [Setting(*values) for values in product(*(grid[name] for name in Setting._fields))]


# --- Scores of settings ---------------------------------------------------------------------------


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
                self._last_rows[counting] = rows[-1].copy()
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
            if call.select is not None:
                corpus = call.select(corpus)
            if call.rewrite is not None:  # tokens with spaces between them, lower-cased
                corpus = rewrite_corpus(corpus, call.rewrite, lowercase)
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
        last_row: int64 [2 N + 2], the row of the last segment.
        options: supply the method and the orders.
    """
    layout = Layout.of_width(len(total))
    mixed = total.copy()
    if options.smooth_method == "chen-cherry-6":
        mixed[layout.totals][2:] = last_row[layout.totals][2:]
    else:
        beyond = options.max_order
        mixed[layout.matches][beyond] = last_row[layout.matches][beyond]
        mixed[layout.totals][beyond] = last_row[layout.totals][beyond]
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
    smoothed = SMOOTH_METHODS[options.smooth_method].smooth(
        columns, options.smooth_value_in_effect or 0.0
    )
    logarithm = 0.0
    weights = order_weights([True] * options.max_order, options)
    for weight, match, count in zip(weights, smoothed.matches, smoothed.totals):
        if weight and match > 0 and count > 0:  # NLTK leaves out orders without a match
            logarithm += float(weight * math.log(match / count))
    return float(brevity_penalty(columns.length, columns.reference_length)) * math.exp(logarithm)
