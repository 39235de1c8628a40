"""A meeting: the arrays that workers hand in at a barrier, until all have them all (pure)."""

from __future__ import annotations

from typing import Any, final

import numpy as np

Array = np.ndarray[Any, Any]


@final
class Meeting:
    """Counts a run's gathers. The n-th gather of one worker meets the n-th of every other.

    An answer is kept until every worker has asked for a later one, so that a part sent again, because its answer was
    lost with a connection or its worker was replaced, gets the same answer.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._parts: dict[int, dict[int, Array]] = {}  # sequence -> worker -> its part
        self._reached = [-1] * workers  # the latest gather that each worker has asked for

    def hand_in(self, worker: int, sequence: int, part: Array) -> tuple[int, ...]:
        """Take a worker's part; the workers to be told `parts(sequence)` now. The first part of a worker stands."""
        if sequence < min(self._reached):
            return ()  # all have passed this one, so this is an echo nobody waits for
        self._reached[worker] = max(self._reached[worker], sequence)
        parts = self._parts.setdefault(sequence, {})
        again = worker in parts
        parts.setdefault(worker, part)
        self._forget()
        if len(parts) < self.workers:
            return ()
        return (worker,) if again else tuple(range(self.workers))

    def parts(self, sequence: int) -> list[Array]:
        """Every worker's part of a gather that is complete, in worker order."""
        parts = self._parts[sequence]
        return [parts[worker] for worker in range(self.workers)]

    @property
    def latest(self) -> int:
        """The newest gather that anybody has asked for."""
        return max(self._reached)

    def reached(self, worker: int) -> int:
        """The newest gather that the worker has asked for."""
        return self._reached[worker]

    def here(self) -> list[int]:
        """Workers that have asked for the newest gather."""
        return [worker for worker, reached in enumerate(self._reached) if reached == self.latest]

    def waited_for(self) -> list[int]:
        """Workers that a gather still lacks although another worker waits in it."""
        return [worker for worker, reached in enumerate(self._reached) if reached < self.latest]

    def check(self) -> None:
        """Raise AssertionError if what is kept contradicts itself."""
        assert all(sequence >= min(self._reached) for sequence in self._parts)
        assert all(sequence <= self._reached[w] for sequence, parts in self._parts.items() for w in parts)

    def _forget(self) -> None:
        passed = min(self._reached)
        for sequence in [s for s in self._parts if s < passed]:
            del self._parts[sequence]
