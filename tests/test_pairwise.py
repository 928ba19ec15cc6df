"""The matrix of all pairs: by hand, against `compute` of each pair, and against sacreBLEU's `sentence_score`."""

import random
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from bleu import bleu_pairwise, bleu_vocabulary
from bleu.bleu_inputs import read_texts
from bleu.bleu_metric import BleuMetric
from bleu.bleu_options import Options
from helpers import OPTION_SETS, random_rows, run_both_ways
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# predictions, references, options, the matrix, where it comes from
TABLE = [
    (["a b", "b"], ["a b", "b c"], {"max_order": 1}, [[1, 1 / 2], [np.exp(-1), np.exp(-1)]], "by hand: of b, exp(1 - 2/1)"),
    (["a a a"], ["a a", "a", "a a a a a"], {"max_order": 1}, [[2 / 3, 1 / 3, np.exp(-2 / 3)]], "clipped to the reference's count"),
    (["a b a b"], ["a b", "b a b"], {"max_order": 2}, [[(2 / 4 * 1 / 3) ** 0.5, (3 / 4 * 2 / 3) ** 0.5]], "by hand: ab 1; ab 1, ba 1"),
    (["a"], ["a"], {}, [[1]], "effective order: one token is as right as it can be"),
    (["", "a"], ["", "a"], {}, [[0, 0], [0, 1]], "an empty text scores 0, even against an empty one"),
    (["", " "], ["", "", ""], {}, [[0, 0, 0], [0, 0, 0]], "nothing but empty texts"),
    (["a b"], ["a b"], {"smooth_method": "none", "minimum_total": 1}, [[0]], "NLTK counts a trigram, which isn't there"),
    (["a b c"], ["b c a", "c b a"], {"smooth_method": "none"}, [[0, 0]], "no match at the third order, or at the second"),
    (["A B"], ["a b"], {"lowercase": True}, [[1]], "the same in lower case"),
    (["a b"], ["c d"], {"smooth_method": "laplace"}, [[(1 / 3 * 1 / 2) ** 0.25]], "laplace smooths no match, too"),
    (["x<skipped>y &lt; a-\nb"], ["xy < ab"], {}, [[1]], "what the compiled tokenizer leaves, and what it undoes"),
    (["a b", "a"], None, {"max_order": 1}, [[1, 1 / 2], [np.exp(-1), 1]], "without references, the predictions"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("predictions", "references", "options", "matrix", "source"), TABLE, ids=[row[-1] for row in TABLE]
)
def test_table(bleu, predictions, references, options, matrix, source):
    np.testing.assert_allclose(bleu.pairwise(predictions, references, **options), matrix, rtol=1e-12)


def matrix(predictions, references=None, **options):
    named = (
        {"predictions": predictions} if references is None else {"predictions": predictions, "references": references}
    )
    return run_both_ways(lambda: bleu_pairwise.score_pairs(read_texts(**named), Options().override(options)))


def one_by_one(bleu, predictions, references, **options):
    """The definition: the segment score of each pair."""
    pairs = [(prediction, [reference]) for prediction in predictions for reference in references]
    scores = bleu.compute(**dict(zip(("predictions", "references"), zip(*pairs))), segments=True, **options)
    return np.reshape(scores["segment_bleu"], (len(predictions), len(references)))


def kinds(texts, references):
    """The same texts as tokens and as ids."""
    tokens = [[text.split() for text in column] for column in (texts, references)]
    numbers = {}
    ids = [
        [[numbers.setdefault(token, len(numbers) ** 7 + 3**20) for token in text] for text in column]
        for column in tokens
    ]
    return {"tokens": tokens, "ids": ids}


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_each_entry_is_the_score_of_its_pair(bleu, options):
    predictions, references = random_rows(seed=1, count=30)
    others = [text for row in references for text in row][:41]
    expected = one_by_one(bleu, predictions, others, **options)
    np.testing.assert_allclose(matrix(predictions, others, **options), expected, rtol=1e-12)
    np.testing.assert_allclose(
        bleu.pairwise(predictions, **options), one_by_one(bleu, predictions, predictions, **options), rtol=1e-12
    )


@pytest.mark.parametrize("kind", ["tokens", "ids"])
def test_tokens_and_ids_have_the_scores_of_their_text(bleu, kind):
    predictions, references = random_rows(seed=2, count=30)
    others = [text for row in references for text in row]
    expected = bleu.pairwise(predictions, others, tokenize="none")
    np.testing.assert_array_equal(matrix(*kinds(predictions, others)[kind]), expected)
    tokens = kinds(predictions, others)["tokens"]
    lowered = one_by_one(bleu, *tokens, lowercase=True)
    np.testing.assert_allclose(matrix(*tokens, lowercase=True), lowered, rtol=1e-12)


def test_each_entry_is_sacrebleus_sentence_score(bleu):
    predictions, references = random_rows(seed=3, count=40)
    others, metric = [row[0] for row in references][:25], BLEU(effective_order=True)
    expected = [[metric.sentence_score(one, [other]).score for other in others] for one in predictions]
    np.testing.assert_allclose(100 * bleu.pairwise(predictions, others), expected, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(
    predictions=st.lists(st.text("ab \n<-&", max_size=12), min_size=1, max_size=5),
    references=st.lists(st.text("ab \n<-&", max_size=12), min_size=1, max_size=5),
    options=st.sampled_from(OPTION_SETS),
)
def test_any_texts(predictions, references, options):
    expected = one_by_one(BleuMetric(), predictions, references, **options)
    np.testing.assert_allclose(matrix(predictions, references, **options), expected, rtol=1e-12)


def test_cuts_into_blocks_dont_show():
    """However many n-grams are sorted and pairs counted at a time, down to one, and long texts among short ones."""
    generator = random.Random(4)
    texts = [" ".join(generator.choices("abc", k=generator.choice((0, 1, 5, 70, 300)))) for _ in range(40)]
    expected = matrix(texts, texts[:30])
    for at_once in (1, 7, 64, 10**6):
        with (
            mock.patch.object(bleu_pairwise, "_AT_ONCE", at_once),
            mock.patch.object(bleu_vocabulary, "_AT_ONCE", at_once),
        ):
            np.testing.assert_array_equal(matrix(texts, texts[:30]), expected)


def test_a_text_has_the_same_row_and_column_wherever_it_stands(bleu):
    texts = random_rows(seed=5, count=40)[0]
    order = np.random.default_rng(0).permutation(80) % 40
    shuffled = [texts[i] for i in order]
    np.testing.assert_array_equal(bleu.pairwise(shuffled), bleu.pairwise(texts)[np.ix_(order, order)])


def test_containers(bleu):
    texts = ["a b c d", "a b c", ""]
    expected = bleu.pairwise(texts)
    for column in (tuple(texts), np.array(texts), pa.array(texts), pa.chunked_array([texts[:1], [], texts[1:]])):
        np.testing.assert_array_equal(bleu.pairwise(column), expected)
        np.testing.assert_array_equal(bleu.pairwise(texts, column), expected)
    assert bleu.pairwise([[], ["a"]], [[]]).tolist() == bleu.pairwise([[], [1]], [[]]).tolist() == [[0], [0]]
    assert bleu.pairwise([[]], [[7]]).tolist() == [[0]]


def test_minimum_bayes_risk(bleu):
    samples = ["the cat sat there", "the cat sat here", "a dog sat here"]
    weights = np.array([0.2, 0.2, 0.6])
    assert samples[(bleu.pairwise(samples) @ weights).argmax()] == "a dog sat here"
    assert samples[bleu.pairwise(samples).mean(axis=1).argmax()] == "the cat sat here"


ERRORS = [
    (([],), {}, ValueError, "nothing to score: no predictions"),
    ((["a"], []), {}, ValueError, "nothing to score: no references"),
    ((["a", None],), {}, ValueError, "predictions, row 1: found None.*an empty prediction is ''"),
    ((["a"], ["a", None]), {}, ValueError, "references, row 1: found None.*an empty reference is ''"),
    ((["a", 1],), {}, TypeError, "predictions, row 1: found int"),
    ((["a"], ["a", b"b"]), {}, TypeError, "references, row 1: found bytes.*Each row is a str, a list of"),
    ((["a"], "a"), {}, TypeError, "references: found str. Give a list"),
    ((["a"], [["a"]]), {}, TypeError, "references, row 0: found a list of str. Each row is str, as the predictions are"),
    (([["a"]], [[1]]), {}, TypeError, "references, row 0: found a list of int. Each row is a list of str, as"),
    (([["a"]], [[["a"]]]), {}, TypeError, "references, row 0: found a list of lists of str, nested too deep"),
    (([["a"], ["b", None]],), {}, TypeError, "predictions, row 1: found None among the tokens"),
    ((["a"], ["b", "\ud800"]), {}, ValueError, "references, row 1: found half of a surrogate pair"),
    (([["a"]],), {"tokenize": "13a"}, ValueError, "tokenize='13a', but these rows are tokens"),
    (([[1]],), {"lowercase": True}, ValueError, "token ids have no case"),
    ((["a"],), {"smooth": True}, TypeError, "write `smooth_method"),
    ((["a"],), {"segments": True}, ValueError, "segments .* leave it out"),
    ((["a"],), {"confidence": 0.95}, ValueError, "confidence .* leave it out"),
    ((["a"],), {"n_resamples": 10}, ValueError, "n_resamples .* leave it out"),
    ((["a"],), {"seed": 1}, ValueError, "seed .* leave it out"),
    ((["a"], ["b", "c"]), {"tokenize": lambda text: [text][text == "c" :][0].split()}, ValueError, "references, row 1: the tokenizer failed"),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "options", "error", "message"), ERRORS, ids=[row[-1] for row in ERRORS])
def test_errors(bleu, columns, options, error, message):
    with pytest.raises(error, match=message):
        bleu.pairwise(*columns, **options)
