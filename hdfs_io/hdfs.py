"""HDFS: Hadoop's file system as fsspec knows file systems, by hdfs-native, without a JVM.

Errors are those of every other store: FileNotFoundError, FileExistsError, and DataError in one line for all else.
A process that has used a client must not be forked (the child hangs): start children afresh.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, final

from fsspec import AbstractFileSystem

from hdfs_io import hadoop
from hdfs_io.errors import DataError

if TYPE_CHECKING:
    from hdfs_native import Client

SCHEMES = ("hdfs", "viewfs")
PROBE = 2.0  # seconds for a NameNode's host to take a connection
ANSWER = 6.0  # seconds for the first answer
BUFFER = 1 << 20  # bytes asked for at a time by readers that take small bites
OPTIONS = {  # about 8 s for a NameNode that went away; the defaults go on for 3 minutes
    "dfs.client.failover.max.attempts": "8",
    "dfs.client.failover.sleep.max.millis": "1500",
}


def open_hdfs(url: str) -> tuple[Hdfs, str]:
    """The file system of an hdfs:// or viewfs:// URL, and the path in it, its every letter taken as it is."""
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return _connected(scheme, authority, _identity()), f"{slash}{path}" or "/"


@final
class Hdfs(AbstractFileSystem):  # type: ignore[misc]
    """One cluster's file system. Safe for use by several threads."""

    protocol = SCHEMES
    root_marker = "/"
    cachable = False

    def __init__(self, scheme: str, authority: str) -> None:
        """`authority`: host, host:port, nameservice, or empty for the default file system."""
        super().__init__()
        self._prefix = f"{scheme}://{authority}"
        self._client = _client(scheme, authority)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        if path.startswith(tuple(f"{scheme}://" for scheme in SCHEMES)):
            path = "/" + path.partition("://")[2].partition("/")[2]
        return path.rstrip("/") or "/"

    def unstrip_protocol(self, name: str) -> str:
        return f"{self._prefix}{self._strip_protocol(name)}"

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        with self._saying(path):
            return _info(self._client.get_file_info(path))

    def exists(self, path: str, **_: Any) -> bool:
        try:
            self.info(path)
        except FileNotFoundError:
            return False
        return True

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        with self._saying(path):
            found = [_info(status) for status in self._client.list_status(path, False)]
        return found if detail else [info["name"] for info in found]

    def mkdir(self, path: str, create_parents: bool = True, *, permission: int = 0o755, **_: Any) -> None:
        path = self._strip_protocol(path)
        with self._saying(path):
            self._client.mkdirs(path, permission, create_parents)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        if not exist_ok and self.exists(path):
            raise FileExistsError(f"{self.unstrip_protocol(path)}: exists already")
        self.mkdir(path)

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

    def rm_file(self, path: str) -> None:
        self.rm(path)

    def rmdir(self, path: str) -> None:
        self.rm(path)

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
            inner = self._client.create(path, _overwriting()) if fresh else self._client.append(path)
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
            raise DataError(f"{self.unstrip_protocol(path)}: {_one_line(str(error))}") from error


MEANS = {  # Java's name -> ours
    "AccessControlException": "not allowed",
    "SafeModeException": "HDFS is in safe mode",
    "QuotaExceededException": "the quota is used up",
    "StandbyException": "this NameNode is not the active one",
}
Saying = Callable[[], Any]


@final
class HdfsReader(io.BufferedIOBase):
    """A file being read. Small bites are served from a buffer, since each look at HDFS is a request."""

    def __init__(self, inner: Any, saying: Saying) -> None:
        self._inner, self._saying = inner, saying
        self.size = len(inner)
        self._at = 0
        self._kept, self._kept_at = b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(0, self.size - self._at)
        wanted = left if size is None or size < 0 else min(size, left)
        found = self._read(wanted) if wanted else b""
        self._at += len(found)
        return found

    def read1(self, size: int = -1, /) -> bytes:
        return self.read(BUFFER if size < 0 else size)

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        found = self.read(len(view))
        view[: len(found)] = found
        return len(found)

    def _read(self, wanted: int) -> bytes:
        low = self._at - self._kept_at
        if low >= 0 and low + wanted <= len(self._kept):
            return self._kept[low : low + wanted]
        with self._saying():
            if wanted >= BUFFER:
                return bytes(self._inner.read_range(self._at, wanted))
            self._kept = bytes(self._inner.read_range(self._at, min(BUFFER, self.size - self._at)))
        self._kept_at = self._at
        return self._kept[:wanted]


@final
class HdfsWriter(io.BufferedIOBase):
    """A file being written. Others can read it once it is closed.

    HDFS keeps what was written of a file even if its writer fails: who wants it whole writes beside and renames.
    """

    def __init__(self, inner: Any, saying: Saying) -> None:
        self._inner, self._saying = inner, saying
        self._at = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        with self._saying():
            self._inner.write(data if isinstance(data, bytes) else bytes(data))
        self._at += size
        return size

    def close(self) -> None:
        if not self.closed:
            super().close()
            with self._saying():
                self._inner.close()


@lru_cache(maxsize=64)
def _connected(scheme: str, authority: str, _identity: tuple[str | None, ...]) -> Hdfs:
    """One client for all uses of a cluster by one user under one configuration."""
    return Hdfs(scheme, authority)


def _identity() -> tuple[str | None, ...]:
    names = ("HADOOP_CONF_DIR", "HADOOP_HOME", "HADOOP_USER_NAME", "KRB5CCNAME", "HADOOP_TOKEN_FILE_LOCATION")
    return (str(os.getpid()), *(os.environ.get(name) for name in names))


def _client(scheme: str, authority: str) -> Client:
    """DataError, within 10 s, by address, if no NameNode answers."""
    try:
        from hdfs_native import Client
    except ImportError as error:
        why = _one_line(str(error))
        raise DataError(
            f"{scheme}://{authority}: HDFS needs the package hdfs-native ({why}); pip install hdfs-native"
        ) from error
    if scheme == "viewfs":
        return Client(f"viewfs://{authority}", dict(OPTIONS))
    where = authority or hadoop.default_fs()
    nodes = hadoop.namenodes(where)
    faults = [hadoop.answers(node, PROBE) for node in nodes]
    if all(faults):
        raise DataError(
            f"hdfs://{where}: no NameNode answers at {hadoop.spoken(nodes)} ({_one_line(faults[0])}); is HDFS up, "
            "and is the address right?"
        )
    if where not in hadoop.services():
        where = "{}:{}".format(*nodes[0])
    client = Client(f"hdfs://{where}", dict(OPTIONS))
    _first_answer(client, where, nodes)
    return client


def _first_answer(client: Client, where: str, nodes: tuple[hadoop.Address, ...]) -> None:
    """Ask a first question: hdfs-native waits for ever for a host that takes connections and says nothing."""
    said: list[Exception | None] = []

    def ask() -> None:
        try:
            client.get_file_info("/")
        except Exception as error:  # noqa: BLE001 (told by the thread that waits)
            said.append(error)
        else:
            said.append(None)

    thread = threading.Thread(target=ask, name="hdfs-first-answer", daemon=True)
    thread.start()
    thread.join(ANSWER)
    if not said:
        raise DataError(f"hdfs://{where}: {hadoop.spoken(nodes)} gave no answer within {ANSWER:g} s; is it a NameNode?")
    if said[0] is not None and "AccessControlException" not in str(said[0]):
        raise DataError(f"hdfs://{where}: {hadoop.spoken(nodes)}: {_one_line(str(said[0]))}") from said[0]


def _overwriting() -> Any:
    from hdfs_native import WriteOptions

    options = WriteOptions()
    options.overwrite = True
    return options


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


def _one_line(text: str) -> str:
    """What matters of a Java exception: its message, without the class, the stack and the quotes around."""
    line = next((line.strip() for line in text.replace("\\n", "\n").splitlines() if line.strip()), "no reason given")
    for name, means in MEANS.items():
        if name in text:
            said = (line.partition(name)[2] or line).replace("\\", "").replace('"', "")
            return f"{means}: {said.strip(' :,')}"
    return line
