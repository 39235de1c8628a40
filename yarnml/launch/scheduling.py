"""Scheduling: the main of the process that coordinates a run of this machine, and starts its workers and servers.

They are its children and end with it; it is its driver's, and ends with that. So whoever dies, the driver is left with
nothing that runs, or with all it takes to start anew.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import TextIO, final

from yarnml.app.splits import counts
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Commit, Discard, Effect, Replace, Report, Say, Setback
from yarnml.comm.events import Event, Exited, Stop
from yarnml.comm.hub import Hub
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat, seats
from yarnml.job import Job
from yarnml.launch.commits import Commits
from yarnml.launch.fault import quoting, short
from yarnml.launch.log import lose_what_cannot_be_logged
from yarnml.launch.orphan import die_with_launcher
from yarnml.launch.pipe import line, parsed
from yarnml.launch.place import Place
from yarnml.launch.process import RoleProcess, end, python
from yarnml.launch.recovery import instead, recovery
from yarnml.wire.transport import Listener
from yarnml.wire.zmq import ZmqTransport

JOIN = 120.0  # seconds in which every process has to be there: imports on a busy machine take a while
PART = {True: 10.0, False: 1.0}  # seconds to end by themselves, after success or failure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="file with the job, as JSON")
    parser.add_argument("--generation", type=int, required=True, help="that begins now")
    said = parser.parse_args()
    driver = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever else is printed goes to the log
    lose_what_cannot_be_logged()
    wishes: SimpleQueue[Stop] = SimpleQueue()
    die_with_launcher(lambda text: wishes.put(parsed(text)))
    scheduling = Scheduling(Place(said.job), said.generation, wishes, driver)
    try:
        outcome = scheduling.run()
    except BaseException as error:  # noqa: BLE001 (whatever it is, somebody waits to hear of it)
        outcome = Outcome("failed", f"the run could not be driven: {short(error)}")
    print(line(outcome), file=driver)
    os._exit(0)  # a checkpoint that is being named must not keep the process


@final
class Scheduling:
    """The hub's loop, and the processes around it."""

    def __init__(self, here: Place, generation: int, wishes: SimpleQueue[Stop], driver: TextIO) -> None:
        self._here, self._wishes, self._driver = here, wishes, driver
        self._job = job = Job.from_json(here.job.read_text())
        roles = {"worker": job.workers, "server": job.servers}
        self._seats = seats(roles)
        self._coordinator = Coordinator(
            roles,
            silence=job.silence,
            join_by=time.monotonic() + JOIN,
            recovery=recovery(job, generation),
            splits=counts(job),
        )
        self._processes: dict[Seat, RoleProcess] = {}
        self._address = ""
        self._commits = Commits(job)

    def run(self) -> Outcome:
        transport = ZmqTransport(spin=0.0, keys=self._here.keys(self._job))
        try:
            with closing(transport.listen()) as listener:
                return self._with_last_words(self._drive(listener))
        finally:
            transport.close()

    def _drive(self, listener: Listener) -> Outcome:
        self._address = listener.address
        hub = Hub(listener, self._coordinator, self._tell, self._do)
        try:
            for seat in self._seats:
                self._start(seat)
            outcome = hub.run(self._watch)
            hub.see_off(self._all_gone, PART[outcome.ok])
        finally:
            end(self._processes.values())
        return outcome

    def _start(self, seat: Seat) -> None:
        """From the thread that outlives it: Linux ends a child with the thread that started it."""
        flags = {"job": self._here.job, "role": seat.role, "index": seat.index, "coordinator": self._address}
        threads = self._job.threads if seat.role == "worker" else 1
        command = python("yarnml.launch.role", **flags)
        self._processes[seat] = RoleProcess(seat, command, log=self._here.log(seat), threads=threads)

    def _do(self, effect: Effect) -> None:
        match effect:
            case Replace():
                end([self._processes[effect.seat]], grace=0.0)
                self._start(effect.seat)
            case Commit() | Discard():
                self._commits.do(effect)
            case Setback() if others := instead(effect, self._coordinator, time.monotonic()):
                for other in others:
                    self._do(other)
            case Say() | Setback():
                self._tell(effect)

    def _tell(self, news: Report | Say | Setback) -> None:
        print(line(news), file=self._driver)

    def _watch(self) -> list[Event]:
        events = self._commits.news()
        while not self._wishes.empty():
            events.append(self._wishes.get())
        processes = self._processes.values()
        exits = [Exited(process.seat, how) for process in processes if (how := process.news()) is not None]
        return [*events, *exits, *self._asleep()]

    def _asleep(self) -> list[Event]:
        """Who was stopped before it joined: the coordinator, which can't know its silence, would wait long for it."""
        missing = self._coordinator.missing()
        late = [process for process in self._processes.values() if missing and process.seat in missing]
        return [
            Exited(process.seat, f"(pid {process.pid}) was stopped, by SIGSTOP or a debugger, before it had joined")
            for process in late
            if process.stopped() >= self._job.silence
        ]

    def _all_gone(self) -> bool:
        return all(process.exited() for process in self._processes.values())

    def _with_last_words(self, outcome: Outcome) -> Outcome:
        process = None if outcome.culprit is None else self._processes.get(outcome.culprit)
        if outcome.state != "failed" or process is None:
            return outcome
        return replace(outcome, message=quoting(outcome.message, process.words(), str(process.log)))


if __name__ == "__main__":
    main()
