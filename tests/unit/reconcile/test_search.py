"""`reconcile` finds the setting of a reported score, or explains those of conventions; both agree with `compute`."""

import itertools
import json
import random
import re
import statistics
import sys

import numpy as np
import pytest
import sacrebleu
from bleu.bleu_core.options.options import CONVENTIONS, Options
from bleu.bleu_core.reconcile.calls import TUTORIAL_WEIGHTS, Setting
from bleu.bleu_core.reconcile.search import count_chance
from bleu.bleu_core.reconcile.settings import FACTORS, Scorer, simplify
from bleu.bleu_core.rules.smoothing import SMOOTH_METHODS
from bleu.bleu_core.text.read import read_corpus
from conftest import HAS_NUMBA, needs_wmt21
from helpers import WMT21, examples, further, random_captions, read_published, read_system
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
PREDICTIONS, REFERENCES = random_captions(seed=31, count=60)
PREDICTIONS = [
    text.upper() if i % 3 == 0 else text for i, text in enumerate(PREDICTIONS)
]  # so that case matters
REFERENCES = [[*row, row[0][: len(row[0]) // 2]][:2] for row in REFERENCES]
WRITTEN_AS_ORDERS = ([1, 0, 0, 0], [0.5, 0.5, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0])
SHORT = st.text("abcde", max_size=7).map(" ".join)  # few different words, so that some orders match


def compute_setting(bleu, predictions, references, setting):
    """Return the score of the options of a setting that `reconcile` found, from 0 to 1."""
    if setting["swapped"]:
        texts = [row if isinstance(row, str) else row[0] for row in references]
        predictions, references = texts, predictions
    chosen_references = references
    if setting["references"] != "all":
        chosen_references = [[row[setting["references"]]] for row in references]
    result = bleu.compute(
        predictions=predictions, references=chosen_references, **setting["options"]
    )
    return result["mean_segment_bleu" if setting["options"].get("segments") else "bleu"]


def chosen(references, which):
    return references if which == "all" else [[row[which]] for row in references]


@settings(max_examples=examples(10))
@given(
    setting=st.tuples(*(st.sampled_from(values) for values in FACTORS.values())),
    which=st.sampled_from(["all", 0, 1]),
)
def test_any_setting_is_found_from_its_score(load, setting, which):
    """From a score with all its digits: every match computes to it, and the setting that made it is a match."""
    bleu, options = load(), dict(list(zip(FACTORS, setting))[1:])
    made = bleu.compute(predictions=PREDICTIONS, references=chosen(REFERENCES, which), **options)
    found = bleu.reconcile(PREDICTIONS, REFERENCES, made["score"])
    for match in found["matches"]:
        again = bleu.compute(
            predictions=PREDICTIONS,
            references=chosen(REFERENCES, match["references"]),
            **match["options"],
        )
        assert again["score"] == pytest.approx(made["score"], abs=1e-9)
        assert (again["bleu"], again["signature"]) == (
            pytest.approx(match["bleu"], abs=1e-15),
            match["signature"],
        )
        for factor, values in match["same_score"].items():
            for value in values:
                other = {**match["options"], **({factor: value} if factor != "references" else {})}
                which_ones = chosen(
                    REFERENCES, value if factor == "references" else match["references"]
                )
                assert bleu.compute(predictions=PREDICTIONS, references=which_ones, **other)[
                    "bleu"
                ] == pytest.approx(match["bleu"], abs=1e-12)
    assert found["matches"]
    assert found["nearest"] == []


@pytest.fixture(scope="module")
def scores_of_settings(load):
    """Return the scores of all tokenizers and smoothing methods, for words and for all orders."""
    bleu = load()
    texts = {"predictions": PREDICTIONS, "references": REFERENCES}
    scores = []
    for tokenize, smooth_method, order in itertools.product(
        FACTORS["tokenize"], FACTORS["smooth_method"], (1, 4)
    ):
        options = {"tokenize": tokenize, "smooth_method": smooth_method, "max_order": order}
        scores.append(bleu.compute(**texts, **options)["score"])
    return scores


@pytest.mark.parametrize(
    ("reported", "decimals", "scale", "known"),
    [
        ("0.31", None, 1, 2),
        (0.31, None, 1, 2),
        (31, None, 100, 0),
        ("31.0", None, 100, 1),
        ("31.00", 1, 100, 1),
        (31.25, 2, 100, 2),
    ],
)
def test_scales_and_decimals(bleu, scores_of_settings, reported, decimals, scale, known):
    """Matches round to the number on its scale, and no setting that rounds to it is missing."""
    found = bleu.reconcile(PREDICTIONS, REFERENCES, reported, decimals=decimals)
    assert (found["scale"], found["decimals"], found["reported"]) == (scale, known, reported)
    near = 0.5 * 10.0**-known * 100 / scale + 1e-9
    number = float(reported) * 100 / scale
    assert all(abs(match["score"] - number) <= near for match in found["matches"])
    assert all(
        100 * match["delta"] == pytest.approx(match["score"] - number, abs=1e-9)
        for match in found["matches"]
    )
    for score in scores_of_settings:
        if abs(score - number) < near - 1e-6:
            assert any(
                match["score"] == pytest.approx(score, abs=1e-9) for match in found["matches"]
            )


def test_the_simplest_settings_come_first(bleu):
    found = bleu.reconcile(
        PREDICTIONS,
        REFERENCES,
        bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["score"],
    )
    assert found["matches"][0]["steps"] == []
    score = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["score"]
    many = bleu.reconcile(PREDICTIONS, REFERENCES, round(score), decimals=0)["matches"]
    assert len(many) > 5
    assert many[0]["steps"] == []
    assert_ordered(many[1:])


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("max_order", [1, 2, 3])
@pytest.mark.parametrize(
    "start", [{}, {"tokenize": "none"}, {"smooth_method": "add-k", "smooth_value": 2}]
)
def test_an_order_is_named_by_max_order_and_not_by_weights(load, start, max_order, segments):
    """NLTK's weights (1/2, 1/2, 0, 0) are bigrams at most: one setting, in its simpler words."""
    bleu = load(**start)
    texts = {"predictions": [f"the cat on {text}" for text in PREDICTIONS]}
    texts["references"] = [f"a cat on {row[0]}" for row in REFERENCES]
    result = bleu.compute(**texts, max_order=max_order, segments=segments)
    score = result["mean_segment_bleu" if segments else "bleu"]
    found = bleu.reconcile(**texts, reported=f"{score:.8f}")
    described = [*found["matches"], *found["nearest"]]
    assert not any(one["options"].get("weights") in WRITTEN_AS_ORDERS for one in described)
    if not segments:
        assert found["matches"][0]["options"]["max_order"] == max_order
        assert f"max_order={max_order}" in str(found)


def test_weights_that_were_chosen_stay_weights(bleu):
    texts = {"predictions": PREDICTIONS, "references": REFERENCES, "tokenize": "none"}
    weights = (0.5, 0.5, 0, 0)
    score = bleu.compute(**texts, weights=weights, minimum_total=1)["score"]
    match = bleu.reconcile(**texts, weights=weights, reported=f"{score:.8f}")["matches"][0]
    assert match["options"]["weights"] == [0.5, 0.5, 0, 0]


@given(
    method=st.sampled_from([*SMOOTH_METHODS]),
    rows=st.lists(st.tuples(SHORT, SHORT), min_size=1, max_size=3),
    weights=st.sampled_from([weights for weights in TUTORIAL_WEIGHTS if weights]),
)
def test_the_simpler_words_have_the_same_score(method, rows, weights):
    corpus = read_corpus(*map(list, zip(*rows)))
    setting = Setting.of_options(Options(smooth_method=method, weights=weights))
    for one in (setting, setting._replace(mean_of_segments=True)):
        simple = simplify(one)
        scorer = Scorer(corpus, {}, Options(), setting.max_order)
        scorer.add([one, simple])
        assert scorer.scores[simple] == pytest.approx(scorer.scores[one], abs=1e-12)


def assert_ordered(matches):
    """Usual settings come before calls, calls before rare settings, and of each kind the nearer ones first."""
    kinds = [match["kind"] for match in matches]
    assert kinds == sorted(kinds, key=["usual", "call", "rare"].index)
    for _, of_kind in itertools.groupby(matches, key=lambda match: match["kind"]):
        distances = [abs(match["delta"]) for match in of_kind]
        assert all(after >= before - 1e-4 for before, after in itertools.pairwise(distances))


@pytest.mark.parametrize(
    ("value", "says"), [(2, ""), (1, "NLTK's `corpus_bleu` given lists of words, with method2")]
)
def test_a_call_of_nltk_has_nltks_value_of_the_smoothing(load, value, says):
    bleu = load(smooth_method="add-k", smooth_value=value)
    predictions = ["the cat sat on a mat", "a dog ran here"]
    references = ["the cat sat on the mat", "that dog ran there"]
    score = bleu.compute(predictions=predictions, references=references, max_order=2)["score"]
    match = bleu.reconcile(predictions, references, f"{score:.6f}")["matches"][0]
    assert match["options"]["max_order"] == 2
    assert match["says"].partition(" and weights")[0] == says


def test_a_difference_that_rounds_to_0_has_no_minus(bleu):
    """The score is just below the number that is written with six decimals."""
    predictions = ["the cat sat on a mat", "a dog ran here"]
    references = ["the cat sat on the mat", "that dog ran there"]
    score = bleu.compute(predictions=predictions, references=references)["score"]
    found = bleu.reconcile(predictions, references, f"{score + 4e-7:.6f}")
    assert found["matches"][0]["delta"] < 0
    assert "+0.0000" in str(found)
    assert "-0.0000" not in str(found) + found.to_markdown() + found.to_latex()
    saved = bleu.reconcile(predictions, references)
    saved["hf"].update(delta=-1e-9, steps=[{"factor": "max_order", "value": 3, "delta": -1e-9}])
    assert "max_order=3 (+0.00)" in str(saved)
    assert "-0.00" not in str(saved)


def test_without_a_match_the_nearest_are_returned(bleu):
    """The five nearest settings are returned; the steps of each start from the object's options and add up."""
    found = bleu.reconcile(PREDICTIONS, REFERENCES, "99.99")
    assert (found["matches"], len(found["nearest"])) == ([], 5)
    start = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["bleu"]
    off = [abs(one["delta"]) for one in found["nearest"]]
    assert off == sorted(off)
    for one in found["nearest"]:
        assert start + sum(step["delta"] for step in one["steps"]) == pytest.approx(
            one["bleu"], abs=1e-12
        )
    first, second, *_ = str(found).splitlines()
    assert first.startswith(f"Usual settings give {100 * start:.2f} (your options), ")
    assert first.endswith(
        "not 99.99: compare the number, order and references of the texts first, then ask for more decimals,"
        " the signature or the precisions."
    )
    assert second == f"None of {found['settings']:,} settings gives 99.99."
    assert "| settings | BLEU | off by |\n" in found.to_markdown()  # and not if a miss is plausible


def test_options_of_the_call_are_fixed(bleu):
    """Options of the call are fixed, also options that are never searched."""
    options = {"tokenize": str.split, "effective_order": True, "max_order": 6}
    score = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, **options, lowercase=True)[
        "score"
    ]
    found = bleu.reconcile(PREDICTIONS, REFERENCES, score, **options)
    assert found["matches"][0]["options"] == {
        **options,
        "lowercase": True,
        "minimum_total": 0,
        "reference_length": "closest",
        "smooth_method": "exp",
    }
    assert found["matches"][0]["signature"].endswith(
        "order:6|version:" + found["matches"][0]["signature"].rpartition(":")[2]
    )


def test_a_smoothing_value_from_load_applies_to_its_method_only(load):
    bleu = load(smooth_method="floor", smooth_value=0.3)
    for options in ({}, {"smooth_method": "exp", "smooth_value": None}):
        score = bleu.compute(predictions=["a b c d x"], references=["a b c e f"], **options)[
            "score"
        ]
        match = bleu.reconcile(["a b c d x"], ["a b c e f"], score)["matches"][0]
        again = bleu.compute(
            predictions=["a b c d x"], references=["a b c e f"], **match["options"]
        )
        assert (again["score"], again["signature"]) == (
            pytest.approx(score, abs=1e-9),
            match["signature"],
        )


@pytest.mark.parametrize("method", SMOOTH_METHODS)
@settings(max_examples=examples(6))
@given(rows=st.lists(st.tuples(SHORT, SHORT), min_size=1, max_size=3), max_order=st.integers(1, 4))
@example(rows=[("a c b e d", "a b c d e")], max_order=4)
def test_the_options_of_every_setting_have_its_score(load, method, rows, max_order):
    """Holds under each smoothing method, also methods that look at the order beyond the last."""
    bleu, texts = (
        load(max_order=max_order),
        dict(zip(("predictions", "references"), map(list, zip(*rows)))),
    )
    for reported in (bleu.compute(**texts, smooth_method=method)["score"], "61.8034"):
        found = bleu.reconcile(**texts, reported=reported, smooth_method=method)
        for one in found["matches"] + found["nearest"]:
            no_option_gives_it = one["last_pair"] or one["call"]
            assert no_option_gives_it or compute_setting(
                bleu, **texts, setting=one
            ) == pytest.approx(one["bleu"], abs=1e-11), one


@pytest.mark.parametrize("ids", [False, True])
def test_tokens_and_ids(bleu, ids):
    """Options for tokens and ids contain no tokenizer, and options for ids no case."""
    predictions = [[1, 2, 3, 4, 5], [5, 6]] if ids else [["a", "b", "c", "d", "E"], ["e", "f"]]
    references = (
        [[[1, 2, 3, 4], [9, 5]], [[6, 5], [5, 6]]]
        if ids
        else [[["a", "b", "c", "d"], ["x", "e"]], [["F", "e"], ["e", "f"]]]
    )
    options = {} if ids else {"lowercase": True}
    score = bleu.compute(
        predictions=predictions, references=[[row[0]] for row in references], **options
    )["score"]
    match = bleu.reconcile(predictions, references, score)["matches"][0]
    assert match["references"] == 0
    again = bleu.compute(
        predictions=predictions, references=[[row[0]] for row in references], **match["options"]
    )
    assert again["score"] == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_conventions_are_their_scores_and_the_steps_add_up(load, bleu, name):
    found = bleu.reconcile(PREDICTIONS, REFERENCES)
    result = load(name).compute(predictions=PREDICTIONS, references=REFERENCES)
    assert (found[name]["bleu"], found[name]["signature"]) == (
        pytest.approx(result["bleu"], abs=1e-15),
        result["signature"],
    )
    assert found[name]["delta"] == pytest.approx(
        result["bleu"] - found["default"]["bleu"], abs=1e-12
    )
    assert sum(step["delta"] for step in found[name]["steps"]) == pytest.approx(
        found[name]["delta"], abs=1e-12
    )
    changed = {step["factor"]: step["value"] for step in found[name]["steps"]}
    assert changed == {
        key: value for key, value in CONVENTIONS[name].items() if value != getattr(Options(), key)
    }


def test_each_step_of_a_convention_is_one_factor(bleu):
    """The steps to hf are the shortest reference first, then no smoothing."""
    found = bleu.reconcile(PREDICTIONS, REFERENCES)["hf"]["steps"]
    scores = [
        bleu.compute(predictions=PREDICTIONS, references=REFERENCES, **options)["bleu"]
        for options in (
            {},
            {"reference_length": "shortest"},
            {"reference_length": "shortest", "smooth_method": "none"},
        )
    ]
    assert [step["delta"] for step in found] == pytest.approx(
        [b - a for a, b in itertools.pairwise(scores)], abs=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], ["a"], 100.1), {}, "reported=100.1: pass a score from 0 to 1 or from 0 to 100"),
        ((["a"], ["a"], -3), {}, "reported=-3: pass a score from 0 to 1 or from 0 to 100"),
        ((["a"], ["a"], "-0.5"), {}, "reported='-0.5': pass a score from 0 to 1 or from 0 to 100"),
        ((["a"], ["a"], float("nan")), {}, "reported=nan"),
        ((["a"], ["a"], "27,3,1"), {}, "reported='27,3,1': pass a number"),
        ((["a"], ["a"], True), {}, "reported=True: pass a number"),
        ((["a"], ["a"], 27.3), {"decimals": -1}, "decimals=-1: pass a whole number"),
        ((["a"], ["a"], 27.3), {"segments": True}, "`segments` is not an option of reconcile"),
        ((["a"], ["a", "b"], 27.3), {}, "1 prediction and 2 references"),
    ],
)
def test_errors(bleu, arguments, options, message):
    with pytest.raises(TypeError if options.get("segments") else ValueError, match=message):
        bleu.reconcile(*arguments, **options)


ABSENT = {
    "in the only row": (["a b c d e f"], [[None, "a b c d x y", "a b c q e f"]], [1, 2]),
    "in one row of two": (["a b c d e f", "k l m n o p"], [[None, "a b c d x y", "zz q"], ["k l m n o q", "k l m n p p", "k l zz"]], [1, 2]),
    "in rows of other lengths": (["a b c d e f", "k l m n o p"], [["a b c d e e", "a b c d x y", None, "a b"], ["k l m n o q", None, "k l m n p p"]], [0]),
    "at the end": (["a b c d e f"], [["a b c q e f", "a b c d x y", None]], [0, 1]),
    "beyond the first of a row": (["a b c d e f", "k l m n o p"], [["a b c d x y"], ["k l m n o q", "k l"]], [0]),
    "but one": (["a b c d e f"], [[None, "a b c d x y"]], []),
    "of tokens": ([["a", "b", "c"]], [[None, ["a", "b", "x"], ["c", "b", "c"]]], [1, 2]),
    "of ids": ([[1, 2, 3]], [[[1, 2, 9], None, [3, 2, 3]]], [0, 2]),
}  # fmt: skip


@pytest.mark.parametrize(("predictions", "references", "everywhere"), ABSENT.values(), ids=ABSENT)
def test_the_index_of_a_reference_is_its_place_in_the_row(
    bleu, predictions, references, everywhere
):
    """A None counts as a place. A reference that some row doesn't have makes no score."""
    indices = range(min(map(len, references)))
    for which in everywhere:
        alone = {"predictions": predictions, "references": chosen(references, which)}
        found = bleu.reconcile(
            predictions, references, bleu.compute(**alone, max_order=2)["score"], max_order=2
        )
        first = found["matches"][0]
        assert which in (first["references"], *first["same_score"].get("references", ()))
        for match in found["matches"]:
            if match["references"] != "all":
                texts = {
                    "predictions": predictions,
                    "references": chosen(references, match["references"]),
                }
                assert bleu.compute(**texts, **match["options"])["score"] == pytest.approx(
                    match["score"], abs=1e-9
                )
            others = match["same_score"].get("references", ())
            assert {match["references"], *others} <= {"all", *everywhere} <= {"all", *indices}


def test_references_that_can_be_read_once_only(bleu):
    """References are a generator, with a None."""
    rows = [[None, "a b c d x y", "a b c q e f"]]
    alone = bleu.compute(predictions=["a b c d e f"], references=["a b c d x y"])["score"]
    found = bleu.reconcile(iter(["a b c d e f"]), iter(rows), alone)
    assert found["matches"][0]["references"] == 1


@pytest.mark.parametrize(
    ("method", "reported"), [("compute", {}), ("reconcile", {}), ("reconcile", {"reported": 50})]
)
@pytest.mark.parametrize(
    ("column", "prediction", "references"),
    [
        ("predictions", "!", ["a", "b"]),
        ("references", "a", ["!", "b"]),
        ("references", "a", ["b", "!"]),
    ],
)
def test_the_error_of_a_tokenizer_names_the_row(
    bleu, method, reported, column, prediction, references
):
    """The error names the caller's row, at any place of the text in the row."""

    def split(text):
        return text.split() if text != "!" else 1 / 0

    texts = {
        "predictions": ["a", "b", prediction],
        "references": [["a", "d"], ["b", "e"], references],
    }
    with pytest.raises(
        ValueError, match=rf"^{column}\[2\]: the tokenizer failed: ZeroDivisionError"
    ):
        getattr(bleu, method)(**texts, **reported, tokenize=split)


def nltk_mean(method, predictions, references):
    smooth = getattr(SmoothingFunction(), method)
    rows = zip(predictions, references)
    scores = [
        sentence_bleu([text.split() for text in row], prediction.split(), smoothing_function=smooth)
        for prediction, row in rows
    ]
    return statistics.fmean(scores)


def sacrebleu_mean(predictions, references, **options):
    metric = sacrebleu.BLEU(**options)
    rows = zip(predictions, references)
    return (
        statistics.fmean(metric.sentence_score(prediction, row).score for prediction, row in rows)
        / 100
    )


# Means that papers report, from the tools that make them; and the options that must be found.
MEANS = {
    "NLTK": (lambda *rows: nltk_mean("method0", *rows), {"tokenize": "none", "minimum_total": 1, "smooth_method": "none"}),
    "NLTK, method1": (lambda *rows: nltk_mean("method1", *rows), {"tokenize": "none", "smooth_method": "floor"}),
    "NLTK, method4": (lambda *rows: nltk_mean("method4", *rows), {"tokenize": "none", "smooth_method": "nltk-4"}),
    "sacreBLEU": (lambda *rows: sacrebleu_mean(*rows, effective_order=True), {"smooth_method": "exp"}),
    "sacreBLEU, floor, lower case": (
        lambda *rows: sacrebleu_mean(
            *rows, effective_order=True, smooth_method="floor", lowercase=True
        ),
        {"smooth_method": "floor", "lowercase": True},
    ),
}  # fmt: skip


@needs_wmt21
@pytest.mark.parametrize("name", MEANS)
@pytest.mark.more
def test_a_mean_of_segment_scores_is_found(bleu, name):
    make_mean, options = MEANS[name]
    row = {"pair": "en-de", "system": "Facebook-AI", "metric": "bleu-all"}
    predictions, references = (column[:300] for column in read_system(row)[:2])
    mean = make_mean(predictions, references)
    match = bleu.reconcile(predictions, references, f"{100 * mean:.4f}")["matches"][0]
    assert match["steps"][0]["factor"] == "mean_of_segments"
    assert options.items() <= match["options"].items()
    again = bleu.compute(predictions=predictions, references=references, **match["options"])
    assert again["mean_segment_bleu"] == pytest.approx(mean, abs=1e-6)


def test_means_are_matches_beside_scores_of_the_corpus(bleu):
    reported = round(bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["score"])
    matches = bleu.reconcile(PREDICTIONS, REFERENCES, reported)["matches"]
    assert matches[0]["steps"] == []
    assert {match["options"].get("segments", False) for match in matches} == {False, True}


@needs_wmt21
@pytest.mark.parametrize("decimals", [1, None])
@pytest.mark.slow
def test_settings_of_published_scores_are_found(bleu, decimals, capsys):
    """From all references, the search finds the one that was used, and `char` for Japanese, `zh` for Chinese."""
    rows = list(read_published())
    japanese, others = (
        [row for row in rows if row["pair"].endswith("ja") == is_japanese]
        for is_japanese in (True, False)
    )
    picked = [*japanese, *random.Random(0).sample(others, 30)] if HAS_NUMBA else rows[:1]
    first = 0
    for row in picked:
        predictions, references, tokenize = read_system({**row, "metric": "bleu-all"})
        reported = (
            float(row["score"]) if decimals is None else f"{float(row['score']):.{decimals}f}"
        )
        found = [
            (match["references"], match["options"]["tokenize"], len(match["steps"]))
            for match in bleu.reconcile(predictions, references, reported)["matches"]
        ]
        which = reference_of(row)
        wanted = (which, tokenize, (which != "all") + (tokenize != "13a"))
        assert wanted in found, row
        first += found[0] == wanted
    # At one decimal, one of two references with `intl` is nearer to a score of the other one.
    assert first >= len(picked) - (decimals == 1)
    with capsys.disabled():
        print(
            f"\nreconcile: {len(picked)} published scores with {decimals or 'all'} decimals; the first match is right for {first}"
        )


def reference_of(row):
    """Return the `references` of a match for this row: an index if one of several was used, else "all"."""
    found = (WMT21 / "references").glob(f"*.{row['pair']}.ref.*")
    names = sorted(path.name.split(".ref.")[1].split(".")[0] for path in found)
    chosen = row["metric"].removeprefix("bleu-")
    return "all" if chosen == "all" or len(names) == 1 else names.index(chosen)


def make_sentences(seed, segments=30):
    """Return sentences with case and punctuation and two references each, so that the settings' scores differ."""
    generator = random.Random(seed)
    words = ["The", "cat", "sat", "on", "a", "mat,", "Dog", "ran", "to", "house.", "it's", "Big", "3,5", "-", "red", "(old)"]  # fmt: skip
    predictions = [generator.choices(words, k=generator.randrange(3, 14)) for _ in range(segments)]

    def edited(tokens):
        return " ".join(
            word if generator.random() < 0.6 else generator.choice(words).lower() for word in tokens
        )

    references = [[edited(tokens), edited(tokens) + " end"] for tokens in predictions]
    return list(map(" ".join, predictions)), references


P, R = make_sentences(1)
PERFECT, NO_MATCH = (P, [[text] for text in P]), (["a b c d e"], [["v w x y z"]])
# Texts of one corpus, with one and with two references.
HOME_P, HOME_TWO = make_sentences(11, 40)
HOME_P = [f"{text} well-known cats" for text in HOME_P]
HOME_TWO = [[f"{text} well-known dogs" for text in reversed(row)] for row in HOME_TWO]
HOME_R = [row[0] for row in HOME_TWO]


@pytest.fixture(scope="module")
def score(load):
    score = load().compute(predictions=P, references=R)["score"]
    assert 20 < score < 80
    return score


@pytest.mark.parametrize("reported", [0, 1, 2, 5, 10, 30, 50, 70, 99, 100])
def test_a_whole_number_is_of_100(bleu, reported):
    """A match is within half a point, so 0 and 1 are not half of a scale. A perfect score may be reported as 1."""
    found = bleu.reconcile(P, R, reported, tokenize="13a")
    for match in found["matches"]:
        assert abs(match["score"] - reported) <= 0.5 or (reported == 1 and match["score"] >= 99.5)
    assert all(
        abs(match["score"] - (100 if found["scale"] == 1 else 1) * reported) <= 0.5
        for match in found["matches"]
    )
    assert found["matches"] or len(found["nearest"]) == 5


# A corpus, a whole number, and the score of the match, or None.
WHOLE = [
    (PERFECT, 1, 100), (PERFECT, 100, 100), (PERFECT, 0, None), (NO_MATCH, 0, 0), (NO_MATCH, 1, None), (NO_MATCH, 100, None),
    (PERFECT, "1", 100), (PERFECT, "100", 100), (NO_MATCH, "0", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("corpus", "reported", "matched"), WHOLE, ids=[f"{row[1]!r} {row[2]}" for row in WHOLE]
)
def test_0_and_1(bleu, corpus, reported, matched):
    found = bleu.reconcile(*corpus, reported, smooth_method="none")
    assert {round(match["score"], 9) for match in found["matches"]} == (
        set() if matched is None else {matched}
    )
    if matched is None:
        assert found["scale"] == 100
        off = [one["score"] - reported for one in found["nearest"]]
        assert [100 * one["delta"] for one in found["nearest"]] == pytest.approx(off, abs=1e-12)


# Ways of writing a number in papers and logs, and their scale.
WRITTEN = {
    "{0:.1f}": 100, "BLEU {0:.1f}": 100, "{0:.1f} BLEU": 100, "bleu {0:.1f}": 100, "BLEU: {0:.1f}": 100, "BLEU = {0:.1f}": 100,
    " {0:.1f} ": 100, "{1:.3f}": 1, "BLEU {1:.3f}": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def found_from_a_number(load, score):
    return load().reconcile(P, R, f"{score:.1f}", tokenize="13a")


@pytest.mark.parametrize(("written", "scale"), WRITTEN.items(), ids=WRITTEN)
@pytest.mark.parametrize("comma", [False, True])
def test_ways_of_writing_a_number(bleu, score, found_from_a_number, written, scale, comma):
    """`"37,6"`, `"BLEU 37.6"`, `"37.6 BLEU"` and `"0.376"` have the same matches."""
    text = written.format(score, score / 100)
    number = text.replace(".", ",") if comma else text
    found = bleu.reconcile(P, R, number, tokenize="13a")
    expected = found_from_a_number
    assert (found["matches"], found["scale"]) == (expected["matches"], scale)
    assert found["matches"][0]["steps"] == []


# A reported number, the number in the result, its decimals, and its scale.
NUMBERS = [
    (np.float32(66.87), 66.87, 2, 100), (np.float16(66.9), 66.9, 1, 100), (np.float64(66.87), 66.87, 2, 100),
    (np.float32(0.6687), 0.6687, 4, 1), (np.int64(67), 67, 0, 100), (np.str_("66.87"), "66.87", 2, 100),
    ("6.687e1", "6.687e1", 2, 100), ("6687E-4", "6687E-4", 4, 1), ("BLEU 6,687e+1", "BLEU 6,687e+1", 2, 100),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reported", "returned", "decimals", "scale"), NUMBERS, ids=[repr(row[0]) for row in NUMBERS]
)
def test_the_digits_that_a_number_shows_are_its_decimals(bleu, reported, returned, decimals, scale):
    """Decimals of NumPy's shorter floats, and of numbers with an exponent."""
    found = bleu.reconcile(["a b c d e"], ["a b c d f"], reported)
    assert (found["decimals"], found["scale"]) == (decimals, scale)
    assert found["matches"][0]["steps"] == []
    assert json.loads(json.dumps(found))["reported"] == returned


def test_a_float_that_python_writes_with_an_exponent(bleu):
    """exp(1 - 25/2) is 0.0000101."""
    found = bleu.reconcile(["a b"], ["a b" + " c" * 23], 1e-5, max_order=2)
    assert (found["decimals"], found["scale"], found["matches"][0]["steps"]) == (5, 1, [])


@pytest.mark.parametrize(
    "reported",
    [
        "",
        "BLEU",
        "n/a",
        "1e",
        "1e-",
        "1e-9999999",
        "37.6.1",
        "37.6 38.1",
        "1,234.5",
        "37.6%x",
        True,
        [37.6],
    ],
    ids=repr,
)
def test_reported_values_that_are_not_numbers(bleu, reported):
    with pytest.raises((TypeError, ValueError), match="reported"):
        bleu.reconcile(P, R, reported)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("decimals", [0, 1])
@pytest.mark.parametrize("seed", [1, 2, *further(range(3, 11))])
def test_settings_of_conventions_come_first(load, convention, decimals, seed):
    """Only usual settings, or those with fewer changes, come before a convention's own setting."""
    predictions, references = make_sentences(seed)
    corpus = {"predictions": predictions, "references": references}
    made = load(convention).compute(**corpus)
    matches = load().reconcile(**corpus, reported=f"{made['score']:.{decimals}f}")["matches"]
    place = next(i for i, match in enumerate(matches) if abs(match["bleu"] - made["bleu"]) < 1e-12)
    for before in matches[:place]:
        assert before["kind"] == "usual" or len(before["steps"]) < len(matches[place]["steps"]), (
            before["options"],
            matches[place]["options"],
        )


@pytest.mark.parametrize("seed", range(4))
def test_usual_settings_come_first_and_then_nearer_ones(load, seed):
    predictions, references = make_sentences(seed)
    corpus = {"predictions": predictions, "references": references}
    reported = round(load().compute(**corpus)["score"])
    assert_ordered(load().reconcile(**corpus, reported=reported)["matches"][1:])


@pytest.mark.parametrize("decimals", [1, *further([2])])
@pytest.mark.parametrize(
    "options", [{"tokenize": "intl"}, {"tokenize": "char"}, {"tokenize": "none"}], ids=str
)
def test_two_usual_options_come_before_calls(bleu, decimals, options, monkeypatch):
    """At one decimal, some call is nearer to half of the scores."""
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    for seed in range(3):
        predictions, references = make_sentences(seed, 150)
        corpus = {"predictions": predictions, "references": [row[0] for row in references]}
        true = bleu.compute(**corpus, **options, lowercase=True)
        found = bleu.reconcile(**corpus, reported=f"{true['score']:.{decimals}f}")
        assert found["matches"][0]["kind"] == "usual"
        near = [match for match in found["matches"] if match["kind"] == "usual"]
        assert any(abs(match["bleu"] - true["bleu"]) < 1e-12 for match in near)
        assert abs(near[0]["delta"]) <= abs(true["bleu"] - float(found["reported"]) / 100) + 1e-5


@pytest.mark.parametrize("tokenize", ["zh", "char"])
def test_lower_case_is_no_usual_option_of_texts_without_case(bleu, tokenize):
    """Few letters have case: a number cannot tell whether it is ignored, also if that is nearer by a little."""
    nearer = set()
    for seed in range(6):
        predictions, references = make_sentences(seed, 200)
        predictions = ["Cat 一", *(text.lower() for text in predictions)]
        references = ["cat 一", *(row[0].lower() for row in references)]
        corpus = {"predictions": predictions, "references": references}
        scores = []
        for lowercase in (False, True):
            result = bleu.compute(**corpus, tokenize=tokenize, lowercase=lowercase)
            scores.append(result["score"])
        number = f"{scores[0]:.1f}"
        assert 0 < abs(scores[0] - scores[1]) < 0.1
        if number == f"{scores[1]:.1f}":
            nearer.add(abs(scores[1] - float(number)) < abs(scores[0] - float(number)))
            match = bleu.reconcile(**corpus, reported=number)["matches"][0]
            assert not match["options"]["lowercase"]
    assert True in nearer


def test_no_call_is_named_for_a_number_that_calls_match_by_chance(bleu, monkeypatch):
    """At one decimal, calls match most numbers; the sentence says what would decide between them."""
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    predictions, references = make_sentences(3, 150)
    references = [row[0] for row in references]
    own = bleu.compute(predictions=predictions, references=references)["score"]
    kinds = set()
    for tenth in range(-15, 16, 3):
        found = bleu.reconcile(predictions, references, f"{own + tenth / 10:.1f}")
        first = str(found).splitlines()[0]
        kind = found["matches"][0]["kind"] if found["matches"] else "none"
        kinds.add(kind)
        if kind in ("call", "rare"):
            assert found["matches"][0]["chance"] > 0.25
            assert not found["matches"][0]["plausible"]
            assert " from " not in first
            assert first.endswith(
                "may match by chance: ask for more decimals, the signature or the precisions."
            )
            assert "A match proves little here" in str(found)
            assert "by chance" in found.to_markdown()
    assert "call" in kinds


def test_the_chance_of_a_match_is_that_of_its_kind_and_of_more_usual_ones(bleu):
    found = bleu.reconcile(HOME_P, HOME_R, "31")
    chances = {match["kind"]: match["chance"] for match in found["matches"]}
    assert 0 < found["matches"][0]["chance"] < chances["call"] <= chances["rare"] <= found["chance"]
    for match in found["matches"]:
        most = 0.5 if match["kind"] == "usual" else 0.25
        assert match["plausible"] == (match["chance"] <= most)


def test_settings_that_differ_by_smoothing_alone_are_one_match(bleu):
    predictions, references = make_sentences(4)
    score = bleu.compute(predictions=predictions, references=references)["score"]
    found = bleu.reconcile(predictions, references, f"{score:.0f}")
    keys = []
    for match in found["matches"]:
        options = {**match["options"], "smooth_method": ""}
        keys.append(
            str([options, match["references"], match["swapped"], match["last_pair"], match["call"]])
        )
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(("start", "stop"), [(0, 40), (25, 90), (100, 150)])
@pytest.mark.parametrize("options", [{}, {"tokenize": "intl", "lowercase": True}], ids=str)
def test_a_line_of_a_part_of_the_rows_is_recognized(bleu, start, stop, options):
    """From what sacreBLEU prints for the part; the matches are those of the part."""
    predictions, references = make_sentences(9, 150)
    references = [row[0] for row in references]
    part = predictions[start:stop], references[start:stop]
    score = sacrebleu.BLEU(**options).corpus_score(part[0], [part[1]])
    found = bleu.reconcile(predictions, references, str(score))
    assert found["rows"] == [start, stop]
    assert found["matches"][0]["score"] == pytest.approx(score.score, abs=1e-9)
    again = bleu.compute(predictions=part[0], references=part[1], **found["matches"][0]["options"])
    assert again["score"] == pytest.approx(score.score, abs=1e-9)
    fits = f"The line fits predictions[{start}:{stop}] and references[{start}:{stop}] only: "
    assert str(found).startswith(fits)


def test_a_part_of_the_rows_does_not_verify_a_signature(bleu):
    metric = sacrebleu.BLEU()
    score = metric.corpus_score(HOME_P[:20], [HOME_R[:20]])
    line = score.format(width=2, signature=metric.get_signature().format())
    found = bleu.reconcile(HOME_P, HOME_R, line)
    assert (found["verified"], found["rows"]) == (False, [0, 20])
    whole = metric.corpus_score(HOME_P, [HOME_R])
    assert bleu.reconcile(HOME_P, HOME_R, str(whole))["rows"] is None


def test_rows_are_not_guessed(bleu, monkeypatch):
    """Without both lengths, with a score of no rows, and where several ranges have equal counts."""
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    score = str(sacrebleu.BLEU().corpus_score(HOME_P[:20], [HOME_R[:20]]))
    without = re.sub(r"ref_len = \d+", "", score)
    other = re.sub(r"= [\d.]+ ", "= 99.9 ", score, count=1)
    for line in (without, other):
        found = bleu.reconcile(HOME_P, HOME_R, line)
        assert (found["rows"], found["matches"]) == (None, [])
    twice = [*HOME_P[:20], *HOME_P[:20]], [*HOME_R[:20], *HOME_R[:20]]
    same = bleu.reconcile(*twice, str(sacrebleu.BLEU().corpus_score(HOME_P[:5], [HOME_R[:5]])))
    assert same["rows"] is None


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (r"(hyp_len = )(\d+)", r"\g<1>1\2", "translation_length", "the line has 1,{translation_length} tokens in the predictions, and these texts have {translation_length} tokens"),
        (r"(BP = )[\d.]+", r"\g<1>0.777", "brevity_penalty", "the line has brevity penalty 0.777, and these texts have brevity penalty {brevity_penalty:.4g}"),
        (r"\d+\.\d/", "9.9/", "precisions", "the line has precisions 9.9/"),
    ],
    ids=["length", "brevity penalty", "precisions"],
)  # fmt: skip
def test_the_value_of_a_line_that_differs_is_named(bleu, monkeypatch, old, new, key, says):
    """The score fits, and another value of the line doesn't."""
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    made = bleu.compute(predictions=HOME_P, references=HOME_R)
    line = re.sub(old, new, str(sacrebleu.BLEU().corpus_score(HOME_P, [HOME_R])), count=1)
    found = bleu.reconcile(HOME_P, HOME_R, line)
    assert found["matches"] == []
    assert found["differences"] == {key: made[key]}
    first = str(found).splitlines()[0]
    assert first.startswith(f"{made['score']:.2f} is the score with your options, but ")
    assert says.format(**made) in first


@pytest.mark.parametrize("segments", [1, 2, 5, 30])
def test_equal_scores_are_one_entry(bleu, segments):
    """Scores that differ in floating point's last bits are equal."""
    for seed in range(2):
        predictions, references = make_sentences(seed, segments)
        reported = round(bleu.compute(predictions=predictions, references=references)["score"])
        matches = bleu.reconcile(predictions, references, reported)["matches"]
        for one, other in itertools.pairwise(sorted(match["score"] for match in matches)):
            assert other - one > 1e-9


@pytest.mark.parametrize(
    "options",
    [
        {"lowercase": True},
        {"max_order": 2},
        {"max_order": 2, "weights": [0.5, 0.5]},
        {"reference_length": "longest"},
    ],
    ids=str,
)
@pytest.mark.parametrize("at", ["load", "call"])
def test_options_that_were_chosen_stay(load, options, at):
    """Options at load are the start of the search; options of the call are fixed."""
    reported = f"{load(**options).compute(predictions=P, references=R)['score']:.2f}"
    bleu, fixed = (load(**options), {}) if at == "load" else (load(), options)
    first = bleu.reconcile(P, R, reported, **fixed)["matches"][0]
    assert first["steps"] == []
    assert load(**(options if at == "load" else {})).compute(
        predictions=P, references=R, **first["options"]
    )["bleu"] == pytest.approx(first["bleu"])


def test_a_longer_order_than_that_of_load_is_found(load):
    reported = load().compute(predictions=P, references=R)["score"]
    found = load(max_order=2).reconcile(P, R, reported)["matches"][0]
    assert [(step["factor"], step["value"]) for step in found["steps"]] == [("max_order", 4)]


def test_all_values_that_make_no_difference_are_listed(bleu):
    """Per factor, `same_score` has the values for which `compute` returns the same score, and no others."""
    predictions, references = ["the cat sat, on a mat"], [["the cat sat, on the mat", "a cat"]]
    found = bleu.reconcile(
        predictions,
        references,
        bleu.compute(predictions=predictions, references=references)["score"],
    )
    match = found["matches"][0]
    for factor, values in FACTORS.items():
        same = []
        for value in (0, 1) if factor == "references" else set(values) - {match["options"][factor]}:
            which = value if factor == "references" else "all"
            options = match["options"] | ({} if factor == "references" else {factor: value})
            score = bleu.compute(
                predictions=predictions, references=chosen(references, which), **options
            )["bleu"]
            same += [value] * (abs(score - match["bleu"]) < 1e-12)
        assert set(match["same_score"].get(factor, ())) == set(same), factor
    assert len(match["same_score"]["tokenize"]) > 1


def test_a_single_reference_is_all_of_them(bleu):
    """A single reference is neither a match of its own nor a value in `same_score`."""
    found = bleu.reconcile(P, [row[0] for row in R], 30, decimals=0)
    settings = found["matches"] or found["nearest"]
    assert {one["references"] for one in settings} == {"all"}
    assert not any("references" in one["same_score"] for one in settings)


# Honesty: the number of settings, the share of numbers that match, and plausibility.


@pytest.mark.parametrize(
    ("seed", "options", "fixed", "decimals"),
    [
        pytest.param(1, {}, {}, 1, marks=pytest.mark.slow),
        *further([(2, {"tokenize": "char"}, {"lowercase": False}, 1)]),
        (3, {}, {"tokenize": "13a", "smooth_method": "exp", "minimum_total": 0}, 1),
        *further([(4, {}, {"tokenize": "13a", "lowercase": True, "smooth_method": "none"}, 2)]),
        (5, {}, {}, 0),
    ],
)
def test_chance_is_the_share_of_numbers_that_match(
    load, seed, options, fixed, decimals, monkeypatch
):
    """All numbers with as many decimals within 2 points of the object's score are tried, in one round."""
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    bleu, (predictions, references) = load(**options), make_sentences(seed, 12)
    own = bleu.compute(predictions=predictions, references=references, **fixed)["score"]
    step = 10**decimals
    numbers = [
        f"{n / step:.{decimals}f}" for n in range(100 * step + 1) if abs(n / step - own) <= 2
    ]
    found = [bleu.reconcile(predictions, references, number, **fixed) for number in numbers]
    assert {one["chance"] for one in found} == {
        sum(bool(one["matches"]) for one in found) / len(numbers)
    }
    assert len({one["settings"] for one in found}) == 1
    if decimals == 2:
        assert 0 < found[0]["chance"] < 1


@pytest.mark.parametrize(
    ("scores", "center", "unit", "share"),
    [
        ([0.5], 0.5, 0.001, 1 / 41), ([0.5, 0.5], 0.5, 0.001, 1 / 41), ([0.5004, 0.4996, 0.7], 0.5, 0.001, 1 / 41),
        ([0.5005], 0.5, 0.001, 2 / 41),  # half a unit from two numbers
        ([0.99], 0.99, 0.01, 1 / 4), ([0.003], 0.003, 0.01, 1 / 3),  # 97 to 100 points, 0 to 2 points
        ([0.25], 0.25, 0.1, 1.0),  # no number is near: the nearest matches
        ([0.5], 0.5, 1e-30, 2e-11 / 0.04),  # within rounding error
    ],
)  # fmt: skip
def test_count_chance(scores, center, unit, share):
    assert count_chance(scores, center, unit) == pytest.approx(share, rel=1e-3)


def test_the_number_of_settings_is_that_of_distinct_scores(bleu):
    """Orders and reference lengths of the corpus, the means, and what NLTK makes with method3."""
    texts = {
        "predictions": ["a b c d e", "a x"],
        "references": [["a b c e d", "a b"], ["a y z", "b"]],
    }
    fixed = {"tokenize": "none", "lowercase": False, "minimum_total": 0, "smooth_method": "exp"}
    scores = []
    for which in ("all", 0, 1):
        columns = {**texts, "references": chosen(texts["references"], which)}
        for order, length in itertools.product((1, 2, 3, 4), ("closest", "shortest", "longest")):
            options = {"max_order": order, "reference_length": length}
            scores.append(bleu.compute(**columns, **fixed, **options)["bleu"])
        for effective in (False, True):
            result = bleu.compute(**columns, **fixed, segments=True, effective_order=effective)
            scores.append(result["mean_segment_bleu"])
    first_rows = [  # sacreBLEU gets a list per row: prediction k, and the k-th reference of each row
        [row[k] for row in texts["references"]] for k in range(2)
    ]
    alone = {"predictions": texts["predictions"], "references": first_rows}
    scores.append(bleu.compute(**alone, **fixed)["bleu"])
    fixed["weights"] = None  # without those of tutorials
    assert bleu.reconcile(**texts, reported=50, **fixed)["settings"] == len(
        {round(score, 10) for score in scores}
    )


# A score with its signature: do these texts have this score under this signature?

SACREBLEU_OPTIONS = [
    {}, {"lowercase": True}, {"tokenize": "intl", "smooth_method": "floor", "smooth_value": 0.2},
    {"smooth_method": "add-k", "effective_order": True}, {"tokenize": "char", "smooth_method": "none"},
]  # fmt: skip


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("options", SACREBLEU_OPTIONS, ids=str)
@pytest.mark.parametrize("first", [False, *further([True])])
def test_sacrebleus_scores_are_verified(load, options, short, first):
    """In both forms, from an object with other options."""
    predictions, references = make_sentences(8)
    metric = sacrebleu.BLEU(**options)
    score = metric.corpus_score(predictions, list(zip(*references)))
    signature = metric.get_signature().format(short=short)
    printed = (
        f"{score.score:.1f} {signature}" if first else score.format(width=1, signature=signature)
    )
    found = load("hf", max_order=2).reconcile(predictions, references, printed)
    assert (found["verified"], found["decimals"], found["other_matches"]) == (True, 1, [])
    (match,) = found["matches"]
    assert match["score"] == pytest.approx(score.score, abs=1e-9)
    assert (match["steps"], match["plausible"]) == ([], True)
    again = load("hf", max_order=2).compute(
        predictions=predictions, references=references, **match["options"]
    )
    assert (again["score"], again["signature"]) == (
        pytest.approx(score.score, abs=1e-9),
        match["signature"],
    )
    assert str(found).startswith(
        f"Verified: these texts give {score.score:.1f} under this signature; the chance of such a match by accident is"
    )
    assert "neither the order of n-grams nor the text of the references" in str(found)
    json.dumps(found)


def test_own_signatures_are_verified(load):
    options = {
        "max_order": 3,
        "weights": [0.5, 0.3, 0.2],
        "reference_length": "longest",
        "minimum_total": 2,
    }
    made = load().compute(predictions=P, references=R, **options, lowercase=True)
    found = load().reconcile(P, R, f"{made['score']:.3f} {made['signature']}")
    assert (found["verified"], found["matches"][0]["signature"]) == (True, made["signature"])
    again = load().compute(predictions=P, references=R, **found["matches"][0]["options"])
    assert again["score"] == pytest.approx(made["score"], abs=1e-9)


def test_a_wrong_signature_is_not_verified(bleu):
    """The score was made in lowercase; the settings that give it are other matches."""
    made = bleu.compute(predictions=P, references=R, lowercase=True)["score"]
    claim = bleu.compute(predictions=P, references=R)["signature"]
    found = bleu.reconcile(P, R, f"{made:.4f} {claim}")
    assert (found["verified"], found["matches"], found["nearest"]) == (False, [], [])
    assert [step["factor"] for step in found["other_matches"][0]["steps"]] == ["lowercase"]
    assert str(found).startswith(
        f"Not verified: these texts do not give {made:.4f} under this signature. "
    )
    absent = bleu.reconcile(P, R, f"99.9999 {claim}")
    assert (absent["verified"], absent["matches"], absent["other_matches"]) == (False, [], [])
    assert len(absent["nearest"]) == 5


def test_each_reference_is_tried_for_a_signature_with_one(bleu):
    for which in (0, 1):
        made = bleu.compute(predictions=P, references=chosen(R, which))
        found = bleu.reconcile(P, R, f"{made['score']:.4f} {made['signature']}")
        assert (found["verified"], [match["references"] for match in found["matches"]]) == (
            True,
            [which],
        )
    both = bleu.compute(predictions=P, references=R)
    for signature, score in (
        (made["signature"], both["score"]),
        (both["signature"], made["score"]),
    ):
        assert bleu.reconcile(P, R, f"{score:.4f} {signature}")["verified"] is False
    assert bleu.reconcile(P, R, both["score"])["verified"] is None


def test_options_of_the_call_win_over_the_signature(bleu):
    made = bleu.compute(predictions=P, references=R, tokenize="intl", lowercase=True)
    found = bleu.reconcile(P, R, f"{made['score']:.4f} nrefs:2|case:lc|tok:13a", tokenize="intl")
    assert (found["verified"], found["matches"][0]["options"]["lowercase"]) == (True, True)


def test_tokens_are_verified_under_the_signature_of_their_text(bleu):
    tokens = [text.split() for text in P], [[text.split() for text in row] for row in R]
    made = bleu.compute(predictions=tokens[0], references=tokens[1])
    for signature in (made["signature"], "nrefs:2|tok:intl"):
        assert bleu.reconcile(*tokens, f"{made['score']:.4f} {signature}")["verified"] is True


@pytest.mark.parametrize(
    ("reported", "message"),
    [
        ("27.3 nrefs:1|nc:6", "reported: .*nc"), ("27.3 nrefs:1|tok:?", "reported: .*tok"),
        ("nrefs:1|case:lc", r"reported='nrefs:1\|case:lc': pass a number"), ("127.3 nrefs:1|case:lc", r"reported='127.3 nrefs:1\|case:lc': pass a score from 0"),
        ("68.04 version:2.6.0,case:lc|tok:13a", "^reported: 'version:2.6.0,case:lc' is not one key .*'nrefs:1|case:lc|tok:13a'"),
        ("27.3 nrefs:1,case:lc,tok:intl", "^reported: 'nrefs:1,case:lc,tok:intl' is not one key"),
        ("27.3 #:1;c:lc;tok:intl", "^reported: '#:1;c:lc;tok:intl' is not one key"),
        ("27.3 nrefs:1, case:lc, tok:intl", "^reported: expected only a score before the signature"),
        ("BLEU|nrefs:1/case:lc = 27.3", "^reported: 'nrefs:1/case:lc' is not one key"),
        ("27.3 nrefs:1 = case:lc = tok:intl", "^reported: expected only a score after the signature"),
        ("27.3 nrefs:1¦case:lc", "^reported: 'nrefs:1¦case:lc' is not one key"), ("27.3 nrefs:some|case:lc", "^reported: 'nrefs:some'"),
    ],
)  # fmt: skip
def test_signatures_that_cannot_be_read(bleu, reported, message):
    with pytest.raises(ValueError, match=message):
        bleu.reconcile(P, R, reported)


@pytest.mark.parametrize("reported", [R, P, P[0] * 3, np.array(P), {"score": P}], ids=str)
def test_errors_do_not_print_the_corpus(bleu, reported):
    """The references and the number changed places, for one."""
    with pytest.raises((TypeError, ValueError), match=r"^reported=<") as error:
        bleu.reconcile(P, 37.6, reported)
    assert len(str(error.value)) < 150
    assert P[0] not in str(error.value)


# Scores that were rejected: a true score below one point, an unknown number of references.


LOW_REFERENCES = [f"alpha beta gamma delta w{i} x{i} y{i} z{i}" for i in range(40)]
LOW_PREDICTIONS = [f"q{i} r{i} s{i} t{i} u{i} v{i}" for i in range(39)] + ["alpha q r s t u v " * 3]


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_a_signed_score_below_one_point_is_verified(bleu, decimals):
    """A number up to 1 may be on either scale; the claimed setting decides, not any setting that fits."""
    result = bleu.compute(predictions=LOW_PREDICTIONS, references=LOW_REFERENCES)
    assert 0.1 < result["score"] < 1
    claim = f"{result['score']:.{decimals}f} {result['signature']}"
    found = bleu.reconcile(LOW_PREDICTIONS, LOW_REFERENCES, claim)
    assert (found["verified"], found["scale"]) == (True, 100)
    assert found["matches"][0]["steps"] == []
    wrong = claim.replace("case:mixed", "case:lc").replace("tok:13a", "tok:char")
    assert not bleu.reconcile(LOW_PREDICTIONS, LOW_REFERENCES, wrong)["verified"]


def test_an_unknown_number_of_references_is_not_wrong(bleu):
    """The score of sums has `nrefs:?` unless the call or a table names the references."""
    predictions = ["the cat sat on the mat", "a dog barks at me now"]
    references = [["the cat sat on a mat"], ["a dog barks at you now"]]
    table = bleu.statistics(predictions=predictions, references=references)
    sums = [sum(column.to_pylist()) for column in table.columns]
    known = {"tokenize": "13a", "lowercase": False, "reference_length": "closest"}
    result = bleu.compute(statistics=sums, **known, minimum_total=0)
    assert result["signature"].startswith("nrefs:?|case:mixed")
    found = bleu.reconcile(predictions, references, f"{result['score']:.2f} {result['signature']}")
    assert found["verified"]
    several = [row * 2 for row in references]
    assert bleu.reconcile(predictions, several, f"{result['score']:.2f} {result['signature']}")[
        "verified"
    ]


@pytest.mark.parametrize(("count", "untried"), [(8, 0), (9, 1), (200, 192)])
def test_at_most_eight_references_are_tried_alone(bleu, count, untried):
    """Each alone takes a search of its own; the text says which were not tried."""
    predictions = ["the cat sat on the mat"] * 3
    references = [[f"the cat sat on mat {i}" for i in range(count)]] * 3
    found = bleu.reconcile(predictions, references, 99.99, tokenize="13a")
    assert found.get("untried_references", 0) == untried
    told = (
        "Tried: all references together, and each of the first 8 alone."
        f" Not tried: the other {untried} alone."
    )
    assert (told in str(found)) == (untried > 0)
    assert {setting["references"] for setting in found["nearest"]} <= {"all", *range(8)}
