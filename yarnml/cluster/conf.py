"""Hadoop's configuration files, as its daemons and its clients read them."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from yarnml.cluster.layout import Layout, write
from yarnml.cluster.ports import LOOPBACK, Ports, node_host
from yarnml.cluster.size import Size
from yarnml.errors import UsageError

QUEUES = {"default": 50, "ml": 40, "closed": 5, "barred": 5}  # name -> percent
STOPPED = "closed"  # takes no application
BARRED = "barred"  # takes none of any user
LOG4J = """\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
"""


@dataclass(frozen=True)
class Conf:
    """All that the files depend on."""

    layout: Layout
    jars: Path
    user: str
    nodes: int
    size: Size
    ports: Ports

    def write(self) -> None:
        """Write the files to the layout's `conf`."""
        files = {
            "core-site.xml": xml(self.core()),
            "hdfs-site.xml": xml(self.hdfs()),
            "yarn-site.xml": xml(self.yarn()),
            "capacity-scheduler.xml": xml(self.queues()),
            "topology.table": self.racks(),
            "log4j.properties": LOG4J,
        }
        for name, text in files.items():
            write(self.layout.part("conf") / name, text)

    def master(self, service: str) -> str:
        """The address of a service of the masters, by the name that they go by."""
        return f"localhost:{self.ports[service].port}"

    def core(self) -> dict[str, str]:
        return {
            "fs.defaultFS": f"hdfs://{self.master('namenode.rpc')}",
            "hadoop.tmp.dir": str(self.layout.part("tmp")),
            "hadoop.http.staticuser.user": self.user,
            f"hadoop.proxyuser.{self.user}.hosts": "*",
            f"hadoop.proxyuser.{self.user}.groups": "*",
            # the table itself, without its cache: the NameNode asks cached mappings by IP, which all nodes share
            "net.topology.node.switch.mapping.impl": "org.apache.hadoop.net.TableMapping$RawTableMapping",
            "net.topology.table.file.name": str(self.layout.part("conf") / "topology.table"),
            # a client is told within 10 s that nobody answers
            "ipc.client.connect.max.retries": "5",
            "ipc.client.connect.max.retries.on.timeouts": "2",
            "ipc.client.connect.timeout": "3000",
        }

    def hdfs(self) -> dict[str, str]:
        data = self.layout.part("hdfs")
        return {
            "dfs.namenode.rpc-address": self.master("namenode.rpc"),
            "dfs.namenode.http-address": self.master("namenode.http"),
            "dfs.namenode.name.dir": (data / "namenode").as_uri(),
            "dfs.webhdfs.enabled": "true",
            # one copy, in blocks so small that a file of test data lies on several nodes
            "dfs.replication": "1",
            "dfs.blocksize": str(16 << 20),
            "dfs.namenode.fs-limits.min-block-size": str(64 << 10),
            # a full disk is the machine's matter, not a reason to turn read-only below 100 MB
            "dfs.namenode.resource.du.reserved": "0",
            "dfs.datanode.du.reserved": "0",
            "dfs.namenode.safemode.extension": "0",
            # a DataNode that is gone counts as dead after 30 s, not after 10 minutes
            "dfs.heartbeat.interval": "1",
            "dfs.namenode.heartbeat.recheck-interval": "10000",
            "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        }

    def yarn(self) -> dict[str, str]:
        master = {
            "yarn.resourcemanager.address": self.master("resourcemanager.client"),
            "yarn.resourcemanager.scheduler.address": self.master("resourcemanager.scheduler"),
            "yarn.resourcemanager.resource-tracker.address": self.master("resourcemanager.tracker"),
            "yarn.resourcemanager.admin.address": self.master("resourcemanager.admin"),
            "yarn.resourcemanager.webapp.address": self.master("resourcemanager.http"),
        }
        memory, vcores = str(self.size.memory_mb), str(self.size.vcores)
        return master | {
            "yarn.resourcemanager.hostname": "localhost",
            "yarn.acl.enable": "true",
            "yarn.application.classpath": f"{self.layout.part('conf')},{self.jars}/*",
            "yarn.nodemanager.resource.memory-mb": memory,
            "yarn.nodemanager.resource.cpu-vcores": vcores,
            "yarn.scheduler.minimum-allocation-mb": "128",
            "yarn.scheduler.maximum-allocation-mb": memory,
            "yarn.scheduler.maximum-allocation-vcores": vcores,
            # memory that is used counts; address space that numpy or a JVM reserves does not; and `enforced` leaves
            # it all to control groups, which these nodes don't have
            "yarn.nodemanager.pmem-check-enabled": "true",
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.nodemanager.resource.memory.enforced": "false",
            "yarn.nodemanager.container-monitor.interval-ms": "1000",
            "yarn.nodemanager.user-home-dir": str(self.layout.part("home")),
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
            "yarn.nodemanager.disk-health-checker.min-healthy-disks": "0",
            "yarn.log-aggregation-enable": "true",
            "yarn.nodemanager.remote-app-log-dir": "/tmp/logs",  # noqa: S108 (in HDFS)
            "yarn.nodemanager.delete.debug-delay-sec": "0",
            "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "250",
            "yarn.nm.liveness-monitor.expiry-interval-ms": "30000",
            "yarn.node-attribute.fs-store.root-dir": (self.layout.part("nodes") / "attributes").as_uri(),
            "yarn.node-labels.fs-store.root-dir": (self.layout.part("nodes") / "labels").as_uri(),
            "yarn.resourcemanager.am.max-attempts": "2",
            "yarn.timeline-service.enabled": "false",
            # a client is told within 10 s that nobody answers
            "yarn.resourcemanager.connect.max-wait.ms": "8000",
            "yarn.resourcemanager.connect.retry-interval.ms": "1000",
        }

    def queues(self) -> dict[str, str]:
        root = "yarn.scheduler.capacity"
        settings = {
            f"{root}.root.queues": ",".join(QUEUES),
            # what the root allows is allowed in every queue
            f"{root}.root.acl_submit_applications": " ",
            f"{root}.root.acl_administer_queue": " ",
            f"{root}.maximum-am-resource-percent": "0.8",
            f"{root}.resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
            f"{root}.node-locality-delay": "4",
            # else one heartbeat puts a whole small run on one node
            f"{root}.per-node-heartbeat.multiple-assignments-enabled": "false",
        }
        for name, percent in QUEUES.items():
            settings |= {
                f"{root}.root.{name}.capacity": str(percent),
                f"{root}.root.{name}.maximum-capacity": "100",
                f"{root}.root.{name}.user-limit-factor": "10",
                f"{root}.root.{name}.state": "STOPPED" if name == STOPPED else "RUNNING",
                f"{root}.root.{name}.acl_submit_applications": " " if name == BARRED else "*",
            }
        return settings

    def racks(self) -> str:
        """Odd nodes are in one rack, even ones in the other, the clients of this machine in the first."""
        hosts = {node_host(node): 2 - node % 2 for node in range(1, self.nodes + 1)}
        return "".join(f"{host} /rack{rack}\n" for host, rack in {LOOPBACK: 1, "localhost": 1, **hosts}.items())


def user_name() -> str:
    """Who Hadoop takes this user for; USER and LOGNAME don't count there."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise UsageError(f"user {os.geteuid()} has no name in /etc/passwd, and Hadoop needs one") from None


def xml(settings: Mapping[str, str]) -> str:
    """Hadoop's form of a list of settings."""
    lines = [f"<property><name>{escape(k)}</name><value>{escape(v)}</value></property>" for k, v in settings.items()]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<configuration>", *lines, "</configuration>", ""])
