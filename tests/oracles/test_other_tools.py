"""What the documents say of other tools, which are asked live."""

import importlib
import types

import bleuscore
import evaluate
import nltk.translate.bleu_score as nltk_bleu
import pytest
import sacrebleu.significance
from conftest import needs_wmt21
from helpers import ROOT
from pages import PAGES, rows_of_the_example, same_numbers, section

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


class Sacrebleu:
    """sacreBLEU with the arguments of `compute`; its own names are attributes."""

    def __getattr__(self, name):
        return getattr(sacrebleu, name)

    def compute(self, predictions, references):
        most = max(map(len, references))
        references = [
            [*row, *[None] * (most - len(row))] for row in references
        ]  # as sacreBLEU wants missing ones
        bleu = sacrebleu.BLEU()
        score = bleu.corpus_score(predictions, list(zip(*references)))
        return {"score": score.score, "signature": str(bleu.get_signature())}


class EvaluatesModules:
    """`evaluate.load("sacrebleu")` and `("bleu")` without a network: a module around sacreBLEU, and bleuscore."""

    def load(self, name, *rest, **options):
        if name == "bleu":
            return types.SimpleNamespace(
                compute=lambda predictions, references, **arguments: bleuscore.compute(
                    references, predictions, **arguments
                )
            )
        path = ROOT / "tests" / "evaluates_sacrebleu.py" if name == "sacrebleu" else name
        return evaluate.load(str(path), *rest, **options)


@pytest.mark.parametrize(
    ("tool", "calls"),
    [
        ("evaluate's `sacrebleu`", 1),
        ("evaluate's `bleu`", 1),
        ("sacreBLEU", 2),
        ("NLTK", 2),
        ("bleuscore", 1),
    ],
)
def test_the_same_number_as_there(tool, calls):
    names = rows_of_the_example() | {
        "evaluate": EvaluatesModules(),
        "sacrebleu": sacrebleu,
        "bleuscore": bleuscore,
    }
    names |= vars(nltk_bleu) | {"BLEU": sacrebleu.BLEU}
    found = same_numbers(tool)
    assert len(found) == calls
    for there, here in found:
        expected = eval(there, names)
        assert 0 < expected == pytest.approx(eval(here, names), abs=1e-9), there


def test_the_comparison(bleu):
    """Each yes and no is what the tool does; bleuscore, its port to Rust, stands for evaluate's `bleu`."""
    rows = {"predictions": ["a b c d e f"], "references": [["a b c d e", "a b c d x f g"]]}
    varying = {
        "predictions": ["a b c d", "a b c d"],
        "references": [["a b c d"], ["a b c d", "a b c"]],
    }
    token_ids = {"predictions": [[1, 2, 3, 4]], "references": [[[1, 2, 3, 4]]]}
    expected = sacrebleu.corpus_bleu(rows["predictions"], list(zip(*rows["references"]))).score

    def compute(tool, columns, **options):
        try:
            return tool.compute(**columns, **options)
        except (TypeError, ValueError):
            return {}

    def has(*names):  # as a method of the object, or as a name of the package
        return lambda tool: any(hasattr(tool, name) for name in names)

    checks = {
        "same score as sacreBLEU 2.6": lambda tool: (
            pytest.approx(expected) in compute(tool, rows).values()
        ),
        "signature with the score": lambda tool: "signature" in compute(tool, rows),
        "number of references may vary by segment": lambda tool: compute(tool, varying),
        "scores of single segments, confidence intervals, paired tests": lambda tool: (
            (compute(tool, rows, segments=True) or has("sentence_bleu")(tool))
            and has("compare", "significance")(tool)
        ),
        "tests by document, rankings, settings behind a score, `diff`": lambda tool: (
            has("rank")(tool) and has("reconcile")(tool)
        ),
        "accepts tokens and token ids": lambda tool: compute(tool, token_ids),
        "chrF, TER, downloads of test sets, a command line": has("sentence_chrf"),
    }
    tools = [bleu, Sacrebleu(), *map(EvaluatesModules().load, ["sacrebleu", "bleu"])]
    lines = [
        line.strip("| ").split(" | ")
        for line in PAGES["docs/other-tools.md"].splitlines()
        if line.startswith("| ")
    ]
    found = {name: answers for name, *answers in lines if name in checks}
    assert found == {
        name: ["yes" if check(one) else "no" for one in tools] for name, check in checks.items()
    }


@needs_wmt21
def test_published_values(bleu, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    table = importlib.import_module("published").table(bleu)
    assert table in section("docs/other-tools.md", "Published scores")
