"""numba, where it can be used: what functions are compiled with, whether they are, and what numba itself can't do.

The intrinsics at the end are for compiled functions only. An address is an int64, and need not be a multiple of eight.
So are the functions of Python's own (its stable interface), whose objects are addresses, too, as `id` returns them.
What calls those must not be `nogil`.
"""

from __future__ import annotations

from typing import Any

try:
    from llvmlite import ir
    from numba import config, njit, types
    from numba.core import cgutils
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

__all__ = ["COMPILED", "copy_bytes", "fold_product", "load_byte", "load_pair", "load_word", "lowest_bit", "njit"]
__all__ += ["prefetch", "store_byte", "store_word"]
__all__ += ["clear_error", "find_item", "find_utf8", "read_integer", "size_of_list"]


def _declare(name: str, arguments: int, returns: str = "int64") -> Any:
    """A function of Python's own, from so many integers."""
    return types.ExternalFunction(name, getattr(types, returns)(*[types.int64] * arguments)) if COMPILED else None


size_of_list = _declare("PyList_Size", 1)  # -1 and an error if it is no list
find_item = _declare("PyList_GetItem", 2)  # its address
find_utf8 = _declare("PyUnicode_AsUTF8AndSize", 2)  # its address; 0 and an error if it is no str, or half a character
read_integer = _declare("PyLong_AsSsize_t", 1)  # -1 and an error if it is no int, or too large
clear_error = _declare("PyErr_Clear", 0, returns="void")


@intrinsic
def load_byte(typing_context: Any, address: Any) -> Any:
    """The byte at an address."""
    return types.int64(types.int64), _generate_load(8)


@intrinsic
def load_pair(typing_context: Any, address: Any) -> Any:
    """The two bytes at an address, the first one lowest."""
    return types.int64(types.int64), _generate_load(16)


@intrinsic
def load_word(typing_context: Any, address: Any) -> Any:
    """The eight bytes at an address, the first one lowest."""
    return types.int64(types.int64), _generate_load(64)


@intrinsic
def store_byte(typing_context: Any, address: Any, byte: Any) -> Any:
    """Writes a byte to an address."""
    return types.void(types.int64, types.int64), _generate_store(8)


@intrinsic
def store_word(typing_context: Any, address: Any, word: Any) -> Any:
    """Writes eight bytes to an address, the lowest one first."""
    return types.void(types.int64, types.int64), _generate_store(64)


@intrinsic
def copy_bytes(typing_context: Any, source: Any, target: Any, size: Any) -> Any:
    """Copies so many bytes from one address to another."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, target, size = arguments
        source, target = (builder.inttoptr(address, cgutils.voidptr_t) for address in (source, target))
        cgutils.raw_memcpy(builder, target, source, size, 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def prefetch(typing_context: Any, address: Any) -> Any:
    """Asks for what is at an address, so that it is in the processor's cache a little later."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, number = cgutils.voidptr_t, ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        # To read, to be kept near, data.
        builder.call(function, [builder.inttoptr(arguments[0], pointer), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def fold_product(typing_context: Any, left: Any, right: Any) -> Any:
    """Both halves of a product of 128 bits, one exclusive-ored with the other: each bit depends on all of both."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = [builder.zext(argument, ir.IntType(128)) for argument in arguments]
        product = builder.mul(*wide)
        upper = builder.lshr(product, ir.Constant(ir.IntType(128), 64))
        return builder.trunc(builder.xor(product, upper), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """The number of zeros below the lowest bit that is set, 64 if none is: one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate


def _generate_load(bits: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.load(builder.inttoptr(arguments[0], ir.IntType(bits).as_pointer()), align=1)
        return value if bits == 64 else builder.zext(value, ir.IntType(64))

    return generate


def _generate_store(bits: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, value = arguments
        value = value if bits == 64 else builder.trunc(value, ir.IntType(bits))
        builder.store(value, builder.inttoptr(address, ir.IntType(bits).as_pointer()), align=1)
        return context.get_dummy_value()

    return generate
