"""Which row belongs to which: offsets, another order, repeated rows, unrelated rows.

The fit of a prediction and a row of references is the cosine of their sets of grams (four
characters, or two from Han, kana and Hangul), in which a gram weighs more the fewer rows it has.
An index of rare grams lists the rows that each prediction fits. In a long file, only rows count
whose neighbors don't fit their own references.

Predictions are moved in two ways. A path has one offset per stretch of rows, and each change of
the offset has a price. An assignment pairs the rows that fit best. A move counts only if the moved
texts are clearly nearer to their new references by their characters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Literal, NamedTuple

import numpy as np

from .bleu_corpus import Bool, Float64, Int64, evenly_spaced

FEWEST_PAIRED = 12  # rows; fewer are not evidence

TextRows = Sequence[Sequence[str]]


class Alignment(NamedTuple):
    """Rows whose predictions belong to other rows.

    kind: "shifted" for stretches at an offset, "reordered" for another order.
    rows: rows of references whose prediction is in another row or missing, ascending.
    pairing: per row of references, the row of its prediction; -1 for none.
    distances: the offsets of stretches, most frequent first: the row of references minus the row
        of its prediction. Empty for "reordered".
    """

    kind: Literal["shifted", "reordered"]
    rows: list[int]
    pairing: list[int]
    distances: list[int]


# --- Grams ----------------------------------------------------------------------------------------

_LONGEST_TEXT = 2000  # characters that are compared
_ROWS_PER_BATCH = 4096  # a few MB of characters
_FIRST_SYLLABLE = 0x3040  # most characters from here on are syllables or ideographs
_HASH_FACTORS = [np.uint32(factor) for factor in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F)]


class _Grams(NamedTuple):
    """The different grams of rows, ascending by hash, then by row: arrays of one length."""

    hashes: Int64
    rows: Int64


def _list_grams(rows: TextRows, share: float = 1.0, length: int = 4) -> _Grams:
    """Return a share of the grams of rows, the same grams for all rows.

    >>> _list_grams([["abab"], ["x"], ["ab ab", "aba"]]).rows.tolist()
    [2, 2, 0, 2, 0, 2, 0, 2]
    """
    parts = []
    for start in range(0, len(rows), _ROWS_PER_BATCH):
        batch = rows[start : start + _ROWS_PER_BATCH]
        # 1. The characters of all texts, each text between two spaces.
        texts = [f" {text[:_LONGEST_TEXT].lower()} " for text in chain.from_iterable(batch)]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        counts = np.fromiter(map(len, batch), np.int64, len(batch))
        numbers = np.repeat(np.arange(start, start + len(batch)), counts)
        padded = "".join([*texts, "   "])
        codes = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), np.uint32)
        # 2. The hash of the gram that begins at each character.
        size = len(codes) - 3
        hashes = codes[2 : size + 2] * _HASH_FACTORS[2]
        for place in range(3, length):
            hashes += codes[place : size + place] * _HASH_FACTORS[place]
        hashes[codes[:size] >= _FIRST_SYLLABLE] = 0
        hashes += codes[:size] * _HASH_FACTORS[0] + codes[1 : size + 1] * _HASH_FACTORS[1]
        hashes ^= hashes >> np.uint32(15)
        hashes *= _HASH_FACTORS[2]
        hashes >>= np.uint32(1)
        # 3. Grams begin before the last characters of a text.
        is_chosen = hashes < share * 2**31
        stops = np.cumsum(lengths)
        for place in range(1, length):
            is_chosen[stops - place] = False
        places = np.flatnonzero(is_chosen)
        parts.append(hashes[places].astype(np.int64) << 32 | np.repeat(numbers, lengths)[places])
    # 4. Each gram once per row.
    keys = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    keys.sort()
    different = keys[_is_first(keys)]
    return _Grams(different >> 32, different & 0xFFFFFFFF)


def _is_first(values: Int64) -> Bool:
    """Return which values of a sorted array differ from the one before."""
    is_first = np.ones(len(values), bool)
    is_first[1:] = values[1:] != values[:-1]
    return is_first


def _dice(grams: _Grams, others: _Grams, size: int) -> Float64:
    """Return the overlap of the grams of each of `size` rows on two sides, 0 to 1."""
    totals = np.bincount(grams.rows, minlength=size) + np.bincount(others.rows, minlength=size)
    keys = np.append(others.hashes << 32 | others.rows, -1)
    wanted = grams.hashes << 32 | grams.rows
    is_shared = keys[np.searchsorted(keys[:-1], wanted)] == wanted
    return 2 * np.bincount(grams.rows[is_shared], minlength=size) / np.maximum(1, totals)


def _share_of_grams(rows: TextRows, wanted: float) -> float:
    """Return the share of the grams that are `wanted` grams per row, on average."""
    characters = sum(len(text) for text in chain.from_iterable(rows))
    return min(1.0, wanted * len(rows) / max(1, characters))


# --- Fits -----------------------------------------------------------------------------------------

_FEW_GRAMS = 32  # per row, on average, to find out if rows are moved
_MOST_GRAMS = 2_500_000  # per side
_MOST_FREQUENT = 0.25  # of the rows, in which a gram that tells rows apart occurs at most
_LISTED = 256  # rows that share rare grams with a prediction, on average
_LEAST_SHARED = 2  # grams of one row, or as much information in more frequent grams
_CANDIDATES = 6  # per prediction
_ROWS_PER_SEARCH = 2048  # with less than a million pairs
_MATRIX = 1 << 20  # cells; larger matrices are sparse


class _Fits(NamedTuple):
    """The fits of predictions with their own references, and with the best other rows.

    own: per prediction.
    rows, fits: arrays [predictions, candidates], the best fit first; a missing row is -1.
    """

    own: Float64
    rows: Int64
    fits: Float64

    def is_away(self, fits: Float64) -> Bool:
        """Return which predictions fit another row clearly better than by the given fits."""
        return self.fits[:, 0] > _CLEAR_RATIO * fits + _CLEAR_GAIN

    def is_unique(self) -> Bool:
        """Return which predictions fit a single other row well."""
        is_better = self.fits[:, 0] >= _UNIQUE_RATIO * self.fits[:, 1]
        return is_better & (self.fits[:, 0] >= _LEAST_FIT)

    def of(self, predictions: Int64, rows: Int64) -> Float64:
        """Return the fit of each prediction with the row of references beside it."""
        is_candidate = self.rows[predictions] == rows[:, None]
        others = (self.fits[predictions] * is_candidate).sum(axis=1)
        return np.where(predictions == rows, self.own[predictions], others)


class _Index:
    """The rows of references that have each gram, and the grams of the predictions."""

    def __init__(
        self, predictions: Sequence[str], references: TextRows, grams_per_row: int = _LONGEST_TEXT
    ) -> None:
        size = len(predictions)
        self.size = size
        texts = [[text] for text in predictions]
        share = _share_of_grams(texts, min(grams_per_row, _MOST_GRAMS / size))
        grams = _list_grams(texts, share)
        others = _list_grams(references, share)
        # 1. The vocabulary of the references. Its last gram is any other one.
        starts = np.append(np.flatnonzero(_is_first(others.hashes)), len(others.hashes))
        vocabulary = np.append(others.hashes, 1 << 32)[starts]
        counts = np.diff(starts, append=len(others.hashes))
        weights = np.log1p(size / np.maximum(1, counts)) ** 2
        self._starts = starts
        self._weights = weights
        self._rows = others.rows
        self._least = _LEAST_SHARED * weights[-1]
        # 2. The norms of all rows.
        numbers = np.searchsorted(vocabulary, grams.hashes)
        numbers[vocabulary[numbers] != grams.hashes] = len(vocabulary) - 1
        squares = np.bincount(grams.rows, weights[numbers], minlength=size)
        other_squares = np.bincount(others.rows, np.repeat(weights, counts), minlength=size)
        self._norms = np.sqrt(np.maximum(1e-9, squares))
        self._other_norms = np.sqrt(np.maximum(1e-9, other_squares))
        # 3. The rare grams of the predictions.
        found = counts[numbers]
        listed = np.cumsum(np.bincount(found) * np.arange(found.max(initial=0) + 1))
        limit = np.searchsorted(listed, _LISTED * size, side="right")
        is_rare = (found > 0) & (found <= min(limit, max(3, _MOST_FREQUENT * size)))
        self._numbers = numbers[is_rare]
        self._found = found[is_rare]
        self._predictions = grams.rows[is_rare]

    def search_all(self, report: Callable[[int], object] = lambda rows: None) -> _Fits:
        """Return the fits of all predictions."""
        parts = []
        for start in range(0, self.size, _ROWS_PER_SEARCH):
            rows = np.arange(start, min(start + _ROWS_PER_SEARCH, self.size))
            parts.append(self.search(rows))
            report(len(rows))
        return _Fits(
            np.concatenate([part.own for part in parts]),
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.fits for part in parts]),
        )

    def search(self, predictions: Int64) -> _Fits:
        """Return the fits of some predictions, in ascending order."""
        size = self.size
        places = np.full(size, -1)
        places[predictions] = np.arange(len(predictions))
        # 1. Add up the weights of the grams that rows share with each prediction.
        is_wanted = places[self._predictions] >= 0
        numbers = self._numbers[is_wanted]
        found = self._found[is_wanted]
        ends = np.cumsum(found)
        offsets = np.repeat(self._starts[numbers] - ends + found, found)
        rows = self._rows[offsets + np.arange(len(offsets))]
        keys = np.repeat(places[self._predictions[is_wanted]], found) * size + rows
        weights = np.repeat(self._weights[numbers], found)
        if len(predictions) * size <= _MATRIX:
            sums = np.bincount(keys, weights)
            keys = np.flatnonzero(sums >= self._least)
            sums = sums[keys]
        else:
            keys, inverse = np.unique(keys, return_inverse=True)
            sums = np.bincount(inverse, weights)
            is_enough = sums >= self._least
            keys = keys[is_enough]
            sums = sums[is_enough]
        queries, rows = np.divmod(keys, size)
        values = sums / self._norms[predictions[queries]] / self._other_norms[rows]
        # 2. The fit with the own references, and the best other ones.
        own = np.zeros(len(predictions))
        is_own = predictions[queries] == rows
        own[queries[is_own]] = values[is_own]
        order = np.lexsort((rows[~is_own], -values[~is_own], queries[~is_own]))
        queries, rows, values = (array[~is_own][order] for array in (queries, rows, values))
        ranks = np.arange(len(queries)) - np.searchsorted(queries, queries)
        is_kept = ranks < _CANDIDATES
        queries, rows, values, ranks = (array[is_kept] for array in (queries, rows, values, ranks))
        best_rows = np.full((len(predictions), _CANDIDATES), -1)
        best_fits = np.zeros(best_rows.shape)
        best_rows[queries, ranks] = rows
        best_fits[queries, ranks] = values
        return _Fits(own, best_rows, best_fits)


# --- Rows that don't fit --------------------------------------------------------------------------

_COMPARED_GRAMS = 16  # per text, on average, to see which rows fit their own references
_AWAY = 7  # rows to the references that can't be a prediction's own
_ROWS_NEARBY = 8  # of which half must be strange
_MANY_STRANGE = 0.12  # of the rows, which are looked at wherever they are


def _list_strange(predictions: Sequence[str], references: TextRows) -> Int64:
    """Return the rows around which many predictions fit other rows as well as their own."""
    own_fits: list[Float64] = []
    away_fits: list[Float64] = []
    for start in range(0, len(predictions), _ROWS_PER_BATCH):
        # 1. The grams that predictions share with their own references, and with other ones.
        texts = [[text] for text in predictions[start : start + _ROWS_PER_BATCH]]
        size = len(texts)
        share = _share_of_grams(texts, _COMPARED_GRAMS)
        grams = _list_grams(texts, share)
        others = _list_grams(references[start : start + size], share)
        moved = _Grams(grams.hashes, (grams.rows + _AWAY) % size)
        own_fits.append(_dice(grams, others, size))
        away_fits.append(_dice(moved, others, size))
    # 2. The rows that share no more with their own, and their neighbors.
    away = np.concatenate(away_fits)
    is_strange = np.concatenate(own_fits) <= away.mean() + 2 * away.std()
    nearby = np.convolve(is_strange, np.ones(_ROWS_NEARBY), "same")
    is_dense = nearby >= _ROWS_NEARBY / 2
    is_looked_at = np.convolve(is_dense, np.ones(3 * _ROWS_NEARBY + 1), "same") > 0.5
    if is_strange.mean() >= _MANY_STRANGE:
        is_looked_at |= is_strange
    return np.flatnonzero(is_looked_at)


# --- Paths and assignments ------------------------------------------------------------------------

_PRICE = 0.7  # of a change of the offset: as much fit as two rows gain by it
_ROWS_PER_CHUNK = 128  # whose offsets are listed together
_OFFSETS = 8  # per chunk
_CLEAR_RATIO = 1.3
_CLEAR_GAIN = 0.05
_FEWEST_MOVED = 3
_GAINING = 0.3  # of the rows at an offset
_WINS = 4  # times as many rows must gain by a move as lose


def _follow(fits: _Fits) -> Int64:
    """Return the offset of each row of references on the best path; 0 if few rows gain by it."""
    size = len(fits.own)
    # 1. The offsets at which predictions fit clearly better.
    best = fits.rows[:, 0]
    moved = np.flatnonzero(fits.is_away(fits.own) & fits.is_unique())
    moved = moved[np.argsort(best[moved], kind="stable")]
    hits = best[moved]
    offsets_of_hits = hits - moved
    # 2. The best scores of paths that end at each offset, row by row.
    scores = {0: 0.0}
    steps: list[dict[int, int]] = []
    for start in range(0, size, _ROWS_PER_CHUNK):
        rows = np.arange(start, min(start + _ROWS_PER_CHUNK, size))
        nearby = (start - _ROWS_PER_CHUNK // 2, start + 3 * _ROWS_PER_CHUNK // 2)
        first, last = np.searchsorted(hits, nearby)
        counts = Counter(offsets_of_hits[first:last].tolist())
        frequent = [offset for offset, count in counts.most_common(_OFFSETS) if count >= 2]
        columns = {}
        for offset in [0, *frequent]:
            partners = rows - offset
            is_inside = (partners >= 0) & (partners < size)
            values = fits.of(np.where(is_inside, partners, 0), rows)
            columns[offset] = np.where(is_inside, values, 0).tolist()
        for place in range(len(rows)):
            leader = max(scores, key=scores.__getitem__)
            entry = scores[leader] - _PRICE
            new_scores = {}
            step = {}
            for offset, column in columns.items():
                score = scores.get(offset, -math.inf)
                is_entered = score < entry or (score == entry and offset != 0)
                step[offset] = leader if is_entered else offset
                new_scores[offset] = max(score, entry) + column[place]
            steps.append(step)
            scores = new_scores
    # 3. Back along the best path.
    offset = max(scores, key=scores.__getitem__)
    path = []
    for step in reversed(steps):
        path.append(offset)
        offset = step[offset]
    offsets = np.array(path[::-1])
    # 4. Many rows that move must gain, and few may lose.
    partners = np.arange(size) - offsets
    is_moved = (offsets != 0) & (partners >= 0) & (partners < size)
    moved = np.flatnonzero(is_moved)
    gains = fits.of(partners[moved], moved) - fits.own[partners[moved]]
    wins = int((gains > 0).sum())
    losses = int((gains < 0).sum())
    is_gain = wins >= max(_FEWEST_MOVED, _GAINING * len(moved), _WINS * losses)
    return offsets if is_gain else np.zeros(size, np.int64)


def _pair(size: int, values: Float64, partners: Int64, rows: Int64) -> list[int]:
    """Return the partner of each row, the pairs of the highest values first; -1 for none.

    >>> _pair(3, np.array([0.1, 0.9, 0.5]), np.array([0, 1, 1]), np.array([0, 2, 0]))
    [0, -1, 1]
    """
    pairing = [-1] * size
    is_taken = [False] * size
    order = np.lexsort((rows, partners, -values))
    for partner, row in zip(partners[order].tolist(), rows[order].tolist()):
        if pairing[row] < 0 and not is_taken[partner]:
            pairing[row] = partner
            is_taken[partner] = True
    return pairing


def _pair_along(path: Int64, fits: _Fits) -> list[int]:
    """Return the partner of each row on a path; rows that are left are paired if they fit."""
    size = len(path)
    row_of = np.full(size, -1)  # of each prediction
    # 1. Pair stretch by stretch.
    changes = np.flatnonzero(np.diff(path)) + 1
    for rows in np.split(np.arange(size), changes):
        offset = int(path[rows[0]])
        rows = rows[(rows >= offset) & (rows - offset < size)]
        partners = rows - offset
        # Predictions of two stretches belong to the earlier one up to a row, then to the later one.
        earlier = row_of[partners]
        shared = np.flatnonzero(earlier >= 0)
        gains = fits.of(partners[shared], rows[shared]) - fits.of(partners[shared], earlier[shared])
        sums = np.append(0, np.cumsum(gains))
        lowest = np.flatnonzero(sums == sums.min())
        first = lowest[0] if offset == 0 else lowest[-1]
        is_paired = earlier < 0
        is_paired[shared[first:]] = True
        row_of[partners[is_paired]] = rows[is_paired]
    # 2. A clear fit counts, too.
    partners = np.flatnonzero(row_of >= 0)
    usual = float(np.median(np.maximum(fits.own, fits.fits[:, 0])))
    least = max(_LEAST_FIT, usual / 2)
    same = np.flatnonzero(fits.own > least)
    others = np.flatnonzero(fits.is_unique() & (fits.fits[:, 0] > least))
    return _pair(
        size,
        np.concatenate([np.full(len(partners), 2.0), fits.own[same], fits.fits[others, 0]]),
        np.concatenate([partners, same, others]),
        np.concatenate([row_of[partners], same, fits.rows[others, 0]]),
    )


_LEAST_FIT = 0.1
_UNIQUE_RATIO = 1.4  # of the best fit to the next one
_UNIQUE = 0.55  # of the predictions that fit another row better fit one row
_MOVED = 0.25  # of the rows
_MOVED_NEARBY = 6
_NEARBY = 16  # rows


def _is_reordered(
    fits: _Fits, base: list[int], numbers: Int64, size: int, texts: Sequence[str]
) -> bool:
    """Return if enough predictions fit one row clearly better than the row that they have.

    base: a pairing to begin with. numbers: the rows' numbers among all `size` rows.
    """
    # 1. The predictions that fit one row clearly better than the row that they have.
    rows_of_base = np.full(len(base), -1)
    for row, partner in enumerate(base):
        if partner >= 0:
            rows_of_base[partner] = row
    everything = np.arange(len(base))
    base_fits = np.where(rows_of_base >= 0, fits.of(everything, rows_of_base), 0.0)
    copies = Counter(texts)
    is_single = np.array([copies[text] == 1 for text in texts])
    best = fits.rows[:, 0]
    is_away = fits.is_away(base_fits) & (best != rows_of_base) & (rows_of_base >= 0)
    moved = np.flatnonzero(is_away & fits.is_unique() & is_single)
    # 2. Are they enough?
    places = numbers[moved]
    others_nearby = _MOVED_NEARBY - 1
    spans = places[others_nearby:] - places[:-others_nearby]
    is_close = bool((spans < _NEARBY).any())
    if not is_close and len(moved) < max(4, _MOVED * size):
        return False
    targets = len(set(best[moved].tolist()))
    return targets >= 0.7 * len(moved) and len(moved) >= _UNIQUE * int(is_away.sum())


def _assign(fits: _Fits, texts: Sequence[str], references: TextRows, base: list[int]) -> list[int]:
    """Return a pairing by the best fits; a prediction stays if no other row is clearly better."""
    size = len(texts)
    row_of = {partner: row for row, partner in enumerate(base)}
    kept = np.array([row_of.get(partner, -1) for partner in range(size)])
    pairing = [-1] * size
    partners = rows = np.arange(size)
    # 1. Pair what fits, then the rest, among which more grams are rare.
    while True:
        others, ranks = np.nonzero(fits.rows >= 0)
        same = np.flatnonzero(fits.own)
        values = np.concatenate([fits.own[same], fits.fits[others, ranks]])
        pair_partners = np.concatenate([same, others])
        pair_rows = np.concatenate([same, fits.rows[others, ranks]])
        is_kept = kept[partners[pair_partners]] == rows[pair_rows]
        values[is_kept] = _CLEAR_RATIO * values[is_kept] + _CLEAR_GAIN
        paired = np.array(_pair(len(rows), values, pair_partners, pair_rows))
        is_paired = paired >= 0
        for row, partner in zip(rows[is_paired], partners[paired[is_paired]]):
            pairing[row] = int(partner)
        partners = np.delete(partners, paired[is_paired])
        rows = rows[~is_paired]
        if not len(rows) or not is_paired.any():
            break
        left_texts = [texts[partner] for partner in partners.tolist()]
        left_references = [references[row] for row in rows.tolist()]
        fits = _Index(left_texts, left_references).search_all()
    # 2. Predictions that fit no row keep their rows, or follow in their order.
    left = set(partners.tolist())
    for row in rows.tolist():
        if base[row] in left:
            pairing[row] = base[row]
            left.remove(base[row])
    rest = iter(sorted(left))
    return [next(rest) if partner < 0 else partner for partner in pairing]


# --- Evidence -------------------------------------------------------------------------------------

_SAMPLE = 60  # moved rows
_LEAST_GAIN = 0.08


def _overlap(texts: Sequence[str], references: TextRows) -> Float64:
    """Return the overlap of each text with its closest reference, by trigrams of characters.

    >>> _overlap(["a cat", "a dog"], [["a cat", "cats"], []])
    array([1., 0.])
    """
    counts = [len(row) for row in references]
    rows = np.repeat(np.arange(len(texts)), counts)
    pairs = [[texts[row]] for row in rows.tolist()]
    others = [[reference] for reference in chain.from_iterable(references)]
    overlaps = np.zeros(len(texts))
    fits = _dice(_list_grams(pairs, length=3), _list_grams(others, length=3), len(rows))
    np.maximum.at(overlaps, rows, fits)
    return overlaps


class _Move(NamedTuple):
    """A prediction, the references of its row, and the references of another row."""

    text: str
    before: Sequence[str]
    after: Sequence[str]


def _list_moves(
    texts: Sequence[str], references: TextRows, pairing: list[int], base: list[int]
) -> list[_Move]:
    """Return the predictions that have other rows in a pairing than in another one."""
    row_of = {partner: row for row, partner in enumerate(base)}
    moves = []
    for row, partner in enumerate(pairing):
        if partner >= 0 and partner != base[row]:
            before = references[row_of[partner]] if partner in row_of else []
            moves.append(_Move(texts[partner], before, references[row]))
    return moves


def _is_nearer(moves: Sequence[_Move], ratio: float = 1.0) -> bool:
    """Return if a sample of texts fits other references clearly better; False without texts."""
    sample = [moves[place] for place in evenly_spaced(len(moves), _SAMPLE).tolist()]
    texts = [move.text for move in sample]
    before = _overlap(texts, [move.before for move in sample])
    after = _overlap(texts, [move.after for move in sample])
    gains = after - before
    wins = int((gains > 0).sum())
    losses = int((gains < 0).sum())
    is_large = gains.sum() >= _LEAST_GAIN * len(gains) and after.sum() >= ratio * before.sum()
    return wins > 0 and is_large and wins >= _WINS * losses


# --- Alignment ------------------------------------------------------------------------------------

_ROWS_OF_WINDOW = 400  # of which all are looked at
_PROBED = 400  # rows
_BLOCK = 8  # of probed rows
_RATIO_OF_ORDER = 1.25


def find_alignment(
    predictions: Sequence[str],
    references: TextRows,
    *,
    advance: Callable[[int], object] | None = None,
) -> Alignment | None:
    """Find predictions that belong to other rows.

    Args:
        predictions: one text per row.
        references: the references of each row.
        advance: called with the number of rows done since the last call, for a progress bar.

    >>> texts = [f"{name} buys {item}s for {price} euros" for name, item, price in zip(
    ...     "Anna Boris Carla David Elena Farid Greta Henrik Ilse Jonas Karim Lena".split(),
    ...     "apple boat candle drum eel fork globe hat igloo jar kettle lamp".split(),
    ...     range(40, 52))]
    >>> found = find_alignment(texts[:4] + texts[5:] + texts[-1:], [[text] for text in texts])
    >>> found.kind, found.rows[0], found.pairing[3:7], found.distances
    ('shifted', 4, [3, -1, 4, 5], [1])
    """
    size = len(predictions)
    report = advance or (lambda rows: None)
    # 1. The rows to look at.
    numbers = np.arange(size)
    if size > _ROWS_OF_WINDOW:
        numbers = _list_strange(predictions, references)
    report(size - len(numbers))
    fits = None
    if size >= FEWEST_PAIRED and len(numbers) > _FEWEST_MOVED:
        texts = [predictions[row] for row in numbers.tolist()]
        others = [references[row] for row in numbers.tolist()]
        fits = _search(texts, others, report)
    if fits is None:
        return None
    # 2. The best path, and the best order from there, by all grams if something is moved.
    identity = list(range(len(numbers)))
    if not _follow(fits).any() and not _is_reordered(fits, identity, numbers, size, texts):
        return None
    fits = _Index(texts, others).search_all()
    pairing = identity
    along = _pair_along(_follow(fits), fits)
    moves = _list_moves(texts, others, along, identity)
    if len(moves) >= _FEWEST_MOVED and _is_nearer(moves):
        pairing = along
    reordered = None
    if _is_reordered(fits, pairing, numbers, size, texts):
        reordered = _assign(fits, texts, others, pairing)
        moves = _list_moves(texts, others, reordered, pairing)
        if _is_nearer(moves, _RATIO_OF_ORDER):
            pairing = reordered
    # 3. The pairing of all rows.
    whole = np.arange(size)
    partners = np.array(pairing)
    whole[numbers] = np.where(partners >= 0, numbers[partners], -1)
    rows = np.flatnonzero(whole != np.arange(size))
    if not len(rows):
        return None
    is_moved = whole[rows] >= 0
    counts = Counter((rows - whole[rows])[is_moved].tolist())
    distances = [distance for distance, _ in counts.most_common()]
    is_ascending = bool((np.diff(whole[whole >= 0]) > 0).all())
    is_shifted = pairing is not reordered and (
        is_ascending or counts[distances[0]] >= 0.7 * counts.total()
    )
    if is_shifted:
        return Alignment("shifted", rows.tolist(), whole.tolist(), distances)
    return Alignment("reordered", rows.tolist(), whole.tolist(), [])


def _search(
    texts: Sequence[str], references: TextRows, report: Callable[[int], object]
) -> _Fits | None:
    """Return the fits of all rows, or None if a sample of the rows has no better ones."""
    size = len(texts)
    index = _Index(texts, references, _FEW_GRAMS)
    if size > 2 * _PROBED:
        starts = evenly_spaced(size - _BLOCK, _PROBED // _BLOCK)
        sample = np.unique(starts[:, None] + np.arange(_BLOCK))
        if not _is_promising(index.search(sample), sample):
            report(size)
            return None
    return index.search_all(report)


def _is_promising(fits: _Fits, predictions: Int64) -> bool:
    """Return if neighbors are off by one distance, or many predictions fit one other row."""
    is_away = fits.is_away(fits.own)
    away = predictions[is_away]
    offsets = fits.rows[is_away, 0] - away
    is_steady = (np.diff(offsets) == 0) & (np.diff(away) < _BLOCK)
    is_often_unique = (is_away & fits.is_unique()).sum() >= max(4, _UNIQUE * is_away.sum())
    return bool(is_steady.sum() >= 2 or is_often_unique)


# --- Repeated rows --------------------------------------------------------------------------------

_FEWEST_REPEATED = 4  # rows
_SHARE_REPEATED = 0.01  # of the rows; fewer count if they follow each other
_SHORTEST_REPEATED = 12  # characters; shorter texts are equal by chance
_MOST_COPIES = 4  # of a text; more are one text in many rows


class Repeated(NamedTuple):
    """Rows whose prediction is that of an earlier row, at one distance.

    pairing: per row of references, the row of its prediction; -1 for the repeated ones.
    """

    rows: list[int]
    distance: int
    pairing: list[int]


def find_repeated(predictions: Sequence[str], references: TextRows) -> Repeated | None:
    """Find predictions that repeat earlier ones at one distance, and fit the earlier rows better.

    >>> texts = [f"The {name} has left the harbor." for name in ("Anna", "Berta", "Clara", "Dora")]
    >>> texts += [f"We saw {count} dolphins and a whale." for count in ("five", "six", "ten", "no")]
    >>> find_repeated(texts[:4] + texts[:4], [[text] for text in texts])[:2]
    ([4, 5, 6, 7], 4)
    """
    # 1. Equal texts of rows with different references, by distance.
    rows_of_text: dict[str, list[int]] = {}
    for row, text in enumerate(predictions):
        if len(text) >= _SHORTEST_REPEATED:
            rows_of_text.setdefault(text, []).append(row)
    repeats: dict[int, list[int]] = {}
    for rows in rows_of_text.values():
        if len(rows) > _MOST_COPIES:
            continue
        for earlier, row in pairwise(rows):
            if not set(references[earlier]) & set(references[row]):
                repeats.setdefault(row - earlier, []).append(row)
    if not repeats:
        return None
    # 2. The most frequent distance, if it is frequent or its rows follow each other.
    distance = max(repeats, key=lambda each: len(repeats[each]))
    repeated = sorted(repeats[distance])
    following = 0
    longest = 0
    for row, next_row in pairwise(repeated):
        following = following + 1 if next_row == row + 1 else 0
        longest = max(longest, following + 1)
    is_frequent = len(repeated) >= max(_FEWEST_REPEATED, _SHARE_REPEATED * len(predictions))
    if not is_frequent and longest < _FEWEST_REPEATED:
        return None
    # 3. The earlier rows must be the right ones.
    moves = [
        _Move(predictions[row], references[row], references[row - distance]) for row in repeated
    ]
    if not _is_nearer(moves):
        return None
    pairing = list(range(len(predictions)))
    for row in repeated:
        pairing[row] = -1
    return Repeated(repeated, distance, pairing)


# --- Unrelated rows -------------------------------------------------------------------------------

_MOST_COMPARED = 200  # rows
_RELATED = 0.05  # difference of overlaps that is enough at any standard error
_LANGUAGE_ROWS = 40  # whose references have the words that are known
_KNOWN_WORDS = 0.15  # share of a prediction's words; real systems have 0.21 and more
_FEWEST_WORDS = 60


class Unrelated(NamedTuple):
    """Predictions and references that don't belong together.

    kind: "rows" if predictions fit their references no better than those of other rows, "column"
        if that is so for one of several reference columns, "language" if the references hardly have
        a word of the predictions.
    column: the number of that reference column.
    """

    kind: Literal["rows", "column", "language"]
    column: int | None = None


def find_unrelated(
    predictions: Sequence[str], references: TextRows, *, fewest: int
) -> Unrelated | None:
    """Find out if predictions fit their references no better than those of other rows.

    Args:
        predictions: one text per row.
        references: the references of each row.
        fewest: rows that are needed.

    >>> predictions = [f"Line {row} names station {row * 7} of the north." for row in range(40)]
    >>> references = [[f"Es gibt {row * 97 % 83} Fragen, sagt die Frau."] for row in range(40)]
    >>> find_unrelated(predictions, references, fewest=30).kind
    'rows'
    """
    # 1. A sample of rows with texts that differ.
    is_full = [
        bool(text.strip()) and any(other.strip() for other in others)
        for text, others in zip(predictions, references)
    ]
    full = np.flatnonzero(is_full)
    if len(full) < fewest:
        return None
    rows = full[evenly_spaced(len(full), _MOST_COMPARED)].tolist()
    texts = [predictions[row] for row in rows]
    others = [references[row] for row in rows]
    different_references = {tuple(row) for row in others}
    if len(set(texts)) < 0.5 * len(texts) or len(different_references) < 0.5 * len(texts):
        return None
    # 2. All references, then each column.
    if not _is_related(texts, others):
        return Unrelated("rows")
    columns = min(map(len, others))
    if columns > 1 and columns == max(map(len, others)):
        related = [_is_related(texts, [[row[k]] for row in others]) for k in range(columns)]
        if any(related) and not all(related):
            return Unrelated("column", related.index(False))
    # 3. Words that references have in any row.
    if _has_foreign_words(texts, others):
        return Unrelated("language")
    return None


def _is_related(texts: Sequence[str], references: TextRows) -> bool:
    """Return if texts fit their own references better than those of other rows."""
    size = len(texts)
    others = [*references[size // 2 :], *references[: size // 2]]
    gains = _overlap(texts, references) - _overlap(texts, others)
    mean = float(gains.mean())
    error = float(gains.std()) / math.sqrt(size)
    return mean > min(_RELATED, 2 * error)


def _has_foreign_words(texts: Sequence[str], references: TextRows) -> bool:
    """Return if references hardly have a word of the texts, in scripts with spaces."""
    known: set[str] = set()
    words: list[str] = []
    letters = 0
    for place in evenly_spaced(len(texts), _LANGUAGE_ROWS).tolist():
        words.extend(texts[place].lower().split())
        letters += len(texts[place])
        for reference in references[place]:
            known.update(reference.lower().split())
    has_spaces = len(words) > letters / 15
    if not has_spaces or len(words) < _FEWEST_WORDS:
        return False
    return sum(word in known for word in words) < _KNOWN_WORDS * len(words)
