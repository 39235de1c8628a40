"""Rounding: half the bytes, and nothing is lost in the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.test_table import in_threads
from yarnml.errors import UsageError
from yarnml.ps import L1, AdaGrad, Add, Assign, Min, Tables, TableSpec, Then
from yarnml.ps.functions import Function
from yarnml.ps.rounding import Rounding, rounded
from yarnml.wire.message import Patch


@given(scale=st.sampled_from([1e-42, 1e-20, 1.0, 7e4, 1e30, 3e38]), seed=st.integers(0, 99))
def test_eleven_bits_of_what_is_not_far_below_the_largest(scale: float, seed: int) -> None:
    values = np.clip(scale * np.random.default_rng(seed).normal(size=(8, 8)), -3.4e38, 3.4e38).astype(np.float32)
    near, exponent = rounded(values)
    top = np.abs(values).max()
    assert (np.abs(near - values) <= np.maximum(np.abs(values) * 2.0**-11, top * 2.0**-38)).all()
    again, e = rounded(near)
    np.testing.assert_array_equal(again, near)
    half = np.ldexp(near.astype(float), -exponent)
    np.testing.assert_array_equal(half.astype(np.float16), half)
    assert rounded(np.zeros((2, 2), np.float32))[0].any() == 0
    assert e <= exponent + 1


def test_what_is_not_finite_passes_and_is_not_held_back() -> None:
    rounding = Rounding((3, 1), np.dtype("f4"))
    values = np.array([[np.inf], [np.nan], [1e-3]], np.float32)
    np.testing.assert_array_equal(rounding.round(Patch(0, 0, None, values)).values[:2], values[:2])
    later = rounding.round(Patch(0, 0, None, np.ones((3, 1), np.float32))).values
    np.testing.assert_allclose(later, 1, rtol=1e-3)


@given(seed=st.integers(0, 99), clocks=st.integers(1, 30))
def test_what_is_sent_and_held_back_is_what_was_added(seed: int, clocks: int) -> None:
    rng = np.random.default_rng(seed)
    rounding, added, sent = Rounding((9, 4), np.dtype("f8")), np.zeros((9, 4)), np.zeros((9, 4))
    for _ in range(clocks):
        if rng.random() < 0.5:
            rows: Any = np.flatnonzero(rng.random(9) < 0.5)
            patch = Patch(0, -1, rows, 10.0 ** rng.integers(-6, 6) * rng.normal(size=(len(rows), 4)))
        else:
            a, b = sorted(rng.integers(0, 10, 2).tolist())
            rows, patch = slice(a, b), Patch(0, a, None, rng.normal(size=(b - a, 4)))
        added[rows] += patch.values
        sent[rows] += rounding.round(patch).values
    for patch in rounding.rest(0):
        sent[patch.rows] += patch.values
    np.testing.assert_allclose(sent, added, rtol=1e-9, atol=1e-9)
    assert rounding.rest(0) == []


@pytest.mark.parametrize("staleness", [0, 2, None])
def test_a_table_ends_as_if_nothing_had_been_rounded(staleness: int | None) -> None:
    """Increments of 1e-5 on top of 1: float16 alone would lose each of them."""
    spec = TableSpec("W", (40, 16), dtype="float64", wire="float16")
    totals: list[Any] = []

    def doing(tables: Tables, worker: int) -> None:
        W = tables.table("W")
        W.inc(0, np.ones(16))
        for clock in range(40):
            W.inc(slice(0, 20), np.full((20, 16), 1e-5))
            W.inc(np.arange(10, 30), np.full((20, 16), 1 / 3))
            got = W.get(29)
            if worker == 0 and staleness == 0:
                assert (clock * 3 + 1) / 3 - 0.1 < got[0] < (clock * 3 + 2) / 3 + 0.1
            tables.clock()
        tables.end()
        totals.append(W.get().copy())

    in_threads([spec], doing, workers=3, servers=2, staleness=staleness)
    expected = np.zeros((40, 16))
    expected[0] += 3
    expected[:20] += 3 * 40 * 1e-5
    expected[10:30] += 40
    for total in totals:
        np.testing.assert_allclose(total, expected, rtol=1e-12)


def test_it_takes_half_the_bytes() -> None:
    def sent(wire: Any) -> int:
        bytes_: list[int] = []

        def doing(tables: Tables, worker: int) -> None:
            for _ in range(3):
                tables.table("W").inc(None, np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32))
                tables.clock()
            bytes_.append(tables.sent_bytes)

        in_threads([TableSpec("W", (64, 64), wire=wire)], doing, workers=1, servers=1, staleness=0)
        return bytes_[0]

    assert sent("float16") == sent("exact") / 2


@pytest.mark.parametrize(
    ("dtype", "function"), [("int32", Add()), ("float32", Assign()), ("float64", Min()), ("int64", Add())]
)
def test_what_cannot_be_rounded(dtype: str, function: Function) -> None:
    with pytest.raises(UsageError, match=r"'a'.*float16"):
        TableSpec("a", (1, 1), dtype, function=function, wire="float16")
    with pytest.raises(UsageError, match="'float8'"):
        TableSpec("a", (1, 1), wire="float8")  # type: ignore[arg-type]
    TableSpec("a", (1, 1), function=Then(AdaGrad(0.1), L1(0.1)), wire="float16")
