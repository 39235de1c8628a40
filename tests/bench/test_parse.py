"""The bench of reading data sets says all it should."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hdfs_io import CSR, load, scan
from yarnml.bench import parse


def test_its_sparse_data_reads_as_scikit_learn_reads_it(tmp_path: Path) -> None:
    from sklearn.datasets import load_svmlight_file

    url = str(tmp_path / "s.libsvm")
    parse.write_sparse(url, 500)
    X, y = load_svmlight_file(url)
    dataset = scan(url, label="class")
    rows = load(dataset, 0, 500)
    assert isinstance(rows.X, CSR)
    assert np.array_equal(rows.X.indices, X.indices)
    assert np.array_equal(rows.X.values, X.data.astype(np.float32))
    assert rows.y is not None
    assert np.array_equal(rows.y, y)


def test_medians_say_what_is_missing() -> None:
    found = parse.medians({"a": lambda: None, "b": None}, 3)
    assert found["a"] is not None
    assert found["b"] is None
    row = parse._faster("x", 20.0, None, 10)
    assert (row.peer, row.ratio, row.holds) == (None, None, None)
    assert parse._faster("x", 20.0, 4.0, 10).holds is False
