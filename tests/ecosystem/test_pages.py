"""docs/recipes.md: every block, in one process, with all the libraries that the page needs."""

import evaluate
import huggingface_hub
import pytest
from helpers import ROOT
from pages import find_blocks, list_untracked, run_page

pytestmark = pytest.mark.filterwarnings("ignore")

LIBRARIES = {  # as blocks name them, and as Python imports them
    "matplotlib": "matplotlib",
    "tensorboard": "tensorboard",
    "wandb": "wandb",
    "mlflow": "mlflow",
    "mweralign": "mweralign",
    "torch": "torch",
}


@pytest.fixture
def hub(clone, monkeypatch):
    """Let the Hub have two modules: this checkout, and evaluate's chrF as far as the recipe uses it."""
    modules = {
        "<user>/bleu_metric": str(ROOT / "bleu_metric.py"),
        "chrf": str(ROOT / "tests" / "ecosystem" / "evaluates_chrf.py"),
    }
    load = evaluate.load
    monkeypatch.setattr(
        evaluate, "load", lambda path, *rest, **named: load(modules.get(path, path), *rest, **named)
    )
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *rest, **named: str(ROOT))


@pytest.fixture
def loggers_store_here(clone, tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # mlflow-skinny has no database
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())


@pytest.mark.usefixtures("hub", "loggers_store_here")
def test_recipes(tmp_path):
    for library in LIBRARIES.values():
        pytest.importorskip(library)
    left_out = run_page("docs/recipes.md", {}, [*LIBRARIES, "the Hub"])
    assert left_out == []
    assert list_untracked(tmp_path) == ["runs"]  # named by the environment above
    assert {"systems.png", "outputs.parquet", "ranking.pdf"} <= {
        path.name for path in tmp_path.iterdir()
    }


def test_every_library_is_known():
    """A block of the page that needs another library would be left out."""
    needed = {library for block in find_blocks("docs/recipes.md") for library in block.needs}
    assert needed == {*LIBRARIES, "the Hub"}
