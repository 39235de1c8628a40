"""Convert: a data set in another format, row by row in the same order, in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa

from hdfs_io.bags import vectored
from hdfs_io.codes import lost
from hdfs_io.decide import bare_rows
from hdfs_io.errors import DataError
from hdfs_io.formats.tally import LABEL
from hdfs_io.frames import left_out
from hdfs_io.guess import suffixes
from hdfs_io.kinds import as_kind, is_number
from hdfs_io.load import read_arrow
from hdfs_io.options import SPARSE, ReadOptions
from hdfs_io.plan import Progress
from hdfs_io.scan import silent, survey
from hdfs_io.settle import settle
from hdfs_io.store import join, write_text
from hdfs_io.whole import whole
from hdfs_io.writer import SUCCESS, WRITERS, open_writer, part_name

PART = 256 << 20  # bytes in memory of the rows of a part


def convert(
    src: str,
    dst: str,
    options: ReadOptions | None = None,
    *,
    format: str | None = None,  # noqa: A002 (the word users know)
    compression: str | None = None,
    overwrite: bool = False,
    threads: int = 1,
    progress: Progress = silent,
    say: Callable[[str], None] = lambda _: None,
) -> int:
    """Write the rows of `src` to `dst`, whole or not at all; returns how many there are.

    The index of a pandas data frame is left out, which `say` is told, unless `options` give it a role.

    `dst` is one file if its name ends like one of a format that is written, else a directory of parts and _SUCCESS.
    `format`: else what the name says, else Parquet. `progress` is told the rows written and all of them.
    Raises DataError for what the format can't hold: lists in CSV, words in libsvm.
    """
    said, _ = suffixes(dst)
    single = said in WRITERS
    kind = format or (said if single and said is not None else "parquet")
    if kind not in WRITERS:
        raise DataError(f"{dst}: can't write format {kind!r}; there are: {', '.join(WRITERS)}")
    found = replace(survey(src, options, threads=threads), refused=[])
    sparse = found.options.format in SPARSE
    bare = sparse and bare_rows(found)
    dataset = settle(replace(found, label=None) if bare else found).forget()
    label = None if dataset.options.roles.label is None else str(dataset.options.roles.label)
    index = dataset.options.index
    gone = (*index, LABEL) if bare else index
    types = [(name, kind) for name, kind in found.whole.columns if name not in gone]
    text = frozenset(dataset.written)
    kinds = {name: pa.string() if pa.types.is_null(type_) or name in text else type_ for name, type_ in types}
    for name in index:
        say(left_out(name))
    for name in dataset.written:
        what = " and ".join(lost(found.whole.codes[name], found.whole.types[name]))
        say(f"column {name!r} holds numbers with {what}: written as text")
    done = 0

    def written() -> Iterator[pa.Table]:
        nonlocal done
        for table in read_arrow(dataset, 0, dataset.rows):
            inside = table.select([name for name in table.column_names if name not in gone])
            if sparse and kind in ("parquet", "arrow"):
                inside = vectored(inside, dataset.schema.base, dataset.schema.width)
            yield fitted(_alike(inside, kinds, src), kind, label, dst)
            done += len(table)
            progress(done, dataset.rows)

    with whole(dst, overwrite) as staging:
        if single:
            with open_writer(staging, kind, compression, name=dst) as writer:
                for table in written():
                    writer.write(table)
        else:
            _write_parts(written(), staging, kind, compression)
            write_text(join(staging, SUCCESS), "")
    return done


def _write_parts(tables: Iterator[pa.Table], folder: str, kind: str, compression: str | None) -> None:
    table = next(tables, None)
    number = 0
    while table is not None:
        size = 0
        with open_writer(join(folder, part_name(number, kind)), kind, compression) as writer:
            while table is not None and size < PART:
                writer.write(table)
                size += table.nbytes
                table = next(tables, None)
        number += 1


def _alike(table: pa.Table, kinds: dict[str, pa.DataType], src: str) -> pa.Table:
    """The table with each column of the whole data set, in the type that it has there."""
    columns = {name: table.column(name) for name in table.column_names}
    for name, kind in kinds.items():
        columns[name] = (
            as_kind(columns[name], kind, f"{src}: column {name!r}") if name in columns else pa.nulls(len(table), kind)
        )
    return pa.table({**{name: columns[name] for name in kinds}, **columns})


def fitted(table: pa.Table, kind: str, label: str | None, dst: str) -> pa.Table:
    """The table as the format holds it; DataError if it can't."""
    if kind == "csv":
        lists = [field.name for field in table.schema if pa.types.is_nested(field.type)]
        if lists:
            raise DataError(f"{dst}: CSV can't hold the lists of column {lists[0]!r}; write Parquet, Arrow or libsvm")
    if kind == "libsvm" and "indices" not in table.column_names:
        words = [field.name for field in table.schema if not is_number(field.type)]
        if words:
            raise DataError(
                f"{dst}: libsvm holds numbers alone, and column {words[0]!r} is {table.schema.field(words[0]).type}"
            )
        if label is not None:
            table = table.rename_columns(["label" if name == label else name for name in table.column_names])
    return table
