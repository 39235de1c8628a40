"""The urn's kernels against their numpy references."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.kernels import urn


@settings(deadline=None)  # the first compiles
@given(st.data(), st.integers(1, 20))
def test_draw(data: st.DataObject, m: int) -> None:
    """With whole numbers as weights, whose sums are exact."""
    trees, reference = urn.empty(m), urn.empty(m)
    for _ in range(data.draw(st.integers(1, 4))):
        places = np.array(sorted(data.draw(st.sets(st.integers(0, m - 1)))), np.int64)
        many = len(places)
        weight = np.array(data.draw(st.lists(st.integers(0, 5), min_size=many, max_size=many)), np.float64)
        fresh = np.array(data.draw(st.lists(st.booleans(), min_size=many, max_size=many)), np.bool_)
        urn.put(trees, places, weight, fresh)
        urn.put_numpy(reference, places, weight, fresh)
        np.testing.assert_array_equal(trees, reference)
        u = np.random.default_rng(data.draw(st.integers(0, 99))).random((2, data.draw(st.integers(0, m + 2))))
        uniform = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
        np.testing.assert_array_equal(urn.draw(trees, u, uniform), urn.draw_numpy(reference, u, uniform))
        np.testing.assert_array_equal(trees, reference)


def test_a_place_comes_out_as_often_as_it_weighs() -> None:
    weight = np.array([1.0, 0.0, 2.0, 5.0])
    trees = urn.empty(4)
    count = np.zeros(4)
    for u in np.random.default_rng(1).random((4000, 2, 1)):
        urn.put(trees, np.arange(4), weight, np.zeros(4, np.bool_))
        count[urn.draw(trees, u, 0.2)] += 1
    np.testing.assert_allclose(count / 4000, 0.8 * weight / 8 + 0.2 / 4, atol=0.03)
