"""Scores that WMT published for systems of 2021, beside the scores of this metric: a table in docs/other-tools.md.

python tests/benchmarks/published.py
"""

import warnings

import evaluate
from common import METRIC
from helpers import WMT21, read_published, read_system

SYSTEMS = {  # one system per direction, scored with all references of the direction
    "de-en": "Facebook-AI",
    "en-zh": "WeChat-AI",
    "en-ja": "NiuTrans",
}


def table(bleu: evaluate.Metric) -> str:
    """Return the Markdown table of `SYSTEMS`."""
    lines = [
        "| direction | system | published score | score here | signature |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    rows = {
        (row["pair"], row["system"]): row for row in read_published() if row["metric"] == "bleu-all"
    }
    for direction, system in SYSTEMS.items():
        row = rows[direction, system]
        predictions, references, tokenize = read_system(row)
        result = bleu.compute(predictions=predictions, references=references, tokenize=tokenize)
        signature = "\\|".join(
            key for key in result["signature"].split("|") if key.startswith(("nrefs", "tok"))
        )
        scores = f"{float(row['score']):.6f} | {result['score']:.6f}"
        lines.append(f"| {direction} | {system} | {scores} | `{signature}` |")
    return "\n".join(lines)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(table(evaluate.load(METRIC)) if WMT21.is_dir() else f"No WMT21 data at {WMT21}")
