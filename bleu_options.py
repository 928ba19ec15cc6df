"""What a user asks for: the options, the named conventions, and the signature that says which were in effect.

Options come as keywords, at load and in the call; what comes out is one frozen `Options`, or an error that says what to
write instead. The names that they may have stand here as plain tables; what each does is defined in the room of its
concept (`bleu_tokenizers`, `bleu_smoothing`, `bleu_counting`). Nothing here computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from .bleu_spellings import translate_options
from .bleu_warnings import warn

__version__ = "0.1.0"

TOKENIZERS = ("13a", "none", "intl", "zh", "char", "multi-bleu")
REFERENCE_LENGTHS = ("closest", "shortest", "longest")


class SmoothMethod(NamedTuple):
    """What the options have to know of a smoothing method.

    value: the default of `smooth_value`; None where a method takes none.
    further_orders: how many orders beyond N it looks at.
    divides: whether the value is divided by, so that it can't be 0.
    """

    value: float | None = None
    further_orders: int = 0
    divides: bool = False


SMOOTH_METHODS = {
    "none": SmoothMethod(),
    "floor": SmoothMethod(value=0.1),
    "add-k": SmoothMethod(value=1.0),
    "exp": SmoothMethod(),
    "laplace": SmoothMethod(),
    "chen-cherry-4": SmoothMethod(value=5.0, divides=True),
    "chen-cherry-5": SmoothMethod(further_orders=1),
    "chen-cherry-6": SmoothMethod(value=5.0),
    "chen-cherry-7": SmoothMethod(value=5.0, further_orders=1, divides=True),
    "nltk-4": SmoothMethod(value=5.0, divides=True),
    "nltk-5": SmoothMethod(further_orders=1),
    "nltk-7": SmoothMethod(value=5.0, further_orders=1, divides=True),
}

CONVENTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "papineni": {"smooth_method": "none"},
    "hf": {"smooth_method": "none", "reference_length": "shortest"},
    "nltk": {"tokenize": "none", "smooth_method": "none", "minimum_total": 1},
    "moses": {"tokenize": "multi-bleu", "smooth_method": "none"},
}

# evaluate's own modules that can be loaded here under their names, and the convention that has their numbers.
DROP_INS = {"sacrebleu": "default", "bleu": "hf"}

# Options that decide what is counted. Rows counted under different ones don't add up.
COUNTING = ("tokenize", "lowercase", "max_order", "reference_length", "minimum_total")

# Options that only the score of a corpus knows.
CORPUS_ONLY = ("segments", "confidence", "n_resamples", "seed")


@dataclass(frozen=True)
class Options:
    """All that decides a number, checked. Make one with `choose_options`, and another from it with `override`.

    `given` are the options that a user chose, at load or in the call; the others are the convention's, or defaults.
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
    convention: str = field(default="default", kw_only=True)
    given: frozenset[str] = field(default=frozenset(), kw_only=True)

    def override(self, given: Mapping[str, Any], without: Collection[str] = (), purpose: str = "") -> Options:
        """These options with some given anew.

        Args:
            given: options by name.
            without: options that have no meaning here.
            purpose: what "here" is, for the error.

        Raises:
            TypeError: there is no such option, or a value has the wrong type.
            ValueError: a value has the right type but can't be meant, or the option has no meaning here.

        >>> Options().override({"tokenize": "zh", "max_order": 2}).max_order
        2
        >>> Options().override({"tokeniser": "zh"})
        Traceback (most recent call last):
        TypeError: There is no option `tokeniser`. Did you mean `tokenize`?
        >>> Options().override({"segments": True}, without=CORPUS_ONLY, purpose="one segment")
        Traceback (most recent call last):
        ValueError: segments goes with the score of a corpus, not with one segment: leave it out.
        """
        if not given:
            return self
        given = {name: to_python(value) for name, value in translate_options(given, OPTIONS).items()}
        for name in given:
            if name in without:
                raise ValueError(f"{name} goes with the score of a corpus, not with {purpose}: leave it out.")
        options = replace(self, **given, given=self.given.union(given))
        _check(options)
        if given.get("smooth_value") is not None and not options.takes_smooth_value:
            warn(f"smooth_value={options.smooth_value!r} is ignored: {options.smooth_method!r} takes none.")
        return options if options.weights is None else replace(options, weights=tuple(map(float, options.weights)))

    def is_chosen(self, name: str) -> bool:
        """Whether a user chose the option, or the convention that sets it."""
        return name in self.given or name in _convention_options(self.convention)

    @property
    def takes_smooth_value(self) -> bool:
        """Whether the smoothing method takes a value; one that is left from another method has no effect."""
        return SMOOTH_METHODS[self.smooth_method].value is not None

    @property
    def smooth_value_in_effect(self) -> float | None:
        """The value of the smoothing method, None where it takes none."""
        default = SMOOTH_METHODS[self.smooth_method].value
        return self.smooth_value if default is not None and self.smooth_value is not None else default

    @property
    def counted_orders(self) -> int:
        """How many orders a statistics row needs: N, or more for smoothing methods that look beyond."""
        return self.max_order + SMOOTH_METHODS[self.smooth_method].further_orders

    def counting(self) -> dict[str, Any]:
        """The options that decide what is counted."""
        return {name: getattr(self, name) for name in COUNTING}


# The options that users may give, with their defaults.
OPTIONS: dict[str, Any] = {option.name: option.default for option in fields(Options) if not option.kw_only}


def choose_options(convention: str, given: Mapping[str, Any]) -> Options:
    """The options of a named convention, or of a drop-in, with some given on top.

    Raises:
        ValueError: there is neither of this name.
        TypeError, ValueError: as `Options.override`.

    >>> choose_options("hf", {"max_order": 2}).reference_length
    'shortest'
    """
    names = [*CONVENTIONS, *DROP_INS]
    if convention not in names:
        raise ValueError(f"There is no convention {convention!r}. Choose one of {_list_names(names)}.")
    return replace(Options(), convention=convention, **_convention_options(convention)).override(given)


def to_python(value: Any) -> Any:
    """NumPy's scalars and arrays as Python's, which JSON and a signature take.

    >>> to_python([np.float32(0.5), np.str_("zh")])
    [0.5, 'zh']
    """
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return [to_python(item) for item in value] if isinstance(value, (list, tuple)) else value


def make_signature(
    options: Options,
    tokenizer: str,
    references: str,
    resampled: Mapping[str, int] | None = None,
    unknown: Collection[str] = (),
) -> str:
    """How a score was made, in sacreBLEU's keys and order; what isn't the default adds a key of its own.

    Args:
        options: the options in effect.
        tokenizer: what the tokenizer calls itself.
        references: how many references a segment has, `"var"` if that differs, `"?"` if unknown.
        resampled: how many bootstrap resamples (`"bs"`) and randomization trials (`"ar"`) there were, and resamples of
            intervals (`"ci"`) where these are others.
        unknown: options that nobody knows any more: `?` stands for them, since a signature is a claim.

    >>> make_signature(Options(), "13a", "2")
    'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:bleu_metric-0.1.0'
    """
    default, value = SMOOTH_METHODS[options.smooth_method].value, options.smooth_value_in_effect
    keys = {
        "nrefs": references,
        "bs": None,
        "ar": None,
        "ci": None,
        **(resampled or {}),
        "seed": str(options.seed).lower() if resampled else None,
        "case": "?" if "lowercase" in unknown else "lc" if options.lowercase else "mixed",
        "eff": "yes" if options.effective_order else "no",
        "tok": "?" if "tokenize" in unknown else tokenizer,
        "smooth": options.smooth_method if value is None else f"{options.smooth_method}[{value:.2f}]",
        "value": value if value != default else None,  # two decimals, as sacreBLEU writes them, may hide it
        "order": options.max_order if options.max_order != Options.max_order else None,
        "weights": None if options.weights is None else "/".join(f"{weight:g}" for weight in options.weights),
        "reflen": options.reference_length if options.reference_length != Options.reference_length else None,
        "mintotal": options.minimum_total or None,
        **{key: "?" for name, key in _UNSIGNED_DEFAULTS.items() if name in unknown},
        "version": f"bleu_metric-{__version__}",
    }
    return "|".join([f"{key}:{text}" for key, text in keys.items() if text is not None])


# Keys that a signature has only where the option isn't the default.
_UNSIGNED_DEFAULTS = {"reference_length": "reflen", "minimum_total": "mintotal"}


def _convention_options(name: str) -> dict[str, Any]:
    return CONVENTIONS[DROP_INS.get(name, name)]


def _check(options: Options) -> None:
    if not isinstance(options.tokenize, str) and not callable(options.tokenize):
        raise TypeError(f"tokenize={options.tokenize!r}: give a name or a function from str to a list of str.")
    for name in ("lowercase", "effective_order", "segments"):
        if not isinstance(getattr(options, name), bool):
            raise TypeError(f"{name}={getattr(options, name)!r}: give True or False.")
    for name, least in (("max_order", 1), ("n_resamples", 1), ("minimum_total", 0), ("seed", 0)):
        if name != "seed" or options.seed is not None:
            _check_whole_number(name, getattr(options, name), least)
    for name, choices in (("smooth_method", SMOOTH_METHODS), ("reference_length", REFERENCE_LENGTHS)):
        if not isinstance(getattr(options, name), str) or getattr(options, name) not in choices:
            raise ValueError(f"{name}={getattr(options, name)!r}: choose one of {_list_names(choices)}.")
    if options.smooth_value is not None:
        _check_smooth_value(options)
    if options.confidence is not None:
        _check_number("confidence", options.confidence)
        if not 0 < options.confidence < 1:
            raise ValueError(f"confidence={options.confidence!r}: give a number above 0 and below 1, such as 0.95.")
    if options.weights is not None:
        _check_weights(options.weights, options.max_order)


def _check_whole_number(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}={value!r}: give a whole number.")
    if value < least:
        raise ValueError(f"{name}={value!r}: give a whole number of {least} or more.")


def _check_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name}={value!r}: give a number, an int or a float.")
    if not math.isfinite(value):
        raise ValueError(f"{name}={value!r}: give a finite number.")


def _check_smooth_value(options: Options) -> None:
    value, divides = options.smooth_value, SMOOTH_METHODS[options.smooth_method].divides
    _check_number("smooth_value", value)
    if value is not None and (value < 0 or (divides and value == 0)):
        bound = "above 0" if divides else "of 0 or more"
        raise ValueError(f"smooth_value={value!r}: give a number {bound}.")


def _check_weights(weights: Any, max_order: int) -> None:
    if isinstance(weights, (Mapping, Set)) or not hasattr(weights, "__len__"):
        raise TypeError(f"weights: found {type(weights).__name__}. Give a list, one weight an order.")
    if len(weights) != max_order:
        raise ValueError(f"weights={weights!r}: give one weight an order, {max_order} in all, or change max_order.")
    for weight in weights:
        _check_number("weights", weight)
    if min(weights) < 0 or not any(weights):
        raise ValueError(f"weights={weights!r}: give weights of 0 or more, not all 0.")


def _list_names(names: Any) -> str:
    return ", ".join(map(repr, names))
