"""Fields for a column of segments, the same in all tabs: files, a choice of their columns, or pasted text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import gradio as gr

from . import files
from .html import message, quantity
from .limits import FILE_MEGABYTES, RefusedError

# Likely names of columns, the likeliest first; the one found first is chosen until the visitor chooses another.
_LIKELY_NAMES = {
    "predictions": ("prediction", "hypothesis", "translation", "output", "candidate", "system", "mt"),
    "references": ("reference", "target", "label", "gold"),
}

_HINT = message(
    f"Text, CSV, TSV, JSONL or Parquet in UTF-8, up to {FILE_MEGABYTES} MB. Of a larger file give a part, or score it"
    " in Python: see About.",
    "note",
)


class Source(NamedTuple):
    """The fields of one source; handlers get their values in this order and pass them to `read_…`."""

    file: gr.File
    columns: gr.Dropdown
    pasted: gr.Textbox


def add_predictions(name: str, title: str, pasted: str) -> Source:
    """Add fields for the predictions of a system to the page: one file with one column.

    Args:
        name: begins the elements' ids.
        title: what stands above.
        pasted: what the text field holds at first.
    """
    with gr.Column(min_width=260):
        file = _file_field(name, f"{title}: one segment a line, or a table", "single")
        note = _note(name)
        columns = _column_field(name, several=False)
        text = _text_field(name, "Or paste text instead of a file", pasted)
    _describe_on_upload(file, columns, note, "predictions")
    return Source(file, columns, text)


def add_references(name: str, title: str, pasted: str) -> Source:
    """Add fields for references to the page, likewise: several files, or several columns, are several references."""
    with gr.Column(min_width=260):
        file = _file_field(name, f"{title}: several files or columns are several references", "multiple")
        note = _note(name)
        columns = _column_field(name, several=True)
        text = _text_field(name, "Or paste text instead of a file: a tab between references of one segment", pasted)
    _describe_on_upload(file, columns, note, "references")
    return Source(file, columns, text)


def read_predictions(file: Any, columns: Any, pasted: str) -> list[Any]:
    """The predictions from what the fields of a source hold: a file if there is one, else the pasted text.

    >>> read_predictions(None, [], "a b\\nc")
    ['a b', 'c']

    Raises:
        RefusedError: as `files.read_columns`; or there are none.
    """
    paths = _as_list(file)
    predictions = files.read_columns(paths[0], _as_list(columns))[0] if paths else files.lines(pasted)
    if not predictions:
        raise RefusedError("There are no predictions: choose a file, or paste some.")
    return predictions


def read_references(file: Any, columns: Any, pasted: str) -> list[list[Any]]:
    """The references of each segment, likewise.

    >>> read_references(None, [], "a b\\ta c\\nd")
    [['a b', 'a c'], ['d']]

    Raises:
        RefusedError: as `files.read_columns`; or the files differ in length.
    """
    paths = _as_list(file)
    if not paths:
        return [line.split("\t") for line in files.lines(pasted)]
    sets: list[list[list[Any]]] = []
    for path in paths:
        for column in files.read_columns(path, _as_list(columns)):
            _check_same_length(Path(path).name, column, sets)
            sets.append([cell if isinstance(cell, list) else [cell] for cell in column])
    return [list(chain.from_iterable(cells)) for cells in zip(*sets)]


def check_lengths(name: str, predictions: Sequence[Any], references: Sequence[Any]) -> None:
    """Refuse predictions that can't belong to the references, segment by segment.

    >>> check_lengths("The file of predictions", ["a"], [])
    Traceback (most recent call last):
    space.limits.RefusedError: The file of predictions has 1 segment, and there are references for 0: line by line, \
they must belong together. An empty line counts as a segment.
    """
    if len(predictions) != len(references):
        raise RefusedError(
            f"{name} has {quantity(len(predictions), 'segment')}, and there are references for {len(references):,}:"
            " line by line, they must belong together. An empty line counts as a segment."
        )


def _file_field(name: str, label: str, count: Literal["single", "multiple"]) -> gr.File:
    return gr.File(label=label, file_count=count, height=140, elem_id=f"{name}-file")


def _note(name: str) -> gr.HTML:
    return gr.HTML(_HINT, elem_id=f"{name}-note", elem_classes="bleu-page")


def _column_field(name: str, several: bool) -> gr.Dropdown:
    return gr.Dropdown(
        [], label="Column", multiselect=several, visible=False, elem_id=f"{name}-column", allow_custom_value=False
    )


def _text_field(name: str, label: str, value: str) -> gr.Textbox:
    return gr.Textbox(value, label=label, lines=4, max_lines=8, elem_id=f"{name}-text")


def _describe_on_upload(file: gr.File, columns: gr.Dropdown, note: gr.HTML, role: str) -> None:
    """Show what is in a file, or wrong with it, as soon as it is uploaded."""
    gr.on(
        [file.upload, file.clear, file.delete] if role == "references" else [file.upload, file.clear],
        lambda uploads: _describe_uploads(uploads, role),
        file,
        [columns, note],
        api_visibility="private",
        show_progress="hidden",
    )


def _describe_uploads(uploads: Any, role: str) -> tuple[Any, str]:
    """The columns to choose from, and the number of segments in each file, or what is wrong with one."""
    try:
        descriptions = {Path(path).name: files.describe(path) for path in _as_list(uploads)}
    except RefusedError as error:
        return gr.Dropdown(choices=[], value=None, visible=False), message(str(error))
    if not descriptions:
        return gr.Dropdown(choices=[], value=None, visible=False), _HINT
    columns, _ = next(iter(descriptions.values()))
    likely = _likely_columns(columns, role)
    value = likely if role == "references" else next(iter(likely), None)
    counts = (f"{name}: {quantity(count, 'segment')}" for name, (_, count) in descriptions.items())
    return gr.Dropdown(choices=columns, value=value, visible=bool(columns)), message("; ".join(counts), "note")


def _likely_columns(columns: Sequence[str], role: str) -> list[str]:
    for name in _LIKELY_NAMES[role]:
        likely = [column for column in columns if name in column.lower()]
        if likely:
            return likely
    return list(columns[:1] if role == "predictions" else columns[-1:])


def _check_same_length(name: str, column: Sequence[Any], sets: Sequence[Sequence[Any]]) -> None:
    if sets and len(column) != len(sets[0]):
        raise RefusedError(
            f"{name} has {quantity(len(column), 'segment')}, and the references before {len(sets[0]):,}: line by line,"
            " the files must belong together."
        )


def _as_list(value: Any) -> list[str]:
    """The value of a field that holds nothing, one thing or several."""
    if not value:
        return []
    return list(value) if isinstance(value, list) else [value]
