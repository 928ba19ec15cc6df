"""The metric from a Hub, from a snapshot of it, and from folders: how many requests, and what is imported.

A server on the loopback stands in for the Hub. Each load runs in a process of its own.
"""

import http.server
import json
import re
import shutil
import subprocess
import sys
import threading

import pytest
from helpers import ROOT, list_files, random_rows, read_result, run_python, start_python
from recipes import recipe

pytestmark = pytest.mark.processes

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = ["bleu_core.py", "bleu_metric.py"]

# Loads the metric as the first argument says, scores a few segments, and prints what a test wants to know.
SCORE = """
import json, sys
import evaluate, helpers
bleu = evaluate.load(sys.argv[1])
predictions, references = helpers.random_rows(seed=8, count=30)
score = bleu.compute(predictions=predictions, references=references)["score"]
print(json.dumps({"score": score, "numba": "numba" in sys.modules}))
"""


class Hub(http.server.SimpleHTTPRequestHandler):
    """The addresses of a Hub that has this checkout as the Space `user/bleu_metric`, with one commit at `main`."""

    def do_GET(self):
        self.note()
        if self.path.startswith("/api/spaces/user/bleu_metric/"):
            self.send_list()
        else:
            super().do_GET()

    def do_HEAD(self):
        self.note()
        super().do_HEAD()

    def note(self):
        """Note a request for the Space; huggingface_hub may make requests of its own beside these."""
        if "/spaces/user/bleu_metric/" in self.path:
            self.server.requests.append((self.command, self.path))

    def send_list(self):
        """Send the commit of a revision, or the files of a commit."""
        files = [
            {"type": "file", "path": name, "size": (ROOT / name).stat().st_size, "oid": name}
            for name in FILES
        ]
        info = {
            "id": "user/bleu_metric",
            "sha": COMMIT,
            "siblings": [{"rfilename": name} for name in FILES],
        }
        body = json.dumps(files if "/tree/" in self.path else info).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def translate_path(self, path):
        for revision in ("main", COMMIT):
            prefix = f"/spaces/user/bleu_metric/resolve/{revision}/"
            if path.startswith(prefix):
                return str(ROOT / path.removeprefix(prefix))
        return str(ROOT / "no such file")

    def end_headers(self):
        self.send_header("ETag", f'"{self.path.rpartition("/")[2]}"')
        self.send_header("X-Repo-Commit", COMMIT)
        super().end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def hub():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        server.requests = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def run(hub, tmp_path):
    """Return a function that runs code with the Hub and with caches of this test, and counts the requests."""
    caches = {
        name: str(tmp_path / name) for name in ("HF_HOME", "HF_EVALUATE_CACHE", "HF_MODULES_CACHE")
    }
    address = {
        "HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}",
        "no_proxy": "127.0.0.1",
        "HF_HUB_OFFLINE": "0",
    }

    def run(code, *arguments):
        hub.requests.clear()
        result = run_python(code, *arguments, **caches, **address)
        print(f"{len(hub.requests)} requests")
        return result, len(hub.requests)

    return run


@pytest.fixture(scope="module")
def expected(load):
    predictions, references = random_rows(seed=8, count=30)
    return load().compute(predictions=predictions, references=references)["score"]


def copy_files(folder):
    folder.mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    return folder


def test_the_first_example_of_the_readme_in_a_clone(tmp_path):
    """As printed, in the clone's folder, whatever its name is."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code, shown = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL).groups()
    folder = copy_files(tmp_path / "some other name")
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert ran.stdout == shown


def test_from_the_hub(hub, run, expected):
    """The first load fetches each file, and a later one asks for the version of each: as many requests as documented."""
    result, first = run(SCORE, "user/bleu_metric")
    assert result["score"] == expected
    assert {path.rpartition("/")[2] for method, path in hub.requests if method == "GET"} == set(
        FILES
    )
    result, later = run(SCORE, "user/bleu_metric")
    assert result["score"] == expected
    assert {method for method, _ in hub.requests} == {"HEAD"}
    # Two per file, one later, and one for the name of the Space.
    assert first <= 6
    assert later <= 3
    assert re.findall(r"(\d+)\s+requests", (ROOT / "docs" / "recipes.md").read_text()) == [
        str(first),
        str(later),
    ]


def test_without_asking_for_versions(run, expected):
    """`use_etag=False` leaves the request for the page of the Space; a commit as revision leaves none."""
    assert "DownloadConfig(use_etag=False)" in (ROOT / "docs" / "recipes.md").read_text()
    imported = "from datasets import DownloadConfig"
    assert imported in (ROOT / "docs" / "recipes.md").read_text()
    settings = "sys.argv[1], download_config=DownloadConfig(use_etag=False)"
    without_etags = imported + SCORE.replace("sys.argv[1]", settings)
    run(without_etags, "user/bleu_metric")
    result, requests = run(without_etags, "user/bleu_metric")
    assert (result["score"], requests) == (expected, 1)
    of_a_commit = imported + SCORE.replace("sys.argv[1]", f"{settings}, revision={COMMIT!r}")
    run(of_a_commit, "user/bleu_metric")
    result, requests = run(of_a_commit, "user/bleu_metric")
    assert (result["score"], requests) == (expected, 0)


def test_offline_after_a_first_load(run, expected, monkeypatch):
    """`HF_EVALUATE_OFFLINE=1` needs no request, but a load before; `HF_HUB_OFFLINE=1` does not prevent requests."""
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    with pytest.raises(AssertionError, match="Couldn't find a module script"):
        run(SCORE, "user/bleu_metric")
    monkeypatch.delenv("HF_EVALUATE_OFFLINE")
    run(SCORE, "user/bleu_metric")
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    result, requests = run(SCORE, "user/bleu_metric")
    assert (result["score"], requests) == (expected, 0)


def test_the_recipe_for_ci(run, monkeypatch):
    """After the download, its test passes offline, with the files of the commit."""
    code, commands = recipe("BLEU in CI")
    (download,) = re.findall(r"python -c '(.*)'", commands)
    assert "HF_EVALUATE_OFFLINE=1 python -m pytest test_translation.py" in commands
    names = {"<user>": "user", "<commit>": COMMIT, "examples/tour.tsv": f"{ROOT}/examples/tour.tsv"}
    for name, value in names.items():
        code, download = code.replace(name, value), download.replace(name, value)
    run(f"{download}\nprint(0)")
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    assert run(f"{code}\ntest_bleu()\nprint(0)") == (0, 0)


def test_a_home_that_cannot_be_written(monkeypatch, tmp_path, expected):
    """`HF_HOME` moves everything that evaluate writes."""
    (tmp_path / "home").write_text("a file, in which no folder can be made")
    for name in ("HF_EVALUATE_CACHE", "HF_MODULES_CACHE", "HF_DATASETS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    code, environment = (SCORE, str(ROOT / "bleu_metric.py")), {"HOME": str(tmp_path / "home")}
    assert (
        read_result(start_python(*code, **environment, HF_HOME=str(tmp_path / "hub")))["score"]
        == expected
    )
    with pytest.raises(AssertionError, match="NotADirectoryError"):
        read_result(start_python(*code, **environment, HF_HOME=str(tmp_path / "home" / ".cache")))


def test_a_commit_of_the_hub(hub, run):
    """Every file is that of the commit, with the call that SECURITY.md advises."""
    code = f"import evaluate\nprint(len(evaluate.load('user/bleu_metric', revision='{COMMIT}')))"
    assert run(code)[0] == 0
    assert {path.rpartition("/")[0] for _, path in hub.requests} == {
        f"/spaces/user/bleu_metric/resolve/{COMMIT}"
    }


def test_a_snapshot_of_the_hub(run, tmp_path):
    """The recipe as it stands in the documents: a later load costs one request."""
    load, snapshot = recipe("Loading from the Hub")
    code = f"import evaluate\n{snapshot}\nprint(bleu.compute(predictions=['a b c d'], references=['a b c d'])['bleu'])"
    code = code.replace("<user>", "user")
    assert run(code)[0] == 1
    assert [name for name in list_files(tmp_path / "HF_HOME") if name.endswith("bleu_metric.py")]
    assert run(code) == (1, 1)
    assert run(load.replace("<user>", "user") + "\nprint(len(bleu))")[0] == 0


def test_from_folders(tmp_path, expected):
    """Neither by the path of the file nor by the folder is numba imported: the scores of a few segments don't need it."""
    file = copy_files(tmp_path / "snapshots" / COMMIT) / "bleu_metric.py"
    processes = [
        start_python(SCORE, path) for path in (file, copy_files(tmp_path / "bleu_metric"))
    ]  # at the same time
    assert [read_result(process) for process in processes] == [
        {"score": expected, "numba": False}
    ] * 2
