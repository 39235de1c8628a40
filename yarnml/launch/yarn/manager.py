"""The ResourceManager, as its REST interface shows it: queues, nodes, applications."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

from hdfs_io import hadoop
from yarnml.errors import DataError, UsageError

HTTP_PORT, HTTPS_PORT = 8088, 8090
LIMIT = 4.0  # seconds for one answer
HEADERS = {"Accept": "application/json", "Content-Type": "application/json"}
ENDED = ("FINISHED", "FAILED", "KILLED")
TAG = "yarnml"  # of every application of ours

# a proxy that the environment names leads out of the cluster, not into it
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class Queue:
    """A queue that takes applications."""

    path: str  # root.ml
    running: bool
    most_mb: int  # of one container; 0 if it isn't said
    most_vcores: int
    acls: tuple[str, ...] = ()  # whom it, and those above it, let in: `users groups` or `*`; empty if not said

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


@dataclass(frozen=True)
class Node:
    """A machine that runs containers."""

    host: str
    mb: int  # in all
    vcores: int
    free_mb: int
    free_vcores: int
    labels: tuple[str, ...] = ()
    web: str = ""  # host:port of its own pages


@dataclass(frozen=True)
class Application:
    """How one application stands."""

    state: str  # ACCEPTED, RUNNING, FINISHED, ...
    final: str  # UNDEFINED, SUCCEEDED, FAILED, KILLED
    diagnostics: str
    containers: int  # that it has now
    master: str = ""  # host:port where its master listens, once it does

    @property
    def ended(self) -> bool:
        return self.state in ENDED


@final
class Manager:
    """Asks whichever of the ResourceManagers answers and isn't in standby."""

    def __init__(self, addresses: Sequence[str]) -> None:
        """`addresses`: http://host:port, one or, with HA, several."""
        self.addresses = list(addresses)

    def check(self) -> None:
        """Raise DataError, within 10 s and by address, if none answers."""
        self._get("info")

    def queues(self) -> list[Queue]:
        root = self._get("scheduler")["scheduler"]["schedulerInfo"]
        return list(_leaves(root.get("rootQueue", root)))

    def nodes(self) -> list[Node]:
        found = (self._get("nodes?states=RUNNING").get("nodes") or {}).get("node", [])
        return [
            Node(
                n["nodeHostName"],
                n["usedMemoryMB"] + n["availMemoryMB"],
                n["usedVirtualCores"] + n["availableVirtualCores"],
                n["availMemoryMB"],
                n["availableVirtualCores"],
                tuple(n.get("nodeLabels", ())),
                n.get("nodeHTTPAddress", ""),
            )
            for n in found
        ]

    def application(self, name: str) -> Application | None:
        """None if the ResourceManager has forgotten it."""
        try:
            app = self._get(f"apps/{name}")["app"]
        except LookupError:
            return None
        said = " ".join(str(app.get("diagnostics", "")).split())
        containers = max(0, int(app.get("runningContainers", 0)))
        return Application(app["state"], app["finalStatus"], said, containers, app.get("amRPCAddress", ""))

    def ours(self) -> list[str]:
        """The names of yarnml's applications of this user that haven't ended."""
        states = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
        query = urllib.parse.urlencode({"applicationTags": TAG, "user": hadoop.user(), "states": states})
        found = (self._get(f"apps?{query}").get("apps") or {}).get("app", [])
        return sorted(str(app["name"]) for app in found)

    def containers(self, application: str, attempt: str) -> set[str]:
        """The names of those that an attempt has now. LookupError if it is over."""
        name = f"{application.replace('application', 'appattempt')}_{int(attempt):06d}"
        found = self._get(f"apps/{application}/appattempts/{name}/containers").get("container") or []
        return {str(container["containerId"]) for container in found}

    def kill(self, name: str) -> bool:
        """Whether it could be asked to: where users have to prove who they are, not in this way."""
        return self._told(f"apps/{name}/state", "PUT", json.dumps({"state": "KILLED"}).encode())

    def kill_container(self, name: str) -> bool:
        """By SIGKILL, so that one that is stopped ends too. Whether it could be asked to."""
        return self._told(f"containers/{name}/signal/FORCEFUL_SHUTDOWN", "POST", b"")

    def _told(self, what: str, method: str, body: bytes) -> bool:
        try:
            self._get(f"{what}?user.name={urllib.parse.quote(hadoop.user())}", method, body)
        except (DataError, LookupError):
            return False
        return True

    def _get(self, what: str, method: str = "GET", body: bytes | None = None) -> dict[str, Any]:
        faults = []
        for address in list(self.addresses):
            request = urllib.request.Request(  # noqa: S310 (the cluster's own address)
                f"{address}/ws/v1/cluster/{what}", body, HEADERS, method=method
            )
            try:
                with _direct.open(request, timeout=LIMIT) as answer:
                    found = json.load(answer) if method == "GET" else {}
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 404:
                        raise LookupError(what) from None
                    faults.append(f"{address} answers {error.code} {error.reason}")
            except (OSError, ValueError) as error:
                reason = getattr(error, "reason", error)
                faults.append(f"{address} ({getattr(reason, 'strerror', None) or reason or 'no JSON'})")
            else:
                # the active one is asked first from now on; in one step, since threads may share this
                self.addresses = [address, *(other for other in self.addresses if other != address)]
                return dict(found)
        raise DataError(f"no ResourceManager answers at {', '.join(faults)}; is YARN up, and is the address right?")


def configured() -> Manager:
    """The ResourceManager of HADOOP_CONF_DIR. UsageError if there is none."""
    said = hadoop.settings()
    secure = said.get("yarn.http.policy") == "HTTPS_ONLY"
    key = f"yarn.resourcemanager.webapp.{'https.' if secure else ''}address"
    port = HTTPS_PORT if secure else HTTP_PORT
    found = []
    for end in [f".{name.strip()}" for name in said.get("yarn.resourcemanager.ha.rm-ids", "").split(",")]:
        end = "" if end == "." else end
        host = said.get(f"yarn.resourcemanager.hostname{end}", "")
        where = hadoop.address(said.get(f"{key}{end}") or host, port)
        if where[0] and "$" not in where[0]:
            found.append(f"http{'s' if secure else ''}://{where[0]}:{where[1]}")
    if not found:
        raise UsageError(
            f"{hadoop.conf_dir()}: names no ResourceManager (yarn.resourcemanager.hostname in yarn-site.xml)"
        )
    return Manager(found)


def _leaves(queue: dict[str, Any], above: str = "", acls: tuple[str, ...] = ()) -> Iterator[Queue]:
    name = str(queue.get("queueName", "root"))
    path = name if name.startswith("root") or not above else f"{above}.{name}"
    acls += tuple(_acls(queue))
    below = queue.get("queues") or queue.get("childQueues") or {}
    children = below.get("queue", []) if isinstance(below, dict) else below
    for child in children:
        yield from _leaves(child, path, acls)
    if not children:
        most = queue.get("maximumAllocation") or {}
        mb, vcores = int(most.get("memory", 0)), int(most.get("vCores", 0))
        yield Queue(path, queue.get("state", "RUNNING") == "RUNNING", mb, vcores, acls)


def _acls(queue: dict[str, Any]) -> Iterator[str]:
    """Who may submit; whoever administers a queue may, too."""
    for acl in (queue.get("queueAcls") or {}).get("queueAcl", []):
        if acl["accessType"] in ("SUBMIT_APP", "ADMINISTER_QUEUE"):
            yield str(acl["accessControlList"])
