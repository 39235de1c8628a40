"""`yarnml data`: look at data sets, and bring them elsewhere."""

from __future__ import annotations

import shutil
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import FlagCreatePairsOff, Positional, arg

from yarnml.cli.flags import parse
from yarnml.config import AppConfig
from yarnml.errors import UsageError, nearest
from yarnml.monitor.pace import paced
from yarnml.request import OnYarn, Reading, Who
from yarnml.value import Count

if TYPE_CHECKING:
    from hdfs_io import Surveyor
    from hdfs_io.errand import Errand, Looked

CELL = 60  # characters shown of a value
HELP = """\
usage: yarnml data copy SRC DST      a file or directory, between any two stores
       yarnml data convert SRC DST   its rows in another format
       yarnml data head URL          the first rows, as they are in the files
       yarnml data describe URL      what a run would take it for
"""


@dataclass(frozen=True, kw_only=True)
class Copy:
    src: Annotated[str, Positional]  # a file or directory
    dst: Annotated[str, Positional]  # where it goes
    overwrite: Annotated[bool, FlagCreatePairsOff] = False  # replace what is there


@dataclass(frozen=True, kw_only=True)
class Convert:
    src: Annotated[str, Positional]  # file, directory, glob, or a list of these
    dst: Annotated[str, Positional]  # a file, by its name's end, or else a directory of parts
    to: Literal["parquet", "csv", "libsvm", "arrow"] | None = None  # else what DST's name says, else Parquet
    compression: str = "guess"  # gzip, zstd, lz4, ..., none; else as DST's name says, else as is usual
    overwrite: Annotated[bool, FlagCreatePairsOff] = False  # replace what is there


@dataclass(frozen=True, kw_only=True)
class Head:
    url: Annotated[str, Positional]  # file, directory, glob, or a list of these
    rows: Annotated[int, arg(aliases=["-n"])] = 10  # how many


@dataclass(frozen=True, kw_only=True)
class Describe:
    url: Annotated[str, Positional]  # file, directory, glob, or a list of these


@dataclass(frozen=True, kw_only=True)
class Scanning(AppConfig):
    scan: Who = "auto"  # who looks through it: a cluster's workers, if 4 GiB or more have to be read, or this machine
    workers: Count = 4  # of the cluster, if they do
    worker_memory: str = "2GiB"  # of the container of each
    queue: str = "default"  # of the ResourceManager


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    actions: dict[str, Callable[[Sequence[str]], None]] = {
        "copy": _copy,
        "convert": _convert,
        "head": _head,
        "describe": _describe,
    }
    if args[0] not in actions:
        raise UsageError(f"no command 'data {args[0]}'{nearest(args[0], actions)}")
    actions[args[0]](args[1:])
    return 0


def _copy(args: Sequence[str]) -> None:
    from hdfs_io import copy
    from hdfs_io.spoken import many

    said = parse("yarnml data copy", "Copy a data set, whole or not at all.", {"copy": Copy}, args)["copy"]
    _refuse_target(said)
    size = copy(said.src, said.dst, paced(_remark, "{:,} of {:,} bytes"), overwrite=said.overwrite)
    print(f"{said.dst}: {many(size, 'byte')}", file=sys.stderr)


def _convert(args: Sequence[str]) -> None:
    from hdfs_io import convert
    from hdfs_io.spoken import many
    from yarnml.out import refuse_place, refuse_replacing

    groups = {"convert": Convert, "reading": Reading}
    filled = parse("yarnml data convert", "A data set in another format, whole or not at all.", groups, args)
    said = filled["convert"]
    refuse_place(said.dst, {"SRC": said.src}, "DST")
    refuse_replacing(said.dst, overwrite=said.overwrite, files=True, known=frozenset(), name="DST")
    rows = convert(
        said.src, said.dst, filled["reading"].options(), format=said.to,
        compression=None if said.compression == "guess" else said.compression, overwrite=said.overwrite,
        progress=paced(_remark, "{:,} of {:,} rows"), say=_remark,
    )  # fmt: skip
    print(f"{said.dst}: {many(rows, 'row')}", file=sys.stderr)


def _refuse_target(said: Copy) -> None:
    """A copy may take the place of an earlier one, or of a result; of nothing else, whatever --overwrite says."""
    from hdfs_io import join, mend, open_fs
    from hdfs_io.guess import suffixes
    from yarnml.out import files_below, refuse_place, refuse_replacing

    source, path = open_fs(said.src)
    name = path.rstrip("/").rpartition("/")[2]
    dst = join(said.dst, name) if said.dst.endswith("/") else said.dst
    refuse_place(dst, {"SRC": said.src}, "DST")
    mend(dst)
    alike = any(suffixes(dst)) or dst.rstrip("/").rpartition("/")[2] == name
    known = files_below(said.src) if source.isdir(path) else frozenset[str]()
    refuse_replacing(dst, overwrite=said.overwrite, files=alike and source.isfile(path), known=known, name="DST")


def _head(args: Sequence[str]) -> None:
    from hdfs_io import head

    said = parse("yarnml data head", "The first rows of a data set.", {"head": Head, "reading": Reading}, args)
    table = head(said["head"].url, said["reading"].options(), said["head"].rows)
    columns = [[name, *map(str, table.column(name).to_pylist())] for name in table.column_names]
    for line in in_columns(columns, shutil.get_terminal_size().columns if sys.stdout.isatty() else None):
        print(line)


def in_columns(columns: Sequence[Sequence[str]], room: int | None) -> list[str]:
    """Lines with the columns beside each other; in `room` characters, as many of them as fit, at least one."""
    wide = [min(max(map(len, column)), CELL) for column in columns]
    ends = list(accumulate(width + 2 for width in wide))
    fit = len(columns) if room is None else max(1, bisect_right(ends, room + 2))
    rows = zip(*columns[:fit], strict=True)
    lines = ["  ".join(f"{cell[:CELL]:<{width}}" for cell, width in zip(row, wide, strict=False)) for row in rows]
    left = len(columns) - fit
    more = [f"... {left} more column{'s' * (left > 1)}"] if left > 0 else []
    return [line.rstrip()[:room] for line in lines] + more


def _describe(args: Sequence[str]) -> None:
    from hdfs_io import describe
    from yarnml.capacity import cores

    groups = {"describe": Describe, "scan": Scanning, "reading": Reading}
    said = parse("yarnml data describe", "What a run would take a data set for.", groups, args)
    progress = paced(_remark, "{:,} of {:,} parts read")
    surveyor = _surveyor(said["scan"])
    print(describe(said["describe"].url, said["reading"].options(), cores(), progress, surveyor))


def _surveyor(asked: Scanning) -> Surveyor:
    """Nothing of a cluster is imported before data turns out to be worth it."""

    def survey(errand: Errand) -> Sequence[Looked] | None:
        from yarnml.monitor.terminal import view
        from yarnml.scouts import Scouts

        wish = OnYarn(scan=asked.scan, queue=asked.queue, worker_memory=asked.worker_memory)
        return Scouts(wish, asked.workers, view())(errand)

    return survey


def _remark(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
