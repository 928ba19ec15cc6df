"""The options that a load, a signature or a drop-in chooses.

Called by the class; `reconcile` chooses conventions here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..shared.messages import invalid, one_of
from .conventions import CONVENTIONS, DROP_INS
from .option_types import CORPUS_ONLY
from .options import OPTIONS, Options, find_convention
from .signature import read_signature


def choose_options(convention: str, given: Mapping[str, object]) -> Options:
    """Return the options of a named convention or drop-in, overridden by the user's choices.

    >>> choose_options("hf", {"max_order": 2}).reference_length
    'shortest'
    """
    names = [*CONVENTIONS, *DROP_INS]
    if convention not in names:
        raise invalid("config_name", convention, one_of(names))
    return replace(Options(), convention=convention, **find_convention(convention)).override(given)


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
