"""The installed package, and objects in processes that never loaded the metric.

`BLEU_METRIC_INSTALLED=1` tests the package that is installed in this environment: `.ci/run` installs the wheel in a fresh
one, and starts the tests in another folder. Otherwise the files are linked as the wheel has them.
"""

import functools
import importlib
import inspect
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import textwrap

import cloudpickle
import dill
import evaluate
import pytest
from bleu.bleu_core.options.option_names import (
    CORPUS_ONLY,
    CorpusOptions,
    LoadArguments,
    ScoringOptions,
    SystemsOptions,
)
from bleu.bleu_core.options.options import OPTIONS
from bleu.bleu_core.shared.pickling import __version__
from bleu.bleu_metric import METHODS, WITHOUT_OPTIONS
from helpers import ROOT
from typed_code import HEAD, RIGHT, WRONG
from types_check import link_package

PREDICTIONS = ["the cat sat on the mat", "a dog ran to the house"]
REFERENCES = [["the cat sat on a mat"], ["the dog ran to a house", "a dog ran home"]]

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder from which a process imports the package; None if it is installed."""
    if os.environ.get("BLEU_METRIC_INSTALLED"):
        return None
    folder = tmp_path_factory.mktemp("site")
    link_package(folder)
    return folder


@pytest.fixture
def run(tmp_path, site):
    """Return a function that runs code in a fresh process, with an empty cache of evaluate's modules."""

    def run_code(code, *, installed=True, cwd=tmp_path, **environment):
        variables = {**os.environ, "HF_MODULES_CACHE": str(tmp_path / "no_modules"), **environment}
        variables.pop("PYTHONPATH", None)
        if site is not None and installed:
            variables["PYTHONPATH"] = str(site)
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
            capture_output=True, text=True, timeout=300, check=False, cwd=cwd, env=variables,
        )  # fmt: skip

    return run_code


needs_links = pytest.mark.skipif(
    bool(os.environ.get("BLEU_METRIC_INSTALLED")), reason="the package is installed here"
)

# --- Import ---------------------------------------------------------------------------------------


def test_an_import_is_enough(run, bleu):
    """The installed class scores as the class of `evaluate.load` does; it takes a convention and options."""
    ran = run(f"""
        from bleu_metric import BleuMetric, BleuWarning, __version__
        bleu = BleuMetric("nltk", lowercase=True)
        print(bleu.compute(predictions={PREDICTIONS!r}, references={REFERENCES!r})["signature"])
        print(BleuMetric().compute(predictions={PREDICTIONS!r}, references={REFERENCES!r})["score"])
        print(bleu, bleu.Warning is BleuWarning, __version__)
    """)
    expected = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
    signature, score, shown = ran.stdout.splitlines()
    assert "case:lc" in signature
    assert float(score) == expected["score"]
    assert shown.startswith("BleuMetric('nltk', lowercase=True) True ")
    assert expected["signature"].endswith(shown.split()[-1])


def test_the_folder_of_the_files_says_what_to_do(run):
    """There, the import finds the file, which has no package around it."""
    ran = run("from bleu_metric import BleuMetric", cwd=ROOT)
    message = ran.stderr.splitlines()[-1]
    assert message == (
        "ImportError: These are the files that evaluate.load('bleu_metric.py') reads. To import BleuMetric, run"
        " `pip install .` in their folder, and start Python in another folder."
    )


# --- Objects in other processes -------------------------------------------------------------------


# A module of the user's that both processes can import: a tokenizer as those of `transformers`.
WORDS = """
class Words:
    pad_token_id = 0

    def batch_decode(self, rows, skip_special_tokens):
        return [" ".join(map(str, row)) for row in rows]
"""
# Two batches of an evaluation; the first is in the state of the callback.
FIRST_IDS = ([[1, 2, 3, 4, 5]], [[1, 2, 3, 4, 6]])
IDS = ([[6, 7, 8, 9]], [[6, 7, 8, 9, 5]])
# What another process does with each object. Each is called with the object and the texts.
USES = {
    "metric": "lambda bleu: bleu.compute(predictions=predictions, references=references)",
    "compute": "lambda compute: compute(predictions=predictions, references=references)",
    "methods": "lambda methods: [method.__name__ for method in methods]",
    "statistics": "lambda statistics: statistics.__self__.compute(statistics=statistics(predictions=predictions, references=references))",
    "drop-in": "lambda bleu: bleu.compute(predictions=predictions, references=references, smooth=True)",
    "rows added": "lambda bleu: [len(bleu), bleu.compute(segments=True), len(bleu)]",
    "repr": "repr",
    "warning": "lambda warning: [str(warning), warning.kind, warning.option, isinstance(warning, UserWarning)]",
    "callback": "lambda callback: [callback(ids), len(callback.history), callback.history[0].num_rows]",
}


@pytest.fixture
def things(load, tmp_path, monkeypatch):
    """Return objects as `evaluate.load` makes them, some of them with a state."""
    (tmp_path / "words.py").write_text(WORDS)
    monkeypatch.syspath_prepend(tmp_path)
    bleu = load("nltk", lowercase=True)
    filled = load(tokenize="intl")
    filled.add(prediction="a b c d e", reference="a b c d f")
    filled.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    warning = bleu.Warning("No match.")
    warning.kind = "no match"
    callback = load().compute_metrics(importlib.import_module("words").Words(), history=True)
    callback(FIRST_IDS, False)
    yield {
        "metric": bleu,
        "compute": bleu.compute,
        "methods": [
            getattr(bleu, name) for name in [*METHODS, *WITHOUT_OPTIONS, "add", "add_batch"]
        ],
        "statistics": bleu.statistics,
        "drop-in": load("bleu"),
        "rows added": filled,
        "repr": filled,
        "warning": warning,
        "callback": callback,
    }
    del sys.modules["words"]


@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_objects_get_to_a_process_that_never_loaded_them(things, run, tmp_path, pickler):
    """It has the package, and uses each object as this process does, with the same results."""
    path = tmp_path / "things.pickle"
    path.write_bytes(pickler.dumps(things))
    texts = {"predictions": PREDICTIONS, "references": REFERENCES, "ids": IDS}
    expected = {name: eval(use, dict(texts))(things[name]) for name, use in USES.items()}
    uses = ", ".join(f"{name!r}: {use}" for name, use in USES.items())
    ran = run(f"""
        import json, pickle, sys
        predictions, references, ids = {tuple(texts.values())!r}
        things = pickle.load(open({str(path)!r}, "rb"))
        uses = {{{uses}}}
        print(json.dumps({{name: use(things[name]) for name, use in uses.items()}}))
        assert not any(name.startswith("evaluate_modules") for name in sys.modules)
    """)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == json.loads(json.dumps(expected))


class UnpicklerElsewhere(pickle.Unpickler):
    """What a process has that never loaded the metric: no module of evaluate's copy."""

    def find_class(self, module, name):
        assert not module.startswith("evaluate_modules"), f"{module}.{name}"
        return super().find_class(module, name)


@pytest.mark.parametrize(
    "pickler", [pickle, cloudpickle, dill], ids=lambda pickler: pickler.__name__
)
@pytest.mark.parametrize("name", [*METHODS, *WITHOUT_OPTIONS, "add", "add_batch"])
def test_methods_refer_to_nothing_of_evaluates_copy(load, monkeypatch, name, pickler):
    """Since Python 3.14, `functools.update_wrapper` copies a function that has the class in its closure."""
    of_this_python = functools.update_wrapper

    def of_314(
        wrapper,
        wrapped,
        assigned=("__module__", "__name__", "__qualname__", "__doc__", "__annotate__"),
    ):
        of_this_python(wrapper, wrapped, assigned)
        if "__annotate__" in assigned:
            wrapper.__annotate__ = lambda _: metric_class.__annotations__

    metric_class = type(load())
    monkeypatch.setattr(functools, "update_wrapper", of_314)
    method = getattr(load(), name)
    loaded = UnpicklerElsewhere(io.BytesIO(pickler.dumps(method))).load()
    assert (loaded.__name__, loaded.__doc__) == (name, method.__doc__)
    assert loaded.__annotations__ == method.__annotations__
    assert inspect.signature(loaded) == inspect.signature(method)


@needs_links
def test_objects_come_back_from_a_process_with_the_package(things, run, tmp_path):
    """This process has evaluate's copy only: each object gets the class that it had before."""
    path = tmp_path / "things.pickle"
    path.write_bytes(pickle.dumps(things))
    ran = run(f"""
        import pickle
        things = pickle.load(open({str(path)!r}, "rb"))
        assert type(things["metric"]).__module__ == "bleu_metric.bleu_metric"
        pickle.dump(things, open({str(path)!r}, "wb"))
    """)
    assert ran.returncode == 0, ran.stderr
    returned = pickle.loads(path.read_bytes())
    for name in ("metric", "warning", "callback"):
        assert type(returned[name]) is type(things[name])
    assert len(returned["rows added"]) == 3


def test_a_process_that_loaded_the_same_files_keeps_its_class(things):
    """As in a fork, or after `evaluate.load` in both: no second class appears."""
    for name in ("metric", "warning", "callback"):
        assert type(pickle.loads(pickle.dumps(things[name]))) is type(things[name])


def test_a_pool_of_spawned_processes(run, tmp_path):
    """They import the package, and get the object with each call."""
    script = tmp_path / "pool.py"
    script.write_text(
        textwrap.dedent(f"""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        if __name__ == "__main__":
            import evaluate

            bleu = evaluate.load({str(ROOT / "bleu_metric.py")!r})
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                table = pool.submit(bleu.statistics, predictions=["a b c d"], references=["a b c d"]).result()
            print(bleu.compute(statistics=table)["score"])
        """)
    )
    ran = run(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")
    assert ran.stdout == "100.0\n", ran.stderr


@needs_links
def test_without_the_package_the_error_says_both_ways_out(load, run, tmp_path):
    """A folder of that name, such as a clone, is not the package."""
    (tmp_path / "bleu_metric").mkdir()
    path = tmp_path / "bleu.pickle"
    path.write_bytes(pickle.dumps(load()))
    ran = run(f"import pickle; pickle.load(open({str(path)!r}, 'rb'))", installed=False)
    assert ran.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: bleu_metric {__version__} is missing in this process. Install the package here, or load"
        " the same files before: evaluate.load('path/to/bleu_metric.py')."
    )
    ran = run(
        f"""
        import pickle, evaluate
        evaluate.load({str(ROOT / "bleu_metric.py")!r})
        print(pickle.load(open({str(path)!r}, 'rb')))
        """,
        installed=False,
    )
    assert ran.stdout == "BleuMetric('default')\n", ran.stderr


@needs_links
def test_evaluates_cache_is_enough(load, run, tmp_path):
    """As with processes of one machine, of which only the first has loaded the metric."""
    path = tmp_path / "bleu.pickle"
    path.write_bytes(pickle.dumps(load()))
    modules = os.environ["HF_MODULES_CACHE"]
    code = f"import pickle; print(pickle.load(open({str(path)!r}, 'rb')))"
    ran = run(code, installed=False, HF_MODULES_CACHE=modules)
    assert ran.stdout == "BleuMetric('default')\n", ran.stderr


@needs_links
def test_another_version_is_an_error(load, run, tmp_path):
    package = link_package(tmp_path)
    version = f'__version__ = "{__version__}"'
    (package / "bleu_core").unlink()  # the link
    shutil.copytree(ROOT / "bleu_core", package / "bleu_core")
    file = package / "bleu_core" / "shared" / "pickling.py"
    text = file.read_text(encoding="utf-8")
    assert version in text
    file.write_text(text.replace(version, '__version__ = "0.9"'), encoding="utf-8")
    path = tmp_path / "bleu.pickle"
    path.write_bytes(pickle.dumps(load()))
    ran = run(f"import pickle; pickle.load(open({str(path)!r}, 'rb'))", installed=False)
    assert ran.stderr.splitlines()[-1] == (
        f"ImportError: This object is from bleu_metric {__version__}, but bleu_metric 0.9 is installed here. Install the"
        " same version."
    )


# --- Types ----------------------------------------------------------------------------------------


def test_mypy_checks_options_and_keys(site, tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    head = HEAD.splitlines()
    (tmp_path / "wrong.py").write_text("\n".join([*head, *WRONG]))
    environment = dict(os.environ)
    if site is not None:
        environment["MYPYPATH"] = str(site)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--ignore-missing-imports", "right.py", "wrong.py"],
        capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path, env=environment,
    )  # fmt: skip
    found = re.findall(r"^(\w+)\.py:(\d+): error: .*\[([\w-]+)\]$", checked.stdout, re.MULTILINE)
    lines = enumerate(WRONG.values(), len(head) + 1)
    assert found == [("wrong", str(line), kind) for line, kind in lines], checked.stdout


def test_the_package_exports_the_types_of_results(run):
    """The classes of all results, and the dicts within them."""
    code = (
        "import json, typing, bleu_metric, bleu_metric.bleu_core.shared.result_types as results\n"
        "from bleu_metric.bleu_metric import RESULT_TYPES\n"
        "dicts = [name for name, one in vars(results).items() if typing.is_typeddict(one) and name[0] != '_']\n"
        "classes = [one.type_.__name__ for one in RESULT_TYPES]\n"
        "print(json.dumps([sorted({*dicts, *classes} - {*bleu_metric.__all__}), all(hasattr(bleu_metric, name) for name in bleu_metric.__all__)]))"
    )
    assert json.loads(run(code).stdout) == [[], True]


def test_the_types_of_options_are_those_of_the_options():
    """One TypedDict per set of options, of which each adds some to the one before."""
    assert set(CorpusOptions.__annotations__) == set(OPTIONS)
    assert set(SystemsOptions.__annotations__) == set(OPTIONS) - {"segments", "n_resamples"}
    assert set(ScoringOptions.__annotations__) == set(OPTIONS) - set(CORPUS_ONLY)
    arguments = set(inspect.signature(evaluate.Metric.__init__).parameters)
    added = set(LoadArguments.__annotations__) - set(OPTIONS)
    assert added == arguments - {"self", "config_name", "seed", "kwargs"}
