"""What matches: the words that a reference has in a row, too, in color and in a table.

A stretch is a sequence of tokens that another text has, too, and that can't be made longer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from . import html
from .metric import core

if TYPE_CHECKING:
    from bleu_metric.bleu_core import Explanation, NGramCount, OrderMatches

# The first token of a text, and the token behind the last one.
Stretch = tuple[int, int]


def find_stretches(text: Sequence[str], others: Sequence[Sequence[str]]) -> list[Stretch]:
    """Return the stretches of a text: sequences of tokens that one of the other texts has, too.

    Each n-gram that another text has lies in one of them, or in several that overlap.

    >>> find_stretches(["a", "b", "c", "x", "d"], [["a", "b"], ["b", "c"], ["d"]])
    [(0, 2), (1, 3), (4, 5)]
    """
    # With one character per token, Python searches for a sequence as for a part of a str.
    codes: dict[str, str] = {}
    for token in chain(text, *others):
        codes.setdefault(token, chr(1 + len(codes)))
    written, *searched = ("".join(map(codes.__getitem__, tokens)) for tokens in [text, *others])
    all_searched = "\0".join(searched)
    stretches = []
    end = 0
    for start in range(len(written)):
        before = end = max(end, start)
        while end < len(written) and written[start : end + 1] in all_searched:
            end += 1
        if end > before:  # otherwise it is the end of the stretch before
            stretches.append((start, end))
    return stretches


def list_stretches(explanation: Explanation) -> list[Stretch]:
    """Return the stretches of a candidate."""
    references = [text["tokens"] for text in explanation["references"]]
    return find_stretches(explanation["prediction"]["tokens"], references)


def draw_sums(explanation: Explanation, label: str, unit: str, marked: Collection[int]) -> str:
    """Return the tokens of a candidate, and how its stretches add up; `unit` names a token."""
    stretches = list_stretches(explanation)
    drawn = draw_candidate(explanation, stretches, label, marked)
    return f"{drawn}{tell_case(explanation)}{add_up(explanation, stretches, unit)}"


def draw_candidate(
    explanation: Explanation,
    stretches: Sequence[Stretch],
    label: str,
    marked: Collection[int] = (),
) -> str:
    """Return the tokens of a candidate, with the length of each stretch of several."""
    tokens = explanation["prediction"]["tokens"]
    struck = find_struck(explanation)
    drawn_stretches = [
        (start, end) for start, end in stretches if end - start > 1 or start not in struck
    ]
    length = html.count_things(len(tokens), "token")
    head = f'<div class="bleu-label">{html.show(label)} <small>{length}</small></div>'
    drawn = draw_tokens(tokens, drawn_stretches, marked, struck)
    return f'<div class="bleu-tokens candidate">{head}{drawn}</div>'


def draw_references(explanation: Explanation) -> str:
    """Return the tokens of the references, each of which a visitor may close."""
    drawn = ""
    for i, text in enumerate(explanation["references"]):
        remark = ", used for the length" if i == explanation["effective_reference"] else ""
        length = html.count_things(text["length"], "token")
        stretches = find_stretches(text["tokens"], [explanation["prediction"]["tokens"]])
        drawn += (
            f'<details open class="bleu-reference" data-fold="reference {i + 1}">'
            f'<summary class="bleu-label">Reference {i + 1}{remark} <small>{length}</small>'
            f'</summary><div class="bleu-tokens">{draw_tokens(text["tokens"], stretches)}</div>'
            "</details>"
        )
    return drawn


def draw_tokens(
    tokens: Sequence[str],
    stretches: Sequence[Stretch],
    marked: Collection[int] = (),
    struck: Collection[int] = (),
) -> str:
    """Return tokens in which the stretches are colored.

    Tokens of `struck`, and those outside of stretches, are underlined with dots; `marked` ones
    with a line.

    >>> draw_tokens(["a", "b", "<c>"], [(0, 2)])
    '<p dir="auto"><span class="stretch"><span class="token" data-length="2">a</span> \
<span class="token">b</span></span> <span class="token missed">&lt;c&gt;</span></p>'
    """
    # Stretches that overlap have one box, in which what they share is marked.
    lengths = {start: end - start for start, end in stretches}
    covered = Counter(i for start, end in stretches for i in range(start, end))
    joined = {i for start, end in stretches for i in range(start + 1, end)}
    drawn = []
    for i, token in enumerate(tokens):
        kind = " shared" if covered[i] > 1 else ""
        if i in struck or not covered[i]:
            kind += " missed"
        length = f' data-length="{lengths[i]}"' if i in lengths else ""
        markup = f'<span class="token{kind}"{length}>{html.show(token)}</span>'
        if i in marked:
            markup = f"<mark>{markup}</mark>"
        opening = '<span class="stretch">' if covered[i] and i not in joined else ""
        closing = "</span>" if covered[i] and i + 1 not in joined else ""
        drawn.append(f"{opening}{markup}{closing}")
    return f'<p dir="auto">{" ".join(drawn) or "<em>empty</em>"}</p>'


def add_up(explanation: Explanation, stretches: Sequence[Stretch], unit: str) -> str:
    """Return the table in which stretches add up to matches.

    It adds up for all texts and options: n-grams that are in two stretches, or that occur more
    often than in a reference, are subtracted.
    """
    # 1. The stretches, the longest first, and single words.
    weighted = zip(explanation["orders"], explanation["weights"])
    orders = [order for order, weight in weighted if weight]
    sizes = np.array([order["order"] for order in orders])
    lengths = Counter(end - start for start, end in stretches)
    rows = []
    for length, times in sorted(lengths.items(), reverse=True):
        name = f"{length} in a row"
        if length == 1:
            name = html.count_things(times, f"single {unit}")
        elif times > 1:
            name = f"{times} × {name}"
        ngrams = times * np.maximum(length - sizes + 1, 0)
        rows.append([name, *map(str, ngrams)])
    # 2. N-grams that don't count.
    overlaps = [end - start for (_, end), (start, _) in pairwise(stretches)]
    shared = sum((np.maximum(overlap - sizes + 1, 0) for overlap in overlaps), 0 * sizes)
    surplus = np.array([order["unclipped_matches"] - order["matches"] for order in orders])
    for name, ngrams in (("overlaps", shared), ("too many", surplus)):
        if ngrams.any():
            rows.append([name, *(html.write_signed(-count, 0) for count in ngrams)])
    # 3. The sums, and precisions.
    matches = [f"{order['matches']:,}/{order['total']:,}" for order in orders]
    rows.append([html.bold("matches"), *map(html.bold, matches)])
    terms = [term for term, _ in core.list_terms(explanation)]
    if any(term.is_smoothed for term in terms):
        rows.append(["smoothed", *(term.text for term in terms)])
    precisions = [explanation["precisions"][size - 1] for size in sizes]
    rows.append(["precision", *(f"{100 * precision:.3g}%" for precision in precisions)])
    head = ["sequences of", *(f"{size}" for size in sizes)]
    return html.rows(head, rows)


def tell_case(explanation: Explanation) -> str:
    """Return a sentence if more tokens of the candidate would match without regard to case."""
    most: Counter[str] = Counter()
    for text in explanation["references"]:
        most |= Counter(map(str.lower, text["tokens"]))
    candidate = Counter(map(str.lower, explanation["prediction"]["tokens"]))
    more = (candidate & most).total() - explanation["orders"][0]["matches"]
    told = f"{more:,} more would match if case were ignored."
    return html.paragraph(told, "note") if more else ""


def write_formula(explanation: Explanation) -> str:
    """Return the formula of a score with its numbers, and the lengths, as HTML."""
    terms = [(term.text, weight) for term, weight in core.list_terms(explanation)]
    product = core.multiply(terms, "<sup>{}</sup>", "<sup>{}</sup>")
    penalty = core.write_number(explanation["brevity_penalty"])
    return (
        f'<p class="bleu-formula">100 · {penalty} · {product} = {explanation["score"]:.2f}<br>'
        f"<small>{core.describe_penalty(explanation)}</small></p>"
    )


def find_struck(explanation: Explanation) -> set[int]:
    """Return the tokens of a candidate that do not count: of a clipped one, the last occurrences.

    >>> the = [{"ngram": ["the"], "count": 3, "allowed": 2}]
    >>> order = {"order": 1, "matched": [], "clipped": the, "missed": []}
    >>> find_struck({"prediction": {"tokens": ["the", "the", "the"]}, "orders": [order]})
    {2}
    """
    counts = list_counts(explanation["orders"][0])
    allowed = {count["ngram"][0]: count["allowed"] for count in counts}
    return find_surplus(explanation["prediction"]["tokens"], allowed)


def find_surplus(tokens: Sequence[str], allowed: Mapping[str, int]) -> set[int]:
    """Return the tokens that occur more often than is allowed, the last occurrences of each.

    >>> find_surplus(["a", "b", "a", "a"], {"a": 2})
    {1, 3}
    """
    left = Counter(allowed)
    surplus = set()
    for i, token in enumerate(tokens):
        left[token] -= 1
        if left[token] < 0:
            surplus.add(i)
    return surplus


def list_counts(order: OrderMatches) -> list[NGramCount]:
    """Return the n-grams of an order, those that count first."""
    return [*order["matched"], *order["clipped"], *order["missed"]]


def find_mean(explanation: Explanation) -> float:
    """Return the weighted geometric mean of the precisions: the score without the penalty."""
    powers = []
    for precision, weight in zip(explanation["precisions"], explanation["weights"]):
        if weight:
            powers.append(precision**weight)
    return math.prod(powers) if powers else 0.0
