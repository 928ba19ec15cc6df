"""Tables and results as downloads, and a scored corpus kept as one of them until the visitor looks at a segment."""

from __future__ import annotations

import json
import secrets
from itertools import zip_longest
from pathlib import Path
from typing import Any

import gradio as gr
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from .limits import SECONDS_KEPT, RefusedError


def read_table(path: str) -> pa.Table:
    """A table that was written as Parquet.

    Raises:
        RefusedError: it has been deleted meanwhile.
    """
    if not Path(path).exists():
        minutes = SECONDS_KEPT // 60
        raise RefusedError(f"Results are deleted after {minutes} minutes, and these have been: press Score again.")
    return pq.read_table(path)


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
