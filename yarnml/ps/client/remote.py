"""A remote table: one whose rows lie at servers, as the worker's app sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

from yarnml.ps.client.cache import Cache
from yarnml.ps.keys import Key, Rows, checked, key
from yarnml.ps.patches import Patches
from yarnml.ps.rounding import Rounding
from yarnml.ps.table import Array, Table, refuse_late


class Agent(ABC):
    """Who acts for a remote table: its client."""

    @abstractmethod
    def read(self, table: RemoteTable, k: Key) -> Array:
        """Rows, waited for if need be."""

    @abstractmethod
    def ask_for(self, table: RemoteTable, k: Key) -> None:
        """Ask for rows without waiting."""

    @abstractmethod
    def added(self, table: RemoteTable) -> None:
        """There is a new increment, which may leave within the clock."""


@final
class RemoteTable(Table):
    """The table of number `index`."""

    def __init__(self, agent: Agent, index: int, cache: Cache) -> None:
        spec = cache.spec
        super().__init__(spec)
        self.index = index
        self.cache = cache
        rounds = spec.rounds and not cache.managed  # what is managed is rounded as it leaves
        self.patches = Patches(index, spec.function, Rounding(spec.shape, spec.numpy_dtype) if rounds else None)
        self.answered: dict[int | tuple[int, int] | None, Array] = {}  # this clock's gets by key
        self._agent = agent
        self._local = spec.function.local

    def get(self, rows: Rows = None) -> Array:
        if rows is None or rows.__class__ is int:
            known = self.answered.get(rows)
            if known is not None:
                return known
        k = key(rows, self.name, self.shape)
        if k.rows is not None:
            return self._agent.read(self, k)
        place = None if rows is None else k.start if k.single else (k.start, k.stop)
        known = self.answered.get(place)
        if known is None:
            known = self.answered[place] = self._agent.read(self, k)
        return known

    def inc(self, rows: Rows, delta: Array) -> None:
        refuse_late(self.ended, f"an increment of table {self.name!r}")
        k = key(rows, self.name, self.shape)
        self.patches.add(k, checked(delta, k, self.name, self.shape, self.dtype))
        if self._local:
            self.answered.clear()
        self._agent.added(self)

    def prefetch(self, rows: Rows = None) -> None:
        self._agent.ask_for(self, key(rows, self.name, self.shape))
