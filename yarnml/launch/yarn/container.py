"""A container: the main of a worker or server on YARN.

It has one scheduler in its life. One that loses it, or is refused by it, ends and is started anew by Skein, finds the
next scheduler and takes the seat that is free: what is true of a container that died is true of all.
"""

from __future__ import annotations

import argparse
import sys

from yarnml.comm.seat import ANY, Seat
from yarnml.errors import PeerLost
from yarnml.launch.log import lose_what_cannot_be_logged
from yarnml.launch.role import Surroundings, take_part
from yarnml.launch.yarn import rendezvous
from yarnml.launch.yarn.inside import SEAT, Inside
from yarnml.launch.yarn.memory import resident
from yarnml.launch.yarn.shipping import Shipper
from yarnml.launch.yarn.stay import HEARD, stay
from yarnml.runs import RunDir


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=("worker", "server"), required=True)
    inside = Inside.look(parser.parse_args().role)
    lose_what_cannot_be_logged()
    run = RunDir(inside.job.url)
    try:
        there = rendezvous.find(run.url, inside.attempt, inside.spec.start_timeout, lambda: run.ended)
    except PeerLost as error:
        run.end("failed", message=f"the run could not start: {error}")
        return
    if there is not None:
        sys.exit(_take_part(inside, run, there.address))


def _take_part(inside: Inside, run: RunDir, coordinator: str) -> int:
    shipper = Shipper(inside)

    def seated(seat: Seat) -> None:
        SEAT.write_text(str(seat.index))
        shipper.seated()

    around = Surroundings(
        host=inside.address,
        place=inside.place,
        seated=seated,
        vitals=lambda: {"memory": float(resident())},
        failing=shipper.flush,
        exit_code=lambda error: stay(run, seconds=0 if isinstance(error, PeerLost) else HEARD),
        keys=inside.keys,
        shared=False,  # YARN counts what a container maps, in each container that does, and ends it for too much
    )
    generation = take_part(inside.job, Seat(inside.role, ANY), coordinator, around)
    shipper.close()
    return stay(run, generation)


if __name__ == "__main__":
    main()
