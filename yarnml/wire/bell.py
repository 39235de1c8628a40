"""A bell: how a process is told that one of its rings has a record, without a look at each of them.

It lies in the head of a segment that its owner has made. Who has written to a ring rings; and if the owner sleeps, it
must be woken by other means. Between one's ringing and its look at whether the owner sleeps, and between the owner's
going to sleep and its look at who has rung, there is a fence: at least one of the two sees the other (Dekker's).
"""

from __future__ import annotations

import mmap
from typing import final

from yarnml.kernels.fence import fence

SLOTS = 1 << 8  # who can ring
ASLEEP, FIRST = 64, 128  # places in the memory
END = FIRST + SLOTS
RUNG = b"\1"


@final
class Bell:
    """Of the owner, who looks, and of those who ring."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._memory = memory
        self._next = FIRST  # where to look first, so that each has its turn

    # ---- who rings

    def ring(self, slot: int) -> None:
        self._memory[FIRST + slot] = 1

    @property
    def asleep(self) -> bool:
        """Whether the owner must be woken."""
        fence()
        return self._memory[ASLEEP] != 0

    # ---- the owner

    def answer(self) -> int | None:
        """The slot of one who has rung, which is heard now."""
        at = self._memory.find(RUNG, self._next, END)
        if at < 0:
            if self._next == FIRST:
                return None
            self._next = FIRST
            return self.answer()
        self._memory[at] = 0
        fence()
        self._next = at + 1
        return at - FIRST

    @property
    def rung(self) -> bool:
        """Whether anybody has rung and wasn't heard."""
        return self._memory.find(RUNG, FIRST, END) >= 0

    def sleep(self) -> None:
        """From now on the owner must be woken. Look once more before you sleep."""
        self._memory[ASLEEP] = 1
        fence()

    def wake(self) -> None:
        """The owner looks by itself."""
        self._memory[ASLEEP] = 0
