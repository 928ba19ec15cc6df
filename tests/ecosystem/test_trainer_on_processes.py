"""A real Seq2SeqTrainer evaluates 37 rows in batches of 7 on two processes, whose last batches repeat the first rows.

So does a loop with accelerate.
"""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("transformers")
pytest.importorskip("torch")
pytest.importorskip("accelerate")

from helpers import ROOT
from recipes import recipe
from tiny_t5 import SENTENCES, make_model, make_tokenizer, train

SCRIPT = ROOT / "tests" / "ecosystem" / "evaluate_on_processes.py"
ROWS = [{"text": text, "label": text.replace("on a", "on the")} for text in (SENTENCES * 4)[:37]]
OWN_DATA = """
import json
import datasets
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

model = AutoModelForSeq2SeqLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
with open("rows.json", encoding="utf-8") as file:
    columns = [
        {"input_ids": tokenizer(row["text"])["input_ids"], "labels": tokenizer(row["label"])["input_ids"]}
        for row in json.load(file)
    ]
eval_data = datasets.Dataset.from_list(columns)
"""
WAYS = ["whole", "by batch", "not concatenated"]


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """Return what the trainer logs, by the number of processes and the name of the evaluation."""
    folder = tmp_path_factory.mktemp("processes")
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    train(model, tokenizer, [row["text"] for row in ROWS], [row["label"] for row in ROWS], steps=5)
    for part in (model, tokenizer):
        part.save_pretrained(folder / "model")
    # Each row has its own references, so that the references of another row would have another score.
    rows = [
        {**row, "references": [row["label"], f"{row['text']} {i}"]} for i, row in enumerate(ROWS)
    ]
    (folder / "rows.json").write_text(json.dumps(rows))
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    found = {}
    for processes, launcher in ((1, []), (2, torchrun)):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", *launcher, str(SCRIPT), str(ROOT / "bleu_metric.py"), str(folder)],
            capture_output=True, text=True, timeout=500, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr[-4000:]
        assert "is among the references of another row" not in run.stderr
        found[processes] = json.loads((folder / "logged.json").read_text())
    return found


@pytest.mark.parametrize("way", WAYS)
def test_with_references_the_result_is_that_of_one_process(logged, way):
    one, two = (logged[processes][f"{way}, references"] for processes in (1, 2))
    assert 5 < one["bleu"] < 100
    assert two == one


@pytest.mark.parametrize("way", WAYS)
def test_without_references_repeated_rows_count(logged, way):
    """Repeated rows count as in a script with evaluate's `sacrebleu`: no trainer says which rows are repeated."""
    one, two = (logged[processes][f"{way}, labels"] for processes in (1, 2))
    assert 5 < one["bleu"] < 100
    assert two["translation_length"] > one["translation_length"]


def test_the_recipe_for_accelerate(tmp_path):
    """On two processes it prints once what one process prints, without the rows that fill the last batch."""
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    labels = [row["label"] for row in ROWS]
    train(model, tokenizer, [row["text"] for row in ROWS], labels, steps=5)
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path / "model")
    (tmp_path / "rows.json").write_text(json.dumps(ROWS))
    (code,) = recipe("Accelerate")
    (tmp_path / "loop.py").write_text(f"{OWN_DATA}\n{code}")
    printed = []
    for launcher in ([], ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]):
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", *launcher, "loop.py"], capture_output=True, text=True, timeout=500, cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true"}, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr[-4000:]
        printed.append(ran.stdout)
    one, two = printed
    assert two == one
    assert 5 < float(one.split()[0]) < 100
