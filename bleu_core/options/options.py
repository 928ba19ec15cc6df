"""The options: one field of `Options` each; and the conventions and drop-ins that choose them.

Names of tokenizers, smoothing methods and reference lengths come from the tables beside their
definitions. All files take an `Options`; the class makes one with `choose_options`. To add an
option, add a field, and its type in `option_names.py`; if it changes scores, also a key in
`signature.py`. To add a convention, add its options to `CONVENTIONS`.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

from ..rules.counting import REFERENCE_LENGTHS, CountingRule, Layout
from ..rules.smoothing import SMOOTH_METHODS
from ..rules.tokenizers import TOKENIZERS
from ..shared.arrays import Label, to_python
from ..shared.messages import Notice, count_things, invalid, one_of, show_value, warn
from ..shared.pickling import picklable
from ..text.labels import plain_label
from .option_names import (
    CORPUS_ONLY,
    COUNTING_OPTIONS,
    NLTK_METHODS,
    Tokenize,
    explain_unknown_option,
)

_MAX_WEIGHT = 1000  # of all orders together; beyond it, every score except 1 rounds to 0

# Raises for an invalid value, from an option's name and value.
OptionCheck = Callable[[str, Any], None]

# --- Checks of values -----------------------------------------------------------------------------


def _whole_number(least: int, most: int | None = None) -> OptionCheck:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise invalid(name, value, "a whole number", TypeError)
        if value < least:
            raise invalid(name, value, f"a whole number of {least} or more")
        if most is not None and value > most:
            raise invalid(name, value, f"a whole number up to {most:,}")

    return check


def _check_one_of(names: Iterable[str]) -> OptionCheck:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in names:
            raise invalid(name, value, one_of(names))

    return check


def _optional(check: OptionCheck) -> OptionCheck:
    return lambda name, value: None if value is None else check(name, value)


def check_flag(name: str, value: object) -> None:
    """Raise unless a value is True or False."""
    if not isinstance(value, bool):
        raise invalid(name, value, "True or False", TypeError)


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise invalid(name, value, "a number, an int or a float", TypeError)
    if not math.isfinite(value):
        raise invalid(name, value, "a finite number")


def _check_smooth_method(name: str, value: object) -> None:
    nltk_name = getattr(value, "__name__", value)  # a method, or its name
    if isinstance(nltk_name, str) and nltk_name in NLTK_METHODS:
        method = NLTK_METHODS[nltk_name]
        raise ValueError(
            f"{name}={show_value(value)}: NLTK's {nltk_name} is {method!r} here. Pass"
            f" {name}={method!r}."
        )
    _check_one_of(SMOOTH_METHODS)(name, value)


def _check_tokenize(name: str, value: object) -> None:
    if not isinstance(value, str) and not callable(value):
        raise invalid(name, value, "a name or a function from str to a list of str", TypeError)


def _check_confidence(name: str, value: Any) -> None:
    expected = (
        "a number from 0.5 to 1 (excluded), such as 0.95; confidence=0.95 adds a 95% interval"
    )
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise invalid(name, value, expected, TypeError)
    if not 0.5 <= value < 1:  # 0.05 was meant as a level of significance
        raise invalid(name, value, expected)


def _check_weights(name: str, value: Any) -> None:
    if (
        isinstance(value, (str, bytes, bytearray, memoryview, Mapping, Set))
        or not hasattr(value, "__len__")
        or getattr(value, "ndim", None) == 0
    ):
        raise invalid(
            name,
            value,
            "a list with one weight per order, such as [0.25, 0.25, 0.25, 0.25], or None for equal"
            " weights",
            TypeError,
        )
    if not len(value):
        return  # a wrong number of weights, which `Options` reports
    if all(isinstance(weight, (list, tuple, range)) for weight in value):
        raise TypeError(
            f"{name}: got {count_things(len(value), 'list')} of weights."
            " Pass one per call, with max_order as its length. For"
            " BLEU-1 to BLEU-N with equal weights, read `bleu_by_order` of a result."
        )
    for order, weight in enumerate(value):
        _check_number(f"{name}[{order}]", weight)
    if min(value) < 0 or not 0 < sum(value) <= _MAX_WEIGHT:
        expected = f"weights of 0 or more, not all 0, that sum up to at most {_MAX_WEIGHT}"
        raise invalid(name, value, expected)


def _option(default: Any, check: OptionCheck, says: str) -> Any:
    return field(default=default, metadata={"check": check, "says": says})


def _write_names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


# --- The options ----------------------------------------------------------------------------------


@picklable
@dataclass(frozen=True)
class Options:
    """The options of a call, checked.

    Make one with `choose_options`, and derive others with `override`.

    `given` has the names of the options that the user chose, at load or in the call. The values of
    all other options come from the convention or are defaults. `tokenize_by` has the tokenizers of
    single labels; the other labels use `tokenize`. `signed_trials` has the number of resamples of a
    test, by its name, that a signature tells beside the number for intervals.
    """

    tokenize: Tokenize = _option(  # noqa: RUF009 - it returns a field
        "13a",
        _check_tokenize,
        f"the tokenizer: {_write_names(TOKENIZERS)}; a sacreBLEU tokenizer by name; `moses-` and a"
        " language; or a function from str to a list of str",
    )
    lowercase: bool = _option(False, check_flag, "True to ignore case")
    max_order: int = _option(4, _whole_number(1, most=10_000), "the length of the longest n-grams")
    weights: tuple[float, ...] | None = _option(
        None, _optional(_check_weights), "one weight per order; None for equal weights"
    )
    smooth_method: str = _option(
        "exp",
        _check_smooth_method,
        f"how orders without a match are smoothed: {_write_names(SMOOTH_METHODS)}",
    )
    smooth_value: float | None = _option(
        None,
        _optional(_check_number),
        "the parameter of the smoothing method (epsilon, k or K); None for its default",
    )
    effective_order: bool = _option(
        False, check_flag, "True to ignore n-gram orders longer than the predictions"
    )
    reference_length: str = _option(
        "closest",
        _check_one_of(REFERENCE_LENGTHS),
        f"the reference that sets the brevity penalty: {_write_names(REFERENCE_LENGTHS)}",
    )
    minimum_total: int = _option(
        0,
        _whole_number(0, most=2**31 - 1),  # sums over segments are int64
        "the minimum number of n-grams to count per order and segment; NLTK counts 1",
    )
    segments: bool = _option(False, check_flag, "True to add `segment_bleu`, one score per segment")
    confidence: float | None = _option(
        None,
        _optional(_check_confidence),
        "0.95, for example, to add a bootstrap confidence interval",
    )
    n_resamples: int = _option(1000, _whole_number(1), "the number of bootstrap resamples")
    seed: int | None = _option(
        12345, _optional(_whole_number(0)), "the seed of the bootstrap; None for a random one"
    )
    convention: str = field(default="default", kw_only=True)
    given: frozenset[str] = field(default=frozenset(), kw_only=True)
    tokenize_by: Mapping[Label, Tokenize] | None = field(default=None, kw_only=True)
    signed_trials: Mapping[str, int] = field(default_factory=dict, kw_only=True)

    def override(
        self,
        given: Mapping[str, object],
        taken: Collection[str] = (),
        method: str = "evaluate.load",
        *,
        checks_weights: bool = True,
    ) -> Options:
        """Return a copy of these options with changed values.

        Args:
            given: the changed values by option.
            taken: the options that the calling method takes; all options if empty.
            method: the name of the calling method, for the error.
            checks_weights: False if `max_order` is read from tables later, so that `weights` may
                have another length.

        Raises:
            TypeError: an option is unknown or not one of the method, or a value has the wrong type.
            ValueError: a value is out of range.

        >>> Options().override({"tokenize": "zh", "max_order": 2}).max_order
        2
        >>> Options().override({"tokenise": "zh"})
        Traceback (most recent call last):
        TypeError: Unknown option `tokenise`. Did you mean `tokenize`?
        >>> Options().override({"segments": True}, ["seed"], "explain")
        Traceback (most recent call last):
        TypeError: `segments` is not an option of explain(). Remove it. explain() takes seed.
        """
        if not given:
            return self
        allowed = taken or OPTIONS
        for name, value in given.items():
            if name not in allowed:
                raise TypeError(explain_unknown_option(name, allowed, method, value))
        # 1. Convert the values. A dict of tokenizers goes beside the tokenizer of other labels.
        values = {name: to_python(value) for name, value in given.items()}
        tokenize_by = None if "tokenize" in values else self.tokenize_by
        if isinstance(values.get("tokenize"), Mapping):
            by_label = values.pop("tokenize").items()
            tokenize_by = {plain_label(label): value for label, value in by_label} or None
        # 2. Check them. An explicit number of resamples wins over the numbers of a signature.
        options = replace(
            self,
            **values,
            given=self.given.union(given),
            tokenize_by=tokenize_by,
            signed_trials={} if "n_resamples" in given else self.signed_trials,
        )
        options._check(checks_weights)
        takes_value = SMOOTH_METHODS[options.smooth_method].value is not None
        if values.get("smooth_value") is not None and not takes_value:
            warn(
                Notice(
                    "smooth value",
                    "smooth_method={method!r} takes no smooth_value; smooth_value={value!r} is"
                    " ignored",
                    ". Remove it",
                ),
                method=options.smooth_method,
                value=options.smooth_value,
            )
        if options.weights is not None:
            options = replace(options, weights=tuple(map(float, options.weights)))
        return options

    def for_label(self, label: Label) -> Options:
        """Return the options of the segments with a label.

        >>> Options().override({"tokenize": {"en-zh": "zh"}}).for_label("en-zh").tokenize
        'zh'
        """
        if self.tokenize_by is None:
            return self
        return replace(self, tokenize=self.tokenize_by.get(label, self.tokenize), tokenize_by=None)

    def with_seed(self) -> Options:
        """Return these options with a seed: if it is random, the same one for several draws."""
        return self if self.seed is not None else replace(self, seed=secrets.randbits(64))

    def for_segments(self) -> Options:
        """Return the options of segment scores: effective order, unless the user chose it."""
        return self if "effective_order" in self.given else replace(self, effective_order=True)

    def is_chosen(self, name: str) -> bool:
        """Return True if the user chose the option or a convention that sets it."""
        return name in self.given or name in find_convention(self.convention)

    @cached_property
    def smooth_value_in_effect(self) -> float | None:
        """The value for the smoothing method; None if it takes no value.

        A value that was passed for another method is ignored.
        """
        default = SMOOTH_METHODS[self.smooth_method].value
        return default if default is None or self.smooth_value is None else self.smooth_value

    @cached_property
    def counted_orders(self) -> int:
        """The number of orders in a statistics row: N, or more for some smoothing methods."""
        return self.max_order + SMOOTH_METHODS[self.smooth_method].further_orders

    @cached_property
    def layout(self) -> Layout:
        """The layout of the statistics rows."""
        return Layout(self.counted_orders)

    @cached_property
    def counting_rule(self) -> CountingRule:
        """The options that turn tokens into statistics rows."""
        return CountingRule(self.counted_orders, self.reference_length, self.minimum_total)

    def __getstate__(self) -> dict[str, Any]:
        """Return the values of the fields, without what is computed from them once."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)

    @classmethod
    def check(cls, name: str, value: object) -> None:
        """Raise unless an option can have a value."""
        cls.__dataclass_fields__[name].metadata["check"](name, value)

    def counting_options(self) -> dict[str, Any]:
        """Return the options that decide what is counted."""
        return {name: getattr(self, name) for name in COUNTING_OPTIONS}

    def _check(self, checks_weights: bool) -> None:
        """Check each value, then values that depend on another option."""
        for name in OPTIONS:
            self.check(name, getattr(self, name))
        for label, tokenize in (self.tokenize_by or {}).items():
            _check_tokenize(f"tokenize[{show_value(label)}]", tokenize)
        if checks_weights and self.weights is not None and len(self.weights) != self.max_order:
            raise invalid(
                "weights",
                self.weights,
                f"one weight per order ({self.max_order} in all), or change max_order",
            )
        if self.smooth_value is None:
            return
        if SMOOTH_METHODS[self.smooth_method].divides and self.smooth_value <= 0:
            raise invalid("smooth_value", self.smooth_value, "a number above 0")
        if self.smooth_value < 0:
            raise invalid("smooth_value", self.smooth_value, "a number of 0 or more")


# The options that users may pass, with their defaults, and with their descriptions.
OPTIONS: dict[str, Any] = {
    option.name: option.default for option in fields(Options) if option.metadata
}
DESCRIPTIONS: dict[str, str] = {
    option.name: option.metadata["says"] for option in fields(Options) if option.metadata
}


# --- Conventions, and drop-ins: arguments, keys and scales of evaluate's modules ------------------

CONVENTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "papineni": {"smooth_method": "none"},
    "hf": {"smooth_method": "none", "reference_length": "shortest"},
    "nltk": {"tokenize": "none", "smooth_method": "none", "minimum_total": 1},
    "moses": {"tokenize": "multi-bleu", "smooth_method": "none"},
    "coco": {"tokenize": "ptb", "smooth_method": "coco"},
}


class DropIn(NamedTuple):
    """One of evaluate's modules, whose `compute` this metric can replace.

    convention: the convention that reproduces the module's score.
    defaults: the module's arguments besides the columns; None stands for the default of this
        metric.
    names: the options of this metric by the module's names, where they differ; None for an argument
        without effect.
    keys: the keys of this metric's result by the module's keys.
    scale: the highest precision.
    """

    convention: str
    defaults: Mapping[str, object]
    names: Mapping[str, str | None]
    keys: Mapping[str, str]
    scale: int


DROP_INS = {
    "sacrebleu": DropIn(
        "default",
        defaults={
            "smooth_method": "exp",
            "smooth_value": None,
            "force": False,
            "lowercase": False,
            "tokenize": None,
            "use_effective_order": False,
        },
        names={"force": None, "use_effective_order": "effective_order"},
        keys={
            "score": "score",
            "counts": "counts",
            "totals": "totals",
            "precisions": "precisions",
            "bp": "brevity_penalty",
            "sys_len": "translation_length",
            "ref_len": "reference_length",
        },
        scale=100,
    ),
    "bleu": DropIn(
        "hf",
        defaults={"tokenizer": None, "max_order": 4, "smooth": False},
        names={"tokenizer": "tokenize", "smooth": "smooth_method"},
        keys={
            "bleu": "bleu",
            "precisions": "precisions",
            "brevity_penalty": "brevity_penalty",
            "length_ratio": "length_ratio",
            "translation_length": "translation_length",
            "reference_length": "reference_length",
        },
        scale=1,
    ),
}


def find_convention(name: str) -> dict[str, Any]:
    return CONVENTIONS[DROP_INS[name].convention if name in DROP_INS else name]


# --- The options that a load or a drop-in chooses -------------------------------------------------


def choose_options(convention: str, given: Mapping[str, object]) -> Options:
    """Return the options of a named convention or drop-in, overridden by the user's choices.

    >>> choose_options("hf", {"max_order": 2}).reference_length
    'shortest'
    """
    names = [*CONVENTIONS, *DROP_INS]
    if convention not in names:
        raise invalid("config_name", convention, one_of(names))
    return replace(Options(), convention=convention, **find_convention(convention)).override(given)


def read_drop_in(module: str, given: Mapping[str, object], options: Options) -> Options:
    """Return the options of a drop-in's `compute`.

    Its arguments may be those of the module, or options of this metric.
    """
    drop_in = DROP_INS[module]
    options_of_scores = (name for name in OPTIONS if name not in CORPUS_ONLY)
    chosen: dict[str, object] = {}
    for name, value in given.items():
        option = drop_in.names.get(name, name)
        if value is None or option is None:
            continue
        if name != option and given.get(option) is not None:
            raise TypeError(f"`{name}` and `{option}` are the same option. Pass `{option}` only.")
        if name == "smooth":
            value = "laplace" if value else "none"
        chosen[option] = value
    taken = dict.fromkeys([*drop_in.defaults, *options_of_scores])
    chosen_options = options.override(chosen, taken, f"evaluate's `{module}` compute")
    return replace(chosen_options, segments=False, confidence=None)


def shape_result(result: dict[str, Any], options: Options) -> dict[str, Any]:
    """Return a result; under a drop-in, with the keys and on the scales of evaluate's module."""
    drop_in = DROP_INS.get(options.convention)
    if drop_in is None:
        return result
    shaped = {name: result[key] for name, key in drop_in.keys.items()}
    return shaped | {"precisions": [drop_in.scale * value for value in result["precisions"]]}
