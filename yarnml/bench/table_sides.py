"""The processes of the table bench: a worker and a server of ours, and of plain pyzmq."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import zmq

from yarnml.bench.pair import serve_trials
from yarnml.comm.company import Alone
from yarnml.ps import Client, TableSpec, connect, serve
from yarnml.wire.zmq import ZmqTransport

BLOCKS = 64
ROWS = 256  # of a block of 1 MB
WIDTH = 1024
BYTES = 4 * ROWS * WIDTH
N = 384  # blocks a trial
DEPTH = 4  # gets on their way
GETS = 1000  # single rows a trial

Trial = Callable[[], float]


# ---- ours

SPECS = [
    TableSpec("blocks", (BLOCKS * ROWS, WIDTH), staleness=None),
    TableSpec("rows", (100_000, 16), staleness=None),
]


def serve_ours() -> None:
    listener = ZmqTransport().listen()
    print(listener.address, flush=True)
    serve(listener, SPECS, server=0, servers=1, workers=1, staleness=0, seed=0, check=_parent_lives)


def _client(address: str) -> Client:
    transport = ZmqTransport()
    company = Alone(lambda _: None, _parent_lives)
    return Client(company, transport, connect(transport, [address], 0), SPECS, worker=0, staleness=0)


def _block(i: int) -> slice:
    return slice(i % BLOCKS * ROWS, (i % BLOCKS + 1) * ROWS)


def ours_inc(address: str) -> Trial:
    client = _client(address)
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


def ours_get(address: str) -> Trial:
    client = _client(address)
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


def ours_missed(address: str) -> Trial:
    client = _client(address)
    table = client.table("rows")

    def trial() -> float:
        times = [_timed(lambda i=i: table.get(i)) for i in range(GETS)]  # type: ignore[misc]
        client.clock()
        return median(times)

    return trial


def ours_cached(address: str) -> Trial:
    client = _client(address)
    table = client.table("rows")
    table.get(5)

    def trial() -> float:
        return median(_timed(lambda: table.get(5)) for _ in range(GETS))

    return trial


# ---- plain pyzmq


def _socket(kind: int) -> zmq.Socket[bytes]:
    socket: zmq.Socket[bytes] = zmq.Context.instance().socket(kind)
    socket.setsockopt(zmq.LINGER, 0)
    return socket


def _bound(kind: int) -> zmq.Socket[bytes]:
    socket = _socket(kind)
    socket.bind("tcp://127.0.0.1:*")
    return socket


def _say_address(*sockets: zmq.Socket[bytes]) -> None:
    print(",".join(socket.getsockopt_string(zmq.LAST_ENDPOINT) for socket in sockets), flush=True)
    threading.Thread(target=_end_with_stdin, daemon=True).start()


def serve_raw_inc() -> None:
    """PULL, add, and one word when all blocks of a trial have been added."""
    pull, word = _bound(zmq.PULL), _bound(zmq.PUSH)
    table = np.zeros((BLOCKS, ROWS * WIDTH), np.float32)
    _say_address(pull, word)
    while True:
        for i in range(N):
            block = table[i % BLOCKS]
            np.add(block, np.frombuffer(pull.recv(copy=False).buffer, np.float32), out=block)
        word.send(b"all")


def raw_inc(address: str) -> Trial:
    push, word = _socket(zmq.PUSH), _socket(zmq.PULL)
    for socket, where in zip((push, word), address.split(","), strict=True):
        socket.connect(where)
    deltas = np.random.default_rng(0).random((BLOCKS, ROWS * WIDTH), np.float32)

    def trial() -> float:
        start = perf_counter()
        for i in range(N):
            push.send(deltas[i % BLOCKS], copy=False)
        word.recv()
        return N * BYTES / (perf_counter() - start) / 1e9

    return trial


def serve_raw_get() -> None:
    """ROUTER: the block whose number is asked for."""
    router = _bound(zmq.ROUTER)
    table = np.random.default_rng(0).random((BLOCKS, ROWS * WIDTH), np.float32)
    _say_address(router)
    while True:
        peer, number = router.recv_multipart()
        router.send(peer, zmq.SNDMORE)
        router.send(number, zmq.SNDMORE)
        router.send(table[int(number)], copy=False)


def raw_get(address: str) -> Trial:
    dealer = _socket(zmq.DEALER)
    dealer.connect(address)

    def trial() -> float:
        total = asked = 0
        start = perf_counter()
        for got in range(N):
            while asked < N and asked - got < DEPTH:
                dealer.send(b"%d" % (asked % BLOCKS))
                asked += 1
            dealer.recv()
            total += np.frombuffer(dealer.recv(copy=False).buffer, np.float32).nbytes
        return total / (perf_counter() - start) / 1e9

    return trial


def serve_raw_echo() -> None:
    """ROUTER: 64 bytes back."""
    router = _bound(zmq.ROUTER)
    _say_address(router)
    while True:
        router.send_multipart(router.recv_multipart())


def raw_echo(address: str) -> Trial:
    dealer = _socket(zmq.DEALER)
    dealer.connect(address)
    payload = bytes(64)

    def there_and_back() -> Any:
        dealer.send(payload)
        return dealer.recv()

    return lambda: median(_timed(there_and_back) for _ in range(GETS))


# ---- running


def _timed(call: Callable[[], Any]) -> float:
    """Microseconds."""
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1e6


def _end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(0)


_PARENT = os.getppid()


def _parent_lives() -> None:
    if os.getppid() != _PARENT:
        sys.exit(1)


SERVERS: dict[str, Callable[[], None]] = {
    "raw_inc": serve_raw_inc,
    "raw_get": serve_raw_get,
    "raw_echo": serve_raw_echo,
}
CLIENTS: dict[str, Callable[[str], Trial]] = {
    "ours_inc": ours_inc,
    "ours_get": ours_get,
    "ours_missed": ours_missed,
    "ours_cached": ours_cached,
    "raw_inc": raw_inc,
    "raw_get": raw_get,
    "raw_echo": raw_echo,
}

if __name__ == "__main__":
    role, name, *address = sys.argv[1:]
    if role == "client":
        serve_trials(CLIENTS[name](*address))
        os._exit(0)
    if name in SERVERS:
        SERVERS[name]()
    else:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
        serve_ours()
