"""Exchange: a worker's sums and its candidates for a later round, as one array of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from yarnml.errors import UsageError
from yarnml.sched.picks import Index

Array = NDArray[Any]
AXES = 4  # at most
ROWS = 2  # of candidates
HEAD = 8 * (2 + AXES + 1)  # kind of numbers, axes, their lengths, candidates


def packed(part: Array, candidates: Index) -> NDArray[np.uint8]:
    """Raises UsageError for a part of too many axes."""
    if part.ndim > AXES:
        raise UsageError(
            f"update returned an array of {part.ndim} axes; it may have {AXES}: reshape it, and back in apply"
        )
    head = np.zeros(HEAD // 8, np.int64)
    head[0] = np.frombuffer(part.dtype.str.encode().ljust(8), np.int64)[0]
    head[1], head[-1] = part.ndim, candidates.shape[1]
    head[2 : 2 + part.ndim] = part.shape
    return np.concatenate([_bytes(head), _bytes(candidates), _bytes(part)])


def unpacked(message: NDArray[np.uint8]) -> tuple[Array, Index]:
    """The part, and the candidates."""
    head = message[:HEAD].view(np.int64)
    middle = HEAD + 8 * ROWS * int(head[-1])
    candidates = message[HEAD:middle].view(np.int64).reshape(ROWS, -1)
    dtype = np.dtype(head[:1].tobytes().decode().strip())
    return message[middle:].view(dtype).reshape(head[2 : 2 + int(head[1])]), candidates


def _bytes(array: Array) -> NDArray[np.uint8]:
    found: NDArray[np.uint8] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return found
