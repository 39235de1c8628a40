"""Claims: who reads which split of the data, where a worker that has read its own goes on with others' (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

Split = tuple[int, int]  # whose it is by the cut of the rows, and which of that worker's


@final
class Claims:
    """A split has one holder, for as long as that lives.

    A worker is given its own, from the first on, and then the last one of whoever has most left: so what it holds
    stays nearly in one stretch, and who is slow is asked for what it would have come to last.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        """`counts`: the splits of each worker's cut of the rows."""
        self._counts = tuple(counts)
        self._free = [list(range(count)) for count in counts]
        self._answers: list[list[Split | None]] = [[] for _ in counts]

    def take(self, worker: int, sequence: int, *, own: bool = False) -> Split | None:
        """The answer to a worker's claim of this number, the same however often it asks; None: there is none left.

        `own`: it has no room for others' splits.
        """
        answers = self._answers[worker]
        if sequence >= len(answers):
            answers.append(self._next(worker, own))
        return answers[min(sequence, len(answers) - 1)]

    def give_back(self, worker: int) -> None:
        """It is gone, and what it held is nobody's."""
        for split in filter(None, self._answers[worker]):
            self._free[split[0]].append(split[1])
            self._free[split[0]].sort()
        self._answers[worker] = []

    def check(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        known = [split for answers in self._answers for split in answers if split is not None]
        known += [(owner, number) for owner, free in enumerate(self._free) for number in free]
        assert sorted(known) == [(owner, n) for owner, count in enumerate(self._counts) for n in range(count)]

    def _next(self, worker: int, own: bool) -> Split | None:
        if self._free[worker]:
            return worker, self._free[worker].pop(0)
        owner = max(range(len(self._free)), key=lambda other: len(self._free[other]))
        return None if own or not self._free[owner] else (owner, self._free[owner].pop())
