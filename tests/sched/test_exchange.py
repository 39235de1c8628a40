"""A part and its candidates are the same after they went as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from yarnml.errors import UsageError
from yarnml.sched.exchange import AXES, packed, unpacked


@settings(deadline=None)
@given(
    hnp.arrays(st.sampled_from(["<f4", "<f8", "<i8", "|u1"]), hnp.array_shapes(min_dims=0, max_dims=AXES, min_side=0)),
    st.integers(0, 5),
)
def test_there_and_back(part: np.ndarray, count: int) -> None:
    candidates = np.arange(2 * count).reshape(2, count)
    found, told = unpacked(packed(part, candidates))
    assert found.dtype == part.dtype
    np.testing.assert_array_equal(found, part)
    np.testing.assert_array_equal(told, candidates)


def test_more_axes_than_there_may_be() -> None:
    with pytest.raises(UsageError, match="5 axes"):
        packed(np.zeros((1,) * 5), np.zeros((2, 0), np.int64))
