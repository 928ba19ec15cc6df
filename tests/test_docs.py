"""What is said is what happens: the docstrings' examples, README.md's code blocks, and that files fit their place."""

import contextlib
import doctest
import importlib
import io
import re

import evaluate
import numpy as np
import pyarrow as pa
import pytest
import unicode_tables
from bleu.bleu_inputs import columns
from conftest import ROOT
from huggingface_hub import metadata_load
from packaging.requirements import Requirement

MODULES = sorted(path.stem for path in ROOT.glob("bleu_*.py"))
SPACE = sorted(path.stem for path in ROOT.glob("app*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    module = importlib.import_module(f"bleu.{name}")
    if name == "bleu_kernel" and not module.COMPILED:
        pytest.skip("numba can't be imported")
    monkeypatch.chdir(ROOT)
    results = doctest.testmod(module, extraglobs={"np": np, "pa": pa, "evaluate": evaluate, "columns": columns})
    assert results.failed == 0


@pytest.mark.parametrize("name", SPACE)
def test_docstrings_of_the_space(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_header_that_makes_a_space_of_it():
    """What the Hub wants of README.md in a Space, and that what it names is there."""
    header = metadata_load(ROOT / "README.md")
    assert (header["sdk"], header["app_file"], header["license"]) == ("gradio", "app.py", "apache-2.0")
    assert (ROOT / header["app_file"]).exists()
    assert len(header["short_description"]) <= 60
    assert {header["colorFrom"], header["colorTo"]} <= {
        "red",
        "yellow",
        "green",
        "blue",
        "indigo",
        "purple",
        "pink",
        "gray",
    }
    required = Requirement(re.search("^gradio[^#\n]*", (ROOT / "requirements.txt").read_text(), re.MULTILINE).group())
    assert header["sdk_version"] in required.specifier


def test_the_example_that_evaluate_shows(bleu, monkeypatch):
    monkeypatch.chdir(ROOT)
    example = doctest.DocTestParser().get_doctest(bleu.inputs_description, {"evaluate": evaluate}, "info", None, 0)
    assert doctest.DocTestRunner().run(example) == (0, 3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_readme(monkeypatch):
    """All its Python blocks in one go, as a reader would paste them; a `text` block behind one is what it prints."""
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", README, re.DOTALL)
    assert len(blocks) >= 5
    namespace: dict = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(
                compile(code.replace("path/to/bleu_metric", str(ROOT / "bleu_metric.py")), "README.md", "exec"),
                namespace,
            )
        assert printed.getvalue() == expected, code


def test_readmes_tables_are_complete():
    from bleu.bleu_options import CONVENTIONS, OPTION_NAMES

    for name in (*OPTION_NAMES, *CONVENTIONS):
        assert f"| `{name}`" in README, name


def test_every_sibling_is_imported_where_evaluate_looks_for_it():
    """At the start of a line and without a comment behind, or the loader doesn't copy it."""
    imported = re.findall(r"^from \.(\w+) import [^#\n]*$", (ROOT / "bleu_metric.py").read_text(), re.MULTILINE)
    assert sorted(imported) == [name for name in MODULES if name != "bleu_metric"]


def test_unicode_tables_are_those_of_regex():
    assert unicode_tables.module() == (ROOT / "bleu_unicode.py").read_text(encoding="utf-8")
