"""Settings to try: how they differ from each other, and grids of them.

The search combines the values of `FACTORS`; to try another value, add it there.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..options.options import Options
from ..options.signature import Origin, make_signature
from ..rules.chosen_tokenizer import choose_tokenizer
from ..rules.counting import REFERENCE_LENGTHS
from ..rules.scoring import NOISE
from ..rules.tokenizers import TOKENIZERS
from ..shared.arrays import InputType, list_items
from ..shared.result_types import FactorStep
from ..text.corpus import Corpus
from .calls import (
    ALL_REFERENCES,
    CHARACTER_LIST,
    OTHER_FACTORS,
    ReferencePositions,
    Setting,
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
        changed = changed_factors(group.setting, other)
        if len(changed) == 1 and changed[0] not in OTHER_FACTORS:
            (factor,) = changed
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
