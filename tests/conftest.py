"""Fixtures of all tests: the metric as a user loads it. Its modules can be imported as the package `bleu`."""

import os
import sys
import tempfile
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.extend(map(str, Path(__file__).parent.glob("unit/**/")))  # both_ways.py; tests share data

import helpers
from helpers import ROOT, WMT21
from pages import make_clone

# Set before evaluate is imported: tests do not write to the user's caches, and subprocesses use the same folders.
_CACHE = tempfile.TemporaryDirectory(prefix="bleu_metric_tests_")
os.environ.update(
    HF_HOME=_CACHE.name,
    HF_EVALUATE_CACHE=f"{_CACHE.name}/evaluate",
    HF_MODULES_CACHE=f"{_CACHE.name}/modules",
    NUMBA_CACHE_DIR=f"{_CACHE.name}/numba",  # numba's default beside the file misses changes in the files that it calls
    HF_UPDATE_DOWNLOAD_COUNTS="0",
)

package = types.ModuleType("bleu")
package.__path__ = [str(ROOT)]
sys.modules["bleu"] = package

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

try:
    import numba

    HAS_NUMBA = not numba.config.DISABLE_JIT
except ImportError:
    HAS_NUMBA = False

needs_numba = pytest.mark.skipif(not HAS_NUMBA, reason="numba is not available")
needs_wmt21 = pytest.mark.skipif(not WMT21.is_dir(), reason=f"WMT21's data is not in {WMT21}")

# No test has a limit of time: machines differ.
settings.register_profile("project", deadline=None)
settings.load_profile("project")
settings.register_profile(
    "long", max_examples=5000, deadline=None
)  # python -m pytest --hypothesis-profile=long


def pytest_addoption(parser):
    parser.addoption(
        "--more",
        action="store_true",
        help="also run the tests that start interpreters, measure memory, or repeat others on more data",
    )
    parser.addoption("--slow", action="store_true", help="run all tests, also those of minutes")


def pytest_configure(config):
    helpers.more = config.getoption("--more") or config.getoption("--slow")


def pytest_collection_modifyitems(config, items):
    """Skip the tests that an option asks for, with the reason, unless it is there; `--slow` asks for all."""
    if config.getoption("--slow"):
        return
    options = {"slow": "--slow"}
    if not helpers.more:
        options.update(processes="--more", more="--more")
    for item in items:
        for name, option in options.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=f"{name}: python -m pytest tests {option}"))
                break


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message):
    """Record the metric's warnings as plain ones: pytest-xdist imports their class, which only this process can do."""
    if warning_message.category.__module__.startswith("evaluate_modules."):
        warning_message.message = UserWarning(str(warning_message.message))
        warning_message.category = UserWarning


@pytest.fixture(scope="session")
def load():
    """Return a function that loads the metric from this checkout: `load("nltk", lowercase=True)`.

    evaluate copies the files once per session, because a copy per test would take most of the time. Afterwards the
    function does what `evaluate.load` does with the class.
    """
    import evaluate  # not above: pytest-xdist's first process runs no test, and need not import it

    loaded = evaluate.load(str(ROOT / "bleu_metric.py"))
    loaded.warm_up()  # else small corpora would run the Python implementations only

    def load(config_name=None, **arguments):
        metric = type(loaded)(config_name=config_name, hash=loaded._hash, **arguments)
        metric.download_and_prepare()
        return metric

    return load


@pytest.fixture
def bleu(load):
    return load()


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """Work in a folder with the files of this checkout, as the documents and the examples in docstrings expect."""
    make_clone(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def space_can_be_imported(monkeypatch):
    """Let the demo be imported as the package `space`, and `app` beside it."""
    monkeypatch.syspath_prepend(ROOT)
