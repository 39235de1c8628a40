"""Method: a way to make the objective smaller, a pass over all ratings at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self, final

from .sides import Ratings

MANY, REG_OF_MANY, REG = 100, 0.05, 0.1


@final
@dataclass(frozen=True)
class Penalty:
    lam: float  # times the number of ratings, unless these are implicit
    bias: bool  # there are biases

    @classmethod
    def of(cls, reg: float | None, bias: bool, ratings: Ratings) -> Self:
        """None: what suits as many ratings as users and items have."""
        many = ratings.rows >= MANY * (len(ratings.users) + len(ratings.items)) / 2
        return cls((REG_OF_MANY if many else REG) if reg is None else reg, bias)


class Method(ABC):
    """Works on the ratings and the factors it was made with; what else it holds it can make again from them."""

    @abstractmethod
    def epoch(self, number: int) -> float:
        """One pass, by all workers together; the objective after it, the same for all."""
