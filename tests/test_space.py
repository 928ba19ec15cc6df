"""The page's docstrings; what a visitor sees is in integration/space_tests."""

import doctest
import importlib

import pytest
from conftest import ROOT

FILES = sorted(path.stem for path in (ROOT / "space").glob("[!_]*.py"))


@pytest.fixture(autouse=True)
def _space_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


@pytest.mark.parametrize("name", FILES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(f"space.{name}")).failed == 0
