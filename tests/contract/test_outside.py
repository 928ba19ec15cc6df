"""No text, label or name is asked of the file system or of the network, in any call."""

import contextlib
import os
import socket
import warnings

import numpy as np
import pyarrow as pa
import pytest
from helpers import MARK, watch


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """Return names of files and folders that exist, of others, of hosts, and addresses."""
    monkeypatch.chdir(tmp_path)
    for name in (f"{MARK}.txt", f"{MARK} my hyp", f"{MARK}.txt.gz"):
        (tmp_path / name).write_text("a b c d\n", encoding="utf-8")
    (tmp_path / f"{MARK}.d").mkdir()
    return [
        f"{MARK}.txt", str(tmp_path / f"{MARK}.txt"), f"{MARK} my hyp", f"{MARK}.txt.gz", f"{MARK}.d", f"out/{MARK}",
        rf"\\{MARK}\share\x.txt", rf"C:\{MARK}\hyp.txt", f"//{MARK}/share", f"~{MARK}/hyp", f"file:///{MARK}",
        f"http://{MARK}.example/hyp.txt", f"https://{MARK}.example", f"s3://{MARK}/hyp.parquet", f"hf://datasets/{MARK}",
        f"{MARK}@host:hyp", f"27.3 {MARK}.txt",
    ]  # fmt: skip


def test_the_watch_hears(tmp_path):
    file = tmp_path / MARK
    host = f"{MARK}.invalid"
    calls = [file.exists, file.read_bytes, lambda: os.path.isfile(file), lambda: list(os.scandir(file)), lambda: socket.getaddrinfo(host, 80)]  # fmt: skip
    for ask in calls:
        with watch() as asked, contextlib.suppress(OSError):
            ask()
        assert asked


class Decoder:
    """Stands for the tokenizer of a model, which decodes every id to one text."""

    pad_token_id = 0

    def __init__(self, text):
        self.text = text

    def batch_decode(self, rows, skip_special_tokens):
        return [self.text] * len(rows)


def list_calls(bleu, column):
    """Return calls of all methods that take texts, labels or names."""
    rows = len(column) if isinstance(column, list) else 1
    other = [f"{MARK} a cat sat"] * rows
    systems, columns = {"A": column, "B": other}, {"predictions": column, "references": other}
    small = {"n_resamples": 9}
    return [
        lambda: bleu.compute(**columns, segments=True, confidence=0.9, **small),
        lambda: bleu.compute(predictions=other, references=column),
        lambda: bleu.compute(predictions=other, references=[[text, text] for text in column]),
        lambda: bleu.compute(predictions=pa.array(column), references=other),
        lambda: bleu.compute(**columns, by=column, documents=column),
        lambda: bleu.compute(statistics=bleu.statistics(**columns, by=column), by=column),
        lambda: bleu.compute(statistics=column),
        lambda: bleu.total(column),
        lambda: bleu.compute(predictions=[[text] for text in column], references=[[[text]] for text in other]),
        lambda: (bleu.add(prediction=column[0], reference=column[0]), bleu.compute()),
        lambda: (bleu.add_batch(**columns), bleu.compute()),
        lambda: bleu.compare(systems, other, **small),
        lambda: bleu.compare({column[0]: other, column[-1] * 2: other[::-1]}, column, **small),
        lambda: bleu.rank(systems, other, n_resamples=100),
        lambda: bleu.diff(systems, other),
        lambda: bleu.explain(column[0], [column[-1]]),
        lambda: bleu.explain(column, column),
        lambda: bleu.pairwise(column, other),
        lambda: bleu.self_bleu(column),
        lambda: bleu.check(column, other),
        lambda: bleu.reconcile(column, other),
        lambda: bleu.reconcile(column[:2], other[:2], "27.3", smooth_method="exp"),
        lambda: bleu.reconcile(other, other, column[0]),
        lambda: bleu.fingerprint(column),
        lambda: bleu.compute_metrics(Decoder(column[0]))((np.ones((2, 2), int), np.ones((2, 2), int))),
        lambda: bleu.restore(column[0]),
        lambda: bleu.compute(**columns)[column[0]],
        lambda: bleu.compute(**columns).report(references=column),
    ]  # fmt: skip


def run(call):
    """Run a call, whose error does not matter."""
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        call()


def test_no_text_is_asked_of_the_file_system_or_the_network(load, texts):
    """As a column of many rows, of two and of one, and instead of a column."""
    bleu = load()
    columns = [texts, *([text] for text in texts), *([text, "a b"] for text in texts[:4]), *texts]
    with watch() as asked:
        for column in columns:
            for call in list_calls(bleu, column):
                run(call)
    assert asked == []


def test_what_a_text_looks_like_decides_on_the_message(bleu, texts):
    """Not if the file exists."""
    with pytest.raises(TypeError) as raised:
        bleu.compute(predictions=texts[0], references=["a"])
    expected = str(raised.value)
    for text in (*texts, "a b c d", "no.txt"):
        with pytest.raises(TypeError) as raised:
            bleu.compute(predictions=text, references=["a"])
        assert str(raised.value) == expected
