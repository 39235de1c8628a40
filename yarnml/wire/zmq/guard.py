"""A guard: admits to a context's listeners nobody without the run's keys, and says who was refused."""

from __future__ import annotations

import os
import socket as system
import sys
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, final

import zmq
from zmq.utils import z85
from zmq.utils.monitor import parse_monitor_message

from yarnml.wire.keys import Keys

ZAP = "inproc://zeromq.zap.01"  # where ZeroMQ asks; it would admit all if nobody listened there
ORDERS = "inproc://guard"
FAILED: dict[int, str] = {
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "it doesn't know this run's keys",
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "it doesn't know this run's keys",
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: "its key isn't this run's",
}
EVENTS = sum(FAILED) | zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED | zmq.EVENT_MONITOR_STOPPED
END = 5.0  # s to wait for the thread


@final
class Tally:
    """How many connections one listener refused."""

    def __init__(self) -> None:
        self.refused = 0


@final
class Guard:
    """A thread of its own, since a listener's owner may compute for long."""

    def __init__(self, context: zmq.Context[Any], keys: Keys, say: Callable[[str], None] | None = None) -> None:
        """It stands when this returns. `say`: takes a line for the log; None: it goes to standard error."""
        self._context = context
        self._zap = context.socket(zmq.REP)
        self._zap.bind(ZAP)
        self._heard = context.socket(zmq.PULL)
        self._heard.bind(ORDERS)
        self._orders = context.socket(zmq.PUSH)
        self._orders.connect(ORDERS)
        self._admitted = z85.decode(keys.channel)
        self._say = say or _print
        self._watched: dict[zmq.Socket[bytes], _Door] = {}
        self._tallies: dict[str, Tally] = {}
        self._thread = threading.Thread(target=self._run, name="guard", daemon=True)
        self._thread.start()

    def watch(self, listener: zmq.Socket[Any]) -> Tally:
        """From now on; ends when the listener is closed."""
        door = f"inproc://door-{len(self._tallies)}"
        self._tallies[door] = tally = Tally()
        listener.monitor(door, EVENTS)
        self._orders.send(door.encode())
        return tally

    def close(self) -> None:
        """After the listeners."""
        self._orders.send(b"")
        self._thread.join(END)
        self._orders.close(0)

    def _run(self) -> None:
        poller = zmq.Poller()
        for socket in (self._zap, self._heard):
            poller.register(socket, zmq.POLLIN)
        standing = True
        while standing:
            for socket, _ in poller.poll():
                if socket is self._zap:
                    self._zap.send_multipart(self._verdict(self._zap.recv_multipart()))
                elif socket is self._heard:
                    order = self._heard.recv().decode()
                    standing = standing and order != ""
                    if order:
                        poller.register(self._open(order), zmq.POLLIN)
                elif not self._watched[socket].heed(socket.recv_multipart()):
                    poller.unregister(socket)
                    del self._watched[socket]
                    socket.close(0)
        for socket in (self._zap, self._heard, *self._watched):
            socket.close(0)

    def _open(self, door: str) -> zmq.Socket[bytes]:
        monitor: zmq.Socket[bytes] = self._context.socket(zmq.PAIR)
        monitor.connect(door)
        self._watched[monitor] = _Door(self._tallies[door], self._say)
        return monitor

    def _verdict(self, asked: list[bytes]) -> list[bytes]:
        """The answer to a ZAP request (RFC 27): version, request, domain, address, identity, mechanism, key."""
        ours = asked[0] == b"1.0" and asked[5:] == [b"CURVE", self._admitted]
        status = (b"200", b"OK") if ours else (b"400", b"not this run's key")
        return [b"1.0", asked[1], *status, b"", b""]


@final
class _Door:
    """What happens at one listener, from its monitor's events: a failed handshake, then who was disconnected by it."""

    def __init__(self, tally: Tally, say: Callable[[str], None]) -> None:
        self._tally, self._say = tally, say
        self._peers: dict[int, str] = {}  # by file descriptor
        self._why = ""
        self._by_host: Counter[str] = Counter()

    def heed(self, frames: list[bytes]) -> bool:
        """False once the listener is closed."""
        event = parse_monitor_message(frames)
        kind, value = event["event"], event["value"]
        if kind == zmq.EVENT_ACCEPTED:
            self._peers[value] = _peer(value)
        elif kind in FAILED:
            self._why = FAILED[kind]
        elif kind == zmq.EVENT_DISCONNECTED:
            peer, why = self._peers.pop(value, "somebody"), self._why
            self._why = ""
            if why:
                self._refuse(peer, why)
        return bool(kind != zmq.EVENT_MONITOR_STOPPED)

    def _refuse(self, peer: str, why: str) -> None:
        """Said the first time, the tenth, the hundredth of a host: it will try again and again. So who had gone before
        it could be looked at is told of the second time: the first may have been one whose address is to be known."""
        self._tally.refused += 1
        host = peer.rpartition(":")[0]
        self._by_host[host] += 1
        n = self._by_host[host]
        if n == (1 if host else 2) or (n > 1 and n == 10 ** (len(str(n)) - 1)):
            again = "" if n == 1 else f" (the {n}th time from there)"
            self._say(f"refused a connection from {peer}: {why}{again}")


def _peer(fd: int) -> str:
    """Who is at the other end of a connection, as long as it stands."""
    try:
        with system.socket(fileno=os.dup(fd)) as connection:
            host, port = connection.getpeername()[:2]
    except (OSError, ValueError):
        return "somebody who has gone"
    return f"{host}:{port}"


def _print(line: str) -> None:
    print(f"yarnml: {line}", file=sys.stderr, flush=True)
