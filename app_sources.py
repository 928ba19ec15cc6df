"""Where a column of segments comes from, in all tabs: a file, columns of it, or pasted text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

import app_files
from app_html import counted, message
from app_limits import FILE_MEGABYTES, RefusedError

# What a column is likely to be called, the likeliest first; the column that's chosen until a visitor chooses another.
_LIKELY = {
    "predictions": ("prediction", "hypothesis", "translation", "output", "candidate", "system", "mt"),
    "references": ("reference", "target", "label", "gold"),
}

_HINT = message(
    f"Text, CSV, TSV, JSONL or Parquet in UTF-8, up to {FILE_MEGABYTES} MB. Of a larger file give a part, or score it"
    " in Python: see About.",
    "note",
)


class Source(NamedTuple):
    """The components of one source; handlers get their values, in this order, and give them to `read`."""

    file: gr.File
    columns: gr.Dropdown
    pasted: gr.Textbox


def source(name: str, title: str, pasted: str, role: str = "predictions") -> Source:
    """A file field with pickers for its columns, and a text field; to be called where they are to stand.

    Args:
        name: for the elements' ids.
        title: what stands above.
        pasted: what the text field is filled with.
        role: `"predictions"`, one file and column; `"references"`, several.
    """
    many = role == "references"
    with gr.Column(min_width=260):
        hint = "several files or columns are several references" if many else "one segment a line, or a table"
        file = gr.File(
            label=f"{title}: {hint}", file_count="multiple" if many else "single", height=140, elem_id=f"{name}-file"
        )
        note = gr.HTML(_HINT, elem_id=f"{name}-note", elem_classes="bleu-page")
        columns = gr.Dropdown(
            [], label="Column", multiselect=many, visible=False, elem_id=f"{name}-column", allow_custom_value=False
        )
        label = "Or pasted, without a file" + (": references of one segment with a tab between them" if many else "")
        text = gr.Textbox(pasted, label=label, lines=4, max_lines=8, elem_id=f"{name}-text")
    gr.on(
        [file.upload, file.clear, file.delete] if many else [file.upload, file.clear],
        lambda chosen: _looked_at(chosen, role),
        file,
        [columns, note],
        api_visibility="private",
        show_progress="hidden",
    )
    return Source(file, columns, text)


def read(file: Any, columns: Any, pasted: str, role: str = "predictions") -> list[Any]:
    """The segments of a source, from what its components hold: a file if there is one, else what was pasted.

    Returns:
        A text a segment, or, for references, a list of texts a segment.

    Raises:
        RefusedError: as `app_files.segments`; or the files of references differ in length.
    """
    paths = _paths(file)
    if role == "predictions":
        found = app_files.segments(paths[0], _listed(columns))[0] if paths else app_files.lines(pasted)
        if not found:
            raise RefusedError("There are no predictions: choose a file, or paste some.")
        return found
    if not paths:
        return [line.split("\t") for line in app_files.lines(pasted)]
    sets: list[list[Any]] = []
    for path in paths:
        for column in app_files.segments(path, _listed(columns)):
            if sets and len(column) != len(sets[0]):
                raise RefusedError(
                    f"{Path(path).name} has {counted(len(column), 'segment')}, and the references before"
                    f" {len(sets[0]):,}: line by line, the files must belong together."
                )
            sets.append(column)
    sets = [[cell if isinstance(cell, list) else [cell] for cell in column] for column in sets]
    return [sum(row[1:], row[0]) for row in zip(*sets)] if len(sets) > 1 else sets[0]


def check_lengths(name: str, predictions: Sequence[Any], references: Sequence[Any]) -> None:
    """Refuses predictions that can't belong to the references, segment by segment."""
    if len(predictions) != len(references):
        raise RefusedError(
            f"{name} has {counted(len(predictions), 'segment')}, and there are references for {len(references):,}: line"
            " by line, they must belong together. An empty line counts as a segment."
        )


def _looked_at(chosen: Any, role: str) -> tuple[Any, str]:
    """At once after an upload: the columns to choose from, or what is wrong with the file."""
    try:
        seen = {Path(path).name: app_files.looked_at(path) for path in _paths(chosen)}
    except RefusedError as error:
        return gr.Dropdown(choices=[], value=None, visible=False), message(str(error))
    names = next((names for names, _ in seen.values()), [])
    likely = _likely(names, role)
    value = likely if role == "references" else next(iter(likely), None)
    told = "; ".join(f"{name}: {counted(count, 'segment')}" for name, (_, count) in seen.items())
    return gr.Dropdown(choices=names, value=value, visible=bool(names)), message(told, "note") if told else _HINT


def _likely(names: Sequence[str], role: str) -> list[str]:
    for word in _LIKELY[role]:
        found = [name for name in names if word in name.lower()]
        if found:
            return found
    return list(names[:1] if role == "predictions" else names[-1:])


def _paths(file: Any) -> list[str]:
    return [str(path) for path in (file if isinstance(file, list) else [file] if file else [])]


def _listed(columns: Any) -> list[str]:
    return columns if isinstance(columns, list) else [columns] if columns else []
