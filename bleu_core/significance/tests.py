"""The paired tests: one record per test, p-values, the mean over groups, few units.

Methods warn about too few units or resamples, and `draw` by a plan. To add a test, write its
draws and its p-values, and a record in `ALL_TESTS`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from ..options.options import Options
from ..rows.statistics import Counted
from ..rules.scores import NOISE, bleu
from ..shared.arrays import Float64
from ..shared.messages import Notice, count_things, warn
from ..shared.result_types import TestedDifference
from .intervals import (
    Estimate,
    Plan,
    Resamples,
    Sample,
    Test,
    TextVariances,
    average_variances,
    list_variances,
    resample,
)
from .resampling import (
    GroupRows,
    Units,
    bootstrap_scores,
    count_units_of_groups,
    randomization_differences,
)

# --- Tests ----------------------------------------------------------------------------------------


def _draw_exchanges(units: Units, options: Options, n_resamples: int) -> Float64:
    return np.concatenate(list(randomization_differences(units.rows, options, n_resamples)))


def _test_exchanges(
    sample: Sample, system: int, difference: Estimate | None, scores: TestedDifference
) -> None:
    if sample.differences is not None:
        delta = abs(sample.score(system) - sample.score(0))
        scores["p_value"] = permutation_p_value(np.abs(sample.differences[:, system - 1]), delta)


def _draw_from_units(units: Units, options: Options, n_resamples: int) -> Float64:
    scores = bootstrap_scores(units.rows, options, n_resamples, units.present)
    return scores[:, 1:] - scores[:, :1]


def _test_deviations(
    sample: Sample, system: int, difference: Estimate | None, scores: TestedDifference
) -> None:
    if sample.differences is not None:
        delta = abs(sample.score(system) - sample.score(0))
        scores["p_value"] = permutation_p_value(center(sample.differences)[:, system - 1], delta)
        # sacreBLEU subtracts the mean of absolute differences (Riezler and Maxwell, 2005). If one
        # system is better in most resamples, the test is one-sided in effect: at the 5% level, it
        # rejects a true null hypothesis in 11% to 13% of cases, with 30 segments or more.
        sizes = np.abs(sample.differences[:, system - 1])
        scores["p_value_sacrebleu"] = permutation_p_value(sizes - sizes.mean(), delta)


def _test_by_t(
    sample: Sample, system: int, difference: Estimate | None, scores: TestedDifference
) -> None:
    """Add the p-value of Student's t; none for one unit, nor for a difference without variance."""
    if difference is not None and difference.degrees_of_freedom is not None:
        scores["p_value"] = difference.p_value()
        scores["delta_degrees_of_freedom"] = difference.degrees_of_freedom


BOOTSTRAP = Test(
    "bootstrap", "paired bootstrap", "bs", 1_000, _test_deviations, draw=_draw_from_units
)
RANDOMIZATION = Test(
    "randomization",
    "paired approximate randomization",
    "ar",
    10_000,
    _test_exchanges,
    draw=_draw_exchanges,
)
RUNS = Test(
    "runs",
    "Welch's t-test for new runs and new texts",
    "bs",
    1_000,
    _test_by_t,
    compares_runs=True,
)
ALL_TESTS = {test.name: test for test in (BOOTSTRAP, RANDOMIZATION, RUNS)}
# Those of systems with one run; several leave no choice.
TESTS = {name: test for name, test in ALL_TESTS.items() if not test.compares_runs}


def draw(units: Units, plan: Plan) -> Sample:
    """Score systems, and draw what their intervals and tests against the first system need.

    All systems share the draws. Those of intervals depend on the corpus, the seed and the
    bootstrap's count only, so that an interval is the same under either test.

    Args:
        units: of systems, or of their runs, which have an array of rows each.
        plan: the test.
    """
    test = plan.test
    n_resamples = plan.resamples_of_intervals
    has_resamples = units.can_resample and (plan.compares_runs or bool(plan.options.confidence))
    # The same seed and count give the same draws.
    tests_resamples = has_resamples and test is BOOTSTRAP and plan.trials == n_resamples
    # 1. Draw for a test, before the scores without each unit take memory.
    differences = None
    if units.can_resample and plan.trials and test.draw is not None and not tests_resamples:
        differences = test.draw(units, plan.options, plan.trials)
    # 2. Draw for intervals.
    resamples = None
    variances = None
    if has_resamples:
        resamples = resample(units, plan.options, n_resamples)
        variances = list_variances(resamples, plan.runs)
    if tests_resamples and resamples is not None:
        differences = resamples.drawn[:, 1:] - resamples.drawn[:, :1]
    return Sample(
        bleu(units.totals, plan.options),
        plan,
        variances=variances,
        resamples=resamples,
        differences=differences,
        has_percentiles=units.noun == "segment" and not plan.compares_runs,
    )


# --- The mean over groups -------------------------------------------------------------------------


class MacroAverage:
    """The mean over groups, as a sample like any other. One group at a time is in memory.

    Groups that share documents are not independent: for the mean, their resamples are drawn from
    the documents of the whole corpus, under one seed.

    Args:
        counted: the groups.
        plan: the test.
    """

    def __init__(self, counted: Counted, plan: Plan) -> None:
        self._shares_draws = counted.shared_documents > 0
        self._plan = plan
        self._plan_of_corpus = plan._replace(options=plan.options.with_seed())
        self._scores: list[list[float]] = []  # of each group
        self._differences = MeanOfResamples(plan.options.seed, self._shares_draws)
        # For groups that share documents:
        self._drawn = MeanOfResamples(plan.options.seed, share_draws=True)
        self._jackknife = MeanOfResamples(plan.options.seed, share_draws=True)
        # For groups with texts of their own:
        self._variances: list[Sequence[TextVariances] | None] = []

    def add(self, group: GroupRows, sample: Sample) -> None:
        """Add a group, given its sample."""
        self._scores.append(sample.observed.tolist())
        if group.units_of_corpus is None:
            self._differences.add(sample.differences)
            self._variances.append(sample.variances)
            return
        drawn = draw(group.units_of_corpus, self._plan_of_corpus)
        self._differences.add(drawn.differences)
        if drawn.resamples is not None:
            self._drawn.add(drawn.resamples.drawn)
            self._jackknife.add(drawn.resamples.jackknife)

    def sample(self) -> Sample:
        """Return the mean; without resamples unless every group has some."""
        return Sample(
            np.array([fmean(scores) for scores in zip(*self._scores)]),
            self._plan,
            variances=self._average_variances(),
            resamples=None,
            differences=self._differences.mean(),
            has_percentiles=False,
        )

    def _average_variances(self) -> list[TextVariances] | None:
        if self._shares_draws:
            drawn = self._drawn.mean()
            jackknife = self._jackknife.mean()
            if drawn is None or jackknife is None:
                return None
            return list_variances(Resamples(drawn, jackknife), self._plan.runs)
        complete = [of_group for of_group in self._variances if of_group is not None]
        return average_variances(complete) if len(complete) == len(self._scores) else None


class MeanOfResamples:
    """The mean over groups of scores or differences that were resampled in each group.

    Groups with segments or documents of their own are independent of each other. Under one seed,
    groups of equal size draw the same positions. So each group's resamples are shuffled, which
    leaves the distribution of each group as it is. Groups that share documents are not independent:
    their resamples are drawn from the documents of the whole corpus, under one seed, and stay in
    their order. Only the sum is kept, so that memory does not grow with the number of groups.

    Args:
        seed: the seed of the draws; None for a random one.
        share_draws: True if all groups have the same draws.

    >>> average = MeanOfResamples(seed=1)
    >>> average.add(np.array([0.25, 0.25]))
    >>> average.add(np.array([0.75, 0.75]))
    >>> average.mean().tolist()
    [0.5, 0.5]
    """

    def __init__(self, seed: int | None, share_draws: bool = False) -> None:
        self._share_draws = share_draws
        self._generator = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        self._sum: Float64 | float | None = 0.0  # None if a group has no resamples
        self._groups = 0

    def add(self, resampled: Float64 | None) -> None:
        """Add the resamples of a group: float64 [n_resamples, ...]; None if it has none."""
        if resampled is None or self._sum is None:
            self._sum = None
            return
        if not self._share_draws:
            resampled = self._generator.permutation(resampled)
        self._sum = self._sum + resampled
        self._groups += 1

    def mean(self) -> Float64 | None:
        """Return the means, float64 [n_resamples, ...]; None unless every group has resamples.

        A group with one unit has none: every resample would equal it.
        """
        return self._sum / self._groups if isinstance(self._sum, np.ndarray) else None


# The keys of a macro-average, which results have with `macro_` in front; their values come from
# `MacroAverage.sample`.
_MACRO_KEYS = (
    "bleu",
    "score",
    "confidence_interval",
    "degrees_of_freedom",
    "standard_error",
    "delta",
    "p_value",
    "delta_interval",
    "delta_degrees_of_freedom",
    "delta_standard_error",
)


def add_macro_average(scores: Any, average: Mapping[str, object]) -> None:
    """Add a macro-average to the scores of the corpus, each key with `macro_` in front.

    >>> scores = {"bleu": 0.4}
    >>> add_macro_average(scores, {"bleu": 0.3, "bootstrap_mean": 0.31})
    >>> scores
    {'bleu': 0.4, 'macro_bleu': 0.3}
    """
    scores |= {f"macro_{key}": average[key] for key in _MACRO_KEYS if key in average}


def read_macro_average(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the macro-average among the scores of a corpus, its keys without `macro_`.

    >>> read_macro_average({"bleu": 0.4, "macro_bleu": 0.3})
    {'bleu': 0.3}
    """
    return {key: scores[f"macro_{key}"] for key in _MACRO_KEYS if f"macro_{key}" in scores}


# --- p-values, and their adjustment for several comparisons ---------------------------------------


def permutation_p_value(differences: Float64, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of the n differences are at least the observed one.

    Adding 1 to both keeps the rate of false alarms at the level for any number of trials (Noreen,
    1989). Ties count, so that identical systems get 1.

    >>> permutation_p_value(np.array([0.1, 0.2, 0.3, 0.4]), 0.3)
    0.6
    """
    return float((np.sum(differences >= observed - NOISE) + 1) / (len(differences) + 1))


def center(differences: Float64) -> Float64:
    """Return the absolute deviations of resampled differences from their mean.

    Under the null hypothesis, deviations and observed difference have the same distribution, so
    that `permutation_p_value` of absolute deviations is two-sided.
    """
    return np.abs(differences - differences.mean(axis=0))


def adjust_holm(p_values: Float64) -> Float64:
    """Return p-values that control the family-wise error of all pairs, by Holm's procedure (1979).

    >>> adjust_holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    return np.minimum(np.maximum.accumulate(p_values[order] * factors), 1)[np.argsort(order)]


def fewest_trials(alpha: float, pairs: int) -> int:
    """Return the fewest trials that allow for a p-value below `alpha` after Holm's procedure.

    The procedure multiplies the smallest p-value by the number of pairs.

    >>> fewest_trials(0.05, pairs=3)  # 3 / 61 is below 0.05
    60
    """
    return int(round(pairs / alpha, 9))  # 21 / 0.07 is 299.99999999999994


def exchange_all_pairs(units: Units, deltas: Float64, plan: Plan) -> Float64:
    """Return the p-value of each pair; exceedances are counted block by block, in little memory."""
    exceeding = np.zeros(len(deltas))
    for block in randomization_differences(
        units.rows, plan.options, plan.trials, baselines=len(units.rows)
    ):
        exceeding += (np.abs(block) >= np.abs(deltas) - NOISE).sum(axis=0)
    return (exceeding + 1) / (plan.trials + 1)


# --- Warnings about few units or resamples --------------------------------------------------------
#
# A threshold is stated in the sentence that names it.

_MIN_UNITS = 30  # segments or documents, for intervals and tests

_FEWEST_RESAMPLES_FOR_ERRORS = 100  # the relative error of a standard error is then 7%

_FEW_UNITS = Notice(
    "few {unit}s",
    "Intervals and tests of {units} are unreliable: in simulations with segments,"
    " a 95% interval covered the true score in 81% of cases with 5 segments, and in 90% with 10",
    ". Use {limit} {unit}s or more",
)
_FEW_DOCUMENTS = Notice(
    "few {unit}s",
    "Intervals and tests of {units} are unreliable if a system fails on single documents: in"
    " simulations of a failure on one document of 40, a 95% interval covered the true score in 72%"
    " of cases with 10 documents",
    ". Use {limit} {unit}s or more",
)


def warn_about_size(units: Units, counted: Counted) -> None:
    """Warn that a test set, or one of its groups, is too small for intervals and tests."""
    size = units.size
    unit = units.noun
    few_units = _FEW_DOCUMENTS if units.documents else _FEW_UNITS
    groups = count_units_of_groups(counted)
    few = sum(group < _MIN_UNITS for group in groups)
    single = groups.count(1)
    if single:
        shown = f"{count_things(single, 'group')} {'has' if single == 1 else 'have'}"
        without = f"neither {'it' if single == 1 else 'they'} nor the macro-average gets"
        if counted.shared_documents:  # the macro-average draws from all documents
            without = "it does not get" if single == 1 else "they do not get"
        warn(
            Notice(
                "small groups",
                "{groups} a single {unit}, so {without} an interval or p-value",
                ". Pass more {unit}s per group",
            ),
            groups=shown,
            unit=unit,
            without=without,
        )
    elif few and size >= _MIN_UNITS:
        warn(
            Notice(
                "small groups",
                "{few} of {groups} with fewer than {limit} {unit}s: their intervals and tests are"
                " unreliable",
                ". Use {limit} {unit}s or more per group",
            ),
            few=few,
            groups=count_things(len(groups), "group"),
            unit=unit,
            limit=_MIN_UNITS,
        )
    if size == 1:
        warn(
            Notice(
                "few {unit}s",
                "One {unit} has no interval and no p-value, because every resample equals it",
                ". Pass more {unit}s",
            ),
            unit=unit,
        )
    elif size < _MIN_UNITS:
        warn(few_units, units=f"{size} {unit}s", unit=unit, limit=_MIN_UNITS)
    elif units.effective_size < _MIN_UNITS:
        weight = f"{size:,} {unit}s that weigh as much as {units.effective_size:.0f} of equal size"
        warn(few_units, units=weight, unit=unit, limit=_MIN_UNITS)


def warn_about_trials(trials: int, alpha: float = 0.05, pairs: int = 1) -> None:
    """Warn that trials are too few for any p-value below `alpha`, after Holm's procedure."""
    enough = fewest_trials(alpha, pairs)
    if trials < enough:
        warn(
            Notice(
                "few resamples",
                "n_resamples={n_resamples}: too few for a p-value below {limit}",
                ". Pass n_resamples={enough} or more",
                option="n_resamples",
            ),
            n_resamples=trials,
            limit=_describe_level(alpha, pairs),
            enough=enough,
        )


def warn_about_exchanges(units: Units, alpha: float, pairs: int) -> None:
    """Warn that units are too few for any p-value below `alpha`, however many trials there are.

    Of the 2^n exchanges of n units, two make the largest difference: none, and all.

    Args:
        units: the segments or documents that are exchanged.
        alpha: the level of significance.
        pairs: the number of pairs, by which Holm's procedure multiplies the smallest p-value.
    """
    if math.ldexp(2 * pairs, -units.size) >= alpha:  # the smallest p-value
        warn(
            Notice(
                "few exchanges",
                "{units} can be exchanged in {exchanges} ways: too few for a p-value below {limit}",
                ". Pass {enough} or more",
            ),
            units=count_things(units.size, units.noun),
            exchanges=f"{2**units.size:,}",
            limit=_describe_level(alpha, pairs),
            enough=count_things(math.floor(math.log2(2 * pairs / alpha)) + 1, units.noun),
        )


def _describe_level(alpha: float, pairs: int) -> str:
    return f"{alpha}, with Holm's adjustment of {pairs:,} pairs" if pairs > 1 else str(alpha)


def warn_about_intervals(units: Units, options: Options, place: str = "") -> None:
    """Warn that resamples are too few for the intervals of scores.

    Args:
        units: segments have percentile intervals, documents those of Student's t.
        options: supplies `confidence` and `n_resamples`.
        place: where to pass `n_resamples`, as the end of the advice.
    """
    if not options.confidence:
        return
    if units.documents:
        warn_about_errors(options.n_resamples, place)
        return
    outside = (1 - options.confidence) / 2
    if round(options.n_resamples * outside, 9) < 1:
        warn(
            Notice(
                "extremes",
                "confidence={confidence}: with n_resamples={n_resamples},"
                " the interval is from the lowest to the highest resampled score",
                ". Pass n_resamples={enough} or more{place}",
                option="n_resamples",
            ),
            confidence=options.confidence,
            n_resamples=options.n_resamples,
            enough=math.ceil(round(1 / outside, 9)),
            place=place,
        )


def warn_about_errors(n_resamples: int, place: str = "") -> None:
    """Warn that resamples are too few for a standard error, which Student's t takes as known."""
    if n_resamples < _FEWEST_RESAMPLES_FOR_ERRORS:
        warn(
            Notice(
                "few resamples",
                "n_resamples={n_resamples}: too few for standard errors, which intervals of"
                " Student's t need",
                ". Pass n_resamples={enough} or more{place}",
                option="n_resamples",
            ),
            n_resamples=n_resamples,
            enough=_FEWEST_RESAMPLES_FOR_ERRORS,
            place=place,
        )
