"""pyright finds what mypy finds in tests/unit/test_package.py, keys that may be missing, and no error in the documents."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest
from pages import PAGES, find_blocks
from test_pages import LIBRARIES
from typed_code import HEAD, MISSING, RIGHT, WRONG
from types_check import link_package

pytest.importorskip("pyright")

CONFIGURATION = {
    "exclude": ["bleu_metric"],  # mypy checks the package
    "useLibraryCodeForTypes": False,  # reading the source of libraries without types takes minutes
    "reportPrivateImportUsage": False,  # of libraries
    "reportRedeclaration": False,  # a page may define a function again
}
LOADING = re.compile(
    r"""evaluate\.load\(\s*f?"[^"]*bleu_metric(?:\.py)?"(?:, )?(?:revision="[^"]*")?"""
)
LANGUAGE_OF_MOSES = re.compile(r', tokenize="moses-[a-z-]+"')  # the type has no name per language
DROP_IN = re.compile(r"""evaluate\.load\([^()]*"(?:sacrebleu|bleu)"\)""")
# What a page says is the reader's own.
READERS_OWN = {
    "docs/training.md": (
        "model",
        "tokenizer",
        "train_data",
        "eval_data",
        "causal_model",
        "causal_tokenizer",
        "train_pairs",
        "eval_pairs",
    )
}


def find_errors(folder):
    """Return the lines with errors, by file."""
    (folder / "pyrightconfig.json").write_text(json.dumps(CONFIGURATION))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "."]
    ran = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=900, check=False, env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    )  # fmt: skip
    found: dict[str, set[int]] = {}
    for error in json.loads(ran.stdout)["generalDiagnostics"]:
        if "bleu_metric" not in error["file"].removeprefix(str(folder)):
            name = os.path.basename(error["file"])
            found.setdefault(name, set()).add(error["range"]["start"]["line"])
    return found


def test_pyright(tmp_path):
    link_package(tmp_path)
    head = HEAD.splitlines()
    missing = MISSING.strip().splitlines()
    files = {
        "right": RIGHT,
        "wrong": "\n".join([*head, *WRONG]),
        "missing": "\n".join([*head, *missing]),
    }
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert find_errors(tmp_path) == {
        "wrong.py": set(range(len(head), len(head) + len(WRONG))),
        "missing.py": set(range(len(head), len(head) + len(missing))),
    }


def write_pages(folder):
    """Write the code of each page to a file, its lines as in the page; and the files that readers store.

    Blocks for libraries that are not here are left out. evaluate does not say which class `evaluate.load` returns, so
    that the code calls the class. Drop-ins have other arguments and results.
    """
    for page in PAGES:
        lines = ["from typing import Any; from bleu_metric import BleuMetric; drop_in: Any = None"]
        for name in READERS_OWN.get(page, ()):
            lines[0] += f"; {name}: Any = None"
        for block in find_blocks(page):
            names = [
                LIBRARIES.get(library, library) for library in block.needs if library != "the Hub"
            ]
            if not all(is_installed(name) for name in names):
                continue
            code = DROP_IN.sub("drop_in", block.code)
            code = LANGUAGE_OF_MOSES.sub("", LOADING.sub("BleuMetric(", code))
            if block.file:
                (folder / block.file).write_text(f"{lines[0]}\n{code}", encoding="utf-8")
                continue
            lines += [""] * (block.line - 1 - len(lines))
            lines += code.splitlines()
        file = page.replace("/", "_").replace("-", "_").removesuffix(".md")
        (folder / f"{file}.py").write_text("\n".join(lines), encoding="utf-8")


def is_installed(name):
    return re.fullmatch(r"\w+", name) is not None and importlib.util.find_spec(name) is not None


def test_pyright_finds_no_error_in_the_documents(tmp_path):
    """Of the recipes, the README and all other pages."""
    link_package(tmp_path)
    write_pages(tmp_path)
    assert "pairs" in (tmp_path / "docs_recipes.py").read_text(encoding="utf-8")
    assert find_errors(tmp_path) == {}
