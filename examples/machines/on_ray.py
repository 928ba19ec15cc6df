"""Score a file with Ray Data, with an interval by document."""

import evaluate
import ray

bleu = evaluate.load("./bleu_metric.py")


class Count:
    def __init__(self, bleu):
        self.bleu = bleu

    def __call__(self, batch):
        rows = self.bleu.statistics(
            predictions=batch["after"],
            references=batch["reference"],
            documents=batch["document"],
        )
        return self.bleu.total(rows)


workers = ray.data.ActorPoolStrategy(size=2)
outputs = ray.data.read_parquet("outputs.parquet", override_num_blocks=4)
parts = outputs.map_batches(
    Count, fn_constructor_args=(bleu,), batch_format="pyarrow", compute=workers, num_cpus=0.5
)
total = bleu.total(parts.iter_batches(batch_size=None, batch_format="pyarrow"))
scored = bleu.compute(statistics=total.sort_by("document"), documents="document", confidence=0.95)
print(round(scored["score"], 2), scored["documents"])
