"""What all tests share: the metric as a user loads it, and the rooms behind it as the package `bleu`."""

import os
import sys
import tempfile
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Before evaluate is imported: tests leave nothing in the user's caches, and subprocesses use the same ones.
_CACHE = tempfile.TemporaryDirectory(prefix="bleu_metric_tests_")
os.environ.update(
    HF_HOME=_CACHE.name,
    HF_EVALUATE_CACHE=f"{_CACHE.name}/evaluate",
    HF_MODULES_CACHE=f"{_CACHE.name}/modules",
    NUMBA_CACHE_DIR=f"{_CACHE.name}/numba",  # numba's own place beside the file would miss a change in a file it calls
    HF_UPDATE_DOWNLOAD_COUNTS="0",
)

package = types.ModuleType("bleu")
package.__path__ = [str(ROOT)]
sys.modules["bleu"] = package
sys.path.insert(0, str(ROOT / "tests"))

import evaluate  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("long", max_examples=5000)  # python -m pytest --hypothesis-profile=long


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the tests that take long, too")


def pytest_collection_modifyitems(config, items):
    """What takes long is skipped by name, unless it's asked for."""
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="takes long: python -m pytest tests --slow"))


@pytest.fixture(scope="session")
def load():
    """`load("nltk", lowercase=True)`: the metric from this checkout, with a convention and options.

    evaluate copies the files once a session and not once a test, which would take most of the time; what it does with
    the class that it finds there is done here as there.
    """
    loaded = evaluate.load(str(ROOT / "bleu_metric.py"))
    loaded.warm_up()  # small corpora would test the definitions alone

    def load(config_name=None, **arguments):
        metric = type(loaded)(config_name=config_name, hash=loaded._hash, **arguments)
        metric.download_and_prepare()
        return metric

    return load


@pytest.fixture
def bleu(load):
    return load()
