"""Score a file on several processes.

Run: torchrun --nproc_per_node=2 examples/machines/torchrun_gloo.py
"""

import datasets
import evaluate
import torch.distributed as dist

dist.init_process_group("gloo")
bleu = evaluate.load("./bleu_metric.py")
data = datasets.Dataset.from_parquet("outputs.parquet").shard(
    dist.get_world_size(), dist.get_rank(), contiguous=False
)
rows = bleu.statistics(predictions=data["after"], references=data["reference"])
totals = [None] * dist.get_world_size()
dist.all_gather_object(totals, bleu.total(rows))
if dist.get_rank() == 0:
    result = bleu.compute(statistics=totals)
    print(result["score"], result["signature"])
dist.destroy_process_group()
