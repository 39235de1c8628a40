"""Running apps as a user would, and small data for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml

Start = Callable[..., Any]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """`start(app, **options)` runs an app to its end, with its runs in a folder of the test."""

    def start(app: str, **options: Any) -> Any:
        return yarnml.run(app, runs=str(tmp_path / "runs"), deadline=100.0, **options).wait()

    return start


@pytest.fixture(scope="session")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """900 rows in three overlapping groups, named by a last column of words; the second feature is a thousand times
    the first."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 900)
    X = rng.standard_normal((900, 2)) + np.array([[0, 0], [4, 0], [0, 4]])[group]
    file = tmp_path_factory.mktemp("blobs") / "blobs.csv"
    rows = [f"{a:.4f},{1000 * b:.1f},{('left', 'right', 'top')[g]}" for (a, b), g in zip(X, group, strict=True)]
    file.write_text("a,b,kind\n" + "\n".join(rows) + "\n")
    return file
