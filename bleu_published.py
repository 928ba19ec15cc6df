"""Published scores as people have them: a number, the line or JSON that a tool prints, a dict.

`read_published` is the only reader, for the metric and for the demo. A line tells more than a
score: a signature, precisions, the brevity penalty, lengths. All of them are conditions of a
search.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from .bleu_messages import invalid
from .bleu_options import (
    SCORE_AFTER_SIGNATURE,
    SIGNATURE_KEY,
    SignatureContent,
    read_signature,
    to_python,
)
from .bleu_results import ConditionsContent
from .bleu_scoring import NOISE

_MOST_CANDIDATES = 5  # that an error lists

_EXPECTED = "a number, or a str such as '27.30'"


class Rounded(NamedTuple):
    """A number as it was printed.

    value: the number.
    unit: the distance between two numbers with as many decimals.
    """

    value: float
    unit: float

    @classmethod
    def of_text(cls, text: str, scale: int = 1) -> Rounded:
        """Read a number, and divide it by the scale that it was printed on.

        >>> Rounded.of_text("58.1", scale=100)
        Rounded(value=0.581, unit=0.001)
        """
        unit = 10.0 ** -count_decimals(Decimal(text))
        return cls(float(text) / scale, unit / scale)

    def is_rounded_from(self, number: float) -> bool:
        """Return True if a number rounds to this one, up or down."""
        return abs(number - self.value) <= self.unit / 2 + NOISE


class Conditions(dict[str, tuple[Rounded, ...]]):
    """The values that a line has beside its score, by their keys in `CONDITIONS`.

    `precisions` has one value per order, after smoothing and on the scale 0-1; others have one.
    """

    def are_met(self, scores: Mapping[str, Any]) -> bool:
        """Return True if a result has these values; keys that it lacks are left out.

        >>> Conditions(translation_length=(Rounded(9, 0.0),)).are_met({"translation_length": 9})
        True
        """
        for key in self.keys() & scores.keys():
            printed = self[key]
            numbers = scores[key] if isinstance(scores[key], list) else [scores[key]]
            if len(numbers) != len(printed):
                return False
            if not all(map(Rounded.is_rounded_from, printed, numbers)):
                return False
        return True

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

    def describe(self) -> str:
        """Write the known values for a sentence.

        >>> known = Conditions(brevity_penalty=(Rounded(0.98, 0.01),))
        >>> known.describe()
        'brevity penalty 0.98'
        """
        known = []
        for key, printed in self.items():
            condition = CONDITIONS[key]
            numbers = [f"{condition.scale * rounded.value:{condition.form}}" for rounded in printed]
            known.append(condition.says.format("/".join(numbers)))
        return ", ".join(known)


@dataclass(frozen=True)
class _Line:
    """The parts of a reported score, before its number is checked. `Published` describes them."""

    written: str
    scale: int | None = None
    signature: SignatureContent | None = None
    conditions: Conditions = field(default_factory=Conditions)
    source: str = ""
    has_other_numbers: bool = False


@dataclass(frozen=True, kw_only=True)
class Published(_Line):
    """A published score.

    reported: the score as the user passed it, in plain Python types.
    written: the number in it, as it is written.
    number: its value, from 0 to 1 or from 0 to 100.
    decimals: the number of known decimals.
    scale: 1 or 100 if it is known, None if the number can be on either scale.
    signature: the signature beside the score, or None.
    conditions: what the line has beside the score.
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
            sentence += f" with {self.conditions.describe()}"
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
    plain = _to_plain(reported)
    if isinstance(plain, Mapping):
        plain = {str(key): _to_plain(value) for key, value in plain.items()}
    line = _read_any(plain)
    # 2. Read the number.
    written = SCORE_AFTER_SIGNATURE.fullmatch(line.written)
    if written is None:
        raise invalid("reported", line.written, _EXPECTED)
    number = Decimal(written[1].replace(",", "."))
    if not 0 <= number <= 100:
        shown = plain if isinstance(plain, (int, float)) else line.written
        raise invalid("reported", shown, "a score from 0 to 1 or from 0 to 100")
    # 3. Count its decimals, if they are not known.
    if decimals is None:
        known_decimals = count_decimals(number)
    elif isinstance(decimals, bool) or not hasattr(decimals, "__index__") or decimals < 0:
        raise invalid("decimals", decimals, "a whole number of 0 or more")
    else:
        known_decimals = int(decimals)
    return Published(**vars(line), reported=plain, number=float(number), decimals=known_decimals)


def _to_plain(value: object) -> Any:
    """Convert NumPy's types; a float keeps the decimals that it displays.

    `tolist` would turn a 32-bit 66.87 into 66.87000274658203.
    """
    return float(str(value)) if isinstance(value, np.floating) else to_python(value)


def count_decimals(number: Decimal) -> int:
    """Return the number of decimals that a number is written with.

    >>> count_decimals(Decimal("27.30")), count_decimals(Decimal("1E-5"))
    (2, 5)
    """
    return max(0, -int(number.as_tuple().exponent))


def _read_any(plain: object) -> _Line:
    """Read a score of any type."""
    if isinstance(plain, Mapping):
        return _read_report(plain, plain)
    if isinstance(plain, str):
        structure = _parse_structure(plain)
        if structure is not None:
            return _read_report(structure, plain)
        alone = SCORE_AFTER_SIGNATURE.fullmatch(plain)
        return _Line(alone[1]) if alone else _read_line(plain)
    if isinstance(plain, bool) or SCORE_AFTER_SIGNATURE.fullmatch(str(plain)) is None:
        raise invalid("reported", plain, _EXPECTED)
    return _Line(str(plain))


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
    if scale is not None:
        scales = [scale]
    elif number > 1:
        scales = [100]
    elif decimals:
        scales = [1, 100]
    else:
        scales = [100, 1]
    # A whole number is known to half a point on both scales: on the scale 0-1, it can only be a
    # perfect score.
    roundings = dict.fromkeys(scales, 0.01)
    if decimals:
        roundings = {scale: 10.0**-decimals / scale for scale in scales}
    return [Reading(scale, number / scale, roundings[scale]) for scale in scales]


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
    rf"\(\s*[μµ]\s*=[^()]*\)|[$_{{]*(?:±|\+/-|\+-|\\pm)\s*{_NUMBER}[$}}]*|(?:\d+% CI:?\s*)?"
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
    rf"(?<![\w.,/@-])(?<!\d:){_NUMBER}(?:e[+-]?\d{{1,3}})?(?![\w/@]|:\d|[.,]\d|%\w|-\w)"
)
_BLEU = re.compile(r"bleu(?!rt)", re.IGNORECASE)
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
_SEPARATORS = re.compile(r"[,;()\[\]|、。，；&]|\.\s|\.$")
_WORD = re.compile(r"[^\s:=<>~≈\"'“”`*${}\\\[\]%]+")
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
_MOST_ORDERS = 9  # a whole number up to it after BLEU, as in BLEU 4, may be an order
_NEAR_WORDS = 3  # after a number, in which a comparative makes it a difference


def _words(text: str) -> re.Pattern[str]:
    """Return a pattern that matches one of some words, in upper or lower case."""
    return re.compile(rf"(?:{'|'.join(text.split())})", re.IGNORECASE)


# Things that are counted. A number before one of these words is not a score.
_THINGS = _words(
    r"runs? seeds? sentences? segments? lines? rows? examples? samples? pairs? epochs? steps?"
    r" iterations? iters? updates? references? refs? tokens? words? documents? docs? systems?"
    r" models? languages? directions? layers? heads? beams? gpus? params? parameters? checkpoints?"
    r" batches folds? shots? times trials? resamples? hypotheses outputs? texts? images? captions?"
    r" hours? hrs? h minutes? mins? seconds? secs? s ms days? k m b million billion thousand gb mb"
    r" n-?grams? grams?"
    # in German, French, Spanish, Portuguese, Italian
    r" läufen? läufe sätzen? sätze satz segmenten? zeilen? epochen? schritten? referenzen stunden"
    r" phrases époques? étapes? exécutions références frases épocas pasos oraciones corridas passos"
    r" frasi epoche referencias"
    # in Chinese, Japanese, Korean
    r" [个個句文回次轮輪步件本条條篇].* エポック.* シード.* 번.* 개.* 문장.*"
)
# Quantities. A number after one of these words is not a score.
_QUANTITIES = _words(
    r"epoch step iteration iter update seed run fold layer beam(?:-?size)? size rate lr alpha beta"
    r" lambda temperature temp top-?[kp] p n k dropout penalty lenpen length threshold weight"
    r" version v python cuda gpu ratio bp brevity_penalty hyp_?len ref_?len sys_?len time speed wps"
    r" std stdev sd se σ stderr deviation error variance kappa correlation r year wmt iwslt ci"
    r" confidence precision recall"
)
# Words that make the next number a difference, and the number before them.
_DIFFERENCE = _words(
    r"by gains? improvements? increases? decreases? differences? drops? loses? delta Δ plus um"
)
_COMPARATIVE = _words(r"higher lower better worse more less above below improvement gain increase")
# Words between two numbers of which one is an earlier score, or another system's.
_CHANGE = re.compile(
    r"→|⇒|[-=]+>|\b(?:from|to|up|down|vs|versus|than|was|were|instead|before|previously|compared|"
    r"against|over|in?creas\w*|decreas\w*|improv\w*|rose|rises?|fell|falls?|drop\w*|grew|gain\w*|"
    r"auf|von|statt|gegen|contre|a|à|para|desde|hasta|su)\b|[到至比から]",
    re.IGNORECASE,
)
# Words without a subject, between a name and its number; after a number, `_LINKS` end the search
# for its name.
_FILLERS = _words(
    r"scores? results? values? points? pts?\.? test\w* \w*test dev\w* valid\w* eval\w* final best"
    r" averaged? avg\.? mean median overall corpus-?(?:level)? tokeni[sz]ed detokeni[sz]ed cased"
    r" uncased case-?(?:in)?sensitive is was are my the our a an we i it got gets? get reach\w*"
    r" achiev\w* obtain\w* report\w* about around approximately roughly nearly only"
    r" punkten? von der die das ist beträgt le la el est es score"
    r" は が で 为 是 的 分 点 です 는 은"
)
_LINKS = _words(
    r"on of for with in at over after from to by and or vs\.? versus than using without when per"
    r" as under if while but during auf mit bei nach für sur pour avec en sobre con para em su"
)


def _read_line(text: str) -> _Line:
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
        rest = _remove(signed, line)
        if re.search(rf"{SIGNATURE_KEY}\S", rest):
            read_signature(text, "reported")  # which raises
        signature = read_signature(signed[1], "reported")
        line = rest
    elif _OTHER_SIGNATURE.search(line):
        read_signature(text, "reported")
    # 2. Take out what else is not the score.
    conditions, line = _read_conditions(line)
    line = _BESIDE_ASIAN_LETTER.sub(" ", line.translate(_WIDE_FORMS))
    line = _INTERVAL.sub(" ", line)
    line = _BOUNDS.sub(_remove_bounds, line)
    line = _OF_100.sub("%", line)
    # 3. Choose the number.
    written = _choose_number(line, text)
    if not written:
        has_other_text = signature is None and not conditions
        raise invalid("reported", text if has_other_text else line.strip(" =()|"), _EXPECTED)
    is_percentage = re.search(rf"(?<!\d){re.escape(written)}\s*%", line) is not None
    if conditions and not source:
        source = _name_tool(text, is_signed=signature is not None)
    return _Line(
        written,
        scale=100 if is_percentage else None,
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


def _read_conditions(line: str) -> tuple[Conditions, str]:
    """Return precisions, brevity penalty and lengths, and the line without them."""
    found = Conditions()
    for key, condition in CONDITIONS.items():
        match = condition.pattern.search(line)
        if match:
            found[key] = condition.read(match[1])
            line = _remove(match, line)
    return found, line


# What a number of a line is, by the words beside it.
_Role = Literal["BLEU", "BLEU at the end", "perhaps BLEU", "bare", "unknown", "difference", "other"]


class _Candidate(NamedTuple):
    """A number of a line.

    written: the number as it is written.
    role: `"BLEU"` if BLEU names it; `"BLEU at the end"` if BLEU is behind a number that has another
        name, and may name those before it as well, as in "de 27.3, fr 38.1 BLEU". `"perhaps BLEU"`
        if other words are between BLEU and the number, `"bare"` without a name, `"unknown"` after
        any other word. `"other"` is a number of things, another quantity or another metric.
    clause: the number of separators before it.
    """

    written: str
    role: _Role
    clause: int


def _is_whole(written: str) -> bool:
    """Return True for a whole number, also with a comma after its thousands."""
    return written.isdigit() or _THOUSANDS.fullmatch(written) is not None


class _Gap(NamedTuple):
    """The text between two numbers of a line, or at one of its ends.

    text: all of it.
    first: the words of its first clause.
    last: the words of its last clause.
    separators: the number of separators in it.
    """

    text: str
    first: list[str]
    last: list[str]
    separators: int

    @classmethod
    def of_text(cls, text: str) -> _Gap:
        clauses = [_find_words(clause) for clause in _SEPARATORS.split(text)]
        return cls(text, clauses[0], clauses[-1], separators=len(clauses) - 1)


def _find_words(text: str) -> list[str]:
    words = (word.strip("-–.!?↑↓+#/") for word in _WORD.findall(text))
    return [word for word in words if any(character.isalpha() for character in word)]


def _list_candidates(line: str) -> list[_Candidate]:
    """List the numbers of a line, each with its role.

    >>> [(one.written, one.role) for one in _list_candidates("BLEU over 5 runs: 33.1")]
    [('5', 'other'), ('33.1', 'bare')]
    """
    matches = list(_WRITTEN_SCORE.finditer(line))
    starts = [0, *(match.end() for match in matches)]
    ends = [*(match.start() for match in matches), len(line)]
    gaps = [_Gap.of_text(line[start:end]) for start, end in zip(starts, ends)]
    candidates = []
    clause = 0
    claimed = 0  # words behind the previous number that name it
    for index, match in enumerate(matches):
        before = gaps[index]
        after = gaps[index + 1]
        clause += before.separators
        names = before.last if before.separators else before.last[claimed:]
        is_last = index == len(matches) - 1
        is_whole = _is_whole(match[0])
        role, claimed = _find_role(before.text, names, after, is_last=is_last, is_whole=is_whole)
        candidates.append(_Candidate(match[0], role, clause))
    # A word for change between two numbers makes both candidates.
    for index, (first, second) in enumerate(pairwise(candidates)):
        is_change = _CHANGE.search(gaps[index + 1].text) is not None
        if is_change and "other" not in (first.role, second.role):
            candidates[index] = first._replace(role="BLEU")
            candidates[index + 1] = second._replace(role="BLEU")
    return candidates


def _find_role(
    text_before: str, names: Sequence[str], after: _Gap, *, is_last: bool, is_whole: bool
) -> tuple[_Role, int]:
    """Return the role of a number, and how many words behind it belong to it.

    Args:
        text_before: the text between the previous number and this one.
        names: the words before it that may name it.
        after: the text behind it.
        is_last: True if no number follows.
        is_whole: True for a whole number.
    """
    # 1. A label, as in "epoch 3: 33.1".
    if not is_last and re.match(r"\s*[:=]", after.text):
        return "other", 0
    # 2. The nearest word before the number that is not a filler.
    name = ""
    for word in reversed(names):
        if not (_FILLERS.fullmatch(word) or _LINKS.fullmatch(word)):
            name = word
            break
    # 3. The nearest such word behind it. The last word before the next number may name that one.
    unit = ""
    used = 0
    for word in after.first:
        used += 1
        if _LINKS.fullmatch(word):
            break
        if not _FILLERS.fullmatch(word):
            unit = word
            break
    is_name_of_next = not is_last and not after.separators and used == len(after.first)
    # 4. A number of things, and another quantity. In "27.3 epoch 12", the epoch is 12.
    has_bleu_before = _BLEU.search(name) is not None
    is_right_behind_bleu = has_bleu_before and names[-1] == name
    is_of_next = is_name_of_next and _QUANTITIES.fullmatch(unit) is not None
    if _THINGS.fullmatch(unit) and not (is_of_next and (is_right_behind_bleu or not is_whole)):
        return "other", used
    if name and not has_bleu_before:
        if _QUANTITIES.fullmatch(name) or _OTHER_METRIC.search(name):
            return "other", 0
    elif not name and not _BLEU.search(unit):
        is_quantity = not is_name_of_next and _QUANTITIES.fullmatch(unit) is not None
        if is_quantity or _OTHER_METRIC.search(unit):
            return "other", used
    # 5. A difference.
    adjacent = [word for word in names if word.lower() != "of"][-1:]
    is_difference = (
        re.search(r"[+Δ]\s*$", text_before) is not None
        or any(map(_DIFFERENCE.fullmatch, adjacent))
        or any(map(_COMPARATIVE.fullmatch, after.first[:_NEAR_WORDS]))
    )
    if is_difference:
        return "difference", used if _BLEU.search(unit) else 0
    # 6. BLEU.
    if has_bleu_before:
        return "BLEU", 0
    if _BLEU.search(unit) and not (name and is_name_of_next):
        return ("BLEU at the end" if name else "BLEU"), used
    if any(map(_BLEU.search, names)):
        return "perhaps BLEU", 0
    if not is_name_of_next and any(map(_BLEU.search, after.first)):
        return "perhaps BLEU", 0
    is_of_things = unit != "" and not is_name_of_next
    return ("unknown" if name or is_of_things else "bare"), 0


def _choose_number(line: str, text: str) -> str:
    """Return the number that is the BLEU score of a line; empty if the line has no number.

    Raises:
        ValueError: several numbers can be meant, or the number is that of another metric.

    >>> _choose_number("step 1200: BLEU 27.3", "")
    '27.3'
    """
    found = _list_candidates(line)
    candidates = [one for one in found if one.role not in ("difference", "other")]
    # 1. No score is above 100; the error for a single number names it.
    if len(candidates) > 1:
        candidates = [one for one in candidates if _to_decimal(one.written) <= 100]
    # 2. Numbers that BLEU names, or else perhaps names; in the same clause, any other number.
    other = _OTHER_METRIC.search(line)
    meant = [one for one in candidates if one.role == "bare"]
    for roles in (("BLEU", "BLEU at the end"), ("perhaps BLEU",)):
        clauses = {one.clause for one in candidates if one.role in roles}
        if clauses:
            ends = [one.clause for one in candidates if one.role == "BLEU at the end"]
            meant = []
            for one in candidates:
                is_in_list = one.role == "unknown" and one.clause < max(ends, default=0)
                if one.role in (*roles, "bare") or one.clause in clauses or is_in_list:
                    meant.append(one)
            break
    else:
        if other and found:
            raise invalid("reported", text, f"a BLEU score; this line is about {other[0]}")
        if not meant and _BLEU.search(line):
            meant = candidates
    # 3. Whole numbers lose against decimals, unless BLEU names them and they are not orders, as in
    #    BLEU 4.
    if not all(_is_whole(one.written) for one in meant):
        decimals = []
        for one in meant:
            is_score = one.role == "BLEU" and _to_decimal(one.written) > _MOST_ORDERS
            if is_score or not _is_whole(one.written):
                decimals.append(one)
        meant = decimals
    different = list(dict.fromkeys(one.written for one in meant))
    if len(different) > 1:
        raise invalid("reported", text, f"one BLEU score, not {_list_numbers(different)}")
    differences = [one.written for one in found if one.role == "difference"]
    if differences and not different:
        raise invalid("reported", text, f"a BLEU score; {differences[0]} is a difference")
    return different[0] if different else ""


def _to_decimal(written: str) -> Decimal:
    return Decimal(written.replace(",", "."))


def _list_numbers(numbers: Sequence[str]) -> str:
    """Write candidates for an error.

    >>> _list_numbers(["27.3", "28.1", "29.0"])
    '27.3, 28.1 and 29.0'
    """
    shown = list(numbers[:_MOST_CANDIDATES])
    if len(numbers) > _MOST_CANDIDATES:
        return f"{', '.join(shown)}, …"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


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


def _read_report(report: object, reported: object) -> _Line:
    """Read the JSON of sacreBLEU, a dict of evaluate's modules or of this metric, or a log entry.

    >>> _read_report({"eval_loss": 2.1, "eval_bleu": 27.3}, "").written
    '27.3'
    """
    # 1. sacreBLEU prints a list if it was asked for several metrics.
    if isinstance(report, list) and all(isinstance(entry, Mapping) for entry in report):
        entries = [entry for entry in report if _BLEU.search(str(entry.get("name", "")))]
        if len(entries) != 1:
            raise invalid("reported", reported, "the result of one BLEU score")
        (report,) = entries
    if not isinstance(report, Mapping):
        raise invalid("reported", reported, _EXPECTED)
    # 2. The results of known tools.
    name = str(report.get("name", "BLEU"))
    is_score_of_bleu = "score" in report and _BLEU.search(name) is not None
    if is_score_of_bleu and "verbose_score" in report:
        conditions, _ = _read_conditions(str(report["verbose_score"]))
        line = _Line(_write(report["score"], reported), 100, conditions=conditions)
        return _add_signature(line, report, "the JSON of sacreBLEU")
    if "bleu" in report and "precisions" in report:
        conditions = _read_statistics(report, is_sacrebleus=False)
        line = _Line(_write(report["bleu"], reported), 1, conditions=conditions)
        return _add_signature(line, report, "the result of `compute`")
    if is_score_of_bleu and "precisions" in report:
        conditions = _read_statistics(report, is_sacrebleus=True)
        line = _Line(_write(report["score"], reported), 100, conditions=conditions)
        return _add_signature(line, report, "the result of evaluate's `sacrebleu`")
    # 3. Any dict with one BLEU score. The scale is unknown.
    named = {key: value for key, value in report.items() if _BLEU.search(str(key))}
    if not named and is_score_of_bleu:
        named = {"score": report["score"]}
    numbers = {}
    for key, value in named.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            numbers[key] = value
    if len(numbers) > 1:
        listed = _list_numbers([f"{key}={value}" for key, value in numbers.items()])
        raise invalid("reported", reported, f"one BLEU score, not {listed}")
    for value in numbers.values():
        return _add_signature(_Line(_write(value, reported)), report, "")
    raise invalid("reported", reported, "a dict with one BLEU score")


def _write(score: object, reported: object) -> str:
    """Return the digits of a score; `reported` is for the error."""
    is_number = isinstance(score, (int, float, str)) and not isinstance(score, bool)
    if not is_number or SCORE_AFTER_SIGNATURE.fullmatch(str(score)) is None:
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
            numbers = value if isinstance(value, (list, tuple)) else [value]
            scale = condition.scale if is_sacrebleus else 1
            found[key] = tuple(Rounded(float(number) / scale, 0.0) for number in numbers)
    return found


def _add_signature(line: _Line, report: Mapping[str, Any], source: str) -> _Line:
    """Add the tool, and the signature that a result has."""
    text = report.get("signature")
    if not isinstance(text, str) or not text:
        return replace(line, source=source)
    return replace(line, source=source, signature=read_signature(text, "reported"))
