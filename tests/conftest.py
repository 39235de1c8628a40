"""What many tests need: data that lies beside the checkout, and a real Hadoop of two nodes, one for all of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from yarnml.cluster import Cluster, down, up
from yarnml.cluster.jars import cache
from yarnml.cluster.java import java_home, maven
from yarnml.cluster.process import find
from yarnml.errors import UsageError

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
settings.load_profile("patient")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data sets beside the checkout; a test that wants it is skipped where there is none."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the data sets in ../shared/data, which aren't there")
    return folder


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of ../shared/cases/make_cases.py; a test that wants them is skipped where there is no such script."""
    script = Path(__file__).parents[2] / "shared" / "cases" / "make_cases.py"
    if not script.is_file():
        pytest.skip("needs ../shared/cases/make_cases.py, which isn't there")
    folder = tmp_path_factory.mktemp("cases")
    subprocess.run([sys.executable, str(script), str(folder)], check=True, timeout=100)
    return folder


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
