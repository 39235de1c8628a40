"""Reading and writing data sets of many formats on any store, exactly once over any number of workers."""

from hdfs_io.blocks import Stretch, block_hosts
from hdfs_io.convert import convert
from hdfs_io.csr import CSR
from hdfs_io.dataset import Dataset, Piece
from hdfs_io.decode import decode_image, decode_wav
from hdfs_io.describe import describe
from hdfs_io.errand import Surveyor, nobody
from hdfs_io.errors import DataError
from hdfs_io.keys import Keys
from hdfs_io.listing import DataFile, list_files
from hdfs_io.load import count, load, read_arrow
from hdfs_io.locate import locate
from hdfs_io.look import copy, head
from hdfs_io.options import Column, ReadOptions, Roles
from hdfs_io.rows import Rows, joined
from hdfs_io.sample import Sample, span
from hdfs_io.save import write
from hdfs_io.scan import LabelKind, scan
from hdfs_io.schema import Label, Schema
from hdfs_io.store import exists, join, open_fs, read_text, remove, write_text
from hdfs_io.stream import stream
from hdfs_io.whole import mend, whole
from hdfs_io.writer import Writer
from hdfs_io.writers import open_writer, part_name

__all__ = [
    "CSR",
    "Column",
    "DataError",
    "DataFile",
    "Dataset",
    "Keys",
    "Label",
    "LabelKind",
    "Piece",
    "ReadOptions",
    "Roles",
    "Rows",
    "Sample",
    "Schema",
    "Stretch",
    "Surveyor",
    "Writer",
    "block_hosts",
    "convert",
    "copy",
    "count",
    "decode_image",
    "decode_wav",
    "describe",
    "exists",
    "head",
    "join",
    "joined",
    "list_files",
    "load",
    "locate",
    "mend",
    "nobody",
    "open_fs",
    "open_writer",
    "part_name",
    "read_arrow",
    "read_text",
    "remove",
    "scan",
    "span",
    "stream",
    "whole",
    "write",
    "write_text",
]
