"""Once: each user of a data set is recommended items once, by the first row that is the user's."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Keys, load
from yarnml.app import Worker, gather_ids

from .spans import spans


@final
class Once:
    """Goes through this worker's rows in order."""

    def __init__(self, me: Worker) -> None:
        self._seen = _of_earlier(me) if me.workers > 1 else None

    def first(self, users: Keys) -> NDArray[np.int64]:
        """The rows, rising, whose users no earlier row has."""
        new = np.arange(len(users)) if self._seen is None else np.flatnonzero(users.places(self._seen) < 0)
        codes, at = np.unique(users.codes[new], return_index=True)
        ids = users.values[codes]
        self._seen = np.unique(ids if self._seen is None else np.concatenate((self._seen, ids)))
        return np.sort(new[at])


def _of_earlier(me: Worker) -> NDArray[Any] | None:
    """The users, sorted, of the workers before this one; None if these have no rows."""
    rows = (load(me.dataset, lo, hi, threads=me.threads) for lo, hi in spans(me))
    ids = [some.user.used() for some in rows if some.user is not None]
    earlier = gather_ids(me, np.unique(np.concatenate(ids)))[: me.index]
    some = [each for each in earlier if len(each)]
    return np.unique(np.concatenate(some)) if some else None
