"""Kernels of adaptive steps against their numpy references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from yarnml.kernels import steps as kernels

RNG = np.random.default_rng(3)
ROWS = np.array([0, 3, 4, 9])
Array = np.ndarray[Any, Any]


def table(dtype: str) -> Array:
    return RNG.normal(size=(10, 3)).astype(dtype)


def close(ours: list[Array], reference: list[Array]) -> None:
    digits = {"rtol": 1e-4, "atol": 1e-5} if ours[0].dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    for a, b in zip(ours, reference, strict=True):
        np.testing.assert_allclose(a, b, **digits)  # type: ignore[call-overload]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adagrad(dtype: str) -> None:
    w, g, G = table(dtype), table(dtype), np.zeros((10, 3), dtype)
    w_, G_ = w.copy(), G.copy()
    for _ in range(3):
        kernels.adagrad(w, G, g, 0.1, 0.01, 1e-8)
        kernels.adagrad_numpy(w_, G_, g, 0.1, 0.01, 1e-8)
        kernels.adagrad_rows(w, G, ROWS, g[:4], 0.1, 0.01, 1e-8)
        kernels.adagrad_rows_numpy(w_, G_, ROWS, g[:4], 0.1, 0.01, 1e-8)
    close([w, G], [w_, G_])


@pytest.mark.parametrize("share", [1.0, 0.25])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adam(dtype: str, share: float) -> None:
    w, m, v, t = table(dtype), np.zeros((10, 3), dtype), np.zeros((10, 3), dtype), np.zeros((10, 1))
    w_, m_, v_, t_ = w.copy(), m.copy(), v.copy(), t.copy()
    for _ in range(5):
        g = table(dtype)[:4]
        kernels.adam_rows(w, m, v, t, ROWS, g, 0.1, 0.9, 0.99, 1e-8, share)
        kernels.adam_rows_numpy(w_, m_, v_, t_, ROWS, g, 0.1, 0.9, 0.99, 1e-8, share)
    close([w, m, v, t], [w_, m_, v_, t_])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adarevision(dtype: str) -> None:
    w, S, z, zmax = table(dtype), np.zeros((10, 3), dtype), np.ones((10, 3), dtype), np.ones((10, 3), dtype)
    w_, S_, z_, zmax_ = w.copy(), S.copy(), z.copy(), zmax.copy()
    seen = np.zeros((4, 3), dtype)
    for _ in range(5):
        g = table(dtype)[:4]
        kernels.adarevision_rows(w, S, z, zmax, ROWS, g, seen, 0.1)
        kernels.adarevision_rows_numpy(w_, S_, z_, zmax_, ROWS, g, seen, 0.1)
    close([w, S, z, zmax], [w_, S_, z_, zmax_])


def test_consecutive_rows_as_a_list() -> None:
    assert kernels.listed(slice(2, 5)).tolist() == [2, 3, 4]
    assert kernels.listed(ROWS) is ROWS
