"""`compute` and `score`: what they answer, and what they refuse because it would be a number that misleads."""

import json

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

PREDICTIONS = ["the cat sat on the mat", "a dog", "the house is big and old"]
REFERENCES = ["the cat sat on a mat", "the dog ran to the house", "the house is big and red"]

# Rows of order 1, as far as they are no rows of segments any more.
SUMS = {
    "a list": [8, 14, 14, 18],
    "an array": np.array([8, 14, 14, 18]),
    "sums of two parts": [[5, 6, 6, 6], [3, 8, 8, 12]],
    "an array of sums": np.array([[5, 6, 6, 6], [3, 8, 8, 12]]),
}


@pytest.mark.parametrize("options", [{"confidence": 0.95}, {"segments": True}, {"confidence": 0.9, "segments": True}])
@pytest.mark.parametrize("at", ["load", "call"])
@pytest.mark.parametrize("sums", SUMS.values(), ids=SUMS)
def test_sums_have_no_segments_to_resample_or_to_score(load, sums, at, options):
    """An interval of a sum would have a width of 0: it is refused, with the reason; the plain score of it is not."""
    with pytest.raises(ValueError, match=r"(?i)(confidence|segments).*segment"):
        load(**options).score(sums) if at == "load" else load().score(sums, **options)
    assert load().score(sums)["counts"] == [8]


def test_what_sums_cant_give_is_named_with_the_value_that_leaves_it_out(bleu):
    for options, words in (
        ({"segments": True, "confidence": 0.9}, r"^segments needs.*leave segments out \(segments=False\)\.$"),
        ({"confidence": 0.9}, r"^confidence needs.*leave confidence out \(confidence=None\)\.$"),
    ):
        with pytest.raises(ValueError, match=words):
            bleu.score(SUMS["a list"], **options)


def test_a_sum_of_a_table_has_no_segments_either(load):
    """The recipe for several machines, with `confidence` among the options at load."""
    bleu = load(confidence=0.95)
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    assert bleu.score(rows)["confidence_interval"][0] < bleu.score(rows)["confidence_interval"][1]
    with pytest.raises(ValueError, match="confidence"):
        bleu.score(rows.to_pandas().sum().to_numpy())
    assert bleu.score(rows.to_pandas().sum().to_numpy(), confidence=None)["bleu"] == bleu.score(rows)["bleu"]


@pytest.mark.parametrize("beside", [{}, {"system": "A"}, {"year": 2021}], ids=str)
@pytest.mark.parametrize("form", [dict, pd.Series])
def test_a_sum_by_name_has_none_whatever_stands_beside_it(bleu, beside, form):
    """A row of `frame.groupby("system").sum()`, say, with the label among its values."""
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    total = form({**beside, **rows.to_pandas().sum().to_dict()})
    with pytest.raises(ValueError, match="confidence needs a row a segment"):
        bleu.score(total, confidence=0.9)
    assert bleu.score(total)["bleu"] == bleu.score(rows)["bleu"]


@pytest.mark.parametrize("options", [{}, {"confidence": 0.95}, {"segments": True}])
def test_an_empty_table_is_nothing_to_score(bleu, options):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    for empty in (rows.slice(0, 0), [rows.slice(0, 0)], [rows.slice(0, 0)] * 2):
        with pytest.raises(ValueError, match="nothing to score"):
            bleu.score(empty, **options)
    assert bleu.score([rows.slice(0, 0), rows], **options) == bleu.score(rows, **options)


@pytest.mark.parametrize("convention", ["default", "nltk", "moses", "hf"])
@pytest.mark.parametrize(
    ("predictions", "references", "kind"),
    [([["a", "b"], ["c"]], [[["a", "b", "c"]], [["c"]]], "tokens"), ([[1, 2], [3]], [[[1, 2, 3]], [[3]]], "ids")],
    ids=["tokens", "ids"],
)
def test_rows_of_tokens_are_scored_under_every_convention(load, convention, predictions, references, kind):
    """`score(statistics(...))` is `compute(...)`: a convention's tokenizer has no say about what is tokenised."""
    bleu = load(convention)
    rows = bleu.statistics(predictions=predictions, references=references)
    assert bleu.score(rows) == bleu.compute(predictions=predictions, references=references)
    assert f"|tok:{kind}|" in bleu.score([rows, rows])["signature"]
    assert bleu.score(rows, max_order=4)["totals"] == bleu.score(rows)["totals"]


# The same option, as NumPy brings it and as Python does.
SCALARS = [
    ({"max_order": np.int64(2)}, {"max_order": 2}),
    ({"max_order": np.uint8(3)}, {"max_order": 3}),
    ({"minimum_total": np.int32(1)}, {"minimum_total": 1}),
    ({"lowercase": np.True_}, {"lowercase": True}),
    ({"effective_order": np.bool_(False)}, {"effective_order": False}),
    ({"segments": np.True_}, {"segments": True}),
    ({"tokenize": np.str_("zh")}, {"tokenize": "zh"}),
    ({"reference_length": np.str_("longest")}, {"reference_length": "longest"}),
    ({"smooth_method": np.str_("floor"), "smooth_value": np.float64(0.25)}, {"smooth_method": "floor", "smooth_value": 0.25}),
    ({"smooth_method": "add-k", "smooth_value": np.int64(2)}, {"smooth_method": "add-k", "smooth_value": 2}),
    ({"smooth_method": "add-k", "smooth_value": np.float32(0.5)}, {"smooth_method": "add-k", "smooth_value": 0.5}),
    ({"weights": np.array([0.4, 0.3, 0.2, 0.1])}, {"weights": [0.4, 0.3, 0.2, 0.1]}),
    ({"weights": [np.float32(0.5), np.int64(0)], "max_order": np.int16(2)}, {"weights": [0.5, 0], "max_order": 2}),
    ({"confidence": np.float64(0.9), "n_resamples": np.int64(50), "seed": np.int64(3)}, {"confidence": 0.9, "n_resamples": 50, "seed": 3}),
    ({"confidence": np.float32(0.5), "n_resamples": np.uint16(50)}, {"confidence": 0.5, "n_resamples": 50}),
]  # fmt: skip


@pytest.mark.parametrize(("scalars", "plain"), SCALARS, ids=[",".join(plain) for _, plain in SCALARS])
def test_options_may_be_numpys_scalars(load, scalars, plain):
    """They are Python's from the door on: the same result, which JSON takes, at load, at the call and in `score`."""
    corpus = {"predictions": PREDICTIONS, "references": REFERENCES}
    expected = load().compute(**corpus, **plain)
    for result in (load().compute(**corpus, **scalars), load(**scalars).compute(**corpus)):
        assert result == expected
        assert json.loads(json.dumps(result)) == result
        assert str(result) == str(expected)
    rows = load(**scalars).statistics(**corpus)
    assert rows.schema.metadata == load(**plain).statistics(**corpus).schema.metadata
    assert json.dumps(load(**scalars).score(rows)) == json.dumps(expected)


def test_numpys_scalars_in_the_other_calls(load):
    bleu = load(seed=np.int64(5))
    systems = {"A": PREDICTIONS, "B": REFERENCES}
    compared = bleu.compare(systems, REFERENCES, n_resamples=np.int64(20), confidence=np.float64(0.9))
    assert json.loads(json.dumps(compared)) == compared
    reported = np.float64(round(bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["score"], 2))
    found = bleu.reconcile(PREDICTIONS, REFERENCES, reported, decimals=np.int64(2), max_order=np.int64(4))
    assert json.loads(json.dumps(found)) == found
    explained = bleu.explain(PREDICTIONS[0], REFERENCES[0], max_order=np.int64(2), lowercase=np.True_)
    assert json.loads(json.dumps(explained)) == explained
    repeated = bleu.self_bleu(PREDICTIONS, max_order=np.int64(2))
    assert json.loads(json.dumps(repeated)) == repeated


# The rows were counted to order 4: the shorter orders are in them.
@pytest.mark.parametrize("max_order", [1, 2, 3, 4])
@pytest.mark.parametrize("more", [{}, {"smooth_method": "add-k"}, {"segments": True}, {"confidence": 0.9}])
def test_rows_give_the_score_of_a_shorter_order(load, max_order, more):
    corpus = {"predictions": PREDICTIONS, "references": REFERENCES}
    rows = load().statistics(**corpus)
    expected = load().compute(**corpus, max_order=max_order, **more)
    assert load().score(rows, max_order=max_order, **more) == expected
    assert load(max_order=max_order).score(rows, **more) == expected
    assert load().score([rows, rows], max_order=max_order)["bleu"] == load().score([rows], max_order=max_order)["bleu"]


def test_sums_give_the_score_of_a_shorter_order(bleu):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    total = rows.to_pandas().sum().to_numpy()
    expected = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, max_order=2, weights=[0.3, 0.7])
    assert bleu.score(total, max_order=2, weights=[0.3, 0.7])["bleu"] == expected["bleu"]
    assert bleu.score(total, max_order=2)["counts"] == expected["counts"]


@pytest.mark.parametrize("max_order", [3, 5])
def test_rows_dont_hold_a_longer_order(bleu, max_order):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES, max_order=2)
    with pytest.raises(ValueError, match=f"max_order.*{max_order}|{max_order}.*max_order"):
        bleu.score(rows, max_order=max_order)
