"""Rows added between two calls of `compute`: order, kinds, errors, files, processes, copies."""

import contextlib
import copy
import errno
import gc
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dill
import evaluate
import pyarrow as pa
import pytest
from bleu.bleu_buffer_file import BufferFile
from helpers import ROOT, full_disk, list_files, random_rows, read_result, start_python
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
PREDICTIONS, REFERENCES = random_rows(seed=8, count=300)


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_any_mixture_of_calls_keeps_the_rows_in_order(load, tmp_path, keep_in_memory):
    bleu = load(keep_in_memory=keep_in_memory, cache_dir=str(tmp_path))
    for _ in range(2):  # an object can be used again
        for i in range(20):
            bleu.add(prediction=PREDICTIONS[i], reference=REFERENCES[i])
        bleu.add_batch(predictions=PREDICTIONS[20:50], references=REFERENCES[20:50])
        bleu.add_batch(predictions=pa.array(PREDICTIONS[50:90]), references=pa.array(REFERENCES[50:90]))
        for i in range(90, 95):
            bleu.add(predictions=PREDICTIONS[i], references=REFERENCES[i])
        assert len(bleu) == 95
        result = bleu.compute(predictions=PREDICTIONS[95:], references=REFERENCES[95:], segments=True)
        assert result == load().compute(predictions=PREDICTIONS, references=REFERENCES, segments=True)
        assert len(bleu) == 0
        assert list_files(tmp_path) == []


def test_a_hundred_thousand_rows_one_by_one(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    texts = [f"row {i} of é many" for i in range(100_000)]
    for i, text in enumerate(texts):
        bleu.add(prediction=text, reference=text if i % 3 else f"line {i} of é many")
    result = bleu.compute(segments=True)
    assert [score == 1 for score in result["segment_bleu"]] == [i % 3 > 0 for i in range(100_000)]


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
    expected = bleu.score(bleu.statistics(predictions=["a b"] * len(added), references=references))
    assert bleu.compute() == expected


def test_no_other_columns_can_be_added(bleu):
    for add in (
        lambda: bleu.add(prediction="a", reference="a", source="b"),
        lambda: bleu.add_batch(predictions=["a"], references=["a"], source=["b"]),
    ):
        with pytest.raises(TypeError, match="no column 'source' to add to: give predictions and references"):
            add()
    assert len(bleu) == 0


def test_nothing_added(bleu):
    with pytest.raises(ValueError, match="nothing to score"):
        bleu.compute()


def test_a_failing_compute_keeps_what_was_added(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    bleu.add(prediction="a b c d", reference="a b c d")
    with pytest.raises(ValueError, match="predictions, row 0: the tokenizer failed: RuntimeError: no such model"):
        bleu.compute(predictions=["e"], references=["e"], tokenize=fails_with(RuntimeError("no such model")))
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 4
    assert list_files(tmp_path) == []


def add_one_by_one(bleu, rows):
    for _ in range(rows):
        bleu.add(prediction="a b c d", reference="a b c d")


def add_small_batches(bleu, rows):
    for _ in range(rows // 99):
        bleu.add_batch(predictions=["a b c d"] * 99, references=["a b c d"] * 99)


@pytest.mark.parametrize("add", [add_one_by_one, add_small_batches])
def test_few_rows_wait_in_memory_and_many_in_a_file(load, tmp_path, add):
    """Few rows stay in memory and many are written to a file: a write per row would take most of the time."""
    bleu = load(cache_dir=str(tmp_path))
    add(bleu, 990)
    assert list_files(tmp_path) == []
    add(bleu, 9_900)
    assert len(list_files(tmp_path)) == 1
    add(bleu, 99)
    assert bleu.compute()["translation_length"] == 4 * (990 + 9_900 + 99)


def test_a_batch_without_any_token_may_be_of_ids(load, tmp_path):
    """Empty lists get the kind of the rows that follow, whatever the length of the batch."""
    bleu = load(cache_dir=str(tmp_path))
    bleu.add_batch(predictions=[[]] * 150, references=[[[]]] * 150)
    bleu.add(prediction=[1, 2], reference=[[1, 2]])
    result = bleu.compute()
    assert (result["counts"], result["translation_length"]) == ([2, 1, 0, 0], 2)


BLANK = {"predictions": [[]], "references": [[[]]]}
AFTER_BLANK = {
    "ids": {"predictions": [[1, 2, 3, 4]], "references": [[[1, 2, 3, 4]]]},
    "tokens": {"predictions": [["a", "b"]], "references": [[["a", "c"]]]},
}


@pytest.mark.parametrize("keep_in_memory", [False, True])
@pytest.mark.parametrize("rows", AFTER_BLANK.values(), ids=AFTER_BLANK)
@pytest.mark.parametrize(("blank", "others"), [(1, 1), (1, 100), (150, 1), (10_001, 1), (10_001, 100)])
def test_lists_without_tokens_get_the_kind_of_the_next_rows(load, bleu, tmp_path, keep_in_memory, blank, others, rows):
    kept = load(cache_dir=str(tmp_path), keep_in_memory=keep_in_memory)
    for _ in range(blank if blank < 150 else 1):
        kept.add_batch(**{name: column * blank for name, column in BLANK.items()})
    kept.add_batch(**{name: column * others for name, column in rows.items()})
    kept.add_batch(**BLANK)
    everything = {name: BLANK[name] * blank + rows[name] * others + BLANK[name] for name in BLANK}
    assert copy.deepcopy(kept).compute() == kept.compute() == bleu.compute(**everything)
    assert list_files(tmp_path) == []


@pytest.mark.parametrize("texts", [1, 100])
def test_text_after_lists_without_tokens(bleu, texts):
    """Text is rejected after empty lists, as after any lists, and the rows stay."""
    bleu.add_batch(**BLANK)
    for add in (
        lambda: bleu.add_batch(predictions=["a b"] * texts, references=["a b"] * texts),
        lambda: bleu.add(prediction="a b", reference="a b"),
    ):
        with pytest.raises(TypeError, match="These predictions are text, those added before lists"):
            add()
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 0
    bleu.add(prediction="a b", reference="a b")


def test_a_deleted_folder_is_created_again(load, expected, tmp_path):
    bleu = load(cache_dir=str(tmp_path / "cache"))
    shutil.rmtree(tmp_path / "cache")
    bleu.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert bleu.compute() == expected


def test_a_file_that_is_removed_is_closed(tmp_path):
    """A removed file is also closed: the disk space is not released before."""
    table = pa.table({"n": [1, 2]})
    file = BufferFile(str(tmp_path / "rows.arrow"), table.schema)
    file.append(table)
    opened = file._file
    file.remove()
    assert (opened.closed, list_files(tmp_path)) == (True, [])


def test_a_deleted_object_deletes_its_file(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    bleu.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert arrow_files(tmp_path) != []
    del bleu
    gc.collect()
    assert list_files(tmp_path) == []


@pytest.mark.slow
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


NONE, TEXT, TOKENS, IDS = ([], []), (["a b"], [["a b"]]), ([["a", "b"]], [[["a"]]]), ([[1, 2]], [[[1]]])
NO_TOKENS = [[]], [[[]]]  # a row that may be of tokens or of ids
# The rows of three processes, and the corpus's counts of unigrams: matches and n-grams.
KINDS = {
    "ids, and no rows in the first": ([NONE, IDS, IDS], (2, 4)),
    "ids, and no rows in the last": ([IDS, IDS, NONE], (2, 4)),
    "ids, and no tokens in the first": ([NO_TOKENS, IDS, NONE], (1, 2)),
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
    assert str(first).startswith("Process 1: These predictions are ids, those added before text: compute them apart.")
    assert (others, arrow_files(tmp_path)) == ([None, None], [])
    assert three_processes[0].compute()["counts"][:2] == [4, 2]
    assert compute_together(three_processes, [IDS, IDS, IDS])[0]["totals"][0] == 6


def test_processes_without_rows_have_nothing_to_score(three_processes, tmp_path):
    first, *others = compute_together(three_processes, [NONE] * 3)
    assert isinstance(first, ValueError)
    assert (str(first)[:26], others, arrow_files(tmp_path)) == ("There is nothing to score:", [None, None], [])
    assert compute_together(three_processes, [TEXT] * 3)[0]["totals"][0] == 6


def test_a_failing_compute_of_several_processes_keeps_everyones_rows_in_the_first(three_processes, expected):
    parts = [(PREDICTIONS[i : i + 100], REFERENCES[i : i + 100]) for i in (0, 100, 200)]
    first, *others = compute_together(three_processes, parts, tokenize=fails_with(RuntimeError("no such model")))
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

    compute_together(three_processes, [(PREDICTIONS[i::3], REFERENCES[i::3]) for i in range(3)], tokenize=tokenize)
    assert len(locks) == 3
    for lock in locks:
        with type(lock)(lock.lock_file, timeout=0):
            pass


def test_an_object_can_be_pickled_after_a_distributed_compute(three_processes, expected):
    """The object holds no lock any more, because locks can't be pickled."""
    assert (
        compute_together(three_processes, [(PREDICTIONS[i::3], REFERENCES[i::3]) for i in range(3)])[0]["counts"]
        == expected["counts"]
    )
    for metric in three_processes:
        assert len(dill.loads(dill.dumps(metric))) == 0


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


def test_an_error_loses_nothing_that_was_added_before(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    bleu.add(prediction="a b c d", reference="a b c d")
    for call in (bleu.add_batch, bleu.compute):
        with pytest.raises(ValueError, match="row 0"):
            call(predictions=[None], references=[["a"]])
    with pytest.raises(ValueError, match="row 0"):
        bleu.add(prediction="a", reference=[])
    with pytest.raises(TypeError, match="These predictions are ids, those added before text"):
        bleu.add(prediction=[1], reference=[[1]])
    with pytest.raises(TypeError, match="tokenize"):
        bleu.compute(tokenise="zh")
    with pytest.raises(ValueError, match="no tokenizer of this name"):
        bleu.compute(tokenize="13b")
    with pytest.raises(TypeError, match="These predictions are ids, those added before text"):
        bleu.compute(predictions=[[1]], references=[[[1]]])
    assert len(bleu) == 1
    assert bleu.compute()["translation_length"] == 4
    assert list_files(tmp_path) == []


TEXTS = ["the cat sat on the mat", "a dog ran to the house", "it is big and old today"]
TEXT_REFERENCES = [["the cat sat on a mat"], ["the dog ran to a house", "a dog ran home"], ["it is big and red today"]]
OTHERS = ["we were there before"] * 2, [["we were there"], ["they were there before"]]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork is not available")


@pytest.fixture(params=["file", "memory"])
def kept(request, load, tmp_path, monkeypatch):
    """Return a metric with a folder of its own that stores batches of any size in a file, or in a table."""
    metric = load(cache_dir=str(tmp_path), keep_in_memory=request.param == "memory")
    monkeypatch.setattr(sys.modules[type(metric._buffer).__module__], "_FEW", 1)
    return metric


@pytest.fixture
def expected_of_three(bleu):
    return bleu.compute(predictions=TEXTS, references=TEXT_REFERENCES)


def fill(bleu, how):
    if how == "add":
        for prediction, reference in zip(TEXTS, TEXT_REFERENCES):
            bleu.add(prediction=prediction, reference=reference)
    elif how == "add_batch":
        bleu.add_batch(predictions=TEXTS, references=TEXT_REFERENCES)
    else:
        bleu.add_batch(predictions=TEXTS[:2], references=TEXT_REFERENCES[:2])
        bleu.add(prediction=TEXTS[2], reference=TEXT_REFERENCES[2])
    assert len(bleu) == 3


def has_a_file(kept, how):
    """Return whether `fill` has written a file: rows that are added one by one wait in memory."""
    return how != "add" and not kept.keep_in_memory


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
def test_an_error_in_compute_loses_nothing(kept, expected_of_three, tmp_path, how, fail, error):
    """Added rows are kept, once; rows of the failed call are not counted later."""
    fill(kept, how)
    for _ in range(2):
        with pytest.raises(error):
            fail(kept)
        assert len(kept) == 3
    assert kept.compute() == expected_of_three
    assert (len(kept), list_files(tmp_path)) == (0, [])


@pytest.mark.parametrize(("fail", "error"), FAILURES.values(), ids=FAILURES)
def test_after_an_error_rows_may_be_added(kept, bleu, tmp_path, fail, error):
    fill(kept, "add_batch")
    with pytest.raises(error):
        fail(kept)
    kept.add(prediction=OTHERS[0][0], reference=OTHERS[1][0])
    kept.add_batch(predictions=OTHERS[0][1:], references=OTHERS[1][1:])
    assert len(kept) == 5
    expected_of_three = bleu.compute(
        predictions=TEXTS + OTHERS[0], references=TEXT_REFERENCES + OTHERS[1], segments=True
    )
    assert kept.compute(segments=True) == expected_of_three
    assert list_files(tmp_path) == []


@posix
@pytest.mark.parametrize("how", ["add", "add_batch", "both"])
def test_a_full_disk_in_compute(load, bleu, tmp_path, how):
    """Rows of the call itself need no disk space, whatever was added before."""
    more = {"predictions": ["a long text " * 1000] * 300, "references": [["a long text " * 1000]] * 300}
    kept = load(cache_dir=str(tmp_path))
    fill(kept, how)
    with full_disk(space=1000):
        result = kept.compute(**more)
    everything = {"predictions": TEXTS + more["predictions"], "references": TEXT_REFERENCES + more["references"]}
    assert result == bleu.compute(**everything)
    assert list_files(tmp_path) == []


LONG = [f"row {i} " + "of many words that take some space " * 20 for i in range(25_000)]


@posix
@pytest.mark.parametrize("before", [0, 3], ids=["nothing before", "rows before"])
@pytest.mark.parametrize("space", [0, 1_000_000, 12_000_000], ids=["at once", "in the first part", "in a later part"])
def test_a_full_disk_in_the_middle_of_a_batch(load, expected_of_three, tmp_path, before, space):
    """No part of the batch is counted, earlier rows are kept, and the object can be used again."""
    bleu = load(cache_dir=str(tmp_path))
    if before:
        fill(bleu, "add_batch")
    with full_disk(space), pytest.raises(OSError) as raised:  # noqa: PT011
        bleu.add_batch(predictions=LONG, references=LONG)
    assert raised.value.errno in (errno.EFBIG, errno.ENOSPC, None)
    assert len(bleu) == before
    if not before:
        fill(bleu, "add_batch")
    assert bleu.compute() == expected_of_three
    assert list_files(tmp_path) == []


@posix
def test_rows_of_another_kind_after_a_full_disk(load, bleu, tmp_path):
    """A first batch that fails leaves nothing behind, not even its kind."""
    kept = load(cache_dir=str(tmp_path))
    with full_disk(space=2000), pytest.raises(OSError):  # noqa: PT011
        kept.add_batch(predictions=LONG, references=LONG)
    tokens = {"predictions": [["a", "b"]] * 200, "references": [[["a", "c"]]] * 200}
    kept.add_batch(**tokens)
    assert kept.compute() == bleu.compute(**tokens)
    assert list_files(tmp_path) == []


@posix
def test_a_full_disk_while_rows_are_added_one_by_one(load, tmp_path):
    """Every row whose `add` returned is counted, and no other."""
    bleu, added = load(cache_dir=str(tmp_path)), 0
    with full_disk(space=1_000_000):
        for text in LONG:
            try:
                bleu.add(prediction=text, reference=text)
            except OSError:
                break
            added += 1
    assert len(bleu) == added
    assert len(bleu.compute(segments=True)["segment_bleu"]) == added
    assert list_files(tmp_path) == []


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


@posix
@pytest.mark.parametrize("how", ["add_batch", "both"])
@pytest.mark.parametrize(
    "action", [lambda bleu: vars(bleu).clear(), lambda bleu: gc.collect(), lambda bleu: copy.copy(bleu).compute()],
    ids=["the object is deleted", "the child ends", "a copy is deleted"],
)  # fmt: skip
def test_a_forked_process_leaves_the_parents_file(kept, expected_of_three, tmp_path, how, action):
    """Only the process that made the file deletes it; a data loader's workers end like this."""
    fill(kept, how)
    before = list_files(tmp_path)
    assert len(before) == has_a_file(kept, how)
    assert child(lambda: action(kept))
    assert list_files(tmp_path) == before
    assert len(kept) == 3
    assert kept.compute() == expected_of_three
    assert list_files(tmp_path) == []


@posix
def test_a_forked_process_adds_to_its_own_copy(load, tmp_path):
    """Rows added before the fork are in both processes, later rows in one of them."""
    bleu = load(cache_dir=str(tmp_path))
    bleu.add_batch(predictions=["a b c d"] * 200, references=["a b c d"] * 200)

    def add_and_compute():
        bleu.add_batch(predictions=["a b"] * 300, references=["a b"] * 300)
        assert bleu.compute()["translation_length"] == 4 * 200 + 2 * 300

    assert child(add_and_compute)
    assert bleu.compute()["translation_length"] == 4 * 200
    assert list_files(tmp_path) == []


# Actions of the parent while its child, forked after 200 rows of 4 tokens, waits to compute.
MEANWHILE = {
    "nothing": lambda bleu: None,
    "adds": lambda bleu: bleu.add_batch(predictions=["a b"] * 300, references=["a b"] * 300),
    "computes": lambda bleu: bleu.compute(),
}


@posix
@pytest.mark.parametrize("child_adds", [0, 300])
@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE)
def test_a_forked_process_has_the_rows_of_the_fork(load, tmp_path, meanwhile, child_adds):
    """A forked process keeps the rows of the fork, whatever the parent does later."""
    bleu = load(cache_dir=str(tmp_path))
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
    bleu.compute()
    assert list_files(tmp_path) == []


@posix
def test_a_full_disk_in_a_forked_process(load, tmp_path):
    bleu = load(cache_dir=str(tmp_path))
    bleu.add_batch(predictions=["a b c d"] * 200, references=["a b c d"] * 200)

    def fail_and_compute():
        with full_disk(space=2000), pytest.raises(OSError):  # noqa: PT011
            bleu.add_batch(predictions=["a b"] * 300, references=["a b"] * 300)
        assert bleu.compute()["translation_length"] == 4 * 200

    assert child(fail_and_compute)
    assert bleu.compute()["translation_length"] == 4 * 200
    assert list_files(tmp_path) == []


FORKED = """
import gc, json, multiprocessing, sys
import evaluate

bleu = evaluate.load(sys.argv[1], cache_dir=sys.argv[2])
bleu.add_batch(predictions=["a b c d"] * 200, references=["a b c d"] * 200)

def work(text):
    global bleu
    bleu = None  # deletes the worker's copy
    gc.collect()
    return len(text)

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, ["a", "b", "c"])
    print(json.dumps(bleu.compute()["bleu"]))
"""


def script(code, *arguments):
    """Start a process with the metric that ends as scripts end."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, str(ROOT / "bleu_metric.py"), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@posix
@pytest.mark.slow
def test_a_pool_of_forked_workers(tmp_path):
    assert read_result(script(FORKED, tmp_path)) == 1
    assert list_files(tmp_path) == []


COPIES = {
    "copy": copy.copy,
    "a copy's copy": lambda bleu: copy.copy(copy.copy(bleu)),
    "pickle": lambda bleu: dill.loads(dill.dumps(bleu)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", ["add", "add_batch", "both"])
@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_deleted_copy_leaves_the_original_alone(kept, expected_of_three, tmp_path, how, make):
    """Only the object that made the file deletes it; the copy can be used until then."""
    fill(kept, how)
    other = make(kept)
    gc.collect()  # deletes intermediate copies
    assert (len(other), len(list_files(tmp_path))) == (3, 2 * has_a_file(kept, how))
    other.add_batch(predictions=OTHERS[0], references=OTHERS[1])
    assert other.compute()["translation_length"] == 8 + 18
    del other
    gc.collect()
    assert len(kept) == 3
    assert kept.compute() == expected_of_three
    assert list_files(tmp_path) == []


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_of_an_empty_object_is_its_own(kept, expected_of_three, tmp_path, make):
    other = make(kept)
    fill(kept, "both")
    other.add_batch(predictions=OTHERS[0], references=OTHERS[1])
    assert (len(kept), len(other)) == (3, 2)
    assert other.compute()["translation_length"] == 8
    assert kept.compute() == expected_of_three
    assert list_files(tmp_path) == []


SCRIPTS = {
    "ends": "",
    "raises": "1 / 0",
    "fails in compute": "bleu.compute(tokenize=lambda text: 1 / 0)",
    "keeps it in a cycle": "cycle = [bleu]; cycle.append(cycle)",
    "keeps it in a module": "import json; json.bleu = bleu; del bleu",
}


@pytest.mark.parametrize("end", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.slow
def test_a_script_that_ends_with_rows_uncomputed(tmp_path, end):
    """Files are deleted when the script ends, lock files too."""
    code = (
        "import evaluate, sys\n"
        "bleu = evaluate.load(sys.argv[1], cache_dir=sys.argv[2])\n"
        "bleu.add_batch(predictions=['a b c d'] * 12_000, references=['a b c d'] * 12_000)\n"
        "bleu.add(prediction='a', reference='a')\n"
        "import pathlib; assert [path for path in pathlib.Path(sys.argv[2]).rglob('*.arrow')]\n"
    )
    _, errors = script(code + end, tmp_path).communicate(timeout=300)
    assert "AssertionError" not in errors
    assert "Exception ignored" not in errors
    assert list_files(tmp_path) == []


NO_ROWS = {"lists": ([], []), "tuples": ((), ()), "generators": (iter(()), iter(()))}


@pytest.mark.parametrize(("predictions", "references"), NO_ROWS.values(), ids=NO_ROWS)
def test_a_batch_of_no_rows_changes_nothing(kept, expected_of_three, tmp_path, predictions, references):
    """An empty batch changes nothing, before the first rows of any kind and among them."""
    kept.add_batch(predictions=predictions, references=references)
    assert (len(kept), list_files(tmp_path)) == (0, [])
    with pytest.raises(ValueError, match="nothing to score"):
        kept.compute()
    fill(kept, "both")
    kept.add_batch(predictions=[], references=[])
    assert kept.compute() == expected_of_three
    kept.add_batch(predictions=[], references=[])
    kept.add_batch(predictions=[[1, 2]], references=[[[1, 2]]])
    assert kept.compute()["counts"] == [2, 1, 0, 0]


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
    return {"predictions": [prediction for prediction, _ in rows], "references": [references for _, references in rows]}


class BufferMachine(RuleBasedStateMachine):
    """The state machine. `rows` and `kind` are the model: the rows since the last result, and their kind."""

    metric = None  # the class that `evaluate.load` found

    @initialize(keep_in_memory=st.booleans())
    def load(self, keep_in_memory):
        self.folder = tempfile.TemporaryDirectory()
        self.path, self.rows, self.kind = Path(self.folder.name), [], None
        self.bleu, self.fresh = self.metric(cache_dir=self.folder.name, keep_in_memory=keep_in_memory), self.metric()

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
        bad=st.sampled_from([(None, ["a"]), ("a", []), ("a", None), (b"a", ["b"]), ("a", [1]), (1, 2), ("\ud83d", "a")])
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

    @precondition(lambda self: hasattr(os, "fork"))
    @rule(batch=BATCHES, times=st.sampled_from([1, 200]), space=st.sampled_from([0, 2000]))
    def a_full_disk_in_a_batch(self, batch, times, space):
        """The whole batch is counted if the call returned, and no row of it if the call failed."""
        kind, rows = batch[0], batch[1] * times
        with contextlib.suppress(OSError, TypeError), full_disk(space):
            self.bleu.add_batch(**columns(rows))
            self.was_added(kind, rows)

    @precondition(lambda self: self.rows and hasattr(os, "fork"))
    @rule(space=st.sampled_from([0, 2000]))
    def a_full_disk_in_compute(self, space):
        with contextlib.suppress(OSError), full_disk(space):
            self.expect_the_result(self.bleu.compute(segments=True))

    @rule(more=st.booleans(), data=st.data())
    def compute(self, more, data):
        rows = data.draw(rows_of(self.kind or "text")) if more else []
        if not self.rows and not rows:
            with pytest.raises(ValueError, match="nothing to score"):
                self.bleu.compute()
            return
        self.rows = self.rows + rows
        self.expect_the_result(self.bleu.compute(**(columns(rows) if rows else {}), segments=True))

    def expect_the_result(self, result):
        expected = self.fresh.compute(**columns(self.rows), segments=True)
        self.rows, self.kind = [], None
        assert result == expected
        assert list_files(self.path) == []

    @rule(
        make=st.sampled_from([copy.copy, copy.deepcopy, lambda bleu: dill.loads(dill.dumps(bleu))]), use=st.booleans()
    )
    def a_copy(self, make, use):
        """A copy has all rows; neither its use nor its deletion changes the original."""
        other = make(self.bleu)
        assert len(other) == len(self.rows)
        if use:
            self.add_and_compute(other)
        del other
        gc.collect()

    @precondition(lambda self: hasattr(os, "fork"))
    @rule(use=st.booleans())
    def a_forked_process(self, use):
        """A child adds rows, computes a result of its own and deletes the object."""

        def act():
            if use:
                self.add_and_compute(self.bleu)
            del self.bleu
            gc.collect()

        assert child(act)

    def add_and_compute(self, other):
        more = self.rows or [("a", ["a"])]
        other.add_batch(**columns(more))
        assert other.compute(segments=True) == self.fresh.compute(**columns(self.rows + more), segments=True)

    @rule()
    def a_garbage_collection(self):
        gc.collect()

    @invariant()
    def the_length_is_the_models(self):
        if hasattr(self, "bleu"):
            assert len(self.bleu) == len(self.rows)

    def teardown(self):
        """The object can still be used after any calls, and no file is left when it is deleted."""
        if sys.exc_info()[0] or not hasattr(self, "bleu"):
            return
        if self.rows:
            self.expect_the_result(self.bleu.compute(segments=True))
        self.bleu.add(prediction="a", reference="a")
        self.bleu.add_batch(predictions=["a"], references=["a"])
        del self.bleu
        gc.collect()
        assert list_files(self.path) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_buffer_is_a_list_of_rows(load, monkeypatch):
    """The buffer behaves as a list of rows. It takes half a minute; for longer:

        python -m pytest tests/test_buffer.py -k list_of_rows --slow --hypothesis-profile=long

    There are an eighth as many examples as the profile has, and batches of two rows are written to the file.
    """
    BufferMachine.metric = type(metric := load())
    monkeypatch.setattr(sys.modules[type(metric._buffer).__module__], "_FEW", 2)
    chosen = settings(
        max_examples=max(1, settings().max_examples // 8), stateful_step_count=30, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(BufferMachine, settings=chosen)
