"""Standard errors and intervals, from resamples, documents or training runs.

From a sample come standard errors, intervals and p-values, by one interface for systems with one
training run and with several, for a corpus and for a group. `draw` in `tests.py` makes a sample.
`Sample.estimate` chooses between the two kinds of intervals: percentiles and Student's t. A `Plan`
holds the runs and the test of a call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..options.options import Options
from ..rules.scores import NOISE, bleu
from ..shared.arrays import Float64
from ..shared.result_types import TestedDifference
from .resampling import Units, bootstrap_scores, score_units

# --- Estimates: standard errors and intervals -----------------------------------------------------
#
# A score, a difference or a mean over groups has an interval of Student's t: value ± t(ν) · SE. It
# is estimated from U units, segments or documents:
#
#     SE² = variance over resamples of the units (Koehn, 2004) · U / (U - 1)
#     κ = U · Σ s⁴ / (Σ s²)², where s is the value without a unit, minus the mean of these values
#     ν = min(U - 1, 2 U / (κ - 1)), and at least 1
#
# The factor U / (U - 1) corrects the bootstrap's downward bias. κ is the kurtosis of the influences
# of the units. The variance of a sample variance is (κ - 1) / U relative to its square, and that of
# χ² with ν degrees of freedom is 2 / ν (Satterthwaite, 1946). So a few documents that carry most of
# the variation have few degrees of freedom.
#
# A mean over training runs has a second source of chance, other runs. For such a mean, or the
# difference of two means, with R_g runs of system g:
#
#     V = SE² + Σ_g max(0, s²_g - e_g) / R_g
#     degrees of freedom = V² / (SE⁴ / ν + Σ_g (s²_g / R_g)² / (R_g - 1))
#
# s²_g is the sample variance of the scores of the runs. Runs fail on different texts, so other
# texts would undo a part of s²_g. This part is e_g, and SE² contains it already. The sum of
# s²_g / R_g alone is Welch's t-test (1947). The degrees of freedom are at least those of the source
# with the fewest: where other texts undo most of s²_g, the formula falls below 1.
# A system with one run stands for itself: its s²_g and e_g are 0.


class Estimate(NamedTuple):
    """A score or a difference, as an estimate for other texts and other training runs.

    value: the observed value.
    standard_error: of the value.
    degrees_of_freedom: those of Student's t; None if the interval has the percentiles of
        `resampled`.
    lowest: the lower end of the scale: 0, or -1 for a difference.
    resampled: float64 [n_resamples], the value on resamples; None over several runs.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float | None = None
    lowest: float = 0.0
    resampled: Float64 | None = None

    def interval(self, confidence: float) -> list[float]:
        """Return the ends of the interval: value ± t · SE, cut off at the ends of the scale."""
        if self.degrees_of_freedom is None:
            assert self.resampled is not None
            return percentile_interval(self.resampled, confidence)
        margin = self.t_quantile((1 + confidence) / 2) * self.standard_error
        return [max(self.lowest, self.value - margin), min(1.0, self.value + margin)]

    def p_value(self) -> float:
        """Return the two-sided p-value of Student's t-test of a difference; 1 for equal scores."""
        if abs(self.value) <= NOISE:
            return 1.0
        t = abs(self.value) / self.standard_error
        return float(2 * import_scipy().stdtr(self.degrees_of_freedom, -t))

    def detectable_difference(self) -> float:
        """Return the smallest true difference that is detected with 80% power at the 5% level.

        This is t(0.975) + t(0.8) standard errors of the paired difference, as by Card et al. (2020,
        "With Little Power Comes Great Responsibility"), with quantiles of Student's t.

        >>> estimate = Estimate(0.02, 0.01, degrees_of_freedom=1e6)
        >>> round(estimate.detectable_difference(), 4)
        0.028
        """
        return (self.t_quantile(0.975) + self.t_quantile(0.8)) * self.standard_error

    def t_quantile(self, share: float) -> float:
        """Return a quantile of Student's t with the degrees of freedom."""
        return float(import_scipy().stdtrit(self.degrees_of_freedom, share))


def percentile_interval(resampled: Float64, confidence: float) -> list[float]:
    """Return the percentile interval, by sacreBLEU's choice of both values.

    >>> percentile_interval(np.arange(1000) / 1000, 0.95)
    [0.025, 0.974]
    """
    # 1000 * (1 - 0.95) / 2 is 25.000000000000021; round before truncating, because an error could
    # shift the index.
    outside = int(round(len(resampled) * (1 - confidence) / 2, 9))
    ordered = np.sort(resampled)
    return [float(ordered[outside]), float(ordered[len(resampled) - outside - 1])]


def describe_intervals(scores: Iterable[Mapping[str, Any]], prefix: str = "") -> str:
    """Write of which kinds the intervals of scores are; "" without intervals.

    Args:
        scores: those of systems, groups or averages.
        prefix: `"delta_"` for differences.

    >>> interval = {"confidence_interval": [0.331, 0.356]}
    >>> describe_intervals([interval])
    'percentile bootstrap'
    >>> describe_intervals([{**interval, "degrees_of_freedom": one} for one in (19.0, 14.23)])
    't with 14.2 to 19 degrees of freedom'
    """
    interval = "delta_interval" if prefix else "confidence_interval"
    key = f"{prefix}degrees_of_freedom"
    with_interval = [one for one in scores if interval in one]
    degrees_of_freedom = [one[key] for one in with_interval if key in one]
    kinds = []
    if degrees_of_freedom:
        ends = min(degrees_of_freedom), max(degrees_of_freedom)
        written = dict.fromkeys(f"{end:.1f}".removesuffix(".0") for end in ends)
        kinds.append(f"t with {' to '.join(written)} degrees of freedom")
    if len(degrees_of_freedom) < len(with_interval):
        kinds.append("percentile bootstrap")
    return " or ".join(kinds)


def import_scipy() -> Any:
    """Return `scipy.special`, which is imported where Student's t is needed."""
    try:
        from scipy import special
    except ImportError:
        raise ImportError(
            "Intervals and tests of Student's t need scipy. Install it: pip install scipy"
        ) from None
    return special


class VariancePart(NamedTuple):
    """An independent part of a variance, and the degrees of freedom of its estimate."""

    variance: float
    degrees_of_freedom: float


class Resamples(NamedTuple):
    """The scores of runs on resamples of the units, and without each unit.

    drawn: float64 [n_resamples, runs].
    jackknife: float64 [units, runs].
    """

    drawn: Float64
    jackknife: Float64


def resample(units: Units, options: Options, n_resamples: int) -> Resamples:
    """Score resamples of the units, and the corpus without each unit."""
    drawn = bootstrap_scores(units.rows, options, n_resamples, units.present)
    totals = units.totals
    jackknife = score_units(units.rows, options, totals).T
    if units.present is not None and units.present.sum() == 1:  # as in `bootstrap_scores`
        jackknife[units.present] = bleu(totals, options)
    return Resamples(drawn, jackknife)


def estimate_variance(drawn: Float64, jackknife: Float64) -> VariancePart:
    """Estimate the variance of a value over other texts.

    Args:
        drawn: float64 [n_resamples], the value on resamples of the units.
        jackknife: float64 [units], the value without each unit.

    The first of five units carries most of the variation:

    >>> drawn = np.array([0.2, 0.4])
    >>> part = estimate_variance(drawn, jackknife=np.array([0.34, 0.29, 0.29, 0.29, 0.29]))
    >>> print(f"{part.variance:.4f}, {part.degrees_of_freedom:.2f}")
    0.0125, 4.00
    """
    units = len(jackknife)
    variance = float(drawn.var()) * units / (units - 1)
    degrees_of_freedom = float(units - 1)
    squares = (jackknife - jackknife.mean()) ** 2
    sum_of_squares = float(squares.sum())
    if min(variance, sum_of_squares) > NOISE**2:
        kurtosis = units * float((squares**2).sum()) / sum_of_squares**2
        if kurtosis > 1:
            degrees_of_freedom = min(degrees_of_freedom, 2 * units / (kurtosis - 1))
    return VariancePart(variance, max(1.0, degrees_of_freedom))


def combine_degrees_of_freedom(parts: Sequence[VariancePart], variance: float) -> float:
    """Return the degrees of freedom of a variance by Satterthwaite's formula (1946).

    Args:
        parts: the independent parts.
        variance: their sum, or a smaller one if a part is partly undone by another.

    >>> combine_degrees_of_freedom([VariancePart(2.0, 5), VariancePart(2.0, 5)], 4.0)
    10.0
    """
    squares = sum(part.variance**2 / part.degrees_of_freedom for part in parts)
    if len(parts) == 1 or not squares:
        return min(part.degrees_of_freedom for part in parts)
    return variance**2 / squares


class TextVariances(NamedTuple):
    """The variances of a system over other texts.

    score: of its score, the mean over its runs.
    difference: of its difference from the first system.
    between_runs: the part of the sample variance of its runs that other texts would undo; 0 for one
        run.
    """

    score: VariancePart
    difference: VariancePart
    between_runs: float


def list_variances(resamples: Resamples, runs: Sequence[slice]) -> list[TextVariances]:
    """Return the variances of each system over other texts, given the positions of its runs."""
    drawn = np.stack([resamples.drawn[:, of].mean(axis=1) for of in runs], axis=1)
    jackknife = np.stack([resamples.jackknife[:, of].mean(axis=1) for of in runs], axis=1)
    units = len(jackknife)
    variances = []
    for i, of in enumerate(runs):
        between_runs = 0.0
        count = of.stop - of.start
        if count > 1:
            deviations = resamples.drawn[:, of] - drawn[:, i : i + 1]
            between_runs = float(deviations.var(axis=0).sum()) / (count - 1) * units / (units - 1)
        variances.append(
            TextVariances(
                score=estimate_variance(drawn[:, i], jackknife[:, i]),
                difference=estimate_variance(
                    drawn[:, i] - drawn[:, 0], jackknife[:, i] - jackknife[:, 0]
                ),
                between_runs=between_runs,
            )
        )
    return variances


def average_variances(groups: Sequence[Sequence[TextVariances]]) -> list[TextVariances]:
    """Return the variances of each system's mean over groups that have texts of their own.

    Args:
        groups: for each group the variances of each system.
    """

    def average(parts: Sequence[VariancePart]) -> VariancePart:
        variance = sum(part.variance for part in parts)
        return VariancePart(variance / len(parts) ** 2, combine_degrees_of_freedom(parts, variance))

    return [
        TextVariances(
            score=average([group.score for group in of_system]),
            difference=average([group.difference for group in of_system]),
            between_runs=sum(group.between_runs for group in of_system) / len(groups) ** 2,
        )
        for of_system in zip(*groups)
    ]


# --- Plans ----------------------------------------------------------------------------------------


class Test(NamedTuple):
    """A significance test of systems against a baseline.

    name: the value of the argument `test`.
    says: its name in sentences.
    key: the key of its resamples in signatures.
    n_resamples: the default number of resamples.
    add_p_values: the function that adds p-values to the scores of a system, given the sample, the
        number of the system, and the estimate of its difference from the first.
    draw: the function that returns the differences from the first system on resamples, float64
        [n_resamples, systems - 1], given the units, the options and the number; None for a test of
        the estimate alone.
    compares_runs: True for systems with several training runs.
    """

    name: str
    says: str
    key: str
    n_resamples: int
    add_p_values: Callable[[Sample, int, Estimate | None, TestedDifference], None]
    draw: Callable[[Units, Options, int], Float64] | None = None
    compares_runs: bool = False


class Plan(NamedTuple):
    """How systems are tested.

    options: the options of the call; their `n_resamples` is the number for intervals.
    runs: the positions of each system's runs among those of all systems.
    test: the test.
    trials: the number of resamples of the test; 0 for intervals alone.
    has_segments: True if segments are compared, too; False if rows are sums.
    """

    options: Options
    runs: Sequence[slice]
    test: Test
    trials: int = 0
    has_segments: bool = True

    @property
    def compares_runs(self) -> bool:
        """True if systems have several training runs."""
        return self.test.compares_runs

    @property
    def resamples_of_intervals(self) -> int:
        """The number of resamples that intervals are from."""
        return self.trials if self.compares_runs else self.options.n_resamples


def list_single_runs(systems: int) -> list[slice]:
    """Return the positions of runs if each system has one.

    >>> list_single_runs(2)
    [slice(0, 1, None), slice(1, 2, None)]
    """
    return [slice(system, system + 1) for system in range(systems)]


# --- Samples --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Systems with one or several training runs, and what chance does to their scores.

    observed: float64 [runs], the scores of the runs of all systems.
    plan: the runs of each system, and the test.
    variances: those of each system over other texts; None without resamples.
    resamples: the scores that the variances are from; None for groups with texts of their own.
    differences: float64 [trials, systems - 1], for tests by resampling against the first system.
    has_percentiles: True if the interval of a score has the percentiles of its resamples, as
        sacreBLEU's has: by segment, for one run per system.
    """

    observed: Float64
    plan: Plan
    variances: Sequence[TextVariances] | None
    resamples: Resamples | None
    differences: Float64 | None
    has_percentiles: bool

    @property
    def scores(self) -> list[float]:
        """The score of each system, the mean over its runs."""
        return [self.score(system) for system in range(len(self.plan.runs))]

    def score(self, system: int) -> float:
        """Return the score of one system."""
        return float(self.observed[self.plan.runs[system]].mean())

    def estimate(self, system: int) -> Estimate | None:
        """Return the estimate of a system's score.

        It is None without resamples, and for several runs without variance.
        """
        if self.variances is None:
            return None
        score = self.score(system)
        resampled = None
        if not self.plan.compares_runs and self.resamples is not None:
            (resampled,) = self.resamples.drawn[:, self.plan.runs[system]].T
        if self.has_percentiles and resampled is not None:
            return Estimate(score, float(resampled.std()), resampled=resampled)
        estimate = self._estimate(score, self.variances[system].score, [system])
        return estimate and estimate._replace(resampled=resampled)

    def difference(self, system: int) -> Estimate | None:
        """Return the estimate of the difference from the first system.

        It is None without resamples, and for several runs without variance.
        """
        if self.variances is None:
            return None
        delta = self.score(system) - self.score(0)
        estimate = self._estimate(delta, self.variances[system].difference, [system, 0])
        return estimate and estimate._replace(lowest=-1.0)

    def _estimate(
        self, value: float, texts: VariancePart, systems: Sequence[int]
    ) -> Estimate | None:
        """Estimate a mean over the runs of a system, or the difference of two such means.

        Args:
            value: the mean or the difference.
            texts: its variance over other texts.
            systems: the system, or both systems.
        """
        assert self.variances is not None
        # 1. Add the variation between runs that other texts would not undo.
        variance = texts.variance
        parts = [texts]
        for system in systems:
            scores = self.observed[self.plan.runs[system]]
            count = len(scores)
            if count == 1:
                continue
            between_runs = float(scores.var(ddof=1))
            variance += max(0.0, between_runs - self.variances[system].between_runs) / count
            parts.append(VariancePart(between_runs / count, count - 1))
        degrees_of_freedom = max(
            combine_degrees_of_freedom(parts, variance),
            min(part.degrees_of_freedom for part in parts),
        )
        standard_error = math.sqrt(variance)
        # 2. Equal systems are equal whatever varies. Runs that don't vary at all are copies.
        if self.plan.compares_runs and abs(value) <= NOISE:
            standard_error = 0.0
        elif self.plan.compares_runs and standard_error <= NOISE:
            return None
        return Estimate(value, standard_error, degrees_of_freedom)


def add_estimate(
    scores: Any, estimate: Estimate | None, confidence: float | None, prefix: str = ""
) -> None:
    """Add the interval and the standard error of a value to scores; no keys without an estimate.

    `prefix` is `"delta_"` for a difference, which also gets its detectable size.
    """
    if estimate is None or confidence is None:
        return
    interval = "delta_interval" if prefix else "confidence_interval"
    scores[interval] = estimate.interval(confidence)
    if estimate.degrees_of_freedom is not None:
        scores[f"{prefix}degrees_of_freedom"] = estimate.degrees_of_freedom
    if estimate.resampled is not None:
        scores["bootstrap_mean"] = float(estimate.resampled.mean())
    scores[f"{prefix}standard_error"] = estimate.standard_error
    if prefix:
        scores["detectable_delta"] = estimate.detectable_difference()
