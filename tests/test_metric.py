"""The metric as evaluate loads it, from paths and the Hub, in threads and processes; its signatures and docstrings."""

import copy
import inspect
import pickle
import pydoc
import shutil
from concurrent.futures import ThreadPoolExecutor

import evaluate
import pytest
from bleu.bleu_metric import METHODS
from bleu.bleu_options import OPTIONS
from helpers import ROOT, random_rows, read_result, run_python, start_python

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Loading, processes and threads.


PREDICTIONS, REFERENCES = random_rows(seed=8, count=300)

SCORE = """
import json, sys
import evaluate, helpers
bleu = evaluate.load(sys.argv[1])
predictions, references = helpers.random_rows(seed=8, count=300)
print(json.dumps(bleu.compute(predictions=predictions, references=references)))
"""


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


def copy_metric(folder):
    folder.mkdir()
    for path in [*ROOT.glob("*.py"), ROOT / "README.md", ROOT / "requirements.txt"]:
        if path.exists():
            shutil.copy(path, folder)
    return folder


class TestLoading:
    def test_by_path_and_by_folder_of_the_same_name(self, tmp_path, expected):
        folder = copy_metric(tmp_path / "bleu_metric")
        for path in (folder, folder / "bleu_metric.py"):
            assert evaluate.load(str(path)).compute(predictions=PREDICTIONS, references=REFERENCES) == expected

    @pytest.mark.slow
    def test_without_a_network(self, expected, tmp_path):
        """Every attempt to open a connection or to look up a name is an error."""
        blocked = (
            "import socket\n"
            "def fail(*arguments, **options): raise AssertionError('the network was used')\n"
            "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = fail\n"
        )
        assert run_python(blocked + SCORE, ROOT / "bleu_metric.py", HF_MODULES_CACHE=str(tmp_path)) == expected

    @pytest.mark.slow
    def test_two_processes_that_compile_at_once(self, tmp_path, expected):
        environment = {"NUMBA_CACHE_DIR": str(tmp_path), "HF_MODULES_CACHE": str(tmp_path)}
        code = SCORE.replace("print", "bleu.warm_up(); print")
        processes = [start_python(code, ROOT / "bleu_metric.py", **environment) for _ in range(2)]
        assert [read_result(process) for process in processes] == [expected] * 2

    def test_description_citation_and_features(self, bleu):
        assert (bleu.name, bleu.module_type) == ("bleu_metric", "metric")
        assert "Papineni" in bleu.citation
        assert [url.rpartition("/")[2] for url in bleu.info.reference_urls] == ["P02-1040", "W18-6319"]
        assert bleu.format == "arrow"
        assert "tokenize" in bleu.inputs_description
        assert "tokenize" in bleu.compute.__doc__

    def test_names_of_all_choices(self, bleu):
        """The names of all choices, and of the methods with the default of `smooth_value`."""
        assert bleu.SMOOTH_METHODS["exp"] is None
        assert {name: bleu.SMOOTH_METHODS[name] for name in ("floor", "add-k", "nltk-4")} == {
            "floor": 0.1,
            "add-k": 1,
            "nltk-4": 5,
        }
        assert len(bleu.SMOOTH_METHODS) == 12
        assert bleu.TOKENIZERS == ("13a", "none", "intl", "zh", "char", "multi-bleu")
        assert bleu.REFERENCE_LENGTHS == ("closest", "shortest", "longest")
        assert list(bleu.CONVENTIONS) == ["default", "papineni", "hf", "nltk", "moses"]
        assert bleu.OPTIONS["max_order"] == 4


class TestThreads:
    def test_eight_threads_with_one_object(self, bleu, expected):
        with ThreadPoolExecutor(8) as pool:
            results = pool.map(lambda _: bleu.compute(predictions=PREDICTIONS, references=REFERENCES), range(32))
            assert list(results) == [expected] * 32

    def test_eight_threads_with_an_object_each(self, load, expected):
        def collect(bleu):
            bleu.add_batch(predictions=PREDICTIONS[:100], references=REFERENCES[:100])
            return bleu.compute(predictions=PREDICTIONS[100:], references=REFERENCES[100:])

        objects = [load() for _ in range(8)]  # one after the other: tqdm's progress bars in evaluate.load race
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(collect, objects)) == [expected] * 8


# Help: the signatures, docstrings and repr that Python shows.


def test_repr(load):
    bleu = load("nltk", tokenize="zh", lowercase=True)
    assert repr(bleu) == str(bleu) == "BleuMetric('nltk', tokenize='zh', lowercase=True)"
    bleu.add(prediction="a", reference="a")
    assert repr(bleu) == "BleuMetric('nltk', tokenize='zh', lowercase=True, 1 row added)"
    bleu.add_batch(predictions=["a"] * 2000, references=["a"] * 2000)
    assert repr(bleu).endswith("2,001 rows added)")


def test_every_method_that_takes_options_is_listed(load):
    taking = {
        name
        for name, method in inspect.getmembers(type(load()), inspect.isfunction)
        if not name.startswith("_")
        and any(one.kind == one.VAR_KEYWORD for one in inspect.signature(method).parameters.values())
    }
    assert taking - {"add", "add_batch"} == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_signatures_list_the_options_with_this_objects_defaults(load, name):
    parameters = inspect.signature(getattr(load(tokenize="zh"), name)).parameters
    missing = set(OPTIONS) - set(parameters)
    assert missing == set(METHODS[name])
    assert parameters["tokenize"].default == "zh"
    assert parameters["max_order"].default == 4
    assert not any(one.kind == one.VAR_KEYWORD for one in parameters.values())


def test_defaults_that_differ(load):
    assert inspect.signature(load().compare).parameters["confidence"].default == 0.95
    assert inspect.signature(load(confidence=0.9).compare).parameters["confidence"].default == 0.9
    assert inspect.signature(load().compute).parameters["confidence"].default is None


def test_help(load):
    text = pydoc.render_doc(load(max_order=2).compute, renderer=pydoc.plaintext)
    assert "tokenize='13a'" in text
    assert "max_order=2" in text
    assert "The BLEU of a corpus" in text
    assert "statistics rows of a corpus" in pydoc.render_doc(load().statistics, renderer=pydoc.plaintext)


def test_annotations_and_docstrings_are_those_of_the_class(load):
    """`compute` is the exception: evaluate copies it with a longer docstring and without annotations."""
    bleu = load()
    for name in set(METHODS) - {"compute"}:
        shown, method = getattr(bleu, name), getattr(type(bleu), name)
        assert shown.__annotations__ == method.__annotations__ != {}
        assert shown.__doc__ == method.__doc__
    assert len(bleu.compute.__doc__) > len(type(bleu).compute.__doc__)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_copy_has_signatures_of_its_own(load, duplicate):
    original = load(tokenize="zh")
    again = duplicate(original)
    assert inspect.signature(again.explain).parameters["tokenize"].default == "zh"
    again.add(prediction="a", reference="a")
    assert (len(again), len(original)) == (1, 0)
    for name in METHODS:
        assert getattr(again, name).__self__ is again


def test_objects_do_not_share_options(load):
    first, second = load(), load(tokenize="zh")
    assert inspect.signature(first.score).parameters["tokenize"].default == "13a"
    assert inspect.signature(second.score).parameters["tokenize"].default == "zh"
    assert "options" in inspect.signature(type(first).score).parameters
