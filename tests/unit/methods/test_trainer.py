"""The trainer callback, with ids as trainers pass them. tests/ecosystem runs a real Seq2SeqTrainer."""

import re
import sys
from types import SimpleNamespace

import dill
import numpy as np
import pandas as pd
import pytest
from helpers import Tensor, further, record_warnings
from recipes import recipe

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


class Words:
    """A tokenizer whose ids are positions in a list of words; 0 is padding."""

    pad_token_id = 0
    words = ("<pad>", "</s>", "the", "cat", "sat", "on", "mat", "a", "dog", "ran", "to", "house")

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


@pytest.mark.parametrize(
    "predicted",
    [PREDICTED, (PREDICTED, np.zeros((2, 3, 4))), Tensor(PREDICTED), list(Tensor(PREDICTED))],
    ids=["ids", "tuple", "tensor", "tensors"],
)
def test_floats_of_the_decoded_texts(bleu, expected, predicted):
    """Predictions and labels have -100, padding and special tokens; a tuple has the ids first."""
    metric = bleu.compute_metrics(Words())
    for _ in range(2):
        result = metric((predicted, LABELS))
        assert result == expected
        assert {type(value) for value in result.values()} == {float}


def test_batch_by_batch(bleu, expected):
    """The result is {} until the last batch, then the score of all batches, as with `batch_eval_metrics=True`."""
    metric = bleu.compute_metrics(Words())
    for _ in range(2):
        assert metric((PREDICTED[:1], LABELS[:1]), compute_result=False) == {}
        assert metric((PREDICTED[1:], LABELS[1:]), compute_result=True) == expected


def test_several_references_per_row(bleu):
    references = [["the cat sat on a mat", "the cat sat on the mat"], ["a dog sat"]]
    expected = bleu.compute(predictions=TEXTS[0], references=references)["score"]
    metric = bleu.compute_metrics(Words(), references=references)
    assert metric((PREDICTED, LABELS))["bleu"] == expected
    metric((PREDICTED[:1], LABELS[:1]), compute_result=False)
    assert metric((PREDICTED[1:], LABELS[1:]))["bleu"] == expected


def test_references_of_another_number_of_rows(bleu):
    for references in ([["a"]], [["a"], ["b"], ["c"]]):
        metric = bleu.compute_metrics(Words(), references=references)
        with pytest.raises(ValueError, match=rf"references: got {len(references)} lists?"):
            metric((PREDICTED, LABELS))


def test_no_rows(bleu):
    metric = bleu.compute_metrics(Words())
    with pytest.raises(ValueError, match="no segments to score"):
        metric((PREDICTED[:0], LABELS[:0]))


class Decodes(Words):
    """A tokenizer that changes the decoded texts."""

    def __init__(self, change):
        self.change = change

    def batch_decode(self, batch, skip_special_tokens):
        return self.change(super().batch_decode(batch, skip_special_tokens))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda texts: texts[:-1], ValueError, "batch_decode: got 1 text for 2 rows of ids"),
        (lambda texts: [*texts, ""], ValueError, "batch_decode: got 3 texts for 2 rows of ids"),
        ("|".join, TypeError, "batch_decode: expected a list of str, got str"),
        (lambda texts: None, TypeError, "batch_decode: expected a list of str, got None"),
        (lambda texts: [None] * len(texts), TypeError, "batch_decode: expected a list of str, got a list with None"),
    ],
)  # fmt: skip
def test_a_tokenizer_that_decodes_wrongly(bleu, change, error, message):
    """Texts that are fewer than the ids crashed the process in the kernel, or moved to other rows."""
    with pytest.raises(error, match=message):
        bleu.compute_metrics(Decodes(change))((PREDICTED, LABELS))


def test_logits(bleu, expected):
    metric = bleu.compute_metrics(Words())
    with pytest.raises(
        ValueError, match=r"logits of shape \[2, 8, 9\].*predict_with_generate=True"
    ):
        metric((np.zeros((2, 8, 9), np.float32), LABELS))
    assert metric((PREDICTED, LABELS)) == expected


def test_a_failed_evaluation_is_not_counted_in_the_next(bleu, expected):
    metric = bleu.compute_metrics(Words())
    metric((PREDICTED[:1], LABELS[:1]), compute_result=False)
    with pytest.raises(ValueError, match="logits"):
        metric((np.zeros((2, 8, 9)), LABELS))
    assert metric((PREDICTED, LABELS)) == expected


def test_options(bleu, load):
    metric = bleu.compute_metrics(Words(), max_order=2, smooth_method="none")
    assert metric((PREDICTED, LABELS)) == load(max_order=2, smooth_method="none").compute_metrics(
        Words()
    )((PREDICTED, LABELS))
    for wrong in ({"segments": True}, {"confidence": 0.95}):
        with pytest.raises(
            TypeError, match=f"`{next(iter(wrong))}` is not an option of compute_metrics"
        ):
            bleu.compute_metrics(Words(), **wrong)


def ids(*texts):
    """Return the ids as a trainer passes them, padded with -100."""
    rows = [[Words.words.index(word) for word in text.split()] + [1] for text in texts]
    longest = max(map(len, rows))
    return np.array([row + [-100] * (longest - len(row)) for row in rows])


FOUR = ["the cat sat on the mat", "the dog sat on a mat", "a cat ran to the house", "the dog ran"]
FOUR_LABELS = [
    "the cat sat on a mat",
    "the dog sat on a mat",
    "the cat ran to the house",
    "a dog ran to the house",
]
BATCHES = [(ids(*FOUR[i : i + 2]), ids(*FOUR_LABELS[i : i + 2])) for i in (0, 2)]
WHOLE = (ids(*FOUR), ids(*FOUR_LABELS))
BAD = (ids("a a a a a a", "a a a a a a"), ids("the dog ran to a mat", "the mat ran"))


@pytest.fixture
def expected_of_four(bleu):
    """Return `compute`'s score in points, and the mean length; the end-of-sentence token counts."""
    score = bleu.compute(predictions=FOUR, references=FOUR_LABELS)["score"]
    return {"bleu": score, "gen_len": sum(len(text.split()) + 1 for text in FOUR) / 4}


def test_keys_are_those_of_published_recipes(bleu, expected_of_four):
    """`bleu` from 0 to 100 and `gen_len`, no other keys, as in transformers' `run_translation.py` and its course."""
    result = bleu.compute_metrics(Words())(WHOLE)
    assert result == expected_of_four
    assert result["bleu"] > 50
    assert {type(value) for value in result.values()} == {float}


@pytest.mark.parametrize("batch_eval_metrics", [False, True])
def test_batch_by_batch_it_is_the_same(bleu, expected_of_four, batch_eval_metrics):
    callback = bleu.compute_metrics(Words())
    for _ in range(2):
        if batch_eval_metrics:
            assert callback(BATCHES[0], compute_result=False) == {}
        assert (
            callback(BATCHES[1] if batch_eval_metrics else WHOLE, compute_result=True)
            == expected_of_four
        )


def test_details_are_computes_other_numbers_on_its_scales(bleu, expected_of_four):
    """`bleu` and `score` are from 0 to 100, precisions from 0 to 1."""
    result = bleu.compute_metrics(Words(), details=True)(WHOLE)
    whole = bleu.compute(predictions=FOUR, references=FOUR_LABELS)
    others = ("score", "brevity_penalty", "length_ratio", "translation_length", "reference_length")
    precisions = {f"precision_{n}": precision for n, precision in enumerate(whole["precisions"], 1)}
    assert (
        result.items()
        >= (expected_of_four | {name: whole[name] for name in others} | precisions).items()
    )
    assert {type(value) for value in result.values()} == {float}


@pytest.mark.parametrize(
    "options", [{"max_order": 2}, {"smooth_method": "none"}, {"lowercase": True}], ids=str
)
def test_options_at_load_and_in_the_call(load, options):
    score = load(**options).compute(predictions=FOUR, references=FOUR_LABELS)["score"]
    for callback in (
        load(**options).compute_metrics(Words()),
        load().compute_metrics(Words(), **options),
    ):
        assert callback(WHOLE)["bleu"] == score


def test_reset_drops_an_interrupted_evaluation(bleu, expected_of_four):
    """Batches of the interrupted evaluation are not counted in the next."""
    callback = bleu.compute_metrics(Words())
    callback(BAD, compute_result=False)
    callback.reset()
    assert callback(BATCHES[0], compute_result=False) == {}
    assert callback(BATCHES[1], compute_result=True)["bleu"] == expected_of_four["bleu"]
    callback.reset()  # without rows
    assert callback(WHOLE)["bleu"] == expected_of_four["bleu"]


def test_reset_with_references(bleu):
    """After `reset`, the next row is the first row."""
    callback = bleu.compute_metrics(Words(), references=[[text] for text in FOUR_LABELS])
    before = bleu.compute_metrics(Words())(WHOLE)
    callback(BATCHES[0], compute_result=False)
    callback.reset()
    callback(BATCHES[0], compute_result=False)
    assert callback(BATCHES[1], compute_result=True) == before


@pytest.mark.parametrize(
    ("first", "is_noticed"),
    [
        (BATCHES[0], True),
        ((np.where(BATCHES[0][0] == 2, 7, BATCHES[0][0]), BATCHES[0][1]), True),
        (tuple(part[::-1] for part in BATCHES[0]), False),
    ],
    ids=["same predictions", "other predictions", "other labels"],
)
def test_an_evaluation_that_starts_again_is_noticed(bleu, first, is_noticed):
    """The model goes on learning after an interrupted evaluation, so only the labels are the same."""
    callback = bleu.compute_metrics(Words())

    def evaluate():
        callback(first, compute_result=False)
        callback(BATCHES[0], compute_result=False)
        return callback(BATCHES[1], compute_result=True)

    _, messages = record_warnings(evaluate)
    assert any("reset()" in message for message in messages) == is_noticed


COLUMNS = [[2, 3, 4, 5], [2, 3, 0, 0], [4, 4, 4, 4]]


@pytest.mark.parametrize("rows", [2, 4], ids=["fewer labels", "more labels"])
@pytest.mark.parametrize("compute_result", [True, False])
def test_every_prediction_needs_a_row_of_labels(bleu, rows, compute_result):
    """Several sequences per row (`num_return_sequences`) have fewer labels than predictions."""
    callback = bleu.compute_metrics(Words())
    labels = np.array((COLUMNS * 2)[:rows])
    with pytest.raises(ValueError, match=f"Got 3 predictions and {rows} rows? of labels"):
        callback((np.array(COLUMNS), labels), compute_result=compute_result)
    assert callback((np.array(COLUMNS), np.array(COLUMNS)))["bleu"] > 0


def test_without_labels(bleu):
    """Labels may be missing if references were passed."""
    with pytest.raises(ValueError, match="labels: got None"):
        bleu.compute_metrics(Words())((np.array(COLUMNS), None))
    texts = Words().batch_decode(COLUMNS, skip_special_tokens=True)
    callback = bleu.compute_metrics(Words(), references=[[text] for text in texts])
    assert callback((np.array(COLUMNS), None)) == bleu.compute_metrics(Words())(
        (np.array(COLUMNS),) * 2
    )


def test_rows_of_any_length(bleu):
    """Ragged lists, and the lists of batches that `eval_do_concat_batches=False` passes."""
    expected = bleu.compute_metrics(Words())((np.array(COLUMNS),) * 2)
    ragged = [[2, 3, 4, 5], [2, 3], [4, 4, 4, 4]]
    batches = [
        np.array(COLUMNS[:1]),
        np.array(
            [
                [2, 3],
            ]
        ),
        np.array(COLUMNS[2:]),
    ]
    for rows in (ragged, [np.array(row) for row in ragged], batches, COLUMNS):
        assert bleu.compute_metrics(Words())((rows, rows)) == expected


@pytest.mark.parametrize("concatenated", [True, False])
def test_rows_repeated_by_several_processes_are_dropped(bleu, concatenated):
    """Gathering fills the last batch with the first rows: 3 rows, 2 processes, batches of 1, are 4 rows."""
    texts = Words().batch_decode(COLUMNS, skip_special_tokens=True)
    callback = bleu.compute_metrics(Words(), references=[[text] for text in texts])
    expected = callback((np.array(COLUMNS),) * 2)
    gathered = np.array([*COLUMNS, COLUMNS[0]])
    if concatenated:
        assert callback((gathered, gathered)) == expected
    else:
        assert callback((gathered[:2], gathered[:2]), compute_result=False) == {}
        assert callback((gathered[2:], gathered[2:]), compute_result=True) == expected
    with pytest.raises(ValueError, match="references: got 3 lists for"):
        callback((gathered, np.array([*COLUMNS, COLUMNS[1]])))


def test_complete_evaluations_issue_no_warning(bleu, expected_of_four):
    callback = bleu.compute_metrics(Words())

    def evaluate():
        for _ in range(3):
            callback(BATCHES[0], compute_result=False)
            result = callback(BATCHES[1], compute_result=True)
        return result

    assert record_warnings(evaluate) == (expected_of_four, [])


def test_texts_that_the_tokenizer_does_not_split_are_noticed(bleu, monkeypatch):
    monkeypatch.setattr(
        Words,
        "words",
        ("<pad>", "</s>", *(f"今天天气很好{digit}" for digit in "一二三四五六七八九十")),
    )
    callback = bleu.compute_metrics(Words(), max_order=1)
    _, messages = record_warnings(lambda: callback((PREDICTED, LABELS)))
    assert len(messages) == 1
    assert "tokenize='zh'" in messages[0]

    def evaluate_in_batches():
        for row in range(2):
            callback((PREDICTED[row : row + 1], LABELS[row : row + 1]), compute_result=row == 1)

    for _ in range(2):  # once per evaluation
        assert len(record_warnings(evaluate_in_batches)[1]) == 1


ALTERNATIVES = [[text, text.replace("the", "a")] for text in FOUR_LABELS]

# The order of the sampler, and whether the labels show that references belong to another row.
ORDERS = [([0, 1, 2, 3], False), ([3, 2, 1, 0], True), ([1, 0, 2, 3], True), ([0, 1, 3, 2], True)]


@pytest.mark.parametrize(("order", "warns"), ORDERS, ids=str)
@pytest.mark.parametrize("batch_eval_metrics", [False, True])
def test_references_of_other_rows_are_noticed(bleu, order, warns, batch_eval_metrics):
    """A label that is another row's reference, as under `group_by_length`, issues a warning."""
    predicted, labels = ([texts[i] for i in order] for texts in (FOUR, FOUR_LABELS))
    callback = bleu.compute_metrics(Words(), references=ALTERNATIVES)

    def evaluate():
        if not batch_eval_metrics:
            return callback((ids(*predicted), ids(*labels)))
        callback((ids(*predicted[:2]), ids(*labels[:2])), compute_result=False)
        return callback((ids(*predicted[2:]), ids(*labels[2:])), compute_result=True)

    _, messages = record_warnings(evaluate)
    assert any("order" in message and "references" in message for message in messages) == warns


@pytest.mark.parametrize(
    "labels",
    [["the cat"] * 4, [""] * 4, [text.removesuffix(" house") for text in FOUR_LABELS]],
    ids=["others", "empty", "truncated"],
)
def test_labels_that_are_not_references_issue_no_warning(bleu, labels):
    """Truncated or empty labels are not evidence of another order."""
    callback = bleu.compute_metrics(Words(), references=ALTERNATIVES)
    _, messages = record_warnings(lambda: callback((ids(*FOUR), ids(*labels))))
    assert not any("order" in message for message in messages)


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "Series": lambda rows: pd.Series(rows, index=range(7, 7 + len(rows))),
    "array": lambda rows: np.array(rows),
    "one str per row": lambda rows: [row[0] for row in rows],
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_references_in_any_container(bleu, container):
    callback = bleu.compute_metrics(Words(), references=container([[text] for text in FOUR_LABELS]))
    assert callback(WHOLE) == bleu.compute_metrics(Words())(WHOLE)


@pytest.mark.parametrize("row", [[], [None], None, ["a", 1]], ids=str)
def test_a_row_without_references_fails_when_the_callback_is_made(bleu, row):
    """The error names the row, and comes before a model has generated for hours."""
    with pytest.raises((TypeError, ValueError), match=r"references\[3\]"):
        bleu.compute_metrics(Words(), references=[*([text] for text in FOUR_LABELS[:3]), row])


# Groups: `by`, and the tables of evaluations that `history=True` keeps.

DOMAINS = ["news", "talks", "news", None]
FIVE = np.array([0, 1, 2, 3, 0])  # four rows gathered from processes, the first one twice


@pytest.fixture
def expected_groups(bleu, expected_of_four):
    """Return what `compute` makes of the decoded texts."""
    result = bleu.compute(predictions=FOUR, references=FOUR_LABELS, by=DOMAINS)
    groups = {f"bleu_{label}": group["score"] for label, group in result["groups"].items()}
    return {**expected_of_four, **groups, "bleu_macro": result["macro_score"]}


WAYS = {
    "at once": lambda callback: callback(WHOLE),
    "in batches": lambda callback: [callback(BATCHES[0], compute_result=False), callback(BATCHES[1])][1],
    "row by row": lambda callback: [callback(tuple(part[i : i + 1] for part in WHOLE), i == 3) for i in range(4)][3],
    "a row twice": lambda callback: callback(tuple(part[FIVE] for part in WHOLE)),
    "a batch of only that": lambda callback: [callback(BATCHES[0], False), callback(BATCHES[1], False), callback(tuple(part[:1] for part in BATCHES[0]))][2],
}  # fmt: skip


@pytest.mark.parametrize(
    "references", [None, [[text] for text in FOUR_LABELS]], ids=["labels", "references"]
)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("history", [False, True])
def test_groups_are_those_of_the_decoded_texts(bleu, expected_groups, way, references, history):
    """Twice, since a callback serves many evaluations; duplicates of distributed gathering are dropped."""
    callback = bleu.compute_metrics(Words(), references=references, by=DOMAINS, history=history)
    for _ in range(2):
        result = way(callback)
        assert result == pytest.approx(expected_groups, abs=1e-12)
        assert list(result) == list(expected_groups)
        assert {type(value) for value in result.values()} == {float}


def test_a_tokenizer_per_group(bleu):
    options = {"by": DOMAINS, "tokenize": {"talks": "char"}}
    expected = bleu.compute(predictions=FOUR, references=FOUR_LABELS, **options)
    result = bleu.compute_metrics(Words(), **options)(WHOLE)
    assert result["bleu_talks"] == pytest.approx(expected["groups"]["talks"]["score"], abs=1e-12)
    assert result["bleu"] == expected["score"]
    callback = bleu.compute_metrics(Words(), **options, history=True)
    for batch, compute_result in zip(BATCHES, (False, True)):
        callback(batch, compute_result)
    assert bleu.compute(statistics=callback.history[0], by="label") == expected


WRONG_LABELS = [
    ({"by": ["a"]}, ValueError, "by: got 1 label for 4 predictions. Pass one label per segment."),
    ({"by": ["a"] * 5}, ValueError, "by: got 5 labels for 4 predictions. Pass one label per segment."),
    ({"by": []}, ValueError, "by: got 0 labels for the evaluation data. Pass one label per segment."),
    ({"by": ["a"] * 3, "references": FOUR_LABELS}, ValueError, "by: got 3 labels for 4 predictions. Pass one label per segment."),
    ({"by": "news"}, TypeError, "by: expected a list, array or Series, got str. Pass one label per segment."),
    ({"by": ["1", 1, "a", "a"]}, ValueError, "by: the labels '1' and 1 would be one key in JSON. Rename one, or pass labels of one type."),
    ({"by": ["a", "a", "a", "macro"]}, ValueError, "by: the label 'macro' would overwrite the key 'bleu_macro'. Rename the label."),
    ({"by": DOMAINS, "tokenize": {"new": "zh"}}, ValueError, "tokenize: 'new' is not among the labels of `by`. Remove it, or correct the label."),
    ({"tokenize": {"new": "zh"}}, ValueError, "tokenize: 'new' is not among the labels of `by`. Remove it, or correct the label."),
    ({"by": DOMAINS, "tokenize": {"news": "chinese"}}, ValueError, "tokenize='chinese': unknown tokenizer."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "error", "message"), WRONG_LABELS, ids=[str(one[0]) for one in WRONG_LABELS]
)
def test_wrong_labels(bleu, arguments, error, message):
    """All but the number of labels is found when the callback is made."""
    with pytest.raises(error) as raised:
        bleu.compute_metrics(Words(), **arguments)(WHOLE)
    assert str(raised.value).startswith(message)


# What a trainer passes if the method itself is its callback, and other arguments that are not tokenizers.
NOT_TOKENIZERS = [
    (lambda bleu: bleu.compute_metrics("13a"), "'13a'"),
    (lambda bleu: bleu.compute_metrics(None), "None"),
    (lambda bleu: bleu.compute_metrics(WHOLE), "<tuple of length 2>"),
    (lambda bleu: bleu.compute_metrics(WHOLE, compute_result=True), "<tuple of length 2>"),
]


@pytest.mark.parametrize(
    ("call", "found"), NOT_TOKENIZERS, ids=[found for _, found in NOT_TOKENIZERS]
)
def test_a_call_without_a_tokenizer_names_the_right_one(bleu, call, found):
    with pytest.raises(TypeError) as raised:
        call(bleu)
    assert str(raised.value) == (
        f"tokenizer: {found} has no `batch_decode`. Write compute_metrics=bleu.compute_metrics(tokenizer)."
    )


# Arguments that are wrong, and the beginning of the message when the callback is made.
WRONG_ARGUMENTS = [
    ({"history": 1}, TypeError, "history=1: pass True or False."),
    ({"details": "yes"}, TypeError, "details='yes': pass True or False."),
    ({"ignore_index": None}, TypeError, "ignore_index=None: pass the padding value of the labels, such as -100."),
    ({"ignore_index": True}, TypeError, "ignore_index=True: pass the padding value of the labels, such as -100."),
    ({"documents": [1, 1, 2, 2]}, TypeError, "`documents`: pass history=True here, and the tables in `history` to compare(tables, documents=...)."),
    ({"by": [2024, "news"], "history": True}, TypeError, "by: expected labels of one type for a table, got int and str."),
    ({"by": [True, 2.5], "history": True}, TypeError, "by: expected labels of one type for a table, got bool and float."),
    ({"by": [2.5, True], "history": True}, TypeError, "by: expected labels of one type for a table, got bool and float."),
    ({"by": [2**70, 1], "history": True}, TypeError, "by: expected labels of one type for a table, got numbers beyond 64 bits."),
    ({"by": [None, "null"]}, ValueError, "by: the labels None and 'null' would be one key in JSON."),
    ({"segments": True}, (TypeError, ValueError), "`segments` is not an option of compute_metrics()."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG_ARGUMENTS, ids=[str(case[0]) for case in WRONG_ARGUMENTS])  # fmt: skip
def test_wrong_arguments_fail_when_the_callback_is_made(bleu, arguments, error, message):
    with pytest.raises(error) as raised:
        bleu.compute_metrics(Words(), **arguments)
    assert str(raised.value).startswith(message)


# Predictions and labels that are not rows of ids, and the beginning of the message.
NOT_ROWS = [
    (np.array([2, 3, 4]), COLUMNS, ValueError, "predictions: expected one row of token ids per segment, got shape [3]. Pass integers of shape [rows, tokens]."),
    ([2, 3, 4], COLUMNS, ValueError, "predictions: expected one row of token ids per segment, got shape [3]."),
    (COLUMNS, np.array([2, 3, 4]), ValueError, "labels: expected one row of token ids per segment, got shape [3]."),
    (None, COLUMNS, ValueError, "predictions: expected one row of token ids per segment, got None."),
    (np.zeros((3, 4)), COLUMNS, TypeError, "predictions: expected one row of token ids per segment, got float64."),
    (np.zeros((3, 4), np.float16), COLUMNS, TypeError, "predictions: expected one row of token ids per segment, got float16."),
    (Tensor(COLUMNS, "bfloat16"), COLUMNS, TypeError, "predictions: expected one row of token ids per segment, got bfloat16. Pass integers of shape [rows, tokens]."),
    (COLUMNS, Tensor(COLUMNS, "bfloat16"), TypeError, "labels: expected one row of token ids per segment, got bfloat16."),
    (COLUMNS, list(Tensor(COLUMNS, "bfloat16")), TypeError, "labels: expected one row of token ids per segment, got bfloat16."),
    ([Tensor(COLUMNS, "bfloat16")], COLUMNS, TypeError, "predictions: expected one row of token ids per segment, got bfloat16."),
    (Tensor([COLUMNS], "bfloat16"), COLUMNS, ValueError, "predictions: got logits of shape [1, 3, 4]. Set predict_with_generate=True"),
    (["the cat"] * 3, COLUMNS, ValueError, "predictions: expected one row of token ids per segment, got shape [3]."),
    (np.zeros((3, 4, 5)), COLUMNS, ValueError, "predictions: got logits of shape [3, 4, 5]. Set predict_with_generate=True"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("predicted", "labels", "error", "message"), NOT_ROWS, ids=[case[-1] for case in NOT_ROWS]
)
def test_one_row_of_ids_per_segment(bleu, predicted, labels, error, message):
    """Ids of one dimension would otherwise be segments of one token each."""
    callback = bleu.compute_metrics(Words())
    with pytest.raises(error) as raised:
        callback((predicted, labels))
    assert str(raised.value).startswith(message)
    assert callback((COLUMNS, COLUMNS))["bleu"] > 0


# Arguments of the callback that are not a pair, and what the message calls them.
NOT_PAIRS = [
    (WHOLE, "two arguments"),
    (({"labels": []},), "dict"),
    ((None,), "None"),
    ((iter(WHOLE),), "tuple_iterator"),
    (("the cat",), "str"),
    (("",), "str"),
    (((),), "tuple of length 0"),
    (([],), "list of length 0"),
    (((PREDICTED,),), "tuple of length 1"),
    (([PREDICTED],), "list of length 1"),
    ((PREDICTED,), "ndarray of int64"),
    ((PREDICTED[:0],), "ndarray of int64"),
    ((np.array([PREDICTED, PREDICTED]),), "ndarray of int64"),
    ((Tensor(PREDICTED),), "Tensor of int64"),
    ((pd.DataFrame(PREDICTED),), "DataFrame"),
]


@pytest.mark.parametrize(("arguments", "found"), NOT_PAIRS, ids=[found for _, found in NOT_PAIRS])
def test_predictions_and_labels_are_one_pair(bleu, arguments, found):
    callback = bleu.compute_metrics(Words())
    message = (
        f"The callback takes predictions and labels as one pair, got {found}."
        " Write callback((predictions, labels))."
    )
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        callback(*arguments)


class EvalPrediction:
    """The argument of a trainer: items by position, but neither a tuple nor a length."""

    def __init__(self, *parts):
        self._parts = parts

    def __getitem__(self, index):
        return self._parts[index]


@pytest.mark.parametrize("make_pair", [
    lambda *parts: parts, lambda *parts: list(parts), EvalPrediction,
    lambda *parts: EvalPrediction(*parts, "inputs"),
], ids=["tuple", "list", "EvalPrediction", "with inputs"])  # fmt: skip
def test_forms_of_a_pair(bleu, expected, make_pair):
    assert bleu.compute_metrics(Words())(make_pair(PREDICTED, LABELS)) == expected


# Labels of a batch that comes twice, and whether they show that an evaluation was interrupted.
REPEATED_LABELS = {
    "different": (["the cat sat", "a dog ran"], True),
    "one of them empty": (["", "a dog ran"], True),
    "all empty": (["", ""], False),
    "one class": (["cat", "cat"], False),
    "one row": (["the cat sat"], False),
}


@pytest.mark.parametrize(
    ("labels", "is_noticed"), REPEATED_LABELS.values(), ids=list(REPEATED_LABELS)
)
def test_labels_that_are_alike_do_not_show_a_restart(bleu, labels, is_noticed):
    """Complete batches of a classifier, or without labels, look the same."""
    callback = bleu.compute_metrics(Words(), references=[["the cat sat"]] * 2 * len(labels))

    def evaluate():
        callback((ids(*labels), ids(*labels)), compute_result=False)
        callback((ids(*labels), ids(*labels)))

    _, messages = record_warnings(evaluate)
    assert any("reset()" in message for message in messages) is is_noticed


def test_an_interrupted_evaluation_of_another_model_state_is_noticed(bleu):
    """The second evaluation alone scores 100; its warning names `reset()`."""
    first, second = ids("the cat sat on a", "dog ran to house"), ids("a mat", "the house ran")
    callback = bleu.compute_metrics(Words())
    callback((np.full((2, 5), 4), first), compute_result=False)
    _, messages = record_warnings(lambda: callback((first, first), compute_result=False))
    assert len(messages) == 1
    assert "Call `reset()` on the callback" in messages[0]
    callback.reset()
    callback((first, first), compute_result=False)
    assert callback((second, second))["bleu"] == pytest.approx(100)


class Broken(Words):
    words = (*Words.words, "\ud800")


@pytest.mark.parametrize(("column", "row"), [("predictions", 2), ("labels", 3)])
def test_a_decoded_surrogate_is_named_by_its_row(bleu, column, row):
    """Rows count from the start of the evaluation data, over all batches."""
    columns = {name: np.array([[2, 3, 4, 5]] * 4) for name in ("predictions", "labels")}
    columns[column][row, 1] = len(Words.words)
    batches = [tuple(part[rows] for part in columns.values()) for rows in (slice(2), slice(2, 4))]
    callback = bleu.compute_metrics(Broken())
    callback(batches[0], compute_result=False)
    with pytest.raises(
        ValueError, match=rf"^{column}\[{row}\]: the tokenizer decoded to a lone surrogate"
    ):
        callback(batches[1])


def test_a_processor_knows_the_padding_of_its_tokenizer(bleu, expected):
    class Processor:
        tokenizer = Words()
        batch_decode = staticmethod(Words().batch_decode)

    assert bleu.compute_metrics(Processor())((PREDICTED, LABELS)) == expected


def test_a_wrong_number_of_labels_in_batches(bleu, expected_of_four):
    callback = bleu.compute_metrics(Words(), by=["a"] * 3)
    callback(BATCHES[0], compute_result=False)
    with pytest.raises(ValueError, match="by: got 3 labels for 4 predictions"):
        callback(BATCHES[1])
    assert bleu.compute_metrics(Words(), by=["a"] * 4)(WHOLE)["bleu_a"] == expected_of_four["bleu"]


@pytest.mark.parametrize("by", [None, DOMAINS], ids=["whole", "by"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_history_keeps_the_table_of_each_evaluation(bleu, way, by):
    """The tables are `statistics` of the decoded texts, with their metadata."""
    callback = bleu.compute_metrics(
        Words(), references=FOUR_LABELS, by=by, history=True, lowercase=True
    )
    expected = bleu.statistics(predictions=FOUR, references=FOUR_LABELS, by=by, lowercase=True)
    assert callback.history == []
    for evaluation in range(1, 3):
        way(callback)
        assert len(callback.history) == evaluation
        assert callback.history[-1].equals(expected, check_metadata=True)
    callback.reset()
    assert len(callback.history) == 2


def test_history_leaves_out_an_interrupted_evaluation(bleu):
    callback = bleu.compute_metrics(Words(), history=True)
    callback(BAD, compute_result=False)
    callback.reset()
    callback(BATCHES[0], compute_result=False)
    with pytest.raises(ValueError, match="logits"):
        callback((np.zeros((2, 8, 9)), BATCHES[1][1]))
    assert callback.history == []
    callback(WHOLE)
    assert [table.num_rows for table in callback.history] == [4]


def test_checkpoints_are_compared_by_their_tables(bleu):
    """The comparison is that of the texts, which no longer exist."""
    callback = bleu.compute_metrics(Words(), history=True)
    other = [text.replace("the", "a") for text in FOUR]
    callback(WHOLE)
    callback((ids(*other), ids(*FOUR_LABELS)))
    tables = dict(zip((1000, 2000), callback.history))
    expected = bleu.compare({1000: FOUR, 2000: other}, FOUR_LABELS, n_resamples=50)
    assert bleu.compare(tables, n_resamples=50) == expected
    assert bleu.rank(tables, n_resamples=50) == bleu.rank(
        {1000: FOUR, 2000: other}, FOUR_LABELS, n_resamples=50
    )


@pytest.mark.parametrize("arguments", [{}, *further([{"by": DOMAINS * 400}, {"references": FOUR_LABELS * 400}])], ids=lambda value: "".join(value) or "whole")  # fmt: skip
def test_memory_does_not_grow_without_history(bleu, arguments):
    """All state of the callback is pickled; it grows only until the sample of rows that are looked at is full."""
    metric, sizes = bleu.compute_metrics(Words(), **arguments), []
    for _ in range(50):
        for _ in range(8):
            for batch in BATCHES:
                metric(batch, compute_result=False)
        state = {key: value for key, value in vars(metric).items() if key != "_tokenizer"}
        sizes.append(len(dill.dumps(state)))
    assert max(sizes[25:]) <= 1.1 * max(sizes[:25])


# Texts with a score of 0, or nearly, options, and labels of groups.
ZEROS = {
    "no match": (["the cat sat on", "a dog"], ["mat mat mat mat", "house"], {}, None),
    "no 4-gram": (["the cat sat on", "a dog"], ["the cat on sat", "a dog"], {"smooth_method": "none"}, None),
    "too short": (["the cat", "a dog"], ["the cat", "a dog"], {}, None),
    "not generated": (["", ""], ["the cat sat on", "a dog"], {}, None),
    "without references": (["the cat sat on", "a dog"], ["", ""], {}, None),
    "far too short": (["a", ""], ["a " + "the " * 900, "cat"], {"max_order": 1}, None),
    "close to 0": (["the cat sat on", "a dog"], ["mat mat mat mat", "house"], {"smooth_method": "coco"}, None),
    "one of two labels": (["the cat sat on", "a dog"], ["the cat sat on", "mat"], {}, ["x", "y"]),
    "one label, not generated": (["the cat sat on", ""], ["the cat sat on", "mat"], {}, ["x", "y"]),
    "both labels": (["the cat", "a dog"], ["the cat", "a dog"], {}, ["x", "y"]),
}  # fmt: skip


@pytest.mark.parametrize(("predicted", "labels", "options", "by"), ZEROS.values(), ids=ZEROS)
@pytest.mark.parametrize("batch_size", [1, 2])
def test_a_score_of_0_has_the_reason_of_compute(bleu, predicted, labels, options, by, batch_size):
    """Once per evaluation, whatever the number of batches."""
    given = {**options, "by": by}
    _, expected = record_warnings(
        lambda: bleu.compute(predictions=predicted, references=labels, **given)
    )
    assert len([message for message in expected if message.startswith("The score")]) == 1
    callback = bleu.compute_metrics(Words(), **given)

    def evaluate():
        for start in range(0, 2, batch_size):
            rows = slice(start, start + batch_size)
            is_last = start + batch_size == 2
            callback((ids(*predicted)[rows], ids(*labels)[rows]), compute_result=is_last)

    for _ in range(2):
        assert record_warnings(evaluate)[1] == expected


# What trainers pass: rows of a decoder-only model, and the arrays that are made of them. Texts are of ids from 10 on;
# 0 is padding, 1 ends a text.

PROMPTS = [[10 + (3 * i + 5 * k) % 50 for k in range(4 + i % 5)] for i in range(12)]
ANSWERS = [[60 + (7 * i + 11 * k) % 90 for k in range(5 + i * 3 % 8)] + [1] for i in range(12)]
# A model that has learned something: every fifth word is wrong, and longer texts lack a word.
WRITTEN = [[9 if k % 5 == 2 else id for k, id in enumerate(row) if k != 6] for row in ANSWERS]
# Models that have not: their texts have no words of the labels, and end, or never end.
UNRELATED = [[200 + (5 * i + k) % 40 for k in range(3 + i % 4)] + [1] for i in range(12)]
ENDLESS = [[200 + (5 * i + k) % 40 for k in range(60)] for i in range(12)]
MASKED = [[-100] * len(prompt) + answer for prompt, answer in zip(PROMPTS, ANSWERS)]
WHOLE_INPUT = [prompt + answer for prompt, answer in zip(PROMPTS, ANSWERS)]


def padded(rows, value=-100, width=0, side="right"):
    """Return rows of one width, which is at least that of the longest row."""
    width = max(width, *map(len, rows))
    fill = [[value] * (width - len(row)) for row in rows]
    pairs = zip(rows, fill) if side == "right" else zip(fill, rows)
    return np.array([left + right for left, right in pairs])


def multiple_of_8(rows):
    """Return rows padded as with `pad_to_multiple_of=8`, so that no row here is as wide as the array."""
    return padded(rows, side="left", width=24)


def started(rows, start, width=0):
    """Return generated rows of an encoder-decoder."""
    return padded([[start, *row] for row in rows], 0, width)


def argmax(inputs, accuracy=0.75):
    """Return the ids that a model finds most probable after each id: the next one, or another, never padding."""
    following = np.roll(inputs, -1, axis=1)
    is_right = np.random.default_rng(1).random(inputs.shape) < accuracy
    return np.where(is_right & (following > 0), following, 160 + inputs % 7)


RIGHT, LEFT = padded(MASKED), padded(MASKED, side="left")
INPUTS, LEFT_INPUTS = padded(WHOLE_INPUT, 0), padded(WHOLE_INPUT, 0, side="left")
GATHERED = lambda array: np.pad(array, ((0, 0), (0, 5)), constant_values=-100)
AFTER_PROMPTS = np.concatenate([padded(PROMPTS, 0, side="left"), padded(WRITTEN, 0)], axis=1)
SCORED, WARNED = "scored", "Every row of labels begins with ignore_index"
ARGMAX, PROMPT = "the argmax of logits", "begins with the prompt"

# Predictions, labels, and what the callback answers. A score is that of the texts without prompts and padding.
PASSED = {
    # Seq2SeqTrainer with predict_with_generate=True, encoder-decoders.
    "generated": (started(WRITTEN, 0), padded(ANSWERS), SCORED),
    "labels padded on the left": (started(WRITTEN, 0), padded(ANSWERS, side="left"), SCORED),
    "on the left to a fixed width": (started(WRITTEN, 0), multiple_of_8(ANSWERS), SCORED),
    "on the left, started by 1": (started(WRITTEN, 1), multiple_of_8(ANSWERS), SCORED),
    "on the left, started by another id": (started(WRITTEN, 7), multiple_of_8(ANSWERS), SCORED),
    "on the left, equal widths": (started(WRITTEN, 0, 24), multiple_of_8(ANSWERS), SCORED),
    "both padded to max_length": (started(WRITTEN, 0, 30), np.pad(multiple_of_8(ANSWERS), ((0, 0), (0, 6))), SCORED),
    "gathered from processes": (GATHERED(started(WRITTEN, 0)), GATHERED(padded(ANSWERS)), SCORED),
    "gathered, on the left": (GATHERED(started(WRITTEN, 0)), GATHERED(multiple_of_8(ANSWERS)), SCORED),
    "untrained": (started(ENDLESS, 0), padded(ANSWERS), SCORED),
    "untrained, on the left": (started(ENDLESS, 0), multiple_of_8(ANSWERS), SCORED),
    "untrained, equal widths": (started(ENDLESS, 7), np.pad(multiple_of_8(ANSWERS), ((0, 0), (0, 37))), SCORED),
    "equal widths": (started(WRITTEN, 0, 20), padded(ANSWERS, width=20), SCORED),
    "exact": (started(ANSWERS, 0), multiple_of_8(ANSWERS), SCORED),
    # The same, decoder-only models: `generate` repeats its input, the answer included.
    "after the input": (np.concatenate([INPUTS, padded(UNRELATED, 0)], axis=1), RIGHT, PROMPT),
    "after the input, on the left": (np.concatenate([LEFT_INPUTS, padded(UNRELATED, 0)], axis=1), LEFT, PROMPT),
    "after the input, to max_length": (np.pad(INPUTS, ((0, 0), (0, 9))), np.pad(RIGHT, ((0, 0), (0, 9))), PROMPT),
    "the input alone": (INPUTS, RIGHT, PROMPT),
    # A `prediction_step` that generates after prompts padded on the left, and removes them, or does not.
    "after the prompt": (AFTER_PROMPTS, RIGHT, PROMPT),
    "after the prompt, gathered": (GATHERED(AFTER_PROMPTS), GATHERED(RIGHT), PROMPT),
    "without the prompt": (padded(WRITTEN, 0), RIGHT, SCORED),
    "without the prompt, on the left": (padded(WRITTEN, 0), LEFT, SCORED),
    "without the prompt, gathered": (GATHERED(padded(WRITTEN, 0)), GATHERED(RIGHT), SCORED),
    "untrained, endless": (padded(ENDLESS, 0), RIGHT, WARNED),
    # Trainer and SFTTrainer, and Seq2SeqTrainer without predict_with_generate.
    "logits": (np.zeros((12, 18, 30), np.float32), RIGHT, "got logits of shape"),
    "logits in a tuple": ((np.zeros((12, 18, 30), np.float32), ()), RIGHT, "got logits of shape"),
    # The same, if `preprocess_logits_for_metrics` takes the argmax.
    "argmax": (argmax(INPUTS), RIGHT, ARGMAX),
    "argmax, on the left": (argmax(LEFT_INPUTS), LEFT, ARGMAX),
    "argmax, gathered": (GATHERED(argmax(INPUTS)), GATHERED(RIGHT), ARGMAX),
    "argmax, untrained": (argmax(INPUTS, 0), RIGHT, ARGMAX),
    "argmax, perfect": (argmax(INPUTS, 1), RIGHT, ARGMAX),
    "argmax, shifted": (argmax(INPUTS)[:, :-1], RIGHT[:, 1:], ARGMAX),
    "argmax, masked": (np.where(RIGHT == -100, -100, argmax(INPUTS)), RIGHT, ARGMAX),
    "argmax, masked by padding": (np.where(RIGHT == -100, 0, argmax(INPUTS)), RIGHT, ARGMAX),
    "argmax, shifted and masked": (np.where(RIGHT == -100, -100, np.roll(argmax(INPUTS), 1, axis=1)), RIGHT, ARGMAX),
    "argmax, a turn masked later": (argmax(INPUTS), np.where(np.arange(18) == 9, -100, RIGHT), ARGMAX),
    "argmax, empty labels": (argmax(INPUTS), np.where(np.arange(12)[:, None] == 3, -100, RIGHT), ARGMAX),
}  # fmt: skip


RECIPE = '"Decoder-only models (Trainer, SFTTrainer)" in docs/training.md'


class Numbers(Words):
    """A tokenizer whose words are ids."""

    def batch_decode(self, batch, skip_special_tokens):
        return [" ".join(str(id) for id in row if id > 1) for row in batch]


def texts_of(rows):
    return Numbers().batch_decode(rows, skip_special_tokens=True)


REFERENCES = texts_of(ANSWERS)
RUNS = 100  # random evaluations


def evaluate_in_batches(callback, predicted, labels, size):
    """Return the result of an evaluation in batches of a given number of rows."""
    for start in range(0, len(predicted), size):
        rows = slice(start, start + size)
        is_last = start + size >= len(predicted)
        batch_labels = None if labels is None else labels[rows]
        result = callback((predicted[rows], batch_labels), compute_result=is_last)
    return result


@pytest.mark.parametrize(("predicted", "labels", "expected"), PASSED.values(), ids=PASSED)
def test_what_trainers_pass(bleu, predicted, labels, expected):
    """Text is scored. The argmax of logits and prompts are errors; a warning says that it cannot be told."""
    callback = bleu.compute_metrics(Numbers())
    ids = predicted[0] if isinstance(predicted, tuple) else predicted
    for size in (1, 5, 12):
        evaluate = lambda size=size: evaluate_in_batches(callback, ids, labels, size)
        if expected not in (SCORED, WARNED):
            with pytest.raises(ValueError, match=expected) as raised:
                evaluate()
            assert str(raised.value).startswith("predictions: ")
            assert str(raised.value).endswith(f"{RECIPE}.")
            continue
        result, warned = record_warnings(evaluate)
        suspicions = [message for message in warned if "labels" in message]
        assert [message.startswith(WARNED) for message in suspicions] == [True] * (
            expected == WARNED
        )
        texts = texts_of(ids)
        assert result["bleu"] == bleu.compute(predictions=texts, references=REFERENCES)["score"]


def test_what_trainers_pass_beside_references(bleu):
    """References do not change what labels show; without labels, a prompt or an argmax is not recognized."""
    callback = bleu.compute_metrics(Numbers(), references=REFERENCES)
    with pytest.raises(ValueError, match=ARGMAX):
        callback((argmax(INPUTS), RIGHT))
    with pytest.raises(ValueError, match=PROMPT):
        callback((AFTER_PROMPTS, RIGHT))
    for predicted in (argmax(INPUTS), AFTER_PROMPTS, started(WRITTEN, 0)):
        expected = bleu.compute(predictions=texts_of(predicted), references=REFERENCES)["score"]
        assert record_warnings(lambda: callback((predicted, None)))[0]["bleu"] == expected


@pytest.mark.parametrize(
    ("predicted", "labels"),
    [
        (argmax(INPUTS), INPUTS),
        (argmax(INPUTS), padded(WHOLE_INPUT)),
        (argmax(INPUTS)[:, :-1], padded(WHOLE_INPUT)[:, 1:]),
        (np.roll(argmax(padded(ANSWERS, 0)), 1, axis=1), padded(ANSWERS)),
    ],
    ids=["padding in the labels", "decoder-only", "shifted", "encoder-decoder"],
)
def test_the_argmax_without_a_mask_is_warned_of(bleu, predicted, labels):
    """Under labels that begin with a token, as `SFTTrainer` has them for texts, a number is only suspected."""
    callback = bleu.compute_metrics(Numbers())
    result, warned = record_warnings(lambda: callback((predicted, labels)))
    assert result["bleu"] > 5
    assert len([message for message in warned if ARGMAX in message and RECIPE in message]) == 1


def forced(rows, accuracy=0.7, seed=0):
    """Return the argmax after each id of rows, one list per row: the next id, or another."""
    generator = np.random.default_rng(seed)
    return [
        [
            id if generator.random() < accuracy else int(generator.choice(row))
            for id in [*row[1:], 9]
        ]
        for row in rows
    ]


STREAM = (10 + np.random.default_rng(3).zipf(1.3, 1200) % 300).tolist()
BLOCKS = [STREAM[start : start + 40] for start in range(0, 1200, 40)]
ROWS_OF_TEXT = [[*STREAM[40 * i : 40 * i + 12 + 3 * i % 20], 1] for i in range(30)]


@pytest.mark.parametrize("end_is_padding", [False, True])
@pytest.mark.parametrize("is_gathered", [False, True])
@pytest.mark.parametrize(
    ("rows", "size"),
    [(BLOCKS, 1), (BLOCKS, 8), (ROWS_OF_TEXT, 1)],
    ids=["blocks, one per batch", "blocks", "texts, one per batch"],
)
def test_the_argmax_of_rows_without_padding_is_warned_of(
    bleu, rows, size, is_gathered, end_is_padding
):
    """Packed blocks, and batches of one row, fill the width; a token stands one column before its label."""
    tokenizer = Numbers()
    tokenizer.eos_token_id = 1
    tokenizer.pad_token_id = 1 if end_is_padding else 0
    callback = bleu.compute_metrics(tokenizer)
    predicted = forced(rows)
    if is_gathered:
        evaluate = lambda: callback((padded(predicted), padded(rows)))
    else:
        lists = np.empty(len(rows), object), np.empty(len(rows), object)
        for array, lines in zip(lists, (predicted, rows)):
            array[:] = lines
        evaluate = lambda: evaluate_in_batches(callback, *lists, size)
    _, warned = record_warnings(evaluate)
    assert len([message for message in warned if ARGMAX in message and RECIPE in message]) == 1


# Generated rows, whose labels have no mask and fill the width.
GENERATED = {
    "as wide, without an end": (lambda row: row, lambda row: row),
    "a label of one token more": (lambda row: [*row[1:], 1], lambda row: [2, *row[1:]]),
    "the same, wrong words": (lambda row: [9 if id % 3 == 0 else id for id in row[1:]] + [1], lambda row: row),
    "one token": (lambda row: [9], lambda row: [row[0]]),
    "two tokens": (lambda row: [row[0] if row[1] % 2 else 9, 1], lambda row: [row[0], 1]),
    "a constant": (lambda row: [row[0]] * len(row), lambda row: row),
    "a loop": (lambda row: [*row[1:3], row[0]] * 4, lambda row: row[:3] * 4),
    "a word left out": (lambda row: (row[1:8] + row[9:] + [5, 5])[: len(row)], lambda row: [2, *row[1:]]),
    "an endless text": (lambda row: (row[:10] + row[12:] + [7] * 40)[:40], lambda row: row[: 10 + row[0] % 9]),
    "an endless text, exact": (lambda row: (row[:19] + [7] * 40)[:40], lambda row: row[: 10 + row[0] % 9]),
    "of an encoder-decoder": (lambda row: [0, *row[:-1]], lambda row: row),
}  # fmt: skip


@pytest.mark.parametrize(("write", "label"), GENERATED.values(), ids=GENERATED)
def test_generated_rows_as_wide_as_their_labels_are_no_argmax(bleu, write, label):
    tokenizer = Numbers()
    tokenizer.eos_token_id = 1
    callback = bleu.compute_metrics(tokenizer)
    predicted, labels = ([make(row) for row in BLOCKS] for make in (write, label))
    width = max(map(len, predicted + labels))
    for fill in (0, -100):
        arrays = padded(predicted, fill, width), padded(labels, -100, width)
        _, warned = record_warnings(lambda arrays=arrays: callback(arrays))
        assert not any(ARGMAX in message for message in warned)


@pytest.mark.parametrize("rows", [list, lambda array: [row.tolist() for row in array], Tensor])
def test_rows_of_padding_free_batches(bleu, rows):
    """`padding_free=True` has one row per batch, in which texts follow each other; lists are batches."""
    labels = [np.concatenate(MASKED[i : i + 4])[None] for i in (0, 4, 8)]
    inputs = [np.concatenate(WHOLE_INPUT[i : i + 4])[None] for i in (0, 4, 8)]
    callback = bleu.compute_metrics(Numbers())
    predicted = [rows(argmax(each)) if rows is Tensor else argmax(each) for each in inputs]
    with pytest.raises(ValueError, match=ARGMAX):
        callback((predicted, labels))


def random_run(generator, is_masked):
    """Return predictions and labels of a correct evaluation, batch by batch.

    With `is_masked`, it is of a decoder-only model, whose labels have masked prompts, and prompts are removed.
    """
    vocabulary = int(generator.choice([4, 12, 50, 1000]))
    accuracy = generator.choice([0, 0.2, 0.5, 0.8, 1])
    rows, size = (int(generator.integers(1, 65)) for _ in range(2))
    side = generator.choice(["left", "right"])
    width, generated_width = (int(generator.choice([0, 24, 32, 64])) for _ in range(2))
    longest = 64
    if is_masked:  # at equal widths, what an untrained model has written looks like an argmax
        generated_width, longest = 0, 61
    ends = generator.random() < 0.7
    start = [] if is_masked else [int(generator.choice([0, 1]))]
    words = lambda count: (2 + generator.zipf(1.3, count) % vocabulary).tolist()
    batches = []
    for first in range(0, rows, size):
        answers = [[*words(generator.integers(1, 20)), 1] for _ in range(min(size, rows - first))]
        prompts = [words(generator.integers(3, 20)) * is_masked for _ in answers]
        labels = [[-100] * len(p) + a for p, a in zip(prompts, answers)]
        texts = []
        for answer in answers:
            text = []
            for id in answer[:-1]:
                kind = generator.random()
                text += [id] if kind < accuracy else words(int(generator.choice([0, 1, 1, 1, 2])))
            text = [*text, 1] if ends else text + words(64)
            texts.append((start + text)[: generated_width or longest])
        predicted = padded(texts, int(generator.choice([0, -100])), generated_width)
        batches.append((predicted, padded(labels, -100, width, side)))
    return batches


@pytest.mark.parametrize("is_masked", [False, True], ids=["encoder-decoder", "decoder-only"])
def test_random_correct_evaluations(bleu, is_masked):
    """No error, and no warning but of decoder-only models that have learned little or are asked for few texts."""
    generator = np.random.default_rng(0)
    tokenizer = Numbers()
    tokenizer.eos_token_id = 1
    callback = bleu.compute_metrics(tokenizer)
    warned = 0
    for _ in range(RUNS):
        batches = random_run(generator, is_masked)

        def evaluate():
            for batch in batches[:-1]:
                callback(batch, compute_result=False)
            callback(batches[-1])

        _, messages = record_warnings(evaluate)
        suspicions = [message for message in messages if "abels" in message]
        warned += len(suspicions)
        assert is_masked or suspicions == []
    assert warned < RUNS / 5


def random_ids(rows):
    """Return predictions and labels that differ in one column."""
    labels = 2 + np.random.default_rng(0).integers(0, 500, (rows, 12))
    predicted = labels.copy()
    predicted[:, 3] = 1000
    return predicted, labels


def collect_warnings(callback, predicted, labels, size):
    return record_warnings(lambda: evaluate_in_batches(callback, predicted, labels, size))[1]


def test_a_batch_is_not_taken_for_the_evaluation(bleu):
    """Shares count the evaluation, or say how many rows were looked at; one odd batch does not cause a warning."""
    callback = bleu.compute_metrics(Numbers())
    predicted, labels = random_ids(400)
    assert collect_warnings(callback, predicted, labels, 40) == []
    equal = predicted.copy()
    equal[:10] = labels[:10]
    assert collect_warnings(callback, equal, labels, 10) == []
    empty = predicted.copy()
    empty[:8] = 0
    (message,) = collect_warnings(callback, empty, labels, 8)
    assert message.startswith("predictions[0] is empty, like 8 rows of 400.")
    moved = predicted.copy()
    moved[100:200] = np.roll(predicted[100:200], 1, axis=0)
    for size in (50, 100):
        (message,) = collect_warnings(callback, moved, labels, size)
        assert message.startswith("From predictions[100] on, ")
        assert re.match(
            r"From predictions\[\d+\] on, the predictions fit the references 1 row ", message
        )


def test_a_model_that_has_not_learned_is_not_told_to_be_unrelated(bleu):
    """Its predictions fit no reference, as does another file; `compute` on the same texts says so."""
    generator = np.random.default_rng(0)
    labels = generator.integers(2, 500, (300, 12))
    predicted = generator.integers(2, 500, (300, 12))
    callback = bleu.compute_metrics(Numbers())
    messages = collect_warnings(callback, predicted, labels, 100)
    assert not any("fit their references no better" in message for message in messages)
    predictions, references = (
        [" ".join(map(str, row)) for row in rows.tolist()] for rows in (predicted, labels)
    )
    with pytest.warns(bleu.Warning, match="fit their references no better"):
        bleu.compute(predictions=predictions, references=references)


def test_references_of_one_word_in_a_batch(bleu):
    """References that look like tokens are judged in the evaluation, not in each batch."""
    predicted, _ = random_ids(80)
    words = [["10", "12", "14", "16"]] * 4
    texts = [["10 12 14 16 18 20"] * 4] * 76
    token_like = lambda references: [
        message
        for message in collect_warnings(
            bleu.compute_metrics(Numbers(), references=references), predicted[:, :4], None, 4
        )
        if "one-word" in message or "tokens" in message
    ]
    assert token_like(words + texts) == []
    assert len(token_like(words * 20)) == 1


# --- Recipes of docs/training.md, without their libraries ------------------------------------------


class Ids(np.ndarray):
    """Ids with the methods of tensors that the recipes call."""

    device = None

    def where(self, condition, other):
        return np.where(condition, self, other)


class InterruptedModel:
    """Generates the ids of its inputs; the second call is interrupted."""

    device = None

    def __init__(self):
        self.calls = 0

    def generate(self, input_ids, **others):
        self.calls += 1
        if self.calls == 2:
            raise KeyboardInterrupt
        return np.concatenate([input_ids, input_ids], axis=1)


class Evaluated(Words):
    """A tokenizer of prompts that are ids already."""

    def __call__(self, prompts, **others):
        inputs = {"input_ids": np.array(prompts)}
        return SimpleNamespace(to=lambda device: inputs)


class Pairs(list):
    def iter(self, size):
        return self


GOOD, WRONG = "the cat sat on", "a mat ran to"


def evaluate_with_generation_bleu(namespace, logged):
    """Return an evaluation with the recipe for decoder-only models: the first batch is wrong."""
    pairs = Pairs(
        [{"prompt": ids(WRONG), "completion": [GOOD]}, {"prompt": ids(GOOD), "completion": [GOOD]}]
    )
    trainer = SimpleNamespace(log=lambda metrics: logged.append(metrics["eval_bleu"]))
    callback = namespace["GenerationBleu"](trainer, Evaluated(), pairs)
    arguments = SimpleNamespace(per_device_eval_batch_size=1)
    model = InterruptedModel()
    return pairs, lambda: callback.on_evaluate(arguments, None, None, model=model, metrics={})


def evaluate_with_lightning(namespace, logged):
    """Return an evaluation with the recipe for Lightning."""
    batches = [
        {"input_ids": ids(text), "attention_mask": None, "labels": np.tile(ids(GOOD), 2).view(Ids)}
        for text in (WRONG, GOOD)
    ]
    translator = namespace["Translator"](InterruptedModel(), Words())
    translator.log_dict = lambda result: logged.append(result["score"])

    def evaluate():
        getattr(translator, "on_validation_epoch_start", lambda: None)()
        for index, batch in enumerate(batches):
            translator.validation_step(batch, index)
        translator.on_validation_epoch_end()

    return batches, evaluate


RECIPES = {
    "Decoder-only models (Trainer, SFTTrainer)": evaluate_with_generation_bleu,
    "Lightning": evaluate_with_lightning,
}


@pytest.mark.parametrize(("title", "make"), RECIPES.items(), ids=RECIPES)
def test_a_recipe_does_not_score_the_rows_of_an_interrupted_evaluation(monkeypatch, title, make):
    """The wrong row of an evaluation that was interrupted is not in the score of the next one, which has none."""
    names = ["DataCollatorForSeq2Seq", "DataLoader"]
    fake = SimpleNamespace(**dict.fromkeys(names), LightningModule=object, TrainerCallback=object)
    for module in ("torch", "torch.utils", "torch.utils.data", "transformers", "lightning"):
        monkeypatch.setitem(sys.modules, module, fake)
    code = recipe(title)[0].partition("\ncollate = ")[0]
    exec(compile(code, "docs/training.md", "exec"), namespace := {})
    logged = []
    batches, evaluate = make(namespace, logged)
    with pytest.raises(KeyboardInterrupt):
        evaluate()
    del batches[0]
    evaluate()
    evaluate()
    assert logged == [pytest.approx(100)] * 2
