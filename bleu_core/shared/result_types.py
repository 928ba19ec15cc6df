"""Types of results: the keys that each method returns, for type checkers and the demo.

A subclass of dict can't be a TypedDict, so a result has values of any type. A variable with one of
these types, such as `systems: dict[str, SystemScores] = result["systems"]`, has its keys checked.

Each method fills its own types. To add a key, add it to the type, and its value to the file of the
method.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypedDict

from .arrays import Label, SystemName

if TYPE_CHECKING:
    from ..check.pairs import Side


# --- Scores of one statistics row -----------------------------------------------------------------


class Scored(TypedDict):
    """A score on the scales 0-1 and 0-100."""

    bleu: float
    score: float


class Scores(Scored):
    """The scores and counts of one statistics row, as `compute` returns them."""

    precisions: list[float]
    brevity_penalty: float
    length_ratio: float
    translation_length: int
    reference_length: int
    counts: list[int]
    totals: list[int]
    bleu_by_order: list[float]


class _ScoredAgainst(Scored):
    """A score, and its difference to the score that it is compared with."""

    delta: float


class Wins(TypedDict):
    """The numbers of segments in which a system scores higher than another, equally, and lower."""

    wins: int
    ties: int
    losses: int


# --- Intervals and tests --------------------------------------------------------------------------


class Uncertainty(TypedDict, total=False):
    """The keys of an estimate of a score, as in results."""

    confidence_interval: list[float]
    degrees_of_freedom: float
    bootstrap_mean: float
    standard_error: float


class DifferenceUncertainty(TypedDict):
    """The keys of an estimate of a difference, as in results with intervals."""

    delta_interval: list[float]
    delta_degrees_of_freedom: float
    delta_standard_error: float
    detectable_delta: float


class _Tested(DifferenceUncertainty):
    """The keys of a tested difference under every test."""

    p_value: float


class TestedDifference(_Tested, total=False):
    """The keys of a tested difference, as in results."""

    p_value_sacrebleu: float


# --- compute and explain --------------------------------------------------------------------------


class SignedScores(Scores):
    """The keys that all results have."""

    signature: str


class CorpusScores(SignedScores, Uncertainty, total=False):
    """The keys of a result, and of a group in it."""

    segment_bleu: list[float]
    mean_segment_bleu: float
    confidence: float
    documents: int
    groups: dict[Label, CorpusScores]
    macro_bleu: float
    macro_score: float
    macro_confidence_interval: list[float]
    macro_degrees_of_freedom: float
    macro_standard_error: float
    shared_documents: int


class NGramCount(TypedDict):
    """An n-gram of a prediction: how often it occurs there, and at most in any reference."""

    ngram: list[Any]
    count: int
    allowed: int


class OrderMatches(TypedDict):
    """The n-grams of one order, as in the result of `explain`."""

    order: int
    total: int
    unclipped_matches: int
    matches: int
    matched: list[NGramCount]
    clipped: list[NGramCount]
    missed: list[NGramCount]


class CoveredTokens(TypedDict):
    """The tokens of a text, each with the order of the longest clipped match that covers it."""

    tokens: list[Any]
    longest_match: list[int]
    length: int


# --- compare and rank -----------------------------------------------------------------------------


class _ComparedInGroup(_ScoredAgainst):
    """The keys of a system in a group that does not consist of a single segment or document."""

    p_value: float


class GroupScores(_ComparedInGroup, total=False):
    """The scores of a system in a group; the baseline has neither `delta` nor `p_value`."""

    documents: int


class RunScores(Scored, total=False):
    """The scores of a training run."""

    macro_bleu: float


class _Compared(_ScoredAgainst, Wins, TestedDifference):
    """The keys of a system that is compared, with intervals."""


class SystemScores(_Compared, Uncertainty, total=False):
    """The scores of a system, as in `systems` of a comparison.

    A key is optional if it needs an argument. The baseline has no key of `_Compared` but those of
    `Scored`, and no `macro_...` but `macro_bleu`.
    """

    runs: dict[Hashable, RunScores]
    run_standard_deviation: float
    groups: dict[Label, GroupScores]
    macro_bleu: float
    macro_delta: float
    macro_p_value: float
    macro_delta_interval: list[float]
    macro_delta_degrees_of_freedom: float
    macro_delta_standard_error: float


class _AllSettings(TypedDict):
    """The keys about test and resampling that all results have."""

    test: str
    n_resamples: int
    seed: int | None
    signature: str


class Settings(_AllSettings, total=False):
    """The keys about test and resampling in a comparison or a ranking."""

    confidence: float
    documents: int
    shared_documents: int


class _Ranked(Scored):
    """The keys that all systems of a ranking have."""

    system: SystemName
    rank_range: list[int]
    cluster: int


class RankedSystem(_Ranked, Uncertainty):
    """A system in a ranking."""


class Pair(TypedDict):
    """Two systems, the better first; without p-values if there is a single unit."""

    systems: list[SystemName]
    delta: float
    p_value: float
    p_adjusted: float


# --- diff -----------------------------------------------------------------------------------------

Token = str | int


class SystemScore(_ScoredAgainst):
    """The score of a system; only the second system has a `delta`."""


class GroupDifference(TypedDict):
    """The number of segments in a group, BLEU of both systems, and their difference."""

    segments: int
    bleu: dict[SystemName, float]
    delta: float


# The first and the last length of a range in tokens; None if it has no end. `from` is a keyword.
_LengthRange = TypedDict("_LengthRange", {"from": int, "to": int | None})


class LengthDifference(_LengthRange, GroupDifference):
    """The group of the segments whose reference length is in a range."""


class NGramDifference(TypedDict):
    """An n-gram that one system matches more often.

    count: the surplus of matches.
    matches: per system, the matches that only this system has in a segment.
    segment: the first segment with a surplus.
    """

    ngram: list[Token]
    count: int
    matches: dict[SystemName, int]
    segment: int


class OrderDifference(TypedDict):
    """The most distinctive n-grams of one order, per system."""

    order: int
    systems: dict[SystemName, list[NGramDifference]]


class SegmentDifference(TypedDict):
    """The index of a segment, BLEU of both systems, and their difference."""

    segment: int
    bleu: dict[SystemName, float]
    delta: float


# --- self_bleu ------------------------------------------------------------------------------------


class SelfBleuScores(TypedDict):
    """The keys of a result of `self_bleu`, and of each of its groups."""

    self_bleu: float
    segment_bleu: list[float]
    signature: str


# --- reconcile ------------------------------------------------------------------------------------


class ConditionsContent(TypedDict, total=False):
    """The values that a line has beside its score, as keys of `compute`, with their scales."""

    precisions: list[float]
    brevity_penalty: float
    length_ratio: float
    translation_length: int
    reference_length: int


class FactorStep(TypedDict):
    """A change of one factor, and the resulting difference of the score on the scale 0-1."""

    factor: str
    value: object
    delta: float


class SettingScores(_ScoredAgainst):
    """A setting in the result of `reconcile`, with its difference from the published score."""

    chance: float
    plausible: bool
    kind: str
    says: str
    steps: list[FactorStep]
    same_score: dict[str, list[object]]
    references: str | int
    swapped: bool
    last_pair: bool
    call: str
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
    rows: list[int] | None
    differences: ConditionsContent
    usual: list[SettingScores]
    matches: list[SettingScores]
    other_matches: list[SettingScores]
    nearest: list[SettingScores]
    fixes: list[Finding]
    other_fixes: list[Finding]


class ReconciliationContent(AnswerContent, total=False):
    """The keys of the result of `reconcile`, with those of some lines, texts and machines."""

    conditions: ConditionsContent
    untried_references: int
    untried_packages: list[str]


class ConventionScores(_ScoredAgainst):
    """The score of a convention, with its difference from the default."""

    steps: list[FactorStep]
    signature: str


# --- check ----------------------------------------------------------------------------------------


class _Finding(TypedDict):
    """The keys that all findings have."""

    kind: str
    where: Side
    rows: int
    share: float
    first: int
    example: str
    says: str
    fix: str
    score: float | None
    delta_score: float | None


class Finding(_Finding, total=False):
    """A mistake that was found, and what its fix changes."""

    system: SystemName  # if there are several
    documents: int  # if `documents` was passed
