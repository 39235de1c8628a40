"""Classification: one of several known classes is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema
from yarnml.errors import UsageError
from yarnml.task.task import Columns, Partial, Task, weights

DISTINCT = 1 << 16  # scores kept apart for the area under the curve; with more of them the last bits go
COARSE = np.uint32(0xFFFFFC00)  # leaves 13 bits of mantissa: a score moves by at most 1 / 8192 of itself


@final
class Classification(Task):
    """`predict` returns probability (n, classes); labels are the numbers of classes."""

    name = "classification"
    label = "class"
    watch = "log_loss"

    def partial(self, columns: Columns, y: NDArray[Any] | None, weight: NDArray[np.float32] | None) -> Partial:
        assert y is not None, "metrics need labels"
        p = columns["probability"]
        w = weights(len(y), weight)
        right = p.argmax(axis=1) == y
        tiny = np.finfo(p.dtype).eps
        loss = -np.log(np.clip(p[np.arange(len(y)), y], tiny, 1 - tiny).astype(np.float64))
        found = {"sums": np.array([w.sum(), w @ right, w @ loss])}
        return found | ({"roc": _tally(p[:, 1], w * (y == 0), w * (y == 1))} if p.shape[1] == 2 else {})

    def merge(self, partials: Sequence[Partial]) -> Partial:
        merged = {"sums": np.sum([partial["sums"] for partial in partials], axis=0)}
        if "roc" not in partials[0]:
            return merged
        score, negative, positive = np.concatenate([partial["roc"] for partial in partials], axis=1)
        return merged | {"roc": _tally(score.astype(np.float32), negative, positive)}

    def metrics(self, partial: Partial) -> dict[str, float]:
        weight, right, loss = partial["sums"]
        if weight == 0:
            return {}
        found = {"accuracy": float(right / weight), "log_loss": float(loss / weight)}
        area = _area(*partial["roc"]) if "roc" in partial else None
        return found if area is None else found | {"roc_auc": area}

    def table(self, columns: Columns, schema: Schema, top: int | None = None) -> Columns:
        classes = _original(schema)
        p = columns["probability"]
        if top is None:
            each = {f"probability_{name}": p[:, code] for code, name in enumerate(classes.tolist())}
            return {"prediction": classes[p.argmax(axis=1)], **each}
        best = np.argsort(-p, axis=1, kind="stable")[:, :top]
        table: Columns = {}
        for place in range(best.shape[1]):
            table[f"prediction_{place + 1}"] = classes[best[:, place]]
            table[f"probability_{place + 1}"] = np.take_along_axis(p, best[:, place : place + 1], axis=1)[:, 0]
        return table

    def refuse(self, schema: Schema) -> None:
        label = schema.label
        if label is None:
            raise UsageError("the data has no label to learn from; name its column with --label")
        if schema.classes < 2:
            held = f"only the class {label.classes[0]!r}" if label.classes else "no class"
            raise UsageError(
                f"label {label.name!r} holds {held}: there is nothing to learn; check --label and the data"
            )


def _original(schema: Schema) -> NDArray[Any]:
    """The classes as the data had them, by code."""
    assert schema.label is not None
    assert schema.label.classes is not None
    classes = np.array(schema.label.classes)
    return classes.astype(object) if classes.dtype.kind == "U" else classes


def _tally(score: NDArray[Any], negative: NDArray[np.float64], positive: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, scores): the distinct scores, rising, and how much weight of either class has each."""
    score = score.astype(np.float32)
    distinct, place = np.unique(score, return_inverse=True)
    if len(distinct) > DISTINCT:
        distinct, place = np.unique((score.view(np.uint32) & COARSE).view(np.float32), return_inverse=True)
    return np.stack(
        [distinct, np.bincount(place, negative, len(distinct)), np.bincount(place, positive, len(distinct))]
    )


def _area(score: NDArray[np.float64], negative: NDArray[np.float64], positive: NDArray[np.float64]) -> float | None:
    """The chance that a positive row scores above a negative one, ties counting half; None if a class is missing."""
    _ = score
    pairs = negative.sum() * positive.sum()
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below / pairs) if pairs > 0 else None
