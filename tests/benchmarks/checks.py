"""What `check` finds in the outputs of WMT21's systems, as they are and with known mistakes.

    python tests/benchmarks/checks.py real       # kinds found in the real outputs
    python tests/benchmarks/checks.py mistakes   # mistakes that were put into them
    python tests/benchmarks/checks.py rows       # rows dropped and doubled, and a shuffled file
    python tests/benchmarks/checks.py cost       # time of `check`, and what `compute` spends on it
    python tests/benchmarks/checks.py attacks    # texts that are slow to search, four times as long
    python tests/benchmarks/checks.py kinds      # each kind by an example

WMT21's data is not part of the project. The last two need none.
"""

import argparse
import json
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import evaluate
from common import METRIC, TO_JAPANESE, corpus, edit, median_seconds, print_table
from helpers import WMT21, read_published, read_system
from mistakes import ATTACKS, CASES
from sacrebleu import corpus_bleu

# Kinds of which the outputs have no example that is a mistake of the method: a finding is an alarm.
EXACT = [
    "shifted",
    "reordered",
    "chat",
    "fences",
    "reprs",
    "fields",
    "markup",
    "numbering",
    "line_ids",
    "lines",
    "identical",
    "same_text",
    "case",
    "cedillas",
    "arabic_letters",
    "unspaced",
    "preambles",
    "refusals",
]


class System(NamedTuple):
    """The output of a system of WMT21, one reference per row, and the tokenizer for it."""

    name: str
    predictions: list[str]
    references: list[str]
    tokenize: str


def read_systems() -> Iterator[System]:
    """Yield the outputs of all systems, each once per reference."""
    seen = set()
    for row in read_published():
        predictions, references, tokenize = read_system(row)
        texts = [row_references[0] for row_references in references]
        name = f"{row['pair']} {row['system']}"
        if len(references[0]) == 1 and (name, texts[0]) not in seen:
            seen.add((name, texts[0]))
            yield System(name, predictions, texts, tokenize)


def check_real(bleu: Any) -> None:
    """Print in how many systems each kind is found."""
    counts: Counter[str] = Counter()
    systems = 0
    for system in read_systems():
        systems += 1
        found = bleu.check(system.predictions, system.references, tokenize=system.tokenize)
        for finding in found["findings"]:
            counts[finding["kind"]] += 1
            if finding["kind"] in EXACT:
                print(f"alarm: {system.name}: {finding['says']}")
    print(f"{systems} systems")
    print_table(["kind", "systems"], [[kind, str(count)] for kind, count in counts.most_common()])


def split_words(text: str) -> str:
    """Split long words as a BPE does."""
    return " ".join(
        word if len(word) < 6 or not word.isalpha() else f"{word[:3]}@@ {word[3:]}"
        for word in text.split(" ")
    )


# Mistakes in one text, the kind to find, and whether the clean score comes back to the last digit.
MISTAKES: dict[str, tuple[str, Callable[[str], str], bool]] = {
    "subwords": ("subwords", split_words, True),
    "end of sentence": ("special_tokens", lambda text: text + "</s>", True),
    "language code": ("special_tokens", lambda text: f"eng_Latn {text}", True),
    "unknown word": ("special_tokens", lambda text: "<unk> " + text, False),
    "reasoning": ("chat", lambda text: f"<think>{text[:20]}</think> {text}", True),
    "turn of a chat": ("chat", lambda text: text + "<|im_end|>", True),
    "fence": ("fences", lambda text: f"```{text}``` It depends.", True),
    "introduction": ("preambles", lambda text: f"Here is the translation:\n{text}", True),
    "list of one": ("reprs", lambda text: repr([text]), True),
    "line of JSON": ("markup", lambda text: json.dumps({"id": "7", "text": text}), True),
    "line of SGML": ("markup", lambda text: f'<seg id="1">{text}</seg>', False),
    "fairseq's line": ("fields", lambda text: f"H-7\t-0.31\t{text}", True),
    "Moses' n-best list": ("fields", lambda text: f"0 ||| {text} ||| LM= -12.5", True),
    "byte order mark": ("invisible", lambda text: "\ufeff" + text, True),
    "zero-width spaces": ("invisible", lambda text: text.replace(" ", " \u200b"), True),
    "entity": ("entities", lambda text: text + " &#x25;&quot;", False),
    "byte token": ("escapes", lambda text: text + "<0x0A>", False),
    "UTF-8 read as Latin-1": (
        "mojibake",
        lambda text: "“Café” ".encode().decode("latin-1") + text,
        False,
    ),
}
SHARES = (0.01, 0.05, 0.6)


def put(texts: list[str], share: float, change: Callable[[str], str], seed: int) -> list[str]:
    """Return texts of which a share is changed."""
    rows = set(random.Random(seed).sample(range(len(texts)), max(1, round(share * len(texts)))))
    return [change(text) if row in rows else text for row, text in enumerate(texts)]


def check_mistakes(bleu: Any, systems: int) -> None:
    """Print in how many systems a mistake in a share of the rows is found and repaired."""
    rows = []
    chosen = list(
        islice((each for each in read_systems() if each.tokenize == "13a"), 0, 4 * systems, 4)
    )
    for name, (kind, change, is_exact) in MISTAKES.items():
        cells = [name, kind]
        for share in SHARES:
            hits = first_rows = restored = 0
            for seed, system in enumerate(chosen):
                predictions = put(system.predictions, share, change, seed)
                changed = [
                    row for row, text in enumerate(predictions) if text != system.predictions[row]
                ]
                found = bleu.check(predictions, system.references)
                findings = [each for each in found["findings"] if each["kind"] == kind]
                hits += bool(findings)
                if findings:
                    first_rows += findings[0]["first"] <= changed[0]
                    clean = corpus_bleu(system.predictions, [system.references]).score
                    score = findings[0]["score"]
                    restored += score is not None and abs(score - clean) < 1e-9
            cells.append(f"{hits}, {first_rows}, {restored if is_exact else '–'}")
        rows.append(cells)
    print(f"{len(chosen)} systems: found, in the first row, clean score restored")
    print_table(["mistake", "kind", *(f"{share:.0%}" for share in SHARES)], rows)


def check_rows(bleu: Any, systems: int) -> None:
    """Print how many dropped and doubled rows are found, and whether the first row is right."""
    rows = []
    every = list(read_systems())
    chosen = every[:: max(1, len(every) // systems)][:systems]
    for size in (20, 100, 500):
        for place in (0.0, 0.25, 0.5, 0.75, 0.9, 0.95):
            hits = near = total = 0
            for system in chosen:
                predictions = system.predictions[:size]
                references = system.references[:size]
                row = int(place * size)
                for moved in (
                    [*predictions[:row], *predictions[row + 1 :], predictions[-1]],
                    [*predictions[: row + 1], *predictions[row:-1]],
                ):
                    found = bleu.check(moved, references, tokenize=system.tokenize)
                    first = [
                        each["first"] for each in found["findings"] if each["kind"] == "shifted"
                    ]
                    total += 1
                    hits += bool(first)
                    near += bool(first) and abs(first[0] - row) <= 1
            rows.append([f"{size}", f"{place:.0%}", f"{hits} of {total}", f"{near}"])
    shuffled = 0
    for system in chosen:
        predictions = system.predictions[:500]
        random.Random(0).shuffle(predictions)
        found = bleu.check(predictions, system.references[:500], tokenize=system.tokenize)
        shuffled += any(each["kind"] == "reordered" for each in found["findings"])
    print_table(["rows", "one dropped or doubled at", "found", "first row within 1"], rows)
    print(f"shuffled: {shuffled} of {len(chosen)}")


TO_RUSSIAN = {ord("a") + i: chr(0x430 + i) for i in range(26)}


def check_cost(bleu: Any) -> None:
    """Print the time of `check`, and that of `compute` with and without a look at the texts."""
    rows = []
    _, english = corpus(40_000)
    texts = {
        "English": (english, "13a"),
        "Russian letters": (edit(english, lambda text: text.lower().translate(TO_RUSSIAN)), "13a"),
        "Kana": (edit(english, lambda text: text.lower().translate(TO_JAPANESE)), "char"),
    }
    checks = sys.modules[type(bleu).__module__].__dict__["check_texts"].__globals__
    looked = checks["Looked"]
    read = checks["read_corpus"]
    options = checks["Options"]
    for name, ((predictions, references), tokenize) in texts.items():
        given = options(tokenize=tokenize)
        read_once = read(predictions, references)
        calls = {
            "compute": lambda: bleu.compute(
                predictions=predictions, references=references, tokenize=tokenize
            ),
            "look": lambda: looked().look(read_once, given),
            "check": lambda: bleu.check(predictions, references, tokenize=tokenize),
        }
        seconds = median_seconds(calls, turns=3)
        rows.append(
            [
                name,
                f"{seconds['compute']:.3f}",
                f"{1000 * seconds['look']:.1f} ms",
                f"{seconds['look'] / seconds['compute']:.1%}",
                f"{seconds['check']:.2f}",
            ]
        )
    print_table(["texts", "`compute`, s", "its look", "share", "`check`, s"], rows)


def check_attacks(bleu: Any) -> None:
    """Print the time for texts that are slow to search, and how it grows with a text four times as long."""

    def measure(text: str) -> float:
        call = partial(
            bleu.check, [text, "a cat"], ["a dog", "a cat"], tokenize="none", max_order=1
        )
        return median_seconds({"check": call}, turns=3)["check"]

    rows = []
    for name, make in ATTACKS.items():
        short, long = measure(make(250_000)), measure(make(1_000_000))
        rows.append([name, f"{short:.3f}", f"{long:.3f}", f"{long / short:.1f}x"])
    print_table(["a text of", "250,000 characters, s", "1,000,000 characters, s", "ratio"], rows)


def print_kinds(bleu: Any) -> None:
    """Print each kind by a case: the first text, the score before and after the fix."""
    rows = []
    shown: set[str] = set()
    for case in CASES.values():
        kind = case.found[0]
        if kind in shown:
            continue
        shown.add(kind)
        result = bleu.check(case.predictions, case.references, **case.options)
        (finding,) = [each for each in result["findings"] if each["kind"] == kind]
        after = "–" if finding["score"] is None else f"{finding['score']:.1f}"
        example = finding["example"].replace("|", "\\|").replace("`", "ˋ")
        rows.append([f"`{kind}`", example, f"{result['score']:.1f}", after])
    print_table(["kind", "example", "BLEU before", "after"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "table", nargs="?", choices=["real", "mistakes", "rows", "cost", "attacks", "kinds"]
    )
    parser.add_argument("--systems", type=int, default=40, help="for mistakes and rows")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    bleu = evaluate.load(METRIC)
    tables: dict[str, Callable[[], None]] = {
        "kinds": partial(print_kinds, bleu),
        "attacks": partial(check_attacks, bleu),
        "cost": partial(check_cost, bleu),
    }
    if WMT21.is_dir():
        tables |= {
            "real": partial(check_real, bleu),
            "rows": partial(check_rows, bleu, arguments.systems),
            "mistakes": partial(check_mistakes, bleu, arguments.systems),
        }
    for name in [arguments.table] if arguments.table else tables:
        tables[name]()


if __name__ == "__main__":
    main()
