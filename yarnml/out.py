"""Out: the place where a result goes, looked at before anything starts: what it may not be, and may not replace."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Self, final

from hdfs_io import exists, join, open_fs
from hdfs_io.hadoop import default_fs
from hdfs_io.hdfs import Hdfs
from hdfs_io.listing import apart
from hdfs_io.store import is_local
from yarnml.errors import UsageError

MARKS = ("model.json", "_SUCCESS")  # what a directory holds that is a model or a data set of ours


@final
@dataclass(frozen=True)
class Place:
    """A path in a store, links followed, so that two ways to write it are one place."""

    store: str
    parts: tuple[str, ...]  # () is the root

    @classmethod
    def of(cls, url: str) -> Self:
        fs, path = open_fs(url)
        if is_local(fs):
            return cls("", Path(os.path.realpath(path)).parts[1:])
        store = str(fs.unstrip_protocol("/")) if isinstance(fs, Hdfs) else str(fs.protocol)
        if store == "hdfs:///":
            store = f"hdfs://{default_fs()}/"
        return cls(store, tuple(part for part in PurePosixPath(path).parts if part != "/"))

    def holds(self, other: Place) -> bool:
        """Whether `other` is this place or lies in it."""
        return self.store == other.store and other.parts[: len(self.parts)] == self.parts


def refuse_place(out: str, used: Mapping[str, str], name: str = "--out") -> None:
    """Raise UsageError if `out` names no place, or one whose replacing would take along what it must not.

    `used`: what else is read or written, by the flag that says it; a result is apart from that, neither around it nor
    in it.
    """
    if not out.strip():
        raise UsageError(f"{name} {out!r}: names no place; say where the result goes")
    place = Place.of(out)
    for what, mine in (("the working directory", os.getcwd()), ("your home", str(Path.home()))):
        if place.holds(Place.of(mine)):
            raise UsageError(f"{name} {out}: {_is_or_holds(place, Place.of(mine))} {what}; name a place of its own")
    if not place.parts:
        raise UsageError(f"{name} {out}: is the root of its store; name a place of its own")
    for flag, url in used.items():
        for other in _places(url):
            if place.holds(other):
                raise UsageError(f"{name} {out}: {_is_or_holds(place, other)} {flag} {url}; name a place apart from it")
            if other.holds(place):
                raise UsageError(f"{name} {out}: lies in {flag} {url}; name a place apart from it")


def refuse_replacing(
    out: str, *, overwrite: bool, files: bool, known: frozenset[str] = frozenset(), name: str = "--out"
) -> None:
    """Raise UsageError if there is something at `out` that isn't plainly an earlier result, or without `overwrite`.

    `files`: an earlier result may be a file; `known`: a directory that holds no other files than these is one, too.
    """
    if not exists(out):
        return
    if not overwrite:
        raise UsageError(f"{name} {out}: exists already; choose another place, or say --overwrite")
    fs, path = open_fs(out)
    if fs.isdir(path):
        if any(exists(join(out, mark)) for mark in MARKS) or files_below(out) <= known:
            return
        kind = f"a directory without {' or '.join(MARKS)}, so neither a model nor a data set of yarnml"
    elif files:
        return
    else:
        kind = "a file that yarnml didn't make"
    raise UsageError(f"{name} {out}: is {kind}; --overwrite leaves it: choose another place, or remove it yourself")


def files_below(url: str) -> frozenset[str]:
    """The names, as seen from `url`, of all files below it."""
    fs, path = open_fs(url)
    return frozenset(os.path.relpath(name, path) for name in fs.find(path))


def _is_or_holds(place: Place, other: Place) -> str:
    return "is" if place == other else "holds"


def _places(url: str) -> Iterator[Place]:
    """The places of a URL, or of the parts of a list: its own, or those that a glob finds."""
    for one in apart(url):
        fs, path = open_fs(one)
        found = fs.glob(path) if any(c in path for c in "*?[") and not fs.exists(path) else []
        yield from (Place.of(fs.unstrip_protocol(match)) for match in found)
        if not found:
            yield Place.of(one)
