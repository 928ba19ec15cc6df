"""Loggers of experiments, all offline: the recipes of docs/recipes.md store what `to_scalars()` returns."""

import json
import re
import sqlite3
import sys

import pytest
from helpers import ROOT
from recipes import recipe

pytestmark = pytest.mark.filterwarnings("ignore")

REFERENCES = ["The cat sits on the mat.", "There is a dog."] * 20


@pytest.fixture
def result(bleu):
    return bleu.compute(
        predictions=["The cat sits on a mat.", "A dog."] * 20,
        references=REFERENCES,
        by=["news", "talks"] * 20,
        confidence=0.95,
    )


@pytest.fixture
def run(tmp_path, monkeypatch, result):
    """Return a function that runs the recipe's block of a library, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run_block(library, without="", instead=""):
        pytest.importorskip((instead or library).split()[0])
        importing = re.compile(
            rf"^(import {library}\b.*|from .*{library} import .*)$", re.MULTILINE
        )
        code, *_ = [block for block in recipe("Logging a result") if importing.search(block)]
        namespace = {"result": result}
        (computed,) = re.findall(r"^result = .*\n", code, re.MULTILINE)
        for left_out in (computed, without):
            assert left_out in code
            code = code.replace(left_out, "")
        if instead:
            before = f"import {library}  # or: "
            assert f"{before}import {instead}\n" in code
            code = code.replace(before, "")
        exec(compile(code, "recipes.md", "exec"), namespace)
        return namespace

    return run_block


def test_tensorboard(run, result):
    run("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator("logs").Reload()
    tags = events.Tags()["scalars"]
    logged = {tag.removeprefix("BLEU/"): events.Scalars(tag)[0].value for tag in tags}
    assert logged == pytest.approx(result.to_scalars(), rel=1e-6)


def test_wandb(run, result, monkeypatch):
    """The summary is there until the run is finished; a file of an offline run can be read by W&B only."""
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = run("wandb", without="run.finish()\n")["run"]
    logged = {name: run.summary[name] for name in result.to_scalars()}
    run.finish()
    assert logged == result.to_scalars()


def test_trackio(run, result, tmp_path, monkeypatch):
    """The block of W&B, with the import that its comment names."""
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "trackio"]:
        monkeypatch.delitem(sys.modules, name)  # it reads the variable when it is imported
    run("wandb", instead="trackio as wandb")
    (path,) = tmp_path.glob("translation*.db")
    ((metrics,),) = sqlite3.connect(path).execute("SELECT metrics FROM metrics").fetchall()
    stored = json.loads(metrics)
    assert {name: stored[name] for name in result.to_scalars()} == result.to_scalars()


def test_mlflow(run, result, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # mlflow-skinny has no database
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    mlflow = run("mlflow")["mlflow"]
    logged = mlflow.last_active_run().data
    assert logged.metrics == pytest.approx(result.to_scalars(), abs=1e-15)
    assert logged.params == {"signature": result["signature"]}


def test_mlflows_evaluate(bleu, tmp_path, monkeypatch):
    """The score is that of the column, and the table has the scores of its segments."""
    pytest.importorskip("sklearn")
    pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    (code,) = [block for block in recipe("Logging a result") if "mlflow.models.evaluate" in block]
    code = code.replace("examples/tour.tsv", f"{ROOT}/examples/tour.tsv")
    exec(compile(code, "recipes.md", "exec"), namespace := {})
    columns = {
        "predictions": namespace["frame"]["after"],
        "references": namespace["frame"]["reference"],
    }
    expected = bleu.compute(**columns, segments=True)
    assert namespace["logged"].metrics == {"bleu/score": expected["score"]}
    table = namespace["logged"].tables["eval_results_table"]
    assert table["bleu/score"].tolist() == pytest.approx(expected["segment_bleu"], abs=1e-9)
