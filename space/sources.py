"""The texts of the demo: uploaded files, pasted text, an example corpus, and example sentences.

Files are checked before they are parsed, so that a small file cannot cost more than a large one.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr
import pyarrow as pa
import pyarrow.csv
from gradio.blocks import Block

from . import limits
from .html import add_html, count_things, list_files, message

# A cell of a table: a text, None, or whatever else JSON has, which the metric rejects.
Cell = Any
# The value of a field for files or columns.
Names = str | list[str] | None

FROM_FILES = "Files"
FROM_TEXT = "Pasted text"

_HINTS = {
    "systems": (
        "One file per system: text with one segment per line, CSV, TSV or JSONL, in UTF-8, up to"
        f" {limits.MAX_FILE_MEGABYTES} MB. Or a table with all: a column per system, references,"
        " domains, documents."
    ),
    "references": (
        "The same segments in the same order. Upload several files or columns for several"
        " references."
    ),
}

# What columns of tables are for, by the words in their names; what is preselected can be changed.
_WORDS = {
    "references": "reference references ref refs gold target targets tgt",
    "labels": "domain group lp langpair languagepair label",
    "documents": "doc docid document documentid",
    "systems": "prediction predictions hypothesis hypotheses hyp translation output candidate mt",
    "others": "source src input id seg segid segment segmentid line key lang language",
}
_KINDS = {kind: {*words.split()} for kind, words in _WORDS.items()}
_NO_GROUPS = "no groups"
_NO_DOCUMENTS = "no documents"

_FORMATS = "text, CSV, TSV or JSONL"
_UPLOAD_LESS = "Upload a part of it, or use the metric in Python (see About)."
_BINARY = {  # by the first bytes of a file
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "an Excel or ZIP file",
    b"\x1f\x8b": "a gzip file",
    b"%PDF-": "a PDF",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PIECE = 1 << 20  # bytes read at once, so that other requests are not kept waiting
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_JSON_LINES = (".jsonl", ".ndjson")
_NAME_CHARACTERS = 60  # of a column or label, in messages and tables
_EXAMPLE_REFERENCES = 2  # the first columns of the example corpus


class Example(NamedTuple):
    """One or two candidates for the same references, and how they are scored."""

    candidate: str
    second: str  # may be empty
    references: str  # one per line
    convention: str
    options: dict[str, bool]  # changes to the convention

    @property
    def texts(self) -> tuple[str, str, str]:
        """Return the values of the text fields."""
        return self.candidate, self.second, self.references


_REFERENCES = (
    "It is a guide to action that ensures that the military will forever heed Party commands\n"
    "It is the guiding principle which guarantees the military forces always being under the"
    " command of the Party\n"
    "It is the practical guide for the army always to heed the directions of the party"
)

_FIRST = (
    "It is a guide to action which ensures that the military always obeys the commands of the party"
)
_SECOND = "It is to insure the troops forever hearing the activity guidebook that party direct"
_SHUFFLED = (
    "the that military a is It guide ensures which to commands the of action obeys always party the"
)

EXAMPLES = {
    # The demo opens with the first example. sacreBLEU's score of it equals the paper's.
    "Papineni, example 1": Example(_FIRST, "", _REFERENCES, "default", {}),
    "two candidates": Example(_FIRST, _SECOND, _REFERENCES, "default", {}),
    "the same words, shuffled": Example(
        _SHUFFLED, _FIRST, _REFERENCES, "nltk", {"lowercase": True}
    ),
    "the the the the": Example(
        # Papineni's example 2 without its full stops, for a precision of 2/7 as in the paper.
        "the the the the the the the",
        "",
        "The cat is on the mat\nThere is a cat on the mat",
        "papineni",
        {"lowercase": True},
    ),
    "too short": Example(
        "The cat is on", "", "The cat is on the mat and looks at the dog", "default", {}
    ),
    "a short sentence": Example("the cat", "", "the cat", "default", {}),
    "日本語": Example(
        "猫がマットの上に座っています。", "", "猫はマットの上に座っています。", "default", {}
    ),
    "العربية": Example("جلست القطة على السجادة .", "", "جلست القطة فوق السجادة .", "default", {}),
}

EXAMPLE_NOTE = (
    "This is an example: 40 segments written for this demo, with two references, and three"
    " systems: atlas translates freely and well, birch word by word, cedar in a hurry. Your own"
    " files replace it."
)


class Submission(NamedTuple):
    """The predictions of each system by its name, and what belongs to each segment."""

    systems: dict[str, list[str]]
    references: list[list[Cell]]
    labels: list[str] | None = None
    documents: list[str] | None = None


class Description(NamedTuple):
    """An uploaded file.

    columns: their names; none if the file is plain text.
    segments: the number of segments.
    texts: the columns that have text.
    """

    file: Path
    columns: list[str]
    segments: int
    texts: Sequence[str] = ()


class ChosenColumns(NamedTuple):
    """An uploaded file, and the chosen ones of its columns; none if the file is plain text."""

    upload: Description
    names: list[str]

    def width(self) -> int:
        """Return the number of columns, where plain text is one column."""
        return len(self.names) or 1


class Sources(NamedTuple):
    """The fields for the texts."""

    origin: gr.Radio
    systems: gr.File
    system_columns: gr.Dropdown
    references: gr.File
    reference_columns: gr.Dropdown
    pasted_system: gr.Textbox
    pasted_second_system: gr.Textbox
    pasted_references: gr.Textbox
    labels: gr.Dropdown
    documents: gr.Dropdown


class _Entered(NamedTuple):
    """The values of the fields of `Sources`, in the same order."""

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


class _RoleFields(NamedTuple):
    """The fields for the files of a role, which is "systems" or "references"."""

    file: gr.File
    note: gr.HTML
    columns: gr.Dropdown


class _UploadFields(NamedTuple):
    """The fields that depend on the uploaded files."""

    described: gr.State  # the paths of each role whose columns are preselected
    roles: dict[str, _RoleFields]
    labels: gr.Dropdown
    documents: gr.Dropdown

    def outputs(self) -> list[Block]:
        """Return the components that `_show_uploads` updates."""
        outputs: list[Block] = [self.described]
        for role in self.roles.values():
            outputs += [role.note, role.columns]
        return [*outputs, self.labels, self.documents]


def add_sources() -> Sources:
    """Add the fields to the demo; only the fields of the chosen origin are visible."""
    origin = gr.Radio([FROM_FILES, FROM_TEXT], value=FROM_FILES, label="Texts", elem_id="origin")
    # 1. Files, and what their columns are for.
    with gr.Row(elem_id="files") as uploaded:
        roles = {role: _add_role(role) for role in _HINTS}
    with gr.Row():
        labels = _add_column("Score per group of this column", "systems-labels", _NO_GROUPS)
        documents = _add_column(
            "Documents of this column, for intervals and tests", "documents", _NO_DOCUMENTS
        )
    described = gr.State({}, time_to_live=limits.SECONDS_KEPT)
    fields = _UploadFields(described, roles, labels, documents)
    # 2. One event for all files: of two, the answer to the older one may come last.
    files = [role.file for role in roles.values()]
    changes = []
    for file in files:
        changes += [file.upload, file.clear, file.delete]
    show_uploads = partial(_show_uploads, fields)
    gr.on(changes, show_uploads, [described, *files], fields.outputs(), **limits.QUIET)
    # 3. Pasted text.
    with gr.Row(visible=False, elem_id="pasted") as pasted:
        pasted_system = _add_text("System, one segment per line", "system-text")
        pasted_second_system = _add_text("Second system, optional", "second-system-text")
        pasted_references = _add_text("References, tabs between several", "references-text")

    def show_group(chosen: str) -> dict[Block, object]:
        return {
            uploaded: gr.update(visible=chosen == FROM_FILES),
            pasted: gr.update(visible=chosen == FROM_TEXT),
        }

    origin.change(show_group, origin, [uploaded, pasted], **limits.QUIET)
    return Sources(
        origin=origin,
        systems=roles["systems"].file,
        system_columns=roles["systems"].columns,
        references=roles["references"].file,
        reference_columns=roles["references"].columns,
        pasted_system=pasted_system,
        pasted_second_system=pasted_second_system,
        pasted_references=pasted_references,
        labels=labels,
        documents=documents,
    )


def _add_role(role: str) -> _RoleFields:
    with gr.Column(min_width=260):
        file = gr.File(
            label=role.capitalize(), file_count="multiple", height=120, elem_id=f"{role}-file"
        )
        note = add_html(message(_HINTS[role], "note"), elem_id=f"{role}-note")
        columns = gr.Dropdown(
            [],
            label="Columns",
            multiselect=True,
            elem_id=f"{role}-columns",
            allow_custom_value=True,
            visible=False,
        )
    return _RoleFields(file, note, columns)


def _add_column(label: str, elem_id: str, value: str) -> gr.Dropdown:
    """Add the choice of a column, which is hidden as long as no table is uploaded."""
    return gr.Dropdown(
        [], label=label, elem_id=elem_id, value=value, allow_custom_value=True, visible=False
    )


def _add_text(label: str, elem_id: str) -> gr.Textbox:
    return gr.Textbox(label=label, lines=5, max_lines=8, min_width=260, elem_id=elem_id)


def _show_uploads(
    fields: _UploadFields, before: Mapping[str, list[str]] | None, *uploads: Names
) -> dict[Block, object]:
    """Show how the files were read, and preselect columns.

    `before` has the paths of each role at the last event, `uploads` those of now. A role whose
    files have not changed keeps its columns.
    """
    paths = {role: _as_list(values) for role, values in zip(fields.roles, uploads)}
    described: dict[str, list[Description]] = {}
    update: dict[Block, object] = {fields.described: paths}
    # 1. Read the files, and say how, or what is wrong with them.
    for role, own_paths in paths.items():
        described[role] = []
        try:
            check_files(own_paths)
            described[role] = [describe_file(path) for path in own_paths]
            note = list_files([_describe_reading(upload) for upload in described[role]])
        except limits.RejectedError as error:
            note = message(str(error))
        update[fields.roles[role].note] = note or message(_HINTS[role], "note")
    # 2. Preselect the columns of each role.
    all_uploads = [*described["systems"], *described["references"]]
    for role, own_uploads in described.items():
        is_unchanged = before is not None and before.get(role) == paths[role]
        if not own_uploads or not is_unchanged:
            update[fields.roles[role].columns] = _choose_role(role, own_uploads, all_uploads)
    # 3. Preselect the columns of groups and documents.
    tables = [upload for upload in all_uploads if upload.columns]
    update[fields.labels] = _choose_column("labels", tables, _NO_GROUPS)
    update[fields.documents] = _choose_column("documents", tables, _NO_DOCUMENTS)
    return update


def _describe_reading(upload: Description) -> tuple[str, str]:
    """Return the name of a file, and how it was read."""
    read = "one per line"
    if upload.columns:
        read = f"columns: {', '.join(upload.columns)}"
    return upload.file.name, f"{count_things(upload.segments, 'segment')}, {read}"


def _choose_role(
    role: str, own_uploads: Sequence[Description], all_uploads: Sequence[Description]
) -> dict[str, object]:
    """Return the update of the choice of a role's columns, with the likely ones preselected."""
    shared = _share_tables(own_uploads, all_uploads)
    tables = [upload for upload in shared if upload.columns]
    likely = _guess(tables, role)
    if own_uploads and tables and not likely:
        # No name tells: take the first column for systems, the last for references.
        first_table = tables[0]
        likely = [first_table.columns[0] if role == "systems" else first_table.columns[-1]]
    return gr.update(choices=_list_columns(tables), value=likely or None, visible=bool(tables))


def _choose_column(kind: str, tables: Sequence[Description], none: str) -> dict[str, object]:
    """Return the update of the choice of one column; `none` is the choice of no column."""
    columns = _list_columns(tables)
    likely = _guess(tables, kind)
    value = likely[0] if likely else none
    return gr.update(choices=[none, *columns], value=value, visible=bool(columns))


def _list_columns(tables: Sequence[Description]) -> list[str]:
    """Return the different columns of all tables."""
    return list(dict.fromkeys(chain.from_iterable(table.columns for table in tables)))


def _guess(tables: Sequence[Description], kind: str) -> list[str]:
    """Return the different columns of all tables that are likely of a kind."""
    return list(dict.fromkeys(chain.from_iterable(guess_columns(table)[kind] for table in tables)))


def guess_columns(table: Description) -> dict[str, list[str]]:
    """Guess what the columns of a table are for; all other texts are systems.

    >>> names = ["domain", "doc", "src", "ref A", "Online-B", "score"]
    >>> guess_columns(Description(Path("a.tsv"), names, 9, names[:-1]))
    {'references': ['ref A'], 'labels': ['domain'], 'documents': ['doc'], 'systems': ['Online-B']}
    """
    words = {name: re.findall("[a-z]+", name.lower()) for name in table.columns}
    joined = {name: "".join(words[name]) for name in words}
    # 1. References. Without any, a "label" is a reference, and not the name of a group.
    references = [name for name in words if _KINDS["references"] & set(words[name])]
    if not references:
        references = [name for name in words if joined[name] in ("label", "labels")]
    # 2. Groups, documents, and columns that are not used.
    labels = [name for name in words if joined[name] in _KINDS["labels"] and name not in references]
    documents = [name for name in words if joined[name] in _KINDS["documents"]]
    others = [name for name in words if joined[name] in _KINDS["others"]]
    # 3. Systems: columns that are named so, or else all texts that are left.
    used = {*references, *labels, *documents, *others}
    texts = [name for name in table.texts if name not in used]
    systems = [name for name in texts if joined[name] in _KINDS["systems"]] or texts
    return {"references": references, "labels": labels, "documents": documents, "systems": systems}


def _share_tables(
    own_uploads: Sequence[Description], all_uploads: Sequence[Description]
) -> list[Description]:
    """Return the files of a role: its own, or else all tables, which may have both roles."""
    if own_uploads:
        return list(own_uploads)
    return [upload for upload in all_uploads if upload.columns]


def _as_list(value: Names) -> list[str]:
    """Return the value of a field as a list."""
    if isinstance(value, list):
        return list(value)
    return [value] if value else []


def read_submission(values: Sequence[Any]) -> Submission:
    """Read a submission from the values of the fields of `Sources`.

    Raises RejectedError if texts are missing or too many.

    >>> pasted = ["a b\\nc", "", "a b\\ta c\\nd"]
    >>> read_submission([FROM_TEXT, None, None, None, None, *pasted, None, None]).references
    [['a b', 'a c'], ['d']]
    """
    if is_example(values):
        return read_example()
    entered = _Entered._make(values)
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
    system_paths = _as_list(entered.systems)
    reference_paths = _as_list(entered.references)
    check_files([*system_paths, *reference_paths])
    systems = _describe_files("systems", system_paths)
    references = _describe_files("references", reference_paths)
    uploads = [*systems, *references]
    # 2. Choose columns, and count the texts in them.
    system_columns = _choose_columns(
        "systems", _share_tables(systems, uploads), entered.system_columns
    )
    reference_columns = _choose_columns(
        "references", _share_tables(references, uploads), entered.reference_columns
    )
    texts = 0
    for chosen in (*system_columns, *reference_columns):
        texts += chosen.width() * chosen.upload.segments
    _check_texts(texts)
    # 3. Read.
    return Submission(
        systems=_read_systems(system_columns),
        references=_join_references(reference_columns),
        labels=_read_labels(uploads, entered.labels),
        documents=_read_documents(uploads, entered.documents),
    )


def _check_submission(submission: Submission) -> None:
    """Reject texts that are missing, too many, or of different numbers of segments."""
    systems, references, labels, documents = submission
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


def is_example(values: Sequence[Any]) -> bool:
    """Return whether the fields of `Sources` have no files yet, so that the example is scored."""
    entered = _Entered._make(values)
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


def _check_lengths(name: str, cells: Sequence[object], references: Sequence[object]) -> None:
    """Reject a column whose number of segments is not that of the references."""
    if len(cells) != len(references):
        raise limits.RejectedError(
            f"{name} has {count_things(len(cells), 'segment')}, and there are references for"
            f" {len(references):,}. They must correspond line by line; an empty line is a segment."
        )


def _read_systems(uploads: Sequence[ChosenColumns]) -> dict[str, list[str]]:
    """Return the systems, named after the file, or after the column if a table has several."""
    systems: dict[str, list[str]] = {}
    for upload, names in uploads:
        for column, cells in _read_columns(upload, names).items():
            _check_complete(upload.file.name, cells)
            name = column if len(names) > 1 else upload.file.stem
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
            f"The column {_quote(column)} has {count:,} different labels; the limit is"
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
    if column in (None, "", _NO_GROUPS, _NO_DOCUMENTS):
        return None
    if not isinstance(column, str):
        raise limits.RejectedError(f"Choose one column of {kind}.")
    for table in tables:
        if column in table.columns:
            return _read_columns(table, [column])[column]
    raise limits.RejectedError(f"None of the files has a column {_quote(column)}.")


def _quote(column: Names) -> str:
    """Return the beginning of a column's name in Python's notation."""
    return repr(str(column)[:_NAME_CHARACTERS])


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
                    f"{upload.file.name} has {count_things(len(column), 'segment')}, and the"
                    f" references before it {len(rows):,}. The files must correspond line by line."
                )
            for row, cell in zip(rows, column):
                if isinstance(cell, list):
                    row.extend(cell)
                else:
                    row.append(cell)
    return rows or []


def check_files(paths: Sequence[str]) -> None:
    """Reject files that are too large together, without reading them."""
    size = sum(os.path.getsize(path) for path in paths if os.path.exists(path))
    if size > limits.MAX_FILE_MEGABYTES * 1_000_000:
        raise limits.RejectedError(
            f"The files have {size / 1_000_000:,.0f} MB together; the limit is"
            f" {limits.MAX_FILE_MEGABYTES}. {_UPLOAD_LESS}"
        )


def _find_limit(role: str) -> int:
    """Return the largest number of files or columns of a role."""
    return limits.MAX_SYSTEMS if role == "systems" else limits.MAX_REFERENCES


def _describe_files(role: str, paths: Sequence[str]) -> list[Description]:
    """Describe the files of a role, or reject them if they are too many."""
    limit = _find_limit(role)
    if len(paths) > limit:
        raise limits.RejectedError(f"There are {len(paths)} files of {role}; the limit is {limit}.")
    return [describe_file(path) for path in paths]


def _choose_columns(
    role: str, uploads: Sequence[Description], columns: Names
) -> list[ChosenColumns]:
    """Return each file with those of the chosen columns that it has, or reject the choice."""
    wanted = _as_list(columns)
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
            choices = ", ".join(_shorten(name) for name in upload.columns)
            raise limits.RejectedError(f"{upload.file.name}: choose a column among {choices}.")
    return chosen


def _shorten(name: str) -> str:
    if len(name) <= _NAME_CHARACTERS:
        return name
    return f"{name[: _NAME_CHARACTERS - 1]}…"


def _check_texts(count: int) -> None:
    """Reject a result that is made from too many texts."""
    if count > limits.MAX_TEXTS:
        raise limits.RejectedError(
            f"The files have {count:,} texts; the limit is {limits.MAX_TEXTS:,}. {_UPLOAD_LESS}"
        )


def describe_file(path: str) -> Description:
    """Describe an uploaded file, or raise what is wrong with it.

    The format is CSV, TSV or JSONL by the suffix, otherwise text.
    """
    file = _check_file(path)
    suffix = file.suffix.lower()
    if delimiter := _DELIMITERS.get(suffix):
        return _describe_delimited(file, delimiter)
    if suffix in _JSON_LINES:
        return _describe_json_lines(file)
    return Description(file, [], _check_text(file))


def _describe_json_lines(file: Path) -> Description:
    _check_text(file, signs=(b",", b"[", b"{"))
    segments = 0
    first_row: dict[str, Cell] = {}
    for row in _read_json_lines(file):
        first_row = first_row or row
        segments += 1
    texts = [name for name, cell in first_row.items() if isinstance(cell, str)]
    return Description(file, list(first_row), segments, texts)


def _read_columns(upload: Description, names: Sequence[str]) -> dict[str, list[Cell]]:
    """Read the lines of a text, by the file's name, or the named columns of a table."""
    file = upload.file
    if not upload.columns:
        return {file.stem: list(_decode_lines(file))}
    if delimiter := _DELIMITERS.get(file.suffix.lower()):
        return _read_delimited(file, names, delimiter)
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


def _read_pieces(file: Path) -> Iterator[bytes]:
    with open(file, "rb") as opened:
        yield from iter(lambda: opened.read(_PIECE), b"")


def _check_beginning(name: str, data: bytes) -> None:
    """Reject binary files and UTF-16 by their first bytes."""
    for start, kind in _BINARY.items():
        if data.startswith(start):
            raise limits.RejectedError(f"{name} is {kind}. Export it as {_FORMATS}.")
    if data.startswith(_UTF16):
        raise limits.RejectedError(f"{name} is in UTF-16. Save it as UTF-8.")


def _decode_lines(file: Path) -> Iterator[str]:
    with open(file, encoding="utf-8-sig", newline="\n") as opened:
        for line in opened:
            yield line.removesuffix("\n").removesuffix("\r")


def _describe_delimited(file: Path, delimiter: str) -> Description:
    # A cell of a CSV file may have several lines.
    _check_text(file, 4 * limits.MAX_SEGMENTS, signs=(delimiter.encode(),))
    head = next(_decode_lines(file))
    if delimiter == "," and delimiter not in head and ";" in head:
        raise limits.RejectedError(
            f"{file.name}: semicolons separate the cells. Save it with commas, or as TSV."
        )
    if head.count(delimiter) >= limits.MAX_COLUMNS:
        raise limits.RejectedError(
            f"{file.name} has more than {limits.MAX_COLUMNS} columns. Leave out those that are not"
            " needed."
        )
    try:
        schema = pyarrow.csv.open_csv(file, parse_options=_parsing(delimiter)).schema
    except pa.ArrowInvalid:
        raise _find_odd_line(file, delimiter) from None
    names = schema.names
    if len(set(names)) < len(names):
        raise limits.RejectedError(
            f"{file.name} has two columns with the same name. Rename one of them."
        )
    # All cells are parsed, so that an odd line is found now and not when the visitor scores.
    first_name = names[0]
    first_column = _read_delimited(file, [first_name], delimiter)[first_name]
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    return Description(file, names, len(first_column), texts)


def _read_delimited(file: Path, columns: Sequence[str], delimiter: str) -> dict[str, list[Cell]]:
    try:
        parsing = _parsing(delimiter)
        names = pyarrow.csv.open_csv(file, parse_options=parsing).schema.names
        # In a single column, an empty line is an empty segment.
        parsing.ignore_empty_lines = len(names) > 1
        conversion = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), include_columns=list(columns)
        )
        table = pyarrow.csv.read_csv(file, parse_options=parsing, convert_options=conversion)
    except pa.ArrowInvalid:
        raise _find_odd_line(file, delimiter) from None
    if len(table) > limits.MAX_SEGMENTS:
        raise limits.RejectedError(
            f"{file.name} has {len(table):,} rows; the limit is {limits.MAX_SEGMENTS:,}. Upload a"
            " part of it."
        )
    return {name: table[name].to_pylist() for name in columns}


def _parsing(delimiter: str) -> pyarrow.csv.ParseOptions:
    if delimiter == "\t":  # quotation marks are text in TSV, as for `cut` and in the files of WMT
        return pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    return pyarrow.csv.ParseOptions(delimiter=",", newlines_in_values=True)


def _find_odd_line(file: Path, delimiter: str) -> limits.RejectedError:
    """Return the error for a table that cannot be parsed, with the first line that differs.

    Lines with quotation marks may have delimiters in their cells, and are left out.
    """
    lines = islice(_decode_lines(file), limits.MAX_SEGMENTS)
    expected = next(lines).count(delimiter)
    for number, line in enumerate(lines, 2):
        if line.count(delimiter) != expected and '"' not in line:
            return limits.RejectedError(
                f"{file.name}: line {number:,} has a different number of columns than line 1."
            )
    return limits.RejectedError(f"{file.name}: lines differ in their columns.")


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
