"""A worker that reads slowly, or dies over it, and others that take its rows: real processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.launch.children import children, role
from yarnml import checkpoints
from yarnml.app import load_app
from yarnml.app.splits import splits
from yarnml.errors import UsageError
from yarnml.job import Job
from yarnml.launch import Handle, LocalLauncher, Outcome
from yarnml.prepare import prepare
from yarnml.runs import RunDir, wait_for

WAIT = 100.0  # seconds
APP = str(Path(__file__).parent.parent / "taking")
ROWS, FILES, WIDTH = 24_000, 12, 100  # of about 10 MB
ALL = [ROWS, ROWS * (ROWS - 1) / 2]  # how many rows, and the sum of their numbers

MakeJob = Callable[..., Job]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("taking")
    X = np.random.default_rng(0).random((ROWS, WIDTH), np.float32)
    for k, part in enumerate(np.split(X, FILES)):
        columns = {f"f{j}": part[:, j] for j in range(WIDTH)}
        pq.write_table(pa.table({"y": part[:, 0], **columns}), folder / f"{k:02}.parquet")
    return str(folder)


@pytest.fixture
def make(data: str, tmp_path: Path) -> MakeJob:
    def make(**options: Any) -> Job:
        usual: dict[str, Any] = {"data": data, "label": "y", "workers": 2, "threads": 1, "runs": str(tmp_path / "runs")}
        if "resume" in options:
            usual = {"runs": usual["runs"]}
        RunDir.create(job := prepare(load_app(APP), {"steal": True, **usual, **options}))
        return job

    return make


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What worker 1 waits for; the names of the files beside it say who reads what."""
    folder = tmp_path / "gate"
    folder.mkdir()
    monkeypatch.setenv("GATE", str(folder / "open"))
    return folder / "open"


def begun(gate: Path, worker: int) -> int:
    """How many splits it has begun to read, in whatever processes."""
    return len([path for path in gate.parent.iterdir() if path.name.startswith(f"{worker}-")])


def started(job: Job) -> Handle:
    return LocalLauncher().start(job, lambda _: None)


def ended(handle: Handle) -> dict[str, Any]:
    outcome: Outcome | None = handle.wait(WAIT)
    assert outcome is not None
    assert outcome.ok, outcome.message
    assert children() == []
    assert outcome.result is not None
    return outcome.result


def learned(job: Job) -> list[float]:
    found: list[float] = np.load(f"{job.url}/model/sums.npy").ravel().tolist()
    return found


def spans(job: Job) -> list[list[list[int]]]:
    found: list[list[list[int]]] = json.loads(Path(job.url, "splits.json").read_text())["spans"]
    return found


def times(clocks: int) -> list[float]:
    return [clocks * x for x in ALL]


def test_the_slow_one_keeps_what_it_has_begun(make: MakeJob, gate: Path) -> None:
    job = make()
    own = splits(job.train.dataset, 2)  # type: ignore[union-attr]
    assert min(map(len, own)) > 2
    handle = started(job)
    assert wait_for(lambda: begun(gate, 0) == sum(map(len, own)) - 1, WAIT)
    gate.touch()
    result = ended(handle)
    (lo, hi), *_ = own[1]
    assert spans(job)[1] == [[lo, hi]]
    assert result["mine"] == [ROWS - (hi - lo), hi - lo]
    assert learned(job) == times(3)
    [note] = [note for note in result["notes"] if "--steal" in note]
    assert note.startswith(f"{(ROWS // 2 - (hi - lo)) / ROWS:.1%} of the rows were read by other workers")


@pytest.mark.parametrize("victim", [pytest.param(0, marks=pytest.mark.full), 1])
def test_one_dies_over_it(make: MakeJob, gate: Path, victim: int) -> None:
    """What it had taken is taken again, by whoever takes its place or comes first."""
    job = make()
    handle = started(job)
    assert wait_for(lambda: begun(gate, 0) > len(splits(job.train.dataset, 2)[0]), WAIT)  # type: ignore[union-attr]
    assert wait_for(lambda: begun(gate, 1) == 1, WAIT)
    [process] = children(*role("worker", victim))
    process.kill()
    assert wait_for(lambda: begun(gate, victim) >= 2 and children(*role("worker", victim)) not in ([], [process]), WAIT)
    gate.touch()
    assert ended(handle)["restarts"] == 1
    assert learned(job) == times(3)


@pytest.mark.full
def test_who_takes_a_place_later_reads_the_same(make: MakeJob, gate: Path) -> None:
    job = make(clocks=40, pause=0.1, checkpoint_every=0)
    clocks: dict[int, float] = {}
    handle = LocalLauncher().start(job, lambda report: clocks.update({report.worker: report.numbers.get("clock", 0)}))
    assert wait_for(lambda: begun(gate, 0) > len(splits(job.train.dataset, 2)[0]), WAIT)  # type: ignore[union-attr]
    gate.touch()
    assert wait_for(lambda: len(clocks) == 2 and min(clocks.values()) >= 2, WAIT)
    known = spans(job)
    [process] = children(*role("worker", 0))
    process.kill()
    result = ended(handle)
    assert result["restarts"] == 1
    assert spans(job) == known
    assert result["mine"] == [sum(hi - lo for lo, hi in each) for each in known]
    assert learned(job) == times(40)


def test_a_run_that_goes_on_reads_the_same(make: MakeJob, gate: Path) -> None:
    first = make(clocks=1000, pause=0.05, checkpoint_every=0.2, keeps=True)
    handle = started(first)
    assert wait_for(lambda: begun(gate, 0) > len(splits(first.train.dataset, 2)[0]), WAIT)  # type: ignore[union-attr]
    gate.touch()
    assert wait_for(lambda: checkpoints.latest(first.url) is not None, WAIT)
    handle.kill()
    handle.wait(WAIT)
    RunDir(first.url).end("killed")
    clock = checkpoints.latest(first.url)[1].clock  # type: ignore[index]
    second = make(resume=first.url, clocks=clock + 2, pause=0.0)
    result = ended(started(second))
    assert result["mine"] == [sum(hi - lo for lo, hi in each) for each in spans(first)]
    assert result["kept"]
    assert learned(second) == times(clock + 2)
    with pytest.raises(UsageError, match="--workers 3: with --steal what the app keeps of each row"):
        make(resume=first.url, workers=3)
    with pytest.raises(UsageError, match="--resume: its workers took rows of each other"):
        make(resume=first.url, steal=False)
