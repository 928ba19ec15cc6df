"""Reasons why two scores of the same text differ.

`reconcile` searches the settings behind a published score, `conventions` scores the text under each
named convention.

A setting is a value for each factor in which tools differ. Some factors affect counting: a corpus
is counted once per combination of their values, and scored under each value of the other factors.
The difference between two settings is then attributed to single factors. The settings of tools, and
of scores that people compute at home, are known by the call that makes them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise, product
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from datasets.utils import tqdm

from .bleu_checks import Finding, list_findings, sum_checked
from .bleu_corpus import Corpus, Int64, Kind, Layout, list_items, make_corpus
from .bleu_counting import REFERENCE_LENGTHS, count_totals
from .bleu_inputs import read_column, read_corpus, reject_dicts
from .bleu_lines import (
    ConditionsContent,
    Published,
    Reading,
    list_readings,
    read_published,
)
from .bleu_messages import REFERENCES, count_things
from .bleu_options import (
    CONVENTIONS,
    CORPUS_ONLY,
    NLTK_METHODS,
    OPTIONS,
    Options,
    Origin,
    SignatureContent,
    Tokenize,
    choose_options,
    make_signature,
)
from .bleu_report import Report, Step, explain_missing_keys, passing, plot_steps
from .bleu_scoring import (
    NOISE,
    SMOOTH_METHODS,
    Columns,
    Scores,
    Weights,
    bleu,
    bleu_by_weights,
    brevity_penalty,
    order_weights,
    score_row,
)
from .bleu_statistics import count_corpus
from .bleu_tokenizers import (
    TOKENIZERS,
    choose_tokenizer,
    find_moses_tokenizers,
    fits_tokenizer,
    has_sacremoses,
)

if TYPE_CHECKING:
    from _collections_abc import dict_items

    from matplotlib.axes import Axes

NEAREST_SETTINGS = 5  # returned if no setting gives the score
SAID_SETTINGS = 3  # rows of a table, from the top, whose tools the text names
CHANCE_RANGE = 0.02  # the distance from this object's score up to which `chance` counts numbers
MOST_REFERENCES = 8  # that are tried alone, because each takes a search of its own
_ROWS_PER_CALL = 1 << 12  # of several settings, scored together; more would leave the cache
FEW_CHANGES = 2  # more changes at once need a known tool or a small `chance` to be plausible
SMALL_CHANCE = 0.05
LONGEST_CAPTION = 100  # bytes on average; the tokenizer of captions is left out above it
ALL = "all"  # references: all references of a segment
CHARACTERS = "list"  # the tokenizer that is Python's `list`: characters, blanks included


class Counting(NamedTuple):
    """The factors of a setting that affect counting."""

    references: str | int
    tokenize: Tokenize
    lowercase: bool
    swapped: bool
    minimum_total: int
    reference_length: str


class Scoring(NamedTuple):
    """The factors of a setting that do not affect counting."""

    smooth_method: str
    max_order: int
    weights: Weights
    effective_order: bool
    last_pair: bool


class Setting(NamedTuple):
    """The factors in which tools and papers differ, in the order of the steps between two settings.

    mean_of_segments: True if the score is the mean of segment scores, False if it is that of the
        corpus.
    swapped: True if predictions and references are exchanged.
    references: `ALL`, or the index of the only reference that is used.
    last_pair: True if the smoothing method looks at the last segment in place of the corpus, as
        NLTK's `corpus_bleu` does under methods 5 to 7.
    The other factors are options.
    """

    mean_of_segments: bool
    swapped: bool
    references: str | int
    tokenize: Tokenize
    lowercase: bool
    minimum_total: int
    reference_length: str
    smooth_method: str
    max_order: int
    weights: Weights
    effective_order: bool
    last_pair: bool

    @classmethod
    def of_options(cls, options: Options) -> Setting:
        """Return the setting that options describe, with all references.

        >>> Setting.of_options(Options()).reference_length
        'closest'
        """
        values: dict[str, Any] = dict.fromkeys(OTHER_FACTORS, False)
        values |= {name: getattr(options, name) for name in OPTION_FACTORS}
        return cls(references=ALL, **values)

    def options(self, base: Options) -> Options:
        """Return `base` with the options of this setting.

        The value for the smoothing method is kept only for the method that it was chosen for.
        """
        values = {name: getattr(self, name) for name in OPTION_FACTORS}
        if self.smooth_method != base.smooth_method:
            values["smooth_value"] = None
        return replace(base, **values)

    def counting(self) -> Counting:
        """Return the factors that affect counting."""
        return Counting(*(getattr(self, name) for name in Counting._fields))

    def scoring(self) -> Scoring:
        """Return the other factors, except whether the score is a mean."""
        return Scoring(*(getattr(self, name) for name in Scoring._fields))


OPTION_FACTORS = [name for name in Setting._fields if name in OPTIONS]


class OtherFactor(NamedTuple):
    """A factor of a setting that is not an option; its value is True or False.

    says: its name in tables of changes.
    has_signature: False if no options of `compute` give the score.
    """

    says: str
    has_signature: bool = True


OTHER_FACTORS = {
    "mean_of_segments": OtherFactor("mean of segment scores"),
    "swapped": OtherFactor("predictions and references swapped"),
    "last_pair": OtherFactor("smoothing by the last pair", has_signature=False),
}
_WITHOUT_SIGNATURE = [name for name, factor in OTHER_FACTORS.items() if not factor.has_signature]

Grid = Mapping[str, Sequence[Any]]  # the values of each factor to combine

# The smoothing methods to try for corpus scores, and for means of segment scores, which may be made
# with NLTK's `sentence_bleu`.
CORPUS_METHODS = ("exp", "none", "skip", "floor", "add-k", "laplace")
SEGMENT_METHODS = (*CORPUS_METHODS, "nltk-4", "nltk-5", "chen-cherry-6", "nltk-7")

# The values that a search combines, in addition to the values of the starting point. The tokenizer
# and the smoothing of captions are tried only together, as a convention. Characters with blanks
# are tried only as NLTK splits a str.
_COMBINED_TOKENIZERS = []
for _name, _tokenizer in TOKENIZERS.items():
    if _tokenizer.automaton and _name != CHARACTERS:
        _COMBINED_TOKENIZERS.append(_name)
FACTORS: Grid = {
    "references": (ALL,),
    "tokenize": tuple(_COMBINED_TOKENIZERS),
    "lowercase": (False, True),
    "minimum_total": (0, 1),
    "reference_length": tuple(REFERENCE_LENGTHS),
    "smooth_method": CORPUS_METHODS,
    "max_order": (4, 3, 2, 1),
}

# The values for means of segment scores: fewer options, but more smoothing methods.
SEGMENT_FACTORS: Grid = {
    **FACTORS,
    "reference_length": (),
    "smooth_method": SEGMENT_METHODS,
    "max_order": (),
    "effective_order": (True, False),
}

# By the index of a reference, its position for each segment among all references of the corpus.
ReferencePositions = Mapping[int, Int64]


# --- conventions ----------------------------------------------------------------------------------


def compare_conventions(corpus: Corpus, options: Options) -> Conventions:
    """Score a corpus under each convention, and attribute differences from the default to factors.

    Options that the user chose apply under every convention. `coco` is for captions only.

    >>> corpus = read_corpus(["a b c d."], [["a b c d .", "a"]])
    >>> conventions = compare_conventions(corpus, Options())
    >>> conventions["moses"]["steps"][0]["factor"]
    'tokenize'
    """
    sum_checked(corpus, options)
    conventions = convention_options(options)
    if not _are_captions(corpus):
        del conventions["coco"]
    settings = {name: Setting.of_options(convention) for name, convention in conventions.items()}
    start = settings["default"]
    scorer = Scorer(corpus, {}, conventions["default"])
    paths = [list_path(start, setting) for setting in settings.values()]
    scorer.add(chain.from_iterable(paths))
    scores = scorer.scores
    scores_by_name: dict[str, ConventionScores] = {}
    for name, setting in settings.items():
        scores_by_name[name] = {
            "bleu": scores[setting],
            "score": 100 * scores[setting],
            "delta": scores[setting] - scores[start],
            "steps": list_steps(scores, start, setting),
            "signature": sign_setting(corpus, conventions[name], ALL),
        }
    return explain_missing_keys(Conventions(scores_by_name))


# --- reconcile ------------------------------------------------------------------------------------


def find_settings(
    predictions: object,
    references: object,
    options: Options,
    fixed: Collection[str],
    *,
    reported: object,
    decimals: int | None,
) -> Reconciliation:
    """Search the settings that give a published score.

    Args:
        predictions: as for `compute`.
        references: as for `compute`.
        options: the starting point of the search.
        fixed: the names of options that are not varied.
        reported: the score, a number or a str, with or without a signature.
        decimals: the number of its known decimals; None for those that it is written with.

    >>> predictions, references = ["a b c d"], ["a b c d e"]
    >>> unigrams = Options(max_order=1)
    >>> find_settings(predictions, references, unigrams, (), reported=77.88, decimals=None)["scale"]
    100
    """
    # 1. Read the score, what is beside it, and the texts.
    published = read_published(reported, decimals)
    # The column has each None of the user, so that the index of a reference is that of the user.
    reject_dicts(predictions, references)
    reference_column = read_column("references", references, REFERENCES)
    corpus = read_corpus(predictions, reference_column)
    sum_checked(corpus, options)
    all_positions = find_reference_positions(corpus, reference_column)
    positions = dict(islice(all_positions.items(), MOST_REFERENCES))

    # 2. Score all settings, and find those whose score rounds to the number.
    search = Search(corpus, positions, options, fixed, published=published)
    readings = list_readings(published.number, published.decimals, published.scale)
    found = search.find(readings)

    # 3. Without a plausible match, try the tokenizers of papers.
    untried: list[str] = []
    if not search.has_plausible(found) and search.takes_tokenizers():
        if has_sacremoses():
            search.add_moses()
            found = search.find(readings)
        else:
            untried.append("sacremoses")

    # 4. Still without one, try the fixes of `check`.
    fixes: list[Finding] = []
    if not search.has_plausible(found):
        for finding in list_findings(corpus, search.options):
            score = finding["score"]
            if score is not None and rounds_to(score / 100, found.reading):
                fixes.append(finding)

    # 5. Describe them.
    groups = {"matches": found.matches, "other_matches": found.others, "nearest": found.nearest}
    described = search.describe_all(groups, found.reading, found.chance)
    content: ReconciliationContent = {
        "reported": published.reported,
        "decimals": published.decimals,
        "scale": found.reading.scale,
        "settings": len(search.groups),
        "chance": found.chance,
        "verified": found.verified,
        "matches": described["matches"],
        "other_matches": described["other_matches"],
        "nearest": described["nearest"],
        "fixes": fixes,
    }
    if published.conditions:
        content["conditions"] = published.conditions.to_dict()
    if len(positions) < len(all_positions):
        content["untried_references"] = len(all_positions) - len(positions)
    if untried:
        content["untried_packages"] = untried
    return explain_missing_keys(Reconciliation(content))


class Implausibility(NamedTuple):
    """The reasons against a setting, the strongest first: settings are sorted by them."""

    is_not_claimed: bool
    is_unknown_tool: bool
    has_many_changes: bool
    rank: int
    changes: int
    is_mean: bool
    rank_of_variant: int


class EqualSettings(NamedTuple):
    """Settings that give the same score.

    setting: the most plausible one.
    others: the others, the most plausible first.
    score: their score, on the scale 0-1.
    """

    setting: Setting
    others: list[Setting]
    score: float


class Found(NamedTuple):
    """The settings of a search that give a number, or the nearest to it.

    reading: the number on the scale that was chosen.
    matches: the groups that give it; under a signature, only those that it describes.
    others: under a signature without matches, the groups that give the number.
    nearest: the nearest groups, if no group gives it.
    chance: the share of numbers near the own score that some setting gives.
    verified: True if there is a signature and it matches; None without one.
    """

    reading: Reading
    matches: list[EqualSettings]
    others: list[EqualSettings]
    nearest: list[EqualSettings]
    chance: float
    verified: bool | None

    def all(self) -> list[EqualSettings]:
        """Return the groups that give the number."""
        return self.matches + self.others


class Search:
    """The scores of a corpus under all settings, and the reasons against each setting.

    Attributes:
        corpus: the texts.
        options: the options of the starting point: the signature's, or the user's without one.
        start: their setting.
        claimed: the settings that the signature describes; without one, the starting point.
        scorer: the scores of settings, on the scale 0-1.
        groups: the settings in groups of equal scores, the most plausible group first.
        fitting: the groups that meet the conditions of the published score; all without conditions.
    """

    def __init__(
        self,
        corpus: Corpus,
        reference_positions: ReferencePositions,
        options: Options,
        fixed: Collection[str],
        *,
        published: Published,
    ) -> None:
        """Score a corpus under all settings.

        Args:
            corpus: the texts.
            reference_positions: the references to use alone, from `find_reference_positions`.
            options: the user's options.
            fixed: the names of options that are not varied, and that win over the signature.
            published: the score, with the signature beside it.
        """
        # 1. Choose the starting point: the user's options, or those of the signature.
        signature = published.signature
        self.corpus = corpus
        self.options = options
        self._fixed = [*fixed]
        self._conditions = published.conditions
        self._has_signature = signature is not None
        self._always_listed = [*fixed]  # names of options
        if signature is not None:
            self.options = claimed_options(signature, corpus.kind, options, fixed)
            self._always_listed += ["weights", "smooth_value", "effective_order"]
        self.start = Setting.of_options(self.options)
        self.claimed = {self.start}
        if signature is not None:
            self.claimed = claimed_settings(signature, self.start, corpus, reference_positions)

        # 2. List the settings. Known tools have the user's options, also if there is a signature.
        kind = corpus.kind
        corpus_grid = make_grid(kind, reference_positions, self.options, fixed)
        mean_grid = make_grid(
            kind, reference_positions, self.options, fixed, factors=SEGMENT_FACTORS
        )
        settings = list_grid(corpus_grid)
        for setting in list_grid(mean_grid):
            # A minimum leaves no order out.
            has_effect = not setting.minimum_total or not setting.effective_order
            if has_effect or self.start.effective_order:
                settings.append(setting._replace(mean_of_segments=True))
        self._tools = list_tools(corpus, options, references=(ALL, *reference_positions))
        for setting in self._tools:
            if self._is_allowed(setting):
                settings.append(setting)
        if corpus.reference_count() == "1":
            settings += list_swapped(corpus_grid, self.start)

        # 3. Score and group them.
        self.scorer = Scorer(corpus, reference_positions, self.options)
        self._candidates = dict.fromkeys(settings)
        self._group()

    def _group(self) -> None:
        """Score the candidates, group equal scores, and sort the groups by plausibility."""
        self.scorer.add(self._candidates)
        scores = {setting: self.scorer.scores[setting] for setting in self._candidates}
        self.groups = self._group_scores(scores)
        self.fitting = self.groups
        if self._conditions:
            fitting = {}
            for setting, score in scores.items():
                if self._meets_conditions(setting):
                    fitting[setting] = score
            self.fitting = self._group_scores(fitting)

    def _group_scores(self, scores: Mapping[Setting, float]) -> list[EqualSettings]:
        groups = []
        for settings in group_settings(scores):
            setting, *others = sorted(settings, key=self.implausibility)
            groups.append(EqualSettings(setting, others, scores[setting]))
        return sorted(groups, key=lambda group: self.implausibility(group.setting))

    def _is_allowed(self, setting: Setting) -> bool:
        """Return False if a setting has another value for an option that the user fixed."""
        constant = [name for name in self._fixed if name in OPTION_FACTORS]
        if self.options.weights is not None:
            constant += ["weights", "max_order"]
        return all(getattr(setting, name) == getattr(self.start, name) for name in constant)

    def _meets_conditions(self, setting: Setting) -> bool:
        """Return True if a score of the corpus has the values that the line has beside it."""
        if setting.mean_of_segments or setting.last_pair:
            return False
        length, reference_length = self.scorer.lengths(setting)
        lengths = {"translation_length": length, "reference_length": reference_length}
        if not self._conditions.are_met(lengths):  # fast path
            return False
        return self._conditions.are_met(self.scorer.score_row(setting))

    def find(self, readings: Sequence[Reading]) -> Found:
        """Find the settings whose score rounds to a number.

        The scale is the first one with matches, or else the first one on which another setting
        gives the number: a number up to 1 may be a score below one point. Under a signature, only
        its own settings are matches.
        """
        fitting = {reading: self._list_fitting(reading) for reading in readings}
        matching = fitting
        if self._has_signature:
            matching = {}
            for reading, groups in fitting.items():
                matching[reading] = [group for group in groups if group.setting in self.claimed]
        by_matches = [candidate for candidate in readings if matching[candidate]]
        by_others = [candidate for candidate in readings if fitting[candidate]]
        reading = [*by_matches, *by_others, *readings][0]
        matches = matching[reading]
        scores = [group.score for group in self.fitting]
        return Found(
            reading=reading,
            matches=matches,
            others=[] if matches else fitting[reading],
            nearest=[] if fitting[reading] else self._list_nearest(reading),
            chance=count_chance(scores, self.scorer.scores[self.start], reading.rounding),
            verified=bool(matches) if self._has_signature else None,
        )

    def has_plausible(self, found: Found) -> bool:
        """Return True if one of the settings that give the number is plausible."""
        return any(self.is_plausible(group.setting, found.chance) for group in found.all())

    def takes_tokenizers(self) -> bool:
        """Return True if the texts can be split by other tokenizers."""
        return self.corpus.kind == "text" and "tokenize" not in self._fixed

    def add_moses(self) -> None:
        """Add tokenized BLEU: the tokenizers of Moses, which split in Python."""
        tools = list_moses_tools(self.corpus, self.start)
        self._tools |= tools
        settings_of: dict[Tokenize, list[Setting]] = {}
        for setting in tools:
            if self._is_allowed(setting):
                settings_of.setdefault(setting.tokenize, []).append(setting)
        # Moses' tokenizer takes half a millisecond per text.
        for settings in tqdm(settings_of.values(), desc="tokenized BLEU", delay=2):
            self.scorer.add(settings)
            self._candidates |= dict.fromkeys(settings)
        self._group()

    def implausibility(self, setting: Setting) -> Implausibility:
        """Return the reasons against a setting."""
        changes = len(changed_factors(self.start, setting))
        tool = self._tools.get(setting)
        is_known = tool is not None and tool.is_known
        return Implausibility(
            is_not_claimed=setting not in self.claimed,
            is_unknown_tool=not is_known,
            has_many_changes=changes > FEW_CHANGES and tool is None,
            rank=tool.rank if tool is not None and is_known else 0,
            changes=changes,
            is_mean=setting.mean_of_segments,
            rank_of_variant=tool.rank if tool is not None else len(self._tools),
        )

    def is_plausible(self, setting: Setting, chance: float) -> bool:
        """Return False for many changes of an unknown tool, if numbers easily match by chance."""
        reasons = self.implausibility(setting)
        if reasons.is_unknown_tool and reasons.has_many_changes:
            return chance <= SMALL_CHANCE
        return True

    def _list_fitting(self, reading: Reading) -> list[EqualSettings]:
        """List the groups whose score rounds to a published number."""
        return [group for group in self.fitting if rounds_to(group.score, reading)]

    def _list_nearest(self, reading: Reading) -> list[EqualSettings]:
        """List the groups whose scores are the closest to a published number."""
        by_distance = sorted(self.groups, key=lambda group: abs(group.score - reading.bleu))
        return by_distance[:NEAREST_SETTINGS]

    def describe_all(
        self, groups: Mapping[str, Sequence[EqualSettings]], reading: Reading, chance: float
    ) -> dict[str, list[SettingScores]]:
        """Describe the most plausible setting of each group, beside a published number."""
        shown = list(chain.from_iterable(groups.values()))
        paths = [list_path(self.start, group.setting) for group in shown]
        self.scorer.add(chain.from_iterable(paths))
        described: dict[str, list[SettingScores]] = {}
        for name, of_name in groups.items():
            described[name] = [self._describe(group, reading, chance) for group in of_name]
        return described

    def _describe(self, group: EqualSettings, reading: Reading, chance: float) -> SettingScores:
        setting = group.setting
        signature = ""  # none describes it
        if not any(getattr(setting, name) for name in _WITHOUT_SIGNATURE):
            chosen = setting.options(self.options)
            signature = sign_setting(self.corpus, chosen, setting.references)
        return {
            "bleu": group.score,
            "score": 100 * group.score,
            "delta": group.score - reading.bleu,
            "plausible": self.is_plausible(setting, chance),
            "says": self._say(group),
            "steps": list_steps(self.scorer.scores, self.start, setting),
            "same_score": list_same_score(group),
            "references": setting.references,
            "swapped": setting.swapped,
            "last_pair": setting.last_pair,
            "options": self.list_options(setting),
            "signature": signature,
        }

    def _say(self, group: EqualSettings) -> str:
        """Return the call that makes the score of a group: that of its commonest tool."""
        setting = group.setting
        known = []
        for one in (setting, *group.others):
            is_same_kind = one.mean_of_segments == setting.mean_of_segments
            has_same_texts = one.swapped == setting.swapped
            is_named = one in self._tools and self._tools[one].says != ""
            if is_named and is_same_kind and has_same_texts:
                known.append(self._tools[one])
        if not known:
            return SWAPPED.format("this tool") if setting.swapped else ""
        return min(known, key=lambda tool: tool.rank).says

    def list_options(self, setting: Setting) -> dict[str, object]:
        """List a setting as options of `compute`, and the options that are always listed."""
        names = [*self._always_listed]
        for name in OPTION_FACTORS:
            if name == "tokenize" and self.corpus.kind != "text":  # tokenized already
                continue
            if name == "effective_order" and not setting.mean_of_segments:
                continue  # not a factor of corpus scores
            if name == "weights" and setting.weights is None:  # equal
                continue
            names.append(name)
        chosen = setting.options(self.options)
        if chosen.smooth_value != self.options.smooth_value:
            names.append("smooth_value")
        options = {name: _to_json(getattr(chosen, name)) for name in names}
        if setting.mean_of_segments:
            options["segments"] = True
        return options


def claimed_options(
    signature: SignatureContent, kind: Kind, options: Options, fixed: Collection[str]
) -> Options:
    """Return the options that a signature claims; the `fixed` ones come from `options`.

    >>> signature = read_published("27.3 nrefs:1|case:lc|tok:13a").signature
    >>> claimed_options(signature, "text", Options(tokenize="zh"), ["tokenize"]).tokenize
    'zh'
    """
    claimed = dict(signature.options)
    for name in CORPUS_ONLY:
        claimed.pop(name, None)
    if kind != "text":  # tokenized already
        claimed.pop("tokenize", None)
    for name in fixed:
        claimed[name] = getattr(options, name)
    return choose_options("default", claimed)


def claimed_settings(
    signature: SignatureContent,
    start: Setting,
    corpus: Corpus,
    reference_positions: ReferencePositions,
) -> set[Setting]:
    """Return the settings that a signature claims; `start` is that of its options.

    A signature with one reference may mean any of several. Another number than that of the corpus
    cannot be tried; an unknown one, `?`, is not wrong.
    """
    if signature.nrefs in (None, "?", corpus.reference_count()):
        return {start}
    if signature.nrefs == "1":
        return {start._replace(references=index) for index in reference_positions}
    return set()


def rounds_to(score: float, reading: Reading) -> bool:
    """Return True if a score on the scale 0-1 rounds to a published number.

    Half a unit is accepted in both directions, because tools round it up or down. Scores of two
    tools may differ by floating-point noise.

    >>> reading = Reading(scale=100, bleu=0.273, rounding=0.001)
    >>> [rounds_to(score, reading) for score in (0.2724, 0.2735, 0.2736)]
    [False, True, False]
    """
    return abs(score - reading.bleu) <= reading.rounding / 2 + NOISE


def count_chance(scores: Iterable[float], center: float, unit: float) -> float:
    """Return the share of the numbers near a score to which one of the scores rounds.

    Of 0.48, 0.49, 0.50, 0.51 and 0.52, two numbers are rounded scores:

    >>> count_chance([0.25, 0.496, 0.504, 0.512], center=0.5, unit=0.01)
    0.4
    """
    # 1. List the numbers near the score, as multiples of the unit.
    step = max(unit, NOISE / 10_000)  # further decimals match as often
    first_number = math.ceil((max(center - CHANCE_RANGE, 0) - NOISE) / step)
    last_number = math.floor((min(center + CHANCE_RANGE, 1) + NOISE) / step)
    if first_number > last_number:  # the nearest number, which the score itself rounds to
        return 1.0
    # 2. Count the numbers from lowest to highest of each score, and shared ones only once.
    ordered = np.sort(np.fromiter(scores, float))
    lowest = np.maximum(np.ceil((ordered - step / 2 - NOISE) / step), first_number)
    highest = np.minimum(np.floor((ordered + step / 2 + NOISE) / step), last_number)
    lowest[1:] = np.maximum(lowest[1:], highest[:-1] + 1)
    numbers = np.maximum(highest - lowest + 1, 0).sum()
    return float(numbers / (last_number - first_number + 1))


# --- Settings -------------------------------------------------------------------------------------


def sign_setting(corpus: Corpus, options: Options, references: str | int) -> str:
    """Write the signature of a setting; `references` is that of `Setting`."""
    tokenizer = choose_tokenizer(options, corpus.kind)
    nrefs = corpus.reference_count() if references == ALL else "1"
    return make_signature(options, Origin(tokenizer.name, nrefs))


def changed_factors(before: Setting, after: Setting) -> list[str]:
    """Return the names of the factors that differ between two settings.

    >>> start = Setting.of_options(Options())
    >>> changed_factors(start, start._replace(tokenize="zh"))
    ['tokenize']
    """
    names = Setting._fields
    return [name for name, old, new in zip(names, before, after) if old != new]


def list_path(start: Setting, end: Setting) -> list[Setting]:
    """List the settings from one setting to another, both included, one factor at a time.

    >>> start = Setting.of_options(Options())
    >>> end = start._replace(tokenize="zh", lowercase=True)
    >>> [(setting.tokenize, setting.lowercase) for setting in list_path(start, end)]
    [('13a', False), ('zh', False), ('zh', True)]
    """
    path = [start]
    before = start
    for factor in changed_factors(start, end):
        before = before._replace(**{factor: getattr(end, factor)})
        path.append(before)
    return path


def list_steps(scores: Mapping[Setting, float], start: Setting, end: Setting) -> list[FactorStep]:
    """List the steps from one setting to another, one factor at a time; their differences add up.

    >>> start = Setting.of_options(Options())
    >>> end = start._replace(tokenize="zh")
    >>> list_steps({start: 0.25, end: 0.5}, start, end)
    [{'factor': 'tokenize', 'value': 'zh', 'delta': 0.25}]
    """
    factors = changed_factors(start, end)
    steps: list[FactorStep] = []
    for factor, (before, after) in zip(factors, pairwise(list_path(start, end))):
        value = _to_json(getattr(end, factor))
        steps.append({"factor": factor, "value": value, "delta": scores[after] - scores[before]})
    return steps


def _to_json(value: object) -> object:
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
    >>> list_same_score(EqualSettings(start, others, score=0.5))
    {'lowercase': [True], 'max_order': [3]}
    """
    same_score: dict[str, list[object]] = {}
    for other in group.others:
        changed = changed_factors(group.setting, other)
        if len(changed) == 1 and changed[0] not in OTHER_FACTORS:
            (factor,) = changed
            same_score.setdefault(factor, []).append(_to_json(getattr(other, factor)))
    return same_score


# --- The calls that make scores -------------------------------------------------------------------


class Tool(NamedTuple):
    """A call that makes scores of a setting.

    says: its name, which follows "the score is from".
    is_known: True for a tool under its usual arguments, which comes before settings with fewer
        changes; False for a variant, which is plausible with any number of changes.
    rank: its place among all tools, the commonest first.
    """

    says: str
    is_known: bool
    rank: int


Tools = dict[Setting, Tool]

# The corpus scores of the conventions, the commonest first.
CONVENTION_CALLS = {
    "default": "sacreBLEU's `corpus_bleu`",
    "nltk": "NLTK's `corpus_bleu` given lists of words",
    "hf": "evaluate's `bleu`",
    "moses": "`multi-bleu.perl`",
    "papineni": "the formula of 2002 on tokens of mteval-v13a",
}

SWAPPED = "{}, with predictions and references in each other's place: exchange them"


class GivenTexts(NamedTuple):
    """Texts as people pass them to NLTK, and the options that split them in the same way."""

    says: str
    tokenize: str
    lowercase: bool


HOME_TEXTS = (
    GivenTexts("lists of words", "none", False),
    GivenTexts("lists of lower-cased words", "none", True),
    GivenTexts("strings: characters, blanks included", CHARACTERS, False),
)

# The weights of tutorials, for orders 1 to 4. The last three are single orders, which also pass for
# BLEU-2 to BLEU-4.
HOME_WEIGHTS: tuple[Weights, ...] = (
    None,
    (1.0, 0.0, 0.0, 0.0),
    (0.5, 0.5, 0.0, 0.0),
    (0.33, 0.33, 0.33, 0.0),
    (1 / 3, 1 / 3, 1 / 3, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)

# NLTK's methods that look at the last pair of a corpus, because they get it and not the sums.
LAST_PAIR_METHODS = ("method5", "method6", "method7")


def list_tools(corpus: Corpus, options: Options, *, references: Sequence[str | int]) -> Tools:
    """List the calls that make scores of a corpus, with the options that the user chose.

    Args:
        corpus: the texts.
        options: the user's options.
        references: the values of that factor to combine with the calls of NLTK.

    >>> tools = list_tools(read_corpus(["a b"], ["a b"]), Options(), references=(ALL,))
    >>> characters = [tool for setting, tool in tools.items() if setting.tokenize == "list"]
    >>> characters[0].says
    "the mean of NLTK's `sentence_bleu` given strings: characters, blanks included"
    """
    conventions = convention_options(options)
    of_convention = {name: Setting.of_options(chosen) for name, chosen in conventions.items()}
    names = _ToolList()
    captions = []
    is_coco = _is_convention("coco", of_convention["coco"]) and options.weights is None
    if is_coco and corpus.kind == "text" and _are_captions(corpus):
        captions = _list_caption_calls(of_convention["coco"])
    # Several references of a short text are most often those of a picture.
    has_caption_references = corpus.reference_count() not in ("1", "?")
    if has_caption_references:
        names.extend(captions)
    # 1. Whole tools under their usual arguments.
    for name, says in CONVENTION_CALLS.items():
        setting = of_convention[name]
        names.append(setting, says if _is_convention(name, setting) else "", is_known=True)
    sacrebleu_mean = of_convention["default"]._replace(mean_of_segments=True)
    sentences = "the mean of sacreBLEU's `sentence_score`"
    with_effective = sacrebleu_mean._replace(effective_order=True)
    names.append(with_effective, f"{sentences} with effective order", is_known=True)
    names.append(sacrebleu_mean, sentences, is_known=True)
    # NLTK knows no options of this metric: its calls are those of the convention as it stands.
    nltk = Setting.of_options(choose_options("nltk", {}))
    names.extend(_list_nltk_calls(corpus.kind, nltk, references))
    names.extend(captions)
    # 2. The same with exchanged texts.
    if corpus.reference_count() == "1":
        for setting, tool in list(names.tools.items()):
            if setting.weights is None and not setting.last_pair:
                names.append(
                    setting._replace(swapped=True),
                    SWAPPED.format(tool.says or "this tool"),
                    is_known=False,
                )
    return names.tools


def _is_convention(name: str, setting: Setting) -> bool:
    """Return False if the user chose another value for an option of a convention."""
    return all(getattr(setting, option) == value for option, value in CONVENTIONS[name].items())


class _ToolList:
    """Tools in order: the first call that is listed for a setting names it."""

    def __init__(self) -> None:
        self.tools: Tools = {}

    def append(self, setting: Setting, says: str, *, is_known: bool) -> None:
        self.tools.setdefault(setting, Tool(says, is_known, rank=len(self.tools)))

    def extend(self, calls: Iterable[tuple[Setting, str, bool]]) -> None:
        for setting, says, is_known in calls:
            self.append(setting, says, is_known=is_known)


def _list_caption_calls(coco: Setting) -> list[tuple[Setting, str, bool]]:
    """List pycocoevalcap's four scores, of the corpus and as means of those of captions."""
    calls = []
    for order in FACTORS["max_order"]:
        of_corpus = coco._replace(max_order=order)
        mean = of_corpus._replace(mean_of_segments=True, effective_order=False)
        calls.append((of_corpus, f"pycocoevalcap's Bleu_{order}", True))
        calls.append((mean, f"the mean of pycocoevalcap's Bleu_{order} of each caption", False))
    return calls


def _list_nltk_calls(
    kind: Kind, nltk: Setting, references: Sequence[str | int]
) -> Iterator[tuple[Setting, str, bool]]:
    """Yield the scores that people compute with NLTK, the commonest first.

    Args:
        kind: what the texts are; tokens stay as they are.
        nltk: the convention.
        references: the values of that factor.
    """
    given_texts = list(HOME_TEXTS)
    if kind != "text":
        given_texts = [GivenTexts(f"the {kind}", "", False)]
    methods = {"": "none", **NLTK_METHODS, "the zeros left out, as before NLTK 3.3": "skip"}
    for which, weights, given in product(references, HOME_WEIGHTS, given_texts):
        if which != ALL and weights is not None:  # two rare choices at once
            continue
        for method, smooth_method in methods.items():
            if smooth_method == "skip" and weights is not None:
                continue
            setting = nltk._replace(
                references=which,
                lowercase=given.lowercase,
                smooth_method=smooth_method,
                # Only method 6 counts no n-gram of a text that is too short.
                minimum_total=0 if method == "method6" else nltk.minimum_total,
            )
            if kind == "text":
                setting = setting._replace(tokenize=given.tokenize)
            if weights is not None:
                setting = setting._replace(weights=weights, max_order=len(weights))
            with_arguments = _name_arguments(given, method, weights, which)
            is_known = setting == nltk
            mean = setting._replace(mean_of_segments=True)
            yield mean, f"the mean of NLTK's `sentence_bleu` given {with_arguments}", is_known
            says = f"NLTK's `corpus_bleu` given {with_arguments}"
            if method in LAST_PAIR_METHODS:
                says += ", which depends on the last pair (nltk issue 3903)"
                setting = setting._replace(last_pair=True)
            if weights is None or weights[-1] or method not in LAST_PAIR_METHODS:
                yield setting, says, False


def _name_arguments(given: GivenTexts, method: str, weights: Weights, references: str | int) -> str:
    """Write the arguments of a call of NLTK.

    >>> _name_arguments(HOME_TEXTS[0], "method1", (0.33, 0.33, 0.33, 0.0), ALL)
    'lists of words, with method1 and weights (0.33, 0.33, 0.33, 0)'
    """
    further = [method] if method else []
    if weights is not None:
        shown = [f"{weight:.4g}" for weight in weights]
        further.append(f"weights ({', '.join(shown)})")
    if references != ALL:
        further.append(f"reference {references}")
    if not further:
        return given.says
    *others, last = further
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"{given.says}, with {listed}"


def list_moses_tools(corpus: Corpus, start: Setting) -> Tools:
    """List tokenized BLEU with the tokenizers of Moses whose tokens differ on the texts.

    >>> start = Setting.of_options(Options())
    >>> tools = list_moses_tools(read_corpus(["a b"], ["a b"]), start)
    >>> {setting.tokenize for setting in tools}
    {'moses-en'}
    """
    texts = chain(corpus.predictions.to_pylist(), *corpus.references.to_pylist())
    names = _ToolList()
    for tokenizer in find_moses_tokenizers(list(texts)):
        language, _, compounds = tokenizer.removeprefix("moses-").partition("-")
        says = f"tokenized BLEU: `multi-bleu.perl` on tokens of Moses' tokenizer for {language}"
        if compounds:
            says += ", with compounds split"
        for method, lowercase in product(("none", start.smooth_method), (False, True)):
            setting = start._replace(
                tokenize=tokenizer, smooth_method=method, lowercase=lowercase, max_order=4
            )
            names.append(setting, says, is_known=method == "none" and not lowercase)
    return names.tools


def list_swapped(grid: Grid, start: Setting) -> list[Setting]:
    """List the starting point with exchanged texts, and with one more change.

    >>> start = Setting.of_options(Options())
    >>> len(list_swapped({"lowercase": (False, True)}, start))
    2
    """
    swapped = start._replace(swapped=True)
    settings = [swapped]
    for factor, values in grid.items():
        for value in values:
            settings.append(swapped._replace(**{factor: value}))
    return list(dict.fromkeys(settings))


def _are_captions(corpus: Corpus) -> bool:
    """Return False if texts are longer than captions, or have a line break in a text.

    The tokenizer of captions would take fifteen times as long as all other conventions together.
    """
    if corpus.kind != "text":
        return True
    mean_length = pc.mean(pc.binary_length(corpus.predictions)).as_py()
    if mean_length > LONGEST_CAPTION:
        return False
    for batch in corpus.batches:
        if not fits_tokenizer(batch.predictions, "ptb"):
            return False
        if not fits_tokenizer(batch.references, "ptb"):
            return False
    return True


def convention_options(options: Options) -> dict[str, Options]:
    """Return the options of each convention, overridden by options that the user chose.

    >>> convention_options(Options().override({"max_order": 2}))["hf"].max_order
    2
    """
    chosen = {name: getattr(options, name) for name in options.given}
    if options.tokenize_by is not None:
        chosen["tokenize"] = options.tokenize_by
    return {name: choose_options(name, chosen) for name in CONVENTIONS}


# --- Grids of settings ----------------------------------------------------------------------------


def find_reference_positions(corpus: Corpus, given: pa.ChunkedArray) -> ReferencePositions:
    """Find the references of each index that every segment has, among all of the corpus.

    The result is empty if every segment has a single reference. `given` has the references as the
    user passed them, including each None.

    >>> given = read_column("references", [["a", None, "b"], [None, "c", "d"]], REFERENCES)
    >>> find_reference_positions(read_corpus(["a", "b"], given), given)
    {2: array([1, 3])}
    """
    if corpus.reference_count() == "1":
        return {}
    given_items, bounds = list_items(given.combine_chunks())
    is_present = np.asarray(given_items.is_valid())
    position_in_corpus = np.cumsum(is_present) - 1  # the corpus has no None
    starts = bounds[:-1]
    fewest = np.diff(bounds).min()
    reference_positions = {}
    for index in range(fewest):
        given_positions = starts + index
        if is_present[given_positions].all():
            reference_positions[index] = position_in_corpus[given_positions]
    return reference_positions


def make_grid(
    kind: Kind,
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
    further["references"] = (ALL, *reference_positions)
    constant = [*fixed]
    if options.weights is not None:  # they fix the order
        constant.append("max_order")
    if kind != "text":
        constant.append("tokenize")
    if kind == "ids":
        constant.append("lowercase")
    for name in constant:
        further[name] = ()
    grid = {}
    for name, start_value in Setting.of_options(options)._asdict().items():
        grid[name] = tuple(dict.fromkeys([start_value, *further.get(name, ())]))
    return grid


def list_grid(grid: Grid) -> list[Setting]:
    """List all combinations of the values of a grid.

    >>> corpus_grid = make_grid("ids", {}, Options(), {"max_order", "smooth_method"})
    >>> len(list_grid(corpus_grid)), len(corpus_grid["reference_length"])
    (6, 3)
    """
    return [Setting(*values) for values in product(*(grid[name] for name in Setting._fields))]


# --- Scores of settings ---------------------------------------------------------------------------


class _MeansOfTable(NamedTuple):
    """Settings of means that differ in their weights only.

    rows: int64 [segments, 2 N + 2].
    settings: by weights.
    """

    rows: Int64
    settings: dict[Weights, Setting]


class Scorer:
    """The scores of a corpus under settings; each is counted and scored once.

    Attributes:
        scores: the score of each setting that was added, on the scale 0-1.
    """

    def __init__(
        self, corpus: Corpus, reference_positions: ReferencePositions, options: Options
    ) -> None:
        """Prepare the corpus with all references, and with each reference alone.

        Args:
            corpus: the texts.
            reference_positions: the references to use alone.
            options: supplies everything that is not a factor.
        """
        self.scores: dict[Setting, float] = {}
        self._options = options
        self._corpora = _split_references(corpus, reference_positions)
        self._totals: dict[Counting, Int64] = {}  # the sum of all rows
        self._last_rows: dict[Counting, Int64] = {}

    def add(self, settings: Iterable[Setting]) -> None:
        """Score further settings.

        >>> scorer = Scorer(read_corpus(["a b c"], ["a c b"]), {}, Options())
        >>> start = Setting.of_options(Options(max_order=2))
        >>> scorer.add([start, start._replace(max_order=1)])
        >>> list(scorer.scores.values())
        [0.5, 1.0]
        """
        new = [setting for setting in dict.fromkeys(settings) if setting not in self.scores]
        if not new:
            return
        # 1. Collect what is counted together.
        countings: dict[tuple[object, ...], dict[Counting, list[Setting]]] = {}
        settings_of: dict[Scoring, list[Setting]] = {}
        for setting in new:
            counting = setting.counting()
            text = (counting.references, counting.tokenize, counting.lowercase)
            means = countings.setdefault(text, {}).setdefault(counting, [])
            if setting.mean_of_segments:
                means.append(setting)
            else:
                settings_of.setdefault(setting.scoring(), []).append(setting)

        # 2. Count. Keep the sums, and score segments while their rows are there: many short tables
        #    at a time, because each call costs more than the arithmetic on a few sentences.
        # One order more than asked for: NLTK's methods 5 and 7 look one order ahead.
        orders = max(setting.max_order for setting in new) + 1
        waiting: list[tuple[list[Setting], Int64]] = []
        for of_text in countings.values():
            for counting, rows in self._count(list(of_text), orders):
                self._totals[counting] = rows.sum(axis=0)
                self._last_rows[counting] = rows[-1:].copy()
                if of_text[counting]:
                    is_short = len(rows) < _ROWS_PER_CALL  # the next step overwrites the rows
                    waiting.append((of_text[counting], rows.copy() if is_short else rows))
                if len(waiting) * len(rows) >= _ROWS_PER_CALL:
                    self._score_means(waiting)
                    waiting = []
        self._score_means(waiting)

        # 3. Score the sums.
        for scoring, of_scoring in settings_of.items():
            options = of_scoring[0].options(self._options)
            if scoring.last_pair:
                for setting in of_scoring:
                    total = self._totals[setting.counting()]
                    last_row = self._last_rows[setting.counting()]
                    self.scores[setting] = score_by_last_pair(total, last_row, options)
                continue
            totals = np.stack([self._totals[setting.counting()] for setting in of_scoring])
            self.scores |= zip(of_scoring, bleu(totals, options).tolist())

    def lengths(self, setting: Setting) -> tuple[int, int]:
        """Return the lengths of predictions and references under a setting that was added."""
        total = self._totals[setting.counting()]
        layout = Layout.of_width(len(total))
        return int(total[layout.length]), int(total[layout.reference_length])

    def score_row(self, setting: Setting) -> Scores:
        """Return the result of a corpus score that was added."""
        return score_row(self._totals[setting.counting()], setting.options(self._options))

    def _score_means(self, waiting: Sequence[tuple[Sequence[Setting], Int64]]) -> None:
        """Score means of segment scores.

        Args:
            waiting: settings of one counting, with the rows: int64 [segments, 2 N + 2].
        """
        # 1. Collect what is smoothed together: all weights, and several tables.
        tables_of: dict[Scoring, list[_MeansOfTable]] = {}
        for settings, rows in waiting:
            by_scoring: dict[Scoring, _MeansOfTable] = {}
            for setting in settings:
                scoring = setting.scoring()._replace(weights=None)
                if scoring not in by_scoring:
                    by_scoring[scoring] = _MeansOfTable(rows, {})
                by_scoring[scoring].settings[setting.weights] = setting
            for scoring, table in by_scoring.items():
                tables_of.setdefault(scoring, []).append(table)
        # 2. Score. A single table may be large, and is not copied.
        for tables in tables_of.values():
            rows = tables[0].rows[np.newaxis]
            if len(tables) > 1:
                rows = np.stack([table.rows for table in tables])
            all_weights = dict.fromkeys(chain.from_iterable(table.settings for table in tables))
            first_setting = next(iter(tables[0].settings.values()))
            options = first_setting.options(self._options)
            for weights, scores in bleu_by_weights(rows, options, all_weights).items():
                for table, mean in zip(tables, scores.mean(axis=1).tolist()):
                    if weights in table.settings:
                        self.scores[table.settings[weights]] = mean

    def _count(
        self, countings: Sequence[Counting], orders: int
    ) -> Iterator[tuple[Counting, Int64]]:
        """Yield the rows of the segments for each counting; all have the same texts and tokens.

        The rows are one array, which the next step overwrites: use them before asking for more.
        """
        # 1. Count under the first rule for the reference length.
        layout = Layout(orders)
        first = countings[0]
        corpus = self._corpora[first.references]
        counted = replace(
            self._options,
            tokenize=first.tokenize,
            lowercase=first.lowercase,
            reference_length=first.reference_length,
            minimum_total=0,
            weights=None,
            smooth_method="none",
            smooth_value=None,
            max_order=orders,
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
            rows[:, layout.totals] = count_totals(length, orders, counting.minimum_total).T
            yield counting, rows


def score_by_last_pair(total: Int64, last_row: Int64, options: Options) -> float:
    """Return what NLTK's `corpus_bleu` makes of sums under its methods 5 to 7.

    They get the last pair of the corpus in place of sums (nltk issue 3903): methods 5 and 7 for the
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
    value = options.smooth_value_in_effect or 0.0
    smoothed = SMOOTH_METHODS[options.smooth_method].smooth(columns, value)
    logarithm = 0.0
    weights = order_weights([True] * options.max_order, options)
    for weight, match, count in zip(weights, smoothed.matches, smoothed.totals):
        if weight and match > 0 and count > 0:  # NLTK leaves out orders without a match
            logarithm += float(weight * math.log(match / count))
    return float(brevity_penalty(columns.length, columns.reference_length)) * math.exp(logarithm)


def _split_references(
    corpus: Corpus, reference_positions: ReferencePositions
) -> dict[str | int, Corpus]:
    """Return the corpus with all references, and with each reference alone."""
    (batch,) = corpus.combine().batches
    corpora: dict[str | int, Corpus] = {ALL: corpus}
    for index, positions in reference_positions.items():
        references = batch.references.take(pa.array(positions))
        bounds = np.arange(len(positions) + 1)
        corpora[index] = make_corpus([(batch.predictions, references, bounds)])
    return corpora


# --- Results --------------------------------------------------------------------------------------


class FactorStep(TypedDict):
    """A change of one factor, and the resulting difference of the score on the scale 0-1."""

    factor: str
    value: object
    delta: float


class SettingScores(TypedDict):
    """A setting in the result of `reconcile`, with its difference from the published score."""

    bleu: float
    score: float
    delta: float
    plausible: bool
    says: str
    steps: list[FactorStep]
    same_score: dict[str, list[object]]
    references: str | int
    swapped: bool
    last_pair: bool
    options: dict[str, object]
    signature: str


class AnswerContent(TypedDict):
    """The keys that every result of `reconcile` has."""

    reported: object
    decimals: int
    scale: int
    settings: int
    chance: float
    verified: bool | None
    matches: list[SettingScores]
    other_matches: list[SettingScores]
    nearest: list[SettingScores]
    fixes: list[Finding]


class ReconciliationContent(AnswerContent, total=False):
    """The keys of the result of `reconcile`, with those of some lines, texts and machines."""

    conditions: ConditionsContent
    untried_references: int
    untried_packages: list[str]


class ConventionScores(TypedDict):
    """A convention in the result of `conventions`, with its difference from the default."""

    bleu: float
    score: float
    delta: float
    steps: list[FactorStep]
    signature: str


class Reconciliation(Report):
    """The result of `reconcile`: a dict that displays as a table."""

    _absent = MappingProxyType(
        {
            "conditions": passing("what a tool printed, with the values beside the score,"),
            "untried_references": "all references were tried alone",
            "untried_packages": "all tokenizers were tried, or a match was found without them",
        }
    )

    if TYPE_CHECKING:
        # A subclass of dict cannot be a TypedDict. These types let mypy find a mistyped key.

        def __init__(self, content: ReconciliationContent) -> None: ...

        @overload  # type: ignore[override]
        def __getitem__(self, key: Literal["reported"]) -> object: ...
        @overload
        def __getitem__(
            self, key: Literal["decimals", "scale", "settings", "untried_references"]
        ) -> int: ...
        @overload
        def __getitem__(self, key: Literal["conditions"]) -> ConditionsContent: ...
        @overload
        def __getitem__(self, key: Literal["fixes"]) -> list[Finding]: ...
        @overload
        def __getitem__(self, key: Literal["untried_packages"]) -> list[str]: ...
        @overload
        def __getitem__(self, key: Literal["chance"]) -> float: ...
        @overload
        def __getitem__(self, key: Literal["verified"]) -> bool | None: ...
        @overload
        def __getitem__(
            self, key: Literal["matches", "other_matches", "nearest"]
        ) -> list[SettingScores]: ...
        def __getitem__(self, key: str) -> object: ...

    def _title(self) -> str:
        settings = count_things(self["settings"], "setting")
        near = f"for {self['chance']:.0%} of the numbers near it"
        # Read again, because a copy of this dict has only the keys.
        number = read_published(self["reported"]).written
        if self["verified"]:
            verified = f"Verified: these texts give {number} under this signature"
            return f"{verified}; so would some setting {near}."
        if "conditions" in self:
            number += " with these values"
        claim = ""
        if self["verified"] is False:
            claim = f"Not verified: these texts do not give {number} under this signature. "
        count = len(self["matches"] or self["other_matches"])
        if count == 0:
            none = f"None of {settings} gives {number}; some setting would {near}."
            return f"{claim}{none} The closest are:"
        verb = "gives" if count == 1 else "give"
        return f"{claim}{count} of {settings} {verb} {number}; so would some setting {near}."

    def _note(self) -> str:
        notes = [read_published(self["reported"]).describe()]
        for finding in self["fixes"]:
            score = f"{finding['score']:.4f}"
            notes.append(f"{finding['says']} Without that, the score is {score}: {finding['fix']}.")
        for row, setting in enumerate(self._shown()[:SAID_SETTINGS], 1):
            if setting["says"]:
                notes.append(f"Row {row} is from {setting['says']}.")
        if "untried_references" in self:
            untried = count_things(self["untried_references"], "further reference")
            notes.append(
                f"Of the references, all together and the first {MOST_REFERENCES} alone were tried,"
                f" not {untried} alone."
            )
        if "untried_packages" in self:
            packages = " ".join(self["untried_packages"])
            notes.append(
                "Moses' tokenizers, of tokenized BLEU, were not tried. To try them:"
                f" pip install {packages}."
            )
        if self["verified"] is not None:
            notes.append(
                "sacreBLEU's signatures contain neither the order of n-grams nor the text of the"
                " references."
            )
        return " ".join(note for note in notes if note)

    def _shown(self) -> list[SettingScores]:
        return self["matches"] or self["other_matches"] or self["nearest"]

    def _rows(self) -> list[list[str]]:
        rows = [["settings", "BLEU", "off by", "plausible"]]
        for setting in self._shown():
            steps = describe_steps(setting["steps"])
            score = f"{setting['score']:.4f}"
            difference = f"{100 * setting['delta']:+.4f}"
            plausible = "yes" if setting["plausible"] else "no"
            rows.append([steps, score, difference, plausible])
        return rows

    def _records(self) -> list[dict[str, object]]:
        return [
            {
                "settings": describe_steps(setting["steps"]),
                "bleu": setting["bleu"],
                "score": setting["score"],
                "delta": setting["delta"],
                "signature": setting["signature"],
            }
            for setting in self._shown()
        ]

    def plot(self, ax: Axes | None = None, setting: int = 0) -> Axes:
        """Plot the effect of each factor from this object's options to a setting; return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            setting: the index in `matches`; in `other_matches` or `nearest` if there are no
                matches.
        """
        end = self._shown()[setting]
        start = "your options" if self["verified"] is None else "the signature"
        return plot_steps(start, list_changes(end["steps"]), "this setting", end["score"], ax=ax)


class Conventions(Report):
    """The result of `conventions`: a dict from names to scores, which displays as a table."""

    _wide_columns = ("due to",)
    _absent = MappingProxyType({"coco": "it is for captions, which are short texts on one line"})

    if TYPE_CHECKING:
        # As above: these types let mypy find a mistyped key.

        def __init__(self, scores: Mapping[str, ConventionScores]) -> None: ...
        def __getitem__(self, name: str) -> ConventionScores: ...
        def items(self) -> dict_items[str, ConventionScores]: ...

    def _title(self) -> str:
        return "The same text under each convention"

    def _rows(self) -> list[list[str]]:
        rows = [["convention", "BLEU", "difference", "due to"]]
        for name, scores in self.items():
            score = f"{scores['score']:.2f}"
            difference = f"{100 * scores['delta']:+.2f}"
            steps = describe_steps(scores["steps"], with_differences=True)
            rows.append([name, score, difference, steps])
        return rows

    def _records(self) -> list[dict[str, object]]:
        return [
            {
                "convention": name,
                "bleu": scores["bleu"],
                "score": scores["score"],
                "delta": scores["delta"],
                "signature": scores["signature"],
            }
            for name, scores in self.items()
        ]

    def plot(self, ax: Axes | None = None, convention: str | None = None) -> Axes:
        """Plot the effect of each factor, from the default to a convention, and return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            convention: its name; None for the convention whose score differs most.
        """
        end = convention or max(self, key=lambda name: abs(self[name]["delta"]))
        steps = list_changes(self[end]["steps"])
        return plot_steps("default", steps, end, self[end]["score"], ax=ax)


def describe_steps(steps: Sequence[FactorStep], with_differences: bool = False) -> str:
    """Write the steps that change the score on one line.

    >>> describe_steps([{"factor": "max_order", "value": 2, "delta": 0.125}], with_differences=True)
    'max_order=2 (+12.50)'
    """
    changes = list_changes(steps)
    if not changes:
        return "– (same settings)"
    if not with_differences:
        return ", ".join(change.label for change in changes)
    return ", ".join(f"{change.label} ({change.difference:+.2f})" for change in changes)


def list_changes(steps: Sequence[FactorStep]) -> list[Step]:
    """List the steps that change the score, with their differences in points.

    Changes that are not options are always listed.

    >>> list_changes([{"factor": "max_order", "value": 2, "delta": 0.125}])
    [Step(label='max_order=2', difference=12.5)]
    """
    changes = []
    for step in steps:
        difference = 100 * step["delta"]
        if step["factor"] in OTHER_FACTORS:
            changes.append(Step(OTHER_FACTORS[step["factor"]].says, difference))
        elif difference != 0:
            changes.append(Step(f"{step['factor']}={step['value']!r}", difference))
    return changes
