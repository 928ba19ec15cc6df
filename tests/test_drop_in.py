"""evaluate's `sacrebleu` and `bleu` by their names: their examples, their arguments, their keys, number by number."""

import copy
import inspect
import json
import pickle
import warnings

import bleuscore
import evaluate
import numpy as np
import pytest
from helpers import ROOT, random_rows, read_result, start_python
from test_scoring import corpora

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

KEYS = {
    "sacrebleu": ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"],
    "bleu": ["bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"],
}
PREDICTIONS = ["the cat sat on the mat", "a dog ran to the house", "it is big and old"]
REFERENCES = [
    ["the cat sat on a mat", "a cat sat"],
    ["the dog ran to a house", "a dog ran home"],
    ["it is big and red"] * 2,
]
CORPUS = {"predictions": PREDICTIONS, "references": REFERENCES}

# The examples in the documents of evaluate's modules: which, predictions, references, and what stands there of the dict.
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


def assert_same(result, expected):
    """Key by key in their order; numbers to 1e-9 on the scale to 100."""
    assert list(result) == list(expected)
    for key, value in expected.items():
        assert result[key] == pytest.approx(value, abs=1e-9), key


def mean_of_resamples(module, count=30):
    """What a bootstrap does: of every value, whatever it is, the mean over resampled columns of one string a row."""
    columns = np.array(PREDICTIONS * 4), np.array([row[0] for row in REFERENCES] * 4)
    generator = np.random.default_rng(0)
    chosen = [generator.integers(0, len(columns[0]), len(columns[0])) for _ in range(count)]
    results = [module.compute(predictions=columns[0][rows], references=columns[1][rows]) for rows in chosen]
    return {key: np.mean([result[key] for result in results], axis=0).tolist() for key in results[0]}


@pytest.mark.parametrize(("name", "predictions", "references", "expected"), DOCUMENTED)
def test_documented_examples(load, name, predictions, references, expected):
    result = load(name).compute(predictions=predictions, references=references)
    assert list(result) == KEYS[name]
    assert_same({key: result[key] for key in expected}, expected)


@pytest.mark.parametrize("arguments", SACREBLEU_ARGUMENTS, ids=str)
def test_sacrebleu_beside_evaluates_own(load, evaluates_sacrebleu, arguments):
    """On corpora of few words, some without a match, and on text of all scripts; several references, or a str each."""
    texts, alternatives = random_rows(seed=31, count=30)
    hard = (texts, [[row[0], row[-1]] for row in alternatives])
    module = load("sacrebleu")
    for predictions, references in [*corpora(6), hard, (hard[0], [row[0] for row in hard[1]])]:
        columns = {"predictions": predictions, "references": references}
        assert_same(module.compute(**columns, **arguments), evaluates_sacrebleu.compute(**columns, **arguments))


@pytest.mark.parametrize(
    "arguments", [{}, {"smooth": True}, {"smooth": False, "max_order": 2}, {"smooth": True, "max_order": 6}]
)
def test_bleu_beside_bleuscore(load, arguments):
    """bleuscore is evaluate's `bleu` in Rust, with the same arguments and keys; it can't score empty columns, either."""
    module = load("bleu")
    for predictions, references in corpora():
        if not any(predictions) or not any(all(row) for row in references):
            continue
        expected = bleuscore.compute(references, predictions, **arguments)
        assert_same(
            module.compute(predictions=predictions, references=references, **arguments),
            {key: expected[key] for key in KEYS["bleu"]},
        )


def test_bleus_tokenizer_is_any_function(load):
    cut = {
        "predictions": [text.replace(" ", "|") for text in PREDICTIONS],
        "references": [[text.replace(" ", "|") for text in row] for row in REFERENCES],
    }
    result = load("bleu").compute(**cut, tokenizer=lambda text: text.split("|"))
    assert_same(result, {key: bleuscore.compute(REFERENCES, PREDICTIONS)[key] for key in KEYS["bleu"]})


def test_bleu_of_nothing_is_0(load):
    """evaluate's `bleu` divides by zero there."""
    result = load("bleu").compute(predictions=["", ""], references=["a b", ""])
    assert (result["bleu"], result["brevity_penalty"], result["length_ratio"]) == (0, 0, 0)


@pytest.mark.parametrize("name", KEYS)
def test_nothing_else_is_in_the_dict(load, name):
    """Plain values that JSON takes, and no class of ours around them, whatever was asked for at load."""
    for module in (load(name), load(name, segments=True, confidence=0.9)):
        result = module.compute(**CORPUS)
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
    """evaluate's `sacrebleu` refuses this."""
    references = [["a b c d", "x"], ["a b c d"]]
    assert load("sacrebleu").compute(predictions=["a b c d"] * 2, references=references)["score"] == 100


@pytest.mark.parametrize(("name", "convention"), [("sacrebleu", "default"), ("bleu", "hf")])
def test_all_other_methods_are_those_of_the_convention(load, name, convention):
    module, own = load(name, segments=True), load(convention, segments=True)
    rows = module.statistics(**CORPUS)
    assert rows.equals(own.statistics(**CORPUS), check_metadata=True)
    assert module.score(rows) == own.score(rows)
    systems = {"a": PREDICTIONS, "b": PREDICTIONS[::-1]}
    assert module.compare(systems, REFERENCES, n_resamples=20) == own.compare(systems, REFERENCES, n_resamples=20)
    assert module.explain(PREDICTIONS[0], REFERENCES[0]) == own.explain(PREDICTIONS[0], REFERENCES[0])
    assert module.conventions(**CORPUS) == own.conventions(**CORPUS)
    assert module.reconcile(**CORPUS, reported=50) == own.reconcile(**CORPUS, reported=50)


@pytest.mark.parametrize(
    ("name", "options", "own"),
    [
        ("sacrebleu", {"tokenize": "char", "max_order": 2}, {"tokenize": "char", "max_order": 2}),
        ("sacrebleu", {"use_effective_order": True}, {"effective_order": True}),
        ("bleu", {"tokenizer": "char"}, {"tokenize": "char"}),
        ("bleu", {"lowercase": True, "smooth_method": "floor"}, {"lowercase": True, "smooth_method": "floor"}),
    ],
)
def test_options_of_this_metric_are_understood_too(load, name, options, own):
    """At load and in the call; an argument that is None leaves what load said."""
    assert load(name).compute(**CORPUS, **options) == load(name, **own).compute(**CORPUS)
    if name == "sacrebleu":
        assert load(name, **own).compute(**CORPUS, tokenize=None) == load(name).compute(**CORPUS, **own)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("sacrebleu", {"use_effective_order": True, "force": True}), ("bleu", {"tokenizer": "char", "smooth": True})],
)
def test_their_own_arguments_need_no_note(load, name, arguments):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*is understood")
        load(name).compute(**CORPUS, **arguments)


WRONG = [
    ("sacrebleu", {"smooth": True}, TypeError, "write `smooth_method='laplace'`"),
    ("sacrebleu", {"tokenise": "zh"}, TypeError, "Did you mean `tokenize`"),
    ("sacrebleu", {"smooth_method": "chen"}, ValueError, "'floor', 'add-k', 'exp'"),
    ("bleu", {"tokenizer": str.split, "tokenize": "zh"}, TypeError, "are one option"),
    ("bleu", {"smooth": True, "smooth_method": "exp"}, TypeError, "are one option"),
    ("bleu", {"segments": True}, ValueError, "segments .* evaluate's `bleu` returns"),
    ("sacrebleu", {"confidence": 0.95}, ValueError, "confidence .* evaluate's `sacrebleu` returns"),
]


@pytest.mark.parametrize(("name", "arguments", "error", "message"), WRONG)
def test_errors_say_what_to_write(load, name, arguments, error, message):
    with pytest.raises(error, match=message):
        load(name).compute(**CORPUS, **arguments)


@pytest.mark.parametrize("name", KEYS)
def test_as_any_metric_of_evaluate(load, tmp_path, name):
    """Batches, memory, an experiment's name, copies: what evaluate's modules can, these can."""
    expected = load(name).compute(**CORPUS)
    for options in ({"keep_in_memory": True}, {"experiment_id": "first", "cache_dir": str(tmp_path)}):
        module = load(name, **options)
        module.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
        for duplicate in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), module):
            duplicate.add(prediction=PREDICTIONS[2], reference=REFERENCES[2])
            assert duplicate.compute() == expected


@pytest.mark.slow
def test_two_processes_that_meet(tmp_path, load):
    code = """
import json, sys
import evaluate
process = int(sys.argv[2])
module = evaluate.load(sys.argv[1], "sacrebleu", num_process=2, process_id=process, experiment_id="meeting", cache_dir=sys.argv[3])
print(json.dumps(module.compute(predictions=["a b c d e"] * 2, references=["a b c d x"] * 2)))
"""
    processes = [start_python(code, ROOT / "bleu_metric.py", i, tmp_path) for i in range(2)]
    expected = load("sacrebleu").compute(predictions=["a b c d e"] * 4, references=["a b c d x"] * 4)
    assert [read_result(process) for process in processes] == [expected, None]


@pytest.mark.parametrize("name", KEYS)
def test_what_python_shows(load, evaluates_sacrebleu, name):
    """The module's name, and where Tab and `help` look its arguments, with its defaults."""
    module = load(name)
    assert repr(module) == f"BleuMetric('{name}')"
    shown = inspect.signature(module.compute).parameters
    assert "smooth_method" in inspect.signature(module.score).parameters
    if name == "sacrebleu":
        theirs = inspect.signature(evaluates_sacrebleu._compute).parameters
        assert {key: one.default for key, one in shown.items() if key not in CORPUS} == {
            key: one.default for key, one in theirs.items() if key not in CORPUS
        }
    else:
        assert list(shown) == ["predictions", "references", "tokenizer", "max_order", "smooth"]
