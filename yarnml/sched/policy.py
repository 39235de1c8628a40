"""Policy: which parameters come next: a source of them, through what filters it.

Priority(64) | Independent(columns, rho=0.2) | Balance(cost)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

from yarnml.errors import UsageError
from yarnml.sched.balance import Balance
from yarnml.sched.independent import Independent
from yarnml.sched.picks import Picks

if TYPE_CHECKING:
    Filter = Independent | Balance


class _Composed:
    """What composes by |."""

    def __or__(self, other: Filter) -> Policy:
        assert isinstance(self, Drawn | Fixed)
        return Policy(self) | other


class Drawn(_Composed, ABC):
    """A source that draws n a round at random, from those that no round is about to update."""

    n: int

    @property
    @abstractmethod
    def uniform(self) -> float:
        """The part of the draws that any parameter may come from; the others go by how much each moved last.

        Below 1, those that have never been updated are ahead of all others.
        """


class Fixed(_Composed, ABC):
    """A source that a round's number decides."""

    @abstractmethod
    def picks(self, number: int, parameters: int, workers: int) -> Picks: ...


Source = Drawn | Fixed


@final
@dataclass(frozen=True, eq=False)
class Policy:
    """A source and its filters, in whatever order they were said."""

    source: Source
    independent: Independent | None = None
    balance: Balance | None = None

    def __or__(self, other: Filter) -> Policy:
        if isinstance(other, Independent):
            if not isinstance(self.source, Drawn):
                raise UsageError(
                    f"{type(self.source).__name__} | Independent: what is to come is fixed, so that nothing can be put "
                    "off; draw the parameters by Priority or Uniform"
                )
            return replace(self, independent=other)
        return replace(self, balance=other)

    def share(self, picks: Picks, workers: int) -> Picks:
        """Who updates which."""
        return picks if self.balance is None else self.balance.share(picks.numbers, workers)


def policy(said: Policy | Source) -> Policy:
    return said if isinstance(said, Policy) else Policy(said)
