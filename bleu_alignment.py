"""Which row belongs to which: offsets, another order, repeated rows, one row per reference.

The fit of a prediction and the references of a row is the cosine of their rare words, in which a
word weighs more the fewer rows it has. A script written without spaces has pairs of characters
instead of words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count, pairwise
from typing import Any

import numpy as np

from .bleu_corpus import Bool, Float64, Int64
from .bleu_pairs import UNSPACED, Found, Pairs, fit, spread


def split_words(text: str) -> set[str]:
    """Return the different words of a text, or its pairs of characters.

    >>> sorted(split_words("A cat, a dog"))
    ['a', 'cat', 'dog']
    """
    letters = text[:1000].lower()
    if len(UNSPACED.findall(letters)) > 0.3 * len(letters):
        return set(map("".join, pairwise("".join(letters.split()))))
    return set(re.findall(r"\w+", letters))


def compare_rows(predictions: Sequence[str], references: Sequence[str], size: int) -> Any:
    """Return the fits of predictions and all references, float64 [predictions, references].

    Args:
        predictions: some of the predictions.
        references: the references of each row, joined.
        size: the number of predictions in all.
    """
    # 1. Number the words of both sides.
    number: defaultdict[str, int] = defaultdict(count().__next__)
    sides = []
    for texts in (predictions, references):
        numbers = [[number[word] for word in split_words(text)] for text in texts]
        rows = np.repeat(np.arange(len(texts)), list(map(len, numbers)))
        sides.append((rows, np.concatenate([np.array(own, np.int64) for own in numbers])))
    # 2. A word is rare if few pairs of rows share it: the product must stay sparse.
    asked, found = (np.bincount(words, minlength=len(number) + 1) for _, words in sides)
    shared = np.cumsum(np.bincount(found, found * asked))
    limit = int(np.searchsorted(shared, 40 * len(predictions)))
    is_rare = found <= max(3, min(limit, 0.2 * size))
    weights = np.log1p(size / np.maximum(1, found))
    # 3. Scale them by the norms of all words.
    left, right = (
        _make_matrix(rows, words, weights, is_rare, len(texts))
        for (rows, words), texts in zip(sides, (predictions, references))
    )
    return left @ right.T


def _make_matrix(rows: Int64, words: Int64, weights: Float64, is_rare: Bool, size: int) -> Any:
    """Return the weights of the rare words of each row: [rows, words], sparse if there are many."""
    squares = np.bincount(rows, weights[words] ** 2, minlength=size)
    kept = is_rare[words]
    rows, words = rows[kept], words[kept]
    values = weights[words] / np.sqrt(squares[rows])
    if size > 512:
        from scipy.sparse import csr_array

        return csr_array((values, (rows, words)), shape=(size, len(weights)))
    matrix = np.zeros((size, len(weights)))
    matrix[rows, words] = values
    return matrix


def _flatten_matrix(values: Any) -> Any:
    """Return the values of a sparse or dense result as an array [rows]."""
    return np.asarray(values.todense() if hasattr(values, "todense") else values).ravel()


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
    fits = compare_rows(predictions, references, size)
    own = _flatten_matrix(fits.diagonal())
    best, target, source = map(
        _flatten_matrix, (fits.max(axis=1), fits.argmax(axis=1), fits.argmax(axis=0))
    )
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


def find_moved(pairs: Pairs) -> Iterator[Found]:
    """Find rows whose predictions fit other references."""
    joined = [" ".join(pairs.list_partners("predictions", row)[:4]) for row in range(len(pairs))]
    pairing = find_pairing(pairs.texts["predictions"], joined)
    if pairing is None:
        return
    rows = np.arange(len(pairing))
    moved = np.flatnonzero(pairing != rows).tolist()
    offsets = Counter((rows - pairing)[(pairing >= 0) & (pairing != rows)].tolist())
    further = " and ".join(
        f"{abs(offset):,} row{'s' * (abs(offset) > 1)} {'further on' if offset > 0 else 'before'}"
        for offset, _ in offsets.most_common(3)
    )
    first = pairs.name_place("predictions", moved[0])
    says = f"From {first} on, the predictions fit the references {further}"
    is_ascending = np.mean(np.diff(pairing[pairing >= 0]) > 0) > 0.97
    if not is_ascending:
        says = "The predictions are in another order:"
        says += f" {len(moved):,} of {pairs.count('predictions')} fit another row"
    usual = sum(number for _, number in offsets.most_common(3)) / max(1, offsets.total())
    if usual > 0.7 or (offsets and not is_ascending):
        yield pairs.describe_all(
            "moved",
            "predictions",
            moved,
            says,
            "frame.merge(references, on='id')",
            pairing=pairing,
        )


def find_copies(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that stand in several rows: one row per reference, or rows written twice."""
    texts = pairs.texts["predictions"]
    size = len(texts)
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(texts):
        groups[text].append(row)
    partners = partial(pairs.list_partners, "predictions")
    again = sorted(
        (row, rows[0])
        for rows in groups.values()
        for row in rows[1:]
        if partners(row) != partners(rows[0])
    )
    if len(again) <= max(3, 0.01 * size) or len({first for _, first in again}) < 3:
        return
    # 1. How well copies fit their own references, the first one its own, and copies any others.
    sample = spread(again, 60)
    copies = sum(fit(texts[row], partners(row)) for row, _ in sample)
    firsts = sum(fit(texts[first], partners(first)) for _, first in sample)
    others = sum(fit(texts[row], partners((row + 7) % size)) for row, _ in sample)
    # 2. All fit, and copies are beside each other, or the whole list comes again: one input.
    rows = [row for row, _ in again]
    is_nearby = sum(row - first < 8 for row, first in again) > 0.8 * len(again)
    is_again = all(text == texts[row % len(groups)] for row, text in enumerate(texts))
    are_inputs = len(rows) > 0.3 * size and (is_nearby or is_again)
    if are_inputs and copies > max(0.5 * firsts, 1.3 * others):
        yield pairs.describe_all(
            "flattened",
            "predictions",
            rows,
            f"{size:,} rows have {len(groups):,} different predictions, with other references each"
            " time. If these are references of one input, group them",
            "frame.groupby('prediction', sort=False)['reference'].agg(list)",
            groups=list(groups.values()),
        )
    elif copies < max(0.7 * firsts, 1.2 * others) and sum(len(texts[row]) for row in rows) > (
        40 * len(rows)  # characters; a model of captions says the same of several pictures
    ):
        yield pairs.describe(
            "repeated",
            "predictions",
            rows,
            f"equals {pairs.name_place('predictions', again[0][1])}, and fits its references less",
            "predictions[:len(dataset)]",
            is_told=len(rows) > 0.03 * size,
        )


def find_unrelated(pairs: Pairs) -> Iterator[Found]:
    """Find predictions that fit their references no better than those of other rows."""
    # 1. How much better each prediction fits its own references than those of two other rows.
    texts = pairs.texts["predictions"]
    least = 8 if pairs.is_unspaced else 20  # characters; short answers are often paraphrased
    rows = [row for row in spread(range(len(pairs)), 200) if len(texts[row].strip()) > least]
    more = np.zeros(len(rows))
    for place, row in enumerate(rows):
        own, *others = (
            fit(texts[row], pairs.list_partners("predictions", (row + far) % len(pairs)))
            for far in (0, 1 + 6 % (len(pairs) - 1), 1 + 11 % (len(pairs) - 1))
        )
        more[place] = own - max(others)
    # 2. All of them, or a part beside others that fit well.
    different = len({texts[row] for row in rows})
    if len(rows) < 12 or different < 0.5 * len(rows):
        return
    low = [rows[place] for place in np.flatnonzero(more < 0.02)]
    says = f"{len(low):,} of {len(rows):,} predictions looked at"
    if more.mean() < max(0.02, 2 * more.std() / len(rows) ** 0.5):
        low = list(range(len(pairs)))
        says = "The predictions"
    elif len(low) < max(12, 0.15 * len(rows)) or np.median(more) < 0.2:
        return
    says += " fit their references no better than those of other rows"
    yield pairs.describe_all(
        "unrelated",
        "predictions",
        low,
        says,
        "[*zip(sources, predictions, references)][:3]",
        is_told=len(rows) >= 50,
    )


def find_rows(pairs: Pairs, *, may_have_moved: bool = True) -> list[Found]:
    """Find copies, else rows that moved, else unrelated texts."""
    found: list[Found] = []
    if len(pairs) >= 12 and sum(map(len, pairs.texts["predictions"])) > 12 * len(pairs):
        for find in (find_copies, *[find_moved, find_unrelated] * may_have_moved):
            found = found or list(find(pairs))
    return found
