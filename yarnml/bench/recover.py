"""Recovery: seconds from a kill -9 until a run is past that clock, beside starting it anew; what checkpoints cost."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, final

from yarnml.app import load_app
from yarnml.bench.row import Row
from yarnml.comm.effects import Report, Say, Setback
from yarnml.errors import RunFailed
from yarnml.launch import LocalLauncher
from yarnml.prepare import prepare
from yarnml.runs import RunDir

VICTIMS = {
    "worker": "yarnml.launch.role --role worker --index 1",
    "server": "yarnml.launch.role --role server --index 0",
    "scheduler": "yarnml.launch.scheduling",
}
AT = 600  # the clock at which is killed
CLOCKS = 1200  # of a whole run
PATIENCE = 300.0  # seconds that a run may take at most


def run(quick: bool = False) -> list[Row]:
    """mlr on the digits, 2 workers and 2 servers, checkpoints each half second; medians of three, or one if `quick`."""
    rounds = 1 if quick else 3
    with TemporaryDirectory() as folder:
        Watched(folder, checkpoint_every=0.0).whole()  # compiles what isn't in numba's cache yet
        anew = median(Watched(folder, checkpoint_every=0.5).until(AT) for _ in range(rounds))
        rows = []
        for victim in VICTIMS:
            took = median(Watched(folder, checkpoint_every=0.5).after(victim) for _ in range(rounds))
            rows.append(Row(f"{victim} lost, s to get past", took, anew, took / anew, "<= 1.5", took <= 1.5 * anew))
        pairs = [[Watched(folder, checkpoint_every=every).whole() for every in (0.5, 0.0)] for _ in range(rounds)]
    cost = median(kept / bare for kept, bare in pairs)
    kept, bare = (median(pair[i] for pair in pairs) for i in (0, 1))
    return [*rows, Row("training, checkpoints each 0.5 s, s", kept, bare, cost, "<= 1.1", cost <= 1.1)]


@final
class Watched:
    """A run whose slowest clock is known as it goes."""

    def __init__(self, folder: str, **options: Any) -> None:
        usual: dict[str, Any] = {"workers": 2, "servers": 2, "threads": 1, "batch": 256, "epochs": -(-CLOCKS // 6)}
        self._job = prepare(load_app("mlr"), {**usual, "runs": folder, **options})
        RunDir.create(self._job)
        self._clocks = [-1.0] * self._job.workers
        self._heard = True
        self._moved = threading.Condition()
        self._began = time.perf_counter()
        self._handle = LocalLauncher().start(self._job, self._take, self._hear)

    def whole(self) -> float:
        """Seconds of training of the whole run, without what processes take to start."""
        outcome = self._handle.wait()
        if not outcome.ok:
            raise RunFailed(outcome.message)
        return float((outcome.result or {})["seconds"]["train"])

    def until(self, clock: float) -> float:
        """Seconds from the start until the slowest worker is past `clock`; then the run is ended."""
        self._wait(clock)
        took = time.perf_counter() - self._began
        self._handle.kill()
        self._handle.wait()
        return took

    def after(self, victim: str) -> float:
        """Seconds from the kill of one process until the slowest worker is past its clock; then the run is ended."""
        self._wait(AT)
        with self._moved:
            clock = max(self._clocks)
            self._heard = False
        self._began = time.perf_counter()
        os.kill(process(VICTIMS[victim], self._job.url), signal.SIGKILL)
        return self.until(clock)

    def _take(self, report: Report) -> None:
        if report.role == "worker" and "clock" in report.numbers:
            with self._moved:
                self._clocks[report.worker] = report.numbers["clock"]
                self._moved.notify()

    def _hear(self, _: Say | Setback) -> None:
        """The loss is seen: what workers had reported until then doesn't count."""
        with self._moved:
            self._heard = True
            self._clocks = [-1.0] * len(self._clocks)

    def _wait(self, clock: float) -> None:
        with self._moved:
            there = self._moved.wait_for(
                lambda: self._handle.done or (self._heard and min(self._clocks) > clock), PATIENCE
            )
        if not there or self._handle.done:
            outcome = self._handle.wait() if self._handle.done else None
            raise RunFailed(f"the run didn't come past clock {clock:g}: {outcome}")


def process(words: str, url: str) -> int:
    """The number of the process of the run at `url` whose command has these words."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            except OSError:  # it has ended
                continue
            if url in command and words in command.replace(f"--job {url}/job.json ", ""):
                return int(entry.name)
    raise RunFailed(f"no process {words} of {url}")
