"""The folders are those of docs/design.md, imports point one way, a name is one thing, and files are small."""

import ast
import builtins
import importlib
import re
import subprocess
import sys

import evaluate
import pytest
from helpers import ROOT

DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
CORE = {path.relative_to(ROOT / "bleu_core"): path for path in (ROOT / "bleu_core").rglob("*.py")}
SOURCES = {name.as_posix(): path for name, path in CORE.items() if name.name != "__init__.py"}
FILES = {  # the name of a list in docs/design.md, and the files that it must list
    "files": SOURCES,
    "modules space": {path.stem: path for path in (ROOT / "space").glob("[!_]*.py")},
}
ALL_FILES = [(listed, name) for listed, paths in FILES.items() for name in paths]
MOST_FILES = 12  # in a folder
MOST_LINES = 900  # in a file
TABLE = "check/kinds.py"  # a table of records, which may be longer


def list_files(listed):
    """Return the names in a list, from top to bottom: each name is followed by two or more spaces and its purpose."""
    (block,) = re.findall(rf"^```{listed}\n(.*?)^```$", DESIGN, re.DOTALL | re.MULTILINE)
    lines = [line for line in block.splitlines() if not line.startswith("#")]
    return [re.fullmatch(r"([a-z_/.]+)  +\S.*", line).group(1) for line in lines]


def list_imports(path):
    """Return the relative imports of a file, at its top or within a function; not those for type checking only."""
    nodes, found = [ast.parse(path.read_text(encoding="utf-8"))], []
    while nodes:
        node = nodes.pop(0)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            found += (
                [node]
                if node.module
                else [ast.ImportFrom(alias.name, [], node.level) for alias in node.names]
            )
        nodes += ast.iter_child_nodes(node)
    return found


def imported_files(listed, name):
    """Return the names of the files that a file imports, as docs/design.md lists them."""
    found = []
    for node in list_imports(FILES[listed][name]):
        if listed == "files":
            folders = name.split("/")[: -node.level]
            found.append("/".join([*folders, *node.module.split(".")]) + ".py")
        else:
            found.append(node.module)
    return found


@pytest.mark.parametrize("listed", FILES)
def test_every_file_is_listed_and_every_listed_file_is_there(listed):
    assert sorted(list_files(listed)) == sorted(FILES[listed])


@pytest.mark.parametrize(("listed", "name"), ALL_FILES)
def test_imports_point_down(listed, name):
    order = list_files(listed)
    below = order[order.index(name) + 1 :]
    assert set(imported_files(listed, name)) <= set(below)


def test_folders_are_small_and_files_too():
    counts = {}
    for name, path in SOURCES.items():
        counts.setdefault(name.partition("/")[0], []).append(name)
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MOST_LINES or name == TABLE, name
    assert {folder: len(names) for folder, names in counts.items() if len(names) > MOST_FILES} == {}


def test_a_file_says_what_it_is_for():
    """Its docstring is above everything else."""
    for name, path in CORE.items():
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), name


# --- Names ----------------------------------------------------------------------------------------


def defined_names(path):
    """Return the functions, classes and constants that a file defines at its top level."""
    names = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        for target in targets if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For)) else ():
            names += [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
    return names


def imported_names(path):
    """Return the names that a file imports from libraries at its top level, each with what it means."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = f"{getattr(node, 'module', None)} {alias.name}"
    return found


def test_one_name_is_one_thing():
    """A name is defined in one file, private ones too, and no file has it with an underscore as well.

    So the files can be joined, read and searched. Neither a library that a file imports nor Python has this name.
    """
    places = {}
    meanings = {}
    all_names = set()
    for name, path in SOURCES.items():
        for defined in {*defined_names(path)}:
            places.setdefault(defined.removeprefix("_"), set()).add(name)
            all_names.add(defined)
        for imported, meaning in imported_names(path).items():
            meanings.setdefault(imported, set()).add(meaning)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
    assert {name for name, several in meanings.items() if len(several) > 1} == set()
    assert all_names & {*meanings, *dir(builtins)} == set()


def test_names_of_a_file_are_found(tmp_path):
    file = tmp_path / "messages.py"
    file.write_text("import os.path\nA, _B = 1, 2\nC: int = 3\ndef d(): e = 4\nclass F: g = 5\n")
    assert defined_names(file) == ["A", "_B", "C", "d", "F"]
    assert imported_names(file) == {"os": "None os.path"}


def test_an_import_that_points_up_is_found(tmp_path):
    file = tmp_path / "messages.py"
    file.write_text(
        "from ..options.options import Options\n"
        "if TYPE_CHECKING:\n    from ..methods.diff import Difference\n"
        "def warn():\n    from . import notices\n"
    )
    assert [node.module for node in list_imports(file)] == ["options.options", "notices"]


# --- What others take -----------------------------------------------------------------------------

INSIDE = re.compile(r"^\s*(?:from|import) [\w.]*\bbleu_core\.\w", re.MULTILINE)
OUTSIDE = [
    *ROOT.glob("*.py"),
    *(ROOT / "package").glob("*.py"),
    *(ROOT / "space").glob("*.py"),
    *(
        path
        for path in (ROOT / "tests").rglob("*.py")
        if ROOT / "tests" / "unit" not in path.parents
    ),
]


def test_only_unit_tests_import_from_inside():
    """All others take what `bleu_core/__init__.py` names: moving a function breaks none of them."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in OUTSIDE
        if INSIDE.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("promise", ["contract", "oracles", "demo", "ecosystem"])
def test_tests_of_promises_import_nothing_of_the_code(promise):
    """They know what a user knows."""
    importing = re.compile(r"^\s*(?:from|import) bleu\b", re.MULTILINE)
    files = sorted((ROOT / "tests" / promise).rglob("*.py"))
    assert files
    assert [path.name for path in files if importing.search(path.read_text(encoding="utf-8"))] == []


def test_the_demo_takes_names_that_are_named():
    """It loads the joined file, which has all names."""
    named = importlib.import_module("bleu.bleu_core").__all__
    text = (ROOT / "space" / "metric.py").read_text(encoding="utf-8")
    variables = re.findall(
        r'^(\w+) = import_module\(f"\{_package\}\.bleu_core"\)', text, re.MULTILINE
    )
    assert variables
    taken = set()
    for path in (ROOT / "space").glob("*.py"):
        for variable in variables:
            taken |= {
                *re.findall(
                    rf"(?<![\w.]){variable}\.([a-zA-Z]\w*)", path.read_text(encoding="utf-8")
                )
            }
    assert taken - {*named} == set()


def test_evaluate_copies_two_files():
    """Its loader copies a file only if it finds an import of it in bleu_metric.py."""
    imports = evaluate.loading.get_imports(str(ROOT / "bleu_metric.py"))
    assert [name for kind, name, *_ in imports if kind == "internal"] == ["bleu_core"]


# Variables of benchmarks that have the names of the joined file.
TAKEN = ("significance", "scoring", "reconcile", "inputs", "published", "options", "core")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "benchmarks").glob("*.py")), ids=lambda path: path.stem
)
def test_benchmarks_take_names_that_are_there(path, bleu):
    """Simulations do not run at each commit: two asked for names of before, and ended in an error."""
    asked = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in TAKEN
    ]
    core = importlib.import_module(type(bleu).__module__.rpartition(".")[0] + ".bleu_core")
    assert [ast.unparse(node) for node in asked if not hasattr(core, node.attr)] == []


def test_benchmarks_import_files_that_are_there():
    """Also those that a function imports; `common` adds the folders to the path."""
    ours = {path.stem for path in (ROOT / "tests").rglob("*.py")}
    imported = {
        name
        for path in (ROOT / "tests" / "benchmarks").glob("*.py")
        for name in re.findall(
            r"^ *(?:from|import) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    script = "import sys, common, importlib.util as u; print([n for n in sys.argv[1:] if not u.find_spec(n)])"
    found = subprocess.run(
        [sys.executable, "-c", script, *sorted((imported & ours) - {"transformers"})],
        cwd=ROOT / "tests" / "benchmarks",
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "[]\n"


# --- Budgets and lists ----------------------------------------------------------------------------


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_metric_has_at_most_14_methods_beside_those_of_evaluate():
    """docs/api.md has one section per method; tests/contract compares the metric with its contract."""
    sections = re.findall(
        "^## ([a-z_]+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len({*sections} - {"compute", "add", "add_batch"}) <= 14


def test_a_test_file_has_the_name_of_its_file():
    """In the folder of the same name; or it is about all files of the folder, or a part of one."""
    parts = {
        "check/legitimate",
        "rules/pycocoevalcap",
        "methods/rank",
        "rows/without_compiling",
        "text/items",
        "options/chosen_options",
        "reconcile/tools",
    }
    tests = {
        path.relative_to(ROOT / "tests/unit").with_suffix("").as_posix().replace("test_", "")
        for path in (ROOT / "tests" / "unit").glob("*/test_*.py")
    }
    assert tests
    assert {f"{name}.py" for name in tests - parts} <= {*SOURCES}


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
