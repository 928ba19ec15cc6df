"""Frequent causes of an unexpected score, found in the texts, each with a button that fixes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from .metric import (
    LEFTOVERS,
    MetricWarning,
    Options,
    Place,
    detokenize,
    find_in_sentence,
    straighten_quotes,
)

# The buttons for the options that the metric advises.
BUTTONS: dict[tuple[str | None, object], str] = {
    ("effective_order", True): "Skip n-grams longer than the text",
    ("smooth_method", "exp"): "Smooth as sacreBLEU does",
    ("tokenize", "none"): "Split at spaces only",
    ("tokenize", "char"): "Score by characters",
    ("tokenize", "zh"): "Score as Chinese",
    ("tokenize", "ja-mecab"): "Score as Japanese",
    ("lowercase", True): "Ignore case",
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
    """Find remedies for a sentence: one prediction, and its references.

    >>> found = find_remedies(["ein „Zitat“"], [['ein "Zitat"']], {"tokenize": "13a"})
    >>> [remedy.button for remedy in found]
    ['Make quotes straight']
    """
    (prediction,) = predictions
    targets = [text for text in references[0] if text]
    if not prediction or not targets:
        return []
    found = find_in_sentence(prediction, targets, options)
    remedies = [
        _fix_place(kind, place, options) for kind, place in found.items() if kind not in LEFTOVERS
    ]
    for kind in LEFTOVERS:
        if kind in found:
            what = found[kind].words.found
            finding = f"This text has leftovers: {what}. Remove them, and score again."
            remedies.append(Remedy(finding, "", {}, kinds=LEFTOVERS))
            break
    return remedies


def _fix_place(kind: str, place: Place, options: Options) -> Remedy:
    """Return the remedy for what was found in a sentence."""
    if kind == "quotes":
        finding = (
            "One side has typographic quotes or apostrophes (“ ” ’), the other has straight ones:"
            " they don’t match."
        )
        return Remedy(finding, place.words.button, {}, "quotes")
    if kind == "tokenized" and place.changes_texts:
        finding = "The predictions look tokenized (“word .”), and the references don’t."
        return Remedy(finding, "Detokenize the predictions", {}, "detokenize")
    changed = dict(place.options)
    name = options["tokenize"]
    if kind == "tokenized":
        finding = f"The texts look tokenized (“word .”), but {name} expects untokenized text."
    elif kind == "unspaced":
        finding = f"This text has no spaces between words, and tokenizer {name} splits at spaces."
        if changed["tokenize"] != "zh":
            changed["tokenize"] = "char"  # always available
    else:
        finding = f"One side is in {place.found.detail}, and the other isn’t."
    ((option, value),) = changed.items()
    return Remedy(finding, BUTTONS[option, value], changed)


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
        button = BUTTONS.get((warning.option, warning.value))
        if warning.option is None or button is None:
            advice.notes.append(message)
        elif warning.option not in changed:
            options = {warning.option: warning.value}
            advice.remedies.append(Remedy(warning.problem, button, options))
    return advice


def explain_short(length: int, max_order: int) -> Remedy:
    """Return the remedy for a score of 0 of a text that is shorter than the longest n-gram."""
    tokens = "1 token has" if length == 1 else f"{length} tokens have"
    finding = (
        f"The score is 0 because {tokens} no {max_order}-gram, and BLEU multiplies the precisions"
        f" of 1-grams to {max_order}-grams."
    )
    return Remedy(finding, "Skip n-grams longer than the text", {"effective_order": True})


FIXES: dict[str, Callable[[str], str]] = {"quotes": straighten_quotes, "detokenize": detokenize}
