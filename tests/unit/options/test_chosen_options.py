"""Drop-ins: evaluate's `sacrebleu` and `bleu`, by their arguments and keys."""

import copy
import inspect
import json
import pickle
import warnings

import bleuscore
import evaluate
import numpy as np
import pytest
from helpers import (
    ROOT,
    random_rows,
    read_result,
    small_corpora,
    start_python,
)
from test_options import PREDICTIONS, REFERENCES, ROWS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# Replacements of evaluate's `sacrebleu` and `bleu`: their examples, arguments and keys, number by number.


KEYS = {
    "sacrebleu": ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"],
    "bleu": ["bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"],
}  # fmt: skip

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
