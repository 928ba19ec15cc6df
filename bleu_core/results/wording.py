"""Words of results: scores, names, intervals, p-values, verdicts, formulas; signs of a terminal.

The results of all methods write their sentences with these functions.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..rules.scores import NOISE
from ..shared.messages import count_things
from ..significance.intervals import describe_intervals
from ..significance.tests import ALL_TESTS

ResultDict = Mapping[str, Any]


def write_score(score: float) -> str:
    """Return a score as text on the scale 0-100.

    >>> write_score(0.45178)
    '45.18'
    """
    return f"{100 * score:.2f}"


def write_difference(points: float, decimals: int = 2) -> str:
    """Write a difference with its sign, which is never that of -0.0.

    >>> write_difference(-2.2), write_difference(-0.04, 1)
    ('-2.20', '+0.0')
    """
    return f"{round(points, decimals) + 0.0:+.{decimals}f}"


def write_points(difference: float) -> str:
    return write_difference(100 * difference)


def write_number(value: float) -> str:
    """Write four decimals, none for a whole number.

    >>> write_number(1.0), write_number(0.77880078)
    ('1', '0.7788')
    """
    return f"{value:.4f}" if value % 1 else f"{value:.0f}"


# --- Intervals, documents and runs ----------------------------------------------------------------


def describe_documents(result: ResultDict) -> str:
    """Write that documents were resampled, as the end of a phrase; "" for segments.

    >>> describe_documents({"documents": 171})
    ' by document (171 documents)'
    """
    if "documents" not in result:
        return ""
    return f" by document ({count_things(result['documents'], 'document')})"


def describe_shared(result: ResultDict) -> str:
    """Write that groups share documents, as the end of a phrase; "" if each has its own.

    Labels that start again in each group look the same, so the reader has to learn it.

    >>> describe_shared({"shared_documents": 40})
    '; 40 of them occur in several groups, and the macro-average draws these once for all groups'
    """
    if "shared_documents" not in result:
        return ""
    return (
        f"; {result['shared_documents']:,} of them occur in several groups, and the macro-average"
        " draws these once for all groups"
    )


def describe_score(scores: ResultDict, confidence: float | None) -> str:
    """Write a score with its interval, if it has one.

    >>> scores = {"score": 34.518, "confidence_interval": [0.331, 0.356]}
    >>> describe_score(scores, 0.95)
    '34.52 (95% CI 33.10 to 35.60, percentile bootstrap)'
    >>> describe_score({**scores, "degrees_of_freedom": 14.23, "documents": 20}, 0.95)
    '34.52 (95% CI 33.10 to 35.60, t with 14.2 degrees of freedom, 20 documents)'
    """
    score = f"{scores['score']:.2f}"
    facts = []
    if "run_standard_deviation" in scores:
        facts.append(
            f"{describe_runs(scores)},"
            f" standard deviation {write_score(scores['run_standard_deviation'])}"
        )
    if confidence and "confidence_interval" in scores:
        facts.append(describe_interval(scores, confidence))
    return f"{score} ({', '.join(facts)})" if facts else score


def name_interval(confidence: float | None) -> str:
    """Return the name of an interval.

    >>> name_interval(0.95)
    '95% CI'
    """
    return f"{100 * confidence:g}% CI" if confidence else "CI"


def describe_interval(scores: ResultDict, confidence: float) -> str:
    """Write the interval of a score, which kind it is, and how many documents it is from."""
    low, high = scores["confidence_interval"]
    interval = f"{name_interval(confidence)} {write_score(low)} to {write_score(high)}"
    facts = [interval, describe_intervals([scores])]
    if "documents" in scores:
        facts.append(count_things(scores["documents"], "document"))
    return ", ".join(facts)


def describe_runs(scores: ResultDict) -> str:
    """Write that a score is a mean of training runs.

    >>> describe_runs({"runs": {"seed 1": {"score": 30.0}, "seed 2": {"score": 31.0}}})
    'mean of 2 runs'
    """
    return f"mean of {count_things(len(scores['runs']), 'run')}"


# --- Tests and verdicts ---------------------------------------------------------------------------


def judge(p_value: float | None, alpha: float, level: str) -> str:
    """Write if a difference is more than chance; `level` is `alpha` in words.

    >>> judge(0.03, 0.05, "the 5% level"), judge(0.07, 0.05, "the 5% level")
    ('more than chance at the 5% level', 'may be chance at the 5% level')
    """
    if p_value is None:
        return "may be chance, because it was not tested"
    return f"{'more than' if p_value < alpha else 'may be'} chance at {level}"


def compare_scores(delta: float, other: object) -> str:
    """Write by how many points a score is higher or lower than that of another system.

    >>> compare_scores(-0.022, "A"), compare_scores(0.0, "A")
    ('2.20 points lower than A', 'the same as A')
    """
    if abs(delta) <= NOISE:
        return f"the same as {other}"
    points = 100 * abs(delta)
    size = f"{points:.2f}" if points >= 0.005 else "less than 0.01"
    return f"{size} points {'higher' if delta > 0 else 'lower'} than {other}"


def describe_test(result: ResultDict, tested: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the test, its number of resamples and what it resamples.

    The list is empty without a test.
    """
    if not any("p_value" in scores for scores in tested):
        return []
    documents = describe_documents(result) + describe_shared(result)
    return [f"{ALL_TESTS[result['test']].says}, {result['n_resamples']:,} resamples{documents}"]


def find_alpha(confidence: float | None) -> float:
    """Return the level of significance that goes with a confidence; 0.05 without one.

    >>> find_alpha(0.99), find_alpha(None)
    (0.01, 0.05)
    """
    return round(1 - (confidence or 0.95), 9)


def write_p(p_value: float) -> str:
    """Write a p-value, which is never 0.

    >>> write_p(0.0312), write_p(0.00001)
    ('0.0312', '<0.0001')
    """
    return f"{p_value:.4f}" if p_value >= 0.00005 else "<0.0001"


def write_equation_of_p(p_value: float) -> str:
    """Write a p-value in a sentence.

    >>> write_equation_of_p(0.0312), write_equation_of_p(0.00001)
    ('p = 0.0312', 'p < 0.0001')
    """
    written = write_p(p_value)
    return f"p < {written[1:]}" if written.startswith("<") else f"p = {written}"


# --- Names, keys and lists ------------------------------------------------------------------------


def find_in_signature(signature: str, key: str) -> str:
    """Return the value of a key of a signature, "" if it has no such key.

    >>> find_in_signature("nrefs:1|tok:13a", "tok")
    '13a'
    """
    found = re.search(rf"(?:^|\|){key}:([^|]*)", signature)
    return found[1] if found else ""


def write_label(label: object, summaries: Collection[str]) -> str:
    """Write the label of a group; in quotes if the name of a summary row or None could be meant.

    >>> summaries = ["macro-average"]
    >>> [write_label(label, summaries) for label in ("news", "macro-average", None, "None")]
    ['news', "'macro-average'", 'None', "'None'"]
    """
    if not isinstance(label, str):
        return str(label)
    is_clear = label not in ("", "None", *summaries) and label == label.strip()
    return str(label) if is_clear else repr(label)


def passing(arguments: str) -> str:
    """Return the clause that says which arguments add a key to a result.

    >>> passing("segments=True")
    'pass segments=True to get it'
    """
    return f"pass {arguments} to get it"


# How to get the keys that a comparison or a ranking lacks.
WAYS_TO_SETTINGS = {
    "confidence": f"{passing('confidence=0.95')}; it needs two or more segments (documents),"
    " and scores that vary",
    "documents": f"{passing('documents=labels')}; one document can't be resampled",
}

_LONGEST_CELL = 48  # characters of a cell


def write_name(name: object) -> str:
    """Write a name, label or n-gram on one line of at most 48 characters.

    >>> write_name("long " * 20)
    'long long long long long long long long long lo…'
    """
    text = escape_unseen(name)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


class _More(str):
    """The count of the items of a list that are not shown, which `repr` writes without quotes."""

    __repr__ = str.__str__


def shorten(value: object) -> object:
    """Shorten lists of more than 8 items to 3, and lists of more than 4 dicts or lists to 2.

    >>> shorten({"precisions": [1, 2, 3, 4], "scores": list(range(12))})
    {'precisions': [1, 2, 3, 4], 'scores': [0, 1, 2, ... 9 more]}
    """
    if isinstance(value, Mapping):
        return {name: shorten(item) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    is_nested = bool(value) and isinstance(value[0], (Mapping, list))
    if len(value) <= (4 if is_nested else 8):
        return [shorten(item) for item in value]
    count = 2 if is_nested else 3
    return [*map(shorten, value[:count]), _More(f"... {len(value) - count:,} more")]


# --- The formula of a score -----------------------------------------------------------------------
#
# BP · (17/18 · 10/17 · 7/16 · 4/15)^(1/4), as `explain`, HTML and the demo show it. Precisions are
# fractions. The numerator of a smoothed precision is the number of matches that would give it.


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


# --- What a terminal shows ------------------------------------------------------------------------

# Control characters, bidirectional controls, and lone surrogates. Joiners belong to the text.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escape_unseen(text: object) -> str:
    """Replace invisible characters that could forge a table with Python's escape sequences.

    >>> print(escape_unseen("A\\n\\u202eB"))
    A\\n\\u202eB
    """
    return _UNSEEN.sub(lambda match: ascii(match.group()).strip("'"), str(text))


# What stands for the signs in tables where a terminal has only those of its code page.
_PLAIN_SIGNS = {
    "⟦": "[", "⟧": "]", "…": "...", "–": "-", "·": "*", "×": "x", "±": "+/-", "μ": "mu",
}  # fmt: skip


def fit_terminal(text: object) -> str:
    """Write a text in characters that `sys.stdout` can encode, and without invisible ones."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return escape_unseen(text).encode(encoding, "bleu_metric.plain_signs").decode(encoding)


def _substitute_sign(error: UnicodeError) -> tuple[str, int]:
    """Write a character that an encoding lacks with plain signs, or as Python's escape sequence."""
    assert isinstance(error, UnicodeEncodeError)
    character = error.object[error.start]
    return _PLAIN_SIGNS.get(character, ascii(character).strip("'")), error.start + 1


codecs.register_error("bleu_metric.plain_signs", _substitute_sign)
