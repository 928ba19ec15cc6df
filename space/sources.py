"""Where a corpus comes from: files, pasted text or the example. Given once, for all questions of the tab."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from . import files
from .examples import EXAMPLE_NOTE, read_example
from .html import message, notes, quantity
from .limits import FILE_MEGABYTES, QUIET, REFERENCES, SYSTEMS, RefusedError

FROM_FILES, FROM_TEXT, FROM_EXAMPLE = "Files", "Pasted text", "The example"

# Likely names of columns, the likeliest first; the one found first is chosen until the visitor chooses another.
_LIKELY_NAMES = {
    "systems": ("prediction", "hypothesis", "translation", "output", "candidate", "system", "mt"),
    "references": ("reference", "target", "label", "gold"),
}
_HINTS = {
    "systems": f"One file a system, or several: text with a segment a line, CSV, TSV, JSONL or Parquet, in UTF-8, up to"
    f" {FILE_MEGABYTES} MB.",
    "references": "Line by line as in the systems; several files or columns are several references.",
}


class Corpus(NamedTuple):
    """The predictions of each system by its name, and for each segment the references."""

    systems: dict[str, list[Any]]
    references: list[list[Any]]


class Sources(NamedTuple):
    """The fields; handlers get their values in this order and pass them to `read_corpus`."""

    origin: gr.Radio
    systems: gr.File
    system_columns: gr.Dropdown
    references: gr.File
    reference_columns: gr.Dropdown
    first: gr.Textbox
    second: gr.Textbox
    pasted_references: gr.Textbox


def add_sources() -> Sources:
    """Add the fields to the page; only those of the chosen origin are in sight."""
    origin = gr.Radio([FROM_FILES, FROM_TEXT, FROM_EXAMPLE], value=FROM_FILES, label="Texts", elem_id="origin")
    with gr.Row(elem_id="files") as uploads:
        systems, system_columns = _add_files("systems", "Systems")
        references, reference_columns = _add_files("references", "References")
    with gr.Row(visible=False, elem_id="pasted") as pasted:
        first = _text_field("System, a segment a line", "system-text")
        second = _text_field("Second system, if there is one", "second-system-text")
        pasted_references = _text_field("References, tabs between several", "references-text")
    with gr.Row(visible=False) as example:
        gr.HTML(message(EXAMPLE_NOTE, "note"), elem_classes="bleu-page")
    groups = dict(zip((FROM_FILES, FROM_TEXT, FROM_EXAMPLE), (uploads, pasted, example)))
    origin.change(
        lambda chosen: [gr.update(visible=name == chosen) for name in groups], origin, list(groups.values()), **QUIET
    )
    return Sources(origin, systems, system_columns, references, reference_columns, first, second, pasted_references)


def read_corpus(
    origin: str,
    system_files: Any,
    system_columns: Any,
    reference_files: Any,
    reference_columns: Any,
    first: str,
    second: str,
    pasted_references: str,
) -> Corpus:
    """The corpus from what the fields of `Sources` hold.

    >>> read_corpus(FROM_TEXT, None, None, None, None, "a b\\nc", "", "a b\\ta c\\nd").references
    [['a b', 'a c'], ['d']]

    Raises:
        RefusedError: as `files.read_columns`; or there is nothing, too much, or segments that can't belong together.
    """
    if origin == FROM_EXAMPLE:
        return Corpus(*read_example())
    if origin == FROM_TEXT:
        texts = {"System": files.lines(first), "Second system": files.lines(second)}
        systems = {name: lines for name, lines in texts.items() if lines}
        references = [line.split("\t") for line in files.lines(pasted_references)]
    else:
        systems = _read_systems(_as_list(system_files), _as_list(system_columns))
        references = _read_references(_as_list(reference_files), _as_list(reference_columns))
    for name, rows in (("systems", systems), ("references", references)):
        if not rows:
            raise RefusedError(f"There are no {name} yet: give some, or choose the example.")
    if len(systems) > SYSTEMS:
        raise RefusedError(f"There are {len(systems)} systems: give {SYSTEMS} at most.")
    for name, predictions in systems.items():
        check_lengths(name, predictions, references)
    return Corpus(systems, references)


def check_lengths(name: str, predictions: Sequence[Any], references: Sequence[Any]) -> None:
    """Refuse predictions that can't belong to the references, segment by segment.

    >>> check_lengths("A.txt", ["a"], [])
    Traceback (most recent call last):
    space.limits.RefusedError: A.txt has 1 segment, and there are references for 0: line by line, they must belong \
together. An empty line counts as a segment.
    """
    if len(predictions) != len(references):
        raise RefusedError(
            f"{name} has {quantity(len(predictions), 'segment')}, and there are references for {len(references):,}:"
            " line by line, they must belong together. An empty line counts as a segment."
        )


def _read_systems(paths: Sequence[str], columns: Sequence[str]) -> dict[str, list[Any]]:
    """The systems by the name of the file, and of the column where a table has several."""
    if len(paths) > SYSTEMS:
        raise RefusedError(f"There are {len(paths)} files of systems: give {SYSTEMS} at most.")
    systems: dict[str, list[Any]] = {}
    for path, texts in _read_files(paths, columns):
        names = texts if len(texts) > 1 else [Path(path).stem]
        for name, column in zip(names, texts.values()):
            _check_texts(Path(path).name, column)
            systems[_rename(name[:60], systems)] = column
    return systems


def _check_texts(name: str, column: Sequence[Any]) -> None:
    """Refuse a system that lacks a segment.

    >>> _check_texts("A.jsonl", ["a", None])
    Traceback (most recent call last):
    space.limits.RefusedError: A.jsonl, segment 2: there is no text. Each segment is one; it may be empty.
    """
    number = next((number for number, cell in enumerate(column, 1) if not isinstance(cell, (str, list))), None)
    if number is not None:
        raise RefusedError(f"{name}, segment {number:,}: there is no text. Each segment is one; it may be empty.")


def _read_files(paths: Sequence[str], columns: Sequence[str]) -> list[tuple[str, files.Columns]]:
    """What is in each file; a column that is chosen has to be in one of them."""
    read = [(path, files.read_columns(path, columns)) for path in paths]
    for column in columns:
        if not any(column in texts for _, texts in read):
            raise RefusedError(f"There is no column {column[:60]!r} in any of the files.")
    return read


def _rename(name: str, taken: dict[str, Any]) -> str:
    """The name, with a number behind it if there is one like it.

    >>> _rename("mt", {"mt": [], "mt (2)": []})
    'mt (3)'
    """
    names = chain([name], (f"{name} ({number})" for number in range(2, len(taken) + 3)))
    return next(one for one in names if one not in taken)


def _read_references(paths: Sequence[str], columns: Sequence[str]) -> list[list[Any]]:
    if len(paths) > REFERENCES:
        raise RefusedError(f"There are {len(paths)} files of references: give {REFERENCES} at most.")
    sets: list[list[list[Any]]] = []
    for path, texts in _read_files(paths, columns):
        for column in texts.values():
            if sets and len(column) != len(sets[0]):
                raise RefusedError(
                    f"{Path(path).name} has {quantity(len(column), 'segment')}, and the references before"
                    f" {len(sets[0]):,}: line by line, the files must belong together."
                )
            sets.append([cell if isinstance(cell, list) else [cell] for cell in column])
    return [list(chain.from_iterable(cells)) for cells in zip(*sets)]


def _add_files(role: str, title: str) -> tuple[gr.File, gr.Dropdown]:
    with gr.Column(min_width=260):
        file = gr.File(label=title, file_count="multiple", height=120, elem_id=f"{role}-file")
        note = gr.HTML(message(_HINTS[role], "note"), elem_id=f"{role}-note", elem_classes="bleu-page")
        columns = gr.Dropdown(
            [], label="Columns", multiselect=True, allow_custom_value=True, visible=False, elem_id=f"{role}-columns"
        )
    gr.on(
        [file.upload, file.clear, file.delete],
        lambda uploads: _describe_uploads(uploads, role),
        file,
        [columns, note],
        **QUIET,
    )
    return file, columns


def _text_field(label: str, elem_id: str) -> gr.Textbox:
    return gr.Textbox(label=label, lines=5, max_lines=8, min_width=260, elem_id=elem_id)


def _describe_uploads(uploads: Any, role: str) -> tuple[Any, str]:
    """The columns to choose from, and how each file was read, or what is wrong with one."""
    try:
        found = {Path(path).name: files.describe(path) for path in _as_list(uploads)[: REFERENCES + 1]}
    except RefusedError as error:
        return gr.update(choices=[], value=None, visible=False), message(str(error))
    if not found:
        return gr.update(choices=[], value=None, visible=False), message(_HINTS[role], "note")
    tables = [one.columns for one in found.values() if one.columns]
    columns = [*dict.fromkeys(chain.from_iterable(tables))]
    likely = [*dict.fromkeys(chain.from_iterable(_likely_columns(table, role) for table in tables))]
    lines = [f"{name}: {quantity(one.segments, 'segment')}, {_describe_kind(one)}" for name, one in found.items()]
    return gr.update(choices=columns, value=likely, visible=bool(columns)), notes(lines)


def _describe_kind(description: files.Description) -> str:
    return f"a table of {quantity(len(description.columns), 'column')}" if description.columns else "one a line, UTF-8"


def _likely_columns(columns: Sequence[str], role: str) -> list[str]:
    for name in _LIKELY_NAMES[role]:
        likely = [column for column in columns if name in column.lower()]
        if likely:
            return likely
    return list(columns[:1] if role == "systems" else columns[-1:])


def _as_list(value: Any) -> list[str]:
    """The value of a field that holds nothing, one thing or several."""
    if not value:
        return []
    return list(value) if isinstance(value, list) else [value]
