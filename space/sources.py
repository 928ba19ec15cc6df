"""The fields of the demo for texts: files, pasted text, and examples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import gradio as gr
from gradio.blocks import Block

from . import limits
from .columns import (
    Chosen,
    Column,
    find_missing,
    guess_chosen,
    list_columns,
    render_columns,
    tell_columns,
)
from .files import (
    FROM_FILES,
    FROM_TEXT,
    HEAD_NAMES,
    HEAD_TEXTS,
    Description,
    Names,
    Reading,
    as_list,
    check_files,
    describe_file,
    find_runs,
    guess_columns,
    name_texts,
)
from .html import add_choices, add_html, count_things, list_files, message

_HINTS = {
    "systems": (
        "One file per system: text with one segment per line, CSV, TSV or JSONL, also packed"
        f" (.gz), up to {limits.MAX_FILE_MEGABYTES} MB. Or a table with all: a column per system,"
        " references, domains, documents."
    ),
    "references": (
        "The same segments in the same order. Upload several files or columns for several"
        " references."
    ),
}


class Example(NamedTuple):
    """One or two candidates for the same references, and how they are scored."""

    title: str  # what it shows
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

EXAMPLES = {  # by the names in links
    # The demo opens with the first example. sacreBLEU's score of it equals the paper's.
    "Papineni, example 1": Example("nearly right", _FIRST, "", _REFERENCES, "default", {}),
    "two candidates": Example(
        "a good and a poor candidate", _FIRST, _SECOND, _REFERENCES, "default", {}
    ),
    "the same words, shuffled": Example(
        "the same words, shuffled", _SHUFFLED, _FIRST, _REFERENCES, "nltk", {"lowercase": True}
    ),
    "the the the the": Example(
        # Papineni's example 2 without its full stops, for a precision of 2/7 as in the paper.
        "one word seven times",
        "the the the the the the the",
        "",
        "The cat is on the mat\nThere is a cat on the mat",
        "papineni",
        {"lowercase": True},
    ),
    "too short": Example(
        "right, but too short",
        "The cat is on",
        "",
        "The cat is on the mat and looks at the dog",
        "default",
        {},
    ),
    "a short sentence": Example("too short for 4-grams", "the cat", "", "the cat", "default", {}),
    "日本語": Example(
        "日本語 without spaces",
        "猫がマットの上に座っています。",
        "",
        "猫はマットの上に座っています。",
        "default",
        {},
    ),
    "العربية": Example(
        "العربية from right to left",
        "جلست القطة على السجادة .",
        "",
        "جلست القطة فوق السجادة .",
        "default",
        {},
    ),
}

EXAMPLE_NOTE = (
    "This is an example: 40 segments written for this demo, with two references, and three"
    " systems: atlas translates freely and well, birch word by word, cedar in a hurry. Your own"
    " files replace it."
)


class Sources(NamedTuple):
    """The fields for the texts."""

    origin: gr.Radio
    systems: gr.File
    system_columns: gr.JSON
    references: gr.File
    reference_columns: gr.JSON
    pasted_system: gr.Textbox
    pasted_second_system: gr.Textbox
    pasted_references: gr.Textbox
    labels: gr.JSON
    documents: gr.JSON
    keep_quotes: gr.Checkbox
    joins_runs: gr.Checkbox
    first_line: gr.Radio


class _RoleFields(NamedTuple):
    """The fields for the files of a role, which is "systems" or "references"."""

    file: gr.File
    note: gr.HTML


class _UploadFields(NamedTuple):
    """The fields that depend on the uploaded files."""

    described: gr.State  # the paths of each role whose columns are preselected
    roles: dict[str, _RoleFields]
    chosen: list[gr.JSON]  # the columns of each role, in the order of `Chosen`
    fold: gr.Accordion  # of the list; its label says what the columns are for
    columns: gr.HTML
    keep_quotes: gr.Checkbox
    joins_runs: gr.Checkbox
    first_line: gr.Radio

    def outputs(self) -> list[Block]:
        """Return the components that `_show_uploads` updates."""
        notes = [role.note for role in self.roles.values()]
        asked = [self.keep_quotes, self.joins_runs, self.first_line]
        return [self.described, *notes, *self.chosen, self.fold, self.columns, *asked]


def add_sources() -> Sources:
    """Add the fields to the demo; only the fields of the chosen origin are visible."""
    origin = gr.Radio([FROM_FILES, FROM_TEXT], value=FROM_FILES, label="Texts", elem_id="origin")
    # 1. Files, and what their columns are for.
    with gr.Column(elem_id="uploaded") as uploaded:
        with gr.Row(elem_id="files"):
            roles = {role: _add_role(role) for role in _HINTS}
        keep_quotes = gr.Checkbox(
            label="Keep the quotation marks around cells", visible=False, elem_id="keep-quotes"
        )
        first_line = gr.Radio(
            [HEAD_NAMES, HEAD_TEXTS],
            value=None,
            label="Line 1 of the table has",
            visible=False,
            elem_id="first-line",
        )
        with gr.Accordion("Columns", open=False, visible=False, elem_id="columns") as fold:
            columns = add_choices("", "columns-list")
        joins_runs = gr.Checkbox(visible=False, elem_id="joins-runs")
        chosen = [gr.JSON([], visible=False) for _ in Chosen._fields]
    described = gr.State({}, time_to_live=limits.SECONDS_KEPT)
    fields = _UploadFields(
        described=described,
        roles=roles,
        chosen=chosen,
        fold=fold,
        columns=columns,
        keep_quotes=keep_quotes,
        joins_runs=joins_runs,
        first_line=first_line,
    )
    # 2. One event for all files: of two, the answer to the older one may come last.
    files = [role.file for role in roles.values()]
    changes = []
    for file in files:
        changes += [file.upload, file.clear, file.delete]
    changes += [keep_quotes.input, first_line.input]
    show_uploads = partial(_show_uploads, fields)
    inputs = [described, keep_quotes, first_line, *chosen, *files]
    gr.on(changes, show_uploads, inputs, fields.outputs(), **limits.QUIET)
    # 3. A choice in the list counts at once. The list stays as it is, and with it the focus.
    columns.input(None, None, chosen, js="() => bleuPage.readColumns()")
    columns.input(_tell_choices, None, fold, **limits.QUIET)
    # 4. Pasted text.
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
        system_columns=chosen[0],
        references=roles["references"].file,
        reference_columns=chosen[1],
        pasted_system=pasted_system,
        pasted_second_system=pasted_second_system,
        pasted_references=pasted_references,
        labels=chosen[2],
        documents=chosen[3],
        keep_quotes=keep_quotes,
        joins_runs=joins_runs,
        first_line=first_line,
    )


def _add_role(role: str) -> _RoleFields:
    with gr.Column(min_width=260):
        file = gr.File(
            label=role.capitalize(), file_count="multiple", height=120, elem_id=f"{role}-file"
        )
        note = add_html(message(_HINTS[role], "note"), elem_id=f"{role}-note")
    return _RoleFields(file, note)


def _add_text(label: str, elem_id: str) -> gr.Textbox:
    return gr.Textbox(label=label, lines=5, max_lines=8, min_width=260, elem_id=elem_id)


def _show_uploads(
    fields: _UploadFields,
    before: Mapping[str, list[str]] | None,
    keeps_quotes: bool,
    first_line: str | None,
    *chosen_and_uploads: Names,
) -> dict[Block, object]:
    """Show how the files were read, and preselect columns.

    `before` has the paths of each role at the last event, `uploads` those of now. A role whose
    files have not changed keeps what is chosen for them.
    """
    before_chosen = Chosen(*map(as_list, chosen_and_uploads[: len(Chosen._fields)]))
    uploads = chosen_and_uploads[len(Chosen._fields) :]
    paths = {role: as_list(values) for role, values in zip(fields.roles, uploads)}
    unchanged = {role for role, own_paths in paths.items() if (before or {}).get(role) == own_paths}
    reading = Reading(keeps_quotes, first_line)
    described: dict[str, list[Description]] = {}
    update: dict[Block, object] = {fields.described: paths}
    # 1. Read the files, and say how, or what is wrong with them.
    for role, own_paths in paths.items():
        described[role] = []
        try:
            check_files(own_paths)
            described[role] = [describe_file(path, reading) for path in own_paths]
            note = list_files([_describe_reading(upload) for upload in described[role]])
        except limits.RejectedError as error:
            note = message(str(error))
        update[fields.roles[role].note] = note or message(_HINTS[role], "note")
    # 2. Preselect columns.
    all_uploads = [*described["systems"], *described["references"]]
    has_new_names = any(upload.has_odd_head for upload in all_uploads)
    kept = set() if has_new_names else unchanged
    chosen, is_certain = guess_chosen(described["systems"], described["references"])
    chosen = _keep_chosen(before_chosen, chosen, described, kept)
    listed = list_columns(described["systems"], described["references"], chosen)
    # 3. List them. The list is open if there is a question.
    update |= dict(zip(fields.chosen, chosen))
    update[fields.columns] = render_columns(listed)
    is_open = not is_certain or bool(find_missing(listed))
    update[fields.fold] = gr.update(visible=bool(listed), label=tell_columns(listed), open=is_open)
    # 4. Quotation marks around cells are a question only for tables that have them.
    has_quoted_cells = any(upload.has_quoted_cells for upload in all_uploads)
    update[fields.keep_quotes] = gr.update(visible=has_quoted_cells)
    has_odd_head = any(upload.has_odd_head for upload in all_uploads)
    update[fields.first_line] = gr.update(visible=has_odd_head)
    # 5. So are runs only for names that look so.
    named_role = "systems" if described["systems"] else "references"
    is_preselected = named_role not in unchanged
    tables = [upload for upload in all_uploads if upload.columns]
    update[fields.joins_runs] = _choose_runs(described["systems"] or tables, is_preselected)
    return update


def _choose_runs(uploads: Sequence[Description], is_preselected: bool) -> dict[str, object]:
    """Return the update of the choice whether systems are runs, if their names say so."""
    # 1. The names that the systems will have.
    names: list[str] = []
    for upload in uploads:
        columns = guess_columns(upload)["systems"] if upload.columns else []
        names += columns if len(columns) > 1 else [name_texts(upload.file)]
    # 2. The choice says what would be joined.
    runs = find_runs(names)
    counted = [f"{system} ({count_things(len(own), 'run')})" for system, own in runs.items()]
    label = f"Score the mean of runs: {', '.join(counted)}"
    update: dict[str, object] = gr.update(visible=bool(runs), label=label)
    if is_preselected:
        update["value"] = bool(runs)
    return update


def _keep_chosen(
    before: Chosen,
    guessed: Chosen,
    described: Mapping[str, Sequence[Description]],
    kept: Collection[str],
) -> Chosen:
    """Return what is guessed, with what was chosen before in the files of the kept roles."""
    chosen = guessed
    # 1. The columns of a role are in its own tables, or else in those of the other role.
    for role, uploads in described.items():
        has_tables = any(upload.columns for upload in uploads)
        if role in kept and (has_tables or len(kept) == len(described)):
            chosen = chosen._replace(**{role: getattr(before, role)})
    # 2. A column of groups or of documents is in any table. Another one is guessed in new tables.
    new = {role: [] if role in kept else uploads for role, uploads in described.items()}
    guessed_in_new, _ = guess_chosen(new["systems"], new["references"])
    names_kept = {name for role in kept for table in described[role] for name in table.columns}
    for kind in ("labels", "documents"):
        names = getattr(before, kind)
        is_kept = bool(names) and names_kept.issuperset(names)
        chosen = chosen._replace(**{kind: names if is_kept else getattr(guessed_in_new, kind)})
    return chosen


def _tell_choices(event: gr.EventData) -> dict[str, object]:
    """Return the update of the sentence after a choice: owner, name and role of all columns."""
    return gr.update(label=tell_columns([Column(*choice) for choice in event.choices]))


def _describe_reading(upload: Description) -> tuple[str, str]:
    """Return the name of a file, and how it was read."""
    read = "one per line"
    if upload.columns:
        read = f"columns: {', '.join(upload.columns)}"
    facts = [count_things(upload.segments, "segment"), *upload.remarks, read]
    return upload.file.name, ", ".join(facts)
