"""The decision to compile and run a kernel, by a simulated clock and in processes."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from bleu import bleu_twins
from bleu.bleu_twins import Twins
from conftest import needs_numba
from helpers import ROOT, make_string_array, run_python

MEGABYTE = np.zeros(10**6, np.uint8)
COMPILING, STARTING, LOADING = 5.0, 0.2, 0.02  # seconds


class Machine:
    """A Python implementation that takes one second per megabyte, and a kernel that was compiled before or not.

    numba is new in the process, or another kernel has started it.
    """

    def __init__(self, folder, monkeypatch, on_disk=False, started=False):
        self.now, self.calls = 0.0, []
        monkeypatch.setattr(Twins, "_has_started", started)
        if on_disk:
            version = "py{}{}".format(*sys.version_info)
            (folder / f"module.kernel-7.{version}.nbi").touch()
        monkeypatch.setattr(bleu_twins, "perf_counter", lambda: self.now)
        kernel = SimpleNamespace(__name__="kernel", stats=SimpleNamespace(cache_path=str(folder)))
        self.dispatcher = Twins(
            self.python, self.kernel_call, kernel=kernel, example=(MEGABYTE[:1],),
            seconds_to_compile=COMPILING, seconds_a_megabyte=1.0,
        )  # fmt: skip

    def python(self, data):
        self.now += len(data) / 1e6
        self.calls.append("python")

    def kernel_call(self, data):
        time.sleep(0.001)  # other threads run meanwhile
        self.calls.append("compiles" if "compiles" not in self.calls else "kernel")


@pytest.fixture
def make_machine(tmp_path, monkeypatch):
    return lambda **machine: Machine(tmp_path, monkeypatch, **machine)


@needs_numba
class TestDecision:
    @pytest.mark.parametrize(
        ("machine", "sizes", "expected"),
        [
            ({}, [0.001], ["python"]),
            ({}, [4.9], ["python"]),
            ({}, [5.1], ["compiles", "kernel"]),
            ({}, [2, 2, 2], ["python", "python", "compiles", "kernel"]),
            ({}, [2, 2, 0.5, 0.6], [*["python"] * 3, "compiles", "kernel"]),
            ({}, [6, 0.001], ["compiles", "kernel", "kernel"]),
            ({"started": True}, [4.9], ["python"]),
            ({"on_disk": True}, [0.001], ["python"]),
            ({"on_disk": True}, [0.3], ["compiles", "kernel"]),
            ({"on_disk": True}, [0.1, 0.09, 0.09], [*["python"] * 2, "compiles", "kernel"]),
            ({"on_disk": True, "started": True}, [0.019], ["python"]),
            ({"on_disk": True, "started": True}, [0.019, 0.002], ["python", "compiles", "kernel"]),
        ],
    )
    def test_a_machine_that_compiled_it_before_or_not(self, make_machine, machine, sizes, expected):
        """`sizes` are the megabytes of each call; a megabyte takes the Python implementation one second."""
        new = make_machine(**machine)
        for size in sizes:
            new.dispatcher(MEGABYTE.repeat(7)[: int(size * 1e6)])
        assert new.calls == expected

    @pytest.mark.parametrize("size", [0.003, 0.4, 4.99, 12])
    @pytest.mark.parametrize(
        ("machine", "cost"),
        [({}, COMPILING), ({"on_disk": True}, STARTING), ({"on_disk": True, "started": True}, LOADING)],
    )
    def test_never_twice_the_time_of_the_better_choice(self, make_machine, machine, cost, size):
        """Holds for any sizes and number of calls, up to one call in Python that is no longer than compiling."""
        new = make_machine(**machine)
        for calls in range(1, 3000 if size < 0.1 else 60):
            new.dispatcher(np.empty(int(size * 1e6), np.uint8))
            taken = new.now + cost * ("compiles" in new.calls)
            assert taken <= 2 * min(calls * size, cost) + 1e-9

    def test_threads_compile_once(self, make_machine):
        new = make_machine()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: new.dispatcher.warm_up(), range(50)))
        assert new.calls == ["compiles"]

    def test_a_corpus_counts_as_a_whole_before_its_batches(self, make_machine):
        new = make_machine()
        assert new.dispatcher.get_ready(np.empty(6 * 10**6, np.uint8))
        assert new.calls == ["compiles"]

    def test_a_failing_python_implementation_costs_its_time(self, make_machine):
        new = make_machine()
        with pytest.raises(TypeError):
            new.dispatcher(MEGABYTE, MEGABYTE)
        assert new.calls == []
        new.dispatcher(MEGABYTE)
        assert new.calls == ["python"]


@pytest.mark.parametrize("shown", [True, False])
@needs_numba
def test_compiling_prints_one_line(make_machine, shown, capsys, monkeypatch):
    monkeypatch.setattr(bleu_twins, "are_progress_bars_disabled", lambda: not shown)
    for on_disk in (False, True):
        make_machine(on_disk=on_disk).dispatcher.warm_up()
    assert capsys.readouterr().err == "bleu_metric compiles kernel, once on this machine.\n" * shown


@needs_numba
def test_bytes_that_python_cannot_read_go_to_the_kernel(load):
    """Invalid bytes are counted as they are in a corpus of any size."""
    texts = make_string_array([b"a b \xff d"])
    for _ in range(2):
        assert load().compute(predictions=texts, references=texts)["score"] == pytest.approx(100)


COMMON = """
import contextlib, io, json, sys
import evaluate
bleu = evaluate.load(sys.argv[1])
predictions, references = ["the cat sat on the mat"], [["the cat sat on a mat", "a cat sat there"]]
errors = io.StringIO()
"""


def run(code, cache):
    """Run code in a fresh process; return its stderr, and the names of the files in numba's cache."""
    code = f"{COMMON}\nwith contextlib.redirect_stderr(errors):\n    {code}\nprint(json.dumps(errors.getvalue()))"
    stderr = run_python(code, ROOT / "bleu_metric.py", NUMBA_CACHE_DIR=str(cache))
    return stderr, sorted(path.name for path in cache.rglob("*.nb*"))


@pytest.mark.slow
@needs_numba
class TestProcesses:
    def test_no_compile_for_one_sentence(self, tmp_path):
        calls = [
            "bleu.compute(predictions=predictions, references=references)",
            "bleu.compute(predictions=predictions, references=references, lowercase=True)",
            "bleu.explain(predictions[0], references[0])",
            "bleu.pairwise(predictions * 3)",
            "bleu.self_bleu(predictions * 3)",
            "bleu.conventions(predictions, references)",
            "bleu.reconcile(predictions, references, 50)",
            "bleu.diff(predictions, predictions, references)",
            "bleu.compare({'A': predictions, 'B': predictions}, references)",
        ]
        assert run("; ".join(calls), tmp_path) == ("", [])

    def test_a_second_process_compiles_nothing(self, tmp_path):
        stderr, first = run("bleu.warm_up()", tmp_path)
        assert stderr.count("\n") == stderr.count("once on this machine.") == 5
        calls = "bleu.warm_up(); bleu.compute(predictions=predictions * 9000, references=references * 9000, lowercase=True); bleu.pairwise(predictions * 300)"
        stderr, second = run(calls, tmp_path)
        assert stderr == ""
        assert second == first

    def test_a_large_corpus_compiles_at_once(self, tmp_path):
        stderr, files = run("bleu.compute(predictions=predictions * 300000, references=references * 300000)", tmp_path)
        assert stderr == "bleu_metric compiles count_rows, once on this machine.\n"
        assert files


def test_warm_up_without_numba():
    code = "import evaluate, sys; bleu = evaluate.load(sys.argv[1]); bleu.warm_up(); print(0)"
    assert run_python(code, ROOT / "bleu_metric.py", NUMBA_DISABLE_JIT="1") == 0
