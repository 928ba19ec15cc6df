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


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("reported='127': BLEU is from 0 to 1."), "&#x27;127&#x27;: BLEU is from 0 to 1."),
        (ValueError("9" * 1000), "9" * 399 + "…"),
        (OverflowError("Python int too large to convert to C long"), "a number is too large"),
    ],
)
def test_an_error_of_the_search_is_told_as_all_others_are(monkeypatch, error, told):
    why, scored = (importlib.import_module(f"space.{name}") for name in ("why", "scored"))

    def fail(*arguments):
        raise error

    monkeypatch.setattr(why, "request_settings", fail)
    corpus = scored.Corpus({"A": ["a b c d"]}, [["a b c d"]])
    kept, _ = scored.score_corpus(corpus, dict(why.load_with({}).OPTIONS), "all", "")
    answer = why._answer(kept, "A", "127")
    assert told in answer and "Python" not in answer
    assert len(answer) < 500
