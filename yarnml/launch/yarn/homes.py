"""Homes: the hosts that hold most of each worker's rows, to run it there, and how much of them it then reads there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from hdfs_io import Dataset, Stretch, block_hosts, span
from yarnml.job import Job

MOST_FILES = 256  # asked about; of a set of more, so many that lie evenly among them stand for all
HOSTS = 3  # of each worker
END = 1 << 62


@dataclass(frozen=True)
class Home:
    """Where the bytes of one worker's training rows are."""

    size: int  # bytes that were asked about
    hosts: dict[str, int] = field(default_factory=dict)  # how many of them each host holds, the most first

    @property
    def best(self) -> list[str]:
        """The hosts to run the worker on."""
        return list(self.hosts)[:HOSTS]


def homes(job: Job) -> list[Home]:
    """For each worker where its share of the training data is; empty if that isn't known of any."""
    if job.train is None:
        return []
    dataset = job.train.dataset
    stretches = _stretches(dataset)
    found = []
    for worker in range(job.workers):
        low, high = span(dataset.rows, worker, job.workers)
        total = Stretch()
        for piece, stretch in zip(dataset.pieces, stretches, strict=True):
            common = min(high, piece.first_row + piece.rows) - max(low, piece.first_row)
            if common > 0 and stretch.size:
                total += stretch.part(common / piece.rows)
        found.append(Home(round(total.size), dict(total.hosts.most_common())))
    return found if any(home.hosts for home in found) else []


def local(homes: Sequence[Home], seats: Mapping[int, str]) -> dict[str, int]:
    """The bytes of the training data, and those read where they are, with each worker (`seats`) on its host."""
    near = sum(home.hosts.get(seats.get(worker, ""), 0) for worker, home in enumerate(homes))
    return {"bytes": sum(home.size for home in homes), "local_bytes": near}


def _stretches(dataset: Dataset) -> list[Stretch]:
    """For each piece where its bytes are; pieces that are row groups have each a part of their file."""
    grouped = dataset.options.format in ("parquet", "arrow")
    wanted: dict[str, dict[tuple[int, int], list[int]]] = {}  # file -> range of bytes -> pieces that it is of
    for k, piece in enumerate(dataset.pieces):
        whole = grouped or len(piece.files) > 1
        for file in piece.files:
            bytes_ = (0, END) if whole else (piece.start, piece.stop)
            wanted.setdefault(file, {}).setdefault(bytes_, []).append(k)
    files = list(wanted)[:: -(-len(wanted) // MOST_FILES)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(block_hosts, files, [list(wanted[file]) for file in files]))
    found = [Stretch()] * len(dataset.pieces)
    for file, stretches in zip(files, answers, strict=True):
        for pieces, stretch in zip(wanted[file].values(), stretches, strict=True):
            for k in pieces:
                found[k] += stretch.part(1 / len(pieces))
    return found
