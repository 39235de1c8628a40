"""CURVE: what makes a socket encrypt, and take or make no connection but with the run's keys."""

from __future__ import annotations

from typing import Any

import zmq

from yarnml.wire.keys import Keys

DOMAIN = b"yarnml"


def new_keys() -> Keys:
    """For one run."""
    listener, channel = zmq.curve_keypair(), zmq.curve_keypair()
    return Keys(*(key.decode() for key in (*listener, *channel)))


def listens(socket: zmq.Socket[Any], keys: Keys) -> None:
    """Before it is bound, and after the guard stands: CURVE alone would admit every key."""
    socket.setsockopt(zmq.CURVE_SERVER, 1)
    socket.setsockopt(zmq.CURVE_SECRETKEY, keys.listener_secret.encode())
    socket.setsockopt(zmq.ZAP_DOMAIN, DOMAIN)


def connects(socket: zmq.Socket[Any], keys: Keys) -> None:
    """Before it is connected."""
    socket.setsockopt(zmq.CURVE_SERVERKEY, keys.listener.encode())
    socket.setsockopt(zmq.CURVE_PUBLICKEY, keys.channel.encode())
    socket.setsockopt(zmq.CURVE_SECRETKEY, keys.channel_secret.encode())
