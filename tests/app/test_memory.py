"""What a share beyond memory takes at most, beside what the process takes without it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from yarnml.bench.parse import write_sparse

WIDTH = 32

PROGRAM = """
import sys
from hdfs_io import Sample, scan
from yarnml.app.plan import Plan, shuffled
from yarnml.app.spilled import Origin, Spilled
from yarnml.job import Part

small, large, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]) << 20

def gone_through(url):
    dataset = scan(url, label="class", threads=2)
    part = Part(dataset=dataset, sample=Sample.all(), rows=dataset.rows)
    share = Spilled(Origin(part, 0, dataset.rows, 2, limit), lambda rows: shuffled(0, 0, rows))
    plan, total = Plan(dataset.rows, dataset.rows, 4096, seed=0, first=0), 0
    for _ in share.chunks():
        pass
    for batch in share.batches(plan, 0, 2 * plan.steps):
        total += len(batch)
    assert total == 2 * dataset.rows
    return dataset.bytes_between(0, dataset.rows)

def used(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith(what))

gone_through(small)
before = used("VmRSS")
size = gone_through(large)
print(size >> 20, used("VmHWM") - before)
"""


def dense(path: Path, rows: int, group: int) -> None:
    rng = np.random.default_rng(0)
    columns = {f"f{j}": pa.array(rng.random(rows, np.float32)) for j in range(WIDTH)}
    pq.write_table(pa.table({"label": pa.array(np.arange(rows) % 3), **columns}), path, row_group_size=group)


KINDS: dict[str, tuple[str, int, int, Callable[[Path, int], None]]] = {
    "row groups": ("parquet", 64, 24 + 4 * WIDTH, lambda path, rows: dense(path, rows, 30_000)),
    "large row groups": ("parquet", 96, 24 + 4 * WIDTH, lambda path, rows: dense(path, rows, 1 << 20)),
    "sparse": ("libsvm", 64, 24 + 8 * 30, lambda path, rows: write_sparse(str(path), rows)),
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells what a process took at most")
@pytest.mark.parametrize("kind", [*list(KINDS)[:2], pytest.param("sparse", marks=pytest.mark.full)])
def test_the_limit_is_kept(tmp_path: Path, kind: str) -> None:
    """Data of four times the limit is read, sorted and read again."""
    suffix, limit, row, write = KINDS[kind]  # limit in MiB, row in bytes
    small, large = (str(tmp_path / f"{name}.{suffix}") for name in ("small", "large"))
    write(Path(small), 1000)
    write(Path(large), (4 * limit << 20) // row + 20_000)
    command = [sys.executable, "-c", PROGRAM, small, large, str(limit)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout
    size, peak = map(int, out.split())
    assert size >= 4 * limit
    assert peak <= limit, f"{peak} MiB for a limit of {limit} MiB"
