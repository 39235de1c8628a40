"""Writing: what a thread of its own puts on a store, while its process goes on."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import final


@final
class Writing:
    """Runs `write` at once; what it is to write must stand still until it is `done`."""

    def __init__(self, write: Callable[[], None]) -> None:
        self._write = write
        self._error = ""
        self._thread = Thread(target=self._run, name="checkpoint", daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    @property
    def error(self) -> str:
        """Why it failed; "" if it didn't. Known once it is done."""
        return self._error

    def wait(self, seconds: float) -> bool:
        """Whether it is done within so many seconds."""
        self._thread.join(seconds)
        return self.done

    def _run(self) -> None:
        try:
            self._write()
        except Exception as error:  # noqa: BLE001 (a store may raise anything, and a run outlives its checkpoint)
            self._error = f"{type(error).__name__}: {error}"
