"""Frequent causes of an unexpected score, found in the texts, each with a button that fixes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from .metric import (
    LEFTOVERS,
    TOKENIZERS,
    MetricWarning,
    Options,
    count_unspaced,
    detokenize,
    find_leftovers,
    straighten_quotes,
)

_SAMPLE = 2000  # segments that are examined
_THRESHOLD = 0.2  # share of texts above which a finding is reported

_CURLED = re.compile("[“”„«»‘’]")
_STRAIGHT = re.compile("[\"']")
# Not ; : ! ? since French has a space before them.
_DETACHED = re.compile(
    r"\s[.,](?:\s|$)|&(?:apos|quot|amp);|@-@|\s['’](?:s|t|re|ve|ll|d|m)\b|\sn['’]t\b"
)
_KANA_OR_THAI = re.compile("[\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff\u3040-\u30ff]")

# The buttons for the options that warnings of the metric advise.
_BUTTONS: dict[tuple[str | None, object], str] = {
    ("effective_order", True): "Skip n-grams longer than the text",
    ("smooth_method", "exp"): "Smooth as sacreBLEU does",
    ("tokenize", "none"): "Split at spaces only",
    ("tokenize", "char"): "Score by characters",
}


class Remedy(NamedTuple):
    """A finding, and the button that fixes it by changing options or texts, if there is one."""

    finding: str
    button: str
    options: Options
    fix: str = ""  # a name in `FIXES`
    kinds: Sequence[str] = ()  # of the metric's warnings that say the same

    @property
    def changes_meaning(self) -> bool:
        """Return whether the score means something else as long as this is not fixed."""
        return "tokenize" in self.options or self.fix == "detokenize" or not self.button


class Advice(NamedTuple):
    """What to tell a visitor about a score: remedies, and messages that have no button."""

    remedies: list[Remedy]
    notes: list[str]


def find_remedies(
    predictions: Sequence[str], references: Sequence[Sequence[str]], options: Options
) -> list[Remedy]:
    """Find remedies for the texts of one system, or of one sentence.

    >>> found = find_remedies(["ein „Zitat“"], [['ein "Zitat"']], {"tokenize": "13a"})
    >>> [remedy.button for remedy in found]
    ['Make quotes straight']
    """
    hypotheses = [text for text in predictions[:_SAMPLE] if text]
    targets = [text for text in chain.from_iterable(references[:_SAMPLE]) if text]
    if not hypotheses or not targets:
        return []
    remedies: list[Remedy] = []
    for check in (_check_spaces, _check_quotes, _check_tokens, _check_case):
        remedies += check(hypotheses, targets, options)
    remedies += _check_leftovers(predictions[:_SAMPLE], references[:_SAMPLE])
    return remedies


def find_remedies_of_systems(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    options: Options,
) -> list[Remedy]:
    """Find remedies for the texts of each system; a system is named if not all need the remedy."""
    systems_of: dict[str, list[str]] = {}  # by the finding
    remedy_of: dict[str, Remedy] = {}
    for name, predictions in systems.items():
        for remedy in find_remedies(predictions, references, options):
            systems_of.setdefault(remedy.finding, []).append(name)
            remedy_of[remedy.finding] = remedy
    found = []
    for finding, remedy in remedy_of.items():
        names = systems_of[finding]
        if len(names) < len(systems):
            remedy = remedy._replace(finding=f"{', '.join(names)}: {finding}")
        found.append(remedy)
    return found


def add_warnings(remedies: Sequence[Remedy], warnings: Sequence[MetricWarning]) -> Advice:
    """Add a remedy for each warning that advises an option with a button; the others become notes.

    A warning is left out if a remedy changes the same option already, or says the same.
    """
    told = set(chain.from_iterable(remedy.kinds for remedy in remedies))
    changed: set[str | None] = set()  # options
    for remedy in remedies:
        changed.update(remedy.options)
        if remedy.fix == "detokenize":  # makes splitting at spaces needless
            changed.add("tokenize")
    advice = Advice(list(remedies), [])
    warning_of = {str(warning): warning for warning in warnings}  # each message once
    for message, warning in warning_of.items():
        if warning.kind in told:
            continue
        button = _BUTTONS.get((warning.option, warning.value))
        if warning.option is None or button is None:
            advice.notes.append(message)
        elif warning.option not in changed:
            options = {warning.option: warning.value}
            advice.remedies.append(Remedy(warning.problem, button, options))
    return advice


def is_unspaced(texts: Sequence[str]) -> bool:
    """Return whether texts are in a script written without spaces.

    >>> is_unspaced(["我们用的是中文"]), is_unspaced(["Wir schreiben Deutsch, nicht 中文."])
    (True, False)
    """
    sample = "".join(texts[:_SAMPLE])
    return count_unspaced(sample) > _THRESHOLD * len(sample)


def explain_short(length: int, max_order: int) -> Remedy:
    """Return the remedy for a score of 0 of a text that is shorter than the longest n-gram."""
    tokens = "1 token has" if length == 1 else f"{length} tokens have"
    finding = (
        f"The score is 0 because {tokens} no {max_order}-gram, and BLEU multiplies the precisions"
        f" of 1-grams to {max_order}-grams."
    )
    return Remedy(finding, "Skip n-grams longer than the text", {"effective_order": True})


FIXES: dict[str, Callable[[str], str]] = {"quotes": straighten_quotes, "detokenize": detokenize}


def _check_quotes(
    hypotheses: Sequence[str], targets: Sequence[str], options: Options
) -> Iterator[Remedy]:
    """Look for typographic quotes on one side, where the other side has more straight ones."""
    # How much larger the share of predictions with such quotes is than that of references.
    curled = _share(_CURLED.search, hypotheses) - _share(_CURLED.search, targets)
    straight = _share(_STRAIGHT.search, hypotheses) - _share(_STRAIGHT.search, targets)
    are_opposite = curled * straight < 0
    if abs(curled) <= _THRESHOLD / 2 or not are_opposite:
        return
    sides = ("predictions", "references") if curled > 0 else ("references", "predictions")
    with_curled, with_straight = sides
    finding = (
        f"The {with_curled} have typographic quotes or apostrophes (“ ” ’), the {with_straight}"
        " have straight ones: they don’t match."
    )
    yield Remedy(finding, "Make quotes straight", {}, "quotes")


def _check_tokens(
    hypotheses: Sequence[str], targets: Sequence[str], options: Options
) -> Iterator[Remedy]:
    """Look for detached punctuation marks: in the predictions alone, or in both for a tokenizer."""
    if _share(_DETACHED.search, hypotheses) <= _THRESHOLD:
        return
    if _share(_DETACHED.search, targets) <= _THRESHOLD:
        finding = "The predictions look tokenized (“word .”), and the references don’t."
        yield Remedy(finding, "Detokenize the predictions", {}, "detokenize")
        return
    name = options["tokenize"]
    tokenizer = TOKENIZERS.get(name)
    if tokenizer and tokenizer.expects_raw_text:
        finding = f"The texts look tokenized (“word .”), but {name} expects untokenized text."
        yield Remedy(finding, "Split at spaces only", {"tokenize": "none"})


def _check_case(
    hypotheses: Sequence[str], targets: Sequence[str], options: Options
) -> Iterator[Remedy]:
    """Look for texts in one case on one side only."""
    if options.get("lowercase"):
        return
    for case, is_case in (("lowercase", str.islower), ("capitals", str.isupper)):
        shares = {
            "predictions": _share(is_case, hypotheses),
            "references": _share(is_case, targets),
        }
        other, uniform = sorted(shares, key=lambda side: shares[side])
        if shares[uniform] > 0.9 and shares[other] < 0.5:
            finding = f"The {uniform} are in {case}, and the {other} aren’t."
            yield Remedy(finding, "Ignore case", {"lowercase": True})
            return


def _check_spaces(
    hypotheses: Sequence[str], targets: Sequence[str], options: Options
) -> Iterator[Remedy]:
    """Look for text without spaces that the tokenizer would split at spaces."""
    name = options["tokenize"]
    tokenizer = TOKENIZERS.get(name)
    if tokenizer is None or tokenizer.splits_unspaced or not is_unspaced(hypotheses):
        return
    # `zh` splits Chinese characters only.
    better = "char" if _KANA_OR_THAI.search("".join(hypotheses)) else "zh"
    finding = f"This text has no spaces between words, and tokenizer {name} splits at spaces."
    button = "Score by characters" if better == "char" else "Score as Chinese"
    yield Remedy(finding, button, {"tokenize": better})


def _check_leftovers(
    predictions: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[Remedy]:
    """Look for what language models write beside a translation, in the predictions alone."""
    places = find_leftovers(predictions, references)
    if not places:
        return
    first_row, first_place = next(iter(places.items()))
    count = "1 prediction has" if len(places) == 1 else f"{len(places):,} predictions have"
    place = f"such as “{first_place}” in segment {first_row + 1:,}"
    if len(predictions) == 1:
        count = "This text has"
        place = f"“{first_place}”"
    finding = f"{count} leftovers of a language model, {place}. Remove them, and score again."
    yield Remedy(finding, "", {}, kinds=LEFTOVERS)


def _share(is_match: Callable[[str], object], texts: Sequence[str]) -> float:
    return sum(1 for text in texts if is_match(text)) / len(texts)
