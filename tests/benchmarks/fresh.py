"""The first `compute` of a process: on a machine that has compiled nothing yet, and on one that has.

    python tests/benchmarks/fresh.py

Each figure is from processes of its own, the median of three: seconds of the call, without the imports. sacreBLEU's
`corpus_bleu` in as fresh a process is beside it.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIZES = (1, 100, 3_000, 40_000)
OURS = """
import evaluate
bleu = evaluate.load({metric!r})
score = lambda: bleu.compute(predictions=predictions, references=references)
"""
THEIRS = """
import sacrebleu
streams = [list(stream) for stream in zip(*references)]
score = lambda: sacrebleu.corpus_bleu(predictions, streams)
"""
TIMED = """
import time, warnings
warnings.simplefilter("ignore")
from corpora import corpus
_, predictions, references = corpus({rows})
{score}
start = time.perf_counter()
score()
print(time.perf_counter() - start)
"""


def run(code: str, cache: str) -> str:
    """What code prints in a process of its own, with a place of its own for what is compiled."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(HERE)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    ).stdout


def median_seconds(code: str, rows: int, cache: str | None = None) -> float:
    """Of three processes; each with an empty place for compiled code unless one is given."""
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as empty:
            times.append(float(run(TIMED.format(rows=rows, score=code), cache or empty)))
    return statistics.median(times)


def main() -> None:
    ours = OURS.format(metric=str(HERE.parents[1] / "bleu_metric.py"))
    print("| rows | sacreBLEU, seconds | nothing compiled yet | compiled before |\n| ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as full:
        run(f"{ours}\nbleu.warm_up()", full)
        for rows in SIZES:
            times = [median_seconds(THEIRS, rows), median_seconds(ours, rows), median_seconds(ours, rows, full)]
            print(f"| {rows:,} | {' | '.join(f'{time:.4f}' for time in times)} |", flush=True)


if __name__ == "__main__":
    main()
