"""`compute`, of texts and statistics: results, and inputs that are rejected because their score would mislead."""

import json
import math
import sys
import weakref
from collections import Counter
from statistics import fmean
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bleu.bleu_core.methods.buffer import read
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rows import statistics as statistics_file
from bleu.bleu_core.rows.statistics import count, count_corpus
from helpers import Tensor, examples, random_rows, record_warnings
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from scipy import stats

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# `compute`.


PREDICTIONS = ["the cat sat on the mat", "a dog", "the house is big and old"]
REFERENCES = ["the cat sat on a mat", "the dog ran to the house", "the house is big and red"]

# Sums of rows of order 1.
SUMS = {
    "a list": [8, 14, 14, 18],
    "an array": np.array([8, 14, 14, 18]),
    "sums of two parts": [[5, 6, 6, 6], [3, 8, 8, 12]],
    "an array of sums": np.array([[5, 6, 6, 6], [3, 8, 8, 12]]),
}


@pytest.mark.parametrize(
    "options", [{"confidence": 0.95}, {"segments": True}, {"confidence": 0.9, "segments": True}]
)
@pytest.mark.parametrize("at", ["load", "call"])
@pytest.mark.parametrize("sums", SUMS.values(), ids=SUMS)
def test_sums_have_no_segments_to_resample_or_to_score(load, sums, at, options):
    """An interval of a sum would have a width of 0, so it is rejected with the reason; the plain score is returned."""
    with pytest.raises(ValueError, match=r"(?i)(confidence|segments).*segment"):
        load(**options).compute(statistics=sums) if at == "load" else load().compute(
            statistics=sums, **options
        )
    assert load().compute(statistics=sums)["counts"] == [8]


def test_the_error_for_sums_names_the_option_to_leave_out(bleu):
    for options, words in (
        (
            {"segments": True, "confidence": 0.9},
            r"^`segments` needs.*leave `segments` out \(segments=False\)\.$",
        ),
        (
            {"confidence": 0.9},
            r"^`confidence` needs.*leave `confidence` out \(confidence=None\)\.$",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            bleu.compute(statistics=SUMS["a list"], **options)


def test_a_sum_of_a_table_has_no_segments_either(load):
    """The recipe for several machines works with `confidence` among the options at load."""
    bleu = load(confidence=0.95)
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    assert (
        bleu.compute(statistics=rows)["confidence_interval"][0]
        < bleu.compute(statistics=rows)["confidence_interval"][1]
    )
    with pytest.raises(ValueError, match="confidence"):
        bleu.compute(statistics=rows.to_pandas().sum().to_numpy())
    assert (
        bleu.compute(statistics=rows.to_pandas().sum().to_numpy(), confidence=None)["bleu"]
        == bleu.compute(statistics=rows)["bleu"]
    )


@pytest.mark.parametrize(
    "beside", [{}, {"system": "A"}, {"year": 2021}, {"year": 2021, "month": 5}], ids=str
)
@pytest.mark.parametrize(
    ("form", "message"), [(dict, "not a statistics table"), (pd.Series, r"sums\.to_numpy\(\)")]
)
def test_a_sum_by_name_is_rejected(bleu, beside, form, message):
    """A row of `frame.groupby("system").sum()` is neither a table nor an array: labels may be among its values."""
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    total = form({**beside, **rows.to_pandas().sum().to_dict()})
    for statistics in (total, [total, total]):
        with pytest.raises(ValueError, match=message):
            bleu.compute(statistics=statistics)


@pytest.mark.parametrize("options", [{}, {"confidence": 0.95}, {"segments": True}])
def test_an_empty_table_is_nothing_to_score(bleu, options):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    for empty in (rows.slice(0, 0), [rows.slice(0, 0)], [rows.slice(0, 0)] * 2):
        with pytest.raises(ValueError, match="got no rows"):
            bleu.compute(statistics=empty, **options)
    assert bleu.compute(statistics=[rows.slice(0, 0), rows], **options) == bleu.compute(
        statistics=rows, **options
    )


@pytest.mark.parametrize("convention", ["default", "nltk", "moses", "hf"])
@pytest.mark.parametrize(
    ("predictions", "references", "kind"),
    [
        ([["a", "b"], ["c"]], [[["a", "b", "c"]], [["c"]]], "tokens"),
        ([[1, 2], [3]], [[[1, 2, 3]], [[3]]], "ids"),
    ],
    ids=["tokens", "ids"],
)
def test_rows_of_tokens_are_scored_under_every_convention(
    load, convention, predictions, references, kind
):
    """The statistics of texts have their score: a convention's tokenizer doesn't apply to tokens."""
    bleu = load(convention)
    rows = bleu.statistics(predictions=predictions, references=references)
    assert bleu.compute(statistics=rows) == bleu.compute(
        predictions=predictions, references=references
    )
    assert f"|tok:{kind}|" in bleu.compute(statistics=[rows, rows])["signature"]
    assert (
        bleu.compute(statistics=rows, max_order=4)["totals"]
        == bleu.compute(statistics=rows)["totals"]
    )


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


@pytest.mark.parametrize(
    ("scalars", "plain"), SCALARS, ids=[",".join(plain) for _, plain in SCALARS]
)
def test_options_may_be_numpys_scalars(load, scalars, plain):
    """NumPy's scalars give the result of Python's, which JSON takes: at load, in the call and of statistics."""
    corpus = {"predictions": PREDICTIONS, "references": REFERENCES}
    expected = load().compute(**corpus, **plain)
    for result in (load().compute(**corpus, **scalars), load(**scalars).compute(**corpus)):
        assert result == expected
        assert json.loads(json.dumps(result)) == result
        assert repr(result) == repr(expected)
    rows = load(**scalars).statistics(**corpus)
    assert rows.schema.metadata == load(**plain).statistics(**corpus).schema.metadata
    assert json.dumps(load(**scalars).compute(statistics=rows)) == json.dumps(expected)


def test_numpys_scalars_in_the_other_calls(load):
    bleu = load(seed=np.int64(5))
    systems = {"A": PREDICTIONS, "B": REFERENCES}
    compared = bleu.compare(
        systems, REFERENCES, n_resamples=np.int64(20), confidence=np.float64(0.9)
    )
    assert json.loads(json.dumps(compared)) == compared
    reported = np.float64(
        round(bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["score"], 2)
    )
    found = bleu.reconcile(
        PREDICTIONS, REFERENCES, reported, decimals=np.int64(2), max_order=np.int64(4)
    )
    assert json.loads(json.dumps(found)) == found
    explained = bleu.explain(
        PREDICTIONS[0], REFERENCES[0], max_order=np.int64(2), lowercase=np.True_
    )
    assert json.loads(json.dumps(explained)) == explained
    repeated = bleu.self_bleu(PREDICTIONS, max_order=np.int64(2))
    assert json.loads(json.dumps(repeated)) == repeated


# Rows counted to order 4 hold the shorter orders.
@pytest.mark.parametrize("max_order", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "more", [{}, {"smooth_method": "add-k"}, {"segments": True}, {"confidence": 0.9}]
)
def test_rows_hold_the_score_of_a_shorter_order(load, max_order, more):
    corpus = {"predictions": PREDICTIONS, "references": REFERENCES}
    rows = load().statistics(**corpus)
    expected = load().compute(**corpus, max_order=max_order, **more)
    assert load().compute(statistics=rows, max_order=max_order, **more) == expected
    assert load(max_order=max_order).compute(statistics=rows, **more) == expected
    assert (
        load().compute(statistics=[rows, rows], max_order=max_order)["bleu"]
        == load().compute(statistics=[rows], max_order=max_order)["bleu"]
    )


def test_sums_hold_the_score_of_a_shorter_order(bleu):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    total = rows.to_pandas().sum().to_numpy()
    expected = bleu.compute(
        predictions=PREDICTIONS, references=REFERENCES, max_order=2, weights=[0.3, 0.7]
    )
    assert (
        bleu.compute(statistics=total, max_order=2, weights=[0.3, 0.7])["bleu"] == expected["bleu"]
    )
    assert bleu.compute(statistics=total, max_order=2)["counts"] == expected["counts"]


@pytest.mark.parametrize("max_order", [3, 5])
def test_rows_do_not_hold_a_longer_order(bleu, max_order):
    rows = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES, max_order=2)
    with pytest.raises(ValueError, match=f"max_order.*{max_order}|{max_order}.*max_order"):
        bleu.compute(statistics=rows, max_order=max_order)


# Statistics: `compute(statistics=...)`.


@pytest.fixture
def tables(bleu):
    columns = [
        {"predictions": [prediction], "references": [reference]}
        for prediction, reference in zip(PREDICTIONS, REFERENCES)
    ]
    return [bleu.statistics(**column) for column in columns]


def test_tables_are_scored_in_every_form_that_adds_up(bleu, tables):
    """One table, several in any iterable, sums with `like`: the score of the texts, with its signature."""
    expected = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
    total = bleu.total(tables)
    sums = np.array([list(row.values()) for row in total.to_pylist()])
    for statistics in (
        pa.concat_tables(tables), tables, tuple(tables), (table for table in tables), map(bleu.total, tables), total,
        dict(enumerate(tables)).values(),
    ):  # fmt: skip
        assert bleu.compute(statistics=statistics) == expected
    assert bleu.compute(statistics=sums, like=tables[0]) == expected
    assert bleu.compute(statistics=iter(sums), like=tables[0]) == expected
    options = {"segments": True, "confidence": 0.9, "by": [0, 1, 1], "documents": [0, 0, 1]}
    assert bleu.compute(statistics=iter(tables), **options) == bleu.compute(
        predictions=PREDICTIONS, references=REFERENCES, **options
    )


def test_an_iterable_of_tables_needs_memory_for_one(bleu):
    """Tables with labels and documents, which a plain score does not need, are added one by one."""
    alive = []

    def make():
        for _ in range(20):
            table = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES, by=["x"] * 3)
            alive.append(weakref.ref(table))
            assert sum(reference() is not None for reference in alive) <= 3
            yield table

    assert bleu.compute(statistics=make())["bleu"] == pytest.approx(
        bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["bleu"]
    )


def test_statistics_leave_rows_that_wait(bleu, tables):
    bleu.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    expected = bleu.compute(statistics=tables)
    with pytest.raises(ValueError, match="got no rows"):
        bleu.compute(statistics=[])
    assert len(bleu) == 2
    assert bleu.compute(statistics=tables) == expected
    assert bleu.compute(predictions=PREDICTIONS[2:], references=REFERENCES[2:]) == expected
    assert len(bleu) == 0


@pytest.mark.parametrize("column", ["predictions", "references"])
def test_statistics_and_texts_are_not_scored_together(bleu, tables, column):
    """Neither is counted later."""
    with pytest.raises(TypeError, match=r"either `statistics`, or `predictions` and `references`"):
        bleu.compute(statistics=tables, **{column: ["a b"]})
    assert len(bleu) == 0


def test_like_without_statistics_is_an_error(bleu, tables):
    with pytest.raises(TypeError, match=r"^like: .*statistics=sums, like=table"):
        bleu.compute(predictions=["a"], references=["a"], like=tables[0])


def test_statistics_pass_through_the_method_that_people_debug(load, tables, monkeypatch):
    """A breakpoint in `_compute` fires on every path."""
    bleu, seen = load(), []
    compute = type(bleu)._compute

    def record(self, *arguments, **named):
        seen.append(named)
        return compute(self, *arguments, **named)

    monkeypatch.setattr(type(bleu), "_compute", record)
    bleu.compute(statistics=tables)
    load("sacrebleu").compute(statistics=tables)
    bleu.compute(predictions=["a"], references=["a"])
    assert len(seen) == 3


@pytest.mark.parametrize(("name", "convention"), [("sacrebleu", "default"), ("bleu", "hf")])
def test_statistics_under_a_drop_in_have_this_metrics_result(load, name, convention):
    module, own = load(name), load(convention)
    rows = module.statistics(predictions=PREDICTIONS, references=REFERENCES, by=["x", "y", "x"])
    options = {"segments": True, "confidence": 0.9, "by": "label", "documents": [0, 1, 2]}
    expected = own.compute(statistics=rows, **options)
    assert module.compute(statistics=rows, **options) == expected
    assert type(module.compute(statistics=rows)).__name__ == "Result"
    with pytest.raises(TypeError, match=r"Unknown option `by`"):
        module.compute(predictions=PREDICTIONS, references=REFERENCES, by=["x", "y", "x"])


@pytest.mark.parametrize("process", [0, 1])
def test_every_process_scores_statistics_without_waiting(load, tables, tmp_path, process):
    bleu = load(
        num_process=2, process_id=process, experiment_id="a", cache_dir=str(tmp_path), timeout=1
    )
    bleu.add(prediction="a b", reference="a b")
    expected = load().compute(statistics=tables)
    for options in ({}, {"by": ["x", "y", "x"], "documents": [0, 1, 1], "confidence": 0.9}):
        assert bleu.compute(statistics=tables, **options)["bleu"] == expected["bleu"]
    assert len(bleu) == 1
    assert list(tmp_path.rglob("*.arrow")) == []


# Groups: `by`. Each group is its segments alone.


GROUPED, GROUPED_REFERENCES = random_rows(seed=24, count=240)
LABELS = [("news", "", None, 3)[i * (i + 1) // 2 % 7 % 4] for i in range(240)]
GROUP_OPTIONS = [
    {},
    {"segments": True},
    {"confidence": 0.9, "n_resamples": 50, "seed": 3},
    {"segments": True, "confidence": 0.95, "n_resamples": 20, "smooth_method": "floor", "effective_order": True},
    {"lowercase": True, "max_order": 2, "reference_length": "shortest", "minimum_total": 1},
]  # fmt: skip


def select(rows, labels, label):
    """Return the rows with a label."""
    return [row for row, other in zip(rows, labels) if other == label]


@pytest.mark.parametrize("options", GROUP_OPTIONS, ids=str)
def test_each_group_is_scored_as_its_segments_alone(bleu, options):
    """This holds for every key, the interval included; the other keys are those of the whole corpus."""
    columns = {"predictions": GROUPED, "references": GROUPED_REFERENCES}
    result = bleu.compute(**columns, by=LABELS, **options)
    assert list(result["groups"]) == list(dict.fromkeys(LABELS))
    for label, group in result["groups"].items():
        rows = {name: select(column, LABELS, label) for name, column in columns.items()}
        assert group == bleu.compute(**rows, **options), label
    whole = bleu.compute(**columns, **options)
    assert {key: result[key] for key in whole} == whole
    scores = [group["bleu"] for group in result["groups"].values()]
    assert result["macro_bleu"] == pytest.approx(fmean(scores), abs=1e-15)
    assert result["macro_score"] == 100 * result["macro_bleu"]
    table = bleu.statistics(**columns, by=range(240), **options)  # other labels
    assert bleu.compute(statistics=table, by=LABELS, **options) == result


TOKENIZERS_BY_LABEL = {"en-zh": "zh", "en-ja": "char"}
PAIRS = ["en-de", "en-zh", "en-ja"] * 20
PAIR_TEXTS = [f"Nr. {i}: der Hund, die Katze und das Haus" if pair == "en-de" else f"第{i}只狗在家里，猫也在家里。" for i, pair in enumerate(PAIRS)]  # fmt: skip
PAIR_REFERENCES = [[text.replace("Katze", "Maus").replace("猫", "鸟")] for text in PAIR_TEXTS]


def test_a_tokenizer_per_group(load):
    """sacreBLEU is asked per group; the group's signature has its tokenizer, and that of the whole has `var`."""
    bleu = load("default")
    columns = {"predictions": PAIR_TEXTS, "references": PAIR_REFERENCES}
    result = bleu.compute(**columns, by=PAIRS, tokenize=TOKENIZERS_BY_LABEL)
    for label, tokenize in {"en-de": "13a", **TOKENIZERS_BY_LABEL}.items():
        texts, references = (select(column, PAIRS, label) for column in columns.values())
        expected = BLEU(tokenize=tokenize).corpus_score(texts, list(zip(*references)))
        group = result["groups"][label]
        assert group["score"] == pytest.approx(expected.score, abs=1e-9)
        assert (group["counts"], group["totals"]) == (expected.counts, expected.totals)
        assert f"|tok:{tokenize}|" in group["signature"]
    assert "|tok:var|" in result["signature"]
    assert (
        result["counts"]
        == np.sum([group["counts"] for group in result["groups"].values()], axis=0).tolist()
    )
    assert load(tokenize=TOKENIZERS_BY_LABEL).compute(**columns, by=PAIRS) == result
    table = bleu.statistics(**columns, by=PAIRS, tokenize=TOKENIZERS_BY_LABEL)
    assert (
        bleu.compute(statistics=table, by="label")
        == bleu.compute(statistics=table, by=PAIRS)
        == result
    )
    # One tokenizer for all labels is the tokenizer of the whole.
    same = bleu.compute(**columns, by=PAIRS, tokenize=dict.fromkeys(set(PAIRS), "char"))
    assert same == bleu.compute(**columns, by=PAIRS, tokenize="char")


def test_groups_across_groups_of_the_table(bleu):
    """A group of rows that two tokenizers split has `tok:var`."""
    columns = {"predictions": PAIR_TEXTS, "references": PAIR_REFERENCES}
    table = bleu.statistics(**columns, by=PAIRS, tokenize=TOKENIZERS_BY_LABEL)
    groups = bleu.compute(statistics=table, by=[pair == "en-de" for pair in PAIRS])["groups"]
    tokenizers = {label: dict(part.split(":") for part in group["signature"].split("|"))["tok"] for label, group in groups.items()}  # fmt: skip
    assert tokenizers == {True: "13a", False: "var"}


def test_tables_of_several_language_pairs(bleu):
    """Tables counted under different tokenizers add up by their labels, and only so."""
    tables, alone = [], {}
    for label, tokenize in {"en-de": "13a", "en-zh": "zh"}.items():
        rows = {
            name: select(column, PAIRS, label)
            for name, column in (("predictions", PAIR_TEXTS), ("references", PAIR_REFERENCES))
        }
        tables.append(bleu.statistics(**rows, by=[label] * 20, tokenize=tokenize))
        alone[label] = bleu.compute(**rows, tokenize=tokenize, confidence=0.9)
    assert bleu.compute(statistics=tables, by="label", confidence=0.9)["groups"] == alone
    assert (
        bleu.compute(statistics=pa.concat_tables(tables[:1] * 2), by="label")["groups"]["en-de"][
            "bleu"
        ]
        == alone["en-de"]["bleu"]
    )
    with pytest.raises(
        ValueError, match=r"tokenize is '13a' in statistics\[0\] and 'zh' in statistics\[1\]"
    ):
        bleu.compute(statistics=tables)


FRAMES = {
    "Arrow": lambda table: table,
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "a dict": lambda table: table.to_pydict(),
    "two tables": lambda table: [table.slice(0, 100), table.slice(100)],
    "two frames": lambda table: [table.slice(0, 100).to_pandas(), table.slice(100).to_pandas()],
}


@pytest.mark.parametrize("form", FRAMES.values(), ids=FRAMES)
def test_labels_in_a_column_of_a_users_table(bleu, form):
    columns = {"predictions": GROUPED, "references": GROUPED_REFERENCES}
    domains = [str(label) for label in LABELS]
    expected = bleu.compute(**columns, by=domains)["groups"]
    groups = bleu.compute(
        statistics=form(bleu.statistics(**columns).append_column("domain", [domains])), by="domain"
    )["groups"]
    assert list(groups) == list(expected)
    for label, group in groups.items():
        assert {**group, "signature": ""} == {**expected[label], "signature": ""}


# Labels in any column, and the labels of the groups.
LABEL_COLUMNS = {
    "tuple": (lambda: ("x", "y", "x"), ["x", "y"]),
    "generator": (lambda: (label for label in "xyx"), ["x", "y"]),
    "range": (lambda: range(3), [0, 1, 2]),
    "None and numbers": (lambda: ["x", None, 3], ["x", None, 3]),
    "NumPy, int": (lambda: np.array([4, 3, 4]), [4, 3]),
    "NumPy, str": (lambda: np.array(["x", "y", "x"]), ["x", "y"]),
    "NumPy, objects": (lambda: np.array(["x", None, 3], object), ["x", None, 3]),
    "pandas": (lambda: pd.Series(["x", "y", None], index=[7, 8, 9]), ["x", "y", None]),
    "pandas, categories": (lambda: pd.Series(["x", "y", "x"], dtype="category"), ["x", "y"]),
    "polars": (lambda: pl.Series(["x", None, "x"]), ["x", None]),
    "Arrow": (lambda: pa.array(["x", None, "x"]), ["x", None]),
    "Arrow, chunks": (lambda: pa.chunked_array([[1], [2, 2]]), [1, 2]),
    "Arrow, dictionary": (lambda: pa.array(["x", "y", "x"]).dictionary_encode(), ["x", "y"]),
    "tensor": (lambda: Tensor([4, 3, 4]), [4, 3]),
    "tensor, bfloat16": (lambda: Tensor([4, 3, 4], "bfloat16"), [4, 3]),
    "tensors": (lambda: [Tensor(4), Tensor(3), Tensor(4)], [4, 3]),
}


@pytest.mark.parametrize(("make", "labels"), LABEL_COLUMNS.values(), ids=LABEL_COLUMNS)
def test_labels_in_any_column(bleu, make, labels):
    """The groups are plain Python values in the order of first appearance, and the order of their rows is kept."""
    result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, by=make(), segments=True)
    assert list(result["groups"]) == labels
    assert {type(label) for label in result["groups"]} <= {str, int, type(None)}
    assert len(json.loads(json.dumps(result))["groups"]) == len(labels)
    found = sorted(score for group in result["groups"].values() for score in group["segment_bleu"])
    assert found == sorted(result["segment_bleu"])
    table = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    assert bleu.compute(statistics=table, by=make(), segments=True) == result


def test_groups_of_sums(bleu):
    """A row may be the sum of a domain, as a harness keeps it."""
    result = bleu.compute(
        statistics=np.array([[5, 6, 6, 6], [3, 8, 8, 12]]), by=["first", "second"]
    )
    assert [group["counts"] for group in result["groups"].values()] == [[5], [3]]
    assert result["counts"] == [8]
    with pytest.raises(ValueError, match=r"^`confidence` needs one statistics row per segment"):
        bleu.compute(
            statistics=np.array([[5, 6, 6, 6], [3, 8, 8, 12]]),
            by=["first", "second"],
            confidence=0.9,
        )


def test_groups_of_rows_that_were_added(bleu):
    """`by` covers all rows, in the order in which they were added."""
    columns = {"predictions": GROUPED, "references": GROUPED_REFERENCES}
    expected = bleu.compute(**columns, by=LABELS)
    bleu.add_batch(**{name: column[:100] for name, column in columns.items()})
    bleu.add(prediction=GROUPED[100], reference=GROUPED_REFERENCES[100])
    rest = {name: column[101:] for name, column in columns.items()}
    with pytest.raises(ValueError, match="by: got 139 labels for 240 predictions"):
        bleu.compute(**rest, by=LABELS[101:])
    assert len(bleu) == 101  # a failed call keeps the rows
    assert bleu.compute(**rest, by=LABELS) == expected


@pytest.mark.parametrize(
    ("tokenize", "calls"), [("13a", 1), (TOKENIZERS_BY_LABEL, 3)], ids=["one", "by label"]
)
def test_each_segment_is_counted_once(tokenize, calls):
    options = Options().override(
        {"tokenize": tokenize, "segments": True, "confidence": 0.9, "n_resamples": 10}
    )
    with mock.patch.object(statistics_file, "count_corpus", wraps=count_corpus) as counted:
        count(read(PAIR_TEXTS, PAIR_REFERENCES, PAIRS, None, options))
    sizes = [len(call.args[0]) for call in counted.call_args_list]
    assert (len(sizes), sum(sizes)) == (calls, len(PAIRS))


TEXTS = st.one_of(
    st.text("ab .,&\n\U0001f642é", max_size=12),
    st.sampled_from(
        ["a\ud800", "out.txt", "a\n" * 25, "a b c d e f", "&amp;quot;", None, 5, ["a"]]
    ),
)
FEW_ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=5)), min_size=1, max_size=9)
OPTIONS_OF_FEW = st.fixed_dictionaries(
    {},
    optional={
        "tokenize": st.sampled_from(
            ["13a", "none", "intl", "zh", "char", "ptb", "multi-bleu", str.split]
        ),
        "lowercase": st.booleans(),
        "max_order": st.sampled_from([1, 4, 6]),
        "smooth_method": st.sampled_from(["none", "floor", "nltk-5"]),
        "reference_length": st.sampled_from(["shortest", "longest"]),
        "minimum_total": st.just(1),
        "segments": st.just(True),
    },
)


@pytest.mark.parametrize("has_kernels", [False, True])
def test_few_rows_are_scored_as_in_any_container(load, has_kernels, monkeypatch):
    """Lists of few strs are not converted to Arrow; in tuples they are."""
    package = type(load()).__module__.rpartition(".")[0]
    if not has_kernels:
        kernels = sys.modules[f"{package}.bleu_core"]
        monkeypatch.setattr(kernels, "_is_ready", False)
        monkeypatch.setattr(kernels, "_can_compile", False)

    def score(container, rows, options):
        columns = dict(zip(("predictions", "references"), map(container, zip(*rows))))
        try:
            return load().compute(**columns, **options)
        except (TypeError, ValueError) as error:
            return type(error), str(error)

    @given(FEW_ROWS, OPTIONS_OF_FEW)
    @settings(max_examples=examples(100), deadline=None)
    def check(rows, options):
        of_lists, of_tuples = (
            record_warnings(lambda container=container: score(container, rows, options))
            for container in (list, tuple)
        )
        assert of_lists == of_tuples

    check()


def simulate_macro(rows, labels, n_resamples, seed):
    """Return macro-averages of BLEU, each group resampled by a generator of its own."""
    sums = {}
    for label in dict.fromkeys(labels):
        group, seed = rows[[i for i, other in enumerate(labels) if other == label]], seed + 1
        draws = np.random.default_rng(seed).integers(len(group), size=(n_resamples, len(group)))
        sums[label] = group[draws].sum(axis=1)
    scores = [
        [
            BLEU.compute_bleu(row[:4].tolist(), row[4:8].tolist(), *row[8:].tolist()).score / 100
            for row in group
        ]
        for group in sums.values()
    ]
    return np.mean(scores, axis=0)


def test_the_macro_interval_is_that_of_groups_resampled_independently(bleu):
    """Groups of equal size draw the same positions under one seed; equal groups would then have twice the error.

    The limits are four standard errors of 2,000 resamples: 4 / sqrt(2 · 2000) of a standard deviation.
    """
    texts, references = random_rows(seed=5, count=60)
    columns = {"predictions": texts * 3, "references": references * 3}
    labels = ["a"] * 60 + ["b"] * 60 + ["c"] * 60  # the same segments in each
    result = bleu.compute(**columns, by=labels, confidence=0.95, n_resamples=2000)
    rows = np.array(bleu.statistics(**columns).to_pandas())
    expected = simulate_macro(rows, labels, 2000, seed=100)
    error = expected.std() * math.sqrt(60 / 59)  # a bootstrap of 60 units shrinks the variance
    assert result["macro_standard_error"] == pytest.approx(
        error, rel=4 / math.sqrt(2 * 2000) * math.sqrt(2)
    )
    # Of three groups with 59 degrees of freedom each, at most.
    assert 59 / 4 < result["macro_degrees_of_freedom"] <= 3 * 59
    low, high = result["macro_confidence_interval"]
    margin = stats.t.ppf(0.975, result["macro_degrees_of_freedom"]) * result["macro_standard_error"]
    assert [low, high] == pytest.approx(
        [result["macro_bleu"] - margin, result["macro_bleu"] + margin]
    )
    alone = result["groups"]["a"]["standard_error"]
    assert result["macro_standard_error"] == pytest.approx(alone / math.sqrt(3), rel=0.09)


def test_the_coverage_of_the_macro_interval(bleu):
    """Of 200 test sets from a known population, 90% intervals contain the true macro-average in 90%, within 3 errors."""
    texts, references = random_rows(seed=6, count=400)
    population = np.array(bleu.statistics(predictions=texts, references=references).to_pandas())
    names = bleu.statistics(predictions=[], references=[]).column_names
    halves, generator = (population[:200], population[200:]), np.random.default_rng(0)
    truth = fmean(bleu.compute(statistics=half.sum(axis=0))["bleu"] for half in halves)
    covered = 0
    for seed in range(200):
        drawn = np.concatenate([half[generator.integers(200, size=50)] for half in halves])
        frame = pd.DataFrame(drawn, columns=names).assign(half=["first"] * 50 + ["second"] * 50)
        low, high = bleu.compute(
            statistics=frame, by="half", confidence=0.9, n_resamples=200, seed=seed
        )["macro_confidence_interval"]
        covered += low <= truth <= high
    assert 200 * (0.9 - 3 * 0.021) <= covered <= 200 * (0.9 + 3 * 0.021)


def test_standard_errors_are_those_of_the_resampled_scores(bleu):
    """The draws are NumPy's under the seed; each is scored by sacreBLEU from the sum of its rows."""
    columns = {"predictions": GROUPED[:50], "references": GROUPED_REFERENCES[:50]}
    result = bleu.compute(**columns, confidence=0.9, n_resamples=100, seed=8)
    rows = np.array(bleu.statistics(**columns).to_pandas())
    draws = rows[np.random.default_rng(8).integers(50, size=(100, 50))].sum(axis=1).tolist()
    scores = [BLEU.compute_bleu(row[:4], row[4:8], *row[8:]).score / 100 for row in draws]
    assert result["standard_error"] == pytest.approx(np.std(scores), abs=1e-9)
    assert result["bootstrap_mean"] == pytest.approx(np.mean(scores), abs=1e-9)


@pytest.mark.parametrize(
    "options", [{}, {"effective_order": False}, {"smooth_method": "floor"}], ids=str
)
def test_the_mean_of_segment_scores(bleu, options):
    result = bleu.compute(
        predictions=GROUPED, references=GROUPED_REFERENCES, segments=True, **options
    )
    metric = BLEU(**{"effective_order": True, **options})
    scores = [metric.sentence_score(*row).score / 100 for row in zip(GROUPED, GROUPED_REFERENCES)]
    assert result["mean_segment_bleu"] == pytest.approx(fmean(scores), abs=1e-11)
    table = bleu.statistics(predictions=GROUPED, references=GROUPED_REFERENCES)
    assert bleu.compute(statistics=table, segments=True, **options) == result


# The segments per label; the groups with an interval; the warnings about sizes.
SIZES = [
    ({"a": 40, "b": 30}, ["a", "b"], []),
    ({"a": 40, "b": 29}, ["a", "b"], ["1 of 2 groups with fewer than 30 segments: their intervals and tests are unreliable"]),
    ({"a": 40, "b": 1}, ["a"], ["1 group has a single segment, so neither it nor the macro-average gets an interval or p-value"]),
    ({"a": 5, "b": 4}, ["a", "b"], ["Intervals and tests of 9 segments are unreliable"]),
    ({"a": 40}, ["a"], []),
    ({"a": 1, "b": 1}, [], ["2 groups have a single segment, so neither they nor the macro-average gets", "Intervals and tests of 2 segments are unreliable"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "with_interval", "warned"), SIZES, ids=lambda value: str(value)[:30]
)
def test_small_groups(bleu, sizes, with_interval, warned):
    labels = list(Counter(sizes).elements())
    texts = [f"the cat {i} sat on the mat" for i in range(len(labels))]
    references = [f"the cat {i} sat on a mat" for i in range(len(labels))]
    call = lambda: bleu.compute(
        predictions=texts, references=references, by=labels, confidence=0.9, n_resamples=20
    )
    result, messages = record_warnings(call)
    assert [
        label for label, group in result["groups"].items() if "confidence_interval" in group
    ] == with_interval
    assert ("macro_confidence_interval" in result) == ("macro_standard_error" in result) == (len(with_interval) == len(sizes))  # fmt: skip
    assert len(messages) == len(warned)
    for message, beginning in zip(messages, warned):
        assert message.startswith(beginning)
    _, messages = record_warnings(
        lambda: bleu.compute(predictions=texts, references=references, by=labels)
    )
    assert messages == []  # without intervals, sizes don't matter


def test_a_group_without_a_match_is_named(bleu):
    texts = ["the cat sat on the mat"] * 3
    _, messages = record_warnings(
        lambda: bleu.compute(predictions=[*texts, "x"], references=[*texts, "y"], by=list("aaab"))
    )
    assert messages == [
        "The score of 'b' is 0: no token of the predictions occurs in the references."
    ]


ROWS = {"predictions": ["a b c d", "a"], "references": ["a b c d", "b"]}
WRONG_LABELS = [
    ({"by": ["x"]}, ValueError, "by: got 1 label for 2 predictions. Pass one label per segment."),
    ({"by": []}, ValueError, "by: got 0 labels for 2 predictions. Pass one label per segment."),
    ({"by": "xy"}, TypeError, "by: expected a list, array or Series, got str. Pass one label per segment."),
    ({"by": 3}, TypeError, "by: expected a list, array or Series, got int. Pass one label per segment."),
    ({"by": {"x": 1, "y": 2}}, TypeError, "by: expected a list, array or Series, got dict. Pass one label per segment."),
    ({"by": ["x", ["y"]]}, TypeError, "by[1]: expected a str or a number, got list."),
    ({"by": ["x", ("y", 1)]}, TypeError, "by[1]: expected a str or a number, got tuple."),
    ({"by": np.array([["x"], ["y"]])}, TypeError, "by[0]: expected a str or a number, got list."),
    ({"by": [Tensor([1]), Tensor([2])]}, TypeError, "by[0]: expected a str or a number, got Tensor of int64."),
    ({"by": pd.Series([pd.Series([1]), pd.Series([2])])}, TypeError, "by[0]: expected a str or a number, got Series."),
    ({"tokenize": {"x": "zh"}}, ValueError, "tokenize: got a dict, which names the tokenizer of each label. Pass the labels as by=[...] to compute, statistics, compare or compute_metrics, or pass one tokenizer."),
    ({"tokenize": {"x": "zh", "z": "zh"}, "by": ["x", "y"]}, ValueError, "tokenize: 'z' is not among the labels of `by`. Remove it, or correct the label."),
    ({"tokenize": {"x": 3}, "by": ["x", "y"]}, TypeError, "tokenize['x']=3: pass a name or a function from str to a list of str."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "error", "message"), WRONG_LABELS, ids=[str(one[0]) for one in WRONG_LABELS]
)
@pytest.mark.parametrize("method", ["compute", "statistics", "compute, statistics", "compare"])
def test_labels_that_are_rejected(bleu, method, arguments, error, message):
    table = bleu.statistics(**ROWS)
    calls = {
        "compute": lambda: bleu.compute(**ROWS, **arguments),
        "statistics": lambda: bleu.statistics(**ROWS, **arguments),
        "compute, statistics": lambda: bleu.compute(statistics=table, **arguments),
        "compare": lambda: bleu.compare({"A": ROWS["references"], "B": ROWS["predictions"]}, ROWS["references"], **arguments),
    }  # fmt: skip
    if method == "compute, statistics" and isinstance(
        arguments.get("by"), str
    ):  # the name of a column
        error = ValueError
        message = "by='xy': statistics has no such column. Pass its name, or one label per segment."
    with pytest.raises(error) as raised:
        calls[method]()
    assert str(raised.value).removeprefix("System 'A': ") == message
    assert bleu.compute(**ROWS)["counts"] == [4, 3, 2, 1]


def test_an_unknown_tokenizer_of_a_label(bleu):
    with pytest.raises(ValueError, match=r"tokenize='chinese': unknown tokenizer"):
        bleu.compute(**ROWS, by=["x", "y"], tokenize={"y": "chinese"})


def test_a_failing_tokenizer_names_its_label(bleu):
    def fail(text):
        raise KeyError(text)

    with pytest.raises(
        ValueError, match=r"^Among the segments labeled 'y': predictions\[1\]: the tokenizer failed"
    ):
        bleu.compute(**ROWS, by=["x", "y"], tokenize={"y": fail})


# A text, and what the message shows of the tokenizer's error, which has the text in its message.
FAILURES = [("cat", "KeyError: 'cat'"), ("the secret cat", "KeyError"), ("cat" * 99, "KeyError")]


@pytest.mark.parametrize(("text", "shown"), FAILURES, ids=[text[:20] for text, _ in FAILURES])
def test_a_failing_tokenizers_message_shows_no_text(bleu, text, shown):
    with pytest.raises(ValueError, match=rf"^predictions\[0\]: the tokenizer failed: {shown}$"):
        bleu.compute(predictions=[text], references=["a"], tokenize=lambda text: {}[text])


def test_tables_counted_otherwise_than_a_label_asks(bleu):
    table = bleu.statistics(**ROWS, by=["x", "y"], tokenize={"y": "zh"})
    expected = bleu.compute(statistics=table, by="label")
    assert bleu.compute(statistics=table, by="label", tokenize={"y": "zh"}) == expected
    with pytest.raises(
        ValueError, match=r"counted with tokenize\['y'\]='zh', but 'char' was requested"
    ):
        bleu.compute(statistics=table, by="label", tokenize={"y": "char"})


@pytest.mark.parametrize("name", ["sacrebleu", "bleu"])
def test_evaluates_modules_have_no_groups(load, name):
    with pytest.raises(TypeError, match=r"Unknown option `by`"):
        load(name).compute(**ROWS, by=["x", "y"])


def test_groups_with_several_processes_are_rejected(load, tmp_path):
    bleu = load(num_process=2, process_id=0, experiment_id="by", cache_dir=str(tmp_path))
    with pytest.raises(
        ValueError,
        match=r"by: labels are not supported with num_process > 1.*compute\(statistics=tables, by='label'\)",
    ):
        bleu.compute(**ROWS, by=["x", "y"])


def test_statistics_without_rows_keep_the_column_of_labels(bleu):
    """An empty shard has the schema of the others, and changes no sum."""
    table, empty = (
        bleu.statistics(**ROWS, by=["x", "y"]),
        bleu.statistics(predictions=[], references=[], by=[]),
    )
    assert empty.column_names == table.column_names
    assert (
        bleu.compute(statistics=[empty, table], by="label")
        == bleu.compute(statistics=[table, empty], by="label")
        == bleu.compute(statistics=table, by="label")
    )


def test_labels_that_no_table_can_hold(bleu):
    with pytest.raises(TypeError, match="by: expected labels of one type"):
        bleu.statistics(**ROWS, by=["x", 1])
