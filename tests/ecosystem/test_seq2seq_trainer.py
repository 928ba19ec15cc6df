"""A real Seq2SeqTrainer: a tiny T5 learns to copy, generates, and is scored while it does."""

import contextlib
import io
import re
import warnings

import pytest

transformers = pytest.importorskip("transformers")
pytest.importorskip("torch")
pytest.importorskip("accelerate")

import bleuscore
import datasets
import numpy as np
from helpers import ROOT
from pages import run_page, section
from recipes import recipe
from tiny_gpt2 import PAIRS
from tiny_gpt2 import make_model as make_causal_model
from tiny_gpt2 import make_tokenizer as make_causal_tokenizer
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
    rows = [
        {"input_ids": tokenizer(text)["input_ids"], "labels": tokenizer(text)["input_ids"]}
        for text in SENTENCES
    ]
    return datasets.Dataset.from_list(rows)


def trained(model, tokenizer, data, compute_metrics, folder, **options):
    arguments = transformers.Seq2SeqTrainingArguments(
        str(folder), num_train_epochs=20, per_device_train_batch_size=6, per_device_eval_batch_size=5, learning_rate=1e-2,
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
@pytest.mark.parametrize(
    "references", [None, [[text, "a dog ran"] for text in SENTENCES]], ids=["labels", "several"]
)
def test_what_is_logged_is_compute_of_the_decoded_texts(
    bleu, model, tokenizer, data, tmp_path, batch_eval_metrics, references
):
    callback = bleu.compute_metrics(tokenizer, references=references, details=True)
    trainer = trained(
        model, tokenizer, data, callback, tmp_path, batch_eval_metrics=batch_eval_metrics
    )
    scores = [entry["eval_bleu"] for entry in trainer.state.log_history if "eval_bleu" in entry]
    assert len(scores) == 20
    assert trainer.state.best_metric == max(scores) > scores[0]

    trainer.compute_metrics = None
    generated = trainer.predict(data).predictions
    expected = bleu.compute(
        predictions=decoded(tokenizer, generated), references=references or SENTENCES
    )
    trainer.compute_metrics = callback
    logged = trainer.evaluate()
    assert logged["eval_bleu"] == trainer.state.best_metric == expected["score"]
    assert logged["eval_precision_4"] == expected["precisions"][3]
    assert logged["eval_gen_len"] == (generated > 0).sum() / len(generated)


def test_without_predict_with_generate(bleu, model, tokenizer, data, tmp_path):
    """The mistake that everybody makes once."""
    arguments = transformers.Seq2SeqTrainingArguments(
        str(tmp_path), report_to=[], use_cpu=True, disable_tqdm=True
    )
    trainer = transformers.Seq2SeqTrainer(
        model=model, args=arguments, processing_class=tokenizer, eval_dataset=data,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer), compute_metrics=bleu.compute_metrics(tokenizer),
    )  # fmt: skip
    with pytest.raises(ValueError, match="predict_with_generate=True"):
        trainer.evaluate()


@pytest.fixture
def namespace(model, tokenizer, data, clone):
    """Return the names that docs/training.md expects, in the clone's folder."""
    pairs = data.add_column("pair", ["en-de", "en-zh"] * (len(SENTENCES) // 2))
    return {"model": model, "tokenizer": tokenizer, "train_data": data, "eval_data": pairs}


def run(namespace, *blocks):
    for block in blocks:
        exec(compile(block, "docs/training.md", "exec"), namespace)


def evaluations(namespace):
    return [entry for entry in namespace["trainer"].state.log_history if "eval_bleu" in entry]


def test_the_recipe_for_the_trainer(namespace):
    run(namespace, *recipe("Seq2SeqTrainer"))
    assert len(evaluations(namespace)) == 3


def test_several_language_pairs(namespace):
    """The recipe for the trainer, with the arguments that the page names."""
    (code,) = recipe("Seq2SeqTrainer")
    text = section("docs/training.md", "Several language pairs")
    (callback,) = re.findall(r"`(compute_metrics=.*?)`", text)
    (best,) = re.findall(r"`(metric_for_best_model=.*?)`", text)
    code = code.replace("compute_metrics=bleu.compute_metrics(tokenizer)", callback)
    code = code.replace('metric_for_best_model="bleu"', best)
    assert callback in code
    assert best in code
    run(namespace, code)
    logged = evaluations(namespace)
    assert len(logged) == 3
    for scores in logged:
        assert scores["eval_bleu_macro"] == pytest.approx(
            (scores["eval_bleu_en-de"] + scores["eval_bleu_en-zh"]) / 2
        )
    assert namespace["trainer"].state.best_metric == max(
        scores["eval_bleu_macro"] for scores in logged
    )


def test_best_checkpoint_or_last(namespace):
    """The recipe for the trainer, with the lines that the page names."""
    (code,) = recipe("Seq2SeqTrainer")
    text = " ".join(section("docs/training.md", "Best checkpoint or last").split())
    (callback,) = re.findall(r"`(callback = .*?)`", text)
    (ranking,) = re.findall(r"`(bleu\.rank.*?)`", text)
    without, given = "compute_metrics=bleu.compute_metrics(tokenizer)", "compute_metrics=callback"
    assert without in code
    before, training = code.split("trainer = ")
    run(namespace, before, callback, "trainer = " + training.replace(without, given))
    tables = namespace["callback"].history
    scores = [namespace["bleu"].compute(statistics=table)["score"] for table in tables]
    assert scores == [entry["eval_bleu"] for entry in evaluations(namespace)]
    assert len(scores) == 3
    run(namespace, f"ranking = {ranking}")
    assert len(namespace["ranking"]["ranking"]) == 3


def test_several_seeds(namespace):
    run(namespace, *recipe("Several seeds"))
    assert list(namespace["runs"]) == ["seed 1", "seed 2", "seed 3"]
    assert {len(table) for table in namespace["runs"].values()} == {len(SENTENCES)}


def test_several_sets(bleu, model, tokenizer, data, tmp_path):
    """With a dict of data, the trainer logs the score of each set under its name, from one callback and without a warning."""
    sets = {"news": data.select(range(7)), "talks": data.select(range(5, 12))}
    arguments = transformers.Seq2SeqTrainingArguments(
        str(tmp_path), predict_with_generate=True, batch_eval_metrics=True, per_device_eval_batch_size=3, report_to=[], use_cpu=True, disable_tqdm=True,
    )  # fmt: skip
    trainer = transformers.Seq2SeqTrainer(
        model=model, args=arguments, processing_class=tokenizer, eval_dataset=sets,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer), compute_metrics=bleu.compute_metrics(tokenizer),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error", bleu.Warning)
        warnings.filterwarnings("ignore", message="The score is 0")
        logged = trainer.evaluate()
    assert {
        "eval_news_bleu",
        "eval_news_gen_len",
        "eval_talks_bleu",
        "eval_talks_gen_len",
    } <= logged.keys()
    for name, rows in sets.items():
        assert logged[f"eval_{name}_gen_len"] == trainer.evaluate(rows)["eval_gen_len"]


def test_a_page_runs_in_one_process(namespace):
    """All of docs/training.md, except what needs older libraries: test_evaluate.py runs that."""
    libraries = ["torch", "transformers", "accelerate", "trl", "lightning", "torchmetrics"]
    for library in libraries:
        pytest.importorskip(library)
    causal_tokenizer = make_causal_tokenizer()
    pairs = datasets.Dataset.from_list(PAIRS)
    namespace |= {
        "causal_tokenizer": causal_tokenizer,
        "causal_model": make_causal_model(causal_tokenizer),
        "train_pairs": pairs,
        "eval_pairs": pairs,
    }
    left_out = run_page("docs/training.md", namespace, libraries)
    assert {block.needs for block in left_out} == {("transformers<5",)}
    assert {"trainer", "runs", "accelerator", "bleu_reward"} <= namespace.keys()
    for name in ("causal_trainer", "sft_trainer"):
        logged = [entry for entry in namespace[name].state.log_history if "eval_bleu" in entry]
        assert len(logged) == 3


def test_lightning(namespace, bleu):
    """The recipe: the floats of the result are logged, and `bleu` is that of the texts."""
    pytest.importorskip("lightning")
    (code,) = recipe("Lightning")
    *setup, last = code.strip().splitlines()
    assert last.startswith("lightning.Trainer(max_epochs=1)")
    run(namespace, "\n".join(setup))
    run(
        namespace,
        "trainer = lightning.Trainer(max_epochs=1, accelerator='cpu', logger=False, enable_progress_bar=False)",
    )
    run(namespace, "trainer.fit(Translator(model, tokenizer), training, evaluation)")
    generated = [
        namespace["model"].generate(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
        )
        for batch in namespace["evaluation"]
    ]
    texts = [
        text
        for ids in generated
        for text in namespace["tokenizer"].batch_decode(ids, skip_special_tokens=True)
    ]
    expected = bleu.compute(predictions=texts, references=SENTENCES)
    logged = {name: float(value) for name, value in namespace["trainer"].callback_metrics.items()}
    assert logged == pytest.approx(
        {name: value for name, value in expected.items() if isinstance(value, float)}, rel=1e-6
    )
    assert {"bleu", "score", "brevity_penalty"} <= logged.keys()


def test_trl(bleu, tmp_path):
    """GRPOTrainer calls the reward of the recipe with its texts and the column of references."""
    trl = pytest.importorskip("trl")
    tokenizer = make_tokenizer()
    tokenizer.padding_side = "left"
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=64, bos_token_id=1, eos_token_id=1, pad_token_id=0
    )  # fmt: skip
    namespace, calls = {}, []
    with contextlib.redirect_stdout(io.StringIO()):
        run(namespace, recipe("Rewards for TRL")[0])

    def reward(completions, **columns):
        calls.append(
            (completions, columns["reference"], namespace["bleu_reward"](completions, **columns))
        )
        return calls[-1][-1]

    rows = [{"prompt": text, "reference": [text, "a dog ran"]} for text in SENTENCES]
    arguments = trl.GRPOConfig(
        str(tmp_path), max_steps=1, num_generations=4, per_device_train_batch_size=4, max_completion_length=6, report_to=[], use_cpu=True, bf16=False
    )  # fmt: skip
    trl.GRPOTrainer(
        model=transformers.GPT2LMHeadModel(config), processing_class=tokenizer, args=arguments,
        train_dataset=datasets.Dataset.from_list(rows), reward_funcs=reward,
    ).train()  # fmt: skip
    ((texts, references, rewards),) = calls
    assert (
        rewards
        == bleu.compute(predictions=texts, references=references, segments=True)["segment_bleu"]
    )
    assert len(rewards) == 4


def test_bleuberi(bleu):
    """Its rewards are those of evaluate's `bleu(smooth=True)` for each completion."""
    texts, references = SENTENCES, [text.replace("a big", "the small") for text in SENTENCES]
    namespace = {}
    with contextlib.redirect_stdout(io.StringIO()):
        run(namespace, recipe("Rewards for TRL")[0])
    text = " ".join(section("docs/training.md", "Rewards for TRL").split())
    (call,) = re.findall(r"BLEUBERI .*?`(evaluate\.load\(.*?\))`", text)
    run(namespace, f"bleu = {call}".replace("./bleu_metric.py", str(ROOT / "bleu_metric.py")))
    expected = [
        bleuscore.compute([[b]], [a], smooth=True)["bleu"] for a, b in zip(texts, references)
    ]
    assert namespace["bleu_reward"](texts, references) == pytest.approx(expected, abs=1e-12)
