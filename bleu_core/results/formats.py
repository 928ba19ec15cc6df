"""Tables of results as text, Markdown and LaTeX.

A method lists its columns as `Column`s; a format is a function from rows of cells to a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..shared.messages import invalid, one_of
from .wording import ResultDict, escape_unseen, name_interval, write_score

TableRows = Sequence[Sequence[str]]


class Column(NamedTuple):
    """A column of a table of scores.

    name: its head. "CI" in it becomes "95% CI", with the table's confidence.
    key: the key of its values in a dict of scores.
    write: the format of a value.
    """

    name: str
    key: str
    write: Callable[[Any], str]


def list_cells(
    names_head: str,
    scored: Sequence[tuple[str, ResultDict]],
    columns: Sequence[Column],
    confidence: float | None,
) -> list[list[str]]:
    """Return the cells of a table, its head first, with a row per name and scores.

    Columns without values are left out. `names_head` is the head of the column of names.

    >>> columns = [Column("BLEU", "score", "{:.1f}".format), Column("p", "p_value", str)]
    >>> list_cells("system", [("A", {"score": 27.31})], columns, None)
    [['system', 'BLEU'], ['A', '27.3']]
    """
    keys = set(chain.from_iterable(scores for _, scores in scored))
    shown_columns = [column for column in columns if column.key in keys]
    level = name_interval(confidence)
    rows = [[names_head, *(column.name.replace("CI", level) for column in shown_columns)]]
    for name, scores in scored:
        cells = [
            column.write(scores[column.key]) if column.key in scores else ""
            for column in shown_columns
        ]
        rows.append([name, *cells])
    return rows


def write_interval(ends: Sequence[float]) -> str:
    """Write the ends of an interval in points."""
    return ", ".join(map(write_score, ends))


def format_plain(rows: TableRows, left: int = 1) -> str:
    """Write a table in plain text; the first columns are aligned left, all further columns right.

    >>> print(format_plain([["system", "BLEU"], ["A", "27.31"], [], ["B", "9.00"]]))
    system   BLEU
    A       27.31
    -------------
    B        9.00
    """
    padded = [list(map(escape_unseen, row)) for row in rows]
    # 1. Pad each column to the width of its longest cell. Rows without cells are rules.
    rows_of_cells = [row for row in padded if row]
    for column in range(len(rows[0])):
        width = max(len(row[column]) for row in rows_of_cells)
        for row in rows_of_cells:
            cell = row[column]
            row[column] = cell.ljust(width) if column < left else cell.rjust(width)
    # 2. Join the cells, and draw the rules.
    rule = "-" * len("  ".join(padded[0]))
    return "\n".join("  ".join(row).rstrip() if row else rule for row in padded)


def format_markdown(rows: TableRows, left: int = 1) -> str:
    """Write a table in Markdown.

    >>> print(format_markdown([["system", "BLEU"], ["A|B", "27.31"]]))
    | system | BLEU |
    | --- | ---: |
    | A\\|B | 27.31 |
    """
    width = len(rows[0])
    lines = []
    for row in rows:
        cells = row or [""] * width  # a line of empty cells, since Markdown has no rules
        lines.append([escape_cell(cell, _MARKDOWN, "&nbsp;") for cell in cells])
    lines.insert(1, ["---"] * left + ["---:"] * (width - left))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def format_paragraph(text: str, code: str = "") -> str:
    """Write a text as a paragraph in Markdown; `code`, such as a signature, is a code span in it.

    >>> print(format_paragraph("*A* wins; nrefs:1|tok:__main__.f", code="nrefs:1|tok:__main__.f"))
    \\*A\\* wins; `nrefs:1|tok:__main__.f`
    """
    shown = escape_unseen(text).lstrip(" ")  # an indented paragraph would be a block of code
    shown_code = escape_unseen(code)
    parts = shown.split(shown_code) if code else [shown]
    # A code span begins and ends with more backticks than any run of them in it.
    longest_run = max(map(len, re.findall("`+", shown_code)), default=0)
    fence = "`" * (longest_run + 1)
    escaped = f"{fence}{shown_code}{fence}".join(_escape(part, _MARKDOWN) for part in parts)
    return _BLOCK_SIGN.sub(r"\1\\\2", escaped)


def choose_columns(rows: TableRows, columns: Sequence[str], left: int) -> list[list[str]]:
    """Return the first columns of a table, as many as `left`, and the chosen ones, by their heads.

    >>> choose_columns([["system", "BLEU", "p"], [], ["A", "27.31", "0.03"]], ["p", "BLEU"], 1)
    [['system', 'p', 'BLEU'], [], ['A', '0.03', '27.31']]
    """
    heads = list(rows[0])
    for column in columns:
        if column not in heads:
            raise invalid("columns", column, one_of(heads))
    numbers = [*range(left), *(heads.index(one) for one in columns if one not in heads[:left])]
    return [[row[number] for number in numbers] if row else [] for row in rows]


def format_latex(rows: TableRows, left: int = 1) -> str:
    """Write a table in LaTeX, for the package `booktabs`."""
    lines = []
    for row in rows:
        if row:
            cells = [escape_cell(cell, LATEX_SIGNS, "~") for cell in row]
            cells[left:] = [_HYPHEN_BEFORE_NUMBER.sub("$-$", cell) for cell in cells[left:]]
            lines.append(" & ".join(cells) + r" \\")
        else:
            lines.append(r"\midrule")
    head, *body = lines
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(rows[0]) - left)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def escape_cell(cell: str, escapes: Mapping[str, str], space: str) -> str:
    """Escape a cell; `space` stands for each space that indents it.

    >>> escape_cell("  [en]\\n", LATEX_SIGNS, "~")
    '~~{[}en]\\\\textbackslash{}n'
    """
    text = escape_unseen(cell)
    content = text.lstrip(" ")
    return space * (len(text) - len(content)) + _escape(content, escapes)


def _escape(text: str, escapes: Mapping[str, str]) -> str:
    escaped = "".join(escapes.get(character, character) for character in text)
    return _LIGATURE.sub("-{}", escaped) if escapes is LATEX_SIGNS else escaped


LATEX_SIGNS = {
    **{character: "\\" + character for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # After a line's end, they would be arguments of it.
    "[": "{[}",
    "*": "{*}",
    # LaTeX shows other characters for these in its default font encoding.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "`": r"\`{}",
    "†": r"$^\dagger$",
    "⟦": r"$[\![$",
    "⟧": r"$]\!]$",
    "|": r"\textbar\allowbreak{}",  # a signature in a caption needs breaks
}
_LIGATURE = re.compile("-(?=-)")  # LaTeX shows two hyphens as a dash
_HYPHEN_BEFORE_NUMBER = re.compile(r"(?<![^\s])-(?=\d)")
# The signs within a line, with those of strikethrough and formulas, which GitHub and Jupyter read.
_MARKDOWN = {character: "\\" + character for character in "\\|<&*_~`[$"}
_BLOCK_SIGN = re.compile(r"^(\d*)([-+#>.)])")  # of a list, a heading or a quotation
