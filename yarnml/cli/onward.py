"""How a run that has ended too early could go on."""

from __future__ import annotations

from contextlib import suppress

from yarnml.checkpoints import latest
from yarnml.errors import DataError
from yarnml.job import Job
from yarnml.runs import RunDir


def onward(run: RunDir) -> list[str]:
    """The command by which it goes on, and from which clock; nothing where there is no checkpoint."""
    with suppress(OSError, DataError):
        if (found := latest(run.url)) is not None:
            record = run.record()
            clock = Job.from_record(record.job).clock_of(found[1].clock)
            command = "submit" if record.application else "run"
            return [f"`yarnml {command} --resume {run.id}` goes on from its checkpoint at clock {clock:,}"]
    return []
