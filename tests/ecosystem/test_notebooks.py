"""The notebooks in examples/: executed, they show what is stored in them."""

import json
import os
import re
import subprocess
import sys
import venv
import warnings

import pytest
from helpers import ROOT

for library in ("nbclient", "ipykernel", "matplotlib"):
    pytest.importorskip(library)

import matplotlib
import nbformat
from notebooks import NOTEBOOKS

matplotlib.use("Agg")

REFRESH = "If what it shows now is right, store it: python tests/notebooks.py"


def list_outputs(cell):
    """List the outputs of a cell: texts and HTML, and a mark for each picture."""
    shown = []
    for output in cell.get("outputs", ()):
        if output.output_type == "stream":
            text = output.text
            # A kernel sends what is printed in pieces, and a slow machine in more of them.
            if shown and shown[-1][0] == output.name:
                text = shown.pop()[1] + text
            shown.append((output.name, text))
        else:
            data = {
                kind: "a picture" if kind.startswith("image/") else text
                for kind, text in output.data.items()
            }
            shown.append((output.output_type, data))
    return shown


def test_there_are_two():
    assert [path.name for path in NOTEBOOKS] == ["from_scratch.ipynb", "tour.ipynb"]


@pytest.mark.slow
def test_with_what_they_ask_to_install_they_show_what_is_stored(tmp_path):
    """In a fresh environment with exactly that, both run without a warning."""
    pytest.importorskip("uv")
    texts = [nbformat.read(path, as_version=4).cells[0].source for path in NOTEBOOKS]
    (command,) = {re.search("^pip install .*", text, re.MULTILINE).group() for text in texts}
    venv.create(tmp_path)
    python = str(tmp_path / "bin" / "python")
    uv = [sys.executable, "-m", "uv"]  # in seconds, where pip takes a minute
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONWARNINGS")
    }
    subprocess.run(
        [*uv, *command.split(), "--python", python],
        cwd=ROOT,
        env=environment,
        check=True,
        timeout=900,
    )
    for path in NOTEBOOKS:
        arguments = ["-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", str(path)]
        run = subprocess.run(
            [python, *arguments], env=environment, check=True, capture_output=True, timeout=600
        )
        executed = nbformat.reads(run.stdout.decode(), as_version=4)
        for before, now in zip(
            nbformat.read(path, as_version=4).cells, executed.cells, strict=True
        ):
            assert list_outputs(now) == list_outputs(before), (
                f"{path.name}, cell {now.id!r}. {REFRESH}"
            )
            assert not [text for kind, text in list_outputs(now) if kind == "stderr"]


def test_each_section_has_an_exercise_and_its_solution_is_right(monkeypatch):
    """The code of a solution runs behind the cells above it, and doesn't disturb those below."""
    path = NOTEBOOKS[0]
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    sections = re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]
    assert [section.count("<summary>Solution</summary>") for section in sections] == [1] * 9
    monkeypatch.chdir(path.parent)
    namespace = {}
    with matplotlib.rc_context(), warnings.catch_warnings():
        for cell in cells:
            if cell.cell_type == "code":
                exec(cell.source, namespace)
            for code in re.findall(r"```python\n(.*?)```", cell.source, re.DOTALL):
                assert "assert" in code
                exec(code, namespace)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestStored:
    """Properties of a notebook for people who only look at it."""

    def test_complete_and_quiet(self, path):
        """Executed once from top to bottom, without a warning or an error, and with a picture wherever one is drawn."""
        cells = nbformat.read(path, as_version=4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
        shown = [one for cell in code for one in list_outputs(cell)]
        assert {kind for kind, _ in shown} <= {"stdout", "execute_result", "display_data"}
        drawn = [cell for cell in code if cell.id.endswith("-plot")]
        assert len(drawn) >= 4
        assert all("display_data" in dict(list_outputs(cell)) for cell in drawn)

    def test_small_and_of_no_machine(self, path):
        text = path.read_text(encoding="utf-8")
        assert len(text) < 300_000
        assert json.loads(text)["metadata"] == {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
        assert not re.search(r"/home/|/tmp/|/root/|/usr/|:\\\\", text)

    def test_links_lead_somewhere(self, path):
        cells = nbformat.read(path, as_version=4).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        links = re.findall(r"\]\((.*?)\)", text)
        assert len(links) >= 2
        assert all((path.parent / link.partition("#")[0]).exists() for link in links)
