"""A run's keys on their way to its processes: a file that only the user can read, named on no command line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from yarnml.errors import UsageError
from yarnml.wire.keys import Keys
from yarnml.wire.zmq import new_keys

FILE = "keys.json"  # beside the job's file


def write(directory: Path) -> Path:
    """New keys for a run whose job lies in this directory."""
    path = directory / FILE
    remove(directory)  # whatever was there, and whoever could read it
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(new_keys().to_json())
    return path


def remove(directory: Path) -> None:
    """The run is over."""
    (directory / FILE).unlink(missing_ok=True)


def read(directory: Path) -> Keys:
    """Those of a run. Raises UsageError if there are none, or others could have read them."""
    path = directory / FILE
    try:
        with path.open() as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read()
    except OSError as error:
        raise UsageError(f"can't read the run's keys at {path}: {error.strerror}; its launcher writes them") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{path} can be read by others than you (mode {mode & 0o777:o}): its keys aren't safe")
    return Keys.from_json(text)
