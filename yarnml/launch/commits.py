"""Commits: checkpoints that are whole are given their name, and broken ones removed, by a thread of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import final

from yarnml import checkpoints
from yarnml.comm.effects import Commit, Discard
from yarnml.comm.events import Committed, Event
from yarnml.errors import DataError
from yarnml.job import Job
from yarnml.launch.fault import short


@final
class Commits:
    """A store may take its time, and nobody waits for it: what has come of a commit is told as an event."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._done: SimpleQueue[Committed] = SimpleQueue()
        self._store = ThreadPoolExecutor(1)

    def do(self, effect: Commit | Discard) -> None:
        if isinstance(effect, Commit):
            self._store.submit(self._commit, effect)
        else:
            self._store.submit(checkpoints.discard, effect.url)

    def news(self) -> list[Event]:
        """Since the last time."""
        events: list[Event] = []
        while not self._done.empty():
            events.append(self._done.get())
        return events

    def _commit(self, effect: Commit) -> None:
        try:
            url = checkpoints.commit(self._job, effect.generation, effect.clock, effect.url)
        except (OSError, DataError) as error:
            self._done.put(Committed(effect.clock, effect.url, short(error)))
        else:
            self._done.put(Committed(effect.clock, url))
