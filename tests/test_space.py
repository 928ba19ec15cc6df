"""The demo's docstrings, and limits that no browser reaches; what a visitor sees is in integration/space_tests."""

import asyncio
import doctest
import importlib
import re
import tracemalloc

import pytest
from conftest import ROOT

gradio = pytest.importorskip("gradio")

FILES = sorted(path.stem for path in (ROOT / "space").glob("[!_]*.py"))


@pytest.fixture(autouse=True)
def _space_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


@pytest.mark.parametrize("name", FILES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(f"space.{name}")).failed == 0


def test_app_has_the_demo_and_importing_it_starts_no_server():
    """gradio logs "Launching demo not found" in a Space whose `app.py` has no `demo`."""
    demo = importlib.import_module("app").demo
    assert isinstance(demo, gradio.Blocks)
    assert not demo.is_running


def test_links_of_the_card_lead_to_the_files_of_the_space(monkeypatch):
    """Relative links would lead to pages of the demo's server, which has none."""
    monkeypatch.setenv("SPACE_ID", "user/bleu_metric")
    card = importlib.import_module("space.page")._read_card()
    assert card.startswith("\n# bleu_metric\n")
    assert "](https://huggingface.co/spaces/user/bleu_metric/blob/main/docs/recipes.md#comparing-systems)" in card
    assert card.count("](data:image/svg+xml;base64,") == 1
    assert re.findall(r"\]\((?!https://|data:)(.*?)\)", card) == []


def test_the_security_policy_says_how_long_texts_are_kept():
    minutes = importlib.import_module("space.limits").SECONDS_KEPT // 60
    assert f"deleted within {minutes} minutes" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


# A check, its arguments, and the message.
LIMITS = [
    ("check_sentence", (["a" * 2001],), "A text has 2,001 characters; the limit is 2,000. Shorten it, or score it as a corpus."),
    ("check_sentence", ([["a"] * 3000],), "A text has 3,000 tokens; the limit is 2,000. Shorten it, or score it as a corpus."),
    ("check_corpus", (["a"], [["b"] * 21]), "Segment 1 has 21 references; the limit is 20."),
    ("check_systems", ({number: [] for number in range(11)}, []), "There are 11 systems; the limit is 10."),
    ("check_search", (["a"] * 150_000, ["a"] * 150_000), "A search takes up to 100,000 texts, and there are 300,000. Search with a part of them."),
    ("check_resampling", (10, 100_000, 10_000), "10,000 resamples of 1,000,000 segments take too long here: 400 at most."),
    ("check_value", ("reported", "9" * 101), "reported has 101 characters; the limit is 100."),
    ("check_value", ("weights", [0.1] * 101), "weights has 101 values; the limit is 100."),
    ("check_options", ({"tokenize": "flores200"}, ["tokenize"], ["13a", "zh"]), "tokenize='flores200': choose '13a' or 'zh'. Others need the metric in Python (see About)."),
    ("check_size", (21_000_000, 20), "This is more than 20 MB, the limit for one request. Send a part of it."),
    ("check_body", (b"[" * 100,), "The lists in this request are nested 100 deep; the limit is 12."),
    ("_check_lengths", ("A.txt", ["a"], []), "A.txt has 1 segment, and there are references for 0. They must correspond line by line; an empty line is a segment."),
    ("_check_complete", ("A.jsonl", ["a", None]), "A.jsonl, segment 2: the text is missing. Write an empty text for an empty segment."),
]  # fmt: skip


@pytest.mark.parametrize(("check", "arguments", "message"), LIMITS)
def test_a_limit_says_what_to_change(check, arguments, message):
    module = importlib.import_module("space.sources" if check.startswith("_") else "space.limits")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        getattr(module, check)(*arguments)


@pytest.mark.parametrize("name", ["a.parquet", "a.PARQUET"])
def test_parquet_is_not_accepted(tmp_path, name):
    """By its name, before anything of it is read."""
    (tmp_path / name).write_bytes(b"PAR1")
    sources = importlib.import_module("space.sources")
    for read in (sources.describe_file, lambda path: sources.read_columns(path, ["prediction"])):
        with pytest.raises(ValueError, match=f"^{name}: Parquet is not accepted. Upload text, CSV, TSV or JSONL.$"):
            read(str(tmp_path / name))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "1,000 resamples of 1,000,000 segments take too long here: leave the intervals out"),
        ({"n_resamples": 1}, "1,000 resamples of 1,000,000 segments take too long here: leave the intervals out"),
        ({"confidence": 0.9, "n_resamples": 1}, "leave the intervals out .* or score a part of the segments"),
        ({"confidence": None}, "1,000 resamples of 1,000,000 segments take too long here: 400 at most"),
        ({"confidence": None, "n_resamples": None}, "1,000 resamples of 1,000,000 segments take too long here: 400 at"),
        ({"confidence": None, "n_resamples": 401}, "401 resamples of 1,000,000 segments take too long"),
    ],
)
def test_the_resamples_of_the_test_and_of_the_intervals_are_both_within_the_limit(options, message):
    metric = importlib.import_module("space.metric")
    texts = ["a"] * 100_000
    with pytest.raises(ValueError, match=message):
        metric.request_comparison({f"{n}": texts for n in range(10)}, texts, None, "bootstrap", options)


def test_a_comparison_within_both_limits_is_made():
    metric = importlib.import_module("space.metric")
    texts = ["a b c d"] * 50_000
    systems = {"A": texts, "B": texts[::-1], "C": texts}
    found = metric.request_comparison(systems, texts, None, "bootstrap", {"confidence": None, "n_resamples": 2})
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
    corpus, metric, scored, sources = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "metric", "scored", "sources")
    )

    def fail(*arguments):
        raise error

    monkeypatch.setattr(corpus, "request_settings", fail)
    submission = sources.Submission({"A": ["a b c d"]}, [["a b c d"]])
    kept, _ = scored.score_submission(submission, metric.OPTIONS, "all", "")
    answer = corpus.explain_number(kept, "A", "127")
    assert told in answer
    assert "Python" not in answer
    assert len(answer) < 500


@pytest.mark.parametrize(
    ("headers", "most"),
    [
        ([], 21),  # what comes before the limit is crossed
        ([(b"content-length", b"30000000")], 2),  # the part that has just come
    ],
)
def test_nothing_is_kept_of_a_body_that_is_too_large(headers, most):
    """It is read nevertheless: parts of a megabyte each, thirty of them where twenty are the limit."""
    limits = importlib.import_module("space.limits")
    held, sent = [], []

    async def receive():
        held.append(tracemalloc.get_traced_memory()[0] / 1_000_000)
        return {"type": "http.request", "body": bytes(1_000_000), "more_body": len(held) < 30}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/call/score", "headers": headers}
    tracemalloc.start()
    asyncio.run(limits.Gate(None)(scope, receive, send))
    tracemalloc.stop()
    assert b"more than 20 MB" in sent[1]["body"]
    assert (len(held), max(held) < most, held[-1] < 2) == (30, True, True)


def test_a_body_that_breaks_off_is_not_passed_on():
    """A body that is too large is not stored."""
    limits = importlib.import_module("space.limits")
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/call/score", "headers": [(b"content-length", b"30000000")]}
    asyncio.run(limits.Gate(None)(scope, receive, send))
    assert sent[0]["status"] == 413


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_ngram_order", 50), ("tokenizer", "flores200"), ("trg_lang", "ja"), ("baseline", "A"), ("predictions", [])],
)
def test_no_limit_is_passed_by_under_another_name(name, value):
    """The metric understands other tools' names of options, and Python the names of its arguments."""
    metric = importlib.import_module("space.metric")
    options, texts = {name: value}, ["a b c d"]
    for request in (
        lambda: metric.request_score(texts, texts, options),
        lambda: metric.request_explanation("a", "a", options),
        lambda: metric.request_comparison({"A": texts, "B": texts}, texts, None, "bootstrap", options),
        lambda: metric.request_settings(texts, texts, "50", None, options),
    ):
        with pytest.raises(ValueError, match=f"Unknown option `{name}`. Choose among tokenize, "):
            request()


def test_the_demo_lists_the_ngrams_that_the_printed_table_lists():
    """Parts of longer n-grams are left out in both."""
    segments, metric = (importlib.import_module(f"space.{name}") for name in ("segments", "metric"))
    difference = metric.bleu.diff(["a b c d"], ["x y z e"], ["a b c d e"])
    overview = segments.render_overview(difference, ("A", "B"))
    assert [row[0] for row in difference.rows()[-2:]] == ["a b c d", "e"]
    for ngram, is_listed in {"a b c d": True, "e": True, "a b c": False, "b c": False, "a": False}.items():
        assert (f">{ngram}</td>" in overview) == is_listed
