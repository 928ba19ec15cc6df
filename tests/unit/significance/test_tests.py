"""The tests of `compare` for several training runs per system."""

import json
import random
import re
import statistics
import sys
from typing import NamedTuple

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bleu.bleu_core.significance.tests import adjust_holm
from helpers import (
    DOCUMENTS,
    REFERENCES,
    SYSTEMS,
    record_warnings,
    spread,
)
from sacrebleu.metrics import BLEU
from scipy import stats

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# --- Training runs --------------------------------------------------------------------------------


def make_runs(counts, segments=90, seed=0):
    """Return systems with a given number of runs, which differ in accuracy, and their references."""
    generator = random.Random(seed)
    words = ["the", "cat", "sat", "on", "the", "mat", "and", "looked", "at", "me"]
    references = [" ".join(generator.sample(words, 8)) for _ in range(segments)]

    def train(accuracy):
        accuracy = generator.gauss(accuracy, 0.02)
        return [
            " ".join(word if generator.random() < accuracy else "a" for word in text.split())
            for text in references
        ]

    systems = {
        name: {f"seed {n}": train(accuracy) for n in range(count)}
        for (name, count), accuracy in zip(counts.items(), (0.85, 0.88, 0.9))
    }
    return systems, references


def score_with_sacrebleu(row):
    """Return BLEU (0 to 1) of a statistics row, int64 [10]."""
    row = row.tolist()
    return BLEU.compute_bleu(row[:4], row[4:8], row[8], row[9], smooth_method="exp").score / 100


def resample_with_sacrebleu(rows, n_resamples, seed=12345):
    """Return BLEU on resampled units, float64 [n_resamples]; `rows` are int64 [units, 10]."""
    generator = np.random.default_rng(seed)
    draws = [generator.integers(len(rows), size=len(rows)) for _ in range(n_resamples)]
    return np.array([score_with_sacrebleu(rows[draw].sum(axis=0)) for draw in draws])


def list_rows(bleu, texts, references, documents=None):
    """Return the rows of segments, or their sums over documents."""
    table = bleu.statistics(predictions=texts, references=references)
    rows = table.to_pandas().to_numpy()
    if documents is None:
        return rows
    documents = np.array(documents)
    return np.stack([rows[documents == one].sum(axis=0) for one in dict.fromkeys(documents)])


class ScoredRuns(NamedTuple):
    """The runs of a system: float64 [runs], [n_resamples, runs] and [units, runs]."""

    scores: np.ndarray
    drawn: np.ndarray
    left_out: np.ndarray


def welch_with_texts(groups, sign):
    """Return the value, variance and degrees of freedom of a mean over groups, written out.

    Args:
        groups: for each group of texts of its own, the `ScoredRuns` of each system.
        sign: 1 for the system, -1 for the baseline.
    """
    parts = []  # of the variance that texts cause, each with its degrees of freedom
    for group in groups:
        drawn = sum(s * one.drawn.mean(axis=1) for s, one in zip(sign, group))
        left_out = sum(s * one.left_out.mean(axis=1) for s, one in zip(sign, group))
        factor = len(left_out) / (len(left_out) - 1) / len(groups) ** 2
        parts.append((np.var(drawn) * factor, spread(left_out)))
    value = 0
    variance = sum(part for part, _ in parts)
    squares = sum(part**2 / df for part, df in parts)
    fewest = [variance**2 / squares]
    for number, s in enumerate(sign):
        scores = np.mean([group[number].scores for group in groups], axis=0)
        value += s * scores.mean()
        count = len(scores)
        if count == 1:
            continue
        s2 = statistics.variance(scores)
        e = 0
        for group in groups:
            deviations = group[number].drawn - group[number].drawn.mean(axis=1, keepdims=True)
            units = len(group[number].left_out)
            e += deviations.var(axis=0).sum() / (count - 1) * units / (units - 1) / len(groups) ** 2
        variance += max(0, s2 - e) / count
        squares += (s2 / count) ** 2 / (count - 1)
        fewest.append(count - 1)
    return value, variance, max(variance**2 / squares, min(fewest))


def score_runs(rows_of_runs, n_resamples):
    """Return the scores of runs by sacreBLEU, given the rows of their units, int64 [units, 10] each."""
    return ScoredRuns(
        np.array([score_with_sacrebleu(rows.sum(axis=0)) for rows in rows_of_runs]),
        np.stack([resample_with_sacrebleu(rows, n_resamples) for rows in rows_of_runs], axis=1),
        np.stack(
            [
                [score_with_sacrebleu(rows.sum(axis=0) - row) for row in rows]
                for rows in rows_of_runs
            ],
            axis=1,
        ),
    )


NEAR = {"rel": 1e-9, "abs": 1e-11}


@pytest.mark.parametrize("by_document", [False, True], ids=["segments", "documents"])
@pytest.mark.parametrize("counts", [(3, 3), (2, 4), (1, 3)], ids=str)
def test_means_over_runs_are_tested_by_the_formula(bleu, counts, by_document):
    """NumPy, sacreBLEU's scores of the same draws, and scipy's distribution."""
    systems, references = make_runs(dict(zip(("base", "new"), counts)))
    documents = [n // 3 for n in range(90)] if by_document else None
    result = bleu.compare(systems, references, documents=documents, n_resamples=100)
    scored = []
    for runs in systems.values():
        rows = [list_rows(bleu, texts, references, documents) for texts in runs.values()]
        scored.append(score_runs(rows, 100))
    # The scores of the systems.
    for number, system in enumerate(result["systems"].values()):
        value, variance, df = welch_with_texts([[scored[number]]], [1])
        margin = stats.t.ppf(0.975, df) * variance**0.5
        assert system["bleu"] == pytest.approx(value, **NEAR)
        assert system["score"] == pytest.approx(100 * value, **NEAR)
        assert system["standard_error"] == pytest.approx(variance**0.5, **NEAR)
        assert system["degrees_of_freedom"] == pytest.approx(df, **NEAR)
        assert system["confidence_interval"] == pytest.approx(
            [max(0, value - margin), min(1, value + margin)], rel=1e-9
        )
        assert [run["bleu"] for run in system["runs"].values()] == pytest.approx(
            scored[number].scores.tolist(), **NEAR
        )
        if counts[number] > 1:
            deviation = statistics.stdev(scored[number].scores)
            assert system["run_standard_deviation"] == pytest.approx(deviation, **NEAR)
        else:
            assert "run_standard_deviation" not in system
    # Their difference.
    value, variance, df = welch_with_texts([scored], [-1, 1])
    new = result["systems"]["new"]
    assert new["delta"] == pytest.approx(value, **NEAR)
    assert new["delta_standard_error"] == pytest.approx(variance**0.5, **NEAR)
    assert new["delta_degrees_of_freedom"] == pytest.approx(df, **NEAR)
    t = abs(value) / variance**0.5
    assert new["p_value"] == pytest.approx(2 * stats.t.sf(t, df), rel=1e-9)
    margin = stats.t.ppf(0.975, df) * variance**0.5
    assert new["delta_interval"] == pytest.approx([value - margin, value + margin], rel=1e-9)
    detectable = stats.t.ppf([0.975, 0.8], df).sum() * variance**0.5
    assert new["detectable_delta"] == pytest.approx(detectable, rel=1e-9)


@pytest.mark.parametrize("shares_documents", [False, True])
def test_macro_averages_of_runs(bleu, shares_documents):
    """Groups of their own documents: each has its variance and its degrees of freedom.

    Shared documents are drawn once for all groups.
    """
    systems, references = make_runs({"base": 2, "new": 3})
    labels = [n % 2 if shares_documents else n // 60 for n in range(90)]
    documents = [n // 3 for n in range(90)]
    result = bleu.compare(systems, references, by=labels, documents=documents, n_resamples=100)
    groups = []
    for label in (0, 1):
        scored = []
        for runs in systems.values():
            units = []
            for texts in runs.values():
                rows = list_rows(bleu, texts, references) * (np.array(labels) == label)[:, None]
                sums = np.stack([rows[3 * n : 3 * n + 3].sum(axis=0) for n in range(30)])
                units.append(sums if shares_documents else sums[sums.any(axis=1)])
            scored.append(score_runs(units, 100))
        groups.append(scored)
    if shares_documents:
        means = [
            ScoredRuns(*(np.mean(arrays, axis=0) for arrays in zip(*of_system)))
            for of_system in zip(*groups)
        ]
        groups = [means]
    value, variance, df = welch_with_texts(groups, [-1, 1])
    means = np.mean([group[1].scores for group in groups], axis=0)
    new = result["systems"]["new"]
    assert new["macro_bleu"] == pytest.approx(means.mean(), **NEAR)
    assert [run["macro_bleu"] for run in new["runs"].values()] == pytest.approx(
        means.tolist(), **NEAR
    )
    assert new["macro_delta"] == pytest.approx(value, **NEAR)
    assert new["macro_delta_standard_error"] == pytest.approx(variance**0.5, **NEAR)
    assert new["macro_delta_degrees_of_freedom"] == pytest.approx(df, **NEAR)
    t = abs(value) / variance**0.5
    assert new["macro_p_value"] == pytest.approx(2 * stats.t.sf(t, df), rel=1e-9)
    margin = stats.t.ppf(0.975, df) * variance**0.5
    assert new["macro_delta_interval"] == pytest.approx([value - margin, value + margin], rel=1e-9)


@pytest.mark.parametrize("label", [0, 1])
def test_groups_of_runs_are_compared_as_their_segments_alone(bleu, label):
    systems, references = make_runs({"base": 2, "new": 3})
    chosen = [n for n in range(90) if n % 2 == label]
    documents = [n // 3 for n in range(90)]
    whole = bleu.compare(
        systems, references, by=[n % 2 for n in range(90)], documents=documents, n_resamples=100
    )
    alone = bleu.compare(
        {
            name: {run: [texts[n] for n in chosen] for run, texts in runs.items()}
            for name, runs in systems.items()
        },
        [references[n] for n in chosen],
        documents=[documents[n] for n in chosen],
        n_resamples=100,
    )
    for name, system in whole["systems"].items():
        group = system["groups"][label]
        assert group == {
            **{key: alone["systems"][name][key] for key in group if key != "documents"},
            "documents": alone["documents"],
        }


RUNS, RUN_REFERENCES = make_runs({"base": 3, "new": 3})


def tabulate_runs(bleu, runs, references):
    return {
        name: bleu.statistics(predictions=texts, references=references)
        for name, texts in runs.items()
    }


RUN_FORMS = {
    "tables": lambda bleu, texts: bleu.statistics(predictions=texts, references=RUN_REFERENCES),
    "lists of tables": lambda bleu, texts: [
        bleu.statistics(predictions=texts[:40], references=RUN_REFERENCES[:40]),
        bleu.statistics(predictions=texts[40:], references=RUN_REFERENCES[40:]),
    ],
    "dicts of columns": lambda bleu, texts: bleu.statistics(predictions=texts, references=RUN_REFERENCES).to_pydict(),
    "tuples": lambda bleu, texts: tuple(texts),
    "arrays": lambda bleu, texts: np.array(texts),
    "Arrow": lambda bleu, texts: pa.chunked_array([texts[:7], texts[7:]]),
}  # fmt: skip


@pytest.mark.parametrize("form", RUN_FORMS)
def test_runs_are_of_any_container(bleu, form):
    converted = {
        name: {run: RUN_FORMS[form](bleu, texts) for run, texts in runs.items()}
        for name, runs in RUNS.items()
    }
    is_table = form in ("tables", "lists of tables", "dicts of columns")
    known = {"tokenize": "13a", "lowercase": False, "reference_length": "closest"}
    known["minimum_total"] = 0
    options = known if form == "dicts of columns" else {}
    ours = bleu.compare(converted, None if is_table else RUN_REFERENCES, **options)
    expected = bleu.compare(RUNS, RUN_REFERENCES)
    assert ours["systems"] == expected["systems"]
    if not options:
        assert ours == expected


def test_a_dict_is_a_result_then_a_table_then_runs(bleu):
    """A result has a signature or a score; a table has the columns of `statistics`."""
    table = bleu.statistics(predictions=RUN_REFERENCES, references=RUN_REFERENCES)
    columns = table.to_pydict()
    other = bleu.statistics(
        predictions=RUNS["base"]["seed 0"], references=RUN_REFERENCES
    ).to_pydict()
    known = {"tokenize": "13a", "lowercase": False, "reference_length": "closest"}
    scored = {**columns, "score": 27.3}
    with pytest.raises(TypeError, match="System 'A': got a result"):
        bleu.compare({"A": scored, "B": other})
    as_table = bleu.compare({"A": {**columns, "seed 2": [0] * 90}, "B": other}, **known)
    assert as_table["test"] == "randomization"
    assert as_table["systems"]["A"]["score"] == pytest.approx(100, abs=1e-9)
    assert "runs" not in as_table["systems"]["A"]
    as_runs = bleu.compare({"A": {"bleu": columns, "seed 2": other}, "B": other}, **known)
    assert list(as_runs["systems"]["A"]["runs"]) == ["bleu", "seed 2"]


WRONG_RUNS = [
    ({"new": {}}, {}, ValueError, r"System 'new': expected one or more runs, got an empty dict"),
    ({"new": {"seed 1": ["a"], "seed 2": ["a", "b"]}}, {}, ValueError, "System 'new', run 'seed 2': Got 2 predictions and 1 reference"),
    ({"new": {"seed 1": ["a"], "seed 2": [None]}}, {}, ValueError, r"System 'new', run 'seed 2': predictions\[0\]: .*got None"),
    ({"new": {1: ["a"], 2: [["b"]]}}, {}, TypeError, r"System 'new', run 2: predictions\[0\]: .*got a list with one str"),
    ({"new": {"seed 1": {"bleu": 0.5, "score": 50.0}}}, {}, TypeError, "System 'new', run 'seed 1': got a result, which has no rows"),
    ({"new": {"seed 1": {"step 1": ["a"]}}}, {}, TypeError, "System 'new', run 'seed 1': expected predictions or a table, got dict"),
    (
        {"new": {"seed 1": ["a"], "seed 2": ["b"]}},
        {"test": "bootstrap"},
        ValueError,
        "test='bootstrap': system 'new' has several runs, and this test ignores the variance",
    ),
    ({"new": {"seed 1": ["a"], "seed 2": ["b"]}}, {"test": "randomization"}, ValueError, "test='randomization': system 'new' has several runs"),
    ({"new": {"seed 1": ["a"]}}, {"test": "runs"}, ValueError, "test='runs': expected a system with several runs, got one run each"),
    ({"new": {"seed 1": ["a"], "seed 2": ["b"]}}, {"test": "t"}, ValueError, "test='t': pass one of 'bootstrap', 'randomization', 'runs'"),
    ({"new": {"seed 1": ["a"], "seed 2": ["b"]}}, {"baseline": "seed 1"}, ValueError, "baseline='seed 1': pass one of 'base', 'new'"),
]  # fmt: skip


@pytest.mark.parametrize(("systems", "options", "error", "message"), WRONG_RUNS, ids=range(11))
def test_wrong_runs_are_rejected(bleu, systems, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compare({"base": ["a"], **systems}, [["a"]], **options)


def test_runs_of_different_segments_are_rejected(bleu):
    tables = {name: tabulate_runs(bleu, runs, RUN_REFERENCES) for name, runs in RUNS.items()}
    tables["new"]["seed 1"] = tables["new"]["seed 1"][:80]
    message = "the tables of 'base', run 'seed 0' and 'new', run 'seed 1' differ in their segments"
    with pytest.raises(ValueError, match=message):
        bleu.compare(tables)


RUNS_BY_NAME = "as a dict by name: {'seed 1': [...], 'seed 2': [...]}."
THREE = ["the cat sat on the mat", "a dog ran", "we saw a bird there"]
THREE_IDS = [[1, 2, 3, 4], [5, 6], [7, 8, 9]]

# Two or three runs of three segments in a container other than a dict.
RUN_CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "dict's values": lambda runs: dict(enumerate(runs)).values(),
    "array": np.array,
    "array of lists": lambda runs: np.array([*runs, None], object)[:-1],
    "pandas": pd.Series,
    "polars": pl.Series,
    "Arrow": pa.array,
    "Arrow chunks": lambda runs: pa.chunked_array([runs[:1], runs[1:]]),
    "datasets": lambda runs: datasets.Dataset.from_dict({"runs": runs})["runs"],
    "arrays in a list": lambda runs: [np.array(run) for run in runs],
    "Series in a list": lambda runs: [pd.Series(run) for run in runs],
    "Arrow in a list": lambda runs: [pa.array(run) for run in runs],
}
METHODS_OF_RUNS = {
    "compare": lambda bleu, *given: bleu.compare(*given, n_resamples=9),
    "rank": lambda bleu, *given: bleu.rank(*given, n_resamples=9),
    "diff": lambda bleu, *given: bleu.diff(*given),
}


@pytest.mark.parametrize("method", METHODS_OF_RUNS)
@pytest.mark.parametrize("container", RUN_CONTAINERS)
@pytest.mark.parametrize("count", [1, 2, 3])  # 3 is the number of segments
def test_runs_that_are_not_in_a_dict(bleu, method, container, count):
    """The error says what to pass, wherever the system stands, for text, tokens and ids."""
    kinds = [
        (THREE, THREE),
        (THREE, [[text, text] for text in THREE]),
        ([text.split() for text in THREE], [[text.split()] for text in THREE]),
        (THREE_IDS, [[ids] for ids in THREE_IDS]),
    ]
    if container in ("array", "arrays in a list"):  # arrays have no rows of several lengths
        kinds = kinds[:2]
    for texts, references in kinds:
        runs = RUN_CONTAINERS[container]([texts] * count)
        for systems in ({"old": texts, "new": runs}, {"new": runs, "old": texts}):
            with pytest.raises(TypeError) as raised:
                METHODS_OF_RUNS[method](bleu, systems, references)
            found = "1 run" if count == 1 else f"{count} runs"
            items = {"array": " of str", "array of lists": " of object"}.get(container, "")
            assert str(raised.value) == (
                f"System 'new': expected the predictions of one run, got {found} in one"
                f" {type(runs).__name__}{items}. Pass one run per system; compare() takes several"
                f" {RUNS_BY_NAME}"
            )


FRAMES_OF_RUNS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": pa.table,
    "a record batch": pa.record_batch,
    "datasets": datasets.Dataset.from_dict,
}


@pytest.mark.parametrize("method", METHODS_OF_RUNS)
@pytest.mark.parametrize("frame", FRAMES_OF_RUNS)
def test_runs_in_a_frame(bleu, method, frame):
    runs = FRAMES_OF_RUNS[frame]({"p1": THREE, "p2": THREE})
    for systems in ({"old": THREE, "new": runs}, {"new": runs, "old": THREE}):
        with pytest.raises(TypeError) as raised:
            METHODS_OF_RUNS[method](bleu, systems, THREE)
        assert str(raised.value) == (
            f"System 'new': predictions: expected a column, got {type(runs).__name__}. Pass one of"
            f" its columns: p1, p2. If they are runs, compare() takes them {RUNS_BY_NAME}"
        )


# Systems that are invalid in other ways, their references, and the message.
NOT_RUNS = [
    (["a b", "c"], THREE, "Got 2 predictions and 3 references"),
    ([["a"], ["b"], ["c"]], THREE, r"predictions\[0\]: got a list with one str"),
    ([["a", "b", "c"]] * 3, THREE, r"references\[0\]: expected a list of references, each a list"),
    ([["a b", "c"], ["d"]], [[["a"]]] * 3, "Got 2 predictions and 3 references"),
    ([[], []], THREE, "Got 2 predictions and 3 references"),
    ([{"a": 1, "b": 2, "c": 3}] * 2, THREE, r"predictions\[0\]: got a dict with the fields"),
    (["abc", "abc"], THREE, "Got 2 predictions and 3 references"),
    (5, THREE, "predictions: expected a list, array or Series"),
    (THREE, 5, "references: expected a list, array or Series"),
]


@pytest.mark.parametrize(("system", "references", "message"), NOT_RUNS, ids=range(len(NOT_RUNS)))
def test_other_mistakes_keep_their_message(bleu, system, references, message):
    """Tokens of three segments with three tokens each are not taken for runs."""
    for call in METHODS_OF_RUNS.values():
        with pytest.raises((TypeError, ValueError), match=f"^System 'new': {message}"):
            call(bleu, {"new": system, "old": THREE}, references)


def test_a_list_of_tables_is_one_test_set(bleu):
    """Runs in a list have more rows than the table of another system."""
    first, second, third = (
        bleu.statistics(predictions=SYSTEMS[name], references=REFERENCES) for name in "ABA"
    )
    parts = [first[:3], first[3:]]
    assert bleu.compare({"A": parts, "B": second}) == bleu.compare({"A": first, "B": second})
    for systems in ({"A": third, "B": [first, second]}, {"A": [first, second], "B": third}):
        for call in (METHODS_OF_RUNS["compare"], METHODS_OF_RUNS["rank"]):
            with pytest.raises(ValueError, match="differ in") as raised:
                call(bleu, systems)
            assert str(raised.value) == (
                "systems: the tables of 'A' and 'B' differ in their segments. Pass tables of the"
                " same segments, made by statistics() with the same options. A list of tables is"
                f" one test set; pass runs {RUNS_BY_NAME}"
            )


@pytest.mark.parametrize(
    ("method", "systems"),
    [
        ("rank", {"A": {"seed 1": ["a"], "seed 2": ["b"]}, "B": ["a"]}),
        ("rank", {"A": ["a"], "B": {"seed 1": ["a"]}}),
        ("diff", {"A": {"seed 1": ["a"], "seed 2": ["b"]}, "B": ["a"]}),
    ],
)
def test_rank_and_diff_take_one_run_per_system(bleu, method, systems):
    message = rf"System '[AB]': {method}\(\) takes one run per system.*Pass the predictions"
    with pytest.raises(ValueError, match=message):
        getattr(bleu, method)(systems, ["a"])


@pytest.fixture
def without_scipy(monkeypatch):
    for name in ("scipy", "scipy.special", "scipy.stats"):
        monkeypatch.setitem(sys.modules, name, None)


NEEDS_SCIPY = {
    "compare": lambda bleu: bleu.compare({"A": ["a"], "B": [None]}, ["a"]),
    "several runs": lambda bleu: bleu.compare({"A": ["a"], "B": {"seed 1": ["a"], "seed 2": [None]}}, ["a"], confidence=None),
    "rank by document": lambda bleu: bleu.rank(SYSTEMS, REFERENCES, documents=DOCUMENTS, n_resamples=20),
    "compute by document": lambda bleu: bleu.compute(predictions=SYSTEMS["A"], references=REFERENCES, documents=DOCUMENTS, confidence=0.95),
}  # fmt: skip


@pytest.mark.parametrize("call", NEEDS_SCIPY.values(), ids=NEEDS_SCIPY)
def test_a_missing_scipy_is_named(bleu, without_scipy, call):
    """`compare` does so before it reads the texts, or the error would be about them."""
    message = r"^Intervals and tests of Student's t need scipy\. Install it: pip install scipy"
    with pytest.raises(ImportError, match=message):
        call(bleu)


NEEDS_NO_SCIPY = {
    "compute": lambda bleu: bleu.compute(predictions=SYSTEMS["A"], references=REFERENCES, confidence=0.95),
    "rank": lambda bleu: bleu.rank(SYSTEMS, REFERENCES, n_resamples=20),
    "compare": lambda bleu: bleu.compare(SYSTEMS, REFERENCES, n_resamples=20, confidence=None),
}  # fmt: skip


@pytest.mark.parametrize("call", NEEDS_NO_SCIPY.values(), ids=NEEDS_NO_SCIPY)
def test_percentiles_and_exchanges_need_no_scipy(bleu, without_scipy, call):
    call(bleu)


@pytest.mark.parametrize("options", [{}, {"test": "bootstrap"}, {"by": [n % 2 for n in range(90)]}])
def test_one_run_each_adds_its_name(bleu, options):
    single = {name: {"seed 0": runs["seed 0"]} for name, runs in RUNS.items()}
    plain = {name: runs["seed 0"] for name, runs in RUNS.items()}
    named = bleu.compare(single, RUN_REFERENCES, n_resamples=50, **options)
    expected = bleu.compare(plain, RUN_REFERENCES, n_resamples=50, **options)
    for system in named["systems"].values():
        keys = ["bleu", "score", "macro_bleu"] if "by" in options else ["bleu", "score"]
        assert system.pop("runs") == {"seed 0": {key: system[key] for key in keys}}
    assert named == expected


def test_one_run_beside_several_stands_for_itself(bleu):
    systems = {"base": RUNS["base"]["seed 0"], "new": RUNS["new"]}
    result, warned = record_warnings(lambda: bleu.compare(systems, RUN_REFERENCES))
    assert (
        "1 system with a single run beside systems with several: the variance between runs of such"
        " a system is taken as 0, so its results hold for this run only. Pass several runs of each"
        " system."
    ) in warned
    assert result["test"] == "runs"
    assert not {"runs", "run_standard_deviation"} & set(result["systems"]["base"])
    assert "|runs:var|" in result["signature"]
    in_a_dict = bleu.compare({**systems, "base": {"x": systems["base"]}}, RUN_REFERENCES)
    assert list(in_a_dict["systems"]["base"].pop("runs")) == ["x"]
    assert in_a_dict == result


def test_equal_systems_have_a_p_value_of_1(bleu):
    """Runs of equal names are not paired: their order has no effect."""
    reordered = dict(reversed(RUNS["base"].items()))
    result = bleu.compare({"A": RUNS["base"], "B": reordered}, RUN_REFERENCES)
    copy = result["systems"]["B"]
    assert copy["p_value"] == 1.0
    assert copy["delta_interval"] == [copy["delta"]] * 2
    assert copy["delta"] == pytest.approx(0, abs=1e-15)
    assert (copy["wins"], copy["losses"]) == (0, 0)


def match(counts):
    """Return a prediction of 4 words per count, the first of which are in the reference "a b c d"."""
    return [" ".join("abcd"[:count]) + " x" * (4 - count) for count in counts]


@pytest.mark.parametrize("worse", [0, 1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("runs", [2, 3])
@pytest.mark.parametrize("by", [None, "label"])
def test_degrees_of_freedom_are_not_below_those_of_the_runs(bleu, worse, runs, by):
    """Run 1 is good where run 2 is bad, and the reverse, so that other texts would undo what differs."""
    good, bad = "a b c d e f", "a x c y e z"
    halves = [[good] * 20 + [bad] * 20, [bad] * 20 + [good] * 20, [good, bad] * 20]
    systems = {
        "A": {n: halves[n] for n in range(runs)},
        "B": {n: ["q"] * worse + halves[n][worse:] for n in range(runs)},
    }
    labels = ["x"] * 30 + ["y"] * 10 if by else None
    result = bleu.compare(systems, [good] * 40, n_resamples=200, by=labels)["systems"]
    for prefix in ("", "macro_") if by else ("",):
        delta = result["B"][f"{prefix}delta"]
        if worse:
            assert runs - 1 <= result["B"][f"{prefix}delta_degrees_of_freedom"] < 60
        low, high = result["B"][f"{prefix}delta_interval"]
        assert -1 <= low <= delta <= high <= 1
    for system in result.values():
        low, high = system["confidence_interval"]
        assert 0 <= low <= system["bleu"] <= high <= 1


# Systems, references, and documents: every resample of the texts and every run has the same score.
WITHOUT_VARIANCE = {
    "copies of one output of equal segments": ({"A": {1: ["a b"] * 5, 2: ["a b"] * 5}, "B": {1: ["a c"] * 5, 2: ["a c"] * 5}}, ["a b"] * 5, None),
    "runs that cancel out in each segment": (
        {"A": {1: match([1, 2, 3]), 2: match([3, 2, 1])}, "B": {1: match([0, 1, 2]), 2: match([2, 1, 0])}},
        ["a b c d"] * 3,
        None,
    ),
    "documents that are alike": (
        {"A": {1: match([4, 2] * 2), 2: match([4, 2] * 2)}, "B": {1: match([3, 1] * 2), 2: match([3, 1] * 2)}},
        ["a b c d"] * 4,
        ["x", "x", "y", "y"],
    ),
    "no match, and perfect": ({"A": {1: ["x"] * 5, 2: ["x"] * 5}, "B": {1: ["a b"] * 5, 2: ["a b"] * 5}}, ["a b"] * 5, None),
}  # fmt: skip


@pytest.mark.parametrize("by", [False, True], ids=["corpus", "groups"])
@pytest.mark.parametrize(
    ("systems", "references", "documents"), WITHOUT_VARIANCE.values(), ids=WITHOUT_VARIANCE
)
def test_runs_without_variance_have_neither_p_nor_interval(bleu, systems, references, documents, by):  # fmt: skip
    """A p-value of 0 would claim too much. A warning and a note say why they are missing."""
    labels = ["g"] * len(references) if by else None
    compare = lambda: bleu.compare(
        systems, references, documents=documents, by=labels, max_order=1, smooth_method="floor", n_resamples=100
    )  # fmt: skip
    result, warned = record_warnings(compare)
    b = result["systems"]["B"]
    assert abs(b["delta"]) > 0.1
    keys = set(b) | (set(b["groups"]["g"]) if by else set())
    assert not [key for key in keys if "p_value" in key or "interval" in key or "error" in key]
    assert not [key for key in keys if "degrees_of_freedom" in key or key == "detectable_delta"]
    json.dumps(result, allow_nan=False)
    assert [one for one in warned if one.startswith("System 'B': neither the runs nor resamples")]
    noun = "documents" if documents else "segments"
    assert f"B: no interval or p, because neither runs nor {noun} vary" in str(result)


@pytest.mark.parametrize("confidence", [0.95, None])
@pytest.mark.parametrize("by", [None, [0] * 20 + [1] * 20])
def test_what_is_said_to_be_missing_is_missing(bleu, by, confidence):
    """Copies of perfect texts score 100 on every resample, and their difference from others varies."""
    perfect = {n: ["a b c d e"] * 40 for n in (1, 2)}
    varied = {
        n: ["a b c d x", "a b c d e"] * (10 * n) + ["a b c d e"] * (40 - 20 * n) for n in (1, 2)
    }
    systems = {"A": varied, "B": perfect, "C": {1: ["a b c x e"] * 40, 2: ["a b c x e"] * 40}}
    for baseline in systems:
        compare = lambda baseline=baseline: bleu.compare(
            systems, ["a b c d e"] * 40, baseline=baseline, by=by, confidence=confidence
        )
        result, warned = record_warnings(compare)
        told = [one for one in warned if "neither the runs nor resamples" in one]
        expected = {}
        for name, system in result["systems"].items():
            has_p = name == baseline or "p_value" in system
            has_interval = confidence is None or "confidence_interval" in system
            expected[name] = {
                (True, True): None,
                (False, True): "no p",
                (True, False): "no interval of the score",
                (False, False): "no interval or p",
            }[has_p, has_interval]
        assert expected["A"] is None
        found = {name: missing for name, missing in expected.items() if missing}
        assert told == [
            f"System '{name}': neither the runs nor resamples of the texts differ in score, so there"
            f" is {missing}. Check that the runs are separate trainings, not copies."
            for name, missing in found.items()
        ]
        assert re.findall(r"\b([ABC]): (no [\w ]+), because neither", str(result)) == list(
            found.items()
        )


def test_equal_systems_without_variance_have_a_p_value_of_1(bleu):
    """Copies of one output on both sides are equal, whatever varies."""
    copies = {1: ["a b c d e"] * 4, 2: ["a b c d e"] * 4}
    result = bleu.compare({"A": copies, "B": copies}, ["a b c d f"] * 4)["systems"]["B"]
    assert (result["p_value"], result["delta"], result["delta_interval"]) == (1.0, 0.0, [0.0, 0.0])


def test_runs_of_one_segment_have_no_p_value(bleu):
    systems = {"A": {1: ["a b c d"], 2: ["a b c e"]}, "B": {1: ["a b c d"], 2: ["a b c d"]}}
    result, warned = record_warnings(lambda: bleu.compare(systems, ["a b c d"], by=["x"]))
    assert set(result["systems"]["B"]) == {
        "bleu", "score", "runs", "run_standard_deviation", "delta", "wins", "ties", "losses",
        "groups", "macro_bleu", "macro_delta",
    }  # fmt: skip
    assert "nrefs:1|runs:2|case" in result["signature"]
    assert [one for one in warned if one.startswith("One segment has no interval and no p-value")]


def test_runs_without_intervals(bleu):
    result = bleu.compare(RUNS, RUN_REFERENCES, confidence=None)
    assert set(result["systems"]["base"]) == {"bleu", "score", "runs", "run_standard_deviation"}
    assert set(result["systems"]["new"]) - set(result["systems"]["base"]) == {
        "delta", "p_value", "delta_degrees_of_freedom", "wins", "ties", "losses",
    }  # fmt: skip
    expected = bleu.compare(RUNS, RUN_REFERENCES)["systems"]["new"]["p_value"]
    assert result["systems"]["new"]["p_value"] == expected


def test_wins_ties_and_losses_are_of_mean_segment_scores(bleu):
    result = bleu.compare(RUNS, RUN_REFERENCES)["systems"]["new"]
    means = {
        name: np.mean(
            [
                bleu.compute(predictions=texts, references=RUN_REFERENCES, segments=True)[
                    "segment_bleu"
                ]
                for texts in runs.values()
            ],
            axis=0,
        )
        for name, runs in RUNS.items()
    }
    deltas = np.round(means["new"] - means["base"], 11)
    counts = [(deltas > 0).sum(), (deltas == 0).sum(), (deltas < 0).sum()]
    assert [result["wins"], result["ties"], result["losses"]] == counts


def test_the_baseline_of_runs(bleu):
    forward = bleu.compare(RUNS, RUN_REFERENCES)["systems"]
    backward = bleu.compare(RUNS, RUN_REFERENCES, baseline="new")
    assert list(backward["systems"]) == ["base", "new"]
    base = backward["systems"]["base"]
    assert base["delta"] == -forward["new"]["delta"]
    assert base["p_value"] == pytest.approx(forward["new"]["p_value"], rel=1e-9)
    assert "delta" not in backward["systems"]["new"]


def test_the_signature_of_runs(bleu, load):
    """One number of resamples for p and intervals; a loaded signature brings it back."""
    documents = [n // 3 for n in range(90)]
    result = bleu.compare(RUNS, RUN_REFERENCES, documents=documents, n_resamples=200)
    assert result["signature"].startswith("nrefs:1|bs:200|docs:30|seed:12345|runs:3|case:mixed|")
    assert (result["test"], result["n_resamples"], result["documents"]) == ("runs", 200, 30)
    assert (
        load(signature=result["signature"]).compare(RUNS, RUN_REFERENCES, documents=documents)
        == result
    )
    assert bleu.compare(RUNS, RUN_REFERENCES)["n_resamples"] == 1000
    assert load(n_resamples=300).compare(RUNS, RUN_REFERENCES)["n_resamples"] == 300
    fewer = {"base": RUNS["base"], "new": dict(list(RUNS["new"].items())[:2])}
    assert "|runs:var|" in bleu.compare(fewer, RUN_REFERENCES)["signature"]


def test_few_resamples_of_runs(bleu):
    message = "n_resamples=99: too few for standard errors, which intervals of Student's t need. Pass n_resamples=100"
    for n_resamples, is_warned in ((99, True), (100, False)):
        _, warned = record_warnings(
            lambda n=n_resamples: bleu.compare(RUNS, RUN_REFERENCES, n_resamples=n)
        )
        assert any(one.startswith(message) for one in warned) is is_warned


def test_a_run_of_score_0_is_named(bleu):
    systems = {"base": RUNS["base"], "new": {**RUNS["new"], "seed 2": ["x"] * 90}}
    _, warned = record_warnings(lambda: bleu.compare(systems, RUN_REFERENCES))
    assert [one for one in warned if one.startswith("The score of 'new', run 'seed 2'")]


def test_a_system_called_like_a_run(bleu):
    """Names of any kind do not collide with the pair of a system and its run."""
    systems = {"t5": {3: RUNS["base"]["seed 0"], 4: RUNS["base"]["seed 1"]}}
    systems["t5", 3] = RUNS["new"]["seed 0"]
    result = bleu.compare(systems, RUN_REFERENCES)["systems"]
    assert list(result) == ["t5", "('t5', 3)"]
    assert list(result["t5"]["runs"]) == [3, 4]


def test_runs_in_every_format(bleu):
    comparison = bleu.compare(RUNS, RUN_REFERENCES)
    base, new = comparison["systems"].values()
    cells = [f"{new['score']:.2f}", f"{100 * new['run_standard_deviation']:.2f}"]
    head, _, second, *_ = str(comparison).splitlines()
    assert head.split()[:5] == ["system", "BLEU", "SD", "of", "runs"]
    assert second.split()[:7] == ["new", "(mean", "of", "3", "runs)", *cells]
    assert "| base (baseline, mean of 3 runs) | " in comparison.to_markdown()
    assert f"new (mean of 3 runs) & {' & '.join(cells)} & " in comparison.to_latex()
    assert (
        f"<td>new (mean of 3 runs)</td><td>{'</td><td>'.join(cells)}</td>" in comparison.to_html()
    )
    assert "\nWelch's t-test for new runs and new texts, 1,000 resamples; 95% CI: t with " in str(
        comparison
    )
    frame = comparison.to_pandas()
    assert frame["part"].tolist() == ["all", "run", "run", "run"] * 2
    assert frame["run"].dropna().tolist() == ["seed 0", "seed 1", "seed 2"] * 2
    runs = [run["score"] for system in (base, new) for run in system["runs"].values()]
    assert frame[frame["part"] == "run"]["score"].tolist() == runs
    deviation = f"{100 * new['run_standard_deviation']:.2f}"
    assert f"new scores {cells[0]} (mean of 3 runs, standard deviation {deviation}, 95% CI " in (
        comparison.report()
    )
    assert "; Welch's t-test for new runs and new texts, 1,000 resamples; " in comparison.report()


@pytest.mark.parametrize(("count", "size", "options", "is_said"), [
    (2, 90, {}, True),
    (2, 90, {"by": ["x"] * 89 + ["y"]}, True),
    (3, 90, {}, False),
    (2, 90, {"confidence": None}, False),
    (2, 90, {"confidence": None, "by": ["x"] * 45 + ["y"] * 45}, False),
    (2, 90, {"documents": ["one"] * 90}, False),
    (2, 1, {}, False),
    (2, 1, {"by": ["x"]}, False),
])  # fmt: skip
def test_two_runs_say_why_intervals_are_wide(bleu, count, size, options, is_said):
    """Without an interval, the note does not mention any."""
    systems, references = make_runs({"base": count, "new": 3})
    for runs in systems.values():
        for name, texts in runs.items():
            runs[name] = texts[:size]
    comparison = bleu.compare(systems, references[:size], **options)
    note = "intervals are wide, because two runs say little about other runs"
    for written in (str(comparison), comparison.to_latex(), comparison.to_html()):
        assert (note in written) is is_said
        assert ("interval" in written.replace("bleu-interval", "")) is is_said


@pytest.mark.parametrize(("size", "options", "is_said"), [
    (90, {}, True), (90, {"confidence": None}, True), (90, {"documents": ["one"] * 90}, False), (1, {}, False),
])  # fmt: skip
def test_a_single_run_warns_where_there_is_a_test(bleu, size, options, is_said):
    systems = {"base": RUNS["base"]["seed 0"][:size], "new": {}}
    for name, texts in RUNS["new"].items():
        systems["new"][name] = texts[:size]
    _, warned = record_warnings(lambda: bleu.compare(systems, RUN_REFERENCES[:size], **options))
    assert any("with a single run beside" in one for one in warned) is is_said


# --- Holm's procedure: the definition by loops ----------------------------------------------------

# p-values and Holm's adjusted ones, worked out by hand; ties stay ties.
HOLM = [
    ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
    ([0.5], [0.5]),
    ([0.5, 0.6, 0.7], [1, 1, 1]),
    ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
    ([0.9, 0.001], [0.9, 0.002]),
]


@pytest.mark.parametrize(("p_values", "expected"), HOLM, ids=str)
def test_holms_procedure(p_values, expected):
    adjusted = adjust_holm(np.array(p_values))
    assert adjusted == pytest.approx(expected, abs=1e-15)
    # As published: from the smallest p on, reject while p < alpha / (remaining hypotheses).
    for alpha in (0.05, 0.055, 0.1):
        rejected, order = set(), sorted(range(len(p_values)), key=lambda k: p_values[k])
        for step, k in enumerate(order):
            if p_values[k] >= alpha / (len(order) - step):
                break
            rejected.add(k)
        assert set(np.flatnonzero(adjusted < alpha)) == rejected
