"""Prefetch: asking the memory for what will be read soon, where the processor can't guess it."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

READ, KEEP, DATA = 0, 3, 1  # LLVM's words: it will be read, soon and again, as data


@intrinsic
def prefetch(_typing: Any, array: Any, _index: Any) -> Any:
    """Fetch the cache line of `array.ravel()[index]`, a contiguous array's; nothing is waited for or checked."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        form = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", (place.type,), form)
        builder.call(fetch, [place, number(READ), number(KEEP), number(DATA)])
        return context.get_dummy_value()

    return types.void(array, types.int64), code
