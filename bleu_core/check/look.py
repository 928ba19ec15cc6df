"""The look that `compute` and other methods take at texts without being asked.

It takes rows, not calls: `Watch` collects the rows of small calls, `Look.add` keeps a sample of
them, and `Look.find` reads 64. No text is read unless the bytes of both sides differ.

Every method that reads texts calls `look_at`, or the `Watch` of its object for small calls; the
trainer adds batches to a `Look`.
"""

from __future__ import annotations

import re
import time
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise

import numpy as np
import pyarrow as pa

from ..options.options import OPTIONS, Options
from ..rows.statistics import sum_corpus
from ..rules.chosen_tokenizer import choose_tokenizer
from ..rules.scores import bleu
from ..rules.tokenizers import TOKENIZERS
from ..shared.arrays import Float64, InputType, Int64, find_offsets, is_list, list_items
from ..shared.messages import Notice, count_things, warn
from ..shared.pickling import picklable
from ..text.corpus import Batch, Corpus, make_corpus
from .checks import find_mistakes, make_text_corpus, write_texts
from .pairs import Found, Pairs

_BLOCK_ROWS = 32  # neighbors whose bytes are counted together
_BLOCKS = 8  # of a call
_ROWS = 64  # that are read
_LONGEST_READ = 2_000  # characters of a text
# Kinds of mistakes of the rows as a whole, of which a few rows are the evidence.
_OF_ALL_ROWS = ("moved", "unrelated", "writing", "normalization", "spaces", "length")


def look_at(
    corpus: Corpus, bigrams: Int64 | None, options: Options, name: str = "predictions[{row}]"
) -> None:
    """Look at the texts of a call, and warn of mistakes.

    Args:
        corpus, bigrams: as for `Look.add`.
        options: the options of the call.
        name: as for `Look.warn`.
    """
    look = Look(options)
    look.add(corpus, bigrams)
    look.warn(name)


@picklable
class Look:
    """A sample of the rows of one or several calls.

    Args:
        options: the options of the calls.
        calls: the number of rows of each call, if they are the rows of several ones.

    >>> look = Look(Options())
    >>> look.add(make_text_corpus(["a cat</s>"], ["a cat"], np.arange(2), "text"))
    >>> [found.kind for found in look.find()]
    ['special_tokens']
    """

    def __init__(self, options: Options, calls: Sequence[int] = ()) -> None:
        self._calls = calls
        self._options = options
        if options.tokenize_by is not None:  # labels are not known: one that fits all texts
            self._options = replace(options, tokenize="char", tokenize_by=None)
        self._kind: InputType = "text"
        self._batches: list[Batch] = []
        self._low: Batch | None = None  # neighbors with a low precision
        self._lowest = 1.0
        self._is_equal = False  # nearly all bigrams match
        self._rows = 0
        self._empty: list[int] = []

    def add(self, corpus: Corpus, bigrams: Int64 | None = None) -> None:
        """Add the rows of a corpus.

        Args:
            corpus: the texts.
            bigrams: matches_2 and totals_2 of each segment, int64 [segments, 2]; None, or without
                columns, if they are not known.
        """
        self._kind = corpus.kind
        size = len(corpus)
        first = 0
        for batch in corpus.batches:
            rows = len(batch.predictions)
            if size <= _BLOCK_ROWS * _BLOCKS:
                self._batches.append(batch)
            else:
                starts = [number * size // _BLOCKS - first for number in range(_BLOCKS)]
                self._batches += [
                    batch.slice(start, _BLOCK_ROWS) for start in starts if 0 <= start < rows
                ]
            if bigrams is not None and bigrams.shape[1] and rows >= 12:
                self._find_low(batch, bigrams[first : first + rows])
            is_empty = np.diff(find_offsets(batch.predictions)) == 0
            if is_empty.any():
                self._empty += map(batch.row_of_prediction, np.flatnonzero(is_empty).tolist())
            first += rows
        self._rows += size
        while len(self._batches) > 64:
            self._batches = self._batches[::2]

    def _find_low(self, batch: Batch, bigrams: Int64) -> None:
        """Keep the neighbors with the lowest precision of bigrams, if they may belong elsewhere."""
        width = min(len(bigrams), 32)
        sums = np.zeros((len(bigrams) + 1, 2), np.int64)
        np.cumsum(bigrams, axis=0, out=sums[1:])
        matches, totals = (sums[width:] - sums[:-width]).T
        precisions = np.where(totals > 0, matches / np.maximum(1, totals), 1.0)
        precision = sums[-1, 0] / max(1, sums[-1, 1])
        low = int(precisions.argmin())
        self._is_equal |= bool(precision > 0.9)
        if precisions[low] < min(max(0.1, 0.3 * precision), self._lowest):
            self._lowest = float(precisions[low])
            start = min(low - (_ROWS - width) // 2, len(bigrams) - _ROWS)
            self._low = batch.slice(max(0, start), _ROWS)

    def sample(self) -> Corpus:
        """Return the rows that were kept."""
        return make_corpus(
            [(batch.predictions, batch.references, batch.bounds) for batch in self._batches]
        )

    def find(self, *, may_be_unrelated: bool = True) -> list[Found]:
        """Return the mistakes that are worth a warning.

        Args:
            may_be_unrelated: False if texts that fit no reference are to be expected.
        """
        tokenize = self._options.tokenize
        native = TOKENIZERS.get(tokenize) if isinstance(tokenize, str) else None
        splits = native is None or native.splits_unspaced or self._kind != "text"
        is_read = self._low is not None or self._is_equal or self._kind == "ids"
        if not is_read and not stands_out(self._batches, splits_unspaced=splits):
            return []
        # 1. Read 64 rows: neighbors with a low precision, or groups of neighbors.
        predictions: list[str] = []
        references: list[str] = []
        bounds = [0]
        numbers: list[int] = []
        for batch in _thin_out(self._batches) if self._low is None else [self._low]:
            texts = write_texts(batch.predictions, self._kind)
            predictions += [text[:_LONGEST_READ] for text in texts]
            theirs = write_texts(batch.references, self._kind)
            for start, end in pairwise(batch.bounds.tolist()):
                references += [text[:_LONGEST_READ] for text in theirs[start : min(end, start + 4)]]
                bounds.append(len(references))
            numbers += map(batch.row_of_prediction, range(len(texts)))
        pairs = Pairs(
            predictions,
            references,
            bounds,
            self._options,
            kind=self._kind,
            names=list(map(self._name, numbers)),
            is_asked=False,
        )
        # 2. Tell what is frequent, and ways of writing that cost three points.
        found: list[Found] = []
        for each in find_mistakes(pairs, may_have_moved=self._low is not None):
            is_frequent = each.kind in _OF_ALL_ROWS or len(each.rows) >= 0.03 * len(numbers)
            is_known = (
                (each.kind == "unrelated" and not may_be_unrelated)
                or (each.kind == "identical" and not self._is_equal)
                or (
                    references == predictions
                    and each.side == "references"
                    and each.kind != "spaces"
                )
                or (
                    "tokenize=" in each.fix
                    and _share_unspaced(self._batches) < (0.1 if "by=" in each.fix else 0.2)
                )
                or (each.kind == "empty" and each.side == "predictions" and self._empty)
            )
            if each.is_told and is_frequent and not is_known:
                found += self._score_writing(each, predictions, references, np.array(bounds))
        return found

    def _name(self, row: int) -> str:
        """Return the template of a row's name, as its call numbers it.

        >>> Look(Options(), [2, 3, 1])._name(3)
        '{side}[1]{reference} (1 call ago)'
        """
        ago = ""
        for call, size in enumerate(self._calls, 1):
            if row < size:
                calls = count_things(len(self._calls) - call, "call")
                ago = "" if call == len(self._calls) else f" ({calls} ago)"
                break
            row -= size
        return f"{{side}}[{row}]{{reference}}{ago}"

    def _score_writing(
        self, found: Found, predictions: list[str], references: list[str], bounds: Int64
    ) -> Iterator[Found]:
        """Yield a finding; a way of writing with both scores, if it costs three points."""
        if found.alike is None:
            yield found
            return
        tokenizer = choose_tokenizer(self._options, "text")
        before, after = (
            100 * float(bleu(sum_corpus(corpus, tokenizer, self._options).row, self._options))
            for corpus in (
                make_text_corpus(map(write, predictions), map(write, references), bounds, "text")
                for write in (str, found.alike)
            )
        )
        if after - before >= 3:
            says = f": BLEU is {before:.1f} in the rows looked at, and {after:.1f} if written alike"
            yield replace(found, says=found.says + says)

    def warn(
        self,
        name: str = "predictions[{row}]",
        told: dict[str, float] | None = None,
        *,
        may_be_unrelated: bool = True,
    ) -> None:
        """Warn of each mistake, unless it was told before.

        Args:
            name: the template of a prediction's name in messages.
            told: the share of the rows that had a mistake when it was told, by kind and side. It is
                told again when its share has grown tenfold. The dict is updated.
            may_be_unrelated: as for `find`.
        """
        told = {} if told is None else told
        of_calls = " (of the last calls)" if len(self._calls) > 1 else ""
        count = len(self._empty)
        if max(1, 0.005 * self._rows) <= count < self._rows:
            first = self._name(self._empty[0]).format(side="predictions", reference="")
            says = (
                f"{first} is empty, like {count_things(count, 'row')} of {self._rows:,}{of_calls}"
            )
            if _is_new(told, "empty predictions", count / self._rows):
                warn(Notice("empty", says, ". Look at these rows"))
        for found in self.find(may_be_unrelated=may_be_unrelated) if self._rows else ():
            share = len(found.rows) / min(_ROWS, self._rows)
            if not _is_new(told, f"{found.kind} {found.side}", share):
                continue
            option, _, value = found.fix.partition("=")
            notice = Notice(found.kind, "{says}", ". Write: {fix}")
            if option in OPTIONS:
                notice = notice._replace(option=option, value=literal_eval(value))
            says = re.sub(r"^predictions\[(\d+)\]", lambda row: name.format(row=row[1]), found.says)
            warn(notice, says=f"{says}{of_calls}", fix=found.fix)


def _is_new(told: dict[str, float], mistake: str, share: float) -> bool:
    """Return True, and note it, if a mistake was not told, or its share has grown tenfold."""
    is_new = share >= 10 * told.get(mistake, 0)
    if is_new:
        told[mistake] = share
    return is_new


def _share_unspaced(batches: Sequence[Batch]) -> float:
    """Return the share of the bytes that begin a character of scripts written without spaces.

    It is 0.3 if all texts are in such a script, because a character has three bytes.
    """
    inside, _, _ = _count_bytes([batch.references for batch in batches])
    return float(inside[0xE0:0xF0].sum() / inside.sum())


def _thin_out(batches: Sequence[Batch]) -> Iterator[Batch]:
    """Yield groups of 8 neighbors, evenly spaced, of about 64 rows in all."""
    rows = sum(len(batch.predictions) for batch in batches)
    stride = max(1, -(-rows // _ROWS))
    for batch in batches:
        for start in range(0, len(batch.predictions), 8 * stride):
            yield batch.slice(start, 8)


# --- Calls of an object ---------------------------------------------------------------------------

_MOST_WAITING = 4096  # rows; a call with as many is looked at by itself
_LOOKS = (8, 64, 512)  # rows after which those that wait are looked at, as after the first call
_THIRD_CALL = 3  # after which they are, too: by then, a mistake in each row is told
_PAUSE = 2.0  # seconds, after which a call belongs to another loop
_LOOPS = 4


@dataclass
class _Loop:
    """Calls of an object with the same options, in short succession.

    options: the options of the calls.
    name: the template of a prediction's name.
    kind: the type of their texts.
    first, last: hashes of the texts of the first and of the last call; texts would stay in memory.
    time: when the last call ended, in seconds.
    calls, rows: how many there were.
    next_look: the number of rows after which those that wait are looked at.
    waiting: the texts that no look has taken, and the counts of their bigrams.
    told: as for `Look.warn`.
    """

    options: Options
    name: str
    kind: InputType
    first: int
    last: int
    time: float
    calls: int = 0
    rows: int = 0
    next_look: int = 1
    waiting: list[tuple[Corpus, Int64 | None]] = field(default_factory=list)
    told: dict[str, float] = field(default_factory=dict)

    def has(self, kind: InputType, options: Options, name: str) -> bool:
        """Return True if a call has the options, and texts of this kind."""
        has_options = self.options is options or self.options == options
        return has_options and self.name == name and self.kind == kind


class Watch:
    """The rows of the small calls of an object, which are looked at together.

    A loop is warned of a mistake once. A call after a pause, or with the texts of the first or the
    last call, begins another loop: a cell of a notebook that is run again warns again.

    Args:
        lock: a lock, which is not held during a look.
        clock: the function that returns the time in seconds.

    >>> import threading
    >>> watch = Watch(threading.Lock())
    >>> for number in range(3):
    ...     corpus = make_text_corpus([f"{number} cats"], ["dogs"], np.arange(2), "text")
    ...     watch.begin_call()(corpus, None, Options())
    """

    def __init__(
        self, lock: AbstractContextManager[object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lock = lock
        self._clock = clock
        self._loops: list[_Loop] = []  # the latest first

    def begin_call(self) -> Callable[..., None]:
        """Return the function, like `look_at`, for the texts of a call that begins now."""
        return partial(self._look, self._clock())

    def _look(
        self,
        began: float,
        corpus: Corpus,
        bigrams: Int64 | None,
        options: Options,
        name: str = "predictions[{row}]",
    ) -> None:
        if len(corpus) >= _MOST_WAITING:
            look_at(corpus, bigrams, options, name)
            return
        ended = self._clock()
        kind = corpus.kind
        texts = corpus.hash_texts()
        with self._lock:
            # 1. Find the loop of the call, or begin one.
            loop = next((loop for loop in self._loops if loop.has(kind, options, name)), None)
            others = [other for other in self._loops if other is not loop]
            if loop is None or began - loop.time > _PAUSE or texts in (loop.first, loop.last):
                loop = _Loop(options, name, kind, first=texts, last=texts, time=ended)
            self._loops = [loop, *others[: _LOOPS - 1]]
            # 2. Take the rows that wait, if they are enough.
            loop.time = ended
            loop.last = texts
            loop.waiting.append((corpus, bigrams))
            loop.calls += 1
            loop.rows += len(corpus)
            if loop.rows < loop.next_look and loop.calls != _THIRD_CALL:
                return
            taken = loop.waiting
            loop.waiting = []
            following = (rows for rows in _LOOKS if rows > loop.rows)
            loop.next_look = next(following, loop.rows + _MOST_WAITING)
        # 3. Look at them.
        corpora = [taken_corpus for taken_corpus, _ in taken]
        counts = [own for _, own in taken if own is not None]
        look = Look(options, list(map(len, corpora)))
        if len(taken) > 1:
            corpus = Corpus(
                tuple(chain.from_iterable(each.batches for each in corpora)), corpus.kind
            ).combine()
            bigrams = np.concatenate(counts) if len(counts) == len(taken) else None
        look.add(corpus, bigrams)
        look.warn(name, loop.told)


# --- Bytes ----------------------------------------------------------------------------------------

# Bytes of quotation marks, dashes and blanks, which systems write in their own way.
_OWN_WAY = np.array(
    [*b"\"'-", 0x80, 0x93, 0x94, *range(0x98, 0xA1), 0xA6, 0xAB, 0xBB, 0xBC, 0xC2, 0xE2, 0xE3]
)
_ODD_SIGNS = np.array([*range(9), *range(10, 32), *b"#%&*+<=>@[\\]^_`{|}~"])
_TIMES_MORE = np.array([2.0] * 256 + [1.6] * 2)  # of a byte, of capitals and of marks


def _count_bytes(arrays: Sequence[pa.Array]) -> Float64:
    """Count the bytes of texts in their buffers.

    Returns:
        How often each byte occurs per text, float64 [3, 256]: anywhere, first and last.
    """
    counts = np.zeros((3, 256))
    texts = pa.concat_arrays(arrays)
    items = _list_strings(texts)
    offsets = find_offsets(items)
    data = np.frombuffer(items.buffers()[2] or b"", np.uint8)
    starts = offsets[:-1][offsets[:-1] < offsets[1:]]
    ends = offsets[1:][offsets[:-1] < offsets[1:]] - 1
    for place, part in enumerate((data[offsets[0] : offsets[-1]], data[starts], data[ends])):
        counts[place] = np.bincount(part, minlength=256)
    counts[1, 48] = counts[1, 48:58].sum()  # numbers
    return counts / len(texts)


def _list_strings(array: pa.Array) -> pa.Array:
    return list_items(array)[0] if is_list(array.type) else array


def stands_out(batches: Sequence[Batch], *, splits_unspaced: bool) -> bool:
    """Return True if the bytes of both sides differ as those of mistakes do, which cost much.

    A damage makes a byte far more frequent on one side, or writes a sign that no text has. In few
    rows, differences are chance, and must be larger.
    """
    rows = max(1, sum(len(batch.predictions) for batch in batches))
    own = _count_bytes([batch.predictions for batch in batches])
    theirs = _count_bytes([batch.references for batch in batches])
    # Short answers recur in every corpus, though seldom among neighbors.
    different = sum(len(_list_strings(batch.predictions).unique()) for batch in batches)
    chance = rows**-0.5
    # 1. A byte, capitals or marks that are far more frequent on one side; odd signs on one side.
    groups = [
        np.append(inside, [inside[65:91].sum(), inside[[*b".,;:!?()"]].sum()])
        for inside, _, _ in (own, theirs)
    ]
    more = np.maximum(*groups)
    less = np.minimum(*groups)
    is_more = (
        (more > _TIMES_MORE * less)
        & (more > less + 0.4)
        & (more - less > 4 * chance * np.sqrt(more + less))
    )
    is_more[_OWN_WAY] = False
    is_odd = (more > 8 * less) & (more >= max(0.04, chance**2))
    # 2. Lengths, spaces, first and last bytes.
    sizes = [max(1e-9, side[0].sum()) for side in (own, theirs)]
    spaces = [side[0, 32] / size for side, size in zip((own, theirs), sizes)]
    clear = 1.07 + 1 / (1 + less[32] * rows) ** 0.5
    ends = np.abs(own[1:] - theirs[1:]).max()
    has_unspaced = theirs[0, 0xE0:0xF0].sum() > 0.05 * sizes[1] and spaces[1] < 0.06
    # 3. Signs of tokens on both sides, and copies.
    return bool(
        is_more.any()
        or is_odd[_ODD_SIGNS].any()
        or not 0.75 < (sizes[0] / sizes[1]) ** (1 / (1 + chance)) < 1.35
        or max(spaces) > max(0.06, clear * min(spaces))
        or ends > 0.3 + chance
        or (has_unspaced and not splits_unspaced)
        or less[[*b"<[@#_|"]].max() > 0.4
        or less[[*"▁".encode()]].min() > 1
        or 1 - different / rows > 0.1 + chance / 2
    )
