"""Calls of all sizes, the compiled code at hand: `compute` beside its peers, and what else people call with a few rows.

    python tests/benchmarks/sizes.py

Two references a segment. Peers: sacreBLEU's `BLEU()`, one object for all calls, and bleuscore. The texts are new in each
call, since sacreBLEU remembers what it has cut. Medians.
"""

import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bleuscore
import evaluate
import numpy as np
from corpora import corpus
from sacrebleu.metrics import BLEU

ROOT = Path(__file__).resolve().parents[2]
SIZES = {1: 1000, 8: 300, 64: 60, 512: 20, 4096: 5, 40_000: 3, 100_000: 1}  # rows, and how often
TURN = 50  # calls
Columns = tuple[list[str], list[list[str]]]


class Words:
    """A tokenizer as `transformers` has them, for words that are numbers."""

    pad_token_id = 0

    def batch_decode(self, rows: Any, skip_special_tokens: bool) -> list[str]:
        return [" ".join(map(str, row)) for row in rows]


def new_texts(columns: Columns, rows: int, call: int) -> Columns:
    """So many rows, which no other call has."""
    start = call * rows % (len(columns[0]) - rows + 1)
    predictions, references = (column[start : start + rows] for column in columns)
    return [f"{call} {text}" for text in predictions], [[f"{call} {text}" for text in row] for row in references]


def median_microseconds(calls: list[Callable[..., object]], inputs: list[Columns]) -> list[float]:
    """The median time of each call. They take turns of some calls each: the machine's pace changes."""
    times: list[list[float]] = [[] for _ in calls]
    for start in range(0, len(inputs), TURN):
        for call, own_times in zip(calls, times):
            for arguments in inputs[start : start + TURN]:
                begin = time.perf_counter()
                call(*arguments)
                own_times.append(time.perf_counter() - begin)
    return [1e6 * statistics.median(own_times) for own_times in times]


def print_sizes(bleu: Any, columns: Columns) -> None:
    reused = BLEU()
    print("| rows | `compute`, µs | sacreBLEU | bleuscore |\n| ---: | ---: | ---: | ---: |")
    for rows, calls in SIZES.items():
        inputs = [new_texts(columns, rows, call) for call in range(calls)]
        peers = [
            lambda p, r: bleu.compute(predictions=p, references=r),
            lambda p, r: reused.corpus_score(p, list(zip(*r))),
            lambda p, r: bleuscore.compute(r, p),
        ]
        ours, theirs, rust = median_microseconds(peers, inputs)
        print(f"| {rows:,} | {ours:,.0f} | {theirs / ours:.1f}x | {rust / ours:.1f}x |", flush=True)


def print_calls(bleu: Any, columns: Columns) -> None:
    hook = bleu.compute_metrics(Words())

    def add(predictions: list[str], references: list[list[str]]) -> None:
        for prediction, row in zip(predictions, references):
            bleu.add(prediction=prediction, reference=row)
        bleu.compute()

    calls: dict[str, Callable[[list[str], list[list[str]]], object]] = {
        "`compute`": lambda p, r: bleu.compute(predictions=p, references=r),
        "`compute(segments=True)`": lambda p, r: bleu.compute(predictions=p, references=r, segments=True),
        "`add` of each row, then `compute`": add,
        "`explain` of each row": lambda p, r: [bleu.explain(*row) for row in zip(p, r)],
        "a hook's batch of 20 tokens a row": lambda p, r: hook(batches[len(p)]),
    }
    sizes = list(SIZES)[:4]
    print(f"\n| µs a call | {' | '.join(f'{rows} rows' for rows in sizes)} |\n| --- | {'---: | ' * len(sizes)}")
    generator = np.random.default_rng(0)
    batches = {rows: (generator.integers(1, 900, (rows, 20)), generator.integers(1, 900, (rows, 20))) for rows in sizes}
    for name, call in calls.items():
        inputs = [[new_texts(columns, rows, i) for i in range(SIZES[rows] // 4)] for rows in sizes]
        times = [median_microseconds([call], some)[0] for some in inputs]
        print(f"| {name} | {' | '.join(f'{time:,.0f}' for time in times)} |", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    bleu.warm_up()
    name, *columns = corpus(max(SIZES))
    print(f"Segments of {name}, 2 references\n")
    print_sizes(bleu, tuple(columns))
    print_calls(bleu, tuple(columns))


if __name__ == "__main__":
    main()
