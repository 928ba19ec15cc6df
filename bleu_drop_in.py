"""Drop-ins for evaluate's own `sacrebleu` and `bleu`: what their `compute` takes, and the dict that it returns.

Their numbers are those of a convention (`bleu_options.DROP_INS`). Only `compute` changes its face; all other methods
are this metric's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .bleu_options import CORPUS_ONLY, OPTIONS, Options
from .bleu_spellings import TRANSLATIONS, Translation, translate_options


class DropIn(NamedTuple):
    """How the `compute` of a module is called, and what it answers.

    arguments: beside the columns, with their defaults; None stands for the default of this metric.
    translations: what those mean that have other names here.
    answer: from a result, and the options that it was made under, to the module's dict.
    """

    arguments: Mapping[str, Any]
    translations: Mapping[str, Translation]
    answer: Callable[[Mapping[str, Any], Options], dict[str, Any]]


def read_arguments(module: str, given: Mapping[str, Any], options: Options) -> Options:
    """The options of a call of a drop-in's `compute`.

    Args:
        module: a name in `DROP_INS`.
        given: the module's arguments by their names; options of this metric that change the number are understood, too.
        options: those from load.

    Raises:
        TypeError, ValueError: as `Options.override`; or the option would add a key that the module's dict doesn't have.

    >>> read_arguments("bleu", {"smooth": True, "max_order": 2}, Options()).smooth_method
    'laplace'
    """
    given = {name: value for name, value in given.items() if value is not None}
    given = translate_options(given, OPTIONS, _DROP_INS[module].translations)
    chosen = options.override(given, without=CORPUS_ONLY, purpose=f"what evaluate's `{module}` returns")
    return replace(chosen, segments=False, confidence=None)


def answer_as(module: str, result: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """A result under the keys and on the scales of a module, and nothing else.

    Args:
        module: a name in `DROP_INS`.
        result: what `bleu_compute.compute_corpus` returns.
        options: those that it was made under.
    """
    return _DROP_INS[module].answer(result, options)


def list_arguments(module: str) -> dict[str, Any]:
    """The arguments of a module's `compute` beside the columns, with their defaults.

    >>> list_arguments("bleu")
    {'tokenizer': None, 'max_order': 4, 'smooth': False}
    """
    return dict(_DROP_INS[module].arguments)


def _answer_as_sacrebleu(result: Mapping[str, Any], options: Options) -> dict[str, Any]:
    # Under `add-k`, and no other method, sacreBLEU returns the counts as they are after smoothing.
    is_added = options.smooth_method == "add-k" and any(result["counts"])
    added = options.smooth_value_in_effect or 0 if is_added else 0
    return {
        "score": result["score"],
        "counts": _add_beyond_unigrams(result["counts"], added),
        "totals": _add_beyond_unigrams(result["totals"], added),
        "precisions": [100 * precision for precision in result["precisions"]],
        "bp": result["brevity_penalty"],
        "sys_len": result["translation_length"],
        "ref_len": result["reference_length"],
    }


def _add_beyond_unigrams(counts: Sequence[int], added: float) -> list[float]:
    return [counts[0], *(count + added for count in counts[1:])]


def _answer_as_bleu(result: Mapping[str, Any], options: Options) -> dict[str, Any]:
    keys = ("bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length")
    return {key: result[key] for key in keys}


_DROP_INS = {
    "sacrebleu": DropIn(
        arguments={
            "smooth_method": "exp",
            "smooth_value": None,
            "force": False,
            "lowercase": False,
            "tokenize": None,
            "use_effective_order": False,
        },
        translations={name: TRANSLATIONS[name] for name in ("force", "use_effective_order")},
        answer=_answer_as_sacrebleu,
    ),
    "bleu": DropIn(
        arguments={"tokenizer": None, "max_order": 4, "smooth": False},
        translations={
            "tokenizer": TRANSLATIONS["tokenizer"],
            "smooth": lambda value: {"smooth_method": "laplace" if value else "none"},
        },
        answer=_answer_as_bleu,
    ),
}
