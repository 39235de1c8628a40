"""The stand-ins for `hadoop`, `hdfs` and `yarn`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from yarnml.cluster.commands import write_commands


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Commands with a `java` that says what it was called with."""
    for name in ("bin", "ja rs", "java/bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("b.jar", "a.jar"):
        (tmp_path / "ja rs" / name).touch()
    java = tmp_path / "java/bin/java"
    java.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    java.chmod(0o755)
    write_commands(
        tmp_path / "bin", root=tmp_path, conf=tmp_path / "conf", jars=tmp_path / "ja rs", java=tmp_path / "java",
        options=["-Da=b c"],
    )  # fmt: skip
    return tmp_path


def call(place: Path, *arguments: str, conf: str | None = None) -> subprocess.CompletedProcess[str]:
    env = {"PATH": "/usr/bin:/bin"} | ({"HADOOP_CONF_DIR": conf} if conf else {})
    return subprocess.run([place / "bin" / arguments[0], *arguments[1:]], env=env, capture_output=True, text=True)


def test_the_class_path_with_and_without_its_jars_named(place: Path) -> None:
    assert call(place, "hadoop", "classpath").stdout == f"{place}/conf:{place}/ja rs/*\n"
    assert (
        call(place, "yarn", "classpath", "--glob").stdout == f"{place}/conf:{place}/ja rs/a.jar:{place}/ja rs/b.jar\n"
    )
    assert call(place, "yarn", "classpath", conf="/other").stdout.startswith("/other:")


def test_arguments_reach_the_class_as_they_are(place: Path) -> None:
    said = call(place, "hdfs", "dfs", "-ls", "/a b", "").stdout.split("|")
    assert said[:2] == ["-Da=b c", "-Dproc_client"]
    assert said[4:] == ["org.apache.hadoop.fs.FsShell", "-ls", "/a b", "", ""]
    assert "ApplicationCLI|application|-list|" in call(place, "yarn", "application", "-list").stdout


def test_what_is_not_there_is_refused_by_name(place: Path) -> None:
    done = call(place, "hdfs", "balancer")
    assert done.returncode == 2
    assert "no 'balancer' here; there are: classpath dfs" in done.stderr
    assert call(place, "hdfs").returncode == 2
