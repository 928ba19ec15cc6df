"""Shares of arbitrary numbers that `reconcile` explains by chance, over the systems of WMT21.

Of the numbers with two decimals within 2 points of a system's own score, the share that some setting gives, and the
share that a plausible setting gives. The same for a line with precisions: those of the system's own score stay, and
the number changes. The number of systems is an argument; without it, all 255 are searched. With `moses`, each search
has the round of Moses' tokenizers, which takes most of the time.

    python tests/benchmarks/chance.py 6 moses
"""

import random
import statistics
import sys
import warnings
from importlib import import_module

import evaluate
from common import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from helpers import read_published, read_system

UNIT = 1e-4  # two decimals, on the scale 0-1


def find_shares(bleu: evaluate.Metric, row: dict[str, str]) -> tuple[float, float, float, float]:
    """Return four shares of numbers that a search explains.

    Near the score: with any setting, with a plausible one, and with a plausible one that has the precisions of a line.
    Then the share of all numbers from 0 to 100 with a plausible setting.
    """
    package = type(bleu).__module__.rpartition(".")[0]
    reconcile, published, inputs, options = (
        import_module(f"{package}.bleu_{name}")
        for name in ("reconcile", "published", "inputs", "options")
    )
    predictions, references, tokenize = read_system(row)
    column = inputs.read_column("references", references, "references")
    corpus = inputs.read_corpus(predictions, column)
    search = reconcile.Search(
        corpus,
        reconcile.find_reference_positions(corpus, column),
        options.Options().override({"tokenize": tokenize}),
        [],
        published=published.read_published(write_line(bleu, predictions, references, tokenize)),
    )
    if "moses" in sys.argv:
        search.add_moses()
    own = search.scorer.scores[search.start]
    scores = [group.score for group in search.groups]
    chance = reconcile.count_chance(scores, own, UNIT)
    plausible = [
        group.score for group in search.groups if search.is_plausible(group.setting, chance)
    ]
    with_precisions = [
        group.score for group in search.fitting if search.is_plausible(group.setting, chance)
    ]
    of_lines = reconcile.count_chance(with_precisions, own, UNIT)
    anywhere = len({round(score / UNIT) for score in plausible}) * UNIT
    return chance, reconcile.count_chance(plausible, own, UNIT), of_lines, anywhere


def write_line(
    bleu: evaluate.Metric, predictions: list[str], references: list[list[str]], tokenize: str
) -> str:
    """Return the number and the precisions as a tool prints them."""
    result = bleu.compute(predictions=predictions, references=references, tokenize=tokenize)
    precisions = "/".join(f"{100 * precision:.1f}" for precision in result["precisions"])
    return f"BLEU = {result['score']:.2f} {precisions}"


def main() -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    rows = [row for row in read_published() if row["metric"] == "bleu-all"]
    random.Random(0).shuffle(rows)
    counts = [int(argument) for argument in sys.argv if argument.isdigit()]
    count = counts[0] if counts else len(rows)
    shares = list(zip(*(find_shares(bleu, row) for row in rows[:count])))
    print("| numbers with two decimals | share, mean | share, largest |")
    print("| --- | ---: | ---: |")
    names = [
        "within 2 points of the score, with some setting",
        "within 2 points of the score, with a plausible setting",
        "within 2 points of the score, with a plausible setting that has the precisions of the line",
        "from 0 to 100, with a plausible setting",
    ]
    for name, values in zip(names, shares):
        print(f"| {name} | {statistics.fmean(values):.1%} | {max(values):.1%} |")


if __name__ == "__main__":
    main()
