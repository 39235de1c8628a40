"""The daemons that a cluster consists of, and what tells that each serves."""

from __future__ import annotations

from typing import Any

from yarnml.cluster.daemon import Daemon
from yarnml.cluster.layout import Layout
from yarnml.cluster.ports import Ports, node_host, of_daemon
from yarnml.cluster.web import ask, bean

NAMENODE = Daemon("namenode", "hdfs.server.namenode.NameNode", 512)
RESOURCEMANAGER = Daemon("resourcemanager", "yarn.server.resourcemanager.ResourceManager", 512)


def fleet(layout: Layout, nodes: int, ports: Ports) -> list[Daemon]:
    """All daemons, in the order in which they start; they end in the opposite one."""
    numbers = range(1, nodes + 1)
    return [
        NAMENODE,
        RESOURCEMANAGER,
        *(_datanode(layout, node, ports) for node in numbers),
        *(_nodemanager(layout, node, ports) for node in numbers),
    ]


def serves(daemon: Daemon, ports: Ports) -> bool:
    """Whether the daemon answers, and is not only there."""
    address = f"http://{ports[f'{daemon.name}.http']}"
    match daemon.name.partition("-")[0]:
        case "namenode":
            return bean(address, "NameNode,name=NameNodeStatus").get("State") == "active"
        case "datanode":
            return bean(address, "DataNode,name=DataNodeInfo").get("ClusterId") is not None
        case "resourcemanager":
            return bool(_inside(ask(f"{address}/ws/v1/cluster/info"), "clusterInfo").get("state") == "STARTED")
        case _:
            return bool(_inside(ask(f"{address}/ws/v1/node/info"), "nodeInfo").get("nodeHealthy"))


def live_datanodes(ports: Ports) -> int:
    """DataNodes that the NameNode counts as alive; 0 as long as it waits for them to report their blocks."""
    address = f"http://{ports['namenode.http']}"
    if bean(address, "NameNode,name=NameNodeInfo").get("Safemode") != "":
        return 0
    return int(bean(address, "NameNode,name=FSNamesystemState").get("NumLiveDataNodes", 0))


def metrics(ports: Ports) -> dict[str, Any]:
    """The ResourceManager's figures: activeNodes, availableMB, appsRunning, …; empty if it doesn't answer."""
    return _inside(ask(f"http://{ports['resourcemanager.http']}/ws/v1/cluster/metrics"), "clusterMetrics")


def capacity(ports: Ports) -> tuple[int, int]:
    """Bytes used and bytes left in HDFS."""
    state = bean(f"http://{ports['namenode.http']}", "NameNode,name=FSNamesystemState")
    return int(state.get("CapacityUsed", 0)), int(state.get("CapacityRemaining", 0))


def _datanode(layout: Layout, node: int, ports: Ports) -> Daemon:
    name = f"datanode-{node}"
    at = of_daemon(ports, name)
    settings = {
        "dfs.datanode.hostname": node_host(node),
        "dfs.datanode.address": str(at["data"]),
        "dfs.datanode.ipc.address": str(at["ipc"]),
        "dfs.datanode.http.address": str(at["http"]),
        "dfs.datanode.data.dir": (layout.part("hdfs") / name).as_uri(),
    }
    return Daemon(name, "hdfs.server.datanode.DataNode", 256, settings)


def _nodemanager(layout: Layout, node: int, ports: Ports) -> Daemon:
    name = f"nodemanager-{node}"
    at = of_daemon(ports, name)
    settings = {
        "yarn.nodemanager.hostname": node_host(node),
        "yarn.nodemanager.address": str(at["container"]),
        "yarn.nodemanager.localizer.address": str(at["localizer"]),
        "yarn.nodemanager.webapp.address": str(at["http"]),
        "yarn.nodemanager.local-dirs": str(layout.part("nodes") / str(node) / "local"),
        "yarn.nodemanager.log-dirs": str(layout.part("nodes") / str(node) / "logs"),
        "yarn.resourcemanager.connect.max-wait.ms": "-1",  # a node waits for its master, a client does not
    }
    return Daemon(name, "yarn.server.nodemanager.NodeManager", 256, settings)


def _inside(answer: Any, name: str) -> dict[str, Any]:
    return dict((answer or {}).get(name) or {})
