"""A real Hadoop on this machine: HDFS and YARN, each daemon a JVM of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from yarnml.cluster.conf import Conf, user_name
from yarnml.cluster.daemon import Daemon
from yarnml.cluster.fleet import NAMENODE, RESOURCEMANAGER, fleet
from yarnml.cluster.layout import Layout, read_json, write
from yarnml.cluster.ports import Address, Ports, choose, usual
from yarnml.cluster.size import Size
from yarnml.errors import UsageError, YarnmlError

Progress = Callable[[str], None]


def quiet(_: str) -> None:
    """Progress that nobody wants to see."""


@dataclass(frozen=True)
class Cluster:
    """What was decided once for a state directory, and is recorded in it."""

    layout: Layout
    nodes: int
    size: Size
    java: Path
    jars: Path
    ports: Ports

    @property
    def hdfs(self) -> str:
        """The default file system, as a URL."""
        return f"hdfs://localhost:{self.ports['namenode.rpc'].port}"

    @property
    def webhdfs(self) -> str:
        """WebHDFS and the NameNode's figures."""
        return f"http://localhost:{self.ports['namenode.http'].port}"

    @property
    def resourcemanager(self) -> str:
        """The ResourceManager's web page and REST API."""
        return f"http://localhost:{self.ports['resourcemanager.http'].port}"

    @property
    def conf(self) -> Conf:
        return Conf(self.layout, self.jars, user_name(), self.nodes, self.size, self.ports)

    @property
    def daemons(self) -> list[Daemon]:
        return fleet(self.layout, self.nodes, self.ports)

    def variables(self) -> dict[str, str]:
        """What a program needs in its environment to find this cluster; PATH is the caller's with `bin` in front."""
        conf = str(self.layout.part("conf"))
        path = os.pathsep.join(filter(None, [str(self.layout.part("bin")), os.environ.get("PATH")]))
        return {"HADOOP_CONF_DIR": conf, "YARN_CONF_DIR": conf, "JAVA_HOME": str(self.java), "PATH": path}

    def alive(self) -> list[Daemon]:
        """The daemons whose processes are there."""
        return [daemon for daemon in self.daemons if daemon.process(self.layout)]

    def moved(self, wanted: Ports) -> Self:
        """The same cluster on the free ports next to the wanted ones."""
        return type(self)(self.layout, self.nodes, self.size, self.java, self.jars, choose(wanted))

    def save(self) -> None:
        """Record it, for whoever comes next."""
        value = {
            "nodes": self.nodes, "size": asdict(self.size), "java": str(self.java), "jars": str(self.jars),
            "ports": {name: str(address) for name, address in self.ports.items()},
        }  # fmt: skip
        write(self.layout.record, json.dumps(value, indent=1))

    @classmethod
    def load(cls, layout: Layout) -> Self | None:
        """The cluster that is recorded in a state directory."""
        value = read_json(layout.record)
        if value is None:
            return None
        try:
            ports = {name: _address(text) for name, text in value["ports"].items()}
            ports = {name: ports[name] for name in usual(value["nodes"])}
            return cls(layout, value["nodes"], Size(**value["size"]), Path(value["java"]), Path(value["jars"]), ports)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise YarnmlError(f"{layout.record} isn't a cluster's record: {error!r}") from error


def running(state: Path | None = None) -> Cluster | None:
    """The cluster of `state` if its masters are alive: what `yarnml submit` uses when HADOOP_CONF_DIR isn't set."""
    cluster = Cluster.load(Layout.at(state))
    masters = cluster and all(daemon.process(cluster.layout) for daemon in (NAMENODE, RESOURCEMANAGER))
    return cluster if masters else None


def env(state: Path | None = None) -> dict[str, str]:
    """HADOOP_CONF_DIR, YARN_CONF_DIR, JAVA_HOME and PATH for programs that use the cluster of `state`."""
    layout = Layout.at(state)
    cluster = Cluster.load(layout)
    if cluster is None:
        raise UsageError(f"no cluster in {layout.root}; `yarnml cluster up` makes one")
    return cluster.variables()


def _address(text: str) -> Address:
    host, _, port = text.rpartition(":")
    return Address(host, int(port))
