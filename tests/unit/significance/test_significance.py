"""Significance in `compare`, `rank` and `compute`: documents as units, several training runs per system."""

import json
import random
import re
import statistics
import sys
import warnings
from typing import NamedTuple

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bleu.bleu_core.significance.intervals import (
    INTERVAL_METHODS,
    Estimate,
    add_estimate,
    describe_intervals,
)
from helpers import (
    DOCUMENTS,
    REFERENCES,
    SYSTEMS,
    TESTS,
    interval_by_t,
    record_warnings,
    spread,
)
from sacrebleu.metrics import BLEU
from scipy import stats

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# --- Documents: their rows are summed, and the sums are drawn or exchanged ------------------------


def sum_documents(bleu, texts, documents, **options):
    """Return the sums of each document's rows in the order of first appearance, by a loop."""
    sums = {}
    for document, row in zip(documents, bleu.statistics(predictions=texts, references=REFERENCES, **options).to_pandas().to_numpy()):  # fmt: skip
        sums[document] = sums.get(document, 0) + row
    return np.array(list(sums.values()))


def score_sums(bleu, sums):
    return np.array([bleu.compute(statistics=row)["bleu"] for row in sums])


@pytest.mark.parametrize("test", TESTS)
def test_documents_are_drawn_and_exchanged_whole(bleu, test):
    """With the same seed, NumPy's draws of sums per document give the same p-values and intervals."""
    n_resamples, seed = 200, 4
    options = {"test": test, "n_resamples": n_resamples, "seed": seed}
    result = bleu.compare(SYSTEMS, REFERENCES, documents=DOCUMENTS, **options)
    alone = bleu.compare(SYSTEMS, REFERENCES, **options)
    units = {name: sum_documents(bleu, texts, DOCUMENTS) for name, texts in SYSTEMS.items()}
    n = len(set(DOCUMENTS))
    assert result["documents"] == n
    assert f"docs:{n}|" in result["signature"]
    generator = np.random.default_rng(seed)
    drawn = generator.integers(n, size=(1000, n))
    samples = {
        name: np.sort(score_sums(bleu, [rows[draw].sum(axis=0) for draw in drawn[:200]]))
        for name, rows in units.items()
    }
    for name, system in result["systems"].items():
        without = alone["systems"][name]
        same = [
            key for key in without if key in ("bleu", "score", "delta", "wins", "ties", "losses")
        ]
        assert [system[key] for key in same] == [without[key] for key in same]
        assert system["confidence_interval"] != without["confidence_interval"]
    short = bleu.compare(
        SYSTEMS, REFERENCES, documents=DOCUMENTS, test="bootstrap", n_resamples=200, seed=seed
    )
    for name in list(SYSTEMS)[1:]:
        observed = short["systems"][name]["delta"]
        if test == "bootstrap":
            differences = score_sums(bleu, [units[name][draw].sum(axis=0) for draw in drawn[:200]])
            differences = differences - score_sums(
                bleu, [units["A"][draw].sum(axis=0) for draw in drawn[:200]]
            )
            extreme = np.abs(differences - differences.mean()) >= abs(observed) - 1e-11
        else:
            exchanged = np.random.default_rng(seed).integers(2, size=(n_resamples, n), dtype=bool)[
                ..., None
            ]
            first = np.where(exchanged, units[name], units["A"]).sum(axis=1)
            second = np.where(exchanged, units["A"], units[name]).sum(axis=1)
            extreme = (
                np.abs(score_sums(bleu, second) - score_sums(bleu, first)) >= abs(observed) - 1e-11
            )
        assert result["systems"][name]["p_value"] == (extreme.sum() + 1) / (n_resamples + 1)
    assert len(samples["A"]) == 200


def test_intervals_by_document(bleu):
    """`compute`, `score` and `compare` draw the same sums; `segment_bleu` stays that of segments."""
    options = {"confidence": 0.9, "n_resamples": 100, "seed": 3}
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES}
    result = bleu.compute(**columns, documents=DOCUMENTS, segments=True, **options)
    sums = sum_documents(bleu, SYSTEMS["B"], DOCUMENTS)
    drawn = np.random.default_rng(3).integers(len(sums), size=(100, len(sums)))
    samples = score_sums(bleu, [sums[draw].sum(axis=0) for draw in drawn])
    left_out = score_sums(bleu, list(sums.sum(axis=0) - sums))
    expected = interval_by_t(result["bleu"], [(samples, left_out)], confidence=0.9)
    assert result["confidence_interval"] == pytest.approx(expected.ends, rel=1e-9)
    assert result["degrees_of_freedom"] == pytest.approx(expected.degrees_of_freedom, rel=1e-9)
    assert result["degrees_of_freedom"] < len(sums) - 1  # documents of unequal sizes
    assert result["standard_error"] == pytest.approx(expected.standard_error, rel=1e-9)
    assert result["bootstrap_mean"] == pytest.approx(samples.mean(), abs=1e-15)
    assert result["documents"] == len(sums)
    assert result["segment_bleu"] == bleu.compute(**columns, segments=True)["segment_bleu"]
    table = bleu.statistics(**columns, documents=DOCUMENTS)
    assert table["document"].to_pylist() == DOCUMENTS
    for documents in ("document", DOCUMENTS, np.array(DOCUMENTS), pa.array(DOCUMENTS)):
        assert (
            bleu.compute(statistics=table, documents=documents, segments=True, **options) == result
        )
    options.pop("confidence")
    tables = {name: bleu.statistics(predictions=texts, references=REFERENCES, documents=DOCUMENTS) for name, texts in SYSTEMS.items()}  # fmt: skip
    expected = bleu.compare(SYSTEMS, REFERENCES, documents=DOCUMENTS, n_resamples=20)
    assert bleu.compare(tables, documents="document", n_resamples=20) == expected
    assert "by document (" in str(expected)
    assert "by document (" in expected.report()
    assert f", {len(sums)} documents); signature " in result.report()


GOOD, BAD = "the cat sat on the mat", "a dog lay there"

# Predictions and documents, and the degrees of freedom of the interval; all references are `GOOD`.
CORNERS = {
    "one document": ([GOOD, BAD], [1, 1], None),
    "two documents": ([GOOD, GOOD[:-8], BAD, GOOD], [1, 1, 2, 2], 1),
    "a perfect score": ([GOOD] * 5, [1, 2, 3, 4, 5], 4),
    "no match": ([BAD] * 5, [1, 2, 3, 4, 5], 4),
    "documents that are alike": ([GOOD, BAD] * 5, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], 4),
    "all matches in one document": ([GOOD, BAD, BAD, BAD], [1, 2, 3, 4], 3),  # at least 1.5 by kurtosis, at most U - 1
}  # fmt: skip


@pytest.mark.parametrize(("predictions", "documents", "expected"), CORNERS.values(), ids=CORNERS)
def test_corners_of_the_interval(bleu, predictions, documents, expected):
    """A score that no document changes has an interval without width; ends are from 0 to 1."""
    columns = {"predictions": predictions, "references": [GOOD] * len(predictions)}
    result = bleu.compute(**columns, documents=documents, confidence=0.95)
    json.dumps(result, allow_nan=False)
    if expected is None:
        assert not {"confidence_interval", "degrees_of_freedom"} & set(result)
        return
    assert result["degrees_of_freedom"] == expected
    low, high = result["confidence_interval"]
    assert 0 <= low <= result["bleu"] <= high <= 1
    if result["standard_error"] < 1e-11:
        assert [low, high] == pytest.approx([result["bleu"]] * 2, abs=1e-12)


@pytest.mark.parametrize("method", INTERVAL_METHODS)
def test_an_interval_is_described_by_its_method(method):
    """Results tell the method of an interval by a key; a method without one would be told as percentiles."""
    value = 19.0 if method.key else None
    estimate = Estimate(0.3, 0.01, method, value, resampled=np.linspace(0.2, 0.4, 100))
    scores = {}
    add_estimate(scores, estimate, confidence=0.9)
    assert scores["confidence_interval"] == method.find_ends(estimate, 0.9)
    assert describe_intervals([scores]) == method.describe([value])


@pytest.mark.parametrize("by_document", [False, True], ids=["segments", "documents"])
def test_what_is_copied_says_which_interval_it_is(bleu, by_document):
    """A sentence, Markdown and LaTeX name the percentile bootstrap, or t with its degrees of freedom."""
    documents = DOCUMENTS if by_document else None
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES, "documents": documents}
    write = lambda number: f"{number:.1f}".removesuffix(".0")
    # 1. One system.
    result = bleu.compute(**columns, confidence=0.95)
    kind = "percentile bootstrap"
    if by_document:
        kind = f"t with {write(result['degrees_of_freedom'])} degrees of freedom, 23 documents"
    low, high = (f"{100 * end:.2f}" for end in result["confidence_interval"])
    for copied in (result.report(), result.to_markdown(), result.to_latex(), result.to_html()):
        assert f"95% CI {low} to {high}, {kind}" in copied
    # 2. Groups.
    grouped = bleu.compute(**columns, confidence=0.95, by=[n % 2 for n in range(60)])
    macro = f"95% CI of the macro-average: t with {write(grouped['macro_degrees_of_freedom'])} degrees of freedom"
    for copied in (grouped.to_markdown(), grouped.to_latex()):
        assert macro in copied
        assert ("95% CI: percentile bootstrap" in copied) is not by_document
    # 3. Several systems.
    compared = bleu.compare(SYSTEMS, REFERENCES, documents=documents, n_resamples=20)
    systems = compared["systems"].values()
    degrees = [one["delta_degrees_of_freedom"] for one in systems if "delta" in one]
    difference = f"95% CI of difference: t with {write(min(degrees))} to {write(max(degrees))} degrees of freedom"
    scores = "percentile bootstrap"
    if by_document:
        degrees = [one["degrees_of_freedom"] for one in systems]
        scores = f"t with {write(min(degrees))} to {write(max(degrees))} degrees of freedom"
    for copied in (compared.to_markdown(), compared.to_latex(), str(compared)):
        assert f"; 95% CI: {scores}; {difference}; " in copied
    ranked = bleu.rank(SYSTEMS, REFERENCES, documents=documents, n_resamples=20)
    for copied in (ranked.to_markdown(), ranked.to_latex()):
        assert f"; 95% CI: {scores}; " in copied
    of_one = scores
    if by_document:
        of_one = f"t with {write(degrees[0])} degrees of freedom"
    for sentence in (compared.report(), ranked.report()):
        assert f", {of_one})" in sentence
    # 4. Without intervals.
    alone = bleu.compare(SYSTEMS, REFERENCES, documents=documents, n_resamples=20, confidence=None)
    assert "CI" not in str(alone)


def test_the_macro_average_of_one_group_has_its_interval(bleu):
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES, "documents": DOCUMENTS}
    result = bleu.compute(**columns, by=["x"] * len(REFERENCES), confidence=0.95)
    for key in ("confidence_interval", "degrees_of_freedom", "standard_error"):
        assert result[f"macro_{key}"] == result["groups"]["x"][key] == result[key]


@pytest.mark.parametrize("by_document", [False, True], ids=["segments", "documents"])
def test_the_macro_average_of_groups_of_their_own(bleu, by_document):
    """Satterthwaite's degrees of freedom, from those of each group."""
    labels = [n // 20 for n in range(60)]
    documents = [n // 2 for n in range(60)] if by_document else None
    options = {"by": labels, "documents": documents}
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES}
    scored = bleu.compute(**columns, **options, confidence=0.95)
    two = {name: SYSTEMS[name] for name in "AB"}
    compared = bleu.compare(two, REFERENCES, **options, n_resamples=20)["systems"]["B"]
    parts, difference_parts = [], []
    for label in range(3):
        drawn, left_out = [], []
        for name in "AB":
            rows = list_rows(bleu, two[name], REFERENCES)[20 * label : 20 * label + 20]
            if by_document:
                rows = rows.reshape(10, 2, 10).sum(axis=1)
            drawn.append(resample_with_sacrebleu(rows, 1000))
            left_out.append(score_sums(bleu, list(rows.sum(axis=0) - rows)))
        parts.append((drawn[1], left_out[1]))
        difference_parts.append((drawn[1] - drawn[0], left_out[1] - left_out[0]))
    expected = interval_by_t(scored["macro_bleu"], parts)
    assert scored["macro_confidence_interval"] == pytest.approx(expected.ends)
    assert scored["macro_degrees_of_freedom"] == pytest.approx(expected.degrees_of_freedom)
    assert scored["macro_standard_error"] == pytest.approx(expected.standard_error)
    expected = interval_by_t(compared["macro_delta"], difference_parts, lowest=-1)
    assert compared["macro_delta_interval"] == pytest.approx(expected.ends)
    assert compared["macro_delta_degrees_of_freedom"] == pytest.approx(expected.degrees_of_freedom)
    assert compared["macro_delta_standard_error"] == pytest.approx(expected.standard_error)


def sum_with_arrow(table, keys):
    """Sum rows with Arrow, whose groups are in any order: back in that of first appearance."""
    columns = [name for name in table.column_names if name not in keys]
    table = table.append_column("place", pa.array(range(len(table))))
    sums = table.group_by(keys).aggregate([("place", "min"), *((name, "sum") for name in columns)])
    sums = sums.sort_by("place_min").drop_columns("place_min")
    return sums.rename_columns([name.removesuffix("_sum") for name in sums.column_names])


def sum_with_pandas(table, keys):
    return table.to_pandas().groupby(keys, sort=False).sum().reset_index()


def sum_blocks(table, keys):
    """Sum blocks of 50 rows, so that documents have several partial sums."""
    return [sum_with_arrow(table[start : start + 50], keys) for start in range(0, len(table), 50)]


SUMS = [sum_with_arrow, sum_with_pandas, sum_blocks]


def count_documents(bleu, **columns):
    """Return the table of each system, with a column `document`, and `label` if there are labels."""
    return {
        name: bleu.statistics(
            predictions=texts, references=REFERENCES, documents=DOCUMENTS, **columns
        )
        for name, texts in SYSTEMS.items()
    }


@pytest.mark.parametrize("make", SUMS)
@pytest.mark.parametrize("by", [None, "label"])
def test_sums_of_documents_give_the_intervals_of_all_segments(bleu, make, by):
    """One row per document, or per document and block: equal to the digit, but for what only segments have."""
    labels = {"by": [f"{i % 3}" for i in range(len(REFERENCES))]} if by else {}
    named = {"by": by} if by else {}
    keys = [*named.values(), "document"]
    tables = count_documents(bleu, **labels)
    table = tables["B"]
    sums = {name: make(counted, keys) for name, counted in tables.items()}
    like = {"like": table, "documents": "document"}
    # 1. `compute`
    options = {"confidence": 0.9, "n_resamples": 50, "documents": "document", **named}
    assert bleu.compute(statistics=sums["B"], like=table, **options) == bleu.compute(
        statistics=table, **options
    )
    # 2. `compare`, whose segments can't win
    for test in TESTS:
        expected = bleu.compare(tables, documents="document", test=test, n_resamples=50, **named)
        result = bleu.compare(sums, **like, test=test, n_resamples=50, **named)
        for system in list(expected["systems"].values())[1:]:
            assert {"wins", "ties", "losses"} <= set(system)
            for key in ("wins", "ties", "losses"):
                del system[key]
        assert result == expected
        assert "wins" not in str(result)
    # 3. `rank`, which has no labels
    if not by:
        expected = bleu.rank(tables, documents="document", n_resamples=50)
        assert bleu.rank(sums, **like, n_resamples=50) == expected
    # 4. Systems in different forms are summed alike.
    mixed = {**tables, "B": sums["B"]}
    assert bleu.compare(mixed, **like, test=test, n_resamples=50, **named) == result


def test_sums_as_an_array_with_documents(bleu):
    sums = sum_documents(bleu, SYSTEMS["B"], DOCUMENTS)
    names = list(dict.fromkeys(DOCUMENTS))
    table = bleu.statistics(predictions=SYSTEMS["B"], references=REFERENCES)
    options = {"confidence": 0.9, "n_resamples": 50}
    expected = bleu.compute(statistics=table, documents=DOCUMENTS, **options)
    assert bleu.compute(statistics=sums, like=table, documents=names, **options) == expected


def test_documents_of_systems_may_be_in_any_order(bleu):
    """Systems are aligned by document: the order of the first one is that of the draws."""
    tables = count_documents(bleu)
    sums = {name: sum_with_pandas(table, ["document"]) for name, table in tables.items()}
    like = {"like": tables["A"], "documents": "document", "n_resamples": 50}
    expected = bleu.compare(sums, **like)
    reordered = {**sums, "B": sums["B"].iloc[::-1]}
    assert bleu.compare(reordered, **like) == expected
    with pytest.raises(ValueError, match=r"the tables of 'A' and 'B' differ in their documents"):
        bleu.compare({**sums, "B": sums["B"].iloc[1:]}, **like)


def test_sums_need_documents(bleu):
    """Sums without documents, and texts with `like`, are errors that say what to pass."""
    tables = count_documents(bleu)
    like = tables["A"]
    sums = {name: sum_with_arrow(table, ["document"]) for name, table in tables.items()}
    advice = r"or the document of each row, as in documents='document'"
    for method in (bleu.compare, bleu.rank):
        with pytest.raises(ValueError, match=rf"^System 'A': statistics: .*got sums\..*{advice}"):
            method(sums, like=like)
        with pytest.raises(ValueError, match=r"^like: it belongs to tables"):
            method(SYSTEMS, REFERENCES, like=like)
    with pytest.raises(
        ValueError, match=rf"^`confidence` needs one .* these rows are sums.*{advice}"
    ):
        bleu.compute(statistics=sums["A"], like=like, confidence=0.95)
    with pytest.raises(ValueError, match=r"^`segments` needs one .* these rows are sums"):
        bleu.compute(statistics=sums["A"], like=like, segments=True, documents="document")


def test_documents_of_one_segment_each_change_the_intervals_of_scores_only(bleu):
    """By document they are of Student's t, by segment sacreBLEU's percentiles."""
    labels = list(range(len(REFERENCES)))
    for method in (bleu.compare, bleu.rank):
        expected, result = (
            method(SYSTEMS, REFERENCES, n_resamples=50, **more)
            for more in ({}, {"documents": labels})
        )
        for each in (expected, result):
            systems = each["ranking"] if "ranking" in each else each["systems"].values()
            for system in systems:
                assert (system.pop("degrees_of_freedom", None) is None) is (each is expected)
                del system["confidence_interval"], system["standard_error"]
        assert result.pop("documents") == len(labels)
        result["signature"] = result["signature"].replace(f"docs:{len(labels)}|", "")
        assert dict(result) == dict(expected)


def test_each_group_has_the_documents_of_its_segments(bleu):
    labels = ["x" if i % 3 else "y" for i in range(len(REFERENCES))]
    options = {"confidence": 0.95, "n_resamples": 50}
    result = bleu.compute(
        predictions=SYSTEMS["B"], references=REFERENCES, by=labels, documents=DOCUMENTS, **options
    )
    compared = bleu.compare(SYSTEMS, REFERENCES, by=labels, documents=DOCUMENTS, n_resamples=50)
    for label in ("x", "y"):
        rows = [i for i, one in enumerate(labels) if one == label]
        pick = lambda column, rows=rows: [column[i] for i in rows]
        alone = bleu.compute(predictions=pick(SYSTEMS["B"]), references=pick(REFERENCES), documents=pick(DOCUMENTS), **options)  # fmt: skip
        assert result["groups"][label] == dict(alone)
        two = {name: pick(SYSTEMS[name]) for name in ("A", "B")}
        alone = bleu.compare(two, pick(REFERENCES), documents=pick(DOCUMENTS), n_resamples=50)
        group = compared["systems"]["B"]["groups"][label]
        assert group["p_value"] == alone["systems"]["B"]["p_value"]
        assert group["documents"] == alone["documents"] == len(set(pick(DOCUMENTS)))


# Labels that cut through documents; "rare" has segments of two documents, which some draws miss.
CUT_LABELS = {
    "alternating": ["x" if i % 3 else "y" for i in range(len(REFERENCES))],
    "rare": ["rare" if document in ("document 0", "document 2") and i % 2 else "all" for i, document in enumerate(DOCUMENTS)],
}  # fmt: skip


def sum_documents_of_group(bleu, name, labels, label):
    """Return the sums of a group's rows per document of the corpus, in order of first appearance."""
    table = bleu.statistics(predictions=SYSTEMS[name], references=REFERENCES)
    sums = {document: np.zeros(10, np.int64) for document in DOCUMENTS}
    for row, document, of_row in zip(table.to_pandas().to_numpy(), DOCUMENTS, labels):
        if of_row == label:
            sums[document] = sums[document] + row
    return np.array(list(sums.values()))


@pytest.mark.parametrize("labels", CUT_LABELS.values(), ids=CUT_LABELS)
def test_groups_that_share_documents_are_averaged_over_the_same_draws(bleu, labels):
    """The macro-average draws documents of the whole corpus once for all groups, here by NumPy.

    A draw without any document of a group takes the group's observed score.
    """
    n_resamples, seed = 200, 4
    documents = list(dict.fromkeys(DOCUMENTS))
    n = len(documents)
    drawn = np.random.default_rng(seed).integers(n, size=(n_resamples, n))
    exchanged = np.random.default_rng(seed).integers(2, size=(n_resamples, n), dtype=bool)[
        ..., None
    ]
    averages = {"A": [], "B": []}
    left_out = {"A": [], "B": []}
    differences = []
    n_missed = 0
    for label in dict.fromkeys(labels):
        rows = {name: sum_documents_of_group(bleu, name, labels, label) for name in averages}
        present = {document for document, of_row in zip(DOCUMENTS, labels) if of_row == label}
        has_document = np.array([document in present for document in documents])
        missed = ~has_document[drawn].any(axis=1)
        n_missed += missed.sum()
        for name, sums in rows.items():
            resampled = sums[drawn].sum(axis=1)
            resampled[missed] = sums.sum(axis=0)
            averages[name].append(score_sums(bleu, list(resampled)))
            left_out[name].append(score_sums(bleu, list(sums.sum(axis=0) - sums)))
        first = np.where(exchanged, rows["B"], rows["A"]).sum(axis=1)
        second = np.where(exchanged, rows["A"], rows["B"]).sum(axis=1)
        differences.append(score_sums(bleu, list(second)) - score_sums(bleu, list(first)))
    assert (n_missed > 0) == ("rare" in labels)
    a, b = np.mean(averages["A"], axis=0), np.mean(averages["B"], axis=0)
    a_left_out, b_left_out = (np.mean(left_out[name], axis=0) for name in "AB")

    options = {"by": labels, "documents": DOCUMENTS, "n_resamples": n_resamples, "seed": seed}
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES}
    scored = bleu.compute(**columns, **options, confidence=0.95)
    expected = interval_by_t(scored["macro_bleu"], [(b, b_left_out)])
    assert scored["macro_confidence_interval"] == pytest.approx(expected.ends, rel=1e-9)
    assert scored["macro_degrees_of_freedom"] == pytest.approx(expected.degrees_of_freedom)
    assert scored["macro_standard_error"] == pytest.approx(expected.standard_error, rel=1e-9)
    assert scored["shared_documents"] > 0

    two = {name: SYSTEMS[name] for name in "AB"}
    fewer = type(bleu)(n_resamples=n_resamples)  # of the bootstrap behind intervals
    system = fewer.compare(two, REFERENCES, **options)["systems"]["B"]
    observed = abs(system["macro_delta"])
    count = (np.abs(np.mean(differences, axis=0)) >= observed - 1e-11).sum()
    assert system["macro_p_value"] == (count + 1) / (n_resamples + 1)
    parts = [(b - a, b_left_out - a_left_out)]
    expected = interval_by_t(system["macro_delta"], parts, lowest=-1)
    assert system["macro_delta_interval"] == pytest.approx(expected.ends, rel=1e-9)
    assert system["macro_delta_degrees_of_freedom"] == pytest.approx(expected.degrees_of_freedom)
    assert system["macro_delta_standard_error"] == pytest.approx(expected.standard_error)

    system = fewer.compare(two, REFERENCES, **options, test="bootstrap")["systems"]["B"]
    count = (np.abs((b - a) - (b - a).mean()) >= observed - 1e-11).sum()
    assert system["macro_p_value"] == (count + 1) / (n_resamples + 1)


def test_a_random_seed_is_one_for_all_groups_that_share_documents(load):
    """Two groups with the same texts: their average varies as each does, and not by a root of 2 less."""
    bleu = load(seed=None, n_resamples=2000)
    twice = lambda column: [item for item in column for _ in range(2)]
    columns = {"predictions": twice(SYSTEMS["B"]), "references": twice(REFERENCES)}
    labels = ["x", "y"] * len(REFERENCES)
    result = bleu.compute(**columns, by=labels, documents=twice(DOCUMENTS), confidence=0.95)
    alone = result["groups"]["x"]["standard_error"]
    assert result["macro_standard_error"] == pytest.approx(alone, rel=0.15)
    systems = {name: twice(SYSTEMS[name]) for name in "AB"}
    compared = bleu.compare(
        systems, columns["references"], by=labels, documents=twice(DOCUMENTS), n_resamples=2000
    )["systems"]["B"]
    assert compared["macro_delta_standard_error"] == pytest.approx(
        compared["delta_standard_error"], rel=0.15
    )
    assert compared["macro_p_value"] == pytest.approx(compared["groups"]["x"]["p_value"], abs=0.05)


def test_shared_documents_are_told(bleu):
    """The number stands in the result, and the note says what it does; the groups' own keys stay."""
    options = {"by": CUT_LABELS["alternating"], "documents": DOCUMENTS, "n_resamples": 50}
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES}
    scored = bleu.compute(**columns, **options, confidence=0.95)
    compared = bleu.compare(SYSTEMS, REFERENCES, **options)
    groups_of = {document: set() for document in DOCUMENTS}
    for label, document in zip(options["by"], DOCUMENTS):
        groups_of[document].add(label)
    shared = sum(len(groups) > 1 for groups in groups_of.values())
    for result in (scored, compared):
        assert result["shared_documents"] == shared
        told = (
            f"{shared} of them occur in several groups, and the macro-average draws these once for"
            " all groups"
        )
        assert told in str(result)
        assert told in result.report()
    own = [f"{label} {document}" for label, document in zip(options["by"], DOCUMENTS)]
    for result in (
        bleu.compute(**columns, **{**options, "documents": own}, confidence=0.95),
        bleu.compare(SYSTEMS, REFERENCES, **{**options, "documents": own}),
    ):
        assert "shared_documents" not in result
        assert "in several groups" not in str(result)


def test_a_group_of_one_document_that_is_shared_has_a_macro_average(bleu):
    """It has no interval of its own, but the documents of the corpus can be drawn."""
    labels = [
        "one" if document == DOCUMENTS[0] and i % 2 else "all"
        for i, document in enumerate(DOCUMENTS)
    ]
    with pytest.warns(
        bleu.Warning,
        match="1 group has a single document, so it does not get an interval or p-value",
    ):
        result = bleu.compute(
            predictions=SYSTEMS["B"],
            references=REFERENCES,
            by=labels,
            documents=DOCUMENTS,
            confidence=0.9,
        )
    assert "confidence_interval" not in result["groups"]["one"]
    assert "macro_confidence_interval" in result


# Labels of documents that are wrong, and the message.
WRONG_DOCUMENTS = [
    (DOCUMENTS[:-1], ValueError, rf"documents: got {len(DOCUMENTS) - 1} labels for {len(DOCUMENTS)} predictions"),
    ([*DOCUMENTS[:-1], None], ValueError, rf"documents\[{len(DOCUMENTS) - 1}\]: got None\. Pass a label of its own"),
    ([float("nan"), *DOCUMENTS[1:]], ValueError, r"documents\[0\]: got NaN\. Pass a label of its own"),
    ("document", TypeError, "documents: expected a list, array or Series, got"),
]  # fmt: skip


@pytest.mark.parametrize(("documents", "error", "message"), WRONG_DOCUMENTS, ids=range(4))
@pytest.mark.parametrize("method", ["compute", "compare", "rank", "statistics"])
def test_wrong_documents_are_rejected(bleu, method, documents, error, message):
    columns = {"predictions": SYSTEMS["A"], "references": REFERENCES}
    columns = (
        columns
        if method in ("compute", "statistics")
        else {"systems": SYSTEMS, "references": REFERENCES}
    )
    with pytest.raises(error, match=message):
        getattr(bleu, method)(**columns, documents=documents)


def test_true_and_one_are_two_documents(bleu):
    """They are one key of a dict, but two labels."""
    labels = [True if i % 2 else 1 for i in range(len(REFERENCES))]
    assert bleu.compare(SYSTEMS, REFERENCES, documents=labels, n_resamples=20)["documents"] == 2


def test_documents_of_uneven_sizes_are_few(bleu):
    """One document with half of all segments weighs as much as all others: the effective number counts."""
    texts = ["the cat sat on the mat"] * 200
    columns = {"predictions": texts, "references": texts}
    uneven = [0 if i < 100 else i for i in range(200)]
    told = r"^Intervals and tests of 101 documents that weigh as much as 4 of equal size are unreliable"
    with pytest.warns(bleu.Warning, match=told):
        bleu.compute(**columns, documents=uneven, confidence=0.95, n_resamples=50)
    with pytest.warns(bleu.Warning, match=told):
        bleu.compare({"A": texts, "B": texts}, texts, documents=uneven, n_resamples=50)
    with pytest.warns(bleu.Warning, match=told):
        bleu.rank({"A": texts, "B": texts}, texts, documents=uneven, n_resamples=50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        even = [i // 2 for i in range(200)]
        bleu.compute(**columns, documents=even, confidence=0.95, n_resamples=100)


def test_one_and_its_text_are_two_documents(bleu):
    labels = [1, "1"] * (len(REFERENCES) // 2)
    assert bleu.compare(SYSTEMS, REFERENCES, documents=labels, n_resamples=20)["documents"] == 2


@pytest.mark.parametrize("method", ["compare", "rank"])
def test_few_documents_are_told(bleu, method):
    """Said of documents, not of segments; one document has no interval and no p-value."""
    call = lambda documents: getattr(bleu, method)(
        SYSTEMS, REFERENCES, documents=documents, n_resamples=100
    )
    _, messages = record_warnings(lambda: call([str(i % 29) for i in range(len(REFERENCES))]))
    assert [
        message
        for message in messages
        if message.startswith("Intervals and tests of 29 documents are unreliable")
    ]
    result, messages = record_warnings(lambda: call(["one"] * len(REFERENCES)))
    assert [
        message
        for message in messages
        if message.startswith("One document has no interval and no p-value")
    ]
    assert "p_value" not in str(dict(result))
    assert "confidence_interval" not in str(dict(result))
    texts = ["the cat sat on the mat"] * len(REFERENCES)  # documents of equal size
    even = {"documents": list(range(len(texts))), "n_resamples": 100}
    _, messages = record_warnings(
        lambda: getattr(bleu, method)({"A": texts, "B": texts}, texts, **even)
    )
    assert not [message for message in messages if "document" in message]


@pytest.mark.parametrize(("confidence", "n_resamples", "warned"), [(0.95, 39, True), (0.95, 40, False), (0.9999, 1000, True), (0.5, 4, False)])  # fmt: skip
def test_an_interval_from_lowest_to_highest(bleu, confidence, n_resamples, warned):
    options = {"confidence": confidence, "n_resamples": n_resamples}
    _, messages = record_warnings(
        lambda: bleu.compute(predictions=SYSTEMS["B"], references=REFERENCES, **options)
    )
    assert (
        bool([message for message in messages if "from the lowest to the highest" in message])
        == warned
    )


@pytest.mark.parametrize(("n_resamples", "warned"), [(99, True), (100, False)])
def test_few_resamples_by_document(load, n_resamples, warned):
    """By document the interval needs a standard error, and not the extremes."""
    bleu = load(n_resamples=n_resamples)
    labels = list(range(len(REFERENCES)))
    message = f"n_resamples={n_resamples}: too few for standard errors"
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES, "confidence": 0.999}
    for call in (
        lambda: bleu.compute(**columns, documents=labels),
        lambda: bleu.compare(SYSTEMS, REFERENCES, documents=labels, n_resamples=100),
        lambda: bleu.rank(SYSTEMS, REFERENCES, documents=labels, n_resamples=1000),
    ):
        _, messages = record_warnings(call)
        assert bool([one for one in messages if one.startswith(message)]) is warned
        assert not [one for one in messages if "from the lowest to the highest" in one]


def test_the_verdict_of_a_small_set_is_that_of_the_test(bleu):
    """Two segments: the interval of the difference excludes 0, but no exchange of two segments has a p below 0.5."""
    references = ["the cat sat on the mat", "a dog lay on the rug today"]
    systems = {"A": ["the cat sat on a mat", "a dog lay on my rug today"], "B": references}
    result = bleu.compare(systems, references)
    assert result["systems"]["B"]["delta_interval"][0] > 0
    assert result["systems"]["B"]["p_value"] > 0.4
    assert ": may be chance at the 5% level." in str(result)


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
