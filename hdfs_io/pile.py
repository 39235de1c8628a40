"""Pile: rows on a local disk, appended and read by slices, in files without a name: they end with the process."""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hdfs_io.csr import CSR
from hdfs_io.errors import DataError
from hdfs_io.rows import Rows


def spill_folder() -> str:
    """Where data that memory can't hold goes: the container's disk with most room, else TMPDIR, else /var/tmp."""
    disks = [disk for disk in os.environ.get("LOCAL_DIRS", "").split(",") if os.path.isdir(disk)]
    if disks:
        return max(disks, key=room)
    return os.environ.get("TMPDIR") or ("/var/tmp" if os.path.isdir("/var/tmp") else tempfile.gettempdir())  # noqa: S108 (files there have no name)


def room(folder: str) -> int:
    """Bytes that this user may still write there."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


@contextmanager
def full_disk(folder: str) -> Iterator[None]:
    """A full disk as DataError, with what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DataError(
            f"{folder}: full, while data beyond memory was written there; make room, name another disk in "
            "TMPDIR, or use more workers or a larger --data-memory"
        ) from error


@final
class Strip:
    """An array on disk, along its first axis."""

    def __init__(self, folder: str, dtype: DTypeLike, shape: tuple[int, ...] = ()) -> None:
        with tempfile.TemporaryFile(dir=folder) as file:
            self._fd = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._fd)
        self._folder = folder
        self.dtype, self.shape = np.dtype(dtype), shape
        self._row = self.dtype.itemsize * int(np.prod(shape, dtype=np.int64))

    def append(self, array: NDArray[Any]) -> None:
        """DataError if the disk is full."""
        view = _bytes(np.ascontiguousarray(array, self.dtype))
        with full_disk(self._folder):
            while view:
                view = view[os.write(self._fd, view) :]

    def read(self, lo: int, hi: int) -> NDArray[Any]:
        found = np.empty((hi - lo, *self.shape), self.dtype)
        view, at = _bytes(found), lo * self._row
        while view:
            got = os.preadv(self._fd, [view], at)
            assert got > 0, "a strip is read where it was written"
            view, at = view[got:], at + got
        return found


def _bytes(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


@final
class Pile:
    """Rows (their ids left out) on disk."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._strips: dict[str, Strip] = {}
        self._values = self._width = 0
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def append(self, rows: Rows) -> None:
        X = rows.X
        if isinstance(X, CSR):
            self._width = X.width
            if "starts" not in self._strips:
                self._append("starts", np.zeros(1, np.int64))
            self._append("starts", X.indptr[1:] + self._values)
            self._append("indices", X.indices)
            self._append("values", X.values)
            self._values += len(X.values)
        else:
            self._append("X", X)
        for name in ("y", "weight", "number"):
            if (array := getattr(rows, name)) is not None:
                self._append(name, array)
        self._rows += len(rows)

    def read(self, lo: int, hi: int) -> Rows:
        """Rows [lo, hi) of a pile that isn't empty, in memory of their own."""

        def part(name: str) -> Any:
            return self._strips[name].read(lo, hi) if name in self._strips else None

        X = part("X") if "X" in self._strips else self._sparse(lo, hi)
        return Rows(X, part("y"), part("weight"), None, part("number"))

    def _sparse(self, lo: int, hi: int) -> CSR:
        indptr = self._strips["starts"].read(lo, hi + 1)
        begin, end = int(indptr[0]), int(indptr[-1])
        indices, values = (self._strips[name].read(begin, end) for name in ("indices", "values"))
        return CSR(indptr - begin, indices, values, self._width)

    def _append(self, name: str, array: NDArray[Any]) -> None:
        if name not in self._strips:
            self._strips[name] = Strip(self._folder, array.dtype, array.shape[1:])
        self._strips[name].append(array)
