"""Texts of a column: sentences where tokens belong, rows without tokens, and numbers of rows."""

import numpy as np
import pytest
from test_read import SENTENCES, get_messages

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        (SENTENCES[0], [[text] for text in SENTENCES[1]]),
        (SENTENCES[0], [SENTENCES[1]]),
        (SENTENCES[0], [SENTENCES[1], SENTENCES[1]]),
        (tuple(SENTENCES[0]), [SENTENCES[1]]),
        (np.array(SENTENCES[0]), [np.array(SENTENCES[1])]),
    ],
    ids=["a reference each", "a list of references", "two lists", "tuples", "arrays"],
)
def test_sentences_where_tokens_belong(bleu, prediction, reference):
    """`add` with the rows of a batch is one row whose tokens are sentences: the message names `add_batch`."""
    assert any(
        "add_batch" in message
        for message in get_messages(lambda: bleu.add(prediction=prediction, reference=reference))
    )


@pytest.mark.parametrize("call", ["compute", "add_batch", "statistics"])
def test_sentences_where_tokens_belong_in_a_column(bleu, call):
    """A list of lists of sentences, nested too deep for a batch, issues a warning or an error."""
    columns = {"predictions": [SENTENCES[0]], "references": [[SENTENCES[1]]]}
    assert get_messages(lambda: getattr(bleu, call)(**columns))


# The numbers of rows with a token and of rows with a sentence, in this order.
@pytest.mark.parametrize(("tokens", "sentences", "warns"), [(50, 50, False), (40, 60, True), (200, 2_000, True), (2_000, 200, False)])  # fmt: skip
def test_sentences_are_looked_for_in_all_rows(bleu, tokens, sentences, warns):
    """A warning needs a space in most tokens of a sample that is spread over the rows."""
    rows = [["a"]] * tokens + [["a b"]] * sentences
    call = lambda: bleu.statistics(predictions=rows, references=[[["a"]]] * len(rows))
    assert any("add_batch" in message for message in get_messages(call)) == warns


def test_token_references_are_looked_for_in_all_rows(bleu):
    """The first 200 rows have references that are sentences."""
    texts = ["the cat sat here"] * 2_200
    references = [["the cat sat here"] * 4] * 200 + [["the", "cat", "sat", "here"]] * 2_000
    call = lambda: bleu.statistics(predictions=texts, references=references)
    assert not any("lists of tokens" in message for message in get_messages(call))
    call = lambda: bleu.statistics(predictions=texts[200:], references=references[200:])
    assert any("lists of tokens" in message for message in get_messages(call))


def test_batches_of_one_corpus_warn_once(bleu):
    """Each of the batches has as many references as rows."""
    add = lambda: bleu.add_batch(predictions=["a b", "c d"], references=[["a b", "c d"]] * 2)

    def add_three_times():
        for _ in range(3):
            add()

    for _ in range(2):  # again after the result
        assert len(get_messages(add_three_times)) == 1
        bleu.compute()


@pytest.mark.parametrize(
    "tokens",
    [["the", "cat"], ["▁the", "▁c", "at"], ["we", "'ll", "."], [""], ["我", "们"]],
    ids=str,
)
def test_tokens_are_not_taken_for_sentences(bleu, tokens):
    """Subword pieces and punctuation issue no warning."""
    calls = (
        lambda: bleu.add(prediction=tokens, reference=[tokens]),
        lambda: bleu.statistics(predictions=[tokens], references=[[tokens]]),
    )
    assert [
        message for call in calls for message in get_messages(call) if "add_batch" in message
    ] == []


@pytest.mark.parametrize(
    "added", [["the", "cat"], [1, 2], "the cat"], ids=["tokens", "ids", "text"]
)
def test_the_error_for_rows_of_another_kind_names_the_fix(bleu, added):
    """Rows of another kind are rejected, and the call that the message names solves the problem."""
    other = "a cat" if added != "the cat" else [1, 2]
    bleu.add(prediction=added, reference=[added])
    for call in (bleu.compute, bleu.add_batch):
        with pytest.raises(TypeError, match=r"\w+\(\)"):
            call(predictions=[other], references=[[other]])
    with pytest.raises(TypeError, match=r"\w+\(\)"):
        bleu.add(prediction=other, reference=[other])
    assert len(bleu) == 1
    bleu.compute()
    assert bleu.compute(predictions=["a b c d"], references=["a b c d"])["bleu"] == 1


def warns_of_transposed_references(bleu, collect):
    """Return whether the calls warn that references may be transposed."""
    return any(
        "zip(" in message for message in get_messages(lambda: (collect(bleu), bleu.compute()))
    )


def add_each(*references):
    return lambda bleu: [bleu.add(prediction="a b c d", reference=each) for each in references]


# Calls that collect rows, and whether they warn of transposed references.
COLLECTED = {
    "two added, two references each": (add_each(["a b c d", "x"], ["a b c d", "y"]), False),
    "three added, three references each": (add_each(*[["a b c d", "x", "y"]] * 3), False),
    "added as tokens of strings": (add_each(("a b c d", "x"), ("a b c d", "y")), False),
    "one added, one in a batch": (lambda bleu: (add_each(["a", "b"])(bleu), bleu.add_batch(predictions=["a"], references=[["a", "b"]])), False),
    "a square batch": (lambda bleu: bleu.add_batch(predictions=["a", "b"], references=[["a", "b"], ["c", "d"]]), True),
    "a square batch after an added one": (
        lambda bleu: (add_each("a")(bleu), bleu.add_batch(predictions=["a", "b"], references=[["a", "b"], ["c", "d"]])), True,
    ),
    "two added, then as many in compute": (lambda bleu: (add_each(["a", "b"], ["c", "d"])(bleu), bleu.compute(predictions=["a"], references=[["x"]])), False),
}  # fmt: skip


@pytest.mark.parametrize(("collect", "warns"), COLLECTED.values(), ids=COLLECTED)
def test_rows_added_one_by_one_are_never_transposed(bleu, collect, warns):
    assert warns_of_transposed_references(bleu, collect) == warns


# Rows of ids with an empty row, and the totals of the first two orders.
EMPTY_AMONG_IDS = {
    "empty last": ([[1, 2], []], [[[1, 2]], [[3]]], [2, 1]),
    "empty first": ([[], [1, 2]], [[[1, 2]], [[3]]], [2, 1]),
    "empty arrays": ([np.array([1, 2]), np.array([])], [[[1, 2]], [[3]]], [2, 1]),
    "empty arrays first": ([np.array([]), np.array([1, 2])], [[[1, 2]], [[3]]], [2, 1]),
    "empty int arrays": ([np.array([], int), np.array([1, 2])], [[[1, 2]], [[3]]], [2, 1]),
    "empty reference": ([[1, 2], [1]], [[[]], [[3]]], [3, 1]),
    "empty reference last": ([[1, 2], [1]], [[[3]], [[]]], [3, 1]),
    "empty reference arrays": ([[1, 2], [1]], [[np.array([])], [np.array([3])]], [3, 1]),
    "all empty": ([[], []], [[[]], [[]]], [0, 0]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("predictions", "references", "totals"), EMPTY_AMONG_IDS.values(), ids=EMPTY_AMONG_IDS
)
def test_an_empty_row_among_ids(load, predictions, references, totals):
    """A model that stops at once returns no ids: the row has length 0, at any place and in every call."""
    corpus = {"predictions": predictions, "references": references}
    assert load().compute(**corpus)["totals"][:2] == totals
    one_by_one, in_batches = load(), load()
    for prediction, reference in zip(predictions, references):
        one_by_one.add(prediction=prediction, reference=reference)
        in_batches.add_batch(predictions=[prediction], references=[reference])
    assert one_by_one.compute()["totals"][:2] == totals
    assert in_batches.compute()["totals"][:2] == totals
    assert (
        load().compute(
            statistics=[
                load().statistics(predictions=[p], references=[r])
                for p, r in zip(predictions, references)
            ]
        )["totals"][:2]
        == totals
    )


def test_a_row_that_is_empty_on_both_sides_among_ids(bleu):
    """Its kind is that of the other rows in the call; alone, Python's empty lists are tokens."""
    result = bleu.compute(predictions=[[], [1, 2]], references=[[[]], [[1, 2]]])
    assert result["totals"][:2] == [2, 1]
