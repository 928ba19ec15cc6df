"""Parts that the benchmarks share: corpora, a timer in which calls take turns, and Markdown tables."""

import itertools
import random
import statistics
import string
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("", "demo", "ecosystem")]

from helpers import WMT21, read_lines

EVALUATES_SACREBLEU = ROOT / "tests" / "evaluates_sacrebleu.py"
METRIC = str(ROOT / "bleu_metric.py")
REFERENCES = {"de-en": "AB", "cs-en": "AB", "ru-en": "AB", "en-de": "AC", "en-cs": "AB"}
TO_JAPANESE = {ord("a") + i: chr(0x3042 + 2 * i) for i in range(26)} | {
    ord(" "): None,
    ord("."): "。",
}
SECONDS_PER_TURN = 0.2  # a shorter call is repeated until its turn has taken as long

Columns = tuple[list[str], list[list[str]]]  # predictions, and two references per prediction


@cache
def corpus(rows: int) -> tuple[str, Columns]:
    """Return the name of the data and its first rows: WMT21 in a fixed random order, or synthetic text."""
    if not WMT21.is_dir():
        return "synthetic text", synthetic(rows)
    segments = []
    for pair, names in REFERENCES.items():
        target = pair.split("-")[1]
        streams = [
            read_lines(WMT21 / "references" / f"newstest2021.{pair}.ref.{name}.{target}")
            for name in names
        ]
        for output in sorted(
            (WMT21 / "system-outputs").glob(f"newstest2021.{pair}.hyp.*.{target}")
        ):
            segments.extend(zip(read_lines(output), zip(*streams)))
    random.Random(0).shuffle(segments)
    predictions, references = zip(*itertools.islice(itertools.cycle(segments), rows))
    return "WMT21", (list(predictions), [list(row) for row in references])


def synthetic(rows: int) -> Columns:
    """Return sentences of words by Zipf's law; each reference has a third of the prediction's words replaced."""
    generator = random.Random(0)
    words = [
        "".join(generator.choices(string.ascii_lowercase, k=generator.randrange(2, 10)))
        for _ in range(20_000)
    ]
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    sentence = lambda tokens: " ".join(tokens).capitalize() + "."
    predictions, references = [], []
    for _ in range(rows):
        tokens = generator.choices(words, cum_weights=weights, k=generator.randrange(8, 40))
        pools = [generator.choices(words, cum_weights=weights, k=len(tokens)) for _ in range(2)]
        mixed = [
            [new if generator.random() < 1 / 3 else old for old, new in zip(tokens, pool)]
            for pool in pools
        ]
        predictions.append(sentence(tokens))
        references.append([sentence(row) for row in mixed])
    return predictions, references


def many_references(rows: int, references: int) -> Columns:
    """Return rows with a given number of references: those of `corpus`, each without one of its words."""
    predictions, pairs = corpus(rows)[1]

    def vary(text: str, number: int) -> str:
        words = text.split()
        left_out = number % len(words)
        return " ".join([*words[:left_out], *words[left_out + 1 :], str(number // len(words))])

    varied = []
    for pair in pairs:
        texts = [text or "a" for text in pair]
        numbers = range(references // len(texts))
        varied.append([vary(text, number) for number in numbers for text in texts])
    return predictions, varied


def outputs(direction: str, rows: int) -> Columns:
    """Return outputs of WMT21 systems of a direction, with outputs of other systems as references."""
    if not WMT21.is_dir():
        return edit(corpus(rows)[1], lambda text: text.lower().translate(TO_JAPANESE))
    target = direction.split("-")[1]
    paths = sorted((WMT21 / "system-outputs").glob(f"newstest2021.{direction}.hyp.*.{target}"))
    predictions, *references = [
        [line for path in paths[i::3] for line in read_lines(path)][:rows] for i in range(3)
    ]
    return predictions, [list(row) for row in zip(*references)]


def edit(value: Any, change: Callable[[str], Any]) -> Any:
    """Return nested lists or tuples with each text changed."""
    return (
        change(value)
        if isinstance(value, str)
        else type(value)(edit(item, change) for item in value)
    )


def renew(value: Any) -> Any:
    """Return the same texts and ids in new objects, because Python keeps the UTF-8 of a str once it was read."""
    if isinstance(value, list | tuple):
        return type(value)(map(renew, value))
    return value.encode().decode() if isinstance(value, str) else value


def median_seconds(
    calls: Mapping[str, Callable[..., object]],
    prepare: Callable[[], Iterable[Any]] = tuple,
    turns: int = 5,
) -> dict[str, float]:
    """Return each call's median over turns of its mean seconds.

    The calls take turns, because the machine's pace changes. A turn repeats a short call, and its mean contains the same
    share of interruptions as a long call. `prepare` returns new arguments before each call, untimed.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            times: list[float] = []
            while sum(times) < SECONDS_PER_TURN:
                arguments = prepare()
                start = time.perf_counter()
                call(*arguments)
                times.append(time.perf_counter() - start)
            seconds[name].append(statistics.mean(times))
    return {name: statistics.median(means) for name, means in seconds.items()}


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table, each row as soon as it is measured."""
    print("| " + " | ".join(header) + " |\n| --- |" + " ---: |" * (len(header) - 1), flush=True)
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()
