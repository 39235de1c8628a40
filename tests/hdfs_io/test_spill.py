"""Rows come back from disk in the order that was asked for, whatever the runs and groups."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdfs_io import CSR, DataError, Rows, joined
from hdfs_io.pile import Pile, spill_folder
from hdfs_io.spill import Spill


def made(n: int, seed: int, sparse: bool) -> Rows:
    rng = np.random.default_rng(seed)
    X: Any = rng.random((n, 3), np.float32)
    if sparse:
        counts = rng.integers(0, 4, n)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        X = CSR(indptr, rng.integers(0, 9, indptr[-1]).astype(np.int32), rng.random(indptr[-1], np.float32), 9)
    y = rng.integers(0, 5, n).astype(np.int32)
    return Rows(X, y, None if seed % 2 else rng.random(n, np.float32), None, np.arange(n) + 7)


def same(a: Rows, b: Rows) -> None:
    for name in ("y", "weight", "number"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    x, z = (rows.X.to_scipy().toarray() if isinstance(rows.X, CSR) else rows.X for rows in (a, b))
    np.testing.assert_array_equal(x, z)


@given(
    sizes=st.lists(st.integers(0, 20), min_size=1, max_size=6).filter(any),
    run=st.integers(1, 30),
    group=st.integers(1, 50),
    seed=st.integers(0, 99),
    sparse=st.booleans(),
)
@settings(deadline=None)
def test_rows_are_put_in_order(sizes: list[int], run: int, group: int, seed: int, sparse: bool) -> None:
    n = sum(sizes)
    rows, order = made(n, seed, sparse), np.random.default_rng(seed).permutation(n)
    spill, at = Spill(order, run, group, "/tmp"), 0
    for size in sizes:
        spill.append(rows.slice(at, at + size))
        at += size
    pile = spill.merged()
    assert len(pile) == n
    same(pile.read(0, n), rows.take(order))
    lo, hi = sorted(np.random.default_rng(seed).integers(0, n + 1, 2).tolist())
    same(pile.read(lo, hi), rows.take(order).slice(lo, hi))
    same(joined([pile.read(0, lo), pile.read(lo, n)]), rows.take(order))


def test_a_disk_that_fills_up_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(DataError, match=f"{tmp_path}: full, .* TMPDIR"):
        Pile(str(tmp_path)).append(made(5, 0, sparse=False))


def test_a_container_spills_to_its_own_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_DIRS", f"/nowhere,{tmp_path}")
    assert spill_folder() == str(tmp_path)
    monkeypatch.delenv("LOCAL_DIRS")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "mine"))
    assert spill_folder() == str(tmp_path / "mine")
