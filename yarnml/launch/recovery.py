"""Recovery: where a job's coordinator takes a run back to, which is only where a checkpoint is whole."""

from __future__ import annotations

from yarnml import checkpoints
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Effect, Setback
from yarnml.comm.events import Spoilt
from yarnml.comm.recovery import Point, Recovery
from yarnml.job import Job


def recovery(job: Job, generation: int) -> Recovery:
    """What a coordinator of the job is to do about deaths; it begins where the last one left a checkpoint."""
    found = checkpoints.latest(job.url) if generation else None
    if found is None:
        point = Point(generation, job.resume_clock, job.resume)
    else:
        point = Point(generation, found[1].clock, found[0])
    return Recovery(
        retries=job.retries, every=job.checkpoint_every, checkpoints=checkpoints.directory(job), grace=job.respite,
        point=point,
    )  # fmt: skip


def instead(back: Setback, coordinator: Coordinator, now: float) -> list[Effect]:
    """What is to be done instead of a setback whose checkpoint isn't whole any more; nothing if it is."""
    why = checkpoints.broken(back.checkpoint) if back.checkpoint else ""
    return coordinator.handle(Spoilt(back.checkpoint, why), now) if why else []
