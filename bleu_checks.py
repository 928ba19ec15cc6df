"""Is this what was meant to be scored? Kinds of input that mislead, one record per kind.

A kind is counted in texts, as a `Tally`. Tallies add up, so that a kind is judged over a whole
call: over the parts of a corpus with tokenizers of their own, or the batches of an evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_messages as messages
from .bleu_corpus import (
    Corpus,
    Int64,
    Label,
    find_offsets,
    group_labels,
    pieces,
    portable,
    spread_rows,
)
from .bleu_messages import Notice, describe_share, warn
from .bleu_options import Options
from .bleu_statistics import Counted, count_groups, split_by_tokenizer
from .bleu_tokenizers import ChosenTokenizer, Tokenizer, choose_tokenizer

_DETACHED_PERIODS = 100  # predictions that end in " ."; sacreBLEU's threshold is the same
_SAMPLE_ROWS = 1000  # predictions, evenly spread, in which characters are looked at
_UNSPACED_SHARE = 0.1  # of the characters in the sample

# Text that language models leave in predictions: tags around reasoning, and the tokens that chat
# templates put between turns. `_LEFTOVER_STARTS` has their first bytes, and those that follow.
LEFTOVER = r"</?think>|<\|[A-Za-z][0-9A-Za-z_-]*\|>|\[/?INST\]|<(?:start|end)_of_turn>"
_LEFTOVER_STARTS = {b"<": b"/|tes", b"[": b"/I"}
_MOST_BRACKETS = 1000
_NO_ROWS: Int64 = np.empty(0, np.int64)

# Thai, Lao, Burmese, Khmer, Kana, and Han: scripts written without spaces between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)


# --- Records --------------------------------------------------------------------------------------


class Texts(NamedTuple):
    """The predictions that a kind is counted in, and a sample of them as one str.

    rows: all predictions, if there are few; calls of Arrow take longer for them. Else None.
    """

    predictions: pa.ChunkedArray
    sample: str
    rows: list[str] | None


@portable
class Tally(NamedTuple):
    """A count of a kind: `found` of `total` predictions or characters.

    row, example: the first prediction in which it was found, and what was found.

    >>> Tally(0, 60) + Tally(2, 40, row=70, example="<think>")
    Tally(found=2, total=100, row=70, example='<think>')
    """

    found: int
    total: int
    row: int = 0
    example: str = ""

    def __add__(self, other: object) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        first = self if self.found else other
        return Tally(self.found + other.found, self.total + other.total, first.row, first.example)


class Check(NamedTuple):
    """A kind of input that misleads.

    find: the function that counts the kind in texts. The row of its tally is an index in them.
    applies: True for a tokenizer under which the kind misleads.
    misleads: True for a tally that is large enough.
    notice: the warning.
    """

    find: Callable[[Texts], Tally]
    applies: Callable[[Tokenizer], bool]
    misleads: Callable[[Tally], bool]
    notice: Notice


# --- Kinds ----------------------------------------------------------------------------------------


def _count_detached_periods(texts: Texts) -> Tally:
    """Count the predictions that end in a period of its own."""
    if texts.rows is not None:
        return Tally(sum(text.endswith(" .") for text in texts.rows), len(texts.rows))
    detached = 0
    for piece in pieces(texts.predictions):
        detached += pc.sum(pc.ends_with(piece, " .")).as_py() or 0  # None for an empty piece
    return Tally(detached, len(texts.predictions))


def _count_unspaced(texts: Texts) -> Tally:
    """Count the characters of a sample that belong to scripts written without spaces."""
    unspaced = 0 if texts.sample.isascii() else count_unspaced(texts.sample)
    return Tally(unspaced, len(texts.sample))


def _count_leftovers(texts: Texts) -> Tally:
    """Count the predictions with reasoning or chat tokens of a language model."""
    size = len(texts.predictions)
    if texts.rows is not None and "<" not in texts.sample and "[" not in texts.sample:
        return Tally(0, size)
    tally = Tally(0, 0)
    first_row = 0
    for piece in texts.predictions.chunks:
        rows = _find_leftovers(piece)
        found = Tally(len(rows), len(piece))
        if len(rows):
            row = int(rows[0])
            match = re.search(LEFTOVER, piece[row].as_py())
            found = found._replace(row=first_row + row, example=match[0] if match else "")
        tally += found
        first_row += len(piece)
    return tally


def _find_leftovers(texts: pa.Array) -> Int64:
    """Return the rows of an array with reasoning or chat tokens of a language model.

    The regular expression reads all texts only if brackets are frequent: it takes a sixth of the
    time of `compute`, and finding the brackets a hundredth.
    """
    # 1. Find the places with the first two bytes of a leftover.
    offsets = find_offsets(texts)
    start = int(offsets[0])
    size = int(offsets[-1]) - start
    if not size:
        return _NO_ROWS
    data = texts.buffers()[2].slice(start, size).to_pybytes()
    places: list[int] = []
    brackets = 0
    for bracket, following in _LEFTOVER_STARTS.items():
        place = data.find(bracket)
        while place >= 0 and brackets < _MOST_BRACKETS:
            brackets += 1
            if data[place + 1 : place + 2] in following:
                places.append(start + place)
            place = data.find(bracket, place + 1)
    # 2. Search their texts.
    if brackets == _MOST_BRACKETS:
        return np.flatnonzero(pc.match_substring_regex(texts, LEFTOVER))
    if not places:
        return _NO_ROWS
    rows = np.unique(np.searchsorted(offsets, places, side="right") - 1)
    return rows[np.asarray(pc.match_substring_regex(texts.take(pa.array(rows)), LEFTOVER))]


def count_unspaced(text: str) -> int:
    """Count the characters that belong to scripts written without spaces between words.

    >>> count_unspaced("a b c 是是")
    2
    """
    return sum(len(run) for run in _UNSPACED.findall(text))


CHECKS: dict[str, Check] = {
    "leftovers": Check(
        _count_leftovers,
        applies=lambda tokenizer: True,
        misleads=lambda tally: tally.found > 0,
        notice=messages.LEFTOVERS,
    ),
    "tokenized": Check(
        _count_detached_periods,
        applies=lambda tokenizer: tokenizer.expects_raw_text,
        misleads=lambda tally: tally.found >= _DETACHED_PERIODS,
        notice=messages.LOOKS_TOKENIZED,
    ),
    "unspaced": Check(
        _count_unspaced,
        applies=lambda tokenizer: not tokenizer.splits_unspaced,
        misleads=lambda tally: tally.found / tally.total > _UNSPACED_SHARE,
        notice=messages.UNSPACED,
    ),
}


# --- Looking, and counting ------------------------------------------------------------------------


@portable
class Looked:
    """What was found in the predictions of a call, or in those of an evaluation batch by batch.

    >>> looked = Looked()
    >>> texts = pa.chunked_array([["a <think>"]], pa.large_string())
    >>> looked.look(texts, choose_tokenizer(Options(), "text"))
    >>> looked.tallies["leftovers"]
    Tally(found=1, total=1, row=0, example='<think>')
    """

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = {}
        self._tokenizer_names: dict[str, str] = {}  # the first one of each kind

    def look(
        self,
        predictions: pa.ChunkedArray,
        tokenizer: ChosenTokenizer,
        row_of: Callable[[int], int] = int,
    ) -> None:
        """Count all kinds that mislead under the tokenizer of these predictions.

        Args:
            predictions: texts; lists of tokens and ids are not looked at.
            tokenizer: the tokenizer of all of them.
            row_of: the function from an index in `predictions` to the row of the caller.
        """
        if tokenizer.definition is None:  # tokens and ids
            return
        rows = spread_rows(predictions, _SAMPLE_ROWS).to_pylist()
        is_whole = len(rows) == len(predictions)
        texts = Texts(predictions, "".join(rows), rows if is_whole else None)
        for kind, check in CHECKS.items():
            if not check.applies(tokenizer.definition):
                continue
            tally = check.find(texts)
            if tally.found:
                tally = tally._replace(row=row_of(tally.row))
                self._tokenizer_names.setdefault(kind, tokenizer.name)
            before = self.tallies.get(kind)
            self.tallies[kind] = tally if before is None else before + tally

    def look_at_corpus(
        self, corpus: Corpus, options: Options, labels: Sequence[Label] | None = None
    ) -> None:
        """Look at the predictions of a corpus, those of each label under its own tokenizer."""
        if labels is None or not options.tokenize_by:
            tokenizer = choose_tokenizer(options, corpus.kind)
            self.look(corpus.predictions, tokenizer, corpus.find_row)
            return
        for part in split_by_tokenizer(group_labels(labels), options):
            tokenizer = choose_tokenizer(part.options, corpus.kind)
            texts = corpus.take(part.segments)
            self.look(texts.predictions, tokenizer, texts.find_row)

    def warn(self, name: str = "predictions[{row}]") -> None:
        """Warn of each kind that misleads; `name` is the place of a prediction in messages."""
        for kind, tally in self.tallies.items():
            check = CHECKS[kind]
            if tally.found and check.misleads(tally):
                warn(
                    check.notice,
                    place=name.format(row=tally.row),
                    found=tally.example,
                    count=tally.found,
                    share=describe_share(tally.found, tally.total, "prediction"),
                    percent=tally.found / tally.total,
                    tokenizer=self._tokenizer_names[kind],
                )


def warn_about_texts(
    predictions: pa.ChunkedArray, tokenizer: ChosenTokenizer, name: str = "predictions[{row}]"
) -> None:
    """Warn of predictions that mislead under a tokenizer; `name` is their place in messages."""
    looked = Looked()
    looked.look(predictions, tokenizer)
    looked.warn(name)


def count_checked(
    corpus: Corpus,
    options: Options,
    labels: Sequence[Label] | None = None,
    documents: Sequence[Label] | None = None,
) -> Counted:
    """Count the segments of a corpus, as `count_groups` does, and warn of what misleads."""
    looked = Looked()
    looked.look_at_corpus(corpus, options, labels)
    counted = count_groups(corpus, options, labels, documents)
    looked.warn()
    return counted
