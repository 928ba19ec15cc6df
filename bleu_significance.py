"""How certain a score or a difference is: units, draws, tests, standard errors and intervals.

Units are what resampling draws: segments, or sums of documents. A sample has the scores of systems
and their variances over other units. From a sample come standard errors, intervals and p-values,
by one interface for systems with one training run and with several, for a corpus, for a group, and
for the mean over groups (`MacroAverage`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from datasets.utils import tqdm

from .bleu_corpus import PROCESSORS, Bool, Float64, Int64, Label, Layout, number_labels
from .bleu_messages import Notice, count_things, warn
from .bleu_options import Options, Origin
from .bleu_results import DifferenceUncertainty, TestedDifference, Uncertainty
from .bleu_scoring import NOISE, bleu, bleu_of_columns
from .bleu_statistics import Counted, Group, sum_by_number

Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]  # float32 or float64
# One array per system, int64 [units, 2 N + 2]. They are not joined, because a copy of all rows
# would double the memory.
StatisticsRows = Sequence[Int64]

MIN_UNITS = 30  # segments or documents, for intervals and tests

_NUMBERS_PER_BLOCK = 1 << 22  # draws in memory, 32 MB, however many resamples there are
_DRAWS_AT_ONCE = 1 << 17  # 1 MB, which fits the processor's cache; a block stores their counts
_ROWS_PER_SCORE = 1 << 15  # of pairs and trials, or of systems and units, scored together
_RESAMPLES_PER_PRODUCT = 32  # rows of one matrix product
_MULTIPLICATIONS_PER_PRODUCT = 1 << 19  # OpenBLAS starts threads above this
_FEWEST_RESAMPLES_FOR_ERRORS = 100  # the relative error of a standard error is then 7%
_EXACT_IN_FLOAT32 = 1 << 24  # integers up to here are exact in float32
_USUAL_TIMES = 16  # a unit is drawn more often in one of 10^15 resamples


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
    test: None for intervals alone.
    trials: the number of resamples of the test.
    has_segments: True if segments are compared, too; False if rows are sums.
    """

    options: Options
    runs: Sequence[slice]
    test: Test | None = None
    trials: int = 0
    has_segments: bool = True

    @property
    def compares_runs(self) -> bool:
        """True if systems have several training runs."""
        return self.test is not None and self.test.compares_runs

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


# --- Units ----------------------------------------------------------------------------------------


class Units(NamedTuple):
    """What resampling draws: segments, or sums of documents.

    rows: of each system, int64 [units, 2 N + 2].
    noun: `"segment"` or `"document"`.
    present: bool [units], the units of the group of the rows, which are 0 for all others; None if
        all units belong to it.
    """

    rows: StatisticsRows
    noun: str
    present: Bool | None = None

    @property
    def size(self) -> int:
        """The number of units."""
        return len(self.rows[0])

    @property
    def totals(self) -> Int64:
        """The sum of the rows of each system: int64 [systems, 2 N + 2]."""
        return _sum_rows(self.rows)

    @property
    def effective_size(self) -> float:
        """The number of units of equal size that weigh as much: (Σ sizes)² / Σ sizes².

        The size of a document is its reference tokens, for the first system. Segments all count.
        """
        if self.noun == "segment":
            return self.size
        rows = self.rows[0]
        layout = Layout.of_width(rows.shape[-1])
        sizes = rows[:, layout.reference_length].astype(float)
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
    rows: of each system, int64 [segments, 2 N + 2].
    units: what resampling draws in this group.
    units_of_corpus: what resampling draws for the average of all groups if they share documents:
        those of the whole corpus; None if each group has documents of its own.
    """

    label: Label
    origin: Origin
    rows: StatisticsRows
    units: Units
    units_of_corpus: Units | None


def divide_into_units(
    counted: Counted, rows: StatisticsRows, segments: Int64 | None = None
) -> Units:
    """Return what resampling draws; documents are in the order of first appearance.

    Args:
        counted: the documents.
        rows: of each system, int64 [segments, 2 N + 2]; all systems have these documents.
        segments: the segments in `rows`; None for all.

    >>> rows = np.array([[1, 1, 1, 1], [0, 2, 2, 3], [0, 1, 1, 1]])
    >>> counted = Counted(rows, Origin("13a", "1"), documents=["b", "a", "b"])
    >>> [of_system.tolist() for of_system in divide_into_units(counted, [rows]).rows]
    [[[1, 2, 2, 2], [0, 2, 2, 3]]]
    """
    numbers = counted.document_numbers
    if numbers is None:
        return Units(rows, "segment")
    if segments is not None:
        numbers = number_labels(numbers[segments].tolist())
    return Units(sum_by_number(rows, numbers), "document")


def count_units_of_groups(counted: Counted) -> list[int]:
    """Return the number of units of each group."""
    numbers = counted.document_numbers
    if numbers is None:
        return [len(group.segments) for group in counted.groups.values()]
    return [len(np.unique(numbers[group.segments])) for group in counted.groups.values()]


def list_groups(counted: Counted, rows: StatisticsRows) -> Iterator[GroupRows]:
    """Yield the rows of each group; `rows` are as in `divide_into_units`.

    A group that the caller deletes is not kept here, so that one group at a time is in memory.
    """
    for label, group in counted.groups.items():
        yield _take_group(label, group, counted, rows)


def _take_group(label: Label, group: Group, counted: Counted, rows: StatisticsRows) -> GroupRows:
    """Return the rows of a group."""
    group_rows = _take_segments(rows, group.segments)
    units = divide_into_units(counted, group_rows, group.segments)
    units_of_corpus = None
    numbers = counted.document_numbers
    if numbers is not None and counted.shared_documents:
        present = np.zeros(int(numbers.max()) + 1, bool)
        present[numbers[group.segments]] = True
        rows_of_corpus = []
        for sums in sum_by_number(group_rows, numbers[group.segments]):
            of_corpus = np.zeros((len(present), sums.shape[-1]), np.int64)
            of_corpus[present] = sums
            rows_of_corpus.append(of_corpus)
        units_of_corpus = Units(rows_of_corpus, "document", present)
    return GroupRows(label, group.origin, group_rows, units, units_of_corpus)


def _take_segments(rows: StatisticsRows, segments: Int64) -> StatisticsRows:
    """Return the rows of segments, given in ascending order."""
    first = int(segments[0])
    end = int(segments[-1]) + 1
    if end - first == len(segments):  # adjacent, as in joined test sets: a view takes no memory
        return [of_system[first:end] for of_system in rows]
    return [of_system[segments] for of_system in rows]


def score_units(rows: StatisticsRows, options: Options, totals: Int64 | None = None) -> Float64:
    """Return BLEU of each unit, or of the corpus without it: float64 [systems, units].

    What it takes beside the scores does not grow with the number of units.

    Args:
        rows: of each system, int64 [units, 2 N + 2].
        options: as for `bleu`.
        totals: int64 [systems, 2 N + 2], to score the corpus without each unit; None for the units.

    >>> rows = np.array([[1, 1, 1, 1], [0, 1, 1, 1]])
    >>> options = Options(max_order=1)
    >>> score_units([rows], options).tolist(), score_units([rows], options, rows[:1] + rows[1:])
    ([[1.0, 0.0]], array([[0., 1.]]))
    """
    size = len(rows[0])
    scores = np.empty((len(rows), size))
    for systems in _run_slices(len(rows), max(1, _ROWS_PER_SCORE // size)):
        for units in _run_slices(size, _ROWS_PER_SCORE):
            block = np.stack([of_system[units] for of_system in rows[systems]])
            if totals is not None:
                block = totals[systems, np.newaxis] - block
            scores[systems, units] = bleu(block, options)
    return scores


def _sum_rows(rows: StatisticsRows) -> Int64:
    return np.stack([of_system.sum(axis=0) for of_system in rows])


# --- Resampling -----------------------------------------------------------------------------------
#
# For the same seed and count, the draws equal those of sacreBLEU 2.6; the global generator is not
# touched. A resample is stored as the number of times that each segment was drawn. Its statistics
# are then a matrix product with the rows, in constant memory. Sums of integers in float64 are exact
# up to 2^53.


def bootstrap_scores(
    rows: StatisticsRows, options: Options, n_resamples: int, present: Bool | None = None
) -> Float64:
    """Return BLEU of systems on corpora drawn with replacement from the segments (Koehn, 2004).

    The draws depend on `options.seed` and the number of segments, and are the same for all systems.

    Args:
        rows: of each system, int64 [segments, 2 N + 2], or the rows of documents.
        options: as for `bleu`, and `seed`.
        n_resamples: the number of drawn corpora.
        present: a flag per segment or document: whether it belongs to the group of the rows, which
            are 0 for all others; None if all belong to it. A corpus without any gets the observed
            score.

    Returns:
        float64 [n_resamples, systems].

    >>> rows = np.array([[1, 1, 1, 1], [0, 1, 1, 1]])
    >>> bootstrap_scores([rows], Options(max_order=1, seed=0), 5).tolist()
    [[0.0], [0.5], [1.0], [1.0], [0.5]]
    """
    systems = len(rows)
    segments, width = rows[0].shape
    generator = np.random.default_rng(options.seed)
    largest = max(map(_find_largest, rows))
    weights = ResampleMatrix.allocate(segments, systems * width, largest, most_times=_USUAL_TIMES)
    for system, of_system in enumerate(rows):
        weights.values[:, system * width : (system + 1) * width] = of_system
    sums = np.empty((n_resamples, systems * width))
    is_missing = np.zeros(n_resamples, bool)
    # So few resamples at once mostly fit the processor's cache.
    resamples = max(_RESAMPLES_PER_PRODUCT, _DRAWS_AT_ONCE // segments)
    size = max(1, min(resamples, _NUMBERS_PER_BLOCK // segments))
    all_times = np.empty((size, segments), np.int32)
    for block in _blocks("Bootstrap", n_resamples, size):
        times = all_times[: block.stop - block.start]
        _draw_times(generator, times)
        sums[block] = weights.multiply(times)
        if present is not None:
            is_missing[block] = times[:, present].sum(axis=1) == 0
    if present is not None:
        sums[is_missing] = _sum_rows(rows).ravel()
    return bleu(sums.reshape(n_resamples, systems, width).astype(np.int64), options)


def _draw_times(generator: np.random.Generator, times: np.ndarray[Any, np.dtype[np.int32]]) -> None:
    """Write how often each segment is drawn in each resample: int32 [resamples, segments]."""
    resamples, segments = times.shape
    for part in _run_slices(resamples, max(1, _DRAWS_AT_ONCE // segments)):
        part_times = times[part]
        drawn = generator.integers(segments, size=part_times.shape)
        # Each resample counts in a range of its own, so that one call counts several.
        drawn += np.arange(0, part_times.size, segments)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=part_times.size)
        part_times[:] = counts.reshape(part_times.shape)
        del drawn, counts  # before the next part is drawn


def randomization_differences(
    rows: StatisticsRows, options: Options, n_resamples: int, baselines: int = 1
) -> Iterator[Float64]:
    """Yield differences of BLEU between two systems whose outputs are exchanged at random.

    This is paired approximate randomization (Noreen, 1989; Riezler and Maxwell, 2005): per unit, a
    segment or a document, a coin decides whether two systems exchange their outputs.

    Args:
        rows: of each system, int64 [units, 2 N + 2].
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
    >>> (differences,) = randomization_differences([baseline, system], options, 4)
    >>> differences[:, 0].round(4).tolist()
    [0.0, -0.5714, -0.2857, -0.2857]
    """
    systems = len(rows)
    n_units, width = rows[0].shape
    # 1. Take the rows of each system relative to the first system, whose own become 0. For the
    #    drawn units, let moved_s be the sum of these differences. If a and b exchange the drawn
    #    units, the sum of a becomes total_a - Σ row_a + Σ row_b = (total_a - moved_a) + moved_b,
    #    because the rows of the first system cancel.
    totals = _sum_rows(rows).T[..., np.newaxis].astype(float)  # [width, systems, 1]
    # 2. Many columns are equal: totals follow from lengths, and systems share references. Each
    #    different column is multiplied once.
    weights, copies = _weigh_gains(rows)

    def score_trials(drawn: Bool) -> Float64:
        """Return the differences of all pairs; `drawn` has one flag per trial and unit."""
        trials = len(drawn)
        moved = np.zeros((width, systems, trials))  # 0 for the first system
        columns = weights.multiply(drawn).T[copies]  # [(systems - 1) * width, trials]
        moved[:, 1:] = columns.reshape(systems - 1, width, trials).swapaxes(0, 1)
        kept: Float64 = totals - moved
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
    draws = (
        generator.integers(2, size=(block.stop - block.start, n_units), dtype=bool)
        for block in _blocks("Randomization", n_resamples, size)
    )

    # 4. Score. NumPy releases the GIL; each thread has a block in memory.
    threads = min(PROCESSORS, 4)
    with ThreadPoolExecutor(threads) as pool:
        while some_draws := list(islice(draws, threads)):
            yield from pool.map(score_trials, some_draws)


def _weigh_gains(rows: StatisticsRows) -> tuple[ResampleMatrix, list[int]]:
    """Weigh the rows of all systems but the first, minus those of the first.

    Returns:
        The different columns, and the number of each column, system by system, among them.
    """
    # 1. Number equal columns. One system at a time is in memory.
    number_of: dict[bytes, int] = {}
    copies = []
    places: list[tuple[int, int]] = []  # the system and the column of each different column
    largest = 0
    for system in range(1, len(rows)):
        gains = rows[system] - rows[0]
        largest = max(largest, _find_largest(gains))
        for column, values in enumerate(gains.T):
            number = number_of.setdefault(sha256(values.tobytes()).digest(), len(number_of))
            copies.append(number)
            if number == len(places):
                places.append((system, column))
    # 2. Keep the different ones as floats.
    weights = ResampleMatrix.allocate(len(rows[0]), len(places), largest, most_times=1)
    for number, (system, column) in enumerate(places):
        weights.values[:, number] = rows[system][:, column] - rows[0][:, column]
    return weights, copies


# --- p-values -------------------------------------------------------------------------------------


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


def center_as_sacrebleu(differences: Float64) -> Float64:
    """Return absolute differences minus their mean, as sacreBLEU computes them.

    Riezler and Maxwell (2005) describe the test. If one system is better in most resamples, the
    test is one-sided in effect: at the 5% level, `permutation_p_value` rejects a true null
    hypothesis in 11% to 13% of cases, with 30 segments or more.
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
    exceeding = np.zeros(len(deltas))
    for block in randomization_differences(
        units.rows, plan.options, plan.trials, baselines=len(units.rows)
    ):
        exceeding += (np.abs(block) >= np.abs(deltas) - NOISE).sum(axis=0)
    return (exceeding + 1) / (plan.trials + 1)


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
    method: how its interval is found.
    degrees_of_freedom: those of Student's t; None for another method.
    lowest: the lower end of the scale: 0, or -1 for a difference.
    resampled: float64 [n_resamples], the value on resamples; None over several runs.
    """

    value: float
    standard_error: float
    method: IntervalMethod
    degrees_of_freedom: float | None = None
    lowest: float = 0.0
    resampled: Float64 | None = None

    def interval(self, confidence: float) -> list[float]:
        """Return the ends of the interval."""
        return self.method.find_ends(self, confidence)

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

        >>> estimate = Estimate(0.02, 0.01, STUDENT, degrees_of_freedom=1e6)
        >>> round(estimate.detectable_difference(), 4)
        0.028
        """
        return (self.t_quantile(0.975) + self.t_quantile(0.8)) * self.standard_error

    def t_quantile(self, share: float) -> float:
        """Return a quantile of Student's t with the degrees of freedom."""
        return float(import_scipy().stdtrit(self.degrees_of_freedom, share))


class IntervalMethod(NamedTuple):
    """How intervals are found.

    key: the key beside an interval, in results, by which its method is known; empty for one method.
    find_ends: the function from an estimate and a confidence to both ends.
    describe: the function from the values under `key` beside intervals to the method in words.
    """

    key: str
    find_ends: Callable[[Estimate, float], list[float]]
    describe: Callable[[Sequence[float]], str]


def _find_t_interval(estimate: Estimate, confidence: float) -> list[float]:
    """Return value ± t · SE, cut off at the ends of the scale."""
    margin = estimate.t_quantile((1 + confidence) / 2) * estimate.standard_error
    return [max(estimate.lowest, estimate.value - margin), min(1.0, estimate.value + margin)]


def _describe_t(degrees_of_freedom: Sequence[float]) -> str:
    ends = min(degrees_of_freedom), max(degrees_of_freedom)
    written = [f"{end:.1f}".removesuffix(".0") for end in ends]
    return f"t with {' to '.join(dict.fromkeys(written))} degrees of freedom"


def _find_percentiles(estimate: Estimate, confidence: float) -> list[float]:
    assert estimate.resampled is not None
    return percentile_interval(estimate.resampled, confidence)


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


STUDENT = IntervalMethod("degrees_of_freedom", _find_t_interval, _describe_t)
PERCENTILES = IntervalMethod("", _find_percentiles, lambda _: "percentile bootstrap")
INTERVAL_METHODS = (STUDENT, PERCENTILES)  # the one without a key last


def describe_intervals(scores: Iterable[Mapping[str, Any]], prefix: str = "") -> str:
    """Write by which methods the intervals of scores were found; "" without intervals.

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
    left = [one for one in scores if interval in one]
    described = []
    for method in INTERVAL_METHODS:
        key = prefix + method.key if method.key else interval
        values = [one[key] for one in left if key in one]
        left = [one for one in left if key not in one]
        if values:
            described.append(method.describe(values))
    return " or ".join(described)


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


# --- Samples --------------------------------------------------------------------------------------


def add_estimate(scores: Uncertainty, estimate: Estimate | None, confidence: float | None) -> None:
    """Add the interval and the standard error of a score; no keys without an estimate."""
    if estimate is None or confidence is None:
        return
    scores["confidence_interval"] = estimate.interval(confidence)
    if estimate.degrees_of_freedom is not None:
        scores["degrees_of_freedom"] = estimate.degrees_of_freedom
    if estimate.resampled is not None:
        scores["bootstrap_mean"] = float(estimate.resampled.mean())
    scores["standard_error"] = estimate.standard_error


def add_difference(
    scores: DifferenceUncertainty, estimate: Estimate | None, confidence: float | None
) -> None:
    """Add the interval and the standard error of a difference; no keys without an estimate."""
    if estimate is None or confidence is None:
        return
    scores["delta_interval"] = estimate.interval(confidence)
    if estimate.degrees_of_freedom is not None:
        scores["delta_degrees_of_freedom"] = estimate.degrees_of_freedom
    scores["delta_standard_error"] = estimate.standard_error
    scores["detectable_delta"] = estimate.detectable_difference()


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
            return Estimate(score, float(resampled.std()), PERCENTILES, resampled=resampled)
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
        return Estimate(value, standard_error, STUDENT, degrees_of_freedom)

    def add_test(self, system: int, difference: Estimate | None, scores: TestedDifference) -> None:
        """Add the test of the difference from the first system; no keys without a test."""
        if self.plan.test is not None:
            self.plan.test.add_p_values(self, system, difference, scores)


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
        differences = sample.differences[:, system - 1]
        scores["p_value"] = permutation_p_value(center(sample.differences)[:, system - 1], delta)
        scores["p_value_sacrebleu"] = permutation_p_value(center_as_sacrebleu(differences), delta)


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
    if units.can_resample and test is not None and test.draw is not None and not tests_resamples:
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


# The keys that results have of a macro-average, there with `macro_` in front.
# `macro_p_value` and the others; their values come from `MacroAverage.sample`.
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


# --- Warnings of size -----------------------------------------------------------------------------


_GROUPS_OF_ONE = Notice(
    "small groups",
    "{groups} a single {unit}, so {without} an interval or p-value",
    ". Pass more {unit}s per group",
)
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
    few = sum(group < MIN_UNITS for group in groups)
    single = groups.count(1)
    if single:
        shown = f"{count_things(single, 'group')} {'has' if single == 1 else 'have'}"
        without = f"neither {'it' if single == 1 else 'they'} nor the macro-average gets"
        if counted.shared_documents:  # the macro-average draws from all documents
            without = "it does not get" if single == 1 else "they do not get"
        warn(_GROUPS_OF_ONE, groups=shown, unit=unit, without=without)
    elif few and size >= MIN_UNITS:
        shown = count_things(len(groups), "group")
        warn(
            Notice(
                "small groups",
                "{few} of {groups} with fewer than {limit} {unit}s: their intervals and tests are"
                " unreliable",
                ". Use {limit} {unit}s or more per group",
            ),
            few=few,
            groups=shown,
            unit=unit,
            limit=MIN_UNITS,
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
    elif size < MIN_UNITS:
        warn(few_units, units=f"{size} {unit}s", unit=unit, limit=MIN_UNITS)
    elif units.effective_size < MIN_UNITS:
        weight = f"{size:,} {unit}s that weigh as much as {units.effective_size:.0f} of equal size"
        warn(few_units, units=weight, unit=unit, limit=MIN_UNITS)


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


# --- Exact sums -----------------------------------------------------------------------------------


class ResampleMatrix(NamedTuple):
    """Columns of statistics as floats, and exact products with them.

    values: float32 or float64 [units, columns]; integers.
    sums_are_small: True if the sum of a resample is exact in float32.
    """

    values: Floats
    sums_are_small: bool

    @classmethod
    def allocate(cls, units: int, columns: int, largest: int, *, most_times: int) -> ResampleMatrix:
        """Return uninitialized weights.

        Args:
            units, columns: their shape.
            largest: the largest absolute value.
            most_times: how often a unit is drawn, except in rare resamples.
        """
        # A resample has at most as many units as the corpus.
        sums_are_small = units * largest < _EXACT_IN_FLOAT32
        is_exact = sums_are_small or _fits_product(units, columns, largest * most_times)
        # In C order, because OpenBLAS starts threads for smaller products if a factor is
        # transposed.
        values = np.empty((units, columns), np.float32 if is_exact else np.float64)
        return cls(values, sums_are_small)

    def multiply(self, times: np.ndarray[Any, np.dtype[np.int32 | np.bool_]]) -> Floats:
        """Return the matrix product of draws and weights, [resamples, columns].

        The parts are too small for OpenBLAS to start threads. Its threads wait for each other at
        every product, which on a busy machine takes many times as long as the product itself. So
        a part is exact in float32 where the sum of all parts needs float64.

        >>> weights = ResampleMatrix(np.array([[3, 1], [2, 2]], np.float32), sums_are_small=True)
        >>> weights.multiply(np.array([[2, 0], [1, 1]], np.int32)).tolist()
        [[6.0, 2.0], [5.0, 3.0]]
        """
        units, columns = self.values.shape
        kind = self.values.dtype.type
        most_times = int(times.max())
        if kind == np.float32 and not self.sums_are_small and most_times > _USUAL_TIMES:
            largest = int(np.abs(self.values).max())
            if not _fits_product(units, columns, largest * most_times):
                kind = np.float64
        sums = np.zeros((len(times), columns), np.float32 if self.sums_are_small else np.float64)
        parts = _run_slices(units, _count_units_per_product(columns))
        most = max(_RESAMPLES_PER_PRODUCT, _MULTIPLICATIONS_PER_PRODUCT // self.values.size)
        for resamples in _run_slices(len(times), most):
            for part in parts:
                weights = self.values[part].astype(kind, copy=False)
                sums[resamples] += times[resamples, part].astype(kind) @ weights
        return sums


def _fits_product(units: int, columns: int, largest: int) -> bool:
    """Return True if one matrix product is exact in float32.

    Args:
        units, columns: the shape of the weights.
        largest: the largest absolute value of a term of its sums.
    """
    return min(units, _count_units_per_product(columns)) * largest < _EXACT_IN_FLOAT32


def _count_units_per_product(columns: int) -> int:
    return max(1, _MULTIPLICATIONS_PER_PRODUCT // (_RESAMPLES_PER_PRODUCT * columns))


def _find_largest(values: Int64) -> int:
    return max(int(values.max()), -int(values.min()))


def _blocks(label: str, total: int, size: int) -> Iterator[slice]:
    """Yield slices, with a progress bar after two seconds unless `datasets` disables it."""
    with tqdm(total=total, desc=label, delay=2) as bar:
        for block in _run_slices(total, size):
            yield block
            bar.update(min(size, total - block.start))


def _run_slices(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
