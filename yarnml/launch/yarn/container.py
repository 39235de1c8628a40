"""A container: the main of a worker or server on YARN."""

from __future__ import annotations

import argparse
import sys

from yarnml.comm.seat import ANY, Seat
from yarnml.errors import PeerLost
from yarnml.launch.role import Surroundings, take_part
from yarnml.launch.yarn import rendezvous
from yarnml.launch.yarn.inside import SAID, SEAT, Inside
from yarnml.launch.yarn.memory import resident
from yarnml.launch.yarn.shipping import Shipper
from yarnml.runs import RunDir


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=("worker", "server"), required=True)
    inside = Inside.look(parser.parse_args().role)
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
        exit_code=SAID,
        keys=inside.keys,
        shared=False,  # YARN counts what a container maps, in each container that does, and ends it for too much
    )
    run = RunDir(inside.job.url)
    try:
        coordinator = rendezvous.find(run.url, inside.attempt, inside.spec.start_timeout, lambda: run.ended)
    except PeerLost as error:
        sys.exit(str(error))
    if coordinator is not None:
        take_part(inside.job, Seat(inside.role, ANY), coordinator, around)
    shipper.close()


if __name__ == "__main__":
    main()
