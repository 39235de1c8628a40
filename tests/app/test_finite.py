"""What isn't a number is named, with where it came up and what to try."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from hdfs_io import CSR
from yarnml.app import App
from yarnml.app.finite import finite_arrays, finite_numbers, finite_rows
from yarnml.errors import RunFailed, UsageError

APP = cast("App", SimpleNamespace(advice=None))


class Stepping:
    lr = 50.0


def test_numbers() -> None:
    finite_numbers({"loss": 1.0, "moved": 3}, "at clock 4", APP, Stepping)
    with pytest.raises(RunFailed, match=r"loss is nan at clock 4; .*a smaller --lr than 50"):
        finite_numbers({"loss": float("nan")}, "at clock 4", APP, Stepping)
    with pytest.raises(RunFailed, match=r"inertia is inf at clock 0; look at the scale"):
        finite_numbers({"inertia": float("inf")}, "at clock 0", APP, None)


def test_an_app_s_own_advice() -> None:
    app = cast("App", SimpleNamespace(advice=lambda cfg: f"try less than {cfg.lr:g}"))
    with pytest.raises(RunFailed, match=r"loss is nan at clock 4; try less than 50$"):
        finite_numbers({"loss": float("nan")}, "at clock 4", app, Stepping)


def test_arrays() -> None:
    good = {"W": np.ones((2, 2), np.float32), "n": np.array([1, 2]), "names": np.array(["a"])}
    finite_arrays(good, "after clock 3", APP, Stepping)
    bad = {**good, "W": np.array([[1, np.nan], [np.inf, 0]], np.float32)}
    with pytest.raises(RunFailed, match=r"2 of the 4 numbers of 'W' .* after clock 3; .*--lr than 50"):
        finite_arrays(bad, "after clock 3", APP, Stepping)


def test_rows() -> None:
    X = np.ones((4, 3), np.float32)
    finite_rows(X, "mlr")
    X[2, 1] = X[3, 0] = np.nan
    with pytest.raises(UsageError, match=r"2 feature values missing.* first in row 2: mlr cannot"):
        finite_rows(X, "mlr")
    sparse = CSR(np.array([0, 1, 1, 3]), np.array([0, 0, 2], np.int32), np.array([1, 2, np.inf], np.float32), 3)
    with pytest.raises(UsageError, match=r"1 feature value .* first in row 2: mlr"):
        finite_rows(sparse, "mlr")
