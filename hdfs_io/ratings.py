"""Ratings: what a person is told of rows that say what users think of items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.dataset import Dataset
from hdfs_io.formats.roles import no_key
from hdfs_io.kinds import is_number
from hdfs_io.load import read_arrow
from hdfs_io.spoken import many

ROWS = 50_000_000  # that are looked at
FEW = 1 << 20  # ids that may wait until it is seen whether they are new


def told_of_ratings(dataset: Dataset) -> Iterator[str]:
    """How many users and items there are, between which numbers the ratings lie, and rows that are no ratings.

    By another pass over these columns: what a scan finds of each piece would else hold as many ids as the piece has.
    """
    said = dataset.options.roles.said()
    seen = {role: Seen(str(said[role])) for role in ("user", "item", "label") if role in said}
    rows = min(dataset.rows, ROWS)
    for table in read_arrow(dataset, 0, rows, [each.name for each in seen.values()], as_written=False):
        for each in seen.values():
            each.add(table.column(each.name))
    where = "" if rows == dataset.rows else f" in the first {rows:,} rows"
    users, items = (len(seen[role].values) if role in seen else 0 for role in ("user", "item"))
    if users and items:
        share = (rows - max(seen["user"].missing, seen["item"].missing)) / (users * items)
        yield f"  {many(users, 'user')}, {many(items, 'item')}{where}: a rating for {share:.3%} of pairs"
    if "label" in seen and (ends := seen["label"].ends()) is not None:
        yield f"  ratings from {ends[0]:g} to {ends[1]:g}{where}"
    for role, each in seen.items():
        if each.missing and role != "label":  # of labels the scan tells
            yield f"  odd: {many(each.missing, 'row')} without {role}{where}: --bad-rows skip leaves out such"


@final
class Seen:
    """The different values of a column, and how many rows lack one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.missing = 0
        self._known, self._new = pa.nulls(0), list[pa.Array]()

    def add(self, column: pa.ChunkedArray) -> None:
        """Some more rows of it."""
        bad = no_key(column)
        self.missing += int(np.count_nonzero(bad))
        self._new.append(pc.unique(column.filter(pa.array(~bad))))
        if sum(map(len, self._new)) > max(FEW, len(self._known)):
            self._pool()

    @property
    def values(self) -> pa.Array:
        self._pool()
        return self._known

    def _pool(self) -> None:
        """Seldom: it looks at all that is known."""
        arrays = [array for array in (self._known, *self._new) if len(array)]
        if arrays:
            self._known = pc.unique(pa.chunked_array(arrays))
        self._new.clear()

    def ends(self) -> tuple[float, float] | None:
        """The least and the greatest; None where they aren't numbers."""
        if not len(self.values) or not is_number(self.values.type):
            return None
        found = pc.min_max(self.values.cast(pa.float64())).as_py()
        return found["min"], found["max"]
