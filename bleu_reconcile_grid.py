"""One corpus under many settings, and what each factor makes of the score.

A setting is a value for each of `FACTORS`. The text is tokenised once for each tokenizer and case; from there on tokens
are numbers, and a setting comes down to a statistics row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .bleu_arrow import Int64, list_items, make_lists
from .bleu_corpus import Batch, Corpus, Kind, Texts, make_corpus
from .bleu_options import CONVENTIONS, REFERENCE_LENGTHS, TOKENIZERS, Options, choose_options
from .bleu_scoring import NOISE, bleu
from .bleu_statistics import count_corpus
from .bleu_tokenizer_choice import choose_tokenizer, prepare_texts
from .bleu_vocabulary import number_texts

ALL = "all"  # references: all that a row has; or the index of one

# What tools and papers differ in, in the order in which a difference is looked for and reported.
FACTORS: dict[str, tuple[Any, ...]] = {
    "references": (ALL,),
    "tokenize": TOKENIZERS,
    "lowercase": (False, True),
    "minimum_total": (0, 1),
    "reference_length": REFERENCE_LENGTHS,
    "smooth_method": ("exp", "none", "floor", "add-k", "laplace"),
    "max_order": (4, 3, 2, 1),
}

Setting = tuple[Any, ...]  # in the order of FACTORS
Grid = Mapping[str, Sequence[Any]]  # for each of FACTORS the values to combine
Places = Mapping[int, Int64]  # an index of a reference, and where each row's is among all references of the corpus


class NumberedTokens(NamedTuple):
    """Predictions and all references as lists of token numbers, and where each row's references begin."""

    predictions: pa.Array
    references: pa.Array
    bounds: Int64


def find_references(corpus: Corpus, given: pa.ChunkedArray) -> Places:
    """Where each row's reference of an index is among all references, for the indices that stand for one in every row.

    Where each row has a single reference, there is nothing to choose among, and no index.

    Args:
        corpus: what `bleu_inputs.read_corpus` returns.
        given: its references as the user counts them, each None as well.

    >>> given = pa.chunked_array([[["a", None, "b"], [None, "c", "d"]]])
    >>> find_references(read_corpus(["a", "b"], given), given)
    {2: array([1, 3])}
    """
    if corpus.reference_count() == "1":
        return {}
    items, bounds = list_items(given.combine_chunks())
    is_present = np.asarray(items.is_valid())
    places = np.cumsum(is_present) - 1
    given_places = {index: bounds[:-1] + index for index in range(np.diff(bounds).min())}
    return {index: places[rows] for index, rows in given_places.items() if is_present[rows].all()}


def make_grid(kind: Kind, places: Places, options: Options, fixed: Collection[str]) -> dict[str, tuple[Any, ...]]:
    """The values of each factor that a search goes through: those of `FACTORS`, the one in `options` first.

    Args:
        kind: the corpus's.
        places: what `find_references` returns.
        options: where the search starts.
        fixed: names of options that stay as they are.

    >>> make_grid("ids", {0: np.array([0, 2])}, Options(), {"max_order"})["references"]
    ('all', 0)
    """
    start = {"references": ALL, **vars(options)}
    values = {**FACTORS, "references": (ALL, *places)}
    if options.weights is not None:  # they go with one order alone
        values["max_order"] = ()
    if kind != "text":
        values["tokenize"] = ()
    if kind == "ids":
        values["lowercase"] = ()
    return {
        name: tuple(dict.fromkeys((start[name], *(() if name in fixed else more)))) for name, more in values.items()
    }


def score_grid(corpus: Corpus, places: Places, options: Options, grid: Grid) -> dict[Setting, float]:
    """The score of each setting, from 0 to 1.

    Args:
        corpus: what `bleu_inputs.read_corpus` returns.
        places: what `find_references` returns; of the indices in the grid at least.
        options: what isn't a factor.
        grid: for each of `FACTORS` the values to combine.

    >>> grid = {**{name: values[:1] for name, values in FACTORS.items()}, "max_order": (2, 1)}
    >>> list(score_grid(read_corpus(["a b c"], ["a c b"]), {}, Options(), grid).values())
    [0.5, 1.0]
    """
    counted, rows = zip(*_count_grid(corpus, places, replace(options, max_order=max(grid["max_order"])), grid))
    scores: dict[Setting, float] = {}
    for method, order in product(grid["smooth_method"], grid["max_order"]):
        value = options.smooth_value if method == options.smooth_method else None
        scored = replace(options, smooth_method=method, smooth_value=value, max_order=order)
        row_scores = bleu(np.stack(rows), scored).tolist()
        scores |= {(*factors, method, order): score for factors, score in zip(counted, row_scores)}
    return scores


def list_steps(scores: Mapping[Setting, float], start: Setting, end: Setting) -> list[dict[str, Any]]:
    """The way from one setting to another, a factor at a time, and what each step makes of the score.

    Returns:
        For each factor that differs `factor`, `value` and `difference`; the differences add up.

    >>> scores = {("all", "13a"): 0.2, ("all", "zh"): 0.5, (0, "13a"): 0.1, (0, "zh"): 0.3}
    >>> list_steps(scores, ("all", "13a"), ("all", "zh"))
    [{'factor': 'tokenize', 'value': 'zh', 'difference': 0.3}]
    """
    steps, setting = [], start
    for i, (factor, value) in enumerate(zip(FACTORS, end)):
        if value != setting[i]:
            changed = (*setting[:i], value, *setting[i + 1 :])
            steps.append({"factor": factor, "value": value, "difference": scores[changed] - scores[setting]})
            setting = changed
    return steps


def group_settings(
    scores: Mapping[Setting, float], start: Setting, known: Collection[Setting] = ()
) -> list[list[Setting]]:
    """The settings that give the same score together, the plausible ones first, in a group and among groups.

    Plausible is where the search starts, then what known tools do, then what takes few changes.

    Args:
        scores: the score of each setting.
        start: where the search starts.
        known: settings of known tools.

    >>> group_settings({(ALL, "13a"): 0.5, (ALL, "zh"): 0.25, (0, "13a"): 0.5}, (ALL, "zh"))
    [[('all', 'zh')], [('all', '13a'), (0, '13a')]]
    """

    def implausibility(setting: Setting) -> tuple[bool, bool, int]:
        changes = sum(value != other for value, other in zip(start, setting))
        return changes > 0, setting not in known, changes

    groups: list[list[Setting]] = []
    last = -1.0
    for setting in sorted(scores, key=lambda setting: scores[setting]):
        if scores[setting] - last > NOISE:
            groups.append([])
        groups[-1].append(setting)
        last = scores[setting]
    return sorted((sorted(group, key=implausibility) for group in groups), key=lambda group: implausibility(group[0]))


def convention_options(options: Options) -> dict[str, Options]:
    """The options of each convention, with what a user chose on top.

    >>> convention_options(Options().override({"max_order": 2}))["hf"].max_order
    2
    """
    chosen = {name: getattr(options, name) for name in options.given}
    return {name: choose_options(name, chosen) for name in CONVENTIONS}


def make_setting(options: Options) -> Setting:
    """The setting that options stand for, with all references.

    >>> make_setting(Options())
    ('all', '13a', False, 0, 'closest', 'exp', 4)
    """
    values = {"references": ALL, **vars(options)}
    return tuple(values[factor] for factor in FACTORS)


def _count_grid(corpus: Corpus, places: Places, options: Options, grid: Grid) -> Iterator[tuple[Setting, Int64]]:
    """The statistics row of the corpus for each combination of the factors that counting depends on."""
    lengths = grid["reference_length"]
    for tokenize, lowercase in product(grid["tokenize"], grid["lowercase"]):
        tokens = _number_corpus(corpus, replace(options, tokenize=tokenize, lowercase=lowercase))
        for which in grid["references"]:
            # Where a row has one reference, the closest, shortest and longest are the same.
            different = lengths if which == ALL and len(tokens.references) > len(corpus) else lengths[:1]
            rows = {length: _count_with(tokens, places.get(which), options, length) for length in different}
            for length, minimum in product(lengths, grid["minimum_total"]):
                row = _sum_with_minimum(rows.get(length, rows[lengths[0]]), minimum)
                yield (which, tokenize, lowercase, minimum, length), row


def _number_corpus(corpus: Corpus, options: Options) -> NumberedTokens:
    tokenizer, end = choose_tokenizer(options, corpus.kind), len(corpus)
    batch = Batch(0, corpus.predictions.combine_chunks(), *list_items(corpus.references.combine_chunks()))
    predictions = prepare_texts(batch.predictions, tokenizer, "predictions", batch.row_of_prediction)
    references = prepare_texts(batch.references, tokenizer, "references", batch.row_of_reference)
    columns = {"predictions": pa.chunked_array([predictions]), "references": pa.chunked_array([references])}
    numbers, offsets = number_texts(Texts(columns, corpus.kind), tokenizer._replace(lowercase=False, split=None))
    tokens = pa.array(numbers)
    return NumberedTokens(make_lists(offsets[: end + 1], tokens), make_lists(offsets[end:], tokens), batch.bounds)


def _count_with(tokens: NumberedTokens, chosen: Int64 | None, options: Options, reference_length: str) -> Int64:
    """Statistics rows of the predictions with all references, or with the one of each row that is chosen."""
    predictions, references, bounds = tokens
    if chosen is not None:
        references, bounds = references.take(pa.array(chosen)), np.arange(len(bounds))
    corpus = make_corpus(pa.chunked_array([predictions]), pa.chunked_array([make_lists(bounds, references)]))
    return count_corpus(corpus, Options(max_order=options.counted_orders, reference_length=reference_length))


def _sum_with_minimum(rows: Int64, minimum_total: int) -> Int64:
    """The sum of rows with so many n-grams in each segment at least."""
    orders = rows.shape[1] // 2 - 1
    total = rows.sum(axis=0)
    total[orders : 2 * orders] = np.maximum(rows[:, orders : 2 * orders], minimum_total).sum(axis=0)
    return total
