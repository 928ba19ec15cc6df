"""What `reconcile` says of arbitrary numbers, and of true ones, over systems of WMT21, into languages with case.

Arbitrary numbers are those within 2 points of a system's own score, with one or two decimals: if the first sentence
names a call of another tool for one of them, it does so by chance. True numbers are those that two usual options
together give: their setting must be the first match; settings that differ by smoothing alone are one match. Each figure
is a mean over systems, with its standard error. Arguments: the number of systems (20), and `moses` for the round of
Moses' tokenizers, which takes most of the time.

    python tests/benchmarks/chance.py 20 moses
"""

import math
import random
import re
import statistics
import sys
import warnings
from importlib import import_module
from unittest import mock

import evaluate
from common import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from helpers import read_published, read_system

TWO_OPTIONS = {
    "`intl`, lower case": {"tokenize": "intl", "lowercase": True},
    "`char`, lower case": {"tokenize": "char", "lowercase": True},
    "`none`, lower case": {"tokenize": "none", "lowercase": True},
    "`intl`, no smoothing": {"tokenize": "intl", "smooth_method": "none"},
}
# The source of the own score does not count.
NAMES_A_CALL = re.compile(r"(?:is|be|,) from (?!.*quote the signature)")
WITHOUT_CASE = ("ja", "zh", "hi", "bn")  # languages whose lower-cased scores are almost the same
DISTANCE = 2  # points
MOST_NUMBERS = 40  # per system and number of decimals


def find_shares(bleu: evaluate.Metric, row: dict[str, str]) -> dict[str, float]:
    """Return the shares of one system, by the name of the figure."""
    # 1. Search once: the answer to each number takes the same scores.
    with_moses = "moses" in sys.argv
    module = import_module(f"{type(bleu).__module__.rpartition('.')[0]}.bleu_core")
    predictions, references, _ = read_system(row)
    texts = {"predictions": predictions, "references": references}
    searches = []
    original = module.Search

    def search_once(*arguments: object, **named: object) -> object:
        if not searches:
            with mock.patch.object(module, "Search", original):
                searches.append(original(*arguments, **named))
                if with_moses:
                    searches[0].add_moses()
            searches[0].add_moses = lambda: None
        return searches[0]

    def ask(number: str) -> dict:
        with mock.patch.multiple(
            module,
            Search=search_once,
            list_findings=lambda *_: [],
            has_sacremoses=lambda: with_moses,
        ):
            return bleu.reconcile(predictions, references, number)

    # 2. Ask.
    own = bleu.compute(**texts)["score"]
    shares = {}
    for decimals, step in ((1, 0.1), (2, 0.01)):
        first = math.ceil(max(own - DISTANCE, 0) / step)
        last = math.floor((own + DISTANCE) / step)
        numbers = [f"{step * number:.{decimals}f}" for number in range(first, last + 1)]
        answers = list(
            map(ask, random.Random(decimals).sample(numbers, min(len(numbers), MOST_NUMBERS)))
        )
        sentences = [str(answer).splitlines()[0] for answer in answers]
        ending = f"{decimals} decimal{'s' * (decimals > 1)}"
        named = [NAMES_A_CALL.search(sentence) is not None for sentence in sentences]
        shares[f"arbitrary, the first sentence names a call, {ending}"] = statistics.fmean(named)
        shares[f"arbitrary, some setting matches, {ending}"] = answers[0]["chance"]
        for name, options in TWO_OPTIONS.items():
            true = bleu.compute(**texts, **options)
            match = ask(f"{true['score']:.{decimals}f}")["matches"][0]
            is_true = {**match["options"], **options, "smooth_method": ""} == {
                **match["options"],
                "smooth_method": "",
            }
            is_equal = abs(match["bleu"] - true["bleu"]) < 1e-9
            shares[f"{name}, it is the first match, {ending}"] = float(is_true or is_equal)
    return shares


def main() -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    rows = [
        row
        for row in read_published()
        if row["metric"] == "bleu-all" and row["pair"].split("-")[1] not in WITHOUT_CASE
    ]
    random.Random(0).shuffle(rows)
    (count,) = [int(argument) for argument in sys.argv if argument.isdigit()] or [20]
    shares = [find_shares(bleu, row) for row in rows[:count]]
    print("| numbers | mean | standard error |")
    print("| --- | ---: | ---: |")
    for name in shares[0]:
        values = [each[name] for each in shares]
        error = statistics.stdev(values) / math.sqrt(count)
        print(f"| {name} | {statistics.fmean(values):.1%} | {error:.1%} |")


if __name__ == "__main__":
    main()
