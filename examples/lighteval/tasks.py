"""A translation task for lighteval, with the BLEU of the corpus."""

import math

import evaluate
from lighteval.metrics.sample_preparator import GenerativePreparator
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

bleu = evaluate.load("./bleu_metric.py")


def corpus_bleu(samples):
    """Return the BLEU of a corpus, from 0 to 100, and its standard error if there is one."""
    predictions = [sample.preds[0].strip() for sample in samples]
    references = [sample.golds for sample in samples]
    result = bleu.compute(predictions=predictions, references=references, confidence=0.95)
    return {"bleu": result["score"], "bleu_stderr": 100 * result.get("standard_error", math.nan)}


def make_doc(row, task_name):
    """Return a segment whose choices are all references."""
    references = row["references"]
    return Doc(
        task_name=task_name,
        query=row["source"],
        choices=references,
        gold_index=list(range(len(references))),
    )


metric = CorpusLevelMetric(
    metric_name="bleu",
    higher_is_better=True,
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=GenerativePreparator(),
    corpus_level_fn=corpus_bleu,
)
TASKS_TABLE = [
    LightevalTaskConfig(
        name="translation",
        prompt_function=make_doc,
        hf_repo="data",
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[metric],
        generation_size=100,
        stop_sequence=["\n"],
    )
]
