"""What a user asks for: the options, the named conventions, and the signature that says which were used.

Options come as keywords, at load and at the call; what comes out is one frozen `Options`, or an error that says what to
write instead. Nothing here computes.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from .bleu_counting import REFERENCE_LENGTHS
from .bleu_smoothing import METHODS

__version__ = "0.1.0"

CONVENTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "papineni": {"smooth_method": "none"},
    "hf": {"smooth_method": "none", "reference_length": "shortest"},
    "nltk": {"tokenize": "none", "smooth_method": "none", "minimum_total": 1},
    "moses": {"tokenize": "none", "smooth_method": "none"},
}

# Options that decide what is counted. Rows counted under different ones don't add up.
COUNTING = ("tokenize", "lowercase", "max_order", "reference_length", "minimum_total")

# How evaluate's `bleu` and `sacrebleu` spell things, and what to write here.
_SPELLINGS = {
    "tokenizer": "write `tokenize`; a function from str to a list of str is welcome there too",
    "smooth": "write `smooth_method='laplace'` for what evaluate's `bleu` does with `smooth=True`",
    "use_effective_order": "write `effective_order`",
    "max_ngram_order": "write `max_order`",
    "trg_lang": "write the tokenizer: `tokenize='zh'`, `'ja-mecab'` or `'ko-mecab'`",
    "force": "nothing needs forcing: leave it out, and silence `BleuWarning` if it disturbs",
}


@dataclass(frozen=True)
class Options:
    """All that decides a number, checked. Make one with `Options().updated(...)`.

    Raises:
        TypeError: a value has the wrong type.
        ValueError: a value has the right type but can't be meant.
    """

    tokenize: str | Callable[[str], list[str]] = "13a"
    lowercase: bool = False
    max_order: int = 4
    weights: tuple[float, ...] | None = None
    smooth_method: str = "exp"
    smooth_value: float | None = None
    effective_order: bool = False
    reference_length: str = "closest"
    minimum_total: int = 0
    segments: bool = False
    confidence: float | None = None
    n_resamples: int = 1000
    seed: int | None = 12345

    def updated(self, given: Mapping[str, Any]) -> Options:
        """These options with some given anew.

        >>> Options().updated({"tokenize": "zh", "max_order": 2}).max_order
        2
        >>> Options().updated({"tokeniser": "zh"})
        Traceback (most recent call last):
        TypeError: There is no option `tokeniser`. Did you mean `tokenize`?
        """
        for name in given:
            if name not in OPTION_NAMES:
                raise TypeError(unknown_option(name))
        options = replace(self, **given)
        options._check()
        return options if options.weights is None else replace(options, weights=tuple(map(float, options.weights)))

    @property
    def counted_orders(self) -> int:
        """How many orders a statistics row needs: N, or more for methods of smoothing that look beyond."""
        return self.max_order + METHODS[self.smooth_method].further_orders

    def counting(self) -> dict[str, Any]:
        """The options that decide what is counted."""
        return {name: getattr(self, name) for name in COUNTING}

    def _check(self) -> None:
        if not isinstance(self.tokenize, str) and not callable(self.tokenize):
            raise TypeError(f"tokenize={self.tokenize!r}: give a name or a function from str to a list of str.")
        for name in ("lowercase", "effective_order", "segments"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name}={getattr(self, name)!r}: give True or False.")
        for name, least in (("max_order", 1), ("n_resamples", 1), ("minimum_total", 0), ("seed", 0)):
            value = getattr(self, name)
            if name == "seed" and value is None:
                continue
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"{name}={value!r}: give a whole number.")
            if value < least:
                raise ValueError(f"{name}={value!r}: give a whole number of {least} or more.")
        for name, choices in (("smooth_method", METHODS), ("reference_length", REFERENCE_LENGTHS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}={getattr(self, name)!r}: choose one of {', '.join(map(repr, choices))}.")
        if self.smooth_value is not None:
            if METHODS[self.smooth_method].value is None:
                takers = ", ".join(repr(name) for name, method in METHODS.items() if method.value is not None)
                raise ValueError(f"smooth_value goes with {takers}; smooth_method={self.smooth_method!r} takes none.")
            _check_number("smooth_value", self.smooth_value, 0, math.inf)
        if self.confidence is not None:
            _check_number("confidence", self.confidence, 0, 1)
        if self.weights is not None:
            if not hasattr(self.weights, "__len__") or len(self.weights) != self.max_order:
                raise ValueError(
                    f"weights={self.weights!r}: give one weight an order, {self.max_order} in all, or change max_order."
                )
            for weight in self.weights:
                _check_number("weights", weight, -math.inf, math.inf)
            if min(self.weights) < 0 or not any(self.weights):
                raise ValueError(f"weights={self.weights!r}: give weights of 0 or more, not all 0.")


OPTION_NAMES = tuple(field.name for field in fields(Options))


def _check_number(name: str, value: Any, low: float, high: float) -> None:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}: {value!r} is not a number.")
    if not low < value < high:
        raise ValueError(f"{name}: {value!r} is not between {low} and {high}.")


def unknown_option(name: str) -> str:
    """What to tell a user who wrote an option that doesn't exist.

    >>> unknown_option("use_effective_order")
    'There is no option `use_effective_order` here: write `effective_order`.'
    """
    if name in _SPELLINGS:
        return f"There is no option `{name}` here: {_SPELLINGS[name]}."
    nearest = difflib.get_close_matches(name, OPTION_NAMES, n=1, cutoff=0)
    return f"There is no option `{name}`. Did you mean `{nearest[0]}`?"


def convention(config_name: str) -> Options:
    """The options of a named convention.

    Raises:
        ValueError: there is no convention of this name.

    >>> convention("hf").reference_length
    'shortest'
    """
    if config_name not in CONVENTIONS:
        raise ValueError(f"There is no convention {config_name!r}. Choose one of {', '.join(map(repr, CONVENTIONS))}.")
    return Options().updated(CONVENTIONS[config_name])


def signature(
    options: Options, tokenizer: str, references: str | None, resampled: Mapping[str, int] | None = None
) -> str:
    """How a score was made, in sacreBLEU's keys and order; what isn't the default adds a key of its own.

    Args:
        options: the options in effect.
        tokenizer: what the tokenizer calls itself.
        references: how many references a segment has, `"var"` if that differs, None if unknown.
        resampled: how many bootstrap resamples (`"bs"`) and randomization trials (`"ar"`) there were.

    >>> signature(Options(), "13a", "2")
    'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:bleu_metric-0.1.0'
    """
    default = METHODS[options.smooth_method].value
    value = options.smooth_value if options.smooth_value is not None else default
    keys = {
        "nrefs": references,
        "bs": None,
        "ar": None,
        **(resampled or {}),
        "seed": str(options.seed).lower() if resampled else None,
        "case": "lc" if options.lowercase else "mixed",
        "eff": "yes" if options.effective_order else "no",
        "tok": tokenizer,
        "smooth": options.smooth_method if value is None else f"{options.smooth_method}[{value:.2f}]",
        "value": value if value != default else None,  # two decimals, as sacreBLEU writes them, may hide it
        "order": options.max_order if options.max_order != Options.max_order else None,
        "weights": None if options.weights is None else "/".join(f"{weight:g}" for weight in options.weights),
        "reflen": options.reference_length if options.reference_length != Options.reference_length else None,
        "mintotal": options.minimum_total or None,
        "version": f"bleu_metric-{__version__}",
    }
    return "|".join(f"{key}:{text}" for key, text in keys.items() if text is not None)
