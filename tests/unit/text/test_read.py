"""Inputs: the containers that may be passed, the errors for those that may not, and the fingerprint."""

import hashlib
import sys
import threading
from decimal import Decimal
from unittest import mock

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from bleu.bleu_core.shared.arrays import IDS, STRINGS, TOKENS
from bleu.bleu_core.text import read as read_file
from bleu.bleu_core.text.read import read_corpus
from helpers import (
    PARTS,
    ROOT,
    Tensor,
    Words,
    calls_of_columns,
    calls_of_values,
    make_string_array,
    record_warnings,
    run_python,
)
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Containers, kinds and errors.


NAN, SURROGATE = float("nan"), "\ud83d"
PREDICTIONS = ["the cat", "", "Ünïcode text"]
REFERENCES = [["the cat", "a cat"], ["x"], ["Unicode text", "", "y"]]


def dataset_column(values):
    return datasets.Dataset.from_dict({"c": values})["c"]


def sliced(values):
    return pa.array([values[0], *values, values[0]]).slice(1, len(values))


class Named(list):
    """A list with an attribute that columns of `datasets` have, too."""

    column_name = "text"


class OldSeries(pd.Series):
    """A Series of the pandas versions without the Arrow C stream."""

    @property
    def __arrow_c_stream__(self):
        raise AttributeError


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "list with a name": Named,
    "generator": lambda values: (value for value in values),
    "numpy": lambda values: np.array([*values, None], object)[:-1],
    "pandas": pd.Series,
    "old pandas": OldSeries,
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
    return {
        "predictions": corpus.predictions.to_pylist(),
        "references": corpus.references.to_pylist(),
    }


_TEXT = st.one_of(st.text(max_size=3), st.text("a\ud800", max_size=2))
_ITEM = st.one_of(_TEXT, st.none(), st.just(b"a"), st.just(7))
_TOKENS = st.one_of(
    st.lists(_TEXT, max_size=3), st.lists(st.integers(-1, 3), max_size=3), st.lists(st.booleans())
)
_ROWS = st.integers(0, 4)


def read_or_reject(predictions, references):
    """Return the corpus or the error as text, and the warnings."""

    def read():
        try:
            return as_dict(read_corpus(predictions, references))
        except (TypeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"

    return record_warnings(read)


def test_rejected_input_issues_no_warning():
    """Rejected input issues no warning: a lone surrogate in square references, in plain lists and other containers."""
    for column in (list, tuple):
        answer, warned = read_or_reject(column(["a", "b"]), column([["a", "b"], ["c", SURROGATE]]))
        assert answer.startswith("ValueError: references[1]: got a lone surrogate")
        assert warned == []


@given(st.data())
def test_the_fast_path_of_plain_lists_reads_the_same(data):
    """Plain lists of str take a fast path, all other rows take every check. Results and errors are the same."""
    item = data.draw(st.sampled_from([_TEXT, _TEXT, _ITEM, _TOKENS]))
    rows = data.draw(_ROWS)
    predictions = data.draw(st.lists(item, min_size=rows, max_size=rows))
    reference = data.draw(
        st.sampled_from([item, st.lists(item, max_size=3), st.lists(item, min_size=2, max_size=2)])
    )
    references = data.draw(
        st.lists(reference, min_size=rows, max_size=data.draw(st.sampled_from([rows, rows, 4])))
    )
    answer = read_or_reject(predictions, references)
    with mock.patch.object(read_file, "read_plain", return_value=None):
        assert answer == read_or_reject(predictions, references)
    wrapped = [tuple(row) if isinstance(row, list) else row for row in references]
    assert (
        answer
        == read_or_reject(predictions, wrapped)
        == read_or_reject(tuple(predictions), tuple(references))
    )


# Rows, and whether the fast path reads them.
PLAIN = {
    "a str per row": (["a", ""], ["b", "日本🙂é"], True),
    "lists of references": (["a", "b"], [["c"], ["d", "", "e"]], True),
    "a null byte": (["a\0b"], ["\0"], True),
    "long texts": (["a" * 100_000, "b"], ["c", "d" * 10_000], True),
    "as many references as rows": (["a", "b"], [["c", "d"], ["e", "f"]], True),
    "tokens": ([["a"]], [[["b"]]], True),
    "ids": ([[1]], [[[2]]], True),
    "no tokens": ([[]], [[[]]], False),
    "tokens and bytes": ([["a", b"b"]], [[["a"]]], False),
    "None among references": (["a"], [["b", None]], False),
    "a tuple of references": (["a", "b"], [["c"], ("d",)], True),
    "a tuple of rows": (("a",), ["b"], False),
    "NumPy's str": ([np.str_("a")], ["b"], False),
}


@pytest.mark.parametrize(("predictions", "references", "is_plain"), PLAIN.values(), ids=PLAIN)
def test_rows_of_the_fast_path(predictions, references, is_plain):
    """Both paths make the same corpus, types and all."""
    plain = read_file.read_plain(predictions, references)
    assert (plain is not None) == is_plain
    if not is_plain:
        return
    with mock.patch.object(read_file, "read_plain", return_value=None):
        corpus = read_corpus(predictions, references)
    (batch,), (expected,) = plain.batches, corpus.batches
    assert batch.predictions.equals(expected.predictions)
    assert batch.references.equals(expected.references)
    assert batch.bounds.tolist() == expected.bounds.tolist()


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("references_in", [list, "same"])
def test_containers_of_text(container, references_in):
    references = container(REFERENCES) if references_in == "same" else REFERENCES
    corpus = read_corpus(container(PREDICTIONS), references)
    assert as_dict(corpus) == {"predictions": PREDICTIONS, "references": REFERENCES}
    assert {(batch.predictions.type, batch.references.type) for batch in corpus.batches} == {
        (STRINGS, STRINGS)
    }


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_one_string_per_prediction(container):
    corpus = read_corpus(PREDICTIONS, container(["a", "b", ""]))
    assert corpus.references.to_pylist() == [["a"], ["b"], [""]]


@pytest.mark.parametrize("tokens", [["a", "b"], [1, 2]], ids=["tokens", "ids"])
@pytest.mark.parametrize(
    "container", [list, tuple, pd.Series, pl.Series, dataset_column, pa.array, np.array]
)
def test_containers_of_tokens_and_ids(container, tokens):
    predictions, references = [tokens, tokens[::-1]], [[tokens, tokens], [tokens, tokens]]
    corpus = read_corpus(container(predictions), container(references))
    assert as_dict(corpus) == {"predictions": predictions, "references": references}
    type_ = TOKENS if tokens == ["a", "b"] else IDS
    assert {(batch.predictions.type, batch.references.type) for batch in corpus.batches} == {
        (type_, type_)
    }


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.uint64])
def test_ids_of_any_width(kind):
    corpus = read_corpus(np.array([[1, 2]], kind), np.array([[[1, 2]]], kind))
    assert as_dict(corpus) == {"predictions": [[1, 2]], "references": [[[1, 2]]]}


def test_ids_may_have_one_reference_per_row():
    assert read_corpus([[1, 2]], [[1, 2, 3]]).references.to_pylist() == [[[1, 2, 3]]]


def test_more_arrow_kinds():
    dictionary = pa.array(["a", "b", "a"]).dictionary_encode()
    fixed = pa.array([["x", "y"]] * 3, pa.list_(pa.string(), 2))
    corpus = read_corpus(dictionary, fixed)
    assert as_dict(corpus) == {"predictions": ["a", "b", "a"], "references": [["x", "y"]] * 3}


def test_arrow_is_not_copied():
    predictions, references = pa.array(PREDICTIONS), pa.array(REFERENCES)
    corpus = read_corpus(predictions, references)
    address = lambda array: array.buffers()[-1].address
    assert address(corpus.predictions.chunk(0)) == address(predictions)
    assert address(corpus.references.chunk(0)) == address(references)
    data = datasets.Dataset(pa.table({"p": predictions, "r": references}))
    if not isinstance(data["p"], list):  # before version 4 a column was a Python list
        assert address(read_corpus(data["p"], data["r"]).predictions.chunk(0)) == address(
            predictions
        )


def test_a_datasets_selection_and_transform():
    """Selected rows and the rows of a transform are read as the user sees them."""
    data = datasets.Dataset.from_dict({"p": ["a", "b", "c"], "r": [["x"], ["y"], ["z"]]})
    assert read_corpus(
        data.select([2, 0])["p"], data.select([2, 0])["r"]
    ).predictions.to_pylist() == ["c", "a"]
    upper = data.with_transform(
        lambda batch: {name: [str(value).upper() for value in batch[name]] for name in batch}
    )
    assert read_corpus(upper["p"], data["r"]).predictions.to_pylist() == ["A", "B", "C"]


# Missing references, which users have for segments with fewer references than others.
MISSING = {
    "lists": lambda rows: rows,
    "a frame": lambda rows: pd.DataFrame(rows, columns=["ref1", "ref2"]),
    "a frame of strings": lambda rows: pd.DataFrame(rows, columns=["ref1", "ref2"]).convert_dtypes(),
    "a frame's values": lambda rows: pd.DataFrame(rows).values,
    "a frame's lists": lambda rows: pd.DataFrame(rows).values.tolist(),
    "a Series of lists": pd.Series,
    "a polars frame": lambda rows: pl.from_pandas(pd.DataFrame(rows, columns=["ref1", "ref2"])),
    "an Arrow table": lambda rows: pa.Table.from_pandas(pd.DataFrame(rows, columns=["A", "B"])),
    "a record batch": lambda rows: pa.RecordBatch.from_pandas(pd.DataFrame(rows, columns=["A", "B"])),
    "arrays in a list": lambda rows: [np.array(row, object) for row in rows],
}  # fmt: skip


@pytest.mark.parametrize("container", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("missing", [None, NAN, np.float32("nan"), pd.NA, pd.NaT], ids=str)
def test_missing_references_are_absent(bleu, container, missing):
    """A missing value in a row of references is as None, and tables have one row per segment."""
    rows, expected = [["a b", "c d"], ["e f", missing]], [["a b", "c d"], ["e f"]]
    references = container(rows)
    assert read_corpus(["a", "e"], references).references.to_pylist() == expected
    assert bleu.fingerprint(references) == bleu.fingerprint(expected)
    callback = bleu.compute_metrics(Words(), references=references)
    assert callback((np.array([[1], [2]]), np.array([[1], [2]])))["bleu"] == 0


@pytest.mark.parametrize("missing", [Decimal("NaN"), np.datetime64("NaT")], ids=str)
@pytest.mark.parametrize("container", [list, pd.Series])
def test_missing_values_of_other_types_are_absent(missing, container):
    references = container([["a b", "c d"], ["e f", missing]])
    assert read_corpus(["a", "e"], references).references.to_pylist() == [["a b", "c d"], ["e f"]]


def test_a_column_without_any_reference():
    """Pandas reads an empty column as numbers."""
    frame = pd.DataFrame({"ref1": ["a", "b"], "ref2": [NAN, NAN]})
    assert read_corpus(["a", "b"], frame).references.to_pylist() == [["a"], ["b"]]


@pytest.mark.parametrize(("missing", "name"), [(None, "None"), (NAN, "NaN"), (pd.NA, "NA"), (pd.NaT, "NaT")])  # fmt: skip
@pytest.mark.parametrize("container", [list, lambda rows: pd.Series(rows, dtype=object)])
def test_a_missing_document_is_called_by_its_name(bleu, missing, name, container):
    with pytest.raises(ValueError, match=rf"^documents\[1\]: got {name}\. Pass"):
        bleu.compute(
            predictions=["a"] * 2, references=["a"] * 2, documents=container(["x", missing])
        )


# Rows of tables, as references of one segment.
ROWS = {
    "a row of a frame": lambda row: pd.DataFrame([row]).iloc[0],
    "a row of a polars frame": lambda row: pl.Series(row),
    "an Arrow array": pa.array,
    "an iterator": iter,
    "an Arrow exporter": lambda row: Stream(pa.chunked_array([row])),
    "an array exporter": lambda row: ExportedArray(pa.array(row)),
}


@pytest.mark.parametrize("container", ROWS.values(), ids=ROWS)
def test_references_of_one_segment_in_any_container(bleu, container):
    """`add` takes what `explain` takes; a missing value is absent."""
    row = ["a b c", None, "a b"]
    expected = bleu.compute(predictions=["a b"], references=[row])
    bleu.add(prediction="a b", reference=container(row))
    assert bleu.compute() == expected
    assert bleu.explain("a b", container(row))["bleu"] == expected["bleu"]


class ExportedArray:
    """An Arrow exporter of one array."""

    def __init__(self, array):
        self._array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self._array.__arrow_c_array__(requested_schema)


class Stream:
    """An Arrow exporter without an iterator."""

    def __init__(self, data):
        self._data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self._data.__arrow_c_stream__(requested_schema)


def test_an_arrow_stream_without_an_iterator(bleu):
    """As a column of texts, labels and documents, as references of the callback, and as a table of references."""
    stream = lambda rows: Stream(pa.chunked_array([rows]))
    texts = ["a b", "c d"]
    columns = {"predictions": texts, "references": [["a b", "e"], ["c d"]], "by": ["x", "y"], "documents": [1, 2]}  # fmt: skip
    streams = {name: stream(rows) for name, rows in columns.items()}
    assert bleu.compute(**streams) == bleu.compute(**columns)
    assert bleu.self_bleu(stream(texts)) == bleu.self_bleu(texts)
    table = Stream(pa.table({"ref1": texts, "ref2": ["e", None]}))
    assert read_corpus(texts, table).references.to_pylist() == [["a b", "e"], ["c d"]]
    ids = np.array([[1], [2]])
    callbacks = [bleu.compute_metrics(Words(), references=rows) for rows in (texts, stream(texts))]
    assert callbacks[0]((ids, ids)) == callbacks[1]((ids, ids))
    with pytest.raises(TypeError, match=r"predictions\[0\]: expected .* got double"):
        bleu.compute(predictions=stream([0.5, 1]), references=texts)


# Rows that are dicts, and the texts of each in code. Keys are in alphabetical order, as in structs of Arrow 16.
DICTS = {
    "translations": ([{"translation_text": "a"}] * 2, "'translation_text'", "row['translation_text']"),
    "languages": ([{"de": "a", "en": "b"}] * 2, "'de', 'en'", "row['de']|row['en']"),
    "numbers before": ([{"id": 7, "lang": None, "score": 0.5, "text": "a"}] * 2, "'id', 'lang', 'score', 'text'", "row['text']"),
    "tokens": ([{"ids": [1, 2], "tokens": ["a", "b"]}] * 2, "'ids', 'tokens'", "row['tokens']"),
    "dicts in a field": ([{"id": 7, "translation": {"de": "a", "en": "b"}}] * 2, "'id', 'translation'", "row['translation']['de']|row['translation']['en']"),
    "no text": ([{"id": 7, "score": 0.5}] * 2, "'id', 'score'", ""),
    "generations": ([[{"generated_text": "a"}]] * 2, "'generated_text'", "row[0]['generated_text']"),
    "chats": ([[{"content": "q", "role": "user"}, {"content": "a", "role": "assistant"}]] * 2, "'content', 'role'", "row[-1]['content']"),
    "keys with spaces": ([{"the cat": "y", "de": "x"}] * 2, "'de'", "row['de']"),
    "many fields": ([dict.fromkeys("abcdefgh", "x")] * 2, "'a', 'b', 'c', 'd', 'e', ...", "row['a']|row['b']|row['c']|row['d']|row['e']"),
}  # fmt: skip


@pytest.mark.parametrize("container", [list, tuple, pd.Series, pl.Series, pa.array, dataset_column])
@pytest.mark.parametrize(("rows", "fields", "text"), DICTS.values(), ids=DICTS)
@pytest.mark.parametrize("column", ["predictions", "references"])
def test_dicts_as_rows(bleu, container, rows, fields, text, column):
    """The message has the code that takes the text, or each of several, also from Arrow structs."""
    others = {"predictions": ["a", "b"], "references": ["a", "b"]}
    if column == "references" and "row[0]" in text:
        text = "[reference['generated_text'] for reference in row]"
    noun = "field" if fields.count("'") == 2 else "fields"
    calls = [f"[{call} for row in {column}]" for call in text.split("|")]
    fix = f"{column}={' or '.join(calls)}" if text else "one text per segment"
    message = f"{column}[0]: got a dict with the {noun} {fields}, expected its text. Pass {fix}."
    for call in (bleu.compute, bleu.add_batch, bleu.statistics):
        with pytest.raises(TypeError) as raised:
            call(**{**others, column: container(rows)})
        assert str(raised.value) == message


def test_keys_that_may_be_texts_are_not_shown(bleu):
    with pytest.raises(TypeError, match=r"^predictions\[0\]: got a dict, expected a text\.$"):
        bleu.compute(predictions=[{"the cat sat": 1}], references=["a"])


def test_captions_by_image_are_paired_by_the_caller(bleu):
    """Dicts of captions have their images in any order, so no method pairs them by position."""
    captions = {"image 1": ["a b c d"], "image 2": ["e f g h"]}
    references = {"image 2": ["e f g h", "x"], "image 1": ["a b c d"]}
    pair = r"Pair them by key: ids = list\(references\), then predictions=\[predictions\[id\]\[0\] for id in ids\]"
    calls = [
        lambda p, r: bleu.compute(predictions=p, references=r),
        lambda p, r: bleu.add_batch(predictions=p, references=r),
        lambda p, r: bleu.statistics(predictions=p, references=r),
        bleu.reconcile,
        lambda p, r: bleu.reconcile(p, r, 50),
    ]
    for call in calls:
        for columns in ((captions, references), (captions.values(), references.values())):
            with pytest.raises(TypeError, match=pair):
                call(*columns)
    for method in (bleu.compare, bleu.rank, bleu.diff):
        with pytest.raises(
            TypeError, match=r"references: got a dict.*\[captions\[id\]\[0\] for id in ids\]"
        ):
            method({"A": captions, "B": captions}, references)
    ids = list(references)
    paired = [captions[id][0] for id in ids], [references[id] for id in ids]
    assert bleu.compute(predictions=paired[0], references=paired[1])["score"] == 100
    texts = {"image 1": "a b c d", "image 2": "e f g h"}
    in_order = bleu.compute(predictions=list(texts.values()), references=list(texts.values()))
    assert in_order["score"] == 100  # a list is the caller's own order


def test_none_among_references_is_absent():
    references = [[None, "a"], ["b", None, ""], [None, None, "c"]]
    assert read_corpus(PREDICTIONS, references).references.to_pylist() == [["a"], ["b", ""], ["c"]]
    chunks = pa.chunked_array([references[:1], references[1:]])
    assert read_corpus(PREDICTIONS, chunks).references.to_pylist() == [["a"], ["b", ""], ["c"]]


def test_empty_token_lists():
    assert as_dict(read_corpus([[]], [[["a"]]])) == {"predictions": [[]], "references": [[["a"]]]}
    assert as_dict(read_corpus([[]], [[[1]]])) == {"predictions": [[]], "references": [[[1]]]}
    assert as_dict(read_corpus([["a"]], [[[]]])) == {"predictions": [["a"]], "references": [[[]]]}


def get_messages(call):
    """Return the message of a call's error, or else the messages of its warnings."""
    try:
        return record_warnings(call)[1]
    except (TypeError, ValueError) as error:
        return [str(error)]


GOOD_IDS = [5, 6, 7, 8]


@pytest.mark.parametrize(
    "rows",
    [
        [[1], [2, 2**63]],
        [[1], [2, 2**70]],
        [[1], [-(2**70)]],
        np.array([[1], [2**63]], np.uint64),
        [np.array([1], np.uint64), np.array([2**63], np.uint64)],
        pd.Series([[1], [2**63]]),
        pa.array([[1], [2**63]], pa.list_(pa.uint64())),
        pa.chunked_array([pa.array([[1]], pa.large_list(pa.uint64())), pa.array([[2**63]], pa.large_list(pa.uint64()))]),
    ],
    ids=["2**63", "2**70", "-2**70", "array", "arrays", "pandas", "Arrow", "Arrow, chunks"],
)  # fmt: skip
def test_ids_of_more_than_63_bits_are_named(bleu, rows):
    with pytest.raises(
        ValueError, match=r"predictions\[1\]: .*got the token id -?\d{19,22}\. Pass ids from 0 to"
    ):
        bleu.compute(predictions=rows, references=[[[1]], [[1]]])
    with pytest.raises(ValueError, match=r"references\[1\]: .*got the token id"):
        bleu.compute(predictions=[[1], [1]], references=[[[1]], [[1], [2, 2**63]]])


def test_a_padded_row_far_down_is_named(bleu):
    """The row is counted in the column, not in the chunk or batch that holds it."""
    rows = [GOOD_IDS] * 70_000
    rows[66_001] = [5, -100]
    chunks = pa.chunked_array([pa.array(rows[:50_000]), pa.array(rows[50_000:])])
    for predictions in (rows, chunks):
        with pytest.raises(ValueError, match=r"predictions\[66001\]"):
            bleu.compute(predictions=predictions, references=[GOOD_IDS] * 70_000)


SENTENCES = (
    ["the cat sat on the mat.", "it was raining all day."],
    ["the cat sat on a mat.", "it rained all day."],
)


TEXTS, TEXT_REFERENCES = (
    ["the cat sat on a mat", "", "we ran"],
    [["the cat sat on the mat"], ["x"], ["we ran", "we ran to"]],
)

# Arrow types from readers of files and from other libraries: predictions and references, and the column that has it.
RARE = {
    "string_view": lambda: (pa.array(TEXTS, pa.string_view()), TEXT_REFERENCES, "predictions"),
    "list of string_view": lambda: (TEXTS, pa.array(TEXT_REFERENCES, pa.list_(pa.string_view())), "references"),
    "run-end encoded": lambda: (pc.run_end_encode(pa.array(TEXTS)), TEXT_REFERENCES, "predictions"),
    "run-end encoded chunks": lambda: (pa.chunked_array([pc.run_end_encode(pa.array(TEXTS))]), TEXT_REFERENCES, "predictions"),
    "list_view": lambda: (TEXTS, pa.array(TEXT_REFERENCES, pa.list_view(pa.string())), "references"),
    "large_list_view": lambda: (TEXTS, pa.array(TEXT_REFERENCES, pa.large_list_view(pa.string())), "references"),
    "list_view, sliced": lambda: (TEXTS, pa.array([["a"], *TEXT_REFERENCES], pa.list_view(pa.string())).slice(1), "references"),
    "list_view of tokens": lambda: (
        pa.array([text.split() for text in TEXTS], pa.list_view(pa.string())),
        [[text.split() for text in row] for row in TEXT_REFERENCES], "predictions",
    ),
}  # fmt: skip


@pytest.mark.parametrize("make", RARE.values(), ids=RARE)
def test_rare_arrow_types_are_rejected_with_a_conversion(bleu, make):
    """Views and run-end encoding are rejected, and the conversions that the message names work."""
    try:
        predictions, references, column = make()
    except (AttributeError, pa.ArrowNotImplementedError):
        pytest.skip("this pyarrow has no such type")
    columns = {"predictions": predictions, "references": references}
    for call in (bleu.compute, bleu.statistics, bleu.add_batch):
        with pytest.raises(TypeError, match=rf"^{column}: .*column\.to_pylist\(\)"):
            call(**columns)
    assert len(bleu) == 0
    expected = as_dict(read_corpus(**{**columns, column: columns[column].to_pylist()}))
    assert expected["predictions"] in (TEXTS, [text.split() for text in TEXTS])


@pytest.mark.parametrize("call", ["self_bleu", "pairwise"])
def test_run_end_encoded_texts_are_rejected_everywhere(bleu, call):
    """They are not read as lists of letters."""
    with pytest.raises(TypeError, match=r"run_end_encoded.*column\.to_pylist\(\)"):
        getattr(bleu, call)(pc.run_end_encode(pa.array(["the cat sat", "the cat sat", "a dog"])))


@pytest.mark.parametrize("type_", ["json_", "binary_view"])
def test_other_arrow_types_are_rejected(bleu, type_):
    """No text: the error names the column and has one line."""
    try:
        rows = pa.array(['"a"'] * 3).cast(getattr(pa, type_)())
    except (AttributeError, pa.ArrowNotImplementedError):
        pytest.skip("this pyarrow has no such type")
    with pytest.raises(TypeError, match=r"^predictions\b.*(expected|column\.to_pylist).*$"):
        bleu.compute(predictions=rows, references=TEXT_REFERENCES)


BROKEN = {
    "Latin-1": [b"a b", b"na\xefve text"],
    "incomplete": [b"a b", b"caf\xc3"],
    "a lone surrogate": [b"a b", b"a \xed\xa0\xbd b"],
    "no character": [b"a b", b"\xff\xfe"],
    "the highest byte twice": [b"a b", b"\xff\xff"],
    "beside a capital sigma": [b"a b", b"\xce\xa3 \xff"],  # its lowercase depends on the next character
}  # fmt: skip


# Arrow columns with three rows of bytes; the last row is broken.
BROKEN_IN = {
    "strings": make_string_array,
    "chunks": lambda rows: pa.chunked_array([make_string_array(rows[:1]), make_string_array(rows[1:])]),
    "dictionary": lambda rows: pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), make_string_array(rows)),
    "lists of tokens": lambda rows: pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), make_string_array(rows)),
    "a list of scalars": lambda rows: list(make_string_array(rows)),
    "pandas": lambda rows: pd.Series(pd.arrays.ArrowExtensionArray(make_string_array(rows))),
}  # fmt: skip


@pytest.mark.parametrize("column", BROKEN_IN.values(), ids=BROKEN_IN)
@pytest.mark.parametrize("rows", BROKEN.values(), ids=BROKEN)
def test_bytes_that_are_not_utf8(bleu, rows, column):
    """Text that is not valid UTF-8 is rejected with the column and the row, with any options, in every method."""
    broken, fine, references = column([b"a", *rows]), ["b"] * 3, ["b"] * 3
    if column is BROKEN_IN["lists of tokens"]:
        fine, references = [["b"]] * 3, [[["b"]]] * 3
    calls = [
        lambda: bleu.compute(predictions=broken, references=references),
        lambda: bleu.compute(predictions=broken, references=references, lowercase=True),
        lambda: bleu.compute(predictions=broken, references=references, tokenize=str.split),
        lambda: bleu.statistics(predictions=broken, references=references),
        lambda: bleu.add_batch(predictions=broken, references=references),
        lambda: bleu.pairwise(broken, fine),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"^predictions\[2\]: got invalid UTF-8") as raised:
            call()
        assert type(raised.value) is ValueError
    with pytest.raises(ValueError, match=r"^references\[2\]: got invalid UTF-8"):
        bleu.compute(predictions=["b"] * 3, references=broken)
    assert len(bleu) == 0


@pytest.mark.parametrize("size", [1, 10_000, 200_000])
def test_bytes_that_are_not_utf8_in_a_corpus_of_any_size(bleu, size):
    with pytest.raises(ValueError, match=rf"predictions\[{size - 1}\]:"):
        bleu.compute(
            predictions=make_string_array([b"a b"] * (size - 1) + [b"\xff"]),
            references=["a b"] * size,
        )


def test_bytes_outside_of_a_slice_are_not_read():
    strings = make_string_array([b"\xff", b"a", b"\xff", b"b"])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), strings)
    assert read_corpus(strings.slice(1, 1), ["x"]).predictions.to_pylist() == ["a"]
    assert read_corpus(["x"], lists.slice(1, 1)).references.to_pylist() == [["a"]]
    with pytest.raises(ValueError, match=r"references\[1\]:"):
        read_corpus(["x", "y"], lists.slice(1, 2))


# Predictions, references, and the start of the message about their numbers.
COUNTS = [
    (["a"], ["x", "y"], r"Got 1 prediction and 2 references\b"),
    (["a", "b"], ["x"], r"Got 2 predictions and 1 reference\b"),
    (["a"], [["x"], ["y"]], r"Got 1 prediction and 2 references\b"),
    (["a", "b"], [["x"]], r"Got 2 predictions and 1 reference\b"),
    (["a"], [], r"Got 1 prediction and (0|no) references\b"),
    ([], ["x"], r"Got (0|no) predictions and 1 reference\b"),
    (["a"] * 3, ["x"] * 2, r"Got 3 predictions and 2 references\b"),
    (["a"] * 1001, ["x"], r"Got 1,001 predictions and 1 reference\b"),
]


@pytest.mark.parametrize(
    ("predictions", "references", "beginning"), COUNTS, ids=[row[2] for row in COUNTS]
)
def test_numbers_and_nouns_agree(bleu, predictions, references, beginning):
    for call in (bleu.compute, bleu.statistics, bleu.add_batch):
        with pytest.raises(ValueError, match=beginning):
            call(predictions=predictions, references=references)


@pytest.mark.parametrize(
    "references", [["x", "y"], ["x", "y", "z"], np.array(["x", "y"]), pa.array(["x", "y"])], ids=str
)
def test_the_references_of_one_prediction_go_in_two_lists(bleu, references):
    """The error for `references=["x", "y"]` with one prediction suggests `[["x", "y"]]`."""
    with pytest.raises(ValueError, match=r"1 prediction and \d references.*\[\[.*\]\]"):
        bleu.compute(predictions=["a"], references=references)


# Scripts written without spaces: a warning that names the tokenizers for them.


# Predictions, and whether most of their characters are of such a script, in a sample that is spread over them.
UNSPACED = {
    "a tenth": (["猫" + "a" * 9], False),
    "a half": (["猫" * 5 + "a" * 5], True),
    "the second half": ([*["a"] * 1000, *["猫" * 10] * 1000], True),
    "a part": ([*["aaaaaaaaaa"] * 2000, *["猫" * 10] * 100], False),
}


@pytest.mark.parametrize("container", [list, pa.array])
@pytest.mark.parametrize(("texts", "warns"), UNSPACED.values(), ids=UNSPACED)
def test_scripts_without_spaces_are_looked_for_in_a_sample(bleu, container, texts, warns):
    messages = get_messages(lambda: bleu.compute(predictions=container(texts), references=texts))
    assert any("written without spaces" in message for message in messages) == warns


# Columns of unequal length.


COLUMNS = {
    "lists": list,
    "Arrow": lambda rows: pa.array(rows, pa.string()),
    "NumPy": lambda rows: np.array(rows, str),
}


@pytest.mark.parametrize("container", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_columns_of_unequal_length_are_rejected(bleu, container, count):
    """The other columns have two rows; neither the rest of a column is dropped, nor a row is repeated."""
    for name, call in calls_of_columns(bleu).items():
        with pytest.raises(ValueError, match=r"Got \d predictions? and \d references?"):
            print(name, call(container(["a b"] * count)))
    with pytest.raises(ValueError, match=f"by: got {count} labels? for 2 predictions"):
        bleu.diff({"A": ["a", "b"], "B": ["a", "b"]}, ["a", "b"], by=container(["x"] * count))
    assert len(bleu) == 0


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_callback_rejects_columns_of_unequal_length(bleu, count):
    ids = np.array([[1], [2], [3]])
    for predictions, labels, references in (
        (count, 2, None), (2, count, None), (count, count, ["a"] * 2), (2, count, ["a"] * 2), (count, None, ["a"] * 2),
    ):  # fmt: skip
        callback = bleu.compute_metrics(Words(), references=references)
        with pytest.raises(ValueError, match=r"(?i)\bgot "):
            callback((ids[:predictions], None if labels is None else ids[:labels]))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_statistics_columns_of_unequal_length_are_rejected(bleu, count):
    names = ["matches_1", "totals_1", "prediction_length", "reference_length"]
    for name in names:
        for container in (list, np.array, pa.array, pl.Series):
            columns = {
                **{other: container([1, 1]) for other in names},
                name: container([1] * count),
            }
            with pytest.raises(ValueError, match="statistics: not a statistics table"):
                bleu.compute(statistics=columns)


# Lists nested too deep, which overflow the stack of code that recurses.


DEEP = """
import json, sys, warnings
import evaluate, numpy as np, pandas as pd
import helpers
bleu = evaluate.load(sys.argv[1])
def nest(wrap):
    value = "a"
    for _ in range(30_000):
        value = wrap(value)
    return value
def array(row):
    rows = np.empty(2, object)
    rows[:] = [row, "b"]
    return rows
rows = {
    "lists": [nest(lambda value: [value]), "b"],
    "tuples": (nest(lambda value: (value,)), "b"),
    "dicts": [nest(lambda value: {"a": value}), "b"],
    "an array": array(nest(lambda value: [value])),
    "a Series": pd.Series(array(nest(lambda value: (value,)))),
}
kept, found = list(rows.values()), []  # until the process ends: Python's own recursion when they are deleted is limited
calls = {**helpers.calls_of_columns(bleu), **helpers.calls_of_values(bleu)}
for container, column in rows.items():
    for name, call in calls.items():
        print(container, name, flush=True)
        try:
            call(column)
        except (TypeError, ValueError, RecursionError) as error:
            if isinstance(error, RecursionError) and name not in ("weights", "tokenize"):
                found.append([container, name, "RecursionError"])
        else:
            found.append([container, name, "no error"])
print(json.dumps(found), flush=True)
import os; os._exit(0)
"""


@pytest.mark.processes
def test_lists_nested_too_deep_are_an_error_everywhere():
    assert run_python(DEEP, ROOT / "bleu_metric.py") == []


@pytest.mark.parametrize("weight", [1e308, 1e300, 1001])
def test_weights_whose_sum_overflows(bleu, weight):
    with pytest.raises(
        ValueError, match="weights of 0 or more, not all 0, that sum up to at most 1000"
    ):
        bleu.compute(predictions=["a b c d"], references=["a b c d"], weights=[weight] * 4)


# NumPy's strings and arrays as rows.


def test_a_nul_in_numpys_strings(bleu):
    """A column of dtype `<U`, or such an array as a row, has the score of the list."""
    texts, references = (
        ["a\0b c d e f", "x\0 y z w"],
        [["a\0b c d e g", "a b"], ["x\0 y z v", "\0b"]],
    )
    expected = bleu.compute(predictions=texts, references=references, tokenize="none")
    assert expected["totals"] == [9, 7, 5, 3]
    for predictions, rows in (
        (np.array(texts), references),
        (np.array(texts), np.array(references)),
        (texts, [np.array(row) for row in references]),
        (texts, np.array([*map(tuple, references), None], object)[:-1]),
    ):
        assert bleu.compute(predictions=predictions, references=rows, tokenize="none") == expected
    tokens, lists = (
        [text.split() for text in texts],
        [[text.split() for text in row] for row in references],
    )
    expected = bleu.compute(predictions=tokens, references=lists)
    arrays = [[np.array(text) for text in row] for row in lists]
    assert (
        bleu.compute(predictions=[np.array(text) for text in tokens], references=arrays) == expected
    )


def test_arrays_without_dimensions_are_strings(bleu):
    expected = bleu.compute(predictions=["the cat sat on"], references=["the cat sat in"])
    assert (
        bleu.compute(
            predictions=[np.array("the cat sat on")], references=[np.array("the cat sat in")]
        )
        == expected
    )


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([np.array([["a", "b"]])], ["a"], r"predictions\[0\]: expected a str.* got .*nested too deep"),
        (["a", "b"], ["a", np.array([["a", "b"]])], r"references\[1\]: .*each a list of references.*got a list of a list of str"),
        (["a"], [np.array([["a b"], ["a"]])], r"references\[0\]: .*got .*nested too deep"),
    ],
)  # fmt: skip
def test_arrays_of_two_dimensions_as_rows(bleu, predictions, references, message):
    with pytest.raises(TypeError, match=message):
        bleu.compute(predictions=predictions, references=references)


def test_lists_of_several_lengths_in_a_dataset_of_numpy(bleu):
    for predictions, references in (
        (["a b c d", "c"], [["a b c d"], ["c", "d"]]),
        ([["a", "b"], ["c"]], [[["a", "b"]], [["c", "d"], ["e"]]]),
        ([[1, 2], [3]], [[[1, 2]], [[3], [4, 5]]]),
    ):
        data = datasets.Dataset.from_dict({"p": predictions, "r": references}).with_format("numpy")
        expected = bleu.compute(predictions=predictions, references=references)
        for columns in (data, data[:], {"p": data["p"][:], "r": data["r"][:]}):
            assert bleu.compute(predictions=columns["p"], references=columns["r"]) == expected


@pytest.mark.parametrize(
    "references", [["a b c d"] * 3, [["a b c d"]] * 3], ids=["a str", "a list"]
)
@pytest.mark.parametrize("container", [list, np.array, pa.array], ids=["list", "NumPy", "Arrow"])
def test_the_fix_for_predictions_in_lists_of_one_works(bleu, references, container):
    texts = ["a b c d", "a b c", "b c d e"]
    wrapped = container([[text] for text in texts])
    with pytest.raises(
        TypeError, match=r"^predictions\[0\].*predictions=\[text for \[text\] in predictions\]"
    ):
        bleu.compute(predictions=wrapped, references=references)
    fixed = [str(text) for [text] in wrapped]
    assert bleu.compute(predictions=fixed, references=references) == bleu.compute(
        predictions=texts, references=references
    )


# Methods of predictions and references, one per row.
METHODS_OF_TEXT = {
    "compute": lambda bleu, texts, others: bleu.compute(predictions=texts, references=others),
    "compute, by": lambda bleu, texts, others: bleu.compute(predictions=texts, references=others, by=texts),
    "add_batch": lambda bleu, texts, others: (bleu.add_batch(predictions=texts, references=others), bleu.compute())[1],
    "statistics": lambda bleu, texts, others: bleu.statistics(predictions=texts, references=others),
    "compare": lambda bleu, texts, others: bleu.compare({"A": texts, "B": others}, others, n_resamples=9),
    "rank": lambda bleu, texts, others: bleu.rank({"A": texts, "B": others}, others, n_resamples=100),
    "diff": lambda bleu, texts, others: bleu.diff({"A": texts, "B": others}, others),
    "conventions": lambda bleu, texts, others: bleu.reconcile(texts, others),
    "reconcile": lambda bleu, texts, others: bleu.reconcile(texts, others, 50, smooth_method="exp"),
    "pairwise": lambda bleu, texts, others: bleu.pairwise(texts, others),
    "self_bleu": lambda bleu, texts, others: bleu.self_bleu(texts),
    "fingerprint": lambda bleu, texts, others: bleu.fingerprint(others),
}  # fmt: skip


@pytest.mark.parametrize("call", METHODS_OF_TEXT.values(), ids=METHODS_OF_TEXT)
@pytest.mark.parametrize("arguments", [{}, {"tokenize": str.split}, {"config_name": "moses"}, {"config_name": "coco"}], ids=str)  # fmt: skip
def test_parts_of_longer_arrow_data_in_every_method(load, call, arguments):
    """Under `lowercase=True`, too, the results are those of lists."""
    bleu = load(**arguments, lowercase=True)
    texts = ["The Cat SAT on Mat", "a Dog Ran Home now", "É"]
    others = ["the cat sat on a Mat", "A dog ran home NOW", "é"]
    expected = call(bleu, texts, others)
    for name, part in PARTS.items():
        assert str(call(bleu, part(texts), part(others))) == str(expected), name


def test_bytes_that_are_not_utf8_in_every_method(bleu):
    calls = {**calls_of_columns(bleu), **calls_of_values(bleu)}
    # No Arrow column.
    others = ("statistics, a", "compute, statistics", "by", "weights", "tokenize", "add,", "explain, prediction", "the callback")  # fmt: skip
    for name, call in calls.items():
        if not any(other in name for other in others):
            with pytest.raises(
                ValueError, match=r"(predictions|references|texts)\[\d\]: got invalid UTF-8"
            ):
                print(name, call(make_string_array([b"a", b"\xff"])))
    with pytest.raises(ValueError, match=r"^by\[1\]: got invalid UTF-8"):
        bleu.diff(
            {"A": ["a"] * 2, "B": ["a"] * 2}, ["a"] * 2, by=make_string_array([b"a", b"\xff"])
        )


# Lists that another thread changes during a call.


def test_lists_that_another_thread_changes(bleu):
    """The score is that of some state of the lists, or the columns are of unequal length in that state."""
    predictions, references = ["a b c d"] * 300, [["a b c d", "e f"] for _ in range(300)]
    stop = threading.Event()

    def change():
        while not stop.is_set():
            predictions.append("a b c d")
            references.append(["a b c d", "e"])
            for row in references[:50]:
                row.pop()
                row.append("a b c d")
            predictions.pop()
            references.pop()

    thread = threading.Thread(target=change)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    scored = 0
    try:
        for _ in range(200):
            try:
                result = bleu.compute(predictions=predictions, references=references)
            except ValueError as error:
                assert "Got " in str(error) or "at least one reference" in str(error)  # noqa: PT017
            else:
                scored += 1
                assert result["score"] == 100
                assert result["translation_length"] == result["reference_length"] in (1200, 1204)
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert scored


# The fingerprint of references.


def netstring(data):
    return str(len(data)).encode() + b":" + data + b","


def hash_naively(rows):
    """Return the documented hash: SHA-256 of netstrings, `text` or `lists` first; None is skipped."""
    is_text = isinstance(next(item for row in rows for item in row if item is not None), str)
    digest = hashlib.sha256(b"text" if is_text else b"lists")
    for row in rows:
        segment = b""
        for text in row:
            if text is not None:
                segment += netstring(text.encode() if is_text else b"".join(netstring(str(token).encode()) for token in text))  # fmt: skip
        digest.update(netstring(segment))
    return digest.hexdigest()


FINGERPRINTED = {
    "one each": [["the cat"], ["a dog"]],
    "several, empty and not ASCII": [["the cat", "a cat"], ["", "日本🙂é"], ["a,b:c", "1:a,", "\0"]],
    "None": [["a", None], [None, "b", None, "c"]],
    "tokens": [[["the", "cat"]], [["a", ""], []]],
    "ids": [[[1, 2]], [[], [3, 2**40]]],
    "many": [[f"text {i}", "x"] for i in range(70_000)],  # above the size of the pieces in which columns are read
}  # fmt: skip


@pytest.mark.parametrize("rows", FINGERPRINTED.values(), ids=FINGERPRINTED)
def test_the_fingerprint_is_the_documented_hash(bleu, rows):
    assert bleu.fingerprint(rows) == hash_naively(rows)


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_the_fingerprint_is_equal_for_every_container(bleu, container):
    assert bleu.fingerprint(container(REFERENCES)) == hash_naively(REFERENCES)
    texts = [row[0] for row in REFERENCES]
    assert bleu.fingerprint(container(texts)) == bleu.fingerprint([[text] for text in texts]) == hash_naively([[text] for text in texts])  # fmt: skip


@pytest.mark.parametrize("tokens", [["a", "b"], [1, 2]], ids=["tokens", "ids"])
@pytest.mark.parametrize(
    "container", [list, tuple, pd.Series, pl.Series, dataset_column, pa.array, np.array]
)
def test_the_fingerprint_of_tokens_and_ids_in_every_container(bleu, container, tokens):
    rows = [[tokens, tokens], [tokens[::-1], tokens]]
    assert bleu.fingerprint(container(rows)) == hash_naively(rows)


def test_the_fingerprint_of_arrow_types(bleu):
    """The width of ids, of offsets, dictionaries and the number of chunks have no influence."""
    texts, ids = ["a", "b", "a"], [[[1, 2]], [[3]]]
    columns = [pa.array(texts), pa.array(texts, pa.large_string()), pa.array(texts).dictionary_encode(), pa.chunked_array([["a"], [], ["b", "a"]])]  # fmt: skip
    assert {bleu.fingerprint(column) for column in columns} == {
        hash_naively([[text] for text in texts])
    }
    of_ids = {bleu.fingerprint(pa.array(ids, pa.list_(pa.list_(kind)))) for kind in (pa.int8(), pa.uint32(), pa.int64())}  # fmt: skip
    assert of_ids == {hash_naively(ids)}


# Changes after which two scores are not comparable.
CHANGED = {
    "order": [["c", "d"], ["a", "b"]],
    "order within a segment": [["b", "a"], ["c", "d"]],
    "a character": [["a", "b"], ["c", "e"]],
    "case": [["a", "b"], ["c", "D"]],
    "a space": [["a", "b "], ["c", "d"]],
    "another segment": [["a", "b"], ["c", "d"], ["e"]],
    "fewer references": [["a", "b"], ["c"]],
    "an empty reference": [["a", "b"], ["c", "d", ""]],
    "bounds of segments": [["a"], ["b", "c", "d"]],
    "bounds of references": [["ab"], ["c", "d"]],
    "tokens": [[["a"], ["b"]], [["c"], ["d"]]],
    "decomposed": [["a\u0301", "b"], ["c", "d"]],
    "composed": [["\u00e1", "b"], ["c", "d"]],
}


def test_the_fingerprint_changes_with_every_change(bleu):
    prints = [bleu.fingerprint(rows) for rows in ([["a", "b"], ["c", "d"]], *CHANGED.values())]
    assert len(set(prints)) == len(prints)
    assert {len(one) for one in prints} == {64}


def test_the_fingerprint_ignores_the_options(load):
    assert load("moses", lowercase=True).fingerprint(["A b"]) == load().fingerprint(["A b"])


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ("a b", TypeError, r"references: expected a list, array or Series with one item per segment, got str"),
        (None, TypeError, r"references: expected a list, array or Series with one item per segment, got None"),
        ([["a"], []], ValueError, r"references\[1\]: expected at least one reference, got none"),
        ([["a"], [None]], ValueError, r"references\[1\]: expected at least one reference, got none"),
        (["a", None], ValueError, r"references\[1\]: expected at least one reference, got none"),
        (["a", 1], TypeError, r"references\[1\]"),
        ([["a", SURROGATE]], ValueError, r"references\[0\]: got a lone surrogate"),
        ([[[1, -100]]], ValueError, r"references\[0\]: got the token id -100"),
        ([1.5], TypeError, r"references\[0\]"),
        ([], ValueError, r"no segments to score|references"),
    ],
)  # fmt: skip
def test_references_without_a_fingerprint(bleu, rows, error, message):
    with pytest.raises(error, match=message):
        bleu.fingerprint(rows)


# Predictions, references, and whether these look like the tokens of one reference each.
TOKEN_REFERENCES = {
    "split": (SENTENCES[0], [text.split() for text in SENTENCES[1]], True),
    "tuples": (SENTENCES[0], [tuple(text.split()) for text in SENTENCES[1]], True),
    "characters": (["東京は大きい", "とても暑い"], [list("東京は大きい"), list("とても暑い")], True),
    "text": (*SENTENCES, False),
    "four references": (SENTENCES[0], [[text] * 4 for text in SENTENCES[1]], False),
    "short answers": (["yes", "Paris"], [["yes", "yeah", "yep", "sure"], ["Paris", "paris", "PARIS", "Paname"]], False),
    "token lists": ([text.split() for text in SENTENCES[0]], [[text.split()] for text in SENTENCES[1]], False),
}  # fmt: skip


@pytest.mark.parametrize("container", [list, pa.array], ids=["lists", "Arrow"])
@pytest.mark.parametrize(
    ("predictions", "references", "warns"), TOKEN_REFERENCES.values(), ids=TOKEN_REFERENCES
)
def test_tokens_where_references_belong(bleu, container, predictions, references, warns):
    """Each token is read as a reference of one word, so the score would be far too low."""
    columns = {"predictions": container(predictions), "references": container(references)}
    _, messages = record_warnings(
        lambda: bleu.compute(**columns, smooth_method="exp", effective_order=True)
    )
    found = [
        message
        for message in messages
        if message.startswith("The references look like lists of tokens")
    ]
    assert len(found) == warns
    assert all(
        "references=[' '.join(tokens) for tokens in references]" in message for message in found
    )


IDS_2D, IDS_3D = [[1, 2, 3, 4], [5, 6, 7, 8]], [[[1, 2, 3, 4]], [[5, 6, 7, 9]]]


@pytest.mark.parametrize(
    "tensors",
    [
        (Tensor(IDS_2D), Tensor(IDS_3D)),
        (Tensor(IDS_2D), Tensor([row[0] for row in IDS_3D])),
        ([Tensor(row) for row in IDS_2D], [Tensor(row) for row in IDS_3D]),
        (tuple(map(Tensor, IDS_2D)), [[Tensor(row[0])] for row in IDS_3D]),
        ([[Tensor(1), Tensor(2), Tensor(3), Tensor(4)], Tensor(IDS_2D[1])], IDS_3D),
    ],
    ids=["2-D and 3-D", "one reference each", "lists of tensors", "references in lists", "numbers"],
)
def test_tensors_are_read_as_arrays(bleu, tensors):
    expected = bleu.compute(predictions=IDS_2D, references=IDS_3D)
    assert bleu.compute(predictions=tensors[0], references=tensors[1]) == expected
    assert bleu.compute(predictions=IDS_2D, references=IDS_3D, by=Tensor([3, 4]))[
        "groups"
    ].keys() == {3, 4}


FRAME = pd.DataFrame(
    {"p": ["a b c d", "e f g h", "i j k l"], "r": ["a b c d", "e f g h", "i j k l"], "by": ["x", "y", "z"]},
    index=["one", "two", "three"],
)  # fmt: skip
MOVED = FRAME.iloc[[2, 0, 1]]
ONE_TWO = {"A": FRAME["p"], "B": FRAME["p"] + " m"}

# Calls with columns of pandas in different orders, and the columns of the warning.
REORDERED = {
    "compute": (lambda bleu: bleu.compute(predictions=MOVED["p"], references=FRAME["r"]), "predictions", "references"),
    "a default index": (lambda bleu: bleu.compute(predictions=MOVED["p"].set_axis([2, 0, 1]), references=FRAME["r"].reset_index(drop=True)), "predictions", "references"),
    "a frame of references": (lambda bleu: bleu.compute(predictions=MOVED["p"], references=FRAME[["r"]]), "predictions", "references"),
    "lists as rows": (lambda bleu: bleu.compute(predictions=MOVED["p"], references=FRAME["r"].map(lambda text: [text])), "predictions", "references"),
    "add_batch": (lambda bleu: bleu.add_batch(predictions=MOVED["p"], references=FRAME["r"]) or bleu.compute(), "predictions", "references"),
    "statistics": (lambda bleu: bleu.statistics(predictions=MOVED["p"], references=FRAME["r"]), "predictions", "references"),
    "by": (lambda bleu: bleu.compute(predictions=FRAME["p"], references=FRAME["r"], by=MOVED["by"]), "by", "predictions"),
    "documents": (lambda bleu: bleu.compute(predictions=list(FRAME["p"]), references=FRAME["r"], documents=MOVED["by"], confidence=0.9), "documents", "references"),
    "statistics by": (lambda bleu: bleu.statistics(predictions=FRAME["p"], references=FRAME["r"], by=MOVED["by"]), "by", "predictions"),
    "compare": (lambda bleu: bleu.compare({"A": list(FRAME["p"]), "B": MOVED["p"]}, FRAME["r"], n_resamples=9), "predictions", "references"),
    "systems": (lambda bleu: bleu.compare({"A": FRAME["p"], "B": MOVED["p"]}, list(FRAME["r"]), n_resamples=9), "predictions", "systems['A']"),
    "compare by document": (lambda bleu: bleu.compare(ONE_TWO, list(FRAME["r"]), documents=MOVED["by"], n_resamples=9), "documents", "predictions"),
    "rank": (lambda bleu: bleu.rank({"A": FRAME["p"], "B": MOVED["p"]}, FRAME["r"], n_resamples=9), "predictions", "references"),
    "diff": (lambda bleu: bleu.diff(ONE_TWO, FRAME["r"], by=MOVED["by"]), "by", "references"),
    "self_bleu": (lambda bleu: bleu.self_bleu(FRAME["p"], by=MOVED["by"].map(len)), "by", "texts"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "name", "other"), REORDERED.values(), ids=REORDERED)
def test_pandas_columns_in_different_orders_are_warned_of(bleu, call, name, other):
    _, messages = record_warnings(lambda: call(bleu))
    found = [message for message in messages if "pandas index" in message]
    assert len(found) == 1
    assert f"{name}: its pandas index has the labels of the index of {other} in" in found[0]
    assert f"Pass {name}.loc[{other}.index], or {name}.tolist() if" in found[0]


# Columns that are not known to be in different orders.
IN_ORDER = {
    "one index": (FRAME["p"], FRAME["r"]),
    "an equal index": (FRAME["p"].copy(), pd.Series(list(FRAME["r"]), ["one", "two", "three"])),
    "default indexes": (FRAME["p"].reset_index(drop=True), FRAME["r"].reset_index(drop=True)),
    "other labels": (MOVED["p"], FRAME["r"].reset_index(drop=True)),
    "labels twice": (FRAME["p"].set_axis(["a", "b", "a"]), FRAME["r"].set_axis(["b", "a", "a"])),
    "a list": (MOVED["p"].tolist(), FRAME["r"]),
    "polars": (pl.Series(MOVED["p"].tolist()), FRAME["r"]),
    "without labels": (pd.Series([], dtype=str), pd.Series([], dtype=str)),
}


@pytest.mark.parametrize(("predictions", "references"), IN_ORDER.values(), ids=IN_ORDER)
def test_other_pandas_columns_are_not(bleu, predictions, references):
    columns = {"predictions": predictions, "references": references}
    _, messages = record_warnings(lambda: bleu.statistics(**columns))
    assert not any("pandas index" in message for message in messages)
