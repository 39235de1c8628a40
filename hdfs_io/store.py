"""Store: any place that fsspec knows, named by a URL. Nothing in this package opens a path in another way."""

from __future__ import annotations

import errno
import io
import os
import posixpath
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.memory import MemoryFile

from hdfs_io.errors import DataError
from hdfs_io.hdfs import Hdfs, open_hdfs
from hdfs_io.webhdfs import open_webhdfs

ASIDE = ".{}.yarnml-old"  # how names begin under which old ones wait
TRIES = 100  # of writers that are in each other's way, one succeeds each time


def open_fs(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """The file system of a URL or local path, and the path in it. DataError for an empty one: it isn't "here"."""
    if not url.strip():
        raise DataError(f"{url!r} names no file or directory; . is this one")
    if url.startswith(("hdfs://", "viewfs://")):
        return open_hdfs(url)
    if url.startswith(("webhdfs://", "swebhdfs://")):
        return open_webhdfs(url)
    if "://" not in url and "::" not in url:
        local = _local()
        return local, local._strip_protocol(url)
    try:
        fs, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise DataError(f"{url}: no way to reach this store ({error})") from error
    return fs, path


@lru_cache(maxsize=1)
def _local() -> fsspec.AbstractFileSystem:
    return fsspec.filesystem("file")


def open_read(url: str) -> Any:
    """A seekable binary file of the URL, at its begin, for one thread."""
    fs, path = open_fs(url)
    file = fs.open(path, "rb")
    if isinstance(file, MemoryFile):  # fsspec hands all its readers one file with one position
        return io.BytesIO(file.getvalue())
    return file


def open_data(url: str) -> Any:
    """The same of a file of a data set, which was seen when that was listed. DataError if it can't be opened now."""
    with may_read(url):
        return open_read(url)


@contextmanager
def may_read(url: str) -> Iterator[None]:
    """A file of a data set that can't be opened in the block as DataError, with what to do."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataError(f"{url}: was there when the data set was listed, and is gone; start again") from error
    except PermissionError as error:
        raise DataError(f"{url}: this user may not read it; have it made readable, or leave it out") from error


def url_of(fs: Any, path: str) -> str:
    """The URL by which `open_fs` finds `path` again; local ones are plain paths, as people write them."""
    return path if is_local(fs) else str(fs.unstrip_protocol(path))


def join(url: str, name: str) -> str:
    """The URL of `name` in the directory `url`."""
    return f"{url.rstrip('/')}/{name.lstrip('/')}" if url.rstrip("/") else f"/{name.lstrip('/')}"


def exists(url: str) -> bool:
    fs, path = open_fs(url)
    return bool(fs.exists(path))


def remove(url: str) -> None:
    """Remove a file or a directory with all in it; nothing happens if there is none."""
    fs, path = open_fs(url)
    if fs.exists(path):
        fs.rm(path, recursive=True)


def read_text(url: str) -> str:
    try:
        return read_bytes(url).decode()
    except FileNotFoundError as error:
        raise DataError(f"{url}: no such file") from error


def read_bytes(url: str) -> bytes:
    fs, path = open_fs(url)
    return bytes(fs.cat_file(path))


def write_text(url: str, text: str) -> None:
    """Write a file whole, as `write_bytes`."""
    write_bytes(url, text.encode())


def write_bytes(url: str, data: bytes) -> None:
    """Write a file whole: beside, then renamed over the old one, so that a reader sees the old or the new."""
    fs, path = open_fs(url)
    fs.makedirs(posixpath.dirname(path), exist_ok=True)
    beside = hidden(path)
    try:
        fs.pipe_file(beside, data)
        replace(fs, beside, path)
    finally:
        if fs.exists(beside):
            fs.rm_file(beside)


def hidden(path: str) -> str:
    """A new hidden name beside `path`, skipped by every listing."""
    parent, name = posixpath.split(path.rstrip("/"))
    return posixpath.join(parent, f".{name}.yarnml-{secrets.token_hex(4)}")


def replace(fs: Any, source: str, target: str) -> None:
    """Put `source` in the place of `target`, which stays aside under a known name until `source` stands.

    A file is renamed over the old one where the store can do that. A directory nowhere is. Of writers that do this at
    the same time, the last one's stays.
    """
    if _over(fs, source, target):
        return
    for _ in range(TRIES):
        old = aside(target)
        kept = _moved(fs, target, old)
        try:
            stands = _moved(fs, source, target)
        except BaseException:
            if kept:
                _moved(fs, old, target)
            raise
        if kept:  # what stands now is newer, be it ours or another writer's
            discard(fs, old)
        if stands:
            return
        if not fs.exists(source):
            raise DataError(f"{url_of(fs, target)}: what was written for it was removed before it stood")
    raise DataError(f"{url_of(fs, target)}: could not be replaced: others write to it all the time")


def _over(fs: Any, source: str, target: str) -> bool:
    """Rename a file over a file at once; False where that can't be done."""
    if not (isinstance(fs, Hdfs) or is_local(fs)) or not fs.isfile(source) or fs.isdir(target):
        return False
    if isinstance(fs, Hdfs):
        fs.mv(source, target, overwrite=True)
    else:
        os.replace(source, target)
    return True


def _moved(fs: Any, source: str, target: str) -> bool:
    """Rename; False if `source` isn't there, or something stands at `target`: others are at work too."""
    try:
        rename(fs, source, target)
    except (FileExistsError, FileNotFoundError):
        return False
    return True


def discard(fs: Any, path: str) -> None:
    """Remove what is no longer wanted, under a name that no reader takes for an old one; others may be quicker."""
    rubbish = hidden(path)
    if _moved(fs, path, rubbish):
        fs.rm(rubbish, recursive=True)


def aside(path: str) -> str:
    """A new name beside `path`, where the old one waits while a new one takes its place; the latest sorts last."""
    parent, name = posixpath.split(path.rstrip("/"))
    return posixpath.join(parent, f"{ASIDE.format(name)}-{time.time_ns():019d}-{secrets.token_hex(4)}")


def asides(fs: Any, path: str) -> list[str]:
    """The old ones of `path` that wait, the latest last."""
    parent, name = posixpath.split(path.rstrip("/"))
    try:
        found = [posixpath.basename(str(entry).rstrip("/")) for entry in fs.ls(parent, detail=False)]
    except OSError:  # there is no such directory, or we may not look into it
        return []
    start = ASIDE.format(name)
    return [posixpath.join(parent, entry) for entry in sorted(found) if entry == start or entry.startswith(f"{start}-")]


def rename(fs: Any, source: str, target: str) -> None:
    """Rename a file or directory and check that it happened: some stores only return False.

    FileExistsError if `target` exists: it is never replaced, on local disks and HDFS not even if it appears meanwhile.
    """
    if is_local(fs):
        _rename_locally(source, target)
        return
    if fs.exists(target):
        raise FileExistsError(f"{target}: exists already")
    fs.mv(source, target, recursive=fs.isdir(source))
    if fs.exists(source) or not fs.exists(target):
        raise DataError(f"{target}: could not be written: renaming {source} to it failed")


def _rename_locally(source: str, target: str) -> None:
    if os.path.isdir(source) and not os.path.islink(source):
        if os.path.lexists(target):  # an empty directory would be replaced
            raise FileExistsError(f"{target}: exists already")
        try:
            os.rename(source, target)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise FileExistsError(f"{target}: exists already") from None
            raise
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError as error:  # a disk without links
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
            raise
        if os.path.lexists(target):
            raise FileExistsError(f"{target}: exists already") from None
        os.rename(source, target)
    else:
        os.remove(source)


def is_here(url: str) -> bool:
    """Whether a URL's bytes are on this machine, so that reading is a matter of cores and not of waiting."""
    return is_local(open_fs(url)[0])


def is_local(fs: Any) -> bool:
    return "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)
