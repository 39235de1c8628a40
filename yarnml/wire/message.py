"""A message: what one process of a run says to another.

Every message is a frozen dataclass over the same header; `frames.py` turns it into bytes and back. Those of which there
are most, Get and Rows, can be made by position, which is quickest.

|     | coordinator | server |
|---|---|---|
| to the | Join, Gather, Wait, Report, Finish, Fail | Hello, EndClock, Increments, Get, Release, Ask, Done, Farewell |
| | Claim, Marked, Keeps, Retreat | |
| from the | Roster, Beat, Gathered, Claimed, Abort, Mark, Rollback | Rows, Ack, Nack, Standing, Refused |
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.wire.frozen import frozen

Array = npt.NDArray[Any]


ALL, SOME = 0, (1 << 64) - 1  # in the place of a request's number in Rows that nobody asked for


@frozen()
class Message:
    """The header that every message carries."""

    generation: int = 0  # how often the run was rolled back; older ones are refused
    sender: int = 0  # index of the sender in its role
    clock: int = 0  # the clock that the message is about
    seq: int = 0  # place in the sender's sequence, number of a request, or round of a collective
    read: int = -1  # newest clock whose increments the sender had read


@final
@frozen()
class Patch:
    """Values for some rows of one table: rows [start, start + n) if `rows` is None, else those listed."""

    table: int
    start: int  # first row, -1 with `rows`
    rows: npt.NDArray[np.int64] | None  # (n,)
    values: Array  # (n, width)
    exponent: int | None = None  # if set, the values are float16 times 2**exponent, and travel as such


# ---- a worker or server to the coordinator


@final
@frozen(kw_only=True)
class Join(Message):
    """A process is here; `sender` is its index, -1 if it takes any seat of its role."""

    role: str  # "worker" or "server"
    address: str  # where its listener is reached; "" without one
    name: str  # how errors name it: "host, pid 123"
    host: str = ""  # as the cluster calls it, where that matters
    plan: str = ""  # the config and tables as this process understands the job; "" if it can't say


@final
@frozen(kw_only=True)
class Gather(Message):
    """One worker's part of round `seq` of the collectives; `clock`: the one that runs at it."""

    array: Array


@final
@frozen(kw_only=True)
class Claim(Message):
    """The sender, which has claimed `seq` splits of the data before, goes on with another. Answered by Claimed."""

    own: bool = False  # it has no room for those of other workers


@final
@frozen(kw_only=True)
class Wait(Message):
    """The sender, in its `clock`, waits for servers; they answer once every worker has come to clock `read`."""

    what: str  # as errors say it; "": it waits no more


@final
@frozen(kw_only=True)
class Report(Message):
    """Progress numbers, as a JSON object."""

    numbers: str


@final
@frozen(kw_only=True)
class Finish(Message):
    """The sender has done all that it had to do; what it hands in, as JSON ("null" for nothing)."""

    result: str


@final
@frozen(kw_only=True)
class Fail(Message):
    """The sender can't go on; the error as the user will read it."""

    error: str


@final
@frozen(kw_only=True)
class Marked(Message):
    """The sender's part of the checkpoint at `clock` is written; or why there is none: it came too late, say."""

    error: str = ""


@final
@frozen(kw_only=True)
class Keeps(Message):
    """The sender keeps state of its own: another process can't go on in its place after its last clock."""


@final
@frozen(kw_only=True)
class Retreat(Message):
    """The sender can't go on in the place of its dead predecessor: the run must roll back."""

    reason: str


# ---- the coordinator to a worker or server


@final
@frozen(kw_only=True)
class Roster(Message):
    """All have joined: the servers' addresses in their order, and which seat the receiver has.

    Work begins at `clock` with what `checkpoint` holds. A worker that takes the place of a dead one, in a generation
    that goes on (`going`), instead asks the servers where it stood.
    """

    servers: tuple[str, ...]
    index: int = 0
    incarnation: int = 0  # how many processes have had this seat in this generation before
    going: bool = False
    rounds: int = 0  # gathers that the receiver's predecessor has taken part in
    checkpoint: str = ""  # URL; "": from the beginning


@final
@frozen(kw_only=True)
class Beat(Message):
    """The coordinator lives."""


@final
@frozen(kw_only=True)
class Gathered(Message):
    """Round `seq` is complete: every worker's array in worker order."""

    arrays: tuple[Array, ...]


@final
@frozen(kw_only=True)
class Claimed(Message):
    """The receiver's claim `seq`: it is to read split `number` of worker `owner`; -1: there is none left."""

    owner: int = -1
    number: int = -1


@final
@frozen(kw_only=True)
class Abort(Message):
    """The run ends now; why, as the user will read it."""

    reason: str


@final
@frozen(kw_only=True)
class Mark(Message):
    """Take part in a checkpoint: write to the directory `url` what you hold once `clock` clocks have ended."""

    url: str


@final
@frozen(kw_only=True)
class Rollback(Message):
    """The run goes back, and on as `generation`: leave what you do, and join again."""

    reason: str


# ---- a worker to a server


@final
@frozen(kw_only=True)
class Hello(Message):
    """The sender is the `seq`-th incarnation of its worker and replaces the one before. Answered by Standing."""


@final
@frozen(kw_only=True)
class EndClock(Message):
    """The sender has finished `clock`; its increments of that clock, whole."""

    patches: tuple[Patch, ...]


@final
@frozen(kw_only=True)
class Increments(Message):
    """Increments made within `clock`, to be applied on arrival."""

    patches: tuple[Patch, ...]


@final
@frozen()
class Get(Message):
    """Ask for rows that hold all increments of clocks <= `read`, and all that the asker sent up to its message `own`.

    `seq` is the number of the request; asking again under the same number is harmless.
    """

    table: int = 0
    start: int = 0
    stop: int = 0
    rows: npt.NDArray[np.int64] | None = None  # increasing; instead of [start, stop)
    own: int = 0

    @property
    def all_held(self) -> bool:
        """It asks for all rows that the asker holds and that have changed: it names none."""
        return self.rows is None and self.start == self.stop


@final
@frozen(kw_only=True)
class Release(Message):
    """The sender keeps these rows no longer: they needn't be pushed. If it gets lost, they are pushed in vain."""

    table: int
    rows: npt.NDArray[np.int64]  # increasing


@final
@frozen(kw_only=True)
class Ask(Message):
    """Has everything up to `seq` been taken? Answered by Ack or Nack."""


@final
@frozen(kw_only=True)
class Done(Message):
    """The sender's work has returned: it is at clock infinity, and only reads. Takes a place in its sequence."""


@final
@frozen(kw_only=True)
class Farewell(Message):
    """The sender reads no more, and closes its connection. Takes the last place in its sequence."""


# ---- a server to a worker


@final
@frozen()
class Rows(Message):
    """Rows as they stand at a server: answer to request `seq`, or pushed: ALL that changed, or SOME of it.

    `read`: all workers' increments of clocks <= read are in; `own`: so are the asker's of clocks <= own (its messages
    <= own for an unbounded or managed table). `values` are consecutive blocks of the rows [start, stop), or one in the
    order of `rows`. A push of all, and an answer to a Get that names no rows, brings every row that the worker holds
    from this server up to `read`: what it doesn't list has not changed since it was sent. That holds only if none is
    missed, hence `number`.
    """

    table: int = 0
    start: int = 0
    stop: int = 0
    rows: npt.NDArray[np.int64] | None = None
    own: int = -1
    number: int = 0  # how many Rows of this table this worker has been sent, this one included
    values: tuple[Array, ...] = ()  # each (n, width)
    exponents: tuple[int, ...] = ()  # of each block, as in a Patch; none: they travel as they are


@final
@frozen(kw_only=True)
class Ack(Message):
    """Everything up to and including `seq` has been taken. `read`: the slowest clock."""


@final
@frozen(kw_only=True)
class Nack(Message):
    """`seq` is the number expected next, but a later one came: send again from there. `read` as in Ack."""


@final
@frozen(kw_only=True)
class Standing(Message):
    """What has been taken from the receiver's worker: clocks up to `clock` (-1: none), messages up to `seq`."""


@final
@frozen(kw_only=True)
class Refused(Message):
    """The receiver's message or request `seq` makes no sense, and won't be taken however often it is sent."""

    reason: str
