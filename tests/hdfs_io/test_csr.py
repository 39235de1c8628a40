"""A CSR multiplies like the dense matrix that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import CSR

X = np.array([[0, 2, 0], [0, 0, 0], [1, 0, 3]], np.float32)
S = CSR(np.array([0, 1, 1, 3]), np.array([1, 0, 2], np.int32), np.array([2, 1, 3], np.float32), 3)


@pytest.mark.parametrize("V", [np.array([1.0, 2.0, 3.0], np.float32), np.arange(6, dtype=np.float64).reshape(3, 2)])
def test_products(V: np.ndarray) -> None:
    np.testing.assert_array_equal(S @ V, X @ V)
    np.testing.assert_array_equal(S.T @ V, X.T @ V)
    assert (S @ V).dtype == (X @ V).dtype


def test_a_matrix_of_another_height_is_refused() -> None:
    with pytest.raises(ValueError, match="dimension mismatch"):
        S @ np.ones(2)
