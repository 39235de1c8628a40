"""The scheduler: the main of the container that coordinates a run, and writes down how it goes and how it ended."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from typing import final

from hdfs_io import DataError, join, read_text, remove
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Report
from yarnml.comm.events import Event, Stop
from yarnml.comm.hub import Hub
from yarnml.comm.outcome import Outcome
from yarnml.launch.fault import quoting
from yarnml.launch.yarn import rendezvous
from yarnml.launch.yarn.inside import SAID, Inside
from yarnml.launch.yarn.losses import Losses
from yarnml.launch.yarn.standing import Standing
from yarnml.monitor.terminal import Unseen
from yarnml.runs import RunDir
from yarnml.watch import Watch
from yarnml.wire.message import Beat
from yarnml.wire.transport import Listener, Status
from yarnml.wire.zmq import ZmqTransport

PART = 8.0  # seconds for the others to end by themselves


def main() -> None:
    inside = Inside.look("scheduler")
    outcome = Scheduler(inside).run()
    print(outcome.message or outcome.state)
    sys.exit(0 if outcome.ok else SAID)


@final
class Scheduler:
    """The hub's loop, and all that goes on around it: losses are looked for, standing and metrics written down."""

    def __init__(self, inside: Inside) -> None:
        self._inside, self._job, self._spec = inside, inside.job, inside.spec
        self._run = RunDir(self._job.url)
        self._begun = time.monotonic()
        self._coordinator = Coordinator(
            {"worker": self._job.workers, "server": self._job.servers},
            silence=self._job.silence,
            join_by=self._begun + self._spec.start_timeout,
            homes=self._spec.homes,
        )
        self._losses = Losses(self._run.url, self._coordinator, self._spec.limits)
        self._standing = Standing(inside, self._coordinator)
        self._watch = Watch(self._run, Unseen(), self._standing.fields)
        self._stop: Stop | None = None

    def run(self) -> Outcome:
        transport = ZmqTransport(spin=0.0, shared=False, keys=self._inside.keys)
        try:
            with closing(transport.listen(self._inside.address)) as listener:
                rendezvous.publish(self._run.url, self._inside.attempt, listener.address)
                self._watch.start(on_kill=self._killed)
                signal.signal(signal.SIGTERM, self._ended_by_yarn)
                hub = Hub(listener, self._coordinator, self._take)
                outcome = self._explained(hub.run(self._look))
                hub.see_off(lambda: self._all_gone(listener), PART)
        finally:
            transport.close()
        self._watch.close()
        for name in ("start", "notes"):
            with suppress(DataError, OSError):
                remove(join(self._run.url, name))
        self._run.end(outcome.state, result=outcome.result, message=outcome.message)
        return outcome

    def _look(self) -> list[Event]:
        """What the hub can't hear: a wish to stop, containers that ended without a word."""
        now = time.monotonic()
        if self._job.deadline is not None and now - self._begun >= self._job.deadline and self._stop is None:
            self._stop = Stop("deadline", f"the run's deadline of {self._job.deadline:g} s has passed")
        events: list[Event] = [] if self._stop is None else [self._stop]
        return events + self._losses.look(now)

    def _take(self, report: Report) -> None:
        self._standing.take(report)
        if report.role == "worker":
            numbers = {name: value for name, value in report.numbers.items() if name != "memory"}
            if numbers:
                self._watch.take(report.worker, numbers)

    def _explained(self, outcome: Outcome) -> Outcome:
        """With the reason why containers are missing, or with the last words of the first to fail."""
        if outcome.state != "failed" or outcome.culprit is None:
            return outcome
        if self._coordinator.missing() and outcome.message.startswith("the run could not start"):
            why = self._standing.waiting(fresh=True)
            return replace(outcome, message=f"the run could not start within {self._spec.start_timeout:g} s: {why}")
        log = join(self._run.url, f"logs/{outcome.culprit.slug}.log")
        with suppress(DataError):
            return replace(outcome, message=quoting(outcome.message, read_text(log), log))
        return outcome

    def _killed(self) -> None:
        why = "killed by its user"
        with suppress(DataError):
            why = self._run.why_to_end()
        self._stop = Stop("interrupted" if why.startswith("interrupted") else "killed", why)

    def _ended_by_yarn(self, *_: object) -> None:
        self._stop = self._stop or Stop("killed", "its application was ended through YARN")

    def _all_gone(self, listener: Listener) -> bool:
        peers = [entry.peer for entry in self._coordinator.here()]
        return all(listener.send(peer, Beat()).status is Status.GONE for peer in peers)


if __name__ == "__main__":
    main()
