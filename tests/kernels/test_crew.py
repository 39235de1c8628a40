"""A crew's threads share out rows in order, and take numpy's faults as their maker does."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.kernels.crew import Crew


def test_parts_come_in_the_rows_order() -> None:
    crew = Crew(3)
    assert crew.each(lambda lo, hi: (lo, hi), 10, least=1) == [(0, 3), (3, 6), (6, 10)]
    assert crew.each(lambda lo, hi: (lo, hi), 10, least=10) == [(0, 10)]
    crew.close()


@pytest.mark.parametrize("fault", ["ignore", "raise"])
def test_threads_take_faults_as_their_maker_does(fault: str) -> None:
    with np.errstate(invalid=fault):  # type: ignore[call-overload]
        crew = Crew(2)
        assert crew.each(lambda lo, hi: np.geterr()["invalid"], 2, least=1) == [fault, fault]
        crew.close()
