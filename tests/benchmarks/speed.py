"""This metric beside its peers, in one run on the same data: ratios, since absolute times mean little.

    python tests/benchmarks/speed.py [segments, 40,000 by default]

Peers: sacreBLEU called directly; evaluate's `sacrebleu` module; bleuscore (Rust) called directly. evaluate's modules can't
be loaded without a network: tests/evaluates_sacrebleu.py stands for it.
"""

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
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


def main(segments: int = 40_000) -> None:
    warnings.simplefilter("ignore")
    name, predictions, references = corpus(segments)
    streams = [list(stream) for stream in zip(*references)]
    own = {"predictions": predictions, "references": references}
    arrow = {"predictions": pa.array(predictions), "references": pa.array(references)}
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    module = evaluate.load(str(ROOT / "tests" / "evaluates_sacrebleu.py"), cache_dir=tempfile.mkdtemp())
    bleu.compute(**own)  # compiled, or read from the compiler's cache

    seconds = {
        "sacreBLEU, corpus_bleu": best_seconds(lambda: sacrebleu.corpus_bleu(predictions, streams), 2),
        "evaluate's sacrebleu module": best_seconds(lambda: module.compute(**own), 2),
        "bleuscore, called directly": best_seconds(lambda: bleuscore.compute(references, predictions), 5),
        "compute on Python lists": best_seconds(lambda: bleu.compute(**own), 15),
        "compute on Arrow": best_seconds(lambda: bleu.compute(**arrow), 15),
        "statistics on Arrow": best_seconds(lambda: bleu.statistics(**arrow), 15),
        "pa.array on the same lists": best_seconds(lambda: (pa.array(predictions), pa.array(references)), 15),
    }
    print(f"{segments:,} segments of {name}, two references each\n")
    print(f"{'':30} {'seconds':>8} {'against sacreBLEU':>18} {'evaluate':>9} {'bleuscore':>10}")
    for what, time_taken in seconds.items():
        ratios = [seconds[peer] / time_taken for peer in list(seconds)[:3]]
        print(f"{what:30} {time_taken:8.3f} {ratios[0]:17.1f}x {ratios[1]:8.1f}x {ratios[2]:9.1f}x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
