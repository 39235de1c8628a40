"""A role: the main of a worker's or server's process."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, final

from yarnml.app import load_app
from yarnml.comm.member import HERE, Member, Place, Vitals
from yarnml.comm.seat import Seat
from yarnml.errors import Stopped
from yarnml.job import Job
from yarnml.launch.fault import short, whole
from yarnml.launch.orphan import die_with_launcher
from yarnml.launch.work import tables, work
from yarnml.ps import Client, TableSpec, connect, serve
from yarnml.wire.transport import Listener, Transport
from yarnml.wire.zmq import ZmqTransport

FOREVER = 7 * 86400.0  # seconds: a long clock is no fault, so only the coordinator ends a wait for a table


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
        member = Member.join(transport, coordinator, seat, address=address, silence=job.silence, place=around.place)
        around.seated(member.seat)
        if around.vitals is not None:
            member.tell(around.vitals)
        if listener is None:
            member.finish(_work(job, member, transport))
        else:
            _serve(job, member, listener)
            member.finish()
            listener.close()
    except BaseException as error:  # noqa: BLE001 (an app may raise anything, SystemExit too)
        _give_up(error, member, around)
    member.close()
    transport.close()


def _work(job: Job, member: Member, transport: Transport) -> dict[str, Any]:
    index = member.seat.index

    def client(specs: Sequence[TableSpec]) -> Client:
        channels = connect(transport, member.servers, index)
        return Client(member, transport, channels, specs, worker=index, staleness=job.staleness, deadline=FOREVER)

    return work(job, load_app(job.app), index, member, client)


def _serve(job: Job, member: Member, listener: Listener) -> None:
    serve(
        listener,
        tables(job, load_app(job.app)),
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
