"""Lanes: the weights of all topics for one token, sixteen at a time, and one of them drawn without a loop over topics.

Weights are written in LLVM's vector code, as numba keeps no vector in a register over a loop with a runtime end:
LLVM makes of it whatever the processor has. A row of counts is padded to a multiple of 16 topics.
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
UNIT = np.float32(2.0**-24)  # of the 24 highest bits of a random number


def padded(K: int) -> int:
    """Topics of a row that is whole lanes long."""
    return -(-K // LANES) * LANES


def _weigh(_typing: Any, nd: Any, d: Any, nw: Any, w: Any, alpha: Any, beta: Any, inv: Any, p: Any, sums: Any) -> Any:
    """p[k] = (nd[d + k] + alpha[k]) (nw[w + k] + beta) inv[k] for every k of p; sums[l] = sum over b of p[l + 16 b].

    nd, nw int32, flat; alpha, inv, p (padded K,) float32; sums (16,) float32.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = {n: context.make_array(signature.args[n])(context, builder, values[n]) for n in (0, 2, 4, 6, 7, 8)}
        rows = {n: array.data for n, array in arrays.items()}
        rows[0], rows[2] = (builder.gep(rows[n], [values[n + 1]]) for n in (0, 2))
        topics = builder.extract_value(arrays[7].shape, 0)
        one = builder.insert_element(ir.Constant(FLOATS, ir.Undefined), values[5], INT(0))
        smooth = builder.shuffle_vector(one, ir.Constant(FLOATS, ir.Undefined), ir.Constant(INTS, [0] * LANES))
        before, loop, after = builder.block, builder.append_basic_block("lanes"), builder.append_basic_block("summed")
        builder.branch(loop)
        builder.position_at_end(loop)
        k, total = builder.phi(LONG), builder.phi(FLOATS)

        def load(n: int, kind: Any) -> Any:
            found = builder.load(builder.bitcast(builder.gep(rows[n], [k]), kind.as_pointer()))
            found.align = 4
            return found

        in_document, in_word = (builder.sitofp(load(n, INTS), FLOATS) for n in (0, 2))
        left = builder.fmul(builder.fadd(in_document, load(4, FLOATS)), builder.fadd(in_word, smooth))
        weight = builder.fmul(left, load(6, FLOATS))
        builder.store(weight, builder.bitcast(builder.gep(rows[7], [k]), FLOATS.as_pointer())).align = 4
        more, following = builder.fadd(total, weight), builder.add(k, LONG(LANES))
        for phi, first, then in ((k, LONG(0), following), (total, ir.Constant(FLOATS, [0.0] * LANES), more)):
            phi.add_incoming(first, before)
            phi.add_incoming(then, loop)
        builder.cbranch(builder.icmp_signed("<", following, topics), loop, after)
        builder.position_at_end(after)
        builder.store(more, builder.bitcast(rows[8], FLOATS.as_pointer())).align = 4
        return context.get_dummy_value()

    flat = types.Array(types.int32, 1, "C")
    floats = types.Array(types.float32, 1, "C")
    return types.void(flat, types.int64, flat, types.int64, floats, types.float32, floats, floats, floats), code


weigh: Any = intrinsic(_weigh)


@njit(inline="always")
def draw(p: NDArray[np.float32], sums: NDArray[np.float32], u: np.float32, K: int) -> Any:
    """A topic k with chance p[k] / sum p, where u is uniform in [0, 1): first one of four groups of lanes, then one of
    its four lanes, then one of the lane's topics, each by comparisons that the processor need not guess."""
    g0 = (sums[0] + sums[4]) + (sums[8] + sums[12])
    g1 = g0 + ((sums[1] + sums[5]) + (sums[9] + sums[13]))
    g2 = g1 + ((sums[2] + sums[6]) + (sums[10] + sums[14]))
    r = u * (g2 + ((sums[3] + sums[7]) + (sums[11] + sums[15])))
    group = np.int64(g0 <= r) + np.int64(g1 <= r) + np.int64(g2 <= r)
    r -= np.float32(0) if group == 0 else (g0 if group == 1 else (g1 if group == 2 else g2))
    s0 = sums[group]
    s1 = s0 + sums[group + 4]
    s2 = s1 + sums[group + 8]
    lane = np.int64(s0 <= r) + np.int64(s1 <= r) + np.int64(s2 <= r)
    r -= np.float32(0) if lane == 0 else (s0 if lane == 1 else (s1 if lane == 2 else s2))
    k = group + 4 * lane
    x = p[k]
    for q in range(k + LANES, len(p), LANES):
        k += LANES * np.int64(x <= r)
        x += p[q]
    return k if k < K else K - 1  # where rounding led beyond the last


def draw_reference(p: NDArray[np.float32], u: float) -> int:
    """The same in numpy: topics in the order of groups, lanes, blocks."""
    k = np.arange(len(p))
    order = np.lexsort((k // LANES, k % LANES // 4, k % 4))
    return int(order[np.searchsorted(np.cumsum(p[order].astype(np.float64)), u * p.sum(dtype=np.float64), "right")])
