"""This metric beside its peers, in one run on the same data: ratios, since absolute times mean little.

    python tests/benchmarks/speed.py [segments, 40,000 by default]

Peers: sacreBLEU called directly; evaluate's `sacrebleu` module; bleuscore (Rust) called directly. evaluate's modules can't
be loaded without a network: tests/evaluates_sacrebleu.py stands for it.
"""

import math
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import bleuscore
import evaluate
import pyarrow as pa
import sacrebleu
from corpora import corpus

ROOT = Path(__file__).resolve().parents[2]


def best_seconds(call: Callable[[], object], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def best_in_turns(calls: Mapping[str, tuple[Callable[[], object], int]], rounds: int = 3) -> dict[str, float]:
    """The best time of each call, made so many times a round: they take turns, since the machine's pace changes."""
    seconds = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for name, (call, repeat) in calls.items():
            seconds[name] = min(seconds[name], best_seconds(call, repeat))
    return seconds


def main(segments: int = 40_000) -> None:
    warnings.simplefilter("ignore")
    name, predictions, references = corpus(segments)
    streams = [list(stream) for stream in zip(*references)]
    own = {"predictions": predictions, "references": references}
    arrow = {"predictions": pa.array(predictions), "references": pa.array(references)}
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    module = evaluate.load(str(ROOT / "tests" / "evaluates_sacrebleu.py"), cache_dir=tempfile.mkdtemp())
    bleu.compute(**own)  # compiled, or read from the compiler's cache

    calls: dict[str, tuple[Callable[[], object], int]] = {
        "sacreBLEU, corpus_bleu": (lambda: sacrebleu.corpus_bleu(predictions, streams), 1),
        "evaluate's sacrebleu module": (lambda: module.compute(**own), 1),
        "bleuscore, called directly": (lambda: bleuscore.compute(references, predictions), 3),
        "compute on Python lists": (lambda: bleu.compute(**own), 7),
        "compute on Arrow": (lambda: bleu.compute(**arrow), 7),
        "statistics on Arrow": (lambda: bleu.statistics(**arrow), 7),
        "pa.array on the same lists": (lambda: (pa.array(predictions), pa.array(references)), 7),
    }
    seconds = best_in_turns(calls)
    print(f"{segments:,} segments of {name}, two references each\n")
    print(f"{'':30} {'seconds':>8} {'against sacreBLEU':>18} {'evaluate':>9} {'bleuscore':>10}")
    for what, time_taken in seconds.items():
        ratios = [seconds[peer] / time_taken for peer in list(seconds)[:3]]
        print(f"{what:30} {time_taken:8.3f} {ratios[0]:17.1f}x {ratios[1]:8.1f}x {ratios[2]:9.1f}x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
