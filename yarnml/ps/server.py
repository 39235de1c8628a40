"""A server: the loop that runs a shard over a listener."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic

from yarnml.ps.shard import Send, Shard
from yarnml.ps.spec import TableSpec, resolve
from yarnml.wire.frames import WireError
from yarnml.wire.transport import Listener, Receipt

CHECK = 0.1  # s


def serve(
    listener: Listener,
    specs: Sequence[TableSpec],
    *,
    server: int,
    servers: int,
    workers: int,
    staleness: int | None,
    seed: int,
    check: Callable[[], None],
    generation: int = 0,
) -> int:
    """Hold server `server`'s rows until every worker's work has returned.

    `check` is called at least every 100 ms while idle and raises when the run has ended. Returns how many messages were
    refused because no worker of this run can have sent them.
    """
    shard = Shard(
        resolve(specs, staleness), server=server, servers=servers, workers=workers, seed=seed, generation=generation
    )
    names = [f"worker {w}" for w in range(workers)]
    lent: deque[tuple[Receipt, Send]] = deque()
    refused = 0
    checked = monotonic()
    while not shard.done:
        came = listener.recv(CHECK)
        while lent and lent[0][0].done:
            shard.returned(lent.popleft()[1])
        if came is not None:
            try:
                effects = shard.handle(came[1])
            except WireError:
                refused += 1
                continue
            for send in effects:
                receipt = listener.send(names[send.worker], send.message, track=bool(send.loan))
                if send.loan:
                    lent.append((receipt, send))
        if monotonic() - checked > CHECK:
            checked = monotonic()
            check()
    return refused + listener.refused
