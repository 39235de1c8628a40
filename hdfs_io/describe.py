"""Describe: what a person is told of a data set, also of one that a run refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import numpy as np
import pyarrow as pa

from hdfs_io.dataset import Dataset
from hdfs_io.decide import bare_rows, missing_in, rescaled
from hdfs_io.errand import Surveyor, nobody
from hdfs_io.found import Found
from hdfs_io.kinds import is_number
from hdfs_io.labels import numbers
from hdfs_io.load import read_arrow
from hdfs_io.odd import odd
from hdfs_io.options import SPARSE, ReadOptions
from hdfs_io.plan import Progress
from hdfs_io.ratings import told_of_ratings
from hdfs_io.scan import silent, survey
from hdfs_io.settle import settle
from hdfs_io.spoken import listed, many, sized
from hdfs_io.text import named_codec

SHOWN = 50  # lines of columns
CLASSES = 20  # whose rows are told
WORD = 20  # characters of a class that are shown
CELLS = 1 << 22  # values of the first rows that are looked at


def describe(
    url: str,
    options: ReadOptions | None = None,
    threads: int = 1,
    progress: Progress = silent,
    surveyor: Surveyor = nobody,
) -> str:
    """What `scan` finds, as text: size, format, classes, columns' types and missing values, oddities, refusals.

    Rows whose columns are called user, item and rating, or are said to be, are told of as ratings.
    """
    refused: list[str] = []
    found = survey(url, options, "seen", threads=threads, progress=progress, surveyor=surveyor)
    bare = found.options.format in SPARSE and bare_rows(found)
    found = replace(found, refused=refused, label=None if bare else found.label)
    dataset = settle(found)
    inputs = dataset.schema.columns
    missing = missing_in(found, [each.column for each in inputs], rescaled(inputs))
    first = _first(dataset)
    columns = list(_columns(dataset, {name: fault.count for name, fault in missing.items()}))
    more = [f"  ... {many(len(columns) - SHOWN, 'more such line')}"] if len(columns) > SHOWN else []
    lines = [*dataset.describe(), _size(found, dataset), *_zeros(dataset, first), *_classes(dataset)]
    lines += _ratings(dataset, options) if found.label == "rating" else ()
    lines += ["  note: its rows have no label, for apps that need none, such as lda and kmeans"] if bare else ()
    lines += [*columns[:SHOWN], *more, *(f"  odd: {remark}" for remark in odd(found, dataset, missing, first))]
    return "\n".join([*lines, *(f"  a run refuses this: {why}" for why in refused)])


def _ratings(dataset: Dataset, options: ReadOptions | None) -> Iterator[str]:
    if options is None or options.roles.user is None:
        yield "  note: taken for ratings by its columns' names; with --label or --features, for rows of features"
    yield from told_of_ratings(dataset)


def _size(found: Found, dataset: Dataset) -> str:
    """How large it is, and in how many pieces it can be read at once."""
    files = {file for piece in dataset.pieces for file in piece.files}
    packed = sum(named_codec(file) is not None for file in files)
    whole = f"; {packed} compressed, each read by one thread" if packed else ""
    memory = sized(dataset.bytes_between(0, dataset.rows))
    return f"  size {sized(found.size)} stored, {memory} as rows; {many(len(dataset.pieces), 'piece')}{whole}"


def _first(dataset: Dataset) -> pa.Table:
    """Some of the first rows, in the columns that features are made from."""
    names = [each.column for each in dataset.schema.columns if not each.is_vector]
    if not names:
        return pa.table({})
    rows = min(dataset.rows, max(100, CELLS // len(names)))
    return pa.concat_tables(read_arrow(dataset, 0, rows, names, as_written=False), promote_options="permissive")


def _zeros(dataset: Dataset, first: pa.Table) -> Iterator[str]:
    """How many of the features' values are 0."""
    schema = dataset.schema
    if schema.sparse:
        values = sum(piece.values for piece in dataset.pieces)
        share = values / max(1, dataset.rows * schema.width)
        yield f"  {many(values, 'value')} stored, {values / dataset.rows:.3g} a row: {share:.2%} of all"
        return
    some = [column for column in first.columns if is_number(column.type) and not pa.types.is_boolean(column.type)]
    if some:
        zeros = sum(np.count_nonzero(numbers(column) == 0) for column in some)
        yield f"  {zeros / (len(first) * len(some)):.2%} of the numbers are 0 in {_first_rows(len(first))}"


def _first_rows(rows: int) -> str:
    return f"the first {rows:,} rows" if rows > 1 else "the first row"


def _classes(dataset: Dataset) -> Iterator[str]:
    """The classes' rows, in one line."""
    label = dataset.schema.label
    if label is not None and label.classes and label.counts is not None:
        shown = [f"{str(value)[:WORD]} ({count:,})" for value, count in zip(label.classes, label.counts, strict=True)]
        yield f"  rows of each class: {listed(shown, CLASSES, str)}"


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
