"""The BLEU scores that WMT published for real systems. Read from beside the checkout; no part of the project."""

import csv
import time
from functools import cache

import pytest
from bleu.bleu_kernel import COMPILED
from conftest import WMT21

TOKENIZERS = {"zh": "zh", "ja": "char"}  # as WMT scored Chinese and Japanese; 13a otherwise

pytestmark = pytest.mark.skipif(not WMT21.is_dir(), reason=f"no WMT21 data at {WMT21}")


@cache
def lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def published():
    with open(WMT21 / "published-bleu.tsv", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def corpus(row):
    """The system's segments and their references, all of them for `bleu-all`, else the one that is named."""
    target = row["pair"].split("-")[1]
    chosen = row["metric"].removeprefix("bleu-")
    output = next((WMT21 / "system-outputs").glob(f"*.{row['pair']}.hyp.{row['system']}.{target}"))
    streams = sorted((WMT21 / "references").glob(f"*.{row['pair']}.ref.{'*' if chosen == 'all' else chosen}.{target}"))
    return lines(output), list(zip(*map(lines, streams))), TOKENIZERS.get(target, "13a")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_published_score_comes_out(bleu, capsys):
    """635 rows to 1e-9 on the scale to 100, and all of them in seconds."""
    seconds, count, worst = 0.0, 0, 0.0
    rows = list(published())
    # Without the kernel a row takes a second, so that every tenth has to do.
    for row in rows if COMPILED else rows[::10]:
        predictions, references, tokenize = corpus(row)
        start = time.perf_counter()
        score = bleu.compute(predictions=predictions, references=references, tokenize=tokenize)["score"]
        seconds += time.perf_counter() - start
        assert score == pytest.approx(float(row["score"]), abs=1e-9), row
        worst, count = max(worst, abs(score - float(row["score"]))), count + 1
    assert len(rows) == 635
    with capsys.disabled():
        print(f"\nWMT21: {count} published scores, worst difference {worst:.1e}, {seconds:.1f} s of compute()")
