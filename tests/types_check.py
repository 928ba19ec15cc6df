"""Check the types of the metric and of the demo with mypy: `python tests/types_check.py`.

The class and the folders behind it are modules of a package, so the script links them into a folder as the wheel has
them.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def link_package(folder: str | Path) -> Path:
    package = Path(folder, "bleu_metric")
    package.mkdir()
    for path in [ROOT / "bleu_metric.py", ROOT / "bleu_core", *ROOT.glob("package/[_p]*")]:
        (package / path.name).symlink_to(path)
    return package


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        link_package(folder)
        mypy = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
        metric = subprocess.run([*mypy, "-p", "bleu_metric"], cwd=folder, check=False)
        for name in ("app.py", "space"):
            Path(folder, name).symlink_to(ROOT / name)
        cache = ["--cache-dir", str(ROOT / ".mypy_cache")]
        demo = subprocess.run([*mypy, *cache, "app.py", "space"], cwd=folder, check=False)
    return metric.returncode or demo.returncode


if __name__ == "__main__":
    sys.exit(main())
