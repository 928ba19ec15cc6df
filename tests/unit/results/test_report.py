"""Results: plain dicts that display as tables, in text, Markdown, LaTeX and HTML."""

import copy
import functools
import html
import itertools
import json
import multiprocessing
import pickle
import re
import types
from html.parser import HTMLParser
from typing import TypedDict

import evaluate
import numpy as np
import pyarrow as pa
import pytest
import sacrebleu
import yaml
from bleu.bleu_core.methods.compute import Result
from bleu.bleu_core.results.html import show
from bleu.bleu_core.results.report import Report, format_latex, format_markdown
from bleu.bleu_core.results.wording import escape_unseen, shorten
from bleu.bleu_core.shared.result_types import CorpusScores, ReconciliationContent, Settings
from datasets import Dataset
from helpers import ROOT, random_rows, run_python
from markdown_it import MarkdownIt
from sacrebleu.metrics.bleu import BLEUScore

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Dicts, text and tables.


PREDICTIONS = ["The cat sat on the mat.", "a dog", "It rains."]
REFERENCES = [["The cat sat on a mat."], ["a cat"], ["It is raining."]]
OTHERS = ["The cat sat on a mat.", "a dog", "It is."]
GROUPS = ["cats & dogs", "cats & dogs", "rain|snow"] * 2

MAKE = {
    "compute": lambda bleu: bleu.compute(predictions=PREDICTIONS, references=REFERENCES, segments=True, confidence=0.9),
    "statistics": lambda bleu: bleu.compute(statistics=bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)),
    "compare": lambda bleu: bleu.compare({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, n_resamples=10),
    "compute, by": lambda bleu: bleu.compute(predictions=PREDICTIONS * 2, references=REFERENCES * 2, by=GROUPS, segments=True, confidence=0.9, n_resamples=10),
    "statistics, by": lambda bleu: bleu.compute(statistics=bleu.statistics(predictions=PREDICTIONS, references=REFERENCES), by=["x", "y", "x"]),
    "compare, by": lambda bleu: bleu.compare({"A": PREDICTIONS * 2, "B": OTHERS * 2}, REFERENCES * 2, n_resamples=10, by=GROUPS),
    "rank": lambda bleu: bleu.rank({"A": PREDICTIONS, "B": OTHERS, "C": ["x"] * 3}, REFERENCES, n_resamples=10),
    "diff": lambda bleu: bleu.diff({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, by=["cats", "dogs", "rain"]),
    "explain": lambda bleu: bleu.explain(PREDICTIONS[0], REFERENCES[0]),
    "conventions": lambda bleu: bleu.reconcile(PREDICTIONS, REFERENCES),
    "reconcile": lambda bleu: bleu.reconcile(PREDICTIONS, REFERENCES, 99.5),
    "self_bleu": lambda bleu: bleu.self_bleu(PREDICTIONS),
}  # fmt: skip
COLUMNS = {
    "compute": ["order", "matches", "total", "precision", "bleu", "confidence_interval_low", "confidence_interval_high", "bootstrap_mean", "standard_error", "segment"],
    "statistics": ["order", "matches", "total", "precision", "bleu"],
    "compare": ["system", "bleu", "score", "confidence_interval_low", "confidence_interval_high", "bootstrap_mean", "standard_error", "delta", "p_value", "wins", "ties", "losses", "delta_interval_low", "delta_interval_high", "delta_degrees_of_freedom", "delta_standard_error", "detectable_delta"],
    "compute, by": ["group", "bleu", "score", "brevity_penalty", "length_ratio", "translation_length", "reference_length", "mean_segment_bleu", "confidence", "confidence_interval_low", "confidence_interval_high", "bootstrap_mean", "standard_error", "signature"],
    "statistics, by": ["group", "bleu", "score", "brevity_penalty", "length_ratio", "translation_length", "reference_length", "signature"],
    "compare, by": ["system", "part", "group", "bleu", "score", "confidence_interval_low", "confidence_interval_high", "bootstrap_mean", "standard_error", "macro_bleu", "delta", "p_value", "wins", "ties", "losses", "delta_interval_low", "delta_interval_high", "delta_degrees_of_freedom", "delta_standard_error", "detectable_delta", "macro_delta", "macro_p_value", "macro_delta_interval_low", "macro_delta_interval_high", "macro_delta_degrees_of_freedom", "macro_delta_standard_error"],
    "rank": ["system", "bleu", "score", "confidence_interval_low", "confidence_interval_high", "bootstrap_mean", "standard_error", "rank_range", "cluster"],
    "diff": ["part", "from", "to", "segments", "bleu_A", "bleu_B", "delta", "group"],
    "explain": ["order", "total", "unclipped_matches", "matches", "precision"],
    "conventions": ["convention", "bleu", "score", "delta", "signature"],
    "reconcile": ["settings", "bleu", "score", "delta", "signature"],
    "self_bleu": ["text", "bleu"],
}  # fmt: skip


@pytest.fixture(params=MAKE)
def name(request):
    return request.param


@pytest.fixture
def result(name, bleu):
    return MAKE[name](bleu)


def plain(value):
    """Return the value with every dict and list rebuilt; assert that every value has a class of Python's own."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    assert value is None or type(value) in (bool, int, float, str), type(value)
    return value


SCALARS = {  # what the keys of a result become
    "compute": {
        "bleu": "bleu",
        "precision_1": ("precisions", 0),
        "precision_4": ("precisions", 3),
        "confidence_interval_low": ("confidence_interval", 0),
        "confidence_interval_high": ("confidence_interval", 1),
        "translation_length": "translation_length",
        "mean_segment_bleu": "mean_segment_bleu",
    },
    "compute, by": {"rain|snow/bleu": ("groups", "rain|snow", "bleu"), "macro_bleu": "macro_bleu"},
    "compare": {"A/score": ("systems", "A", "score"), "B/delta": ("systems", "B", "delta"), "B/delta_interval_high": ("systems", "B", "delta_interval", 1)},
    "compare, by": {"B/cats & dogs/p_value": ("systems", "B", "groups", "cats & dogs", "p_value")},
    "rank": {"B/bleu": ("ranking", 0, "bleu"), "B/rank_range_high": ("ranking", 0, "rank_range", 1), "C/cluster": ("ranking", 2, "cluster")},
}  # fmt: skip


@pytest.mark.parametrize("name", SCALARS)
def test_scalars_are_the_numbers_of_a_result(bleu, name):
    result = MAKE[name](bleu)
    scalars = result.to_scalars()
    assert all(type(value) is float for value in scalars.values())
    for key, path in SCALARS[name].items():
        value = result
        for step in [path] if isinstance(path, str) else path:
            value = value[step]
        assert scalars[key] == value
    last_parts = {key.rpartition("/")[2] for key in scalars}
    assert not last_parts & {"seed", "n_resamples", "confidence", "alpha", "counts", "signature"}


@pytest.mark.parametrize(("systems", "by", "message"), [
    (["A", "A/x"], ["x", "x", "x/x"], "result['systems']['A']['groups']['x']['bleu'] and result['systems']['A/x']['bleu'] would share the key 'A/x/bleu'"),
    ({"A": ["x"], "B": ["y"]}, ["x", "x", "z"], "result['systems']['A']['runs']['x']['bleu'] and result['systems']['A']['groups']['x']['bleu'] would share the key 'A/x/bleu'"),
    ({"A": [1, 2], "B": ["y"]}, [1, 1, 2], "result['systems']['A']['runs'][1]['bleu'] and result['systems']['A']['groups'][1]['bleu'] would share the key 'A/1/bleu'"),
    ({"A": ["x/y"], "A/x": ["y"]}, None, "result['systems']['A']['runs']['x/y']['bleu'] and result['systems']['A/x']['runs']['y']['bleu'] would share the key 'A/x/y/bleu'"),
    ({"A": ["x"], "A/x": ["y"]}, None, "result['systems']['A']['runs']['x']['bleu'] and result['systems']['A/x']['bleu'] would share the key 'A/x/bleu'"),
    (["A/x", "A"], ["x", "y", "y"], "result['systems']['A/x']['bleu'] and result['systems']['A']['groups']['x']['bleu'] would share the key 'A/x/bleu'"),
])  # fmt: skip
def test_scalars_of_one_key_are_an_error(bleu, systems, by, message):
    """The message names both numbers of the key."""
    texts = itertools.cycle([PREDICTIONS, OTHERS])
    given = {name: next(texts) for name in systems}
    if isinstance(systems, dict):
        given = {name: {run: next(texts) for run in runs} for name, runs in systems.items()}
    result = bleu.compare(given, REFERENCES, n_resamples=10, by=by)
    full_message = f"to_scalars(): {message}. Rename a system, a group or a run."
    with pytest.raises(ValueError, match=f"^{re.escape(full_message)}$"):
        result.to_scalars()


class TestDict:
    def test_plain_python_values(self, result):
        assert result == plain(result)
        assert json.loads(json.dumps(result)) == result
        assert {**result} == dict(result) == result

    def test_pickled_it_is_a_dict(self, result):
        """So are the dicts in it, whole or one by one."""
        restored = pickle.loads(pickle.dumps(result))
        assert restored == result
        pickled_alone = [pickle.loads(pickle.dumps(within)) for within in list_dicts(result)]
        for within in [*list_dicts(restored), *pickled_alone]:
            assert type(within) is dict

    @pytest.mark.parametrize("dump", [yaml.safe_dump, yaml.dump, yaml.CSafeDumper])
    def test_as_yaml(self, result, dump):
        """PyYAML writes results, and the dicts in them, as it writes plain dicts."""
        if dump is yaml.CSafeDumper:
            dump = functools.partial(yaml.dump, Dumper=yaml.CSafeDumper)
        expected = dump(json.loads(json.dumps(result)))
        assert dump(result) == dump(dict(result)) == expected

    @pytest.mark.parametrize(
        "duplicate", [copy.copy, copy.deepcopy, Report.copy], ids=["copy", "deepcopy", "method"]
    )
    def test_a_copy_is_a_report(self, result, duplicate):
        again = duplicate(result)
        assert type(again) is type(result)
        assert again == result
        assert again is not result

    def test_a_deep_copy_shares_nothing(self, bleu):
        result = MAKE["compute"](bleu)
        copy.deepcopy(result)["precisions"].clear()
        assert result["precisions"]


@pytest.mark.processes
def test_in_a_process_that_never_loaded_the_metric(bleu, tmp_path):
    """The process unpickles the same plain dicts."""
    results = [make(bleu) for make in MAKE.values()]
    path = tmp_path / "results.pickle"
    path.write_bytes(pickle.dumps(results))
    code = "import json, pickle, sys; print(json.dumps([[type(one).__name__, one] for one in pickle.load(open(sys.argv[1], 'rb'))]))"
    assert run_python(code, path) == [["dict", result] for result in results]


def _score(text):
    return evaluate.load(str(ROOT / "bleu_metric.py")).compute(
        predictions=[text], references=[text]
    )


def test_across_multiprocessing():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        (result,) = pool.map_async(_score, ["a b c d"]).get(60)
    assert type(result) is dict
    assert result["score"] == 100


@pytest.mark.parametrize("processes", [None, 2])
def test_as_rows_of_datasets(bleu, processes):
    data = Dataset.from_dict({"text": ["a b c d", "a b c x"]})
    scored = data.map(
        lambda row: bleu.compute(predictions=[row["text"]], references=["a b c d"]),
        num_proc=processes,
    )
    assert [round(score, 2) for score in scored["score"]] == [100, 59.46]


def test_combined(load):
    combined = evaluate.combine({"a": load(), "b": load(max_order=1)}, force_prefix=True)
    scores = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert (scores["a_totals"], scores["b_totals"]) == ([12, 9, 6, 4], [12])
    assert json.dumps(scores)


# Results that were saved come back as what they were.

RUNS = {
    "A": {"seed 1": PREDICTIONS, "seed 2": OTHERS},
    "B": {"seed 1": OTHERS, "seed 2": OTHERS[::-1]},
}
SAVED = {
    **MAKE,
    "check": lambda bleu: bleu.check(["a cat</s>", "a dog", "x"], ["a cat", "a dog", "x"]),
    "check of systems": lambda bleu: bleu.check({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, documents=["x", "x", "y"]),
    "compute, documents": lambda bleu: bleu.compute(predictions=PREDICTIONS, references=REFERENCES, documents=["x", "x", "y"], confidence=0.95, n_resamples=20),
    "compare, runs": lambda bleu: bleu.compare(RUNS, REFERENCES, n_resamples=20, by=GROUPS[:3]),
    "compare, bootstrap": lambda bleu: bleu.compare({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, test="bootstrap", n_resamples=20, documents=["x", "x", "y"]),
    "compare, one segment": lambda bleu: bleu.compare({"A": PREDICTIONS[:1], "B": OTHERS[:1]}, REFERENCES[:1]),
    "reconcile, a line": lambda bleu: bleu.reconcile(PREDICTIONS, REFERENCES, str(bleu.compute(predictions=PREDICTIONS, references=REFERENCES))),
}  # fmt: skip
FORMATS = ["__str__", "__repr__", "to_markdown", "to_latex", "to_html", "report", "to_scalars"]


@pytest.fixture(params=SAVED)
def saved_name(request):
    return request.param


class TestRestore:
    def test_from_json(self, bleu, saved_name):
        """It equals the result, is of its type, and reads the same in each format."""
        result = SAVED[saved_name](bleu)
        restored = bleu.restore(json.loads(json.dumps(result)))
        assert restored == result
        assert type(restored) is type(result)
        for name in FORMATS:
            assert hasattr(restored, name) == hasattr(result, name)
            if hasattr(result, name):
                assert getattr(restored, name)() == getattr(result, name)()
        assert restored.to_pandas().equals(result.to_pandas())
        assert list(map(list, list_dicts(restored))) == list(map(list, list_dicts(result)))

    @pytest.mark.parametrize(
        "save",
        [
            lambda result: pickle.loads(pickle.dumps(result)),
            lambda result: yaml.safe_load(yaml.safe_dump(result, sort_keys=False)),
            copy.copy,
            copy.deepcopy,
            dict,
            lambda result: types.MappingProxyType(dict(result)),
        ],
        ids=["pickle", "yaml", "copy", "deepcopy", "dict", "mapping"],
    )
    @pytest.mark.parametrize("name", ["compute, by", "compare, by", "diff", "explain"])
    def test_from_other_copies(self, bleu, name, save):
        result = SAVED[name](bleu)
        restored = bleu.restore(save(result))
        assert restored == result
        assert type(restored) is type(result)
        assert str(restored) == str(result)
        assert restored is not result

    def test_from_a_file_of_evaluate_save(self, bleu, tmp_path):
        """Its keys about time and machine stay in the dict, and change no table."""
        result = SAVED["compute"](bleu)
        path = evaluate.save(tmp_path, **result)
        restored = bleu.restore(json.loads(path.read_text()))
        assert restored.items() > result.items()
        assert str(restored) == str(result)
        assert restored.to_latex() == result.to_latex()
        assert restored.to_scalars() == result.to_scalars()

    def test_it_shares_nothing_with_what_was_saved(self, bleu):
        saved = json.loads(json.dumps(SAVED["compare, by"](bleu)))
        restored = bleu.restore(saved)
        restored["systems"]["A"]["confidence_interval"].clear()
        restored["systems"]["A"]["groups"].clear()
        assert saved == SAVED["compare, by"](bleu)

    def test_missing_keys_are_explained_again(self, bleu):
        restored = bleu.restore(json.loads(json.dumps(SAVED["compare"](bleu))))
        with pytest.raises(KeyError, match=r"Write result\['systems'\]\['B'\]\['p_value'\]"):
            restored["pvalue"]

    @pytest.mark.parametrize("names", [(1, 2), (None, True), (0.5, "x")])
    def test_names_that_are_no_str(self, bleu, names):
        """JSON makes a str of a key, and not of a value: the baseline is still one of the systems."""
        given = dict(zip(names, (PREDICTIONS, OTHERS)))
        for result in (
            bleu.compare(given, REFERENCES, n_resamples=9, by=[1, None, 1]),
            bleu.rank(given, REFERENCES, n_resamples=9),
            bleu.diff(given, REFERENCES, by=[1, None, 1]),
        ):
            saved = json.loads(json.dumps(result))
            restored = bleu.restore(saved)
            assert restored.keys() == result.keys()
            assert str(restored).count("baseline") == str(result).count("baseline")
            of_pickle = bleu.restore(pickle.loads(pickle.dumps(result)))
            assert of_pickle == result
            assert str(of_pickle) == str(result)

    def test_ngrams_are_in_the_dict_and_texts_are_not(self, bleu):
        difference = SAVED["diff"](bleu)
        restored = bleu.restore(json.loads(json.dumps(difference)))
        assert restored.distinctive_ngrams("A") == difference.distinctive_ngrams("A")
        checked = bleu.restore(json.loads(json.dumps(SAVED["check"](bleu))))
        with pytest.raises(ValueError, match=r"^fixed: .*check"):
            checked.fixed()

    @pytest.mark.parametrize(
        ("saved", "message"),
        [
            ({}, "got an empty dict"),
            ({"a": 1, 2: 3}, "got a dict with the keys 'a', 2"),
            ({"bleu": 27.3, "gen_len": 11.0}, "got a dict with the keys 'bleu', 'gen_len'"),
            ({"bleu_score": 27.3, "bleu_signature": "nrefs:1"}, "got a dict with the keys 'bleu_score', 'bleu_signature'"),
        ],
    )  # fmt: skip
    def test_another_dict(self, bleu, saved, message):
        with pytest.raises(
            ValueError, match=r"^saved: expected a result of .*compute\(\).*compare\(\)"
        ) as error:
            bleu.restore(saved)
        assert message in str(error.value)

    @pytest.mark.parametrize("module", ["sacrebleu", "bleu"])
    def test_the_result_of_a_drop_in(self, bleu, load, module):
        saved = load(module).compute(predictions=PREDICTIONS, references=REFERENCES)
        with pytest.raises(
            ValueError, match=f"got that of evaluate's `{module}`, which has no tables"
        ):
            bleu.restore(json.loads(json.dumps(saved)))

    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("compute", "precisions"),
            ("statistics, by", "groups"),
            ("compare", "systems"),
            ("compare, by", "systems"),
            ("rank", "ranking"),
            ("diff", "systems"),
            ("explain", "orders"),
            ("conventions", "nltk"),
            ("reconcile", "nearest"),
            ("self_bleu", "segment_bleu"),
            ("check", "findings"),
        ],
    )
    def test_a_dict_of_which_a_part_was_changed(self, bleu, name, key):
        """It is rejected here rather than when it is printed."""
        saved = json.loads(json.dumps(SAVED[name](bleu)))
        for value in (3, None, "x"):
            with pytest.raises(ValueError, match=r"^saved: it looks like a result of "):
                bleu.restore({**saved, key: value})

    @pytest.mark.parametrize(
        ("saved", "message"),
        [
            ("{}", "got str. Pass json.loads(saved)"),
            (None, "got None"),
            ([{}], "got list. Pass one result"),
            (pa.table({"a": [1]}), "got Table"),
        ],
    )
    def test_what_is_no_dict(self, bleu, saved, message):
        with pytest.raises(TypeError, match=f"^saved: expected a dict, {re.escape(message)}"):
            bleu.restore(saved)


# A list and its display, which is complete for up to 8 values and for up to 4 dicts or lists.
SHORTENED = [
    ([], "[]"),
    (list(range(8)), "[0, 1, 2, 3, 4, 5, 6, 7]"),
    (list(range(9)), "[0, 1, 2, ... 6 more]"),
    ([[1]] * 4, "[[1], [1], [1], [1]]"),
    ([[1]] * 5, "[[1], [1], ... 3 more]"),
    ([{"a": 1}] * 5, "[{'a': 1}, {'a': 1}, ... 3 more]"),
    ([[0] * 9] * 2, "[[0, 0, 0, ... 6 more], [0, 0, 0, ... 6 more]]"),
    ([0] * 1234, "[0, 0, 0, ... 1,231 more]"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "shown"), SHORTENED, ids=[shown for _, shown in SHORTENED])
def test_lists_are_shortened(values, shown):
    assert repr(shorten(values)) == shown


PUBLIC = {
    "to_markdown", "to_latex", "to_html", "to_pandas", "plot", "report", "to_scalars", "distinctive_ngrams",
}  # fmt: skip


def test_public_names(result, name):
    """Tab offers dict's methods and the documented ones; only some results can be plotted or quoted."""
    public = {attribute for attribute in dir(result) if not attribute.startswith("_")} - set(
        dir(dict)
    )
    method = name.partition(",")[0]
    absent = set() if method == "diff" else {"distinctive_ngrams"}
    if method in ("rank", "diff", "self_bleu"):
        absent.add("plot")
    if method not in QUOTED:
        absent |= {"report", "to_scalars"}
    assert public == PUBLIC - absent


# What `print` writes of `compute`: sacreBLEU's line, and the signature.

LINES = [
    {},
    {"lowercase": True},
    {"tokenize": "intl"},
    {"tokenize": "char", "max_order": 6},
    {"max_order": 1},
    {"max_order": 2, "smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.3},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 3, "max_order": 5},
    {"effective_order": True, "max_order": 8},
    {"smooth_method": "none"},
]


def read_sacrebleus_line(predictions, references, options, n_resamples=1):
    """Return the line of sacreBLEU for the same texts and options."""
    names = {
        "tokenize": "tokenize",
        "lowercase": "lowercase",
        "max_order": "max_ngram_order",
        "smooth_method": "smooth_method",
        "smooth_value": "smooth_value",
        "effective_order": "effective_order",
    }
    metric = sacrebleu.BLEU(**{names[name]: value for name, value in options.items()})
    widest = max(map(len, references))
    padded = [row + [None] * (widest - len(row)) for row in references]
    return str(metric.corpus_score(predictions, list(zip(*padded)), n_bootstrap=n_resamples))


@pytest.mark.parametrize("options", LINES, ids=str)
def test_the_line_that_sacrebleu_prints(bleu, options):
    """Of corpora of many sizes, whose precisions round up and down, without a match, empty, with one segment."""
    corpora = [random_rows(seed=seed, count=seed % 8 * 5 + 1) for seed in range(12)]
    corpora += [
        (["a b"], [["c d"]]),
        ([""], [["a"]]),
        (["a b c d e"], [["a b c d e"]]),
        (["a"], [[""]]),
    ]
    for predictions, references in corpora:
        result = bleu.compute(predictions=predictions, references=references, **options)
        expected = read_sacrebleus_line(predictions, references, options)
        assert str(result) == f"{expected}\n{result['signature']}"
        table = bleu.statistics(predictions=predictions, references=references, **options)
        assert str(bleu.compute(statistics=table, **options)) == str(result)


@pytest.mark.parametrize("options", LINES, ids=str)
def test_the_interval_that_sacrebleu_prints(bleu, options):
    """At the level that sacreBLEU has; a score of 0 has none there."""
    for seed in range(0, 8, 2):
        predictions, references = random_rows(seed=seed, count=10 * seed + 2)
        resampling = {"confidence": 0.95, "n_resamples": 200}
        result = bleu.compute(
            predictions=predictions, references=references, **options, **resampling
        )
        expected = read_sacrebleus_line(predictions, references, options, n_resamples=200)
        assert str(result) == f"{expected}\n{result['signature']}"
        assert ("±" in expected) == (result["bootstrap_mean"] > 0)


def test_intervals_that_sacrebleu_does_not_have_are_named(bleu):
    texts = {"predictions": PREDICTIONS * 5, "references": REFERENCES * 5, "confidence": 0.9}
    assert " (90% CI " in str(bleu.compute(**texts))
    assert ", percentile bootstrap) " in str(bleu.compute(**texts))
    of_documents = bleu.compute(
        **{**texts, "confidence": 0.95}, documents=[n // 3 for n in range(15)]
    )
    assert ", t with 4 degrees of freedom, 5 documents) " in str(of_documents)


@pytest.mark.parametrize(
    ("options", "orders"),
    [({}, 4), ({"max_order": 2}, 2), ({"tokenize": str.split}, 4), ({"confidence": 0.95}, 4)],
)
def test_captions_have_the_scores_of_all_orders(load, options, orders):
    """As papers on captions report them; other conventions keep sacreBLEU's line."""
    texts = {"predictions": PREDICTIONS, "references": REFERENCES}
    result = load("coco").compute(**texts, **options)
    lines = str(result).splitlines()
    scores = [f"B@{n + 1} {100 * result['bleu_by_order'][n]:.2f}" for n in range(orders)]
    assert lines[1:] == [", ".join(scores), result["signature"]]
    assert "B@" not in str(load().compute(**texts, **options))


def test_every_precision_has_the_digits_of_its_fraction():
    """Half of a tenth, such as 1 of 2,000, is rounded as sacreBLEU rounds 100 * matches / total."""
    names = {
        "score": 1.0,
        "brevity_penalty": 1.0,
        "length_ratio": 1.0,
        "translation_length": 1,
        "reference_length": 1,
    }
    rest = {"bleu": 0.01, "counts": [], "totals": [], "bleu_by_order": [], "signature": "nrefs:1"}
    for total in (8, 16, 40, 80, 400, 2000):
        matches = range(1, total, 2)
        result = Result(precisions=[match / total for match in matches], **names, **rest)
        expected = "/".join(f"{100 * match / total:.1f}" for match in matches)
        assert str(result).split()[3] == expected


@pytest.mark.parametrize("key", ["score", "signature", "counts", "bleu"])
def test_without_one_of_its_keys_the_dict_is_printed(bleu, key):
    result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
    del result[key]
    assert str(result) == repr(dict(result))


def test_it_stays_a_dict(bleu, load):
    """Only `print` and its like show a line: drop-ins, unions and f-strings of its values do not."""
    texts = {"predictions": PREDICTIONS, "references": REFERENCES}
    result = bleu.compute(**texts)
    assert type(result | {"step": 1}) is dict
    assert str(result | {"step": 1}).startswith("{'bleu': ")
    assert f"{result}" == str(result)
    assert f"{result!r}" == repr(dict(result))
    for module in ("sacrebleu", "bleu"):
        drop_in = load(module).compute(**texts)
        assert type(drop_in) is dict
        assert str(drop_in) == repr(drop_in)


def test_reconcile_reads_what_is_printed(bleu):
    texts = {"predictions": PREDICTIONS * 5, "references": REFERENCES * 5}
    for options in ({}, {"confidence": 0.95}):
        printed = str(bleu.compute(**texts, **options))
        assert bleu.reconcile(*texts.values(), printed)["verified"]


def test_reconcile_reads_the_scores_of_captions(bleu, load):
    printed = str(load("coco").compute(predictions=PREDICTIONS, references=REFERENCES))
    assert bleu.reconcile(PREDICTIONS, REFERENCES, printed)["verified"]


class TestRepr:
    def test_repr_fits_a_screen(self, bleu):
        explanation = bleu.explain(
            " ".join(map(str, range(300))), [" ".join(map(str, range(0, 300, 2)))]
        )
        assert len(repr(explanation)) < 24 * 100
        result = bleu.compute(
            predictions=["a b c d"] * 1000, references=["a b c d"] * 1000, segments=True
        )
        assert "'segment_bleu': [1.0, 1.0, 1.0, ... 997 more]" in repr(result)
        assert len(repr(result)) < 10 * 80

    def test_repr_of_short_results_is_that_of_a_dict(self, bleu):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        assert repr(result) == repr(dict(result))

    def test_in_ipython(self, bleu, result, name):
        """IPython shows what `print` writes; of `compute`, its own display of the dict, shortened as in `repr`."""
        shown = []

        class Printer:
            text = pretty = staticmethod(shown.append)

        result._repr_pretty_(Printer, cycle=False)
        is_dict = name in ("compute", "statistics")
        assert str(shown[0]) == (repr(result) if is_dict else str(result))
        assert type(shown[0]) is (dict if is_dict else str)

    def test_the_explanation_as_text(self, bleu):
        """The paper's second example, with the formula of its counts."""
        explanation = bleu.explain(
            "the the the the the the the", ["the cat is on the mat"], smooth_method="floor"
        )
        assert str(explanation).splitlines() == [
            "BLEU 3.93 = 100 · 1 · (2/7 · 0.1/6 · 0.1/5 · 0.1/4)^(1/4)",
            "",
            "n-grams  total  unclipped matches  matches  precision",
            "1            7                  7        2      28.57",
            "2            6                  0        0       1.67",
            "3            5                  0        0       2.00",
            "4            4                  0        0       2.50",
            "",
            explanation["signature"],
        ]


KEYS = "'bleu', 'score', 'precisions', 'brevity_penalty', 'length_ratio', 'translation_length', 'reference_length', 'counts', 'totals', 'bleu_by_order', 'signature'"


_OfRanking = TypedDict(  # the others need an argument that `rank` does not take
    "_OfRanking",
    {key: type_ for key, type_ in Settings.__annotations__.items() if key != "shared_documents"},
)


ESTIMATED = "Pass confidence=0.95 to get it; one segment or document can't be resampled."


class TestMissingKeys:
    @pytest.mark.parametrize(
        ("key", "hint"),
        [
            *((name, "Write result['brevity_penalty'].") for name in ("bp", "BP", "bleu_bp", "brevityPenalty")),
            *((name, "Write result['translation_length'].") for name in ("sys_len", "hyp_len", "syslen", "prediction_length")),
            *((name, "Write result['reference_length'].") for name in ("ref_len", "reflen")),
            *((name, "Write result['bleu'].") for name in ("BLEU", "Bleu", "bleu_score", "corpus_bleu", "blue", "micro_bleu")),
            ("Score", "Write result['score']."),
            ("ratio", "Write result['length_ratio']."),
            *((name, "Write result['segment_bleu']. Pass segments=True to get it.") for name in ("sentence_bleu", "segments", "sentence_scores")),
            *((name, f"Write result['confidence_interval']. {ESTIMATED}") for name in ("ci", "interval", "score_ci", "bleu_ci", "bleu_confidence_interval")),
            *((name, f"Write result['standard_error']. {ESTIMATED}") for name in ("se", "std", "stderr", "score_std", "bleu_std", "std_error", "score_sem")),
            ("by", "Write result['groups']. Pass by=labels to get it."),
            ("confidence_mean", f"Write result['bootstrap_mean']. {ESTIMATED}"),
            *((name, "Write result['bleu_by_order'][0].") for name in ("Bleu_1", "bleu_1", "BLEU-1", "bleu1", "BLEU@1")),
            ("Bleu_2", "Write result['bleu_by_order'][1]."),
            ("BLEU_3", "Write result['bleu_by_order'][2]."),
            ("Bleu_4", "Write result['bleu_by_order'][3]."),
            ("precision_4", "Write result['precisions'][3]."),
            ("matches_1", "Write result['counts'][0]."),
            ("totals_1", "Write result['totals'][0]."),
        ],
    )  # fmt: skip
    def test_a_name_that_another_tool_has(self, bleu, key, hint):
        """As a key, and as an attribute, as objects of sacreBLEU have."""
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        with pytest.raises(KeyError) as error:
            result[key]
        assert error.value.args == (f"No key {key!r}. {hint}",)
        assert result.get(key) is None
        assert key not in result
        with pytest.raises(AttributeError) as error:
            getattr(result, key)
        assert error.value.args == (f"No attribute {key!r}. {hint}",)
        assert not hasattr(result, key)

    @pytest.mark.parametrize(
        "name", [*BLEUScore(1.0, [1], [1], [1.0], 1.0, 1, 1).__dict__, "bleu", "segment_bleu"]
    )
    def test_attributes_of_sacrebleu(self, bleu, name):
        """All that stand for a value that a result has."""
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        has_value = name not in ("name", "prec_str", "_mean", "_ci", "_verbose")
        with pytest.raises(AttributeError) as error:
            getattr(result, name)
        assert ("Write result['" in str(error.value)) == has_value

    @pytest.mark.parametrize(
        ("key", "message"),
        [
            ("bootstrap_mean", f"No key 'bootstrap_mean': {ESTIMATED[0].lower()}{ESTIMATED[1:]}"),
            ("segment_bleu", "No key 'segment_bleu': pass segments=True to get it."),
            ("documents", "No key 'documents': pass documents=labels and confidence=0.95 to get it; one document can't be resampled."),
            ("groups", "No key 'groups': pass by=labels to get it."),
            ("macro_standard_error", "No key 'macro_standard_error': pass by=labels and confidence=0.95 to get it; a group of one segment or document can't be resampled."),
            ("precision", f"No key 'precision'. Did you mean 'precisions'? The keys are {KEYS}."),
            ("scroe", f"No key 'scroe'. Did you mean 'score'? The keys are {KEYS}."),
            ("segments_bleu", f"No key 'segments_bleu'. Did you mean 'segment_bleu'? The keys are {KEYS}."),
            *((name, f"No key {name!r}. The keys are {KEYS}.") for name in ("rouge", "min_segment_bleu", "max_score", "Bleu_5", "bleu_0", "p_value", "length", "", "_", 3, None)),
        ],
    )  # fmt: skip
    def test_other_keys(self, bleu, key, message):
        """A hint is certain, a question is about one wrong character, and anything else lists the keys."""
        with pytest.raises(KeyError) as error:
            bleu.compute(predictions=PREDICTIONS, references=REFERENCES)[key]
        assert error.value.args == (message,)

    def test_an_attribute_without_a_key_is_an_error_of_python(self, bleu):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        for name in ("scroe", "rouge", "shape", "__array__", "_repr_svg_", "Bleu_5"):
            with pytest.raises(
                AttributeError, match=f"^'Result' object has no attribute '{name}'$"
            ):
                getattr(result, name)

    @pytest.mark.parametrize(
        ("name", "written"),
        [
            ("format", "print(result)"),  # sacreBLEU
            ("to_dict", "dict(result)"),  # pandas, as the others
            ("to_json", "json.dumps(result)"),
            ("to_dataframe", "result.to_pandas()"),
            ("to_csv", "result.to_pandas().to_csv(path)"),
        ],
    )
    def test_an_attribute_of_another_tool_names_the_expression_to_write(self, bleu, name, written):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        with pytest.raises(AttributeError) as error:
            getattr(result, name)
        assert str(error.value) == f"No attribute {name!r}. Write {written}."
        eval(written.replace("(path)", "()"), {"json": json, "result": result})

    def test_scores_by_order_end_with_the_longest(self, bleu):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, max_order=2)
        with pytest.raises(KeyError, match=r"\['bleu_by_order'\]\[1\]"):
            result["Bleu_2"]
        with pytest.raises(KeyError, match=r"No key 'Bleu_3'\. The keys are '"):
            result["Bleu_3"]

    @pytest.mark.parametrize("key", ["segments", "sentence_bleu", "segment_scores"])
    def test_a_key_that_is_there_under_another_name(self, bleu, key):
        """The option was passed, so the message names the key alone."""
        result = MAKE["compute"](bleu)
        with pytest.raises(KeyError) as error:
            result[key]
        assert error.value.args == (f"No key {key!r}. Write result['segment_bleu'].",)

    def test_only_in_results_that_have_the_other_name(self, bleu):
        for name, key in (("compare", "bp"), ("compare", "Bleu_1"), ("explain", "segment_bleu")):
            with pytest.raises(KeyError, match=rf"No key '{key}'\. The keys are '"):
                MAKE[name](bleu)[key]

    @pytest.mark.parametrize(
        ("name", "key", "message"),
        [
            ("compare", "A", "No key 'A'. Write result['systems']['A']."),
            ("diff", "B", "No key 'B'. Write result['systems']['B'], for example."),
            ("diff", "dogs", "No key 'dogs'. Write result['groups']['dogs']."),
            ("compute, by", "rain|snow", "No key 'rain|snow'. Write result['groups']['rain|snow']."),
            ("conventions", "sacrebleu", "No key 'sacrebleu'. The keys are 'default', 'papineni', 'hf', 'nltk', 'moses', 'coco'."),
            ("rank", "rankings", "No key 'rankings'. Did you mean 'ranking'? The keys are 'ranking', 'pairs', 'alpha', 'family_wise', 'confidence', 'test', 'n_resamples', 'seed', 'signature'."),
            ("compare", "p_value", "No key 'p_value'. Write result['systems']['B']['p_value']."),
            ("compare", "pvalue", "No key 'pvalue'. Write result['systems']['B']['p_value']."),
            ("compare", "score", "No key 'score'. Write result['systems']['A']['score'], for example."),
            ("rank", "p", "No key 'p'. Write result['pairs'][0]['p_value'], for example."),
            ("explain", "tokens", "No key 'tokens'. Write result['prediction']['tokens'], for example."),
        ],
    )  # fmt: skip
    def test_a_key_of_a_dict_within(self, bleu, name, key, message):
        for duplicate in (lambda value: value, copy.copy, copy.deepcopy):
            with pytest.raises(KeyError) as error:
                duplicate(MAKE[name](bleu))[key]
            assert error.value.args == (message,)

    def test_a_label_none_is_not_a_hint(self, bleu):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, by=[None] * 3)
        with pytest.raises(KeyError, match=r"No key 'xyz'\. The keys are"):
            result["xyz"]

    @pytest.mark.parametrize("name", [*MAKE])
    def test_dicts_within_are_plain(self, bleu, name):
        for within in list_dicts(MAKE[name](bleu))[1:]:
            assert type(within) is dict

    def test_one_document_can_not_be_resampled(self, bleu):
        """`documents` and `confidence` were passed; without an interval, the number of documents is not a key."""
        options = {"documents": ["x", "x"], "confidence": 0.95}
        result = bleu.compute(predictions=PREDICTIONS[:2], references=REFERENCES[:2], **options)
        compared = bleu.compare(
            {"A": PREDICTIONS[:2], "B": OTHERS[:2]}, REFERENCES[:2], documents=["x", "x"]
        )
        for one in (result, compared):
            with pytest.raises(KeyError, match="one document can't be resampled"):
                one["documents"]


def list_dicts(value):
    """Return all dicts in a value, that itself, if it is one."""
    dicts = [value] if isinstance(value, dict) else []
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, (dict, list)):
            dicts += list_dicts(item)
    return dicts


# The keys of the results of each method.
KEYS_OF = {
    "compute": CorpusScores,
    "compare": Settings,
    "rank": _OfRanking,
    "reconcile": ReconciliationContent,
}
LACKING = {  # calls whose results lack keys that others have
    "compute": [
        lambda bleu: bleu.compute(predictions=PREDICTIONS, references=REFERENCES),
        lambda bleu: bleu.compute(predictions=PREDICTIONS[:1], references=REFERENCES[:1], confidence=0.95),
        lambda bleu: bleu.compute(predictions=PREDICTIONS, references=REFERENCES, confidence=0.95, documents=["x"] * 3),
        lambda bleu: bleu.compute(predictions=PREDICTIONS, references=REFERENCES, confidence=0.95, by=["x", "x", "y"]),
    ],
    "compare": [
        lambda bleu: bleu.compare({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, n_resamples=9),
        lambda bleu: bleu.compare({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, n_resamples=9, confidence=None),
        lambda bleu: bleu.compare({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, n_resamples=9, by=["x", "x", "y"]),
        lambda bleu: bleu.compare({"A": PREDICTIONS[:1], "B": OTHERS[:1]}, REFERENCES[:1]),
        lambda bleu: bleu.compare({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, documents=["x"] * 3),
        lambda bleu: bleu.compare({"A": {1: PREDICTIONS, 2: OTHERS}, "B": {1: OTHERS}}, REFERENCES),
        lambda bleu: bleu.compare({"A": {1: PREDICTIONS, 2: PREDICTIONS}, "B": {1: PREDICTIONS, 2: PREDICTIONS}}, REFERENCES),
    ],
    "rank": [
        lambda bleu: bleu.rank({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, n_resamples=9, confidence=None),
        lambda bleu: bleu.rank({"A": PREDICTIONS[:1], "B": OTHERS[:1]}, REFERENCES[:1]),
    ],
    "reconcile": [MAKE["reconcile"]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name, calls in LACKING.items() for number in range(len(calls))]
)  # fmt: skip
def test_each_key_that_is_missing_has_a_way_to_it(bleu, name, number):
    """The keys of the types."""
    result = LACKING[name][number](bleu)
    missing = set(KEYS_OF[name].__annotations__) - set(result)
    assert missing
    for key in missing:
        with pytest.raises(KeyError, match=f"^\"No key '{key}': "):
            result[key]


class TestTables:
    def test_pandas(self, result, name):
        frame = result.to_pandas()
        assert list(frame.columns) == COLUMNS[name]
        # compute: four orders, the corpus, and the segments
        rows = {
            "compute": 4 + 1 + len(PREDICTIONS),
            "self_bleu": 3,
            "diff": 4,
            "compare, by": 6,
            "rank": 3,
        }
        rows |= {"compute, by": 2, "statistics, by": 2}
        assert len(frame) == rows.get(name, len(result._rows()) - 1)

    def test_every_format_has_every_row(self, result):
        rows = len([row for row in result._rows() if row])  # an empty row is a rule
        assert (
            result.to_markdown().count("\n|") + result.to_markdown().startswith("|")
            == len(result._rows()) + 1
        )
        assert result.to_latex().count(r"\\") == rows
        assert result.to_html().count("<tr>") >= rows - 1

    def test_names_are_escaped(self):
        rows = [["system", "BLEU"], ["50%_a|b <b>*x*", "1"]]
        assert r"| 50%\_a\|b \<b>\*x\* | 1 |" in format_markdown(rows)
        assert (
            r"50\%\_a\textbar\allowbreak{}b \textless{}b\textgreater{}{*}x{*} & 1 \\"
            in format_latex(rows)
        )

    def test_a_report_without_a_table_of_its_own(self):
        assert Report(score=1.5, counts=list(range(9))).to_markdown().splitlines()[2:] == [
            "| score | 1.5 |",
            "| counts | \\[0, 1, 2, ... 6 more] |",
        ]


def test_groups_as_a_table(bleu):
    """One row per group, below a rule both averages; the tokenizers are shown if they differ."""
    texts = ["the cat sat on the mat", "a dog ran home today"] * 3
    options = {
        "by": ["cats", None] * 3,
        "tokenize": {"cats": "char"},
        "confidence": 0.9,
        "n_resamples": 10,
    }
    result = bleu.compute(predictions=texts, references=texts, **options)
    assert str(result).splitlines() == [
        "BLEU 100.00 as the micro-average and 100.00 as the macro-average of 2 groups",
        "",
        "group            BLEU          90% CI  brevity penalty  tokens  tokenizer",
        "cats           100.00  100.00, 100.00           1.0000      51       char",
        "None           100.00  100.00, 100.00           1.0000      15        13a",
        "-------------------------------------------------------------------------",
        "micro-average  100.00  100.00, 100.00           1.0000      66        var",
        "macro-average  100.00  100.00, 100.00",
        "",
        "90% CI: percentile bootstrap; 90% CI of the macro-average: t with 2 degrees of freedom; "
        + result["signature"],
    ]
    one = bleu.compute(predictions=texts, references=texts, by=["x"] * 6)
    assert str(one).splitlines()[2].split() == ["group", "BLEU", "brevity", "penalty", "tokens"]
    assert json.loads(json.dumps(result))["groups"]["null"] == result["groups"][None]


def test_groups_of_systems_as_a_table(bleu):
    """Below each system its groups and the macro-average; the numbers are those of the dict."""
    result = MAKE["compare, by"](bleu)
    lines = [line.split() for line in str(result).splitlines()[1:9]]
    assert [line[0] for line in lines] == ["A", "cats", "rain|snow", "macro-average", "B", "cats", "rain|snow", "macro-average"]  # fmt: skip
    group, system = result["systems"]["B"]["groups"]["rain|snow"], result["systems"]["B"]
    assert lines[6][1:] == [
        f"{group['score']:.2f}",
        f"{100 * group['delta']:+.2f}",
        f"{group['p_value']:.4f}",
    ]
    low, high = (f"{100 * end:+.2f}" for end in system["macro_delta_interval"])
    numbers = [
        f"{100 * system['macro_bleu']:.2f}",
        f"{100 * system['macro_delta']:+.2f}",
        f"{low},",
        high,
    ]
    assert lines[7][1:] == [*numbers, f"{system['macro_p_value']:.4f}"]


# A sentence to quote, and BibTeX.

QUOTED = ["compute", "statistics", "compare", "compute, by", "compare, by", "rank"]


def parse_bibtex(text):
    """Return the fields of each entry by its key; assert that the text has no other parts."""
    entries, place = {}, 0
    while text[place:].strip():
        head = re.compile(r"\s*@(\w+)\{([^,\s]+),").match(text, place)
        depth, end = 1, head.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        body = text[head.end() : end - 1]
        entries[head[2]] = dict(re.findall(r'(\w+)\s*=\s*"((?:[^"{}]|\{[^{}]*\})*)"\s*,?', body))
        assert re.sub(r'\w+\s*=\s*"(?:[^"{}]|\{[^{}]*\})*"\s*,?', "", body).strip() == ""
        place = end
    return entries


@pytest.mark.parametrize("name", QUOTED)
def test_a_report_is_a_sentence_and_bibtex(bleu, name):
    result = MAKE[name](bleu)
    fingerprint = bleu.fingerprint(REFERENCES)
    sentence, _, bibtex = result.report(references=REFERENCES).partition("\n\n")
    assert "\n" not in sentence
    assert sentence.endswith(f"; signature {result['signature']}; references {fingerprint}.")
    assert result.report().startswith(sentence.replace(f"; references {fingerprint}", ""))
    entries = parse_bibtex(bibtex)
    assert [entry["author"].partition(",")[0] for entry in entries.values()] == ["Papineni", "Post"]
    assert [entry["doi"] for entry in entries.values()] == [
        "10.3115/1073083.1073135",
        "10.18653/v1/W18-6319",
    ]
    scored = {"compare": "systems", "rank": "ranking"}.get(name.partition(",")[0])
    systems = (
        [result]
        if scored is None
        else result[scored].values()
        if scored == "systems"
        else result[scored]
    )
    for system in systems:
        assert f"{system['score']:.2f}" in sentence
        if "confidence_interval" in system:
            low, high = system["confidence_interval"]
            level = f"{100 * result['confidence']:g}% CI"
            assert (
                f"{system['score']:.2f} ({level} {100 * low:.2f} to {100 * high:.2f}, percentile bootstrap)"
                in sentence
            )
        if "p_value" in system:
            points = f"{abs(100 * system['delta']):.2f} points "
            assert re.search(
                rf", {points}\w+ than A.* \(p = {system['p_value']:.4f}\): m", sentence
            )
        if "delta_interval" in system:
            low, high = (f"{100 * end:+.2f}" for end in system["delta_interval"])
            assert f"{level} of the difference {low} to {high} (p = " in sentence


@pytest.mark.parametrize("name", QUOTED)
def test_a_report_names_the_fingerprint_of_references_in_any_container(bleu, name):
    result, texts = MAKE[name](bleu), ["It rains.", "a cat"]
    expected = f"; references {bleu.fingerprint(texts)}."
    for references in (
        texts,
        tuple([text] for text in texts),
        np.array(texts),
        pa.array(texts),
        iter(texts),
    ):
        assert result.report(references).splitlines()[0].endswith(expected)


@pytest.mark.parametrize("references", ["0" * 64, "", True, False, 3, {"a": ["b"]}, [1.5], [None]])
def test_a_report_takes_references_only(bleu, references):
    result = MAKE["compute"](bleu)
    with pytest.raises((TypeError, ValueError), match=r"^references"):
        result.report(references)


def test_reports_by_hand(bleu):
    texts = ["the cat sat on the mat"] * 2
    plain = bleu.compute(predictions=texts, references=texts)
    signature = plain["signature"]
    assert plain.report().splitlines()[0] == f"BLEU is 100.00; signature {signature}."
    interval = bleu.compute(predictions=texts, references=texts, confidence=0.95)
    start = "BLEU is 100.00 (95% CI 100.00 to 100.00, percentile bootstrap); signature nrefs:1|bs:1000|seed:12345|"
    assert interval.report().startswith(start)
    grouped = bleu.compute(predictions=texts, references=texts, by=["x", "y"])
    assert grouped.report().splitlines()[0] == (
        f"BLEU is 100.00; the macro-average of 2 groups is 100.00; signature {signature}."
    )
    compared = bleu.compare({"A": texts, "B": texts}, texts, confidence=None, n_resamples=9)
    assert compared.report().splitlines()[0] == (
        "In BLEU, the baseline A scores 100.00; B scores 100.00, the same as A (p = 1.0000): may be chance at"
        " the 5% level; paired approximate"
        f" randomization, 9 resamples; signature {compared['signature']}."
    )
    ranked = bleu.rank({"A": texts, "B": texts}, texts, confidence=None, n_resamples=9)
    assert ranked.report().splitlines()[0] == (
        "Ranked by BLEU: 1-2. A 100.00, 1-2. B 100.00; A scores the same as B (p = 1.0000): may be chance at a"
        " family-wise error of 5%; paired approximate randomization, 9 resamples; ranks at a family-wise"
        " error of 5%"
        f"; signature {ranked['signature']}."
    )


EMPTY = {"br", "img"}


HTML_TAGS = {"div", "style", "p", "strong", "b", "br", "i", "sup", "sub", "small", "span", "details", "summary", "table", "tr", "th", "td", "code"}  # fmt: skip


class Reader(HTMLParser):
    """Collects all tags and attributes, and asserts that every tag is closed in its place."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self._open = set(), set(), []
        self.text = self.code = ""

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self._open += [] if tag in EMPTY else [tag]

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data * ("style" not in self._open)
        self.code += data * ("code" in self._open)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader._open == []
    return reader


def test_html_for_notebooks(result):
    """HTML for notebooks has its own style, no external resource, no script and no heading."""
    reader = read(html := result._repr_html_())
    assert html.startswith('<div class="bleu-report"><style>')
    assert reader.tags <= HTML_TAGS
    assert reader.attributes <= {"class", "style", "title", "dir"}
    assert "url(" not in html
    assert "http" not in html


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200cb \u200d é 👩‍🚀", "a\u200cb \u200d é 👩‍🚀"),  # joiners belong to the text
        ("a\tb\nc", "a\\tb\\nc"),
        ("\u061c\u200e\u200f\u202a\u2069", "\\u061c\\u200e\\u200f\\u202a\\u2069"),  # Unicode's Bidi_Control
        ("\x00\x7f\x9b\u2028\ud800", "\\x00\\x7f\\x9b\\u2028\\ud800"),
        ("<&\"'>", "&lt;&amp;&quot;&#x27;&gt;"),
        (17, "17"),
    ],
)  # fmt: skip
def test_invisible_characters_are_escaped(text, shown):
    assert show(text) == shown
    assert html.unescape(shown) == escape_unseen(text)


UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.mark.parametrize(
    "unseen", ["\n", "\r\n", "\x1b[31m", "\x85", "\u2028", "\u202e", "\u2067", "\u200f"]
)
def test_names_and_labels_can_not_forge_a_table(bleu, unseen):
    """No control or bidirectional character is printed, and no format has more lines than with plain names."""
    texts = ["the cat sat", "a dog"] * 2

    def show_all(name):
        systems, by = {"A": texts, name: texts[::-1]}, ["x", name] * 2
        results = [
            bleu.compute(predictions=texts, references=texts, by=by),
            bleu.compare(systems, texts, by=by, n_resamples=9),
            bleu.rank(systems, texts, n_resamples=9),
            bleu.diff(systems, texts, by=by),
        ]
        shown = [
            format()
            for one in results
            for format in (one.__str__, one.to_markdown, one.to_latex, one.to_html)
        ]
        return shown + [one.report() for one in results[:3]]

    plain, shown = show_all("B"), show_all(f"B{unseen}C 99.99")
    assert [text.count("\n") for text in shown] == [text.count("\n") for text in plain]
    assert not any(UNSEEN.search(text) for text in shown)


HOSTILE_NAMES = [
    "<img src=x onerror=alert(1)>", "</td></table><script>", "<!-- x", "&lt;b&gt; &amp;", "<http://x.y>",
    "__base__", "_x_", "*x*", "**x**", "~~x~~", "~x~", "`x`", "``", "```x", "~~~x", "$x$", "$$",
    "[x](y)", "![x](y)", "[x]", "[^1]", "a|b", "| --- |", "x\ny", "\\", "\\|", "a\\", "    x", "x  y",
    "#1", "# x", "#", "1. x", "1) x", "- x", "+ x", "> x", "---", "===", "---:",
    "50%_of {x}^2 & y", "% x", "\\begin{x}",
]  # fmt: skip


def name_everything(bleu, name):
    """Return results that print a system, a label, an n-gram or a tokenizer of this name."""

    class Tokenizer:
        signature = staticmethod(lambda: name.translate({ord("|"): "!", ord(":"): "!"}))

        def __call__(self, text):
            return text.split()

    references = ["the cat sat on the mat", "a dog lay on the rug today"]
    texts = ["the cat sat on a mat", "a dog lay on my rug today"]
    systems = {"base": texts, name: references}
    runs = {"base": {"1": texts, name: references}, name: references}
    by = [name, "other"]
    return [
        bleu.compare(systems, references, n_resamples=50, by=by),
        bleu.compare(runs, references, n_resamples=50),
        bleu.rank(systems, references, n_resamples=50),
        bleu.diff({name: [name, texts[0]], "B": references}, [name, references[0]], tokenize="none", by=by),
        bleu.compute(predictions=texts, references=references, by=by),
        bleu.compute(predictions=texts, references=references, tokenize=Tokenizer()),
        bleu.explain(texts[0], references[0], tokenize=Tokenizer()),
        bleu.reconcile(predictions=texts, references=references, tokenize=Tokenizer()),
    ]  # fmt: skip


TEX = {
    "\\textbackslash{}": "\\", "\\textasciitilde{}": "~", "\\textasciicircum{}": "^", "\\textbar\\allowbreak{}": "|",
    "\\`{}": "`", "-{}": "-", "$^\\dagger$": "†", "$-$": "-",
    "\\textless{}": "<", "\\textgreater{}": ">", "{[}": "[", "{*}": "*", "~": " ",
    "\\&": "&", "\\%": "%", "\\$": "$", "\\#": "#", "\\_": "_", "\\{": "{", "\\}": "}",
}  # fmt: skip
TEX_PATTERN = "|".join(map(re.escape, TEX))


def read_tex(text):
    return re.sub(TEX_PATTERN, lambda found: TEX[found[0]], text)


def squeeze(text):
    return " ".join(text.split())


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_every_format_shows_names_as_they_are(bleu, name):
    """Readers of Markdown, LaTeX and HTML get the cells, the title and the note that `print` shows."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for result in name_everything(bleu, name):
        title, note = escape_unseen(result._title()), escape_unseen(result._note())
        verdicts = list(map(escape_unseen, result._verdicts()))
        rows = [list(map(escape_unseen, row)) for row in result._rows()]
        cells = [cell for row in rows for cell in row]
        # Markdown
        reader = read(parser.render(result.to_markdown()))
        assert reader.tags <= {"p", "code", "table", "thead", "tbody", "tr", "th", "td"}
        assert squeeze(reader.text) == squeeze(" ".join([title, *cells, *verdicts, note]))
        assert reader.code == escape_unseen(result.get("signature", ""))
        # LaTeX, in which title, verdicts and note are comments, too
        table, _, comments = result.to_latex(rows[0]).partition("\n\\end{table}\n")
        assert comments.split("\n") == [f"% {text}" for text in (title, *verdicts, note) if text]
        lines = [line.removesuffix(r" \\") for line in table.split("\n") if line.endswith(r" \\")]
        (caption,) = re.findall(r"^\\caption\{(.*)\}$", table, re.MULTILINE)
        for line, row in zip(lines, filter(None, rows), strict=True):
            written = line.split(" & ")
            for text in (caption, *written):
                left = re.sub(TEX_PATTERN, "", text)
                assert not re.search(r"[\\&%$#_{}~^|<>`]|--", left)
            assert [read_tex(cell).removesuffix("†") for cell in written] == row
        assert read_tex(caption) == escape_unseen(result._caption())
        # HTML
        reader = read(result.to_html())
        assert reader.tags <= HTML_TAGS
        assert reader.attributes <= {"class", "style", "title", "dir"}
        text = squeeze(reader.text)
        for cell in [*cells, *verdicts, note]:
            assert escape_unseen(name) not in cell or squeeze(cell) in text


SUMMARIES = {  # labels that are names of rows, by result
    "compute, by": ["micro-average", "macro-average", "None", "", " x"],
    "compare, by": ["macro-average", "  macro-average", "None", ""],
}


@pytest.mark.parametrize(
    ("name", "label"), [(name, label) for name, labels in SUMMARIES.items() for label in labels]
)
def test_a_label_is_told_apart_from_a_summary_row(bleu, name, label):
    """Such a label is in quotes; None and other labels are not."""
    texts, by = ["the cat sat on the mat"] * 3, [label, None, "x"]
    if name == "compute, by":
        rows = bleu.compute(predictions=texts, references=texts, by=by)._rows()
        assert [row[0] for row in rows if row] == ["group", repr(label), "None", "x", "micro-average", "macro-average"]  # fmt: skip
    else:
        rows = bleu.compare({"A": texts, "B": texts}, texts, by=by, n_resamples=9)._rows()
        groups = [f"  {label!r}", "  None", "  x", "  macro-average"]
        assert [row[0] for row in rows] == ["system", "A (baseline)", *groups, "B", *groups]


def test_the_group_none_is_told_apart_from_the_whole_in_pandas(bleu):
    texts = ["the cat sat on the mat", "a dog"]
    frame = bleu.compare({"A": texts, "B": texts}, texts, by=[None, "x"], n_resamples=9).to_pandas()
    assert list(zip(frame["system"], frame["part"], frame["group"].fillna("-"))) == [
        ("A", "all", "-"), ("A", "group", "-"), ("A", "group", "x"),
        ("B", "all", "-"), ("B", "group", "-"), ("B", "group", "x"),
    ]  # fmt: skip
    assert frame.loc[frame["part"] == "all", "macro_bleu"].tolist() == [0.5, 0.5]


# The interval and the segments in every format; plots.


def test_every_format_shows_the_interval_and_the_segments(bleu):
    columns = {"predictions": PREDICTIONS, "references": REFERENCES}
    plain, full = bleu.compute(**columns), bleu.compute(**columns, segments=True, confidence=0.9)
    low, high = (f"{100 * end:.2f}" for end in full["confidence_interval"])
    scores = [
        f"{100 * score:.2f}" for score in (min(full["segment_bleu"]), max(full["segment_bleu"]))
    ]
    for written in (full.to_html(), full.to_markdown(), full.to_latex()):
        assert f"90% CI {low} to {high}" in written
        assert f"{len(PREDICTIONS)} segments: lowest {scores[0]}" in written
        assert f"highest {scores[1]}" in written
    frame = full.to_pandas()
    assert frame["confidence_interval_low"].dropna().tolist() == [full["confidence_interval"][0]]
    assert frame.dropna(subset="segment")["bleu"].tolist() == full["segment_bleu"]
    assert "confidence_interval" in repr(full)
    assert "segment_bleu" in repr(full)
    for written in (plain.to_html(), plain.to_markdown(), plain.to_latex(), str(plain)):
        assert " CI " not in written
        assert "segments" not in written


@pytest.fixture
def plt(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def test_an_unknown_kind_of_plot_names_the_kinds(bleu, plt):
    result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
    with pytest.raises(ValueError, match="kind='foo': pass 'precisions', or leave it out"):
        result.plot(kind="foo")


def test_axes_that_are_not_linear_are_rejected(result, plt):
    if not hasattr(result, "plot"):
        pytest.skip("has no plot")
    log, symlog = plt.subplots()[1], plt.subplots()[1]
    log.set_xscale("log")
    symlog.set_yscale("log")
    for ax in (log, symlog, plt.subplots(subplot_kw={"projection": "polar"})[1]):
        with pytest.raises(
            ValueError, match=r"ax: expected linear scales, because BLEU starts at 0\. Pass Axes"
        ):
            result.plot(ax)
    assert result.plot(plt.subplots()[1])
