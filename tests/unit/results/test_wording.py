"""Terminals: what is printed is in characters that they have."""

import io
import re

import pytest
from helpers import ROOT, start_python
from test_report import MAKE, OTHERS, PREDICTIONS, REFERENCES

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# Terminals: what is printed is in characters that they have.

ENCODINGS = ["ascii", "cp1252", "cp437", "latin-1", "cp932", "utf-8"]
NAMES = ["模型", "Modèle", "модель", "𝔐", "→"]


class Terminal(io.TextIOWrapper):
    """A standard output with an encoding, which raises for other characters."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding, newline="")

    def read_all(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


def print_to(monkeypatch, encoding, *results):
    terminal = Terminal(encoding)
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", terminal)
        for result in results:
            print(result)
    return terminal.read_all()


def name_in_all_scripts(bleu):
    """Return results whose tables have names and labels in all scripts, and the signs of tables."""
    texts = ["the cat sat on the mat", "a dog lay on the rug today", "it rains"]
    references = ["the cat sat on a mat", "a dog lay on my rug today", "it rains"]
    systems = dict.fromkeys(NAMES, texts)
    systems["a very " + "long " * 10] = references
    return [
        bleu.compare(systems, references, by=NAMES[:3], n_resamples=9),
        bleu.rank(systems, references, n_resamples=9),
        bleu.diff({"模型": [*NAMES[:2], "x"], "B": texts}, [*NAMES[:2], "it rains"], by=NAMES[:3]),
        bleu.compute(predictions=texts, references=references, by=NAMES[:3]),
        bleu.explain("模型 Modèle", ["模型 модель"]),
        bleu.reconcile(texts, references),
        bleu.check(["模型 a cat</s>", "a dog</s>"], ["模型 a cat", "a dog"]),
    ]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_result_prints_in_every_terminal(bleu, monkeypatch, encoding):
    """The lines are those of UTF-8; cells stay below each other."""
    results = name_in_all_scripts(bleu)
    printed = print_to(monkeypatch, encoding, *results)
    in_utf8 = print_to(monkeypatch, "utf-8", *results)
    assert printed.count("\n") == in_utf8.count("\n")
    if encoding == "utf-8":
        assert "⟦" in printed
        assert "模型" in printed
    head, *rows = printed.partition("\n\n")[0].splitlines()
    end = head.index("BLEU") + len("BLEU")
    assert len(rows) == 6 * 5  # each system, its groups, and their average
    for row in rows:
        assert re.search(r"  \d+\.\d\d$", row[:end])


@pytest.mark.parametrize("make", [*MAKE.values(), lambda bleu: bleu.check(PREDICTIONS, REFERENCES)])
def test_every_kind_of_result_prints_in_ascii(bleu, monkeypatch, make):
    assert print_to(monkeypatch, "ascii", make(bleu)).isascii()


def test_signs_in_plain_characters(bleu, monkeypatch):
    texts = ["a cat</s>", "a dog</s>"]
    checked = bleu.check(texts, ["a cat", "a dog"])
    assert "a cat[</s>]" in print_to(monkeypatch, "cp1252", checked)
    explained = bleu.explain("the cat", ["the dog"], max_order=1)
    assert print_to(monkeypatch, "ascii", explained).startswith("BLEU 50.00 = 100 * 1 * (1/2)\n")
    compared = bleu.compare({"模": texts, "é": texts}, texts, n_resamples=9)
    assert "\n\\u6a21 (baseline)  " in print_to(monkeypatch, "cp1252", compared)
    assert "\né  " in print_to(monkeypatch, "cp1252", compared)
    assert "\n\\xe9  " in print_to(monkeypatch, "ascii", compared)


def test_other_formats_are_not_for_the_terminal(bleu, monkeypatch):
    """Files are written in UTF-8, whatever the terminal has."""
    result = bleu.compare({"模": PREDICTIONS, "é": OTHERS}, REFERENCES, n_resamples=9)
    expected = [
        result.to_markdown(),
        result.to_latex(),
        result.to_html(),
        result.report(),
        repr(result),
    ]
    monkeypatch.setattr("sys.stdout", Terminal("ascii"))
    assert [
        result.to_markdown(),
        result.to_latex(),
        result.to_html(),
        result.report(),
        repr(result),
    ] == expected


@pytest.mark.parametrize("stdout", [None, io.StringIO(), object()])
def test_without_a_terminal_texts_stay_as_they_are(bleu, monkeypatch, stdout):
    """As under `pythonw`, or with what a program put in the place of the standard output."""
    result = bleu.compare({"模": PREDICTIONS, "é": OTHERS}, REFERENCES, n_resamples=9)
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", stdout)
        shown = str(result)
    assert "\n模 (baseline)" in shown


@pytest.mark.processes
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_print_in_a_process_with_another_encoding(encoding):
    code = (
        "import evaluate, sys\n"
        "bleu = evaluate.load(sys.argv[1])\n"
        "print(bleu.check(['a cat</s>', 'a dog</s>'], ['a cat', 'a dog']))"
    )
    process = start_python(code, ROOT / "bleu_metric.py", PYTHONIOENCODING=encoding)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "a cat[</s>]" in printed
