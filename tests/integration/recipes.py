"""The documents' recipes for other libraries, to be run as they stand there."""

import re

from helpers import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def recipe(title: str, level: int = 2) -> list[str]:
    """Return the code blocks of a section of README.md or docs/, changed to load the metric from this checkout."""
    (section,) = (found for path in DOCUMENTS for found in sections(path.read_text(encoding="utf-8"), title, level))
    blocks = re.findall(r"```\w[^\n]*\n(.*?)```", section, re.DOTALL)
    return [block.replace("path/to/bleu_metric", str(ROOT / "bleu_metric.py")) for block in blocks]


def sections(text: str, title: str, level: int) -> list[str]:
    """Return the sections below a heading, up to the next heading.

    >>> sections("## a\\nb\\n## c\\nd", "a", 2)
    ['b\\n']
    """
    return re.findall(rf"^{'#' * level} {title}\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
