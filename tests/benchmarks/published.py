"""Scores that WMT published for systems of 2021, beside what this metric gives: the table in README.md.

python tests/benchmarks/published.py
"""

import sys
import warnings
from pathlib import Path

import evaluate

sys.path.append(str(Path(__file__).resolve().parents[1]))

from helpers import WMT21, read_published, read_system

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = {  # direction: a system; scored with all references of the direction
    "de-en": "Facebook-AI",
    "en-de": "VolcTrans-GLAT",
    "cs-en": "CUNI-DocTransformer",
    "en-ru": "NVIDIA-NeMo",
    "en-zh": "WeChat-AI",
    "en-ja": "NiuTrans",
}


def table(bleu: evaluate.Metric) -> str:
    """The Markdown table of `SYSTEMS`."""
    lines = ["| direction | system | published | here | signature |", "| --- | --- | ---: | ---: | --- |"]
    rows = {(row["pair"], row["system"]): row for row in read_published() if row["metric"] == "bleu-all"}
    for direction, system in SYSTEMS.items():
        row = rows[direction, system]
        predictions, references, tokenize = read_system(row)
        result = bleu.compute(predictions=predictions, references=references, tokenize=tokenize)
        signature = "\\|".join(key for key in result["signature"].split("|") if key.startswith(("nrefs", "tok")))
        scores = f"{float(row['score']):.6f} | {result['score']:.6f}"
        lines.append(f"| {direction} | {system} | {scores} | `{signature}` |")
    return "\n".join(lines)


def main() -> None:
    if not WMT21.is_dir():
        print(f"No WMT21 data at {WMT21}")
        return
    warnings.simplefilter("ignore")
    print(table(evaluate.load(str(ROOT / "bleu_metric.py"))))


if __name__ == "__main__":
    main()
