"""The demo's docstrings and results without a browser; what a visitor sees is in tests/demo/browser."""

import doctest
import html as html_module
import importlib
import random
import re
import sys
import types
import warnings
from collections import Counter

import pytest
import tutorials
from helpers import ROOT
from test_space_files import REFERENCES, drop_words

gradio = pytest.importorskip("gradio")

pytestmark = pytest.mark.usefixtures("space_can_be_imported")

FILES = sorted(path.stem for path in (ROOT / "space").glob("[!_]*.py"))


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


@pytest.mark.parametrize("folder", [".", "docs", "space", ".."])
def test_the_code_that_loads_the_metric_runs_where_the_demo_was_started(monkeypatch, folder):
    """In a clone; a Space has the Hub's name."""
    page = importlib.import_module("space.page")
    monkeypatch.delenv("SPACE_ID", raising=False)
    monkeypatch.chdir(ROOT / folder)
    printed = []
    exec(page._write_loading(), {"print": printed.append})
    assert printed[0]["score"] > 0
    monkeypatch.setenv("SPACE_ID", "user/bleu_metric")
    assert 'evaluate.load("user/bleu_metric")' in page._write_loading()


def test_the_code_for_a_space_of_another_name_loads_the_file(monkeypatch):
    """By the name of a Space, evaluate asks for a module that is called as the Space is."""
    page = importlib.import_module("space.page")
    monkeypatch.setenv("SPACE_ID", "user/bleu-demo")
    hub = types.ModuleType("huggingface_hub")
    hub.snapshot_download = lambda name, repo_type: str(ROOT)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    loaded = []
    metric = types.SimpleNamespace(compute=lambda **texts: texts)
    monkeypatch.setattr("evaluate.load", lambda path: loaded.append(path) or metric)
    exec(page._write_loading(), {"print": loaded.append})
    assert loaded[0] == f"{ROOT}/bleu_metric.py"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("reported='127': pass a score from 0 to 1 or from 0 to 100."), ">Type the score as a number from 0 to 100, such as 27.30.<"),
        (ValueError("9" * 1000), "9" * 399 + "…"),
        (OverflowError("Python int too large to convert to C long"), "a number is too large"),
    ],
)  # fmt: skip
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
    core = importlib.import_module(f"{metric._package}.bleu_core")
    factors = {
        "mean_of_segments": (True,),
        "swapped": (True,),
        "last_pair": (True,),
        "call": core.CALLS,
        "weights": core.TUTORIAL_WEIGHTS,
        "effective_order": (True, False),
    }
    searched = [*factors.items(), *core.FACTORS.items(), *core.SEGMENT_FACTORS.items()]
    for name, values in searched:
        assert all(options.describe_setting(name, value) for value in values)
    assert {name for name, _ in searched} == {*core.Setting._fields}


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
    assert "the score is the mean of the lines’ scores" in answer
    causes = answer.partition("bleu-causes")[2].partition("</details></div>")[0]
    assert "data-action" not in causes


class _MadeResult(dict):
    """A result of `compare` or `rank` by hand."""

    def report(self):
        return "B and A score highest; signature nrefs:1.\n\n@bib"

    def to_markdown(self):
        return "| system | BLEU |"

    def to_latex(self):
        return "\\begin{table}"

    def to_html(self):
        return f"<p>{self['test']}</p>"


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
        signature="nrefs:1",
    )  # fmt: skip
    return comparison, ranking


def _render(comparison, ranking, names, confidence=None, identical=None):
    leaderboard, scored = (
        importlib.import_module(f"space.{name}") for name in ("leaderboard", "scored")
    )
    kept = scored.Scored("", names, {"confidence": confidence}, "all", "")
    results = {name: {"precisions": [0.5, 0.251]} for name in names}
    identical = identical or {}
    systems = leaderboard.list_systems(comparison, ranking, names, results)
    baseline = comparison["baseline"]
    board = leaderboard.build_leaderboard(
        systems, baseline, size="997 segments", identical=identical
    )
    return leaderboard.render_systems(kept, comparison, ranking, names, board, identical=identical)


def _list_copied(html):
    return [html_module.unescape(text) for text in re.findall(r'data-copy="([^"]+)"', html)]


def _read_board(summary):
    """Return the texts of the cells of each row."""
    rows = re.findall("<tr.*?</tr>", summary.partition("bleu-board")[2])
    return [[re.sub("<.*?>", "", cell) for cell in re.findall("<t[hd].*?</t[hd]>", row)] for row in rows]  # fmt: skip


def test_headline_and_table_agree_with_the_ranking_and_copies_are_the_metrics():
    """The headline is about all pairs, as p is; the p of two systems would call B better than A."""
    comparison, ranking = _rank_by_hand(interval=1.25)
    summary, statistics = _render(comparison, ranking, ["B", "A", "C"], confidence=0.95)
    assert '<p class="bleu-verdict">B and A share first place.</p>' in summary
    assert "B leads by 0.50 BLEU, which may be chance. 997 segments." in summary
    head, *rows = _read_board(summary)
    del head[3]  # the axis
    assert head == [
        "place", "system", "BLEU", "interval", "to A", "p", "rank", "precisions 1 to 4"
    ]  # fmt: skip
    shown = [[cell for at, cell in enumerate(row) if at != 3] for row in rows]
    assert shown == [
        ["first place", "B", "20.5", "19.2 to 21.8", "+0.5", "0.060", "1–2", "50.0/25.1"],
        ["", "A", "20.0", "18.8 to 21.2", "–", "", "1–2", "50.0/25.1"],
        ["behind", "C", "10.0", "8.8 to 11.2", "−10.0", "&lt;0.001", "3", "50.0/25.1"],
    ]  # fmt: skip
    assert "corrected for 3 comparisons" in statistics
    assert "<p>randomization</p><p>bootstrap</p>" in statistics
    assert _list_copied(summary) == [
        "B and A score highest; signature nrefs:1.",
        "| system | BLEU |",
        "\\begin{table}",
    ]


@pytest.mark.parametrize(
    ("ranges", "places", "headline"),
    [
        ([(1, 2), (1, 2), (3, 3)], ["first place", "", "behind"], "A and B share first place."),
        # A is better than C, and B not: neither is B behind, nor does it share A's place.
        ([(1, 2), (1, 3), (2, 3)], ["may be first", "", "behind"], "A and B may be first."),
        ([(1, 3), (1, 2), (2, 3)], ["may be first", "", "behind"], "A and B may be first."),
        (
            [(1, 3), (1, 3), (1, 4), (3, 4)],
            ["may be first", "", "", "behind"],
            "Three of four systems may be first.",
        ),
        ([(1, 1), (2, 3), (2, 3)], ["first place", "behind", ""], "A scores highest."),
        ([(1, 3)] * 3, ["first place", "", ""], "All three systems share first place."),
    ],
)
def test_a_headline_says_what_the_test_of_all_pairs_has_shown(ranges, places, headline):
    """Which systems differ isn't transitive: "shared" holds if each of the first is ahead of all others."""
    names = "ABCD"[: len(ranges)]
    systems = {name: {"score": 20.0, "rank_range": [*own]} for name, own in zip(names, ranges)}
    leaderboard = importlib.import_module("space.leaderboard")
    board = leaderboard.build_leaderboard(systems, "A", size="", identical={})
    assert board.headline == headline
    assert board.list_places() == places


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
    board = leaderboard.Leaderboard("", "", standings)
    sentence = "Differences are rounded after subtraction."
    assert (sentence in leaderboard.draw_table(board)) == explained


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


def test_the_table_escapes_names_and_has_an_arrow_for_a_system_off_the_scale():
    leaderboard = importlib.import_module("space.leaderboard")
    standings = [
        leaderboard.Standing(name, score, (score - 1, score + 1), "1–2", True)
        for name, score in [("<b>", 33.0), ("x" * 40 + "end", 32.0), ("far", 8.0)]
    ]
    table = leaderboard.draw_table(leaderboard.Leaderboard("", "", standings))
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
    summary, _statistics = _render(comparison, None, ["B", "A"], confidence=0.95)
    delta = 100 * comparison["systems"]["B"]["delta"]
    assert f"B scores higher than A, by {delta:.2f} BLEU." in summary
    assert _list_copied(summary) == [
        comparison.report().partition("\n")[0],
        comparison.to_markdown(),
        comparison.to_latex(),
    ]
    _head, *rows = _read_board(summary)
    assert [row[0] for row in rows] == ["B", "A"]
    assert [row[4] for row in rows] == [f"+{delta:.1f}", "–"]


def test_the_demo_lists_the_ngrams_that_the_printed_table_lists():
    """Parts of longer n-grams are left out in both; the demo leaves out what matches once more."""
    segments, metric = (importlib.import_module(f"space.{name}") for name in ("segments", "metric"))
    systems = {"A": ["a b c d"] * 2 + ["f"], "B": ["x y z e"] * 2 + ["g"]}
    difference = metric.bleu.diff(systems, ["a b c d e", "a b c d e", "f"])
    tables = segments.render_tables(difference)
    assert "Matched more often by B</h2>" in tables
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


# Texts whose score the metric warns about, options, and the button that the demo shows.
ADVISED = [
    ("the cat", "the cat", {}, "Skip n-grams longer than the text"),
    ("a b c d", "a b d c", {"smooth_method": "none"}, "Smooth as sacreBLEU does"),
]


@pytest.mark.parametrize(
    ("prediction", "reference", "options", "button"), ADVISED, ids=[row[-1] for row in ADVISED]
)
def test_buttons_do_not_depend_on_the_words_of_warnings(
    monkeypatch, prediction, reference, options, button
):
    remedies, metric = (importlib.import_module(f"space.{name}") for name in ("checks", "metric"))
    core = importlib.import_module(f"{metric._package}.bleu_core")
    notice = core.Notice
    reword = lambda *words, **fix: notice("odd", "Something is odd", "; do something", **fix)
    monkeypatch.setattr(core, "Notice", reword)
    predictions, references = prediction.splitlines(), [[line] for line in reference.splitlines()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests left open
        metric.bleu.compute(predictions=predictions, references=references, **options)
    found, notes = remedies.add_warnings([], [warning.message for warning in caught], ())
    assert {str(warning.message) for warning in caught} == {"Something is odd; do something."}
    assert (found[0].finding, found[0].button) == ("Something is odd.", button)
    assert not notes


def test_what_differs_is_all_that_only_one_text_has_as_often():
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
            Counter(token for at, token in enumerate(text) if at not in out)
            for text, out in zip(texts, find_differing(texts))
        ]
        assert kept == [Counter(texts[0]) & Counter(texts[1])] * 2


def test_no_warning_is_about_names_of_files(tmp_path, monkeypatch):
    """The metric's own warning advises to open the file, which a visitor can't."""
    metric = importlib.import_module("space.metric")
    # pytest shows the warnings of a test itself.
    monkeypatch.setattr("warnings.showwarning", metric._show_warning)
    path = tmp_path / "secret.txt"
    path.write_text("")
    with metric.collect_warnings() as warnings:
        metric.request_score([str(path)], [["a b c d"]], {})
    assert warnings
    assert all(warning.kind != "file name" for warning in warnings)
    assert str(path) not in str(list(map(str, warnings)))


def test_several_systems_have_no_interval_per_group(monkeypatch):
    """None is shown, and a group of one document would bring a warning."""
    metric, scored, files = (
        importlib.import_module(f"space.{name}") for name in ("metric", "scored", "files")
    )
    monkeypatch.setattr("warnings.showwarning", metric._show_warning)
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
        leaderboard.render_groups({"A": result}, labels),
        leaderboard.render_groups({"A": result, "B": result}, labels),
    )
    for label in ("x", "y"):
        alone = [
            [column[i] for i in range(80) if labels[i] == label]
            for column in (predictions, references)
        ]
        expected = metric.bleu.compute(predictions=alone[0], references=alone[1], confidence=0.9)
        low, high = (f"{100 * end:.2f}" for end in expected["confidence_interval"])
        cell = '<td class="number" dir="auto">'
        assert f">{label}</td>{cell}40</td>{cell}{expected['score']:.2f}<" in one
        assert f">{low} to {high}<" in one
        assert two.count(f">{expected['score']:.2f}<") == 2
    assert f"{result['score']:.2f}" in one
    assert f"{result['macro_score']:.2f}" in one
    assert leaderboard.render_groups({"A": {"score": 1.0}}, None) == ""


def test_groups_are_in_the_order_of_scores_with_the_best_of_each_in_bold():
    """All segments first; B is better than A, but not in group y, which has a single line."""
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
    table = leaderboard.render_groups(results, labels)
    head = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table)
    assert head == ["group", "lines", "B", "A"]
    rows = re.findall(r"<tr><td[^>]*>([^<]*)</td>(.*?)</tr>", table)
    assert [name for name, _ in rows] == ["all", "x", "y"]
    assert [re.search(r">(\d*)</td>", cells)[1] for _, cells in rows] == ["", "3", "1"]
    for _name, cells in rows[:2]:
        assert re.search(r"<b>.*</td><td[^>]*>[\d.]+</td>", cells)
    assert "<b>100.00</b>" in rows[2][1]
    assert rows[2][1].index("<b>") > rows[2][1].index("</td>", 40)


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


def test_runs_are_compared_by_their_means():
    """The tab has the result of `compare` with a dict of runs."""
    names = ["new.seed1", "new.seed2", "base.seed1", "base.seed2"]
    computed = compute_runs(names)
    assert computed.runs == {"new": names[:2], "base": names[2:]}
    assert (computed.names, computed.baseline) == (["new", "base"], "new")
    scores = {name: result["score"] for name, result in computed.results.items()}
    mean = (scores["new.seed1"] + scores["new.seed2"]) / 2
    summary, statistics = computed.rendered.summary, computed.rendered.statistics
    assert f">{mean:.1f}</b>" in summary
    assert "40 lines, 1 reference, means of 2 runs." in summary
    assert summary.count('class="run"') == 4
    assert "new.seed1" not in statistics


def test_runs_that_the_visitor_does_not_join_are_systems():
    names = ["new.seed1", "new.seed2", "base.seed1", "base.seed2"]
    computed = compute_runs(names, joins_runs=False)
    assert sorted(computed.names) == sorted(names)
    assert "first place" in computed.rendered.summary


def test_several_systems_with_runs_have_no_ranks():
    """`rank` is for one run per system, so the headline claims no place."""
    names = [f"{system}.seed{seed}" for system in "abc" for seed in (1, 2)]
    computed = compute_runs(names)
    assert computed.baseline == "a"
    assert "a has the highest mean of runs." in computed.rendered.summary
    assert "first place" not in computed.rendered.summary


# --- What changes the meaning of a score ----------------------------------------------------------


def render_with(systems, references, choices=None, **changes):
    """Return the result of some texts as the page shows it, with what a visitor has decided."""
    corpus, option_fields, files = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "options", "files")
    )
    defaults = option_fields.read_options(option_fields.convention_values("default"))
    options = {**defaults, "confidence": None, **changes}
    submission = files.Submission(systems, [[text] for text in references])
    decided = {kind: (choice, {}) for kind, choice in (choices or {}).items()}
    return corpus.compute_result(submission, options, choices=decided).rendered


@pytest.mark.parametrize("names", ["AB", "ABC"])
def test_equal_scores_are_called_equal(names):
    """Such as those of short lines, which have no 4-grams."""
    systems = {name: [text] for name, text in zip(names, ["the cat", "a cat", "cat the"])}
    summary = render_with(systems, ["the cat sat"]).summary
    assert "A and B have the same score" in summary
    assert "higher" not in re.sub('data-copy=".*?"', "", summary)
    assert "leads" not in summary


CHINESE = [f"我们用的是中文第{number}句话。" for number in range(30)]


# The metric warns of the same.
@pytest.mark.filterwarnings("ignore:.*scripts written without spaces", "ignore:The score")
@pytest.mark.parametrize("count", [1, 2])
def test_a_score_whose_meaning_is_in_doubt_stands_below_the_reason(count):
    """There is no verdict before a choice; then the copied texts have the reason."""
    words = ("说", "写")
    systems = {word: [text.replace("用", word) for text in CHINESE] for word in words[:count]}
    asked = render_with(systems, CHINESE)
    assert "What should count?" in asked.summary
    assert "Score as Chinese" in asked.findings
    assert _list_copied(asked.summary) == []
    doubtful = render_with(systems, CHINESE, {"spaces": "keep"}).summary
    clear = render_with(systems, CHINESE, tokenize="zh").summary
    assert doubtful.index("written without spaces") < doubtful.index("bleu-doubtful")
    copied = _list_copied(doubtful)
    assert len(copied) == 3
    assert all("written without spaces" in text for text in copied)
    assert all("Caution: " in text for text in copied)
    assert "without spaces" not in clear


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_markdown_to_copy_has_names_escaped():
    """In the table, and in the reason that names the system."""
    references = REFERENCES
    systems = {"__a__": [f"<think>Hm</think> {text}" for text in references]}
    systems["*b*"] = systems["__a__"][::-1]
    systems["c"] = drop_words(0.02, 3)
    rendered = render_with(systems, references, {"reasoning": "keep", "moved": "keep"})
    _, markdown, _ = _list_copied(rendered.summary)[:3]
    table, *_, note = markdown.split("\n\n")
    assert re.findall(r"^\| \S+ \| (\S+) \|", table, re.MULTILINE) == ["system", "---", "c", r"\_\_a\_\_", r"\*b\*"]  # fmt: skip
    assert r"“\*b\*”: the predictions are in another order" in note
    assert r"“\_\_a\_\_” and “\*b\*”: line 1 contains the reasoning of a model" in note
    assert note.startswith("Caution: ")


DOUBTS = [
    ("猫がマットの上に座っています。", "猫はマットの上に。", {}, "Score by characters"),
    ("我们用的是中文", "我们用的是中文", {}, "Score as Chinese"),
    ("THE CAT SAT ON A MAT", "The cat sat on a mat", {}, "Ignore case"),
    ("“a b”, it’s “c”", '"a b", it\'s "c"', {}, "Write all alike"),
    ("Sure, here is the translation: a b", "a b", {}, "Fix"),
    ("<think>Hm</think> a b", "a b", {}, "Fix"),
    ("a b c<|im_end|>", "a b", {}, "Fix"),
    ("```\na b c\n```", "a b c", {}, "Fix"),
]  # fmt: skip


@pytest.mark.parametrize(("prediction", "reference", "options", "button"), DOUBTS)
def test_a_sentence_is_told_what_check_finds(prediction, reference, options, button):
    """In its words, with a button for what an option or `fixed` repairs."""
    checks, metric = (importlib.import_module(f"space.{name}") for name in ("checks", "metric"))
    found = checks.find_remedies(prediction, [reference], {**metric.OPTIONS, **options})
    assert [remedy.button for remedy in found] == [button]
    findings = metric.bleu.check([prediction], [[reference]])["findings"]
    assert [remedy.finding for remedy in found] == [checks.tell_texts(f["says"]) for f in findings]
    for remedy in found:
        if remedy.fix:
            texts = checks.fix_sentence([prediction, "a b"], [reference], {}, remedy.fix)
            assert texts[0][1] == "a b"
            assert checks.find_remedies(texts[0][0], texts[1], metric.OPTIONS) == []


@pytest.mark.parametrize(
    "text", ["Sure, I will come.", "Here is the news:", "Translation is hard.", "I cannot help it."]
)
def test_ordinary_text_is_no_leftover(text):
    remedies, metric = (importlib.import_module(f"space.{name}") for name in ("checks", "metric"))
    assert remedies.find_remedies(text, ["A man came."], metric.OPTIONS) == []


def test_what_is_copied_of_many_systems_has_one_number_of_resamples():
    """The test of all pairs takes more than that of two; the sentence has no table."""
    systems = {f"s{number}": drop_words(0.02 * number, number) for number in range(30)}
    sentence, *others = _list_copied(render_with(systems, REFERENCES).summary)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    for text in (sentence, *others):
        (resamples,) = {*re.findall(r"([\d,]+) resamples", text)}
        assert f"ar:{resamples.replace(',', '')}" in text
        assert resamples != "10,000"


@pytest.mark.parametrize("lost", [300, 5_600])
@pytest.mark.filterwarnings("ignore")  # the page says them
def test_of_very_many_lines_all_parts_are_looked_at(monkeypatch, lost):
    """A line lost near the end moves those behind it, and the line of a mistake is the file's."""
    checks, files, limits, metric = (
        importlib.import_module(f"space.{name}") for name in ("checks", "files", "limits", "metric")
    )
    monkeypatch.setattr(limits, "MAX_CHECKED_TEXTS", 2_400)
    generator = random.Random(3)
    words = ["".join(generator.choices("abcdefghijklmnop", k=6)) for _ in range(3_000)]
    references = [" ".join(generator.choices(words, k=12)) for _ in range(6_000)]
    texts = [" ".join([generator.choice(words), *text.split()[1:]]) for text in references]
    moved = [*texts[:lost], *texts[lost + 1 :], ""]
    moved[5_990] = f"<think>Hm</think> {moved[5_990]}"
    submission = files.Submission({"A": texts, "B": moved}, [[text] for text in references])
    looked = checks.look_at(submission, metric.OPTIONS)
    assert (looked.is_partial, looked.segments) == (True, 1_200)
    told = {found.kind: found.tell(["A", "B"]) for found in looked.found}
    assert told["reasoning"].startswith("“B”: line 5,991 contains the reasoning of a model")
    line = int(
        re.search(r"“B”: from line ([\d,]+) on, .* 1 line", told["moved"])[1].replace(",", "")
    )
    assert lost < line <= lost + 320


def test_lines_are_in_the_order_of_what_they_contribute_to_the_difference_of_systems():
    """One short line has the largest difference of its own, and hardly any of the corpus."""
    segments, metric, scored, files = (
        importlib.import_module(f"space.{name}")
        for name in ("segments", "metric", "scored", "files")
    )
    references = ["hurray", *(f"the cat number {n} sat on the old mat of mine" for n in range(30))]
    first = ["hurray", *references[1:]]
    second = ["yay", *references[1:]]
    second[7] = second[7].replace("sat on the old", "lay at an older")
    submission = files.Submission({"A": first, "B": second}, [[text] for text in references])
    kept, _ = scored.score_submission(submission, metric.OPTIONS, "all", "")
    shares = segments.find_shares(*scored.read_segments(kept.key), "A", "B")

    def score_without(texts, line):
        rows = [row for row in range(31) if row != line]
        own = [[column[row] for row in rows] for column in (texts, references)]
        return metric.bleu.compute(predictions=own[0], references=own[1])["score"]

    def subtract(line):
        return score_without(second, line) - score_without(first, line)

    everything = subtract(-1)
    for line in (0, 3, 7):
        assert shares[line] == pytest.approx(everything - subtract(line))
    assert abs(shares[7]) > abs(shares[0])
    listed = segments.list_pairs(kept.key, "A", "B", "")
    assert re.findall(r'data-segment="(\d+)"', listed)[:2] == ["8", "1"]
    assert "lines, by their contribution to the difference of the corpus scores" in listed


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_a_mistake_is_told_once():
    """The metric warns of it as well, with the index of a row, which a visitor has not."""
    references = [f"the cat number {i} sat on the mat" for i in range(40)]
    predictions = [f"a cat number {i} sat on the mat" for i in range(40)]
    predictions[0] = "<think>Hm</think> a cat sat"
    rendered = render_with({"A": predictions}, references)
    told = "“A”: line 1 contains the reasoning of a model ("
    assert (rendered.summary + rendered.findings).count(told) == 1
    assert "predictions[0]" not in rendered.summary + rendered.findings


def test_leftovers_in_the_references_as_well_are_text():
    remedies, metric = (importlib.import_module(f"space.{name}") for name in ("checks", "metric"))
    text = "Sure, here is the translation: a b"
    assert remedies.find_remedies(text, [text], metric.OPTIONS) == []


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_each_system_is_looked_at():
    """One of two in tokens is a false verdict too; it is named."""
    references = [f"the cat number {i} sat, on mat {i % 7}." for i in range(30)]
    tokenized = [text.replace(",", " ,").replace(".", " .") for text in references]
    findings = render_with({"A": references, "B": tokenized}, references).findings
    assert "“B”: the predictions have detached punctuation" in findings
    assert ">Write all alike<" in findings


SPOKEN = [f"Anna said it’s “{number} cats” on mat {number % 7}." for number in range(40)]


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_typography_waits_only_if_it_decides_the_verdict():
    """In one system's favor until all are written alike; of one system alone it is a note."""
    plain = [text.translate(str.maketrans("“”’", '""\'')) for text in SPOKEN]
    worse = [text.replace("Anna", "Ann").replace("mat", "rug") for text in SPOKEN]
    rendered = render_with({"A": worse, "B": plain}, SPOKEN)
    asked = rendered.summary
    assert "Apply the fix" in asked
    assert ">Write all alike<" in rendered.findings
    assert asked.count("A is ") + asked.count("B is ") == 2
    assert "bleu-verdict" not in asked
    assert _list_copied(asked) == []
    noted = render_with({"B": plain}, SPOKEN)
    assert "bleu-undecided" not in noted.summary
    before, after = re.search(r"B has ([\d.]+) instead of ([\d.]+)\.", noted.findings).groups()[
        ::-1
    ]
    assert (before, after) == (f"{float(_find_score(noted.summary)):.1f}", "100.0")
    # All columns are written alike.
    fixed = render_with({"A": worse, "B": plain}, SPOKEN, {"typography": "fix"})
    assert "typography made alike, your choice" in fixed.findings
    assert "B scores" in fixed.summary


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_ways_of_writing_are_one_choice():
    """Case and accents: the fix writes all columns alike, and the signature says what options do."""
    texts = [f"Élodie a goûté la crème brûlée numéro {number}, déjà." for number in range(40)]
    plain = [text.translate(str.maketrans("Éûèéà", "Eueea")).lower() for text in texts]
    asked = render_with({"A": plain}, texts).findings
    assert asked.count("{&quot;writing&quot;:") == 1
    assert "are in lower case, unlike the references; the predictions have no accents" in asked
    fixed = render_with({"A": plain}, texts, {"writing": "fix"})
    assert "way of writing made alike, your choice" in fixed.findings
    assert "accents" not in fixed.summary
    assert _find_score(fixed.summary) == "100.00"


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_what_is_left_of_a_kind_after_its_fix_is_in_doubt():
    checks, files, metric = (
        importlib.import_module(f"space.{name}") for name in ("checks", "files", "metric")
    )
    submission = files.Submission({"A": [f"{text}</s>" for text in SPOKEN]}, [[t] for t in SPOKEN])
    looked = checks.look_at(submission, metric.OPTIONS)
    before = checks.Trial({"A": 50.0}, len(SPOKEN))
    choices = {"special_tokens": ("fix", {})}
    tried = checks.try_fixes(
        submission, looked, metric.OPTIONS, before, choices, baseline="", test=None
    )
    assert [found.kind for found in tried.doubts] == ["special_tokens"]
    assert (tried.steps, tried.asked) == ({}, [])


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_a_kind_is_told_in_one_sentence_for_many_systems():
    systems = {name: [f"{text}</s>" for text in SPOKEN[:size]] + SPOKEN[size:] for name, size in zip("ABCDE", (9, 9, 7, 8, 6))}  # fmt: skip
    (told,) = re.findall(r"<summary>([^<]*)\. With fixes", render_with(systems, SPOKEN).findings)
    mark = "line 1 contains tokens of a model (&#x27;&lt;/s&gt;&#x27;), like"
    assert told == f"“A” and “B”: {mark} 9 of 40 predictions; “C”: {mark} 7 of 40 predictions; 2 more in other systems"  # fmt: skip
    dashed = [text.replace("said", "said – well, –") for text in SPOKEN]
    plain = [text.replace("–", "-").translate(str.maketrans("“”’", '""\'')) for text in dashed]
    findings = render_with({"A": plain}, dashed).findings
    (listed,) = re.findall("<summary>([^<]*quotation marks.*?)</summary>", findings)
    assert listed.count("“A”: ") == 1
    assert "is 100% of the quotation marks in the predictions, and 0% in the references" in listed


def _find_score(summary):
    return re.search("<strong>(.*?)</strong>", summary)[1]


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_an_effect_starts_from_the_score_that_is_shown():
    """A note counts only its own fix, whatever else was found."""
    plain = [text.translate(str.maketrans("“”’", '""\'')) for text in SPOKEN]
    marked = [f"{text}</s>" for text in plain[:20]] + plain[20:]
    rendered = render_with({"A": marked}, SPOKEN, {"special_tokens": "keep"})
    shown = f"{float(_find_score(rendered.summary)):.1f}"
    assert set(
        re.findall(r"A has [\d.]+ instead of ([\d.]+)\.", rendered.summary + rendered.findings)
    ) == {shown}
    metric = importlib.import_module("space.metric")
    alone = metric.bleu.compute(
        predictions=[text.replace("“", '"') for text in marked],
        references=[text.translate(str.maketrans("“”’", '""\'')) for text in SPOKEN],
    )["score"]
    assert f"A has {alone:.1f} instead of {shown}." in rendered.findings


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


# --- Words in a row -------------------------------------------------------------------------------


def explain(candidate, references, **options):
    metric = importlib.import_module("space.metric")
    return metric.bleu.explain(candidate, references, **options)


def read_sums(explanation):
    """Return the rows of the table in which words in a row add up, by their names."""
    table = importlib.import_module("space.stretches").draw_sums(explanation, "A", "word", ())
    rows = re.findall("<tr>.*?</tr>", table)
    read = [re.findall("<t[hd][^>]*>(?:<b>)?(.*?)(?:</b>)?</t[hd]>", row) for row in rows]
    return {name: cells for name, *cells in read}


def test_the_formula_has_its_100():
    stretches = importlib.import_module("space.stretches")
    formula = stretches.write_formula(explain("a b c d e", ["a b c d f"]))
    assert "100 · 1 · (4/5 · 3/4 · 2/3 · 1/2)<sup>1/4</sup> = 66.87<br>" in formula


@pytest.mark.filterwarnings("ignore")  # a score of 0
@pytest.mark.parametrize(
    "options", [{}, {"max_order": 2}, {"effective_order": True, "max_order": 6}]
)
def test_words_in_a_row_add_up_to_the_matches(options):
    """For all texts: also if they overlap, or occur more often than in a reference."""
    generator = random.Random(0)

    def write():
        return " ".join(generator.choices("abcd", [4, 3, 2, 1], k=generator.randint(1, 12)))

    seen = set()
    for _ in range(200):
        explanation = explain(write(), [write() for _ in range(generator.randint(1, 3))], **options)
        rows = read_sums(explanation)
        matches = rows.pop("matches")
        parts = [cells for name, cells in rows.items() if name not in HEADS]
        numbers = [[int(cell.replace("−", "-")) for cell in cells] for cells in parts]
        sums = [sum(column) for column in zip(*numbers)] or [0] * len(matches)
        assert [f"{got}" for got in sums] == [match.partition("/")[0] for match in matches]
        shown = zip(explanation["counts"], explanation["totals"], explanation["weights"])
        assert matches == [f"{count}/{total}" for count, total, weight in shown if weight]
        seen |= rows.keys()
    assert {"overlaps", "too many", "1 single word", "3 in a row", "2 × 2 in a row"} <= seen


HEADS = ("sequences of", "smoothed", "precision")


def test_what_adds_up_in_the_papers_example():
    """The table of a mock that teachers liked; overlapping and clipped words are subtracted."""
    rows = read_sums(explain(tutorials.CANDIDATE_1, tutorials.REFERENCES))
    assert rows == {
        "sequences of": ["1", "2", "3", "4"],
        "6 in a row": ["6", "5", "4", "3"],
        "4 in a row": ["4", "3", "2", "1"],
        "3 in a row": ["3", "2", "1", "0"],
        "4 single words": ["4", "0", "0", "0"],
        "matches": ["17/18", "10/17", "7/16", "4/15"],
        "precision": ["94.4%", "58.8%", "43.8%", "26.7%"],
    }
    two_references = read_sums(explain("a b c d", ["a b c", "b c d"], max_order=2))
    assert two_references["2 × 3 in a row"] == ["6", "4"]
    assert two_references["overlaps"] == ["−2", "−1"]
    the = read_sums(explain("the the the", ["the cat"], max_order=2, smooth_method="floor"))
    assert the["3 single words"] == ["3", "0"]
    assert the["too many"] == ["−2", "0"]
    assert the["smoothed"] == ["1/3", "0.1/2"]


@pytest.mark.filterwarnings("ignore")  # a score of 0
def test_words_of_two_references_share_a_box_and_a_clipped_word_has_none():
    stretches = importlib.import_module("space.stretches")
    drawn = stretches.draw_sums(explain("a b c d", ["a b c", "b c d"]), "A", "word", ())
    assert drawn.count('class="stretch"') == 1
    assert re.findall(r'<span class="token shared"[^>]*>(.)', drawn) == ["b", "c"]
    assert re.findall('data-length="(.)"', drawn) == ["3", "3"]
    clipped = stretches.draw_sums(explain("the the the", ["the cat"]), "A", "word", ())
    assert clipped.count('class="stretch"') == 1
    assert clipped.count('class="token missed"') == 2


@pytest.mark.filterwarnings("ignore")  # a score of 0
@pytest.mark.parametrize(
    ("candidate", "told"),
    [("The cat sat", "1 more would match"), ("the cat sat", ""), ("The The", "1 more would match")],
)
def test_case_that_prevents_a_match_is_told(candidate, told):
    sentence = importlib.import_module("space.stretches").tell_case(
        explain(candidate, ["the Cat", "cat sat the"])
    )
    assert told in sentence
    assert bool(sentence) == bool(told)


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_empty_predictions_are_told_with_their_lines():
    texts = ["a b c d"] * 3 + [""] + ["a b c d"] * 46 + ["", " "] + ["a b c d"] * 9
    rendered = render_with({"A": texts}, ["a b c d"] * len(texts))
    assert "“A”: line 4 is empty, like 3 of 61 predictions." in rendered.summary
    listed = re.search("<li><details><summary>“A”: line 4 is.*?</li>", rendered.findings)[0]
    assert [line for line in ("4", "51", "52") if f">{line}</td>" in listed] == ["4", "51", "52"]


# --- "You expected" -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pasted", "told"),
    [
        ("BLEU", "Type the score as a number from 0 to 100, such as 27.30."),
        ("nrefs:1|case:lc", "Type the score as a number from 0 to 100, such as 27.30."),
        ("127", "Type the score as a number from 0 to 100, such as 27.30."),
        ("BLEU 27.3, BLEU 28.1", "Type one BLEU score, not 27.3 and 28.1."),
        ("chrF 55.2", "Type a BLEU score; this line is about chrF."),
        ("BLEU = 26.81, 50.0/30.0/20.0/10.0 (BP=1.000)", "No setting gives these numbers: the texts are probably others."),
        ("COMET 0.85, BLEU 33.1", "You report a BLEU score of 33.1."),
    ],
)  # fmt: skip
def test_a_pasted_line_is_read_by_the_metric(pasted, told):
    """`tests/unit/reconcile/test_published.py` has the lines of all tools."""
    corpus, metric, scored, files = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "metric", "scored", "files")
    )
    submission = files.Submission({"A": ["a b c d"]}, [["a b c e"]])
    kept, _ = scored.score_submission(submission, metric.OPTIONS, "all", "")
    assert told in corpus.explain_number(kept.key, "A", pasted)
