"""Java and Maven are found, or it is said what to install."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnml.cluster import java
from yarnml.errors import UsageError


def install(place: Path, version: str) -> Path:
    (place / "bin").mkdir(parents=True)
    (place / "bin/java").write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2021' >&2\n")
    (place / "bin/java").chmod(0o755)
    return place


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without Java."""
    monkeypatch.setattr(java, "_candidates", lambda: iter([tmp_path / "a", tmp_path / "b"]))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_the_first_that_is_new_enough(bare: Path) -> None:
    install(bare / "a", "11.0.2")
    new = install(bare / "b", "21.0.1")
    assert java.java_home() == new


def test_old_ones_are_named_and_what_to_install(bare: Path) -> None:
    install(bare / "a", "1.8.0_292")
    with pytest.raises(UsageError, match=r"a is Java 8; .*b/bin/java doesn't run\).*openjdk-17-jdk-headless"):
        java.java_home()


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, other = install(tmp_path / "home", "17.0.1"), install(tmp_path / "other", "17.0.2")
    monkeypatch.setenv("PATH", f"{other}/bin:/usr/bin:/bin")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.java_home() == home
    monkeypatch.delenv("JAVA_HOME")
    assert java.java_home() == other


def test_maven_is_missing(bare: Path) -> None:
    with pytest.raises(UsageError, match="apt-get install maven"):
        java.maven()
