"""Columns: files, arrays and tensors, and what is not a column."""

import bz2
import codecs
import gzip
import io
import lzma
import re
import tempfile
from pathlib import Path, PurePosixPath

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import (
    Tensor,
    Words,
    calls_of_columns,
)
from test_read import get_messages

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# Files: opened by the caller, their lines are a column; paths and whole texts are not.
# ruff: noqa: SIM115 - what is passed is the open file

LINES = ["the cat sat on the mat\u2028here", "", "a dog\x85-", "x y z w"]
LINE_REFERENCES = ["the cat sat on a mat\u2028here", "b", "a dog\x85-", "x y z w v"]
OPEN = 'open(path, encoding="utf-8")'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a folder the working directory, with `hyp.txt` and `ref.txt`."""
    monkeypatch.chdir(tmp_path)
    write_lines("hyp.txt", LINES)
    write_lines("ref.txt", LINE_REFERENCES)
    return tmp_path


def write_lines(path, lines, opened=open, end="\n", **arguments):
    arguments = {"encoding": "utf-8"} | arguments
    with opened(path, "wt", **arguments) as file:
        file.write("".join(f"{line}{end}" for line in lines))


def open_as_text(path="hyp.txt", **arguments):
    return open(path, encoding="utf-8", **arguments)


def open_without_last_line_break():
    return io.StringIO("\n".join(LINES))


def open_with_carriage_returns(**arguments):
    write_lines("crlf.txt", LINES, newline="", end="\r\n")
    return open_as_text("crlf.txt", **arguments)


def open_compressed(module):
    write_lines("hyp.gz", LINES, module.open)
    return module.open("hyp.gz", "rt", encoding="utf-8")


def open_utf16():
    write_lines("utf16.txt", LINES, encoding="utf-16")
    return open("utf16.txt", encoding="utf-16")


def open_with_a_mark():
    write_lines("mark.txt", LINES, encoding="utf-8-sig")
    return open("mark.txt", encoding="utf-8-sig")


def open_temporary():
    file = tempfile.NamedTemporaryFile("w+", encoding="utf-8")
    file.write("\n".join(LINES))
    file.seek(0)
    return file


TEXT_FILES = {
    "text": open_as_text,
    "no last line break": open_without_last_line_break,
    "CRLF": open_with_carriage_returns,
    "CRLF, kept": lambda: open_with_carriage_returns(newline=""),
    "CRLF, lines end at LF": lambda: open_with_carriage_returns(newline="\n"),
    "gzip": lambda: open_compressed(gzip),
    "bz2": lambda: open_compressed(bz2),
    "lzma": lambda: open_compressed(lzma),
    "UTF-16": open_utf16,
    "a byte order mark": open_with_a_mark,
    "temporary": open_temporary,
    "codecs": lambda: codecs.open("hyp.txt", encoding="utf-8"),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore:codecs.open:DeprecationWarning")
@pytest.mark.parametrize("open_file", TEXT_FILES.values(), ids=TEXT_FILES)
def test_the_lines_of_a_file_are_a_column(bleu, folder, open_file):
    """Files have the results of their lists of lines, split at line feeds only, in every column."""
    expected = bleu.statistics(
        predictions=LINES, references=LINE_REFERENCES, by=LINES, documents=LINES
    )
    table = bleu.statistics(
        predictions=open_file(),
        references=open_as_text("ref.txt"),
        by=open_file(),
        documents=open_file(),
    )
    assert table == expected
    assert bleu.fingerprint(open_file()) == bleu.fingerprint(LINES)
    assert bleu.self_bleu(open_file()) == bleu.self_bleu(LINES)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_files_in_every_method(bleu, folder):
    """Each method reads an open file once."""
    texts = ["a b", "c d"]
    write_lines("two.txt", texts)
    for name, call in calls_of_columns(bleu).items():
        assert str(call(open_as_text("two.txt"))) == str(call(texts)), name
    callback = bleu.compute_metrics(Words(), references=open_as_text("two.txt"))
    assert callback._references.to_pylist() == [["a b"], ["c d"]]


BINARY_FILES = {
    "binary": (lambda: open("hyp.txt", "rb"), OPEN),
    "unbuffered": (lambda: open("hyp.txt", "rb", buffering=0), OPEN),
    "bytes": (lambda: io.BytesIO(b"a\nb"), OPEN),
    "temporary": (tempfile.NamedTemporaryFile, OPEN),
    "gzip": (lambda: gzip.open("hyp.gz"), 'gzip.open(path, "rt", encoding="utf-8")'),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(("open_file", "fix"), BINARY_FILES.values(), ids=BINARY_FILES)
def test_files_opened_in_binary_mode(bleu, folder, open_file, fix):
    write_lines("hyp.gz", LINES, gzip.open)
    message = f"got a file opened in binary mode, whose lines are bytes. Pass {fix}."
    with pytest.raises(TypeError, match=f"^predictions: {re.escape(message)}$"):
        bleu.compute(predictions=open_file(), references=LINES)
    with pytest.raises(TypeError, match=f"^references: {re.escape(message)}$"):
        bleu.compute(predictions=LINES, references=open_file())
    with pytest.raises(TypeError, match=f"^by: {re.escape(message)}$"):
        bleu.compute(predictions=LINES, references=LINES, by=open_file())


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_files_without_lines_that_are_left(bleu, folder):
    """A file passed twice, one that was read before, a closed one, an empty one, and one in another encoding."""
    read_before = "got a file that was read to its end before, so it has no lines left. Open it"
    file = open_as_text()
    with pytest.raises(ValueError, match=f"^references: {read_before}"):
        bleu.compute(predictions=file, references=file)
    with pytest.raises(ValueError, match=f"^predictions: {read_before}"):
        bleu.add_batch(predictions=file, references=open_as_text("ref.txt"))
    with pytest.raises(ValueError, match=f"^documents: {read_before}"):
        bleu.compute(predictions=LINES, references=LINES, documents=file)
    file = open_as_text()
    with pytest.raises(ValueError, match=f"^System 'B': predictions: {read_before}"):
        bleu.compare({"A": file, "B": file}, open_as_text("ref.txt"))
    file.close()
    with pytest.raises(
        ValueError, match=r"^predictions: got a file that is closed\. Open it again\."
    ):
        bleu.compute(predictions=file, references=LINES)
    write_lines("empty.txt", [])
    with pytest.raises(ValueError, match=r"^There are no segments to score\."):
        bleu.compute(predictions=open_as_text("empty.txt"), references=open_as_text("empty.txt"))
    write_lines("utf16.txt", LINES, encoding="utf-16")
    with pytest.raises(ValueError, match=r"^references: the file is not text in utf-8 .*encoding="):
        bleu.compute(predictions=LINES, references=open_as_text("utf16.txt"))


WRITING = {
    "w": lambda: open("new.txt", "w", encoding="utf-8"),
    "a": lambda: open("new.txt", "a", encoding="utf-8"),
    "temporary": lambda: tempfile.TemporaryFile("w"),
    "gzip": lambda: gzip.open("new.gz", "wt"),
    "codecs": lambda: codecs.open("new.txt", "w", "utf-8"),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("open_file", WRITING.values(), ids=WRITING)
def test_files_that_are_open_for_writing_only(bleu, folder, open_file):
    message = f"got a file that is open for writing only. Pass {OPEN}."
    for column in ("predictions", "references", "by", "documents"):
        columns = {"predictions": LINES, "references": LINES, column: open_file()}
        with pytest.raises(ValueError, match=f"^{column}: {re.escape(message)}$"):
            bleu.compute(**columns)


# What people pass for a file or for one text, and what the error calls it. The advice is the same, for a str may be each.
OF_LINES = (
    f"For a file with one segment per line, pass {OPEN}; for the lines of a str,"
    r" text.removesuffix('\n').split('\n'); for a single text, [text]."
)
NOT_LINES = [
    *((text, "str") for text in ("hyp.txt", "missing.en", r"C:\out\hyp", "my outputs", "hyp.txt.gz", "a b\nc d\n", "the cat sat.")),
    (Path("hyp.txt"), "PosixPath"),
    (PurePosixPath("hyp"), "PurePosixPath"),
    (b"a b\nc d\n", "bytes"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "found"), NOT_LINES, ids=[repr(row[0]) for row in NOT_LINES])
def test_paths_and_whole_texts_are_not_columns(bleu, folder, data, found):
    """The error of every method has the line that works, and does not tell if a file exists."""
    texts = ["a b", "c d"]
    calls = calls_of_columns(bleu) | {
        "rank, system": lambda rows: bleu.rank({"A": rows, "B": texts}, texts),
        "check, predictions": lambda rows: bleu.check(rows, texts),
        "compare, run": lambda rows: bleu.compare({"A": {"1": rows}, "B": texts}, texts),
        "fingerprint": bleu.fingerprint,
        "self_bleu": bleu.self_bleu,
        "pairwise": bleu.pairwise,
        "compute_metrics": lambda rows: bleu.compute_metrics(Words(), references=rows),
    }
    found = found.replace("PosixPath", type(Path()).__name__) if isinstance(data, Path) else found
    expected = (
        f"expected a list, array or Series with one item per segment, got {found}. {OF_LINES}"
    )
    for name, call in calls.items():
        with pytest.raises(TypeError) as raised:
            call(data)
        assert str(raised.value).endswith(f": {expected}"), name


@pytest.mark.parametrize("data", ["domains.txt", Path("domains.txt"), "news\nblog\n"])
def test_paths_are_not_labels(bleu, data):
    for name in ("by", "documents"):
        with pytest.raises(TypeError, match=rf"^{name}: expected a list, .*open\(path, encoding="):
            bleu.compute(predictions=LINES, references=LINES, **{name: data})


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_paths_and_files_in_rows(bleu, folder):
    """Several files of references are one column, which `zip` makes."""
    with pytest.raises(TypeError) as raised:
        bleu.compute(predictions=[Path("hyp.txt")], references=["a"])
    assert str(raised.value).endswith(f"segment per line, pass predictions={OPEN}.")
    paths = [Path("ref.txt"), Path("hyp.txt")]
    for references in (paths, [open_as_text(path) for path in paths], [paths]):
        with pytest.raises(TypeError, match=r"^references\[0\]: expected a text, got ") as raised:
            bleu.compute(predictions=LINES, references=references)
        fix = str(raised.value).partition("pass references=")[2].removesuffix(".")
        columns = eval(fix, {"paths": paths})
        expected = bleu.compute(predictions=LINES, references=list(zip(LINE_REFERENCES, LINES)))
        assert bleu.compute(predictions=LINES, references=columns) == expected


MANY_LINES = "\n".join(f"line {i} of a document" for i in range(40))
FEW_LINES = "\n".join(f"line {i}" for i in range(12))
# Predictions, references, and the beginning of the warning about files; "" for no such warning.
FILES_AS_SEGMENTS = [
    (["hyp.txt"], ["ref.txt"], "predictions[0] looks like the name of a file"),
    (["hyp.txt\n"], [["a b c"]], "predictions[0] looks like the name of a file"),
    (["no/such.file.jsonl"], ["a b c"], "predictions[0] looks like the name of a file"),
    (["a b c"], [["ref.txt", "ref2.txt"]], "references[0] looks like the name of a file"),
    (["config.json"], ["config.json"], ""),  # the answer to a question
    (["N/A"], ["and/or"], ""),
    (["www.site.com"], ["example.com"], ""),
    (["see hyp.txt"], ["a b"], ""),
    (["hyp.txt", "a b"], ["a b", "a b"], ""),
    ([MANY_LINES], [MANY_LINES], "predictions[0] has 39 line breaks and its reference 39"),
    (["a b c d", MANY_LINES], [["a b c d"], ["a", MANY_LINES]], "predictions[1] has 39 line breaks"),
    ([MANY_LINES], ["a b c d"], ""),
    (["a b c d"], [MANY_LINES], ""),
    ([FEW_LINES], [FEW_LINES], ""),
    ([MANY_LINES] * 9, [MANY_LINES] * 9, ""),
]  # fmt: skip


@pytest.mark.parametrize(("predictions", "references", "beginning"), FILES_AS_SEGMENTS)
@pytest.mark.parametrize("container", [list, tuple, pa.array], ids=["list", "tuple", "arrow"])
def test_files_that_are_scored_as_segments(
    bleu, folder, container, predictions, references, beginning
):
    calls = (
        lambda: bleu.compute(predictions=container(predictions), references=container(references)),
        lambda: bleu.statistics(predictions=container(predictions), references=references),
    )
    for call in calls:
        found = [
            message
            for message in get_messages(call)
            if "of a file" in message or "line breaks" in message
        ]
        assert len(found) == bool(beginning)
        assert all(message.startswith(beginning) for message in found)
        assert all("open(path, encoding='utf-8')" in message for message in found)


def test_names_of_files_in_other_methods(bleu):
    for call in (
        lambda: bleu.pairwise(["hyp.txt"], ["a b", "c d"]),
        lambda: bleu.compare({"A": ["a b c d"], "B": ["hyp.txt"]}, ["a b c d"]),
    ):
        assert any("predictions[0] looks like the name of a file" in each for each in get_messages(call))  # fmt: skip


class JaxArray:
    """An array as JAX has them: immutable, and an iterable without a length if it has no axes."""

    def __init__(self, values):
        self._values = np.asarray(values)

    ndim = property(lambda self: self._values.ndim)
    dtype = property(lambda self: self._values.dtype)

    def __array__(self, dtype=None, copy=None):
        return self._values

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return map(JaxArray, self._values)

    def __len__(self):
        return len(self._values)


TEXTS_OR_IDS = "For each segment, pass"
# Arrays without axes, which have one item and no rows.
WITHOUT_AXES = [
    (np.array("a cat"), "ndarray of str without axes", "For a single text, pass [{name}.item()]."),
    (np.array("a cat", object), "ndarray of object without axes", "For a single text, pass [{name}.item()]."),
    (np.array(None), "ndarray of object without axes", TEXTS_OR_IDS),
    (np.array(b"a cat"), "ndarray of bytes without axes", TEXTS_OR_IDS),
    (np.array(5), "ndarray of int64 without axes", TEXTS_OR_IDS),
    (Tensor(5), "Tensor of int64 without axes", TEXTS_OR_IDS),
    (Tensor(5.0, "bfloat16"), "Tensor of bfloat16 without axes", TEXTS_OR_IDS),
    (JaxArray(5), "JaxArray of int64 without axes", TEXTS_OR_IDS),
    (JaxArray("a cat"), "JaxArray of str without axes", "For a single text, pass [{name}.item()]."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("array", "found", "fix"), WITHOUT_AXES, ids=[row[1] for row in WITHOUT_AXES]
)
def test_arrays_without_axes_are_not_columns(bleu, array, found, fix):
    """Every method names the column and the type of the item, and no letter is read as a row."""
    texts = ["a b", "c d"]
    calls = calls_of_columns(bleu) | {
        "rank, system": lambda rows: bleu.rank({"A": texts, "B": rows}, texts),
        "rank, references": lambda rows: bleu.rank({"A": texts, "B": texts}, rows),
        "check, predictions": lambda rows: bleu.check(rows, texts),
        "check, references": lambda rows: bleu.check(texts, rows),
        "compare, run": lambda rows: bleu.compare(
            {"A": texts, "B": {"1": texts, "2": rows}}, texts
        ),
        "fingerprint, references": bleu.fingerprint,
        "pairwise, predictions": bleu.pairwise,
        "pairwise, references": lambda rows: bleu.pairwise(texts, rows),
        "self_bleu, texts": bleu.self_bleu,
        "compute_metrics, references": lambda rows: bleu.compute_metrics(Words(), references=rows),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError) as raised:
            call(array)
        place, _, message = str(raised.value).partition("expected a list, array or Series with one")
        column = place.removesuffix(": ").rpartition(": ")[2]
        assert column in ("predictions", "references", "texts"), name
        assert message.startswith(f" item per segment, got {found}. {fix.format(name=column)}"), (
            name
        )


@pytest.mark.parametrize(
    "array", [row[0] for row in WITHOUT_AXES], ids=[row[1] for row in WITHOUT_AXES]
)
def test_arrays_without_axes_are_not_labels(bleu, array):
    texts = ["a b", "c d"]
    for name in ("by", "documents"):
        for method in (bleu.compute, bleu.statistics):
            with pytest.raises(
                TypeError, match=rf"^{name}: expected a list, array or Series, got \w+ of"
            ):
                method(predictions=texts, references=texts, **{name: array})


@pytest.mark.parametrize("items", [[np.array("a cat"), np.array("b")], [JaxArray("a cat"), "b"]])
def test_an_array_without_axes_in_a_list_is_its_item(bleu, items):
    expected = bleu.compute(predictions=["a cat", "b"], references=["a cat", "c"])
    assert bleu.compute(predictions=items, references=["a cat", "c"]) == expected


FLOATS = "If they are token ids, pass integers: [int(id) for id in value]."
# Rows of arrays whose items are neither text nor ids.
NOT_TEXTS_OR_IDS = [
    (Tensor([[1.0, 2.0], [3.0, 4.0]]), f"got Tensor of float64. {FLOATS}"),
    (Tensor([[1.0, 2.0], [3.0, 4.0]], "bfloat16"), f"got Tensor of bfloat16. {FLOATS}"),
    ([Tensor([1.0, 2.0]), Tensor([3.0])], f"got Tensor of float64. {FLOATS}"),
    ([[Tensor(1.0), Tensor(2.0)], [Tensor(3.0)]], f"got Tensor of float64 without axes. {FLOATS}"),
    (np.array([[1.0, 2.0], [3.0, 4.0]], np.float16), f"got ndarray of float16. {FLOATS}"),
    (JaxArray([[1.0, 2.0], [3.0, 4.0]]), f"got JaxArray of float64. {FLOATS}"),
    (np.array([[True, False], [True, True]]), "got ndarray of bool."),
]  # fmt: skip


class Converted:
    """An array that NumPy can convert, and that has neither a length nor an iterator."""

    def __init__(self, values):
        self._values = np.array(values)

    ndim = property(lambda self: self._values.ndim)
    dtype = property(lambda self: self._values.dtype)

    def __array__(self, dtype=None, copy=None):
        return self._values


@pytest.mark.parametrize("values", [["a b", "c d"], [[7, 8], [9, 7]]], ids=["text", "ids"])
def test_an_array_without_an_iterator_is_converted(bleu, values):
    references = [[row] for row in values]
    expected = bleu.compute(predictions=values, references=references)
    assert bleu.compute(predictions=Converted(values), references=references) == expected
    assert bleu.pairwise(Converted(values)).tolist() == bleu.pairwise(values).tolist()
    explained = bleu.explain(values[0], Converted(values))
    assert explained == bleu.explain(values[0], values)


def test_an_array_without_an_iterator_has_the_error_of_its_items(bleu):
    with pytest.raises(TypeError, match=r"^predictions\[0\]: expected a str, .*, got float"):
        bleu.compute(predictions=Converted([0.5]), references=["a"])


@pytest.mark.parametrize(
    ("rows", "message"), NOT_TEXTS_OR_IDS, ids=[row[1] for row in NOT_TEXTS_OR_IDS]
)
def test_arrays_of_floats_are_neither_texts_nor_ids(bleu, rows, message):
    """The message names the type of the items, of tensors as torch names it."""
    texts = ["a b", "c d"]
    with pytest.raises(TypeError, match=rf"^predictions\[0\]: .* {re.escape(message)}$"):
        bleu.compute(predictions=rows, references=texts)
    with pytest.raises(TypeError, match=rf"references\[0\]: .* {re.escape(message)}$"):
        bleu.compare({"A": texts, "B": texts}, rows)
    with pytest.raises(TypeError, match=rf"System 'B': predictions\[0\]: .* {re.escape(message)}$"):
        bleu.compare({"A": texts, "B": rows}, texts)


# Columns that are not columns, and the message.
NOT_COLUMNS = [
    ("the cat", f"predictions: expected a list, array or Series with one item per segment, got str. {OF_LINES}"),
    (datasets.Dataset.from_dict({"p": ["a"], "r": ["b"]}), "predictions: expected a column, got Dataset. Pass one of its columns: p, r."),
    (pa.table({"p": ["a"], "r": ["b"]}), "predictions: expected a column, got Table. Pass one of its columns: p, r."),
    (pd.DataFrame({"p": ["a"], 2: ["b"]}), "predictions: expected a column, got DataFrame. Pass one of its columns: p, 2."),
    ({"bleu": 0.5, "signature": "nrefs:1"}, "predictions: got a result, which has no rows. Pass what it was computed from, or tables from statistics()."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "message"), NOT_COLUMNS, ids=[message for _, message in NOT_COLUMNS]
)
def test_what_to_pass_for_a_column(bleu, data, message):
    for call in (
        lambda: bleu.compute(predictions=data, references=["a"]),
        lambda: bleu.reconcile(data, ["a"]),
        lambda: bleu.pairwise(data),
    ):
        with pytest.raises(TypeError) as raised:
            call()
        assert str(raised.value) == message


# Structs


_STRUCT = pa.struct([("a", pa.string()), ("b", pa.int64())])


@pytest.mark.parametrize(
    ("column", "fix"),
    [
        (pa.array([], _STRUCT), "row['a']"),
        (pa.array([None, None], _STRUCT), "row['a']"),
        (pa.array([[], []], pa.list_(_STRUCT)), "row[0]['a']"),
    ],
)
def test_structs_of_which_no_row_has_fields_are_explained_from_their_type(bleu, column, fix):
    says = f"predictions[0]: got a dict with the fields 'a', 'b', expected its text. Pass {fix}"
    says = says.replace("Pass ", "Pass predictions=[") + " for row in predictions]."
    with pytest.raises(TypeError, match=f"^{re.escape(says)}$"):
        bleu.compute(predictions=column, references=["x"] * len(column))
