"""Options: what each may be, where they come from, and the signature that says which were in effect."""

import gc
import json
import math
import re
import sys
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from bleu.bleu_options import CORPUS_ONLY
from helpers import random_rows
from nltk.translate.bleu_score import SmoothingFunction
from sacrebleu.metrics import BLEU

PREDICTIONS, REFERENCES = random_rows(seed=8, count=300)


pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


SIGNATURES = [
    ({}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
    ({"lowercase": True, "effective_order": True}, "nrefs:1|case:lc|eff:yes|tok:13a|smooth:exp|version:"),
    ({"smooth_method": "floor"}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:"),
    ({"smooth_method": "add-k", "smooth_value": 0.005}, "|smooth:add-k[0.01]|value:0.005|version:"),
    ({"confidence": 0.9, "n_resamples": 20, "seed": 0}, "nrefs:1|bs:20|seed:0|case:mixed|"),
    ({"max_order": 2, "weights": [1, 0.5]}, "|smooth:exp|order:2|weights:1/0.5|version:"),
    ({"reference_length": "longest"}, "|smooth:exp|reflen:longest|version:"),
    ({"tokenize": str.split}, "|tok:str.split|"),
]


WRONG = [
    ({"smooth": True}, TypeError, "smooth_method='laplace'"),
    ({"lowercased": True}, TypeError, "Did you mean `lowercase`"),
    ({"tokenize": "13b"}, ValueError, "tokenize='13b'"),
    ({"tokenize": None}, TypeError, "tokenize=None"),
    ({"lowercase": "no"}, TypeError, "lowercase='no'"),
    ({"max_order": 0}, ValueError, "max_order=0"),
    ({"max_order": 4.0}, TypeError, "max_order=4.0"),
    ({"max_order": True}, TypeError, "max_order=True"),
    ({"weights": [1]}, ValueError, "one weight an order, 4 in all"),
    ({"weights": {0.1, 0.2, 0.3, 0.4}}, TypeError, "weights: found set. Give a list"),
    ({"weights": [1, 1, 1, float("nan")]}, ValueError, "weights=nan: give a finite number"),
    ({"weights": [1, 1, 1, "a"]}, TypeError, "weights='a': give a number"),
    ({"weights": [0, 0, 0, 0]}, ValueError, "not all 0"),
    ({"smooth_method": "chen"}, ValueError, "'none', 'floor', 'add-k', 'exp', 'laplace'"),
    ({"smooth_method": "nltk-4", "smooth_value": 0}, ValueError, "smooth_value=0: give a number above 0"),
    ({"smooth_method": "nltk-7", "smooth_value": 0}, ValueError, "smooth_value=0: give a number above 0"),
    ({"smooth_method": "chen-cherry-4", "smooth_value": 0}, ValueError, "smooth_value=0: give a number above 0"),
    ({"smooth_method": "chen-cherry-7", "smooth_value": 0}, ValueError, "smooth_value=0: give a number above 0"),
    ({"smooth_method": "floor", "smooth_value": -1}, ValueError, "smooth_value=-1: give a number of 0 or more"),
    ({"reference_length": "average"}, ValueError, "'closest', 'shortest', 'longest'"),
    ({"confidence": 95}, ValueError, "confidence=95: give a number above 0 and below 1"),
    ({"confidence": True}, TypeError, "confidence=True: give a number"),
    ({"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"seed": -1}, ValueError, "seed=-1"),
    ({"minimum_total": -1}, ValueError, "minimum_total=-1: give a whole number of 0 or more"),
    ({"smooth_method": "floor", "smooth_value": "a"}, TypeError, "smooth_value='a': give a number"),
    ({"smooth_method": "floor", "smooth_value": math.nan}, ValueError, "smooth_value=nan: give a finite number"),
    ({"confidence": "95"}, TypeError, "confidence='95': give a number"),
]


def test_at_load_they_are_the_defaults_of_every_call(load):
    bleu = load(tokenize="zh", lowercase=True, seed=7)
    result = bleu.compute(predictions=["我们 A 用"], references=["我们 a 用"], max_order=3)
    assert result["bleu"] == 1
    assert "|case:lc|eff:no|tok:zh|" in result["signature"]
    assert "tok:char" in bleu.compute(predictions=["我们"], references=["我们"], tokenize="char")["signature"]


@pytest.mark.parametrize(("options", "signature"), SIGNATURES)
def test_signature(bleu, options, signature):
    assert signature in bleu.compute(predictions=["a b"], references=["a b"], **options)["signature"]


def test_signature_of_tokens_ids_and_references(bleu):
    assert "nrefs:var|" in bleu.compute(predictions=["a", "b"], references=[["a"], ["b", "c"]])["signature"]
    assert "|tok:tokens|" in bleu.compute(predictions=[["a"]], references=[[["a"]]])["signature"]
    assert "|tok:ids|" in bleu.compute(predictions=[[1]], references=[[[1]]])["signature"]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_wrong_ones(bleu, load, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compute(predictions=["a"], references=["a"], **options)
    with pytest.raises(error, match=message):
        load(**options)


def test_unknown_convention(load):
    with pytest.raises(ValueError, match="'default', 'papineni', 'hf', 'nltk', 'moses'"):
        load("google")


@pytest.mark.parametrize(
    "rows", [{"predictions": [["a"]], "references": [[["a"]]]}, {"predictions": [[1]], "references": [[[1]]]}]
)
def test_no_tokenizer_for_what_is_tokenised(bleu, load, rows):
    for call in (bleu.compute, bleu.statistics):
        with pytest.raises(ValueError, match="leave it out, or give text"):
            call(**rows, tokenize="13a")
    with pytest.raises(ValueError, match="leave it out, or give text"):
        load(tokenize="zh").compute(**rows)
    assert load("nltk").compute(**rows, max_order=1)["bleu"] == 1


def test_no_case_for_ids(bleu):
    with pytest.raises(ValueError, match="lowercase=True"):
        bleu.compute(predictions=[[1]], references=[[[1]]], lowercase=True)


TEXTS, TEXT_REFERENCES = random_rows(seed=3, count=40)


CORPUS = {"predictions": TEXTS, "references": TEXT_REFERENCES}


def error_of(call):
    """The message of the TypeError or ValueError that a call must give."""
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    return str(raised.value)


@pytest.mark.parametrize(
    "weights",
    [{1: 0.5, 2: 0.25, 3: 0.15, 4: 0.1}, {"1": 0.25, "2": 0.25, "3": 0.25, "4": 0.25}, {}, dict.fromkeys(range(4), 1)],
    ids=str,
)
def test_weights_are_no_mapping(bleu, load, weights):
    """The keys would be taken for the weights."""
    for call in (lambda: load(weights=weights), lambda: bleu.compute(**CORPUS, weights=weights)):
        message = error_of(call)
        assert "weights" in message
        assert "dict" in message or "mapping" in message


# Options at load; `conventions` has them under each convention.
CHOSEN = [
    {"lowercase": True},
    {"tokenize": "zh"},
    {"tokenize": str.split},
    {"smooth_method": "add-k"},
    {"smooth_method": "floor", "smooth_value": 0.3},
    {"smooth_method": "chen-cherry-4"},
    {"reference_length": "longest"},
    {"minimum_total": 1},
    {"max_order": 2},
    {"max_order": 2, "weights": [0.3, 0.7]},
    {"effective_order": True},
    {"lowercase": True, "tokenize": "char", "max_order": 6, "reference_length": "shortest"},
]


@pytest.mark.parametrize("options", CHOSEN, ids=str)
def test_conventions_keep_what_was_chosen(load, options):
    """Each line is `compute` of that convention under the same options, whether they come at load or in the call."""
    at_load, in_call = load(**options).conventions(**CORPUS), load().conventions(**CORPUS, **options)
    assert at_load == in_call
    assert list(at_load) == ["default", "papineni", "hf", "nltk", "moses"]
    for name, line in at_load.items():
        expected = load(name, **options).compute(**CORPUS)
        assert line["bleu"] == pytest.approx(expected["bleu"], abs=1e-12), name
        assert line["signature"] == expected["signature"], name
        assert line["difference"] == pytest.approx(line["bleu"] - at_load["default"]["bleu"], abs=1e-12)
        assert sum(step["difference"] for step in line["steps"]) == pytest.approx(line["difference"], abs=1e-12)


def test_options_of_the_call_win_over_those_of_load(load):
    lines = load(lowercase=True, max_order=2).conventions(**CORPUS, lowercase=False)
    for name, line in lines.items():
        assert line["bleu"] == pytest.approx(load(name, max_order=2).compute(**CORPUS)["bleu"], abs=1e-12)


# Calls that take no options about a corpus's score, and what they are called in the error.
OF_OTHERS = {
    "compare": (lambda bleu, **options: bleu.compare({"A": ["a"], "B": ["b"]}, ["a"], **options), "a comparison of systems", {"segments"}),
    "diff": (lambda bleu, **options: bleu.diff(["a"], ["b"], ["a"], **options), "the difference of two systems", CORPUS_ONLY),
    "explain": (lambda bleu, **options: bleu.explain("a", "a", **options), "one segment", CORPUS_ONLY),
    "pairwise": (lambda bleu, **options: bleu.pairwise(["a"], **options), "scores of single texts", CORPUS_ONLY),
    "self_bleu": (lambda bleu, **options: bleu.self_bleu(["a", "b"], **options), "scores of single texts", CORPUS_ONLY),
    "conventions": (lambda bleu, **options: bleu.conventions(["a"], ["a"], **options), "conventions side by side", CORPUS_ONLY),
    "reconcile": (lambda bleu, **options: bleu.reconcile(["a"], ["a"], 1, **options), "the search for a setting", CORPUS_ONLY),
    "compute_metrics": (lambda bleu, **options: bleu.compute_metrics(object(), **options), "a trainer, which logs numbers", CORPUS_ONLY),
}  # fmt: skip


@pytest.mark.parametrize(("call", "purpose", "refused"), OF_OTHERS.values(), ids=OF_OTHERS)
def test_options_of_a_corpus_are_refused_elsewhere(bleu, call, purpose, refused):
    values = {"segments": True, "confidence": 0.9, "n_resamples": 10, "seed": 1}
    assert set(values) == set(CORPUS_ONLY)
    for name in refused:
        expected = f"{name} goes with the score of a corpus, not with {purpose}: leave it out."
        assert error_of(lambda name=name: call(bleu, **{name: values[name]})) == expected


def test_conventions_refuse_what_is_of_one_score(load):
    for options in ({"segments": True}, {"confidence": 0.95}, {"lowercased": True}):
        assert next(iter(options)) in error_of(lambda options=options: load().conventions(**CORPUS, **options))


TYPED = {"max_order": np.int64(2), "lowercase": np.True_, "tokenize": np.str_("zh"), "weights": np.array([0.5, 0.5])}


def test_numpys_scalars_are_pythons_in_what_prints_options(load):
    bleu = load(**TYPED)
    result = bleu.conventions(**CORPUS)
    assert json.loads(json.dumps(result)) == result
    assert "np." not in str(result)
    found = bleu.reconcile(**CORPUS, reported=np.float32(50), smooth_method=np.str_("exp"))
    assert json.loads(json.dumps(found)) == found
    assert "np." not in str(found)
    message = error_of(lambda: load(max_order=np.int64(0)))
    assert "max_order=0" in message


@pytest.mark.parametrize("smooth_method", ["floor", "add-k"])
@pytest.mark.parametrize("max_order", [1, 2, 4])
def test_a_smoothing_value_of_0_is_sacrebleus(bleu, smooth_method, max_order):
    corpora = [(TEXTS, TEXT_REFERENCES), (["a b c d e"], [["a b c x y"]]), (["a b"], [["a c"]])]
    for predictions, references in corpora:
        longest = max(map(len, references))
        streams = [[row[i] if i < len(row) else None for row in references] for i in range(longest)]
        oracle = BLEU(smooth_method=smooth_method, smooth_value=0, max_ngram_order=max_order)
        expected = oracle.corpus_score(predictions, streams).score
        options = {"smooth_method": smooth_method, "smooth_value": 0, "max_order": max_order}
        result = bleu.compute(predictions=predictions, references=references, **options)
        assert result["score"] == pytest.approx(expected, abs=1e-9)
        assert f"|smooth:{smooth_method}[0.00]|" in result["signature"]
        unsmoothed = bleu.compute(
            predictions=predictions, references=references, smooth_method="none", max_order=max_order
        )
        assert result["bleu"] == pytest.approx(unsmoothed["bleu"], abs=1e-12)


def test_an_alpha_of_0_mixes_nothing(bleu):
    """Method 6 with nothing of what the orders before let expect."""
    mixed = bleu.compute(**CORPUS, smooth_method="chen-cherry-6", smooth_value=0)
    assert mixed["bleu"] == pytest.approx(bleu.compute(**CORPUS, smooth_method="none")["bleu"], abs=1e-12)


# A value that can't be meant, and words that say where the bound is and whether it's included.
BOUNDS = [
    ({"confidence": 1}, r"(below|less than|under|smaller than|exclusive|excluded|strictly).*1|1.*(exclusive|excluded|not included)"),
    ({"confidence": 0}, r"(above|more than|over|greater than|larger than|exclusive|excluded|strictly).*0|0.*(exclusive|excluded|not included)"),
    ({"smooth_method": "floor", "smooth_value": -0.5}, r"0 or (more|above)|at least 0|not negative|non-negative"),
    ({"smooth_method": "floor", "smooth_value": math.inf}, r"finite|0 or (more|above)|at least 0"),
    ({"weights": [0.5, 0.5, 0.5, -0.5]}, r"0 or (more|above)|at least 0|not negative|non-negative"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), BOUNDS, ids=[str(row[0]) for row in BOUNDS])
def test_bounds_are_said_in_words(load, options, words):
    with pytest.raises(ValueError, match=f"(?i){words}") as raised:
        load(**options)
    assert "inf" not in str(raised.value).replace("found inf", "").replace("=inf", "")


@pytest.mark.parametrize("smooth_method", ["exp", "none", "laplace", "chen-cherry-5", "nltk-5"])
@pytest.mark.parametrize("smooth_value", [0.5, 0, 1])
def test_a_smoothing_value_where_none_is_taken(bleu, load, smooth_method, smooth_value):
    """Ignored with a warning that names both: the score and the signature are those without it."""
    expected = load(smooth_method=smooth_method).compute(**CORPUS)
    with pytest.warns(bleu.Warning, match=rf"smooth_value.*{smooth_method}|{smooth_method}.*smooth_value"):
        result = bleu.compute(**CORPUS, smooth_method=smooth_method, smooth_value=smooth_value)
    assert result == expected


def test_a_smoothing_value_from_load_fits_the_method_of_the_call(load):
    """`add-k` takes it, and `exp` doesn't need it."""
    bleu = load(smooth_method="add-k", smooth_value=2)
    assert bleu.compute(**CORPUS, smooth_method="exp") == load().compute(**CORPUS)


@pytest.mark.parametrize("tokenize", ["13b", "moses", "spacy", "", "13A", "ZH"])
def test_a_wrong_tokenizers_name_fails_at_load(load, tokenize):
    """Not after the model has generated; the names that there are stand in the message."""
    for call in (lambda: load(tokenize=tokenize), lambda: load("nltk", tokenize=tokenize)):
        with pytest.raises(ValueError, match=f"tokenize='{tokenize}'.*13a.*zh"):
            call()


def test_a_wrong_tokenizers_name_fails_where_the_trainers_hook_is_made(bleu):
    with pytest.raises(ValueError, match="tokenize='13b'"):
        bleu.compute_metrics(object(), tokenize="13b")


@pytest.mark.parametrize("tokenize", ["13a", "none", "intl", "zh", "char", "ja-mecab", "ko-mecab", "multi-bleu"])
def test_right_names_are_known_at_load(load, tokenize):
    """Those of sacreBLEU too, without their dictionaries or models being opened for more than a look."""
    assert load(tokenize=tokenize).name == "bleu_metric"


# What a user's tokenizer returns, and what the message says was in the list.
RETURNED = [
    (lambda text: [1, 2], r"\bint\b"),
    (lambda text: ["a", 2], r"\bint\b"),
    (lambda text: ["a", None], r"\bNone(Type)?\b"),
    (lambda text: [["a"]], r"list.*list|\blists\b"),
    (lambda text: [b"a"], r"\bbytes\b"),
    (lambda text: np.array([1.5]).tolist(), r"\bfloat\b"),
]


@pytest.mark.parametrize(("tokenize", "words"), RETURNED, ids=[row[1] for row in RETURNED])
def test_a_tokenizer_that_returns_something_else(bleu, tokenize, words):
    """The message says what is in the list, not only that it is one."""
    for call in (bleu.compute, bleu.statistics):
        with pytest.raises(TypeError, match=rf"predictions, row 0: the tokenizer must return a list of str.*{words}"):
            call(predictions=["a", "b"], references=["a", "b"], tokenize=tokenize)


# An option that doesn't exist and the one that is near, if there is one.
NEAR = [
    ("lowercased", "lowercase"),
    ("tokenise", "tokenize"),
    ("max_orders", "max_order"),
    ("smoothing_method", "smooth_method"),
    ("segment", "segments"),
    ("n_resample", "n_resamples"),
    ("confidense", "confidence"),
    ("frobnicate", None),
    ("xyz", None),
    ("rouge_types", None),
    ("batch_size", None),
    ("device", None),
    ("q", None),
    ("model", None),
]


@pytest.mark.parametrize(("name", "near"), NEAR)
def test_did_you_mean_only_what_is_near(bleu, load, name, near):
    for call in (lambda: load(**{name: 1}), lambda: bleu.compute(**CORPUS, **{name: 1})):
        with pytest.raises(TypeError, match=f"`{name}`") as raised:
            call()
        assert (f"Did you mean `{near}`" in str(raised.value)) == (near is not None)
        assert ("Did you mean" in str(raised.value)) == (near is not None)


# Names that people bring from other tools and that mean nothing of this metric's, and what they are told.
BROUGHT = [
    ({"use_stemmer": True}, r"ROUGE|stem"),
    ({"use_aggregator": False}, r"segments=True"),
    ({"trust_remote_code": True}, r"leave it out"),
    ({"list_of_references": [["a"]]}, r"`references`"),
    ({"auto_reweigh": True}, r"effective_order"),
    ({"smoothing_function": len}, r"smooth_method"),
]


@pytest.mark.parametrize(("options", "answer"), BROUGHT, ids=[next(iter(row[0])) for row in BROUGHT])
def test_names_of_other_tools_are_answered(bleu, load, options, answer):
    for call in (lambda: load(**options), lambda: bleu.compute(**CORPUS, **options)):
        message = error_of(call)
        assert next(iter(options)) in message
        assert re.search(answer, message.replace(next(iter(options)), ""))


NLTK = SmoothingFunction()


# As another tool says it, and as it's said here.
SAME = [
    ({"tokenizer": "zh"}, {"tokenize": "zh"}),
    ({"tokenizer": str.split}, {"tokenize": str.split}),
    ({"use_effective_order": True}, {"effective_order": True}),
    ({"max_ngram_order": 2}, {"max_order": 2}),
    ({"force": True}, {}),
    ({"trg_lang": "zh"}, {"tokenize": "zh"}),
    ({"trg_lang": "ja"}, {"tokenize": "ja-mecab"}),
    ({"trg_lang": "ko"}, {"tokenize": "ko-mecab"}),
    ({"trg_lang": "de"}, {}),
    ({"smoothing_function": NLTK.method0}, {"smooth_method": "none"}),
    ({"smoothing_function": NLTK.method1}, {"smooth_method": "floor"}),
    ({"smoothing_function": SmoothingFunction(epsilon=0.2).method1}, {"smooth_method": "floor", "smooth_value": 0.2}),
    ({"smoothing_function": NLTK.method2}, {"smooth_method": "add-k"}),
    ({"smoothing_function": NLTK.method3}, {"smooth_method": "exp"}),
    ({"smoothing_function": NLTK.method4}, {"smooth_method": "nltk-4"}),
    ({"smoothing_function": NLTK.method5}, {"smooth_method": "nltk-5"}),
    ({"smoothing_function": NLTK.method6}, {"smooth_method": "chen-cherry-6"}),
    ({"smoothing_function": NLTK.method7}, {"smooth_method": "nltk-7"}),
]  # fmt: skip


@pytest.mark.parametrize(("theirs", "ours"), SAME, ids=[str(row[1]) + next(iter(row[0])) for row in SAME])
@pytest.mark.parametrize("at", ["load", "call"])
def test_spellings_of_other_tools_are_understood(load, theirs, ours, at):
    """Where they mean the same: the same result and signature."""
    result = load(**theirs).compute(**CORPUS) if at == "load" else load().compute(**CORPUS, **theirs)
    assert result == load().compute(**CORPUS, **ours)


def test_both_spellings_at_once_are_refused(bleu):
    assert "tokenize" in error_of(lambda: bleu.compute(**CORPUS, tokenizer="zh", tokenize="char"))


@pytest.mark.parametrize(
    "wrong",
    [{"lowercased": True}, {"config_name": "nope"}, {"max_order": 0}, {"cache_dir": "a file"}, {"process_id": -1}],
    ids=str,
)
def test_a_constructor_that_fails_leaves_nothing_to_clean_up(load, monkeypatch, tmp_path, wrong):
    """No "Exception ignored in __del__" after the error that was meant."""
    (tmp_path / "a file").touch()
    monkeypatch.chdir(tmp_path)
    ignored = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: ignored.append(repr(raised.exc_value)))
    with pytest.raises((TypeError, ValueError, OSError)):
        load(**wrong)
    gc.collect()
    assert ignored == []


def test_warnings_of_options_come_once_a_call(bleu):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bleu.compute(**CORPUS, smooth_value=0.5)
    assert sum("smooth_value" in str(one.message) for one in caught) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fooo": 1, "barr": 1}, "no option `fooo`"),
        ({"tokenizer": "zh", "trg_lang": "zh"}, "`trg_lang` and `tokenizer` are one option: give `tokenize` alone"),
        ({"smooth_method": ["exp"]}, r"smooth_method=\['exp'\]: choose one of"),
        (
            {"smooth_method": "floor", "smooth_value": Decimal("0.5")},
            "smooth_value=Decimal.*: give a number, an int or a float",
        ),
        ({"weights": [Fraction(1, 4)] * 4}, "weights=Fraction.*: give a number, an int or a float"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_told_of_options_that_cant_be(bleu, options, message):
    """The first one as they were written, by the names that they were written with."""
    with pytest.raises((TypeError, ValueError), match=message):
        bleu.compute(predictions=["a"], references=["a"], **options)
