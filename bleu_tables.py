"""Statistics rows outside of a call: as a table that says how they were counted, and back from where they have been."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import kind, reference_counts
from .bleu_options import COUNTING, Options
from .bleu_statistics import corpus_rows, tokenizer_name

_METADATA = b"bleu_metric"


def statistics_table(table: pa.Table, options: Options) -> pa.Table:
    """The statistics rows of all segments as a table that says in its metadata how they were counted.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: those in `bleu_options.COUNTING` are looked at.

    Returns:
        int64 columns `matches_1..N`, `totals_1..N`, `prediction_length`, `reference_length`.

    >>> statistics_table(columns(["a"], ["a"]), Options(max_order=1)).column_names
    ['matches_1', 'totals_1', 'prediction_length', 'reference_length']
    """
    made = {
        **options.counting(),
        "tokenize": tokenizer_name(options, kind(table)),
        "references": reference_counts(table["references"]),
    }
    counted = dict(zip(column_names(options.counted_orders), map(pa.array, corpus_rows(table, options))))
    return pa.table(counted).replace_schema_metadata({_METADATA: json.dumps(made)})


def column_names(max_order: int) -> list[str]:
    """The names of the statistics, in the order that they have in a row.

    >>> column_names(1)
    ['matches_1', 'totals_1', 'prediction_length', 'reference_length']
    """
    counts = [f"{name}_{n}" for name in ("matches", "totals") for n in range(1, max_order + 1)]
    return [*counts, "prediction_length", "reference_length"]


def opened(statistics: Any) -> list[pa.Table] | np.ndarray:
    """Statistics as they may be given, looked at once.

    Args:
        statistics: a table of `statistics_table` or a `datasets.Dataset` with its columns among others, a list of them,
            or int [2 N + 2] or [k, 2 N + 2].

    Returns:
        Tables of the statistics columns alone, or int64 [k, 2 N + 2].

    Raises:
        ValueError: these are no statistics.

    >>> opened([1, 1, 1, 1])
    array([[1, 1, 1, 1]])
    """
    tables = list(statistics) if isinstance(statistics, (list, tuple)) else [statistics]
    if tables and all(isinstance(table, pa.Table) for table in tables):
        return [table.select(_names_in(table, number)) for number, table in enumerate(tables)]
    if tables and all(hasattr(table, "with_format") for table in tables):
        # Only then as Arrow: of rows that were selected or shuffled, that is a copy, and the text stays out of it.
        own = (table.select_columns(_names_in(table, number)) for number, table in enumerate(tables))
        return [table.with_format("arrow")[:] for table in own]
    return _array(statistics)


def made_under(parts: list[pa.Table] | np.ndarray) -> dict[str, Any]:
    """What is known of how statistics were counted: `COUNTING` options, `references`, and `counted_orders`.

    Args:
        parts: what `opened` returns.

    Raises:
        ValueError: tables were counted under different options.

    >>> made_under(opened([1, 1, 1, 1]))
    {'counted_orders': 1}
    """
    if isinstance(parts, np.ndarray):
        return {"counted_orders": parts.shape[1] // 2 - 1}
    made = [json.loads((table.schema.metadata or {}).get(_METADATA, b"{}")) for table in parts]
    made = [{**known, "counted_orders": (table.num_columns - 2) // 2} for known, table in zip(made, parts)]
    for number, other in enumerate(made):
        for name in (*COUNTING, "counted_orders"):
            if other.get(name) != made[0].get(name):
                raise ValueError(
                    f"The tables were counted under different options and don't add up: {name} is {made[0].get(name)!r}"
                    f" in table 0 and {other.get(name)!r} in table {number}."
                )
    references = {known.get("references") for known in made}
    return {**made[0], "references": references.pop() if len(references) == 1 else "var"}


def stacked_rows(parts: list[pa.Table] | np.ndarray) -> np.ndarray:
    """The rows of what `opened` returns, as int64 [rows, 2 N + 2].

    >>> stacked_rows(opened([1, 1, 1, 1]))
    array([[1, 1, 1, 1]])
    """
    if isinstance(parts, np.ndarray):
        return parts
    return np.concatenate([np.stack([np.asarray(column) for column in table.columns], axis=1) for table in parts])


def summed_rows(parts: list[pa.Table] | np.ndarray) -> np.ndarray:
    """The sum of the rows of what `opened` returns, int64 [2 N + 2], without a copy of them.

    >>> summed_rows(opened([[1, 1, 1, 1], [0, 2, 2, 2]]))
    array([1, 3, 3, 3])
    """
    if isinstance(parts, np.ndarray):
        return parts.sum(axis=0)
    return np.sum([[pc.sum(column).as_py() or 0 for column in table.columns] for table in parts], axis=0)


def _names_in(table: Any, number: int) -> list[str]:
    max_order = sum(name.startswith("matches_") for name in table.column_names)
    names = column_names(max_order)
    if not max_order or not set(names) <= set(table.column_names):
        raise ValueError(f"Table {number} is no table of statistics: its columns are {', '.join(table.column_names)}.")
    return names


def _array(statistics: Any) -> np.ndarray:
    rows = np.atleast_2d(np.asarray(statistics))
    if rows.ndim != 2 or rows.shape[1] < 4 or rows.shape[1] % 2 or rows.dtype.kind not in "iu":
        raise ValueError(
            "These are no statistics rows: give a table of `statistics`, a list of them, or whole numbers of shape"
            f" [2 N + 2] or [rows, 2 N + 2], not {rows.dtype} {list(rows.shape)}."
        )
    max_order = rows.shape[1] // 2 - 1
    if not len(rows) or (rows < 0).any() or (rows[:, :max_order] > rows[:, max_order : 2 * max_order]).any():
        raise ValueError(
            "These are no statistics rows: each has 0 <= matches <= totals, order by order, and there is one at least."
        )
    return rows.astype(np.int64)
