"""`compare`: sacreBLEU's PairedTest asked live, on synthetic text and on WMT21's systems if available."""

import json
import random
import re
import statistics
from collections import Counter
from html import escape

import numpy as np
import pytest
import sacrebleu.significance
from bleu.bleu_compare import Comparison
from helpers import WMT21, edit_pieces, random_pieces, read_lines, record_warnings
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def make_systems(segments):
    """Return four systems, two of which differ in one segment, and two references per segment."""
    generator = random.Random(segments)
    pieces = [random_pieces(generator)[:40] or ["a "] for _ in range(segments)]
    text = lambda rows: ["".join(row) for row in rows]  # noqa: E731
    systems = {name: text(edit_pieces(row, generator) for row in pieces) for name in ("A", "B", "C")}
    systems["nearly A"] = [*systems["A"][:-1], systems["B"][-1] + " other words"]
    return systems, list(zip(text(pieces), text(edit_pieces(row, generator) for row in pieces)))


def read_systems(pair, names):
    target = pair.split("-")[1]
    references = [read_lines(WMT21 / "references" / f"newstest2021.{pair}.ref.{name}.{target}") for name in names]
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
    signatures, theirs = PairedTest(list(systems.items()), {"BLEU": BLEU()}, list(zip(*references)), **asked)()
    assert list(ours["systems"]) == list(systems)
    for system, result in zip(ours["systems"].values(), theirs["BLEU"]):
        low, high = system["confidence_interval"]
        assert system["score"] == pytest.approx(result.score, abs=1e-9)
        assert 100 * (high - low) / 2 == pytest.approx(result.ci, abs=1e-5)
        assert 100 * system["bootstrap_mean"] == pytest.approx(result.mean, abs=1e-5)
    without_version = lambda signature: str(signature).rpartition("|")[0]  # noqa: E731
    assert without_version(ours["signature"]) == without_version(signatures["BLEU"])


def test_result(bleu):
    systems, references = make_systems(50)
    result = bleu.compare(systems, references, baseline="B", n_resamples=100, seed=0, tokenize="char")
    assert (result["baseline"], result["test"], result["n_resamples"], result["seed"]) == ("B", "randomization", 100, 0)
    assert set(result["systems"]["B"]) == {
        "bleu", "score", "confidence_interval", "bootstrap_mean", "standard_error",
    }  # fmt: skip
    for name, system in result["systems"].items():
        expected = bleu.compute(
            predictions=systems[name], references=references, tokenize="char", confidence=0.95, seed=0
        )
        assert {key: expected[key] for key in result["systems"]["B"]} == {
            key: system[key] for key in result["systems"]["B"]
        }
    assert result["systems"]["A"]["delta"] == result["systems"]["A"]["bleu"] - result["systems"]["B"]["bleu"]
    assert "|bs:1000|ar:100|seed:0|case:mixed|eff:no|tok:char|" in result["signature"]
    bootstrap = bleu.compare(systems, references, test="bootstrap", n_resamples=100, seed=0)
    assert "|bs:100|ci:1000|seed:0|" in bootstrap["signature"]
    assert json.loads(json.dumps(result)) == result


def test_no_intervals_and_defaults_from_load(load):
    systems, references = make_systems(20)
    result = load(seed=3, tokenize="char").compare(systems, references, confidence=None, n_resamples=10)
    assert set(result["systems"]["A"]) == {"bleu", "score"}
    assert set(result["systems"]["B"]) == {"bleu", "score", "delta", "p_value", "wins", "ties", "losses"}
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
    assert r"50\%\_off & 50.00 & 40.00, 60.00 & -1.23 & -2.00, +0.50 & 0.0010 & 3 & 1 & 2,000 \\" in latex


WRONG = [
    ({"A": ["a"]}, {}, ValueError, "systems: expected two or more systems, got 1"),
    ([("A", ["a"]), ("B", ["b"])], {}, TypeError, "systems: expected a dict .*got list"),
    ({"A": ["a"], "B": ["b"]}, {"baseline": "C"}, ValueError, "baseline='C': pass one of 'A', 'B'"),
    ({"A": ["a"], "B": ["b"]}, {"baseline": ["A"]}, ValueError, r"baseline=\['A'\]: pass one of 'A', 'B'"),
    (
        {"A": ["a"], "B": ["b"]},
        {"test": ["bootstrap"]},
        ValueError,
        r"test=\['bootstrap'\]: pass one of 'bootstrap', '",
    ),
    ({"A": ["a"], "B": ["b"]}, {"test": "t"}, ValueError, "test='t': pass one of 'bootstrap', 'randomization'"),
    ({"A": ["a"], "B": ["b", "c"]}, {}, ValueError, "System 'B': Got 2 predictions and 1 reference"),
    ({"A": ["a"], "B": [None]}, {}, ValueError, r"System 'B': predictions\[0\]: .*got None"),
    ({"A": ["a"], "B": [1]}, {}, TypeError, r"System 'B': predictions\[0\]: .*got int"),
    ({"A": ["a"], "B": ["b"]}, {"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"A": ["a"], "B": ["b"]}, {"trials": 5}, TypeError, "Unknown option `trials`"),
    ({"A": ["a"], "B": [["b"]]}, {}, TypeError, r"System 'B': predictions\[0\]: .*got a list of one str"),
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
    return PairedTest(list(systems.items()), {"BLEU": BLEU()}, list(zip(*references)), **asked)()[1]["BLEU"]


@pytest.mark.parametrize("corpus", [pytest.param(make, id=name, marks=[] if "synthetic" in name else pytest.mark.slow) for name, make in CORPORA.items()])  # fmt: skip
@pytest.mark.parametrize(("test", "n_resamples"), [("bootstrap", 1000), ("randomization", 2000)])
def test_p_values_of_sacrebleu_with_ties_for_the_null_hypothesis(bleu, monkeypatch, corpus, test, n_resamples):
    """p = (resamples at least as extreme + 1) / (n + 1), to the last digit; sacreBLEU's own value without ties.

    sacreBLEU's p of the bootstrap test has a key of its own.

    sacreBLEU 2.6 counts resamples that are more extreme. The test replaces its `_compute_p_value`, so that equal
    resamples count too; 1e-9 points are the noise of floating point.
    """
    systems, references = corpus()
    own = sacrebleus(systems, references, test, n_resamples)
    ties = []

    def at_least_as_extreme(differences, observed):
        ties.append(int((np.abs(differences - observed) <= 1e-9).sum()))
        return (int((differences >= observed - 1e-9).sum()) + 1) / (len(differences) + 1)

    monkeypatch.setattr(sacrebleu.significance, "_compute_p_value", at_least_as_extreme)
    valid = sacrebleus(systems, references, test, n_resamples)
    ours = bleu.compare(systems, references, test=test, n_resamples=n_resamples)
    key = {"bootstrap": "p_value_sacrebleu", "randomization": "p_value"}[test]
    for name, expected, theirs, tied in zip(list(systems)[1:], valid[1:], own[1:], ties):
        assert ours["systems"][name][key] == expected.p_value, name
        if not tied:
            assert ours["systems"][name][key] == theirs.p_value, name


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
    scores = {name: [bleu.score(table[draw].sum(axis=0))["bleu"] for draw in draws] for name, table in rows.items()}
    ours = bleu.compare(systems, references, test="bootstrap", n_resamples=200)["systems"]
    for name in list(systems)[1:]:
        differences = np.subtract(scores[name], scores["A"])
        extreme = np.abs(differences - differences.mean()) >= abs(ours[name]["delta"]) - 1e-11
        assert ours[name]["p_value"] == (extreme.sum() + 1) / 201


@pytest.mark.slow
def test_rates_of_false_alarms(bleu):
    """Systems exchanged at random per segment are equally good: p < 0.05 in 5 % of test sets, sacreBLEU's p in more.

    The upper limit is three standard errors above 5 %.
    """
    systems, references = make_systems(400)
    generator, runs, alarms = random.Random(0), 300, Counter()
    for seed in range(runs):
        drawn = generator.choices(range(400), k=60)
        pairs = [generator.sample([systems["A"][i], systems["B"][i]], 2) for i in drawn]
        test_set = dict(zip("AB", map(list, zip(*pairs))))
        for test in TESTS:
            options = {"test": test, "n_resamples": 500, "confidence": None, "seed": seed}
            system = bleu.compare(test_set, [references[i] for i in drawn], **options)["systems"]["B"]
            alarms.update({(test, key): value < 0.05 for key, value in system.items() if key.startswith("p_value")})
    limit = runs * 0.05 + 3 * (runs * 0.05 * 0.95) ** 0.5
    assert alarms["randomization", "p_value"] <= limit
    assert alarms["bootstrap", "p_value"] <= limit
    assert alarms["bootstrap", "p_value_sacrebleu"] > 0.08 * runs


def test_one_segment_has_no_p_value_and_no_interval(bleu):
    """Each resample of one segment is the same corpus, so that any difference would look certain."""
    result, messages = record_warnings(lambda: bleu.compare({"A": ["a b c d"], "B": ["a b c e"]}, ["a b c d"]))
    assert set(result["systems"]["B"]) == {"bleu", "score", "delta", "wins", "ties", "losses"}
    assert [message for message in messages if message.startswith("One segment has no interval and no p-value")]
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
        assert any(f"of {segments} segments are unreliable" in message for message in messages) == is_small


# Systems of equal score. With 7 words, p1·p2 = 6/7·1/6 = 3/7·2/6, equal but for the last bit.
EQUAL = {
    "exact copies": (SYSTEMS["A"], SYSTEMS["A"], REFERENCES, {}),
    "other texts with the same counts": (["a b", "c d"], ["b a", "d c"], [["a"], ["c"]], {"max_order": 2}),
    "equal but for floating point": (["a b x c d e f"] * 8, ["a b c x y z w"] * 8, [["a b c", "d", "e", "f"]] * 8, {"max_order": 2}),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second", "references", "options"), EQUAL.values(), ids=EQUAL)
@pytest.mark.parametrize("test", TESTS)
def test_systems_of_equal_score_have_a_p_value_of_1(bleu, first, second, references, options, test):
    result = bleu.compare({"A": first, "B": second}, references, test=test, n_resamples=99, **options)
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
        result = bleu.compare(SYSTEMS, REFERENCES, test=test, n_resamples=n_resamples, confidence=confidence)
        for name, system in result["systems"].items():
            expected = bleu.compute(predictions=SYSTEMS[name], references=REFERENCES, confidence=confidence)
            assert {key: system[key] for key in keys} == {key: expected[key] for key in keys}, (test, n_resamples, name)


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
            [np.asarray(column) for column in bleu.statistics(predictions=texts, references=references).columns], 1
        )
        for texts in (first, second)
    ]
    draws = np.random.default_rng(seed).integers(len(references), size=(n_resamples, len(references)))
    scores = [[bleu.score(each[drawn].sum(axis=0), confidence=None)["bleu"] for drawn in draws] for each in rows]
    return np.subtract(scores[1], scores[0])


@pytest.mark.parametrize("test", TESTS)
def test_the_interval_of_a_difference_and_the_detectable_difference(load, test):
    """Both come from the paired bootstrap, with the number of resamples chosen at load, under either test.

    The minimum detectable effect: with 80 % power at the level of 5 %, z(0.975) + z(0.8) = 2.80 standard errors of the
    paired differences (Card et al., 2020).
    """
    bleu = load(n_resamples=200, seed=3)
    differences = paired_differences(bleu, SYSTEMS["A"], SYSTEMS["C"], REFERENCES, 200, seed=3)
    result = bleu.compare({name: SYSTEMS[name] for name in "AC"}, REFERENCES, test=test)["systems"]["C"]
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
    often = bleu.compare({name: texts * 4 for name, texts in two.items()}, references * 4)["systems"]["B"]
    assert often["detectable_delta"] == pytest.approx(once["detectable_delta"] / 2, rel=0.1)


@pytest.mark.parametrize("test", TESTS)
def test_a_copy_neither_wins_nor_loses(bleu, test):
    copy = bleu.compare({"A": SYSTEMS["A"], "copy": SYSTEMS["A"]}, REFERENCES, test=test, n_resamples=20)["systems"][
        "copy"
    ]
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
    """Names need not be strings (a training step, for example), and every format prints them."""
    result = bleu.compare(dict(zip(names, [SYSTEMS["A"], SYSTEMS["B"]])), REFERENCES, n_resamples=5)
    printed = str(result) if form == "str" else getattr(result, form)()
    written = [escape(str(name)) if form == "to_html" else str(name) for name in names]
    assert all(name in printed for name in written)
    assert list(result["systems"]) == list(names)


def test_segments_are_returned_or_rejected(bleu):
    """`segments` is never ignored: `compare` returns segment scores, or raises an error that names the option."""
    try:
        result = bleu.compare(SYSTEMS, REFERENCES, n_resamples=5, segments=True)
    except (TypeError, ValueError) as error:
        assert "segments" in str(error)  # noqa: PT017
    else:
        assert all(len(system["segment_bleu"]) == len(REFERENCES) for system in result["systems"].values())


def test_numbers_as_names_in_every_format(bleu):
    """Checkpoints are often named by their step."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    comparison = bleu.compare({1000: SYSTEMS["A"], 2000: SYSTEMS["B"]}, REFERENCES, n_resamples=5)
    ax = comparison.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1000 (baseline)", "2000"]
    matplotlib.pyplot.close(ax.figure)
    for written in (str(comparison), comparison.to_latex(), comparison.to_html(), comparison.to_markdown()):
        assert "1000 (baseline)" in written
        assert "2000" in written
    assert comparison.to_pandas()["system"].tolist() == [1000, 2000]


def test_a_failing_tokenizer_names_its_system(bleu):
    def tokenize(text):
        return [{"dog": 1}[word] and word for word in text.split()]

    fine, systems = ["dog"] * 3, {"A": ["dog"] * 3, "B": ["dog", "dog", "cat"]}
    with pytest.raises(ValueError, match=r"^System 'B': predictions\[2\]: the tokenizer failed: KeyError: 'cat'"):
        bleu.compare(systems, fine, tokenize=tokenize)
    with pytest.raises(ValueError, match=r"^System 'second': predictions\[2\]: the tokenizer failed: KeyError: 'cat'"):
        bleu.diff(*systems.values(), fine, tokenize=tokenize)


def test_one_warning_of_each_kind(bleu):
    """Three systems that each look tokenized and are written without spaces."""
    rows = 120
    systems = {name: ["我们 去 学校 ."] * rows for name in "ABC"}
    _, messages = record_warnings(lambda: bleu.compare(systems, ["x"] * rows, n_resamples=5))
    kinds = ["detached period", "without spaces", "is 0"]
    assert [sum(kind in message for message in messages) for kind in kinds] == [1, 1, 1]


@pytest.mark.parametrize(
    ("predictions", "options"),
    [(["x"] * 40, {}), ([""] * 40, {}), (["a b"] * 40, {"smooth_method": "none"}), (["a b"] * 40, {})],
)
def test_a_score_of_0_is_explained_as_in_compute(bleu, predictions, options):
    references = ["a b c d e"] * 40
    _, computed = record_warnings(lambda: bleu.compute(predictions=predictions, references=references, **options))
    systems = {"fine": references, "zero": predictions}
    _, compared = record_warnings(lambda: bleu.compare(systems, references, n_resamples=5, **options))
    assert [message for message in compared if "is 0" in message] == [
        message.replace("The score is 0", "The score of 'zero' is 0") for message in computed if "is 0" in message
    ]
