"""The shard: when it applies, when it answers, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from yarnml.comm.company import FOREVER
from yarnml.ps import AdaGrad, TableSpec
from yarnml.ps.checkpoint.origin import Given
from yarnml.ps.sender import name
from yarnml.ps.server.peer import ACK_EVERY
from yarnml.ps.server.shard import Send, Shard
from yarnml.ps.spec import resolve
from yarnml.wire.frames import WireError
from yarnml.wire.message import (
    Ack,
    Ask,
    Beat,
    Done,
    EndClock,
    Farewell,
    Get,
    Hello,
    Increments,
    Message,
    Nack,
    Patch,
    Rows,
    Standing,
)


def shard(*specs: TableSpec, workers: int = 2, server: int = 0, servers: int = 1) -> Shard:
    return Shard(resolve(specs, 0), server=server, servers=servers, workers=workers, seed=0)


def end(worker: int, clock: int, *patches: Patch) -> EndClock:
    return EndClock(sender=worker, seq=clock + 1, clock=clock, patches=patches)


def one(value: float, start: int = 0, rows: int = 1, table: int = 0) -> Patch:
    return Patch(table, start, None, np.full((rows, 1), value, np.float32))


def get(worker: int, read: int, request: int = 1, own: int = 0, stop: int = 1) -> Get:
    return Get(sender=worker, seq=request, table=0, start=0, stop=stop, read=read, own=own)


def rows(sends: list[Send]) -> list[tuple[int, int, float]]:
    """(worker, version, first number) of each Rows with values."""
    return [
        (s.worker, s.message.read, float(s.message.values[0][0, 0]))
        for s in sends
        if isinstance(s.message, Rows) and s.message.values
    ]


LAZY = TableSpec("t", (4, 1), push="lazy")
EAGER = TableSpec("t", (4, 1))


def test_at_staleness_0_nothing_shows_before_the_slowest_has_ended_the_clock() -> None:
    s = shard(LAZY)
    s.handle(end(0, 0, one(1)))
    assert rows(s.handle(get(0, -1))) == [(0, -1, 0.0)]
    assert s.handle(get(0, 0, request=2)) == []
    assert rows(s.handle(end(1, 0, one(2)))) == [(0, 0, 3.0)]


def test_all_reads_that_became_fresh_are_answered() -> None:
    s = shard(LAZY, workers=3)
    for w in (0, 1):
        for clock in range(3):
            s.handle(end(w, clock))
    assert s.handle(get(0, 0)) == s.handle(get(1, 1)) == s.handle(get(0, 2, request=2)) == []
    assert [w for w, _, _ in rows(s.handle(end(2, 0)))] == [0]
    assert [w for w, _, _ in rows(s.handle(end(2, 1)))] == [1]
    assert [w for w, _, _ in rows(s.handle(end(2, 2)))] == [0]


def test_above_staleness_0_increments_are_applied_on_arrival() -> None:
    s = shard(TableSpec("t", (4, 1), staleness=1, push="lazy"))
    s.handle(end(0, 0, one(1)))
    assert rows(s.handle(get(1, -1))) == [(1, -1, 1.0)]


def test_a_read_waits_for_what_its_asker_sent_before() -> None:
    s = shard(TableSpec("t", (4, 1), staleness=None))
    assert s.handle(get(0, -1, own=1)) == []
    assert rows(s.handle(Increments(sender=0, seq=1, patches=(one(5),)))) == [(0, -1, 5.0)]


def test_a_push_brings_what_changed_to_those_who_hold_it() -> None:
    s = shard(EAGER)
    s.handle(get(0, -1, stop=2))
    s.handle(end(0, 0, one(1, start=1), one(1, start=3)))
    sends = s.handle(end(1, 0))
    (push,) = [send.message for send in sends if isinstance(send.message, Rows)]
    assert (push.seq, push.start, push.stop, push.read) == (0, 1, 2, 0)
    (notice,) = [
        send.message for send in [*s.handle(end(0, 1)), *s.handle(end(1, 1))] if isinstance(send.message, Rows)
    ]
    assert notice.values == ()
    assert notice.read == 1
    assert notice.number == push.number + 1


def test_a_step_is_taken_once_with_the_sum_of_all_workers() -> None:
    s = shard(TableSpec("t", (1, 1), function=AdaGrad(1.0), push="lazy"))
    s.handle(end(0, 0, one(1)))
    s.handle(end(1, 0, one(3)))
    ((_, _, value),) = rows(s.handle(get(0, 0)))
    assert value == pytest.approx(-1.0)


def test_sequence() -> None:
    s = shard(LAZY, workers=1)
    assert [type(x.message) for x in s.handle(end(0, 1))] == [Nack]
    assert s.handle(end(0, 2)) == [], "one complaint a gap"
    s.handle(end(0, 0, one(1)))
    (again,) = s.handle(end(0, 0, one(1)))
    assert again.message == Ack(seq=1, read=0)
    assert rows(s.handle(get(0, 0))) == [(0, 0, 1.0)], "a duplicate counts once"
    assert s.handle(Ask(sender=0, seq=1))[0].message == Ack(seq=1, read=0)
    assert s.handle(Ask(sender=0, seq=2))[0].message == Nack(seq=2, read=0)


def test_acknowledgements_are_few() -> None:
    s = shard(LAZY, workers=1)
    acks = [send for clock in range(2 * ACK_EVERY) for send in s.handle(end(0, clock)) if isinstance(send.message, Ack)]
    assert [send.message.seq for send in acks] == [ACK_EVERY, 2 * ACK_EVERY]


def test_a_worker_that_is_done_is_waited_for_no_more() -> None:
    s = shard(LAZY)
    s.handle(end(0, 0, one(1)))
    s.handle(get(0, 0))
    assert rows(s.handle(Done(sender=1, seq=1))) == [(0, 0, 1.0)]


def test_who_is_done_reads_what_all_have_added_and_is_served_until_it_says_farewell() -> None:
    s = shard(TableSpec("t", (4, 1), staleness=9, push="lazy"))
    s.handle(end(0, 0, one(1)))
    s.handle(Done(sender=0, seq=2))
    assert s.handle(get(0, FOREVER)) == []
    s.handle(end(1, 0, one(2)))
    assert rows(s.handle(Done(sender=1, seq=2))) == [(0, FOREVER, 3.0)]
    s.handle(Farewell(sender=0, seq=3))
    assert rows(s.handle(get(1, FOREVER))) == [(1, FOREVER, 3.0)]
    assert not s.done
    s.handle(Farewell(sender=1, seq=3))
    assert s.done


@pytest.mark.parametrize("late", [end(0, 1), Increments(sender=0, seq=2, patches=(one(1),))])
def test_who_is_done_adds_nothing(late: Message) -> None:
    s = shard(LAZY)
    s.handle(Done(sender=0, seq=1))
    with pytest.raises(WireError, match="worker 0"):
        s.handle(late)


@pytest.mark.parametrize(
    "message",
    [
        Beat(),
        end(2, 0),
        end(-1, 0),
        EndClock(generation=1, seq=1, patches=()),
        EndClock(seq=1, clock=1, patches=()),
        end(0, 0, one(1, table=1)),
        end(0, 0, one(1, start=4)),
        end(0, 0, one(1, start=3, rows=2)),
        end(0, 0, Patch(0, 0, None, np.zeros((1, 2), np.float32))),
        end(0, 0, Patch(0, 0, None, np.zeros((1, 1), np.float64))),
        end(0, 0, Patch(0, -1, np.array([1, 1]), np.zeros((2, 1), np.float32))),
        end(0, 0, Patch(0, -1, np.array([4]), np.zeros((1, 1), np.float32))),
        Farewell(seq=1),
        Get(table=1),
        Get(table=0, start=0, stop=5),
        Get(table=0, rows=np.array([2, 1])),
    ],
)
def test_what_no_worker_can_have_sent_is_refused_and_changes_nothing(message: Message) -> None:
    s = shard(LAZY)
    with pytest.raises(WireError):
        s.handle(message)
    s.handle(end(0, 0, one(1)))
    s.handle(end(1, 0, one(1)))
    assert rows(s.handle(get(0, 0))) == [(0, 0, 2.0)]


def test_a_lent_block_stands_still() -> None:
    s = shard(TableSpec("t", (300, 1024), push="lazy"), workers=1)
    (send,) = s.handle(Get(sender=0, seq=1, table=0, start=0, stop=300, read=-1))
    assert isinstance(send.message, Rows)
    assert send.loan
    for clock in range(3):
        s.handle(end(0, clock, Patch(0, 0, None, np.ones((300, 1024), np.float32))))
        assert all((block == 0).all() for block in send.message.values)
    s.returned(send)
    (now,) = s.handle(Get(sender=0, seq=2, table=0, start=0, stop=300, read=2))
    assert isinstance(now.message, Rows)
    assert all((block == 3).all() for block in now.message.values)


def test_rows_of_a_server_without_any() -> None:
    s = shard(TableSpec("t", (1, 1), push="lazy"), server=0, servers=2)
    assert not rows(s.handle(Get(sender=0, seq=1, table=0, read=-1)))
    none: Any = s.handle(Get(sender=0, seq=2, table=0, read=-1, rows=np.array([], np.int64)))[0].message
    assert len(none.values[0]) == 0


def values(s: Shard) -> float:
    """The first number of a snapshot."""
    snapshot = s.parts.snapshot()
    assert snapshot is not None
    return float(snapshot.tables[0][1][0].values[0, 0])


@pytest.mark.parametrize("staleness", [0, 3, None])
def test_a_checkpoint_holds_what_belongs_to_clocks_before_its_own(staleness: int | None) -> None:
    s = shard(TableSpec("t", (4, 1), staleness=staleness, push="lazy"))
    s.handle(end(0, 0, one(1)))
    assert s.parts.mark(1)
    s.handle(end(0, 1, one(10)))
    assert s.parts.snapshot() is None, "worker 1 has yet to end clock 0"
    s.handle(end(1, 0, one(2)))
    s.handle(end(1, 1, one(20)))
    assert values(s) == 3
    assert s.parts.snapshot() is None, "it is taken once"
    assert rows(s.handle(get(0, 1)))[0][2] == 33, "nobody else waits"


def test_whoever_is_done_is_not_waited_for_by_a_checkpoint_either() -> None:
    s = shard(LAZY)
    s.parts.mark(2)
    for clock in range(4):
        s.handle(end(0, clock, one(1)))
    s.handle(Done(sender=1, seq=1))
    assert values(s) == 2, "the clocks up to 3 were applied at once"


def test_what_is_in_already_is_too_late_to_be_kept_out() -> None:
    s = shard(TableSpec("t", (4, 1), staleness=2, push="lazy"))
    s.handle(end(0, 0, one(1)))
    s.handle(end(0, 1, one(1)))
    assert not s.parts.mark(1)
    s.handle(end(1, 0))
    assert s.parts.snapshot() is None
    assert s.parts.mark(2)


def test_a_mark_takes_the_place_of_the_one_before() -> None:
    s = shard(TableSpec("t", (4, 1), staleness=5, push="lazy"), workers=1)
    s.parts.mark(1)
    s.handle(end(0, 0, one(1)))
    s.handle(end(0, 1, one(2)))
    assert s.parts.mark(3)
    s.handle(end(0, 2, one(4)))
    s.handle(end(0, 3, one(8)))
    assert values(s) == 7


def test_a_checkpoint_keeps_what_functions_keep() -> None:
    s = shard(TableSpec("t", (1, 1), function=AdaGrad(1.0), push="lazy", staleness=1), workers=1)
    s.parts.mark(1)
    s.handle(end(0, 0, one(3)))
    s.handle(end(0, 1, one(4)))
    snapshot = s.parts.snapshot()
    assert snapshot is not None
    (chunk,) = snapshot.tables[0][1]
    assert chunk.state["G"].tolist() == [[9]]


def test_a_snapshot_stands_still_while_it_is_written() -> None:
    spec = TableSpec("t", (300, 1024), push="lazy")
    s = shard(spec, workers=1)
    s.parts.mark(0)
    snapshot = s.parts.snapshot()
    assert snapshot is not None
    assert any(snapshot.loans), "large blocks are lent, not copied"
    s.handle(end(0, 0, Patch(0, 0, None, np.ones((300, 1024), np.float32))))
    assert not any(chunk.values.any() for chunk in snapshot.tables[0][1])
    s.parts.written(snapshot)


def test_another_process_goes_on_where_its_predecessor_was_last_heard_of() -> None:
    s = shard(EAGER)
    s.handle(get(0, -1, stop=2))
    s.handle(end(0, 0, one(1)))
    s.handle(get(0, 0, request=2))
    hello = Hello(sender=0, seq=1)
    standing = Standing(clock=0, seq=1)
    assert [send.message for send in s.handle(hello)] == [standing]
    assert [send.message for send in s.handle(hello)] == [standing], "asked again"
    assert rows(s.handle(end(1, 0))) == [], "what was held and asked for by the dead one is forgotten"
    (send,) = s.handle(get(0, 0, request=1 << 32))
    assert isinstance(send.message, Rows)
    assert send.message.number == 1


@pytest.mark.parametrize("seq", [0, 1])
def test_an_older_incarnation_cannot_come_back(seq: int) -> None:
    s = shard(LAZY)
    s.handle(Hello(sender=0, seq=2))
    with pytest.raises(WireError, match=f"incarnation {seq} of worker 0"):
        s.handle(Hello(sender=0, seq=seq))


def test_whom_a_shard_knows() -> None:
    s = Shard(resolve([LAZY], 0), server=0, servers=1, workers=2, seed=0, generation=3)
    ask = {"generation": 3, "sender": 1}
    assert s.knows(name(1, 0, 3), Ask(**ask))
    assert not s.knows(name(0, 0, 3), Ask(**ask))
    assert not s.knows(name(1, 0, 2), Ask(**ask | {"generation": 2}))
    assert not s.knows(name(2, 0, 3), Ask(**ask | {"sender": 2}))
    assert not s.knows(name(1, 1, 3), Ask(**ask)), "it must say Hello first"
    assert s.knows(name(1, 1, 3), Hello(**ask, seq=1))
    s.handle(Hello(**ask, seq=1))
    assert s.name(1) == name(1, 1, 3)
    assert not s.knows(name(1, 0, 3), Ask(**ask))
    assert not s.knows(name(1, 0, 3), Hello(**ask, seq=0))


def test_a_generation_begins_where_a_checkpoint_was_taken() -> None:
    array = np.arange(4, dtype=np.float32)[:, None]
    s = Shard(resolve([LAZY], 0), server=1, servers=2, workers=1, seed=0, clock=5, origin=Given({"t": array}))
    (send,) = s.handle(Get(sender=0, seq=1, table=0, start=2, stop=4, read=4))
    assert isinstance(send.message, Rows)
    assert send.message.values[0].tolist() == [[2], [3]]
    with pytest.raises(WireError, match="ends clock 0 after 4"):
        s.handle(end(0, 0))
    s.handle(EndClock(sender=0, seq=1, clock=5, patches=(one(1, start=2),)))
    (send,) = s.handle(Get(sender=0, seq=1, table=0, start=2, stop=4, read=5))
    assert isinstance(send.message, Rows)
    assert send.message.values[0].tolist() == [[3], [3]]


def test_a_worker_that_reads_slowly_is_sent_nothing_until_it_has_read_and_then_all_at_once() -> None:
    s = shard(EAGER)
    for w in (0, 1):
        s.handle(get(w, -1))
    s.pause(0)
    for clock in range(3):
        s.handle(end(0, clock, one(1)))
        assert rows(s.handle(end(1, clock))) == [(1, clock, clock + 1.0)], "the other one isn't kept waiting"
    assert rows(s.handle(get(0, 2, request=2))) == []
    assert rows(s.resume(0)) == [(0, 2, 3.0)], "one push for three clocks"
    assert [send.message.seq for send in s.resume(0)] == [2], "the answer"
    assert s.resume(0) == []
    s.handle(end(0, 3))
    assert [w for w, _, _ in rows(s.handle(end(1, 3, one(1))))] == [0, 1]
