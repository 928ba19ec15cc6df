"""A definition or its compiled twin: which one runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any, Generic, TypeVar

from datasets.utils import are_progress_bars_disabled, tqdm

from .bleu_compiler import COMPILED

# What has been compiled before, on this machine: numba itself takes most of it, once a process.
_SECONDS_TO_START, _SECONDS_TO_LOAD = 0.2, 0.02

Answer = TypeVar("Answer")


class Twins(Generic[Answer]):
    """A definition and its compiled twin, which give the same answers: called like either, the cheaper one runs.

    The twin has to be compiled on a new machine, and loaded in a new process. The definition runs until it has taken as
    long as that would, and where the data at hand would take it longer, the twin runs at once. However many calls there
    are and of whatever sizes, all takes at most twice the time of the better choice: to rent or to buy skis (Karlin,
    Manasse, Rudolph and Sleator, 1988).

    Args:
        definition: readable Python.
        twin: what calls the kernel.
        kernel: numba's, `cache=True`.
        example: arguments for either, small.
        seconds_to_compile: on a machine of 2024; a guess will do.
        seconds_a_megabyte: that the definition takes there for its arguments.
    """

    _has_started = False  # whether any twin is loaded in this process, and numba with it

    def __init__(
        self,
        definition: Callable[..., Answer],
        twin: Callable[..., Answer],
        *,
        kernel: Any,
        example: tuple[Any, ...],
        seconds_to_compile: float,
        seconds_a_megabyte: float,
    ) -> None:
        self._definition, self._twin, self._kernel, self._example = definition, twin, kernel, example
        self._seconds_to_compile, self._seconds_a_byte = seconds_to_compile, seconds_a_megabyte / 1e6
        self._spent = 0.0  # seconds, in the definition
        self._is_ready, self._lock = False, Lock()  # threads that need it at the same time compile once

    def __call__(self, *arguments: Any) -> Answer:
        if self.get_ready(*arguments):
            return self._twin(*arguments)
        start = perf_counter()
        try:
            return self._definition(*arguments)
        except UnicodeDecodeError:  # bytes that aren't text: the twin takes them as they are
            self.warm_up()
            return self._twin(*arguments)
        finally:
            self._spent += perf_counter() - start

    def get_ready(self, *data: Any) -> bool:
        """Whether the twin is to run, for so much data: what has `nbytes`. Loads or compiles it where that pays."""
        if self._is_ready or not COMPILED:
            return self._is_ready
        needed = self._spent + self._seconds_a_byte * sum(getattr(part, "nbytes", 0) for part in data)
        seconds_to_load = _SECONDS_TO_LOAD if Twins._has_started else _SECONDS_TO_START
        if needed > seconds_to_load and (needed > self._seconds_to_compile or self._is_on_disk()):
            self.warm_up()
        return self._is_ready

    def warm_up(self) -> None:
        """Loads the twin, or compiles it and says so where `datasets` shows its progress bars."""
        with self._lock:
            if self._is_ready or not COMPILED:
                return
            if not self._is_on_disk() and not are_progress_bars_disabled():
                what = self._kernel.__name__.strip("_")
                tqdm.write(f"bleu_metric compiles {what}, once on this machine.", file=sys.stderr)
            self._twin(*self._example)
            self._is_ready = Twins._has_started = True

    def _is_on_disk(self) -> bool:
        """Whether numba has an index of what it compiled of this kernel, for this Python; it has no way to ask."""
        version = f"py{sys.version_info.major}{sys.version_info.minor}"
        folder = self._kernel.stats.cache_path
        return folder is not None and any(Path(folder).glob(f"*.{self._kernel.__name__}-*.{version}*.nbi"))
