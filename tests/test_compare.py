"""`compare`: sacreBLEU's PairedTest asked live, on synthetic text and on WMT21's systems if available."""

import itertools
import json
import math
import random
import re
import statistics
import sys
import warnings
from collections import Counter
from html import escape

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sacrebleu.significance
from bleu.bleu_compare import Comparison, estimate_human_accuracy
from conftest import needs_wmt21
from helpers import WMT21, edit_pieces, random_pieces, read_lines, record_warnings
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def make_systems(segments):
    """Return four systems, two of which differ in one segment, and two references per segment."""
    generator = random.Random(segments)
    pieces = [random_pieces(generator)[:40] or ["a "] for _ in range(segments)]
    text = lambda rows: ["".join(row) for row in rows]
    systems = {
        name: text(edit_pieces(row, generator) for row in pieces) for name in ("A", "B", "C")
    }
    systems["nearly A"] = [*systems["A"][:-1], systems["B"][-1] + " other words"]
    return systems, list(zip(text(pieces), text(edit_pieces(row, generator) for row in pieces)))


def read_systems(pair, names):
    target = pair.split("-")[1]
    references = [
        read_lines(WMT21 / "references" / f"newstest2021.{pair}.ref.{name}.{target}")
        for name in names
    ]
    outputs = sorted((WMT21 / "system-outputs").glob(f"newstest2021.{pair}.hyp.*.{target}"))[:5]
    return {path.name: read_lines(path) for path in outputs}, list(zip(*references))


CORPORA = {f"synthetic {size}": lambda size=size: make_systems(size) for size in (2, 33, 400)}
if WMT21.is_dir():
    CORPORA |= {
        "de-en": lambda: read_systems("de-en", "AB"),
        "en-de": lambda: read_systems("en-de", "A"),
        "cs-en": lambda: read_systems("cs-en", "AB"),
    }


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
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
    assert set(result["systems"]["B"]) == {
        "bleu",
        "score",
        "delta",
        "p_value",
        "wins",
        "ties",
        "losses",
    }
    assert result["seed"] == 3
    assert load(seed=3).compare(systems, references, n_resamples=10, seed=4)["seed"] == 4


SYSTEM = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6], "bootstrap_mean": 0.5}

PRINTED = Comparison(
    baseline="base|line",
    systems={"base|line": SYSTEM, "50%_off": {**SYSTEM, "delta": -0.0123, "delta_interval": [-0.02, 0.005], "p_value": 0.000999, "wins": 3, "ties": 1, "losses": 2000}},
    test="bootstrap", n_resamples=1000, seed=1, signature="nrefs:1",
)  # fmt: skip


def test_printed():
    assert str(PRINTED).splitlines() == [
        "system                 BLEU            CI  difference  CI of difference       p  wins  ties  losses",
        "base|line (baseline)  50.00  40.00, 60.00",
        "50%_off               50.00  40.00, 60.00       -1.23      -2.00, +0.50  0.0010     3     1   2,000",
        "",
        "bootstrap, 1,000 resamples; nrefs:1",
    ]


def test_markdown_and_latex():
    markdown, latex = PRINTED.to_markdown().splitlines(), PRINTED.to_latex().splitlines()
    assert markdown[2] == r"| base\|line (baseline) | 50.00 | 40.00, 60.00 |  |  |  |  |  |  |"
    assert (
        r"50\%\_off & 50.00 & 40.00, 60.00 & -1.23 & -2.00, +0.50 & 0.0010 & 3 & 1 & 2,000 \\"
        in latex
    )


WRONG = [
    ({"A": ["a"]}, {}, ValueError, "systems: expected two or more systems, got 1"),
    ([("A", ["a"]), ("B", ["b"])], {}, TypeError, "systems: expected a dict .*got list"),
    ({"A": ["a"], "B": ["b"]}, {"baseline": "C"}, ValueError, "baseline='C': pass one of 'A', 'B'"),
    (
        {"A": ["a"], "B": ["b"]},
        {"baseline": ["A"]},
        ValueError,
        r"baseline=\['A'\]: pass one of 'A', 'B'",
    ),
    (
        {"A": ["a"], "B": ["b"]},
        {"test": ["bootstrap"]},
        ValueError,
        r"test=\['bootstrap'\]: pass one of 'bootstrap', '",
    ),
    (
        {"A": ["a"], "B": ["b"]},
        {"test": "t"},
        ValueError,
        "test='t': pass one of 'bootstrap', 'randomization'",
    ),
    (
        {"A": ["a"], "B": ["b", "c"]},
        {},
        ValueError,
        "System 'B': Got 2 predictions and 1 reference",
    ),
    ({"A": ["a"], "B": [None]}, {}, ValueError, r"System 'B': predictions\[0\]: .*got None"),
    ({"A": ["a"], "B": [1]}, {}, TypeError, r"System 'B': predictions\[0\]: .*got int"),
    ({"A": ["a"], "B": ["b"]}, {"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"A": ["a"], "B": ["b"]}, {"trials": 5}, TypeError, "Unknown option `trials`"),
    (
        {"A": ["a"], "B": [["b"]]},
        {},
        TypeError,
        r"System 'B': predictions\[0\]: .*got a list with one str",
    ),
]


@pytest.mark.parametrize(("systems", "options", "error", "message"), WRONG)
def test_errors(bleu, systems, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compare(systems, [["a"]], **options)


def test_references_may_come_as_a_generator(bleu):
    systems, references = make_systems(10)
    assert bleu.compare(systems, (row for row in references), n_resamples=5) == bleu.compare(
        systems, references, n_resamples=5
    )


TESTS = {"bootstrap": "bs", "randomization": "ar"}
DEFAULT_RESAMPLES = {"bootstrap": 1_000, "randomization": 10_000}
SYSTEMS, REFERENCES = make_systems(60)


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
        name: [bleu.score(table[draw].sum(axis=0))["bleu"] for draw in draws]
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
    beside = {
        "delta",
        "delta_interval",
        "delta_standard_error",
        "p_value",
        "wins",
        "ties",
        "losses",
        "detectable_delta",
    }
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
    """Return the differences of two systems on the same draws, each draw scored by `score`."""
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
        [bleu.score(each[drawn].sum(axis=0), confidence=None)["bleu"] for drawn in draws]
        for each in rows
    ]
    return np.subtract(scores[1], scores[0])


@pytest.mark.parametrize("test", TESTS)
def test_the_interval_of_a_difference_and_the_detectable_difference(load, test):
    """Both come from the paired bootstrap, with the number of resamples chosen at load, under either test.

    The minimum detectable effect: with 80% power at the level of 5%, z(0.975) + z(0.8) = 2.80 standard errors of the
    paired differences (Card et al., 2020).
    """
    bleu = load(n_resamples=200, seed=3)
    differences = paired_differences(bleu, SYSTEMS["A"], SYSTEMS["C"], REFERENCES, 200, seed=3)
    result = bleu.compare({name: SYSTEMS[name] for name in "AC"}, REFERENCES, test=test)["systems"][
        "C"
    ]
    ordered = np.sort(differences)
    assert result["delta_interval"] == pytest.approx([ordered[5], ordered[194]], abs=1e-12)
    assert result["delta_interval"][0] <= result["delta"] <= result["delta_interval"][1]
    normal = statistics.NormalDist()
    errors = normal.inv_cdf(0.975) + normal.inv_cdf(0.8)
    assert result["detectable_delta"] == pytest.approx(errors * differences.std(), rel=0.01)


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
    """Three systems that each look tokenized and are written without spaces."""
    rows = 120
    systems = {name: ["我们 去 学校 ."] * rows for name in "ABC"}
    _, messages = record_warnings(lambda: bleu.compare(systems, ["x"] * rows, n_resamples=5))
    kinds = ["detached period", "without spaces", "is 0"]
    assert [sum(kind in message for message in messages) for kind in kinds] == [1, 1, 1]


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
    added = {"groups", "macro_bleu", "macro_delta", "macro_p_value", "macro_delta_interval", "macro_delta_standard_error"}  # fmt: skip
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
    assert system["macro_delta_standard_error"] == pytest.approx(error, rel=4 * np.sqrt(1 / (2 * 1000) + 1 / (2 * count)))  # fmt: skip
    ends = np.quantile(differences, [0.025, 0.975])
    assert system["macro_delta_interval"] == pytest.approx(
        ends, abs=0.34 * np.sqrt(1 + 1000 / count) * error
    )


def test_standard_errors_of_scores_and_differences(load):
    bleu = load(n_resamples=200, seed=3)
    differences = paired_differences(bleu, SYSTEMS["A"], SYSTEMS["C"], REFERENCES, 200, seed=3)
    systems = bleu.compare({name: SYSTEMS[name] for name in "AC"}, REFERENCES, n_resamples=5)[
        "systems"
    ]
    assert systems["C"]["delta_standard_error"] == pytest.approx(differences.std(), abs=1e-12)
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
def test_parts_without_rows_need_no_labels(bleu, students_t, method, make_frame):
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


@pytest.mark.parametrize("points", [0, 0.1, 0.27, 0.28, 0.5, 1, 1.5, -1.5, 2, 5, 30])
def test_the_curve_of_human_accuracy(points):
    """The formula of Kocmi et al. (2024), and no value where it is below 50%, from 0 to 0.27 points."""
    expected = 0.8833333333333225 / (1 + math.exp(-0.9663926931178954 * abs(points)))
    found = estimate_human_accuracy(points / 100)
    assert found == (pytest.approx(expected, abs=1e-12) if abs(points) >= 0.28 else None)
    if abs(points) == 1.5:
        assert round(100 * expected) == 72  # between the 64% at 1 and the 77% at 2 points


def test_human_accuracy_in_the_result(bleu):
    result = bleu.compare(SYSTEMS, REFERENCES, n_resamples=5, human=True)
    assert "human_accuracy" not in result["systems"]["A"]
    for name in ("B", "C", "nearly A"):
        delta = abs(100 * result["systems"][name]["delta"])
        expected = 0.8833333333333225 / (1 + math.exp(-0.9663926931178954 * delta))
        assert result["systems"][name]["human_accuracy"] == (
            pytest.approx(expected) if delta > 0.28 else None
        )
    same = bleu.compare(
        {"A": SYSTEMS["A"], "B": SYSTEMS["A"]}, REFERENCES, n_resamples=5, human=True
    )
    for written in (str(same), same.to_html(), same.to_markdown(), same.to_latex()):
        assert "no better than chance" in written
        assert "6,530 pairs" in written
    without = bleu.compare(SYSTEMS, REFERENCES, n_resamples=5)
    assert "people" not in str(without)
    assert "human_accuracy" not in without["systems"]["B"]


class Charset:
    """A tokenizer whose name begins as that of `char`."""

    def __call__(self, text):
        return text.split()

    def signature(self):
        return "charset"

    def __repr__(self):
        return "Charset()"  # pytest-xdist needs a test's name to be the same in all processes


HUMAN_OPTIONS = [
    ({"tokenize": "zh"}, None), ({"tokenize": "char"}, None), ({"tokenize": "ja-mecab"}, None), ({"seed": 1}, None),
    ({"confidence": None}, None), ({"tokenize": "none"}, "tokenize"), ({"tokenize": str.split}, "tokenize"),
    ({"tokenize": "intl"}, "tokenize"), ({"lowercase": True}, "lowercase"), ({"max_order": 2}, "max_order"),
    ({"smooth_method": "none"}, "smooth_method"), ({"effective_order": True}, "effective_order"),
    ({"weights": [1, 0, 0, 0]}, "weights"), ({"reference_length": "shortest"}, "reference_length"),
    ({"minimum_total": 1}, "minimum_total"), ({"tokenize": {"b": "zh"}, "by": LABELS}, "tokenize"),
    ({"tokenize": {"b": "zh", "a": "zh"}, "by": LABELS}, None), ({"tokenize": Charset()}, "tokenize"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "named"), HUMAN_OPTIONS, ids=str)
def test_human_accuracy_holds_for_default_options_only(bleu, options, named):
    call = lambda: bleu.compare(SYSTEMS, REFERENCES, n_resamples=5, human=True, **options)
    if named is None:
        assert "human_accuracy" in call()["systems"]["B"]
    else:
        with pytest.raises(ValueError, match=rf"^human=True: the estimate holds for default options.*Remove `{named}`"):  # fmt: skip
            call()


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
    names = [
        "[A (baseline)",
        "  [A",
        "  *B",
        "  macro-average",
        "*B",
        "  [A",
        "  *B",
        "  macro-average",
    ]
    latex = [line.partition(" &")[0] for line in result.to_latex().splitlines()[4:12]]
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


# `rank`: all pairs.


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
        == f"randomization, 10,000 resamples; ranks at a family-wise error of 5%; {result['signature']}"
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


# Documents: the rows of a document are summed, and the sums are drawn or exchanged.

DOCUMENTS = [
    f"document {min(i % 23, i % 29)}" for i in range(len(REFERENCES))
]  # of unequal sizes, not adjacent


def sum_documents(bleu, texts, documents, **options):
    """Return the sums of each document's rows in the order of first appearance, by a loop."""
    sums = {}
    for document, row in zip(documents, bleu.statistics(predictions=texts, references=REFERENCES, **options).to_pandas().to_numpy()):  # fmt: skip
        sums[document] = sums.get(document, 0) + row
    return np.array(list(sums.values()))


def score_sums(bleu, sums):
    return np.array([bleu.score(row)["bleu"] for row in sums])


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
    assert result["confidence_interval"] == [np.sort(samples)[5], np.sort(samples)[94]]
    assert result["standard_error"] == pytest.approx(samples.std(), abs=1e-15)
    assert result["bootstrap_mean"] == pytest.approx(samples.mean(), abs=1e-15)
    assert result["documents"] == len(sums)
    assert result["segment_bleu"] == bleu.compute(**columns, segments=True)["segment_bleu"]
    table = bleu.statistics(**columns, documents=DOCUMENTS)
    assert table["document"].to_pylist() == DOCUMENTS
    for documents in ("document", DOCUMENTS, np.array(DOCUMENTS), pa.array(DOCUMENTS)):
        assert bleu.score(table, documents=documents, segments=True, **options) == result
    options.pop("confidence")
    tables = {name: bleu.statistics(predictions=texts, references=REFERENCES, documents=DOCUMENTS) for name, texts in SYSTEMS.items()}  # fmt: skip
    expected = bleu.compare(SYSTEMS, REFERENCES, documents=DOCUMENTS, n_resamples=20)
    assert bleu.compare(tables, documents="document", n_resamples=20) == expected
    assert "by document (" in str(expected)
    assert "by document (" in expected.report()
    assert "by document (" in result.report()


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
    # 1. `score`
    options = {"confidence": 0.9, "n_resamples": 50, "documents": "document", **named}
    assert bleu.score(sums["B"], like=table, **options) == bleu.score(table, **options)
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
    expected = bleu.score(table, documents=DOCUMENTS, **options)
    assert bleu.score(sums, like=table, documents=names, **options) == expected


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
        bleu.score(sums["A"], like=like, confidence=0.95)
    with pytest.raises(ValueError, match=r"^`segments` needs one .* these rows are sums"):
        bleu.score(sums["A"], like=like, segments=True, documents="document")


def test_documents_of_one_segment_each_change_nothing(bleu):
    labels = list(range(len(REFERENCES)))
    for method in (bleu.compare, bleu.rank):
        expected, result = (
            method(SYSTEMS, REFERENCES, n_resamples=50, **more)
            for more in ({}, {"documents": labels})
        )
        assert result.pop("documents") == len(labels)
        result["signature"] = result["signature"].replace(f"docs:{len(labels)}|", "")
        assert dict(result) == dict(expected)


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
    "rare": [
        "rare" if document in ("document 0", "document 2") and i % 2 else "all"
        for i, document in enumerate(DOCUMENTS)
    ],
}


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
        first = np.where(exchanged, rows["B"], rows["A"]).sum(axis=1)
        second = np.where(exchanged, rows["A"], rows["B"]).sum(axis=1)
        differences.append(score_sums(bleu, list(second)) - score_sums(bleu, list(first)))
    assert (n_missed > 0) == ("rare" in labels)
    a, b = np.mean(averages["A"], axis=0), np.mean(averages["B"], axis=0)
    extreme = lambda values: [np.sort(values)[5], np.sort(values)[-6]]  # of 200, at 95%

    options = {"by": labels, "documents": DOCUMENTS, "n_resamples": n_resamples, "seed": seed}
    columns = {"predictions": SYSTEMS["B"], "references": REFERENCES}
    scored = bleu.compute(**columns, **options, confidence=0.95)
    assert scored["macro_confidence_interval"] == pytest.approx(extreme(b), abs=1e-12)
    assert scored["macro_standard_error"] == pytest.approx(b.std(), abs=1e-12)
    assert scored["shared_documents"] > 0

    two = {name: SYSTEMS[name] for name in "AB"}
    fewer = type(bleu)(n_resamples=n_resamples)  # of the bootstrap behind intervals
    system = fewer.compare(two, REFERENCES, **options)["systems"]["B"]
    observed = abs(system["macro_delta"])
    count = (np.abs(np.mean(differences, axis=0)) >= observed - 1e-11).sum()
    assert system["macro_p_value"] == (count + 1) / (n_resamples + 1)
    assert system["macro_delta_interval"] == pytest.approx(extreme(b - a), abs=1e-12)
    assert system["macro_delta_standard_error"] == pytest.approx((b - a).std(), abs=1e-12)

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
            f"{shared} of them in several groups, which the macro-average draws once for all groups"
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
        bleu.Warning, match="1 group with one document: such a group has no interval"
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
    (
        DOCUMENTS[:-1],
        ValueError,
        rf"documents: got {len(DOCUMENTS) - 1} labels for {len(DOCUMENTS)} predictions",
    ),
    (
        [*DOCUMENTS[:-1], None],
        ValueError,
        rf"documents\[{len(DOCUMENTS) - 1}\]: got None\. Pass a label of its own",
    ),
    (
        [float("nan"), *DOCUMENTS[1:]],
        ValueError,
        r"documents\[0\]: got NaN\. Pass a label of its own",
    ),
    ("document", TypeError, "documents: expected a list, array or Series, got"),
]


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
        bleu.compute(**columns, documents=even, confidence=0.95, n_resamples=50)


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


def test_what_rank_does_not_take(bleu):
    with pytest.raises(
        TypeError, match=r"^`by` is not an option of rank\(\)\. Rank the segments of each label"
    ):
        bleu.rank(SYSTEMS, REFERENCES, by=DOCUMENTS)
    with pytest.raises(
        TypeError, match=r"^`test` is not an option of rank\(\), which has one test"
    ):
        bleu.rank(SYSTEMS, REFERENCES, test="bootstrap")


def test_interval_and_test_that_disagree_on_a_small_set(bleu):
    """Two segments: the interval of the difference excludes 0, but no exchange of two segments has a p below 0.5."""
    references = ["the cat sat on the mat", "a dog lay on the rug today"]
    systems = {"A": ["the cat sat on a mat", "a dog lay on my rug today"], "B": references}
    result = bleu.compare(systems, references)
    assert result["systems"]["B"]["delta_interval"][0] > 0
    assert result["systems"]["B"]["p_value"] > 0.4
    told = (
        "B: interval of the difference and p disagree, because there are only 2 segments: trust p"
    )
    assert told in str(result)
    assert told in result.to_html()
    many = bleu.compare({name: texts * 20 for name, texts in systems.items()}, references * 20)
    assert "disagree" not in str(many)
    many = bleu.compare(
        {name: texts * 20 for name, texts in systems.items()},
        references * 20,
        documents=["x", "y"] * 20,
    )
    assert "because there are only 2 documents" in str(many)


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


def welch_with_texts(scores, resampled, sign, sampling_parts=None, units=None):
    """Return the value, variance and degrees of freedom, written out.

    Args:
        scores: for each system, its runs' scores.
        resampled: for each system, float64 [n_resamples, runs].
        sign: 1 for the system, -1 for the baseline.
        sampling_parts: pairs of a variance and its degrees of freedom; None for SE² with U - 1.
    """
    value = sum(s * np.mean(one) for s, one in zip(sign, scores))
    texts = np.var(sum(s * one.mean(axis=1) for s, one in zip(sign, resampled)))
    variance = texts
    parts = sampling_parts or [(texts, units - 1)]
    squares = sum(part**2 / df for part, df in parts)
    fewest = [sum(part for part, _ in parts) ** 2 / squares]
    for run_scores, of_runs in zip(scores, resampled):
        count = len(run_scores)
        if count > 1:
            s2 = np.sum((run_scores - np.mean(run_scores)) ** 2) / (count - 1)
            e = sum(np.var(of_runs[:, r] - of_runs.mean(axis=1)) for r in range(count))
            variance += max(0, s2 - e / (count - 1)) / count
            squares += (s2 / count) ** 2 / (count - 1)
            fewest.append(count - 1)
    return value, variance, max(variance**2 / squares, min(fewest))


NEAR = {"rel": 1e-9, "abs": 1e-11}


@pytest.mark.parametrize("by_document", [False, True], ids=["segments", "documents"])
@pytest.mark.parametrize("counts", [(3, 3), (2, 4), (1, 3)], ids=str)
def test_means_over_runs_are_tested_by_the_formula(bleu, students_t, counts, by_document):
    """NumPy, sacreBLEU's scores of the same draws, and Student's t by numerical integration."""
    systems, references = make_runs(dict(zip(("base", "new"), counts)))
    documents = [n // 3 for n in range(90)] if by_document else None
    result = bleu.compare(systems, references, documents=documents, n_resamples=100)
    units = 30 if by_document else 90
    scores, resampled = [], []
    for runs in systems.values():
        rows = [list_rows(bleu, texts, references, documents) for texts in runs.values()]
        scores.append(np.array([score_with_sacrebleu(one.sum(axis=0)) for one in rows]))
        resampled.append(np.stack([resample_with_sacrebleu(one, 100) for one in rows], axis=1))
    # The scores of the systems.
    for number, system in enumerate(result["systems"].values()):
        own = [scores[number]], [resampled[number]]
        value, variance, df = welch_with_texts(*own, [1], units=units)
        margin = students_t.ppf(0.975, df) * variance**0.5
        assert system["bleu"] == pytest.approx(value, **NEAR)
        assert system["score"] == pytest.approx(100 * value, **NEAR)
        assert system["standard_error"] == pytest.approx(variance**0.5, **NEAR)
        assert system["confidence_interval"] == pytest.approx(
            [max(0, value - margin), min(1, value + margin)], rel=1e-9
        )
        assert [run["bleu"] for run in system["runs"].values()] == pytest.approx(
            scores[number].tolist(), **NEAR
        )
        if counts[number] > 1:
            deviation = statistics.stdev(scores[number])
            assert system["run_standard_deviation"] == pytest.approx(deviation, **NEAR)
        else:
            assert "run_standard_deviation" not in system
    # Their difference.
    value, variance, df = welch_with_texts(scores, resampled, [-1, 1], units=units)
    new = result["systems"]["new"]
    assert new["delta"] == pytest.approx(value, **NEAR)
    assert new["delta_standard_error"] == pytest.approx(variance**0.5, **NEAR)
    assert new["degrees_of_freedom"] == pytest.approx(df, **NEAR)
    t = abs(value) / variance**0.5
    assert new["p_value"] == pytest.approx(2 * students_t.sf(t, df), rel=1e-9)
    margin = students_t.ppf(0.975, df) * variance**0.5
    assert new["delta_interval"] == pytest.approx([value - margin, value + margin], rel=1e-9)
    detectable = students_t.ppf([0.975, 0.8], df).sum() * variance**0.5
    assert new["detectable_delta"] == pytest.approx(detectable, rel=1e-9)


@pytest.mark.parametrize("shares_documents", [False, True])
def test_macro_averages_of_runs(bleu, students_t, shares_documents):
    """Groups of their own documents: their draws are shuffled, and each has its degrees of freedom.

    Shared documents are drawn once for all groups.
    """
    systems, references = make_runs({"base": 2, "new": 3})
    labels = [n % 2 if shares_documents else n // 60 for n in range(90)]
    documents = [n // 3 for n in range(90)]
    result = bleu.compare(systems, references, by=labels, documents=documents, n_resamples=100)
    shuffle = np.random.default_rng(np.random.SeedSequence(12345).spawn(1)[0])
    scores, resampled, parts = [], [], []
    for label in (0, 1):
        group_scores, group_draws, group_units = [], [], set()
        for runs in systems.values():
            for texts in runs.values():
                rows = list_rows(bleu, texts, references) * (np.array(labels) == label)[:, None]
                sums = np.stack([rows[3 * n : 3 * n + 3].sum(axis=0) for n in range(30)])
                kept = sums if shares_documents else sums[sums.any(axis=1)]
                group_units.add(len(kept))
                group_scores.append(score_with_sacrebleu(kept.sum(axis=0)))
                group_draws.append(resample_with_sacrebleu(kept, 100))
        (units,) = group_units
        draws = np.stack(group_draws, axis=1)
        group_difference = draws[:, 2:].mean(axis=1) - draws[:, :2].mean(axis=1)
        parts.append((np.var(group_difference) / 4, units - 1))
        scores.append(group_scores)
        resampled.append(draws if shares_documents else shuffle.permutation(draws))
    means, draws = np.mean(scores, axis=0), np.mean(resampled, axis=0)
    value, variance, df = welch_with_texts(
        [means[:2], means[2:]],
        [draws[:, :2], draws[:, 2:]],
        [-1, 1],
        None if shares_documents else parts,
        units=30,
    )
    new = result["systems"]["new"]
    assert new["macro_bleu"] == pytest.approx(means[2:].mean(), **NEAR)
    assert [run["macro_bleu"] for run in new["runs"].values()] == pytest.approx(
        means[2:].tolist(), **NEAR
    )
    assert new["macro_delta"] == pytest.approx(value, **NEAR)
    assert new["macro_delta_standard_error"] == pytest.approx(variance**0.5, **NEAR)
    assert new["macro_degrees_of_freedom"] == pytest.approx(df, **NEAR)
    t = abs(value) / variance**0.5
    assert new["macro_p_value"] == pytest.approx(2 * students_t.sf(t, df), rel=1e-9)
    margin = students_t.ppf(0.975, df) * variance**0.5
    assert new["macro_delta_interval"] == pytest.approx([value - margin, value + margin], rel=1e-9)


@pytest.mark.parametrize("label", [0, 1])
def test_groups_of_runs_are_compared_as_their_segments_alone(bleu, students_t, label):
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
    "dicts of columns": lambda bleu, texts: bleu.statistics(
        predictions=texts, references=RUN_REFERENCES
    ).to_pydict(),
    "tuples": lambda bleu, texts: tuple(texts),
    "arrays": lambda bleu, texts: np.array(texts),
    "Arrow": lambda bleu, texts: pa.chunked_array([texts[:7], texts[7:]]),
}


@pytest.mark.parametrize("form", RUN_FORMS)
def test_runs_are_of_any_container(bleu, students_t, form):
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


def test_a_dict_is_a_result_then_a_table_then_runs(bleu, students_t):
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
    (
        {"new": {"seed 1": ["a"], "seed 2": ["a", "b"]}},
        {},
        ValueError,
        "System 'new', run 'seed 2': Got 2 predictions and 1 reference",
    ),
    (
        {"new": {"seed 1": ["a"], "seed 2": [None]}},
        {},
        ValueError,
        r"System 'new', run 'seed 2': predictions\[0\]: .*got None",
    ),
    (
        {"new": {1: ["a"], 2: [["b"]]}},
        {},
        TypeError,
        r"System 'new', run 2: predictions\[0\]: .*got a list with one str",
    ),
    (
        {"new": {"seed 1": {"bleu": 0.5, "score": 50.0}}},
        {},
        TypeError,
        "System 'new', run 'seed 1': got a result, which has no rows",
    ),
    (
        {"new": {"seed 1": {"step 1": ["a"]}}},
        {},
        TypeError,
        "System 'new', run 'seed 1': expected predictions or a table, got dict",
    ),
    (
        {"new": {"seed 1": ["a"], "seed 2": ["b"]}},
        {"test": "bootstrap"},
        ValueError,
        "test='bootstrap': system 'new' has several runs, and this test ignores the variance",
    ),
    (
        {"new": {"seed 1": ["a"], "seed 2": ["b"]}},
        {"test": "randomization"},
        ValueError,
        "test='randomization': system 'new' has several runs",
    ),
    (
        {"new": {"seed 1": ["a"]}},
        {"test": "runs"},
        ValueError,
        "test='runs': expected a system with several runs, got one run each",
    ),
    (
        {"new": {"seed 1": ["a"], "seed 2": ["b"]}},
        {"test": "t"},
        ValueError,
        "test='t': pass one of 'bootstrap', 'randomization', 'runs'",
    ),
    (
        {"new": {"seed 1": ["a"], "seed 2": ["b"]}},
        {"baseline": "seed 1"},
        ValueError,
        "baseline='seed 1': pass one of 'base', 'new'",
    ),
]


@pytest.mark.parametrize(("systems", "options", "error", "message"), WRONG_RUNS, ids=range(11))
def test_wrong_runs_are_rejected(bleu, students_t, systems, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compare({"base": ["a"], **systems}, [["a"]], **options)


def test_runs_of_different_segments_are_rejected(bleu, students_t):
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
            assert str(raised.value) == (
                f"System 'new': expected the predictions of one run, got {found} in one"
                f" {type(runs).__name__}. Pass one run per system; compare() takes several"
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


def read_parts(bleu, texts, references, sizes):
    """Return the tables of consecutive parts of a test set."""
    ends = list(itertools.accumulate(sizes))
    return [
        bleu.statistics(
            predictions=texts[end - size : end], references=references[end - size : end]
        )
        for size, end in zip(sizes, ends)
    ]


def make_varied_runs(segments, lengths=range(4, 30), seed=1, references=1, edits=0):
    """Return three runs on a test set whose reference lengths are drawn from `lengths`."""
    generator = random.Random(seed)
    words = [
        "the",
        "cat",
        "sat",
        "on",
        "a",
        "mat",
        "and",
        "looked",
        "at",
        "me",
        "while",
        "it",
        "was",
        "raining",
    ]
    draw = lambda: " ".join(generator.choices(words, k=generator.choice(lengths)))
    rows = [[draw() for _ in range(references)] for _ in range(segments)]
    runs = []
    for _ in range(3):
        cut = [generator.randint(0, edits) for _ in rows]
        runs.append([row[0][2 * size :] for row, size in zip(rows, cut)])
    return runs, rows


# The runs, and whether their tables in a list are told from parts of a test set.
REPEATED_PARTS = {
    "lengths that vary": (make_varied_runs(12), True),
    "few segments": (make_varied_runs(6), False),
    "short answers": (make_varied_runs(40, lengths=[1, 2]), True),
    "a few short answers": (make_varied_runs(20, lengths=[1, 2]), False),
    "one length": (make_varied_runs(30, lengths=[8]), True),
    "one length, few segments": (make_varied_runs(29, lengths=[8]), False),
    "several references, of which the closest counts": (
        make_varied_runs(100, references=3, edits=3), True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("made", "is_told"), REPEATED_PARTS.values(), ids=REPEATED_PARTS)
def test_tables_of_runs_in_a_list_are_not_parts_of_a_test_set(bleu, students_t, made, is_told):
    """Added up as one test set, runs would count as new segments, and p would be far too low."""
    runs, references = made
    tables = [bleu.statistics(predictions=texts, references=references) for texts in runs]
    by_name = {"A": {"seed 1": tables[0], "seed 2": tables[1]}, "B": tables[2]}
    for call in (METHODS_OF_RUNS["compare"], METHODS_OF_RUNS["rank"]):
        for parts in (tables[:2], tuple(tables[:2]), [tables[0], tables[1][:0], tables[1]]):
            systems = {"A": parts, "B": list(reversed(parts))}
            if not is_told:
                assert call(bleu, systems)
                continue
            with pytest.raises(TypeError) as raised:
                call(bleu, systems)
            assert str(raised.value) == (
                f"System 'A': statistics[0] and statistics[{len(parts) - 1}] have the same"
                " reference lengths, row by row, so they look like two runs, not like two parts of"
                f" a test set. Pass one run per system; compare() takes several {RUNS_BY_NAME}"
                " If they are parts, pass pa.concat_tables(tables)."
            )
    joined = {name: pa.concat_tables(tables[:2]) for name in "AB"}
    assert bleu.compare(joined, n_resamples=9)["systems"]["B"]["p_value"] == 1
    assert bleu.compare(by_name, n_resamples=100)["test"] == "runs"


# Test sets in two parts of equal size, which are not runs.
PARTS = {
    "lengths that vary": lambda: make_varied_runs(80),
    "short answers": lambda: make_varied_runs(80, lengths=[1, 2]),
    "one length": lambda: make_varied_runs(40, lengths=[8]),
    "several references": lambda: make_varied_runs(200, references=3, edits=3),
    "sorted by length": lambda: make_sorted_runs(400),
}


def make_sorted_runs(segments):
    """Return runs on a test set that two processes have shared: every second row is of one of them.

    The rows are sorted by length, so both parts have nearly the same lengths in the same order.
    """
    runs, references = make_varied_runs(segments)
    order = sorted(range(segments), key=lambda row: len(references[row][0].split()))
    interleaved = [*order[::2], *order[1::2]]
    pick = lambda rows: [rows[row] for row in interleaved]
    return [pick(texts) for texts in runs], pick(references)


@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS)
def test_parts_of_a_test_set_are_not_taken_for_runs(bleu, make):
    runs, references = make()
    half = len(references) // 2
    parts = {
        name: read_parts(bleu, texts, references, [half, half]) for name, texts in zip("AB", runs)
    }
    whole = {
        name: bleu.statistics(predictions=texts, references=references)
        for name, texts in zip("AB", runs)
    }
    assert bleu.compare(parts, n_resamples=9) == bleu.compare(whole, n_resamples=9)


@needs_wmt21
def test_parts_in_several_languages_are_not_taken_for_runs(bleu):
    """Translations of the same sentences have similar lengths; so have two translations of each."""
    names = ["en-cs.ref.A.cs", "en-cs.ref.B.cs", "en-de.ref.A.de", "en-de.ref.C.de"]
    texts = [read_lines(WMT21 / "references" / f"newstest2021.{name}") for name in names]
    parts = [bleu.statistics(predictions=lines, references=lines) for lines in texts]
    for pair in itertools.combinations(parts, 2):
        assert bleu.compare({"A": pair, "B": pair}, n_resamples=9)


@needs_wmt21
def test_runs_on_several_references_are_told(bleu):
    """The closest of three references is the same one for most segments of two systems."""
    systems, references = read_systems("en-de", "ACD")
    tables = [
        bleu.statistics(predictions=texts, references=references) for texts in systems.values()
    ]
    for pair in itertools.combinations(tables, 2):
        with pytest.raises(TypeError, match="look like two runs"):
            bleu.compare({"A": pair, "B": pair})


def test_a_list_of_runs_beside_a_single_table(bleu):
    """With few segments, only the sizes tell: each part has as many rows as the other system."""
    runs, references = make_varied_runs(5)
    first, second, third = (
        bleu.statistics(predictions=texts, references=references) for texts in runs
    )
    for systems in ({"A": third, "B": [first, second]}, {"B": [first, second], "A": third}):
        for call in (METHODS_OF_RUNS["compare"], METHODS_OF_RUNS["rank"]):
            with pytest.raises(TypeError) as raised:
                call(bleu, systems)
            assert str(raised.value) == (
                "System 'B': got 2 tables with as many rows each as the table of 'A', so they look"
                " like runs, not like parts of a test set. Pass one run per system; compare() takes"
                f" several {RUNS_BY_NAME}"
            )
    frames = {"A": third.to_pandas(), "B": [first.to_pandas(), second.to_pandas()]}
    with pytest.raises(TypeError, match="System 'B': got 2 tables with as many rows each"):
        bleu.compare(frames, like=first)
    with pytest.raises(ValueError, match="differ in their segments"):
        bleu.compare({"A": third, "B": [first, second[:3]]})


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


def test_a_missing_scipy_is_named_before_the_counting(bleu, monkeypatch):
    """The texts are not read, or the error would be about them."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(
        ImportError, match=r"Several training runs need scipy\. .*pip install scipy"
    ):
        bleu.compare({"A": ["a"], "B": {"seed 1": ["a"], "seed 2": [None]}}, ["a"])


@pytest.mark.parametrize("options", [{}, {"test": "bootstrap"}, {"by": [n % 2 for n in range(90)]}])
def test_one_run_each_adds_its_name_and_needs_no_scipy(bleu, monkeypatch, options):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    single = {name: {"seed 0": runs["seed 0"]} for name, runs in RUNS.items()}
    plain = {name: runs["seed 0"] for name, runs in RUNS.items()}
    named = bleu.compare(single, RUN_REFERENCES, n_resamples=50, **options)
    expected = bleu.compare(plain, RUN_REFERENCES, n_resamples=50, **options)
    for system in named["systems"].values():
        keys = ["bleu", "score", "macro_bleu"] if "by" in options else ["bleu", "score"]
        assert system.pop("runs") == {"seed 0": {key: system[key] for key in keys}}
    assert named == expected


def test_one_run_beside_several_stands_for_itself(bleu, students_t):
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


def test_equal_systems_have_a_p_value_of_1(bleu, students_t):
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
def test_degrees_of_freedom_are_not_below_those_of_the_runs(bleu, students_t, worse, runs, by):
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
            assert runs - 1 <= result["B"][f"{prefix}degrees_of_freedom"] < 60
        low, high = result["B"][f"{prefix}delta_interval"]
        assert -1 <= low <= delta <= high <= 1
    for system in result.values():
        low, high = system["confidence_interval"]
        assert 0 <= low <= system["bleu"] <= high <= 1


# Systems, references, and documents: every resample of the texts and every run has the same score.
WITHOUT_VARIANCE = {
    "copies of one output of equal segments": (
        {"A": {1: ["a b"] * 5, 2: ["a b"] * 5}, "B": {1: ["a c"] * 5, 2: ["a c"] * 5}},
        ["a b"] * 5,
        None,
    ),
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
    "no match, and perfect": (
        {"A": {1: ["x"] * 5, 2: ["x"] * 5}, "B": {1: ["a b"] * 5, 2: ["a b"] * 5}},
        ["a b"] * 5,
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("by", [False, True], ids=["corpus", "groups"])
@pytest.mark.parametrize(
    ("systems", "references", "documents"), WITHOUT_VARIANCE.values(), ids=WITHOUT_VARIANCE
)
def test_runs_without_variance_have_neither_p_nor_interval(bleu, students_t, systems, references, documents, by):  # fmt: skip
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
    assert not {"degrees_of_freedom", "macro_degrees_of_freedom", "detectable_delta"} & keys
    json.dumps(result, allow_nan=False)
    assert [one for one in warned if one.startswith("System 'B': neither the runs nor resamples")]
    noun = "documents" if documents else "segments"
    assert f"B: no interval or p, because neither runs nor {noun} vary" in str(result)


def test_equal_systems_without_variance_have_a_p_value_of_1(bleu, students_t):
    """Copies of one output on both sides are equal, whatever varies."""
    copies = {1: ["a b c d e"] * 4, 2: ["a b c d e"] * 4}
    result = bleu.compare({"A": copies, "B": copies}, ["a b c d f"] * 4)["systems"]["B"]
    assert (result["p_value"], result["delta"], result["delta_interval"]) == (1.0, 0.0, [0.0, 0.0])


def test_runs_of_one_segment_have_no_p_value(bleu, students_t):
    systems = {"A": {1: ["a b c d"], 2: ["a b c e"]}, "B": {1: ["a b c d"], 2: ["a b c d"]}}
    result, warned = record_warnings(lambda: bleu.compare(systems, ["a b c d"], by=["x"]))
    assert set(result["systems"]["B"]) == {
        "bleu", "score", "runs", "run_standard_deviation", "delta", "wins", "ties", "losses",
        "groups", "macro_bleu", "macro_delta",
    }  # fmt: skip
    assert "nrefs:1|runs:2|case" in result["signature"]
    assert [one for one in warned if one.startswith("One segment has no interval and no p-value")]


def test_runs_without_intervals(bleu, students_t):
    result = bleu.compare(RUNS, RUN_REFERENCES, confidence=None)
    assert set(result["systems"]["base"]) == {"bleu", "score", "runs", "run_standard_deviation"}
    assert set(result["systems"]["new"]) - set(result["systems"]["base"]) == {
        "delta", "p_value", "degrees_of_freedom", "wins", "ties", "losses",
    }  # fmt: skip
    expected = bleu.compare(RUNS, RUN_REFERENCES)["systems"]["new"]["p_value"]
    assert result["systems"]["new"]["p_value"] == expected


def test_wins_ties_and_losses_are_of_mean_segment_scores(bleu, students_t):
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


def test_the_baseline_of_runs(bleu, students_t):
    forward = bleu.compare(RUNS, RUN_REFERENCES)["systems"]
    backward = bleu.compare(RUNS, RUN_REFERENCES, baseline="new")
    assert list(backward["systems"]) == ["base", "new"]
    base = backward["systems"]["base"]
    assert base["delta"] == -forward["new"]["delta"]
    assert base["p_value"] == pytest.approx(forward["new"]["p_value"], rel=1e-9)
    assert "delta" not in backward["systems"]["new"]


def test_people_agree_on_the_difference_of_means(bleu, students_t):
    new = bleu.compare(RUNS, RUN_REFERENCES, human=True)["systems"]["new"]
    assert new["human_accuracy"] == estimate_human_accuracy(new["delta"])


def test_the_signature_of_runs(bleu, load, students_t):
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


def test_few_resamples_of_runs(bleu, students_t):
    message = (
        "n_resamples=99: too few for the standard errors of training runs. Pass n_resamples=100"
    )
    for n_resamples, is_warned in ((99, True), (100, False)):
        _, warned = record_warnings(
            lambda n=n_resamples: bleu.compare(RUNS, RUN_REFERENCES, n_resamples=n)
        )
        assert any(one.startswith(message) for one in warned) is is_warned


def test_a_run_of_score_0_is_named(bleu, students_t):
    systems = {"base": RUNS["base"], "new": {**RUNS["new"], "seed 2": ["x"] * 90}}
    _, warned = record_warnings(lambda: bleu.compare(systems, RUN_REFERENCES))
    assert [one for one in warned if one.startswith("The score of 'new', run 'seed 2'")]


def test_a_system_called_like_a_run(bleu, students_t):
    """Names of any kind do not collide with the pair of a system and its run."""
    systems = {"t5": {3: RUNS["base"]["seed 0"], 4: RUNS["base"]["seed 1"]}}
    systems["t5", 3] = RUNS["new"]["seed 0"]
    result = bleu.compare(systems, RUN_REFERENCES)["systems"]
    assert list(result) == ["t5", "('t5', 3)"]
    assert list(result["t5"]["runs"]) == [3, 4]


def test_runs_in_every_format(bleu, students_t):
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
    assert "\nruns, 1,000 resamples; nrefs:1|bs:1000|" in str(comparison)
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
def test_two_runs_say_why_intervals_are_wide(bleu, students_t, count, size, options, is_said):
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
def test_a_single_run_warns_where_there_is_a_test(bleu, students_t, size, options, is_said):
    systems = {"base": RUNS["base"]["seed 0"][:size], "new": {}}
    for name, texts in RUNS["new"].items():
        systems["new"][name] = texts[:size]
    _, warned = record_warnings(lambda: bleu.compare(systems, RUN_REFERENCES[:size], **options))
    assert any("with a single run beside" in one for one in warned) is is_said
