"""svm: its passes equal their numpy references, and its objective is the one that LIBLINEAR finds."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from hdfs_io import CSR, Rows
from tests.apps.conftest import Start
from yarnml.errors import DataError
from yarnml.kernels.crew import Crew

# apps are modules that nobody imports by name but the framework, which doesn't know their types either
kernels: Any = import_module("yarnml_apps.svm.kernels")
dual: Any = import_module("yarnml_apps.svm.dual")
momentum: Any = import_module("yarnml_apps.svm.momentum")
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
        w, alpha, before, slope = np.zeros(7), np.zeros(80), np.zeros(80), np.zeros(80, np.float32)
        moves, high, low, said = np.zeros(80, np.int8), np.inf, -np.inf, []
        of = (*problem.matrix, problem.bias, problem.y, 1)
        last = w
        for beta in (0.0, 0.3, 0.6, 0.8):
            sums = measure(*of, problem.cap, squared, high, low, alpha, before, moves, w, 10, 70)
            order, last, w = np.flatnonzero(moves).astype(np.int32), w.copy(), w + beta * (w - last)
            sweep(
                *of, problem.squares, problem.cap, squared, 2.0, beta, high, low, alpha, before, slope, moves, w, order
            )
            said += [order.tolist(), moves.tolist(), list(sums), slope.tolist()]
            high, low = (0.5, -0.5) if beta else (np.inf, -np.inf)
        np.testing.assert_allclose(w, 2 * problem.weights(1, alpha), rtol=1e-9, atol=1e-9)
        found.append((w, alpha, said))
    (w, alpha, said), (w2, alpha2, said2) = found
    np.testing.assert_allclose(w, w2, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(alpha, alpha2, rtol=1e-5, atol=1e-6)
    for mine, theirs in zip(said, said2, strict=True):
        assert mine == pytest.approx(theirs, rel=1e-5, abs=1e-6)
    assert alpha.max() > 0
    assert kernels.DROPPED in moves


def duals(rows: Rows, C: float = 1.0, bias: float = 1.0, squared: bool = False) -> Any:
    """One of no pass yet."""
    n = len(rows)
    arrays = np.zeros(n), np.zeros(n), np.zeros(n, np.float32), np.zeros(n, np.int8)
    made = dual.Dual(dual.Problem.of(rows, C, bias, squared), 1, *arrays, dual.BEGUN.copy())
    made.renew()
    return made


@pytest.mark.parametrize("n", [0, 1, 5, 64, 1000])
def test_a_shuffle_keeps_blocks_together(n: int) -> None:
    order = np.arange(n, dtype=np.int32)
    kernels.shuffle(order, 16, 3)
    assert sorted(order) == list(range(n))
    blocks = order // 16
    assert (np.diff(blocks) != 0).sum() <= max(0, (n + 15) // 16 - 1)
    if n >= 64:
        assert (order != np.arange(n)).any()


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("squared", [False, True])
def test_the_dual_bounds_the_primal_and_comes_to_it(squared: bool, workers: int) -> None:
    X, rows = made(weighted=True)
    cuts = [80 * k // workers for k in range(workers + 1)]
    parts = [rows.take(np.arange(lo, hi)) for lo, hi in pairwise(cuts)]
    each = [duals(part, 0.7, 1.0, squared) for part in parts]
    moved, w, gaps = momentum.Momentum(momentum.Momentum.memory(7)), np.zeros(7), []
    for epoch in range(400):
        ends = np.array([one.end() for one in each])
        for one in each:
            one.bound(ends[:, 1].max(), ends[:, 2].min())
        loss, gain = np.sum([one.measure(w, Crew(1)) for one in each], axis=0)
        gaps.append(loss + w @ w - gain)
        assert gain == pytest.approx(ends[:, 0].sum(), rel=1e-9)
        assert loss + w @ w / 2 == pytest.approx(objective(w, X, rows.y, rows.weight, 0.7, 1 + squared), rel=1e-6)  # type: ignore[arg-type]
        w, beta = moved.onward(w, w @ w / 2 - gain)
        for one in each:
            one.now["beta"] = beta
            one.shuffle(epoch)
        for turn in range(3):
            V = [w.copy() for _ in each]
            for one, v in zip(each, V, strict=True):
                one.sweep(v, turn, 3, float(workers))
            w = w + sum(v - w for v in V) / workers
        np.testing.assert_allclose(w, sum(one.weights() for one in each), atol=1e-9)
    assert min(gaps) > -1e-6
    assert gaps[-1] < 1e-3 * gaps[0]


def test_momentum_begins_anew_where_nothing_is_better() -> None:
    moved, betas = momentum.Momentum(momentum.Momentum.memory(1)), []
    for step, value in enumerate([0.0, -1.0, -2.0, -3.0, -2.5, -2.9, -3.1, -3.2]):
        start, beta = moved.onward(np.array([float(step)]), value)
        assert start == pytest.approx(step + beta)  # each step is 1
        betas.append(beta)
    assert betas[0] == betas[4] == betas[5] == 0  # -2.9 is no better than the best before, -3
    assert 0 < betas[1] < betas[2] < betas[3] < 1
    assert betas[6:] == betas[1:3]


def test_a_pass_goes_on_in_its_middle() -> None:
    """As after a recovery: in the same order, whatever was dropped before."""
    _, rows = made()
    whole, broken = (duals(rows) for _ in range(2))
    for one in (whole, broken):
        w = np.zeros(7)
        one.measure(w, Crew(1))
        for epoch in range(8):
            one.bound(*one.end()[1:])
            one.shuffle(epoch)
            for turn in range(4):
                if one is broken and turn == 2:
                    one.shuffle(epoch)
                one.sweep(w, turn, 4, 1.0)
    assert kernels.DROPPED in whole._moves
    np.testing.assert_array_equal(whole.alpha, broken.alpha)
    np.testing.assert_array_equal(whole._moves, broken._moves)


@pytest.mark.parametrize("squared", [False, True])
def test_what_is_renewed_is_within_the_bounds(squared: bool) -> None:
    _, rows = made(weighted=True)
    one = duals(rows, 0.1, 1.0, squared)
    one.alpha[:] = 1
    one.renew()
    assert one.alpha[7] == 0  # it weighs nothing
    assert one.alpha.max() == (1 if squared else one.problem.cap.max())
    np.testing.assert_array_equal(one._before, one.alpha)


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


@pytest.mark.parametrize("workers", [1, pytest.param(3, marks=pytest.mark.full)])
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
    score = peer.decision_function(X)
    clear = abs(score) > 0.01
    np.testing.assert_array_equal((run.model.predict(X) > 0)[clear], (score > 0)[clear])
    metrics = run.metrics.to_pandas().set_index("name")["value"]
    assert metrics["objective"].iloc[-1] == pytest.approx(ours / 400, rel=1e-5)
    assert metrics["gap"].iloc[-1] <= 1e-5


def csv(file: Path, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> dict[str, Any]:
    """As options of a run."""
    columns = [X, y[:, None], *([] if weight is None else [weight[:, None]])]
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y", "c"][: X.shape[1] + len(columns) - 1])
    np.savetxt(file, np.hstack(columns), delimiter=",", header=header, comments="", fmt="%.9g")
    return {"data": str(file), "label": "y", "scale": False, "tol": 1e-6} | ({} if weight is None else {"weight": "c"})


def test_rows_of_weight_0_are_as_if_left_out_and_rows_twice_as_of_weight_2(start: Start, tmp_path: Path) -> None:
    X, rows = made(200, sparse=False)
    y = rows.y
    assert y is not None
    weight = np.random.default_rng(1).integers(0, 3, 200).astype(float)
    weighted = start("svm", **csv(tmp_path / "weighted.csv", X, y, weight))
    often = np.repeat(np.arange(200), weight.astype(int))
    repeated = start("svm", **csv(tmp_path / "repeated.csv", X[often], y[often]))
    f = [objective(run.model["w"][:, 0].astype(float), X, y, weight, 1.0, 1) for run in (weighted, repeated)]
    assert f[0] == pytest.approx(f[1], rel=1e-5)


def test_no_row_weighs_anything(start: Start, tmp_path: Path) -> None:
    X, rows = made(20, sparse=False)
    assert rows.y is not None
    with pytest.raises(DataError, match="'c' is 0 in every row"):
        start("svm", **csv(tmp_path / "t.csv", X, rows.y, np.zeros(20)))


@pytest.mark.parametrize(("C", "part", "workers"), [(1.0, 0.1, 1), (1.0, 0.1, 2), (1.5, 0.5, 1)])
def test_a_warm_start_begins_near_its_end(C: float, part: float, workers: int, start: Start, tmp_path: Path) -> None:
    data = written(tmp_path / "t.libsvm", made(400)[1])
    start("svm", data=data, tol=1e-4, out=str(tmp_path / "model"))
    run = start("svm", data=data, tol=1e-3, C=C, workers=workers, start_from=str(tmp_path / "model"))
    gaps = run.metrics.to_pandas().query("name == 'gap'")["value"].tolist()
    assert gaps[0] < part  # 1 where nothing is known
    assert gaps[-1] <= 1e-3


@pytest.fixture
def half(start: Start, tmp_path: Path) -> Callable[..., Any]:
    """Half of a run of 2,000 rows, which leaves checkpoints."""

    def half(**options: Any) -> Any:
        X, rows = made(2000, 12, sparse=False)
        assert rows.y is not None
        usual = csv(tmp_path / "t.csv", X, rows.y) | {"tol": 1e-12, "epochs": 60, "checkpoint_every": 0.01}
        return start("svm", **usual | options)

    return half


@pytest.mark.parametrize(
    "now", [{"C": 0.001}, {"loss": "l2"}, {"bias": 3.0}, pytest.param({"workers": 2}, marks=pytest.mark.full)]
)
def test_resumed_with_other_flags_it_finds_their_model(now: Any, start: Start, half: Any) -> None:
    rest = {"tol": 1e-5, "epochs": 5000}
    again, fresh = start("svm", resume=half().id, **now, **rest), half(**now | {"workers": 1}, **rest)
    assert last(again, "gap")["value"] <= 1e-5
    assert last(again, "objective")["value"] == pytest.approx(last(fresh, "objective")["value"], rel=2e-5)
    np.testing.assert_allclose(again.model["w"], fresh.model["w"], atol=0.02)
    assert last(again, "loss")["value"] == last(again, "objective")["value"]  # which whoever watches is shown


@pytest.mark.parametrize("options", [{}, {"workers": 2}, {"loss": "l2", "tol": 1e-4}])
def test_goes_on_as_if_it_had_never_stopped(options: Any, start: Start, half: Any) -> None:
    whole, first = half(**options | {"epochs": 150}), half(**options)
    again = start("svm", resume=first.id, epochs=150)
    assert (first.model["w"] != whole.model["w"]).any() or "tol" in options
    for name, array in whole.model.arrays.items():
        np.testing.assert_array_equal(array, again.model[name])


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


def last(run: Any, name: str) -> Any:
    """What was reported last of it: clock, value."""
    return run.metrics.to_pandas().query("name == @name").iloc[-1]


def test_several_workers_need_few_more_passes(start: Start) -> None:
    """Of the demo's digits; a clock is a pass of so few rows."""
    alone, several = start("svm"), start("svm", workers=2)
    objectives = [last(run, "objective")["value"] for run in (alone, several)]
    assert objectives[1] == pytest.approx(objectives[0], rel=3e-4)
    assert last(several, "gap")["clock"] <= 3 * last(alone, "gap")["clock"]


@pytest.mark.shared
@pytest.mark.parametrize("workers", [1, 2, pytest.param(4, marks=pytest.mark.full)])
def test_a9a(shared: Path, start: Start, workers: int) -> None:
    run = start("svm", data=str(shared / "a9a/a9a"), test=str(shared / "a9a/a9a.t"), workers=workers)
    assert run.result["test"]["accuracy"] >= 0.849
    assert last(run, "objective")["value"] == pytest.approx(0.35117, rel=3e-4)  # LIBLINEAR's, -s 3 -B 1 -e 1e-6
    turns = 3 if workers == 2 else 1
    assert last(run, "gap")["clock"] / turns <= 500  # one needs 150 or so
