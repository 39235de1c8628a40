"""A checkpoint's rows as files: one for each server that wrote it, read by rows by any number of servers.

    <url>/server-<j>.npz     about: JSON (format, clock, server, servers, and of each table: name, shape, dtype, where
                             its chunks begin, what its function keeps); <table>/<first row>/values and
                             <table>/<first row>/state/<name> of each chunk of rows

Its chunks are small, so that who restores some of the rows reads little more than these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, final

import numpy as np

from hdfs_io import join, open_fs
from hdfs_io.store import open_read
from yarnml.errors import DataError, UsageError
from yarnml.ps.checkpoint.origin import Array, Chunk, Origin
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.spec import TableSpec, bounds

FORMAT = 1


def write_shard(url: str, snapshot: Snapshot) -> None:
    """Write a server's part of the checkpoint into the directory `url`, over what is there of an earlier try."""
    about = {
        "format": FORMAT, "clock": snapshot.clock, "server": snapshot.server, "servers": snapshot.servers,
        "tables": [_about(spec, chunks) for spec, chunks in snapshot.tables],
    }  # fmt: skip
    arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for t, (_, chunks) in enumerate(snapshot.tables):
        for chunk in chunks:
            arrays[f"{t}/{chunk.start}/values"] = chunk.values
            arrays |= {f"{t}/{chunk.start}/state/{name}": array for name, array in chunk.state.items()}
    fs, path = open_fs(url)
    fs.makedirs(path, exist_ok=True)
    with fs.open(join(path, _name(snapshot.server)), "wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def _about(spec: TableSpec, chunks: tuple[Chunk, ...]) -> dict[str, Any]:
    return {
        "name": spec.name, "shape": spec.shape, "dtype": spec.dtype, "starts": [chunk.start for chunk in chunks],
        "state": _kept(spec),
    }  # fmt: skip


@final
class Saved(Origin):
    """The rows of the checkpoint in the directory `url`. Raises DataError naming a file that is missing or broken."""

    def __init__(self, url: str, clock: int) -> None:
        """`clock`: of which it must be."""
        self._url, self._clock = url, clock
        with _opened(url, 0, clock) as file:
            self._servers = file.servers

    def refuse(self, specs: Iterable[TableSpec]) -> None:
        """Raise UsageError unless each of these tables was the same when the checkpoint was made."""
        with _opened(self._url, 0, self._clock) as file:
            for spec in specs:
                file.table(spec)

    def chunks(self, spec: TableSpec, start: int, stop: int) -> Iterator[Chunk]:
        cuts = bounds(spec.rows, self._servers)
        for server in range(self._servers):
            low, high = max(start, cuts[server]), min(stop, cuts[server + 1])
            if low < high:
                with _opened(self._url, server, self._clock) as file:
                    yield from file.chunks(spec, low, high)


@contextmanager
def _opened(url: str, server: int, clock: int) -> Iterator[_File]:
    """One server's file of the checkpoint at `clock`."""
    url = join(url, _name(server))
    try:
        with open_read(url) as raw, np.load(raw, allow_pickle=False) as arrays:
            file = _File(url, arrays, json.loads(bytes(arrays["about"])))
            file.refuse_other(server, clock)
            yield file
    except FileNotFoundError as error:
        raise DataError(f"{url}: no such file: the checkpoint isn't whole; resume from another one") from error
    except (DataError, UsageError):
        raise
    except Exception as error:  # zipfile and numpy raise a dozen kinds at bytes that make no sense
        raise DataError(f"{url}: is broken ({error}); resume from another checkpoint") from error


@final
class _File:
    """What one server wrote."""

    def __init__(self, url: str, arrays: Mapping[str, Array], about: dict[str, Any]) -> None:
        self._url, self._arrays, self._tables = url, arrays, about["tables"]
        self._format, self._clock = about["format"], about["clock"]
        self._server, self.servers = about["server"], about["servers"]

    def refuse_other(self, server: int, clock: int) -> None:
        """Raise UsageError if a newer yarnml wrote it, DataError if it isn't this server's part as of this clock."""
        if self._format > FORMAT:
            raise UsageError(
                f"{self._url}: this checkpoint has format {self._format}, and this yarnml reads up to {FORMAT}; "
                "update yarnml"
            )
        if (self._server, self._clock) != (server, clock):
            raise DataError(f"{self._url}: isn't server {server}'s part of the checkpoint at clock {clock}")

    def chunks(self, spec: TableSpec, start: int, stop: int) -> Iterator[Chunk]:
        """Rows [start, stop), all of which this server had."""
        t, table = self.table(spec)
        starts = [*table["starts"], spec.rows]
        at = start
        for first, end in pairwise(starts):
            if first < stop and at < end:
                chunk = self._chunk(t, table, first)
                low, high = at - first, min(stop, first + len(chunk.values)) - first
                self._check(spec, chunk, low, high)
                state = {name: array[low:high] for name, array in chunk.state.items()}
                yield Chunk(at, chunk.values[low:high], state)
                at = first + high
        if at != stop:
            raise DataError(f"{self._url}: rows [{at}, {stop}) of table {spec.name!r} are missing")

    def table(self, spec: TableSpec) -> tuple[int, dict[str, Any]]:
        """Its number and description; raises UsageError if it was another when the checkpoint was made."""
        for t, table in enumerate(self._tables):
            if table["name"] == spec.name:
                was = (tuple(table["shape"]), table["dtype"], table["state"])
                now = (spec.shape, spec.dtype, _kept(spec))
                if was != now:
                    raise UsageError(
                        f"table {spec.name!r} is {_told(*now)}, and in the checkpoint {self._url} {_told(*was)}; "
                        "it can be resumed only as it was"
                    )
                return t, table
        raise UsageError(f"the checkpoint {self._url} has no table {spec.name!r}: it is another app's or config's")

    def _chunk(self, t: int, table: dict[str, Any], first: int) -> Chunk:
        at = f"{t}/{first}"
        state = {name: self._arrays[f"{at}/state/{name}"] for name in table["state"]}
        return Chunk(first, self._arrays[f"{at}/values"], state)

    def _check(self, spec: TableSpec, chunk: Chunk, low: int, high: int) -> None:
        """DataError if a chunk isn't what the file says of it."""
        n = len(chunk.values)
        fits = 0 <= low < high <= n and chunk.values.shape == (n, spec.width) and chunk.values.dtype == spec.numpy_dtype
        kept = spec.function.state((n, spec.width), spec.numpy_dtype)
        same = all(
            (array.shape, array.dtype) == (kept[name].shape, kept[name].dtype) for name, array in chunk.state.items()
        )
        if not (fits and same):
            raise DataError(f"{self._url}: is broken: rows from {chunk.start} on of table {spec.name!r} don't fit it")


def _name(server: int) -> str:
    return f"server-{server}.npz"


def _kept(spec: TableSpec) -> list[str]:
    """The names of what the table's function keeps beside the rows."""
    return sorted(spec.function.state((0, spec.width), spec.numpy_dtype))


def _told(shape: tuple[int, int], dtype: str, state: list[str]) -> str:
    return f"{shape[0]} x {shape[1]} of {dtype}" + (f" with {', '.join(state)}" if state else "")
