"""Statistics rows as Arrow tables, and back from tables and sums."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import Int64
from .bleu_corpus import Corpus
from .bleu_options import CONVENTIONS, COUNTING, SMOOTH_METHODS, Options
from .bleu_statistics import count_corpus
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_warnings import warn_about_text

_METADATA = b"bleu_metric"


class Statistics(NamedTuple):
    """Statistics rows that were given, and what is known of how they were counted.

    tables: Arrow tables of the statistics columns alone, or None.
    rows: int64 [rows, 2 N + 2], or None where there are tables.
    counted_with: the options in `bleu_options.COUNTING`, as far as they are known.
    counted_orders: N.
    references: how many a segment has, `"var"` if that differs, None if unknown.
    """

    tables: list[pa.Table] | None
    rows: Int64 | None
    counted_with: dict[str, Any]
    counted_orders: int
    references: str | None

    def stack(self) -> Int64:
        """All rows, int64 [rows, 2 N + 2]."""
        if self.tables is None:
            return np.asarray(self.rows)
        columns = [[np.asarray(column) for column in table.columns] for table in self.tables]
        return np.concatenate([np.stack(arrays, axis=1) for arrays in columns])

    def sum(self) -> Int64:
        """The sum of the rows, int64 [2 N + 2], without a copy of them."""
        if self.tables is None:
            return np.asarray(self.rows).sum(axis=0)
        sums = [[pc.sum(column).as_py() or 0 for column in table.columns] for table in self.tables]
        return np.sum(sums, axis=0, dtype=np.int64)


def make_table(corpus: Corpus, options: Options) -> pa.Table:
    """The statistics rows of all segments as a table that says in its metadata how they were counted.

    Args:
        corpus: what `bleu_inputs.read_corpus` returns.
        options: those in `bleu_options.COUNTING` are looked at.

    Returns:
        int64 columns `matches_1..N`, `totals_1..N`, `prediction_length`, `reference_length`.

    >>> make_table(read_corpus(["a"], ["a"]), Options(max_order=1)).column_names
    ['matches_1', 'totals_1', 'prediction_length', 'reference_length']
    """
    warn_about_text(corpus.predictions, options.tokenize)
    metadata = {
        **options.counting(),
        "tokenize": choose_tokenizer(options, corpus.kind).name,
        "references": corpus.reference_count(),
    }
    columns = dict(zip(column_names(options.counted_orders), count_corpus(corpus, options).T))
    return pa.table(columns).replace_schema_metadata({_METADATA: json.dumps(metadata)})


def column_names(max_order: int) -> list[str]:
    """The names of the statistics, in the order that they have in a row.

    >>> column_names(1)
    ['matches_1', 'totals_1', 'prediction_length', 'reference_length']
    """
    counts = [f"{name}_{n}" for name in ("matches", "totals") for n in range(1, max_order + 1)]
    return [*counts, "prediction_length", "reference_length"]


def read_statistics(statistics: Any) -> Statistics:
    """Statistics in any form that they may be given in.

    Args:
        statistics: a table of `make_table` or a `datasets.Dataset` with its columns among others, a list of them, or
            int [2 N + 2] or [rows, 2 N + 2].

    Raises:
        ValueError: these are no statistics, or tables that were counted under different options.

    >>> read_statistics([1, 1, 1, 1]).rows
    array([[1, 1, 1, 1]])
    """
    parts = list(statistics) if isinstance(statistics, (list, tuple)) else [statistics]
    if parts and all(isinstance(part, pa.Table) for part in parts):
        tables = [table.select(_find_names(table, number)) for number, table in enumerate(parts)]
        return Statistics(tables, None, *_read_metadata(tables))
    if parts and all(hasattr(part, "with_format") for part in parts):
        # Only then as Arrow: of rows that were selected or shuffled, that is a copy, and the text stays out of it.
        selected = (part.select_columns(_find_names(part, number)) for number, part in enumerate(parts))
        tables = [part.with_format("arrow")[:] for part in selected]
        return Statistics(tables, None, *_read_metadata(tables))
    rows = _check_rows(statistics)
    return Statistics(None, rows, {}, rows.shape[1] // 2 - 1, None)


def adopt_counting(statistics: Statistics, options: Options) -> tuple[Options, str]:
    """The options with those that the rows were counted under, and what their tokenizer is called.

    Raises:
        ValueError: options were asked for that the rows weren't counted under.
    """
    counted_with = dict(statistics.counted_with)
    further_orders = SMOOTH_METHODS[options.smooth_method].further_orders
    counted_with.setdefault("max_order", statistics.counted_orders - further_orders)
    asked = {**options.counting(), "tokenize": choose_tokenizer(options, "text").name}
    for name in COUNTING:
        is_asked = name in options.given or name in CONVENTIONS[options.convention]
        if is_asked and name in counted_with and asked[name] != counted_with[name]:
            raise ValueError(
                f"The rows were counted with {name}={counted_with[name]!r}, not {asked[name]!r}: count anew."
            )
    tokenizer = counted_with.get("tokenize", asked["tokenize"])
    options = options.override({name: counted_with[name] for name in COUNTING if name in counted_with})
    if statistics.counted_orders < options.counted_orders:
        raise ValueError(
            f"smooth_method={options.smooth_method!r} looks at n-grams of order {options.counted_orders}, and these"
            f" rows end with {statistics.counted_orders}: count anew with this method."
        )
    return options, tokenizer


def _read_metadata(tables: list[pa.Table]) -> tuple[dict[str, Any], int, str | None]:
    """The options that all tables were counted under, how many orders they have, and how many references a segment."""
    known = [json.loads((table.schema.metadata or {}).get(_METADATA, b"{}")) for table in tables]
    known = [{**options, "longest n-gram": table.num_columns // 2 - 1} for options, table in zip(known, tables)]
    for number, options in enumerate(known):
        for name in (*COUNTING, "longest n-gram"):
            if options.get(name) != known[0].get(name):
                raise ValueError(
                    "The tables were counted under different options and don't add up:"
                    f" {name} is {known[0].get(name)!r} in table 0 and {options.get(name)!r} in table {number}."
                )
    references = {options.get("references") for options in known}
    counted_with = {name: known[0][name] for name in COUNTING if name in known[0]}
    return counted_with, known[0]["longest n-gram"], references.pop() if len(references) == 1 else "var"


def _find_names(table: Any, number: int) -> list[str]:
    max_order = sum(name.startswith("matches_") for name in table.column_names)
    names = column_names(max_order)
    if not max_order or not set(names) <= set(table.column_names):
        raise ValueError(f"Table {number} is no table of statistics: its columns are {', '.join(table.column_names)}.")
    return names


def _check_rows(statistics: Any) -> Int64:
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
