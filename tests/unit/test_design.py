"""The modules are those that docs/design.md lists, imports point down the list, and there are few files."""

import ast
import importlib
import re

import evaluate
import pytest
from helpers import ROOT

DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
FILES = {  # the name of a list in docs/design.md, and the files that it must list
    "modules": sorted(ROOT.glob("bleu_*.py")),
    "modules space": sorted((ROOT / "space").glob("[!_]*.py")),
}
ALL_FILES = [(listed, path) for listed, paths in FILES.items() for path in paths]


def list_modules(listed):
    """Return the names in a list, from top to bottom: each name is followed by two or more spaces and its purpose."""
    (block,) = re.findall(rf"^```{listed}\n(.*?)^```$", DESIGN, re.DOTALL | re.MULTILINE)
    lines = [line for line in block.splitlines() if not line.startswith("#")]
    return [re.fullmatch(r"([a-z_]+)  +\S.*", line).group(1) for line in lines]


def imported_modules(path):
    """Return the siblings that a file imports, at its top or within a function; not those for type checking only."""
    nodes, found = [ast.parse(path.read_text(encoding="utf-8"))], []
    while nodes:
        node = nodes.pop(0)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found += [node.module] if node.module else [alias.name for alias in node.names]
        nodes += ast.iter_child_nodes(node)
    return found


@pytest.mark.parametrize("listed", FILES)
def test_every_file_is_listed_and_every_listed_module_is_a_file(listed):
    assert sorted(list_modules(listed)) == [path.stem for path in FILES[listed]]


@pytest.mark.parametrize(
    ("listed", "path"), ALL_FILES, ids=lambda value: getattr(value, "stem", "")
)
def test_imports_point_down(listed, path):
    order = list_modules(listed)
    below = order[order.index(path.stem) + 1 :]
    assert set(imported_modules(path)) <= set(below)


@pytest.mark.parametrize("promise", ["contract", "oracles", "demo", "ecosystem"])
def test_only_unit_tests_import_modules(promise):
    """The others know what a user knows: moving a function breaks no promise."""
    importing = re.compile(r"^\s*(?:from|import) bleu\b", re.MULTILINE)
    files = sorted((ROOT / "tests" / promise).rglob("*.py"))
    assert files
    assert [path.name for path in files if importing.search(path.read_text(encoding="utf-8"))] == []


def test_an_import_that_points_up_is_found(tmp_path):
    file = tmp_path / "bleu_core/shared/messages.py"
    file.write_text(
        "from .bleu_options import Options\n"
        "if TYPE_CHECKING:\n    from .bleu_diff import Difference\n"
        "def warn():\n    from . import bleu_metric\n"
    )
    assert imported_modules(file) == ["bleu_options", "bleu_metric"]


def defined_names(path):
    """Return the functions, classes and constants that a module defines at its top level."""
    names = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        for target in targets if isinstance(node, (ast.Assign, ast.AnnAssign)) else ():
            names += [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
    return names


# Modules of which benchmarks take names.
TAKEN = ("significance", "scoring", "reconcile", "inputs", "published", "options")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "benchmarks").glob("*.py")), ids=lambda path: path.stem
)
def test_benchmarks_take_names_that_modules_have(path):
    """Simulations do not run at each commit: two asked for names of before, and ended in an error."""
    asked = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in TAKEN
    ]
    modules = {name: importlib.import_module(f"bleu.bleu_{name}") for name in TAKEN}
    missing = [
        ast.unparse(node) for node in asked if not hasattr(modules[node.value.id], node.attr)
    ]
    assert missing == []


def test_one_name_is_one_thing():
    """A public name is defined in one module, and no other module defines it with an underscore."""
    modules_of = {}
    for path in FILES["modules"]:
        for name in defined_names(path):
            modules_of.setdefault(name.removeprefix("_"), []).append((path.stem, name))
    shared = {
        name: places
        for name, places in modules_of.items()
        if len({module for module, _ in places}) > 1 and any(name == own for _, own in places)
    }
    assert shared == {}


def test_names_of_a_module_are_found(tmp_path):
    file = tmp_path / "bleu_core/shared/messages.py"
    file.write_text("A, _B = 1, 2\nC: int = 3\ndef d(): e = 4\nclass F: g = 5\n")
    assert defined_names(file) == ["A", "_B", "C", "d", "F"]


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_metric_has_at_most_14_methods_beside_those_of_evaluate():
    """docs/api.md has one section per method; tests/contract compares the metric with its contract."""
    sections = re.findall(
        "^## ([a-z_]+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len({*sections} - {"compute", "add", "add_batch"}) <= 14


def test_every_sibling_is_imported_where_evaluate_looks_for_it():
    """evaluate's loader copies a file only if it finds an import of it in bleu_metric.py."""
    imports = evaluate.loading.get_imports(str(ROOT / "bleu_metric.py"))
    internal = [name for kind, name, *_ in imports if kind == "internal"]
    assert sorted(["bleu_metric", *internal]) == [path.stem for path in FILES["modules"]]


def test_a_test_file_has_the_name_of_its_module():
    """A test file is about one module, or is one of those about several or about a part."""
    other_subjects = {
        "campaign", "design", "conformance", "docs", "loading", "rank", "space", "space_files", "space_limits", "tutorials",
        "package", "wmt21", "without_compiling", "legitimate",
    }  # fmt: skip
    names = {
        path.stem.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")
    } - other_subjects
    assert {f"bleu_{name}" for name in names} <= set(list_modules("modules"))


def test_the_package_needs_what_the_requirements_list():
    """A Space reads requirements.txt, pip reads pyproject.toml, where numba is an extra."""
    tomllib = pytest.importorskip("tomllib", reason="it is new in Python 3.11")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    extras = project["optional-dependencies"]
    demo = [line for line in extras["demo"] if not line.startswith("gradio")]
    assert sorted([*project["dependencies"], *extras["numba"], *demo]) == sorted(
        line.partition(" #")[0] for line in lines
    )
    assert extras["all"] == [f"bleu-metric[{','.join(name for name in extras if name != 'all')}]"]
