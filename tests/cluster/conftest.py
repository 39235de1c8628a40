"""A real Hadoop of two nodes, brought up once for all tests that ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from yarnml.cluster import Cluster, down, up
from yarnml.cluster.jars import cache
from yarnml.cluster.java import java_home, maven
from yarnml.cluster.process import find
from yarnml.errors import UsageError


@pytest.fixture(scope="session")
def java() -> Path:
    """A Java that runs Hadoop, where its jars are or can be fetched."""
    try:
        home = java_home()
        if not cache().exists():
            maven()
    except UsageError as error:
        pytest.skip(str(error))
    return home


@pytest.fixture(scope="session")
def hadoop(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """HDFS and YARN with two nodes; afterwards no process and no file of it is left."""
    state = tmp_path_factory.mktemp("hadoop") / "state"
    cluster = up(2, state, print, memory_mb=2048)
    try:
        yield cluster
    finally:
        down(state)
        assert not list(find(cluster.layout.mark, cluster.layout.containers))
        assert not state.exists()
