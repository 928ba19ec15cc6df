"""What results look like: tables as plain text, in Markdown, in LaTeX; the first row is the head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Rows = Sequence[Sequence[str]]


class Report(dict[str, Any]):
    """A result that is a dict for programs, and a table where it is printed.

    >>> class Scores(Report):
    ...     def rows(self):
    ...         return [["system", "BLEU"], *([name, f"{score:.1f}"] for name, score in self.items())]
    ...     def note(self):
    ...         return "two systems"
    >>> print(Scores(A=27.31, B=9.0))
    system  BLEU
    A       27.3
    B        9.0
    <BLANKLINE>
    two systems
    """

    def rows(self) -> list[list[str]]:
        """The cells of the table, the head first."""
        raise NotImplementedError

    def title(self) -> str:
        """What stands above the table."""
        return ""

    def note(self) -> str:
        """What stands below the table."""
        return ""

    def to_markdown(self) -> str:
        """The table in Markdown."""
        return self._surround(format_markdown(self.rows()))

    def to_latex(self) -> str:
        """The table in LaTeX, for the package `booktabs`."""
        comments = (f"% {text}" for text in (self.title(), self.note()) if text)
        return "\n".join([format_latex(self.rows()), *comments])

    def __str__(self) -> str:
        return self._surround(format_plain(self.rows()))

    def __reduce__(self) -> Any:
        """Pickled it is a dict: evaluate's name for this module means nothing in another process."""
        return dict, (dict(self),)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()  # what a notebook shows

    def _surround(self, table: str) -> str:
        return "\n\n".join(filter(None, [self.title(), table, self.note()]))


def format_plain(rows: Rows) -> str:
    """Columns set off by spaces, the first to the left, the others to the right.

    >>> print(format_plain([["system", "BLEU"], ["A", "27.31"]]))
    system   BLEU
    A       27.31
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def format_markdown(rows: Rows) -> str:
    """A table in Markdown.

    >>> print(format_markdown([["system", "BLEU"], ["A|B", "27.31"]]))
    | system | BLEU |
    | --- | ---: |
    | A\\|B | 27.31 |
    """
    head, *rest = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def format_latex(rows: Rows) -> str:
    """A table in LaTeX, for the package `booktabs`."""
    head, *rest = (" & ".join(map(_escape, row)) + r" \\" for row in rows)
    begin = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    return "\n".join([begin, r"\toprule", head, r"\midrule", *rest, r"\bottomrule", r"\end{tabular}"])


def _escape(cell: str) -> str:
    return "".join(_LATEX.get(character, character) for character in cell)


_LATEX = {character: "\\" + character for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
