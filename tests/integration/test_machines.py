"""More than one process: torchrun, Ray, Spark and Dask run the recipes as docs/recipes.md has them."""

import os
import shutil
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
    """Write `outputs.parquet`, which the recipes read, and return its folder."""
    pd.DataFrame({"prediction": PREDICTIONS, "references": REFERENCES}).to_parquet(
        tmp_path / "outputs.parquet"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def expected(bleu):
    """Return what each recipe prints: the score and the full signature."""
    result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
    return f"{result['score']} {result['signature']}"


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
    assert output.stdout.strip() == expected


def test_ray_data_with_two_workers(folder, expected, capsys):
    ray = pytest.importorskip("ray")
    ray.init(
        num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="ERROR"
    )
    try:
        (code,) = recipe("Ray Data")
        exec(compile(code, "README.md", "exec"), {})
        assert capsys.readouterr().out.splitlines()[-1] == expected
    finally:
        ray.shutdown()


@pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java")
def test_spark_with_two_partitions(folder, expected, capsys, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    split_into_two_files(folder)
    spark = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    try:
        (code,) = recipe("Spark")
        exec(compile(code, "recipes.md", "exec"), {})
        assert capsys.readouterr().out.splitlines()[-1] == expected
    finally:
        spark.stop()


def test_dask_with_two_partitions(folder, expected, capsys):
    pytest.importorskip("dask.dataframe")
    split_into_two_files(folder)
    (code,) = recipe("Dask")
    exec(compile(code, "recipes.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] == expected


def split_into_two_files(folder):
    """Replace `outputs.parquet` by a folder of this name with two files: two partitions."""
    data = pd.read_parquet(folder / "outputs.parquet")
    (folder / "outputs.parquet").unlink()
    (folder / "outputs.parquet").mkdir()
    for number, rows in enumerate((data[:200], data[200:])):
        rows.to_parquet(folder / "outputs.parquet" / f"{number}.parquet", index=False)


ROWS = (
    ["the cat sat on the mat", "a dog ran to the house", "it is big and old"],
    [["the cat sat on a mat"], ["the dog ran to a house", "a dog ran home"], ["it is big and red"]],
)


@pytest.mark.parametrize(("rows", "processes"), [(3, 4), (1, 2)])
def test_torchrun_with_more_processes_than_rows(bleu, tmp_path, rows, processes):
    """The recipe as it stands: a process without rows does not change the sum."""
    pytest.importorskip("torch")
    predictions, references = (column[:rows] for column in ROWS)
    pd.DataFrame({"prediction": predictions, "references": references}).to_parquet(
        tmp_path / "outputs.parquet"
    )
    script, command = recipe("torchrun")
    (tmp_path / "score.py").write_text(script)
    arguments = command.replace("--nproc_per_node=2", f"--nproc_per_node={processes}").split()[1:]
    assert f"--nproc_per_node={processes}" in arguments
    output = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *arguments],
        capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert output.returncode == 0, output.stderr[-2000:]
    expected = bleu.compute(predictions=predictions, references=references)
    score, signature = output.stdout.split()[-2:]
    assert float(score) == expected["score"]
    assert signature.replace("nrefs:1", "nrefs:var") == expected["signature"].replace(
        "nrefs:1", "nrefs:var"
    )
