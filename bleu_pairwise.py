"""Texts against each other: `pairwise`, `self_bleu`, and the numbers of tokens and n-grams, which `diff` uses too.

The counting kernel does not keep tokens. This module numbers the tokens and n-grams of all texts.
The k-th occurrence of an n-gram in a text gets a separate number, which turns the multiset of a
text's n-grams into a set. The clipped count of two texts is then the size of the intersection of
their sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from . import bleu_kernels as kernels
from .bleu_corpus import TOKENS, Float64, Int64, Texts, is_list, list_items, pieces
from .bleu_counting import REFERENCE_LENGTHS, count_totals
from .bleu_messages import FEW_TEXTS
from .bleu_options import Options, Origin, make_signature
from .bleu_report import Report, plot_segments
from .bleu_scoring import bleu
from .bleu_tokenizers import (
    ChosenTokenizer,
    choose_tokenizer,
    list_tokens,
    prepare_texts,
    warn_about_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PAIRS_PER_BATCH = 1 << 13  # their rows fit the CPU cache
_NGRAMS_PER_SORT = 1 << 15  # fit the CPU cache

# --- pairwise -------------------------------------------------------------------------------------


def score_pairs(texts: Texts, options: Options) -> Float64:
    """Score each prediction with each text of the last column as its only reference, with effective order.

    A single column serves as predictions and references. The result is float64 [predictions,
    references].

    >>> texts = read_texts(predictions=["a b", "b"], references=["a b", "b c", ""])
    >>> score_pairs(texts, Options(max_order=1))
    array([[1.        , 0.5       , 0.        ],
           [0.36787944, 0.36787944, 0.        ]])
    """
    columns = list(texts.columns.values())
    predictions, references = len(columns[0]), len(columns[-1])
    tokenizer, options = choose_tokenizer(options, texts.kind), options.for_segments()
    warn_about_text(columns[0], tokenizer)
    numbers, offsets, _ = number_texts(texts, tokenizer)
    kernels.compile_if_worthwhile(columns[0].nbytes * references)  # in proportion to the pairs
    scores = np.empty((predictions, references))
    # 1. List, for each n-gram of a prediction, the references that have it, as `count_common` takes
    #    them: one entry per order, sorted by prediction. Counting a pair then takes one step per
    #        common n-gram.
    lengths, listed = np.diff(offsets), []
    for text_of, ngrams in number_ngrams(numbers, offsets, options.counted_orders):
        in_predictions = np.flatnonzero(text_of < predictions)
        in_predictions = in_predictions[sorted_order(text_of[in_predictions])]
        in_references = np.flatnonzero(text_of >= len(lengths) - references)
        in_references = in_references[sorted_order(ngrams[in_references])]
        ends = np.cumsum(np.bincount(ngrams[in_references], minlength=ngrams.max(initial=-1) + 1))
        reference_of = text_of[in_references] - (len(lengths) - references)
        begins = np.concatenate([[0], ends])
        listed.append((text_of[in_predictions], ngrams[in_predictions], begins, reference_of))
    batch = max(1, _PAIRS_PER_BATCH // references)
    for start in range(0, predictions, batch):
        # 2. Count a batch of predictions with all references: int64 [N, predictions, references].
        prediction_lengths = lengths[start : min(start + batch, predictions)]
        size = len(prediction_lengths), references
        matches = np.zeros((options.counted_orders, *size), np.int64)
        for counts, (prediction_of, ngrams, begins, reference_of) in zip(matches, listed):
            part = slice(*np.searchsorted(prediction_of, [start, start + batch]))
            kernels.count_common(
                prediction_of[part] - start, ngrams[part], begins, reference_of, counts
            )
        # 3. Complete the rows and score them.
        totals = count_totals(prediction_lengths, options.counted_orders, options.minimum_total)
        parts = [
            *matches,
            *totals[..., np.newaxis],
            prediction_lengths[:, np.newaxis],
            lengths[-references:],
        ]
        rows = np.stack([np.broadcast_to(part, size) for part in parts])
        scores[start : start + size[0]] = bleu(rows.reshape(len(rows), -1).T, options).reshape(size)
    return scores


# --- self_bleu ------------------------------------------------------------------------------------


class SelfBleu(Report):
    """The result of `self_bleu`: a dict that prints as a dict and displays as a small table."""

    _prints_as_table = False

    def _rows(self) -> list[list[str]]:
        scores = [self["self_bleu"], *np.quantile(self["segment_bleu"], [0, 0.5, 1])]
        head = ["texts", "self-BLEU", "lowest", "median", "highest"]
        return [
            head,
            [f"{len(self['segment_bleu']):,}", *(f"{100 * score:.2f}" for score in scores)],
        ]

    def _records(self) -> list[dict[str, Any]]:
        return [{"text": i, "bleu": score} for i, score in enumerate(self["segment_bleu"])]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the scores of the texts into `ax` or a new figure, and return the Axes."""
        return plot_segments(self["segment_bleu"], ax)


def score_against_others(texts: Texts, options: Options) -> SelfBleu:
    """Score each text with all other texts as its references (Zhu et al., 2018), with effective order.

    An occurrence of an n-gram matches if any other text has it, so the time grows with the texts
    and not with pairs.

    No other text has a second "b", as the last text does:

    >>> score_against_others(read_texts(texts=["a b", "a b", "b b"]), Options(max_order=1))["segment_bleu"]
    [1.0, 1.0, 0.5]
    """
    (column,) = texts.columns.values()
    if len(column) < 2:
        raise ValueError(FEW_TEXTS)
    tokenizer, options = choose_tokenizer(options, texts.kind), options.for_segments()
    warn_about_text(column, tokenizer)
    # 1. Count: an occurrence of an n-gram matches if it occurs in two texts or more.
    numbers, offsets, _ = number_texts(texts, tokenizer)
    lengths = np.diff(offsets)
    matches = [
        np.bincount(text_of[np.bincount(ngrams)[ngrams] > 1], minlength=len(lengths))
        for text_of, ngrams in number_ngrams(numbers, offsets, options.counted_orders)
    ]
    totals = count_totals(lengths, options.counted_orders, options.minimum_total)
    # 2. Find the effective reference length, which is the same for texts of equal length. The
    #    number of steps is at most the number of tokens.
    distinct, inverse, texts_of = np.unique(lengths, return_inverse=True, return_counts=True)
    choose, effective = REFERENCE_LENGTHS[options.reference_length].effective_length, []
    for i, length in enumerate(distinct.tolist()):
        effective.append(
            choose(length, (distinct if texts_of[i] > 1 else np.delete(distinct, i)).tolist())
        )
    # 3. Score.
    scores = bleu(np.vstack([matches, totals, lengths, np.array(effective)[inverse]]).T, options)
    signature = make_signature(options, Origin(tokenizer.name, str(len(column) - 1)))
    return SelfBleu(
        self_bleu=float(scores.mean()), segment_bleu=scores.tolist(), signature=signature
    )


# --- Numbers of tokens and n-grams ----------------------------------------------------------------


def number_texts(texts: Texts, tokenizer: ChosenTokenizer) -> tuple[Int64, Int64, pa.Array]:
    """Assign a number to each token of all texts, column by column.

    Returns:
        The number of each token, consecutive from 0 and equal for equal tokens; int64 [texts + 1],
        the offsets of each text's tokens; and the token of each number.

    >>> number_texts(read_texts(texts=["b a", "", "b"]), choose_tokenizer(Options(), "text"))[:2]
    (array([0, 1, 0]), array([0, 2, 2, 3]))
    """
    kernels.compile_if_worthwhile(sum(column.nbytes for column in texts.columns.values()))
    tokens, lengths = [], [np.zeros(1, np.int64)]
    for name, column in texts.columns.items():
        row = 0
        for piece in pieces(column):
            lists = prepare_texts(piece, tokenizer, name, range(row, row + len(piece)).__getitem__)
            if not is_list(lists.type) and kernels.is_ready():
                lists = kernels.split_texts_compiled(lists, tokenizer.name)
            elif not is_list(lists.type):
                lists = pa.array(list_tokens(lists, tokenizer), TOKENS)
            items, bounds = list_items(lists)
            tokens.append(items)
            lengths.append(np.diff(bounds))
            row += len(piece)
    encoded = pa.concat_arrays(tokens).dictionary_encode()
    return (
        np.asarray(encoded.indices).astype(np.int64),
        np.cumsum(np.concatenate(lengths)),
        encoded.dictionary,
    )


def number_ngrams(numbers: Int64, offsets: Int64, max_order: int) -> list[tuple[Int64, Int64]]:
    """Assign a number to each n-gram of all texts, order by order.

    The key of an n-gram packs two numbers into one integer: its first n - 1 tokens, and its last
    token. Sorting the keys groups equal n-grams, without hashing.

    `numbers` and `offsets` are those of `number_texts`. For each order, return two int64 arrays
    with one item per n-gram: its text, and its number, consecutive from 0. The k-th occurrence of
    an n-gram in one text has the number of its k-th occurrence in another.

    In "a b a" and "a", the first "a" of each text has number 0, and the second "a" has number 2:

    >>> number_ngrams(np.array([0, 1, 0, 0]), np.array([0, 3, 4]), max_order=1)
    [(array([0, 0, 1, 0]), array([0, 2, 0, 1]))]
    """
    parts = [[(np.empty(0, np.int64), np.empty(0, np.int64))] for _ in range(max_order)]
    numbered = [0] * max_order
    text_of, vocabulary = (
        np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)),
        int(numbers.max(initial=0)) + 1,
    )
    # N-grams that begin in different groups of first tokens are never equal; a group fits the
    # cache.
    first_tokens, ends = sorted_order(numbers), np.cumsum(np.bincount(numbers))
    wanted = np.arange(_NGRAMS_PER_SORT, len(numbers) + _NGRAMS_PER_SORT, _NGRAMS_PER_SORT).clip(
        max=len(numbers)
    )
    group_ends = np.unique(ends[np.searchsorted(ends, wanted)])
    for starts in np.split(first_tokens, group_ends[:-1]):
        ngrams = np.zeros(len(starts), np.int64)
        for n in range(max_order):
            starts, ngrams = extend_ngrams(
                starts, ngrams, numbers, vocabulary, offsets[text_of[starts] + 1], n
            )
            texts = text_of[starts]
            occurrences = _number_occurrences(ngrams, texts)
            parts[n].append((texts, numbered[n] + occurrences))
            numbered[n] += int(occurrences.max(initial=-1)) + 1
    return [
        (np.concatenate(texts), np.concatenate(ngrams))
        for texts, ngrams in (zip(*part) for part in parts)
    ]


def extend_ngrams(
    starts: Int64, ngrams: Int64, numbers: Int64, vocabulary: int, ends: Int64, length: int
) -> tuple[Int64, Int64]:
    """Extend n-grams by a token, without those that end their text; return starts and numbers, sorted by number.

    N-grams of `length` tokens start at the positions `starts` in `numbers`, the tokens of all
    texts, of which `vocabulary` are different. `ngrams` has the numbers of the n-grams, and `ends`
    the ends of their texts.

    >>> extend_ngrams(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([0, 1, 0]), 2, np.array([3, 3, 3]), 1)
    (array([0, 1]), array([0, 1]))
    """
    whole = np.flatnonzero(starts + length < ends)
    keys = ngrams[whole] * vocabulary + numbers[starts[whole] + length]
    order = sorted_order(keys)
    return starts[whole[order]], number_runs(keys[order])


def sorted_order(keys: Int64) -> Int64:
    """Return the indices that stably sort non-negative integers, by radix sort of 16 bits at a time.

    >>> sorted_order(np.array([1 << 40, 2, 0, 2]))
    array([2, 1, 3, 0])
    """
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, int(keys.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((keys[order] >> shift).astype(np.uint16), kind="stable")]
    return order


def number_runs(keys: Int64) -> Int64:
    """Replace sorted keys with consecutive numbers from 0.

    >>> number_runs(np.array([3, 3, 7]))
    array([0, 0, 1])
    """
    return np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)


def _number_occurrences(ngrams: Int64, texts: Int64) -> Int64:
    """Assign a number to each occurrence of n-grams, which are sorted by n-gram, then by text.

    The first occurrence in a text keeps the number of the n-gram; further occurrences get numbers
    above all n-grams.
    """
    places = np.arange(len(ngrams))
    is_first = (np.diff(ngrams, prepend=-1) != 0) | (np.diff(texts, prepend=-1) != 0)
    before = places - np.maximum.accumulate(np.where(is_first, places, 0))
    repeated = np.flatnonzero(before)
    keys = ngrams[repeated] * (int(before.max(initial=0)) + 1) + before[repeated]
    order = sorted_order(keys)
    occurrences = ngrams.copy()
    occurrences[repeated[order]] = ngrams.max(initial=-1) + 1 + number_runs(keys[order])
    return occurrences
