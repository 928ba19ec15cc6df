"""Run the Python blocks of README.md and docs/ as a reader does, in the clone's folder, as printed.

A block of a page of recipes runs alone, as if pasted into an empty notebook. The blocks of other pages run in order.

After the language of a block, `file: …` names the file in which the code is to be stored. A line above the block, such as
`*Needs torch and transformers.*`, has the libraries that it imports beside those of the first tier, as readers see them.
"""

import ast
import contextlib
import fnmatch
import io
import re
import sys
import types
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from helpers import ROOT
from packaging.requirements import Requirement

PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
}
BLOCK = re.compile(
    r"^(?:\*Needs (?P<needs>.*)\.\*\n\n)?```python(?: file: (?P<file>\S+))?\n"
    r"(?P<code>(?:.*\n)*?)```\n(?:\n```text\n(?P<output>(?:.*\n)*?)```)?",
    re.MULTILINE,
)

RECIPES = ("docs/recipes.md", "docs/faq.md")  # pages whose blocks need no other block

# Any block: the text behind the backticks, and the code.
FENCED = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)


class Block(NamedTuple):
    needs: tuple[str, ...]  # libraries beside those of the first tier
    file: str  # where the code is to be stored; "" if it is to be run
    code: str
    output: str | None  # None if the page shows none
    line: int  # the first line of the code

    def run(self, page: str, namespace: dict) -> str:
        """Run the code as part of a page, and return what it prints."""
        printed = io.StringIO()
        code = "\n" * (self.line - 1) + self.code  # tracebacks name the line of the page
        with contextlib.redirect_stdout(printed):
            exec(compile(code, ROOT / page, "exec"), namespace)
        return printed.getvalue()


def find_blocks(page: str) -> list[Block]:
    """Return the Python blocks of a page, such as `"docs/faq.md"`, in order."""
    text = PAGES[page]
    return [
        Block(
            tuple(re.split(", | and ", found["needs"])) if found["needs"] else (),
            found["file"] or "",
            found["code"],
            found["output"],
            text.count("\n", 0, found.start("code")) + 1,
        )
        for found in BLOCK.finditer(text)
    ]


def make_clone(folder: Path) -> None:
    """Link the files of the clone that readers use into an empty folder, in which pages may write."""
    for path in [*ROOT.glob("bleu_*.py"), ROOT / "bleu_core", ROOT / "examples", ROOT / "tests"]:
        (folder / path.name).symlink_to(path)


def list_untracked(folder: Path) -> list[str]:
    """Return the names of files and folders that git would list as untracked, if the folder were the clone's."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = [line.strip("/") for line in lines if line and not line.startswith("#")]
    written = [path.name for path in folder.iterdir() if not path.is_symlink()]
    return sorted(
        name for name in written if not any(fnmatch.fnmatch(name, pattern) for pattern in ignored)
    )


def run_page(page: str, namespace: dict, libraries: Collection[str] = ()) -> list[Block]:
    """Run a page's blocks in the current folder, one after the other, and return those left out."""
    if page not in RECIPES:
        return run_blocks(page, find_blocks(page), namespace, libraries)
    left_out = []
    for block in find_blocks(page):
        left_out += run_blocks(page, [block], {}, libraries)
    return left_out


def run_blocks(
    page: str, blocks: list[Block], namespace: dict, libraries: Collection[str] = ()
) -> list[Block]:
    """Run blocks in the current folder, one after the other, and return those left out.

    What a block prints has to be what the page shows.

    Args:
        page: the file, such as `"docs/faq.md"`.
        blocks: some of its blocks.
        namespace: what the page says is the reader's own, by name. Afterwards it has the page's names, too.
        libraries: those that blocks need and that are there. Blocks that need others are left out.
    """
    left_out = []
    main = types.ModuleType("__main__")  # pickle looks for a function in the module of its name
    vars(main).update(namespace)
    before = sys.modules["__main__"]
    sys.modules["__main__"] = main
    try:
        with warnings.catch_warnings():
            for block in blocks:
                if not set(block.needs) <= set(libraries):
                    left_out.append(block)
                elif block.file:
                    Path(block.file).write_text(block.code, encoding="utf-8")
                else:
                    printed = block.run(page, vars(main))
                    if block.output is not None:
                        assert printed == block.output, f"{block.code}printed {printed!r}"
    finally:
        sys.modules["__main__"] = before
    namespace.update(vars(main))
    return left_out


def section(name, title):
    """Return the text below a heading of a document, up to the next heading of the same level."""
    return re.search(
        rf"^## {title}\n(.*?)(?=^## |\Z)", PAGES[name], re.DOTALL | re.MULTILINE
    ).group(1)


def cells(name, title):
    """Return the rows of the table below a heading as lists of cells, without the line below the head."""
    lines = [line for line in section(name, title).splitlines() if line.startswith("|")]
    return [
        [cell.strip() for cell in line.strip("|").split(" |")] for line in [lines[0], *lines[2:]]
    ]


def same_numbers(tool):
    """Return pairs of calls from the table for users of other tools: the tool's call, and this metric's."""
    text = section("docs/other-tools.md", "Coming from another tool")
    return re.findall(rf"^\| {tool} \| `(.*)` \| `(.*)` \|$", text, re.MULTILINE)


def rows_of_the_example():
    """Return the variables that the calls of the table use."""
    import evaluate  # after conftest.py has set its folders

    text = section("docs/other-tools.md", "Coming from another tool")
    (code,) = [code for info, code in FENCED.findall(text) if info == "python"]
    tree = ast.parse(code)
    tree.body = [
        line
        for line in tree.body
        if isinstance(line, ast.Assign) and not isinstance(line.value, ast.Call)
    ]
    namespace: dict = {"path": str(ROOT / "bleu_metric.py"), "evaluate": evaluate}
    exec(compile(tree, "docs/other-tools.md", "exec"), namespace)
    return namespace


def read_requirements(name):
    """Return the versions that a file of requirements allows, by library."""
    lines = [
        line.partition("#")[0].strip()
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
    ]
    return {one.name: one.specifier for one in map(Requirement, filter(None, lines))}
