"""The kernel that deals out costs against its numpy reference."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.kernels.deal import deal, deal_numpy


@settings(deadline=None)  # the first compiles
@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 5))
def test_deal(cost: list[int], takers: int) -> None:
    costs = np.array(cost, np.float64)
    order = np.argsort(-costs, kind="stable")
    np.testing.assert_array_equal(deal(costs, order, takers), deal_numpy(costs, order, takers))
