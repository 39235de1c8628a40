"""What is written can be read again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hdfs_io import CSR, DataError, ReadOptions, Roles, describe, head, load, open_writer, read_text, scan, write
from hdfs_io.store import exists, join, open_fs

Put = Callable[[str, str | bytes], str]
COLUMNS: dict[str, Any] = {
    "word": ["a,b", 'say "x"', "two\nlines"],
    "x": np.array([0.5, 1.25, -3.0]),
    "n": np.array([1, 2, 3]),
}


@pytest.mark.parametrize("name", ["out", "out.parquet", "out.csv"])
def test_a_written_table_is_read_again(place: str, name: str) -> None:
    url = join(place, name)
    write(url, COLUMNS)
    assert head(url).to_pydict() == {key: list(values) for key, values in COLUMNS.items()}
    fs, path = open_fs(url)
    assert fs.isdir(path) == (name == "out")
    assert exists(join(url, "_SUCCESS")) == (name == "out")
    with pytest.raises(DataError, match="exists already"):
        write(url, COLUMNS)
    write(url, {"x": np.arange(5)}, overwrite=True)
    assert head(url).to_pydict() == {"x": [0, 1, 2, 3, 4]}


def test_a_directory_in_the_format_that_is_said(place: str) -> None:
    write(join(place, "out"), {"x": np.arange(2)}, format="csv")
    assert read_text(join(place, "out/part-00000.csv")) == "x\n0\n1\n"
    with pytest.raises(DataError, match="can't write format 'xls'; there are: parquet, csv, libsvm"):
        write(join(place, "other"), COLUMNS, format="xls")
    assert not exists(join(place, "other"))


@pytest.mark.parametrize("kind", ["parquet", "csv", "libsvm"])
def test_batches_follow_each_other(place: str, kind: str) -> None:
    url = join(place, f"p.{kind}")
    with open_writer(url, kind) as writer:
        for k in range(3):
            writer.write({"label": np.arange(2) + k, "x": np.array([0.5, 1.5])})
    rows = load(scan(url, ReadOptions(roles=Roles(label="label")), label="number"), 0, 6)
    X = rows.X.to_scipy().toarray() if isinstance(rows.X, CSR) else rows.X
    assert X.ravel().tolist() == [0.5, 1.5] * 3
    assert rows.y is not None
    assert rows.y.tolist() == [0, 1, 1, 2, 2, 3]


def test_libsvm_from_columns_and_from_lists(place: str) -> None:
    url = join(place, "a.libsvm")
    write(url, {"label": ["1", "-1"], "a": np.array([0.0, 0.1], np.float32), "b": np.array([2.0, 0.0], np.float32)})
    assert read_text(url) == "1 2:2\n-1 1:0.1\n"
    rows = pa.table({"indices": [[3, 9], []], "values": [[1.5, 2.0], []]})
    write(join(place, "b.libsvm"), rows)
    assert read_text(join(place, "b.libsvm")) == "3:1.5 9:2\n1:0\n"  # a blank line would be no row


def test_head_reads_little_and_all_files(place: str, put: Put) -> None:
    put("d/0.csv", "a,t\n1,x\n")
    put("d/1.csv", "t,a\ny,1.5\nz,2\n")
    assert head(f"{place}/d", n=2).to_pydict() == {"a": [1.0, 1.5], "t": ["x", "y"]}
    assert head(put("e.csv", "")).num_rows == 0
    assert head(put("s.libsvm", "1 1:2\n0 3:4\n"), n=1).to_pydict() == {
        "label": [1.0],
        "indices": [[1]],
        "values": [[2.0]],
    }


def test_describe_tells_size_form_label_and_columns(put: Put) -> None:
    told = describe(put("t.csv", "a,town,y\n1,x,no\n2,z,yes\n"))
    for line in ("2 rows x 1 dense feature in 1 file", "csv, separator ',', with header", "'y': 2 classes (no, yes)"):
        assert line in told
    assert "column 'town': string" in told
    assert "label 'label': a number" in describe(put("r.libsvm", "0.5 1:1\n1.5 1:1\n"))
