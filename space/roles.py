"""What files and columns are for: by their form, by their names, and by what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, islice
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import limits

if TYPE_CHECKING:
    from .forms import Table

# The roles of columns, in the words of the page.
ROLES = {
    "systems": "system",
    "references": "reference",
    "labels": "group",
    "documents": "document",
    "": "not used",
}
OPEN = "?"  # the role of a text that a visitor has to tell

# --- Names ----------------------------------------------------------------------------------------

# What names say; what is preselected can be changed.
_WORDS = {
    "references": "reference references ref refs refa refb refc refd gold target targets tgt"
    " expected groundtruth referenz referenzen référence références referencia riferimento"
    " referência эталон 参考 参考译文 参考答案 标准答案 正解 参考訳 参照訳",
    "labels": "domain group lp langpair languagepair label labels genre domäne domaine",
    "documents": "doc docid document documentid dokument",
    "systems": "prediction predictions predict predicted pred preds hypothesis hypotheses hyp hypo"
    " translation output response candidate mt completion generated generation übersetzung ausgabe"
    " hypothèse traduction traducción hipótesis перевод 译文 机器翻译 机器译文 输出 模型输出"
    " 機械翻訳 出力",
    "others": "source sources src input prompt question instruction context segment seg line lang"
    " language comment comments note notes remark remarks explanation rationale quelle"
    " ausgangstext eingabe fuente origen fonte исходный 原文 源文 输入 入力",
    "names": "system systemid systemname sysid model modelid modelname engine",
    "ids": "id ids segid segmentid lineid key index customid requestid uuid",
}
_KINDS = {kind: {*words.split()} for kind, words in _WORDS.items()}
_KINDS["others"] |= _KINDS["ids"]
# Words that may stand beside that of a role; besides, letters and codes of languages may.
_BESIDE_ROLES = {"human", "text", "texts", "sentence", "segment", "translation", "output"}
_BESIDE_ROLES |= {"test", "dev", "valid", "devtest", "newstest"}
# The words of a name end at other characters, and where the case changes: "refA" is "ref" and "A".
_NAME_WORD = re.compile("[A-ZÀ-Þ]?[a-zß-ÿа-яё]+|[A-ZÀ-Þ]+(?![a-zß-ÿ])|[^\\W\\d_a-zA-Z]+")
_SUFFIXES = (".gz", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".sgm", ".log")
_SEPARATORS = "._- /"


def find_role(name: str) -> str:
    """Return the role that the whole name of a column or file tells; empty if it tells none.

    A role is told by one word, beside which letters, numbers and codes of languages may stand. Of
    a path in JSON, the last key tells it. What a human translated is a reference.

    >>> [find_role(name) for name in ("refA", "tgt.de", "source_text", "pred_1", "Référence")]
    ['references', 'references', 'others', 'systems', 'references']
    >>> [find_role(name) for name in ("target-finetuned", "gold-mix", "prefA")]
    ['', '', '']
    """
    words = _split_name(name[-limits.MAX_VALUE_LENGTH :])  # a line may be taken for a name
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
                return "references" if role == "systems" and "human" in beside else role
    return ""


def _find_role_of_file(name: str) -> str:
    """Return the role that the name of a file tells, or one of its parts between periods.

    >>> _find_role_of_file("wmttest2022.de-en.ref.refA.en"), _find_role_of_file("human_ref")
    ('references', 'references')
    """
    parts = [find_role(part) for part in name.split(".")[1:]]
    last = find_role(re.split("[._ -]", name)[-1])
    at_end = last if last == "references" else ""
    return find_role(name) or next(filter(None, parts), at_end)


def is_named(name: str, kind: str) -> bool:
    """Return True if a name is one of a kind, such as "ids".

    >>> is_named("doc_ID", "documents"), is_named("row.custom_id", "ids")
    (True, True)
    """
    last = re.sub(r"\[\d+\]$", "", name).rpartition(".")[2]
    return any("".join(_split_name(each)) in _KINDS[kind] for each in (name, last))


def _split_name(name: str) -> list[str]:
    """Split a name into lowercase words.

    >>> _split_name("refA"), _split_name("doc_ID"), _split_name("参考译文")
    (['ref', 'a'], ['doc', 'id'], ['参考译文'])
    """
    return [word.lower() for word in _NAME_WORD.findall(name)]


def name_texts(path: str) -> str:
    """Return the name of a file without its suffix."""
    file = Path(path)
    if file.suffix.lower() == ".gz":
        file = file.with_suffix("")
    return file.stem


def rename(name: str, taken: Mapping[str, object]) -> str:
    """Return the name, with a number if it is taken.

    >>> rename("mt", {"mt": [], "mt (2)": []})
    'mt (3)'
    """
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(each for each in names if each not in taken)


def find_prefix(names: Sequence[str]) -> str:
    """Return what all names begin with, up to a separator, unless a name would be empty.

    >>> find_prefix(["wmt.en-de.Online-A", "wmt.en-de.Online-B"]), find_prefix(["mt1", "mt2"])
    ('wmt.en-de.Online-', '')
    """
    common = commonprefix(list(names))  # noqa: RUF071 of characters, as names are not paths
    length = max(common.rfind(separator) for separator in "._- ") + 1
    has_empty_rest = any(len(name) <= length for name in names)
    return "" if len(names) <= 1 or has_empty_rest else common[:length]


_RUN = re.compile(
    r"(?:^|(?<=[^a-z]))(?:seed|run|trial|s|r)[ =_-]?\d+(?=[^a-z0-9]|$)", re.IGNORECASE
)
_ONLY_RUN = re.compile(r"(?:seed|run|trial)[ =_-]?\d+", re.IGNORECASE)


def find_runs(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the runs of each of several systems; empty if the names don't tell of runs.

    >>> find_runs(["base.seed1.txt", "base.seed2.txt", "gpt-4.txt"])
    {'base': ['base.seed1.txt', 'base.seed2.txt'], 'gpt-4': ['gpt-4.txt']}
    >>> find_runs(["seed1", "seed2", "baseline"])
    {'seed': ['seed1', 'seed2'], 'baseline': ['baseline']}
    >>> find_runs(["base", "new"])
    {}
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
    has_several = any(len(own) > 1 for own in groups.values())
    return groups if has_several and len(groups) > 1 else {}


def _remove_suffixes(name: str) -> str:
    """Return a name without the suffixes of formats."""
    while name.lower().endswith(_SUFFIXES):
        name = name.rpartition(".")[0]
    return name


# --- Contents -------------------------------------------------------------------------------------

_LOOKED_AT = 200  # cells of a column
_LONG_WORD = 8  # characters beyond ASCII: of a sentence in a script written without spaces
_TEXT_SHARE = 0.3  # of the cells with several words, in a column of texts
_MOST_LABELS = 20  # of a column that is more likely of groups than of documents


def _find_kind(cells: Sequence[Any]) -> str:
    """Return what a column has: "texts", "words" or "numbers"; empty if all cells are.

    >>> [_find_kind(cells) for cells in (["a cat", "a dog"], ["news", "chat"], ["1", "2.5"])]
    ['texts', 'words', 'numbers']
    """
    looked_at = list(islice(_list_texts(cells), _LOOKED_AT))
    if not looked_at:
        return ""
    if all(map(_is_number, looked_at)):
        return "numbers"
    texts = sum(len(text.split()) > 1 or _is_unspaced(text) for text in looked_at)
    return "texts" if texts >= _TEXT_SHARE * len(looked_at) else "words"


def _list_texts(cells: Sequence[Any]) -> Iterator[str]:
    """Yield the texts that are not empty, from all parts of a column."""
    stride = max(1, len(cells) // _LOOKED_AT)
    for cell in (*cells[::stride], *cells[: 10 * _LOOKED_AT]):
        for text in cell if isinstance(cell, list) else [cell]:
            if isinstance(text, str) and text.strip():
                yield text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_unspaced(text: str) -> bool:
    return len(text) >= _LONG_WORD and not text.isascii()


# --- Uploads --------------------------------------------------------------------------------------


class Column(NamedTuple):
    """A column of an upload: its name in the table, that of its texts, its role and first text."""

    key: str
    name: str
    role: str
    example: str


class Upload(NamedTuple):
    """An uploaded file, as it was read, and what its columns are for.

    path: the path in the list, as of `files.list_uploads`.
    """

    path: str
    table: Table
    columns: Sequence[Column] = ()

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(self.path).name

    @property
    def rows(self) -> int:
        """The number of segments."""
        return len(next(iter(self.table.columns.values())))

    def select(self, role: str) -> list[Column]:
        """Return the columns with a role."""
        return [column for column in self.columns if column.role == role]

    def find_ids(self) -> list[str] | None:
        """Return the ids of the rows; None without ids, or if they are not unique."""
        for key, cells in self.table.columns.items():
            if is_named(key, "ids"):
                ids = [str(cell) for cell in cells]
                return ids if len(set(ids)) == len(ids) else None
        return None


class Missing(NamedTuple):
    """What has to be told or added before uploads can be scored.

    role: "systems" or "references"; empty if none is missing.
    can_be_chosen: True if a text of the uploads may have the role.
    """

    role: str = ""
    can_be_chosen: bool = False

    def ask(self) -> str:
        """Return the question, or what to add."""
        if self.can_be_chosen:
            return f"Which text is the {ROLES[self.role]}? Choose it beside the name of its file."
        return f"The {self.role} are missing. Add a file that has them."


_Roles = dict[tuple[str, str], str | None]  # by path and column; None as long as it is open


def assign_roles(
    tables: Mapping[str, Table], chosen: Mapping[str, Mapping[str, str]]
) -> tuple[list[Upload], Missing]:
    """Return the uploads with the roles of their columns, and what is missing.

    Args:
        tables: what each file has, by its path.
        chosen: the roles that a visitor has chosen, by path and column.
    """
    # 1. What forms, names and contents tell. If all texts are single words, words are texts.
    kinds = {
        (path, key): _find_kind(cells)
        for path, table in tables.items()
        for key, cells in table.columns.items()
    }
    kind_of_texts = "texts" if "texts" in kinds.values() else "words"
    are_texts = {place: kind == kind_of_texts for place, kind in kinds.items()}
    roles: _Roles = {}
    names = [_remove_suffixes(Path(path).name) for path in tables]
    prefix = find_prefix(names)
    earlier: list[Table] = []
    for (path, table), name in zip(tables.items(), names):
        own = _tell_roles(path, table, are_texts)
        if len(own) > 1 and table in earlier:
            own = dict.fromkeys(own, "")  # a table again: its texts are there already
        for place in own:
            if own[place] == "references" and any(
                other.columns.get(place[1]) == table.columns[place[1]] for other in earlier
            ):
                own[place] = ""  # of another system's log
        earlier.append(table)
        _tell_by_file(own, _find_role_of_file(name.removeprefix(prefix)))
        _tell_labels(own, table, kinds)
        roles |= own
    # 2. What the visitor has chosen, and what follows from the others.
    for path, own_chosen in chosen.items():
        roles |= {(path, key): role for key, role in own_chosen.items() if (path, key) in roles}
    missing = _complete(roles, are_texts)
    if missing == Missing("systems"):
        missing = _take_only(tables, roles, chosen)
    _keep_first(roles, "labels", chosen)
    _keep_first(roles, "documents", chosen)
    # 3. The columns with their names: of a file with one system, that of the file.
    uploads = []
    for path, table in tables.items():
        systems = [key for key in table.columns if roles[path, key] == "systems"]
        columns = []
        for key, cells in table.columns.items():
            role = roles[path, key] or ""
            is_alone = role == "systems" and len(systems) == 1 and not table.names_systems
            name = name_texts(path) if is_alone or not key else key
            example = next(_list_texts(cells), "")
            columns.append(Column(key, name, role, example))
        uploads.append(Upload(path, table, columns))
    return uploads, missing


def _tell_roles(path: str, table: Table, are_texts: Mapping[tuple[str, str], bool]) -> _Roles:
    """Return what the form of a table and the names of its columns tell."""
    own: _Roles = {}
    for key in table.columns:
        told: str | None = table.roles.get(key)
        if told is None:
            last = key.rpartition(".")[2]
            own_kinds = [kind for kind in ("labels", "documents") if is_named(key, kind)]
            # The Hub's data sets have a text and its translation: {"translation": {"en": …}}.
            is_pair = re.search(r"(?:^|\.)translation\.[a-z]{2,3}$", key)
            by_name = next(iter(own_kinds), "" if is_pair else find_role(key) or find_role(last))
            told = {"others": ""}.get(by_name, by_name) if by_name else None
        if told is None and not are_texts[path, key]:
            # A table may have a row per system and segment.
            count = len({*map(str, table.columns[key])}) if is_named(key, "names") else 0
            told = "labels" if 1 < count <= _MOST_LABELS else ""
        own[path, key] = told
    return own


def _tell_by_file(own: _Roles, role: str) -> None:
    """Give the role that the name of a file tells to its only text, if it is open.

    A file of references may call its column as a system does.
    """
    texts = [place for place, told in own.items() if told in ("systems", "references", None)]
    if role and len(texts) == 1 and (own[texts[0]] is None or role == "references"):
        own[texts[0]] = "" if role == "others" else role


def _tell_labels(own: _Roles, table: Table, kinds: Mapping[tuple[str, str], str]) -> None:
    """Find groups and documents in a file that has only words."""
    if any(told != "" for told in own.values()):
        return
    for path, key in own:
        cells = table.columns[key]
        different = set(map(str, cells))
        if kinds[path, key] != "words" or len(different) in (1, len(cells)) or is_named(key, "ids"):
            continue
        has_numbers = any(sign.isdigit() for text in different for sign in text)
        is_group = len(different) <= _MOST_LABELS and not has_numbers
        own[path, key] = "labels" if is_group else "documents"


def _complete(roles: _Roles, are_texts: Mapping[tuple[str, str], bool]) -> Missing:
    """Give the texts whose roles are open their roles, and return what is missing."""
    unknown = [place for place, role in roles.items() if role is None]
    # 1. Without any reference, a column of "labels" is one if it has texts.
    if "references" not in roles.values():
        for place, role in roles.items():
            if role == "labels" and are_texts[place]:
                roles[place] = "references"
    systems = [place for place, role in roles.items() if role == "systems"]
    references = [place for place, role in roles.items() if role == "references"]
    with_system = {path for path, _ in systems}
    # 2. One text beside systems in other files is the reference; a text alone is a system.
    if not references and len(unknown) == 1:
        ((path, key),) = unknown
        if path not in with_system:
            roles[path, key] = "references" if systems else "systems"
            return Missing() if systems else Missing("references")
    # 3. All others are systems, unless their table has some that are named so.
    for path, key in unknown:
        beside = "" if path in with_system else "systems"
        roles[path, key] = beside if references else OPEN
    if not references:
        return Missing("references", bool(unknown))
    if "systems" not in roles.values():
        return Missing("systems", len(references) > 1)
    return Missing()


def _take_only(
    tables: Mapping[str, Table], roles: _Roles, chosen: Mapping[str, Mapping[str, str]]
) -> Missing:
    """Make the only text file beside the reference a system, whatever its lines look like."""
    references = {path for (path, _), role in roles.items() if role == "references"}
    others = [
        path
        for path, table in tables.items()
        if path not in references
        and {*table.columns} == {""}
        and path not in chosen
        and _find_role_of_file(_remove_suffixes(Path(path).name)) != "others"
    ]
    rows = {len(next(iter(tables[path].columns.values()))) for path in [*others, *references]}
    if len(others) != 1 or len(rows) != 1:
        return Missing("systems")
    roles[others[0], ""] = "systems"
    return Missing()


def _keep_first(roles: _Roles, kind: str, chosen: Mapping[str, Mapping[str, str]]) -> None:
    """Keep one column of groups or of documents: the one that was chosen, or the first."""
    places = [place for place, role in roles.items() if role == kind]
    kept = [(path, key) for path, key in places if chosen.get(path, {}).get(key) == kind] or places
    for place in places:
        if place != kept[0]:
            roles[place] = ""


def check_roles(uploads: Sequence[Upload]) -> None:
    """Reject more systems or references than the page takes."""
    for role, limit in (("systems", limits.MAX_SYSTEMS), ("references", limits.MAX_REFERENCES)):
        found = sum(len(upload.select(role)) for upload in uploads)
        if found > limit:
            raise limits.RejectedError(f"There are {found} {role}; the limit is {limit}.")
