"""A seeded random campaign against the public methods: columns, containers, threads, forks and damaged kernel caches."""

import os
import random
import shutil
import signal
import sys
import threading
import time
from collections import deque

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import needs_numba
from helpers import ROOT, calls_of_columns, calls_of_values, run_python

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork is not available")

SEEDS = [1, 2]
ERRORS = (TypeError, ValueError, RecursionError)


def array_of_objects(rows):
    return np.array([*rows, None], object)[:-1]


CONTAINERS = [
    list,
    tuple,
    deque,
    iter,
    array_of_objects,
    pd.Series,
    lambda rows: pd.Series(array_of_objects(rows)),
]
ARROW = [
    pa.array,
    lambda rows: pa.chunked_array([rows[:1], rows[1:]], pa.array(rows).type),
    pl.Series,
    np.array,
]


def random_value(generator, depth=0):
    """Return a value that may or may not be a row: text, tokens, ids, nested lists, arrays, dicts, numbers."""
    simple = [
        "a b",
        "",
        "a\0b",
        "\ud800",
        None,
        1,
        -1,
        2**63,
        1.5,
        float("nan"),
        True,
        b"a",
        np.str_("a"),
        np.int8(1),
    ]
    if depth == 3 or generator.random() < 0.5:
        return generator.choice(simple) if generator.random() < 0.4 else "a b"
    items = [random_value(generator, depth + 1) for _ in range(generator.randrange(3))]
    wrap = generator.choice(
        [list, list, tuple, array_of_objects, lambda items: {"a": items}, lambda items: {"b"}]
    )
    return wrap(items)


def try_call(call, *arguments):
    """Return the result of a call, or the error that it may raise."""
    try:
        return call(*arguments)
    except ERRORS as error:
        return error


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_of_unequal_length(bleu, seed):
    generator = random.Random(seed)
    calls = calls_of_columns(bleu)
    for _ in range(300):
        name, rows = generator.choice(list(calls)), generator.choice([0, 1, 3, 4, 100, 5000])
        container = generator.choice([*CONTAINERS, *ARROW])
        kind = generator.choice(["a b", ["a", "b"]] if "references" in name else ["a b"])
        result = try_call(lambda: calls[name](container([kind] * rows)))
        assert isinstance(result, (ValueError, TypeError)), (name, rows, container)
    assert len(bleu) == 0


@posix
@pytest.mark.parametrize("seed", SEEDS)
def test_odd_values_in_odd_containers(bleu, seed):
    """Every call returns or raises one of three errors, in a forked process, so that a crash is a failure only."""
    process = os.fork()
    if not process:
        status = 1
        try:
            signal.alarm(50)
            generator = random.Random(seed)
            calls = {**calls_of_columns(bleu), **calls_of_values(bleu)}
            for _ in range(1500):
                rows = [random_value(generator) for _ in range(generator.choice([2, 2, 2, 1, 3]))]
                try:
                    column = generator.choice([*CONTAINERS, pa.array, np.array])(rows)
                except Exception:  # the container itself rejects the rows
                    continue
                try_call(generator.choice(list(calls.values())), column)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(process, 0)[1] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_threads_on_one_object(bleu, seed):
    """Threads add rows of one token, compute, and fail to compute: each row is in one result."""
    rows, lengths, interval = 2000, [], sys.getswitchinterval()
    added = threading.Event()

    def fail(text):
        raise RuntimeError

    def add(generator):
        for _ in range(rows // 4):
            bleu.add(prediction="a", reference="a")
            bleu.add_batch(predictions=["a"] * 3, references=["a"] * 3)
            if generator.random() < 0.01:
                time.sleep(0.001)

    def compute(generator):
        while not added.is_set() or len(bleu):
            if generator.random() < 0.3:
                assert isinstance(try_call(lambda: bleu.compute(tokenize=fail)), ValueError)
                continue
            result = try_call(lambda: bleu.compute(max_order=1))
            if isinstance(result, dict):
                lengths.append(result["translation_length"])
            else:
                assert "no segments to score" in str(result)

    adding = [threading.Thread(target=add, args=(random.Random(seed + i),)) for i in range(3)]
    computing = [
        threading.Thread(target=compute, args=(random.Random(seed - i),)) for i in range(2)
    ]
    sys.setswitchinterval(1e-5)
    try:
        for thread in (*adding, *computing):
            thread.start()
        for thread in adding:
            thread.join()
    finally:
        added.set()
        sys.setswitchinterval(interval)
    for thread in computing:
        thread.join()
    lengths.append(bleu.compute(max_order=1)["translation_length"] if len(bleu) else 0)
    assert sum(lengths) == 3 * rows


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["text", "tokens", "ids"])
def test_lists_that_threads_change(bleu, seed, kind):
    """Rows are appended, removed and replaced during calls; perfect predictions keep a score of 100."""
    row = {"text": "a b c d", "tokens": ["a", "b", "c", "d"], "ids": [1, 2, 3, 4]}[kind]
    predictions, references, stop = [row] * 400, [[row, row] for _ in range(400)], threading.Event()

    def change():
        generator = random.Random(seed)
        while not stop.is_set():
            inner = references[generator.randrange(300)]
            inner.append(row)
            inner.pop(0)
            predictions.append(row)
            references.append([row])
            predictions.pop()
            references.pop()

    threads = [threading.Thread(target=change) for _ in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for _ in range(60):
            result = try_call(lambda: bleu.compute(predictions=predictions, references=references))
            assert isinstance(result, ValueError) or result["score"] == 100
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        for thread in threads:
            thread.join()


@posix
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # Python 3.12 on forks of processes with threads
def test_forks_while_threads_add_and_compute(bleu, seed):
    """A child adds and computes at once: no lock is left to it locked."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            bleu.add(prediction="a", reference="a")
            try_call(lambda: bleu.compute(max_order=1))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        generator, statuses = random.Random(seed), []
        for _ in range(10):
            time.sleep(generator.random() / 100)
            process = os.fork()
            if not process:
                signal.alarm(20)
                bleu.add(prediction="a", reference="a")
                os._exit(bleu.compute(max_order=1)["counts"][0] < 1)
            statuses.append(os.waitpid(process, 0)[1])
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [0] * 10


CACHE = """
import json, random, sys, warnings
from pathlib import Path
import evaluate
bleu = evaluate.load(sys.argv[1])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    bleu.warm_up()
    score = bleu.compute(predictions=["a b c d"] * 1000, references=["a b c d"] * 1000)["score"]
print(json.dumps([score, [str(warning.message) for warning in caught if "numba" in str(warning.message)]]))
"""


@needs_numba
@pytest.mark.processes
def test_damaged_kernel_caches(bleu, tmp_path):
    """For each seed a random file of the cache is truncated or filled with random bytes; the next process compiles."""
    shutil.copytree(
        os.environ["NUMBA_CACHE_DIR"], tmp_path, dirs_exist_ok=True
    )  # `bleu` has filled it
    for seed in SEEDS:
        generator = random.Random(seed)
        path = generator.choice(sorted(tmp_path.rglob(f"*{('.nbi', '.nbc')[seed % 2]}")))
        content = path.read_bytes()
        damaged = generator.choice(
            [content[: generator.randrange(len(content))], generator.randbytes(len(content))]
        )
        path.write_bytes(damaged)
    score, messages = run_python(CACHE, ROOT / "bleu_metric.py", NUMBA_CACHE_DIR=str(tmp_path))
    assert score == 100
    assert len(messages) == 1
    assert str(tmp_path) in messages[0]
