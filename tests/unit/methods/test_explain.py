"""`explain`: the tutorials' precisions, the statistics rows, and the examples of the paper."""

import json
import math
import re

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers import examples, further, random_rows, shift_offsets
from hypothesis import given, settings
from hypothesis import strategies as st
from tutorials import CANDIDATE_1, CANDIDATE_2, REPEATED, SHUFFLED
from tutorials import REFERENCES as TUTORIAL_REFERENCES

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


EXPLAINED_OPTIONS = [
    {},
    {"tokenize": "zh", "lowercase": True, "max_order": 2},
    {"tokenize": "char", "reference_length": "shortest", "max_order": 6},
    {"tokenize": "intl", "reference_length": "longest", "effective_order": True},
    {"tokenize": "none", "minimum_total": 1, "smooth_method": "none", "weights": (0.4, 0.3, 0.2, 0.1)},
    {"tokenize": str.split, "smooth_method": "laplace", "max_order": 1},
]  # fmt: skip


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
    explanation = load("moses").explain(
        "the the the the the the the", ["the cat is on the mat", "there is a cat"]
    )
    assert explanation["prediction"]["longest_match"] == [1, 1, 0, 0, 0, 0, 0]
    assert [reference["longest_match"] for reference in explanation["references"]] == [
        [1, 0, 0, 0, 1, 0],
        [0] * 4,
    ]
    assert explanation["effective_reference"] == 0
    assert explanation["orders"][0]["clipped"] == [{"ngram": ["the"], "count": 7, "allowed": 2}]
    assert explanation["orders"][0]["missed"] == []
    assert explanation["orders"][1]["missed"] == [
        {"ngram": ["the", "the"], "count": 6, "allowed": 0}
    ]


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
@pytest.mark.parametrize("seed", [0, *further([1, 2])])
def test_random_segments_are_explained_as_they_are_scored(bleu, options, seed):
    for prediction, references in zip(*random_rows(seed, 25)):
        check_consistent(bleu, prediction, references, options)


@settings(max_examples=examples(60))
@given(
    prediction=st.lists(st.sampled_from("ab")),
    references=st.lists(st.lists(st.sampled_from("ab")), min_size=1),
)
def test_any_tokens_are_explained_as_they_are_scored(load, prediction, references):
    check_consistent(load(), prediction, references, {"max_order": 3})


def check_consistent(bleu, prediction, references, options):
    """Assert that `explain` agrees with `compute` and `statistics`, and that JSON can hold its result."""
    explanation = bleu.explain(prediction, references, **options)
    assert explanation == {
        **explanation,
        **bleu.compute(predictions=[prediction], references=[references], **options),
    }
    row = bleu.statistics(predictions=[prediction], references=[references], **options).to_pylist()[
        0
    ]
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
    assert (
        explanation["references"][explanation["effective_reference"]]["length"]
        == row["reference_length"]
    )
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


# Containers of the references of one segment.
REFERENCE_CONTAINERS = {
    "a tuple": tuple,
    "an iterator": iter,
    "NumPy": np.array,
    "pandas": pd.Series,
    "polars": pl.Series,
    "Arrow": pa.array,
    "Arrow's chunks": lambda rows: pa.chunked_array([rows[:1], rows[1:]]),
    "a part of longer Arrow data": lambda rows: shift_offsets(pa.array(rows)),
    "datasets": lambda rows: datasets.Dataset.from_dict({"c": rows})["c"],
}


@pytest.mark.parametrize("container", REFERENCE_CONTAINERS.values(), ids=REFERENCE_CONTAINERS)
def test_references_of_a_segment_in_any_container(bleu, container):
    """The references that one explains are in the same containers as those that one scores."""
    for references in (["a b c", "a b", "x"], [["a", "b", "c"], ["a", "b"], ["x"]]):
        prediction = references[1]
        expected = bleu.explain(prediction, references)
        if container is np.array and isinstance(prediction, list):
            continue  # lists of unequal length
        assert bleu.explain(prediction, container(references)) == expected
    assert expected["effective_reference"] == 1


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
@pytest.mark.parametrize("container", [list, lambda rows: pd.Series(rows, dtype=object)])
def test_a_missing_reference_of_a_segment_keeps_the_index_of_the_others(bleu, missing, container):
    explanation = bleu.explain("a b", container([missing, "a b c d", "a b"]))
    assert explanation["effective_reference"] == 2


def test_lowercase_comes_before_the_tokenizer(bleu):
    """Tokens of a user's function are not lowercased again, as in `compute`."""
    explanation = bleu.explain(
        "Go on", ["GO ON"], tokenize=lambda text: [text[:2].upper(), text[2:]], lowercase=True
    )
    assert explanation["prediction"]["tokens"] == ["GO", " on"]
    assert explanation["counts"][:2] == [2, 1]


@pytest.mark.parametrize(
    ("prediction", "references", "options", "error", "message"),
    [
        (None, ["a"], {}, ValueError, r"prediction: .*got None"),
        ("a", [], {}, ValueError, r"references\[0\]: expected at least one reference, got none"),
        (b"a", ["a"], {}, TypeError, r"prediction: .*got bytes"),
        ("a", ["a"], {"segments": True}, TypeError, "`segments` is not an option of explain\\(\\). Remove it"),
        ("a", ["a"], {"confidence": 0.95}, TypeError, "`confidence` is not an option of explain"),
        ("a", ["a"], {"smooth": True}, TypeError, "write `smooth_method"),
    ],
)  # fmt: skip
def test_explain_errors(bleu, prediction, references, options, error, message):
    with pytest.raises(error, match=message):
        bleu.explain(prediction, references, **options)


COLUMNS = {
    "texts": (["a b", "c"], ["a b", "c"]), "one text": (["a b"], ["a b"]), "tuples": (("a b", "c"), ("a b", "c")), "one reference": (["a", "b"], "a b"),
    "pandas": (pd.Series(["a b", "c"]), [["a b"], ["c"]]), "Arrow": (pa.array(["a b", "c"]), [["a b"], ["c"]]), "NumPy": (np.array(["a b", "c"]), ["a b", "c"]),
    "tokens": ([["a", "b"], ["c"]], [[["a", "b"]], [["c"]]]), "ids": ([[1, 2], [3]], [[[1, 2]], [[3]]]), "an iterator": (iter([["a"], ["b"]]), ["a", "b"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("prediction", "references", "fix"),
    [
        ({"id": 7, "de": "a"}, ["a"], "prediction=prediction['de']."),
        ({"de": "a", "en": "b"}, ["a"], "prediction=prediction['de'] or prediction['en']."),
        ("a", [{"text": "a"}], "references=[reference['text'] for reference in references]."),
        ("a", {"text": "a"}, "references=references['text']."),
    ],
)
def test_a_dict_is_explained_by_its_text(bleu, prediction, references, fix):
    with pytest.raises(TypeError, match=f"expected its text. Pass {re.escape(fix)}$"):
        bleu.explain(prediction, references)


@pytest.mark.parametrize(("predictions", "references"), COLUMNS.values(), ids=COLUMNS)
def test_explain_takes_one_prediction(bleu, predictions, references):
    with pytest.raises(TypeError, match=r"^(prediction|references\[0\]): ") as raised:
        bleu.explain(predictions, references)
    assert str(raised.value).endswith(
        "explain() takes one prediction with its references: for columns, write"
        " explain(predictions[0], references[0])."
    )


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
def test_the_effective_reference_is_counted_as_the_caller_counted(
    bleu, references, index, as_tokens
):
    split = (lambda text: text and text.split()) if as_tokens else (lambda text: text)
    references = [None if text is None else split(text) for text in references]
    if as_tokens:
        references = [[] if reference == "" else reference for reference in references]
    explained = bleu.explain(split("a b c"), references)
    assert explained["effective_reference"] == index
    assert explained["reference_length"] == len(
        references[index] if as_tokens else references[index].split()
    )
