"""The trainers' hook, with ids as trainers bring them. A real Seq2SeqTrainer is in tests/integration."""

import warnings

import dill
import numpy as np
import pandas as pd
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
    return {"bleu": result["score"], "gen_len": 5.5}


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
    expected = bleu.compute(predictions=TEXTS[0], references=references)["score"]
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


class MoreWords:
    """A tokenizer whose ids are positions in a list of words; 0 is padding."""

    pad_token_id = 0
    words = ("<pad>", "</s>", "the", "cat", "sat", "on", "mat", "a", "dog", "ran", "to", "house")

    def batch_decode(self, batch, skip_special_tokens):
        return [" ".join(self.words[i] for i in row if i > 1) for row in batch]


def ids(*texts):
    """As a trainer brings them, filled up with -100."""
    rows = [[MoreWords.words.index(word) for word in text.split()] + [1] for text in texts]
    longest = max(map(len, rows))
    return np.array([row + [-100] * (longest - len(row)) for row in rows])


FOUR = ["the cat sat on the mat", "the dog sat on a mat", "a cat ran to the house", "the dog ran"]


FOUR_LABELS = ["the cat sat on a mat", "the dog sat on a mat", "the cat ran to the house", "a dog ran to the house"]


BATCHES = [(ids(*FOUR[i : i + 2]), ids(*FOUR_LABELS[i : i + 2])) for i in (0, 2)]


WHOLE = (ids(*FOUR), ids(*FOUR_LABELS))


BAD = (ids("a a a a a a", "a a a a a a"), ids("the dog ran to a mat", "the mat ran"))


@pytest.fixture
def expected_of_four(bleu):
    """By `compute`, on the scale to 100; the mean length of what was generated counts the end of a sentence."""
    score = bleu.compute(predictions=FOUR, references=FOUR_LABELS)["score"]
    return {"bleu": score, "gen_len": sum(len(text.split()) + 1 for text in FOUR) / 4}


def heard(call):
    """What a call returns, and the warnings that it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(one.message) for one in caught if issubclass(one.category, UserWarning)]


def test_what_the_published_recipes_log(bleu, expected_of_four):
    """`bleu` from 0 to 100 and `gen_len`, nothing else; as transformers' `run_translation.py` and the course have it."""
    result = bleu.compute_metrics(MoreWords())(WHOLE)
    assert result == expected_of_four
    assert result["bleu"] > 50
    assert {type(value) for value in result.values()} == {float}


@pytest.mark.parametrize("batch_eval_metrics", [False, True])
def test_batch_by_batch_it_is_the_same(bleu, expected_of_four, batch_eval_metrics):
    hook = bleu.compute_metrics(MoreWords())
    for _ in range(2):
        if batch_eval_metrics:
            assert hook(BATCHES[0], compute_result=False) == {}
        assert hook(BATCHES[1] if batch_eval_metrics else WHOLE, compute_result=True) == expected_of_four


def test_details_are_computes_other_numbers_on_its_scales(bleu, expected_of_four):
    """`bleu` stays on 0 to 100, and so does `score`; precisions are from 0 to 1."""
    result = bleu.compute_metrics(MoreWords(), details=True)(WHOLE)
    whole = bleu.compute(predictions=FOUR, references=FOUR_LABELS)
    others = ("score", "brevity_penalty", "length_ratio", "translation_length", "reference_length")
    precisions = {f"precision_{n}": precision for n, precision in enumerate(whole["precisions"], 1)}
    assert result.items() >= (expected_of_four | {name: whole[name] for name in others} | precisions).items()
    assert {type(value) for value in result.values()} == {float}


@pytest.mark.parametrize("options", [{"max_order": 2}, {"smooth_method": "none"}, {"lowercase": True}], ids=str)
def test_options_at_load_and_in_the_call(load, options):
    score = load(**options).compute(predictions=FOUR, references=FOUR_LABELS)["score"]
    for hook in (load(**options).compute_metrics(MoreWords()), load().compute_metrics(MoreWords(), **options)):
        assert hook(WHOLE)["bleu"] == score


def test_reset_forgets_an_evaluation_that_was_broken_off(bleu, expected_of_four):
    """Without it, batches of the broken one would be counted in the next."""
    hook = bleu.compute_metrics(MoreWords())
    hook(BAD, compute_result=False)
    hook.reset()
    assert hook(BATCHES[0], compute_result=False) == {}
    assert hook(BATCHES[1], compute_result=True)["bleu"] == expected_of_four["bleu"]
    hook.reset()  # nothing to forget
    assert hook(WHOLE)["bleu"] == expected_of_four["bleu"]


def test_reset_with_references(bleu):
    """The next row is the first one again."""
    hook = bleu.compute_metrics(MoreWords(), references=[[text] for text in FOUR_LABELS])
    before = bleu.compute_metrics(MoreWords())(WHOLE)
    hook(BATCHES[0], compute_result=False)
    hook.reset()
    hook(BATCHES[0], compute_result=False)
    assert hook(BATCHES[1], compute_result=True) == before


@pytest.mark.parametrize("broken_off_after", [[0], [0, 1]])
def test_an_evaluation_that_begins_anew_is_noticed(bleu, expected_of_four, broken_off_after):
    """The labels of the first batch come again: the score is right, or a warning names `reset()`.

    Never another number without a word.
    """
    hook = bleu.compute_metrics(MoreWords())

    def evaluate():
        for batch in broken_off_after:  # by another state of the model
            predicted, labels = BATCHES[batch]
            hook((np.where(predicted == 2, 7, predicted), labels), compute_result=False)
        hook(BATCHES[0], compute_result=False)
        return hook(BATCHES[1], compute_result=True)

    result, told = heard(evaluate)
    assert result["bleu"] == expected_of_four["bleu"] or any("reset()" in message for message in told)


def test_evaluations_that_end_are_not_suspected(bleu, expected_of_four):
    hook = bleu.compute_metrics(MoreWords())

    def evaluate():
        for _ in range(3):
            hook(BATCHES[0], compute_result=False)
            result = hook(BATCHES[1], compute_result=True)
        return result

    assert heard(evaluate) == (expected_of_four, [])


ALTERNATIVES = [[text, text.replace("the", "a")] for text in FOUR_LABELS]


# How the sampler orders the rows, and whether the labels say that the references are another row's.
ORDERS = [([0, 1, 2, 3], False), ([3, 2, 1, 0], True), ([1, 0, 2, 3], True), ([0, 1, 3, 2], True)]


@pytest.mark.parametrize(("order", "warns"), ORDERS, ids=str)
@pytest.mark.parametrize("batch_eval_metrics", [False, True])
def test_references_of_other_rows_are_noticed(bleu, order, warns, batch_eval_metrics):
    """As under `train_sampling_strategy="group_by_length"`: a label that is another row's reference, and not its own's."""
    predicted, labels = ([texts[i] for i in order] for texts in (FOUR, FOUR_LABELS))
    hook = bleu.compute_metrics(MoreWords(), references=ALTERNATIVES)

    def evaluate():
        if not batch_eval_metrics:
            return hook((ids(*predicted), ids(*labels)))
        hook((ids(*predicted[:2]), ids(*labels[:2])), compute_result=False)
        return hook((ids(*predicted[2:]), ids(*labels[2:])), compute_result=True)

    _, told = heard(evaluate)
    assert any("order" in message and "references" in message for message in told) == warns


@pytest.mark.parametrize(
    "labels",
    [["the cat"] * 4, [""] * 4, [text.removesuffix(" house") for text in FOUR_LABELS]],
    ids=["others", "none", "cut off"],
)
def test_labels_that_are_no_references_say_nothing(bleu, labels):
    """Truncated or empty labels are no evidence of another order."""
    hook = bleu.compute_metrics(MoreWords(), references=ALTERNATIVES)
    _, told = heard(lambda: hook((ids(*FOUR), ids(*labels))))
    assert not any("order" in message for message in told)


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "Series": lambda rows: pd.Series(rows, index=range(7, 7 + len(rows))),
    "array": lambda rows: np.array(rows),
    "one str a row": lambda rows: [row[0] for row in rows],
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_references_in_any_container(bleu, container):
    hook = bleu.compute_metrics(MoreWords(), references=container([[text] for text in FOUR_LABELS]))
    assert hook(WHOLE) == bleu.compute_metrics(MoreWords())(WHOLE)


@pytest.mark.parametrize("row", [[], [None], None, ["a", 1]], ids=str)
def test_a_row_without_references_is_told_when_the_hook_is_made(bleu, row):
    """By its row in the data, and not after a model has generated for hours."""
    with pytest.raises((TypeError, ValueError), match="references, row 3"):
        bleu.compute_metrics(MoreWords(), references=[*([text] for text in FOUR_LABELS[:3]), row])
