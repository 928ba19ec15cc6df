"""Columns of text from Parquet files, of which a few kilobytes can hold gigabytes.

What the file says of itself is checked before anything is read. Then it is read in batches, with dictionaries kept as
they are, so that what a batch would be as text is known before it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .limits import COLUMNS, FILE_MEGABYTES, LINE_BYTES, REFERENCES, SEGMENTS, TEXT_MEGABYTES, RefusedError

_BATCH = 1000  # rows


def list_parquet_columns(file: Path) -> tuple[list[str], int]:
    """The columns of text, and the number of rows, from the file's metadata alone.

    Raises:
        RefusedError: this is no Parquet file, or one that is too large or without text.
    """
    with _open(file) as parquet:
        return [field.name for field in parquet.schema_arrow if _holds_text(field.type)], parquet.metadata.num_rows


def read_parquet_columns(file: Path, columns: Sequence[str]) -> dict[str, list[Any]]:
    """Some columns as lists: texts, or lists of texts.

    Raises:
        RefusedError: as `list_parquet_columns`; or they hold too much text.
    """
    with _open(file, columns) as parquet:
        batches = list(_check_batches(file, parquet, columns))
    return {name: [value for batch in batches for value in batch.column(name).to_pylist()] for name in columns}


def _open(file: Path, columns: Sequence[str] = ()) -> pq.ParquetFile:
    """The file, if what it says of itself and of some columns is within the limits."""
    try:
        parquet = pq.ParquetFile(file, thrift_string_size_limit=1_000_000, thrift_container_size_limit=100_000)
        paths = {path: _find_paths(parquet, path) for path in columns}
        parquet = pq.ParquetFile(file, read_dictionary=[path for found in paths.values() for path in found])
    except (pa.ArrowException, OSError):
        raise RefusedError(f"{file.name} is no Parquet file, or a broken one: write it anew.") from None
    metadata, schema = parquet.metadata, parquet.schema_arrow
    if not metadata.num_rows:
        raise RefusedError(f"{file.name} has no rows: choose another file.")
    if metadata.num_rows > SEGMENTS:
        raise RefusedError(
            f"{file.name} has {metadata.num_rows:,} rows, and this page takes {SEGMENTS:,}: give a part of it."
        )
    if len(schema.names) > COLUMNS:
        raise RefusedError(f"{file.name} has more than {COLUMNS} columns: leave in those that are needed.")
    if not any(_holds_text(field.type) for field in schema):
        raise RefusedError(f"{file.name} has no column of text.")
    wanted = {path for found in paths.values() for path in found}
    if _count_bytes(metadata, wanted) > TEXT_MEGABYTES * 1_000_000:
        raise _refuse_size(file)
    return parquet


def _find_paths(parquet: pq.ParquetFile, column: str) -> list[str]:
    """The paths of a column's values within the file: `reference.list.element` for a column of lists."""
    paths = [parquet.schema.column(i).path for i in range(len(parquet.schema))]
    return [path for path in paths if path == column or path.startswith(f"{column}.")]


def _count_bytes(metadata: pq.FileMetaData, paths: set[str]) -> int:
    """What the file says that some columns have, uncompressed."""
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    chunks = (group.column(i) for group in groups for i in range(group.num_columns))
    return sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in paths)


def _check_batches(file: Path, parquet: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The batches, as long as what they are as text is within the limits."""
    size = 0
    try:
        for batch in parquet.iter_batches(_BATCH, columns=list(columns)):
            for column in batch.columns:
                lengths = _measure_values(column)
                size += pc.sum(lengths).as_py() or 0
                if (pc.max(lengths).as_py() or 0) > LINE_BYTES or len(lengths) > REFERENCES * _BATCH:
                    raise RefusedError(f"{file.name} has a cell with too much in it. Is there one segment a row?")
            if size > FILE_MEGABYTES * 1_000_000:
                raise _refuse_size(file)
            yield batch
    except (pa.ArrowException, OSError):
        raise RefusedError(f"{file.name} is a broken Parquet file: write it anew.") from None


def _measure_values(column: pa.Array) -> pa.Array:
    """The bytes of each value; those in a dictionary are measured once, where they are.

    >>> _measure_values(pa.array([["a", "bc"], None, ["bc"]])).to_pylist()
    [1, 2, 2]
    >>> _measure_values(pa.array(["bc", "a", "bc"]).dictionary_encode()).to_pylist()
    [2, 1, 2]
    """
    values = column.flatten() if _is_list(column.type) else column
    if pa.types.is_dictionary(values.type):
        return pc.binary_length(values.dictionary).take(values.indices)
    return pc.binary_length(values)


def _refuse_size(file: Path) -> RefusedError:
    return RefusedError(f"{file.name} holds more text than this page takes, {FILE_MEGABYTES} MB: give a part of it.")


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _holds_text(kind: pa.DataType) -> bool:
    inner = kind.value_type if _is_list(kind) else kind
    inner = inner.value_type if pa.types.is_dictionary(inner) else inner
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))
