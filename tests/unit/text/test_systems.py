"""Systems: the tables and dicts that hold them, their names and those of runs, and the baseline."""

import datetime
import enum
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from test_labels import Color
from test_read import NAN, SURROGATE

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# Tables of systems, for `compare`, `rank` and `diff`.

SYSTEMS = {
    "A": ["the cat sat on the mat", "a dog"] * 2,
    "big model": ["the cat sat", "a dog ran"] * 2,
}
TABLES = {
    "pandas": pd.DataFrame,
    "pandas, other index": lambda data: pd.DataFrame(data, index=[9, 9, 3, 1]),
    "pandas, string": lambda data: pd.DataFrame(data).astype("string"),
    "pandas, category": lambda data: pd.DataFrame(data).astype("category"),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pyarrow, large": lambda data: pa.table({name: pa.array(texts, pa.large_string()) for name, texts in data.items()}),
    "an Arrow record batch": lambda data: pa.record_batch({name: pa.array(texts) for name, texts in data.items()}),
}  # fmt: skip
METHODS_OF_SYSTEMS = {
    "compare": lambda bleu, systems: bleu.compare(systems, SYSTEMS["A"], n_resamples=9),
    "rank": lambda bleu, systems: bleu.rank(systems, SYSTEMS["A"], n_resamples=9),
    "diff": lambda bleu, systems: bleu.diff(systems, SYSTEMS["A"]),
}


@pytest.mark.parametrize("method", METHODS_OF_SYSTEMS)
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_has_a_column_per_system(bleu, method, kind):
    call = METHODS_OF_SYSTEMS[method]
    assert call(bleu, TABLES[kind](SYSTEMS)) == call(bleu, SYSTEMS)


FOUR_TEXTS = ["a b", "c d", "e", "f"]
NOT_SYSTEMS = [  # a column, its values
    *((name, FOUR_TEXTS) for name in ("reference", "References", "ref", "refs", "ref_A", "ref-B", "ref 1", "reference_en")),
    *(
        (name, FOUR_TEXTS)
        for name in (
            "doc_name", "doc_id", "line", "line_no", "Unnamed: 0", "index", "row", "sentence_number", "source", "src", "Source",
            "doc", "docid", "doc_id", "document", "domain", "target",
        )
    ),
    ("x", [1, 2, 3, 4]),
    ("x", [0.5, 0.5, 0.5, None]),
    ("x", [["a"], ["b"], ["c"], ["d"]]),
    ("x", [None] * 4),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(("name", "values"), NOT_SYSTEMS, ids=str)
def test_other_columns_of_a_table_must_be_dropped(bleu, kind, name, values):
    table = TABLES[kind]({**SYSTEMS, name: values})
    for call in METHODS_OF_SYSTEMS.values():
        with pytest.raises(
            ValueError,
            match=f"^systems: the column '{name}' does not look like .* Drop it first, or",
        ):
            call(bleu, table)


def test_systems_with_such_a_name_are_passed_in_a_dict(bleu):
    assert list(
        bleu.compare({"A": FOUR_TEXTS, "reference": FOUR_TEXTS}, FOUR_TEXTS, n_resamples=9)[
            "systems"
        ]
    ) == [
        "A",
        "reference",
    ]


def test_names_of_systems_that_only_begin_like_a_reference(bleu):
    names = ["doc-level-transformer", "goldfish", "referential", "Source-Aware MT", "targeted", "idefics", "languid"]  # fmt: skip
    table = pd.DataFrame(dict.fromkeys(names, FOUR_TEXTS))
    assert list(bleu.compare(table, FOUR_TEXTS, n_resamples=9)["systems"]) == names


@pytest.mark.parametrize(
    "systems",
    [pd.Series(FOUR_TEXTS), pl.Series(FOUR_TEXTS), pa.array(FOUR_TEXTS), [FOUR_TEXTS, FOUR_TEXTS], None, "A", np.array([FOUR_TEXTS] * 2)],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_systems_that_are_neither_a_dict_nor_a_table(bleu, systems):
    expected = f"systems: expected a dict from names to predictions, or a DataFrame, got {type(systems).__name__}."
    for call in METHODS_OF_SYSTEMS.values():
        with pytest.raises(TypeError, match=re.escape(expected)):
            call(bleu, systems)


@pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")
def test_a_lazy_frame_is_not_in_memory(bleu):
    """In each method, instead of an error of polars, and of a hint that does not fit."""
    lazy = pl.DataFrame(SYSTEMS).lazy()
    texts = FOUR_TEXTS
    whole = "The LazyFrame is not in memory. Pass frame.collect()."
    column = "{}: the LazyFrame is not in memory. Pass one of its columns: frame.collect()['name']."
    for call, message in (
        (lambda: bleu.compute(predictions=lazy, references=texts), column.format("predictions")),
        (lambda: bleu.compute(predictions=texts, references=lazy), column.format("references")),
        (lambda: bleu.compute(predictions=texts, references=texts, by=lazy), column.format("by")),
        (lambda: bleu.compute(predictions=texts, references=texts, documents=lazy), column.format("documents")),
        (lambda: bleu.add_batch(predictions=lazy, references=texts), column.format("predictions")),
        (lambda: bleu.statistics(predictions=lazy, references=texts), column.format("predictions")),
        (lambda: bleu.compare({"A": texts, "x": lazy}, texts), f"System 'x': {column.format('predictions')}"),
        (lambda: bleu.compare(lazy, texts), whole),
        (lambda: bleu.rank(lazy, texts), whole),
        (lambda: bleu.check(lazy, texts), whole),
        (lambda: bleu.check(texts, lazy), column.format("references")),
        (lambda: bleu.self_bleu(lazy), column.format("texts")),
        (lambda: bleu.fingerprint(lazy), column.format("references")),
    ):  # fmt: skip
        with pytest.raises(TypeError) as raised:
            call()
        assert str(raised.value) == message
    for prediction in (lazy, pl.col("A")):
        with pytest.raises(TypeError, match=f"got {type(prediction).__name__}\\.$"):
            bleu.explain(prediction, texts)


def test_two_columns_of_one_name(bleu):
    frame = pd.DataFrame([["a", "b"]], columns=["A", "A"])
    for table in (frame, pa.table([["a"], ["b"]], names=["A", "A"])):
        with pytest.raises(ValueError, match="two columns of one name"):
            bleu.compare(table, ["a"])


def test_a_missing_prediction_in_a_table_is_named(bleu):
    for missing in (None, float("nan")):
        frame = pd.DataFrame({**SYSTEMS, "B": ["a", "b", missing, "c"]})
        with pytest.raises(
            (TypeError, ValueError), match=r"^System 'B': predictions\[2\]: .*got (None|NaN)"
        ):
            bleu.compare(frame, SYSTEMS["A"])
    with pytest.raises(ValueError, match="System 'A': There are no segments"):
        bleu.diff(pa.table(dict.fromkeys("AB", pa.array([], pa.string()))), [])


# Names of systems, of runs, and `baseline`.


class Model(enum.Enum):
    """Members whose names have another text than their values."""

    SMALL = 1


# Two names that one key would name, in JSON or in Python, and how the message writes them.
SAME_NAMES = [
    ((1, "1"), "1 and '1'"),
    ((None, "null"), "None and 'null'"),
    ((True, "true"), "True and 'true'"),
    ((2.5, "2.5"), "2.5 and '2.5'"),
    ((0, "0"), "0 and '0'"),
    ((True, "1"), "True and '1'"),
    ((np.int64(3), "3"), "3 and '3'"),
    ((Model.SMALL, "Model.SMALL"), "'Model.SMALL' and 'Model.SMALL'"),
    ((datetime.date(2024, 5, 1), "2024-05-01"), "'2024-05-01' and '2024-05-01'"),
]


@pytest.mark.parametrize("method", METHODS_OF_SYSTEMS)
@pytest.mark.parametrize(("names", "shown"), SAME_NAMES, ids=str)
def test_names_of_systems_that_one_key_would_name_are_rejected(bleu, method, names, shown):
    """Otherwise `json.dumps` would lose a system."""
    systems = dict(zip(names, SYSTEMS.values()))
    frame = pd.DataFrame(SYSTEMS)
    frame.columns = pd.Index(names, dtype=object)
    for either in (systems, frame):
        message = f"systems: the names {shown} would be one key in JSON. Rename one."
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            METHODS_OF_SYSTEMS[method](bleu, either)


@pytest.mark.parametrize(("names", "shown"), SAME_NAMES, ids=str)
def test_names_of_runs_that_one_key_would_name_are_rejected(bleu, names, shown):
    runs = dict(zip(names, SYSTEMS.values()))
    message = f"System 'new': the names {shown} would be one key in JSON. Rename one."
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        bleu.compare({"old": SYSTEMS["A"], "new": runs}, SYSTEMS["A"])


# Keys that are not names, and how the message calls them.
NOT_NAMES = [
    (NAN, "got NaN as the name of a {}. Pass a str."),
    (np.float32("nan"), "got NaN as the name of a {}. Pass a str."),
    (pd.NA, "got NA as the name of a {}. Pass a str."),
    (pd.NaT, "got NaT as the name of a {}. Pass a str."),
    (b"A", "got bytes as the name of a {}. Pass a str."),
    (SURROGATE, "got a lone surrogate (U+D800 to U+DFFF) in the name '\\ud83d' of a {}. Rename it."),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS_OF_SYSTEMS)
@pytest.mark.parametrize(("name", "message"), NOT_NAMES, ids=lambda value: ascii(value)[:40])
def test_keys_that_are_not_names_of_systems(bleu, method, name, message):
    """The position of the key does not matter."""
    first, second = SYSTEMS.values()
    for systems in ({name: first, "B": second}, {"B": first, name: second}):
        with pytest.raises((TypeError, ValueError)) as raised:
            METHODS_OF_SYSTEMS[method](bleu, systems)
        assert str(raised.value) == "systems: " + message.format("system")
        is_missing = message.startswith("got N")
        assert type(raised.value) is (ValueError if is_missing or name == SURROGATE else TypeError)


@pytest.mark.parametrize(("name", "message"), NOT_NAMES, ids=lambda value: ascii(value)[:40])
def test_keys_that_are_not_names_of_runs(bleu, name, message):
    first, second = SYSTEMS.values()
    with pytest.raises((TypeError, ValueError)) as raised:
        bleu.compare({"old": first, "new": {"seed 1": first, name: second}}, first)
    assert str(raised.value) == "System 'new': " + message.format("run")


# Names, and their plain form.
NAMES_READ = [
    (np.int64(3), 3),
    (np.float64(3), 3),
    (2.5, 2.5),
    (np.str_("new"), "new"),
    (Color.RED, "red"),
    (Model.SMALL, "Model.SMALL"),
    (datetime.date(2024, 5, 1), "2024-05-01"),
    (("t5", 3), "('t5', 3)"),
    (np.bool_(True), True),
    (None, None),
    (1, 1),
]


@pytest.mark.parametrize(("name", "expected"), NAMES_READ, ids=str)
def test_names_of_systems_have_one_form(bleu, name, expected):
    """The result is that of the plain name, and can be written as JSON, whatever form `baseline` has."""
    first, second = SYSTEMS.values()
    for call in METHODS_OF_SYSTEMS.values():
        result = call(bleu, {"A": first, name: second})
        assert result == call(bleu, {"A": first, expected: second})
        assert "A" in json.dumps(result)
    runs = {name: second, "seed 2": first}
    comparison = bleu.compare({"A": first, "B": runs}, first, n_resamples=9)
    read, _ = comparison["systems"]["B"]["runs"]
    assert (type(read), read) == (type(expected), expected)
    if name is None:  # which stands for the first system
        return
    comparison = bleu.compare({"A": first, name: second}, first, baseline=name, n_resamples=9)
    baseline = comparison["baseline"]
    assert (type(baseline), baseline) == (type(expected), expected)
    assert json.loads(json.dumps(comparison))["baseline"] == expected


def test_the_baseline_is_the_name_of_the_dict(bleu):
    """True equals 1, and the result has the name of the dict."""
    first, second = SYSTEMS.values()
    for name, baseline in ((1, True), (1, 1.0), (1, np.int8(1)), ("A", np.str_("A"))):
        comparison = bleu.compare(
            {"x": first, name: second}, first, baseline=baseline, n_resamples=9
        )
        assert type(comparison["baseline"]) is type(name)


@pytest.mark.parametrize(
    "name", [NAN, pd.NA, ["x"], np.array(["x", "y"]), "1", b"x", "X"], ids=repr
)
def test_names_that_no_system_has(bleu, name):
    first, second = SYSTEMS.values()
    systems = {"x": first, 1: second, None: second}
    with pytest.raises(ValueError, match=r"^baseline=.*: pass one of 'x', 1, None\.$"):
        bleu.compare(systems, first, baseline=name)
    difference = bleu.diff({"x": first, 2: second}, first)
    with pytest.raises(ValueError, match=r"^name=.*: pass one of 'x', 2\.$"):
        difference.distinctive_ngrams(name)


def test_the_columns_of_a_table_may_have_numbers_as_names(bleu):
    table = pd.DataFrame({2019: SYSTEMS["A"], 2020: SYSTEMS["big model"]})
    table.columns = table.columns.astype("int64")
    for call in METHODS_OF_SYSTEMS.values():
        assert call(bleu, table) == call(bleu, dict(zip((2019, 2020), SYSTEMS.values())))
        assert json.dumps(call(bleu, table))


@pytest.mark.parametrize("method", METHODS_OF_SYSTEMS)
def test_systems_as_positional_arguments(bleu, method):
    with pytest.raises(
        TypeError, match=re.escape(f"Write {method}({{'A': [...], 'B': [...]}}, references),")
    ):
        getattr(bleu, method)(FOUR_TEXTS, FOUR_TEXTS, FOUR_TEXTS)
