"""A crew takes every row once, in parts that depend on numbers alone; errors and numpy's faults are as in a thread."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from yarnml.kernels.crew import Crew


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("rows", [0, 1, 9, 1000])
def test_every_row_once_in_order(size: int, rows: int) -> None:
    crew = Crew(size)
    parts = crew.each(lambda lo, hi: list(range(lo, hi)), rows, least=10)
    crew.close()
    assert [row for part in parts for row in part] == list(range(rows))
    assert len(parts) == max(1, min(size, rows // 10))


def test_parts_run_at_the_same_time() -> None:
    crew, meet = Crew(2), threading.Barrier(2, timeout=10)
    assert len(crew.each(lambda lo, hi: meet.wait(), 100, least=1)) == 2
    crew.close()


def test_an_error_of_any_part_is_raised() -> None:
    crew = Crew(2)

    def fail(lo: int, hi: int) -> None:
        if lo > 0:
            raise ValueError(lo)

    with pytest.raises(ValueError, match="50"):
        crew.each(fail, 100, least=1)
    crew.close()


@pytest.mark.parametrize("fault", ["ignore", "raise"])
def test_threads_take_faults_as_their_maker_does(fault: str) -> None:
    with np.errstate(invalid=fault):  # type: ignore[arg-type]
        crew = Crew(2)
        assert crew.each(lambda lo, hi: np.geterr()["invalid"], 2, least=1) == [fault, fault]
        crew.close()
