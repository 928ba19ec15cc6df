"""Tables of statistics: how they are made, added, read and checked, and when they are rejected."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import is_
from typing import Any, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_messages as messages
from .bleu_corpus import Int64, Label, Layout, SystemName, group_labels
from .bleu_counting import count_totals
from .bleu_inputs import (
    check_labels,
    convert_flat,
    is_result,
    list_labels,
    read_array,
    read_documents,
    read_labels,
    to_arrow,
)
from .bleu_messages import (
    RUNS_BY_NAME,
    RunOfSystem,
    name_value,
    show_system,
    show_value,
    within_system,
)
from .bleu_options import COUNTING_OPTIONS, PRETOKENIZED, Options, Origin, same_or_var
from .bleu_statistics import Counted, Group
from .bleu_tokenizers import choose_tokenizer

LABEL = "label"  # the column of labels in a table
DOCUMENT = "document"  # the column of documents

_METADATA = b"bleu_metric"  # the key of a schema's metadata


# --- Rows to tables -------------------------------------------------------------------------------


class TableMetadata(TypedDict, total=False):
    """What the metadata of a table records, as JSON.

    The first five keys are `COUNTING_OPTIONS`. `references` is the number of references, and
    `groups` has a label, the tokenizer and the number of references of each label. `sums` is True
    if rows are sums of segments, and missing else.
    """

    tokenize: str | None
    lowercase: bool
    max_order: int
    reference_length: str
    minimum_total: int
    references: str
    groups: list[tuple[Label, str, str]]
    sums: bool


def tabulate(counted: Counted, options: Options) -> pa.Table:
    """Return counted rows as a table."""
    metadata: TableMetadata = {
        "tokenize": counted.origin.tokenizer_name,
        "lowercase": options.lowercase,
        "max_order": options.max_order,
        "reference_length": options.reference_length,
        "minimum_total": options.minimum_total,
        "references": counted.origin.nrefs,
    }
    if counted.labels is not None:
        metadata["groups"] = [
            (label, group.origin.tokenizer_name, group.origin.nrefs)
            for label, group in counted.groups.items()
        ]
    rows = pa.table(dict(zip(options.layout.names, counted.rows.T)))
    table = _append_labels(rows, counted.labels, counted.documents)
    return table.replace_schema_metadata({_METADATA: json.dumps(metadata)})


def _append_labels(
    rows: pa.Table, labels: Sequence[Label] | None, documents: Sequence[Label] | None
) -> pa.Table:
    """Return rows with the columns of their labels and documents."""
    if labels is not None:
        rows = rows.append_column(LABEL, make_label_column("by", labels))
    if documents is not None:
        rows = rows.append_column(DOCUMENT, make_label_column("documents", documents))
    return rows


def make_label_column(name: str, labels: Sequence[Label]) -> pa.Array:
    """Return labels as the column of a table, or raise if no column can hold them.

    Args:
        name: the argument that the labels were passed as.
        labels: one per row.
    """
    types = set(map(type, labels)) - {type(None)}
    try:
        if len(types) > 1 and types != {int, float}:  # Arrow reads True after 2.5 as 1.0
            raise TypeError
        return pa.array(labels)
    except (pa.ArrowException, TypeError, OverflowError):
        found = "numbers beyond 64 bits"
        if len(types) > 1:
            found = " and ".join(sorted(type_.__name__ for type_ in types))
        raise TypeError(
            f"{name}: expected labels of one type for a table, got {found}. Pass [str(label) for"
            " label in labels]."
        ) from None


# --- Tables back to rows --------------------------------------------------------------------------


class GivenRows(NamedTuple):
    """Statistics rows that the user supplies, with the options of their score.

    columns: the statistics columns only, in the order of a row.
    origin: their tokenizer and number of references.
    options: the options of the call, with those that the rows were counted under.
    unknown: the names of options that neither the rows nor the call tell.
    may_be_segments: False if the rows are sums, or could be sums that look like segments.
    counted_by: the origin of the rows of each label that the rows were counted by.
    labels, groups, documents: as in `Counted`.
    """

    columns: pa.Table
    origin: Origin
    options: Options
    unknown: Sequence[str]
    may_be_segments: bool
    counted_by: Mapping[Label, Origin]
    labels: Sequence[Label] | None
    groups: Mapping[Label, Group]
    documents: Sequence[Label] | None

    def total(self) -> Int64:
        """Return the sum of the rows, int64 [2 N + 2], without copying the rows."""
        return np.array([pc.sum(column).as_py() for column in self.columns.columns], np.int64)

    def counted(self, *, has_segments: bool) -> Counted:
        """Return the rows as those of a corpus.

        Args:
            has_segments: the result of `have_segments`.
        """
        return Counted(
            rows=np.stack([np.asarray(column) for column in self.columns.columns]).T,
            origin=self.origin,
            labels=self.labels,
            groups=self.groups,
            documents=self.documents,
            has_segments=has_segments,
        )

    def have_segments(self) -> bool:
        """Return True if each row is that of a single segment.

        From order to order, a segment has one n-gram less, and a sum of k segments has k less.
        """
        if not self.may_be_segments:
            return False
        layout = _layout_of(self.columns)
        lengths = np.asarray(self.columns["prediction_length"])
        expected = count_totals(lengths, layout.orders, self.options.minimum_total)
        return all(map(np.array_equal, self.columns.columns[layout.totals], expected))


def read_counted(
    statistics: Any,
    options: Options,
    *,
    by: object = None,
    documents: object = None,
    like: Any = None,
) -> GivenRows:
    """Read one table or frame, a list of them, or sums, and merge the options.

    Args:
        statistics: tables, frames or sums.
        options: all options of the call. The rows win for everything that was not asked for.
        by: one label per row, or the name of a column of the tables; None for no labels.
        documents: the document of each row, or the name of a column of the tables; None for no
            documents.
        like: the table whose metadata applies to statistics without metadata; None for no table.

    Raises:
        TypeError, ValueError: these are not valid rows, they do not add up, or they were counted
            under options other than the requested ones.

    >>> names = ["matches_1", "totals_1", "prediction_length", "reference_length"]
    >>> table = pa.table([[1, 2], [2, 2], [2, 2], [3, 2]], names)
    >>> given = read_counted(table, Options(max_order=1))
    >>> given.total().tolist(), given.origin.nrefs, given.unknown[:2]
    ([3, 4, 4, 5], '?', ['tokenize', 'lowercase'])
    """
    parts = {place: part for place, part in _stream_parts(statistics) if len(part.columns)}
    if not parts:
        raise ValueError(_NO_STATISTICS)
    given = _read_given(parts, options, by=by, documents=documents, like=like)
    return given._replace(may_be_segments=given.may_be_segments and is_table(statistics))


def _read_given(
    parts: Mapping[str, _Part],
    options: Options,
    *,
    by: object = None,
    documents: object = None,
    like: Any = None,
) -> GivenRows:
    """Join the rows of parts, which are given by their places, and merge the options."""
    # 1. Parts without metadata take that of "like", which adds no rows.
    tables = {place: part.columns for place, part in parts.items()}
    if like is not None:
        tables = _add_metadata(tables, like)
    # 2. Merge what the tables say about their counting, and join their rows.
    recorded = _merge_metadata(tables, has_labels=by is not None)
    columns = pa.concat_tables([table.replace_schema_metadata(None) for table in tables.values()])
    _check_counts(columns)
    # 3. Read documents, then labels.
    if isinstance(documents, str):
        documents = _join_columns(parts, "documents", documents)
    document_labels = read_documents(documents, len(columns))
    if isinstance(by, str):
        by = _join_columns(parts, "by", by)
    labels = read_labels(by, len(columns))
    groups: dict[Label, Group] = {}
    if labels is not None:
        groups = _group_rows(labels, parts, recorded)
        check_labels(options, labels)
    elif options.tokenize_by is not None:
        raise ValueError(messages.NO_LABELS_FOR_TOKENIZERS)
    # 4. Compare what the rows say with what the caller asks for.
    orders = _layout_of(columns).orders
    counted_with = {
        **recorded.counted_with,
        "max_order": _choose_order(recorded.counted_with.get("max_order"), orders, options),
    }
    asked = options.counting_options()
    asked["tokenize"] = choose_tokenizer(options.for_label(None), "text").name
    _check_asked(counted_with, asked, groups, options)
    # 5. The rows win for everything that was not asked for.
    adopted = options.override(counted_with)
    _check_unigrams(columns, adopted)
    # 6. A sum of a single order looks like a segment; only the metadata of the rows tells.
    is_recorded = like is None and "tokenize" in recorded.counted_with
    return GivenRows(
        columns=columns,
        origin=Origin(counted_with.get("tokenize", asked["tokenize"]), recorded.nrefs),
        options=adopted,
        unknown=[
            name
            for name in COUNTING_OPTIONS
            if name not in counted_with and not options.is_chosen(name)
        ],
        may_be_segments=not recorded.are_sums and (orders > 1 or is_recorded),
        counted_by=recorded.counted_by,
        labels=labels,
        groups=groups,
        documents=document_labels,
    )


def is_table(statistics: Any) -> bool:
    """Return True for a statistics table, or a list that begins with one; False for texts."""
    has_parts = isinstance(statistics, (list, tuple)) and len(statistics) > 0
    return "prediction_length" in (_list_names(statistics[0] if has_parts else statistics) or ())


# --- Rows to sums ---------------------------------------------------------------------------------

_WAITING_PARTS = 100  # parts that wait until they are added
_WAITING_ROWS = 2_000  # a part with fewer rows waits as it is, because a sum takes a millisecond


def add_statistics(statistics: object, options: Options, *, keeps_labels: bool = True) -> pa.Table:
    """Add tables and sums; the table of the sums records how their rows were counted.

    Args:
        statistics: in any form that `read_counted` takes, or an iterable of parts.
        options: all options of the object; tokenizers of single labels are not compared.
        keeps_labels: True for a sum per label and document, if the rows have these columns.

    >>> names = ["matches_1", "totals_1", "prediction_length", "reference_length"]
    >>> part = pa.table([[1, 2], [2, 2], [2, 2], [3, 2]], names)
    >>> add_statistics(iter([part, part]), Options(max_order=1)).to_pylist()
    [{'matches_1': 6, 'totals_1': 8, 'prediction_length': 8, 'reference_length': 10}]
    """
    options_of_score = replace(options, tokenize_by=None)
    without_rows: _Part | None = None
    waiting: list[pa.Table] = []
    names: list[str] = []  # of the columns of labels and documents
    kinds: dict[object, tuple[str, pa.Table]] = {}  # the first place of each, without rows
    for place, part in _stream_parts(statistics):
        if not keeps_labels:
            part = _Part(part.columns, part.columns)
        # 1. Leave out parts without rows, which need neither labels nor metadata.
        if not len(part.columns):
            without_rows = without_rows or part
            continue
        # 2. Compare how the part was counted with the parts before.
        kind = ((part.columns.schema.metadata or {}).get(_METADATA), part.columns.num_columns)
        if not kinds:
            names = part.key_names()
            kinds[kind] = (place, part.columns[:0])
        first = next(iter(kinds.values()))
        if part.key_names() != names:
            raise _keys_differ(first[0], names, place, part.key_names())
        if kind not in kinds:
            kinds[kind] = (place, part.columns[:0])
            _merge_metadata(dict([first, kinds[kind]]), has_labels=LABEL in names)
        # 3. Check it as a score would, and add it.
        rows = _read_rows(place, part, options_of_score)
        waiting.append(rows if len(rows) < _WAITING_ROWS else _add_rows([rows]))
        if len(waiting) == _WAITING_PARTS:
            waiting = [_add_rows(waiting)]
    if waiting:
        recorded = _merge_metadata(dict(kinds.values()), has_labels=LABEL in names)
        return _add_rows(waiting).replace_schema_metadata(_record_sums(recorded))
    if without_rows is None:
        raise ValueError(_NO_STATISTICS)
    names = without_rows.key_names()
    return _append_labels(
        without_rows.columns,
        labels=[] if LABEL in names else None,
        documents=[] if DOCUMENT in names else None,
    )


def _read_rows(place: str, part: _Part, options: Options) -> pa.Table:
    """Check a part as a score of it would, and return its rows with their labels and documents."""
    names = part.key_names()
    given = _read_given(
        {place: part},
        options,
        by=LABEL if LABEL in names else None,
        documents=DOCUMENT if DOCUMENT in names else None,
    )
    return _append_labels(given.columns, given.labels, given.documents)


def _add_rows(tables: Sequence[pa.Table]) -> pa.Table:
    """Add the rows of each label and document, in order of first appearance.

    >>> rows = pa.table({"totals_1": [2, 2, 1], "document": ["b", "a", "b"]})
    >>> _add_rows([rows]).to_pydict()
    {'totals_1': [3, 2], 'document': ['b', 'a']}
    """
    try:
        rows = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowTypeError as error:
        raise TypeError(
            f"statistics: expected labels of one type in all tables ({error}). Pass [str(label) for"
            " label in labels] to statistics()."
        ) from None
    keys = [name for name in rows.column_names if name in (LABEL, DOCUMENT)]
    counts = [name for name in rows.column_names if name not in keys]
    _check_counts(rows.select(counts))
    if not keys:  # a tenth of the time
        return pa.table([[pc.sum(column).as_py()] for column in rows.columns], counts)
    # Arrow returns groups in any order.
    rows = rows.append_column("row", pa.array(np.arange(len(rows))))
    aggregations = [("row", "min"), *((name, "sum") for name in counts)]
    sums = rows.group_by(keys).aggregate(aggregations).sort_by("row_min")
    columns = [*(f"{name}_sum" for name in counts), *keys]
    return sums.select(columns).rename_columns([*counts, *keys])


def _record_sums(recorded: _Recorded) -> dict[bytes, bytes] | None:
    """Return the metadata of sums; None if it is not known how their rows were counted."""
    if not recorded.counted_with:
        return None
    metadata = {**recorded.counted_with, "references": recorded.nrefs, "sums": True}
    if recorded.counted_by:
        metadata["groups"] = [
            (label, origin.tokenizer_name, origin.nrefs)
            for label, origin in recorded.counted_by.items()
        ]
    return {_METADATA: json.dumps(metadata).encode()}


def _keys_differ(
    first_place: str, first_names: Sequence[str], place: str, names: Sequence[str]
) -> ValueError:
    """Build the error for parts of which some have labels or documents, and others do not."""
    (name, *_) = set(first_names) ^ set(names)
    has, lacks = (first_place, place) if name in first_names else (place, first_place)
    return ValueError(
        f"statistics: {has} has a column {name!r}, but {lacks} has none. Call statistics() again"
        " with the same arguments, or remove the column."
    )


# --- The parts of statistics ----------------------------------------------------------------------


class _Part(NamedTuple):
    """A table that has rows, or sums, as the user supplies them, and the statistics columns."""

    given: Any
    columns: pa.Table

    def key_names(self) -> list[str]:
        """Return the names of its columns of labels and documents."""
        names = _list_names(self.given) or ()
        return [name for name in (LABEL, DOCUMENT) if name in names]


def _stream_parts(statistics: Any) -> Iterator[tuple[str, _Part]]:
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
        columns = _select_columns(part, place) if has_columns else _read_sums(part)
        yield place, _Part(part, columns)


def is_stream(statistics: Any) -> bool:
    """Return True for an iterable of parts; False for a list, and for a table or array."""
    if isinstance(statistics, (str, bytes, list, tuple)) or _list_names(statistics) is not None:
        return False
    is_array = hasattr(statistics, "__array__") or hasattr(statistics, "iloc")
    return isinstance(statistics, Iterable) and not is_array


def _check_parts(parts: Sequence[Any]) -> bool:
    """Return True for tables and False for sums; raise for anything else, or for both."""
    if not parts:
        raise ValueError(_NO_STATISTICS)
    if any(map(is_result, parts)):
        raise TypeError(messages.A_RESULT.format(name="statistics"))
    have_columns = [_list_names(part) is not None for part in parts]
    if any(have_columns) and not all(have_columns):
        found = " and ".join(sorted(set(map(name_value, parts))))
        raise _not_statistics(f"{found} in one list")
    if any(hasattr(part, "iloc") and not hasattr(part, "columns") for part in parts):
        raise _not_statistics("a Series, whose labels may be in any order. Pass sums.to_numpy()")
    return any(have_columns)


_NO_STATISTICS = "statistics: got no rows. Pass tables from statistics() with at least one row."


def _not_statistics(found: str) -> ValueError:
    return ValueError(
        "statistics: expected a table from statistics(), a list of tables, or sums of rows"
        f" (integers of shape [2 N + 2] or [sums, 2 N + 2]), got {found}."
    )


def _not_a_table(place: str, problem: str) -> ValueError:
    return ValueError(
        f"{place}: not a statistics table: {problem}. Pass a table from statistics()."
    )


def _list_names(part: Any) -> list[Any] | None:
    """Return the names of a table's columns, or None if `part` has no columns."""
    if hasattr(part, "collect_schema"):  # polars; a LazyFrame warns if it is asked for `columns`
        return list(part.collect_schema())
    if isinstance(part, Mapping):
        return list(part)
    names = getattr(part, "column_names", getattr(part, "columns", None))
    return None if names is None else list(names)


def _select_columns(part: Any, place: str) -> pa.Table:
    """Return the statistics columns of anything with columns; `place` is for errors."""
    # 1. Find the columns by their names.
    columns = _list_names(part) or []
    max_order = next(n for n in itertools.count() if f"matches_{n + 1}" not in columns)
    names = Layout(max_order).names
    if not max_order or not set(names) <= set(columns):
        raise _not_a_table(place, f"its columns are {', '.join(map(str, columns))}")
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
        raise _not_a_table(place, f"a column could not be read ({type(error).__name__})") from None
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
    raise _not_a_table(place, "not all of its values are whole numbers of 64 bits")


def _check_single(place: str, columns: Sequence[Any], names: Iterable[str]) -> None:
    """Raise if a table has two columns of one of the names."""
    for name in names:
        if columns.count(name) > 1:
            raise _not_a_table(place, f"it has two columns {name!r}")


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


def _join_columns(parts: Mapping[str, _Part], argument: str, name: str) -> list[Label]:
    """Return the labels in a column of all tables, for the argument that names the column.

    Args:
        parts: the tables that have rows, by their place.
        argument: `"by"` or `"documents"`.
        name: the column.
    """
    labels: list[Label] = []
    for place, part in parts.items():
        columns = _list_names(part.given) or []
        _check_single(place, columns, [name])
        if name not in columns:
            raise ValueError(
                f"{argument}={show_value(name)}: {place} has no such column. Pass its name, or one"
                " label per segment."
            )
        labels += list_labels(argument, part.given[name], len(part.columns))
    return labels


def _check_counts(table: pa.Table) -> None:
    """Raise unless 0 <= matches <= totals in each row and order, or if sums exceed int64."""
    layout = _layout_of(table)
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


def _layout_of(columns: pa.Table) -> Layout:
    return Layout.of_width(columns.num_columns)


# --- What tables record ---------------------------------------------------------------------------


class _Recorded(NamedTuple):
    """What the metadata of tables says about their rows.

    counted_with: the options in `bleu_options.COUNTING_OPTIONS` that are known.
    nrefs: the number of references per segment, `"var"` if it differs, `"?"` if unknown.
    counted_by: the origin of the rows of each label that the rows were counted by.
    are_sums: True if rows of some table are known to be sums.
    """

    counted_with: Mapping[str, Any]
    nrefs: str
    counted_by: Mapping[Label, Origin]
    are_sums: bool


def _add_metadata(tables: Mapping[str, pa.Table], like: Any) -> dict[str, pa.Table]:
    """Return tables with the metadata of `like` if they have none, and `like` without its rows."""
    schema = getattr(like, "schema", None)
    if _METADATA not in (getattr(schema, "metadata", None) or {}):
        raise _not_a_table("like", "it does not record how it was counted")
    of_like = _read_metadata("like", schema)
    of_like.pop("sums", None)  # the rows that take the metadata may be segments
    metadata = {_METADATA: json.dumps(of_like)}
    with_metadata = dict(tables)
    for place, table in tables.items():
        if _METADATA not in (table.schema.metadata or {}):
            with_metadata[place] = table.replace_schema_metadata(metadata)
    with_metadata["like"] = _select_columns(like, "like")[:0]
    return with_metadata


def _read_metadata(place: str, schema: pa.Schema) -> dict[str, Any]:
    """Return the `TableMetadata` of a table, without unknown values; `place` is for errors."""
    text = (schema.metadata or {}).get(_METADATA, b"{}")
    try:
        # Older tables of empty lists have no tokenizer, which fits every tokenizer.
        values: dict[str, Any] = {
            name: value for name, value in json.loads(text).items() if value is not None
        }
        for option in COUNTING_OPTIONS:
            if option in values:
                Options.check(option, values[option])
        groups = [("", "", values.get("references", "")), *values.get("groups", ())]
        dict.fromkeys((label, tokenizer + ":" + nrefs) for label, tokenizer, nrefs in groups)
    except (AttributeError, RecursionError, TypeError, ValueError):
        raise _not_a_table(place, "its metadata is damaged") from None
    return values


def _merge_metadata(tables: Mapping[str, pa.Table], *, has_labels: bool) -> _Recorded:
    """Return what all tables record, or raise if they do not add up.

    Args:
        tables: by place, for errors.
        has_labels: True if rows are grouped by labels. Tables may then have different tokenizers if
            they were counted by labels.
    """
    # 1. Read the metadata of each table, with the origins of each label.
    recorded: dict[str, dict[str, Any]] = {}
    origins_of: dict[Label, list[Origin]] = {}
    for place, table in tables.items():
        recorded[place] = _read_metadata(place, table.schema)
        for label, name, nrefs in recorded[place].get("groups", ()):
            origins_of.setdefault(label, []).append(Origin(name, nrefs))
    # 2. With labels on all sides, tokenizers may differ: treat them as "var".
    names = [metadata["tokenize"] for metadata in recorded.values() if "tokenize" in metadata]
    for name in names:
        _check_same_function(name, names[0])
    if has_labels and names and all("groups" in metadata for metadata in recorded.values()):
        names = [same_or_var(names)]
        for metadata in recorded.values():
            metadata["tokenize"] = names[0]
    # 3. Compare every table with the first. "lowercase" is always recorded, so its presence tells a
    #    table with metadata from one without.
    first_place, first = next(iter(recorded.items()))
    for place, metadata in recorded.items():
        if names and "lowercase" in metadata:
            metadata.setdefault("tokenize", names[0])
        metadata["longest n-gram"] = _layout_of(tables[place]).orders
        for name in (*COUNTING_OPTIONS, "longest n-gram"):
            if first.get(name) != metadata.get(name):
                raise ValueError(
                    "statistics: the tables were counted under different options and don't add up:"
                    f" {name} is {first.get(name)!r} in {first_place} and {metadata.get(name)!r} in"
                    f" {place}. Call statistics() again with the same options. Only tokenizers may"
                    " differ, if all tables have labels: statistics(..., by=labels), then"
                    " compute(statistics=tables, by='label')."
                )
    # 4. "like" adds no rows, and so no references.
    of_rows = [metadata for place, metadata in recorded.items() if place != "like"]
    return _Recorded(
        counted_with={option: first[option] for option in COUNTING_OPTIONS if option in first},
        nrefs=same_or_var(metadata.get("references", "?") for metadata in of_rows),
        counted_by={label: Origin.merge(origins) for label, origins in origins_of.items()},
        are_sums=any(metadata.get("sums", False) for metadata in of_rows),
    )


def _group_rows(
    labels: Sequence[Label], parts: Mapping[str, _Part], recorded: _Recorded
) -> dict[Label, Group]:
    """Group rows by labels; a group may have rows of several labels that they were counted by."""
    origin = Origin(recorded.counted_with.get("tokenize", "?"), recorded.nrefs)
    origins = [origin] * len(labels)
    if recorded.counted_by and all(LABEL in part.key_names() for part in parts.values()):
        counted_by = _join_columns(parts, "by", LABEL)
        origins = [recorded.counted_by.get(label, origin) for label in counted_by]
    groups = {}
    for label, segments in group_labels(labels).items():
        groups[label] = Group(segments, Origin.merge({origins[row] for row in segments.tolist()}))
    return groups


# --- The options of a score -----------------------------------------------------------------------


def _choose_order(recorded: int | None, orders: int, options: Options) -> int:
    """Return N of the score: the requested order if the rows have it, or else all their orders.

    Args:
        recorded: N as the metadata of the rows has it; None if unknown.
        orders: the number of orders in a row.
        options: all options of the call.
    """
    further = options.counted_orders - options.max_order
    max_order = max(1, orders - further) if recorded is None else recorded
    if options.is_chosen("max_order"):
        max_order = options.max_order
    if max_order + further <= orders:
        return max_order
    if further and max_order <= orders:
        raise ValueError(
            f"smooth_method={options.smooth_method!r} needs n-grams of order {max_order + further},"
            f" but the statistics end with order {orders}. Call statistics() again with this"
            " method."
        )
    raise ValueError(
        f"max_order={max_order}: the statistics end with max_order={orders}. Call"
        " statistics() again with the higher order."
    )


def _check_asked(
    counted_with: Mapping[str, Any],
    asked: Mapping[str, Any],
    groups: Mapping[Label, Group],
    options: Options,
) -> None:
    """Raise if rows were counted under options other than the requested ones.

    Args:
        counted_with: the known options that the rows were counted under.
        asked: the values of the call for all options of counting.
        groups: the rows of each label, for tokenizers by label.
        options: all options of the call.
    """
    for name, counted in counted_with.items():
        # A convention's choice counts as asked for, except for the tokenizer of rows without one.
        is_pretokenized = counted in (*PRETOKENIZED, "var")
        is_asked = name in options.given if is_pretokenized else options.is_chosen(name)
        if name == "tokenize" and options.tokenize_by is not None:
            for label in filter(options.tokenize_by.__contains__, groups):
                tokenizer_name = choose_tokenizer(options.for_label(label), "text").name
                place = f"tokenize[{show_value(label)}]"
                _check_value(place, groups[label].origin.tokenizer_name, tokenizer_name)
        elif is_asked:
            _check_value(name, counted, asked[name])


def _check_value(name: str, counted: Any, asked: Any) -> None:
    """Raise unless rows were counted with the value that was asked for."""
    if name.startswith("tokenize"):
        _check_same_function(counted, asked)
    if counted != asked:
        raise ValueError(
            f"statistics: counted with {name}={counted!r}, but {asked!r} was requested. Call"
            " statistics() with the new option."
        )


def _check_same_function(tokenizer_name: str, other_name: str) -> None:
    """Raise if two tokenizers have one name, but may be different functions."""
    printed, has_id, _ = tokenizer_name.partition("#")
    if has_id and tokenizer_name != other_name and other_name.startswith(f"{printed}#"):
        raise ValueError(
            f"statistics: tokenize={printed} is the name of different functions, or of one function"
            " in different processes. Add a method `signature` that returns a unique name to the"
            " tokenizer, and call statistics() again."
        )


def _check_unigrams(columns: pa.Table, options: Options) -> None:
    """Raise unless there are as many unigrams as tokens, or more with a `minimum_total`."""
    compare = pc.greater_equal if options.minimum_total else pc.equal
    if not pc.all(compare(columns["totals_1"], columns["prediction_length"])).as_py():
        raise ValueError(
            "statistics: expected prediction_length to equal totals_1. If the rows were counted"
            " with a `minimum_total`, as in NLTK's convention, pass the same value."
        )


# --- Tables of several systems --------------------------------------------------------------------


GivenSystems = Mapping[SystemName | RunOfSystem, GivenRows]
CountedSystem = tuple[SystemName | RunOfSystem, Counted]


def count_tables(systems: GivenSystems) -> Iterator[CountedSystem]:
    """Yield the rows of each system, which are copied one system at a time.

    If some are sums, all are summed by document, in the order of the first system.
    """
    if all(given.may_be_segments for given in systems.values()):
        for name, given in systems.items():
            yield name, given.counted(has_segments=True)
        return
    first_name, first = next(iter(systems.items()))
    first_sums = first.counted(has_segments=False).sum_documents()
    for name, given in systems.items():
        sums = given.counted(has_segments=False).sum_documents().order_like(first_sums)
        if sums is None:
            raise _systems_differ("documents", first_name, name)
        yield name, sums


def read_tables(
    systems: Mapping[SystemName, object],
    options: Options,
    *,
    by: object,
    documents: object,
    like: object,
) -> GivenSystems:
    """Read the statistics tables of systems, which must have the same segments and options.

    Sums of segments are allowed if each has a document. `may_be_segments` of the result is certain.
    """
    # 1. Read the tables of each system.
    tables: dict[SystemName | RunOfSystem, GivenRows] = {}
    for name, statistics in systems.items():
        with within_system(name):
            given = read_counted(statistics, options, by=by, documents=documents, like=like)
            first = next(iter(tables.values()), given)
            _check_same_function(given.origin.tokenizer_name, first.origin.tokenizer_name)
            has_segments = given.have_segments()
            if not has_segments and given.documents is None:
                raise ValueError(
                    "statistics: expected one row per segment, got sums. Pass the tables from"
                    " statistics(), or the document of each row, as in documents='document'."
                )
            tables[name] = given._replace(
                may_be_segments=has_segments,
                labels=_share(given.labels, first.labels),
                documents=_share(given.documents, first.documents),
            )
    # 2. Compare each with the first. Sums are compared by document, when they are put in order.
    have_segments = all(given.may_be_segments for given in tables.values())
    first_name = next(iter(tables))
    expected = _list_properties(tables[first_name], have_segments)
    for name, given in tables.items():
        for noun, value in _list_properties(given, have_segments).items():
            if value != expected[noun]:
                raise _systems_differ(noun, first_name, name)
    return tables


def _share(
    labels: Sequence[Label] | None, first_labels: Sequence[Label] | None
) -> Sequence[Label] | None:
    """Return the labels of the first system if they are the same, to keep them in memory once."""
    if labels is None or labels != first_labels:
        return labels
    have_same_types = all(map(is_, map(type, labels), map(type, first_labels)))  # 1 == True
    return first_labels if have_same_types else labels


def _list_properties(given: GivenRows, have_segments: bool) -> dict[str, object]:
    """Return what the tables of systems must have in common, by its noun in errors.

    Segments and their labels are compared unless the rows of a system are sums.
    """
    return {
        "segments": len(given.columns) if have_segments else None,
        "options": (given.options, given.origin.tokenizer_name, given.unknown),
        "tokenizers": given.counted_by if given.origin.tokenizer_name == "var" else None,
        "numbers of references": given.origin.nrefs,
        "labels": given.labels if have_segments else None,
        "documents": given.documents if have_segments else None,
    }


def _systems_differ(
    noun: str, name: SystemName | RunOfSystem, other_name: SystemName | RunOfSystem
) -> ValueError:
    error = (
        f"systems: the tables of {show_system(name)} and {show_system(other_name)} differ in"
        f" their {noun}. Pass tables of the same segments, made by statistics() with the"
        " same options."
    )
    if noun == "segments":
        error += f" A list of tables is one test set; pass runs {RUNS_BY_NAME}"
    return ValueError(error)
