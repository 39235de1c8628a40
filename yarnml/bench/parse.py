"""Reading data sets beside scikit-learn's loader and plain Arrow: libsvm text and dense Parquet to rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hdfs_io import load, scan, write
from yarnml.bench.row import Row

COLUMNS = 100_000  # of the sparse data
WIDTH = 100  # of the dense data


def run(quick: bool = False) -> list[Row]:
    """Medians over interleaved rounds; `quick`: a tenth of the rows."""
    rounds, n = (3, 30_000) if quick else (5, 300_000)
    with TemporaryDirectory() as folder:
        sparse = _libsvm(f"{folder}/sparse.libsvm", n, rounds)
        return [*sparse, _parquet(f"{folder}/dense.parquet", n * 10 // 3, rounds)]


def _libsvm(url: str, n: int, rounds: int) -> list[Row]:
    write_sparse(url, n)
    size = Path(url).stat().st_size / 1e6
    known = scan(url, label="class")

    def whole() -> None:
        dataset = scan(url, label="class", keep=1 << 40)
        load(dataset, 0, dataset.rows)

    ways: dict[str, Callable[[], Any] | None] = {
        "libsvm, scanned and loaded, MB/s a core": whole,
        "libsvm, a scanned one loaded, MB/s a core": lambda: load(known, 0, known.rows),
        "peer": _scikit_learn(url),
    }
    seconds = medians(ways, rounds)
    peer = seconds.pop("peer")
    return [
        _faster(name, size / took, None if peer is None else size / peer, 10) for name, took in seconds.items() if took
    ]


def _faster(name: str, ours: float, peer: float | None, aim: float) -> Row:
    ratio = None if peer is None else ours / peer
    return Row(name, ours, peer, ratio, f">= {aim:g}", None if ratio is None else ratio >= aim)


def _scikit_learn(url: str) -> Callable[[], Any] | None:
    try:
        from sklearn.datasets import load_svmlight_file
    except ImportError:
        return None
    return lambda: load_svmlight_file(url, n_features=COLUMNS, dtype=np.float32)


def _parquet(url: str, n: int, rounds: int) -> Row:
    rng = np.random.default_rng(1)
    columns = {f"f{j}": rng.standard_normal(n, np.float32).round(4) for j in range(WIDTH)}
    pq.write_table(pa.table({"label": rng.integers(0, 10, n), **columns}), url, row_group_size=131_072)
    del columns
    dataset = scan(url, label="class")

    def column_by_column() -> None:
        table = pq.read_table(url)
        X = np.empty((n, WIDTH), np.float32)
        for j in range(WIDTH):
            X[:, j] = table.column(f"f{j}").to_numpy()

    seconds = medians({"ours": lambda: load(dataset, 0, n, threads=2), "peer": column_by_column}, rounds)
    ours, peer = seconds["ours"] or 0.0, seconds["peer"] or 0.0
    aim = 0.7 * n / 1e6
    return Row(
        f"Parquet {n:,} x {WIDTH} to float32 rows, s on 2 threads", ours, peer, ours / peer, f"{aim:g} s", ours <= aim
    )


def medians(ways: dict[str, Callable[[], Any] | None], rounds: int) -> dict[str, float | None]:
    """Seconds of each way, the ways taken in turn; None for one that can't be had."""
    (found,) = medians_by(ways, rounds, (perf_counter,))
    return found


def medians_by(
    ways: dict[str, Callable[[], Any] | None], rounds: int, clocks: Sequence[Callable[[], float]]
) -> list[dict[str, float | None]]:
    """The same by each of several clocks."""
    took: list[dict[str, list[float]]] = [{name: [] for name in ways} for _ in clocks]
    for turn in range(rounds + 1):  # the first turn warms up
        for name, way in ways.items():
            if way is not None:
                begin = [clock() for clock in clocks]
                way()
                for seconds, clock, since in zip(took, clocks, begin, strict=True):
                    seconds[name] += [clock() - since] * (turn > 0)
    return [{name: median(each) if each else None for name, each in seconds.items()} for seconds in took]


def write_sparse(url: str, n: int, stored: int = 30, *, exact: bool = False) -> None:
    """Rows of 30 values in (0, 1) with five decimals, columns by Zipf's law: what hashed text looks like.

    `exact`: values as doubles are written that lose nothing, mostly in 16 and 17 digits.
    """
    rng = np.random.default_rng(2)
    popularity = np.cumsum(1.0 / (np.arange(COLUMNS) + 10.0))
    indices = np.searchsorted(popularity, rng.random((n, stored)) * popularity[-1]).clip(0, COLUMNS - 1)
    indices = np.sort(indices, axis=1) + 1
    new = np.ones_like(indices, np.bool_)
    new[:, 1:] = indices[:, 1:] != indices[:, :-1]
    offsets = pa.array(np.concatenate(([0], np.cumsum(new.sum(axis=1)))).astype(np.int32))
    many = int(new.sum())
    values = rng.random(many) if exact else rng.random(many, np.float32).round(5)
    columns = {
        "label": pa.array(rng.integers(0, 2, n)),
        "indices": pa.ListArray.from_arrays(offsets, pa.array(indices[new].astype(np.int32))),
        "values": pa.ListArray.from_arrays(offsets, pa.array(values)),
    }
    write(url, columns)
