"""A corpus to statistics rows, in batches and threads; rows to tables, and tables back to rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from typing import Any, NamedTuple, TypedDict, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_kernels as kernels
from . import bleu_messages as messages
from .bleu_corpus import (
    PROCESSORS,
    Batch,
    Corpus,
    Int64,
    Label,
    Layout,
    find_offsets,
    group_labels,
    is_list,
    number_labels,
    portable,
)
from .bleu_counting import (
    MOST_MEMORY,
    ORDERS_OF_ANY_TEXT,
    check_memory,
    count_rows,
    count_totals,
)
from .bleu_inputs import is_result, list_labels, read_documents, read_labels, to_arrow, to_numpy
from .bleu_messages import name_value, show_value, within
from .bleu_options import COUNTING_OPTIONS, Options, Origin, same_or_var
from .bleu_tokenizers import (
    ChosenTokenizer,
    choose_tokenizer,
    prepare_texts,
    print_tokenizer,
)

_ROWS_PER_BATCH = 4096  # a few ms of work per thread, and memory that does not grow with the corpus
_ROWS_PER_PYTHON_BATCH = 256  # keeps the token objects of a Python tokenizer in the CPU cache
_MIN_ROWS_FOR_THREADS = 512  # below this, starting threads costs more than it saves
_BATCHES_IN_QUEUE = 64  # bounds the memory of rows that wait for a slow batch
_SHOWN_LABELS = 3  # in the place of a message

# When the reference lengths of two tables show that they are of one test set.
_MIN_EQUAL_LENGTHS = 30  # rows, all of them equal, even if the corpus has a single length
_MIN_EQUAL_SHARE = 0.5  # of the rows, if fewer rows or not all of them are equal
_CHANCE = 1e-6  # the probability of such a share in tables of different texts

LABEL = "label"  # the column of labels in a table
DOCUMENT = "document"  # the column of documents

_METADATA = b"bleu_metric"  # the key of a schema's metadata
_PRETOKENIZED = ("tokens", "ids")  # "tokenize" of rows that no tokenizer has split


@portable
class Group(NamedTuple):
    """The segments with a label.

    segments: int64, their indices, ascending.
    origin: their tokenizer and number of references.
    """

    segments: Int64
    origin: Origin


@portable
class Counted(NamedTuple):
    """The statistics rows of a corpus, with the values for its signature.

    rows: int64 [segments, 2 N + 2].
    origin: their tokenizer and number of references.
    labels: one per segment; None without labels.
    groups: by label, in the order of first appearance.
    documents: the document of each segment; None if segments are resampled one by one.
    has_segments: True if each row is that of one segment; False if rows are sums.
    """

    rows: Int64
    origin: Origin
    labels: Sequence[Label] | None = None
    groups: Mapping[Label, Group] = {}
    documents: Sequence[Label] | None = None
    has_segments: bool = True

    def sum_documents(self) -> Counted:
        """Return one row per document, or per label and document, in order of first appearance.

        >>> rows = np.array([[1, 1, 1, 1], [0, 2, 2, 3], [0, 1, 1, 1]])
        >>> counted = Counted(rows, Origin("13a", "1"), documents=["b", "a", "b"])
        >>> counted.sum_documents().rows.tolist()
        [[1, 2, 2, 2], [0, 2, 2, 3]]
        """
        numbers = number_labels(self._list_places())
        _, first_rows = np.unique(numbers, return_index=True)
        documents = [(self.documents or ())[row] for row in first_rows.tolist()]
        labels = None
        if self.labels is not None:
            labels = [self.labels[row] for row in first_rows.tolist()]
        groups = {}
        for label, group in self.groups.items():
            groups[label] = group._replace(segments=np.unique(numbers[group.segments]))
        return Counted(
            rows=sum_by_number(self.rows, numbers),
            origin=self.origin,
            labels=labels,
            groups=groups,
            documents=documents,
            has_segments=False,
        )

    def order_like(self, other: Counted) -> Counted | None:
        """Return sums of documents in the order of other ones; None if the documents differ."""
        row_of = {place: row for row, place in enumerate(self._list_places())}
        places = other._list_places()
        if row_of.keys() != set(places):
            return None
        order = [row_of[place] for place in places]
        return other._replace(rows=self.rows[order], origin=self.origin)

    def _list_places(self) -> list[Hashable]:
        """Return the label and the document of each row; 1 and True are two labels."""
        columns = [labels for labels in (self.labels, self.documents) if labels is not None]
        return [tuple((type(label), label) for label in place) for place in zip(*columns)]

    @property
    def shared_documents(self) -> int:
        """The number of documents that occur in several groups."""
        if self.documents is None or not self.groups:
            return 0
        numbers = number_labels(self.documents)
        groups_of = np.zeros(int(numbers.max()) + 1, np.int64)
        for group in self.groups.values():
            groups_of[np.unique(numbers[group.segments])] += 1
        return int((groups_of > 1).sum())


def sum_by_number(rows: Int64, numbers: Int64) -> Int64:
    """Sum the rows of equal number, in ascending order: int64 [..., different numbers, 2 N + 2]."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    return np.add.reduceat(rows[..., order, :], starts, axis=-2)


# --- Corpus to rows -------------------------------------------------------------------------------


def count_groups(
    corpus: Corpus,
    options: Options,
    labels: Sequence[Label] | None,
    documents: Sequence[Label] | None = None,
) -> Counted:
    """Count all segments; with labels, those of each label with the tokenizer of that label.

    Args:
        corpus: the texts.
        options: `tokenize_by` has the tokenizers of single labels.
        labels: one per segment, as `read_labels` returns them; None for no labels.
        documents: the document of each segment, as `read_documents` returns them, or None.

    Raises:
        ValueError: `tokenize_by` names something that is not a label.

    >>> corpus = read_corpus(["a b", "b"], ["a b", "a b"])
    >>> counted = count_groups(corpus, Options(max_order=1), labels=["x", "y"])
    >>> counted.groups["y"].segments, counted.groups["y"].origin
    (array([1]), Origin(tokenizer_name='13a', nrefs='1'))
    """
    if labels is not None:
        check_labels(options, labels)
        return count_labeled(corpus, options, labels)._replace(documents=documents)
    tokenizer = choose_tokenizer(options, corpus.kind)
    rows = count_corpus(corpus, tokenizer, options)
    origin = Origin(tokenizer.name, corpus.reference_count())
    return Counted(rows, origin, documents=documents)


def count_labeled(corpus: Corpus, options: Options, labels: Sequence[Label]) -> Counted:
    """Count the segments of each label with the tokenizer of that label.

    >>> options = Options().override({"tokenize": {"zh": "zh"}, "max_order": 1})
    >>> corpus = read_corpus(["a b", "東京"], ["a b", "東京"])
    >>> count_labeled(corpus, options, ["en", "zh"]).rows.tolist()
    [[2, 2, 2, 2], [2, 2, 2, 2]]
    """
    # 1. Count labels with a tokenizer of their own one by one, and all other labels together.
    segments_of = group_labels(labels)
    rows = options.layout.allocate(len(corpus))
    tokenizer_names: dict[Label, str] = {}
    for part in split_by_tokenizer(segments_of, options):
        tokenizer = choose_tokenizer(part.options, corpus.kind)
        tokenizer_names |= dict.fromkeys(part.labels, tokenizer.name)
        if len(part.segments) == len(corpus):
            rows[part.segments] = count_corpus(corpus, tokenizer, part.options)
            continue
        with within(f"Among the segments labeled {_list_labels(part.labels)}"):
            part_rows = count_corpus(corpus.take(part.segments), tokenizer, part.options)
        rows[part.segments] = part_rows
    # 2. Collect the values for the signatures of the groups.
    reference_counts = corpus.reference_counts()
    groups = {}
    for label, segments in segments_of.items():
        nrefs = same_or_var(map(str, np.unique(reference_counts[segments]).tolist()))
        groups[label] = Group(segments, Origin(tokenizer_names[label], nrefs))
    origin = Origin(same_or_var(tokenizer_names.values()), corpus.reference_count())
    return Counted(rows, origin, labels, groups)


class LabeledPart(NamedTuple):
    """The segments that one tokenizer splits, their labels, and their options."""

    labels: list[Label]
    segments: Int64
    options: Options


def split_by_tokenizer(
    segments_of: Mapping[Label, Int64], options: Options
) -> Iterator[LabeledPart]:
    """Yield each label with a tokenizer of its own, then all other labels together."""
    special = options.tokenize_by or {}
    parts = [[label] for label in segments_of if label in special]
    others = [label for label in segments_of if label not in special]
    if others:
        parts.append(others)
    for labels in parts:
        segments = np.sort(np.concatenate([segments_of[label] for label in labels]))
        yield LabeledPart(labels, segments, options.for_label(labels[0]))


def _list_labels(labels: Sequence[Label]) -> str:
    shown = ", ".join(map(show_value, labels[:_SHOWN_LABELS]))
    return f"{shown}, …" if len(labels) > _SHOWN_LABELS else shown


def join_counted(parts: Sequence[Counted]) -> Counted:
    """Return the rows of several parts of a corpus, all counted under the same options."""
    rows = np.concatenate([part.rows for part in parts])
    origin = Origin.merge(part.origin for part in parts)
    if parts[0].labels is None:
        return Counted(rows, origin)
    labels = [label for part in parts for label in part.labels or ()]
    groups = {}
    for label, segments in group_labels(labels).items():
        same_label = [part.groups[label] for part in parts if label in part.groups]
        groups[label] = Group(segments, Origin.merge(group.origin for group in same_label))
    return Counted(rows, origin, labels, groups)


def check_labels(options: Options, labels: Iterable[Label]) -> None:
    """Raise if a tokenizer was chosen for a name that is not a label."""
    present = set(labels)
    for label in options.tokenize_by or ():
        if label not in present:
            raise ValueError(
                f"tokenize: {show_value(label)} is not among the labels of `by`. Remove it, or"
                " correct the label."
            )


def count_corpus(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Count all segments: int64 [segments, 2 N + 2], Fortran-ordered."""
    rows = options.layout.allocate(len(corpus))
    start = 0
    for batch_rows in _count_batches(corpus, tokenizer, options):
        rows[start : start + len(batch_rows)] = batch_rows
        start += len(batch_rows)
    return rows


def sum_corpus(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Return the sum of all rows, int64 [2 N + 2], in constant memory."""
    row = np.zeros(options.layout.width, np.int64)
    for batch_rows in _count_batches(corpus, tokenizer, options):
        row += np.add.reduce(batch_rows)
    return row


def count_batch(batch: Batch, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Count the segments of a batch.

    The kernel does it if it is compiled and has the rule for the reference length.

    >>> (batch,) = read_corpus([[7, 8]], [[[7]]]).batches
    >>> count_batch(batch, ChosenTokenizer("ids"), Options(max_order=1)).tolist()
    [[1, 2, 2, 1]]
    """
    predictions, references = prepare_batch(batch, tokenizer)
    rule = options.counting_rule
    is_compiled = kernels.is_ready() and rule.reference_length in kernels.REFERENCE_LENGTHS
    if rule.max_order > ORDERS_OF_ANY_TEXT:
        measure = _trie_bytes if is_compiled else _tuple_bytes
        _check_memory_of_column(
            "predictions",
            predictions,
            tokenizer,
            max_order=rule.max_order,
            measure=measure,
            row_of=batch.row_of_prediction,
        )
        if not is_compiled:  # the trie has no n-grams that only a reference has
            _check_memory_of_column(
                "references",
                references,
                tokenizer,
                max_order=rule.max_order,
                measure=measure,
                row_of=batch.row_of_reference,
            )
    if is_compiled:
        return kernels.count_rows_compiled(
            predictions, references, batch.bounds, tokenizer.name, rule=rule
        )
    return count_rows(predictions, references, batch.bounds, tokenizer, rule=rule)


def _check_memory_of_column(
    name: str,
    texts: pa.Array,
    tokenizer: ChosenTokenizer,
    *,
    max_order: int,
    measure: Callable[[int, int], int],
    row_of: Callable[[int], int],
) -> None:
    """Raise if the n-grams of one text of a column need too much memory.

    Args:
        name: the column, for the error.
        texts: prepared texts.
        tokenizer: the tokenizer of strings.
        max_order: the number of orders.
        measure: the function from tokens and orders to bytes.
        row_of: the function from the index of a text to its row in the column.
    """
    sizes = np.diff(find_offsets(texts))
    # A token has at least one byte, so the longest text in bytes is a bound for free.
    if not len(sizes) or measure(int(sizes.max()), max_order) <= MOST_MEMORY:
        return
    for index, size in enumerate(sizes.tolist()):
        tokens = size
        if tokenizer.split is not None and not is_list(texts.type):
            tokens = len(tokenizer.split(texts[index].as_py()))
        place = f"{name}[{row_of(index)}]"
        check_memory(place, measure(tokens, max_order), tokens=tokens, max_order=max_order)


def _trie_bytes(tokens: int, max_order: int) -> int:
    """Return the memory of the kernel's trie: three counts per node, and a hash table."""
    return 176 * tokens * max_order


def _tuple_bytes(tokens: int, max_order: int) -> int:
    """Return the memory of the Python implementation: a tuple of n tokens per n-gram."""
    orders = np.arange(1, min(max_order, tokens) + 1)
    return int(((tokens - orders + 1) * (100 + 8 * orders)).sum())


def prepare_batch(batch: Batch, tokenizer: ChosenTokenizer) -> tuple[pa.Array, pa.Array]:
    """Return the prepared predictions and references of a batch."""
    return (
        prepare_texts(batch.predictions, tokenizer, "predictions", batch.row_of_prediction),
        prepare_texts(batch.references, tokenizer, "references", batch.row_of_reference),
    )


def _count_batches(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> Iterator[Int64]:
    # 1. Choose: the definition of a tokenizer or a rule without a kernel runs in Python, which
    #    holds the GIL, so threads would not help. Nor would they with few rows.
    is_compiled = False
    if options.reference_length in kernels.REFERENCE_LENGTHS:
        # To measure a corpus takes a tenth of the time of a small call. The Python implementation
        # builds tuples of n tokens for each n, so its time grows with the square of the orders.
        is_compiled = kernels.is_ready() or kernels.compile_if_worthwhile(
            corpus.nbytes * max(1, options.counted_orders**2 // ORDERS_OF_ANY_TEXT**2)
        )
    splits_in_python = tokenizer.split is not None and not tokenizer.is_native
    is_in_python = splits_in_python or not is_compiled
    # 2. Count one batch after the other.
    if is_in_python or len(corpus) <= _MIN_ROWS_FOR_THREADS:
        rows_per_batch = _ROWS_PER_PYTHON_BATCH if is_in_python else _ROWS_PER_BATCH
        for batch in corpus.split(rows_per_batch):
            yield count_batch(batch, tokenizer, options)
        return
    # 3. Or count several batches at once, in order.
    rows_per_thread = -(-len(corpus) // PROCESSORS)
    rows_per_batch = min(_ROWS_PER_BATCH, max(_MIN_ROWS_FOR_THREADS, rows_per_thread))
    batches = corpus.split(rows_per_batch)
    with ThreadPoolExecutor(PROCESSORS) as pool:
        while chunk := list(islice(batches, _BATCHES_IN_QUEUE)):
            yield from pool.map(lambda batch: count_batch(batch, tokenizer, options), chunk)


# --- Rows to tables -------------------------------------------------------------------------------


class TableMetadata(TypedDict, total=False):
    """What the metadata of a table records, as JSON.

    The first five keys are `COUNTING_OPTIONS`. `references` is the number of references, and
    `groups` has a label, the tokenizer and the number of references of each label.
    """

    tokenize: str | None
    lowercase: bool
    max_order: int
    reference_length: str
    minimum_total: int
    references: str
    groups: list[tuple[Label, str, str]]


def tabulate(counted: Counted, options: Options) -> pa.Table:
    """Return counted rows as a table."""
    columns: dict[str, Any] = dict(zip(options.layout.names, counted.rows.T))
    if counted.labels is not None:
        columns[LABEL] = make_label_column("by", counted.labels)
    if counted.documents is not None:
        columns[DOCUMENT] = make_label_column("documents", counted.documents)
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
    return pa.table(columns).replace_schema_metadata({_METADATA: json.dumps(metadata)})


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
    part_sizes: the number of rows of each part, by its place in messages.
    may_be_segments: False if the rows are sums, or could be sums that look like segments.
    counted_by: the origin of the rows of each label that the rows were counted by.
    labels, groups, documents: as in `Counted`.
    """

    columns: pa.Table
    origin: Origin
    options: Options
    unknown: Sequence[str]
    part_sizes: Mapping[str, int]
    may_be_segments: bool
    counted_by: Mapping[Label, Origin]
    labels: Sequence[Label] | None
    groups: Mapping[Label, Group]
    documents: Sequence[Label] | None

    def total(self) -> Int64:
        """Return the sum of the rows, int64 [2 N + 2], without copying the rows."""
        return np.array([pc.sum(column).as_py() for column in self.columns.columns], np.int64)

    def counted(self) -> Counted:
        """Return the rows as those of a corpus."""
        return Counted(
            rows=np.stack([np.asarray(column) for column in self.columns.columns]).T,
            origin=self.origin,
            labels=self.labels,
            groups=self.groups,
            documents=self.documents,
            has_segments=self.may_be_segments and self._have_totals_of_segments(),
        )

    def _have_totals_of_segments(self) -> bool:
        """Return True if each row has the totals of a single segment.

        From order to order, a segment has one n-gram less, and a sum of k segments has k less.
        """
        layout = _layout_of(self.columns)
        lengths = np.asarray(self.columns["prediction_length"])
        totals = np.stack([np.asarray(column) for column in self.columns.columns[layout.totals]])
        expected = count_totals(lengths, layout.orders, self.options.minimum_total)
        return bool((totals == expected).all())

    def find_repeated_part(self) -> str | None:
        """Return the place of a part that has the test set of the first part; None without one.

        The reference lengths of runs on a test set are equal, row by row. With several references,
        runs may differ in which one is the closest: in tests at least half of the lengths were
        equal, against a sixth for two translations of the same texts.
        """
        lengths = np.asarray(self.columns["reference_length"])
        first: Int64 | None = None
        start = 0
        for place, size in self.part_sizes.items():
            part = lengths[start : start + size]
            start += size
            if first is None:
                first = part
            elif _are_same_lengths(first, part):
                return place
        return None


def _layout_of(columns: pa.Table) -> Layout:
    return Layout.of_width(columns.num_columns)


def _are_same_lengths(lengths: Int64, other: Int64) -> bool:
    """Return True if reference lengths are those of one test set, in the same order.

    >>> lengths = np.arange(12)
    >>> _are_same_lengths(lengths, lengths), _are_same_lengths(lengths, lengths[::-1])
    (True, False)
    """
    rows = len(lengths)
    if len(other) != rows or rows < 2:
        return False
    share = (lengths == other).mean()
    if share == 1 and rows >= _MIN_EQUAL_LENGTHS:
        return True
    # Lengths are equal by chance if the corpus has few of them, or if it is sorted by length.
    _, counts = np.unique(lengths, return_counts=True)
    chance = max(((counts / rows) ** 2).sum(), (lengths[1:] == other[:-1]).mean())
    # Hoeffding's bound (1963) on the probability of so high a share.
    probability = np.exp(-2 * rows * (share - chance) ** 2)
    return bool(share >= _MIN_EQUAL_SHARE and share > chance and probability < _CHANCE)


def read_counted(
    statistics: Any,
    options: Options,
    *,
    by: object = None,
    documents: object = None,
    like: Any = None,
) -> GivenRows:
    """Read statistics in any form that `BleuMetric.score` accepts, and merge the options.

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
    # 1. Read each part as a table of the statistics columns. Parts without metadata take that of
    #    "like", which adds no rows.
    parts = _read_parts(statistics)
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
    # 4. Compare what the rows say with what the caller asks for.
    orders = _layout_of(columns).orders
    max_order = _choose_order(recorded.counted_with.get("max_order"), orders, options)
    counted_with = {**recorded.counted_with, "max_order": max_order}
    if labels is not None:
        check_labels(options, labels)
    elif options.tokenize_by is not None:
        raise ValueError(messages.NO_LABELS_FOR_TOKENIZERS)
    asked = options.counting_options()
    asked["tokenize"] = choose_tokenizer(options.for_label(None), "text").name
    _check_asked(counted_with, asked, groups, options)
    # 5. The rows win for everything that was not asked for.
    adopted = options.override(counted_with)
    unknown = [
        name
        for name in COUNTING_OPTIONS
        if name not in counted_with and not options.is_chosen(name)
    ]
    _check_unigrams(columns, adopted)
    # 6. Sums of a single order look like segments; only the metadata of the rows themselves
    #    tells.
    is_recorded = like is None and "tokenize" in recorded.counted_with
    return GivenRows(
        columns=columns,
        origin=Origin(counted_with.get("tokenize", asked["tokenize"]), recorded.nrefs),
        options=adopted,
        unknown=unknown,
        part_sizes={place: len(part.columns) for place, part in parts.items()},
        may_be_segments=is_table(statistics) and (orders > 1 or is_recorded),
        counted_by=recorded.counted_by,
        labels=labels,
        groups=groups,
        documents=document_labels,
    )


def is_table(statistics: Any) -> bool:
    """Return True for a statistics table, or a list that begins with one; False for texts."""
    part = statistics
    if isinstance(statistics, (list, tuple)) and statistics:
        part = statistics[0]
    return "prediction_length" in (_list_columns(part) or ())


class _Part(NamedTuple):
    """A table that has rows, or sums, as the user supplies them, and the statistics columns."""

    given: Any
    columns: pa.Table


def _read_parts(statistics: Any) -> dict[str, _Part]:
    """Read the parts of statistics by their places in messages; a single list has all sums.

    A part without rows is left out, so it needs neither labels nor metadata.
    """
    given = {"statistics": statistics}
    if isinstance(statistics, (list, tuple)):
        given = {f"statistics[{number}]": part for number, part in enumerate(statistics)}
    if not _check_parts(list(given.values())):
        return {"statistics": _Part(statistics, _read_sums(statistics))}
    parts = {}
    for place, part in given.items():
        columns = _select_columns(part, place)
        if len(columns):
            parts[place] = _Part(part, columns)
    if not parts:
        raise ValueError(_NO_STATISTICS)
    return parts


def _check_parts(parts: Sequence[Any]) -> bool:
    """Return True for tables and False for sums; raise for anything else, or for both."""
    if not parts:
        raise ValueError(_NO_STATISTICS)
    if any(map(is_result, parts)):
        raise TypeError(messages.A_RESULT.format(name="statistics"))
    have_columns = [_list_columns(part) is not None for part in parts]
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


def _add_metadata(tables: Mapping[str, pa.Table], like: Any) -> dict[str, pa.Table]:
    """Return tables with the metadata of `like` if they have none, and `like` without its rows."""
    schema = getattr(like, "schema", None)
    metadata = getattr(schema, "metadata", None) or {}
    if _METADATA not in metadata:
        raise _not_a_table("like", "it does not record how it was counted")
    with_metadata = {}
    for place, table in tables.items():
        with_metadata[place] = table
        if _METADATA not in (table.schema.metadata or {}):
            with_metadata[place] = table.replace_schema_metadata(metadata)
    with_metadata["like"] = _select_columns(like, "like")[:0]
    return with_metadata


def _group_rows(
    labels: Sequence[Label], parts: Mapping[str, _Part], recorded: _Recorded
) -> dict[Label, Group]:
    """Group rows by labels; a group may have rows of several labels that they were counted by."""
    tokenizer_name = recorded.counted_with.get("tokenize", "?")
    origins = [Origin(tokenizer_name, recorded.nrefs)] * len(labels)
    has_labels = all(LABEL in (_list_columns(part.given) or ()) for part in parts.values())
    if recorded.counted_by and has_labels:
        counted_by = _join_columns(parts, "by", LABEL)
        origins = [
            recorded.counted_by.get(label, origin) for label, origin in zip(counted_by, origins)
        ]
    groups = {}
    for label, segments in group_labels(labels).items():
        of_group = {origins[row] for row in segments.tolist()}
        groups[label] = Group(segments, Origin.merge(of_group))
    return groups


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
        is_pretokenized = counted in (*_PRETOKENIZED, "var")
        is_asked = name in options.given if is_pretokenized else options.is_chosen(name)
        if name == "tokenize" and options.tokenize_by is not None:
            _check_tokenizers_by_label(groups, options)
        elif is_asked and name == "tokenize":
            _check_tokenizer("tokenize", counted, asked[name])
        elif is_asked and asked[name] != counted:
            raise _counted_otherwise(name, counted, asked[name])


def _check_tokenizers_by_label(groups: Mapping[Label, Group], options: Options) -> None:
    for label, group in groups.items():
        if label in (options.tokenize_by or ()):
            asked = choose_tokenizer(options.for_label(label), "text").name
            place = f"tokenize[{show_value(label)}]"
            _check_tokenizer(place, group.origin.tokenizer_name, asked)


def _check_tokenizer(place: str, counted: str, asked: str) -> None:
    """Raise unless rows were counted with the tokenizer that was asked for."""
    check_same_function(counted, asked)
    if counted != asked:
        raise _counted_otherwise(place, print_tokenizer(counted), print_tokenizer(asked))


def _counted_otherwise(name: str, counted: object, asked: object) -> ValueError:
    return ValueError(
        f"statistics: counted with {name}={counted!r}, but {asked!r} was requested. Call"
        " statistics() with the new option."
    )


def check_same_function(tokenizer_name: str, other_name: str) -> None:
    """Raise if two tokenizers have one name in signatures, but may be different functions."""
    printed = print_tokenizer(tokenizer_name)
    if tokenizer_name != other_name and printed == print_tokenizer(other_name):
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


def _list_columns(part: Any) -> list[Any] | None:
    """Return the names of a table's columns, or None if `part` has no columns."""
    if hasattr(part, "collect_schema"):  # polars; a LazyFrame warns if it is asked for `columns`
        return list(part.collect_schema())
    names: Any = part
    if not isinstance(part, Mapping):
        names = getattr(part, "column_names", getattr(part, "columns", None))
    return None if names is None else list(names)


def _join_columns(parts: Mapping[str, _Part], argument: str, name: str) -> list[Label]:
    """Return the labels in a column of all tables, for the argument that names the column.

    Args:
        parts: the tables that have rows, by their place.
        argument: `"by"` or `"documents"`.
        name: the column.
    """
    labels: list[Label] = []
    for place, part in parts.items():
        if name not in (_list_columns(part.given) or ()):
            raise ValueError(
                f"{argument}={show_value(name)}: {place} has no such column. Pass its name, or one"
                " label per segment."
            )
        labels += list_labels(argument, part.given[name], len(part.columns))
    return labels


def _select_columns(part: Any, place: str) -> pa.Table:
    """Return the statistics columns of anything with columns; `place` is for errors."""
    # 1. Find the columns by their names.
    columns = _list_columns(part) or []
    max_order = next(n for n in count() if f"matches_{n + 1}" not in columns)
    names = Layout(max_order).names
    if not max_order or not set(names) <= set(columns):
        raise _not_a_table(place, f"its columns are {', '.join(map(str, columns))}")
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
            table = pa.table({name: to_arrow(part[name], depth=0) for name in names})
        elif isinstance(part, (pa.Table, pa.RecordBatch)):
            selected = pa.table({name: part.column(name) for name in names})
            table = selected.replace_schema_metadata(part.schema.metadata)
        elif hasattr(part, "with_format"):  # select first: a selection is copied on access
            table = part.select_columns(names).with_format("arrow")[:]
        else:
            table = pa.table(part[names]).select(names)
    except (pa.ArrowException, TypeError, OverflowError, RecursionError) as error:
        # Arrow's message may show a value.
        problem = f"a column could not be read ({type(error).__name__})"
        raise _not_a_table(place, problem) from None
    # 3. Check that they hold integers.
    is_whole = all(
        pa.types.is_integer(column.type) and not column.null_count for column in table.columns
    )
    if len(table) and not is_whole:
        raise _not_a_table(place, "it contains non-integer values")
    schema = pa.schema([(name, pa.int64()) for name in names], table.schema.metadata)
    return table.cast(schema)


def _read_sums(statistics: Any) -> pa.Table:
    try:
        rows = np.atleast_2d(np.asarray(to_numpy(statistics)))
    except ValueError:
        raise _not_statistics("rows of several lengths") from None
    if rows.dtype.kind == "U":
        raise ValueError(messages.TEXTS_TO_SCORE)
    is_integer = rows.dtype.kind in "iu"
    if not is_integer or rows.ndim != 2 or not rows.size:
        raise _not_statistics(f"{rows.dtype} {list(rows.shape)}")
    width = rows.shape[1]
    if width < 4 or width % 2:
        raise _not_statistics(f"{rows.dtype} {list(rows.shape)}")
    return pa.table(dict(zip(Layout.of_width(width).names, rows.T.astype(np.int64))))


class _Recorded(NamedTuple):
    """What the metadata of tables says about their rows.

    counted_with: the options in `bleu_options.COUNTING_OPTIONS` that are known.
    nrefs: the number of references per segment, `"var"` if it differs, `"?"` if unknown.
    counted_by: the origin of the rows of each label that the rows were counted by.
    """

    counted_with: Mapping[str, Any]
    nrefs: str
    counted_by: Mapping[Label, Origin]


def _merge_metadata(tables: Mapping[str, pa.Table], *, has_labels: bool) -> _Recorded:
    """Return what all tables record, or raise if they do not add up.

    Args:
        tables: by place, for errors.
        has_labels: True if rows are grouped by labels. Tables may then have different tokenizers if
            they were counted by labels.
    """
    # 1. Read the metadata of each table, without unknown values.
    recorded: dict[str, TableMetadata] = {}
    for place, table in tables.items():
        metadata = json.loads((table.schema.metadata or {}).get(_METADATA, b"{}"))
        # Older tables of empty lists have no tokenizer, which fits every tokenizer.
        values = {name: value for name, value in metadata.items() if value is not None}
        recorded[place] = cast(TableMetadata, values)
    # 2. Collect tokenizer and number of references of each label.
    origins_of: dict[Label, list[Origin]] = {}
    for metadata in recorded.values():
        for label, name, nrefs in metadata.get("groups", ()):
            origins_of.setdefault(label, []).append(Origin(name, nrefs))
    # 3. With labels on all sides, tokenizers may differ: treat them as "var".
    tokenizer_names = []
    for metadata in recorded.values():
        tokenizer_name = metadata.get("tokenize")
        if tokenizer_name is not None:
            tokenizer_names.append(tokenizer_name)
            check_same_function(tokenizer_name, tokenizer_names[0])
    are_labeled = all("groups" in metadata for metadata in recorded.values())
    if has_labels and are_labeled and tokenizer_names:
        tokenizer_names = [same_or_var(tokenizer_names)]
        for metadata in recorded.values():
            metadata["tokenize"] = tokenizer_names[0]
    # 4. Compare every table with the first. "lowercase" is always recorded, so its presence tells a
    #    table with metadata from one without.
    first_place = next(iter(tables))
    first = recorded[first_place]
    first_orders = _layout_of(tables[first_place]).orders
    for place, metadata in recorded.items():
        if tokenizer_names and "lowercase" in metadata:
            metadata.setdefault("tokenize", tokenizer_names[0])
        for option in COUNTING_OPTIONS:
            value = metadata.get(option)
            expected = first.get(option)
            if value != expected:
                raise _tables_differ(option, {first_place: expected, place: value})
        orders = _layout_of(tables[place]).orders
        if orders != first_orders:
            raise _tables_differ("longest n-gram", {first_place: first_orders, place: orders})
    # 5. "like" adds no rows, and so no references.
    nrefs = same_or_var(
        metadata.get("references", "?") for place, metadata in recorded.items() if place != "like"
    )
    counted_with: dict[str, Any] = {}
    for option in COUNTING_OPTIONS:
        if option in first:
            counted_with[option] = first[option]
    counted_by = {label: Origin.merge(origins) for label, origins in origins_of.items()}
    return _Recorded(counted_with, nrefs, counted_by)


def _tables_differ(name: str, values: Mapping[str, object]) -> ValueError:
    """Build the error for an option in which two tables differ; `values` are by place."""
    shown = []
    for place, value in values.items():
        if name == "tokenize" and isinstance(value, str):
            value = print_tokenizer(value)
        shown.append(f"{value!r} in {place}")
    return ValueError(
        "statistics: the tables were counted under different options and don't add up:"
        f" {name} is {' and '.join(shown)}. Call statistics() again with the same options. Only"
        " tokenizers may differ, if all tables have labels: statistics(..., by=labels), then"
        " score(tables, by='label')."
    )


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
