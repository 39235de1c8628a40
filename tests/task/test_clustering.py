"""Clustering's inertia is the sum of squared distances, as scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from yarnml.task import Clustering

task = Clustering()


def test_equals_scikit_learn() -> None:
    X = np.random.default_rng(0).standard_normal((200, 3))
    fitted = KMeans(4, n_init=1, random_state=0).fit(X)
    distance = fitted.transform(X).min(axis=1)
    partials = [task.partial({"distance": distance[s]}, None, None) for s in (slice(0, 50), slice(50, 200))]
    assert task.metrics(task.merge(partials))["inertia"] == pytest.approx(fitted.inertia_)


def test_no_rows_no_metrics() -> None:
    assert task.metrics(task.partial({"distance": np.zeros(0)}, None, None)) == {}
