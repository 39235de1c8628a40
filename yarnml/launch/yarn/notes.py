"""Notes: what is left about a container that can't speak for itself any more.

A note is an empty directory whose name says all: making one is a single request to the NameNode, which still succeeds
in the quarter of a second between YARN's SIGTERM and its SIGKILL.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Self
from urllib.parse import quote, unquote

from hdfs_io import DataError, join, open_fs
from yarnml.comm.seat import Seat

MOST = 120  # letters: HDFS allows names of 255 bytes


@dataclass(frozen=True)
class Note:
    role: str
    index: int  # -1 if it had no seat yet
    container: str
    how: str  # "was killed by SIGKILL"
    over: bool = False  # only that it used more memory than it may; it goes on

    @property
    def seat(self) -> Seat:
        return Seat(self.role, self.index)

    def name(self) -> str:
        return quote(json.dumps(list(asdict(self).values()), separators=(",", ":")), safe="[],\"' .()")

    @classmethod
    def from_name(cls, name: str) -> Self:
        return cls(*json.loads(unquote(name)))


def leave(run: str, note: Note) -> None:
    """Never fails: it is said in a bad moment."""
    with suppress(DataError, OSError):
        fs, path = open_fs(join(run, f"notes/{note.name()}"))
        fs.mkdir(path)


def read(run: str) -> list[Note]:
    fs, path = open_fs(join(run, "notes"))
    try:
        names = [str(entry).rstrip("/").rpartition("/")[2] for entry in fs.ls(path, detail=False)]
    except FileNotFoundError:
        return []
    return [Note.from_name(name) for name in names]
