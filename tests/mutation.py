"""Changes the metric's code in one place at a time, and counts how many changes no test notices.

    python tests/mutation.py [--sample 500] [--seed 1] [--workers 2] [--files bleu_options.py ...] [--only FILE:LINE ...]

Prints each change that survives, with its place, and the share that died. `--only` tries the changes of the same sample
again that are at these places, where tests have been added. Tests that fail on the unchanged code, start processes, or
take longer than two seconds are left out; a change within a function is shown to the tests that call it, others to all.
Libraries are imported once: a mutant is a fork of that process. POSIX only.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOT_BY_DEFAULT = {"bleu_unicode.py", "bleu_description.py", "bleu_plots.py"}  # tables; prose; the second tier's
SLOW = 2.0  # seconds
STARTS_PROCESSES = {"python", "script", "result_of", "Popen", "run_state_machine_as_test"}


class Mutant(NamedTuple):
    file: str
    line: int
    before: str
    after: str
    source: str
    function: int | None  # the first line of the function around it


OPERATORS = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt,), ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.Mult,), ast.Pow: (ast.Mult,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
    ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,), ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}


def replaced(node, **fields):
    return type(node)(**{**{name: getattr(node, name) for name in node._fields}, **fields})


def mutations(node, in_fstring):
    """What may stand in a node's place."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in OPERATORS[type(operator)]:
                yield replaced(node, ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])
    elif isinstance(node, (ast.BinOp, ast.BoolOp)):
        for other in OPERATORS.get(type(node.op), ()):
            yield replaced(node, op=other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand
    elif isinstance(node, ast.Constant) and not in_fstring:
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int):
            yield from (ast.Constant(node.value + 1), ast.Constant(node.value - 1))
        elif isinstance(node.value, float):
            yield ast.Constant(2 * node.value + 1)
        elif isinstance(node.value, str) and node.value.isidentifier():
            yield ast.Constant(node.value + "_")
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield ast.Name(NAMES[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield replaced(node, attr=NAMES[node.attr])
    elif isinstance(node, ast.Call):
        for i in range(len(node.keywords)):
            yield replaced(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        return  # their tests are expressions of their own
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Raise, ast.Continue, ast.Break)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None:
        yield ast.Return(ast.Constant(None))


def conditions(node):
    return [node.test] if isinstance(node, (ast.If, ast.While, ast.IfExp)) else getattr(node, "ifs", [])


def mutated_nodes(node, in_fstring=False):
    """Each node that can be changed and what may stand in its place; annotations are left alone."""
    for other in mutations(node, in_fstring):
        yield node, other
    for condition in conditions(node):
        yield condition, ast.UnaryOp(ast.Not(), condition)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and name not in ("annotation", "returns") and not is_docstring:
                in_text = isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)
                yield from mutated_nodes(child, in_text)


def mutants(path):
    source = path.read_text(encoding="utf-8")
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text, tree = b"".join(lines), ast.parse(source)
    functions = {line: first for first, last in spans_of_functions(tree) for line in range(first, last + 1)}
    for node, other in mutated_nodes(tree):
        if not hasattr(node, "lineno"):
            continue
        begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        new = ast.unparse(ast.fix_missing_locations(other))
        if isinstance(node, ast.expr) and not isinstance(node, (ast.Constant, ast.Name, ast.Attribute)):
            new = f"({new})"
        changed = text[:begin] + new.encode() + text[end:]
        try:
            compile(changed, path.name, "exec")
        except SyntaxError:
            continue
        before = " ".join(text[begin:end].decode().split())
        yield Mutant(path.name, node.lineno, before, new, changed.decode(), functions.get(node.lineno))


def spans_of_functions(tree):
    """First and last line of each function, as its code object counts them; outer ones first."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), node.end_lineno


class Selection:
    """A pytest plugin: which tests run, in which order, and how they ended."""

    def __init__(self, seconds=None, traces=False):
        self.seconds, self.traces, self.passed, self.calls = seconds, traces, {}, {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        """Which functions a test calls, if that is asked for."""
        codes = {}

        def note(frame, event, argument):
            codes[id(frame.f_code)] = frame.f_code

        if self.traces:
            threading.settrace(note)
            sys.settrace(note)
        yield
        sys.settrace(None)
        threading.settrace(None)
        places = {f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}" for code in codes.values()}
        self.calls[item.nodeid] = [place for place in places if place.startswith("bleu_")]

    def pytest_collection_modifyitems(self, items):
        if self.seconds is None:
            items[:] = [item for item in items if not STARTS_PROCESSES & names_in(item.function)]
        else:
            items[:] = [item for item in items if item.nodeid in self.seconds]
            items.sort(key=lambda item: self.seconds[item.nodeid])

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed[report.nodeid] = report.duration


def names_in(function):
    return set(getattr(function, "__code__", names_in.__code__).co_names)


def run_tests(folder, selection, output=None, limit=3600, file=""):
    """Forks, runs the tests there and returns their exit code; "time" if they took longer than the limit."""
    child = os.fork()
    if not child:
        os.setsid()
        os.chdir(folder)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        code = pytest.main(
            [*([] if output else ["-x"]), "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--ignore=tests/integration", f"tests/{file}"],
            plugins=[selection],
        )  # fmt: skip
        if output:
            output.write_text(json.dumps([selection.passed, selection.calls]))
        os._exit(int(code))
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "time"


def import_libraries(cache):
    """What every mutant needs, with caches of its own; compiled functions are found again by their file's content."""
    os.environ.update(
        TMPDIR=cache, HF_HOME=cache, HF_EVALUATE_CACHE=f"{cache}/evaluate", HF_MODULES_CACHE=f"{cache}/modules",
        NUMBA_CACHE_DIR=f"{cache}/numba", HF_UPDATE_DOWNLOAD_COUNTS="0", PYTHONDONTWRITEBYTECODE="1",
    )  # fmt: skip
    sys.dont_write_bytecode = True  # a mutant is as long as the original, and perhaps as old
    sys.path.append(f"{cache}/modules")  # a cached kernel names the module it was compiled in, which may be evaluate's
    tempfile.tempdir = cache
    import bleuscore  # noqa: F401
    import hypothesis  # noqa: F401
    import nltk  # noqa: F401
    import pandas  # noqa: F401
    import sacrebleu.metrics  # noqa: F401

    import datasets  # isort: skip # noqa: F401
    import evaluate  # isort: skip # noqa: F401

    try:
        from numba.core import caching
    except ImportError:
        return
    locator = getattr(caching, "UserProvidedCacheLocator", None) or caching._UserProvidedCacheLocator

    def find(self, function, file):
        content = Path(file).read_bytes() if os.path.exists(file) else b""
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._stamp = hashlib.sha256(content).hexdigest()
        self._cache_path = os.path.join(f"{cache}/numba", f"{Path(file).stem}-{self._stamp[:16]}")

    locator.__init__, locator.get_source_stamp = find, lambda self: self._stamp


def copied(folder):
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", "__pycache__", ".hypothesis", ".*_cache"))
    shared = folder.parent / "shared"
    if (ROOT.parent / "shared").exists() and not shared.exists():
        shared.symlink_to(ROOT.parent / "shared")
    return folder


def find_failure(folder, mutant, seconds, calls, limit):
    """The exit code of the first tests that notice a mutant, those of its own room before all others; 0 if none does."""
    place, room_file = f"{mutant.file}:{mutant.function}", mutant.file.replace("bleu_", "test_", 1)
    shown = {test: took for test, took in seconds.items() if mutant.function is None or place in calls[test]}
    of_room = {test: took for test, took in shown.items() if test.startswith(f"tests/{room_file}::")}
    others = sorted(shown.keys() - of_room.keys(), key=shown.get)
    code = run_tests(folder, Selection(of_room), limit=limit, file=room_file) if of_room else 0
    if code == 0 and others:
        code = run_tests(folder, Selection({test: shown[test] for test in others}), limit=limit)
    return code


def work(folder, chosen, seconds, calls, limit, report):
    """Applies one mutant after the other; writes a line for each."""
    with open(report, "w", encoding="utf-8") as lines:
        for mutant in chosen:
            path = folder / mutant.file
            original, start = path.read_bytes(), time.monotonic()
            path.write_text(mutant.source, encoding="utf-8")
            code = find_failure(folder, mutant, seconds, calls, limit)
            path.write_bytes(original)
            died = code != 0
            lines.write(json.dumps([died, time.monotonic() - start, *mutant[:4]]) + "\n")
            lines.flush()
            change = "" if died else f"  {mutant.before}  ->  {mutant.after}"
            print(f"{'died' if died else 'SURVIVED'} {mutant.file}:{mutant.line} {code}{change}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--files", nargs="*")
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    names = given.files or sorted(
        path.name for path in ROOT.glob("bleu_*.py") if path.name not in NOT_BY_DEFAULT and "_compiled" not in path.name
    )
    every = [mutant for name in names for mutant in mutants(ROOT / name)]
    chosen = random.Random(given.seed).sample(every, min(given.sample, len(every)))
    if given.only:
        chosen = [mutant for mutant in chosen if f"{mutant.file}:{mutant.line}" in given.only]
    print(f"{len(chosen)} of {len(every)} mutants of {len(names)} files, seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mutation_") as temporary:
        base = Path(temporary)
        import_libraries(temporary)
        folders = [copied(base / str(worker) / "checkout") for worker in range(given.workers)]
        start = time.monotonic()
        run_tests(folders[0], Selection(), base / "compiled.json")  # compiles, too
        run_tests(folders[0], Selection(traces=True), base / "traced.json")
        run_tests(folders[0], Selection(), base / "passed.json")
        calls = json.loads((base / "traced.json").read_text())[1]
        passed = json.loads((base / "passed.json").read_text())[0]
        seconds = {test: took for test, took in passed.items() if took < SLOW and test in calls}
        limit = 30 + 3 * sum(seconds.values())
        print(f"{len(seconds)} tests, {sum(seconds.values()):.0f} s of {time.monotonic() - start:.0f}", flush=True)
        workers = []
        for i, folder in enumerate(folders):
            if not (child := os.fork()):
                work(folder, chosen[i :: given.workers], seconds, calls, limit, base / f"{i}.jsonl")
                os._exit(0)
            workers.append(child)
        for child in workers:
            os.waitpid(child, 0)
        results = [
            json.loads(line) for i in range(given.workers) for line in (base / f"{i}.jsonl").open(encoding="utf-8")
        ]
    for died, _, file, line, before, after in sorted(results, key=lambda result: result[2:4]):
        if not died:
            print(f"{file}:{line}: {before}  ->  {after}")
    dead, took = sum(result[0] for result in results), sum(result[1] for result in results)
    print(f"{dead} of {len(results)} died, {dead / len(results):.1%}; {took / len(results):.1f} s a mutant and worker")


if __name__ == "__main__":
    main()
