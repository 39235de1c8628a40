"""mlr: its gradient is the objective's, and its scores on named data are those its README states."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from hdfs_io import CSR
from tests.apps.conftest import Start
from yarnml.app import Batch
from yarnml.app.columns import Scale
from yarnml.errors import RunFailed
from yarnml.kernels.crew import Crew

# apps are modules that nobody imports by name but the framework, which doesn't know their types either
app: Any = import_module("yarnml_apps.mlr.app")
gradient, snapshot = app.gradient, app.snapshot


class Me:
    """All of a worker that the gradient needs."""

    def __init__(self, threads: int = 1) -> None:
        self.crew = Crew(threads)


def case(n: int = 60, d: int = 5, K: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray, Any]:
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((n, d)) * [1, 10, 0.1, 1, 1] + [0, 50, 0, 1, -1]).astype(np.float32)
    scale = Scale(X.mean(axis=0).astype(float), 1 / X.std(axis=0).astype(float))
    return X, rng.integers(0, K, n).astype(np.int32), rng.standard_normal((d + 1, K)).astype(np.float32), scale


def objective(W: np.ndarray, X: np.ndarray, y: np.ndarray, scale: Any, w: np.ndarray | None) -> float:
    """f without the penalty, in float64, as the app's docstring has it."""
    x = np.hstack([(X - scale.shift) * scale.inverse, np.ones((len(X), 1))])
    S = x @ W
    loss = np.log(np.exp(S).sum(axis=1)) - S[np.arange(len(y)), y]
    return float(loss @ (np.ones(len(y)) if w is None else w) / len(y))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_gradient_equals_finite_differences(weighted: bool, sparse: bool) -> None:
    X, y, W, scale = case()
    w = np.random.default_rng(1).random(60).astype(np.float32) if weighted else None
    S = csr_matrix(X)
    rows: Any = CSR(S.indptr.astype(np.int64), S.indices.astype(np.int32), S.data, 5) if sparse else X
    G, _ = gradient(W, Batch(rows, y, w, rows=60.0), scale, Me())
    h = 1e-5
    for j, k in np.ndindex(W.shape):
        E = np.zeros(W.shape)
        E[j, k] = h
        up, down = (objective(W + s * E, X.astype(float), y, scale, w) for s in (1, -1))
        assert G[j, k] == pytest.approx((up - down) / (2 * h), rel=2e-3, abs=2e-4)


def test_gradients_of_the_workers_add_up_and_threads_change_nothing() -> None:
    X, y, W, scale = case(3000)
    whole, loss = gradient(W, Batch(X, y, rows=3000.0), scale, Me())
    parts = [
        gradient(W, Batch(X[s], y[s], rows=3000.0), scale, Me())[0]
        for s in (slice(0, 700), slice(700, 700), slice(700, 3000))
    ]
    np.testing.assert_allclose(sum(parts), whole, atol=1e-5)
    threads, same = gradient(W, Batch(X, y, rows=3000.0), scale, Me(3))
    np.testing.assert_allclose(threads, whole, atol=1e-5)
    assert loss == pytest.approx(same, rel=1e-5)
    assert loss == pytest.approx(objective(W, X.astype(float), y, scale, None), rel=1e-4)


@pytest.mark.parametrize(("steps", "least"), [(1, 1), (2, 1), (7, 3), (100, 25), (1000, 32)])
def test_snapshots_count_up_through_the_second_half(steps: int, least: int) -> None:
    counted = [snapshot(Batch(np.zeros((0, 1), np.float32), step=step, steps=steps)) for step in range(steps)]
    assert not any(counted[: steps // 2])
    taken = [t for t in counted if t]
    assert taken == list(range(1, len(taken) + 1))
    assert least <= len(taken) <= 64


def test_comes_near_scikit_learn(start: Start, blobs: Path) -> None:
    data = np.loadtxt(blobs, delimiter=",", skiprows=1, dtype=str)
    X, y = data[:, :2].astype(float), data[:, 2]
    run = start("mlr", data=str(blobs), label="kind", epochs=40)
    peer = LogisticRegression(C=1e4).fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    agree = (peer.predict((X - X.mean(axis=0)) / X.std(axis=0)) == run.model.predict(X)).mean()
    assert agree > 0.99


def test_wide_sparse_rows(start: Start, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(600):
        label = int(rng.integers(0, 2))
        used = np.sort(rng.choice(9990, 5, replace=False)) + 11
        lines.append(f"{label} {1 + label}:1 " + " ".join(f"{j}:{rng.random():.3f}" for j in used))
    (tmp_path / "wide.libsvm").write_text("\n".join(lines))
    one = start("mlr", data=str(tmp_path / "wide.libsvm"), test=0.3)
    two = start("mlr", data=str(tmp_path / "wide.libsvm"), test=0.3, workers=2, servers=2, staleness=1)
    for run in (one, two):
        assert run.result["test"]["accuracy"] > 0.9


def test_early_stopping_keeps_the_best_pass(start: Start, blobs: Path) -> None:
    run = start("mlr", data=str(blobs), label="kind", valid=0.3, epochs=200, patience=2, lr=5.0)
    metrics = run.metrics.to_pandas()
    losses = metrics["value"][metrics["name"] == "valid_log_loss"]
    assert run.result["valid"]["log_loss"] == pytest.approx(losses.min())
    assert 3 <= len(losses) < 200


def test_columns_of_wild_scale_give_a_finite_model_and_a_note(start: Start, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    rows = [f"{int(a > 0)},{a:.4f},{b * 1e25:.4e},{b * 1e-12:.4e},1" for a, b in X]
    (tmp_path / "wild.csv").write_text("y,a,big,small,one\n" + "\n".join(rows) + "\n")
    run = start("mlr", data=str(tmp_path / "wild.csv"), label="y", epochs=50)
    assert np.isfinite(run.model["W"]).all()
    assert run.result["train"]["accuracy"] > 0.97
    assert "big, small" in " ".join(run.result["notes"])


@pytest.mark.shared
@pytest.mark.parametrize(("workers", "staleness"), [(1, 0), (2, 0), (2, 3), (2, None)])
def test_a9a(shared: Path, start: Start, workers: int, staleness: int | None) -> None:
    run = start(
        "mlr", data=str(shared / "a9a/a9a"), test=str(shared / "a9a/a9a.t"),
        workers=workers, servers=workers, staleness=staleness, epochs=5,
    )  # fmt: skip
    assert run.result["test"]["accuracy"] >= 0.845


@pytest.mark.shared
def test_covtype(shared: Path, start: Start) -> None:
    run = start("mlr", data=str(shared / "covtype/covtype_92962.csv.gz"), test=0.2)
    assert run.result["test"]["accuracy"] >= 0.715


@pytest.mark.shared
def test_usps(shared: Path, start: Start) -> None:
    run = start("mlr", data=str(shared / "usps/zip.train.gz"), test=str(shared / "usps/zip.test.gz"), label=0)
    assert run.result["test"]["accuracy"] >= 0.91


def test_a_models_file_says_what_it_is(start: Start, blobs: Path, tmp_path: Path) -> None:
    start("mlr", data=str(blobs), label="kind", test=0.2, out=str(tmp_path / "model"))
    about = json.loads((tmp_path / "model" / "model.json").read_text())
    assert about["app"] == "mlr"
    assert about["schema"]["label"]["classes"] == ["left", "right", "top"]
    assert about["metrics"]["test"]["accuracy"] > 0.9


def test_small_data_gets_enough_clocks(start: Start, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    rows = [f"{a},{b},{c},{d},{label}" for (a, b, c, d), label in zip(X, y, strict=True)]
    (tmp_path / "iris.csv").write_text("\n".join(rows) + "\n")
    run = start("mlr", data=str(tmp_path / "iris.csv"), label=-1)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = LogisticRegression().fit(scaled, y)  # of the same penalty
    assert run.result["train"]["log_loss"] == pytest.approx(log_loss(y, peer.predict_proba(scaled)), abs=0.005)


@pytest.mark.parametrize("workers", [1, 2])
def test_divergence_ends_the_run_and_says_what_to_try(
    start: Start, blobs: Path, tmp_path: Path, workers: int, recwarn: pytest.WarningsRecorder
) -> None:
    with pytest.raises(RunFailed, match=r"worker \d.* (at|after) clock \d+; .*try a smaller --lr than 1e\+38"):
        start("mlr", data=str(blobs), label="kind", lr=1e38, out=str(tmp_path / "model"), workers=workers, threads=2)
    assert not (tmp_path / "model").exists()
    assert not recwarn.list


def test_stopping_early_is_said(start: Start, blobs: Path) -> None:
    run = start("mlr", data=str(blobs), label="kind", valid=0.3, epochs=200, patience=2, lr=5.0)
    losses = run.metrics.to_pandas().query("name == 'valid_log_loss'").set_index("clock")["value"]
    best = int(losses.argmin()) + 1
    assert run.result["best_pass"] == best == len(losses) - 2
    said = f"stopped after pass {len(losses)}: no gain since pass {best} (log_loss {losses.min():.4g})"
    assert run.result["notes"] == [said]
    assert run.model.notes == (said,)


def test_rows_left_out_are_counted_by_kind_in_the_result(start: Start, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,y\n" + "1,2,no\n3,4,yes\n" * 20 + "1,,no\n,2,no\n1,2,\n1,2,3,no\n")
    (tmp_path / "v.csv").write_text("a,b,y\n1,2,no\n3,,yes\n3,4,yes\n")
    run = start("mlr", data=str(tmp_path / "t.csv"), test=str(tmp_path / "v.csv"), bad_rows="skip", epochs=2)
    kinds = {"missing in column 'a'": 1, "missing in column 'b'": 1, "label in column 'y'": 1, "number of columns": 1}
    assert run.result["left_out"] == {"train": kinds, "test": {"missing in column 'b'": 1}}


@pytest.mark.parametrize("more", [{}, {"average": False}, {"workers": 2}])
def test_a_warm_start_begins_at_its_model(more: dict[str, Any], start: Start, blobs: Path, tmp_path: Path) -> None:
    """Features are scaled while it learns, here by factors that differ a thousandfold, and raw in the model."""
    options = {"data": str(blobs), "label": "kind"}
    model = start("mlr", **options, out=str(tmp_path / "model")).model
    run = start("mlr", **options, epochs=1, lr=1e-9, start_from=str(tmp_path / "model"), **more)
    np.testing.assert_allclose(run.model["W"], model["W"], rtol=1e-4, atol=1e-6)
    assert run.result["train"]["log_loss"] == pytest.approx(model.metrics["train"]["log_loss"], rel=1e-4)


def test_a_warm_start_goes_on_where_it_was(start: Start, blobs: Path, tmp_path: Path) -> None:
    options = {"data": str(blobs), "label": "kind"}
    start("mlr", **options, out=str(tmp_path / "model"), epochs=1)
    whole, half = (
        start("mlr", **options, epochs=n, start_from=str(tmp_path / "model"), checkpoint_every=1e-6) for n in (4, 2)
    )
    again = start("mlr", resume=half.id, epochs=4)
    np.testing.assert_array_equal(again.model["W"], whole.model["W"])
