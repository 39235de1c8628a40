"""Listing: the files of a data set, in the order that numbers its rows."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from hdfs_io.errors import DataError
from hdfs_io.store import open_fs, url_of


@dataclass(frozen=True)
class DataFile:
    """One file of a data set."""

    url: str
    size: int  # bytes


def list_files(url: str) -> list[DataFile]:
    """The files of a file, directory (with those below it) or glob, sorted by name.

    What Hadoop hides or hasn't finished copying is skipped: `_*`, `.*`, `*._COPYING_`. Raises DataError if nothing is
    left.
    """
    fs, path = open_fs(url)
    found = sorted(_find(fs, path), key=lambda info: str(info["name"]))
    if found:
        return [DataFile(url_of(fs, info["name"]), int(info["size"] or 0)) for info in found]
    if fs.isdir(path):
        raise DataError(f"{url}: holds no data file (names that begin with _ or . or end with ._COPYING_ are skipped)")
    raise DataError(f"{url}: no such file or directory{_near(fs, path)}")


def _find(fs: Any, path: str) -> Iterator[dict[str, Any]]:
    if fs.isfile(path):
        yield fs.info(path)
    elif fs.isdir(path):
        yield from _below(fs, path)
    elif any(c in path for c in "*?["):
        for match, info in fs.glob(path, detail=True).items():
            if _shown(match):
                yield from _below(fs, match) if info["type"] == "directory" else [info]


def _below(fs: Any, path: str) -> Iterator[dict[str, Any]]:
    for info in fs.ls(path, detail=True):
        if _shown(info["name"]):
            yield from _below(fs, info["name"]) if info["type"] == "directory" else [info]


def _shown(path: str) -> bool:
    name = posixpath.basename(path.rstrip("/"))
    return not name.startswith(("_", ".")) and not name.endswith("._COPYING_")


def _near(fs: Any, path: str) -> str:
    parent, name = posixpath.split(path.rstrip("/"))
    if not fs.isdir(parent):
        return f"; its directory {parent} doesn't exist either"
    names = [posixpath.basename(entry.rstrip("/")) for entry in fs.ls(parent, detail=False)]
    close = get_close_matches(name, names, n=3)
    return f"; did you mean {' or '.join(repr(n) for n in close)}?" if close else ""
