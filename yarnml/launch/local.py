"""Local: a run's workers and servers as processes of this machine, its coordinator in a thread of this one."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import final

from yarnml.comm.coordinator import Coordinator
from yarnml.comm.events import Event, Exited
from yarnml.comm.hub import Hub
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import seats
from yarnml.job import Job
from yarnml.launch.fault import quoting
from yarnml.launch.handle import Handle
from yarnml.launch.launcher import Launcher, OnReport
from yarnml.launch.place import Place, place
from yarnml.launch.process import RoleProcess, end, python
from yarnml.wire.transport import Listener
from yarnml.wire.zmq import ZmqTransport

JOIN = 120.0  # seconds in which every process has to be there: imports on a busy machine take a while
PART = {True: 10.0, False: 1.0}  # seconds to end by themselves, after success or failure


@final
class LocalLauncher(Launcher):
    """Every process has a log of its own; the first to fail is named, with its last words."""

    def start(self, job: Job, on_report: OnReport) -> Handle:
        return Handle(lambda handle: _drive(job, on_report, handle), deadline=job.deadline)


def _drive(job: Job, on_report: OnReport, handle: Handle) -> Outcome:
    transport = ZmqTransport(spin=0.0)
    try:
        with place(job) as here, closing(transport.listen()) as listener:
            return _Run(job, here, listener, on_report, handle).drive()
    finally:
        transport.close()


@final
class _Run:
    def __init__(self, job: Job, here: Place, listener: Listener, on_report: OnReport, handle: Handle) -> None:
        roles = {"worker": job.workers, "server": job.servers}
        self._coordinating = coordinator = Coordinator(roles, silence=job.silence, join_by=time.monotonic() + JOIN)
        self._job, self._here, self._handle = job, here, handle
        self._seats = seats(roles)
        self._hub = Hub(listener, coordinator, on_report)
        self._coordinator = listener.address
        self._processes: list[RoleProcess] = []

    def drive(self) -> Outcome:
        try:
            self._start()
            outcome = self._hub.run(self._watch)
            self._hub.see_off(self._all_gone, PART[outcome.ok])
        finally:
            end(self._processes)
        return self._with_last_words(outcome)

    def _start(self) -> None:
        """From the thread that outlives them: Linux ends a child with the thread that started it."""
        for seat in self._seats:
            flags = {"job": self._here.job, "role": seat.role, "index": seat.index, "coordinator": self._coordinator}
            threads = self._job.threads if seat.role == "worker" else 1
            command = python("yarnml.launch.role", **flags)
            self._processes.append(RoleProcess(seat, command, log=self._here.log(seat), threads=threads))

    def _watch(self) -> list[Event]:
        wish = self._handle.wish()
        exits = [Exited(process.seat, how) for process in self._processes if (how := process.news()) is not None]
        return [*exits, *self._asleep(), *([] if wish is None else [wish])]

    def _asleep(self) -> list[Event]:
        """Who was stopped before it joined: the coordinator, which can't know its silence, would wait long for it."""
        missing = self._coordinating.missing()
        late = [process for process in self._processes if missing and process.seat in missing]
        return [
            Exited(process.seat, f"(pid {process.pid}) was stopped, by SIGSTOP or a debugger, before it had joined")
            for process in late
            if process.stopped() >= self._job.silence
        ]

    def _all_gone(self) -> bool:
        return all(process.exited() for process in self._processes)

    def _with_last_words(self, outcome: Outcome) -> Outcome:
        for process in self._processes:
            if outcome.state == "failed" and process.seat == outcome.culprit:
                return replace(outcome, message=quoting(outcome.message, process.words(), str(process.log)))
        return outcome
