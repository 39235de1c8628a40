"""Homes: the hosts that hold most of each worker's rows, to run it there."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from hdfs_io import Dataset, block_hosts, span
from yarnml.job import Job

MOST_FILES = 256  # asked about; of a set of more, so many that lie evenly among them stand for all
HOSTS = 3  # of each worker


def homes(job: Job) -> list[list[str]]:
    """For each worker the hosts with most bytes of its share of the training data, the best first; empty if unknown."""
    if job.train is None:
        return []
    dataset = job.train.dataset
    bytes_of = _bytes(dataset)
    found = []
    for worker in range(job.workers):
        low, high = span(dataset.rows, worker, job.workers)
        total: Counter[str] = Counter()
        for piece, hosts in zip(dataset.pieces, bytes_of, strict=True):
            common = min(high, piece.first_row + piece.rows) - max(low, piece.first_row)
            if common > 0:
                total.update({host: round(size * common / piece.rows) for host, size in hosts.items()})
        found.append([host for host, _ in total.most_common(HOSTS)])
    return found if any(found) else []


def _bytes(dataset: Dataset) -> list[Counter[str]]:
    """For each piece, how many of its bytes each host holds; of Parquet, where pieces are row groups, of its file."""
    every = list(dict.fromkeys(piece.file for piece in dataset.pieces))
    files = every[:: -(-len(every) // MOST_FILES)]
    whole = dataset.options.format == "parquet"
    with ThreadPoolExecutor(8) as pool:
        asked = {
            f: [(0, 1 << 62)] if whole else [(p.start, p.stop) for p in dataset.pieces if p.file == f] for f in files
        }
        answers = {
            file: iter(hosts) for file, hosts in zip(files, pool.map(block_hosts, files, asked.values()), strict=True)
        }
    if whole:
        of_file = {file: next(hosts) for file, hosts in answers.items()}
        return [of_file.get(piece.file, Counter()) for piece in dataset.pieces]
    return [next(answers[piece.file]) if piece.file in answers else Counter() for piece in dataset.pieces]
