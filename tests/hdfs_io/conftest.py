"""Files for tests, made where the test wants them: in a directory, in memory or in HDFS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from hdfs_io import open_fs, remove
from yarnml.cluster import Cluster

Put = Callable[[str, str | bytes], str]


@pytest.fixture(params=["local", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty directory on either store, or where a module says so in HDFS."""
    if request.param == "local":
        yield str(tmp_path)
        return
    if request.param == "hdfs":
        cluster: Cluster = request.getfixturevalue("hadoop")
        said: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        for name, value in cluster.variables().items():
            said.setenv(name, value)
    url = f"hdfs:///tmp/{uuid4().hex}" if request.param == "hdfs" else f"memory://{uuid4().hex}"
    fs, path = open_fs(url)
    fs.makedirs(path)
    yield url
    remove(url)


@pytest.fixture
def put(place: str) -> Put:
    """Write a file below `place`; returns its URL."""

    def write(name: str, data: str | bytes) -> str:
        url = f"{place}/{name}"
        fs, path = open_fs(url)
        fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        fs.pipe_file(path, data if isinstance(data, bytes) else data.encode())
        return url

    return write
