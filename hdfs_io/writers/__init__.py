"""The formats that data sets are written in, one file each."""

from __future__ import annotations

from hdfs_io.errors import DataError
from hdfs_io.text import named_codec
from hdfs_io.writer import Writer
from hdfs_io.writers.arrow import ArrowWriter
from hdfs_io.writers.csv import CsvWriter
from hdfs_io.writers.libsvm import LibsvmWriter
from hdfs_io.writers.parquet import ParquetWriter

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
