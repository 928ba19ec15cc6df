"""The signature of a score: how it is written, and how one of any tool is read.

All methods sign with `make_signature`, and the class loads `options_of_signature`. A key is a
`SignatureKey`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..rules.chosen_tokenizer import SACREBLEU_PACKAGES, is_moses
from ..rules.smoothing import SMOOTH_METHODS
from ..rules.tokenizers import TOKENIZERS
from ..shared.messages import name_value, show_value
from ..shared.pickling import __version__, picklable
from .options import Options, choose_options


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


# --- Signatures that are read ---------------------------------------------------------------------


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

# A regular expression.
SIGNATURE_KEY = (
    rf"(?<!\w)(?:{'|'.join([*SIGNATURE_KEYS, *(key.short for key in SIGNATURE_KEYS.values())])}):"
)

_FORM = "Separate the keys by |, as in 'nrefs:1|case:lc|tok:13a'."

PRETOKENIZED = ("tokens", "ids")  # instead of a tokenizer, for input that was split already

# Scores in common notations: 37.6, "37,6", ".376", "BLEU: 37.6", "37.6 BLEU"; and 1e-05, Python's
# own.
SCORE_NOTATION = re.compile(
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
            f" {name_value(text)}. Pass the signature of a score."
        )
    # 1. Separate the score. Signatures that are copied from a PDF have blanks and line breaks
    #    beside the separators.
    joined = re.sub(r"\s*\|\s*", "|", text)
    if "BLEU+" in text:
        joined = re.sub(r"\s*\+\s*", "+", text)
    signature, _, after = joined.partition(" = ")
    *words_before, signature = signature.split() or [""]
    before = " ".join(words_before)
    if words_before and not SCORE_NOTATION.fullmatch(before):
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


def _unreadable(name: str, pair: str, option: str | None) -> ValueError:
    if option is None:
        return ValueError(
            f"{name}: {pair!r} can't be read. Write a number or 'var' as its value, or remove it."
        )
    return ValueError(
        f"{name}: {pair!r} can't be read as a value of `{option}`. Remove it from the signature,"
        " and pass the option."
    )
