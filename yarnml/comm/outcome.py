"""An outcome: how a run ended, and on whose account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from yarnml.comm.seat import Seat

State = Literal["succeeded", "failed", "killed", "interrupted", "deadline"]


@dataclass(frozen=True)
class Outcome:
    """What is known once a run is over."""

    state: State
    message: str = ""  # the first fault by name, or why the run was stopped; empty if it succeeded
    culprit: Seat | None = None  # whose fault that was, if anybody's: its log tells more
    result: dict[str, Any] | None = None  # what worker 0 finished with

    @property
    def ok(self) -> bool:
        return self.state == "succeeded"
