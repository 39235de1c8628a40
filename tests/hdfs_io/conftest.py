"""Files for tests, made where the test wants them: in a directory or in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import fsspec
import pytest

Put = Callable[[str, str | bytes], str]


@pytest.fixture(params=["local", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty directory on either store."""
    if request.param == "local":
        yield str(tmp_path)
        return
    fs, name = fsspec.filesystem("memory"), f"/{uuid4().hex}"
    fs.makedirs(name)
    yield f"memory:/{name}"
    fs.rm(name, recursive=True)


@pytest.fixture
def put(place: str) -> Put:
    """Write a file below `place`; returns its URL."""

    def write(name: str, data: str | bytes) -> str:
        url = f"{place}/{name}"
        fs, path = fsspec.core.url_to_fs(url)
        fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        fs.pipe_file(path, data if isinstance(data, bytes) else data.encode())
        return url

    return write
