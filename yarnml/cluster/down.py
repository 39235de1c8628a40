"""Ending a cluster: its own processes and no others, then its files."""

from __future__ import annotations

from pathlib import Path

from yarnml.cluster.cluster import Cluster, Progress, quiet
from yarnml.cluster.layout import Layout
from yarnml.cluster.lock import locked
from yarnml.cluster.process import end, find
from yarnml.errors import UsageError, YarnmlError


def down(state: Path | None = None, progress: Progress = quiet, *, keep: bool = False) -> int:
    """End the cluster of `state` and remove its files; how many processes were ended (0 if none was up).

    Nothing stays in the directory; with `keep`, HDFS's data and the choice of ports do, for the next `up`. Hadoop's
    jars stay in the cache.
    """
    layout = Layout.at(state)
    if not layout.root.exists():
        return 0
    with locked(layout.root, progress):
        try:
            cluster = Cluster.load(layout)
        except YarnmlError as error:
            progress(str(error))
            cluster = None
        ended = stop(cluster) if cluster else stop_marked(layout)
        if not layout.ours and any(layout.root.iterdir()):
            raise UsageError(f"{layout.root} isn't a cluster's directory; nothing in it was touched")
        try:
            layout.erase(keep=("hdfs",) if keep and cluster else ())
        except OSError as error:
            raise YarnmlError(
                f"the processes have ended, but files in {layout.root} can't be removed: {error}"
            ) from error
    return ended


def stop(cluster: Cluster) -> int:
    """End a cluster's processes, the nodes first so that they end their containers; how many there were."""
    ended = 0
    for prefix in ("nodemanager", "resourcemanager", "datanode", "namenode"):
        daemons = [daemon for daemon in cluster.daemons if daemon.name.startswith(prefix)]
        ended += end(process for daemon in daemons if (process := daemon.process(cluster.layout)))
    return ended + stop_marked(cluster.layout)


def stop_marked(layout: Layout) -> int:
    """End what a killed NodeManager, or an `up` that was killed as it started a daemon, left behind."""
    return end(find(layout.mark, layout.containers), patience=5)
