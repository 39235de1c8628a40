"""A use of tables, at random: which rows, and what is added to them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from yarnml.ps.keys import Key
from yarnml.ps.spec import TableSpec


def random_rows(rng: random.Random, n: int) -> Any:
    """What a user may write as rows of a table with n rows."""
    a, b = sorted((rng.randrange(n + 1), rng.randrange(n + 1)))
    listed = np.array([rng.randrange(n) for _ in range(rng.randrange(8))], np.int64)
    return rng.choice([None, slice(a, b), slice(0, n // 2), rng.randrange(n), listed])


def random_delta(rng: random.Random, spec: TableSpec, k: Key, worker: int) -> np.ndarray[Any, Any]:
    """Whole numbers in the worker's column."""
    delta = np.zeros((len(k), spec.width), spec.dtype)
    delta[:, worker] = [rng.randrange(1, 4) for _ in range(len(k))]
    return delta
