"""How other tools spell the options and the values of a result: what is understood, and what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from .bleu_warnings import warn

_TARGET_LANGUAGES: dict[Any, dict[str, Any]] = {
    "zh": {"tokenize": "zh"},
    "ja": {"tokenize": "ja-mecab"},
    "ko": {"tokenize": "ko-mecab"},
}

Translation = Callable[[Any], dict[str, Any]]  # from the value of another tool's option to options here

# Options of other tools that mean the same as options here.
TRANSLATIONS: dict[str, Translation] = {
    "tokenizer": lambda value: {"tokenize": value},  # evaluate's `bleu`
    "use_effective_order": lambda value: {"effective_order": value},  # evaluate's `sacrebleu`
    "force": lambda value: {},  # nothing needs forcing here
    "max_ngram_order": lambda value: {"max_order": value},  # sacreBLEU
    "trg_lang": lambda value: _TARGET_LANGUAGES.get(value, {}),
    "smoothing_function": lambda value: _read_smoothing_function(value),  # NLTK
}

# NLTK's `SmoothingFunction().method0` to `method7`: the method here, and the attribute that has its value.
_NLTK_METHODS = {
    "method0": ("none", None),
    "method1": ("floor", "epsilon"),
    "method2": ("add-k", None),
    "method3": ("exp", None),
    "method4": ("nltk-4", "k"),
    "method5": ("nltk-5", None),
    "method6": ("chen-cherry-6", "alpha"),
    "method7": ("nltk-7", "k"),
}

# What has no option of the same meaning, and what to write.
ADVICE = {
    "smooth": "write `smooth_method='laplace'` for what evaluate's `bleu` does with `smooth=True`",
    "auto_reweigh": "write `effective_order=True`: an order without n-grams leaves its weight to the others",
    "use_aggregator": "a score for each row comes with `segments=True`, beside that of the corpus",
    "use_stemmer": "ROUGE has it; BLEU compares words as they are, or give `tokenize` a function that stems",
    "list_of_references": "write `references`, one list for each prediction",
    "hypotheses": "write `predictions`",
    "trust_remote_code": "leave it out: nothing asks for it",
    "smoothing_function": "write `smooth_method`, one of the names in docs/conventions.md",
}


def translate_options(
    given: Mapping[str, Any], known: Iterable[str], expected: Mapping[str, Translation] = MappingProxyType({})
) -> dict[str, Any]:
    """Options in this metric's names; others' names are understood where they mean the same.

    Args:
        given: options by name, as a user wrote them.
        known: the names that exist here.
        expected: names of another tool that belong in this call, and so need no note.

    Raises:
        TypeError: there is no such option, or it was given under two names.

    >>> translate_options({"trg_lang": "zh"}, ["tokenize"])
    {'tokenize': 'zh'}
    >>> translate_options({"tokeniser": "zh"}, ["tokenize"])
    Traceback (most recent call last):
    TypeError: There is no option `tokeniser`. Did you mean `tokenize`?
    """
    options = {name: value for name, value in given.items() if name in known}
    written = {name: name for name in options}  # as the user has it
    for name in [name for name in given if name not in options]:
        translate = expected.get(name) or TRANSLATIONS.get(name)
        if translate is None:
            raise TypeError(explain_unknown_option(name, known))
        translated = translate(given[name])
        for own_name in translated:
            if own_name in written:
                raise TypeError(f"`{name}` and `{written[own_name]}` are one option: give `{own_name}` alone.")
            written[own_name] = name
        options |= translated
        if name not in expected:
            _note_once(name, ", ".join(f"{own_name}={value!r}" for own_name, value in translated.items()))
    return options


def explain_unknown_option(name: str, known: Iterable[str]) -> str:
    """What to tell a user who wrote an option that doesn't exist.

    >>> explain_unknown_option("smooth", ["smooth_method"]).partition(":")[2]
    " write `smooth_method='laplace'` for what evaluate's `bleu` does with `smooth=True`."
    """
    if name in ADVICE:
        return f"There is no option `{name}` here: {ADVICE[name]}."
    nearest = difflib.get_close_matches(name, list(known), n=1, cutoff=0.75)
    return f"There is no option `{name}`." + (f" Did you mean `{nearest[0]}`?" if nearest else "")


# What other tools call a value of a result; and the values that come only when asked for.
RESULT_KEYS = {
    "bp": "brevity_penalty",
    "sys_len": "translation_length",
    "hyp_len": "translation_length",
    "prediction_length": "translation_length",
    "ref_len": "reference_length",
    "bleu_score": "bleu",
    "sentence_bleu": "segment_bleu",
    "ratio": "length_ratio",
}
ASKED_FOR = {
    "segment_bleu": "segments=True",
    "confidence_interval": "confidence=0.95",
    "bootstrap_mean": "confidence=0.95",
}


def explain_missing_key(key: Any, known: Collection[Any]) -> str | None:
    """What to tell a user who looks for a value under the name that another tool has for it; None for other keys.

    Args:
        key: what was looked for.
        known: the keys that the result has.

    >>> explain_missing_key("bp", ["bleu", "brevity_penalty"])
    "There is no 'bp' here: it is 'brevity_penalty'."
    >>> explain_missing_key("segment_bleu", ["bleu", "brevity_penalty"])
    "There is no 'segment_bleu' here: ask for it by segments=True."
    """
    if not isinstance(key, str):
        return None
    name = RESULT_KEYS.get(key, key)
    if name in known:
        return f"There is no {key!r} here: it is {name!r}."
    if name in ASKED_FOR and "brevity_penalty" in known and "orders" not in known:  # of a corpus, not a segment
        return f"There is no {key!r} here: ask for it by {ASKED_FOR[name]}."
    return None


def _read_smoothing_function(function: Any) -> dict[str, Any]:
    if function is None:
        return {}
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if type(owner).__name__ != "SmoothingFunction" or name not in _NLTK_METHODS:
        raise TypeError(explain_unknown_option("smoothing_function", ()))
    method, attribute = _NLTK_METHODS[name]
    value = {"smooth_value": getattr(owner, attribute)} if attribute else {}
    return {"smooth_method": method, **value}


@cache
def _note_once(name: str, own_spelling: str) -> None:
    warn(f"`{name}` is understood; here it is written {own_spelling or 'by leaving it out'}.")
