"""What `up` does when it can't bring a cluster up, with a `java` that plays Hadoop."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from yarnml.cluster import DaemonError, up
from yarnml.cluster.layout import Layout
from yarnml.cluster.process import find
from yarnml.errors import UsageError, YarnmlError

from . import rest

# formats HDFS, keeps the NameNode, and lets the ResourceManager fail
JAVA = """#!/bin/sh
case "$*" in
  *-version*) echo 'openjdk version "17.0.1" 2021' >&2 ;;
  *-format*) {format} ;;
  *ResourceManager*) echo 'FATAL {fault}'; exit 1 ;;
  *) while :; do sleep 1; done ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with jars in the cache and, from `install` on, a Java."""
    cache = tmp_path / "cache/yarnml/hadoop-3.5.0"
    cache.mkdir(parents=True)
    (cache / "a.jar").write_text("jar")
    (cache / "sizes.json").write_text('{"a.jar": 3}')
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    return tmp_path


def install(machine: Path, *, fault: str = "", format_: str = "exit 0") -> None:
    (machine / "java/bin").mkdir(parents=True)
    (machine / "java/bin/java").write_text(JAVA.format(fault=fault, format=format_))
    (machine / "java/bin/java").chmod(0o755)


def test_a_daemon_that_dies_is_named_with_its_last_words_and_the_others_end(machine: Path) -> None:
    install(machine, fault="no such scheduler")
    with pytest.raises(DaemonError, match=r"the resourcemanager ended as it started; .*\n  FATAL no such scheduler"):
        up(1, machine / "state")
    assert not list(find(Layout.at(machine / "state").mark))


def test_it_moves_when_a_port_is_taken_at_the_last_moment_but_not_for_ever(machine: Path) -> None:
    install(machine, fault="java.net.BindException")
    said: list[str] = []
    with pytest.raises(DaemonError, match="resourcemanager"):
        up(1, machine / "state", said.append)
    assert said.count("resourcemanager: its port was taken meanwhile, moving") == 2
    assert not list(find(Layout.at(machine / "state").mark))


def test_hdfs_that_cannot_be_formatted(machine: Path) -> None:
    install(machine, format_="echo 'ERROR No space left on device'; exit 1")
    with pytest.raises(
        YarnmlError, match=r"(?s)HDFS can't be formatted.*format\.log ends with:\n  ERROR No space left"
    ):
        up(1, machine / "state")


def test_ctrl_c_ends_what_was_started(machine: Path) -> None:
    install(machine, fault="not yet'; while :; do sleep 1; done; echo '")
    script = "import sys; from pathlib import Path; from yarnml.cluster import up; up(1, Path(sys.argv[1]))"
    starter = subprocess.Popen([sys.executable, "-c", script, machine / "state"], stderr=subprocess.DEVNULL)
    mark = Layout.at(machine / "state").mark
    rest.until(lambda: sum(1 for _ in find(mark)) >= 4)
    starter.send_signal(signal.SIGINT)
    assert starter.wait(timeout=60) == -signal.SIGINT
    assert not list(find(mark))


def test_a_refusal_leaves_no_directory(machine: Path) -> None:
    install(machine)
    with pytest.raises(UsageError, match="1 to 16 nodes"):
        up(99, machine / "state")
    assert not (machine / "state").exists()


def test_a_place_that_cannot_be_made(machine: Path) -> None:
    install(machine)
    (machine / "file").touch()
    with pytest.raises(YarnmlError, match=r"can't set up the cluster in .*/file/state"):
        up(1, machine / "file/state")


def test_another_system_than_linux(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(UsageError, match="needs Linux; this is darwin"):
        up(1, tmp_path / "state")
    assert not list(tmp_path.iterdir())
