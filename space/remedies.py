"""What often makes a score another than meant, recognised in the texts, each with the button that mends it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape
from typing import Any, NamedTuple

SAMPLE = 2000  # texts that are looked at
_SHARE = 0.2  # of the predictions, beyond which it's no accident

_TYPOGRAPHIC = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "…": "..."})
_CURLED = re.compile("[“”„«»‘’…]")
_STRAIGHT = re.compile("[\"']|\\.\\.\\.")
_DETACHED = re.compile(r"\s[.,;:!?](?:\s|$)|&(?:apos|quot|amp);|@-@|\s['’](?:s|t|re|ve|ll|d|m)\b|\sn['’]t\b")
_UNSPACED = re.compile("[\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_KANA_OR_THAI = re.compile("[\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff\u3040-\u30ff]")

Options = Mapping[str, Any]


class Remedy(NamedTuple):
    """Something recognised, and what mends it.

    finding: a sentence.
    button: what the button says.
    options: what to change among the options, by name; or
    mend: the name of a change to the texts, in `MENDS`.
    """

    finding: str
    button: str
    options: Mapping[str, Any]
    mend: str = ""


def find_remedies(predictions: Sequence[str], references: Sequence[Sequence[str]], options: Options) -> list[Remedy]:
    """What is recognised in the texts of a system, or in those of a sentence.

    Args:
        predictions: one text a segment; a sample is enough.
        references: for each of them a list of references.
        options: those that they are scored with.

    >>> [remedy.button for remedy in find_remedies(["ein „Zitat“"], [['ein "Zitat"']], {"tokenize": "13a"})]
    ['Make quotes straight']
    """
    mine = [text for text in predictions[:SAMPLE] if text]
    others = [text for texts in references[:SAMPLE] for text in texts if text]
    return [remedy for look in _LOOKS for remedy in look(mine, others, options)] if mine and others else []


def explain_short(lengths: Sequence[int], max_order: int) -> Remedy:
    """The remedy where no prediction is long enough for the longest n-gram.

    >>> explain_short([2], 4).finding
    'The score is 0 because 2 tokens have no 4-gram, and BLEU multiplies the precisions of 1-grams to 4-grams.'
    """
    longest = max(lengths)
    has = f"{longest} token{' has' if longest == 1 else 's have'}"
    finding = (
        f"The score is 0 because {has} no {max_order}-gram, and BLEU multiplies the precisions of 1-grams to"
        f" {max_order}-grams."
    )
    return Remedy(finding, "Leave out the orders that are too long", {"effective_order": True})


def straighten_quotes(text: str) -> str:
    """Typographic quotes, apostrophes and ellipses as they are on a keyboard.

    >>> straighten_quotes("‘It’s’ …")
    "'It's' ..."
    """
    return text.translate(_TYPOGRAPHIC)


def detokenise(text: str) -> str:
    """Tokenised English as it would be written: good enough to see what tokenisation has to do with a score.

    >>> detokenise("He said : &quot; it &apos;s well @-@ known , is n't it ? &quot;")
    'He said: "it\\'s well-known, isn\\'t it?"'
    """
    text = unescape(text).replace(" @-@ ", "-")
    text = re.sub(r'" ([^"]*?) "', r'"\1"', text)
    text = re.sub(r"\s+([.,;:!?)\]}%])", r"\1", text)
    return re.sub(r"\s+(['’](?:s|t|re|ve|ll|d|m)\b|n['’]t\b)", r"\1", re.sub(r"([(\[{])\s+", r"\1", text))


MENDS: dict[str, Callable[[str], str]] = {"quotes": straighten_quotes, "detokenise": detokenise}


def _look_for_quotes(mine: Sequence[str], others: Sequence[str], options: Options) -> Iterator[Remedy]:
    curled, straight = (_share(pattern, mine) - _share(pattern, others) for pattern in (_CURLED, _STRAIGHT))
    if abs(curled) > _SHARE / 2 and curled * straight < 0:
        who = "The predictions have" if curled > 0 else "The references have"
        whom = "the references" if curled > 0 else "the predictions"
        finding = f"{who} typographic quotes or apostrophes (“ ” ’), {whom} have straight ones: they don’t match."
        yield Remedy(finding, "Make quotes straight", {}, "quotes")


def _look_for_tokens(mine: Sequence[str], others: Sequence[str], options: Options) -> Iterator[Remedy]:
    here, there = _share(_DETACHED, mine), _share(_DETACHED, others)
    if here > _SHARE and there <= _SHARE:
        finding = "The predictions look tokenised (“word .”), and the references don’t."
        yield Remedy(finding, "Detokenise the predictions", {}, "detokenise")
    elif here > _SHARE and options["tokenize"] in ("13a", "intl"):
        finding = f"The texts look tokenised (“word .”); tokenizer {options['tokenize']} is for text that isn’t."
        yield Remedy(finding, "Split at spaces only", {"tokenize": "none"})


def _look_for_case(mine: Sequence[str], others: Sequence[str], options: Options) -> Iterator[Remedy]:
    if options.get("lowercase"):
        return
    here, there = (sum(map(_has_capitals, texts)) / len(texts) for texts in (mine, others))
    if min(here, there) < 0.1 and max(here, there) > 0.5:
        who, whom = ("predictions", "references") if here < there else ("references", "predictions")
        finding = f"The {who} are in lower case, and the {whom} aren’t."
        yield Remedy(finding, "Ignore case", {"lowercase": True})


def _look_for_spaces(mine: Sequence[str], others: Sequence[str], options: Options) -> Iterator[Remedy]:
    if options["tokenize"] not in ("13a", "none", "intl", "multi-bleu"):
        return
    text = "".join(mine)
    if len(_UNSPACED.findall(text)) > _SHARE * len(text):
        is_chinese = not _KANA_OR_THAI.search(text)
        tokenizer = "zh" if is_chinese else "char"
        finding = f"This text has no spaces between words, which tokenizer {options['tokenize']} goes by."
        yield Remedy(finding, f"Use {tokenizer}", {"tokenize": tokenizer})


_LOOKS = (_look_for_spaces, _look_for_quotes, _look_for_tokens, _look_for_case)


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    return sum(1 for text in texts if pattern.search(text)) / len(texts)


def _has_capitals(text: str) -> bool:
    return text != text.lower()
