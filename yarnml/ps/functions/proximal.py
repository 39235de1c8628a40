"""A proximal operator: what pulls rows to where they should be, after a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from yarnml.ps.functions.function import Array


class Proximal(ABC):
    """Of a penalty h: prox(w, eta) = argmin_u |u - w|² / (2 eta) + h(u). A projection is the operator of an h that is
    0 on a set and infinite elsewhere, whatever eta is (Parikh and Boyd 2014, section 1.2)."""

    kinds: ClassVar[str] = "f"
    """As `Function.kinds`."""

    @abstractmethod
    def prox(self, w: Array, eta: Array | float) -> None:
        """Change whole rows w (n, width) in place. `eta`: the size of the step that was taken, of each number where
        it is an array of w's shape."""
