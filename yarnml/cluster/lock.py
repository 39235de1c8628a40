"""A directory that one process at a time may change."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from yarnml.errors import YarnmlError


@contextlib.contextmanager
def locked(directory: Path, progress: Callable[[str], None], patience: float = 600.0) -> Iterator[None]:
    """Hold `directory`, made if it isn't there, against others that lock it; wait for them `patience` seconds.

    The lock is on the directory itself, so no lock file is left, and it ends with the process that holds it.
    """
    deadline, told = time.monotonic() + patience, False
    while (descriptor := _try(directory)) is None:
        if not told:
            progress(f"another yarnml is at work in {directory}: waiting for it")
            told = True
        if time.monotonic() > deadline:
            raise YarnmlError(
                f"another yarnml has been at work in {directory} for {patience:.0f} s; end it, then try again"
            )
        time.sleep(0.1)
    try:
        yield
    finally:
        os.close(descriptor)


def _try(directory: Path) -> int | None:
    directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # who held it before may have removed the directory: a lock on a removed one keeps nobody out
        if os.path.samestat(os.fstat(descriptor), directory.stat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None
