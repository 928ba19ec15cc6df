"""When a kernel runs instead of the Python implementation: by the test's own clock, and in processes."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from bleu import bleu_twins
from bleu.bleu_compiler import COMPILED
from bleu.bleu_twins import Twins
from helpers import ROOT, run_python

needs_numba = pytest.mark.skipif(not COMPILED, reason="numba can't be imported")
MEGABYTE = np.zeros(10**6, np.uint8)
COMPILING, STARTING, LOADING = 5.0, 0.2, 0.02  # seconds


class World:
    """A definition that takes a second a megabyte, and a twin on a machine that has compiled it before or hasn't.

    numba is new in the process, or was started by another twin.
    """

    def __init__(self, folder, monkeypatch, on_disk=False, started=False):
        self.now, self.calls = 0.0, []
        monkeypatch.setattr(Twins, "_has_started", started)
        if on_disk:
            version = "py{}{}".format(*sys.version_info)
            (folder / f"room.kernel-7.{version}.nbi").touch()
        monkeypatch.setattr(bleu_twins, "perf_counter", lambda: self.now)
        kernel = SimpleNamespace(__name__="kernel", stats=SimpleNamespace(cache_path=str(folder)))
        self.twins = Twins(
            self.definition, self.twin, kernel=kernel, example=(MEGABYTE[:1],),
            seconds_to_compile=COMPILING, seconds_a_megabyte=1.0,
        )  # fmt: skip

    def definition(self, data):
        self.now += len(data) / 1e6
        self.calls.append("definition")

    def twin(self, data):
        time.sleep(0.001)  # other threads come in meanwhile
        self.calls.append("compiles" if "compiles" not in self.calls else "twin")


@pytest.fixture
def world(tmp_path, monkeypatch):
    return lambda **machine: World(tmp_path, monkeypatch, **machine)


@needs_numba
class TestWhenItPays:
    @pytest.mark.parametrize(
        ("machine", "sizes", "expected"),
        [
            ({}, [0.001], ["definition"]),
            ({}, [4.9], ["definition"]),
            ({}, [5.1], ["compiles", "twin"]),
            ({}, [2, 2, 2], ["definition", "definition", "compiles", "twin"]),
            ({}, [2, 2, 0.5, 0.6], [*["definition"] * 3, "compiles", "twin"]),
            ({}, [6, 0.001], ["compiles", "twin", "twin"]),
            ({"started": True}, [4.9], ["definition"]),
            ({"on_disk": True}, [0.001], ["definition"]),
            ({"on_disk": True}, [0.3], ["compiles", "twin"]),
            ({"on_disk": True}, [0.1, 0.09, 0.09], [*["definition"] * 2, "compiles", "twin"]),
            ({"on_disk": True, "started": True}, [0.019], ["definition"]),
            ({"on_disk": True, "started": True}, [0.019, 0.002], ["definition", "compiles", "twin"]),
        ],
    )
    def test_a_machine_that_compiled_it_before_or_not(self, world, machine, sizes, expected):
        """`sizes` are the calls' megabytes, a second each by the definition."""
        new = world(**machine)
        for size in sizes:
            new.twins(MEGABYTE.repeat(7)[: int(size * 1e6)])
        assert new.calls == expected

    @pytest.mark.parametrize("size", [0.003, 0.4, 4.99, 12])
    @pytest.mark.parametrize(
        ("machine", "cost"),
        [({}, COMPILING), ({"on_disk": True}, STARTING), ({"on_disk": True, "started": True}, LOADING)],
    )
    def test_never_twice_the_time_of_the_better_choice(self, world, machine, cost, size):
        """Whatever the sizes and the number of calls; plus one call of the definition at most, no longer than compiling takes."""
        new = world(**machine)
        for calls in range(1, 3000 if size < 0.1 else 60):
            new.twins(np.empty(int(size * 1e6), np.uint8))
            taken = new.now + cost * ("compiles" in new.calls)
            assert taken <= 2 * min(calls * size, cost) + 1e-9

    def test_threads_compile_once(self, world):
        new = world()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: new.twins.warm_up(), range(50)))
        assert new.calls == ["compiles"]

    def test_a_corpus_is_known_before_its_batches(self, world):
        new = world()
        assert new.twins.get_ready(np.empty(6 * 10**6, np.uint8))
        assert new.calls == ["compiles"]

    def test_a_definition_that_fails_was_paid_for(self, world):
        new = world()
        with pytest.raises(TypeError):
            new.twins(MEGABYTE, MEGABYTE)
        assert new.calls == []
        new.twins(MEGABYTE)
        assert new.calls == ["definition"]


@pytest.mark.parametrize("shown", [True, False])
@needs_numba
def test_compiling_is_said_in_one_line(world, shown, capsys, monkeypatch):
    monkeypatch.setattr(bleu_twins, "are_progress_bars_disabled", lambda: not shown)
    for on_disk in (False, True):
        world(on_disk=on_disk).twins.warm_up()
    assert capsys.readouterr().err == "bleu_metric compiles kernel, once on this machine.\n" * shown


@needs_numba
def test_what_python_cannot_read_goes_to_the_kernel(load):
    """One rule for invalid bytes, however small the corpus is: they are counted as they are."""
    bytes_ = pa.array([b"a b \xff d"]).cast(pa.binary()).view(pa.string())
    for _ in range(2):
        assert load().compute(predictions=bytes_, references=bytes_)["score"] == pytest.approx(100)


COMMON = """
import contextlib, io, json, sys
import evaluate
bleu = evaluate.load(sys.argv[1])
predictions, references = ["the cat sat on the mat"], [["the cat sat on a mat", "a cat sat there"]]
errors = io.StringIO()
"""


def run(code, cache):
    """What a fresh process writes to stderr while it does something, and how many files the compiler has in its cache."""
    code = f"{COMMON}\nwith contextlib.redirect_stderr(errors):\n    {code}\nprint(json.dumps(errors.getvalue()))"
    said = run_python(code, ROOT / "bleu_metric.py", NUMBA_CACHE_DIR=str(cache))
    return said, sorted(path.name for path in cache.rglob("*.nb*"))


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
        said, first = run("bleu.warm_up()", tmp_path)
        assert said.count("\n") == said.count("once on this machine.") == 5
        calls = "bleu.warm_up(); bleu.compute(predictions=predictions * 9000, references=references * 9000, lowercase=True); bleu.pairwise(predictions * 300)"
        said, second = run(calls, tmp_path)
        assert said == ""
        assert second == first

    def test_a_large_corpus_compiles_at_once(self, tmp_path):
        said, files = run("bleu.compute(predictions=predictions * 300000, references=references * 300000)", tmp_path)
        assert said == "bleu_metric compiles count_rows, once on this machine.\n"
        assert files


def test_warm_up_without_numba():
    code = "import evaluate, sys; bleu = evaluate.load(sys.argv[1]); bleu.warm_up(); print(0)"
    assert run_python(code, ROOT / "bleu_metric.py", NUMBA_DISABLE_JIT="1") == 0
