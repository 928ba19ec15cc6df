"""Labels: their form, and those that one key would name."""

import datetime
import enum
import json

import numpy as np
import pandas as pd
import pytest
from bleu.bleu_core.text import labels as labels_file
from test_read import NAN, SURROGATE

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# Labels, and the one form in which every method returns them.
class Color(str, enum.Enum):
    RED = "red"


LABELS_READ = [
    (["a", "b", "a"], ["a", "b", "a"]),
    ([2024.0, 2025.0], [2024, 2025]),
    ([1.5, 2], [1.5, 2]),
    ([None, NAN, pd.NA, "a"], [None, None, None, "a"]),
    (pd.Series([1, None]), [1, None]),
    (np.array([1.0, np.nan]), [1, None]),
    ([np.int8(3), np.str_("x")], [3, "x"]),
    ([True, False], [True, False]),
    ([Color.RED, "red"], ["red", "red"]),
    ([datetime.date(2024, 5, 1)], ["2024-05-01"]),
    ([1e300], [1e300]),
]


@pytest.mark.parametrize(("labels", "expected"), LABELS_READ, ids=str)
def test_labels_have_one_form(bleu, labels, expected):
    """The keys of `groups` are that form, in JSON too."""
    read = labels_file.read_labels(labels, len(expected))
    assert [(type(label), label) for label in read] == [(type(label), label) for label in expected]
    groups = bleu.compute(predictions=["a"] * len(read), references=["a"] * len(read), by=labels)[
        "groups"
    ]
    assert list(groups) == list(dict.fromkeys(expected))
    assert len(json.loads(json.dumps(groups))) == len(groups)


# Labels that one key would name, in JSON or in Python, and how the message writes them.
SAME_KEYS = [
    ([2024, "2024"], "2024 and '2024'"),
    (["x", 1.0, "1"], "1 and '1'"),
    ([None, "null"], "None and 'null'"),
    ([NAN, "null"], "None and 'null'"),
    (["true", True], "'true' and True"),
    ([True, 1], "True and 1"),
    ([0, False], "0 and False"),
    ([2.5, "2.5"], "2.5 and '2.5'"),
]


@pytest.mark.parametrize(("labels", "names"), SAME_KEYS, ids=str)
def test_labels_that_one_key_would_name_are_rejected(bleu, labels, names):
    """Otherwise `json.dumps` would lose a group."""
    texts = {"predictions": ["a"] * len(labels), "references": ["a"] * len(labels)}
    table = bleu.statistics(**texts)
    for call in (
        lambda: bleu.compute(**texts, by=labels),
        lambda: bleu.statistics(**texts, by=labels),
        lambda: bleu.compute(statistics=table, by=labels),
        lambda: bleu.compare(
            {"A": ["a"] * len(labels), "B": ["b"] * len(labels)}, texts["references"], by=labels
        ),
    ):
        with pytest.raises(
            ValueError, match=rf"by: the labels {names} would be one key in JSON\. Rename one"
        ):
            call()


def test_a_tokenizer_for_labels_in_any_form(bleu):
    """NaN and None name the same segments, and 1.0 those of the label 1."""
    texts = {"predictions": ["東京", "a b"], "references": ["東京", "a b"]}
    expected = bleu.compute(**texts, by=[None, 1], tokenize={None: "char", 1: "none"})
    assert (
        bleu.compute(**texts, by=[NAN, 1], tokenize={float("nan"): "char", np.float64(1): "none"})
        == expected
    )
    assert expected["groups"][None]["signature"].split("|")[3] == "tok:char"


LABELS_WITH_A_SURROGATE = {
    "list": lambda: ["x", SURROGATE],
    "tuple": lambda: ("x", SURROGATE),
    "iterator": lambda: iter(["x", SURROGATE]),
    "numpy": lambda: np.array(["x", SURROGATE]),
    "objects": lambda: np.array(["x", SURROGATE], dtype=object),
    "pandas": lambda: pd.Series(["x", SURROGATE], dtype=object),
    "with a number": lambda: [1, SURROGATE],
}


@pytest.mark.parametrize("labels", LABELS_WITH_A_SURROGATE.values(), ids=LABELS_WITH_A_SURROGATE)
@pytest.mark.parametrize("argument", ["by", "documents"])
def test_labels_with_a_lone_surrogate_are_rejected(bleu, argument, labels):
    """By each method that takes labels, also as columns of a table."""
    texts = ["a b", "c d"]
    systems = {"A": texts, "B": texts[::-1]}
    columns = {"predictions": texts, "references": texts}
    rows = bleu.statistics(**columns).to_pydict()
    name = {"by": "label", "documents": "document"}[argument]
    calls = {
        "compute": lambda taken: bleu.compute(**columns, **taken),
        "statistics": lambda taken: bleu.statistics(**columns, **taken),
        "compute, statistics": lambda taken: bleu.compute(
            statistics=rows, confidence=0.95, **taken
        ),
        "compare": lambda taken: bleu.compare(systems, texts, **taken),
        "tables": lambda taken: bleu.compare({"A": rows, "B": rows}, **taken),
        "column": lambda taken: bleu.compute(
            statistics={**rows, name: list(labels())}, **{argument: name}
        ),
        "total": lambda taken: bleu.total({**rows, name: list(labels())}),
        "diff": lambda taken: bleu.diff(systems, texts, **taken),
        "rank": lambda taken: bleu.rank(systems, texts, **taken),
        "check": lambda taken: bleu.check(texts, texts, **taken),
    }
    unknown = {"by": ("check", "rank"), "documents": ("diff",)}
    for method, call in calls.items():
        if method in unknown[argument]:
            continue
        with pytest.raises(ValueError, match=rf"{argument}\[1\]: got a lone surrogate") as raised:
            call({argument: labels()})
        assert not isinstance(raised.value, UnicodeError), method
