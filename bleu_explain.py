"""Which n-grams of a segment matched, for people who look: tokens, orders, what was clipped and what was missed.

The same clipped counts as `bleu_counting`, with the n-grams kept; it scores nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import Any

from .bleu_counting import REFERENCE_LENGTHS, Tokens, ngrams


def explained(
    prediction: Tokens,
    references: Sequence[Tokens],
    max_order: int = 4,
    reference_length: str = "closest",
    minimum_total: int = 0,
) -> dict[str, Any]:
    """What matched in one segment.

    Args:
        prediction: the prediction's tokens; none is allowed.
        references: the tokens of each reference, one reference or more.
        max_order: N, the longest n-gram, 1 or more.
        reference_length: a name in `bleu_counting.REFERENCE_LENGTHS`.
        minimum_total: the least that a `total` can be.

    Returns:
        `prediction` and each of `references`: `tokens`, `length`, and for each token the `longest_match`, the highest
        order of a matching n-gram that it's part of, 0 for none. Of an n-gram that occurs more often than it may
        match, those within longer matches count first, then those further left.
        `effective_reference`: the index of the reference whose length is compared with the prediction's.
        `orders`: for each order the `total` of n-grams, `unclipped_matches` (n-grams that are in any reference) and
        `matches` (no more of each than one reference has), and lists of n-grams: `clipped`, those that occur more
        often than they may match, and `missed`, those that no reference has. Each n-gram is given with its `count`
        in the prediction and the count that is `allowed`.

    The paper's example 2, at its first order:

    >>> reference = "the cat is on the mat".split()
    >>> explained(["the"] * 3, [reference], max_order=1)["orders"][0]["clipped"]
    [{'ngram': ['the'], 'count': 3, 'allowed': 2}]
    >>> explained(["the"] * 3, [reference], max_order=1)["prediction"]["longest_match"]
    [1, 1, 0]
    """
    counts = ngrams(prediction, max_order)
    allowed = reduce(Counter.__or__, (ngrams(reference, max_order) for reference in references))
    lengths = [len(reference) for reference in references]
    return {
        "prediction": _covered(prediction, allowed, max_order),
        "references": [_covered(reference, counts, max_order) for reference in references],
        "effective_reference": lengths.index(REFERENCE_LENGTHS[reference_length](len(prediction), lengths)),
        "orders": [_order(order, counts, allowed, minimum_total) for order in range(1, max_order + 1)],
    }


def _covered(tokens: Tokens, allowed: Counter, max_order: int) -> dict[str, Any]:
    """The tokens, and how long a match each is part of when an n-gram matches as often as is allowed."""
    longest = [0] * len(tokens)
    for order in range(max_order, 0, -1):
        left = {ngram: count for ngram, count in allowed.items() if len(ngram) == order}
        # Where an n-gram occurs within a longer match it is the one meant: these come first (the sort is stable).
        within = [min(longest[i : i + order]) for i in range(len(tokens) - order + 1)]
        for start in sorted(range(len(within)), key=lambda i: not within[i]):
            ngram = tuple(tokens[start : start + order])
            if left.get(ngram, 0):
                left[ngram] -= 1
                longest[start : start + order] = [max(order, known) for known in longest[start : start + order]]
    return {"tokens": list(tokens), "longest_match": longest, "length": len(tokens)}


def _order(order: int, counts: Counter, allowed: Counter, minimum_total: int) -> dict[str, Any]:
    own = {ngram: count for ngram, count in counts.items() if len(ngram) == order}
    listed = [
        {"ngram": list(ngram), "count": count, "allowed": allowed[ngram]}
        for ngram, count in own.items()
        if count > allowed[ngram]
    ]
    return {
        "order": order,
        "total": max(sum(own.values()), minimum_total),
        "unclipped_matches": sum(count for ngram, count in own.items() if ngram in allowed),
        "matches": sum(min(count, allowed[ngram]) for ngram, count in own.items()),
        "clipped": [ngram for ngram in listed if ngram["allowed"]],
        "missed": [ngram for ngram in listed if not ngram["allowed"]],
    }
