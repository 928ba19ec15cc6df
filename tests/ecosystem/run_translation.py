"""Fine-tunes a translation model and evaluates it, in the shape of the scripts that people adapt.

Its command line and `compute_metrics` are those of transformers' example of this name. The test of this name changes
only the line that loads the metric.
"""

from dataclasses import dataclass

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    HfArgumentParser,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)


@dataclass
class ModelArguments:
    model_name_or_path: str
    cache_dir: str | None = None


@dataclass
class DataTrainingArguments:
    source_lang: str
    target_lang: str
    train_file: str | None = None
    validation_file: str | None = None
    max_source_length: int = 64
    val_max_target_length: int = 64
    num_beams: int | None = None


def main():
    parser = HfArgumentParser((ModelArguments, DataTrainingArguments, Seq2SeqTrainingArguments))
    model_args, data_args, training_args = parser.parse_args_into_dataclasses()
    set_seed(training_args.seed)
    files = {"train": data_args.train_file, "validation": data_args.validation_file}
    raw_datasets = load_dataset("json", data_files=files, cache_dir=model_args.cache_dir)
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    model = AutoModelForSeq2SeqLM.from_pretrained(model_args.model_name_or_path)

    def preprocess_function(examples):
        inputs = [example[data_args.source_lang] for example in examples["translation"]]
        targets = [example[data_args.target_lang] for example in examples["translation"]]
        model_inputs = tokenizer(inputs, max_length=data_args.max_source_length, truncation=True)
        labels = tokenizer(
            text_target=targets, max_length=data_args.val_max_target_length, truncation=True
        )
        return {"input_ids": model_inputs["input_ids"], "labels": labels["input_ids"]}

    data = raw_datasets.map(
        preprocess_function, batched=True, remove_columns=raw_datasets["train"].column_names
    )
    metric = evaluate.load("sacrebleu", cache_dir=model_args.cache_dir)

    def decode(ids):
        texts = tokenizer.batch_decode(
            np.where(ids != -100, ids, tokenizer.pad_token_id), skip_special_tokens=True
        )
        return [text.strip() for text in texts]

    def compute_metrics(eval_preds):
        preds, labels = eval_preds
        result = metric.compute(
            predictions=decode(preds), references=[[label] for label in decode(labels)]
        )
        result = {"bleu": result["score"]}
        lengths = np.isin(preds, [-100, tokenizer.pad_token_id], invert=True).sum(axis=1)
        result["gen_len"] = float(lengths.mean())
        return {name: round(value, 4) for name, value in result.items()}

    trainer = Seq2SeqTrainer(
        model=model,
        args=training_args,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        compute_metrics=compute_metrics if training_args.predict_with_generate else None,
    )
    if training_args.do_train:
        trainer.train()
        trainer.save_model()
    if training_args.do_eval:
        metrics = trainer.evaluate(
            max_length=data_args.val_max_target_length, num_beams=data_args.num_beams
        )
        trainer.save_metrics("eval", metrics)


if __name__ == "__main__":
    main()
