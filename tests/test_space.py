"""The demo's docstrings, and limits that no browser reaches; what a visitor sees is in integration/space_tests."""

import asyncio
import doctest
import importlib
import json
import re
import tracemalloc
from types import SimpleNamespace

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
    ("check_sentence", (["a" * 1900] * 6,), "The texts have 11,400 characters together; the limit is 10,000. Leave a reference out."),
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
    with pytest.raises(ValueError, match=f"^{name}: Parquet is not accepted. Upload text, CSV, TSV or JSONL.$"):
        sources.describe_file(str(tmp_path / name))


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


JOIN, EXPLAIN, SCORE, UPLOAD = (
    f"/gradio_api/{path}" for path in ("queue/join", "call/explain", "call/score", "upload")
)
NOT_FOUND = (404, "Not Found")
NO_DATA = (422, 'Expected an object such as {"data": []}.')
TOO_MANY = "There are {} values in this request; the limit is {}. Send a part of them."


def json_body(data, **others):
    return json.dumps({"data": data, **others}).encode()


def pass_gate(path, body=b"", method="POST", gate=None, headers=None, client="1"):
    """Return the status and the message of a rejected request, or the body that the app behind the gate receives."""
    received, sent, parts = [], [], [body[i : i + 1_000_000] for i in range(0, len(body), 1_000_000)] or [b""]

    async def app(scope, receive, send):
        received.append((await receive())["body"] if scope["path"] != UPLOAD else b"")

    async def receive():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    demo = importlib.import_module("app").demo
    headers = [(b"content-length", b"%d" % len(body))] if headers is None else headers
    scope = {"type": "http", "method": method, "path": path, "headers": headers, "client": (client, 1)}
    gate = gate or make_gate()
    gate._app = app
    scope["app"] = SimpleNamespace(get_blocks=lambda: demo)
    asyncio.run(gate(scope, receive, send))
    return received[0] if received else (sent[0]["status"], json.loads(sent[1]["body"])["detail"])


def make_gate():
    limits, endpoints = (importlib.import_module(f"space.{name}") for name in ("limits", "endpoints"))
    return limits.Gate(None, [endpoint.__name__ for endpoint in endpoints.ENDPOINTS])


def functions(name):
    """Return the numbers of the functions for programs, or of those for the page."""
    names = [endpoint.__name__ for endpoint in importlib.import_module("space.endpoints").ENDPOINTS]
    found = importlib.import_module("app").demo.fns.items()
    return [number for number, function in found if (function.api_name in names) == (name == "endpoints")]


@pytest.mark.parametrize("path", [
    "/monitoring", "/monitoring/summary", "/monitoring/key", "/docs", "/openapi.json", "/login_check", "/gradio_api/login_check",
    "/gradio_api/deep_link", "/gradio_api/file=http://example.org/", "/gradio_api/file=a.txt", "/gradio_api/proxy=http://example.org",
    "/gradio_api/vibe-code", "/gradio_api/runs", "/gradio_api/custom_component/1/a/b/c", "/gradio_api/stream/a/b/1/playlist.m3u8",
    "/config/../monitoring", "/x", "//", "/assets", "/config\n",
])  # fmt: skip
def test_only_what_the_page_reads_can_be_read(path):
    assert pass_gate(path, method="GET") == NOT_FOUND
    assert pass_gate(path, method="HEAD") == NOT_FOUND


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
def test_the_page_is_not_written(method):
    assert pass_gate("/", method=method) == NOT_FOUND


@pytest.mark.parametrize("path", [
    "/gradio_api/call/upload", "/gradio_api/run/upload", "/gradio_api/api/upload", "/gradio_api/call/score/", "/call/score", "/upload",
    "/gradio_api/upload/", "/gradio_api/run/explain", "/gradio_api/api/explain", "/gradio_api/call/v2/upload", "/gradio_api/call/x/explain",
    "/gradio_api/component_server", "/gradio_api/component_server/", "/gradio_api/process_recording", "/gradio_api/stream/a",
    "/gradio_api/vibe-edit", "/gradio_api/run-history/connect", "/login", "/gradio_api/queue/join/",
])  # fmt: skip
def test_bodies_go_to_exact_paths_only(path):
    """A path that ended in `/upload` took 30 MB of JSON, and froze the demo for 24 s."""
    assert pass_gate(path, json_body([["a"] * 100])) == NOT_FOUND


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        (SCORE, b"[" + b"[]," * 400_000, (413, TOO_MANY.format("800,001", "300,000"))),
        (SCORE, json_body([["a"] * 310_000]), (413, TOO_MANY.format("310,001", "300,000"))),
        (SCORE, b"[" * 100, (413, "The lists in this request are nested 100 deep; the limit is 12.")),
        (SCORE, bytes(10_000_001), (413, "This is more than 10 MB, the limit for one request. Send a part of it.")),
        (EXPLAIN, bytes(1_000_001), (413, "This is more than 1 MB, the limit for one request. Send a part of it.")),
        (UPLOAD, bytes(50_000_001), (413, "This is more than 50 MB, the limit for one request. Send a part of it.")),
        ("/gradio_api/cancel", bytes(10_001), (413, "This is more than 0.01 MB, the limit for one request. Send a part of it.")),
        (SCORE, b"[1]", NO_DATA),
        (SCORE, json_body([], x=["a"] * 2_000), NO_DATA),  # Gradio would repeat the list in its message
        (SCORE, json_body({str(i): [] for i in range(2_000)}), NO_DATA),
        (SCORE, b"{", (422, "This is not JSON, or has a number that is too large (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)).")),
        (JOIN, json_body([["a"] * 1_001], fn_index=10**6), (413, TOO_MANY.format("1,004", "1,000"))),
    ],
)  # fmt: skip
def test_a_body_is_checked_before_gradio_parses_it(path, body, answer):
    assert pass_gate(path, body) == answer


def test_many_values_go_to_endpoints_only():
    """The page sends a value per field: 100,000 paths of files kept Gradio busy."""
    body = {
        name: [json_body([["a"] * 2_000], fn_index=number) for number in functions(name)]
        for name in ("endpoints", "page")
    }
    assert [pass_gate(JOIN, one) for one in body["endpoints"]] == body["endpoints"]
    assert {pass_gate(JOIN, one) for one in body["page"]} == {(413, TOO_MANY.format("2,003", "1,000"))}


@pytest.mark.parametrize("path", [JOIN, EXPLAIN, SCORE, "/gradio_api/call/v2/explain", "/gradio_api/cancel"])
def test_a_small_body_passes_unchanged(path):
    body = json_body(["a", ["b"], None], fn_index=1, session_hash="a")
    assert pass_gate(path, body) == body


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"-1")], [(b"content-length", b"9" * 30)]])
def test_a_body_has_a_length(headers):
    assert pass_gate(SCORE, b"{}", headers=headers) == (411, "Send the header Content-Length.")


def test_uploads_are_limited_per_visitor_and_together(monkeypatch):
    limits = importlib.import_module("space.limits")
    monkeypatch.setattr(limits, "MAX_VISITOR_MEGABYTES", 3)
    monkeypatch.setattr(limits, "MAX_SERVER_MEGABYTES", 5)
    gate, megabyte = make_gate(), bytes(1_000_000)
    much = "More than {} MB were uploaded within an hour. Try again later."
    assert [pass_gate(UPLOAD, megabyte, gate=gate) for _ in range(4)] == [b"", b"", b"", (429, much.format(3))]
    assert [pass_gate(UPLOAD, megabyte, gate=gate, client="2") for _ in range(3)] == [b"", b"", (429, much.format(5))]
    monkeypatch.setattr(limits, "SECONDS_KEPT", 0)
    assert pass_gate(UPLOAD, megabyte, gate=gate) == b""


def test_large_bodies_are_limited_while_they_are_received(monkeypatch):
    """A client that holds back the ends of its requests does not fill the memory; small requests still pass."""
    limits, gate, body = importlib.import_module("space.limits"), make_gate(), json_body(["a" * 2_000_000])
    gate._held.update({"1": 32_000_000, "2": 50_000_000})
    busy = (503, "The demo is busy with other large requests. Try again in a minute.")
    assert (pass_gate(SCORE, body, gate=gate), pass_gate(SCORE, body, gate=gate, client="3")) == (busy, body)
    gate._held["4"] = 17_000_000
    assert (pass_gate(SCORE, body, gate=gate, client="3"), gate._held["3"]) == (busy, 0)
    assert pass_gate(SCORE, json_body([]), gate=gate) == json_body([])
    assert limits.MAX_HELD_MEGABYTES == 100


def test_nothing_is_kept_of_a_rejected_body():
    """It is read nevertheless, because clients read the answer only after sending."""
    held, sent = [], []

    async def receive():
        held.append(tracemalloc.get_traced_memory()[0] / 1_000_000)
        return {"type": "http.request", "body": bytes(1_000_000), "more_body": len(held) < 30}

    async def send(message):
        sent.append(message)

    headers = [(b"content-length", b"30000000")]
    tracemalloc.start()
    asyncio.run(make_gate()({"type": "http", "method": "POST", "path": SCORE, "headers": headers}, receive, send))
    tracemalloc.stop()
    assert b"more than 10 MB" in sent[1]["body"]
    assert (len(held), max(held) < 3) == (30, True)


def test_a_body_that_breaks_off_is_not_passed_on():
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    headers = [(b"content-length", b"10")]
    asyncio.run(make_gate()({"type": "http", "method": "POST", "path": SCORE, "headers": headers}, receive, send))
    assert sent[0]["status"] == 400


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
        with pytest.raises(ValueError, match=f"There is no option `{name}` here. Choose among tokenize, "):
            request()


def test_the_demo_lists_the_ngrams_that_the_printed_table_lists():
    """Parts of longer n-grams are left out in both."""
    segments, metric = (importlib.import_module(f"space.{name}") for name in ("segments", "metric"))
    difference = metric.bleu.diff(["a b c d"], ["x y z e"], ["a b c d e"])
    overview = segments.render_overview(difference, ("A", "B"))
    assert [row[0] for row in difference.rows()[-2:]] == ["a b c d", "e"]
    for ngram, is_listed in {"a b c d": True, "e": True, "a b c": False, "b c": False, "a": False}.items():
        assert (f">{ngram}</td>" in overview) == is_listed
