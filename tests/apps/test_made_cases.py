"""What models come of the files of ../shared/cases/make_cases.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.apps.conftest import Start
from yarnml.errors import DataError, UsageError

pytestmark = pytest.mark.shared


def predictions(folder: Path) -> list[Any]:
    parts = sorted(folder.glob("part-*"))
    return [value for part in parts for value in pq.read_table(part).column("prediction").to_pylist()]


def test_scales_give_a_finite_model_and_a_note(start: Start, cases: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = start("mlr", data=str(cases / "scales.csv"))
    assert np.isfinite(run.model["W"]).all()
    assert run.result["train"]["accuracy"] > 0.95
    assert "column 'big' lies between" in capfd.readouterr().err
    assert run.model.schema.scales is not None


@pytest.mark.parametrize(("name", "values"), [("pm1", {-1, 1}), ("one_two", {1, 2}), ("words", {"no", "yes"})])
def test_predictions_are_in_the_original_labels(
    start: Start, cases: Path, tmp_path: Path, name: str, values: set[Any]
) -> None:
    data = str(cases / f"labels/{name}.csv")
    start("mlr", data=data, epochs=2, out=str(tmp_path / "model"))
    start("predict", model=str(tmp_path / "model"), data=data, out=str(tmp_path / "out"))
    found = predictions(tmp_path / "out")
    assert len(found) == 300
    assert set(found) <= values


def test_a_single_class_stops_before_the_start(start: Start, cases: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="class"):
        start("mlr", data=str(cases / "labels/single.csv"))
    assert not (tmp_path / "runs").exists()


def test_rows_wider_than_the_model_are_refused_or_dropped(start: Start, cases: Path, tmp_path: Path) -> None:
    folder, model = cases / "narrow_test", str(tmp_path / "model")
    start("mlr", data=str(folder / "train.libsvm"), epochs=2, out=model)
    start("predict", model=model, data=str(folder / "short.libsvm"), out=str(tmp_path / "short"))
    assert len(predictions(tmp_path / "short")) == 2
    wide = str(folder / "wide.libsvm")
    with pytest.raises(DataError, match=r"wide\.libsvm:2: index 12:1"):
        start("predict", model=model, data=wide, out=str(tmp_path / "wide"))
    start("predict", model=model, data=wide, out=str(tmp_path / "wide"), unknown="drop")
    assert len(predictions(tmp_path / "wide")) == 2


def test_few_points(start: Start, cases: Path) -> None:
    run = start("kmeans", data=str(cases / "few_points.csv"), k=3)
    assert sorted(run.model["C"].ravel().tolist()) == [0, 1]
    assert "only 2 different rows" in " ".join(run.result["notes"])
    with pytest.raises(UsageError, match="--k 5: there are only 4 rows"):
        start("kmeans", data=str(cases / "few_points.csv"), k=5)


def test_the_same_rows_give_the_same_bits(start: Start, cases: Path) -> None:
    models = [start("mlr", data=str(cases / f"same_rows/{parts}"), epochs=3).model["W"] for parts in (1, 3, 7)]
    assert models[0].tobytes() == models[1].tobytes() == models[2].tobytes()


@pytest.mark.parametrize("name", ["header_order", "vectors.parquet", "late_float.csv", "spark_dir"])
def test_learns_from(start: Start, cases: Path, name: str) -> None:
    run = start("mlr", data=str(cases / name), epochs=2)
    assert np.isfinite(run.model["W"]).all()
