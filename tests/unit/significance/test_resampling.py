"""Resampling: blocks of draws, exact sums, exchanges, the mean over groups, and the progress bar."""

import math
import subprocess

import numpy as np
import pytest
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rules import scores as scores_file
from bleu.bleu_core.significance import resampling, tests
from helpers import start_python

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("block", [1, 64, 1000, 1 << 22])
def test_the_size_of_blocks_does_not_change_the_draws(monkeypatch, block):
    """Blocks of any size have the draws of a single block."""
    rows = np.random.default_rng(0).integers(0, 30, size=(3, 37, 10))
    rows[:, :, 4:8] += rows[:, :, :4]
    options = Options(seed=5)
    whole = resampling.bootstrap_scores(rows, options, 100)
    moved = np.concatenate(
        list(resampling.randomization_differences(rows, options, 100, baselines=2))
    )
    monkeypatch.setattr(resampling, "_NUMBERS_PER_BLOCK", block)
    np.testing.assert_array_equal(resampling.bootstrap_scores(rows, options, 100), whole)
    blocks = list(resampling.randomization_differences(rows, options, 100, baselines=2))
    np.testing.assert_array_equal(np.concatenate(blocks), moved)


@pytest.mark.parametrize("draw", ["draws", "coins"])
@pytest.mark.parametrize("units", [3, 30, 2000])
@pytest.mark.parametrize("largest", [9, 600, 9_000, 400_000, 1 << 40])
def test_sums_of_resamples_are_exact(monkeypatch, draw, units, largest):
    """Products in float32 are integers as Python adds them, also where a unit is drawn unusually often."""
    generator = np.random.default_rng(largest)
    values = generator.integers(-largest, largest + 1, size=(units, 40))
    values[0, 0] = largest
    times = generator.integers(2, size=(33, units), dtype=bool)
    if draw == "draws":
        drawn = generator.integers(units, size=(33, units))
        drawn[-1] = 0  # the same unit, each time
        times = np.stack([np.bincount(row, minlength=units) for row in drawn]).astype(np.int32)
    most_times = resampling._USUAL_TIMES if draw == "draws" else 1
    weights = resampling.ResampleMatrix.allocate(units, 40, largest, most_times=most_times)
    weights.values[:] = values
    assert weights.multiply(times).astype(np.int64).tolist() == (times @ values).tolist()


def average_groups(resampled, seed):
    average = tests.MeanOfResamples(seed)
    for group in resampled:
        average.add(group)
    return average.mean()


def test_groups_are_averaged_independently_of_each_other():
    """Each group keeps its resamples, and the systems of a resample stay together; equal groups are not in step."""
    one = np.random.default_rng(1).normal(size=(4000, 2)) @ [
        [1, 0.8],
        [0, 0.6],
    ]  # two systems, correlation 0.8
    average = average_groups([one, one], seed=3)
    assert average.mean(axis=0) == pytest.approx(one.mean(axis=0), abs=1e-12)
    assert average.std(axis=0) == pytest.approx(
        one.std(axis=0) / math.sqrt(2), rel=0.05
    )  # in step: without the root
    assert np.corrcoef(average.T)[0, 1] == pytest.approx(np.corrcoef(one.T)[0, 1], abs=0.03)
    np.testing.assert_array_equal(average_groups([one, one], seed=3), average)
    assert (average_groups([one, one], seed=4) != average).any()
    assert sorted(average_groups([one[:, 0]], seed=3)) == pytest.approx(sorted(one[:, 0]))


@pytest.mark.parametrize("baselines", [1, 2, 3])
@pytest.mark.parametrize("rows_per_score", [1, 1 << 14])
def test_randomization_differences_are_signed(baselines, rows_per_score, monkeypatch):
    """Each trial exchanges the rows of the same segments for all pairs; a loop over segments does the same."""
    rows = np.random.default_rng(3).integers(1, 9, size=(3, 12, 4))
    rows[:, :, 1] += rows[:, :, 0]
    options = Options(max_order=1, seed=11)
    exchanged = np.random.default_rng(11).integers(2, size=(40, 12), dtype=bool)
    monkeypatch.setattr(resampling, "ROWS_PER_SCORE", rows_per_score)
    differences = np.concatenate(
        list(resampling.randomization_differences(rows, options, 40, baselines))
    )
    pairs = [(first, second) for first in range(baselines) for second in range(first + 1, 3)]
    assert differences.shape == (40, len(pairs))
    for column, (first, second) in zip(differences.T, pairs):
        for difference, flags in zip(column, exchanged):
            ends = [(second, first) if flag else (first, second) for flag in flags]
            sums = [sum(rows[pair[side], i] for i, pair in enumerate(ends)) for side in (0, 1)]
            assert difference == pytest.approx(scores_file.bleu(sums[1], options) - scores_file.bleu(sums[0], options), abs=1e-12)  # fmt: skip


class Bar:
    """A replacement of tqdm's bar that records its arguments and steps."""

    def __init__(self, **made_with):
        self.made_with, self.steps = made_with, []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def update(self, step):
        self.steps.append(step)


@pytest.mark.parametrize(
    ("draw", "name", "steps"),
    [(resampling.bootstrap_scores, "Bootstrap", [30, 30, 30, 10]), (resampling.randomization_differences, "Randomization", [64, 36])],
)  # fmt: skip
def test_a_progress_bar_ends_at_its_total(monkeypatch, draw, name, steps):
    """100 resamples of 10 segments in blocks of 300 drawn segments; exchanges come in multiples of 32."""
    bars = []
    monkeypatch.setattr(
        resampling, "tqdm", lambda **made_with: bars.append(Bar(**made_with)) or bars[-1]
    )
    monkeypatch.setattr(resampling, "_NUMBERS_PER_BLOCK", 300 if name == "Bootstrap" else 640)
    list(draw(np.ones((2, 10, 10), int), Options(), 100))
    (bar,) = bars
    assert (bar.made_with, bar.steps) == ({"total": 100, "desc": name, "delay": 2}, steps)


PROGRESS = """
import sys
import datasets, numpy as np
import conftest
from bleu.bleu_core.rules import scores as scores_file
from bleu.bleu_core.significance import p_values as p_values_file
from bleu.bleu_core.significance import resampling
from bleu.bleu_core.significance import tests
from bleu.bleu_core.options.options import Options
if sys.argv[1] == "disabled":
    datasets.disable_progress_bars()
rows = np.ones((1, 3000, 10), int)
resampling.bootstrap_scores(rows, Options(), int(sys.argv[2]))
"""


def shows_a_bar_within(process, seconds):
    """Return whether a progress bar appears within some seconds; end the process."""
    errors = b""
    for _ in range(seconds):
        try:
            process.communicate(timeout=1)
            break
        except subprocess.TimeoutExpired as expired:
            errors = expired.stderr or b""
            if b"Bootstrap" in errors:
                break
    process.kill()
    process.communicate()
    return b"Bootstrap" in errors


@pytest.mark.slow
@pytest.mark.processes
def test_a_progress_bar_for_long_calls():
    assert shows_a_bar_within(start_python(PROGRESS, "enabled", 10**7), seconds=100)


@pytest.mark.slow
@pytest.mark.processes
def test_no_progress_bar_if_datasets_disables_them():
    assert not shows_a_bar_within(start_python(PROGRESS, "disabled", 10**7), seconds=10)


@pytest.mark.slow
@pytest.mark.processes
def test_no_progress_bar_for_short_calls():
    process = start_python(PROGRESS, "enabled", 100)
    assert "Bootstrap" not in process.communicate()[1]
    assert process.returncode == 0
