"""The documents' recipes for other libraries, to be run as they stand there: single sections, by their title.

`pages.py` runs whole pages.
"""

import re

from helpers import ROOT
from pages import PAGES


def recipe(title: str, level: int = 2) -> list[str]:
    """Return the code blocks of a section of README.md or docs/, changed to load the metric from any folder."""
    (section,) = (
        found
        for page, text in PAGES.items()
        if page == "README.md" or page.startswith("docs/")
        for found in sections(text, title, level)
    )
    found = re.findall(r"```\w[^\n]*\n(.*?)```", section, re.DOTALL)
    return [code.replace("./bleu_metric.py", str(ROOT / "bleu_metric.py")) for code in found]


def sections(text: str, title: str, level: int) -> list[str]:
    """Return the sections below a heading, up to the next heading.

    >>> sections("## a\\nb\\n## c\\nd", "a", 2)
    ['b\\n']
    """
    heading = re.escape(f"{'#' * level} {title}")
    return re.findall(rf"^{heading}\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
