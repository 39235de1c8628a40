"""Runs on a real YARN, as small as they can be, and the processes of their containers."""

from __future__ import annotations

import sys
from typing import Any

import psutil

from yarnml.runs import RunDir

SMALL: dict[str, Any] = {
    "scheduler_memory": "256MiB",
    "server_memory": "320MiB",
    "worker_memory": "400MiB",
    "env": sys.prefix,  # on this machine the nodes have it, too
}
MAINS = {
    "scheduler": ("yarnml.launch.yarn.scheduler",),
    "worker": ("yarnml.launch.yarn.container", "worker"),
    "server": ("yarnml.launch.yarn.container", "server"),
    "master": ("com.anaconda.skein.ApplicationMaster",),
}


def processes(run: RunDir, role: str) -> list[psutil.Process]:
    """Those of a role, without the shells around them."""
    application = run.record().application
    found = []
    for process in psutil.process_iter():
        try:
            words, where = process.cmdline(), process.cwd()
        except psutil.Error:
            continue
        if application in where and all(word in words for word in MAINS[role]):
            found.append(process)
    return sorted(found, key=lambda process: process.pid)
