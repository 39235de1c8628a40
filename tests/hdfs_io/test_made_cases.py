"""The files of ../shared/cases/make_cases.py, as they are: what is read from each, or how it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdfs_io import CSR, DataError, Dataset, ReadOptions, Roles, load, read_arrow, scan, span

pytestmark = pytest.mark.shared


def rows_of(dataset: Dataset, lo: int = 0, hi: int = 1 << 40) -> list[list[float]]:
    X = load(dataset, lo, min(hi, dataset.rows)).X
    return (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()  # type: ignore[no-any-return]


def labels_of(dataset: Dataset) -> list[Any]:
    y, label = load(dataset, 0, dataset.rows).y, dataset.schema.label
    assert y is not None
    assert label is not None
    return y.tolist() if label.classes is None else [label.classes[code] for code in y]


def test_base_split(cases: Path) -> None:
    dataset = scan(str(cases / "base_split"), label="class")
    assert rows_of(dataset, 2) == [[0, 3, 0, 0, 1], [0, 0, 2, 1, 0]]
    assert (dataset.schema.base, dataset.schema.width) == (0, 5)


def test_narrow_test(cases: Path) -> None:
    folder = cases / "narrow_test"
    train = scan(str(folder / "train.libsvm"), label="class").schema
    assert train.width == 9
    assert rows_of(scan(str(folder / "short.libsvm"), label="class", schema=train))[0] == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    with pytest.raises(DataError, match=r"wide\.libsvm:2: index 12:1"):
        scan(str(folder / "wide.libsvm"), label="class", schema=train)
    dropped = scan(str(folder / "wide.libsvm"), ReadOptions(unknown="drop"), label="class", schema=train)
    assert load(dropped, 0, 2).dropped == 1


def test_spacing(cases: Path) -> None:
    dataset = scan(str(cases / "spacing.libsvm"), label="class")
    assert rows_of(dataset) == [[2, 0, 4], [0, 0.5, 1], [0, 0.5, 0], [1, 0, 0], [1, 2, 0]]


def test_bom(cases: Path) -> None:
    dataset = scan(str(cases / "bom"), label="class")
    assert (rows_of(dataset), labels_of(dataset)) == ([[1, 0], [0, 1], [0, 2], [3, 0]], [1, 0, 0, 1])


def test_nan_label_and_inf_value(cases: Path) -> None:
    with pytest.raises(DataError, match=r"nan_label\.libsvm:2: label: 1 label is missing, nan or inf"):
        scan(str(cases / "nan_label.libsvm"), label="class")
    with pytest.raises(DataError, match=r"inf_value\.libsvm:2: value 2:inf: 2 feature values"):
        scan(str(cases / "inf_value.libsvm"), label="class")
    nans = np.array(rows_of(scan(str(cases / "inf_value.libsvm"), ReadOptions(missing="nan"), label="class")))
    assert np.isnan(nans).tolist() == [[False, False], [False, True], [True, False]]


@pytest.mark.parametrize(
    ("name", "classes"), [("pm1", (-1, 1)), ("one_two", (1, 2)), ("words", ("no", "yes")), ("single", (1,))]
)
def test_labels(cases: Path, name: str, classes: tuple[Any, ...]) -> None:
    label = scan(str(cases / f"labels/{name}.csv"), label="class").schema.label
    assert label is not None
    assert (label.classes, label.counts) == (classes, (100, 200) if len(classes) == 2 else (50,))


@pytest.mark.parametrize("piece", [1 << 20, 999, 16])
def test_quoted_newline(cases: Path, piece: int) -> None:
    options = ReadOptions(roles=Roles(features=("a",)))
    dataset = scan(str(cases / "quoted_newline.csv"), options, label=None, piece=piece)
    shares = [rows_of(dataset, *span(dataset.rows, worker, 4)) for worker in range(4)]
    assert shares == [[[7.0]] * 750] * 4


@pytest.mark.parametrize("piece", [1 << 25, 10_000])
def test_late_float(cases: Path, piece: int) -> None:
    dataset = scan(str(cases / "late_float.csv"), label="class", piece=piece)
    assert dict(dataset.types)["a"] == "double"
    assert rows_of(dataset, 19_999) == [[19_999 % 90], [1.5]]


def test_header_order(cases: Path) -> None:
    dataset = scan(str(cases / "header_order"), label="class")
    assert dataset.schema.features == ("x", "y")
    assert (rows_of(dataset), labels_of(dataset)) == ([[1, 10], [2, 20]] * 100, [0, 1] * 100)


def test_spark_dir(cases: Path) -> None:
    dataset = scan(str(cases / "spark_dir"), label="class")
    assert dataset.rows == 300
    assert [note.rpartition("/")[2] for note in dataset.notes if "empty" in note] == ["part-9.parquet: empty, skipped"]


def test_null_part(cases: Path) -> None:
    dataset = scan(str(cases / "null_part"), ReadOptions(missing="nan"), label="class")
    assert np.isnan(np.array(rows_of(dataset))).ravel().tolist() == [True] * 50 + [False] * 100
    told = " ".join(dataset.notes)
    assert "column 'z' is not in every file" in told
    assert "column 'x' is null and double in different parts: read as double" in told


def test_vectors(cases: Path) -> None:
    dataset = scan(str(cases / "vectors.parquet"), label="class")
    assert (dataset.schema.sparse, dataset.schema.width) == (True, 5)
    assert rows_of(dataset) == [[0, 2, 0, 0, -1], [1, 0, 0, 3, 0.5]] * 20


def test_gz(cases: Path) -> None:
    dataset = scan(str(cases / "gz/two_members.libsvm.gz"), label="class")
    assert (rows_of(dataset), labels_of(dataset)) == ([[1, 0], [0, 1], [2, 0], [0, 3]], [1, 0, 1, 0])
    with pytest.raises(DataError, match=r"cut\.libsvm\.zst: cut short or not zstd"):
        scan(str(cases / "gz/cut.libsvm.zst"), label="class")


def test_few_points(cases: Path) -> None:
    assert rows_of(scan(str(cases / "few_points.csv"), label=None)) == [[0], [0], [1], [1]]


def test_scales(cases: Path) -> None:
    dataset = scan(str(cases / "scales.csv"), label="class")
    X = np.array(rows_of(dataset))
    lines = [line.split(",") for line in (cases / "scales.csv").read_text().splitlines()[1:]]
    unit = dataset.schema.columns[1].scale
    assert np.array_equal(X[:, 1], np.array([float(line[2]) * unit for line in lines], np.float32))
    assert 0.5 <= abs(X[:, 1]).max() <= 1
    assert any("column 'big' lies between" in note for note in dataset.notes)


def test_big_ids(cases: Path) -> None:
    """Its five repetitions repeat the header, too: that is named, and 20 ratings are left without such rows."""
    url, roles = str(cases / "big_ids.csv"), Roles(user="user", item="item", rating="rating")
    with pytest.raises(DataError, match=r"big_ids\.csv:6: column 'rating' holds 'rating'.*the header is there again"):
        scan(url, ReadOptions(roles=roles), label=None)
    dataset = scan(url, ReadOptions(roles=roles, bad_rows="skip"), label=None)
    assert dict(dataset.types) == {"user": "int64", "item": "int64", "rating": "int64"}
    ratings = [tuple(row.values()) for table in read_arrow(dataset, 0, 20) for row in table.to_pylist()]
    assert ratings == [(7, 1, 4), (9_000_000_000, 1, 0), (7, 5_000_000_000, 3), (9_000_000_000, 2, 5)] * 5


def test_same_rows(cases: Path) -> None:
    read = [scan(str(cases / f"same_rows/{parts}"), label="class") for parts in (1, 3, 7)]
    assert read[0].schema == read[1].schema == read[2].schema
    assert rows_of(read[0]) == rows_of(read[1]) == rows_of(read[2])
    assert labels_of(read[0]) == labels_of(read[1]) == labels_of(read[2])
