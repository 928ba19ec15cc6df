"""The metric as the page uses it: loaded as any user loads it, with what it warns of kept for the visitor who asked."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import evaluate

# A Space lies in a folder called `app`, so that the file is named and not the folder.
bleu = evaluate.load(str(Path(__file__).with_name("bleu_metric.py")))

_module = sys.modules[type(bleu).__module__]  # evaluate has made a module of it, under a name of its own
CONVENTIONS = _module.CONVENTIONS
SMOOTH_METHODS = _module.METHODS
TOKENIZERS = tuple(_module.NATIVE)
OPTIONS = _module.Options()
BleuWarning = _module.BleuWarning

_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)


@contextmanager
def hearing() -> Iterator[list[str]]:
    """What the metric warns of meanwhile: in this request and no other, as `warnings.catch_warnings` can't tell."""
    token = _heard.set(messages := [])
    try:
        yield messages
    finally:
        _heard.reset(token)


def warm_up() -> None:
    """What the first visitor, or any of them, shouldn't wait for."""
    for tokenizer in TOKENIZERS:
        bleu.compute(predictions=["a b c d"], references=["a b c d"], tokenize=tokenizer)
    gc.freeze()  # a look at all that the libraries hold costs a third of a second, in the middle of a visitor's request


def _show(message: Warning | str, category: type[Warning], *rest: object, **more: object) -> None:
    messages = _heard.get()
    if messages is None or category is not BleuWarning:
        _show_elsewhere(message, category, *rest, **more)
    else:
        messages.append(str(message))


_show_elsewhere = warnings.showwarning
warnings.showwarning = _show
warnings.filterwarnings("always", category=BleuWarning)  # Python would tell the first visitor only
