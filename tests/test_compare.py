"""Intervals and tests: sacreBLEU's PairedTest asked live, on real systems where they are at hand."""

import json
import random

import pytest
import random_text
from bleu.bleu_compare import Comparison
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from wmt21 import WMT21, read_lines

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made_up(segments):
    """Four systems, some of them alike, and two references a segment."""
    generator = random.Random(segments)
    pieces = [random_text.segment(generator)[:40] or ["a "] for _ in range(segments)]
    text = lambda rows: ["".join(row) for row in rows]  # noqa: E731
    systems = {name: text(random_text.edited(row, generator) for row in pieces) for name in ("A", "B", "C")}
    systems["nearly B"] = [systems["A"][0], *systems["B"][1:]]
    return systems, [
        list(pair) for pair in zip(text(pieces), text(random_text.edited(row, generator) for row in pieces))
    ]


def real(pair, names):
    target = pair.split("-")[1]
    references = [read_lines(WMT21 / "references" / f"newstest2021.{pair}.ref.{name}.{target}") for name in names]
    outputs = sorted((WMT21 / "system-outputs").glob(f"newstest2021.{pair}.hyp.*.{target}"))[:5]
    return {path.name: read_lines(path) for path in outputs}, list(zip(*references))


CORPORA = {"made up 1": lambda: made_up(1), "made up 33": lambda: made_up(33), "made up 400": lambda: made_up(400)}


if WMT21.is_dir():
    CORPORA |= {
        "de-en": lambda: real("de-en", "AB"),
        "en-de": lambda: real("en-de", "A"),
        "cs-en": lambda: real("cs-en", "AB"),
    }


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
@pytest.mark.parametrize(("test", "short", "n_resamples"), [("bootstrap", "bs", 1000), ("randomization", "ar", 2000)])
def test_sacrebleus_p_values_and_intervals(bleu, corpus, test, short, n_resamples):
    """p-values to the last digit; half the interval's width and the mean but for sacreBLEU's float32."""
    systems, references = corpus()
    ours = bleu.compare(systems, references, test=test, n_resamples=n_resamples)
    streams = list(zip(*references))
    asked = {"test_type": short, "n_samples": n_resamples, "n_ar_confidence": 0}
    signatures, theirs = PairedTest(list(systems.items()), {"BLEU": BLEU()}, streams, **asked)()
    assert list(ours["systems"]) == list(systems)
    for system, result in zip(ours["systems"].values(), theirs["BLEU"]):
        low, high = system["confidence_interval"]
        assert system["score"] == pytest.approx(result.score, abs=1e-9)
        assert 100 * (high - low) / 2 == pytest.approx(result.ci, abs=1e-5)
        assert 100 * system["bootstrap_mean"] == pytest.approx(result.mean, abs=1e-5)
        assert system.get("p_value") == result.p_value
    without_version = lambda signature: str(signature).rpartition("|")[0]  # noqa: E731
    assert without_version(ours["signature"]) == without_version(signatures["BLEU"])


def test_what_compare_returns(bleu):
    systems, references = made_up(50)
    result = bleu.compare(systems, references, baseline="B", n_resamples=100, seed=0, tokenize="char")
    assert (result["baseline"], result["test"], result["n_resamples"], result["seed"]) == ("B", "bootstrap", 100, 0)
    assert set(result["systems"]["B"]) == {"bleu", "score", "confidence_interval", "bootstrap_mean"}
    assert set(result["systems"]["A"]) == {*result["systems"]["B"], "delta", "p_value"}
    for name, system in result["systems"].items():
        expected = bleu.compute(
            predictions=systems[name], references=references, tokenize="char", confidence=0.95, n_resamples=100, seed=0
        )
        assert {key: expected[key] for key in result["systems"]["B"]} == {
            key: system[key] for key in result["systems"]["B"]
        }
    assert result["systems"]["A"]["delta"] == result["systems"]["A"]["bleu"] - result["systems"]["B"]["bleu"]
    assert "|bs:100|seed:0|case:mixed|eff:no|tok:char|" in result["signature"]
    assert json.loads(json.dumps(result)) == result


def test_no_intervals_and_defaults_from_load(load):
    systems, references = made_up(20)
    result = load(seed=3, tokenize="char").compare(systems, references, confidence=None, n_resamples=10)
    assert set(result["systems"]["A"]) == {"bleu", "score"}
    assert result["seed"] == 3
    assert load(seed=3).compare(systems, references, n_resamples=10, seed=4)["seed"] == 4


def test_a_system_beside_itself(bleu):
    """sacreBLEU counts differences larger than the observed one, and no 0 is larger than 0: the smallest p there is."""
    systems, references = made_up(30)
    for test in ("bootstrap", "randomization"):
        result = bleu.compare({"A": systems["A"], "again": systems["A"]}, references, test=test, n_resamples=99)
        assert result["systems"]["again"]["delta"] == 0
        assert result["systems"]["again"]["p_value"] == 1 / 100


SYSTEM = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6], "bootstrap_mean": 0.5}


PRINTED = Comparison(
    baseline="base|line",
    systems={"base|line": SYSTEM, "50%_off": {**SYSTEM, "delta": -0.0123, "p_value": 0.000999}},
    test="bootstrap", n_resamples=1000, seed=1, signature="nrefs:1",
)  # fmt: skip


def test_printed():
    assert str(PRINTED).splitlines() == [
        "system                 BLEU      interval  difference       p",
        "base|line (baseline)  50.00  40.00, 60.00",
        "50%_off               50.00  40.00, 60.00       -1.23  0.0010",
        "",
        "bootstrap, 1,000 resamples; nrefs:1",
    ]


def test_markdown_and_latex():
    assert PRINTED.to_markdown().splitlines()[2] == r"| base\|line (baseline) | 50.00 | 40.00, 60.00 |  |  |"
    assert r"50\%\_off & 50.00 & 40.00, 60.00 & -1.23 & 0.0010 \\" in PRINTED.to_latex().splitlines()


WRONG = [
    ({"A": ["a"]}, {}, ValueError, "systems: found 1. Give two or more"),
    ([("A", ["a"]), ("B", ["b"])], {}, TypeError, "systems: found list. Give a dict"),
    ({"A": ["a"], "B": ["b"]}, {"baseline": "C"}, ValueError, "baseline='C': choose one of 'A', 'B'"),
    ({"A": ["a"], "B": ["b"]}, {"test": "t"}, ValueError, "test='t': choose one of 'bootstrap', 'randomization'"),
    ({"A": ["a"], "B": ["b", "c"]}, {}, ValueError, "System 'B': There are 2 predictions and 1 references"),
    ({"A": ["a"], "B": [None]}, {}, ValueError, "System 'B': predictions, row 0: found None"),
    ({"A": ["a"], "B": [1]}, {}, TypeError, "System 'B': predictions, row 0: found int"),
    ({"A": ["a"], "B": ["b"]}, {"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"A": ["a"], "B": ["b"]}, {"trials": 5}, TypeError, "no option `trials`"),
    ({"A": ["a"], "B": [["b"]]}, {}, TypeError, "System 'B': references, row 0: found a list of str"),
]


@pytest.mark.parametrize(("systems", "options", "error", "message"), WRONG)
def test_what_cant_be_compared(bleu, systems, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compare(systems, [["a"]], **options)


def test_references_may_come_as_a_generator(bleu):
    systems, references = made_up(10)
    assert bleu.compare(systems, (row for row in references), n_resamples=5) == bleu.compare(
        systems, references, n_resamples=5
    )
