"""The formula of a score: BP · (17/18 · 10/17 · 7/16 · 4/15)^(1/4).

`explain`, HTML and the demo show it. Precisions are fractions. The numerator of a smoothed
precision is the number of matches that would give it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..shared.messages import count_things
from .wording import ResultDict, write_number


class PrecisionTerm(NamedTuple):
    """A precision in the formula.

    text: a fraction, or a number if no fraction equals the precision.
    meaning: the counts, and the effect of smoothing.
    is_smoothed: True if smoothing changed it.
    """

    text: str
    meaning: str
    is_smoothed: bool


def explain_precision(matches: int, total: int, precision: float) -> PrecisionTerm:
    """Write a precision as a fraction, whose numerator smoothing may have changed.

    >>> explain_precision(17, 18, 17 / 18).text, explain_precision(0, 16, 1 / 32).meaning
    ('17/18', '0 of 16 match; smoothed to 0.5/16')
    """
    meaning = f"{matches:,} of {total:,} match"
    if total:
        is_smoothed = abs(precision * total - matches) > 1e-9 * total
        smoothed = f"{precision * total:,.4g}/{total:,}"
    else:
        is_smoothed = precision != 0
        smoothed = f"{precision:.4g}"
    if not is_smoothed:
        return PrecisionTerm(f"{matches:,}/{total:,}", meaning, is_smoothed=False)
    return PrecisionTerm(smoothed, f"{meaning}; smoothed to {smoothed}", is_smoothed=True)


def list_terms(result: ResultDict) -> list[tuple[PrecisionTerm, float]]:
    """Return the precisions with a weight in a segment's score, each with its weight."""
    orders = zip(result["counts"], result["totals"], result["precisions"], result["weights"])
    return [
        (explain_precision(matches, total, precision), weight)
        for matches, total, precision, weight in orders
        if weight
    ]


def plain_formula(result: ResultDict) -> str:
    """Write the formula with its numbers as plain text.

    >>> counts = {"counts": [2, 1], "totals": [3, 2], "precisions": [2 / 3, 1 / 2]}
    >>> plain_formula({**counts, "weights": [0.5, 0.5], "brevity_penalty": 1.0})
    '1 · (2/3 · 1/2)^(1/2)'
    """
    terms = [(term.text, weight) for term, weight in list_terms(result)]
    return f"{write_number(result['brevity_penalty'])} · {multiply(terms, '^{}', '^({})')}"


def multiply(terms: Sequence[tuple[str, float]], power: str, fraction_power: str) -> str:
    """Write a product of weighted terms, as powers or as one power if all weights are equal.

    `power` is the format of an exponent, `fraction_power` that of an exponent that is a fraction.

    >>> multiply([("2/3", 0.5), ("1/2", 0.5)], "^{}", "^({})")
    '(2/3 · 1/2)^(1/2)'
    >>> multiply([("2/3", 0.7), ("1/2", 0.3)], "^{}", "^({})")
    '(2/3)^0.7 · (1/2)^0.3'
    """
    if not terms:
        return "no n-gram"
    bases = list(terms)
    weights = {weight for _, weight in terms}
    if len(weights) == 1:  # one power, whose base is the product
        bases = [(" · ".join(text for text, _ in terms), weights.pop())]
    return " · ".join(
        f"({base}){_write_power(weight, power, fraction_power)}" for base, weight in bases
    )


def _write_power(weight: float, power: str, fraction_power: str) -> str:
    """Write a weight as an exponent, in a format of `multiply`; an exponent of 1 is left out."""
    denominator = round(1 / max(weight, 1e-9))
    if denominator > 1 and abs(weight * denominator - 1) < 1e-9:
        return fraction_power.format(f"1/{denominator}")
    exponent = f"{weight:.4g}"
    return "" if exponent == "1" else power.format(exponent)


def describe_penalty(result: ResultDict) -> str:
    """Describe the brevity penalty and the lengths that it depends on.

    >>> describe_penalty({"translation_length": 4, "reference_length": 5})
    'Brevity penalty exp(1 − 5/4): 4 tokens against 5 in the reference'
    """
    length = result["translation_length"]
    reference_length = result["reference_length"]
    lengths = f"{count_things(length, 'token')} against {reference_length:,} in the reference"
    if length >= reference_length:
        return f"No brevity penalty: {lengths}"
    rule = f"exp(1 − {reference_length:,}/{length:,})" if length else "0"
    return f"Brevity penalty {rule}: {lengths}"
