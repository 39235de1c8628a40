"""Java and Maven on this machine: found, or said what to install."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from yarnml.errors import UsageError

OLDEST = 17  # Hadoop 3.5's classes are compiled for it


def java_home() -> Path:
    """The first Java of JAVA_HOME, PATH and /usr/lib/jvm that can run Hadoop."""
    seen = []
    for home in _candidates():
        version = java_version(home)
        if version >= OLDEST:
            return home
        seen.append(f"{home} is Java {version}" if version else f"{home}/bin/java doesn't run")
    found = "; ".join(seen) or "no java in JAVA_HOME, on PATH, in /usr/lib/jvm"
    raise UsageError(
        f"Hadoop needs Java {OLDEST} or newer ({found}). Install it, on Debian or Ubuntu by "
        f"`apt-get install openjdk-{OLDEST}-jdk-headless`, or let JAVA_HOME name one"
    )


def java_version(home: Path) -> int:
    """The major version of the Java in `home`; 0 if it doesn't run."""
    try:
        done = subprocess.run([home / "bin/java", "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    return int(match[1]) if match and done.returncode == 0 else 0


def maven() -> str:
    """The path of `mvn`."""
    if found := shutil.which("mvn"):
        return found
    raise UsageError(
        "Hadoop's jars are fetched by Maven, and there is no `mvn` on PATH. Install it, on Debian or Ubuntu by "
        "`apt-get install maven`"
    )


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    for path in sorted(Path("/usr/lib/jvm").glob("*/bin/java")):
        yield path.parent.parent
