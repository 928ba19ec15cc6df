"""Tables of statistics rows: how they are made, read and added, and when they are rejected.

`tabulate` makes the table of `statistics`; all methods read tables with `read_counted`; `total` and
`compute` add them with `add_statistics`. Tables that earlier versions stored stay readable: keep
the names of columns and metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..options.option_names import COUNTING_OPTIONS
from ..options.options import Options
from ..options.signature import PRETOKENIZED, Origin, same_or_var
from ..rules.chosen_tokenizer import choose_tokenizer
from ..rules.counting import count_totals
from ..shared.arrays import Int64, Label
from ..shared.messages import NO_LABELS_FOR_TOKENIZERS, show_value
from ..text.labels import check_labels, group_labels, read_documents, read_labels
from .parts import (
    DOCUMENT,
    LABEL,
    NO_STATISTICS,
    TablePart,
    check_counts,
    join_columns,
    layout_of,
    list_column_names,
    not_a_table,
    select_columns,
    stream_parts,
)
from .statistics import Counted, Group

# The key of a schema's metadata, which is JSON: `COUNTING_OPTIONS`; `references`, the number of
# references; `groups`, a label, the tokenizer and the number of references of each label; `sums`,
# True if rows are sums of segments, and missing else.
METADATA = b"bleu_metric"

# --- Rows to tables -------------------------------------------------------------------------------


def tabulate(counted: Counted, options: Options) -> pa.Table:
    """Return counted rows as a table."""
    metadata = {
        **options.counting_options(),
        "tokenize": counted.origin.tokenizer_name,
        "references": counted.origin.nrefs,
    }
    if counted.labels is not None:
        metadata["groups"] = [
            (label, group.origin.tokenizer_name, group.origin.nrefs)
            for label, group in counted.groups.items()
        ]
    table = append_labels(
        pa.table(dict(zip(options.layout.names, counted.rows.T))),
        counted.labels,
        counted.documents,
    )
    return table.replace_schema_metadata({METADATA: json.dumps(metadata)})


def append_labels(
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
        layout = layout_of(self.columns)
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
    parts = {place: part for place, part in stream_parts(statistics) if len(part.columns)}
    if not parts:
        raise ValueError(NO_STATISTICS)
    given = read_given(parts, options, by=by, documents=documents, like=like)
    return given._replace(may_be_segments=given.may_be_segments and is_table(statistics))


def read_given(
    parts: Mapping[str, TablePart],
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
    recorded = merge_metadata(tables, has_labels=by is not None)
    columns = pa.concat_tables([table.replace_schema_metadata(None) for table in tables.values()])
    check_counts(columns)
    # 3. Read documents, then labels.
    if isinstance(documents, str):
        documents = join_columns(parts, "documents", documents)
    document_labels = read_documents(documents, len(columns))
    if isinstance(by, str):
        by = join_columns(parts, "by", by)
    labels = read_labels(by, len(columns))
    groups: dict[Label, Group] = {}
    if labels is not None:
        groups = _group_rows(labels, parts, recorded)
        check_labels(options.tokenize_by, labels)
    elif options.tokenize_by is not None:
        raise ValueError(NO_LABELS_FOR_TOKENIZERS)
    # 4. Compare what the rows say with what the caller asks for.
    orders = layout_of(columns).orders
    counted_with = {
        **recorded.counted_with,
        "max_order": _choose_order(recorded.counted_with.get("max_order"), orders, options),
    }
    asked = options.counting_options()
    asked["tokenize"] = choose_tokenizer(options.for_label(None), "text").name
    _check_asked(counted_with, asked, groups, options)
    # 5. The rows win for everything that was not asked for. A text has as many unigrams as tokens,
    #    or more with a `minimum_total`.
    adopted = options.override(counted_with)
    compare = pc.greater_equal if adopted.minimum_total else pc.equal
    if not pc.all(compare(columns["totals_1"], columns["prediction_length"])).as_py():
        raise ValueError(
            "statistics: expected prediction_length to equal totals_1. If the rows were counted"
            " with a `minimum_total`, as in NLTK's convention, pass the same value."
        )
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
    return "prediction_length" in (
        list_column_names(statistics[0] if has_parts else statistics) or ()
    )


# --- What tables record ---------------------------------------------------------------------------


class RecordedOptions(NamedTuple):
    """What the metadata of tables says about their rows.

    counted_with: the options in `option_names.COUNTING_OPTIONS` that are known.
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
    if METADATA not in (getattr(schema, "metadata", None) or {}):
        raise not_a_table("like", "it does not record how it was counted")
    of_like = _read_metadata("like", schema)
    of_like.pop("sums", None)  # the rows that take the metadata may be segments
    metadata = {METADATA: json.dumps(of_like)}
    with_metadata = dict(tables)
    for place, table in tables.items():
        if METADATA not in (table.schema.metadata or {}):
            with_metadata[place] = table.replace_schema_metadata(metadata)
    with_metadata["like"] = select_columns(like, "like")[:0]
    return with_metadata


def _read_metadata(place: str, schema: pa.Schema) -> dict[str, Any]:
    """Return the metadata of a table, without unknown values; `place` is for errors."""
    text = (schema.metadata or {}).get(METADATA, b"{}")
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
        raise not_a_table(place, "its metadata is damaged") from None
    return values


def merge_metadata(tables: Mapping[str, pa.Table], *, has_labels: bool) -> RecordedOptions:
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
        check_same_function(name, names[0])
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
        metadata["longest n-gram"] = layout_of(tables[place]).orders
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
    return RecordedOptions(
        counted_with={option: first[option] for option in COUNTING_OPTIONS if option in first},
        nrefs=same_or_var(metadata.get("references", "?") for metadata in of_rows),
        counted_by={label: Origin.merge(origins) for label, origins in origins_of.items()},
        are_sums=any(metadata.get("sums", False) for metadata in of_rows),
    )


def _group_rows(
    labels: Sequence[Label], parts: Mapping[str, TablePart], recorded: RecordedOptions
) -> dict[Label, Group]:
    """Group rows by labels; a group may have rows of several labels that they were counted by."""
    origin = Origin(recorded.counted_with.get("tokenize", "?"), recorded.nrefs)
    origins = [origin] * len(labels)
    if recorded.counted_by and all(LABEL in part.key_names() for part in parts.values()):
        counted_by = join_columns(parts, "by", LABEL)
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
        check_same_function(counted, asked)
    if counted != asked:
        raise ValueError(
            f"statistics: counted with {name}={counted!r}, but {asked!r} was requested. Call"
            " statistics() with the new option."
        )


def check_same_function(tokenizer_name: str, other_name: str) -> None:
    """Raise if two tokenizers have one name, but may be different functions."""
    printed, has_id, _ = tokenizer_name.partition("#")
    if has_id and tokenizer_name != other_name and other_name.startswith(f"{printed}#"):
        raise ValueError(
            f"statistics: tokenize={printed} is the name of different functions, or of one function"
            " in different processes. Add a method `signature` that returns a unique name to the"
            " tokenizer, and call statistics() again."
        )


# --- The sum of tables ----------------------------------------------------------------------------

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
    without_rows: TablePart | None = None
    waiting: list[pa.Table] = []
    names: list[str] = []  # of the columns of labels and documents
    kinds: dict[object, tuple[str, pa.Table]] = {}  # the first place of each, without rows
    for place, part in stream_parts(statistics):
        if not keeps_labels:
            part = TablePart(part.columns, part.columns)
        # 1. Leave out parts without rows, which need neither labels nor metadata.
        if not len(part.columns):
            without_rows = without_rows or part
            continue
        # 2. Compare how the part was counted with the parts before.
        kind = ((part.columns.schema.metadata or {}).get(METADATA), part.columns.num_columns)
        if not kinds:
            names = part.key_names()
            kinds[kind] = (place, part.columns[:0])
        first = next(iter(kinds.values()))
        if part.key_names() != names:
            (name, *_) = set(names) ^ set(part.key_names())
            has, lacks = (first[0], place) if name in names else (place, first[0])
            raise ValueError(
                f"statistics: {has} has a column {name!r}, but {lacks} has none. Call statistics()"
                " again with the same arguments, or remove the column."
            )
        if kind not in kinds:
            kinds[kind] = (place, part.columns[:0])
            merge_metadata(dict([first, kinds[kind]]), has_labels=LABEL in names)
        # 3. Check it as a score would, and add it.
        given = read_given(
            {place: part},
            options_of_score,
            by=LABEL if LABEL in names else None,
            documents=DOCUMENT if DOCUMENT in names else None,
        )
        rows = append_labels(given.columns, given.labels, given.documents)
        waiting.append(rows if len(rows) < _WAITING_ROWS else _add_rows([rows]))
        if len(waiting) == _WAITING_PARTS:
            waiting = [_add_rows(waiting)]
    if waiting:
        recorded = merge_metadata(dict(kinds.values()), has_labels=LABEL in names)
        return _add_rows(waiting).replace_schema_metadata(_record_sums(recorded))
    if without_rows is None:
        raise ValueError(NO_STATISTICS)
    names = without_rows.key_names()
    return append_labels(
        without_rows.columns,
        labels=[] if LABEL in names else None,
        documents=[] if DOCUMENT in names else None,
    )


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
    check_counts(rows.select(counts))
    if not keys:  # a tenth of the time
        return pa.table([[pc.sum(column).as_py()] for column in rows.columns], counts)
    # Arrow returns groups in any order.
    rows = rows.append_column("row", pa.array(np.arange(len(rows))))
    aggregations = [("row", "min"), *((name, "sum") for name in counts)]
    sums = rows.group_by(keys).aggregate(aggregations).sort_by("row_min")
    columns = [*(f"{name}_sum" for name in counts), *keys]
    return sums.select(columns).rename_columns([*counts, *keys])


def _record_sums(recorded: RecordedOptions) -> dict[bytes, bytes] | None:
    """Return the metadata of sums; None if it is not known how their rows were counted."""
    if not recorded.counted_with:
        return None
    metadata = {**recorded.counted_with, "references": recorded.nrefs, "sums": True}
    if recorded.counted_by:
        metadata["groups"] = [
            (label, origin.tokenizer_name, origin.nrefs)
            for label, origin in recorded.counted_by.items()
        ]
    return {METADATA: json.dumps(metadata).encode()}
