"""A fence: what this thread has written to memory can be seen by all before it reads, or writes, any further."""

from __future__ import annotations

from typing import Any

import numba
from numba import types
from numba.extending import intrinsic


@intrinsic
def _fence(_typing: Any) -> Any:
    def code(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), code


@numba.njit(cache=True)
def fence() -> None:
    """Of sequential consistency, between memory that processes share."""
    _fence()  # type: ignore[call-arg]
