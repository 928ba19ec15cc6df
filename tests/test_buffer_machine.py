"""The buffer against a plain list: whatever is called in whatever order, nothing is lost and nothing is left on disk.

It takes half a minute; for longer:

    python -m pytest tests/test_buffer_machine.py --slow --hypothesis-profile=long
"""

import contextlib
import copy
import gc
import os
import sys
import tempfile
import warnings
from pathlib import Path

import dill
import pytest
from helpers import full_disk, list_files
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

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")

WORDS = st.sampled_from(["a", "b", "c", "d.", "é", "我们"])
TOKENS = st.lists(WORDS, min_size=1, max_size=6)
KINDS = {
    "text": st.lists(WORDS, max_size=6).map(" ".join),  # "" among them
    "tokens": TOKENS,
    "ids": st.lists(st.integers(0, 5), min_size=1, max_size=6),
}
EVERY_KIND = st.sampled_from(list(KINDS))


def row_of(kind):
    """A row with any number of references."""
    return st.tuples(KINDS[kind], st.lists(KINDS[kind], min_size=1, max_size=3))


def rows_of(kind):
    return st.lists(row_of(kind), max_size=4)


ROWS = EVERY_KIND.flatmap(lambda kind: st.tuples(st.just(kind), rows_of(kind)))

# Columns that no call takes.
BAD = st.sampled_from(
    [
        ([None], [["a"]]), (["a"], [[]]), (["a"], [[None]]), (["a", "b"], [["a"]]), ([b"a"], [["a"]]), (["a"], [[1]]),
        (["\ud83d"], [["a"]]), (["a", ["b"]], [["a"], ["b"]]), ([1.5], [["a"]]), ("a", ["a"]), (None, [["a"]]), (5, 5),
        ([["a", 1]], [[["a"]]]), ([[["a"]]], [[["a"]]]),
    ]
)  # fmt: skip


def fail(text):
    raise RuntimeError("no such model")


def interrupt(text):
    raise KeyboardInterrupt


# Options that make a call of `compute` fail, at its beginning, in its middle or at its end.
FAILING = st.sampled_from(
    [
        {"tokenize": fail}, {"tokenize": interrupt}, {"tokenize": lambda text: None}, {"tokenise": "zh"}, {"max_order": 0},
        {"tokenize": "13b"}, {"max_order": 30, "smooth_method": "none"},
    ]
)  # fmt: skip


def columns(rows):
    return {"predictions": [prediction for prediction, _ in rows], "references": [references for _, references in rows]}


class Buffer(RuleBasedStateMachine):
    """`rows` and `kind` are the model: what was added since the last result, and of what kind it is."""

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

    @rule(row=EVERY_KIND.flatmap(lambda kind: st.tuples(st.just(kind), row_of(kind))))
    def add(self, row):
        kind, (prediction, references) = row
        with contextlib.nullcontext() if self.fits(kind) else pytest.raises(TypeError):
            self.bleu.add(prediction=prediction, reference=references)
            self.was_added(kind, [(prediction, references)])

    @rule(batch=ROWS)
    def add_batch(self, batch):
        kind, rows = batch
        with contextlib.nullcontext() if self.fits(kind) or not rows else pytest.raises(TypeError):
            self.bleu.add_batch(**columns(rows))
            self.was_added(kind, rows)

    @rule(bad=BAD, call=st.sampled_from(["add_batch", "compute"]))
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
    def a_column_that_there_isnt(self):
        with pytest.raises(TypeError):
            self.bleu.add_batch(sources=["a"])

    @rule(options=FAILING, batch=st.none() | ROWS)
    def a_compute_that_fails(self, options, batch):
        """Rows of the failed call aren't counted later."""
        with warnings.catch_warnings(), pytest.raises((Exception, KeyboardInterrupt)):  # noqa: PT012
            warnings.simplefilter("error", UserWarning)
            self.bleu.compute(**(columns(batch[1]) if batch else {}), **options)

    @precondition(lambda self: hasattr(os, "fork"))
    @rule(batch=ROWS, times=st.sampled_from([1, 200]), room=st.sampled_from([0, 2000]))
    def a_full_disk_in_a_batch(self, batch, times, room):
        """The batch is there as a whole if the call returned, and not at all if it failed."""
        kind, rows = batch[0], batch[1] * times
        with contextlib.suppress(OSError, TypeError), full_disk(room):
            self.bleu.add_batch(**columns(rows))
            self.was_added(kind, rows)

    @precondition(lambda self: self.rows and hasattr(os, "fork"))
    @rule(room=st.sampled_from([0, 2000]))
    def a_full_disk_in_compute(self, room):
        with contextlib.suppress(OSError), full_disk(room):
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
        """It has all rows; neither its use nor its end touches the original."""
        other = make(self.bleu)
        assert len(other) == len(self.rows)
        if use:
            self.add_and_compute(other)
        del other
        gc.collect()

    @precondition(lambda self: hasattr(os, "fork"))
    @rule(use=st.booleans())
    def a_forked_process(self, use):
        """The object goes in the child, after an addition and a result of its own."""
        child = os.fork()
        if not child:
            status = 1
            try:
                if use:
                    self.add_and_compute(self.bleu)
                del self.bleu
                gc.collect()
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0

    def add_and_compute(self, other):
        more = self.rows or [("a", ["a"])]
        other.add_batch(**columns(more))
        assert other.compute(segments=True) == self.fresh.compute(**columns(self.rows + more), segments=True)

    @rule()
    def the_garbage_goes(self):
        gc.collect()

    @invariant()
    def the_length_is_the_models(self):
        if hasattr(self, "bleu"):
            assert len(self.bleu) == len(self.rows)

    def teardown(self):
        """Whatever came before, the object can be used; when it goes, nothing is left."""
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
def test_the_buffer_is_a_list_of_rows(load, monkeypatch):
    """An eighth as many examples as the profile has; batches of two rows are written at once."""
    Buffer.metric = type(metric := load())
    monkeypatch.setattr(sys.modules[type(metric._buffer).__module__], "_FEW", 2)
    chosen = settings(
        max_examples=max(1, settings().max_examples // 8), stateful_step_count=30, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(Buffer, settings=chosen)
