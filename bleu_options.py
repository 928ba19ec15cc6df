"""The options, the named conventions, the signature, and drop-ins for evaluate's modules.

An option is one field of `Options` with its default, its check and its description. Names of
tokenizers, smoothing methods and reference lengths come from the tables beside their definitions.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, cast

import numpy as np

from . import bleu_messages as messages
from .bleu_corpus import Layout, plain_label
from .bleu_counting import REFERENCE_LENGTHS, CountingRule
from .bleu_messages import invalid, one_of, show_value, warn
from .bleu_scoring import SMOOTH_METHODS, Scores, score_as_bleu, score_as_sacrebleu
from .bleu_tokenizers import SACREBLEU_PACKAGES, TOKENIZERS, print_tokenizer

__version__ = "1.0.0"

_MAX_WEIGHT = 1000  # of all orders together; beyond it, every score except 1 rounds to 0

Check = Callable[[str, Any], None]  # raises for an invalid value, from an option's name and value

# Options that decide what is counted. Rows counted under different values do not add up.
COUNTING_OPTIONS = ("tokenize", "lowercase", "max_order", "reference_length", "minimum_total")

# Options that apply only to the score of a corpus.
CORPUS_ONLY = ("segments", "confidence", "n_resamples", "seed")

CONVENTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "papineni": {"smooth_method": "none"},
    "hf": {"smooth_method": "none", "reference_length": "shortest"},
    "nltk": {"tokenize": "none", "smooth_method": "none", "minimum_total": 1},
    "moses": {"tokenize": "multi-bleu", "smooth_method": "none"},
}


# --- Checks of values -----------------------------------------------------------------------------


def _whole_number(least: int, most: int | None = None) -> Check:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise invalid(name, value, "a whole number", TypeError)
        if value < least:
            raise invalid(name, value, f"a whole number of {least} or more")
        if most is not None and value > most:
            raise invalid(name, value, f"a whole number up to {most:,}")

    return check


def _one_of(names: Iterable[str]) -> Check:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in names:
            raise invalid(name, value, one_of(names))

    return check


def _optional(check: Check) -> Check:
    return lambda name, value: None if value is None else check(name, value)


def check_flag(name: str, value: Any) -> None:
    """Raise unless a value is True or False."""
    if not isinstance(value, bool):
        raise invalid(name, value, "True or False", TypeError)


def _check_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise invalid(name, value, "a number, an int or a float", TypeError)
    if not math.isfinite(value):
        raise invalid(name, value, "a finite number")


def _check_tokenize(name: str, value: Any) -> None:
    if not isinstance(value, str) and not callable(value):
        raise invalid(name, value, "a name or a function from str to a list of str", TypeError)


def _check_confidence(name: str, value: Any) -> None:
    expected = (
        "a number from 0.5 to 1 (excluded), such as 0.95; confidence=0.95 adds a 95% interval"
    )
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0.5 <= value < 1:  # 0.05 was meant as a level of significance
        raise invalid(name, value, expected, ValueError if is_number else TypeError)


def _check_weights(name: str, value: Any) -> None:
    if isinstance(value, (Mapping, Set)) or not hasattr(value, "__len__"):
        raise TypeError(messages.WEIGHTS.format(type(value).__name__))
    for weight in value:
        _check_number(name, weight)
    if len(value) and (min(value) < 0 or not 0 < sum(value) <= _MAX_WEIGHT):
        raise invalid(
            name, value, f"weights of 0 or more, not all 0, that sum up to at most {_MAX_WEIGHT}"
        )


def _option(default: Any, check: Check, says: str) -> Any:
    return field(default=default, metadata={"check": check, "says": says})


# --- Options --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """The options of a call, checked. Make one with `choose_options`, and derive others with `override`.

    `given` has the names of the options that the user chose, at load or in the call. The values of
    all other options come from the convention or are defaults. `tokenize_by` has the tokenizers of
    single labels; the other labels use `tokenize`.
    """

    tokenize: str | Callable[[str], list[str]] = _option(  # noqa: RUF009 - `_option` returns a field
        "13a",
        _check_tokenize,
        f"the tokenizer: {', '.join(map(repr, TOKENIZERS))}; a sacreBLEU tokenizer by name; or a function from str to a"
        " list of str",
    )
    lowercase: bool = _option(False, check_flag, "True to ignore case")
    max_order: int = _option(4, _whole_number(1, most=10_000), "the length of the longest n-grams")
    weights: tuple[float, ...] | None = _option(
        None, _optional(_check_weights), "one weight per order; None for equal weights"
    )
    smooth_method: str = _option(
        "exp",
        _one_of(SMOOTH_METHODS),
        f"how orders without a match are smoothed: {', '.join(map(repr, SMOOTH_METHODS))}",
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
        _one_of(REFERENCE_LENGTHS),
        f"the reference that sets the brevity penalty: {', '.join(map(repr, REFERENCE_LENGTHS))}",
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
    tokenize_by: Mapping[Any, str | Callable[[str], list[str]]] | None = field(
        default=None, kw_only=True
    )

    def override(
        self,
        given: Mapping[str, Any],
        taken: Collection[str] = (),
        method: str = "evaluate.load",
        has_orders: bool = True,
    ) -> Options:
        """Return a copy of these options with changed values.

        Args:
            given: the changed values by option.
            taken: the options that the calling method takes; all options if empty.
            method: the name of the calling method, for the error.
            has_orders: False if `max_order` is read from tables later, so that `weights` may have
                another length.

        Raises:
            TypeError: an option is unknown or not one of the method, or a value has the wrong type.
            ValueError: a value is out of range.

        >>> Options().override({"tokenize": "zh", "max_order": 2}).max_order
        2
        >>> Options().override({"tokenise": "zh"})
        Traceback (most recent call last):
        TypeError: Unknown option `tokenise`. Did you mean `tokenize`?
        >>> Options().override({"segments": True}, ["tokenize", "seed"], "explain")
        Traceback (most recent call last):
        TypeError: `segments` is not an option of explain(). Remove it. explain() takes tokenize, seed.
        """
        if not given:
            return self
        for name in given:
            if name not in (taken or OPTIONS):
                raise TypeError(explain_unknown_option(name, taken or OPTIONS, method))
        given = {name: to_python(value) for name, value in given.items()}
        tokenize_by = self.tokenize_by
        if "tokenize" in given:
            tokenize_by = None
            if isinstance(given["tokenize"], Mapping):
                tokenize_by = {
                    plain_label(label): value for label, value in given["tokenize"].items()
                }
                given["tokenize"] = self.tokenize
        options = replace(self, **given, given=self.given.union(given), tokenize_by=tokenize_by)
        options._check(has_orders)
        if (
            given.get("smooth_value") is not None
            and SMOOTH_METHODS[options.smooth_method].value is None
        ):
            warn(
                messages.SMOOTH_VALUE_IGNORED,
                method=options.smooth_method,
                value=options.smooth_value,
            )
        return (
            options
            if options.weights is None
            else replace(options, weights=tuple(map(float, options.weights)))
        )

    def for_label(self, label: Any) -> Options:
        """Return the options of the segments with a label.

        >>> Options().override({"tokenize": {"en-zh": "zh"}}).for_label("en-zh").tokenize
        'zh'
        """
        if self.tokenize_by is None:
            return self
        return replace(self, tokenize=self.tokenize_by.get(label, self.tokenize), tokenize_by=None)

    def for_segments(self) -> Options:
        """Return the options of segment scores, which have effective order unless the user chose otherwise."""
        return self if "effective_order" in self.given else replace(self, effective_order=True)

    def is_chosen(self, name: str) -> bool:
        """Return True if the user chose the option or a convention that sets it."""
        return name in self.given or name in _find_convention(self.convention)

    @property
    def smooth_value_in_effect(self) -> float | None:
        """The value for the smoothing method; None if it takes no value, even if one was passed for another method."""
        default = SMOOTH_METHODS[self.smooth_method].value
        return (
            self.smooth_value if default is not None and self.smooth_value is not None else default
        )

    @property
    def counted_orders(self) -> int:
        """The number of orders in a statistics row: N, or more for smoothing methods with further orders."""
        return self.max_order + SMOOTH_METHODS[self.smooth_method].further_orders

    @property
    def layout(self) -> Layout:
        """The layout of the statistics rows."""
        return Layout(self.counted_orders)

    @property
    def counting_rule(self) -> CountingRule:
        """The options that turn tokens into statistics rows."""
        return CountingRule(self.counted_orders, self.reference_length, self.minimum_total)

    def counting_options(self) -> dict[str, Any]:
        """Return the options that decide what is counted."""
        return {name: getattr(self, name) for name in COUNTING_OPTIONS}

    def _check(self, has_orders: bool) -> None:
        """Check each value, then values that depend on another option."""
        for option in fields(self):
            if option.name in OPTIONS:
                option.metadata["check"](option.name, getattr(self, option.name))
        for label, tokenize in (self.tokenize_by or {}).items():
            _check_tokenize(f"tokenize[{show_value(label)}]", tokenize)
        if has_orders and self.weights is not None and len(self.weights) != self.max_order:
            expected = f"one weight per order ({self.max_order} in all), or change max_order"
            raise invalid("weights", self.weights, expected)
        method, value = SMOOTH_METHODS[self.smooth_method], self.smooth_value
        if value is not None and (value < 0 or (method.divides and value == 0)):
            raise invalid(
                "smooth_value",
                value,
                "a number above 0" if method.divides else "a number of 0 or more",
            )


# The options that users may pass, with their defaults, and with their descriptions.
OPTIONS: dict[str, Any] = {
    option.name: option.default for option in fields(Options) if option.metadata
}
DESCRIPTIONS: dict[str, str] = {
    option.name: option.metadata["says"] for option in fields(Options) if option.metadata
}


def choose_options(convention: str, given: Mapping[str, Any]) -> Options:
    """Return the options of a named convention or drop-in, overridden by values that the user chose.

    >>> choose_options("hf", {"max_order": 2}).reference_length
    'shortest'
    """
    names = [*CONVENTIONS, *DROP_INS]
    if convention not in names:
        raise invalid("config_name", convention, one_of(names))
    return replace(Options(), convention=convention, **_find_convention(convention)).override(given)


def to_python(value: Any) -> Any:
    """Convert NumPy scalars and arrays to plain Python values, for JSON and signatures.

    >>> to_python([np.float32(0.5), np.str_("zh")])
    [0.5, 'zh']
    """
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return [to_python(item) for item in value] if isinstance(value, (list, tuple)) else value


def _find_convention(name: str) -> dict[str, Any]:
    return CONVENTIONS[DROP_INS[name].convention if name in DROP_INS else name]


# --- The signature --------------------------------------------------------------------------------


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
) -> str:
    """Write the signature of a score in sacreBLEU's keys and order; values other than the defaults add keys.

    Args:
        options: the options in effect.
        origin: the tokenizer and the number of references.
        resampled: the numbers of bootstrap resamples (`"bs"`), of randomization trials (`"ar"`), of
            resamples for intervals (`"ci"`) if it differs from the bootstrap of the test, and of
            documents (`"docs"`).
        unknown: the names of unknown options, whose values are written as `?`.

    >>> make_signature(Options(), Origin("13a", "2"))
    'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:bleu_metric-1.0.0'
    """
    resampled, default = resampled or {}, SMOOTH_METHODS[options.smooth_method].value
    value = options.smooth_value_in_effect
    keys: list[tuple[str, Any]] = [("nrefs", origin.nrefs)]
    keys += [(key, resampled[key]) for key in ("bs", "ar", "ci", "docs") if key in resampled]
    if resampled:
        keys.append(("seed", str(options.seed).lower()))
    keys.append(("case", "?" if "lowercase" in unknown else "lc" if options.lowercase else "mixed"))
    keys.append(("eff", "yes" if options.effective_order else "no"))
    keys.append(("tok", "?" if "tokenize" in unknown else print_tokenizer(origin.tokenizer_name)))
    keys.append(
        (
            "smooth",
            options.smooth_method if value is None else f"{options.smooth_method}[{value:.2f}]",
        )
    )
    if value != default:
        keys.append(("value", _write_number(value)))  # sacreBLEU's two decimals can hide it
    if options.max_order != Options.max_order:
        keys.append(("order", options.max_order))
    if options.weights is not None:
        keys.append(("weights", "/".join(map(_write_number, options.weights))))
    if "reference_length" in unknown or options.reference_length != Options.reference_length:
        keys.append(("reflen", "?" if "reference_length" in unknown else options.reference_length))
    if "minimum_total" in unknown or options.minimum_total:
        keys.append(("mintotal", "?" if "minimum_total" in unknown else options.minimum_total))
    keys.append(("version", f"bleu_metric-{__version__}"))
    return "|".join(f"{key}:{text}" for key, text in keys)


def _write_number(number: float | None) -> str:
    return repr(float(number or 0)).removesuffix(".0")


class SignatureKey(NamedTuple):
    """A key of signatures.

    short: sacreBLEU's short form; the key itself where sacreBLEU has none.
    option: the option that its value sets; None for a key without an effect on the options.
    read: the function from its text to the option's value; it raises a KeyError or ValueError for
        an unknown text.
    """

    short: str
    option: str | None = None
    read: Callable[[str], Any] = str


def _read_tokenizer(text: str) -> str:
    """Return the tokenizer that a signature names; the default for rows that were tokenized already."""
    name = re.sub(
        "^(ja|ko)-mecab-.*", r"\1-mecab", text
    )  # sacreBLEU adds the versions of MeCab and its dictionary
    names = {name: name for name in (*TOKENIZERS, *SACREBLEU_PACKAGES)}
    return {**names, "tokens": OPTIONS["tokenize"], "ids": OPTIONS["tokenize"]}[name]


SIGNATURE_KEYS = {
    "nrefs": SignatureKey("#"),
    "bs": SignatureKey("bs", "n_resamples", int),
    "ar": SignatureKey("ar"),
    "ci": SignatureKey("ci"),
    "docs": SignatureKey("docs"),
    "seed": SignatureKey("rs", "seed", lambda text: None if text == "none" else int(text)),
    "test": SignatureKey("t"),
    "lang": SignatureKey("l"),
    "origlang": SignatureKey("o"),
    "subset": SignatureKey("S"),
    "case": SignatureKey("c", "lowercase", {"mixed": False, "lc": True}.__getitem__),
    "eff": SignatureKey("e", "effective_order", {"no": False, "yes": True}.__getitem__),
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


class SignatureContent(NamedTuple):
    """The content of a signature.

    options: the options that differ from the defaults.
    references: the number of references per segment, `"var"` if it differs; None if the signature
        doesn't say it.
    score: the score written before the signature, or after it and `=`; empty without a score.
    """

    options: dict[str, Any]
    references: str | None
    score: str


def read_signature(text: object, name: str = "signature") -> SignatureContent:
    """Read a signature of this metric or of sacreBLEU 2, with long or short keys.

    Args:
        text: the signature; `BLEU|` before it, and a score before or after it, are accepted.
        name: the argument, for errors.

    Raises:
        TypeError: `text` is not a str.
        ValueError: a key is unknown, or its value is missing or can't be read.

    >>> read_signature("BLEU|#:1|c:lc|e:no|tok:ja-mecab-0.996-IPA|s:floor[0.50]|v:2.6.0 = 27.3 58.1/33.2/20.9/13.5")[:2]
    ({'lowercase': True, 'tokenize': 'ja-mecab', 'smooth_method': 'floor', 'smooth_value': 0.5}, '1')
    """
    if not isinstance(text, str):
        raise TypeError(messages.NOT_A_SIGNATURE.format(name, messages.name_value(text)))
    # 1. Separate the score.
    signed, _, after = text.partition(" = ")
    *before, signed = signed.split() or [""]
    if signed.startswith("BLEU+"):
        raise ValueError(messages.OLD_SIGNATURE.format(name))
    # 2. Read each key.
    long_keys = {key.short: long for long, key in SIGNATURE_KEYS.items()}
    texts: dict[str, str] = {}
    options: dict[str, Any] = {}
    for pair in signed.removeprefix("BLEU|").split("|"):
        written, _, text = pair.partition(":")
        long = long_keys.get(written, written)
        if long not in SIGNATURE_KEYS:
            raise ValueError(
                messages.SIGNATURE_KEY.format(name, written[:40], ", ".join(SIGNATURE_KEYS))
            )
        if not text or long in texts:
            raise ValueError(
                messages.SIGNATURE_PAIR.format(
                    name, written, "occurs twice" if text else "has no value"
                )
            )
        texts[long], (_, option, read) = text, SIGNATURE_KEYS[long]
        if option is not None:
            try:
                options[option] = read(text)
                Options.__dataclass_fields__[option].metadata["check"](option, options[option])
            except (KeyError, TypeError, ValueError):
                raise ValueError(messages.SIGNATURE_VALUE.format(name, pair, option)) from None
    # 3. Read the value of the smoothing method, which is rounded to two decimals, and drop values
    #    equal to defaults.
    default = SMOOTH_METHODS[options.get("smooth_method", Options.smooth_method)].value
    rounded = texts.get("smooth", "").partition("[")[2].rstrip("]")
    if rounded and "value" not in texts:
        if default is None or float(rounded) == 0:
            raise ValueError(
                messages.SIGNATURE_VALUE.format(name, f"smooth:{texts['smooth']}", "smooth_value")
            )
        options["smooth_value"] = float(rounded)
    defaults = {**OPTIONS, "smooth_value": default}
    options = {option: value for option, value in options.items() if value != defaults[option]}
    return SignatureContent(
        options, texts.get("nrefs"), " ".join(before) or after.partition(" ")[0]
    )


# --- Other tools ----------------------------------------------------------------------------------

# Names that other tools use, and the fix for each.
OTHER_NAMES = {
    **dict.fromkeys(("tokenizer", "tok"), "write `tokenize`"),
    "use_effective_order": "write `effective_order`",
    **dict.fromkeys(
        ("max_ngram_order", "max_n", "n_gram", "ngram_order", "order"), "write `max_order`"
    ),
    **dict.fromkeys(("ignore_case", "lc", "lower"), "write `lowercase`"),
    "smoothing": "write `smooth_method`",
    **dict.fromkeys(
        ("epsilon", "k"), "write `smooth_value`, with the `smooth_method` that takes it"
    ),
    "alpha": "write `confidence=0.95` for an interval at `alpha=0.05`",
    "bootstrap": "write `confidence=0.95` for a bootstrap interval, or `test='bootstrap'` in compare()",
    **dict.fromkeys(("n_bootstrap", "n_samples", "num_samples"), "write `n_resamples`"),
    **dict.fromkeys(("random_seed", "random_state", "rng"), "write `seed`, an int"),
    **dict.fromkeys(("group_by", "groups"), "write `by`, one label per segment"),
    **dict.fromkeys(("doc_ids", "docs"), "write `documents`, one label per segment"),
    **dict.fromkeys(("n_jobs", "num_proc"), "remove it; threads are used where they help"),
    "force": "remove it; it has no effect here",
    "trg_lang": "write `tokenize='zh'`, `'ja-mecab'` or `'ko-mecab'` for these languages; remove it for others",
    "smoothing_function": "write `smooth_method`: NLTK's method0 is 'none', method1 'floor', method2 'add-k', method3"
    " 'exp', method4 'nltk-4', method5 'nltk-5', method6 'chen-cherry-6', method7 'nltk-7'",
    "smooth": "write `smooth_method='laplace'` for the smoothing of evaluate's `bleu` with `smooth=True`",
    "auto_reweigh": "write `effective_order=True`, which distributes the weight of orders without n-grams",
    "use_aggregator": "write `segments=True` for segment scores in addition to the corpus score",
    "use_stemmer": "BLEU does not stem words; pass a function that stems as `tokenize`",
    **dict.fromkeys(("hypotheses", "hyps", "preds"), "write `predictions`"),
    **dict.fromkeys(("hypothesis", "prediction"), "write `predictions`, one per segment"),
    **dict.fromkeys(
        ("list_of_references", "reference", "refs", "target", "targets"),
        "write `references`, one list per prediction",
    ),
    "trust_remote_code": "remove it; evaluate does not ask for it",
}

# Names of values of a result in other tools, or in statistics, and the key here.
OTHER_KEYS = {
    "bp": "brevity_penalty",
    "sys_len": "translation_length",
    "hyp_len": "translation_length",
    "prediction_length": "translation_length",
    "ref_len": "reference_length",
    "bleu_score": "bleu",
    "sentence_bleu": "segment_bleu",
    "ratio": "length_ratio",
}


def explain_unknown_option(name: str, taken: Collection[str], method: str) -> str:
    """Name the fix for an option that a method does not take."""
    listed = messages.TAKEN_OPTIONS.format(method, ", ".join(taken))
    if name in OPTIONS:
        return messages.NOT_AN_OPTION.format(name, method) + listed
    if name in OTHER_NAMES:
        return f"{messages.UNKNOWN_OPTION.format(name)}: {OTHER_NAMES[name]}."
    nearest = difflib.get_close_matches(name, taken, n=1, cutoff=0.75)
    return messages.UNKNOWN_OPTION.format(name) + (
        f". Did you mean `{nearest[0]}`?" if nearest else listed
    )


class DropIn(NamedTuple):
    """One of evaluate's modules, whose `compute` this metric can replace.

    convention: the convention that reproduces the module's score.
    defaults: the module's arguments besides the columns; None stands for the default of this
        metric.
    names: the options of this metric by the module's names, where they differ; None for an argument
        without effect.
    keys: the keys of this metric's result by the module's keys.
    score_again: the function from a result and options to the values that the module rounds
        differently, or None.
    """

    convention: str
    defaults: Mapping[str, Any]
    names: Mapping[str, str | None]
    keys: Mapping[str, str]
    score_again: Callable[[Scores, Options], Mapping[str, object]]


_KEYS_OF_BLEU = (
    "bleu",
    "precisions",
    "brevity_penalty",
    "length_ratio",
    "translation_length",
    "reference_length",
)
DROP_INS = {
    "sacrebleu": DropIn(
        "default",
        defaults={
            "smooth_method": "exp",
            "smooth_value": None,
            "force": False,
            "lowercase": False,
            "tokenize": None,
        }
        | {"use_effective_order": False},
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
        score_again=score_as_sacrebleu,
    ),
    "bleu": DropIn(
        "hf",
        defaults={"tokenizer": None, "max_order": 4, "smooth": False},
        names={"tokenizer": "tokenize", "smooth": "smooth_method"},
        keys={key: key for key in _KEYS_OF_BLEU},
        score_again=score_as_bleu,
    ),
}


def read_drop_in(module: str, given: Mapping[str, Any], options: Options) -> Options:
    """Return the options of a drop-in's `compute`, from arguments of the module or options of this metric."""
    taken = dict.fromkeys(
        [*DROP_INS[module].defaults, *(name for name in OPTIONS if name not in CORPUS_ONLY)]
    )
    chosen: dict[str, Any] = {}
    for name, value in given.items():
        option = DROP_INS[module].names.get(name, name)
        if value is None or option is None:
            continue
        if name != option and given.get(option) is not None:
            raise TypeError(messages.SAME_OPTION.format(name=name, option=option))
        chosen[option] = ("laplace" if value else "none") if name == "smooth" else value
    chosen_options = options.override(chosen, taken, f"evaluate's `{module}` compute")
    return replace(chosen_options, segments=False, confidence=None)


def shape_result(result: dict[str, Any], options: Options) -> dict[str, Any]:
    """Return a result; under a drop-in, with the keys and on the scales of evaluate's module."""
    drop_in = DROP_INS.get(options.convention)
    if drop_in is None:
        return result
    rounded = drop_in.score_again(cast(Scores, result), options)
    values = {**result, **rounded}
    return {name: values[key] for name, key in drop_in.keys.items()}
