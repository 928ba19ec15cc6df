"""The wheel that pip builds, and the metric beside older libraries."""

import importlib.metadata
import subprocess
import sys
import zipfile

import pytest
from helpers import ROOT


def test_beside_transformers_4(bleu):
    """Installed after it, requirements.txt keeps the huggingface_hub below 1.0 that transformers 4 needs."""
    transformers = pytest.importorskip("transformers")
    if not transformers.__version__.startswith("4.57."):
        pytest.skip("another transformers is installed; .ci/run has an environment for this")
    assert importlib.metadata.version("datasets").startswith("4.4.")
    assert importlib.metadata.version("huggingface_hub").startswith("0.")
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True, timeout=60)
    same = ["the cat sat on the mat"]
    assert bleu.compute(predictions=same, references=[same])["score"] == 100


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
