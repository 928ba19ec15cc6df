"""The wheel that pip builds, and the metric beside older libraries."""

import importlib.metadata
import re
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


MAX_WHEEL_BYTES = 400_000
SOURCES = {
    "pip install .": str(ROOT),
    "pip install git+file://": f"git+file://{ROOT}",
}


@pytest.fixture(scope="module", params=SOURCES.values(), ids=SOURCES)
def wheel(request, tmp_path_factory):
    """Let pip build a wheel with the hatchling of this environment: .ci/run builds one in an isolated environment."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", folder, request.param], check=True, timeout=300)
    (path,) = folder.glob("*.whl")
    assert path.stat().st_size < MAX_WHEEL_BYTES
    return zipfile.ZipFile(path)


def test_the_wheel_has_the_modules_and_their_types(wheel):
    """It holds what `evaluate.load` reads, as a package: no demo, tests or documents."""
    names = [name for name in wheel.namelist() if ".dist-info/" not in name]
    modules = [str(path.relative_to(ROOT)) for path in (ROOT / "bleu_core").rglob("*.py")]
    modules += ["bleu_metric.py", "__init__.py", "py.typed"]
    expected = {f"bleu_metric/{name}" for name in modules}
    assert set(names) == expected


def test_the_page_of_a_package_index(wheel):
    """It is README.md without the header for the Hub, and without links to files that an index doesn't have."""
    (file,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    head, _, page = wheel.read(file).decode().partition("\n\n")
    assert page.startswith("# bleu_metric\n")
    assert page.index("from bleu_metric import BleuMetric") < page.index("evaluate.load(")
    assert {"Author", "Project-URL"} <= {*re.findall("^([A-Za-z-]+): ", head, re.MULTILINE)}
    urls = dict(re.findall("^Project-URL: ([^,]+), (https://.*)$", head, re.MULTILINE))
    assert {"Repository", "Changelog", "Issues"} <= {*urls}
    assert all(re.match("https://|#", link) for link in re.findall(r"\]\(([^)]*)\)", page))
    assert "[mistakes in the input]" not in page
    assert "find mistakes in the input" in page
    required = re.findall("^Requires-Dist: ([a-z]+)[^;\n]*$", head, re.MULTILINE)
    assert "evaluate" in required
    assert "numba" not in required


@pytest.mark.processes
def test_an_editable_installation_runs_the_files_of_the_clone(tmp_path):
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--ignore-installed"]
    subprocess.run([*command, "--prefix", tmp_path, "-e", ROOT], check=True, timeout=300)
    (folder,) = tmp_path.glob("lib/python*/site-packages")
    code = f"""
import site
import sys
site.addsitedir({str(folder)!r})
sys.path.insert(0, sys.path.pop(sys.path.index({str(folder)!r})))  # as that of an environment, before clones
from bleu_metric import BleuMetric
print(sys.modules[BleuMetric.__module__].__file__)
print(BleuMetric().compute(predictions=["a b c d"], references=["a b c d"])["score"])
"""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True, timeout=300, cwd=tmp_path
    )  # fmt: skip
    assert ran.stdout.splitlines() == [str(ROOT / "bleu_metric.py"), "100.0"]
