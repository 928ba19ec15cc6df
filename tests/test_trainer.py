"""The trainers' hook, with ids as trainers bring them. A real Seq2SeqTrainer is in tests/integration."""

import dill
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


class Words:
    """A tokenizer whose ids are positions in a list of words; 0 is padding."""

    pad_token_id = 0
    words = ("<pad>", "</s>", "the", "cat", "sat", "on", "mat", "a", "dog")

    def batch_decode(self, batch, skip_special_tokens):
        assert skip_special_tokens
        return [" " + " ".join(self.words[i] for i in row if i > 1) + " " for row in batch]


PREDICTED = np.array([[0, 2, 3, 4, 5, 2, 6, 1], [2, 8, 4, 1, 0, 0, -100, -100]])
LABELS = np.array([[2, 3, 4, 5, 7, 6, 1], [2, 8, 4, 5, 1, -100, -100]])
TEXTS = ["the cat sat on the mat", "the dog sat"], ["the cat sat on a mat", "the dog sat on"]


@pytest.fixture
def expected(bleu):
    result = bleu.compute(predictions=TEXTS[0], references=TEXTS[1])
    kept = ("bleu", "score", "brevity_penalty", "length_ratio", "translation_length", "reference_length")
    precisions = {f"precision_{n}": precision for n, precision in enumerate(result["precisions"], 1)}
    return {name: result[name] for name in kept} | precisions | {"gen_len": 5.5}


@pytest.mark.parametrize("predicted", [PREDICTED, (PREDICTED, np.zeros((2, 3, 4)))], ids=["ids", "tuple"])
def test_floats_of_the_decoded_texts(bleu, expected, predicted):
    """-100 in predictions and labels, padding, special tokens, and a tuple with the ids first."""
    metric = bleu.compute_metrics(Words())
    for _ in range(2):
        result = metric((predicted, LABELS))
        assert result == expected
        assert {type(value) for value in result.values()} == {float}


def test_batch_by_batch(bleu, expected):
    """As with `batch_eval_metrics=True`: nothing until the last batch, then the whole, then from the start."""
    metric = bleu.compute_metrics(Words())
    for _ in range(2):
        assert metric((PREDICTED[:1], LABELS[:1]), compute_result=False) == {}
        assert metric((PREDICTED[1:], LABELS[1:]), compute_result=True) == expected


def test_several_references_a_row(bleu):
    references = [["the cat sat on a mat", "the cat sat on the mat"], ["a dog sat"]]
    expected = bleu.compute(predictions=TEXTS[0], references=references)["bleu"]
    metric = bleu.compute_metrics(Words(), references=references)
    assert metric((PREDICTED, LABELS))["bleu"] == expected
    metric((PREDICTED[:1], LABELS[:1]), compute_result=False)
    assert metric((PREDICTED[1:], LABELS[1:]))["bleu"] == expected


def test_references_that_dont_fit(bleu):
    for references in ([["a"]], [["a"], ["b"], ["c"]]):
        metric = bleu.compute_metrics(Words(), references=references)
        with pytest.raises(ValueError, match=rf"There are {len(references)} references"):
            metric((PREDICTED, LABELS))


def test_logits(bleu, expected):
    metric = bleu.compute_metrics(Words())
    with pytest.raises(ValueError, match=r"shape \[2, 8, 9\]: logits.*predict_with_generate=True"):
        metric((np.zeros((2, 8, 9), np.float32), LABELS))
    assert metric((PREDICTED, LABELS)) == expected


def test_an_error_in_one_evaluation_isnt_counted_in_the_next(bleu, expected):
    metric = bleu.compute_metrics(Words())
    metric((PREDICTED[:1], LABELS[:1]), compute_result=False)
    with pytest.raises(ValueError, match="logits"):
        metric((np.zeros((2, 8, 9)), LABELS))
    assert metric((PREDICTED, LABELS)) == expected


def test_options(bleu, load):
    metric = bleu.compute_metrics(Words(), max_order=2, smooth_method="none")
    assert metric((PREDICTED, LABELS)) == load(max_order=2, smooth_method="none").compute_metrics(Words())(
        (PREDICTED, LABELS)
    )
    for wrong in ({"segments": True}, {"confidence": 0.95}):
        with pytest.raises(
            ValueError, match=f"{next(iter(wrong))} goes with the score of a corpus, not with a trainer"
        ):
            bleu.compute_metrics(Words(), **wrong)


def test_memory_doesnt_grow(bleu):
    metric, sizes = bleu.compute_metrics(Words()), []
    for _ in range(50):
        metric((PREDICTED, LABELS), compute_result=False)
        sizes.append(len(dill.dumps(vars(metric)["_sum"])) + len(vars(metric)))
    assert len(set(sizes)) == 1
