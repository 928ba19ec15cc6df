"""`pairwise` and `self_bleu`: by hand, against `compute`, and against sacreBLEU's `sentence_score`."""

import json
import random
import warnings
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bleu.bleu_core.methods import pairwise
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rows import ngrams
from bleu.bleu_core.text.read import read_texts
from bleu.bleu_metric import BleuMetric
from both_ways import run_both_ways
from helpers import OPTION_SETS, examples, random_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# `pairwise`: the matrix of all pairs.


# Predictions, references, options, the matrix, and its source.
PAIRWISE_TABLE = [
    (["a b", "b"], ["a b", "b c"], {"max_order": 1}, [[1, 1 / 2], [np.exp(-1), np.exp(-1)]], "by hand: of b, exp(1 - 2/1)"),
    (["a a a"], ["a a", "a", "a a a a a"], {"max_order": 1}, [[2 / 3, 1 / 3, np.exp(-2 / 3)]], "clipped to the reference's count"),
    (["a b a b"], ["a b", "b a b"], {"max_order": 2}, [[(2 / 4 * 1 / 3) ** 0.5, (3 / 4 * 2 / 3) ** 0.5]], "by hand: ab 1; ab 1, ba 1"),
    (["a"], ["a"], {}, [[1]], "effective order: one token is as right as it can be"),
    (["", "a"], ["", "a"], {}, [[0, 0], [0, 1]], "an empty text scores 0, even against an empty one"),
    (["", " "], ["", "", ""], {}, [[0, 0, 0], [0, 0, 0]], "only empty texts"),
    (["a b"], ["a b"], {"smooth_method": "none", "minimum_total": 1}, [[0]], "NLTK counts a trigram, which isn't there"),
    (["a b c"], ["b c a", "c b a"], {"smooth_method": "none"}, [[0, 0]], "no match at the third order, or at the second"),
    (["A B"], ["a b"], {"lowercase": True}, [[1]], "the same in lower case"),
    (["a b"], ["c d"], {"smooth_method": "laplace"}, [[(1 / 3 * 1 / 2) ** 0.25]], "laplace smooths no match, too"),
    (["x<skipped>y &lt; a-\nb"], ["xy < ab"], {}, [[1]], "what the compiled tokenizer leaves, and what it undoes"),
    (["a b", "a"], None, {"max_order": 1}, [[1, 1 / 2], [np.exp(-1), 1]], "without references, the predictions"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("predictions", "references", "options", "matrix", "source"),
    PAIRWISE_TABLE,
    ids=[row[-1] for row in PAIRWISE_TABLE],
)
def test_pairwise_by_hand(bleu, predictions, references, options, matrix, source):
    np.testing.assert_allclose(
        bleu.pairwise(predictions, references, **options), matrix, rtol=1e-12
    )


SENTENCES = [["the cat sat", "a cat was"], ["it rains", "in the north"]]
TOKENS = [["the", "cat", "sat"], ["it", "rains", "a lot"]]
# Calls with lists of sentences, and the column that the warning names; None: no warning.
TAKEN_FOR_TOKENS = [
    (lambda bleu: bleu.self_bleu(SENTENCES), "texts"),
    (lambda bleu: bleu.self_bleu(tuple(map(tuple, SENTENCES))), "texts"),
    (lambda bleu: bleu.self_bleu(np.array(SENTENCES)), "texts"),
    (lambda bleu: bleu.self_bleu(pa.array(SENTENCES)), "texts"),
    (lambda bleu: bleu.pairwise(SENTENCES), "predictions"),
    (lambda bleu: bleu.pairwise(SENTENCES, TOKENS), "predictions"),
    (lambda bleu: bleu.pairwise(TOKENS, SENTENCES), "references"),
    (lambda bleu: bleu.pairwise(SENTENCES, SENTENCES), "predictions"),
    (lambda bleu: bleu.self_bleu(TOKENS), None),
    (lambda bleu: bleu.pairwise(TOKENS, TOKENS), None),
]


@pytest.mark.parametrize(("call", "column"), TAKEN_FOR_TOKENS)
def test_lists_of_sentences_are_read_as_tokens_with_a_warning(bleu, call, column):
    """The warning is that of `compute`, with the name of the column."""
    with warnings.catch_warnings(record=True) as of_compute:
        warnings.simplefilter("always")
        bleu.compute(predictions=SENTENCES, references=[SENTENCES[:1]] * 2)
    (expected,) = [each.message for each in of_compute if each.message.kind == "sentences"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(bleu)
    found = [str(each.message) for each in caught if each.message.kind == "sentences"]
    wanted = [] if column is None else [str(expected).replace("predictions", column)]
    assert found == wanted


def score_matrix(predictions, references=None, **options):
    named = (
        {"predictions": predictions}
        if references is None
        else {"predictions": predictions, "references": references}
    )
    return run_both_ways(
        lambda: pairwise.score_pairs(read_texts(**named), Options().override(options))
    )


def score_each_pair(bleu, predictions, references, **options):
    """Return the segment score of each pair, by `compute`."""
    pairs = [(prediction, [reference]) for prediction in predictions for reference in references]
    scores = bleu.compute(
        **dict(zip(("predictions", "references"), zip(*pairs))), segments=True, **options
    )
    return np.reshape(scores["segment_bleu"], (len(predictions), len(references)))


def kinds(texts, references):
    """Return the same texts as tokens and as ids."""
    tokens = [[text.split() for text in column] for column in (texts, references)]
    numbers = {}
    ids = [
        [
            [numbers.setdefault(token, len(numbers) ** 7 + 3**20) for token in text]
            for text in column
        ]
        for column in tokens
    ]
    return {"tokens": tokens, "ids": ids}


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_each_entry_is_the_score_of_its_pair(bleu, options):
    predictions, references = random_rows(seed=1, count=30)
    others = [text for row in references for text in row][:41]
    expected = score_each_pair(bleu, predictions, others, **options)
    np.testing.assert_allclose(score_matrix(predictions, others, **options), expected, rtol=1e-12)
    np.testing.assert_allclose(
        bleu.pairwise(predictions, **options),
        score_each_pair(bleu, predictions, predictions, **options),
        rtol=1e-12,
    )


@pytest.mark.parametrize("kind", ["tokens", "ids"])
def test_pairwise_of_tokens_and_ids(bleu, kind):
    predictions, references = random_rows(seed=2, count=30)
    others = [text for row in references for text in row]
    expected = bleu.pairwise(predictions, others, tokenize="none")
    np.testing.assert_array_equal(score_matrix(*kinds(predictions, others)[kind]), expected)
    tokens = kinds(predictions, others)["tokens"]
    lowered = score_each_pair(bleu, *tokens, lowercase=True)
    np.testing.assert_allclose(score_matrix(*tokens, lowercase=True), lowered, rtol=1e-12)


def test_each_entry_is_sacrebleus_sentence_score(bleu):
    predictions, references = random_rows(seed=3, count=40)
    others, metric = [row[0] for row in references][:25], BLEU(effective_order=True)
    expected = [
        [metric.sentence_score(one, [other]).score for other in others] for one in predictions
    ]
    np.testing.assert_allclose(100 * bleu.pairwise(predictions, others), expected, atol=1e-9)


@settings(max_examples=examples(100))
@given(
    predictions=st.lists(st.text("ab \n<-&", max_size=12), min_size=1, max_size=5),
    references=st.lists(st.text("ab \n<-&", max_size=12), min_size=1, max_size=5),
    options=st.sampled_from(OPTION_SETS),
)
def test_pairwise_of_any_texts(predictions, references, options):
    expected = score_each_pair(BleuMetric(), predictions, references, **options)
    np.testing.assert_allclose(
        score_matrix(predictions, references, **options), expected, rtol=1e-12
    )


def test_the_size_of_blocks_does_not_change_the_matrix():
    """Blocks of any size, down to one n-gram or pair, have the same result; long texts among short ones."""
    generator = random.Random(4)
    texts = [
        " ".join(generator.choices("abc", k=generator.choice((0, 1, 5, 70, 300))))
        for _ in range(40)
    ]
    expected = score_matrix(texts, texts[:30])
    for size in (1, 7, 64, 10**6):
        with (
            mock.patch.object(ngrams, "_NGRAMS_PER_SORT", size),
            mock.patch.object(pairwise, "_PAIRS_PER_BATCH", size),
        ):
            np.testing.assert_array_equal(score_matrix(texts, texts[:30]), expected)


def test_a_text_has_the_same_row_and_column_at_any_place(bleu):
    texts = random_rows(seed=5, count=40)[0]
    order = np.random.default_rng(0).permutation(80) % 40
    shuffled = [texts[i] for i in order]
    np.testing.assert_array_equal(
        bleu.pairwise(shuffled), bleu.pairwise(texts)[np.ix_(order, order)]
    )


def test_containers(bleu):
    texts = ["a b c d", "a b c", ""]
    expected = bleu.pairwise(texts)
    for column in (
        tuple(texts),
        np.array(texts),
        pa.array(texts),
        pa.chunked_array([texts[:1], [], texts[1:]]),
    ):
        np.testing.assert_array_equal(bleu.pairwise(column), expected)
        np.testing.assert_array_equal(bleu.pairwise(texts, column), expected)
    assert (
        bleu.pairwise([[], ["a"]], [[]]).tolist()
        == bleu.pairwise([[], [1]], [[]]).tolist()
        == [[0], [0]]
    )
    assert bleu.pairwise([[]], [[7]]).tolist() == [[0]]


def test_minimum_bayes_risk(bleu):
    samples = ["the cat sat there", "the cat sat here", "a dog sat here"]
    weights = np.array([0.2, 0.2, 0.6])
    assert samples[(bleu.pairwise(samples) @ weights).argmax()] == "a dog sat here"
    assert samples[bleu.pairwise(samples).mean(axis=1).argmax()] == "the cat sat here"


PAIRWISE_ERRORS = [
    (([],), {}, ValueError, "predictions: expected one item or more, got 0"),
    ((["a"], []), {}, ValueError, "references: expected one item or more, got 0"),
    ((["a", None],), {}, ValueError, r"predictions\[1\]: .*got None.*for an empty prediction"),
    ((["a"], ["a", None]), {}, ValueError, r"references\[1\]: .*got None.*for an empty reference"),
    ((["a", 1],), {}, TypeError, r"predictions\[1\]: .*got int"),
    ((["a"], ["a", b"b"]), {}, TypeError, r"references\[1\]: expected a str, a list of.*got bytes"),
    ((["a"], "a"), {}, TypeError, "references: expected a list, array or Series with one item per segment, got str"),
    ((["a"], [["a"]]), {}, TypeError, r"references\[0\]: expected str like the predictions, got a list of str"),
    (([["a"]], [[1]]), {}, TypeError, r"references\[0\]: expected a list of str like the predictions, got a list of int"),
    (([["a"]], [[["a"]]]), {}, TypeError, r"references\[0\]: .*got a list of lists of str, nested too deep"),
    (([["a"], ["b", None]],), {}, TypeError, r"predictions\[1\]: .*got None among the tokens"),
    ((["a"], ["b", "\ud800"]), {}, ValueError, r"references\[1\]: .*got a lone surrogate"),
    (([["a"]],), {"tokenize": "13a"}, ValueError, "tokenize='13a': these rows are tokens already"),
    (([[1]],), {"lowercase": True}, ValueError, "token ids have no case"),
    ((["a"],), {"smooth": True}, TypeError, "write `smooth_method"),
    ((["a"],), {"segments": True}, TypeError, "`segments` is not an option of"),
    ((["a"],), {"confidence": 0.95}, TypeError, "`confidence` is not an option of"),
    ((["a"],), {"n_resamples": 10}, TypeError, "`n_resamples` is not an option of"),
    ((["a"],), {"seed": 1}, TypeError, "`seed` is not an option of"),
    ((["a"], ["b", "c"]), {"tokenize": lambda text: [text][text == "c" :][0].split()}, ValueError, r"references\[1\]: the tokenizer failed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    PAIRWISE_ERRORS,
    ids=[row[-1] for row in PAIRWISE_ERRORS],
)
def test_pairwise_errors(bleu, columns, options, error, message):
    with pytest.raises(error, match=message):
        bleu.pairwise(*columns, **options)


# `self_bleu`: each text against all the others.


# Texts, options, the score of each text, and its source.
SELF_BLEU_TABLE = [
    (["a b", "a b"], {}, [1, 1], "an equal copy counts"),
    (["a b", "a b", "c"], {}, [1, 1, 0], "and what is in no other text scores 0"),
    (["a a b", "a b b"], {"max_order": 1}, [2 / 3, 2 / 3], "the second a is in the first only: clipped"),
    (["a a", "a a", "a"], {"max_order": 1}, [1, 1, np.exp(1 - 2 / 1)], "the second a is in another text too"),
    (["a b c", "a x", "y b c"], {"max_order": 2, "smooth_method": "none"}, [(3 / 3 * 1 / 2) ** 0.5, 0, (2 / 3 * 1 / 2) ** 0.5], "from more than one"),
    (["a b", "a b c d", "a"], {"max_order": 1}, [1, 2 / 4, np.exp(1 - 2 / 1)], "lengths 1 (of 1 and 4 the nearer), 2, 2"),
    (["a b c", "a b", "c a b d"], {"max_order": 1}, [1, np.exp(1 - 3 / 2), 3 / 4], "of 2 and 4 the shorter"),
    (["a b c", "a b", "c a b d"], {"max_order": 1, "reference_length": "longest"}, [np.exp(1 - 4 / 3), np.exp(1 - 4 / 2), 3 / 4], "of 4 the longest other"),
    (["a", "a", "a b"], {"max_order": 1, "reference_length": "longest"}, [1, 1, 1 / 2], "an exact length is never penalized"),
    (["a", "b a", "a b c"], {"max_order": 1, "reference_length": "shortest"}, [np.exp(1 - 2 / 1), 1, 2 / 3], "the shortest other"),
    (["a"] * 4, {}, [1] * 4, "all of them equal"),
    (["", "", "a"], {}, [0, 0, 0], "empty texts score 0"),
    (["", " "], {}, [0, 0], "only empty texts"),
    (["x<skipped>y", "xy"], {}, [1, 1], "what the compiled tokenizer leaves"),
    (["A", "a"], {"lowercase": True}, [1, 1], "the same in lower case"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "options", "scores", "source"),
    SELF_BLEU_TABLE,
    ids=[row[-1] for row in SELF_BLEU_TABLE],
)
def test_self_bleu_by_hand(bleu, texts, options, scores, source):
    answer = bleu.self_bleu(texts, **options)
    np.testing.assert_allclose(answer["segment_bleu"], scores, rtol=1e-12)
    assert answer["self_bleu"] == pytest.approx(np.mean(scores), rel=1e-12)


def score_texts(texts, **options):
    return run_both_ways(
        lambda: pairwise.score_against_others(read_texts(texts=texts), Options().override(options))[
            "segment_bleu"
        ]
    )


def score_each_text(bleu, texts, **options):
    """Return the score of each text with all the others as its references, by `compute`."""
    others = [[*texts[:i], *texts[i + 1 :]] for i in range(len(texts))]
    return bleu.compute(predictions=texts, references=others, segments=True, **options)[
        "segment_bleu"
    ]


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_each_score_is_that_of_the_definition(bleu, options):
    predictions, references = random_rows(seed=6, count=30)
    texts = [*predictions, *(row[0] for row in references)]
    expected = score_each_text(bleu, texts, **options)
    np.testing.assert_allclose(score_texts(texts, **options), expected, rtol=1e-12)
    np.testing.assert_array_equal(
        bleu.self_bleu(texts, **options)["segment_bleu"], score_texts(texts, **options)
    )


@pytest.mark.parametrize("lowercase", [False, True])
def test_self_bleu_of_tokens_and_ids(bleu, lowercase):
    texts = random_rows(seed=7, count=60)[0]
    tokens = [text.split() for text in texts]
    expected = score_each_text(bleu, tokens, lowercase=lowercase)
    np.testing.assert_allclose(score_texts(tokens, lowercase=lowercase), expected, rtol=1e-12)
    numbers = {}
    ids = [
        [numbers.setdefault(token.lower() if lowercase else token, len(numbers)) for token in text]
        for text in tokens
    ]
    np.testing.assert_allclose(score_texts(ids), expected, rtol=1e-12)


def test_each_score_is_sacrebleus_sentence_score(bleu):
    texts, metric = random_rows(seed=8, count=60)[0], BLEU(effective_order=True)
    expected = [
        metric.sentence_score(text, [*texts[:i], *texts[i + 1 :]]).score
        for i, text in enumerate(texts)
    ]
    np.testing.assert_allclose(
        100 * np.array(bleu.self_bleu(texts)["segment_bleu"]), expected, atol=1e-9
    )


@settings(max_examples=examples(150))
@given(
    texts=st.lists(st.text("ab \n<-&", max_size=12), min_size=2, max_size=7),
    options=st.sampled_from(OPTION_SETS),
)
def test_self_bleu_of_any_texts(texts, options):
    expected = score_each_text(BleuMetric(), texts, **options)
    np.testing.assert_allclose(score_texts(texts, **options), expected, rtol=1e-12)


@pytest.mark.parametrize("reference_length", ["closest", "shortest", "longest"])
def test_self_bleu_of_any_lengths(reference_length):
    """Texts of a single repeated token, so that only lengths decide."""
    generator = random.Random(reference_length)
    for _ in range(100):
        longest = generator.choice((1, 3, 12))
        texts = [[7] * generator.randrange(longest + 1) for _ in range(generator.randrange(2, 8))]
        options = {"max_order": 1, "reference_length": reference_length}
        np.testing.assert_allclose(
            score_texts(texts, **options),
            score_each_text(BleuMetric(), texts, **options),
            rtol=1e-12,
        )


def test_the_size_of_blocks_does_not_change_self_bleu():
    texts = random_rows(seed=9, count=100)[0]
    expected = score_texts(texts)
    for size in (1, 7, 64, 10**6):
        with mock.patch.object(ngrams, "_NGRAMS_PER_SORT", size):
            np.testing.assert_array_equal(score_texts(texts), expected)


@pytest.mark.parametrize("size", [1, 100])
def test_ngrams_are_numbered_without_a_gap(size):
    """Of the texts 0 1, 2 and 3 4 the second tokens begin no bigram, and neither does the 2."""
    texts = ngrams.NumberedTexts(np.arange(5), np.array([0, 2, 3, 5]), tokens=pa.array(range(5)))
    with mock.patch.object(ngrams, "_NGRAMS_PER_SORT", size):
        unigrams, bigrams = texts.ngrams(max_order=2)
    assert (sorted(unigrams[1]), sorted(bigrams[1])) == ([0, 1, 2, 3, 4], [0, 1])
    assert (sorted(unigrams[0]), sorted(bigrams[0])) == ([0, 0, 1, 2, 2], [0, 2])


def test_more_ngrams_than_are_sorted_at_a_time(bleu):
    """Known by construction: each sentence of five words twice, and a unique word between the two."""
    sentences = [" ".join(f"w{i}.{k}" for k in range(5)) for i in range(10_000)]
    texts = [f"{sentence} {i} {sentence}" for i, sentence in enumerate(sentences)] * 2
    assert set(bleu.self_bleu(texts, tokenize="none")["segment_bleu"]) == {1.0}
    alone = bleu.self_bleu([*sentences, *sentences[::2]], tokenize="none")["segment_bleu"]
    assert alone[:10_000] == [1.0, 0.0] * 5_000


def test_keys_of_more_than_sixteen_bits_are_sorted():
    keys = np.random.default_rng(0).integers(0, 1 << np.arange(1, 63).repeat(20))
    np.testing.assert_array_equal(ngrams.sorted_order(keys), np.argsort(keys, kind="stable"))


def test_self_bleu_result(bleu, load):
    answer = bleu.self_bleu(["a b", "a b", "b"])
    assert list(answer) == ["self_bleu", "segment_bleu", "signature"]
    assert json.loads(json.dumps(answer)) == answer
    assert answer["signature"].startswith(
        "nrefs:2|case:mixed|eff:yes|tok:13a|smooth:exp|version:bleu_metric-"
    )
    assert "|tok:ids|" in bleu.self_bleu([[1], [2]])["signature"]
    assert load("nltk").self_bleu(["a", "a"])["segment_bleu"] == [0, 0], (
        "NLTK counts a bigram, which isn't there"
    )


def test_self_bleu_as_a_table(bleu):
    """The second "b" of the last text is in no other text: 1, 1 and 1/2."""
    answer = bleu.self_bleu(["a b", "a b", "b b"], max_order=1)
    assert answer._rows() == [
        ["texts", "self-BLEU", "lowest", "median", "highest"],
        ["3", "83.33", "50.00", "100.00", "100.00"],
    ]
    assert answer._records() == [
        {"text": 0, "bleu": 1.0},
        {"text": 1, "bleu": 1.0},
        {"text": 2, "bleu": 0.5},
    ]
    assert answer.to_markdown().endswith(f"\n\n`{answer['signature']}`")


def test_self_bleu_takes_options_from_load(load):
    texts = ["A b", "a B"]
    bleu = load(lowercase=True, segments=True, confidence=0.9)
    assert bleu.self_bleu(texts)["segment_bleu"] == [1, 1]
    assert bleu.self_bleu(texts, lowercase=False)["segment_bleu"] == [0, 0]


# `self_bleu` against a set of references, and by label: `compute` is asked for each number.


def score_with_set(bleu, texts, against, **options):
    """Return the scores of texts with one set of references in each row, by `compute`."""
    rows = [against] * len(texts)
    return bleu.compute(predictions=texts, references=rows, segments=True, **options)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_scores_against_a_set_are_those_of_compute(options):
    """To the last digit, in both implementations."""
    predictions, references = random_rows(seed=10, count=40)
    against = [row[0] for row in references[:25]]
    metric = BleuMetric()
    expected = score_with_set(metric, predictions, against, **options)
    found = run_both_ways(
        lambda: metric.self_bleu(predictions, against=against, **options)["segment_bleu"]
    )
    np.testing.assert_array_equal(found, expected["segment_bleu"])
    answer = metric.self_bleu(predictions, against=against, **options)
    assert answer["self_bleu"] == expected["mean_segment_bleu"]
    assert answer["signature"].startswith("nrefs:25|")


@settings(max_examples=examples(150))
@given(
    texts=st.lists(st.text("ab \n<-&", max_size=12), min_size=1, max_size=5),
    against=st.lists(st.text("ab \n<-&", max_size=12) | st.none(), min_size=1, max_size=5).filter(any),
    options=st.sampled_from(OPTION_SETS),
)  # fmt: skip
def test_scores_against_any_set(texts, against, options):
    """A reference that is None is absent."""
    expected = score_with_set(BleuMetric(), texts, against, **options)
    found = BleuMetric().self_bleu(texts, against=against, **options)
    assert found["segment_bleu"] == expected["segment_bleu"]
    assert found["self_bleu"] == expected["mean_segment_bleu"]


@pytest.mark.parametrize("kind", ["tokens", "ids"])
@pytest.mark.parametrize("container", [list, tuple, iter, pd.Series, pa.array, pl.Series])
def test_a_set_in_any_container(bleu, kind, container):
    texts = [[1, 2, 3, 4, 5], [2, 3], [9]]
    against = [[1, 2, 3, 4, 4], [2, 3, 9, 9], [5]]
    if kind == "tokens":
        texts = [list(map(str, text)) for text in texts]
        against = [list(map(str, text)) for text in against]
    expected = score_with_set(bleu, texts, against)
    found = bleu.self_bleu(container(texts), against=container(against))
    assert found["segment_bleu"] == expected["segment_bleu"]


def test_a_set_is_sacrebleus_references(bleu):
    """sacreBLEU scores each sentence with all references."""
    predictions, references = random_rows(seed=11, count=20)
    against = [row[0] for row in references]
    metric = BLEU(effective_order=True)
    theirs = [metric.sentence_score(text, against).score for text in predictions]
    found = bleu.self_bleu(predictions, against=against)["segment_bleu"]
    np.testing.assert_allclose(100 * np.array(found), theirs, atol=1e-9)


def make_labels(texts):
    """Return labels that are not adjacent: the first two texts have one, then three, then four."""
    sizes = [2, 3, 4, 5]
    labels = [label for label, size in zip(["a", None, 7, "b"], sizes) for _ in range(size)]
    random.Random(0).shuffle(labels)
    return labels, texts[: len(labels)]


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_each_label_is_scored_alone(bleu, options):
    """To the last digit; the mean is over labels, whatever their size."""
    predictions, references = random_rows(seed=12, count=30)
    labels, texts = make_labels([*predictions[:7], *(row[0] for row in references[:7])])
    answer = bleu.self_bleu(texts, by=labels, **options)
    assert list(answer["groups"]) == list(dict.fromkeys(labels))
    means = []
    for label, group in answer["groups"].items():
        rows = [row for row, other in enumerate(labels) if other == label]
        expected = score_each_text(bleu, [texts[row] for row in rows], **options)
        assert group["segment_bleu"] == expected
        assert [answer["segment_bleu"][row] for row in rows] == expected
        assert group == bleu.self_bleu([texts[row] for row in rows], **options)
        means.append(np.mean(expected))
    assert answer["self_bleu"] == np.mean(means)
    assert answer["signature"].startswith("nrefs:var|")
    assert json.loads(json.dumps(answer["segment_bleu"])) == answer["segment_bleu"]


@settings(max_examples=examples(100))
@given(
    rows=st.lists(st.tuples(st.text("ab ", max_size=8), st.booleans()), min_size=4, max_size=9),
    options=st.sampled_from(OPTION_SETS),
)
def test_labels_of_any_texts(rows, options):
    texts, labels = map(list, zip(*[*rows, ("a", True), ("b", True), ("a", False), ("", False)]))
    found = BleuMetric().self_bleu(texts, by=labels, **options)["segment_bleu"]
    for label in (True, False):
        of_label = [row for row, other in enumerate(labels) if other == label]
        expected = score_each_text(BleuMetric(), [texts[row] for row in of_label], **options)
        assert [found[row] for row in of_label] == expected


def test_labels_as_a_table(bleu):
    """Within "x", one of two words is shared; a label may be called like the last row."""
    answer = bleu.self_bleu(
        ["a b", "a c", "d", "d"], by=["x", "x", "mean of the groups", "mean of the groups"], max_order=1
    )  # fmt: skip
    assert answer._rows() == [
        ["group", "texts", "self-BLEU", "lowest", "median", "highest"],
        ["x", "2", "50.00", "50.00", "50.00", "50.00"],
        ["'mean of the groups'", "2", "100.00", "100.00", "100.00", "100.00"],
        [],
        ["mean of the groups", "4", "75.00", "50.00", "75.00", "100.00"],
    ]
    assert answer._records()[0] == {"group": "x", "texts": 2, "self_bleu": 0.5}
    with pytest.raises(KeyError, match="pass by=labels to get it"):
        bleu.self_bleu(["a", "b"])["groups"]


SELF_BLEU_ERRORS = [
    (["a", "b", "c"], {"by": ["x", "x", "y"]}, ValueError, r"by: the label 'y' has one text, texts\[2\]"),
    (["a", "b"], {"by": ["x"]}, ValueError, "by: got 1 label for 2 texts. Pass one label per text"),
    (["a", "b"], {"by": [1, "1"]}, ValueError, "by: the labels 1 and '1' would be one key in JSON"),
    (["a", "b"], {"by": ["x", "x"], "against": ["a"]}, TypeError, "Pass one of the two"),
    (["a", "b"], {"by": ["x", "x"], "tokenize": {"x": "zh"}}, ValueError, "or pass one tokenizer"),
    (["a"], {"against": []}, ValueError, "against: expected one item or more, got 0"),
    (["a"], {"against": [None]}, ValueError, "against: expected one item or more, got 0"),
    (["a"], {"against": "b"}, TypeError, r"against: expected a list.*got str.*\[text\]"),
    (["a"], {"against": [["b"]]}, TypeError, r"against\[0\]: expected str like the texts, got a list of str"),
    ([], {"against": ["b"]}, ValueError, "texts: expected one item or more, got 0"),
    (["a"], {"against": ["b", 1.5]}, TypeError, r"against\[1\]: .*got float"),
    ([[1]], {"against": [[1], [-100]]}, ValueError, r"against\[1\]: got the token id -100"),
    (["a"], {"against": ["b"], "tokenize": lambda text: [text][text == "b" :][0].split()}, ValueError, r"against\[0\]: the tokenizer failed"),
    ([], {}, ValueError, "texts: expected one item or more, got 0"),
    (["a"], {}, ValueError, "texts: expected at least two texts, got 1"),
    (["a", None], {}, ValueError, r"texts\[1\]: .*got None.*for an empty text"),
    (["a", 1.5], {}, TypeError, r"texts\[1\]: .*got float"),
    ("a", {}, TypeError, "texts: expected a list, array or Series with one item per segment, got str"),
    ([["a"], "a"], {}, TypeError, r"texts\[1\]: .*got str after a list of str"),
    ([[["a"]], [["a"]]], {}, TypeError, r"texts\[0\]: .*got a list of lists of str, nested too deep"),
    ([["a"], ["a"]], {"tokenize": "none"}, ValueError, "tokenize='none': these rows are tokens already"),
    ([[1], [1]], {"lowercase": True}, ValueError, "token ids have no case"),
    (["a", "b"], {"smooth": True}, TypeError, "write `smooth_method='laplace'`"),
    (["a", "b"], {"seed": None}, TypeError, "`seed` is not an option of"),
    (["a", "b"], {"segments": False}, TypeError, "`segments` is not an option of"),
    (["a", "b"], {"tokenize": lambda text: text}, TypeError, r"texts\[0\]: expected a list of str from the tokenizer"),
]  # fmt: skip


MANY_TOKENS = " ".join(f"w{i}" for i in range(40_000))


@pytest.mark.parametrize(
    ("method", "columns", "place"),
    [
        ("self_bleu", (["a", MANY_TOKENS],), r"texts\[1\]"),
        ("pairwise", (["a", MANY_TOKENS],), r"predictions\[1\]"),
        ("pairwise", (["a"], ["b", "c", MANY_TOKENS]), r"references\[2\]"),
    ],
    ids=["self_bleu", "pairwise", "pairwise, references"],
)
def test_orders_that_would_fill_the_memory_are_rejected(bleu, method, columns, place):
    message = place + ": to count the n-grams of its 40,000 tokens with max_order=5,000 takes more"
    with pytest.raises(ValueError, match=message):
        getattr(bleu, method)(*columns, max_order=5_000)
    assert getattr(bleu, method)(*columns, max_order=5) is not None


@pytest.mark.parametrize(
    ("texts", "options", "error", "message"),
    SELF_BLEU_ERRORS,
    ids=[row[-1] for row in SELF_BLEU_ERRORS],
)
def test_self_bleu_errors(bleu, texts, options, error, message):
    with pytest.raises(error, match=message):
        bleu.self_bleu(texts, **options)
