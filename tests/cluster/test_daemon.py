"""A daemon outlives its starter, is known again, and says its last words."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from yarnml.cluster.daemon import Daemon, environment
from yarnml.cluster.layout import Layout
from yarnml.cluster.process import end, find

DAEMON = Daemon("datanode-1", "Main", 64, {"a.b": "c d"})


@pytest.fixture
def layout(tmp_path: Path) -> Iterator[Layout]:
    layout = Layout.at(tmp_path / "state")
    layout.root.mkdir()
    layout.make()
    yield layout
    end(find(layout.mark))


def java(tmp_path: Path, script: str) -> Path:
    """A `java` that does something else."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bin/java").chmod(0o755)
    return tmp_path


def test_started_known_again_and_found_without_its_record(tmp_path: Path, layout: Layout) -> None:
    process = DAEMON.start(layout, java(tmp_path, "while :; do sleep 1; done"), tmp_path)
    assert DAEMON.process(layout) == process
    assert process in list(find(layout.mark))
    assert os.getsid(process.pid) != os.getsid(0)
    end([process])
    assert DAEMON.process(layout) is None


def test_what_it_is_started_with(tmp_path: Path, layout: Layout) -> None:
    home = java(tmp_path, 'pwd; printf "%s|" "$@"; while :; do sleep 1; done')
    DAEMON.start(layout, home, tmp_path / "jars")
    log = DAEMON.log(layout)
    deadline = time.monotonic() + 10
    while not (text := log.read_text()).endswith("c d|"):
        assert time.monotonic() < deadline, text
    assert text.startswith(f"{layout.root}\n")
    assert text.endswith(f":{layout.root}/web|org.apache.hadoop.Main|-Da.b=c d|")
    assert "|-Xmx64m|" in text


def test_last_words_without_stack_frames(tmp_path: Path, layout: Layout) -> None:
    DAEMON.log(layout).write_text("INFO fine\njava.io.IOException: bad\n\tat a.b.C\n\n")
    error = DAEMON.died(layout)
    assert str(error).endswith("datanode-1.log ends with:\n  INFO fine\n  java.io.IOException: bad")
    assert not error.port_taken
    DAEMON.log(layout).write_text("java.net.BindException: Address already in use\n")
    assert DAEMON.died(layout).port_taken
    DAEMON.log(layout).unlink()
    assert "(no log)" in str(DAEMON.died(layout))


def test_the_callers_surroundings_stay_outside(layout: Layout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PYTHONPATH", "HADOOP_CONF_DIR", "HADOOP_USER_NAME", "JAVA_TOOL_OPTIONS", "CLASSPATH", "LC_ALL"):
        monkeypatch.setenv(name, "the caller's")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    env = environment(layout, tmp_path)
    assert "the caller's" not in env.values()
    assert env["TZ"] == "Asia/Tokyo"
    assert env["HOME"] == str(layout.part("home"))
