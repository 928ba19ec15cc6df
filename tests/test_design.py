"""The house is as docs/design.md draws it: every file is in a list of rooms, and imports point down that list."""

import ast
import re

import pytest
from helpers import ROOT

DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
HOUSES = {  # the list's name in docs/design.md, and the files that it is a list of
    "rooms": sorted(ROOT.glob("bleu_*.py")),
    "rooms space": sorted((ROOT / "space").glob("[!_]*.py")),
}


def rooms(house):
    """The names of a list, from top to bottom: each with two or more spaces behind, and what it is for."""
    (block,) = re.findall(rf"^```{house}\n(.*?)^```$", DESIGN, re.DOTALL | re.MULTILINE)
    lines = [line for line in block.splitlines() if not line.startswith("#")]
    return [re.fullmatch(r"([a-z_]+)  +\S.*", line).group(1) for line in lines]


def imported_rooms(path):
    """The siblings that a file imports, at its top or within a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module] if node.module else [alias.name for alias in node.names]


@pytest.mark.parametrize("house", HOUSES)
def test_every_file_is_a_room_and_every_room_a_file(house):
    assert sorted(rooms(house)) == [path.stem for path in HOUSES[house]]


@pytest.mark.parametrize(("house", "path"), [(house, path) for house, paths in HOUSES.items() for path in paths], ids=lambda value: getattr(value, "stem", ""))  # fmt: skip
def test_imports_point_down(house, path):
    order = rooms(house)
    below = order[order.index(path.stem) + 1 :]
    assert set(imported_rooms(path)) <= set(below)


def test_an_import_that_points_up_would_be_seen(tmp_path):
    file = tmp_path / "bleu_warnings.py"
    file.write_text("from .bleu_options import Options\nfrom . import bleu_metric\n")
    assert list(imported_rooms(file)) == ["bleu_options", "bleu_metric"]


def test_a_compiled_twin_carries_its_definitions_name():
    names = rooms("rooms")
    twins = [name for name in names if name.endswith("_compiled")]
    assert twins
    for twin in twins:
        assert names.index(twin.removesuffix("_compiled")) > names.index(twin)


def test_tests_of_a_room_carry_its_name():
    """A file of tests is about a room, or is one of those that are about all of them."""
    about_all = {"design", "docs", "kernels", "space", "tutorials", "wmt21", "without_compiling"}
    names = {path.stem.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")} - about_all
    assert {f"bleu_{name}" for name in names} <= set(rooms("rooms"))
