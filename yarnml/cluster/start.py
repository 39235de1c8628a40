"""Starting the daemons that are missing of a cluster, and waiting until all serve."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial

from yarnml.cluster.cluster import Cluster, Progress
from yarnml.cluster.commands import write_commands
from yarnml.cluster.daemon import JAVA_OPTIONS, DaemonError, environment, java_command, tail
from yarnml.cluster.down import stop
from yarnml.cluster.fleet import NAMENODE, live_datanodes, metrics, serves
from yarnml.cluster.layout import write
from yarnml.cluster.ports import is_free, of_daemon
from yarnml.cluster.process import end, find
from yarnml.cluster.web import ask
from yarnml.errors import YarnmlError

PATIENCE = 180.0  # seconds for all daemons to serve; about 20 s on two free cores
NEW, SAME = 5.0, 30.0  # seconds between two remarks on what is waited for, if it has changed, if it hasn't
WEB = '<web-app xmlns="http://java.sun.com/xml/ns/javaee" version="2.5"/>\n'


def start(cluster: Cluster, progress: Progress) -> Cluster:
    """Start what is missing; on other ports if another program was quicker to take one.

    Returns the cluster as it is then. When it fails, what this call started is ended.
    """
    for last in (False, False, True):
        try:
            return _start(cluster, progress)
        except DaemonError as error:
            if last or not error.port_taken:
                raise
            progress(f"{error.name}: its port was taken meanwhile, moving")
    raise AssertionError


def _start(cluster: Cluster, progress: Progress) -> Cluster:
    layout = cluster.layout
    missing = [daemon for daemon in cluster.daemons if daemon.process(layout) is None]
    taken = [str(at) for d in missing for at in of_daemon(cluster.ports, d.name).values() if not is_free(at)]
    if taken:  # all daemons know the others' ports: they have to move together
        progress(f"{taken[0]} is taken: moving")
        stop(cluster)
        cluster = cluster.moved(cluster.ports)
        missing = cluster.daemons
    _furnish(cluster)
    before = {daemon.process(layout) for daemon in cluster.daemons}
    try:
        _format(cluster, progress)
        for daemon in missing:
            progress(f"starting {daemon.name}")
            daemon.start(layout, cluster.java, cluster.jars)
        _wait(cluster, progress)
        _directories(cluster)
    except BaseException:
        end(process for process in find(layout.mark) if process not in before)
        raise
    return cluster


def _furnish(cluster: Cluster) -> None:
    """Write every file but the daemons' own."""
    layout = cluster.layout
    cluster.save()
    layout.make()
    cluster.conf.write()
    # hadoop-hdfs.jar comes without web pages and doesn't start without; RPC, JMX and WebHDFS need no page
    for name in ("hdfs", "datanode", "static"):
        place = layout.part("web") / "webapps" / name / "WEB-INF"
        place.mkdir(parents=True, exist_ok=True)
        write(place / "web.xml", WEB)
    write_commands(
        layout.part("bin"), root=layout.root, conf=layout.part("conf"), jars=cluster.jars, java=cluster.java,
        options=JAVA_OPTIONS,
    )  # fmt: skip


def _format(cluster: Cluster, progress: Progress) -> None:
    layout = cluster.layout
    if (layout.part("hdfs") / "namenode/current/VERSION").exists():
        return
    progress("formatting HDFS")
    shutil.rmtree(layout.part("hdfs"))  # a format that was cut short, blocks of a NameNode that is no more
    layout.part("hdfs").mkdir()
    log = layout.part("logs") / "format.log"
    command = [*java_command(layout, cluster.java, cluster.jars, NAMENODE.main, 256), "-format", "-nonInteractive"]
    with log.open("wb") as out:
        try:
            subprocess.run(
                command, cwd=layout.root, env=environment(layout, cluster.java), stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, timeout=PATIENCE, check=True, start_new_session=True,
            )  # fmt: skip
        except subprocess.SubprocessError as error:
            raise YarnmlError(f"HDFS can't be formatted ({error}); {log} ends with:\n{tail(log, 12)}") from error


def _wait(cluster: Cluster, progress: Progress) -> None:
    """Wait until every daemon serves and the masters know all nodes."""
    begin = told = time.monotonic()
    last = ""
    waiting: dict[str, Callable[[], bool]] = {d.name: partial(serves, d, cluster.ports) for d in cluster.daemons}
    waiting["HDFS to have all nodes"] = lambda: live_datanodes(cluster.ports) == cluster.nodes
    waiting["YARN to have all nodes"] = lambda: metrics(cluster.ports).get("activeNodes") == cluster.nodes
    while waiting:
        for daemon in cluster.daemons:
            if daemon.process(cluster.layout) is None:
                raise daemon.died(cluster.layout)
        ready = [name for name, condition in waiting.items() if condition()]
        for name in ready:
            del waiting[name]
        now = time.monotonic()
        if now > begin + PATIENCE:
            raise YarnmlError(
                f"waited {PATIENCE:.0f} s for {', '.join(waiting)}; see {cluster.layout.part('logs')}, and end what is "
                "there by `yarnml cluster down`"
            )
        names = ", ".join(waiting)
        if waiting and now > told + (SAME if names == last else NEW):
            told, last = now, names
            progress(f"{now - begin:.0f} s: waiting for {names}")
        if not ready:
            time.sleep(0.2)


def _directories(cluster: Cluster) -> None:
    """The directories of HDFS that users expect, as a distribution makes them."""
    user = cluster.conf.user
    for path, mode in (("/tmp", "1777"), ("/tmp/logs", "1777"), (f"/user/{user}", "755")):  # noqa: S108 (in HDFS)
        address = f"{cluster.webhdfs}/webhdfs/v1{path}?op=MKDIRS&permission={mode}&user.name={user}"
        if not (ask(address, method="PUT", timeout=20) or {}).get("boolean"):
            raise YarnmlError(f"HDFS doesn't take the directory {path}; see {NAMENODE.log(cluster.layout)}")
