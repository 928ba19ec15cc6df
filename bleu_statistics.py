"""Two columns to statistics rows: batch by batch, in threads, by the kernel or by the readable definition.

Text under a native tokenizer goes to the kernel as it lies in Arrow's buffers. Whatever is in tokens already, given so
or cut by someone else's tokenizer, goes there as numbers, equal for equal tokens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from .bleu_arrow import is_list, kind, unlisted, utf8
from .bleu_automaton import LEFT
from .bleu_counting import statistics_row
from .bleu_diagnostics import warn
from .bleu_kernel import COMPILED, count_rows
from .bleu_options import Options
from .bleu_tokenizers import NATIVE, Tokenizer, borrowed_tokenizer
from .bleu_tokens import cut_by, cut_readably, other_tokenizer, token_numbers

_BATCH = 4096  # rows: some milliseconds of work for a thread, and memory that doesn't grow with the corpus
_AT_ONCE = 64 * _BATCH  # rows in the threads' queue

Result = TypeVar("Result")


def corpus_rows(table: pa.Table, options: Options) -> np.ndarray:
    """The statistics rows of all segments.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: those in `bleu_options.COUNTING` are looked at.

    Returns:
        int64 [2 N + 2, segments].

    >>> corpus_rows(columns(["a b", "b"], ["a b", "a b"]), Options(max_order=1)).T
    array([[2, 2, 2, 2],
           [1, 1, 1, 2]])
    """
    rows = np.empty((2 * options.counted_orders + 2, len(table)), np.int64)
    start = 0
    for counted in _map_batches(lambda counted: counted, table, options):
        rows[:, start : start + counted.shape[1]] = counted
        start += counted.shape[1]
    return rows


def corpus_sum(table: pa.Table, options: Options) -> tuple[np.ndarray, int]:
    """The sum of all rows, and how many predictions have no token; in memory that doesn't grow with the corpus.

    Args:
        table: what `bleu_inputs.columns` returns.
        options: those in `bleu_options.COUNTING` are looked at.

    Returns:
        int64 [2 N + 2] and a number.

    >>> corpus_sum(columns(["a b", "b", ""], ["a b"] * 3), Options(max_order=1))
    (array([3, 3, 3, 6]), 1)
    """
    total, empty = np.zeros(2 * options.counted_orders + 2, np.int64), 0
    for row, without_token in _map_batches(lambda rows: (rows.sum(axis=1), (rows[-2] == 0).sum()), table, options):
        total += row
        empty += int(without_token)
    return total, empty


def segment_tokens(table: pa.Table, options: Options) -> tuple[list[Any], list[list[Any]]]:
    """The tokens of a single segment, as they are counted.

    Args:
        table: what `bleu_inputs.columns` returns, one row of it.
        options: `tokenize` and `lowercase` are looked at.

    Returns:
        The prediction's tokens, and those of each reference.

    >>> segment_tokens(columns(["Go on."], [["Go!", "On."]]), Options(lowercase=True))
    (['go', 'on', '.'], [['go', '!'], ['on', '.']])
    """
    (batch,) = table.combine_chunks().to_batches()
    cut = other_tokenizer(options) if kind(table) == "text" else None
    predictions, references, _ = _in_tokens(batch, 0, cut, options)
    if cut:
        options = replace(options, lowercase=False)
    return cut_readably(predictions, options)[0], cut_readably(references, options)


def tokenizer_name(options: Options, columns_kind: str) -> str:
    """What stands behind `tok:` in a signature.

    >>> tokenizer_name(Options(), "text"), tokenizer_name(Options(), "ids")
    ('13a', 'ids')
    """
    if columns_kind != "text":
        return columns_kind
    if callable(options.tokenize):
        return getattr(options.tokenize, "__qualname__", type(options.tokenize).__qualname__)
    return options.tokenize if options.tokenize in NATIVE else borrowed_tokenizer(options.tokenize)[1]


def _map_batches(reduce: Callable[[np.ndarray], Result], table: pa.Table, options: Options) -> Iterator[Result]:
    if not COMPILED:
        _warn_once_that_numba_is_missing()
    cut = other_tokenizer(options) if kind(table) == "text" else None

    def count(batch: pa.RecordBatch, first_row: int) -> Result:
        rows = _count(batch, first_row, cut, options)
        totals = rows[options.counted_orders : 2 * options.counted_orders]
        np.maximum(totals, options.minimum_total, out=totals)
        return reduce(rows)

    one_by_one = cut or not COMPILED or len(table) <= _BATCH
    with nullcontext() if one_by_one else ThreadPoolExecutor(_processors()) as pool:
        for start in range(0, len(table), _AT_ONCE):
            batches = table.slice(start, _AT_ONCE).to_batches(max_chunksize=_BATCH)
            first_rows = start + np.cumsum([0, *map(len, batches)])[:-1]
            yield from (map if one_by_one else pool.map)(count, batches, first_rows.tolist())


@cache
def _warn_once_that_numba_is_missing() -> None:
    warn("numba can't be imported: the numbers are the same, but take a hundred times longer.")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _count(batch: pa.RecordBatch, first_row: int, cut: Tokenizer | None, options: Options) -> np.ndarray:
    predictions, references, bounds = _in_tokens(batch, first_row, cut, options)
    if cut:
        options = replace(options, lowercase=False)
    if not COMPILED:
        return _count_readably(predictions, references, bounds, options)
    counting = (options.lowercase, options.counted_orders, options.reference_length)
    if not is_list(predictions.type):
        rows = count_rows(utf8(predictions), utf8(references), bounds, options.tokenize, *counting)
        for row in np.flatnonzero(rows[0] == LEFT):
            others = references.slice(bounds[row], bounds[row + 1] - bounds[row])
            rows[:, [row]] = _count_readably(predictions.slice(row, 1), others, np.array([0, len(others)]), options)
        return rows
    return count_rows(*_numbered(predictions, references, options.lowercase), bounds, "ids", False, *counting[1:])


def _in_tokens(
    batch: pa.RecordBatch, first_row: int, cut: Tokenizer | None, options: Options
) -> tuple[pa.Array, pa.Array, np.ndarray]:
    """Predictions and all references, cut if that's someone else's to do, and where each row's references begin."""
    predictions, (references, bounds) = batch.column(0), unlisted(batch.column(1))
    if cut:
        rows = np.repeat(range(len(bounds) - 1), np.diff(bounds))
        predictions = cut_by(cut, predictions, "predictions", options.lowercase, first_row, range(len(predictions)))
        references = cut_by(cut, references, "references", options.lowercase, first_row, rows)
    return predictions, references, bounds


def _count_readably(predictions: pa.Array, references: pa.Array, bounds: np.ndarray, options: Options) -> np.ndarray:
    own, other = cut_readably(predictions, options), cut_readably(references, options)
    rows = [
        statistics_row(prediction, other[first:last], options.counted_orders, options.reference_length)
        for prediction, first, last in zip(own, bounds[:-1], bounds[1:])
    ]
    return np.array(rows, np.int64).T


def _numbered(predictions: pa.Array, references: pa.Array, lowercase: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Token lists as bytes of int64, the same eight for equal tokens, and where each list begins and ends."""
    (own, own_offsets), (other, other_offsets) = unlisted(predictions), unlisted(references)
    if pa.types.is_integer(own.type):
        numbers = np.concatenate([np.asarray(own), np.asarray(other)])
    else:
        numbers = token_numbers([own, other], lowercase)
    text = numbers.view(np.uint8)
    return [(text[: 8 * len(own)], 8 * own_offsets), (text[8 * len(own) :], 8 * other_offsets)]
