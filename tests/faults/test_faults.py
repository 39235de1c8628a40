"""Runs of real processes over ZeroMQ, of which some are slow, some stopped for a while and some killed: the judge of
histories finds nothing, and finds what is broken on purpose."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.drive import Driver, faults
from tests.faults.nursery import Nursery
from tests.faults.part import Setting
from yarnml.comm import marks

QUICK = [3, 8, 11]


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


def driver(nursery: Nursery, folder: Path, seed: int, count: int = 4, broken: str = "") -> Driver:
    rng = random.Random(seed)
    (folder / "records").mkdir()
    setting = Setting(
        workers=rng.randrange(2, 4), servers=rng.randrange(1, 3), clocks=60, free=seed % 3 == 0, delay=0.002,
        records=str(folder / "records"), broken=broken,
    )  # fmt: skip
    return Driver(nursery, setting, faults(rng, setting, count), folder)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints are named a little ahead of runs that are short."""
    monkeypatch.setattr(marks, "AHEAD", 0.3)


def survives(nursery: Nursery, folder: Path, seed: int) -> Driver:
    run = driver(nursery, folder, seed)
    outcome = run.run()
    assert outcome.ok, outcome
    assert run.course.judge(run.setting) > 100
    print(seed, run.course)
    return run


@pytest.mark.parametrize("seed", QUICK)
def test_a_run_with_faults(nursery: Nursery, seed: int, tmp_path: Path) -> None:
    survives(nursery, tmp_path, seed)
