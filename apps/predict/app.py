"""Applying a model: a data set of predictions, row by row in the order of the data they are of.

The data is read as the model's own was: same columns by name, same width, same labels. Each worker takes an equal run
of rows, piece by piece so that no share must fit in memory, and writes one part. Where the data has labels, the
model's metrics on them come along. Items are recommended to each user once, whose row is the first of the user's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, Schema, load, read_arrow
from yarnml.app import (
    AppConfig,
    Batch,
    Columns,
    Count,
    UsageError,
    Worker,
    located,
    open_model,
    open_outline,
    open_with_app,
    predicted,
    readable,
)
from yarnml.task import Partial

from .once import Once
from .spans import spans

takes_nan = True  # `check` asks whether the model's app does


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    model: str  # the model, by the URL it was saved at
    keep: tuple[str | int, ...] = ()  # columns of the data to carry along, by name or number: a b, or a,b
    top: Count | None = None  # only that many: the likeliest classes of each row, the best items for each user, once
    trust: bool = False  # run the code that a private app's model brings


def schema(cfg: Config) -> Schema:
    return open_model(cfg.model, cfg.trust).schema  # with its arrays: a damaged one is refused before anything starts


def check(cfg: Config, data: Dataset, rows: int) -> None:
    if data.options.missing == "nan":
        open_outline(cfg.model, cfg.trust)[1].refuse_nan()
    for role, column in (("user", data.options.roles.user), ("item", data.options.roles.item)):
        named = getattr(data.schema, role)
        if named is not None and column is None and not (role == "item" and cfg.top):
            raise UsageError(f"{data.url}: has no column {named!r} with the {role}; say which it is: --{role}")
    kept(data, cfg)


def work(me: Worker, cfg: Config) -> dict[str, dict[str, float]]:
    model, app = open_with_app(cfg.model, cfg.trust)
    assert app.task is not None
    assert me.out is not None
    keep = kept(me.dataset, cfg)
    once = Once(me) if cfg.top is not None and app.recommend is not None else None
    partials: list[Partial] = []
    writer, done = None, 0
    for lo, hi in spans(me):
        rows = load(me.dataset, lo, hi, threads=me.threads)
        chosen = np.arange(len(rows)) if once is None or rows.user is None else once.first(rows.user)
        some = rows if len(chosen) == len(rows) else rows.take(chosen)
        with located(me.dataset, some.number):
            columns = predicted(app, model, Batch.of(some), me.crew, cfg.top)
        table = readable(app.task, model, columns, cfg.top)
        for carried, at in carry(me.dataset, lo, hi, chosen, keep):
            writer = writer or me.out.writer()
            writer.write(joined(carried, {name: column[at] for name, column in table.items()}))
        if once is None and (rows.y is not None or app.task.label in (None, "rating")):
            partials = [app.task.merge([*partials, app.task.partial(columns, rows.y, rows.weight)])]
        done += len(rows)
        me.report(rows=done)
    if writer is not None:
        writer.close()
    return {"test": me.total(app.task, app.task.merge(partials))} if partials else {}


def kept(dataset: Dataset, cfg: Config) -> list[str]:
    """The columns to carry along: those that name the rows, and what --keep says; UsageError if one isn't there."""
    names = [name for name, _ in dataset.types]
    roles = dataset.options.roles
    item = None if cfg.top else roles.item
    chosen = [str(name) for name in (roles.id, roles.user, item) if name is not None]
    for column in said(cfg.keep, names):
        known = column in names if isinstance(column, str) else -len(names) <= column < len(names)
        if not known:
            raise UsageError(f"--keep {column}: {dataset.url} has no such column; it has {', '.join(names) or 'none'}")
        name = column if isinstance(column, str) else names[column]
        chosen += [] if name in chosen else [name]
    return chosen


def said(keep: Sequence[str | int], names: Sequence[str]) -> Iterator[str | int]:
    """The columns of `--keep a b`, of `--keep a,b` too where no column has that very name."""
    for column in keep:
        if isinstance(column, int) or column in names:
            yield column
        else:
            for part in column.split(","):
                yield int(part) if part.strip().lstrip("-").isdigit() else part.strip()


def carry(
    dataset: Dataset, lo: int, hi: int, chosen: NDArray[np.int64], keep: list[str]
) -> Iterator[tuple[Columns, slice]]:
    """The kept columns of those of the rows [lo, hi) that are `chosen`, and where these stand among the chosen."""
    if not keep and len(chosen):
        yield {}, slice(0, len(chosen))
    first = 0
    for table in read_arrow(dataset, lo, hi, keep) if keep else ():
        begin, end = np.searchsorted(chosen, (first, first + len(table))).tolist()
        if end - begin < len(table):
            table = table.take(chosen[begin:end] - first)
        if begin < end:
            yield {name: table.column(name) for name in keep}, slice(begin, end)
        first += len(table)


def joined(carried: Columns, table: Columns) -> Columns:
    for name in carried.keys() & table.keys():
        raise UsageError(f"--keep {name}: the predictions have a column of that name too")
    return {**carried, **table}
