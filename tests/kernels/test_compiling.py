"""What is compiled is told once; what was compiled before, and what isn't ours, is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from yarnml.kernels.compiling import told


def kernel(module: str) -> Any:
    """A new one, which nothing was kept of, as if it were of that module."""

    def twice(x: float) -> float:
        return 2 * x

    twice.__module__ = module
    return njit(twice)


def test_told_once() -> None:
    said: list[str] = []
    first, second = kernel("yarnml.kernels.x"), kernel("hdfs_io.y")
    with told(said.append):
        assert (first(1.5), second(2.0)) == (3, 4)
        first(np.float32(1))
    assert len(said) == 1
    assert said[0].startswith("compiling kernels, once on each machine")


def test_not_told() -> None:
    said: list[str] = []
    known = kernel("yarnml.kernels.x")
    known(1.0)
    with told(said.append):
        known(2.0)
        kernel("somebody.else")(1.0)
    kernel("yarnml.kernels.z")(1.0)
    assert not said
