"""Published scores as people have them: a number, the line or JSON that a tool prints, a dict.

`read_published` is the only reader, for the metric and for the demo. A line tells more than a
score: a signature, precisions, the brevity penalty, lengths. All of them are conditions of a
search. To read the line of another tool, add a `Condition` to `CONDITIONS`, or a pattern.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, cast

import numpy as np

from ..options.signature import SCORE_NOTATION, SIGNATURE_KEY, SignatureContent, read_signature
from ..rules.scores import NOISE
from ..shared.arrays import to_python
from ..shared.messages import invalid
from ..shared.result_types import ConditionsContent

_MOST_CANDIDATES = 5  # that an error lists

EXPECTED_SCORE = "a number, or a str such as '27.30'"


class Rounded(NamedTuple):
    """A number as it was printed, divided by the scale that it was printed on.

    value: the number, from 0 to 1 for a score.
    unit: the distance between two numbers with as many decimals.
    scale: 1 or 100.
    """

    value: float
    unit: float
    scale: int = 1

    @classmethod
    def of_text(cls, text: str, scale: int = 1) -> Rounded:
        """Read a number.

        >>> Rounded.of_text("58.1", scale=100)
        Rounded(value=0.581, unit=0.001, scale=100)
        """
        return cls(float(text) / scale, 10.0 ** -count_decimals(Decimal(text)) / scale, scale)

    def is_rounded_from(self, number: float) -> bool:
        """Return True if a number rounds to this one.

        Half a unit is accepted in both directions, because tools round it up or down. Scores of two
        tools may differ by floating-point noise.

        >>> [Rounded(0.273, 0.001).is_rounded_from(score) for score in (0.2724, 0.2735, 0.2736)]
        [False, True, False]
        """
        return abs(number - self.value) <= self.unit / 2 + NOISE


class Conditions(dict[str, tuple[Rounded, ...]]):
    """The other values on a line (precisions, brevity penalty, lengths), by keys of `CONDITIONS`.

    `precisions` has one value per order, after smoothing and on the scale 0-1; others have one.
    """

    def find_differences(self, scores: Mapping[str, Any]) -> ConditionsContent:
        """Return the values of a result that differ from these; keys that it lacks are left out.

        >>> conditions = Conditions(translation_length=(Rounded(9, 0.0),))
        >>> conditions.find_differences({"translation_length": 9})
        {}
        """
        content: dict[str, Any] = {}
        for key in self.keys() & scores.keys():
            numbers = to_list(scores[key])
            are_equal = all(map(Rounded.is_rounded_from, self[key], numbers))
            if len(numbers) != len(self[key]) or not are_equal:
                content[key] = scores[key]
        return cast(ConditionsContent, content)

    def to_dict(self) -> ConditionsContent:
        """Return the known values as plain numbers.

        >>> Conditions(brevity_penalty=(Rounded(0.98, 0.001),)).to_dict()
        {'brevity_penalty': 0.98}
        """
        content: dict[str, Any] = {}
        for key, printed in self.items():
            values = [rounded.value for rounded in printed]
            content[key] = values if key == "precisions" else values[0]
        return cast(ConditionsContent, content)


def to_list(value: Any) -> list[Any]:
    """Return the numbers of a value, of which the precisions have several."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def describe_conditions(content: ConditionsContent, keys: Collection[str] | None = None) -> str:
    """Write values beside a score for a sentence.

    >>> describe_conditions({"brevity_penalty": 0.98})
    'brevity penalty 0.98'
    """
    values: Mapping[str, Any] = content
    known = []
    for key, condition in CONDITIONS.items():
        if key in (values if keys is None else keys):
            shown = [
                f"{condition.scale * number:{condition.form}}" for number in to_list(values[key])
            ]
            known.append(condition.says.format("/".join(shown)))
    return ", ".join(known)


@dataclass(frozen=True)
class PublishedLine:
    """The parts of a reported score, before its number is checked. `Published` describes them."""

    written: str
    scale: int | None = None
    signature: SignatureContent | None = None
    conditions: Conditions = field(default_factory=Conditions)
    source: str = ""
    has_other_numbers: bool = False


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
    number = _to_decimal(written[1])
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
    return PublishedLine(str(plain))


def list_readings(number: float, decimals: int, scale: int | None = None) -> list[Rounded]:
    """List the readings of a published number on the two scales, the most likely first.

    >>> list_readings(0.5, decimals=1)
    [Rounded(value=0.5, unit=0.1, scale=1), Rounded(value=0.005, unit=0.001, scale=100)]
    """
    scales = [1, 100] if decimals else [100, 1]
    if scale is not None or number > 1:
        scales = [scale or 100]
    # A whole number is known to half a point on both scales: on the scale 0-1, it can only be a
    # perfect score.
    return [
        Rounded(number / scale, 10.0**-decimals / scale if decimals else 0.01, scale)
        for scale in scales
    ]


def count_decimals(number: Decimal) -> int:
    """Return the number of decimals that a number is written with.

    >>> count_decimals(Decimal("27.30")), count_decimals(Decimal("1E-5"))
    (2, 5)
    """
    return max(0, -int(number.as_tuple().exponent))


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


# --- Lines ----------------------------------------------------------------------------------------

_NUMBER = r"\d+(?:[.,]\d+)?"

# The first keys with whatever separates them, so that `read_signature` rejects other separators
# than a bar.
_SIGNATURE = re.compile(
    rf"(?:BLEU\|)?({SIGNATURE_KEY}[^|\s()]+(?:[^\w=()]{{1,5}}[^|\s():]+:[^|\s()]+)*)"
)
_OTHER_SIGNATURE = re.compile(r"\|\S*\w:\S|\w:\S*\|")  # of a key that is not one of BLEU
_OLD_SIGNATURE = re.compile(r"BLEU(?:\s*\+\s*[A-Za-z#]+\.[^\s+]+)+")


class Condition(NamedTuple):
    """A value that may stand beside a score.

    pattern: finds it in a line; its group has the number, or several with slashes.
    key_of_sacrebleu: its key in results of evaluate's `sacrebleu`; None if results are not asked.
    says: how a sentence writes it.
    form: the format of its numbers there.
    scale: the scale that it is printed on.
    is_count: True for a number of tokens, which is never rounded.
    """

    pattern: re.Pattern[str]
    key_of_sacrebleu: str | None
    says: str
    form: str = ".4g"
    scale: int = 1
    is_count: bool = False

    def read(self, text: str) -> tuple[Rounded, ...]:
        """Return the numbers in a match of the pattern."""
        if self.is_count:
            return (Rounded(int(text), 0.0),)
        numbers = text.replace(",", ".").split("/")
        return tuple(Rounded.of_text(number, self.scale) for number in numbers)


# By their keys in the result of `compute`.
CONDITIONS = {
    "precisions": Condition(
        # 58.1/33.2/20.9/13.5; two numbers only if what follows shows that they are precisions.
        re.compile(
            rf"(?<![\w./])({_NUMBER}(?:(?:/{_NUMBER}){{2,}}(?![\w/])|/{_NUMBER}(?=\s*\(\s*BP\b)))"
        ),
        "precisions",
        "precisions {}",
        scale=100,
    ),
    "brevity_penalty": Condition(
        re.compile(r"\bBP\s*=\s*(\d+(?:\.\d+)?)", re.IGNORECASE), "bp", "brevity penalty {}"
    ),
    "length_ratio": Condition(
        re.compile(r"\bratio\s*=\s*(\d+(?:\.\d+)?)", re.IGNORECASE), None, "length ratio {}"
    ),
    "translation_length": Condition(
        re.compile(r"\b(?:hyp_?len|sys_?len)\s*=\s*(\d+)", re.IGNORECASE),
        "sys_len",
        "{} tokens in the predictions",
        form=",",
        is_count=True,
    ),
    "reference_length": Condition(
        re.compile(r"\bref_?len\s*=\s*(\d+)", re.IGNORECASE),
        "ref_len",
        "{} in the references",
        form=",",
        is_count=True,
    ),
}

# An interval beside a score: (μ = 27.3 ± 0.5), ± 0.5, [26.8, 27.8], and LaTeX's _{\pm 0.5}.
_INTERVAL = re.compile(
    rf"\(\s*[μµ]\s*=[^()]*\)|[$_{{]*(?:±|\+/-|\+-|\\pm)[\s$}}]*{_NUMBER}[$}}]*|(?:\d+% CI:?\s*)?"
    rf"\[\s*{_NUMBER}\s*[,;–-]\s*{_NUMBER}\s*\]"
)
# One in parentheses can be two scores; it is an interval if the number before is within it.
_BOUNDS = re.compile(
    rf"({_NUMBER})%?\s*\((?:\d+\s*%\s*CI\b)?[:=\s]*({_NUMBER})\s*(?:[,;–-]|to)\s*({_NUMBER})\s*\)"
)
_OF_100 = re.compile(r"(?<=\d)\s*(?:/|out of)\s*100(?![\w.,/%])")

# --- The score among the numbers of a line --------------------------------------------------------

# A number that is not part of a word, of a longer number, of a time, or of a name such as BLEU-4.
_WRITTEN_SCORE = re.compile(
    rf"(?<![\w.,/@-])(?<!\d:)(?:{_NUMBER}|\.\d+)(?:e[+-]?\d{{1,3}})?"
    r"(?![\w/@]|:\d|[.,]\d|%\w|-\w)"
)
WORD_BLEU = re.compile(r"bleu(?!rt)", re.IGNORECASE)
_OTHER_METRIC = re.compile(
    r"\b(?:comet\w*|chrf\w*|(?:h|c)?ter|meteor|rouge\w*|bertscore|bleurt|nist|cider\w*|spice|gleu|"
    r"metricx\w*|xcomet\w*|yisi\w*|wer|cer|ppl|perplexity|\w*loss|acc|accuracy|f1|em)\b",
    re.IGNORECASE,
)
# The characters of Chinese, Japanese and Korean, which write no blank beside a number; and their
# forms of ASCII characters.
_BESIDE_ASIAN_LETTER = re.compile(
    "(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])(?=[0-9A-Za-z])"
    "|(?<=[0-9A-Za-z%])(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
)
_WIDE_FORMS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WHOLE = re.compile(r"\d+|[1-9]\d{0,2},\d{3}")  # also with a comma after its thousands
# A comma between the columns of a file, as in "BLEU,27.3" and "newstest2014,27.3".
_COLUMN_COMMA = re.compile(r"(?<!\d),(?=[.\d])|,(?=\d{1,2}\.\d)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_WORDS = 4  # of a line without BLEU: with more, it is a text and its number no score
_MOST_ORDERS = 9  # a whole number up to it beside BLEU, as in "4-gram BLEU", may be an order
# A number that is not right before the name of another metric without a number of its own.
_OF_BLEU = rf"{_WRITTEN_SCORE.pattern}(?!\s*{_OTHER_METRIC.pattern}(?![:=+\s]*\d))"
# The number right after BLEU, as in "BLEU-4 score: 27.3", with further numbers behind it; and the
# number right before BLEU. A version is not right after BLEU, as in "sacrebleu 2.6 says 27.3".
_AFTER_BLEU = re.compile(
    rf"{WORD_BLEU.pattern}(?<!sacrebleu(?= [12]\.))"
    rf"(?:[-@_]?[1-9](?![\w.,]))?(?:(?!\.\d)[^\w+Δ,])*(?:(?:score|is|of)\b[^\w+]*)*"
    rf"({_OF_BLEU}(?:[^\w+]+(?:(?:and|to|vs|was)\b[^\w+]*)?{_OF_BLEU})*)",
    re.IGNORECASE,
)
_BEFORE_BLEU = re.compile(
    rf"({_WRITTEN_SCORE.pattern})\s*%?\s*\w{{0,2}}{WORD_BLEU.pattern}", re.IGNORECASE
)
# A number that is not a score, but by how much one differs.
_DIFFERENCE = re.compile(
    r"(?:[+Δ]|\b(?:by|plus|gains?|improve\w*|increase\w*|decrease\w*|difference|drop\w*|delta)"
    rf"(?: of)?)\s*({_WRITTEN_SCORE.pattern})"
    rf"|({_WRITTEN_SCORE.pattern})(?:\s*(?:%|BLEU|points?))*"
    r" (?:higher|lower|better|worse|more|less|above|below)\b",
    re.IGNORECASE,
)


def read_line(text: str) -> PublishedLine:
    """Read a line of text that is more than a number."""
    line = " ".join(text.split())
    # 1. Take out the signature.
    signature: SignatureContent | None = None
    source = ""
    old = _OLD_SIGNATURE.search(line)
    signed = _SIGNATURE.search(line)
    if old:
        signature = read_signature(old[0], "reported")
        source = "the line of sacreBLEU 1"
        line = _remove(old, line)
    elif signed:
        line = _remove(signed, line)
        if re.search(rf"{SIGNATURE_KEY}\S", line):
            read_signature(text, "reported")  # which raises
        signature = read_signature(signed[1], "reported")
    elif _OTHER_SIGNATURE.search(line):
        read_signature(text, "reported")
    # 2. Take out what else is not the score.
    conditions, line = read_conditions(line)
    line = _BESIDE_ASIAN_LETTER.sub(" ", line.translate(_WIDE_FORMS))
    line = _INTERVAL.sub(" ", line)
    line = _BOUNDS.sub(_remove_bounds, line)
    line = _COLUMN_COMMA.sub(" ", _OF_100.sub("%", line))
    # 3. Choose the number.
    written = _choose_number(line, text)
    if not written:
        raise invalid("reported", text, EXPECTED_SCORE)
    if conditions and not source:
        source = _name_tool(text, is_signed=signature is not None)
    return PublishedLine(
        written,
        scale=100 if re.search(rf"(?<!\d){re.escape(written)}\s*%", line) else None,
        signature=signature,
        conditions=conditions,
        source=source,
        has_other_numbers=len(_WRITTEN_SCORE.findall(line)) > 1,
    )


def _name_tool(text: str, *, is_signed: bool) -> str:
    """Return the tool that prints such a line, by what only it writes."""
    if is_signed:
        return "the line of sacreBLEU 2"
    if re.search(r"\bBLEU4\s*=", text) and "syslen" in text:
        return "fairseq's line"
    if re.search(r"\bBLEU\s*=\s*\d", text) and "hyp_len=" in text:
        return "the line of multi-bleu.perl"
    return ""


def _remove(match: re.Match[str], line: str) -> str:
    return f"{line[: match.start()]} {line[match.end() :]}"


def _remove_bounds(match: re.Match[str]) -> str:
    """Return a number without the interval behind it; two other scores stay."""
    score, low, high = map(_to_decimal, match.groups())
    return f"{match[1]} " if low <= score <= high else match[0]


def read_conditions(line: str) -> tuple[Conditions, str]:
    """Return precisions, brevity penalty and lengths, and the line without them."""
    found = Conditions()
    for key, condition in CONDITIONS.items():
        match = condition.pattern.search(line)
        if match:
            found[key] = condition.read(match[1])
            line = _remove(match, line)
    return found, line


def _choose_number(line: str, text: str) -> str:
    """Return the number that is the BLEU score of a line; empty if the line has no number.

    It is the number right after BLEU, or else right before it, or else the only number of the line.
    Whole numbers lose against decimals: most of them count runs, sentences or epochs.

    Raises:
        ValueError: several numbers can be meant, or the number is a difference, or that of another
            metric.

    >>> _choose_number("step 1200: BLEU 27.3", "")
    '27.3'
    """
    numbers = _WRITTEN_SCORE.findall(line)
    possible = [number for number in numbers if _to_decimal(number) <= 100] or numbers
    candidates = [number for number in possible if not _WHOLE.fullmatch(number)] or possible
    named: list[str] = []
    for pattern in (_AFTER_BLEU, _BEFORE_BLEU):
        for beside in [] if named else pattern.findall(line):
            first, *others = _WRITTEN_SCORE.findall(beside)
            if first in candidates or (_MOST_ORDERS < _to_decimal(first) <= 100):
                named.append(first)
            named += [number for number in others if number in candidates]
    other = _OTHER_METRIC.search(line)
    if numbers and not named and other:
        raise invalid("reported", text, f"a BLEU score; this line is about {other[0]}")
    if not (named or WORD_BLEU.search(line)) and len(_WORD.findall(line)) > _MOST_WORDS:
        raise invalid("reported", text, EXPECTED_SCORE)
    differences = ["".join(pair) for pair in _DIFFERENCE.findall(line)]
    found = list(dict.fromkeys(named or candidates))
    if len(found) > 1:
        raise invalid("reported", text, f"one BLEU score, not {list_numbers(found)}")
    if found and found[0] in differences:
        raise invalid("reported", text, f"a BLEU score; {differences[0]} is a difference")
    return found[0] if found else ""


def _to_decimal(written: str) -> Decimal:
    return Decimal(written.replace(",", "."))


def list_numbers(numbers: Sequence[str]) -> str:
    """Write candidates for an error.

    >>> list_numbers(["27.3", "28.1", "29.0"])
    '27.3, 28.1 and 29.0'
    """
    if len(numbers) > _MOST_CANDIDATES:
        return f"{', '.join(numbers[:_MOST_CANDIDATES])}, …"
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"
