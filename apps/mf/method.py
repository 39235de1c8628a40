"""Method: a way to make the objective smaller, a pass over all ratings at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class Penalty:
    lam: float  # times the number of ratings, unless these are implicit
    bias: bool  # there are biases


class Method(ABC):
    """Works on the ratings and the factors it was made with; what else it holds it can make again from them."""

    @abstractmethod
    def epoch(self, number: int) -> float:
        """One pass, by all workers together; the objective after it, the same for all."""
