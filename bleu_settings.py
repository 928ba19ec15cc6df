"""One corpus under many settings, and what each makes of the score.

A setting is a value for each of `FACTORS`. The text is tokenised once for each tokenizer and case; from there on tokens
are numbers, and all that is left of a setting is a statistics row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from .bleu_arrow import unlisted
from .bleu_counting import REFERENCE_LENGTHS
from .bleu_options import CONVENTIONS, Options
from .bleu_scoring import bleu
from .bleu_statistics import corpus_rows
from .bleu_tokenizers import NATIVE
from .bleu_tokens import numbered_tokens

ALL = "all"  # references: all that a row has; or the index of one

# What tools and papers differ in, in the order in which a difference is looked for and told.
FACTORS: dict[str, tuple[Any, ...]] = {
    "references": (ALL,),
    "tokenize": tuple(NATIVE),
    "lowercase": (False, True),
    "minimum_total": (0, 1),
    "reference_length": tuple(REFERENCE_LENGTHS),
    "smooth_method": ("exp", "none", "floor", "add-k", "laplace"),
    "max_order": (4, 3, 2, 1),
}

Setting = tuple[Any, ...]  # in the order of FACTORS
Values = Mapping[str, Sequence[Any]]


def searched(table: pa.Table, options: Options, fixed: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The values of each factor that a search goes through: those of `FACTORS`, first the one that's in `options`.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: where the search starts.
        fixed: options that stay as they are.

    >>> searched(columns(["a"], [["b", "c"]]), Options(), {"tokenize": "zh"})["references"]
    ('all', 0, 1)
    """
    _, bounds = unlisted(table["references"].combine_chunks())
    each = int(np.diff(bounds).min())
    start = {"references": ALL, **vars(options)}
    values = {**FACTORS, "references": (ALL, *(range(each) if each > 1 else ()))}
    if options.weights is not None:  # they go with one order alone
        values["max_order"] = ()
    return {
        name: tuple(dict.fromkeys((start[name], *(() if name in fixed else more)))) for name, more in values.items()
    }


def scores_of(table: pa.Table, options: Options, values: Values) -> dict[Setting, float]:
    """The score of each setting, from 0 to 1.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: what isn't a factor.
        values: for each of `FACTORS` the values to combine.

    >>> values = {**{name: few[:1] for name, few in FACTORS.items()}, "max_order": (2, 1)}
    >>> list(scores_of(columns(["a b c"], ["a c b"]), Options(), values).values())
    [0.5, 1.0]
    """
    options = replace(options, max_order=max(values["max_order"]))
    counted, rows = zip(*_counted(table, options, values))
    scores: dict[Setting, float] = {}
    for method, order in product(values["smooth_method"], values["max_order"]):
        value = options.smooth_value if method == options.smooth_method else None
        smoothing = replace(options, smooth_method=method, smooth_value=value)
        by_row = bleu(np.stack(rows), smoothing, None if options.weights else order)
        scores |= {(*factors, method, order): score for factors, score in zip(counted, by_row.tolist())}
    return scores


def steps(scores: Mapping[Setting, float], start: Setting, end: Setting) -> list[dict[str, Any]]:
    """The way from one setting to another, a factor at a time, and what each step makes of the score.

    Returns:
        For each factor that differs `factor`, `value` and `difference`; the differences add up.

    >>> scores = {("all", "13a"): 0.2, ("all", "zh"): 0.5, (0, "13a"): 0.1, (0, "zh"): 0.3}
    >>> steps(scores, ("all", "13a"), ("all", "zh"))
    [{'factor': 'tokenize', 'value': 'zh', 'difference': 0.3}]
    """
    taken, here = [], start
    for i, (factor, value) in enumerate(zip(FACTORS, end)):
        if value != here[i]:
            there = (*here[:i], value, *here[i + 1 :])
            taken.append({"factor": factor, "value": value, "difference": scores[there] - scores[here]})
            here = there
    return taken


def groups(scores: Mapping[Setting, float], start: Setting) -> list[list[Setting]]:
    """The settings that give the same score together; in a group, and among groups, those nearest to `start` first.

    >>> groups({(ALL, "13a"): 0.5, (ALL, "zh"): 0.25, (0, "13a"): 0.5}, (ALL, "zh"))
    [[('all', 'zh')], [('all', '13a'), (0, '13a')]]
    """

    def changes(setting: Setting) -> int:
        return sum(one != other for one, other in zip(start, setting))

    found: dict[float, list[Setting]] = {}
    for setting in sorted(scores, key=changes):
        found.setdefault(round(scores[setting], 13), []).append(setting)
    return list(found.values())


def convention_settings() -> dict[str, Setting]:
    """The settings of the named conventions.

    >>> convention_settings()["hf"]
    ('all', '13a', False, 0, 'shortest', 'none', 4)
    """
    asked = {name: {"references": ALL, **vars(Options().updated(given))} for name, given in CONVENTIONS.items()}
    return {name: tuple(options[factor] for factor in FACTORS) for name, options in asked.items()}


def _counted(table: pa.Table, options: Options, values: Values) -> Iterator[tuple[Setting, np.ndarray]]:
    """The statistics row of the corpus for each combination of the factors that counting depends on."""
    lengths = values["reference_length"]
    for tokenize, lowercase in product(values["tokenize"], values["lowercase"]):
        predictions, references, bounds = _numbered(table, replace(options, tokenize=tokenize, lowercase=lowercase))
        for which in values["references"]:
            part = pa.table({"predictions": predictions, "references": _chosen(references, bounds, which)})
            counting = replace(options, lowercase=False, minimum_total=0)
            # Where a row has one reference, the closest, shortest and longest are the same.
            different = lengths if which == ALL and len(references) > len(table) else lengths[:1]
            rows = {length: corpus_rows(part, replace(counting, reference_length=length)) for length in different}
            for length, minimum in product(lengths, values["minimum_total"]):
                row = _summed(rows.get(length, rows[lengths[0]]), minimum)
                yield (which, tokenize, lowercase, minimum, length), row


def _summed(rows: np.ndarray, minimum_total: int) -> np.ndarray:
    """The sum of rows [2 N + 2, segments], with so many n-grams in each segment at least."""
    counted = len(rows) // 2 - 1
    totals = np.maximum(rows[counted : 2 * counted], minimum_total).sum(axis=1)
    return np.concatenate([rows[:counted].sum(axis=1), totals, rows[-2:].sum(axis=1)])


def _numbered(table: pa.Table, options: Options) -> tuple[pa.Array, pa.Array, np.ndarray]:
    """Predictions and all references as lists of token numbers, and where each row's references begin."""
    inner, bounds = unlisted(table["references"].combine_chunks())
    texts = {"predictions": table["predictions"], "references": pa.chunked_array([inner])}
    numbers, offsets = numbered_tokens(texts, options)
    begin, tokens = len(table), pa.array(numbers)
    return _lists(offsets[: begin + 1], tokens), _lists(offsets[begin:], tokens), bounds


def _chosen(references: pa.Array, bounds: np.ndarray, which: str | int) -> pa.Array:
    if which == ALL:
        return _lists(bounds, references)
    return _lists(np.arange(len(bounds)), references.take(pa.array(bounds[:-1] + which)))


def _lists(offsets: np.ndarray, values: pa.Array) -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)
