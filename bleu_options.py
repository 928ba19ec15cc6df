"""The options, the named conventions, the signature, and drop-ins for evaluate's modules.

An option is one field of `Options` with its default, its check and its description. Names of
tokenizers, smoothing methods and reference lengths come from the tables beside their definitions.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, NewType, TypedDict, get_args

import numpy as np

from . import bleu_messages as messages
from .bleu_corpus import Label, Layout, __version__, picklable, plain_label
from .bleu_counting import REFERENCE_LENGTHS, CountingRule
from .bleu_messages import Notice, invalid, one_of, show_value, warn
from .bleu_scoring import SMOOTH_METHODS
from .bleu_tokenizers import SACREBLEU_PACKAGES, TOKENIZERS, is_moses

_MAX_WEIGHT = 1000  # of all orders together; beyond it, every score except 1 rounds to 0

Tokenize = str | Callable[[str], list[str]]  # a name, or a function

OptionCheck = Callable[
    [str, Any], None
]  # raises for an invalid value, from an option's name and value

# Options that decide what is counted. Rows counted under different values do not add up.
CountingOption = Literal["tokenize", "lowercase", "max_order", "reference_length", "minimum_total"]
COUNTING_OPTIONS: tuple[CountingOption, ...] = get_args(CountingOption)

# Options that apply only to the score of a corpus.
CORPUS_ONLY = ("segments", "confidence", "n_resamples", "seed")

CONVENTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "papineni": {"smooth_method": "none"},
    "hf": {"smooth_method": "none", "reference_length": "shortest"},
    "nltk": {"tokenize": "none", "smooth_method": "none", "minimum_total": 1},
    "moses": {"tokenize": "multi-bleu", "smooth_method": "none"},
    "coco": {"tokenize": "ptb", "smooth_method": "coco"},
}

# The methods of NLTK's SmoothingFunction by their names there.
NLTK_METHODS = {
    "method0": "none",
    "method1": "floor",
    "method2": "add-k",
    "method3": "exp",
    "method4": "nltk-4",
    "method5": "nltk-5",
    "method6": "chen-cherry-6",
    "method7": "nltk-7",
}


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
            f"{name}: got {messages.count_things(len(value), 'list')} of weights."
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


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


# --- Options --------------------------------------------------------------------------------------


_SMOOTH_VALUE_IGNORED = Notice(
    "smooth value",
    "smooth_method={method!r} takes no smooth_value; smooth_value={value!r} is ignored",
    ". Remove it",
)


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
        f"the tokenizer: {_list(TOKENIZERS)}; a sacreBLEU tokenizer by name; `moses-` and a"
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
        f"how orders without a match are smoothed: {_list(SMOOTH_METHODS)}",
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
        f"the reference that sets the brevity penalty: {_list(REFERENCE_LENGTHS)}",
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
            warn(_SMOOTH_VALUE_IGNORED, method=options.smooth_method, value=options.smooth_value)
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
        return name in self.given or name in _find_convention(self.convention)

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


# The options as the parameters of methods, for type checkers and editors. Tests compare them with
# the fields of `Options`, and the names with those of the records.

# The name of a tokenizer that is known only when a program runs, or that depends on a language,
# such as `TokenizerName("moses-de")`. A plain str would hide a mistyped name from type checkers.
TokenizerName = NewType("TokenizerName", str)
NamedTokenizer = Literal[
    "13a",
    "none",
    "intl",
    "zh",
    "char",
    "list",
    "multi-bleu",
    "ptb",
    # of sacreBLEU
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
]
SmoothMethodName = Literal[
    "none",
    "skip",
    "floor",
    "add-k",
    "exp",
    "laplace",
    "coco",
    "chen-cherry-4",
    "chen-cherry-5",
    "chen-cherry-6",
    "chen-cherry-7",
    "nltk-4",
    "nltk-5",
    "nltk-7",
]
ReferenceLengthName = Literal["closest", "shortest", "longest"]
Convention = Literal["default", "papineni", "hf", "nltk", "moses", "coco", "sacrebleu", "bleu"]
TestName = Literal["randomization", "bootstrap", "runs"]


class ScoringOptions(TypedDict, total=False):
    """The options of every method."""

    tokenize: (
        NamedTokenizer
        | TokenizerName
        | Callable[[str], list[str]]
        | Mapping[Any, Tokenize]  # with `by`, by label
    )
    lowercase: bool
    max_order: int
    weights: Sequence[float] | None
    smooth_method: SmoothMethodName
    smooth_value: float | None
    effective_order: bool
    reference_length: ReferenceLengthName
    minimum_total: int


class SystemsOptions(ScoringOptions, total=False):
    """The options of methods that resample several systems."""

    confidence: float | None
    seed: int | None


class CorpusOptions(SystemsOptions, total=False):
    """All options."""

    segments: bool
    n_resamples: int


class LoadArguments(CorpusOptions, total=False):
    """All options, and the arguments of `evaluate.Metric`."""

    keep_in_memory: bool
    cache_dir: str | None
    num_process: int
    process_id: int
    experiment_id: str | None
    hash: str | None
    max_concurrent_cache_files: int
    timeout: float


# The options that users may pass, with their defaults, and with their descriptions.
OPTIONS: dict[str, Any] = {
    option.name: option.default for option in fields(Options) if option.metadata
}
DESCRIPTIONS: dict[str, str] = {
    option.name: option.metadata["says"] for option in fields(Options) if option.metadata
}


def choose_options(convention: str, given: Mapping[str, object]) -> Options:
    """Return the options of a named convention or drop-in, overridden by the user's choices.

    >>> choose_options("hf", {"max_order": 2}).reference_length
    'shortest'
    """
    names = [*CONVENTIONS, *DROP_INS]
    if convention not in names:
        raise invalid("config_name", convention, one_of(names))
    return replace(Options(), convention=convention, **_find_convention(convention)).override(given)


def options_of_signature(signature: object, given: Mapping[str, object]) -> Options:
    """Return the options that a signature names, overridden by the user's choices.

    Raises:
        TypeError, ValueError: as `read_signature`; or the input of the score was not text.

    >>> options_of_signature("nrefs:1|case:lc|eff:no|tok:zh|smooth:exp", {"max_order": 2}).tokenize
    'zh'
    """
    content = read_signature(signature)
    if content.pretokenized is not None:
        raise ValueError(
            f"signature: 'tok:{content.pretokenized}' says that the input was"
            f" {content.pretokenized} already, not how to split text. Remove it from the signature,"
            f" and pass {content.pretokenized}."
        )
    options = dict(content.options)
    if "smooth_method" in given:  # the value was for the method of the signature
        options.pop("smooth_value", None)
    return replace(choose_options("default", options), signed_trials=content.trials).override(given)


def to_python(value: Any) -> Any:
    """Convert NumPy scalars and arrays to plain Python values, for JSON and signatures.

    >>> to_python([np.float32(0.5), np.str_("zh")])
    [0.5, 'zh']
    """
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [to_python(item) for item in value]
    return value


def _find_convention(name: str) -> dict[str, Any]:
    return CONVENTIONS[DROP_INS[name].convention if name in DROP_INS else name]


# --- The signature --------------------------------------------------------------------------------


@picklable
class Origin(NamedTuple):
    """The tokens and references of counted rows, as a signature names them.

    tokenizer_name: the name of the tokenizer; `"var"` if there are several.
    nrefs: the number of references per segment; `"var"` if it differs, `"?"` if unknown.
    """

    tokenizer_name: str
    nrefs: str

    @classmethod
    def merge(cls, origins: Iterable[Origin]) -> Origin:
        """Return the origin of the rows of several parts.

        >>> Origin.merge([Origin("13a", "1"), Origin("zh", "1")])
        Origin(tokenizer_name='var', nrefs='1')
        """
        parts = list(origins)
        return cls(
            same_or_var(origin.tokenizer_name for origin in parts),
            same_or_var(origin.nrefs for origin in parts),
        )


def same_or_var(values: Iterable[str]) -> str:
    """Return the common value of several values, `"var"` if they differ.

    >>> same_or_var(["13a", "13a"]), same_or_var(["13a", "zh"])
    ('13a', 'var')
    """
    different = set(values)
    return different.pop() if len(different) == 1 else "var"


def make_signature(
    options: Options,
    origin: Origin,
    resampled: Mapping[str, int] | None = None,
    unknown: Collection[str] = (),
    *,
    has_segment_scores: bool = False,
    runs: str | None = None,
) -> str:
    """Write the signature of a score in sacreBLEU's keys and order.

    Values other than the defaults add keys.

    Args:
        options: the options in effect.
        origin: the tokenizer and the number of references.
        resampled: the numbers of bootstrap resamples (`"bs"`), of randomization trials (`"ar"`), of
            resamples for intervals (`"ci"`) if it differs from the bootstrap of the test, and of
            documents (`"docs"`).
        unknown: the names of unknown options, whose values are written as `?`.
        has_segment_scores: True if the result has scores of segments. They have effective order
            unless the user chose otherwise, which `eff:no` does not tell: every score has it.
        runs: the number of training runs per system, `"var"` if it differs; None for single runs.

    >>> make_signature(Options(), Origin("13a", "2"))
    'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:bleu_metric-1.0.0'
    """
    values: dict[str, object] = {"nrefs": origin.nrefs}
    # 1. What was resampled.
    if resampled:
        values |= {key: resampled[key] for key in ("bs", "ar", "ci", "docs") if key in resampled}
        values["seed"] = "none" if options.seed is None else options.seed
    if runs is not None:
        values["runs"] = runs
    # 2. sacreBLEU's keys, with its two decimals of the smoothing value.
    values["case"] = "lc" if options.lowercase else "mixed"
    values["eff"] = "yes" if options.effective_order else "no"
    if has_segment_scores and not options.for_segments().effective_order:
        values["segeff"] = "no"
    values["tok"] = origin.tokenizer_name
    values["smooth"] = options.smooth_method
    smooth_value = options.smooth_value_in_effect
    if smooth_value is not None:
        values["smooth"] = f"{options.smooth_method}[{smooth_value:.2f}]"
    # 3. Keys of this metric, for values other than the defaults.
    if smooth_value != SMOOTH_METHODS[options.smooth_method].value:
        values["value"] = _write_value(smooth_value)  # two decimals can hide it
    if options.max_order != Options.max_order:
        values["order"] = options.max_order
    if options.weights is not None:
        values["weights"] = "/".join(_write_value(weight) for weight in options.weights)
    if options.reference_length != Options.reference_length or "reference_length" in unknown:
        values["reflen"] = options.reference_length
    if options.minimum_total or "minimum_total" in unknown:
        values["mintotal"] = options.minimum_total
    # 4. Values that rows from a table do not tell.
    for key, option in _KEYS_OF_COUNTING.items():
        if option in unknown:
            values[key] = "?"
    values["version"] = f"bleu_metric-{__version__}"
    return "|".join(f"{key}:{value}" for key, value in values.items())


# The keys whose values may be unknown, and their options.
_KEYS_OF_COUNTING = {
    "case": "lowercase",
    "tok": "tokenize",
    "reflen": "reference_length",
    "mintotal": "minimum_total",
}


def _write_value(number: float | None) -> str:
    return repr(float(number or 0)).removesuffix(".0")


class SignatureKey(NamedTuple):
    """A key of signatures.

    short: sacreBLEU's short form; the key itself where sacreBLEU has none.
    option: the option that its value sets; None for a key without an effect on the options.
    parse: the function from its text to its value; it raises a KeyError or ValueError for an
        unknown text.
    """

    short: str
    option: str | None = None
    parse: Callable[[str], Any] = str


def _read_count(text: str) -> str:
    """Return a number, of references for example, as a signature has it: `"var"` if it differs."""
    if not re.fullmatch(r"\d+|var", text):
        raise ValueError(text)
    return text


def _read_tokenizer(text: str) -> str:
    """Return the tokenizer that a signature names."""
    # sacreBLEU adds the versions of MeCab and of its dictionary.
    name = re.sub("^(ja|ko)-mecab-.*", r"\1-mecab", text)
    if name not in TOKENIZERS and name not in SACREBLEU_PACKAGES and not is_moses(name):
        raise KeyError(name)
    return name


SIGNATURE_KEYS = {
    "nrefs": SignatureKey("#", parse=lambda text: text if text == "?" else _read_count(text)),
    "bs": SignatureKey("bs", "n_resamples", int),
    "ar": SignatureKey("ar", "n_resamples", int),
    "ci": SignatureKey("ci", "n_resamples", int),
    "docs": SignatureKey("docs", parse=_read_count),
    "runs": SignatureKey("runs", parse=_read_count),
    "seed": SignatureKey("rs", "seed", lambda text: None if text == "none" else int(text)),
    "test": SignatureKey("t"),
    "lang": SignatureKey("l"),
    "origlang": SignatureKey("o"),
    "subset": SignatureKey("S"),
    "case": SignatureKey("c", "lowercase", {"mixed": False, "lc": True}.__getitem__),
    "eff": SignatureKey("e", "effective_order", {"no": False, "yes": True}.__getitem__),
    "segeff": SignatureKey("segeff", "effective_order", {"no": False}.__getitem__),
    "tok": SignatureKey("tok", "tokenize", _read_tokenizer),
    "smooth": SignatureKey("s", "smooth_method", lambda text: re.sub(r"\[\d+\.\d+\]$", "", text)),
    "value": SignatureKey("value", "smooth_value", float),
    "order": SignatureKey("order", "max_order", int),
    "weights": SignatureKey(
        "weights", "weights", lambda text: [float(weight) for weight in text.split("/")]
    ),
    "reflen": SignatureKey("reflen", "reference_length"),
    "mintotal": SignatureKey("mintotal", "minimum_total", int),
    "version": SignatureKey("v"),
}


# Values are ASCII. A colon in a value, or what looks like one, belongs to another key, which a
# separator other than | joined to this one.
_VALUE = re.compile("[!-9;<>-~]+")

_NAMES = [*SIGNATURE_KEYS, *(key.short for key in SIGNATURE_KEYS.values())]
SIGNATURE_KEY = rf"(?<!\w)(?:{'|'.join(_NAMES)}):"  # a regular expression
_SIGNED = re.compile(rf"\||{SIGNATURE_KEY}\S")

_FORM = "Separate the keys by |, as in 'nrefs:1|case:lc|tok:13a'."

PRETOKENIZED = ("tokens", "ids")  # instead of a tokenizer, for input that was split already

# Scores in common notations: 37.6, "37,6", ".376", "BLEU: 37.6", "37.6 BLEU"; and 1e-05, Python's
# own.
SCORE_AFTER_SIGNATURE = re.compile(
    r"\s*(?:BLEU\s*[:=]?\s*)?(-?(?:\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d{1,3})?)\s*(?:BLEU)?\s*",
    re.IGNORECASE,
)


class SignatureContent(NamedTuple):
    """The content of a signature.

    options: the options that its keys set. Every signature of a corpus score has `eff:no`, so this
        key alone sets no option; `segeff:no` does.
    trials: the number of resamples of a test, by its name, if it is not the number for intervals.
    pretokenized: `"tokens"` or `"ids"` if the input was split already; None if it was text.
    nrefs: the number of references per segment, `"var"` if it differs; None if the signature
        doesn't say it.
    score: the score written before the signature, or after it and `=`; empty without a score.
    """

    options: dict[str, Any]
    trials: dict[str, int]
    pretokenized: str | None
    nrefs: str | None
    score: str


def is_signed(text: str) -> bool:
    """Return True if a text has a bar or a key of a signature.

    >>> is_signed("27.3 nrefs:1|case:lc"), is_signed("27.3 tok:zh"), is_signed("BLEU: 27.3")
    (True, True, False)
    """
    return _SIGNED.search(text) is not None


def read_signature(text: object, name: str = "signature") -> SignatureContent:
    """Read a signature of this metric, of sacreBLEU 2 or of sacreBLEU 1, with long or short keys.

    Args:
        text: the signature. Blanks and line breaks beside the separators, `BLEU|` before it, and
            a score before or after it, are accepted.
        name: the argument, for errors.

    Raises:
        TypeError: `text` is not a str.
        ValueError: a key is unknown, its value is missing or can't be read, the keys are separated
            by something else than `|`, or the text before or after the signature is not a score.

    >>> line = "BLEU|#:1|c:lc|e:no|tok:ja-mecab-0.996-IPA|s:exp|v:2.6.0 = 27.3 58.1/33.2/20.9/13.5"
    >>> content = read_signature(line)
    >>> content.options, content.nrefs, content.score
    ({'lowercase': True, 'tokenize': 'ja-mecab', 'smooth_method': 'exp'}, '1', '27.3')
    """
    if not isinstance(text, str):
        raise TypeError(
            f"{name}: expected a str such as 'nrefs:1|case:lc|tok:13a', got"
            f" {messages.name_value(text)}. Pass the signature of a score."
        )
    # 1. Separate the score. Signatures that are copied from a PDF have blanks and line breaks
    #    beside the separators.
    joined = re.sub(r"\s*\|\s*", "|", text)
    if "BLEU+" in text:
        joined = re.sub(r"\s*\+\s*", "+", text)
    signature, _, after = joined.partition(" = ")
    *words_before, signature = signature.split() or [""]
    before = " ".join(words_before)
    if words_before and not SCORE_AFTER_SIGNATURE.fullmatch(before):
        raise ValueError(
            f"{name}: expected only a score before the signature, got {show_value(before)}. {_FORM}"
        )
    if re.search(r":\S", after):
        raise ValueError(
            f"{name}: expected only a score after the signature, got {show_value(after)}. {_FORM}"
        )
    if signature.startswith("BLEU+"):  # of sacreBLEU 1: BLEU+case.lc+numrefs.1+tok.13a
        pairs = signature.removeprefix("BLEU+").rstrip("=),.;").split("+")
        signature = "|".join(pair.replace(".", ":", 1) for pair in pairs)
    # 2. Read each key.
    long_keys = {key.short: long for long, key in SIGNATURE_KEYS.items()} | {"numrefs": "nrefs"}
    values: dict[str, str] = {}
    options: dict[str, Any] = {}
    for pair in signature.removeprefix("BLEU|").split("|"):
        written, _, value = pair.partition(":")
        long = long_keys.get(written, written)
        if long not in SIGNATURE_KEYS:
            raise ValueError(
                f"{name}: {written[:40]!r} is not a key of a BLEU signature. {_FORM} The keys are"
                f" {', '.join(SIGNATURE_KEYS)}."
            )
        if not value or long in values:
            problem = "occurs twice" if value else "has no value"
            raise ValueError(
                f"{name}: the key {written!r} {problem}. Pass each key once, with its value, such"
                " as 'case:lc'."
            )
        if not _VALUE.fullmatch(value):
            raise ValueError(f"{name}: {pair[:40]!r} is not one key with its value. {_FORM}")
        values[long] = value
        key = SIGNATURE_KEYS[long]
        if (long == "tok" and value in PRETOKENIZED) or (long == "eff" and value == "no"):
            continue
        try:
            parsed = key.parse(value)
            if key.option is not None:
                Options.check(key.option, parsed)
                options[key.option] = parsed
        except (KeyError, TypeError, ValueError):
            raise _unreadable(name, pair, key.option) from None
    # 3. Read the value of the smoothing method, which is rounded to two decimals.
    default = SMOOTH_METHODS[options.get("smooth_method", Options.smooth_method)].value
    rounded = values.get("smooth", "").partition("[")[2].rstrip("]")
    if rounded and "value" not in values:
        if default is None or float(rounded) == 0:
            raise _unreadable(name, f"smooth:{values['smooth']}", "smooth_value")
        options["smooth_value"] = float(rounded)
    # 4. Tell the resamples of intervals from those of a test: a bootstrap test has the same unless
    #    the signature names both.
    trials = {}
    if "ci" in values:
        options["n_resamples"] = int(values["ci"])
        if "bs" in values:
            trials["bootstrap"] = int(values["bs"])
    elif "bs" in values:
        options["n_resamples"] = int(values["bs"])
    else:
        options.pop("n_resamples", None)
    if "ar" in values:
        trials["randomization"] = int(values["ar"])
    tokenizer = values.get("tok")
    return SignatureContent(
        options,
        trials,
        pretokenized=tokenizer if tokenizer in PRETOKENIZED else None,
        nrefs=values.get("nrefs"),
        score=before or after.partition(" ")[0],
    )


def _unreadable(name: str, pair: str, option: str | None) -> ValueError:
    if option is None:
        return ValueError(
            f"{name}: {pair!r} can't be read. Write a number or 'var' as its value, or remove it."
        )
    return ValueError(
        f"{name}: {pair!r} can't be read as a value of `{option}`. Remove it from the signature,"
        " and pass the option."
    )


# --- Other tools ----------------------------------------------------------------------------------

_NAMES_OF_CONFIDENCE = (
    "alpha", "ci", "conf", "confidence_interval", "confidence_level", "level",
)  # fmt: skip


def _advise_confidence(name: str = "", value: object = None) -> str:
    """Return the advice for another tool's name of `confidence`, with the passed number if it fits.

    >>> _advise_confidence("alpha", 0.01)
    'write `confidence=0.99` for a 99% interval, and tests at the 1% level'
    """
    value = to_python(value)
    confidence = 0.95
    if isinstance(value, (int, float)):
        share = 1 - value if name == "alpha" else value
        share = round(share / 100 if 1 < share < 100 else share, 9)
        confidence = share if 0.5 <= share < 1 else 0.95
    percent, level = f"{100 * confidence:g}", f"{100 - 100 * confidence:g}"
    return (
        f"write `confidence={confidence}` for a {percent}% interval, and tests at the {level}%"
        " level"
    )


# Names that other tools use, and the fix for each.
OTHER_NAMES = {
    **dict.fromkeys(("tokenizer", "tok"), "write `tokenize`"),
    "use_effective_order": "write `effective_order`",
    **dict.fromkeys(
        (
            "max_ngram",
            "max_ngram_order",
            "max_n",
            "n",
            "n_gram",
            "n_grams",
            "ngram",
            "ngrams",
            "ngram_order",
            "order",
        ),
        "write `max_order`",
    ),
    **dict.fromkeys(("ignore_case", "lc", "lower"), "write `lowercase`"),
    **dict.fromkeys(
        ("case", "case_sensitive", "cased", "do_lower_case", "uncased"),
        "write `lowercase=True` to ignore case; without it, case counts",
    ),
    "smoothing": "write `smooth_method`",
    **dict.fromkeys(
        ("epsilon", "k"), "write `smooth_value`, with the `smooth_method` that takes it"
    ),
    **dict.fromkeys(_NAMES_OF_CONFIDENCE, _advise_confidence()),
    **dict.fromkeys(
        ("n_bootstrap", "n_bootstraps"),
        "write `confidence=0.95` for an interval, and `n_resamples` for its resamples",
    ),
    "bootstrap": "write `confidence=0.95` for a bootstrap interval, or `test='bootstrap'` in"
    " compare()",
    **dict.fromkeys(
        (
            "n_boot",
            "n_iterations",
            "n_samples",
            "n_trials",
            "num_samples",
            "paired_ar_n",
            "paired_bs_n",
            "trials",
        ),
        "write `n_resamples`",
    ),
    **dict.fromkeys(
        ("paired", "paired_ar", "paired_bs", "paired_test"),
        "remove it; compare() and rank() pair the segments of systems in every test, and compare()"
        " has `test='bootstrap'` and `test='randomization'`",
    ),
    **dict.fromkeys(
        ("return_sentences", "sentence", "sentence_level", "sentence_scores", "sentences"),
        "write `segments=True` for segment scores in addition to the corpus score",
    ),
    **dict.fromkeys(("random_seed", "random_state", "rng"), "write `seed`, an int"),
    **dict.fromkeys(("group_by", "groups"), "write `by`, one label per segment"),
    **dict.fromkeys(("doc_ids", "docs"), "write `documents`, one label per segment"),
    **dict.fromkeys(("n_jobs", "num_proc"), "remove it; threads are used where they help"),
    "force": "remove it; it has no effect here",
    "trg_lang": "write `tokenize='zh'`, `'ja-mecab'` or `'ko-mecab'` for these languages; remove it"
    " for others",
    "smoothing_function": "write `smooth_method`: NLTK's "
    + ", ".join(f"{nltk_name} is {method!r}" for nltk_name, method in NLTK_METHODS.items()),
    "smooth": "write `smooth_method='laplace'` for `smooth=True` in evaluate's `bleu`, and"
    " `smooth_method='add-k'` for torchmetrics",
    **dict.fromkeys(("option", "special_reflen"), "write `reference_length`"),
    "auto_reweigh": "write `effective_order=True`, which distributes the weight of orders without"
    " n-grams",
    "use_aggregator": "write `segments=True` for segment scores in addition to the corpus score",
    "use_stemmer": "BLEU does not stem words; pass a function that stems as `tokenize`",
    **dict.fromkeys(
        (
            "candidate_corpus",
            "candidates",
            "hypotheses",
            "hyps",
            "outputs",
            "predictions",
            "preds",
            "res",
            "sys",
            "sys_stream",
        ),
        "write `predictions`",
    ),
    **dict.fromkeys(("hypothesis", "prediction"), "write `predictions`, one per segment"),
    **dict.fromkeys(
        (
            "gts",
            "list_of_references",
            "ref_streams",
            "reference",
            "references",
            "references_corpus",
            "refs",
            "target",
            "targets",
        ),
        "write `references`, one list per prediction",
    ),
    "trust_remote_code": "remove it; evaluate does not ask for it",
    "verbose": "remove it; print the result for its precisions and lengths",
    **dict.fromkeys(
        (
            "compute_on_cpu",
            "compute_with_cache",
            "dist_sync_fn",
            "dist_sync_on_step",
            "distributed_available_fn",
            "process_group",
            "sync_on_compute",
        ),
        "remove it; tables of several processes add up with statistics() and total()",
    ),
}

# The advice for columns in methods whose columns have other names.
_SYSTEMS = "write `systems`, a dict from names to predictions"
_TEXTS = "pass texts to compute(predictions=..., references=...)"
_COLUMNS = {
    ("compare", "predictions"): _SYSTEMS,
    ("rank", "predictions"): _SYSTEMS,
    ("diff", "predictions"): _SYSTEMS,
    ("explain", "predictions"): "write `prediction`, one text",
    ("explain", "references"): "write `references`, the references of one prediction",
    ("pairwise", "references"): "write `references`, one list of texts",
    ("self_bleu", "predictions"): "write `texts`",
    ("self_bleu", "references"): "write `against`, one list of texts",
    ("compute_metrics", "predictions"): "remove it; the trainer passes the predictions",
    ("score", "predictions"): _TEXTS,
    ("score", "references"): _TEXTS,
}

# Names of values of a result in other tools, or in statistics, and the key here. They are in lower
# case and without separators, as `Report` compares them, which also leaves out "bleu_" and "score_"
# at the beginning.
OTHER_KEYS = {
    **dict.fromkeys(("blue", "bleuscore", "corpusbleu", "microbleu"), "bleu"),
    "microscore": "score",
    **dict.fromkeys(
        ("sentencebleu", "sentencescores", "segmentscores", "segments"), "segment_bleu"
    ),
    "bp": "brevity_penalty",
    **dict.fromkeys(("syslen", "hyplen", "predictionlength"), "translation_length"),
    "reflen": "reference_length",
    "ratio": "length_ratio",
    **dict.fromkeys(("ci", "interval"), "confidence_interval"),
    "confidencemean": "bootstrap_mean",
    **dict.fromkeys(
        ("se", "sem", "std", "stddev", "stderr", "stderror", "standarddeviation"), "standard_error"
    ),
    **dict.fromkeys(("p", "pval", "pvalue"), "p_value"),
    **dict.fromkeys(("diff", "difference"), "delta"),
    "by": "groups",
}

# Names of methods in other tools, and the call here.
OTHER_METHODS = {
    **dict.fromkeys(
        ("score", "corpus_score", "corpus_bleu"),
        "compute(predictions=..., references=...), or compute(statistics=tables)",
    ),
    **dict.fromkeys(
        ("sentence_score", "sentence_bleu"),
        "explain(prediction, references), or compute(segments=True) for the scores of all segments",
    ),
    **dict.fromkeys(("compute_score", "forward"), "compute(predictions=..., references=...)"),
    "update": "add_batch(predictions=..., references=...), then compute()",
    "get_signature": "compute(predictions=..., references=...)['signature']",
    "conventions": "reconcile(predictions, references)",
}

# Names of attributes of a result in other tools or of a pandas frame, and the expression here.
OTHER_ATTRIBUTES = {
    "format": "print(result)",
    **dict.fromkeys(("to_dict", "asdict", "_asdict"), "dict(result)"),
    "to_json": "json.dumps(result)",
    **dict.fromkeys(("to_df", "to_dataframe", "to_frame"), "result.to_pandas()"),
    "to_csv": "result.to_pandas().to_csv(path)",
}


def explain_call(method: str, signature: inspect.Signature) -> str:
    """Name the call to write instead of one whose arguments Python rejects.

    >>> explain_call("fingerprint", inspect.signature(lambda self, references: None))
    'fingerprint() takes 1 positional argument: references. Write fingerprint(references).'
    """
    _, *parameters = signature.parameters.values()
    positional = [one for one in parameters if one.kind == one.POSITIONAL_OR_KEYWORD]
    names = [one.name for one in positional]
    if "systems" in names:
        written = f"{method}({{'A': [...], 'B': [...]}}, references), and the others by name"
        return f"{method}() takes systems as a dict. Write {written}."
    columns = [one.name for one in parameters if re.fullmatch("(prediction|reference)s?", one.name)]
    if columns and not names:
        written = ", ".join(f"{name}=..." for name in columns)
        return f"{method}() takes its columns by name. Write {method}({written})."
    taken = messages.count_things(len(names), "positional argument")
    if names:
        taken += f": {', '.join(names)}"
    required = ", ".join(one.name for one in positional if one.default is one.empty)
    return f"{method}() takes {taken}. Write {method}({required})."


def explain_unknown_option(
    name: str, taken: Collection[str], method: str, value: object = None
) -> str:
    """Name the fix for an option that a method does not take."""
    takes = f"{method}() takes {', '.join(taken)}."
    options = CorpusOptions.__annotations__
    if name in options:
        return f"`{name}` is not an option of {method}(). Remove it. {takes}"
    advice = OTHER_NAMES.get(name, "")
    if name in _NAMES_OF_CONFIDENCE:
        advice = _advise_confidence(name, value)
    for argument in re.findall(r"^write `(\w+)", advice):
        advice = _COLUMNS.get((method, argument), advice)
        if argument not in options and method == "evaluate.load":
            advice = f"pass it to compute() as `{argument}`"
        elif argument in (*options, "by", "documents") and argument not in taken:
            advice = ""
    if advice:
        return f"Unknown option `{name}`: {advice}."
    for nearest in difflib.get_close_matches(name, taken, n=1, cutoff=0.75):
        return f"Unknown option `{name}`. Did you mean `{nearest}`?"
    return f"Unknown option `{name}`. {takes}"


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
