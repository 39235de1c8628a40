"""`yarnml env`: the Python environments that submit has packed and sent, and how to be rid of old ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff

from hdfs_io.spoken import many
from yarnml.cli.flags import parse
from yarnml.errors import UsageError, nearest
from yarnml.launch import env
from yarnml.value import Whole

HELP = """\
usage: yarnml env list                          what submit has packed here and sent to the cluster
       yarnml env clean [--keep N] [--dry-run]  remove all but the newest of each kind

`yarnml submit` sends the Python that it runs in, once, and keeps the archives in your home directory on the cluster
(.yarnml/env) and in the cache of this machine; what is removed is packed and sent again when it is needed.
"""


@dataclass(frozen=True, kw_only=True)
class List:
    pass


@dataclass(frozen=True, kw_only=True)
class Clean:
    keep: Whole = 1  # of each kind, the newest
    dry_run: Annotated[bool, FlagCreatePairsOff] = False  # say what would go, and remove nothing


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    actions = {"list": _list, "clean": _clean}
    if args[0] not in actions:
        raise UsageError(f"no command 'env {args[0]}'{nearest(args[0], actions)}")
    actions[args[0]](args[1:])
    return 0


def _list(args: Sequence[str]) -> None:
    parse("yarnml env list", "What submit has packed here and sent to the cluster.", {"list": List}, args)
    for shelf in _shelves():
        items = env.stock(shelf)
        print(f"{shelf}: {_spoken(items)}")
        for item in items:
            print(f"  {_line(item)}")


def _clean(args: Sequence[str]) -> None:
    said = parse("yarnml env clean", "Remove all but the newest of each kind.", {"clean": Clean}, args)["clean"]
    shelves = list(_shelves())
    if len(shelves) > 1 and not said.dry_run:
        _refuse_in_use()
    for shelf in shelves:
        gone = env.old(env.stock(shelf), said.keep) if said.dry_run else env.remove_old(shelf, said.keep)
        print(f"{shelf}: {_spoken(gone)} {'would be removed' if said.dry_run else 'removed'}")
        for item in gone:
            print(f"  {_line(item)}")


def _shelves() -> Iterator[str]:
    """This machine's, and the cluster's if one is known here."""
    from yarnml.launch.yarn.site import default_home

    yield str(env.local_shelf())
    home = default_home()
    if home is not None:
        yield env.shelf(home)


def _refuse_in_use() -> None:
    """A container that is started again needs what its run was sent with."""
    from yarnml.launch.yarn.manager import configured

    running = configured().ours()
    if running:
        raise UsageError(
            f"{', '.join(running)} may still need what is on the cluster; try again when {_they(running)} ended"
        )


def _they(names: Sequence[str]) -> str:
    return "it has" if len(names) == 1 else "they have"


def _line(item: env.Item) -> str:
    used = time.strftime("%Y-%m-%d %H:%M", time.localtime(item.used.timestamp()))
    return f"{item.name:<36} {item.size / 1e6:>8.1f} MB  {used}"


def _spoken(items: Sequence[env.Item]) -> str:
    size = sum(item.size for item in items) / 1e6
    return f"{many(len(items), 'item')}, {size:.1f} MB"
