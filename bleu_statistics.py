"""A corpus to statistics rows, in batches and threads; rows to tables, and tables, frames and sums back to rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count, islice
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_kernels as kernels
from . import bleu_messages as messages
from .bleu_corpus import PROCESSORS, Batch, Corpus, Int64, Layout, group_labels, number_labels
from .bleu_counting import count_rows, count_totals
from .bleu_inputs import is_result, list_labels, read_documents, read_labels, to_arrow, to_numpy
from .bleu_messages import name_value, reword_errors, show_value, warn_once_per_kind
from .bleu_options import COUNTING_OPTIONS, Options, same_or_var
from .bleu_tokenizers import (
    ChosenTokenizer,
    choose_tokenizer,
    prepare_texts,
    print_tokenizer,
    warn_about_text,
)

_ROWS_PER_BATCH = 4096  # a few ms of work per thread, and memory that does not grow with the corpus
_ROWS_PER_PYTHON_BATCH = 256  # keeps the token objects of a Python tokenizer in the CPU cache
_MIN_ROWS_FOR_THREADS = 512  # below this, starting threads costs more than it saves
_BATCHES_IN_QUEUE = 64  # bounds the memory of rows that wait for a slow batch

LABEL, DOCUMENT = "label", "document"  # the columns of labels and of documents in a table

_METADATA = b"bleu_metric"  # the key of a schema's metadata
_PRETOKENIZED = ("tokens", "ids")  # "tokenize" of rows that no tokenizer has split


class Group(NamedTuple):
    """The segments with a label.

    segments: int64, their indices, ascending.
    tokenizer: the name of their tokenizer, `"var"` if there are several.
    references: their number of references, `"var"` if it differs, `"?"` if unknown.
    """

    segments: Int64
    tokenizer: str
    references: str


class Counted(NamedTuple):
    """The statistics rows of a corpus, with the values for its signature.

    rows: int64 [segments, 2 N + 2].
    tokenizer, references: as in `Group`.
    labels: one per segment; None without labels.
    groups: by label, in the order of first appearance.
    documents: the document of each segment; None if segments are resampled one by one.
    """

    rows: Int64
    tokenizer: str
    references: str
    labels: Sequence[Any] | None = None
    groups: Mapping[Any, Group] = MappingProxyType({})
    documents: Sequence[Any] | None = None

    @property
    def unit(self) -> str:
        """The noun for what resampling draws: segment or document."""
        return "segment" if self.documents is None else "document"

    def sum_documents(self, rows: Int64, segments: Int64 | None = None) -> Int64:
        """Return the sums of the rows of each document, which resampling draws, in the order of first appearance.

        Args:
            rows: int64 [..., segments, 2 N + 2], of this corpus or of another one with the same
                documents.
            segments: the segments in `rows`; None for all.

        Returns:
            int64 [..., documents, 2 N + 2]; `rows` themselves without documents.

        >>> rows = np.array([[1, 1, 1, 1], [0, 2, 2, 3], [0, 1, 1, 1]])
        >>> Counted(rows, "13a", "1", documents=["b", "a", "b"]).sum_documents(rows).tolist()
        [[1, 2, 2, 2], [0, 2, 2, 3]]
        """
        if self.documents is None:
            return rows
        documents = (
            self.documents if segments is None else [self.documents[i] for i in segments.tolist()]
        )
        numbers = number_labels(documents)
        starts = np.concatenate([[0], np.cumsum(np.bincount(numbers))[:-1]])
        return np.add.reduceat(rows[..., np.argsort(numbers, kind="stable"), :], starts, axis=-2)


# --- Corpus to rows -------------------------------------------------------------------------------


def count_groups(corpus: Corpus, options: Options, by: object, documents: object = None) -> Counted:
    """Count all segments; with labels, the segments of each label with the tokenizer of that label.

    Args:
        corpus: the texts.
        options: `tokenize_by` has the tokenizers of single labels.
        by: one label per segment, in any column; None for no labels.
        documents: the document of each segment, in any column; None for no documents.

    Raises:
        ValueError: `tokenize_by` names something that is not a label.

    >>> counted = count_groups(read_corpus(["a b", "b"], ["a b", "a b"]), Options(max_order=1), by=["x", "y"])
    >>> counted.groups["y"]
    Group(segments=array([1]), tokenizer='13a', references='1')
    """
    known = None if documents is None else read_documents(documents, len(corpus))
    if by is not None:
        labels = read_labels(by, len(corpus))
        check_labels(options, labels)
        return count_labeled(corpus, options, labels)._replace(documents=known)
    tokenizer = choose_tokenizer(options, corpus.kind)
    warn_about_text(corpus.predictions, tokenizer)
    rows = count_corpus(corpus, tokenizer, options)
    return Counted(rows, tokenizer.name, corpus.reference_count(), documents=known)


def count_labeled(corpus: Corpus, options: Options, labels: Sequence[Any]) -> Counted:
    """Count the segments of each label with the tokenizer of that label.

    >>> options = Options().override({"tokenize": {"zh": "zh"}, "max_order": 1})
    >>> count_labeled(read_corpus(["a b", "東京"], ["a b", "東京"]), options, ["en", "zh"]).rows.tolist()
    [[2, 2, 2, 2], [2, 2, 2, 2]]
    """
    segments = group_labels(labels)
    # 1. Count labels with a separate tokenizer one by one, and all other labels together.
    rows = options.layout.allocate(len(corpus))
    named = options.tokenize_by or {}
    parts = [[label] for label in segments if label in named] + [
        [label for label in segments if label not in named]
    ]
    names: dict[Any, str] = {}
    with warn_once_per_kind():
        for part_labels in filter(None, parts):
            part_options = options.for_label(part_labels[0])
            tokenizer = choose_tokenizer(part_options, corpus.kind)
            names |= dict.fromkeys(part_labels, tokenizer.name)
            places = np.sort(np.concatenate([segments[label] for label in part_labels]))
            part = corpus if len(places) == len(corpus) else corpus.take(places)
            shown = ", ".join(map(show_value, part_labels[:3])) + (
                ", …" if len(part_labels) > 3 else ""
            )
            place = f"Among the segments labeled {shown}: " if part is not corpus else ""
            with reword_errors(place.__add__):
                warn_about_text(part.predictions, tokenizer)
                rows[places] = count_corpus(part, tokenizer, part_options)
    # 2. Collect the values for the signatures of the groups.
    counts = corpus.reference_counts()
    groups = {
        label: Group(
            places, names[label], same_or_var(map(str, np.unique(counts[places]).tolist()))
        )
        for label, places in segments.items()
    }
    return Counted(rows, same_or_var(names.values()), corpus.reference_count(), labels, groups)


def join_counted(parts: Sequence[Counted]) -> Counted:
    """Return the rows of several parts of a corpus, all counted under the same options."""
    labels = (
        None
        if parts[0].labels is None
        else [label for part in parts for label in part.labels or ()]
    )
    groups = {
        label: Group(
            segments,
            *map(
                same_or_var,
                zip(*(part.groups[label][1:] for part in parts if label in part.groups)),
            ),
        )
        for label, segments in (group_labels(labels) if labels else {}).items()
    }
    tokenizer, references = (same_or_var(column) for column in list(zip(*parts))[1:3])
    return Counted(
        np.concatenate([part.rows for part in parts]), tokenizer, references, labels, groups
    )


def check_labels(options: Options, labels: Iterable[Any]) -> None:
    """Raise if a tokenizer was chosen for a name that is not a label."""
    known = set(labels)
    for label in options.tokenize_by or ():
        if label not in known:
            raise ValueError(messages.NOT_A_LABEL.format(show_value(label)))


def count_corpus(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Count all segments: int64 [segments, 2 N + 2], Fortran-ordered, so that Arrow takes columns without a copy."""
    rows = options.layout.allocate(len(corpus))
    first_row = 0
    for batch_rows in _count_batches(corpus, tokenizer, options):
        rows[first_row : first_row + len(batch_rows)] = batch_rows
        first_row += len(batch_rows)
    return rows


def sum_corpus(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Return the sum of all rows, int64 [2 N + 2], in constant memory."""
    row = np.zeros(options.layout.width, np.int64)
    for batch_rows in _count_batches(corpus, tokenizer, options):
        row += np.add.reduce(batch_rows)
    return row


def count_batch(batch: Batch, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Count the segments of a batch, with the kernel if it is compiled and has the rule for the reference length.

    >>> count_batch(read_corpus([[7, 8]], [[[7]]]).batches[0], ChosenTokenizer("ids"), Options(max_order=1)).tolist()
    [[1, 2, 2, 1]]
    """
    predictions, references = prepare_batch(batch, tokenizer)
    rule = options.counting_rule
    if kernels.is_ready() and rule.reference_length in kernels.REFERENCE_LENGTHS:
        return kernels.count_rows_compiled(
            predictions, references, batch.bounds, tokenizer.name, rule
        )
    return count_rows(predictions, references, batch.bounds, tokenizer, rule)


def prepare_batch(batch: Batch, tokenizer: ChosenTokenizer) -> tuple[pa.Array, pa.Array]:
    """Return the prepared predictions and references of a batch."""
    return (
        prepare_texts(batch.predictions, tokenizer, "predictions", batch.row_of_prediction),
        prepare_texts(batch.references, tokenizer, "references", batch.row_of_reference),
    )


def _count_batches(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> Iterator[Int64]:
    has_rule = options.reference_length in kernels.REFERENCE_LENGTHS
    is_compiled = has_rule and (kernels.is_ready() or kernels.compile_if_worthwhile(corpus.nbytes))
    is_in_python = not is_compiled or (tokenizer.split is not None and not tokenizer.is_native)
    if (
        is_in_python or len(corpus) <= _MIN_ROWS_FOR_THREADS
    ):  # Python holds the GIL, so threads would not help
        for batch in corpus.split(_ROWS_PER_PYTHON_BATCH if is_in_python else _ROWS_PER_BATCH):
            yield count_batch(batch, tokenizer, options)
        return
    batches = corpus.split(
        min(_ROWS_PER_BATCH, max(_MIN_ROWS_FOR_THREADS, -(-len(corpus) // PROCESSORS)))
    )
    with ThreadPoolExecutor(PROCESSORS) as pool:
        while chunk := list(islice(batches, _BATCHES_IN_QUEUE)):
            yield from pool.map(lambda batch: count_batch(batch, tokenizer, options), chunk)


# --- Rows to tables and back ----------------------------------------------------------------------


class Statistics(NamedTuple):
    """Statistics rows supplied by the user, with the options they are known to have been counted under.

    table: the statistics columns only, in the order of a row.
    is_table: True for tables and frames, False for arrays, which are sums.
    counted_with: the options in `bleu_options.COUNTING_OPTIONS` that are known.
    references: the number of references per segment, `"var"` if it differs, `"?"` if unknown.
    counted_by: the tokenizer and the number of references of each label that the rows were counted
        by.
    labels, groups, documents: as in `Counted`.
    """

    table: pa.Table
    is_table: bool
    counted_with: dict[str, Any]
    references: str
    counted_by: Mapping[Any, tuple[str, ...]]
    labels: Sequence[Any] | None = None
    groups: Mapping[Any, Group] = MappingProxyType({})
    documents: Sequence[Any] | None = None

    @property
    def counted_orders(self) -> int:
        """The number of orders in a row."""
        return Layout.of_width(self.table.num_columns).orders

    def are_segments(self, minimum_total: int) -> bool:
        """Return True if each row is known to be the row of a single segment.

        From order to order, a segment has one n-gram less, and a sum of k segments has k less. Rows
        of a single order do not show this; only their metadata tells.
        """
        orders, lengths = self.counted_orders, np.asarray(self.table["prediction_length"])
        totals = np.stack([np.asarray(self.table[f"totals_{n}"]) for n in range(1, orders + 1)])
        is_known = orders > 1 or "tokenize" in self.counted_with
        return (
            self.is_table
            and is_known
            and bool((totals == count_totals(lengths, orders, minimum_total)).all())
        )

    def stack(self) -> Int64:
        """Return all rows, int64 [rows, 2 N + 2]."""
        return np.stack([np.asarray(column) for column in self.table.columns]).T

    def to_counted(self, tokenizer: str) -> Counted:
        """Return the rows as those of a corpus, with the tokenizer for its signature."""
        return Counted(
            self.stack(), tokenizer, self.references, self.labels, self.groups, self.documents
        )

    def sum(self) -> Int64:
        """Return the sum of the rows, int64 [2 N + 2], without copying the rows."""
        return np.array([pc.sum(column).as_py() for column in self.table.columns], np.int64)


def make_table(
    corpus: Corpus, options: Options, by: object = None, documents: object = None
) -> pa.Table:
    """Return the rows of all segments as a table whose metadata records the options used."""
    counted = count_groups(corpus, options, by, documents)
    return tabulate(counted._replace(tokenizer="") if corpus.is_blank else counted, options)


def tabulate(counted: Counted, options: Options) -> pa.Table:
    """Return counted rows as a table."""
    columns = dict(zip(options.layout.names, counted.rows.T))
    metadata = {
        **options.counting_options(),
        "tokenize": counted.tokenizer or None,
        "references": counted.references,
    }
    for argument, name, labels in (
        ("by", LABEL, counted.labels),
        ("documents", DOCUMENT, counted.documents),
    ):
        if labels is not None:
            columns[name] = make_label_column(argument, labels)
    if counted.labels is not None:
        metadata["groups"] = [[label, *group[1:]] for label, group in counted.groups.items()]
    return pa.table(columns).replace_schema_metadata({_METADATA: json.dumps(metadata)})


def make_label_column(name: str, labels: Sequence[Any]) -> pa.Array:
    """Return labels as the column of a table, or raise if no column can hold them; `name` is their argument."""
    types = set(map(type, labels)) - {type(None)}
    try:
        if len(types) > 1 and types != {int, float}:  # Arrow reads True after 2.5 as 1.0
            raise TypeError
        return pa.array(labels)
    except (pa.ArrowException, TypeError, OverflowError):
        names = sorted(type_.__name__ for type_ in types)
        found = " and ".join(names) if len(names) > 1 else "numbers beyond 64 bits"
        raise TypeError(messages.MIXED_LABELS.format(name, found)) from None


def read_statistics(
    statistics: Any, by: object = None, documents: object = None, like: Any = None
) -> Statistics:
    """Read statistics in any form that `BleuMetric.score` accepts.

    Args:
        statistics: tables, frames or sums.
        by: one label per row, or the name of a column of the tables; None for no labels.
        documents: the document of each row, or the name of a column of the tables; None for no
            documents.
        like: the table whose metadata applies to statistics without metadata; None for no table.
    """
    parts = list(statistics) if isinstance(statistics, (list, tuple)) else [statistics]
    if not parts:
        raise ValueError(messages.NO_STATISTICS)
    if any(map(is_result, parts)):
        raise TypeError(messages.A_RESULT.format("statistics"))
    have_columns = [_list_columns(part) is not None for part in parts]
    if any(have_columns) and not all(have_columns):
        found = " and ".join(sorted(set(map(name_value, parts))))
        raise ValueError(messages.NOT_STATISTICS.format(f"{found} in one list"))
    if any(hasattr(part, "iloc") and not hasattr(part, "columns") for part in parts):
        found = "a Series, whose labels may be in any order. Pass sums.to_numpy()"
        raise ValueError(messages.NOT_STATISTICS.format(found))
    is_table = any(have_columns)
    is_list = is_table and isinstance(statistics, (list, tuple))
    places = [f"statistics[{i}]" for i in range(len(parts))] if is_list else ["statistics"]
    tables = list(map(_select_columns, parts, places)) if is_table else [_read_sums(statistics)]
    named = {place: table for place, table in zip(places, tables) if len(table)}
    if not named:
        raise ValueError(messages.NO_STATISTICS)
    if like is not None:
        metadata = getattr(getattr(like, "schema", None), "metadata", None) or {}
        if _METADATA not in metadata:
            raise ValueError(
                messages.NOT_A_TABLE.format("like", "it does not record how it was counted")
            )
        for place, table in named.items():
            if _METADATA not in (table.schema.metadata or {}):
                named[place] = table.replace_schema_metadata(metadata)
        named["like"] = _select_columns(like, "like")[:0]
        is_table = (
            is_table and named["like"].num_columns > 4
        )  # with a single order, a sum looks like a segment
    counted_with, references, signed = _merge_metadata(named, by is not None)
    table = pa.concat_tables([table.replace_schema_metadata(None) for table in named.values()])
    _check_counts(table)
    known = Statistics(table, is_table, counted_with, references, signed)
    if documents is not None:
        column = (
            _join_columns(parts, "documents", documents)
            if isinstance(documents, str)
            else documents
        )
        known = known._replace(documents=read_documents(column, len(table)))
    if by is None:
        return known
    labels = read_labels(_join_columns(parts, "by", by) if isinstance(by, str) else by, len(table))
    # A group may contain rows of several labels that the rows were counted by.
    whole = (counted_with.get("tokenize", "?"), references)
    has_counted_by = signed and all(LABEL in (_list_columns(part) or ()) for part in parts)
    counted_by = _join_columns(parts, "by", LABEL) if has_counted_by else []
    groups = {}
    for label, segments in group_labels(labels).items():
        signatures = (
            {signed.get(counted_by[place], whole) for place in segments.tolist()}
            if counted_by
            else {whole}
        )
        groups[label] = Group(segments, *map(same_or_var, zip(*signatures)))
    return known._replace(labels=labels, groups=groups)


def are_tables(statistics: Any) -> bool:
    """Return True for a statistics table, or a list that begins with one; False for anything else, such as texts."""
    part = statistics[0] if isinstance(statistics, (list, tuple)) and statistics else statistics
    return "prediction_length" in (_list_columns(part) or ())


def adopt_counting(statistics: Statistics, options: Options) -> tuple[Options, str, list[str]]:
    """Merge the recorded counting options into `options`.

    Returns:
        The options, the name of the tokenizer, and the names of options that are unknown.

    Raises:
        ValueError: the rows were counted under options other than the requested ones, or contradict
            their options.
    """
    counted_with = {**statistics.counted_with, "max_order": _choose_order(statistics, options)}
    if statistics.labels is not None:
        check_labels(options, statistics.labels)
    elif options.tokenize_by is not None:
        raise ValueError(messages.NO_LABELS_FOR_TOKENIZERS)
    asked = {
        **options.counting_options(),
        "tokenize": choose_tokenizer(options.for_label(None), "text").name,
    }
    for name, counted in counted_with.items():
        # Pre-tokenized rows have no tokenizer: ignore a convention's choice, but reject an explicit
        # one.
        is_asked = (
            name in options.given if counted in (*_PRETOKENIZED, "var") else options.is_chosen(name)
        )
        if name == "tokenize" and options.tokenize_by is not None:
            for label, group in statistics.groups.items():
                label_asked = choose_tokenizer(options.for_label(label), "text").name
                if label in options.tokenize_by and label_asked != group.tokenizer:
                    check_same_function(label_asked, group.tokenizer)
                    names = map(print_tokenizer, (group.tokenizer, label_asked))
                    raise ValueError(
                        messages.COUNTED_OTHERWISE.format(f"tokenize[{show_value(label)}]", *names)
                    )
        elif is_asked and asked[name] != counted:
            values = [counted, asked[name]]
            if name == "tokenize":
                check_same_function(*values)
                values = list(map(print_tokenizer, values))
            raise ValueError(messages.COUNTED_OTHERWISE.format(name, *values))
    unknown = [
        name
        for name in COUNTING_OPTIONS
        if name not in counted_with and not options.is_chosen(name)
    ]
    options = options.override(counted_with)
    # There are as many unigrams as tokens, or more with a `minimum_total`.
    unigrams, lengths = (statistics.table[name] for name in ("totals_1", "prediction_length"))
    if not pc.all(
        (pc.greater_equal if options.minimum_total else pc.equal)(unigrams, lengths)
    ).as_py():
        raise ValueError(messages.INVALID_LENGTHS)
    return options, counted_with.get("tokenize", asked["tokenize"]), unknown


def check_same_function(tokenizer: str, other: str) -> None:
    """Raise if two tokenizers have one name in signatures, but may be different functions."""
    if tokenizer != other and print_tokenizer(tokenizer) == print_tokenizer(other):
        raise ValueError(messages.AMBIGUOUS_TOKENIZER.format(print_tokenizer(tokenizer)))


def _choose_order(statistics: Statistics, options: Options) -> int:
    """Return N of the score: the requested order if the rows have it, otherwise all orders of the rows."""
    further = options.counted_orders - options.max_order
    known = statistics.counted_with.get("max_order", max(1, statistics.counted_orders - further))
    max_order: int = options.max_order if options.is_chosen("max_order") else known
    if max_order + further <= statistics.counted_orders:
        return max_order
    if further and max_order <= statistics.counted_orders:
        orders = max_order + further, statistics.counted_orders
        raise ValueError(messages.FURTHER_ORDERS.format(options.smooth_method, *orders))
    raise ValueError(messages.FEW_ORDERS.format(max_order, statistics.counted_orders))


def _list_columns(part: Any) -> list[Any] | None:
    """Return the names of a table's columns, or None if `part` has no columns."""
    if hasattr(
        part, "collect_schema"
    ):  # of polars; a LazyFrame warns when it is asked for `columns`
        return list(part.collect_schema())
    names = (
        part
        if isinstance(part, Mapping)
        else getattr(part, "column_names", getattr(part, "columns", None))
    )
    return None if names is None else list(names)


def _join_columns(parts: Sequence[Any], argument: str, name: str) -> list[Any]:
    """Return the labels in a column of all tables, for the argument that names the column."""
    labels: list[Any] = []
    for number, part in enumerate(parts):
        if name not in (_list_columns(part) or ()):
            raise ValueError(
                messages.NO_LABEL_COLUMN.format(
                    argument=argument, name=show_value(name), number=number
                )
            )
        labels += list_labels(argument, part[name], len(part[Layout(1).names[0]]))
    return labels


def _select_columns(part: Any, place: str) -> pa.Table:
    """Return the statistics columns of anything with columns, by their names; `place` is for errors."""
    known = _list_columns(part) or []
    max_order = next(n for n in count() if f"matches_{n + 1}" not in known)
    names = Layout(max_order).names
    if not max_order or not set(names) <= set(known):
        raise ValueError(
            messages.NOT_A_TABLE.format(place, f"its columns are {', '.join(map(str, known))}")
        )
    if isinstance(part, Mapping) and not hasattr(part[names[0]], "__len__"):
        raise ValueError(messages.SUMS_BY_NAME.format(place))
    if not hasattr(part, "__len__"):
        raise ValueError(messages.NOT_IN_MEMORY.format(place, type(part).__name__))
    try:
        if isinstance(part, Mapping) or hasattr(part, "iloc"):
            table = pa.table({name: to_arrow(part[name], depth=0) for name in names})
        elif isinstance(part, (pa.Table, pa.RecordBatch)):
            table = pa.table(dict(zip(names, map(part.column, names)))).replace_schema_metadata(
                part.schema.metadata
            )
        elif hasattr(
            part, "with_format"
        ):  # select first: a selection or shuffle is copied on access
            table = part.select_columns(names).with_format("arrow")[:]
        else:
            table = pa.table(part[names]).select(names)
    except (pa.ArrowException, TypeError, OverflowError, RecursionError) as error:
        problem = f"a column could not be read ({type(error).__name__})"  # Arrow's message may show a value
        raise ValueError(messages.NOT_A_TABLE.format(place, problem)) from None
    is_whole = all(
        pa.types.is_integer(column.type) and not column.null_count for column in table.columns
    )
    if len(table) and not is_whole:
        raise ValueError(messages.NOT_A_TABLE.format(place, "it contains non-integer values"))
    return table.cast(pa.schema([(name, pa.int64()) for name in names], table.schema.metadata))


def _read_sums(statistics: Any) -> pa.Table:
    try:
        rows = np.atleast_2d(np.asarray(to_numpy(statistics)))
    except ValueError:
        raise ValueError(messages.NOT_STATISTICS.format("rows of several lengths")) from None
    if rows.dtype.kind == "U":
        raise ValueError(messages.TEXTS_TO_SCORE)
    if (
        rows.ndim != 2
        or not rows.size
        or rows.shape[1] < 4
        or rows.shape[1] % 2
        or rows.dtype.kind not in "iu"
    ):
        raise ValueError(messages.NOT_STATISTICS.format(f"{rows.dtype} {list(rows.shape)}"))
    return pa.table(dict(zip(Layout.of_width(rows.shape[1]).names, rows.T.astype(np.int64))))


def _merge_metadata(
    tables: Mapping[str, pa.Table], has_labels: bool
) -> tuple[dict[str, Any], str, dict[Any, tuple[str, ...]]]:
    """Return the options that all tables were counted under, the number of references per segment, and both per label.

    The keys of `tables` are their places, for errors. With labels, tables may have different
    tokenizers if they were counted by labels. Raise if tables do not add up.
    """
    known = [
        json.loads((table.schema.metadata or {}).get(_METADATA, b"{}")) for table in tables.values()
    ]
    for number, (options, table) in enumerate(zip(known, tables.values())):
        # Rows without tokens have no tokenizer, and fit every tokenizer.
        known[number] = {name: value for name, value in options.items() if value is not None}
        known[number]["longest n-gram"] = Layout.of_width(table.num_columns).orders
    signatures: dict[Any, set[tuple[str, ...]]] = {}
    for label, *signature in chain.from_iterable(options.get("groups", ()) for options in known):
        signatures.setdefault(label, set()).add(tuple(signature))
    tokenizers = [options["tokenize"] for options in known if "tokenize" in options]
    for tokenizer in tokenizers[1:]:
        check_same_function(tokenizer, tokenizers[0])
    if has_labels and tokenizers and all("groups" in options for options in known):
        tokenizers = [same_or_var(tokenizers)]
        known = [{**options, "tokenize": tokenizers[0]} for options in known]
    first, *_ = tables
    for place, options in zip(tables, known):
        if tokenizers and "lowercase" in options:  # a table with metadata
            options.setdefault("tokenize", tokenizers[0])
        for name in (*COUNTING_OPTIONS, "longest n-gram"):
            if options.get(name) != known[0].get(name):
                values = [known[0].get(name), options.get(name)]
                if name == "tokenize":
                    values = [value and print_tokenizer(value) for value in values]
                raise ValueError(messages.TABLES_DIFFER.format(name, first, place, *values))
    references = {
        options.get("references", "?") for place, options in zip(tables, known) if place != "like"
    }
    counted_with = {name: known[0][name] for name in COUNTING_OPTIONS if name in known[0]}
    signed = {label: tuple(map(same_or_var, zip(*found))) for label, found in signatures.items()}
    return counted_with, same_or_var(references), signed


def _check_counts(table: pa.Table) -> None:
    """Raise unless 0 <= matches <= totals in each row and order, or if sums exceed int64."""
    layout = Layout.of_width(table.num_columns)
    columns = table.columns
    if any(pc.sum(column.cast(pa.float64(), safe=False)).as_py() >= 2**63 for column in columns):
        raise ValueError(messages.LARGE_COUNTS)
    is_negative = any(pc.min(column).as_py() < 0 for column in columns)
    pairs = zip(columns[layout.matches], columns[layout.totals])
    if is_negative or any(pc.any(pc.greater(matches, totals)).as_py() for matches, totals in pairs):
        raise ValueError(messages.INVALID_COUNTS)
