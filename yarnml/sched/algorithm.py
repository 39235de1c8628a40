"""ModelParallel: what an app fills in: schedule -> update -> aggregate -> apply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yarnml.sched.picks import Index
from yarnml.sched.policy import Policy, Source

Array = NDArray[Any]


class ModelParallel(ABC):
    """An algorithm that changes some of its parameters, numbered 0 .. n - 1, in each round.

    Parameters lie on every worker alike, or, in rotation, in a table. What it holds over rounds belongs into
    `me.state` or a table: after a recovery it is made anew.
    """

    parameters: int
    """n: how many there are."""

    @abstractmethod
    def schedule(self) -> Policy | Source:
        """Which parameters come next; asked once, by `rounds`."""

    @abstractmethod
    def update(self, picks: Index) -> Array:
        """This worker's part of what `apply` needs: its rows' sums for each pick, say.

        `picks` are all of the round; with Rotation and Balance only this worker's.
        """

    @abstractmethod
    def aggregate(self, parts: Sequence[Array]) -> Array:
        """What the workers' parts, in their order, say together: `added(parts)`, `joined(parts)`, or else."""

    @abstractmethod
    def apply(self, picks: Index, total: Array) -> Array:
        """Change the parameters, on every worker alike; how much (k,) each of all picks of the round has moved.

        That, in size, is its next priority. `picks` are in the workers' order where they were shared out.
        """


def added(parts: Sequence[Array]) -> Array:
    """The parts' sum, in the workers' order."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def joined(parts: Sequence[Array]) -> Array:
    """One after another."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
