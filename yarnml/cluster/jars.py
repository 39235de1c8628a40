"""Hadoop's jars: fetched once from Maven Central and kept in the user's cache."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

from yarnml.cluster.java import maven
from yarnml.cluster.layout import read_json, write
from yarnml.cluster.lock import locked
from yarnml.errors import YarnmlError

VERSION = "3.5.0"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
ARTIFACTS = (
    "hadoop-common", "hadoop-auth", "hadoop-hdfs", "hadoop-hdfs-client", "hadoop-yarn-api", "hadoop-yarn-common",
    "hadoop-yarn-client", "hadoop-yarn-server-common", "hadoop-yarn-server-resourcemanager",
    "hadoop-yarn-server-nodemanager", "hadoop-yarn-server-web-proxy",
    "hadoop-yarn-server-timelineservice",  # the ResourceManager loads a class of it even when it is off
    "hadoop-mapreduce-client-core",
)  # fmt: skip
NEEDED = 400 << 20  # bytes: the jars, and Maven's own copy of them while it fetches
PATIENCE = 1200.0  # seconds for the whole download


def cache() -> Path:
    """Where the jars are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "yarnml" / f"hadoop-{VERSION}"


def jars(java: Path, progress: Callable[[str], None], where: Path | None = None) -> Path:
    """The directory with Hadoop's jars; fetches them if they aren't there, whole, yet."""
    target = where or cache()
    if _whole(target):
        return target
    command = maven()
    with locked(target.parent, progress, PATIENCE):
        if not _whole(target):  # unless another process has fetched them meanwhile
            _fetch(command, java, target, progress)
    return target


def _whole(target: Path) -> bool:
    sizes = read_json(target / "sizes.json")
    return bool(sizes) and sizes == _sizes(target)


def _sizes(directory: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in sorted(directory.glob("*.jar"))}


def _fetch(command: str, java: Path, target: Path, progress: Callable[[str], None]) -> None:
    staging = target.with_name(f".{target.name}.part")
    shutil.rmtree(staging, ignore_errors=True)  # what a killed fetch left
    shutil.rmtree(target, ignore_errors=True)
    free = shutil.disk_usage(target.parent).free
    if free < NEEDED:
        raise YarnmlError(f"the disk of {target.parent} is full: {free >> 20} MB free, {NEEDED >> 20} MB needed")
    progress(f"fetching Hadoop {VERSION} from Maven Central to {target} (100 MB, once)")
    try:
        (staging / "jars").mkdir(parents=True)
        (staging / "pom.xml").write_text(_pom(), encoding="utf-8")
        _maven(command, java, staging, progress)
        write(staging / "jars/sizes.json", json.dumps(_sizes(staging / "jars")))
        (staging / "jars").rename(target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _maven(command: str, java: Path, staging: Path, progress: Callable[[str], None]) -> None:
    """Run Maven with a repository of its own in `staging`, so that nothing of it stays behind."""
    arguments = [command, "-B", "-f", str(staging / "pom.xml"), PLUGIN, "-DincludeScope=runtime"]
    arguments += [f"-Dmaven.repo.local={staging}/repo", f"-DoutputDirectory={staging}/jars"]
    log = staging / "maven.log"
    with log.open("wb") as out, _session(arguments, out.fileno(), java) as process:
        deadline, told = time.monotonic() + PATIENCE, 0
        while process.poll() is None:
            if time.monotonic() > deadline:
                raise YarnmlError(f"Maven hasn't fetched Hadoop in {PATIENCE:.0f} s; {_last(log)}")
            time.sleep(0.2)
            count = sum(1 for _ in (staging / "repo").rglob("*.jar"))
            if count >= told + 50:
                told = count
                progress(f"fetching: {count} jars")
    if process.returncode:
        raise YarnmlError(f"Maven couldn't fetch Hadoop {VERSION} (exit code {process.returncode}); {_last(log)}")


@contextmanager
def _session(arguments: list[str], out: int, java: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended, with its children, when the block is left early."""
    environ = os.environ | {"JAVA_HOME": str(java)}
    process = subprocess.Popen(
        arguments, env=environ, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _last(log: Path, lines: int = 8) -> str:
    text = log.read_text(encoding="utf-8", errors="replace").splitlines()
    errors = [line for line in text if line.startswith("[ERROR]")] or text
    return "its last words:\n  " + "\n  ".join(errors[:lines])


def _pom() -> str:
    # logback would be a second logger beside Hadoop's own
    logback = "<exclusion><groupId>ch.qos.logback</groupId><artifactId>*</artifactId></exclusion>"
    dependencies = "".join(
        f"<dependency><groupId>org.apache.hadoop</groupId><artifactId>{escape(artifact)}</artifactId>"
        f"<version>{VERSION}</version><exclusions>{logback}</exclusions></dependency>\n"
        for artifact in ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>yarnml</groupId><artifactId>hadoop</artifactId><version>1</version><packaging>pom</packaging>\n"
        f"<dependencies>\n{dependencies}</dependencies></project>\n"
    )
