"""Runs of real processes over ZeroMQ, of which some are slow, some stopped for a while and some killed: the judge of
histories finds nothing, and finds what is broken on purpose."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.drive import Driver, Fault, faults
from tests.faults.nursery import Nursery
from tests.faults.part import Setting
from yarnml.comm import marks
from yarnml.comm.seat import Seat

FULL = pytest.mark.full
QUICK = (3, 8, 11)
TROUBLE = [Fault(at, "kill" if at % 20 == 0 else "pause", Seat("worker", 1)) for at in range(4, 50, 4)]

TROUBLED = ("Late", "Early", "Repeating")  # broken where somebody lags or dies


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints are named a little ahead of runs that are short."""
    monkeypatch.setattr(marks, "AHEAD", 0.3)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


def setting(folder: Path, seed: int, broken: str = "") -> Setting:
    """A third of the runs have a table without bound, whose workers can't be replaced."""
    (folder / "records").mkdir()
    rng = random.Random(seed)
    return Setting(
        workers=rng.randrange(2, 5), servers=rng.randrange(1, 4), clocks=60, free=seed % 3 == 0,
        delay=0.01 if broken in TROUBLED else 0.002, records=str(folder / "records"), broken=broken,
    )  # fmt: skip


@pytest.mark.parametrize("seed", [*QUICK, *(pytest.param(n, marks=FULL) for n in range(40) if n not in QUICK)])
def test_a_run_with_faults(nursery: Nursery, seed: int, tmp_path: Path) -> None:
    about = setting(tmp_path, seed)
    driver = Driver(nursery, about, faults(random.Random(seed), about, count=4), tmp_path)
    outcome = driver.run()
    assert outcome.ok, outcome
    assert driver.course.judge(about) > 100
    assert driver.course.checkpoints, "none was taken"
    assert driver.course.replaced or len(driver.course.begins) > 1, "nothing has happened"


def is_caught(nursery: Nursery, folder: Path, broken: str) -> bool:
    about = setting(folder, seed=1, broken=broken)
    driver = Driver(nursery, about, TROUBLE if broken in TROUBLED else [], folder)
    outcome = driver.run()
    assert outcome.ok, outcome
    try:
        driver.course.judge(about)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize(
    "broken",
    ["Doubling", *(pytest.param(name, marks=FULL) for name in ("Impatient", "Hasty", *TROUBLED))],
)
def test_the_judge_catches(nursery: Nursery, broken: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is broken need not show in the first run."""
    assert any(is_caught(nursery, tmp_path_factory.mktemp("run"), broken) for _ in range(4))
