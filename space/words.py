"""Settings in people's words: what an option's value means, and the convention that a set of options is nearest to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .metric import bleu

CONVENTIONS = {
    "default": "sacreBLEU",
    "papineni": "the 2002 paper",
    "hf": "evaluate’s bleu",
    "nltk": "NLTK",
    "moses": "multi-bleu.perl",
}

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_TOKENIZERS = {
    "13a": "text is split by 13a, sacreBLEU’s tokenizer",
    "none": "text is split at spaces only",
    "intl": "text is split by intl, at all of Unicode’s punctuation",
    "zh": "Chinese is split into characters (zh)",
    "char": "text is split into characters",
    "multi-bleu": "text is split at spaces only, as multi-bleu.perl does",
}
_SMOOTHING = {
    "none": "nothing is smoothed",
    "exp": "orders without a match are smoothed as sacreBLEU does",
    "floor": "orders without a match count a small number (floor)",
    "add-k": "a constant is added to matches and totals of the longer n-grams (add-k)",
    "laplace": "1 is added to matches and totals of all orders (laplace)",
}
_LENGTHS = {
    "closest": "the reference of the closest length sets the brevity penalty",
    "shortest": "the shortest reference sets the brevity penalty",
    "longest": "the longest reference sets the brevity penalty",
}

# What each value means, as the end of a sentence: "… if case is ignored".
_CLAUSES: dict[str, Callable[[Any], str]] = {
    "references": lambda value: describe_references(value),
    "tokenize": lambda value: _TOKENIZERS.get(value, f"text is split by {value}"),
    "lowercase": lambda value: "case is ignored" if value else "case counts",
    "smooth_method": lambda value: _SMOOTHING.get(value, f"orders without a match are smoothed by {value}"),
    "smooth_value": lambda value: f"the value of the smoothing is {value:g}",
    "reference_length": lambda value: _LENGTHS[value],
    "max_order": lambda value: f"n-grams go up to {value}" if value > 1 else "only single tokens count",
    "effective_order": lambda value: (
        "orders that the text is too short for are left out" if value else "all orders count, however short the text"
    ),
    "minimum_total": lambda value: (
        f"every segment counts as having {value} n-gram of each order at least, as in NLTK"
        if value
        else "a segment has as many n-grams as it has"
    ),
}


def describe_setting(name: str, value: Any) -> str:
    """What a value of an option means, as the end of a sentence.

    >>> describe_setting("lowercase", True), describe_setting("references", 0)
    ('case is ignored', 'only the first reference is used')
    """
    return _CLAUSES[name](value)


def describe_references(which: int | str) -> str:
    """Which references count: all, or one by its index.

    >>> describe_references("all"), describe_references(12)
    ('all references are used', 'only reference 13 is used')
    """
    if not isinstance(which, int):
        return "all references are used"
    return f"only {f'the {_ORDINALS[which]} reference' if which < len(_ORDINALS) else f'reference {which + 1}'} is used"


def describe_options(options: Mapping[str, Any]) -> str:
    """The convention that options are nearest to, and what differs from it.

    >>> describe_options({**bleu.OPTIONS, "lowercase": True})
    'sacreBLEU, but case is ignored'
    """
    changes = {name: _list_changes(options, bleu.CONVENTIONS[name]) for name in CONVENTIONS}
    nearest = min(CONVENTIONS, key=lambda name: len(changes[name]))
    return ", but ".join(filter(None, [CONVENTIONS[nearest], join_clauses(changes[nearest])]))


def join_clauses(clauses: Sequence[str]) -> str:
    """Clauses as one.

    >>> join_clauses(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = clauses or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _list_changes(options: Mapping[str, Any], convention: Mapping[str, Any]) -> list[str]:
    expected = {**bleu.OPTIONS, **convention}
    return [
        describe_setting(name, value)
        for name, value in options.items()
        if name in _CLAUSES and value is not None and value != expected[name]
    ]
