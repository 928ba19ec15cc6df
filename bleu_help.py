"""What Python shows of the metric: a line for the object, and its options where Tab and `help` look for them."""

from __future__ import annotations

import inspect
import types
from collections.abc import Collection, Mapping
from typing import Any

from evaluate.module import copyfunc

from .bleu_drop_in import list_arguments
from .bleu_options import CORPUS_ONLY, DROP_INS, OPTIONS, Options

# The public methods that take options, and those among them that they don't take.
METHODS: dict[str, Collection[str]] = {
    "compute": (),
    "statistics": (),
    "score": (),
    "compare": ("segments",),
    "diff": CORPUS_ONLY,
    "explain": CORPUS_ONLY,
    "conventions": CORPUS_ONLY,
    "pairwise": CORPUS_ONLY,
    "self_bleu": CORPUS_ONLY,
    "reconcile": CORPUS_ONLY,
    "compute_metrics": CORPUS_ONLY,
}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"compare": {"confidence": 0.95}}  # where None isn't the default


def describe_metric(name: str, options: Options, rows: int) -> str:
    """The metric in a line: its convention, the options that were given, and how many rows wait for `compute`.

    >>> describe_metric("BleuMetric", Options().override({"tokenize": "zh"}), 3)
    "BleuMetric('default', tokenize='zh', 3 rows added)"
    """
    given = [f"{option}={value!r}" for option, value in vars(options).items() if option in options.given]
    added = [f"{rows:,} row{'' if rows == 1 else 's'} added"] if rows else []
    return f"{name}({', '.join([repr(options.convention), *given, *added])})"


def show_options(metric: Any, options: Options) -> None:
    """Let the signatures of an object's methods list the options, with what they are unless given.

    They are set on the object's own functions: evaluate copies those of the class and drops a signature that was set
    there, and every object has defaults of its own.

    Args:
        metric: the object.
        options: its own.
    """
    for name, without in METHODS.items():
        method = getattr(metric, name)
        function: Any = copyfunc(method)  # with the code's docstring; that of `compute` was made longer by evaluate
        function.__doc__, function.__annotations__ = method.__doc__, method.__func__.__annotations__
        function.__signature__ = list_options(
            inspect.signature(method.__func__), _find_defaults(name, options, without)
        )
        setattr(metric, name, types.MethodType(function, metric))


def without_shown_methods(state: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of an object without what `show_options` has set, which a copy sets for itself.

    >>> without_shown_methods({"compute": print, "score": print, "name": "BLEU"})
    {'compute': <built-in function print>, 'name': 'BLEU'}
    """
    return {name: value for name, value in state.items() if name not in METHODS or name == "compute"}  # evaluate's own


def list_options(signature: inspect.Signature, defaults: Mapping[str, Any]) -> inspect.Signature:
    """A signature with options, each by its name, in the place of `**options`.

    >>> def score(statistics, **options): ...
    >>> list_options(inspect.signature(score), {"tokenize": "13a"})
    <Signature (statistics, *, tokenize='13a')>
    """
    named = [one for one in signature.parameters.values() if one.kind != inspect.Parameter.VAR_KEYWORD]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
        for name, value in defaults.items()
        if name not in signature.parameters
    ]
    return signature.replace(parameters=[*named, *options])


def _find_defaults(name: str, options: Options, without: Collection[str]) -> dict[str, Any]:
    if name == "compute" and options.convention in DROP_INS:
        return list_arguments(options.convention)
    values = {option: getattr(options, option) for option in OPTIONS if option not in without}
    return values | {option: value for option, value in _DEFAULTS.get(name, {}).items() if values[option] is None}
