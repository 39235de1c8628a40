"""Whole: output that appears at its URL complete or not at all."""

from __future__ import annotations

import os
import posixpath
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from hdfs_io.errors import DataError
from hdfs_io.store import asides, discard, exists, hidden, open_fs, rename, replace, url_of

YOUNG = 600.0  # seconds


@contextmanager
def whole(url: str, overwrite: bool = False) -> Iterator[str]:
    """A URL to write a file or directory to; it takes the place of `url` when the block ends without error.

    An existing `url` is refused (DataError) unless `overwrite`, at the block's begin and at its end; then it is kept
    until the new one stands. A crash between leaves what `mend` repairs.
    """
    mend(url)
    fs, path = open_fs(url)
    if not overwrite and fs.exists(path):
        raise DataError(f"{url}: exists already; choose another place, or have it overwritten")
    clear(fs, path)
    parent, staging = posixpath.dirname(path), unfinished(path)
    with _in_one_line(url, parent):
        fs.makedirs(parent, exist_ok=True)
    try:
        with _in_one_line(url, posixpath.basename(staging)):
            yield url_of(fs, staging)
        if not fs.exists(staging):
            raise DataError(f"{url}: nothing was written")
        with _in_one_line(url, parent):
            _put(fs, staging, path, url, overwrite)
    finally:
        with suppress(OSError):  # another may still be writing there; `clear` removes what is left then
            if fs.exists(staging):
                fs.rm(staging, recursive=True)


def unfinished(path: str) -> str:
    """A new hidden name beside `path` for what this process writes, by which others know whose it is."""
    return f"{hidden(path)}-{os.getpid()}-{socket.gethostname()}"


def clear(fs: Any, path: str) -> None:
    """Remove what processes of this machine began to write for `path` and died over.

    What is younger than `YOUNG` stays: its process may live where we can't see it, in a container of its own.
    """
    parent, name = posixpath.split(path.rstrip("/"))
    known = re.compile(rf"\.{re.escape(name)}\.yarnml-[0-9a-f]{{8}}-(\d+)-{re.escape(socket.gethostname())}")
    with suppress(OSError, DataError):  # who may only read needs no tidying up
        for info in fs.ls(parent, detail=True):
            match = known.fullmatch(posixpath.basename(str(info["name"]).rstrip("/")))
            if match and not os.path.exists(f"/proc/{match[1]}") and _age(fs, info) > YOUNG:
                discard(fs, info["name"])


def _age(fs: Any, info: dict[str, Any]) -> float:
    """Seconds since a file or directory was changed."""
    changed: datetime = fs.modified(info["name"])
    return (datetime.now(UTC) - changed).total_seconds()


def _put(fs: Any, staging: str, path: str, url: str, overwrite: bool) -> None:
    if overwrite:
        replace(fs, staging, path)
        return
    try:
        rename(fs, staging, path)
    except FileExistsError:
        raise DataError(
            f"{url}: exists now, though it didn't at the start: another wrote there, and nothing of it was touched"
        ) from None


def mend(url: str) -> bool:
    """Finish what a crash while overwriting `url` left: the old one comes back, or goes if the new one stands.

    Returns whether there was something to mend. What an unfinished write left beside is hidden and harmless.
    """
    fs, path = open_fs(url)
    olds = asides(fs, path)  # listed first: whatever is seen to stand after that is newer
    if not olds:
        return False
    if not fs.exists(path):
        _bring_back(fs, olds[-1], path, url)
    for old in olds:
        with suppress(OSError, DataError):  # who may only read needs no tidying up
            discard(fs, old)
    return True


def _bring_back(fs: Any, old: str, path: str, url: str) -> None:
    try:
        rename(fs, old, path)
    except (FileExistsError, FileNotFoundError):  # another has mended or written it meanwhile
        return
    except OSError as error:
        raise DataError(
            f"{url}: an overwriting broke off and left it at {old}; putting it back fails: {error}"
        ) from None


def present(url: str) -> bool:
    """Whether there is something at `url`, or was and comes back now: what a reader asks."""
    return exists(url) or mend(url)


def refuse_unwritable(url: str) -> None:
    """Raise DataError if nothing can be made at `url`: tried in its nearest directory that exists, and undone."""
    fs, path = open_fs(url)
    near = posixpath.dirname(path.rstrip("/"))
    while near not in ("", "/") and not fs.exists(near):
        near = posixpath.dirname(near)
    if near and fs.exists(near) and not fs.isdir(near):
        raise DataError(f"{url}: can't be made: {near} is a file, not a directory")
    trial = posixpath.join(near or "/", posixpath.basename(hidden(path)))
    with _in_one_line(url, near):
        fs.mkdir(trial)
        if fs.exists(trial):  # a store of objects has no empty directories
            fs.rmdir(trial)


@contextmanager
def _in_one_line(url: str, part: str) -> Iterator[None]:
    """Errors of the store as DataError by a URL that users know, unless they name a file without `part` in its name."""
    try:
        yield
    except OSError as error:
        names = [name for name in (error.filename, error.filename2) if isinstance(name, str)]
        if error.errno is None or (names and not any(part in name for name in names)):
            raise
        raise DataError(f"{url}: can't be written: {error.strerror}") from error
