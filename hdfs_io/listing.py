"""Listing: the files of a data set, in the order that numbers its rows."""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from hdfs_io.errors import DataError
from hdfs_io.store import is_local, open_fs, url_of
from hdfs_io.whole import mend


@dataclass(frozen=True)
class DataFile:
    """One file of a data set."""

    url: str
    size: int  # bytes


@dataclass(frozen=True)
class Listing:
    """The files of a data set, and what lies among them that is none."""

    files: tuple[DataFile, ...]
    notes: tuple[str, ...]  # links to nothing, pipes and the like, each by name


def list_files(url: str) -> list[DataFile]:
    """The files of a file, directory (with those below it), glob, or list of these, `a,b`: each one's sorted by name.

    Of a glob `*`, `?`, `[ab]` and `{a,b}` are known, and `**` for any directories.

    What Hadoop hides or hasn't finished copying is skipped: `_*`, `.*`, `*._COPYING_`. Raises DataError if nothing is
    left of one.
    """
    return list(list_all(url).files)


def list_all(url: str) -> Listing:
    """The same, with remarks about what is no file and can't be read. What a crash while overwriting left is mended."""
    listings = [_listed(one) for one in apart(url)]
    files = tuple(file for listing in listings for file in listing.files)
    name, times = Counter(file.url for file in files).most_common(1)[0]
    if times > 1:
        raise DataError(f"{url}: {name} is in more than one part of this list; name it once")
    return Listing(files, tuple(note for listing in listings for note in listing.notes))


def apart(url: str) -> list[str]:
    """The parts of a list, `a,b`; one file or directory whose name has a comma is meant itself, and so is a glob."""
    if "," not in url:
        return [url]
    scheme, scheme_ends, _ = url.partition("://")
    if not (scheme_ends and "," in scheme) and _is_one(url):
        return [url]
    parts = re.split(r",(?![^{}]*\})", url)  # one within braces is a glob's
    if len(parts) == 1:
        return parts
    if not all(parts):
        raise DataError(f"{url}: no such file or directory, and as a list it has an empty part")
    return parts


def _is_one(url: str) -> bool:
    fs, path = open_fs(url)
    if not fs.exists(path):
        mend(url)
    return bool(fs.exists(path)) or any(True for _ in _find(fs, path, []))


def _listed(url: str) -> Listing:
    fs, path = open_fs(url)
    notes: list[str] = []
    if not fs.exists(path):
        mend(url)
    try:
        once = {str(info["name"]): info for info in _find(fs, path, notes)}  # ** is a directory and what is in it
        found = [once[name] for name in sorted(once)]
    except ValueError as error:  # of fsspec
        raise DataError(f"{url}: no pattern of names ({error})") from error
    except OSError as error:
        raise DataError(f"{url}: can't be listed, or changed meanwhile: {error}") from error
    if found:
        files = tuple(DataFile(url_of(fs, info["name"]), int(info["size"] or 0)) for info in found)
        return Listing(files, tuple(sorted(notes)))
    others = "".join(f"; {note}" for note in sorted(notes))
    if fs.isdir(path):
        raise DataError(
            f"{url}: holds no data file (names that begin with _ or . or end with ._COPYING_ are skipped){others}"
        )
    raise DataError(f"{url}: no such file or directory{others or _near(fs, path)}")


def _find(fs: Any, path: str, notes: list[str]) -> Iterator[dict[str, Any]]:
    if fs.isfile(path):
        yield fs.info(path)
    elif fs.isdir(path):
        yield from _below(fs, path, notes, ())
    elif any(c in path for c in "*?[{"):
        for pattern in spread(path):
            for match, info in fs.glob(pattern, detail=True).items():
                if all(map(_shown, _matched(pattern, match))):
                    yield from _one(fs, info, notes, ())
    elif is_local(fs) and os.path.lexists(path):
        yield from _one(fs, {"name": path, "type": "other"}, notes, ())


def spread(pattern: str) -> list[str]:
    """The patterns that one with braces stands for, as in Hadoop's globs: `a{b,c}` is `ab` and `ac`."""
    braces = re.search(r"\{([^{}]*)\}", pattern)
    if braces is None:
        return [pattern]
    before, after = pattern[: braces.start()], pattern[braces.end() :]
    return [more for word in braces[1].split(",") for more in spread(before + word + after)]


def _matched(pattern: str, match: str) -> list[str]:
    """The parts of a path that a glob's wildcards stand for, as directories that it goes into by itself."""
    if "**" not in pattern:
        return [match]
    return match.rstrip("/").split("/")[pattern.partition("**")[0].count("/") :]


def _below(fs: Any, path: str, notes: list[str], within: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """`within`: the directories around, by their real paths: a link to one of them would lead round in a circle."""
    for info in fs.ls(path, detail=True):
        if _shown(info["name"]):
            yield from _one(fs, info, notes, (*within, os.path.realpath(path)) if is_local(fs) else ())


def _one(fs: Any, info: dict[str, Any], notes: list[str], within: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    name = info["name"]
    if info["type"] == "other":  # on a local disk: a link, or what is neither file nor directory
        try:
            info = fs.info(name)
        except OSError as error:
            notes.append(f"{name}: skipped, a link that leads nowhere ({error.strerror})")
            return
    if info["type"] == "file":
        yield info
    elif info["type"] != "directory":
        notes.append(f"{name}: skipped, neither a file nor a directory")
    elif within and os.path.realpath(name) in within:
        notes.append(f"{name}: skipped, a link to a directory that it lies in")
    else:
        yield from _below(fs, name, notes, within)


def _shown(path: str) -> bool:
    name = posixpath.basename(path.rstrip("/"))
    return not name.startswith(("_", ".")) and not name.endswith("._COPYING_")


def _near(fs: Any, path: str) -> str:
    parent, name = posixpath.split(path.rstrip("/"))
    if not fs.isdir(parent):
        return f"; its directory {parent} doesn't exist either"
    names = {posixpath.basename(entry.rstrip("/")) for entry in fs.ls(parent, detail=False)} - {name}
    close = get_close_matches(name, names, n=3)
    return f"; did you mean {' or '.join(repr(n) for n in close)}?" if close else ""
