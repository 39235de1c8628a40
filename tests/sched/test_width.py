"""The width falls as the objective rises, and comes back."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.sched.width import CALM, Width


def width(most: int) -> Width:
    return Width(most, np.array([most, np.inf, 0.0]))


@pytest.mark.parametrize("risen", [2.0, np.inf, np.nan])
def test_a_rise_halves_it(risen: float) -> None:
    one = width(64)
    one.saw(1.0)
    assert one.now == 64
    one.saw(risen)
    assert one.now == 32
    for _ in range(9):
        one.saw(np.nan)
    assert one.now == 1


def test_calm_brings_it_back_and_no_further() -> None:
    one = width(64)
    for objective in (1.0, 2.0, 3.0):
        one.saw(objective)
    assert one.now == 16
    for _ in range(CALM):
        one.saw(0.0)
    assert one.now == 20
    for _ in range(20 * CALM):
        one.saw(0.0)
    assert one.now == 64


def test_rounding_of_float32_is_no_rise() -> None:
    rng, one = np.random.default_rng(0), width(64)
    for _ in range(200):
        one.saw(float(np.float32(0.4135 * (1 + 1e-7 * rng.standard_normal()))))
    assert one.now == 64


@pytest.mark.parametrize("by", [3e-7, 1e-4])
def test_what_grows_slowly_is_a_rise(by: float) -> None:
    one = width(64)
    for number in range(300):
        one.saw((1 + by) ** number)
    assert one.now < 16


def test_after_nan_it_goes_on() -> None:
    one = width(4)
    for objective in (1.0, np.nan, 0.5):
        one.saw(objective)
    assert one.now == 2
