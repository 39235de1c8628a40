"""HDFS: Hadoop's file system as fsspec knows file systems, by hdfs-native, without a JVM.

Errors are those of every other store: FileNotFoundError, FileExistsError, and DataError in one line for all else.
A process that has used a client must not be forked (the child hangs): start children afresh.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, final

from hdfs_io.errors import DataError
from hdfs_io.hdfs_client import connected, one_line, overwriting
from hdfs_io.hdfs_file import HdfsReader, HdfsWriter
from hdfs_io.named import Named, parted

SCHEMES = ("hdfs", "viewfs")


def open_hdfs(url: str) -> tuple[Hdfs, str]:
    """The file system of an hdfs:// or viewfs:// URL, and the path in it, its every letter taken as it is."""
    scheme, authority, path = parted(url)
    return _file_system(scheme, authority, _identity()), path


@final
class Hdfs(Named):
    """One cluster's file system. Safe for use by several threads."""

    protocol = SCHEMES

    def __init__(self, scheme: str, authority: str) -> None:
        """`authority`: host, host:port, nameservice, or empty for the default file system."""
        super().__init__(scheme, authority)
        self._client = connected(scheme, authority)

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        with self._saying(path):
            return _info(self._client.get_file_info(path))

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        with self._saying(path):
            found = [_info(status) for status in self._client.list_status(path, False)]
        return found if detail else [info["name"] for info in found]

    def mkdir(self, path: str, create_parents: bool = True, *, permission: int = 0o755, **_: Any) -> None:
        path = self._strip_protocol(path)
        with self._saying(path):
            self._client.mkdirs(path, permission, create_parents)

    def mv(self, path1: str, path2: str, *, overwrite: bool = False, **_: Any) -> None:
        """Rename; with `overwrite` a file takes another file's place at once."""
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        with self._saying(target):
            self._client.rename(source, target, overwrite)

    def rm(self, path: str | list[str], recursive: bool = False, maxdepth: int | None = None) -> None:  # noqa: ARG002 (fsspec's)
        for one in [path] if isinstance(path, str) else path:
            with self._saying(one):
                if not self._client.delete(self._strip_protocol(one), recursive):
                    raise FileNotFoundError(f"{self.unstrip_protocol(one)}: no such file")

    def chmod(self, path: str, mode: int) -> None:
        with self._saying(path):
            self._client.set_permission(self._strip_protocol(path), mode)

    def modified(self, path: str) -> datetime:
        return datetime.fromtimestamp(self.info(path)["modification_time"] / 1000, UTC)

    def ukey(self, path: str) -> str:
        info = self.info(path)
        return f"{info['name']} {info['size']} {info['modification_time']}"

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        with self.open(path, "rb") as file:
            size = file.size
            low = 0 if start is None else start if start >= 0 else max(0, size + start)
            high = size if end is None else end if end >= 0 else size + end
            file.seek(min(low, size))
            return bytes(file.read(max(0, high - low)))

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        path = self._strip_protocol(path)
        with self._saying(path):
            if mode == "rb":
                return HdfsReader(self._client.read(path), lambda: self._saying(path))
            if mode not in ("wb", "ab"):
                raise ValueError(f"HDFS has no mode {mode}: rb, wb, ab")
            fresh = mode == "wb" or not self.exists(path)
            inner = self._client.create(path, overwriting()) if fresh else self._client.append(path)
            return HdfsWriter(inner, lambda: self._saying(path))

    @contextmanager
    def _saying(self, path: str) -> Iterator[None]:
        """Errors by the file's URL, in one line."""
        try:
            yield
        except FileNotFoundError:
            raise FileNotFoundError(f"{self.unstrip_protocol(path)}: no such file or directory") from None
        except FileExistsError:
            raise FileExistsError(f"{self.unstrip_protocol(path)}: exists already") from None
        except (RuntimeError, OSError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{self.unstrip_protocol(path)}: {one_line(str(error))}") from error


@lru_cache(maxsize=64)
def _file_system(scheme: str, authority: str, _identity: tuple[str | None, ...]) -> Hdfs:
    """One client for all uses of a cluster by one user under one configuration."""
    return Hdfs(scheme, authority)


def _identity() -> tuple[str | None, ...]:
    names = ("HADOOP_CONF_DIR", "HADOOP_HOME", "HADOOP_USER_NAME", "KRB5CCNAME", "HADOOP_TOKEN_FILE_LOCATION")
    return (str(os.getpid()), *(os.environ.get(name) for name in names))


def _info(status: Any) -> dict[str, Any]:
    return {
        "name": status.path,
        "size": status.length,
        "type": "directory" if status.isdir else "file",
        "permission": status.permission,
        "owner": status.owner,
        "group": status.group,
        "modification_time": status.modification_time,  # milliseconds since 1970
    }
