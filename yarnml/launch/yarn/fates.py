"""Fates: what the cluster knows of containers that are out of reach without having left a note.

A process that is killed leaves a shell which says so. When YARN ends a container, or its node is lost, nobody is left
to say anything: that is no fault of the run.
"""

from __future__ import annotations

import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import final

from yarnml.errors import DataError
from yarnml.launch.yarn.manager import Manager
from yarnml.launch.yarn.rendezvous import application_of, attempt_of

ANSWER = 2.0  # seconds for a node to take a connection


@final
class Fates:
    """Asks by a thread of its own: an answer may take seconds."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        self._asked: dict[str, Future[str]] = {}
        self._pool = ThreadPoolExecutor(1)

    def of(self, container: str, host: str) -> str:
        """How it was taken from the run; empty as long as that isn't known. It is to be asked again and again."""
        asked = self._asked.get(container)
        if asked is None or (asked.done() and not asked.result()):
            self._asked[container] = asked = self._pool.submit(self._look, container, host)
        return asked.result() if asked.done() else ""

    def end(self, container: str) -> None:
        """Have it killed, if it still is there."""
        self._pool.submit(self._manager.kill_container, container)

    def _look(self, container: str, host: str) -> str:
        with suppress(DataError, LookupError):
            if container not in self._manager.containers(application_of(container), attempt_of(container)):
                return "was taken away by YARN: for another application, or by an administrator"
            node = next((node for node in self._manager.nodes() if node.host == host), None)
            if node is None or (node.web and not _answers(node.web)):
                return "was lost with its node"
        return ""


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), ANSWER).close()
    except OSError:
        return False
    return True
