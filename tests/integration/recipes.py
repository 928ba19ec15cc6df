"""README.md's recipes for other libraries, to be run as they stand there."""

import re

from conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def recipe(title: str, level: int = 3) -> list[str]:
    """The code blocks of a section of README.md, made to load the metric from here."""
    section = re.search(rf"^{'#' * level} {title}\n(.*?)(?=^##)", README, re.DOTALL | re.MULTILINE).group(1)
    blocks = re.findall(r"```\w[^\n]*\n(.*?)```", section, re.DOTALL)
    return [block.replace("path/to/bleu_metric", str(ROOT / "bleu_metric.py")) for block in blocks]
