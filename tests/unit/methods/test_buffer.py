"""Rows added between two calls of `compute`: order, kinds, errors, memory, processes, copies."""

import contextlib
import copy
import itertools
import json
import os
import pickle
import sys
import threading
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import dill
import evaluate
import pyarrow as pa
import pytest
from helpers import ROOT, full_disk, further, list_files, random_rows, read_result, start_python
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork is not available")
PREDICTIONS, REFERENCES = random_rows(seed=8, count=300)


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


@pytest.mark.parametrize("keep_in_memory", [False, True])  # accepted, and without a meaning
def test_any_mixture_of_calls_keeps_the_rows_in_order(load, tmp_path, keep_in_memory):
    bleu = load(keep_in_memory=keep_in_memory, cache_dir=str(tmp_path))
    for _ in range(2):  # an object can be used again
        for i in range(20):
            bleu.add(prediction=PREDICTIONS[i], reference=REFERENCES[i])
        bleu.add_batch(predictions=PREDICTIONS[20:50], references=REFERENCES[20:50])
        bleu.add_batch(
            predictions=pa.array(PREDICTIONS[50:90]), references=pa.array(REFERENCES[50:90])
        )
        for i in range(90, 95):
            bleu.add(predictions=PREDICTIONS[i], references=REFERENCES[i])
        assert len(bleu) == 95
        result = bleu.compute(
            predictions=PREDICTIONS[95:], references=REFERENCES[95:], segments=True
        )
        assert result == load().compute(
            predictions=PREDICTIONS, references=REFERENCES, segments=True
        )
        assert len(bleu) == 0
        assert list_files(tmp_path) == []


@posix
def test_rows_need_no_disk(load, expected, tmp_path):
    """Adding, failing and computing write no file anywhere, so that they work with a full disk."""
    bleu = load(cache_dir=str(tmp_path))
    with full_disk():
        for i in range(2):
            bleu.add(prediction=PREDICTIONS[i], reference=REFERENCES[i])
        with pytest.raises(ValueError, match=r"^predictions\[0\]"):
            bleu.add(prediction=None, reference=["a"])
        bleu.add_batch(predictions=PREDICTIONS[2:200], references=REFERENCES[2:200])
        result = bleu.compute(predictions=PREDICTIONS[200:], references=REFERENCES[200:])
    assert result == expected
    assert list_files(tmp_path) == []


@pytest.mark.parametrize(
    ("calls", "size"), [(999, 1), (1000, 1), (1001, 1), (25_000, 1), (1001, 9), (9, 999), (9, 1000)]
)
def test_many_batches_stay_in_order(bleu, calls, size):
    """A thousand consecutive small batches are combined; the large one after them is not."""
    texts = [f"row {i} of é many" for i in range(calls * size)]
    references = [text if i % 3 else f"line {i} of é many" for i, text in enumerate(texts)]
    for start in range(0, len(texts), size):
        bleu.add_batch(
            predictions=texts[start : start + size], references=references[start : start + size]
        )
    bleu.add_batch(predictions=texts, references=texts)
    scores = bleu.compute(segments=True)["segment_bleu"]
    assert [score == 1 for score in scores] == [i % 3 > 0 for i in range(len(texts))] + [
        True
    ] * len(texts)


@pytest.mark.parametrize("last", [0, 999])  # rows that are not combined yet
def test_memory_is_in_proportion_to_the_rows(load, last):
    """An Arrow array of a single row takes about a kilobyte; ten thousand rows of 80 bytes take about one megabyte."""
    bleu, rows = load(), 10_000 + last
    text = "a few words of a sentence here and there"
    before = pa.total_allocated_bytes()
    for _ in range(rows):
        bleu.add(prediction=text, reference=text)
    arrays = (pa.total_allocated_bytes() - before) / (2 * len(text) * rows)
    pickled = len(pickle.dumps(bleu)) / (2 * len(text) * rows)  # with all objects around the arrays
    assert arrays < 3
    assert pickled < 6
    bleu.compute()
    assert pa.total_allocated_bytes() - before < len(text) * rows / 10


@pytest.mark.parametrize("rows", [([["a", "b"]], [[["a", "b", "c"]]]), ([[1, 2]], [[[1, 2, 3]]])])
def test_tokens_and_ids(bleu, rows):
    expected = bleu.compute(predictions=rows[0] * 2, references=rows[1] * 2)
    bleu.add(prediction=rows[0][0], reference=rows[1][0])
    bleu.add_batch(predictions=rows[0], references=rows[1])
    assert bleu.compute() == expected


# References as passed to `add` row by row, and the same as one list per row.
ADDED_REFERENCES = {
    "a str after a list": ([["a b", "c"], "a b"], [["a b", "c"], ["a b"]]),
    "a list after a str": (["a b", ["c", "a b"]], [["a b"], ["c", "a b"]]),
    "a str after a tuple and a None": ([("a b",), [None, "a"], "a b"], [["a b"], ["a"], ["a b"]]),
}


@pytest.mark.parametrize(("added", "references"), ADDED_REFERENCES.values(), ids=ADDED_REFERENCES)
def test_a_str_is_one_reference_whatever_was_added_before(bleu, added, references):
    for reference in added:
        bleu.add(prediction="a b", reference=reference)
    expected = bleu.compute(
        statistics=bleu.statistics(predictions=["a b"] * len(added), references=references)
    )
    assert bleu.compute() == expected


def test_no_other_columns_can_be_added(bleu):
    for add in (
        lambda: bleu.add(prediction="a", reference="a", source="b"),
        lambda: bleu.add_batch(predictions=["a"], references=["a"], source=["b"]),
    ):
        with pytest.raises(
            TypeError, match=r"Unknown column 'source'\. Pass predictions and references"
        ):
            add()
    assert len(bleu) == 0


def test_nothing_added(bleu):
    with pytest.raises(ValueError, match="no segments to score"):
        bleu.compute()


def test_a_failing_compute_keeps_what_was_added(bleu):
    bleu.add(prediction="a b c d", reference="a b c d")
    with pytest.raises(
        ValueError, match=r"predictions\[0\]: the tokenizer failed: RuntimeError: no such model"
    ):
        bleu.compute(
            predictions=["e"], references=["e"], tokenize=fails_with(RuntimeError("no such model"))
        )
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 4


BLANK_IDS = {
    "predictions": pa.array([[]], pa.list_(pa.int64())),
    "references": pa.array([[[]]], pa.list_(pa.list_(pa.int64()))),
}
AFTER_BLANK = {  # empty rows, and the rows that follow
    "ids": (BLANK_IDS, {"predictions": [[1, 2, 3, 4]], "references": [[[1, 2, 3, 4]]]}),
    "tokens": ({"predictions": [[]], "references": [[[]]]}, {"predictions": [["a", "b"]], "references": [[["a", "c"]]]}),
}  # fmt: skip


@pytest.mark.parametrize(("blank", "rows"), AFTER_BLANK.values(), ids=AFTER_BLANK)
@pytest.mark.parametrize("others", [1, *further([100])])
@pytest.mark.parametrize("calls", [1, 3, 999, 1000, 1001])
def test_lists_without_tokens_among_others(load, bleu, calls, others, blank, rows):
    """Empty lists are rows of their kind, before and after they are combined."""
    kept = load()
    for _ in range(calls):
        kept.add_batch(**blank)
    kept.add_batch(**{name: column * others for name, column in rows.items()})
    kept.add_batch(**blank)
    empty = {"predictions": [[]], "references": [[[]]]}
    everything = {name: empty[name] * calls + rows[name] * others + empty[name] for name in empty}
    assert copy.deepcopy(kept).compute() == kept.compute() == bleu.compute(**everything)


def test_lists_without_a_type_are_tokens(bleu):
    """Ids do not follow empty lists of Python; the error names the typed column to pass."""
    bleu.add_batch(predictions=[[]], references=[[[]]])
    with pytest.raises(
        TypeError,
        match=r"^predictions: expected tokens as in the rows added before, got ids\. Call compute\(\)"
        r" first; it scores and clears those rows\. Empty lists are read as tokens: pass empty lists"
        r" of ids as pa\.array\(rows, pa\.list_\(pa\.int64\(\)\)\)\.$",
    ):
        bleu.add_batch(predictions=[[1, 2]], references=[[[1, 2]]])
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 0
    bleu.add_batch(**BLANK_IDS)
    bleu.add_batch(predictions=[[1, 2]], references=[[[1, 2]]])
    assert bleu.compute()["counts"][:2] == [2, 1]


@pytest.mark.parametrize("texts", [1, 100])
def test_text_after_lists_without_tokens(bleu, texts):
    """Text is rejected after empty lists, as after any lists, and the rows stay."""
    bleu.add_batch(predictions=[[]], references=[[[]]])
    for add in (
        lambda: bleu.add_batch(predictions=["a b"] * texts, references=["a b"] * texts),
        lambda: bleu.add(prediction="a b", reference="a b"),
    ):
        with pytest.raises(
            TypeError, match="predictions: expected tokens as in the rows added before, got text"
        ):
            add()
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 0
    bleu.add(prediction="a b", reference="a b")


@pytest.mark.slow
@pytest.mark.processes
def test_two_processes_share_files(tmp_path, expected):
    """With evaluate's own distribution, the first process returns the score and the others return None."""
    code = """
import json, sys
import evaluate, helpers
process = int(sys.argv[2])
bleu = evaluate.load(sys.argv[1], num_process=2, process_id=process, experiment_id="shared", cache_dir=sys.argv[3])
predictions, references = helpers.random_rows(seed=8, count=300)
own = slice(150 * process, 150 * (process + 1))
bleu.add_batch(predictions=predictions[own], references=references[own])
print(json.dumps(bleu.compute()))
"""
    processes = [start_python(code, ROOT / "bleu_metric.py", i, tmp_path) for i in range(2)]
    assert [read_result(process) for process in processes] == [expected, None]


def compute_together(metrics, parts, **options):
    """Return what `compute` returns to each process of an experiment; threads stand in for the processes."""
    for metric, (predictions, references) in zip(metrics, parts):
        metric.add_batch(predictions=predictions, references=references)
    with ThreadPoolExecutor(len(metrics)) as pool:
        calls = [pool.submit(metric.compute, **options) for metric in metrics]
    return [call.exception() or call.result() for call in calls]


def arrow_files(folder):
    """Return the files that hold rows; evaluate leaves lock files beside them."""
    return [path for path in list_files(folder) if path.endswith(".arrow")]


@pytest.fixture
def three_processes(load, tmp_path):
    shared = {"num_process": 3, "experiment_id": "shared", "cache_dir": str(tmp_path)}
    return [load(process_id=i, **shared) for i in range(3)]


@pytest.mark.parametrize("sizes", [(100, 100, 100), (1, 298, 1), (0, 0, 300)], ids=str)
def test_the_first_process_has_the_score_of_all(three_processes, expected, tmp_path, sizes):
    """The first process returns the score of all rows, the files are deleted, and the objects can be used again."""
    parts = [
        (PREDICTIONS[end - size : end], REFERENCES[end - size : end])
        for size, end in zip(sizes, itertools.accumulate(sizes))
    ]
    for _ in range(2):
        assert compute_together(three_processes, parts) == [expected, None, None]
        assert [len(metric) for metric in three_processes] == [0, 0, 0]
        assert arrow_files(tmp_path) == []


NONE, TEXT, TOKENS, IDS = (
    ([], []),
    (["a b"], [["a b"]]),
    ([["a", "b"]], [[["a"]]]),
    ([[1, 2]], [[[1]]]),
)
NO_TOKENS = [[]], [[[]]]
NO_IDS = tuple(BLANK_IDS.values())
# The rows of three processes, and the corpus's counts of unigrams: matches and n-grams.
KINDS = {
    "ids, and no rows in the first": ([NONE, IDS, IDS], (2, 4)),
    "ids, and no rows in the last": ([IDS, IDS, NONE], (2, 4)),
    "ids, and none in the rows of the first": ([NO_IDS, IDS, NONE], (1, 2)),
    "tokens, and no tokens in the second": ([TOKENS, NO_TOKENS, TOKENS], (2, 4)),
    "no tokens anywhere": ([NO_TOKENS, NO_TOKENS, NO_TOKENS], (0, 0)),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("parts", "unigrams"), KINDS.values(), ids=KINDS)
def test_processes_agree_on_the_kind_of_rows(three_processes, parts, unigrams):
    for _ in range(2):
        first, *others = compute_together(three_processes, parts)
        assert (first["counts"][0], first["totals"][0], others) == (*unigrams, [None, None])


def test_rows_of_another_kind_are_rejected_and_the_others_kept(three_processes, tmp_path):
    first, *others = compute_together(three_processes, [TEXT, IDS, TEXT])
    assert isinstance(first, TypeError)
    assert str(first).startswith(
        "Process 1: predictions: expected text as in the rows added before, got ids. Call compute() first"
    )
    assert (others, arrow_files(tmp_path)) == ([None, None], [])
    assert three_processes[0].compute()["counts"][:2] == [4, 2]
    assert compute_together(three_processes, [IDS, IDS, IDS])[0]["totals"][0] == 6


def test_processes_without_rows_have_nothing_to_score(three_processes, tmp_path):
    first, *others = compute_together(three_processes, [NONE] * 3)
    assert isinstance(first, ValueError)
    assert (str(first)[:31], others, arrow_files(tmp_path)) == (
        "There are no segments to score.",
        [None, None],
        [],
    )
    assert compute_together(three_processes, [TEXT] * 3)[0]["totals"][0] == 6


def test_a_failing_compute_of_several_processes_keeps_everyones_rows_in_the_first(
    three_processes, expected
):
    parts = [(PREDICTIONS[i : i + 100], REFERENCES[i : i + 100]) for i in (0, 100, 200)]
    first, *others = compute_together(
        three_processes, parts, tokenize=fails_with(RuntimeError("no such model"))
    )
    assert isinstance(first, ValueError)
    assert others == [None, None]
    assert [len(metric) for metric in three_processes] == [300, 0, 0]
    assert three_processes[0].compute() == expected
    assert compute_together(three_processes, parts) == [expected, None, None]


def test_a_failing_compute_of_several_processes_releases_the_locks(three_processes):
    """All locks can be acquired again, even if a traceback keeps the objects alive."""
    locks = []

    def tokenize(text):
        locks.extend(three_processes[0].filelocks)
        raise RuntimeError("no such model")

    compute_together(
        three_processes,
        [(PREDICTIONS[i::3], REFERENCES[i::3]) for i in range(3)],
        tokenize=tokenize,
    )
    assert len(locks) == 3
    for lock in locks:
        with type(lock)(lock.lock_file, timeout=0):
            pass


def test_an_object_can_be_pickled_after_a_distributed_compute(three_processes, expected):
    """The object holds no lock any more, because locks can't be pickled."""
    assert (
        compute_together(
            three_processes, [(PREDICTIONS[i::3], REFERENCES[i::3]) for i in range(3)]
        )[0]["counts"]
        == expected["counts"]
    )
    for metric in three_processes:
        assert len(dill.loads(dill.dumps(metric))) == 0


# The paths to a score: the configuration, and a call that scores with two objects, or None for several processes.
PATHS = {
    "compute": ("default", lambda bleu, rows: bleu.compute(**rows)),
    "added rows": ("default", lambda bleu, rows: [bleu.add_batch(**rows), bleu.compute()]),
    "labels": ("default", lambda bleu, rows: bleu.compute(**rows, by=[0, 1] * 150)),
    "segments and an interval": ("hf", lambda bleu, rows: bleu.compute(**rows, segments=True, confidence=0.9)),
    "the drop-in for sacrebleu": ("sacrebleu", lambda bleu, rows: bleu.compute(**rows)),
    "the drop-in for bleu": ("bleu", lambda bleu, rows: bleu.compute(**rows)),
    "combine": ("default", lambda bleu, rows: evaluate.combine([bleu]).compute(**rows)),
}  # fmt: skip


@pytest.mark.parametrize(("config_name", "call"), PATHS.values(), ids=PATHS)
def test_every_score_goes_through_compute_of_the_class(load, monkeypatch, config_name, call):
    """A breakpoint in `_compute`, the method that a reader of `evaluate.Metric` looks for, is met."""
    bleu, calls = load(config_name), []
    _compute = type(bleu)._compute
    monkeypatch.setattr(
        type(bleu), "_compute", lambda *args, **named: calls.append(1) or _compute(*args, **named)
    )
    call(bleu, {"predictions": PREDICTIONS, "references": REFERENCES})
    assert len(calls) == 1


def test_several_processes_go_through_compute_of_the_class(three_processes, monkeypatch, expected):
    calls, class_ = [], type(three_processes[0])
    _compute = class_._compute
    monkeypatch.setattr(
        class_, "_compute", lambda *args, **named: calls.append(1) or _compute(*args, **named)
    )
    parts = [(PREDICTIONS[i : i + 100], REFERENCES[i : i + 100]) for i in (0, 100, 200)]
    assert compute_together(three_processes, parts) == [expected, None, None]
    assert len(calls) == 1


def derive(bleu, name, docstring):
    """Derive a class that overrides a method, with a docstring or without; the function has another name."""

    def overridden(self, *arguments, **columns):
        return getattr(super(derived, self), name)(*arguments, **columns)

    def documented(self, *arguments, **columns):
        """Do the same."""
        return overridden(self, *arguments, **columns)

    if docstring == "set":
        overridden.__doc__ = "Do the same."
    function = documented if docstring == "in its code" else overridden
    derived = type("Derived", (type(bleu),), {name: function})
    return derived


@pytest.mark.parametrize("name", ["compute", "add", "add_batch"])
def test_a_derived_class_needs_docstrings(bleu, name):
    """evaluate appends to the docstrings of three methods, as their code has them: one that is set is missing."""
    derived = derive(bleu, name, "in its code")()
    derived.add(prediction="a b c d", reference="a b c d")
    derived.add_batch(predictions=["a b c d"], references=["a b c d"])
    assert derived.compute()["score"] == 100
    for docstring in ("none", "set"):
        with pytest.raises(TypeError) as raised:
            derive(bleu, name, docstring)()
        assert str(raised.value) == (
            f"Derived.{name}: its code has no docstring, to which evaluate appends. Write one as the first statement of the"
            " function; if it is decorated, of the decorator's wrapper."
        )


@pytest.mark.processes
def test_python_without_docstrings():
    columns = {"predictions": ["a b c d"], "references": ["a b c d"]}
    code = f"import evaluate; print(evaluate.load({str(ROOT / 'bleu_metric.py')!r}).compute(**{columns})['score'])"
    without_asserts = start_python(code, PYTHONOPTIMIZE="1")
    without_docstrings = start_python(code, PYTHONOPTIMIZE="2")
    assert read_result(without_asserts) == 100
    _, errors = without_docstrings.communicate(timeout=300)
    assert errors.splitlines()[-1] == (
        "RuntimeError: Python runs without docstrings (-OO, or PYTHONOPTIMIZE=2), to which evaluate appends. Start it with"
        " -O, or without the option."
    )


def test_combine_save_and_pickle(bleu, load, tmp_path, expected):
    combined = evaluate.combine([bleu, load("hf")], force_prefix=True)
    result = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert result["bleu_metric_0_score"] == expected["score"]
    combined.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert combined.compute() == result
    path = evaluate.save(tmp_path, **expected)
    assert json.loads(path.read_text())["signature"] == expected["signature"]
    again = dill.loads(dill.dumps(bleu))  # as `map` of `datasets` does with several processes
    assert again.compute(predictions=PREDICTIONS, references=REFERENCES) == expected


def test_an_error_loses_nothing_that_was_added_before(bleu):
    bleu.add(prediction="a b c d", reference="a b c d")
    for call in (bleu.add_batch, bleu.compute):
        with pytest.raises(ValueError, match=r"^predictions\[0\]: expected"):
            call(predictions=[None], references=[["a"]])
    with pytest.raises(ValueError, match=r"^references\[0\]: expected"):
        bleu.add(prediction="a", reference=[])
    with pytest.raises(
        TypeError, match="predictions: expected text as in the rows added before, got ids"
    ):
        bleu.add(prediction=[1], reference=[[1]])
    with pytest.raises(TypeError, match="tokenize"):
        bleu.compute(tokenise="zh")
    with pytest.raises(ValueError, match="unknown tokenizer"):
        bleu.compute(tokenize="13b")
    with pytest.raises(
        TypeError, match="predictions: expected text as in the rows added before, got ids"
    ):
        bleu.compute(predictions=[[1]], references=[[[1]]])
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 4


TEXTS = ["the cat sat on the mat", "a dog ran to the house", "it is big and old today"]
TEXT_REFERENCES = [
    ["the cat sat on a mat"],
    ["the dog ran to a house", "a dog ran home"],
    ["it is big and red today"],
]
OTHERS = ["we were there before"] * 2, [["we were there"], ["they were there before"]]


@pytest.fixture
def expected_of_three(bleu):
    return bleu.compute(predictions=TEXTS, references=TEXT_REFERENCES)


def fill(bleu, how):
    """Add the three rows, or none; return their number."""
    if how == "neither":
        return 0
    if how == "add":
        for prediction, reference in zip(TEXTS, TEXT_REFERENCES):
            bleu.add(prediction=prediction, reference=reference)
    elif how == "add_batch":
        bleu.add_batch(predictions=TEXTS, references=TEXT_REFERENCES)
    else:
        bleu.add_batch(predictions=TEXTS[:2], references=TEXT_REFERENCES[:2])
        bleu.add(prediction=TEXTS[2], reference=TEXT_REFERENCES[2])
    assert len(bleu) == 3
    return 3


class Interrupted(BaseException):
    """An interruption, as Ctrl-C in a notebook."""


def fails_with(error):
    def tokenize(text):
        raise error

    return tokenize


def warning_as_error(bleu):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bleu.compute(
            max_order=40, smooth_method="none"
        )  # no prediction has 40 tokens, so the score is 0 with a warning


# Calls of `compute` that fail, and their errors.
FAILURES = {
    "a tokenizer that raises": (lambda bleu: bleu.compute(tokenize=fails_with(RuntimeError("no such model"))), ValueError),
    "a tokenizer that returns nonsense": (lambda bleu: bleu.compute(tokenize=lambda text: None), TypeError),
    "a tokenizer that is interrupted": (lambda bleu: bleu.compute(tokenize=fails_with(Interrupted())), Interrupted),
    "Ctrl-C": (lambda bleu: bleu.compute(tokenize=fails_with(KeyboardInterrupt())), KeyboardInterrupt),
    "a warning that is an error": (warning_as_error, UserWarning),
    "an option that doesn't exist": (lambda bleu: bleu.compute(tokenise="zh"), TypeError),
    "rows that can't be": (lambda bleu: bleu.compute(predictions=[None], references=[["a"]]), ValueError),
    "rows of another kind": (lambda bleu: bleu.compute(predictions=[[1]], references=[[[1]]]), TypeError),
    "good rows and a tokenizer that raises": (
        lambda bleu: bleu.compute(predictions=OTHERS[0], references=OTHERS[1], tokenize=fails_with(RuntimeError())), ValueError,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fail", "error"), FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("how", ["add", "add_batch", "both"])
def test_an_error_in_compute_loses_nothing(bleu, expected_of_three, how, fail, error):
    """Added rows are kept, once; rows of the failed call are not counted later."""
    fill(bleu, how)
    for _ in range(2):
        with pytest.raises(error):
            fail(bleu)
        assert len(bleu) == 3
    assert bleu.compute() == expected_of_three
    assert len(bleu) == 0


@pytest.mark.parametrize(("fail", "error"), FAILURES.values(), ids=FAILURES)
def test_after_an_error_rows_may_be_added(load, bleu, fail, error):
    fill(bleu, "add_batch")
    with pytest.raises(error):
        fail(bleu)
    bleu.add(prediction=OTHERS[0][0], reference=OTHERS[1][0])
    bleu.add_batch(predictions=OTHERS[0][1:], references=OTHERS[1][1:])
    assert len(bleu) == 5
    everything = {"predictions": TEXTS + OTHERS[0], "references": TEXT_REFERENCES + OTHERS[1]}
    assert bleu.compute(segments=True) == load().compute(**everything, segments=True)


def fork(action):
    """Run an action in a forked process without the parent's exit handlers; return the process id."""
    process = os.fork()
    if not process:
        status = 1
        try:
            action()
            status = 0
        finally:
            os._exit(status)
    return process


def child(action):
    """Run an action in a forked process, wait for it, and return whether it succeeded."""
    return os.waitpid(fork(action), 0)[1] == 0


# Actions of the parent while its child, forked after 200 rows of 4 tokens, waits to compute; the parent's tokens then.
MEANWHILE = {
    "no call": (lambda bleu: None, 800),
    "adds": (lambda bleu: bleu.add_batch(predictions=["a b"] * 300, references=["a b"] * 300), 1400),
    "computes": (lambda bleu: bleu.compute(), 0),
}  # fmt: skip


@posix
@pytest.mark.parametrize("child_adds", [0, 300])
@pytest.mark.parametrize(("meanwhile", "tokens"), MEANWHILE.values(), ids=MEANWHILE)
def test_a_forked_process_has_the_rows_of_the_fork(bleu, meanwhile, tokens, child_adds):
    """Parent and child have the rows of the fork and those that they add, whatever the other does."""
    bleu.add_batch(predictions=["a b c d"] * 200, references=["a b c d"] * 200)
    asked, ask = os.pipe()

    def compute_when_asked():
        os.read(asked, 1)
        if child_adds:
            bleu.add_batch(predictions=["a b c"] * child_adds, references=["a b c"] * child_adds)
        assert bleu.compute()["translation_length"] == 4 * 200 + 3 * child_adds

    process = fork(compute_when_asked)
    meanwhile(bleu)
    os.write(ask, b"1")
    assert os.waitpid(process, 0)[1] == 0
    bleu.add(prediction="a", reference="a")
    assert bleu.compute()["translation_length"] == tokens + 1


COPIES = {
    "copy": copy.copy,
    "a copy's copy": lambda bleu: copy.copy(copy.copy(bleu)),
    "deepcopy": copy.deepcopy,
    "pickle": lambda bleu: pickle.loads(pickle.dumps(bleu)),
    "dill": lambda bleu: dill.loads(dill.dumps(bleu)),  # as `map` of `datasets` does
    "cloudpickle": lambda bleu: pytest.importorskip("cloudpickle").loads(sys.modules["cloudpickle"].dumps(bleu)),
}  # fmt: skip


@pytest.mark.parametrize("how", ["neither", "add", "add_batch", "both"])
@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_has_rows_of_its_own(bleu, load, how, make):
    """Copy and original have the rows of the time of the copy, and those that each of them adds."""
    rows = fill(bleu, how)
    other = make(bleu)
    assert len(other) == rows
    other.add_batch(predictions=OTHERS[0], references=OTHERS[1])
    bleu.add(prediction=TEXTS[0], reference=TEXT_REFERENCES[0])
    assert (len(bleu), len(other)) == (rows + 1, rows + 2)
    texts, references = TEXTS[:rows], TEXT_REFERENCES[:rows]
    for metric, added in ((other, OTHERS), (bleu, (TEXTS[:1], TEXT_REFERENCES[:1]))):
        expected = load().compute(
            predictions=texts + added[0], references=references + added[1], segments=True
        )
        assert metric.compute(segments=True) == expected
        assert len(metric) == 0


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_of_many_rows(bleu, make):
    """Small batches that are not combined yet are combined in each copy for itself."""
    for i in range(990):
        bleu.add(prediction=f"row {i} of many", reference=f"row {i} of many")
    other = make(bleu)
    for metric, text in ((bleu, "a b c d e"), (other, "a b c d")):
        for _ in range(20):
            metric.add(prediction=text, reference=text)
    assert bleu.compute()["translation_length"] == 990 * 4 + 20 * 5
    assert other.compute()["translation_length"] == 990 * 4 + 20 * 4


NO_ROWS = {"lists": ([], []), "tuples": ((), ()), "generators": (iter(()), iter(()))}


@pytest.mark.parametrize(("predictions", "references"), NO_ROWS.values(), ids=NO_ROWS)
def test_a_batch_of_no_rows_changes_nothing(bleu, expected_of_three, predictions, references):
    """An empty batch has no effect, before the first rows of any kind and among them."""
    bleu.add_batch(predictions=predictions, references=references)
    assert len(bleu) == 0
    with pytest.raises(ValueError, match="no segments to score"):
        bleu.compute()
    fill(bleu, "both")
    bleu.add_batch(predictions=[], references=[])
    assert bleu.compute() == expected_of_three
    bleu.add_batch(predictions=[], references=[])
    bleu.add_batch(predictions=[[1, 2]], references=[[[1, 2]]])
    assert bleu.compute()["counts"] == [2, 1, 0, 0]


# Any sequence of calls: the buffer compared with a plain list of rows.


WORDS = st.sampled_from(["a", "b", "c", "d.", "é", "我们"])
TOKEN_LISTS = st.lists(WORDS, min_size=1, max_size=6)
VALUES = {
    "text": st.lists(WORDS, max_size=6).map(" ".join),  # also ""
    "tokens": TOKEN_LISTS,
    "ids": st.lists(st.integers(0, 5), min_size=1, max_size=6),
}
ANY_KIND = st.sampled_from(list(VALUES))


def row_of(kind):
    """Return a strategy for a row of this kind with one to three references."""
    return st.tuples(VALUES[kind], st.lists(VALUES[kind], min_size=1, max_size=3))


def rows_of(kind):
    return st.lists(row_of(kind), max_size=4)


BATCHES = ANY_KIND.flatmap(lambda kind: st.tuples(st.just(kind), rows_of(kind)))

# Columns that every call rejects.
BAD_COLUMNS = st.sampled_from(
    [
        ([None], [["a"]]), (["a"], [[]]), (["a"], [[None]]), (["a", "b"], [["a"]]), ([b"a"], [["a"]]), (["a"], [[1]]),
        (["\ud83d"], [["a"]]), (["a", ["b"]], [["a"], ["b"]]), ([1.5], [["a"]]), ("a", ["a"]), (None, [["a"]]), (5, 5),
        ([["a", 1]], [[["a"]]]), ([[["a"]]], [[["a"]]]),
    ]
)  # fmt: skip

# Options with which `compute` fails at its start, in the middle or at its end.
FAILING_OPTIONS = st.sampled_from(
    [
        {"tokenize": fails_with(RuntimeError())}, {"tokenize": fails_with(KeyboardInterrupt())}, {"max_order": 0},
        {"tokenize": lambda text: None}, {"tokenise": "zh"}, {"tokenize": "13b"}, {"max_order": 30, "smooth_method": "none"},
    ]
)  # fmt: skip


def columns(rows):
    return {
        "predictions": [prediction for prediction, _ in rows],
        "references": [references for _, references in rows],
    }


class BufferMachine(RuleBasedStateMachine):
    """The state machine. `rows` and `kind` are the model: the rows since the last result, and their kind."""

    metric = None  # the class that `evaluate.load` found

    @initialize()
    def load(self):
        self.rows, self.kind = [], None
        self.bleu, self.fresh = self.metric(), self.metric()

    def fits(self, kind):
        return self.kind in (None, kind)

    def was_added(self, kind, rows):
        if rows:
            self.kind, self.rows = kind, self.rows + rows

    @rule(row=ANY_KIND.flatmap(lambda kind: st.tuples(st.just(kind), row_of(kind))))
    def add(self, row):
        kind, (prediction, references) = row
        with contextlib.nullcontext() if self.fits(kind) else pytest.raises(TypeError):
            self.bleu.add(prediction=prediction, reference=references)
            self.was_added(kind, [(prediction, references)])

    @rule(batch=BATCHES)
    def add_batch(self, batch):
        kind, rows = batch
        with contextlib.nullcontext() if self.fits(kind) or not rows else pytest.raises(TypeError):
            self.bleu.add_batch(**columns(rows))
            self.was_added(kind, rows)

    @rule(bad=BAD_COLUMNS, call=st.sampled_from(["add_batch", "compute"]))
    def a_call_with_bad_rows(self, bad, call):
        with pytest.raises((TypeError, ValueError)):
            getattr(self.bleu, call)(predictions=bad[0], references=bad[1])

    @rule(
        bad=st.sampled_from(
            [
                (None, ["a"]),
                ("a", []),
                ("a", None),
                (b"a", ["b"]),
                ("a", [1]),
                (1, 2),
                ("\ud83d", "a"),
            ]
        )
    )
    def an_add_of_a_bad_row(self, bad):
        with pytest.raises((TypeError, ValueError)):
            self.bleu.add(prediction=bad[0], reference=bad[1])

    @rule()
    def a_column_that_does_not_exist(self):
        with pytest.raises(TypeError):
            self.bleu.add_batch(sources=["a"])

    @rule(options=FAILING_OPTIONS, batch=st.none() | BATCHES)
    def a_compute_that_fails(self, options, batch):
        """Rows of the failed call are not counted later."""
        with warnings.catch_warnings(), pytest.raises((Exception, KeyboardInterrupt)):  # noqa: PT012
            warnings.simplefilter("error", UserWarning)
            self.bleu.compute(**(columns(batch[1]) if batch else {}), **options)

    @rule(more=st.booleans(), data=st.data())
    def compute(self, more, data):
        rows = data.draw(rows_of(self.kind or "text")) if more else []
        if not self.rows and not rows:
            with pytest.raises(ValueError, match="no segments to score"):
                self.bleu.compute()
            return
        self.rows = self.rows + rows
        self.expect_the_result(self.bleu.compute(**(columns(rows) if rows else {}), segments=True))

    def expect_the_result(self, result):
        expected = self.fresh.compute(**columns(self.rows), segments=True)
        self.rows, self.kind = [], None
        assert result == expected

    @rule(
        make=st.sampled_from([copy.copy, copy.deepcopy, COPIES["pickle"], COPIES["dill"]]),
        exchange=st.booleans(),
    )
    def a_copy(self, make, exchange):
        """Replace the object by its copy, or keep the original; both must work."""
        other = make(self.bleu)
        assert len(other) == len(self.rows)
        if exchange:
            self.bleu, other = other, self.bleu
        self.add_and_compute(other)

    @precondition(lambda self: hasattr(os, "fork"))
    @rule()
    def a_forked_process(self):
        assert child(lambda: self.add_and_compute(self.bleu))

    def add_and_compute(self, other):
        more = self.rows or [("a", ["a"])]
        other.add_batch(**columns(more))
        assert other.compute(segments=True) == self.fresh.compute(
            **columns(self.rows + more), segments=True
        )

    @invariant()
    def the_length_is_the_models(self):
        if hasattr(self, "bleu"):
            assert len(self.bleu) == len(self.rows)

    def teardown(self):
        """Check that the object can still be used after any calls."""
        if sys.exc_info()[0] or not hasattr(self, "bleu"):
            return
        if self.rows:
            self.expect_the_result(self.bleu.compute(segments=True))
        self.bleu.add(prediction="a", reference="a")
        self.bleu.add_batch(predictions=["a"], references=["a"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_buffer_is_a_list_of_rows(load, monkeypatch):
    """The buffer behaves as a list of rows.

    This takes half a minute; for a longer run:

        python -m pytest tests/unit/methods/test_buffer.py -k list_of_rows --slow --hypothesis-profile=long

    There are an eighth as many examples as the profile has, and every three small batches are combined.
    """
    BufferMachine.metric = type(metric := load())
    monkeypatch.setattr(sys.modules[type(metric._buffer).__module__], "_SMALL_CORPORA", 3)
    chosen = settings(
        max_examples=max(1, settings().max_examples // 8), stateful_step_count=30,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(BufferMachine, settings=chosen)


# Threads: one object to which a thread adds rows, while another computes.


def test_rows_added_while_another_thread_computes_are_scored_once(bleu):
    """20,000 rows of one token each: the lengths of all results add up to the rows, and each row is in one of them."""
    rows = 20_000
    done = threading.Event()

    def add():
        for i in range(rows):
            bleu.add(prediction=f"{i}", reference=f"{i}")
        done.set()

    seen = []

    def tokenize(text):
        seen.append(text)
        return [text]

    thread = threading.Thread(target=add)
    thread.start()
    lengths = []
    while not done.is_set() or len(bleu):
        if len(bleu):
            lengths.append(bleu.compute(max_order=1, tokenize=tokenize)["translation_length"])
    thread.join()
    assert sum(lengths) == rows
    assert len(lengths) > 1
    assert Counter(seen) == {str(i): 2 for i in range(rows)}  # as a prediction and as a reference


def test_a_failing_compute_puts_rows_back_in_front(bleu):
    """Rows that are added during the failing call come behind those that it had taken."""
    bleu.add_batch(predictions=["a b c d", "e"], references=["a b c d", "e"])

    def add_and_fail(text):
        bleu.add(prediction="added later", reference="added")
        raise RuntimeError

    with pytest.raises(ValueError, match="tokenizer failed"):
        bleu.compute(tokenize=add_and_fail)
    lengths = bleu.compute(segments=True)["segment_bleu"]
    assert lengths == load_scores(bleu, ["a b c d", "e", "added later"], ["a b c d", "e", "added"])


def load_scores(bleu, predictions, references):
    return bleu.compute(predictions=predictions, references=references, segments=True)[
        "segment_bleu"
    ]


def test_a_failing_compute_of_nothing_keeps_the_kind_of_rows_added_meanwhile(bleu):
    def add_and_fail(text):
        bleu.add(prediction="a b", reference="a b")
        raise RuntimeError

    with pytest.raises(ValueError, match="tokenizer failed"):
        bleu.compute(predictions=["a"], references=["a"], tokenize=add_and_fail)
    with pytest.raises(TypeError, match="expected text as in the rows added before, got ids"):
        bleu.add(prediction=[1], reference=[[1]])
    assert bleu.compute()["translation_length"] == 2
