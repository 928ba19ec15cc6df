"""The documents' recipes for other libraries, to be run as they stand there: single sections, by their title.

`pages.py` runs whole pages.
"""

import re

from helpers import ROOT
from pages import PAGES


def recipe(title: str) -> list[str]:
    """Return the code blocks of a section of README.md or docs/, changed to load the metric from any folder.

    Lines that write a file "instead of your file" are left out: a test writes its own.
    """
    (section,) = (
        found
        for page, text in PAGES.items()
        if page == "README.md" or page.startswith("docs/")
        for found in sections(text, title)
    )
    found = re.findall(r"```\w[^\n]*\n(.*?)```", section, re.DOTALL)
    own = [re.sub(r"^.*# instead of your file\n", "", code, flags=re.MULTILINE) for code in found]
    return [code.replace("./bleu_metric.py", str(ROOT / "bleu_metric.py")) for code in own]


def example(path: str) -> str:
    """Return a file in examples/, changed to load the metric from any folder."""
    text = (ROOT / "examples" / path).read_text(encoding="utf-8")
    return text.replace("./bleu_metric.py", str(ROOT / "bleu_metric.py"))


def sections(text: str, title: str) -> list[str]:
    """Return the sections below a heading of level 2 or 3, up to the next heading.

    >>> sections("## a\\nb\\n### c\\nd", "c")
    ['d']
    """
    return re.findall(rf"^###? {re.escape(title)}\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
