"""The documents' recipes for other libraries, to be run as they stand there."""

import re

from helpers import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

PYTHON = re.compile(
    r"^```python(?: needs: (.*))?\n((?:.*\n)*?)```\n(?:\n```text\n((?:.*\n)*?)```)?", re.MULTILINE
)


def blocks(document: str) -> list[tuple[list[str], str, str | None]]:
    """Return the Python blocks of a document: the libraries that each needs, its code, and the output it shows."""
    found = PYTHON.findall((ROOT / document).read_text(encoding="utf-8"))
    return [
        (needs.split(", ") if needs else [], load_checkout(code), shown or None)
        for needs, code, shown in found
    ]


def load_checkout(code: str) -> str:
    """Return code that loads the metric from this checkout."""
    return re.sub(r"path/to/bleu_metric(\.py)?", str(ROOT / "bleu_metric.py"), code)


def recipe(title: str, level: int = 2) -> list[str]:
    """Return the code blocks of a section of README.md or docs/, changed to load the metric from this checkout."""
    (section,) = (
        found
        for path in DOCUMENTS
        for found in sections(path.read_text(encoding="utf-8"), title, level)
    )
    found = re.findall(r"```\w[^\n]*\n(.*?)```", section, re.DOTALL)
    return list(map(load_checkout, found))


def sections(text: str, title: str, level: int) -> list[str]:
    """Return the sections below a heading, up to the next heading.

    >>> sections("## a\\nb\\n## c\\nd", "a", 2)
    ['b\\n']
    """
    return re.findall(rf"^{'#' * level} {title}\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
