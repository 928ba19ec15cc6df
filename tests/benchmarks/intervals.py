"""The coverage and the width of 95% intervals whose truth is known, by percentiles and by Student's t.

    python tests/benchmarks/intervals.py [--runs N]

All outputs are those of systems of WMT21, as they are. The documents, or the segments, of a direction are the population: a
test set has a number of them, drawn with replacement, and the truth is the score of all. A direction has the system in the
middle of its ranking, and the next one.

1. By document, 5 to 120 of them, in ten directions: one system, and the difference of two in both orders. The last rows have
   systems that loop: every 40th document has nine times as many tokens, without more matches.
2. By segment: the difference.
3. Macro-averages, of groups with documents of their own and of groups that share documents.
4. How often the interval of a difference excludes 0 where the randomization test is not significant, or the reverse.

The first two tables call the functions that `compare` uses, because they need a hundred thousand corpora.
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import significance as simulations
from common import print_table
from helpers import WMT21
from significance import (
    GROUPINGS,
    ONE_SOURCE,
    OPTIONS,
    OWN_DOCUMENTS,
    Population,
    bleu_of,
    covers,
    list_common_systems,
    read_population,
    write_share,
)

significance = simulations.significance

CONFIDENCE = 0.95
DOCUMENTS = (5, 10, 20, 30, 60, 120)
LOOPING_DOCUMENTS = (10, 30, 120)
SEGMENTS = (10, 30, 100, 300)
MACRO_DOCUMENTS = (10, 30, 120)
TRIALS = 10_000  # of the randomization test
LOOPS = 9  # times as many tokens
FIRST_LOOP, LOOP_EVERY = 20, 40  # documents
UNITS_HEADER = [
    "one system: percentile", "one system: t", "difference: percentile", "difference: t",
    "width, t / percentile: one system", "difference",
]  # fmt: skip
MACRO_HEADER = ["groups", "documents", "`macro_confidence_interval`", "`macro_delta_interval`"]
DISAGREEMENT_HEADER = [
    "units", "interval excludes 0, p above 0.05", "interval contains 0, p below 0.05", "either",
]  # fmt: skip


class Pair(NamedTuple):
    """The system in the middle of a ranking, and the next one.

    rows: int64 [2, segments, 10].
    units: the segments of each unit.
    """

    rows: np.ndarray
    units: list[np.ndarray]

    def sums(self) -> np.ndarray:
        """Return the sums of the units, int64 [2, units, 10]."""
        return np.stack([self.rows[:, unit].sum(axis=1) for unit in self.units], axis=1)


def choose_pair(population: Population, *, by_document: bool = True) -> Pair:
    """Return the pair of a direction."""
    middle = len(population.rows) // 2
    units = population.documents
    if not by_document:
        units = [np.array([i]) for i in range(population.rows.shape[1])]
    return Pair(population.rows[middle : middle + 2], units)


def let_loop(pair: Pair) -> Pair:
    """Return the pair with a first system that loops: more tokens and n-grams, and not one more match."""
    rows = pair.rows.copy()
    for unit in pair.units[FIRST_LOOP::LOOP_EVERY]:
        rows[0, unit, 4:9] *= LOOPS
    return pair._replace(rows=rows)


class Coverage(NamedTuple):
    """What the intervals of a simulated test set contain, and their widths, in the order of `UNITS_HEADER`."""

    flags: list[bool]
    widths: list[float]


def describe(units: np.ndarray, truths: Sequence[float], seed: int) -> Coverage:
    """Return what the intervals contain; the units are int64 [2, units, 10]."""
    plan = significance.Plan(
        replace(OPTIONS, seed=seed, confidence=CONFIDENCE), significance.list_single_runs(2)
    )
    sample = significance.draw(significance.Units(units, "document"), plan)
    reversed_sample = significance.draw(significance.Units(units[::-1], "document"), plan)
    first, second = sample.resamples.drawn.T
    intervals = [
        significance.percentile_interval(first, CONFIDENCE),
        sample.estimate(0).interval(CONFIDENCE),
        significance.percentile_interval(second - first, CONFIDENCE),
        sample.difference(1).interval(CONFIDENCE),
    ]
    delta = truths[1] - truths[0]
    expected = [truths[0], truths[0], delta, delta]
    flags = [covers(interval, truth) for interval, truth in zip(intervals, expected)]
    flags[-1] &= covers(reversed_sample.difference(1).interval(CONFIDENCE), -delta)
    return Coverage(flags, [high - low for low, high in intervals])


def measure_units(
    pairs: Sequence[Pair], sizes: Sequence[int], runs: int, name: str
) -> Iterator[list[str]]:
    """Yield a row per number of units: the coverage in all directions, and in the lowest and the highest."""
    for size in sizes:
        flags, widths = [], []
        for number, pair in enumerate(pairs):
            sums = pair.sums()
            truths = bleu_of(sums.sum(axis=1)).tolist()
            generator = np.random.default_rng([number, size])
            of_pair = []
            for seed in range(runs):
                drawn = sums[:, generator.integers(sums.shape[1], size=size)]
                coverage = describe(drawn, truths, seed)
                of_pair.append(coverage.flags)
                widths.append(coverage.widths)
            flags.append(of_pair)
        shares = 100 * np.mean(flags, axis=1)  # [directions, intervals]
        errors = np.sqrt((shares * (100 - shares) / runs).sum(axis=0)) / len(pairs)
        cells = [
            f"{mean:.1f} ± {error:.1f} ({low:.0f}–{high:.0f})"
            for mean, error, low, high in zip(
                shares.mean(axis=0), errors, shares.min(axis=0), shares.max(axis=0)
            )
        ]
        one, one_t, difference, difference_t = np.mean(widths, axis=0)
        yield [name.format(size), *cells, f"{one_t / one:.2f}", f"{difference_t / difference:.2f}"]


def measure_macro(runs: int) -> Iterator[list[str]]:
    """Yield a row per grouping and number of documents."""
    populations = {
        direction: read_population(f"newstest2021.{direction}")
        for direction in (*OWN_DOCUMENTS, *ONE_SOURCE)
    }
    for grouping in GROUPINGS:
        of_grouping = [populations[name] for name in grouping.directions]
        names = list_common_systems(of_grouping)
        for size in MACRO_DOCUMENTS:
            flags = []
            for seed in range(runs):
                generator = np.random.default_rng([seed, size])
                first = generator.integers(len(names) - 1)
                flags.append(
                    describe_macro(grouping, of_grouping, names[first : first + 2], size, generator)
                )
            yield [grouping.name, str(size), *map(write_share, zip(*flags))]


def describe_macro(
    grouping: Any,
    populations: Sequence[Population],
    names: Sequence[str],
    size: int,
    generator: np.random.Generator,
) -> list[bool]:
    """Return whether the intervals of macro-averages contain the truth."""
    rows, labels, documents, truths = [], [], [], []
    drawn = generator.integers(len(populations[0].documents), size=size)
    for number, population in enumerate(populations):
        pair = population.rows[[population.names.index(name) for name in names]]
        if not grouping.shares_documents:
            drawn = generator.integers(len(population.documents), size=size)
        segments = np.concatenate([population.documents[i] for i in drawn])
        document_of = np.repeat(np.arange(size), [len(population.documents[i]) for i in drawn])
        rows.append(pair[:, segments])
        labels.append(number * grouping.parts + segments % grouping.parts)
        documents.append(document_of + (0 if grouping.shares_documents else number * size))
        for part in range(grouping.parts):
            truths.append(bleu_of(pair[:, part :: grouping.parts].sum(axis=1)))
    # 2. One sample per group, as `compare` draws it: groups of shared documents have the same draws.
    all_rows, all_labels, all_documents = (
        np.concatenate(rows, axis=1),
        np.concatenate(labels),
        np.concatenate(documents),
    )
    options = replace(OPTIONS, seed=int(generator.integers(1 << 30)), confidence=CONFIDENCE)
    plan = significance.Plan(options, significance.list_single_runs(2))
    has_own_documents = not grouping.shares_documents and grouping.parts == 1
    samples = []
    for label in np.unique(all_labels):
        of_group = all_labels == label
        first_document = all_documents[of_group].min() if has_own_documents else 0
        sums = np.zeros((2, size, all_rows.shape[2]), np.int64)
        np.add.at(
            sums, (slice(None), all_documents[of_group] - first_document), all_rows[:, of_group]
        )
        samples.append(significance.draw(significance.Units(sums, "document"), plan))
    average = simulations.average_samples(samples, not has_own_documents)
    base, system = np.mean(truths, axis=0).tolist()
    return [
        covers(average.estimate(1).interval(CONFIDENCE), system),
        covers(average.difference(1).interval(CONFIDENCE), system - base),
    ]


def measure_disagreement(populations: Sequence[Population], runs: int) -> Iterator[list[str]]:
    """Yield a row per number of units: any two systems of a direction, as they are."""
    for by_document, sizes in ((True, DOCUMENTS), (False, SEGMENTS)):
        for size in sizes:
            flags = []
            for seed in range(runs):
                population = populations[seed % len(populations)]
                generator = np.random.default_rng([seed, size])
                chosen = generator.choice(len(population.rows), size=2, replace=False)
                units = population.documents
                if not by_document:
                    units = [np.array([i]) for i in range(population.rows.shape[1])]
                sums = np.stack(
                    [
                        population.rows[chosen][:, units[i]].sum(axis=1)
                        for i in generator.integers(len(units), size=size)
                    ],
                    axis=1,
                )
                options = replace(OPTIONS, seed=seed, confidence=CONFIDENCE)
                plan = significance.Plan(
                    options,
                    significance.list_single_runs(2),
                    significance.RANDOMIZATION,
                    TRIALS,
                )
                sample = significance.draw(significance.Units(sums, "document"), plan)
                difference = sample.difference(1)
                tested: dict[str, float] = {}
                sample.add_test(1, difference, tested)
                excludes_zero = not covers(difference.interval(CONFIDENCE), 0)
                is_significant = tested["p_value"] < 1 - CONFIDENCE
                flags.append(
                    [
                        excludes_zero and not is_significant,
                        is_significant and not excludes_zero,
                        excludes_zero != is_significant,
                    ]
                )
            unit = "documents" if by_document else "segments"
            yield [f"{size} {unit}", *map(write_share, zip(*flags))]


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Print the tables of intervals in docs/simulations.md."
    )
    parser.add_argument("--runs", type=int, default=500, help="test sets per cell (default: 500)")
    runs = parser.parse_args().runs
    if not WMT21.is_dir():
        raise SystemExit(f"The outputs of WMT21 are needed in {WMT21}.")
    warnings.simplefilter("ignore")
    test_sets = sorted(path.stem for path in (WMT21 / "documents").glob("*.docs"))
    populations = [read_population(name) for name in test_sets]
    pairs = [choose_pair(population) for population in populations]
    print_table(["documents", *UNITS_HEADER], measure_units(pairs, DOCUMENTS, runs, "{}"))
    looping = [let_loop(pair) for pair in pairs]
    print_table(["documents", *UNITS_HEADER], measure_units(looping, LOOPING_DOCUMENTS, runs, "{}"))
    by_segment = [choose_pair(population, by_document=False) for population in populations]
    print_table(["segments", *UNITS_HEADER], measure_units(by_segment, SEGMENTS, runs, "{}"))
    print_table(MACRO_HEADER, measure_macro(runs))
    print_table(DISAGREEMENT_HEADER, measure_disagreement(populations, 2 * runs))


if __name__ == "__main__":
    main()
