"""The scheduler: the main of the container that coordinates a run, and writes down how it goes and how it ended."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any, final

from hdfs_io import DataError, join, read_text, remove
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.events import Event, Exited, Report, Stop
from yarnml.comm.hub import Hub
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import spoken
from yarnml.launch.fault import quoting
from yarnml.launch.yarn import notes, rendezvous
from yarnml.launch.yarn.inside import SAID, Inside
from yarnml.launch.yarn.manager import Manager
from yarnml.launch.yarn.memory import resident
from yarnml.launch.yarn.refuse import waiting_for
from yarnml.launch.yarn.shipping import too_much
from yarnml.launch.yarn.spec import Service, Size
from yarnml.monitor.progress import Glance
from yarnml.monitor.terminal import View
from yarnml.runs import RunDir
from yarnml.watch import Watch
from yarnml.wire.message import Beat
from yarnml.wire.transport import Listener, Status
from yarnml.wire.zmq import ZmqTransport

NOTES = 1.0  # seconds between two looks for notes
ROOM = 5.0  # seconds between two questions to the ResourceManager
PART = 8.0  # seconds for the others to end by themselves
GONE = 1.0  # seconds out of reach after which a container that used too much memory counts as ended


def main() -> None:
    inside = Inside.look("scheduler")
    outcome = Scheduler(inside).run()
    print(outcome.message or outcome.state)
    sys.exit(0 if outcome.ok else SAID)


@final
class Scheduler:
    def __init__(self, inside: Inside) -> None:
        self._inside, self._job, self._spec = inside, inside.job, inside.spec
        self._roles = {"worker": self._job.workers, "server": self._job.servers}
        self._run = RunDir(self._job.url)
        self._begun = time.monotonic()
        join_by = self._begun + self._spec.start_timeout
        self._coordinator = Coordinator(self._roles, silence=self._job.silence, join_by=join_by, homes=self._spec.homes)
        self._watch = Watch(self._run, _Silent(), self._more)
        self._stop: Stop | None = None
        self._latest: dict[tuple[str, int], dict[str, float]] = {}
        self._noted: set[notes.Note] = set()
        self._notes_due = self._room_due = 0.0
        self._over: dict[str, int] = {}  # container -> MiB that it used
        self._why = ""

    def run(self) -> Outcome:
        transport = ZmqTransport(spin=0.0)
        try:
            with closing(transport.listen(self._inside.address)) as listener:
                rendezvous.publish(self._run.url, self._inside.attempt, listener.address)
                self._watch.start(on_kill=self._killed)
                signal.signal(signal.SIGTERM, self._ended_by_yarn)
                hub = Hub(listener, self._coordinator, self._take)
                outcome = hub.run(self._look)
                outcome = self._told(outcome)
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
        """What the hub can't hear: a wish to stop, notes about containers that ended."""
        now = time.monotonic()
        if self._job.deadline is not None and now - self._begun >= self._job.deadline and self._stop is None:
            self._stop = Stop("deadline", f"the run's deadline of {self._job.deadline:g} s has passed")
        events: list[Event] = [] if self._stop is None else [self._stop]
        if now >= self._notes_due:
            self._notes_due = now + NOTES
            events += self._read_notes()
        return events + self._overfull(now)

    def _read_notes(self) -> list[Event]:
        events: list[Event] = []
        with suppress(DataError, OSError):
            for note in set(notes.read(self._run.url)) - self._noted:
                self._noted.add(note)
                if note.over:
                    self._over[note.container] = int(note.how)
                else:
                    events.append(Exited(note.seat, f"({self._name_of(note.container)}) {note.how}"))
        return events

    def _name_of(self, container: str) -> str:
        """As errors name it: with its host, if it had joined."""
        return next((entry.name for entry in self._coordinator.here() if container in entry.name), container)

    def _overfull(self, now: float) -> list[Event]:
        events: list[Event] = []
        for entry in self._coordinator.here() if self._over else ():
            used = next((used for name, used in self._over.items() if name in entry.name), None)
            if used is not None and now - entry.unreachable_since >= GONE:
                role = entry.seat.role
                events.append(Exited(entry.seat, f"({entry.name}) {too_much(role, used, self._spec.limits[role])}"))
                self._over.clear()
        return events

    def _told(self, outcome: Outcome) -> Outcome:
        """With the reason why containers are missing, or with the last words of the first to fail."""
        if outcome.state != "failed" or outcome.culprit is None:
            return outcome
        if self._coordinator.missing():
            self._room_due = 0.0
            message = f"the run could not start within {self._spec.start_timeout:g} s: {self._waiting()}"
            return (
                outcome
                if " ended " in outcome.message or " was " in outcome.message
                else replace(outcome, message=message)
            )
        log = join(self._run.url, f"logs/{outcome.culprit.slug}.log")
        with suppress(DataError):
            return replace(outcome, message=quoting(outcome.message, read_text(log), log))
        return outcome

    def _more(self) -> dict[str, Any]:
        """What status.json says beside the workers' progress."""
        return {"waiting": self._waiting(), "containers": tuple(self._containers())}

    def _containers(self) -> list[dict[str, Any]]:
        name = f"host {self._inside.host}, {self._inside.container}"
        rows = [_row("scheduler", name, {"memory": resident()}, self._inside.limit)]
        for entry in self._coordinator.here():
            said = self._latest.get((entry.seat.role, entry.seat.index), {})
            rows.append(_row(str(entry.seat), entry.name, said, self._spec.limits[entry.seat.role]))
        return rows

    def _waiting(self) -> str:
        """`3 of 5 containers; waiting: workers 1, 2 (why)`, empty once all are there."""
        missing = self._coordinator.missing()
        if not missing:
            return ""
        wanted = sum(self._roles.values()) + 1
        if time.monotonic() >= self._room_due:
            self._room_due = time.monotonic() + ROOM
            counts = Counter(seat.role for seat in missing)
            services = [Service(role, n, Size(self._spec.limits[role], 1)) for role, n in counts.items()]
            with suppress(DataError, LookupError):
                self._why = waiting_for(services, Manager(self._spec.managers).nodes())
        why = f" ({self._why})" if self._why else ""
        return f"{wanted - len(missing)} of {wanted} containers; waiting: {spoken(missing)}{why}"

    def _take(self, report: Report) -> None:
        self._latest.setdefault((report.role, report.worker), {}).update(report.numbers)
        if report.role == "worker":
            numbers = {name: value for name, value in report.numbers.items() if name != "memory"}
            if numbers:
                self._watch.take(report.worker, numbers)

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


def _row(seat: str, name: str, said: Mapping[str, float], limit: int) -> dict[str, Any]:
    """One container as status.json has it; memory in MiB."""
    return {"seat": seat, "name": name, "clock": said.get("clock"), "mb": said.get("memory"), "limit": limit}


@final
class _Silent(View):
    """Shows nothing: who wants to see the run reads its status."""

    def say(self, text: str) -> None:
        pass

    def show(self, glance: Glance) -> None:
        pass

    def close(self, last: Glance) -> None:
        pass


if __name__ == "__main__":
    main()
