"""The state directory of a cluster: what lies where in it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from yarnml.errors import UsageError, YarnmlError

RECORD = "cluster.json"
# the rest of what a cluster writes; `hdfs` is the data of the NameNode and the DataNodes
PARTS = ("bin", "conf", "hdfs", "home", "logs", "nodes", "run", "tmp", "web")
NEEDED = 512 << 20  # bytes free, without which daemons and small jobs fail in ways that don't name the disk


@dataclass(frozen=True)
class Layout:
    """Paths below one state directory."""

    root: Path

    @classmethod
    def at(cls, state: Path | None) -> Self:
        """The layout of `state`, by default ~/.yarnml/cluster; refuses paths that Hadoop would take apart."""
        root = (Path.home() / ".yarnml/cluster" if state is None else state).expanduser().resolve()
        # lists of directories are split at commas, class paths at colons, the scripts that start containers at spaces;
        # a DataNode takes the %C3 of an encoded letter for a format
        bad = sorted({c for c in str(root) if not ((c.isascii() and c.isalnum()) or c in "/._-+@=~")})
        if bad:
            raise UsageError(
                f"{root} can't be a cluster's directory: Hadoop can't have {' '.join(map(repr, bad))} in it"
            )
        return cls(root)

    @property
    def record(self) -> Path:
        return self.root / RECORD

    @property
    def ours(self) -> bool:
        """Whether a cluster has written here: only then is anything removed."""
        return self.record.exists()

    @property
    def mark(self) -> str:
        """A command line argument that every JVM of this cluster carries and no other has."""
        return f"-Dyarnml.cluster={self.root}"

    @property
    def containers(self) -> str:
        """How an environment variable of every YARN container of this cluster begins."""
        return f"LOCAL_DIRS={self.root}/nodes/"

    def part(self, name: str) -> Path:
        if name not in PARTS:
            raise ValueError(name)
        return self.root / name

    def claim(self) -> None:
        """Refuse a directory that holds something else, and a full disk."""
        if not self.ours and (there := next(self.root.iterdir(), None)):
            raise UsageError(f"{self.root} isn't a cluster's directory and isn't empty ({there.name}); name another")
        free = shutil.disk_usage(self.root).free
        if free < NEEDED:
            raise YarnmlError(f"the disk of {self.root} is full: {free >> 20} MB free, {NEEDED >> 20} MB needed")

    def make(self) -> None:
        """Make the directories, once the record is there that says whose they are."""
        for name in PARTS:
            self.part(name).mkdir(exist_ok=True)

    def erase(self, keep: tuple[str, ...] = ()) -> None:
        """Remove what a cluster wrote, and the directory if nothing else is in it."""
        for name in PARTS:
            if name not in keep and (self.root / name).exists():
                shutil.rmtree(self.root / name)
        if not keep:
            for record in self.root.glob(f"*{RECORD}*"):  # and one that a killed process was about to write
                record.unlink()
            if not any(self.root.iterdir()):
                self.root.rmdir()


def write(path: Path, text: str) -> None:
    """Write a file whole: it has the old or the new text, never a piece."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def read_json(path: Path) -> Any | None:
    """The JSON in a file; None if there is no such file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise YarnmlError(f"{path} is damaged ({error}); `yarnml cluster down`, then up again") from error
