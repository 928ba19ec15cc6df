"""Methods 4 to 7 of Chen and Cherry (2014): the paper's formulas worked by hand, and NLTK's own reading asked live."""

import math
import warnings

import numpy as np
import pytest
from bleu.bleu_options import SMOOTH_METHODS, Options
from bleu.bleu_scoring import bleu as score
from bleu.bleu_scoring import precisions
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import Fraction, SmoothingFunction, modified_precision, sentence_bleu

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CHEN_CHERRY = [name for name in SMOOTH_METHODS if name.startswith(("chen", "nltk"))]
SENTENCES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=15)
ROWS = st.lists(st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=5)

# Matches of orders 1 to 5 in a prediction of 10 tokens, so that there are 10, 9, 8, 7 and 6 n-grams.
# K is 5: ln(10) / 5 is L. Method 5 starts from the matches of order 1, plus 1.
L = math.log(10) / 5
BY_HAND = [
    ("chen-cherry-4", [6, 3, 1, 1, 0], [6 / 10, 3 / 9, 1 / 8, 1 / 7]),
    ("chen-cherry-4", [6, 3, 0, 0, 0], [6 / 10, 3 / 9, L / 8, L**2 / 7]),
    ("nltk-4", [6, 3, 0, 0, 0], [6 / 10, 3 / 9, L / 2 / 8, L / 4 / 7]),
    ("chen-cherry-5", [6, 3, 0, 0, 0], [16 / 3 / 10, (16 / 3 + 3) / 3 / 9, 25 / 27 / 8, 25 / 81 / 7]),
    ("nltk-5", [6, 3, 0, 0, 0], [(1.6 + 0.6 + 1 / 3) / 3, ((1.6 + 0.6 + 1 / 3) / 3 + 1 / 3) / 3, 0.13086419753086, 0.04362139917695]),
    ("chen-cherry-6", [6, 3, 1, 0, 0], [6 / 10, 3 / 9, (1 + 5 * (1 / 3) ** 2 / 0.6) / 13, 5 * (((1 + 5 * (1 / 3) ** 2 / 0.6) / 13) ** 2 * 3) / 12]),
    ("chen-cherry-7", [6, 3, 0, 0, 0], [16 / 3 / 10, (16 / 3 + 3 + L) / 3 / 9, ((16 / 3 + 3 + L) / 3 + L + L**2) / 3 / 8, (((16 / 3 + 3 + L) / 3 + L + L**2) / 3 + L**2 + L**3) / 3 / 7]),
]  # fmt: skip


def test_method_6_at_orders_that_have_no_ngrams():
    """Of three tokens there are alpha 4-grams and 5-grams, less than one of each, and as many match as are expected."""
    row = np.array([2, 1, 1, 0, 0, 3, 2, 1, 0, 0, 3, 3])
    third = (1 + 0.5 * (1 / 2) ** 2 / (2 / 3)) / (1 + 0.5)
    assert third**2 / (1 / 2) > 1  # which is capped, and so is what follows from it
    options = Options(max_order=5, smooth_method="chen-cherry-6", smooth_value=0.5)
    assert precisions(row, options)[0] == pytest.approx([2 / 3, 1 / 2, third, 1, 1], abs=1e-12)


@pytest.mark.parametrize(("method", "matches", "expected"), BY_HAND)
def test_precisions_by_hand(method, matches, expected):
    row = np.array([*matches, 10, 9, 8, 7, 6, 10, 10])
    if not SMOOTH_METHODS[method].further_orders:
        row = np.delete(row, [4, 9])
    assert precisions(row, Options(smooth_method=method))[0] == pytest.approx(expected, abs=1e-12)


# NLTK's function, the name of its reading here, and the convention that counts as it does: a method that looks at
# precisions sees NLTK's one n-gram of an order that a sentence is too short for; method 6 counts none there.
NLTK = [("method4", "nltk-4", "nltk"), ("method5", "nltk-5", "nltk"), ("method6", "chen-cherry-6", "moses"), ("method7", "nltk-7", "nltk")]  # fmt: skip


@pytest.mark.parametrize(("function", "name", "convention"), NLTK)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
@given(prediction=SENTENCES, references=st.lists(SENTENCES, min_size=1, max_size=3), value=st.sampled_from([None, 2.5]))
@pytest.mark.slow
def test_sentence_scores_are_nltks(load, function, name, convention, prediction, references, value):
    """Where NLTK scores: not a single word, whose zeros it leaves out, nor what comes out above 1 there."""
    value = None if SMOOTH_METHODS[name].value is None else value
    smoothing = SmoothingFunction(**({} if value is None else {"k": value, "alpha": value}))
    assume(len(prediction) > 1 or function in ("method5", "method6"))
    assume(function != "method6" or modified_precision(references, prediction, 3))  # NLTK asserts that
    expected = sentence_bleu(references, prediction, smoothing_function=getattr(smoothing, function))
    ours = load(convention, smooth_method=name, smooth_value=value).compute(
        predictions=[" ".join(prediction)], references=[[" ".join(reference) for reference in references]]
    )
    counts = [modified_precision(references, prediction, n) for n in range(1, 5)]
    theirs = getattr(smoothing, function)(list(counts), references, prediction, len(prediction))
    if max(theirs) <= 1:
        assert ours["bleu"] == pytest.approx(expected, abs=1e-12)
    else:
        assert ours["bleu"] <= expected + 1e-12
        assert ours["precisions"] == pytest.approx(
            [min(float(p), 1) for p in theirs] if counts[0] else [0] * 4, abs=1e-12
        )


def test_the_example_of_nltks_documentation(load):
    """The candidate of the paper's example 1 beside its first reference: 0.4118, 0.4905, 0.4135, 0.4905."""
    candidate = "It is a guide to action which ensures that the military always obeys the commands of the party"
    reference = "It is a guide to action that ensures that the military will forever heed Party commands"
    scores = [
        load("nltk", smooth_method=name).compute(predictions=[candidate], references=[reference])["bleu"]
        for name in ("nltk-4", "nltk-5", "chen-cherry-6", "nltk-7")
    ]
    assert [math.floor(1e4 * score) / 1e4 for score in scores] == [0.4118, 0.4905, 0.4135, 0.4905]


def test_where_nltk_departs_from_the_paper():
    """Two orders without a match: the paper's divisor is K / ln(length) at each, NLTK's 2 K / ln(length), then 4."""
    counts = [Fraction(m, t, _normalize=False) for m, t in ((6, 10), (3, 9), (0, 8), (0, 7))]
    theirs = SmoothingFunction().method4(list(counts), None, list("a" * 10))
    row = np.array([6, 3, 0, 0, 10, 9, 8, 7, 10, 10])
    assert precisions(row, Options(smooth_method="nltk-4"))[0] == pytest.approx([float(p) for p in theirs], abs=1e-15)
    assert precisions(row, Options(smooth_method="chen-cherry-4"))[0] == pytest.approx(
        [6 / 10, 3 / 9, L / 8, L**2 / 7], abs=1e-15
    )


@pytest.mark.parametrize("name", CHEN_CHERRY)
@settings(deadline=None, max_examples=40)
@given(rows=ROWS, data=st.data())
def test_a_corpus_is_scored_by_its_sums(load, name, rows, data):
    """From 0 to 1, the same in any order of the segments, and from merged parts; segments are scored one by one."""
    bleu = load("moses", smooth_method=name)
    predictions = [" ".join(prediction) for prediction, _ in rows]
    references = [[" ".join(reference) for reference in row] for _, row in rows]
    result = bleu.compute(predictions=predictions, references=references, segments=True)
    assert 0 <= result["bleu"] <= 1
    assert all(0 <= value <= 1 for value in result["precisions"] + result["segment_bleu"] + result["bleu_by_order"])
    assert len(result["counts"]) == len(result["precisions"]) == 4
    assert (result["bleu"] > 0) >= (result["counts"][3] > 0)
    order = data.draw(st.permutations(range(len(rows))))
    shuffled = bleu.compute(predictions=[predictions[i] for i in order], references=[references[i] for i in order])
    assert shuffled["bleu"] == result["bleu"]
    parts = [bleu.statistics(predictions=[p], references=[r]) for p, r in zip(predictions, references)]
    assert bleu.score(parts)["bleu"] == result["bleu"]
    single = [
        bleu.compute(predictions=[p], references=[r], effective_order=True)["bleu"]
        for p, r in zip(predictions, references)
    ]
    assert result["segment_bleu"] == pytest.approx(single, abs=1e-15)


def test_a_perfect_prediction_of_any_length(load):
    """1 where all n-grams match, but for the paper's 5 and 7, which take from longer orders what they don't have."""
    for name in CHEN_CHERRY:
        result = load(smooth_method=name).compute(predictions=["a b c d e f"], references=["a b c d e f"])
        assert result["bleu"] == pytest.approx(1, abs=1e-15) or name in ("chen-cherry-5", "chen-cherry-7")


def test_rows_without_the_order_beyond_are_refused(bleu):
    """Method 5 at N = 4 needs 5-grams; rows that have them are scored under any method, to order 4."""
    corpus = {"predictions": ["a b c d e f"], "references": ["a b c d x f"]}
    with pytest.raises(ValueError, match="looks at n-grams of order 5, and these rows end with 4: count anew"):
        bleu.score(bleu.statistics(**corpus), smooth_method="chen-cherry-5")
    rows = bleu.statistics(**corpus, smooth_method="chen-cherry-5")
    assert bleu.score(rows, smooth_method="chen-cherry-5") == bleu.compute(**corpus, smooth_method="chen-cherry-5")
    assert bleu.score(rows) == bleu.compute(**corpus)
    with pytest.raises(ValueError, match="don't add up: longest n-gram is 5 in table 0 and 4 in table 1"):
        bleu.score([rows, bleu.statistics(**corpus)])


def test_sums_of_rows(bleu):
    """Numbers alone don't say how they were counted: the method does."""
    corpus = {"predictions": ["a b c d e f", "a b"], "references": ["a b c d x f", "b a"]}
    total = bleu.statistics(**corpus, smooth_method="nltk-7").to_pandas().sum().to_numpy()
    assert bleu.score(total, smooth_method="nltk-7")["bleu"] == bleu.compute(**corpus, smooth_method="nltk-7")["bleu"]


@pytest.mark.parametrize("name", SMOOTH_METHODS)
def test_no_method_changes_the_rows(name):
    rows = np.array([[3, 1, 0, 0, 0, 4, 3, 2, 1, 0, 4, 4]] * 2)
    before = rows.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(rows, Options(smooth_method=name))
    np.testing.assert_array_equal(rows, before)


def test_the_signature_says_which(load):
    result = load(smooth_method="chen-cherry-4").compute(predictions=["a"], references=["a"])
    assert "|smooth:chen-cherry-4[5.00]|" in result["signature"]
