"""Store: any place that fsspec knows, named by a URL. Nothing in this package opens a path in another way."""

from __future__ import annotations

import io
import posixpath
import secrets
from typing import Any

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.memory import MemoryFile

from hdfs_io.errors import DataError
from hdfs_io.hdfs import Hdfs, open_hdfs


def open_fs(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """The file system of a URL or local path, and the path in it."""
    if url.startswith(("hdfs://", "viewfs://")):
        return open_hdfs(url)
    try:
        fs, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise DataError(f"{url}: no way to reach this store ({error})") from error
    return fs, path


def open_read(url: str) -> Any:
    """A seekable binary file of the URL, at its begin, for one thread."""
    fs, path = open_fs(url)
    file = fs.open(path, "rb")
    if isinstance(file, MemoryFile):  # fsspec hands all its readers one file with one position
        return io.BytesIO(file.getvalue())
    return file


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
    fs, path = open_fs(url)
    try:
        return bytes(fs.cat_file(path)).decode()
    except FileNotFoundError as error:
        raise DataError(f"{url}: no such file") from error


def write_text(url: str, text: str) -> None:
    """Write a file whole: beside, then renamed over the old one, so that a reader sees the old or the new."""
    fs, path = open_fs(url)
    fs.makedirs(posixpath.dirname(path), exist_ok=True)
    beside = hidden(path)
    try:
        fs.pipe_file(beside, text.encode())
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

    A file is renamed over the old one where the store can do that. A directory nowhere is.
    """
    if isinstance(fs, Hdfs) and fs.isfile(source) and fs.exists(target) and fs.isfile(target):
        fs.mv(source, target, overwrite=True)
        return
    if not fs.exists(target) or (is_local(fs) and fs.isfile(target)):
        rename(fs, source, target)
        return
    old = aside(target)
    if fs.exists(old):
        fs.rm(old, recursive=True)
    rename(fs, target, old)
    try:
        rename(fs, source, target)
    except BaseException:
        rename(fs, old, target)
        raise
    fs.rm(old, recursive=True)


def aside(path: str) -> str:
    """Where the old `path` waits while the new one takes its place."""
    parent, name = posixpath.split(path.rstrip("/"))
    return posixpath.join(parent, f".{name}.yarnml-old")


def rename(fs: Any, source: str, target: str) -> None:
    """Rename a file or directory and check that it happened: some stores only return False."""
    fs.mv(source, target, recursive=fs.isdir(source))
    if fs.exists(source) or not fs.exists(target):
        raise DataError(f"{target}: could not be written: renaming {source} to it failed")


def is_local(fs: Any) -> bool:
    return "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)
