"""predict: every row's prediction in the rows' order, whatever the number of workers, with the columns asked for."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import yarnml
from hdfs_io import ReadOptions, scan
from tests.apps.conftest import Start
from yarnml.app import load_app
from yarnml.errors import DataError, UsageError


@pytest.fixture
def model(start: Start, blobs: Path, tmp_path: Path) -> str:
    start("mlr", data=str(blobs), label="kind", out=str(tmp_path / "model"))
    return str(tmp_path / "model")


def read(folder: Path) -> dict[str, list[Any]]:
    """The columns of a data set of Parquet parts."""
    assert (folder / "_SUCCESS").exists()
    parts = [pq.read_table(part) for part in sorted(folder.glob("part-*"))]
    return dict(pa.concat_tables(parts).to_pydict())


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_keep_their_order(start: Start, model: str, blobs: Path, tmp_path: Path, workers: int) -> None:
    run = start("predict", model=model, data=str(blobs), out=str(tmp_path / "out"), keep=("a", "kind"), workers=workers)
    found = read(tmp_path / "out")
    lines = [line.split(",") for line in blobs.read_text().splitlines()[1:]]
    assert list(found) == ["a", "kind", "prediction", "probability_left", "probability_right", "probability_top"]
    assert found["kind"] == [line[2] for line in lines]
    assert found["a"] == [float(line[0]) for line in lines]
    expected = yarnml.load(model).predict([[float(line[0]), float(line[1])] for line in lines])
    assert found["prediction"] == expected.tolist()
    right = sum(p == k for p, k in zip(found["prediction"], found["kind"], strict=True)) / 900
    assert run.result["test"]["accuracy"] == pytest.approx(right)
    assert run.result["model"] is None


@pytest.mark.parametrize("keep", [("a,kind",), ("0, -1",)])
def test_columns_to_keep_by_commas(start: Start, model: str, blobs: Path, tmp_path: Path, keep: tuple[str]) -> None:
    start("predict", model=model, data=str(blobs), out=str(tmp_path / "out"), keep=keep, top=1)
    assert list(read(tmp_path / "out")) == ["a", "kind", "prediction_1", "probability_1"]


def test_probabilities_sum_to_1_as_written(start: Start, model: str, blobs: Path, tmp_path: Path) -> None:
    start("predict", model=model, data=str(blobs), out=str(tmp_path / "out"))
    found = read(tmp_path / "out")
    P = np.array([found[f"probability_{name}"] for name in ("left", "right", "top")])
    assert abs(P.sum(axis=0) - 1).max() <= 4e-16


def test_what_the_data_cannot_give_is_refused_before_the_start(model: str, blobs: Path) -> None:
    app = load_app("predict")

    def refuse(data: str, options: ReadOptions, **config: Any) -> None:
        cfg = app.config({"model": model, **config})
        assert app.schema is not None
        app.refuse(cfg, scan(data, options, label="any", schema=app.schema(cfg)), 900)

    refuse(str(blobs), ReadOptions(), keep=["kind"])
    with pytest.raises(UsageError, match=r"--keep nothing: .* no such column; it has a, b, kind"):
        refuse(str(blobs), ReadOptions(), keep=["kind", "nothing"])
    with pytest.raises(UsageError, match="mlr cannot learn from nan"):
        refuse(str(blobs), ReadOptions(missing="nan"))


def test_foreign_code_is_refused_before_anything_is_read(start: Start, blobs: Path, tmp_path: Path) -> None:
    home = Path(import_module("yarnml_apps").__path__[0]) / "mlr"
    shutil.copytree(home, tmp_path / "mine", ignore=shutil.ignore_patterns("__pycache__"))
    options = {"data": str(blobs), "label": "kind"}
    start(str(tmp_path / "mine"), **options, out=str(tmp_path / "model"), epochs=1)
    start("predict", model=str(tmp_path / "model"), data=str(blobs), out=str(tmp_path / "own"))  # the user's own code
    shutil.rmtree(tmp_path / "mine")
    with pytest.raises(UsageError, match="--trust"):
        start("predict", model=str(tmp_path / "model"), data=str(blobs), out=str(tmp_path / "out"))
    start("predict", model=str(tmp_path / "model"), data=str(blobs), out=str(tmp_path / "out"), trust=True)
    assert read(tmp_path / "out") == read(tmp_path / "own")


def test_the_likeliest_classes(start: Start, model: str, blobs: Path, tmp_path: Path) -> None:
    start("predict", model=model, data=str(blobs), out=str(tmp_path / "out"), top=2)
    found = read(tmp_path / "out")
    assert list(found) == ["prediction_1", "probability_1", "prediction_2", "probability_2"]
    assert all(a >= b for a, b in zip(found["probability_1"], found["probability_2"], strict=True))


def test_data_without_labels_and_columns_in_another_order(
    start: Start, model: str, blobs: Path, tmp_path: Path
) -> None:
    lines = [line.split(",") for line in blobs.read_text().splitlines()[1:]]
    (tmp_path / "bare.csv").write_text("b,name,a\n" + "".join(f"{b},n{i},{a}\n" for i, (a, b, _) in enumerate(lines)))
    run = start("predict", model=model, data=str(tmp_path / "bare.csv"), out=str(tmp_path / "bare"), id="name")
    start("predict", model=model, data=str(blobs), out=str(tmp_path / "full"))
    found = read(tmp_path / "bare")
    assert found.pop("name") == [f"n{i}" for i in range(900)]
    assert found["prediction"] == read(tmp_path / "full")["prediction"]
    assert run.result["test"] == {}


def test_a_file_by_its_suffix(start: Start, model: str, blobs: Path, tmp_path: Path) -> None:
    start("predict", model=model, data=str(blobs), out=str(tmp_path / "out.csv"), top=1)
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 901
    with pytest.raises(UsageError, match="name a directory"):
        start("predict", model=model, data=str(blobs), out=str(tmp_path / "two.csv"), workers=2)
    assert not (tmp_path / "two.csv").exists()


def test_more_workers_than_rows(start: Start, model: str, tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("a,b\n0,0\n4,0\n")
    start("predict", model=model, data=str(tmp_path / "two.csv"), out=str(tmp_path / "out"), workers=3, keep=("a",))
    assert read(tmp_path / "out")["prediction"] == ["left", "right"]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"keep": ("nothing",)}, UsageError, "no such column"),
        ({"model": "/no/such/model"}, DataError, "no model here"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_written(
    start: Start, model: str, blobs: Path, tmp_path: Path, options: dict[str, Any], error: type, said: str
) -> None:
    with pytest.raises(error, match=said):
        start("predict", **{"model": model, "data": str(blobs), "out": str(tmp_path / "out"), **options})
    assert not (tmp_path / "out").exists()


def test_a_missing_feature_is_named(start: Start, model: str, tmp_path: Path) -> None:
    (tmp_path / "short.csv").write_text("a\n0\n")
    with pytest.raises((DataError, UsageError), match="b"):
        start("predict", model=model, data=str(tmp_path / "short.csv"), out=str(tmp_path / "out"))
