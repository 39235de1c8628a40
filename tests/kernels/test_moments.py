"""Column sums equal numpy's, at any offset."""

from __future__ import annotations

import numpy as np

from yarnml.kernels.moments import moments, moments_reference


def test_moments_equal_numpy() -> None:
    X = (np.random.default_rng(0).standard_normal((1000, 7)) * 100 + 1e4).astype(np.float32)
    np.testing.assert_allclose(moments(X), moments_reference(X), rtol=1e-12)


def test_no_rows() -> None:
    np.testing.assert_array_equal(moments(np.zeros((0, 3), np.float32)), np.zeros((2, 3)))
