"""This metric beside its peers, in one run on the same data: ratios, since absolute times mean little.

    python tests/benchmarks/speed.py [segments, 40,000 by default]

Peers: sacreBLEU called directly; evaluate's `sacrebleu` module; bleuscore (Rust) called directly. evaluate's modules can't
be loaded without a network: tests/evaluates_sacrebleu.py stands for it. Lists and their strings are new in each call.
"""

import math
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import bleuscore
import evaluate
import pyarrow as pa
import sacrebleu
from corpora import corpus, renew

ROOT = Path(__file__).resolve().parents[2]


def best_seconds(call: Callable[..., object], repeat: int, prepare: Callable[[], Iterable[Any]] = tuple) -> float:
    """The best time of a call, with arguments that are made before each and take none of it."""
    times = []
    for _ in range(repeat):
        arguments = prepare()
        start = time.perf_counter()
        call(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def best_in_turns(
    calls: Mapping[str, tuple[Callable[..., object], int]], prepare: Callable[[], Iterable[Any]], rounds: int = 3
) -> dict[str, float]:
    """The best time of each call, made so many times a round: they take turns, since the machine's pace changes."""
    seconds = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for name, (call, repeat) in calls.items():
            seconds[name] = min(seconds[name], best_seconds(call, repeat, prepare))
    return seconds


def main(segments: int = 40_000) -> None:
    warnings.simplefilter("ignore")
    name, predictions, references = corpus(segments)
    arrow = {"predictions": pa.array(predictions), "references": pa.array(references)}
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    module = evaluate.load(str(ROOT / "tests" / "evaluates_sacrebleu.py"), cache_dir=tempfile.mkdtemp())
    bleu.warm_up()

    calls: dict[str, tuple[Callable[..., object], int]] = {
        "sacreBLEU, corpus_bleu": (lambda p, r: sacrebleu.corpus_bleu(p, list(zip(*r))), 1),
        "evaluate's sacrebleu module": (lambda p, r: module.compute(predictions=p, references=r), 1),
        "bleuscore, called directly": (lambda p, r: bleuscore.compute(r, p), 3),
        "compute on Python lists": (lambda p, r: bleu.compute(predictions=p, references=r), 7),
        "compute on Arrow": (lambda p, r: bleu.compute(**arrow), 7),
        "statistics on Arrow": (lambda p, r: bleu.statistics(**arrow), 7),
        "pa.array on the same lists": (lambda p, r: (pa.array(p), pa.array(r)), 7),
    }
    seconds = best_in_turns(calls, lambda: renew([predictions, references]), rounds=5)
    print(f"{segments:,} segments of {name}, two references each\n")
    print(f"{'':30} {'seconds':>8} {'against sacreBLEU':>18} {'evaluate':>9} {'bleuscore':>10}")
    for what, time_taken in seconds.items():
        ratios = [seconds[peer] / time_taken for peer in list(seconds)[:3]]
        print(f"{what:30} {time_taken:8.3f} {ratios[0]:17.1f}x {ratios[1]:8.1f}x {ratios[2]:9.1f}x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
