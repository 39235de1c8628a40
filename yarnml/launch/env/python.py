"""The running interpreter and its standard library."""

from __future__ import annotations

import site
import sys
import sysconfig
from pathlib import Path

from yarnml.errors import UsageError
from yarnml.launch.env.entry import Entry, below
from yarnml.launch.env.prune import FOLDERS, runs_stdlib

EXECUTABLE = "bin/python"
LIBRARIES = "lib"  # where libraries go that are no part of a package


def executable() -> Path:
    """The interpreter itself: a virtual environment only links to it."""
    if sys.platform != "linux":
        raise UsageError(
            f"Python can be shipped from Linux only, not from {sys.platform}; say --env with a tarball for Linux"
        )
    return Path(sys.executable).resolve()


def stdlib() -> list[Entry]:
    folder = Path(sysconfig.get_path("stdlib"))
    files = [entry for entry in below(folder, skip=FOLDERS) if runs_stdlib(entry.name)]
    return [Entry(f"{home()}/{entry.name}", entry.source) for entry in files if entry.source.is_file()]


def home() -> str:
    """Where this Python expects its standard library, seen from its prefix."""
    return f"{sys.platlibdir}/python{sys.version_info.major}.{sys.version_info.minor}"


def site_packages() -> str:
    """Where it looks for packages, seen from its prefix: distributions of Linux have ideas of their own.

    The last of the list holds in a virtual environment and outside one.
    """
    return site.getsitepackages(["/"])[-1].lstrip("/")
