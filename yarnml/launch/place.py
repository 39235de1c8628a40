"""A place: the local directory where a run's processes find their job and leave their logs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, final

from hdfs_io import join, open_fs, write_text
from hdfs_io.store import is_local
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.launch import keys
from yarnml.wire.keys import Keys


@final
class Place:
    """`job.json` and `logs/` in a directory that every process of this machine sees."""

    def __init__(self, job: Path) -> None:
        """`job`: the file, written by `made`."""
        self.job = job
        self._logs = job.parent / "logs"

    @classmethod
    def made(cls, directory: Path, job: Job) -> Self:
        """The place in a directory."""
        place = cls(directory / "job.json")
        place._logs.mkdir(parents=True, exist_ok=True)
        place.job.touch(mode=0o600)  # a URL in it may hold a secret
        place.job.write_text(job.to_json())
        if job.secure:
            keys.write(directory)
        return place

    def keys(self, job: Job) -> Keys | None:
        """With which the job's processes speak."""
        return keys.read(self.job.parent) if job.secure else None

    def log(self, seat: Seat) -> Path:
        return self._logs / f"{seat.slug}.log"

    def keep(self, run: str) -> None:
        """Copy the logs to the run's own directory on another store."""
        for log in sorted(self._logs.iterdir()):
            write_text(join(run, f"logs/{log.name}"), log.read_text(errors="replace"))


@contextmanager
def place(job: Job) -> Iterator[Place]:
    """The run's own directory if it is on this machine, else one for the length of the run, whose logs are copied."""
    fs, path = open_fs(job.url)
    if is_local(fs):
        made = Place.made(Path(path), job)
        try:
            yield made
        finally:
            keys.remove(Path(path))
        return
    with TemporaryDirectory(prefix=f"yarnml-{os.getpid()}-") as directory:
        made = Place.made(Path(directory), job)
        try:
            yield made
        finally:
            made.keep(job.url)
