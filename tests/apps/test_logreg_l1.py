"""logreg_l1: its objective is scikit-learn's and liblinear's, and its scores are its README's."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from tests.apps.conftest import Start

coordinates: Any = import_module("yarnml.linear.coordinates")


def objective(X: Any, y: Any, w: Any, lam: float, ratio: float, a: Any = None) -> float:
    """w (d + 1,) with the intercept last; y in {0, 1}."""
    z = X @ w[:-1] + w[-1]
    loss = np.average(np.logaddexp(0, z) - y * z, weights=a)
    return float(loss + lam * (ratio * np.abs(w[:-1]).sum() + (1 - ratio) / 2 * (w[:-1] @ w[:-1])))


def least(X: Any, y: Any, lam: float, ratio: float, intercept: bool, a: Any) -> float:
    """The minimum, by a quasi-Newton method on the weights' positive and negative parts."""
    d = X.shape[1]
    A = np.hstack([X, -X])
    share = np.full(len(y), 1 / len(y)) if a is None else a / a.sum()

    def f(v: np.ndarray) -> tuple[float, np.ndarray]:
        z = A @ v[:-1] + v[-1]
        w = v[:d] - v[d:-1]
        r = share * (1 / (1 + np.exp(-z)) - y)
        ridge = lam * (1 - ratio) * np.concatenate([w, -w])
        value = share @ (np.logaddexp(0, z) - y * z) + lam * ratio * v[:-1].sum() + lam * (1 - ratio) / 2 * (w @ w)
        return float(value), np.append(A.T @ r + lam * ratio + ridge, r.sum() if intercept else 0.0)

    bounds = [*[(0, None)] * (2 * d), (None, None)]
    tight = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10}
    return float(minimize(f, np.zeros(2 * d + 1), jac=True, method="L-BFGS-B", bounds=bounds, options=tight).fun)


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((200, 15)) + 0.5).astype(np.float32).astype(float)
    return X, (X[:, :4] @ [2, -1, 1, 0.5] + rng.standard_normal(200) > 0.7).astype(float)


def table(file: Path, X: np.ndarray, y: np.ndarray, *more: np.ndarray) -> str:
    names = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y", "a"][: X.shape[1] + 1 + len(more)])
    np.savetxt(file, np.column_stack([X, y, *more]), delimiter=",", header=names, comments="", fmt="%.9g")
    return str(file)


@pytest.mark.parametrize("options", [
    {"ratio": 1.0}, {"ratio": 0.5}, {"ratio": 0.0}, {"intercept": False}, {"weighted": True}, {"workers": 2},
])  # fmt: skip
def test_the_objective_is_the_least(options: dict[str, Any], rows: Any, start: Start, tmp_path: Path) -> None:
    X, y = rows
    said = dict(options)
    a = np.random.default_rng(1).integers(1, 4, 200).astype(float) if said.pop("weighted", False) else None
    weight = {} if a is None else {"weight": "a"}
    data = table(tmp_path / "t.csv", X, y, *([] if a is None else [a]))
    run = start("logreg_l1", data=data, label="y", lam=0.01, tol=1e-8, **weight, **said)
    ratio, w = said.get("ratio", 1.0), run.model["w"][:, 0]
    assert objective(X, y, w, 0.01, ratio, a) == pytest.approx(run.result["objective"], abs=1e-9)
    best = least(X, y, 0.01, ratio, said.get("intercept", True), a)
    assert run.result["objective"] == pytest.approx(best, abs=1e-6)
    np.testing.assert_allclose(run.model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-X @ w[:-1] - w[-1])), atol=1e-5)


@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.0])
def test_more_weights_than_a_matrix_holds(
    ratio: float, rows: Any, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rows
    monkeypatch.setattr(coordinates, "MOST", 3)
    monkeypatch.setattr(coordinates, "MOST_SMOOTH", 3)
    run = start("logreg_l1", data=table(tmp_path / "t.csv", X, y), label="y", lam=0.01, ratio=ratio, tol=1e-7)
    assert run.result["objective"] == pytest.approx(least(X, y, 0.01, ratio, True, None), abs=1e-6)


def test_several_classes_are_each_told_from_all_others(start: Start, blobs: Path) -> None:
    rows = np.loadtxt(blobs, delimiter=",", skiprows=1, dtype=str)
    X, kind = rows[:, :2].astype(float), rows[:, 2]
    run = start("logreg_l1", data=str(blobs), label="kind", lam=1e-3, ratio=0, standardize=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for column, name in enumerate(run.model.classes):
        peer = LogisticRegression(C=1 / (1e-3 * len(X)), tol=1e-10, max_iter=1000).fit(Z, kind == name)
        np.testing.assert_allclose(run.model["w"][:-1, column] * X.std(axis=0), peer.coef_[0], rtol=1e-2)
    assert run.result["train"]["accuracy"] > 0.95
    assert run.model["w"].shape == (3, 3)


def test_a_path_of_several_classes(start: Start, blobs: Path) -> None:
    run = start("logreg_l1", data=str(blobs), label="kind", path=4, valid=0.2, standardize=True)
    assert run.model["path"].shape == (3, 4 * 3)
    assert not run.model["path"][:-1, 0].any()
    assert run.result["valid"]["accuracy"] > 0.95


def test_classes_that_a_plane_parts_end_without_a_penalty(start: Start, tmp_path: Path) -> None:
    X = np.linspace(-1, 1, 40)[:, None]
    run = start("logreg_l1", data=table(tmp_path / "t.csv", X, (X[:, 0] > 0).astype(float)), label="y", lam=0)
    assert run.result["train"]["accuracy"] == 1
    assert np.isfinite(run.model["w"]).all()


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_columns_that_say_nothing_or_the_same(ratio: float, rows: Any, start: Start, tmp_path: Path) -> None:
    X, y = rows
    X[:, 1], X[:, 5], X[:, 6], X[:, 7] = 5.0, 0.0, X[:, 0], -X[:, 2]
    run = start("logreg_l1", data=table(tmp_path / "t.csv", X, y), label="y", lam=0.01, ratio=ratio, tol=1e-8)
    assert run.result["objective"] == pytest.approx(least(X, y, 0.01, ratio, True, None), abs=1e-6)
    assert run.model["w"][1] == pytest.approx(0, abs=1e-9)
    assert run.model["w"][5] == 0


def test_two_rows_or_one_feature(rows: Any, start: Start, tmp_path: Path) -> None:
    X, y = rows
    for name, A, b in (("1", np.array([[1.0], [2.0]]), np.array([0.0, 1.0])), ("2", X[:, :1], y)):
        run = start("logreg_l1", data=table(tmp_path / f"{name}.csv", A, b), label="y", lam=0.01, tol=1e-8)
        assert run.result["objective"] == pytest.approx(least(A, b, 0.01, 1.0, True, None), abs=1e-6)


def test_a_penalty_that_leaves_no_weight(rows: Any, start: Start, tmp_path: Path) -> None:
    X, y = rows
    top = float(np.abs((X - X.mean(axis=0)).T @ y).max()) / len(y)
    data = table(tmp_path / "t.csv", X, y)
    none, one = (start("logreg_l1", data=data, label="y", lam=top * part).model["w"] for part in (1.001, 0.98))
    assert not none[:-1].any()
    assert none[-1, 0] == pytest.approx(np.log(y.mean() / (1 - y.mean())), abs=1e-5)
    assert one[:-1].any()


@pytest.mark.shared
@pytest.mark.parametrize(("ratio", "liblinear"), [(1.0, 0.32427516), (0.0, 0.32337958)])
def test_a9a(ratio: float, liblinear: float, shared: Path, start: Start) -> None:
    """liblinear's -s 6 and -s 0, -c 1 -e 1e-6."""
    run = start("logreg_l1", data=str(shared / "a9a/a9a"), test=str(shared / "a9a/a9a.t"), ratio=ratio, intercept=False)
    assert run.result["objective"] == pytest.approx(liblinear, abs=1e-5)
    assert run.result["test"]["accuracy"] >= 0.849
