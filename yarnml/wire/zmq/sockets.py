"""Sockets with every option set on purpose: ZeroMQ's defaults lose messages, hang at exit and shut peers out."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import zmq
import zmq.backend

from yarnml.wire.frames import SMALL
from yarnml.wire.transport import Status

WATER = 256  # messages queued for a peer before it counts as slow
# plain ints: the enums' operators are slower than a send
DONTWAIT, SNDMORE, POLLIN = int(zmq.DONTWAIT), int(zmq.SNDMORE), int(zmq.POLLIN)
EVENTS = int(zmq.EVENTS)
COMMON = {
    zmq.SNDHWM: WATER,
    # No limit: at one, ZeroMQ stops reading, hears no heartbeat, and drops the connection with all that waits in it
    # while its owner merely computes. What may come is bounded by those who send: windows, clocks, requests.
    zmq.RCVHWM: 0,
    zmq.LINGER: 2000,  # ms: 0 drops what was just sent, -1 hangs at exit
    zmq.HEARTBEAT_IVL: 200,  # ms; a stopped host is seen after TIMEOUT
    zmq.HEARTBEAT_TIMEOUT: 600,
    zmq.MAXMSGSIZE: 1 << 32,
}
LISTENER = {
    zmq.ROUTER_MANDATORY: 1,  # an unknown or slow peer is an error, not a silent drop
    zmq.ROUTER_HANDOVER: 1,  # a restarted peer takes its name from the half-dead one
}
CHANNEL = {
    zmq.IMMEDIATE: 1,  # queue to a living connection only
    zmq.SNDTIMEO: 1000,  # ms
    zmq.RECONNECT_IVL: 50,
    zmq.RECONNECT_IVL_MAX: 1000,
}


def made(context: zmq.Context[Any], kind: int, options: dict[zmq.SocketOption, int]) -> zmq.Socket[bytes]:
    """A socket with the common options and these."""
    socket: zmq.Socket[bytes] = context.socket(kind)
    for option, value in (COMMON | options).items():
        socket.setsockopt(option, value)
    return socket


def put(socket: zmq.Socket[bytes], frames: list[Any], flags: int, lent: list[Any] | None = None) -> Status:
    """Send all frames or none: only the first one can find the peer without room.

    `lent` takes a weak reference to each view that ZeroMQ alone holds, as long as it reads it: its own trackers cost
    three times as much.
    """
    last = len(frames) - 1
    try:
        _send(socket, frames[0], flags | SNDMORE if last else flags)
    except zmq.Again:
        return Status.FULL
    for i in range(1, last + 1):
        frame = frames[i]
        big = isinstance(frame, np.ndarray) and frame.nbytes >= SMALL
        if big and lent is not None:
            frame = frame.view()
            lent.append(weakref.ref(frame))
        try:
            _send(socket, frame, flags | SNDMORE if i < last else flags, not big)
        except zmq.Again:  # the connection broke within the message: the rest must be said, and goes nowhere
            continue
    return Status.SENT


# what the sugared ones call: they look for what isn't asked for here, and make enums
option: Callable[..., Any] = zmq.backend.Socket.get
_send: Callable[..., Any] = zmq.backend.Socket.send
