"""The page, served as on the Hub in a folder called `app`, and Debian's Chromium to look at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

from helpers import ROOT

# The shell draws no window, and loads a page in five sixths of the time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
SWITCHES = [
    *(
        "--no-sandbox",
        "--headless",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-sync",
    ),
    *("--disable-background-networking", "--disable-component-update"),
]


@contextmanager
def serve_space(folder, first="pass", port=0):
    """Run `app.py` in a copy of the project's files, after the statement `first`, and yield its address."""
    app = folder / "app"
    app.mkdir()
    for path in [*ROOT.glob("*.py"), ROOT / "README.md", ROOT / "requirements.txt"]:
        shutil.copy(path, app)
    for name in ("docs", "space"):
        shutil.copytree(ROOT / name, app / name, ignore=shutil.ignore_patterns("__pycache__"))
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "GRADIO_SERVER_PORT": str(port),
        "TMPDIR": str(folder / "temporary"),
    }
    (folder / "temporary").mkdir()
    address = f"http://127.0.0.1:{port}/"
    with open(folder / "log.txt", "wb") as log:
        # A Space has no transformers, which evaluate imports where it is installed, with torch.
        alone = "import sys; sys.modules['transformers'] = None"
        code = f"{alone}; {first}; import runpy; runpy.run_path('app.py', run_name='__main__')"
        process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=app, env=environment, stdout=log, stderr=log
        )
    (folder / "pid").write_text(str(process.pid))
    try:
        wait_for(address, process, folder / "log.txt")
        yield address
    finally:
        process.terminate()
        process.wait(30)


def wait_for(address, process, log):
    for _ in range(1500):
        try:
            return urllib.request.urlopen(address, timeout=5).read()
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.2)
    raise AssertionError(log.read_text())


@contextmanager
def open_chromium(playwright, *switches):
    """Open a browser without requests of its own to the network."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*SWITCHES, *switches])
    try:
        yield browser
    finally:
        browser.close()
