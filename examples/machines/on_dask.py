"""Score a file with Dask, which drops the metadata of tables."""

import dask.dataframe as dd
import evaluate

bleu = evaluate.load("./bleu_metric.py")


def count(frame):
    rows = bleu.statistics(predictions=frame["after"], references=frame["reference"])
    return bleu.total(rows).to_pandas()


outputs = dd.read_parquet("outputs.parquet")
sample = outputs.head(100)
like = bleu.statistics(predictions=sample["after"], references=sample["reference"])
totals = outputs.map_partitions(count, meta=like.to_pandas()).compute()
scored = bleu.compute(statistics=totals, like=like)
print(round(scored["score"], 2))
