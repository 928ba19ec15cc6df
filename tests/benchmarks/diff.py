"""`diff` beside plain Python: sacreBLEU's scores, its tokens, and Counters; and how time and memory grow.

    python tests/benchmarks/diff.py

One run on the same data. The plain way gives the same numbers; a look at some of them says so. Memory is measured in a
process for each size, on token ids by Zipf's law, where most longer n-grams are different. Linux only.
"""

import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from pathlib import Path

import evaluate
import numpy as np
import pyarrow as pa
from corpora import corpus
from sacrebleu.metrics import BLEU
from scale import memory
from speed import best_seconds

ROOT = Path(__file__).resolve().parents[2]
SIZES = (3_000, 100_000)
PLAIN_SIZES = (3_000,)
IDS_SIZES = (100_000, 300_000, 1_000_000)


def other_system(predictions: list[str]) -> list[str]:
    """A system that differs a little: every fourteenth word is missing, in three of four segments."""
    drop = lambda words, i: words[: i % 14] + [word for k, word in enumerate(words[i % 14 :]) if k % 14]  # noqa: E731
    return [text if i % 4 == 0 else " ".join(drop(text.split(), i)) for i, text in enumerate(predictions)]


def count_ngrams(tokens: list[str]) -> list[Counter[tuple[str, ...]]]:
    return [Counter(zip(*(tokens[k:] for k in range(n)))) for n in range(1, 5)]


def plain_difference(first: list[str], second: list[str], references: list[list[str]]) -> dict[str, object]:
    """Wins, BLEU by length, and n-grams by McNemar's statistic: each text tokenised once for the n-grams."""
    metric = BLEU(force=True)
    sentence = BLEU(effective_order=True)
    tokenize = metric.tokenizer
    counts = [(Counter(), Counter()) for _ in range(4)]
    groups: dict[int, list[int]] = {}
    wins = 0
    for i, (one, other, row) in enumerate(zip(first, second, references)):
        tokens = [tokenize(text).split() for text in row]
        allowed = [Counter() for _ in range(4)]
        for reference in tokens:
            allowed = [most | ngrams for most, ngrams in zip(allowed, count_ngrams(reference))]
        of_first, of_second = (
            [ngrams & most for ngrams, most in zip(count_ngrams(tokenize(text).split()), allowed)]
            for text in (one, other)
        )
        for (only_first, only_second), a, b in zip(counts, of_first, of_second):
            only_first.update(a - b)
            only_second.update(b - a)
        groups.setdefault(min(map(len, tokens)) // 10, []).append(i)
        scores = [sentence.sentence_score(text, row).score for text in (one, other)]
        wins += scores[1] - scores[0] > 1e-9
    by_length = {}
    for group, rows in sorted(groups.items()):
        streams = list(zip(*(references[i] for i in rows)))
        by_length[group] = [metric.corpus_score([system[i] for i in rows], streams).score for system in (first, second)]
    telling = [
        sorted(
            ((a[g] - b[g]) ** 2 / (a[g] + b[g]) for g in a if a[g] > b[g]),
            reverse=True,
        )[:20]
        for a, b in counts
    ]
    systems = [metric.corpus_score(system, list(zip(*references))).score for system in (first, second)]
    return {"wins": wins, "systems": systems, "by_length": by_length, "telling": telling}


def look_at_both(plain: dict, ours: dict) -> str:
    """Whether wins, scores and the most telling n-grams are the same."""
    scores = [ours["systems"][name]["score"] for name in ("first", "second")]
    telling = [
        [(n["only_first"] - n["only_second"]) ** 2 / (n["only_first"] + n["only_second"]) for n in order["first"]]
        for order in ours["ngrams"]
    ]
    same = plain["wins"] == ours["wins"] and np.allclose(plain["systems"], scores, atol=1e-9)
    return "the same numbers" if same and plain["telling"] == telling else "DIFFERENT numbers"


def print_seconds(bleu: evaluate.Metric) -> None:
    name, first, references = corpus(max(SIZES))
    second = other_system(first)
    print(f"| {name}, 2 references | plain Python, seconds | `diff` | ratio |")
    print("| --- | ---: | ---: | ---: |")
    for size in SIZES:
        columns = first[:size], second[:size], references[:size]
        ours = best_seconds(lambda columns=columns: bleu.diff(*columns), 3)
        if size not in PLAIN_SIZES:
            print(f"| {size:,} segments | | {ours:.3f} | |")
            continue
        start = time.perf_counter()
        plain = plain_difference(*columns)
        seconds = time.perf_counter() - start
        looked = look_at_both(plain, bleu.diff(*columns))
        print(f"| {size:,} segments, {looked} | {seconds:.2f} | {ours:.3f} | {seconds / ours:.0f}x |")


def made_up_ids(rows: int) -> tuple[pa.Array, ...]:
    """Two systems and a reference each: a third of the tokens of each system are exchanged."""
    generator = np.random.default_rng(0)
    ends = np.concatenate([[0], np.cumsum(generator.integers(8, 40, rows))])
    words = lambda: np.minimum(generator.zipf(1.3, ends[-1]), 200_000)  # noqa: E731
    reference = words()
    systems = (np.where(generator.random(ends[-1]) < 1 / 3, words(), reference) for _ in range(2))
    first, second, references = (
        pa.LargeListArray.from_arrays(pa.array(ends), pa.array(tokens)) for tokens in (*systems, reference)
    )
    return first, second, pa.LargeListArray.from_arrays(pa.array(np.arange(rows + 1)), references)


def measure(rows: int) -> None:
    """Prints a line of the table of memory."""
    bleu, columns = evaluate.load(str(ROOT / "bleu_metric.py")), made_up_ids(rows)
    bleu.diff([[1]], [[2]], [[[1]]])
    before, peak, done = memory("RssAnon"), 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.02):
            peak = max(peak, memory("RssAnon"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    bleu.diff(*columns)
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    print(f"| {rows:,} | {seconds:.2f} | {before / 1024:.0f} | {peak / 1024:.0f} |", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    bleu.diff(["a b"], ["a"], ["a b"])  # compiled, or read from the cache
    print_seconds(bleu)
    print("\n| token ids, 1 reference: segments | seconds | MiB before | at its peak |")
    print("| ---: | ---: | ---: | ---: |", flush=True)
    for rows in IDS_SIZES:
        subprocess.run([sys.executable, __file__, str(rows)], check=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(int(sys.argv[1]))
    else:
        main()
