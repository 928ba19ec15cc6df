"""The modules are those that docs/design.md lists from top to bottom, and imports point down the list."""

import ast
import re

import pytest
from helpers import ROOT

DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
FILES = {  # the name of a list in docs/design.md, and the files that it must list
    "rooms": sorted(ROOT.glob("bleu_*.py")),
    "rooms space": sorted((ROOT / "space").glob("[!_]*.py")),
}


def list_modules(listed):
    """Return the names in a list, from top to bottom: each name is followed by two or more spaces and its purpose."""
    (block,) = re.findall(rf"^```{listed}\n(.*?)^```$", DESIGN, re.DOTALL | re.MULTILINE)
    lines = [line for line in block.splitlines() if not line.startswith("#")]
    return [re.fullmatch(r"([a-z_]+)  +\S.*", line).group(1) for line in lines]


def imported_modules(path):
    """Yield the siblings that a file imports, at its top or within a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module] if node.module else [alias.name for alias in node.names]


@pytest.mark.parametrize("listed", FILES)
def test_every_file_is_listed_and_every_listed_module_is_a_file(listed):
    assert sorted(list_modules(listed)) == [path.stem for path in FILES[listed]]


@pytest.mark.parametrize(("listed", "path"), [(listed, path) for listed, paths in FILES.items() for path in paths], ids=lambda value: getattr(value, "stem", ""))  # fmt: skip
def test_imports_point_down(listed, path):
    order = list_modules(listed)
    below = order[order.index(path.stem) + 1 :]
    assert set(imported_modules(path)) <= set(below)


def test_an_import_that_points_up_is_found(tmp_path):
    file = tmp_path / "bleu_warnings.py"
    file.write_text("from .bleu_options import Options\nfrom . import bleu_metric\n")
    assert list(imported_modules(file)) == ["bleu_options", "bleu_metric"]


def test_a_compiled_version_has_the_name_of_its_python_implementation():
    names = list_modules("rooms")
    compiled = [name for name in names if name.endswith("_compiled")]
    assert compiled
    for name in compiled:
        assert names.index(name.removesuffix("_compiled")) > names.index(name)


def test_a_test_file_has_the_name_of_its_module():
    """A test file is about one module, or is one of those about several."""
    about_all = {"design", "docs", "kernels", "space", "tutorials", "wmt21", "without_compiling"}
    names = {path.stem.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")} - about_all
    assert {f"bleu_{name}" for name in names} <= set(list_modules("rooms"))
