"""The decision when to compile the kernels, and how.

Importing numba takes 0.25 s and compiling 5 s, so the Python implementations run until compiling
pays. Until then, the functions marked for compilation are plain Python functions.

`statistics.py`, `ngrams.py` and `pairwise` tell how much text they count; only `kernels.py` marks
functions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import RLock
from typing import TypeVar

from datasets.utils import are_progress_bars_disabled, tqdm

from ..shared.messages import Notice, warn

_BYTES_WORTH_COMPILING = 2_000_000  # of text: about a second for the Python implementations

_Function = TypeVar("_Function", bound=Callable[..., object])

_kernels: list[Callable[..., object]] = []  # called from Python, compiled and cached on disk
_helpers: list[Callable[..., object]] = []  # called by kernels, compiled as parts of them
_intrinsics: list[Callable[..., object]] = []  # generators of LLVM instructions
_examples: list[Callable[..., object]] = []  # each runs a kernel once, which compiles it

_bytes_seen = 0  # by the Python implementations in this process
_is_ready = False
_can_compile = True

# A fork waits until a thread has compiled, because the child could wait forever for that thread.
_compile_lock = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_compile_lock.acquire,
        after_in_parent=_compile_lock.release,
        after_in_child=_compile_lock.release,
    )


def is_ready() -> bool:
    """Return True if the kernels can run now."""
    return _is_ready


def compile_if_worthwhile(nbytes: int) -> bool:
    """Compile the kernels if `nbytes` more of text are worth it; return True if they can run."""
    global _bytes_seen
    _bytes_seen += nbytes
    return _is_ready or (_bytes_seen > _BYTES_WORTH_COMPILING and warm_up())


def warm_up() -> bool:
    """Load the kernels, or compile them if numba's cache has none; return True if they can run."""
    global _can_compile, _is_ready
    with _compile_lock:
        if _is_ready or not _can_compile:
            return _is_ready
        _can_compile = _has_compiler()
        if not _can_compile:
            return False
        try:
            with _announce_compiling():
                _compile_all()
        except BaseException:  # also Ctrl-C
            for function in _kernels:  # `_count_common` also runs without numba
                _replace(function, function)
            raise
        _is_ready = True
        return True


def _has_compiler() -> bool:
    """Return True if numba can be imported and may compile; warn if it is missing."""
    try:
        import numba
    except ImportError:
        warn(
            Notice(
                "numba",
                "numba can't be imported."
                " Scores are the same, but large inputs take up to about 100 times as long",
                ". To fix this: pip install numba",
            )
        )
        return False
    return not numba.config.DISABLE_JIT


def _announce_compiling() -> AbstractContextManager[object]:
    """Write a line if a kernel or a part of one is compiled within the block.

    Kernels that are loaded from numba's cache cause no event and no line. Without progress bars,
    no line is written.
    """
    from numba.core import event

    class Announcement(event.Listener):
        is_due = not are_progress_bars_disabled()

        def on_start(self, event: event.Event) -> None:
            if self.is_due and event.data["dispatcher"].py_func in (*_kernels, *_helpers):
                self.is_due = False
                tqdm.write(
                    "bleu_metric: compiling the counting kernels"
                    " (once per machine, takes a few seconds) ...",
                    file=sys.stderr,
                )

        def on_end(self, event: event.Event) -> None: ...

    return event.install_listener("numba:compile", Announcement())


def _compile_all() -> None:
    """Replace the registered functions with compiled ones."""
    from llvmlite import ir
    from numba import njit
    from numba import types as numba_types
    from numba.extending import intrinsic

    for function in _intrinsics:
        function.__globals__.update(ir=ir, numba_types=numba_types)
        _replace(function, intrinsic(function))
    # Wrappers for calls from Python would add a tenth to the time, and helpers need none. The
    # search for array expressions to rewrite would add a twentieth, and helpers have none.
    compile_helper = njit(
        nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, no_rewrites=True
    )
    for function in _helpers:
        _replace(function, compile_helper(function))
    try:
        _compile_kernels(cached=True)
        return
    except Exception as error:
        folder = os.path.join(os.path.dirname(__file__), "__pycache__")
        warn(
            Notice(
                "numba's cache",
                "numba's cache is not usable, so every process compiles again: {error}",
                ". Delete or fix {folder}",
            ),
            error=error,
            folder=os.environ.get("NUMBA_CACHE_DIR") or folder,
        )
    # If the reason is a bug in a kernel, and not numba's cache, this raises it again.
    _compile_kernels(cached=False)


def _compile_kernels(cached: bool) -> None:
    """Replace the kernels with compiled ones, and run each on an example, which compiles it."""
    from numba import njit

    compile_kernel = njit(nogil=True, cache=cached)
    for function in _kernels:
        _replace(function, compile_kernel(function))
    for run_example in _examples:
        run_example()


def _replace(function: Callable[..., object], replacement: object) -> None:
    """Let a name of the module of the kernels mean another function.

    Kernels call each other by their names, so they are replaced only there.
    """
    function.__globals__[function.__name__] = replacement


def _register_in(functions: list[Callable[..., object]]) -> Callable[[_Function], _Function]:
    """Return a decorator that adds functions to a list, and leaves them as they are."""

    def register(function: _Function) -> _Function:
        functions.append(function)
        return function

    return register


kernel = _register_in(_kernels)
kernel_helper = _register_in(_helpers)
kernel_intrinsic = _register_in(_intrinsics)
kernel_example = _register_in(_examples)
