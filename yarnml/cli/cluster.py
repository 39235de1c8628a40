"""`yarnml cluster`: a Hadoop cluster on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import FlagCreatePairsOff

from yarnml.cli.flags import parse
from yarnml.errors import UsageError, nearest
from yarnml.value import Count

HELP = """\
usage: yarnml cluster up [--nodes N] | down | status | env

A real HDFS and YARN on this machine, each daemon a process of its own, to try things on. Needs Java 17 and, the first
time, Maven. `yarnml cluster up --help` shows the flags.

  up      start it, or what is missing of it
  down    end it, and remove what is in its HDFS
  status  which daemons there are and how they are
  env     what a shell needs so that hdfs, yarn and Skein find it: eval "$(yarnml cluster env)"
"""


@dataclass(frozen=True, kw_only=True)
class State:
    state: str | None = None  # the cluster's directory; else ~/.yarnml/cluster


@dataclass(frozen=True, kw_only=True)
class Up(State):
    nodes: Count | None = None  # machines to pretend, each with host name and rack; else as it was, or 1
    memory_mb: Count | None = None  # MB that each node gives to containers; else its share of this machine
    vcores: Count | None = None  # cores that each node says it has


@dataclass(frozen=True, kw_only=True)
class Down(State):
    keep: Annotated[bool, FlagCreatePairsOff] = False  # leave what is in HDFS for the next up


FLAGS: dict[str, type] = {"up": Up, "down": Down, "status": State, "env": State}


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    name, *rest = args
    if name not in FLAGS:
        raise UsageError(f"no command cluster {name!r}{nearest(name, FLAGS)}")
    from yarnml.cluster import command

    does = getattr(command, name)
    said: Any = parse(f"yarnml cluster {name}", does.__doc__ or "", {"cluster": FLAGS[name]}, rest)["cluster"]
    flags = {**vars(said), "state": None if said.state is None else Path(said.state)}
    code: int = does(**flags)
    return code
