"""File systems that take every letter of a path as it is, and name files by URL: what Hadoop's two have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from fsspec import AbstractFileSystem


def parted(url: str) -> tuple[str, str, str]:
    """Scheme, authority and path of a URL."""
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return scheme, authority, f"{slash}{path}" or "/"


class Named(AbstractFileSystem):  # type: ignore[misc]
    """One authority's files."""

    protocol: ClassVar[tuple[str, ...]]
    root_marker = "/"
    cachable = False

    def __init__(self, scheme: str, authority: str) -> None:
        super().__init__()
        self._prefix = f"{scheme}://{authority}"

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        if path.startswith(tuple(f"{scheme}://" for scheme in cls.protocol)):
            path = parted(path)[2]
        return path.rstrip("/") or "/"

    def unstrip_protocol(self, name: str) -> str:
        return f"{self._prefix}{self._strip_protocol(name)}"

    @abstractmethod
    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """FileNotFoundError if there is nothing."""

    @abstractmethod
    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None: ...

    @abstractmethod
    def rm(self, path: str | list[str], recursive: bool = False, maxdepth: int | None = None) -> None: ...

    def exists(self, path: str, **_: Any) -> bool:
        try:
            self.info(path)
        except FileNotFoundError:
            return False
        return True

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        if not exist_ok and self.exists(path):
            raise FileExistsError(f"{self.unstrip_protocol(path)}: exists already")
        self.mkdir(path)

    def rm_file(self, path: str) -> None:
        self.rm(path)

    def rmdir(self, path: str) -> None:
        self.rm(path)
