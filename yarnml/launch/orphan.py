"""An orphan: a role process whose launcher is gone. It ends at once, whatever its threads are doing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def die_with_launcher(heed: Callable[[str], None] = lambda _: None) -> None:
    """Tie this process to the one that holds the other end of its standard input; `heed` gets each line it writes.

    The kernel's own signal needs neither the GIL nor a process that isn't stopped, but is Linux's alone and may be set
    too late; the end of standard input is seen everywhere and always.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(heed,), name="launcher-watch", daemon=True).start()


def _watch(heed: Callable[[str], None]) -> None:
    for line in sys.stdin:
        heed(line)
    os._exit(1)
