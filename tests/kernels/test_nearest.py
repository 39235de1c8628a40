"""Nearest centres and group sums equal numpy's, for dense and sparse rows and any number of threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hdfs_io import CSR
from yarnml.kernels.crew import Crew
from yarnml.kernels.nearest import nearest, nearest_reference, regroup


def csr(X: np.ndarray) -> CSR:
    S = csr_matrix(X)
    return CSR(S.indptr.astype(np.int64), S.indices.astype(np.int32), S.data, X.shape[1])


@pytest.fixture(params=[1, 3])
def crew(request: pytest.FixtureRequest) -> Iterator[Crew]:
    crew = Crew(request.param)
    yield crew
    crew.close()


@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (5000, 4, 3), (1500, 30, 17)])
def test_nearest_equals_numpy(n: int, d: int, k: int, crew: Crew) -> None:
    rng = np.random.default_rng(n)
    X, C = rng.standard_normal((n, d)).astype(np.float32), rng.standard_normal((k, d)).astype(np.float32)
    label, distance = nearest_reference(X, C)
    for rows in (X, csr(X)):
        ours, squared = nearest(rows, C, crew)
        np.testing.assert_array_equal(ours, label)
        np.testing.assert_allclose(squared, distance, rtol=1e-4, atol=1e-4)


def test_far_from_zero_near_each_other(crew: Crew) -> None:
    rng = np.random.default_rng(5)
    C = (rng.standard_normal((6, 3)) * 3 + 1e5).astype(np.float32)
    X = (C[rng.integers(0, 6, 3000)] + rng.standard_normal((3000, 3)) / 8).astype(np.float32)
    label, distance = nearest_reference(X, C)
    ours, squared = nearest(X, C, crew)
    np.testing.assert_array_equal(ours, label)
    np.testing.assert_allclose(squared, distance, rtol=1e-4, atol=1e-4)


def test_equal_centres_go_to_the_first(crew: Crew) -> None:
    label, distance = nearest(np.ones((3, 2), np.float32), np.ones((4, 2), np.float32), crew)
    assert label.tolist() == [0, 0, 0]
    assert distance.tolist() == [0, 0, 0]


@pytest.mark.parametrize("weighted", [False, True])
def test_regroup_changes_sums_to_those_of_the_new_groups(weighted: bool, crew: Crew) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((2000, 5)).astype(np.float32)
    w = rng.random(2000).astype(np.float32) if weighted else None
    old, new = rng.integers(-1, 4, 2000).astype(np.int32), rng.integers(0, 4, 2000).astype(np.int32)

    def sums(group: np.ndarray) -> np.ndarray:
        weight = np.ones(2000) if w is None else w.astype(float)
        rows = np.column_stack([X * weight[:, None], weight])
        return np.stack([rows[group == g].sum(axis=0) for g in range(4)])

    for rows in (X, csr(X)):
        change, moved = regroup(rows, w, old, new, 4, crew)
        np.testing.assert_allclose(sums(old) + change, sums(new), atol=1e-8)
        assert moved == (old != new).sum()
