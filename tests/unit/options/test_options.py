"""Options: values, sources, the signature; and evaluate's `sacrebleu` and `bleu` by their names."""

import copy
import gc
import importlib
import inspect
import itertools
import json
import math
import pickle
import re
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import get_args

import bleuscore
import evaluate
import numpy as np
import pytest
import sacrebleu
from bleu.bleu_core.options.conventions import CONVENTIONS, DROP_INS
from bleu.bleu_core.options.option_types import (
    CORPUS_ONLY,
    Convention,
    CorpusOptions,
    NamedTokenizer,
    ReferenceLengthName,
    SmoothMethodName,
    TestName,
)
from bleu.bleu_core.options.options import OPTIONS
from bleu.bleu_core.options.other_names import OTHER_NAMES
from bleu.bleu_core.options.signature import SIGNATURE_KEYS, read_signature
from bleu.bleu_core.rules.counting import REFERENCE_LENGTHS
from bleu.bleu_core.rules.smoothing import SMOOTH_METHODS
from bleu.bleu_core.rules.tokenizers import TOKENIZERS
from bleu.bleu_core.significance.tests import ALL_TESTS
from bleu.bleu_metric import METHODS
from helpers import (
    ROOT,
    random_captions,
    random_rows,
    read_result,
    record_warnings,
    small_corpora,
    start_python,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from sacrebleu.dataset import DATASETS
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.bleu import BLEUSignature

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Options.


SIGNATURES = [
    ({}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
    ({"lowercase": True, "effective_order": True}, "nrefs:1|case:lc|eff:yes|tok:13a|smooth:exp|version:"),
    ({"smooth_method": "floor"}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:"),
    ({"smooth_method": "add-k"}, "|smooth:add-k[1.00]|version:"),
    ({"smooth_method": "add-k", "smooth_value": 0.005}, "|smooth:add-k[0.01]|value:0.005|version:"),
    ({"smooth_method": "nltk-4"}, "|smooth:nltk-4[5.00]|version:"),
    ({"confidence": 0.9, "n_resamples": 20, "seed": 0}, "nrefs:1|bs:20|seed:0|case:mixed|"),
    ({"max_order": 2, "weights": [1, 0.5]}, "|smooth:exp|order:2|weights:1/0.5|version:"),
    ({"reference_length": "longest"}, "|smooth:exp|reflen:longest|version:"),
    ({"tokenize": str.split}, "|tok:str.split|"),
]  # fmt: skip

WRONG = [
    ({"smooth": True}, TypeError, "smooth_method='laplace'"),
    ({"lowercased": True}, TypeError, "Did you mean `lowercase`"),
    ({"tokenize": "13b"}, ValueError, "tokenize='13b'"),
    ({"tokenize": None}, TypeError, "tokenize=None"),
    ({"lowercase": "no"}, TypeError, "lowercase='no'"),
    ({"max_order": 0}, ValueError, "max_order=0"),
    ({"max_order": 4.0}, TypeError, "max_order=4.0"),
    ({"max_order": True}, TypeError, "max_order=True"),
    ({"weights": [1]}, ValueError, "one weight per order .4 in all."),
    ({"weights": {0.1, 0.2, 0.3, 0.4}}, TypeError, r"weights=<set of length 4>: pass a list"),
    ({"weights": [1, 1, 1, float("nan")]}, ValueError, r"weights\[3\]=nan: pass a finite number"),
    ({"weights": [1, 1, 1, "a"]}, TypeError, r"weights\[3\]='a': pass a number"),
    *(
        ({"weights": weights}, TypeError, "weights=.*: pass a list with one weight per order")
        for weights in (
            "uniform", "1234", "0.25", "", b"abcd", bytearray(4), memoryview(b"abcd"), 4, 0.25, iter([1]), np.array(0.25),
        )
    ),
    *(
        ({"weights": weights}, TypeError, "weights: got 2 lists of weights. Pass one per call")
        for weights in (
            [(1, 0, 0, 0), (0.5, 0.5, 0, 0)],
            [[1], [0.5, 0.5]],
            ((1.0,), (1.0,)),
            np.eye(2),
            [np.ones(4)] * 2,
            [range(4)] * 2,
        )
    ),
    ({"weights": [0.5, [1]]}, TypeError, r"weights\[1\]=\[1\]: pass a number"),
    ({"weights": ["0.25"] * 4}, TypeError, r"weights\[0\]='0.25': pass a number"),
    ({"smooth_method": "method8"}, ValueError, "smooth_method='method8': pass one of 'none'"),
    ({"weights": [0, 0, 0, 0]}, ValueError, "not all 0"),
    ({"smooth_method": "chen"}, ValueError, "'none', 'skip', 'floor', 'add-k', 'exp', 'laplace'"),
    ({"smooth_method": "nltk-4", "smooth_value": 0}, ValueError, "smooth_value=0: pass a number above 0"),
    ({"smooth_method": "nltk-7", "smooth_value": 0}, ValueError, "smooth_value=0: pass a number above 0"),
    ({"smooth_method": "chen-cherry-4", "smooth_value": 0}, ValueError, "smooth_value=0: pass a number above 0"),
    ({"smooth_method": "chen-cherry-7", "smooth_value": 0}, ValueError, "smooth_value=0: pass a number above 0"),
    ({"smooth_method": "floor", "smooth_value": -1}, ValueError, "smooth_value=-1: pass a number of 0 or more"),
    ({"reference_length": "average"}, ValueError, "'closest', 'shortest', 'longest'"),
    ({"confidence": 95}, ValueError, r"confidence=95: pass a number from 0.5 to 1 \(excluded\), such as 0.95"),
    ({"confidence": True}, TypeError, "confidence=True: pass a number .*such as 0.95"),
    ({"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"seed": -1}, ValueError, "seed=-1"),
    ({"minimum_total": -1}, ValueError, "minimum_total=-1: pass a whole number of 0 or more"),
    ({"smooth_method": "floor", "smooth_value": "a"}, TypeError, "smooth_value='a': pass a number"),
    ({"smooth_method": "floor", "smooth_value": math.nan}, ValueError, "smooth_value=nan: pass a finite number"),
    ({"confidence": "95"}, TypeError, "confidence=.95.: pass a number .*such as 0.95"),
]  # fmt: skip


def test_at_load_they_are_the_defaults_of_every_call(load):
    bleu = load(tokenize="zh", lowercase=True, seed=7)
    result = bleu.compute(predictions=["我们 A 用"], references=["我们 a 用"], max_order=3)
    assert result["bleu"] == 1
    assert "|case:lc|eff:no|tok:zh|" in result["signature"]
    assert (
        "tok:char"
        in bleu.compute(predictions=["我们"], references=["我们"], tokenize="char")["signature"]
    )


@pytest.mark.parametrize(("options", "signature"), SIGNATURES)
def test_signature(bleu, options, signature):
    assert (
        signature
        in bleu.compute(predictions=["a b"] * 2, references=["a b"] * 2, **options)["signature"]
    )


def test_signature_of_tokens_ids_and_references(bleu):
    assert (
        "nrefs:var|"
        in bleu.compute(predictions=["a", "b"], references=[["a"], ["b", "c"]])["signature"]
    )
    assert "|tok:tokens|" in bleu.compute(predictions=[["a"]], references=[[["a"]]])["signature"]
    assert "|tok:ids|" in bleu.compute(predictions=[[1]], references=[[[1]]])["signature"]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_wrong_values(bleu, load, options, error, message):
    with pytest.raises(error, match=message):
        bleu.compute(predictions=["a"], references=["a"], **options)
    with pytest.raises(error, match=message):
        load(**options)


def test_unknown_convention(load):
    with pytest.raises(ValueError, match="'default', 'papineni', 'hf', 'nltk', 'moses', 'coco'"):
        load("google")


@pytest.mark.parametrize(
    "rows",
    [
        {"predictions": [["a"]], "references": [[["a"]]]},
        {"predictions": [[1]], "references": [[[1]]]},
    ],
)
def test_no_tokenizer_for_tokens_and_ids(bleu, load, rows):
    for call in (bleu.compute, bleu.statistics):
        with pytest.raises(ValueError, match="Remove `tokenize`, or pass text"):
            call(**rows, tokenize="13a")
    with pytest.raises(ValueError, match="Remove `tokenize`, or pass text"):
        load(tokenize="zh").compute(**rows)
    assert load("nltk").compute(**rows, max_order=1)["bleu"] == 1


def test_no_case_for_ids(bleu):
    with pytest.raises(ValueError, match="lowercase=True"):
        bleu.compute(predictions=[[1]], references=[[[1]]], lowercase=True)


TEXTS, TEXT_REFERENCES = random_rows(seed=3, count=40)
CORPUS = {"predictions": TEXTS, "references": TEXT_REFERENCES}


def error_of(call):
    """Return the message of the TypeError or ValueError that a call raises."""
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    return str(raised.value)


@pytest.mark.parametrize(
    "weights",
    [
        {1: 0.5, 2: 0.25, 3: 0.15, 4: 0.1},
        {"1": 0.25, "2": 0.25, "3": 0.25, "4": 0.25},
        {},
        dict.fromkeys(range(4), 1),
    ],
    ids=str,
)
def test_weights_must_not_be_a_mapping(bleu, load, weights):
    """A mapping is rejected, because its keys would be taken for the weights."""
    for call in (lambda: load(weights=weights), lambda: bleu.compute(**CORPUS, weights=weights)):
        message = error_of(call)
        assert "weights" in message
        assert "dict" in message or "mapping" in message


# Signatures as sources of options.

SMOOTHINGS = [
    ("exp", None),
    ("none", None),
    ("floor", None),
    ("floor", 0.25),
    ("add-k", None),
    ("add-k", 2),
]


@pytest.mark.parametrize("tokenize", ["13a", "none", "intl", "zh", "char", "ja-mecab", "ko-mecab"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_signatures_of_sacrebleu_are_read(load, tokenize, lowercase):
    """sacreBLEU writes the signature, long and short, and gives the score of each combination of its options."""
    hard = (
        ["The cat sat.", "a 東京 タワー"],
        [["the cat sits.", "東京 の タワー"], ["A cat.", "東京 タワー a"]],
    )
    easy = TEXTS, [[row[0] for row in TEXT_REFERENCES], [row[-1] for row in TEXT_REFERENCES]]
    for (smooth_method, smooth_value), effective_order in itertools.product(
        SMOOTHINGS, [False, True]
    ):
        oracle = BLEU(
            tokenize=tokenize, lowercase=lowercase, smooth_method=smooth_method, smooth_value=smooth_value, effective_order=effective_order
        )  # fmt: skip
        expected = [oracle.corpus_score(*corpus).score for corpus in (hard, easy)]
        signature = oracle.get_signature()
        signed = (
            f"BLEU|{signature} = {expected[0]:.1f} 58.1/33.2/20.9/13.5 (BP = 1.000 ratio = 1.010)"
        )
        for written in (signature.format(), signature.format(short=True), signed):
            metric = load(signature=written)
            for (predictions, streams), score in zip((hard, easy), expected):
                result = metric.compute(predictions=predictions, references=list(zip(*streams)))
                assert result["score"] == pytest.approx(score, abs=1e-9), written


def test_signatures_of_sacrebleu_with_resamples(load):
    oracle = BLEU(smooth_method="floor")
    oracle.corpus_score(TEXTS, [[row[0] for row in TEXT_REFERENCES]], n_bootstrap=20)
    for short in (False, True):
        metric = load(signature=oracle.get_signature().format(short=short))
        assert repr(metric) == (
            "BleuMetric('default', tokenize='13a', lowercase=False, smooth_method='floor',"
            " smooth_value=0.1, n_resamples=20, seed=12345)"
        )
        assert "confidence_interval" not in metric.compute(**CORPUS)


OWN = [
    *({"smooth_method": method} for method in SMOOTH_METHODS),
    *({"smooth_method": name, "smooth_value": 0.005} for name, method in SMOOTH_METHODS.items() if method.value),
    {"smooth_method": "floor", "smooth_value": 0},
    *({"tokenize": name} for name in ("none", "intl", "zh", "char", "multi-bleu", "ja-mecab", "ko-mecab")),
    *({"reference_length": name} for name in ("closest", "shortest", "longest")),
    {"lowercase": True, "effective_order": True, "minimum_total": 2},
    {"max_order": 3, "weights": [1 / 3, 1 / 7, 1e-5]},
    {"max_order": 6, "weights": [2, 0.1, 0.25, 0, 1, 1]},
    {"confidence": 0.9, "n_resamples": 30, "seed": 0},
    {"confidence": 0.9, "seed": None},
]  # fmt: skip


@pytest.mark.parametrize("options", OWN, ids=str)
def test_signatures_of_this_metric_are_read(load, options):
    expected = load().compute(**CORPUS, **options)
    metric = load(signature=expected["signature"])
    result = metric.compute(**CORPUS, confidence=options.get("confidence"))
    assert (result["score"], result["signature"]) == (expected["score"], expected["signature"])
    defaults = {**OPTIONS, "reference_length": "closest"}
    chosen = {
        name: value
        for name, value in options.items()
        if value != defaults[name] and name != "confidence"
    }
    assert all(f"{name}=" in repr(metric) for name in chosen)


# Options of a call; a value that is not drawn is not passed, so that the default holds.
ANY_OPTIONS = st.fixed_dictionaries(
    {"max_order": st.integers(1, 5)},
    optional={
        "tokenize": st.sampled_from(["13a", "none", "intl", "zh", "char", "multi-bleu"]),
        "lowercase": st.booleans(),
        "smooth_method": st.sampled_from(list(SMOOTH_METHODS)),
        "smooth_value": st.sampled_from([0.1, 0.005, 1, 2.5]),
        "effective_order": st.booleans(),
        "reference_length": st.sampled_from(["closest", "shortest", "longest"]),
        "minimum_total": st.integers(0, 2),
        "n_resamples": st.integers(20, 60),
        "seed": st.integers(0, 2**40),
    },
).map(lambda options: options if SMOOTH_METHODS[options.get("smooth_method", "exp")].value else {name: value for name, value in options.items() if name != "smooth_value"})  # fmt: skip


def signed_systems():
    """Return a few segments that differ in case, length and punctuation, and two worse systems."""
    references = [
        [f"The cat sat on mat {i % 7}, alone.", f"A Cat sits on {i % 5} mats"] for i in range(12)
    ]
    good = [row[i % 2] for i, row in enumerate(references)]
    return {
        "good": good,
        "short": [text[:-8] for text in good],
        "lower": [text.lower() for text in good],
    }, references


def call_with_signature(bleu, method, n_resamples):
    """Return a result with segment scores, intervals and p-values, if the method has them."""
    systems, references = signed_systems()
    columns = {"predictions": systems["short"], "references": references}
    if method == "compute":
        return bleu.compute(**columns, segments=True, confidence=0.9)
    if method == "statistics":
        return bleu.compute(statistics=bleu.statistics(**columns), segments=True, confidence=0.9)
    if method == "rank":
        return bleu.rank(systems, references, n_resamples=n_resamples, confidence=0.9)
    return bleu.compare(systems, references, test=method, n_resamples=n_resamples, confidence=0.9)


@pytest.mark.parametrize("method", ["compute", "statistics", "randomization", "bootstrap", "rank"])
@given(options=ANY_OPTIONS, n_resamples=st.none() | st.integers(20, 60))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_signature_brings_everything_back(load, method, options, n_resamples):
    """Scores, segment scores, intervals, p-values, wins and the signature itself are the same again."""
    result = call_with_signature(load(**options), method, n_resamples)
    again = call_with_signature(load(signature=result["signature"]), method, None)
    assert dict(again) == dict(result)


def test_numbers_of_resamples_of_a_signature(load):
    """The number of a test is not an option: an explicit number wins, at load and in the call."""
    systems, references = signed_systems()
    compare = lambda bleu, **how: bleu.compare(systems, references, **how)["signature"]
    signature = compare(load(n_resamples=30), test="bootstrap", n_resamples=50)
    assert "|bs:50|ci:30|" in signature
    assert "|bs:50|ci:30|" in compare(load(signature=signature), test="bootstrap")
    assert "|bs:40|ci:30|" in compare(load(signature=signature), test="bootstrap", n_resamples=40)
    assert "|bs:25|seed" in compare(load(signature=signature, n_resamples=25), test="bootstrap")
    signature = compare(load(n_resamples=30), n_resamples=60)
    assert "|bs:30|ar:60|" in signature
    assert "|bs:30|ar:60|" in compare(load(signature=signature))
    assert "|bs:25|ar:25|" in compare(load(signature=signature, n_resamples=25))


@pytest.mark.parametrize(("kind", "token"), [("tokens", "A"), ("ids", 1)])
def test_signatures_of_tokens_and_ids_do_not_say_how_to_split_text(load, kind, token):
    """`load` rejects them, `reconcile` verifies them."""
    rows = {"predictions": [[token]], "references": [[[token]]]}
    bleu = load(max_order=1)
    result = bleu.compute(**rows)
    assert f"tok:{kind}|" in result["signature"]
    assert read_signature(result["signature"]).pretokenized == kind
    with pytest.raises(
        ValueError, match=rf"^signature: 'tok:{kind}' says that the input was {kind} already"
    ):
        load(signature=result["signature"])
    found = bleu.reconcile(**rows, reported=f"{result['score']:.2f} {result['signature']}")
    assert found["verified"]


def test_token_lists_under_a_signature_are_rejected(load):
    """Its tokenizer counts as given, as an explicit one does."""
    bleu = load(signature="nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0")
    with pytest.raises(ValueError, match=r"^tokenize='13a': these rows are tokens already"):
        bleu.compute(predictions=[["a"]], references=[[["a"]]])


READ = [  # a signature; the options, the number of references and the score
    ("nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0", {"lowercase": False, "tokenize": "13a", "smooth_method": "exp"}, "var", ""),
    ("#:2|c:lc|e:yes|tok:zh|s:none|v:2.0.0", {"lowercase": True, "effective_order": True, "tokenize": "zh", "smooth_method": "none"}, "2", ""),
    ("27.30 nrefs:1|case:lc", {"lowercase": True}, "1", "27.30"),
    ("BLEU 27.3 nrefs:1|case:lc", {"lowercase": True}, "1", "BLEU 27.3"),
    ("BLEU|case:lc = 27.3 58.1/33.2/20.9/13.5 (BP = 1.000 ratio = 1.010)", {"lowercase": True}, None, "27.3"),
    ("tok:ja-mecab-0.996-IPA", {"tokenize": "ja-mecab"}, None, ""),
    ("tok:ko-mecab-0.996/ko-0.9.2-KO", {"tokenize": "ko-mecab"}, None, ""),
    ("tok:flores200|smooth:add-k[1.00]", {"tokenize": "flores200", "smooth_method": "add-k", "smooth_value": 1.0}, None, ""),
    ("nrefs:1|ar:10000|seed:none|case:mixed", {"seed": None, "lowercase": False, "trials": {"randomization": 10_000}}, "1", ""),
    ("nrefs:1|bs:1000|ar:10000|docs:171|rs:12345", {"n_resamples": 1000, "seed": 12345, "trials": {"randomization": 10_000}}, "1", ""),
    ("nrefs:1|bs:1000|ci:2000|docs:171", {"n_resamples": 2000, "trials": {"bootstrap": 1000}}, "1", ""),
    ("nrefs:1|bs:50|t:wmt20|l:en-de|o:en|S:news|test:a", ValueError, "'test'", "twice"),
    ("nrefs:1|bs:50|t:wmt20|l:en-de|o:en|S:news", {"n_resamples": 50}, "1", ""),
    ("  smooth:floor[0.50]\n", {"smooth_method": "floor", "smooth_value": 0.5}, None, ""),
    ("smooth:floor[0.01]|value:0.005", {"smooth_method": "floor", "smooth_value": 0.005}, None, ""),
    ("nrefs:1 | case:lc |\n eff:no|\ttok:intl", {"lowercase": True, "tokenize": "intl"}, "1", ""),
    ("27.3 nrefs:1\n|case:lc", {"lowercase": True}, "1", "27.3"),
    ("eff:no|segeff:no", {"effective_order": False}, None, ""),
    ("segeff:yes", ValueError, "segeff:yes", "effective_order"),
    ("nrefs:1|case:lc tok:intl", ValueError, "expected only a score before the signature", "'nrefs:1|case:lc'"),
    ("nrefs:1 case:lc tok:intl", ValueError, "expected only a score before the signature", "Separate the keys by |"),
    ("Table 3: nrefs:1|case:lc", ValueError, "expected only a score before the signature", "'Table 3:'"),
    ("nrefs:1,case:lc,eff:no,tok:intl", ValueError, "'nrefs:1,case:lc,eff:no,tok:intl' is not one key with its value", "'nrefs:1|case:lc|tok:13a'"),
    ("case:lc,tok:intl", ValueError, "'case:lc,tok:intl' is not one key with its value", "Separate the keys by |"),
    ("case:lc|nrefs:1;tok:intl|smooth:exp", ValueError, "'nrefs:1;tok:intl' is not one key with its value", "Separate the keys by |"),
    ("tok:ja-mecab-0.996,case:lc", ValueError, "'tok:ja-mecab-0.996,case:lc' is not one key with its value", "Separate the keys by |"),
    ("case:lc|test:wmt20，tok：intl", ValueError, "'test:wmt20，tok：intl' is not one key with its value", "Separate the keys by |"),
    ("case:lc|version:2.6.0;tok=intl", ValueError, "'version:2.6.0;tok=intl' is not one key with its value", "Separate the keys by |"),
    ("nrefs=1|case=lc", ValueError, "'nrefs=1' is not a key", "'nrefs:1|case:lc|tok:13a'"),
    ("nrefs:1 = case:lc = tok:intl", ValueError, "expected only a score after the signature", "Separate the keys by |"),
    ("nrefs:1 = 27.3|case:lc", ValueError, "expected only a score after the signature", "Separate the keys by |"),
    ("nrefs:1|version:" + "2.6.0,case:lc," * 20, ValueError, "'version:2.6.0,case:lc,2.6.0,case:lc,2.6.' is not one key with its value", "by |"),
    ("nrefs:1|test:wmt20/tworefs,wmt21|lang:en-zh|origlang:non-en|subset:US-(crime|case:lc", {"lowercase": True}, "1", ""),
    ("nrefs:1|docs:171|runs:3|version:2.6.1.dev3+g1a2b3c4.d20261101", {}, "1", ""),
    ("nrefs:?|docs:var|runs:var", {}, "?", ""),
    ("nrefs:foo", ValueError, "'nrefs:foo' can't be read", "a number or 'var'"),
    ("nrefs:-1", ValueError, "'nrefs:-1' can't be read", "a number or 'var'"),
    ("nrefs:1:2", ValueError, "'nrefs:1:2' is not one key with its value", "'nrefs:1|case:lc|tok:13a'"),
    ("test:a:b", ValueError, "'test:a:b' is not one key with its value", "'nrefs:1|case:lc|tok:13a'"),
    ("docs:?", ValueError, "'docs:?' can't be read", "a number or 'var'"),
    ("runs:x", ValueError, "'runs:x' can't be read", "a number or 'var'"),
    ("ar:0", ValueError, "ar:0", "n_resamples"),
    ("ci:many", ValueError, "ci:many", "n_resamples"),
    ("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0", ValueError, "'nc'", "BLEU"),
    ("chrF2|nrefs:1|case:mixed", ValueError, "'chrF2'", "BLEU"),
    ("case:", ValueError, "'case'", "no value"),
    ("version", ValueError, "'version'", "no value"),
    ("", ValueError, "''", "key"),
    ("case:?", ValueError, "case:?", "lowercase"),
    ("tok:?", ValueError, "tok:?", "tokenize"),
    ("case:upper", ValueError, "case:upper", "lowercase"),
    ("eff:true", ValueError, "eff:true", "effective_order"),
    ("tok:str.split", ValueError, "tok:str.split", "tokenize"),
    ("tok:var", ValueError, "tok:var", "tokenize"),
    ("smooth:floor[0.00]", ValueError, "smooth:floor[0.00]", "smooth_value"),
    ("s:add-k[0.00]", ValueError, "smooth:add-k[0.00]", "smooth_value"),
    ("smooth:exp[0.10]", ValueError, "smooth:exp[0.10]", "smooth_value"),
    ("smooth:kneser-ney", ValueError, "smooth:kneser-ney", "smooth_method"),
    ("order:0", ValueError, "order:0", "max_order"),
    ("order:four", ValueError, "order:four", "max_order"),
    ("bs:0", ValueError, "bs:0", "n_resamples"),
    ("weights:0.5/", ValueError, "weights:0.5/", "weights"),
    ("reflen:average", ValueError, "reflen:average", "reference_length"),
    ("BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.14", {"lowercase": False, "smooth_method": "exp", "tokenize": "13a"}, "1", ""),
    ("BLEU+case.mixed+lang.en-de+numrefs.1+smooth.exp+test.wmt18+tok.13a+version.1.2.9 = 27.3 58/33", {"lowercase": False, "smooth_method": "exp", "tokenize": "13a"}, "1", "27.3"),
    ("BLEU+case.lc+lang.en-ja+numrefs.var+origlang.non-en+smooth.floor+subset.US+test.wmt20/tight+tok.ja-mecab-0.996-IPA+version.1.5.1", {"lowercase": True, "smooth_method": "floor", "tokenize": "ja-mecab"}, "var", ""),
    ("27.3 BLEU+c.lc+#.4+\ns.none +t.wmt17+tok.intl+v.1.2.12", {"lowercase": True, "smooth_method": "none", "tokenize": "intl"}, "4", "27.3"),
    ("BLEU+numrefs.1+tok.intl = 27.3", {"tokenize": "intl"}, "1", "27.3"),
    ("BLEU+case.upper+tok.13a", ValueError, "case:upper", "lowercase"),
    ("BLEU+case.lc+tok.moses", ValueError, "tok:moses", "tokenize"),
    ("BLEU+case.lc+case.mixed", ValueError, "'case'", "occurs twice"),
    ("BLEU+case.lc+", ValueError, "''", "BLEU"),
    ("chrF2+case.mixed+numchars.6+numrefs.1+space.False+version.1.4.14", ValueError, "'chrF2", "BLEU"),
    (b"case:lc", TypeError, "bytes", "signature"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("signature", "expected", "references", "score"), READ, ids=[str(row[0]) for row in READ]
)
def test_forms_of_signatures(load, signature, expected, references, score):
    """With an error, the last two columns are parts of its message."""
    if isinstance(expected, dict):
        trials = expected.get("trials", {})
        options = {name: value for name, value in expected.items() if name != "trials"}
        assert read_signature(signature) == (options, trials, None, references, score)
        return
    for call in (lambda: read_signature(signature), lambda: load(signature=signature)):
        message = error_of(call)
        assert references in message
        assert score in message
    with pytest.raises(expected):
        load(signature=signature)


# Keys with their values, and what stands between two of them.
SIGNED_PAIRS = [
    "nrefs:1", "#:2", "bs:50", "ar:60", "docs:17", "rs:7", "runs:3", "t:wmt20", "lang:en-de", "o:non-en", "S:news",
    "case:lc", "eff:yes", "tok:intl", "tok:ja-mecab-0.996-IPA", "s:floor[0.50]", "order:3", "reflen:longest", "v:2.6.0",
]  # fmt: skip
SEPARATORS = [*",;/+&.!~^*-_=:\\'\"()[]<>#%$@?", *"│┃┆¦｜❘∣‖⎮·•،，；、：∶‑–—／\u200b\u00a0\u3000\ufeff", "||", "\n", "\t", " = ", " and ", ""]  # fmt: skip
FORM = "Separate the keys by |, as in 'nrefs:1|case:lc|tok:13a'."


def read_or_none(signature):
    try:
        return read_signature(signature)
    except ValueError:
        return None


between = st.one_of(
    st.sampled_from(["|", " | ", "|\n"]),
    st.sampled_from(SEPARATORS).flatmap(
        lambda mark: st.sampled_from([mark, f"{mark} ", f" {mark}", f" {mark} "])
    ),
    st.text(st.characters(exclude_characters="|", exclude_categories=["Cs", "Nd"]), max_size=3),
)


@given(
    pairs=st.lists(st.sampled_from(SIGNED_PAIRS), min_size=2, max_size=6, unique=True),
    marks=st.lists(between, min_size=5, max_size=5) | between.map(lambda mark: [mark] * 5),
    signed=st.sampled_from(["{}", "27.3 {}", "BLEU|{}", "{} = 27.3 58.1/33.2/20.9/13.5"]),
)
@settings(max_examples=500)
def test_only_bars_separate_keys(pairs, marks, signed):
    """With anything else between the keys, the text is not read as another signature than with bars."""
    written = pairs[0] + "".join(mark + pair for mark, pair in zip(marks, pairs[1:]))
    expected = read_or_none(signed.format("|".join(pairs)))  # None if a key occurs twice
    content = read_or_none(signed.format(written))
    has_bars_only = all(mark.strip() == "|" for mark in marks[: len(pairs) - 1])
    assert content == expected if has_bars_only else content in (None, expected)


@pytest.mark.parametrize("mark", SEPARATORS, ids=ascii)
def test_another_separator_shows_the_form(load, mark):
    """Whichever key comes first."""
    keys = ["nrefs:1", "case:lc", "eff:no", "tok:intl", "smooth:exp", "version:2.6.0"]
    for first in range(len(keys)):
        written = mark.join([*keys[first:], *keys[:first]])
        assert FORM in error_of(lambda: load(signature=written))


@pytest.mark.parametrize("name", sorted(BLEU.TOKENIZERS))
def test_each_tokenizer_of_sacrebleu_is_read(name):
    """As sacreBLEU signs it. Models that it would have to download are not needed for their names."""
    models = importlib.import_module("sacrebleu.tokenizers.tokenizer_spm").SPM_MODELS
    signed_name = (
        models[name]["signature"] if name in models else BLEU(tokenize=name).tokenizer.signature()
    )
    signature = BLEUSignature({
        "num_refs": -1, "n_bootstrap": 50, "seed": 7, "test_set": "wmt20/tworefs,wmt21", "langpair": "en-zh", "origlang": "non-en",
        "subset": "US-(crime", "smooth_method": "floor", "smooth_value": 0.5, "lowercase": True, "effective_order": True,
        "tokenizer_signature": signed_name,
    })  # fmt: skip
    expected = {
        "n_resamples": 50, "seed": 7, "lowercase": True, "effective_order": True, "tokenize": "flores101" if name == "spm" else name,
        "smooth_method": "floor", "smooth_value": 0.5,
    }  # fmt: skip
    for short in (False, True):
        content = read_signature(signature.format(short))
        assert (content.options, content.nrefs) == (expected, "var")


def test_each_test_set_of_sacrebleu_is_read():
    for name, test_set in DATASETS.items():
        for pair in test_set.langpairs:
            content = read_signature(f"nrefs:1|test:{name}|lang:{pair}|case:lc")
            assert content.options == {"lowercase": True}


def test_each_key_has_one_short_form():
    """Long keys are those of sacreBLEU and of this metric; a short form belongs to one key."""
    short = [key.short for key in SIGNATURE_KEYS.values()]
    assert len({*short, *SIGNATURE_KEYS}) == len(short) + sum(
        key.short != long for long, key in SIGNATURE_KEYS.items()
    )
    oracle = BLEU()
    oracle.corpus_score(["a"], [["a"]])
    theirs = oracle.get_signature()._abbr
    assert theirs == {long: SIGNATURE_KEYS[long].short for long in theirs}


def test_options_win_over_a_signature(load):
    signature = "nrefs:1|case:lc|eff:no|tok:zh|smooth:floor[0.50]|order:2|version:1"
    metric = load(signature=signature, tokenize="char", max_order=3)
    shown = "tokenize='char', lowercase=True, max_order=3, smooth_method='floor', smooth_value=0.5"
    assert repr(metric) == f"BleuMetric('default', {shown})"
    assert (
        "|smooth:add-k[1.00]|"
        in load(signature=signature, smooth_method="add-k").compute(**CORPUS)["signature"]
    )
    assert "|smooth:floor[0.25]|" in metric.compute(**CORPUS, smooth_value=0.25)["signature"]


@pytest.mark.parametrize("name", ["default", "nltk", "sacrebleu"])
def test_a_convention_and_a_signature_exclude_each_other(load, name):
    with pytest.raises(ValueError, match="config_name and signature"):
        load(name, signature="case:lc")


# Weights for tables: the orders of the tables, options at load or in the call; the orders in the message, or None.
TABLE_WEIGHTS = [
    (2, {"weights": [0.5, 0.5]}, None),
    (2, {"weights": [0.25] * 4}, 2),
    (1, {"weights": [1]}, None),
    (3, {"weights": [0.5, 0.5]}, 3),
    (3, {"weights": [0.5, 0.5], "max_order": 2}, None),
    (4, {"weights": [0.5, 0.5]}, 4),
    (4, {"weights": [0.4, 0.3, 0.2, 0.1]}, None),
    (6, {"weights": [1] * 6}, None),
]


@pytest.mark.parametrize(("orders", "options", "wrong"), TABLE_WEIGHTS)
def test_weights_belong_to_the_orders_of_the_table(bleu, orders, options, wrong):
    counts = {**CORPUS, "max_order": orders}
    table, other = (
        bleu.statistics(**counts),
        bleu.statistics(**{**counts, "predictions": TEXTS[::-1]}),
    )
    systems = {"A": table, "B": other}
    calls = [
        lambda: bleu.compute(statistics=table, **options)["bleu"],
        lambda: bleu.compute(statistics=[table, table], **options)["bleu"],
        lambda: bleu.compute(statistics=table.to_pandas().sum().to_list(), like=table, **options)[
            "bleu"
        ],
        lambda: bleu.compare(systems, n_resamples=20, **options)["systems"]["A"]["bleu"],
        lambda: bleu.rank(systems, n_resamples=20, **options)["ranking"][-1]["bleu"],
    ]
    for call in calls:
        if wrong:
            assert error_of(call).endswith(
                f"pass one weight per order ({wrong} in all), or change max_order."
            )
    if not wrong:
        expected = bleu.compute(**{**counts, **options})["bleu"]
        reverse = bleu.compute(**{**counts, **options, "predictions": TEXTS[::-1]})["bleu"]
        assert [call() for call in calls] == [expected] * 4 + [min(expected, reverse)]


def test_weights_for_texts_need_an_order_each(bleu):
    """For texts the orders are known when the call begins."""
    message = "weights=[0.5, 0.5]: pass one weight per order (4 in all), or change max_order."
    for name, call in CALLS.items():
        if name != "compute, statistics":
            assert error_of(lambda call=call: call(bleu, weights=[0.5, 0.5])) == message, name


# Options at load, which `reconcile` keeps under each convention.
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
def test_conventions_keep_chosen_options(load, options):
    """Each line is `compute` of that convention under the same options, given at load or in the call."""
    predictions, references = random_captions(seed=3, count=40)
    corpus = {"predictions": predictions, "references": references}
    at_load = load(**options).reconcile(**corpus)
    in_call = load().reconcile(**corpus, **options)
    assert at_load == in_call
    assert list(at_load) == ["default", "papineni", "hf", "nltk", "moses", "coco"]
    for name, line in at_load.items():
        expected = load(name, **options).compute(**corpus)
        assert line["bleu"] == pytest.approx(expected["bleu"], abs=1e-12), name
        assert line["signature"] == expected["signature"], name
        assert line["delta"] == pytest.approx(line["bleu"] - at_load["default"]["bleu"], abs=1e-12)
        assert sum(step["delta"] for step in line["steps"]) == pytest.approx(
            line["delta"], abs=1e-12
        )


def test_options_of_the_call_win_over_those_of_load(load):
    lines = load(lowercase=True, max_order=2).reconcile(**CORPUS, lowercase=False)
    for name, line in lines.items():
        assert line["bleu"] == pytest.approx(
            load(name, max_order=2).compute(**CORPUS)["bleu"], abs=1e-12
        )


# Calls of the methods that reject options of a corpus's score.
OTHER_CALLS = {
    "compare": lambda bleu, **options: bleu.compare({"A": ["a"], "B": ["b"]}, ["a"], **options),
    "rank": lambda bleu, **options: bleu.rank({"A": ["a"], "B": ["b"]}, ["a"], **options),
    "diff": lambda bleu, **options: bleu.diff({"A": ["a"], "B": ["b"]}, ["a"], **options),
    "explain": lambda bleu, **options: bleu.explain("a", "a", **options),
    "pairwise": lambda bleu, **options: bleu.pairwise(["a"], **options),
    "self_bleu": lambda bleu, **options: bleu.self_bleu(["a", "b"], **options),
    "check": lambda bleu, **options: bleu.check(["a"], ["a"], **options),
    "reconcile": lambda bleu, **options: bleu.reconcile(["a"], ["a"], 1, **options),
    "compute_metrics": lambda bleu, **options: bleu.compute_metrics(object(), **options),
}


@pytest.mark.parametrize("at", ["load", "call"])
@pytest.mark.parametrize("name", OTHER_CALLS)
def test_a_dict_of_tokenizers_needs_labels(load, name, at):
    """Without `by`, the labels in the dict have no meaning, so the dict is rejected."""
    options = {"tokenize": {"en-zh": "zh"}}
    message = error_of(
        lambda: (
            OTHER_CALLS[name](load(**options))
            if at == "load"
            else OTHER_CALLS[name](load(), **options)
        )
    )
    if name == "compute_metrics":
        assert (
            message
            == "tokenize: 'en-zh' is not among the labels of `by`. Remove it, or correct the label."
        )
    else:
        assert (
            "tokenize: got a dict, which names the tokenizer of each label. Pass the labels as by=[...] to"
            in message
        )


def test_every_method_that_rejects_options_is_called():
    rejecting = {name for name, options in METHODS.items() if options is not CorpusOptions}
    assert set(OTHER_CALLS) == rejecting


@pytest.mark.parametrize("name", OTHER_CALLS)
def test_options_of_a_corpus_are_rejected_elsewhere(bleu, name):
    values = {"segments": True, "confidence": 0.9, "n_resamples": 10, "seed": 1}
    assert set(values) == set(CORPUS_ONLY)
    rejected = set(OPTIONS) - set(inspect.signature(getattr(bleu, name)).parameters)
    assert "segments" in rejected
    for option in rejected:
        with pytest.raises(TypeError) as raised:
            OTHER_CALLS[name](bleu, **{option: values[option]})
        assert (
            str(raised.value)
            == f"`{option}` is not an option of {name}(). Remove it. {name}() takes {taken(bleu, name)}."
        )


CALLS = {
    "compute": lambda bleu, **options: bleu.compute(**ROWS, **options),
    "statistics": lambda bleu, **options: bleu.statistics(**ROWS, **options),
    "compute, statistics": lambda bleu, **options: bleu.compute(statistics=[1, 1, 1, 1], **options),
    **OTHER_CALLS,
}


def taken(bleu, name):
    """Return the arguments that a method takes by name only, from its signature."""
    parameters = inspect.signature(getattr(bleu, name)).parameters.values()
    return ", ".join(
        parameter.name for parameter in parameters if parameter.kind == parameter.KEYWORD_ONLY
    )


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("option", ["foo", "xyz_123", "brevity", "return_all"])
def test_an_unknown_option_without_a_near_name_lists_all(bleu, name, option):
    with pytest.raises(TypeError) as raised:
        CALLS[name](bleu, **{option: 1})
    assert str(raised.value) == f"Unknown option `{option}`. {name}() takes {taken(bleu, name)}."
    assert set(taken(bleu, name).split(", ")) >= set(METHODS[name].__annotations__)


# Names of arguments with a typing error, and the methods that have them.
MISTYPED = [
    ("max_oder", "max_order", METHODS),
    ("refrences", "references", ["compute", "statistics", "compute_metrics"]),
    ("document", "documents", ["compute", "statistics", "compare", "rank"]),
    ("basline", "baseline", ["compare"]),
    ("family_wide", "family_wise", ["rank"]),
    ("decimal", "decimals", ["reconcile"]),
    ("ignore_idx", "ignore_index", ["compute_metrics"]),
]


@pytest.mark.parametrize(("written", "near", "methods"), MISTYPED)
def test_an_unknown_option_with_a_near_name_names_it(bleu, written, near, methods):
    for name in methods:
        with pytest.raises(
            TypeError, match=f"^Unknown option `{written}`. Did you mean `{near}`\\?$"
        ):
            CALLS[name](bleu, **{written: 1})


def test_unknown_options_at_load_and_of_drop_ins(load):
    options = ", ".join(OPTIONS)
    assert (
        error_of(lambda: load(foo=1)) == f"Unknown option `foo`. evaluate.load() takes {options}."
    )
    for name in ("bleu", "sacrebleu"):
        message = error_of(lambda name=name: load(name).compute(**ROWS, foo=1))
        listed = message.removeprefix(
            f"Unknown option `foo`. evaluate's `{name}` compute() takes "
        ).rstrip(".")
        theirs = [p for p in inspect.signature(load(name).compute).parameters if p not in ROWS]
        assert set(theirs) <= set(listed.split(", ")) <= {*theirs, *OPTIONS} - set(CORPUS_ONLY)


@pytest.mark.parametrize("name", METHODS)
def test_names_of_other_tools_under_every_method(bleu, name):
    """The advice names an argument of the method, or another way; without one, the message lists what it takes."""
    parameters = inspect.signature(getattr(bleu, name)).parameters
    for option, advice in OTHER_NAMES.items():
        if option in parameters:  # explain(prediction=...)
            continue
        message = error_of(lambda: CALLS[name](bleu, **{option: 1}))
        named = re.findall("write `([a-z_]+)", message)
        assert set(named) <= set(parameters)
        if not named:
            others = ("remove it", "BLEU does not stem", "pass texts to compute(")
            is_listed = message == f"Unknown option `{option}`. {name}() takes {taken(bleu, name)}."
            assert is_listed or any(f"`{option}`: {other}" in message for other in others)
        if set(re.findall("^write `([a-z_]+)", advice)) <= set(parameters):
            assert named or advice in message or option in ("predictions", "references")


# The arguments of other tools for a column, and what each method calls the column.
COLUMNS = {
    "predictions": [
        "hypotheses",
        "hypothesis",
        "preds",
        "res",
        "sys_stream",
        "sys",
        "candidate_corpus",
    ],
    "references": [
        "list_of_references",
        "target",
        "gts",
        "ref_streams",
        "refs",
        "references_corpus",
    ],
}
NAMES_OF_COLUMNS = {
    "compute": ("predictions", "references"),
    "statistics": ("predictions", "references"),
    "compare": ("systems", "references"),
    "rank": ("systems", "references"),
    "diff": ("systems", "references"),
    "explain": ("prediction", "references"),
    "self_bleu": ("texts", "against"),
    "pairwise": ("predictions", "references"),
    "check": ("predictions", "references"),
    "reconcile": ("predictions", "references"),
}


@pytest.mark.parametrize("name", NAMES_OF_COLUMNS)
def test_columns_of_other_tools(bleu, name):
    for column, written in zip(COLUMNS, NAMES_OF_COLUMNS[name]):
        for other in COLUMNS[column]:
            message = error_of(lambda other=other: CALLS[name](bleu, **{other: 1}))
            assert message.startswith(f"Unknown option `{other}`: write `{written}`")


def test_columns_are_not_for_load(load):
    """sacreBLEU's `BLEU(references=...)`, for example."""
    for name, column in (("references", "references"), ("preds", "predictions"), ("docs", "documents"), ("group_by", "by")):  # fmt: skip
        message = error_of(lambda name=name: load(**{name: 1}))
        assert message == f"Unknown option `{name}`: pass it to compute() as `{column}`."


# The functions of other tools with options for BLEU, and arguments that Python does not show.
SIGNATURES = [
    sacrebleu.corpus_bleu, sacrebleu.sentence_bleu, sacrebleu.raw_corpus_bleu, BLEU, BLEU.corpus_score, BLEU.sentence_score,
    corpus_bleu, sentence_bleu,
]  # fmt: skip
TORCHMETRICS = ["preds", "target", "n_gram", "smooth", "weights", "tokenize", "lowercase", "compute_on_cpu", "sync_on_compute", "dist_sync_on_step", "process_group", "dist_sync_fn", "distributed_available_fn", "compute_with_cache"]  # fmt: skip
EVALUATE = ["predictions", "references", "tokenizer", "max_order", "smooth", "smooth_method", "smooth_value", "force", "lowercase", "tokenize", "use_effective_order"]  # fmt: skip
PYCOCOEVALCAP = ["n", "gts", "res", "verbose", "option", "special_reflen"]


def test_every_argument_of_other_tools_has_an_answer():
    arguments = {*TORCHMETRICS, *EVALUATE, *PYCOCOEVALCAP}
    for function in SIGNATURES:
        arguments |= set(inspect.signature(function).parameters) - {"self"}
    assert arguments <= {*OPTIONS, *OTHER_NAMES}


def test_conventions_reject_options_of_one_score(load):
    for options in ({"segments": True}, {"confidence": 0.95}, {"lowercased": True}):
        assert next(iter(options)) in error_of(
            lambda options=options: load().reconcile(**CORPUS, **options)
        )


TYPED = {
    "max_order": np.int64(2),
    "lowercase": np.True_,
    "tokenize": np.str_("zh"),
    "weights": np.array([0.5, 0.5]),
}


def test_numpys_scalars_are_pythons_in_what_prints_options(load):
    bleu = load(**TYPED)
    result = bleu.reconcile(**CORPUS)
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
            predictions=predictions,
            references=references,
            smooth_method="none",
            max_order=max_order,
        )
        assert result["bleu"] == pytest.approx(unsmoothed["bleu"], abs=1e-12)


def test_an_alpha_of_0_mixes_nothing(bleu):
    """Method 6 with a value of 0 uses no n-grams that the shorter orders let expect."""
    mixed = bleu.compute(**CORPUS, smooth_method="chen-cherry-6", smooth_value=0)
    assert mixed["bleu"] == pytest.approx(
        bleu.compute(**CORPUS, smooth_method="none")["bleu"], abs=1e-12
    )


# A value out of bounds, and a pattern for the bound and whether it is included.
BOUNDS = [
    ({"confidence": 1}, r"(below|less than|under|smaller than|exclusive|excluded|strictly).*1|1.*(exclusive|excluded|not included)"),
    ({"confidence": 0}, r"(above|more than|over|greater than|larger than|exclusive|excluded|strictly).*0|0.*(exclusive|excluded|not included)"),
    ({"smooth_method": "floor", "smooth_value": -0.5}, r"0 or (more|above)|at least 0|not negative|non-negative"),
    ({"smooth_method": "floor", "smooth_value": math.inf}, r"finite|0 or (more|above)|at least 0"),
    ({"weights": [0.5, 0.5, 0.5, -0.5]}, r"0 or (more|above)|at least 0|not negative|non-negative"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), BOUNDS, ids=[str(row[0]) for row in BOUNDS])
def test_errors_state_the_bounds(load, options, words):
    with pytest.raises(ValueError, match=f"(?i){words}") as raised:
        load(**options)
    assert "inf" not in str(raised.value).replace("found inf", "").replace("=inf", "")


@pytest.mark.parametrize("smooth_method", ["exp", "none", "laplace", "chen-cherry-5", "nltk-5"])
@pytest.mark.parametrize("smooth_value", [0.5, 0, 1])
def test_a_smoothing_value_for_a_method_without_one(bleu, load, smooth_method, smooth_value):
    """The value is ignored with a warning that names both; score and signature are those without it."""
    expected = load(smooth_method=smooth_method).compute(**CORPUS)
    with pytest.warns(
        bleu.Warning, match=rf"smooth_value.*{smooth_method}|{smooth_method}.*smooth_value"
    ):
        result = bleu.compute(**CORPUS, smooth_method=smooth_method, smooth_value=smooth_value)
    assert result == expected


def test_a_smoothing_value_from_load_fits_the_method_of_the_call(load):
    """`add-k` uses the value, and `exp` doesn't need it."""
    bleu = load(smooth_method="add-k", smooth_value=2)
    assert bleu.compute(**CORPUS, smooth_method="exp") == load().compute(**CORPUS)


@pytest.mark.parametrize(
    ("tokenize", "hint"),
    [
        ("", "13a.*zh"),
        ("13b", "13a.*zh"),
        ("13A", "13a"),
        ("ZH", "zh"),
        ("moses", "moses-en"),
        ("spacy", "Pass a function"),
    ],
)
def test_a_wrong_tokenizers_name_fails_at_load(load, tokenize, hint):
    """The error comes before the model has generated, and has the name that is meant or lists all."""
    for call in (lambda: load(tokenize=tokenize), lambda: load("nltk", tokenize=tokenize)):
        with pytest.raises(ValueError, match=f"tokenize='{tokenize}'.*{hint}"):
            call()


def test_a_wrong_tokenizers_name_fails_when_the_callback_is_made(bleu):
    with pytest.raises(ValueError, match="tokenize='13b'"):
        bleu.compute_metrics(object(), tokenize="13b")


@pytest.mark.parametrize(
    "tokenize", ["13a", "none", "intl", "zh", "char", "ja-mecab", "ko-mecab", "multi-bleu"]
)
def test_right_names_are_known_at_load(load, tokenize):
    """sacreBLEU's names are known too, and no dictionary or model is loaded."""
    assert load(tokenize=tokenize).name == "bleu_metric"


# A user's tokenizer, and a pattern for the type in its list.
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
    """The message names the type in the list, not only the list."""
    for call in (bleu.compute, bleu.statistics):
        with pytest.raises(
            TypeError,
            match=rf"predictions\[0\]: expected a list of str from the tokenizer.*{words}",
        ):
            call(predictions=["a", "b"], references=["a", "b"], tokenize=tokenize)


# An unknown option, and the similar option if there is one.
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
def test_similar_names_are_suggested_and_no_others(bleu, load, name, near):
    for call in (lambda: load(**{name: 1}), lambda: bleu.compute(**CORPUS, **{name: 1})):
        with pytest.raises(TypeError, match=f"`{name}`") as raised:
            call()
        assert (f"Did you mean `{near}`" in str(raised.value)) == (near is not None)
        assert ("Did you mean" in str(raised.value)) == (near is not None)


# Names of other tools, a value there, and a pattern for what to write here.
NAMES = [
    ("tokenizer", "zh", "write `tokenize`"),
    ("tokenizer", str.split, "write `tokenize`"),
    ("use_effective_order", True, "write `effective_order`"),
    ("max_ngram_order", 2, "write `max_order`"),
    ("force", True, "remove it"),
    ("trg_lang", "zh", "write .*'zh'"),
    ("trg_lang", "ja", "write .*'ja-mecab'"),
    ("trg_lang", "ko", "write .*'ko-mecab'"),
    ("trg_lang", "de", "remove it for others"),
    ("smoothing_function", SmoothingFunction().method1, "write `smooth_method`: .*method1 is 'floor'"),
    ("smooth", True, "write `smooth_method='laplace'` .* `smooth_method='add-k'` for torchmetrics"),
    ("option", "closest", "write `reference_length`"),
    ("special_reflen", 3, "write `reference_length`"),
    ("verbose", 1, "remove it"),
    *((name, None, "remove it; .*total") for name in TORCHMETRICS[7:]),
    ("auto_reweigh", True, "write `effective_order=True`"),
    ("use_aggregator", False, "`segments=True`"),
    ("use_stemmer", True, "function that stems"),
    ("list_of_references", [["a"]], "write `references`"),
    ("hypotheses", ["a"], "write `predictions`"),
    ("preds", ["a"], "write `predictions`"),
    ("prediction", ["a"], "write `predictions`"),
    ("reference", ["a"], "write `references`"),
    ("target", ["a"], "write `references`"),
    ("targets", ["a"], "write `references`"),
    ("refs", ["a"], "write `references`"),
    *((name, ["a"], "write `predictions`") for name in ("candidate_corpus", "candidates", "hyps", "outputs", "res", "sys", "sys_stream")),
    *((name, ["a"], "write `references`") for name in ("gts", "ref_streams", "references_corpus")),
    ("hypothesis", ["a"], "write `predictions`"),
    ("n_gram", 2, "write `max_order`"),
    ("order", 2, "write `max_order`"),
    ("ignore_case", True, "write `lowercase`"),
    ("trust_remote_code", True, "remove it"),
    ("tok", "zh", "write `tokenize`"),
    ("lc", True, "write `lowercase`"),
    ("lower", True, "write `lowercase`"),
    ("max_n", 2, "write `max_order`"),
    ("ngram_order", 2, "write `max_order`"),
    ("smoothing", "exp", "write `smooth_method`"),
    ("epsilon", 0.1, "write `smooth_value`"),
    ("k", 1, "write `smooth_value`"),
    *((name, 2, "write `max_order`") for name in ("max_ngram", "n", "n_grams", "ngram", "ngrams")),
    *((name, False, "write `lowercase=True`") for name in ("case", "case_sensitive", "cased", "do_lower_case", "uncased")),
    *((name, 0.95, "write `confidence=0.95`") for name in ("ci", "conf", "confidence_interval", "confidence_level", "level")),
    *((name, 100, "write `n_resamples`") for name in ("n_boot", "n_iterations", "n_trials", "paired_ar_n", "paired_bs_n", "trials")),
    *((name, True, "remove it; .*`test='bootstrap'`") for name in ("paired", "paired_ar", "paired_bs", "paired_test")),
    *((name, True, "write `segments=True`") for name in ("return_sentences", "sentence", "sentence_level", "sentence_scores", "sentences")),
    ("alpha", 0.05, "write `confidence=0.95`"),
    ("alpha", 0.01, "write `confidence=0.99` for a 99% interval, and tests at the 1% level"),
    ("alpha", np.float64(0.1), "write `confidence=0.9` for a 90% interval"),
    ("alpha", 0.6, "write `confidence=0.95` for a 95% interval"),  # no level: confidence is 0.5 or more
    ("alpha", "x", "write `confidence=0.95` for a 95% interval"),
    ("alpha", True, "write `confidence=0.95` for a 95% interval"),
    ("level", 0.9, "write `confidence=0.9` for a 90% interval"),
    ("ci", 99.5, "write `confidence=0.995` for a 99.5% interval"),
    ("conf", 0.05, "write `confidence=0.95` for a 95% interval"),
    ("bootstrap", True, "write `confidence=0.95`"),
    *((name, 1000, "write `confidence=0.95` .*`n_resamples`") for name in ("n_bootstrap", "n_bootstraps")),
    *((name, 100, "write `n_resamples`") for name in ("n_samples", "num_samples")),
    *((name, 1, "write `seed`") for name in ("random_seed", "random_state", "rng")),
    *((name, ["a"], "write `by`") for name in ("group_by", "groups")),
    *((name, ["a"], "write `documents`") for name in ("doc_ids", "docs")),
    *((name, 2, "remove it") for name in ("n_jobs", "num_proc")),
]  # fmt: skip


def test_every_name_of_another_tool_is_tested():
    assert {name for name, _, _ in NAMES} == set(OTHER_NAMES) - set(COLUMNS)


@pytest.mark.parametrize(
    ("name", "value", "advice"), NAMES, ids=[f"{name}-{advice}" for name, _, advice in NAMES]
)
def test_errors_for_names_of_other_tools_say_what_to_write(bleu, load, name, value, advice):
    at_load = re.sub("^write (`(predictions|references|by|documents)`)", r"pass it to compute\\(\\) as \1", advice)  # fmt: skip
    for call, expected in (
        (lambda: load(**{name: value}), at_load),
        (lambda: bleu.compute(**CORPUS, **{name: value}), advice),
    ):
        with pytest.raises(TypeError, match=f"^Unknown option `{name}`: .*{expected}"):
            call()


@pytest.mark.parametrize("number", range(8))
def test_the_advice_on_nltks_methods_is_right(load, number):
    """The method that the errors name for NLTK's method has NLTK's score."""
    advice = dict(re.findall(r"method(\d) is '(.*?)'", OTHER_NAMES["smoothing_function"]))
    for value in (f"method{number}", getattr(SmoothingFunction(), f"method{number}")):
        message = error_of(lambda value=value: load(smooth_method=value))
        assert message.endswith(f"Pass smooth_method='{advice[str(number)]}'.")
    tokens, reference = (
        list("abcxdeyfzw"),
        list("abcdefghij"),
    )  # no 4-gram matches, and no precision is above 1
    expected = sentence_bleu(
        [reference], tokens, smoothing_function=getattr(SmoothingFunction(), f"method{number}")
    )
    bleu = load("nltk", smooth_method=advice[str(number)])
    assert bleu.compute(predictions=[tokens], references=[[reference]])["bleu"] == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"lowercased": True},
        {"config_name": "nope"},
        {"max_order": 0},
        {"cache_dir": "a file"},
        {"process_id": -1},
    ],
    ids=str,
)
def test_a_constructor_that_fails_leaves_nothing_to_clean_up(load, monkeypatch, tmp_path, wrong):
    """No "Exception ignored in __del__" follows the error."""
    (tmp_path / "a file").touch()
    monkeypatch.chdir(tmp_path)
    ignored = []
    monkeypatch.setattr(
        sys, "unraisablehook", lambda raised: ignored.append(repr(raised.exc_value))
    )
    with pytest.raises((TypeError, ValueError, OSError)):
        load(**wrong)
    gc.collect()
    assert ignored == []


def test_warnings_of_options_come_once_per_call(bleu):
    _, messages = record_warnings(lambda: bleu.compute(**CORPUS, smooth_value=0.5))
    assert sum("smooth_value" in message for message in messages) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fooo": 1, "barr": 1}, "Unknown option `fooo`"),
        ({"tokenizer": "zh", "tokenize": "zh"}, "Unknown option `tokenizer`"),
        ({"smooth_method": ["exp"]}, r"smooth_method=\['exp'\]: pass one of"),
        ({"smooth_method": "floor", "smooth_value": Decimal("0.5")}, "smooth_value=Decimal.*: pass a number, an int or a float"),
        ({"weights": [Fraction(1, 4)] * 4}, r"weights\[0\]=Fraction.*: pass a number, an int or a float"),
    ],
    ids=str,
)  # fmt: skip
def test_errors_name_the_option_as_written(bleu, options, message):
    """The message is about the first wrong option, under the name that the caller wrote."""
    with pytest.raises((TypeError, ValueError), match=message):
        bleu.compute(predictions=["a"], references=["a"], **options)


# Replacements of evaluate's `sacrebleu` and `bleu`: their examples, arguments and keys, number by number.


KEYS = {
    "sacrebleu": ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"],
    "bleu": ["bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"],
}  # fmt: skip
PREDICTIONS = ["the cat sat on the mat", "a dog ran to the house", "it is big and old"]
REFERENCES = [
    ["the cat sat on a mat", "a cat sat"],
    ["the dog ran to a house", "a dog ran home"],
    ["it is big and red"] * 2,
]
ROWS = {"predictions": PREDICTIONS, "references": REFERENCES}

# Examples in the documents of evaluate's modules: module, predictions, references, documented values.
DOCUMENTED = [
    (
        "sacrebleu",
        ["hello there general kenobi", "on our way to ankh morpork"],
        [["hello there general kenobi", "hello there !"], ["goodbye ankh morpork", "ankh morpork"]],
        {"score": 39.76353643835252, "counts": [6, 4, 2, 1], "totals": [10, 8, 6, 4], "precisions": [60.0, 50.0, 33.333333333333336, 25.0], "bp": 1.0, "sys_len": 10, "ref_len": 7},
    ),
    (
        "sacrebleu",
        ["hello there general kenobi", "foo bar foobar"],
        [["hello there general kenobi", "hello there !"], ["foo bar foobar", "foo bar foobar"]],
        {"score": 100.0},
    ),
    (
        "bleu",
        ["hello there general kenobi", "foo bar foobar"],
        [["hello there general kenobi", "hello there !"], ["foo bar foobar"]],
        {"bleu": 1.0, "precisions": [1.0] * 4, "brevity_penalty": 1.0, "length_ratio": 1.1666666666666667, "translation_length": 7, "reference_length": 6},
    ),
    (
        "bleu",
        ["hello there general kenobi", "foo bar foobar"],
        [["hello there general kenobi"], ["foo bar foobar"]],
        {"bleu": 1.0, "precisions": [1.0] * 4, "brevity_penalty": 1.0, "length_ratio": 1.0, "translation_length": 7, "reference_length": 7},
    ),
]  # fmt: skip

SACREBLEU_ARGUMENTS = [
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 0.3},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.5, "use_effective_order": True},
    {"smooth_value": None, "force": True, "tokenize": None},
    {"lowercase": True, "tokenize": "intl", "use_effective_order": True},
    {"tokenize": "zh", "force": False},
    {"tokenize": "char", "lowercase": False},
    {"tokenize": "none"},
    {"tokenize": "ja-mecab"},
]


@pytest.fixture(scope="module")
def evaluates_sacrebleu():
    return evaluate.load(str(ROOT / "tests" / "evaluates_sacrebleu.py"))


def assert_same(result, expected, tolerance=1e-9):
    """Assert that both dicts have the same keys in order, and numbers that differ by the tolerance at most."""
    assert list(result) == list(expected)
    for key, value in expected.items():
        assert result[key] == pytest.approx(value, abs=tolerance, rel=0), key


def mean_of_resamples(module, count=30):
    """Return the mean of every value over resampled columns with one string per row, as a bootstrap does."""
    columns = np.array(PREDICTIONS * 4), np.array([row[0] for row in REFERENCES] * 4)
    generator = np.random.default_rng(0)
    chosen = [generator.integers(0, len(columns[0]), len(columns[0])) for _ in range(count)]
    results = [
        module.compute(predictions=columns[0][rows], references=columns[1][rows]) for rows in chosen
    ]
    return {
        key: np.mean([result[key] for result in results], axis=0).tolist() for key in results[0]
    }


@pytest.mark.parametrize(("name", "predictions", "references", "expected"), DOCUMENTED)
def test_documented_examples(load, name, predictions, references, expected):
    result = load(name).compute(predictions=predictions, references=references)
    assert list(result) == KEYS[name]
    assert_same({key: result[key] for key in expected}, expected)


@pytest.mark.parametrize("arguments", SACREBLEU_ARGUMENTS, ids=str)
def test_sacrebleu_against_evaluates_sacrebleu(load, evaluates_sacrebleu, arguments):
    """Corpora of few words, some without a match, and text of all scripts; several references, or one str per row."""
    texts, alternatives = random_rows(seed=31, count=30)
    hard = (texts, [[row[0], row[-1]] for row in alternatives])
    module = load("sacrebleu")
    for predictions, references in [
        *small_corpora(20),
        hard,
        (hard[0], [row[0] for row in hard[1]]),
    ]:
        columns = {"predictions": predictions, "references": references}
        result = module.compute(**columns, **arguments)
        expected = evaluates_sacrebleu.compute(**columns, **arguments)
        if arguments.get("smooth_method") == "add-k":
            # sacreBLEU puts smoothed counts of orders above 1 into its result; here counts are as without smoothing.
            unsmoothed = evaluates_sacrebleu.compute(**columns, smooth_method="none")
            expected |= {key: unsmoothed[key] for key in ("counts", "totals")}
        assert_same(result, expected, tolerance=1e-11)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"smooth": True}, {"smooth": False, "max_order": 2}, {"smooth": True, "max_order": 6}],
)
def test_bleu_against_bleuscore(load, arguments):
    """bleuscore is evaluate's `bleu` in Rust, with the same arguments and keys; neither can score empty columns."""
    module = load("bleu")
    for predictions, references in small_corpora():
        if not any(predictions) or not any(all(row) for row in references):
            continue
        expected = bleuscore.compute(references, predictions, **arguments)
        assert_same(
            module.compute(predictions=predictions, references=references, **arguments),
            {key: expected[key] for key in KEYS["bleu"]},
        )


def test_bleus_tokenizer_is_any_function(load):
    corpus = {
        "predictions": [text.replace(" ", "|") for text in PREDICTIONS],
        "references": [[text.replace(" ", "|") for text in row] for row in REFERENCES],
    }
    result = load("bleu").compute(**corpus, tokenizer=lambda text: text.split("|"))
    assert_same(
        result, {key: bleuscore.compute(REFERENCES, PREDICTIONS)[key] for key in KEYS["bleu"]}
    )


def test_bleu_of_nothing_is_0(load):
    """evaluate's `bleu` divides by zero."""
    result = load("bleu").compute(predictions=["", ""], references=["a b", ""])
    assert (result["bleu"], result["brevity_penalty"], result["length_ratio"]) == (0, 0, 0)


@pytest.mark.parametrize("name", KEYS)
def test_the_dict_has_no_other_keys(load, name):
    """The result is a plain dict of values that JSON takes, whatever was asked for at load."""
    for module in (load(name), load(name, segments=True, confidence=0.9)):
        result = module.compute(**ROWS)
        assert type(result) is dict
        assert list(result) == KEYS[name]
        assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize("name", KEYS)
def test_every_value_can_be_averaged(load, evaluates_sacrebleu, name):
    means = mean_of_resamples(load(name))
    assert list(means) == KEYS[name]
    if name == "sacrebleu":
        assert_same(means, mean_of_resamples(evaluates_sacrebleu))


def test_references_may_differ_in_number(load):
    """evaluate's `sacrebleu` rejects this."""
    references = [["a b c d", "x"], ["a b c d"]]
    score = load("sacrebleu").compute(predictions=["a b c d"] * 2, references=references)["score"]
    assert score == pytest.approx(100)  # sacreBLEU's 100.00000000000004


@pytest.mark.parametrize(("name", "convention"), [("sacrebleu", "default"), ("bleu", "hf")])
def test_all_other_methods_are_those_of_the_convention(load, name, convention):
    module, own = load(name, segments=True), load(convention, segments=True)
    rows = module.statistics(**ROWS)
    assert rows.equals(own.statistics(**ROWS), check_metadata=True)
    assert module.compute(statistics=rows) == own.compute(statistics=rows)
    systems = {"a": PREDICTIONS, "b": PREDICTIONS[::-1]}
    assert module.compare(systems, REFERENCES, n_resamples=20) == own.compare(
        systems, REFERENCES, n_resamples=20
    )
    assert module.explain(PREDICTIONS[0], REFERENCES[0]) == own.explain(
        PREDICTIONS[0], REFERENCES[0]
    )
    assert module.reconcile(**ROWS) == own.reconcile(**ROWS)
    assert module.reconcile(**ROWS, reported=50) == own.reconcile(**ROWS, reported=50)


@pytest.mark.parametrize(
    ("name", "options", "own"),
    [
        ("sacrebleu", {"tokenize": "char", "max_order": 2}, {"tokenize": "char", "max_order": 2}),
        ("sacrebleu", {"use_effective_order": True}, {"effective_order": True}),
        ("bleu", {"tokenizer": "char"}, {"tokenize": "char"}),
        ("bleu", {"lowercase": True, "smooth_method": "floor"}, {"lowercase": True, "smooth_method": "floor"}),
    ],
)  # fmt: skip
def test_options_of_this_metric_are_understood_too(load, name, options, own):
    """Options are taken at load and in the call; an argument that is None leaves the value from load."""
    assert load(name).compute(**ROWS, **options) == load(name, **own).compute(**ROWS)
    if name == "sacrebleu":
        assert load(name, **own).compute(**ROWS, tokenize=None) == load(name).compute(**ROWS, **own)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sacrebleu", {"use_effective_order": True, "force": True}),
        ("bleu", {"tokenizer": "char", "smooth": True}),
    ],
)
def test_arguments_of_evaluates_modules_issue_no_warning(load, name, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        load(name).compute(**ROWS, **arguments)


WRONG_ARGUMENTS = [
    ("sacrebleu", {"smooth": True}, TypeError, "write `smooth_method='laplace'`"),
    ("sacrebleu", {"tokenise": "zh"}, TypeError, "Did you mean `tokenize`"),
    ("sacrebleu", {"smooth_method": "chen"}, ValueError, "'floor', 'add-k', 'exp'"),
    ("bleu", {"tokenizer": str.split, "tokenize": "zh"}, TypeError, "are the same option"),
    ("bleu", {"smooth": True, "smooth_method": "exp"}, TypeError, "are the same option"),
    ("bleu", {"use_effective_order": True}, TypeError, "write `effective_order`"),
    ("sacrebleu", {"tokenizer": "zh"}, TypeError, "write `tokenize`"),
    ("bleu", {"segments": True}, TypeError, "^`segments` is not an option of evaluate's `bleu` compute.*. Remove it"),
    ("sacrebleu", {"confidence": 0.95}, TypeError, "`confidence` is not an option of .*`sacrebleu`.*. Remove it"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "error", "message"), WRONG_ARGUMENTS)
def test_errors_say_what_to_write(load, name, arguments, error, message):
    with pytest.raises(error, match=message):
        load(name).compute(**ROWS, **arguments)


@pytest.mark.parametrize("name", KEYS)
def test_as_any_metric_of_evaluate(load, tmp_path, name):
    """Batches, `keep_in_memory`, `experiment_id` and copies work as with evaluate's modules."""
    expected = load(name).compute(**ROWS)
    for options in (
        {"keep_in_memory": True},
        {"experiment_id": "first", "cache_dir": str(tmp_path)},
    ):
        module = load(name, **options)
        module.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
        for duplicate in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), module):
            duplicate.add(prediction=PREDICTIONS[2], reference=REFERENCES[2])
            assert duplicate.compute() == expected
            assert inspect.signature(duplicate.compute) == inspect.signature(module.compute)


@pytest.mark.slow
@pytest.mark.processes
def test_two_processes_share_files(tmp_path, load):
    code = """
import json, sys
import evaluate
process = int(sys.argv[2])
module = evaluate.load(sys.argv[1], "sacrebleu", num_process=2, process_id=process, experiment_id="shared", cache_dir=sys.argv[3])
print(json.dumps(module.compute(predictions=["a b c d e"] * 2, references=["a b c d x"] * 2)))
"""
    processes = [start_python(code, ROOT / "bleu_metric.py", i, tmp_path) for i in range(2)]
    expected = load("sacrebleu").compute(
        predictions=["a b c d e"] * 4, references=["a b c d x"] * 4
    )
    assert [read_result(process) for process in processes] == [expected, None]


@pytest.mark.parametrize("name", KEYS)
def test_repr_and_signature(load, evaluates_sacrebleu, name):
    """repr has the name of the module; the signature has its arguments and their defaults."""
    module = load(name)
    assert repr(module) == f"BleuMetric('{name}')"
    shown = inspect.signature(module.compute).parameters
    assert "smooth_method" in inspect.signature(module.statistics).parameters
    if name == "sacrebleu":
        theirs = inspect.signature(evaluates_sacrebleu._compute).parameters
        assert {key: one.default for key, one in shown.items() if key not in ROWS} == {
            key: one.default for key, one in theirs.items() if key not in ROWS
        }
    else:
        assert list(shown) == ["predictions", "references", "tokenizer", "max_order", "smooth"]


STALE = [
    ("bleu", {"smooth_method": "floor", "smooth_value": 0.3}, {"smooth": True}),
    ("bleu", {"smooth_value": 0.3}, {"smooth": True}),
    ("bleu", {"smooth_method": "add-k", "smooth_value": 3}, {"smooth": False}),
    ("sacrebleu", {"smooth_method": "floor", "smooth_value": 0.3}, {"smooth_method": "exp"}),
    ("sacrebleu", {"smooth_method": "add-k", "smooth_value": 3}, {"smooth_method": "none"}),
]


@pytest.mark.parametrize(("name", "at_load", "arguments"), STALE)
def test_a_value_left_from_another_method_has_no_effect(load, name, at_load, arguments):
    """The value at load belongs to a method that the call replaces by the module's own name of the option."""
    corpus = {"predictions": ["a b c d x y"], "references": [["a b c d z w"]]}
    assert load(name, **at_load).compute(**corpus, **arguments) == load(name).compute(
        **corpus, **arguments
    )


@pytest.mark.parametrize("name", [None, "sacrebleu", "bleu"])
def test_columns_without_their_names(load, name):
    """The error says what to write, and `help` shows the columns by name only."""
    module = load(name)
    for arguments in ((PREDICTIONS, REFERENCES), (PREDICTIONS,)):
        with pytest.raises(
            TypeError, match=r"Write compute\(predictions=\.\.\., references=\.\.\.\)"
        ):
            module.compute(*arguments)
    with pytest.raises(TypeError, match=r"Write compute\(predictions="):
        module.compute(PREDICTIONS, references=REFERENCES)
    kinds = {one.kind for one in inspect.signature(module.compute).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    assert (
        inspect.signature(type(module).compute).parameters["predictions"].kind
        == inspect.Parameter.KEYWORD_ONLY
    )


@pytest.mark.parametrize(
    ("options", "own"),
    [({"weights": [0.5, 0.2, 0.2, 0.1]}, {"weights": [0.5, 0.2, 0.2, 0.1]}), ({"smooth_method": "nltk-5"}, {"smooth_method": "nltk-5"})],
    ids=str,
)  # fmt: skip
def test_options_that_sacrebleu_does_not_have_are_scored_as_here(load, options, own):
    result, expected = load("sacrebleu").compute(**ROWS, **options), load().compute(**ROWS, **own)
    assert result["score"] == expected["score"]
    assert result["precisions"] == pytest.approx([100 * value for value in expected["precisions"]])


def test_the_literals_are_the_names_of_the_records():
    """Names of tokenizers that depend on a language, `moses-…`, are a `TokenizerName`."""
    assert [*get_args(NamedTokenizer)][: len(TOKENIZERS)] == list(TOKENIZERS)
    others = set(get_args(NamedTokenizer)) - set(TOKENIZERS)
    assert others == set(BLEU.TOKENIZERS) - set(TOKENIZERS)
    assert list(get_args(SmoothMethodName)) == list(SMOOTH_METHODS)
    assert list(get_args(ReferenceLengthName)) == list(REFERENCE_LENGTHS)
    assert list(get_args(Convention)) == [*CONVENTIONS, *DROP_INS]
    assert set(get_args(TestName)) == set(ALL_TESTS)
