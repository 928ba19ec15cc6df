"""Is this what was meant to be scored? `check`, and the look that other methods take unasked.

`bleu_mistakes` has the families of mistakes, each with its table. The look reads a sample of rows
whose size is constant, whatever the size of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import pyarrow as pa
from datasets.utils import tqdm

from .bleu_alignment import find_alignment
from .bleu_corpus import (
    STRINGS,
    TYPES,
    Batch,
    Bool,
    Corpus,
    InputType,
    Int64,
    Label,
    SystemName,
    find_offsets,
    group_labels,
    make_corpus,
    picklable,
)
from .bleu_inputs import (
    check_single_runs,
    read_corpora,
    read_corpus,
    read_documents,
    read_systems,
)
from .bleu_messages import Notice, count_things, show_value, warn
from .bleu_mistakes import (
    EMPTY,
    KINDS,
    MISTAKES,
    Found,
    Pairs,
    Side,
    Where,
    describe_alignment,
    find_mistakes,
    find_residues,
    find_unspaced,
)
from .bleu_options import Options, Origin, make_signature
from .bleu_report import Report, escape_unseen, write_name
from .bleu_results import Finding
from .bleu_scoring import bleu
from .bleu_statistics import (
    Counted,
    count_corpus,
    count_groups,
    split_by_tokenizer,
    sum_corpus,
)
from .bleu_tables import is_table
from .bleu_tokenizers import choose_tokenizer

# --- Texts ----------------------------------------------------------------------------------------

_BLANK_IN_TOKEN = "\ue000"  # of private use, for blanks within tokens, which are joined by blanks


def _write_text(value: Any, kind: InputType) -> str:
    """Return a text as str: tokens and ids are joined by blanks."""
    if kind == "text":
        return str(value)
    return " ".join(str(token).replace(" ", _BLANK_IN_TOKEN) for token in value)


def _read_text(text: str, kind: InputType) -> Any:
    """Return what `_write_text` has written."""
    if kind == "text":
        return text
    tokens = [token.replace(_BLANK_IN_TOKEN, " ") for token in text.split(" ") if token]
    return list(map(int, tokens)) if kind == "ids" else tokens


class _RowTexts(NamedTuple):
    """The predictions and the references of rows, as str."""

    predictions: list[str]
    references: list[list[str]]


def _list_texts(batch: Batch, rows: Int64, kind: InputType, most_references: int) -> _RowTexts:
    """Return some rows of a batch as str, with at most a given number of references each.

    The rows are distinct and ascend.
    """
    if len(rows) == len(batch.predictions):  # as in most calls of a few rows
        references = _list_reference_texts(batch, kind, most_references)
        return _RowTexts(_write_texts(batch.predictions, kind), references)
    starts = batch.bounds[rows]
    counts = np.minimum(batch.bounds[rows + 1] - starts, most_references)
    stops = np.cumsum(counts)
    indices = np.repeat(starts - stops + counts, counts) + np.arange(counts.sum())
    predictions = _write_texts(batch.predictions.take(rows), kind)
    flat = _write_texts(batch.references.take(indices), kind)
    ends = stops.tolist()
    references = [flat[end - count : end] for end, count in zip(ends, counts.tolist())]
    return _RowTexts(predictions, references)


def _write_texts(array: pa.Array, kind: InputType) -> list[str]:
    """Return texts as str, by NumPy, which takes a fifth of the time of `to_pylist`."""
    if kind == "text":
        texts: list[str] = array.to_numpy(zero_copy_only=False).tolist()
        return texts
    return [_write_text(tokens, kind) for tokens in array.to_pylist()]


def _list_reference_texts(
    batch: Batch, kind: InputType, most: int | None = None
) -> list[list[str]]:
    """Return the references of each row as str, with at most a given number each."""
    flat = _write_texts(batch.references, kind)
    return [flat[start:end][:most] for start, end in pairwise(batch.bounds.tolist())]


# --- The unasked look -----------------------------------------------------------------------------

_BLOCK_ROWS = 20  # neighbors that are looked at together
_MOST_BLOCKS = 8
_SAMPLE_BYTES = 160_000  # of rows, after which fewer of each block are looked at
_LONGEST_ROW = 20_000  # bytes of a row that is looked at
_REFERENCES_PER_ROW = 8  # of a row
_WINDOW_ROWS = 160  # around a place where rows cease to match
_LOW_RATIO = 0.3  # of the precision of bigrams in a block to that of the corpus
_LOW_PRECISION = 0.10  # of bigrams, below which predictions may fit no reference
_FEWEST_ALIGNED = 20
_LEAST_MOVED = 0.3  # of the rows of a window, where all rows fit badly


@picklable
class _Row(NamedTuple):
    """A row that is looked at: the number of its block, its row in the corpus, and its texts."""

    block: int
    number: int
    prediction: str
    references: list[str]


@picklable
class Look:
    """A look at texts without being asked, whose cost does not grow with their number.

    It keeps blocks of neighbors, evenly spread over the rows that were added: at most 320 rows of
    an evaluation, and 160 of a call.

    >>> look = Look()
    >>> look.add(read_corpus(["a cat </s>"] * 3, ["a cat"] * 3))
    >>> [found.kind for found in look.find(Options())]
    ['special_tokens']
    """

    def __init__(self) -> None:
        self.total = 0
        self._rows: list[_Row] = []
        self._stride = 1  # one block of each group of this size is kept
        self._kind: InputType = "text"
        self._empty_rows = 0
        self._first_empty = 0
        self._matches = 0
        self._bigrams = 0

    def add(self, corpus: Corpus, bigrams: Int64 | None = None) -> None:
        """Add the rows of a corpus.

        Args:
            corpus: the texts.
            bigrams: matches_2 and totals_2 of each segment, int64 [segments, 2], or without
                columns; None if they aren't known.
        """
        self._kind = corpus.kind
        size = len(corpus)
        if not self.total:  # often the only call: choose the stride at once
            self._stride = max(1, -(-size // (_BLOCK_ROWS * _MOST_BLOCKS)))
        for batch in corpus.batches:
            self._count_empty(batch)
            self._keep_blocks(batch)
            self.total += len(batch.predictions)
        if bigrams is not None and bigrams.shape[1]:
            matches, totals = bigrams.sum(axis=0).tolist()
            self._matches += matches
            self._bigrams += totals

    def _count_empty(self, batch: Batch) -> None:
        """Count predictions without any text; their offsets tell it."""
        if not len(batch.predictions):
            return
        is_empty: Bool = np.diff(find_offsets(batch.predictions)) == 0
        count = int(np.count_nonzero(is_empty))
        if count and not self._empty_rows:
            self._first_empty = int(batch.rows[int(is_empty.argmax())])
        self._empty_rows += count

    def _keep_blocks(self, batch: Batch) -> None:
        """Keep the rows of one block per stride."""
        size = len(batch.predictions)
        first_block = self.total // _BLOCK_ROWS
        last_block = (self.total + size - 1) // _BLOCK_ROWS
        first_block += -first_block % self._stride
        blocks = np.arange(first_block, last_block + 1, self._stride)
        rows = (blocks[:, None] * _BLOCK_ROWS + np.arange(_BLOCK_ROWS)).ravel() - self.total
        rows = rows[(rows >= 0) & (rows < size)]
        if len(rows):
            self._keep(batch, rows)
        while len(self._rows) > 2 * _MOST_BLOCKS * _BLOCK_ROWS:
            self._stride *= 2
            self._rows = [row for row in self._rows if row.block % self._stride == 0]

    def _keep(self, batch: Batch, rows: Int64) -> None:
        """Keep rows of a batch, those aside that are very long; of long ones, fewer."""
        sizes = _measure_rows(batch, rows, self._kind)
        kept = rows[sizes <= _LONGEST_ROW]
        size = int(sizes[sizes <= _LONGEST_ROW].sum())
        if size > _SAMPLE_BYTES:
            within = (self.total + kept) % _BLOCK_ROWS
            kept = kept[within < max(1, _BLOCK_ROWS * _SAMPLE_BYTES // size)]
        texts = _list_texts(batch, kept, self._kind, _REFERENCES_PER_ROW)
        blocks = ((self.total + kept) // _BLOCK_ROWS).tolist()
        numbers = [int(batch.rows[row]) for row in kept.tolist()]
        self._rows += map(_Row, blocks, numbers, texts.predictions, texts.references)

    def find(
        self,
        options: Options,
        *,
        are_alone: bool = False,
        may_be_unrelated: bool = True,
        total: int | None = None,
    ) -> list[Found]:
        """Return the mistakes that are worth a warning.

        Args:
            options: the options of the call.
            are_alone: True for predictions without references, or without their own.
            may_be_unrelated: False if texts that fit no reference are to be expected.
            total: the rows of the call; None for the rows that were added.
        """
        rows = self._rows
        if not rows:
            return []
        tokenizer = choose_tokenizer(options, self._kind)
        pairs = Pairs(
            [row.prediction for row in rows],
            [row.references for row in rows],
            numbers=[row.number for row in rows],
            total=self.total if total is None else total,
            is_asked=False,
            tokenizer=tokenizer.definition,
            tokenizer_name=tokenizer.name,
            ignores_case=options.lowercase,
            type_=self._kind,
            may_be_unrelated=may_be_unrelated and self._is_low(),
        )
        if are_alone:
            return [*find_residues(pairs), *find_unspaced(pairs)]
        found = [each for each in find_mistakes(pairs) if each.is_told and not each.is_question]
        return self._count_all_empty(found, pairs)

    def list_rows(self) -> list[_Row]:
        """Return the rows that are looked at, tokens and ids as text."""
        return self._rows

    def _is_low(self) -> bool:
        """Return True if hardly any bigram matches, or if none is known."""
        return not self._bigrams or self._matches < _LOW_PRECISION * self._bigrams

    def _count_all_empty(self, found: list[Found], pairs: Pairs) -> list[Found]:
        """Put the number of all empty predictions in the place of those in the sample."""
        if not self._empty_rows:
            return found  # blank predictions are those of the sample
        others = [each for each in found if (each.kind, each.where) != ("empty", "predictions")]
        if self._empty_rows < max(1, 0.005 * self.total) or self._empty_rows == self.total:
            return others  # a score of 0 has its own warning
        share = count_things(self._empty_rows, "row")
        says = (
            f"predictions[{self._first_empty}] is empty, like {share} of {self.total:,}; the"
            " references are not"
        )
        empty = Found(EMPTY, "predictions", [self._first_empty], says, self.total, self.total)
        has_references = any(map(any, pairs.references))
        return [*others, empty] if has_references else others


def _measure_rows(batch: Batch, rows: Int64, kind: InputType) -> Int64:
    """Return the bytes of some rows of a batch, with the references that are looked at."""
    offsets = find_offsets(batch.predictions)
    sizes = offsets[rows + 1] - offsets[rows]
    references = find_offsets(batch.references)
    starts = batch.bounds[rows]
    ends = np.minimum(batch.bounds[rows + 1], starts + _REFERENCES_PER_ROW)
    sizes = sizes + references[ends] - references[starts]
    return sizes if kind == "text" else 6 * sizes  # offsets count tokens, of a few bytes each


def find_moved(
    corpus: Corpus, bigrams: Int64, options: Options, *, is_batch: bool = False
) -> Found | None:
    """Return rows that moved, if the counts of bigrams show a place where rows cease to match.

    The place is where the precision of bigrams falls far below that of the corpus; only a window
    of rows around it is looked at.

    Args:
        corpus: the texts.
        bigrams: matches_2 and totals_2 of each segment: int64 [segments, 2].
        options: the options of the call.
        is_batch: True if the corpus is a batch of an evaluation, whose size is not known yet.
    """
    size, columns = bigrams.shape
    if size < 2 * _FEWEST_ALIGNED or not columns or corpus.kind == "ids":
        return None
    place = _find_low_block(bigrams)
    if place is None:
        return None
    start = max(0, min(place - _WINDOW_ROWS // 2, size - _WINDOW_ROWS))
    window = np.arange(start, min(size, start + _WINDOW_ROWS))
    (batch,) = corpus.take(window).batches
    texts = _list_texts(batch, np.arange(len(window)), corpus.kind, _REFERENCES_PER_ROW)
    if sum(map(len, texts.predictions)) > _SAMPLE_BYTES:
        return None
    alignment = find_alignment(texts.predictions, texts.references)
    if alignment is None:
        return None
    # A model that repeats a few texts fits single rows by chance.
    is_everywhere = place == 0 or alignment.kind == "reordered"
    if is_everywhere and len(alignment.rows) < _LEAST_MOVED * len(window):
        return None
    tokenizer = choose_tokenizer(options, corpus.kind)
    pairs = Pairs(
        texts.predictions,
        texts.references,
        numbers=[corpus.find_row(start) + offset for offset in range(len(window))],
        total=0 if is_batch else size,
        is_asked=False,
        tokenizer=tokenizer.definition,
    )
    return describe_alignment(pairs, alignment)


def _find_low_block(bigrams: Int64) -> int | None:
    """Return the first row of a block in which the precision of bigrams is far below the rest.

    >>> bigrams = np.full((60, 2), [8, 10])
    >>> bigrams[40:, 0] = 1
    >>> _find_low_block(bigrams)
    39
    """
    sums = np.zeros((len(bigrams) + 1, 2), np.int64)
    np.cumsum(bigrams, axis=0, out=sums[1:])
    matches, totals = sums[_BLOCK_ROWS:].T - sums[:-_BLOCK_ROWS].T
    all_matches, all_totals = sums[-1].tolist()
    if not all_totals:
        return None
    if all_matches < _LOW_PRECISION * all_totals:
        return 0
    # Multiplied out, because empty texts have no bigrams. A file whose rows mostly moved has a low
    # precision of its own: the best block counts.
    best = max(all_matches / all_totals, 0.5 * float((matches / np.maximum(totals, 1)).max()))
    is_low: Bool = (matches < _LOW_RATIO * best * totals) & (totals > 0)
    return int(is_low.argmax()) if is_low.any() else None


def _warn_of(found: Found, names: Mapping[Side, str] | None = None) -> None:
    """Issue the warning of a finding; `names` has the names of texts in messages."""
    says = found.says
    for side, name in (names or {}).items():
        says = says.replace(f"{side}[{found.rows[0]}]", name.format(row=found.rows[0]))
    options = {} if found.fix is None or found.fix.options is None else found.fix.options
    option, value = next(iter(options.items()), (None, None))
    notice = Notice(found.kind, "{says}", ". {advice}", option=option, value=value)
    warn(notice, says=says, advice=found.write_advice())


@picklable
class Looks:
    """Looks at the texts of a call or of an evaluation, one for each tokenizer.

    Args:
        options: the options of the call.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._looks: dict[str, tuple[Options, Look]] = {}

    def add(
        self, corpus: Corpus, bigrams: Int64 | None, labels: Sequence[Label] | None = None
    ) -> None:
        """Add the rows of a corpus; labels count if some have tokenizers of their own."""
        if labels is None or not self._options.tokenize_by:
            self._add_part(corpus, bigrams, self._options)
            return
        for part in split_by_tokenizer(group_labels(labels), self._options):
            own_bigrams = None if bigrams is None else bigrams[part.segments]
            self._add_part(corpus.take(part.segments), own_bigrams, part.options)

    def _add_part(self, corpus: Corpus, bigrams: Int64 | None, options: Options) -> None:
        _, look = self._looks.setdefault(str(options.tokenize), (options, Look()))
        look.add(corpus, bigrams)

    def make_sample(self) -> Corpus:
        """Return the rows that are looked at, without their numbers."""
        rows = [row for _, look in self._looks.values() for row in look.list_rows()]
        predictions = pa.array([row.prediction for row in rows], STRINGS)
        references = pa.array([text for row in rows for text in row.references], STRINGS)
        bounds = np.cumsum([0, *(len(row.references) for row in rows)])
        return make_corpus([(predictions, references, bounds)])

    def warn(
        self,
        names: Mapping[Side, str] | None = None,
        *,
        are_alone: bool = False,
        may_be_unrelated: bool = True,
    ) -> None:
        """Warn of each kind of mistake; arguments are those of `Look.find`, and names of texts."""
        told: set[str] = set()
        total = sum(look.total for _, look in self._looks.values())
        for options, look in self._looks.values():
            for found in look.find(
                options, are_alone=are_alone, may_be_unrelated=may_be_unrelated, total=total
            ):
                if found.kind not in told:
                    told.add(found.kind)
                    _warn_of(found, names)


def warn_about_texts(
    predictions: pa.ChunkedArray, options: Options, name: str = "predictions[{row}]"
) -> None:
    """Warn of mistakes in texts without references; `name` is their place in messages."""
    parts = [(piece, piece, np.arange(len(piece) + 1)) for piece in predictions.chunks]
    looks = Looks(options)
    looks.add(make_corpus(parts), None)
    looks.warn({"predictions": name}, are_alone=True)


def warn_if_moved(
    corpus: Corpus, bigrams: Int64, options: Options, *, is_batch: bool = False
) -> bool:
    """Warn of rows that moved, as `find_moved` finds them, and return True if they did."""
    moved = find_moved(corpus, bigrams, options, is_batch=is_batch)
    if moved is not None:
        _warn_of(moved)
    return moved is not None


def warn_about_corpus(
    corpus: Corpus,
    bigrams: Int64,
    options: Options,
    labels: Sequence[Label] | None = None,
    names: Mapping[Side, str] | None = None,
) -> None:
    """Warn of mistakes in texts.

    Args:
        corpus: the texts.
        bigrams: matches_2 and totals_2 of each segment: int64 [segments, 2].
        options: the options of the call.
        labels: one per segment, if labels have tokenizers of their own.
        names: the names of texts in messages.
    """
    have_moved = warn_if_moved(corpus, bigrams, options)
    looks = Looks(options)
    looks.add(corpus, bigrams, labels)
    looks.warn(names, are_alone=have_moved)  # the references of other rows prove little


def count_checked(
    corpus: Corpus,
    options: Options,
    labels: Sequence[Label] | None = None,
    documents: Sequence[Label] | None = None,
) -> Counted:
    """Count the segments of a corpus, as `count_groups` does, and warn of mistakes."""
    counted = count_groups(corpus, options, labels, documents)
    warn_about_corpus(corpus, counted.bigrams, options, labels)
    return counted


def sum_checked(corpus: Corpus, options: Options) -> Int64:
    """Return the sum of the rows of a corpus, int64 [2 N + 2], and warn of mistakes."""
    summed = sum_corpus(corpus, choose_tokenizer(options, corpus.kind), options)
    warn_about_corpus(corpus, summed.bigrams, options)
    return summed.row


# --- check ----------------------------------------------------------------------------------------


_ONLY = "predictions"  # the name of a system that is passed alone
_TABLES = (
    "predictions: check() looks at texts, got statistics. Pass the predictions and the references"
    " that they were counted from."
)
_LEAST_EFFECT = 0.1  # points; a fix that changes less has no effect
_DELETED_SHARE = 0.1  # of a text, from which on a finding says how many rows lose it


class _FoundIn(NamedTuple):
    """A finding, and the system in which it was found."""

    system: SystemName
    found: Found

    @property
    def changes_texts(self) -> bool:
        """True if the fix changes texts, not options."""
        return self.found.fix is not None and self.found.fix.options is None


class Repaired(NamedTuple):
    """Repaired texts: of each system, the references, and the rows of both that were kept."""

    predictions_of: dict[SystemName, list[Any]]
    references: list[list[Any]]
    kept: list[int]


@dataclass
class _Input:
    """The texts that were checked, and what was found in them.

    predictions_of: the predictions of each system, as str.
    references: the references of each row, as str.
    """

    predictions_of: dict[SystemName, list[str]]
    references: list[list[str]]
    kind: InputType
    has_lists: bool
    found: list[_FoundIn] = field(default_factory=list)

    def apply(self, chosen: Sequence[_FoundIn]) -> Repaired:
        """Return the texts after some fixes: first of texts, then of rows."""
        # 1. Edit texts. The references are shared, so that each step edits them once.
        predictions_of = {name: list(texts) for name, texts in self.predictions_of.items()}
        references = self.references
        kept_references = list(range(len(references)))
        pairing_of: dict[SystemName, Sequence[int]] = {}
        seen: set[tuple[str, str]] = set()
        for system, found in chosen:
            assert found.fix is not None
            for step in found.fix.steps:
                if step.side == "predictions":
                    texts = predictions_of[system]
                    for row in step.rows:
                        texts[row] = step.edit(texts[row])
                elif (found.kind, step.edit.code) not in seen:
                    references = list(references)
                    for row in step.rows:
                        edited = map(step.edit.list_texts, references[row])
                        references[row] = list(chain.from_iterable(edited))
            seen.update((found.kind, step.edit.code) for step in found.fix.steps)
            if found.fix.keeps is not None:
                keeps = found.fix.keeps
                references = [
                    [text for number, text in enumerate(row) if keeps(number, text)] or row
                    for row in references
                ]
            if found.fix.pairing is not None:
                pairing_of[system] = found.fix.pairing
        # 2. Keep the rows for which all systems have a prediction.
        kept = [
            row
            for row in kept_references
            if all(pairing[row] >= 0 for pairing in pairing_of.values())
        ]
        paired: dict[SystemName, list[Any]] = {}
        for name, texts in predictions_of.items():
            pairing = pairing_of.get(name)
            own_rows = kept if pairing is None else [pairing[row] for row in kept]
            paired[name] = [texts[row] for row in own_rows]
        return Repaired(paired, [references[row] for row in kept], kept)

    def read(self, repaired: Repaired) -> Repaired:
        """Return repaired texts as they were passed: str, tokens or ids."""
        if self.kind == "text":
            return repaired
        predictions_of: dict[SystemName, list[Any]] = {
            name: [_read_text(text, self.kind) for text in texts]
            for name, texts in repaired.predictions_of.items()
        }
        references = [[_read_text(text, self.kind) for text in row] for row in repaired.references]
        return Repaired(predictions_of, references, repaired.kept)

    def make_corpus(self, predictions: Sequence[str], references: Sequence[list[str]]) -> Corpus:
        """Return texts as a corpus."""
        type_ = TYPES[self.kind]
        flat = [_read_text(text, self.kind) for row in references for text in row]
        bounds = np.cumsum([0, *map(len, references)])
        texts = [_read_text(text, self.kind) for text in predictions]
        return make_corpus([(pa.array(texts, type_), pa.array(flat, type_), bounds)])


class Checked(Report):
    """The result of `check`: a dict that displays as a table."""

    _left_columns = 9
    _wide_columns = ("example", "what to write")
    _input: _Input | None = None  # what `fixed` changes; copies have only the keys

    if TYPE_CHECKING:
        # A subclass of dict cannot be a TypedDict. These types let mypy find a mistyped key.

        @overload  # type: ignore[override]
        def __getitem__(self, key: Literal["bleu", "score"]) -> float: ...
        @overload
        def __getitem__(self, key: Literal["segments"]) -> int: ...
        @overload
        def __getitem__(self, key: Literal["findings", "questions"]) -> list[Finding]: ...
        @overload
        def __getitem__(self, key: Literal["fine"]) -> list[str]: ...
        @overload
        def __getitem__(self, key: Literal["not_looked_for"]) -> dict[str, str]: ...
        @overload
        def __getitem__(self, key: Literal["signature"]) -> str: ...
        @overload
        def __getitem__(
            self, key: Literal["systems"]
        ) -> dict[SystemName, dict[Literal["bleu", "score"], float]]: ...
        def __getitem__(self, key: str) -> object: ...

    def fixed(self, *kinds: str) -> tuple[Any, list[Any]]:
        """Return the predictions and the references, repaired.

        A fix changes only the rows of its finding. Without kinds, it never removes a word that a
        reference of its row has, unless the text fits the reference better without it.

        Args:
            *kinds: the kinds to fix, questions among them. Without any, all findings are fixed
                whose fix does not change what the score means.

        Returns:
            The predictions as a list, or as a dict of lists by system; and the references, a list
            of lists, or of texts if each row has one.

        Raises:
            ValueError: a kind was not found, or is not fixed in the texts.

        >>> result = check_texts(["a cat</s>", "a dog"], ["a cat", "a dog"], None, Options())
        >>> result.fixed()
        (['a cat', 'a dog'], ['a cat', 'a dog'])
        """
        repaired = self.repair(*kinds)
        references: list[Any] = repaired.references
        has_one = all(len(row) == 1 for row in references)
        if self._input is not None and not self._input.has_lists and has_one:
            references = [row[0] for row in references]
        if "systems" in self:
            return repaired.predictions_of, references
        return repaired.predictions_of[_ONLY], references

    def repair(self, *kinds: str) -> Repaired:
        """Return what `fixed` returns, as lists by system, with the rows that were kept."""
        given = self._input
        if given is None:
            raise ValueError(
                "fixed: a copy of a result has no texts. Call it on what check() returned."
            )
        chosen = [
            each
            for each in given.found
            if each.changes_texts
            and not each.found.is_question
            and not each.found.mistake.changes_meaning
        ]
        if kinds:
            chosen = [each for kind in kinds for each in self._choose(given, kind)]
            chosen.sort(key=given.found.index)
        return given.read(given.apply(chosen))

    def list_found(self) -> list[tuple[SystemName, Found]]:
        """Return the findings with their rows and fixes, each with its system."""
        return (
            [] if self._input is None else [(system, found) for system, found in self._input.found]
        )

    def _choose(self, given: _Input, kind: str) -> list[_FoundIn]:
        """Return the findings of a kind that are fixed in the texts."""
        found = [each for each in given.found if each.found.kind == kind]
        if not found:
            names = ", ".join(dict.fromkeys(repr(each.found.kind) for each in given.found))
            raise ValueError(
                f"fixed: {show_value(kind)} was not found. The kinds found are: {names or 'none'}."
            )
        fixed = [each for each in found if each.changes_texts]
        if not fixed:
            described = [*self["findings"], *self["questions"]]
            first = next(finding for finding in described if finding["kind"] == kind)
            fix = f"Pass {first['fix']} to the call." if first["fix"] else first["says"]
            raise ValueError(f"fixed: {kind!r} is not fixed in the texts. {fix}")
        return fixed

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain data, which `json.dumps` takes."""
        return deepcopy(dict(self))

    def _title(self) -> str:
        count = len(self["findings"])
        findings = count_things(count, "finding") if count else "no findings"
        if self["questions"]:
            findings += f", {count_things(len(self['questions']), 'question')}"
        if "systems" in self:
            return f"{count_things(len(self['systems']), 'system')}: {findings}"
        return f"BLEU {self['score']:.2f}: {findings}"

    def _rows(self) -> list[list[str]]:
        has_systems = "systems" in self
        head = ["kind", "where", "rows", "first", "BLEU after", "example", "what to write"]
        if has_systems:
            head.insert(1, "system")
        rows = [head]
        for finding in [*self["findings"], *self["questions"]]:
            is_question = finding in self["questions"]
            row = [
                f"{finding['kind']}?" if is_question else finding["kind"],
                finding["where"],
                f"{finding['rows']:,} ({finding['share']:.1%})",
                f"{finding['first']:,}",
                _write_effect(finding),
                finding["example"],
                escape_unseen(finding["fix"] or finding["says"]),
            ]
            if has_systems:
                row.insert(1, write_name(finding["system"]) if "system" in finding else "all")
            rows.append(row)
        return rows

    def _note(self) -> str:
        notes = []
        if self["questions"]:
            notes.append("Kinds with a question mark may be meant; fixed() leaves them.")
        notes += self._list_deletions()
        fine = ", ".join(self["fine"])
        notes.append(f"Looked at {count_things(self['segments'], 'row')}; not found: {fine}.")
        if self["not_looked_for"]:
            reasons = [f"{kind} ({why})" for kind, why in self["not_looked_for"].items()]
            notes.append(f"Not looked for: {', '.join(reasons)}.")
        return " ".join(notes)

    def _list_deletions(self) -> Iterator[str]:
        """Yield a sentence per fix that deletes more than a tenth of a text."""
        for finding in self["findings"]:
            if "deletes" in finding:
                rows = count_things(finding["deletes"], "row")
                yield (
                    f"The fix of {finding['kind']} deletes more than a tenth of the text in {rows}."
                )

    def _records(self) -> list[dict[str, object]]:
        return [dict(finding) for finding in self["findings"]]


def _write_effect(finding: Finding) -> str:
    if finding["score"] is None or finding["delta"] is None:
        return ""
    return f"{finding['score']:.2f} ({100 * finding['delta']:+.2f})"


def check_texts(
    predictions: object, references: object, documents: object, options: Options
) -> Checked:
    """Look for all mistakes, and score the texts before and after each fix.

    >>> result = check_texts(["lo@@ w@@ er"] * 3, ["lower"] * 3, None, Options())
    >>> [(finding["kind"], finding["rows"]) for finding in result["findings"]]
    [('subwords', 3)]
    """
    # 1. Read the texts.
    is_several = isinstance(predictions, Mapping) or hasattr(predictions, "columns")
    systems: Mapping[SystemName, object] = {_ONLY: predictions}
    if is_several and not is_table(predictions):
        systems = read_systems(predictions, references)
        check_single_runs(systems, "check")
    if any(map(is_table, systems.values())):
        raise TypeError(_TABLES)
    if is_several:
        corpora = dict(read_corpora(systems, references))
    else:
        corpora = {_ONLY: read_corpus(predictions, references)}
    first_corpus = next(iter(corpora.values()))
    size = len(first_corpus)
    document_of = read_documents(documents, size)
    tokenizer = choose_tokenizer(options, first_corpus.kind)
    # 2. Look for mistakes in each system.
    given = _read_input(corpora, _has_lists(references, first_corpus))
    given.found = _find_all(given, options)
    # 3. Score as it is, and after each fix.
    rows_of = {name: count_corpus(corpus, tokenizer, options) for name, corpus in corpora.items()}
    score_of = _score_systems(rows_of, options)
    described = _describe_all(given, rows_of, score_of, options, document_of)
    for each, finding in zip(given.found, described):
        if is_several and each.found.where != "references":
            finding["system"] = each.system
    # 4. Put it together: alignment and equal texts first, then by effect, then by share.
    result = Checked()
    if is_several:
        result["systems"] = {
            name: {"bleu": score, "score": 100 * score} for name, score in score_of.items()
        }
    else:
        result["bleu"] = score_of[_ONLY]
        result["score"] = 100 * score_of[_ONLY]
    result["segments"] = size
    for key, is_question in (("findings", False), ("questions", True)):
        chosen = [
            finding
            for each, finding in zip(given.found, described)
            if each.found.is_question == is_question
        ]
        result[key] = sorted(chosen, key=_rank)
    kinds_found = {finding["kind"] for finding in described}
    not_looked_for = _list_skipped(given.kind, size)
    result["fine"] = [
        kind for kind in KINDS if kind not in kinds_found and kind not in not_looked_for
    ]
    result["not_looked_for"] = {
        kind: why for kind, why in not_looked_for.items() if kind not in kinds_found
    }
    origin = Origin(tokenizer.name, first_corpus.reference_count())
    result["signature"] = make_signature(options, origin)
    result._input = given
    return result


def _list_skipped(kind: InputType, size: int) -> dict[str, str]:
    """Return the kinds that were not looked for, and why."""
    skipped: dict[str, str] = {}
    for mistake in MISTAKES:
        if kind not in mistake.types:
            skipped.setdefault(mistake.kind, f"needs {' or '.join(mistake.types)}")
        elif size < mistake.fewest_rows:
            skipped.setdefault(mistake.kind, f"needs {mistake.fewest_rows} rows")
    for mistake in MISTAKES:  # several records may share a kind
        if kind in mistake.types and size >= mistake.fewest_rows:
            skipped.pop(mistake.kind, None)
    return skipped


def list_findings(corpus: Corpus, options: Options) -> list[Finding]:
    """Return what `check` finds in a corpus, in the order in which it is found.

    >>> corpus = read_corpus(["lo@@ w@@ er"] * 3, ["lower"] * 3)
    >>> (finding,) = list_findings(corpus, Options(max_order=1))
    >>> finding["kind"], finding["score"]
    ('subwords', 100.0)
    """
    tokenizer = choose_tokenizer(options, corpus.kind)
    given = _read_input({_ONLY: corpus}, has_lists=True)
    given.found = [each for each in _find_all(given, options) if not each.found.is_question]
    rows_of: Mapping[SystemName, Int64] = {_ONLY: count_corpus(corpus, tokenizer, options)}
    return _describe_all(given, rows_of, _score_systems(rows_of, options), options)


def _read_input(corpora: Mapping[SystemName, Corpus], has_lists: bool) -> _Input:
    """Return the texts of all systems, which have the same references."""
    first_corpus = next(iter(corpora.values()))
    predictions_of: dict[SystemName, list[str]] = {}
    for name, corpus in corpora.items():
        predictions_of[name] = list(
            chain.from_iterable(
                _write_texts(batch.predictions, corpus.kind) for batch in corpus.batches
            )
        )
    kind = first_corpus.kind
    references = [
        texts for batch in first_corpus.batches for texts in _list_reference_texts(batch, kind)
    ]
    return _Input(predictions_of, references, kind, has_lists)


def _has_lists(references: Any, corpus: Corpus) -> bool:
    """Return False for a column with one text per row, instead of lists of them."""
    if corpus.reference_count() != "1" or hasattr(references, "columns"):
        return True
    for first in references:
        plain = first.as_py() if hasattr(first, "as_py") else first
        if corpus.kind == "text":
            return not isinstance(plain, str)
        return not len(plain) or not isinstance(plain[0], (str, int, np.integer))
    return True


def _find_all(given: _Input, options: Options) -> list[_FoundIn]:
    """Look for mistakes in each system; what is in the references is reported once."""
    tokenizer = choose_tokenizer(options, given.kind)
    found: dict[tuple[str, Where, object], _FoundIn] = {}
    with tqdm(total=8 * len(given.predictions_of), desc="check", delay=2) as bar:
        for system, predictions in given.predictions_of.items():
            pairs = Pairs(
                predictions,
                given.references,
                tokenizer=tokenizer.definition,
                tokenizer_name=tokenizer.name,
                ignores_case=options.lowercase,
                type_=given.kind,
            )
            for each in find_mistakes(pairs, bar.update):
                owner = None if each.where == "references" else (system,)
                found.setdefault((each.kind, each.where, owner), _FoundIn(system, each))
    return list(found.values())


def _describe_all(
    given: _Input,
    rows_of: Mapping[SystemName, Int64],
    score_of: Mapping[SystemName, float],
    options: Options,
    document_of: Sequence[Label] | None = None,
) -> list[Finding]:
    """Describe what was found, with the score after each fix."""
    size = len(next(iter(rows_of.values())))
    findings = []
    for each in given.found:
        score = None
        before = score_of[each.system]
        if each.found.fix is not None:
            score = _score_fix(each, given, rows_of, options)
            if each.found.where == "references":
                before = float(np.mean(list(score_of.values())))
        finding = _build_finding(each.found, size, document_of, before, score)
        deletes = _count_deletions(each, given)
        if deletes:
            finding["deletes"] = deletes
        findings.append(finding)
    return findings


def _count_deletions(each: _FoundIn, given: _Input) -> int:
    """Return in how many rows a fix deletes more than a tenth of the prediction."""
    fix = each.found.fix
    if fix is None or each.found.mistake.changes_meaning:
        return 0
    texts = given.predictions_of[each.system]
    shortened: set[int] = set()
    for step in fix.steps:
        if step.side == "predictions":
            shortened.update(
                row
                for row in step.rows
                if len(step.edit(texts[row])) < (1 - _DELETED_SHARE) * len(texts[row])
            )
    return len(shortened)


def _score_systems(
    rows_of: Mapping[SystemName, Int64], options: Options
) -> dict[SystemName, float]:
    return {name: float(bleu(rows.sum(axis=0), options)) for name, rows in rows_of.items()}


def _score_fix(
    each: _FoundIn, given: _Input, rows_of: Mapping[SystemName, Int64], options: Options
) -> float:
    """Return BLEU after a fix: of the system, or the mean of all if the references change.

    Rows of statistics add up, so only texts that a fix changes are counted again. A fix that
    another one uncovers follows that one.
    """
    fix = each.found.fix
    assert fix is not None
    if fix.options is not None:
        options = options.override(dict(fix.options))
    tokenizer = choose_tokenizer(options, given.kind)
    needed = [*_list_uncovering(each, given), each]
    fixed = given.apply([one for one in needed if one.changes_texts])
    names = list(given.predictions_of) if each.found.where == "references" else [each.system]
    scores = []
    for name in names:
        predictions = fixed.predictions_of[name]
        references = fixed.references
        total = np.zeros(options.layout.width, np.int64)
        if fix.options is None and len(fixed.kept) == len(rows_of[name]):
            before = zip(given.predictions_of[name], given.references)
            changed = [
                row
                for row, (texts, old) in enumerate(zip(zip(predictions, references), before))
                if texts != old
            ]
            rows = rows_of[name]
            total = rows.sum(axis=0) - rows[changed].sum(axis=0)
            predictions = [predictions[row] for row in changed]
            references = [references[row] for row in changed]
        if predictions:
            corpus = given.make_corpus(predictions, references)
            total = total + sum_corpus(corpus, tokenizer, options).row
        scores.append(float(bleu(total, options)))
    return float(np.mean(scores))


def _list_uncovering(each: _FoundIn, given: _Input) -> list[_FoundIn]:
    """Return the earlier findings whose fixes uncover a finding."""
    fix = each.found.fix
    assert fix is not None
    if not fix.steps:
        return []
    alone = given.apply([each])
    is_changed = (
        alone.predictions_of[each.system] != given.predictions_of[each.system]
        or alone.references != given.references
    )
    if is_changed:
        return []
    place = given.found.index(each)
    return [
        one
        for one in given.found[:place]
        if one.changes_texts and one.system == each.system and not one.found.is_question
    ]


def _build_finding(
    found: Found,
    size: int,
    document_of: Sequence[Label] | None,
    before: float,
    score: float | None,
) -> Finding:
    """Return a finding in plain data."""
    fix = found.code if found.fix is not None else None
    advice = found.mistake.advice
    says = f"{found.says}. {advice}." if advice else f"{found.says}."
    finding: Finding = {
        "kind": found.kind,
        "where": found.where,
        "rows": len(found.rows),
        "share": len(found.rows) / size,
        "first": int(found.rows[0]),
        "example": escape_unseen(found.example),
        "says": says,
        "fix": fix,
        "score": None if score is None else 100 * score,
        "delta": None if score is None else score - before,
    }
    if document_of is not None:
        finding["documents"] = len({document_of[row] for row in found.rows})
    return finding


def _rank(finding: Finding) -> tuple[int, float]:
    """Return the key by which findings are sorted."""
    if finding["kind"] in ("shifted", "reordered", "identical"):
        return 0, 0.0
    delta = finding["delta"]
    if delta is None:
        return 2, -finding["share"]
    has_effect = 100 * abs(delta) >= _LEAST_EFFECT
    return (1 if has_effect else 3), -abs(delta)
