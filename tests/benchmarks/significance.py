"""The tests and intervals of `compare` and `rank` on test sets whose truth is known: false alarms, coverage, power.

    python tests/benchmarks/significance.py [--runs N] [--runs-per-system | --trained]

All outputs are those of systems of WMT21, all calls are those that users write. Each cell has its standard error.

1. Documents. Two systems that follow each other in the ranking of their direction exchange whole documents at random, so that
   neither system is better. A run draws documents of one of ten directions, with replacement; or one document has half of all
   segments. `intervals.py` has the coverage of intervals.
3. Segments. Two systems exchange segments at random. A run draws segments with replacement. For power, the baseline loses a
   share of its matches, just enough that the true difference is the `detectable_delta` that such test sets report on average.
2. Groups. Two systems exchange whole documents, in all groups at once where groups share documents. Groups are directions with
   documents of their own, directions of one source text (English to Icelandic and to Japanese), and labels that alternate
   within the documents of a direction.
4. Rankings. All systems (complete null), or two of them (partial null), have their outputs permuted within each segment. A run
   draws segments with replacement. "max-T" is the step-down procedure over paired bootstraps (Romano and Wolf, 2005).

With `--runs-per-system`:

5. Training runs. A run of a configuration has, per segment, the output of a better or of a worse system, with a share that
   differs by run. Two configurations have different systems, and exchange whole documents at random. For power, the shares of
   the second configuration are larger. These tables call the function that `compare` uses, because they need 500 times as
   many corpora as runs.

With `--trained`:

6. Trained runs. A tiny T5 learns to sort the words of sentences, with ten seeds per task. Three seeds against three others are
   two configurations that differ by the seed only. A task has sentences of its own.
"""

import argparse
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import sqrt
from typing import Any, NamedTuple

import evaluate
import numpy as np
import pyarrow as pa
from common import METRIC, REFERENCES, print_table
from helpers import WMT21, read_lines
from scipy.stats import ttest_ind

DOCUMENTS = (30, 60, 120)
SEGMENTS = (5, 10, 30, 100, 400)
RESAMPLES = 1_000  # of either test
RANKED_SYSTEMS, RANKED_SEGMENTS = (3, 10, 20), (30, 100, 400)
LEVEL = 0.05
DOCUMENTS_HEADER = [
    "documents", "false alarms: randomization by segment", "randomization by document", "bootstrap by segment",
    "bootstrap by document", "coverage: `confidence_interval` by segment",
]  # fmt: skip
SEGMENTS_HEADER = [
    "segments", "false alarms: randomization", "bootstrap", "`p_value_sacrebleu`", "coverage: `confidence_interval`",
    "`delta_interval`", "`detectable_delta`, points", "power",
]  # fmt: skip
UNEVEN_DOCUMENTS = (20, 40, 100)
UNEVEN_HEADER = [
    "documents beside the large one", "false alarms: randomization", "bootstrap",
    "coverage: `delta_interval`",
]  # fmt: skip
GROUPS_HEADER = [
    "groups", "documents", "false alarms of `macro_p_value`: randomization", "each group by itself", "bootstrap",
    "each group by itself",
]  # fmt: skip
SMALL_GROUPS = (2, 3, 10)
SMALL_GROUPS_HEADER = [
    "documents of the smaller group, of 100", "false alarms: randomization", "bootstrap",
    "coverage: `macro_confidence_interval`", "`macro_delta_interval`",
]  # fmt: skip
RANK_HEADER = [
    "systems", "segments", "complete null, max-T", "complete null, `rank`", "partial null, max-T",
    "partial null, `rank`", "pairs", "pairs found by max-T", "pairs found by `rank`",
]  # fmt: skip

metric = evaluate.load(METRIC)


class Population(NamedTuple):
    """The statistics rows of the systems of a direction, best first: int64 [systems, segments, 10], and its documents."""

    rows: np.ndarray
    documents: list[np.ndarray]  # the segments of each document
    schema: pa.Schema
    names: list[str]


def read_population(test_set: str, letters: str = "A", n_systems: int | None = None) -> Population:
    """Read all or the first outputs of a direction, such as `newstest2021.de-fr`."""
    target = test_set.split("-")[1]
    streams = [
        read_lines(WMT21 / "references" / f"{test_set}.ref.{letter}.{target}") for letter in letters
    ]
    paths = sorted((WMT21 / "system-outputs").glob(f"{test_set}.hyp.*.{target}"))[:n_systems]
    options = {"tokenize": "char"} if target == "ja" else {}
    tables = [
        metric.statistics(predictions=read_lines(path), references=list(zip(*streams)), **options)
        for path in paths
    ]
    rows = np.stack([table.to_pandas().to_numpy() for table in tables])
    order = np.argsort([-score(one) for one in rows.sum(axis=1)])
    path = WMT21 / "documents" / f"{test_set}.docs"
    labels = np.array(read_lines(path)) if path.exists() else np.arange(rows.shape[1])
    return Population(
        rows[order],
        [np.flatnonzero(labels == label) for label in np.unique(labels)],
        tables[0].schema,
        [paths[i].name.split(".hyp.")[1].rsplit(".", 1)[0] for i in order],
    )


def score(total: np.ndarray) -> float:
    """Return BLEU (0 to 1) of summed statistics, int64 [10]."""
    return metric.compute(statistics=total)["bleu"]


def as_systems(rows: np.ndarray, schema: pa.Schema) -> dict[str, pa.Table]:
    """Return what `compare` and `rank` take, from int64 [systems, segments, 10]."""
    return {str(name): pa.table(list(one.T), schema=schema) for name, one in enumerate(rows)}


def write_share(flags: Sequence[Any]) -> str:
    """Write a share in percent with its standard error."""
    share = np.mean(flags)
    return f"{100 * share:.1f} ± {100 * sqrt(share * (1 - share) / len(flags)):.1f}"


# --- 1. Documents ---------------------------------------------------------------------------------


class DrawnPair(NamedTuple):
    """Two systems that follow each other in the ranking, and the documents of a simulated test set.

    population: where they are from.
    rows: int64 [2, segments of the population, 2 N + 2], the better system first.
    segments: the positions of the drawn segments in the population, document by document.
    sizes: the number of segments of each drawn document.
    generator: for further draws.
    """

    population: Population
    rows: np.ndarray
    segments: np.ndarray
    sizes: list[int]
    generator: np.random.Generator

    def exchange(self, labels: np.ndarray) -> dict[str, pa.Table]:
        """Return the systems with their outputs exchanged at random for each label."""
        exchanged = self.generator.integers(2, size=labels.max() + 1)[labels]
        first = self.rows[exchanged, self.segments]
        second = self.rows[1 - exchanged, self.segments]
        return as_systems(np.stack([first, second]), self.population.schema)


def draw_pair(populations: list[Population], size: int, run: int) -> DrawnPair:
    """Draw a pair of systems, and documents with replacement."""
    population = populations[run % len(populations)]
    generator = np.random.default_rng(run)
    first = generator.integers(len(population.rows) - 1)
    drawn = [
        population.documents[i] for i in generator.integers(len(population.documents), size=size)
    ]
    return DrawnPair(
        population,
        population.rows[first : first + 2],
        np.concatenate(drawn),
        [len(segments) for segments in drawn],
        generator,
    )


def measure_documents(populations: list[Population], runs: int) -> Iterator[list[str]]:
    """Yield a row of the table per number of documents."""
    for size in DOCUMENTS:
        flags = []
        for run in range(runs):
            pair = draw_pair(populations, size, run)
            documents = np.repeat(np.arange(size), pair.sizes)
            systems = pair.exchange(documents)
            truth = score(pair.rows.sum(axis=(0, 1)))
            alarms = []
            for test in ("randomization", "bootstrap"):
                for given in ({}, {"documents": documents}):
                    result = metric.compare(
                        systems, test=test, n_resamples=RESAMPLES, seed=run, **given
                    )["systems"]["1"]
                    alarms.append(result["p_value"] < LEVEL)
                    if not given:
                        by_segment = covers(result["confidence_interval"], truth)
            flags.append([*alarms, by_segment])
        yield [str(size), *map(write_share, zip(*flags))]


def measure_uneven(populations: list[Population], runs: int) -> Iterator[list[str]]:
    """Yield a row per number of documents beside one that has half of all segments."""
    for size in UNEVEN_DOCUMENTS:
        flags = []
        for run in range(runs):
            pair = draw_pair(populations, 2 * size, run)
            documents = np.repeat(np.minimum(np.arange(2 * size), size), pair.sizes)
            systems = pair.exchange(documents)
            alarms = []
            for test in ("randomization", "bootstrap"):
                result = metric.compare(
                    systems, test=test, n_resamples=RESAMPLES, seed=run, documents=documents
                )["systems"]["1"]
                alarms.append(result["p_value"] < LEVEL)
            flags.append([*alarms, covers(result["delta_interval"], 0)])
        yield [str(size), *map(write_share, zip(*flags))]


def covers(interval: Sequence[float], truth: float) -> bool:
    """Return True if an interval contains the truth."""
    low, high = interval
    return low <= truth <= high


# --- 2. Groups ------------------------------------------------------------------------------------

OWN_DOCUMENTS = ("de-fr", "fr-de", "is-en", "ja-en")
ONE_SOURCE = ("en-is", "en-ja")


class Grouping(NamedTuple):
    """Groups of a simulated test set.

    name: how they share documents.
    directions: the directions of WMT21, each with its systems.
    parts: the labels that alternate within the documents of each direction.
    shares_documents: True if all directions have the documents of the first.
    """

    name: str
    directions: tuple[str, ...]
    parts: int = 1
    shares_documents: bool = False


GROUPINGS = (
    Grouping("2 groups, documents of their own", OWN_DOCUMENTS[:2]),
    Grouping("4 groups, documents of their own", OWN_DOCUMENTS),
    Grouping("2 directions of one source", ONE_SOURCE, shares_documents=True),
    Grouping("2 directions of one source, 2 labels in each document", ONE_SOURCE, 2, True),
    Grouping("2 labels in each document", ("ja-en",), 2),
)


class TestSet(NamedTuple):
    """A simulated test set: tables of two equally good systems, labels, and the true macro-average."""

    systems: dict[str, pa.Table]
    labels: np.ndarray
    documents: np.ndarray
    truth: float


def list_common_systems(populations: Sequence[Population]) -> list[str]:
    """Return the names of the systems that are in all directions, by their mean score."""
    names = set.intersection(*(set(population.names) for population in populations))
    mean = {
        name: np.mean([score(p.rows[p.names.index(name)].sum(axis=0)) for p in populations])
        for name in names
    }
    return sorted(names, key=mean.__getitem__)


def draw_groups(
    grouping: Grouping,
    populations: dict[str, Population],
    names: list[str],
    size: int,
    seed: int,
) -> TestSet:
    """Draw documents with replacement, and exchange the outputs of two systems per document.

    Both systems took part in all directions, and follow each other in the ranking by mean score.
    """
    generator = np.random.default_rng(seed)
    first = generator.integers(len(names) - 1)
    rows, labels, documents, truths = [], [], [], []
    drawn = exchanged = None
    for number, direction in enumerate(grouping.directions):
        population = populations[direction]
        pair = population.rows[[population.names.index(name) for name in names[first : first + 2]]]
        if drawn is None or not grouping.shares_documents:
            drawn = generator.integers(len(population.documents), size=size)
            exchanged = generator.integers(2, size=size)
        segments = np.concatenate([population.documents[i] for i in drawn])
        document_of = np.repeat(np.arange(size), [len(population.documents[i]) for i in drawn])
        flags = exchanged[document_of]
        rows.append(np.stack([pair[flags, segments], pair[1 - flags, segments]]))
        part_of = segments % grouping.parts
        labels.append(number * grouping.parts + part_of)
        documents.append(document_of + (0 if grouping.shares_documents else number * size))
        for part in range(grouping.parts):
            of_part = pair[:, np.arange(pair.shape[1]) % grouping.parts == part]
            truths.append(score(of_part.sum(axis=(0, 1))))
    schema = populations[grouping.directions[0]].schema.remove_metadata()
    systems = as_systems(np.concatenate(rows, axis=1), schema)
    truth = float(np.mean(truths))
    return TestSet(systems, np.concatenate(labels), np.concatenate(documents), truth)


GROUP_OPTIONS: dict[str, Any] = {
    "tokenize": "none", "lowercase": False, "reference_length": "closest", "minimum_total": 0,
}  # fmt: skip


def compare_groups(test_set: TestSet, documents: np.ndarray, seed: int) -> dict[str, Any]:
    """Return the result of the second system under both tests."""
    return {
        test: metric.compare(
            test_set.systems,
            test=test,
            n_resamples=RESAMPLES,
            by=test_set.labels,
            documents=documents,
            seed=seed,
            **GROUP_OPTIONS,
        )["systems"]["1"]
        for test in ("randomization", "bootstrap")
    }


def find_alarms(test_set: TestSet, documents: np.ndarray, seed: int) -> list[bool]:
    """Return whether both tests raise a false alarm."""
    results = compare_groups(test_set, documents, seed).values()
    return [result["macro_p_value"] < LEVEL for result in results]


def describe_groups(test_set: TestSet, documents: np.ndarray, seed: int) -> list[bool]:
    """Return whether both tests raise a false alarm, and whether both intervals cover the truth."""
    results = compare_groups(test_set, documents, seed)
    scored = metric.compute(
        statistics=test_set.systems["1"],
        confidence=0.95,
        by=test_set.labels,
        documents=documents,
        seed=seed,
        **GROUP_OPTIONS,
    )
    return [
        *(result["macro_p_value"] < LEVEL for result in results.values()),
        covers(scored["macro_confidence_interval"], test_set.truth),
        covers(results["bootstrap"]["macro_delta_interval"], 0),
    ]


def measure_groups(runs: int) -> Iterator[list[str]]:
    """Yield a row of the table per grouping and number of documents."""
    populations = {
        direction: read_population(f"newstest2021.{direction}")
        for direction in (*OWN_DOCUMENTS, *ONE_SOURCE)
    }
    for grouping in GROUPINGS:
        names = list_common_systems([populations[name] for name in grouping.directions])
        for size in DOCUMENTS:
            shared_draws, independent_draws = [], []
            for run in range(runs):
                test_set = draw_groups(grouping, populations, names, size, seed=run)
                shared_draws.append(find_alarms(test_set, test_set.documents, run))
                # The same documents under a name per group: each group is drawn by itself.
                own_documents = (
                    test_set.documents * len(np.unique(test_set.labels)) + test_set.labels
                )
                independent_draws.append(find_alarms(test_set, own_documents, run))
            cells = []
            for shared, independent in zip(zip(*shared_draws), zip(*independent_draws)):
                cells += [write_share(shared), write_share(independent)]
            yield [grouping.name, str(size), *cells]


def measure_small_groups(runs: int) -> Iterator[list[str]]:
    """Yield a row per number of documents, of 100, that a second group has segments in."""
    population = read_population("newstest2021.ja-en")
    for small in SMALL_GROUPS:
        flags = []
        for run in range(runs):
            generator = np.random.default_rng(run)
            first = generator.integers(len(population.rows) - 1)
            pair = population.rows[first : first + 2]
            drawn = generator.integers(len(population.documents), size=100)
            segments = np.concatenate([population.documents[i] for i in drawn])
            sizes = [len(population.documents[i]) for i in drawn]
            documents = np.repeat(np.arange(100), sizes)
            exchanged = generator.integers(2, size=100)[documents]
            rows = np.stack([pair[exchanged, segments], pair[1 - exchanged, segments]])
            labels = np.where(documents < small, segments % 2, 0)
            if not labels.any():
                continue
            truth = score(pair.sum(axis=(0, 1)))
            systems = as_systems(rows, population.schema.remove_metadata())
            flags.append(
                describe_groups(TestSet(systems, labels, documents, truth), documents, run)
            )
        yield [str(small), *map(write_share, zip(*flags))]


# --- 3. Segments ----------------------------------------------------------------------------------


def weaken(rows: np.ndarray, share: float, generator: np.random.Generator) -> np.ndarray:
    """Return the rows with a share of the matching tokens lost: an n-gram matches as long as its n tokens do."""
    weaker = rows.copy()
    for n in range(4):
        weaker[..., n] = generator.binomial(rows[..., n], (1 - share) ** (n + 1))
    return weaker


def find_share(rows: np.ndarray, delta: float) -> float:
    """Return the share of tokens that has to be lost for a true difference of `delta`, by bisection."""
    total, low, high = rows.sum(axis=(0, 1)), 0.0, 1.0
    for _ in range(20):
        share = (low + high) / 2
        kept = total.copy()
        kept[:4] = (total[:4] * (1 - share) ** np.arange(1, 5)).astype(int)
        low, high = (share, high) if score(total) - score(kept) < delta else (low, share)
    return high


def measure_segments(rows: np.ndarray, schema: pa.Schema, runs: int) -> Iterator[list[str]]:
    """Yield a row of the table per number of segments."""
    truth = score(rows.sum(axis=(0, 1)))
    rows = np.tile(
        rows, (1, 10, 1)
    )  # each segment loses matches in ten ways: little noise in the true difference
    for segments in SEGMENTS:
        generator = np.random.default_rng(segments)

        def draw(baseline: np.ndarray) -> dict[str, pa.Table]:
            drawn, exchanged = (
                generator.integers(rows.shape[1], size=segments),
                generator.integers(2, size=segments),
            )
            return as_systems(
                np.stack([baseline[exchanged, drawn], rows[1 - exchanged, drawn]]), schema
            )

        def describe(test: str, sets: list[dict[str, pa.Table]]) -> list[dict[str, Any]]:
            results = (
                metric.compare(one, test=test, n_resamples=RESAMPLES, seed=seed)
                for seed, one in enumerate(sets)
            )
            return [result["systems"]["1"] for result in results]

        sets = [draw(rows) for _ in range(runs)]
        exact, found = describe("randomization", sets), describe("bootstrap", sets)
        cells = [write_share([one[key] < LEVEL for one in results]) for results, key in
                 ((exact, "p_value"), (found, "p_value"), (found, "p_value_sacrebleu"))]  # fmt: skip
        cells.append(
            write_share(
                [
                    one["confidence_interval"][0] <= truth <= one["confidence_interval"][1]
                    for one in found
                ]
            )
        )
        cells.append(
            write_share(
                [one["delta_interval"][0] <= 0 <= one["delta_interval"][1] for one in found]
            )
        )

        # A true difference changes what test sets report as detectable; three rounds make the two equal.
        delta = np.mean([one["detectable_delta"] for one in found])
        for _ in range(3):
            weaker = weaken(rows, find_share(rows, delta), generator)
            sets = [draw(weaker) for _ in range(runs)]
            delta = np.mean([one["detectable_delta"] for one in describe("bootstrap", sets[:200])])
        power = write_share([one["p_value"] < LEVEL for one in describe("randomization", sets)])
        yield [str(segments), *cells, f"{100 * delta:.1f}", power]


# --- 4. Rankings ----------------------------------------------------------------------------------


def adjust_max_t(systems: dict[str, pa.Table], seed: int) -> dict[tuple[str, str], float]:
    """Return the p-values of all pairs by step-down max-T over paired bootstraps (Romano and Wolf, 2005)."""
    rows = np.stack([np.stack(table.columns, axis=1) for table in systems.values()])
    generator, segments = np.random.default_rng(seed), rows.shape[1]
    times = [
        np.bincount(generator.integers(segments, size=segments), minlength=segments)
        for _ in range(RESAMPLES)
    ]

    # BLEU by the definition with exponential smoothing left out: no corpus here lacks a matching 4-gram.
    def bleu(sums: np.ndarray) -> np.ndarray:
        sums = np.maximum(sums, 0.5)
        return np.exp(
            np.log(sums[..., :4] / sums[..., 4:8]).mean(axis=-1)
            + np.minimum(0, 1 - sums[..., 9] / sums[..., 8])
        )

    resampled, scores = (
        bleu(np.tensordot(np.array(times, float), rows, (1, 1))),
        bleu(rows.sum(axis=1).astype(float)),
    )
    pairs = list(combinations(range(len(rows)), 2))
    differences = np.stack([resampled[:, i] - resampled[:, j] for i, j in pairs], axis=1)
    errors = np.where(differences.std(axis=0) > 0, differences.std(axis=0), np.inf)
    quotients = np.abs([scores[i] - scores[j] for i, j in pairs]) / errors
    deviations, order = (
        np.abs(differences - differences.mean(axis=0)) / errors,
        np.argsort(-quotients, kind="stable"),
    )
    maxima = np.maximum.accumulate(deviations[:, order[::-1]], axis=1)[:, ::-1]
    adjusted = np.maximum.accumulate(
        ((maxima >= quotients[order]).sum(axis=0) + 1) / (RESAMPLES + 1)
    )
    names = list(systems)
    return {(names[i], names[j]): p for (i, j), p in zip(pairs, adjusted[np.argsort(order)])}


def adjust_by_rank(systems: dict[str, pa.Table], seed: int) -> dict[tuple[str, str], float]:
    """Return the p-values of all pairs by `rank`, with as many trials as Holm's procedure needs, twice."""
    trials = max(RESAMPLES, round(len(systems) * (len(systems) - 1) / LEVEL))
    pairs = metric.rank(systems, n_resamples=trials, confidence=None, seed=seed)["pairs"]
    return {
        (a, b): pair["p_adjusted"] for pair in pairs for a, b in [sorted(pair["systems"], key=int)]
    }


def measure_rankings(population: Population, runs: int) -> Iterator[list[str]]:
    """Yield a row of the table per number of systems and segments."""
    procedures: tuple[Callable[[dict[str, pa.Table], int], dict[tuple[str, str], float]], ...] = (
        adjust_max_t,
        adjust_by_rank,
    )
    for n_systems in RANKED_SYSTEMS:
        every_nth = population.rows[
            np.linspace(0, len(population.rows) - 1, n_systems).round().astype(int)
        ]
        for size in RANKED_SEGMENTS:
            alarms: list[list[bool]] = []
            found: list[list[int]] = []
            for run in range(
                runs if n_systems < 20 else runs // 4
            ):  # the time grows with the pairs
                generator = np.random.default_rng(run)
                drawn = every_nth[:, generator.integers(every_nth.shape[1], size=size)]
                permuted = generator.permuted(np.tile(np.arange(n_systems)[:, None], size), axis=0)
                complete = drawn[permuted, np.arange(size)]
                partial, exchanged = drawn.copy(), generator.integers(2, size=size)
                partial[0], partial[1] = (
                    drawn[exchanged, np.arange(size)],
                    drawn[1 - exchanged, np.arange(size)],
                )
                sets = [as_systems(rows, population.schema) for rows in (complete, partial, drawn)]
                p_values = [[adjust(one, run) for adjust in procedures] for one in sets]
                alarms.append(
                    [min(p.values()) < LEVEL for p in p_values[0]]
                    + [p["0", "1"] < LEVEL for p in p_values[1]]
                )
                found.append([sum(value < LEVEL for value in p.values()) for p in p_values[2]])
            means, errors = np.mean(found, axis=0), np.std(found, axis=0) / sqrt(len(found))
            numbers = [f"{mean:.1f} ± {error:.1f}" for mean, error in zip(means, errors)]
            pairs = n_systems * (n_systems - 1) // 2
            yield [str(n_systems), str(size), *map(write_share, zip(*alarms)), str(pairs), *numbers]


# --- 5. Training runs -----------------------------------------------------------------------------

_PACKAGE = type(metric).__module__.rpartition(".")[0]
scoring = sys.modules[f"{_PACKAGE}.bleu_core"]
significance = sys.modules[f"{_PACKAGE}.bleu_core"]
OPTIONS = metric._options
RUN_TRIALS = 199  # of the randomization tests: (9 + 1) / 200 is 5%
RUN_DEVIATIONS = (0.3, 1.0)  # points, between runs
RUN_DELTA = 1.5  # points, for power
FEWEST_POINTS = 6  # between the better and the worse system that a run mixes
RUNS_HEADER = [
    "runs", "units", "deviation between runs", "false alarms: one run each", "Welch over runs", "exchange of all outputs",
    "mean of runs", "`compare`", "power of `compare`", "coverage: `delta_interval`", "`confidence_interval`",
]  # fmt: skip
MACRO_RUNS_HEADER = [
    "runs", "groups", "deviation between runs", "false alarms of `macro_p_value`", "power",
    "coverage: `macro_delta_interval`",
]  # fmt: skip


class Configuration(NamedTuple):
    """A training configuration: each of its runs mixes two systems.

    better, worse: int64 [segments, 10] each.
    """

    better: np.ndarray
    worse: np.ndarray


class Design(NamedTuple):
    """A kind of simulated test sets.

    counts: the numbers of runs of both configurations.
    size: the number of drawn documents, or segments.
    by_document: False to draw segments.
    deviation: the standard deviation between runs, in points.
    """

    counts: tuple[int, int]
    size: int
    by_document: bool
    deviation: float

    def name(self) -> list[str]:
        """Return the first cells of a row."""
        counts = " and ".join(map(str, dict.fromkeys(self.counts)))
        unit = "documents" if self.by_document else "segments"
        return [counts, f"{self.size} {unit}", f"{self.deviation:g}"]


class DrawnRuns(NamedTuple):
    """The runs of two configurations on a simulated test set.

    rows: the rows of each configuration, int64 [runs, segments, 10].
    document_of: the drawn document of each segment.
    truths: the mean scores of the configurations with all texts and many runs.
    """

    rows: list[np.ndarray]
    document_of: np.ndarray
    truths: list[float]


def bleu_of(rows: np.ndarray) -> np.ndarray:
    """Return BLEU (0 to 1) of rows, int64 [..., 10]."""
    return scoring.bleu(rows, OPTIONS)


def draw_configurations(
    population: Population, generator: np.random.Generator
) -> tuple[list[Configuration], float]:
    """Draw two better and two worse systems that differ enough, and return their gap in points.

    The systems of a pair follow each other in the ranking.
    """
    choices = list_choices(population)
    first, last, gap = choices[generator.integers(len(choices))]
    configurations = [
        Configuration(population.rows[first + i], population.rows[last + i]) for i in range(2)
    ]
    return configurations, gap


def list_choices(population: Population) -> list[tuple[int, int, float]]:
    """List the first better and the first worse system of `draw_configurations`, and their gap."""
    scores = 100 * bleu_of(population.rows.sum(axis=1))
    choices = []
    for first, last in combinations(range(len(scores) - 1), 2):
        gap = scores[first : first + 2].mean() - scores[last : last + 2].mean()
        if last >= first + 2 and gap >= FEWEST_POINTS:
            choices.append((first, last, float(gap)))
    return choices


def draw_shares(
    count: int, mean: float, deviation: float, generator: np.random.Generator
) -> np.ndarray:
    """Draw the share of segments that each run takes from the better system."""
    return np.clip(generator.normal(mean, deviation, size=count), 0, 1)


def draw_runs(
    population: Population,
    design: Design,
    delta: float,
    seed: int,
    *,
    parts: int = 1,
    run_seed: int | None = None,
) -> list[DrawnRuns]:
    """Draw texts and runs, with a difference of `delta` points; one part of each document per item.

    Calls with one `run_seed` draw other texts of the same runs.
    """
    generator = np.random.default_rng(seed)
    run_generator = generator if run_seed is None else np.random.default_rng(run_seed)
    configurations, gap = draw_configurations(population, generator)
    # 1. Texts, and a coin per document: which configuration's systems have it.
    documents = population.documents
    if not design.by_document:
        documents = [np.array([i]) for i in range(population.rows.shape[1])]
    drawn = [documents[i] for i in generator.integers(len(documents), size=design.size)]
    segments = np.concatenate(drawn)
    document_of = np.repeat(np.arange(design.size), [len(one) for one in drawn])
    coins = generator.integers(2, size=design.size)[document_of]
    # 2. Runs: per segment, the better or the worse system, with the share of the run.
    rows, truths = [], []
    for number, count in enumerate(design.counts):
        mean = 0.5 + (number - 0.5) * delta / gap
        shares = draw_shares(count, mean, design.deviation / gap, run_generator)
        is_better = generator.random((count, len(segments))) < shares[:, None]
        systems = np.stack([[one.worse, one.better] for one in configurations])
        rows.append(systems[coins ^ number, is_better.astype(int), segments])
        truths.append(find_truth(configurations, mean, design.deviation / gap, parts))
    part_of = segments % parts
    return [
        DrawnRuns(
            [one[:, part_of == part] for one in rows],
            document_of[part_of == part],
            [truth[part] for truth in truths],
        )
        for part in range(parts)
    ]


def find_truth(
    configurations: list[Configuration], mean: float, deviation: float, parts: int
) -> list[float]:
    """Return the mean score over many runs on all texts of each part."""
    shares = draw_shares(400, mean, deviation, np.random.default_rng(0))[:, None]
    truths = []
    for part in range(parts):
        better, worse = (
            sum(getattr(one, name)[part::parts].sum(axis=0) for one in configurations)
            for name in ("better", "worse")
        )
        truths.append(bleu_of(np.rint(shares * better + (1 - shares) * worse).astype(int)).mean())
    return truths


def draw_sample(drawn: DrawnRuns, size: int, seed: int) -> tuple[Any, np.ndarray]:
    """Return the sample of both configurations as `compare` has it, and its units, int64 [runs, units, 10]."""
    rows = np.concatenate(drawn.rows)
    starts = np.flatnonzero(np.diff(drawn.document_of, prepend=-1))
    units = np.zeros((len(rows), size, rows.shape[2]), np.int64)  # 0 where a part has no segments
    units[:, drawn.document_of[starts]] = np.add.reduceat(rows, starts, axis=1)
    plan = plan_runs([len(one) for one in drawn.rows], seed)
    return significance.draw(significance.Units(units, "document"), plan), units


def plan_runs(counts: Sequence[int], seed: int) -> Any:
    """Return the plan of `compare` for configurations with a given number of runs."""
    ends = np.cumsum(counts)
    runs = [slice(end - count, end) for end, count in zip(ends.tolist(), counts)]
    return significance.Plan(replace(OPTIONS, seed=seed), runs, significance.RUNS, RESAMPLES)


def test_by_exchange(rows: np.ndarray, seed: int) -> float:
    """Return the p-value of the randomization test of two systems: int64 [2, units, 10]."""
    blocks = significance.randomization_differences(rows, replace(OPTIONS, seed=seed), RUN_TRIALS)
    scores = bleu_of(rows.sum(axis=1))
    return significance.permutation_p_value(
        np.abs(np.concatenate(list(blocks))[:, 0]), abs(scores[1] - scores[0])
    )


def list_p_values(rows: list[np.ndarray], units: np.ndarray, sample: Any, seed: int) -> list[float]:
    """Return the p-values of all methods but this one: see `RUNS_HEADER`."""
    base, system = sample.plan.runs
    one_run_each = units[[base.start, system.start]]
    # All outputs in one corpus per configuration, run by run.
    paired = min(map(len, rows))
    all_outputs = np.stack([one[:paired].reshape(-1, one.shape[-1]) for one in rows])
    means = [sample.resamples.drawn[:, runs].mean(axis=1) for runs in (base, system)]
    observed = abs(sample.scores[1] - sample.scores[0])
    scores = [sample.observed[runs] for runs in (system, base)]
    return [
        test_by_exchange(one_run_each, seed),
        float(ttest_ind(*scores, equal_var=False).pvalue),
        test_by_exchange(all_outputs, seed),
        significance.permutation_p_value(significance.center(means[1] - means[0]), observed),
    ]


def measure_runs(populations: list[Population], runs: int) -> Iterator[list[str]]:
    """Yield a row of the table per number of runs, units and deviation."""
    designs = [
        Design(counts, size, by_document, deviation)
        for size, by_document in ((30, True), (100, True), (300, False))
        for counts in ((2, 2), (3, 3), (5, 5), (2, 5))
        for deviation in RUN_DEVIATIONS
    ]
    for design in designs:
        alarms, found, covered = [], [], []
        for seed in range(runs):
            population = populations[seed % len(populations)]
            for delta in (0.0, RUN_DELTA):
                (drawn,) = draw_runs(population, design, delta, seed)
                sample, units = draw_sample(drawn, design.size, seed)
                estimate = sample.difference(1)
                if not delta:
                    p_values = [*list_p_values(drawn.rows, units, sample, seed), estimate.p_value()]
                    alarms.append([p < LEVEL for p in p_values])
                    continue
                found.append(estimate.p_value() < LEVEL)
                of_score = sample.estimate(0)
                difference = drawn.truths[1] - drawn.truths[0]
                covered.append(
                    [
                        covers(estimate.interval(0.95), difference),
                        covers(of_score.interval(0.95), drawn.truths[0]),
                    ]
                )
        columns = [*zip(*alarms), found, *zip(*covered)]
        yield [*design.name(), *map(write_share, columns)]


class GroupedRuns(NamedTuple):
    """Groups of a simulated test set of training runs.

    name: how they share documents.
    directions: how many directions, each with documents of its own.
    parts: the labels that alternate within the documents of each direction.
    """

    name: str
    directions: int
    parts: int


GROUPED_RUNS = (
    GroupedRuns("2 groups of 30 documents of their own", 2, 1),
    GroupedRuns("4 groups of 30 documents of their own", 4, 1),
    GroupedRuns("2 labels in each of 30 documents", 1, 2),
    GroupedRuns("2 labels in each of 100 documents", 1, 2),
)


def average_samples(samples: list[Any], shares_documents: bool) -> Any:
    """Return the sample of a macro-average, as `compare` has it."""
    observed = np.mean([sample.observed for sample in samples], axis=0)
    if shares_documents:
        drawn = np.mean([sample.resamples.drawn for sample in samples], axis=0)
        left_out = np.mean([sample.resamples.jackknife for sample in samples], axis=0)
        resamples = significance.Resamples(drawn, left_out)
        variances = significance.list_variances(resamples, samples[0].plan.runs)
    else:
        variances = significance.average_variances([sample.variances for sample in samples])
    return replace(samples[0], observed=observed, variances=variances)


def measure_macro_runs(populations: list[Population], runs: int) -> Iterator[list[str]]:
    """Yield a row of the table per grouping, number of runs and deviation.

    A run has one share in all groups, so its scores in the groups go together.
    """
    for grouping in GROUPED_RUNS:
        size = 100 if "100" in grouping.name else 30
        for count in (3, 5):
            for deviation in RUN_DEVIATIONS:
                design = Design((count, count), size, True, deviation)
                alarms, found, covered = [], [], []
                for seed in range(runs):
                    for delta in (0.0, RUN_DELTA):
                        groups: list[DrawnRuns] = []
                        for number in range(grouping.directions):
                            population = populations[(seed + number) % len(populations)]
                            of_group = seed + 100_000 * number
                            groups += draw_runs(
                                population,
                                design,
                                delta,
                                of_group,
                                parts=grouping.parts,
                                run_seed=seed if grouping.directions > 1 else None,
                            )
                        samples = [draw_sample(drawn, size, seed)[0] for drawn in groups]
                        estimate = average_samples(samples, grouping.parts > 1).difference(1)
                        is_found = estimate.p_value() < LEVEL
                        if not delta:
                            alarms.append(is_found)
                            continue
                        found.append(is_found)
                        truth = np.mean([one.truths[1] - one.truths[0] for one in groups])
                        covered.append(covers(estimate.interval(0.95), truth))
                cells = map(write_share, (alarms, found, covered))
                yield [str(count), grouping.name, f"{deviation:g}", *cells]


# --- 6. Trained runs ------------------------------------------------------------------------------

TRAINED_SEEDS = 10
TRAINED_TASKS = 8
TRAINED_STEPS = 80
TRAINED_SENTENCES = 400  # the first half for training
TRAINED_HEADER = [
    "task", "BLEU of the runs", "deviation between runs", "one run each", "Welch over runs", "exchange of all outputs",
    "mean of runs", "`compare`",
]  # fmt: skip


def train_and_translate(sources: list[str], targets: list[str], seed: int) -> list[str]:
    """Train a model on the first half of the sentences, and return its outputs for the second half."""
    import tiny_t5
    import torch
    import transformers

    transformers.utils.logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    tokenizer = tiny_t5.make_tokenizer()
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=16, d_ff=64, num_layers=1, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    model = transformers.T5ForConditionalGeneration(config)
    half = len(sources) // 2
    inputs = tokenizer(sources[:half], return_tensors="pt", padding=True)
    labels = tokenizer(targets[:half], return_tensors="pt", padding=True)["input_ids"]
    labels[labels == 0] = -100
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    model.train()
    for _ in range(TRAINED_STEPS):
        attention = inputs["attention_mask"]
        loss = model(input_ids=inputs["input_ids"], attention_mask=attention, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    questions = tokenizer(sources[half:], return_tensors="pt", padding=True)
    generated = model.generate(
        input_ids=questions["input_ids"],
        attention_mask=questions["attention_mask"],
        max_new_tokens=12,
    )
    return tokenizer.batch_decode(generated, skip_special_tokens=True)


def train_task(task: int) -> np.ndarray:
    """Return the rows of all seeds on the test sentences of a task, int64 [seeds, segments, 10]."""
    from tiny_t5 import WORDS

    generator = random.Random(task)
    sentences = [
        [generator.choice(WORDS) for _ in range(generator.randrange(4, 9))]
        for _ in range(TRAINED_SENTENCES)
    ]
    sources = [" ".join(words) for words in sentences]
    targets = [" ".join(sorted(words)) for words in sentences]
    references = targets[len(targets) // 2 :]
    tables = [
        metric.statistics(
            predictions=train_and_translate(sources, targets, seed), references=references
        )
        for seed in range(TRAINED_SEEDS)
    ]
    return np.stack([table.to_pandas().to_numpy() for table in tables])


def measure_trained() -> Iterator[list[str]]:
    """Yield, per task, the share of splits of three seeds against three that each test tells apart."""
    shares = []
    for task in range(TRAINED_TASKS):
        rows = train_task(task)
        scores = bleu_of(rows.sum(axis=1))
        units = significance.Units(rows, "segment")
        resamples = significance.resample(units, replace(OPTIONS, seed=task), RESAMPLES)
        plan = plan_runs([3, 3], task)
        flags = []
        for chosen in combinations(range(TRAINED_SEEDS), 6):
            for half in combinations(chosen[1:], 2):  # the first seed is in the first half
                base = [chosen[0], *half]
                new = [seed for seed in chosen if seed not in base]
                of_split = significance.Resamples(
                    resamples.drawn[:, [*base, *new]], resamples.jackknife[:, [*base, *new]]
                )
                sample = significance.Sample(
                    scores[[*base, *new]],
                    plan,
                    variances=significance.list_variances(of_split, plan.runs),
                    resamples=of_split,
                    differences=None,
                    has_percentiles=False,
                )
                p_values = list_p_values([rows[base], rows[new]], rows[[*base, *new]], sample, task)
                p_values.append(sample.difference(1).p_value())
                flags.append([p < LEVEL for p in p_values])
        shares.append(np.mean(flags, axis=0))
        cells = [f"{100 * share:.1f}" for share in shares[-1]]
        mean, deviation = 100 * scores.mean(), 100 * scores.std(ddof=1)
        yield [str(task + 1), f"{mean:.1f}", f"{deviation:.1f}", *cells]
    errors = np.std(shares, axis=0, ddof=1) / sqrt(TRAINED_TASKS)
    means = np.mean(shares, axis=0)
    yield ["mean", "", "", *(f"{100 * a:.1f} ± {100 * b:.1f}" for a, b in zip(means, errors))]


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the tables of docs/simulations.md.")
    parser.add_argument(
        "--runs", type=int, default=1_000, help="test sets per row of a table (default: 1,000)"
    )
    parser.add_argument(
        "--runs-per-system", action="store_true", help="print the tables of training runs"
    )
    parser.add_argument(
        "--trained", action="store_true", help="print the table of trained runs; needs transformers"
    )
    arguments = parser.parse_args()
    if arguments.trained:
        warnings.simplefilter("ignore")
        print_table(TRAINED_HEADER, measure_trained())
        return
    runs = arguments.runs
    if not WMT21.is_dir():
        raise SystemExit(f"The outputs of WMT21 are needed in {WMT21}.")
    warnings.simplefilter("ignore")
    print(
        f"Shares in percent with standard errors; {runs:,} runs per row, and {runs // 4:,} for rankings of 20 systems.\n"
    )
    test_sets = sorted(path.stem for path in (WMT21 / "documents").glob("*.docs"))
    populations = [read_population(name) for name in test_sets]
    if arguments.runs_per_system:
        populations = [population for population in populations if list_choices(population)]
        print_table(RUNS_HEADER, measure_runs(populations, runs))
        print_table(MACRO_RUNS_HEADER, measure_macro_runs(populations, runs))
        return
    print_table(DOCUMENTS_HEADER, measure_documents(populations, runs))
    print_table(UNEVEN_HEADER, measure_uneven(populations, runs))
    print_table(GROUPS_HEADER, measure_groups(runs))
    print_table(SMALL_GROUPS_HEADER, measure_small_groups(runs))
    first_two = [
        read_population(f"newstest2021.{pair}", letters, 2) for pair, letters in REFERENCES.items()
    ]
    rows = np.concatenate([population.rows for population in first_two], axis=1)
    print_table(SEGMENTS_HEADER, measure_segments(rows, first_two[0].schema, runs))
    print_table(RANK_HEADER, measure_rankings(read_population("newstest2021.en-de", "AC"), runs))


if __name__ == "__main__":
    main()
