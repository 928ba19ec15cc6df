"""Result types: dicts that also render as text, Markdown, LaTeX, HTML, pandas tables and plots.

`Report` comes first, then the formats of tables, the formula of a score, HTML, and plots. HTML
escapes every text and shows invisible and bidirectional control characters as escape sequences. Its
style takes its colors from the surrounding page, so that it fits light and dark ones.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import (
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from copy import deepcopy
from html import escape
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from .bleu_inputs import fingerprint_references
from .bleu_messages import count_things, invalid, name_value, one_of, show_value
from .bleu_options import DROP_INS, OTHER_ATTRIBUTES, OTHER_KEYS
from .bleu_significance import describe_intervals

if TYPE_CHECKING:
    from pandas import DataFrame
    from typing_extensions import Self

    from .bleu_results import CoveredTokens, NGramCount, OrderMatches

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

TableRows = Sequence[Sequence[str]]
ResultDict = Mapping[str, Any]


def passing(arguments: str) -> str:
    """Return the clause that says which arguments add a key to a result.

    >>> passing("segments=True")
    'pass segments=True to get it'
    """
    return f"pass {arguments} to get it"


def _register_with_yaml() -> None:
    """Let PyYAML, which comes with evaluate, write results: it rejects unknown kinds of dicts."""
    from yaml.representer import Representer, SafeRepresenter

    for representer in (SafeRepresenter, Representer):
        representer.add_multi_representer(Report, SafeRepresenter.represent_dict)


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
    _absent: Mapping[str, str] = MappingProxyType({})
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
            names = (*self, *self._absent)
            similar = [name for name in names if _is_misspelled(str(key), str(name))]
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
        return _join_blocks(
            format_paragraph(self._title()),
            format_markdown(self._rows(), self._left_columns),
            *map(format_paragraph, self._verdicts()),
            format_paragraph(self._note(), code=self.get("signature", "")),
        )

    def to_latex(self, columns: Sequence[str] | None = None) -> str:
        """Return the table in LaTeX, for the package `booktabs`, with a caption and a label.

        Args:
            columns: the heads of columns, in order; None for all. Names are always there.

        Raises:
            ValueError: the table has no such column.
        """
        rows = self._latex_rows()
        if columns is not None:
            rows = _choose_columns(
                rows, [columns] if isinstance(columns, str) else columns, self._left_columns
            )
        lines = [
            r"\begin{table}",
            r"\centering",
            format_latex(rows, self._left_columns),
            rf"\caption{{{_escape_cell(self._caption(), _LATEX, '~')}}}",
            r"\label{tab:bleu}",
            r"\end{table}",
        ]
        texts = (self._title(), *self._verdicts(), self._note())
        lines += [f"% {escape_unseen(text)}" for text in texts if text]
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
        return _join_blocks(
            fit_terminal(self._title()),
            format_plain(rows, self._left_columns),
            "\n".join(map(fit_terminal, self._verdicts())),
            fit_terminal(self._note()),
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


_register_with_yaml()


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


def _join_blocks(*blocks: str) -> str:
    return "\n\n".join(filter(None, blocks))


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
        sentence = escape_unseen("; ".join(facts))
        return f"{sentence}.\n\n{CITATION}"

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


def describe_documents(result: ResultDict) -> str:
    """Write that documents were resampled, as the end of a phrase; "" for segments.

    >>> describe_documents({"documents": 171})
    ' by document (171 documents)'
    """
    if "documents" not in result:
        return ""
    return f" by document ({count_things(result['documents'], 'document')})"


def describe_shared(result: ResultDict) -> str:
    """Write that groups share documents, as the end of a phrase; "" if each has its own.

    Labels that start again in each group look the same, so the reader has to learn it.

    >>> describe_shared({"shared_documents": 40})
    '; 40 of them occur in several groups, and the macro-average draws these once for all groups'
    """
    if "shared_documents" not in result:
        return ""
    return (
        f"; {result['shared_documents']:,} of them occur in several groups, and the macro-average"
        " draws these once for all groups"
    )


def describe_score(scores: ResultDict, confidence: float | None) -> str:
    """Write a score with its interval, if it has one.

    >>> scores = {"score": 34.518, "confidence_interval": [0.331, 0.356]}
    >>> describe_score(scores, 0.95)
    '34.52 (95% CI 33.10 to 35.60, percentile bootstrap)'
    >>> describe_score({**scores, "degrees_of_freedom": 14.23, "documents": 20}, 0.95)
    '34.52 (95% CI 33.10 to 35.60, t with 14.2 degrees of freedom, 20 documents)'
    """
    score = f"{scores['score']:.2f}"
    facts = []
    if "run_standard_deviation" in scores:
        deviation = write_score(scores["run_standard_deviation"])
        facts.append(f"{describe_runs(scores)}, standard deviation {deviation}")
    if confidence and "confidence_interval" in scores:
        facts.append(describe_interval(scores, confidence))
    return f"{score} ({', '.join(facts)})" if facts else score


def name_interval(confidence: float | None) -> str:
    """Return the name of an interval.

    >>> name_interval(0.95)
    '95% CI'
    """
    return f"{100 * confidence:g}% CI" if confidence else "CI"


def describe_interval(scores: ResultDict, confidence: float) -> str:
    """Write the interval of a score, which kind it is, and how many documents it is from."""
    low, high = scores["confidence_interval"]
    interval = f"{name_interval(confidence)} {write_score(low)} to {write_score(high)}"
    facts = [interval, describe_intervals([scores])]
    if "documents" in scores:
        facts.append(count_things(scores["documents"], "document"))
    return ", ".join(facts)


def describe_runs(scores: ResultDict) -> str:
    """Write that a score is a mean of training runs.

    >>> describe_runs({"runs": {"seed 1": {"score": 30.0}, "seed 2": {"score": 31.0}}})
    'mean of 2 runs'
    """
    return f"mean of {count_things(len(scores['runs']), 'run')}"


def find_in_signature(signature: str, key: str) -> str:
    """Return the value of a key of a signature, "" if it has no such key.

    >>> find_in_signature("nrefs:1|tok:13a", "tok")
    '13a'
    """
    for pair in signature.split("|"):
        name, _, value = pair.partition(":")
        if name == key:
            return value
    return ""


def write_label(label: object, summaries: Collection[str]) -> str:
    """Write the label of a group; in quotes if the name of a summary row or None could be meant.

    >>> summaries = ["macro-average"]
    >>> [write_label(label, summaries) for label in ("news", "macro-average", None, "None")]
    ['news', "'macro-average'", 'None', "'None'"]
    """
    if not isinstance(label, str):
        return str(label)
    is_clear = label not in ("", "None", *summaries) and label == label.strip()
    return str(label) if is_clear else repr(label)


_LONGEST_CELL = 48  # characters of a cell


def write_name(name: object) -> str:
    """Write a name, label or n-gram on one line of at most 48 characters.

    >>> write_name("long " * 20)
    'long long long long long long long long long lo…'
    """
    text = escape_unseen(name)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


class _More(str):
    """The count of the items of a list that are not shown, which `repr` writes without quotes."""

    __repr__ = str.__str__


def shorten(value: object) -> object:
    """Shorten lists of more than 8 items to 3, and lists of more than 4 dicts or lists to 2.

    >>> shorten({"precisions": [1, 2, 3, 4], "scores": list(range(12))})
    {'precisions': [1, 2, 3, 4], 'scores': [0, 1, 2, ... 9 more]}
    """
    if isinstance(value, Mapping):
        return {name: shorten(item) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    is_nested = bool(value) and isinstance(value[0], (Mapping, list))
    if len(value) <= (4 if is_nested else 8):
        return [shorten(item) for item in value]
    count = 2 if is_nested else 3
    return [*map(shorten, value[:count]), _More(f"... {len(value) - count:,} more")]


# Control characters, bidirectional controls, and lone surrogates. Joiners belong to the text.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escape_unseen(text: object) -> str:
    """Replace invisible characters that could forge a table with Python's escape sequences.

    >>> print(escape_unseen("A\\n\\u202eB"))
    A\\n\\u202eB
    """
    return _UNSEEN.sub(lambda match: ascii(match.group()).strip("'"), str(text))


# What stands for the signs in tables where a terminal has only those of its code page.
_PLAIN_SIGNS = {
    "⟦": "[", "⟧": "]", "…": "...", "–": "-", "·": "*", "×": "x", "±": "+/-", "μ": "mu",
}  # fmt: skip


def _substitute_sign(error: UnicodeError) -> tuple[str, int]:
    """Write a character that an encoding lacks with plain signs, or as Python's escape sequence."""
    assert isinstance(error, UnicodeEncodeError)
    character = error.object[error.start]
    return _PLAIN_SIGNS.get(character, ascii(character).strip("'")), error.start + 1


codecs.register_error("bleu_metric.plain_signs", _substitute_sign)


def fit_terminal(text: object) -> str:
    """Write a text in characters that `sys.stdout` can encode, and without invisible ones."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return escape_unseen(text).encode(encoding, "bleu_metric.plain_signs").decode(encoding)


# --- Tables ---------------------------------------------------------------------------------------


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
        lines.append([_escape_cell(cell, _MARKDOWN, "&nbsp;") for cell in cells])
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


def _choose_columns(rows: TableRows, columns: Sequence[str], left: int) -> list[list[str]]:
    """Return the first columns of a table, as many as `left`, and the chosen ones, by their heads.

    >>> _choose_columns([["system", "BLEU", "p"], [], ["A", "27.31", "0.03"]], ["p", "BLEU"], 1)
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
            cells = [_escape_cell(cell, _LATEX, "~") for cell in row]
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


def _escape_cell(cell: str, escapes: Mapping[str, str], space: str) -> str:
    """Escape a cell; `space` stands for each space that indents it.

    >>> _escape_cell("  [en]\\n", _LATEX, "~")
    '~~{[}en]\\\\textbackslash{}n'
    """
    text = escape_unseen(cell)
    content = text.lstrip(" ")
    return space * (len(text) - len(content)) + _escape(content, escapes)


def _escape(text: str, escapes: Mapping[str, str]) -> str:
    escaped = "".join(escapes.get(character, character) for character in text)
    return _LIGATURE.sub("-{}", escaped) if escapes is _LATEX else escaped


_LATEX = {
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


# --- The formula of a score -----------------------------------------------------------------------
#
# BP · (17/18 · 10/17 · 7/16 · 4/15)^(1/4): precisions are fractions. The numerator of a
# smoothed precision is the number of matches that would give it.


class PrecisionTerm(NamedTuple):
    """A precision in the formula.

    text: a fraction, or a number if no fraction equals the precision.
    meaning: the counts, and the effect of smoothing.
    is_smoothed: True if smoothing changed it.
    """

    text: str
    meaning: str
    is_smoothed: bool


def explain_precision(matches: int, total: int, precision: float) -> PrecisionTerm:
    """Write a precision as a fraction, whose numerator smoothing may have changed.

    >>> explain_precision(17, 18, 17 / 18).text, explain_precision(0, 16, 1 / 32).meaning
    ('17/18', '0 of 16 match; smoothed to 0.5/16')
    """
    meaning = f"{matches:,} of {total:,} match"
    if total:
        is_smoothed = abs(precision * total - matches) > 1e-9 * total
        smoothed = f"{precision * total:,.4g}/{total:,}"
    else:
        is_smoothed = precision != 0
        smoothed = f"{precision:.4g}"
    if not is_smoothed:
        return PrecisionTerm(f"{matches:,}/{total:,}", meaning, is_smoothed=False)
    return PrecisionTerm(smoothed, f"{meaning}; smoothed to {smoothed}", is_smoothed=True)


def list_terms(result: ResultDict) -> list[tuple[PrecisionTerm, float]]:
    """Return the precisions with a weight in a segment's score, each with its weight."""
    orders = zip(result["counts"], result["totals"], result["precisions"], result["weights"])
    return [
        (explain_precision(matches, total, precision), weight)
        for matches, total, precision, weight in orders
        if weight
    ]


def plain_formula(result: ResultDict) -> str:
    """Write the formula with its numbers as plain text.

    >>> counts = {"counts": [2, 1], "totals": [3, 2], "precisions": [2 / 3, 1 / 2]}
    >>> plain_formula({**counts, "weights": [0.5, 0.5], "brevity_penalty": 1.0})
    '1 · (2/3 · 1/2)^(1/2)'
    """
    terms = [(term.text, weight) for term, weight in list_terms(result)]
    return f"{write_number(result['brevity_penalty'])} · {multiply(terms, '^{}', '^({})')}"


def multiply(terms: Sequence[tuple[str, float]], power: str, fraction_power: str) -> str:
    """Write a product of weighted terms, as powers or as one power if all weights are equal.

    `power` is the format of an exponent, `fraction_power` that of an exponent that is a fraction.

    >>> multiply([("2/3", 0.5), ("1/2", 0.5)], "^{}", "^({})")
    '(2/3 · 1/2)^(1/2)'
    >>> multiply([("2/3", 0.7), ("1/2", 0.3)], "^{}", "^({})")
    '(2/3)^0.7 · (1/2)^0.3'
    """
    if not terms:
        return "no n-gram"
    bases = list(terms)
    weights = {weight for _, weight in terms}
    if len(weights) == 1:  # one power, whose base is the product
        bases = [(" · ".join(text for text, _ in terms), weights.pop())]
    return " · ".join(
        f"({base}){_write_power(weight, power, fraction_power)}" for base, weight in bases
    )


def _write_power(weight: float, power: str, fraction_power: str) -> str:
    """Write a weight as an exponent, in a format of `multiply`; an exponent of 1 is left out."""
    denominator = round(1 / max(weight, 1e-9))
    if denominator > 1 and abs(weight * denominator - 1) < 1e-9:
        return fraction_power.format(f"1/{denominator}")
    exponent = f"{weight:.4g}"
    return "" if exponent == "1" else power.format(exponent)


def write_score(score: float) -> str:
    """Return a score as text on the scale 0-100.

    >>> write_score(0.45178)
    '45.18'
    """
    return f"{100 * score:.2f}"


def write_difference(points: float, decimals: int = 2) -> str:
    """Write a difference with its sign, which is never that of -0.0.

    >>> write_difference(-2.2), write_difference(-0.04, 1)
    ('-2.20', '+0.0')
    """
    return f"{round(points, decimals) + 0.0:+.{decimals}f}"


def write_number(value: float) -> str:
    """Write four decimals, none for a whole number.

    >>> write_number(1.0), write_number(0.77880078)
    ('1', '0.7788')
    """
    return f"{value:.4f}" if value % 1 else f"{value:.0f}"


def describe_penalty(result: ResultDict) -> str:
    """Describe the brevity penalty and the lengths that it depends on.

    >>> describe_penalty({"translation_length": 4, "reference_length": 5})
    'Brevity penalty exp(1 − 5/4): 4 tokens against 5 in the reference'
    """
    length = result["translation_length"]
    reference_length = result["reference_length"]
    lengths = f"{count_things(length, 'token')} against {reference_length:,} in the reference"
    if length >= reference_length:
        return f"No brevity penalty: {lengths}"
    rule = f"exp(1 − {reference_length:,}/{length:,})" if length else "0"
    return f"Brevity penalty {rule}: {lengths}"


# --- HTML -----------------------------------------------------------------------------------------

_SHOWN_NGRAMS = 100  # per order and kind
# N-grams that don't count, or not as often as they occur.
_MISSES: dict[Literal["clipped", "missed"], str] = {
    "clipped": "more occurrences than in any single reference",
    "missed": "in no reference",
}

# A backslash joins two lines of the source to one line of the style.
STYLE = """
.bleu-report { --bleu-tint: #3b82f6; --bleu-accent: color-mix(in srgb, #2563eb 65%, currentColor);
  --bleu-muted: color-mix(in srgb, currentColor 72%, transparent);
  --bleu-line: color-mix(in srgb, currentColor 25%, transparent); max-width: 60rem;\
 line-height: 1.5; }
.bleu-report p { margin: 0.25em 0; }
.bleu-report .bleu-score { margin: 0; color: var(--bleu-muted); }
.bleu-report .bleu-score strong { font-size: 2em; line-height: 1.2; color: var(--bleu-accent); }
.bleu-score strong, .bleu-formula { font-variant-numeric: tabular-nums; }
.bleu-formula .term { white-space: nowrap; }
.bleu-formula .smoothed { border-bottom: 1px dashed currentColor; }
.bleu-formula small, .bleu-report .bleu-note, .bleu-tokens .bleu-label, .bleu-legend,\
 .bleu-ngrams summary,
.bleu-ngrams small { color: var(--bleu-muted); font-size: 0.9em; }
.bleu-formula, .bleu-report .bleu-note { overflow-wrap: anywhere; }
.bleu-report .bleu-tokens { margin: 0.75em 0; }
.bleu-tokens p { margin: 0; line-height: 2; text-align: start; overflow-wrap: anywhere; }
.bleu-tokens .token, .bleu-legend .token { white-space: pre-wrap; padding: 0.1em 0.3em;\
 border-radius: 0.25em;
  --bleu-shade: calc(var(--bleu-fill, 55%) * var(--match, 0));
  background: color-mix(in srgb, var(--bleu-tint) var(--bleu-shade), transparent);
  box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.bleu-tokens mark { background: none; color: inherit; border-bottom: 2px solid currentColor;\
 padding: 0.1em 0; }
.bleu-tokens .token sub { vertical-align: baseline; margin-left: 0.2em; font-size: 0.8em;\
 opacity: 0.8; }
.bleu-tokens .token.missed, .bleu-legend .token.missed { background: none; color: var(--bleu-muted);
  text-decoration: underline dotted; text-underline-offset: 0.25em; }
.bleu-legend { line-height: 2; }
.bleu-legend .token { color: var(--bleu-ink, currentColor); white-space: nowrap; }
.bleu-legend .token.missed.missed { color: inherit; }
.bleu-legend sub { display: none; }
.bleu-ngrams summary { cursor: pointer; }
.bleu-ngrams code.code { background: color-mix(in srgb, currentColor 9%, transparent);\
 color: inherit;
  padding: 0.05em 0.3em; border-radius: 0.25em; white-space: pre-wrap; font-size: 0.95em;\
 line-height: 1.5;
  display: inline-block; max-width: 100%; margin: 0.05em 0; }
.bleu-ngrams tr > th:first-child.order { white-space: nowrap; font-weight: 400;\
 color: var(--bleu-muted); }
.bleu-table, .bleu-ngrams { overflow-x: auto; }
.bleu-report .bleu-table { margin: 0.5em 0; }
.bleu-table table, .bleu-ngrams table { border: 0; border-collapse: collapse; width: auto;\
 margin: 0; font-size: 1em; }
.bleu-table tr:nth-child(n):nth-child(n), .bleu-ngrams tr:nth-child(n):nth-child(n) {\
 background: none; border: 0; }
.bleu-table tr > :nth-child(n), .bleu-ngrams tr > :nth-child(n) { border: 0;\
 padding: 0.25em 0.7em 0.25em 0;
  border-bottom: 1px solid var(--bleu-line); background: none; color: inherit; font-size: 1em;\
 text-align: left;
  vertical-align: top; overflow-wrap: anywhere; max-width: none;\
 font-variant-numeric: tabular-nums; }
.bleu-table tr > :nth-child(n) { white-space: nowrap; overflow-wrap: normal; }
.bleu-table tr > :nth-child(n + 2) { text-align: right; }
.bleu-table tr > :first-child { white-space: normal; }
.bleu-table tr > .words.words { text-align: left; white-space: normal; overflow-wrap: anywhere;\
 min-width: 9em; }
.bleu-table th, .bleu-ngrams th { font-weight: 600; }
.bleu-table tr.rule + tr > :nth-child(n):nth-child(n) { border-top: 2px solid currentColor; }
.bleu-interval { display: inline-block; position: relative; width: 10em; height: 0.7em; }
.bleu-interval i { position: absolute; left: var(--low); right: calc(100% - var(--high));\
 top: 50%; height: 0;
  border-top: 2px solid currentColor; }
.bleu-interval b { position: absolute; left: calc(var(--at) - 0.3em); top: calc(50% - 0.25em);\
 width: 0.6em;
  height: 0.6em; border-radius: 50%; background: currentColor; }
"""


class Markup(str):
    """Text that is HTML already, and is not escaped again."""


def wrap(*blocks: str) -> str:
    """Join the blocks of a report, with their style.

    >>> wrap("<p>a</p>").endswith("</style><p>a</p></div>")
    True
    """
    return f'<div class="bleu-report"><style>{STYLE}</style>{"".join(blocks)}</div>'


def show(text: object) -> str:
    """Escape a text for HTML, with invisible characters as Python's escape sequences.

    >>> print(show("<b>\\x1b"))
    &lt;b&gt;\\x1b
    """
    return text if isinstance(text, Markup) else escape(escape_unseen(text))


def paragraph(text: str, kind: str = "title") -> str:
    """Write a paragraph; an empty text gives an empty string.

    >>> paragraph("a < b", "note")
    '<p class="bleu-note">a &lt; b</p>'
    """
    return f'<p class="bleu-{kind}">{show(text)}</p>' if text else ""


def headline(score: float, caption: str = "") -> str:
    """Write a score on the scale 0-100 in large type, with a caption.

    >>> headline(50.4567, "Candidate")
    '<p class="bleu-score"><strong>50.46</strong> BLEU · Candidate</p>'
    """
    text = f"<strong>{score:.2f}</strong> BLEU"
    if caption:
        text += f" · {show(caption)}"
    return f'<p class="bleu-score">{text}</p>'


def formula(result: ResultDict) -> str:
    """Write the brevity penalty and the precisions as fractions, and the lengths."""
    terms = list_terms(result)
    spans = []
    for term, weight in terms:
        kind = "term smoothed" if term.is_smoothed else "term"
        spans.append((f'<span class="{kind}" title="{term.meaning}">{term.text}</span>', weight))
    product = multiply(spans, "<sup>{}</sup>", "<sup>{}</sup>")
    penalty = write_number(result["brevity_penalty"])
    remark = describe_penalty(result)
    if any(term.is_smoothed for term, _ in terms):
        remark += "; dashed: smoothed"
    return (
        f'<p class="bleu-formula">BLEU = {penalty} · {product} = <b>{result["bleu"]:.4f}</b>'
        f"<br><small>{remark}</small></p>"
    )


def tokens(text: CoveredTokens, max_order: int, label: str, marked: Collection[int] = ()) -> str:
    """Write the tokens of a text, each shaded by the length of its longest matching n-gram.

    `label` is the line above the tokens, `marked` has the indices of tokens to underline.

    >>> tokens({"tokens": ["<b>"], "longest_match": [2], "length": 1}, 4, "Candidate")
    '<div class="bleu-tokens"><div class="bleu-label">Candidate <small>1 token</small></div>\
<p dir="auto"><span class="token" style="--match:0.5" title="part of a matching 2-gram">\
&lt;b&gt;<sub>2</sub></span></p></div>'
    """
    shown = []
    for i, (token, order) in enumerate(zip(text["tokens"], text["longest_match"])):
        markup = _token(token, order, max_order)
        if i in marked:
            markup = f"<mark>{markup}</mark>"
        shown.append(markup)
    length = count_things(text["length"], "token")
    return (
        f'<div class="bleu-tokens"><div class="bleu-label">{show(label)} <small>{length}</small>'
        f'</div><p dir="auto">{" ".join(shown) or "<em>empty</em>"}</p></div>'
    )


def legend(max_order: int) -> str:
    """Write the legend of `tokens`."""
    marks = [_token("none", 0, max_order)]
    marks += [_token(f"{order}-gram", order, max_order) for order in range(1, max_order + 1)]
    return f'<p class="bleu-legend">Longest matching n-gram: {" ".join(marks)}</p>'


def _token(token: object, order: int, max_order: int) -> str:
    if order == 0:
        return f'<span class="token missed" title="in no n-gram that counts">{show(token)}</span>'
    return (
        f'<span class="token" style="--match:{order / max_order:.2g}"'
        f' title="part of a matching {order}-gram">{show(token)}<sub>{order}</sub></span>'
    )


def ngrams(result: ResultDict) -> str:
    """Write the clipped and missed n-grams of each order, folded."""
    orders: list[OrderMatches] = result["orders"]
    count = 0  # occurrences that don't count
    rows = ""
    shown_kinds = set()
    for order in orders:
        for kind in _MISSES:
            rejected = order[kind]
            if not rejected:
                continue
            cells = [_show_ngram(ngram) for ngram in rejected[:_SHOWN_NGRAMS]]
            hidden = len(rejected) - len(cells)
            if hidden:
                cells.append(f"and {hidden:,} more")
            rows += (
                f'<tr><th class="order">{order["order"]}-gram, {kind}</th>'
                f"<td>{' '.join(cells)}</td></tr>"
            )
            count += sum(ngram["count"] - ngram["allowed"] for ngram in rejected)
            shown_kinds.add(kind)
    if not rows:
        return ""
    verb = "n-gram doesn’t" if count == 1 else "n-grams don’t"
    meanings = [f"{kind}: {meaning}" for kind, meaning in _MISSES.items() if kind in shown_kinds]
    return (
        f'<details class="bleu-ngrams"><summary>{count:,} {verb} count</summary>'
        f"<table>{rows}</table><small>{'; '.join(meanings)}</small></details>"
    )


def _show_ngram(ngram: NGramCount) -> str:
    code = f'<code class="code" dir="auto">{show(" ".join(map(str, ngram["ngram"])))}</code>'
    if ngram["count"] == 1:
        return code
    if ngram["allowed"]:
        return f"{code} ({ngram['allowed']} of {ngram['count']} count)"
    return f"{code} × {ngram['count']}"


def explanation(result: ResultDict, name: str = "") -> str:
    """Write a result of `explain` in color; `name` names one of several predictions."""
    max_order = len(result["orders"])
    blocks = [
        headline(result["score"], name),
        formula(result),
        tokens(result["prediction"], max_order, "Prediction"),
    ]
    for i, reference in enumerate(result["references"]):
        label = f"Reference {i + 1}"
        if i == result["effective_reference"]:
            label += " (sets the brevity penalty)"
        blocks.append(tokens(reference, max_order, label))
    blocks.append(ngrams(result))
    return "".join(blocks)


def write_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], words: Collection[str] = ()
) -> str:
    """Write a table: the first column is aligned left, numbers right, and columns of `words` wrap.

    `words` has the names of columns of words, which are aligned left, too.

    >>> write_table(["name"], [["<A>"]])
    '<div class="bleu-table"><table><tr><th>name</th></tr><tr><td>&lt;A&gt;</td></tr></table></div>'
    """
    attributes = [' class="words"' if name in words else "" for name in head]
    lines = [_write_row("th", head, attributes)]
    lines += [_write_row("td", row, attributes) for row in rows]
    return f'<div class="bleu-table"><table>{"".join(lines)}</table></div>'


def _write_row(tag: str, cells: Sequence[str], attributes: Sequence[str]) -> str:
    """Write a row of a table; a row without cells is a rule."""
    if not cells:
        return '<tr class="rule"></tr>'
    written = [
        f"<{tag}{attribute}>{show(cell)}</{tag}>" for cell, attribute in zip(cells, attributes)
    ]
    return f"<tr>{''.join(written)}</tr>"


def draw_interval(low: float, value: float, high: float, scale: tuple[float, float]) -> Markup:
    """Draw an interval as a line with a point in it.

    >>> draw_interval(0.25, 0.5, 0.75, (0.0, 1.0))
    '<span class="bleu-interval" style="--low:25.0%;--at:50.0%;--high:75.0%"><i></i><b></b></span>'
    """
    start, end = scale
    width = end - start or 1.0  # a scale of a single score has no width
    places = [f"{100 * (score - start) / width:.1f}%" for score in (low, value, high)]
    style = "--low:{};--at:{};--high:{}".format(*places)
    return Markup(f'<span class="bleu-interval" style="{style}"><i></i><b></b></span>')
