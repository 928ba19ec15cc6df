"""Uploads to columns, and tables to downloads; whatever is wrong with a file is told in a sentence that helps."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from app_limits import FILE_MEGABYTES, TEXT_MEGABYTES, RefusedError

# What a file begins with that isn't text, and what it is then.
_BINARY = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "an Excel or ZIP file",
    b"\x1f\x8b": "a gzip file",
    b"%PDF-": "a PDF",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def looked_at(path: str) -> tuple[list[str], int]:
    """The columns of a file, none if it's text, and its number of segments.

    Args:
        path: an uploaded file, CSV, TSV, JSONL or Parquet by its suffix; anything else is text.

    Raises:
        RefusedError: the file is not what its name says, is empty, too large or not in UTF-8.
    """
    read = _READERS.get(_suffix(path))
    if read is None:
        return [], len(segments(path, [])[0])
    table = read(_checked(path))
    return list(table), len(next(iter(table.values())))


def segments(path: str, columns: Sequence[str]) -> list[list[Any]]:
    """The segments of an uploaded file: of a text its lines, of a table one list for each of the columns.

    Args:
        path: as for `looked_at`.
        columns: names of columns; ignored for a text file.

    Raises:
        RefusedError: as `looked_at`; or there is no column of this name.
    """
    read = _READERS.get(_suffix(path))
    if read is None:
        return [lines(_text(_checked(path)))]
    table, name = read(_checked(path)), Path(path).name
    if not columns:
        raise RefusedError(f"{name}: choose a column. There are: {', '.join(table)}.")
    for column in columns:
        if column not in table:
            raise RefusedError(f"{name}: there is no column {column!r}. There are: {', '.join(table)}.")
    return [list(table[column]) for column in columns]


def lines(text: str) -> list[str]:
    """One segment a line; only a line feed ends a line, as in the tools that make such files.

    >>> lines("one\\r\\n\\x0ctwo\\n")
    ['one', '\\x0ctwo']
    """
    return text.removesuffix("\n").replace("\r\n", "\n").removesuffix("\r").split("\n") if text else []


def write_table(table: pa.Table, name: str) -> tuple[str, str]:
    """The table as CSV and as Parquet, for this visitor to download.

    Returns:
        Two paths, in a folder that nobody can guess. Gradio deletes the files within `app_limits.SECONDS_KEPT`.
    """
    folder = _own_folder()
    pyarrow.csv.write_csv(pa.table({key: _defused(column) for key, column in _flat(table)}), folder / f"{name}.csv")
    pq.write_table(table, folder / f"{name}.parquet")
    return str(folder / f"{name}.csv"), str(folder / f"{name}.parquet")


def write_json(answer: dict[str, Any], name: str) -> str:
    """The answer as JSON, likewise."""
    path = _own_folder() / f"{name}.json"
    path.write_text(json.dumps(answer, ensure_ascii=False, indent=2), encoding="utf-8")
    return str(path)


def _own_folder() -> Path:
    folder = Path(gr.utils.get_upload_folder()) / secrets.token_hex(16)
    folder.mkdir(parents=True)
    return folder


def _flat(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    """The columns, with a list of references as one column each, since a cell of CSV is one text."""
    flat = []
    for name, column in zip(table.column_names, table.columns):
        if not pa.types.is_list(column.type):
            flat.append((name, column))
            continue
        most = pc.max(pc.list_value_length(column)).as_py()
        rows = column.to_pylist()
        flat += [
            (f"{name}_{i + 1}", pa.chunked_array([[row[i] if i < len(row) else None for row in rows]]))
            for i in range(most)
        ]
    return flat


def _defused(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text with an apostrophe before what a spreadsheet would run as a formula (OWASP, "CSV injection")."""
    if not pa.types.is_string(column.type):
        return column
    return pc.replace_substring_regex(column, r"^([=+\-@\t\r\n＝＋－＠])", r"'\1")


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()


def _checked(path: str) -> Path:
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


def _text(file: Path) -> str:
    data = file.read_bytes()
    for start, kind in _BINARY.items():
        if data.startswith(start):
            raise RefusedError(
                f"{file.name} is {kind}, not what its name says: rename it, or export it as text or CSV."
            )
    if data.startswith(_UTF16):
        raise RefusedError(f"{file.name} is in UTF-16: save it as UTF-8.")
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


def _delimited(delimiter: str, **parsing: Any) -> Callable[[Path], dict[str, list[Any]]]:
    def read(file: Path) -> dict[str, list[Any]]:
        data = _text(file).encode()
        parse = pyarrow.csv.ParseOptions(delimiter=delimiter, **parsing)
        try:
            names = pyarrow.csv.open_csv(pa.BufferReader(data), parse_options=parse).schema.names
            parse.ignore_empty_lines = len(names) > 1  # in a single column an empty line is an empty segment
            convert = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
            table = pyarrow.csv.read_csv(pa.BufferReader(data), parse_options=parse, convert_options=convert)
        except pa.ArrowInvalid as error:
            raise RefusedError(f"{file.name} is no table with the same cells in every line: {error}") from None
        if len(set(names)) < len(names):
            raise RefusedError(f"{file.name} has two columns of one name: rename one of them.")
        return {name: table[name].to_pylist() for name in names}

    return read


def _json_lines(file: Path) -> dict[str, list[Any]]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines(_text(file)), 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise RefusedError(
                f"{file.name}, line {number} is not JSON ({error.msg}): each line is an object."
            ) from None
        if not isinstance(row, dict):
            raise RefusedError(f'{file.name}, line {number}: each line is an object such as {{"prediction": "…"}}.')
        if rows and row.keys() != rows[0].keys():
            raise RefusedError(f"{file.name}, line {number} hasn't the same keys as line 1: {', '.join(rows[0])}.")
        rows.append(row)
    return {name: [row[name] for row in rows] for name in rows[0]}


def _json_array(file: Path) -> dict[str, list[Any]]:
    raise RefusedError(f"{file.name}: give JSON as JSONL, one object a line.")


def _parquet(file: Path) -> dict[str, list[Any]]:
    try:
        parquet = pq.ParquetFile(file)
        names = [field.name for field in parquet.schema_arrow if _holds_text(field.type)]
        if not names:
            raise RefusedError(f"{file.name} has no column of text.")
        batches, size = [], 0
        # In batches: a small file may hold a lot, and is refused before all of that is in memory.
        for batch in parquet.iter_batches(1000, columns=names):
            size += batch.nbytes
            if size > TEXT_MEGABYTES * 1_000_000:
                raise RefusedError(f"{file.name} holds more than {TEXT_MEGABYTES} MB of text: give a part of it.")
            batches.append(batch)
    except (pa.ArrowException, OSError) as error:
        raise RefusedError(f"{file.name} is no Parquet file, or a broken one: write it anew. ({error})") from None
    if not batches:
        raise RefusedError(f"{file.name} has no rows: choose another file.")
    return pa.Table.from_batches(batches).to_pydict()


def _holds_text(type_: pa.DataType) -> bool:
    inner = type_.value_type if pa.types.is_list(type_) or pa.types.is_large_list(type_) else type_
    return pa.types.is_string(inner) or pa.types.is_large_string(inner)


_READERS: dict[str, Callable[[Path], dict[str, list[Any]]]] = {
    ".csv": _delimited(",", newlines_in_values=True),
    ".tsv": _delimited("\t", quote_char=False),  # quotation marks are text there, as in `cut` and in the files of WMT
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json_array,
    ".parquet": _parquet,
}
