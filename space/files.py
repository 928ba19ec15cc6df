"""Texts of the demo, read from uploaded files, pasted text or the example corpus."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from . import limits
from .forms import (
    UPLOAD_LESS,
    Cell,
    DamagedError,
    Reading,
    Table,
    is_packed,
    read_pieces,
    read_table,
    read_text,
)
from .metric import core
from .roles import ROLES, Missing, Upload, assign_roles, check_roles, rename

# The choices of where the texts come from.
FROM_FILES = "Files"
FROM_TEXT = "Pasted text"

# What a visitor may do with systems of another length.
CUT = "cut"
PAD = "pad"

_NAME_CHARACTERS = 60  # of a label
_EXAMPLE_REFERENCES = 2  # the first columns of the example corpus


class Submission(NamedTuple):
    """The predictions of each system by its name, and what belongs to each segment."""

    systems: dict[str, list[str]]
    references: list[list[Cell]]
    labels: list[str] | None = None
    documents: list[str] | None = None
    remarks: Sequence[str] = ()  # what was done to the rows
    reference_names: Sequence[str] = ()  # of the files or columns that have them

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


class MissingError(limits.RejectedError):
    """What has to be told or added before texts can be scored."""


class UnequalError(limits.RejectedError):
    """Systems and references that have different numbers of lines.

    lines: the smallest and the largest number.
    can_pad: True if it is systems that are too short.
    """

    def __init__(self, message: str, lines: Sequence[int], can_pad: bool) -> None:
        super().__init__(message)
        self.lines = sorted(lines)
        self.can_pad = can_pad


class Chosen(NamedTuple):
    """What a visitor has chosen about uploads.

    roles: of columns, by path in the list and column.
    readings: how files are read, by path in the list and field of `Reading`.
    lengths: what to do with unequal numbers of lines, `CUT` or `PAD` as "how", and for which
        numbers, the smallest and the largest, as "lines".
    """

    roles: Mapping[str, Mapping[str, str]] = {}
    readings: Mapping[str, Mapping[str, str]] = {}
    lengths: Mapping[str, Any] = {}


class _Entered(NamedTuple):
    """The values of the fields of `sources.Sources`, in the same order."""

    origin: str | None
    files: str | list[str] | None
    chosen: Mapping[str, Any] | None
    pasted_system: str
    pasted_second_system: str
    pasted_references: str
    joins_runs: bool = False

    def list_paths(self) -> list[str]:
        """Return the paths of the files."""
        if isinstance(self.files, list):
            return list(self.files)
        return [self.files] if self.files else []


class Files(NamedTuple):
    """Uploaded files that could be read, what is missing, and what is wrong with the others."""

    uploads: Sequence[Upload]
    missing: Missing
    problems: Mapping[str, str]  # by the path in the list


def list_uploads(paths: Sequence[str]) -> dict[str, str]:
    """Return the path of each upload by its path in the list, which is unique.

    Gradio stores files that have the same name and the same content at one path. A file that is
    added twice is two texts: a system and its reference, to see 100.

    >>> list_uploads(["/x/a.txt", "/x/b.txt", "/x/a.txt"])
    {'/x/a.txt': '/x/a.txt', '/x/b.txt': '/x/b.txt', '2//x/a.txt': '/x/a.txt'}
    """
    uploads: dict[str, str] = {}
    for place, path in enumerate(paths):
        before = paths[:place].count(path)
        uploads[f"{before + 1}/{path}" if before else path] = path
    return uploads


def read_files(paths: Sequence[str], chosen: Chosen = Chosen()) -> Files:  # noqa: B008 immutable
    """Read files, and find out what their columns are for."""
    check_files(paths)
    tables: dict[str, Table] = {}
    problems: dict[str, str] = {}
    for listed, path in list_uploads(paths).items():
        fields = chosen.readings.get(listed, {})
        reading = Reading(**{name: fields.get(name, "") for name in Reading._fields})
        try:
            tables[listed] = read_table(path, reading)
        except limits.RejectedError as error:
            problems[listed] = str(error)
    uploads, missing = assign_roles(tables, chosen.roles)
    return Files(uploads, missing, problems)


def read_submission(values: Sequence[Any]) -> Submission:
    """Read a submission from the values of the fields of `sources.Sources`.

    Raises RejectedError if texts are missing or too many.

    >>> read_submission([FROM_TEXT, None, None, "a b\\nc", "", "a b\\ta c\\nd"]).references
    [['a b', 'a c'], ['d']]
    """
    if is_example(values):
        return read_example()
    entered = _Entered(*values)
    chosen = read_chosen(entered.chosen)
    if entered.origin == FROM_TEXT:
        read = _read_pasted(entered)
    else:
        read = _read_uploads(entered.list_paths(), chosen)
    for role, columns in (("systems", read.systems), ("references", read.references)):
        if not columns:
            raise MissingError(f"The {role} are missing. Upload or paste some.")
    equal, remarks = _make_equal(read, chosen.lengths)
    submission = Submission(
        dict(equal.systems),
        _join_references(equal.references),
        labels=_read_labels(equal.others.get("labels")),
        documents=_read_documents(equal.others.get("documents")),
        remarks=[*equal.remarks, *remarks],
        reference_names=list(equal.references),
    )
    _check_submission(submission)
    return submission


def read_chosen(value: Mapping[str, Any] | None) -> Chosen:
    """Return what was chosen, from the value of its field."""
    return Chosen(**{name: value[name] for name in Chosen._fields if value and name in value})


class _Read(NamedTuple):
    """Columns of texts, and of labels and documents by their kind, if there are some."""

    systems: Mapping[str, list[Cell]]
    references: Mapping[str, list[Cell]]
    others: Mapping[str, list[Cell]]
    remarks: Sequence[str] = ()


def _read_pasted(entered: _Entered) -> _Read:
    pasted = {"System": entered.pasted_system, "Second system": entered.pasted_second_system}
    systems = {
        name: columns[0] for name, text in pasted.items() if (columns := read_text(text, "systems"))
    }
    references: dict[str, list[Cell]] = {}
    for cells in read_text(entered.pasted_references, "references"):
        references[rename("References", references)] = [cell.split("\t") for cell in cells]
    return _Read(systems, references, {})


def _read_uploads(paths: Sequence[str], chosen: Chosen) -> _Read:
    """Read the uploaded files, which are checked and counted before."""
    # 1. Read the files.
    uploads, missing, problems = read_files(paths, chosen)
    for path in problems:
        raise limits.RejectedError(
            f"{Path(path).name} can’t be read: see the line of the file. Remove it, or upload"
            " another."
        )
    for upload in uploads:
        if not all(choice.value for choice in upload.table.choices):
            raise limits.RejectedError(
                f"Line 1 of {upload.name} looks like the lines below it. Choose beside its"
                " name if it has names of columns or texts."
            )
    check_roles(uploads)
    if missing.role:
        raise MissingError(missing.ask())
    used = [upload for upload in uploads if any(column.role for column in upload.columns)]
    texts = sum(
        upload.rows * len([*upload.select("systems"), *upload.select("references")])
        for upload in used
    )
    if texts > limits.MAX_TEXTS:
        raise limits.RejectedError(
            f"The files have {texts:,} texts; the limit is {limits.MAX_TEXTS:,}. {UPLOAD_LESS}"
        )
    # 2. Put their rows in the same order, if all have ids.
    rows_of, remarks = _join_by_ids(used)
    cells_of: dict[str, dict[str, list[Cell]]] = {role: {} for role in ROLES if role}
    for upload in used:
        rows = rows_of.get(upload.path)
        for column in [each for each in upload.columns if each.role]:
            cells = upload.table.columns[column.key]
            own = cells_of[column.role]
            ordered = cells if rows is None else [cells[row] for row in rows]
            # A reference that several files have counts once.
            if column.role != "references" or ordered not in own.values():
                own[rename(column.name, own)] = ordered
    _check_texts(cells_of["systems"])
    others = {kind: cells for kind in ("labels", "documents") for cells in cells_of[kind].values()}
    return _Read(cells_of["systems"], cells_of["references"], others, remarks)


def _make_equal(read: _Read, chosen: Mapping[str, Any]) -> tuple[_Read, list[str]]:
    """Make all columns of the same length as the visitor has chosen for these lengths."""
    texts = [*read.systems.values(), *read.references.values()]
    lengths = sorted(map(len, texts))
    shortest, longest = lengths[0], lengths[-1]
    if shortest == longest or chosen.get("lines") != [shortest, longest]:
        return read, []
    if chosen.get("how") == CUT:
        parts = [
            {name: cells[:shortest] for name, cells in columns.items()}
            for columns in (read.systems, read.references, read.others)
        ]
        remark = f"only the first {shortest:,} of {longest:,} lines"
        return read._replace(systems=parts[0], references=parts[1], others=parts[2]), [remark]
    missing = {name: longest - len(cells) for name, cells in read.systems.items()}
    systems = {name: cells + [""] * missing[name] for name, cells in read.systems.items()}
    remarks = [
        f"{name}: {core.count_things(count, 'missing line')} counted as empty"
        for name, count in missing.items()
        if count
    ]
    return read._replace(systems=systems), remarks


def _join_by_ids(uploads: Sequence[Upload]) -> tuple[dict[str, list[int]], list[str]]:
    """Return the rows of each file by its path, if ids tell another order, and a remark.

    Rows whose id is not in all files are left out.
    """
    ids_of = {upload.path: upload.find_ids() for upload in uploads}
    first = next(ids_of[upload.path] for upload in uploads if upload.select("references"))
    have_ids = None not in ids_of.values()
    if first is None or not have_ids or all(ids == first for ids in ids_of.values()):
        return {}, []
    places = {
        path: {name: row for row, name in enumerate(ids or ())} for path, ids in ids_of.items()
    }
    kept = [name for name in first if all(name in place for place in places.values())]
    if not kept:
        return {}, []
    remark = "lines joined by their ids"
    if len(kept) < len(first):
        remark += f", {len(kept):,} of {len(first):,} are in all files"
    return {path: [place[name] for name in kept] for path, place in places.items()}, [remark]


def _check_submission(submission: Submission) -> None:
    """Reject texts that are empty, or of different numbers of segments."""
    systems = submission.systems
    references = submission.references
    columns: dict[str, Sequence[object] | None] = {
        **systems,
        "The column of labels": submission.labels,
        "The column of documents": submission.documents,
    }
    lengths = [*map(len, systems.values()), len(references)]
    can_pad = max(lengths) == len(references)
    for name, cells in columns.items():
        if cells is not None:
            _check_lengths(name, cells, references, (min(lengths), max(lengths)), can_pad)
    for name, texts in systems.items():
        if not any(text.strip() for text in texts):
            raise limits.RejectedError(f"“{name}” has no text: all its lines are empty.")
    if not any(text and text.strip() for row in references for text in row):
        raise limits.RejectedError("The references have no text: all lines are empty.")


def is_example(values: Sequence[Any]) -> bool:
    """Return whether no files are uploaded, so that the example is scored."""
    entered = _Entered(*values)
    return entered.origin == FROM_FILES and not entered.files


def read_example() -> Submission:
    """Read the example corpus.

    >>> example = read_example()
    >>> list(example.systems), len(example.references)
    (['atlas', 'birch', 'cedar'], 40)
    """
    text = Path(__file__).with_name("example.tsv").read_text(encoding="utf-8")
    head, *rows = [line.split("\t") for line in text.splitlines()]
    systems = {
        name: [row[column] for row in rows]
        for column, name in enumerate(head)
        if column >= _EXAMPLE_REFERENCES
    }
    return Submission(systems, [row[:_EXAMPLE_REFERENCES] for row in rows])


def _check_lengths(
    name: str,
    cells: Sequence[object],
    references: Sequence[Sequence[object]],
    lines: Sequence[int],
    can_pad: bool,
) -> None:
    """Reject a column whose number of segments is not that of the references."""
    if len(cells) != len(references):
        raise UnequalError(
            f"{name} has {core.count_things(len(cells), 'line')}, and there are references for"
            f" {len(references):,}. They must"
            " correspond line by line; an empty line counts.",
            lines,
            can_pad,
        )


def _read_labels(cells: Sequence[Cell] | None) -> list[str] | None:
    """Return the labels in a column, None without a column; a missing label is empty."""
    if cells is None:
        return None
    labels = ["" if cell is None else str(cell)[:_NAME_CHARACTERS] for cell in cells]
    count = len(set(labels))
    if count > limits.MAX_GROUPS:
        raise limits.RejectedError(
            f"The column of groups has {count:,} different labels; the limit is"
            f" {limits.MAX_GROUPS}."
        )
    return labels


def _read_documents(cells: Sequence[Cell] | None) -> list[str] | None:
    """Return the documents in a column, None without a column; each segment must have one."""
    if cells is None:
        return None
    for number, cell in enumerate(cells, 1):
        if cell is None:
            raise limits.RejectedError(
                f"Line {number:,} has no document. Give such lines documents of their own."
            )
    return [str(cell) for cell in cells]


def _check_texts(systems: Mapping[str, Sequence[object]]) -> None:
    """Reject a system that lacks a segment."""
    for name, cells in systems.items():
        for number, cell in enumerate(cells, 1):
            if not isinstance(cell, str):
                problem = (
                    f"expected one text, got {len(cell)}. Keep the one that counts."
                    if isinstance(cell, list)
                    else "the text is missing. Write an empty text for an empty line."
                )
                raise limits.RejectedError(f"{name}, line {number:,}: {problem}")


def _join_references(columns: Mapping[str, Sequence[Cell]]) -> list[list[Cell]]:
    """Return the references of each segment, from all columns."""
    first = next(iter(columns.values()))
    rows: list[list[Cell]] = [[] for _ in first]
    for name, cells in columns.items():
        if len(cells) != len(rows):
            raise UnequalError(
                f"{name} has {core.count_things(len(cells), 'line')}, and the references before"
                f" it {len(rows):,}. They must correspond line by"
                " line.",
                [len(column) for column in columns.values()],
                can_pad=False,
            )
        for row, cell in zip(rows, cells):
            row.extend(cell if isinstance(cell, list) else [cell])
    return rows


def check_files(paths: Sequence[str]) -> None:
    """Reject files that are too large together, unpacked, without reading more than the limit."""
    limit = limits.MAX_FILE_MEGABYTES * 1_000_000
    files = [Path(path) for path in paths if os.path.exists(path)]
    size = sum(file.stat().st_size for file in files)
    if size > limit:
        raise limits.RejectedError(
            f"The files have {size / 1_000_000:,.0f} MB together; the limit is"
            f" {limits.MAX_FILE_MEGABYTES}. {UPLOAD_LESS}"
        )
    for file in files:
        if not is_packed(file):
            continue
        size -= file.stat().st_size
        with suppress(DamagedError):  # the line of the file says so
            for piece in read_pieces(file):
                size += len(piece)
                if size > limit:
                    raise limits.RejectedError(
                        f"The files have more than {limits.MAX_FILE_MEGABYTES} MB together."
                        f" {UPLOAD_LESS}"
                    )
