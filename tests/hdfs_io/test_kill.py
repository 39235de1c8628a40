"""kill -9 of a writer at any moment: a new target is whole or absent, an overwritten one is the old or the new."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest

from hdfs_io import exists, head, join, list_files, open_fs, remove, whole
from yarnml.cluster import Cluster

ROWS = 2_000  # of a part
WRITE = """
import sys
import pyarrow as pa
from hdfs_io import join, open_writer, whole
from hdfs_io.store import write_text
url, overwrite = sys.argv[1], sys.argv[2] == "again"
print("ready", flush=True)
k = 0
while True:
    k += 1
    with whole(url if overwrite else f"{url}-{k}", overwrite) as staging:
        for part in range(3):
            with open_writer(join(staging, f"part-{part}.parquet")) as writer:
                writer.write(pa.table({"k": [k] * int(sys.argv[3])}))
        write_text(join(staging, "_SUCCESS"), "")
    if overwrite and k == 1:
        print("again", flush=True)
"""


@pytest.fixture(params=["local", pytest.param("hdfs", marks=pytest.mark.hadoop)])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "local":
        yield str(tmp_path)
        return
    cluster: Cluster = request.getfixturevalue("hadoop")
    url = f"{cluster.hdfs}/kill-{uuid4().hex}"
    yield url
    remove(url)


def killed(url: str, how: str, moment: float) -> None:
    """Let a process write without end, and kill it `moment` seconds after its begin."""
    writer = subprocess.Popen([sys.executable, "-c", WRITE, url, how, str(ROWS)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    if how == "again":  # something stands from now on
        assert writer.stdout.readline() == b"again\n"
    with suppress(subprocess.TimeoutExpired):
        writer.wait(moment)
    writer.kill()
    writer.communicate()


def check_whole(url: str) -> int:
    """All parts are there, of one writing; returns which."""
    assert len(list_files(url)) == 3
    assert exists(join(url, "_SUCCESS"))
    table = head(url, n=4 * ROWS)
    assert len(table) == 3 * ROWS
    [k] = table["k"].unique().to_pylist()  # of one writing, not of two
    return int(k)


def many(times: int, folder: str) -> None:
    at = random.Random(0)
    overwritten, last = join(folder, "again"), 0
    for turn in range(times):
        killed(overwritten, "again", at.uniform(0.3, 1.0))
        last = check_whole(overwritten)
        fresh = join(folder, f"fresh-{turn}")
        killed(fresh, "once", at.uniform(0.0, 0.7))
        k = 1
        while exists(f"{fresh}-{k}"):
            assert check_whole(f"{fresh}-{k}") == k
            k += 1
    assert last > 0


def test_killed_at_some_moments(folder: str) -> None:
    many(1, folder)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_killed_at_twenty_moments(folder: str) -> None:
    many(20, folder)


def test_what_the_dead_began_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("hdfs_io.whole")
    url = str(tmp_path / "out")
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = Path(module.unfinished(url).replace(f"-{module.os.getpid()}-", f"-{dead.pid}-"))
    mine = Path(module.unfinished(url))
    for path in (left, mine):
        path.mkdir()
        (path / "part-0.parquet").write_bytes(b"half")
    module.clear(open_fs(url)[0], url)
    assert left.exists()  # it is young
    monkeypatch.setattr(module, "YOUNG", -1.0)
    with whole(url) as staging:
        Path(staging).write_text("new")
    assert not left.exists()
    assert mine.exists()
    assert Path(url).read_text() == "new"
