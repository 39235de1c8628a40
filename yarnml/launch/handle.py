"""A handle: a job that was started, to wait for or to end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import final, overload

from yarnml.comm.events import Stop
from yarnml.comm.outcome import Outcome
from yarnml.launch.fault import short

LOOK = 0.1  # seconds
ABANDON = 20.0  # seconds after which work that doesn't heed the wish to stop is left behind,
AT_ONCE = 5.0  # and if it is to stop at once


@final
class Handle:
    """The job is driven by a thread of its own, which asks `wish` many times a second and otherwise needs nobody."""

    def __init__(self, drive: Callable[[Handle], Outcome], *, deadline: float | None, abandon: float = ABANDON) -> None:
        """`drive` runs the whole job; `deadline`: seconds from now; `abandon`: seconds for it to heed a wish.

        `drive` may set `abandon` anew: work that has something to keep needs longer.
        """
        self.abandon = abandon
        self._deadline = None if deadline is None else (deadline, time.monotonic() + deadline)
        self._stop: Stop | None = None
        self._outcome: Outcome | None = None
        self._over = threading.Event()
        threading.Thread(target=self._run, args=(drive,), name="yarnml-launch", daemon=True).start()

    @property
    def done(self) -> bool:
        return self._over.is_set()

    def kill(self, reason: str = "killed by its user") -> None:
        """Ask for the end; `wait` tells when it has come. Who asks again wants it at once, whatever is lost by that.

        Safe in a signal handler and from any thread.
        """
        self._ask(Stop("killed", reason))

    def wish(self) -> Stop | None:
        """Why the job is to end, if it is."""
        if self._stop is None and self._deadline is not None and time.monotonic() >= self._deadline[1]:
            self._ask(Stop("deadline", f"the run's deadline of {self._deadline[0]:g} s has passed"))
        return self._stop

    @overload
    def wait(self) -> Outcome: ...
    @overload
    def wait(self, timeout: float) -> Outcome | None: ...
    def wait(self, timeout: float | None = None) -> Outcome | None:
        """How the job ended, None if it hasn't within `timeout` seconds.

        Ctrl-C while waiting ends the job; a second one ends it at once, and is raised.
        """
        until = None if timeout is None else time.monotonic() + timeout
        interrupted = Stop("interrupted", "interrupted by Ctrl-C")
        try:
            return self._wait(until)
        except KeyboardInterrupt:
            self._ask(interrupted)
        try:
            return self._wait(until)
        except KeyboardInterrupt:
            self._ask(interrupted)
            raise

    def _wait(self, until: float | None) -> Outcome | None:
        heard: tuple[Stop, float] | None = None  # the last wish, and when
        while not self._over.wait(LOOK):
            now = time.monotonic()
            wish = self.wish()
            if wish is not None:
                heard = (wish, now) if heard is None or heard[0] != wish else heard
                if now - heard[1] >= (min(AT_ONCE, self.abandon) if wish.at_once else self.abandon):
                    return Outcome(wish.state, f"{wish.reason}; what was running did not stop and is left behind")
            if until is not None and now >= until:
                return None
        return self._outcome

    def _ask(self, stop: Stop) -> None:
        """The first wish stands; another makes it urgent."""
        self._stop = stop if self._stop is None else replace(self._stop, at_once=True)

    def _run(self, drive: Callable[[Handle], Outcome]) -> None:
        try:
            self._outcome = drive(self)
        except BaseException as error:  # noqa: BLE001 (whatever it is, somebody waits to hear of it)
            self._outcome = Outcome("failed", f"the run could not be driven: {short(error)}")
        self._over.set()
