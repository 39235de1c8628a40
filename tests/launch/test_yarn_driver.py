"""Skein's JVM: it may be given up while it starts, and one that can't start says why. Its jar is mended."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import psutil
import pytest

from yarnml.errors import UsageError
from yarnml.launch.yarn.driver import Driver, _jar
from yarnml.launch.yarn.jar import LAST, MASTER, mend
from yarnml.runs import wait_for

pytest.importorskip("skein")


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for it, to be written; `yarn` tells a class path."""
    bins = tmp_path / "bin"
    bins.mkdir()
    (bins / "yarn").write_text("#!/bin/sh\necho /jars/a.jar\n")
    (bins / "yarn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bins}:{os.environ['PATH']}")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("SKEIN_CONFIG", "")  # which the driver sets
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return bins / "java"


def write(java: Path, text: str) -> None:
    java.write_text(f"#!/bin/sh\n{text}\n")
    java.chmod(0o755)


def test_one_that_is_not_wanted_any_more_is_ended_and_leaves_nothing(java: Path) -> None:
    write(java, f"echo $$ > {java.parent}/pid; exec sleep 1000")
    driver = Driver()
    pid = java.parent / "pid"
    assert wait_for(lambda: pid.exists() and pid.read_text().strip() != "", 30)
    driver.close()
    assert not psutil.pid_exists(int(pid.read_text()))
    assert not list(java.parents[1].glob("yarnml-skein-*"))


def test_one_that_ends_says_why(java: Path) -> None:
    write(java, "echo 'java.io.IOException: no such cluster' >&2; echo '  at Driver.java' >&2; exit 3")
    driver = Driver()
    with pytest.raises(UsageError, match=r"can't be started: its JVM ended with exit code 3 \(java.io.IOException: no"):
        _ = driver.client
    driver.close()
    assert not list(java.parents[1].glob("yarnml-skein-*"))


def test_without_java_it_says_so(java: Path) -> None:
    driver = Driver()
    with pytest.raises(UsageError, match=r"Skein's driver can't be started: .*No such file.*bin/java"):
        _ = driver.client
    driver.close()


def test_the_jar_differs_in_what_is_mended_alone(tmp_path: Path) -> None:
    mend(Path(_jar()), tmp_path / "new.jar")
    with zipfile.ZipFile(_jar()) as old, zipfile.ZipFile(tmp_path / "new.jar") as new:
        assert old.namelist() == new.namelist()
        assert [name for name in old.namelist() if old.read(name) != new.read(name)] == [MASTER]
        assert (old.read(MASTER).count(LAST), new.read(MASTER).count(LAST)) == (1, 0)
