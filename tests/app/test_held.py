"""The batches of a share in memory hold its rows, with the columns they touch where those are few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random as random_matrix

from hdfs_io import CSR, Rows
from yarnml.app.batch import Batch
from yarnml.app.held import Held
from yarnml.app.plan import Plan


def rows(X: np.ndarray | CSR) -> Rows:
    n = len(X)
    return Rows(X, np.arange(n, dtype=np.int32), np.arange(n, dtype=np.float32), None, np.arange(n) + 1000)


def sparse(n: int, width: int, density: float) -> CSR:
    S = random_matrix(n, width, density, "csr", dtype=np.float32, rng=np.random.default_rng(0))
    return CSR(S.indptr.astype(np.int64), S.indices.astype(np.int32), S.data, width)


def batches(share: Held, plan: Plan, epochs: int = 1) -> list[Batch]:
    return list(share.batches(plan, 0, epochs * plan.steps))


def test_dense_batches_are_the_rows_shuffled_without_a_copy() -> None:
    X = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
    share = Held(rows(X), 10)
    seen = []
    for batch in batches(share, Plan(50, 50, 8, seed=1, first=0)):
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
    found = batches(Held(rows(X), 10), Plan(60, 60, 20, seed=1, first=0), epochs=2)
    dense = X.to_scipy().toarray()
    for batch in found[:3]:
        assert isinstance(batch.X, CSR)
        assert batch.columns is not None
        assert batch.columns[-1] == 10_000
        assert batch.X.width == len(batch.columns) - 1
        np.testing.assert_array_equal(batch.X.to_scipy().toarray(), dense[batch.y][:, batch.columns[:-1]])
        assert any(later.X is batch.X for later in found[3:])  # cut once


@pytest.mark.parametrize(("width", "density"), [(100, 0.01), (5000, 0.2)])
def test_sparse_batches_that_touch_most_columns_take_all(width: int, density: float) -> None:
    batch = batches(Held(rows(sparse(40, width, density)), 10), Plan(40, 40, 20, seed=1, first=0))[1]
    assert batch.columns is None
    assert isinstance(batch.X, CSR)
    assert batch.X.width == width


def test_an_empty_share_has_empty_batches() -> None:
    share = Held(rows(np.zeros((0, 3), np.float32)), 10)
    assert list(map(len, share.chunks())) == [0]
    assert list(map(len, batches(share, Plan(10, 0, 4, seed=0, first=0)))) == [0, 0, 0]


@pytest.mark.parametrize(
    "X", [np.arange(60, dtype=np.float32).reshape(20, 3), sparse(20, 30, 0.2)], ids=["dense", "csr"]
)
def test_a_share_begins_anew_as_it_was(X: np.ndarray | CSR) -> None:
    share, plan = Held(rows(X), 10), Plan(20, 20, 6, seed=1, first=0)
    first = [batch.y for batch in batches(share, plan)]
    share.renew()
    assert share.rows.number.tolist() == list(range(1000, 1020))
    for before, after in zip(first, batches(share, plan), strict=True):
        assert before is not None
        np.testing.assert_array_equal(before, after.y)
