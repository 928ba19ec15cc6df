"""Options: values, sources, errors, and names that other tools use."""

import gc
import inspect
import json
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
import sacrebleu
from bleu.bleu_core.options.option_names import (
    CORPUS_ONLY,
    OTHER_NAMES,
    Convention,
    CorpusOptions,
    NamedTokenizer,
    ReferenceLengthName,
    SmoothMethodName,
    TestName,
)
from bleu.bleu_core.options.options import CONVENTIONS, DROP_INS, OPTIONS
from bleu.bleu_core.rules.counting import REFERENCE_LENGTHS
from bleu.bleu_core.rules.smoothing import SMOOTH_METHODS
from bleu.bleu_core.rules.tokenizers import TOKENIZERS
from bleu.bleu_core.significance.tests import ALL_TESTS
from bleu.bleu_metric import METHODS
from helpers import (
    random_captions,
    random_rows,
    record_warnings,
)
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from sacrebleu.metrics import BLEU

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


PREDICTIONS = ["the cat sat on the mat", "a dog ran to the house", "it is big and old"]
REFERENCES = [
    ["the cat sat on a mat", "a cat sat"],
    ["the dog ran to a house", "a dog ran home"],
    ["it is big and red"] * 2,
]
ROWS = {"predictions": PREDICTIONS, "references": REFERENCES}


def test_the_literals_are_the_names_of_the_records():
    """Names of tokenizers that depend on a language, `moses-…`, are a `TokenizerName`."""
    assert [*get_args(NamedTokenizer)][: len(TOKENIZERS)] == list(TOKENIZERS)
    others = set(get_args(NamedTokenizer)) - set(TOKENIZERS)
    assert others == set(BLEU.TOKENIZERS) - set(TOKENIZERS)
    assert list(get_args(SmoothMethodName)) == list(SMOOTH_METHODS)
    assert list(get_args(ReferenceLengthName)) == list(REFERENCE_LENGTHS)
    assert list(get_args(Convention)) == [*CONVENTIONS, *DROP_INS]
    assert set(get_args(TestName)) == set(ALL_TESTS)
