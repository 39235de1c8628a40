"""Lanes: the weights of all topics for one token, sixteen at a time, and one of them drawn without a branch.

Weights are written in LLVM's vector code, as numba keeps no vector in a register over a loop with a runtime end:
LLVM makes of it whatever the processor has. A row of counts is padded to a multiple of 16 topics; topic k lies in lane
k modulo 16. Which topic is drawn can't be foretold, so that a branch on it would cost more than all else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 16
FLOAT, INT, LONG = ir.FloatType(), ir.IntType(32), ir.IntType(64)
FLOATS, INTS = ir.VectorType(FLOAT, LANES), ir.VectorType(INT, LANES)
NONE = ir.Constant(FLOATS, [0.0] * LANES)
UNIT = np.float32(2.0**-24)  # of the 24 highest bits of a random number
Flat, Floats = types.Array(types.int32, 1, "C"), types.Array(types.float32, 1, "C")


def padded(K: int) -> int:
    """Topics of a row that is whole lanes long."""
    return -(-K // LANES) * LANES


def _weigh(
    _typing: Any, nd: Any, d: Any, nw: Any, w: Any, alpha: Any, beta: Any, inv: Any, upto: Any, starts: Any
) -> Any:
    """Of weights p[k] = (nd[d + k] + alpha[k]) (nw[w + k] + beta) inv[k] the sum, which is returned, and its parts:
    upto[k], over the topics j <= k of k's lane, and starts[l], over the lanes before l.

    nd, nw int32, flat; alpha, inv, upto (padded K,) float32; starts (16,) float32.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = {n: context.make_array(signature.args[n])(context, builder, values[n]) for n in (0, 2, 4, 6, 7, 8)}
        rows = {n: array.data for n, array in arrays.items()}
        rows[0], rows[2] = (builder.gep(rows[n], [values[n + 1]]) for n in (0, 2))
        topics, smooth = builder.extract_value(arrays[7].shape, 0), _everywhere(builder, values[5])
        before, loop, after = builder.block, builder.append_basic_block("lanes"), builder.append_basic_block("summed")
        builder.branch(loop)
        builder.position_at_end(loop)
        k, had = builder.phi(LONG), builder.phi(FLOATS)

        def load(n: int, kind: Any) -> Any:
            return _load(builder, builder.gep(rows[n], [k]), kind)

        in_document, in_word = (builder.sitofp(load(n, INTS), FLOATS) for n in (0, 2))
        left = builder.fmul(builder.fadd(in_document, load(4, FLOATS)), builder.fadd(in_word, smooth))
        total, following = builder.fadd(had, builder.fmul(left, load(6, FLOATS))), builder.add(k, LONG(LANES))
        _store(builder, total, builder.gep(rows[7], [k]))
        for phi, first, then in ((k, LONG(0), following), (had, NONE, total)):
            phi.add_incoming(first, before)
            phi.add_incoming(then, loop)
        builder.cbranch(builder.icmp_signed("<", following, topics), loop, after)
        builder.position_at_end(after)
        for by in (1, 2, 4, 8):  # now each lane's sum, in the end that of all lanes up to it
            total = builder.fadd(total, _moved(builder, total, by))
        _store(builder, _moved(builder, total, 1), rows[8])
        return builder.extract_element(total, INT(LANES - 1))

    place, number = types.int64, types.float32
    return number(Flat, place, Flat, place, Floats, number, Floats, Floats, Floats), code


def _lane(_typing: Any, starts: Any, r: Any) -> Any:
    """The last lane l with starts[l] <= r; starts[0] is 0, r is not below it."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = context.make_array(signature.args[0])(context, builder, values[0]).data
        passed = builder.fcmp_ordered("<=", _load(builder, at, FLOATS), _everywhere(builder, values[1]))
        count = builder.ctpop(builder.bitcast(passed, ir.IntType(LANES)))
        return builder.sub(builder.zext(count, LONG), LONG(1))

    return types.int64(Floats, types.float32), code


def _load(builder: Any, at: Any, kind: Any) -> Any:
    found = builder.load(builder.bitcast(at, kind.as_pointer()))
    found.align = 4
    return found


def _store(builder: Any, vector: Any, at: Any) -> None:
    builder.store(vector, builder.bitcast(at, FLOATS.as_pointer())).align = 4


def _everywhere(builder: Any, x: Any) -> Any:
    one = builder.insert_element(NONE, x, INT(0))
    return builder.shuffle_vector(one, NONE, ir.Constant(INTS, [0] * LANES))


def _moved(builder: Any, vector: Any, by: int) -> Any:
    """Lane l has what was in lane l - by, the first ones 0."""
    return builder.shuffle_vector(NONE, vector, ir.Constant(INTS, [0] * by + list(range(LANES, 2 * LANES - by))))


weigh: Any = intrinsic(_weigh)
lane: Any = intrinsic(_lane)


@njit(inline="always")
def draw(upto: NDArray[np.float32], starts: NDArray[np.float32], r: np.float32, K: int) -> Any:
    """The topic k on which r falls, which lies in [0, sum p): first the lane, then the lane's topic."""
    first = lane(starts, r)
    r -= starts[np.uint64(first)]
    k = first
    for q in range(first, len(upto), LANES):
        k += LANES * np.int64(upto[np.uint64(q)] <= r)
    return min(k, K - 1)  # where rounding led beyond the last


def draw_reference(p: NDArray[np.float32], r: float) -> int:
    """The same in numpy, of the weights p themselves: topics in the order of lanes, then blocks."""
    k = np.arange(len(p))
    order = np.lexsort((k // LANES, k % LANES))
    return int(order[np.searchsorted(np.cumsum(p[order].astype(np.float64)), r, "right")])
