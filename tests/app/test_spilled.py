"""A share beyond memory gives the very batches and chunks that one in memory gives, within its memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdfs_io import CSR, DataError, Dataset, Rows, Sample, load, scan
from yarnml.app import share as shares
from yarnml.app import spilled
from yarnml.app.batch import Batch
from yarnml.app.budget import fits, largest, most_rows
from yarnml.app.held import Held
from yarnml.app.plan import Plan, shuffled
from yarnml.app.spilled import Origin, Spilled
from yarnml.job import Part

N, FIRST, LAST = 700, 50, 690  # rows of the data set; the share's
SAMPLE = Sample(3, 0.0, 0.8)


@pytest.fixture(params=["dense", "sparse", "wide"])
def dataset(request: pytest.FixtureRequest, tmp_path: Path) -> Dataset:
    rng = np.random.default_rng(0)
    width = 5000 if request.param == "wide" else 9
    lines = []
    for i in range(N):
        if request.param == "dense":
            lines.append(",".join([*(f"{x:.3f}" for x in rng.random(4)), str(i % 3)]))
        else:
            at = np.sort(rng.choice(width, rng.integers(0, 6), replace=False)) + 1
            lines.append(" ".join([str(i % 3), *(f"{j}:{rng.random():.3f}" for j in at), f"{width + 1}:1"]))
    for part in range(3):  # of very different sizes
        rows = lines[(0, 30, 600)[part] : (30, 600, N)[part]]
        (tmp_path / f"part-{part}.{'csv' if request.param == 'dense' else 'svm'}").write_text("\n".join(rows) + "\n")
    return scan(str(tmp_path), label="class", piece=2000)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "CHUNK", 3000)


def pair(dataset: Dataset) -> tuple[Held, Spilled, Plan]:
    part = Part(dataset=dataset, sample=SAMPLE, rows=SAMPLE.count(N))
    held = Held(load(dataset, FIRST, LAST, SAMPLE), shares.chunk_rows(dataset))
    beyond = Spilled(Origin(part, FIRST, LAST, 2, 4000), lambda rows: shuffled(5, FIRST, rows))
    assert len(beyond) == len(held)
    return held, beyond, Plan(part.rows, len(held), 64, seed=5, first=FIRST)


def same_rows(a: Rows, b: Rows) -> None:
    same_matrix(a.X, b.X)
    for name in ("y", "weight", "number"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def same_matrix(a: Any, b: Any) -> None:
    if isinstance(a, CSR):
        assert a.width == b.width
        for name in ("indptr", "indices", "values"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    else:
        np.testing.assert_array_equal(a, b)


def same_batch(a: Batch, b: Batch) -> None:
    same_matrix(a.X, b.X)
    for name in ("y", "weight", "columns", "first", "rows", "epoch", "step", "steps"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("chunks_first", [False, True])
def test_batches_and_chunks_are_those_of_a_share_in_memory(dataset: Dataset, chunks_first: bool) -> None:
    held, beyond, plan = pair(dataset)
    if chunks_first:
        for _ in range(2):  # from its store both times, in the data set's order
            chunks = list(held.chunks()), list(beyond.chunks())
            assert len(chunks[0]) > 3
            for a, b in zip(*chunks, strict=True):
                same_rows(a, b)
    batches = [list(share.batches(plan, 0, 3 * plan.steps)) for share in (held, beyond)]
    assert len(batches[0]) == 3 * plan.steps
    for x, y in zip(*batches, strict=True):
        same_batch(x, y)
    for a, b in zip(held.chunks(), beyond.chunks(), strict=True):
        same_rows(a, b)


def test_batches_are_a_function_of_the_clock(dataset: Dataset) -> None:
    _, beyond, plan = pair(dataset)
    whole = list(beyond.batches(plan, 0, 2 * plan.steps))
    again = pair(dataset)[1]  # another process, after a recovery
    for a, b in zip(again.batches(plan, 7, 2 * plan.steps), whole[7:], strict=True):
        same_batch(a, b)


def test_a_pass_that_was_broken_off_is_begun_anew(dataset: Dataset) -> None:
    held, beyond, plan = pair(dataset)
    next(beyond.chunks())
    for a, b in zip(held.batches(plan, 0, plan.steps), beyond.batches(plan, 0, plan.steps), strict=True):
        same_batch(a, b)


def test_without_batches_rows_keep_their_order_and_are_parsed_once(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(dataset=dataset, sample=SAMPLE, rows=SAMPLE.count(N))
    beyond = Spilled(Origin(part, FIRST, LAST, 1, 4000), None)
    first = list(beyond.chunks())
    monkeypatch.setattr(spilled, "stream", lambda *_: pytest.fail("read from its store again"))
    for a, b in zip(first, beyond.chunks(), strict=True):
        same_rows(a, b)


def test_a_full_disk_is_named_before_anything_is_read(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "room", lambda _: 10_000)
    with pytest.raises(DataError, match=r"has room for 0 MiB, and .* TMPDIR"):
        next(pair(dataset)[1].chunks())


def test_an_empty_share_has_an_empty_chunk(dataset: Dataset) -> None:
    part = Part(dataset=dataset, sample=Sample.all(), rows=N)
    [rows] = Spilled(Origin(part, 9, 9, 1, 4000), None).chunks()
    assert len(rows) == 0


def test_all_workers_decide_alike(dataset: Dataset) -> None:
    part = Part(dataset=dataset, sample=Sample.all(), rows=N)
    size = largest(dataset, 3)
    assert size >= max(dataset.bytes_between(lo, hi) for lo, hi in ((0, 233), (233, 466), (466, 700)))
    assert fits(part, 3, 2 * size)
    assert not fits(part, 3, 2 * size - 1)
    assert fits(part, 3, None)
    assert most_rows(dataset, 3, 6 * dataset.row_bytes) == 3


def test_nothing_is_left_of_a_process_that_is_killed(tmp_path: Path) -> None:
    program = """
import sys, numpy as np
from hdfs_io import Rows
from hdfs_io.pile import Pile
pile = Pile(sys.argv[1])
pile.append(Rows(np.ones((1000, 10), np.float32), None, None, None, np.arange(1000)))
assert len(pile.read(10, 20)) == 10
print("written", flush=True)
sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"written\n"
    process.kill()
    process.communicate()
    assert os.listdir(tmp_path) == []
