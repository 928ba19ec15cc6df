"""Reasons why two scores of the same text differ: `reconcile`.

The class calls `find_settings` with a published score, which searches the settings behind it, and
`compare_conventions` without one, which scores the text under each named convention. The difference
between two settings is attributed to single factors.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..check.checks import list_findings
from ..check.look import look_at
from ..options.option_names import CORPUS_ONLY
from ..options.options import Options, choose_options
from ..options.signature import SignatureContent
from ..rows.statistics import count, make_call
from ..rules.chosen_tokenizer import has_sacremoses
from ..rules.counting import Layout
from ..rules.scores import NOISE, score_row
from ..rules.smoothing import SMOOTH_METHODS
from ..shared.arrays import InputType
from ..shared.messages import EXPECTED_REFERENCES
from ..shared.result_types import (
    ConditionsContent,
    ConventionScores,
    Finding,
    ReconciliationContent,
    SettingScores,
)
from ..text.columns import read_column
from ..text.corpus import Corpus
from ..text.read import read_corpus, reject_dicts
from .answer import CHANCE_OF_LEVEL, MOST_REFERENCES, Conventions, Reconciliation
from .calls import (
    ALL_REFERENCES,
    CALLS,
    CONVENTION_CALLS,
    NO_TOOL,
    OPTION_FACTORS,
    SWAPPED,
    ReferencePositions,
    Setting,
    Tools,
    are_captions,
    convention_options,
    list_moses_tools,
    list_tools,
)
from .published import Published, Rounded, list_readings, read_published
from .settings import (
    SEGMENT_FACTORS,
    EqualSettings,
    Scorer,
    changed_factors,
    find_reference_positions,
    group_settings,
    list_grid,
    list_path,
    list_same_score,
    list_steps,
    list_swapped,
    make_grid,
    sign_setting,
    simplify,
    to_json,
)

NEAREST_SETTINGS = 5  # returned if no setting gives the score
USUAL_TOKENIZERS = ("13a", "intl", "char", "none")  # and `zh` for texts with Chinese characters
CASED_TEXTS = 0.3  # share of texts with an upper-case letter, from which lower case is usual
USUAL_SMOOTHING = ("exp", "none", "floor", "add-k")  # of sacreBLEU's command
USUAL_CHANGES = 2  # options that differ at once from the starting point
# Of tokenized BLEU. Those of other languages are tried if `tokenize` names them.
MOSES_TOKENIZERS = ("moses-en", "moses-de", "moses-fr", "moses-en-compounds", "moses-de-compounds")

CHANCE_RANGE = 0.02  # the distance from this object's score up to which `chance` counts numbers

KIND_OF_LEVEL = ("usual", "usual", "usual", "call", "rare")  # by `Search.level`

# --- reconcile without a score --------------------------------------------------------------------


def compare_conventions(corpus: Corpus, options: Options) -> Conventions:
    """Score a corpus under each convention, and attribute differences from the default to factors.

    Options that the user chose apply under every convention. `coco` is for captions only.

    >>> corpus = read_corpus(["a b c d."], [["a b c d .", "a"]])
    >>> conventions = compare_conventions(corpus, Options())
    >>> conventions["moses"]["steps"][0]["factor"]
    'tokenize'
    """
    look_at(corpus, count(make_call(corpus, options)).bigrams, options)
    conventions = convention_options(options)
    if not are_captions(corpus):
        del conventions["coco"]
    settings = {name: Setting.of_options(convention) for name, convention in conventions.items()}
    start = settings["default"]
    scorer = Scorer(
        corpus, {}, conventions["default"], max(setting.max_order for setting in settings.values())
    )
    scorer.add(chain.from_iterable(list_path(start, one) for one in settings.values()))
    scores = scorer.scores
    scores_by_name: dict[str, ConventionScores] = {
        name: {
            "bleu": scores[setting],
            "score": 100 * scores[setting],
            "delta": scores[setting] - scores[start],
            "steps": list_steps(scores, start, setting),
            "signature": sign_setting(corpus, conventions[name], ALL_REFERENCES),
        }
        for name, setting in settings.items()
    }
    return Conventions(scores_by_name)


# --- reconcile with a score -----------------------------------------------------------------------


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
    reference_column = read_column("references", references, EXPECTED_REFERENCES)
    corpus = read_corpus(predictions, reference_column)
    look_at(corpus, count(make_call(corpus, options)).bigrams, options)

    # 2. Score all settings, and find those whose score rounds to the number.
    search = Search(corpus, reference_column, options, fixed, published=published)
    readings = list_readings(published.number, published.decimals, published.scale)
    found = search.find(readings)
    rows = None if found.all() else search.find_rows(found.reading)
    if rows:
        (batch,) = corpus.combine().batches
        corpus = batch.slice(rows.start, len(rows)).to_corpus()
        references_of_rows = reference_column[rows.start : rows.stop]
        search = Search(corpus, references_of_rows, options, fixed, published=published)
        found = search.find(readings)

    # 3. Without a usual setting among them, try the fixes of `check`.
    fixes: list[Finding] = []
    other_fixes: list[Finding] = []
    if all(KIND_OF_LEVEL[group.level] != "usual" for group in found.all()):
        for finding in list_findings(corpus, search.options):
            score = finding["score"]
            if score is not None:
                is_found = found.reading.is_rounded_from(score / 100)
                (fixes if is_found else other_fixes).append(finding)

    # 4. Without a plausible match and a fix, try the tokenizers of papers.
    has_tokenizers = corpus.kind == "text" and "tokenize" not in fixed
    needs_moses = has_tokenizers and not (fixes or found.has_plausible())
    if needs_moses and has_sacremoses():
        search.add_moses()
        found = search.find(readings)

    # 5. Describe them.
    content: ReconciliationContent = {
        "reported": published.reported,
        "decimals": published.decimals,
        "scale": found.reading.scale,
        "settings": len(search.groups),
        "chance": found.chances[-1],
        "verified": False if rows and found.verified else found.verified,
        "rows": [rows.start, rows.stop] if rows else None,
        "differences": {} if found.all() else search.contradicted_values(found.reading),
        "usual": search.describe(search.list_usual(), found),
        "matches": search.describe(found.matches, found),
        "other_matches": search.describe(found.others, found),
        "nearest": search.describe(found.nearest, found),
        "fixes": fixes,
        "other_fixes": other_fixes,
    }
    if published.conditions:
        content["conditions"] = published.conditions.to_dict()
    if search.untried_references:
        content["untried_references"] = search.untried_references
    if needs_moses and not has_sacremoses():
        content["untried_packages"] = ["sacremoses"]
    return Reconciliation(content)


class SearchResult(NamedTuple):
    """The settings of a search that give a number, or the nearest to it.

    reading: the number on the scale that was chosen.
    matches: the groups that give it; under a signature, only those that it describes.
    others: under a signature without matches, the groups that give the number.
    nearest: the nearest groups, if no group gives it.
    chances: by level, the share of numbers near the own score that some setting gives whose level
        is not higher.
    verified: True if there is a signature and it matches; None without one.
    """

    reading: Rounded
    matches: list[EqualSettings]
    others: list[EqualSettings]
    nearest: list[EqualSettings]
    chances: list[float]
    verified: bool | None

    def all(self) -> list[EqualSettings]:
        """Return the groups that give the number."""
        return self.matches + self.others

    def has_plausible(self) -> bool:
        """Return True if one of them is plausible."""
        return any(self.chances[one.level] <= CHANCE_OF_LEVEL[one.level] for one in self.all())


class Search:
    """The scores of a corpus under all settings, and the reasons against each setting.

    Attributes:
        corpus: the texts.
        options: the options of the starting point: the signature's, or the user's without one.
        start: their setting.
        claimed: the settings that the signature describes; without one, the starting point.
        scorer: the scores of settings, on the scale 0-1.
        groups: the settings in groups of equal scores, the most plausible group first.
        untried_references: the number of references that are not used alone.
        fitting: the groups that meet the conditions of the published score; all without conditions.
    """

    def __init__(
        self,
        corpus: Corpus,
        reference_column: pa.ChunkedArray,
        options: Options,
        fixed: Collection[str],
        *,
        published: Published,
    ) -> None:
        """Score a corpus under all settings.

        Args:
            corpus: the texts.
            reference_column: the references as the user passed them, including each None.
            options: the user's options.
            fixed: the names of options that are not varied, and that win over the signature.
            published: the score, with the signature beside it.
        """
        # 1. Choose the references to use alone, and the starting point: the user's options, or
        #    those of the signature.
        all_positions = find_reference_positions(corpus, reference_column)
        reference_positions = dict(islice(all_positions.items(), MOST_REFERENCES))
        self.untried_references = len(all_positions) - len(reference_positions)
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
        self.claimed = claimed_settings(signature, self.start, corpus, reference_positions)

        # 2. List the settings. Known tools have the user's options, also if there is a signature.
        kind = corpus.kind
        corpus_grid = make_grid(kind, reference_positions, self.options, fixed)
        means = make_grid(kind, reference_positions, self.options, fixed, factors=SEGMENT_FACTORS)
        settings = list_grid(corpus_grid)
        for setting in list_grid(means):
            # A minimum leaves no order out.
            has_effect = not setting.minimum_total or not setting.effective_order
            if has_effect or self.start.effective_order:
                settings.append(setting._replace(mean_of_segments=True))
        self._tools: Tools = {}
        tools = list_tools(
            corpus, options, self.start, references=(ALL_REFERENCES, *reference_positions)
        )
        method = self.options.smooth_method
        has_own_value = self.options.smooth_value_in_effect != SMOOTH_METHODS[method].value
        for setting, tool in tools.items():
            # NLTK's methods have NLTK's values.
            if has_own_value and setting.smooth_method == method and "NLTK" in tool.says:
                continue
            # Weights that the user chose stay weights.
            is_chosen = setting.weights == self.start.weights
            self._tools.setdefault(setting if is_chosen else simplify(setting), tool)
        settings += filter(self._is_allowed, self._tools)
        if corpus.reference_count() == "1":
            settings += list_swapped(corpus_grid, self.start)

        # 3. List what most people would try first.
        start = self.start
        usual = [start, start._replace(lowercase=not start.lowercase)]
        tokenizers = list(USUAL_TOKENIZERS)
        if kind == "text" and share_of_texts(corpus, r"\p{Han}") > 0:
            tokenizers.append("zh")
        has_case = kind != "text" or share_of_texts(corpus, r"\p{Lu}") >= CASED_TEXTS
        usual += [start._replace(tokenize=name) for name in tokenizers]
        conventions = convention_options(options)
        usual += [Setting.of_options(conventions[name]) for name in CONVENTION_CALLS]
        self._captions = []
        if corpus.reference_count() not in ("1", "?"):  # most often captions of a picture
            self._captions = [
                setting
                for setting, tool in self._tools.items()
                if tool.is_known and setting.tokenize == "ptb"
            ]
        usual += self._captions
        self._candidates = dict.fromkeys(settings)
        self._usual = [setting for setting in dict.fromkeys(usual) if setting in self._candidates]
        self._usual_values = {
            "references": (ALL_REFERENCES, *reference_positions),
            "tokenize": tokenizers,
            "lowercase": (False, True) if has_case else (),
            "smooth_method": USUAL_SMOOTHING,
        }

        # 4. Score and group them.
        self.scorer = Scorer(
            corpus,
            reference_positions,
            self.options,
            max_order=max(setting.max_order for setting in settings),
            progress="reconcile, round 1 of 3: settings and known calls (known options shorten it)",
        )
        self._group()

    def _group(self) -> None:
        """Score the candidates, group equal scores, and sort the groups by plausibility."""
        self.scorer.add(self._candidates)
        scores = {setting: self.scorer.scores[setting] for setting in self._candidates}
        self.groups = self._group_scores(scores)
        self.fitting = self.groups
        if self._conditions:
            fitting = filter(self._meets_conditions, scores)
            self.fitting = self._group_scores({setting: scores[setting] for setting in fitting})

    def _group_scores(self, scores: Mapping[Setting, float]) -> list[EqualSettings]:
        groups = []
        for settings in group_settings(scores):
            setting, *others = sorted(settings, key=self.implausibility)
            groups.append(EqualSettings(setting, others, scores[setting], self.level(setting)))
        return groups

    def _is_allowed(self, setting: Setting) -> bool:
        """Return False if a setting has another value for an option that the user fixed."""
        if setting.call and not {*CALLS[setting.call].overrides}.isdisjoint(self._fixed):
            return False
        constant = [name for name in self._fixed if name in OPTION_FACTORS]
        if self.options.weights is not None:
            constant += ["weights", "max_order"]
        return all(getattr(setting, name) == getattr(self.start, name) for name in constant)

    def _meets_conditions(self, setting: Setting) -> bool:
        """Return True if the corpus score also matches the values printed next to the number."""
        is_of_corpus = not setting.call or CALLS[setting.call].is_of_corpus
        if setting.mean_of_segments or setting.last_pair or not is_of_corpus:
            return False
        if self._conditions.find_differences(self.scorer.lengths(setting)):  # fast path
            return False
        return not self._conditions.find_differences(self.scorer.score_row(setting))

    def find(self, readings: Sequence[Rounded]) -> SearchResult:
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
        reading = max(readings, key=lambda one: (len(matching[one]) > 0, len(fitting[one]) > 0))
        matches = matching[reading]
        nearest = sorted(self.groups, key=lambda group: abs(group.score - reading.value))
        chances = []
        for level in range(len(KIND_OF_LEVEL)):
            scores = [group.score for group in self.fitting if group.level <= level]
            chances.append(count_chance(scores, self.scorer.scores[self.start], reading.unit))
        return SearchResult(
            reading=reading,
            matches=matches,
            others=[] if matches else fitting[reading],
            nearest=[] if fitting[reading] else nearest[:NEAREST_SETTINGS],
            chances=chances,
            verified=bool(matches) if self._has_signature else None,
        )

    def contradicted_values(self, reading: Rounded) -> ConditionsContent:
        """Return the values that a line contradicts, if a usual setting has its score."""
        group = min(self.list_usual(), key=lambda each: abs(each.score - reading.value))
        if not reading.is_rounded_from(group.score):
            return {}
        return self._conditions.find_differences(self.scorer.score_row(group.setting))

    def find_rows(self, reading: Rounded) -> range | None:
        """Return the only contiguous rows whose lengths, other values and score the line has."""
        if not {"translation_length", "reference_length"} <= self._conditions.keys():
            return None
        length = int(self._conditions["translation_length"][0].value)
        reference_length = int(self._conditions["reference_length"][0].value)
        found = set()
        for setting in self._candidates:
            is_usual = KIND_OF_LEVEL[self.level(setting)] == "usual"
            if not is_usual or setting.references != self.start.references:
                continue
            sums = self.scorer.cumulative_rows(setting)
            layout = Layout.of_width(sums.shape[1])
            # Lengths of predictions and references in one number, which grows with the rows.
            width = sums[-1, layout.reference_length] + reference_length + 1
            places = sums[:, layout.length] * width + sums[:, layout.reference_length]
            wanted_places = places + length * width + reference_length
            stops = np.searchsorted(places, wanted_places).clip(max=len(places) - 1)
            starts = np.flatnonzero(places[stops] == wanted_places)
            options = setting.options(self.options)
            for start, stop in zip(starts.tolist(), stops[starts].tolist()):
                scores = score_row(sums[stop] - sums[start], options)
                differences = self._conditions.find_differences(scores)
                if not differences and reading.is_rounded_from(scores["bleu"]):
                    found.add(range(start, stop))
        return found.pop() if len(found) == 1 else None

    def list_usual(self) -> list[EqualSettings]:
        """Return the usual settings; of those with equal scores, the first."""
        groups: list[EqualSettings] = []
        for setting in self._usual:
            score = self.scorer.scores[setting]
            if all(abs(score - group.score) > NOISE for group in groups):
                groups.append(EqualSettings(setting, [], score, self.level(setting)))
        return groups

    def add_moses(self) -> None:
        """Add tokenized BLEU: the tokenizers of Moses, which split in Python."""
        self._tools |= list_moses_tools(MOSES_TOKENIZERS, self.start)
        for setting in filter(self._is_allowed, self._tools):
            if setting.tokenize in MOSES_TOKENIZERS:
                self._candidates[setting] = None
        self.scorer.progress = (
            "reconcile, round 3 of 3: Moses' tokenizers (tokenize='13a' leaves them out)"
        )
        self._group()

    def level(self, setting: Setting) -> int:
        """Return the index of a setting's kind in `KIND_OF_LEVEL`.

        It is 0 for the claim, or else the starting point; 1 for one or two usual options, 2 for
        conventions, 3 for other calls of tools.
        """
        if setting in self.claimed:
            return 0
        changed = changed_factors(self.start, setting)
        is_usual = len(changed) <= USUAL_CHANGES and all(
            getattr(setting, name) in self._usual_values.get(name, ()) for name in changed
        )
        if is_usual or setting in self._captions:
            return 1
        if setting in self._usual:
            return 2
        return 3 if setting in self._tools else 4

    def implausibility(self, setting: Setting) -> tuple[int, ...]:
        """Return the reasons against a setting, the strongest first: equal ones are sorted by it.

        They are its level, whether its tool is unknown, the place of its tool, the number of
        changes, whether no options give it, whether it is a mean, and the place of a variant.
        """
        tool = self._tools.get(setting, NO_TOOL)
        return (
            self.level(setting),
            not tool.is_known,
            tool.rank if tool.is_known else 0,
            len(changed_factors(self.start, setting)),
            setting.call != "",
            setting.mean_of_segments,
            tool.rank,
        )

    def _list_fitting(self, reading: Rounded) -> list[EqualSettings]:
        """List the groups whose score rounds to a published number: usual, then nearer ones first.

        Those that differ by smoothing alone are one match, with the most plausible method.
        """
        fitting = [group for group in self.fitting if reading.is_rounded_from(group.score)]
        fitting.sort(key=lambda group: self.implausibility(group.setting))
        different: dict[Setting, EqualSettings] = {}
        for group in fitting:
            different.setdefault(group.setting._replace(smooth_method=""), group)
        unit = max(reading.unit, NOISE)
        return sorted(
            different.values(),
            key=lambda group: (group.level, round(abs(group.score - reading.value) / unit, 2)),
        )

    def describe(self, groups: Sequence[EqualSettings], found: SearchResult) -> list[SettingScores]:
        """Describe the most plausible setting of each group, beside a published number."""
        self.scorer.add(
            chain.from_iterable(list_path(self.start, group.setting) for group in groups)
        )
        return [self._describe(group, found) for group in groups]

    def _describe(self, group: EqualSettings, found: SearchResult) -> SettingScores:
        setting = group.setting
        chance = found.chances[group.level]
        signature = ""  # none describes it
        if not (setting.last_pair or setting.call):
            signature = sign_setting(self.corpus, setting.options(self.options), setting.references)
        return {
            "bleu": group.score,
            "score": 100 * group.score,
            "delta": group.score - found.reading.value,
            "chance": chance,
            "plausible": chance <= CHANCE_OF_LEVEL[group.level],
            "kind": KIND_OF_LEVEL[group.level],
            "says": self._say(group),
            "steps": list_steps(self.scorer.scores, self.start, setting),
            "same_score": list_same_score(group),
            "references": setting.references,
            "swapped": setting.swapped,
            "last_pair": setting.last_pair,
            "call": setting.call,
            "options": self.list_options(setting),
            "signature": signature,
        }

    def _say(self, group: EqualSettings) -> str:
        """Return the call that makes the score of a group: that of its most common tool."""
        setting = group.setting
        known = []
        for one in (setting, *group.others):
            is_named = one in self._tools and self._tools[one].says != ""
            is_same_kind = one.mean_of_segments == setting.mean_of_segments
            if is_named and is_same_kind and one.swapped == setting.swapped:
                known.append(self._tools[one])
        if not known:
            return SWAPPED.format("this tool") if setting.swapped else ""
        return min(known, key=lambda tool: tool.rank).says

    def list_options(self, setting: Setting) -> dict[str, object]:
        """List a setting as options of `compute`, and the options that are always listed."""
        is_listed = {
            "tokenize": self.corpus.kind == "text",  # others are tokenized already
            "effective_order": setting.mean_of_segments,  # not a factor of corpus scores
            "weights": setting.weights is not None,  # they are equal
        }
        names = [*self._always_listed]
        names += [name for name in OPTION_FACTORS if is_listed.get(name, True)]
        chosen = setting.options(self.options)
        if chosen.smooth_value != self.options.smooth_value:
            names.append("smooth_value")
        options = {name: to_json(getattr(chosen, name)) for name in names}
        if setting.mean_of_segments:
            options["segments"] = True
        return options


def share_of_texts(corpus: Corpus, pattern: str) -> float:
    """Return the share of predictions and references in which a pattern is found.

    >>> share_of_texts(read_corpus(["A cat"], [["a cat", "cats", "x"]]), "[A-Z]")
    0.25
    """
    found = texts = 0
    for batch in corpus.batches:
        for column in (batch.predictions, batch.references):
            found += pc.sum(pc.match_substring_regex(column, pattern)).as_py() or 0
            texts += len(column)
    return found / texts


def claimed_options(
    signature: SignatureContent, kind: InputType, options: Options, fixed: Collection[str]
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
    claimed |= {name: getattr(options, name) for name in fixed}
    return choose_options("default", claimed)


def claimed_settings(
    signature: SignatureContent | None,
    start: Setting,
    corpus: Corpus,
    reference_positions: ReferencePositions,
) -> set[Setting]:
    """Return the settings that a signature claims; `start` is that of its options, or the user's.

    A signature with one reference may mean any of several. Another number than that of the corpus
    cannot be tried; an unknown one, `?`, is not wrong.
    """
    if signature is None or signature.nrefs in (None, "?", corpus.reference_count()):
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
    return float(np.maximum(highest - lowest + 1, 0).sum() / (last_number - first_number + 1))
