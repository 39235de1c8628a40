"""Recovery: what a run may do about a death, and from where it goes on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """Where a run begins, or begins again."""

    generation: int = 0
    clock: int = 0
    checkpoint: str = ""  # URL of what holds that clock; "": the beginning


@dataclass(frozen=True, kw_only=True)
class Recovery:
    retries: int = 0  # deaths at the same place after which the run is given up; 0: the first one ends it
    within: float = 120.0  # seconds in which a new process has to join
    every: float = 0.0  # seconds between checkpoints; 0: none are taken
    checkpoints: str = ""  # URL of the directory where they are written
    grace: float = 30.0  # seconds that a run which is to end has for its last checkpoint
    point: Point = Point()


NO_RECOVERY = Recovery()
