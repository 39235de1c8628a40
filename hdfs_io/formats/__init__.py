"""The formats that data sets are read in, one file each."""

from __future__ import annotations

from hdfs_io.errors import DataError
from hdfs_io.formats.arrow import Arrow
from hdfs_io.formats.csv import Csv
from hdfs_io.formats.libsvm import Libsvm
from hdfs_io.formats.parquet import Parquet
from hdfs_io.options import ReadOptions
from hdfs_io.reader import PIECE, Reader

FORMATS: dict[str, type[Reader]] = {"libsvm": Libsvm, "csv": Csv, "parquet": Parquet, "arrow": Arrow}


def reader_for(options: ReadOptions, piece: int = PIECE) -> Reader:
    """The reader of the format that the (resolved) options name."""
    if options.format not in FORMATS:
        raise DataError(f"format {options.format!r} is not known; there are: {', '.join(FORMATS)}")
    return FORMATS[options.format](options, piece)
