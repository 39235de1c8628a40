"""Recommendation: how a user rates an item is predicted, or, where rows only say that they met, how well it suits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema
from yarnml.errors import UsageError
from yarnml.task.task import Columns, Partial, Task, added, weights


@final
class Recommendation(Task):
    """`predict` returns prediction (n,), nan for a row that is left out; `recommend` the best items of each row's user.

    Where predictions are no ratings, `predict` also returns rank (n,), the part of all items that suit the user better
    than the row's: its mean is 0 at best and 1/2 by chance [Hu, Koren, Volinsky 2008, section 6].
    `recommend` returns item (n, top) and prediction (n, top), the best first, nan where there are no more.
    """

    name = "recommendation"
    label = "rating"
    watch = "rmse"

    def partial(self, columns: Columns, y: NDArray[Any] | None, weight: NDArray[np.float32] | None) -> Partial:
        prediction = columns["prediction"].astype(np.float64)
        fine = np.isfinite(prediction)
        w = weights(len(fine), weight)[fine]
        if "rank" in columns:
            return {"ranks": np.array([w.sum(), w @ columns["rank"][fine]])}
        if y is None:
            return {"sums": np.zeros(3)}
        error = prediction[fine] - y[fine]
        return {"sums": np.array([w.sum(), w @ error**2, w @ abs(error)])}

    def merge(self, partials: Sequence[Partial]) -> Partial:
        return added(partials)

    def metrics(self, partial: Partial) -> dict[str, float]:
        weight, *sums = next(iter(partial.values()))
        if weight == 0:
            return {}
        if "ranks" in partial:
            return {"rank": float(sums[0] / weight)}
        return {"rmse": float(np.sqrt(sums[0] / weight)), "mae": float(sums[1] / weight)}

    def table(self, columns: Columns, schema: Schema, top: int | None = None) -> Columns:  # noqa: ARG002
        if "item" not in columns:
            return {"prediction": columns["prediction"]}
        table: Columns = {}
        for place in range(columns["item"].shape[1]):
            prediction = columns["prediction"][:, place]
            item = np.ma.masked_array(columns["item"][:, place], np.isnan(prediction))
            table |= {f"item_{place + 1}": item, f"prediction_{place + 1}": prediction}
        return table

    def refuse(self, schema: Schema) -> None:
        for role, name in (("user", schema.user), ("item", schema.item)):
            if name is None:
                raise UsageError(
                    f"the data has no column with the {role}: ratings are rows of a user, an item and a rating, in a "
                    "format that has columns, such as CSV; say which they are: --user --item --rating"
                )
