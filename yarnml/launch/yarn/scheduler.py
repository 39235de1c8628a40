"""The scheduler: the main of the container that coordinates a run, and writes down how it goes and how it ended.

When it dies, or the application's master and all containers with it, another one begins the next generation from the
run's last checkpoint: see legacy.py for what it knows of the one before.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from typing import final

from hdfs_io import DataError, join, read_text, remove
from yarnml.app.splits import counts
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Commit, Discard, Effect, Replace, Report, Say, Setback
from yarnml.comm.events import Event, Stop
from yarnml.comm.hub import Hub
from yarnml.comm.outcome import Outcome
from yarnml.launch.commits import Commits
from yarnml.launch.fault import quoting
from yarnml.launch.recovery import instead, recovery
from yarnml.launch.yarn.fates import Fates
from yarnml.launch.yarn.homes import local
from yarnml.launch.yarn.inside import SAID, Inside
from yarnml.launch.yarn.legacy import Legacy
from yarnml.launch.yarn.losses import Losses
from yarnml.launch.yarn.manager import Manager
from yarnml.launch.yarn.rendezvous import Rendezvous, application_of, publish, withdraw
from yarnml.launch.yarn.standing import Standing
from yarnml.monitor.terminal import Unseen
from yarnml.runs import RunDir
from yarnml.watch import Watch
from yarnml.wire.message import Beat
from yarnml.wire.transport import Listener, Status
from yarnml.wire.zmq import ZmqTransport

PART = 8.0  # seconds for the others to end by themselves
EXPIRY = 600.0  # seconds after which YARN, if it isn't told otherwise, takes a node that is silent for lost
TERMINATED = 128 + signal.SIGTERM  # exit code, as a shell has it


def main() -> None:
    inside = Inside.look("scheduler")
    run = RunDir(inside.job.url)
    if run.ended:  # Skein, which doesn't know that, has started another
        sys.exit(0 if run.record().state == "succeeded" else SAID)
    outcome = Scheduler(inside, run).run()
    print(outcome.message or outcome.state, flush=True)
    os._exit(0 if outcome.ok else SAID)  # a checkpoint that is being named must not keep the process


@final
class Scheduler:
    """The hub's loop, and all that goes on around it: losses are looked for, standing and metrics written down."""

    def __init__(self, inside: Inside, run: RunDir) -> None:
        self._inside, self._job, self._spec, self._run = inside, inside.job, inside.spec, run
        self._manager = Manager(self._spec.managers)
        self._legacy = legacy = Legacy.of(run, inside.attempt)
        within = self._spec.start_timeout + EXPIRY
        self._recovery = replace(recovery(self._job, legacy.generation), within=within)
        self._coordinator = Coordinator(
            {"worker": self._job.workers, "server": self._job.servers},
            silence=self._job.silence,
            join_by=time.monotonic() + self._spec.start_timeout,
            homes=[home.best for home in self._spec.homes],
            recovery=self._recovery,
            splits=counts(self._job),
        )
        self._fates = Fates(self._manager)
        self._losses = Losses(inside, self._coordinator, self._fates, first=not legacy.why)
        self._commits = Commits(self._job)
        self._standing = Standing(inside, self._coordinator, self._manager, before=legacy.restarts)
        self._watch = Watch(self._run, Unseen(), self._standing.fields)
        self._address = ""
        self._stop: Stop | None = None

    def run(self) -> Outcome:
        transport = ZmqTransport(spin=0.0, shared=False, keys=self._inside.keys)
        try:
            with closing(transport.listen(self._inside.address)) as listener:
                self._address = listener.address
                self._open()
                hub = Hub(listener, self._coordinator, self._take, self._do)
                outcome = self._whole(hub.run(self._look))
                hub.see_off(lambda: self._all_gone(listener), PART)
        finally:
            transport.close()
        self._watch.close()
        for name in ("start", "notes"):
            with suppress(DataError, OSError):
                remove(join(self._run.url, name))
        self._run.end(outcome.state, result=outcome.result, message=outcome.message)
        return outcome

    def _open(self) -> None:
        """Let others come."""
        begun = self._recovery.point
        self._publish(begun.generation)
        if self._legacy.why:
            with suppress(DataError, OSError):
                self._run.take_over_log()
            self._go_back(Setback(begun.generation, begun.clock, self._legacy.why))
        self._watch.start(on_kill=self._killed, ending=self._ending)
        signal.signal(signal.SIGTERM, self._ended_by_yarn)

    def _publish(self, generation: int) -> None:
        attempt, since = self._inside.attempt, self._legacy.since
        publish(self._run.url, Rendezvous(attempt, self._address, generation, since))

    def _do(self, effect: Effect) -> None:
        match effect:
            case Replace():
                container = self._losses.container_at(effect.seat)
                if container is not None:
                    self._fates.end(container)  # Skein starts another
            case Commit() | Discard():
                self._commits.do(effect)
            case Say():
                self._watch.say(effect.text)
            case Setback() if others := instead(effect, self._coordinator, time.monotonic()):
                for other in others:
                    self._do(other)
            case Setback():
                self._publish(effect.generation)  # before anybody hears of it: a scheduler after this one must know
                self._go_back(effect)

    def _go_back(self, back: Setback) -> None:
        self._watch.go_back(back.generation, self._job.clock_of(back.clock), back.reason)

    def _look(self) -> list[Event]:
        """What the hub can't hear: a wish to stop, containers that ended without a word, checkpoints that stand."""
        limit = self._job.deadline
        if limit is not None and time.time() - self._legacy.since >= limit:
            self._stop = self._stop or Stop("deadline", f"the run's deadline of {limit:g} s has passed")
        events: list[Event] = [] if self._stop is None else [self._stop]
        return [*events, *self._commits.news(), *self._losses.look(time.monotonic())]

    def _take(self, report: Report) -> None:
        self._standing.take(report)
        if report.role == "worker":
            numbers = {name: value for name, value in report.numbers.items() if name != "memory"}
            if numbers:
                self._watch.take(report.worker, numbers)

    def _whole(self, outcome: Outcome) -> Outcome:
        """With all restarts and what was read locally; or with the reason why containers are missing, or the last words
        of the first to fail.
        """
        if outcome.ok:
            restarts = {"restarts": self._standing.restarts} if self._standing.restarts else {}
            return replace(outcome, result={**(outcome.result or {}), **restarts, **self._read()} or None)
        if outcome.state != "failed" or outcome.culprit is None:
            return outcome
        if self._coordinator.missing() and outcome.message.startswith("the run could not start"):
            why = self._standing.waiting(fresh=True)
            return replace(outcome, message=f"the run could not start within {self._spec.start_timeout:g} s: {why}")
        log = join(self._run.url, f"logs/{outcome.culprit.slug}.log")
        with suppress(DataError):
            return replace(outcome, message=quoting(outcome.message, read_text(log), log))
        return outcome

    def _read(self) -> dict[str, dict[str, int]]:
        """How much of the training data was read where it is, if it is known where it is."""
        workers = [entry for entry in self._coordinator.here() if entry.seat.role == "worker"]
        homes = self._spec.homes
        return {"read": local(homes, {entry.seat.index: entry.host for entry in workers})} if homes else {}

    def _killed(self) -> None:
        why = "killed by its user"
        with suppress(DataError):
            why = self._run.why_to_end()
        asked = Stop("interrupted" if why.startswith("interrupted") else "killed", why)
        self._stop = asked if self._stop is None else replace(self._stop, at_once=True)

    def _ending(self) -> str:
        return "" if self._stop is None else self._stop.told(self._job.respite)

    def _ended_by_yarn(self, *_: object) -> None:
        """A quarter of a second is left. If only this container is ended, or this attempt, another will go on."""
        with suppress(DataError, OSError, LookupError):
            app = self._manager.application(application_of(self._inside.container))
            if app is not None and app.ended:
                self._run.end("killed", message="its application was ended through YARN")
            else:
                withdraw(self._run.url, self._inside.attempt)
        os._exit(TERMINATED)

    def _all_gone(self, listener: Listener) -> bool:
        peers = [entry.peer for entry in self._coordinator.here()]
        return all(listener.send(peer, Beat()).status is Status.GONE for peer in peers)


if __name__ == "__main__":
    main()
