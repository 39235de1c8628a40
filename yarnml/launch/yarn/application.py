"""Applications: Skein's, and all that yarnml wants of Skein."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Self, final

from yarnml.errors import UsageError
from yarnml.launch.yarn.driver import QUICK, Driver
from yarnml.launch.yarn.manager import TAG
from yarnml.launch.yarn.spec import Service

MASTER_MB = 512  # of Skein's application master: a JVM with a heap of 128 MB
# Skein's pages need the first from Java 17 on
JAVA = " ".join(("--add-opens=java.base/java.util=ALL-UNNAMED", *QUICK))


@dataclass(frozen=True)
class Local:
    """What a container finds under a name: a file, or an archive unpacked to a folder."""

    url: str
    archive: bool
    keep: bool  # on the node, for the user's next run


@dataclass(frozen=True, kw_only=True)
class Wish:
    """An application as yarnml sees it."""

    name: str
    queue: str
    services: Sequence[Service]
    scripts: Mapping[str, str]  # role -> lines of sh
    env: Mapping[str, Mapping[str, str]]  # role -> variables
    files: Mapping[str, Local]
    homes: Sequence[Sequence[str]] = ()  # for each worker, the hosts where it had best be; empty if that is all one
    node_label: str | None = None
    tags: Sequence[str] = ()
    view_users: Sequence[str] = ()
    modify_users: Sequence[str] = ()
    max_attempts: int = 1
    restarts: Mapping[str, int]  # role -> how often another container is started for one that failed; -1: always


@final
@dataclass(frozen=True)
class Submitted:
    """An application, as whoever submitted it knows it."""

    name: str
    security: Any = None  # Skein's keys to its master, which only the process that submitted it has

    def release(self, master: str, *, ok: bool, message: str) -> bool:
        """Tell its master (host:port) that all is over; by itself it would notice up to 5 s later. Whether it can.

        Returns at once, and nobody learns of a failure: the application's end is waited for in any case.
        """
        if self.security is not None:
            arguments = (master, "SUCCEEDED" if ok else "FAILED", message or None)
            threading.Thread(target=self._shut_down, args=arguments, name="yarnml-release", daemon=True).start()
        return self.security is not None

    def _shut_down(self, master: str, status: str, message: str | None) -> None:
        import skein

        with (
            suppress(skein.exceptions.SkeinError),
            closing(skein.ApplicationClient(master, self.name, security=self.security)) as client,
        ):
            client.shutdown(status, message)


@final
class Applications:
    """Submits and kills. A context manager: the JVM ends with it."""

    def __init__(self) -> None:
        self._driver = Driver()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._driver.close()

    def submit(self, wish: Wish) -> Submitted:
        """UsageError with YARN's words if it is refused."""
        import skein

        client = self._driver.client
        security = skein.Security.new_credentials()
        try:
            return Submitted(str(client.submit(_specification(skein, wish, security))), security)
        except (skein.exceptions.SkeinError, ValueError) as error:
            raise UsageError(f"YARN refuses the application: {_short(str(error))}") from error

    def kill(self, name: str) -> None:
        self._driver.client.kill_application(name)


def _specification(skein: Any, wish: Wish, security: Any) -> Any:
    files = {name: _file(skein, local) for name, local in wish.files.items()}
    services = {
        name: skein.Service(
            instances=instances,
            resources=skein.Resources(memory=f"{service.size.mb} MiB", vcores=service.size.vcores),
            script=wish.scripts[service.role],
            files=files,
            env=dict(wish.env[service.role]),
            max_restarts=wish.restarts[service.role],
            nodes=hosts,
            relax_locality=True,
        )
        for service in wish.services
        for name, instances, hosts in _groups(service, wish.homes)
    }
    master = skein.Master(
        resources=skein.Resources(memory=f"{MASTER_MB} MiB", vcores=1),
        env={"JDK_JAVA_OPTIONS": JAVA},
        security=security,
    )
    acls = skein.ACLs(enable=True, view_users=list(wish.view_users), modify_users=list(wish.modify_users))
    return skein.ApplicationSpec(
        name=wish.name, queue=wish.queue, services=services, master=master, node_label=wish.node_label or "",
        tags=set(wish.tags) | {TAG}, acls=acls if wish.view_users or wish.modify_users else None,
        max_attempts=wish.max_attempts,
    )  # fmt: skip


def _groups(service: Service, homes: Sequence[Sequence[str]]) -> list[tuple[str, int, list[str]]]:
    """(name, instances, hosts): Skein asks for all containers of a service in the same places, so workers whose rows
    are elsewhere are another. Which of them a container then is, the scheduler says, by where it came to be."""
    if service.role != "worker" or not homes:
        return [(service.role, service.instances, [])]
    groups = Counter(tuple(hosts) for hosts in homes)
    return [(f"{service.role}-{k}", count, list(hosts)) for k, (hosts, count) in enumerate(groups.items())]


def _file(skein: Any, local: Local) -> Any:
    visibility = "private" if local.keep else "application"
    return skein.File(local.url, type="archive" if local.archive else "file", visibility=visibility)


def _short(text: str) -> str:
    """YARN's sentence without Java's class names and stacks."""
    lines = takewhile(lambda line: not line.startswith("\tat "), text.splitlines())
    return " ".join(lines).rpartition("Exception: ")[2].strip() or "no reason given"
