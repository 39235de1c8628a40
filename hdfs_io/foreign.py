"""Foreign: files of formats that aren't read, known by how they begin, and how to make of them what is."""

from __future__ import annotations

import json
import re

from hdfs_io.errors import DataError

SPARK = "write it as Parquet, as by Spark: spark.read.format({!r}).load(...).write.parquet(...)"
SHEET = "save its sheet as CSV, or in Python: pandas.read_excel(...).to_csv(..., index=False)"
UNPACK = "unpack it first: {} {}"
ICONV = "make it UTF-8: iconv -f {} -t utf-8 {} > ..."

KINDS: tuple[tuple[bytes, str, str], ...] = (  # pattern of the first bytes, what that is, what to do; the first counts
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32 text", ICONV.format("utf-32", "{name}")),
    (rb"\xff\xfe|\xfe\xff", "UTF-16 text", ICONV.format("utf-16", "{name}")),
    (rb"(?:[^\0]\0){8}", "UTF-16 text", ICONV.format("utf-16le", "{name}")),
    (rb"(?:\0[^\0]){8}", "UTF-16 text", ICONV.format("utf-16be", "{name}")),
    (rb"PK\x03\x04.*(?:\[Content_Types\]\.xml|xl/)|\xd0\xcf\x11\xe0", "an Excel workbook", SHEET),
    (rb"PK\x03\x04.*\.npy", "numpy's npz", "write its rows as CSV: numpy.savetxt(..., delimiter=',')"),
    (rb"PK\x03\x04", "a zip archive", UNPACK.format("unzip", "{name}")),
    (rb"\xfd7zXZ\0", "compressed by xz", UNPACK.format("xz -d", "{name}")),
    (rb"7z\xbc\xaf", "a 7z archive", UNPACK.format("7z x", "{name}")),
    (rb"\x1f[\x9d\xa0]", "compressed by compress", UNPACK.format("uncompress", "{name}")),
    (rb"\x80[\x02-\x05][^\r\n]", "a Python pickle", "whoever made it can write Parquet; to open one may run any code"),
    (rb"\x93NUMPY", "a numpy array", "write it as CSV: numpy.savetxt(..., numpy.load({name!r}), delimiter=',')"),
    (rb"\x89HDF\r\n", "HDF5", "write its table as Parquet: pandas.read_hdf(...).to_parquet(...)"),
    (rb"Obj\x01", "Avro", SPARK.format("avro")),
    (rb"ORC.*[\0-\x08]", "ORC", SPARK.format("orc")),
    (rb"SEQ[\x04-\x06]", "a Hadoop SequenceFile", "write its rows as Parquet, as by Spark or Hive"),
    (rb"PAR1.*\0", "Parquet", "say so: --format parquet"),
    (rb"ARROW1\0\0", "Arrow IPC", "say so: --format arrow"),
)
ARFF = re.compile(rb"(?:\s|%[^\n]*\n)*@relation[ \t]+\S", re.IGNORECASE)
MARKUP = re.compile(rb"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)


def refuse_binary_kind(begin: bytes, url: str) -> None:
    """Raise DataError if a file that begins so is of a format that no reader of text can read."""
    for pattern, kind, advice in KINDS:
        if re.match(pattern, begin, re.DOTALL):
            raise _error(url, kind, advice)


def refuse_text_kind(begin: bytes, url: str) -> None:
    """Raise DataError if a text that begins so isn't rows of columns, whatever would separate them."""
    if ARFF.match(begin):
        rows = "make it CSV: grep -v '^[@%]' {name} > ... leaves its rows, without their columns' names"
        raise _error(url, "ARFF", rows)
    if MARKUP.match(begin):
        raise _error(url, "HTML or XML", "is it a web page saved in place of the data? Get the data itself")
    line = begin.partition(b"\n")[0].strip()
    if line in (b"{", b"[", b"[{") or _is_object(line.removeprefix(b"[").removesuffix(b"]").removesuffix(b",")):
        lines = "..., lines=True" if line.startswith(b"{") and line.endswith(b"}") else "..."
        raise _error(url, "JSON", f"write it as Parquet, as in Python: pandas.read_json({lines}).to_parquet(...)")


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _error(url: str, kind: str, advice: str) -> DataError:
    return DataError(f"{url}: can't be read: it is {kind}; {advice.format(name=url.rpartition('/')[2])}")
