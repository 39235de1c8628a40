"""Last words: the main that speaks for a process of a container which ended without having said why."""

from __future__ import annotations

import argparse
from contextlib import suppress

from hdfs_io import DataError
from yarnml.launch.yarn.inside import Inside, spoken_exit
from yarnml.launch.yarn.notes import leave
from yarnml.launch.yarn.rendezvous import withdraw
from yarnml.launch.yarn.shipping import ship


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", required=True)
    parser.add_argument("--code", type=int, required=True)
    said = parser.parse_args()
    inside = Inside.look(said.role)
    with suppress(DataError, OSError):  # HDFS may take the log for still being written by who was killed
        ship(inside, last=True)
    if inside.role == "scheduler":
        withdraw(inside.job.url, inside.attempt)
    else:
        leave(inside.job.url, inside.note(spoken_exit(said.code)))


if __name__ == "__main__":
    main()
