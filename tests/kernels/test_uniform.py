"""Numbers by row: the same whoever draws them, spread evenly, and apart for other purposes and seeds."""

from __future__ import annotations

import numpy as np

from yarnml.kernels.uniform import uniform


def test_a_row_has_its_number_wherever_it_is_drawn() -> None:
    number = np.arange(1000)
    np.testing.assert_array_equal(uniform(3, 1, number)[700:], uniform(3, 1, number[700:]))


def test_spread_evenly_and_independent() -> None:
    number = np.arange(100_000)
    u = uniform(0, 0, number)
    assert u.min() >= 0
    assert u.max() < 1
    counts = np.histogram(u, 10)[0]
    assert abs(counts - 10_000).max() < 500  # five standard deviations
    for other in (uniform(0, 1, number), uniform(1, 0, number)):
        assert abs(np.corrcoef(u, other)[0, 1]) < 0.02
