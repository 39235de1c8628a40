"""ZeroMQ as a transport: the only package that imports zmq, benches aside."""

from yarnml.wire.zmq.curve import new_keys
from yarnml.wire.zmq.transport import ZmqTransport

__all__ = ["ZmqTransport", "new_keys"]
