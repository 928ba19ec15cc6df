"""The cases of conformance.jsonl: this metric passes them, their oracles confirm them, and common mistakes fail."""

import importlib.util
import math
import re
from collections import Counter

import pytest
from conformance import ORACLES, build_cases, count_ngrams, read_cases
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


def score(counts, totals, length, reference_length):
    """Return BLEU with sacreBLEU's usual smoothing (`exp`)."""
    if not length or not counts[0]:
        return 0.0
    product, smoothing = 1.0, 1.0
    for matches, total in zip(counts, totals):
        if not total:
            return 0.0
        if not matches:
            smoothing *= 2
        product *= (matches or 1 / smoothing) / total
    penalty = 1.0 if length >= reference_length else math.exp(1 - reference_length / length)
    return 100 * penalty * product ** (1 / len(counts))


def count_rows(rows, is_clipped=True, choose=None):
    """Return counts, totals and lengths of tokens and their references."""
    choose = choose or (lambda lengths, length: min(lengths, key=lambda r: (abs(r - length), r)))
    counts, totals, length, reference_length = [0] * 4, [0] * 4, 0, 0
    for tokens, references in rows:
        length += len(tokens)
        reference_length += choose([len(reference) for reference in references], len(tokens))
        for n in range(1, 5):
            ngrams, allowed = count_ngrams(tokens, n), Counter()
            for reference in references:
                allowed |= count_ngrams(reference, n)
            if is_clipped:
                counts[n - 1] += (ngrams & allowed).total()
            else:
                counts[n - 1] += sum(number for ngram, number in ngrams.items() if ngram in allowed)
            totals[n - 1] += ngrams.total()
    return counts, totals, length, reference_length


def tokenize_rows(case):
    from sacrebleu.metrics import BLEU

    split = BLEU(tokenize=case["options"].get("tokenize", "13a")).tokenizer
    return [
        (split(prediction.rstrip()).split(), [split(text.rstrip()).split() for text in row])
        for prediction, row in zip(case["predictions"], case["references"])
    ]


def transpose(case):
    """Read references segment by segment where they are given stream by stream."""
    width = min(map(len, case["references"]))
    count = len(case["predictions"])
    flat = [text for row in case["references"] for text in row[:width]]
    streams = [flat[i * count : (i + 1) * count] for i in range(width)]
    return {**case, "references": [[stream[i] for stream in streams] for i in range(count)]}


MISTAKES = {
    "references are transposed": lambda case: score(*count_rows(tokenize_rows(transpose(case)))),
    "the mean of sentence scores": lambda case: (
        sum(score(*count_rows([row])) for row in tokenize_rows(case)) / len(case["predictions"])
    ),
    "counts are not clipped": lambda case: score(
        *count_rows(tokenize_rows(case), is_clipped=False)
    ),
    "the shortest length": lambda case: score(
        *count_rows(tokenize_rows(case), choose=lambda lengths, _length: min(lengths))
    ),
    "split at spaces": lambda case: score(
        *count_rows(tokenize_rows({**case, "options": {"tokenize": "none"}}))
    ),
}
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
    assert find_failures(lambda case: score(*count_rows(tokenize_rows(case)))) == []


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
        count = sum(case["oracle"].startswith(name) for case in CASES)
        assert re.search(rf"\| {re.escape(name)} \| {count} \|$", document, re.MULTILINE), name
