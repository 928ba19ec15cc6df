"""`compute` under each setting beside sacreBLEU, or beside a user's tokenizer alone where that is what takes the time.

    python tests/benchmarks/settings.py [segments, 4,000 by default]

sacreBLEU gets a new `BLEU` each time, since it remembers what it has cut; for tokens and ids it cuts the text that they
are from at white space. A user's tokenizer is timed alone by a plain loop over the same texts. Lists and their strings
are new in each call.
"""

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evaluate
import ipadic
import MeCab
from corpora import corpus, renew
from helpers import WMT21, read_lines
from sacrebleu.metrics import BLEU
from speed import best_in_turns

ROOT = Path(__file__).resolve().parents[2]
TO_JAPANESE = {ord("a") + i: chr(0x3042 + 2 * i) for i in range(26)} | {ord(" "): None, ord("."): "。"}
IDS: dict[str, int] = {}


def edit(texts: list[Any], change: Callable[[str], Any]) -> list[Any]:
    """Each text of a column changed, whether it has one in a row or several."""
    return [edit(row, change) if isinstance(row, list) else change(row) for row in texts]


def japanese(rows: int) -> list[list[Any]]:
    """Japanese outputs of WMT21 with two others as references; elsewhere made-up text in Japanese letters."""
    if not WMT21.is_dir():
        return [edit(column, lambda text: text.lower().translate(TO_JAPANESE)) for column in corpus(rows)[1:]]
    paths = sorted((WMT21 / "system-outputs").glob("newstest2021.en-ja.hyp.*.ja"))
    streams = [[line for path in paths[i::3] for line in read_lines(path)][:rows] for i in range(3)]
    return [streams[0], [list(row) for row in zip(*streams[1:])]]


def put_skipped(text: str) -> str:
    return text.replace(" ", " <skipped>", 1)


# How the texts are changed, and the options.
CHANGES: list[tuple[str, Callable[[str], Any], dict[str, Any]]] = [
    *((f"`{name}`", str, {"tokenize": name}) for name in ("13a", "none", "intl", "zh", "char")),
    ("lower case", str, {"lowercase": True}),
    ("lower case, a final sigma in each", lambda text: f"ΟΔΟΣ {text}", {"lowercase": True}),
    ("lower case, emoji", lambda text: f"🙂👍🏽 {text} 🎉", {"lowercase": True}),
    ("emoji, `intl`", lambda text: f"🙂👍🏽 {text} 🎉", {"tokenize": "intl"}),
    ("`<skipped>` in each", put_skipped, {}),
    ("a hyphen before a line break in each", lambda text: text.replace(" ", "-\n", 1), {}),
    ("lists of tokens", str.split, {}),
    ("lists of tokens, lower case", str.split, {"lowercase": True}),
    ("lists of ids", lambda text: [IDS.setdefault(token, len(IDS)) for token in text.split()], {}),
]
_MECAB = MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
TOKENIZERS = {
    "`str.split`": str.split,
    "`re.findall`": re.compile(r"\w+|[^\w\s]").findall,
    "a function in Python": lambda text: [word.strip(".,") for word in text.split(" ")],
    "MeCab, Japanese": lambda text: _MECAB.parse(text).split(),
}


def against_sacrebleu(bleu: evaluate.Metric, texts: list[list[Any]], columns: list[list[Any]], options: Any) -> float:
    """How many times `compute`'s time sacreBLEU needs: it gets the texts that the columns are made of."""
    options_there = options if isinstance(columns[0][0], str) else {"tokenize": "none", **options}
    calls: dict[str, tuple[Callable[..., object], int]] = {
        "theirs": (lambda t, c: BLEU(**options_there).corpus_score(t[0], list(zip(*t[1]))), 1),
        "ours": (lambda t, c: bleu.compute(predictions=c[0], references=c[1], **options), 5),
    }
    seconds = best_in_turns(calls, lambda: renew([texts, columns]), rounds=5)
    return seconds["theirs"] / seconds["ours"]


def against_alone(bleu: evaluate.Metric, columns: list[list[Any]], tokenize: Callable[[str], list[str]]) -> float:
    """How many times the tokenizer's own time `compute` needs."""

    def alone(predictions: list[str], references: list[list[str]]) -> None:
        for texts in (predictions, *references):
            for text in texts:
                tokenize(text)

    calls: dict[str, tuple[Callable[..., object], int]] = {
        "alone": (alone, 3),
        "ours": (lambda p, r: bleu.compute(predictions=p, references=r, tokenize=tokenize), 3),
    }
    seconds = best_in_turns(calls, lambda: renew(columns), rounds=6)
    return seconds["ours"] / seconds["alone"]


def main(segments: int = 4_000) -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    name, *columns = corpus(segments)
    print(f"| {segments:,} segments of {name}, 2 references | as fast as sacreBLEU |")
    print("| --- | ---: |")
    for what, change, options in CHANGES:
        changed = [edit(column, change) for column in columns]
        texts = changed if isinstance(changed[0][0], str) else columns
        print(f"| {what} | {against_sacrebleu(bleu, texts, changed, options):.1f}x |", flush=True)
    again = [(edit(column[:100], put_skipped) * segments)[:segments] for column in columns]
    print(f"| the same 100 with `<skipped>` again and again | {against_sacrebleu(bleu, again, again, {}):.1f}x |")
    for tokenize in ("13a", "intl", "char"):
        texts = japanese(segments)
        print(f"| Japanese, `{tokenize}` | {against_sacrebleu(bleu, texts, texts, {'tokenize': tokenize}):.1f}x |")
    print("\n| a function as tokenizer | its own time |")
    print("| --- | ---: |")
    for what, tokenize in TOKENIZERS.items():
        texts = japanese(segments) if "Japanese" in what else columns
        print(f"| {what} | {against_alone(bleu, texts, tokenize):.2f}x |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
