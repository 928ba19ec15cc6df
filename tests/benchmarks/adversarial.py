"""Input that somebody made to be slow, beside ordinary input with as many rows, references, tokens and bytes.

    python tests/benchmarks/adversarial.py [tokens, 100,000 by default]

A ratio of 1 means that it takes as long. The tokens stand in one row, or in rows of 25 with two references each; the
references have them in another order. An ordinary token is as long, and of random letters.
"""

import random
import string
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evaluate
from speed import best_seconds

ROOT = Path(__file__).resolve().parents[2]
FIBONACCI = 0x9E3779B97F4A7C15  # what hash functions multiply by: multiples of its inverse land side by side
INVERSE = pow(FIBONACCI, -1, 1 << 64)
MERSENNE = (1 << 61) - 1  # equal remainders have equal hashes in Python


def signed(number: int) -> int:
    return number % (1 << 63)


ATTACKS: dict[str, Callable[[int], Any]] = {
    "the same ends": lambda i: f"abcdefgh{i:07}abcdefgh",
    "the same ends, far apart": lambda i: f"abcdefgh{i:07}{'x' * 80}abcdefgh",
    "halves exchanged": lambda i: f"{i:08}{~i & 0xFFFFFFF:08x}",
    "one token": lambda i: "abcdefgh",
    "almost one token": lambda i: "abcdefgh" if i % 1000 else f"{i:08}",
    "<skipped>": lambda i: f"a{i:06}<skipped>",
    "almost <skipped>": lambda i: f"a{i:06}<skipped",
    "a hyphen before a line break": lambda i: f"a{i:06}-\nb",
    "ampersands": lambda i: f"a{i:06}&&&&&&&&",
    "nested entities": lambda i: f"a{i:06}&amp;lt;",
    "full stops": lambda i: f"a{i:06}.,.,.,.,",
    "sigmas and accents": lambda i: f"Σ{i:06}Σ" + "\u0301" * 20,
    "ids side by side": lambda i: i,
    "ids far apart": lambda i: signed(i << 40),
    "ids by Fibonacci's inverse": lambda i: signed(i * INVERSE),
    "ids, byte-swapped inverse": lambda i: signed(int.from_bytes(i.to_bytes(8, "little"), "big") * INVERSE),
    "ids by Mersenne": lambda i: i % 4 * MERSENNE + i // 4 % 5,
}


def ordinary(token: Any, generator: random.Random) -> Any:
    if isinstance(token, int):
        return generator.randrange(1 << 62)
    if "&" in token or "." in token or token.endswith("<skipped"):  # marks are tokens: as many of them
        return token[:7] + "".join(generator.choices("!?", k=len(token) - 7))
    return "".join(generator.choices(string.ascii_letters, k=len(token.encode())))


def rows_of(tokens: list[Any], size: int) -> list[Any]:
    rows = [tokens[i : i + size] for i in range(0, len(tokens), size)]
    return rows if isinstance(tokens[0], int) else [" ".join(row) for row in rows]


def calls(bleu: evaluate.Metric, tokens: list[Any]) -> dict[str, Callable[[], Any]]:
    """What is timed, by the name of its column."""
    others = random.Random(1).sample(tokens, len(tokens))
    few = min(len(tokens), 10_000)
    (one,), (other,), (short,), (short_other,) = (
        rows_of(column, len(column)) for column in (tokens, others, tokens[:few], others[:few])
    )
    rows, other_rows, lowercase = rows_of(tokens, 25), rows_of(others, 25), {"lowercase": isinstance(tokens[0], str)}
    references = [[row, text] for row, text in zip(rows, other_rows)]
    return {
        "one row": lambda: bleu.compute(predictions=[one], references=[[other]], **lowercase),
        "rows": lambda: bleu.compute(predictions=rows, references=references, **lowercase),
        "`self_bleu`": lambda: bleu.self_bleu(rows, **lowercase),
        "`pairwise`": lambda: bleu.pairwise(rows[:400], other_rows[:400], **lowercase),
        "`explain`": lambda: bleu.explain(short, [short_other], **lowercase),
        "`reconcile`": lambda: bleu.reconcile(rows[:1000], references[:1000], 30),
    }


def many_references(bleu: evaluate.Metric, words: int, references: int, length: int) -> float:
    """Seconds of `compute` on one row with so many words, and so many references of some of them."""
    generator = random.Random(0)
    text = generator.choices(string.ascii_lowercase, k=words)
    row = [" ".join(generator.choices(text, k=length)) for _ in range(references)]
    return best_seconds(lambda: bleu.compute(predictions=[" ".join(text)], references=[row]), 30)


def main(tokens: int = 100_000) -> None:
    warnings.simplefilter("ignore")
    bleu, generator = evaluate.load(str(ROOT / "bleu_metric.py")), random.Random(0)
    names = list(calls(bleu, ["a"] * 25))
    print("| " + " | ".join([f"{tokens:,} tokens", *names]) + " |\n| --- |" + " ---: |" * len(names))
    for attack, make in ATTACKS.items():
        made = [make(i) for i in range(tokens)]
        usual = [ordinary(token, generator) for token in made]
        ratios = [
            best_seconds(slow, 2) / best_seconds(fast, 2)
            for slow, fast in zip(calls(bleu, made).values(), calls(bleu, usual).values())
        ]
        print("| " + " | ".join([attack, *(f"{ratio:.1f}" for ratio in ratios)]) + " |", flush=True)
    for words in (64, 65, tokens // 20):
        ratio = many_references(bleu, words, tokens // 20, 1) / many_references(bleu, words, 1, tokens // 20)
        print(f"| {words:,} words, {tokens // 20:,} references of a word instead of one of all | {ratio:.1f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
