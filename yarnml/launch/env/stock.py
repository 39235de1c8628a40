"""The stock: what lies on a shelf, and which of it is old."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from hdfs_io import join, open_fs, remove

KEEP = 3  # of a kind
NAME = re.compile(r"(?P<kind>[a-z]+)-[0-9a-z]+(?P<tar>\.tar\.gz|\.tgz|\.tar)?")


@dataclass(frozen=True)
class Item:
    """An archive, or the folder that pip filled for one."""

    name: str
    kind: str
    size: int  # bytes; of a folder those of all files below it
    used: datetime  # the last time, or when it came

    @property
    def folder(self) -> bool:
        return not self.name.endswith((".tar.gz", ".tgz", ".tar"))


def stock(folder: str) -> list[Item]:
    """All that lies on a shelf, the newest first; what has another kind of name is none of ours."""
    fs, path = open_fs(folder)
    if not fs.isdir(path):
        return []
    found = []
    for info in fs.ls(path, detail=True):
        name = posixpath.basename(info["name"].rstrip("/"))
        match = NAME.fullmatch(name)
        if match is not None and (match["tar"] is None) == (info["type"] == "directory"):
            size = fs.du(info["name"]) if info["type"] == "directory" else info["size"]
            found.append(Item(name, match["kind"], size, _aware(fs.modified(info["name"]))))
    return sorted(found, key=lambda item: item.used, reverse=True)


def old(items: Iterable[Item], keep: int) -> list[Item]:
    """All but the newest `keep` of each kind, the newest first."""
    seen: dict[tuple[str, bool], int] = {}
    found = []
    for item in sorted(items, key=lambda item: item.used, reverse=True):
        rank = seen[item.kind, item.folder] = seen.get((item.kind, item.folder), 0) + 1
        if rank > keep:
            found.append(item)
    return found


def remove_old(folder: str, keep: int = KEEP) -> list[Item]:
    """Remove what is old of a shelf; returns what went."""
    gone = old(stock(folder), keep)
    for item in gone:
        remove(join(folder, item.name))
    return gone


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)
