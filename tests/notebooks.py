"""Execute the notebooks in examples/ and store their output: `python tests/notebooks.py`, or `make notebooks`."""

import base64
import io
import os
import tempfile
from pathlib import Path
from unittest.mock import patch

import matplotlib.font_manager  # noqa: F401 - builds its font cache now; in a cell it would print a message
import nbformat
from nbclient import NotebookClient
from PIL import Image

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "examples").glob("*.ipynb"))

# Arguments of the kernel, because in a cell they would distract readers.
_ARGUMENTS = [
    "--log-level=ERROR",
    "--HistoryManager.enabled=False",
    "--InlineBackend.figure_formats=retina",
]
# tqdm warns without the widgets that `jupyter` installs for readers.
_ENVIRONMENT = {"PYTHONWARNINGS": "ignore:IProgress not found"}
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_COLORS = 24  # colors of a picture with their opacities: enough for bars, lines and text, at a third of the size


def execute(path: Path) -> nbformat.NotebookNode:
    """Return the notebook with the output of a fresh kernel that runs in its folder."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        coalesce_streams=True,
        record_timing=False,
        extra_arguments=_ARGUMENTS,
        resources={"metadata": {"path": str(path.parent)}},
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {**_ENVIRONMENT, "IPYTHONDIR": folder}),
    ):
        client.execute()
    return notebook


def store(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write the notebook with small pictures, and without metadata of the kernel."""
    notebook.metadata = nbformat.from_dict(_METADATA)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = _shrink(output.data["image/png"])
    nbformat.write(notebook, path)


def _shrink(picture: str) -> str:
    image, small = Image.open(io.BytesIO(base64.b64decode(picture))), io.BytesIO()
    image.quantize(_COLORS, Image.Quantize.FASTOCTREE).save(
        small, "PNG", optimize=True
    )  # keeps transparency
    return base64.b64encode(small.getvalue()).decode()


if __name__ == "__main__":
    for path in NOTEBOOKS:
        store(execute(path), path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
