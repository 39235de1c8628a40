"""Over all workers every row is read exactly once and in order, whatever the format, the files and the cuts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hdfs_io import (
    CSR,
    Dataset,
    ReadOptions,
    Roles,
    Rows,
    Sample,
    count,
    join,
    joined,
    load,
    open_writer,
    part_name,
    read_arrow,
    remove,
    scan,
    span,
    stream,
)
from hdfs_io.stream import regrid

OPTIONS = ReadOptions(roles=Roles(label="label", id="id"))


@dataclass(frozen=True)
class Plan:
    """A data set and how it is read."""

    format: str
    sizes: list[int]  # rows of each file
    workers: int
    piece: int  # bytes
    threads: int
    keep: int  # bytes
    seed: int


PLANS = st.builds(
    Plan,
    format=st.sampled_from(["libsvm", "csv", "parquet"]),
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=5).filter(any),
    workers=st.integers(1, 7),
    piece=st.integers(20, 600),
    threads=st.integers(1, 2),
    keep=st.sampled_from([0, 1000, 1 << 30]),
    seed=st.integers(0, 2**32),
)


def written(plan: Plan, url: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Write random rows; returns the features and labels."""
    rng = np.random.default_rng(plan.seed)
    n = sum(plan.sizes)
    X = (rng.normal(size=(n, 4)) * (rng.random((n, 4)) < 0.6)).astype(np.float32)
    X[:, 3] = 1  # the width is seen whatever the rows
    y = rng.integers(0, 3, n)
    at = 0
    for k, size in enumerate(plan.sizes):
        part = slice(at, at + size)
        columns = {"label": y[part], **{f"f{j}": X[part, j] for j in range(4)}}
        if plan.format != "libsvm":
            columns["id"] = np.array([f"row\n{i}" if i % 3 else f"r{i}" for i in range(at, at + size)], object)
        with open_writer(join(url, part_name(k, plan.format)), plan.format) as writer:
            writer.write({name: pa.array(values) for name, values in columns.items()})
        at += size
    return X, y


def scanned(plan: Plan, url: str) -> Dataset:
    options = OPTIONS if plan.format != "libsvm" else ReadOptions()
    dataset = scan(url, options, label="class", piece=plan.piece, keep=plan.keep, threads=plan.threads)
    return dataset if plan.keep else Dataset.from_json(dataset.to_json())


def shares(plan: Plan, dataset: Dataset, sample: Sample) -> Iterator[Rows]:
    for worker in range(plan.workers):
        yield load(dataset, *span(dataset.rows, worker, plan.workers), sample, threads=plan.threads)


def dense(rows: Rows) -> np.ndarray[Any, Any]:
    return rows.X.to_scipy().toarray() if isinstance(rows.X, CSR) else rows.X


def streamed_alike(part: Rows, runs: list[Rows], size: int) -> None:
    """The same rows in runs of `size`, the last one of fewer."""
    assert [len(run) for run in runs] == [min(size, len(part) - at) for at in range(0, len(part), size)]
    if not runs:
        return
    whole = joined(runs)
    assert np.array_equal(dense(whole), dense(part))
    assert whole.y is not None
    assert part.y is not None
    assert whole.y.tolist() == part.y.tolist()
    assert whole.number.tolist() == part.number.tolist()


def check(plan: Plan, store: str = "memory://") -> None:
    url = f"{store}{uuid4().hex}"
    try:
        X, y = written(plan, url)
        dataset = scanned(plan, url)
        assert dataset.rows == len(X)
        for low, high in ((0.0, 1.0), (0.0, 0.3), (0.3, 1.0)):
            sample = Sample(plan.seed, low, high)
            mask = sample.mask(0, len(X))
            parts = list(shares(plan, dataset, sample))
            assert np.concatenate([p.number for p in parts]).tolist() == np.flatnonzero(mask).tolist()
            assert np.array_equal(np.concatenate([dense(p) for p in parts]), X[mask])
            assert dataset.schema.label is not None
            classes = np.array(dataset.schema.label.classes)
            codes = [p.y for p in parts if p.y is not None]
            assert classes[np.concatenate(codes)].tolist() == y[mask].tolist()
            assert count(dataset, sample) == int(mask.sum())
            if plan.format != "libsvm":
                ids = np.concatenate([p.id for p in parts if p.id is not None])
                assert ids.tolist() == [f"row\n{i}" if i % 3 else f"r{i}" for i in np.flatnonzero(mask)]
            for worker, part in enumerate(parts):
                runs = stream(dataset, *span(dataset.rows, worker, plan.workers), sample, plan.threads)
                streamed_alike(part, list(regrid(runs, plan.seed % 40 + 1)), plan.seed % 40 + 1)
        spans = (span(dataset.rows, worker, plan.workers) for worker in range(plan.workers))
        raw = [
            label for lo, hi in spans for table in read_arrow(dataset, lo, hi, ["label"]) for label in table["label"]
        ]
        assert [label.as_py() for label in raw] == y.tolist()
    finally:
        remove(url)


@given(PLANS)
@settings(deadline=None, max_examples=60)
def test_rows_read_are_rows_written(plan: Plan) -> None:
    check(plan)


@pytest.mark.hadoop
@pytest.mark.timeout(600)
@pytest.mark.parametrize("place", ["hdfs"], indirect=True)
@given(plan=PLANS)
@settings(deadline=None, max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_read_are_rows_written_to_hdfs(place: str, plan: Plan) -> None:
    check(plan, f"{place}/")


@pytest.mark.full
@pytest.mark.timeout(1200)
@given(PLANS)
@settings(deadline=None, max_examples=2000)
def test_rows_read_are_rows_written_in_full(plan: Plan) -> None:
    check(plan)
