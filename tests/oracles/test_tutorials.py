"""Tutorials that implement BLEU from scratch: options of this metric reproduce their numbers."""

import math
import re
import string

import nltk.translate.bleu_score as nltk_bleu
import pytest
from tutorials import CANDIDATE_1, CANDIDATE_2, REFERENCES, REPEATED, SHUFFLED

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def lowered(load):
    """Return the metric for tutorial A: lowercase, split at whitespace, no smoothing."""
    return load("nltk", lowercase=True)


@pytest.mark.parametrize(
    ("candidate", "precision"), [(CANDIDATE_1, 17 / 18), (CANDIDATE_2, 8 / 14), (REPEATED, 1.0)]
)
def test_a_simple_precision(lowered, candidate, precision):
    """0.9444, 0.5714 and 1.0: without clipping, each token is a segment of its own."""
    tokens = candidate.split()
    result = lowered.compute(predictions=tokens, references=[REFERENCES] * len(tokens), max_order=1)
    assert result["precisions"] == [precision]


@pytest.mark.parametrize(("candidate", "precision"), [(REPEATED, 1 / 13), (SHUFFLED, 17 / 18)])
def test_a_modified_precision(lowered, candidate, precision):
    """0.0769 and 0.9444."""
    result = lowered.compute(predictions=[candidate], references=[REFERENCES])
    assert result["precisions"][0] == precision


def test_a_bleu(lowered):
    result = lowered.compute(predictions=[CANDIDATE_1], references=[REFERENCES])
    assert result["bleu"] == pytest.approx(0.5045666840058485, abs=1e-15)
    tokens = [text.lower().split() for text in (CANDIDATE_1, *REFERENCES)]
    assert result["bleu"] == pytest.approx(
        nltk_bleu.sentence_bleu(tokens[1:], tokens[0]), abs=1e-15
    )


def test_a_weighted_over_some_orders(lowered):
    """Orders 2 and 3: weights of 0 leave the others out."""
    tokens = [text.lower().split() for text in (CANDIDATE_1, *REFERENCES)]
    weights = (0, 0.5, 0.5, 0)
    result = lowered.compute(predictions=[CANDIDATE_1], references=[REFERENCES], weights=weights)
    assert result["bleu"] == pytest.approx(
        nltk_bleu.sentence_bleu(tokens[1:], tokens[0], weights), abs=1e-15
    )


def test_a_brevity_penalty_in_words(lowered):
    """The tutorial divides numbers of characters; the paper and this metric divide numbers of words: 18 and 18."""
    result = lowered.compute(predictions=[CANDIDATE_1], references=[REFERENCES])
    assert (
        result["translation_length"],
        result["reference_length"],
        result["brevity_penalty"],
    ) == (18, 18, 1.0)


def test_c_version_1(load):
    """Four of five words; no word occurs twice, so clipping makes no difference."""
    result = load("moses").compute(
        predictions=["hello this is my code"],
        references=["hello this code is not mine"],
        max_order=1,
    )
    assert result["precisions"] == [0.8]


def test_c_version_2_brevity(load):
    """The longest reference counts, unless one has the prediction's length."""
    bleu = load("moses", reference_length="longest")
    prediction = "hello this is my code"
    for references, length in (
        (["hello", "a b c d e f g"], 7),
        (["a b c d e", "a b c d e f g"], 5),
    ):
        assert (
            bleu.compute(predictions=[prediction], references=[references])["reference_length"]
            == length
        )


def without_marks(text):
    """Return tutorial D's tokens, without punctuation also within words."""
    return re.sub(f"[{re.escape(string.punctuation)}]", "", text).split()


@pytest.mark.parametrize(
    ("candidate", "references", "counts"),
    [
        (CANDIDATE_1, REFERENCES, (17, 18)),
        (CANDIDATE_2, REFERENCES, (8, 14)),
        ("the the the the the the the.", ["The cat is on the mat."] * 2, (2, 7)),
    ],
)
def test_d_counts(load, candidate, references, counts):
    bleu = load("papineni", tokenize=without_marks, lowercase=True)
    result = bleu.compute(predictions=[candidate], references=[references])
    assert (result["counts"][0], result["totals"][0]) == counts


def test_d_brevity_penalty(load):
    """exp(-0.5): four words against a shortest reference of six words."""
    bleu = load("hf", tokenize=without_marks, lowercase=True)
    result = bleu.compute(
        predictions=["the the the the."], references=[["The cat is on the mat."] * 2]
    )
    assert result["brevity_penalty"] == math.exp(-0.5)


@pytest.mark.parametrize(
    ("candidate", "references", "score"),
    [
        ("the the the the the the the.", ["The cat is on the mat."] * 2, 2 / 7),
        (CANDIDATE_2, REFERENCES, math.exp(1 - 16 / 14) * (8 / 14 * 1 / 13) ** 0.5),
    ],
)
def test_d_mean_over_the_orders_that_match(load, candidate, references, score):
    """Only unigrams match, or only unigrams and bigrams: their geometric mean, without the other orders."""
    bleu = load(
        "hf", tokenize=without_marks, lowercase=True, smooth_method="skip", effective_order=True
    )
    assert bleu.compute(predictions=[candidate], references=[references])["bleu"] == pytest.approx(
        score, abs=1e-15
    )


def test_e_sentence_and_corpus_calls(lowered):
    """NLTK's two calls."""
    predictions, references = [CANDIDATE_1, CANDIDATE_2], [REFERENCES, REFERENCES]
    tokens = (
        [p.lower().split() for p in predictions],
        [[r.lower().split() for r in row] for row in references],
    )
    result = lowered.compute(predictions=predictions, references=references, segments=True)
    assert result["bleu"] == pytest.approx(nltk_bleu.corpus_bleu(tokens[1], tokens[0]), abs=1e-15)
    sentences = [nltk_bleu.sentence_bleu(row, p) for p, row in zip(*tokens)]
    assert result["segment_bleu"] == pytest.approx(sentences, abs=1e-15)


def test_e_orders_without_a_match_are_factors_of_1(load):
    """The weights of the orders that match stay 1/4."""
    bleu = load("nltk", lowercase=True, smooth_method="skip")
    result = bleu.compute(predictions=[CANDIDATE_2], references=[REFERENCES])
    assert (result["counts"], result["totals"]) == ([8, 1, 0, 0], [14, 13, 12, 11])
    assert result["precisions"] == [8 / 14, 1 / 13, 1, 1]
    assert result["bleu"] == pytest.approx(
        math.exp(1 - 16 / 14) * (8 / 14 * 1 / 13) ** 0.25, abs=1e-15
    )
