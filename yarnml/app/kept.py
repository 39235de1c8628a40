"""Kept: what a worker keeps over clocks, beside its tables: an app's `state`, and what the frame knows of passes.

    <checkpoint>/worker-<i>.npz     about: JSON (format, worker, workers, rows, state: name -> by what it goes, frame);
                                    state/<name>; of worker 0 also best/<name>, the best model's arrays

State by rows is written in the data set's order, so that another number of workers can share it out again. What is the
same on all workers is written by worker 0.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import join, open_fs
from hdfs_io.store import open_read
from yarnml.errors import DataError, UsageError

FORMAT = 1
By = Literal["worker", "rows", "all"]
Array = NDArray[Any]


@final
@dataclass
class Part:
    """One worker's."""

    worker: int
    workers: int
    rows: int  # training rows of this worker
    state: dict[str, Array] = field(default_factory=dict)
    by: dict[str, By] = field(default_factory=dict)
    frame: dict[str, Any] = field(default_factory=dict)
    best: Mapping[str, Array] = field(default_factory=dict)

    def write(self, url: str) -> None:
        """Into the directory `url`, over what is there of an earlier try."""
        about = {
            "format": FORMAT, "worker": self.worker, "workers": self.workers, "rows": self.rows, "by": self.by,
            "frame": self.frame,
        }  # fmt: skip
        mine = [name for name in self.state if self.worker == 0 or self.by[name] != "all"]
        arrays: dict[str, Any] = {f"state/{name}": self.state[name] for name in mine}
        arrays |= {f"best/{name}": array for name, array in self.best.items()}
        fs, path = open_fs(url)
        fs.makedirs(path, exist_ok=True)
        with fs.open(join(path, _name(self.worker)), "wb") as file:
            np.savez(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)


def read(url: str, worker: int, *, arrays: bool = True) -> Part:
    """Without `arrays` only what the file says of them. Raises DataError naming a file that is missing or broken."""
    file = join(url, _name(worker))
    try:
        with np.load(open_read(file), allow_pickle=False) as found:
            about = json.loads(bytes(found["about"]))
            held = {name: found[name] for name in found.files if arrays and name != "about"}
        if about["format"] > FORMAT:
            raise DataError(f"{file}: has format {about['format']}, and this yarnml reads up to {FORMAT}")
        state, best = (
            {n.removeprefix(p): array for n, array in held.items() if n.startswith(p)} for p in ("state/", "best/")
        )
        return Part(about["worker"], about["workers"], about["rows"], state, about["by"], about["frame"], best)
    except FileNotFoundError as error:
        raise DataError(f"{file}: no such file: the checkpoint isn't whole") from error
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{file}: is broken ({error}); resume from another checkpoint") from error


def restored(url: str, worker: int, workers: int, first: int, rows: int) -> Part:
    """What worker `worker` of `workers` begins with, whose training rows are [first, first + rows) of all of them.

    Raises UsageError for state that belongs to a worker where there were more or fewer of them.
    """
    head = read(url, 0)
    if head.workers == workers:
        own = head if worker == 0 else read(url, worker)
        _refuse_other_rows(own, own.rows, rows)
        state = own.state | {name: head.state[name] for name, by in own.by.items() if by == "all"}
        return Part(worker, workers, own.rows, state, own.by, head.frame, head.best)
    refuse_other_workers(head, workers)
    parts = [head, *(read(url, other) for other in range(1, head.workers))]
    if worker == workers - 1:
        _refuse_other_rows(head, sum(part.rows for part in parts), first + rows)
    state = {
        name: head.state[name] if by == "all" else _shared([part.state[name] for part in parts], first, rows)
        for name, by in head.by.items()
    }
    return Part(worker, workers, rows, state, head.by, head.frame, head.best)


def refuse_other_workers(part: Part, workers: int) -> None:
    """Raise UsageError for state that belongs to a worker where there were more or fewer than `workers`."""
    whole = [name for name, by in part.by.items() if by == "worker"]
    if whole and part.workers != workers:
        raise UsageError(
            f"--workers {workers}: state {whole[0]!r} of this app belongs to a worker, and the checkpoint has "
            f"{part.workers}: resume with --workers {part.workers}"
        )


def _refuse_other_rows(part: Part, were: int, are: int) -> None:
    names = [name for name, by in part.by.items() if by == "rows"]
    if names and were != are:
        raise UsageError(
            f"state {names[0]!r} of this app goes by the rows that are trained on, {were:,} in the checkpoint and "
            f"{are:,} now: resume on the same data"
        )


def _shared(parts: Sequence[Array], first: int, rows: int) -> Array:
    """Rows [first, first + rows) of all parts, one after another."""
    found = np.concatenate(parts)
    return found[first : first + rows].copy()


def _name(worker: int) -> str:
    return f"worker-{worker}.npz"
