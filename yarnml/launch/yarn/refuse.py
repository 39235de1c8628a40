"""Refusals: what a cluster will never grant, said before anything is sent to it (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hdfs_io.spoken import many
from yarnml.errors import UsageError, nearest
from yarnml.launch.yarn.manager import Node, Queue
from yarnml.launch.yarn.memory import spoken
from yarnml.launch.yarn.spec import Service


def refuse_queue(name: str, queues: Sequence[Queue], user: str | None) -> Queue:
    """The queue that `--queue` names. UsageError if it isn't there, stopped, or closed to the user.

    `user`: None where the cluster doesn't ask who it is.
    """
    there = ", ".join(queue.name + ("" if queue.running else " (stopped)") for queue in queues)
    found = next((queue for queue in queues if name in (queue.name, queue.path)), None)
    if found is None:
        near = nearest(name, [queue.name for queue in queues])
        hint = near if near.startswith("; did") else ""
        raise UsageError(f"--queue {name}: the cluster has no such queue{hint}; its queues: {there}")
    if not found.running:
        raise UsageError(f"--queue {name}: is stopped and takes nothing; the cluster's queues: {there}")
    if user is not None and bars(found, user):
        raise UsageError(f"--queue {name}: its ACL doesn't let {user} in; the cluster's queues: {there}")
    return found


def bars(queue: Queue, user: str) -> bool:
    """Whether the queue is closed to a user for sure: who is in a group only the ResourceManager knows."""
    lists = [acl.split(" ", 1) for acl in queue.acls]
    return bool(lists) and not any(
        names == ["*"] or user in names[0].split(",") or any(group.strip() for group in names[1:]) for names in lists
    )


def refuse_size(services: Iterable[Service], nodes: Sequence[Node], queue: Queue, label: str | None) -> None:
    """UsageError if a container is larger than every node that could run it."""
    able = [node for node in nodes if label is None or label in node.labels]
    if not able:
        labels = sorted({name for node in nodes for name in node.labels})
        what = f"no running node has the label; labels there: {', '.join(labels) or 'none'}"
        raise UsageError(f"--node-label {label}: {what}" if label else "the cluster has no running node")
    most_mb = max(node.mb for node in able)
    most_vcores = max(node.vcores for node in able)
    most_mb = min(most_mb, queue.most_mb or most_mb)
    most_vcores = min(most_vcores, queue.most_vcores or most_vcores)
    for service in services:
        if service.size.mb > most_mb:
            asked, most = spoken(service.size.mb), spoken(most_mb)
            raise UsageError(f"--{service.role}-memory {asked}: the most that a container can have here is {most}")
        if service.size.vcores > most_vcores:
            flag = f"--{service.role}-vcores {service.size.vcores}"
            raise UsageError(f"{flag}: the most that a container can have here is {most_vcores}")


def waiting_for(missing: Sequence[Service], nodes: Sequence[Node]) -> str:
    """Why containers don't come, as far as the cluster's free room tells."""
    biggest = max(missing, key=lambda service: service.size.mb, default=None)
    if biggest is None or not nodes:
        return ""
    size = biggest.size
    room = sum(min(node.free_mb // size.mb, node.free_vcores // size.vcores) for node in nodes)
    free = ", ".join(f"{node.host} {spoken(node.free_mb)} and {node.free_vcores} vcores" for node in nodes[:6])
    more = f" and {len(nodes) - 6} more nodes" if len(nodes) > 6 else ""
    asked = many(size.vcores, "vcore")
    if room < biggest.instances:
        return f"a {biggest.role} needs {spoken(size.mb)} and {asked}; free: {free}{more}"
    return f"free: {free}{more}: containers are being started"
