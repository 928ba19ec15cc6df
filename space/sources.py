"""The texts of the demo: uploaded files, pasted text, the example corpus, and the example sentences.

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

from . import limits
from .html import add_html, count_things, list_files, message

FROM_FILES, FROM_TEXT = "Files", "Pasted text"

_HINTS = {
    "systems": "One file per system: text with one segment per line, CSV, TSV or JSONL, in UTF-8, up to"
    f" {limits.MAX_FILE_MEGABYTES} MB. Or a table with all: a column per system, references, domains, documents.",
    "references": "The same segments in the same order. Upload several files or columns for several references.",
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
_HIDDEN: dict[str, Any] = {"choices": [], "allow_custom_value": True, "visible": False}
_NO_GROUPS, _NO_DOCUMENTS = "no groups", "no documents"

_FORMATS = "text, CSV, TSV or JSONL"
_PART = "Upload a part of it, or use the metric in Python (see About)."
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


_REFERENCES = """\
It is a guide to action that ensures that the military will forever heed Party commands
It is the guiding principle which guarantees the military forces always being under the command of the Party
It is the practical guide for the army always to heed the directions of the party"""

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
    "This is an example: 40 segments written for this demo, with two references, and three systems: atlas translates"
    " freely and well, birch word by word, cedar in a hurry. Your own files replace it."
)


class Submission(NamedTuple):
    """The predictions of each system by its name, and of each segment the references, the label and the document."""

    systems: dict[str, list[Any]]
    references: list[list[Any]]
    labels: list[str] | None = None
    documents: list[str] | None = None


class Description(NamedTuple):
    """A file, its columns, none if it is plain text, its number of segments, and those columns that have text."""

    file: Path
    columns: list[str]
    segments: int
    texts: Sequence[str] = ()


class Sources(NamedTuple):
    """The fields for the texts."""

    origin: gr.Radio
    systems: gr.File
    system_columns: gr.Dropdown
    references: gr.File
    reference_columns: gr.Dropdown
    first: gr.Textbox
    second: gr.Textbox
    pasted_references: gr.Textbox
    labels: gr.Dropdown
    documents: gr.Dropdown


def add_sources() -> Sources:
    """Add the fields to the demo; only the fields of the chosen origin are visible."""
    origin = gr.Radio([FROM_FILES, FROM_TEXT], value=FROM_FILES, label="Texts", elem_id="origin")
    fields: dict[str, tuple[gr.File, gr.HTML, gr.Dropdown]] = {}
    with gr.Row(elem_id="files") as uploads:
        for role in _HINTS:
            with gr.Column(min_width=260):
                fields[role] = (
                    gr.File(
                        label=role.capitalize(),
                        file_count="multiple",
                        height=120,
                        elem_id=f"{role}-file",
                    ),
                    add_html(message(_HINTS[role], "note"), elem_id=f"{role}-note"),
                    gr.Dropdown(
                        label="Columns", multiselect=True, elem_id=f"{role}-columns", **_HIDDEN
                    ),
                )
    (systems, _, system_columns), (references, _, reference_columns) = fields.values()
    with gr.Row():
        labels, documents = (
            gr.Dropdown(label=label, elem_id=elem_id, value=none, **_HIDDEN)
            for label, elem_id, none in (
                ("Score per group of this column", "systems-labels", _NO_GROUPS),
                ("Documents of this column, for intervals and tests", "documents", _NO_DOCUMENTS),
            )
        )
    # One event for all files: of two, the answer to the older one may come last.
    changes = [
        change for file, *_ in fields.values() for change in (file.upload, file.clear, file.delete)
    ]
    described = gr.State({}, time_to_live=limits.SECONDS_KEPT)
    outputs = [described, *fields["systems"][1:], *fields["references"][1:], labels, documents]
    show = partial(_show_uploads, described, fields, labels, documents)
    gr.on(changes, show, [described, systems, references], outputs, **limits.QUIET)
    with gr.Row(visible=False, elem_id="pasted") as pasted:
        first, second, pasted_references = (
            gr.Textbox(label=label, lines=5, max_lines=8, min_width=260, elem_id=elem_id)
            for label, elem_id in (
                ("System, one segment per line", "system-text"),
                ("Second system, optional", "second-system-text"),
                ("References, tabs between several", "references-text"),
            )
        )
    groups = {uploads: FROM_FILES, pasted: FROM_TEXT}

    def show_group(chosen: str) -> dict[Any, Any]:
        return {group: gr.update(visible=name == chosen) for group, name in groups.items()}

    origin.change(show_group, origin, [*groups], **limits.QUIET)
    pasted_fields = first, second, pasted_references
    return Sources(
        origin,
        systems,
        system_columns,
        references,
        reference_columns,
        *pasted_fields,
        labels,
        documents,
    )


def _show_uploads(
    described: gr.State,
    fields: Mapping[str, Any],
    labels: Any,
    documents: Any,
    before: Any,
    *uploads: Any,
) -> dict[Any, Any]:
    """Show how the files were read, and preselect columns; a role whose files are those of `before` keeps its own."""
    files = dict(zip(fields, map(_as_list, uploads)))
    found: dict[str, list[Description]] = {role: [] for role in files}
    update: dict[Any, Any] = {described: files}
    for role, paths in files.items():
        _, note, _ = fields[role]
        try:
            check_files(paths)
            found[role] = [describe_file(path) for path in paths]
            columns = [
                f"columns: {', '.join(one.columns)}" if one.columns else "one per line"
                for one in found[role]
            ]
            counts = [count_things(one.segments, "segment") for one in found[role]]
            names = [one.file.name for one in found[role]]
            text = list_files(
                [(name, f"{count}, {read}") for name, count, read in zip(names, counts, columns)]
            )
        except limits.RejectedError as error:
            text = message(str(error))
        update[note] = text or message(_HINTS[role], "note")
    for role, own in found.items():
        if not own or files[role] != (before or {}).get(role):
            tables = [one for one in own or _share_tables(own, *found.values()) if one.columns]
            chosen = [column for table in tables for column in guess_columns(table)[role]]
            if own and tables and not chosen:
                chosen = tables[0].columns[:1] if role == "systems" else tables[0].columns[-1:]
            choices = [*dict.fromkeys(chain.from_iterable(table.columns for table in tables))]
            value = [*dict.fromkeys(chosen)] or None
            update[fields[role][2]] = gr.update(choices=choices, value=value, visible=bool(tables))
    tables = [one for own in found.values() for one in own if one.columns]
    choices = [*dict.fromkeys(chain.from_iterable(table.columns for table in tables))]
    for kind, field, none in (
        ("labels", labels, _NO_GROUPS),
        ("documents", documents, _NO_DOCUMENTS),
    ):
        likely = [column for table in tables for column in guess_columns(table)[kind]]
        update[field] = gr.update(
            choices=[none, *choices], value=[*likely, none][0], visible=bool(choices)
        )
    return update


def guess_columns(table: Description) -> dict[str, list[str]]:
    """Guess the columns of a table that have labels, documents, references and systems: systems are all other texts.

    >>> names = ["domain", "doc", "src", "ref A", "Online-B", "score"]
    >>> guess_columns(Description(Path("a.tsv"), names, 9, names[:-1]))
    {'references': ['ref A'], 'labels': ['domain'], 'documents': ['doc'], 'systems': ['Online-B']}
    """
    words = {name: re.findall("[a-z]+", name.lower()) for name in table.columns}
    joined = {name: "".join(parts) for name, parts in words.items()}
    references = [name for name in words if _KINDS["references"] & {*words[name]}]
    references = references or [name for name in words if joined[name] in ("label", "labels")]
    labels = [name for name in words if joined[name] in _KINDS["labels"] and name not in references]
    documents = [name for name in words if joined[name] in _KINDS["documents"]]
    known = {
        *references,
        *labels,
        *documents,
        *(name for name in words if joined[name] in _KINDS["others"]),
    }
    systems = [name for name in table.texts if name not in known]
    systems = [name for name in systems if joined[name] in _KINDS["systems"]] or systems
    return {"references": references, "labels": labels, "documents": documents, "systems": systems}


def _share_tables(own: Sequence[Description], *uploads: Sequence[Description]) -> list[Description]:
    """Return the files of a role: its own, or else the tables of the other, which may have the columns of both."""
    return [*own] or [one for files in uploads for one in files if one.columns]


def _as_list(value: Any) -> list[str]:
    """Return the value of a field as a list."""
    return list(value) if isinstance(value, list) else [value] if value else []


def read_submission(values: Sequence[Any]) -> Submission:
    """Read a submission from the values of the fields of `Sources`, or raise if texts are missing or too many.

    >>> read_submission([FROM_TEXT, None, None, None, None, "a b\\nc", "", "a b\\ta c\\nd", None, None]).references
    [['a b', 'a c'], ['d']]
    """
    origin, system_files, system_columns, reference_files, reference_columns, *pasted = values
    first, second, pasted_references, *chosen = pasted
    labels: dict[str, list[str] | None] = {}
    if is_example(values):
        return read_example()
    if origin == FROM_TEXT:
        texts = {"System": split_lines(first), "Second system": split_lines(second)}
        systems = {name: lines for name, lines in texts.items() if lines}
        references = [line.split("\t") for line in split_lines(pasted_references)]
    else:
        paths = {"systems": _as_list(system_files), "references": _as_list(reference_files)}
        check_files([*chain.from_iterable(paths.values())])
        files = {role: _describe_files(role, own) for role, own in paths.items()}
        uploads = {
            role: _choose_columns(role, _share_tables(own, *files.values()), columns)
            for (role, own), columns in zip(files.items(), (system_columns, reference_columns))
        }
        columns = [
            file for found in uploads.values() for file, names in found for _ in names or [""]
        ]
        _check_texts(sum(file.segments for file in columns))
        systems = _read_systems(uploads["systems"])
        references = _join_references(uploads["references"])
        tables = [file for own in files.values() for file in own]
        labels = {
            kind: _read_labels(tables, column, kind)
            for kind, column in zip(("labels", "documents"), chosen)
        }
    if not systems or not references:
        missing = "references" if systems else "systems"
        raise limits.RejectedError(f"The {missing} are missing. Upload or paste some.")
    if len(systems) > limits.MAX_SYSTEMS:
        raise limits.RejectedError(
            f"There are {len(systems)} systems; the limit is {limits.MAX_SYSTEMS}."
        )
    for name, predictions in systems.items():
        _check_lengths(name, predictions, references)
    for kind, cells in labels.items():
        _check_lengths(f"The column of {kind}", references if cells is None else cells, references)
    return Submission(systems, references, **labels)


def is_example(values: Sequence[Any]) -> bool:
    """Return whether the fields of `Sources` have no files yet, so that the example is scored."""
    origin, system_files, _, reference_files, *_ = values
    return origin == FROM_FILES and not system_files and not reference_files


def read_example() -> Submission:
    """Read the example corpus.

    >>> example = read_example()
    >>> list(example.systems), len(example.references)
    (['atlas', 'birch', 'cedar'], 40)
    """
    text = Path(__file__).with_name("example.tsv").read_text(encoding="utf-8")
    (_, _, *names), *rows = [line.split("\t") for line in text.splitlines()]
    return Submission(
        {name: [row[i] for row in rows] for i, name in enumerate(names, 2)},
        [row[:2] for row in rows],
    )


def _check_lengths(name: str, predictions: Sequence[Any], references: Sequence[Any]) -> None:
    """Reject a system whose number of segments is not that of the references."""
    if len(predictions) != len(references):
        raise limits.RejectedError(
            f"{name} has {count_things(len(predictions), 'segment')}, and there are references for {len(references):,}."
            " They must correspond line by line; an empty line is a segment."
        )


def _read_systems(uploads: Sequence[tuple[Description, list[str]]]) -> dict[str, list[Any]]:
    """Return the systems, named after the file, or after the column if a table has several."""
    systems: dict[str, list[Any]] = {}
    for upload, chosen in uploads:
        for name, column in _read_columns(upload, chosen).items():
            _check_complete(upload.file.name, column)
            systems[rename(name if len(chosen) > 1 else upload.file.stem, systems)] = column
    return systems


def _read_labels(tables: Sequence[Description], column: Any, kind: str) -> list[str] | None:
    """Return the labels or documents in a column of the first table that has it; None without a column."""
    if column in (None, "", _NO_GROUPS, _NO_DOCUMENTS):
        return None
    if not isinstance(column, str):
        raise limits.RejectedError(f"Choose one column of {kind}.")
    table = next((table for table in tables if column in table.columns), None)
    if table is None:
        raise limits.RejectedError(f"None of the files has a column {column[:60]!r}.")
    cells = _read_columns(table, [column])[column]
    if kind == "documents":
        missing = next((number for number, cell in enumerate(cells, 1) if cell is None), None)
        if missing:
            text = (
                f"Segment {missing:,} has no document. Give such segments documents of their own."
            )
            raise limits.RejectedError(text)
        return list(map(str, cells))
    labels = ["" if cell is None else str(cell)[:60] for cell in cells]
    if len(set(labels)) > limits.MAX_GROUPS:
        raise limits.RejectedError(
            f"The column {column[:60]!r} has {len(set(labels)):,} different labels; the limit is {limits.MAX_GROUPS}."
        )
    return labels


def _check_complete(name: str, column: Sequence[Any]) -> None:
    """Reject a system that lacks a segment."""
    number = next(
        (number for number, cell in enumerate(column, 1) if not isinstance(cell, str)), None
    )
    if number is not None:
        text = f"{name}, segment {number:,}: the text is missing. Write an empty text for an empty segment."
        raise limits.RejectedError(text)


def rename(name: str, taken: Mapping[str, Any]) -> str:
    """Return the name, with a number if it is taken.

    >>> rename("mt", {"mt": [], "mt (2)": []})
    'mt (3)'
    """
    names = chain([name], (f"{name} ({number})" for number in range(2, len(taken) + 3)))
    return next(one for one in names if one not in taken)


def _join_references(uploads: Sequence[tuple[Description, list[str]]]) -> list[list[Any]]:
    sets: list[list[list[Any]]] = []
    for upload, chosen in uploads:
        for column in _read_columns(upload, chosen).values():
            if sets and len(column) != len(sets[0]):
                raise limits.RejectedError(
                    f"{upload.file.name} has {count_things(len(column), 'segment')}, and the references before it"
                    f" {len(sets[0]):,}. The files must correspond line by line."
                )
            sets.append([cell if isinstance(cell, list) else [cell] for cell in column])
    return [list(chain.from_iterable(cells)) for cells in zip(*sets)]


def check_files(paths: Sequence[str]) -> None:
    """Reject files that are too large together, without reading them."""
    size = sum(os.path.getsize(path) for path in paths if os.path.exists(path))
    if size > limits.MAX_FILE_MEGABYTES * 1_000_000:
        text = f"The files have {size / 1_000_000:,.0f} MB together; the limit is {limits.MAX_FILE_MEGABYTES}. {_PART}"
        raise limits.RejectedError(text)


def _describe_files(role: str, paths: Sequence[str]) -> list[Description]:
    """Describe the files of a role, or reject them if they are too many."""
    limit = limits.MAX_SYSTEMS if role == "systems" else limits.MAX_REFERENCES
    if len(paths) > limit:
        raise limits.RejectedError(f"There are {len(paths)} files of {role}; the limit is {limit}.")
    return list(map(describe_file, paths))


def _choose_columns(
    role: str, files: Sequence[Description], columns: Any
) -> list[tuple[Description, list[str]]]:
    """Return each file with those of the chosen columns that it has, or reject them if they are too many."""
    limit, chosen = (
        limits.MAX_SYSTEMS if role == "systems" else limits.MAX_REFERENCES,
        _as_list(columns),
    )
    found = [(file, [name for name in chosen if name in file.columns]) for file in files]
    count = max(sum(len(names) or 1 for _, names in found), len(chosen))
    if count > limit:
        raise limits.RejectedError(f"There are {count} columns of {role}; the limit is {limit}.")
    for column in chosen:
        if not any(column in names for _, names in found):
            raise limits.RejectedError(f"None of the files has a column {column[:60]!r}.")
    for file, names in found:
        if file.columns and not names:
            known = ", ".join(name if len(name) <= 60 else f"{name[:59]}…" for name in file.columns)
            raise limits.RejectedError(f"{file.file.name}: choose a column among {known}.")
    return found


def _check_texts(count: int) -> None:
    """Reject a result that is made from too many texts."""
    if count > limits.MAX_TEXTS:
        raise limits.RejectedError(
            f"The files have {count:,} texts; the limit is {limits.MAX_TEXTS:,}. {_PART}"
        )


def describe_file(path: str) -> Description:
    """Describe an uploaded file: CSV, TSV or JSONL by its suffix, otherwise text; or raise what is wrong with it."""
    file = _check_file(path)
    suffix = file.suffix.lower()
    if delimiter := _DELIMITERS.get(suffix):
        return _describe_delimited(file, delimiter)
    if suffix not in _JSON_LINES:
        return Description(file, [], _check_text(file))
    _check_text(file, signs=(b",", b"[", b"{"))
    segments, first = 0, dict[str, Any]()
    for segments, row in enumerate(_read_json_lines(file), 1):  # noqa: B007 the count is used
        first = first or row
    return Description(
        file, list(first), segments, [name for name, cell in first.items() if isinstance(cell, str)]
    )


def _read_columns(upload: Description, chosen: Sequence[str]) -> dict[str, list[Any]]:
    """Read the lines of a text, by the file's name, or the chosen columns of a table."""
    file = upload.file
    if not upload.columns:
        return {file.stem: list(_decode_lines(file))}
    if delimiter := _DELIMITERS.get(file.suffix.lower()):
        return _read_delimited(file, chosen, delimiter)
    table: dict[str, list[Any]] = {name: [] for name in chosen}
    count = 0
    for number, row in enumerate(_read_json_lines(file), 1):
        for name in chosen:
            table[name].append(cell := row[name])
            if isinstance(cell, (list, dict)):
                is_list = isinstance(cell, list) and all(
                    isinstance(text, str | None) for text in cell
                )
                if not is_list or len(cell) > limits.MAX_REFERENCES:
                    text = f"{file.name}, line {number:,}: expected a text or up to {limits.MAX_REFERENCES} texts."
                    raise limits.RejectedError(text)
                count += len(cell)
    _check_texts(count)
    return table


def split_lines(text: str) -> list[str]:
    """Split a text into segments; only a line feed ends a line, as in the tools that write such files.

    >>> split_lines("one\\r\\n\\x0ctwo\\n")
    ['one', '\\x0ctwo']
    """
    return (
        text.removesuffix("\n").replace("\r\n", "\n").removesuffix("\r").split("\n") if text else []
    )


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
    """Count the lines of a file, or raise if it is not valid UTF-8 or has too many or too long lines, or `signs`."""
    values = 0
    decoder, count, length, data = codecs.getincrementaldecoder("utf-8-sig")(), 0, 0, b""
    for data in _read_pieces(file):
        if not count and not length:
            _check_beginning(file.name, data)
        if count + data.count(b"\n") > limit:
            raise limits.RejectedError(
                f"{file.name} has more than {limit:,} lines, the limit here. {_PART}"
            )
        values += sum(map(data.count, signs))
        if values > limits.MAX_FILE_SIGNS:
            raise limits.RejectedError(
                f"{file.name} has more than {limits.MAX_FILE_SIGNS:,} cells or values. Leave out columns, or upload a"
                " part of it."
            )
        if b"\x00" in data:
            raise limits.RejectedError(
                f"{file.name} is not a text file: it has zero bytes. Export it as {_FORMATS}."
            )
        try:
            decoder.decode(data)
        except UnicodeDecodeError as error:
            line, byte = (
                count + 1 + error.object.count(b"\n", 0, error.start),
                error.object[error.start],
            )
            raise limits.RejectedError(
                f"{file.name} is not in UTF-8 (line {line:,}, byte 0x{byte:02X}). Save it as UTF-8."
            ) from None
        first, *others = data.split(b"\n")
        longest = max(length + len(first), *map(len, others), 0)
        length, count = (len(others[-1]) if others else longest), count + len(others)
        if longest > limits.MAX_LINE_BYTES:
            text = f"{file.name} has a line of over {limits.MAX_LINE_BYTES:,} bytes. Write one segment per line."
            raise limits.RejectedError(text)
    return count + (not data.endswith(b"\n"))


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
        text = f"{file.name} has more than {limits.MAX_COLUMNS} columns. Leave out those that are not needed."
        raise limits.RejectedError(text)
    try:
        schema = pyarrow.csv.open_csv(file, parse_options=_parsing(delimiter)).schema
    except pa.ArrowInvalid:
        raise _find_odd_line(file, delimiter) from None
    names, texts = schema.names, [field.name for field in schema if pa.types.is_string(field.type)]
    if len(set(names)) < len(names):
        raise limits.RejectedError(
            f"{file.name} has two columns with the same name. Rename one of them."
        )
    return Description(
        file, names, len(_read_delimited(file, names[:1], delimiter)[names[0]]), texts
    )


def _read_delimited(file: Path, columns: Sequence[str], delimiter: str) -> dict[str, list[Any]]:
    try:
        parsing = _parsing(delimiter)
        names = pyarrow.csv.open_csv(file, parse_options=parsing).schema.names
        parsing.ignore_empty_lines = (
            len(names) > 1
        )  # in a single column, an empty line is an empty segment
        conversion = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), include_columns=list(columns)
        )
        table = pyarrow.csv.read_csv(file, parse_options=parsing, convert_options=conversion)
    except pa.ArrowInvalid:
        raise _find_odd_line(file, delimiter) from None
    if len(table) > limits.MAX_SEGMENTS:
        text = f"{file.name} has {len(table):,} rows; the limit is {limits.MAX_SEGMENTS:,}. Upload a part of it."
        raise limits.RejectedError(text)
    return {name: table[name].to_pylist() for name in columns}


def _parsing(delimiter: str) -> pyarrow.csv.ParseOptions:
    if delimiter == "\t":  # quotation marks are text in TSV, as for `cut` and in the files of WMT
        return pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    return pyarrow.csv.ParseOptions(delimiter=",", newlines_in_values=True)


def _find_odd_line(file: Path, delimiter: str) -> limits.RejectedError:
    """Return the error for a table that cannot be parsed, with the first line that has another number of cells."""
    rows = enumerate(islice(_decode_lines(file), limits.MAX_SEGMENTS), 1)
    first = next(rows)[1].count(delimiter)
    odd = next(
        (number for number, line in rows if line.count(delimiter) != first and '"' not in line),
        None,
    )
    problem = (
        f"line {odd:,} has a different number of columns than line 1"
        if odd
        else "lines differ in their columns"
    )
    return limits.RejectedError(f"{file.name}: {problem}.")


def _read_json_lines(file: Path) -> Iterator[dict[str, Any]]:
    keys: set[str] | None = None
    for number, line in enumerate(_decode_lines(file), 1):
        row = _read_json_line(file, number, line)
        keys = keys or set(row)
        if row.keys() != keys:
            raise limits.RejectedError(f"{file.name}, line {number:,} has other keys than line 1.")
        yield row


def _read_json_line(file: Path, number: int, line: str) -> dict[str, Any]:
    place = f"{file.name}, line {number:,}"
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise limits.RejectedError(
            f"{place} is not JSON ({error.msg}). Write one object per line."
        ) from None
    except (
        ValueError,
        RecursionError,
    ):  # an integer of thousands of digits, or a thousand brackets
        raise limits.RejectedError(
            f"{place} has a number that is too large, or is nested too deeply."
        ) from None
    if not isinstance(row, dict) or not row:
        raise limits.RejectedError(f'{place}: expected an object such as {{"prediction": "…"}}.')
    if len(row) > limits.MAX_COLUMNS:
        raise limits.RejectedError(f"{place} has more than {limits.MAX_COLUMNS} keys.")
    return row
