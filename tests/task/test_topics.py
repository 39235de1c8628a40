"""Topics: perplexity is of all tokens asked for; a prediction is the largest share, or the largest few."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import Schema
from yarnml.task import Topics

task = Topics()
COLUMNS = {
    "share": np.array([[0.2, 0.8, 0.0], [0.5, 0.1, 0.4]], np.float32),
    "log_likelihood": np.array([-6.0, -3.0]),
    "tokens": np.array([2, 1]),
    "words": np.array(["b", "a"], object),
}
SCHEMA = Schema(sparse=True, width=5)


def test_perplexity_of_all_tokens_however_they_come() -> None:
    each = [task.partial({name: array[d : d + 1] for name, array in COLUMNS.items()}, None, None) for d in (0, 1)]
    assert task.metrics(task.merge(each)) == pytest.approx({"perplexity": np.exp(3), "log_likelihood": -3})


def test_no_tokens_no_metrics() -> None:
    assert task.metrics({"sums": np.zeros(2)}) == {}


def test_shares_of_all_topics_sum_to_1() -> None:
    table = task.table(COLUMNS, SCHEMA)
    assert list(table) == ["prediction", "words", "share_0", "share_1", "share_2"]
    assert table["prediction"].tolist() == [1, 0]
    assert sum(table[f"share_{k}"] for k in range(3)) == pytest.approx(1, abs=1e-12)


def test_the_largest_few() -> None:
    table = task.table(COLUMNS, SCHEMA, top=2)
    assert table["prediction_2"].tolist() == [0, 2]
    assert table["share_2"] == pytest.approx([0.2, 0.4])
