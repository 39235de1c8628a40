"""Describe: what a person is told of a data set, also of one that a run refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import numpy as np

from hdfs_io.dataset import Dataset
from hdfs_io.decide import missing_in
from hdfs_io.labels import column_codes
from hdfs_io.load import read_arrow
from hdfs_io.options import ReadOptions
from hdfs_io.scan import settle, survey

SHOWN = 50  # lines of columns
CLASSES = 20  # whose rows are told
WORD = 20  # characters of a class that are shown


def describe(url: str, options: ReadOptions | None = None, threads: int = 1) -> str:
    """What `scan` finds, as text: size, format, classes and their rows, columns' types and missing values, refusals."""
    refused: list[str] = []
    found = replace(survey(url, options, threads=threads), refused=refused)
    dataset = settle(found, "any")
    missing = {
        name: fault.count for name, fault in missing_in(found, [each.column for each in dataset.schema.columns]).items()
    }
    columns = list(_columns(dataset, missing))
    more = [f"  ... {len(columns) - SHOWN} more such lines"] if len(columns) > SHOWN else []
    lines = [*dataset.describe(), *_classes(dataset), *columns[:SHOWN], *more]
    return "\n".join([*lines, *(f"  a run refuses this: {why}" for why in refused)])


def _classes(dataset: Dataset) -> list[str]:
    """The classes' rows, in one line."""
    label = dataset.schema.label
    if label is None or not label.classes:
        return []
    rows = np.zeros(len(label.classes), np.int64)
    for table in read_arrow(dataset, 0, dataset.rows, [label.name]):
        codes = column_codes(table.column(0), label.classes)
        rows += np.bincount(codes[codes >= 0], minlength=len(rows))
    shown = [f"{str(value)[:WORD]} ({n:,})" for value, n in zip(label.classes[:CLASSES], rows.tolist(), strict=False)]
    lines = [f"  rows of each class: {', '.join(shown)}" + ", ..." * (len(rows) > CLASSES)]
    return lines + ["  note: a single class, so a classifier refuses this"] * (len(rows) == 1)


def _columns(dataset: Dataset, missing: dict[str, int]) -> Iterator[str]:
    """A line for each run of columns of one type and role that lack equally many values."""
    roles = {str(column): role for role, column in dataset.options.roles.said().items()}

    def kind_of(column: tuple[str, str]) -> tuple[str, int, str | None]:
        return column[1], missing.get(column[0], 0), roles.get(column[0])

    for (kind, lost, role), run in groupby(dataset.types, kind_of):
        names = [name for name, _ in run]
        what = kind + (f", {lost:,} missing" if lost else "") + (f" ({role})" if role else "")
        if len(names) < 3:
            yield from (f"  column {name!r}: {what}" for name in names)
        else:
            yield f"  {len(names)} columns {names[0]!r} to {names[-1]!r}: {what}" + " each" * bool(lost)
