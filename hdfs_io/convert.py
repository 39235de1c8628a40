"""Convert: a data set in another format, row by row in the same order, in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa

from hdfs_io.assign import left_in
from hdfs_io.codes import lost
from hdfs_io.dataset import Dataset
from hdfs_io.fit import Fit
from hdfs_io.form import Form
from hdfs_io.found import Found
from hdfs_io.frames import left_out
from hdfs_io.load import read_arrow
from hdfs_io.options import ReadOptions
from hdfs_io.plan import Progress
from hdfs_io.save import SUCCESS
from hdfs_io.scan import silent, survey
from hdfs_io.settle import as_it_is
from hdfs_io.store import join, write_text
from hdfs_io.whole import whole
from hdfs_io.writers import open_writer, part_name

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
    `format`: else what the name says, else Parquet. `progress` is told the rows written and all of them, `say` what
    was guessed and what is left out. Raises DataError for what the format can't hold: lists in CSV, words in libsvm.
    """
    form = Form.of(dst, format, compression)
    found = replace(survey(src, options, "any" if form.format == "libsvm" else None, threads=threads), refused=[])
    dataset = as_it_is(found).forget()
    fit = Fit.of(found, dataset, form.format, dst)
    for remark in dict.fromkeys((*_remarks(found, dataset), *fit.remarks())):
        say(remark)
    done = 0

    def written() -> Iterator[pa.Table]:
        nonlocal done
        for table in read_arrow(dataset, 0, dataset.rows):
            yield fit.fitted(table, src)
            done += len(table)
            progress(done, dataset.rows)

    with whole(dst, overwrite) as staging:
        if form.single:
            with open_writer(staging, form.format, form.compression, name=dst) as writer:
                for table in written():
                    writer.write(table)
        else:
            _write_parts(written(), staging, form)
            write_text(join(staging, SUCCESS), "")
    return done


def _remarks(found: Found, dataset: Dataset) -> Iterator[str]:
    """How the data set is read, and what of it isn't written as it stands there."""
    advice = set(map(left_in, found.whole.types))  # to who learns from it
    yield f"{found.url}: read as {dataset.how}"
    yield from (note for note in dataset.notes if note not in advice)
    for name in dataset.options.index:
        yield left_out(name)
    for name in dataset.written:
        what = " and ".join(lost(found.whole.codes[name], found.whole.types[name]))
        yield f"column {name!r} holds numbers with {what}: written as text"


def _write_parts(tables: Iterator[pa.Table], folder: str, form: Form) -> None:
    table = next(tables, None)
    number = 0
    while table is not None:
        size = 0
        name = part_name(number, form.format, form.compression)
        with open_writer(join(folder, name), form.format, form.compression, name=name) as writer:
            while table is not None and size < PART:
                writer.write(table)
                size += table.nbytes
                table = next(tables, None)
        number += 1
