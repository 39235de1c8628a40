"""Scores don't depend on how rows are cut into chunks and threads, and an empty share has some too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hdfs_io import Label, Rows, Schema
from yarnml.app import Batch, load_app
from yarnml.app import scores as module
from yarnml.app.scores import predicted, score
from yarnml.errors import RowError
from yarnml.kernels.crew import Crew
from yarnml.model import Model


@pytest.fixture
def model() -> Model:
    schema = Schema(sparse=False, width=2, label=Label("y", (0, 1)))
    W = np.array([[1, -1], [-2, 2], [0.5, 0]], np.float32)
    return Model(app="mlr", task="classification", schema=schema, config={}, arrays={"W": W})


def rows(n: int) -> Rows:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n).astype(np.int32)
    return Rows(rng.standard_normal((n, 2)).astype(np.float32), y, None, None, np.arange(n))


@pytest.mark.parametrize("chunk", [7, 100, 10_000])
@pytest.mark.parametrize("threads", [1, 3])
def test_chunks_and_threads_change_nothing(
    model: Model, chunk: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, some = load_app("mlr"), rows(1000)
    assert app.task is not None
    whole: Any = app.task.metrics(score(app, model, some))
    expected = predicted(app, model, Batch(some.X))["probability"]
    monkeypatch.setattr(module, "CHUNK", chunk)
    crew = Crew(threads)
    assert app.task.metrics(score(app, model, some, crew)) == pytest.approx(whole)
    np.testing.assert_allclose(predicted(app, model, Batch(some.X), crew)["probability"], expected, rtol=1e-6)
    crew.close()


def test_no_rows(model: Model) -> None:
    app = load_app("mlr")
    assert app.task is not None
    assert app.task.metrics(score(app, model, rows(0))) == {}
    assert predicted(app, model, Batch(rows(0).X))["probability"].shape == (0, 2)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_row_that_cannot_be_used_is_found_by_its_number(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    app, X = load_app("lda"), np.ones((1000, 2), np.float32)
    X[777, 1] = 0.5
    arrays: dict[str, Any] = {
        "topics": np.full((2, 1), 0.5, np.float32),
        "alpha": np.ones(1),
        "top_words": np.array([["a"]]),
    }
    schema = Schema(sparse=False, width=2)
    model = Model(app="lda", task="topics", schema=schema, config={}, arrays=arrays)
    monkeypatch.setattr(module, "CHUNK", 100)
    crew = Crew(threads)
    with pytest.raises(RowError, match=r"^row 777: holds 0\.5 of feature 1") as caught:
        predicted(app, model, Batch(X), crew)
    assert caught.value.row == 777
    crew.close()
