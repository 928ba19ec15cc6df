"""The cases of conformance.jsonl: this metric passes them, their oracles confirm them, and common mistakes fail."""

import hashlib
import importlib.util
import math
import re

import pytest
from conformance import (
    ORACLES,
    PATH,
    VERSION,
    Corpus,
    build_cases,
    count,
    find_shortest,
    read_cases,
    tokenize_corpus,
)
from helpers import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")  # of scores that are 0, of text without spaces

CASES = read_cases()
NAMES = {"max_ngram_order": "max_order"}  # sacreBLEU's names, and this metric's
TOLERANCE = {"rel": 1e-11, "abs": 1e-11}  # the file has 12 digits
INSTALLED = [
    name
    for name, oracle in ORACLES.items()
    if not oracle.package or importlib.util.find_spec(oracle.package)
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_this_metric_passes(bleu, case):
    options = {NAMES.get(name, name): value for name, value in case["options"].items()}
    result = bleu.compute(predictions=case["predictions"], references=case["references"], **options)
    assert result["score"] == pytest.approx(case["score"], **TOLERANCE)
    assert (result["counts"], result["totals"]) == (case["counts"], case["totals"])
    assert result["translation_length"] == case["sys_len"]
    assert result["reference_length"] == case["ref_len"]


def test_the_version_is_that_of_the_file():
    """A change of the cases needs another version in conformance.py, and its hash in the document."""
    text = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    found = re.search(r"version (\S+), with the SHA-256\s+`(\w+)`", text)
    assert found.groups() == (VERSION, hashlib.sha256(PATH.read_bytes()).hexdigest())


@pytest.mark.parametrize("name", INSTALLED)
def test_the_oracles_give_these_scores(name):
    """The file is what the script writes, but for the versions of other days."""
    expected = [case for case in CASES if case["oracle"].startswith(name)]
    asked = build_cases([name])
    assert [case["id"] for case in asked] == [case["id"] for case in expected]
    for ours, theirs in zip(asked, expected):
        assert ours.pop("score") == pytest.approx(theirs["score"], **TOLERANCE)
        ours.pop("oracle")
        assert ours == {key: theirs[key] for key in ours}


# --- Five common mistakes, each in the smallest implementation that makes it -----------------------


def score(counted):
    """Return BLEU with sacreBLEU's usual smoothing (`exp`)."""
    if not counted.sys_len or not counted.counts[0]:
        return 0.0
    product = 1.0
    smoothing = 1.0
    for matches, total in zip(counted.counts, counted.totals):
        if not total:
            return 0.0
        if not matches:
            smoothing *= 2
        product *= (matches or 1 / smoothing) / total
    penalty = 1.0
    if counted.sys_len < counted.ref_len:
        penalty = math.exp(1 - counted.ref_len / counted.sys_len)
    return 100 * penalty * product ** (1 / len(counted.counts))


def tokenize_case(case, references=None, tokenize="13a"):
    corpus = Corpus(case["about"], case["predictions"], references or case["references"])
    return tokenize_corpus(corpus, {"tokenize": tokenize})


def transpose(references):
    """Read references segment by segment where they are given stream by stream."""
    width = min(map(len, references))
    flat = [text for row in references for text in row[:width]]
    streams = [flat[i * len(references) : (i + 1) * len(references)] for i in range(width)]
    return [[stream[i] for stream in streams] for i in range(len(references))]


def transpose_references(case):
    return score(count(tokenize_case(case, transpose(case["references"]))))


def average_sentences(case):
    scores = [score(count([segment])) for segment in tokenize_case(case)]
    return sum(scores) / len(scores)


MISTAKES = {
    "references are transposed": transpose_references,
    "the mean of sentence scores": average_sentences,
    "counts are not clipped": lambda case: score(count(tokenize_case(case), clips=False)),
    "the shortest length": lambda case: score(count(tokenize_case(case), choose_length=find_shortest)),
    "split at spaces": lambda case: score(count(tokenize_case(case, tokenize="none"))),
}  # fmt: skip
USUAL = [{"tokenize": "13a", "smooth_method": "exp"}]
USUAL_CASES = [case for case in CASES if case["options"] in USUAL]


def find_failures(implementation):
    return [
        case["id"]
        for case in USUAL_CASES
        if implementation(case) != pytest.approx(case["score"], abs=0.005)
    ]


def test_the_right_implementation_has_no_failure():
    """So what the others fail is their mistake's."""
    assert find_failures(lambda case: score(count(tokenize_case(case)))) == []


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_fails_the_cases_that_the_document_lists(name):
    document = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    (listed,) = re.findall(rf"^\| {re.escape(name)}[^|]*\| (.*?) \|$", document, re.MULTILINE)
    failures = find_failures(MISTAKES[name])
    assert failures
    assert listed == f"{len(failures)}: {', '.join(map(str, failures[:8]))}" + (
        ", …" if len(failures) > 8 else ""
    )


def test_the_document_counts_the_cases():
    document = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert f"{len(CASES)} cases" in document
    assert f"{len(USUAL_CASES)} cases with the usual options" in document
    for name in ORACLES:
        number = sum(case["oracle"].startswith(name) for case in CASES)
        assert re.search(rf"\| {re.escape(name)} \| {number} \|$", document, re.MULTILINE), name
