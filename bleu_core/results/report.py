"""Results: dicts that also render as text, Markdown, LaTeX, HTML, pandas tables and plots.

The class of each method's result stands in the file of the method, and derives from `Report`. The
class of the metric calls `restore_result`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

from ..options.option_names import OTHER_ATTRIBUTES, OTHER_KEYS
from ..options.options import DROP_INS
from ..shared.messages import invalid, name_value, one_of, show_value
from ..text.read import fingerprint_references
from .html import paragraph, wrap, write_table
from .wording import (
    ResultDict,
    escape_unseen,
    fit_terminal,
    name_interval,
    shorten,
    write_score,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from typing_extensions import Self

# The keys with a value per order, and the names of their values in other tools or in statistics.
_VALUES_BY_ORDER = {
    "bleu": "bleu_by_order",
    "precision": "precisions",
    "matches": "counts",
    "totals": "totals",
}
_VALUE_OF_ORDER = re.compile(f"({'|'.join(_VALUES_BY_ORDER)})([1-9])")
_MOST_PLACES = 20  # of a dict, in which a key is searched
_SHOWN_KEYS = 20  # in a message


class Report(dict[str, Any]):
    """A dict that displays as a table.

    If a key is missing, or an attribute is used, the error names the key to use. It is pickled as a
    plain dict, so that a process that never loaded the metric can read it. Subclasses implement
    `_rows` and may override `_title`, `_verdicts`, `_note`, `_records` and `_absent`.

    >>> class Scores(Report):
    ...     def _rows(self):
    ...         rows = [[name, f"{score:.1f}"] for name, score in self.items()]
    ...         return [["system", "BLEU"], *rows]
    ...     def _note(self):
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

    # Keys that the result has under other options or for other texts, each with a clause that says
    # how to get it, or why it is missing.
    _absent: ClassVar[Mapping[str, str]] = {}
    _left_columns = 1  # columns that are aligned left; the others are numbers
    _wide_columns: tuple[str, ...] = ()  # columns of words, which wrap in HTML

    def copy(self) -> Self:
        """Return a shallow copy, as `dict.copy`."""
        return type(self)(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return type(self)(deepcopy(dict(self), memo))

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)  # a fresh process cannot import evaluate's copy of this module

    def __missing__(self, key: object) -> NoReturn:
        shown = show_value(key)
        if key in self._absent:
            raise KeyError(f"No key {shown}: {self._absent[str(key)]}.")
        hint = self._find_hint(key)
        if not hint:
            similar = [
                name for name in (*self, *self._absent) if _is_misspelled(str(key), str(name))
            ]
            question = f"Did you mean {similar[0]!r}? " if similar else ""
            hint = f"{question}The keys are {_list_keys(self)}."
        raise KeyError(f"No key {shown}. {hint}")

    if not TYPE_CHECKING:  # checkers find attributes that do not exist

        def __getattr__(self, name: str) -> NoReturn:
            if name in OTHER_ATTRIBUTES:
                raise AttributeError(f"No attribute {name!r}. Write {OTHER_ATTRIBUTES[name]}.")
            hint = "" if name.startswith("_") else self._find_hint(name)
            if hint:
                raise AttributeError(f"No attribute {name!r}. {hint}")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _find_hint(self, key: object) -> str:
        """Return a sentence with what to write for a key or an attribute; "" if it is not certain.

        >>> Report(bleu=0.5, bleu_by_order=[0.7, 0.5])._find_hint("Bleu_1")
        "Write result['bleu_by_order'][0]."
        """
        # 1. Names of other tools, in any case and with any separators.
        written = re.sub(r"[\W_]", "", str(key)).lower()
        of_order = _VALUE_OF_ORDER.fullmatch(written)
        if of_order and _VALUES_BY_ORDER[of_order[1]] in self:
            name = _VALUES_BY_ORDER[of_order[1]]
            index = int(of_order[2]) - 1
            return f"Write result[{name!r}][{index}]." if index < len(self[name]) else ""
        names = {str(name).replace("_", "").lower(): name for name in (*self._absent, *self)}
        for word in (written, written.removeprefix("bleu"), written.removeprefix("score")):
            name = names.get(word, OTHER_KEYS.get(word, ""))
            if name in self:
                return f"Write result[{name!r}]."
            if name in self._absent:
                way = self._absent[name]
                return f"Write result[{name!r}]. {way[0].upper()}{way[1:]}."
        # 2. Keys of dicts in the result, such as the name of a system.
        places = []
        for place, inner in _list_within(self, "result"):
            for meant in {key, OTHER_KEYS.get(written, key)} & inner.keys():
                places.append(f"{place}[{show_value(meant)}]")
        if not places:
            return ""
        is_only = len(places) == 1 and "[0]" not in places[0]
        return f"Write {places[0]}{'' if is_only else ', for example'}."

    def _rows(self) -> list[list[str]]:
        """Return the cells of the table, the head first; an empty row is a rule."""
        return [["key", "value"], *([str(name), repr(shorten(self[name]))] for name in self)]

    def _records(self) -> list[dict[str, object]]:
        """Return the rows of `to_pandas`, with numbers as they are in the dict."""
        return [dict(self)]

    def _title(self) -> str:
        """Return the line above the table."""
        return ""

    def _verdicts(self) -> list[str]:
        """Return the sentences below the table, one per line."""
        return []

    def _note(self) -> str:
        """Return the last line, with the signature as in the result."""
        return str(self.get("signature", ""))

    def _finish_restored(self) -> None:
        """Make the table, or raise if this dict, which was saved, is not that of a result."""
        str(self)
        self.to_markdown()
        self._records()

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        blocks = [
            format_paragraph(self._title()),
            format_markdown(self._rows(), self._left_columns),
            *map(format_paragraph, self._verdicts()),
            format_paragraph(self._note(), code=self.get("signature", "")),
        ]
        return "\n\n".join(filter(None, blocks))

    def to_latex(self, columns: Sequence[str] | None = None) -> str:
        """Return the table in LaTeX, for the package `booktabs`, with a caption and a label.

        Args:
            columns: the heads of columns, in order; None for all. Names are always there.

        Raises:
            ValueError: the table has no such column.
        """
        rows = self._latex_rows()
        if columns is not None:
            rows = choose_columns(
                rows, [columns] if isinstance(columns, str) else columns, self._left_columns
            )
        lines = [
            r"\begin{table}",
            r"\centering",
            format_latex(rows, self._left_columns),
            rf"\caption{{{escape_cell(self._caption(), LATEX_SIGNS, '~')}}}",
            r"\label{tab:bleu}",
            r"\end{table}",
        ]
        lines += [
            f"% {escape_unseen(text)}"
            for text in (self._title(), *self._verdicts(), self._note())
            if text
        ]
        return "\n".join(lines)

    def _latex_rows(self) -> list[list[str]]:
        """Return the cells of the table in LaTeX."""
        return self._rows()

    def _caption(self) -> str:
        """Return the caption of the table in LaTeX."""
        facts = [self._title() or "BLEU"]
        if "signature" in self:
            facts.append(f"Signature: {self['signature']}")
        return ". ".join(facts)

    def to_html(self) -> str:
        """Return the HTML that a notebook shows, with its own style, for light and dark pages."""
        return wrap(
            paragraph(self._title()),
            self._html_table(),
            *(paragraph(verdict, "verdict") for verdict in self._verdicts()),
            paragraph(self._note(), "note"),
        )

    def to_pandas(self) -> DataFrame:
        """Return the table as a pandas DataFrame; intervals become columns `_low` and `_high`."""
        import pandas as pd

        rows = []
        for record in self._records():
            row: dict[str, object] = {}
            for name, value in record.items():
                if name.endswith("_interval") and isinstance(value, list):
                    row[f"{name}_low"], row[f"{name}_high"] = value
                else:
                    row[name] = value
            rows.append(row)
        return pd.DataFrame(rows)

    def _html_table(self) -> str:
        head, *rows = self._rows()
        return write_table(head, rows, self._wide_columns)

    def __repr__(self) -> str:
        return repr(shorten(self))

    def __str__(self) -> str:
        # Cells are written in the terminal's characters before their width is known.
        rows = [[fit_terminal(cell) for cell in row] for row in self._rows()]
        blocks = [
            fit_terminal(self._title()),
            format_plain(rows, self._left_columns),
            "\n".join(map(fit_terminal, self._verdicts())),
            fit_terminal(self._note()),
        ]
        return "\n\n".join(filter(None, blocks))

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def _is_misspelled(written: str, name: str) -> bool:
    """Return True if a name was written with one wrong character, or two in the wrong order.

    >>> [_is_misspelled(written, "bleu") for written in ("blue", "bleus", "bleu_ci")]
    [True, True, False]
    """
    return any(
        written[:at] + written[at + 1 :] in (name, name[:at] + name[at + 1 :])  # added, replaced
        or written == name[:at] + name[at + 1 :]  # left out
        or written == name[:at] + name[at : at + 2][::-1] + name[at + 2 :]  # swapped
        for at in range(len(name) + 1)
    )


def _list_within(outer: Mapping[Any, Any], place: str) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Yield the place of each dict in a dict, and the dict; the nearest come first.

    >>> result = {"systems": {"A": {"bleu": 0.5}}, "pairs": [{"delta": 0.1}]}
    >>> [place for place, _ in _list_within(result, "result")]
    ["result['systems']", "result['pairs'][0]", "result['systems']['A']"]
    """
    waiting = [(place, outer)]
    for outer_place, holder in waiting:  # which grows
        for name, item in islice(holder.items(), _MOST_PLACES):
            inner_place = f"{outer_place}[{show_value(name)}]"
            if isinstance(item, list) and item:
                item = item[0]
                inner_place += "[0]"
            if isinstance(item, Mapping):
                yield inner_place, item
                waiting.append((inner_place, item))


def _list_keys(names: Mapping[str, object]) -> str:
    """Write the keys of a dict, at most 20.

    >>> _list_keys(dict.fromkeys(range(30)))[-15:]
    ' 19 and 10 more'
    """
    shown = ", ".join(map(show_value, islice(names, _SHOWN_KEYS)))
    hidden = len(names) - _SHOWN_KEYS
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown


def _register_with_yaml() -> None:
    """Let PyYAML, which comes with evaluate, write results: it rejects unknown kinds of dicts."""
    from yaml.representer import Representer, SafeRepresenter

    for representer in (SafeRepresenter, Representer):
        representer.add_multi_representer(Report, SafeRepresenter.represent_dict)


_register_with_yaml()

# --- Results in papers and loggers ----------------------------------------------------------------

CITATION = """\
@inproceedings{papineni-etal-2002-bleu,
    title = "{B}leu: a Method for Automatic Evaluation of Machine Translation",
    author = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
    booktitle = "Proceedings of the 40th Annual Meeting of the \
Association for Computational Linguistics",
    year = "2002",
    pages = "311--318",
    doi = "10.3115/1073083.1073135",
}
@inproceedings{post-2018-call,
    title = "A Call for Clarity in Reporting {BLEU} Scores",
    author = "Post, Matt",
    booktitle = "Proceedings of the Third Conference on Machine Translation: Research Papers",
    year = "2018",
    pages = "186--191",
    doi = "10.18653/v1/W18-6319",
}
"""


class QuotableReport(Report):
    """A report that can be quoted in a paper. Subclasses implement `_sentence`."""

    def _sentence(self) -> str:
        """Return the result in one sentence, without the period."""
        raise NotImplementedError

    def report(self, references: object = None) -> str:
        """Return a sentence to quote in a paper, with the signature, followed by BibTeX entries.

        Args:
            references: the references, to name their fingerprint; None to leave it out. Scores with
                the same fingerprint and signature are comparable.

        Raises:
            TypeError, ValueError: `references` is not a column of references.
        """
        if isinstance(references, str):
            raise TypeError(
                "references: expected the references, got a str. Pass them; report() computes"
                " their fingerprint."
            )
        facts = [self._sentence(), f"signature {self['signature']}"]
        if references is not None:
            facts.append(f"references {fingerprint_references(references)}")
        return f"{escape_unseen('; '.join(facts))}.\n\n{CITATION}"

    def to_scalars(self) -> dict[str, float]:
        """Return the numbers of the result as a flat dict of floats, for a logger of experiments.

        The ends of an interval are `confidence_interval_low` and `confidence_interval_high`, the
        precisions `precision_1` and so on. The numbers of a system, a group or a run follow its
        name and a slash, as in `news/bleu`. Lists of segments and raw counts, and settings such as
        the seed, are left out.

        Raises:
            ValueError: names of systems, groups or runs lead to the same key.
        """
        places: dict[str, str] = {}
        scalars = {}
        for key, place, value in _list_scalars(self):
            if key in scalars:
                raise ValueError(
                    f"to_scalars(): {places[key]} and {place} would share the key {key!r}. Rename"
                    " a system, a group or a run."
                )
            places[key] = place
            scalars[key] = float(value)
        return scalars


# Numbers that are settings, not results.
_SETTINGS = ("alpha", "confidence", "documents", "n_resamples", "seed", "shared_documents")


def _list_scalars(
    scores: ResultDict, prefix: str = "", place: str = "result"
) -> Iterator[tuple[str, str, float]]:
    """Yield the key of `to_scalars`, the place and the value of each number in scores.

    >>> list(_list_scalars({"systems": {"A": {"bleu": 0.5, "counts": [1]}}}))
    [('A/bleu', "result['systems']['A']['bleu']", 0.5)]
    """
    for key, value in scores.items():
        full_key = f"{prefix}{key}"
        full_place = f"{place}[{key!r}]"
        if key == "ranking":
            for number, system in enumerate(value):
                yield from _list_scalars(system, f"{system['system']}/", f"{full_place}[{number}]")
        elif key in ("systems", "groups", "runs"):
            for name, part in value.items():
                place_of_part = f"{full_place}[{show_value(name)}]"
                yield from _list_scalars(part, f"{prefix}{name}/", place_of_part)
        elif key == "precisions":
            for order, precision in enumerate(value, 1):
                yield f"{prefix}precision_{order}", full_place, precision
        elif key.endswith(("_interval", "_range")):
            for end, bound in zip(("low", "high"), value):
                yield f"{full_key}_{end}", full_place, bound
        elif type(value) in (int, float) and key not in _SETTINGS:  # not bool
            yield full_key, full_place, value


# --- Saved results --------------------------------------------------------------------------------


class ResultType(NamedTuple):
    """A type of results, as a dict that was saved tells it.

    type_: the class.
    methods: the methods that return it.
    keys: those of all its results that tell it from other types.
    """

    type_: type[Report]
    methods: str
    keys: tuple[str, ...]


def restore_result(saved: object, types: Sequence[ResultType]) -> Report:
    """Return a result that was saved as JSON, or pickled, as its type.

    Args:
        saved: its dict.
        types: those with more keys before those that have a part of them.

    >>> restore_result({"a": 1}, [ResultType(Report, "compute()", ("a",))])
    {'a': 1}
    """
    if not isinstance(saved, Mapping):
        advice = "json.loads(saved)" if isinstance(saved, (str, bytes)) else "one result"
        raise TypeError(f"saved: expected a dict, got {name_value(saved)}. Pass {advice}.")
    methods = ", ".join(dict.fromkeys(result_type.methods for result_type in types))
    expected = f"expected a result of {methods}"
    for module, drop_in in DROP_INS.items():
        if set(saved) == set(drop_in.keys):
            raise ValueError(
                f"saved: {expected}, got that of evaluate's `{module}`, which has no tables. Save"
                " the result of this metric without a drop-in."
            )
    for result_type in types:
        if not set(result_type.keys) <= set(saved):
            continue
        result = result_type.type_(_copy_plain(saved))
        try:
            result._finish_restored()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise ValueError(
                f"saved: it looks like a result of {result_type.methods}, but keys are missing or"
                " have other values. Pass the dict as it was saved."
            ) from None
        return result
    found = f"a dict with the keys {_list_keys(saved)}" if saved else "an empty dict"
    raise ValueError(f"saved: {expected}, got {found}. Pass the dict as it was saved.")


def _copy_plain(value: Any) -> Any:
    """Copy a result, with plain dicts and lists in it."""
    if isinstance(value, Mapping):
        return {name: _copy_plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy_plain(item) for item in value]
    return value


# --- Tables as text, Markdown and LaTeX -----------------------------------------------------------
#
# A method lists its columns as `Column`s; a format is a function from rows of cells to a text.

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
