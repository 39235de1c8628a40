"""Every function against its formula in numpy, on whole rows, listed rows, and in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.comm.company import Alone
from yarnml.errors import UsageError
from yarnml.kernels import simplex as simplex_kernels
from yarnml.kernels import steps
from yarnml.ps import (
    L1,
    L2,
    AdaGrad,
    Adam,
    AdaRevision,
    Add,
    Assign,
    Ball,
    Elastic,
    Function,
    Increment,
    Max,
    Min,
    NonNegative,
    Proximal,
    Simplex,
    TableSpec,
    Then,
    imported,
    local_client,
)  # fmt: skip
from yarnml.ps.patches import merge
from yarnml.wire.message import Patch

Array = np.ndarray[Any, Any]
State = dict[str, Array]
ROWS, WIDTH = 7, 3


# ---- the references: each changes values and state (whole) by g at rows


def add(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    w[rows] += g


def assign(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    w[rows] = g


def least(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    w[rows] = np.minimum(w[rows], g)


def most(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    w[rows] = np.maximum(w[rows], g)


def adagrad(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    steps.adagrad_rows_numpy(w, state["G"], rows, g, f.lr, f.l2 * share, f.eps)


def adam(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    steps.adam_rows_numpy(
        w, state["m"], state["v"], state["t"], rows, g, f.lr, f.beta1, f.beta2, f.eps, share
    )  # fmt: skip


def adarevision(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    steps.adarevision_rows_numpy(w, state["S"], state["z"], state["zmax"], rows, g, state["S"][rows], f.lr)


def sparse_adagrad(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    """Duchi et al. 2011, the closed form of the L1 case: w <- sign(u) max(|u| - lr l1 / H, 0), u = w - lr g / H."""
    state["G"][rows] += g**2
    H = np.sqrt(state["G"][rows] + f.step.eps)
    u = w[rows] - f.step.lr * g / H
    w[rows] = np.sign(u) * np.maximum(np.abs(u) - share * f.step.lr * f.end.l1 / H, 0)


def nonnegative_add(f: Any, w: Array, state: State, rows: Array, g: Array, share: float) -> None:
    w[rows] = np.maximum(w[rows] + g, 0)


REFERENCES: list[tuple[Function, Any]] = [
    (Add(), add),
    (Assign(), assign),
    (Min(), least),
    (Max(), most),
    (AdaGrad(0.3, l2=0.1), adagrad),
    (Adam(0.1), adam),
    (AdaRevision(0.2), adarevision),
    (Then(Add(), NonNegative()), nonnegative_add),
    (Then(AdaGrad(0.3), L1(0.5)), sparse_adagrad),
]
ALL = [f for f, _ in REFERENCES] + [
    Then(Adam(0.1), Elastic(0.1, 0.2)),
    Then(Then(AdaRevision(0.1), L2(0.3)), NonNegative()),
    Then(Add(), Ball(0.5)),
    Then(Add(), Simplex()),
]
ids = pytest.mark.parametrize("function", ALL, ids=str)


def table(seed: int, dtype: str, rows: int = ROWS) -> Array:
    return np.random.default_rng(seed).normal(size=(rows, WIDTH)).astype(dtype)


def everything(function: Function, dtype: str) -> tuple[Array, State]:
    return table(1, dtype), function.state((ROWS, WIDTH), np.dtype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("function", "reference"), REFERENCES, ids=[str(f) for f, _ in REFERENCES])
def test_formula(function: Function, reference: Any, dtype: str) -> None:
    w, state = everything(function, dtype)
    w_, state_ = everything(function, "float64")
    w_[:] = w
    asked: list[Any] = [slice(0, 7), slice(2, 5), np.array([0, 3, 6]), slice(4, 4), np.array([], int)]
    for i, rows in enumerate(asked):
        where = np.arange(ROWS)[rows]
        delta, share = table(i + 2, dtype, len(where)), [1.0, 0.25][i % 2]
        function.apply(w, state, Increment(rows, delta, share))
        reference(function, w_, state_, where, delta.astype(float), share)
    digits = {"rtol": 2e-5, "atol": 1e-6} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-14}
    np.testing.assert_allclose(w, w_, **digits)  # type: ignore[call-overload]
    for name in state_:
        np.testing.assert_allclose(state[name], state_[name], **digits)  # type: ignore[call-overload]


@ids
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_state_is_all_that_is_kept_and_can_be_cut_between_any_rows(function: Function, dtype: str) -> None:
    whole, state = everything(function, dtype)
    assert all(len(array) == ROWS for array in state.values())
    cuts = [(0, 3), (3, 7)]
    parts = [(whole[a:b].copy(), {name: array[a:b].copy() for name, array in state.items()}) for a, b in cuts]
    for i in range(4):
        delta = table(i, dtype)
        kept = delta.copy()
        function.apply(whole, state, Increment(slice(0, 7), delta))
        np.testing.assert_array_equal(delta, kept)
        # as if written down, and read again by another server with a function made anew
        parts = [(w.copy(), {name: array.copy() for name, array in s.items()}) for w, s in parts]
        for (w, s), (a, b) in zip(parts, cuts, strict=True):
            replace(function).apply(w, s, Increment(np.arange(b - a), delta[a:b]))  # type: ignore[type-var]
    np.testing.assert_array_equal(np.concatenate([w for w, _ in parts]), whole)
    for name, array in state.items():
        np.testing.assert_array_equal(np.concatenate([s[name] for _, s in parts]), array)
        assert array.dtype in (np.dtype(dtype), np.float64)


WHOLE = st.lists(
    st.tuples(st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=5, unique=True).map(sorted), st.integers(-9, 9)),
    min_size=1, max_size=6,
)  # fmt: skip


@settings(deadline=None)
@given(added=WHOLE, order=st.randoms(use_true_random=False), local=st.sampled_from([Add(), Min(), Max()]))
def test_local_functions_may_be_applied_in_any_order_one_by_one_or_merged(
    added: list[tuple[list[int], int]], order: Any, local: Function
) -> None:
    patches = [Patch(0, -1, np.array(rows), np.full((len(rows), WIDTH), x, np.int64)) for rows, x in added]
    shuffled = order.sample(patches, len(patches))
    results = []
    for todo in (patches, shuffled, merge(local, patches), merge(local, shuffled)):
        w = np.arange(ROWS * WIDTH).reshape(ROWS, WIDTH) - 9
        for p in todo:
            rows = slice(p.start, p.start + len(p.values)) if p.rows is None else p.rows
            local.apply(w, {}, Increment(rows, p.values))
        results.append(w)
    for w in results[1:]:
        np.testing.assert_array_equal(w, results[0])


def test_assignments_merge_in_their_order() -> None:
    patches = [Patch(0, 0, None, np.full((2, 1), 1.0)), Patch(0, -1, np.array([1, 4]), np.full((2, 1), 2.0))]
    (merged,) = merge(Assign(), patches)
    assert merged.values.ravel().tolist() == [1, 2, 2]
    (merged,) = merge(Assign(), patches[::-1])
    assert merged.values.ravel().tolist() == [1, 1, 2]


@pytest.mark.parametrize("f", [Min(), Max()])
@pytest.mark.parametrize("rows", [slice(0, 2), np.array([0, 1])])
def test_a_nan_stays(f: Function, rows: Any) -> None:
    w = np.array([[np.nan], [1.0]])
    f.apply(w, {}, Increment(rows, np.array([[1.0], [np.nan]])))
    assert np.isnan(w).all()


def test_whole_numbers_wrap_around() -> None:
    w = np.array([[2**31 - 1]], np.int32)
    Add().apply(w, {}, Increment(slice(0, 1), np.array([[1]], np.int32)))
    assert w[0, 0] == -(2**31)


# ---- steps


def test_adam_corrects_by_the_servers_count_of_a_rows_steps() -> None:
    w, state = np.zeros((2, 1)), Adam(0.1).state((2, 1), np.dtype(float))
    for _ in range(5):
        Adam(0.1).apply(w, state, Increment(np.array([0]), np.array([[3.0]])))
    Adam(0.1).apply(w, state, Increment(np.array([1]), np.array([[-7.0]])))
    np.testing.assert_allclose(w, [[-0.5], [0.1]], rtol=1e-6)  # a constant gradient: steps of lr from the first on
    np.testing.assert_array_equal(state["t"], [[5], [1]])


def test_adams_parts_of_a_clock_are_parts_of_a_step() -> None:
    one, many = np.zeros((1, 1)), np.zeros((1, 1))
    state, states = (Adam(0.1).state((1, 1), np.dtype(float)) for _ in range(2))
    for _ in range(10):
        Adam(0.1).apply(one, state, Increment(slice(0, 1), np.array([[2.0]])))
        for _ in range(4):
            Adam(0.1).apply(many, states, Increment(slice(0, 1), np.array([[0.5]]), share=0.25))
    np.testing.assert_allclose(many, one, rtol=1e-6)
    for name in state:
        np.testing.assert_allclose(states[name], state[name], rtol=1e-12)


def test_adarevision_ends_where_it_would_have_without_the_delay() -> None:
    """McMahan and Streeter 2014, section 4: as long as zmax is z, and the learning rate falls, what was applied late is
    as if all steps so far had been taken at the rate of now: w = -eta S."""
    rng, f = np.random.default_rng(0), AdaRevision(0.5)
    w, state = np.zeros((1, 1)), f.state((1, 1), np.dtype(float))
    sums = [state["S"].copy()]
    for i in range(50):
        g = np.abs(rng.normal(size=(1, 1)))
        seen = sums[max(0, i - int(rng.integers(4)))]
        f.apply(w, state, Increment(slice(0, 1), g, seen=seen))
        sums.append(state["S"].copy())
        assert state["z"] == state["zmax"]
    late = 0.5 / np.sqrt(state["zmax"])
    assert abs(w + late * state["S"]) < abs(w)  # nearer to it than AdaGrad's, whose steps stay as they were
    w_, state_ = np.zeros((1, 1)), f.state((1, 1), np.dtype(float))
    f.apply(w_, state_, Increment(slice(0, 1), np.array([[2.0]])))
    f.apply(w_, state_, Increment(slice(0, 1), np.array([[3.0]]), seen=np.zeros((1, 1))))
    eta, eta_ = 0.5 / np.sqrt(5), 0.5 / np.sqrt(5 + 9 + 12)
    np.testing.assert_allclose(w_, [[-eta * 2 - eta_ * 3 + (eta - eta_) * 2]])
    np.testing.assert_allclose(w_, [[-eta_ * 5]])


# ---- proximal operators


def penalty(end: Proximal, w: Array) -> float:
    match end:
        case L1():
            return end.l1 * float(np.abs(w).sum())
        case L2():
            return end.l2 / 2 * float((w**2).sum())
        case Elastic():
            return penalty(L1(end.l1), w) + penalty(L2(end.l2), w)
        case NonNegative():
            inside = bool((w >= 0).all())
        case Ball():
            inside = bool(np.linalg.norm(w) <= end.radius * (1 + 1e-12))
        case Simplex():
            inside = bool((w >= 0).all()) and abs(w.sum() - end.total) < 1e-9 * end.total
        case _:
            raise AssertionError(end)
    return 0.0 if inside else np.inf


ENDS = [L1(0.3), L2(0.7), Elastic(0.2, 0.4), NonNegative(), Ball(1.5), Simplex(2.0), L1(0.0), Ball(1e-3), Simplex(50.0)]


@pytest.mark.parametrize("end", ENDS, ids=str)
@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), eta=st.sampled_from([0.1, 1.0, 5.0]), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_it_minimises_what_it_says(end: Proximal, seed: int, eta: float, scale: float) -> None:
    """No other point, near or far, has a smaller |u - w|² / (2 eta) + h(u): then it is the minimum, as h is convex."""
    rng = np.random.default_rng(seed)
    w = scale * rng.normal(size=(1, 6))
    got = w.copy()
    end.prox(got, eta)

    def objective(u: Array) -> float:
        return float(((u - w) ** 2).sum()) / (2 * eta) + penalty(end, u)

    best = objective(got)
    assert np.isfinite(best)
    for size in (1e-4, 1e-2, 1.0, 100.0):
        other = got + size * scale * rng.normal(size=w.shape)
        feasible = other.copy()
        end.prox(feasible, 0.0)
        for u in [feasible] if isinstance(end, NonNegative | Ball | Simplex) else [other, feasible]:
            assert objective(u) >= best * (1 - 1e-9)


@pytest.mark.parametrize("end", ENDS, ids=str)
def test_rows_stand_alone_and_a_projection_moves_nothing_twice(end: Proximal) -> None:
    w = 3 * table(0, "float32")
    rows = [w[i : i + 1].copy() for i in range(ROWS)]
    end.prox(w, 0.5)
    for row in rows:
        end.prox(row, 0.5)
    np.testing.assert_array_equal(np.concatenate(rows), w)
    if isinstance(end, NonNegative | Ball | Simplex):
        again = w.copy()
        end.prox(again, 0.5)
        np.testing.assert_allclose(again, w, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e18])
def test_simplex_kernel(dtype: str, scale: float) -> None:
    w = (scale * np.random.default_rng(1).normal(size=(50, 8))).astype(dtype)
    w_ = w.copy()
    simplex_kernels.simplex(w, 1.0)
    simplex_kernels.simplex_numpy(w_, 1.0)
    np.testing.assert_allclose(
        w, w_, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-7 if dtype == "float32" else 0
    )
    np.testing.assert_allclose(w.sum(axis=1), 1, rtol=1e-5)


def test_a_large_row_comes_into_the_ball() -> None:
    w = np.full((1, 4), 1e30, np.float32)
    Ball(2.0).prox(w, 1.0)
    np.testing.assert_allclose(w, 1.0, rtol=1e-6)


def test_what_is_small_becomes_an_exact_zero() -> None:
    w = np.full((1, 1), 0.1)
    Then(Add(), L1(0.3)).apply(w, {}, Increment(slice(0, 1), np.array([[0.1]])))
    assert w[0, 0] == 0


# ---- what can't be


class Momentum:
    """No function."""


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: TableSpec("a", (1, 1), "int32", function=AdaGrad(0.1)), "AdaGrad makes no sense of int32"),
        (lambda: TableSpec("a", (1, 1), "int64", function=Adam(0.1)), "Adam makes no sense of int64"),
        (lambda: TableSpec("a", (1, 1), "int64", function=AdaRevision(0.1)), "AdaRevision makes no sense of int64"),
        (lambda: TableSpec("a", (1, 1), "int32", function=Then(Add(), L1(0.1))), "L1 makes no sense of int32"),
        (lambda: TableSpec("a", (1, 1), "int32", function=Then(Add(), Simplex())), "Simplex makes no sense"),
        (lambda: TableSpec("a", (1, 1), function=NonNegative()), r"'a'.*Then\(Add\(\), NonNegative\(\)\)"),  # type: ignore[arg-type]
        (lambda: AdaGrad(0.0), "AdaGrad: lr is 0.0"),
        (lambda: AdaGrad(float("nan")), "lr is nan"),
        (lambda: Adam(0.1, beta1=1.0), "Adam: beta1 is 1.0"),
        (lambda: AdaRevision(-1), "AdaRevision: lr is -1"),
        (lambda: L1(-0.5), "L1: l1 is -0.5"),
        (lambda: Elastic(0.5, -1), "L2: l2 is -1"),
        (lambda: Ball(0), "Ball: radius is 0"),
        (lambda: Simplex(float("inf")), "Simplex: total is inf"),
        (lambda: Then(Assign(), NonNegative()), "must add up"),
        (lambda: Then(NonNegative(), L1(1)), "a function such as AdaGrad"),  # type: ignore[arg-type]
        (lambda: imported("nowhere"), "package.module:Class"),
        (lambda: imported("no.where:F"), "No module named 'no'"),
        (lambda: imported("yarnml.ps:Nothing"), "Nothing"),
        (lambda: imported("json:JSONDecoder"), "no class derived from"),
        (lambda: imported("yarnml.ps:AdaGrad", {"rate": 1}), "rate"),
        (lambda: imported("yarnml.ps:AdaGrad", "[1]"), "an object of JSON"),
        (lambda: imported("yarnml.ps:AdaGrad", "{"), "AdaGrad' with arguments {"),
        (lambda: imported("yarnml.ps:Function"), "abstract"),
    ],
)
def test_what_cannot_be(make: Any, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        make()


def test_whole_numbers_are_fine_where_they_make_sense() -> None:
    for function in (Add(), Assign(), Min(), Max(), Then(Add(), NonNegative())):
        TableSpec("a", (1, 1), "int32", function=function)


def test_imported() -> None:
    assert imported("yarnml.ps:AdaGrad", '{"lr": 0.5}') == imported("yarnml.ps:AdaGrad", {"lr": 0.5}) == AdaGrad(0.5)


def test_a_function_of_ones_own_says_what_it_applies_and_keeps_and_no_more() -> None:
    class Counting(Function):
        def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> State:
            return {"times": np.zeros((shape[0], 1), dtype)}

        def apply(self, values: Array, state: State, inc: Increment) -> None:
            state["times"][inc.rows] += 1
            values[inc.rows] += inc.delta / state["times"][inc.rows]

    company = Alone(lambda _: None, lambda: None)
    tables = local_client([TableSpec("w", (2, 1), function=Counting())], seed=0, company=company)
    for _ in range(2):
        tables.table("w").inc(slice(0, 1), np.array([[6.0]], np.float32))
        assert tables.table("w").get()[1, 0] == 0
        tables.clock()
    assert tables.table("w").get().tolist() == [[9.0], [0.0]]
