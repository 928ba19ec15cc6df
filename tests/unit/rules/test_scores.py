"""From statistics rows to scores: conventions and smoothing. sacreBLEU, NLTK and bleuscore are asked live."""

import itertools
import math
import random
import warnings
from dataclasses import replace

import bleuscore
import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rules import scores as scores_file
from bleu.bleu_core.rules.scores import precisions
from bleu.bleu_core.rules.smoothing import SMOOTH_METHODS
from helpers import examples, random_rows, small_corpora
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import Fraction, SmoothingFunction, modified_precision, sentence_bleu
from sacrebleu.metrics import BLEU

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Conventions, results and intervals.


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("smooth_method", "smooth_value"), [("none", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 0.3), ("exp", None)])  # fmt: skip
def test_sacrebleus_smoothing(smooth_method, smooth_value, effective_order):
    """All rows that up to three tokens can have agree to 1e-9 points."""
    orders = [(m, t) for t in range(4) for m in range(t + 1)]
    rows = [
        [*matches, *totals, length, reference]
        for pairs in itertools.product(orders, repeat=3)
        for matches, totals in [zip(*pairs)]
        for length, reference in [(3, 4), (4, 3)]
    ]
    options = {
        "smooth_method": smooth_method,
        "smooth_value": smooth_value,
        "effective_order": effective_order,
    }
    scores = scores_file.bleu(np.array(rows), Options(max_order=3, **options))
    for row, score in zip(rows, scores):
        expected = BLEU.compute_bleu(
            row[:3], row[3:6], row[6], row[7], max_ngram_order=3, **options
        )
        assert 100 * score == pytest.approx(expected.score, abs=1e-9), row


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("smooth_method", ["none", "floor", "add-k", "exp"])
def test_segment_scores_are_sacrebleus_sentence_scores(bleu, smooth_method):
    predictions, references = random_rows(seed=5, count=200)
    result = bleu.compute(
        predictions=predictions, references=references, segments=True, smooth_method=smooth_method
    )
    metric = BLEU(effective_order=True, smooth_method=smooth_method)
    expected = [metric.sentence_score(*pair).score / 100 for pair in zip(predictions, references)]
    assert result["segment_bleu"] == pytest.approx(expected, abs=1e-11)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weights", [None, (0.1, 0.3, 0.5, 0.1), (0.5, 0.5), (1.0,), (0.2,) * 6])
def test_nltk_convention(load, weights):
    """Scores of the same tokens agree to 1e-12, also for segments shorter than an order and empty predictions."""
    bleu = load("nltk")
    for predictions, references in small_corpora():
        asked = weights or (0.25,) * 4
        expected = nltk_bleu.corpus_bleu([[text.split() for text in row] for row in references], [p.split() for p in predictions], asked)  # fmt: skip
        options = {"weights": weights, "max_order": len(asked)}
        result = bleu.compute(predictions=predictions, references=references, **options)
        assert result["bleu"] == pytest.approx(expected, abs=1e-12)
        tokens = (
            [p.split() for p in predictions],
            [[text.split() for text in row] for row in references],
        )
        assert (
            bleu.compute(predictions=tokens[0], references=tokens[1], **options)["bleu"]
            == result["bleu"]
        )


def evaluates_formula(predictions, references, smooth):
    """Return the score of evaluate's `bleu` (tensorflow/nmt): shortest reference, smoothing at every order or none."""
    rows = [
        (nltk_bleu.modified_precision(row, p, n), max(len(p) - n + 1, 0)) for n in range(1, 5) for p, row in zip(predictions, references)
    ]  # fmt: skip
    size = len(predictions)
    matches = [sum(m.numerator for m, _ in rows[n * size : (n + 1) * size]) for n in range(4)]
    totals = [sum(t for _, t in rows[n * size : (n + 1) * size]) for n in range(4)]
    c, r = sum(map(len, predictions)), sum(min(map(len, row)) for row in references)
    precisions = [
        (m + smooth) / (t + smooth) if t + smooth else 0.0 for m, t in zip(matches, totals)
    ]
    if c == 0 or min(precisions) == 0:
        return 0.0
    return min(1.0, math.exp(1 - r / c)) * math.prod(precisions) ** 0.25


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("smooth", [False, True])
def test_hf_convention(load, smooth):
    bleu = load("hf", smooth_method="laplace") if smooth else load("hf")
    for predictions, references in small_corpora():
        result = bleu.compute(predictions=predictions, references=references)
        tokens = (
            [p.split() for p in predictions],
            [[text.split() for text in row] for row in references],
        )
        assert result["bleu"] == pytest.approx(evaluates_formula(*tokens, smooth), abs=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("convention", "method"), [("hf", "shortest"), ("papineni", "closest")])
def test_bleuscore(load, convention, method):
    """bleuscore splits text as evaluate's `bleu` does, which is 13a for letters and simple punctuation."""
    bleu, generator = load(convention), random.Random(1)
    vocabulary = ["the", "cat", "sat", "on", "a", "mat", "3.5", "well-known", "isn't", "mat.", "mat,"]  # fmt: skip
    for _ in range(40):
        predictions = [
            " ".join(generator.choices(vocabulary, k=generator.randrange(5, 30))) for _ in range(4)
        ]
        references = [
            [p.replace("cat", "dog"), " ".join(generator.choices(vocabulary, k=12))]
            for p in predictions
        ]
        expected = bleuscore.compute(references, predictions, ref_len_method=method)
        result = bleu.compute(predictions=predictions, references=references)
        assert result["bleu"] == pytest.approx(expected["bleu"], abs=1e-12)
        for key in ("precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"):  # fmt: skip
            assert result[key] == pytest.approx(expected[key], abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_moses_convention(load):
    """multi-bleu.perl is sacreBLEU without tokenizer and smoothing."""
    bleu, metric = load("moses"), BLEU(tokenize="none", smooth_method="none")
    for predictions, references in small_corpora():
        result = bleu.compute(predictions=predictions, references=references)
        assert result["score"] == pytest.approx(
            metric.corpus_score(predictions, list(zip(*references))).score, abs=1e-9
        )


@pytest.mark.filterwarnings("ignore")
def test_result_fits_together(bleu):
    """The keys agree with each other, and with sacreBLEU's score object."""
    for predictions, references in small_corpora():
        result = bleu.compute(predictions=predictions, references=references)
        expected = BLEU().corpus_score(predictions, list(zip(*references)))
        assert list(result) == [
            "bleu", "score", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length",
            "counts", "totals", "bleu_by_order", "signature",
        ]  # fmt: skip
        assert (result["counts"], result["totals"]) == (expected.counts, expected.totals)
        assert (result["translation_length"], result["reference_length"]) == (
            expected.sys_len,
            expected.ref_len,
        )
        assert [100 * p for p in result["precisions"]] == pytest.approx(expected.precisions)
        assert result["brevity_penalty"] == pytest.approx(expected.bp)
        assert result["length_ratio"] == pytest.approx(expected.ratio)
        assert result["score"] == 100 * result["bleu"] <= 100
        assert result["bleu_by_order"][-1] == result["bleu"]
        for n in (1, 2, 3):
            by_order = (
                BLEU(max_ngram_order=n).corpus_score(predictions, list(zip(*references))).score
            )
            assert 100 * result["bleu_by_order"][n - 1] == pytest.approx(by_order, abs=1e-9)


def test_the_papers_brevity():
    """c >= r: 1. c < r: exp(1 - r/c). No prediction: 0."""
    table = {
        (12, 12): 1,
        (12, 11): 1,
        (12, 13): math.exp(-1 / 12),
        (1, 3): math.exp(-2),
        (0, 3): 0,
        (0, 0): 1,
    }
    for (c, r), expected in table.items():
        assert scores_file.brevity_penalty(c, r) == pytest.approx(expected, abs=1e-15)


@given(
    counts=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=6),
    lengths=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    smooth_method=st.sampled_from(list(SMOOTH_METHODS)),
    effective_order=st.booleans(),
)
def test_any_row_has_a_score_from_0_to_1(counts, lengths, smooth_method, effective_order):
    row = np.array([min(pair) for pair in counts] + [max(pair) for pair in counts] + list(lengths))
    before = row.copy()
    max_order = len(counts) - SMOOTH_METHODS[smooth_method].further_orders
    options = Options(
        max_order=max_order, smooth_method=smooth_method, effective_order=effective_order
    )
    assert 0 <= scores_file.bleu(row, options) <= 1
    np.testing.assert_array_equal(row, before)


def test_a_perfect_prediction_is_exactly_1(bleu):
    """sacreBLEU returns 100.00000000000004 here."""
    text = ["the cat sat on the mat", "and the dog did not"]
    assert bleu.compute(predictions=text, references=text)["score"] == 100.0


def test_laplace_and_coco_alone_score_no_match(bleu):
    """Laplace's score is not small, so it needs no warning."""
    for method in SMOOTH_METHODS:
        problem = "no token of the predictions"
        if method == "coco":
            problem = "close to 0: no 1-gram of the predictions"
        with pytest.warns(UserWarning, match=problem) if method != "laplace" else np.errstate():
            result = bleu.compute(
                predictions=["a b c d e"], references=["v w x y z"], smooth_method=method
            )
        assert (result["bleu"] > 0) == (method in ("laplace", "coco"))


def score_caption(matches, totals, length, reference_length):
    """Return Bleu_1 to Bleu_4 by pycocoevalcap's formula, with both of its small numbers."""
    tiny, small = 1e-15, 1e-9
    scores, product = [], 1.0
    for order, (match, total) in enumerate(zip(matches, totals), 1):
        product *= (match + tiny) / (total + small)
        scores.append(product ** (1 / order))
    ratio = (length + tiny) / (reference_length + small)
    penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
    return [score * penalty for score in scores]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("prediction", "reference", "matches", "totals"),
    [
        ("a b c d e", "a b c d e", [5, 4, 3, 2], [5, 4, 3, 2]),
        ("a b c d", "a b c d e", [4, 3, 2, 1], [4, 3, 2, 1]),
        ("a b x d e f", "a b c d e", [4, 2, 0, 0], [6, 5, 4, 3]),
        ("a", "a", [1, 0, 0, 0], [1, 0, 0, 0]),
        ("a b", "x y z", [0, 0, 0, 0], [2, 1, 0, 0]),
        ("", "a b", [0, 0, 0, 0], [0, 0, 0, 0]),
        ("a", "", [0, 0, 0, 0], [1, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize("effective_order", [False, True])
def test_coco_is_pycocoevalcaps_formula(
    load, prediction, reference, matches, totals, effective_order
):
    bleu = load(smooth_method="coco", effective_order=effective_order)
    corpus = {"predictions": [prediction], "references": [reference]}
    result = bleu.compute(**corpus, segments=True)
    lengths = len(prediction.split()), len(reference.split())
    expected = score_caption(matches, totals, *lengths)
    assert (result["counts"], result["totals"]) == (matches, totals)
    assert result["bleu_by_order"] == pytest.approx(expected, rel=1e-12, abs=0)
    assert result["segment_bleu"] == pytest.approx(expected[-1:], rel=1e-12, abs=0)
    assert (result["bleu"] == 0) == (prediction == "")


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [("a b", "c d", 63.9), ("a b c d", "e f g h", 30.2), ("", "a", 0.0)],
)
def test_laplace_without_a_match(bleu, prediction, reference, score):
    """It smooths orders without n-grams to 1 / 1, so that the shortest segments score highest."""
    result = bleu.compute(predictions=[prediction], references=[reference], smooth_method="laplace")
    assert result["score"] == pytest.approx(score, abs=0.05)


def test_weights_are_not_renormalized_unless_orders_are_left_out():
    row = np.array([3, 1, 0, 0, 4, 3, 0, 0, 4, 4])  # orders 3 and 4 don't exist
    half = Options(weights=(0.25, 0.25, 0.0, 0.0))
    assert scores_file.bleu(row, half) == pytest.approx((3 / 4 * 1 / 3) ** 0.25)
    effective = Options(weights=(0.1, 0.3, 0.2, 0.4), effective_order=True)
    assert scores_file.bleu(row, effective) == pytest.approx((3 / 4) ** 0.25 * (1 / 3) ** 0.75)


# Matches and totals of orders 1 to 4, weights, and BLEU with and without effective order: orders without a match are left
# out; their weights are lost, or go to the other orders.
SKIPPED = [
    ([2, 1, 0, 0], [5, 4, 3, 2], None, (2 / 5 * 1 / 4) ** 0.25, (2 / 5 * 1 / 4) ** 0.5),
    ([2, 1, 0, 0], [5, 4, 3, 2], (0.1, 0.3, 0.2, 0.4), (2 / 5) ** 0.1 * (1 / 4) ** 0.3, (2 / 5) ** 0.25 * (1 / 4) ** 0.75),
    ([2, 0, 0, 0], [5, 4, 3, 2], None, (2 / 5) ** 0.25, 2 / 5),
    ([4, 3, 2, 1], [5, 4, 3, 2], None, (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25, (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
    ([1, 0, 0, 0], [2, 1, 0, 0], None, (1 / 2) ** 0.25, 1 / 2),  # too short for orders 3 and 4
    ([1, 0, 0, 0], [2, 1, 0, 0], (0, 0.5, 0.5, 0), 1, 0),  # a product of no precisions; no order to take the weights
    ([0, 0, 0, 0], [5, 4, 3, 2], None, 0, 0), ([0, 0, 0, 0], [0, 0, 0, 0], None, 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("matches", "totals", "weights", "score", "effective"), SKIPPED)
def test_orders_without_a_match_are_skipped(matches, totals, weights, score, effective):
    row = np.array([*matches, *totals, 6, 6])
    for effective_order, expected in ((False, score), (True, effective)):
        options = Options(smooth_method="skip", weights=weights, effective_order=effective_order)
        assert scores_file.bleu(row, options) == pytest.approx(expected, abs=1e-15)
        assert scores_file.bleu(np.array([row, row]), options) == pytest.approx(
            [expected] * 2, abs=1e-15
        )


def test_skipping_is_nltk_before_3_3(load):
    """NLTK 3.2's method0 ends the sum of logarithms at the first order without a match; no match at all scores 0."""
    bleu = load("nltk", smooth_method="skip")
    for predictions, references in small_corpora():
        tokens = (
            [p.split() for p in predictions],
            [[text.split() for text in row] for row in references],
        )
        fractions = [
            [modified_precision(row, p, n) for p, row in zip(*tokens)] for n in range(1, 5)
        ]
        sums = [
            (sum(f.numerator for f in row), sum(f.denominator for f in row)) for row in fractions
        ]
        logarithms = [math.log(m / t) for m, t in itertools.takewhile(lambda pair: pair[0], sums)]
        length = sum(map(len, tokens[0]))
        closest = sum(nltk_bleu.closest_ref_length(row, len(p)) for p, row in zip(*tokens))
        expected = nltk_bleu.brevity_penalty(closest, length) * math.exp(
            math.fsum(0.25 * x for x in logarithms)
        )
        result = bleu.compute(predictions=predictions, references=references)
        assert result["bleu"] == pytest.approx(expected if sums[0][0] else 0, abs=1e-12)


def test_confidence_is_sacrebleus_bootstrap(bleu):
    """The draws are sacreBLEU's: its mean, and its ci as half the width, within the precision of float32."""
    predictions, references = random_rows(seed=6, count=150)
    references = [[*row, None, None, None][:4] for row in references]
    result = bleu.compute(predictions=predictions, references=references, confidence=0.95)
    expected = BLEU().corpus_score(predictions, list(zip(*references)), n_bootstrap=1000)
    low, high = result["confidence_interval"]
    assert 100 * (high - low) / 2 == pytest.approx(expected._ci, abs=1e-5)
    assert 100 * result["bootstrap_mean"] == pytest.approx(expected._mean, abs=1e-5)
    assert low < result["bleu"] < high
    assert result["signature"].startswith("nrefs:var|bs:1000|seed:12345|case:mixed|")


def test_seeds(bleu):
    """Seed 0 is a seed, None is a new seed in every call, and the global generator is not used."""
    predictions, references = random_rows(seed=7, count=60)
    state = np.random.get_state()[1].copy()
    bootstrap = lambda seed: bleu.compute(
        predictions=predictions, references=references, confidence=0.9, n_resamples=50, seed=seed
    )
    assert bootstrap(0) == bootstrap(0)
    assert bootstrap(0)["bootstrap_mean"] != bootstrap(1)["bootstrap_mean"]
    assert bootstrap(None)["bootstrap_mean"] != bootstrap(None)["bootstrap_mean"]
    np.testing.assert_array_equal(np.random.get_state()[1], state)


@settings(max_examples=examples(300))
@given(
    counts=st.lists(
        st.lists(st.integers(0, 12), min_size=2, max_size=2).map(sorted), min_size=2, max_size=6
    ),
    lengths=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=4),
    smooth_method=st.sampled_from(list(SMOOTH_METHODS)),
    effective_order=st.booleans(),
    weighted=st.booleans(),
)
def test_one_row_has_the_bits_of_many(counts, lengths, smooth_method, effective_order, weighted):
    """A single row, scored in Python's floats, has the bits of many rows, scored in NumPy's arrays."""
    matches, totals = zip(*counts)
    rows = np.array([[*matches, *totals, *pair] for pair in lengths])
    max_order = len(counts) - SMOOTH_METHODS[smooth_method].further_orders
    weights = tuple(range(max_order, 0, -1)) if weighted else None
    options = Options(
        max_order=max_order,
        smooth_method=smooth_method,
        effective_order=effective_order,
        weights=weights,
    )
    many, penalties = (
        scores_file.bleu(rows, options),
        scores_file.precisions(rows, options).brevity_penalty,
    )
    up_to = [[1 / n] * n + [0.0] * (max_order - n) for n in range(1, max_order + 1)]
    many_by_order = np.transpose(
        [scores_file.bleu(rows, replace(options, weights=first)) for first in up_to]
    )
    for i, row in enumerate(rows):
        result = scores_file.score_row(row, options)
        assert (result["bleu"], result["brevity_penalty"]) == (many[i], penalties[i])
        assert result["bleu_by_order"] == list(many_by_order[i])
        assert scores_file.bleu(row, options) == many[i]


# Methods 4 to 7 of Chen and Cherry (2014): the paper's formulas by hand, and NLTK's reading asked live.


CHEN_CHERRY = [name for name in SMOOTH_METHODS if name.startswith(("chen", "nltk"))]
SENTENCES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=15)
ROWS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3)), min_size=1, max_size=5
)

# Matches of orders 1 to 5 in a prediction of 10 tokens, so that there are 10, 9, 8, 7 and 6 n-grams.
# K is 5: ln(10) / 5 is L. Method 5 starts from the matches of order 1, plus 1.
L = math.log(10) / 5
BY_HAND = [
    ("skip", [6, 3, 0, 0, 0], [6 / 10, 3 / 9, 1, 1]),
    ("chen-cherry-4", [6, 3, 1, 1, 0], [6 / 10, 3 / 9, 1 / 8, 1 / 7]),
    ("chen-cherry-4", [6, 3, 0, 0, 0], [6 / 10, 3 / 9, L / 8, L**2 / 7]),
    ("nltk-4", [6, 3, 0, 0, 0], [6 / 10, 3 / 9, L / 2 / 8, L / 4 / 7]),
    ("chen-cherry-5", [6, 3, 0, 0, 0], [16 / 3 / 10, (16 / 3 + 3) / 3 / 9, 25 / 27 / 8, 25 / 81 / 7]),
    ("nltk-5", [6, 3, 0, 0, 0], [(1.6 + 0.6 + 1 / 3) / 3, ((1.6 + 0.6 + 1 / 3) / 3 + 1 / 3) / 3, 0.13086419753086, 0.04362139917695]),
    ("chen-cherry-6", [6, 3, 1, 0, 0], [6 / 10, 3 / 9, (1 + 5 * (1 / 3) ** 2 / 0.6) / 13, 5 * (((1 + 5 * (1 / 3) ** 2 / 0.6) / 13) ** 2 * 3) / 12]),
    ("chen-cherry-7", [6, 3, 0, 0, 0], [16 / 3 / 10, (16 / 3 + 3 + L) / 3 / 9, ((16 / 3 + 3 + L) / 3 + L + L**2) / 3 / 8, (((16 / 3 + 3 + L) / 3 + L + L**2) / 3 + L**2 + L**3) / 3 / 7]),
]  # fmt: skip


def test_method_6_at_orders_that_have_no_ngrams():
    """Three tokens have alpha 4-grams and 5-grams, less than one each, of which the expected number match."""
    row = np.array([2, 1, 1, 0, 0, 3, 2, 1, 0, 0, 3, 3])
    third = (1 + 0.5 * (1 / 2) ** 2 / (2 / 3)) / (1 + 0.5)
    assert third**2 / (1 / 2) > 1  # capped, and the next order too
    options = Options(max_order=5, smooth_method="chen-cherry-6", smooth_value=0.5)
    assert precisions(row, options)[0] == pytest.approx([2 / 3, 1 / 2, third, 1, 1], abs=1e-12)


@pytest.mark.parametrize(("method", "matches", "expected"), BY_HAND)
def test_precisions_by_hand(method, matches, expected):
    row = np.array([*matches, 10, 9, 8, 7, 6, 10, 10])
    if not SMOOTH_METHODS[method].further_orders:
        row = np.delete(row, [4, 9])
    assert precisions(row, Options(smooth_method=method))[0] == pytest.approx(expected, abs=1e-12)


# NLTK's function, its name here, and the convention with NLTK's counts: methods that use precisions get NLTK's one
# n-gram for orders above a sentence's length, and method 6 gets none.
NLTK = [("method4", "nltk-4", "nltk"), ("method5", "nltk-5", "nltk"), ("method6", "chen-cherry-6", "moses"), ("method7", "nltk-7", "nltk")]  # fmt: skip


@pytest.mark.parametrize(("function", "name", "convention"), NLTK)
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.filter_too_much])
@given(
    prediction=SENTENCES,
    references=st.lists(SENTENCES, min_size=1, max_size=3),
    value=st.sampled_from([None, 2.5]),
)
@pytest.mark.slow
def test_sentence_scores_are_nltks(load, function, name, convention, prediction, references, value):
    """Single words are left out, because NLTK omits their zeros, and so are precisions above 1 in NLTK."""
    value = None if SMOOTH_METHODS[name].value is None else value
    smoothing = SmoothingFunction(**({} if value is None else {"k": value, "alpha": value}))
    assume(len(prediction) > 1 or function in ("method5", "method6"))
    assume(
        function != "method6" or modified_precision(references, prediction, 3)
    )  # NLTK asserts that
    expected = sentence_bleu(
        references, prediction, smoothing_function=getattr(smoothing, function)
    )
    ours = load(convention, smooth_method=name, smooth_value=value).compute(
        predictions=[" ".join(prediction)],
        references=[[" ".join(reference) for reference in references]],
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


@pytest.mark.parametrize(("function", "name"), [("method5", "nltk-5"), ("method7", "nltk-7")])
def test_a_perfect_match_is_above_1_in_nltk(load, function, name):
    text = "the cat sat on a mat"
    theirs = sentence_bleu(
        [text.split()], text.split(), smoothing_function=getattr(SmoothingFunction(), function)
    )
    assert theirs == pytest.approx(1.12, abs=0.005)
    assert load("nltk", smooth_method=name).explain(text, [text])["bleu"] == 1


def test_the_example_of_nltks_documentation(load):
    """The candidate of the paper's example 1 against its first reference: 0.4118, 0.4905, 0.4135, 0.4905."""
    candidate = "It is a guide to action which ensures that the military always obeys the commands of the party"
    reference = (
        "It is a guide to action that ensures that the military will forever heed Party commands"
    )
    scores = [
        load("nltk", smooth_method=name).compute(predictions=[candidate], references=[reference])[
            "bleu"
        ]
        for name in ("nltk-4", "nltk-5", "chen-cherry-6", "nltk-7")
    ]
    assert [math.floor(1e4 * score) / 1e4 for score in scores] == [0.4118, 0.4905, 0.4135, 0.4905]


def test_where_nltk_departs_from_the_paper():
    """With two orders without a match, the paper's divisor is K / ln(length) at each; NLTK's doubles at each."""
    counts = [Fraction(m, t, _normalize=False) for m, t in ((6, 10), (3, 9), (0, 8), (0, 7))]
    theirs = SmoothingFunction().method4(list(counts), None, list("a" * 10))
    row = np.array([6, 3, 0, 0, 10, 9, 8, 7, 10, 10])
    assert precisions(row, Options(smooth_method="nltk-4"))[0] == pytest.approx(
        [float(p) for p in theirs], abs=1e-15
    )
    assert precisions(row, Options(smooth_method="chen-cherry-4"))[0] == pytest.approx(
        [6 / 10, 3 / 9, L / 8, L**2 / 7], abs=1e-15
    )


@pytest.mark.parametrize("name", CHEN_CHERRY)
@settings(max_examples=examples(40))
@given(rows=ROWS, data=st.data())
def test_a_corpus_is_scored_by_its_sums(load, name, rows, data):
    """Scores are from 0 to 1, independent of the order of segments, and the same from merged parts."""
    bleu = load("moses", smooth_method=name)
    predictions = [" ".join(prediction) for prediction, _ in rows]
    references = [[" ".join(reference) for reference in row] for _, row in rows]
    result = bleu.compute(predictions=predictions, references=references, segments=True)
    assert 0 <= result["bleu"] <= 1
    assert all(
        0 <= value <= 1
        for value in result["precisions"] + result["segment_bleu"] + result["bleu_by_order"]
    )
    assert len(result["counts"]) == len(result["precisions"]) == 4
    assert (result["bleu"] > 0) >= (result["counts"][3] > 0)
    order = data.draw(st.permutations(range(len(rows))))
    shuffled = bleu.compute(
        predictions=[predictions[i] for i in order], references=[references[i] for i in order]
    )
    assert shuffled["bleu"] == result["bleu"]
    parts = [
        bleu.statistics(predictions=[p], references=[r]) for p, r in zip(predictions, references)
    ]
    assert bleu.compute(statistics=parts)["bleu"] == result["bleu"]
    single = [
        bleu.compute(predictions=[p], references=[r], effective_order=True)["bleu"]
        for p, r in zip(predictions, references)
    ]
    assert result["segment_bleu"] == pytest.approx(single, abs=1e-15)


def test_a_perfect_prediction_of_any_length(load):
    """The score is 1, but for the paper's methods 5 and 7, which average with longer orders."""
    for name in CHEN_CHERRY:
        result = load(smooth_method=name).compute(
            predictions=["a b c d e f"], references=["a b c d e f"]
        )
        assert result["bleu"] == pytest.approx(1, abs=1e-15) or name in (
            "chen-cherry-5",
            "chen-cherry-7",
        )


def test_rows_without_the_order_beyond_are_rejected(bleu):
    """Method 5 at N = 4 needs 5-grams; rows with 5-grams are scored under any method, to order 4."""
    corpus = {"predictions": ["a b c d e f"], "references": ["a b c d x f"]}
    with pytest.raises(
        ValueError, match="needs n-grams of order 5, but the statistics end with order 4"
    ):
        bleu.compute(statistics=bleu.statistics(**corpus), smooth_method="chen-cherry-5")
    rows = bleu.statistics(**corpus, smooth_method="chen-cherry-5")
    assert bleu.compute(statistics=rows, smooth_method="chen-cherry-5") == bleu.compute(
        **corpus, smooth_method="chen-cherry-5"
    )
    assert bleu.compute(statistics=rows) == bleu.compute(**corpus)
    with pytest.raises(
        ValueError,
        match=r"don't add up: longest n-gram is 5 in statistics\[0\] and 4 in statistics\[1\]",
    ):
        bleu.compute(statistics=[rows, bleu.statistics(**corpus)])


def test_sums_of_rows(bleu):
    """A sum doesn't say how it was counted; the method implies it."""
    corpus = {"predictions": ["a b c d e f", "a b"], "references": ["a b c d x f", "b a"]}
    total = bleu.statistics(**corpus, smooth_method="nltk-7").to_pandas().sum().to_numpy()
    assert (
        bleu.compute(statistics=total, smooth_method="nltk-7")["bleu"]
        == bleu.compute(**corpus, smooth_method="nltk-7")["bleu"]
    )


@pytest.mark.parametrize("name", SMOOTH_METHODS)
def test_no_method_changes_the_rows(name):
    rows = np.array([[3, 1, 0, 0, 0, 4, 3, 2, 1, 0, 4, 4]] * 2)
    before = rows.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores_file.bleu(rows, Options(smooth_method=name))
    np.testing.assert_array_equal(rows, before)


def test_the_signature_has_the_method(load):
    result = load(smooth_method="chen-cherry-4").compute(predictions=["a"], references=["a"])
    assert "|smooth:chen-cherry-4[5.00]|" in result["signature"]
