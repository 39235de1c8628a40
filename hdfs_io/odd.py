"""Odd: what a person should look at before anything is learned from a data set."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.choose import is_header
from hdfs_io.dataset import Dataset
from hdfs_io.found import Found
from hdfs_io.kinds import is_number
from hdfs_io.labels import is_text
from hdfs_io.spoken import listed, many
from hdfs_io.survey import Fault

SHOWN = 5  # columns that a remark names
FEW = 20  # rows; in fewer, values that all differ say nothing
ROUNDED = 1 << 24  # whole numbers above aren't told apart as float32


def odd(found: Found, dataset: Dataset, missing: dict[str, Fault], first: pa.Table) -> Iterator[str]:
    """Remarks, where `missing` features lack values and `first` holds some of the data set's first rows."""
    rows, ranges = dataset.rows, found.whole.ranges
    label = dataset.schema.label
    if label is not None and label.classes is not None and len(label.classes) == 1:
        yield "a single class, so a classifier refuses this"
    if headers := [name for name, fault in found.whole.spelled.items() if is_header(name, fault)]:
        yield f"the header stands among the rows again ({found.whole.spelled[headers[0]].place}): --bad-rows skip"
    features = [each.column for each in dataset.schema.columns]
    whole = [name for name in features if pa.types.is_integer(found.whole.types[name])]
    flat = {name: ranges[name][0] for name in features if name in ranges and ranges[name][0] == ranges[name][1]}
    yield from _named([name for name in flat if name not in missing], "the same in every row")
    yield from _named([name for name in features if _lost(missing, name) * 2 > rows], "missing in most rows")
    codes = set(dataset.written).intersection(features)
    yield from _named(
        [name for name in dataset.written if name in codes],
        "written as codes are (007, +1, or very many digits), and learned from as numbers",
    )
    ids = [name for name, column in zip(first.column_names, first.columns, strict=True) if _is_id(column)]
    yield from _named(ids, "different in every row, as names or numbers of rows are")
    large = [name for name in whole if max(-ranges[name][0], ranges[name][1]) > ROUNDED] if ranges else []
    yield from _named(large, f"beyond {ROUNDED:,}, where float32 rounds whole numbers")


def _lost(missing: dict[str, Fault], name: str) -> int:
    return missing[name].count if name in missing else 0


def _is_id(column: pa.ChunkedArray) -> bool:
    kind = column.type
    return (
        len(column) >= FEW
        and (is_text(kind) or (is_number(kind) and pa.types.is_integer(kind)))
        and len(pc.unique(column)) == len(column)
    )


def _named(names: list[str], what: str) -> Iterator[str]:
    if names:
        yield f"{many(len(names), 'column')} {'are' if len(names) > 1 else 'is'} {what}: {listed(names, SHOWN)}"
