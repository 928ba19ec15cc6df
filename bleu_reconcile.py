"""Reasons why two scores of the same text differ.

`reconcile` searches the settings behind a published score, `conventions` scores the text under each
named convention.

A setting is a value for each of nine factors. Five factors affect counting: a corpus is counted
once per combination of their values. The result is scored under each combination of the other
factors. The difference between two settings is then attributed to single factors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_checks import sum_checked
from .bleu_corpus import Corpus, Int64, Kind, Layout, list_items, make_corpus
from .bleu_counting import REFERENCE_LENGTHS, count_totals
from .bleu_inputs import read_column, read_corpus, reject_dicts
from .bleu_messages import REFERENCES, count_things, invalid
from .bleu_options import (
    CONVENTIONS,
    CORPUS_ONLY,
    OPTIONS,
    SCORE,
    Options,
    Origin,
    SignatureContent,
    choose_options,
    is_signed,
    make_signature,
    read_signature,
    to_python,
)
from .bleu_report import Report, Step, plot_steps
from .bleu_scoring import NOISE, bleu
from .bleu_statistics import count_corpus
from .bleu_tokenizers import TOKENIZERS, choose_tokenizer, fits_tokenizer

if TYPE_CHECKING:
    from _collections_abc import dict_items

    from matplotlib.axes import Axes

NEAREST_SETTINGS = 5  # returned if no setting gives the score
CHANCE_RANGE = 0.02  # the distance from this object's score up to which `chance` counts numbers
MOST_REFERENCES = 8  # that are tried alone, because each takes a search of its own
_ROWS_PER_CALL = 1 << 12  # of several settings, scored together; more would leave the cache
FEW_CHANGES = 2  # more changes at once need a known tool or a small `chance` to be plausible
SMALL_CHANCE = 0.05
LONGEST_CAPTION = 100  # bytes on average; the tokenizer of captions is left out above it
ALL = "all"  # references: all references of a segment

Tokenize = str | Callable[[str], list[str]]


class Setting(NamedTuple):
    """The factors in which tools and papers differ, in the order of the steps between two settings.

    mean_of_segments: True if the score is the mean of segment scores, False if it is that of the
        corpus.
    references: `ALL`, or the index of the only reference that is used.
    The other factors are options.
    """

    mean_of_segments: bool
    references: str | int
    tokenize: Tokenize
    lowercase: bool
    minimum_total: int
    reference_length: str
    smooth_method: str
    max_order: int
    effective_order: bool

    @classmethod
    def of_options(cls, options: Options) -> Setting:
        """Return the setting that options describe, with all references.

        >>> Setting.of_options(Options()).reference_length
        'closest'
        """
        values = {name: getattr(options, name) for name in OPTION_FACTORS}
        return cls(mean_of_segments=False, references=ALL, **values)

    def options(self, base: Options) -> Options:
        """Return `base` with the options of this setting.

        The value for the smoothing method is kept only for the method that it was chosen for.
        """
        values = {name: getattr(self, name) for name in OPTION_FACTORS}
        if self.smooth_method != base.smooth_method:
            values["smooth_value"] = None
        return replace(base, **values)


OPTION_FACTORS = [name for name in Setting._fields if name in OPTIONS]

# The factors that do not affect counting: a corpus is counted once for all their values.
SCORING_FACTORS = ("smooth_method", "max_order", "effective_order")

Grid = Mapping[str, Sequence[Any]]  # the values of each factor to combine

# The smoothing methods to try for corpus scores, and for means of segment scores, which may be made
# with NLTK's `sentence_bleu`.
CORPUS_METHODS = ("exp", "none", "skip", "floor", "add-k", "laplace")
SEGMENT_METHODS = (*CORPUS_METHODS, "nltk-4", "nltk-5", "chen-cherry-6", "nltk-7")

# The values that a search combines, in addition to the values of the starting point. The tokenizer
# and the smoothing of captions are tried only together, as a convention.
FACTORS: Grid = {
    "references": (ALL,),
    "tokenize": tuple(name for name, tokenizer in TOKENIZERS.items() if tokenizer.automaton),
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
    scores = score_grid(corpus, {}, conventions["default"], enclose_settings(settings.values()))
    scores_by_name: dict[str, ConventionScores] = {}
    for name, setting in settings.items():
        scores_by_name[name] = {
            "bleu": scores[setting],
            "score": 100 * scores[setting],
            "delta": scores[setting] - scores[start],
            "steps": list_steps(scores, start, setting),
            "signature": sign_setting(corpus, conventions[name], ALL),
        }
    return Conventions(scores_by_name)


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
    # 1. Read the score, the signature beside it, and the texts.
    published = read_published(reported, decimals)
    # The column has each None of the user, so that the index of a reference is that of the user.
    reject_dicts(predictions, references)
    reference_column = read_column("references", references, REFERENCES)
    corpus = read_corpus(predictions, reference_column)
    sum_checked(corpus, options)
    all_positions = find_reference_positions(corpus, reference_column)
    positions = dict(islice(all_positions.items(), MOST_REFERENCES))

    # 2. Score all settings.
    search = Search(corpus, positions, options, fixed, signature=published.signature)

    # 3. Find the settings whose score rounds to the number. Under a signature, only its own
    #    settings are matches.
    readings = list_readings(published.number, published.decimals)
    fitting = {reading: search.list_fitting(reading) for reading in readings}
    matching = fitting
    if published.signature is not None:
        matching = {
            reading: [group for group in groups if group.setting in search.claimed]
            for reading, groups in fitting.items()
        }

    # 4. Choose the scale: the first one with matches, or else the first one on which another
    #    setting gives the number. A number up to 1 may be a score below one point.
    by_matches = [candidate for candidate in readings if matching[candidate]]
    by_others = [candidate for candidate in readings if fitting[candidate]]
    reading = [*by_matches, *by_others, *readings][0]
    matches = matching[reading]
    verified = bool(matches) if published.signature is not None else None
    other_matches = [] if matches else fitting[reading]
    nearest = [] if fitting[reading] else search.list_nearest(reading)
    chance = search.chance(reading)
    content: ReconciliationContent = {
        "reported": published.reported,
        "decimals": published.decimals,
        "scale": reading.scale,
        "settings": len(search.groups),
        "chance": chance,
        "verified": verified,
        "matches": [search.describe(group, reading, chance) for group in matches],
        "other_matches": [search.describe(group, reading, chance) for group in other_matches],
        "nearest": [search.describe(group, reading, chance) for group in nearest],
    }
    if len(positions) < len(all_positions):
        content["untried_references"] = len(all_positions) - len(positions)
    return Reconciliation(content)


class Published(NamedTuple):
    """A published score.

    reported: the score as the user passed it, in plain Python types.
    number: its value, from 0 to 1 or from 0 to 100.
    decimals: the number of known decimals.
    signature: the signature beside the score, or None.
    """

    reported: object
    number: float
    decimals: int
    signature: SignatureContent | None


def read_published(reported: object, decimals: int | None = None) -> Published:
    """Read a published score, with or without a signature.

    Raises:
        ValueError: `reported` is not a score, its signature cannot be read, or `decimals` is not a
            number of decimals.

    >>> read_published("27,30")
    Published(reported='27,30', number=27.3, decimals=2, signature=None)
    """
    # 1. Separate the signature.
    plain = to_python(reported)
    if isinstance(reported, np.floating):
        # A NumPy float has the decimals that it displays: `tolist` turns a 32-bit 66.87 into
        # 66.87000274658203.
        plain = float(str(reported))
    signature = None
    score = plain
    if isinstance(plain, str) and is_signed(plain):
        signature = read_signature(plain, "reported")
        score = signature.score
    # 2. Read the number.
    written = None if isinstance(score, bool) else SCORE.fullmatch(str(score))
    if written is None:
        raise invalid("reported", score, "a number, or a str such as '27.30'")
    number = Decimal(written[1].replace(",", "."))
    if not 0 <= number <= 100:
        raise invalid("reported", score, "a score from 0 to 1 or from 0 to 100")
    # 3. Count its decimals, if they are not known.
    if decimals is None:
        known_decimals = max(0, -int(number.as_tuple().exponent))
    elif isinstance(decimals, bool) or not hasattr(decimals, "__index__") or decimals < 0:
        raise invalid("decimals", decimals, "a whole number of 0 or more")
    else:
        known_decimals = int(decimals)
    return Published(plain, float(number), known_decimals, signature)


class Reading(NamedTuple):
    """A published number, read as a score on one of the two scales.

    scale: 1 or 100.
    bleu: the number on the scale 0-1.
    rounding: the distance between two numbers with as many decimals, on the scale 0-1.
    """

    scale: int
    bleu: float
    rounding: float


def list_readings(number: float, decimals: int) -> list[Reading]:
    """List the readings of a published number, the most likely first.

    >>> list_readings(0.5, decimals=1)
    [Reading(scale=1, bleu=0.5, rounding=0.1), Reading(scale=100, bleu=0.005, rounding=0.001)]
    """
    if number > 1:
        scales = [100]
    elif decimals:
        scales = [1, 100]
    else:
        scales = [100, 1]
    # A whole number is known to half a point on both scales: on the scale 0-1, it can only be a
    # perfect score.
    roundings = dict.fromkeys(scales, 0.01)
    if decimals:
        roundings = {scale: 10.0**-decimals / scale for scale in scales}
    return [Reading(scale, number / scale, roundings[scale]) for scale in scales]


class Implausibility(NamedTuple):
    """The reasons against a setting, the strongest first: settings are sorted by them."""

    is_not_claimed: bool
    is_unknown_tool: bool
    has_many_changes: bool
    changes: int
    is_mean: bool


class EqualSettings(NamedTuple):
    """Settings that give the same score.

    setting: the most plausible one.
    others: the others, the most plausible first.
    score: their score, on the scale 0-1.
    """

    setting: Setting
    others: list[Setting]
    score: float


class Search:
    """The scores of a corpus under all settings, and the reasons against each setting.

    Attributes:
        corpus: the texts.
        options: the options of the starting point: the signature's, or the user's without one.
        start: their setting.
        claimed: the settings that the signature describes; without one, the starting point.
        scores: the score of each setting, on the scale 0-1.
        groups: the settings in groups of equal scores, the most plausible group first.
    """

    def __init__(
        self,
        corpus: Corpus,
        reference_positions: ReferencePositions,
        options: Options,
        fixed: Collection[str],
        *,
        signature: SignatureContent | None = None,
    ) -> None:
        """Score a corpus under all settings.

        Args:
            corpus: the texts.
            reference_positions: the references to use alone, from `find_reference_positions`.
            options: the user's options.
            fixed: the names of options that are not varied, and that win over the signature.
            signature: the signature beside the published score, or None.
        """
        # 1. Choose the starting point: the user's options, or those of the signature.
        self.corpus = corpus
        self.options = options
        self._always_listed = [*fixed]  # names of options
        if signature is not None:
            self.options = claimed_options(signature, corpus.kind, options, fixed)
            self._always_listed += ["weights", "smooth_value", "effective_order"]
        self.start = Setting.of_options(self.options)
        self.claimed = {self.start}
        if signature is not None:
            self.claimed = claimed_settings(signature, self.start, corpus, reference_positions)

        # 2. Score all settings.
        kind = corpus.kind
        grid = make_grid(kind, reference_positions, self.options, fixed)
        means = make_grid(kind, reference_positions, self.options, fixed, factors=SEGMENT_FACTORS)
        self.scores = score_grid(corpus, reference_positions, self.options, grid, means=means)
        candidates = dict(self.scores)
        captions = caption_settings(corpus, self.start, self.options, fixed)
        if captions:
            # Only the convention as a whole is a candidate. The settings between it and the
            # starting point are scored for the steps; some of them are in the grid above.
            between = {**enclose_settings([self.start, *captions]), "tokenize": ("ptb",)}
            self.scores |= score_grid(corpus, {}, self.options, between)
            candidates |= {setting: self.scores[setting] for setting in captions}

        # 3. Group equal scores, and sort by plausibility. Known tools have the user's options, also
        #    if there is a signature.
        self._tools = list_known_tools(options)
        self._tools.settings.update(captions)
        groups = []
        for settings in group_settings(candidates):
            setting, *others = sorted(settings, key=self.implausibility)
            groups.append(EqualSettings(setting, others, self.scores[setting]))
        self.groups = sorted(groups, key=lambda group: self.implausibility(group.setting))

    def implausibility(self, setting: Setting) -> Implausibility:
        """Return the reasons against a setting."""
        changes = len(changed_factors(self.start, setting))
        return Implausibility(
            is_not_claimed=setting not in self.claimed,
            is_unknown_tool=setting not in self._tools.settings,
            has_many_changes=changes > FEW_CHANGES and setting not in self._tools.variants,
            changes=changes,
            is_mean=setting.mean_of_segments,
        )

    def is_plausible(self, setting: Setting, chance: float) -> bool:
        """Return False for many changes of an unknown tool, if numbers easily match by chance."""
        reasons = self.implausibility(setting)
        if reasons.is_unknown_tool and reasons.has_many_changes:
            return chance <= SMALL_CHANCE
        return True

    def list_fitting(self, reading: Reading) -> list[EqualSettings]:
        """List the groups whose score rounds to a published number.

        Half a unit is accepted in both directions, because tools round it up or down. Scores of two
        tools may differ by floating-point noise.
        """
        farthest = reading.rounding / 2 + NOISE
        return [group for group in self.groups if abs(group.score - reading.bleu) <= farthest]

    def list_nearest(self, reading: Reading) -> list[EqualSettings]:
        """List the groups whose scores are the closest to a published number."""
        by_distance = sorted(self.groups, key=lambda group: abs(group.score - reading.bleu))
        return by_distance[:NEAREST_SETTINGS]

    def chance(self, reading: Reading) -> float:
        """Return the share of numbers near the starting point's score that some setting gives."""
        scores = [group.score for group in self.groups]
        return count_chance(scores, self.scores[self.start], reading.rounding)

    def describe(self, group: EqualSettings, reading: Reading, chance: float) -> SettingScores:
        """Describe the most plausible setting of a group, beside a published number."""
        setting = group.setting
        return {
            "bleu": group.score,
            "score": 100 * group.score,
            "delta": group.score - reading.bleu,
            "plausible": self.is_plausible(setting, chance),
            "steps": list_steps(self.scores, self.start, setting),
            "same_score": list_same_score(group),
            "references": setting.references,
            "options": self.list_options(setting),
            "signature": sign_setting(
                self.corpus, setting.options(self.options), setting.references
            ),
        }

    def list_options(self, setting: Setting) -> dict[str, object]:
        """List a setting as options of `compute`, and the options that are always listed."""
        names = [*self._always_listed]
        for name in OPTION_FACTORS:
            if name == "tokenize" and self.corpus.kind != "text":  # tokenized already
                continue
            if name == "effective_order" and not setting.mean_of_segments:
                continue  # not a factor of corpus scores
            names.append(name)
        chosen = setting.options(self.options)
        if chosen.smooth_value != self.options.smooth_value:
            names.append("smooth_value")
        options = {name: getattr(chosen, name) for name in names}
        if setting.mean_of_segments:
            options["segments"] = True
        return options


def claimed_options(
    signature: SignatureContent, kind: Kind, options: Options, fixed: Collection[str]
) -> Options:
    """Return the options that a signature claims; the `fixed` ones come from `options`.

    >>> signature = read_signature("nrefs:1|case:lc|tok:13a")
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


def list_steps(scores: Mapping[Setting, float], start: Setting, end: Setting) -> list[FactorStep]:
    """List the steps from one setting to another, one factor at a time; their differences add up.

    >>> start = Setting.of_options(Options())
    >>> end = start._replace(tokenize="zh")
    >>> list_steps({start: 0.25, end: 0.5}, start, end)
    [{'factor': 'tokenize', 'value': 'zh', 'delta': 0.25}]
    """
    steps: list[FactorStep] = []
    before = start
    for factor in changed_factors(start, end):
        value = getattr(end, factor)
        after = before._replace(**{factor: value})
        steps.append({"factor": factor, "value": value, "delta": scores[after] - scores[before]})
        before = after
    return steps


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
        if len(changed) == 1 and changed != ["mean_of_segments"]:  # which is not an option
            (factor,) = changed
            same_score.setdefault(factor, []).append(getattr(other, factor))
    return same_score


class KnownTools(NamedTuple):
    """The settings of known tools.

    settings: the settings of conventions and known tools.
    variants: the settings of these tools under other arguments.
    """

    settings: set[Setting]
    variants: set[Setting]


def list_known_tools(options: Options) -> KnownTools:
    """Return the settings of known tools, with the options that the user chose."""
    conventions = convention_options(options)
    settings = {name: Setting.of_options(convention) for name, convention in conventions.items()}
    nltk = settings["nltk"]
    # sacreBLEU's `sentence_score` with and without effective order, and NLTK's `sentence_bleu`
    sacrebleu_mean = settings["default"]._replace(mean_of_segments=True)
    nltk_mean = nltk._replace(mean_of_segments=True)
    means = {sacrebleu_mean, sacrebleu_mean._replace(effective_order=True), nltk_mean}
    # NLTK's smoothing functions; `skip` is what NLTK does before 3.3.
    variants: set[Setting] = set()
    for method in CORPUS_METHODS:
        variants.add(nltk._replace(smooth_method=method))
    for method in SEGMENT_METHODS:
        variants.add(nltk_mean._replace(smooth_method=method))
    return KnownTools({*settings.values(), *means}, variants)


def caption_settings(
    corpus: Corpus, start: Setting, options: Options, fixed: Collection[str]
) -> list[Setting]:
    """Return the settings of pycocoevalcap's four scores, if they can have made a score.

    Its tokenizer lower-cases always, so `lowercase` stays as it is.

    >>> corpus = read_corpus(["a b"], ["a b"])
    >>> start = Setting.of_options(Options())
    >>> [setting.max_order for setting in caption_settings(corpus, start, Options(), ())]
    [4, 3, 2, 1]
    >>> caption_settings(corpus, start, Options(), ["tokenize"])
    []
    """
    changed = CONVENTIONS["coco"]
    conflicts = [name for name in fixed if name in changed]
    if corpus.kind != "text" or conflicts or options.weights is not None:
        return []
    if not _are_captions(corpus):
        return []
    convention = start._replace(**changed)
    for name in ("minimum_total", "reference_length"):
        if name not in fixed:
            convention = convention._replace(**{name: OPTIONS[name]})
    orders = (start.max_order,) if "max_order" in fixed else FACTORS["max_order"]
    return [convention._replace(max_order=order) for order in orders]


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


def enclose_settings(settings: Collection[Setting]) -> Grid:
    """Return the smallest grid that has some settings.

    >>> start = Setting.of_options(Options())
    >>> enclose_settings([start, start._replace(max_order=2)])["max_order"]
    (4, 2)
    """
    grid = {}
    for name in Setting._fields:
        values = [getattr(setting, name) for setting in settings]
        grid[name] = tuple(dict.fromkeys(values))
    return grid


def score_grid(
    corpus: Corpus,
    reference_positions: ReferencePositions,
    options: Options,
    grid: Grid,
    *,
    means: Grid | None = None,
) -> dict[Setting, float]:
    """Score a corpus under each setting of a grid, on the scale 0-1.

    Options that are not factors come from `options`. With a grid of `means`, the result includes
    means of segment scores for the countings that both grids have.

    >>> start = Setting.of_options(Options(max_order=2))
    >>> grid = enclose_settings([start, start._replace(max_order=1)])
    >>> list(score_grid(read_corpus(["a b c"], ["a c b"]), {}, Options(), grid).values())
    [0.5, 1.0]
    """
    # 1. Count. Keep the sums, and score segments while their rows are there: many short tables at a
    #    time, because each call costs more than the arithmetic on a few sentences.
    scores: dict[Setting, float] = {}
    countings = []
    sums = []
    to_score: list[tuple[Setting, Int64]] = []
    scorings_of_means = _list_scorings(means) if means is not None else []
    for counting, rows in _count_grid(corpus, reference_positions, options, grid):
        countings.append(counting)
        sums.append(rows.sum(axis=0))
        if means is not None and counting.reference_length in means["reference_length"]:
            is_short = len(rows) < _ROWS_PER_CALL  # kept while the next step overwrites the rows
            to_score.append((counting, rows.copy() if is_short else rows))
        if len(to_score) * len(rows) >= _ROWS_PER_CALL:
            scores |= _score_means(to_score, scorings_of_means, options)
            to_score = []
    scores |= _score_means(to_score, scorings_of_means, options)

    # 2. Score the sums.
    start = Setting.of_options(options)
    totals = np.stack(sums)
    for scoring in _list_scorings(grid):
        scoring_options = start._replace(**scoring).options(options)
        for counting, score in zip(countings, bleu(totals, scoring_options).tolist()):
            scores[counting._replace(**scoring)] = score
    return scores


def _list_scorings(grid: Grid) -> list[dict[str, Any]]:
    """List the combinations of the factors that only scoring depends on."""
    combinations = product(*(grid[name] for name in SCORING_FACTORS))
    return [dict(zip(SCORING_FACTORS, values)) for values in combinations]


def _score_means(
    counted: Sequence[tuple[Setting, Int64]],
    scorings: Sequence[Mapping[str, Any]],
    options: Options,
) -> dict[Setting, float]:
    """Return the mean of the segments' scores for each counting and each way of scoring.

    Args:
        counted: settings with the rows counted under them, int64 [segments, 2 N + 2].
        scorings: the values of the factors of scoring, from `_list_scorings`.
        options: supplies everything that is not a factor.
    """
    start = Setting.of_options(options)
    means = {}
    for scoring in scorings:
        scoring_options = start._replace(**scoring).options(options)
        chosen = counted
        if scoring_options.effective_order and not options.effective_order:
            # A minimum leaves no order out.
            chosen = [(counting, rows) for counting, rows in counted if not counting.minimum_total]
        if not chosen:
            continue
        tables = [rows for _, rows in chosen]
        # A single table may be large, and is not copied.
        rows = np.stack(tables) if len(tables) > 1 else tables[0][np.newaxis]
        for (counting, _), mean in zip(chosen, bleu(rows, scoring_options).mean(axis=1).tolist()):
            means[counting._replace(mean_of_segments=True, **scoring)] = mean
    return means


def _count_grid(
    corpus: Corpus, reference_positions: ReferencePositions, options: Options, grid: Grid
) -> Iterator[tuple[Setting, Int64]]:
    """Yield the rows of the segments for each combination of the factors that counting depends on.

    The factors of scoring are those of `options`. The rows are one array, which the next step
    overwrites: use them before asking for more.
    """
    # One order more than asked for: NLTK's methods 5 and 7 look one order ahead.
    orders = max(grid["max_order"]) + 1
    layout = Layout(orders)
    start = Setting.of_options(options)
    corpora = _split_references(corpus, reference_positions)
    for tokenize, lowercase, references in product(
        grid["tokenize"], grid["lowercase"], grid["references"]
    ):
        # 1. Count under the first rule for the reference length.
        setting = start._replace(tokenize=tokenize, lowercase=lowercase, references=references)
        first_rule, *other_rules = grid["reference_length"]
        chosen = corpora[references]
        counted = replace(
            setting.options(options),
            reference_length=first_rule,
            minimum_total=0,
            weights=None,
            smooth_method="none",
            max_order=orders,
        )
        tokenizer = choose_tokenizer(counted, chosen.kind)
        rows = count_corpus(chosen, tokenizer, counted)

        # 2. Find the reference lengths under the other rules. Only this column depends on the rule,
        #    so a single order is counted. A single reference is the closest, the shortest and the
        #    longest.
        reference_lengths = {first_rule: rows[:, layout.reference_length].copy()}
        for rule in other_rules:
            if chosen.reference_count() == "1":
                reference_lengths[rule] = reference_lengths[first_rule]
            else:
                by_rule = replace(counted, reference_length=rule, max_order=1)
                unigram_rows = count_corpus(chosen, tokenizer, by_rule)
                reference_lengths[rule] = unigram_rows[:, by_rule.layout.reference_length]

        # 3. Write the two factors that need no counting into the rows.
        for rule, minimum in product(grid["reference_length"], grid["minimum_total"]):
            rows[:, layout.reference_length] = reference_lengths[rule]
            rows[:, layout.totals] = count_totals(rows[:, layout.length], orders, minimum).T
            yield setting._replace(reference_length=rule, minimum_total=minimum), rows


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
    steps: list[FactorStep]
    same_score: dict[str, list[object]]
    references: str | int
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


class ReconciliationContent(AnswerContent, total=False):
    """The keys of the result of `reconcile`, with the one of more than 8 references."""

    untried_references: int


class ConventionScores(TypedDict):
    """A convention in the result of `conventions`, with its difference from the default."""

    bleu: float
    score: float
    delta: float
    steps: list[FactorStep]
    signature: str


class Reconciliation(Report):
    """The result of `reconcile`: a dict that displays as a table."""

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
        number = self["reported"]
        if self["verified"] is not None:
            # Read again, because a copy of this dict has only the keys.
            number = read_signature(self["reported"]).score
        if self["verified"]:
            verified = f"Verified: these texts give {number} under this signature"
            return f"{verified}; so would some setting {near}."
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
        notes = []
        if "untried_references" in self:
            untried = count_things(self["untried_references"], "further reference")
            notes.append(
                f"Of the references, all together and the first {MOST_REFERENCES} alone were tried,"
                f" not {untried} alone."
            )
        if self["verified"] is not None:
            notes.append(
                "sacreBLEU's signatures contain neither the order of n-grams nor the text of the"
                " references."
            )
        return " ".join(notes)

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

    A mean in place of a corpus score is always listed.

    >>> list_changes([{"factor": "max_order", "value": 2, "delta": 0.125}])
    [Step(label='max_order=2', difference=12.5)]
    """
    changes = []
    for step in steps:
        difference = 100 * step["delta"]
        if step["factor"] == "mean_of_segments":
            changes.append(Step("mean of segment scores", difference))
        elif difference != 0:
            changes.append(Step(f"{step['factor']}={step['value']!r}", difference))
    return changes
