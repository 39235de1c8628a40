"""Writer: one file of a data set, batch after batch; and a whole data set at once."""

from __future__ import annotations

import csv as sheets
import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from hdfs_io.errors import DataError
from hdfs_io.guess import named_format
from hdfs_io.store import join, open_fs, write_text
from hdfs_io.text import named_codec
from hdfs_io.udt import noted
from hdfs_io.whole import whole

SUCCESS = "_SUCCESS"  # the empty file that says a directory of parts is complete


class Writer(ABC):
    """Appends batches of columns to one file. All batches have the same columns. Closes itself as a context manager."""

    def __init__(self, url: str, compression: str | None = None) -> None:
        """`compression`: of the whole file, or, as the format has it, inside; None: what is usual."""
        fs, path = open_fs(url)
        fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.raw = fs.open(path, "wb")
        self.compression = compression
        self.file = self.opened()

    @final
    def write(self, columns: Mapping[str, Any] | pa.Table) -> None:
        """Append rows: a table, or name -> array, all of one length (numpy or Arrow)."""
        self.append(columns if isinstance(columns, pa.Table) else pa.table(dict(columns)))

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
        else:
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
    """Writes CSV with a header, commas, and quotes where a value needs them."""

    inner: pacsv.CSVWriter | None = None

    def opened(self) -> Any:
        return squeezed(self.raw, self.compression)

    def append(self, table: pa.Table) -> None:
        if self.inner is None:
            self.file.write(header_of(table.column_names))
            options = pacsv.WriteOptions(include_header=False, quoting_style="needed")
            self.inner = pacsv.CSVWriter(self.file, table.schema, write_options=options)
        self.inner.write_table(table)

    def finish(self) -> None:
        if self.inner is not None:
            self.inner.close()


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
    """Writes libsvm from the columns `label`, `indices` and `values` (lists), as `read_arrow` gives them.

    In place of the two lists, number columns are written as features 1, 2, ..., zeros left out.
    """

    def opened(self) -> Any:
        return squeezed(self.raw, self.compression)

    def append(self, table: pa.Table) -> None:
        pairs = pairs_of(table)
        label = table.column("label").combine_chunks() if "label" in table.column_names else pa.nulls(len(table))
        lines = pc.binary_join_element_wise(label.cast(pa.string()), pairs, " ", null_handling="skip")
        self.file.write("".join(f"{line or EMPTY}\n" for line in lines.to_pylist()).encode())

    def finish(self) -> None:
        self.file.flush()


def header_of(names: Sequence[str]) -> bytes:
    """A CSV header with quotes only where a name needs them; Arrow would put all names in quotes."""
    line = io.StringIO(newline="")
    sheets.writer(line, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


def pairs_of(table: pa.Table) -> pa.StringArray:
    """Each row's features as `index:value index:value ...`."""
    if "indices" in table.column_names:
        indices, values = (table.column(name).combine_chunks() for name in ("indices", "values"))
        offsets, indices, values = indices.offsets, indices.flatten(), values.flatten()
    else:
        X = np.column_stack([table.column(name).to_numpy() for name in table.column_names if name != "label"])
        row, column = np.nonzero(X)
        offsets = pa.array(np.searchsorted(row, np.arange(len(X) + 1)).astype(np.int32))
        indices, values = pa.array(column + 1), pa.array(X[row, column])
    tokens = pc.binary_join_element_wise(indices.cast(pa.string()), values.cast(pa.string()), ":")
    return pc.binary_join(pa.ListArray.from_arrays(offsets, tokens), " ")


WRITERS: dict[str, type[Writer]] = {
    "parquet": ParquetWriter,
    "csv": CsvWriter,
    "libsvm": LibsvmWriter,
    "arrow": ArrowWriter,
}
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
    return WRITERS[format](url, compression)


def part_name(index: int, format: str = "parquet") -> str:  # noqa: A002
    """The name of the part that worker `index` writes; parts sort in the order of their rows."""
    return f"part-{index:05d}.{format}"


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
        with open_writer(staging if suffix else join(staging, part_name(0, kind)), kind) as writer:
            writer.write(columns)
        if not suffix:
            write_text(join(staging, SUCCESS), "")
