"""mf: its methods minimise one objective; ids are anything; who is new, and what to recommend."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import yarnml
from hdfs_io import Keys, Rows
from tests.apps.conftest import Start
from yarnml.app import load_app
from yarnml.errors import RunFailed, UsageError
from yarnml.kernels.crew import Crew

als, ccd, factors, method, order, sgd, sides, top = (
    import_module(f"yarnml_apps.mf.{name}")
    for name in ("als", "ccd", "factors", "method", "order", "sgd", "sides", "top")
)
K, LAM = 4, 0.1
USERS, ITEMS = 40, 25


class Me:
    """Enough of a worker."""

    workers, index, seed, clock_now, given = 1, 0, 3, 0, None

    def __init__(self, data: Rows, threads: int = 1) -> None:
        self.data, self.rows, self.threads, self.crew = data, len(data), threads, Crew(threads)
        self._state: dict[str, np.ndarray] = {}

    def gather(self, x: Any) -> list[np.ndarray]:
        return [np.asarray(x)]

    def sum(self, x: Any) -> np.ndarray:
        return np.asarray(x)

    def state(self, name: str, init: Callable[[], np.ndarray]) -> np.ndarray:
        return self._state.setdefault(name, init())


def made(seed: int = 0, n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings u, i, r of rank 2 with biases and a little noise, each pair once, some items without any."""
    rng = np.random.default_rng(seed)
    pair = rng.choice(USERS * (ITEMS - 2), n, replace=False)
    u, i = pair // (ITEMS - 2), pair % (ITEMS - 2)
    P, Q = rng.standard_normal((USERS, 3)), rng.standard_normal((ITEMS, 3))
    r = 3 + (P[u, :2] * Q[i, :2]).sum(axis=1) / 2 + P[u, 2] / 2 + Q[i, 2] / 2 + 0.1 * rng.standard_normal(n)
    return u, i, r.clip(0.5, 5).astype(np.float32)


def rows_of(u: np.ndarray, i: np.ndarray, r: np.ndarray | None) -> Rows:
    users, items = (Keys(np.arange(m), codes.astype(np.int32)) for m, codes in ((USERS, u), (ITEMS, i)))
    return Rows(np.empty((len(u), 0), np.float32), r, None, None, np.arange(len(u)), 0, users, items)


def begun(threads: int = 1, *, implicit: bool = False, bias: bool = True) -> tuple[Me, Any, Any]:
    u, i, r = made()
    me = Me(rows_of(u, i, r), threads)
    data = sides.ratings(me, implicit)
    return me, data, factors.Factors.of(me, K, data, bias, 0.0 if implicit else data.mean)


def triples(data: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    side = data.by_user
    return np.repeat(np.arange(side.count), np.diff(side.indptr)), side.other, side.r


def objective(data: Any, f: Any) -> float:
    """As app.py says it."""
    u, i, r = triples(data)
    P, Q = f.P.astype(np.float64), f.Q.astype(np.float64)
    e = r - f.mean - P[u, K] - Q[i, K] - (P[u, :K] * Q[i, :K]).sum(axis=1)
    n_u, n_i = np.bincount(u, minlength=len(P)), np.bincount(i, minlength=len(Q))
    return float(e @ e + LAM * (n_u @ (P**2).sum(axis=1) + n_i @ (Q**2).sum(axis=1)))


@pytest.mark.parametrize(("lo", "hi"), [(0, 9), (4, 13)])
def test_ratings_are_sorted_by_code_and_keep_their_order(lo: int, hi: int) -> None:
    rng = np.random.default_rng(0)
    code, other = rng.integers(lo, hi, 100).astype(np.int32), rng.integers(0, 5, 100).astype(np.int32)
    r = rng.random(100).astype(np.float32)
    found, expected = (f(code, other, r, lo, hi) for f in (order.by_code, order.by_code_reference))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_ratings_of_a_pair_are_added() -> None:
    indptr, other, r = order.merged(
        np.array([0, 3, 3, 5]), np.array([7, 2, 7, 1, 2], np.int32), np.array([1, 2, 3, 4, 5], np.float32)
    )
    assert indptr.tolist() == [0, 2, 2, 4]
    assert other.tolist() == [2, 7, 1, 2]
    assert r.tolist() == [2, 4, 4, 5]


@pytest.mark.parametrize("bias", [True, False])
def test_als_solves_the_normal_equations(*, bias: bool) -> None:
    me, data, f = begun(2, bias=bias)
    u, i, r = triples(data)
    before = f.Q.astype(np.float64)
    found = als.ALS(me, data, f, method.Penalty(LAM, bias), None).epoch(0)
    P = np.zeros((len(data.users), K + 1))
    X, Y, own, other = P, before, u, i
    for _ in range(2):
        for row in range(len(X)):
            some = own == row
            Z = np.hstack([Y[other[some], :K], np.ones((some.sum(), 1))])[:, : K + bias]
            t = r[some] - data.mean - Y[other[some], K]
            X[row, : K + bias] = np.linalg.solve(Z.T @ Z + LAM * some.sum() * np.eye(K + bias), Z.T @ t)
        X, Y, own, other = np.zeros((len(data.items), K + 1)), X, i, u
        if Y is P:
            Q = X
    np.testing.assert_allclose(f.P, P, atol=2e-5)
    np.testing.assert_allclose(f.Q, Q, atol=2e-5)
    assert found == pytest.approx(objective(data, f), rel=1e-5)


def test_implicit_als_is_that_of_the_whole_matrix() -> None:
    me, data, f = begun(implicit=True, bias=False)
    alpha = 3.0
    R = np.zeros((len(data.users), len(data.items)))
    u, i, r = triples(data)
    R[u, i] = r
    C, seen = 1 + alpha * R, R > 0

    def half(Y: np.ndarray, C: np.ndarray, seen: np.ndarray) -> np.ndarray:
        eye = LAM * np.eye(K)
        return np.stack([np.linalg.solve((Y.T * c) @ Y + eye, (Y.T * c) @ s) for c, s in zip(C, seen, strict=True)])

    P = half(f.Q[:, :K].astype(np.float64), C, seen)
    Q = half(P, C.T, seen.T)
    found = als.ALS(me, data, f, method.Penalty(LAM, bias=False), alpha).epoch(0)
    np.testing.assert_allclose(f.P[:, :K], P, atol=1e-4)
    np.testing.assert_allclose(f.Q[:, :K], Q, atol=1e-4)
    whole = (C * (seen - P @ Q.T) ** 2).sum() + LAM * ((P**2).sum() + (Q**2).sum())
    assert found == pytest.approx(whole, rel=1e-4)
    assert not f.P[:, K].any()


def test_ccd_is_the_paper_s() -> None:
    me, data, f = begun(2)
    u, i, r = triples(data)
    n = [np.bincount(codes, minlength=m) for codes, m in ((u, len(f.P)), (i, len(f.Q)))]
    U = np.vstack([f.P[:, :K].T, f.P[:, K], np.ones(len(f.P))]).astype(np.float64)
    V = np.vstack([f.Q[:, :K].T, np.ones(len(f.Q)), f.Q[:, K]]).astype(np.float64)
    algorithm = ccd.CCD(me, data, f, method.Penalty(LAM, bias=True))
    values = []
    for epoch in range(4):
        values.append(algorithm.epoch(epoch))
        assert values[-1] == pytest.approx(objective(data, f), rel=1e-4)
        for t in [K, K + 1, *range(K)]:
            R = r - data.mean - (U[:, u] * V[:, i]).sum(axis=0) + U[t, u] * V[t, i]
            if t != K + 1:
                v = V[t, i]
                U[t] = np.bincount(u, R * v, len(f.P)) / (LAM * n[0] + np.bincount(u, v * v, len(f.P)))
            if t != K:
                x = U[t, u]
                V[t] = np.bincount(i, R * x, len(f.Q)) / (LAM * n[1] + np.bincount(i, x * x, len(f.Q)))
        np.testing.assert_allclose(f.P, U[: K + 1].T, atol=1e-4)
        np.testing.assert_allclose(f.Q, np.vstack([V[:K], V[K + 1]]).T, atol=1e-4)
    assert np.all(np.diff(values) < 0)


def test_ccd_goes_on_from_factors() -> None:
    me, data, f = begun()
    penalty = method.Penalty(LAM, bias=True)
    first = ccd.CCD(me, data, f, penalty)
    first.epoch(0)
    anew = ccd.CCD(me, data, factors.Factors(f.P.copy(), f.Q.copy(), f.mean), penalty)
    assert anew.epoch(1) == pytest.approx(first.epoch(1), rel=1e-5)


@pytest.mark.parametrize("threads", [1, 3])
def test_sgd_by_rotation_is_sgd_in_the_blocks_order(threads: int) -> None:
    me, data, f = begun(threads)
    algorithm = sgd.SGD(me, data, f, method.Penalty(LAM, bias=True), 0.05)
    u, i, r = triples(data)
    P, Q, h, mean = f.P.copy(), f.Q.copy(), np.float32(0.05), np.float32(f.mean)
    algorithm.epoch(0)
    begin = algorithm._begin
    for t in range(threads):
        for s in range(threads):
            pair = s * threads + (s + t) % threads
            for at in algorithm._order[begin[pair] : begin[pair + 1]]:
                p, q = P[u[at]].copy(), Q[i[at]].copy()
                e = r[at] - mean - p[K] - q[K] - p[:K] @ q[:K]
                P[u[at]] += h * (e * np.append(q[:K], 1) - np.float32(LAM) * p)
                Q[i[at]] += h * (e * np.append(p[:K], 1) - np.float32(LAM) * q)
    np.testing.assert_allclose(f.P, P, atol=1e-5)
    np.testing.assert_allclose(f.Q, Q, atol=1e-5)
    assert sorted(algorithm._order.tolist()) == list(range(len(r)))


def settled(name: str) -> float:
    me, data, f = begun()
    penalty = method.Penalty(LAM, bias=True)
    if name == "als":
        algorithm = als.ALS(me, data, f, penalty, None)
    else:
        algorithm = ccd.CCD(me, data, f, penalty) if name == "ccd" else sgd.SGD(me, data, f, penalty, 0.1)
    for epoch in range(60):
        algorithm.epoch(epoch)
    return objective(data, f)


def test_all_methods_come_to_like_objectives() -> None:
    assert settled("ccd") == pytest.approx(settled("als"), rel=0.03)
    assert settled("sgd") == pytest.approx(settled("als"), rel=0.1)


def test_best_items_are_those_of_a_sort() -> None:
    rng = np.random.default_rng(0)
    P, Q = rng.standard_normal((6, K + 1)).astype(np.float32), rng.standard_normal((30, K + 1)).astype(np.float32)
    Q[7] = Q[3]  # equally good
    u = np.array([5, -1, 0, 5], np.int32)
    seen = (np.array([0, 0, 0, 0, 0, 0, 28]), np.arange(28, dtype=np.int32))
    item, value = top.best(u, P, Q, 4, None)
    S = np.where(u[:, None] >= 0, P[u], 0)[:, :K] @ Q[:, :K].T + Q[:, K] + np.where(u >= 0, P[u, K], 0)[:, None]
    np.testing.assert_array_equal(item, np.argsort(-S, axis=1, kind="stable")[:, :4])
    np.testing.assert_allclose(value, np.take_along_axis(S, item, axis=1), rtol=1e-5)
    item, value = top.best(u, P, Q, 4, seen)
    assert sorted(item[0, :2].tolist()) == [28, 29]  # all that the user hasn't seen
    assert np.isnan(value[0, 2:]).all()
    assert not np.isnan(value[1:3]).any()


@pytest.fixture
def data(tmp_path: Path) -> str:
    """Ratings by users that are words of items that are large numbers, with a column of no use."""
    file = tmp_path / "ratings.csv"
    lines = [f"u{u},{10**15 + 37 * i},{r:.4f},{t}" for t, (u, i, r) in enumerate(zip(*made(), strict=True))]
    file.write_text("userId,movieId,rating,timestamp\n" + "\n".join(lines) + "\n")
    return str(file)


def table_of(file: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(file).read_text().splitlines()))


SMALL: dict[str, Any] = {"k": K, "reg": LAM}


@pytest.mark.parametrize("name", ["als", "ccd", "sgd"])
def test_workers_change_little(name: str, start: Start, data: str) -> None:
    alone, two = (start("mf", data=data, method=name, workers=n, threads=1, lr=0.1, **SMALL) for n in (1, 2))
    assert alone.result["train"]["rmse"] < 0.5
    if name == "sgd":
        assert two.result["train"]["rmse"] == pytest.approx(alone.result["train"]["rmse"], rel=0.1)
        return
    for array in ("P", "Q", "users", "items", "seen", "seen_from"):
        np.testing.assert_array_equal(two.model[array], alone.model[array])


def test_save_load_and_predict_agree(start: Start, data: str, tmp_path: Path) -> None:
    run = start("mf", data=data, test=0.2, out=str(tmp_path / "model"), **SMALL)
    model = yarnml.load(tmp_path / "model")
    rows = table_of(data)
    users, items = [row["userId"] for row in rows], [int(row["movieId"]) for row in rows]
    X = pd.DataFrame({"userId": users, "movieId": items})
    fresh = run.model.predict(X)
    np.testing.assert_array_equal(model.predict(X), fresh)
    np.testing.assert_array_equal(model.predict(list(zip(users, items, strict=True))), fresh)
    written = start("predict", model=str(tmp_path / "model"), data=data, out=str(tmp_path / "out.csv"))
    table = table_of(tmp_path / "out.csv")
    assert list(table[0]) == ["userId", "movieId", "prediction"]
    assert [row["userId"] for row in table] == users
    np.testing.assert_allclose([float(row["prediction"]) for row in table], fresh, rtol=1e-6)
    r = np.array([float(row["rating"]) for row in rows])
    assert written.result["test"]["rmse"] == pytest.approx(np.sqrt(np.mean((fresh - r) ** 2)), rel=1e-5)


def test_recommendations_leave_out_what_was_seen(start: Start, data: str, tmp_path: Path) -> None:
    start("mf", data=data, out=str(tmp_path / "model"), **SMALL)
    (tmp_path / "users.csv").write_text("userId\nu3\nnobody\nu0\n")
    common = {"model": str(tmp_path / "model"), "data": str(tmp_path / "users.csv")}
    with pytest.raises(UsageError, match="--item"):
        start("predict", out=str(tmp_path / "no.csv"), **common)
    start("predict", out=str(tmp_path / "out.csv"), top=5, **common)
    table = table_of(tmp_path / "out.csv")
    assert list(table[0])[:3] == ["userId", "item_1", "prediction_1"]
    assert [row["userId"] for row in table] == ["u3", "nobody", "u0"]
    rated = {row["movieId"] for row in table_of(data) if row["userId"] == "u3"}
    found = [table[0][f"item_{place}"] for place in range(1, 6)]
    assert not rated & set(found)
    scores = [float(table[0][f"prediction_{place}"]) for place in range(1, 6)]
    assert scores == sorted(scores, reverse=True)
    model = yarnml.load(tmp_path / "model")
    assert model.predict([["u3", int(found[0])]])[0] == pytest.approx(scores[0], rel=1e-5)


@pytest.mark.parametrize("cold", ["mean", "refuse", "drop"])
def test_who_is_new(cold: str, start: Start, data: str) -> None:
    model = start("mf", data=data, cold=cold, **SMALL).model
    pairs = [["u3", 10**15], ["new", 10**15], ["u3", 5], ["new", 5]]
    if cold == "refuse":
        with pytest.raises(UsageError, match="user new has no ratings"):
            model.predict(pairs)
        return
    found = model.predict(pairs)
    if cold == "drop":
        assert np.isnan(found).tolist() == [False, True, True, True]
        return
    mean, low, high = model["scale"]
    assert found[3] == pytest.approx(mean, rel=1e-6)
    assert found[1] == pytest.approx(np.clip(mean + model["Q"][0, K], low, high), rel=1e-6)


def test_what_was_only_seen(start: Start, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    u = rng.integers(0, 60, 1500)
    i = rng.integers(0, 20, 1500) + 20 * (u % 2)  # each user likes one half of the items
    file = tmp_path / "seen.csv"
    file.write_text("user,item\n" + "\n".join(f"{a},{b}" for a, b in zip(u, i, strict=True)) + "\n")
    run = start("mf", data=str(file), implicit=True, reg=1.0, k=K, test=0.2)
    assert run.result["test"]["rank"] < 0.3
    assert run.model.predict([[0, 1]])[0] > run.model.predict([[0, 21]])[0]
    with pytest.raises(UsageError, match="--implicit"):
        start("mf", data=str(file))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("user,item,rating\n1,2,3\n", {"implicit": True, "method": "sgd"}, "learned by als"),
        ("user,item,rating,w\n1,2,3,1\n", {"weight": "w"}, "every rating alike"),
        ("user,item,rating\n1,2,bad\n1,3,4\n", {}, "are to be predicted|no number"),
        ("a,b,rating\n1,2,3\n", {}, "--user"),
    ],
)
def test_what_makes_no_sense_is_refused(
    text: str, options: dict[str, Any], message: str, start: Start, tmp_path: Path
) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises((UsageError, yarnml.errors.DataError), match=message):
        start("mf", data=str(tmp_path / "r.csv"), **options)


def test_more_workers_than_rows(start: Start, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("user,item,rating\n1,2,3\n2,2,5\n")
    run = start("mf", data=str(tmp_path / "r.csv"), workers=3, **SMALL)
    assert np.isfinite(run.model.predict([[1, 2]])).all()


def test_ids_that_are_no_ids(start: Start, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("user,item,rating\n1.5,2,3\n2,2,5\n")
    with pytest.raises(UsageError, match=r"r\.csv:2: user 'user' holds 1\.5: ids are whole numbers or words"):
        start("mf", data=str(tmp_path / "r.csv"))


def named(file: Path, users: list[Any], items: list[Any], n: int = 300) -> str:
    """Ratings of these, each rating of a user u above all others of the same item by u's place."""
    rng = np.random.default_rng(0)
    pair = rng.choice(len(users) * len(items), min(n, len(users) * len(items)), replace=False)
    lines = [f"{users[p // len(items)]},{items[p % len(items)]},{1 + p // len(items) % 5}" for p in pair.tolist()]
    file.write_text("user,item,rating\n" + "\n".join(lines) + "\n")
    return str(file)


BIG = 2**53
NAMES: dict[str, tuple[list[Any], list[Any]]] = {
    "beyond a double": ([BIG + k for k in range(10)], [2**63 - 1 - k for k in range(30)]),
    "negative": ([-BIG - k for k in range(10)], [3 * k - 40 for k in range(30)]),
    "words": ([f"{k}é m" for k in range(10)], [f"i{k:03}" for k in range(30)]),
    "numbers and words": ([*range(9), "anna"], list(range(30))),
}


@pytest.mark.parametrize("kind", list(NAMES))
def test_ids_are_exact(kind: str, start: Start, tmp_path: Path) -> None:
    users, items = NAMES[kind]
    data = named(tmp_path / "r.csv", users, items)
    run = start("mf", data=data, out=str(tmp_path / "model"), **SMALL)
    assert sorted(map(str, run.model["users"].tolist())) == sorted(map(str, users))
    assert sorted(map(str, run.model["items"].tolist())) == sorted(map(str, items))
    (tmp_path / "users.csv").write_text("user\n" + "".join(f"{user}\n" for user in users))
    common = {"model": str(tmp_path / "model")}
    start("predict", data=data, out=str(tmp_path / "out.csv"), **common)
    for rated, predicted in zip(table_of(data), table_of(tmp_path / "out.csv"), strict=True):
        assert (predicted["user"], predicted["item"]) == (rated["user"], rated["item"])
        assert float(predicted["prediction"]) == pytest.approx(
            float(rated["rating"]), abs=0.7
        )  # neighbours differ by 1
    start("predict", data=str(tmp_path / "users.csv"), out=str(tmp_path / "top.csv"), top=2, **common)
    table = table_of(tmp_path / "top.csv")
    assert [row["user"] for row in table] == [str(user) for user in users]
    assert {row["item_1"] for row in table} <= {str(item) for item in items} | {""}


def test_ids_beyond_64_bits_are_words(start: Start, tmp_path: Path) -> None:
    run = start("mf", data=named(tmp_path / "r.csv", [2**64 + k for k in range(10)], list(range(30))), **SMALL)
    assert str(2**64) in run.model["users"].tolist()


@pytest.mark.parametrize("cold", ["mean", "refuse", "drop"])
def test_who_is_new_in_a_test_set(cold: str, start: Start, tmp_path: Path) -> None:
    data = named(tmp_path / "r.csv", list(range(10)), list(range(30)))
    test = tmp_path / "test.csv"
    test.write_text("user,item,rating\n3,4,4\n77,4,5\n3,99,1\n77,99,2\n")
    if cold == "refuse":
        runs = tmp_path / "runs"
        with pytest.raises((UsageError, RunFailed), match=r"test\.csv:3: user 77 has no ratings"):
            start("mf", data=data, test=str(test), cold=cold, **SMALL)
        (run,) = runs.iterdir()
        assert not (run / "metrics.jsonl").exists()  # it was never trained
        return
    run = start("mf", data=data, test=str(test), cold=cold, out=str(tmp_path / "model"), **SMALL)
    error = run.model.predict([[3, 4], [77, 4], [3, 99], [77, 99]]) - [4, 5, 1, 2]
    assert np.isnan(error).sum() == (3 if cold == "drop" else 0)
    assert run.result["test"]["rmse"] == pytest.approx(np.sqrt(np.nanmean(error**2)), rel=1e-5)
    start("predict", model=str(tmp_path / "model"), data=str(test), out=str(tmp_path / "out.csv"))
    table = table_of(tmp_path / "out.csv")
    assert [row["prediction"] == "nan" for row in table] == [cold == "drop" and k > 0 for k in range(4)]


def test_a_row_without_a_user_is_no_rating(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("user,item,rating\n1,2,3\n,2,5\n2,1,4\n")
    with pytest.raises((UsageError, yarnml.errors.DataError, RunFailed), match="missing"):
        start("mf", data=str(file), **SMALL)


@pytest.mark.parametrize("name", ["als", "ccd", "sgd"])
def test_ratings_that_are_all_alike(name: str, start: Start, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("user,item,rating\n" + "".join(f"{u},{i},3.5\n" for u in range(6) for i in range(5)))
    run = start("mf", data=str(file), method=name, **SMALL)
    np.testing.assert_array_equal(run.model.predict([[1, 2], [9, 9]]), 3.5)
    assert run.result["train"]["rmse"] == 0


@pytest.mark.parametrize("name", ["als", "ccd", "sgd"])
def test_a_pair_that_is_rated_twice_counts_twice(name: str, start: Start, tmp_path: Path) -> None:
    """As one of the mean rating would, with more weight."""
    file = tmp_path / "r.csv"
    rows = [f"{u},{i},{1 + (u + i) % 5}\n" for u in range(8) for i in range(7)]
    file.write_text("user,item,rating\n" + "".join(rows) + "0,0,5\n" * 20)
    found = start("mf", data=str(file), method=name, epochs=200, tol=1e-9, lr=0.05, **SMALL).model.predict([[0, 0]])[0]
    assert 4 < found <= 5  # the first said 1


def test_what_is_shipped_is_what_is_made() -> None:
    file = Path(import_module("yarnml_apps.mf").__path__[0]) / "ratings.csv.gz"
    assert gzip.decompress(file.read_bytes()).decode() == import_module("yarnml_apps.mf.made").made()


def test_a_row_that_was_seen_less_than_never(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("user,item,rating\n1,2,3\n2,1,-4\n")
    with pytest.raises(RunFailed, match=r"r\.csv:3: --implicit: says that it was seen -4 times"):
        start("mf", data=str(file), implicit=True, **SMALL)


@pytest.mark.parametrize("workers", [1, 2])
def test_each_user_is_recommended_items_once(workers: int, start: Start, data: str, tmp_path: Path) -> None:
    model = start("mf", data=data, out=str(tmp_path / "model"), **SMALL).model
    keep = ("timestamp",) if workers == 1 else ()
    start("predict", model=str(tmp_path / "model"), data=data, out=str(tmp_path / "out"), top=2, keep=keep,
          workers=workers)  # fmt: skip
    found = pd.concat([pd.read_parquet(part) for part in sorted((tmp_path / "out").glob("part-*"))])
    rows = table_of(data)
    firsts = {row["userId"]: row["timestamp"] for row in reversed(rows)}
    assert found["userId"].tolist() == list(dict.fromkeys(row["userId"] for row in rows))
    if keep:
        assert found["timestamp"].astype(str).tolist() == [firsts[user] for user in found["userId"]]
    items, scores = model.recommend(found["userId"].tolist(), 2)
    np.testing.assert_array_equal(items, found[["item_1", "item_2"]])
    np.testing.assert_allclose(scores, found[["prediction_1", "prediction_2"]], rtol=1e-6)


def test_a_model_to_start_from(start: Start, data: str, tmp_path: Path) -> None:
    """One of half of the ratings; whoever isn't in it begins anew."""
    lines = Path(data).read_text().splitlines()
    (tmp_path / "half.csv").write_text("\n".join(lines[:200]) + "\n")
    start("mf", data=str(tmp_path / "half.csv"), out=str(tmp_path / "model"), **SMALL)
    cold = start("mf", data=data, epochs=1, **SMALL)
    warm = start("mf", data=data, epochs=1, start_from=str(tmp_path / "model"), **SMALL)
    assert warm.result["train"]["rmse"] < cold.result["train"]["rmse"]
    assert len(warm.model["users"]) == len(cold.model["users"]) >= len(yarnml.load(tmp_path / "model")["users"])
    with pytest.raises(UsageError, match=r"^--start-from .*/model: the model was trained with --k 4; say so here, too"):
        start("mf", data=data, k=5, start_from=str(tmp_path / "model"))
    with pytest.raises(UsageError, match=r"is a model of mf, not of lda"):
        start("lda", start_from=str(tmp_path / "model"))


def test_what_was_learned_is_summed_up(start: Start, data: str) -> None:
    run = start("mf", data=data, **SMALL)
    (line,) = run.result["summary"]
    assert line.startswith("k 4, reg 0.1: 40 users, 23 items, rated 0.5 to 5, ")
    assert run.model.summary() == [line]


def test_what_to_try_where_steps_are_too_long(start: Start, data: str) -> None:
    with pytest.raises(RunFailed, match=r"smaller --lr than 1e\+06"):
        start("mf", data=data, method="sgd", lr=1e6, **SMALL)
    mf = load_app("mf")
    assert mf.advice is not None
    assert "--reg" in mf.advice(mf.config({"method": "als"}))


def test_resumed_with_another_penalty_it_minimises_that(start: Start, data: str) -> None:
    half = start("mf", data=data, k=K, reg=0.02, epochs=3, tol=1e-9, checkpoint_every=1e-6)
    again = start("mf", resume=half.id, reg=0.5, epochs=30, tol=2e-3)
    fresh = start("mf", data=data, k=K, reg=0.5, epochs=30, tol=2e-3)
    last = [run.metrics.to_pandas().query("name == 'objective'")["value"].iloc[-1] for run in (again, fresh)]
    assert last[0] == pytest.approx(last[1], rel=0.02)
    assert again.model["reg"].tolist() == [0.5]
