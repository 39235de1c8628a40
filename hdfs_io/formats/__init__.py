"""The formats that data sets are read in, one file each."""

from __future__ import annotations

from hdfs_io.errors import DataError
from hdfs_io.formats.arrow import Arrow
from hdfs_io.formats.blobs import Images, Wav
from hdfs_io.formats.csv import Csv
from hdfs_io.formats.docword import Docword
from hdfs_io.formats.idx import Idx
from hdfs_io.formats.ldac import Ldac
from hdfs_io.formats.libsvm import Libsvm
from hdfs_io.formats.mm import MatrixMarket
from hdfs_io.formats.parquet import Parquet
from hdfs_io.formats.text import Files, Text
from hdfs_io.options import ReadOptions
from hdfs_io.reader import PIECE, Reader

FORMATS: dict[str, type[Reader]] = {
    "libsvm": Libsvm,
    "csv": Csv,
    "parquet": Parquet,
    "arrow": Arrow,
    "text": Text,
    "files": Files,
    "ldac": Ldac,
    "docword": Docword,
    "mm": MatrixMarket,
    "idx": Idx,
    "images": Images,
    "wav": Wav,
}


def reader_for(options: ReadOptions, piece: int = PIECE) -> Reader:
    """The reader of the format that the (resolved) options name."""
    if options.format not in FORMATS:
        raise DataError(f"format {options.format!r} is not known; there are: {', '.join(FORMATS)}")
    return FORMATS[options.format](options, piece)
