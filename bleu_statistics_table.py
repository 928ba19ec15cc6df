"""Statistics rows as Arrow tables, and back from tables, frames and sums."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .bleu_arrow import Int64
from .bleu_corpus import Corpus
from .bleu_inputs_errors import name_value
from .bleu_options import COUNTING, Options
from .bleu_statistics import count_corpus
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_warnings import warn_about_text

_METADATA = b"bleu_metric"
_PRETOKENISED = ("tokens", "ids")  # what "tokenize" is of rows that no tokenizer has cut


class Statistics(NamedTuple):
    """Statistics rows that were given, and what is known of how they were counted.

    table: of the statistics columns alone, in their order.
    are_segments: False for sums, which have no segments any more.
    counted_with: the options in `bleu_options.COUNTING`, as far as they are known.
    references: how many a segment has, `"var"` if that differs, `"?"` if unknown.
    """

    table: pa.Table
    are_segments: bool
    counted_with: dict[str, Any]
    references: str

    @property
    def counted_orders(self) -> int:
        return self.table.num_columns // 2 - 1

    def stack(self) -> Int64:
        """All rows, int64 [rows, 2 N + 2]."""
        return np.stack([np.asarray(column) for column in self.table.columns]).T

    def sum(self) -> Int64:
        """The sum of the rows, int64 [2 N + 2], without a copy of them."""
        return np.array([pc.sum(column).as_py() for column in self.table.columns], np.int64)


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
        "tokenize": None if corpus.is_blank else choose_tokenizer(options, corpus.kind).name,
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
        statistics: a table of `make_table`, a frame, record batch, `datasets.Dataset` or dict with its columns among
            others, or a list of such; or sums of rows, int [2 N + 2] or [sums, 2 N + 2], or by the column's name.

    Raises:
        ValueError: these are no statistics, there are none, or tables were counted under different options.

    >>> read_statistics([1, 1, 1, 1]).stack()
    array([[1, 1, 1, 1]])
    """
    parts = list(statistics) if isinstance(statistics, (list, tuple)) else [statistics]
    parts = [_unwrap(part) for part in parts]
    are_tables = {_has_columns(part) for part in parts}
    if len(are_tables) > 1:
        raise _no_rows(f"{' and '.join(sorted(set(map(name_value, parts))))} in one list")
    if are_tables == {True}:
        tables = [_select_statistics(part, number) for number, part in enumerate(parts)]
        are_segments = not any(_is_sum(part) for part in parts)
    else:
        tables, are_segments = [_tabulate_sums(statistics)], False
    tables = [table for table in tables if len(table)]
    if not tables:
        raise ValueError("There is nothing to score: no rows of statistics.")
    counted_with, references = _agree(tables)
    table = pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    _check_counts(table)
    return Statistics(table, are_segments, counted_with, references)


def adopt_counting(statistics: Statistics, options: Options) -> tuple[Options, str, list[str]]:
    """The options with those that the rows were counted under, what their tokenizer is called, and what nobody knows.

    Raises:
        ValueError: options were asked for that the rows weren't counted under, or the rows contradict the options.
    """
    counted_with = {**statistics.counted_with, "max_order": _choose_order(statistics, options)}
    asked = {**options.counting(), "tokenize": choose_tokenizer(options, "text").name}
    for name, counted in counted_with.items():
        # What was in tokens already has no tokenizer: a convention's has no say about it, one that was asked for has.
        is_asked = name in options.given if counted in _PRETOKENISED else options.is_chosen(name)
        if is_asked and asked[name] != counted:
            raise ValueError(f"The rows were counted with {name}={counted!r}, not {asked[name]!r}: count anew.")
    unknown = [name for name in COUNTING if name not in counted_with and not options.is_chosen(name)]
    options = options.override(counted_with)
    _check_lengths(statistics, options.minimum_total)
    return options, counted_with.get("tokenize", asked["tokenize"]), unknown


def _choose_order(statistics: Statistics, options: Options) -> int:
    """N of the score: what was asked for, if the rows have it, or all that they have."""
    further = options.counted_orders - options.max_order
    known = statistics.counted_with.get("max_order", max(1, statistics.counted_orders - further))
    max_order: int = options.max_order if options.is_chosen("max_order") else known
    if max_order + further <= statistics.counted_orders:
        return max_order
    if further and max_order <= statistics.counted_orders:
        raise ValueError(
            f"smooth_method={options.smooth_method!r} looks at n-grams of order {max_order + further}, and these rows"
            f" end with {statistics.counted_orders}: count anew with this method."
        )
    raise ValueError(
        f"The rows were counted with max_order={statistics.counted_orders}, not {max_order}: count anew, with more."
    )


def _has_columns(part: Any) -> bool:
    return isinstance(part, Mapping) or hasattr(part, "column_names") or hasattr(part, "columns")


def _unwrap(part: Any) -> Any:
    """A record batch as a table, a series of pandas, as the sum of a frame is, as a dict; the rest as it is."""
    if isinstance(part, pa.RecordBatch):
        return pa.Table.from_batches([part])
    is_series = hasattr(part, "iloc") and not hasattr(part, "columns")
    return part.to_dict() if is_series and len(part) and isinstance(part.index[0], str) else part


def _is_sum(part: Any) -> bool:
    """Whether it is a number by the name of each column."""
    return isinstance(part, Mapping) and not isinstance(part["prediction_length"], Iterable)


def _select_statistics(part: Any, number: int) -> pa.Table:
    """The statistics columns of anything with columns, by their names."""
    known = list(part if isinstance(part, Mapping) else getattr(part, "column_names", None) or part.columns)
    max_order = sum(str(name).startswith("matches_") for name in known)
    names = column_names(max_order)
    if not max_order or not set(names) <= set(known):
        raise ValueError(f"Table {number} is no table of statistics: its columns are {', '.join(map(str, known))}.")
    if isinstance(part, Mapping):
        table = pa.table({name: part[name] if isinstance(part[name], Iterable) else [part[name]] for name in names})
    elif isinstance(part, pa.Table):
        table = part.select(names)
    elif hasattr(part, "with_format"):
        # Only then as Arrow: of rows that were selected or shuffled, that is a copy, and the text stays out of it.
        table = part.select_columns(names).with_format("arrow")[:]
    else:
        table = pa.table({name: part[name].to_numpy() for name in names})
    return _cast_to_int64(table, f"Table {number}")


def _tabulate_sums(statistics: Any) -> pa.Table:
    try:
        rows = np.atleast_2d(np.asarray(statistics))
    except ValueError:
        raise _no_rows("rows of several lengths") from None
    if rows.ndim != 2 or not rows.size or rows.shape[1] < 4 or rows.shape[1] % 2 or rows.dtype.kind not in "iu":
        raise _no_rows(f"{rows.dtype} {list(rows.shape)}")
    names = column_names(rows.shape[1] // 2 - 1)
    return pa.table({name: column.astype(np.int64) for name, column in zip(names, rows.T)})


def _no_rows(found: str) -> ValueError:
    return ValueError(
        "These are no statistics rows: give a table of `statistics`, a list of them, or sums of rows, whole numbers"
        f" of shape [2 N + 2] or [sums, 2 N + 2], not {found}."
    )


def _cast_to_int64(table: pa.Table, name: str) -> pa.Table:
    is_whole = all(pa.types.is_integer(column.type) and not column.null_count for column in table.columns)
    if len(table) and not is_whole:
        raise ValueError(f"{name} is no table of statistics: there are other values than whole numbers in it.")
    return table.cast(pa.schema([(column, pa.int64()) for column in table.column_names], table.schema.metadata))


def _agree(tables: list[pa.Table]) -> tuple[dict[str, Any], str]:
    """The options that all tables were counted under, and how many references a segment has."""
    known = [json.loads((table.schema.metadata or {}).get(_METADATA, b"{}")) for table in tables]
    for number, options in enumerate(known):
        # Rows without a token fit to any tokenizer, and to no tokenizer.
        known[number] = {name: value for name, value in options.items() if value is not None}
        known[number]["longest n-gram"] = tables[number].num_columns // 2 - 1
    tokenizers = [options["tokenize"] for options in known if "tokenize" in options]
    for number, options in enumerate(known):
        if tokenizers and "lowercase" in options:  # it says how it was counted
            options.setdefault("tokenize", tokenizers[0])
        for name in (*COUNTING, "longest n-gram"):
            if options.get(name) != known[0].get(name):
                raise ValueError(
                    "The tables were counted under different options and don't add up:"
                    f" {name} is {known[0].get(name)!r} in table 0 and {options.get(name)!r} in table {number}."
                )
    references = {options.get("references", "?") for options in known}
    counted_with = {name: known[0][name] for name in COUNTING if name in known[0]}
    return counted_with, references.pop() if len(references) == 1 else "var"


def _check_counts(table: pa.Table) -> None:
    """Raises unless 0 <= matches <= totals, order by order, in each row."""
    orders = table.num_columns // 2 - 1
    columns = table.columns
    is_negative = any(pc.min(column).as_py() < 0 for column in [*columns[:orders], *columns[-2:]])
    pairs = zip(columns[:orders], columns[orders : 2 * orders])
    if is_negative or any(pc.any(pc.greater(matches, totals)).as_py() for matches, totals in pairs):
        raise ValueError("These are no statistics rows: in each, 0 <= matches <= totals, order by order.")


def _check_lengths(statistics: Statistics, minimum_total: int) -> None:
    """Raises unless the unigrams are as many as the prediction is long, or the least that is counted of an order."""
    unigrams, lengths = (statistics.table[name] for name in ("totals_1", "prediction_length"))
    if statistics.are_segments:
        fits = pc.equal(unigrams, pc.max_element_wise(lengths, minimum_total))
    else:
        fits = pc.greater_equal(unigrams, lengths) if minimum_total else pc.equal(unigrams, lengths)
    if not pc.all(fits).as_py():
        raise ValueError(
            "These are no statistics rows: prediction_length differs from totals_1. Where an order counts some n-grams"
            " at least, as in NLTK's convention, say minimum_total."
        )
