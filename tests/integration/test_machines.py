"""More than one process: torchrun's and Ray's, with README.md's recipes as they stand there."""

import os
import subprocess
import sys

import pandas as pd
import pytest
from helpers import random_rows
from recipes import recipe

pytestmark = pytest.mark.filterwarnings("ignore")

PREDICTIONS, REFERENCES = random_rows(seed=20, count=500)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the recipes find `outputs.parquet`."""
    pd.DataFrame({"prediction": PREDICTIONS, "references": REFERENCES}).to_parquet(tmp_path / "outputs.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def expected(bleu):
    return bleu.compute(predictions=PREDICTIONS, references=REFERENCES)["score"]


def test_torchrun_with_gloo(folder, expected):
    pytest.importorskip("torch")
    script, command = recipe("torchrun")
    (folder / "score.py").write_text(script)
    executable, *arguments = command.split()
    assert executable == "torchrun"
    output = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *arguments],
        capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False,
    )  # fmt: skip
    assert output.returncode == 0, output.stderr
    assert float(output.stdout) == expected


def test_ray_data_with_two_workers(folder, expected, capsys):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="ERROR")
    try:
        (code,) = recipe("Ray Data")
        exec(compile(code, "README.md", "exec"), {})
        assert float(capsys.readouterr().out.splitlines()[-1]) == expected
    finally:
        ray.shutdown()


ROWS = (
    ["the cat sat on the mat", "a dog ran to the house", "it is big and old"],
    [["the cat sat on a mat"], ["the dog ran to a house", "a dog ran home"], ["it is big and red"]],
)


@pytest.mark.parametrize("rows", [3, 1])
def test_torchrun_with_more_processes_than_rows(bleu, tmp_path, rows):
    """The recipe as it stands, with four processes: the empty ones add nothing to the sum."""
    pytest.importorskip("torch")
    predictions, references = (column[:rows] for column in ROWS)
    pd.DataFrame({"prediction": predictions, "references": references}).to_parquet(tmp_path / "outputs.parquet")
    script, command = recipe("torchrun")
    (tmp_path / "score.py").write_text(script)
    arguments = command.replace("--nproc_per_node=2", "--nproc_per_node=4").split()[1:]
    assert "--nproc_per_node=4" in arguments
    output = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *arguments],
        capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert output.returncode == 0, output.stderr[-2000:]
    assert float(output.stdout.split()[-1]) == bleu.compute(predictions=predictions, references=references)["score"]
