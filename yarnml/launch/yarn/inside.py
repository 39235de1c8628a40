"""Inside: what a process of a run finds around it in its container."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Self, final

from yarnml.comm.member import Place
from yarnml.comm.seat import ANY, Seat
from yarnml.job import Job
from yarnml.launch import keys
from yarnml.launch.yarn.notes import Note
from yarnml.launch.yarn.rendezvous import attempt_of
from yarnml.launch.yarn.spec import Spec
from yarnml.wire.keys import Keys

START = Path("start")  # the archive with the job, readable by the user alone
SEAT = Path("seat")  # which one this container has, for whoever speaks after its process
SAID = 75  # exit code of a scheduler that has written down why its run has no result


@final
@dataclass(frozen=True)
class Inside:
    job: Job
    spec: Spec
    role: str
    host: str  # the node, as YARN calls it
    container: str
    log: Path  # where this container's output goes
    keys: Keys  # with which the run's processes speak

    @classmethod
    def look(cls, role: str) -> Self:
        return cls(
            job=Job.from_json((START / "job.json").read_text()),
            spec=Spec.from_json((START / "yarn.json").read_text()),
            role=role,
            host=os.environ.get("NM_HOST") or socket.getfqdn(),
            container=os.environ.get("CONTAINER_ID", ""),
            log=Path(os.environ["YARNML_LOG"]),
            keys=keys.read(START),
        )

    @property
    def address(self) -> str:
        """Where others reach this node."""
        return socket.gethostbyname(self.host)

    @property
    def attempt(self) -> str:
        return attempt_of(self.container)

    @property
    def limit(self) -> int:
        """MiB of memory that this container may use."""
        return self.spec.limits[self.role]

    @property
    def place(self) -> Place:
        return Place(self.host, self.container)

    @property
    def seat(self) -> Seat:
        """The seat it has, or any."""
        index = int(SEAT.read_text()) if SEAT.exists() else ANY
        return Seat(self.role, index)

    @property
    def log_name(self) -> str:
        seat = self.seat
        return f"{seat.slug if seat.index != ANY else f'{self.role}-{self.container}'}.log"

    def note(self, how: str, *, over: bool = False) -> Note:
        return Note(self.role, self.seat.index, self.container, how, over)


def spoken_exit(code: int) -> str:
    """How a shell's exit code tells that a process ended."""
    name = next((s.name for s in signal.Signals if s == code - 128), None)
    if name is None:
        return f"ended with exit code {code}"
    hint = " (by hand, or by the system for want of memory)" if code == 128 + signal.SIGKILL else ""
    return f"was killed by {name}{hint}"
