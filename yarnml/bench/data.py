"""Data sets as batches beside scikit-learn's loader, bare pyarrow and hdfs-native's stream; and beyond memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from hdfs_io import CSR, Dataset, copy, load, remove, scan, stream
from hdfs_io.store import open_read
from yarnml.bench.parse import COLUMNS, medians, medians_by, write_sparse
from yarnml.bench.row import Row

WIDTH = 100  # features of the dense data
LIMIT = 128  # MiB; the data beyond memory is four times that
SPARSE = 24 + 8 * 30  # bytes of a sparse row in memory
BLOCK = 1 << 20  # bytes
PASSES = (2, 10)  # of two runs that differ in passes alone
PROBE = """
import json, sys, time
from yarnml.cli import main
code = main(sys.argv[1:])
with open("/proc/self/status") as status:  # what getrusage tells counts what this process's parent had, too
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps([time.process_time(), peak / 1024]), flush=True)
sys.exit(code)
"""


def run(quick: bool = False) -> list[Row]:
    """Medians over interleaved rounds; `quick`: on a tenth. HDFS is that of HADOOP_CONF_DIR, and left out without."""
    rounds, n = (3, 30_000) if quick else (5, 300_000)
    with TemporaryDirectory() as folder:
        rows = [_libsvm(f"{folder}/sparse.libsvm", n, rounds), _libsvm(f"{folder}/exact.libsvm", n, rounds, exact=True)]
        parquet, csv, tiny = (f"{folder}/{name}" for name in ("dense.parquet", "dense.csv", "tiny.parquet"))
        large = (4 * LIMIT << 20) // (4 * WIDTH)
        write_dense(parquet, large)
        write_dense(tiny, 1000)
        pacsv.write_csv(pq.read_table(parquet).slice(0, n), csv)
        rows += _batches("CSV", csv, lambda: pacsv.read_csv(csv), rounds)
        rows += _batches("Parquet", parquet, lambda: pq.read_table(parquet), rounds)
        if os.environ.get("HADOOP_CONF_DIR"):
            rows += _hdfs(parquet, rounds)
        return [*rows, *_beyond(folder, parquet, tiny), _beyond_sparse(folder)]


def write_dense(url: str, n: int) -> None:
    """Rows of normal numbers with four decimals in ten classes, a block at a time."""
    rng = np.random.default_rng(1)
    names = ["label", *(f"f{j}" for j in range(WIDTH))]
    schema = pa.schema([(name, pa.int32() if name == "label" else pa.float32()) for name in names])
    with pq.ParquetWriter(url, schema) as writer:
        for lo in range(0, n, 1 << 16):
            X = rng.standard_normal((min(1 << 16, n - lo), WIDTH), np.float32).round(4)
            y = (X[:, :10] + rng.gumbel(size=(len(X), 10))).argmax(axis=1).astype(np.int32)
            writer.write_table(pa.table([pa.array(y), *(pa.array(X[:, j]) for j in range(WIDTH))], schema=schema))


def _libsvm(url: str, n: int, rounds: int, *, exact: bool = False) -> Row:
    """On one core; the two matrices are the same to the bit."""
    try:
        from sklearn.datasets import load_svmlight_file
    except ImportError:
        load_svmlight_file = None
    write_sparse(url, n, exact=exact)

    def ours() -> CSR:
        dataset = scan(url, label="class", keep=1 << 40)
        X = load(dataset, 0, dataset.rows).X
        assert isinstance(X, CSR)
        return X

    def peer() -> Any:
        return load_svmlight_file(url, n_features=COLUMNS, dtype=np.float32)[0]

    if load_svmlight_file is not None:
        a, b = ours(), peer()
        same = (
            np.array_equal(a.indptr, b.indptr),
            np.array_equal(a.indices, b.indices),
            np.array_equal(a.values, b.data),
        )
        if not all(same):
            raise AssertionError("scikit-learn reads another matrix from the same file")
    found = medians({"ours": ours, "peer": None if load_svmlight_file is None else peer}, rounds)
    name, aim = ("libsvm of 17 digits to rows, MB/s a core", 6) if exact else ("libsvm to rows, MB/s a core", 12)
    return _speed(name, found, Path(url).stat().st_size, aim)


def _batches(name: str, url: str, peer: Callable[[], Any], rounds: int) -> list[Row]:
    """Both sides take memory as this process's Arrow does."""
    dataset, size = scan(url, label="class", threads=2), Path(url).stat().st_size
    ways: dict[str, Callable[[], Any] | None] = {"ours": lambda: _read(dataset), "peer": peer}
    clock, cpu = medians_by(ways, rounds, (perf_counter, process_time))
    return [
        _speed(f"{name} to float32 batches, MB/s", clock, size, 0.8),
        _speed("the same, MB for a second of all threads", cpu, size, 0.8),
    ]


def _hdfs(file: str, rounds: int) -> list[Row]:
    """Bytes of a file in HDFS as readers ask for them, and batches of it, both beside its bare bytes."""
    from hdfs_native import Client

    path, size = f"/tmp/{uuid4().hex}/dense.parquet", Path(file).stat().st_size  # noqa: S108 (HDFS's own)
    copy(file, f"hdfs://{path}")
    try:
        dataset, client = scan(f"hdfs://{path}", label="class", threads=2), Client()

        def streamed(lo: int, hi: int) -> int:
            return sum(len(part) for part in client.read(path).read_range_stream(lo, hi - lo))

        ways: dict[str, Callable[[], Any] | None] = {
            "bytes": lambda: in_halves(lambda lo, hi: read_bytes(f"hdfs://{path}", lo, hi), size),
            "batches": lambda: _read(dataset),
            "peer": lambda: in_halves(streamed, size),
        }
        found = medians(ways, rounds)
    finally:
        remove(f"hdfs://{path.rpartition('/')[0]}")
    return [
        _speed("bytes in HDFS by two readers, MB/s", {"ours": found["bytes"], "peer": found["peer"]}, size, 0.8),
        _speed(
            "Parquet in HDFS to float32 batches, MB/s", {"ours": found["batches"], "peer": found["peer"]}, size, None
        ),
    ]


def read_bytes(url: str, lo: int, hi: int) -> int:
    """How many bytes there are of [lo, hi), read a block at a time as formats of text do."""
    block, have = memoryview(bytearray(BLOCK)), 0
    with open_read(url) as file:
        file.seek(lo)
        while have < hi - lo and (got := file.readinto(block[: hi - lo - have])):
            have += got
    return have


def in_halves(read: Callable[[int, int], int], size: int) -> None:
    """Both halves of so many bytes at once; all of them must come."""
    with ThreadPoolExecutor(2) as pool:
        if sum(pool.map(read, (0, size // 2), (size // 2, size))) != size:
            raise AssertionError("bytes are missing")


def _read(dataset: Dataset) -> None:
    for _ in stream(dataset, 0, dataset.rows, threads=2):
        pass


def _speed(name: str, seconds: dict[str, float | None], size: int, aim: float | None) -> Row:
    """Without an aim the ratio is only told."""
    ours, peer = (None if took is None else size / took / 1e6 for took in (seconds["ours"], seconds["peer"]))
    assert ours is not None
    ratio = None if peer is None else ours / peer
    if aim is None:
        return Row(name, ours, peer, ratio, "", None)
    return Row(name, ours, peer, ratio, f">= {aim:g}", None if ratio is None else ratio >= aim)


@dataclass(frozen=True)
class Trained:
    """What a run took."""

    seconds: float  # of training alone
    cpu: float  # seconds of all threads, from start to end
    peak: float  # MiB


def _beyond(folder: str, large: str, tiny: str) -> list[Row]:
    """mlr on four times the limit: what it takes beside a run on next to nothing, and a pass beside one in memory."""
    base = trained(folder, tiny, LIMIT, 1).peak
    few, few_held, many, many_held = (
        trained(folder, large, limit, passes) for passes in PASSES for limit in (LIMIT, 16 * LIMIT)
    )
    return [
        _within("dense", few.peak - base),
        _pass(
            "a pass from disk beside one in memory, s",
            [(x.seconds, y.seconds) for x, y in ((few, few_held), (many, many_held))],
        ),
        _pass("the same in seconds of all threads", [(x.cpu, y.cpu) for x, y in ((few, few_held), (many, many_held))]),
    ]


def _beyond_sparse(folder: str) -> Row:
    tiny, large = (f"{folder}/{name}.libsvm" for name in ("tiny", "large"))
    write_sparse(tiny, 1000)
    write_sparse(large, (4 * LIMIT << 20) // SPARSE)
    return _within("sparse", trained(folder, large, LIMIT, 1).peak - trained(folder, tiny, LIMIT, 1).peak)


def _within(kind: str, taken: float) -> Row:
    name = f"memory of {kind} rows beyond a limit of {LIMIT} MiB, MiB"
    return Row(name, taken, None, None, f"<= {LIMIT}", taken <= LIMIT)


def _pass(name: str, took: list[tuple[float, float]]) -> Row:
    """A pass on (disk, in memory), by what runs of few and of many passes took."""
    few, many = took
    ours, peer = ((b - a) / (PASSES[1] - PASSES[0]) for a, b in zip(few, many, strict=True))
    return Row(name, ours, peer, ours / peer, "<= 1.5", ours <= 1.5 * peer)


def trained(folder: str, url: str, limit: int, passes: int) -> Trained:
    """A run of mlr on rows that may take `limit` MiB."""
    command = ["run", "mlr", "--data", url, "--label", "label", "--epochs", str(passes), "--data-memory", f"{limit}MiB"]
    command += ["--runs", f"{folder}/runs", "--json"]
    probe = [sys.executable, "-c", PROBE, *command]
    out = subprocess.run(probe, check=True, stdout=subprocess.PIPE, text=True, timeout=600).stdout
    *_, said, used = out.strip().splitlines()
    record = json.loads((Path(folder) / "runs" / json.loads(said)["run"] / "run.json").read_text())
    return Trained(float(record["result"]["seconds"]["train"]), *json.loads(used))
