"""Code in processes of their own, as users have them."""

import json
import os
import subprocess
import sys

from conftest import ROOT


def python(code, *arguments, wait=True, **environment):
    """Runs code in a process of its own; returns what it prints last, as JSON says it."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]), **environment},
    )  # fmt: skip
    return result_of(process) if wait else process


def result_of(process):
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(output.splitlines()[-1])
