"""Forms of files: what the bytes of an upload become, as columns of cells.

A file is read as what it is: its beginning decides, and its suffix only between forms that look
alike. A file is parsed only if its size and its number of values are within the limits.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import charset_normalizer
from lxml import etree

from . import limits
from .metric import core
from .roles import find_role, is_named

# A cell of a table: a text, several, None, or whatever else JSON has, which isn't accepted.
Cell = Any

FORMATS = "text, CSV, TSV, JSON, JSONL, WMT’s XML or SGML, or fairseq’s log"
UPLOAD_LESS = "Upload a part of it, or use the metric in Python (see About)."

_BEGINNING = 4096  # characters that tell the form of a file
_ROLES_OF_TEXTS = ("systems", "references")

# The choices of how a file is read, besides names of encodings.
KEEP_QUOTES = "keep"
HEAD_NAMES = "names"
HEAD_TEXTS = "texts"


class Choice(NamedTuple):
    """A choice about how a file is read.

    name: the field of `Reading`.
    options: the words of each value.
    value: the one in effect; empty as long as the visitor has to choose.
    """

    name: str
    label: str
    options: Mapping[str, str]
    value: str


class Reading(NamedTuple):
    """What a visitor has chosen about how a file is read; empty for what the page finds best."""

    encoding: str = ""
    quotes: str = ""
    head: str = ""


class Table(NamedTuple):
    """What a file has.

    form: in words; empty for plain text.
    columns: the cells by name; the only column of plain text has no name.
    roles: what the form tells about columns.
    remarks: what is special about how the file was read.
    choices: what the visitor may choose, or has to.
    names_systems: True if columns have the names of systems, even one alone.
    """

    form: str
    columns: dict[str, list[Cell]]
    roles: Mapping[str, str] = {}
    remarks: Sequence[str] = ()
    choices: Sequence[Choice] = ()
    names_systems: bool = False


def read_table(path: str, reading: Reading = Reading()) -> Table:  # noqa: B008 immutable
    """Read a file, or raise in words why it can't be read."""
    file = Path(path)
    name = file.name
    if not file.exists():
        raise limits.RejectedError(
            f"{name} was deleted, as all uploads are after a while. Upload it again."
        )
    # 1. The bytes, unpacked.
    data = b"".join(read_pieces(file))
    remarks = ["unpacked"] if is_packed(file) else []
    _reject_binary(name, data)
    # 2. The text.
    decoded = _decode(name, data, reading.encoding)
    remarks += decoded.remarks
    text = decoded.text
    if not text.strip():
        raise limits.RejectedError(f"{name} has no text. Upload another file.")
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
        remarks.append("lines end in CR")
    # 3. The form.
    suffix = find_suffix(file)
    beginning = text[:_BEGINNING].lstrip().lower()
    if re.match(r"<!doctype html|<html", beginning):
        raise limits.RejectedError(f"{name} is a web page. This page needs texts: {FORMATS}.")
    table = _read_form(name, text, suffix, beginning, reading, is_utf16=decoded.is_utf16)
    return table._replace(
        remarks=[*remarks, *table.remarks], choices=[*decoded.choices, *table.choices]
    )


def _read_form(
    name: str, text: str, suffix: str, beginning: str, reading: Reading, *, is_utf16: bool
) -> Table:
    """Read the text of a file by its form."""
    if _MARKUP.match(beginning) or (suffix in (".xml", ".sgm", ".sgml") and beginning[:1] == "<"):
        return _read_markup(name, text, beginning)
    if suffix in (".jsonl", ".ndjson"):
        return _read_json_lines(name, text)
    if suffix == ".json" or _is_json_lines(text):
        return _read_json(name, text)
    if _is_log(text):
        return _read_log(name, text)
    if suffix in _DELIMITERS:
        return _read_delimited(name, text, suffix, reading)
    # Excel's "Unicode text" is a table, as are lines with as many tabs below names of roles.
    check_lines(name, text)
    head, *others = lines = split_lines(text)
    tabs = head.count("\t")
    if tabs and (
        is_utf16
        or (
            any(map(find_role, head.split("\t", limits.MAX_COLUMNS)))
            and all(line.count("\t") == tabs for line in others if line)
        )
    ):
        return _read_delimited(name, text, ".tsv", reading)
    return Table("", {"": lines})


def read_text(text: str, role: str) -> list[list[Cell]]:
    """Return the columns of pasted text that have a role; a file of WMT may be pasted as well.

    Blank lines around the text don't count.

    >>> read_text("\\na\\n\\nb\\n\\n", "systems")
    [['a', '', 'b']]
    """
    plain = re.sub(r"\A(?:[ \t\r]*\n)+|\s+\Z", "", text)
    beginning = plain[:_BEGINNING].lower()
    if not (_MARKUP.match(beginning) and "<seg" in plain) and not _is_log(plain):
        return [split_lines(plain)] if plain else []
    table = _read_form("The pasted text", plain, "", beginning, Reading(), is_utf16=False)
    # What is pasted for a role has it, whatever the file itself says.
    texts = {key: cells for key, cells in table.columns.items() if table.roles.get(key) != ""}
    of_role = [cells for key, cells in texts.items() if table.roles.get(key) == role]
    others = [cells for key, cells in texts.items() if table.roles.get(key) in _ROLES_OF_TEXTS]
    return of_role or others


def find_suffix(file: Path) -> str:
    """Return the suffix of the name; of a packed file, the one before."""
    suffix = file.suffix.lower()
    return file.with_suffix("").suffix.lower() if suffix == ".gz" else suffix


# --- Bytes and text -------------------------------------------------------------------------------

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20  # bytes read at once, so that other requests are not kept waiting


def is_packed(file: Path) -> bool:
    """Return True for a file that is packed with gzip."""
    with open(file, "rb") as opened:
        return opened.read(len(_GZIP)) == _GZIP


def read_pieces(file: Path) -> Iterator[bytes]:
    """Yield the pieces of a file, unpacked; up to the limit of all files."""
    limit = limits.MAX_FILE_MEGABYTES * 1_000_000
    opener = gzip.open if is_packed(file) else open
    size = 0
    try:
        with opener(file, "rb") as opened:
            while size <= limit and (piece := opened.read(_PIECE)):  # else it is rejected
                size += len(piece)
                yield piece
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DamagedError(
            f"{file.name} is damaged or incomplete. Pack it again, or upload it without packing."
        ) from None


class DamagedError(limits.RejectedError):
    """A packed file that can't be unpacked."""


_PICTURE = "a picture"
_ZIPPED = {  # by a name that only such a ZIP file has
    b"word/document": "a Word file",
    b"xl/workbook": "an Excel file",
    b"ppt/presentation": "a PowerPoint file",
    b"data.pkl": "a model",
    b"content.xml": "an OpenDocument file",
}
_BINARY = {  # by the first bytes of a file
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"%PDF-": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel file",
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"GIF8": _PICTURE,
    b"RIFF": "a picture or a sound",
    b"GGUF": "a model",
    b"\x89HDF": "a model",
    b"\x80\x02": "a pickle of Python",
    b"\x80\x04": "a pickle of Python",
    b"\x80\x05": "a pickle of Python",
    b"\x93NUMPY": "an array of NumPy",
    b"SQLite format 3": "a database",
    _GZIP: "a gzip file within a gzip file",
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ": "packed with xz",
    b"7z\xbc\xaf": "a 7z file",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
}


def _reject_binary(name: str, data: bytes) -> None:
    """Reject what isn't text by its first bytes."""
    kind = next((kind for start, kind in _BINARY.items() if data.startswith(start)), None)
    if data.startswith(b"PK\x03\x04"):
        ends = data[:65536] + data[-65536:]
        kind = next((kind for inner, kind in _ZIPPED.items() if inner in ends), "a ZIP file")
    if data[8:10] == b'{"' and b"\0\0\0" in data[:8]:
        kind = "a model"  # of safetensors, which begin with the length of a head in JSON
    if kind:
        raise limits.RejectedError(f"{name} is {kind}. This page needs texts: {FORMATS}.")


_ENCODINGS = {
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "cp1257": "Windows-1257",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp932": "Shift JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
}
_LATIN = ("cp1250", "cp1254", "cp1257")
_SAMPLE_BYTES = 8_000  # of lines in another encoding
_SAMPLE_WORDS = 3  # that are shown of it
_OFFERED_ENCODINGS = 4
_DAMAGED_SHARE = 0.1  # of the characters beyond ASCII; a file in another encoding has more


class _Decoded(NamedTuple):
    """The text of a file, and how it was decoded if it isn't in UTF-8."""

    text: str
    remarks: Sequence[str] = ()
    choices: Sequence[Choice] = ()
    is_utf16: bool = False


def _decode(name: str, data: bytes, chosen: str) -> _Decoded:
    """Decode the bytes of a file: in UTF-8, in UTF-16, or in the encoding that fits best."""
    # 1. UTF-16, with its mark or by its zero bytes.
    sample = data[:4096]
    zeros = [sample[place::2].count(0) for place in (0, 1)]
    has_mark = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if has_mark or any(zeros):
        return _decode_utf16(name, data, has_mark, is_big=zeros[0] > zeros[1])
    # 2. UTF-8.
    if b"\0" in data:
        raise limits.RejectedError(
            f"{name} is not a text file: it has zero bytes. This page needs {FORMATS}."
        )
    try:
        return _Decoded(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        repaired = data.decode("utf-8", "replace")
        strange = sum(not sign.isascii() for sign in repaired)
        if repaired.count("\ufffd") < _DAMAGED_SHARE * strange:
            line = 1 + data.count(b"\n", 0, error.start)
            raise limits.RejectedError(
                f"{name} is in UTF-8, but damaged (line {line:,}, byte 0x{data[error.start]:02X})."
                " Save it again as UTF-8."
            ) from None
    # 3. Another encoding, which the page shows by some words.
    lines = [line for line in data.splitlines() if not line.isascii()]
    sample = b"\n".join(lines)[:_SAMPLE_BYTES]
    likely = _list_encodings(sample)
    encoding = chosen if chosen in _ENCODINGS else likely[0]
    words = {each: _show_words(sample, each) for each in dict.fromkeys([*likely, encoding])}
    options = {each: f"{_ENCODINGS[each]}: {shown}" for each, shown in words.items()}
    remark = f"read as {_ENCODINGS[encoding]}: {words[encoding]}"
    choice = Choice("encoding", "Encoding", options, encoding)
    return _Decoded(data.decode(encoding, "replace"), [remark], [choice])


def _decode_utf16(name: str, data: bytes, has_mark: bool, is_big: bool) -> _Decoded:
    encoding = "utf-16" if has_mark else "utf-16-be" if is_big else "utf-16-le"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        problem = "is not a text file: it has zero bytes"
        if has_mark:
            problem = "is not in UTF-16, though it begins so"
        raise limits.RejectedError(f"{name} {problem}. Save it as UTF-8.")
    return _Decoded(text.removeprefix("\ufeff"), ["UTF-16"], is_utf16=True)


def _list_encodings(sample: bytes) -> list[str]:
    """Return the encodings in which bytes are likely text, the most likely first.

    >>> _list_encodings("für größere Häuser".encode("cp1252"))[0]
    'cp1252'
    >>> _list_encodings("Привет, это тест".encode("koi8-r"))[0]
    'koi8_r'
    """
    matches = charset_normalizer.from_bytes(
        sample, cp_isolation=list(_ENCODINGS), enable_fallback=False
    )
    # Of encodings with the same text, the first of the table is the most frequent.
    likely = [
        each for match in matches for each in _ENCODINGS if each in match.could_be_from_charset
    ]
    # Western Europe's is far more frequent than others with Latin letters.
    if "cp1252" in likely and likely[0] in _LATIN:
        likely.insert(0, "cp1252")
    decodable = [each for each in _ENCODINGS if "\ufffd" not in sample.decode(each, "replace")]
    found = list(dict.fromkeys([*likely, *decodable, "cp1252"]))
    return found[:_OFFERED_ENCODINGS]


def _show_words(sample: bytes, encoding: str) -> str:
    """Return some words with characters beyond ASCII."""
    words = re.findall(r"[^\W\d_]+", sample.decode(encoding, "replace"))
    shown = dict.fromkeys(word[:12] for word in words if not word.isascii())
    return ", ".join(islice(shown, _SAMPLE_WORDS))


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


def check_lines(
    name: str, text: str, limit: int = limits.MAX_SEGMENTS, signs: Sequence[str] = ()
) -> None:
    """Reject a text with too many or too long lines, or with too many values.

    `signs` are the characters that begin or end a value.
    """
    _check_rows(name, text.count("\n") - text.endswith("\n") + 1, limit)
    _check_signs(name, text, signs)
    if max(map(len, text.split("\n"))) > limits.MAX_LINE_CHARACTERS:
        raise limits.RejectedError(
            f"{name} has a line of over {limits.MAX_LINE_CHARACTERS:,} characters. Write one"
            " text per line."
        )


def _check_signs(name: str, text: str, signs: Sequence[str]) -> None:
    """Reject a text with more values than can be parsed soon."""
    if sum(map(text.count, signs)) > limits.MAX_FILE_SIGNS:
        raise limits.RejectedError(
            f"{name} has more than {limits.MAX_FILE_SIGNS:,} cells or values. Leave out columns, or"
            " upload a part of it."
        )


def _check_rows(name: str, count: int, limit: int = limits.MAX_SEGMENTS) -> None:
    if count > limit:
        raise limits.RejectedError(
            f"{name} has more than {limit:,} lines, the limit here. {UPLOAD_LESS}"
        )


def _check_columns(name: str, count: int) -> None:
    if count > limits.MAX_COLUMNS:
        raise limits.RejectedError(
            f"{name} has more than {limits.MAX_COLUMNS} columns. Leave out those that are not"
            " needed."
        )


# --- WMT's XML and SGML ---------------------------------------------------------------------------

# Not every text that begins with a tag: "<think>" is what a language model writes.
_MARKUP = re.compile(
    r"<\?xml|(?:<!doctype.*?>|<!--.*?-->|\s)*<(?:dataset|mteval|(?:src|ref|tst)set|doc)\b",
    re.DOTALL,
)
_XML_PROBLEMS = {"depth": "nested too deeply", "entity": "entities within entities"}
_SETS = ("src", "ref", "hyp", "srcset", "refset", "tstset")
_ROLE_OF_SET = {"ref": "references", "refset": "references", "hyp": "systems", "tstset": "systems"}


class _Segment(NamedTuple):
    """A segment of a set: its column, its place in the test set, and its text."""

    column: str
    role: str
    document: str
    domain: str
    number: str
    text: str


def _read_markup(name: str, text: str, beginning: str) -> Table:
    """Read the test sets of WMT: XML since 2021, SGML before."""
    _check_signs(name, text, ("<",))
    # 1. Parse it, without entities of its own and without requests. SGML isn't well-formed.
    is_xml = beginning.startswith("<?xml") or "<dataset" in beginning
    parser: Any = etree.HTMLParser(encoding="utf-8", no_network=True)
    if is_xml:
        parser = etree.XMLParser(
            encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False
        )
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        problem = str(error).partition(", line")[0]
        words = next((words for sign, words in _XML_PROBLEMS.items() if sign in problem), problem)
        raise limits.RejectedError(f"{name} can’t be read as XML: {words}.") from None
    # 2. Collect the segments of each set in the order of the file.
    columns: dict[str, dict[tuple[str, str], str]] = {}
    roles: dict[str, str] = {}
    domains: dict[tuple[str, str], str] = {}
    for segment in [] if root is None else _list_segments(root):
        place = (segment.document, segment.number)
        taken = columns.setdefault(segment.column, {})
        # A name may come twice in the source, which isn't scored.
        if place in taken and (segment.role or roles[segment.column]):
            owner = f"document {segment.document}" if segment.document else "the file"
            raise limits.RejectedError(
                f"{name}: {owner} has segment {segment.number} of {segment.column} twice. Give each"
                " document an id and each set a name of its own (system, sysid, refid or"
                " translator), and number the segments of a document without starting again."
            )
        taken[place] = segment.text
        roles[segment.column] = segment.role
        domains.setdefault(place, segment.domain)
    if not columns:
        raise limits.RejectedError(
            f"{name} has tags, but no segments as in WMT’s XML or SGML. Upload the texts in it."
        )
    _check_rows(name, len(domains))
    # 3. A row per segment; some test sets have segments without a reference, which don't count.
    references = [cells for column, cells in columns.items() if roles[column] == "references"]
    with_reference = {place for cells in references for place in cells}
    kept = [place for place in domains if place in with_reference or not references]
    table: dict[str, list[Cell]] = {
        column: [cells.get(place) for place in kept] for column, cells in columns.items()
    }
    remarks = []
    if len(kept) < len(domains):
        remarks.append(f"{len(kept):,} of {len(domains):,} lines have a reference")
    for column, cells in table.items():
        missing = cells.count(None)
        if missing and roles[column] == "systems":
            roles[column] = ""
            remarks.append(f"{column} lacks {core.count_things(missing, 'line')}: not used")
    # 4. Documents and domains.
    table["document"] = [document for document, _ in kept]
    roles["document"] = "documents"
    if any(domains.values()):
        table["domain"] = [domains[place] for place in kept]
        roles["domain"] = "labels"
    remarks.append(core.count_things(len({*table["document"]}), "document"))
    form = "WMT’s XML" if is_xml else "WMT’s SGML"
    return Table(form, table, roles, remarks, names_systems=True)


def _list_segments(root: Any) -> Iterator[_Segment]:
    """Yield the segments of all sets; in SGML a set has documents, in XML a document has sets."""
    numbers: Counter[tuple[Any, str, str]] = Counter()
    documents = _name_documents(root)
    for segment in root.iter("seg"):
        set_name = column = document = domain = ""
        for parent in segment.iterancestors():
            tag = parent.tag
            if tag in _SETS:
                set_name = tag
            if tag in ("src", "ref", "hyp", "refset", "tstset", "doc") and not column:
                column = _find_attribute(parent, "system", "sysid", "refid", "translator")
            if tag == "doc":
                document = document or documents[parent]
                domain = domain or _find_attribute(parent, "domain", "genre")
        role = _ROLE_OF_SET.get(set_name, "")
        if not role:
            column = "source"
        elif role == "references" and not column.lower().startswith("ref"):
            column = f"ref {column}".strip()
        # Segments without a number are counted.
        counter = (next(segment.iterancestors(*_SETS), None), column, document)
        numbers[counter] += 1
        number = segment.get("id") or f"{numbers[counter]}"
        text = " ".join("".join(segment.itertext()).split("\n")).strip()
        yield _Segment(column or "system", role, document, domain, number, text)


def _name_documents(root: Any) -> dict[Any, str]:
    """Return the id of each document; its number in the set, or in the file, if it has none."""
    numbers: Counter[tuple[Any, str]] = Counter()
    names: dict[Any, str] = {}
    for document in root.iter("doc"):
        counter = (next(document.iterancestors(*_SETS), None), document.get("sysid"))
        numbers[counter] += 1
        names[document] = _find_attribute(document, "id", "docid") or f"{numbers[counter]}"
    return names


def _find_attribute(element: Any, *names: str) -> str:
    return next((element.get(name) for name in names if element.get(name)), "")


# --- fairseq's log --------------------------------------------------------------------------------

_LOGGED = re.compile(r"^([STHD])-(\d{1,9})\t(.*)$", re.MULTILINE)
_LOG_SHARE = 0.3  # of the first lines
_LOG_NAMES = {"S": "source", "T": "target", "H": "hypothesis", "D": "detokenized hypothesis"}


def _is_log(text: str) -> bool:
    lines = text[:20_000].split("\n")[:200]
    logged = sum(_LOGGED.match(line) is not None for line in lines)
    return logged >= max(1, _LOG_SHARE * sum(map(bool, lines)))


def _read_log(name: str, text: str) -> Table:
    """Read what fairseq-generate prints, in the order of its numbers."""
    check_lines(name, text, 10 * limits.MAX_SEGMENTS)
    columns: dict[str, dict[int, str]] = {}
    for sign, number, cell in _LOGGED.findall(text):
        # A hypothesis has its score before it. Of several, the first one is the best.
        words = cell.partition("\t")[2] if sign in "HD" else cell
        columns.setdefault(sign, {}).setdefault(int(number), words)
    numbers = sorted({number for cells in columns.values() for number in cells})
    _check_rows(name, len(numbers))
    system = "D" if "D" in columns else "H"  # what fairseq itself scores
    role_of = {"T": "references", system: "systems"}
    signs = [sign for sign in _LOG_NAMES if sign in columns]
    table: dict[str, list[Cell]] = {
        _LOG_NAMES[sign]: [columns[sign].get(number) for number in numbers] for sign in signs
    }
    roles = {_LOG_NAMES[sign]: role_of.get(sign, "") for sign in signs}
    return Table("fairseq’s log, in the order of its numbers", table, roles)


# --- JSON -----------------------------------------------------------------------------------------

_DEEPEST = 6  # keys within keys
_MOST_ITEMS = 3  # of a list of objects whose keys become columns
_ANSWER = re.compile(r"(?:^|\.)(?:choices\[0\]\.)?message\.content$|(?:^|\.)output_text$")


def _is_json_lines(text: str) -> bool:
    """Return True if the text is an object or a list in JSON, or if its first lines are objects."""
    beginning = text[:200].lstrip()
    if not beginning.startswith(("{", "[{", '["', "[\n", "[ ")):
        return False
    lines = [line for line in text.split("\n", 3)[:3] if line.strip()]
    return all(map(_is_json, lines)) or _is_json(text)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _load_json(where: str, text: str, advice: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f", line {error.lineno:,}" if "\n" in text.strip() else ""
        raise limits.RejectedError(f"{where}{place} is not JSON ({error.msg}). {advice}") from None
    except (ValueError, RecursionError):
        # An integer of thousands of digits, or a thousand brackets.
        raise limits.RejectedError(
            f"{where} has a number that is too large, or is nested too deeply."
        ) from None


def _read_json(name: str, text: str) -> Table:
    """Read JSON: a list of objects or of texts, or an object with lists; or objects by line."""
    _check_signs(name, text, (",", "[", "{"))
    first, _, second = text.lstrip().partition("\n")
    if second.strip() and _is_json(first):
        return _read_json_lines(name, text)
    value = _load_json(name, text, "Write a list of objects, or one object per line.")
    rows = _find_rows(value)
    columns = _find_lists(value) or _flatten_rows(name, rows)
    if not columns:
        raise limits.RejectedError(
            f'{name}: expected a list of objects, such as [{{"prediction": "…"}}], or lists of'
            ' texts, such as {"predictions": ["…"], "references": [["…"]]}.'
        )
    return _make_json(name, columns, "JSON")


def _find_lists(value: object) -> dict[str, list[Cell]]:
    """Return the lists of texts of an object, if all have the same length; else none.

    >>> _find_lists({"predictions": ["a"], "references": [["a", "b"]], "bleu": 3})
    {'predictions': ['a'], 'references': [['a', 'b']]}
    """
    if not isinstance(value, dict):
        return {}
    lists: dict[str, list[Cell]] = {
        str(key): cells
        for key, cells in value.items()
        if isinstance(cells, list) and cells and all(map(_is_cell, cells))
    }
    return lists if len({len(cells) for cells in lists.values()}) == 1 else {}


def _is_cell(value: object) -> bool:
    """Return True for a text, None, or several texts."""
    if isinstance(value, list):
        return all(isinstance(text, str | None) for text in value)
    return isinstance(value, str | None)


def _find_rows(value: object) -> list[dict[str, Any]]:
    """Return the list of objects or texts in a value of JSON; empty without one."""
    if isinstance(value, dict):
        found = [rows for each in value.values() if (rows := _find_rows(each))]
        return found[0] if len(found) == 1 else []
    if not isinstance(value, list) or not value:
        return []
    if all(isinstance(row, dict) for row in value):
        return value
    return [{"": row} for row in value] if all(map(_is_cell, value)) else []


def _read_json_lines(name: str, text: str) -> Table:
    check_lines(name, text, signs=(",", "[", "{"))
    rows: list[dict[str, Any]] = []
    keys: set[str] = set()
    for number, line in enumerate(split_lines(text.rstrip()), 1):
        where = f"{name}, line {number:,}"
        row = _load_json(where, line, "Write one object per line.")
        if isinstance(row, str):
            row = {"": row}
        if not isinstance(row, dict) or not row:
            raise limits.RejectedError(
                f'{where}: expected an object such as {{"prediction": "…"}}.'
            )
        keys = keys or set(row)
        if row.keys() != keys:
            raise limits.RejectedError(f"{where} has other keys than line 1.")
        rows.append(row)
    return _make_json(name, _flatten_rows(name, rows), "JSONL")


def _flatten_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Cell]]:
    """Return the cells of rows by their paths, such as `choices[0].message.content`."""
    _check_rows(name, len(rows))
    if (
        rows
        and {"doc", "target"} <= rows[0].keys()
        and {"filtered_resps", "resps"} & rows[0].keys()
    ):
        return _read_samples(rows)
    columns: dict[str, list[Cell]] = {}
    for number, row in enumerate(rows):
        for path, cell in _list_cells(row, "", 0):
            column = columns.get(path)
            if column is None:
                _check_columns(name, len(columns) + 1)
                column = columns[path] = []
            column.extend([None] * (number - len(column)))
            if len(column) == number:
                column.append(cell)
    for column in columns.values():
        column.extend([None] * (len(rows) - len(column)))
    return columns


def _read_samples(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Cell]]:
    """Return the answers and targets in a log of samples of lm-evaluation-harness.

    Prompts and documents are left out. Several filters of the same answers are systems.

    >>> row = {"doc_id": 7, "doc": {}, "target": " a b", "resps": [["a\\nc"]]}
    >>> _read_samples([{**row, "filtered_resps": ["a"]}])
    {'id': [7], 'target': [' a b'], 'response': ['a']}
    """
    filters: dict[object, list[Mapping[str, Any]]] = {}
    for row in rows:
        filters.setdefault(row.get("filter"), []).append(row)
    first = next(iter(filters.values()))
    columns: dict[str, list[Cell]] = {
        "id": [row.get("doc_id") for row in first],
        "target": [row["target"] for row in first],
    }
    for name, own in filters.items():
        if len(own) == len(first):
            key = "response" if len(filters) == 1 else str(name)
            columns[key] = [_find_answered(row) for row in own]
    return columns


def _find_answered(sample: Mapping[str, Any]) -> Cell:
    """Return the first answer, which is in a list, or in a list of lists."""
    answer = sample.get("filtered_resps", sample.get("resps"))
    while isinstance(answer, list) and answer:
        answer = answer[0]
    return answer


def _list_cells(value: Mapping[str, Any], path: str, depth: int) -> Iterator[tuple[str, Cell]]:
    """Yield the cells of an object with their paths."""
    for key, inner in value.items():
        place = f"{path}.{key}" if path else str(key)
        if key == "messages" and isinstance(inner, list):
            yield place, _find_answer(inner)
        elif isinstance(inner, dict) and depth < _DEEPEST:
            yield from _list_cells(inner, place, depth + 1)
        elif _has_objects(inner) and depth < _DEEPEST:
            for number, item in enumerate(inner[:_MOST_ITEMS]):
                yield from _list_cells(item, f"{place}[{number}]", depth + 1)
        else:
            yield place, inner


def _has_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)


def _find_answer(messages: Sequence[object]) -> Cell:
    """Return the last turn of the assistant in a chat.

    >>> _find_answer([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
    'b'
    """
    turns = [each for each in messages if isinstance(each, dict)]
    answers = [each.get("content") for each in turns if each.get("role") == "assistant"]
    return answers[-1] if answers else None


def _make_json(name: str, columns: Mapping[str, list[Cell]], form: str) -> Table:
    """Return a table of JSON: columns without texts are left out, and answers are in order."""
    kept: dict[str, list[Cell]] = {}
    roles = {}
    remarks = []
    problem = f'{name} has no texts. Write objects such as {{"prediction": "…"}}.'
    for path, cells in columns.items():
        first = next((cell for cell in cells if cell is not None), None)
        if not isinstance(first, str | list | dict):
            continue  # numbers
        odd = _find_odd_cell(cells)
        if odd is not None:
            expected = f"expected a text or up to {limits.MAX_REFERENCES} texts"
            problem = f"{name}, line {odd + 1:,}: {expected}."
            remarks.append(f"{path} is left out (line {odd + 1:,}: {expected})")
            continue
        are_alone = all(isinstance(cell, list) and len(cell) == 1 for cell in cells)
        kept[path] = [text for (text,) in cells] if are_alone else cells
        if _ANSWER.search(path):
            roles[path] = "systems"
    if not kept:
        raise limits.RejectedError(problem)
    # Ids join the rows of several files; in CSV, they are texts.
    kept |= {
        path: [str(cell) for cell in cells]
        for path, cells in columns.items()
        if is_named(path, "ids") and all(isinstance(cell, int) for cell in cells)
    }
    texts = sum(len(cell) for cells in kept.values() for cell in cells if isinstance(cell, list))
    if texts > limits.MAX_TEXTS:
        raise limits.RejectedError(
            f"{name} has {texts:,} texts; the limit is {limits.MAX_TEXTS:,}. {UPLOAD_LESS}"
        )
    # The results of a batch come as they were done; their ids have the numbers of the requests.
    ids = columns.get("custom_id", ())
    numbers = [re.search(r"\d{1,9}$", str(each)) for each in ids]
    order = [int(number[0]) for number in numbers if number is not None]
    if len(set(order)) == len(ids) and order != sorted(order):
        places = sorted(range(len(ids)), key=order.__getitem__)
        kept = {path: [cells[place] for place in places] for path, cells in kept.items()}
        remarks.append("in the order of custom_id")
    return Table(form, kept, roles, remarks)


def _find_odd_cell(cells: Sequence[Cell]) -> int | None:
    """Return the first cell that is neither a text nor the references of a segment."""
    for number, cell in enumerate(cells):
        is_long = isinstance(cell, list) and len(cell) > limits.MAX_REFERENCES
        if is_long or not _is_cell(cell):
            return number
    return None


# --- CSV and TSV ----------------------------------------------------------------------------------

# The characters that may separate the cells; the first one that fits does.
_DELIMITERS = {".csv": (",", ";", "\t"), ".tsv": ("\t",)}
_NAMES_OF_DELIMITERS = {";": "separated by semicolons", "\t": "separated by tabs"}
_TOLD_DELIMITER = re.compile("sep=(.)\r?\n", re.IGNORECASE)  # as Excel has it in line 1
_QUOTATION_MARKS = re.compile('"+')
_LINES_LIKE_HEAD = 20  # lines that line 1 is compared with


class _Cells(NamedTuple):
    """How the cells of a table are written."""

    delimiter: str
    are_quoted: bool  # if they need it

    def read(self, text: str) -> Any:
        """Return Python's reader of the rows of a text."""
        lines = io.StringIO(text, newline="")
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.are_quoted else csv.QUOTE_NONE,
        )

    def read_first(self, text: str) -> list[list[str]]:
        """Return the first rows; none if a cell is too long for Python's reader."""
        try:
            return list(islice(self.read(text), _LINES_LIKE_HEAD))
        except csv.Error:
            return []


def _read_delimited(name: str, text: str, suffix: str, reading: Reading) -> Table:
    """Read a table; `suffix` is ".csv" or ".tsv"."""
    remarks = []
    choices = []
    # 1. The delimiter, and the number of cells. A cell may have several lines.
    delimiters: Sequence[str] = _DELIMITERS[suffix]
    told = _TOLD_DELIMITER.match(text)
    if told:
        delimiters = (told[1],)
        text = text[told.end() :]
    quotes = ('"',) if suffix == ".tsv" else ()  # `_has_quoted_cells` looks at each
    check_lines(name, text, 4 * limits.MAX_SEGMENTS, signs=(*delimiters[:1], *quotes))
    delimiter = _find_delimiter(text, delimiters)
    _check_signs(name, text, (delimiter,))
    head = text.partition("\n")[0]
    _check_columns(name, head.count(delimiter) + 1)
    are_quoted = suffix == ".csv"
    if are_quoted and delimiter in _NAMES_OF_DELIMITERS:
        remarks.append(_NAMES_OF_DELIMITERS[delimiter])
    # 2. Quotation marks in TSV are text, as for `cut` and in the files of WMT, unless each cell
    #    with one is quoted.
    if not are_quoted and _has_quoted_cells(text):
        are_quoted = reading.quotes != KEEP_QUOTES
        remarks.append(f"quoted as by pandas; quotes {'removed' if are_quoted else 'kept'}")
        options = {"remove": "remove", KEEP_QUOTES: "keep"}
        value = reading.quotes or "remove"
        choices.append(Choice("quotes", "Quotation marks around cells", options, value))
    cells = _Cells(delimiter, are_quoted)
    # 3. Line 1 has names of columns, unless it looks like the lines below it.
    names: list[str] = []
    first_rows = cells.read_first(text[: 4 * limits.MAX_LINE_CHARACTERS])
    has_names = not _has_no_head(first_rows)
    if _has_odd_head(first_rows):
        options = {HEAD_NAMES: "names of columns", HEAD_TEXTS: "texts"}
        choices.append(Choice("head", "Line 1 has", options, reading.head))
        has_names = reading.head != HEAD_TEXTS
    if not has_names:
        names = [f"column {number}" for number in range(1, len(first_rows[0]) + 1)]
        remarks.append("without names of columns")
    # 4. Parse all.
    columns = _parse_cells(name, text, cells, names)
    return Table(suffix[1:].upper(), columns, {}, remarks, choices)


def _find_delimiter(text: str, delimiters: Sequence[str]) -> str:
    """Return the first delimiter by which lines have the same number of cells, or that line 1 has.

    >>> _find_delimiter("a;b\\n1,5;2\\n1;2\\n", (",", ";"))
    ';'
    """
    for delimiter in delimiters:
        rows = _Cells(delimiter, True).read_first(text[:20_000])
        widths = {len(row) for row in rows[:-1] if row}  # the last one may be cut
        if len(widths) == 1 and widths != {1}:
            return delimiter
    head = text.partition("\n")[0]
    return next((sign for sign in delimiters if sign in head), delimiters[0])


def _parse_cells(
    name: str, text: str, cells: _Cells, names: Sequence[str]
) -> dict[str, list[Cell]]:
    """Return the cells by column, or raise which line has another number of them."""
    csv.field_size_limit(limits.MAX_LINE_CHARACTERS)
    reader = cells.read(text)
    rows: list[list[str]] = []
    line = 1
    try:
        for row in reader:
            # In a single column, an empty line is an empty text.
            width = len(rows[0]) if rows else len(row)
            cells_of_row = row or [""] * (width == 1)
            if cells_of_row and len(cells_of_row) != width:
                raise limits.RejectedError(
                    f"{name}: line {line:,} has {core.count_things(len(row), 'cell')}, and"
                    f" line 1 has {width:,}."
                )
            if cells_of_row:
                rows.append(cells_of_row)
            line = reader.line_num + 1
    except csv.Error:
        raise limits.RejectedError(
            f"{name}, line {line:,}: a cell has over {limits.MAX_LINE_CHARACTERS:,} characters."
        ) from None
    head = names or rows.pop(0)
    if len(set(head)) < len(head):
        raise limits.RejectedError(f"{name} has two columns with the same name. Rename one.")
    _check_rows(name, len(rows))
    return {column: [row[place] for row in rows] for place, column in enumerate(head)}


def _has_odd_head(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if line 1 of a table looks like the texts below it.

    Names of columns have a role, or are short. A text has four words or more, or many characters
    of a script written without spaces.
    """
    if _has_names(rows):
        return False
    head, *others = rows
    texts = 0
    for column, name in enumerate(head):
        below = [row[column] for row in others if len(row) == len(head)]
        length = sum(map(len, below)) / max(len(below), 1)
        is_text = len(name.split()) >= 4 or (not name.isascii() and len(name) >= 8)
        texts += is_text and len(name) >= length / 3
    return texts >= max(1, len(head) // 2)


def _has_no_head(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if line 1 has labels, as the lines below it: one of its cells comes again.

    >>> _has_no_head([["news", "d1"], ["news", "d1"], ["chat", "d2"]])
    True
    """
    if _has_names(rows):
        return False
    head, *others = rows
    return any(
        name and any(len(row) > column and row[column] == name for row in others)
        for column, name in enumerate(head)
    )


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if line 1 names a role, or if there are too few lines to compare it with."""
    return len(rows) < 3 or any(map(find_role, rows[0]))


def _has_quoted_cells(text: str) -> bool:
    """Return True if all cells of a TSV file that have a quotation mark are quoted, for certain.

    It is certain if a quotation mark within such a cell is doubled, or if the first name of a
    column is quoted.
    """
    is_certain = text.startswith('"')
    is_inside = False  # a quoted cell
    # One run of quotation marks at a time: a pattern for cells would hold up other requests.
    for run in _QUOTATION_MARKS.finditer(text):
        start, end = run.span()
        begins_cell = start == 0 or text[start - 1] in "\t\n"
        if not is_inside and not begins_cell:
            return False
        # Doubled marks are text, besides the marks that open and close the cell.
        marks = end - start
        opening = 0 if is_inside else 1
        is_inside = (marks - opening) % 2 == 0
        closing = 0 if is_inside else 1
        is_certain = is_certain or marks - opening - closing >= 2
        ends_cell = end == len(text) or text[end] in "\t\r\n"
        if not is_inside and not ends_cell:
            return False
    return is_certain and not is_inside
