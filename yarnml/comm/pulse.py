"""A pulse: whether the coordinator still lives, as far as one member can tell (pure)."""

from __future__ import annotations

from typing import final

GLANCE = 0.5  # seconds: the most that one look without a beat counts
ATTEMPT = 1.0  # seconds: the most that a message which doesn't leave counts, as long as a transport tries


@final
class Pulse:
    """Counts the seconds of silence.

    Beats queue up while the member computes or is stopped, and a connection takes a moment to come back after that.
    So a long time between two looks is the member's own, and counts little.
    """

    def __init__(self, silence: float) -> None:
        self.silence = silence
        self._spent = 0.0
        self._looked: float | None = None

    def felt(self) -> None:
        """Something came from the coordinator."""
        self._spent = 0.0

    def missed(self, since: float, now: float) -> None:
        """Between these a message found no connection to the coordinator: that is silence, whoever computes."""
        self._spent += min(now - since, ATTEMPT)
        self._looked = now

    def gone(self, now: float) -> bool:
        """Look: true if the coordinator has been silent for too long."""
        if self._looked is not None:
            self._spent += min(now - self._looked, GLANCE)
        self._looked = now
        return self._spent >= self.silence
