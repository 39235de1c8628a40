"""Rows that workers take of each other: each is read once, in order, whoever comes first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdfs_io import (
    Dataset,
    LabelKind,
    Piece,
    ReadOptions,
    Roles,
    Rows,
    Sample,
    Schema,
    count,
    load,
    scan,
    span,
)
from tests.app.together import Together, together
from yarnml.app import splits as module
from yarnml.app.portion import Portion
from yarnml.app.spans import Span, merged, recorded
from yarnml.app.splits import counts, settled, splits, steals
from yarnml.comm.claims import Claims, Split
from yarnml.errors import DataError
from yarnml.job import Job, Part

LEAST = 500  # bytes


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST", LEAST)


def dense(folder: Path) -> tuple[ReadOptions, LabelKind]:
    for k in range(9):
        rows = (f"{i % 2},{k},{i},{i / 7}" for i in range(20 + 5 * k))
        (folder / f"{k}.csv").write_text("label,a,b,c\n" + "\n".join(rows) + "\n")
    return ReadOptions(), "class"


def sparse(folder: Path) -> tuple[ReadOptions, LabelKind]:
    for k in range(7):
        (folder / f"{k}.libsvm").write_text("".join(f"{i % 3} {k + 1}:{i + 1} 9:1\n" for i in range(30)))
    return ReadOptions(), "class"


def ratings(folder: Path) -> tuple[ReadOptions, LabelKind]:
    for k in range(6):
        rows = (f"u{(7 * i + k) % 11},{i % 5 + k},{i % 3}" for i in range(30))
        (folder / f"{k}.csv").write_text("user,item,rating\n" + "\n".join(rows) + "\n")
    return ReadOptions(roles=Roles(user="user", item="item", rating="rating")), "rating"


def job_of(dataset: Dataset, folder: Path, workers: int, **more: Any) -> Job:
    sample = Sample(3, 0.25, 1.0)
    part = Part(dataset=dataset, sample=sample, rows=count(dataset, sample))
    settings: dict[str, Any] = {"threads": 2, **more}
    return Job(run="run", runs=str(folder), app="any", train=part, workers=workers, steal=True, **settings)


def taken(
    job: Job,
    pace: Callable[[int], None] = lambda _: None,
    claimed: Callable[[int, Split | None], None] = lambda _worker, _split: None,
) -> list[Rows]:
    """By workers in threads; `pace(worker)` before each claim, and `claimed` after it."""
    claims, one = Claims(counts(job)), threading.Lock()

    def work(index: int, company: Together) -> Rows:
        asked = 0

        def claim(own: bool) -> Split | None:
            nonlocal asked
            pace(index)
            with one:
                asked += 1
                split = claims.take(index, asked - 1, own=own)
            claimed(index, split)
            return split

        share = Portion(job, index).take(claim, company.gather)
        return next(share.chunks())

    return together(job.workers, work)


def same(a: Rows, b: Rows) -> None:
    for name in ("number", "y"):
        assert np.array_equal(getattr(a, name), getattr(b, name))
    x, y = (rows.X if isinstance(rows.X, np.ndarray) else rows.X.to_scipy().toarray() for rows in (a, b))
    assert np.array_equal(x, y)
    for name in ("user", "item"):
        keys = [getattr(rows, name) for rows in (a, b)]
        if keys[0] is not None:
            assert keys[0].values[keys[0].codes].tolist() == keys[1].values[keys[1].codes].tolist()
            assert len(set(keys[0].values.tolist())) == len(keys[0].values)


@pytest.mark.parametrize("write", [dense, sparse, ratings])
@pytest.mark.parametrize("workers", [2, 3, 40])
def test_every_row_is_read_once(tmp_path: Path, write: Callable[..., Any], workers: int) -> None:
    (tmp_path / "data").mkdir()
    options, label = write(tmp_path / "data")
    dataset = scan(str(tmp_path / "data"), options, label=label)
    job = job_of(dataset, tmp_path, workers)
    ahead, claims = threading.Event(), 0  # worker 0 claims nothing before the others have twice

    def claimed(worker: int, _split: Split | None) -> None:
        nonlocal claims
        claims += worker > 0
        if claims >= 2:
            ahead.set()

    def pace(worker: int) -> None:
        assert worker or ahead.wait(10)

    found = taken(job, pace, claimed)
    numbers = np.concatenate([rows.number for rows in found])
    whole = load(dataset, 0, dataset.rows, job.train.sample)  # type: ignore[union-attr]
    assert np.array_equal(np.sort(numbers), whole.number)
    known = recorded(job)
    assert known is not None
    for index, rows in enumerate(found):
        same(rows, whole.take(np.isin(whole.number, rows.number)))
        again = next(Portion(job, index).share(job.train).chunks())  # type: ignore[arg-type]
        same(rows, again)
        assert Portion(job, index).counted()[1] == len(rows)
        assert all(any(lo <= n < hi for lo, hi in known[index]) for n in rows.number)


def test_who_has_no_room_leaves_others_theirs(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    options, label = dense(tmp_path / "data")
    dataset = scan(str(tmp_path / "data"), options, label=label)
    own = dataset.row_bytes * -(-dataset.rows // 2)
    job = job_of(dataset, tmp_path, 2, data_memory=2 * own + 2 * LEAST, threads=1)
    assert steals(job)
    done = threading.Event()  # worker 0 has been told that there is no more for it

    def claimed(worker: int, split: Split | None) -> None:
        if split is None:
            done.set()
        elif worker:
            done.wait(10)

    fast, slow = taken(job, claimed=claimed)
    assert len(fast) + len(slow) == job.train.rows  # type: ignore[union-attr]
    assert len(slow) > job.train.rows // 4  # type: ignore[union-attr]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(1, 5))
def test_splits_are_the_cut_of_the_rows(sizes: list[int], workers: int) -> None:
    pieces = tuple(Piece("a", k, k + 1, first_row=sum(sizes[:k]), rows=n) for k, n in enumerate(sizes))
    dataset = Dataset("a", ReadOptions(format="parquet"), Schema(False, 3), pieces, rows=sum(sizes))
    for worker, own in enumerate(splits(dataset, workers)):
        lo, hi = span(dataset.rows, worker, workers)
        assert merged(own) == ([(lo, hi)] if hi > lo else [])
        assert all(a < b for a, b in own)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data())
def test_what_nobody_has_read_is_its_owners(sizes: list[int], data: st.DataObject) -> None:
    own: list[list[Span]] = [[(10 * w + n, 10 * w + n + 1) for n in range(k)] for w, k in enumerate(sizes)]
    everything = [(w, n) for w, k in enumerate(sizes) for n in range(k)]
    reader = {split: data.draw(st.integers(-1, len(sizes) - 1)) for split in everything}
    claimed = [module.as_array(s for s in everything if reader[s] == w) for w in range(len(sizes))]
    held = settled(claimed, own)
    assert sorted(split for each in held for split in each) == everything
    for split, worker in reader.items():
        assert split in held[split[0] if worker < 0 else worker]


@pytest.mark.parametrize("text", ["", "{}", '{"spans": [[[0, 3]]]}', '{"spans": [[[0, 3]], [[3, 2]]]}', '{"spans": 3}'])
def test_a_record_that_is_broken(tmp_path: Path, text: str) -> None:
    (tmp_path / "data").mkdir()
    options, label = sparse(tmp_path / "data")
    job = job_of(scan(str(tmp_path / "data"), options, label=label), tmp_path, 2)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "splits.json").write_text(text)
    with pytest.raises(DataError, match=r"splits\.json: .*start the run anew"):
        recorded(job)
