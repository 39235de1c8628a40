"""A terminal's view of a run: one live line, or plain lines where nobody watches. Always on standard error."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import Any, TextIO, final

from yarnml.monitor.progress import Glance

PAUSE = 2.0  # seconds between two plain lines
PATIENCE = 30.0  # seconds after which a line that says nothing new is worth saying


class View(ABC):
    """Shows how a run goes."""

    @abstractmethod
    def say(self, text: str) -> None:
        """A line that stays."""

    @abstractmethod
    def show(self, glance: Glance) -> None:
        """How the run stands now; may be dropped."""

    @abstractmethod
    def close(self, last: Glance) -> None:
        """The run has ended; how it stood then is shown whatever was dropped."""


@final
class Unseen(View):
    """Shows nothing: who wants to see the run reads its status."""

    def say(self, text: str) -> None:
        pass

    def show(self, glance: Glance) -> None:
        pass

    def close(self, last: Glance) -> None:
        pass


@final
class Lines(View):
    """Plain lines, at most one every `PAUSE` seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown: Glance | None = None

    def say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def show(self, glance: Glance) -> None:
        if glance.clock is None and glance.loss is None and not glance.waiting:
            return
        if self._shown is None or glance.time - self._shown.time >= self._pause(glance, self._shown):
            self._print(glance)

    def close(self, last: Glance) -> None:
        if last.workers and (self._shown is None or self._shown.clock != last.clock):
            self._print(last)

    def _pause(self, glance: Glance, shown: Glance) -> float:
        told, news = ((g.clock, g.loss, g.waiting) for g in (shown, glance))
        return PATIENCE if told == news else PAUSE

    def _print(self, glance: Glance) -> None:
        self._shown = glance
        self.say(f"{glance.seconds:7.1f} s  " + "  ".join(glance.parts()))


@final
class Live(View):
    """One line that changes in place, by rich."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console  # a tenth of a second that --json and --help needn't pay
        from rich.live import Live as RichLive

        self._console = Console(file=stream, highlight=False, soft_wrap=True)
        self._live: Any = RichLive(console=self._console, refresh_per_second=8, transient=True)
        self._live.start()

    def say(self, text: str) -> None:
        self._console.print(text, markup=False)

    def show(self, glance: Glance) -> None:
        self._live.update(self._line(glance))

    def close(self, last: Glance) -> None:
        self._live.stop()
        if last.workers:
            self._console.print(self._line(last))

    def _line(self, glance: Glance) -> Any:
        from rich.text import Text

        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{glance.seconds:7.1f} s  ", style="dim")
        for i, part in enumerate(glance.parts()):
            line.append("  " * bool(i))
            line.append(part, style="bold" if part.startswith("loss") else "cyan")
        return line


def view(stream: TextIO | None = None) -> View:
    """The view that suits standard error: live on a terminal, plain lines elsewhere."""
    stream = sys.stderr if stream is None else stream
    return Live(stream) if stream.isatty() else Lines(stream)
