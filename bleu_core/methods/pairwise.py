"""Texts against each other: `pairwise` and `self_bleu`, by numbers of tokens and n-grams.

`score_pairs` and `measure_self_bleu` are called by the class. `rows/ngrams.py` says how numbers
count matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..check.look import look_at
from ..options.options import Options
from ..options.signature import Origin, make_signature, same_or_var
from ..results.report import Report
from ..results.wording import ResultDict, passing, write_label, write_score
from ..rows.compiling import compile_if_worthwhile
from ..rows.kernels import count_common
from ..rows.ngrams import NumberedNGrams, NumberedTexts, number_texts, sorted_order
from ..rules.chosen_tokenizer import ChosenTokenizer, choose_tokenizer
from ..rules.counting import ORDERS_OF_ANY_TEXT, REFERENCE_LENGTHS, check_memory, count_totals
from ..rules.scores import bleu
from ..shared.arrays import Float64, Int64, Label
from ..shared.messages import EXPECTED_TEXT, count_things, show_value
from ..shared.result_types import SelfBleuScores
from ..text.columns import read_column
from ..text.corpus import Texts, make_corpus
from ..text.labels import group_labels, number_labels, read_labels
from ..text.read import read_texts, warn_if_reordered

_PAIRS_PER_BATCH = 1 << 13  # their rows fit the CPU cache
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
    _look_at_texts(predictions, options, "predictions[{row}]")
    # 1. Number the n-grams of all texts, and look up which references have them. Counting a pair
    #    then takes one step per common n-gram.
    numbered = number_texts(texts, choose_tokenizer(options, texts.kind))
    _check_memory_of_pairs(texts, numbered, options.counted_orders)
    compile_if_worthwhile(predictions.nbytes * len(references))  # grows with the pairs
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
        for matches, (of_prediction, ngrams, begins, of_ngram) in zip(
            rows[layout.matches], indexes
        ):
            batch = slice(*np.searchsorted(of_prediction, [start, end]))
            count_common(of_prediction[batch] - start, ngrams[batch], begins, of_ngram, matches)
        # 3. Complete the rows and score them.
        batch_lengths = lengths[start:end, np.newaxis]
        rows[layout.totals] = count_totals(
            batch_lengths, options.counted_orders, options.minimum_total
        )
        rows[layout.length] = batch_lengths
        rows[layout.reference_length] = lengths[first_reference:]
        flat_rows = rows.reshape(layout.width, -1).T
        scores[start:end] = bleu(flat_rows, options.for_segments()).reshape(shape)
    return scores


def _index_ngrams(
    ngrams: NumberedNGrams, prediction_count: int, first_reference: int
) -> tuple[Int64, Int64, Int64, Int64]:
    """Index the n-grams of one order, as `count_common` takes them.

    The first `prediction_count` texts are predictions; the texts from `first_reference` on are
    references. A text may be both.

    Returns:
        The prediction and the number of each n-gram, sorted by prediction; the offsets of each
        number in the last array, and its end; the references that have an n-gram, sorted by its
        number.
    """
    in_predictions = np.flatnonzero(ngrams.texts < prediction_count)
    by_prediction = in_predictions[sorted_order(ngrams.texts[in_predictions])]
    in_references = np.flatnonzero(ngrams.texts >= first_reference)
    by_number = in_references[sorted_order(ngrams.numbers[in_references])]
    distinct = ngrams.numbers.max(initial=-1) + 1
    ends = np.cumsum(np.bincount(ngrams.numbers[by_number], minlength=distinct))
    return (
        ngrams.texts[by_prediction],
        ngrams.numbers[by_prediction],
        np.concatenate([[0], ends]),
        ngrams.texts[by_number] - first_reference,
    )


# --- self_bleu ------------------------------------------------------------------------------------


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
        warn_if_reordered({"texts": texts}, by=by)
        labels = read_labels(by)
        if labels is not None and len(labels) != len(column):
            raise ValueError(
                f"by: got {count_things(len(labels), 'label')} for"
                f" {count_things(len(column), 'text')}. Pass one label per text."
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
    _look_at_texts(column, options, "texts[{row}]")
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
    return SelfBleu(_describe_scores(scores, Origin(tokenizer.name, str(len(references))), options))


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
    _look_at_texts(column, options, "texts[{row}]")
    scores = _score_others(texts, tokenizer, group_of, options)
    described = _describe_scores(scores, Origin(tokenizer.name, nrefs), options)
    if labels is None:
        return SelfBleu(described)
    groups: dict[Label, SelfBleuScores] = {}
    for label, of_label in texts_of.items():
        groups[label] = _describe_scores(
            scores[of_label], Origin(tokenizer.name, str(len(of_label) - 1)), options
        )
    described["self_bleu"] = float(np.mean([group["self_bleu"] for group in groups.values()]))
    return SelfBleu(described, groups=groups)


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
            other_lengths = np.delete(distinct, i) if texts_of_length[i] == 1 else distinct
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
    return bleu(np.vstack([matches, totals, lengths, reference_lengths]).T, options.for_segments())


def _describe_scores(scores: Float64, origin: Origin, options: Options) -> SelfBleuScores:
    return {
        "self_bleu": float(scores.mean()),
        "segment_bleu": scores.tolist(),
        "signature": make_signature(options.for_segments(), origin, has_segment_scores=True),
    }


# --- Both -----------------------------------------------------------------------------------------


def _look_at_texts(texts: pa.ChunkedArray, options: Options, name: str) -> None:
    """Warn of mistakes in texts that have no references of their own."""
    parts = [(piece, piece, np.arange(len(piece) + 1)) for piece in texts.chunks]
    look_at(make_corpus(parts), None, options, name)


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


# --- The result of self_bleu ----------------------------------------------------------------------

_AVERAGE = "mean of the groups"  # the last row of the table


class SelfBleu(Report):
    """The result of `self_bleu`: a dict that displays as a table."""

    _absent: ClassVar = {"groups": passing("by=labels")}

    def _rows(self) -> list[list[str]]:
        head = ["texts", "self-BLEU", "lowest", "median", "highest"]
        if "groups" not in self:
            return [head, _describe_texts(self)]
        rows = [
            [write_label(label, (_AVERAGE,)), *_describe_texts(scores)]
            for label, scores in self["groups"].items()
        ]
        return [["group", *head], *rows, [], [_AVERAGE, *_describe_texts(self)]]

    def _records(self) -> list[dict[str, Any]]:
        if "groups" not in self:
            return [{"text": i, "bleu": score} for i, score in enumerate(self["segment_bleu"])]
        return [
            {
                "group": label,
                "texts": len(scores["segment_bleu"]),
                "self_bleu": scores["self_bleu"],
            }
            for label, scores in self["groups"].items()
        ]


def _describe_texts(scores: ResultDict) -> list[str]:
    written = map(write_score, np.quantile(scores["segment_bleu"], [0, 0.5, 1]))
    return [f"{len(scores['segment_bleu']):,}", write_score(scores["self_bleu"]), *written]
