"""`compare`: sacreBLEU's PairedTest asked live, on synthetic text and on WMT21's systems if available."""

import json
import random
import re
import statistics
import sys
import tracemalloc
from collections import Counter
from html import escape

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import sacrebleu.significance
from bleu.bleu_core.methods.compare import Comparison
from bleu.bleu_core.significance.intervals import import_scipy
from helpers import (
    REFERENCES,
    SYSTEMS,
    TESTS,
    WMT21,
    interval_by_t,
    make_systems,
    read_systems,
    record_warnings,
)
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from scipy import stats

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CORPORA = {f"synthetic {size}": lambda size=size: make_systems(size) for size in (2, 33, 400)}
if WMT21.is_dir():
    CORPORA |= {
        "de-en": lambda: read_systems("de-en", "AB"),
        "en-de": lambda: read_systems("en-de", "A"),
        "cs-en": lambda: read_systems("cs-en", "AB"),
    }


@pytest.mark.parametrize("corpus", [pytest.param(make, id=name, marks=[] if "synthetic" in name else pytest.mark.more) for name, make in CORPORA.items()])  # fmt: skip
def test_sacrebleus_intervals_and_signature(bleu, corpus):
    """Half the interval's width and the mean are sacreBLEU's, within the precision of float32."""
    systems, references = corpus()
    ours = bleu.compare(systems, references, test="bootstrap")
    asked = {"test_type": "bs", "n_samples": 1000, "n_ar_confidence": 0}
    signatures, theirs = PairedTest(
        list(systems.items()), {"BLEU": BLEU()}, list(zip(*references)), **asked
    )()
    assert list(ours["systems"]) == list(systems)
    for system, result in zip(ours["systems"].values(), theirs["BLEU"]):
        low, high = system["confidence_interval"]
        assert system["score"] == pytest.approx(result.score, abs=1e-9)
        assert 100 * (high - low) / 2 == pytest.approx(result.ci, abs=1e-5)
        assert 100 * system["bootstrap_mean"] == pytest.approx(result.mean, abs=1e-5)
    without_version = lambda signature: str(signature).rpartition("|")[0]
    assert without_version(ours["signature"]) == without_version(signatures["BLEU"])


def test_result(bleu):
    systems, references = make_systems(50)
    result = bleu.compare(
        systems, references, baseline="B", n_resamples=100, seed=0, tokenize="char"
    )
    assert (result["baseline"], result["test"], result["n_resamples"], result["seed"]) == (
        "B",
        "randomization",
        100,
        0,
    )
    assert set(result["systems"]["B"]) == {
        "bleu", "score", "confidence_interval", "bootstrap_mean", "standard_error",
    }  # fmt: skip
    for name, system in result["systems"].items():
        expected = bleu.compute(
            predictions=systems[name],
            references=references,
            tokenize="char",
            confidence=0.95,
            seed=0,
        )
        assert {key: expected[key] for key in result["systems"]["B"]} == {
            key: system[key] for key in result["systems"]["B"]
        }
    assert (
        result["systems"]["A"]["delta"]
        == result["systems"]["A"]["bleu"] - result["systems"]["B"]["bleu"]
    )
    assert "|bs:1000|ar:100|seed:0|case:mixed|eff:no|tok:char|" in result["signature"]
    bootstrap = bleu.compare(systems, references, test="bootstrap", n_resamples=100, seed=0)
    assert "|bs:100|ci:1000|seed:0|" in bootstrap["signature"]
    assert json.loads(json.dumps(result)) == result


def test_no_intervals_and_defaults_from_load(load):
    systems, references = make_systems(20)
    result = load(seed=3, tokenize="char").compare(
        systems, references, confidence=None, n_resamples=10
    )
    assert set(result["systems"]["A"]) == {"bleu", "score"}
    assert set(result["systems"]["B"]) == {"bleu", "score", "delta", "p_value", "wins", "ties", "losses"}  # fmt: skip
    assert result["seed"] == 3
    assert load(seed=3).compare(systems, references, n_resamples=10, seed=4)["seed"] == 4


SYSTEM = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6], "bootstrap_mean": 0.5}

PRINTED = Comparison(
    baseline="base|line",
    systems={"base|line": SYSTEM, "50%_off": {**SYSTEM, "delta": -0.0123, "delta_interval": [-0.02, 0.005], "delta_degrees_of_freedom": 85.24, "p_value": 0.000999, "wins": 3, "ties": 1, "losses": 2000}},
    test="bootstrap", n_resamples=1000, seed=1, signature="nrefs:1",
)  # fmt: skip


def test_printed():
    assert str(PRINTED).splitlines() == [
        "system                 BLEU            CI  difference  CI of difference       p  wins  ties  losses",
        "base|line (baseline)  50.00  40.00, 60.00",
        "50%_off               50.00  40.00, 60.00       -1.23      -2.00, +0.50  0.0010     3     1   2,000",
        "",
        "50%_off scores 1.23 points lower than base|line, CI of the difference -2.00 to +0.50 (p = 0.0010): more than chance at the 5% level.",
        "",
        "paired bootstrap, 1,000 resamples; CI: percentile bootstrap; CI of difference: t with 85.2 degrees of freedom; nrefs:1",
    ]


def test_markdown_and_latex():
    """LaTeX has the columns of a paper, minus signs, and a dagger for more than chance."""
    markdown = PRINTED.to_markdown().splitlines()
    assert markdown[2] == r"| base\|line (baseline) | 50.00 | 40.00, 60.00 |  |  |  |  |  |  |"
    assert PRINTED.to_latex().splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"system & BLEU & CI & difference & p \\",
        r"\midrule",
        r"base\textbar\allowbreak{}line (baseline) & 50.00 & 40.00, 60.00 &  &  \\",
        r"50\%\_off$^\dagger$ & 50.00 & 40.00, 60.00 & $-$1.23 & 0.0010 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\caption{BLEU, and differences from base\textbar\allowbreak{}line."
        r" $^\dagger$: more than chance at the 5\% level (paired bootstrap, 1,000 resamples)."
        r" Signature: nrefs:1}",
        r"\label{tab:bleu}",
        r"\end{table}",
        "% 50%_off scores 1.23 points lower than base|line, CI of the difference -2.00 to +0.50"
        " (p = 0.0010): more than chance at the 5% level.",
        "% paired bootstrap, 1,000 resamples; CI: percentile bootstrap;"
        " CI of difference: t with 85.2 degrees of freedom; nrefs:1",
    ]


def test_columns_of_latex():
    """Columns have the names of the table or those of the keys; the name of the system stays."""
    for columns in (["p", "BLEU"], ["p_value", "score"], ["system", "p_value", "BLEU"]):
        lines = PRINTED.to_latex(columns=columns).splitlines()
        assert lines[2:5:2] == [r"\begin{tabular}{lrr}", r"system & p & BLEU \\"]
        assert r"50\%\_off$^\dagger$ & 0.0010 & 50.00 \\" in lines
    intervals = PRINTED.to_latex(["delta_interval", "losses"])
    assert r"50\%\_off$^\dagger$ & $-$2.00, +0.50 & 2,000 \\" in intervals
    with pytest.raises(
        ValueError, match=r"^columns='bleu': pass one of 'system', 'BLEU', 'CI', 'difference', "
    ):
        PRINTED.to_latex(columns=["bleu"])


def compared(delta, p_value=None, confidence=None, interval=None):
    other = {"bleu": 0.5 + delta, "score": 50 + 100 * delta, "delta": delta}
    if p_value is not None:
        other["p_value"] = p_value
    if interval:
        other["delta_interval"] = interval
    result = Comparison(baseline="A", systems={"A": {"bleu": 0.5, "score": 50.0}, "B": other})
    result |= {"test": "randomization", "n_resamples": 999, "signature": "nrefs:1"}
    if confidence:
        result["confidence"] = confidence
    return result


VERDICTS = [
    (compared(0.022, 0.004, 0.95, [0.01, 0.034]),
     "B scores 2.20 points higher than A, 95% CI of the difference +1.00 to +3.40 (p = 0.0040): more than chance at the 5% level."),
    (compared(-0.022, 0.04, 0.99, [-0.05, 0.01]),
     "B scores 2.20 points lower than A, 99% CI of the difference -5.00 to +1.00 (p = 0.0400): may be chance at the 1% level."),
    (compared(-0.022, 0.05, 0.95), "B scores 2.20 points lower than A (p = 0.0500): may be chance at the 5% level."),
    (compared(0.022, 0.07, 0.9), "B scores 2.20 points higher than A (p = 0.0700): more than chance at the 10% level."),
    (compared(0.022, 0.00001), "B scores 2.20 points higher than A (p < 0.0001): more than chance at the 5% level."),
    (compared(0.00003, 0.9), "B scores less than 0.01 points higher than A (p = 0.9000): may be chance at the 5% level."),
    (compared(-1e-16, 1.0), "B scores the same as A (p = 1.0000): may be chance at the 5% level."),
    (compared(0.3), "B scores 30.00 points higher than A: may be chance, because it was not tested."),
]  # fmt: skip


@pytest.mark.parametrize(("result", "verdict"), VERDICTS, ids=[verdict for _, verdict in VERDICTS])
def test_a_comparison_says_its_verdict(result, verdict):
    """It says so printed, in a notebook and in a paper; a difference that may be chance is not "equal"."""
    assert str(result).split("\n\n")[1] == verdict
    assert f'<p class="bleu-verdict">{escape(verdict)}</p>' in result.to_html()
    assert verdict.replace("<", r"\<") in result.to_markdown()
    difference = verdict.removeprefix("B scores ").removesuffix(".")
    assert f", {difference}; " in result.report()


def test_the_verdict_follows_the_p_value_and_the_level(bleu):
    systems = {name: SYSTEMS[name] for name in "ABC"}
    for confidence, test in ((0.95, None), (0.99, "bootstrap"), (0.5, None), (None, None)):
        result = bleu.compare(
            systems, REFERENCES, test=test, n_resamples=200, confidence=confidence
        )
        level = 0.05 if confidence is None else 1 - confidence
        _, verdicts, _ = str(result).split("\n\n")
        for verdict, name in zip(verdicts.split("\n"), "BC"):
            system = result["systems"][name]
            says = "more than chance" if system["p_value"] < level else "may be chance"
            assert verdict.startswith(f"{name} scores {abs(100 * system['delta']):.2f} points ")
            assert verdict.endswith(f": {says} at the {100 * level:g}% level.")
        assert verdicts.split("\n")[2:] == [
            "The 2 p-values are not adjusted for each other; rank() adjusts those of all pairs."
        ]


def test_few_trials_for_the_level_asked_for(bleu):
    """The smallest p-value of 50 trials is 0.0196: below 5%, and never below 1%."""
    two = {name: SYSTEMS[name] for name in "AB"}
    for confidence, is_warned in ((0.95, False), (0.99, True), (None, False)):
        _, messages = record_warnings(
            lambda confidence=confidence: bleu.compare(
                two, REFERENCES, n_resamples=50, confidence=confidence
            )
        )
        told = "n_resamples=50: too few for a p-value below 0.01. Pass n_resamples=100 or more"
        assert any(one.startswith(told) for one in messages) is is_warned


WRONG = [
    ({"A": ["a"]}, {}, ValueError, "systems: expected two or more systems, got 1"),
    ([("A", ["a"]), ("B", ["b"])], {}, TypeError, "systems: expected a dict .*got list"),
    ({"A": ["a"], "B": ["b"]}, {"baseline": "C"}, ValueError, "baseline='C': pass one of 'A', 'B'"),
    ({"A": ["a"], "B": ["b"]}, {"baseline": ["A"]}, ValueError, r"baseline=\['A'\]: pass one of 'A', 'B'"),
    ({"A": ["a"], "B": ["b"]}, {"test": ["bootstrap"]}, ValueError, r"test=\['bootstrap'\]: pass one of 'bootstrap', '"),
    ({"A": ["a"], "B": ["b"]}, {"test": "t"}, ValueError, "test='t': pass one of 'bootstrap', 'randomization'"),
    ({"A": ["a"], "B": ["b", "c"]}, {}, ValueError, "System 'B': Got 2 predictions and 1 reference"),
    ({"A": ["a"], "B": [None]}, {}, ValueError, r"System 'B': predictions\[0\]: .*got None"),
    ({"A": ["a"], "B": [1]}, {}, TypeError, r"System 'B': predictions\[0\]: .*got int"),
    ({"A": ["a"], "B": ["b"]}, {"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"A": ["a"], "B": ["b"]}, {"trials": 5}, TypeError, "Unknown option `trials`"),
    ({"A": ["a"], "B": [["b"]]}, {}, TypeError, r"System 'B': predictions\[0\]: .*got a list with one str"),
]  # fmt: skip


@pytest.mark.parametrize(("systems", "options", "error", "message"), WRONG)
def test_errors(bleu, systems, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compare(systems, [["a"]], **options)


def test_references_may_come_as_a_generator(bleu):
    systems, references = make_systems(10)
    assert bleu.compare(systems, (row for row in references), n_resamples=5) == bleu.compare(
        systems, references, n_resamples=5
    )


DEFAULT_RESAMPLES = {"bootstrap": 1_000, "randomization": 10_000}


def sacrebleus(systems, references, test, n_resamples):
    asked = {"test_type": TESTS[test], "n_samples": n_resamples, "n_ar_confidence": 0}
    return PairedTest(list(systems.items()), {"BLEU": BLEU()}, list(zip(*references)), **asked)()[
        1
    ]["BLEU"]


@pytest.mark.parametrize("corpus", [pytest.param(make, id=name, marks=[] if "synthetic" in name else pytest.mark.slow) for name, make in CORPORA.items()])  # fmt: skip
@pytest.mark.parametrize(("test", "n_resamples"), [("bootstrap", 1000), ("randomization", 2000)])
def test_p_values_of_sacrebleu_with_ties_for_the_null_hypothesis(
    bleu, monkeypatch, corpus, test, n_resamples
):
    """p = (resamples at least as extreme + 1) / (n + 1), to the last digit; sacreBLEU's own value without ties.

    sacreBLEU's p of the bootstrap test has a key of its own.

    sacreBLEU 2.6 counts resamples that are more extreme. The test replaces its `_compute_p_value`, so that equal
    resamples count too; 1e-9 points are the noise of floating point.
    """
    systems, references = corpus()
    compute_p_value = sacrebleu.significance._compute_p_value
    own, ties = [], []

    def at_least_as_extreme(differences, observed):
        own.append(compute_p_value(differences, observed))
        ties.append(int((np.abs(differences - observed) <= 1e-9).sum()))
        return (int((differences >= observed - 1e-9).sum()) + 1) / (len(differences) + 1)

    monkeypatch.setattr(sacrebleu.significance, "_compute_p_value", at_least_as_extreme)
    valid = sacrebleus(systems, references, test, n_resamples)
    ours = bleu.compare(systems, references, test=test, n_resamples=n_resamples)
    key = {"bootstrap": "p_value_sacrebleu", "randomization": "p_value"}[test]
    for name, expected, theirs, tied in zip(list(systems)[1:], valid[1:], own, ties, strict=True):
        assert ours["systems"][name][key] == expected.p_value, name
        if not tied:
            assert ours["systems"][name][key] == theirs, name


@pytest.mark.parametrize("corpus", [make for name, make in CORPORA.items() if "synthetic" in name])
def test_the_bootstrap_test_is_two_sided_and_centered(bleu, corpus):
    """p = (c + 1) / (n + 1), c of the resampled differences deviate from their mean by at least the observed one."""
    systems, references = corpus()
    rows = {
        name: np.array(bleu.statistics(predictions=texts, references=references).to_pandas())
        for name, texts in systems.items()
    }
    generator = np.random.default_rng(12345)
    draws = [generator.integers(len(references), size=len(references)) for _ in range(200)]
    scores = {
        name: [bleu.compute(statistics=table[draw].sum(axis=0))["bleu"] for draw in draws]
        for name, table in rows.items()
    }
    ours = bleu.compare(systems, references, test="bootstrap", n_resamples=200)["systems"]
    for name in list(systems)[1:]:
        differences = np.subtract(scores[name], scores["A"])
        extreme = np.abs(differences - differences.mean()) >= abs(ours[name]["delta"]) - 1e-11
        assert ours[name]["p_value"] == (extreme.sum() + 1) / 201


@pytest.mark.slow
def test_rates_of_false_alarms(bleu):
    """Systems exchanged at random per segment are equally good: p < 0.05 in 5% of test sets, sacreBLEU's p in more.

    The upper limit is three standard errors above 5%.
    """
    systems, references = make_systems(400)
    generator, runs, alarms = random.Random(0), 300, Counter()
    for seed in range(runs):
        drawn = generator.choices(range(400), k=60)
        pairs = [generator.sample([systems["A"][i], systems["B"][i]], 2) for i in drawn]
        test_set = dict(zip("AB", map(list, zip(*pairs))))
        for test in TESTS:
            options = {"test": test, "n_resamples": 500, "confidence": None, "seed": seed}
            system = bleu.compare(test_set, [references[i] for i in drawn], **options)["systems"][
                "B"
            ]
            alarms.update(
                {
                    (test, key): value < 0.05
                    for key, value in system.items()
                    if key.startswith("p_value")
                }
            )
    limit = runs * 0.05 + 3 * (runs * 0.05 * 0.95) ** 0.5
    assert alarms["randomization", "p_value"] <= limit
    assert alarms["bootstrap", "p_value"] <= limit
    assert alarms["bootstrap", "p_value_sacrebleu"] > 0.08 * runs


def test_one_segment_has_no_p_value_and_no_interval(bleu):
    """Each resample of one segment is the same corpus, so that any difference would look certain."""
    result, messages = record_warnings(
        lambda: bleu.compare({"A": ["a b c d"], "B": ["a b c e"]}, ["a b c d"])
    )
    assert set(result["systems"]["B"]) == {"bleu", "score", "delta", "wins", "ties", "losses"}
    assert [
        message
        for message in messages
        if message.startswith("One segment has no interval and no p-value")
    ]
    assert "bs:" not in result["signature"]
    assert "ar:" not in result["signature"]
    alone, messages = record_warnings(
        lambda: bleu.compute(predictions=["a b c d"], references=["a b c d"], confidence=0.95)
    )
    assert "confidence_interval" not in alone
    assert "bs:" not in alone["signature"]
    assert [message for message in messages if message.startswith("One segment has no interval")]


@pytest.mark.parametrize(("segments", "is_small"), [(2, True), (29, True), (30, False)])
def test_few_segments_are_warned_of(bleu, segments, is_small):
    texts = [f"the cat {n} sat on the mat" for n in range(segments)]
    for call in (
        lambda: bleu.compare({"A": texts, "B": texts}, texts, n_resamples=5),
        lambda: bleu.compute(predictions=texts, references=texts, confidence=0.9, n_resamples=5),
    ):
        _, messages = record_warnings(call)
        assert (
            any(f"of {segments} segments are unreliable" in message for message in messages)
            == is_small
        )


# Systems of equal score. With 7 words, p1·p2 = 6/7·1/6 = 3/7·2/6, equal but for the last bit.
EQUAL = {
    "exact copies": (SYSTEMS["A"], SYSTEMS["A"], REFERENCES, {}),
    "other texts with the same counts": (["a b", "c d"], ["b a", "d c"], [["a"], ["c"]], {"max_order": 2}),
    "equal but for floating point": (["a b x c d e f"] * 8, ["a b c x y z w"] * 8, [["a b c", "d", "e", "f"]] * 8, {"max_order": 2}),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second", "references", "options"), EQUAL.values(), ids=EQUAL)
@pytest.mark.parametrize("test", TESTS)
def test_systems_of_equal_score_have_a_p_value_of_1(bleu, first, second, references, options, test):
    result = bleu.compare(
        {"A": first, "B": second}, references, test=test, n_resamples=99, **options
    )
    assert result["systems"]["B"]["delta"] == pytest.approx(0, abs=1e-15)
    assert result["systems"]["B"]["p_value"] == 1.0


@pytest.mark.parametrize("n_resamples", [9, 100, None])
def test_one_different_segment_is_no_evidence_under_randomization(bleu, n_resamples):
    """Exchanged or not, the difference is as large as the observed one: every trial ties."""
    systems = {name: SYSTEMS[name] for name in ("A", "nearly A")}
    result = bleu.compare(systems, REFERENCES, test="randomization", n_resamples=n_resamples)
    assert result["systems"]["nearly A"]["delta"] != 0
    assert result["systems"]["nearly A"]["p_value"] == 1.0


@pytest.mark.parametrize("load_options", [{}, {"n_resamples": 300}], ids=["1,000", "300 at load"])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_an_interval_is_the_same_in_every_call(load, load_options, confidence):
    """An interval is the same in `compute` and under either test, for every system and number of trials."""
    bleu = load(seed=7, **load_options)
    keys = ("confidence_interval", "bootstrap_mean")
    for test, n_resamples in [(test, n) for test in TESTS for n in (None, 100, 2500)]:
        result = bleu.compare(
            SYSTEMS, REFERENCES, test=test, n_resamples=n_resamples, confidence=confidence
        )
        for name, system in result["systems"].items():
            expected = bleu.compute(
                predictions=SYSTEMS[name], references=REFERENCES, confidence=confidence
            )
            assert {key: system[key] for key in keys} == {key: expected[key] for key in keys}, (
                test,
                n_resamples,
                name,
            )


@pytest.mark.parametrize("test", TESTS)
def test_every_system_but_the_baseline_has_the_keys_of_a_comparison(bleu, test):
    result = bleu.compare(SYSTEMS, REFERENCES, baseline="B", test=test, n_resamples=50)
    alone = {"bleu", "score", "confidence_interval", "bootstrap_mean", "standard_error"}
    beside = {"delta", "delta_interval", "delta_degrees_of_freedom", "delta_standard_error", "p_value", "wins", "ties", "losses", "detectable_delta"}  # fmt: skip
    assert set(result["systems"]["B"]) == alone
    beside |= {"p_value_sacrebleu"} if test == "bootstrap" else set()
    for name in set(SYSTEMS) - {"B"}:
        assert set(result["systems"][name]) == alone | beside
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("baseline", ["A", "C"])
def test_wins_ties_and_losses_are_of_segments(bleu, test, baseline):
    """Wins, ties and losses compare a system's `segment_bleu` with the baseline's."""
    result = bleu.compare(SYSTEMS, REFERENCES, baseline=baseline, test=test, n_resamples=10)
    scores = {
        name: bleu.compute(predictions=texts, references=REFERENCES, segments=True)["segment_bleu"]
        for name, texts in SYSTEMS.items()
    }
    for name in set(SYSTEMS) - {baseline}:
        system, differences = result["systems"][name], np.subtract(scores[name], scores[baseline])
        expected = [
            int((differences > 1e-12).sum()),
            int((abs(differences) <= 1e-12).sum()),
            int((differences < -1e-12).sum()),
        ]
        assert [system["wins"], system["ties"], system["losses"]] == expected
        assert sum(expected) == len(REFERENCES)


def paired_differences(bleu, first, second, references, n_resamples, seed):
    """Return the differences of two systems on the same draws, each draw scored by `compute`."""
    rows = [
        np.stack(
            [
                np.asarray(column)
                for column in bleu.statistics(predictions=texts, references=references).columns
            ],
            1,
        )
        for texts in (first, second)
    ]
    draws = np.random.default_rng(seed).integers(
        len(references), size=(n_resamples, len(references))
    )
    scores = [
        [
            bleu.compute(statistics=each[drawn].sum(axis=0), confidence=None)["bleu"]
            for drawn in draws
        ]
        for each in rows
    ]
    return np.subtract(scores[1], scores[0])


def differences_without_each_segment(bleu, before, after, references):
    """Return the difference of BLEU without each segment, by a score of the other rows."""
    scores = []
    for texts in (before, after):
        rows = bleu.statistics(predictions=texts, references=references).to_pandas().to_numpy()
        scores.append(
            [
                bleu.compute(statistics=rows.sum(axis=0) - row, confidence=None)["bleu"]
                for row in rows
            ]
        )
    return np.subtract(scores[1], scores[0])


@pytest.mark.parametrize("test", TESTS)
def test_the_interval_of_a_difference_and_the_detectable_difference(load, test):
    """Both have Student's t and the paired bootstrap, with the number of resamples chosen at load, under either test.

    The minimum detectable effect: with 80% power at the level of 5%, t(0.975) + t(0.8) standard errors of the paired
    differences (Card et al., 2020).
    """
    bleu = load(n_resamples=200, seed=3)
    differences = paired_differences(bleu, SYSTEMS["A"], SYSTEMS["C"], REFERENCES, 200, seed=3)
    left_out = differences_without_each_segment(bleu, SYSTEMS["A"], SYSTEMS["C"], REFERENCES)
    result = bleu.compare({name: SYSTEMS[name] for name in "AC"}, REFERENCES, test=test)["systems"][
        "C"
    ]
    expected = interval_by_t(result["delta"], [(differences, left_out)], lowest=-1)
    assert result["delta_interval"] == pytest.approx(expected.ends, rel=1e-9)
    assert result["delta_degrees_of_freedom"] == pytest.approx(expected.degrees_of_freedom)
    errors = stats.t.ppf([0.975, 0.8], expected.degrees_of_freedom).sum()
    assert result["detectable_delta"] == pytest.approx(errors * expected.standard_error)
    backward = bleu.compare(
        {name: SYSTEMS[name] for name in "AC"}, REFERENCES, test=test, baseline="C"
    )["systems"]["A"]
    assert backward["delta_interval"] == pytest.approx([-end for end in expected.ends[::-1]])


def test_more_text_detects_smaller_differences(bleu):
    """Four times the text halves the standard error."""
    systems, references = make_systems(200)
    two = {name: systems[name] for name in "AB"}
    once = bleu.compare(two, references)["systems"]["B"]
    often = bleu.compare({name: texts * 4 for name, texts in two.items()}, references * 4)[
        "systems"
    ]["B"]
    assert often["detectable_delta"] == pytest.approx(once["detectable_delta"] / 2, rel=0.1)


@pytest.mark.parametrize("test", TESTS)
def test_a_copy_neither_wins_nor_loses(bleu, test):
    copy = bleu.compare(
        {"A": SYSTEMS["A"], "copy": SYSTEMS["A"]}, REFERENCES, test=test, n_resamples=20
    )["systems"]["copy"]
    assert (copy["delta_interval"], copy["detectable_delta"]) == ([0, 0], 0)
    assert (copy["wins"], copy["ties"], copy["losses"]) == (0, len(REFERENCES), 0)


COPIED = [f"the cat number {n} sat on a mat" for n in range(40)]
CHANGED = [*COPIED[:-1], COPIED[-1].replace("sat", "lay")]
TOKENS_COPIED = [text.split() for text in COPIED]
# Two systems, and whether they are one text.
PAIRS = {
    "one list": (COPIED, COPIED, True),
    "a copy": (COPIED, list(COPIED), True),
    "another container": (COPIED, np.array(COPIED), True),
    "in chunks": (COPIED, pa.chunked_array([COPIED[:7], COPIED[7:]]), True),
    "a part of a column": (COPIED, pa.array(["x", *COPIED]).slice(1), True),
    "tokens": (TOKENS_COPIED, [tuple(text) for text in TOKENS_COPIED], True),
    "ids": ([[1, 2], [3]] * 20, np.array([[1, 2], [3, 4]] * 20, dtype=object)[:, :2].tolist(), False),
    "equal ids": ([[1, 2], [3]] * 20, [(1, 2), (3,)] * 20, True),
    "one word differs": (COPIED, CHANGED, False),
    "another order": (COPIED, COPIED[::-1], False),
    "another division": (["a b", "c"] * 20, ["a", " bc"] * 20, False),
    "tokens of other length": ([["ab", "c"]] * 40, [["a", "bc"]] * 40, False),
}  # fmt: skip


@pytest.mark.parametrize("method", ["compare", "rank", "diff", "check"])
@pytest.mark.parametrize(("first", "second", "is_same"), PAIRS.values(), ids=PAIRS)
def test_one_text_as_two_systems_is_warned_of(bleu, method, first, second, is_same):
    """As of a file that was read twice."""
    references = [[text[:1]] for text in first] if isinstance(first[0], list) else CHANGED[::-1]
    _, messages = record_warnings(
        lambda: getattr(bleu, method)({"old": first, "new": second}, references)
    )
    expected = "Systems 'old' and 'new' have the same predictions. Check which files were read."
    assert [message for message in messages if "the same predictions" in message] == (
        [expected] * is_same
    )


def test_equal_runs_and_tables_are_warned_of(bleu):
    count = lambda texts: bleu.statistics(predictions=texts, references=CHANGED)
    runs = lambda *texts: {f"seed {n}": each for n, each in enumerate(texts)}
    cases = [
        (
            {"A": runs(COPIED, COPIED[::-1]), "B": runs(COPIED, CHANGED)},
            "Systems 'A', run 'seed 0' and 'B', run 'seed 0' have the same predictions.",
        ),
        (
            dict.fromkeys("ABCD", COPIED),
            "Systems 'A', 'B' and 2 others have the same predictions.",
        ),
        (
            {"A": count(COPIED), "B": count(CHANGED), "C": count(COPIED)},
            "Systems 'A' and 'C' have the same statistics in every row.",
        ),
        ({"A": count(COPIED), "B": count(CHANGED)}, None),
    ]
    for systems, expected in cases:
        references = None if isinstance(systems["A"], pa.Table) else CHANGED
        _, messages = record_warnings(
            lambda systems=systems, references=references: bleu.compare(systems, references)
        )
        found = [message for message in messages if message.startswith("Systems ")]
        if expected is None:
            assert found == []
        else:
            (message,) = found
            assert message.startswith(expected)


@pytest.mark.parametrize("form", ["str", "to_markdown", "to_latex"])
def test_the_interval_of_a_difference_is_printed(bleu, form):
    result = bleu.compare({name: SYSTEMS[name] for name in "AC"}, REFERENCES)
    printed = str(result) if form == "str" else getattr(result, form)()
    for end in result["systems"]["C"]["delta_interval"]:
        assert re.search(rf"[-+]?{abs(100 * end):.2f}", printed)


@pytest.mark.parametrize("test", TESTS)
def test_the_number_of_resamples_from_load(load, test):
    """A number chosen at load is the default of every call; the defaults are 1,000 and 10,000 without it."""
    two = {name: SYSTEMS[name] for name in "AB"}
    for load_options, options, expected in [
        ({"n_resamples": 7}, {}, 7),
        ({"n_resamples": 7}, {"n_resamples": 9}, 9),
        ({}, {"n_resamples": 9}, 9),
        ({}, {}, DEFAULT_RESAMPLES[test]),
    ]:
        result = load(**load_options).compare(two, REFERENCES, test=test, **options)
        assert result["n_resamples"] == expected
        count = result["systems"]["B"]["p_value"] * (expected + 1)
        assert count == pytest.approx(round(count), abs=1e-9)
        assert f"{TESTS[test]}:{expected}|" in result["signature"]


@pytest.mark.parametrize("names", [(1000, 2000), (0.5, 0.7), (("t5", 3), ("t5", 4))], ids=str)
@pytest.mark.parametrize("form", ["str", "to_markdown", "to_latex", "to_html"])
def test_systems_may_be_named_by_anything(bleu, names, form):
    """Names need not be strings (a training step, for example), and every format prints them.

    The result has numbers as they are, and all else as its text.
    """
    result = bleu.compare(dict(zip(names, [SYSTEMS["A"], SYSTEMS["B"]])), REFERENCES, n_resamples=5)
    printed = str(result) if form == "str" else getattr(result, form)()
    written = [escape(str(name)) if form == "to_html" else str(name) for name in names]
    assert all(name in printed for name in written)
    plain = [str(name) if isinstance(name, tuple) else name for name in names]
    assert list(result["systems"]) == plain


def test_segments_are_returned_or_rejected(bleu):
    """`segments` is never ignored: `compare` returns segment scores, or raises an error that names the option."""
    try:
        result = bleu.compare(SYSTEMS, REFERENCES, n_resamples=5, segments=True)
    except (TypeError, ValueError) as error:
        assert "segments" in str(error)  # noqa: PT017
    else:
        assert all(
            len(system["segment_bleu"]) == len(REFERENCES) for system in result["systems"].values()
        )


def test_numbers_as_names_in_every_format(bleu):
    """Checkpoints are often named by their step."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    comparison = bleu.compare({1000: SYSTEMS["A"], 2000: SYSTEMS["B"]}, REFERENCES, n_resamples=5)
    ax = comparison.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1000 (baseline)", "2000"]
    matplotlib.pyplot.close(ax.figure)
    for written in (
        str(comparison),
        comparison.to_latex(),
        comparison.to_html(),
        comparison.to_markdown(),
    ):
        assert "1000 (baseline)" in written
        assert "2000" in written
    assert comparison.to_pandas()["system"].tolist() == [1000, 2000]


def test_a_failing_tokenizer_names_its_system(bleu):
    def tokenize(text):
        return [{"dog": 1}[word] and word for word in text.split()]

    fine, systems = ["dog"] * 3, {"A": ["dog"] * 3, "B": ["dog", "dog", "cat"]}
    with pytest.raises(
        ValueError, match=r"^System 'B': predictions\[2\]: the tokenizer failed: KeyError"
    ):
        bleu.compare(systems, fine, tokenize=tokenize)
    with pytest.raises(
        ValueError, match=r"^System 'B': predictions\[2\]: the tokenizer failed: KeyError"
    ):
        bleu.diff(systems, fine, tokenize=tokenize)


def test_one_warning_of_each_kind(bleu):
    """Three systems that are each written without spaces."""
    rows = 120
    systems = {name: ["我们去学校 ."] * rows for name in "ABC"}
    _, messages = record_warnings(
        lambda: bleu.compare(systems, ["我们去上学 ."] * rows, n_resamples=5)
    )
    assert sum("without spaces" in message for message in messages) == 1


@pytest.mark.parametrize(
    ("predictions", "options"),
    [
        (["x"] * 40, {}),
        ([""] * 40, {}),
        (["a b"] * 40, {"smooth_method": "none"}),
        (["a b"] * 40, {}),
    ],
)
def test_a_score_of_0_is_explained_as_in_compute(bleu, predictions, options):
    references = ["a b c d e"] * 40
    _, computed = record_warnings(
        lambda: bleu.compute(predictions=predictions, references=references, **options)
    )
    systems = {"fine": references, "zero": predictions}
    _, compared = record_warnings(
        lambda: bleu.compare(systems, references, n_resamples=5, **options)
    )
    assert [message for message in compared if "is 0" in message] == [
        message.replace("The score is 0", "The score of 'zero' is 0")
        for message in computed
        if "is 0" in message
    ]


@pytest.mark.parametrize("are_tables", [False, True])
def test_a_score_of_0_in_a_group_has_its_reason(bleu, are_tables):
    references = ["a b c d e"] * 40
    systems = {"A": references, "B": [*references[:39], "x"]}
    arguments = {"by": ["news"] * 39 + ["talks"], "n_resamples": 5}
    if are_tables:
        tables = {
            name: bleu.statistics(predictions=texts, references=references)
            for name, texts in systems.items()
        }
        _, messages = record_warnings(lambda: bleu.compare(tables, **arguments))
    else:
        _, messages = record_warnings(lambda: bleu.compare(systems, references, **arguments))
    assert [message for message in messages if "is 0" in message] == [
        "The score of 'B' in group 'talks' is 0: no token of the predictions occurs in the"
        " references."
    ]


# Groups, tables in the place of texts, and what a difference means to people.

# 60 segments; the last group has one.
GROUPS = {
    "by domain": ["news", None, 3] * 20,
    "uneven": ["a"] * 45 + ["b"] * 15,
    "one segment": ["a"] * 59 + ["b"],
}


@pytest.mark.parametrize("labels", GROUPS.values(), ids=GROUPS)
@pytest.mark.parametrize("test", TESTS)
def test_groups_are_compared_as_their_segments_alone(bleu, test, labels):
    """The other keys are those of the whole corpus."""
    options = {"test": test, "n_resamples": 200, "baseline": "B", "seed": 4}
    result = bleu.compare(SYSTEMS, REFERENCES, by=labels, **options)
    for label in dict.fromkeys(labels):
        chosen = [i for i, other in enumerate(labels) if other == label]
        systems = {name: [texts[i] for i in chosen] for name, texts in SYSTEMS.items()}
        alone = bleu.compare(systems, [REFERENCES[i] for i in chosen], **options)["systems"]
        for name, system in result["systems"].items():
            keys = ("bleu", "score", "delta", "p_value")
            assert system["groups"][label] == {
                key: alone[name][key] for key in keys if key in alone[name]
            }
    whole = bleu.compare(SYSTEMS, REFERENCES, **options)
    added = {"groups", "macro_bleu", "macro_delta", "macro_p_value", "macro_delta_interval", "macro_delta_degrees_of_freedom", "macro_delta_standard_error"}  # fmt: skip
    without = lambda system: {key: value for key, value in system.items() if key not in added}
    assert {name: without(system) for name, system in result["systems"].items()} == whole["systems"]
    baseline = result["systems"]["B"]
    assert set(baseline) & added == {"groups", "macro_bleu"}
    for name in set(SYSTEMS) - {"B"}:
        system = result["systems"][name]
        assert system["macro_bleu"] == pytest.approx(statistics.fmean(group["bleu"] for group in system["groups"].values()))  # fmt: skip
        assert system["macro_delta"] == pytest.approx(
            system["macro_bleu"] - baseline["macro_bleu"], abs=1e-15
        )
        assert added.issubset(system) == (1 not in Counter(labels).values())


@pytest.mark.parametrize("test", TESTS)
def test_the_macro_difference_is_resampled_within_independent_groups(bleu, test):
    """NumPy draws or exchanges within each group, each with a generator of its own.

    Limits are four standard errors of 2,000 resamples, of both p-values and of both standard deviations.
    """
    labels, count = GROUPS["by domain"], 2000
    bleu_of = lambda sums: [
        BLEU.compute_bleu(row[:4], row[4:8], *row[8:]).score / 100 for row in sums.tolist()
    ]
    rows = np.stack([np.array(bleu.statistics(predictions=SYSTEMS[name], references=REFERENCES).to_pandas()) for name in "AB"])  # fmt: skip
    resampled, exchanged = [], []
    for seed, label in enumerate(dict.fromkeys(labels)):
        group = rows[:, [i for i, other in enumerate(labels) if other == label]]
        generator = np.random.default_rng(1000 + seed)
        draws = generator.integers(group.shape[1], size=(count, group.shape[1]))
        resampled.append(
            np.subtract(bleu_of(group[1][draws].sum(axis=1)), bleu_of(group[0][draws].sum(axis=1)))
        )
        flags = generator.integers(2, size=(count, group.shape[1]))[..., None]
        first, second = (
            (flags * group[i] + (1 - flags) * group[1 - i]).sum(axis=1) for i in (0, 1)
        )
        exchanged.append(np.subtract(bleu_of(second), bleu_of(first)))
    system = bleu.compare({name: SYSTEMS[name] for name in "AB"}, REFERENCES, by=labels, test=test, n_resamples=count)["systems"]["B"]  # fmt: skip
    differences, null = np.mean(resampled, axis=0), np.mean(exchanged, axis=0)
    error, delta = differences.std(), abs(system["macro_delta"])
    deviations = np.abs(differences - differences.mean()) if test == "bootstrap" else np.abs(null)
    p = np.mean(deviations >= delta - 1e-12)
    assert system["macro_p_value"] == pytest.approx(
        p, abs=4 * np.sqrt(2 * max(p * (1 - p), 1 / count) / count)
    )
    sizes = Counter(labels).values()
    factor = np.sqrt(min(sizes) / (min(sizes) - 1))
    assert system["macro_delta_standard_error"] == pytest.approx(factor * error, rel=0.01 + 4 * np.sqrt(1 / (2 * 1000) + 1 / (2 * count)))  # fmt: skip
    margin = stats.t.ppf(0.975, system["macro_delta_degrees_of_freedom"]) * system["macro_delta_standard_error"]  # fmt: skip
    ends = [system["macro_delta"] - margin, system["macro_delta"] + margin]
    assert system["macro_delta_interval"] == pytest.approx(ends)


def test_standard_errors_of_scores_and_differences(load):
    bleu = load(n_resamples=200, seed=3)
    differences = paired_differences(bleu, SYSTEMS["A"], SYSTEMS["C"], REFERENCES, 200, seed=3)
    systems = bleu.compare({name: SYSTEMS[name] for name in "AC"}, REFERENCES, n_resamples=5)[
        "systems"
    ]
    size = len(REFERENCES)
    expected = differences.std() * np.sqrt(size / (size - 1))
    assert systems["C"]["delta_standard_error"] == pytest.approx(expected, abs=1e-12)
    for name in "AC":
        expected = bleu.compute(predictions=SYSTEMS[name], references=REFERENCES, confidence=0.95)[
            "standard_error"
        ]
        assert systems[name]["standard_error"] == expected


def test_a_tokenizer_per_group(bleu):
    labels = ["en", "zh"] * 30
    result = bleu.compare(SYSTEMS, REFERENCES, by=labels, tokenize={"zh": "zh"}, n_resamples=5)
    assert "|tok:var|" in result["signature"]
    for name, texts in SYSTEMS.items():
        expected = bleu.compute(
            predictions=texts, references=REFERENCES, by=labels, tokenize={"zh": "zh"}
        )
        assert result["systems"][name]["bleu"] == expected["bleu"]
        groups = result["systems"][name]["groups"]
        assert {label: group["score"] for label, group in groups.items()} == {label: group["score"] for label, group in expected["groups"].items()}  # fmt: skip


def tabulate(bleu, systems, **options):
    return {name: bleu.statistics(predictions=texts, references=REFERENCES, **options) for name, texts in systems.items()}  # fmt: skip


TABLE_FORMS = {
    "tables": lambda table: table,
    "parts": lambda table: [table.slice(0, 20), table.slice(20)],
    "record batches": lambda table: table.to_batches(max_chunksize=7),
}


@pytest.mark.parametrize("form", TABLE_FORMS.values(), ids=TABLE_FORMS)
@pytest.mark.parametrize(
    "options", [{}, {"tokenize": "char", "lowercase": True, "max_order": 2}], ids=str
)
@pytest.mark.parametrize(
    "method", [("compare", {"test": "bootstrap"}), ("compare", {}), ("rank", {})], ids=str
)
def test_tables_in_the_place_of_texts(bleu, method, options, form):
    """A table knows how it was counted, so that the call need not say it."""
    method, more = method[0], {**method[1], "n_resamples": 50}
    expected = getattr(bleu, method)(SYSTEMS, REFERENCES, **options, **more)
    tables = {name: form(table) for name, table in tabulate(bleu, SYSTEMS, **options).items()}
    assert getattr(bleu, method)(tables, **more) == expected
    assert getattr(bleu, method)(tables, **options, **more) == expected


LABELS = ["a", "b", "b"] * 20
BY = {
    "a list": lambda: LABELS,
    "a generator": lambda: iter(LABELS),
    "NumPy": lambda: np.array(LABELS),
}


@pytest.mark.parametrize("labels", BY.values(), ids=BY)
def test_labels_of_texts_and_of_tables(bleu, labels):
    """All systems have the same labels, which are read once."""
    expected = bleu.compare(SYSTEMS, REFERENCES, by=LABELS, n_resamples=5)
    assert bleu.compare(SYSTEMS, REFERENCES, by=labels(), n_resamples=5) == expected
    assert bleu.compare(tabulate(bleu, SYSTEMS), by=labels(), n_resamples=5) == expected
    assert bleu.compare(tabulate(bleu, SYSTEMS, by=LABELS), by="label", n_resamples=5) == expected


FRAMES = {"Arrow": lambda table: table, "pandas": pa.Table.to_pandas, "polars": pl.from_arrow}


@pytest.mark.parametrize("make_frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("method", ["compare", "runs", "rank"])
def test_parts_without_rows_need_no_labels(bleu, method, make_frame):
    """The empty part of a process, which has no column of labels, leaves the result as it is."""
    documents = [row // 3 for row in range(len(LABELS))]
    tables = tabulate(bleu, SYSTEMS, by=LABELS, documents=documents)
    empty = make_frame(bleu.statistics(predictions=[], references=[]))
    whole, parts = {}, {}
    for place, (name, table) in enumerate(tables.items()):
        whole[name] = make_frame(table)
        parts[name] = [make_frame(table.slice(0, 25)), make_frame(table.slice(25))]
        parts[name].insert(min(place, 2), empty)
    arguments = {"documents": "document", "n_resamples": 300}
    if method == "rank":
        assert bleu.rank(parts, **arguments) == bleu.rank(whole, **arguments)
        return
    if method == "runs":
        whole = {"A": whole, "B": {"other": whole["B"], "yet another": whole["C"]}}
        parts = {"A": parts, "B": {"other": parts["B"], "yet another": parts["C"]}}
    arguments["by"] = "label"
    assert bleu.compare(parts, **arguments) == bleu.compare(whole, **arguments)


def wrong_tables(bleu):
    """Return systems whose tables don't fit each other, and the arguments of the call, by the end of the message."""
    good, texts = (
        tabulate(bleu, SYSTEMS)["A"],
        {"predictions": SYSTEMS["B"], "references": REFERENCES},
    )
    zh, char = (
        bleu.statistics(**texts, by=LABELS, tokenize={"b": tokenize}) for tokenize in ("zh", "char")
    )
    one_reference = [row[:1] for row in REFERENCES]
    other = "Pass tables of the same segments, made by statistics() with the same options."
    differ = f"systems: the tables of 'A' and 'B' differ in their {{}}. {other}"
    return {
        differ.format("segments"): (good, good.slice(1), {}),
        differ.format("options"): (good, bleu.statistics(**texts, lowercase=True), {}),
        differ.format("tokenizers"): (zh, char, {}),
        differ.format("tokenizers") + " ": (zh, char, {"by": "label"}),
        differ.format("numbers of references"): (good, bleu.statistics(predictions=SYSTEMS["B"], references=one_reference), {}),
        differ.format("labels"): (bleu.statistics(**texts, by=LABELS), bleu.statistics(**texts, by=LABELS[::-1]), {"by": "label"}),
        "System 'B': statistics: got no rows.": (good, good.slice(0, 0), {}),
        "System 'B': statistics: expected one row per segment, got sums.": (good, good.to_pandas().sum().to_frame().T, {}),
        "System 'A': statistics: counted with tokenize='13a', but 'zh' was requested.": (good, good, {"tokenize": "zh"}),
        "System 'A': by='domain': statistics has no such column.": (good, good, {"by": "domain"}),
        "references: got None. Pass references, or tables from statistics() as systems.": (SYSTEMS["A"], SYSTEMS["B"], {}),
    }  # fmt: skip


@pytest.mark.parametrize("number", range(11))
@pytest.mark.parametrize("method", ["compare", "rank"])
def test_tables_that_do_not_fit_are_rejected(bleu, method, number):
    message, (first, second, options) = list(wrong_tables(bleu).items())[number]
    if method == "rank" and "by" in options:
        message = "`by` is not an option of rank(). Rank the segments of each label in a call of their own."
    with pytest.raises((ValueError, TypeError)) as error:
        getattr(bleu, method)({"A": first, "B": second}, n_resamples=5, **options)
    assert str(error.value).startswith(message.rstrip())


class Separator:
    """A tokenizer; two objects of this class split differently."""

    def __init__(self, separator):
        self._separator = separator

    def __call__(self, text):
        return text.split(self._separator)


@pytest.mark.parametrize("method", ["compare", "rank"])
def test_tables_of_functions_that_cannot_be_told_apart_are_rejected(bleu, method):
    tables = {
        name: bleu.statistics(
            predictions=SYSTEMS["A"], references=REFERENCES, tokenize=Separator(name)
        )
        for name in (" ", "a")
    }
    with pytest.raises(
        ValueError, match=r"tokenize=test_compare\.Separator is the name of different functions"
    ):
        getattr(bleu, method)(tables)


def test_groups_are_indented_in_every_form(bleu):
    """A group may have the name of a system. After the end of a line, LaTeX takes [ and * for arguments."""
    labels = ["[A", "*B"] * (len(REFERENCES) // 2)
    result = bleu.compare(
        {"[A": SYSTEMS["A"], "*B": SYSTEMS["B"]}, REFERENCES, by=labels, n_resamples=5
    )
    names = ["[A (baseline)", "  [A", "  *B", "  macro-average", "*B", "  [A", "  *B", "  macro-average"]  # fmt: skip
    latex = [line.partition(" &")[0] for line in result.to_latex().splitlines()[6:14]]
    assert latex == [
        name.replace("  ", "~~").replace("[", "{[}").replace("*", "{*}") for name in names
    ]
    markdown = [line.split(" | ")[0] for line in result.to_markdown().splitlines()[2:10]]
    assert markdown == [
        "| " + name.replace("  ", "&nbsp;&nbsp;").replace("[", r"\[").replace("*", r"\*")
        for name in names
    ]
    assert result.to_pandas()["group"].fillna("").tolist() == ["", "[A", "*B", "", "[A", "*B"]


def test_a_p_value_is_never_0(bleu):
    result = bleu.compare(
        {"A": ["a b c d"] * len(REFERENCES), "B": [row[0] for row in REFERENCES]},
        REFERENCES,
        n_resamples=50_000,
    )
    assert result["systems"]["B"]["p_value"] < 0.0001
    assert "<0.0001" in str(result)
    assert "(p < 0.0001)" in result.report()


def test_one_segment_names_no_test(bleu):
    """Neither `compare` nor `rank` tests anything then."""
    systems = {"A": ["the cat sat on the mat"], "B": ["the cat sat on a mat"]}
    for result in (
        bleu.compare(systems, ["the cat sat on the mat"]),
        bleu.rank(systems, ["the cat sat on the mat"]),
    ):
        for text in (result.report().split("signature")[0], str(result)):
            assert "resamples" not in text
            assert "family-wise" not in text


# Memory beyond the tables: 80 bytes per segment and system for the rows, as much again for all else.
BYTES_PER_SEGMENT = 640
BY_MEMORY = {
    "segments, bootstrap": {"test": "bootstrap"},
    "segments, randomization": {"test": "randomization"},
    "documents, bootstrap": {"test": "bootstrap", "documents": True},
    "documents, randomization": {"test": "randomization", "documents": True},
    "groups": {"test": "bootstrap", "documents": True, "by": True},
}


def measure_peak(call):
    """Return the most bytes that Python and NumPy allocate within a call, modules that it imports aside."""
    import_scipy()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def repeat_tables(bleu, count, segments):
    """Return tables of systems that are repeated up to a number of segments."""
    systems, references = make_systems(1000)
    systems["E"] = systems["A"][::-1]
    tables = [
        bleu.statistics(predictions=texts, references=references) for texts in systems.values()
    ]
    return {
        f"system {k}": pa.concat_tables([tables[k % 5].slice(k)] + [tables[k % 5]] * (segments // 1000 - 1) + [tables[k % 5].slice(0, k)]).combine_chunks()
        for k in range(count)
    }  # fmt: skip


@pytest.mark.parametrize("settings", BY_MEMORY.values(), ids=BY_MEMORY)
@pytest.mark.more
def test_memory_grows_by_640_bytes_per_segment_of_five_systems(load, bleu, settings, monkeypatch):
    """Rows are in memory once, and their floats take half of that; blocks of draws have a constant size."""
    module = sys.modules[type(bleu).__module__.rpartition(".")[0] + ".bleu_core"]
    monkeypatch.setattr(module, "_NUMBERS_PER_BLOCK", 1 << 15)
    monkeypatch.setattr(module, "ROWS_PER_SCORE", 1 << 11)
    segments = 50_000
    labels = [i // 10 for i in range(segments)]
    columns = {name: labels for name in settings if name == "documents"}
    if "by" in settings:
        columns["by"] = [label % 10 for label in labels]
    tables = repeat_tables(bleu, 5, segments)
    bleu = load(n_resamples=8)  # of the intervals
    call = lambda: bleu.compare(tables, n_resamples=32, **{**settings, **columns})
    assert measure_peak(call) < BYTES_PER_SEGMENT * segments


@pytest.mark.more
def test_rank_by_document_keeps_sums_only(bleu):
    """Twenty systems take less memory than their rows."""
    segments = 50_000
    documents = [i // 10 for i in range(segments)]
    tables = repeat_tables(bleu, 20, segments)
    call = lambda: bleu.rank(tables, documents=documents, n_resamples=32)
    assert measure_peak(call) < 20 * 80 * segments


def test_a_difference_that_rounds_to_0_is_not_negative(bleu):
    references = [f"{n} green bottles hanging on the wall of house {n * 7}" for n in range(9000)]
    other = ["0 green bottle hanging on the wall of house 0", *references[1:]]
    systems = {"A": references, "B": other}
    compared = bleu.compare(systems, references, n_resamples=20, confidence=None)
    assert " +0.00 " in str(compared)
    assert "-0.00" not in str(compared)
