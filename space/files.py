"""Uploads to columns; an error says what is wrong with a file, and what to do about it.

What a file has is looked at before it is read as text, so that a small file can't cost more than a large one.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv

from .limits import COLUMNS, FILE_MEGABYTES, LINE_BYTES, SEGMENTS, RefusedError
from .parquet import list_parquet_columns, read_parquet_columns

# How a file begins that isn't text, and what it is.
_BINARY = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "an Excel or ZIP file",
    b"\x1f\x8b": "a gzip file",
    b"%PDF-": "a PDF",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PIECE = 1 << 20  # bytes that are looked at in one go, so that others' requests aren't kept waiting

Columns = dict[str, list[Any]]


class Description(NamedTuple):
    """What is in a file: its columns, none if it's text, and the number of segments."""

    columns: list[str]
    segments: int


class _Kind(NamedTuple):
    """How a kind of table is looked at, and how some of its columns are read."""

    list_columns: Callable[[Path], Description]
    read: Callable[[Path, Sequence[str]], Columns]


def describe(path: str) -> Description:
    """What is in an uploaded file: CSV, TSV, JSONL or Parquet by its suffix, anything else is text.

    Raises:
        RefusedError: the file is not what its name says, is empty, too large or not in UTF-8.
    """
    file, kind = _check_size(path), _KINDS.get(Path(path).suffix.lower())
    return Description([], _check_text(file)) if kind is None else kind.list_columns(file)


def read_columns(path: str, columns: Sequence[str]) -> Columns:
    """The segments of an uploaded file: the lines of a text by the file's name, or a table's columns among some.

    Args:
        path: as for `describe`.
        columns: names of columns, of which a table must have one; ignored for a text file.

    Raises:
        RefusedError: as `describe`; or the table has none of these columns.
    """
    file, kind = _check_size(path), _KINDS.get(Path(path).suffix.lower())
    if kind is None:
        _check_text(file)
        return {file.stem: list(_decode_lines(file))}
    there = kind.list_columns(file).columns
    chosen = [column for column in columns if column in there]
    if not chosen:
        raise RefusedError(f"{file.name}: choose a column. There are: {', '.join(map(_shorten, there))}.")
    return kind.read(file, chosen)


def lines(text: str) -> list[str]:
    """One segment a line; only a line feed ends a line, as in the tools that make such files.

    >>> lines("one\\r\\n\\x0ctwo\\n")
    ['one', '\\x0ctwo']
    """
    return text.removesuffix("\n").replace("\r\n", "\n").removesuffix("\r").split("\n") if text else []


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _check_size(path: str) -> Path:
    """Refuse a file that is gone, empty or too large."""
    file = Path(path)
    if not file.exists():
        raise RefusedError(f"{file.name} is no longer here, as uploads are deleted after a while: upload it again.")
    size = file.stat().st_size
    if not size:
        raise RefusedError(f"{file.name} is empty: choose another file.")
    if size > FILE_MEGABYTES * 1_000_000:
        raise RefusedError(
            f"{file.name} has {size / 1_000_000:,.0f} MB, and this page takes {FILE_MEGABYTES}: give a part of it, or"
            " use the metric in Python (see About)."
        )
    return file


def _check_text(file: Path, most: int = SEGMENTS) -> int:
    """Refuse what isn't text in UTF-8, or has too many or too long lines; without keeping it.

    Returns:
        The number of lines.
    """
    decoder, count, length, data = codecs.getincrementaldecoder("utf-8-sig")(), 0, 0, b""
    for data in _read_pieces(file):
        if not count and not length:
            _check_beginning(file.name, data)
        if count + data.count(b"\n") > most:
            raise RefusedError(
                f"{file.name} has more than {most:,} lines, which is what this page takes: give a part of it, or use"
                " the metric in Python (see About)."
            )
        if b"\x00" in data:
            raise RefusedError(f"{file.name} is no text file: it has zero bytes. Export it as UTF-8 text or as CSV.")
        try:
            decoder.decode(data)
        except UnicodeDecodeError as error:
            line, data = count + 1 + error.object.count(b"\n", 0, error.start), error.object[error.start :]
            raise RefusedError(
                f"{file.name} is not in UTF-8 (line {line:,}, byte 0x{data[0]:02X}): save it as UTF-8."
            ) from None
        first, *others = data.split(b"\n")
        longest = max(length + len(first), *map(len, others), 0)
        length, count = (len(others[-1]) if others else longest), count + len(others)
        if longest > LINE_BYTES:
            raise RefusedError(f"{file.name} has a line of over {LINE_BYTES:,} bytes. Is there one segment a line?")
    return count + (not data.endswith(b"\n"))


def _read_pieces(file: Path) -> Iterator[bytes]:
    with open(file, "rb") as opened:
        yield from iter(lambda: opened.read(_PIECE), b"")


def _check_beginning(name: str, data: bytes) -> None:
    """Refuse files of another kind than text that are often met."""
    for start, kind in _BINARY.items():
        if data.startswith(start):
            raise RefusedError(f"{name} is {kind}, not what its name says: rename it, or export it as text or CSV.")
    if data.startswith(_UTF16):
        raise RefusedError(f"{name} is in UTF-16: save it as UTF-8.")


def _decode_lines(file: Path) -> Iterator[str]:
    with open(file, encoding="utf-8-sig", newline="\n") as opened:
        for line in opened:
            yield line.removesuffix("\n").removesuffix("\r")


def _describe_delimited(file: Path, delimiter: str) -> Description:
    count = _check_text(file, 4 * SEGMENTS)  # in CSV a cell may have several lines
    if next(_decode_lines(file)).count(delimiter) >= COLUMNS:
        raise RefusedError(f"{file.name} has more than {COLUMNS} columns: leave in those that are needed.")
    try:
        names = pyarrow.csv.open_csv(file, parse_options=_parsing(delimiter)).schema.names
    except pa.ArrowInvalid:
        raise _refuse_table(file, delimiter) from None
    if len(set(names)) < len(names):
        raise RefusedError(f"{file.name} has two columns of one name: rename one of them.")
    segments = count - 1 if delimiter == "\t" else len(_read_delimited(file, names[:1], ",")[names[0]])
    return Description(names, segments)


def _read_delimited(file: Path, columns: Sequence[str], delimiter: str) -> Columns:
    try:
        parsing = _parsing(delimiter)
        names = pyarrow.csv.open_csv(file, parse_options=parsing).schema.names
        parsing.ignore_empty_lines = len(names) > 1  # in a single column an empty line is an empty segment
        conversion = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), include_columns=list(columns)
        )
        table = pyarrow.csv.read_csv(file, parse_options=parsing, convert_options=conversion)
    except pa.ArrowInvalid:
        raise _refuse_table(file, delimiter) from None
    if len(table) > SEGMENTS:
        raise RefusedError(f"{file.name} has {len(table):,} rows, and this page takes {SEGMENTS:,}: give a part of it.")
    return {name: table[name].to_pylist() for name in columns}


def _parsing(delimiter: str) -> pyarrow.csv.ParseOptions:
    if delimiter == "\t":  # quotation marks are text there, as for `cut` and in the files of WMT
        return pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    return pyarrow.csv.ParseOptions(delimiter=",", newlines_in_values=True)


def _refuse_table(file: Path, delimiter: str) -> RefusedError:
    """What is wrong with a table that can't be read: the first line with another number of cells, if there is one."""
    rows = enumerate(islice(_decode_lines(file), SEGMENTS), 1)
    first = next(rows)[1].count(delimiter)
    odd = next((number for number, line in rows if line.count(delimiter) != first and '"' not in line), None)
    where = f" (line {odd:,} hasn't as many as line 1)" if odd else ""
    return RefusedError(f"{file.name} is no table with the same cells in every line{where}.")


def _describe_json_lines(file: Path) -> Description:
    count = _check_text(file)
    return Description(list(_read_json_line(file, 1, next(_decode_lines(file)))), count)


def _read_json_lines(file: Path, columns: Sequence[str]) -> Columns:
    keys: set[str] | None = None
    table: Columns = {name: [] for name in columns}
    for number, line in enumerate(_decode_lines(file), 1):
        row = _read_json_line(file, number, line)
        keys = keys or set(row)
        if row.keys() != keys:
            raise RefusedError(f"{file.name}, line {number:,} hasn't the same keys as line 1.")
        for name in columns:
            table[name].append(row[name])
    return table


def _read_json_line(file: Path, number: int, line: str) -> dict[str, Any]:
    place = f"{file.name}, line {number:,}"
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise RefusedError(f"{place} is not JSON ({error.msg}): each line is an object.") from None
    except (ValueError, RecursionError):  # an integer of thousands of digits, a thousand brackets
        raise RefusedError(f"{place} has a number or a nesting beyond what this page reads.") from None
    if not isinstance(row, dict) or not row:
        raise RefusedError(f'{place}: each line is an object such as {{"prediction": "…"}}.')
    if len(row) > COLUMNS:
        raise RefusedError(f"{place} has more than {COLUMNS} keys.")
    return row


def _refuse_json(file: Path) -> Description:
    raise RefusedError(f"{file.name}: give JSON as JSONL, one object a line.")


def _describe_parquet(file: Path) -> Description:
    return Description(*list_parquet_columns(file))


def _delimited(delimiter: str) -> _Kind:
    return _Kind(partial(_describe_delimited, delimiter=delimiter), partial(_read_delimited, delimiter=delimiter))


_JSON_LINES = _Kind(_describe_json_lines, _read_json_lines)
_KINDS = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".jsonl": _JSON_LINES,
    ".ndjson": _JSON_LINES,
    ".json": _Kind(_refuse_json, _read_json_lines),
    ".parquet": _Kind(_describe_parquet, read_parquet_columns),
}
