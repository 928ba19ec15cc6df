"""The wheel that pip builds, and the metric beside older libraries in a fresh virtual environment."""

import os
import subprocess
import sys
import venv
import zipfile

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


MAX_WHEEL_BYTES = 250_000
SOURCES = {
    "pip install .": str(ROOT),
    "pip install git+file://": f"git+file://{ROOT}",
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_the_wheel_has_the_modules_and_their_types(tmp_path, source):
    """It holds what `evaluate.load` reads, as a package: no demo, tests or documents."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), source]
    subprocess.run(command, check=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    modules = [path.name for path in ROOT.glob("bleu_*.py")]
    expected = {f"bleu_metric/{name}" for name in [*modules, "__init__.py", "py.typed"]}
    assert set(names) == expected
    assert wheel.stat().st_size < MAX_WHEEL_BYTES
