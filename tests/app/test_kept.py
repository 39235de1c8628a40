"""What workers keep: written by some, read by as many or others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnml.app.keeping import Keeping
from yarnml.app.kept import Part, read, restored
from yarnml.comm.company import Company
from yarnml.errors import DataError, UsageError


class Quiet(Company):
    """Notes what is marked."""

    def __init__(self) -> None:
        self.said: list[tuple[int, str]] = []

    def gather(self, array: Any) -> list[Any]:
        return [array]

    def check(self) -> None: ...

    def report(self, numbers: dict[str, float]) -> None: ...

    def marked(self, clock: int, error: str = "") -> None:
        self.said.append((clock, error))


def nothing(_: str) -> None: ...


def cut(rows: int, worker: int, workers: int) -> tuple[int, int]:
    return worker * rows // workers, (worker + 1) * rows // workers


@given(rows=st.integers(0, 40), before=st.integers(1, 4), after=st.integers(1, 4))
def test_state_by_rows_is_shared_out_again(
    tmp_path_factory: pytest.TempPathFactory, rows: int, before: int, after: int
) -> None:
    url = str(tmp_path_factory.mktemp("kept"))
    whole = np.arange(3 * rows).reshape(rows, 3)
    for worker in range(before):
        lo, hi = cut(rows, worker, before)
        Part(worker, before, hi - lo, {"own": whole[lo:hi]}, {"own": "rows"}, {"passes": 1}).write(url)
    for worker in range(after):
        lo, hi = cut(rows, worker, after)
        part = restored(url, worker, after, lo, hi - lo)
        assert np.array_equal(part.state["own"], whole[lo:hi])
        assert part.frame == {"passes": 1}


def test_state_of_a_worker_stays_with_as_many(tmp_path: Path) -> None:
    for worker in (0, 1):
        Part(worker, 2, 0, {"own": np.array([worker])}, {"own": "worker"}).write(str(tmp_path))
    assert restored(str(tmp_path), 1, 2, 0, 0).state["own"] == [1]
    with pytest.raises(
        UsageError, match=r"--workers 3: state 'own' of this app belongs to a worker, .* with --workers 2"
    ):
        restored(str(tmp_path), 0, 3, 0, 0)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_what_is_the_same_on_all_is_written_once_and_read_by_any(tmp_path: Path, workers: int) -> None:
    for worker in (0, 1):
        Part(worker, 2, 0, {"own": np.arange(3)}, {"own": "all"}).write(str(tmp_path))
    assert not read(str(tmp_path), 1).state
    for worker in range(workers):
        assert restored(str(tmp_path), worker, workers, 0, 0).state["own"].tolist() == [0, 1, 2]


def test_other_rows_are_refused(tmp_path: Path) -> None:
    for worker in (0, 1):
        Part(worker, 2, 5, {"own": np.zeros(5)}, {"own": "rows"}).write(str(tmp_path))
    for workers, first, rows in ((2, 6, 6), (3, 8, 4)):
        with pytest.raises(UsageError, match="goes by the rows that are trained on"):
            restored(str(tmp_path), workers - 1, workers, first, rows)


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04 and no more"])
def test_a_broken_part_is_named(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "worker-0.npz").write_bytes(text)
    with pytest.raises(DataError, match=r"worker-0.npz: is broken"):
        read(str(tmp_path), 0)
    with pytest.raises(DataError, match=r"worker-1.npz: no such file"):
        read(str(tmp_path), 1)


def test_rows_are_written_in_the_data_sets_order_whatever_theirs_is(tmp_path: Path) -> None:
    company = Quiet()
    keeping = Keeping(company)
    own = keeping.array("own", lambda: np.array([10, 11, 12, 13]), "rows")
    keeping.shuffle(lambda: np.array([2, 0, 3, 1]))
    assert own.tolist() == [12, 10, 13, 11]
    keeping.write(7, str(tmp_path), Part(0, 1, 4), nothing)
    own[:] = 0  # what is written was copied
    keeping.wait()
    assert company.said == [(7, "")]
    again = Keeping(company)
    again.restore(read(str(tmp_path), 0))
    again.shuffle(lambda: np.array([2, 0, 3, 1]))
    assert again.array("own", lambda: np.zeros(4), "rows").tolist() == [12, 10, 13, 11]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    company = Quiet()
    keeping = Keeping(company)
    (tmp_path / "file").write_text("no directory")
    keeping.write(7, str(tmp_path / "file"), Part(0, 1, 0), nothing)
    keeping.wait()
    [(clock, error)] = company.said
    assert clock == 7
    assert "can't be written" in error


def test_it_begins_as_an_array_or_with_a_function_that_makes_one() -> None:
    keeping, init = Keeping(Quiet()), np.zeros(3)
    own = keeping.array("own", init, "worker")
    own += 1
    assert keeping.array("own", init, "worker").tolist() == [1, 1, 1]
    assert init.tolist() == [0, 0, 0]
    assert keeping.array("made", lambda: np.ones(2), "worker").tolist() == [1, 1]


@pytest.mark.parametrize(
    ("init", "what"),
    [(3, "a int"), (lambda: 0.5, "a float"), ([0, 1], "a list"), (np.array(["a", None]), "an array of object")],
)
def test_it_begins_as_nothing_else(init: Any, what: str) -> None:
    with pytest.raises(UsageError, match=rf"me.state\('own', ...\) begins with {what}; say a numpy array"):
        Keeping(Quiet()).array("own", init, "worker")
