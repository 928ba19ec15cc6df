"""From statistics rows to numbers: sacreBLEU, NLTK, bleuscore and evaluate's formula asked live."""

import itertools
import math
import random
from dataclasses import replace

import bleuscore
import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from bleu import bleu_scoring
from bleu.bleu_options import SMOOTH_METHODS, Options
from helpers import random_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

WORDS = ["the", "cat", "sat", "on", "a", "mat"]


def corpora(count=40, seed=0):
    """Small corpora of short segments, many without a match at some order, some without any."""
    generator = random.Random(seed)
    for _ in range(count):
        rows = generator.randrange(1, 6)
        sentence = lambda: " ".join(generator.choices(WORDS, k=generator.randrange(0, 9)))  # noqa: E731
        yield [sentence() for _ in range(rows)], [[sentence() for _ in range(3)] for _ in range(rows)]


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("smooth_method", "smooth_value"), [("none", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 0.3), ("exp", None)])  # fmt: skip
def test_sacrebleus_smoothing(smooth_method, smooth_value, effective_order):
    """All rows that up to three tokens can have, and random ones, to 1e-9 on the scale to 100."""
    orders = [(m, t) for t in range(4) for m in range(t + 1)]
    rows = [
        [*matches, *totals, length, reference]
        for pairs in itertools.product(orders, repeat=3)
        for matches, totals in [zip(*pairs)]
        for length, reference in [(3, 4), (4, 3)]
    ]
    options = {"smooth_method": smooth_method, "smooth_value": smooth_value, "effective_order": effective_order}
    scores = bleu_scoring.bleu(np.array(rows), Options(max_order=3, **options))
    for row, score in zip(rows, scores):
        expected = BLEU.compute_bleu(row[:3], row[3:6], row[6], row[7], max_ngram_order=3, **options)
        assert 100 * score == pytest.approx(expected.score, abs=1e-9), row


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("smooth_method", ["none", "floor", "add-k", "exp"])
def test_segment_scores_are_sacrebleus_sentence_scores(bleu, smooth_method):
    predictions, references = random_rows(seed=5, count=200)
    result = bleu.compute(predictions=predictions, references=references, segments=True, smooth_method=smooth_method)
    metric = BLEU(effective_order=True, smooth_method=smooth_method)
    expected = [metric.sentence_score(*pair).score / 100 for pair in zip(predictions, references)]
    assert result["segment_bleu"] == pytest.approx(expected, abs=1e-11)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weights", [None, (0.1, 0.3, 0.5, 0.1), (0.5, 0.5), (1.0,), (0.2,) * 6])
def test_nltk_convention(load, weights):
    """To 1e-12 on the same tokens, segments shorter than an order and empty predictions among them."""
    bleu = load("nltk")
    for predictions, references in corpora():
        asked = weights or (0.25,) * 4
        expected = nltk_bleu.corpus_bleu([[text.split() for text in row] for row in references], [p.split() for p in predictions], asked)  # fmt: skip
        options = {"weights": weights, "max_order": len(asked)}
        result = bleu.compute(predictions=predictions, references=references, **options)
        assert result["bleu"] == pytest.approx(expected, abs=1e-12)
        tokens = [p.split() for p in predictions], [[text.split() for text in row] for row in references]
        assert bleu.compute(predictions=tokens[0], references=tokens[1], **options)["bleu"] == result["bleu"]


def evaluates_formula(predictions, references, smooth):
    """evaluate's `bleu` (tensorflow/nmt) worked out anew: shortest reference, smoothing at every order or none."""
    rows = [
        (nltk_bleu.modified_precision(row, p, n), max(len(p) - n + 1, 0)) for n in range(1, 5) for p, row in zip(predictions, references)
    ]  # fmt: skip
    size = len(predictions)
    matches = [sum(m.numerator for m, _ in rows[n * size : (n + 1) * size]) for n in range(4)]
    totals = [sum(t for _, t in rows[n * size : (n + 1) * size]) for n in range(4)]
    c, r = sum(map(len, predictions)), sum(min(map(len, row)) for row in references)
    precisions = [(m + smooth) / (t + smooth) if t + smooth else 0.0 for m, t in zip(matches, totals)]
    if c == 0 or min(precisions) == 0:
        return 0.0
    return min(1.0, math.exp(1 - r / c)) * math.prod(precisions) ** 0.25


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("smooth", [False, True])
def test_hf_convention(load, smooth):
    bleu = load("hf", smooth_method="laplace") if smooth else load("hf")
    for predictions, references in corpora():
        result = bleu.compute(predictions=predictions, references=references)
        tokens = [p.split() for p in predictions], [[text.split() for text in row] for row in references]
        assert result["bleu"] == pytest.approx(evaluates_formula(*tokens, smooth), abs=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("convention", "method"), [("hf", "shortest"), ("papineni", "closest")])
def test_bleuscore(load, convention, method):
    """bleuscore cuts as evaluate's `bleu` does; on segments with letters and simple marks that's 13a."""
    bleu, generator = load(convention), random.Random(1)
    vocabulary = [*WORDS, "3.5", "well-known", "isn't", "mat.", "mat,"]
    for _ in range(40):
        predictions = [" ".join(generator.choices(vocabulary, k=generator.randrange(5, 30))) for _ in range(4)]
        references = [[p.replace("cat", "dog"), " ".join(generator.choices(vocabulary, k=12))] for p in predictions]
        expected = bleuscore.compute(references, predictions, ref_len_method=method)
        result = bleu.compute(predictions=predictions, references=references)
        assert result["bleu"] == pytest.approx(expected["bleu"], abs=1e-12)
        for key in ("precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"):
            assert result[key] == pytest.approx(expected[key], abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_moses_convention(load):
    """multi-bleu.perl is sacreBLEU without tokenizer and smoothing."""
    bleu, metric = load("moses"), BLEU(tokenize="none", smooth_method="none")
    for predictions, references in corpora():
        result = bleu.compute(predictions=predictions, references=references)
        assert result["score"] == pytest.approx(
            metric.corpus_score(predictions, list(zip(*references))).score, abs=1e-9
        )


@pytest.mark.filterwarnings("ignore")
def test_result_fits_together(bleu):
    """What the keys say of each other, and of sacreBLEU's score object."""
    for predictions, references in corpora():
        result = bleu.compute(predictions=predictions, references=references)
        expected = BLEU().corpus_score(predictions, list(zip(*references)))
        assert list(result) == [
            "bleu", "score", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length",
            "counts", "totals", "bleu_by_order", "signature",
        ]  # fmt: skip
        assert (result["counts"], result["totals"]) == (expected.counts, expected.totals)
        assert (result["translation_length"], result["reference_length"]) == (expected.sys_len, expected.ref_len)
        assert [100 * p for p in result["precisions"]] == pytest.approx(expected.precisions)
        assert result["brevity_penalty"] == pytest.approx(expected.bp)
        assert result["length_ratio"] == pytest.approx(expected.ratio)
        assert result["score"] == 100 * result["bleu"] <= 100
        assert result["bleu_by_order"][-1] == result["bleu"]
        for n in (1, 2, 3):
            by_order = BLEU(max_ngram_order=n).corpus_score(predictions, list(zip(*references))).score
            assert 100 * result["bleu_by_order"][n - 1] == pytest.approx(by_order, abs=1e-9)


def test_the_papers_brevity():
    """c >= r: none. c < r: exp(1 - r/c). No prediction at all: 0."""
    table = {(12, 12): 1, (12, 11): 1, (12, 13): math.exp(-1 / 12), (1, 3): math.exp(-2), (0, 3): 0, (0, 0): 1}
    for (c, r), expected in table.items():
        assert bleu_scoring.brevity_penalty(c, r) == pytest.approx(expected, abs=1e-15)


@given(
    counts=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=6),
    lengths=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    smooth_method=st.sampled_from(list(SMOOTH_METHODS)),
    effective_order=st.booleans(),
)
@settings(deadline=None)
def test_any_row_has_a_score_from_0_to_1(counts, lengths, smooth_method, effective_order):
    row = np.array([min(pair) for pair in counts] + [max(pair) for pair in counts] + list(lengths))
    before = row.copy()
    max_order = len(counts) - SMOOTH_METHODS[smooth_method].further_orders
    options = Options(max_order=max_order, smooth_method=smooth_method, effective_order=effective_order)
    assert 0 <= bleu_scoring.bleu(row, options) <= 1
    np.testing.assert_array_equal(row, before)


def test_a_perfect_prediction_is_exactly_1(bleu):
    """sacreBLEU says 100.00000000000004 here."""
    text = ["the cat sat on the mat", "and the dog did not"]
    assert bleu.compute(predictions=text, references=text)["score"] == 100.0


def test_laplace_is_the_only_smoothing_that_scores_no_match(bleu):
    for method in SMOOTH_METHODS:
        with pytest.warns(UserWarning, match="no token of the predictions") if method != "laplace" else np.errstate():
            result = bleu.compute(predictions=["a b c d e"], references=["v w x y z"], smooth_method=method)
        assert (result["bleu"] > 0) == (method == "laplace")


def test_weights_are_not_renormalised_and_left_out_orders_leave_theirs():
    row = np.array([3, 1, 0, 0, 4, 3, 0, 0, 4, 4])  # orders 3 and 4 don't exist
    half = Options(weights=(0.25, 0.25, 0.0, 0.0))
    assert bleu_scoring.bleu(row, half) == pytest.approx((3 / 4 * 1 / 3) ** 0.25)
    effective = Options(weights=(0.1, 0.3, 0.2, 0.4), effective_order=True)
    assert bleu_scoring.bleu(row, effective) == pytest.approx((3 / 4) ** 0.25 * (1 / 3) ** 0.75)


def test_confidence_is_sacrebleus_bootstrap(bleu):
    """The same draws: the mean, and half the interval's width is sacreBLEU's ci, which comes of float32 numbers."""
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
    """Seed 0 is a seed, None is a new one each time, and the global generator is left alone."""
    predictions, references = random_rows(seed=7, count=60)
    state = np.random.get_state()[1].copy()
    bootstrap = lambda seed: bleu.compute(  # noqa: E731
        predictions=predictions, references=references, confidence=0.9, n_resamples=50, seed=seed
    )
    assert bootstrap(0) == bootstrap(0)
    assert bootstrap(0)["bootstrap_mean"] != bootstrap(1)["bootstrap_mean"]
    assert bootstrap(None)["bootstrap_mean"] != bootstrap(None)["bootstrap_mean"]
    np.testing.assert_array_equal(np.random.get_state()[1], state)


@settings(max_examples=300, deadline=None)
@given(
    counts=st.lists(st.lists(st.integers(0, 12), min_size=2, max_size=2).map(sorted), min_size=2, max_size=6),
    lengths=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=4),
    smooth_method=st.sampled_from(list(SMOOTH_METHODS)),
    effective_order=st.booleans(),
    weighted=st.booleans(),
)
def test_one_row_has_the_bits_of_many(counts, lengths, smooth_method, effective_order, weighted):
    """A single row is scored in Python's floats, many in NumPy's arrays, by the same definition."""
    matches, totals = zip(*counts)
    rows = np.array([[*matches, *totals, *pair] for pair in lengths])
    max_order = len(counts) - SMOOTH_METHODS[smooth_method].further_orders
    weights = tuple(range(max_order, 0, -1)) if weighted else None
    options = Options(
        max_order=max_order, smooth_method=smooth_method, effective_order=effective_order, weights=weights
    )
    many, penalties = bleu_scoring.bleu(rows, options), bleu_scoring.brevity_penalty(*rows[:, -2:].T)
    up_to = [[1 / n] * n + [0.0] * (max_order - n) for n in range(1, max_order + 1)]
    many_by_order = np.transpose([bleu_scoring.bleu(rows, replace(options, weights=first)) for first in up_to])
    for i, row in enumerate(rows):
        result = bleu_scoring.make_result(row, options)
        assert (result["bleu"], result["brevity_penalty"]) == (many[i], penalties[i])
        assert result["bleu_by_order"] == list(many_by_order[i])
        assert bleu_scoring.bleu(row, options) == many[i]
