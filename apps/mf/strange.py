"""Strange: rows that can't be used, told by their place: ids without ratings, what was seen fewer than no times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Keys
from yarnml.app import UsageError, Worker, located
from yarnml.errors import RowError

from .sides import Ratings


def places(keys: Keys | None, ids: NDArray[Any], role: str, *, refuse: bool) -> NDArray[np.int32]:
    """For each row the place of its id among the sorted `ids`, -1 where it isn't there, which may be to `refuse`."""
    if keys is None:
        raise UsageError(f"rows without a column with the {role}: name it with --{role}")
    found = keys.places(ids)
    if refuse and (found < 0).any():
        row = int(np.argmin(found))
        raise RowError(
            row,
            f"{role} {keys.values[keys.codes[row]]} has no ratings in what the model is trained on; leave such rows "
            "out, or train with --cold mean|drop",
        )
    return found


def refuse_negative(me: Worker) -> None:
    """UsageError for a row of this worker that says that it was seen fewer than 0 times."""
    y = me.data.y
    if y is not None and (bad := y < 0).any():
        row = int(np.argmax(bad))
        with located(me.dataset, me.data.number):
            raise RowError(row, f"--implicit: says that it was seen {y[row]:g} times; leave such rows out")


def refuse_cold(me: Worker, data: Ratings) -> None:
    """UsageError, before anything is learned, for a row to score that the model would refuse to predict."""
    for part in (me.job.valid, me.job.test):
        if part is None:
            continue
        for rows in me.share_of(part).chunks():
            with located(part.dataset, rows.number):
                places(rows.user, data.users, "user", refuse=True)
                places(rows.item, data.items, "item", refuse=True)
