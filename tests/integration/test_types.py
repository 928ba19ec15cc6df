"""pyright finds what mypy finds in tests/test_package.py, and keys of results that may be missing."""

import json
import os
import subprocess
import sys

import pytest
from test_package import MISSING, RIGHT, WRONG, link_package

pytest.importorskip("pyright")


def find_errors(folder):
    """Return the lines with errors, by file."""
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "."]
    ran = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    )  # fmt: skip
    found: dict[str, set[int]] = {}
    for error in json.loads(ran.stdout)["generalDiagnostics"]:
        if "bleu_metric" not in error["file"].removeprefix(str(folder)):
            name = os.path.basename(error["file"])
            found.setdefault(name, set()).add(error["range"]["start"]["line"])
    return found


def test_pyright(tmp_path):
    link_package(tmp_path)
    head = ["from bleu_metric import BleuMetric", "bleu = BleuMetric()"]
    missing = MISSING.strip().splitlines()
    files = {"right": RIGHT, "wrong": "\n".join([*head, *WRONG]), "missing": "\n".join(missing)}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert find_errors(tmp_path) == {
        "wrong.py": set(range(len(head), len(head) + len(WRONG))),
        "missing.py": set(range(3, len(missing))),
    }
