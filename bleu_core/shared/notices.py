"""How warnings are issued: their category, and once per kind.

A `Notice` stands beside the function that issues it with `warn`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from .messages import count_things, row_places
from .pickling import picklable

# By kind, the first warning, and the outermost place of each warning.
_Collected = dict[str, tuple["BleuWarning", dict[str, None]]]
# The warnings of a call, until its end; None outside of a call: each is issued at once.
_collected: ContextVar[_Collected | None] = ContextVar("collected", default=None)


@picklable
class BleuWarning(UserWarning):
    """A score that is computed as requested, but perhaps not what was meant.

    kind: the name of the suspicion; within a call, one warning is issued per kind.
    problem: the message without its advice, as a sentence.
    option, value: the option that fixes the problem, and its value; None if no single option does.
    """

    kind: str = ""
    problem: str = ""
    option: str | None = None
    value: object = None


class Notice(NamedTuple):
    """A warning in templates for `str.format`.

    The message is the problem, the advice and a period.
    """

    kind: str
    problem: str
    advice: str = ""
    option: str | None = None
    value: object = None


@contextmanager
def warn_once_per_kind(issued: set[str] | None = None) -> Iterator[None]:
    """Issue one warning of each kind at the end of the block; none if the block raises an error.

    A warning names the first place where its kind was found, and the number of other ones. Within
    another block, that block issues it. Blocks with the same set `issued` count as one block.
    """
    outer = _collected.get()
    collected: _Collected = {} if outer is None else outer
    token = _collected.set(collected)
    try:
        yield
    finally:
        _collected.reset(token)
    if outer is not None:
        return
    for kind, (warning, places) in collected.items():
        if issued is not None and kind in issued:
            continue
        if issued is not None:
            issued.add(kind)
        others = len(places) - 1
        if others > 0:
            first_place = next(iter(places))
            shared = f"{first_place} and {count_things(others, 'other')}"
            warning.args = (shared + str(warning).removeprefix(first_place),)
            warning.problem = shared + warning.problem.removeprefix(first_place)
        _issue(warning)


def warn(notice: Notice, **details: object) -> None:
    """Warn at the line that called the metric, directly or through evaluate.

    `details` complete the templates of the notice.
    """
    places = row_places.get()
    problem = ": ".join([*places, notice.problem.format(**details)])
    warning = BleuWarning(f"{problem}{notice.advice.format(**details)}.")
    vars(warning).update(
        kind=notice.kind.format(**details),
        problem=f"{problem}.",
        option=notice.option,
        value=notice.value,
    )
    collected = _collected.get()
    if collected is None:
        _issue(warning)
    else:
        _, outermost_places = collected.setdefault(warning.kind, (warning, {}))
        outermost_places.update(dict.fromkeys(places[:1]))


def _issue(warning: BleuWarning) -> None:
    # Level 2 is the caller of this function; go up while frames belong to the metric, to evaluate,
    # or to the context manager.
    packages = (_package_of(__name__), "evaluate", "contextlib")
    level = 2
    frame = sys._getframe(1)
    while frame.f_back and _package_of(frame.f_globals.get("__name__", "")) in packages:
        frame = frame.f_back
        level += 1
    warnings.warn(warning, stacklevel=level)


def _package_of(module_name: str) -> str:
    return module_name.split(".")[0]
