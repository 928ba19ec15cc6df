"""Documents as units of significance in `compare`, `rank` and `compute`."""

import json
import warnings

import numpy as np
import pyarrow as pa
import pytest
from bleu.bleu_core.significance.intervals import (
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
)
from scipy.stats import t
from test_tests import list_rows, resample_with_sacrebleu

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


@pytest.mark.parametrize(
    ("degrees_of_freedom", "ends", "kind"),
    [
        (19.0, t.interval(0.9, 19.0, 0.3, 0.01), "t with 19 degrees of freedom"),
        (None, np.linspace(0.2, 0.4, 100)[[5, 94]], "percentile bootstrap"),
    ],
)
def test_an_interval_is_described_by_its_kind(degrees_of_freedom, ends, kind):
    """Results tell the kind of an interval by the degrees of freedom, which only Student's t has."""
    resampled = np.linspace(0.2, 0.4, 100)
    estimate = Estimate(0.3, 0.01, degrees_of_freedom, resampled=resampled)
    scores = {}
    add_estimate(scores, estimate, confidence=0.9)
    assert scores["confidence_interval"] == pytest.approx(ends)
    assert describe_intervals([scores]) == kind


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
