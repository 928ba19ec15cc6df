"""A corpus to statistics rows: batch by batch, in threads, by the kernel or by the definition."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from . import bleu_counting as definition
from . import bleu_counting_compiled as compiled
from .bleu_arrow import Int64
from .bleu_compiler import COMPILED
from .bleu_corpus import Batch, Corpus
from .bleu_options import Options
from .bleu_tokenizer_choice import Tokenizer, choose_tokenizer, prepare_texts
from .bleu_tokenizers import list_tokens
from .bleu_twins import Twins
from .bleu_warnings import count_unspaced_characters, warn_once_that_numba_is_missing

_BATCH = 4096  # rows: some milliseconds of work for a thread, and memory that doesn't grow with the corpus
_FEW = 512  # rows, for which threads aren't worth while
_AT_ONCE = 64  # batches in the threads' queue

Counted = TypeVar("Counted")

count_rows = Twins(
    definition.count_rows,
    compiled.count_rows,
    kernel=compiled._count_rows,
    example=(pa.array(["a b"]), pa.array(["a b"]), np.array([0, 1]), "13a", 1, "closest"),
    seconds_to_compile=5.0,
    seconds_a_megabyte=0.45,
)


class CorpusSum(NamedTuple):
    """What the score of a corpus, and the warnings about it, need to know.

    row: int64 [2 N + 2], the sum of the statistics rows.
    unspaced: how many characters the predictions have that the tokenizer should have cut.
    """

    row: Int64
    unspaced: int


class Segment(NamedTuple):
    """The tokens of one segment, as they are counted."""

    prediction: list[Any]
    references: list[list[Any]]


def count_corpus(corpus: Corpus, options: Options) -> Int64:
    """The statistics rows of all segments.

    Args:
        corpus: what `bleu_inputs.read_corpus` returns.
        options: those in `bleu_options.COUNTING` are looked at.

    Returns:
        int64 [segments, 2 N + 2]; in memory statistic by statistic, as in Arrow.

    >>> count_corpus(read_corpus(["a b", "b"], ["a b", "a b"]), Options(max_order=1))
    array([[2, 2, 2, 2],
           [1, 1, 1, 2]])
    """
    rows: Int64 = np.empty((2 * options.counted_orders + 2, len(corpus)), np.int64).T
    first_row = 0
    for batch_rows in _map_batches(count_batch, corpus, options):
        rows[first_row : first_row + len(batch_rows)] = batch_rows
        first_row += len(batch_rows)
    return rows


def sum_corpus(corpus: Corpus, options: Options) -> CorpusSum:
    """The sum of all statistics rows, in memory that doesn't grow with the corpus.

    Args:
        corpus: what `bleu_inputs.read_corpus` returns.
        options: those in `bleu_options.COUNTING` are looked at.

    >>> sum_corpus(read_corpus(["a b", "b", "何"], ["a b"] * 3), Options(max_order=1))
    CorpusSum(row=array([3, 4, 4, 6]), unspaced=1)
    """
    row, unspaced = np.zeros(2 * options.counted_orders + 2, np.int64), 0
    for batch in _map_batches(_sum_batch, corpus, options):
        row += batch.row
        unspaced += batch.unspaced
    return CorpusSum(row, unspaced)


def count_batch(batch: Batch, tokenizer: Tokenizer, options: Options) -> Int64:
    """The statistics rows of some segments.

    Args:
        batch: of a corpus.
        tokenizer: what `bleu_tokenizer_choice.choose_tokenizer` returns.
        options: those in `bleu_options.COUNTING` are looked at.

    Returns:
        int64 [segments, 2 N + 2].

    >>> batch = Batch(0, pa.array([[7, 8]]), pa.array([[7], [8, 9]]), np.array([0, 2]))
    >>> count_batch(batch, Tokenizer("ids", lowercase=False), Options(max_order=1))
    array([[2, 2, 2, 2]])
    """
    if not COMPILED:
        warn_once_that_numba_is_missing()
    predictions, references = _prepare_batch(batch, tokenizer)
    orders = options.counted_orders
    rows = count_rows(predictions, references, batch.bounds, tokenizer.name, orders, options.reference_length)
    if options.minimum_total:
        totals = rows[:, orders : 2 * orders]
        np.maximum(totals, options.minimum_total, out=totals)
    return rows


def split_segment(corpus: Corpus, options: Options) -> Segment:
    """The tokens of a corpus of a single segment, as they are counted.

    >>> split_segment(read_corpus(["Go on."], [["Go!", "On."]]), Options(lowercase=True))
    Segment(prediction=['go', 'on', '.'], references=[['go', '!'], ['on', '.']])
    """
    (batch,) = corpus.batches(1)
    tokenizer = choose_tokenizer(options, corpus.kind)
    predictions, references = (list_tokens(texts, tokenizer.name) for texts in _prepare_batch(batch, tokenizer))
    return Segment(predictions[0], references)


def _sum_batch(batch: Batch, tokenizer: Tokenizer, options: Options) -> CorpusSum:
    unspaced = count_unspaced_characters(batch.predictions, options.tokenize, batch.may_lack_spaces)
    return CorpusSum(np.add.reduce(count_batch(batch, tokenizer, options)), unspaced)


def _map_batches(
    count: Callable[[Batch, Tokenizer, Options], Counted], corpus: Corpus, options: Options
) -> Iterator[Counted]:
    tokenizer = choose_tokenizer(options, corpus.kind)
    is_compiled = count_rows.get_ready(corpus)
    if tokenizer.split or not is_compiled or len(corpus) <= _FEW:  # Python's work isn't done sooner by two threads
        for batch in corpus.batches(_BATCH):
            yield count(batch, tokenizer, options)
        return
    processors = _count_processors()
    batches = corpus.batches(min(_BATCH, max(_FEW, -(-len(corpus) // processors))))
    with ThreadPoolExecutor(processors) as pool:
        while some := list(islice(batches, _AT_ONCE)):
            yield from pool.map(lambda batch: count(batch, tokenizer, options), some)


def _prepare_batch(batch: Batch, tokenizer: Tokenizer) -> tuple[pa.Array, pa.Array]:
    return (
        prepare_texts(batch.predictions, tokenizer, "predictions", batch.row_of_prediction),
        prepare_texts(batch.references, tokenizer, "references", batch.row_of_reference),
    )


def _count_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
