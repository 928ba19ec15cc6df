"""The metric as the page uses it: loaded as any user loads it, with its warnings passed to the visitor who asked."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import evaluate

# A Space lies in a folder called `app`, and evaluate wants the name of the folder or the path of the file.
_PATH = str(Path(__file__).parent.with_name("bleu_metric.py"))

bleu: Any = evaluate.load(_PATH)

_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect the metric's warnings in this request alone; `warnings.catch_warnings` would mix requests up."""
    messages: list[str] = []
    token = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(token)


def load_with(options: Mapping[str, Any]) -> Any:
    """The metric with other defaults: what it compares with, and where a search starts."""
    return evaluate.load(_PATH, **options)


def warm_up() -> None:
    """Do at the start what a visitor shouldn't have to wait for."""
    bleu.warm_up()
    for tokenizer in bleu.TOKENIZERS:
        bleu.compute(predictions=["a b c d"], references=["a b c d"], tokenize=tokenizer)
    texts = ["a b c d", "a b c e", "a b d e"] * 10
    bleu.compare({"A": texts, "B": texts[::-1]}, texts)
    bleu.diff(texts, texts[::-1], texts)
    bleu.reconcile(texts[::-1], texts, "50")
    # A collection that goes through everything the libraries hold takes a third of a second of somebody's request.
    gc.freeze()


def _show_warning(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
    messages = _collected.get()
    if messages is None or category is not bleu.Warning:
        _show_elsewhere(message, category, *rest, **named)
    else:
        messages.append(str(message))


_show_elsewhere = warnings.showwarning
warnings.showwarning = _show_warning
warnings.filterwarnings("always", category=bleu.Warning)  # by default Python shows a warning to the first visitor only
