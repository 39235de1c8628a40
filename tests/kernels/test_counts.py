"""Counts: what isn't one is named with its row; tokens spell the counts out."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import CSR
from yarnml.errors import RowError
from yarnml.kernels.counts import counted, odd, odd_numpy, tokens

ROWS = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 0]], np.float32)


def test_tokens_of_dense_and_sparse_rows() -> None:
    X = counted(ROWS)
    begin, word = tokens(X)
    assert begin.tolist() == [0, 3, 3, 6]
    assert word.tolist() == [1, 1, 3, 0, 0, 0]
    assert counted(X) is X
    np.testing.assert_array_equal(X.to_scipy().toarray(), ROWS)


def test_no_rows() -> None:
    begin, word = tokens(counted(np.zeros((0, 3), np.float32)))
    assert (begin.tolist(), word.tolist()) == ([0], [])


@pytest.mark.parametrize("value", [-1.0, 0.5, 2.0**25, np.inf, np.nan])
def test_what_is_no_count_is_named(value: float) -> None:
    X = ROWS.copy()
    X[2, 3] = value
    with pytest.raises(RowError, match=r"row 2: holds .* of feature d: .* --features") as caught:
        counted(X, "abcd".__getitem__)
    assert caught.value.row == 2


def test_odd_equals_numpy() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.choice(np.array([0, 1, 7, 2.0**24], np.float32), 20)
        if rng.random() < 0.7:
            values[rng.integers(20)] = rng.choice([-1, 0.5, np.inf, np.nan])
        assert odd(values, np.float32(2**24)) == odd_numpy(values, np.float32(2**24))


def test_an_explicit_zero_makes_no_token() -> None:
    X = CSR(np.array([0, 2]), np.array([0, 1], np.int32), np.array([0, 2], np.float32), 2)
    assert tokens(counted(X))[1].tolist() == [1, 1]
