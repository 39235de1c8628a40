"""The processes of the table bench that are ours: a worker and a server, over each kind of transport."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from time import perf_counter

import numpy as np
import numpy.typing as npt

from yarnml.bench.pair import Trial, end_with_stdin, main, timed
from yarnml.comm.company import Alone
from yarnml.launch import keys
from yarnml.ps import Client, TableSpec, connect, normal, serve
from yarnml.wire.zmq import ZmqTransport

BLOCKS = 64
ROWS = 256  # of a block of 1 MB
WIDTH = 1024
BYTES = 4 * ROWS * WIDTH
N = 384  # blocks a trial
DEPTH = 4  # gets on their way
GETS = 1000  # single rows a trial


class Sparse:
    """Increments of many short rows."""

    TABLE = 1 << 20  # rows of the table
    WIDTH = 8
    ROWS = 4096  # of a batch
    BATCHES = 256  # a trial

    @staticmethod
    def batches() -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
        rng = np.random.default_rng(0)
        return [
            (
                np.sort(rng.choice(Sparse.TABLE, Sparse.ROWS, replace=False)),
                rng.random((Sparse.ROWS, Sparse.WIDTH), np.float32),
            )
            for _ in range(32)
        ]


SPECS = [
    TableSpec("blocks", (BLOCKS * ROWS, WIDTH), init=normal(1.0), staleness=None),  # zeros would travel packed
    TableSpec("rows", (100_000, 16), init=normal(1.0), staleness=None),
    TableSpec("sparse", (Sparse.TABLE, Sparse.WIDTH), staleness=None),
]


# ---- transports by name; a server says its address, and where its keys are if it has some


def _tcp(_: Path | None) -> ZmqTransport:
    return ZmqTransport(shared=False)


def _shared(_: Path | None) -> ZmqTransport:
    return ZmqTransport()


def _curve(folder: Path | None) -> ZmqTransport:
    assert folder is not None
    return ZmqTransport(shared=False, keys=keys.read(folder))


def serve_ours(transport: Callable[[Path | None], ZmqTransport]) -> None:
    end_with_stdin()
    folder = Path(mkdtemp()) if transport is _curve else None
    if folder is not None:
        keys.write(folder)
    listener = transport(folder).listen()
    print(listener.address, folder or "", sep=",", flush=True)
    serve(listener, SPECS, server=0, servers=1, workers=1, staleness=0, seed=0, check=_parent_lives)


def _client(address: str, made: Callable[[Path | None], ZmqTransport]) -> Client:
    where, _, folder = address.partition(",")
    transport = made(Path(folder) if folder else None)
    if folder:
        (Path(folder) / keys.FILE).unlink()
        Path(folder).rmdir()
    company = Alone(lambda _: None, _parent_lives)
    return Client(company, transport, connect(transport, [where], 0), SPECS, worker=0, staleness=0)


# ---- trials


def _block(i: int) -> slice:
    return slice(i % BLOCKS * ROWS, (i % BLOCKS + 1) * ROWS)


def inc(client: Client) -> Trial:
    table = client.table("blocks")
    deltas = np.random.default_rng(0).random((BLOCKS, ROWS, WIDTH), np.float32)

    def trial() -> float:
        start = perf_counter()
        for i in range(N):
            table.inc(_block(i), deltas[i % BLOCKS])
        client.flush()
        seconds = perf_counter() - start
        client.clock()
        return N * BYTES / seconds / 1e9

    return trial


def get(client: Client) -> Trial:
    table = client.table("blocks")

    def trial() -> float:
        total = 0
        start = perf_counter()
        for _ in range(N // BLOCKS):
            for i in range(DEPTH):
                table.prefetch(_block(i))
            for i in range(BLOCKS):
                total += table.get(_block(i)).nbytes
                if i + DEPTH < BLOCKS:
                    table.prefetch(_block(i + DEPTH))
            client.clock()
        return total / (perf_counter() - start) / 1e9

    return trial


def missed(client: Client) -> Trial:
    table = client.table("rows")

    def trial() -> float:
        times = [timed(lambda i=i: table.get(i)) for i in range(GETS)]  # type: ignore[misc]
        client.clock()
        return median(times)

    return trial


def cached(client: Client) -> Trial:
    table = client.table("rows")
    table.get(5)
    return lambda: median(timed(lambda: table.get(5)) for _ in range(GETS))


def sparse(client: Client) -> Trial:
    table = client.table("sparse")
    batches = Sparse.batches()

    def trial() -> float:
        start = perf_counter()
        for i in range(Sparse.BATCHES):
            table.inc(*batches[i % len(batches)])
        client.flush()
        seconds = perf_counter() - start
        client.clock()
        return Sparse.BATCHES * Sparse.ROWS / seconds / 1e6

    return trial


# ---- running

_PARENT = os.getppid()


def _parent_lives() -> None:
    if os.getppid() != _PARENT:
        sys.exit(1)


SIDES: dict[str, tuple[Callable[[Client], Trial], Callable[[Path | None], ZmqTransport]]] = {
    "inc": (inc, _tcp),
    "get": (get, _tcp),
    "missed": (missed, _shared),
    "cached": (cached, _tcp),
    "sparse": (sparse, _tcp),
    "shared_inc": (inc, _shared),
    "shared_get": (get, _shared),
    "curve_inc": (inc, _curve),
}


def _side(name: str, address: str) -> Trial:
    trial, transport = SIDES[name]
    return trial(_client(address, transport))


if __name__ == "__main__":
    main(
        {name: partial(serve_ours, transport) for name, (_, transport) in SIDES.items()},
        {name: partial(_side, name) for name in SIDES},
    )
