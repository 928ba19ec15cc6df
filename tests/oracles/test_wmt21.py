"""The BLEU scores that WMT published in 2021. The data is not part of the project."""

import time

import pytest
from conftest import HAS_NUMBA, needs_wmt21
from helpers import read_published, read_system

pytestmark = needs_wmt21


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.more
def test_published_scores(bleu, capsys):
    """635 scores agree to 1e-9 points, and `compute` takes seconds for all."""
    seconds, count, worst = 0.0, 0, 0.0
    rows = list(read_published())
    # A row takes a second without the kernel, so only every tenth row is scored.
    for row in rows if HAS_NUMBA else rows[::10]:
        predictions, references, tokenize = read_system(row)
        start = time.perf_counter()
        score = bleu.compute(predictions=predictions, references=references, tokenize=tokenize)[
            "score"
        ]
        seconds += time.perf_counter() - start
        assert score == pytest.approx(float(row["score"]), abs=1e-9), row
        worst, count = max(worst, abs(score - float(row["score"]))), count + 1
    assert len(rows) == 635
    with capsys.disabled():
        print(
            f"\nWMT21: {count} published scores, worst difference {worst:.1e}, {seconds:.1f} s of compute()"
        )
