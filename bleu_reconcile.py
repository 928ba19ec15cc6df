"""Reasons why two scores of the same text differ.

`reconcile` searches the settings behind a published score. Without a score, it scores the text
under each named convention.

A setting is a value for each factor in which tools differ. Some factors affect counting: a corpus
is counted once per combination of their values, and scored under each value of the other factors.
The difference between two settings is then attributed to single factors. The settings of tools, and
of scores that people compute at home, are known by the call that makes them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, product
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from datasets.utils import tqdm

from .bleu_calls import (
    ALL,
    CALLS,
    CHARACTER_LIST,
    CONVENTION_CALLS,
    OPTION_FACTORS,
    OTHER_FACTORS,
    SWAPPED,
    WITHOUT_SIGNATURE,
    Setting,
    Tools,
    are_captions,
    convention_options,
    list_moses_tools,
    list_tools,
    score_by_last_pair,
)
from .bleu_checks import list_findings
from .bleu_corpus import Corpus, InputType, Int64, Layout, list_items, make_corpus
from .bleu_counting import REFERENCE_LENGTHS, count_totals
from .bleu_inputs import make_call, read_column, read_corpus, reject_dicts
from .bleu_look import look_at
from .bleu_messages import REFERENCES, count_things
from .bleu_options import (
    CORPUS_ONLY,
    Options,
    Origin,
    SignatureContent,
    choose_options,
    make_signature,
)
from .bleu_plots import FormulaStep, plot_steps
from .bleu_published import (
    Published,
    Reading,
    describe_conditions,
    list_readings,
    read_published,
)
from .bleu_report import (
    Report,
    fit_terminal,
    passing,
    write_difference,
)
from .bleu_results import (
    ConditionsContent,
    ConventionScores,
    FactorStep,
    Finding,
    ReconciliationContent,
    Scores,
    SettingScores,
)
from .bleu_scoring import (
    NOISE,
    SMOOTH_METHODS,
    OrderWeights,
    bleu,
    bleu_by_weights,
    score_row,
)
from .bleu_statistics import count, count_corpus
from .bleu_tokenizers import (
    TOKENIZERS,
    choose_tokenizer,
    has_sacremoses,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEAREST_SETTINGS = 5  # returned if no setting gives the score
USUAL_TOKENIZERS = ("13a", "intl", "char", "none")  # and `zh` for texts with Chinese characters
CASED_TEXTS = 0.3  # share of texts with an upper-case letter, from which lower case is usual
USUAL_SMOOTHING = ("exp", "none", "floor", "add-k")  # of sacreBLEU's command
USUAL_CHANGES = 2  # options that differ at once from the starting point
# Of tokenized BLEU. Those of other languages are tried if `tokenize` names them.
MOSES_TOKENIZERS = ("moses-en", "moses-de", "moses-fr", "moses-en-compounds", "moses-de-compounds")
SAID_USUAL = 4  # usual settings that the first sentence lists
SHOWN_MATCHES = 10  # in a table
SAID_SETTINGS = 3  # rows of a table, from the top, whose tools the text names
CHANCE_RANGE = 0.02  # the distance from this object's score up to which `chance` counts numbers
MOST_REFERENCES = 8  # that are tried alone, because each takes a search of its own
KIND_OF_LEVEL = ("usual", "usual", "usual", "call", "rare")  # by `Search.level`
CHANCE_OF_LEVEL = (0.5, 0.5, 0.5, 0.25, 0.25)  # by level: up to it, a match is plausible
SMALL_CHANCE = 0.05


Grid = Mapping[str, Sequence[Any]]  # the values of each factor to combine

# The smoothing methods to try for corpus scores.
CORPUS_METHODS = ("exp", "none", "skip", "floor", "add-k", "laplace")

# The values that a search combines, in addition to the values of the starting point. The tokenizer
# and the smoothing of captions are tried only together, as a convention. Characters with blanks
# are tried only as NLTK splits a str.
FACTORS: Grid = {
    "references": (ALL,),
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

# By the index of a reference, its position for each segment among all references of the corpus.
ReferencePositions = Mapping[int, Int64]


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
            "signature": sign_setting(corpus, conventions[name], ALL),
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
    reference_column = read_column("references", references, REFERENCES)
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
                (fixes if rounds_to(score / 100, found.reading) else other_fixes).append(finding)

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

    reading: Reading
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
        tools = list_tools(corpus, options, self.start, references=(ALL, *reference_positions))
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
            "references": (ALL, *reference_positions),
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

    def find(self, readings: Sequence[Reading]) -> SearchResult:
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
        nearest = sorted(self.groups, key=lambda group: abs(group.score - reading.bleu))
        chances = []
        for level in range(len(KIND_OF_LEVEL)):
            scores = [group.score for group in self.fitting if group.level <= level]
            chances.append(count_chance(scores, self.scorer.scores[self.start], reading.rounding))
        return SearchResult(
            reading=reading,
            matches=matches,
            others=[] if matches else fitting[reading],
            nearest=[] if fitting[reading] else nearest[:NEAREST_SETTINGS],
            chances=chances,
            verified=bool(matches) if self._has_signature else None,
        )

    def contradicted_values(self, reading: Reading) -> ConditionsContent:
        """Return the values that a line contradicts, if a usual setting has its score."""
        group = min(self.list_usual(), key=lambda each: abs(each.score - reading.bleu))
        if not rounds_to(group.score, reading):
            return {}
        return self._conditions.find_differences(self.scorer.score_row(group.setting))

    def find_rows(self, reading: Reading) -> range | None:
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
                if not differences and rounds_to(scores["bleu"], reading):
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
        rank = len(self._tools)
        is_known = False
        if setting in self._tools:
            _, is_known, rank = self._tools[setting]
        return (
            self.level(setting),
            not is_known,
            rank if is_known else 0,
            len(changed_factors(self.start, setting)),
            setting.call != "",
            setting.mean_of_segments,
            rank,
        )

    def _list_fitting(self, reading: Reading) -> list[EqualSettings]:
        """List the groups whose score rounds to a published number: usual, then nearer ones first.

        Those that differ by smoothing alone are one match, with the most plausible method.
        """
        fitting = [group for group in self.fitting if rounds_to(group.score, reading)]
        fitting.sort(key=lambda group: self.implausibility(group.setting))
        different: dict[Setting, EqualSettings] = {}
        for group in fitting:
            different.setdefault(group.setting._replace(smooth_method=""), group)
        unit = max(reading.rounding, NOISE)
        return sorted(
            different.values(),
            key=lambda group: (group.level, round(abs(group.score - reading.bleu) / unit, 2)),
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
        if not any(getattr(setting, name) for name in WITHOUT_SIGNATURE):
            signature = sign_setting(self.corpus, setting.options(self.options), setting.references)
        return {
            "bleu": group.score,
            "score": 100 * group.score,
            "delta": group.score - found.reading.bleu,
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
        options = {name: _to_json(getattr(chosen, name)) for name in names}
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
    return float(np.maximum(highest - lowest + 1, 0).sum() / (last_number - first_number + 1))


# --- Settings -------------------------------------------------------------------------------------


def sign_setting(corpus: Corpus, options: Options, references: str | int) -> str:
    """Write the signature of a setting; `references` is that of `Setting`."""
    nrefs = corpus.reference_count() if references == ALL else "1"
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
            "value": _to_json(getattr(end, factor)),
            "delta": scores[after] - scores[before],
        }
        for factor, before, after in zip(changed_factors(start, end), path, path[1:])
    ]


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
    >>> list_same_score(EqualSettings(start, others, 0.5, None))
    {'lowercase': [True], 'max_order': [3]}
    """
    same_score: dict[str, list[object]] = {}
    for other in group.others:
        changed = changed_factors(group.setting, other)
        if len(changed) == 1 and changed[0] not in OTHER_FACTORS:
            (factor,) = changed
            same_score.setdefault(factor, []).append(_to_json(getattr(other, factor)))
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

    >>> given = read_column("references", [["a", None, "b"], [None, "c", "d"]], REFERENCES)
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
    further["references"] = (ALL, *reference_positions)
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
    corpora: dict[str | int, Corpus] = {ALL: corpus}
    for index, positions in reference_positions.items():
        references = batch.references.take(pa.array(positions))
        corpora[index] = make_corpus(
            [(batch.predictions, references, np.arange(len(positions) + 1))]
        )
    return corpora


# --- Results --------------------------------------------------------------------------------------


class Reconciliation(Report):
    """The result of `reconcile`: a dict that displays as a table."""

    _absent = MappingProxyType(
        {
            "conditions": passing("what a tool printed, with the values beside the score,"),
            "untried_references": "all references were tried alone",
            "untried_packages": "all tokenizers were tried, or a match was found without them",
        }
    )

    def _title(self) -> str:
        return " ".join(self._list_sentences())

    def _list_sentences(self) -> list[str]:
        """Return what to do, and how many settings give the number, also by chance."""
        settings = count_things(self["settings"], "setting")
        number = self._number()
        if self["verified"]:
            chance = _write_chance(self["matches"][0]["chance"])
            return [
                f"Verified: these texts give {number} under this signature; the chance of such a"
                f" match by accident is {chance}."
            ]
        advice = self._advise()
        if self["rows"]:
            start, stop = self["rows"]
            part = f"[{start}:{stop}]"
            advice = f"The line fits predictions{part} and references{part} only: {advice}"
        if self["verified"] is False:
            advice = (
                f"Not verified: these texts do not give {number} under this signature. {advice}"
            )
        if "conditions" in self:
            number += " with these values"
        matches = self._matches()
        if not matches:
            return [advice, f"None of {settings} gives {number}."]
        count = len(matches)
        counted = f"{count} of {settings} round{'s' * (count == 1)} to {number}"
        chance = _write_chance(self["chance"])
        if self["chance"] <= CHANCE_OF_LEVEL[0]:
            return [
                advice,
                f"{counted}; by chance, some setting matches {chance} of nearby numbers.",
            ]
        decimals = count_things(self["decimals"], "decimal") if self["decimals"] else "no decimals"
        return [
            advice,
            f"{counted}. A match proves little here: {chance} of the numbers with {decimals} within"
            " 2 points match some setting.",
        ]

    def _number(self) -> str:
        # Read again, because a copy of this dict has only the keys.
        return read_published(self["reported"]).written

    def _advise(self) -> str:
        """Return the sentence that says what usual settings give, and what to do."""
        number = self._number()
        first = next(iter(self._matches()), None)
        # 1. A usual setting gives it.
        if first is not None and first["kind"] == "usual":
            source = f", from {first['says']}" if first["says"] else ""
            steps = self._describe(first)
            if not first["plausible"]:
                return f"{number} fits {steps}{source}, which may be chance: {self._ask()}."
            if not list_changes(first["steps"]):
                return f"{number} is the score under {steps}{source}: quote the signature."
            return f"{number} is the score with {steps}{source}: pass that to reproduce it."
        # 2. One does, but not the other values of the line.
        if self["differences"]:
            theirs = describe_conditions(self["conditions"], [*self["differences"]])
            setting = min(self["usual"], key=lambda each: abs(each["delta"]))
            return (
                f"{number} is the score with {self._describe(setting)}, but the line has {theirs},"
                f" and these texts have {describe_conditions(self['differences'])}."
            )
        # 3. None does: list them.
        said = [
            f"{setting['score']:.2f} ({self._describe(setting)})"
            for setting in self["usual"][:SAID_USUAL]
        ]
        effective = sorted(self["other_fixes"], key=lambda each: -abs(each["delta_score"] or 0))
        for finding in effective[:1]:
            score = f"{finding['score']:.2f}"
            if score != f"{self['usual'][0]['score']:.2f}":
                said.append(f"{score} (without {finding['kind']!r} of `check`)")
        usual = f"Usual settings give {', '.join(said)}, not {number}"
        # 4. A fix, a known call, or else a rare setting.
        if self["fixes"]:
            return f"{usual}, but a fix of `check` does: {self['fixes'][0]['fix']}."
        if first is None:
            return (
                f"{usual}: compare the number, order and references of the texts first, then"
                f" {self._ask()}."
            )
        if not first["plausible"]:
            return f"{usual}. The settings below that do may match by chance: {self._ask()}."
        if first["kind"] == "call":
            verb = "is" if first["chance"] <= SMALL_CHANCE else "may be"
            return f"{usual}, which {verb} from {first['says']}."
        by_chance = ", probably by chance" if first["chance"] > SMALL_CHANCE else ""
        return f"{usual}; {describe_steps(first['steps'])} gives it{by_chance}: {self._ask()}."

    def _describe(self, setting: SettingScores) -> str:
        unchanged = "your options" if self["verified"] is None else "the signature's options"
        return describe_steps(setting["steps"]) or unchanged

    def _ask(self) -> str:
        """Return what to ask the authors for: what would decide between settings."""
        wanted = ["more decimals"]
        if self["verified"] is None:
            wanted.append("the signature")
        if "precisions" not in self.get("conditions", {}):
            wanted.append("the precisions")
        *others, last = wanted
        return f"ask for {', '.join(others)} or {last}" if others else f"ask for {last}"

    def _note(self) -> str:
        notes = [read_published(self["reported"]).describe()]
        notes += [
            f"{finding['says']} Without that, the score is {finding['score']:.4f}:"
            f" {finding['fix']}."
            for finding in self["fixes"]
        ]
        notes += [
            f"Row {row} is from {setting['says']}."
            for row, setting in enumerate(self._shown()[:SAID_SETTINGS], 1)
            if setting["says"]
        ]
        hidden = len(self._shown()) - SHOWN_MATCHES
        if hidden > 0:
            notes.append(f"The result has {hidden:,} more matches.")
        if "untried_references" in self:
            notes.append(
                f"Tried: all references together, and each of the first {MOST_REFERENCES} alone."
                f" Not tried: the other {self['untried_references']} alone."
            )
        if "untried_packages" in self:
            notes.append(
                "Moses' tokenizers, of tokenized BLEU, were not tried. To try them: pip install"
                f" {' '.join(self['untried_packages'])}."
            )
        if self["verified"] is not None:
            notes.append(
                "sacreBLEU's signatures contain neither the order of n-grams nor the text of the"
                " references."
            )
        return " ".join(note for note in notes if note)

    def _matches(self) -> list[SettingScores]:
        return self["matches"] or self["other_matches"]

    def _shown(self) -> list[SettingScores]:
        return self._matches() or self["nearest"]

    def _rows(self) -> list[list[str]]:
        rows = [["settings", "BLEU", "off by", "how likely"]]
        for setting in self._shown()[:SHOWN_MATCHES]:
            settings = self._describe(setting)
            if not list_changes(setting["steps"]):
                settings += ", unchanged"
            how_likely = "by chance"
            if setting["plausible"]:
                how_likely = "likely" if setting["chance"] <= SMALL_CHANCE else "perhaps"
            difference = write_difference(100 * setting["delta"], 4)
            rows.append([settings, f"{setting['score']:.4f}", difference, how_likely])
        return rows if self._matches() else [row[:-1] for row in rows]

    def __str__(self) -> str:
        sentences = "\n".join(map(fit_terminal, self._list_sentences()))
        return sentences + super().__str__().removeprefix(fit_terminal(self._title()))

    def _records(self) -> list[dict[str, object]]:
        return [
            {
                "settings": self._describe(setting),
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
    """The scores of each convention: a dict by name, which displays as a table."""

    _wide_columns = ("due to",)
    _absent = MappingProxyType({"coco": "it is for captions, which are short texts on one line"})

    def _title(self) -> str:
        return "The same text under each convention"

    def _rows(self) -> list[list[str]]:
        rows = [
            [
                name,
                f"{scores['score']:.2f}",
                write_difference(100 * scores["delta"]),
                describe_steps(scores["steps"], with_differences=True) or "no change",
            ]
            for name, scores in self.items()
        ]
        return [["convention", "BLEU", "difference", "due to"], *rows]

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
        scores = self[end]
        return plot_steps("default", list_changes(scores["steps"]), end, scores["score"], ax=ax)


def _write_chance(chance: float) -> str:
    """Write a chance in percent.

    >>> _write_chance(0.375), _write_chance(0.0025), _write_chance(0.00001)
    ('38%', '0.2%', 'less than 0.1%')
    """
    if chance < 0.001:
        return "less than 0.1%"
    return f"{chance:.0%}" if chance >= 0.01 else f"{chance:.1%}"


def describe_steps(steps: Sequence[FactorStep], with_differences: bool = False) -> str:
    """Write the steps that change the score on one line; an empty one if none does.

    >>> describe_steps([{"factor": "max_order", "value": 2, "delta": 0.125}], with_differences=True)
    'max_order=2 (+12.50)'
    """
    return ", ".join(
        f"{label} ({write_difference(difference)})" if with_differences else label
        for label, difference in list_changes(steps)
    )


def list_changes(steps: Sequence[FactorStep]) -> list[FormulaStep]:
    """List the steps that change the score, with their differences in points.

    Changes that are not options are always listed.

    >>> list_changes([{"factor": "max_order", "value": 2, "delta": 0.125}])
    [FormulaStep(label='max_order=2', difference=12.5)]
    """
    changes = []
    for step in steps:
        difference = 100 * step["delta"]
        if step["factor"] in OTHER_FACTORS:
            changes.append(
                FormulaStep(OTHER_FACTORS[step["factor"]].says.format(step["value"]), difference)
            )
        elif difference != 0:
            changes.append(FormulaStep(f"{step['factor']}={step['value']!r}", difference))
    return changes
