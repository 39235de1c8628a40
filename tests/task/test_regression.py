"""Regression's metrics are scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from yarnml.task import Regression

task = Regression()


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(300).astype(np.float32)
    guess = (y + rng.standard_normal(300)).astype(np.float32)
    w = rng.random(300).astype(np.float32) if weighted else None
    parts = [slice(0, 100), slice(100, 100), slice(100, 300)]
    partials = [task.partial({"prediction": guess[s]}, y[s], None if w is None else w[s]) for s in parts]
    found = task.metrics(task.merge(partials))
    assert found["rmse"] == pytest.approx(root_mean_squared_error(y, guess, sample_weight=w), rel=1e-6)
    assert found["mae"] == pytest.approx(mean_absolute_error(y, guess, sample_weight=w), rel=1e-6)
    assert found["r2"] == pytest.approx(r2_score(y, guess, sample_weight=w), rel=1e-5)
