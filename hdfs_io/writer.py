"""Writer: one file of a data set, batch after batch; and a whole data set at once."""

from __future__ import annotations

import csv as sheets
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from hdfs_io.bags import bagged, one_chunk
from hdfs_io.errors import DataError
from hdfs_io.formats.tally import LABEL, QID
from hdfs_io.guess import named_format
from hdfs_io.store import join, open_fs, write_text
from hdfs_io.text import named_codec
from hdfs_io.udt import noted
from hdfs_io.whole import whole

SUCCESS = "_SUCCESS"  # the empty file that says a directory of parts is complete


class Writer(ABC):
    """Appends batches of columns to one file. All batches have the same columns. Closes itself as a context manager."""

    def __init__(self, url: str, compression: str | None = None, name: str | None = None) -> None:
        """`compression`: of the whole file, or, as the format has it, inside; None: what is usual.

        `name`: the file's, if it will be another than the URL's.
        """
        self.name = name or url
        fs, path = open_fs(url)
        fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.raw = fs.open(path, "wb")
        self.compression = compression
        self.file = self.opened()

    @final
    def write(self, columns: Mapping[str, Any] | pa.Table) -> None:
        """Append rows: a table, or name -> array, all of one length (numpy or Arrow). DataError for what isn't so."""
        try:
            self.append(columns if isinstance(columns, pa.Table) else pa.table(dict(columns)))
        except pa.ArrowException as error:
            raise DataError(f"{self.name}: can't be written: {error}") from error

    @final
    def close(self) -> None:
        """Finish the file."""
        self.finish()
        if self.file is not self.raw:
            self.file.close()
        self.raw.close()

    @abstractmethod
    def opened(self) -> Any:
        """The file to write to: `raw`, or what compresses into it."""

    @abstractmethod
    def append(self, table: pa.Table) -> None:
        """Append a table's rows."""

    @abstractmethod
    def finish(self) -> None:
        """Write what ends a file of this format."""

    @final
    def __enter__(self) -> Self:
        return self

    @final
    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
            return
        with suppress(Exception):  # what was begun is given up: what fails now is no news
            self.close()
        with suppress(Exception):
            self.raw.close()


def squeezed(raw: Any, compression: str | None) -> Any:
    """A file that compresses what is written into `raw`."""
    return raw if compression is None else pa.CompressedOutputStream(raw, compression)


@final
class ParquetWriter(Writer):
    """Writes Parquet, a row group a batch."""

    inner: pq.ParquetWriter | None = None

    def opened(self) -> Any:
        return self.raw

    def append(self, table: pa.Table) -> None:
        if self.inner is None:
            fine = any("timestamp[ns" in str(field.type) for field in table.schema)
            self.inner = pq.ParquetWriter(
                self.file,
                noted(table.schema),
                compression=self.compression or "snappy",
                use_deprecated_int96_timestamps=fine,  # Spark and Hive know no other times of nanoseconds
            )
        self.inner.write_table(table.cast(self.inner.schema))

    def finish(self) -> None:
        if self.inner is not None:
            self.inner.close()


@final
class CsvWriter(Writer):
    """Writes CSV with a header, commas (tabs where the name ends with .tsv), and quotes where a value needs them."""

    begun = False

    def opened(self) -> Any:
        return squeezed(self.raw, self.compression)

    def append(self, table: pa.Table) -> None:
        sep = "\t" if is_tsv(self.name) else ","
        if not self.begun:
            self.file.write(header_of(table.column_names, sep))
            self.begun = True
        options = pacsv.WriteOptions(include_header=False, quoting_style="needed", delimiter=sep)
        with pacsv.CSVWriter(self.file, (lines := without_blanks(table)).schema, write_options=options) as writer:
            writer.write_table(lines)

    def finish(self) -> None:
        self.file.flush()


@final
class ArrowWriter(Writer):
    """Writes an Arrow IPC file, a record batch a batch; compressed it is by lz4 or zstd."""

    inner: ipc.RecordBatchFileWriter | None = None
    schema: pa.Schema | None = None

    def opened(self) -> Any:
        return self.raw

    def append(self, table: pa.Table) -> None:
        if self.inner is None:
            self.schema = table.schema
            options = ipc.IpcWriteOptions(compression=self.compression)
            self.inner = ipc.new_file(self.file, self.schema, options=options)
        self.inner.write_table(table.cast(self.schema))

    def finish(self) -> None:
        if self.inner is not None:
            self.inner.close()


EMPTY = "1:0"  # a row of no label and no values in libsvm: a blank line would be none


@final
class LibsvmWriter(Writer):
    """Writes libsvm from the columns `label`, `qid` (or neither), `indices` and `values`, as `read_arrow` gives them.

    In place of the two lists, columns of numbers and vectors are written as features 1, 2, ..., zeros left out. A row
    without label and values gets a zero: a blank line is no row.
    """

    def opened(self) -> Any:
        return squeezed(self.raw, self.compression)

    def append(self, table: pa.Table) -> None:
        if "indices" not in table.column_names:
            table = bagged(table, [name for name in table.column_names if name not in (LABEL, QID)])
        heads = [table.column(name).cast(pa.string()) for name in (LABEL, QID) if name in table.column_names]
        if QID in table.column_names:
            heads[-1] = pc.binary_join_element_wise("qid:", heads[-1], "")
        pairs = pa.chunked_array([pairs_of(table)])
        lines = pc.binary_join_element_wise(*heads, pairs, " ", null_handling="skip")
        lines = pc.if_else(pc.equal(lines, ""), "1:0", lines)
        self.file.write("".join(f"{line or EMPTY}\n" for line in lines.to_pylist()).encode())

    def finish(self) -> None:
        self.file.flush()


def is_tsv(name: str) -> bool:
    """Whether a file's name says that tabs separate columns."""
    return re.search(r"\.tsv(\.\w+)?$", name, re.IGNORECASE) is not None


def header_of(names: Sequence[str], sep: str) -> bytes:
    """A CSV header with quotes only where a name needs them; Arrow would put all names in quotes."""
    line = io.StringIO(newline="")
    sheets.writer(line, lineterminator="\n", delimiter=sep).writerow(names)
    return line.getvalue().encode()


def without_blanks(table: pa.Table) -> pa.Table:
    """The table; of one column, what is missing is an empty text, written in quotes: a blank line is no row."""
    if table.num_columns != 1 or not table.column(0).null_count:
        return table
    return pa.table([table.column(0).cast(pa.string()).fill_null("")], names=table.column_names)


def pairs_of(table: pa.Table) -> pa.StringArray:
    """Each row's features as `index:value index:value ...`."""
    indices, values = (one_chunk(table.column(name)) for name in ("indices", "values"))
    starts = pa.array(np.asarray(indices.offsets) - indices.offsets[0].as_py(), pa.int32())
    numbers = (each.flatten().cast(pa.string()) for each in (indices, values))
    return pc.binary_join(pa.ListArray.from_arrays(starts, pc.binary_join_element_wise(*numbers, ":")), " ")


WRITERS: dict[str, type[Writer]] = {
    "parquet": ParquetWriter,
    "csv": CsvWriter,
    "libsvm": LibsvmWriter,
    "arrow": ArrowWriter,
}
SUFFIX = {"gzip": "gz", "bz2": "bz2", "zstd": "zst", "lz4": "lz4"}  # how names of compressed files end
COMPRESSIONS = {
    "parquet": ("snappy", "gzip", "zstd", "lz4", "none"),
    "csv": ("gzip", "bz2", "zstd", "lz4"),
    "libsvm": ("gzip", "bz2", "zstd", "lz4"),
    "arrow": ("lz4", "zstd"),
}


def open_writer(
    url: str,
    format: str = "parquet",  # noqa: A002 (the word users know)
    compression: str | None = None,
    name: str | None = None,
) -> Writer:
    """A writer of the file `url`, in one of the formats of WRITERS.

    `compression`: one of the format's COMPRESSIONS; None: as the file's name tells, `name` if it will be another than
    the URL's.
    """
    if format not in WRITERS:
        raise DataError(f"{url}: can't write format {format!r}; there are: {', '.join(WRITERS)}")
    compression = compression or named_codec(name or url)
    if compression is not None and compression not in COMPRESSIONS[format]:
        raise DataError(f"{name or url}: {format} isn't compressed by {compression}: {', '.join(COMPRESSIONS[format])}")
    return WRITERS[format](url, compression, name)


def part_name(index: int, format: str = "parquet", compression: str | None = None) -> str:  # noqa: A002
    """The name of the part that worker `index` writes; parts sort in the order of their rows.

    It tells the `compression` of the whole file, as what reads it goes by that.
    """
    packed = f".{SUFFIX[compression]}" if compression in SUFFIX and format in ("csv", "libsvm") else ""
    return f"part-{index:05d}.{format}{packed}"


def write(
    url: str,
    columns: Mapping[str, Any] | pa.Table,
    *,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
) -> None:
    """Write a data set, whole or not at all: a file if the URL has a format's suffix, else a part and _SUCCESS.

    Raises DataError if `url` exists and `overwrite` isn't set.
    """
    suffix = named_format(url)
    kind = format or suffix or "parquet"
    with whole(url, overwrite) as staging:
        with open_writer(staging if suffix else join(staging, part_name(0, kind)), kind, name=url) as writer:
            writer.write(columns)
        if not suffix:
            write_text(join(staging, SUCCESS), "")
