"""Rows of Python objects: what each item may be, and the errors that name it."""

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bleu.bleu_core.text.read import read_corpus
from helpers import (
    list_files,
)
from test_read import GOOD_IDS, NAN, SURROGATE

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# Bytes and numbers instead of texts.
BYTES = {
    "bytes": [b"a", b"b"], "after a str": ["a", b"b"], "bytearray": [bytearray(b"a"), "b"], "np.bytes_": [np.bytes_(b"a"), np.bytes_(b"b")],
    "NumPy": np.array([b"a", b"b"]), "objects": np.array([b"a", "b"], object), "pandas": pd.Series([b"a", b"b"]),
    "polars": pl.Series([b"a", b"b"]), "Arrow": pa.array([b"a", b"b"]), "large": pa.array([b"a", b"b"], pa.large_binary()),
    "fixed size": pa.array([b"a", b"b"], pa.binary(1)), "chunks": pa.chunked_array([[b"a"], [b"b"]]),
    "a dictionary": pa.array([b"a", b"b"]).dictionary_encode(), "datasets": datasets.Dataset.from_dict({"x": [b"a", b"b"]})["x"],
}  # fmt: skip
INTS = {
    "int": [1, 2], "after a str": ["a", 2], "np.int64": [np.int64(1), np.int64(2)], "NumPy": np.array([1, 2]), "objects": np.array([np.int64(1), "b"], object),
    "pandas": pd.Series([1, 2]), "polars": pl.Series([1, 2]), "Arrow": pa.array([1, 2], pa.uint8()), "range": range(2),
}  # fmt: skip


@pytest.mark.parametrize("texts", BYTES.values(), ids=BYTES)
def test_bytes_are_to_be_decoded(texts):
    """In any container, as predictions, references, lists of references and tokens."""
    nested = (
        pa.array([[text] for text in texts.to_pylist()])
        if hasattr(texts, "to_pylist")
        else [[text] for text in texts]
    )
    for columns in (
        (texts, ["a", "b"]),
        (["a", "b"], texts),
        (["a", "b"], nested),
        (nested, [[["a"]], [["b"]]]),
    ):
        with pytest.raises(TypeError, match=r"got .*\. Decode it: value\.decode\(\)\.$"):
            read_corpus(*columns)


@pytest.mark.parametrize("ints", INTS.values(), ids=INTS)
def test_ints_are_to_be_written_as_str_or_in_lists(ints):
    fix = r"got u?int\d*\. Pass str\(value\), or one list of ids per"
    with pytest.raises(TypeError, match=rf"^predictions\[\d\]: .*{fix} segment\.$"):
        read_corpus(ints, ["a", "b"])
    with pytest.raises(TypeError, match=rf"^references\[\d\]: .*{fix} reference\.$"):
        read_corpus(["a", "b"], ints)


# Predictions, references, the error, and a part of its message.
ERRORS = [
    (["a", "b"], [["a"]], ValueError, "2 predictions and 1 reference."),
    (["a", "b", "c"], [["a"] * 3, ["b"] * 3], ValueError, r"sacreBLEU's layout, 2 lists of 3.*references=list\(zip\(\*references\)\)"),
    (["a"], [["a"], ["b"]], ValueError, r"sacreBLEU's layout, 2 lists of 1"),
    (["a", None], [["a"], ["b"]], ValueError, r"predictions\[1\]: .*got None"),
    ([None, None], [["a"], ["b"]], ValueError, r"predictions\[0\]: .*got None"),
    (pa.chunked_array([["a"], [None]]), [["a"], ["b"]], ValueError, r"predictions\[1\]: .*got None"),
    (["a", "b"], [["a"], []], ValueError, r"references\[1\]: expected at least one reference, got none"),
    (["a", "b"], [["a"], None], ValueError, r"references\[1\]: expected at least one reference, got none"),
    (["a", "b"], [["a"], [None]], ValueError, r"references\[1\]: expected at least one reference, got none"),
    (["a", "b"], ["a", None], ValueError, r"references\[1\]: expected at least one reference, got none"),
    (["a", "b"], [[], []], ValueError, r"references\[0\]: expected at least one reference, got none"),
    (["a"], pa.chunked_array([[["a"]], []]).slice(1), ValueError, "1 prediction and 0 references"),
    (None, [["a"]], ValueError, "predictions: expected one item per segment, got None"),
    (["a"], None, ValueError, "references: expected one item per segment, got None"),
    ([b"a"], [["a"]], TypeError, r"predictions\[0\]: .*got bytes"),
    (["a", b"a"], [["a"], ["b"]], TypeError, r"predictions\[1\]: .*got bytes"),
    (["a"], [[b"a"]], TypeError, r"references\[0\]: .*got bytes"),
    ([1, 2], [["a"], ["b"]], TypeError, r"predictions\[0\]: .*got int"),
    (np.array([1, 2]), [["a"], ["b"]], TypeError, r"predictions\[0\]: .*got int"),
    (["a", 2.0], [["a"], ["b"]], TypeError, r"predictions\[1\]: .*got float"),
    ([NAN, "a"], [["a"], ["b"]], TypeError, r"predictions\[0\]: .*got NaN"),
    ([NAN, NAN], [["a"], ["b"]], TypeError, r"predictions\[0\]: .*got NaN"),
    (["a", pd.NaT], [["a"], ["b"]], TypeError, r"predictions\[1\]: .*got NaT"),
    (pd.Series(["a", pd.NA]), [["a"], ["b"]], TypeError, r"predictions\[1\]: .*got (NA|NaN)\. Pass"),
    (pd.Series(["a", NAN], dtype=object), [["a"], ["b"]], TypeError, r"predictions\[1\]: .*got NaN"),
    (["a", "b"], [["a"], [NAN]], ValueError, r"references\[1\]: expected at least one reference"),
    (["a", "b"], pd.DataFrame({"ref1": ["a", NAN], "ref2": ["b", None]}), ValueError, r"references\[1\]: expected at least one reference"),
    (["a", "b"], pd.DataFrame({"ref": ["a", "b"], "source": ["c", "d"]}), ValueError, "references: the column 'source' does not look like references"),
    (["a", "b"], pl.DataFrame({"ref": ["a", "b"], "doc_id": [1, 2]}), ValueError, "references: the column 'doc_id' does not look like references"),
    (["a", "b"], pa.table({"ref": ["a", "b"], "hyp": ["c", "d"]}), ValueError, "references: the column 'hyp' does not look like references"),
    ([True], [["a"]], TypeError, r"predictions\[0\]: .*got bool"),
    ([{"a": 1}], [["a"]], TypeError, r"predictions\[0\]: got a dict with the field 'a', expected its text"),
    ([["a", 1]], [[["a"]]], TypeError, r"predictions\[0\]: .*got int and str in one list"),
    ([["a", None]], [[["a"]]], TypeError, r"predictions\[0\]: .*got None among the tokens"),
    ([["a"], ["b"]], [[["a"]], [["a"], ["b", None]]], TypeError, r"references\[1\]: .*got None among the tokens"),
    ([[["a"]]], [[["a"]]], TypeError, r"predictions\[0\]: .*got a list of lists of str, nested too deep"),
    (["a"], [[["a"]]], TypeError, r"references\[0\]: .*got a list of lists of str, nested too deep"),
    (["a", "b"], [["a"], [["b"]]], TypeError, r"references\[1\]: .*got a list of a list of str after a list of str"),
    (["a", "b"], [["a"], "b"], TypeError, r"references\[1\]: .*got str after a list of str"),
    (["a", ["b"]], [["a"], ["b"]], TypeError, r"predictions\[1\]: .*got a list of str after str"),
    ([["a", "b"]], [["a"]], TypeError, r"references\[0\]: .*each a list of str tokens.*\[\[\.\.\.\]\].*got a list of str"),
    ([["a", "b"]], ["a"], TypeError, r"references\[0\]: .*got str"),
    ([["a b"], ["c"]], [["a b"], ["c"]], TypeError, r"predictions\[0\]: .*got a list with one str.*\[text for \[text\] in predictions\]"),
    ([["a", b"b"]], [[["a"]]], TypeError, r"predictions\[0\]: .*got bytes"),
    (["a", b"b"], ["a", "b"], TypeError, r"predictions\[1\]: .*got bytes"),
    ([["a b"], ["c"]], ["a b", "c"], TypeError, r"predictions\[0\]: .*got a list with one str.*\[text for \[text\] in predictions\]"),
    ([["a"]], [[[1]]], TypeError, r"references\[0\]: .*got a list of lists of int"),
    ([[1]], [[["a"]]], TypeError, r"references\[0\]: .*got a list of lists of str"),
    (["a"], [[1]], TypeError, r"references\[0\]: .*got a list of int"),
    ("a", [["a"]], TypeError, "predictions: expected a list, array or Series with one item per segment, got str"),
    (["a"], "a", TypeError, "references: expected a list, array or Series with one item per segment, got str"),
    ({"a": 1}, [["a"]], TypeError, "predictions: expected a list, array or Series with one item per segment, got dict"),
    (5, [["a"]], TypeError, "predictions: expected a list, array or Series with one item per segment, got int"),
    (["a", SURROGATE], [["a"], ["b"]], ValueError, r"predictions\[1\]: .*got a lone surrogate"),
    (["a", "b"], [["a"], ["b", SURROGATE]], ValueError, r"references\[1\]: .*got a lone surrogate"),
    (pa.table({"x": ["a"], "y": ["b"]}), [["a"]], TypeError, "predictions: expected a column, got Table. Pass one of its columns: x, y."),
    (pl.DataFrame({"x": ["a"]}), [["a"]], TypeError, "predictions: expected a column, got DataFrame. Pass one of its columns: x."),
    (pd.DataFrame({"x": ["a"]}), [["a"]], TypeError, "predictions: expected a column, got DataFrame. Pass one of its columns: x."),
    (pa.array([1.5]), [["a"]], TypeError, r"predictions\[0\]: .*got double"),
    (pa.array([b"a"]), [["a"]], TypeError, r"predictions\[0\]: .*got binary"),
    (["a", [["b"]]], [["a"], ["b"]], TypeError, r"predictions\[1\]: .*got lists nested too deep"),
    (["a", "b"], [["a"], [[["b"]]]], TypeError, r"references\[1\]: .*got lists nested too deep"),
    # rows are counted across chunks
    (pa.chunked_array([["a"], ["b", None]]), [["a"]] * 3, ValueError, r"predictions\[2\]: .*got None"),
    (["a"] * 3, pa.chunked_array([["a"], ["b", None]]), ValueError, r"references\[2\]: expected at least one reference, got none"),
    (["a"] * 3, pa.chunked_array([[["a"]], [["b"], []]]), ValueError, r"references\[2\]: expected at least one reference, got none"),
    (["a"] * 3, pa.chunked_array([[["a"]], [["b"], [None]]]), ValueError, r"references\[2\]: expected at least one reference, got none"),
    (pa.chunked_array([[["a"]], [["b"], ["c", None]]]), [[["a"]]] * 3, TypeError, r"predictions\[2\]: .*got None among the tokens"),
    ([["a"]] * 3, pa.chunked_array([[[["a"]]], [[["b"]], [["c"], ["d", None]]]]), TypeError, r"references\[2\]: .*got None among the tokens"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"), ERRORS, ids=[row[-1][:60] for row in ERRORS]
)
def test_errors_name_column_and_row_and_leave_nothing_behind(
    load, tmp_path, predictions, references, error, message
):
    """`compute`, `add_batch` and `statistics` raise the error, the next call is right, and no file is left.

    No error of Arrow's is shown before it.
    """
    bleu = load(cache_dir=str(tmp_path))
    for call in (bleu.compute, bleu.add_batch, bleu.statistics):
        with pytest.raises(error, match=message) as raised:
            call(predictions=predictions, references=references)
        assert len(str(raised.value)) < 400
        assert raised.value.__context__ is None or raised.value.__suppress_context__
        assert list_files(tmp_path) == []
    assert bleu.compute(predictions=["a b c d"], references=["a b c d"])["translation_length"] == 4


# Predictions and references of ids with one id below 0; the column and the row in the message.
NEGATIVE = {
    "a padded prediction": ([GOOD_IDS, [5, 6, -100, -100]], [[GOOD_IDS], [GOOD_IDS]], "predictions", 1),
    "only padding": ([[-100] * 4, [-100] * 4], [[[-100] * 4]] * 2, "predictions", 0),
    "a padded reference": ([GOOD_IDS, GOOD_IDS], [[GOOD_IDS], [[5, 6, -100]]], "references", 1),
    "the second of two references": ([GOOD_IDS], [[GOOD_IDS, [5, -100]]], "references", 0),
    "labels, one per row": ([GOOD_IDS, GOOD_IDS], [GOOD_IDS, [5, 6, 7, -100]], "references", 1),
    "the first id": ([[-100, 5, 6]], [[GOOD_IDS]], "predictions", 0),
    "just below 0": ([GOOD_IDS, GOOD_IDS, [0, -1]], [[GOOD_IDS]] * 3, "predictions", 2),
}  # fmt: skip

AS = {
    "lists": lambda rows: rows,
    "arrays": lambda rows: [np.array(row) if not isinstance(row[0], list) else row for row in rows],
    "arrow": pa.array,
    "arrow chunks": lambda rows: pa.chunked_array([pa.array([row]) for row in rows]),
    "arrow int32": lambda rows: (pa.array(rows, pa.list_(pa.int32())) if not isinstance(rows[0][0], list) else pa.array(rows)),
    "polars": pl.Series,
    "pandas": pd.Series,
}  # fmt: skip


@pytest.mark.parametrize("way", AS.values(), ids=AS)
@pytest.mark.parametrize(
    ("predictions", "references", "column", "row"), NEGATIVE.values(), ids=NEGATIVE
)
def test_ids_below_0_are_rejected(bleu, way, predictions, references, column, row):
    """The -100 of padded labels is rejected with the row and the fix in every call; no row is added."""
    given = {"predictions": way(predictions), "references": way(references)}
    for call in (bleu.compute, bleu.statistics, bleu.add_batch):
        with pytest.raises(ValueError, match=rf"{column}\[{row}\].*-100"):
            call(**given)
    assert len(bleu) == 0


def test_ids_below_0_in_the_calls_for_single_rows(bleu):
    for call in (
        lambda: bleu.add(prediction=[5, -100], reference=[GOOD_IDS]),
        lambda: bleu.add(prediction=GOOD_IDS, reference=[[5, -100]]),
        lambda: bleu.explain([5, -100], [GOOD_IDS]),
        lambda: bleu.pairwise([[5, 6], [5, -100]]),
        lambda: bleu.self_bleu([[5, 6], [5, -100]]),
    ):
        with pytest.raises(ValueError, match=r"(\[\d\]|^prediction): .*-100"):
            call()
    assert len(bleu) == 0


def test_ids_of_0_and_more_are_tokens(bleu):
    largest = 2**63 - 1
    assert (
        bleu.compute(predictions=[[0, 1, largest, 3]], references=[[[0, 1, largest, 3]]])["bleu"]
        == 1
    )
