"""Homes: the hosts that hold most of each worker's rows, to run it there, and how much of them it then reads there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from hdfs_io import Piece, Stretch, block_hosts, span
from hdfs_io.errand import Errand
from hdfs_io.plan import GROUPED
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
    shares: list[dict[int, float]] = []  # for each worker the pieces that it reads, and how much of each
    for worker in range(job.workers):
        low, high = span(dataset.rows, worker, job.workers)
        common = [min(high, p.first_row + p.rows) - max(low, p.first_row) for p in dataset.pieces]
        shares.append({k: rows / dataset.pieces[k].rows for k, rows in enumerate(common) if rows > 0})
    return _homes(dataset.pieces, str(dataset.options.format), shares)


def homes_of(errand: Errand, workers: int) -> list[Home]:
    """The same for those who survey a data set."""
    pieces = [portion.piece for portion in errand.portions]
    return _homes(pieces, str(errand.options.format), [dict.fromkeys(s, 1.0) for s in errand.shares(workers)])


def _homes(pieces: Sequence[Piece], kind: str, shares: Sequence[Mapping[int, float]]) -> list[Home]:
    stretches = _stretches(pieces, kind)
    found = []
    for share in shares:
        total = Stretch()
        for k, part in share.items():
            if stretches[k].size:
                total += stretches[k].part(part)
        found.append(Home(round(total.size), dict(total.hosts.most_common())))
    return found if any(home.hosts for home in found) else []


def local(homes: Sequence[Home], seats: Mapping[int, str]) -> dict[str, int]:
    """The bytes of the training data, and those read where they are, with each worker (`seats`) on its host."""
    near = sum(home.hosts.get(seats.get(worker, ""), 0) for worker, home in enumerate(homes))
    return {"bytes": sum(home.size for home in homes), "local_bytes": near}


def _stretches(pieces: Sequence[Piece], kind: str) -> list[Stretch]:
    """For each piece where its bytes are; pieces that are row groups have each a part of their file."""
    grouped = kind in GROUPED
    wanted: dict[str, dict[tuple[int, int], list[int]]] = {}  # file -> range of bytes -> pieces that it is of
    for k, piece in enumerate(pieces):
        whole = grouped or len(piece.files) > 1
        for file in piece.files:
            bytes_ = (0, END) if whole else (piece.start, piece.stop)
            wanted.setdefault(file, {}).setdefault(bytes_, []).append(k)
    files = list(wanted)[:: -(-len(wanted) // MOST_FILES)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(block_hosts, files, [list(wanted[file]) for file in files]))
    found = [Stretch()] * len(pieces)
    for file, stretches in zip(files, answers, strict=True):
        for those, stretch in zip(wanted[file].values(), stretches, strict=True):
            for k in those:
                found[k] += stretch.part(1 / len(those))
    return found
