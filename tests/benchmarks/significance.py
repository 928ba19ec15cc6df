"""The tests and intervals of `compare` and `rank` on test sets whose truth is known: false alarms, coverage, power.

    python tests/benchmarks/significance.py [--runs N]

The population is the statistics rows of two systems, exchanged at random per segment, so that neither system is better.
A run draws a test set from it with replacement. For power, the baseline loses a share of its matches, just enough that the
true difference is the `detectable_delta` that such test sets report on average.

For `rank`, each of seven systems takes each segment from one of the two at random, so that all are equally good.
"""

import argparse
import sys
import types
import warnings
from collections.abc import Iterator
from dataclasses import replace

import evaluate
import numpy as np
from common import METRIC, REFERENCES, ROOT, print_table, synthetic
from helpers import WMT21, read_lines

package = types.ModuleType("bleu")  # as in tests/conftest.py, without the caches of the tests
package.__path__ = [str(ROOT)]
sys.modules.setdefault("bleu", package)  # a test may have set it

from bleu.bleu_compare import SystemScores, describe_systems, rank_systems
from bleu.bleu_options import Options
from bleu.bleu_scoring import bleu as score
from bleu.bleu_statistics import column_names

SEGMENTS = (5, 10, 30, 100, 400)
RESAMPLES = 1_000  # of either test
OPTIONS = Options()
HEADER = [
    "segments", "false alarms: randomization", "bootstrap", "`p_value_sacrebleu`", "coverage: `confidence_interval`",
    "`delta_interval`", "`detectable_delta`, points", "power",
]  # fmt: skip
RANK_HEADER = ["`rank` of 7 equal systems, 300 segments", "a false alarm by `p_adjusted`", "by `p_value`"]


def read_population() -> tuple[str, np.ndarray]:
    """Return the name of the data and the statistics rows: int64 [2 systems, segments, 10]."""
    metric, name, systems, references = evaluate.load(METRIC), "WMT21", ([], []), []
    for pair, letters in REFERENCES.items() if WMT21.is_dir() else ():
        target = pair.split("-")[1]
        paths = sorted((WMT21 / "system-outputs").glob(f"newstest2021.{pair}.hyp.*.{target}"))
        for system, path in zip(systems, paths):  # the first two outputs
            system.extend(read_lines(path))
        paths = [WMT21 / "references" / f"newstest2021.{pair}.ref.{letter}.{target}" for letter in letters]
        references.extend(zip(*map(read_lines, paths)))
    if not references:
        name, (references, noisy) = "synthetic text", synthetic(5_000)
        systems = zip(*noisy)
    tables = [metric.statistics(predictions=list(system), references=references) for system in systems]
    return name, np.stack([table.to_pandas().to_numpy() for table in tables])


def weaken(rows: np.ndarray, share: float, generator: np.random.Generator) -> np.ndarray:
    """Return the rows with a share of the matching tokens lost: an n-gram matches as long as its n tokens do."""
    weaker = rows.copy()
    for n in range(4):
        weaker[..., n] = generator.binomial(rows[..., n], (1 - share) ** (n + 1))
    return weaker


def find_share(rows: np.ndarray, delta: float) -> float:
    """Return the share of tokens that has to be lost for a true difference of `delta`."""
    total, shares = rows.sum(axis=(0, 1)), np.linspace(0, 1, 10_001)
    totals = np.tile(total, (len(shares), 1))
    totals[:, :4] = total[:4] * (1 - shares[:, None]) ** np.arange(1, 5)
    return shares[np.argmax(score(total, OPTIONS) - score(totals, OPTIONS) >= delta)]


def draw(weaker: np.ndarray, rows: np.ndarray, segments: int, generator: np.random.Generator) -> np.ndarray:
    """Return a test set, int64 [2, segments, 10]: the baseline from `weaker`, the system from `rows`."""
    drawn, exchanged = generator.integers(rows.shape[1], size=segments), generator.integers(2, size=segments)
    return np.stack([weaker[exchanged, drawn], rows[1 - exchanged, drawn]])


def describe(test_set: np.ndarray, test: str, seed: int) -> SystemScores:
    """Return the scores of the second system as `compare` returns them; intervals come with the bootstrap only."""
    options = replace(OPTIONS, seed=seed, confidence=0.95 if test == "bootstrap" else None)
    return describe_systems(test_set, test, RESAMPLES, options)[1]


def percent(flags: list[bool]) -> str:
    return f"{100 * np.mean(flags):.1f} %"


def measure(rows: np.ndarray, runs: int) -> Iterator[list[str]]:
    """Yield a row of the table per number of segments."""
    truth = score(rows.sum(axis=(0, 1)), OPTIONS)
    rows = np.tile(rows, (1, 10, 1))  # each segment loses matches in ten ways: little noise in the true difference
    for segments in SEGMENTS:
        generator = np.random.default_rng(segments)
        sets = [draw(rows, rows, segments, generator) for _ in range(runs)]
        exact = [describe(test_set, "randomization", seed) for seed, test_set in enumerate(sets)]
        found = [describe(test_set, "bootstrap", seed) for seed, test_set in enumerate(sets)]
        ends = [(*one["confidence_interval"], *one["delta_interval"]) for one in found]
        cells = [percent([one["p_value"] < 0.05 for one in results]) for results in (exact, found)]
        cells.append(percent([one["p_value_sacrebleu"] < 0.05 for one in found]))
        cells.append(percent([low <= truth <= high for low, high, _, _ in ends]))
        cells.append(percent([low <= 0 <= high for _, _, low, high in ends]))

        # A true difference changes what test sets report as detectable; three rounds make the two equal.
        delta = np.mean([one["detectable_delta"] for one in found])
        for _ in range(3):
            weaker = weaken(rows, find_share(rows, delta), generator)
            sets = [draw(weaker, rows, segments, generator) for _ in range(runs)]
            delta = np.mean(
                [describe(one, "bootstrap", seed)["detectable_delta"] for seed, one in enumerate(sets[:200])]
            )
        power = [describe(test_set, "randomization", seed)["p_value"] < 0.05 for seed, test_set in enumerate(sets)]
        yield [str(segments), *cells, f"{100 * delta:.1f}", percent(power)]


def count_false_rankings(rows: np.ndarray, runs: int, test: str) -> dict[str, float]:
    """Return the share of runs in which any of the 21 pairs of equal systems is significant, by the p-value used."""
    alarms = {"p_adjusted": 0, "p_value": 0}
    for seed in range(runs):
        generator = np.random.default_rng(seed)
        drawn, taken = generator.integers(rows.shape[1], size=300), generator.integers(len(rows), size=(7, 300))
        tables = {name: dict(zip(column_names(4), table.T)) for name, table in enumerate(rows[taken, drawn])}
        pairs = rank_systems(tables, None, test, RESAMPLES, 0.05, True, replace(OPTIONS, seed=seed))["pairs"]
        for name in alarms:
            alarms[name] += min(pair[name] for pair in pairs) < 0.05
    return {name: count / runs for name, count in alarms.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the tables of docs/recipes.md.")
    parser.add_argument("--runs", type=int, default=1_000, help="test sets per number of segments (default: 1,000)")
    runs = parser.parse_args().runs
    warnings.simplefilter("ignore")
    name, rows = read_population()
    print(
        f"{name}: {rows.shape[1]:,} segments, {100 * score(rows.sum(axis=(0, 1)), OPTIONS):.1f} BLEU; {runs:,} runs\n"
    )
    print_table(HEADER, measure(rows, runs))
    shares = {test: count_false_rankings(rows, runs, test) for test in ("bootstrap", "randomization")}
    print_table(RANK_HEADER, [[test, *(f"{share:.1%}" for share in found.values())] for test, found in shares.items()])


if __name__ == "__main__":
    main()
