"""Resampling: in blocks as at once, and with a progress bar where it takes long."""

import subprocess

import numpy as np
import pytest
from bleu import bleu_significance
from bleu.bleu_options import Options
from helpers import start_python

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("block", [1, 64, 1000, 1 << 22])
def test_memory_in_blocks_draws_the_same(monkeypatch, block):
    """However little is held at once, the draws are those of one call for everything."""
    rows = np.random.default_rng(0).integers(0, 30, size=(3, 37, 10))
    rows[:, :, 4:8] += rows[:, :, :4]
    whole = bleu_significance.bootstrap_scores(rows, Options(), np.random.default_rng(5), 100)
    moved = bleu_significance.randomization_differences(rows, Options(), np.random.default_rng(5), 100)
    monkeypatch.setattr(bleu_significance, "_BLOCK", block)
    generator = np.random.default_rng(5)
    np.testing.assert_array_equal(bleu_significance.bootstrap_scores(rows, Options(), generator, 100), whole)
    np.testing.assert_array_equal(
        bleu_significance.randomization_differences(rows, Options(), np.random.default_rng(5), 100), moved
    )
    once = np.random.default_rng(5)
    once.integers(37, size=(100, 37))
    assert generator.integers(1 << 40) == once.integers(1 << 40)


class Bar:
    """In the place of tqdm's: what it was made with, and the steps that it was told."""

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
    [(bleu_significance.bootstrap_scores, "Bootstrap", [30, 30, 30, 10]), (bleu_significance.randomization_differences, "Randomization", [64, 36])],
)  # fmt: skip
def test_a_progress_bar_ends_where_it_should(monkeypatch, draw, name, steps):
    """100 resamples of 10 segments, of which 300 drawn ones are held at once; exchanges come in multiples of 32."""
    bars = []
    monkeypatch.setattr(bleu_significance, "tqdm", lambda **made_with: bars.append(Bar(**made_with)) or bars[-1])
    monkeypatch.setattr(bleu_significance, "_BLOCK", 300 if name == "Bootstrap" else 640)
    draw(np.ones((2, 10, 10), int), Options(), np.random.default_rng(0), 100)
    (bar,) = bars
    assert (bar.made_with, bar.steps) == ({"total": 100, "desc": name, "delay": 2}, steps)


PROGRESS = """
import sys
import datasets, numpy as np
import conftest
from bleu import bleu_significance
from bleu.bleu_options import Options
if sys.argv[1] == "disabled":
    datasets.disable_progress_bars()
rows = np.ones((1, 3000, 10), int)
bleu_significance.bootstrap_scores(rows, Options(), np.random.default_rng(0), int(sys.argv[2]))
"""


def shown_within(process, seconds):
    """Whether a bar appears; the process is ended then, or when the time is over."""
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
def test_a_progress_bar_for_what_takes_long():
    assert shown_within(start_python(PROGRESS, "enabled", 10**7), seconds=100)


@pytest.mark.slow
def test_no_progress_bar_where_datasets_shows_none():
    assert not shown_within(start_python(PROGRESS, "disabled", 10**7), seconds=10)


@pytest.mark.slow
def test_no_progress_bar_for_what_is_done_at_once():
    process = start_python(PROGRESS, "enabled", 100)
    assert "Bootstrap" not in process.communicate()[1]
    assert process.returncode == 0
