"""A server or worker of the tests of tables, as a process: `python -m tests.conformance.process ROLE JSON`."""

from __future__ import annotations

import json
import os
import sys

from tests.conformance.program import specs, work
from yarnml.comm.company import Alone
from yarnml.ps import Client, connect, serve
from yarnml.wire.zmq import ZmqTransport

PARENT = os.getppid()


def orphaned() -> None:
    """A test that died leaves nobody behind."""
    if os.getppid() != PARENT:
        sys.exit(1)


def main(role: str, text: str) -> None:
    ask = json.loads(text)
    transport = ZmqTransport()
    tables = specs(ask["workers"])
    if role == "server":
        listener = transport.listen()
        print(listener.address, flush=True)
        serve(
            listener, tables, server=ask["index"], servers=ask["servers"], workers=ask["workers"],
            staleness=ask["staleness"], seed=0, check=orphaned,
        )  # fmt: skip
        listener.close()
    else:
        client = Client(
            Alone(lambda _: None, orphaned), transport, connect(transport, ask["addresses"], ask["index"]), tables,
            worker=ask["index"], staleness=ask["staleness"], deadline=60.0,
        )  # fmt: skip
        work(client, ask["index"], ask["workers"], ask["staleness"])
    transport.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
