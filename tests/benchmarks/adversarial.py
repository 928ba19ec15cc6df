"""Input built to be slow, beside ordinary input with as many rows, references, tokens and bytes.

    python tests/benchmarks/adversarial.py

A ratio of 1 means that both take equally long. The tokens stand in one row, or in rows of 25 with two references each;
the references have the tokens in another order. Ordinary tokens have the same length and random letters.
"""

import random
import string
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import evaluate
from common import METRIC, median_seconds, print_table

TOKENS = 100_000
REFERENCES = 5_000
FIBONACCI = 0x9E3779B97F4A7C15  # the factor of common hash functions: multiples of its inverse land side by side
INVERSE = pow(FIBONACCI, -1, 1 << 64)
MERSENNE = (1 << 61) - 1  # equal remainders have equal hashes in Python

ATTACKS: dict[str, Callable[[int], Any]] = {  # the i-th token
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
    "ids side by side": lambda i: i + (1 << 17),  # above 65436, which is warned of
    "ids far apart": lambda i: (i << 40) % (1 << 63),
    "ids by Fibonacci's inverse": lambda i: i * INVERSE % (1 << 63),
    "ids, byte-swapped inverse": lambda i: (
        int.from_bytes(i.to_bytes(8, "little"), "big") * INVERSE % (1 << 63)
    ),
    "ids by Mersenne": lambda i: i % 4 * MERSENNE + i // 4 % 5,
}

# Parts of captions that many kinds of tokens of `ptb` begin with.
CAPTION_ATTACKS = [
    "a.", "1,a", "a-", "a/", "l'é-", "、", "日、", "कि", "a+", "A+", "<a b='", "<!a", "www.a.", "a\"@", "&eacute;", ".’", "a-U.S.",
]  # fmt: skip


def ordinary(token: Any, generator: random.Random) -> Any:
    """Return a random token of the same length."""
    if isinstance(token, int):
        return generator.randrange(1 << 62)
    if (
        "&" in token or "." in token or token.endswith("<skipped")
    ):  # marks are tokens: as many marks
        return token[:7] + "".join(generator.choices("!?", k=len(token) - 7))
    return "".join(generator.choices(string.ascii_letters, k=len(token.encode())))


def join_rows(tokens: list[Any], size: int) -> list[Any]:
    """Return rows of tokens: texts, or lists of ids."""
    rows = [tokens[i : i + size] for i in range(0, len(tokens), size)]
    return rows if isinstance(tokens[0], int) else [" ".join(row) for row in rows]


def calls(bleu: evaluate.Metric, tokens: list[Any]) -> dict[str, Callable[[], Any]]:
    """Return the timed calls by the name of their column."""
    shuffled = random.Random(1).sample(tokens, len(tokens))
    (one,), (one_reference,) = join_rows(tokens, TOKENS), join_rows(shuffled, TOKENS)
    (short, *_), (short_reference, *_) = (
        join_rows(tokens, TOKENS // 10),
        join_rows(shuffled, TOKENS // 10),
    )
    rows, shuffled_rows, lowercase = (
        join_rows(tokens, 25),
        join_rows(shuffled, 25),
        isinstance(tokens[0], str),
    )
    # Without their ends, because all texts are read if most rows are equal.
    references = [[row[:-1], other] for row, other in zip(rows, shuffled_rows)]
    return {
        "one row": lambda: bleu.compute(
            predictions=[one], references=[[one_reference]], lowercase=lowercase
        ),
        "rows": lambda: bleu.compute(predictions=rows, references=references, lowercase=lowercase),
        "`self_bleu`": lambda: bleu.self_bleu(rows, lowercase=lowercase),
        "`pairwise`": lambda: bleu.pairwise(rows[:400], shuffled_rows[:400], lowercase=lowercase),
        "`explain`": lambda: bleu.explain(short, [short_reference], lowercase=lowercase),
        "`reconcile`": lambda: bleu.reconcile(rows[:1000], references[:1000], 30),
    }


def attack_ratios(bleu: evaluate.Metric, names: list[str]) -> Iterator[tuple[str, list[float]]]:
    """Yield each attack with its ratios, in the columns named."""
    generator = random.Random(0)
    for attack, make in ATTACKS.items():
        tokens = [make(i) for i in range(TOKENS)]
        slow, fast = (
            calls(bleu, tokens),
            calls(bleu, [ordinary(token, generator) for token in tokens]),
        )
        seconds = [
            median_seconds({"slow": slow[name], "fast": fast[name]}, turns=2) for name in names
        ]
        yield attack, [pair["slow"] / pair["fast"] for pair in seconds]


def references_ratios(bleu: evaluate.Metric) -> Iterator[tuple[str, float]]:
    """Yield ratios of many references of one word to one reference of as many words."""
    for words in (64, 65, REFERENCES):
        generator = random.Random(0)
        text = generator.choices(string.ascii_lowercase, k=words)
        row = generator.choices(text, k=REFERENCES)
        compute = partial(bleu.compute, predictions=[" ".join(text)])
        slow, fast = (
            partial(compute, references=[row]),
            partial(compute, references=[[" ".join(row)]]),
        )
        seconds = median_seconds({"slow": slow, "fast": fast})
        yield f"{words:,} words, {REFERENCES:,} references", seconds["slow"] / seconds["fast"]


def caption_ratios(bleu: evaluate.Metric) -> Iterator[tuple[str, float]]:
    """Yield ratios of repeated parts to random letters, with semicolons where the parts have other characters."""
    generator = random.Random(0)
    for part in CAPTION_ATTACKS:
        text = part * (TOKENS // len(part))
        letters = generator.choices(string.ascii_letters, k=len(text))
        plain = "".join(a if b.isalnum() else ";" for a, b in zip(letters, text))
        compute = partial(bleu.compute, tokenize="ptb", max_order=1)
        seconds = median_seconds(
            {
                "slow": partial(compute, predictions=[text], references=[text]),
                "fast": partial(compute, predictions=[plain], references=[plain]),
            },
            turns=2,
        )
        yield f"`{part}`", seconds["slow"] / seconds["fast"]


def compute_ratios(bleu: evaluate.Metric) -> Iterator[tuple[str, float]]:
    """Yield each attack with the worse of its two ratios under `compute`."""
    for attack, ratios in attack_ratios(bleu, ["one row", "rows"]):
        yield attack, max(ratios)
    yield from references_ratios(bleu)


def main() -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(METRIC)
    bleu.warm_up()
    names = list(calls(bleu, ["a"] * TOKENS))
    rows = (
        [attack, *(f"{ratio:.1f}" for ratio in ratios)]
        for attack, ratios in attack_ratios(bleu, names)
    )
    print_table([f"{TOKENS:,} tokens", *names], rows)
    rows = ([name, f"{ratio:.1f}"] for name, ratio in references_ratios(bleu))
    print_table(
        ["many one-word references, relative to one reference with all the words", "ratio"], rows
    )
    rows = ([name, f"{ratio:.1f}"] for name, ratio in caption_ratios(bleu))
    print_table([f"`ptb`: a text repeated to {TOKENS:,} characters", "ratio"], rows)


if __name__ == "__main__":
    main()
