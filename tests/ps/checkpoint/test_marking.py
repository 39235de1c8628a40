"""A server's part in checkpoints: each that is wanted is written, or it is told why not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from yarnml.comm.company import LATE
from yarnml.ps import TableSpec
from yarnml.ps.checkpoint import marking
from yarnml.ps.checkpoint.files import Saved, write_shard
from yarnml.ps.checkpoint.marking import Marking
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.server.shard import Shard
from yarnml.ps.spec import resolve
from yarnml.wire.message import EndClock, Patch

SPECS = resolve([TableSpec("t", (4, 1), staleness=2)], 0)


class Server:
    """A shard with one worker, and what its coordinator wants and is told."""

    def __init__(self) -> None:
        self.shard = Shard(SPECS, server=0, servers=1, workers=1, seed=0)
        self.wanted: tuple[int, str] | None = None
        self.told: list[tuple[int, str]] = []
        self.clock = 0
        self.marking = Marking(self.shard.parts, lambda: self.wanted, self.tell)

    def tell(self, clock: int, error: str) -> None:
        self.told.append((clock, error))

    def end_clock(self) -> None:
        patch = Patch(0, 0, None, np.ones((4, 1), np.float32))
        self.shard.handle(EndClock(sender=0, seq=self.clock + 1, clock=self.clock, patches=(patch,)))
        self.clock += 1
        self.marking.turn()

    def want(self, clock: int, url: str) -> None:
        self.wanted = clock, url
        self.marking.look()

    def until(self, happened: Callable[[], bool]) -> None:
        end = monotonic() + 20
        while not happened():
            assert monotonic() < end
            self.marking.look()
            self.marking.turn()


def first(url: str, clock: int) -> float:
    return float(next(Saved(url, clock).chunks(SPECS[0], 0, 1)).values[0, 0])


def test_what_is_wanted_is_written_once(tmp_path: Path) -> None:
    server = Server()
    server.want(2, str(tmp_path / "2"))
    for _ in range(4):
        server.end_clock()
    server.until(lambda: bool(server.told))
    server.marking.look()
    server.marking.end()
    assert server.told == [(2, "")]
    assert first(str(tmp_path / "2"), 2) == 2


def test_late(tmp_path: Path) -> None:
    server = Server()
    for _ in range(3):
        server.end_clock()
    server.want(2, str(tmp_path / "2"))
    server.want(4, str(tmp_path / "4"))
    server.end_clock()
    server.until(lambda: len(server.told) == 2)
    assert server.told == [(2, LATE), (4, "")]
    assert first(str(tmp_path / "4"), 4) == 4
    assert not (tmp_path / "2").exists()


def test_a_store_that_fails_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    server = Server()
    server.want(0, str(tmp_path / "file" / "0"))
    server.until(lambda: bool(server.told))
    ((clock, error),) = server.told
    assert clock == 0
    assert "file" in error
    server.want(1, str(tmp_path / "1"))
    server.end_clock()
    server.until(lambda: len(server.told) == 2)
    assert server.told[1] == (1, "")


def test_one_that_is_given_up_is_not_written(tmp_path: Path) -> None:
    server = Server()
    server.want(1, str(tmp_path / "1"))
    server.wanted = None
    server.marking.look()
    server.end_clock()
    server.marking.end()
    assert server.told == []
    assert not (tmp_path / "1").exists()


def test_the_next_one_waits_for_the_one_that_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()

    def slow(url: str, snapshot: Snapshot) -> None:
        assert go.wait(20)
        write_shard(url, snapshot)

    monkeypatch.setattr(marking, "write_shard", slow)
    server = Server()
    server.want(0, str(tmp_path / "0"))
    server.marking.turn()
    server.want(3, str(tmp_path / "3"))
    server.end_clock()
    assert server.told == []
    go.set()
    server.until(lambda: server.told == [(0, "")])
    server.marking.look()
    for _ in range(3):
        server.end_clock()
    server.until(lambda: len(server.told) == 2)
    assert first(str(tmp_path / "0"), 0) == 0, "nothing of what was added while it was written"
    assert first(str(tmp_path / "3"), 3) == 3
