"""The processes of the table bench that are plain pyzmq: what a table is measured by."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import zmq

from yarnml.bench.pair import Trial, end_with_stdin, main, timed
from yarnml.bench.table_ours import BLOCKS, BYTES, DEPTH, GETS, ROWS, WIDTH, N, Sparse
from yarnml.kernels import rows as kernels


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
    end_with_stdin()


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

    return lambda: median(timed(there_and_back) for _ in range(GETS))


def serve_raw_sparse() -> None:
    """PULL, add by the same kernel, and one word when all batches of a trial have been added."""
    pull, word = _bound(zmq.PULL), _bound(zmq.PUSH)
    table = np.zeros((Sparse.TABLE, Sparse.WIDTH), np.float32)
    _say_address(pull, word)
    while True:
        for _ in range(Sparse.BATCHES):
            rows = np.frombuffer(pull.recv(), np.int64)
            delta = np.frombuffer(pull.recv(copy=False).buffer, np.float32).reshape(-1, Sparse.WIDTH)
            kernels.add_rows(table, rows, delta)
        word.send(b"all")


def raw_sparse(address: str) -> Trial:
    push, word = _socket(zmq.PUSH), _socket(zmq.PULL)
    for socket, where in zip((push, word), address.split(","), strict=True):
        socket.connect(where)
    batches = Sparse.batches()

    def trial() -> float:
        start = perf_counter()
        for i in range(Sparse.BATCHES):
            rows, delta = batches[i % len(batches)]
            push.send(rows.data, zmq.SNDMORE)
            push.send(delta.data, copy=False)
        word.recv()
        return Sparse.BATCHES * Sparse.ROWS / (perf_counter() - start) / 1e6

    return trial


SERVERS: dict[str, Callable[[], None]] = {
    "inc": serve_raw_inc,
    "get": serve_raw_get,
    "echo": serve_raw_echo,
    "sparse": serve_raw_sparse,
}
CLIENTS: dict[str, Callable[[str], Trial]] = {
    "inc": raw_inc,
    "get": raw_get,
    "echo": raw_echo,
    "sparse": raw_sparse,
}

if __name__ == "__main__":
    main(SERVERS, CLIENTS)
