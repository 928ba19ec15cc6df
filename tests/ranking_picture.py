"""Draw the picture of the recipe "A LaTeX table with its picture", docs/ranking.svg, with matplotlib.

Run it when the recipe or the picture changes: python tests/ranking_picture.py
"""

import contextlib
import io
import os
import re

import matplotlib as mpl
from helpers import ROOT
from recipes import recipe

PICTURE = ROOT / "docs" / "ranking.svg"
TOUR = "examples/tour.tsv"
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "bleu_metric"}
WITHOUT = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def make_picture() -> str:
    """Return the SVG of the figure that the recipe draws."""
    mpl.use("agg")
    code, *_ = recipe("A LaTeX table with its picture")
    code = re.sub(r"^figure\.savefig.*\n", "", code, flags=re.MULTILINE)
    namespace: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code.replace(TOUR, os.fspath(ROOT / TOUR)), namespace)
    svg = io.StringIO()
    with mpl.rc_context(STYLE):
        namespace["figure"].savefig(svg, format="svg", metadata=WITHOUT)
    return re.sub(r" +$", "", svg.getvalue(), flags=re.MULTILINE)


def list_texts(svg: str) -> list[str]:
    """Return the texts of a picture, which do not depend on the version of matplotlib."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


if __name__ == "__main__":
    PICTURE.write_text(make_picture(), encoding="utf-8")
