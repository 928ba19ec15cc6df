"""Frequent causes of an unexpected score, found in the texts, each with the button that fixes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape
from typing import Any, NamedTuple

from .metric import TOKENIZERS, share_of_unspaced

_SAMPLE = 2000  # segments that are examined
_THRESHOLD = 0.2  # share of texts above which a finding is reported

_TYPOGRAPHIC = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "…": "..."}
)
_CURLED = re.compile("[“”„«»‘’…]")
_STRAIGHT = re.compile("[\"']|\\.\\.\\.")
# Not ; : ! ? since French has a space before them.
_DETACHED = re.compile(
    r"\s[.,](?:\s|$)|&(?:apos|quot|amp);|@-@|\s['’](?:s|t|re|ve|ll|d|m)\b|\sn['’]t\b"
)
_ENTITY = re.compile("&(?:quot|apos|amp|lt|gt|#39|#91|#93|#124);")  # as tokenizers write them
_KANA_OR_THAI = re.compile("[\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff\u3040-\u30ff]")

# The buttons for the options that warnings of the metric advise.
_BUTTONS: dict[tuple[str, Any], str] = {
    ("effective_order", True): "Skip n-grams longer than the text",
    ("smooth_method", "exp"): "Smooth as sacreBLEU does",
    ("tokenize", "none"): "Split at spaces only",
    ("tokenize", "char"): "Use char",
}


class Remedy(NamedTuple):
    """A finding, and the button that fixes it by changing options or texts."""

    finding: str
    button: str
    options: Mapping[str, Any]
    fix: str = ""  # a name in `FIXES`


def find_remedies(
    predictions: Sequence[str], references: Sequence[Sequence[str]], options: Mapping[str, Any]
) -> list[Remedy]:
    """Find remedies for the texts of one system, or of one sentence.

    >>> [remedy.button for remedy in find_remedies(["ein „Zitat“"], [['ein "Zitat"']], {"tokenize": "13a"})]
    ['Make quotes straight']
    """
    hypotheses = [text for text in predictions[:_SAMPLE] if text]
    targets = [text for texts in references[:_SAMPLE] for text in texts if text]
    if not hypotheses or not targets:
        return []
    checks = (_check_spaces, _check_quotes, _check_tokens, _check_case)
    return [remedy for check in checks for remedy in check(hypotheses, targets, options)]


def add_warnings(remedies: list[Remedy], warnings: Sequence[Any]) -> tuple[list[Remedy], list[str]]:
    """Turn the warnings that advise an option into remedies with a button; return all remedies and other messages."""
    known = {
        name
        for remedy in remedies
        for name in ("tokenize" * (remedy.fix == "detokenize"), *remedy.options)
    }
    notes = []
    for message, warning in {str(warning): warning for warning in warnings}.items():
        button = _BUTTONS.get((warning.option, warning.value))
        if button is None:
            notes.append(message)
        elif warning.option not in known:
            remedies = [*remedies, Remedy(warning.problem, button, {warning.option: warning.value})]
    return remedies, notes


def is_unspaced(texts: Sequence[str]) -> bool:
    """Return whether texts are in a script written without spaces.

    >>> is_unspaced(["我们用的是中文"]), is_unspaced(["Wir schreiben Deutsch, nicht 中文."])
    (True, False)
    """
    return bool(share_of_unspaced("".join(texts[:_SAMPLE])) > _THRESHOLD)


def explain_short(length: int, max_order: int) -> Remedy:
    """Return the remedy for a score of 0 because a prediction is too short for the longest n-gram."""
    tokens = "1 token has" if length == 1 else f"{length} tokens have"
    cause = f"{tokens} no {max_order}-gram, and BLEU multiplies the precisions of 1-grams to {max_order}-grams"
    changes = {"effective_order": True}
    return Remedy(f"The score is 0 because {cause}.", "Skip n-grams longer than the text", changes)


def straighten_quotes(text: str) -> str:
    """Replace typographic quotes, apostrophes and ellipses with those on a keyboard.

    >>> straighten_quotes("‘It’s’ …")
    "'It's' ..."
    """
    return text.translate(_TYPOGRAPHIC)


def detokenize(text: str) -> str:
    """Detokenize English text, well enough to show the effect of tokenization on a score.

    >>> detokenize("He said : &quot; it &apos;s well @-@ known , is n't it ? &quot;")
    'He said: "it\\'s well-known, isn\\'t it?"'
    """
    # A single space in each pattern, because `\s+` takes quadratic time for a long run of spaces.
    text = _ENTITY.sub(lambda entity: unescape(entity[0]), text).replace(" @-@ ", "-")
    text = re.sub(r'" ([^"]*?) "', r'"\1"', text)
    text = re.sub(r" ([.,;:!?)\]}%])", r"\1", text)
    return re.sub(
        r" (['’](?:s|t|re|ve|ll|d|m)\b|n['’]t\b)", r"\1", re.sub(r"([(\[{]) ", r"\1", text)
    )


FIXES: dict[str, Callable[[str], str]] = {"quotes": straighten_quotes, "detokenize": detokenize}


def _check_quotes(
    hypotheses: Sequence[str], targets: Sequence[str], options: Mapping[str, Any]
) -> Iterator[Remedy]:
    curled, straight = (
        _share(pattern, hypotheses) - _share(pattern, targets) for pattern in (_CURLED, _STRAIGHT)
    )
    if abs(curled) > _THRESHOLD / 2 and curled * straight < 0:
        sides = ("predictions", "references") if curled > 0 else ("references", "predictions")
        finding = "The {} have typographic quotes or apostrophes (“ ” ’), the {} have straight ones: they don’t match."
        yield Remedy(finding.format(*sides), "Make quotes straight", {}, "quotes")


def _check_tokens(
    hypotheses: Sequence[str], targets: Sequence[str], options: Mapping[str, Any]
) -> Iterator[Remedy]:
    if _share(_DETACHED, hypotheses) <= _THRESHOLD:
        return
    if _share(_DETACHED, targets) <= _THRESHOLD:
        finding = "The predictions look tokenized (“word .”), and the references don’t."
        yield Remedy(finding, "Detokenize the predictions", {}, "detokenize")
    elif (tokenizer := TOKENIZERS.get(options["tokenize"])) and tokenizer.expects_raw_text:
        finding = f"The texts look tokenized (“word .”), but {options['tokenize']} expects untokenized text."
        yield Remedy(finding, "Split at spaces only", {"tokenize": "none"})


def _check_case(
    hypotheses: Sequence[str], targets: Sequence[str], options: Mapping[str, Any]
) -> Iterator[Remedy]:
    if options.get("lowercase"):
        return
    sides = (("predictions", hypotheses), ("references", targets))
    for case, is_case in (("lowercase", str.islower), ("capitals", str.isupper)):
        shares = {name: sum(map(is_case, texts)) / len(texts) for name, texts in sides}
        other, uniform = sorted(shares, key=lambda name: shares[name])
        if shares[uniform] > 0.9 and shares[other] < 0.5:
            yield Remedy(
                f"The {uniform} are in {case}, and the {other} aren’t.",
                "Ignore case",
                {"lowercase": True},
            )
            return


def _check_spaces(
    hypotheses: Sequence[str], targets: Sequence[str], options: Mapping[str, Any]
) -> Iterator[Remedy]:
    chosen = TOKENIZERS.get(options["tokenize"])
    if chosen is None or chosen.splits_unspaced:
        return
    if is_unspaced(hypotheses):
        tokenizer = "char" if _KANA_OR_THAI.search("".join(hypotheses)) else "zh"
        finding = f"This text has no spaces between words, and tokenizer {options['tokenize']} splits at spaces."
        yield Remedy(finding, f"Use {tokenizer}", {"tokenize": tokenizer})


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    return sum(1 for text in texts if pattern.search(text)) / len(texts)
