"""Rows of cells, the first one their heads, as a reader wants them: plain, in Markdown, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[Sequence[str]]


def plain(rows: Rows) -> str:
    """Columns set off by spaces, the first to the left, the others to the right.

    >>> print(plain([["system", "BLEU"], ["A", "27.31"]]))
    system   BLEU
    A       27.31
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def markdown(rows: Rows) -> str:
    """A table in Markdown.

    >>> print(markdown([["system", "BLEU"], ["A|B", "27.31"]]))
    | system | BLEU |
    | --- | ---: |
    | A\\|B | 27.31 |
    """
    head, *rest = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex(rows: Rows) -> str:
    """A table in LaTeX, for the package `booktabs`."""
    head, *rest = (" & ".join(map(_escaped, row)) + r" \\" for row in rows)
    begin = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    return "\n".join([begin, r"\toprule", head, r"\midrule", *rest, r"\bottomrule", r"\end{tabular}"])


def _escaped(cell: str) -> str:
    return "".join(_LATEX.get(character, character) for character in cell)


_LATEX = {character: "\\" + character for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
