"""What a user passes as `statistics`: tables, frames, dicts, iterables of them, or sums.

`tables.py` reads them here. Another container becomes a table in `select_columns`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..rules.counting import Layout
from ..shared.arrays import Label
from ..shared.messages import A_RESULT, name_value, show_value
from ..text.columns import convert_flat, is_result, read_array, to_arrow
from ..text.labels import list_labels

LABEL = "label"  # the column of labels in a table
DOCUMENT = "document"  # the column of documents

NO_STATISTICS = "statistics: got no rows. Pass tables from statistics() with at least one row."


class TablePart(NamedTuple):
    """A table that has rows, or sums, as the user supplies them, and the statistics columns."""

    given: Any
    columns: pa.Table

    def key_names(self) -> list[str]:
        """Return the names of its columns of labels and documents."""
        names = list_column_names(self.given) or ()
        return [name for name in (LABEL, DOCUMENT) if name in names]


def stream_parts(statistics: Any) -> Iterator[tuple[str, TablePart]]:
    """Yield the parts of statistics one by one, with those that have no rows, and their places.

    A list of sums is a single part. Of an iterable, one part at a time is in memory.
    """
    has_parts = is_stream(statistics)
    if isinstance(statistics, (list, tuple)):
        has_parts = _check_parts(statistics)
    first = None
    for number, part in enumerate(statistics if has_parts else [statistics]):
        if number == 0:
            first = part
        has_columns = _check_parts([first, part])
        place = f"statistics[{number}]" if has_parts else "statistics"
        columns = select_columns(part, place) if has_columns else _read_sums(part)
        yield place, TablePart(part, columns)


def is_stream(statistics: Any) -> bool:
    """Return True for an iterable of parts; False for a list, and for a table or array."""
    if (
        isinstance(statistics, (str, bytes, list, tuple))
        or list_column_names(statistics) is not None
    ):
        return False
    is_array = hasattr(statistics, "__array__") or hasattr(statistics, "iloc")
    return isinstance(statistics, Iterable) and not is_array


def _check_parts(parts: Sequence[Any]) -> bool:
    """Return True for tables and False for sums; raise for anything else, or for both."""
    if not parts:
        raise ValueError(NO_STATISTICS)
    if any(map(is_result, parts)):
        raise TypeError(A_RESULT.format(name="statistics"))
    have_columns = [list_column_names(part) is not None for part in parts]
    if any(have_columns) and not all(have_columns):
        found = " and ".join(sorted(set(map(name_value, parts))))
        raise _not_statistics(f"{found} in one list")
    if any(hasattr(part, "iloc") and not hasattr(part, "columns") for part in parts):
        raise _not_statistics("a Series, whose labels may be in any order. Pass sums.to_numpy()")
    return any(have_columns)


def _not_statistics(found: str) -> ValueError:
    return ValueError(
        "statistics: expected a table from statistics(), a list of tables, or sums of rows"
        f" (integers of shape [2 N + 2] or [sums, 2 N + 2]), got {found}."
    )


def not_a_table(place: str, problem: str) -> ValueError:
    return ValueError(
        f"{place}: not a statistics table: {problem}. Pass a table from statistics()."
    )


def list_column_names(part: Any) -> list[Any] | None:
    """Return the names of a table's columns, or None if `part` has no columns."""
    if hasattr(part, "collect_schema"):  # polars; a LazyFrame warns if it is asked for `columns`
        return list(part.collect_schema())
    if isinstance(part, Mapping):
        return list(part)
    names = getattr(part, "column_names", getattr(part, "columns", None))
    return None if names is None else list(names)


def select_columns(part: Any, place: str) -> pa.Table:
    """Return the statistics columns of anything with columns; `place` is for errors."""
    # 1. Find the columns by their names.
    columns = list_column_names(part) or []
    max_order = next(n for n in itertools.count() if f"matches_{n + 1}" not in columns)
    names = Layout(max_order).names
    if not max_order or not set(names) <= set(columns):
        raise not_a_table(place, f"its columns are {', '.join(map(str, columns))}")
    _check_single(place, columns, names)
    if isinstance(part, Mapping) and not hasattr(part[names[0]], "__len__"):
        raise ValueError(
            f"{place}: not a statistics table, but sums. Pass a list: [sums[name] for name in"
            " table.column_names]."
        )
    if not hasattr(part, "__len__"):
        raise ValueError(
            f"{place}: the {type(part).__name__} is not in memory. Pass frame.collect(), or"
            " datasets.Dataset.from_list(list(dataset))."
        )
    # 2. Convert them to Arrow.
    try:
        if isinstance(part, Mapping) or hasattr(part, "iloc"):
            table = pa.table({name: to_arrow(part[name], convert_flat) for name in names})
        elif isinstance(part, (pa.Table, pa.RecordBatch)):
            table = pa.Table.from_arrays(
                [part.column(name) for name in names], names, metadata=part.schema.metadata
            )
        elif hasattr(part, "with_format"):  # select first: a selection is copied on access
            table = part.select_columns(names).with_format("arrow")[:]
        else:
            table = pa.table(part[names]).select(names)
    except (pa.ArrowException, TypeError, OverflowError, RecursionError) as error:
        # Arrow's message may show a value.
        raise not_a_table(place, f"a column could not be read ({type(error).__name__})") from None
    # 3. Check that they hold whole numbers, which other tools return as doubles or decimals.
    schema = pa.schema([(name, pa.int64()) for name in names], table.schema.metadata)
    of_numbers = (pa.types.is_integer, pa.types.is_float64, pa.types.is_decimal)
    are_numbers = all(
        any(is_kind(column.type) for is_kind in of_numbers) and not column.null_count
        for column in table.columns
    )
    with suppress(pa.ArrowInvalid):  # of fractions
        if are_numbers or not len(table):
            return table.cast(schema)
    raise not_a_table(place, "not all of its values are whole numbers of 64 bits")


def _check_single(place: str, columns: Sequence[Any], names: Iterable[str]) -> None:
    """Raise if a table has two columns of one of the names."""
    for name in names:
        if columns.count(name) > 1:
            raise not_a_table(place, f"it has two columns {name!r}")


def _read_sums(statistics: Any) -> pa.Table:
    try:
        rows = np.atleast_2d(np.asarray(read_array("statistics", statistics)))
    except (TypeError, RuntimeError):  # of a list of tensors that NumPy cannot read
        raise _not_statistics(name_value(statistics)) from None
    except ValueError:
        raise _not_statistics("rows of several lengths") from None
    if rows.dtype.kind == "U":
        raise ValueError(
            "statistics: expected tables from statistics(), got texts."
            " For texts, write compute(predictions=..., references=...)."
        )
    width = rows.shape[-1]
    is_table_of_rows = rows.ndim == 2 and rows.size and width >= 4 and width % 2 == 0
    if rows.dtype.kind not in "iu" or not is_table_of_rows:
        raise _not_statistics(f"{rows.dtype} {list(rows.shape)}")
    return pa.table(dict(zip(Layout.of_width(width).names, rows.T.astype(np.int64))))


def join_columns(parts: Mapping[str, TablePart], argument: str, name: str) -> list[Label]:
    """Return the labels in a column of all tables, for the argument that names the column.

    Args:
        parts: the tables that have rows, by their place.
        argument: `"by"` or `"documents"`.
        name: the column.
    """
    labels: list[Label] = []
    for place, part in parts.items():
        columns = list_column_names(part.given) or []
        _check_single(place, columns, [name])
        if name not in columns:
            raise ValueError(
                f"{argument}={show_value(name)}: {place} has no such column. Pass its name, or one"
                " label per segment."
            )
        labels += list_labels(argument, part.given[name], len(part.columns))
    return labels


def check_counts(table: pa.Table) -> None:
    """Raise unless 0 <= matches <= totals in each row and order, or if sums exceed int64."""
    layout = layout_of(table)
    columns = table.columns
    sums = [pc.sum(column.cast(pa.float64(), safe=False)).as_py() for column in columns]
    if max(sums) >= 2**63:
        raise ValueError(
            "statistics: the sum of a column is 2**63 or more. Pass tables from statistics()."
        )
    is_valid = all(pc.min(column).as_py() >= 0 for column in columns)
    for matches, totals in zip(columns[layout.matches], columns[layout.totals]):
        is_valid = is_valid and not pc.any(pc.greater(matches, totals)).as_py()
    if not is_valid:
        raise ValueError(
            "statistics: expected 0 <= matches <= totals in every row and order. Pass tables from"
            " statistics()."
        )


def layout_of(columns: pa.Table) -> Layout:
    return Layout.of_width(columns.num_columns)
