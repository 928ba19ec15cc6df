"""What evaluate itself does with a metric: its checks of a module, its evaluators and its suites."""

import doctest
import importlib
import inspect
import json
from pathlib import Path

import pytest

transformers = pytest.importorskip("transformers")
pytest.importorskip("torch")
pytest.importorskip("scipy")

import datasets
import evaluate
import sacrebleu
from helpers import ROOT
from recipes import recipe
from tiny_t5 import SENTENCES, make_model, make_tokenizer, train

pytestmark = pytest.mark.filterwarnings("ignore")

PATH = str(ROOT / "bleu_metric.py")
CHRF = str(ROOT / "tests" / "ecosystem" / "evaluates_chrf.py")
DATA = datasets.Dataset.from_dict(
    {"source": SENTENCES, "target": [text.replace("on a", "on the") for text in SENTENCES]}
)
STEPS = 5  # of training: some n-grams match then, and not all


class Generation:
    """A translation pipeline as evaluate calls it: transformers 5 has removed it."""

    task = "translation"

    def __init__(self):
        self.tokenizer = make_tokenizer()
        self.model = make_model(self.tokenizer)
        train(self.model, self.tokenizer, DATA["source"], DATA["target"], steps=STEPS)

    def __call__(self, texts, **options):
        ids = self.tokenizer(list(texts), return_tensors="pt", padding=True, **options)
        generated = self.model.generate(input_ids=ids["input_ids"], max_length=12)
        texts = self.tokenizer.batch_decode(generated, skip_special_tokens=True)
        return [{"translation_text": text} for text in texts]


HAS_PIPELINE = int(transformers.__version__.partition(".")[0]) < 5


@pytest.fixture(scope="module")
def generation():
    own = Generation()
    if HAS_PIPELINE:
        return transformers.pipeline("translation", model=own.model, tokenizer=own.tokenizer)
    return own


@pytest.fixture
def predictions(generation):
    return [row["translation_text"] for row in generation(SENTENCES)]


@pytest.fixture
def run_recipe(generation, monkeypatch, tmp_path):
    """Return a function that runs blocks of the recipe; under transformers 5 with a pipeline that this file defines."""
    monkeypatch.chdir(tmp_path)
    DATA.to_json("data.jsonl")
    generation.model.save_pretrained("model")
    generation.tokenizer.save_pretrained("model")
    if not HAS_PIPELINE:
        base = importlib.import_module("evaluate.evaluator.base")
        monkeypatch.setattr(
            transformers, "TFPreTrainedModel", transformers.PreTrainedModel, raising=False
        )
        monkeypatch.setattr(base, "pipeline", lambda task, **others: generation)
        evaluators = importlib.import_module("evaluate.evaluator")
        monkeypatch.setattr(evaluators, "check_pipeline_task", lambda task: True)
        monkeypatch.setitem(evaluators.SUPPORTED_PIPELINE_TASKS, "translation", {})

    def run(*blocks):
        namespace = {"data": DATA}
        for block in blocks:
            exec(
                compile(block.replace("path/to/model", "model"), "docs/training.md", "exec"),
                namespace,
            )
        return namespace

    return run


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

    @pytest.mark.usefixtures("clone")
    def test_its_examples_run(self, module):
        results = doctest.testmod(module, raise_on_error=True)
        assert results.failed == 0
        assert results.attempted > 1

    @pytest.mark.parametrize(
        ("name", "score", "best"),
        [(None, "bleu", 1), ("sacrebleu", "score", 100), ("bleu", "bleu", 1)],
    )
    def test_compute_takes_what_its_features_say(self, load, name, score, best):
        """A row of each kind, checked and encoded by evaluate as by the features."""
        rows = [
            ("a b c d", ["a b c d"]),
            ("a b c d", "a b c d"),
            (["a"] * 4, [["a"] * 4]),
            ([1] * 4, [[1] * 4]),
        ]
        metric = load(name)
        assert len(metric.features) == len(rows)
        for features, (prediction, references) in zip(metric.features, rows):
            columns = features.encode_batch(
                {"predictions": [prediction], "references": [references]}
            )
            assert metric.compute(**columns)[score] == pytest.approx(
                best, abs=1e-12
            )  # sacreBLEU's best is above 100


def test_combined_and_saved(load, tmp_path):
    """Both drop-ins beside this metric: their keys are told apart, and all values go into a file."""
    combined = evaluate.combine(
        {"sacrebleu": load("sacrebleu"), "bleu": load("bleu"), "ours": load()}
    )
    columns = {"predictions": SENTENCES, "references": DATA["target"]}
    result = combined.compute(**columns)
    assert result["sacrebleu_score"] == load("sacrebleu").compute(**columns)["score"]
    assert result["ours_score"] == pytest.approx(
        result["sacrebleu_score"], abs=1e-12
    )  # up to sacreBLEU's last bit
    assert result["bp"] == result["ours_brevity_penalty"]
    saved = json.loads(evaluate.save(tmp_path / "result.json", **result).read_text())
    assert saved.items() >= result.items()


def test_combined_with_chrf(monkeypatch, capsys):
    """The recipe for BLEU beside chrF, with evaluate's module from a file."""
    load = evaluate.load
    monkeypatch.setattr(
        evaluate, "load", lambda path, *rest: load(CHRF if path == "chrf" else path, *rest)
    )
    (code,) = recipe("Beside chrF")
    exec(compile(code, "docs/recipes.md", "exec"), namespace := {})
    columns = {"predictions": namespace["predictions"], "references": namespace["references"]}
    bleu, chrf = (
        load(PATH).compute(**columns),
        sacrebleu.CHRF().corpus_score(columns["predictions"], list(zip(*columns["references"]))),
    )
    assert capsys.readouterr().out.split() == [f"{bleu['score']:.2f}", f"{chrf.score:.2f}"]


def test_evaluator_with_bootstrap(load, run_recipe, predictions):
    """The recipe: it resamples every value of the drop-in's result, lists among them."""
    result = run_recipe(recipe("Evaluators and suites")[0])["result"]
    expected = load("sacrebleu").compute(predictions=predictions, references=DATA["target"])
    assert {key: result[key]["score"] for key in expected} == expected
    assert all(
        set(result[key]) == {"confidence_interval", "standard_error", "score"} for key in expected
    )
    assert result["precisions"]["standard_error"].shape == (4,)
    assert result["score"]["standard_error"] > 0


def test_evaluator_as_it_is_by_default(load, run_recipe, predictions):
    """This metric's own result, in one dict with evaluate's times."""
    code = (
        recipe("Evaluators and suites")[0]
        .replace(', "sacrebleu"', "")
        .replace('strategy="bootstrap"', 'strategy="simple"')
    )
    result = run_recipe(code)["result"]
    assert (
        result.items() >= load().compute(predictions=predictions, references=DATA["target"]).items()
    )
    assert result["samples_per_second"] > 0


def test_suite(load, run_recipe, predictions, capsys):
    """The recipe: a suite from a file, whose task has this metric."""
    _, suite, run = recipe("Evaluators and suites")
    Path("suite.py").write_text(suite, encoding="utf-8")
    run_recipe(run)
    expected = load("sacrebleu").compute(predictions=predictions, references=DATA["target"])[
        "score"
    ]
    assert float(capsys.readouterr().out.splitlines()[-1]) == expected
