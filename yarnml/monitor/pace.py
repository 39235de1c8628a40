"""Pace: remarks on how far something has come, from time to time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PAUSE = 2.0  # seconds between two


def paced(say: Callable[[str], None], form: str) -> Callable[[int, int], None]:
    """To be told (done, of all) often, by any thread; says `form` with both filled in, once in `PAUSE` seconds."""
    said, lock = time.monotonic(), threading.Lock()

    def progress(done: int, of: int) -> None:
        nonlocal said
        with lock:
            if time.monotonic() - said <= PAUSE:
                return
            said = time.monotonic()
        say(form.format(done, of))

    return progress
