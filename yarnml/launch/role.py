"""A role: the main of a worker's or server's process."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, final

from yarnml.comm.member import HERE, Member, Place, Vitals
from yarnml.comm.seat import Seat
from yarnml.errors import Stopped
from yarnml.job import Job
from yarnml.launch.fault import short, whole
from yarnml.launch.orphan import die_with_launcher
from yarnml.launch.plan import Plan
from yarnml.launch.work import work
from yarnml.ps import Client, connect, serve
from yarnml.wire.transport import Listener, Transport
from yarnml.wire.zmq import ZmqTransport


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="file with the job, as JSON")
    parser.add_argument("--role", choices=("worker", "server"), required=True)
    parser.add_argument("--index", type=int, required=True)
    parser.add_argument("--coordinator", required=True, help="address where the run's coordinator listens")
    said = parser.parse_args()
    die_with_launcher()
    job = Job.from_json(said.job.read_text())
    take_part(job, Seat(said.role, said.index), said.coordinator)


@final
@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a process knows of where it runs, and who else is to be told; as it is on the launcher's own machine."""

    host: str = "127.0.0.1"  # to listen at
    place: Place = HERE
    seated: Callable[[Seat], None] = lambda _: None
    vitals: Vitals | None = None
    failing: Callable[[], None] = lambda: None  # after the log has a fault, before anybody is told of it
    exit_code: int = 1  # after a fault


def take_part(job: Job, seat: Seat, coordinator: str, around: Surroundings = Surroundings()) -> None:
    """Join the run and do the seat's duty; a fault ends the process."""
    transport = ZmqTransport()
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
        if listener is None:
            member.finish(_work(_whole(plan, fault), member, transport))
        else:
            _serve(_whole(plan, fault), member, listener)
            member.finish()
            listener.close()
    except BaseException as error:  # noqa: BLE001 (an app may raise anything, SystemExit too)
        _give_up(error, member, around)
    member.close()
    transport.close()


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


def _work(plan: Plan, member: Member, transport: Transport) -> dict[str, Any]:
    index = member.seat.index
    channels = connect(transport, member.servers, index)
    client = Client(member, transport, channels, plan.tables, worker=index, staleness=plan.job.staleness)
    return work(plan, index, member, client)


def _serve(plan: Plan, member: Member, listener: Listener) -> None:
    job = plan.job
    serve(
        listener,
        plan.tables,
        server=member.seat.index,
        servers=job.servers,
        workers=job.workers,
        staleness=job.staleness,
        seed=job.seed,
        check=member.check,
    )


def _give_up(error: BaseException, member: Member | None, around: Surroundings) -> NoReturn:
    """Say why, here and to the coordinator, and end at once: whatever else is open must not keep the process."""
    print(whole(error), file=sys.stderr, flush=True)
    around.failing()
    if member is not None and not isinstance(error, Stopped):
        member.fail(short(error))
    sys.stdout.flush()
    os._exit(around.exit_code)


if __name__ == "__main__":
    main()
