"""The ports of a cluster: the usual ones where they are free, else the next free ones."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from yarnml.errors import YarnmlError

LOOPBACK = "127.0.0.1"
SPAN = 500  # how far a port may move; the usual ports are far below those that the kernel gives to clients

# daemon -> service -> the port that Hadoop's documentation names
MASTERS = {
    "namenode": {"rpc": 8020, "http": 9870},
    "resourcemanager": {"client": 8032, "scheduler": 8030, "tracker": 8031, "admin": 8033, "http": 8088},
}
DATANODE = {"data": 9866, "ipc": 9867, "http": 9864}
NODEMANAGER = {"container": 8041, "localizer": 8040, "http": 8042}


@dataclass(frozen=True)
class Address:
    """Where a service listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


Ports = dict[str, Address]  # "datanode-1.http" -> where it listens


def node_host(node: int) -> str:
    """The host name of node 1, 2, …: a loopback address of its own, so that no system file need change."""
    return f"127.0.0.{10 + node}"


def usual(nodes: int) -> Ports:
    """Every service's address if no port is taken.

    The NameNode knows a DataNode by the address that its connection comes from, which on one machine is the same for
    all: so data and ipc listen there, on a port for each node. The web page is found by the node's host name.
    """
    ports = {f"{d}.{s}": Address(LOOPBACK, p) for d, services in MASTERS.items() for s, p in services.items()}
    for node in range(1, nodes + 1):
        for service, port in DATANODE.items():
            host = node_host(node) if service == "http" else LOOPBACK
            ports[f"datanode-{node}.{service}"] = Address(host, port + 10 * (node - 1))
        for service, port in NODEMANAGER.items():
            ports[f"nodemanager-{node}.{service}"] = Address(node_host(node), port)
    return ports


def choose(wanted: Ports, free: Callable[[Address], bool] | None = None) -> Ports:
    """`wanted`, each port moved up to the first that is free and not chosen for another service."""
    free = free or is_free
    chosen: dict[str, Address] = {}
    for name, address in wanted.items():
        for port in range(address.port, address.port + SPAN):
            candidate = Address(address.host, port)
            if candidate not in chosen.values() and free(candidate):
                chosen[name] = candidate
                break
        else:
            raise YarnmlError(f"no free port for {name} in {address.port}-{address.port + SPAN - 1} on {address.host}")
    return chosen


def is_free(address: Address) -> bool:
    """Whether a server could listen there now; refuses a host that this machine doesn't have."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Java does
        try:
            probe.bind((address.host, address.port))
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise YarnmlError(f"this machine has no loopback address {address.host}") from error
            return False
    return True


def of_daemon(ports: Mapping[str, Address], daemon: str) -> dict[str, Address]:
    """service -> address of one daemon."""
    return {key.partition(".")[2]: address for key, address in ports.items() if key.partition(".")[0] == daemon}
