"""`yarnml data`: look at data sets, and bring them elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from yarnml.cli.flags import parse
from yarnml.errors import UsageError, nearest
from yarnml.request import Reading

HELP = """\
usage: yarnml data copy SRC DST      a file or directory, between any two stores
       yarnml data head URL          the first rows, as they are in the files
       yarnml data describe URL      what a run would take it for
"""


@dataclass(frozen=True, kw_only=True)
class Copy:
    src: Annotated[str, Positional]  # a file or directory
    dst: Annotated[str, Positional]  # where it goes
    overwrite: Annotated[bool, FlagCreatePairsOff] = False  # replace what is there


@dataclass(frozen=True, kw_only=True)
class Head:
    url: Annotated[str, Positional]  # file, directory or glob
    rows: Annotated[int, arg(aliases=["-n"])] = 10  # how many


@dataclass(frozen=True, kw_only=True)
class Describe:
    url: Annotated[str, Positional]  # file, directory or glob


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    actions: dict[str, Callable[[Sequence[str]], None]] = {"copy": _copy, "head": _head, "describe": _describe}
    if args[0] not in actions:
        raise UsageError(f"no command 'data {args[0]}'{nearest(args[0], actions)}")
    actions[args[0]](args[1:])
    return 0


def _copy(args: Sequence[str]) -> None:
    from hdfs_io import copy

    said = parse("yarnml data copy", "Copy a data set, whole or not at all.", {"copy": Copy}, args)["copy"]
    size = copy(said.src, said.dst, overwrite=said.overwrite)
    print(f"{said.dst}: {size:,} bytes", file=sys.stderr)


def _head(args: Sequence[str]) -> None:
    from hdfs_io import head

    said = parse("yarnml data head", "The first rows of a data set.", {"head": Head, "reading": Reading}, args)
    table = head(said["head"].url, said["reading"].options(), said["head"].rows)
    columns = [[name, *map(str, table.column(name).to_pylist())] for name in table.column_names]
    wide = [min(max(map(len, column)), 60) for column in columns]
    for row in zip(*columns, strict=True):
        print("  ".join(f"{cell[:60]:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip())


def _describe(args: Sequence[str]) -> None:
    from hdfs_io import describe

    groups = {"describe": Describe, "reading": Reading}
    said = parse("yarnml data describe", "What a run would take a data set for.", groups, args)
    print(describe(said["describe"].url, said["reading"].options()))
