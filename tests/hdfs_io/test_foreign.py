"""Files of formats that aren't read are named, with what to do, and never read as rows of text."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import zipfile
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, ReadOptions, describe, head, scan
from hdfs_io.foreign import refuse_text_kind

Put = Callable[[str, str | bytes], str]
CSV = "a,b,y\n1.5,2.5,0\n2.5,3.5,1\n"
TABLE = pa.table({"a": np.arange(50) * 0.5, "b": [f"w{i % 3}" for i in range(50)]})


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            file.writestr(name, CSV * 5)
    return out.getvalue()


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


BINARY = [
    (CSV.encode("utf-16"), "UTF-16 text; make it UTF-8: iconv -f utf-16 -t utf-8 {} > ..."),
    (b"\xfe\xff" + CSV.encode("utf-16-be"), "UTF-16 text; make it UTF-8: iconv -f utf-16 -t utf-8 {} > ..."),
    (CSV.encode("utf-16-le"), "UTF-16 text; make it UTF-8: iconv -f utf-16le -t utf-8 {} > ..."),
    (CSV.encode("utf-16-be"), "UTF-16 text; make it UTF-8: iconv -f utf-16be -t utf-8 {} > ..."),
    (CSV.encode("utf-32"), "UTF-32 text; make it UTF-8: iconv -f utf-32 -t utf-8 {} > ..."),
    (zipped("train.csv"), "a zip archive; unpack it first: unzip {}"),
    (zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook; save its sheet as CSV"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "an Excel workbook"),
    (zipped("arr_0.npy"), "numpy's npz; write its rows as CSV"),
    (written(lambda out: np.save(out, np.ones((3, 3)))), "a numpy array; write it as CSV: numpy.savetxt"),
    (written(lambda out: orc.write_table(TABLE, out)), "ORC; write it as Parquet, as by Spark"),
    (b"Obj\x01\x04\x14avro.codec\x08null\x16avro.schema" + json.dumps({"type": "int"}).encode() * 9, "Avro; write it"),
    (pickle.dumps({"a": [1.5, 2.5]}), "a Python pickle; whoever made it can write Parquet"),
    (pickle.dumps([1.5], protocol=2), "a Python pickle"),
    (b"\x89HDF\r\n\x1a\n" + bytes(50), "HDF5"),
    (b"SEQ\x06\x19org.apache.hadoop.io.Text" * 3, "a Hadoop SequenceFile"),
    (b"\xfd7zXZ\0\0\x04" + bytes(50), "compressed by xz; unpack it first: xz -d {}"),
    (written(lambda out: pq.write_table(TABLE, out)), "Parquet; say so: --format parquet"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "what"), BINARY)
def test_a_binary_kind_is_named_whatever_the_file_is_called(put: Put, data: bytes, what: str) -> None:
    for name in ("t.csv", "t", "t.libsvm", "t.csv.gz"):
        url = put(name, gzip.compress(data) if name.endswith("gz") else data)
        if name == "t" and what.startswith("Parquet"):
            assert len(head(url)) == 10
            continue
        for look in (describe, head, lambda url: scan(url, label="class")):
            with pytest.raises(DataError) as why:
                look(url)
            assert f"{name}: can't be read: it is {what.format(name)}" in str(why.value)


@pytest.mark.parametrize("form", ["text", "files"])
def test_no_text_is_made_of_one(put: Put, form: str) -> None:
    for k, (data, what) in enumerate(BINARY):
        with pytest.raises(DataError, match="can't be read: it is ") as why:
            scan(put(f"t{k}", data), ReadOptions(format=form), label=None)
        assert what.partition(";")[0] in str(why.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("% Iris\n\n@RELATION iris\n@ATTRIBUTE a REAL\n@DATA\n1.5,x\n", "ARFF; make it CSV: grep -v '^[@%]' t.arff"),
        ("@relation iris\n@attribute a real\n@data\n1.5\n", "ARFF"),
        ('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', "JSON; write it as Parquet, as in Python: pandas.read_json(..., lin"),
        ('[{"a": 1, "b": 2},\n{"a": 3, "b": 4}]\n', "JSON; write it as Parquet, as in Python: pandas.read_json(...)."),
        ('[\n  {\n    "a": 1\n  }\n]\n', "JSON"),
        ("<!DOCTYPE html>\n<html><body>Not found</body></html>\n", "HTML or XML"),
        ('<?xml version="1.0"?>\n<rows/>\n', "HTML or XML"),
    ],
)  # fmt: skip
def test_text_that_is_no_rows_is_named(put: Put, text: str, what: str) -> None:
    for name in ("t.arff", "t.csv", "t"):
        for look in (describe, head, lambda url: scan(url, label="class")):
            with pytest.raises(DataError) as why:
                look(put(name, text))
            assert f"can't be read: it is {what}".replace("t.arff", name) in str(why.value)


@pytest.mark.parametrize(
    "text",
    [CSV, "PK,b\n1,2\n", "ORCL,1.5\nIBM,2.5\n", "Obj,b\n1,2\n", '{"a":1}\t3\n', "@relation\n1\n", "[" * 10**5],
)  # fmt: skip
def test_rows_that_begin_a_little_like_one_are_rows(put: Put, text: str) -> None:
    refuse_text_kind(text.encode(), "t")
    assert len(head(put("t.csv", text), n=1)) == (text[0] != "[")
