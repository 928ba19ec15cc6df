"""Resampling: in blocks as at once, and with a progress bar where it takes long."""

import subprocess

import numpy as np
import pytest
from bleu import bleu_significance
from bleu.bleu_options import Options
from processes import python

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
    assert shown_within(python(PROGRESS, "enabled", 10**7, wait=False), seconds=100)


@pytest.mark.slow
def test_no_progress_bar_where_datasets_shows_none():
    assert not shown_within(python(PROGRESS, "disabled", 10**7, wait=False), seconds=10)


@pytest.mark.slow
def test_no_progress_bar_for_what_is_done_at_once():
    process = python(PROGRESS, "enabled", 100, wait=False)
    assert "Bootstrap" not in process.communicate()[1]
    assert process.returncode == 0
