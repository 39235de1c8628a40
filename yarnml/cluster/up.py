"""Starting a cluster, or what is missing of one."""

from __future__ import annotations

import contextlib
import errno
import sys
from pathlib import Path

from yarnml.cluster.cluster import Cluster, Progress, quiet
from yarnml.cluster.down import stop_marked
from yarnml.cluster.fleet import serves
from yarnml.cluster.jars import jars
from yarnml.cluster.java import java_home
from yarnml.cluster.layout import Layout
from yarnml.cluster.lock import locked
from yarnml.cluster.ports import usual
from yarnml.cluster.size import size, whole_steps
from yarnml.cluster.start import start
from yarnml.errors import UsageError, YarnmlError

Asked = tuple[int | None, int | None, int | None]  # nodes, MB a node, vcores a node; None: whatever there is


def up(
    nodes: int | None = None,
    state: Path | None = None,
    progress: Progress = quiet,
    *,
    memory_mb: int | None = None,
    vcores: int | None = None,
) -> Cluster:
    """Bring up a cluster of `nodes` nodes in the directory `state`, and wait until it serves.

    Left out, `nodes` is what it was, or 1. A cluster that is up is left alone; daemons that it lacks are started
    again. `memory_mb` and `vcores` bound what YARN may give away on each node. Raises UsageError (Java or Maven
    missing, another number of nodes), DaemonError with the last lines of the daemon's log, YarnmlError; whatever this
    call had started is ended then.
    """
    if not sys.platform.startswith("linux"):
        raise UsageError(f"the one-machine cluster needs Linux; this is {sys.platform}")
    layout = Layout.at(state)
    try:
        with locked(layout.root, progress):
            asked = (nodes, memory_mb and whole_steps(memory_mb), vcores)
            try:
                return _up(layout, asked, progress)
            finally:
                with contextlib.suppress(OSError):  # the lock has made it; it stays if something came into it
                    layout.root.rmdir()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise YarnmlError(f"the disk of {layout.root} is full ({error})") from error
        raise YarnmlError(f"can't set up the cluster in {layout.root}: {error}") from error


def _up(layout: Layout, asked: Asked, progress: Progress) -> Cluster:
    cluster = Cluster.load(layout)
    alive = cluster.alive() if cluster else []
    if cluster and alive:
        _same(cluster, asked)
        if len(alive) == len(cluster.daemons) and all(serves(daemon, cluster.ports) for daemon in alive):
            progress(f"already up, with {cluster.nodes} nodes" if cluster.nodes > 1 else "already up, with 1 node")
            return cluster
        progress(f"{len(alive)} of {len(cluster.daemons)} daemons are there: mending")
        jars(cluster.java, progress, cluster.jars)
    else:
        cluster = _new(layout, cluster, asked, progress)
    return start(cluster, progress)


def _same(cluster: Cluster, asked: Asked) -> None:
    there = (cluster.nodes, cluster.size.memory_mb, cluster.size.vcores)
    for what, is_, wanted in zip(("nodes", "MB a node", "vcores a node"), there, asked, strict=True):
        if wanted not in (None, is_):
            raise UsageError(
                f"the cluster in {cluster.layout.root} is up with {is_} {what}, not {wanted}; "
                "`yarnml cluster down` first, or name another directory"
            )


def _new(layout: Layout, old: Cluster | None, asked: Asked, progress: Progress) -> Cluster:
    """Decide on a cluster none of which runs; data that `down --keep` left is taken over."""
    nodes, memory_mb, vcores = asked
    count = nodes or (old.nodes if old else 1)
    if old and count < old.nodes and layout.part("hdfs").exists():
        raise UsageError(
            f"HDFS in {layout.root} lies on {old.nodes} nodes, not on {count}; `yarnml cluster down` removes it"
        )
    granted = size(count, memory_mb, vcores)
    java = java_home()
    found = jars(java, progress)
    layout.claim()
    stop_marked(layout)  # containers of nodes that were killed
    ports = usual(count) | {name: at for name, at in (old.ports if old else {}).items() if name in usual(count)}
    return Cluster(layout, count, granted, java, found, ports).moved(ports)
