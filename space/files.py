"""Texts of the demo, read from uploaded files, pasted text or the example corpus.

Files are checked before they are parsed, so that a small file cannot cost more than a large one.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv

from . import limits
from .metric import report

# A cell of a table: a text, None, or whatever else JSON has, which the metric rejects.
Cell = Any
# The value of a field for files or columns.
Names = str | list[str] | None

# The choices of where the texts come from.
FROM_FILES = "Files"
FROM_TEXT = "Pasted text"

# What columns of tables are for, by their names; what is preselected can be changed.
_WORDS = {
    "references": "reference references ref refs refa refb refc refd gold target targets tgt"
    " expected groundtruth",
    "labels": "domain group lp langpair languagepair label",
    "documents": "doc docid document documentid",
    "systems": "prediction predictions predict predicted pred preds hypothesis hypotheses hyp hypo"
    " translation output response candidate mt",
    "others": "source sources src input prompt question instruction context id ids segid segment"
    " segmentid seg line lineid key index lang language",
    "ids": "id ids segid segmentid lineid key index",
}
_KINDS = {kind: {*words.split()} for kind, words in _WORDS.items()}
# Words that may stand beside that of a role; besides, letters and codes of languages may.
_BESIDE_ROLES = {"human", "text", "texts", "sentence", "segment", "translation", "output"}
# The words of a name end at other characters, and where the case changes: "refA" is "ref" and "A".
_NAME_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# The choices of what line 1 of a table has.
HEAD_NAMES = "names of columns"
HEAD_TEXTS = "texts"

_FORMATS = "text, CSV, TSV or JSONL"
_UPLOAD_LESS = "Upload a part of it, or use the metric in Python (see About)."
_ZIP = b"PK\x03\x04"
_ZIPPED = {".docx": "a Word file", ".xlsx": "an Excel file"}  # all others are ZIP files
_GZIP = b"\x1f\x8b"
_BINARY = {  # by the first bytes of a file
    b"PAR1": "a Parquet file",
    _GZIP: "a gzip file within a gzip file",
    b"%PDF-": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel file",
}
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PIECE = 1 << 20  # bytes read at once, so that other requests are not kept waiting
# The characters that may separate the cells of a table; the first one in line 1 does.
_DELIMITERS = {".csv": (",", ";", "\t"), ".tsv": ("\t",)}
_NOTES_ON_DELIMITERS = {
    (".csv", ";"): "separated by semicolons",
    (".csv", "\t"): "separated by tabs",
}
_JSON_LINES = (".jsonl", ".ndjson")
_QUOTATION_MARKS = re.compile('"+')
_REMOVED_QUOTES = "quoted as by pandas; quotes removed"
_KEPT_QUOTES = "quoted as by pandas; quotes kept"
_LINES_LIKE_HEAD = 20  # lines that line 1 is compared with
_NAME_CHARACTERS = 60  # of a column or label, in messages and tables
_EXAMPLE_CHARACTERS = 200  # of a cell, in the list of columns
_FEWEST_TO_LOCATE = 20  # segments; the lengths of fewer texts don't tell where lines are missing
# By how much lengths must agree better than by chance; those of a translation differ by 0.3.
_SHARE_TO_LOCATE = 0.7
_EXAMPLE_REFERENCES = 2  # the first columns of the example corpus


class Submission(NamedTuple):
    """The predictions of each system by its name, and what belongs to each segment."""

    systems: dict[str, list[str]]
    references: list[list[Cell]]
    labels: list[str] | None = None
    documents: list[str] | None = None
    remarks: Sequence[str] = ()  # what was done to the rows
    notes: Sequence[str] = ()  # what the visitor should know about the files

    def take(self, rows: Sequence[int]) -> Submission:
        """Return some rows, with their labels and documents."""

        def take_cells(cells: list[str] | None) -> list[str] | None:
            return None if cells is None else [cells[row] for row in rows]

        return self._replace(
            systems={name: [texts[row] for row in rows] for name, texts in self.systems.items()},
            references=[self.references[row] for row in rows],
            labels=take_cells(self.labels),
            documents=take_cells(self.documents),
        )


class Cells(NamedTuple):
    """How the cells of a CSV or TSV file are written."""

    delimiter: str
    are_quoted: bool  # if they need it
    names: tuple[str, ...] = ()  # of columns, if line 1 has texts

    def parsing(self) -> pyarrow.csv.ParseOptions:
        """Return the options for Arrow's reader."""
        return pyarrow.csv.ParseOptions(
            delimiter=self.delimiter,
            quote_char='"' if self.are_quoted else False,
            newlines_in_values=self.are_quoted,
        )

    def reading(self) -> pyarrow.csv.ReadOptions:
        """Return the options on line 1 for Arrow's reader."""
        return pyarrow.csv.ReadOptions(column_names=list(self.names) or None)


class Description(NamedTuple):
    """An uploaded file.

    columns: their names; none if the file is plain text.
    segments: the number of segments.
    texts: the columns that have text.
    cells: how the cells are written; None if the file is not CSV or TSV.
    remarks: what is special about how the file was read.
    has_quoted_cells: it is TSV, and all cells with a quotation mark are quoted.
    has_odd_head: line 1 looks like the lines below it: it may have texts, not names.
    examples: the beginning of the first cell of each column.
    """

    file: Path
    columns: list[str]
    segments: int
    texts: Sequence[str] = ()
    cells: Cells | None = None
    remarks: Sequence[str] = ()
    has_quoted_cells: bool = False
    has_odd_head: bool = False
    examples: Sequence[str] = ()


class ChosenColumns(NamedTuple):
    """An uploaded file, and the chosen ones of its columns; none if the file is plain text."""

    upload: Description
    names: list[str]

    def width(self) -> int:
        """Return the number of columns, where plain text is one column."""
        return len(self.names) or 1


class _Entered(NamedTuple):
    """The values of the fields of `sources.Sources`, in the same order."""

    origin: str | None
    systems: Names
    system_columns: Names
    references: Names
    reference_columns: Names
    pasted_system: str
    pasted_second_system: str
    pasted_references: str
    labels: Names
    documents: Names
    keeps_quotes: bool = False
    joins_runs: bool = False
    first_line: str | None = None


def ask_for_column(role: str) -> str:
    return f"Which column has the {role.removesuffix('s')}?"


def guess_columns(table: Description) -> dict[str, list[str]]:
    """Guess what the columns of a table are for; all other texts are systems.

    >>> names = ["domain", "doc", "src", "ref A", "Online-B", "score"]
    >>> guess_columns(Description(Path("a.tsv"), names, 9, names[:-1]))
    {'references': ['ref A'], 'labels': ['domain'], 'documents': ['doc'], 'systems': ['Online-B']}
    """
    joined = {name: "".join(_split_name(name)) for name in table.columns}
    # 1. References. Without any, a "label" is a reference, and not the name of a group.
    references = [name for name in joined if find_role(name) == "references"]
    if not references:
        references = [name for name in joined if joined[name] in ("label", "labels")]
    # 2. Groups, documents, and columns that are not used.
    labels = [
        name for name in joined if joined[name] in _KINDS["labels"] and name not in references
    ]
    documents = [name for name in joined if joined[name] in _KINDS["documents"]]
    others = [name for name in joined if find_role(name) == "others"]
    # 3. Systems: columns that are named so, or else all texts that are left.
    used = {*references, *labels, *documents, *others}
    texts = [name for name in table.texts if name not in used]
    systems = [name for name in texts if find_role(name) == "systems"] or texts
    return {"references": references, "labels": labels, "documents": documents, "systems": systems}


def find_role(name: str) -> str:
    """Return the role that the whole name of a column or file tells; empty if it tells none.

    A role is told by one word, beside which letters, numbers and codes of languages may stand.

    >>> [find_role(name) for name in ("refA", "tgt.de", "source_text", "pred_1")]
    ['references', 'references', 'others', 'systems']
    >>> [find_role(name) for name in ("target-finetuned", "gold-mix", "prefA")]
    ['', '', '']
    """
    words = _split_name(name)
    whole = "".join(words)
    for role in ("references", "systems", "others"):
        if whole in _KINDS[role]:
            return role
    for position, word in enumerate(words):
        beside = words[:position] + words[position + 1 :]
        if not all(len(other) <= 2 or other in _BESIDE_ROLES for other in beside):
            continue
        for role in ("references", "systems", "others"):
            if word in _KINDS[role]:
                return role
    return ""


def _split_name(name: str) -> list[str]:
    """Split the name of a column into lowercase words.

    >>> _split_name("refA"), _split_name("doc_ID")
    (['ref', 'a'], ['doc', 'id'])
    """
    return [word.lower() for word in _NAME_WORD.findall(name)]


_RUN = re.compile(
    r"(?:^|(?<=[^a-z]))(?:seed|run|trial|s|r)[ =_-]?\d+(?=[^a-z0-9]|$)", re.IGNORECASE
)
_ONLY_RUN = re.compile(r"(?:seed|run|trial)[ =_-]?\d+", re.IGNORECASE)
_TEXT_SUFFIXES = (".gz", ".txt", ".csv", ".tsv", ".jsonl", ".ndjson")
_SEPARATORS = "._- /"


def group_runs(names: Sequence[str]) -> dict[str, list[str]]:
    """Group the names of files or columns that are runs of one system, by the system's name.

    >>> group_runs(["base.seed1.txt", "base.seed2.txt", "gpt-4.txt"])
    {'base': ['base.seed1.txt', 'base.seed2.txt'], 'gpt-4': ['gpt-4.txt']}
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        plain = _remove_suffixes(name)
        # A system is named by what is left without the run.
        before, _, after = _RUN.sub("\0", plain, count=1).partition("\0")
        parts = [before.strip(_SEPARATORS), after.strip(_SEPARATORS)]
        system = ".".join(part for part in parts if part)
        if not system and _ONLY_RUN.fullmatch(plain):
            system = plain.rstrip("0123456789").rstrip(_SEPARATORS + "=")
        groups.setdefault(system or plain, []).append(name)
    return groups


def find_runs(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the runs of each of several systems; empty if the names don't tell of runs.

    >>> find_runs(["base.seed1", "base.seed2", "new.seed1", "new.seed2"])
    {'base': ['base.seed1', 'base.seed2'], 'new': ['new.seed1', 'new.seed2']}
    >>> find_runs(["seed1", "seed2", "baseline"])
    {'seed': ['seed1', 'seed2'], 'baseline': ['baseline']}
    >>> find_runs(["base", "new"])
    {}
    """
    runs = group_runs(names)
    has_several = any(len(own) > 1 for own in runs.values())
    return runs if has_several and len(runs) > 1 else {}


def _remove_suffixes(name: str) -> str:
    """Return a name without the suffixes of formats."""
    while name.lower().endswith(_TEXT_SUFFIXES):
        name = name.rpartition(".")[0]
    return name


def share_tables(
    own_uploads: Sequence[Description], all_uploads: Sequence[Description]
) -> list[Description]:
    """Return the files of a role: its own, or else all tables, which may have both roles."""
    if own_uploads:
        return list(own_uploads)
    return [upload for upload in all_uploads if upload.columns]


def as_list(value: Names) -> list[str]:
    """Return the value of a field as a list."""
    if isinstance(value, list):
        return list(value)
    return [value] if value else []


def read_submission(values: Sequence[Any]) -> Submission:
    """Read a submission from the values of the fields of `sources.Sources`.

    Raises RejectedError if texts are missing or too many.

    >>> pasted = ["a b\\nc", "", "a b\\ta c\\nd"]
    >>> read_submission([FROM_TEXT, None, None, None, None, *pasted, None, None]).references
    [['a b', 'a c'], ['d']]
    """
    if is_example(values):
        return read_example()
    entered = _Entered(*values)
    submission = _read_pasted(entered) if entered.origin == FROM_TEXT else _read_files(entered)
    _check_submission(submission)
    return submission


def _read_pasted(entered: _Entered) -> Submission:
    systems = {}
    if entered.pasted_system:
        systems["System"] = split_lines(entered.pasted_system)
    if entered.pasted_second_system:
        systems["Second system"] = split_lines(entered.pasted_second_system)
    references = [line.split("\t") for line in split_lines(entered.pasted_references)]
    return Submission(systems, references)


def _read_files(entered: _Entered) -> Submission:
    """Read the uploaded files, which are checked and counted before."""
    # 1. Check the files, and find their columns.
    system_paths = as_list(entered.systems)
    reference_paths = as_list(entered.references)
    check_files([*system_paths, *reference_paths])
    reading = Reading(entered.keeps_quotes, entered.first_line)
    systems = _describe_files("systems", system_paths, reading)
    references = _describe_files("references", reference_paths, reading)
    uploads = [*systems, *references]
    for upload in uploads:
        if upload.has_odd_head and entered.first_line is None:
            raise limits.RejectedError(
                f"Line 1 of {upload.file.name} looks like the lines below it. Choose above if it"
                " has names of columns or texts."
            )
    # 2. Choose columns, and count the texts in them. References are asked for first, because
    #    without them their column is taken for a system.
    reference_columns = _choose_columns(
        "references", share_tables(references, uploads), entered.reference_columns
    )
    system_columns = _choose_columns(
        "systems", share_tables(systems, uploads), entered.system_columns
    )
    _check_roles(system_columns, reference_columns)
    texts = 0
    for chosen in (*system_columns, *reference_columns):
        texts += chosen.width() * chosen.upload.segments
    _check_texts(texts)
    # 3. Read.
    submission = Submission(
        systems=_read_systems(system_columns),
        references=_join_references(reference_columns),
        labels=_read_labels(uploads, entered.labels),
        documents=_read_documents(uploads, entered.documents),
        notes=_note_roles(system_columns, reference_columns),
    )
    tables = _Tables(
        systems,
        references,
        labels=_find_table(uploads, entered.labels),
        documents=_find_table(uploads, entered.documents),
    )
    return _join_by_ids(submission, tables)


def _note_roles(
    system_columns: Sequence[ChosenColumns], reference_columns: Sequence[ChosenColumns]
) -> list[str]:
    """Return what names tell against the roles that a visitor has chosen."""
    notes = []
    roles = {"systems": system_columns, "references": reference_columns}
    for role, chosen in roles.items():
        for upload, columns in chosen:
            for name in columns or [name_texts(upload.file)]:
                told = find_role(name)
                if told == "others":
                    notes.append(f"“{name}” looks like a source, and is among the {role}.")
                elif told and told != role:
                    notes.append(f"“{name}” looks like one of the {told}, and is among the {role}.")
    return notes


class _Tables(NamedTuple):
    """The files of a submission, and those that have its labels and documents, if it has some."""

    systems: Sequence[Description]
    references: Sequence[Description]
    labels: Description | None
    documents: Description | None


def _join_by_ids(submission: Submission, tables: _Tables) -> Submission:
    """Join tables of systems with a table of references by ids, if they are in another order.

    Rows whose id is not in all tables are left out.
    """
    # 1. Find the column of ids of each table.
    if len(tables.systems) != len(submission.systems) or len(tables.references) != 1:
        return submission
    (reference_table,) = tables.references
    reference_ids = _read_ids(reference_table)
    ids_of_systems = [_read_ids(table) for table in tables.systems]
    if reference_ids is None or None in ids_of_systems:
        return submission
    if all(ids == reference_ids for ids in ids_of_systems):
        return submission
    # 2. Choose the rows of each table, in the order of the references.
    places = [{name: row for row, name in enumerate(ids or ())} for ids in ids_of_systems]
    kept = [row for row, name in enumerate(reference_ids) if all(name in place for place in places)]
    if not kept:
        return submission
    rows_of = {reference_table.file: kept}
    for table, place in zip(tables.systems, places):
        rows_of[table.file] = [place[reference_ids[row]] for row in kept]

    # 3. Take them.
    def take(cells: list[str] | None, table: Description | None) -> list[str] | None:
        if cells is None or table is None:
            return None
        return [cells[row] for row in rows_of[table.file]]

    joined = {}
    for (name, texts), table in zip(submission.systems.items(), tables.systems):
        joined[name] = [texts[row] for row in rows_of[table.file]]
    remark = "lines joined by their ids"
    if len(kept) < len(reference_ids):
        remark += f", {len(kept):,} of {len(reference_ids):,} are in all files"
    return submission._replace(
        systems=joined,
        references=[submission.references[row] for row in kept],
        labels=take(submission.labels, tables.labels),
        documents=take(submission.documents, tables.documents),
        remarks=[remark],
    )


def _read_ids(table: Description) -> list[str] | None:
    """Return the ids of a table; None if it has none, or if they are not unique."""
    for name in table.columns:
        if "".join(_split_name(name)) in _KINDS["ids"]:
            ids = [str(cell) for cell in _read_columns(table, [name])[name]]
            return ids if len(set(ids)) == len(ids) else None
    return None


def _check_submission(submission: Submission) -> None:
    """Reject texts that are missing, too many, or of different numbers of segments."""
    systems = submission.systems
    references = submission.references
    labels = submission.labels
    documents = submission.documents
    if not systems or not references:
        missing = "references" if systems else "systems"
        raise limits.RejectedError(f"The {missing} are missing. Upload or paste some.")
    if len(systems) > limits.MAX_SYSTEMS:
        raise limits.RejectedError(
            f"There are {len(systems)} systems; the limit is {limits.MAX_SYSTEMS}."
        )
    for name, predictions in systems.items():
        _check_lengths(name, predictions, references)
    if labels is not None:
        _check_lengths("The column of labels", labels, references)
    if documents is not None:
        _check_lengths("The column of documents", documents, references)


def name_references(values: Sequence[Any]) -> list[str]:
    """Return the names of the files or columns of references."""
    entered = _Entered(*values)
    columns = as_list(entered.reference_columns)
    files = [name_texts(Path(path)) for path in as_list(entered.references)]
    return columns or files


def is_example(values: Sequence[Any]) -> bool:
    """Return whether no files are uploaded, so that the example is scored."""
    entered = _Entered(*values)
    has_files = bool(entered.systems or entered.references)
    return entered.origin == FROM_FILES and not has_files


def read_example() -> Submission:
    """Read the example corpus.

    >>> example = read_example()
    >>> list(example.systems), len(example.references)
    (['atlas', 'birch', 'cedar'], 40)
    """
    text = Path(__file__).with_name("example.tsv").read_text(encoding="utf-8")
    head, *rows = [line.split("\t") for line in text.splitlines()]
    systems = {}
    for column, name in enumerate(head):
        if column >= _EXAMPLE_REFERENCES:
            systems[name] = [row[column] for row in rows]
    return Submission(systems, [row[:_EXAMPLE_REFERENCES] for row in rows])


def _check_lengths(
    name: str, cells: Sequence[object], references: Sequence[Sequence[object]]
) -> None:
    """Reject a column whose number of segments is not that of the references."""
    if len(cells) != len(references):
        first_references = [row[0] if row else "" for row in references]
        raise limits.RejectedError(
            f"{name} has {report.count_things(len(cells), 'segment')}, and there are references for"
            f" {len(references):,}.{_locate_difference(cells, first_references)} They must"
            " correspond line by line; an empty line is a segment."
        )


def _locate_difference(texts: Sequence[object], expected: Sequence[object]) -> str:
    """Return a sentence on where two columns of different length cease to correspond.

    It is empty if the lengths of the texts don't tell. The sentence begins with a space.
    """
    # 1. Measure the texts of the shorter and of the longer column.
    shorter, longer = sorted((texts, expected), key=len)
    surplus = len(longer) - len(shorter)
    if len(shorter) < _FEWEST_TO_LOCATE:
        return ""
    lengths = _measure_texts(shorter)
    longer_lengths = _measure_texts(longer)
    # 2. Up to some line the columns correspond, and behind it after a shift: find the line for
    #    which lengths differ least, the last of several.
    in_place = np.abs(lengths - longer_lengths[: len(shorter)])
    shifted = np.abs(lengths - longer_lengths[surplus:])
    before = np.concatenate([[0.0], np.cumsum(in_place)])
    after = np.concatenate([np.cumsum(shifted[::-1])[::-1], [0.0]])
    costs = np.round(before + after, 6)
    start = int(np.flatnonzero(costs == costs.min())[-1])
    # 3. Lengths tell if texts in reverse order, which don't correspond, differ more.
    reverse_cost = np.abs(lengths - lengths[::-1]).sum()
    if costs[start] >= _SHARE_TO_LOCATE * reverse_cost:
        return ""
    if start < len(shorter):
        return f" From line {start + 1:,} on, the lines look shifted."
    lines = f"lines {start + 1:,} to {len(longer):,}"
    if surplus == 1:
        lines = f"line {len(longer):,}"
    problem = "There is more at the end" if longer is texts else "The end is missing"
    return f" {problem}: {lines}."


def _measure_texts(texts: Sequence[object]) -> npt.NDArray[np.float64]:
    """Return the logarithm of the length of each text, because long texts vary more."""
    lengths = [len(text) if isinstance(text, str) else 0 for text in texts]
    return np.log1p(np.array(lengths, dtype=np.float64))


def _read_systems(uploads: Sequence[ChosenColumns]) -> dict[str, list[str]]:
    """Return the systems, named after the file, or after the column if a table has several."""
    systems: dict[str, list[str]] = {}
    for upload, names in uploads:
        for column, cells in _read_columns(upload, names).items():
            _check_complete(upload.file.name, cells)
            name = column if len(names) > 1 else name_texts(upload.file)
            systems[rename(name, systems)] = cells
    return systems


def _read_labels(tables: Sequence[Description], column: Names) -> list[str] | None:
    """Return the labels in a column, None without a column; a missing label is empty."""
    cells = _find_column(tables, column, "labels")
    if cells is None:
        return None
    labels = ["" if cell is None else str(cell)[:_NAME_CHARACTERS] for cell in cells]
    count = len(set(labels))
    if count > limits.MAX_GROUPS:
        raise limits.RejectedError(
            f"The column {_quote(as_list(column)[0])} has {count:,} different labels; the limit is"
            f" {limits.MAX_GROUPS}."
        )
    return labels


def _read_documents(tables: Sequence[Description], column: Names) -> list[str] | None:
    """Return the documents in a column, None without a column; each segment must have one."""
    cells = _find_column(tables, column, "documents")
    if cells is None:
        return None
    for number, cell in enumerate(cells, 1):
        if cell is None:
            raise limits.RejectedError(
                f"Segment {number:,} has no document. Give such segments documents of their own."
            )
    return [str(cell) for cell in cells]


def _find_column(tables: Sequence[Description], column: Names, kind: str) -> list[Cell] | None:
    """Return the cells of a column of the first table that has it; None without a column."""
    names = as_list(column)
    if not names:
        return None
    if len(names) > 1:
        raise limits.RejectedError(f"Choose one column of {kind}.")
    (name,) = names
    table = _find_table(tables, name)
    if table is None:
        raise limits.RejectedError(f"None of the files has a column {_quote(name)}.")
    return _read_columns(table, names)[name]


def _find_table(tables: Sequence[Description], column: Names) -> Description | None:
    """Return the first table that has a column, None if none has."""
    names = as_list(column)
    return next((table for table in tables if names and names[0] in table.columns), None)


def _quote(column: str) -> str:
    """Return the beginning of a column's name in Python's notation."""
    return repr(column[:_NAME_CHARACTERS])


def _check_complete(name: str, column: Sequence[object]) -> None:
    """Reject a system that lacks a segment."""
    for number, cell in enumerate(column, 1):
        if not isinstance(cell, str):
            raise limits.RejectedError(
                f"{name}, segment {number:,}: the text is missing. Write an empty text for an"
                " empty segment."
            )


def rename(name: str, taken: Mapping[str, object]) -> str:
    """Return the name, with a number if it is taken.

    >>> rename("mt", {"mt": [], "mt (2)": []})
    'mt (3)'
    """
    new_name = name
    number = 1
    while new_name in taken:
        number += 1
        new_name = f"{name} ({number})"
    return new_name


def _join_references(uploads: Sequence[ChosenColumns]) -> list[list[Cell]]:
    """Return the references of each segment, from all columns."""
    rows: list[list[Cell]] | None = None
    for upload, names in uploads:
        for column in _read_columns(upload, names).values():
            if rows is None:
                rows = [[] for _ in column]
            if len(column) != len(rows):
                raise limits.RejectedError(
                    f"{upload.file.name} has {report.count_things(len(column), 'segment')}, and the"
                    f" references before it {len(rows):,}."
                    f"{_locate_difference(column, [row[0] for row in rows])} The files must"
                    " correspond line by line."
                )
            for row, cell in zip(rows, column):
                if isinstance(cell, list):
                    row.extend(cell)
                else:
                    row.append(cell)
    return rows or []


def check_files(paths: Sequence[str]) -> None:
    """Reject files that are too large together, unpacked, without reading more than the limit."""
    limit = limits.MAX_FILE_MEGABYTES * 1_000_000
    size = 0
    for path in paths:
        if os.path.exists(path):
            size += os.path.getsize(path)
    if size > limit:
        raise limits.RejectedError(
            f"The files have {size / 1_000_000:,.0f} MB together; the limit is"
            f" {limits.MAX_FILE_MEGABYTES}. {_UPLOAD_LESS}"
        )
    for path in paths:
        file = Path(path)
        if not file.exists() or not _find_encoding(file).is_packed:
            continue
        size -= os.path.getsize(path)
        for piece in _unpack(file):
            size += len(piece)
            if size > limit:
                raise limits.RejectedError(
                    f"The files have more than {limits.MAX_FILE_MEGABYTES} MB together."
                    f" {_UPLOAD_LESS}"
                )


def _find_limit(role: str) -> int:
    """Return the largest number of files or columns of a role."""
    return limits.MAX_SYSTEMS if role == "systems" else limits.MAX_REFERENCES


def _describe_files(role: str, paths: Sequence[str], reading: Reading) -> list[Description]:
    """Describe the files of a role, or reject them if they are too many.

    What is wrong with a file stands below it already, since it was uploaded.
    """
    limit = _find_limit(role)
    if len(paths) > limit:
        raise limits.RejectedError(f"There are {len(paths)} files of {role}; the limit is {limit}.")
    described = []
    for path in paths:
        file = Path(path)
        try:
            described.append(describe_file(path, reading))
        except limits.RejectedError as error:
            if not file.exists():
                raise
            raise limits.RejectedError(
                f"{file.name} can’t be read. The message at {role.capitalize()} says why."
            ) from error
    return described


def _choose_columns(
    role: str, uploads: Sequence[Description], columns: Names
) -> list[ChosenColumns]:
    """Return each file with those of the chosen columns that it has, or reject the choice."""
    wanted = as_list(columns)
    chosen = []
    for upload in uploads:
        names = [name for name in wanted if name in upload.columns]
        chosen.append(ChosenColumns(upload, names))
    # 1. Too many columns: a column may be in several files, or in none.
    limit = _find_limit(role)
    count = max(sum(choice.width() for choice in chosen), len(wanted))
    if count > limit:
        raise limits.RejectedError(f"There are {count} columns of {role}; the limit is {limit}.")
    # 2. A column that no file has.
    for name in wanted:
        if not any(name in choice.names for choice in chosen):
            raise limits.RejectedError(f"None of the files has a column {_quote(name)}.")
    # 3. A table without a column.
    for upload, names in chosen:
        if upload.columns and not names:
            place = f"{upload.file.name}: " if len(chosen) > 1 else ""
            raise limits.RejectedError(
                f"{place}{ask_for_column(role)} Choose it in the list of columns."
            )
    return chosen


def _check_roles(
    system_columns: Sequence[ChosenColumns], reference_columns: Sequence[ChosenColumns]
) -> None:
    """Reject a column that is both a system and a reference: it would be scored 100."""
    reference_names = {choice.upload.file: choice.names for choice in reference_columns}
    for choice in system_columns:
        for name in choice.names:
            if name in reference_names.get(choice.upload.file, ()):
                raise limits.RejectedError(
                    f"The column {_quote(name)} is chosen for systems and for references. Remove it"
                    " from one of them."
                )


def _check_texts(count: int) -> None:
    """Reject a result that is made from too many texts."""
    if count > limits.MAX_TEXTS:
        raise limits.RejectedError(
            f"The files have {count:,} texts; the limit is {limits.MAX_TEXTS:,}. {_UPLOAD_LESS}"
        )


class Reading(NamedTuple):
    """What a visitor has chosen about how tables are read.

    keeps_quotes: the quotation marks around the cells of a TSV file are text.
    first_line: what line 1 has, if it looks like the lines below it; None as long as it is open.
    """

    keeps_quotes: bool = False
    first_line: str | None = None


def describe_file(path: str, reading: Reading = Reading()) -> Description:  # noqa: B008 immutable
    """Describe an uploaded file, or raise what is wrong with it.

    The format is CSV, TSV or JSONL by the suffix, otherwise text.
    """
    file = _check_file(path)
    # 1. The encoding, which the page tells if it is not UTF-8.
    encoding = _find_encoding(file)
    remarks = []
    if encoding.is_packed:
        remarks.append("unpacked")
    if encoding.is_utf16:
        remarks.append("UTF-16")
    if encoding.has_returns:
        remarks.append("lines end in CR")
    # 2. The format.
    suffix = _find_suffix(file)
    if suffix in _JSON_LINES:
        return _describe_json_lines(file)._replace(remarks=remarks)
    if suffix in _DELIMITERS:
        return _describe_delimited(file, suffix, remarks, reading)
    segments = _check_text(file)
    # The "Unicode text" of Excel is a table.
    if encoding.is_utf16 and "\t" in next(_decode_lines(file)):
        return _describe_delimited(file, ".tsv", remarks, reading)
    return Description(file, [], segments, remarks=remarks)


def _find_suffix(file: Path) -> str:
    """Return the suffix of the name; of a packed file, the one before."""
    suffix = file.suffix.lower()
    if suffix == ".gz":
        suffix = file.with_suffix("").suffix.lower()
    return suffix


def name_texts(file: Path) -> str:
    """Return the name of a file without its suffix."""
    if file.suffix.lower() == ".gz":
        file = file.with_suffix("")
    return file.stem


def _describe_json_lines(file: Path) -> Description:
    _check_text(file, signs=(b",", b"[", b"{"))
    segments = 0
    first_row: dict[str, Cell] = {}
    for row in _read_json_lines(file):
        first_row = first_row or row
        segments += 1
    texts = [name for name, cell in first_row.items() if isinstance(cell, str)]
    examples = [str(cell)[:_EXAMPLE_CHARACTERS] for cell in first_row.values()]
    return Description(file, list(first_row), segments, texts, examples=examples)


def _read_columns(upload: Description, names: Sequence[str]) -> dict[str, list[Cell]]:
    """Read the lines of a text, by the file's name, or the named columns of a table."""
    file = upload.file
    if not upload.columns:
        return {name_texts(file): list(_decode_lines(file))}
    if upload.cells:
        return _read_delimited(file, names, upload.cells)
    table: dict[str, list[Cell]] = {name: [] for name in names}
    texts = 0  # in lists
    for number, row in enumerate(_read_json_lines(file), 1):
        for name in names:
            cell = row[name]
            table[name].append(cell)
            if isinstance(cell, (list, dict)):
                _check_references(cell, file, number)
                texts += len(cell)
    _check_texts(texts)
    return table


def _check_references(cell: list[Cell] | dict[str, Cell], file: Path, number: int) -> None:
    """Reject a cell of a JSONL file that is not a list of the references of a segment."""
    has_texts = isinstance(cell, list) and all(isinstance(text, str | None) for text in cell)
    if not has_texts or len(cell) > limits.MAX_REFERENCES:
        raise limits.RejectedError(
            f"{file.name}, line {number:,}: expected a text or up to {limits.MAX_REFERENCES} texts."
        )


def split_lines(text: str) -> list[str]:
    """Split a text into segments.

    Only a line feed ends a line, as in the tools that write such files.

    >>> split_lines("one\\r\\n\\x0ctwo\\n")
    ['one', '\\x0ctwo']
    """
    if not text:
        return []
    lines = text.removesuffix("\n").replace("\r\n", "\n").removesuffix("\r")
    return lines.split("\n")


def _check_file(path: str) -> Path:
    """Reject a file that is deleted, empty or of a format that is not accepted."""
    file = Path(path)
    if not file.exists():
        raise limits.RejectedError(
            f"{file.name} was deleted, as all uploads are after a while. Upload it again."
        )
    if not file.stat().st_size:
        raise limits.RejectedError(f"{file.name} is empty. Upload another file.")
    if file.suffix.lower() == ".parquet":
        raise limits.RejectedError(f"{file.name}: Parquet is not accepted. Upload {_FORMATS}.")
    if file.suffix.lower() == ".json":
        raise limits.RejectedError(
            f"{file.name}: JSON is accepted as JSONL only, one object per line."
        )
    return file


def _check_text(file: Path, limit: int = limits.MAX_SEGMENTS, signs: Sequence[bytes] = ()) -> int:
    """Count the lines of a file, or raise what is wrong with it as a text.

    It must be valid UTF-8, with up to `limit` lines that are not too long. `signs` are the bytes
    that begin or end a value, which are limited in number.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line_ends = 0
    unfinished = 0  # bytes of the line that goes on in the next piece
    values = 0
    data = b""
    for data in _read_pieces(file):
        if not line_ends and not unfinished:
            _check_beginning(file.name, data)
        # 1. Count, before anything that takes time.
        if line_ends + data.count(b"\n") > limit:
            raise limits.RejectedError(
                f"{file.name} has more than {limit:,} lines, the limit here. {_UPLOAD_LESS}"
            )
        values += sum(data.count(sign) for sign in signs)
        if values > limits.MAX_FILE_SIGNS:
            raise limits.RejectedError(
                f"{file.name} has more than {limits.MAX_FILE_SIGNS:,} cells or values. Leave out"
                " columns, or upload a part of it."
            )
        # 2. Check the bytes.
        if b"\x00" in data:
            raise limits.RejectedError(
                f"{file.name} is not a text file: it has zero bytes. Export it as {_FORMATS}."
            )
        try:
            decoder.decode(data)
        except UnicodeDecodeError as error:
            line = line_ends + 1 + error.object.count(b"\n", 0, error.start)
            byte = error.object[error.start]
            raise limits.RejectedError(
                f"{file.name} is not in UTF-8 (line {line:,}, byte 0x{byte:02X}). Save it as UTF-8."
            ) from None
        # 3. Measure the lines, of which the first may have begun in the piece before.
        lengths = list(map(len, data.split(b"\n")))
        lengths[0] += unfinished
        if max(lengths) > limits.MAX_LINE_BYTES:
            raise limits.RejectedError(
                f"{file.name} has a line of over {limits.MAX_LINE_BYTES:,} bytes. Write one segment"
                " per line."
            )
        unfinished = lengths[-1]
        line_ends += len(lengths) - 1
    has_unfinished_line = not data.endswith(b"\n")
    return line_ends + 1 if has_unfinished_line else line_ends


class _Encoding(NamedTuple):
    """How the bytes of a file are to be read."""

    is_packed: bool  # with gzip
    is_utf16: bool
    has_returns: bool  # in place of line feeds


def _find_encoding(file: Path) -> _Encoding:
    """Return how the bytes of a file are to be read, by its first bytes."""
    with open(file, "rb") as opened:
        is_packed = opened.read(len(_GZIP)) == _GZIP
    beginning = next(_unpack(file), b"") if is_packed else next(_read_raw(file), b"")
    has_returns = b"\r" in beginning and b"\n" not in beginning
    return _Encoding(is_packed, beginning.startswith(_UTF16), has_returns)


def _read_raw(file: Path) -> Iterator[bytes]:
    with open(file, "rb") as opened:
        yield from iter(lambda: opened.read(_PIECE), b"")


def _unpack(file: Path) -> Iterator[bytes]:
    """Return the pieces of a packed file, unpacked."""
    try:
        with gzip.open(file) as opened:
            yield from iter(lambda: opened.read(_PIECE), b"")
    except (EOFError, OSError, zlib.error):
        raise limits.RejectedError(
            f"{file.name} is damaged or incomplete. Pack it again, or upload it without packing."
        ) from None


def _read_pieces(file: Path) -> Iterator[bytes]:
    """Return the pieces of a file in UTF-8, unpacked; no more than the limit of all files."""
    encoding = _find_encoding(file)
    pieces = _unpack(file) if encoding.is_packed else _read_raw(file)
    decoder = codecs.getincrementaldecoder("utf-16")()
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limits.MAX_FILE_MEGABYTES * 1_000_000:
            return  # `check_files` has rejected the file
        data = piece
        if encoding.is_utf16:
            try:
                data = decoder.decode(piece).encode()
            except UnicodeError:
                raise _reject_utf16(file) from None
        yield data.replace(b"\r", b"\n") if encoding.has_returns else data
    try:
        decoder.decode(b"", final=True)
    except UnicodeError:
        raise _reject_utf16(file) from None


def _reject_utf16(file: Path) -> limits.RejectedError:
    return limits.RejectedError(
        f"{file.name} is not in UTF-16, though it begins so. Save it as UTF-8."
    )


def _open_text(file: Path) -> BinaryIO:
    """Open a file to read its text in UTF-8."""
    if any(_find_encoding(file)):
        return io.BytesIO(b"".join(_read_pieces(file)))
    return open(file, "rb")


def _check_beginning(name: str, data: bytes) -> None:
    """Reject binary files by their first bytes."""
    kind = None
    if data.startswith(_ZIP):
        kind = _ZIPPED.get(Path(name).suffix.lower(), "a ZIP file")
    for start, binary_kind in _BINARY.items():
        if data.startswith(start):
            kind = binary_kind
    if kind:
        raise limits.RejectedError(f"{name} is {kind}. Export it as {_FORMATS}.")


def _decode_lines(file: Path) -> Iterator[str]:
    with io.TextIOWrapper(_open_text(file), encoding="utf-8-sig", newline="\n") as opened:
        for line in opened:
            yield line.removesuffix("\n").removesuffix("\r")


def _describe_delimited(
    file: Path, suffix: str, remarks: Sequence[str], reading: Reading
) -> Description:
    """Describe a table; `suffix` is ".csv" or ".tsv"."""
    # 1. Count the cells. A cell may have several lines.
    delimiters = _DELIMITERS[suffix]
    signs = [delimiters[0].encode()]
    if suffix == ".tsv":
        signs.append(b'"')  # `_has_quoted_cells` looks at each
    _check_text(file, 4 * limits.MAX_SEGMENTS, signs=signs)
    head = next(_decode_lines(file))
    delimiter = next((sign for sign in delimiters if sign in head), delimiters[0])
    if delimiter != delimiters[0]:
        _check_text(file, 4 * limits.MAX_SEGMENTS, signs=(delimiter.encode(),))
    if head.count(delimiter) >= limits.MAX_COLUMNS:
        raise limits.RejectedError(
            f"{file.name} has more than {limits.MAX_COLUMNS} columns. Leave out those that are not"
            " needed."
        )
    # 2. Find out how cells are written. Quotation marks in TSV are text, as for `cut` and in the
    #    files of WMT, unless each cell with one is quoted.
    all_remarks = list(remarks)
    if note := _NOTES_ON_DELIMITERS.get((suffix, delimiter)):
        all_remarks.append(note)
    has_quoted_cells = suffix == ".tsv" and _has_quoted_cells(file)
    if has_quoted_cells:
        all_remarks.append(_KEPT_QUOTES if reading.keeps_quotes else _REMOVED_QUOTES)
    removes_quotes = has_quoted_cells and not reading.keeps_quotes
    cells = Cells(delimiter, are_quoted=suffix == ".csv" or removes_quotes)
    has_odd_head = _has_odd_head(file, cells)
    if has_odd_head and reading.first_line == HEAD_TEXTS:
        numbers = range(1, head.count(delimiter) + 2)
        cells = cells._replace(names=tuple(f"column {number}" for number in numbers))
        all_remarks.append("without names of columns")
    # 3. Read the names and types of the columns.
    try:
        with _open_text(file) as opened:
            schema = pyarrow.csv.open_csv(
                opened, read_options=cells.reading(), parse_options=cells.parsing()
            ).schema
    except pa.ArrowInvalid:
        raise _find_odd_line(file, cells) from None
    names = schema.names
    if len(set(names)) < len(names):
        raise limits.RejectedError(
            f"{file.name} has two columns with the same name. Rename one of them."
        )
    # 4. Parse all cells, so that an odd line is found now and not when the visitor scores.
    first_name = names[0]
    first_column = _read_delimited(file, [first_name], cells)[first_name]
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    return Description(
        file,
        names,
        len(first_column),
        texts,
        cells=cells,
        remarks=all_remarks,
        has_quoted_cells=has_quoted_cells,
        has_odd_head=has_odd_head,
        examples=_read_examples(file, names, cells),
    )


def _read_examples(file: Path, names: Sequence[str], cells: Cells) -> list[str]:
    """Return the beginning of the first cell of each column; none if there are no rows."""
    conversion = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    with _open_text(file) as opened:
        reader = pyarrow.csv.open_csv(
            opened,
            read_options=cells.reading(),
            parse_options=cells.parsing(),
            convert_options=conversion,
        )
        for batch in reader:
            for row in batch.slice(0, 1).to_pylist():
                return [cell[:_EXAMPLE_CHARACTERS] for cell in row.values()]
    return []


def _has_odd_head(file: Path, cells: Cells) -> bool:
    """Return True if line 1 of a table looks like the lines below it.

    Names of columns have a role, or are short. A text has four words or more, or many characters
    of a script written without spaces.
    """
    lines = (f"{line}\n" for line in islice(_decode_lines(file), _LINES_LIKE_HEAD))
    rows = list(csv.reader(lines, delimiter=cells.delimiter, quoting=csv.QUOTE_NONE))
    if len(rows) < 3:
        return False
    head, *others = rows
    if any(find_role(name) or _split_name(name) == ["doc"] for name in head):
        return False
    texts = 0
    for column, name in enumerate(head):
        below = [row[column] for row in others if len(row) == len(head)]
        length = sum(map(len, below)) / max(len(below), 1)
        is_text = len(name.split()) >= 4 or (not name.isascii() and len(name) >= 8)
        texts += is_text and len(name) >= length / 3
    return texts >= max(1, len(head) // 2)


def _has_quoted_cells(file: Path) -> bool:
    """Return whether all cells of a TSV file that have a quotation mark are quoted, for certain.

    It is certain if a quotation mark within such a cell is doubled, or if the first name of a
    column is quoted.
    """
    with _open_text(file) as opened:
        text = opened.read().decode("utf-8-sig")
    is_certain = text.startswith('"')
    is_inside = False  # a quoted cell
    # One run of quotation marks at a time: a pattern for cells would hold up other requests.
    for run in _QUOTATION_MARKS.finditer(text):
        start, end = run.span()
        begins_cell = start == 0 or text[start - 1] in "\t\n"
        if not is_inside and not begins_cell:
            return False
        # Doubled marks are text, besides the marks that open and close the cell.
        marks = end - start
        opening = 0 if is_inside else 1
        is_inside = (marks - opening) % 2 == 0
        closing = 0 if is_inside else 1
        is_certain = is_certain or marks - opening - closing >= 2
        ends_cell = end == len(text) or text[end] in "\t\r\n"
        if not is_inside and not ends_cell:
            return False
    return is_certain and not is_inside


def _read_delimited(file: Path, columns: Sequence[str], cells: Cells) -> dict[str, list[Cell]]:
    try:
        parsing = cells.parsing()
        with _open_text(file) as opened:
            names = pyarrow.csv.open_csv(
                opened, read_options=cells.reading(), parse_options=parsing
            ).schema.names
        # In a single column, an empty line is an empty segment.
        parsing.ignore_empty_lines = len(names) > 1
        conversion = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), include_columns=list(columns)
        )
        with _open_text(file) as opened:
            table = pyarrow.csv.read_csv(
                opened,
                read_options=cells.reading(),
                parse_options=parsing,
                convert_options=conversion,
            )
    except pa.ArrowInvalid:
        raise _find_odd_line(file, cells) from None
    if len(table) > limits.MAX_SEGMENTS:
        raise limits.RejectedError(
            f"{file.name} has {len(table):,} rows; the limit is {limits.MAX_SEGMENTS:,}. Upload a"
            " part of it."
        )
    return {name: table[name].to_pylist() for name in columns}


def _find_odd_line(file: Path, cells: Cells) -> limits.RejectedError:
    """Return the error for a table that cannot be parsed, with the first line that differs."""
    lines = (f"{line}\n" for line in islice(_decode_lines(file), 4 * limits.MAX_SEGMENTS))
    rows = csv.reader(lines, delimiter=cells.delimiter)
    if not cells.are_quoted:
        rows = csv.reader(lines, delimiter=cells.delimiter, quoting=csv.QUOTE_NONE)
    try:
        expected = len(next(rows))
        line = 2
        for row in rows:
            if row and len(row) != expected:
                return limits.RejectedError(
                    f"{file.name}: line {line:,} has {report.count_things(len(row), 'cell')}, and"
                    f" line 1 has {expected:,}."
                )
            line = rows.line_num + 1
    except csv.Error:
        pass  # a cell that is too long for Python's reader
    return limits.RejectedError(f"{file.name}: lines differ in their numbers of cells.")


def _read_json_lines(file: Path) -> Iterator[dict[str, Cell]]:
    keys: set[str] = set()
    for number, line in enumerate(_decode_lines(file), 1):
        row = _read_json_line(file, number, line)
        keys = keys or set(row)
        if row.keys() != keys:
            raise limits.RejectedError(f"{file.name}, line {number:,} has other keys than line 1.")
        yield row


def _read_json_line(file: Path, number: int, line: str) -> dict[str, Cell]:
    where = f"{file.name}, line {number:,}"
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise limits.RejectedError(
            f"{where} is not JSON ({error.msg}). Write one object per line."
        ) from None
    except (ValueError, RecursionError):
        # An integer of thousands of digits, or a thousand brackets.
        raise limits.RejectedError(
            f"{where} has a number that is too large, or is nested too deeply."
        ) from None
    if not isinstance(row, dict) or not row:
        raise limits.RejectedError(f'{where}: expected an object such as {{"prediction": "…"}}.')
    if len(row) > limits.MAX_COLUMNS:
        raise limits.RejectedError(f"{where} has more than {limits.MAX_COLUMNS} keys.")
    return row
