"""A start: where a worker begins: with its run, or at the clock that a checkpoint or a dead predecessor left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from yarnml.app.share import Share


@final
@dataclass(frozen=True)
class Start:
    generation: int = 0
    clock: int = 0  # of the tables
    checkpoint: str = ""  # URL of the directory with what this worker kept; "": it kept nothing


@final
class Loaded:
    """The training rows that a process has loaded, which stay when its run goes back."""

    def __init__(self) -> None:
        self.share: Share | None = None


BEGINNING = Start()
