"""A role: the main of a worker's or server's process."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, final

from yarnml.app import Loaded, Start
from yarnml.comm.member import HERE, Member, Place, Vitals
from yarnml.comm.seat import Seat
from yarnml.errors import RolledBack, Stopped
from yarnml.job import Job
from yarnml.kernels.compiling import told
from yarnml.launch import place as where
from yarnml.launch.fault import short, whole
from yarnml.launch.log import lose_what_cannot_be_logged
from yarnml.launch.orphan import die_with_launcher
from yarnml.launch.plan import Plan
from yarnml.launch.work import given, managed, work
from yarnml.ps import Client, Disagree, connect, resume, serve
from yarnml.ps.spec import resolve
from yarnml.wire.keys import Keys
from yarnml.wire.transport import Channel, Listener, Transport
from yarnml.wire.zmq import ZmqTransport


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="file with the job, as JSON")
    parser.add_argument("--role", choices=("worker", "server"), required=True)
    parser.add_argument("--index", type=int, required=True)
    parser.add_argument("--coordinator", required=True, help="address where the run's coordinator listens")
    said = parser.parse_args()
    die_with_launcher()
    lose_what_cannot_be_logged()
    job = Job.from_json(said.job.read_text())
    keys = where.Place(said.job).keys(job)
    take_part(job, Seat(said.role, said.index), said.coordinator, Surroundings(keys=keys))


@final
@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a process knows of where it runs, and who else is to be told; as it is on the launcher's own machine."""

    host: str = "127.0.0.1"  # to listen at
    place: Place = HERE
    seated: Callable[[Seat], None] = lambda _: None
    vitals: Vitals | None = None
    failing: Callable[[], None] = lambda: None  # after the log has a fault, before anybody is told of it
    exit_code: Callable[[BaseException], int] = lambda _: 1  # after a fault, once nobody waits for this process
    keys: Keys | None = None  # with which the run's processes speak
    shared: bool = True  # large arrays go through shared memory where both sides see it


def take_part(job: Job, seat: Seat, coordinator: str, around: Surroundings = Surroundings()) -> int:
    """Join the run and do the seat's duty, again from where the run goes back to; a fault ends the process.

    Returns the generation in which all was done.
    """
    transport = ZmqTransport(shared=around.shared, keys=around.keys)
    listener = transport.listen(around.host) if seat.role == "server" else None
    address = "" if listener is None else listener.address
    member = None
    try:
        plan, fault = _plan(job)
        member = Member.join(
            transport, coordinator, seat, address=address, silence=job.silence, place=around.place, plan=str(plan or "")
        )
        around.seated(member.seat)
        if around.vitals is not None:
            member.tell(around.vitals)
        duty = _Duty(_whole(plan, fault), member, transport, listener)
        with told(lambda _: member.compiles()):
            while not duty.done():
                member.join_again()
        if listener is not None:
            listener.close()
    except BaseException as error:  # noqa: BLE001 (an app may raise anything, SystemExit too)
        _give_up(error, member, around)
    member.close()
    transport.close()
    return member.generation


def _plan(job: Job) -> tuple[Plan | None, BaseException | None]:
    """What this process makes of the job, or why it can't: to be raised once the coordinator can hear it."""
    try:
        return Plan.of(job), None
    except BaseException as error:  # noqa: BLE001 (an app may raise anything, SystemExit too)
        return None, error


def _whole(plan: Plan | None, fault: BaseException | None) -> Plan:
    if fault is not None:
        raise fault
    assert plan is not None
    return plan


@final
@dataclass(frozen=True)
class _Duty:
    """What a seat has to do in each generation."""

    plan: Plan
    member: Member
    transport: Transport
    listener: Listener | None  # a server's
    loaded: Loaded = field(default_factory=Loaded)

    def done(self) -> bool:
        """Do it; False if the run has gone back meanwhile."""
        try:
            if self.listener is None:
                self.member.finish(self._work())
            else:
                self._serve(self.listener)
                self.member.finish()
        except RolledBack as back:
            print(f"back to the last checkpoint: {back}", flush=True)
            return False
        return True

    def _work(self) -> dict[str, Any]:
        job, member, roster = self.plan.job, self.member, self.member.roster
        index = member.seat.index
        channels = connect(self.transport, member.servers, index, roster.incarnation, member.generation)
        try:
            clock, standing = self._standing(channels) if roster.going else (roster.clock, None)
            client = Client(
                member, self.transport, channels, self.plan.tables, worker=index, staleness=job.staleness,
                generation=member.generation, clock=clock, incarnation=roster.incarnation, standing=standing,
                cache=job.cache, managed=managed(job),
            )  # fmt: skip
            if job.bandwidth or not all(spec.plain for spec in resolve(self.plan.tables, job.staleness)):
                member.keeps()
            start = Start(member.generation, clock, roster.checkpoint)
            return work(self.plan, index, member, client, start, self.loaded)
        finally:
            for channel in channels:
                channel.close()

    def _standing(self, channels: list[Channel]) -> tuple[int, tuple[int, ...]]:
        """Where the one stood whose place this process takes."""
        member = self.member
        try:
            clock, standing = resume(
                self.transport, channels, worker=member.seat.index, incarnation=member.roster.incarnation,
                generation=member.generation, check=member.check,
            )  # fmt: skip
        except Disagree as why:
            member.retreat(str(why))
        if clock == 0 and member.roster.rounds:
            member.retreat(f"{member.seat} died before its first clock had ended, and others met it")
        return clock, standing

    def _serve(self, listener: Listener) -> None:
        job, member = self.plan.job, self.member
        serve(
            listener, self.plan.tables, server=member.seat.index, servers=job.servers, workers=job.workers,
            staleness=job.staleness, seed=job.seed, check=member.check, generation=member.generation,
            checkpoint=member.roster.checkpoint, clock=member.roster.clock, given=given(self.plan),
            managed=managed(job), marks=lambda: member.mark, marked=member.marked,
        )  # fmt: skip


def _give_up(error: BaseException, member: Member | None, around: Surroundings) -> NoReturn:
    """Say why, here and to the coordinator, and end at once: whatever else is open must not keep the process."""
    print(whole(error), file=sys.stderr, flush=True)
    around.failing()
    if member is not None:
        if not isinstance(error, Stopped):
            member.fail(short(error))
        member.close()
    sys.stdout.flush()
    os._exit(around.exit_code(error))


if __name__ == "__main__":
    main()
