"""An entry: a file of this machine and its name in an archive."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, order=True)
class Entry:
    name: str  # relative, with slashes
    source: Path


def digest(entries: Iterable[Entry], *options: str, contents: bool = False) -> str:
    """16 hex digits that change whenever a file, its name or an option does.

    Files are told apart by size and time of change, so that thousands cost no reading; with `contents` by what they
    hold, so that a fresh checkout of the same code is the same.
    """
    total = hashlib.sha256("\0".join(options).encode())
    for entry in sorted(entries):
        stat = entry.source.stat()
        what = _content(entry.source) if contents else f"{stat.st_size} {stat.st_mtime_ns}"
        total.update(f"\n{entry.name}\0{what}\0{stat.st_mode & 0o100:o}".encode())
    return total.hexdigest()[:16]


def below(folder: Path, name: str = "", skip: Collection[str] = ("__pycache__",)) -> list[Entry]:
    """Every file in a folder, named below `name`; hidden ones and folders called as in `skip` aren't taken."""
    found = []
    for here, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(f for f in folders if f not in skip and not f.startswith("."))
        inner = PurePosixPath(name, Path(here).relative_to(folder).as_posix())
        found += [Entry((inner / file).as_posix(), Path(here, file)) for file in sorted(files) if file[0] != "."]
    return found


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
