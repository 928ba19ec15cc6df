"""The formula of a segment's score, with its numbers: BP · (17/18 · 10/17 · 7/16 · 4/15)^(1/4).

A precision is the fraction that was counted. One that was smoothed is written with as many matches as would give it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Explanation = Mapping[str, Any]


class Factor(NamedTuple):
    """A precision as it stands in the formula.

    text: a fraction, or a number where no fraction gives it.
    meaning: what was counted, and what smoothing made of it.
    is_smoothed: whether it did.
    """

    text: str
    meaning: str
    is_smoothed: bool


def explain_precision(matches: int, total: int, precision: float) -> Factor:
    """A precision as a fraction; where it was smoothed, with as many matches as would give it.

    >>> explain_precision(17, 18, 17 / 18).text, explain_precision(0, 16, 1 / 32).meaning
    ('17/18', '0 of 16 match; smoothed to 0.5/16')
    """
    meaning = f"{matches:,} of {total:,} match"
    if abs(precision * total - matches) <= 1e-9 * total and (total or not precision):
        return Factor(f"{matches:,}/{total:,}", meaning, False)
    text = f"{precision * total:,.4g}/{total:,}" if total else f"{precision:.4g}"
    return Factor(text, f"{meaning}; smoothed to {text}", True)


def list_factors(result: Explanation) -> list[tuple[Factor, float]]:
    """The precisions that are part of a segment's score, each with its weight."""
    counts = zip(result["counts"], result["totals"], result["precisions"])
    factors = [explain_precision(*count) for count in counts]
    return [(factor, weight) for factor, weight in zip(factors, result["weights"]) if weight]


def plain_formula(result: Explanation) -> str:
    """The formula with its numbers, as plain text.

    >>> numbers = {"counts": [2, 1], "totals": [3, 2], "precisions": [2 / 3, 1 / 2], "weights": [0.5, 0.5]}
    >>> plain_formula({**numbers, "brevity_penalty": 1.0})
    '1 · (2/3 · 1/2)^(1/2)'
    """
    product = multiply([(factor.text, weight) for factor, weight in list_factors(result)], "^{}", "^({})")
    return f"{write_number(result['brevity_penalty'])} · {product}"


def multiply(factors: Sequence[tuple[str, float]], power: str, fraction_power: str) -> str:
    """A product of powers; one power of the whole product where all weights are equal.

    Args:
        factors: texts, each with its weight.
        power: how an exponent is written.
        fraction_power: how one is that is a fraction.

    >>> multiply([("2/3", 0.5), ("1/2", 0.5)], "^{}", "^({})"), multiply([("2/3", 0.7), ("1/2", 0.3)], "^{}", "^({})")
    ('(2/3 · 1/2)^(1/2)', '(2/3)^0.7 · (1/2)^0.3')
    """

    def raise_to(base: str, weight: float) -> str:
        exponent = _exponent(weight)
        return base + (fraction_power if "/" in exponent else power).format(exponent) if exponent != "1" else base

    if len({weight for _, weight in factors}) == 1:
        product = " · ".join(text for text, _ in factors)
        return raise_to(f"({product})", factors[0][1])
    return " · ".join(raise_to(f"({text})", weight) for text, weight in factors) or "no n-gram"


def write_number(value: float) -> str:
    """Four decimals, none for a whole number.

    >>> write_number(1.0), write_number(0.77880078)
    ('1', '0.7788')
    """
    return f"{value:.4f}" if value % 1 else f"{value:.0f}"


def describe_penalty(result: Explanation) -> str:
    """The brevity penalty and the lengths that it comes from, in words.

    >>> describe_penalty({"translation_length": 4, "reference_length": 5})
    'Brevity penalty exp(1 − 5/4): 4 tokens against 5 in the reference'
    """
    length, reference_length = result["translation_length"], result["reference_length"]
    lengths = f"{length:,} token{'' if length == 1 else 's'} against {reference_length:,} in the reference"
    if length >= reference_length:
        return f"No brevity penalty: {lengths}"
    rule = f"exp(1 − {reference_length:,}/{length:,})" if length else "0"
    return f"Brevity penalty {rule}: {lengths}"


def _exponent(weight: float) -> str:
    parts = round(1 / max(weight, 1e-9))
    return ("1" if parts == 1 else f"1/{parts}") if abs(weight * parts - 1) < 1e-9 else f"{weight:.4g}"
