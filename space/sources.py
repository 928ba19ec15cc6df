"""The fields of the demo for texts: files, pasted text, and examples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

import gradio as gr
from gradio.blocks import Block

from . import limits
from .files import FROM_FILES, FROM_TEXT, Files, list_uploads, read_chosen, read_files
from .html import add_clickable, count_things, message, shorten, show
from .roles import OPEN, ROLES, Column, Upload, find_runs

_OPEN_COLUMNS = 3  # of a file whose choices are in sight at once
_OPEN_FILES = 4
_NAME_CHARACTERS = 60
_EXAMPLE_CHARACTERS = 160


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

EXAMPLES = {  # by what is on their buttons, and in links
    # The demo opens with the first example. sacreBLEU's score of it equals the paper's.
    "Papineni, example 1": Example(_FIRST, "", _REFERENCES, "default", {}),
    "two candidates": Example(_FIRST, _SECOND, _REFERENCES, "default", {}),
    "shuffled": Example(_SHUFFLED, _FIRST, _REFERENCES, "nltk", {"lowercase": True}),
    # Papineni's example 2 without its full stops, for a precision of 2/7 as in the paper.
    "the the the the": Example(
        "the the the the the the the",
        "",
        "The cat is on the mat\nThere is a cat on the mat",
        "papineni",
        {"lowercase": True},
    ),
    "too short": Example(
        "The cat is on", "", "The cat is on the mat and looks at the dog", "default", {}
    ),
    "two words": Example("the cat", "", "the cat", "default", {}),
    "日本語": Example(
        "猫がマットの上に座っています。", "", "猫はマットの上に座っています。", "default", {}
    ),
    "العربية": Example("جلست القطة على السجادة .", "", "جلست القطة فوق السجادة .", "default", {}),
}

Field = gr.Radio | gr.File | gr.JSON | gr.Textbox | gr.Checkbox
ADD_BUTTON = '<button type="button" class="bleu-button" data-add>Add files</button>'
EXAMPLE_NOTE = (
    "This is an example: atlas translates freely and well, birch word by word, cedar in a hurry."
)


class Sources:
    """The fields for the texts; only those of the chosen origin are visible.

    pasted: the fields for pasted lines.
    described: the event after which all files are described.
    """

    def __init__(self) -> None:
        """Add the fields to the demo."""
        self.origin = gr.Radio(
            [FROM_FILES, FROM_TEXT], value=FROM_FILES, label="Texts", elem_id="origin"
        )
        # 1. One field for all files, and a line per file.
        with gr.Column(elem_id="uploaded") as uploaded:
            self.files = gr.File(
                label="Drop files here to score or compare systems",
                file_count="multiple",
                height=40,
                elem_id="files",
            )
            read = add_clickable("", "read-files")
            self.joins_runs = gr.Checkbox(visible=False, elem_id="joins-runs")
        self.chosen = gr.JSON({}, visible=False)  # a `files.Chosen`
        # 2. A choice in a line is kept with the files that it is about.
        self.described = gr.on(
            [self.files.upload, self.files.clear, self.files.delete, read.input],
            partial(_show_files, self.chosen, read, self.joins_runs),
            [self.files, self.chosen],
            [self.chosen, read, self.joins_runs],
            js="bleuPage.readFiles",
            **limits.QUIET,
        )
        # 3. Pasted text.
        with gr.Row(visible=False, elem_id="pasted") as pasted_row:
            self.pasted = [
                _add_text("System, one text per line", "system-text"),
                _add_text("Second system, optional", "second-system-text"),
                _add_text("References, tabs between several", "references-text"),
            ]

        def show_group(origin_name: str) -> dict[Block, object]:
            return {
                uploaded: gr.update(visible=origin_name == FROM_FILES),
                pasted_row: gr.update(visible=origin_name == FROM_TEXT),
            }

        self.origin.change(show_group, self.origin, [uploaded, pasted_row], **limits.QUIET)

    def fields(self) -> list[Field]:
        """Return the fields, in the order that `files.read_submission` expects."""
        return [self.origin, self.files, self.chosen, *self.pasted, self.joins_runs]


def _add_text(label: str, elem_id: str) -> gr.Textbox:
    return gr.Textbox(label=label, lines=5, max_lines=8, min_width=260, elem_id=elem_id)


def _show_files(
    chosen: gr.JSON,
    read: gr.HTML,
    joins_runs: gr.Checkbox,
    paths: Sequence[str] | None,
    value: Mapping[str, Any] | None,
) -> dict[Block, object]:
    """Show how the files were read, and what their columns are for.

    What was chosen for a file goes with it.
    """
    own_paths = [str(path) for path in paths or ()]  # those of Gradio have a class of their own
    if not own_paths:
        return {chosen: {}, read: "", joins_runs: gr.update(visible=False)}
    before = value or {}
    kept: dict[str, Any] = {"paths": own_paths, "lengths": before.get("lengths", {})}
    for kind in ("roles", "readings"):
        own = before.get(kind, {})
        kept[kind] = {path: own[path] for path in list_uploads(own_paths) if path in own}
    try:
        files = read_files(own_paths, read_chosen(kept))
    except limits.RejectedError as error:
        return {chosen: kept, read: message(str(error)), joins_runs: gr.update(visible=False)}
    systems = [column.name for upload in files.uploads for column in upload.select("systems")]
    runs = find_runs(systems)
    counted = [f"{system} ({count_things(len(own), 'run')})" for system, own in runs.items()]
    label = f"Score the mean of runs: {', '.join(counted)}"
    update: dict[str, object] = gr.update(visible=bool(runs), label=label)
    if before.get("paths") != own_paths:
        update["value"] = bool(runs)
    return {chosen: kept, read: render_files(files, own_paths), joins_runs: update}


# --- The list of files ----------------------------------------------------------------------------


def render_files(files: Files, paths: Sequence[str]) -> str:
    """Return a line per file: how it was read, and what its columns are for."""
    uploads = {upload.path: upload for upload in files.uploads}
    items = [
        _render_upload(number, uploads[path])
        if path in uploads
        else f"<li>{message(files.problems[path])}{_remove_button(number, path)}</li>"
        for number, path in enumerate(list_uploads(paths))
    ]
    listed = f'<ul class="bleu-read">{"".join(items)}</ul>'
    if len(paths) > _OPEN_FILES:
        is_open = bool(files.problems) or files.missing.can_be_chosen
        listed = _fold(
            "files",
            tell_columns(
                [column for upload in files.uploads for column in upload.columns],
                [upload.rows for upload in files.uploads],
            ),
            listed,
            is_open=is_open,
        )
    return f'<div role="group" aria-label="Files, as they were read">{listed}</div>{ADD_BUTTON}'


def _fold(name: str, summary: str, content: str, *, is_open: bool) -> str:
    """Return content that is folded, unless there is a question in it."""
    state = " open" if is_open else f' data-fold="table of {show(name)}"'
    return f"<details{state}><summary>{show(summary)}</summary>{content}</details>"


def tell_columns(columns: Sequence[Column], rows: Collection[int] = ()) -> str:
    """Return in a line what columns are for; those of several files have rows as well.

    >>> names = {"domain": "labels", "ref": "references", "A": "systems", "B": "systems", "n": ""}
    >>> tell_columns([Column(name, name, role, "") for name, role in names.items()])
    '2 systems · 1 reference · 1 group · 1 not used'
    """
    counts = {role: sum(column.role == role for column in columns) for role in ROLES}
    parts = [
        count_things(count, ROLES[role]) if role else f"{count} {ROLES[role]}"
        for role, count in counts.items()
        if count
    ]
    if len({*rows}) == 1:
        parts.insert(1, f"{count_things(max(rows), 'line')} each")
    return " · ".join(parts)


def _render_upload(number: int, upload: Upload) -> str:
    """Return the line of a file, with the choices of its columns, of which many are folded."""
    table = upload.table
    facts = ", ".join(filter(None, [table.form, count_things(upload.rows, "line"), *table.remarks]))
    choices = [
        _render_choice(number, upload.path, choice.name, choice.label, choice.options, choice.value)
        for choice in table.choices
    ]
    columns = [_render_column(number, upload, column) for column in upload.columns]
    listed = f'<ul class="bleu-columns">{"".join(columns)}</ul>'
    if len(columns) > _OPEN_COLUMNS:
        is_open = any(column.role == OPEN for column in upload.columns)
        listed = _fold(upload.name, tell_columns(upload.columns), listed, is_open=is_open)
    return (
        f'<li><p class="file"><b>{show(upload.name)}</b> <span>{show(facts)}</span>'
        f"{''.join(choices)}</p>{listed}{_remove_button(number, upload.path)}</li>"
    )


def _remove_button(number: int, path: str) -> str:
    name = show(path.rpartition("/")[2])
    return (
        f'<button type="button" class="bleu-button remove" data-remove="{number}"'
        f' aria-label="Remove {name}">×</button>'
    )


def _render_column(number: int, upload: Upload, column: Column) -> str:
    """Return a column with the choice of its role, which its first text describes."""
    options = {OPEN: "what is it?", **ROLES} if column.role == OPEN else ROLES
    name = show(shorten(column.name, _NAME_CHARACTERS)) if column.key else ""
    example = show(shorten(column.example, _EXAMPLE_CHARACTERS))
    choice = _render_choice(
        number, upload.path, "role", column.name, options, column.role, key=column.key
    )
    return f'<li>{choice}<b>{name}</b> <span dir="auto">{example}</span></li>'


def _render_choice(
    number: int,
    path: str,
    field: str,
    label: str,
    options: Mapping[str, str],
    value: str,
    *,
    key: str = "",
) -> str:
    """Return a choice; page.js reads the file, the field and the column from it."""
    choices = options if value in options else {value: "choose …", **options}
    items = [
        f'<option value="{escape(option)}"{" selected" * (option == value)}>{show(words)}</option>'
        for option, words in choices.items()
    ]
    # Not `show`, which changes characters that can't be seen.
    return (
        f'<select aria-label="{escape(label)}" data-file="{number}" data-path="{escape(path)}"'
        f' data-field="{field}" data-key="{escape(key)}">{"".join(items)}</select>'
    )
