"""Square: as many numbers of as many columns, wherever those lie, turned into rows within registers."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

SIDE = 8
SINGLE, WORD = ir.FloatType(), ir.IntType(64)
MANY = ir.VectorType(SINGLE, SIDE)


def _as_single(builder: Any, number: Any, to: Any) -> Any:
    """The nearest float32 of numbers of any type; inf for those beyond."""
    kind = getattr(number.type, "element", number.type)
    if isinstance(kind, ir.IntType):
        return builder.sitofp(number, to)
    return number if kind == SINGLE else builder.fptrunc(number, to)


def _load(builder: Any, address: Any, kind: Any) -> Any:
    """What lies at the address, at any alignment."""
    found = builder.load(builder.inttoptr(address, kind.as_pointer()))
    found.align = 1
    return found


def _after(builder: Any, address: Any, count: Any, size: int) -> Any:
    return builder.add(address, builder.mul(count, ir.Constant(WORD, size)))


def _turned(builder: Any, lines: list[Any]) -> list[Any]:
    """The square mirrored at its diagonal: blocks of 1, 2, 4 numbers change places, a step each."""
    half = 1
    while half < SIDE:
        low = [e if not e & half else SIDE + (e ^ half) for e in range(SIDE)]
        high = [e | half if not e & half else SIDE + e for e in range(SIDE)]
        picks = [ir.Constant(ir.VectorType(ir.IntType(32), SIDE), pick) for pick in (low, high)]
        turned = list(lines)
        for k in range(SIDE):
            if not k & half:
                turned[k], turned[k | half] = (builder.shuffle_vector(lines[k], lines[k | half], p) for p in picks)
        lines, half = turned, 2 * half
    return lines


def _square(kind: Any, size: int) -> Any:
    """For numbers of this type and size in bytes: of the columns whose addresses lie at `columns`, those from `i` on.

    They are put at the address `out`, whose rows are `stride` bytes apart. Returns 0 where all are finite.
    """

    def typed(_typing: Any, _columns: Any, _i: Any, _out: Any, _stride: Any) -> Any:
        def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            columns, i, out, stride = args
            lines, odd = [], ir.Constant(MANY, [0.0] * SIDE)
            for k in range(SIDE):
                column = _load(builder, _after(builder, columns, ir.Constant(WORD, k), 8), WORD)
                line = _load(builder, _after(builder, column, i, size), ir.VectorType(kind, SIDE))
                lines.append(_as_single(builder, line, MANY))
                odd = builder.fadd(odd, builder.fsub(lines[k], lines[k]))  # nan for what isn't finite, else 0
            for k, line in enumerate(_turned(builder, lines)):
                place = builder.add(out, builder.mul(stride, ir.Constant(WORD, k)))
                builder.store(line, builder.inttoptr(place, MANY.as_pointer())).align = 4
            return builder.bitcast(builder.fcmp_unordered("uno", odd, odd), ir.IntType(SIDE))

        return types.uint8(types.int64, types.int64, types.int64, types.int64), code

    return intrinsic(typed)


def _one(kind: Any, size: int) -> Any:
    """The number of this type and size in bytes at place `i` of the column at `address`, as float32."""

    def typed(_typing: Any, _address: Any, _i: Any) -> Any:
        def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            address, i = args
            return _as_single(builder, _load(builder, _after(builder, address, i, size), kind), SINGLE)

        return types.float32(types.int64, types.int64), code

    return intrinsic(typed)


square_float32, one_float32 = _square(SINGLE, 4), _one(SINGLE, 4)
square_float64, one_float64 = _square(ir.DoubleType(), 8), _one(ir.DoubleType(), 8)
square_int64, one_int64 = _square(WORD, 8), _one(WORD, 8)
