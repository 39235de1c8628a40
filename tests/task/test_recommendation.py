"""Recommendation's metrics are scikit-learn's, rows without a prediction aside; its tables name items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from hdfs_io import Schema
from yarnml.errors import UsageError
from yarnml.task import Recommendation, task_of

task = Recommendation()
RATINGS = Schema(sparse=False, width=0, user="u", item="i")


def test_equals_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.random(100).astype(np.float32), rng.random(100).astype(np.float32)
    left_out = np.append(p, np.float32(np.nan)), np.append(y, np.float32(3))
    parts = [(left_out[0][s], left_out[1][s]) for s in (slice(0, 30), slice(30, 101))]
    found = task.metrics(task.merge([task.partial({"prediction": a}, b, None) for a, b in parts]))
    assert found["rmse"] == pytest.approx(root_mean_squared_error(y, p), rel=1e-6)
    assert found["mae"] == pytest.approx(mean_absolute_error(y, p), rel=1e-6)


def test_ranks_where_there_are_no_ratings() -> None:
    columns = {"prediction": np.ones(3), "rank": np.array([0.0, 0.5, 0.25])}
    assert task.metrics(task.partial(columns, None, None)) == {"rank": 0.25}
    assert list(task.table(columns, RATINGS)) == ["prediction"]


def test_no_rows_no_metrics() -> None:
    assert task.metrics(task.partial({"prediction": np.zeros(0)}, None, None)) == {}
    assert task.metrics(task.partial({"prediction": np.zeros(2)}, None, None)) == {}


@pytest.mark.parametrize("ids", [np.array([[7, 8], [9, 7]]), np.array([["x", "y"], ["z", "x"]])])
def test_table_of_the_best_items(ids: np.ndarray) -> None:
    table = task.table({"item": ids, "prediction": np.array([[2.0, 1.0], [3.0, np.nan]])}, RATINGS, top=2)
    assert list(table) == ["item_1", "prediction_1", "item_2", "prediction_2"]
    assert pa.table(table).column("item_2").to_pylist() == [ids[0, 1].item(), None]


@pytest.mark.parametrize("role", ["user", "item"])
def test_rows_that_are_no_ratings_are_refused(role: str) -> None:
    with pytest.raises(UsageError, match=f"--{role}"):
        task.refuse(replace(RATINGS, user=None) if role == "user" else replace(RATINGS, item=None))


def test_named_in_a_model() -> None:
    assert isinstance(task_of("recommendation"), Recommendation)
