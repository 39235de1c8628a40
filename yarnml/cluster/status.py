"""What of a cluster is there, and how it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from yarnml.cluster.cluster import Cluster
from yarnml.cluster.fleet import capacity, live_datanodes, metrics, serves
from yarnml.cluster.layout import Layout
from yarnml.cluster.ports import of_daemon


@dataclass(frozen=True)
class DaemonStatus:
    """One daemon."""

    name: str
    pid: int | None  # None: it isn't there
    serves: bool  # it answers
    resident: int  # bytes of memory
    address: str  # of its web page
    log: Path


@dataclass(frozen=True)
class Status:
    """One cluster."""

    cluster: Cluster
    daemons: tuple[DaemonStatus, ...]
    datanodes: int  # alive, as the NameNode counts
    nodemanagers: int  # active, as the ResourceManager counts
    running: int  # applications
    used: int  # bytes in HDFS
    left: int
    free_mb: int  # memory that YARN can still give away

    @property
    def up(self) -> bool:
        """Whether all of it serves."""
        nodes = self.cluster.nodes
        return all(daemon.serves for daemon in self.daemons) and self.datanodes == self.nodemanagers == nodes


def status(state: Path | None = None) -> Status | None:
    """The status of the cluster of `state`; None if there is none."""
    cluster = Cluster.load(Layout.at(state))
    if cluster is None:
        return None
    daemons = []
    for daemon in cluster.daemons:
        process = daemon.process(cluster.layout)
        address = f"http://{of_daemon(cluster.ports, daemon.name)['http']}"
        answers = process is not None and serves(daemon, cluster.ports)
        pid, resident = (process.pid, process.resident) if process else (None, 0)
        daemons.append(DaemonStatus(daemon.name, pid, answers, resident, address, daemon.log(cluster.layout)))
    masters = {daemon.name for daemon in daemons if daemon.serves}
    # another cluster may have taken the ports of one that is down: ask only masters that are there
    yarn = metrics(cluster.ports) if "resourcemanager" in masters else {}
    used, left = capacity(cluster.ports) if "namenode" in masters else (0, 0)
    return Status(
        cluster,
        tuple(daemons),
        live_datanodes(cluster.ports) if "namenode" in masters else 0,
        int(yarn.get("activeNodes", 0)),
        int(yarn.get("appsRunning", 0)),
        used,
        left,
        int(yarn.get("availableMB", 0)),
    )
