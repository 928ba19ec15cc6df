"""Evaluate a model with Seq2SeqTrainer, and write the metrics that it logs: on one process, or on those of torchrun.

    torchrun --nproc_per_node=2 evaluate_on_processes.py METRIC FOLDER

METRIC is the path of `bleu_metric.py`. FOLDER has `model` and `rows.json`, and gets `logged.json`.
"""

import json
import sys
from pathlib import Path

import datasets
import evaluate
import transformers

SETTINGS = {  # arguments of the trainer, by the name of the evaluation
    "whole": {},
    "by batch": {"batch_eval_metrics": True},
    "not concatenated": {"eval_do_concat_batches": False},
}


def main(path, folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "model")
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder / "model")
    rows = json.loads((folder / "rows.json").read_text())
    data = datasets.Dataset.from_list(
        [
            {
                "input_ids": tokenizer(row["text"])["input_ids"],
                "labels": tokenizer(row["label"])["input_ids"],
            }
            for row in rows
        ]
    )
    bleu = evaluate.load(path)
    logged = {}
    for name, settings in SETTINGS.items():
        for references in (None, [row["references"] for row in rows]):
            arguments = transformers.Seq2SeqTrainingArguments(
                str(folder / "out"), per_device_eval_batch_size=7, predict_with_generate=True, generation_max_length=12,
                report_to=[], use_cpu=True, disable_tqdm=True, **settings,
            )  # fmt: skip
            trainer = transformers.Seq2SeqTrainer(
                model=model, args=arguments, processing_class=tokenizer, eval_dataset=data,
                data_collator=transformers.DataCollatorForSeq2Seq(tokenizer),
                compute_metrics=bleu.compute_metrics(tokenizer, references=references, details=True),
            )  # fmt: skip
            metrics = trainer.evaluate()
            kept = {
                key: metrics[f"eval_{key}"] for key in ("bleu", "gen_len", "translation_length")
            }
            logged[f"{name}, {'labels' if references is None else 'references'}"] = kept
    if trainer.is_world_process_zero():
        (folder / "logged.json").write_text(json.dumps(logged))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
