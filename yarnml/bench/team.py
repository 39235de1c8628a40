"""A team: a server and workers as processes that solve one problem, and how its loss fell with time and bytes.

Computing is emulated: a clock lasts as long as it is said to, whatever the machine is doing, as if each worker had
cores of its own. What it reads, computes and sends is real.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from yarnml.bench.learning import F32, PROBLEMS, Problem
from yarnml.comm.company import Alone
from yarnml.ps import Client, Tables, TableSpec, connect, serve
from yarnml.ps.managed import Managed
from yarnml.wire.zmq import ZmqTransport

LIMIT = 300.0  # s for all of it


@final
@dataclass(frozen=True, kw_only=True)
class Trial:
    """`clock`: seconds that one takes; `slow`: the part of a worker's clocks, at random, that take `times` as long.

    `bandwidth`: bytes a second that a process may send; in managed communication by `order`, else ("clock") each
    clock's increments as it ends, and then the worker waits.
    """

    problem: str
    staleness: int | None
    clocks: int
    clock: float
    workers: int = 4
    slow: float = 0.0
    times: float = 1.0
    bandwidth: float | None = None
    order: str = "clock"

    @property
    def managed(self) -> Managed | None:
        if self.bandwidth is None or self.order == "clock":
            return None
        return Managed(bandwidth=self.bandwidth, order=self.order)  # type: ignore[arg-type]

    def seconds(self, worker: int, clock: int) -> float:
        """How long a worker computes in a clock."""
        slow = np.random.default_rng([7, worker, clock]).random() < self.slow
        return self.clock * (self.times if slow else 1.0)


@final
@dataclass(frozen=True)
class Curve:
    """What worker 0 saw at the ends of its clocks, and what the others had sent and received by then."""

    seconds: NDArray[np.float64]
    loss: NDArray[np.float64]
    bytes_: NDArray[np.float64]  # of all other workers
    apart: NDArray[np.float64]  # clocks by which the first worker was ahead of the last, until one had ended all

    @classmethod
    def of(cls, problem: Problem, folder: Path, workers: int) -> Self:
        seen = np.load(folder / "0.npz")
        names = [spec.name for spec in problem.tables()]
        loss = [problem.loss({name: seen[name][k] for name in names}) for k in range(len(seen["ends"]))]
        logs = [np.load(folder / f"{w}.npz") for w in range(workers)]
        begin = max(float(log["begin"]) for log in logs)
        ends = seen["ends"]
        moved = sum(np.interp(ends, log["ends"], log["moved"]) for log in logs[1:])
        done = np.stack([np.searchsorted(log["ends"], ends) for log in logs])
        at_work = done.max(axis=0) < len(logs[0]["ends"])
        apart = np.ptp(done, axis=0)[at_work].astype(np.float64)
        return cls(ends - begin, np.array(loss), np.asarray(moved, np.float64), apart)

    def reaches(self, loss: float, of: NDArray[np.float64]) -> float:
        """The least of `of` (seconds or bytes) at which the loss, smoothed, is as low; infinite if it never is."""
        low = np.flatnonzero(smooth(self.loss) <= loss)
        return float(of[low[0]]) if len(low) else float("inf")


def smooth(loss: NDArray[np.float64], width: int = 5) -> NDArray[np.float64]:
    """The median of each value and those before it."""
    return np.array([np.median(loss[max(0, k - width + 1) : k + 1]) for k in range(len(loss))])


@final
class Team:
    """A server and `workers` as processes, for one trial after another of a problem."""

    def __init__(self, problem: str, workers: int = 4) -> None:
        self._problem, self._workers = problem, workers
        self._started = [_start(problem, str(index)) for index in range(-1, workers)]

    def play(self, trial: Trial) -> Curve:
        """Let them do it."""
        text = json.dumps(asdict(trial))
        with TemporaryDirectory() as folder:
            server, *workers = self._started
            _ask(server, text)
            address = _answer(server)
            for worker in workers:
                _ask(worker, json.dumps([text, address, folder]))
            for process in (*workers, server):
                _answer(process)
            return Curve.of(PROBLEMS[self._problem](), Path(folder), self._workers)

    def close(self) -> None:
        """End them."""
        for process in self._started:
            process.kill()
            process.communicate()


def _start(*said: str) -> subprocess.Popen[str]:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "yarnml.bench.team", *said]
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _ask(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text + "\n")
    process.stdin.flush()


def _answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        raise RuntimeError(f"{process.args!r} ended with {process.wait()}")
    return line


# ---- in the processes


def _specs(problem: Problem) -> list[TableSpec]:
    return [*problem.tables(), TableSpec("gate", (1, 1), staleness=0, push="lazy")]


def _serve(problem: Problem, trial: Trial) -> None:
    transport = ZmqTransport()
    listener = transport.listen()
    print(listener.address, flush=True)
    serve(
        listener, _specs(problem), server=0, servers=1, workers=trial.workers, staleness=trial.staleness, seed=0,
        check=lambda: None, managed=trial.managed,
    )  # fmt: skip
    listener.close()
    transport.close()


def _work(problem: Problem, trial: Trial, index: int, address: str, file: Path) -> None:
    transport = ZmqTransport()
    client = Client(
        Alone(lambda _: None, lambda: None), transport, connect(transport, [address], index), _specs(problem),
        worker=index, staleness=trial.staleness, managed=trial.managed, deadline=LIMIT,
    )  # fmt: skip
    problem.step(client, index, trial.workers, 0)  # all is loaded and compiled
    client.clock()
    client.table("gate").get()  # all are here
    begin = monotonic()
    ends, moved, seen = [], [], []
    for clock in range(trial.clocks):
        end = monotonic() + trial.seconds(index, clock)
        increments = problem.step(client, index, trial.workers, clock)
        _until(end)
        for name, rows, delta in increments:
            client.table(name).inc(rows, delta)
        client.clock()
        if trial.bandwidth is not None and trial.managed is None:
            _until(begin + client.sent_bytes / trial.bandwidth)
        ends.append(monotonic())
        moved.append(client.sent_bytes + client.received_bytes)
        if index == 0:
            seen.append(_seen(client, [spec.name for spec in problem.tables()]))
    arrays: dict[str, Any] = {name: np.stack([each[name] for each in seen]) for name in (seen[0] if seen else ())}
    np.savez(file, **arrays | {"begin": begin, "ends": ends, "moved": moved})
    client.finish()
    transport.close()


def _seen(client: Tables, names: Sequence[str]) -> dict[str, F32]:
    return {name: np.array(client.table(name).get()) for name in names}


def _until(end: float) -> None:
    sleep(max(0.0, end - monotonic()))


def main(name: str, index: str) -> None:
    """A trial for each line that is read."""
    problem = PROBLEMS[name]()
    for line in sys.stdin:
        if index == "-1":
            _serve(problem, Trial(**json.loads(line)))
        else:
            text, address, folder = json.loads(line)
            _work(problem, Trial(**json.loads(text)), int(index), address, Path(folder) / f"{index}.npz")
        print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
