"""WebHDFS: Hadoop's file system over HTTP, for who reaches a cluster by its web ports alone."""

from __future__ import annotations

import json
import string
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from contextlib import nullcontext
from functools import lru_cache
from typing import Any, final

from hdfs_io import hadoop
from hdfs_io.errors import DataError
from hdfs_io.hdfs_file import HdfsReader, HdfsWriter
from hdfs_io.named import Named, parted

SCHEMES = {"webhdfs": "http", "swebhdfs": "https"}
ANSWER = 60.0  # seconds for an answer to begin, and for what follows of it not to pause
HELD = 64 << 20  # bytes of a file being written that are held in memory; beyond, on the local disk
FAULTS = {"FileNotFoundException": FileNotFoundError, "FileAlreadyExistsException": FileExistsError}

# a proxy that the environment names leads out of the cluster, not into it
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def open_webhdfs(url: str) -> tuple[WebHdfs, str]:
    """The file system of a webhdfs:// or swebhdfs:// URL, and the path in it, its every letter taken as it is."""
    scheme, authority, path = parted(url)
    if not authority:
        raise DataError(f"{url}: name the host and the web port of the NameNode: {scheme}://HOST:9870/...")
    return _file_system(scheme, authority, hadoop.user()), path


@final
class WebHdfs(Named):
    """One NameNode's files. Safe for use by several threads."""

    protocol = tuple(SCHEMES)

    def __init__(self, scheme: str, authority: str, user: str) -> None:
        super().__init__(scheme, authority)
        self._web = f"{SCHEMES[scheme]}://{authority}/webhdfs/v1"
        self._user = user

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        return _info(self._ask("GET", path, "GETFILESTATUS")["FileStatus"], path)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        below = self._ask("GET", path, "LISTSTATUS")["FileStatuses"]["FileStatus"]
        names = (f"{path.rstrip('/')}/{each['pathSuffix']}" if each["pathSuffix"] else path for each in below)
        found = [_info(each, name) for each, name in zip(below, names, strict=True)]
        return found if detail else [info["name"] for info in found]

    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:  # noqa: ARG002 (HDFS always does)
        self._ask("PUT", self._strip_protocol(path), "MKDIRS")

    def mv(self, path1: str, path2: str, **_: Any) -> None:
        """Rename; what HDFS refuses it only answers with false, as where the target exists."""
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        if not self._ask("PUT", source, "RENAME", destination=target)["boolean"]:
            raise FileNotFoundError(f"{self.unstrip_protocol(source)}: could not be renamed to {target}")

    def rm(self, path: str | list[str], recursive: bool = False, maxdepth: int | None = None) -> None:  # noqa: ARG002 (fsspec's)
        said = {"recursive": str(recursive).lower()}
        for one in [path] if isinstance(path, str) else path:
            if not self._ask("DELETE", self._strip_protocol(one), "DELETE", **said)["boolean"]:
                raise FileNotFoundError(f"{self.unstrip_protocol(one)}: no such file")

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        path = self._strip_protocol(path)
        if mode == "rb":
            return HdfsReader(_Ranges(self, path, self.info(path)["size"]), _plainly)
        if mode not in ("wb", "ab"):
            raise ValueError(f"HDFS has no mode {mode}: rb, wb, ab")
        return HdfsWriter(_Upload(self, path, fresh=mode == "wb" or not self.exists(path)), _plainly)

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """So many bytes of a file; DataError if there are fewer."""
        found = self._call("GET", self._address(path, "OPEN", offset=offset, length=length), path)
        if len(found) != length:
            raise DataError(f"{self.unstrip_protocol(path)}: cut short: {len(found):,} bytes, asked were {length:,}")
        return found

    def send(self, path: str, data: Any, *, fresh: bool) -> None:
        """Write a file, or append to it: a NameNode says which DataNode takes the bytes."""
        method, op = ("PUT", "CREATE") if fresh else ("POST", "APPEND")
        said = {"overwrite": "true"} if fresh else {}
        where = str(self._ask(method, path, op, noredirect="true", **said)["Location"])
        self._call(method, urllib.parse.quote(where, safe=string.punctuation), path, data)  # it may hold any letters

    def _ask(self, method: str, path: str, op: str, **said: Any) -> Any:
        return json.loads(self._call(method, self._address(path, op, **said), path))

    def _address(self, path: str, op: str, **said: Any) -> str:
        query = urllib.parse.urlencode({"op": op, "user.name": self._user, **said})
        return f"{self._web}{urllib.parse.quote(path)}?{query}"

    def _call(self, method: str, address: str, path: str, data: Any = None) -> bytes:
        url = self.unstrip_protocol(path)
        headers = {} if data is None else {"Content-Type": "application/octet-stream", "Content-Length": _size(data)}
        request = urllib.request.Request(address, data, headers, method=method)  # noqa: S310 (http or https)
        try:
            with _direct.open(request, timeout=ANSWER) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            raise _fault(url, error) from None
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", error)
            raise DataError(f"{url}: no answer over HTTP ({why}); is the web port of a NameNode right?") from error


@final
class _Ranges:
    """A file's bytes by place."""

    def __init__(self, fs: WebHdfs, path: str, size: int) -> None:
        self._fs, self._path, self._size = fs, path, size

    def __len__(self) -> int:
        return self._size

    def read_range(self, offset: int, length: int) -> bytes:
        return self._fs.read_range(self._path, offset, length)


@final
class _Upload:
    """Bytes that are sent at the end, in one request."""

    def __init__(self, fs: WebHdfs, path: str, *, fresh: bool) -> None:
        self._fs, self._path, self._fresh = fs, path, fresh
        self._held = tempfile.SpooledTemporaryFile(HELD)  # noqa: SIM115 (closed by close)

    def write(self, data: bytes) -> None:
        self._held.write(data)

    def close(self) -> None:
        with self._held as held:
            held.seek(0)
            self._fs.send(self._path, held, fresh=self._fresh)


@lru_cache(maxsize=64)
def _file_system(scheme: str, authority: str, user: str) -> WebHdfs:
    return WebHdfs(scheme, authority, user)


def _plainly() -> Any:
    """Errors here say themselves which file they are about."""
    return nullcontext()


def _size(data: Any) -> str:
    at = data.tell()
    end = data.seek(0, 2)
    data.seek(at)
    return str(end - at)


def _info(status: dict[str, Any], path: str) -> dict[str, Any]:
    return {"name": path, "size": int(status["length"]), "type": status["type"].lower()}


def _fault(url: str, error: urllib.error.HTTPError) -> Exception:
    """What a NameNode or DataNode answers instead, as every other store would say it."""
    try:
        said = json.loads(error.read())["RemoteException"]
        name, message = str(said["exception"]), str(said["message"]).partition("\n")[0]
    except (ValueError, KeyError, TypeError, OSError):
        return DataError(f"{url}: HTTP answers {error.code} ({error.reason}); is this the web port of a NameNode?")
    if name in FAULTS:
        return FAULTS[name](f"{url}: {message}")
    return DataError(f"{url}: {name}: {message}")
