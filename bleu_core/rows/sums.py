"""The sum of tables: `total`, and what `compute` adds up itself.

The class and `score_statistics` call `add_statistics`, which rejects tables that were counted
otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..options.options import Options
from .parts import DOCUMENT, LABEL, NO_STATISTICS, TablePart, check_counts, stream_parts
from .tables import METADATA, RecordedOptions, append_labels, merge_metadata, read_given

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
            raise _keys_differ(first[0], names, place, part.key_names())
        if kind not in kinds:
            kinds[kind] = (place, part.columns[:0])
            merge_metadata(dict([first, kinds[kind]]), has_labels=LABEL in names)
        # 3. Check it as a score would, and add it.
        rows = _read_rows(place, part, options_of_score)
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


def _read_rows(place: str, part: TablePart, options: Options) -> pa.Table:
    """Check a part as a score of it would, and return its rows with their labels and documents."""
    names = part.key_names()
    given = read_given(
        {place: part},
        options,
        by=LABEL if LABEL in names else None,
        documents=DOCUMENT if DOCUMENT in names else None,
    )
    return append_labels(given.columns, given.labels, given.documents)


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
