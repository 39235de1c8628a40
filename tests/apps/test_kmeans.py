"""kmeans: its start is one, its groups are Lloyd's, and odd data gives fewer groups or a clear error."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

from tests.apps.conftest import Start
from yarnml.errors import UsageError

plusplus: Any = import_module("yarnml_apps.kmeans.plusplus")


@pytest.fixture
def points(blobs: Path) -> np.ndarray:
    X: np.ndarray = np.loadtxt(blobs, delimiter=",", skiprows=1, usecols=(0, 1))
    return X


def test_plusplus_finds_groups_that_lie_apart() -> None:
    rng = np.random.default_rng(0)
    P = np.repeat(np.eye(5) * 100, 20, axis=0) + rng.standard_normal((100, 5))
    C = plusplus.best_of(P, np.ones(100), 5, rng)
    assert sorted(abs(C - 100 * np.eye(5)[:, None]).sum(axis=2).argmin(axis=1).tolist()) == list(range(5))


def test_plusplus_stops_when_all_points_are_taken() -> None:
    P = np.array([[0.0], [0.0], [3.0]])
    assert sorted(plusplus.best_of(P, np.ones(3), 3, np.random.default_rng(0)).ravel()) == [0, 3]


def test_points_without_weight_count_for_nothing() -> None:
    P = np.array([[0.0], [1.0], [1e6]])
    C = plusplus.best_of(P, np.array([1.0, 1.0, 0.0]), 1, np.random.default_rng(0))
    assert C.ravel() == pytest.approx([0.5])


@pytest.mark.parametrize("options", [{}, {"batch": 100}, {"workers": 2}, {"workers": 3, "staleness": 2}])
def test_as_good_as_scikit_learn(start: Start, blobs: Path, points: np.ndarray, options: dict[str, Any]) -> None:
    run = start("kmeans", data=str(blobs), label="kind", k=6, **options)
    peer = KMeans(6, n_init=10, random_state=0).fit(points).inertia_
    assert run.result["train"]["inertia"] <= 1.05 * peer


def test_groups_are_those_of_the_nearest_centres(start: Start, blobs: Path, points: np.ndarray) -> None:
    model = start("kmeans", data=str(blobs), label="kind", k=3).model
    D = np.sqrt(((points[:, None] - model["C"][None]) ** 2).sum(axis=2))
    found = model.predict_columns(points)
    np.testing.assert_array_equal(found["prediction"], D.argmin(axis=1))
    np.testing.assert_allclose(found["distance"], D.min(axis=1), rtol=1e-3)
    for group in range(3):  # Lloyd has come to rest: every centre is the mean of its rows
        np.testing.assert_allclose(points[found["prediction"] == group].mean(axis=0), model["C"][group], rtol=1e-2)


@pytest.mark.parametrize("options", [{}, {"workers": 2}, {"batch": 100}])
def test_reports_the_inertia_of_all_rows(start: Start, blobs: Path, options: dict[str, Any]) -> None:
    run = start("kmeans", data=str(blobs), label="kind", k=3, tol=1e-9, **options)
    seen = run.metrics.to_pandas().query("name == 'inertia'").sort_values("clock")["value"]
    assert seen.iloc[-1] == pytest.approx(run.result["train"]["inertia"], rel=1e-3 if options else 1e-6)


def test_workers_report_one_inertia(start: Start, blobs: Path) -> None:
    alone, both = (start("kmeans", data=str(blobs), label="kind", k=3, epochs=1, workers=n) for n in (1, 2))
    seen = [run.metrics.to_pandas().query("name == 'inertia'")["value"].tolist() for run in (alone, both)]
    assert len(seen[1]) == 2
    assert seen[1] == pytest.approx([*seen[0], *seen[0]], rel=1e-6)


def test_fewer_points_than_groups(start: Start, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("x\n0\n0\n1\n1\n")
    run = start("kmeans", data=str(tmp_path / "few.csv"), k=3)
    assert run.result["train"]["inertia"] == 0
    assert sorted(run.model["C"].ravel().tolist()) == [0, 1]
    assert "only 2 different rows" in " ".join(run.result["notes"])


def test_more_groups_than_rows(start: Start, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("x\n0\n0\n1\n1\n")
    with pytest.raises(UsageError, match="--k 5: there are only 4 rows"):
        start("kmeans", data=str(tmp_path / "few.csv"), k=5)


def test_sparse_rows(start: Start, tmp_path: Path) -> None:
    lines = [f"0 {1 + i % 3}:{5 + i % 2} 4:{i % 2}" for i in range(60)]
    (tmp_path / "rows.libsvm").write_text("\n".join(lines))
    run = start("kmeans", data=str(tmp_path / "rows.libsvm"), k=3)
    assert run.result["train"]["inertia"] == pytest.approx(60 * 0.5)


@pytest.mark.shared
def test_usps(shared: Path, start: Start) -> None:
    found = [
        start("kmeans", data=str(shared / "usps/zip.train.gz"), label=0, k=10, seed=seed).result["train"]["inertia"]
        for seed in range(3)
    ]
    assert min(found) <= 1.02 * 549_266


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_to_start_from(start: Start, blobs: Path, tmp_path: Path, workers: int) -> None:
    options = {"data": str(blobs), "label": "kind", "k": 6}
    cold = start("kmeans", **options, out=str(tmp_path / "model"))
    warm = start("kmeans", **options, epochs=1, seed=7, workers=workers, start_from=str(tmp_path / "model"))
    np.testing.assert_allclose(warm.model["C"], cold.model["C"], rtol=1e-3, atol=1e-3)  # where the other came to rest
    with pytest.raises(UsageError, match=r"--start-from .*/model: the model has 6 groups .*: say --k 6"):
        start("kmeans", **(options | {"k": 5}), start_from=str(tmp_path / "model"))
