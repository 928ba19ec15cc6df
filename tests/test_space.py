"""The demo's docstrings, and limits that no browser reaches; what a visitor sees is in integration/space_tests."""

import asyncio
import csv
import doctest
import gzip
import html as html_module
import importlib
import json
import random
import re
import subprocess
import sys
import time
import tracemalloc
import warnings
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

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
    assert (
        "](https://huggingface.co/spaces/user/bleu_metric/blob/main/docs/recipes.md#comparing-systems)"
        in card
    )
    assert card.count("](data:image/svg+xml;base64,") == 1
    assert re.findall(r"\]\((?!https://|data:)(.*?)\)", card) == []


def test_the_security_policy_says_how_long_texts_are_kept():
    minutes = importlib.import_module("space.limits").SECONDS_KEPT // 60
    assert f"deleted within {minutes} minutes" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


# A check, its arguments, and the message.
LIMITS = [
    ("check_sentence", (["a" * 2001],), "A text has 2,001 characters; the limit is 2,000. Shorten it, or score it as a corpus."),
    ("check_sentence", ([["a"] * 3000],), "A text has 3,000 tokens; the limit is 2,000. Shorten it, or score it as a corpus."),
    ("check_corpus", (["a"] * 100_001, ["a"] * 100_001), "There are 100,001 predictions; the limit is 100,000. Score a part of them here, or all of them with the metric in Python (see About)."),
    ("check_corpus", (["a"], [["b"] * 21]), "Segment 1 has 21 references; the limit is 20."),
    ("check_systems", ({number: [] for number in range(11)}, []), "There are 11 systems; the limit is 10."),
    ("check_search", (["a"] * 150_000, ["a"] * 150_000), "A search takes up to 100,000 texts, and there are 300,000. Search with a part of them."),
    ("check_resampling", (10, 100_000, 10_000), "10,000 resamples are too many for 10 systems of 100,000 segments: choose up to 400 in the options."),
    ("check_value", ("reported", "9" * 101), "reported has 101 characters; the limit is 100."),
    ("check_value", ("weights", [0.1] * 101), "weights has 101 values; the limit is 100."),
    ("check_options", ({"tokenize": "flores200"}, ["tokenize"], ["13a", "zh"]), "tokenize='flores200': choose '13a' or 'zh'. Others need the metric in Python (see About)."),
    ("check_sentence", (["a" * 1900] * 6,), "The texts have 11,400 characters together; the limit is 10,000. Leave a reference out."),
    ("_check_lengths", ("A.txt", ["a"], []), "A.txt has 1 segment, and there are references for 0. They must correspond line by line; an empty line is a segment."),
    ("_check_complete", ("A.jsonl", ["a", None]), "A.jsonl, segment 2: the text is missing. Write an empty text for an empty segment."),
]  # fmt: skip


@pytest.mark.parametrize(("check", "arguments", "message"), LIMITS)
def test_a_limit_says_what_to_change(check, arguments, message):
    module = importlib.import_module("space.files" if check.startswith("_") else "space.limits")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        getattr(module, check)(*arguments)


@pytest.mark.parametrize("name", ["a.parquet", "a.PARQUET"])
def test_parquet_is_not_accepted(tmp_path, name):
    """By its name, before anything of it is read."""
    (tmp_path / name).write_bytes(b"PAR1")
    files = importlib.import_module("space.files")
    with pytest.raises(
        ValueError, match=f"^{name}: Parquet is not accepted. Upload text, CSV, TSV or JSONL.$"
    ):
        files.describe_file(str(tmp_path / name))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {},
            "1,000 resamples are too many for 10 systems of 100,000 segments: leave the intervals out",
        ),
        (
            {"n_resamples": 1},
            "1,000 resamples are too many for 10 systems of 100,000 segments: leave the intervals out",
        ),
        (
            {"confidence": 0.9, "n_resamples": 1},
            "leave the intervals out .* or score a part of the segments",
        ),
        (
            {"confidence": None},
            "1,000 resamples are too many for 10 systems of 100,000 segments: choose up to 400",
        ),
        (
            {"confidence": None, "n_resamples": None},
            "1,000 resamples are too many for 10 systems of 100,000 segments: choose up to 400",
        ),
        (
            {"confidence": None, "n_resamples": 401},
            "401 resamples are too many for 10 systems of 100,000 segments",
        ),
    ],
)
def test_the_resamples_of_the_test_and_of_the_intervals_are_both_within_the_limit(options, message):
    metric = importlib.import_module("space.metric")
    texts = ["a"] * 100_000
    with pytest.raises(ValueError, match=message):
        metric.request_comparison(
            {f"{n}": texts for n in range(10)}, texts, None, "bootstrap", options=options
        )


def test_a_comparison_within_both_limits_is_made():
    metric = importlib.import_module("space.metric")
    texts = ["a b c d"] * 50_000
    systems = {"A": texts, "B": texts[::-1], "C": texts}
    options = {"confidence": None, "n_resamples": 2}  # more would take long
    with pytest.warns(UserWarning, match=r"^n_resamples=2: too few"):
        found = metric.request_comparison(systems, texts, None, "bootstrap", options=options)
    assert found["n_resamples"] == 2


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            ValueError("reported='127': pass a score from 0 to 1 or from 0 to 100."),
            ">Type the score as a number from 0 to 100, such as 27.30.<",
        ),
        (ValueError("9" * 1000), "9" * 399 + "…"),
        (OverflowError("Python int too large to convert to C long"), "a number is too large"),
    ],
)
def test_an_error_of_the_search_is_told_as_all_others_are(monkeypatch, error, told):
    corpus, metric, scored, files = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "metric", "scored", "files")
    )

    def fail(*arguments, **named):
        raise error

    monkeypatch.setattr(corpus, "request_settings", fail)
    submission = files.Submission({"A": ["a b c d"]}, [["a b c d"]])
    kept, _ = scored.score_submission(submission, metric.OPTIONS, "all", "")
    answer = corpus.explain_number(kept.key, "A", "12.7")
    assert told in answer
    assert "Python" not in answer
    assert len(answer) < 500


def test_each_factor_of_a_search_has_a_phrase():
    """For each value that a search tries, a mean of segment scores included."""
    metric, options = (importlib.import_module(f"space.{name}") for name in ("metric", "options"))
    reconcile = importlib.import_module(
        f"{metric.report.__name__.rpartition('.')[0]}.bleu_reconcile"
    )
    factors = {"mean_of_segments": (True,), "effective_order": (True, False)}
    searched = [*factors.items(), *reconcile.FACTORS.items(), *reconcile.SEGMENT_FACTORS.items()]
    for name, values in searched:
        assert all(options.describe_setting(name, value) for value in values)
    assert {name for name, _ in searched} == {*reconcile.Setting._fields}


def test_a_mean_of_segment_scores_is_explained_but_not_applied():
    """The demo scores corpora: a button would give another score than the one that it promises."""
    corpus, metric, scored, files = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "metric", "scored", "files")
    )
    predictions, references = (
        ["a b c d e f", "a b c d x", "x y"],
        ["a b c d e f", "a b c d e", "a b c"],
    )
    result = metric.bleu.compute(predictions=predictions, references=references, segments=True)
    mean = sum(result["segment_bleu"]) / 3
    submission = files.Submission({"A": predictions}, [[text] for text in references])
    kept, _ = scored.score_submission(submission, metric.OPTIONS, "all", "")
    answer = corpus.explain_number(kept.key, "A", f"{100 * mean:.6f}")
    assert "the score is the mean of the segments’ scores" in answer
    assert "data-action" not in answer


def test_an_error_that_no_one_expects_is_told_in_a_sentence(capsys):
    limits = importlib.import_module("space.limits")
    with pytest.raises(
        gradio.Error, match=r"This is an error of the demo, not of your texts\. Try other options\."
    ):
        limits.run({}.popitem)
    assert "KeyError" in capsys.readouterr().err


class _MadeResult(dict):
    """A result of `compare` or `rank` by hand."""

    def report(self):
        return "B and A score highest; signature nrefs:1.\n\n@bib"


def _rank_by_hand(interval=None):
    """Return a comparison and a ranking in which p alone would call B better than A."""
    scores = {"A": 20.0, "B": 20.5, "C": 10.0}
    systems = {name: {"score": score} for name, score in scores.items()}
    systems["B"] |= {"delta": 0.005, "p_value": 0.03}
    systems["C"] |= {"delta": -0.1, "p_value": 0.001}
    if interval:
        for system in systems.values():
            ends = (system["score"] - interval, system["score"] + interval)
            system["confidence_interval"] = tuple(end / 100 for end in ends)
    ranks = {"B": [1, 2], "A": [1, 2], "C": [3, 3]}
    pairs = [("B", "A", 0.06), ("B", "C", 0.002), ("A", "C", 0.0004)]
    comparison = _MadeResult(systems=systems, baseline="A", test="bootstrap", signature="nrefs:1")
    ranking = _MadeResult(
        ranking=[{"system": name, "rank_range": rank} for name, rank in ranks.items()],
        pairs=[{"systems": [first, second], "p_adjusted": p} for first, second, p in pairs],
        test="randomization", n_resamples=10_000, documents=170, family_wise=True, alpha=0.05,
    )  # fmt: skip
    return comparison, ranking


def _render(comparison, ranking, names, confidence=None, identical=None):
    leaderboard, scored = (
        importlib.import_module(f"space.{name}") for name in ("leaderboard", "scored")
    )
    kept = scored.Scored("", names, {"confidence": confidence}, "all", "")
    return leaderboard.render_systems(
        kept, comparison, ranking, names, size="997 segments", identical=identical or {}
    )


def _list_copied(html):
    return [html_module.unescape(text) for text in re.findall(r'data-copy="([^"]*)"', html)]


def test_verdicts_and_the_quoted_sentence_agree_with_the_ranking():
    """The headline is about all pairs; p alone would call B better than A."""
    summary, statistics = _render(*_rank_by_hand(), ["B", "A", "C"])
    assert '<p class="bleu-verdict">Two systems share first place.</p>' in summary
    assert "B leads by 0.50 BLEU, which may be chance. 997 segments." in summary
    assert re.findall(r">(first place|behind)</td>", summary) == ["first place", "behind"]
    assert '<p class="bleu-quote">B and A score highest.</p>' in statistics
    assert re.findall(r">(baseline|higher|lower|may be chance)</td>", statistics) == [
        "may be chance",
        "baseline",
        "lower",
    ]
    assert "corrected for 3 comparisons" in statistics
    sentence, markdown, latex = _list_copied(summary)
    assert sentence == "B and A score highest; signature nrefs:1."
    note = (
        "paired approximate randomization, 10,000 resamples by document (170 documents),"
        " ranks at a family-wise error of 5%; nrefs:1"
    )
    assert markdown.splitlines() == [
        "| System | BLEU | Rank |",
        "| --- | ---: | ---: |",
        "| B | 20.5 | 1–2 |",
        "| A | 20.0 | 1–2 |",
        "| C | 10.0 | 3 |",
        "",
        note.replace("nrefs:1", "`nrefs:1`"),
    ]
    assert latex.splitlines()[-1] == f"% {note}"
    assert r"B & 20.5 & 1--2 \\" in latex
    _markdown, latex = _list_copied(statistics)
    assert latex.splitlines()[0] == r"\begin{tabular}{llrrrrr}"
    assert r"C & lower & 10.00 &  & $-$10.00 &  & \textless{}0.001 \\" in latex
    assert "0.06 " in latex.replace("0.060", "0.06 ")


def test_a_paper_gets_system_score_and_interval():
    _sentence, markdown, latex = _list_copied(
        _render(*_rank_by_hand(interval=1.25), ["B", "A", "C"], confidence=0.95).summary
    )
    assert markdown.splitlines()[0] == "| System | BLEU | 95% CI | Rank |"
    assert markdown.splitlines()[2] == "| B | 20.5 | 19.2–21.8 | 1–2 |"
    assert r"B & 20.5 & 19.2--21.8 & 1--2 \\" in latex


@pytest.mark.parametrize(
    ("scores", "explained"),
    [
        ((33.44, 33.06), True),  # 33.4 and 33.1, but -0.38 is -0.4
        ((33.42, 32.41), False),  # 33.4 and 32.4, and -1.01 is -1.0
    ],
)
def test_rounded_numbers_add_up_or_the_page_says_why_not(scores, explained):
    leaderboard = importlib.import_module("space.leaderboard")
    standings = [leaderboard.Standing(f"{score}", score, None, "", True) for score in scores]
    board = leaderboard.Leaderboard("", "", standings, "", "")
    sentence = "Differences are rounded after subtraction."
    assert (sentence in leaderboard.draw_table(board)) == explained
    assert (sentence in leaderboard.draw_picture(board)) == explained


# Scores, half the width of each interval, and the systems off the scale.
AXES = [
    ([33.4, 33.1, 32.4, 31.5, 8.0], 1.5, [8.0]),
    ([90.7, 64.2, 17.6], 3.0, [17.6]),  # two are always on the axis
    ([90.7, 64.2, 40.6], 3.0, []),  # the third fits
    ([90.0, 20.0], 0.5, []),
    ([50.0, 50.0, 50.0], 0.0, []),
    ([33.4, 33.1, 8.0, 7.0, 6.0], 1.0, []),  # at least half are on the axis
]


@pytest.mark.parametrize(("scores", "half", "off"), AXES)
def test_the_axis_is_that_of_the_leading_group(scores, half, off):
    leaderboard = importlib.import_module("space.leaderboard")
    standings = [
        leaderboard.Standing(f"{score}", score, (score - half, score + half), "", True)
        for score in scores
    ]
    axis = leaderboard.find_axis(standings)
    assert [one.score for one in standings if not axis.has(one)] == off
    for standing in standings:
        if axis.has(standing):
            assert all(0 <= axis.place(end) <= 1 for end in standing.interval)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
    assert 2 <= len(axis.ticks) <= 8


HOSTILE_NAMES = ["<script>alert(1)</script>", "a&b\x00\ud800\uffff\u202e", "\"]]>'<!--"]


def test_the_picture_is_valid_xml_with_names_as_text():
    """As an editor or a converter reads it: shapes and text, without scripts, styles and links."""
    leaderboard = importlib.import_module("space.leaderboard")
    standings = [
        leaderboard.Standing(name, 30.0 - number, (29.0 - number, 31.0 - number), "1–3", True)
        for number, name in enumerate(HOSTILE_NAMES)
    ]
    standings.append(leaderboard.Standing("系统" * 30, 3.0, (2.0, 4.0), "4", False))
    board = leaderboard.Leaderboard("<Three>", "1 & 2", standings, "the test", "nrefs:1")
    picture = leaderboard.draw_picture(board)
    root = ElementTree.fromstring(picture.encode("utf-8"))
    names = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert names == {"svg", "title", "rect", "text", "path", "circle"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in attributes if name.startswith("on") or "href" in name]
    texts = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]
    joined = "\n".join(texts)
    for shown in (
        "<Three>",
        "1 & 2",
        "<script>alert(1)</script>",
        "the test",
        "nrefs:1",
        "first place",
    ):
        assert shown in joined
    assert joined.count("3.0") >= 2, "the score of a system off the scale is beside its arrow"
    assert len([one for one in root.iter() if one.tag.endswith("circle")]) == 3
    assert any("系统系统系统…系统" in text for text in texts), (
        "a wide name is shortened in its middle"
    )


def test_the_table_escapes_names_and_has_an_arrow_for_a_system_off_the_scale():
    leaderboard = importlib.import_module("space.leaderboard")
    standings = [
        leaderboard.Standing(name, score, (score - 1, score + 1), "1–2", True)
        for name, score in [("<b>", 33.0), ("x" * 40 + "end", 32.0), ("far", 8.0)]
    ]
    table = leaderboard.draw_table(leaderboard.Leaderboard("", "", standings, "", ""))
    assert 'title="&lt;b&gt;">&lt;b&gt;<' in table
    assert f'title="{"x" * 40}end">{"x" * 16}…{"x" * 12}end<' in table
    assert table.count('class="off"') == 1
    assert 'aria-label="33.0, interval 32.0 to 34.0"' in table


@pytest.mark.parametrize("order", [["A", "B"], ["B", "A"]])
def test_of_two_systems_the_better_comes_first_in_headline_sentence_and_table(order):
    """Whichever is uploaded first."""
    metric = importlib.import_module("space.metric")
    references = [f"the cat number {i} sat on mat {i % 7} again" for i in range(60)]
    texts = {
        "A": [text.replace("sat", "lay") for text in references],
        "B": [text.replace("the", "a") for text in references],
    }
    systems = {name: texts[name] for name in order}
    comparison = metric.request_comparison(
        systems, references, "A", "randomization", options={"confidence": 0.95}
    )
    scores = {name: f"{system['score']:.2f}" for name, system in comparison["systems"].items()}
    summary, statistics = _render(comparison, None, ["B", "A"], confidence=0.95)
    by = f"{100 * comparison['systems']['B']['delta']:.2f}"
    assert f"B scores higher than A, by {by} BLEU." in summary
    sentence, table = _list_copied(summary)[:2]
    assert sentence == comparison.report().partition("\n")[0]
    assert re.search(
        rf"B scores {scores['B']} .*a difference of \+{by} .*baseline A scores {scores['A']} ",
        sentence,
    )
    assert re.findall(r"^\| ([AB]) \|", table, re.MULTILINE) == ["B", "A"]
    assert re.findall(r">(higher|baseline|[+−]\d+\.\d\d)</td>", statistics) == [
        "higher",
        f"+{by}",
        "baseline",
    ]


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
    limits, page = (importlib.import_module(f"space.{name}") for name in ("limits", "page"))
    return limits.Gate(app, [endpoint.__name__ for endpoint in page.ENDPOINTS])


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
        [
            (b"content-length", b"2"),
            (b"transfer-encoding", b"chunked"),
        ],  # the length of a chunked body is ignored
    ],
)
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
    limits = importlib.import_module("space.limits")
    arrived = {"arrived": time.monotonic()}
    context = SimpleNamespace(
        get=lambda default: SimpleNamespace(request=SimpleNamespace(scope=arrived))
    )
    monkeypatch.setattr(limits, "LocalContext", SimpleNamespace(request=context))
    assert limits.run(lambda: "done") == "done"
    arrived["arrived"] -= limits.SECONDS_TO_WAIT + 1
    with pytest.raises(gradio.Error, match=r"^'The demo was busy for 30 seconds\. Try again\.'$"):
        limits.run(lambda: "done")


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


def test_the_demo_lists_the_ngrams_that_the_printed_table_lists():
    """Parts of longer n-grams are left out in both; the demo leaves out what matches once more."""
    segments, metric = (importlib.import_module(f"space.{name}") for name in ("segments", "metric"))
    systems = {"A": ["a b c d"] * 2 + ["f"], "B": ["x y z e"] * 2 + ["g"]}
    difference = metric.bleu.diff(systems, ["a b c d e", "a b c d e", "f"])
    tables = segments.render_tables(difference)
    assert "Matched more often by B</h3>" in tables
    assert [row[0] for row in difference._rows()[-3:]] == ["a b c d", "f", "e"]
    for ngram, is_listed in {
        "a b c d": True,
        "e": True,
        "f": False,
        "a b c": False,
        "b c": False,
        "a": False,
    }.items():
        assert (f">{ngram}</td>" in tables) == is_listed


@pytest.mark.filterwarnings("ignore:The score of 'A' is 0")
def test_a_phrase_is_listed_once_and_not_as_its_parts():
    segments, metric = (importlib.import_module(f"space.{name}") for name in ("segments", "metric"))
    phrase = "until you have left the station ."
    difference = metric.bleu.diff({"A": ["a b"] * 2, "B": [phrase] * 2}, [phrase] * 2)
    tables = segments.render_tables(difference)
    assert tables.count(">0 : 2</td>") == 1
    assert f">{phrase}</td>" in tables


@pytest.mark.filterwarnings("ignore:Intervals and tests of 3 segments")
def test_a_segment_that_is_too_long_for_colors_does_not_hide_the_result():
    """20 references of 600 characters are a segment within the limits of a corpus."""
    gradio = importlib.import_module("gradio")
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
        differences = segments.add_differences(gradio.Textbox())
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


def run_apart(code):
    """Run code in another process: a quadratic run would take hours, and hold on to this one."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=300)


@pytest.mark.slow
@pytest.mark.processes
def test_text_of_equal_characters_takes_linear_time():
    """In all patterns that see a visitor's text; 15,000 spaces took 6 s, and 100,000 would have taken five minutes."""
    run_apart(f"""
from space import html, metric, remedies
for unit in {CHARACTERS!r}:
    for text in (unit * (100_000 // len(unit)), "a" + unit * (100_000 // len(unit)) + "a"):
        for fix in remedies.FIXES.values():
            fix(text)
        remedies.find_remedies([text], [["a"]], metric.OPTIONS)
        html.rows(["text"], [[text]])
        for tokenizer in metric.TOKENIZERS:
            if tokenizer == "ptb":
                text = " ".join(text.splitlines())  # captions have no line breaks
            metric.bleu.compute(predictions=[text], references=[text], tokenize=tokenizer, max_order=1)
""")


# Texts whose score the metric warns about, options, and the button that the demo shows.
ADVISED = [
    ("the cat", "the cat", {}, "Skip n-grams longer than the text"),
    ("a b c d", "a b d c", {"smooth_method": "none"}, "Smooth as sacreBLEU does"),
    ("a b c .\n" * 100, "a b c .\n" * 100, {}, "Split at spaces only"),
    ("ไ ท ย ไ", "ไ ท ย ไ", {}, "Score by characters"),
]


@pytest.mark.parametrize(
    ("prediction", "reference", "options", "button"), ADVISED, ids=[row[-1] for row in ADVISED]
)
def test_buttons_do_not_depend_on_the_words_of_warnings(
    monkeypatch, prediction, reference, options, button
):
    remedies, metric = (importlib.import_module(f"space.{name}") for name in ("remedies", "metric"))
    messages = importlib.import_module(f"{metric._package}.bleu_messages")
    reword = lambda notice: notice._replace(problem="Something is odd", advice="; do something")
    for name, notice in list(vars(messages).items()):
        if isinstance(notice, messages.Notice):
            monkeypatch.setattr(messages, name, reword(notice))
    checks = sys.modules[f"{metric._package}.bleu_checks"].CHECKS
    for kind, check in checks.items():
        monkeypatch.setitem(checks, kind, check._replace(notice=reword(check.notice)))
    predictions, references = prediction.splitlines(), [[line] for line in reference.splitlines()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric.bleu.compute(predictions=predictions, references=references, **options)
    found, notes = remedies.add_warnings([], [warning.message for warning in caught])
    assert {str(warning.message) for warning in caught} == {"Something is odd; do something."}
    assert (found[0].finding, found[0].button) == ("Something is odd.", button)
    assert not notes


@pytest.mark.parametrize(
    "text", ["He said : it 's  known .", "a\n. b", "&#" + "9" * 5_000 + ";", "&quot; a &quot;"]
)
def test_detokenizing_keeps_lines_and_odd_entities(text):
    remedies = importlib.import_module("space.remedies")
    assert remedies.detokenize(text).count("\n") == text.count("\n")
    assert ("9" * 5_000 in remedies.detokenize(text)) == ("9" * 5_000 in text)


def common_length(first, second):
    """Return the length of a longest common subsequence, by its definition."""
    rows = [[0] * (len(second) + 1)]
    for a in first:
        rows.append([0])
        for j, b in enumerate(second):
            rows[-1].append(rows[-2][j] + 1 if a == b else max(rows[-1][-1], rows[-2][j + 1]))
    return rows[-1][-1]


def test_what_differs_is_all_but_a_longest_common_subsequence():
    find_differing, generator = (
        importlib.import_module("space.sentence").find_differing,
        random.Random(0),
    )
    for _ in range(500):
        texts = [
            generator.choices("abcd"[: generator.randrange(1, 5)], k=generator.randrange(12))
            for _ in range(2)
        ]
        kept = [
            [token for i, token in enumerate(text) if i not in out]
            for text, out in zip(texts, find_differing(texts))
        ]
        assert kept[0] == kept[1]
        assert len(kept[0]) == common_length(*texts)


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
    update = typed.fn(None, "a b c d", "", "a b c d", *values)
    answers = asyncio.run(app.demo.postprocess_data(typed, update, session))
    components = [output for output in typed.outputs if not isinstance(output, gradio.State)]
    assert [one for one in components if session[one._id] is not one] == []
    left_alone = [
        output for output, answer in zip(typed.outputs, answers) if answer == gradio.skip()
    ]
    assert left_alone == [output for output in typed.outputs if output not in update]
    assert len(left_alone) == 12


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
            functions["show_typed"](None, *texts, *values),
            functions["show_chosen"](None, *texts, *values),
            functions["show_convention"]("default", *texts),
            functions["show_fixed"](event, None, *texts, *values),
        ):
            sizes = {type(part).__name__: len(str(value)) for part, value in update.items()}
            assert max(sizes.values()) < 1_000
            assert "The texts have over 10,000 characters together" in str(update)
            assert [value for part, value in update.items() if isinstance(part, gradio.State)] == [
                None
            ]


def submit(folder, uploads, columns=(), reference_columns=(), labels=None, documents=None):
    """Read a submission of a system and of references, each from uploads; or return the error."""
    files, paths = importlib.import_module("space.files"), []
    for number, (name, data) in enumerate(uploads):
        (folder / f"{number}").mkdir(exist_ok=True)
        paths.append(folder / f"{number}" / name)
        paths[-1].write_bytes(data)
    first, *others = map(str, paths)
    others = others or [first] * 4
    try:
        return files.read_submission(
            [
                files.FROM_FILES,
                [first],
                columns,
                others,
                reference_columns,
                "",
                "",
                "",
                labels,
                documents,
            ]
        )
    except ValueError as error:
        return str(error.__cause__ or error)  # that of a file stands below the file


LINES = b"a\n" * 100_000
PART = "Upload a part of it, or use the metric in Python (see About)."


@pytest.mark.parametrize(
    ("files", "columns", "message"),
    [
        ([("a.txt", b"a" * 99_999 + b"\n") for _ in range(2)], (), 4),  # fields of a submission within the limits
        ([("a.txt", (b"a" * 99_999 + b"\n") * 100)] * 3, (), f"The files have 30 MB together; the limit is 25. {PART}"),
        ([("a.txt", (b"a" * 99_999 + b"\n") * 100)], (), f"The files have 50 MB together; the limit is 25. {PART}"),  # one, five times
        ([("a.txt", LINES)] * 6, (), f"The files have 600,000 texts; the limit is 500,000. {PART}"),
        ([("a.txt", b"a\n"), ("r.csv", b",".join(b"c%d" % i for i in range(100)) + b"\n" + b"," * 99)], [f"c{i}" for i in range(100)], "There are 100 columns of references; the limit is 20."),
        ([("a.txt", b"a\n"), *[("r.csv", b"x,y\nb,c\n")] * 11], ["x", "y"], "There are 22 columns of references; the limit is 20."),
        ([("a.txt", b"a\n"), ("r.csv", b"x,y\n" + b"," * 2_100_000)], ["x"], "r.csv has a line of over 400,000 bytes. Write one segment per line."),
        ([("a.txt", b"a\n"), ("r.tsv", b"\t" * 50 + b"\n" + (b"\t" * 50 + b"\n") * 41_000)], ["x"], "r.tsv has more than 2,000,000 cells or values. Leave out columns, or upload a part of it."),
        ([("a.txt", b"a\n"), ("r.jsonl", (b'{"r": [' + b"[]," * 100_000 + b"[]]}\n") * 20)], ["r"], "r.jsonl has more than 2,000,000 cells or values. Leave out columns, or upload a part of it."),
        ([("a.txt", b"a\n"), ("r.jsonl", b'{"r": [' + b"[]," * 100_000 + b"[]]}\n")], ["r"], "r.jsonl, line 1: expected a text or up to 20 texts."),
        ([("a.txt", b"a\n"), ("r.jsonl", b'{"r": [[]]}\n')], ["r"], "r.jsonl, line 1: expected a text or up to 20 texts."),
        ([("a.txt", b"a\n"), ("r.jsonl", b'{"r": {"a": 1}}\n')], ["r"], "r.jsonl, line 1: expected a text or up to 20 texts."),
    ],
)  # fmt: skip
def test_the_total_of_a_request_is_limited_before_it_is_parsed(tmp_path, files, columns, message):
    answer = submit(tmp_path, files, reference_columns=columns)
    assert (len(answer) if isinstance(message, int) else answer) == message


TABLE = b"mt\tdomain\na b c d\tnews\na b c e\tchat\n"


@pytest.mark.parametrize(
    ("table", "column", "expected"),
    [
        (TABLE, "domain", ["news", "chat"]),
        (TABLE, "no groups", None),
        (TABLE, None, None),
        (TABLE, ["domain"], "Choose one column of labels."),
        (TABLE, "topic", "None of the files has a column 'topic'."),
        (b"mt\tdomain\n" + b"".join(b"a\t%d\n" % i for i in range(101)), "domain", "The column 'domain' has 101 different labels; the limit is 100."),
    ],
)  # fmt: skip
def test_labels_are_a_column_of_the_table(tmp_path, table, column, expected):
    files = [("a.tsv", table), ("r.txt", b"a b c d\n" * (table.count(b"\n") - 1))]
    answer = submit(tmp_path, files, ["mt"], (), column)
    assert (answer if isinstance(answer, str) else answer.labels) == expected


def test_several_systems_have_no_interval_per_group():
    """None is shown, and a group of one document would bring a warning."""
    metric, scored, files = (
        importlib.import_module(f"space.{name}") for name in ("metric", "scored", "files")
    )
    systems, references = {"A": ["a b c d", "a b c e"], "B": ["a b c d"] * 2}, [["a b c d"]] * 2
    submission = files.Submission(systems, references, ["x", "y"], ["1", "2"])
    with metric.collect_warnings() as warnings:
        _, results = scored.score_submission(
            submission, {**metric.OPTIONS, "confidence": 0.95}, "all", ""
        )
    assert warnings == []
    assert all("confidence_interval" not in group for group in results["A"]["groups"].values())


def test_groups_are_a_table_of_the_metrics_scores():
    """Each cell is the score that the metric gives the group; a single system has intervals as well."""
    leaderboard, metric = (
        importlib.import_module(f"space.{name}") for name in ("leaderboard", "metric")
    )
    predictions, references, labels = (
        ["a b c d e", "a b c e d"] * 40,
        ["a b c d e"] * 80,
        ["x", "y"] * 40,
    )
    result, _ = metric.request_score(predictions, references, {"confidence": 0.9}, labels)
    one, two = (
        leaderboard.render_groups({"A": result}),
        leaderboard.render_groups({"A": result, "B": result}),
    )
    for label in ("x", "y"):
        alone = [
            [column[i] for i in range(80) if labels[i] == label]
            for column in (predictions, references)
        ]
        expected = metric.bleu.compute(predictions=alone[0], references=alone[1], confidence=0.9)
        low, high = (f"{100 * end:.2f}" for end in expected["confidence_interval"])
        assert f'>{label}</td><td class="number" dir="auto">{expected["score"]:.2f}<' in one
        assert f">{low} to {high}<" in one
        assert two.count(f">{expected['score']:.2f}<") == 2
    assert f"{result['score']:.2f}" in one
    assert f"{result['macro_score']:.2f}" in one
    assert leaderboard.render_groups({"A": {"score": 1.0}}) == ""


def test_groups_are_in_the_order_of_scores_with_the_best_of_each_in_bold():
    """All segments first; B is better than A, but not in group y."""
    leaderboard, metric = (
        importlib.import_module(f"space.{name}") for name in ("leaderboard", "metric")
    )
    references = ["a b c d e f"] * 4
    labels = ["x", "x", "x", "y"]
    texts = {"A": ["a b c d x y"] * 3 + ["a b c d e f"], "B": ["a b c d e f"] * 3 + ["a b c d x y"]}
    results = {
        name: metric.request_score(lines, references, {}, labels).result
        for name, lines in texts.items()
    }
    table = leaderboard.render_groups(results)
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table) == ["group", "B", "A"]
    rows = re.findall(r"<tr><td[^>]*>([^<]*)</td>(.*?)</tr>", table)
    assert [name for name, _ in rows] == ["all", "mean of the groups", "x", "y"]
    for _name, cells in (rows[0], rows[2]):
        assert re.search(r"<b>.*</td><td[^>]*>[\d.]+</td>", cells)
    assert "<b>100.00</b>" in rows[3][1]
    assert rows[3][1].index("<b>") > rows[3][1].index("</td>")


ORGANIZERS = {
    "organizer.tsv": b"domain\tdoc\treference\tsystem 1\tOnline-B\nnews\td1\ta b c d\ta b c e\ta x c d\nchat\td2\te f g h\te f g i\te y g h\n",
    "organizer.csv": b'Domain,doc_id,ref.A,ref.B,src,Facebook-AI,HuaweiTSC,chars\n"news, local",1,a b,b a,x y,a c,b c,3\nchat,1,e f,f e,z,e g,f g,3\n',
    "organizer.jsonl": b'{"lp": "en-is", "docid": "d", "id": 1, "reference": ["a", "b"], "Mideind": "a", "Allegro.eu": "c"}\n',
}


@pytest.mark.parametrize("name", ORGANIZERS)
@pytest.mark.parametrize(
    "fields", [("systems",), ("references",), ("systems", "references")], ids="+".join
)
def test_an_organizers_table_works_at_once(tmp_path, name, fields):
    """In either field or in both; what is preselected is what is scored."""
    files = importlib.import_module("space.files")
    (tmp_path / name).write_bytes(ORGANIZERS[name])
    path = str(tmp_path / name)
    guessed = files.guess_columns(files.describe_file(path))
    uploads = [[path] if role in fields else None for role in ("systems", "references")]
    values = [uploads[0], guessed["systems"], uploads[1], guessed["references"], "", "", ""]
    found = files.read_submission(
        [files.FROM_FILES, *values, guessed["labels"][0], guessed["documents"][0]]
    )
    assert found == {
        "organizer.tsv": ({"system 1": ["a b c e", "e f g i"], "Online-B": ["a x c d", "e y g h"]}, [["a b c d"], ["e f g h"]], ["news", "chat"], ["d1", "d2"]),
        "organizer.csv": ({"Facebook-AI": ["a c", "e g"], "HuaweiTSC": ["b c", "f g"]}, [["a b", "b a"], ["e f", "f e"]], ["news, local", "chat"], ["1", "1"]),
        "organizer.jsonl": ({"Mideind": ["a"], "Allegro.eu": ["c"]}, [["a", "b"]], ["en-is"], ["d"]),
    }[name]  # fmt: skip


def check_rejection(file, data, pattern):
    """Check why a file with these bytes is rejected when it is uploaded."""
    file.write_bytes(data)
    with pytest.raises(ValueError, match=pattern):
        importlib.import_module("space.files").describe_file(str(file))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b'{"p": "a"}\n' * 99_999 + b"{", "a.jsonl, line 100,000 is not JSON"),
        ("a.jsonl", b'{"p": "a"}\n' * 9 + b'{"q": "a"}', "a.jsonl, line 10 has other keys than line 1."),
        ("a.csv", b"p,q\n" + b"a,b\n" * 99_000 + b"a\n", "a.csv: line 99,002 has 1 cell, and line 1 has 2."),
        ("a.tsv", b"p\tq\n" + b"a\tb\n" * 99_000 + b"a\n", "a.tsv: line 99,002 has 1 cell, and line 1 has 2."),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_rejected_when_it_is_uploaded(tmp_path, name, data, message):
    check_rejection(tmp_path / name, data, f"^{re.escape(message)}")


def test_two_files_of_one_name_stay_apart(tmp_path):
    files = importlib.import_module("space.files")
    answer = submit(tmp_path, [("mt.txt", b"a\nb\n"), ("mt.txt", b"c\nd\n"), ("mt.txt", b"e\nf\n")])
    assert answer == ({"mt": ["a", "b"]}, [["c", "e"], ["d", "f"]], None, None)
    uploads = [files.describe_file(str(tmp_path / f"{number}" / "mt.txt")) for number in range(3)]
    assert {name: lines[0] for name, lines in files._read_systems([files.ChosenColumns(one, []) for one in uploads]).items()} == {
        "mt": "a", "mt (2)": "c", "mt (3)": "e"
    }  # fmt: skip


def test_the_common_prefix_of_long_names_is_cut_before_their_ends_are(tmp_path):
    files, scored = (importlib.import_module(f"space.{name}") for name in ("files", "scored"))
    paths = [tmp_path / f"{'newstest2021.' * 5}{name}{'x' * 70}.de" for name in ("A", "B")]
    for path in paths:
        path.write_text("a\n")
    systems = files._read_systems(
        [files.ChosenColumns(files.describe_file(str(path)), []) for path in paths]
    )
    submission, _ = scored.prepare_submission(files.Submission(systems, [["a"]]), "all", [])
    assert list(submission.systems) == [f"{name}{'x' * 29}…{'x' * 29}" for name in "AB"]


def test_names_that_become_equal_stay_apart():
    scored, files = (importlib.import_module(f"space.{name}") for name in ("scored", "files"))
    submission = files.Submission({"x" * 70 + "a": ["a"], "x" * 70 + "b": ["b"]}, [["a"]])
    systems = scored.prepare_submission(submission, "all", [])[0].systems
    assert systems == {
        "x" * 30 + "…" + "x" * 28 + "a": ["a"],
        "x" * 30 + "…" + "x" * 28 + "b": ["b"],
    }


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


@pytest.mark.filterwarnings(
    "ignore:The score is 0:UserWarning"
)  # as two words without a 4-gram must
def test_an_unchosen_effective_order_is_no_choice_for_segments():
    """Two words have no 4-gram: the page's titles promise effective order, a program may choose."""
    metric, scored, files = (
        importlib.import_module(f"space.{name}") for name in ("metric", "scored", "files")
    )
    submission = files.Submission({"A": ["a b"]}, [["a b"]])
    of_page = scored.count_submission(submission, metric.OPTIONS)["A"].result
    assert of_page["segment_bleu"] == [1.0]
    assert "segeff" not in of_page["signature"]
    of_program = metric.request_score(["a b"], [["a b"]], {"effective_order": False}).result
    assert of_program["segment_bleu"] == [0.0]
    assert "segeff:no" in of_program["signature"]


# --- How files are read ---------------------------------------------------------------------------

SPOKEN = ['He said "no".', "tab\there", "plain", 'two\nlines "a"', '"quoted"']


def write_table(path, written_by):
    """Write a table of `SPOKEN` as pandas or Python's csv does."""
    columns = {"mt": SPOKEN, "ref": ["r"] * len(SPOKEN)}
    if written_by == "pandas":
        pytest.importorskip("pandas").DataFrame(columns).to_csv(path, sep="\t", index=False)
        return
    with open(path, "w", encoding="utf-8", newline="") as file:
        quoting = csv.QUOTE_ALL if written_by == "csv, all" else csv.QUOTE_MINIMAL
        writer = csv.writer(file, delimiter="\t", quoting=quoting)
        writer.writerows([list(columns), *zip(*columns.values())])


@pytest.mark.parametrize("written_by", ["pandas", "csv", "csv, all"])
def test_a_tsv_with_quoted_cells_is_read_as_it_was_written(tmp_path, written_by):
    """Tabs, line feeds and quotation marks within cells included; and it is told below the name."""
    files, sources = (importlib.import_module(f"space.{name}") for name in ("files", "sources"))
    path = tmp_path / "a.tsv"
    write_table(path, written_by)
    upload = files.describe_file(str(path))
    assert files._read_columns(upload, ["mt"]) == {"mt": SPOKEN}
    assert upload.segments == len(SPOKEN)
    assert "quoted as by pandas; quotes removed" in sources._describe_reading(upload)[1]


@pytest.mark.parametrize(
    ("rows", "is_quoted"),
    [
        (b'"a ""b"" c"\tr\n', True),
        (b'"a ""b"" c"\tr "q" r\n', False),  # a cell that is not quoted has quotation marks
        (b'"a ""b""\tr\n', False),  # a quoted cell has no end
        (
            b'"a"\tr\n',
            False,
        ),  # a text in quotation marks: without two in a row, this is not certain
        (b'""\t""\n', False),
        (b'a "" b\tr\n', False),
        (b"a\tr\n", False),
    ],
)
def test_quotation_marks_in_a_tsv_stay_unless_all_cells_with_them_are_quoted(
    tmp_path, rows, is_quoted
):
    """As for `cut`, and in the files of WMT; if the cells are quoted, they stay on request."""
    files = importlib.import_module("space.files")
    path = tmp_path / "a.tsv"
    path.write_bytes(b"mt\tref\n" + rows)
    first_cell = rows.split(b"\t")[0].decode()
    for keeps_quotes in (True, False):
        upload = files.describe_file(str(path), keeps_quotes)
        (cell,) = files._read_columns(upload, ["mt"])["mt"]
        removes_quotes = is_quoted and not keeps_quotes
        assert cell == ('a "b" c' if removes_quotes else first_cell)
        assert upload.has_quoted_cells == is_quoted


@pytest.mark.slow
@pytest.mark.processes
def test_quoted_cells_are_found_in_linear_time():
    """Also in 20 MB of cells that begin with a quotation mark and have no end."""
    run_apart('''
import tempfile, pathlib
from space.files import describe_file
path = pathlib.Path(tempfile.mkdtemp()) / "a.tsv"
for line in (b'"a""b' * 40 + b"\\tb", b'"a\\t' + b'"a"x' * 40, b'""x' * 60 + b"\\tb", b'"""x' * 60 + b"\\tb"):
    path.write_bytes(b"mt\\tref\\n" + (line + b"\\n") * 90_000)
    try:
        describe_file(str(path))
    except ValueError:
        pass
''')


@pytest.mark.parametrize(
    ("names", "references"),
    [
        (["domain", "doc", "refA", "GPT-4"], ["refA"]),  # as in the files of WMT
        (["ref_b", "ref-C", "refs", "ONLINE-B"], ["ref_b", "ref-C", "refs"]),
        (["tgt.de", "mt.de"], ["tgt.de"]),
        (["RefA", "REF", "refb", "humanReference", "OnlineA"], ["RefA", "REF", "refb", "humanReference"]),
        (["preference", "prefA", "reform", "goldenMT"], []),
    ],
)  # fmt: skip
def test_columns_of_references_are_known_by_their_names(names, references):
    files = importlib.import_module("space.files")
    table = files.Description(Path("a.tsv"), names, 9, names)
    assert files.guess_columns(table)["references"] == references


def test_a_missing_column_is_asked_for_first_and_at_its_field(tmp_path):
    """Eleven texts without a known reference are not "eleven systems, the limit is ten"."""
    files, sources = (importlib.import_module(f"space.{name}") for name in ("files", "sources"))
    names = [f"text{number}" for number in range(11)]
    path = tmp_path / "a.tsv"
    path.write_text("\t".join(names) + "\n" + "a\t" * 10 + "a\n")
    table = files.describe_file(str(path))
    assert (
        sources._choose_role("references", [], [table])["label"]
        == "Which column has the reference?"
    )
    known = table._replace(columns=[*names, "refA"])
    assert sources._choose_role("references", [], [known])["label"] == "Columns"
    values = [files.FROM_FILES, [str(path)], names, None, [], "", "", "", None, None]
    with pytest.raises(
        ValueError, match=r"^Which column has the reference\? Choose it at References\.$"
    ):
        files.read_submission(values)
    values[2], values[4] = ["text3", "text4"], ["text3"]
    with pytest.raises(
        ValueError,
        match=r"^The column 'text3' is chosen for systems and for references\. Remove it from one of them\.$",
    ):
        files.read_submission(values)
    assert sources._leave_out_references(["text3"], names, [str(path)], None)["value"] == [
        name for name in names if name != "text3"
    ]
    values[2] = []
    with pytest.raises(ValueError, match=r"^Which column has the system\? Choose it at Systems\.$"):
        files.read_submission(values)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.tsv", b'p\tq\n"a\tb\na"\tb\na\tb\t"c\n', "a.tsv: line 4 has 3 cells, and line 1 has 2."),
        ("a.csv", b'p,q\n"a\nb",c\n"a,b",c,d\n', "a.csv: line 4 has 3 cells, and line 1 has 2."),
        ("a.csv", b"p,q\na,b\na\n", "a.csv: line 3 has 1 cell, and line 1 has 2."),
    ],
)  # fmt: skip
def test_a_line_with_another_number_of_cells_is_named(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        importlib.import_module("space.files").describe_file(str(tmp_path / name))


# The bytes of a file, the texts of its first column, and how the page says it read them.
READINGS = {
    "utf-16.txt": ("a\nñ\n".encode("utf-16"), ["a", "ñ"], "2 segments, UTF-16, one per line"),
    "utf-16-be.txt": (b"\xfe\xff" + "a\nñ\n".encode("utf-16-be"), ["a", "ñ"], "2 segments, UTF-16, one per line"),
    "Unicode text of Excel.txt": ("mt\tref\nñ\tb\n".encode("utf-16"), ["ñ"], "1 segment, UTF-16, columns: mt, ref"),
    "utf-16.csv": ("mt;ref\nñ;b\n".encode("utf-16"), ["ñ"], "1 segment, UTF-16, separated by semicolons, columns: mt, ref"),
    "semicolons.csv": (b"mt;ref\na, b;c\n", ["a, b"], "1 segment, separated by semicolons, columns: mt, ref"),
    "one column.csv": (b"mt\na; b\n", ["a; b"], "1 segment, columns: mt"),
    "zip.txt.gz": (gzip.compress(b"a\nb\n"), ["a", "b"], "2 segments, unpacked, one per line"),
    "zip.TSV.gz": (gzip.compress(b"mt\tref\na\tb\n"), ["a"], "1 segment, unpacked, columns: mt, ref"),
    "zip.jsonl.gz": (gzip.compress(b'{"mt": "a"}\n'), ["a"], "1 segment, unpacked, columns: mt"),
    "both.txt.gz": (gzip.compress("a\nñ\n".encode("utf-16")), ["a", "ñ"], "2 segments, unpacked, UTF-16, one per line"),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_a_file_is_read_and_the_page_says_how(tmp_path, name):
    files, sources = (importlib.import_module(f"space.{name}") for name in ("files", "sources"))
    data, texts, told = READINGS[name]
    (tmp_path / name).write_bytes(data)
    upload = files.describe_file(str(tmp_path / name))
    (column,) = files._read_columns(upload, upload.columns[:1]).values()
    assert column == texts
    assert sources._describe_reading(upload) == (name, told)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.docx", b"PK\x03\x04...", "a.docx is a Word file. Export it as text, CSV, TSV or JSONL."),
        ("a.xlsx", b"PK\x03\x04...", "a.xlsx is an Excel file. Export it as text, CSV, TSV or JSONL."),
        ("a.txt", b"PK\x03\x04...", "a.txt is a ZIP file. Export it as text, CSV, TSV or JSONL."),
        ("a.txt.gz", gzip.compress(b"a\n" * 500, mtime=0)[:-9], "a.txt.gz is damaged or incomplete. Pack it again, or upload it without packing."),
        ("a.txt.gz", gzip.compress(gzip.compress(b"a", mtime=0), mtime=0), "a.txt.gz is a gzip file within a gzip file. Export it as text, CSV, TSV or JSONL."),
        ("a.txt", "a\n".encode("utf-16") + b"\x00", "a.txt is not in UTF-16, though it begins so. Save it as UTF-8."),
    ],
)  # fmt: skip
def test_a_file_that_is_not_text_is_called_what_it_is(tmp_path, name, data, message):
    check_rejection(tmp_path / name, data, f"^{re.escape(message)}$")


def test_packed_files_have_the_same_limit_unpacked(tmp_path):
    """Each of 10 files of 20 kB has 20 MB unpacked; no more than the limit is unpacked to see it."""
    files = importlib.import_module("space.files")
    bomb = gzip.compress((b"a" * 99 + b"\n") * 200_000)
    paths = []
    for number in range(10):
        paths.append(tmp_path / f"{number}.txt.gz")
        paths[-1].write_bytes(bomb)
    tracemalloc.start()
    with pytest.raises(
        ValueError, match=r"^The files have more than 25 MB together\. Upload a part of it"
    ):
        files.check_files([str(path) for path in paths])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_different_numbers_of_lines_say_where_it_probably_begins():
    """Line 41 of 100 is missing, or doubled; the lengths of all others agree."""
    files = importlib.import_module("space.files")
    generator = random.Random(0)
    references = [["x" * generator.randrange(5, 200)] for _ in range(100)]
    texts = [row[0] for row in references]
    equal = ["x" * 50] * 99  # equal lengths
    cases = {
        "From line 41 on, the lines look shifted.": [*texts[:40], *texts[41:]],
        "From line 42 on, the lines look shifted.": [*texts[:41], texts[40], *texts[41:]],
        "The end is missing: line 100.": texts[:99],
        "The end is missing: lines 91 to 100.": texts[:90],
        "There is more at the end: line 101.": [*texts, "x" * 9],
    }
    for told, lines in cases.items():
        with pytest.raises(ValueError, match=rf" {re.escape(told)} They must correspond"):
            files._check_lengths("A", lines, references)
    with pytest.raises(ValueError, match=r"there are references for 100\. They must correspond"):
        files._check_lengths("A", equal, [["x" * 50]] * 100)


@pytest.mark.parametrize(
    ("names", "systems"),
    [
        (["base.seed1.txt", "base.seed2.txt"], {"base": 2}),
        (["base.seed1.de", "base.seed2.de", "big.seed1.de", "other.de"], {"base.de": 2, "big.de": 1, "other.de": 1}),
        (["mt_run-1", "mt_run-2", "mt_run-10"], {"mt": 3}),
        (["base-s42.txt", "base-s43.txt"], {"base": 2}),
        (["seed=1.base.txt", "seed=2.base.txt"], {"base": 2}),
        (["run1/out.txt", "run2/out.txt"], {"out": 2}),
        (["Base Seed 1", "Base Seed 2"], {"Base": 2}),
        # These differ in more than a run.
        (["gpt-3.txt", "gpt-4.txt"], {"gpt-3": 1, "gpt-4": 1}),
        (["system 1", "system 2"], {"system 1": 1, "system 2": 1}),
        (["reruns2", "brun3"], {"reruns2": 1, "brun3": 1}),
        (["seed1.txt", "seed2.txt"], {"seed1": 1, "seed2": 1}),  # no name is left
    ],
)  # fmt: skip
def test_runs_are_known_by_their_names(names, systems):
    found = importlib.import_module("space.files").group_runs(names)
    assert {system: len(runs) for system, runs in found.items()} == systems
    assert [name for runs in found.values() for name in runs] == names


def test_the_choice_of_runs_stays_while_other_files_are_uploaded(tmp_path):
    gradio, sources = importlib.import_module("gradio"), importlib.import_module("space.sources")
    runs = [
        tmp_path / f"{name}.txt" for name in ("a.seed1", "a.seed2", "b.seed1", "b.seed2", "ref")
    ]
    for path in runs:
        path.write_text("a b c\n")
    *systems, reference = map(str, runs)
    with gradio.Blocks():
        roles = {role: sources._add_role(role) for role in ("systems", "references")}
        fields = sources._UploadFields(
            gradio.State(),
            roles,
            gradio.Dropdown(),
            gradio.Dropdown(),
            gradio.Checkbox(),
            gradio.Checkbox(),
        )

    def show(before, *uploads):
        return sources._show_uploads(fields, before, False, *uploads)[fields.joins_runs]

    uploaded = show({}, systems, [])
    assert uploaded["value"]
    assert uploaded["label"] == "Score the mean of runs: a (2 runs), b (2 runs)"
    assert "value" not in show({"systems": systems, "references": []}, systems, [reference])
    assert show({"systems": systems, "references": []}, systems[:3], [])["value"]


def compute_runs(names, joins_runs=True):
    """Return the result of systems with these names, each worse than the one before."""
    corpus, option_fields, files = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "options", "files")
    )
    defaults = option_fields.read_options(option_fields.convention_values("default"))
    references = [f"the cat number {n} sat on the mat" for n in range(40)]
    systems = {}
    for number, name in enumerate(names):
        worse = [text.replace("sat on", "lay at") for text in references[: 10 + 8 * number]]
        systems[name] = worse + references[len(worse) :]
    submission = files.Submission(systems, [[text] for text in references])
    options = {**defaults, "confidence": 0.95}
    return corpus.compute_result(submission, options, joins_runs=joins_runs)


def test_runs_are_compared_by_their_means(students_t):
    """The tab has the result of `compare` with a dict of runs."""
    names = ["new.seed1", "new.seed2", "base.seed1", "base.seed2"]
    computed = compute_runs(names)
    assert computed.runs == {"new": names[:2], "base": names[2:]}
    assert (computed.names, computed.baseline) == (["new", "base"], "new")
    scores = {name: result["score"] for name, result in computed.results.items()}
    mean = (scores["new.seed1"] + scores["new.seed2"]) / 2
    summary, statistics = computed.rendered.summary, computed.rendered.statistics
    assert f">{mean:.1f}</b>" in summary
    assert "40 segments, 1 reference, means of 2 runs." in summary
    assert summary.count('class="run"') == 4
    assert "new.seed1" not in statistics
    assert "Welch" in statistics


def test_runs_that_the_visitor_does_not_join_are_systems():
    names = ["new.seed1", "new.seed2", "base.seed1", "base.seed2"]
    computed = compute_runs(names, joins_runs=False)
    assert sorted(computed.names) == sorted(names)
    assert "first place" in computed.rendered.summary


def test_several_systems_with_runs_have_no_ranks(students_t):
    """`rank` is for one run per system, so the headline claims no place."""
    names = [f"{system}.seed{seed}" for system in "abc" for seed in (1, 2)]
    computed = compute_runs(names)
    assert computed.baseline == "a"
    assert "a has the highest mean of runs." in computed.rendered.summary
    assert "first place" not in computed.rendered.summary


# --- What changes the meaning of a score ----------------------------------------------------------


def render_with(systems, references, **changes):
    """Return the result of some texts as the page shows it."""
    corpus, option_fields, files = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "options", "files")
    )
    defaults = option_fields.read_options(option_fields.convention_values("default"))
    options = {**defaults, "confidence": None, **changes}
    submission = files.Submission(systems, [[text] for text in references])
    return corpus.compute_result(submission, options).rendered


CHINESE = [f"我们用的是中文第{number}句话。" for number in range(30)]


# The metric warns of the same.
@pytest.mark.filterwarnings("ignore:.*scripts written without spaces", "ignore:The score")
@pytest.mark.parametrize("count", [1, 2])
def test_a_score_whose_meaning_is_in_doubt_stands_below_the_reason(count):
    """And the sentence, the Markdown and the LaTeX that a visitor copies have the reason."""
    systems = {f"S{number}": CHINESE[number:] + CHINESE[:number] for number in range(count)}
    doubtful = render_with(systems, CHINESE).summary
    clear = render_with(systems, CHINESE, tokenize="zh").summary
    assert doubtful.index("Score as Chinese") < doubtful.index("bleu-doubtful")
    reason = "This text has no spaces between words, and tokenizer 13a splits at spaces."
    copied = [html_module.unescape(text) for text in re.findall(r'data-copy="([^"]*)"', doubtful)]
    assert len(copied) == 3
    assert all(f"Caution: {reason}" in text for text in copied)
    assert "bleu-doubtful" not in clear
    assert "Caution" not in clear


@pytest.mark.filterwarnings("ignore:.*which language models add")
def test_markdown_to_copy_has_names_escaped():
    """In the table, and in the reason that names the system."""
    systems = {"__a__": [f"<think>Hm</think> a b c {number}" for number in range(30)]}
    systems["*b*"] = systems["__a__"][::-1]
    references = [f"a b c {number}" for number in range(30)]
    systems["c"] = references
    _, markdown, _ = _list_copied(render_with(systems, references).summary)[:3]
    table, note = markdown.split("\n\n")
    assert re.findall(r"^\| (\S+) \|", table, re.MULTILINE) == [
        "System",
        "---",
        "c",
        r"\_\_a\_\_",
        r"\*b\*",
    ]
    assert r" Caution: \_\_a\_\_, \*b\*: " in note
    assert re.search(r"; `nrefs:1\|[^`]*` Caution: ", note)


DOUBTS = [
    ("猫がマットの上に座っています。", "猫はマットの上に。", {}, "Score by characters"),
    ("我们用的是中文", "我们用的是中文", {}, "Score as Chinese"),
    ("a b c .", "a b c .", {}, "Split at spaces only"),
    ("a b c .", "a b c.", {}, "Detokenize the predictions"),
    ("Sure, here is the translation: a b", "a b", {}, ""),
    ("<think>Hm</think> a b", "a b", {}, ""),
    ("a b c<|im_end|>", "a b", {}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("prediction", "reference", "options", "button"), DOUBTS)
def test_what_changes_the_meaning_of_a_score_is_in_words(prediction, reference, options, button):
    remedies, metric = (importlib.import_module(f"space.{name}") for name in ("remedies", "metric"))
    found = remedies.find_remedies([prediction], [[reference]], {**metric.OPTIONS, **options})
    assert [remedy.button for remedy in found if remedy.changes_meaning] == [button]


@pytest.mark.parametrize(
    "text", ["Sure, I will come.", "Here is the news:", "Translation is hard.", "I cannot help it."]
)
def test_ordinary_text_is_no_leftover(text):
    remedies = importlib.import_module("space.remedies")
    assert remedies.find_leftovers([text]) == []


@pytest.mark.filterwarnings("ignore:.*language models add")
def test_leftovers_are_told_once():
    """The metric warns of them as well, with the number of a row, which a visitor has not."""
    references = [f"the cat number {i} sat on the mat" for i in range(40)]
    predictions = ["<think>Hm</think> a cat sat", *references[1:]]
    page = render_with({"A": predictions}, references).summary
    assert "“&lt;think&gt;” in segment 1. Remove them" in page
    assert "predictions[0]" not in page


def test_leftovers_in_the_references_as_well_are_text():
    remedies, metric = (importlib.import_module(f"space.{name}") for name in ("remedies", "metric"))
    texts = ["Sure, here is the translation: a b"]
    assert remedies.find_remedies(texts, [texts], metric.OPTIONS) == []


def test_each_system_is_looked_at():
    """One of two in tokens, or with leftovers, is a false verdict too; it is named."""
    references = [f"the cat number {i} sat, on mat {i % 7}." for i in range(30)]
    tokenized = [text.replace(",", " ,").replace(".", " .") for text in references]
    page = render_with({"A": references, "B": tokenized}, references).summary
    assert "B: The predictions look tokenized" in page
    assert "Detokenize the predictions" in page


@pytest.mark.parametrize(
    ("first", "second", "is_told"),
    [
        (33.1149, 33.1351, True),  # 33.14 - 33.11 = 0.03, and 0.0202 is shown as 0.02
        (33.1051, 33.1349, True),  # 33.13 - 33.11 = 0.02, and 0.0298 is shown as 0.03
        (33.10, 33.20, False),
    ],
)
def test_rounded_differences_of_the_statistics(first, second, is_told):
    leaderboard = importlib.import_module("space.leaderboard")
    note = "Differences are rounded after subtraction." if is_told else ""
    assert leaderboard.explain_rounding([first, second], first, digits=2) == note


def test_the_formula_has_its_100():
    html, metric = (importlib.import_module(f"space.{name}") for name in ("html", "metric"))
    formula = html.formula(metric.bleu.explain("a b c d e", ["a b c d f"]))
    assert formula.startswith('<p class="bleu-formula">= 100 · ')


def test_empty_predictions_are_listed():
    texts = ["a b c d"] * 3 + [""] + ["a b c d"] * 46 + ["", " "] + ["a b c d"] * 9
    page = render_with({"A": texts}, ["a b c d"] * len(texts)).summary
    assert "A: 3 predictions are empty: segments 4, 51 and 52." in page
    page = render_with({"A": ["", "a b c d"]}, ["a b c d"] * 2).summary
    assert "A: 1 prediction is empty: segment 1." in page
    page = render_with({"A": [""] * 20 + ["a b c d"]}, ["a b c d"] * 21).summary
    assert (
        "A: 20 predictions are empty: segments 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 10 more." in page
    )


# --- "You expected" -------------------------------------------------------------------------------

PASTED = [
    ("33.5", "33.5"),
    (" 33,50 ", "33,50"),
    ("0.3314", "0.3314"),
    ("33.5 BLEU", "33.5"),
    ("BLEU: 33.5", "33.5"),
    ("BLEU = 26.81", "26.81"),
    # The line of multi-bleu.perl, and of mteval-v13a.pl.
    ("BLEU = 26.81, 50.0/30.0/20.0/10.0 (BP=1.000, ratio=1.016, hyp_len=127, ref_len=125)", "26.81"),
    ("BLEU score = 0.2681 for system \"x\"", "0.2681"),
    ("BLEU = 33.1 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0", "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0 = 33.1"),
    ("33.1 (nrefs:1|case:mixed|tok:13a)", "BLEU|nrefs:1|case:mixed|tok:13a = 33.1"),
    ("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0 = 33.1 64.1/40.0/30.1/20.2 (BP = 1.000 ratio = 1.003 hyp_len = 1234 ref_len = 1230)", "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0 = 33.1"),
    ('{"name": "BLEU", "score": 33.1, "signature": "nrefs:1|case:lc", "verbose_score": "64.1/40.0"}', "BLEU|nrefs:1|case:lc = 33.1"),
    ("33.1 nrefs:1 | case:lc |\n tok:13a", "BLEU|nrefs:1 | case:lc | tok:13a = 33.1"),
    ("order:2|weights:1/0|case:lc = 33.1", "BLEU|order:2|weights:1/0|case:lc = 33.1"),
    # What is not a bar stays, so that `reconcile` rejects it.
    ("33.1 nrefs:1,case:lc,tok:13a", "BLEU|nrefs:1,case:lc,tok:13a = 33.1"),
    ("nrefs:1, case:lc; tok:13a = 33.1", "BLEU|nrefs:1, case:lc; tok:13a = 33.1"),
    ("nrefs:1 case:lc tok:13a = 33.1", "BLEU|nrefs:1 case:lc tok:13a = 33.1"),
    ("BLEU 33.1 (test:wmt20 / case:lc)", "BLEU|test:wmt20 / case:lc = 33.1"),
    ("33.1 date:2024", "33.1"),
    ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("pasted", "read"), PASTED)
def test_any_pasted_line_is_read_as_a_score(pasted, read):
    assert importlib.import_module("space.corpus").read_reported(pasted) == read


@pytest.mark.parametrize(
    "pasted", ["BLEU", "my score", "27,3,1", "nrefs:1|case:lc", "127", '{"score": "x"}', "{"]
)
def test_what_has_no_score_is_answered_with_an_example(pasted):
    corpus = importlib.import_module("space.corpus")
    with pytest.raises(
        ValueError, match=r"^Type the score as a number from 0 to 100, such as 27\.30\.$"
    ):
        corpus.read_reported(pasted)


def test_causes_are_in_groups_with_their_variants_folded():
    """A cause is the step that changes the score most."""
    corpus = importlib.import_module("space.corpus")
    spaces = {"factor": "tokenize", "value": "none", "delta": 0.02}
    case = {"factor": "lowercase", "value": True, "delta": 0.001}
    settings = [{"steps": [spaces]}, {"steps": [case, spaces]}, {"steps": [case]}]
    groups = corpus.group_causes(settings)
    assert [len(group) for group in groups.values()] == [2, 1]
    assert list(groups)[1] == "case is ignored"
