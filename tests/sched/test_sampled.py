"""Sampled rows: the same whoever reads them, within a bound of bytes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from hdfs_io import CSR, Rows
from tests.app.together import Together, together
from yarnml.sched import sampled

ROWS, WIDTH = 400, 12
RNG = np.random.default_rng(1)
DENSE = RNG.standard_normal((ROWS, WIDTH)).astype(np.float32)
SPARSE = csr_array(random_array((ROWS, WIDTH), density=0.2, rng=RNG, dtype=np.float32))


@dataclass
class Shape:
    width: int
    sparse: bool


class Reader:
    """A worker that has its span of the rows, in chunks."""

    def __init__(self, index: int, workers: int, company: Together | None, sparse: bool) -> None:
        self.seed, self.rows, self.schema = 3, ROWS, Shape(WIDTH, sparse)
        self.company, self.share = company, self
        self.lo, self.hi = ROWS * index // workers, ROWS * (index + 1) // workers

    def gather(self, x: Any) -> list[np.ndarray[Any, Any]]:
        return [x] if self.company is None else self.company.gather(x)

    def chunks(self) -> Any:
        for lo in range(self.lo, self.hi, 70):
            number = np.arange(lo, min(lo + 70, self.hi))
            X: Any = DENSE[number]
            if self.schema.sparse:
                part = SPARSE[number]
                X = CSR(part.indptr.astype(np.int64), part.indices.astype(np.int32), part.data, WIDTH)
            yield Rows(X, None, None, None, number)


def dense(X: Any) -> np.ndarray[Any, Any]:
    return X if isinstance(X, np.ndarray) else X.toarray()


@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_whoever_reads(sparse: bool) -> None:
    numbers = np.array([3, 0, 11])
    alone = dense(sampled(Reader(0, 1, None, sparse), rows=100).columns(numbers))
    assert 60 < len(alone) < 140
    for found in together(3, lambda i, company: sampled(Reader(i, 3, company, sparse), rows=100).columns(numbers)):
        np.testing.assert_array_equal(dense(found), alone)
    whole = SPARSE.toarray() if sparse else DENSE
    assert {row.tobytes() for row in alone} <= {row.tobytes() for row in whole[:, numbers]}


@pytest.mark.parametrize("sparse", [False, True])
def test_few_rows_are_all_taken_and_many_bytes_are_not(sparse: bool) -> None:
    every = np.arange(WIDTH)
    assert sampled(Reader(0, 1, None, sparse), rows=10_000).columns(every).shape == (ROWS, WIDTH)
    few = sampled(Reader(0, 1, None, sparse), memory=5000).columns(every)
    bytes_ = few.nbytes if isinstance(few, np.ndarray) else 8 * (few.nnz + few.shape[0])
    assert 3000 < bytes_ < 7000


def test_of_sparse_rows_as_many_are_taken_as_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("yarnml.sched.sampled"), "ROWS", 10)
    assert sampled(Reader(0, 1, None, True)).columns(np.arange(2)).shape == (ROWS, 2)
    assert len(dense(sampled(Reader(0, 1, None, False)).columns(np.arange(2)))) < 40
