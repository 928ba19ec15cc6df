"""How certain a score or a difference is: units, draws, tests, standard errors and intervals.

Units are what resampling draws: segments, or sums of documents. A sample has the scores of systems
and what they are on resamples of the units. From a sample come standard errors, intervals and
p-values, by one interface for systems with one training run (`SingleRuns`) and with several
(`SeveralRuns`), for a corpus, for a group, and for the mean over groups (`MacroAverage`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import islice
from statistics import NormalDist, fmean
from typing import Any, NamedTuple, TypedDict

import numpy as np
from datasets.utils import tqdm

from . import bleu_messages as messages
from .bleu_corpus import PROCESSORS, Bool, Float64, Int64, Label, Layout, number_labels
from .bleu_messages import count_things, warn
from .bleu_options import Options, Origin
from .bleu_scoring import NOISE, bleu, bleu_of_columns
from .bleu_statistics import Counted, sum_by_number

Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]  # float32 or float64

MIN_UNITS = 30  # segments or documents, for intervals and tests

_NUMBERS_PER_BLOCK = 1 << 22  # draws in memory, 32 MB, however many resamples there are
_ROWS_PER_SCORE = 1 << 15  # of pairs and trials that are scored together
_RESAMPLES_PER_PRODUCT = 32  # rows of one matrix product
_MULTIPLICATIONS_PER_PRODUCT = 1 << 19  # OpenBLAS starts threads above this
_FEWEST_RESAMPLES_FOR_ERRORS = 100  # the relative error of a standard error is then 7%
_EXACT_IN_FLOAT32 = 1 << 24  # integers up to here are exact in float32


# --- Plans ----------------------------------------------------------------------------------------


class Test(NamedTuple):
    """A significance test.

    says: its name in sentences.
    key: its key in signatures.
    n_resamples: the default number of resamples.
    """

    says: str
    key: str
    n_resamples: int


TESTS = {
    "bootstrap": Test("paired bootstrap", "bs", 1_000),
    "randomization": Test("paired approximate randomization", "ar", 10_000),
}
# With the test of systems that have several training runs, which leaves no choice.
ALL_TESTS = {**TESTS, "runs": Test("Welch's t-test for new runs and new texts", "bs", 1_000)}


class Plan(NamedTuple):
    """How systems are tested.

    options: the options of the call; their `n_resamples` is the number for intervals.
    test: a name in `ALL_TESTS`; None for intervals alone.
    trials: the number of resamples of the test.
    runs: the positions of each system's runs among those of all systems, for the test `"runs"`.
    counts_wins: True if segments are compared, too; False if rows are sums.
    """

    options: Options
    test: str | None = None
    trials: int = 0
    runs: Sequence[slice] = ()
    counts_wins: bool = True


# --- Units ----------------------------------------------------------------------------------------


class Units(NamedTuple):
    """What resampling draws: segments, or sums of documents.

    rows: int64 [..., units, 2 N + 2].
    noun: `"segment"` or `"document"`.
    present: bool [units], the units of the group of the rows, which are 0 for all others; None if
        all units belong to it.
    """

    rows: Int64
    noun: str
    present: Bool | None = None

    @property
    def size(self) -> int:
        """The number of units."""
        return int(self.rows.shape[-2])

    @property
    def effective_size(self) -> float:
        """The number of units of equal size that weigh as much: (Σ sizes)² / Σ sizes².

        The size of a document is its reference tokens, for the first system. Segments all count.
        """
        if self.noun == "segment":
            return self.size
        layout = Layout.of_width(self.rows.shape[-1])
        sizes = self.rows[..., layout.reference_length].reshape(-1, self.size)[0].astype(float)
        squares = (sizes**2).sum()
        return float(sizes.sum() ** 2 / squares) if squares else float(self.size)

    @property
    def can_resample(self) -> bool:
        """True if resamples differ: there are several units."""
        return self.size > 1

    @property
    def documents(self) -> int | None:
        """The number of documents; None for segments."""
        return self.size if self.noun == "document" else None


class GroupRows(NamedTuple):
    """The rows of a group, of one system or several.

    label: the label of the group.
    origin: the tokenizer and the number of references.
    rows: int64 [..., segments, 2 N + 2].
    units: what resampling draws in this group.
    units_of_corpus: what resampling draws for the average of all groups if they share documents:
        those of the whole corpus; None if each group has documents of its own.
    """

    label: Label
    origin: Origin
    rows: Int64
    units: Units
    units_of_corpus: Units | None


def divide_into_units(counted: Counted, rows: Int64, segments: Int64 | None = None) -> Units:
    """Return what resampling draws; documents are in the order of first appearance.

    Args:
        counted: the documents.
        rows: int64 [..., segments, 2 N + 2], of this corpus or of another one with the same
            documents.
        segments: the segments in `rows`; None for all.

    >>> rows = np.array([[1, 1, 1, 1], [0, 2, 2, 3], [0, 1, 1, 1]])
    >>> counted = Counted(rows, Origin("13a", "1"), documents=["b", "a", "b"])
    >>> divide_into_units(counted, rows).rows.tolist()
    [[1, 2, 2, 2], [0, 2, 2, 3]]
    """
    documents = counted.documents
    if documents is None:
        return Units(rows, "segment")
    if segments is not None:
        documents = [documents[i] for i in segments.tolist()]
    return Units(sum_by_number(rows, number_labels(documents)), "document")


def count_units_of_groups(counted: Counted) -> list[int]:
    """Return the number of units of each group."""
    if counted.documents is None:
        return [len(group.segments) for group in counted.groups.values()]
    numbers = number_labels(counted.documents)
    return [len(np.unique(numbers[group.segments])) for group in counted.groups.values()]


def list_groups(counted: Counted, rows: Int64) -> Iterator[GroupRows]:
    """Yield the rows of each group, one at a time; `rows` are as in `divide_into_units`."""
    numbers = None
    if counted.documents is not None and counted.shared_documents:
        numbers = number_labels(counted.documents)
    for label, group in counted.groups.items():
        group_rows = rows[..., group.segments, :]
        units = divide_into_units(counted, group_rows, group.segments)
        units_of_corpus = None
        if numbers is not None:
            present = np.zeros(int(numbers.max()) + 1, bool)
            present[numbers[group.segments]] = True
            of_corpus = np.zeros((*rows.shape[:-2], len(present), rows.shape[-1]), np.int64)
            of_corpus[..., present, :] = sum_by_number(group_rows, numbers[group.segments])
            units_of_corpus = Units(of_corpus, "document", present)
        yield GroupRows(label, group.origin, group_rows, units, units_of_corpus)


# --- Resampling -----------------------------------------------------------------------------------
#
# For the same seed and count, the draws equal those of sacreBLEU 2.6; the global generator is not
# touched. A resample is stored as the number of times that each segment was drawn. Its statistics
# are then a matrix product with the rows, in constant memory. Sums of integers in float64 are exact
# up to 2^53.


def bootstrap_scores(
    rows: Int64, options: Options, n_resamples: int, present: Bool | None = None
) -> Float64:
    """Return BLEU of systems on corpora drawn with replacement from the segments (Koehn, 2004).

    The draws depend on `options.seed` and the number of segments, and are the same for all systems.

    Args:
        rows: int64 [systems, segments, 2 N + 2], of segments or documents.
        options: as for `bleu`, and `seed`.
        n_resamples: the number of drawn corpora.
        present: a flag per segment or document: whether it belongs to the group of the rows, which
            are 0 for all others; None if all belong to it. A corpus without any gets the observed
            score.

    Returns:
        float64 [n_resamples, systems].

    >>> rows = np.array([[[1, 1, 1, 1], [0, 1, 1, 1]]])
    >>> bootstrap_scores(rows, Options(max_order=1, seed=0), 5).tolist()
    [[0.0], [0.5], [1.0], [1.0], [0.5]]
    """
    systems, segments, width = rows.shape
    generator = np.random.default_rng(options.seed)
    weights = _to_floats(np.concatenate(list(rows), axis=1))
    sums = np.empty((n_resamples, systems * width))
    is_missing = np.zeros(n_resamples, bool)
    # So few resamples at once mostly fit the processor's cache.
    size = max(1, min(_RESAMPLES_PER_PRODUCT, _NUMBERS_PER_BLOCK // segments))
    for block in _blocks("Bootstrap", n_resamples, size):
        drawn = generator.integers(segments, size=(block.stop - block.start, segments))
        times = np.array([np.bincount(indices, minlength=segments) for indices in drawn])
        sums[block] = _multiply(times, weights)
        if present is not None:
            is_missing[block] = times[:, present].sum(axis=1) == 0
    if present is not None:
        sums[is_missing] = rows.sum(axis=1).ravel()
    return bleu(sums.reshape(n_resamples, systems, width).astype(np.int64), options)


def randomization_differences(
    rows: Int64, options: Options, n_resamples: int, baselines: int = 1
) -> Iterator[Float64]:
    """Yield differences of BLEU between two systems whose outputs are exchanged at random.

    This is paired approximate randomization (Noreen, 1989; Riezler and Maxwell, 2005): per unit, a
    segment or a document, a coin decides whether two systems exchange their outputs.

    Args:
        rows: int64 [systems, units, 2 N + 2].
        options: as for `bleu`, and `seed`.
        n_resamples: the number of trials.
        baselines: the number of systems, from the first on, each of which is paired with all
            systems after it.

    Yields:
        float64 [trials, pairs], the score of the later system minus the score of the earlier, in
        blocks of trials.

    The function is a fast path. The definition has two lines, as in sacreBLEU: the drawn units of
    one system and the other units of the other system, and the reverse.

    >>> baseline = np.array([[1, 2, 2, 2], [0, 1, 1, 1], [3, 4, 4, 4]])
    >>> system = np.array([[2, 2, 2, 2], [1, 1, 1, 1], [1, 4, 4, 4]])
    >>> options = Options(max_order=1, seed=0)
    >>> drawn = np.random.default_rng(0).integers(2, size=(4, 3), dtype=bool)  # trials, units
    >>> shuffled_a = drawn @ baseline + ~drawn @ system
    >>> shuffled_b = drawn @ system + ~drawn @ baseline
    >>> (bleu(shuffled_a, options) - bleu(shuffled_b, options)).round(4).tolist()
    [0.0, -0.5714, -0.2857, -0.2857]
    >>> (differences,) = randomization_differences(np.array([baseline, system]), options, 4)
    >>> differences[:, 0].round(4).tolist()
    [0.0, -0.5714, -0.2857, -0.2857]
    """
    systems, n_units, width = rows.shape
    # 1. Take the rows of each system relative to the first system, whose own become 0. For the
    #    drawn units, let moved_s be the sum of these differences. If a and b exchange the drawn
    #    units, the sum of a becomes total_a - Σ row_a + Σ row_b = (total_a - moved_a) + moved_b,
    #    because the rows of the first system cancel.
    totals = rows.sum(axis=1).T[..., np.newaxis]  # [width, systems, 1]
    gains = np.concatenate(list(rows[1:] - rows[0]), axis=1)
    # 2. Many columns are equal: totals follow from lengths, and systems share references. Each
    #    different column is multiplied once.
    number_of: dict[bytes, int] = {}
    copies = []  # the number of each column among the different ones
    for column in gains.T:
        digest = sha256(column.tobytes()).digest()
        copies.append(number_of.setdefault(digest, len(number_of)))
    different = [copies.index(number) for number in range(len(number_of))]
    weights = _to_floats(gains[:, different])

    def score_trials(drawn: Bool) -> Float64:
        """Return the differences of all pairs; `drawn` has one flag per trial and unit."""
        trials = len(drawn)
        moved = np.zeros((width, systems, trials))  # 0 for the first system
        columns = _multiply(drawn, weights).T[copies]  # [(systems - 1) * width, trials]
        moved[:, 1:] = columns.reshape(systems - 1, width, trials).swapaxes(0, 1)
        kept = totals - moved
        differences = []
        # Several pairs at once: enough to hide the time of Python, and few enough for the cache of
        # the processor.
        pairs_at_once = max(1, _ROWS_PER_SCORE // trials)
        for number in range(baselines):
            baseline = slice(number, number + 1)
            for start in range(number + 1, systems, pairs_at_once):
                others = slice(start, start + pairs_at_once)
                later = bleu_of_columns(kept[:, others] + moved[:, baseline], options)
                earlier = bleu_of_columns(kept[:, baseline] + moved[:, others], options)
                differences.append(later - earlier)
        return np.concatenate(differences).T

    # 3. NumPy takes 32 draws from one random number and discards unused ones at the end of a call.
    #    A block has a multiple of 32 trials, so that the draws do not depend on the size of blocks.
    numbers_per_trial = max(n_units, len(copies), baselines * systems)
    size = 32 * max(1, _NUMBERS_PER_BLOCK // (32 * numbers_per_trial))
    generator = np.random.default_rng(options.seed)
    blocks = _blocks("Randomization", n_resamples, size)
    draws = (
        generator.integers(2, size=(block.stop - block.start, n_units), dtype=bool)
        for block in blocks
    )

    # 4. Score. NumPy releases the GIL; each thread has a block in memory.
    threads = min(PROCESSORS, 4)
    with ThreadPoolExecutor(threads) as pool:
        while some_draws := list(islice(draws, threads)):
            yield from pool.map(score_trials, some_draws)


# --- p-values -------------------------------------------------------------------------------------


def p_value(differences: Float64, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of the n differences are at least the observed one.

    Adding 1 to both keeps the rate of false alarms at the level for any number of trials (Noreen,
    1989). Ties count, so that identical systems get 1.

    >>> p_value(np.array([0.1, 0.2, 0.3, 0.4]), 0.3)
    0.6
    """
    return float((np.sum(differences >= observed - NOISE) + 1) / (len(differences) + 1))


def center(differences: Float64) -> Float64:
    """Return the absolute deviations of resampled differences from their mean.

    Under the null hypothesis, deviations and observed difference have the same distribution, so
    that `p_value` of absolute deviations is two-sided.
    """
    return np.abs(differences - differences.mean(axis=0))


def center_as_sacrebleu(differences: Float64) -> Float64:
    """Return absolute differences minus their mean, as sacreBLEU computes them.

    Riezler and Maxwell (2005) describe the test. If one system is better in most resamples, the
    test is one-sided in effect: at the 5% level, `p_value` rejects a true null hypothesis in 11% to
    13% of cases, with 30 segments or more.
    """
    return np.abs(differences) - np.abs(differences).mean(axis=0)


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
    blocks = randomization_differences(
        units.rows, plan.options, plan.trials, baselines=len(units.rows)
    )
    exceeding = np.zeros(len(deltas))
    for block in blocks:
        exceeding += (np.abs(block) >= np.abs(deltas) - NOISE).sum(axis=0)
    return (exceeding + 1) / (plan.trials + 1)


# --- Estimates: standard errors and intervals -----------------------------------------------------
#
# The mean score over training runs has two sources of chance: other runs and other texts. For such
# a mean, or the difference of two means, with R_g runs of system g and U segments or documents:
#
#     V = SE² + Σ_g max(0, s²_g - e_g) / R_g
#     degrees of freedom = V² / (SE⁴ / (U - 1) + Σ_g (s²_g / R_g)² / (R_g - 1))
#
# SE² is the variance over resamples of the texts, which all runs share (Koehn, 2004). s²_g is the
# sample variance of the scores of the runs. Runs fail on different texts, so other texts would undo
# a part of s²_g. This part is e_g, and SE² contains it already. The sum of s²_g / R_g alone is
# Welch's t-test (1947). The degrees of freedom are those of Satterthwaite (1946), but at least
# those of the source with the fewest: where other texts undo most of s²_g, the formula falls
# below 1.
# A system with one run stands for itself: its s²_g and e_g are 0.


class Percentile(NamedTuple):
    """A score or a difference on resamples, float64 [n_resamples]: percentile intervals."""

    values: Float64

    @property
    def standard_error(self) -> float:
        """The standard deviation of the resampled values."""
        return float(self.values.std())

    @property
    def bootstrap_mean(self) -> float:
        """The mean of the resampled values."""
        return float(self.values.mean())

    def interval(self, confidence: float) -> list[float]:
        """Return the percentile interval, by sacreBLEU's choice of both values.

        >>> Percentile(np.arange(1000) / 1000).interval(0.95)
        [0.025, 0.974]
        """
        # 1000 * (1 - 0.95) / 2 is 25.000000000000021; round before truncating, because an error
        # could shift the index.
        outside = int(round(len(self.values) * (1 - confidence) / 2, 9))
        ordered = np.sort(self.values)
        return [float(ordered[outside]), float(ordered[len(self.values) - outside - 1])]

    def detectable_difference(self) -> float:
        """Return the smallest true difference that is detected with 80% power at the 5% level.

        This is z(0.975) + z(0.8) standard errors of the paired difference (Card et al., 2020, "With
        Little Power Comes Great Responsibility").

        >>> round(Percentile(np.array([-0.01, 0.01])).detectable_difference(), 4)
        0.028
        """
        quantile = NormalDist().inv_cdf
        return float((quantile(0.975) + quantile(0.8)) * self.values.std())


class Estimate(NamedTuple):
    """A mean score over runs, or a difference of two, as an estimate for other runs and texts.

    `lowest` is the lower end of the scale: 0, or -1 for a difference.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float
    lowest: int = 0

    @property
    def varies(self) -> bool:
        """False if neither other runs nor other texts change the value, as far as these tell."""
        return self.standard_error > NOISE

    def p_value(self) -> float | None:
        """Return the two-sided p-value of Student's t-test of a difference; 1 for equal scores.

        It is None for a difference without variance.
        """
        if abs(self.value) <= NOISE:
            return 1.0
        if not self.varies:
            return None
        t = abs(self.value) / self.standard_error
        return float(2 * import_students_t().sf(t, self.degrees_of_freedom))

    def interval(self, confidence: float) -> list[float] | None:
        """Return the value ± t standard errors, cut off at the ends of the scale.

        The interval of equal scores has no width. It is None for another value without variance.

        >>> print(Estimate(0.9, standard_error=0.0, degrees_of_freedom=4).interval(0.95))
        None
        """
        if abs(self.value) <= NOISE:
            return [self.value, self.value]
        if not self.varies:
            return None
        quantile = import_students_t().ppf((1 + confidence) / 2, self.degrees_of_freedom)
        margin = float(quantile) * self.standard_error
        return [max(self.lowest, self.value - margin), min(1.0, self.value + margin)]

    def detectable_difference(self) -> float | None:
        """Return the smallest true difference that is detected with 80% power at the 5% level.

        It is that of `Percentile.detectable_difference`, with quantiles of Student's t. It is
        None for a difference without variance.
        """
        if not self.varies:
            return None
        quantiles = import_students_t().ppf([0.975, 0.8], self.degrees_of_freedom)
        return float(quantiles.sum() * self.standard_error)


class Runs(NamedTuple):
    """The training runs of a system.

    scores: float64 [runs].
    resampled: float64 [n_resamples, runs]; all runs of all systems have the same draws.
    """

    scores: Float64
    resampled: Float64


class VariancePart(NamedTuple):
    """An independent part of a variance, and the degrees of freedom of its estimate."""

    variance: float
    degrees_of_freedom: float


def estimate_over_runs(
    system: Runs, baseline: Runs | None, units: int, groups: Sequence[VariancePart] = ()
) -> Estimate:
    """Estimate the mean score of a system's runs, or its difference from the baseline's mean.

    Args:
        system: the runs of the system.
        baseline: the runs of the baseline, on the same draws; None for the score of the system.
        units: the number of segments or documents that resamples are drawn from.
        groups: for a macro-average of groups with units of their own, the part of SE² from each
            group, (SE_k / K)² with U_k - 1 degrees of freedom for group k of K.

    >>> scores = np.array([0.30, 0.31, 0.35])
    >>> resampled = scores + np.array([[-0.01], [0.01]])
    >>> estimate = estimate_over_runs(Runs(scores, resampled), None, units=50)
    >>> print(f"{estimate.value:.3f}, {estimate.standard_error:.4f}")
    0.320, 0.0183
    """
    # 1. The texts: SE² of the value.
    value = system.scores.mean()
    lowest = 0
    if baseline is not None:
        value -= baseline.scores.mean()
        lowest = -1
    variance_of_texts = sampling_variance(system, baseline)
    parts = list(groups) or [VariancePart(variance_of_texts, units - 1)]
    # 2. The runs: the variation between runs that other texts would not undo.
    variance = variance_of_texts
    fewest_degrees = combine_degrees_of_freedom(parts)
    for runs in (system, baseline):
        if runs is None or len(runs.scores) == 1:
            continue
        count = len(runs.scores)
        between_runs = float(runs.scores.var(ddof=1))
        means = runs.resampled.mean(axis=1, keepdims=True)
        undone_by_texts = float((runs.resampled - means).var(axis=0).sum()) / (count - 1)
        variance += max(0.0, between_runs - undone_by_texts) / count
        parts.append(VariancePart(between_runs / count, count - 1))
        fewest_degrees = min(fewest_degrees, count - 1)
    # 3. The degrees of freedom.
    degrees_of_freedom = max(combine_degrees_of_freedom(parts, variance), fewest_degrees)
    estimate = Estimate(float(value), math.sqrt(variance), degrees_of_freedom, lowest)
    if not estimate.varies and abs(estimate.value) > NOISE:
        warn(messages.NO_VARIANCE)
    return estimate


def combine_degrees_of_freedom(
    parts: Sequence[VariancePart], variance: float | None = None
) -> float:
    """Return the degrees of freedom of a variance by Satterthwaite's formula (1946).

    Args:
        parts: the independent parts.
        variance: their sum unless another is passed.

    >>> combine_degrees_of_freedom([VariancePart(2.0, 5), VariancePart(2.0, 5)])
    10.0
    """
    if variance is None:
        variance = sum(part.variance for part in parts)
    squares = sum(part.variance**2 / part.degrees_of_freedom for part in parts)
    if not squares:
        return float(min(part.degrees_of_freedom for part in parts))
    return variance**2 / squares


def sampling_variance(system: Runs, baseline: Runs | None) -> float:
    """Return SE², the variance over resamples of the mean over runs or of its difference."""
    means = system.resampled.mean(axis=1)
    if baseline is not None:
        means = means - baseline.resampled.mean(axis=1)
    return float(means.var())


def import_students_t() -> Any:
    """Return Student's t distribution of scipy, which is imported for training runs only."""
    try:
        from scipy.stats import t
    except ImportError:
        message = "Several training runs need scipy. Install it: pip install scipy"
        raise ImportError(message) from None
    return t


# --- Samples --------------------------------------------------------------------------------------


class Uncertainty(TypedDict, total=False):
    """The keys of an estimate of a score, as in results."""

    confidence_interval: list[float]
    bootstrap_mean: float
    standard_error: float


class DifferenceUncertainty(TypedDict, total=False):
    """The keys of an estimate of a difference, as in results."""

    delta_interval: list[float]
    delta_standard_error: float
    detectable_delta: float


def add_estimate(
    scores: Uncertainty, estimate: Percentile | Estimate | None, confidence: float | None
) -> None:
    """Add the interval and the standard error of a score; no keys without an estimate."""
    if estimate is None or confidence is None:
        return
    interval = estimate.interval(confidence)
    if interval is None:
        return
    scores["confidence_interval"] = interval
    if isinstance(estimate, Percentile):
        scores["bootstrap_mean"] = estimate.bootstrap_mean
    scores["standard_error"] = estimate.standard_error


def add_difference(
    scores: DifferenceUncertainty,
    estimate: Percentile | Estimate | None,
    confidence: float | None,
) -> None:
    """Add the interval and the standard error of a difference; no keys without an estimate."""
    if estimate is None or confidence is None:
        return
    interval = estimate.interval(confidence)
    if interval is not None:
        scores["delta_interval"] = interval
        scores["delta_standard_error"] = estimate.standard_error
    detectable = estimate.detectable_difference()
    if detectable is not None:
        scores["detectable_delta"] = detectable


class TestKeys(TypedDict, total=False):
    """The keys of a test, as in results."""

    p_value: float
    p_value_sacrebleu: float
    degrees_of_freedom: float


@dataclass(frozen=True)
class SingleRuns:
    """Systems with one training run each, and their resamples.

    observed: float64 [systems], the scores.
    resampled: float64 [n_resamples, systems], for intervals; None without intervals.
    differences: float64 [trials, systems - 1], for tests against the first system; None without a
        test.
    test: the name of the test.
    """

    observed: Float64
    resampled: Float64 | None
    differences: Float64 | None
    test: str | None

    @property
    def scores(self) -> list[float]:
        """The score of each system."""
        return [float(score) for score in self.observed]

    def estimate(self, system: int) -> Percentile | None:
        """Return the estimate of a system's score; None without resamples."""
        if self.resampled is None:
            return None
        return Percentile(self.resampled[:, system])

    def difference(self, system: int) -> Percentile | None:
        """Return the estimate of the difference from the first system; None without resamples."""
        if self.resampled is None:
            return None
        return Percentile(self.resampled[:, system] - self.resampled[:, 0])

    def add_test(self, system: int, scores: TestKeys) -> None:
        """Add the test of the difference from the first system; no keys without a test."""
        if self.differences is None:
            return
        delta = abs(self.scores[system] - self.scores[0])
        scores["p_value"] = p_value(self._deviations[:, system - 1], delta)
        if self.test == "bootstrap":
            deviations = center_as_sacrebleu(self.differences[:, system - 1])
            scores["p_value_sacrebleu"] = p_value(deviations, delta)

    @cached_property
    def _deviations(self) -> Float64:
        differences = self.differences
        assert differences is not None
        return center(differences) if self.test == "bootstrap" else np.abs(differences)


@dataclass(frozen=True)
class SeveralRuns:
    """Systems of which some have several training runs, and their resamples.

    observed: float64 [runs], the scores of the runs.
    resampled: float64 [n_resamples, runs]; None for a single unit.
    runs: the runs of each system.
    units: the number of segments or documents.
    groups: for a macro-average of groups with units of their own, per group the part of the
        variance of each system's difference.
    """

    observed: Float64
    resampled: Float64 | None
    runs: Sequence[slice]
    units: int
    groups: Sequence[Sequence[VariancePart]] = ()

    @property
    def scores(self) -> list[float]:
        """The score of each system, the mean over its runs."""
        return [float(self.observed[runs].mean()) for runs in self.runs]

    def estimate(self, system: int) -> Estimate | None:
        """Return the estimate of a system's score; None without resamples."""
        if self.resampled is None:
            return None
        return estimate_over_runs(self._take(system), None, self.units)

    def difference(self, system: int) -> Estimate | None:
        """Return the estimate of the difference from the first system; None without resamples."""
        if self.resampled is None:
            return None
        parts = [group[system] for group in self.groups]
        return estimate_over_runs(self._take(system), self._take(0), self.units, parts)

    def add_test(self, system: int, scores: TestKeys) -> None:
        """Add the test of the difference from the first system.

        There are no keys for a single unit, and for a difference without variance.
        """
        estimate = self.difference(system)
        p_value = None if estimate is None else estimate.p_value()
        if estimate is None or p_value is None:
            return
        scores["p_value"] = p_value
        scores["degrees_of_freedom"] = estimate.degrees_of_freedom

    def list_variance_parts(self, groups: int) -> list[VariancePart]:
        """Return the part of this group, one of several, in the variance of each difference."""
        parts = []
        for system in range(len(self.runs)):
            variance = sampling_variance(self._take(system), self._take(0)) / groups**2
            parts.append(VariancePart(variance, self.units - 1))
        return parts

    def _take(self, system: int) -> Runs:
        assert self.resampled is not None
        runs = self.runs[system]
        return Runs(self.observed[runs], self.resampled[:, runs])


Sample = SingleRuns | SeveralRuns


def draw(units: Units, plan: Plan) -> Sample:
    """Score systems, and draw what their intervals and tests against the first system need.

    All systems share the draws. Those of intervals depend on the corpus, the seed and the
    bootstrap's count only, so that an interval is the same under either test.

    Args:
        units: of systems, or of their runs: rows are int64 [systems or runs, units, 2 N + 2].
        plan: the test.
    """
    observed = bleu(units.rows.sum(axis=1), plan.options)
    resampled = None
    if plan.test == "runs":
        if units.can_resample:
            resampled = bootstrap_scores(units.rows, plan.options, plan.trials, units.present)
        return SeveralRuns(observed, resampled, plan.runs, units.size)
    if not units.can_resample:
        return SingleRuns(observed, None, None, plan.test)
    n_resamples = plan.options.n_resamples
    if plan.options.confidence:
        resampled = bootstrap_scores(units.rows, plan.options, n_resamples, units.present)
    differences = None
    if plan.test == "randomization":
        blocks = randomization_differences(units.rows, plan.options, plan.trials)
        differences = np.concatenate(list(blocks))
    elif plan.test == "bootstrap":
        scores = resampled  # the same seed and count give the same draws
        if scores is None or plan.trials != n_resamples:
            scores = bootstrap_scores(units.rows, plan.options, plan.trials, units.present)
        differences = scores[:, 1:] - scores[:, :1]
    return SingleRuns(observed, resampled, differences, plan.test)


class MacroAverage:
    """The mean over groups, as a sample like any other. One group at a time is in memory.

    Groups that share documents are not independent: for the mean, their resamples are drawn from
    the documents of the whole corpus, under one seed.

    Args:
        counted: the groups.
        units: the units of the corpus.
        plan: the test.
    """

    def __init__(self, counted: Counted, units: Units, plan: Plan) -> None:
        self._shares_draws = counted.shared_documents > 0
        self._n_groups = len(counted.groups)
        self._units = units.size
        self._plan = plan
        self._plan_of_corpus = plan._replace(options=plan.options.with_seed())
        self._scores: list[list[float]] = []  # of each group
        self._resampled = GroupMean(plan.options.seed, self._shares_draws)
        self._differences = GroupMean(plan.options.seed, self._shares_draws)
        self._parts: list[list[VariancePart]] = []

    def add(self, group: GroupRows, sample: Sample) -> None:
        """Add a group, given its sample."""
        drawn = sample
        if group.units_of_corpus is not None:
            drawn = draw(group.units_of_corpus, self._plan_of_corpus)
        self._scores.append(sample.observed.tolist())
        self._resampled.add(drawn.resampled)
        if isinstance(drawn, SingleRuns):
            self._differences.add(drawn.differences)
        if isinstance(sample, SeveralRuns) and sample.resampled is not None:
            self._parts.append(sample.list_variance_parts(self._n_groups))

    def sample(self) -> Sample:
        """Return the mean; without resamples unless every group has some."""
        resampled = self._resampled.mean()
        if self._plan.test == "runs":
            observed = sum(map(np.array, self._scores), np.array(0.0)) / self._n_groups
            parts = [] if self._shares_draws else self._parts
            return SeveralRuns(observed, resampled, self._plan.runs, self._units, parts)
        observed = np.array([fmean(scores) for scores in zip(*self._scores)])
        return SingleRuns(observed, resampled, self._differences.mean(), self._plan.test)


class GroupMean:
    """The mean over groups of scores or differences that were resampled in each group.

    Groups with segments or documents of their own are independent of each other. Under one seed,
    groups of equal size draw the same positions. So each group's resamples are shuffled, which
    leaves the distribution of each group as it is. Groups that share documents are not independent:
    their resamples are drawn from the documents of the whole corpus, under one seed, and stay in
    their order. Only the sum is kept, so that memory does not grow with the number of groups.

    Args:
        seed: the seed of the draws; None for a random one.
        share_draws: True if all groups have the same draws.

    >>> average = GroupMean(seed=1)
    >>> average.add(np.array([0.25, 0.25]))
    >>> average.add(np.array([0.75, 0.75]))
    >>> average.mean().tolist()
    [0.5, 0.5]
    """

    def __init__(self, seed: int | None, share_draws: bool = False) -> None:
        self._share_draws = share_draws
        self._generator = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        self._sum: Float64 | float = 0.0
        self._groups = 0
        self._is_complete = True

    def add(self, resampled: Float64 | None) -> None:
        """Add the resamples of a group: float64 [n_resamples, ...]; None if it has none."""
        if resampled is None:
            self._is_complete = False
            return
        if not self._share_draws:
            resampled = self._generator.permutation(resampled)
        self._sum = self._sum + resampled
        self._groups += 1

    def mean(self) -> Float64 | None:
        """Return the means, float64 [n_resamples, ...]; None unless every group has resamples.

        A group with one unit has none: every resample would equal it.
        """
        if not self._is_complete or not isinstance(self._sum, np.ndarray):
            return None
        return self._sum / self._groups


# The keys that results have of a macro-average, there with `macro_` in front.
# `macro_p_value` and the others; their values come from `MacroAverage.sample`.
_MACRO_KEYS = (
    "bleu",
    "score",
    "confidence_interval",
    "standard_error",
    "delta",
    "p_value",
    "degrees_of_freedom",
    "delta_interval",
    "delta_standard_error",
)


def add_macro_average(scores: Any, average: Mapping[str, object]) -> None:
    """Add a macro-average to the scores of the corpus, each key with `macro_` in front.

    >>> scores = {"bleu": 0.4}
    >>> add_macro_average(scores, {"bleu": 0.3, "bootstrap_mean": 0.31})
    >>> scores
    {'bleu': 0.4, 'macro_bleu': 0.3}
    """
    for key in _MACRO_KEYS:
        if key in average:
            scores[f"macro_{key}"] = average[key]


def read_macro_average(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the macro-average among the scores of a corpus, its keys without `macro_`.

    >>> read_macro_average({"bleu": 0.4, "macro_bleu": 0.3})
    {'bleu': 0.3}
    """
    return {key: scores[f"macro_{key}"] for key in _MACRO_KEYS if f"macro_{key}" in scores}


# --- Warnings of size -----------------------------------------------------------------------------


def warn_about_size(units: Units, counted: Counted) -> None:
    """Warn that a test set, or one of its groups, is too small for intervals and tests."""
    size = units.size
    unit = units.noun
    groups = count_units_of_groups(counted)
    few = sum(group < MIN_UNITS for group in groups)
    if 1 in groups:
        shown = count_things(groups.count(1), "group")
        without = "such a group and the macro-average have"
        if counted.shared_documents:  # the macro-average draws from all documents
            without = "such a group has"
        warn(messages.GROUPS_OF_ONE, groups=shown, unit=unit, without=without)
    elif few and size >= MIN_UNITS:
        shown = count_things(len(groups), "group")
        warn(messages.SMALL_GROUPS, few=few, groups=shown, unit=unit, limit=MIN_UNITS)
    if size == 1:
        warn(messages.ONE_UNIT, unit=unit)
    elif size < MIN_UNITS:
        warn(messages.FEW_UNITS, units=f"{size} {unit}s", unit=unit, limit=MIN_UNITS)
    elif units.effective_size < MIN_UNITS:
        weight = f"{size:,} {unit}s that weigh as much as {units.effective_size:.0f} of equal size"
        warn(messages.FEW_UNITS, units=weight, unit=unit, limit=MIN_UNITS)


def warn_about_trials(trials: int, alpha: float = 0.05, pairs: int = 1) -> None:
    """Warn that trials are too few for any p-value below `alpha`, after Holm's procedure."""
    enough = fewest_trials(alpha, pairs)
    if trials < enough:
        limit = _describe_level(alpha, pairs)
        warn(messages.FEW_RESAMPLES, n_resamples=trials, limit=limit, enough=enough)


def warn_about_exchanges(units: Units, alpha: float, pairs: int) -> None:
    """Warn that units are too few for any p-value below `alpha`, however many trials there are.

    Of the 2^n exchanges of n units, two make the largest difference: none, and all.

    Args:
        units: the segments or documents that are exchanged.
        alpha: the level of significance.
        pairs: the number of pairs, by which Holm's procedure multiplies the smallest p-value.
    """
    smallest = math.ldexp(2 * pairs, -units.size)
    if smallest >= alpha:
        enough = math.floor(math.log2(2 * pairs / alpha)) + 1
        warn(
            messages.FEW_EXCHANGES,
            units=count_things(units.size, units.noun),
            exchanges=f"{2**units.size:,}",
            limit=_describe_level(alpha, pairs),
            enough=count_things(enough, units.noun),
        )


def _describe_level(alpha: float, pairs: int) -> str:
    return f"{alpha}, with Holm's adjustment of {pairs:,} pairs" if pairs > 1 else str(alpha)


def warn_about_extremes(options: Options, place: str = "") -> None:
    """Warn that resamples are too few for an interval inside of their extremes."""
    if not options.confidence:
        return
    outside = (1 - options.confidence) / 2
    if round(options.n_resamples * outside, 9) < 1:
        warn(
            messages.EXTREMES,
            confidence=options.confidence,
            n_resamples=options.n_resamples,
            enough=math.ceil(round(1 / outside, 9)),
            place=place,
        )


def warn_about_errors(n_resamples: int) -> None:
    """Warn that resamples are too few for a standard error, which a t-test takes as known."""
    if n_resamples < _FEWEST_RESAMPLES_FOR_ERRORS:
        warn(
            messages.FEW_RESAMPLES_FOR_ERRORS,
            n_resamples=n_resamples,
            enough=_FEWEST_RESAMPLES_FOR_ERRORS,
        )


# --- Exact sums -----------------------------------------------------------------------------------


def _to_floats(weights: Int64) -> Floats:
    """Return weights as floats in which `_multiply` is exact: float32 if sums are small enough."""
    is_small = len(weights) * np.abs(weights).max() < _EXACT_IN_FLOAT32
    kind = np.float32 if is_small else np.float64
    # In C order, because OpenBLAS starts threads for smaller products if a factor is transposed.
    return weights.astype(kind, order="C")


def _multiply(times: Int64 | Bool, weights: Floats) -> Floats:
    """Return the matrix product of draws and statistics, [resamples, columns], as floats.

    The parts are too small for OpenBLAS to start threads. Its threads wait for each other at every
    product, which on a busy machine takes many times as long as the product itself.
    """
    sums = np.zeros((len(times), weights.shape[1]), weights.dtype)
    multiplications_per_unit = _RESAMPLES_PER_PRODUCT * weights.shape[1]
    units_per_product = max(1, _MULTIPLICATIONS_PER_PRODUCT // multiplications_per_unit)
    parts = _slices(len(weights), units_per_product)
    for resamples in _slices(len(times), _RESAMPLES_PER_PRODUCT):
        for part in parts:
            sums[resamples] += times[resamples, part].astype(weights.dtype) @ weights[part]
    return sums


def _blocks(label: str, total: int, size: int) -> Iterator[slice]:
    """Yield slices, with a progress bar after two seconds unless `datasets` disables it."""
    with tqdm(total=total, desc=label, delay=2) as bar:
        for block in _slices(total, size):
            yield block
            bar.update(min(size, total - block.start))


def _slices(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
