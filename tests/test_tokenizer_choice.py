"""Tokenizers that are not native: sacreBLEU's, and functions."""

import sys

import numpy as np
import pytest
from bleu.bleu_tokenizer_choice import BORROWED, borrow_tokenizer
from helpers import count_both_ways, count_with_sacrebleu, run_python


@pytest.mark.parametrize(
    ("tokenize", "prediction", "reference"),
    [
        ("ja-mecab", "私は猫が好きです。", "私は犬が好きだ。"),
        ("ko-mecab", "나는 고양이를 좋아합니다.", "나는 개를 좋아한다."),
    ],
)
@pytest.mark.parametrize("lowercase", [False, True])
def test_borrowed_tokenizers(tokenize, prediction, reference, lowercase):
    assert tokenize in BORROWED
    expected = count_with_sacrebleu([prediction + " "], [[reference]], tokenize=tokenize, lowercase=lowercase)
    np.testing.assert_array_equal(
        count_both_ways([prediction + " "], [[reference]], tokenize=tokenize, lowercase=lowercase), expected
    )


SENTENCEPIECE = r"""
import json, os, sys
import sentencepiece
import helpers
folder = os.path.join(os.environ["SACREBLEU"], "models")
os.makedirs(folder)
predictions, references = helpers.random_rows(seed=2, count=200)
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=(text.replace("\0", "") for text in predictions), vocab_size=1000, hard_vocab_limit=False,
    model_prefix=os.path.join(folder, "m"), minloglevel=2, byte_fallback=True, character_coverage=0.98,
)
for name in ("sacrebleu_tokenizer_spm.model", "flores200sacrebleuspm"):  # where sacreBLEU keeps what it has downloaded
    os.symlink("m.model", os.path.join(folder, name))
for name in ("spm", "flores101", "flores200"):
    rows = helpers.count_both_ways(predictions, references, tokenize=name)
    expected = helpers.count_with_sacrebleu(predictions, references, tokenize=name)
    assert helpers.find_difference(predictions, references, rows, expected) is None
print(json.dumps(int(rows[:, 0].sum())))
"""


@pytest.mark.slow
def test_sentencepiece_tokenizers(tmp_path):
    """sacreBLEU's models have to be downloaded; one that is trained here stands in their place."""
    assert run_python("import conftest" + SENTENCEPIECE, SACREBLEU=str(tmp_path)) > 0


def test_a_function_is_a_tokenizer():
    rows = count_both_ways(
        ["a,b C"], [["a,b c", "x"]], tokenize=lambda text: text.split(","), lowercase=True, max_order=2
    )
    assert rows.tolist() == [[2, 1, 2, 1, 2, 2]]


class Tokens(list):
    """A list of one's own."""


@pytest.mark.parametrize("answer", [tuple, Tokens, lambda tokens: list(map(np.str_, tokens))])
def test_what_else_a_function_may_return(answer):
    rows = count_both_ways(["a b a", ""], [["a b"], ["c"]], tokenize=lambda text: answer(text.split()), max_order=1)
    assert rows.tolist() == [[2, 3, 3, 2], [0, 0, 0, 1]]


@pytest.mark.parametrize("error", [StopIteration, KeyError, RecursionError])
def test_a_function_that_fails_names_the_row(bleu, error):
    """Any error, in a later one of the portions that texts are cut in; StopIteration would end a loop in silence."""
    texts = ["a"] * 700

    def fail(text):
        if text == "fails":
            raise error("why")
        return [text]

    with pytest.raises(ValueError, match=f"references, row 600: the tokenizer failed: {error.__name__}: .*why"):
        bleu.compute(predictions=texts, references=[*texts[:600], "fails", *texts[:99]], tokenize=fail)


def test_names_that_nobody_knows():
    with pytest.raises(ValueError, match=r"tokenize='13b'.*13a, none, intl, zh, char, .*flores200"):
        borrow_tokenizer("13b")


@pytest.mark.parametrize("name", BORROWED)
def test_borrowed_tokenizers_say_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    borrow_tokenizer.cache_clear()
    with pytest.raises(ImportError, match=f"tokenize='{name}'.*pip install .*sacrebleu"):
        borrow_tokenizer(name)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_token_that_is_half_a_character(bleu):
    with pytest.raises(ValueError, match="references, row 1: the tokenizer returned half of a surrogate pair"):
        bleu.compute(
            predictions=["a", "b"], references=["c", "d"], tokenize=lambda text: [text, "\ud83d"[: text == "d"] or "x"]
        )
