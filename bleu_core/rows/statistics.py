"""A corpus to statistics rows, in batches and threads, by groups.

A `Call` has all that counting needs; `make_call` chooses its tokenizer, once. All methods count
here; `rules/counting.py` or `kernels.py` counts a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..options.options import Options
from ..options.signature import Origin, same_or_var
from ..rules.chosen_tokenizer import (
    ChosenTokenizer,
    choose_tokenizer,
    list_tokens,
    prepare_texts,
)
from ..rules.counting import (
    MOST_MEMORY,
    ORDERS_OF_ANY_TEXT,
    Layout,
    check_memory,
    count_rows,
)
from ..shared.arrays import PROCESSORS, Int64, Label, find_offsets, is_list
from ..shared.messages import show_value, within
from ..shared.pickling import picklable
from ..text.corpus import Batch, Corpus, SmallCorpus
from ..text.labels import group_labels, number_labels
from .compiling import compile_if_worthwhile, is_ready
from .kernels import REFERENCE_LENGTH_NUMBERS, count_rows_compiled, count_strings

_ROWS_PER_BATCH = 4096  # a few ms of work per thread, and memory that does not grow with the corpus
_ROWS_PER_PYTHON_BATCH = 256  # keeps the token objects of a Python tokenizer in the CPU cache
_MIN_ROWS_FOR_THREADS = 512  # below this, starting threads costs more than it saves
_BATCHES_IN_QUEUE = 64  # bounds the memory of rows that wait for a slow batch
_SHOWN_LABELS = 3  # that a message lists


class Call(NamedTuple):
    """The texts of a call, with all that counting and the look need.

    corpus: the segments.
    options: the options of the call.
    tokenizer: the tokenizer of all segments; None if labels have tokenizers of their own.
    labels, documents: the label and the document of each segment, or None.
    """

    corpus: Corpus
    options: Options
    tokenizer: ChosenTokenizer | None
    labels: Sequence[Label] | None = None
    documents: Sequence[Label] | None = None


def make_call(
    corpus: Corpus,
    options: Options,
    labels: Sequence[Label] | None = None,
    documents: Sequence[Label] | None = None,
) -> Call:
    """Return a corpus as a call, with its tokenizer; labels and documents are read already."""
    tokenizer = None
    if labels is None or options.tokenize_by is None:
        tokenizer = choose_tokenizer(options, corpus.kind)
    return Call(corpus, options, tokenizer, labels, documents)


@picklable
class Group(NamedTuple):
    """The segments with a label.

    segments: int64, their indices, ascending.
    origin: their tokenizer and number of references.
    """

    segments: Int64
    origin: Origin


@picklable
@dataclass(frozen=True)
class Counted:
    """The statistics rows of a corpus, with the values for its signature.

    rows: int64 [segments, 2 N + 2].
    origin: their tokenizer and number of references.
    labels: one per segment; None without labels.
    groups: by label, in the order of first appearance.
    documents: the document of each segment; None if segments are resampled one by one.
    has_segments: True if each row is that of one segment; False if rows are sums.
    segments: the number of segments; None if unknown.
    bigrams_of_segments: as `bigrams`, if the rows are the sum of all segments.
    """

    rows: Int64
    origin: Origin
    labels: Sequence[Label] | None = None
    groups: Mapping[Label, Group] = field(default_factory=dict)
    documents: Sequence[Label] | None = None
    has_segments: bool = True
    segments: int | None = None
    bigrams_of_segments: Int64 | None = None

    @property
    def bigrams(self) -> Int64:
        """matches_2 and totals_2: int64 [segments, 2]; without columns if N is 1."""
        if self.bigrams_of_segments is not None:
            return self.bigrams_of_segments
        return take_bigrams(self.rows)

    @cached_property
    def document_numbers(self) -> Int64 | None:
        """The number of the document of each segment, in order of first appearance, or None."""
        return None if self.documents is None else number_labels(self.documents)

    def sum_documents(self) -> Counted:
        """Return one row per document, or per label and document, in order of first appearance.

        >>> rows = np.array([[1, 1, 1, 1], [0, 2, 2, 3], [0, 1, 1, 1]])
        >>> counted = Counted(rows, Origin("13a", "1"), documents=["b", "a", "b"])
        >>> counted.sum_documents().rows.tolist()
        [[1, 2, 2, 2], [0, 2, 2, 3]]
        """
        numbers = number_labels(self._list_places())
        _, first_rows = np.unique(numbers, return_index=True)
        labels = None
        if self.labels is not None:
            labels = [self.labels[row] for row in first_rows.tolist()]
        (sums,) = sum_by_number([self.rows], numbers)
        return Counted(
            rows=sums,
            origin=self.origin,
            labels=labels,
            groups={
                label: group._replace(segments=np.unique(numbers[group.segments]))
                for label, group in self.groups.items()
            },
            documents=[(self.documents or ())[row] for row in first_rows.tolist()],
            has_segments=False,
        )

    def order_like(self, other: Counted) -> Counted | None:
        """Return sums of documents in the order of other ones; None if the documents differ."""
        row_of = {place: row for row, place in enumerate(self._list_places())}
        places = other._list_places()
        if row_of.keys() != set(places):
            return None
        return replace(
            other, rows=self.rows[[row_of[place] for place in places]], origin=self.origin
        )

    def _list_places(self) -> list[Hashable]:
        """Return the label and the document of each row; 1 and True are two labels."""
        columns = [labels for labels in (self.labels, self.documents) if labels is not None]
        return [tuple((type(label), label) for label in place) for place in zip(*columns)]

    @property
    def shared_documents(self) -> int:
        """The number of documents that occur in several groups."""
        numbers = self.document_numbers
        if numbers is None or not self.groups:
            return 0
        groups_of = np.zeros(int(numbers.max()) + 1, np.int64)
        for group in self.groups.values():
            groups_of[np.unique(numbers[group.segments])] += 1
        return int((groups_of > 1).sum())


def take_bigrams(rows: Int64) -> Int64:
    """Return matches_2 and totals_2 of rows: int64 [segments, 2]; without columns if N is 1.

    They are a view.

    >>> take_bigrams(np.array([[2, 1, 3, 2, 3, 4]])).tolist()
    [[1, 2]]
    """
    orders = Layout.of_width(rows.shape[-1]).orders
    return rows[:, 1 : orders + 2 : orders] if orders > 1 else rows[:, :0]


def sum_by_number(rows: Sequence[Int64], numbers: Int64) -> list[Int64]:
    """Sum the rows of equal number, in ascending order of the numbers.

    Args:
        rows: of each system, int64 [segments, 2 N + 2].
        numbers: int64 [segments].

    >>> (sums,) = sum_by_number([np.array([[1, 1], [0, 2], [0, 1]])], np.array([1, 0, 1]))
    >>> sums.tolist()
    [[0, 2], [1, 2]]
    """
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    return [np.add.reduceat(of_system[order], starts, axis=0) for of_system in rows]


# --- Corpus to rows -------------------------------------------------------------------------------


def count(call: Call) -> Counted:
    """Count the rows that the score of a call needs: those of segments, or only their sum.

    The sum needs constant memory; the bigrams of segments take 16 bytes each.

    >>> counted = count(read(["a b", "b"], ["a b", "a b"], None, None, Options(max_order=1)))
    >>> counted.rows.tolist(), counted.segments
    ([[3, 3, 3, 4]], 2)
    """
    options = call.options
    has_labels = call.labels is not None or call.documents is not None
    if has_labels or options.segments or options.confidence or call.tokenizer is None:
        return count_segments(call)
    summed = sum_corpus(call.corpus, call.tokenizer, options)
    return Counted(
        rows=summed.row[np.newaxis],
        origin=Origin(call.tokenizer.name, call.corpus.reference_count()),
        has_segments=False,
        segments=len(call.corpus),
        bigrams_of_segments=summed.bigrams,
    )


def count_segments(call: Call) -> Counted:
    """Count all segments; with labels, those of each label with the tokenizer of that label.

    >>> options = Options().override({"tokenize": {"zh": "zh"}, "max_order": 1})
    >>> call = read(["a b", "東京"], ["a b", "東京"], ["en", "zh"], None, options)
    >>> counted = count_segments(call)
    >>> counted.rows.tolist()
    [[2, 2, 2, 2], [2, 2, 2, 2]]
    >>> counted.groups["zh"].segments, counted.groups["zh"].origin
    (array([1]), Origin(tokenizer_name='zh', nrefs='1'))
    """
    # 1. Count all segments with one tokenizer; or labels with a tokenizer of their own one by one,
    #    and all other labels together.
    corpus = call.corpus
    segments_of = {} if call.labels is None else group_labels(call.labels)
    tokenizer_names: dict[Label, str] = {}
    if call.tokenizer is not None:
        rows = count_corpus(corpus, call.tokenizer, call.options)
        tokenizer_names = dict.fromkeys([None, *segments_of], call.tokenizer.name)
    else:
        rows = call.options.layout.allocate(len(corpus))
        special = call.options.tokenize_by or {}
        parts = [[label] for label in segments_of if label in special]
        parts.append([label for label in segments_of if label not in special])
        for labels in filter(None, parts):
            segments = np.sort(np.concatenate([segments_of[label] for label in labels]))
            options = call.options.for_label(labels[0])
            tokenizer = choose_tokenizer(options, corpus.kind)
            tokenizer_names |= dict.fromkeys(labels, tokenizer.name)
            if len(segments) == len(corpus):
                rows = count_corpus(corpus, tokenizer, options)
                continue
            shown = ", ".join(map(show_value, labels[:_SHOWN_LABELS]))
            more = ", …" if len(labels) > _SHOWN_LABELS else ""
            with within(f"Among the segments labeled {shown}{more}"):
                rows[segments] = count_corpus(corpus.take(segments), tokenizer, options)
    # 2. Collect the values for the signatures of the groups.
    groups = {}
    if segments_of:
        reference_counts = corpus.reference_counts()
        for label, segments in segments_of.items():
            nrefs = same_or_var(map(str, np.unique(reference_counts[segments]).tolist()))
            groups[label] = Group(segments, Origin(tokenizer_names[label], nrefs))
    return Counted(
        rows=rows,
        origin=Origin(same_or_var(tokenizer_names.values()), corpus.reference_count()),
        labels=call.labels,
        groups=groups,
        documents=call.documents,
        segments=len(corpus),
    )


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


def count_corpus(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Count all segments: int64 [segments, 2 N + 2], Fortran-ordered."""
    rows = options.layout.allocate(len(corpus))
    start = 0
    for batch_rows in _count_batches(corpus, tokenizer, options):
        rows[start : start + len(batch_rows)] = batch_rows
        start += len(batch_rows)
    return rows


class SummedCorpus(NamedTuple):
    """The sum of the rows of a corpus, and the clipped counts of bigrams of each segment.

    row: int64 [2 N + 2].
    bigrams: matches_2 and totals_2 of each segment, int64 [segments, 2]; without columns if N is 1.
    """

    row: Int64
    bigrams: Int64


def sum_corpus(corpus: Corpus, tokenizer: ChosenTokenizer, options: Options) -> SummedCorpus:
    """Sum all rows, which are not kept; their bigrams take 16 bytes per segment.

    >>> corpus = read_corpus(["a b c"], ["a b"])
    >>> sum_corpus(corpus, choose_tokenizer(Options(), "text"), Options()).bigrams.tolist()
    [[1, 2]]
    """
    row = np.zeros(options.layout.width, np.int64)
    bigrams = []
    for batch_rows in _count_batches(corpus, tokenizer, options):
        row += batch_rows[0] if len(batch_rows) == 1 else np.add.reduce(batch_rows)
        bigrams.append(take_bigrams(batch_rows))
    return SummedCorpus(row, bigrams[0] if len(bigrams) == 1 else np.concatenate(bigrams))


def count_batch(batch: Batch, tokenizer: ChosenTokenizer, options: Options) -> Int64:
    """Count the segments of a batch.

    The kernel does it if it is compiled and has the rule for the reference length.

    >>> (batch,) = read_corpus([[7, 8]], [[[7]]]).batches
    >>> count_batch(batch, ChosenTokenizer("ids"), Options(max_order=1)).tolist()
    [[1, 2, 2, 1]]
    """
    predictions, references = prepare_batch(batch, tokenizer)
    rule = options.counting_rule
    is_compiled = is_ready() and rule.reference_length in REFERENCE_LENGTH_NUMBERS
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
        return count_rows_compiled(predictions, references, batch.bounds, tokenizer.name, rule=rule)
    return count_rows(
        list_tokens(predictions, tokenizer), list_tokens(references, tokenizer), batch.bounds, rule
    )


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
        check_memory(
            f"{name}[{row_of(index)}]",
            measure(tokens, max_order),
            tokens=tokens,
            max_order=max_order,
        )


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
    rule = options.counting_rule
    is_compiled = False
    if rule.reference_length in REFERENCE_LENGTH_NUMBERS:
        # To measure a corpus takes a tenth of the time of a small call. The Python implementation
        # builds tuples of n tokens for each n, so its time grows with the square of the orders.
        is_compiled = is_ready() or compile_if_worthwhile(
            corpus.nbytes * max(1, rule.max_order**2 // ORDERS_OF_ANY_TEXT**2)
        )
    split = tokenizer.split
    is_in_python = not is_compiled or not (split is None or tokenizer.is_native)
    is_plain = tokenizer.is_native and tokenizer.lower is None
    has_few_orders = rule.max_order <= ORDERS_OF_ANY_TEXT
    if isinstance(corpus, SmallCorpus) and split and is_plain and has_few_orders:
        if is_compiled:
            yield count_strings(corpus, tokenizer.name, rule)
        else:
            tokens = list(map(split, corpus.strings))
            size = len(corpus)
            yield count_rows(tokens[:size], tokens[size:], corpus.bounds, rule)
        return
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
