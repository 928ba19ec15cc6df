"""What results look like: a dict with a face, as plain text, Markdown, LaTeX, HTML and a pandas table.

A `Report` is a dict of plain Python values for programs. A subclass says what its table is; the first row is the head.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from . import bleu_html as html
from .bleu_spellings import explain_missing_key

Rows = Sequence[Sequence[str]]


class Report(dict[str, Any]):
    """A result that is a dict for programs, and a table where it is printed or shown in a notebook.

    A subclass defines `rows`, and `title`, `note` and `records` as far as it needs them. Where `prints_as_table` is
    False, `print` shows the dict. Pickled, it is a plain dict: a process that never loaded the metric can read it.

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
    >>> Scores(A=list(range(1000)))
    {'A': [0, 1, 2, ... 997 more]}
    """

    prints_as_table = True
    wide_columns: tuple[str, ...] = ()  # columns of words, which wrap in HTML

    def rows(self) -> list[list[str]]:
        """The cells of the table, the head first."""
        return [["key", "value"], *([str(name), repr(value)] for name, value in shorten(self).items())]

    def records(self) -> list[dict[str, Any]]:
        """The rows of `to_pandas`, with numbers as they are in the dict."""
        return [dict(self)]

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
        comments = (f"% {' '.join(text.split())}" for text in (self.title(), self.note()) if text)
        return "\n".join([format_latex(self.rows()), *comments])

    def to_html(self) -> str:
        """What a notebook shows: HTML with its own style, for light and dark pages, with every text escaped."""
        return html.wrap(html.paragraph(self.title()), self._html_table(), html.paragraph(self.note(), "note"))

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame; an interval becomes two columns, `..._low` and `..._high`."""
        import pandas as pd

        return pd.DataFrame([_split_intervals(record) for record in self.records()])

    def copy(self) -> Report:
        """A shallow copy, as `dict.copy`."""
        return type(self)(self)

    def _html_table(self) -> str:
        head, *rows = self.rows()
        return html.table(head, rows, self.wide_columns)

    def _surround(self, table: str) -> str:
        return "\n\n".join(filter(None, [self.title(), table, self.note()]))

    def __repr__(self) -> str:
        return repr(shorten(self))

    def __str__(self) -> str:
        return self._surround(format_plain(self.rows())) if self.prints_as_table else repr(self)

    def __missing__(self, key: Any) -> Any:
        raise KeyError(explain_missing_key(key, self) or key)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # evaluate's module is one that a fresh process can't import

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Report:
        return type(self)(copy.deepcopy(dict(self), memo))

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        if self.prints_as_table:
            printer.text(str(self))
        else:
            printer.pretty(shorten(self))


class _More:
    """Stands for the items of a list that aren't shown."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __repr__(self) -> str:
        return f"... {self._count:,} more"


def shorten(value: Any) -> Any:
    """The value with long lists cut: to 3 items where there are more than 8, to 2 dicts or lists where more than 4.

    >>> shorten({"precisions": [1, 2, 3, 4], "scores": list(range(12))})
    {'precisions': [1, 2, 3, 4], 'scores': [0, 1, 2, ... 9 more]}
    """
    if isinstance(value, Mapping):
        return {name: shorten(item) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    most, shown = (4, 2) if value and isinstance(value[0], (Mapping, list)) else (8, 3)
    if len(value) <= most:
        return [shorten(item) for item in value]
    return [*map(shorten, value[:shown]), _More(len(value) - shown)]


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
    head, *rest = ([_escape(" ".join(cell.split()), _MARKDOWN) for cell in row] for row in rows)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def format_latex(rows: Rows) -> str:
    """A table in LaTeX, for the package `booktabs`."""
    head, *rest = (" & ".join(_escape(" ".join(cell.split()), _LATEX) for cell in row) + r" \\" for row in rows)
    begin = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    return "\n".join([begin, r"\toprule", head, r"\midrule", *rest, r"\bottomrule", r"\end{tabular}"])


def _escape(cell: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in cell)


def _split_intervals(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with the two ends of each interval apart.

    >>> _split_intervals({"bleu": 0.5, "confidence_interval": [0.4, 0.6]})
    {'bleu': 0.5, 'confidence_interval_low': 0.4, 'confidence_interval_high': 0.6}
    """
    flat: dict[str, Any] = {}
    for name, value in record.items():
        flat |= dict(zip((f"{name}_low", f"{name}_high"), value)) if name.endswith("_interval") else {name: value}
    return flat


_LATEX = {character: "\\" + character for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_MARKDOWN = {character: "\\" + character for character in "\\|<&*`["}
