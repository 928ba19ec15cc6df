"""`rank`: the test of each pair, Holm's procedure, ranks and clusters."""

import itertools
import json
import math
import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from helpers import DOCUMENTS, REFERENCES, SYSTEMS, make_systems, record_warnings

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def rank_naively(names, significant):
    """Return WMT's rank ranges and clusters of systems, best first, from the set of pairs that differ."""
    ranks, clusters, cluster = [], [], 1
    for i, name in enumerate(names):
        better = sum((other, name) in significant for other in names)
        worse = sum((name, other) in significant for other in names)
        ranks.append([better + 1, len(names) - worse])
        if i and all((above, below) in significant for above in names[:i] for below in names[i:]):
            cluster += 1
        clusters.append(cluster)
    return ranks, clusters


def adjust_naively(p_values):
    """Return Holm's adjusted p-values (1979), by the textbook's loop."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for step, k in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[k]))
        adjusted[k] = highest
    return adjusted


def make_ranked(levels, segments=80, seed=0):
    """Return systems that lose a share of their words, in an order that is not that of their scores."""
    generator = random.Random(seed)
    references = [
        " ".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=12)) for _ in range(segments)
    ]
    lose = lambda text, share: " ".join(
        "?" if generator.random() < share else word for word in text.split()
    )
    systems = {f"loses {share}": [lose(text, share) for text in references] for share in levels}
    return dict(generator.sample(list(systems.items()), len(systems))), references


LEVELS = (0.1, 0.11, 0.2, 0.21, 0.35, 0.36, 0.37)


@pytest.mark.parametrize("family_wise", [True, False])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_ranks_and_clusters_are_wmts(bleu, alpha, family_wise, seed):
    systems, references = make_ranked(LEVELS, seed=seed)
    result = bleu.rank(systems, references, n_resamples=999, alpha=alpha, family_wise=family_wise)
    names = [one["system"] for one in result["ranking"]]
    scores = {
        name: bleu.compute(predictions=texts, references=references)["bleu"]
        for name, texts in systems.items()
    }
    assert names == sorted(systems, key=scores.get, reverse=True)
    assert {one["system"]: one["bleu"] for one in result["ranking"]} == scores
    key = "p_adjusted" if family_wise else "p_value"
    significant = {tuple(pair["systems"]) for pair in result["pairs"] if pair[key] < alpha}
    ranks, clusters = rank_naively(names, significant)
    assert [one["rank_range"] for one in result["ranking"]] == ranks
    assert [one["cluster"] for one in result["ranking"]] == clusters
    assert max(clusters) > 1
    assert [pair["systems"] for pair in result["pairs"]] == [
        list(pair) for pair in itertools.combinations(names, 2)
    ]
    for pair in result["pairs"]:
        better, worse = pair["systems"]
        assert pair["delta"] == pytest.approx(scores[better] - scores[worse], abs=1e-15)
        assert pair["p_adjusted"] >= pair["p_value"]
    assert [pair["p_adjusted"] for pair in result["pairs"]] == pytest.approx(adjust_naively([pair["p_value"] for pair in result["pairs"]]))  # fmt: skip
    assert (result["alpha"], result["family_wise"], result["test"]) == (
        alpha,
        family_wise,
        "randomization",
    )
    assert json.loads(json.dumps(result)) == result


def test_the_p_value_of_each_pair_is_that_of_compare(bleu):
    """Also if the pair is compared alone, and in either order."""
    options = {"n_resamples": 200, "seed": 9}
    result = bleu.rank(SYSTEMS, REFERENCES, **options)
    for pair in result["pairs"]:
        for baseline, other in (pair["systems"], pair["systems"][::-1]):
            two = {name: SYSTEMS[name] for name in (baseline, other)}
            assert (
                pair["p_value"]
                == bleu.compare(two, REFERENCES, **options)["systems"][other]["p_value"]
            )
            assert pair["p_value"] == bleu.compare(SYSTEMS, REFERENCES, baseline=baseline, **options)["systems"][other]["p_value"]  # fmt: skip
    compared = bleu.compare(SYSTEMS, REFERENCES, **options)
    for one in result["ranking"]:
        keys = ("bleu", "score", "confidence_interval", "bootstrap_mean", "standard_error")
        assert [one[key] for key in keys] == [
            compared["systems"][one["system"]][key] for key in keys
        ]
    assert result["signature"] == compared["signature"]


def test_two_systems_need_no_adjustment(bleu):
    systems, references = make_ranked((0.1, 0.12))
    (pair,) = bleu.rank(systems, references, n_resamples=200)["pairs"]
    assert pair["p_adjusted"] == pair["p_value"]


def test_identical_systems_share_a_rank(bleu):
    systems = {
        "A": SYSTEMS["A"],
        "B": SYSTEMS["B"],
        "again": SYSTEMS["A"],
        "and again": SYSTEMS["A"],
    }
    result = bleu.rank(systems, REFERENCES, n_resamples=300)
    same = [one for one in result["ranking"] if one["system"] != "B"]
    assert len({str([one["rank_range"], one["cluster"], one["bleu"]]) for one in same}) == 1
    assert [one["system"] for one in same] == [
        "A",
        "again",
        "and again",
    ]  # equal scores keep their order
    for pair in result["pairs"]:
        if "B" not in pair["systems"]:
            assert (pair["delta"], pair["p_value"], pair["p_adjusted"]) == (0, 1, 1)


def test_one_segment_has_no_ranking_by_tests(bleu):
    """All systems share the whole range of ranks."""
    systems = {"A": ["a b c d"], "B": ["a b c e"], "C": ["a b e c"]}
    result, messages = record_warnings(lambda: bleu.rank(systems, ["a b c d"]))
    assert [one["rank_range"] for one in result["ranking"]] == [[1, 3]] * 3
    assert {one["cluster"] for one in result["ranking"]} == {1}
    assert set(result["pairs"][0]) == {"systems", "delta"}
    assert "confidence_interval" not in result["ranking"][0]
    assert "bs:" not in result["signature"]
    assert [
        message
        for message in messages
        if message.startswith("One segment has no interval and no p-value")
    ]
    for written in (str(result), result.to_latex(), result.to_html(), result.report()):
        assert "1-3" in written


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, math.nan, "0.05", None])
def test_an_alpha_out_of_range(bleu, alpha):
    with pytest.raises(
        ValueError, match=r"^alpha=.*: pass a number above 0 and below 1, such as 0\.05\."
    ):
        bleu.rank(SYSTEMS, REFERENCES, alpha=alpha)


def test_alpha_may_be_numpys(bleu):
    expected = bleu.rank(SYSTEMS, REFERENCES, alpha=0.25, n_resamples=20)
    for alpha in (np.float64(0.25), np.float32(0.25)):
        result = bleu.rank(SYSTEMS, REFERENCES, alpha=alpha, n_resamples=20)
        assert result == expected
        assert json.dumps(result) == json.dumps(expected)


# The number of systems, alpha, and the fewest trials with which Holm's procedure can find a pair.
FEWEST = [
    (2, 0.05, 20),
    (3, 0.05, 60),
    (4, 0.05, 120),
    (4, 0.01, 600),
    (4, 0.1, 60),
    (3, 0.3, 10),
    (7, 0.05, 420),
    (7, 0.07, 300),
]


@pytest.mark.parametrize(("systems", "alpha", "fewest"), FEWEST)
def test_too_few_trials_for_holms_procedure(bleu, systems, alpha, fewest):
    """The smallest p-value is 1 / (n + 1); times the number of pairs, it must be below alpha."""
    pairs = systems * (systems - 1) // 2
    assert pairs / (fewest + 1) < alpha <= pairs / fewest + 1e-12
    texts = {f"system {i}": SYSTEMS["A"] for i in range(systems)}
    for n_resamples in (fewest - 1, fewest):
        options = {"alpha": alpha, "n_resamples": n_resamples}
        _, messages = record_warnings(
            lambda options=options: bleu.rank(texts, REFERENCES, **options)
        )
        found = [
            message for message in messages if f"n_resamples={n_resamples}: too few" in message
        ]
        assert len(found) == (n_resamples < fewest)
        assert all(f"Pass n_resamples={fewest} or more" in message for message in found)
        _, messages = record_warnings(
            lambda options=options: bleu.rank(texts, REFERENCES, family_wise=False, **options)
        )
        assert not [message for message in messages if "Holm" in message]


def test_a_ranking_prints_as_wmts_tables(bleu):
    systems, references = make_ranked((0.1, 0.4, 0.41))
    result = bleu.rank(systems, references)
    first, *others = result["ranking"]
    assert [one["rank_range"] for one in result["ranking"]] == [[1, 1], [2, 3], [2, 3]]
    lines = str(result).splitlines()
    assert lines[0].split() == ["rank", "system", "BLEU", "95%", "CI"]
    assert lines[1].split()[:4] == ["1", "loses", "0.1", f"{first['score']:.2f}"]
    assert set(lines[2]) == {"-"}  # the rule between clusters
    assert [line.split()[0] for line in lines[3:5]] == ["2-3", "2-3"]
    assert (
        lines[-1]
        == "paired approximate randomization, 10,000 resamples; ranks at a family-wise error of 5%; 95% CI: percentile bootstrap;"
        f" {result['signature']}"
    )
    latex = result.to_latex().splitlines()
    assert latex.count(r"\midrule") == 2  # below the head, and between the clusters
    assert latex.index(r"\midrule", 4) == 5
    assert result.to_html().count('<tr class="rule">') == 1
    assert result.to_markdown().count("\n|  |  |") == 1
    frame = result.to_pandas()
    assert frame["rank_range"].tolist() == ["1", "2-3", "2-3"]
    assert frame["cluster"].tolist() == [1, 2, 2]
    assert frame["system"].tolist() == [one["system"] for one in (first, *others)]
    without = bleu.rank(systems, references, confidence=None)
    assert "CI" not in str(without)


@pytest.mark.parametrize("runs", [20, pytest.param(400, marks=pytest.mark.slow)])
def test_false_alarms_in_rankings_of_equal_systems(bleu, runs):
    """Any false alarm among the 21 pairs of 7 equal systems: in at most 5% of runs, within three standard errors.

    Each system takes each segment from one of two outputs at random. Without adjustment, far more runs have an alarm.
    """
    systems, references = make_systems(400)
    rows = [list(zip(*bleu.statistics(predictions=systems[name], references=references).to_pydict().values())) for name in "AB"]  # fmt: skip
    schema, generator = (
        bleu.statistics(predictions=["a"], references=["a"]).schema,
        np.random.default_rng(0),
    )
    alarms = Counter()
    for seed in range(runs):
        drawn = generator.integers(400, size=100)
        taken = np.array(rows)[generator.integers(2, size=(7, 100)), drawn]
        tables = {
            str(name): pa.table(list(table.T), schema=schema) for name, table in enumerate(taken)
        }
        pairs = bleu.rank(tables, n_resamples=999, confidence=None, seed=seed)["pairs"]
        alarms.update(
            {key: min(pair[key] for pair in pairs) < 0.05 for key in ("p_adjusted", "p_value")}
        )
    assert alarms["p_adjusted"] <= 0.05 * runs + 3 * (0.05 * 0.95 * runs) ** 0.5
    assert alarms["p_value"] > 0.2 * runs


def test_ranks_by_document(bleu):
    """The p-value of a pair is that of `compare` by document."""
    result = bleu.rank(SYSTEMS, REFERENCES, documents=DOCUMENTS, n_resamples=300)
    for pair in result["pairs"]:
        better, worse = pair["systems"]
        two = {name: SYSTEMS[name] for name in (worse, better)}
        compared = bleu.compare(two, REFERENCES, documents=DOCUMENTS, n_resamples=300)
        assert pair["p_value"] == compared["systems"][better]["p_value"]
    assert result["documents"] == len(set(DOCUMENTS))
    assert "by document (" in str(result)


# The number of segments, of systems, and whether any pair could be significant: n segments have 2^n exchanges.
EXCHANGES = [(5, 2, False), (6, 2, True), (9, 5, True), (8, 5, False), (7, 3, True), (6, 3, False)]


@pytest.mark.parametrize(("segments", "systems", "enough"), EXCHANGES)
def test_too_few_segments_for_any_pair(bleu, segments, systems, enough):
    pairs = systems * (systems - 1) // 2
    assert (2 * pairs / 2**segments < 0.05) == enough
    texts = {f"system {i}": SYSTEMS["A"][:segments] for i in range(systems)}
    _, messages = record_warnings(lambda: bleu.rank(texts, REFERENCES[:segments]))
    found = [message for message in messages if "can be exchanged in" in message]
    assert len(found) == (not enough)
    assert all(
        message.startswith(f"{segments} segments can be exchanged in {2**segments} ways")
        for message in found
    )


def test_what_rank_does_not_take(bleu):
    with pytest.raises(
        TypeError, match=r"^`by` is not an option of rank\(\)\. Rank the segments of each label"
    ):
        bleu.rank(SYSTEMS, REFERENCES, by=DOCUMENTS)
    with pytest.raises(
        TypeError, match=r"^`test` is not an option of rank\(\), which has one test"
    ):
        bleu.rank(SYSTEMS, REFERENCES, test="bootstrap")


def test_a_ranking_says_its_verdict(bleu):
    """It compares the best two systems, and counts the pairs that differ by more than chance."""
    systems, references = make_ranked((0.1, 0.4, 0.41))
    result = bleu.rank(systems, references)
    best, second = result["ranking"][:2]
    points = best["score"] - second["score"]
    verdict = (
        f"{best['system']} scores {points:.2f} points higher than {second['system']} (p = 0.0003,"
        " adjusted for 3 pairs): more than chance at a family-wise error of 5%. Pairs that"
        " differ by more than chance: 2 of 3."
    )
    assert f"\n\n{verdict}\n\n" in str(result)
    assert f'<p class="bleu-verdict">{verdict}</p>' in result.to_html()
    assert f"; {verdict.removesuffix('.')}; " in result.report()
    two = {name: systems[name] for name in list(systems)[1:]}
    result = bleu.rank(two, references, alpha=0.01, family_wise=False)
    assert ": may be chance at an error of 1% per pair.\n" in str(result)
    assert "adjusted" not in str(result)
    one = bleu.rank({"A": ["a b c d"], "B": ["a b c e"]}, ["a b c d"])
    assert (
        "A scores 40.54 points higher than B: may be chance, because it was not tested.\n"
        in str(one)
    )
