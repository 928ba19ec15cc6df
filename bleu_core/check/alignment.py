"""Which row belongs to which: offsets, another order, repeated rows.

The fit of a prediction and the references of a row is the cosine of their rare words, in which a
word weighs more the fewer rows it has. A script written without spaces has pairs of characters
instead of words. Called by `measures.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np

from ..shared.arrays import Float64, Int64
from .pairs import fit, is_unspaced, spread

_MOST_PAIRS = 1_000_000  # of rows that are compared; each takes 100 bytes


def find_pairing(predictions: Sequence[str], references: Sequence[str]) -> Int64 | None:
    """Return the row of the prediction of each row of references, -1 for none.

    Args:
        predictions: one text per row.
        references: the references of each row, joined.

    Returns:
        int64 [rows], or None if hardly any prediction fits another row better than its own.

    >>> texts = [f"the cat {row} sat on mat {row * 7} in town {row * 13}" for row in range(20)]
    >>> find_pairing([*texts[:5], *texts[6:], ""], texts).tolist()[:8]
    [0, 1, 2, 3, 4, -1, 5, 6]
    """
    # 1. In a long file, rows only move where neighbors hardly fit their own references.
    size = len(predictions)
    rows = np.arange(size)
    if size > 4000:
        probed = spread(range(size), 400)
        fits = np.array([fit(predictions[row], [references[row]]) for row in probed])
        if np.convolve(fits < 0.5 * np.median(fits), np.full(12, 1 / 12)).max() < 0.5 < fits.max():
            return None
    # 2. The predictions that fit another row clearly better than their own.
    own, best = np.zeros((2, size))
    target, source = np.zeros((2, size), np.int64)
    left, right, fits = compare_rows(predictions, references)
    own[left[left == right]] = fits[left == right]
    order = np.argsort(-fits, kind="stable")[::-1]  # the best last: it is kept
    best[left[order]] = fits[order]
    target[left[order]] = right[order]
    source[right[order]] = left[order]
    copies = Counter(predictions)
    is_away = best > 1.3 * own + 0.08
    is_away &= np.array([copies[text] <= 2 and len(text) > 12 for text in predictions])
    # 3. They must be nearer by their characters, too, to different rows, and neighbors or many.
    away = np.flatnonzero(is_away)
    nearer = [
        [fit(predictions[row], [references[place]]) for place in (row, target[row])]
        for row in spread(away.tolist(), 60)
    ]
    before, after = np.sum(nearer, axis=0) if len(nearer) >= 3 else (1, 0)
    losses = sum(first > second for first, second in nearer)
    is_steady = (np.diff(target[away] - away) == 0) & (np.diff(away) < 8)
    is_many = is_steady.sum() >= 2 or len(away) >= max(8, 0.05 * size)
    are_different = len(set(target[away].tolist())) > 0.75 * len(away)
    if after < 1.5 * before or losses > len(nearer) / 5 or not (is_many and are_different):
        return None
    # 4. Rows that fit each other best belong together. Others keep their own, or follow neighbors.
    pairing = np.full(size, -1)
    is_mutual = is_away & (source[target] == rows) & (best > 0.1)
    pairing[target[is_mutual]] = rows[is_mutual]
    taken = set(pairing.tolist())

    def take(row: int, wanted: int) -> None:
        if pairing[row] < 0 and 0 <= wanted < size and wanted not in taken:
            pairing[row] = wanted
            taken.add(wanted)

    for row in rows[~is_away & (own > 0.05)].tolist():
        take(row, row)
    for step in (1, -1):
        for row in range(size)[::step]:
            if 0 <= row - step < size and pairing[row - step] >= 0:
                take(row, int(pairing[row - step]) + step)
    return pairing


def compare_rows(
    predictions: Sequence[str], references: Sequence[str]
) -> tuple[Int64, Int64, Float64]:
    """Return the rows of predictions and of references that share rare words, and their fits.

    Args:
        predictions: one text per row.
        references: the references of each row, joined.

    >>> rows, places, fits = compare_rows(["a cat", "a dog"], ["a dog", "a cat"])
    >>> rows.tolist(), places.tolist(), fits.round(2).tolist()
    ([0, 0, 1, 1], [0, 1, 0, 1], [0.28, 1.0, 1.0, 0.28])
    """
    # 1. Number the words of both sides.
    size = len(predictions)
    number: dict[str, int] = {}
    sides = []
    for texts in (predictions, references):
        numbers = [
            [number.setdefault(word, len(number)) for word in split_words(text)] for text in texts
        ]
        rows = np.repeat(np.arange(size), list(map(len, numbers)))
        sides.append((rows, np.fromiter(chain.from_iterable(numbers), np.int64)))
    (rows, words), (places, others) = sides
    # 2. A word is rare if few pairs of rows share it: all these pairs are compared.
    asked, found = (np.bincount(side, minlength=len(number) + 1) for side in (words, others))
    shared = np.cumsum(np.bincount(found, found * asked))
    limit = int(np.searchsorted(shared, min(40 * size, _MOST_PAIRS)))
    is_rare = found <= max(3, min(limit, 0.2 * size))
    # 3. Scale the weights of words by the norms of all words of a row.
    squares = np.log1p(size / np.maximum(1, found)) ** 2
    own, theirs = (np.sqrt(np.bincount(row, squares[word], size)) for row, word in sides)
    # 4. Pair each rare word of a prediction with its places, which are sorted by word.
    rows, words = rows[is_rare[words]], words[is_rare[words]]
    counts = found[words]
    each = np.repeat(np.arange(len(words)), counts)
    first = (np.cumsum(found) - found)[words] - (np.cumsum(counts) - counts)
    places = places[np.argsort(others, kind="stable")][np.arange(len(each)) + first[each]]
    # 5. Sum over the words that two rows share.
    pairs, pair = np.unique(rows[each] * size + places, return_inverse=True)
    rows, places = np.divmod(pairs, size)
    return rows, places, np.bincount(pair, squares[words[each]]) / (own[rows] * theirs[places])


def split_words(text: str) -> set[str]:
    """Return the different words of a text, or its pairs of characters.

    >>> sorted(split_words("A cat, a dog"))
    ['a', 'cat', 'dog']
    """
    letters = text[:1000].lower()
    if is_unspaced(letters):
        return set(map("".join, pairwise("".join(letters.split()))))
    return set(re.findall(r"\w+", letters))
