"""Bytes: text read eight characters at a time.

Digits are found and valued by arithmetic on one 64-bit word (Lemire, "Quickly parsing eight digits", 2018).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic

U = np.uint64
ZEROS, HIGH = U(0x3030303030303030), U(0x8080808080808080)
SIX_MORE = U(0x7676767676767676)  # carries into a byte's top bit iff the byte is 10 or more
PAIRS, PAIR_MASK = U(10 * 2**8 + 1), U(0x00FF00FF00FF00FF)
QUADS, QUAD_MASK = U(100 * 2**16 + 1), U(0x0000FFFF0000FFFF)
EIGHTS = U(10000 * 2**32 + 1)


def _load8(_typing: Any, text: Any, _at: Any) -> Any:
    """The 8 bytes of the uint8 array `text` from `at` as a little-endian word, at any alignment."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.bitcast(builder.gep(array.data, [args[1]]), ir.IntType(64).as_pointer())
        word = builder.load(address)
        word.align = 1
        return word

    return types.uint64(text, types.uint64), code


def _low_zeros(_typing: Any, _word: Any) -> Any:
    """Number of zero bits below the lowest set bit; 64 if none is set."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), code


def _high_zeros(_typing: Any, _word: Any) -> Any:
    """Number of zero bits above the highest set bit; 64 if none is set."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), code


def _product(_typing: Any, _a: Any, _b: Any) -> Any:
    """The upper and the lower half of a product of two words."""
    pair = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]

    def code(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        word, double = ir.IntType(64), ir.IntType(128)
        whole = builder.mul(*(builder.zext(arg, double) for arg in args))
        upper = builder.trunc(builder.lshr(whole, ir.Constant(double, 64)), word)
        return context.make_tuple(builder, pair, (upper, builder.trunc(whole, word)))

    return pair(types.uint64, types.uint64), code


def _as_double(_typing: Any, _word: Any) -> Any:
    """The double whose bits the word holds."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.uint64), code


load8: Any = intrinsic(_load8)
high_zeros: Any = intrinsic(_high_zeros)
product: Any = intrinsic(_product)
as_double: Any = intrinsic(_as_double)
low_zeros: Any = intrinsic(_low_zeros)


@njit(inline="always")
def digits(word):  # type: ignore[no-untyped-def]
    """How many of the word's characters, from the first, are digits: 0 to 8."""
    t = word ^ ZEROS
    return low_zeros(((t + SIX_MORE) | t) & HIGH) >> U(3)


@njit(inline="always")
def value(word, k):  # type: ignore[no-untyped-def]
    """The number that the word's first k characters spell, 1 <= k <= 8, all digits."""
    v = (word ^ ZEROS) << ((U(8) - k) << U(3))
    v = (v * PAIRS) >> U(8)
    v = ((v & PAIR_MASK) * QUADS) >> U(16)
    return ((v & QUAD_MASK) * EIGHTS) >> U(32)
