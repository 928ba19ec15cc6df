"""Scores that no option gives are found by `reconcile`, and are those of the tools that people call."""

import itertools
import json
import math
import re
import statistics
import string
from collections import Counter

import nltk
import pytest
import sacrebleu
from bleu.bleu_core.reconcile.calls import BASE_TOOLS, CALLS
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from pages import cells
from test_search import make_sentences

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

P, TWO = make_sentences(21, 150)
P = [f"{text} the well-known cat's (an) end..." for text in P]
R = [f"{row[0]} a well-known cat's (the) end, x" for row in TWO]
TWO = [[text, row[1]] for text, row in zip(R, TWO)]
P.append("quick brown foxes jump today")  # one word matches, so that smoothing methods differ
R.append("today slow green turtles sleep")
TWO.append(["today slow green turtles sleep", "they sleep"])
METHODS = {"NLTK, mean": "method0", "NLTK, mean, method1": "method1"}


def ask_nltk(base, split, weights=(0.25, 0.25, 0.25, 0.25)):
    """Return NLTK's score of the corpus, or the mean of its scores of sentences."""
    predictions = [split(text) for text in P]
    references = [[split(text)] for text in R]
    if base == "NLTK":
        return corpus_bleu(references, predictions, weights)
    smooth = getattr(SmoothingFunction(), METHODS[base])
    scores = [
        sentence_bleu(row, prediction, weights, smooth)
        for row, prediction in zip(references, predictions)
    ]
    return statistics.fmean(scores)


def score_corpus(predictions, references, **options):
    """Return sacreBLEU's score, from 0 to 1."""
    return sacrebleu.corpus_bleu(predictions, references, **options).score / 100


def drop_punctuation(text):
    """Lower-case, and remove ASCII punctuation, as the answers of SQuAD are compared."""
    return "".join(letter for letter in text.lower() if letter not in string.punctuation).split()


def drop_articles(text):
    return [word for word in drop_punctuation(text) if word not in ("a", "an", "the")]


def mean_of_orders(base):
    """Return the mean of BLEU-1 to BLEU-4, each asked for."""
    scores = []
    for order in range(1, 5):
        if base == "sacreBLEU":
            metric = sacrebleu.BLEU(max_ngram_order=order)
            scores.append(metric.corpus_score(P, [R]).score / 100)
        else:
            scores.append(ask_nltk(base, str.split, (1 / order,) * order))
    return statistics.fmean(scores)


def mean_of_batches(size):
    """Return the mean of sacreBLEU's scores of batches in order."""
    rows = list(zip(P, R))
    scores = []
    for start in range(0, len(rows), size):
        predictions, references = zip(*rows[start : start + size])
        scores.append(score_corpus(list(predictions), [list(references)]))
    return statistics.fmean(scores)


def score_summary(prediction, reference):
    """Return the smoothed BLEU-4 of a summary, counted here with 1 more where the description says so."""
    prediction, reference = (
        re.findall(r"[^\W_]+|[^\w\s]|_", text.lower()) for text in (prediction, reference)
    )
    logarithm = 0
    for order in range(1, 5):
        counts, of_reference = (
            Counter(zip(*(text[start:] for start in range(order))))
            for text in (prediction, reference)
        )
        more = order > 1
        matches = (counts & of_reference).total() + more
        if not matches:
            return 0.0
        logarithm += math.log(matches / (counts.total() + more)) / 4
    penalty = 1 - (len(reference) + 1) / (len(prediction) + 1)
    return math.exp(logarithm + min(0, penalty))


# By call, the score that the tool of a base returns.
TOOLS = {
    "one list per row": lambda base: score_corpus(P, [[text] for text in R]),
    "CodeXGLUE": lambda base: statistics.fmean(map(score_summary, P, R)),
    "mean of BLEU-1 to BLEU-4": mean_of_orders,
    "words without punctuation": lambda base: ask_nltk(base, drop_punctuation),
    "words without punctuation and articles": lambda base: ask_nltk(base, drop_articles),
    "wordpunct_tokenize": lambda base: ask_nltk(base, nltk.wordpunct_tokenize),
}  # fmt: skip
TOOLS |= {
    f"mean over batches of {size}": lambda base, size=size: mean_of_batches(size)
    for size in (8, 16, 32, 64, 128)
}
CASES = [(name, base) for name, call in CALLS.items() for base in call.bases]


def test_each_call_has_an_oracle():
    assert TOOLS.keys() == CALLS.keys()


@pytest.mark.parametrize(("name", "base"), CASES, ids=[" | ".join(case) for case in CASES])
def test_a_call_is_found_from_the_number_of_its_tool(bleu, name, base):
    """It is the first match, plausible, named, and has no signature; the first sentence names it, too."""
    score = TOOLS[name](base)
    found = bleu.reconcile(P, R, f"{100 * score:.5f}")
    first = found["matches"][0]
    assert first["call"] == name
    assert first["bleu"] == pytest.approx(score, abs=1e-9)
    assert (first["plausible"], first["kind"], first["signature"]) == (True, "call", "")
    says = CALLS[name].says.format(tool=BASE_TOOLS[base].says, rows="row 0")
    assert first["says"] == says
    assert f"Row 1 is the score of {says}." in str(found)
    assert {"factor": "call", "value": name, "delta": first["steps"][-1]["delta"]} == first[
        "steps"
    ][-1]
    json.dumps(found)


def test_the_table_of_the_page_has_these_calls():
    """Each row of the page is one of these calls, with the score of its first tool."""
    rows = cells("docs/reconcile.md", "Calls that no option reproduces")[1:]
    assert len(rows) >= 6
    for name, score, says in rows:
        base = CALLS[name].bases[0]
        assert score == f"{100 * TOOLS[name](base):.2f}"
        assert says == CALLS[name].says.format(tool=BASE_TOOLS[base].says, rows="row 0")


@pytest.mark.parametrize("references", [R, TWO], ids=["one", "two"])
def test_the_length_of_a_line_proves_that_few_rows_were_scored(bleu, references):
    """With two references per row, sacreBLEU scores the first two rows, each against a column."""
    rows = [[text] if isinstance(text, str) else text for text in references]
    result = sacrebleu.corpus_bleu(P, rows)
    found = bleu.reconcile(P, references, str(result))
    (match,) = found["matches"]
    assert match["call"] == "one list per row"
    assert match["score"] == pytest.approx(result.score, abs=1e-9)
    assert found["conditions"]["translation_length"] == result.sys_len
    scored = "row 0 alone" if references is R else "the first 2 rows alone"
    assert f"which scores {scored}" in str(found)
    signed = bleu.reconcile(P, references, f"{result.score:.4f} nrefs:{len(P)}|tok:13a")
    assert (signed["verified"], signed["other_matches"][0]["call"]) == (False, "one list per row")


@pytest.mark.parametrize(
    "option",
    [{"tokenize": "13a"}, {"lowercase": False}, {"max_order": 4}, {"smooth_method": "exp"}],
    ids=str,
)
def test_a_call_is_not_tried_if_a_known_option_contradicts_it(bleu, option):
    (known,) = option
    for name in (
        "CodeXGLUE",
        "words without punctuation",
        "wordpunct_tokenize",
        "mean of BLEU-1 to BLEU-4",
    ):
        score = TOOLS[name](CALLS[name].bases[0])
        found = bleu.reconcile(P, R, f"{100 * score:.5f}", **option)
        calls = {match["call"] for match in found["matches"]}
        assert (name in calls) <= (known not in CALLS[name].overrides)


def test_edges_of_summaries(bleu):
    """A text without tokens has a precision of 1, so only the lengths count; without a match it is 0."""
    rows = [("", "a b"), ("x", "a b"), ("a", "a"), ("get_it's", "get _ it ' s")]
    expected = statistics.fmean([math.exp(-2), 0, 1, 1])
    found = bleu.reconcile(*map(list, zip(*rows)), f"{100 * expected:.6f}")
    assert found["matches"][0]["call"] == "CodeXGLUE"


@pytest.mark.parametrize("kind", ["tokens", "ids"])
def test_tokens_have_the_calls_that_need_no_text(bleu, kind):
    numbers = {}
    split = [[text.split() for text in column] for column in (P, R)]
    if kind == "ids":
        split = [
            [[numbers.setdefault(word, len(numbers)) for word in text] for text in column]
            for column in split
        ]
    predictions, references = split
    references = [[tokens] for tokens in references]
    scores = [
        bleu.compute(
            predictions=predictions[start : start + 32], references=references[start : start + 32]
        )["bleu"]
        for start in range(0, len(predictions), 32)
    ]
    found = bleu.reconcile(predictions, references, f"{100 * statistics.fmean(scores):.5f}")
    assert found["matches"][0]["call"] == "mean over batches of 32"
    tried = {setting["call"] for setting in itertools.chain(found["matches"], found["nearest"])}
    assert not tried & {"wordpunct_tokenize", "one list per row"}
