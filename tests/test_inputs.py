"""What may be passed, and what is said to what may not."""

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bleu.bleu_inputs import read_corpus

PREDICTIONS = ["the cat", "", "Ünïcode text"]


REFERENCES = [["the cat", "a cat"], ["x"], ["Unicode text", "", "y"]]


def dataset_column(values):
    return datasets.Dataset.from_dict({"c": values})["c"]


def shuffled_column(values):
    return datasets.Dataset.from_dict({"c": values[::-1]}).select(range(len(values)))["c"]


def sliced(values):
    return pa.array([values[0], *values, values[0]]).slice(1, len(values))


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda values: (value for value in values),
    "numpy": lambda values: np.array([*values, None], object)[:-1],
    "pandas": pd.Series,
    "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.array(values).type)),
    "polars": pl.Series,
    "datasets": dataset_column,
    "arrow": pa.array,
    "arrow slice": sliced,
    "arrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "arrow large": lambda values: pa.array(values, pa.large_list(pa.large_string()) if isinstance(values[0], list) else pa.large_string()),
    "tuples in a list": lambda values: [tuple(value) if isinstance(value, list) else value for value in values],
    "arrays in a list": lambda values: [np.array(value) if isinstance(value, list) else value for value in values],
}  # fmt: skip


def as_dict(corpus):
    return {"predictions": corpus.predictions.to_pylist(), "references": corpus.references.to_pylist()}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("references_in", [list, "same"])
def test_containers_of_text(container, references_in):
    references = container(REFERENCES) if references_in == "same" else REFERENCES
    corpus = read_corpus(container(PREDICTIONS), references)
    assert as_dict(corpus) == {"predictions": PREDICTIONS, "references": REFERENCES}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_one_string_a_prediction(container):
    corpus = read_corpus(PREDICTIONS, container(["a", "b", ""]))
    assert corpus.references.to_pylist() == [["a"], ["b"], [""]]


@pytest.mark.parametrize("tokens", [["a", "b"], [1, 2]], ids=["tokens", "ids"])
@pytest.mark.parametrize("container", [list, tuple, pd.Series, pl.Series, dataset_column, pa.array, np.array])
def test_containers_of_tokens_and_ids(container, tokens):
    predictions, references = [tokens, tokens[::-1]], [[tokens, tokens], [tokens, tokens]]
    corpus = read_corpus(container(predictions), container(references))
    assert as_dict(corpus) == {"predictions": predictions, "references": references}


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.uint64])
def test_ids_of_any_width(kind):
    corpus = read_corpus(np.array([[1, 2]], kind), np.array([[[1, 2]]], kind))
    assert as_dict(corpus) == {"predictions": [[1, 2]], "references": [[[1, 2]]]}


def test_ids_may_have_one_reference_a_row_as_labels_do():
    assert read_corpus([[1, 2]], [[1, 2, 3]]).references.to_pylist() == [[[1, 2, 3]]]


def test_more_arrow_kinds():
    dictionary = pa.array(["a", "b", "a"]).dictionary_encode()
    fixed = pa.array([["x", "y"]] * 3, pa.list_(pa.string(), 2))
    corpus = read_corpus(dictionary, fixed)
    assert as_dict(corpus) == {"predictions": ["a", "b", "a"], "references": [["x", "y"]] * 3}


def test_arrow_is_not_copied():
    predictions, references = pa.array(PREDICTIONS), pa.array(REFERENCES)
    corpus = read_corpus(predictions, references)
    address = lambda array: array.buffers()[-1].address  # noqa: E731
    assert address(corpus.predictions.chunk(0)) == address(predictions)
    assert address(corpus.references.chunk(0)) == address(references)
    data = datasets.Dataset(pa.table({"p": predictions, "r": references}))
    if not isinstance(data["p"], list):  # before version 4 a column was a Python list
        assert address(read_corpus(data["p"], data["r"]).predictions.chunk(0)) == address(predictions)


def test_a_datasets_selection_and_transform():
    """Rows that were selected, and rows that a transform makes, come as the user sees them."""
    data = datasets.Dataset.from_dict({"p": ["a", "b", "c"], "r": [["x"], ["y"], ["z"]]})
    assert read_corpus(data.select([2, 0])["p"], data.select([2, 0])["r"]).predictions.to_pylist() == ["c", "a"]
    upper = data.with_transform(lambda batch: {name: [str(value).upper() for value in batch[name]] for name in batch})
    assert read_corpus(upper["p"], data["r"]).predictions.to_pylist() == ["A", "B", "C"]


def test_none_among_references_is_absent():
    references = [[None, "a"], ["b", None, ""], [None, None, "c"]]
    assert read_corpus(PREDICTIONS, references).references.to_pylist() == [["a"], ["b", ""], ["c"]]
    chunks = pa.chunked_array([references[:1], references[1:]])
    assert read_corpus(PREDICTIONS, chunks).references.to_pylist() == [["a"], ["b", ""], ["c"]]


def test_empty_token_lists():
    assert as_dict(read_corpus([[]], [[["a"]]])) == {"predictions": [[]], "references": [[["a"]]]}
    assert as_dict(read_corpus([[]], [[[1]]])) == {"predictions": [[]], "references": [[[1]]]}
    assert as_dict(read_corpus([["a"]], [[[]]])) == {"predictions": [["a"]], "references": [[[]]]}


NAN, SURROGATE = float("nan"), "\ud83d"


# predictions, references, the error, a part of its message
ERRORS = [
    (["a", "b"], [["a"]], ValueError, "2 predictions and 1 references"),
    (["a", "b", "c"], [["a"] * 3, ["b"] * 3], ValueError, r"look like sacreBLEU's: 2 lists of 3.*references=list\(zip\(\*references\)\)"),
    (["a"], [["a"], ["b"]], ValueError, r"look like sacreBLEU's: 2 lists of 1"),
    (["a", None], [["a"], ["b"]], ValueError, "predictions, row 1: found None"),
    ([None, None], [["a"], ["b"]], ValueError, "predictions, row 0: found None"),
    (pa.chunked_array([["a"], [None]]), [["a"], ["b"]], ValueError, "predictions, row 1: found None"),
    (["a", "b"], [["a"], []], ValueError, "references, row 1: there is no reference"),
    (["a", "b"], [["a"], None], ValueError, "references, row 1: there is no reference"),
    (["a", "b"], [["a"], [None]], ValueError, "references, row 1: there is no reference"),
    (["a", "b"], ["a", None], ValueError, "references, row 1: there is no reference"),
    (["a", "b"], [[], []], ValueError, "references, row 0: there is no reference"),
    (["a"], pa.chunked_array([[["a"]], []]).slice(1), ValueError, "1 predictions and 0 references"),
    ([], [], ValueError, "nothing to score"),
    (pa.array([], pa.string()), [], ValueError, "nothing to score"),
    (None, [["a"]], ValueError, "There are no predictions"),
    (["a"], None, ValueError, "There are no references"),
    ([b"a"], [["a"]], TypeError, "predictions, row 0: found bytes"),
    (["a", b"a"], [["a"], ["b"]], TypeError, "predictions, row 1: found bytes"),
    (["a"], [[b"a"]], TypeError, "references, row 0: found bytes"),
    ([1, 2], [["a"], ["b"]], TypeError, "predictions, row 0: found int"),
    (np.array([1, 2]), [["a"], ["b"]], TypeError, "predictions, row 0: found int"),
    (["a", 2.0], [["a"], ["b"]], TypeError, "predictions, row 1: found float"),
    ([NAN, "a"], [["a"], ["b"]], TypeError, "predictions, row 0: found NaN"),
    ([NAN, NAN], [["a"], ["b"]], TypeError, "predictions, row 0: found NaN"),
    (["a", "b"], [["a"], ["b", NAN]], TypeError, "references, row 1: found NaN"),
    ([True], [["a"]], TypeError, "predictions, row 0: found bool"),
    ([{"a": 1}], [["a"]], TypeError, "predictions, row 0: found dict"),
    ([["a", 1]], [[["a"]]], TypeError, "predictions, row 0: found int and str in one list"),
    ([["a", None]], [[["a"]]], TypeError, "predictions, row 0: found None among the tokens"),
    ([["a"], ["b"]], [[["a"]], [["a"], ["b", None]]], TypeError, "references, row 1: found None among the tokens"),
    ([[["a"]]], [[["a"]]], TypeError, "predictions, row 0: found a list of lists of str, nested too deep"),
    (["a"], [[["a"]]], TypeError, "references, row 0: found a list of lists of str, nested too deep"),
    (["a", "b"], [["a"], [["b"]]], TypeError, "references, row 1: found a list of a list of str, but the rows before"),
    (["a", "b"], [["a"], "b"], TypeError, "references, row 1: found str, but the rows before are a list of str"),
    (["a", ["b"]], [["a"], ["b"]], TypeError, "predictions, row 1: found a list of str, but the rows before are str"),
    ([["a"]], [["a"]], TypeError, r"references, row 0: found a list of str.*each a list of str tokens.*\[\[\.\.\.\]\]"),
    ([["a"]], ["a"], TypeError, "references, row 0: found str"),
    ([["a"]], [[[1]]], TypeError, "references, row 0: found a list of lists of int"),
    ([[1]], [[["a"]]], TypeError, "references, row 0: found a list of lists of str"),
    (["a"], [[1]], TypeError, "references, row 0: found a list of int"),
    ("a", [["a"]], TypeError, "predictions: found str. Give a list"),
    (["a"], "a", TypeError, "references: found str. Give a list"),
    ({"a": 1}, [["a"]], TypeError, "predictions: found dict"),
    (5, [["a"]], TypeError, "predictions: found int"),
    (["a", SURROGATE], [["a"], ["b"]], ValueError, "predictions, row 1: found half of a surrogate pair"),
    (["a", "b"], [["a"], ["b", SURROGATE]], ValueError, "references, row 1: found half of a surrogate pair"),
    (pa.table({"x": ["a"], "y": ["b"]}), [["a"]], TypeError, "predictions: found Table. Give a list"),
    (pl.DataFrame({"x": ["a"]}), [["a"]], TypeError, "predictions: found a table. Give one of its columns: x"),
    (pd.DataFrame({"x": ["a"]}), [["a"]], TypeError, "predictions, row 0: found"),
    (pa.array([1.5]), [["a"]], TypeError, "predictions, row 0: found double"),
    (pa.array([b"a"]), [["a"]], TypeError, "predictions, row 0: found binary"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"), ERRORS, ids=[row[-1][:60] for row in ERRORS]
)
def test_errors_name_column_and_row_and_are_forgotten(load, tmp_path, predictions, references, error, message):
    """In `compute`, `add_batch` and `statistics`; the next call is right, and nothing is left on disk."""
    bleu = load(cache_dir=str(tmp_path))
    for call in (bleu.compute, bleu.add_batch, bleu.statistics):
        with pytest.raises(error, match=message) as raised:
            call(predictions=predictions, references=references)
        assert len(str(raised.value)) < 400
        assert files(tmp_path) == []
    assert bleu.compute(predictions=["a b c d"], references=["a b c d"])["translation_length"] == 4


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]
