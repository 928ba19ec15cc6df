"""What version 1 freezes: methods, arguments, defaults and keys, as in contract.md, which is written by hand."""

import ast
import inspect
import itertools
import pydoc
import re
import sys
from pathlib import Path
from unittest import mock

import evaluate
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CONTRACT = Path(__file__).with_name("contract.md").read_text(encoding="utf-8")


def contract_part(beginning):
    """Return the paragraph or table of the contract that begins with a text."""
    (part,) = (part for part in CONTRACT.split("\n\n") if part.startswith(beginning))
    return part


def contract(head):
    """Return the rows of a table of the contract, without the marks of code."""
    table = contract_part(f"| {head} |")
    return [
        [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
        for line in table.splitlines()[2:]
    ]


OPTIONS = {
    name: ast.literal_eval(value)
    for name, value in re.findall(r"`(\w+)=(.*?)`", contract_part("The options"))
}
METHODS = {
    name: takes
    for name, _, takes in contract("method")
    if name != "evaluate.load" and takes != "none"
}


def options_of(name):
    """Return the options that a method takes, by the last column of the contract."""
    for_scoring = METHODS[name].replace(
        "for scoring", "all except segments, confidence, n_resamples, seed"
    )
    _, _, others = for_scoring.partition("all except ")
    return set(OPTIONS) - set(others.split(", "))


OURS = {
    "Warning", "check", "compare", "compute_metrics", "diff", "explain", "fingerprint", "pairwise", "rank", "reconcile",
    "restore", "self_bleu", "statistics", "total", "warm_up",
}  # fmt: skip
EVALUATES = {"add", "add_batch", "compute", "description", "citation", "features", "inputs_description", "info", "name"}  # fmt: skip


def test_tab_offers_methods_and_what_evaluate_documents(bleu):
    """evaluate's files, locks and settings are hidden, but they are there."""
    offered = {name for name in dir(bleu) if not name.startswith("_")}
    assert offered >= OURS | EVALUATES
    assert offered - OURS == {name for name in dir(evaluate.Metric) if not name.startswith("_")}
    assert bleu.process_id == 0
    assert all(getattr(bleu, name, None) is not None for name in OURS | EVALUATES - {"features"})


class Decoder:
    """Stands for the tokenizer of a model."""

    pad_token_id = 0

    def batch_decode(self, rows, skip_special_tokens):
        return ["a" * len(row) for row in rows]


# The columns that each method takes, with values: by position or by name, in this order. All other arguments are named.
TEXTS = ["the cat sat on the mat", "a dog barks at me"]
SYSTEMS = {"A": TEXTS, "B": ["the cat sat on a mat", "a dog barks"]}
BY_POSITION = {
    "total": {"tables": [2, 1, 3, 2, 3, 3]},
    "compare": {"systems": SYSTEMS, "references": TEXTS},
    "rank": {"systems": SYSTEMS, "references": TEXTS},
    "fingerprint": {"references": TEXTS},
    "diff": {"systems": SYSTEMS, "references": TEXTS},
    "explain": {"prediction": TEXTS[0], "references": TEXTS},
    "pairwise": {"predictions": TEXTS, "references": TEXTS[::-1]},
    "self_bleu": {"texts": TEXTS},
    "check": {"predictions": TEXTS, "references": TEXTS},
    "reconcile": {"predictions": TEXTS, "references": TEXTS, "reported": 80.5},
    "compute_metrics": {"tokenizer": Decoder()},
    "restore": {"saved": {"self_bleu": 0.5, "segment_bleu": [0.5, 0.5], "signature": "nrefs:1"}},
    "warm_up": {},
}
BY_NAME = {
    "add": {"prediction": "a", "reference": "a"},
    "add_batch": {"predictions": TEXTS, "references": TEXTS},
    "compute": {"predictions": TEXTS, "references": TEXTS},
    "statistics": {"predictions": TEXTS, "references": TEXTS},
}


def show(result):
    """Return a result as text: a dict, an array, a callback or None."""
    return repr(result((np.array([[1]]), np.array([[1]]))) if callable(result) else result)


def test_every_public_method_has_its_rule_for_arguments(bleu):
    ours = {
        name
        for name, method in inspect.getmembers(type(bleu), inspect.isfunction)
        if name[0] != "_"
    }
    assert {*BY_POSITION, *BY_NAME} == ours - {"download_and_prepare"}  # evaluate's own


@pytest.mark.parametrize("name", [*BY_POSITION, *BY_NAME])
def test_columns_are_positional_or_named_and_all_else_is_named(load, name):
    """evaluate's three methods and `statistics` take names only."""
    bleu, columns = load(), BY_POSITION.get(name) or BY_NAME.get(name, {})
    method = getattr(bleu, name)
    kinds = {
        parameter.name: parameter.kind
        for parameter in inspect.signature(method).parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }
    either, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    assert {column: kinds[column] for column in columns} == dict.fromkeys(
        columns, named if name in BY_NAME else either
    )
    assert {kind for argument, kind in kinds.items() if argument not in columns} <= {named}
    expected = show(method(**columns))
    if name in BY_NAME:
        with pytest.raises(
            TypeError, match=rf"^{name}\(\) takes its columns by name\. Write {name}\("
        ):
            method(*columns.values())
        return
    for positional in range(len(columns) + 1):
        first, others = (
            list(columns.values())[:positional],
            dict(list(columns.items())[positional:]),
        )
        assert show(method(*first, **others)) == expected
    with pytest.raises(
        TypeError, match=rf"{name}\(\) takes (.* positional argument|systems as a dict)"
    ):
        method(*columns.values(), None)


@pytest.mark.parametrize("name", METHODS)
def test_signatures_list_the_options_with_the_metrics_defaults(load, name):
    """Options at load change no signature: a signature belongs to the class, except `compute`, which evaluate copies."""
    for method in (getattr(load(tokenize="zh"), name), getattr(type(load()), name)):
        parameters = inspect.signature(method).parameters
        assert options_of(name) <= set(parameters)
        assert parameters["tokenize"].default == "13a"
        assert parameters["max_order"].default == 4
        assert not any(one.kind == one.VAR_KEYWORD for one in parameters.values())


def test_defaults_that_differ(load):
    assert inspect.signature(load().compare).parameters["confidence"].default == 0.95
    assert inspect.signature(load().compute).parameters["confidence"].default is None


def test_help(load):
    text = pydoc.render_doc(load().compute, renderer=pydoc.plaintext)
    assert "tokenize='13a'" in text
    assert "Compute BLEU" in text
    assert "max_order: the length of the longest n-grams; 4 by default." in text
    assert "sufficient statistics" in pydoc.render_doc(load().statistics, renderer=pydoc.plaintext)


def test_help_begins_with_what_there_is(bleu):
    """The first paragraph names each method; Python's own methods are not among those that people read."""
    text = pydoc.render_doc(bleu, renderer=pydoc.plaintext)
    _, paragraph, _ = type(bleu).__doc__.split("\n\n", 2)
    assert " ".join(paragraph.split()) in " ".join(text.replace("|", " ").split())
    named = set(re.findall(r"`(\w+)[`(]", paragraph))
    assert named == {*BY_POSITION, *BY_NAME}
    own = {name for name in vars(type(bleu)) if name.startswith("__")}
    assert own <= {*vars(type("Empty", (), {})), "__init__", "__reduce__", "__abstractmethods__", "__annotations__", "__parameters__", "__firstlineno__", "__static_attributes__", "__annotate_func__", "__annotations_cache__"}  # fmt: skip


def test_every_method_that_takes_options_is_listed(load):
    taking = {
        name
        for name, method in inspect.getmembers(type(load()), inspect.isfunction)
        if not name.startswith("_") and method.__code__.co_flags & inspect.CO_VARKEYWORDS
    }
    assert taking - {"add", "add_batch"} == set(METHODS)


def write_arguments(method):
    """Return the arguments of a method with their defaults, as in the contract: without options and `self`."""
    parts = []
    for one in inspect.signature(method).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or one.name == "self":
            continue
        if one.name in OPTIONS and one.default == OPTIONS[one.name]:
            continue
        parts += ["*"] if one.kind == one.KEYWORD_ONLY and "*" not in parts else []
        parts.append(
            one.name
            if one.default is one.empty
            else f"{one.name}={one.default!r}".replace("'", '"')
        )
    return ", ".join(parts) or "none"


@pytest.mark.parametrize(("name", "arguments", "takes"), contract("method"))
def test_methods_and_their_arguments_are_those_of_the_contract(bleu, name, arguments, takes):
    method = type(bleu).__init__ if name == "evaluate.load" else getattr(bleu, name)
    assert write_arguments(method) == arguments
    if name in METHODS:
        assert set(OPTIONS) & set(inspect.signature(method).parameters) == options_of(name)


def test_every_method_is_in_the_contract():
    names = [name for name, _, _ in contract("method")]
    assert sorted(names) == sorted(["evaluate.load", *BY_POSITION, *BY_NAME])


def test_defaults_of_options_are_those_of_the_contract(bleu):
    parameters = inspect.signature(bleu.compute).parameters
    assert {name: parameters[name].default for name in OPTIONS} == OPTIONS


SEGMENTS = ["the cat sat on the mat", "a dog barks at me now", "it rains today in the north"] * 12
OTHER_SYSTEM = [
    "the cat sits on the mat",
    "a dog barked at me",
    "it rains today in the north.",
] * 12
COLUMNS = {"predictions": OTHER_SYSTEM, "references": SEGMENTS}
SETTINGS = {
    "segments": {"segments": True},
    "confidence": {"confidence": 0.9},
    "by": {"by": ["<label>"] * 36},
    "documents": {"documents": [row // 3 for row in range(36)]},
    'test="bootstrap"': {"test": "bootstrap"},
    "details": {"details": True},
    "values beside the score": {"reported": "BLEU = 0.001 (BP=0.5)"},
    "no plausible match without sacremoses": {"modules": {"sacremoses": None}},
    "more than 8 references": {"references": [[text] * 9 for text in SEGMENTS]},
}


def reconcile_with(bleu, references, reported, modules):
    """Return a result of `reconcile` that has no plausible match; `modules` are not installed."""
    with mock.patch.dict(sys.modules, modules):
        return bleu.reconcile(OTHER_SYSTEM, references, reported, smooth_method="exp")


RESULTS = {
    "compute": lambda bleu, **more: bleu.compute(**COLUMNS, **more),
    "compute of statistics": lambda bleu, **more: bleu.compute(statistics=bleu.statistics(**COLUMNS), **more),
    "statistics": lambda bleu, **more: bleu.statistics(**COLUMNS, **more).to_pydict(),
    "compare": lambda bleu, confidence=None, **more: bleu.compare({"A": SEGMENTS, "B": OTHER_SYSTEM}, SEGMENTS, n_resamples=20, confidence=confidence, **more),
    "compare of runs": lambda bleu, confidence=None, **more: bleu.compare(
        {
            "A": {"seed 1": SEGMENTS, "seed 2": OTHER_SYSTEM},
            "B": {"seed 1": OTHER_SYSTEM, "seed 2": SEGMENTS[::-1]},
        },
        SEGMENTS,
        n_resamples=100,
        confidence=confidence,
        **more,
    ),
    "rank": lambda bleu, confidence=None, **more: bleu.rank({"A": SEGMENTS, "B": OTHER_SYSTEM}, SEGMENTS, n_resamples=20, confidence=confidence, **more),
    "diff": lambda bleu, **more: bleu.diff({"A": OTHER_SYSTEM, "B": SEGMENTS}, SEGMENTS, **more),
    "explain": lambda bleu: bleu.explain(OTHER_SYSTEM[0], SEGMENTS[0]),
    "self_bleu": lambda bleu, **more: bleu.self_bleu(SEGMENTS, **more),
    "check": lambda bleu, **more: bleu.check([f"{text}</s>" for text in SEGMENTS], SEGMENTS, **more),
    "reconcile without a score": lambda bleu: bleu.reconcile(**COLUMNS),
    "reconcile": lambda bleu, references=SEGMENTS, reported="0.001", modules=(): reconcile_with(bleu, references, reported, modules),
    "compute_metrics": lambda bleu, **more: bleu.compute_metrics(Decoder(), **more)((np.ones((36, 3), int), np.ones((36, 3), int))),
}  # fmt: skip


def items(result, path):
    """Yield what a path leads to; `*` stands for each item of a list or dict, of which the last has all keys."""
    if not path:
        return result
    found = (
        result if path[0] != "*" else list(result.values() if isinstance(result, dict) else result)
    )
    return items(found[-1 if path[0] == "*" else path[0]], path[1:])


@pytest.mark.parametrize("name", RESULTS)
def test_the_keys_of_results_are_those_of_the_contract(load, name):
    """Every combination of the arguments that add keys, and no key beside those of the table."""
    bleu = load(n_resamples=20)
    rows = [
        (path.split("."), set(filter(None, more.split(", "))), keys.split(", "))
        for paths, more, keys in contract("result")
        for path in paths.split(", ")
        if path.split(".")[0] == name
    ]
    adding = sorted(set().union(*(more for _, more, _ in rows)))
    for number in range(len(adding) + 1):
        for chosen in map(set, itertools.combinations(adding, number)):
            arguments = {
                key: value for setting in chosen for key, value in SETTINGS[setting].items()
            }
            result = RESULTS[name](bleu, **arguments)
            expected = {}
            for (_, *path), more, keys in rows:
                if more <= chosen:
                    expected.setdefault(tuple(path), []).extend(keys)
            for path, keys in expected.items():
                assert sorted(items(result, path)) == sorted(keys), (path, chosen)


def test_every_method_with_a_dict_is_in_the_contract():
    rows = {path.split(".")[0] for paths, _, _ in contract("result") for path in paths.split(", ")}
    assert rows == set(RESULTS)
    assert {*BY_POSITION, *BY_NAME} - rows == {"add", "add_batch", "fingerprint", "pairwise", "restore", "total", "warm_up"}  # fmt: skip


def test_objects_do_not_share_signatures(load):
    """Under a drop-in `compute` has the arguments of evaluate's module, and other objects keep theirs."""
    before, drop_in, after = load(), load("bleu"), load()
    assert "tokenizer" in inspect.signature(drop_in.compute).parameters
    for metric in (before, after, type(before)):
        assert "tokenizer" not in inspect.signature(metric.compute).parameters
        assert set(OPTIONS) <= set(inspect.signature(metric.compute).parameters)
