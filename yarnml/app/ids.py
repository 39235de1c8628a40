"""Ids: those of all workers' rows, told to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from yarnml.app.worker import Worker


def gather_ids(me: Worker, ids: NDArray[Any]) -> list[NDArray[Any]]:
    """Every worker's ids, whole numbers or words, in the workers' order; none of a worker that has none."""
    return [_words(each) if len(each) else ids[:0] for each in me.gather(_numbers(ids))]


def _numbers(ids: NDArray[Any]) -> NDArray[Any]:
    """What can be gathered: words as their letters' numbers, (ids, letters)."""
    return ids.view(np.uint32).reshape(len(ids), ids.itemsize // 4) if ids.dtype.kind == "U" else ids


def _words(ids: NDArray[Any]) -> NDArray[Any]:
    """The same back."""
    return np.ascontiguousarray(ids).view(f"U{ids.shape[1]}").ravel() if ids.dtype == np.uint32 else ids
