"""A start: where a worker begins: with its run, or at the clock that a checkpoint or a dead predecessor left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Start:
    generation: int = 0
    clock: int = 0  # of the tables
    checkpoint: str = ""  # URL of the directory with what this worker kept; "": it kept nothing


BEGINNING = Start()
