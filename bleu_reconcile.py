"""Reasons why two scores of the same text differ: settings behind a published score, and conventions side by side.

A setting is a value for each of seven factors. Five factors affect counting: a corpus is counted
once per combination of their values. The result is scored under each combination of the other two.
The difference between two settings is then attributed to single factors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from .bleu_corpus import Corpus, Int64, Kind, Layout, list_items, make_corpus
from .bleu_counting import REFERENCE_LENGTHS, count_totals
from .bleu_inputs import read_column, read_corpus
from .bleu_messages import REFERENCES, count_things, invalid
from .bleu_options import (
    CONVENTIONS,
    CORPUS_ONLY,
    Options,
    Origin,
    choose_options,
    make_signature,
    read_signature,
    to_python,
)
from .bleu_report import Report, Step, plot_steps
from .bleu_scoring import NOISE, bleu
from .bleu_statistics import count_corpus
from .bleu_tokenizers import TOKENIZERS, choose_tokenizer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEAREST = 5  # settings returned if none gives the score
NEAR = 0.02  # the distance from this object's score up to which `chance` counts numbers
FEW_CHANGES = 2  # more changes at once need a known tool, or a `chance` of at most `UNLIKELY`, to be plausible
UNLIKELY = 0.05
ALL = "all"  # references: all references of a segment


class Setting(NamedTuple):
    """The factors in which tools and papers differ, in the order in which differences are searched and reported.

    mean_of_segments: True if the score is the mean of segment scores, False if it is that of the
        corpus.
    references: `ALL`, or the index of the only reference that is used.
    The other factors are options.
    """

    mean_of_segments: bool
    references: str | int
    tokenize: str | Callable[[str], list[str]]
    lowercase: bool
    minimum_total: int
    reference_length: str
    smooth_method: str
    max_order: int
    effective_order: bool


# The values that a search combines, in addition to the values of the starting point.
FACTORS: dict[str, tuple[Any, ...]] = {
    "references": (ALL,),
    "tokenize": tuple(TOKENIZERS),
    "lowercase": (False, True),
    "minimum_total": (0, 1),
    "reference_length": tuple(REFERENCE_LENGTHS),
    "smooth_method": ("exp", "none", "skip", "floor", "add-k", "laplace"),
    "max_order": (4, 3, 2, 1),
}

# The values for means of segment scores: fewer options, but the smoothing of NLTK's `sentence_bleu`
# as well.
SEGMENT_FACTORS: dict[str, tuple[Any, ...]] = {
    **{name: FACTORS[name] for name in ("references", "tokenize", "lowercase", "minimum_total")},
    "smooth_method": (*FACTORS["smooth_method"], "nltk-4", "nltk-5", "chen-cherry-6", "nltk-7"),
    "effective_order": (True, False),
}

Grid = Mapping[str, Sequence[Any]]  # the values to combine, by factor
Places = Mapping[
    int, Int64
]  # positions among all references of the corpus, one per segment, by index of a reference


# --- Results --------------------------------------------------------------------------------------


class Reconciliation(Report):
    """The result of `reconcile`: a dict that displays as a table."""

    def _title(self) -> str:
        verified, count = self["verified"], len(self["matches"] or self["other_matches"])
        number = self["reported"] if verified is None else read_signature(self["reported"]).score
        near = f"for {self['chance']:.0%} of the numbers near it"
        if verified:
            return f"Verified: these texts give {number} under this signature; so would some setting {near}."
        claim = (
            ""
            if verified is None
            else f"Not verified: these texts do not give {number} under this signature. "
        )
        settings = f"of {count_things(self['settings'], 'setting')}"
        if not count:
            return f"{claim}None {settings} gives {number}; some setting would {near}. The closest are:"
        return f"{claim}{count} {settings} give{'s' * (count == 1)} {number}; so would some setting {near}."

    def _note(self) -> str:
        missing = "sacreBLEU's signatures contain neither the order of n-grams nor the text of the references."
        return "" if self["verified"] is None else missing

    def _shown(self) -> list[dict[str, Any]]:
        return self["matches"] or self["other_matches"] or self["nearest"]

    def _rows(self) -> list[list[str]]:
        rows = [["settings", "BLEU", "off by", "plausible"]]
        for found in self._shown():
            numbers = f"{found['score']:.4f}", f"{100 * found['delta']:+.4f}"
            rows.append(
                [describe_steps(found["steps"]), *numbers, "yes" if found["plausible"] else "no"]
            )
        return rows

    def _records(self) -> list[dict[str, Any]]:
        names = ("bleu", "score", "delta", "signature")
        return [
            {
                "settings": describe_steps(setting["steps"]),
                **{name: setting[name] for name in names},
            }
            for setting in self._shown()
        ]

    def plot(self, ax: Axes | None = None, setting: int = 0) -> Axes:
        """Plot the effect of each factor, from this object's options to a setting, and return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            setting: the index in `matches`; in `other_matches` or `nearest` if there are no
                matches.
        """
        found = self._shown()[setting]
        start = "your options" if self["verified"] is None else "the signature"
        return plot_steps(
            start, list_changes(found["steps"]), "this setting", found["score"], ax=ax
        )


class Conventions(Report):
    """The result of `conventions`: a dict from the name of a convention to its score, which displays as a table."""

    _wide_columns = ("due to",)

    def _title(self) -> str:
        return "The same text under each convention"

    def _rows(self) -> list[list[str]]:
        rows = [
            [
                name,
                f"{found['score']:.2f}",
                f"{100 * found['delta']:+.2f}",
                describe_steps(found["steps"], True),
            ]
            for name, found in self.items()
        ]
        return [["convention", "BLEU", "difference", "due to"], *rows]

    def _records(self) -> list[dict[str, Any]]:
        names = ("bleu", "score", "delta", "signature")
        return [
            {"convention": name, **{key: result[key] for key in names}}
            for name, result in self.items()
        ]

    def plot(self, ax: Axes | None = None, convention: str | None = None) -> Axes:
        """Plot the effect of each factor, from the default to a convention, and return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            convention: its name; None for the convention whose score differs most.
        """
        name = convention or max(self, key=lambda name: abs(self[name]["delta"]))
        return plot_steps(
            "default", list_changes(self[name]["steps"]), name, self[name]["score"], ax=ax
        )


def describe_steps(steps: Sequence[Mapping[str, Any]], with_differences: bool = False) -> str:
    """Write the steps that change the score on one line.

    >>> describe_steps([{"factor": "max_order", "value": 2, "delta": 0.125}], with_differences=True)
    'max_order=2 (+12.50)'
    """
    words = [
        step.label + (f" ({step.difference:+.2f})" if with_differences else "")
        for step in list_changes(steps)
    ]
    return ", ".join(words) or "– (same settings)"


def list_changes(steps: Sequence[Mapping[str, Any]]) -> list[Step]:
    """List the steps that change the score, with their differences in points.

    >>> list_changes([{"factor": "max_order", "value": 2, "delta": 0.125}])
    [Step(label='max_order=2', difference=12.5)]
    """
    changes = []
    for step in steps:
        is_mean = step["factor"] == "mean_of_segments"
        if step["delta"] or is_mean:
            label = "mean of segment scores" if is_mean else f"{step['factor']}={step['value']!r}"
            changes.append(Step(label, 100 * step["delta"]))
    return changes


# --- reconcile and conventions --------------------------------------------------------------------


def find_settings(
    predictions: object,
    references: object,
    options: Options,
    fixed: Collection[str],
    reported: object,
    decimals: int | None,
) -> Reconciliation:
    """Search the settings that give a published score; `fixed` has the names of options that are not varied.

    >>> find_settings(["a b c d"], ["a b c d e"], Options(max_order=1), (), 77.88, None)["matches"][0]["steps"]
    []
    """
    # 1. Read the score, the signature beside it, and the texts.
    # A NumPy float has the decimals that it displays; `tolist` turns a 32-bit 66.87 into
    # 66.87000274658203.
    reported = float(str(reported)) if isinstance(reported, np.floating) else to_python(reported)
    signed = (
        read_signature(reported, "reported")
        if isinstance(reported, str) and "|" in reported
        else None
    )
    number, decimals = _read_score(signed.score if signed else reported, decimals)
    references = read_column(
        "references", references, REFERENCES
    )  # with each None, so that indices are the user's
    corpus = read_corpus(predictions, references)
    places = find_references(corpus, references)
    defaults, described = options, list(fixed)
    if signed:
        claim = {name: value for name, value in signed.options.items() if name not in CORPUS_ONLY}
        if corpus.kind != "text":
            claim.pop("tokenize", None)
        options = choose_options(
            "default", claim | {name: getattr(options, name) for name in fixed}
        )
        described += ["weights", "smooth_value", "effective_order"]

    # 2. Score all settings, and group equal scores.
    grid = make_grid(corpus.kind, places, options, fixed)
    means = make_grid(corpus.kind, places, options, fixed, SEGMENT_FACTORS)
    scores, start = score_grid(corpus, places, options, grid, means), make_setting(options)
    claimed = {start}
    if signed and signed.nrefs not in (
        None,
        corpus.reference_count(),
    ):  # one of several, or other references
        claimed = {start._replace(references=place) for place in places if signed.nrefs == "1"}
    tools, variants = list_known(defaults)

    def implausibility(setting: Setting) -> tuple[bool, bool, bool, int, bool]:
        changes = sum(before != after for before, after in zip(start, setting))
        has_many = changes > FEW_CHANGES and setting not in variants
        return (
            setting not in claimed,
            setting not in tools,
            has_many,
            changes,
            setting.mean_of_segments,
        )

    groups = group_settings(scores, implausibility)

    # 3. Find the settings whose score rounds to the number. A number up to 1 is most likely on the
    #    scale 0-1.
    scales = (100,) if number > 1 else (1, 100) if decimals else (100, 1)
    # A whole number is known to half a point on both scales: on the scale 0-1, it can only be a
    # perfect score.
    units = {scale: 10.0**-decimals / scale if decimals else 0.01 for scale in scales}
    # Accept half a unit, rounded up or down; scores of two tools may differ by floating-point
    # noise.
    fits = {
        scale: [
            group for group in groups if abs(scores[group[0]] - number / scale) <= unit / 2 + NOISE
        ]
        for scale, unit in units.items()
    }
    scale = next((scale for scale in scales if fits[scale]), scales[0])
    chance = count_chance([scores[group[0]] for group in groups], scores[start], units[scale])

    # 4. Describe them; under a signature, only its own settings are matches.
    def describe(group: list[Setting]) -> dict[str, Any]:
        score, (_, is_unknown, has_many, *_) = scores[group[0]], implausibility(group[0])
        same_score: dict[
            str, list[Any]
        ] = {}  # the values that keep the score if all other factors stay the same
        for equal in group[1:]:
            changed = [
                name for name in Setting._fields if getattr(group[0], name) != getattr(equal, name)
            ]
            if len(changed) == 1 and changed != ["mean_of_segments"]:  # not an option
                same_score.setdefault(changed[0], []).append(getattr(equal, changed[0]))
        return {
            "bleu": score,
            "score": 100 * score,
            "delta": score - number / scale,
            "plausible": not (is_unknown and has_many and chance > UNLIKELY),
            "steps": list_steps(scores, start, group[0]),
            "same_score": same_score,
            **_describe_setting(corpus, options, described, group[0]),
        }

    fitting = fits[scale]
    matches = [group for group in fitting if group[0] in claimed] if signed else fitting
    nearest = sorted(groups, key=lambda group: abs(scores[group[0]] - number / scale))[:NEAREST]
    return Reconciliation(
        reported=reported,
        decimals=decimals,
        scale=scale,
        settings=len(groups),
        chance=chance,
        verified=bool(matches) if signed else None,
        matches=list(map(describe, matches)),
        other_matches=[] if matches else list(map(describe, fitting)),
        nearest=[] if fitting else list(map(describe, nearest)),
    )


def compare_conventions(corpus: Corpus, options: Options) -> Conventions:
    """Score a corpus under each convention, and attribute the difference from the default to factors.

    Options that the user chose apply under every convention.

    >>> compare_conventions(read_corpus(["a b c d."], [["a b c d .", "a"]]), Options())["moses"]["steps"][0]["factor"]
    'tokenize'
    """
    conventions = convention_options(options)
    settings = {name: make_setting(convention) for name, convention in conventions.items()}
    grid = {
        name: tuple(dict.fromkeys(values))
        for name, values in zip(Setting._fields, zip(*settings.values()))
    }
    scores, start = score_grid(corpus, {}, conventions["default"], grid), settings["default"]
    result = Conventions()
    for name, setting in settings.items():
        result[name] = {
            "bleu": scores[setting],
            "score": 100 * scores[setting],
            "delta": scores[setting] - scores[start],
            "steps": list_steps(scores, start, setting),
            "signature": _sign_setting(corpus, conventions[name], ALL),
        }
    return result


def _sign_setting(corpus: Corpus, options: Options, references: str | int) -> str:
    tokenizer = choose_tokenizer(options, corpus.kind).name
    nrefs = corpus.reference_count() if references == ALL else "1"
    return make_signature(options, Origin(tokenizer, nrefs))


def count_chance(scores: Iterable[float], center: float, unit: float) -> float:
    """Return the share of the numbers near a score to which one of the scores rounds.

    Of 0.48, 0.49, 0.50, 0.51 and 0.52, two numbers are rounded scores:

    >>> count_chance([0.25, 0.496, 0.504, 0.512], center=0.5, unit=0.01)
    0.4
    """
    unit = max(unit, NOISE / 10_000)  # further decimals match as often
    first = math.ceil((max(center - NEAR, 0) - NOISE) / unit)
    last = math.floor((min(center + NEAR, 1) + NOISE) / unit)
    if first > last:  # the nearest number, which the score itself rounds to
        return 1.0
    # Count the numbers from lowest to highest of each score, without those that a lower score has.
    ordered = np.sort(np.fromiter(scores, float))
    lowest = np.maximum(np.ceil((ordered - unit / 2 - NOISE) / unit), first)
    highest = np.minimum(np.floor((ordered + unit / 2 + NOISE) / unit), last)
    lowest[1:] = np.maximum(lowest[1:], highest[:-1] + 1)
    return float(np.maximum(highest - lowest + 1, 0).sum() / (last - first + 1))


def _describe_setting(
    corpus: Corpus, options: Options, described: Iterable[str], setting: Setting
) -> dict[str, Any]:
    """Return a setting as options of `compute`, also those in `described`, and its signature."""
    factors = setting._asdict()
    references, is_mean = factors.pop("references"), factors.pop("mean_of_segments")
    setting_options = replace(options, **factors)
    if setting_options.smooth_method != options.smooth_method and options.smooth_value is not None:
        setting_options, factors["smooth_value"] = replace(setting_options, smooth_value=None), None
    if corpus.kind != "text":  # tokenized already
        del factors["tokenize"]
    if is_mean:
        factors["segments"] = True
    else:
        del factors["effective_order"]  # not a factor of corpus scores
    return {
        "references": references,
        "options": {**{name: getattr(options, name) for name in described}, **factors},
        "signature": _sign_setting(corpus, setting_options, references),
    }


# Scores in common notations: 37.6, "37,6", "BLEU: 37.6", "37.6 BLEU"; and 1e-05, Python's own.
_WRITTEN = re.compile(
    r"\s*(?:BLEU\s*[:=]?\s*)?(-?\d+(?:[.,]\d+)?(?:e[+-]?\d{1,3})?)\s*(?:BLEU)?\s*", re.IGNORECASE
)


def _read_score(reported: object, decimals: int | None) -> tuple[float, int]:
    """Return a published score, and the number of its decimals that are known."""
    written = None if isinstance(reported, bool) else _WRITTEN.fullmatch(str(reported))
    if written is None:
        raise invalid("reported", reported, "a number, or a str such as '27.30'")
    number = Decimal(written[1].replace(",", "."))
    if not 0 <= number <= 100:
        raise invalid("reported", reported, "a score from 0 to 1 or from 0 to 100")
    if decimals is None:
        decimals = max(0, -int(number.as_tuple().exponent))
    elif isinstance(decimals, bool) or not hasattr(decimals, "__index__") or decimals < 0:
        raise invalid("decimals", decimals, "a whole number of 0 or more")
    return float(number), int(decimals)


# --- The grid of settings -------------------------------------------------------------------------


def find_references(corpus: Corpus, given: pa.ChunkedArray) -> Places:
    """Find, for each index of a reference that every segment has, the references among all of the corpus.

    The result is empty if every segment has a single reference. `given` has the references as the
    user passed them, including each None.

    >>> given = read_column("references", [["a", None, "b"], [None, "c", "d"]], REFERENCES)
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


def make_grid(
    kind: Kind, places: Places, options: Options, fixed: Collection[str], factors: Grid = FACTORS
) -> Grid:
    """Return the values of each factor that a search combines, the value in `options` first.

    >>> make_grid("ids", {0: np.array([0, 2])}, Options(), {"max_order"})["references"]
    ('all', 0)
    """
    start = make_setting(options)._asdict()
    values = dict[str, Sequence[Any]].fromkeys(Setting._fields, ()) | {
        **factors,
        "references": (ALL, *places),
    }
    if options.weights is not None:  # they fix the order
        values["max_order"] = ()
    if kind != "text":
        values["tokenize"] = ()
    if kind == "ids":
        values["lowercase"] = ()
    return {
        name: tuple(dict.fromkeys((start[name], *(() if name in fixed else more))))
        for name, more in values.items()
    }


def score_grid(
    corpus: Corpus, places: Places, options: Options, grid: Grid, means: Grid | None = None
) -> dict[Setting, float]:
    """Score a corpus under each setting, on the scale 0-1; options that are not factors come from `options`.

    With a grid of `means`, the result includes means of segment scores. Both grids have the same
    values for counting.

    >>> grid = {**{name: values[:1] for name, values in FACTORS.items()}, "max_order": (2, 1)}
    >>> list(score_grid(read_corpus(["a b c"], ["a c b"]), {}, Options(), grid).values())
    [0.5, 1.0]
    """
    counted, sums, scores = [], [], {}

    def choose(method: str, order: int, effective: bool) -> Options:
        value = options.smooth_value if method == options.smooth_method else None
        return replace(
            options,
            smooth_method=method,
            smooth_value=value,
            max_order=order,
            effective_order=effective,
        )

    for factors, rows in _count_grid(corpus, places, options, grid):
        counted.append(factors)
        sums.append(rows.sum(axis=0))
        if means is None or factors[-1] != options.reference_length:
            continue
        for method, effective in product(means["smooth_method"], means["effective_order"]):
            if (
                effective and factors[-2] and not options.effective_order
            ):  # a minimum leaves no order out
                continue
            setting = Setting._make((True, *factors, method, options.max_order, effective))
            scores[setting] = float(bleu(rows, choose(*setting[-3:])).mean())
    for method, order in product(grid["smooth_method"], grid["max_order"]):
        last = method, order, options.effective_order
        row_scores = bleu(np.stack(sums), choose(*last)).tolist()
        scores |= {
            Setting._make((False, *first, *last)): score
            for first, score in zip(counted, row_scores)
        }
    return scores


def list_steps(
    scores: Mapping[Setting, float], start: Setting, end: Setting
) -> list[dict[str, Any]]:
    """List the steps from one setting to another, one factor at a time; their differences add up.

    >>> start = make_setting(Options())
    >>> end = start._replace(tokenize="zh")
    >>> list_steps({start: 0.25, end: 0.5}, start, end)
    [{'factor': 'tokenize', 'value': 'zh', 'delta': 0.25}]
    """
    steps: list[dict[str, Any]] = []
    for factor, value in end._asdict().items():
        changed = start._replace(**{factor: value})
        if changed != start:
            steps.append(
                {"factor": factor, "value": value, "delta": scores[changed] - scores[start]}
            )
        start = changed
    return steps


def group_settings(
    scores: Mapping[Setting, float], implausibility: Callable[[Setting], Any]
) -> list[list[Setting]]:
    """Group the settings that give the same score; sort groups, and settings within groups, by plausibility.

    >>> start = make_setting(Options())
    >>> scores = {start._replace(references=0): 0.5, start: 0.25, start._replace(references=1): 0.5}
    >>> [len(group) for group in group_settings(scores, lambda setting: str(setting.references))]
    [2, 1]
    """
    groups, last = list[list[Setting]](), -1.0
    for setting in sorted(scores, key=scores.__getitem__):
        if scores[setting] - last > NOISE:
            groups.append([])
        groups[-1].append(setting)
        last = scores[setting]
    return sorted(
        (sorted(group, key=implausibility) for group in groups),
        key=lambda group: implausibility(group[0]),
    )


def list_known(options: Options) -> tuple[set[Setting], set[Setting]]:
    """Return the settings of conventions and known tools, and the settings of these tools under other arguments."""
    settings = {
        name: make_setting(convention) for name, convention in convention_options(options).items()
    }
    # sacreBLEU's `sentence_score` with and without effective order, and NLTK's `sentence_bleu`
    mean, nltk = (settings[name]._replace(mean_of_segments=True) for name in ("default", "nltk"))
    tools = {*settings.values(), mean, mean._replace(effective_order=True), nltk}
    # NLTK's smoothing functions, and NLTK before 3.3
    variants = {nltk._replace(smooth_method=method) for method in SEGMENT_FACTORS["smooth_method"]}
    return tools, variants | {
        settings["nltk"]._replace(smooth_method=method) for method in FACTORS["smooth_method"]
    }


def convention_options(options: Options) -> dict[str, Options]:
    """Return the options of each convention, overridden by options that the user chose.

    >>> convention_options(Options().override({"max_order": 2}))["hf"].max_order
    2
    """
    chosen = {name: getattr(options, name) for name in options.given}
    chosen |= {} if options.tokenize_by is None else {"tokenize": options.tokenize_by}
    return {name: choose_options(name, chosen) for name in CONVENTIONS}


def make_setting(options: Options) -> Setting:
    """Return the setting that options describe, with all references.

    >>> make_setting(Options()).reference_length
    'closest'
    """
    return Setting(False, ALL, *(getattr(options, factor) for factor in Setting._fields[2:]))


def _count_grid(
    corpus: Corpus, places: Places, options: Options, grid: Grid
) -> Iterator[tuple[tuple[Any, ...], Int64]]:
    """Yield the rows of the segments for each combination of the five factors that counting depends on."""
    (batch,) = corpus.combine().batches
    corpora: dict[str | int, Corpus] = {ALL: corpus}
    for place, rows in places.items():
        references = batch.references.take(pa.array(rows))
        corpora[place] = make_corpus([(batch.predictions, references, np.arange(len(rows) + 1))])
    orders = max(grid["max_order"]) + 1  # NLTK's methods 5 and 7 need one more
    layout = Layout(orders)
    for tokenize, lowercase, references in product(
        grid["tokenize"], grid["lowercase"], grid["references"]
    ):
        part = corpora[references]
        counting = {
            "tokenize": tokenize,
            "lowercase": lowercase,
            "minimum_total": 0,
            "weights": None,
        }
        counted = replace(options, **counting, smooth_method="none", max_order=orders)
        tokenizer = choose_tokenizer(counted, part.kind)
        rows = count_corpus(part, tokenizer, counted)
        reference_lengths = {counted.reference_length: rows[:, layout.reference_length].copy()}
        for length in grid["reference_length"][1:]:
            # A single reference is the closest, the shortest and the longest. Only this column
            # depends on the option.
            if part.reference_count() != "1":
                counted = replace(counted, reference_length=length, max_order=1)
                shortest_rows = count_corpus(part, tokenizer, counted)
                reference_lengths[length] = shortest_rows[:, counted.layout.reference_length]
        for length, minimum in product(grid["reference_length"], grid["minimum_total"]):
            # A single reference has one length under every rule, which is in the column already.
            same = rows[:, layout.reference_length]
            rows[:, layout.reference_length] = reference_lengths.get(length, same)
            rows[:, layout.totals] = count_totals(rows[:, layout.length], orders, minimum).T
            yield (references, tokenize, lowercase, minimum, length), rows
