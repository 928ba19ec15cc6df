"""What Python shows of the metric: one line for the object, and its options wherever one looks for them."""

import copy
import inspect
import pickle
import pydoc

import pytest
from bleu.bleu_help import METHODS
from bleu.bleu_options import OPTIONS


def test_the_object_in_a_line(load):
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
    """But for `compute`, of which evaluate makes a copy with a longer docstring and without annotations."""
    bleu = load()
    for name in set(METHODS) - {"compute"}:
        shown, method = getattr(bleu, name), getattr(type(bleu), name)
        assert shown.__annotations__ == method.__annotations__ != {}
        assert shown.__doc__ == method.__doc__
    assert len(bleu.compute.__doc__) > len(type(bleu).compute.__doc__)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_copy_shows_them_and_is_itself(load, duplicate):
    original = load(tokenize="zh")
    again = duplicate(original)
    assert inspect.signature(again.explain).parameters["tokenize"].default == "zh"
    again.add(prediction="a", reference="a")
    assert (len(again), len(original)) == (1, 0)
    for name in METHODS:
        assert getattr(again, name).__self__ is again


def test_another_objects_options_stay_its_own(load):
    first, second = load(), load(tokenize="zh")
    assert inspect.signature(first.score).parameters["tokenize"].default == "13a"
    assert inspect.signature(second.score).parameters["tokenize"].default == "zh"
    assert "options" in inspect.signature(type(first).score).parameters
