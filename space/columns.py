"""The list of an upload's columns: what each one is for, as guessed, or as the visitor chooses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import chain
from typing import NamedTuple

from .files import Description, ask_for_column, find_role, guess_columns, share_tables
from .html import shorten, show
from .options import join_clauses

_ROLES = {
    "systems": "system",
    "references": "reference",
    "labels": "group",
    "documents": "document",
    "": "not used",
}
_OWNERS = {"systems": "Files of systems", "references": "Files of references"}
_TOLD_NAMES = 3  # in the sentence, of the columns of a role
_NAME_CHARACTERS = 60
_EXAMPLE_CHARACTERS = 160


class Chosen(NamedTuple):
    """The columns of each role; there is one of labels, and one of documents, at most."""

    systems: list[str]
    references: list[str]
    labels: list[str]
    documents: list[str]


class Column(NamedTuple):
    """A column in the list.

    owner: the role whose files have the column; empty if tables are uploaded for one role only,
        which may have the columns of both.
    role: a key of `_ROLES`.
    """

    owner: str
    name: str
    role: str
    example: str = ""


def guess_chosen(
    systems: Sequence[Description], references: Sequence[Description]
) -> tuple[Chosen, bool]:
    """Guess what columns are for; also return False if no name tells, so that it has to be asked.

    >>> from pathlib import Path
    >>> table = Description(Path("a.tsv"), ["doc", "mt", "ref"], 9, ["mt", "ref"])
    >>> guess_chosen([table], [])
    (Chosen(systems=['mt'], references=['ref'], labels=[], documents=['doc']), True)
    """
    everything = [*systems, *references]
    likely = {}
    is_certain = True
    for role, own in (("systems", systems), ("references", references)):
        tables = _select_tables(share_tables(own, everything))
        likely[role] = _guess(tables, role)
        if not tables or likely[role]:
            continue
        is_certain = False
        # No name tells: take the first column for systems, the last for references.
        free = [name for name in tables[0].columns if find_role(name) != "others"]
        if own and free:
            likely[role] = [free[0] if role == "systems" else free[-1]]
    tables = _select_tables(everything)
    labels = _guess(tables, "labels")[:1]
    documents = _guess(tables, "documents")[:1]
    return Chosen(likely["systems"], likely["references"], labels, documents), is_certain


def _select_tables(uploads: Iterable[Description]) -> list[Description]:
    return [upload for upload in uploads if upload.columns]


def _guess(tables: Sequence[Description], kind: str) -> list[str]:
    """Return the different columns of all tables that are likely of a kind."""
    return list(dict.fromkeys(chain.from_iterable(guess_columns(table)[kind] for table in tables)))


def list_columns(
    systems: Sequence[Description], references: Sequence[Description], chosen: Chosen
) -> list[Column]:
    """Return the different columns of the tables of each role, with what they are chosen for.

    >>> from pathlib import Path
    >>> table = Description(Path("a.tsv"), ["mt", "ref"], 9, examples=["a cat", "the cat"])
    >>> list_columns([table], [], Chosen(["mt"], ["ref"], [], []))[1]
    Column(owner='', name='ref', role='references', example='the cat')
    """
    owned: Mapping[str, Sequence[Description]] = {"": [*systems, *references]}
    if systems and references:
        owned = {"systems": systems, "references": references}
    columns = []
    single = {"labels": chosen.labels[:1], "documents": chosen.documents[:1]}
    for owner, uploads in owned.items():
        examples: dict[str, str] = {}
        for table in _select_tables(uploads):
            own_examples = dict(zip(table.columns, table.examples))
            for name in table.columns:
                examples.setdefault(name, own_examples.get(name, ""))
        for name, example in examples.items():
            role = ""
            if name in chosen.references and owner != "systems":
                role = "references"
            elif name in chosen.systems and owner != "references":
                role = "systems"
            for kind, names in single.items():
                if not role and name in names:
                    role = kind
                    names.remove(name)
            columns.append(Column(owner, name, role, example))
    return columns


def find_missing(columns: Sequence[Column]) -> str:
    """Return the role for which no column is chosen; empty if all have one."""
    owners = {column.owner for column in columns}
    roles = {column.role for column in columns}
    # References come first, because without them their column is taken for a system.
    for role in ("references", "systems"):
        if owners & {role, ""} and role not in roles:
            return role
    return ""


def tell_columns(columns: Sequence[Column]) -> str:
    """Return in a sentence what the columns are for, or the question that is open.

    >>> names = {"domain": "labels", "ref": "references", "A": "systems", "B": "systems", "n": ""}
    >>> columns = [Column("", name, role) for name, role in names.items()]
    >>> tell_columns(columns)
    'Columns: A and B are systems, ref is the reference, a score per domain; 1 is not used'
    >>> tell_columns(columns[2:])
    'Which column has the reference?'
    """
    missing = find_missing(columns)
    if missing:
        return ask_for_column(missing)
    names = {role: [column.name for column in columns if column.role == role] for role in _ROLES}
    clauses = []
    for role, one, several in (
        ("systems", "{} is the system", "{} are systems"),
        ("references", "{} is the reference", "{} are references"),
        ("labels", "a score per {}", ""),
        ("documents", "tests by {}", ""),
    ):
        if names[role]:
            clause = one if len(names[role]) == 1 else several
            clauses.append(clause.format(_join_names(names[role])))
    sentence = f"Columns: {', '.join(clauses)}"
    unused = len(names[""])
    if unused:
        sentence += f"; {unused} {'is' if unused == 1 else 'are'} not used"
    return sentence


def _join_names(names: Sequence[str]) -> str:
    told = [shorten(name, _NAME_CHARACTERS) for name in names[:_TOLD_NAMES]]
    hidden = len(names) - len(told)
    if hidden:
        told.append(f"{hidden} more")
    return join_clauses(told)


def render_columns(columns: Sequence[Column]) -> str:
    """Return the list as HTML: per column its name, its first text, and the choice of its role."""
    items: dict[str, list[str]] = {}  # by owner
    for number, column in enumerate(columns):
        items.setdefault(column.owner, []).append(_render_column(number, column))
    lists = []
    for owner, own_items in items.items():
        title = f'<h3 class="bleu-label">{_OWNERS[owner]}</h3>' if owner else ""
        lists.append(f"{title}<ul>{''.join(own_items)}</ul>")
    return f'<div class="bleu-columns">{"".join(lists)}</div>' if lists else ""


def _render_column(number: int, column: Column) -> str:
    """Return a row; the choice is named by the column, and described by its first text."""
    options = []
    for role, words in _ROLES.items():
        is_possible = role not in _OWNERS or column.owner in ("", role)
        if is_possible:
            state = " selected" if role == column.role else ""
            options.append(f'<option value="{role}"{state}>{words}</option>')
    name = show(shorten(column.name, _NAME_CHARACTERS))
    example = show(shorten(column.example, _EXAMPLE_CHARACTERS))
    return (
        f'<li><b id="column-{number}">{name}</b>'
        f'<span id="column-text-{number}" dir="auto">{example}</span>'
        f'<select aria-labelledby="column-{number}" aria-describedby="column-text-{number}"'
        # Not `show`, which changes characters that can't be seen.
        f' data-owner="{column.owner}" data-name="{escape(column.name)}">'
        f"{''.join(options)}</select></li>"
    )
