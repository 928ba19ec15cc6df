"""numba, where it can be used: what functions are compiled with, and whether they are."""

from __future__ import annotations

from typing import Any

try:
    from numba import config, njit, types
    from numba.extending import intrinsic

    if config.DISABLE_JIT:
        raise ImportError("NUMBA_DISABLE_JIT is set")
except ImportError:
    COMPILED = False
    types = None

    def njit(**options: Any) -> Any:
        """Leaves the function as it is: evaluate copies a file only if it can be imported without numba, too."""
        return lambda function: function

    def intrinsic(function: Any) -> Any:
        return function
else:
    COMPILED = True

__all__ = ["COMPILED", "intrinsic", "njit", "types"]
