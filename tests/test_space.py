"""The page's docstrings, and limits that no browser comes to; what a visitor sees is in integration/space_tests."""

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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "1,000 resamples of 1,000,000 segments take too long here: leave the intervals out"),
        ({"n_resamples": 1}, "1,000 resamples of 1,000,000 segments take too long here: leave the intervals out"),
        ({"confidence": 0.9, "n_resamples": 1}, "leave the intervals out .* or give a part of the segments"),
        ({"confidence": None}, "1,000 resamples of 1,000,000 segments take too long here: 400 at most"),
        ({"confidence": None, "n_resamples": None}, "1,000 resamples of 1,000,000 segments take too long here: 400 at"),
        ({"confidence": None, "n_resamples": 401}, "401 resamples of 1,000,000 segments take too long"),
    ],
)
def test_the_resamples_of_the_test_and_of_the_intervals_are_both_within_the_limit(options, message):
    requests = importlib.import_module("space.requests")
    texts = ["a"] * 100_000
    with pytest.raises(ValueError, match=message):
        requests.request_comparison({f"{n}": texts for n in range(10)}, texts, None, "bootstrap", options)


def test_a_comparison_within_both_limits_is_made():
    requests = importlib.import_module("space.requests")
    texts = ["a b c d"] * 50_000
    systems = {"A": texts, "B": texts[::-1], "C": texts}
    found = requests.request_comparison(systems, texts, None, "bootstrap", {"confidence": None, "n_resamples": 2})
    assert found["n_resamples"] == 2
