"""A real Seq2SeqTrainer: a tiny T5 learns to copy, generates, and is scored while it does."""

import pytest

transformers = pytest.importorskip("transformers")
pytest.importorskip("torch")
pytest.importorskip("accelerate")

import datasets
import numpy as np
from recipes import recipe
from tiny_t5 import SENTENCES, make_model, make_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture
def model(tokenizer):
    return make_model(tokenizer)


@pytest.fixture(scope="module")
def data(tokenizer):
    rows = [{"input_ids": tokenizer(text)["input_ids"], "labels": tokenizer(text)["input_ids"]} for text in SENTENCES]
    return datasets.Dataset.from_list(rows)


def trained(model, tokenizer, data, compute_metrics, folder, **options):
    arguments = transformers.Seq2SeqTrainingArguments(
        str(folder), num_train_epochs=60, per_device_train_batch_size=6, per_device_eval_batch_size=5, learning_rate=1e-2,
        predict_with_generate=True, generation_max_length=12, eval_strategy="epoch", save_strategy="epoch", save_total_limit=1,
        load_best_model_at_end=True, metric_for_best_model="bleu", report_to=[], use_cpu=True, disable_tqdm=True, seed=0, **options,
    )  # fmt: skip
    trainer = transformers.Seq2SeqTrainer(
        model=model, args=arguments, processing_class=tokenizer, train_dataset=data, eval_dataset=data,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer), compute_metrics=compute_metrics,
    )  # fmt: skip
    trainer.train()
    return trainer


def decoded(tokenizer, ids):
    """Decode generated ids independently of the callback."""
    ids = np.where(ids == -100, tokenizer.pad_token_id, ids)
    return [text.strip() for text in tokenizer.batch_decode(ids, skip_special_tokens=True)]


@pytest.mark.parametrize("batch_eval_metrics", [False, True])
@pytest.mark.parametrize("references", [None, [[text, "a dog ran"] for text in SENTENCES]], ids=["labels", "several"])
def test_what_is_logged_is_compute_of_the_decoded_texts(
    bleu, model, tokenizer, data, tmp_path, batch_eval_metrics, references
):
    callback = bleu.compute_metrics(tokenizer, references=references, details=True)
    trainer = trained(model, tokenizer, data, callback, tmp_path, batch_eval_metrics=batch_eval_metrics)
    scores = [entry["eval_bleu"] for entry in trainer.state.log_history if "eval_bleu" in entry]
    assert len(scores) == 60
    assert trainer.state.best_metric == max(scores) > scores[0]

    trainer.compute_metrics = None
    generated = trainer.predict(data).predictions
    expected = bleu.compute(predictions=decoded(tokenizer, generated), references=references or SENTENCES)
    trainer.compute_metrics = callback
    logged = trainer.evaluate()
    assert logged["eval_bleu"] == trainer.state.best_metric == expected["score"]
    assert logged["eval_precision_4"] == expected["precisions"][3]
    assert logged["eval_gen_len"] == (generated > 0).sum() / len(generated)


def test_without_predict_with_generate(bleu, model, tokenizer, data, tmp_path):
    """The mistake that everybody makes once."""
    arguments = transformers.Seq2SeqTrainingArguments(str(tmp_path), report_to=[], use_cpu=True, disable_tqdm=True)
    trainer = transformers.Seq2SeqTrainer(
        model=model, args=arguments, processing_class=tokenizer, eval_dataset=data,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer), compute_metrics=bleu.compute_metrics(tokenizer),
    )  # fmt: skip
    with pytest.raises(ValueError, match="predict_with_generate=True"):
        trainer.evaluate()


@pytest.fixture
def run_recipes(model, tokenizer, data, tmp_path, monkeypatch):
    """Return a function that runs blocks of recipes in order, and returns their names and the logged evaluations."""
    monkeypatch.chdir(tmp_path)
    pairs = ["en-de", "en-zh"] * (len(SENTENCES) // 2)
    namespace = {
        "model": model,
        "tokenizer": tokenizer,
        "train_data": data,
        "eval_data": data.add_column("pair", pairs),
    }

    def run(*blocks):
        for block in blocks:
            exec(compile(block, "docs/training.md", "exec"), namespace)
        logged = [entry for entry in namespace["trainer"].state.log_history if "eval_bleu" in entry]
        return namespace, logged

    return run


def test_the_recipe(run_recipes):
    _, logged = run_recipes(*recipe("Seq2SeqTrainer"))
    assert len(logged) == 3


def test_the_recipe_for_language_pairs(run_recipes):
    namespace, logged = run_recipes(*recipe("Seq2SeqTrainer"), *recipe("Several language pairs"))
    for scores in logged:
        assert scores["eval_bleu_macro"] == pytest.approx((scores["eval_bleu_en-de"] + scores["eval_bleu_en-zh"]) / 2)
    assert namespace["trainer"].state.best_metric == max(scores["eval_bleu_macro"] for scores in logged)


def test_the_recipe_for_checkpoints(run_recipes):
    """The history has a table per evaluation, and its scores are those in the log."""
    namespace, logged = run_recipes(*recipe("Seq2SeqTrainer"), recipe("Best checkpoint or last")[0])
    scores = [namespace["bleu"].score(table)["score"] for table in namespace["history"]]
    assert scores == [entry["eval_bleu"] for entry in logged]
    assert len(scores) == 3
