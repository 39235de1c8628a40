"""Abilities: what the app that made a model can do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Keys

if TYPE_CHECKING:
    from yarnml.model.model import Model

Columns = dict[str, NDArray[Any]]


@final
@dataclass(frozen=True, kw_only=True)
class Abilities:
    """Each is asked with the model itself. None: models of this app have no such thing."""

    predict: Callable[[Model, NDArray[np.float32] | CSR, tuple[Keys, ...]], Columns]
    recommend: Callable[[Model, Keys, int], Columns] | None = None
    coefficients: Callable[[Model], NDArray[Any]] | None = None
    top_words: Callable[[Model, int], NDArray[Any]] | None = None
    summary: Callable[[Model], Sequence[str]] | None = None
