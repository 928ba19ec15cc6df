"""Decoder-only models with real trainers: the recipe that generates, and the ids that it replaces, which are errors."""

import copy
import re

import pytest

transformers = pytest.importorskip("transformers")
torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")

import datasets
from helpers import ROOT, record_warnings
from recipes import recipe
from tiny_gpt2 import PAIRS, make_model, make_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore")

TITLE = "Decoder-only models (Trainer, SFTTrainer)"
OPTIONS = {
    "report_to": [],
    "use_cpu": True,
    "disable_tqdm": True,
    "seed": 0,
    "per_device_eval_batch_size": 5,
}
EPOCHS = 12
NEW_TOKENS = 9


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Threads that wait for each other take most of the time of a model this small."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture(scope="module")
def pairs():
    return datasets.Dataset.from_list(PAIRS)


@pytest.fixture
def namespace(tokenizer, pairs, clone):
    """Return the names that docs/training.md expects, in the clone's folder, and the class of the recipe."""
    names = {
        "causal_model": make_model(tokenizer),
        "causal_tokenizer": tokenizer,
        "train_pairs": pairs,
        "eval_pairs": pairs,
    }
    exec(compile(recipe(TITLE)[0], "docs/training.md", "exec"), names)
    return names


def make_trainer(namespace, code):
    """Run a block of the recipe up to its training, with arguments for a quick one that learns."""
    *lines, last = code.strip().splitlines()
    assert last.endswith("trainer.train()")
    arguments = {**OPTIONS, "num_train_epochs": EPOCHS, "learning_rate": 1e-2}
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    for folder in ("out-causal", "out-sft"):
        lines = [line.replace(f'"{folder}",', f'"{folder}", {given},') for line in lines]
    lines = [line.replace("max_new_tokens=32", f"max_new_tokens={NEW_TOKENS}") for line in lines]
    exec(compile("\n".join(lines), "docs/training.md", "exec"), namespace)
    return namespace[last.removesuffix(".train()")]


class Oracle(transformers.TrainerCallback):
    """Generates after each prompt alone, without padding, and keeps the texts of each evaluation."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.texts = []

    def on_evaluate(self, args, state, control, model, **others):
        evaluation = []
        for pair in PAIRS:
            inputs = self.tokenizer(pair["prompt"], return_tensors="pt")
            written = model.generate(**inputs, max_new_tokens=NEW_TOKENS)[0].tolist()
            completion = written[inputs["input_ids"].shape[1] :]
            evaluation.append(self.tokenizer.decode(completion, skip_special_tokens=True))
        self.texts.append(evaluation)


@pytest.mark.parametrize("block", [1, 2], ids=["Trainer", "SFTTrainer"])
def test_the_recipe_logs_the_score_of_generated_texts(bleu, namespace, tokenizer, block):
    """After each evaluation, in the log and for the best checkpoint."""
    if block == 2:
        pytest.importorskip("trl")
    trainer = make_trainer(namespace, recipe(TITLE)[block])
    oracle = Oracle(tokenizer)
    trainer.add_callback(oracle)
    trainer.train()
    losses = [entry["step"] for entry in trainer.state.log_history if "eval_loss" in entry]
    logged = [entry for entry in trainer.state.log_history if "eval_bleu" in entry]
    references = [pair["completion"] for pair in PAIRS]
    expected = [
        bleu.compute(predictions=texts, references=references)["score"] for texts in oracle.texts
    ]
    assert len(logged) == EPOCHS
    assert [entry["step"] for entry in logged] == losses
    assert [entry["eval_bleu"] for entry in logged] == expected
    assert expected[0] < 10 < 50 < max(expected)
    metrics = trainer.evaluate()
    if block == 1:
        assert metrics["eval_bleu"] == trainer.state.best_metric == max(expected)


def test_messages_as_prompts(bleu, namespace, tokenizer, pairs, tmp_path):
    """The call that the page names takes the place of the tokenizer's, and generates after the same ids."""
    chat_tokenizer = copy.deepcopy(tokenizer)
    chat_tokenizer.chat_template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    chats = pairs.map(lambda pair: {"prompt": [{"role": "user", "content": pair["prompt"]}]})
    call = (
        'apply_chat_template(batch["prompt"], add_generation_prompt=True, return_dict=True, padding=True,'
        ' padding_side="left", return_tensors="pt")'
    )
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    assert call in " ".join(page.split())
    code = re.sub(
        r'tokenizer\(\s*batch\["prompt"\].*?\)\.to',
        f"tokenizer.{call}.to",
        recipe(TITLE)[0],
        flags=re.DOTALL,
    )
    exec(compile(code, "docs/training.md", "exec"), chat_names := {})
    logged = []
    for names, data in ((namespace, pairs), (chat_names, chats)):
        trainer = transformers.Trainer(
            model=namespace["causal_model"],
            args=transformers.TrainingArguments(str(tmp_path), **OPTIONS),
            processing_class=chat_tokenizer,
            eval_dataset=[{"input_ids": [3, 4], "labels": [3, 4]}],
        )
        trainer.add_callback(
            names["GenerationBleu"](
                trainer, chat_tokenizer, data, max_new_tokens=NEW_TOKENS, min_new_tokens=4
            )
        )
        logged.append(trainer.evaluate()["eval_bleu"])
    assert logged[0] == logged[1]


def take_argmax(logits, labels):
    return logits.argmax(-1)


@pytest.fixture(scope="module")
def learned(tokenizer, pairs, tmp_path_factory):
    """Return a model that has learned a part of the completions."""
    model = make_model(tokenizer)
    arguments = transformers.TrainingArguments(
        str(tmp_path_factory.mktemp("learned")), **OPTIONS, num_train_epochs=6, learning_rate=1e-2, save_strategy="no"
    )  # fmt: skip
    transformers.Trainer(
        model=model,
        args=arguments,
        processing_class=tokenizer,
        train_dataset=pairs.map(lambda pair: mask_prompt(tokenizer, pair)),
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer),
    ).train()
    return model


def mask_prompt(tokenizer, pair):
    prompt = tokenizer(pair["prompt"])["input_ids"]
    answer = [*tokenizer(pair["completion"])["input_ids"], tokenizer.eos_token_id]
    return {"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer}


def evaluate(
    trainer_class,
    arguments_class,
    model,
    tokenizer,
    data,
    bleu,
    folder,
    *,
    preprocess=None,
    **options,
):
    """Return the metrics of an evaluation with the callback of `compute_metrics`."""
    given = {**OPTIONS, **options}
    collator = transformers.DataCollatorForSeq2Seq(tokenizer)
    named = {"preprocess_logits_for_metrics": preprocess} if preprocess else {}
    trainer = trainer_class(
        model=model,
        args=arguments_class(str(folder), **given),
        processing_class=tokenizer,
        train_dataset=data,
        eval_dataset=data,
        data_collator=collator if "labels" in data.column_names else None,
        compute_metrics=bleu.compute_metrics(tokenizer),
        **named,
    )
    return trainer.evaluate()


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("batch_eval_metrics", [False, True])
@pytest.mark.parametrize("has_learned", [False, True])
def test_trainer_passes_logits_or_their_argmax(
    bleu, learned, tokenizer, pairs, tmp_path, side, batch_eval_metrics, has_learned
):
    """Both are errors that name the recipe, whichever side is padded, and whatever the model has learned.

    An untrained GPT-2 repeats its input, whose embeddings are its output's, so its argmax is the prompt and the answer.
    """
    model = learned if has_learned else make_model(tokenizer)
    sided = copy.deepcopy(tokenizer)
    sided.padding_side = side
    data = pairs.map(lambda pair: mask_prompt(tokenizer, pair))
    arguments = (
        transformers.Trainer,
        transformers.TrainingArguments,
        model,
        sided,
        data,
        bleu,
        tmp_path,
    )
    found = "got the argmax of logits" if has_learned else "begins with the prompt"
    with pytest.raises(ValueError, match=f"{found}.*{re.escape(TITLE)}"):
        evaluate(*arguments, preprocess=take_argmax, batch_eval_metrics=batch_eval_metrics)
    with pytest.raises(ValueError, match=f"got logits of shape.*{re.escape(TITLE)}"):
        evaluate(*arguments, batch_eval_metrics=batch_eval_metrics)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("batch_eval_metrics", [False, True])
def test_seq2seq_trainer_repeats_the_input(
    bleu, learned, tokenizer, pairs, tmp_path, side, batch_eval_metrics
):
    """With a decoder-only model, `predict_with_generate=True` generates after the input, and passes both."""
    sided = copy.deepcopy(tokenizer)
    sided.padding_side = side
    data = pairs.map(lambda pair: mask_prompt(tokenizer, pair))
    with pytest.raises(ValueError, match=f"begins with the prompt.*{re.escape(TITLE)}"):
        evaluate(
            transformers.Seq2SeqTrainer, transformers.Seq2SeqTrainingArguments, learned, sided, data, bleu, tmp_path,
            predict_with_generate=True, generation_max_length=40, batch_eval_metrics=batch_eval_metrics,
        )  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [{}, {"padding_free": True, "batch_eval_metrics": True}],
    ids=["padded", "padding-free"],
)
def test_sft_trainer_passes_logits_or_their_argmax(
    bleu, learned, tokenizer, pairs, tmp_path, options
):
    trl = pytest.importorskip("trl")
    arguments = (
        trl.SFTTrainer,
        trl.SFTConfig,
        copy.deepcopy(learned),
        tokenizer,
        pairs,
        bleu,
        tmp_path,
    )
    options = {**options, "bf16": False, "max_length": None}
    with pytest.raises(ValueError, match=f"got the argmax of logits.*{re.escape(TITLE)}"):
        evaluate(*arguments, preprocess=take_argmax, **options)
    with pytest.raises(ValueError, match=f"got logits of shape.*{re.escape(TITLE)}"):
        evaluate(*arguments, **options)


def test_sft_trainer_on_texts(bleu, tokenizer, pairs, tmp_path):
    """Texts have no masked prompt. The argmax is warned of if the model has learned some words."""
    trl = pytest.importorskip("trl")
    texts = pairs.map(
        lambda pair: {"text": pair["prompt"] + pair["completion"]},
        remove_columns=pairs.column_names,
    )
    model = make_model(tokenizer)
    trl.SFTTrainer(
        model=model,
        args=trl.SFTConfig(
            str(tmp_path),
            **OPTIONS,
            bf16=False,
            num_train_epochs=10,
            learning_rate=1e-2,
            save_strategy="no",
        ),
        processing_class=tokenizer,
        train_dataset=texts,
    ).train()
    _, messages = record_warnings(
        lambda: evaluate(
            trl.SFTTrainer, trl.SFTConfig, model, tokenizer, texts, bleu, tmp_path,
            preprocess=take_argmax, bf16=False,
        )
    )  # fmt: skip
    assert (
        len([message for message in messages if "look like the argmax of logits" in message]) == 1
    )
