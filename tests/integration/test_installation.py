"""The metric beside older libraries, each installed in a fresh virtual environment."""

import os
import subprocess
import venv

import pytest
from helpers import ROOT

SCORE = f"""
import datasets, evaluate, transformers
bleu = evaluate.load({str(ROOT / "bleu_metric.py")!r})
print(transformers.__version__, datasets.__version__)
print(bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on the mat"]])["score"])
"""


@pytest.mark.slow
def test_beside_transformers_4(tmp_path):
    """Installing requirements.txt keeps the huggingface_hub below 1.0 that transformers 4 needs."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    for requirements in (
        ["transformers==4.57.*", "datasets==4.4.*"],
        ["-r", str(ROOT / "requirements.txt")],
    ):
        subprocess.run(
            [python, "-m", "pip", "install", "-q", *requirements], check=True, timeout=500
        )
    subprocess.run([python, "-m", "pip", "check"], check=True, timeout=60)
    # Not PYTHONPATH: a test of numba's absence sets it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(
        [python, "-W", "ignore", "-c", SCORE],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    versions, score = run.stdout.splitlines()
    assert [version.rpartition(".")[0] for version in versions.split()] == ["4.57", "4.4"]
    assert float(score) == 100
