"""`yarnml cluster up | down | status | env`, as the command line calls it: each prints, and returns the exit code."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

from hdfs_io.spoken import many
from yarnml.cluster.cluster import Cluster
from yarnml.cluster.cluster import env as _env
from yarnml.cluster.cluster import running as _running
from yarnml.cluster.down import down as _down
from yarnml.cluster.jars import cache
from yarnml.cluster.layout import Layout
from yarnml.cluster.status import DaemonStatus
from yarnml.cluster.status import status as _status
from yarnml.cluster.up import up as _up


def up(
    nodes: int | None = None, state: Path | None = None, memory_mb: int | None = None, vcores: int | None = None
) -> int:
    """Start HDFS and YARN on this machine; what is already up is left alone."""
    begin = time.monotonic()
    cluster = _up(nodes, state, _tell, memory_mb=memory_mb, vcores=vcores)
    print(f"HDFS {cluster.hdfs}   WebHDFS {cluster.webhdfs}   YARN {cluster.resourcemanager}")
    print(
        f"{_nodes(cluster)}; queues default, ml (and closed and barred, which refuse); {time.monotonic() - begin:.0f} s"
    )
    print(f'`yarnml submit` finds it by itself; a shell by: eval "$(yarnml cluster env{_flag(state)})"')
    print(f"`yarnml cluster down{_flag(state)}` ends it and removes what is in HDFS (--keep: not that)")
    return 0


def down(state: Path | None = None, keep: bool = False) -> int:
    """End the cluster, and remove its files; keep: leave HDFS's data for the next up."""
    root = Layout.at(state).root
    there = root.exists()
    ended = _down(state, _tell, keep=keep)
    if not there:
        print(f"nothing to end: no cluster in {root}")
        return 0
    kept = f"HDFS's data stays in {root}" if keep and root.exists() else f"{root} is removed"
    print(f"{ended} processes ended; {kept}; Hadoop's jars stay in {cache()}")
    return 0


def status(state: Path | None = None) -> int:
    """Say which daemons are there and how HDFS and YARN are; the exit code is 0 if all of it serves, else 1."""
    found = _status(state)
    if found is None:
        print(f"no cluster in {Layout.at(state).root}; `yarnml cluster up` makes one")
        return 1
    for daemon in found.daemons:
        print(_line(daemon))
    cluster = found.cluster
    print(f"HDFS {cluster.hdfs}: {found.datanodes} of {cluster.nodes} nodes, {found.used >> 20} MB used, ", end="")
    print(f"{found.left >> 30} GB left")
    print(f"YARN {cluster.resourcemanager}: {found.nodemanagers} of {cluster.nodes} nodes, ", end="")
    print(f"{many(found.running, 'application')} running, {found.free_mb} MB to give away")
    if not found.up:
        print(f"not all of it serves: `yarnml cluster up{_flag(state)}` mends it")
    return 0 if found.up else 1


def env(state: Path | None = None) -> int:
    """Print what a shell needs so that hdfs, yarn, Skein and hdfs-native find the cluster."""
    variables = _env(state)
    bin_directory = shlex.quote(str(Layout.at(state).part("bin")))
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "JAVA_HOME"):
        print(f"export {name}={shlex.quote(variables[name])}")
    print(f'export PATH={bin_directory}:"$PATH"')
    if _running(state) is None:
        _tell("this cluster is down; `yarnml cluster up` starts it")
    return 0


def _tell(line: str) -> None:
    print(f"cluster: {line}", file=sys.stderr, flush=True)


def _flag(state: Path | None) -> str:
    return "" if state is None else f" --state {shlex.quote(str(state))}"


def _nodes(cluster: Cluster) -> str:
    each = f"{cluster.size.memory_mb} MB and {cluster.size.vcores} vcores for containers"
    if cluster.size.vcores * cluster.nodes > (os.cpu_count() or 1):
        each += " (vcores are shares of a core here, so that small runs fit beside each other)"
    return f"1 node with {each}" if cluster.nodes == 1 else f"{cluster.nodes} nodes, each with {each}"


def _line(daemon: DaemonStatus) -> str:
    if daemon.pid is None:
        return f"{daemon.name:18} down      its log: {daemon.log}"
    state = "serves" if daemon.serves else "silent"
    return f"{daemon.name:18} {state}    pid {daemon.pid:<8} {daemon.resident >> 20:>5} MB   {daemon.address}"
