"""All pairs of 200 sentences, and self-BLEU of up to 64,000: beside the ways there are otherwise, and how time grows.

    python tests/benchmarks/pairs.py

One run on the same data. No sentence comes twice: they are WMT21's as far as those go, made-up ones from there on.
"""

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import evaluate
import numpy as np
from corpora import corpus, made_up
from sacrebleu.metrics import BLEU
from speed import best_seconds

ROOT = Path(__file__).resolve().parents[2]
PAIRED = 200
SIZES = (1_000, 4_000, 16_000, 64_000)
ONE_BY_ONE_SIZES = (100, 200, 400)


def sentences(count: int) -> tuple[str, list[str]]:
    """Where they are from, and so many different ones in a random order."""
    name, predictions, references = corpus(100_000)
    found = list(dict.fromkeys([*predictions, *(text for row in references for text in row)]))
    random.Random(0).shuffle(found)
    return f"{min(len(found), count):,} of {name}", list(dict.fromkeys([*found, *made_up(count)[0]]))[:count]


def samples(texts: list[str], count: int) -> list[str]:
    """What a model might sample for one source: the words of the texts, some left out, exchanged or put in."""
    generator, words = random.Random(0), " ".join(texts).split()
    made = []
    for _ in range(count):
        sample = list(words)
        for _ in range(8):
            start = generator.randrange(len(sample))
            sample[start : start + generator.randrange(3)] = [generator.choice(words)]
        made.append(" ".join(sample))
    return made


def pairs_seconds(bleu: evaluate.Metric, texts: list[str]) -> dict[str, float]:
    metric = BLEU(effective_order=True)

    def statistics_of_all() -> None:
        predictions, references = [text for text in texts for _ in texts], texts * len(texts)
        bleu.score(bleu.statistics(predictions=predictions, references=references), segments=True)

    return {
        "a loop over sacreBLEU's `sentence_score`": best_seconds(
            lambda: [metric.sentence_score(one, [other]) for one in texts for other in texts], 2
        ),
        "`statistics` of all pairs, and `score`": best_seconds(statistics_of_all, 5),
        "`pairwise`": best_seconds(lambda: bleu.pairwise(texts), 20),
    }


def print_pairs(bleu: evaluate.Metric, texts: list[str]) -> None:
    apart, alike = pairs_seconds(bleu, texts[:PAIRED]), pairs_seconds(bleu, samples(texts[:2], PAIRED))
    print(f"| {PAIRED} x {PAIRED} | different sentences, seconds | ratio | samples of one source, seconds | ratio |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for what in apart:
        ratios = [f"{seconds[what]:.4f} | {seconds[what] / seconds['`pairwise`']:.1f}x" for seconds in (apart, alike)]
        print(f"| {what} | {' | '.join(ratios)} |")


def print_growth(what: str, sizes: tuple[int, ...], call: Callable[[int], object], repeat: int) -> None:
    """Seconds by size, and the exponent that fits them best: 1 is linear, 2 quadratic."""
    seconds = [best_seconds(lambda size=size: call(size), repeat) for size in sizes]
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    print(f"\n| {what}: texts | {' | '.join(f'{size:,}' for size in sizes)} | exponent |")
    print(f"| --- | {' | '.join('---:' for _ in sizes)} | ---: |")
    print(f"| seconds | {' | '.join(f'{time:.4f}' for time in seconds)} | {exponent:.2f} |")


def main() -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    name, texts = sentences(max(SIZES))
    bleu.pairwise(texts[:2]), bleu.compute(predictions=texts, references=texts)  # compiled, or read from the cache

    def one_by_one(size: int) -> None:
        others = [texts[:i] + texts[i + 1 : size] for i in range(size)]
        bleu.compute(predictions=texts[:size], references=others, segments=True)

    print(f"Different sentences, {name}\n")
    print_pairs(bleu, texts)
    print_growth("`self_bleu`", SIZES, lambda size: bleu.self_bleu(texts[:size]), 7)
    print_growth("`compute` with all others as references", ONE_BY_ONE_SIZES, one_by_one, 3)


if __name__ == "__main__":
    main()
