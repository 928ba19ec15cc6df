"""The demo's docstrings, and limits that a browser doesn't reach. integration/space_tests has the tests in a browser."""

import asyncio
import doctest
import importlib
import tracemalloc

import pytest
from helpers import ROOT

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
    ("error", "shown"),
    [
        (ValueError("reported='127': BLEU is from 0 to 1."), "&#x27;127&#x27;: BLEU is from 0 to 1."),
        (ValueError("9" * 1000), "9" * 399 + "…"),
        (OverflowError("Python int too large to convert to C long"), "a number is too large"),
    ],
)
def test_an_error_of_the_search_is_shown_as_all_others_are(monkeypatch, error, shown):
    why, scored = (importlib.import_module(f"space.{name}") for name in ("why", "scored"))

    def fail(*arguments):
        raise error

    monkeypatch.setattr(why, "request_settings", fail)
    corpus = scored.Corpus({"A": ["a b c d"]}, [["a b c d"]])
    kept, _ = scored.score_corpus(corpus, dict(why.load_with({}).OPTIONS), "all", "")
    answer = why._answer(kept, "A", "127")
    assert shown in answer
    assert "Python" not in answer
    assert len(answer) < 500


@pytest.mark.parametrize(
    ("headers", "most"),
    [
        ([], 21),  # the parts up to the limit
        ([(b"content-length", b"30000000")], 2),  # the latest part
    ],
)
def test_nothing_is_kept_of_a_body_that_is_too_large(headers, most):
    """The body is read and not kept: thirty parts of one megabyte, where twenty are the limit."""
    gate = importlib.import_module("space.gate")
    held, sent = [], []

    async def receive():
        held.append(tracemalloc.get_traced_memory()[0] / 1_000_000)
        return {"type": "http.request", "body": bytes(1_000_000), "more_body": len(held) < 30}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/call/score", "headers": headers}
    tracemalloc.start()
    asyncio.run(gate.Gate(None)(scope, receive, send))
    tracemalloc.stop()
    assert b"more than 20 MB" in sent[1]["body"]
    assert (len(held), max(held) < most, held[-1] < 2) == (30, True, True)


def test_an_interrupted_body_is_not_passed_on():
    """The announced length is above the limit, and no part was kept."""
    gate = importlib.import_module("space.gate")
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/call/score", "headers": [(b"content-length", b"30000000")]}
    asyncio.run(gate.Gate(None)(scope, receive, send))
    assert sent[0]["status"] == 413


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_ngram_order", 50), ("tokenizer", "flores200"), ("trg_lang", "ja"), ("baseline", "A"), ("predictions", [])],
)
def test_other_names_of_options_do_not_bypass_limits(name, value):
    """Names of other tools, and names of Python arguments, are rejected."""
    requests = importlib.import_module("space.requests")
    options, texts = {name: value}, ["a b c d"]
    for request in (
        lambda: requests.request_score(texts, texts, options),
        lambda: requests.request_explanation("a", "a", options),
        lambda: requests.request_comparison({"A": texts, "B": texts}, texts, None, "bootstrap", options),
        lambda: requests.request_settings(texts, texts, "50", None, options),
    ):
        with pytest.raises(ValueError, match=f"There is no option `{name}` here: choose among tokenize, "):
            request()


def test_the_demo_lists_the_ngrams_of_the_printed_table():
    """Parts of longer n-grams are left out in both."""
    differences, metric = (importlib.import_module(f"space.{name}") for name in ("differences", "metric"))
    difference = metric.bleu.diff(["a b c d"], ["x y z e"], ["a b c d e"])
    overview = differences._render_overview(difference, ("A", "B"))
    assert [row[0] for row in difference.rows()[-2:]] == ["a b c d", "e"]
    for ngram, is_listed in {"a b c d": True, "e": True, "a b c": False, "b c": False, "a": False}.items():
        assert (f">{ngram}</td>" in overview) == is_listed
