"""Ports are the usual ones, and move when they are taken."""

from __future__ import annotations

import socket

import pytest

from yarnml.cluster.ports import Address, choose, is_free, node_host, of_daemon, usual
from yarnml.errors import YarnmlError


def test_the_usual_ones_where_all_are_free() -> None:
    ports = choose(usual(3), free=lambda _: True)
    assert ports == usual(3)
    assert ports["namenode.rpc"] == Address("127.0.0.1", 8020)
    assert ports["resourcemanager.http"].port == 8088
    assert {ports[f"nodemanager-{n}.http"].host for n in (1, 2, 3)} == {"127.0.0.11", "127.0.0.12", "127.0.0.13"}
    assert len(set(ports.values())) == len(ports)


def test_the_namenode_can_tell_datanodes_apart() -> None:
    ports = usual(16)
    assert len({ports[f"datanode-{n}.data"] for n in range(1, 17)}) == 16
    assert {ports[f"datanode-{n}.http"].host for n in range(1, 17)} == {node_host(n) for n in range(1, 17)}


def test_a_taken_port_moves_and_no_two_services_meet() -> None:
    taken = {8020, 8030, 8031}
    ports = choose(usual(1), free=lambda address: address.port not in taken)
    assert ports["namenode.rpc"].port == 8021
    # scheduler and tracker both move up, past the client's and the admin's ports that were given before or are after
    assert not taken & {address.port for address in ports.values()}
    assert len(set(ports.values())) == len(ports)


def test_no_free_port_is_an_error_that_names_the_service() -> None:
    with pytest.raises(YarnmlError, match=r"no free port for namenode\.rpc in 8020-8519 on 127\.0\.0\.1"):
        choose(usual(1), free=lambda _: False)


def test_a_listening_socket_takes_its_port_on_its_host_only() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not is_free(Address("127.0.0.1", port))
        assert is_free(Address("127.0.0.99", port))
    assert is_free(Address("127.0.0.1", port))


def test_a_host_that_this_machine_does_not_have() -> None:
    with pytest.raises(YarnmlError, match=r"no loopback address 192\.0\.2\.1"):
        is_free(Address("192.0.2.1", 8020))


def test_the_ports_of_one_daemon_of_many() -> None:
    assert set(of_daemon(usual(11), "datanode-1")) == {"data", "ipc", "http"}
    assert of_daemon(usual(11), "datanode-1")["data"].port == 9866
