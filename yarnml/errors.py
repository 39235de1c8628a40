"""The errors a user meets. Each says what went wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from hdfs_io.errors import DataError

__all__ = [
    "DataError",
    "PeerLost",
    "RolledBack",
    "RowError",
    "RunFailed",
    "Stopped",
    "UsageError",
    "YarnmlError",
    "nearest",
]


class YarnmlError(Exception):
    """Any fault that yarnml reports on purpose."""


class UsageError(YarnmlError):
    """A command, flag, config or app that can't be used as written; nothing was started."""


class RowError(UsageError):
    """One of the rows at hand can't be used. Where these are known to be from, its place is told instead of `row`."""

    def __init__(self, row: int, what: str) -> None:
        """`row`: from 0, among those at hand."""
        super().__init__(f"row {row:,}: {what}")
        self.row, self.what = row, what


class RunFailed(YarnmlError):
    """A run ended without its model: an app raised, a process died."""


class PeerLost(RunFailed):
    """A worker, server or coordinator that was waited for is gone or silent; the message names it."""


class Stopped(YarnmlError):
    """The run was ended on purpose: killed, interrupted, past its deadline."""


class RolledBack(BaseException):
    """The run goes back to its last checkpoint. Not an Exception: an app that catches all of its own goes back too."""


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the closest known name, or the list of all names if none is close."""
    names = sorted(set(known) - {name})  # a name that is there and yet won't do is no help
    close = get_close_matches(name, names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; there are: {', '.join(names)}" if names else ""
