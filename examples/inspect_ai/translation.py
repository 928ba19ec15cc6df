"""A translation task for inspect_ai, with the BLEU of the corpus."""

import evaluate
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import SampleScore, Score, metric, scorer
from inspect_ai.solver import generate

bleu = evaluate.load("./bleu_metric.py")


@metric
def corpus_bleu():
    def compute(scores: list[SampleScore]) -> float:
        rows = []
        for sample in scores:
            metadata = sample.score.metadata or {}
            rows.append(metadata["row"])
        return bleu.compute(statistics=[sum(column) for column in zip(*rows)])["score"]

    return compute


@scorer(metrics=[corpus_bleu()])
def segment_bleu():
    async def score(state, target):
        text = state.output.completion.strip()
        rows = bleu.statistics(predictions=[text], references=[list(target)])
        value = bleu.compute(statistics=rows, effective_order=True)["score"]
        return Score(value=value, answer=text, metadata={"row": list(rows.to_pylist()[0].values())})

    return score


@task
def translation():
    return Task(json_dataset("data.jsonl"), solver=generate(), scorer=segment_bleu())
