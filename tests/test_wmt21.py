"""The BLEU scores that WMT published for real systems. Read from beside the checkout; no part of the project."""

import time

import pytest
from bleu.bleu_compiler import COMPILED
from helpers import WMT21, read_published, read_system

pytestmark = pytest.mark.skipif(not WMT21.is_dir(), reason=f"no WMT21 data at {WMT21}")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_published_score_comes_out(bleu, capsys):
    """635 rows to 1e-9 on the scale to 100, and all of them in seconds."""
    seconds, count, worst = 0.0, 0, 0.0
    rows = list(read_published())
    # Without the kernel a row takes a second, so that every tenth has to do.
    for row in rows if COMPILED else rows[::10]:
        predictions, references, tokenize = read_system(row)
        start = time.perf_counter()
        score = bleu.compute(predictions=predictions, references=references, tokenize=tokenize)["score"]
        seconds += time.perf_counter() - start
        assert score == pytest.approx(float(row["score"]), abs=1e-9), row
        worst, count = max(worst, abs(score - float(row["score"]))), count + 1
    assert len(rows) == 635
    with capsys.disabled():
        print(f"\nWMT21: {count} published scores, worst difference {worst:.1e}, {seconds:.1f} s of compute()")
