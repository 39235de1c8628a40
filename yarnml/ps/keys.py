"""A key: which rows a get or inc is about, as a range or as a sorted list."""

from __future__ import annotations

import operator
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.kernels import rows as kernels
from yarnml.wire.frozen import frozen

Rows = int | np.integer[Any] | slice | npt.NDArray[np.integer[Any]] | list[int] | None  # what a user may write


@final
@frozen()
class Key:
    """Rows [start, stop) if `rows` is None; else `rows`, increasing, and `inverse` where the user's order differs."""

    start: int
    stop: int
    rows: npt.NDArray[np.int64] | None = None
    inverse: npt.NDArray[np.int64] | None = None  # user's rows = rows[inverse]
    single: bool = False  # one row named by an int, handed out as a vector

    def __len__(self) -> int:
        """How many rows the user named."""
        if self.inverse is not None:
            return len(self.inverse)
        return self.stop - self.start if self.rows is None else len(self.rows)


def key(rows: Rows, table: str, shape: tuple[int, int]) -> Key:
    """Understand what a user wrote. Raises IndexError or TypeError that names table, row and shape."""
    n = shape[0]
    if isinstance(rows, int) and 0 <= rows < n:  # first, since there are most of them
        return Key(int(rows), rows + 1, None, None, True)
    if rows is None:
        return Key(0, n)
    if isinstance(rows, slice):
        start, stop, step = rows.indices(n)
        if step != 1:
            raise IndexError(f"table {table!r} of shape {shape}: rows {rows} have step {step}; only 1 is possible")
        return Key(start, max(start, stop))
    if not isinstance(rows, (np.ndarray, list)):
        return _one(rows, table, shape)
    listed = np.asarray(rows)
    if listed.ndim != 1 or (listed.dtype.kind not in "iu" and listed.size):
        raise TypeError(
            f"table {table!r} of shape {shape}: rows must be a list of integers, not {listed.dtype} of shape "
            f"{listed.shape}; np.flatnonzero makes one of a mask"
        )
    listed = listed.astype(np.int64, copy=False)
    if kernels.increasing(listed, 0, n):
        return Key(0, 0, listed)
    wrong = listed[(listed < 0) | (listed >= n)]
    if wrong.size:
        raise IndexError(f"table {table!r} of shape {shape} has no row {wrong[0]}")
    unique, inverse = np.unique(listed, return_inverse=True)
    return Key(0, 0, unique, inverse)


def _one(row: Any, table: str, shape: tuple[int, int]) -> Key:
    try:
        r = operator.index(row)
    except TypeError:
        raise TypeError(
            f"table {table!r} of shape {shape}: rows must be an int, a slice, None or a list of ints, "
            f"not {type(row).__name__}"
        ) from None
    if not 0 <= r < shape[0]:
        raise IndexError(f"table {table!r} of shape {shape} has no row {r}")
    return Key(r, r + 1, single=True)


def checked(delta: Any, key: Key, table: str, shape: tuple[int, int], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An increment as an array (len(key), width) of the table's dtype. Raises ValueError or TypeError."""
    array = np.asarray(delta)
    if array.dtype != dtype:
        if not np.can_cast(array.dtype, dtype, "same_kind"):
            raise TypeError(f"table {table!r} holds {dtype}: an increment of {array.dtype} can't be added")
        array = array.astype(dtype)
    wanted = (len(key), shape[1])
    if array.shape != wanted and not (key.single and array.shape == wanted[1:]):
        raise ValueError(f"table {table!r} of shape {shape}: these rows take increments {wanted}, not {array.shape}")
    array = array.reshape(wanted)
    return array if array.flags.c_contiguous and array.flags.aligned else np.ascontiguousarray(array)
