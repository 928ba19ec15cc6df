"""Published scores as people have them: a number, the line or JSON that a tool prints, a dict.

`read_published` is the only reader, for the metric and for the demo. A line tells more than a
score: a signature, precisions, the brevity penalty, lengths. All of them are conditions of a
search.

The lines themselves are read in `lines.py`.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from ..options.signature import SCORE_NOTATION, SignatureContent, read_signature
from ..shared.arrays import to_python
from ..shared.messages import invalid
from .lines import (
    CONDITIONS,
    EXPECTED_SCORE,
    WORD_BLEU,
    Conditions,
    PublishedLine,
    Rounded,
    count_decimals,
    describe_conditions,
    list_numbers,
    read_conditions,
    read_line,
    to_list,
)


@dataclass(frozen=True, kw_only=True)
class Published(PublishedLine):
    """A published score.

    reported: the score as the user passed it, in plain Python types.
    written: the number in it, as it is written.
    number: its value, from 0 to 1 or from 0 to 100.
    decimals: the number of known decimals.
    scale: 1 or 100 if it is known, None if the number can be on either scale.
    signature: the signature beside the score, or None.
    conditions: the other values on the line.
    source: the tool that prints such a line, as the object of a sentence; empty if it is unknown.
    has_other_numbers: True if the line has numbers that are not its score.
    """

    reported: object
    number: float
    decimals: int

    def describe(self) -> str:
        """Return how a line was read, as a sentence; empty for a number alone.

        >>> read_published("27.3%").describe()
        ''
        >>> read_published("BLEU = 27.3, 58.1/33.2/20.9/13.5 (BP=1.000)").describe()
        'Read as 27.3 with precisions 58.1/33.2/20.9/13.5, brevity penalty 1.'
        >>> read_published("BLEU after 3 epochs: 33.1").describe()
        'Read as 33.1.'
        """
        if not (self.conditions or self.source or self.has_other_numbers):
            return ""
        sentence = f"Read as {self.written}"
        if self.source:
            sentence += f" from {self.source}"
        if self.conditions:
            sentence += f" with {describe_conditions(self.conditions.to_dict())}"
        return f"{sentence}."


def read_published(reported: object, decimals: int | None = None) -> Published:
    """Read a published score: a number, a line that a tool prints, JSON, or a dict of results.

    Args:
        reported: the score.
        decimals: the number of its known decimals; None for those that it is written with.

    Raises:
        ValueError: `reported` has no BLEU score or several, its signature cannot be read, or
            `decimals` is not a number of decimals.

    >>> read_published("27,30").number, read_published("COMET 0.85, BLEU 33.1").number
    (27.3, 33.1)
    >>> read_published("BLEU 33.1, BLEU 34.2")
    Traceback (most recent call last):
    ValueError: reported='BLEU 33.1, BLEU 34.2': pass one BLEU score, not 33.1 and 34.2.
    """
    # 1. Find the number, and what is beside it.
    plain = _to_shown(reported)
    if isinstance(plain, Mapping):
        plain = {str(key): _to_shown(value) for key, value in plain.items()}
    line = _read_any(plain)
    # 2. Read the number.
    written = SCORE_NOTATION.fullmatch(line.written)
    if written is None:
        raise invalid("reported", plain, EXPECTED_SCORE)
    number = Decimal(written[1].replace(",", "."))
    if not 0 <= number <= 100:
        raise invalid("reported", plain, "a score from 0 to 1 or from 0 to 100")
    # 3. Count its decimals, if they are not known.
    if decimals is None:
        known_decimals = count_decimals(number)
    elif isinstance(decimals, bool) or not hasattr(decimals, "__index__") or decimals < 0:
        raise invalid("decimals", decimals, "a whole number of 0 or more")
    else:
        known_decimals = int(decimals)
    return Published(**vars(line), reported=plain, number=float(number), decimals=known_decimals)


def _to_shown(value: object) -> Any:
    """Convert NumPy's types; a float keeps the decimals that it displays.

    `tolist` would turn a 32-bit 66.87 into 66.87000274658203.
    """
    return float(str(value)) if isinstance(value, np.floating) else to_python(value)


def _read_any(plain: object) -> PublishedLine:
    """Read a score of any type."""
    if isinstance(plain, Mapping):
        return _read_report(plain, plain)
    if isinstance(plain, str):
        structure = _parse_structure(plain)
        if structure is not None:
            return _read_report(structure, plain)
        alone = SCORE_NOTATION.fullmatch(plain)
        return PublishedLine(alone[1]) if alone else read_line(plain)
    if isinstance(plain, bool) or SCORE_NOTATION.fullmatch(str(plain)) is None:
        raise invalid("reported", plain, EXPECTED_SCORE)
    return PublishedLine(str(plain))


class Reading(NamedTuple):
    """A published number, read as a score on one of the two scales.

    scale: 1 or 100.
    bleu: the number on the scale 0-1.
    rounding: the distance between two numbers with as many decimals, on the scale 0-1.
    """

    scale: int
    bleu: float
    rounding: float


def list_readings(number: float, decimals: int, scale: int | None = None) -> list[Reading]:
    """List the readings of a published number, the most likely first.

    >>> list_readings(0.5, decimals=1)
    [Reading(scale=1, bleu=0.5, rounding=0.1), Reading(scale=100, bleu=0.005, rounding=0.001)]
    """
    scales = [1, 100] if decimals else [100, 1]
    if scale is not None or number > 1:
        scales = [scale or 100]
    # A whole number is known to half a point on both scales: on the scale 0-1, it can only be a
    # perfect score.
    return [
        Reading(scale, number / scale, 10.0**-decimals / scale if decimals else 0.01)
        for scale in scales
    ]


# --- JSON and dicts -------------------------------------------------------------------------------


def _parse_structure(text: str) -> object:
    """Return the value of JSON, or of Python's notation for a dict or list; None for other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _read_report(report: object, reported: object) -> PublishedLine:
    """Read the JSON of sacreBLEU, a dict of evaluate's modules or of this metric, or a log entry.

    >>> _read_report({"eval_loss": 2.1, "eval_bleu": 27.3}, "").written
    '27.3'
    """
    # 1. sacreBLEU prints a list if it was asked for several metrics.
    if isinstance(report, list) and all(isinstance(entry, Mapping) for entry in report):
        entries = [entry for entry in report if WORD_BLEU.search(str(entry.get("name", "")))]
        if len(entries) != 1:
            raise invalid("reported", reported, "the result of one BLEU score")
        (report,) = entries
    if not isinstance(report, Mapping):
        raise invalid("reported", reported, EXPECTED_SCORE)
    # 2. The results of known tools.
    is_score_of_bleu = "score" in report and WORD_BLEU.search(str(report.get("name", "BLEU")))
    if is_score_of_bleu and "verbose_score" in report:
        conditions, _ = read_conditions(str(report["verbose_score"]))
        return PublishedLine(
            _write(report["score"], reported),
            scale=100,
            signature=_find_signature(report),
            conditions=conditions,
            source="the JSON of sacreBLEU",
        )
    if "bleu" in report and "precisions" in report:
        return PublishedLine(
            _write(report["bleu"], reported),
            scale=1,
            signature=_find_signature(report),
            conditions=_read_statistics(report, is_sacrebleus=False),
            source="the result of `compute`",
        )
    if is_score_of_bleu and "precisions" in report:
        return PublishedLine(
            _write(report["score"], reported),
            scale=100,
            signature=_find_signature(report),
            conditions=_read_statistics(report, is_sacrebleus=True),
            source="the result of evaluate's `sacrebleu`",
        )
    # 3. Any dict with one BLEU score. The scale is unknown.
    named = {key: value for key, value in report.items() if WORD_BLEU.search(str(key))}
    if not named and is_score_of_bleu:
        named = {"score": report["score"]}
    numbers = {
        key: value
        for key, value in named.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    if len(numbers) > 1:
        listed = list_numbers([f"{key}={value}" for key, value in numbers.items()])
        raise invalid("reported", reported, f"one BLEU score, not {listed}")
    for value in numbers.values():
        return PublishedLine(_write(value, reported), signature=_find_signature(report))
    raise invalid("reported", reported, "a dict with one BLEU score")


def _write(score: object, reported: object) -> str:
    """Return the digits of a score; `reported` is for the error."""
    if isinstance(score, bool) or SCORE_NOTATION.fullmatch(str(score)) is None:
        raise invalid("reported", reported, "a dict with one BLEU score")
    return str(score)


def _read_statistics(report: Mapping[str, Any], *, is_sacrebleus: bool) -> Conditions:
    """Read the statistics of a result, which has all digits: this metric's, or `sacrebleu`'s."""
    found = Conditions()
    for key, condition in CONDITIONS.items():
        if condition.key_of_sacrebleu is None:
            continue
        value = report.get(condition.key_of_sacrebleu if is_sacrebleus else key)
        if condition.is_count and isinstance(value, (int, float)):
            found[key] = (Rounded(int(value), 0.0),)
        elif isinstance(value, (list, tuple, int, float)):
            scale = condition.scale if is_sacrebleus else 1
            found[key] = tuple(Rounded(float(number) / scale, 0.0) for number in to_list(value))
    return found


def _find_signature(report: Mapping[str, Any]) -> SignatureContent | None:
    """Read the signature that a result has; None without one."""
    text = report.get("signature")
    return read_signature(text, "reported") if isinstance(text, str) and text else None
