"""Jars are fetched once, whole, and a failed fetch leaves nothing but its words."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from yarnml.cluster.jars import cache, jars
from yarnml.errors import UsageError, YarnmlError

GOOD = """#!/bin/sh
for a; do case "$a" in -DoutputDirectory=*) out=${a#*=} ;; -f) pom=1 ;; esac; done
echo call >> "$CALLS"
echo one > "$out/a.jar"
echo two > "$out/b.jar"
"""
BAD = """#!/bin/sh
echo '[INFO] Scanning'
echo '[ERROR] Could not transfer artifact: Unknown host repo.maven.apache.org'
exit 3
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each call of `mvn`."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


def maven(calls: Path, script: str) -> None:
    (calls.parent / "bin/mvn").write_text(script)
    (calls.parent / "bin/mvn").chmod(0o755)


def test_fetched_once_and_again_when_a_jar_is_cut(tmp_path: Path, calls: Path) -> None:
    maven(calls, GOOD)
    target = tmp_path / "cache/hadoop"
    for _ in range(2):
        assert jars(tmp_path, print, target) == target
        assert sorted(p.name for p in target.glob("*.jar")) == ["a.jar", "b.jar"]
        assert calls.read_text() == "call\n"
    (target / "a.jar").write_text("on")
    jars(tmp_path, print, target)
    assert calls.read_text() == "call\ncall\n"
    assert (target / "a.jar").read_text() == "one\n"
    assert [p.name for p in target.parent.iterdir()] == ["hadoop"]


def test_a_failed_fetch_says_why_and_leaves_nothing(tmp_path: Path, calls: Path) -> None:
    maven(calls, BAD)
    with pytest.raises(YarnmlError, match=r"exit code 3\); its last words:\n  \[ERROR\] Could not transfer") as raised:
        jars(tmp_path, print, tmp_path / "cache/hadoop")
    assert "Scanning" not in str(raised.value)
    assert not list((tmp_path / "cache").iterdir())


def test_no_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="apt-get install maven"):
        jars(tmp_path, print, tmp_path / "cache/hadoop")
    assert not list(tmp_path.iterdir())


def test_a_full_disk(tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven(calls, GOOD)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 20))
    with pytest.raises(YarnmlError, match=r"is full: 1 MB free, 400 MB needed"):
        jars(tmp_path, print, tmp_path / "cache/hadoop")
    assert not calls.exists()


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache() == Path("/caches/yarnml/hadoop-3.5.0")
