"""Texts against each other: `pairwise` and `self_bleu`, by numbers of tokens and n-grams.

The counting kernel does not keep tokens. This module numbers the tokens and n-grams of all texts.
The k-th occurrence of an n-gram in a text gets a separate number, which turns the multiset of a
text's n-grams into a set. The clipped count of two texts is then the size of the intersection of
their sets. `diff` uses the numbers, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, overload

import numpy as np
import pyarrow as pa

from . import bleu_kernels as kernels
from .bleu_checks import warn_about_texts
from .bleu_corpus import (
    TOKENS,
    Float64,
    Int64,
    Label,
    Texts,
    group_labels,
    is_list,
    list_items,
    number_labels,
    slices,
)
from .bleu_counting import (
    ORDERS_OF_ANY_TEXT,
    REFERENCE_LENGTHS,
    check_memory,
    count_totals,
)
from .bleu_inputs import read_column, read_labels, read_texts
from .bleu_messages import EXPECTED_TEXT, count_things, show_value
from .bleu_options import Options, Origin, make_signature, same_or_var
from .bleu_report import Report, explain_missing_keys, passing, plot_segments, write_label
from .bleu_scoring import bleu
from .bleu_tokenizers import (
    ChosenTokenizer,
    choose_tokenizer,
    list_tokens,
    prepare_texts,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Bools = np.ndarray[Any, np.dtype[np.bool_]]

_PAIRS_PER_BATCH = 1 << 13  # their rows fit the CPU cache
_NGRAMS_PER_SORT = 1 << 15  # fit the CPU cache
# The text of an n-gram, its number and place in an index, and their copies while they are joined.
_BYTES_PER_NGRAM = 40

# --- pairwise -------------------------------------------------------------------------------------


def score_pairs(texts: Texts, options: Options) -> Float64:
    """Score each prediction with each text of the last column as its only reference.

    Scores have effective order. A single column serves as predictions and references. The result
    is float64 [predictions, references].

    >>> texts = read_texts(predictions=["a b", "b"], references=["a b", "b c", ""])
    >>> score_pairs(texts, Options(max_order=1))
    array([[1.        , 0.5       , 0.        ],
           [0.36787944, 0.36787944, 0.        ]])
    """
    columns = list(texts.columns.values())
    predictions = columns[0]
    references = columns[-1]
    tokenizer = choose_tokenizer(options, texts.kind)
    segment_options = options.for_segments()
    warn_about_texts(predictions, options)
    # 1. Number the n-grams of all texts, and look up which references have them. Counting a pair
    #    then takes one step per common n-gram.
    numbered = number_texts(texts, tokenizer)
    _check_memory_of_pairs(texts, numbered, options.counted_orders)
    kernels.compile_if_worthwhile(predictions.nbytes * len(references))  # grows with the pairs
    lengths = numbered.lengths()
    first_reference = len(lengths) - len(references)
    indexes = [
        _index_ngrams(ngrams, len(predictions), first_reference)
        for ngrams in numbered.ngrams(options.counted_orders)
    ]
    scores = np.empty((len(predictions), len(references)))
    layout = options.layout
    batch_size = max(1, _PAIRS_PER_BATCH // len(references))
    for start in range(0, len(predictions), batch_size):
        end = min(start + batch_size, len(predictions))
        # 2. Count a batch of predictions with all references: int64 [width, predictions,
        #    references]. The kernel adds to the matches, so they begin with 0.
        shape = (end - start, len(references))
        rows = np.empty((layout.width, *shape), np.int64)
        rows[layout.matches] = 0
        for matches, index in zip(rows[layout.matches], indexes):
            first_ngram, end_ngram = np.searchsorted(index.predictions, [start, end])
            kernels.count_common(
                index.predictions[first_ngram:end_ngram] - start,
                index.ngrams[first_ngram:end_ngram],
                index.begins,
                index.references,
                matches,
            )
        # 3. Complete the rows and score them.
        batch_lengths = lengths[start:end, np.newaxis]
        rows[layout.totals] = count_totals(
            batch_lengths, options.counted_orders, options.minimum_total
        )
        rows[layout.length] = batch_lengths
        rows[layout.reference_length] = lengths[first_reference:]
        flat_rows = rows.reshape(layout.width, -1).T
        scores[start:end] = bleu(flat_rows, segment_options).reshape(shape)
    return scores


class _InvertedIndex(NamedTuple):
    """The n-grams of one order in predictions, and the references that have them.

    `count_common` takes the fields.

    predictions, ngrams: the prediction and the number of each n-gram, sorted by prediction.
    begins: the offsets in `references` of the references of each number, and the end of the last
        ones.
    references: the references that have an n-gram, sorted by its number.
    """

    predictions: Int64
    ngrams: Int64
    begins: Int64
    references: Int64


def _index_ngrams(
    ngrams: NumberedNGrams, prediction_count: int, first_reference: int
) -> _InvertedIndex:
    """Index the n-grams of one order.

    The first `prediction_count` texts are predictions; the texts from `first_reference` on are
    references. A text may be both.
    """
    in_predictions = np.flatnonzero(ngrams.texts < prediction_count)
    by_prediction = in_predictions[sorted_order(ngrams.texts[in_predictions])]
    in_references = np.flatnonzero(ngrams.texts >= first_reference)
    by_number = in_references[sorted_order(ngrams.numbers[in_references])]
    distinct = ngrams.numbers.max(initial=-1) + 1
    ends = np.cumsum(np.bincount(ngrams.numbers[by_number], minlength=distinct))
    return _InvertedIndex(
        predictions=ngrams.texts[by_prediction],
        ngrams=ngrams.numbers[by_prediction],
        begins=np.concatenate([[0], ends]),
        references=ngrams.texts[by_number] - first_reference,
    )


# --- self_bleu ------------------------------------------------------------------------------------


class SelfBleuScores(TypedDict):
    """The keys of a result of `self_bleu`, and of each of its groups."""

    self_bleu: float
    segment_bleu: list[float]
    signature: str


_AVERAGE = "mean of the groups"  # the last row of the table


class SelfBleu(Report):
    """The result of `self_bleu`: a dict that displays as a table."""

    _absent = MappingProxyType({"groups": passing("by=labels")})

    if TYPE_CHECKING:  # the types of the keys: a subclass of dict can't be a TypedDict

        @overload  # type: ignore[override]
        def __getitem__(self, key: Literal["self_bleu"]) -> float: ...
        @overload
        def __getitem__(self, key: Literal["segment_bleu"]) -> list[float]: ...
        @overload
        def __getitem__(self, key: Literal["signature"]) -> str: ...
        @overload
        def __getitem__(self, key: Literal["groups"]) -> dict[Label, SelfBleuScores]: ...
        def __getitem__(self, key: str) -> object: ...

    def _rows(self) -> list[list[str]]:
        head = ["texts", "self-BLEU", "lowest", "median", "highest"]
        cells = _list_matches(self["self_bleu"], self["segment_bleu"])
        if "groups" not in self:
            return [head, cells]
        rows = [["group", *head]]
        for label, scores in self["groups"].items():
            of_group = _list_matches(scores["self_bleu"], scores["segment_bleu"])
            rows.append([write_label(label, (_AVERAGE,)), *of_group])
        return [*rows, [], [_AVERAGE, *cells]]

    def _records(self) -> list[dict[str, Any]]:
        if "groups" not in self:
            return [{"text": i, "bleu": score} for i, score in enumerate(self["segment_bleu"])]
        records: list[dict[str, Any]] = []
        for label, scores in self["groups"].items():
            texts = len(scores["segment_bleu"])
            records.append({"group": label, "texts": texts, "self_bleu": scores["self_bleu"]})
        return records

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the scores of the texts into `ax` or a new figure, and return the Axes."""
        return plot_segments(self["segment_bleu"], ax)


def _list_matches(self_bleu: float, segment_bleu: Sequence[float]) -> list[str]:
    lowest, median, highest = np.quantile(segment_bleu, [0, 0.5, 1])
    cells = [f"{len(segment_bleu):,}"]
    for score in (self_bleu, lowest, median, highest):
        cells.append(f"{100 * score:.2f}")
    return cells


def measure_self_bleu(texts: object, options: Options, *, against: object, by: object) -> SelfBleu:
    """Score each text with all other texts as its references, or with the texts of a set.

    Args:
        texts: the texts.
        options: all options of the call.
        against: the references that all texts share; None for the other texts.
        by: a label per text, to compare texts of one label only; None for no labels.
    """
    if against is not None and by is not None:
        raise TypeError(
            "`by` compares texts with each other, `against` compares them with a set of references."
            " Pass one of the two."
        )
    if against is None:
        read = read_texts(texts=texts)
        (column,) = read.columns.values()
        labels = read_labels(by)
        if labels is not None and len(labels) != len(column):
            texts_passed = count_things(len(column), "text")
            raise ValueError(
                f"by: got {count_things(len(labels), 'label')} for {texts_passed}. Pass one label"
                " per text."
            )
        return score_against_others(read, options, labels)
    # A reference that is None is absent, as it is for `compute`.
    references = read_column("against", against, EXPECTED_TEXT).drop_null()
    return score_against_set(read_texts(texts=texts, against=references), options)


def score_against_set(texts: Texts, options: Options) -> SelfBleu:
    """Score each text of the first column with all texts of the second as its references.

    An occurrence of an n-gram matches if a reference has it, so the time grows with the texts and
    references and not with pairs.

    The second "b" is in a reference, the second "a" is not:

    >>> texts = read_texts(texts=["a a", "b b"], against=["a", "b b"])
    >>> score_against_set(texts, Options(max_order=1))["segment_bleu"]
    [0.5, 1.0]
    """
    column, references = texts.columns.values()
    tokenizer = choose_tokenizer(options, texts.kind)
    warn_about_texts(column, options, "texts[{row}]")
    numbered = number_texts(texts, tokenizer)
    _check_memory_of_pairs(texts, numbered, options.counted_orders)
    lengths, reference_lengths = np.split(numbered.lengths(), [len(column)])
    # 1. Count: an occurrence of an n-gram matches if it occurs in a reference.
    matches = []
    for ngrams in numbered.ngrams(options.counted_orders):
        is_reference = ngrams.texts >= len(column)
        in_references = np.zeros(ngrams.numbers.max(initial=-1) + 1, bool)
        in_references[ngrams.numbers[is_reference]] = True
        is_match = in_references[ngrams.numbers] & ~is_reference
        matches.append(np.bincount(ngrams.texts[is_match], minlength=len(column)))
    # 2. Find the effective reference length of each length.
    find_length = REFERENCE_LENGTHS[options.reference_length].effective_length
    distinct, inverse = np.unique(lengths, return_inverse=True)
    distinct_of_references = np.unique(reference_lengths).tolist()
    effective = [find_length(length, distinct_of_references) for length in distinct.tolist()]
    # 3. Score.
    scores = _score_matches(matches, lengths, np.array(effective)[inverse], options)
    origin = Origin(tokenizer.name, nrefs=str(len(references)))
    return SelfBleu(_describe_scores(scores, origin, options))


def score_against_others(
    texts: Texts, options: Options, labels: Sequence[Label] | None = None
) -> SelfBleu:
    """Score each text with all other texts of its label as its references (Zhu et al., 2018).

    Scores have effective order. An occurrence of an n-gram matches if any other text has it, so the
    time grows with the texts and not with pairs.

    No other text has a second "b", as the last text does:

    >>> texts = read_texts(texts=["a b", "a b", "b b"])
    >>> score_against_others(texts, Options(max_order=1))["segment_bleu"]
    [1.0, 1.0, 0.5]
    """
    (column,) = texts.columns.values()
    texts_of: dict[Label, Int64] = {}
    if labels is None:
        if len(column) < 2:
            raise ValueError(
                "texts: expected at least two texts, got 1. Pass the texts to compare with each"
                " other."
            )
        group_of = np.zeros(len(column), np.int64)
        nrefs = str(len(column) - 1)
    else:
        texts_of = group_labels(labels)
        for label, of_label in texts_of.items():
            if len(of_label) < 2:
                raise ValueError(
                    f"by: the label {show_value(label)} has one text, texts[{of_label[0]}]."
                    " Pass two texts or more for each label."
                )
        group_of = number_labels(labels)
        nrefs = same_or_var(str(len(of_label) - 1) for of_label in texts_of.values())
    tokenizer = choose_tokenizer(options, texts.kind)
    warn_about_texts(column, options, "texts[{row}]")
    scores = _score_others(texts, tokenizer, group_of, options)
    described = _describe_scores(scores, Origin(tokenizer.name, nrefs), options)
    if labels is None:
        return explain_missing_keys(SelfBleu(described))
    groups: dict[Label, SelfBleuScores] = {}
    for label, of_label in texts_of.items():
        origin = Origin(tokenizer.name, nrefs=str(len(of_label) - 1))
        groups[label] = _describe_scores(scores[of_label], origin, options)
    described["self_bleu"] = float(np.mean([group["self_bleu"] for group in groups.values()]))
    return explain_missing_keys(SelfBleu(described, groups=groups))


def _score_others(
    texts: Texts, tokenizer: ChosenTokenizer, group_of: Int64, options: Options
) -> Float64:
    """Score each text with the other texts of its group: float64 [texts].

    Args:
        texts: a column of texts.
        tokenizer: splits them.
        group_of: int64 [texts], the number of each text's group.
        options: all options of the call.
    """
    numbered = number_texts(texts, tokenizer)
    lengths = numbered.lengths()
    _check_memory_of_pairs(texts, numbered, options.counted_orders)
    # 1. Count: an occurrence of an n-gram matches if it occurs in two texts of a group or more.
    groups = int(group_of.max()) + 1
    matches = []
    for ngrams in numbered.ngrams(options.counted_orders):
        if groups == 1:
            is_match = np.bincount(ngrams.numbers)[ngrams.numbers] > 1
        else:
            keys = ngrams.numbers * groups + group_of[ngrams.texts]
            _, inverse, texts_of_key = np.unique(keys, return_inverse=True, return_counts=True)
            is_match = texts_of_key[inverse] > 1
        matches.append(np.bincount(ngrams.texts[is_match], minlength=len(lengths)))
    # 2. Find the effective reference length, which is the same for texts of equal length. The
    #    number of steps is at most the number of tokens.
    find_length = REFERENCE_LENGTHS[options.reference_length].effective_length
    reference_lengths = np.empty_like(lengths)
    for of_group in group_labels(group_of.tolist()).values():
        distinct, inverse, texts_of_length = np.unique(
            lengths[of_group], return_inverse=True, return_counts=True
        )
        effective = []
        for i, length in enumerate(distinct.tolist()):
            has_only_one_text = texts_of_length[i] == 1
            other_lengths = np.delete(distinct, i) if has_only_one_text else distinct
            effective.append(find_length(length, other_lengths.tolist()))
        reference_lengths[of_group] = np.array(effective)[inverse]
    # 3. Score.
    return _score_matches(matches, lengths, reference_lengths, options)


def _score_matches(
    matches: Sequence[Int64], lengths: Int64, reference_lengths: Int64, options: Options
) -> Float64:
    """Score texts with effective order: float64 [texts].

    Args:
        matches: int64 [texts] for each order.
        lengths: int64 [texts], their numbers of tokens.
        reference_lengths: int64 [texts], the effective reference lengths.
        options: all options of the call.
    """
    totals = count_totals(lengths, options.counted_orders, options.minimum_total)
    rows = np.vstack([matches, totals, lengths, reference_lengths]).T
    return bleu(rows, options.for_segments())


def _describe_scores(scores: Float64, origin: Origin, options: Options) -> SelfBleuScores:
    signature = make_signature(options.for_segments(), origin, has_segment_scores=True)
    return {
        "self_bleu": float(scores.mean()),
        "segment_bleu": scores.tolist(),
        "signature": signature,
    }


# --- Numbers of tokens and n-grams ----------------------------------------------------------------


class NumberedTexts(NamedTuple):
    """The tokens of texts as numbers, which are equal for equal tokens.

    numbers: int64 [tokens], consecutive from 0.
    offsets: int64 [texts + 1], the offsets of each text's tokens.
    tokens: the token of each number.
    """

    numbers: Int64
    offsets: Int64
    tokens: pa.Array

    def lengths(self) -> Int64:
        """Return the number of tokens of each text: int64 [texts]."""
        return np.diff(self.offsets)

    def text_of(self) -> Int64:
        """Return the text of each token: int64 [tokens]."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths())

    def ngrams(self, max_order: int) -> list[NumberedNGrams]:
        """Assign a number to each n-gram of all texts, order by order.

        Numbers are consecutive from 0. The k-th occurrence of an n-gram in one text has the number
        of its k-th occurrence in another.

        In "a b a" and "a", the first "a" of each text has number 0, and the second "a" has number
        2:

        >>> tokens = pa.array(["a", "b"])
        >>> texts = NumberedTexts(np.array([0, 1, 0, 0]), np.array([0, 3, 4]), tokens)
        >>> texts.ngrams(max_order=1)
        [NumberedNGrams(texts=array([0, 0, 1, 0]), numbers=array([0, 2, 0, 1]))]
        """
        text_of = self.text_of()
        # 1. Sort the tokens, and split them into groups that fit the cache. N-grams that begin in
        #    different groups are never equal, because equal tokens are in one group.
        by_token = sorted_order(self.numbers)
        size = len(self.numbers)
        run_ends = np.cumsum(np.bincount(self.numbers))  # of the runs of equal tokens
        wanted_ends = np.arange(_NGRAMS_PER_SORT, size + _NGRAMS_PER_SORT, _NGRAMS_PER_SORT)
        nearest_runs = np.searchsorted(run_ends, wanted_ends.clip(max=size))
        group_ends = np.unique(run_ends[nearest_runs])
        # 2. Number the n-grams of each group, above those of the groups before.
        groups: list[list[NumberedNGrams]] = [[] for _ in range(max_order)]  # by order
        next_number = [0] * max_order
        for starts in np.split(by_token, group_ends[:-1]):
            occurrences = Occurrences(starts, np.zeros(len(starts), np.int64))
            for n in range(max_order):
                text_ends = self.offsets[text_of[occurrences.starts] + 1]
                occurrences = self.extend(occurrences, n, text_ends)
                texts = text_of[occurrences.starts]
                numbers = _number_occurrences(occurrences.numbers, texts)
                groups[n].append(NumberedNGrams(texts, next_number[n] + numbers))
                next_number[n] += int(numbers.max(initial=-1)) + 1
        # 3. Join the groups of each order.
        numbered = []
        for groups_of_order in groups:
            texts = np.concatenate([group.texts for group in groups_of_order])
            numbers = np.concatenate([group.numbers for group in groups_of_order])
            numbered.append(NumberedNGrams(texts, numbers))
        return numbered

    def extend(self, occurrences: Occurrences, length: int, text_ends: Int64) -> Occurrences:
        """Extend n-grams of `length` tokens by the next token, and sort them by their new number.

        N-grams at the end of their text are left out; `text_ends` has, for each occurrence, the end
        of its text in `numbers`.

        The key of an n-gram packs two numbers into one integer: that of its first `length` tokens,
        and that of its last token. Sorting the keys groups equal n-grams, without hashing.

        Of "a b a", the n-grams "a", "b", "a" become "a b" and "b a":

        >>> texts = NumberedTexts(np.array([0, 1, 0]), np.array([0, 3]), pa.array(["a", "b"]))
        >>> unigrams = Occurrences(starts=np.array([0, 1, 2]), numbers=np.array([0, 1, 0]))
        >>> texts.extend(unigrams, length=1, text_ends=np.array([3, 3, 3]))
        Occurrences(starts=array([0, 1]), numbers=array([0, 1]))
        """
        has_next = np.flatnonzero(occurrences.starts + length < text_ends)
        starts = occurrences.starts[has_next]
        keys = occurrences.numbers[has_next] * len(self.tokens) + self.numbers[starts + length]
        order = sorted_order(keys)
        return Occurrences(starts[order], number_runs(keys[order]))


class NumberedNGrams(NamedTuple):
    """The n-grams of one order: the text and the number of each, as two int64 arrays."""

    texts: Int64
    numbers: Int64


class Occurrences(NamedTuple):
    """Occurrences of n-grams of one order in `NumberedTexts`.

    starts: int64, the index of the first token of each occurrence.
    numbers: int64, the number of its n-gram.
    """

    starts: Int64
    numbers: Int64

    def take(self, index: Bools) -> Occurrences:
        """Return the occurrences whose item in `index` is True."""
        return Occurrences(self.starts[index], self.numbers[index])


def number_texts(texts: Texts, tokenizer: ChosenTokenizer) -> NumberedTexts:
    """Assign a number to each token of all texts, column by column.

    >>> texts = read_texts(texts=["b a", "", "b"])
    >>> numbered = number_texts(texts, choose_tokenizer(Options(), texts.kind))
    >>> numbered.numbers, numbered.offsets, numbered.tokens.to_pylist()
    (array([0, 1, 0]), array([0, 2, 2, 3]), ['b', 'a'])
    """
    kernels.compile_if_worthwhile(sum(column.nbytes for column in texts.columns.values()))
    tokens = []
    lengths = []
    for name, column in texts.columns.items():
        row = 0
        for piece in slices(column):
            row_of = range(row, row + len(piece)).__getitem__
            prepared = prepare_texts(piece, tokenizer, name, row_of)
            items, bounds = list_items(_split_texts(prepared, tokenizer))
            tokens.append(items)
            lengths.append(np.diff(bounds))
            row += len(piece)
    encoded = pa.concat_arrays(tokens).dictionary_encode()
    return NumberedTexts(
        numbers=np.asarray(encoded.indices).astype(np.int64),
        offsets=np.cumsum(np.concatenate([[0], *lengths])),
        tokens=encoded.dictionary,
    )


def _check_memory_of_pairs(texts: Texts, numbered: NumberedTexts, max_order: int) -> None:
    """Raise if the n-grams of the longest text need too much memory."""
    lengths = numbered.lengths()
    if max_order <= ORDERS_OF_ANY_TEXT or not len(lengths):
        return
    row = int(lengths.argmax())
    tokens = int(lengths[row])
    for name, column in texts.columns.items():
        if row < len(column):
            needed = _BYTES_PER_NGRAM * tokens * max_order
            check_memory(f"{name}[{row}]", needed, tokens=tokens, max_order=max_order)
            return
        row -= len(column)


def _split_texts(prepared: pa.Array, tokenizer: ChosenTokenizer) -> pa.LargeListArray:
    """Return prepared texts as lists of tokens or ids."""
    if is_list(prepared.type):
        return prepared
    if kernels.is_ready():
        return kernels.split_texts_compiled(prepared, tokenizer.name)
    return pa.array(list_tokens(prepared, tokenizer), TOKENS)


def sorted_order(keys: Int64) -> Int64:
    """Return the indices that stably sort non-negative integers.

    This is a radix sort of 16 bits at a time, because NumPy's stable sort of 16-bit integers is
    one, and its sort of 64-bit integers is not.

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


def first_in_text(ngrams: Int64, texts: Int64) -> Bools:
    """Return True for the first occurrence of each n-gram in each text.

    Occurrences are sorted by n-gram, then by text.

    >>> first_in_text(np.array([0, 0, 0, 1]), np.array([2, 2, 5, 5]))
    array([ True, False,  True,  True])
    """
    is_new_ngram = np.diff(ngrams, prepend=-1) != 0
    is_new_text = np.diff(texts, prepend=-1) != 0
    return is_new_ngram | is_new_text


def _number_occurrences(ngrams: Int64, texts: Int64) -> Int64:
    """Assign a number to each occurrence of n-grams, which are sorted by n-gram, then by text.

    The first occurrence in a text keeps the number of the n-gram; further occurrences get numbers
    above all n-grams.

    >>> _number_occurrences(np.array([0, 0, 0, 1]), np.array([2, 2, 5, 5]))
    array([0, 2, 0, 1])
    """
    # before: how often the n-gram occurred earlier in this text, 0 for its first occurrence.
    indices = np.arange(len(ngrams))
    index_of_first = np.maximum.accumulate(np.where(first_in_text(ngrams, texts), indices, 0))
    before = indices - index_of_first
    # Equal n-grams with equal `before` are the same occurrence in different texts.
    repeated = np.flatnonzero(before)
    keys = ngrams[repeated] * (int(before.max(initial=0)) + 1) + before[repeated]
    order = sorted_order(keys)
    numbers = ngrams.copy()
    numbers[repeated[order]] = ngrams.max(initial=-1) + 1 + number_runs(keys[order])
    return numbers
