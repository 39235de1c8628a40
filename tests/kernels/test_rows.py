"""Row kernels against their numpy references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from yarnml.kernels import rows as kernels

RNG = np.random.default_rng(3)
ROWS = np.array([0, 3, 4, 9])


def table(dtype: str) -> np.ndarray[Any, Any]:
    return (100 * RNG.random((10, 3))).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_add_and_gather(dtype: str) -> None:
    ours, reference, delta = table(dtype), None, table(dtype)
    reference = ours.copy()
    kernels.add(ours, delta)
    kernels.add_numpy(reference, delta)
    np.testing.assert_array_equal(ours, reference)
    repeated = np.array([1, 1, 7, 0])
    kernels.add_rows(ours, repeated, delta[:4])
    kernels.add_rows_numpy(reference, repeated, delta[:4])
    np.testing.assert_array_equal(ours, reference)
    out, expected = np.empty((4, 3), dtype), np.empty((4, 3), dtype)
    kernels.gather(ours, repeated, out)
    kernels.gather_numpy(ours, repeated, expected)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("name", ["min_rows", "max_rows"])
def test_min_and_max(name: str, dtype: str) -> None:
    ours, delta = table(dtype), table(dtype)[:5]
    if dtype.startswith("float"):
        ours[7, 0] = delta[0, 1] = np.nan
    reference, repeated = ours.copy(), np.array([1, 1, 7, 0, 7])
    getattr(kernels, name)(ours, repeated, delta)
    getattr(kernels, f"{name}_numpy")(reference, repeated, delta)
    np.testing.assert_array_equal(ours, reference)


@pytest.mark.parametrize(
    ("rows", "low", "high"),
    [([], 0, 5), ([0, 4], 0, 5), ([0, 5], 0, 5), ([-1], 0, 5), ([2, 2], 0, 5), ([3, 2], 0, 5), ([3], 4, 5), ([], 5, 4)],
)
def test_increasing(rows: list[int], low: int, high: int) -> None:
    index = np.array(rows, np.int64)
    assert kernels.increasing(index, low, high) == kernels.increasing_numpy(index, low, high)


def test_increasing_tells() -> None:
    assert kernels.increasing(np.array([1, 2]), 1, 3)
    assert not kernels.increasing(np.array([2, 1]), 1, 3)
