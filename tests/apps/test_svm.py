"""svm: its passes equal their numpy references, and its objective is the one that LIBLINEAR finds."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from hdfs_io import CSR, Rows
from tests.apps.conftest import Start
from yarnml.kernels.crew import Crew

# apps are modules that nobody imports by name but the framework, which doesn't know their types either
kernels: Any = import_module("yarnml_apps.svm.kernels")
dual: Any = import_module("yarnml_apps.svm.dual")
sureness: Any = import_module("yarnml_apps.svm.sureness")


def made(n: int = 80, d: int = 6, sparse: bool = True, weighted: bool = False) -> tuple[np.ndarray, Rows]:
    """Rows dense (n, d) and as the app has them: two classes that overlap, an empty row, a row without weight."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)).astype(np.float32)
    y = (X[:, 0] + 0.7 * rng.standard_normal(n) > 0.3).astype(np.int32)
    X[rng.random(X.shape) < 0.5] = 0
    X[4] = 0
    weight = rng.random(n).astype(np.float32) if weighted else None
    if weight is not None:
        weight[7] = 0
    i, j = np.nonzero(X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=n))]).astype(np.int64)
    S = CSR(indptr, j.astype(np.int32), X[i, j], d)
    return X, Rows(S if sparse else X, y, weight, None, np.arange(n))


def objective(w: np.ndarray, X: np.ndarray, y: np.ndarray, c: np.ndarray, C: float, p: int) -> float:
    """f of the app's docstring, its bias w's last."""
    short = np.maximum(1 - np.where(y == 1, 1, -1) * (X @ w[:-1] + w[-1]), 0)
    return float(w @ w / 2 + C * (c @ short**p))


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_passes_equal_numpy(sparse: bool, squared: bool) -> None:
    _, rows = made(sparse=sparse, weighted=True)
    problem = dual.Problem.of(rows, 0.7, 0.5, squared)
    found = []
    for sweep, measure in ((kernels.sweep, kernels.measure), (kernels.sweep_reference, kernels.measure_reference)):
        w, alpha, high, low, said = np.zeros(7), np.zeros(80, np.float32), np.inf, -np.inf, []
        of = (*problem.matrix, problem.bias, problem.y, 1)
        for _ in range(4):
            order = np.zeros(60, np.int32)
            n, *sums = measure(*of, problem.cap, squared, high, low, alpha, w, 10, 70, order)
            kept = order[:n]
            m, high, low = sweep(*of, problem.squares, problem.cap, squared, 2.0, high, low, alpha, w, kept)
            said += [kept[:m].tolist(), sums, high, low]
        found.append((w, alpha, said))
    (w, alpha, said), (w2, alpha2, said2) = found
    np.testing.assert_allclose(w, w2, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(alpha, alpha2, rtol=1e-5, atol=1e-6)
    for mine, theirs in zip(said, said2, strict=True):
        assert mine == pytest.approx(theirs, rel=1e-5, abs=1e-6)
    assert alpha.max() > 0


@pytest.mark.parametrize("n", [0, 1, 5, 64, 1000])
def test_a_shuffle_keeps_blocks_together(n: int) -> None:
    order = np.arange(n, dtype=np.int32)
    kernels.shuffle(order, 16, 3)
    assert sorted(order) == list(range(n))
    blocks = order // 16
    assert (np.diff(blocks) != 0).sum() <= max(0, (n + 15) // 16 - 1)
    if n >= 64:
        assert (order != np.arange(n)).any()


@pytest.mark.parametrize("squared", [False, True])
def test_the_dual_bounds_the_primal_and_comes_to_it(squared: bool) -> None:
    X, rows = made(weighted=True)
    problem = dual.Problem.of(rows, 0.7, 1.0, squared)
    each = dual.Dual(problem, 1, np.zeros(80, np.float32))
    w, gaps = np.zeros(7), []
    for epoch in range(400):
        loss, gain = each.measure(w, Crew(2))
        gaps.append(loss + w @ w - gain)
        assert loss + w @ w / 2 == pytest.approx(objective(w, X, rows.y, rows.weight, 0.7, 1 + squared), rel=1e-6)  # type: ignore[arg-type]
        for turn in range(3):
            each.sweep(w, turn, 3, 1.0, epoch)
        np.testing.assert_allclose(w, problem.weights(1, each.alpha), atol=1e-4)
    assert min(gaps) > -1e-6
    assert gaps[-1] < 1e-3 * gaps[0]


def test_a_pass_goes_on_in_its_middle() -> None:
    """As after a recovery: the rows of the turns that are over are in the next pass again."""
    _, rows = made()
    each = dual.Dual(dual.Problem.of(rows, 1.0, 1.0, False), 1, np.zeros(80, np.float32))
    w = np.zeros(7)
    each.measure(w, Crew(1))
    for turn in (2, 3):
        each.sweep(w, turn, 4, 1.0, 0)
    assert len(each._order) == 80


def written(file: Path, rows: Rows) -> str:
    assert isinstance(rows.X, CSR)
    assert rows.y is not None
    X = rows.X
    lines = []
    for i in range(len(rows)):
        at = slice(X.indptr[i], X.indptr[i + 1])
        cells = " ".join(f"{j + 1}:{v:.6g}" for j, v in zip(X.indices[at], X.values[at], strict=True))
        lines.append(f"{2 * rows.y[i] - 1} {cells}")
    file.write_text("\n".join(lines) + "\n")
    return str(file)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("loss", "named"), [("l1", "hinge"), ("l2", "squared_hinge")])
def test_the_objective_is_scikit_learns(loss: str, named: str, workers: int, start: Start, tmp_path: Path) -> None:
    X, rows = made(400)
    assert rows.y is not None
    data = written(tmp_path / "t.libsvm", rows)
    run = start("svm", data=data, loss=loss, workers=workers, tol=1e-5, epochs=20_000, C=0.5)
    peer = LinearSVC(loss=named, C=0.5, tol=1e-7, max_iter=100_000, random_state=0).fit(X, rows.y)
    p, ones = (1 if loss == "l1" else 2), np.ones(400)
    ours, theirs = (
        objective(w, X, rows.y, ones, 0.5, p)
        for w in (run.model["w"][:, 0].astype(float), np.append(peer.coef_[0], peer.intercept_))
    )
    assert ours == pytest.approx(theirs, rel=2e-5)
    np.testing.assert_array_equal(run.model.predict(X) > 0, peer.decision_function(X) > 0)
    metrics = run.metrics.to_pandas().set_index("name")["value"]
    assert metrics["objective"].iloc[-1] == pytest.approx(ours / 400, rel=1e-5)
    assert metrics["gap"].iloc[-1] <= 1e-5


@pytest.mark.parametrize(("C", "part", "workers"), [(1.0, 0.1, 1), (1.0, 0.1, 2), (1.5, 0.5, 1)])
def test_a_warm_start_begins_near_its_end(C: float, part: float, workers: int, start: Start, tmp_path: Path) -> None:
    data = written(tmp_path / "t.libsvm", made(400)[1])
    start("svm", data=data, tol=1e-4, out=str(tmp_path / "model"))
    run = start("svm", data=data, tol=1e-3, C=C, workers=workers, start_from=str(tmp_path / "model"))
    gaps = run.metrics.to_pandas().query("name == 'gap'")["value"].tolist()
    assert gaps[0] < part  # 1 where nothing is known
    assert gaps[-1] <= 1e-3


def test_scaled_features_start_where_they_were(start: Start, blobs: Path, tmp_path: Path) -> None:
    options = {"data": str(blobs), "label": "kind", "tol": 1e-3}
    first = start("svm", out=str(tmp_path / "model"), **options)
    again = start("svm", start_from=str(tmp_path / "model"), **options)
    gaps = [run.metrics.to_pandas().query("name == 'gap'")["value"].iloc[0] for run in (first, again)]
    assert gaps[1] < gaps[0] / 3
    assert first.result["train"]["accuracy"] > 0.9
    assert (first.model.predict(np.array([[0, 4000.0], [4, 0]])) == ["top", "right"]).all()


def test_passes_that_are_too_few_are_noted(start: Start, blobs: Path) -> None:
    run = start("svm", data=str(blobs), label="kind", epochs=3, tol=1e-9, scale=False)
    assert "3 passes left a duality gap" in " ".join(run.result["notes"])


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_held_out_choose_the_model(workers: int, start: Start, blobs: Path) -> None:
    run = start("svm", data=str(blobs), label="kind", valid=0.3, tol=1e-9, epochs=300, patience=2, workers=workers)
    losses = run.metrics.to_pandas().query("name == 'valid_log_loss'")["value"]
    assert run.result["valid"]["log_loss"] == pytest.approx(losses.min())
    assert "no gain since pass" in " ".join(run.result["notes"])


def test_sureness_is_the_best_factor() -> None:
    rng = np.random.default_rng(0)
    Z = np.stack([np.zeros(5000), rng.normal(0, 1, 5000)])
    y = (rng.random(5000) < 1 / (1 + np.exp(-3 * Z[1]))).astype(np.int32)
    assert sureness.slope(2.5, Z, y, np.ones(5000)) < 0 < sureness.slope(3.5, Z, y, np.ones(5000))


@pytest.mark.shared
@pytest.mark.parametrize("workers", [1, 2])
def test_a9a(shared: Path, start: Start, workers: int) -> None:
    run = start("svm", data=str(shared / "a9a/a9a"), test=str(shared / "a9a/a9a.t"), workers=workers, tol=1e-3)
    assert run.result["test"]["accuracy"] >= 0.849
    objective = run.metrics.to_pandas().query("name == 'objective'")["value"].iloc[-1]
    assert objective == pytest.approx(0.35115, rel=1.1e-3)
