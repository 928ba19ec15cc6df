"""Uploads to columns, and tables to downloads; an error says what is wrong with a file, and what to do about it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import gradio as gr
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from .limits import FILE_MEGABYTES, TEXT_MEGABYTES, RefusedError

# How a file begins that isn't text, and what it is.
_BINARY = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "an Excel or ZIP file",
    b"\x1f\x8b": "a gzip file",
    b"%PDF-": "a PDF",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Columns = dict[str, list[Any]]


def describe(path: str) -> tuple[list[str], int]:
    """The columns of a file, none if it's text, and its number of segments.

    Args:
        path: an uploaded file: CSV, TSV, JSONL or Parquet by its suffix, anything else is text.

    Raises:
        RefusedError: the file is not what its name says, is empty, too large or not in UTF-8.
    """
    table = _read_table(path)
    if table is None:
        return [], len(_read_lines(path))
    return list(table), len(next(iter(table.values())))


def read_columns(path: str, columns: Sequence[str]) -> list[list[Any]]:
    """The segments of an uploaded file: the lines of a text, or each of some columns of a table.

    Args:
        path: as for `describe`.
        columns: names of columns; ignored for a text file.

    Raises:
        RefusedError: as `describe`; or there is no column of this name.
    """
    table, name = _read_table(path), Path(path).name
    if table is None:
        return [_read_lines(path)]
    if not columns:
        raise RefusedError(f"{name}: choose a column. There are: {', '.join(table)}.")
    for column in columns:
        if column not in table:
            raise RefusedError(f"{name}: there is no column {column!r}. There are: {', '.join(table)}.")
    return [table[column] for column in columns]


def lines(text: str) -> list[str]:
    """One segment a line; only a line feed ends a line, as in the tools that make such files.

    >>> lines("one\\r\\n\\x0ctwo\\n")
    ['one', '\\x0ctwo']
    """
    return text.removesuffix("\n").replace("\r\n", "\n").removesuffix("\r").split("\n") if text else []


def write_table(table: pa.Table, name: str) -> tuple[str, str]:
    """Write a table as CSV and as Parquet, for this visitor to download.

    Returns:
        Two paths, in a folder that nobody can guess. Gradio deletes the files within `limits.SECONDS_KEPT`.
    """
    folder = _new_folder()
    pyarrow.csv.write_csv(pa.table({key: _defuse(column) for key, column in _flatten(table)}), folder / f"{name}.csv")
    pq.write_table(table, folder / f"{name}.parquet")
    return str(folder / f"{name}.csv"), str(folder / f"{name}.parquet")


def write_json(result: dict[str, Any], name: str) -> str:
    """Write a result as JSON, likewise."""
    path = _new_folder() / f"{name}.json"
    path.write_text(json.dumps(result, ensure_ascii=False, indent=2), encoding="utf-8")
    return str(path)


def _new_folder() -> Path:
    folder = Path(gr.utils.get_upload_folder()) / secrets.token_hex(16)
    folder.mkdir(parents=True)
    return folder


def _flatten(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    """The columns, with a list of references spread over a column each, since a cell of CSV is one text."""
    flat = []
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_list(column.type):
            flat += [(f"{name}_{i}", cells) for i, cells in enumerate(_spread(column), 1)]
        else:
            flat.append((name, column))
    return flat


def _spread(column: pa.ChunkedArray) -> list[pa.ChunkedArray]:
    """A column for the first texts of all lists, one for the second, and so on; None where a list is shorter."""
    return [pa.chunked_array([list(texts)], pa.string()) for texts in zip_longest(*column.to_pylist())]


def _defuse(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text with an apostrophe before what a spreadsheet would run as a formula (OWASP, "CSV injection")."""
    if not pa.types.is_string(column.type):
        return column
    return pc.replace_substring_regex(column, r"^([=+\-@\t\r\n＝＋－＠])", r"'\1")


def _read_lines(path: str) -> list[str]:
    return lines(_read_text(_check_file(path)))


def _read_table(path: str) -> Columns | None:
    """The columns of a table; None if the file is text."""
    read = _TABLE_READERS.get(Path(path).suffix.lower())
    return None if read is None else read(_check_file(path))


def _check_file(path: str) -> Path:
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


def _read_text(file: Path) -> str:
    data = file.read_bytes()
    _check_kind(file.name, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RefusedError(
            f"{file.name} is not in UTF-8 (line {line}, byte 0x{data[error.start]:02X}): save it as UTF-8."
        ) from None
    if "\x00" in text:
        raise RefusedError(f"{file.name} is no text file: it has zero bytes. Export it as text in UTF-8, or as CSV.")
    return text


def _check_kind(name: str, data: bytes) -> None:
    """Refuse files of another kind than text that are often met."""
    for start, kind in _BINARY.items():
        if data.startswith(start):
            raise RefusedError(f"{name} is {kind}, not what its name says: rename it, or export it as text or CSV.")
    if data.startswith(_UTF16):
        raise RefusedError(f"{name} is in UTF-16: save it as UTF-8.")


def _read_csv(file: Path) -> Columns:
    return _read_delimited(file, pyarrow.csv.ParseOptions(delimiter=",", newlines_in_values=True))


def _read_tsv(file: Path) -> Columns:
    # Quotation marks are text there, as for `cut` and in the files of WMT.
    return _read_delimited(file, pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False))


def _read_delimited(file: Path, parsing: pyarrow.csv.ParseOptions) -> Columns:
    data = _read_text(file).encode()
    try:
        names = pyarrow.csv.open_csv(pa.BufferReader(data), parse_options=parsing).schema.names
        parsing.ignore_empty_lines = len(names) > 1  # in a single column an empty line is an empty segment
        conversion = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
        table = pyarrow.csv.read_csv(pa.BufferReader(data), parse_options=parsing, convert_options=conversion)
    except pa.ArrowInvalid as error:
        raise RefusedError(f"{file.name} is no table with the same cells in every line: {error}") from None
    if len(set(names)) < len(names):
        raise RefusedError(f"{file.name} has two columns of one name: rename one of them.")
    return {name: table[name].to_pylist() for name in names}


def _read_json_lines(file: Path) -> Columns:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines(_read_text(file)), 1):
        row = _read_json_line(f"{file.name}, line {number}", line)
        if rows and row.keys() != rows[0].keys():
            raise RefusedError(f"{file.name}, line {number} hasn't the same keys as line 1: {', '.join(rows[0])}.")
        rows.append(row)
    return {name: [row[name] for row in rows] for name in rows[0]}


def _read_json_line(place: str, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise RefusedError(f"{place} is not JSON ({error.msg}): each line is an object.") from None
    if not isinstance(row, dict):
        raise RefusedError(f'{place}: each line is an object such as {{"prediction": "…"}}.')
    return row


def _refuse_json(file: Path) -> Columns:
    raise RefusedError(f"{file.name}: give JSON as JSONL, one object a line.")


def _read_parquet(file: Path) -> Columns:
    try:
        batches = _read_batches(file)
    except (pa.ArrowException, OSError) as error:
        raise RefusedError(f"{file.name} is no Parquet file, or a broken one: write it anew. ({error})") from None
    if not batches:
        raise RefusedError(f"{file.name} has no rows: choose another file.")
    columns: Columns = pa.Table.from_batches(batches).to_pydict()
    return columns


def _read_batches(file: Path) -> list[pa.RecordBatch]:
    """The columns of text in batches: a small file may hold a lot, and is refused before all of that is in memory."""
    parquet = pq.ParquetFile(file)
    names = [field.name for field in parquet.schema_arrow if _holds_text(field.type)]
    if not names:
        raise RefusedError(f"{file.name} has no column of text.")
    batches, size = [], 0
    for batch in parquet.iter_batches(1000, columns=names):
        size += batch.nbytes
        if size > TEXT_MEGABYTES * 1_000_000:
            raise RefusedError(f"{file.name} holds more than {TEXT_MEGABYTES} MB of text: give a part of it.")
        batches.append(batch)
    return batches


def _holds_text(kind: pa.DataType) -> bool:
    inner = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))


_TABLE_READERS: dict[str, Callable[[Path], Columns]] = {
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".json": _refuse_json,
    ".parquet": _read_parquet,
}
