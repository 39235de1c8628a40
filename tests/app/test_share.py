"""A share's batches hold its rows, with the columns they touch where those are few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random as random_matrix

from hdfs_io import CSR, Rows
from yarnml.app.plan import Plan
from yarnml.app.share import Share


def rows(X: np.ndarray | CSR) -> Rows:
    n = len(X)
    return Rows(X, np.arange(n, dtype=np.int32), np.arange(n, dtype=np.float32), None, np.arange(n) + 1000)


def sparse(n: int, width: int, density: float) -> CSR:
    S = random_matrix(n, width, density, "csr", dtype=np.float32, rng=np.random.default_rng(0))
    return CSR(S.indptr.astype(np.int64), S.indices.astype(np.int32), S.data, width)


def test_dense_batches_are_the_rows_shuffled_without_a_copy() -> None:
    X = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
    share = Share(rows(X), Plan(50, 50, 8, seed=1, first=0))
    seen = []
    for number in range(7):
        batch = share.batch(0, 0, number)
        assert batch.y is not None
        assert batch.weight is not None
        np.testing.assert_array_equal(batch.X, X[batch.y])
        np.testing.assert_array_equal(batch.weight, batch.y)
        np.testing.assert_array_equal(share.rows.number[batch.first : batch.first + len(batch)], batch.y + 1000)
        assert np.shares_memory(batch.X, share.rows.X)
        assert batch.columns is None
        assert batch.rows == pytest.approx(50 / 7)
        seen += batch.y.tolist()
    assert sorted(seen) == list(range(50))
    assert seen != list(range(50))


def test_wide_sparse_batches_name_the_columns_they_touch() -> None:
    X = sparse(60, 10_000, 0.001)
    share = Share(rows(X), Plan(60, 60, 20, seed=1, first=0))
    dense = X.to_scipy().toarray()
    for number in range(3):
        batch = share.batch(0, 0, number)
        assert isinstance(batch.X, CSR)
        assert batch.columns is not None
        assert batch.columns[-1] == 10_000
        assert batch.X.width == len(batch.columns) - 1
        np.testing.assert_array_equal(batch.X.to_scipy().toarray(), dense[batch.y][:, batch.columns[:-1]])
        assert share.batch(1, 0, number).X is batch.X  # cut once


@pytest.mark.parametrize(("width", "density"), [(100, 0.01), (5000, 0.2)])
def test_sparse_batches_that_touch_most_columns_take_all(width: int, density: float) -> None:
    batch = Share(rows(sparse(40, width, density)), Plan(40, 40, 20, seed=1, first=0)).batch(0, 0, 1)
    assert batch.columns is None
    assert isinstance(batch.X, CSR)
    assert batch.X.width == width


def test_an_empty_share_has_empty_batches() -> None:
    share = Share(rows(np.zeros((0, 3), np.float32)), Plan(10, 0, 4, seed=0, first=0))
    assert [len(share.batch(0, 0, number)) for number in range(3)] == [0, 0, 0]
