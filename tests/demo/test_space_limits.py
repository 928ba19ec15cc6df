"""The demo's limits, which no browser reaches: sizes, requests that are let through, linear time, what is kept."""

import asyncio
import importlib
import json
import re
import time
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import ROOT, run_apart, watch

gradio = pytest.importorskip("gradio")

pytestmark = pytest.mark.usefixtures("space_can_be_imported")


def test_the_security_policy_says_how_long_texts_are_kept():
    minutes = importlib.import_module("space.limits").SECONDS_KEPT // 60
    assert f"deleted within {minutes} minutes" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


# A check, its arguments, and the message.
LIMITS = [
    ("check_sentence", (["a" * 2001],), "A text has 2,001 characters; the limit is 2,000. Shorten it, or score it as a corpus."),
    ("check_sentence", ([["a"] * 3000],), "A text has 3,000 tokens; the limit is 2,000. Shorten it, or score it as a corpus."),
    ("check_corpus", (["a"] * 100_001, ["a"] * 100_001), "There are 100,001 predictions; the limit is 100,000. Score a part of them here, or all of them with the metric in Python (see About)."),
    ("check_corpus", (["a"], [["b"] * 21]), "Line 1 has 21 references; the limit is 20."),
    ("check_systems", ({number: [] for number in range(31)}, []), "There are 31 systems; the limit is 30."),
    ("check_search", (["a"] * 150_000, ["a"] * 150_000), "A search takes up to 100,000 texts, and there are 300,000. Search with a part of them."),
    ("check_resampling", (10, 100_000, 10_000), "10,000 resamples are too many for 10 systems of 100,000 lines: choose up to 1,000 in the options."),
    ("check_value", ("reported", "9" * 101), "reported has 101 characters; the limit is 100."),
    ("check_value", ("weights", [0.1] * 101), "weights has 101 values; the limit is 100."),
    ("check_options", ({"tokenize": "flores200"}, ["tokenize"], ["13a", "zh"]), "tokenize='flores200': choose '13a' or 'zh'. Others need the metric in Python (see About)."),
    ("check_sentence", (["a" * 1900] * 6,), "The texts have 11,400 characters together; the limit is 10,000. Leave a reference out."),
]  # fmt: skip


@pytest.mark.parametrize(("check", "arguments", "message"), LIMITS)
def test_a_limit_says_what_to_change(check, arguments, message):
    module = importlib.import_module("space.files" if check.startswith("_") else "space.limits")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        getattr(module, check)(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "1,000 resamples are too many for 11 systems of 100,000 lines: leave the intervals out"),
        ({"n_resamples": 1}, "1,000 resamples are too many for 11 systems of 100,000 lines: leave the intervals out"),
        ({"confidence": 0.9, "n_resamples": 1}, "leave the intervals out .* or score a part of the lines"),
        ({"confidence": None}, "1,000 resamples are too many for 11 systems of 100,000 lines: choose up to 909"),
        ({"confidence": None, "n_resamples": None}, "1,000 resamples are too many for 11 systems of 100,000 lines: choose up to 909"),
        ({"confidence": None, "n_resamples": 910}, "910 resamples are too many for 11 systems of 100,000 lines"),
    ],
)  # fmt: skip
def test_the_resamples_of_the_test_and_of_the_intervals_are_both_within_the_limit(options, message):
    metric = importlib.import_module("space.metric")
    texts = ["a"] * 100_000
    with pytest.raises(ValueError, match=message):
        metric.request_comparison(
            {f"{n}": texts for n in range(11)}, texts, None, "bootstrap", options=options
        )


def test_a_comparison_within_both_limits_is_made():
    metric = importlib.import_module("space.metric")
    texts = ["a b c d"] * 50_000
    systems = {"A": texts, "B": texts[::-1], "C": texts}
    options = {"confidence": None, "n_resamples": 2}  # more would take long
    with pytest.warns(UserWarning, match=r"^n_resamples=2: too few"):
        found = metric.request_comparison(systems, texts, None, "bootstrap", options=options)
    assert found["n_resamples"] == 2


def test_an_error_that_no_one_expects_is_told_in_a_sentence(capsys):
    gate = importlib.import_module("space.gate")
    with pytest.raises(
        gradio.Error, match=r"This is an error of the demo, not of your texts\. Try other options\."
    ):
        gate.run({}.popitem)
    assert "KeyError" in capsys.readouterr().err


JOIN, EXPLAIN, SCORE, UPLOAD = (
    f"/gradio_api/{path}" for path in ("queue/join", "call/explain", "call/score", "upload")
)
NOT_FOUND = (404, "Not Found")
NO_LENGTH = (411, "Send the header Content-Length.")
LARGE_JSON = (
    413,
    "The texts have more than 300 kB. Upload them as files, or use the metric in Python.",
)
LARGE_UPLOAD = (
    413,
    "The files have more than 25 MB together. Upload a part of them, or use the metric in Python.",
)


def json_body(data, **others):
    return json.dumps({"data": data, **others}).encode()


def pass_gate(path, body=b"", method="POST", headers=None):
    """Return the status and the message of a rejected request, or the body that the app behind the gate receives."""
    received, sent, parts = (
        [],
        [],
        [body[i : i + 1_000_000] for i in range(0, len(body), 1_000_000)] or [b""],
    )

    async def app(scope, receive, send):
        received.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    headers = [(b"content-length", b"%d" % len(body))] if headers is None else headers
    asyncio.run(
        make_gate(app)(
            {"type": "http", "method": method, "path": path, "headers": headers}, receive, send
        )
    )
    assert (b"x-content-type-options", b"nosniff") in sent[0]["headers"]
    return received[0] if received else (sent[0]["status"], json.loads(sent[1]["body"])["detail"])


def make_gate(app):
    gate, page = (importlib.import_module(f"space.{name}") for name in ("gate", "page"))
    return gate.Gate(app, [endpoint.__name__ for endpoint in page.ENDPOINTS])


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
    ("path", "size", "answer"),
    [
        *((path, 300_001, LARGE_JSON) for path in (JOIN, EXPLAIN, SCORE, "/gradio_api/call/v2/explain", "/gradio_api/cancel")),
        (UPLOAD, 25_000_001, LARGE_UPLOAD),
        (SCORE, 300_000, bytes(300_000)),
        (UPLOAD, 25_000_000, bytes(1_000_000)),  # its first part
    ],
)  # fmt: skip
def test_a_body_has_a_largest_size(path, size, answer):
    assert pass_gate(path, bytes(size)) == answer


@pytest.mark.parametrize(
    "path", [JOIN, EXPLAIN, SCORE, "/gradio_api/call/v2/explain", "/gradio_api/cancel"]
)
def test_a_small_body_passes_unchanged(path):
    body = json_body(["a", ["b"], None], fn_index=1, session_hash="a")
    assert pass_gate(path, body) == body


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"content-length", b"-1")],
        [(b"content-length", b"9" * 30)],
        [(b"content-length", b"2"), (b"transfer-encoding", b"chunked")],  # the length of a chunked body is ignored
    ],
)  # fmt: skip
def test_a_body_has_a_length(headers):
    assert pass_gate(SCORE, b"{}", headers=headers) == NO_LENGTH


def test_nothing_is_kept_of_a_rejected_body():
    """The answer comes first; the body is read nevertheless, because clients read the answer only after sending."""
    held, sent = [], []

    async def receive():
        assert b"more than 300 kB" in sent[1]["body"]
        held.append(tracemalloc.get_traced_memory()[0] / 1_000_000)
        return {"type": "http.request", "body": bytes(1_000_000), "more_body": len(held) < 30}

    async def send(message):
        sent.append(message)

    headers = [(b"content-length", b"30000000")]
    request = {"type": "http", "method": "POST", "path": SCORE, "headers": headers}
    gate = make_gate(None)  # imports Gradio, which takes more memory
    tracemalloc.start()
    asyncio.run(gate(request, receive, send))
    tracemalloc.stop()
    assert (len(held), max(held) < 3) == (30, True)
    assert not sent[-1].get("more_body")


def test_work_that_has_waited_for_too_long_is_not_done(monkeypatch):
    """So the queue that a flood leaves behind is empty within a minute."""
    gate = importlib.import_module("space.gate")
    arrived = {"arrived": time.monotonic()}
    context = SimpleNamespace(
        get=lambda default: SimpleNamespace(request=SimpleNamespace(scope=arrived))
    )
    monkeypatch.setattr(gate, "LocalContext", SimpleNamespace(request=context))
    assert gate.run(lambda: "done") == "done"
    arrived["arrived"] -= gate.limits.SECONDS_TO_WAIT + 1
    with pytest.raises(gradio.Error, match=r"^'The demo was busy for 30 seconds\. Try again\.'$"):
        gate.run(lambda: "done")


def test_a_result_is_found_by_its_key_only(tmp_path):
    """No session is needed for it; anything but a key could be the path of another file."""
    metric, scored, files = (
        importlib.import_module(f"space.{name}") for name in ("metric", "scored", "files")
    )
    submission = files.Submission({"A": ["a b c d"]}, [["a b c d"]])
    kept, _ = scored.score_submission(submission, metric.OPTIONS, 0, "a remark")
    found, table = scored.read_segments(kept.key)
    assert found == kept
    assert table["prediction"].to_pylist() == ["a b c d"]
    path = Path(kept.list_files()[1])
    (tmp_path / "segments.parquet").write_bytes(path.read_bytes())
    for key in (
        "",
        "0" * 32,
        str(tmp_path),
        f"{kept.key}/",
        f"{kept.key}/../{kept.key}",
        kept.key.upper() + "\n",
    ):
        with pytest.raises(
            ValueError, match=r"^Results are deleted after 60 minutes\. Press Score again\.$"
        ):
            scored.read_segments(key)
    with pytest.raises(ValueError, match=r"^Choose a system of the list\.$"):
        found.name_column("B", "bleu")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_ngram_order", 50),
        ("tokenizer", "flores200"),
        ("trg_lang", "ja"),
        ("baseline", "A"),
        ("predictions", []),
    ],
)
def test_no_limit_is_passed_by_under_another_name(name, value):
    """The metric understands other tools' names of options, and Python the names of its arguments."""
    metric = importlib.import_module("space.metric")
    options, texts = {name: value}, ["a b c d"]
    for request in (
        lambda: metric.request_score(texts, texts, options),
        lambda: metric.request_explanation("a", "a", options),
        lambda: metric.request_comparison(
            {"A": texts, "B": texts}, texts, None, "bootstrap", options=options
        ),
        lambda: metric.request_settings(texts, texts, "50", None, options=options),
    ):
        with pytest.raises(ValueError, match=f"Unknown option `{name}`. Choose among tokenize, "):
            request()


@pytest.mark.filterwarnings("ignore:Intervals and tests of 3 segments")
def test_a_segment_that_is_too_long_for_colors_does_not_hide_the_result():
    """20 references of 600 characters are a segment within the limits of a corpus."""
    corpus, option_fields, segments, files = (
        importlib.import_module(f"space.{name}")
        for name in ("corpus", "options", "segments", "files")
    )
    text = "the cat sat on the mat and slept there " * 15
    references = [[text] * 20] * 3
    submission = files.Submission({"A": [text] * 3, "B": ["the cat", text, text]}, references)
    options = option_fields.read_options(option_fields.convention_values("default"))
    key = corpus.compute_result(submission, {**options, "confidence": None}).scored.key
    with gradio.Blocks():
        differences = segments.Differences(gradio.Textbox())
    update = differences.show_pair(key, "A", "B", "")
    assert "A in 1; 2 are equal" in update[differences.overview]
    assert "the limit is 10,000. Leave a reference out." in update[differences.opened]
    assert "the cat" in update[differences.listing]


# Characters that some pattern looks for, and what may stand around them.
CHARACTERS = [
    *" \t\n\x0c\u00a0\u3000.,;:!?()[]{}%&#@-'\"’“”…$+=<>/\\|_~^*`0aAéаßıאบ猫あ한\u200b\u0301😀",
    "&#",
    "@-@",
    "''",
    '" ',
    " '",
    "( ",
    "0.",
    ".0",
    "a.",
    "n't",
]


@pytest.mark.slow
@pytest.mark.processes
def test_text_of_equal_characters_takes_linear_time():
    """In all patterns that see a visitor's text; 15,000 spaces took 6 s, and 100,000 would have taken five minutes."""
    run_apart(f"""
from space import checks, html, metric
for unit in {CHARACTERS!r}:
    for text in (unit * (100_000 // len(unit)), "a" + unit * (100_000 // len(unit)) + "a"):
        for fix in checks.FIXES.values():
            fix(text)
        checks.find_remedies(text, ["a"], metric.OPTIONS)
        html.rows(["text"], [[text]])
        for tokenizer in metric.TOKENIZERS:
            if tokenizer == "ptb":
                text = " ".join(text.splitlines())  # captions have no line breaks
            metric.bleu.compute(predictions=[text], references=[text], tokenize=tokenizer, max_order=1)
""")


@pytest.mark.slow
@pytest.mark.processes
def test_marking_what_differs_is_linear_in_what_is_allowed():
    """1,000 tokens of each text took 8 s, and 2,000 more than a minute; 10,000 would take longer than `run_apart` waits."""
    run_apart("""
from space.sentence import find_differing
assert len(find_differing([["a", "x"] * 5_000, ["a", "y"] * 5_000])[0]) == 5_000
""")


def test_a_keystroke_makes_no_new_components():
    """Gradio made the 12 that stay as they are, and kept them for the session."""
    options, app = (importlib.import_module(name) for name in ("space.options", "app"))
    session = importlib.import_module("gradio.state_holder").SessionState(app.demo)
    (typed,) = (one for one in app.demo.fns.values() if one.name == "show_typed")
    values = options.convention_values("default", options.SCORING_OPTIONS)
    update = typed.fn(None, "a b c d", "", "a b c d", *values, False)
    answers = asyncio.run(app.demo.postprocess_data(typed, update, session))
    components = [output for output in typed.outputs if not isinstance(output, gradio.State)]
    assert [one for one in components if session[one._id] is not one] == []
    left_alone = [
        output for output, answer in zip(typed.outputs, answers) if answer == gradio.skip()
    ]
    assert left_alone == [output for output in typed.outputs if output not in update]
    assert len(left_alone) == 12


def test_a_dropped_request_is_not_answered():
    """page.js drops requests that a later one overtakes; a program sends no value for it."""
    sentence = importlib.import_module("space.sentence")
    answer = sentence.answer_sent(lambda text: {"shown": text})
    assert answer("a", True) == {}
    assert answer("a", False) == {"shown": "a"}
    assert answer("a", None) == {"shown": "a"}


HUGE = "a " * 7_000_000


def test_a_rejected_text_is_not_kept():
    """Neither in the session nor in the fields: a call with 15 MB left 15 MB behind."""
    options, app = (importlib.import_module(name) for name in ("space.options", "app"))
    functions = {
        getattr(function.fn, "__name__", ""): function.fn for function in app.demo.fns.values()
    }
    values = options.convention_values("default", options.SCORING_OPTIONS)
    event = SimpleNamespace(fix="detokenize", options="{}")
    for texts in ((HUGE, "", "a"), ("a", HUGE, "a"), ("a", "", HUGE), ("a", "", "\n" * 7_000_000)):
        for update in (
            functions["show_typed"](None, *texts, *values, False),
            functions["show_chosen"](None, *texts, *values, False),
            functions["show_convention"]("default", *texts, False),
            functions["show_fixed"](event, None, *texts, *values, False),
        ):
            sizes = {type(part).__name__: len(str(value)) for part, value in update.items()}
            assert max(sizes.values()) < 1_000
            assert "The texts have over 10,000 characters together" in str(update)
            assert [value for part, value in update.items() if isinstance(part, gradio.State)] == [
                None
            ]


def test_the_documented_limits_are_in_force():
    limits, page = (
        importlib.import_module("space.limits"),
        (ROOT / "docs" / "space.md").read_text(encoding="utf-8"),
    )
    for line in (
        f"{limits.MAX_BODY_BYTES // 1000} kB",
        f"{limits.MAX_FILE_MEGABYTES} MB together, {limits.MAX_SEGMENTS:,} lines each, {limits.MAX_TEXTS:,} texts,"
        f" {limits.MAX_FILE_SIGNS:,} cells, {limits.MAX_SYSTEMS} systems, {limits.MAX_REFERENCES} references",
        f"{limits.MAX_SENTENCE_CHARACTERS:,} characters per text, {limits.MAX_SENTENCE_TOTAL:,} together",
        f"{limits.CONCURRENT_CORPORA} corpora at a time; a request that has waited for {limits.SECONDS_TO_WAIT} seconds",
    ):
        assert line in page


# Texts that name files and hosts.

HOSTILE = ["k3v9.txt", "/etc/k3v9", r"\\k3v9\share\x.txt", "http://k3v9.example/x.txt"]
FILES = [
    {"path": "http://k3v9.example/x.txt", "meta": {"_type": "gradio.FileData"}},
    {"path": "/etc/k3v9", "url": "http://k3v9.example/x", "meta": {"_type": "gradio.FileData"}},
]


@pytest.mark.filterwarnings("ignore")
def test_no_text_of_a_program_is_asked_of_the_file_system_or_the_network(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k3v9.txt").write_text("a b c d\n", encoding="utf-8")
    page = importlib.import_module("space.page")
    answers = {}
    with watch() as asked:
        for text in (*HOSTILE, "a b c d k3v9"):
            for column in ([text], text, [text, text]):
                calls = {
                    "explain": lambda: page.explain(column, column),
                    "score": lambda: page.score(column, column),
                    "compare": lambda: page.compare({"A": column, "B": column}, column),
                    "reconcile": lambda: page.reconcile(column, column),
                    "reported": lambda: page.reconcile(["a b"], ["a b"], text),
                }
                for name, call in calls.items():
                    try:
                        call()
                    except gradio.Error as error:
                        answers.setdefault((name, type(column)), set()).add(error.message)
    assert asked == []
    assert len(answers["score", str]) == 1  # a file that exists, and one that doesn't


@pytest.mark.parametrize("file", FILES, ids=["address", "path"])
def test_an_object_of_a_file_is_no_text(file):
    """Gradio would fetch its address, for any field of the page and any endpoint."""
    demo = importlib.import_module("space.page").build_demo()
    with watch() as asked:
        for event in demo.fns.values():
            for number, block in enumerate(event.inputs):
                is_upload = isinstance(block, gradio.File)
                values = [None] * len(event.inputs)
                values[number] = [file]
                if is_upload and not file["path"].startswith("http"):
                    continue  # Gradio checks that it was uploaded
                with pytest.raises(gradio.Error, match="file"):
                    asyncio.run(demo.preprocess_data(event, values, None))
    assert asked == []
