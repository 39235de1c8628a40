"""Driving a run with faults: its coordinator, its processes, and who is killed, paused or taken for dead, and when."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, final

from tests.faults.course import Course
from tests.faults.nursery import Child, Nursery
from tests.faults.part import SILENCE, Setting
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Commit, Effect, Replace, Report, Setback
from yarnml.comm.events import Committed, Event, Exited, Stop
from yarnml.comm.hub import Hub
from yarnml.comm.outcome import Outcome
from yarnml.comm.recovery import Recovery
from yarnml.comm.seat import Seat, seats
from yarnml.wire.zmq import ZmqTransport

LONGEST = 100.0  # s
PAUSE = 0.4  # s that one is stopped which isn't taken for dead
AFTERLIFE = 0.5  # s after which one that is taken for dead comes to again

Kind = Literal["kill", "pause", "hang"]


@final
@dataclass(frozen=True)
class Fault:
    """Once some worker has reported clock `at`: SIGKILL; SIGSTOP for a while; or SIGSTOP until taken for dead, and then
    on, as if nothing had happened."""

    at: int
    kind: Kind
    seat: Seat


def faults(rng: random.Random, setting: Setting, count: int) -> list[Fault]:
    """Such as may happen to a run; the last clocks are left in peace, or none would see them."""
    everybody = seats({"worker": setting.workers, "server": setting.servers})
    kinds: list[Kind] = ["kill", "kill", "pause", "hang"]
    made = [Fault(rng.randrange(1, setting.clocks - 5), rng.choice(kinds), rng.choice(everybody)) for _ in range(count)]
    return sorted(made, key=lambda fault: fault.at)


@final
class Driver:
    """The launcher of one run."""

    def __init__(self, nursery: Nursery, setting: Setting, planned: list[Fault], folder: Path) -> None:
        self.course = Course()
        self.setting, self.folder = setting, folder
        self._nursery = nursery
        self._planned = list(planned)
        self._coordinator = Coordinator(
            {"worker": setting.workers, "server": setting.servers},
            silence=SILENCE,
            join_by=time.monotonic() + 60,
            recovery=Recovery(retries=50, every=0.2, checkpoints=str(folder)),
        )
        self._children: dict[Seat, Child] = {}
        self._paused: list[tuple[float, Child]] = []  # until when
        self._hanging: set[Child] = set()
        self._all: list[Child] = []
        self._told: set[Child] = set()  # whose end the coordinator knows
        self._committed: list[Event] = []
        self._newest = 0
        self._started = time.monotonic()
        self._address = ""

    def run(self) -> Outcome:
        transport = ZmqTransport(spin=0.0)
        try:
            with closing(transport.listen()) as listener:
                self._address = listener.address
                hub = Hub(listener, self._coordinator, self._heard, self._do)
                for seat in seats({"worker": self.setting.workers, "server": self.setting.servers}):
                    self._start(seat)
                outcome = hub.run(self._watch)
                hub.see_off(lambda: all(child.status is not None for child in self._children.values()), 10)
        finally:
            for child in self._all:
                child.signal(signal.SIGKILL)
            transport.close()
        return outcome

    def _start(self, seat: Seat) -> None:
        flags = {"role": seat.role, "index": seat.index, "coordinator": self._address}
        said = {"setting": json.dumps(asdict(self.setting)), **flags}
        arguments = [f"--{flag}={value}" for flag, value in said.items()]
        self._children[seat] = self._nursery.start(arguments, self.folder / f"{seat.slug}.log")
        self._all.append(self._children[seat])

    def _heard(self, report: Report) -> None:
        self._newest = max(self._newest, int(report.numbers["at"]))

    def _do(self, effect: Effect) -> None:
        match effect:
            case Replace():
                self._replace(effect.seat)
            case Commit():
                url = str(self.folder / f"{effect.clock}-{effect.generation}")
                Path(effect.url).rename(url)
                self.course.checkpoints.append((effect.generation, effect.clock, url))
                self._committed.append(Committed(effect.clock, url))
            case Setback():
                self.course.begins.append(effect.clock)

    def _replace(self, seat: Seat) -> None:
        dead = self._children[seat]
        if dead in self._hanging:
            self._paused.append((time.monotonic() + AFTERLIFE, dead))
        else:
            dead.signal(signal.SIGKILL)
        if self._coordinator.generation == len(self.course.begins) - 1 and seat.role == "worker":
            self.course.replaced += 1
        self._start(seat)

    def _watch(self) -> Iterable[Event]:
        now = time.monotonic()
        if now - self._started > LONGEST:
            yield Stop("deadline", f"the run took longer than {LONGEST:g} s")
        while self._planned and self._planned[0].at <= self._newest:
            self._inflict(self._planned.pop(0))
        for due in [each for each in self._paused if each[0] <= now]:
            self._paused.remove(due)
            due[1].signal(signal.SIGCONT)
        yield from self._committed
        self._committed.clear()
        for seat, child in self._children.items():
            if child.status is not None and child not in self._told:
                self._told.add(child)
                yield Exited(seat, child.how)

    def _inflict(self, fault: Fault) -> None:
        child = self._children[fault.seat]
        if fault.kind == "kill":
            child.signal(signal.SIGKILL)
            return
        child.signal(signal.SIGSTOP)
        if fault.kind == "pause":
            self._paused.append((time.monotonic() + PAUSE, child))
        else:
            self._hanging.add(child)
