"""`compute` and `score`: results, and inputs that are rejected because their score would mislead; `explain`."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from helpers import random_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tutorials import CANDIDATE_1, CANDIDATE_2, REPEATED, SHUFFLED
from test_tutorials import REFERENCES as TUTORIAL_REFERENCES

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# `compute` and `score`.


PREDICTIONS = ["the cat sat on the mat", "a dog", "the house is big and old"]
REFERENCES = ["the cat sat on a mat", "the dog ran to the house", "the house is big and red"]

# Sums of rows of order 1.
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
    """An interval of a sum would have a width of 0, so it is rejected with the reason; the plain score is returned."""
    with pytest.raises(ValueError, match=r"(?i)(confidence|segments).*segment"):
        load(**options).score(sums) if at == "load" else load().score(sums, **options)
    assert load().score(sums)["counts"] == [8]


def test_the_error_for_sums_names_the_option_to_leave_out(bleu):
    for options, words in (
        ({"segments": True, "confidence": 0.9}, r"^`segments` needs.*leave `segments` out \(segments=False\)\.$"),
        ({"confidence": 0.9}, r"^`confidence` needs.*leave `confidence` out \(confidence=None\)\.$"),
    ):
        with pytest.raises(ValueError, match=words):
            bleu.score(SUMS["a list"], **options)


def test_a_sum_of_a_table_has_no_segments_either(load):
    """The recipe for several machines works with `confidence` among the options at load."""
    bleu = load(confidence=0.95)
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    assert bleu.score(rows)["confidence_interval"][0] < bleu.score(rows)["confidence_interval"][1]
    with pytest.raises(ValueError, match="confidence"):
        bleu.score(rows.to_pandas().sum().to_numpy())
    assert bleu.score(rows.to_pandas().sum().to_numpy(), confidence=None)["bleu"] == bleu.score(rows)["bleu"]


@pytest.mark.parametrize("beside", [{}, {"system": "A"}, {"year": 2021}, {"year": 2021, "month": 5}], ids=str)
@pytest.mark.parametrize(("form", "message"), [(dict, "not a statistics table"), (pd.Series, r"sums\.to_numpy\(\)")])
def test_a_sum_by_name_is_rejected(bleu, beside, form, message):
    """A row of `frame.groupby("system").sum()` is neither a table nor an array: labels may be among its values."""
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    total = form({**beside, **rows.to_pandas().sum().to_dict()})
    for statistics in (total, [total, total]):
        with pytest.raises(ValueError, match=message):
            bleu.score(statistics)


@pytest.mark.parametrize("options", [{}, {"confidence": 0.95}, {"segments": True}])
def test_an_empty_table_is_nothing_to_score(bleu, options):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    for empty in (rows.slice(0, 0), [rows.slice(0, 0)], [rows.slice(0, 0)] * 2):
        with pytest.raises(ValueError, match="got no rows"):
            bleu.score(empty, **options)
    assert bleu.score([rows.slice(0, 0), rows], **options) == bleu.score(rows, **options)


@pytest.mark.parametrize("convention", ["default", "nltk", "moses", "hf"])
@pytest.mark.parametrize(
    ("predictions", "references", "kind"),
    [([["a", "b"], ["c"]], [[["a", "b", "c"]], [["c"]]], "tokens"), ([[1, 2], [3]], [[[1, 2, 3]], [[3]]], "ids")],
    ids=["tokens", "ids"],
)
def test_rows_of_tokens_are_scored_under_every_convention(load, convention, predictions, references, kind):
    """`score(statistics(...))` is `compute(...)`: a convention's tokenizer doesn't apply to tokens."""
    bleu = load(convention)
    rows = bleu.statistics(predictions=predictions, references=references)
    assert bleu.score(rows) == bleu.compute(predictions=predictions, references=references)
    assert f"|tok:{kind}|" in bleu.score([rows, rows])["signature"]
    assert bleu.score(rows, max_order=4)["totals"] == bleu.score(rows)["totals"]


# An option as a NumPy scalar, and as a Python value.
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
    """NumPy's scalars give the result of Python's, which JSON takes: at load, in the call and in `score`."""
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


# Rows counted to order 4 hold the shorter orders.
@pytest.mark.parametrize("max_order", [1, 2, 3, 4])
@pytest.mark.parametrize("more", [{}, {"smooth_method": "add-k"}, {"segments": True}, {"confidence": 0.9}])
def test_rows_hold_the_score_of_a_shorter_order(load, max_order, more):
    corpus = {"predictions": PREDICTIONS, "references": REFERENCES}
    rows = load().statistics(**corpus)
    expected = load().compute(**corpus, max_order=max_order, **more)
    assert load().score(rows, max_order=max_order, **more) == expected
    assert load(max_order=max_order).score(rows, **more) == expected
    assert load().score([rows, rows], max_order=max_order)["bleu"] == load().score([rows], max_order=max_order)["bleu"]


def test_sums_hold_the_score_of_a_shorter_order(bleu):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    total = rows.to_pandas().sum().to_numpy()
    expected = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, max_order=2, weights=[0.3, 0.7])
    assert bleu.score(total, max_order=2, weights=[0.3, 0.7])["bleu"] == expected["bleu"]
    assert bleu.score(total, max_order=2)["counts"] == expected["counts"]


@pytest.mark.parametrize("max_order", [3, 5])
def test_rows_do_not_hold_a_longer_order(bleu, max_order):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES, max_order=2)
    with pytest.raises(ValueError, match=f"max_order.*{max_order}|{max_order}.*max_order"):
        bleu.score(rows, max_order=max_order)


# `explain`: the tutorials' precisions, the statistics rows, and the examples of the paper.


EXPLAINED_OPTIONS = [
    {},
    {"tokenize": "zh", "lowercase": True, "max_order": 2},
    {"tokenize": "char", "reference_length": "shortest", "max_order": 6},
    {"tokenize": "intl", "reference_length": "longest", "effective_order": True},
    {"tokenize": "none", "minimum_total": 1, "smooth_method": "none", "weights": (0.4, 0.3, 0.2, 0.1)},
    {"tokenize": str.split, "smooth_method": "laplace", "max_order": 1},
]


@pytest.mark.parametrize(
    ("candidate", "simple", "modified"),
    [
        (CANDIDATE_1, (17, 18), (17, 18)),  # 0.9444 and 0.9444
        (CANDIDATE_2, (8, 14), (8, 14)),  # 0.5714
        (REPEATED, (13, 13), (1, 13)),  # 1.0 and 0.0769
        (SHUFFLED, (17, 18), (17, 18)),  # 0.9444
    ],
)
def test_the_tutorials_simple_and_modified_precision(load, candidate, simple, modified):
    first = load("nltk", lowercase=True).explain(candidate, TUTORIAL_REFERENCES)["orders"][0]
    assert (first["unclipped_matches"], first["total"]) == simple
    assert (first["matches"], first["total"]) == modified


def test_the_papers_second_example(load):
    """Two of seven "the" match, the first two, and no bigram; the closer reference has 6 words."""
    explanation = load("moses").explain("the the the the the the the", ["the cat is on the mat", "there is a cat"])
    assert explanation["prediction"]["longest_match"] == [1, 1, 0, 0, 0, 0, 0]
    assert [reference["longest_match"] for reference in explanation["references"]] == [[1, 0, 0, 0, 1, 0], [0] * 4]
    assert explanation["effective_reference"] == 0
    assert explanation["orders"][0]["clipped"] == [{"ngram": ["the"], "count": 7, "allowed": 2}]
    assert explanation["orders"][0]["missed"] == []
    assert explanation["orders"][1]["missed"] == [{"ngram": ["the", "the"], "count": 6, "allowed": 0}]


@pytest.mark.parametrize(
    ("prediction", "reference", "predicted", "covered"),
    [
        # "a b c" matches as a whole, "e" alone, "x" not; the second "a b" has no counterpart left.
        ("a b c x e a b", "a b c d e", [3, 3, 3, 0, 1, 0, 0], [3, 3, 3, 0, 1]),
        # One "a" may match: the second, because it is part of a longer match.
        ("a b a c", "a c", [0, 0, 2, 2], [2, 2]),
        # Without longer matches, the first "a" matches.
        ("a x a", "a y", [1, 0, 0], [1, 0]),
    ],
)
def test_the_longest_match(bleu, prediction, reference, predicted, covered):
    """Values worked out by hand."""
    explanation = bleu.explain(prediction, [reference])
    assert explanation["prediction"]["longest_match"] == predicted
    assert explanation["references"][0]["longest_match"] == covered


@pytest.mark.parametrize("options", EXPLAINED_OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_random_segments_are_explained_as_they_are_scored(bleu, options, seed):
    for prediction, references in zip(*random_rows(seed, 25)):
        check_consistent(bleu, prediction, references, options)


@settings(deadline=None, max_examples=60)
@given(prediction=st.lists(st.sampled_from("ab")), references=st.lists(st.lists(st.sampled_from("ab")), min_size=1))
def test_any_tokens_are_explained_as_they_are_scored(load, prediction, references):
    check_consistent(load(), prediction, references, {"max_order": 3})


def check_consistent(bleu, prediction, references, options):
    """Assert that `explain` agrees with `compute` and `statistics`, and that JSON can hold its result."""
    explanation = bleu.explain(prediction, references, **options)
    assert explanation == {**explanation, **bleu.compute(predictions=[prediction], references=[references], **options)}
    row = bleu.statistics(predictions=[prediction], references=[references], **options).to_pylist()[0]
    for order in explanation["orders"]:
        n = order["order"]
        assert (order["matches"], order["total"]) == (row[f"matches_{n}"], row[f"totals_{n}"])
        listed = [ngram["count"] - ngram["allowed"] for ngram in order["clipped"] + order["missed"]]
        assert sum(listed) == len_ngrams(explanation["prediction"], n) - order["matches"]
        missed = sum(ngram["count"] for ngram in order["missed"])
        assert missed == len_ngrams(explanation["prediction"], n) - order["unclipped_matches"]
        assert (n in explanation["prediction"]["longest_match"]) <= (order["matches"] > 0)
    # More if longer matches share a word, as "b a" and "a c" of the reference "b a c" do.
    assert sum(map(bool, explanation["prediction"]["longest_match"])) >= row["matches_1"]
    assert explanation["prediction"]["length"] == row["prediction_length"]
    assert explanation["references"][explanation["effective_reference"]]["length"] == row["reference_length"]
    assert formula(explanation) == pytest.approx(explanation["bleu"], abs=1e-15)
    assert json.loads(json.dumps(explanation)) == explanation


def len_ngrams(prediction, order):
    return max(prediction["length"] - order + 1, 0)


def formula(explanation):
    """Return BP · exp(Σ w ln p) of the displayed numbers."""
    factors = [(w, p) for w, p in zip(explanation["weights"], explanation["precisions"]) if w]
    if not factors or min(p for _, p in factors) == 0:
        return 0.0
    return explanation["brevity_penalty"] * math.exp(sum(w * math.log(p) for w, p in factors))


def test_effective_order_leaves_its_weight_to_the_others(bleu):
    assert bleu.explain("a b", ["a b"], effective_order=True)["weights"] == [0.5, 0.5, 0, 0]
    assert bleu.explain("a b", ["a b"])["weights"] == [0.25] * 4


@pytest.mark.parametrize(
    ("prediction", "references", "tokens"),
    [
        ("Go on.", "Go On.", ["go", "on", "."]),
        (["Go", "on."], [["Go", "On."]], ["go", "on."]),
        ((1, 2, 3), [[1, 2]], [1, 2, 3]),
        ("", ["a", ""], []),
    ],
)
def test_tokens_are_shown_as_they_are_counted(bleu, prediction, references, tokens):
    options = {} if isinstance(prediction, tuple) else {"lowercase": True}
    assert bleu.explain(prediction, references, **options)["prediction"]["tokens"] == tokens


def test_lowercase_comes_before_the_tokenizer(bleu):
    """Tokens of a user's function are not lowercased again, as in `compute`."""
    explanation = bleu.explain("Go on", ["GO ON"], tokenize=lambda text: [text[:2].upper(), text[2:]], lowercase=True)
    assert explanation["prediction"]["tokens"] == ["GO", " on"]
    assert explanation["counts"][:2] == [2, 1]


@pytest.mark.parametrize(
    ("prediction", "references", "options", "error", "message"),
    [
        (None, ["a"], {}, ValueError, r"predictions\[0\]: .*got None"),
        ("a", [], {}, ValueError, r"references\[0\]: expected at least one reference, got none"),
        (b"a", ["a"], {}, TypeError, r"predictions\[0\]: .*got bytes"),
        (
            "a",
            ["a"],
            {"segments": True},
            ValueError,
            "`segments` is not an option of explain\\(\\). Remove it",
        ),
        (
            "a",
            ["a"],
            {"confidence": 0.95},
            ValueError,
            "`confidence` is not an option of explain",
        ),
        ("a", ["a"], {"smooth": True}, TypeError, "write `smooth_method"),
    ],
)
def test_explain_errors(bleu, prediction, references, options, error, message):
    with pytest.raises(error, match=message):
        bleu.explain(prediction, references, **options)


def test_options_at_load_that_need_a_corpus_are_ignored(load):
    explanation = load(segments=True, confidence=0.95).explain("a", ["a"])
    assert not {"segment_bleu", "confidence_interval"} & set(explanation)


# References, with `None` for a missing one, and the index of the reference with the length closest to three.
EFFECTIVE = [
    (["a", "a b c"], 1),
    ([None, "a b c"], 1),
    ([None, "a", "a b c"], 2),
    (["a", None, "a b c"], 2),
    (["a b c", None], 0),
    ([None, None, "a"], 2),
    ([None, "", None, "a b c d", None], 3),
    (["a b", None, "a b c d"], 0),  # a tie, and shorter
]


@pytest.mark.parametrize("container", [tuple, lambda texts: np.array(texts, object)])
def test_an_absent_reference_counts_in_any_container(bleu, container):
    assert bleu.explain("a b c", container([None, "a", "a b c"]))["effective_reference"] == 2


def test_a_single_reference_may_be_a_str_and_empty(bleu):
    assert bleu.explain("a b c", "") == bleu.explain("a b c", [""])


@pytest.mark.parametrize(("references", "index"), EFFECTIVE, ids=str)
@pytest.mark.parametrize("as_tokens", [False, True], ids=["text", "tokens"])
def test_the_effective_reference_is_counted_as_the_caller_counted(bleu, references, index, as_tokens):
    split = (lambda text: text and text.split()) if as_tokens else (lambda text: text)
    references = [None if text is None else split(text) for text in references]
    if as_tokens:
        references = [[] if reference == "" else reference for reference in references]
    explained = bleu.explain(split("a b c"), references)
    assert explained["effective_reference"] == index
    assert explained["reference_length"] == len(references[index] if as_tokens else references[index].split())
