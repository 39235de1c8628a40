"""Members and their hub, in threads, over every transport."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import numpy as np
import pytest

from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Report
from yarnml.comm.events import Event, Stop
from yarnml.comm.hub import Hub
from yarnml.comm.member import Member
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.errors import PeerLost, Stopped, UsageError
from yarnml.runs import wait_for
from yarnml.wire.memory import Exchange, MemoryTransport
from yarnml.wire.message import Fail, Finish, Gather, Gathered, Join, Message, Roster, Wait
from yarnml.wire.transport import Status, Transport
from yarnml.wire.zmq import ZmqTransport

WAIT = 20.0  # seconds that nothing here should take
Work = Callable[[Member], Any]


@pytest.fixture(params=["memory", "zmq"])
def transport(request: pytest.FixtureRequest) -> Callable[[], Transport]:
    """Makes a transport that belongs to the thread which asks for it."""
    exchange = Exchange()
    return (lambda: MemoryTransport(exchange)) if request.param == "memory" else ZmqTransport


class Company:
    """A hub in a thread; members come and go."""

    def __init__(self, transport: Callable[[], Transport], roles: dict[str, int], silence: float = 5.0) -> None:
        self.transport = transport
        self.silence = silence
        self.reports: list[Report] = []
        self.wishes: list[Event] = []
        self.addressed = threading.Event()
        self.over = threading.Event()
        self._pool = ThreadPoolExecutor(8)
        self.outcome: Future[Outcome] = self._pool.submit(self._hub, roles)
        assert self.addressed.wait(WAIT)

    def _hub(self, roles: dict[str, int]) -> Outcome:
        transport = self.transport()
        listener = transport.listen()
        coordinator = Coordinator(roles, silence=self.silence, join_by=time.monotonic() + WAIT)
        self.hub = hub = Hub(listener, coordinator, self.reports.append)
        self.address = listener.address
        self.addressed.set()
        try:
            outcome = hub.run(lambda: [self.wishes.pop() for _ in self.wishes[:1]])
            hub.see_off(self.over.is_set, WAIT)
            return outcome
        finally:
            listener.close()
            transport.close()

    def send(self, seat: Seat, work: Work, address: str = "") -> Future[Any]:
        return self._pool.submit(self._member, seat, work, address)

    def _member(self, seat: Seat, work: Work, address: str) -> Any:
        transport = self.transport()
        try:
            member = Member.join(transport, self.address, seat, address=address, silence=self.silence)
            with closing(member):
                return work(member)
        finally:
            transport.close()

    def close(self) -> None:
        self.wishes.append(Stop("killed", "the test is over"))
        self.over.set()
        self._pool.shutdown()


@pytest.fixture
def company(transport: Callable[[], Transport]) -> Iterator[Callable[..., Company]]:
    made: list[Company] = []

    def make(**settings: Any) -> Company:
        made.append(Company(transport, {"worker": 2, "server": 1}, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def everybody(company: Company, work: Work) -> list[Future[Any]]:
    """Both workers at work, and the server there until its run is over."""
    workers = [company.send(Seat("worker", index), work) for index in (0, 1)]
    return [*workers, company.send(Seat("server", 0), lambda member: member.finish(), "tcp://there")]


def test_a_whole_run(company: Callable[..., Company]) -> None:
    def work(me: Member) -> Any:
        parts = me.gather(np.full(2 + me.seat.index, me.seat.index, np.float32))
        total = me.sum(np.array([1.0, me.seat.index]))
        me.report({"epoch": 1, "loss": 0.5})
        me.finish({"index": me.seat.index})
        return me.servers, [part.tolist() for part in parts], total.tolist()

    one = company()
    for future in everybody(one, work)[:2]:
        assert future.result(WAIT) == (("tcp://there",), [[0.0, 0.0], [1.0, 1.0, 1.0]], [2.0, 1.0])
    one.over.set()
    assert one.outcome.result(WAIT) == Outcome("succeeded", result={"index": 0})
    assert sorted(report.worker for report in one.reports) == [0, 1]


def test_the_last_numbers_of_an_epoch_and_of_a_run_always_arrive(company: Callable[..., Company]) -> None:
    def work(me: Member) -> None:
        for clock in range(200):
            me.report({"epoch": clock // 100, "clock": clock})
        me.finish()

    one = company()
    for future in everybody(one, work):
        future.result(WAIT)
    one.over.set()
    one.outcome.result(WAIT)
    clocks = [report.numbers["clock"] for report in one.reports if report.worker == 0]
    assert {99, 199} <= set(clocks)
    assert clocks == sorted(clocks)
    assert len(clocks) < 50


def test_an_error_ends_every_wait_by_name(company: Callable[..., Company]) -> None:
    def work(me: Member) -> None:
        if me.seat.index == 1:
            me.fail("ValueError: no")
        else:
            me.gather(np.zeros(1))

    one = company()
    waiting, failing, _ = everybody(one, work)
    with pytest.raises(Stopped, match="worker 1: ValueError: no"):
        waiting.result(WAIT)
    failing.result(WAIT)
    one.over.set()
    assert one.outcome.result(WAIT) == Outcome("failed", "worker 1: ValueError: no", Seat("worker", 1))


def test_a_wish_to_stop_reaches_a_worker_that_only_looks_now_and_then(company: Callable[..., Company]) -> None:
    def work(me: Member) -> None:
        one.wishes.append(Stop("killed", "killed by somebody"))
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            me.check()

    one = company()
    workers = everybody(one, work)[:2]
    for future in workers:
        with pytest.raises(Stopped, match="killed by somebody"):
            future.result(WAIT)
    one.over.set()
    assert one.outcome.result(WAIT).state == "killed"


def test_a_second_process_under_a_taken_seat_is_refused(company: Callable[..., Company]) -> None:
    one = company()
    here, done = threading.Event(), threading.Event()

    def work(me: Member) -> None:
        here.set()
        assert done.wait(WAIT)
        me.finish()

    members = everybody(one, work)
    assert here.wait(WAIT)
    with pytest.raises(Stopped, match=r"worker 1 has joined already, from host \S+, pid \d+"):
        one.send(Seat("worker", 1), work).result(WAIT)
    done.set()
    for future in members:
        future.result(WAIT)
    one.over.set()
    assert one.outcome.result(WAIT).ok


def test_a_silent_coordinator_ends_a_wait(transport: Callable[[], Transport]) -> None:
    listening = transport()
    with closing(listening.listen()) as listener, ThreadPoolExecutor(1) as pool:

        def work() -> None:
            mine = transport()
            try:
                Member.join(mine, listener.address, Seat("worker", 0), address="", silence=0.5)
            finally:
                mine.close()

        with pytest.raises(PeerLost, match=r"the coordinator was silent for 0.5 s"):
            pool.submit(work).result(WAIT)
    listening.close()


def test_what_is_no_array_of_numbers_is_refused(company: Callable[..., Company]) -> None:
    def work(me: Member) -> None:
        with pytest.raises(UsageError, match="can't gather an array of <U1"):
            me.gather(np.array(["a"]))
        me.finish()

    for future in everybody(company(), work):
        future.result(WAIT)


def test_a_part_that_is_lost_with_its_answer_is_sent_again() -> None:
    exchange = Exchange()
    listener = MemoryTransport(exchange).listen()

    def gather() -> list[float]:
        member = Member.join(MemoryTransport(exchange), listener.address, Seat("worker", 0), address="", silence=WAIT)
        with closing(member):
            return [part.item() for part in member.gather(np.array(7.0))]

    def heard(kind: type[Message]) -> tuple[str, Message]:
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            came = listener.recv(WAIT)
            if came is not None and isinstance(came[1], kind):
                return came
        raise AssertionError(f"no {kind.__name__}")

    with ThreadPoolExecutor(1) as pool:
        parts = pool.submit(gather)
        peer, _ = heard(Join)
        listener.send(peer, Roster(servers=()))
        heard(Gather)  # and its answer is lost
        _, again = heard(Gather)
        assert isinstance(again, Gather)
        listener.send(peer, Gathered(seq=again.seq, arrays=(again.array,)))
        assert parts.result(WAIT) == [7.0]


def test_a_run_takes_no_harm_from_strangers() -> None:
    """Well-formed messages of every kind in everybody's name, from peers that aren't them."""
    with closing_company() as one:
        go = threading.Event()

        def work(me: Member) -> list[float]:
            assert go.wait(WAIT)
            sums = [me.sum(np.array(1.0 + me.seat.index)).item() for _ in range(3)]
            me.finish()
            return sums

        members = everybody(one, work)
        transport = one.transport()
        evil = transport.connect(one.address, "evil")
        for sender in (0, 1, -1):
            for seq in range(4):
                for forged in (
                    Join(sender=sender, role="worker", address="", name="evil"),
                    Gather(sender=sender, seq=seq, array=np.array(100.0)),
                    Wait(sender=sender, what="rows", read=9),
                    Finish(sender=sender, result="{}"),
                    Fail(sender=sender, error="evil"),
                ):
                    assert evil.send(forged) is Status.SENT
        evil.close()
        transport.close()
        assert wait_for(lambda: one.hub.refused == 60, WAIT, every=0.01), "they haven't all been read"
        go.set()
        for future in members[:2]:
            assert future.result(WAIT) == [3.0, 3.0, 3.0]
        one.over.set()
        assert one.outcome.result(WAIT).ok


@contextmanager
def closing_company() -> Iterator[Company]:
    made = Company(ZmqTransport, {"worker": 2, "server": 1})
    try:
        yield made
    finally:
        made.close()


def test_workers_that_wait_for_each_other_are_told_so(company: Callable[..., Company]) -> None:
    """Worker 0 in a gather, worker 1 for a table: over the wire, as `Client` says it."""
    one = company(silence=1.0)

    def work(me: Member) -> None:
        me.clock_now = me.seat.index
        if me.seat.index == 0:
            me.gather(np.zeros(1))
        end, due = time.monotonic() + WAIT, 0.0
        while time.monotonic() < end:
            if time.monotonic() > due:
                due = time.monotonic() + 0.3
                me.waits("server 0 to send rows of table 'W' as of clock 0", until=1)
            me.check()

    for future in everybody(one, work)[:2]:
        with pytest.raises(Stopped, match="the workers wait for each other: worker 0 waits for the others in a sum"):
            future.result(WAIT)
