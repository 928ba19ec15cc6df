"""What evaluate itself does with a metric: its checks of a module, its evaluators and its suites."""

import doctest
import importlib
import inspect
import json

import pytest

transformers = pytest.importorskip("transformers")
pytest.importorskip("torch")
pytest.importorskip("scipy")

import datasets
import evaluate
from evaluate.evaluator import Text2TextGenerationEvaluator
from helpers import ROOT
from tiny_t5 import SENTENCES, make_model, make_tokenizer, train

pytestmark = pytest.mark.filterwarnings("ignore")

PATH = str(ROOT / "bleu_metric.py")
DATA = datasets.Dataset.from_dict({"text": SENTENCES, "label": [text.replace("on a", "on the") for text in SENTENCES]})
STEPS = 5  # of training: some n-grams match then, and not all
SUITE = f"""
import datasets
import evaluate
from evaluate.evaluation_suite import SubTask


class Suite(evaluate.EvaluationSuite):
    def __init__(self, name):
        super().__init__(name)
        metric = evaluate.load({PATH!r}, "sacrebleu")
        data = datasets.Dataset.from_dict({DATA.to_dict()})
        self.suite = [SubTask(task_type="text2text-generation", data=data, args_for_task={{"metric": metric}})]
"""


class Generation:
    """A text-to-text pipeline as evaluate calls it: transformers 5 has removed it."""

    task = "text2text-generation"

    def __init__(self):
        self.tokenizer = make_tokenizer()
        self.model = make_model(self.tokenizer)
        train(self.model, self.tokenizer, DATA["text"], DATA["label"], steps=STEPS)

    def __call__(self, texts, **options):
        ids = self.tokenizer(list(texts), return_tensors="pt", padding=True, **options)
        generated = self.model.generate(input_ids=ids["input_ids"], max_length=12)
        texts = self.tokenizer.batch_decode(generated, skip_special_tokens=True)
        return [{"generated_text": text} for text in texts]


class Evaluator(Text2TextGenerationEvaluator):
    """evaluate's own, but for the step that asks transformers for classes that version 5 doesn't have."""

    def prepare_pipeline(self, model_or_pipeline, **others):
        return model_or_pipeline


@pytest.fixture(scope="module")
def generation():
    return Generation()


@pytest.fixture
def predictions(generation):
    return [row["generated_text"] for row in generation(DATA["text"])]


class TestChecksOfAModule:
    """Checks that evaluate's own tests make of each module of its repository."""

    @pytest.fixture
    def module(self):
        return importlib.import_module(evaluate.loading.evaluation_module_factory(PATH).module_path)

    def test_compute_has_no_open_arguments(self, module):
        main_class = evaluate.loading.import_main_class(module.__name__)
        assert main_class is module.BleuMetric
        parameters = inspect.signature(main_class._compute).parameters.values()
        assert all(one.kind != one.VAR_KEYWORD for one in parameters)

    @pytest.mark.usefixtures("folder_above")
    def test_its_examples_run(self, module):
        results = doctest.testmod(module, raise_on_error=True)
        assert results.failed == 0
        assert results.attempted > 1

    @pytest.mark.parametrize(
        ("name", "score", "best"), [(None, "bleu", 1), ("sacrebleu", "score", 100), ("bleu", "bleu", 1)]
    )
    def test_compute_takes_what_its_features_say(self, load, name, score, best):
        """A row of each kind, checked and encoded by evaluate as by the features."""
        rows = [("a b c d", ["a b c d"]), ("a b c d", "a b c d"), (["a"] * 4, [["a"] * 4]), ([1] * 4, [[1] * 4])]
        metric = load(name)
        assert len(metric.features) == len(rows)
        for features, (prediction, references) in zip(metric.features, rows):
            columns = features.encode_batch({"predictions": [prediction], "references": [references]})
            assert metric.compute(**columns)[score] == pytest.approx(best, abs=1e-12)  # sacreBLEU's best is above 100


def test_combined_and_saved(load, tmp_path):
    """Both drop-ins beside this metric: their keys are told apart, and all values go into a file."""
    combined = evaluate.combine({"sacrebleu": load("sacrebleu"), "bleu": load("bleu"), "ours": load()})
    columns = {"predictions": SENTENCES, "references": DATA["label"]}
    result = combined.compute(**columns)
    assert result["sacrebleu_score"] == load("sacrebleu").compute(**columns)["score"]
    assert result["ours_score"] == pytest.approx(result["sacrebleu_score"], abs=1e-12)  # up to sacreBLEU's last bit
    assert result["bp"] == result["ours_brevity_penalty"]
    saved = json.loads(evaluate.save(tmp_path / "result.json", **result).read_text())
    assert saved.items() >= result.items()


@pytest.mark.parametrize(("name", "score"), [("sacrebleu", "score"), ("bleu", "bleu")])
def test_evaluator_with_bootstrap(load, generation, predictions, name, score):
    """It resamples every value of the result, lists among them."""
    metric = load(name)
    result = Evaluator().compute(
        model_or_pipeline=generation, data=DATA, metric=metric, strategy="bootstrap", n_resamples=20, random_state=0
    )
    expected = metric.compute(predictions=predictions, references=DATA["label"])
    assert {key: result[key]["score"] for key in expected} == expected
    assert all(set(result[key]) == {"confidence_interval", "standard_error", "score"} for key in expected)
    assert result["precisions"]["standard_error"].shape == (4,)
    assert result[score]["standard_error"] > 0


def test_evaluator_as_it_is_by_default(load, generation, predictions):
    """This metric's own result, in one dict with evaluate's times."""
    metric = load()
    result = Evaluator().compute(model_or_pipeline=generation, data=DATA, metric=metric)
    assert result.items() >= metric.compute(predictions=predictions, references=DATA["label"]).items()
    assert result["samples_per_second"] > 0


def test_suite(load, generation, predictions, tmp_path, monkeypatch):
    """A suite from a file, whose task has this metric."""
    (tmp_path / "suite.py").write_text(SUITE)
    suite = evaluate.EvaluationSuite.load(str(tmp_path / "suite.py"))
    monkeypatch.setattr("evaluate.evaluation_suite.evaluator", lambda task: Evaluator(task))
    (result,) = suite.run(generation)
    assert result.items() >= load("sacrebleu").compute(predictions=predictions, references=DATA["label"]).items()
