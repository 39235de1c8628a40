"""The shelf: archives that were made once, here and on the cluster's store, called by the hash of their contents."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hdfs_io import DataError, copy, exists, join, open_fs
from yarnml.errors import UsageError
from yarnml.launch.env.archive import write
from yarnml.launch.env.pack import Pack
from yarnml.launch.env.stock import remove_old
from yarnml.launch.env.tree import lay

FOLDER = ".yarnml/env"
Say = Callable[[str], None]


def local_shelf() -> Path:
    """Where this machine keeps what it packed: ~/.cache/yarnml/env, or below XDG_CACHE_HOME."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "yarnml", "env")


def shelf(home: str) -> str:
    """Where a user's archives lie on the cluster; `home` is the URL of the home directory there."""
    return join(home, FOLDER)


def built(pack: Pack, folder: Path | None = None) -> Path:
    """The pack's archive on this machine, made if it isn't there; whole or absent, also when two make it at once."""
    folder = folder or local_shelf()
    archive = folder / pack.archive
    if archive.exists():
        os.utime(archive)  # the oldest go first, by their last use
        return archive
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{pack.kind}-", dir=folder) as scratch:
        root, made = Path(scratch, "tree"), Path(scratch, pack.archive)
        root.mkdir()
        lay([*pack.entries, *pack.caches], root)
        if replace(pack).hash != pack.hash:
            raise UsageError(f"files of {pack.kind} changed while they were packed; submit again")
        if pack.finish is not None:
            pack.finish(root)
        write(root, made)
        made.replace(archive)
    remove_old(str(folder))
    return archive


def send(pack: Pack, home: str, say: Say) -> tuple[str, int]:
    """See that the cluster's shelf has a pack, built only if it has to be sent; its URL, and the bytes sent."""
    url = join(shelf(home), pack.archive)
    if exists(url):
        return url, 0
    if not (local_shelf() / pack.archive).exists():
        say(f"packing {pack.kind}: {len(pack.entries)} files, once")
    return send_as(pack.archive, str(built(pack)), home, say)


def send_as(name: str, source: str, home: str, say: Say) -> tuple[str, int]:
    """See that the cluster's shelf has a file under a name; its URL, and the bytes sent: 0 if it was there."""
    url = join(shelf(home), name)
    if exists(url):
        return url, 0
    fs, path = open_fs(source)
    say(f"sending {name}: {fs.size(path) / 1e6:.0f} MB to {shelf(home)}, once")
    try:
        return url, copy(source, url)
    except DataError:
        if exists(url):  # another submit was faster
            return url, 0
        raise
