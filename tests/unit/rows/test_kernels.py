"""The decision to compile the kernels, numba's cache, forks and threads; in this process and in processes of their own."""

import json
import os
import random
import re
import shutil
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import datasets
import pytest
from bleu.bleu_core.methods.pairwise import score_against_others, score_pairs
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rows import compiling
from bleu.bleu_core.rows import kernels as kernels_file
from bleu.bleu_core.text.read import read_corpus, read_texts
from both_ways import count
from conftest import needs_numba
from helpers import ROOT, run_python

WORTH = 2_000_000  # bytes of text
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork is not available")


@pytest.fixture
def kernels(monkeypatch):
    """Return `compiling` as it is at the start of a process: before any text, without compiled kernels."""
    for name, value in {"_bytes_seen": 0, "_is_ready": False, "_can_compile": True}.items():
        monkeypatch.setattr(compiling, name, value)
    for function in [*compiling._kernels, *compiling._helpers, *compiling._intrinsics]:
        monkeypatch.setattr(kernels_file, function.__name__, function)
    return compiling


@pytest.fixture
def compiled(kernels, monkeypatch):
    """Return the list of compilations; a compilation only takes a while."""
    calls = []

    def compile_all():
        calls.append("started")
        time.sleep(0.3)
        calls.append("ended")

    monkeypatch.setattr(kernels, "_compile_all", compile_all)
    return calls


# Sizes of the texts of consecutive calls, and the number of calls that run without the kernels.
SIZES = {
    "a sentence": ([100], 1),
    "ten tenths and a byte more": ([WORTH // 10] * 10 + [1], 10),
    "just not enough": ([WORTH], 1),
    "a large corpus": ([WORTH + 1], 0),
    "a small one after it": ([WORTH + 1, 1], 0),
    "small ones before it": ([1000, 1000, WORTH], 2),
}


@pytest.mark.parametrize(("sizes", "python_calls"), SIZES.values(), ids=SIZES)
def test_the_bytes_of_the_process_decide(kernels, monkeypatch, sizes, python_calls):
    monkeypatch.setattr(
        kernels, "warm_up", lambda: monkeypatch.setattr(kernels, "_is_ready", True) or True
    )
    assert [kernels.compile_if_worthwhile(size) for size in sizes] == [
        i >= python_calls for i in range(len(sizes))
    ]
    assert kernels.is_ready() == (python_calls < len(sizes))


def test_a_process_that_cannot_compile_never_has_kernels(kernels, monkeypatch):
    monkeypatch.setattr(kernels, "warm_up", lambda: False)
    assert [kernels.compile_if_worthwhile(WORTH + 1) for _ in range(3)] == [False] * 3


def test_every_method_adds_to_the_bytes_of_the_process(kernels, monkeypatch):
    """Kernels are for all methods, so that a little text in each of them adds up."""
    monkeypatch.setattr(kernels, "warm_up", lambda: False)
    texts, seen = ["one two three four"] * 20, [0]
    for call in (
        lambda: count(read_corpus(texts, texts)),
        lambda: score_pairs(read_texts(texts=texts), Options()),
        lambda: score_against_others(read_texts(texts=texts), Options()),
    ):
        call()
        seen.append(kernels._bytes_seen)
    assert sorted(set(seen)) == seen


@needs_numba
def test_threads_compile_once(kernels, compiled):
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: kernels.compile_if_worthwhile(WORTH + 1), range(50)))
    assert compiled == ["started", "ended"]


@needs_numba
@pytest.mark.parametrize(
    ("own", "others", "has_bars", "lines"), [(3, 0, True, 1), (3, 0, False, 0), (0, 3, True, 0), (0, 0, True, 0)],
    ids=["compiles", "without progress bars", "other code compiles", "loads"],
)  # fmt: skip
def test_a_line_if_numba_compiles(kernels, capsys, monkeypatch, own, others, has_bars, lines):
    """One line for all kernels; none if they are in numba's cache, however slowly they load."""
    from numba.core import event

    def make_events():
        for function in (kernels._kernels[0],) * own + (json.dumps,) * others:
            with event.trigger_event(
                "numba:compile", {"dispatcher": SimpleNamespace(py_func=function)}
            ):
                pass

    monkeypatch.setattr(kernels, "_compile_all", make_events)
    if not has_bars:
        datasets.disable_progress_bars()
    try:
        assert kernels.warm_up()
    finally:
        datasets.enable_progress_bars()
    output = capsys.readouterr()
    line = (
        "bleu_metric: compiling the counting kernels (once per machine, takes a few seconds) ...\n"
    )
    assert (output.err, output.out) == (line * lines, "")


@needs_numba
@posix
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # Python 3.12 on forks of processes with threads
def test_a_fork_while_a_thread_compiles(kernels, compiled):
    """The fork waits until the kernels are ready, and the child has them: it would wait forever for the thread."""
    thread = threading.Thread(target=kernels.warm_up)
    thread.start()
    while not compiled:
        time.sleep(0.001)
    process = os.fork()
    if not process:
        import signal

        signal.alarm(20)  # end a child that waits forever
        os._exit(not (kernels.warm_up() and compiled == ["started", "ended"]))
    thread.join()
    assert os.waitpid(process, 0)[1] == 0


@needs_numba
@pytest.mark.parametrize("error", [RuntimeError("a bug of numba"), KeyboardInterrupt()], ids=repr)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_after_a_compilation_that_failed(kernels, monkeypatch, error):
    """Small calls still run the Python implementations, and the next large one compiles again."""

    def fail(*arguments, rule):
        raise error

    monkeypatch.setattr(kernels_file, "count_rows_compiled", fail)
    for _ in range(2):
        with pytest.raises(type(error)):
            kernels.compile_if_worthwhile(WORTH + 1)
        assert not kernels.is_ready()
        assert kernels_file._count_common in kernels._kernels  # the Python function
    monkeypatch.setattr(kernels_file, "count_rows_compiled", lambda *arguments, rule: None)
    monkeypatch.setattr(kernels_file, "split_texts_compiled", lambda *arguments: None)
    assert kernels.compile_if_worthwhile(1)


# Processes: what is imported, compiled, written and said.

START = """
import contextlib, io, json, sys, warnings
import evaluate
bleu = evaluate.load(sys.argv[1])
predictions, references = ["the cat sat on the mat"], [["the cat sat on a mat", "a cat sat there"]]
errors = io.StringIO()
with contextlib.redirect_stderr(errors), warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
"""
END = """
scores = [bleu.compute(predictions=predictions, references=references)["score"], *bleu.pairwise(predictions * 2)[0]]
messages = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
print(json.dumps([errors.getvalue(), messages, "numba" in sys.modules, scores]))
"""
SCORES = [pytest.approx(53.7285, abs=1e-4), 1, 1]  # the first one from sacreBLEU
LINE = "bleu_metric: compiling the counting kernels (once per machine, takes a few seconds) ...\n"


def run(code, cache, **environment):
    """Run code in a process of its own; return its stderr, its warnings, and whether it has imported numba."""
    code = START + textwrap.indent(code, "    ") + END
    *result, scores = run_python(
        code, ROOT / "bleu_metric.py", NUMBA_CACHE_DIR=str(cache), **environment
    )
    assert scores == SCORES
    return result


def read_cache(cache):
    """Return the files in numba's cache with their times and sizes."""
    return {
        path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in cache.rglob("*.nb*")
    }


ONE_SENTENCE = """
bleu.compute(predictions=predictions, references=references)
bleu.compute(predictions=predictions, references=references, lowercase=True, tokenize="zh", confidence=0.95)
bleu.add(prediction=predictions[0], reference=references[0])
bleu.compute()
bleu.compute(statistics=bleu.statistics(predictions=predictions, references=references))
bleu.explain(predictions[0], references[0])
bleu.pairwise(predictions * 3)
bleu.self_bleu(predictions * 3)
bleu.reconcile(predictions, references)
bleu.reconcile(predictions, references, 50)
bleu.diff({"A": predictions, "B": predictions}, references)
bleu.compare({"A": predictions, "B": predictions}, references)
"""


@pytest.mark.processes
def test_one_sentence_needs_no_numba(tmp_path):
    """No method imports numba, which takes longer than the sentence, or compiles, writes or says anything."""
    stderr, _, has_numba = run(ONE_SENTENCE, tmp_path)
    said = re.sub(r"\rreconcile, round[^\r\n]*\n?", "", stderr)  # a progress bar, on a busy machine
    assert (said, has_numba, read_cache(tmp_path)) == ("", False, {})


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory):
    """Return the folder of numba's cache after a first process."""
    cache = tmp_path_factory.mktemp("numba")
    assert run("bleu.warm_up()", cache)[1:] == [[], True]
    return cache


LARGE = "bleu.compute(predictions=predictions * 30_000, references=references * 30_000)"


@needs_numba
@pytest.mark.slow
@pytest.mark.processes
class TestProcesses:
    def test_a_second_process_compiles_nothing(self, warm_cache):
        first = read_cache(warm_cache)
        assert first
        assert run("bleu.warm_up()\nbleu.pairwise(predictions * 300)\n" + LARGE, warm_cache)[
            1:
        ] == [[], True]
        assert read_cache(warm_cache) == first

    def test_a_large_corpus_compiles_at_once(self, tmp_path):
        assert run(LARGE, tmp_path) == [LINE, [], True]
        assert read_cache(tmp_path)

    @pytest.mark.parametrize(
        ("suffix", "size"), [(".nbi", 0), (".nbc", 100)], ids=["index", "data"]
    )
    def test_truncated_files_in_the_cache(self, warm_cache, tmp_path, suffix, size):
        """A disk that was full when a process wrote the cache: each process compiles, and names the folder."""
        shutil.copytree(warm_cache, tmp_path, dirs_exist_ok=True)
        for path in tmp_path.rglob(f"*{suffix}"):
            path.write_bytes(path.read_bytes()[:size])
        _, messages, _ = run(LARGE, tmp_path)
        assert len(messages) == 1
        assert "numba's cache is not usable" in messages[0]
        assert str(tmp_path) in messages[0]

    @pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
    def test_random_bytes_in_the_cache(self, warm_cache, tmp_path, suffix):
        shutil.copytree(warm_cache, tmp_path, dirs_exist_ok=True)
        for path in tmp_path.rglob(f"*{suffix}"):
            path.write_bytes(random.Random(path.name).randbytes(path.stat().st_size))
        _, messages, _ = run(LARGE, tmp_path)
        assert len(messages) == 1
        assert "numba's cache is not usable" in messages[0]
        assert str(tmp_path) in messages[0]

    @posix
    def test_a_fork_while_a_thread_compiles_in_earnest(self, tmp_path):
        """The child has the kernels, or compiles; it ends within the time limit of `run`."""
        code = """
import os, signal, threading, time
thread = threading.Thread(target=bleu.warm_up)
thread.start()
time.sleep(0.5)
process = os.fork()
if not process:
    signal.alarm(120)
    os._exit(bleu.compute(predictions=predictions * 30_000, references=references * 30_000)["translation_length"] != 180_000)
thread.join()
assert os.waitpid(process, 0)[1] == 0
"""
        assert run(code, tmp_path)[2]

    @posix
    def test_a_cache_that_cannot_be_written(self, tmp_path):
        _, messages, _ = run(
            "import helpers\nwith helpers.full_disk():\n    bleu.warm_up()", tmp_path
        )
        assert len(messages) == 1
        assert "numba's cache is not usable" in messages[0]
        assert str(tmp_path) in messages[0]

    @posix
    def test_a_cache_without_a_folder(self, tmp_path):
        """No folder that numba tries can be made: those are files already."""
        module = (
            "import os; folder = os.path.dirname(sys.modules[type(bleu).__module__].__file__)\n"
        )
        code = "import shutil; shutil.rmtree(os.path.join(folder, '__pycache__'), ignore_errors=True)\n"
        code += "open(os.path.join(folder, '__pycache__'), 'w').close()\n"
        (file := tmp_path / "file").touch()
        home = {
            "HF_HOME": str(tmp_path),
            "HF_MODULES_CACHE": str(tmp_path / "modules"),
            "XDG_CACHE_HOME": str(file),
        }
        _, messages, _ = run(module + code + LARGE, file, **home)
        assert len(messages) == 1
        assert str(file) in messages[0]


WITHOUT_NUMBA = os.pathsep.join([str(ROOT / "tests" / "without_numba"), str(ROOT / "tests")])
# Environments without a compiler, and the number of warnings per process.
WITHOUT = [
    pytest.param({"NUMBA_DISABLE_JIT": "1"}, 0, marks=needs_numba, id="NUMBA_DISABLE_JIT"),
    pytest.param({"PYTHONPATH": WITHOUT_NUMBA}, 1, id="not installed"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "warnings"), WITHOUT)
@pytest.mark.processes
def test_without_a_compiler(tmp_path, environment, warnings):
    """All calls run the Python implementations; a warning says once that numba is missing."""
    stderr, messages, _ = run("bleu.warm_up()\n" + LARGE, tmp_path, **environment)
    assert (stderr, read_cache(tmp_path)) == ("", {})
    assert [message[:23] for message in messages] == ["numba can't be imported"] * warnings
