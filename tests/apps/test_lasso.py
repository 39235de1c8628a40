"""lasso: its objective is scikit-learn's, whatever the rows, the penalty, the workers; its scores are its README's."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet

import yarnml
from tests.apps.conftest import Start
from yarnml.cli import main
from yarnml.errors import UsageError

coordinates: Any = import_module("yarnml.linear.coordinates")


def objective(X: Any, y: Any, w: Any, lam: float, ratio: float = 1.0, spread: Any = 1.0, a: Any = None) -> float:
    """w (d + 1,) with the intercept last."""
    v = w[:-1] * spread
    loss = np.average((y - X @ w[:-1] - w[-1]) ** 2, weights=a) / 2
    return float(loss + lam * (ratio * np.abs(v).sum() + (1 - ratio) / 2 * (v @ v)))


def peer(X: Any, y: Any, lam: float, ratio: float = 1.0, intercept: bool = True, a: Any = None) -> np.ndarray:
    found = ElasticNet(alpha=lam, l1_ratio=ratio, fit_intercept=intercept, tol=1e-9, max_iter=100_000)
    found.fit(X, y, sample_weight=a)
    return np.append(found.coef_, found.intercept_)


def table(file: Path, X: np.ndarray, y: np.ndarray, **more: np.ndarray) -> str:
    names = [*(f"x{j}" for j in range(X.shape[1])), "y", *more]
    columns = np.column_stack([X, y, *more.values()])
    np.savetxt(file, columns, delimiter=",", header=",".join(names), comments="", fmt="%.9g")
    return str(file)


@pytest.fixture
def wide() -> tuple[np.ndarray, np.ndarray]:
    """80 rows of 30 columns, some alike, one that doesn't vary, far from zero."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 30)) * np.geomspace(0.1, 10, 30) + 3
    X[:, 4], X[:, 5] = X[:, 3] + 1e-3 * rng.standard_normal(80), 7.0
    y = X[:, [3, 8, 20]] @ [2, -1, 0.05] + rng.standard_normal(80)
    return X.astype(np.float32).astype(float), y.astype(np.float32).astype(float)


@pytest.mark.parametrize("options", [
    {}, {"ratio": 0.5}, {"intercept": False}, {"standardize": True}, {"weighted": True}, {"workers": 2},
    {"workers": 4, "servers": 2, "staleness": 2},
])  # fmt: skip
def test_the_objective_is_scikit_learns(options: dict[str, Any], wide: Any, start: Start, tmp_path: Path) -> None:
    X, y = wide
    said = dict(options)
    a = np.random.default_rng(1).integers(1, 4, 80).astype(float) if said.pop("weighted", False) else None
    weight = {} if a is None else {"a": a}
    run = start("lasso", data=table(tmp_path / "t.csv", X, y, **weight), label="y", lam=0.3, tol=1e-8,
                **({} if a is None else {"weight": "a"}), **said)  # fmt: skip
    ratio, spread = said.get("ratio", 1.0), X.std(axis=0) if said.get("standardize") else np.ones(30)
    scale = np.where(spread > 0, spread, 1.0)
    Z = (X - X.mean(axis=0)) / scale if said.get("standardize") else X
    best = peer(Z, y, 0.3, ratio, said.get("intercept", True), a)
    assert run.result["objective"] == pytest.approx(objective(Z, y, best, 0.3, ratio, 1.0, a), abs=1e-6)
    w = run.model["w"][:, 0]
    assert objective(X, y, w, 0.3, ratio, spread, a) == pytest.approx(run.result["objective"], abs=1e-6)
    np.testing.assert_allclose(run.model.predict(X), X @ w[:-1] + w[-1], rtol=1e-4)
    assert 0 <= run.result["gap"] <= 1e-8 * y.var()
    assert w[5] == 0 or not said.get("intercept", True)  # with one, a column that doesn't vary says nothing


def test_more_weights_than_a_matrix_holds(
    wide: Any, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = wide
    data = table(tmp_path / "t.csv", X, y)
    usual = {ratio: start("lasso", data=data, label="y", lam=0.01, ratio=ratio, tol=1e-7) for ratio in (1.0, 0.0)}
    monkeypatch.setattr(coordinates, "MOST", 3)
    monkeypatch.setattr(coordinates, "MOST_SMOOTH", 3)
    for ratio, other in usual.items():
        run = start("lasso", data=data, label="y", lam=0.01, ratio=ratio, tol=1e-7)
        assert run.result["objective"] == pytest.approx(other.result["objective"], abs=1e-6)


def test_no_penalty_is_least_squares(wide: Any, start: Start, tmp_path: Path) -> None:
    X, y = wide
    run = start("lasso", data=table(tmp_path / "t.csv", X, y), label="y", lam=0)
    A = np.hstack([X, np.ones((80, 1))])
    best = np.linalg.lstsq(A, y)[0]
    assert run.result["objective"] == pytest.approx(((y - A @ best) ** 2).mean() / 2, abs=1e-8)


def odd(rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """A column that is constant, one that is zero, two that are equal, and one that is another's negative."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((rows, 8)).astype(np.float32).astype(float)
    X[:, 1], X[:, 2], X[:, 4], X[:, 6] = 5.0, 0.0, X[:, 3], -X[:, 5]
    y = (X[:, 3] - 2 * X[:, 5] + 0.3 * rng.standard_normal(rows)).astype(np.float32).astype(float)
    return X, y


@pytest.mark.parametrize("options", [{}, {"intercept": False}, {"ratio": 0.3}, {"ratio": 0.0}, {"standardize": True}])
def test_columns_that_say_nothing_or_the_same(options: dict[str, Any], start: Start, tmp_path: Path) -> None:
    X, y = odd()
    run = start("lasso", data=table(tmp_path / "t.csv", X, y), label="y", lam=0.1, tol=1e-8, **options)
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1) if "standardize" in options else X
    ratio, intercept = options.get("ratio", 1.0), options.get("intercept", True)
    best = objective(Z, y, peer(Z, y, 0.1, max(ratio, 1e-9), intercept), 0.1, ratio)
    assert run.result["objective"] == pytest.approx(best, abs=1e-6)
    assert run.model["w"][2] == 0


def test_one_row_or_one_feature(start: Start, tmp_path: Path) -> None:
    run = start("lasso", data=table(tmp_path / "1.csv", np.array([[1.0, 2.0]]), np.array([3.0])), label="y")
    assert run.model["w"].ravel().tolist() == [0, 0, 3]
    X, y = odd()
    run = start("lasso", data=table(tmp_path / "2.csv", X[:, 3:4], y), label="y", lam=0.1, tol=1e-8)
    np.testing.assert_allclose(run.model["w"].ravel(), peer(X[:, 3:4], y, 0.1), atol=1e-5)


def test_a_penalty_that_leaves_no_weight(start: Start, tmp_path: Path) -> None:
    X, y = odd()
    top = float(np.abs((X - X.mean(axis=0)).T @ y).max()) / len(y)
    data = table(tmp_path / "t.csv", X, y)
    none, one = (start("lasso", data=data, label="y", lam=top * part).model["w"] for part in (1.001, 0.99))
    assert not none[:-1].any()
    assert none[-1, 0] == pytest.approx(y.mean(), abs=1e-6)
    assert one[:-1].any()


def test_an_end_before_the_gap_is_small_is_noted(wide: Any, start: Start, tmp_path: Path) -> None:
    data = table(tmp_path / "t.csv", *wide)
    run = start("lasso", data=data, label="y", lam=1e-6, tol=1e-16)
    assert run.result["gap"] > 1e-16 * wide[1].var() / 2
    assert "lam 1e-06: ended when rounds gained next to nothing" in " ".join(run.result["notes"])
    assert not start("lasso", data=data, label="y", lam=0.1).result["notes"]


def sparse(file: Path, rows: int = 3000, width: int = 400) -> tuple[str, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((rows, width)) < 0.05, rng.random((rows, width)).round(3), 0)
    y = (X[:, :20] @ rng.standard_normal(20) + 0.1 * rng.standard_normal(rows)).round(4)
    lines = [f"{t} " + " ".join(f"{j + 1}:{x[j]:.3f}" for j in np.flatnonzero(x)) for x, t in zip(X, y, strict=True)]
    file.write_text("\n".join(lines) + "\n")
    return str(file), X, y


def test_sparse_rows_in_memory_and_beyond_it_give_the_same_bits(start: Start, tmp_path: Path) -> None:
    data, X, y = sparse(tmp_path / "t.svm")
    runs = [start("lasso", data=data, lam=1e-3, data_memory=memory) for memory in ("1GiB", "1MiB")]
    np.testing.assert_array_equal(runs[0].model["w"], runs[1].model["w"])
    best = objective(X, y, peer(X, y, 1e-3), 1e-3)
    assert runs[0].result["objective"] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_path_holds_every_model(workers: int, wide: Any, start: Start, tmp_path: Path) -> None:
    X, y = wide
    run = start("lasso", data=table(tmp_path / "t.csv", X, y), label="y", path=5, lam=0.01, workers=workers)
    lams, path = run.model["lams"], run.model["path"]
    assert len(lams) == path.shape[1] == 5
    assert not path[:-1, 0].any()
    assert lams[-1] == pytest.approx(0.01)
    for lam, w in zip(lams, path.T, strict=True):
        assert objective(X, y, w, lam) == pytest.approx(objective(X, y, peer(X, y, lam), lam), abs=1e-5)
    np.testing.assert_array_equal(run.model["w"][:, 0], path[:, -1])


def test_valid_chooses_along_a_path(wide: Any, start: Start, tmp_path: Path) -> None:
    X, y = wide
    data = table(tmp_path / "t.csv", X, y)
    run = start("lasso", data=data, label="y", path=20, valid=0.3, patience=20)
    scores = run.metrics.to_pandas().query("name == 'valid_rmse'")["value"]
    assert run.result["valid"]["rmse"] == pytest.approx(scores.min())
    best = run.result["best_pass"] - 1
    np.testing.assert_array_equal(run.model["w"][:, 0], run.model["path"][:, best])
    assert run.result["lam"] == run.model["lams"][best] == run.model["lam"]
    assert 0 < best < run.model["path"].shape[1] == 20
    early = start("lasso", data=data, label="y", path=20, valid=0.3, patience=1)
    assert early.model["path"].shape[1] < 20
    assert "stopped after pass" in early.result["notes"][0]


def test_a_warm_start_has_little_to_do(start: Start, tmp_path: Path) -> None:
    data, _, _ = sparse(tmp_path / "t.svm")
    cold = start("lasso", data=data, lam=1e-4, out=str(tmp_path / "model"))
    warm = start("lasso", data=data, lam=1e-4, start_from=str(tmp_path / "model"))
    assert len(warm.metrics.to_pandas()) < len(cold.metrics.to_pandas())
    assert warm.result["objective"] == pytest.approx(cold.result["objective"], abs=1e-8)
    assert yarnml.load(tmp_path / "model").config["standardize"] is False


def test_what_is_reported_falls_and_screens(start: Start, tmp_path: Path) -> None:
    data, _, _ = sparse(tmp_path / "t.svm")
    frame = start("lasso", data=data, lam=3e-4).metrics.to_pandas()
    objectives, alive = (frame.query(f"name == '{name}'")["value"].to_numpy() for name in ("objective", "alive"))
    assert (np.diff(objectives) <= 1e-12).all()
    assert alive[-1] < 400


@pytest.mark.shared
def test_riboflavin(shared: Path, start: Start) -> None:
    run = start("lasso", data=str(shared / "riboflavin/riboflavin.csv.gz"), label="y", standardize=True)
    assert run.result["objective"] == pytest.approx(0.1234, abs=1e-4)
    assert np.count_nonzero(run.model["w"][:-1]) == 31


@pytest.mark.shared
def test_prostate(shared: Path, start: Start) -> None:
    file = shared / "prostate/prostate.csv"
    rows = np.array([line.split(",")[:9] for line in file.read_text().splitlines()[1:]], np.float32).astype(float)
    X, y = rows[:, :8], rows[:, 8]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    names = ["lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45"]
    run = start("lasso", data=str(file), label="lpsa", features=names, standardize=True)
    lam = run.result["lam"]
    assert run.result["objective"] == pytest.approx(objective(Z, y, peer(Z, y, lam), lam), abs=1e-6)


@pytest.mark.shared
@pytest.mark.parametrize("part", [0.5, 0.1])
def test_petuums_sample(part: float, shared: Path, start: Start, tmp_path: Path) -> None:
    lines = (shared / "petuum_samples/lasso500by1K.X.mmt").read_text().splitlines()[2:]
    at = np.array([line.split() for line in lines], float)
    X = np.zeros((500, 1000), np.float32)
    X[at[:, 0].astype(int) - 1, at[:, 1].astype(int) - 1] = at[:, 2]
    labels = (shared / "petuum_samples/lasso500by1K.Y.mmt").read_text().splitlines()[2:]
    y = np.array([line.split()[2] for line in labels], np.float32)
    rows = [f"{t:.9g} " + " ".join(f"{j + 1}:{x[j]:.9g}" for j in np.flatnonzero(x)) for x, t in zip(X, y, strict=True)]
    (tmp_path / "t.svm").write_text("\n".join(rows) + "\n")
    lam = part * float(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()) / 500
    run = start("lasso", data=str(tmp_path / "t.svm"), lam=lam)
    X, y = X.astype(float), y.astype(float)
    assert run.result["objective"] == pytest.approx(objective(X, y, peer(X, y, lam), lam), abs=1e-6)


def test_what_was_learned_is_told_by_name(
    wide: Any, start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = wide
    data = table(tmp_path / "t.csv", X, y)
    args = ["--data", data, "--label", "y", "--lam", "1", "--runs", str(tmp_path / "runs")]
    assert main(["run", "lasso", *args, "--out", str(tmp_path / "model")]) == 0
    model = yarnml.load(tmp_path / "model")
    w = model["w"][:, 0]
    assert dict(model.coefficients) == {f"x{j}": w[j] for j in np.flatnonzero(w[:-1])}
    assert model.coefficients.intercept == w[-1]
    most = int(np.abs(w[:-1]).argmax())
    (line,) = model.summary()
    assert line.startswith(f"lam 1: {len(model.coefficients)} of 30 features have a weight, the largest x{most} ")
    assert line in capsys.readouterr().out.splitlines()
    assert main(["status", "lasso", "--runs", str(tmp_path / "runs")]) == 0
    assert f"  {line}" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("app", ["lasso", "logreg_l1"])
def test_another_problem_is_begun_anew(app: str, start: Start, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b,y\n" + "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(60)))
    run = start(app, data=str(file), label="y", path=3, checkpoint_every=1e-6)
    with pytest.raises(UsageError, match=rf"--ratio 0\.5: {app} can be resumed only with what it began with"):
        start(app, resume=run.id, ratio=0.5)
