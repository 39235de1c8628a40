"""A bell: how a process is told that one of its rings has a record, without a look at each of them.

It lies in the head of a segment that its owner has made. Who has written to a ring pulls a rope; if the owner sleeps,
it is woken. Between the pull and the look at whether the owner sleeps, and between its going to sleep and its look at
who has pulled, there is a fence: at least one of the two sees the other (Dekker's).
"""

from __future__ import annotations

import mmap
from typing import Self, final

from yarnml.kernels.fence import fence
from yarnml.wire.alarm import Alarm, Button
from yarnml.wire.segment import Segment

ROPES = 1 << 8
ASLEEP, ALARM, FIRST = 64, 96, 128  # places in the memory: a byte, a number of 4 bytes, and a byte of each rope
END = FIRST + ROPES
PULLED = b"\1"


@final
class Bell:
    """The owner's side."""

    def __init__(self, segment: Segment, alarm: Alarm) -> None:
        self.segment, self.alarm = segment, alarm
        self._memory: mmap.mmap = segment.memory
        self._memory[ALARM : ALARM + 4] = alarm.number.to_bytes(4, "little")
        self._next = FIRST  # where to look first, so that each has its turn

    def answer(self) -> int | None:
        """The number of a rope that was pulled, which is heard now."""
        at = self._memory.find(PULLED, self._next, END)
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
    def rings(self) -> bool:
        """Whether a rope was pulled and not heard."""
        return self._memory.find(PULLED, FIRST, END) >= 0

    def again(self, rope: int) -> None:
        """Hear a rope once more."""
        self._memory[FIRST + rope] = 1

    def sleep(self) -> None:
        """From now on the alarm goes off when a rope is pulled. Look once more before you wait for it."""
        self._memory[ASLEEP] = 1
        fence()

    def wake(self) -> None:
        """The owner looks by itself."""
        self._memory[ASLEEP] = 0


@final
class Rope:
    """The side of one who rings another's bell."""

    def __init__(self, memory: mmap.mmap, number: int, button: Button) -> None:
        """Use `of`."""
        self._memory, self._place, self._button = memory, FIRST + number, button

    @classmethod
    def of(cls, segment: Segment, number: int) -> Self | None:
        """A rope of the bell in another's segment, if its alarm can be had."""
        alarm = int.from_bytes(segment.memory[ALARM : ALARM + 4], "little")
        button = Button.open(segment.offer.pid, alarm)
        return None if button is None else cls(segment.memory, number, button)

    def pull(self) -> None:
        memory = self._memory
        memory[self._place] = 1
        fence()
        if memory[ASLEEP]:
            self._button.press()

    def close(self) -> None:
        """It isn't pulled any more."""
        self._button.close()
