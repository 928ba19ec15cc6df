"""Each text against all the others: by hand, against `compute`, and against sacreBLEU's `sentence_score`."""

import json
import random
from unittest import mock

import numpy as np
import pytest
from bleu import bleu_self_bleu, bleu_vocabulary
from bleu.bleu_inputs import read_texts
from bleu.bleu_metric import BleuMetric
from bleu.bleu_options import Options
from helpers import OPTION_SETS, random_rows, run_both_ways
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# texts, options, the score of each, where it comes from
TABLE = [
    (["a b", "a b"], {}, [1, 1], "an equal copy counts"),
    (["a b", "a b", "c"], {}, [1, 1, 0], "and what is in no other text scores 0"),
    (["a a b", "a b b"], {"max_order": 1}, [2 / 3, 2 / 3], "the second a is in the first only: clipped"),
    (["a a", "a a", "a"], {"max_order": 1}, [1, 1, np.exp(1 - 2 / 1)], "the second a is in another text too"),
    (["a b c", "a x", "y b c"], {"max_order": 2, "smooth_method": "none"}, [(3 / 3 * 1 / 2) ** 0.5, 0, (2 / 3 * 1 / 2) ** 0.5], "from more than one"),
    (["a b", "a b c d", "a"], {"max_order": 1}, [1, 2 / 4, np.exp(1 - 2 / 1)], "lengths 1 (of 1 and 4 the nearer), 2, 2"),
    (["a b c", "a b", "c a b d"], {"max_order": 1}, [1, np.exp(1 - 3 / 2), 3 / 4], "of 2 and 4 the shorter"),
    (["a b c", "a b", "c a b d"], {"max_order": 1, "reference_length": "longest"}, [np.exp(1 - 4 / 3), np.exp(1 - 4 / 2), 3 / 4], "of 4 the longest other"),
    (["a", "a", "a b"], {"max_order": 1, "reference_length": "longest"}, [1, 1, 1 / 2], "an exact length is never penalised"),
    (["a", "b a", "a b c"], {"max_order": 1, "reference_length": "shortest"}, [np.exp(1 - 2 / 1), 1, 2 / 3], "the shortest other"),
    (["a"] * 4, {}, [1] * 4, "all of them equal"),
    (["", "", "a"], {}, [0, 0, 0], "empty texts score 0"),
    (["", " "], {}, [0, 0], "nothing but empty texts"),
    (["x<skipped>y", "xy"], {}, [1, 1], "what the compiled tokenizer leaves"),
    (["A", "a"], {"lowercase": True}, [1, 1], "the same in lower case"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "options", "scores", "source"), TABLE, ids=[row[-1] for row in TABLE])
def test_table(bleu, texts, options, scores, source):
    answer = bleu.self_bleu(texts, **options)
    np.testing.assert_allclose(answer["segment_bleu"], scores, rtol=1e-12)
    assert answer["self_bleu"] == pytest.approx(np.mean(scores), rel=1e-12)


def self_bleu(texts, **options):
    return run_both_ways(
        lambda: bleu_self_bleu.score_against_others(read_texts(texts=texts), Options().override(options))[
            "segment_bleu"
        ]
    )


def one_by_one(bleu, texts, **options):
    """The definition: each text as a prediction, all the others as its references."""
    others = [[*texts[:i], *texts[i + 1 :]] for i in range(len(texts))]
    return bleu.compute(predictions=texts, references=others, segments=True, **options)["segment_bleu"]


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_each_score_is_that_of_the_definition(bleu, options):
    predictions, references = random_rows(seed=6, count=30)
    texts = [*predictions, *(row[0] for row in references)]
    expected = one_by_one(bleu, texts, **options)
    np.testing.assert_allclose(self_bleu(texts, **options), expected, rtol=1e-12)
    np.testing.assert_array_equal(bleu.self_bleu(texts, **options)["segment_bleu"], self_bleu(texts, **options))


@pytest.mark.parametrize("lowercase", [False, True])
def test_tokens_and_ids_have_the_scores_of_their_text(bleu, lowercase):
    texts = random_rows(seed=7, count=60)[0]
    tokens = [text.split() for text in texts]
    expected = one_by_one(bleu, tokens, lowercase=lowercase)
    np.testing.assert_allclose(self_bleu(tokens, lowercase=lowercase), expected, rtol=1e-12)
    numbers = {}
    ids = [
        [numbers.setdefault(token.lower() if lowercase else token, len(numbers)) for token in text] for text in tokens
    ]
    np.testing.assert_allclose(self_bleu(ids), expected, rtol=1e-12)


def test_each_score_is_sacrebleus_sentence_score(bleu):
    texts, metric = random_rows(seed=8, count=60)[0], BLEU(effective_order=True)
    expected = [metric.sentence_score(text, [*texts[:i], *texts[i + 1 :]]).score for i, text in enumerate(texts)]
    np.testing.assert_allclose(100 * np.array(bleu.self_bleu(texts)["segment_bleu"]), expected, atol=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    texts=st.lists(st.text("ab \n<-&", max_size=12), min_size=2, max_size=7),
    options=st.sampled_from(OPTION_SETS),
)
def test_any_texts(texts, options):
    expected = one_by_one(BleuMetric(), texts, **options)
    np.testing.assert_allclose(self_bleu(texts, **options), expected, rtol=1e-12)


@pytest.mark.parametrize("reference_length", ["closest", "shortest", "longest"])
def test_any_lengths(reference_length):
    """Texts of one token again and again, so that nothing but lengths decides."""
    generator = random.Random(reference_length)
    for _ in range(100):
        longest = generator.choice((1, 3, 12))
        texts = [[7] * generator.randrange(longest + 1) for _ in range(generator.randrange(2, 8))]
        options = {"max_order": 1, "reference_length": reference_length}
        np.testing.assert_allclose(self_bleu(texts, **options), one_by_one(BleuMetric(), texts, **options), rtol=1e-12)


def test_how_many_ngrams_are_sorted_at_a_time_doesnt_show():
    texts = random_rows(seed=9, count=100)[0]
    expected = self_bleu(texts)
    for at_once in (1, 7, 64, 10**6):
        with mock.patch.object(bleu_vocabulary, "_AT_ONCE", at_once):
            np.testing.assert_array_equal(self_bleu(texts), expected)


@pytest.mark.parametrize("at_once", [1, 100])
def test_ngrams_are_numbered_without_a_gap(at_once):
    """Of the texts 0 1, 2 and 3 4, whose second tokens begin no bigram, nor does the 2."""
    with mock.patch.object(bleu_vocabulary, "_AT_ONCE", at_once):
        unigrams, bigrams = bleu_vocabulary.number_ngrams(np.arange(5), np.array([0, 2, 3, 5]), 2)
    assert (sorted(unigrams[1]), sorted(bigrams[1])) == ([0, 1, 2, 3, 4], [0, 1])
    assert (sorted(unigrams[0]), sorted(bigrams[0])) == ([0, 0, 1, 2, 2], [0, 2])


def test_more_ngrams_than_are_sorted_at_a_time(bleu):
    """Known by construction: each sentence of five words twice, and a word of its own between the two."""
    sentences = [" ".join(f"w{i}.{k}" for k in range(5)) for i in range(10_000)]
    texts = [f"{sentence} {i} {sentence}" for i, sentence in enumerate(sentences)] * 2
    assert set(bleu.self_bleu(texts, tokenize="none")["segment_bleu"]) == {1.0}
    alone = bleu.self_bleu([*sentences, *sentences[::2]], tokenize="none")["segment_bleu"]
    assert alone[:10_000] == [1.0, 0.0] * 5_000


def test_keys_of_more_than_sixteen_bits_are_sorted():
    keys = np.random.default_rng(0).integers(0, 1 << np.arange(1, 63).repeat(20))
    np.testing.assert_array_equal(bleu_vocabulary.sorted_order(keys), np.argsort(keys, kind="stable"))


def test_result(bleu, load):
    answer = bleu.self_bleu(["a b", "a b", "b"])
    assert list(answer) == ["self_bleu", "segment_bleu", "signature"]
    assert json.loads(json.dumps(answer)) == answer
    assert answer["signature"].startswith("nrefs:2|case:mixed|eff:yes|tok:13a|smooth:exp|version:bleu_metric-")
    assert "|tok:ids|" in bleu.self_bleu([[1], [2]])["signature"]
    assert load("nltk").self_bleu(["a", "a"])["segment_bleu"] == [0, 0], "NLTK counts a bigram, which isn't there"


def test_as_a_table(bleu):
    """The second "b" of the last text is in no other: 1, 1 and 1/2."""
    answer = bleu.self_bleu(["a b", "a b", "b b"], max_order=1)
    assert answer.rows() == [
        ["texts", "self-BLEU", "lowest", "median", "highest"],
        ["3", "83.33", "50.00", "100.00", "100.00"],
    ]
    assert answer.records() == [{"text": 0, "bleu": 1.0}, {"text": 1, "bleu": 1.0}, {"text": 2, "bleu": 0.5}]
    assert answer.to_markdown().endswith(f"\n\n{answer['signature']}")


def test_options_at_load_are_defaults(load):
    texts = ["A b", "a B"]
    bleu = load(lowercase=True, segments=True, confidence=0.9)
    assert bleu.self_bleu(texts)["segment_bleu"] == [1, 1]
    assert bleu.self_bleu(texts, lowercase=False)["segment_bleu"] == [0, 0]


ERRORS = [
    ([], {}, ValueError, "nothing to score: no texts"),
    (["a"], {}, ValueError, "one text, and no other to compare it with: give two or more"),
    (["a", None], {}, ValueError, "texts, row 1: found None.*an empty text is ''"),
    (["a", 1.5], {}, TypeError, "texts, row 1: found float"),
    ("a", {}, TypeError, "texts: found str. Give a list"),
    ([["a"], "a"], {}, TypeError, "texts, row 1: found str, but the rows before are a list of str"),
    ([[["a"]], [["a"]]], {}, TypeError, "texts, row 0: found a list of lists of str, nested too deep"),
    ([["a"], ["a"]], {"tokenize": "none"}, ValueError, "tokenize='none', but these rows are tokens"),
    ([[1], [1]], {"lowercase": True}, ValueError, "token ids have no case"),
    (["a", "b"], {"smooth": True}, TypeError, "write `smooth_method='laplace'`"),
    (["a", "b"], {"seed": None}, ValueError, "seed .* leave it out"),
    (["a", "b"], {"segments": False}, ValueError, "segments .* leave it out"),
    (["a", "b"], {"tokenize": lambda text: text}, TypeError, "texts, row 0: the tokenizer must return a list of str"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "options", "error", "message"), ERRORS, ids=[row[-1] for row in ERRORS])
def test_errors(bleu, texts, options, error, message):
    with pytest.raises(error, match=message):
        bleu.self_bleu(texts, **options)
