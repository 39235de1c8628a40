"""A watch: beside a run's driver, keeps its metrics and status, shows its progress, and hears when it is to end."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, final

from yarnml.errors import DataError
from yarnml.monitor.metric import Metric, metrics
from yarnml.monitor.progress import Glance, Progress
from yarnml.monitor.terminal import Lines, View
from yarnml.runs import BEAT, RunDir

STEP = 0.2  # seconds between two looks


@final
class Watch:
    """A thread, so that a long clock of an app that runs in this process doesn't look like a lost run."""

    def __init__(self, run: RunDir, view: View, more: Callable[[], dict[str, Any]] = dict) -> None:
        """`more`: fields of a glance that only the caller knows."""
        self._run = run
        self._more = more
        self._log = io.StringIO()
        self._views = (view, Lines(self._log))  # the second is what `yarnml logs` shows of this process
        self._progress = Progress(time.time())
        self._new: list[Metric] = []
        self._cut: int | None = None  # the clock from which on kept metrics are void
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._torn: set[str] = set()  # what could not be kept the last time it was tried
        self._told: set[str] = set()
        self._thread = threading.Thread(target=self._watch, name="yarnml-watch", daemon=True)
        self._on_kill: Callable[[], None] = lambda: None
        self._ending: Callable[[], str] = str
        self._said = ""  # of its end
        self._kills = 0

    def say(self, text: str) -> None:
        """Show and log a line."""
        for view in self._views:
            view.say(text)

    def take(self, worker: int, numbers: Mapping[str, float]) -> None:
        """A worker's report; called from any thread."""
        now = time.time()
        with self._lock:
            self._new += metrics(numbers, worker=worker, time=now)
            self._progress.take(worker, numbers, now)

    def go_back(self, generation: int, clock: int, why: str) -> None:
        """The run has gone back to `clock`, as apps count: what was reported of it and later ones is void."""
        said = f"rolled back to clock {clock:,}: {why}"
        with self._lock:
            self._cut = clock
            self._new = [metric for metric in self._new if metric.clock is None or metric.clock < clock]
            self._progress.go_back(generation, said, time.time())
        self.say(said)

    def start(self, on_kill: Callable[[], None], ending: Callable[[], str] = str) -> None:
        """`on_kill` is called each time that somebody asks for the run's end; `ending` tells of it, "" otherwise."""
        self._on_kill, self._ending = on_kill, ending
        self._thread.start()

    def close(self) -> None:
        """Keep and show what is left; nothing is heard any more."""
        self._over.set()
        self._thread.join()
        with self._lock:
            last = replace(self._progress.glance(time.time()), **self._more())
        for view in self._views:
            view.close(last)
        self._keep(last)

    def _watch(self) -> None:
        beaten = 0.0
        while not self._over.wait(STEP):
            with self._lock:
                glance = replace(self._progress.glance(time.time()), **self._more())
            for view in self._views:
                view.show(glance)
            if time.monotonic() - beaten >= BEAT:
                beaten = time.monotonic()
                self._keep(glance)
                self._hear()
            if (said := self._ending()) and said != self._said:
                self._said = said
                self.say(said)

    def _hear(self) -> None:
        """Whether somebody asks for the end, again perhaps."""
        asked = self._kills
        with suppress(OSError, DataError):  # heard a second later, or never; the run goes on
            asked = self._run.asked_to_end()
        for _ in range(self._kills, asked):
            self._on_kill()
        self._kills = asked

    def _keep(self, glance: Glance) -> None:
        with self._lock:
            new, self._new = self._new, []
            cut, self._cut = self._cut, None
            text = self._log.getvalue()
            self._log.seek(0)
            self._log.truncate()
        self._try("its status", lambda: self._run.beat(glance))
        if cut is not None:
            self._try("its metrics", lambda: self._run.cut(cut))
        if new:
            self._try("its metrics", lambda: self._run.append(new, fresh="its metrics" in self._torn))
        if text:
            self._try("its log", lambda: self._run.log("\n" * ("its log" in self._torn) + text))

    def _try(self, what: str, keep: Callable[[], None]) -> None:
        """What can't be kept is said once and lost; the run, and how it ends, do not depend on it."""
        try:
            keep()
        except (OSError, DataError) as error:
            self._torn.add(what)
            self.lost(what, error)
        else:
            self._torn.discard(what)

    def lost(self, what: str, error: Exception) -> None:
        """Say, the first time, that something of the run is not recorded."""
        if what not in self._told:
            self._told.add(what)
            self._views[0].say(f"{what} can't be recorded in {self._run.url}, the run goes on without: {error}")
