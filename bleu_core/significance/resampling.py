"""What resampling draws, segments or sums of documents, and the scores of resamples.

Methods divide rows with `divide_into_units`; `tests.py` and `intervals.py` draw here. For the same
seed and count, the draws equal those of sacreBLEU: do not change their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from datasets.utils import tqdm

from ..options.options import Options
from ..options.signature import Origin
from ..rows.statistics import Counted, Group, sum_by_number
from ..rules.counting import Layout
from ..rules.scores import bleu, bleu_of_columns
from ..shared.arrays import PROCESSORS, Bool, Float64, Int64, Label
from ..text.labels import number_labels

Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]  # float32 or float64
# One array per system, int64 [units, 2 N + 2]. They are not joined, because a copy of all rows
# would double the memory.
StatisticsRows = Sequence[Int64]

_NUMBERS_PER_BLOCK = 1 << 22  # draws in memory, 32 MB, however many resamples there are
_DRAWS_AT_ONCE = 1 << 17  # 1 MB, which fits the processor's cache; a block stores their counts
ROWS_PER_SCORE = 1 << 15  # of pairs and trials, or of systems and units, scored together
_RESAMPLES_PER_PRODUCT = 32  # rows of one matrix product
_MULTIPLICATIONS_PER_PRODUCT = 1 << 19  # OpenBLAS starts threads above this

_EXACT_IN_FLOAT32 = 1 << 24  # integers up to here are exact in float32
_USUAL_TIMES = 16  # a unit is drawn more often in one of 10^15 resamples

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
        return sum_rows(self.rows)

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
    for systems in run_slices(len(rows), max(1, ROWS_PER_SCORE // size)):
        for units in run_slices(size, ROWS_PER_SCORE):
            block = np.stack([of_system[units] for of_system in rows[systems]])
            if totals is not None:
                block = totals[systems, np.newaxis] - block
            scores[systems, units] = bleu(block, options)
    return scores


def sum_rows(rows: StatisticsRows) -> Int64:
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
        sums[is_missing] = sum_rows(rows).ravel()
    return bleu(sums.reshape(n_resamples, systems, width).astype(np.int64), options)


def _draw_times(generator: np.random.Generator, times: np.ndarray[Any, np.dtype[np.int32]]) -> None:
    """Write how often each segment is drawn in each resample: int32 [resamples, segments]."""
    resamples, segments = times.shape
    for part in run_slices(resamples, max(1, _DRAWS_AT_ONCE // segments)):
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
    totals = sum_rows(rows).T[..., np.newaxis].astype(float)  # [width, systems, 1]
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
        pairs_at_once = max(1, ROWS_PER_SCORE // trials)
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
        parts = run_slices(units, _count_units_per_product(columns))
        most = max(_RESAMPLES_PER_PRODUCT, _MULTIPLICATIONS_PER_PRODUCT // self.values.size)
        for resamples in run_slices(len(times), most):
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
        for block in run_slices(total, size):
            yield block
            bar.update(min(size, total - block.start))


def run_slices(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
