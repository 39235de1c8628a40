"""Coefficients: what a linear model multiplies each feature by, under the feature's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema


@final
class Coefficients(Mapping[str, Any]):
    """Of the features whose coefficients aren't all zero, in the data's order: name -> number, or (classes,) numbers.

    A model of more than two classes has a score, so a number, for each of them; one of two classes may have a single
    score, of the second.
    """

    def __init__(self, names: tuple[str, ...], weights: NDArray[Any], intercept: Any) -> None:
        """`weights`: (names,) or (names, classes); `intercept`: a number or (classes,)."""
        self.names, self.weights, self.intercept = names, weights, intercept

    @classmethod
    def of(cls, W: NDArray[Any], schema: Schema) -> Self:
        """Out of W (width + 1, scores), by which features are multiplied as a model takes them; intercepts last."""
        used = np.flatnonzero(W[:-1].any(axis=1))
        weights = W[used] if schema.scales is None else W[used] * np.array(schema.scales)[used, None]
        names = tuple(map(schema.name, used.tolist()))
        return cls(names, weights[:, 0], float(W[-1, 0])) if W.shape[1] == 1 else cls(names, weights, W[-1])

    def __getitem__(self, name: str) -> Any:
        return self.weights[self._place[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        single = self.weights.ndim == 1
        some = ", ".join(f"{name} {self[name]:.4g}" if single else name for name in self.largest(3))
        return f"<{len(self):,} coefficients{f', the largest {some}' if some else ''}>"

    def largest(self, n: int = 10) -> list[str]:
        """The names of the n coefficients that are farthest from zero, these first."""
        size = np.abs(self.weights) if self.weights.ndim == 1 else np.abs(self.weights).max(axis=1)
        return [self.names[at] for at in np.argsort(-size, kind="stable")[:n].tolist()]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names)}
