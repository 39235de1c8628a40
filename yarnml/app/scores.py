"""Scores: the metrics of a model on rows, by every thread of every worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hdfs_io import Rows
from yarnml.app.app import App
from yarnml.app.batch import Batch
from yarnml.errors import RowError
from yarnml.kernels.crew import Crew
from yarnml.model import Model
from yarnml.task import Columns, Partial, Task

CHUNK = 16384  # rows predicted at once, so that what is predicted stays in the cache until it is counted


def predicted(app: App, model: Model, batch: Batch, crew: Crew | None = None, top: int | None = None) -> Columns:
    """What the app's `predict` returns for all rows; its arrays in one piece each.

    `top`: so many of what it can `recommend` instead, if it can.
    """
    assert app.predict is not None
    predict, recommend = app.predict, app.recommend

    def some(lo: int, hi: int) -> Columns:
        part = batch.slice(lo, hi)
        return predict(model, part) if top is None or recommend is None else recommend(model, part, top)

    found = _each(some, len(batch), crew)
    return {name: np.concatenate([columns[name] for columns in found]) for name in found[0]}


def readable(task: Task, model: Model, columns: Columns, top: int | None = None) -> Columns:
    """The columns a user reads of what was predicted; probabilities in float64, so that those of a row sum to 1."""
    if "probability" in columns:
        p = columns["probability"].astype(np.float64)
        columns = {**columns, "probability": p / p.sum(axis=1, keepdims=True)}
    return task.table(columns, model.schema, top)


def score(app: App, model: Model, rows: Rows, crew: Crew | None = None) -> Partial:
    """What `rows` add to the metrics of the app's task."""
    assert app.predict is not None
    assert app.task is not None
    predict, task = app.predict, app.task

    def part(lo: int, hi: int) -> Partial:
        some = rows.slice(lo, hi)
        return task.partial(predict(model, Batch.of(some)), some.y, some.weight)

    return task.merge(_each(part, len(rows), crew))


def _each(function: Callable[[int, int], Any], rows: int, crew: Crew | None) -> list[Any]:
    """`function` on chunks of `rows` rows in order, at least once so that an empty share has a result too."""

    def chunks(lo: int, hi: int) -> list[Any]:
        return [_of(function, a, b) for a, b in _chunks(lo, hi)]

    parts = [chunks(0, rows)] if crew is None else crew.each(chunks, rows, least=CHUNK)
    return [result for part in parts for result in part]


def _of(function: Callable[[int, int], Any], lo: int, hi: int) -> Any:
    try:
        return function(lo, hi)
    except RowError as error:
        raise RowError(lo + error.row, error.what) from error


def _chunks(lo: int, hi: int) -> Iterator[tuple[int, int]]:
    for a in range(lo, max(hi, lo + 1), CHUNK):
        yield a, min(a + CHUNK, hi)
