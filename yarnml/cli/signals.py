"""Signals: what ends the command line from outside: SIGTERM, and Ctrl-C again while it ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

CODES = {"interrupted": 130, "killed": 143}


class Terminated(BaseException):
    """SIGTERM, where no run can be told to end. Like KeyboardInterrupt, it is no error of what was going on."""


@contextmanager
def terminable() -> Iterator[None]:
    """Within, SIGTERM raises Terminated, or does what `on_term` says."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only there are signals heard
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def on_term(act: Callable[[], None]) -> None:
    """From now on SIGTERM does that."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: act())


def ended_by(error: BaseException) -> str:
    """The state of a run that this exception ended before it was there."""
    if isinstance(error, Terminated):
        return "killed"
    return "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"


def deaf() -> None:
    """Nothing more from outside: what is left to be done takes moments."""
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def leave(code: int) -> int:
    """The exit code; if work was left behind that still runs, the process ends here: Python's own way to end crashes
    in threads that are in the middle of native code."""
    if any(thread.name == "yarnml-launch" and thread.is_alive() for thread in threading.enumerate()):
        deaf()
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    return code


def _raise(*_: object) -> None:
    raise Terminated
