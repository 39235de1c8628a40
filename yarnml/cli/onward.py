"""What is left of a run that has ended too early, and how it could go on."""

from __future__ import annotations

from contextlib import suppress

from yarnml.checkpoints import latest
from yarnml.errors import DataError
from yarnml.job import Job
from yarnml.model import made_by
from yarnml.runs import RunDir

NOTHING = "nothing of it is kept: it left no checkpoint"


def onward(run: RunDir) -> list[str]:
    """Its model, or the command by which it goes on, and from which clock; nothing where there is no checkpoint."""
    with suppress(OSError, DataError):
        record = run.record()
        job = Job.from_record(record.job)
        if made_by(job.out or run.model, run.id):
            return [f"its model is whole: {job.out or run.model}"]
        if (found := latest(run.url)) is not None:
            command = "submit" if record.application else "run"
            clock = job.clock_of(found[1].clock)
            return [f"`yarnml {command} --resume {run.id}` goes on from its checkpoint at clock {clock:,}"]
    return []
